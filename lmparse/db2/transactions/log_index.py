"""Log index: the transactions of a whole log, and the parts in which their changes are read.

The first reading takes the columns of all records, part by part, in this process or in others. All records together
decide the outcome of each change. A part needs to know only the outcomes of its own changes, see `PartContext`. The
engine `kaitai` reads the records one by one.

The record table is in memory, or in files if the log is above the limit `index_bytes`. Other processes take their parts
from the files of a folder. Without a folder they read their parts again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from lmparse.db2.record.column_reader import ERROR_BYTES
from lmparse.db2.record.forms import Role
from lmparse.db2.record.links import LoadStarts
from lmparse.db2.record.record_table import NO_AUTHID, RecordTable, TableWriter, part_of, row_number
from lmparse.db2.transactions.changed_rows import PartRows, transaction_of
from lmparse.db2.transactions.lob_pieces import PieceOwners
from lmparse.db2.transactions.log_part import PART_BYTES, LogContext, LogPart, PartContext
from lmparse.db2.transactions.outcomes import MovedRows, Outcomes
from lmparse.db2.transactions.part_reader import IndexedLog, PartReader, read_first
from lmparse.db2.transactions.references import ChangeReference, Transaction, TransactionIndex
from lmparse.db2.transactions.table_changes import NOT_HERE, TableChanges
from lmparse.db2.transactions.units import Units, UnitTotals
from lmparse.errors import FileLimitError, FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import Flags, Int64s

PART_RECORDS = 1 << 20
"""Most records of a part that this process reads."""
USED_AGAIN = "transactions without an end, whose identifier is used again"
BEGUN_BEFORE = "transactions that begin before the log at hand: earlier changes are not in it"
WITHOUT_ROW = "LOB values without a row"
ENDED_ALONE = "ends of transactions without another record in the log at hand: their changes are in front of it"


class LogIndex:
    """The transactions of a log, and its parts."""

    def __init__(self, log: IndexedLog, *, part_bytes: int = PART_BYTES) -> None:
        """`part_bytes` is the size of a part, at most PART_BYTES."""
        self._log = log
        self._part_bytes = min(part_bytes, PART_BYTES)
        self._reader = PartReader(log, self._part_bytes)
        self.contexts: list[PartContext] = []
        self.whole = LogContext()
        self.units = Units.none()
        """All units of the log."""
        self.totals = UnitTotals.none()
        self.oldest_open: int | None = None
        """Number of the first record of all transactions that are open at the end; None if all have ended."""
        self.authids: list[str] = []
        """The authorization ids of units, by number."""
        self._table: RecordTable | None = None
        """The records of the log; None where only a part of it is read."""
        self.unread: list[int] = []
        """Numbers of the records that cannot be read, ascending."""
        self._starts: list[int] = []
        """Offsets of the parts in the file."""
        self._is_incomplete: Flags = np.zeros(0, np.bool_)
        """Of each unit, whether it lacks records, see `LogBeginning.lack`."""

    # -- the parts ----------------------------------------------------------------------------

    def known(self, part: LogPart) -> LogIndex:
        """This index with the context that a part of a log has brought along."""
        self.whole, self.contexts = part.whole, list(part.contexts)
        return self

    def parts(self) -> Iterator[PartRows]:
        """The changes of the parts, in the order of the log."""
        return map(self._rows, self.contexts)

    def _rows(self, context: PartContext) -> PartRows:
        table = self.whole.stored if self._table is None else self._table
        part = self._reader.read(context.span) if table is None else part_of(table, context.bounds, self.whole.kinds)
        if context.units is not None:
            return PartRows(self.whole, context, part, context.units, context.authids)
        return PartRows(self.whole, context, part, self.units.take(context.unit_numbers), self.authids)

    def divided(self, max_bytes: int) -> Iterator[LogPart]:
        """The parts in groups of about `max_bytes`. Each group can be read by itself; the last one has the faults."""
        rest = replace(self.whole.rest, transactions=[])  # each is in the context of its part
        whole = replace(self.whole, rest=replace(rest, bad=[], fault=None))
        held: list[PartContext] = []
        for number, context in enumerate(self.contexts):
            held.append(self._alone(context))
            is_last = number == len(self.contexts) - 1
            following = context if is_last else self.contexts[number + 1]
            if is_last or following.span.end - held[0].span.start > max_bytes:
                yield LogPart(replace(whole, rest=rest) if is_last else whole, tuple(held))
                held = []
        if not self.contexts:
            yield LogPart(replace(whole, rest=rest), ())

    def _alone(self, context: PartContext) -> PartContext:
        """A copy of a context with its units and their authorization ids."""
        units = self.units.take(context.unit_numbers)
        used, authid = np.unique(np.append(units.authid, NO_AUTHID), return_inverse=True)
        return replace(
            context, units=replace(units, authid=authid[:-1] - 1),
            authids=tuple(self.authids[number] for number in used[1:].tolist()),
        )  # fmt: skip

    # -- the first reading ----------------------------------------------------------------------

    def build(self) -> LogIndex:
        """Index the log in this process."""
        with self._writer() as writer:
            fault = self._read_parts(writer)
            return self._settled(self._reader.named(writer.finished()), fault)

    def _read_parts(self, writer: TableWriter) -> FramingError | None:
        """Read the log for the first time. Returns the damage behind the last good record."""
        fault: FramingError | None = None
        size = len(self._log.buffer)
        start = end = first = count = 0
        lengths = writer.lengths
        windows = self._reader.windows(Span(0, size, 0))
        is_last = False
        while not is_last:
            try:
                columns = next(windows, None)
            except FramingError as error:
                columns, fault = None, error
            is_last = columns is None
            if columns is not None:
                writer.add(columns)
                end, count = columns.end, count + columns.count
            if is_last or end - start >= self._part_bytes or count >= PART_RECORDS:
                if is_last and not count and self.contexts:
                    break
                # Bytes behind the last good record are not read again.
                span = Span(start, size if is_last and fault is None else end, first)
                self._add_part(span, lengths, writer)
                first, start, count, lengths = first + count, end, 0, writer.lengths
        return fault

    def _add_part(self, span: Span, begin: tuple[int, ...], writer: TableWriter) -> None:
        """Add the part whose entries begin at the lengths `begin` of the arrays of the table."""
        self.contexts.append(PartContext(span, tuple(zip(begin, writer.lengths, strict=True))))

    def build_apart(self, spans: Sequence[Span], run: Run, open_: Callable[[], IndexedLog]) -> LogIndex:
        """Index a log that is cut into spans, with a task for each; `open_` opens the log in a task.

        A log with damaged framing is indexed in this process, up to the damage.
        """
        tasks = [(open_, Span(span.start, span.end, 0), span is spans[-1]) for span in spans]
        try:
            return self._joined(spans, run(read_first, tasks))
        except FramingError:
            self.contexts = []
            return self.build()

    def _joined(self, spans: Sequence[Span], found: Iterable[tuple[RecordTable, FramingError | None]]) -> LogIndex:
        """The index of a log whose parts other processes have read."""
        first, fault = 0, None
        kinds, authids = list[str](), dict[str, int]()
        with self._writer() as writer:
            for span, (part, fault) in zip(spans, found, strict=True):
                self._log.held.take(len(part.bad) * ERROR_BYTES)
                numbers = [authids.setdefault(authid, len(authids)) for authid in part.authids]
                lengths = writer.lengths
                writer.add(part.renumbered(first, len(kinds), numbers))
                end = span.end if fault is None else max(part.end, span.start)
                self._add_part(Span(span.start, end, first), lengths, writer)
                if fault is not None and fault.record_index is not None:
                    fault.record_index += first
                kinds += part.kinds
                first += part.count
            return self._settled(replace(writer.finished(), kinds=kinds, authids=list(authids)), fault)

    def _writer(self) -> TableWriter:
        folder = self._log.scratch
        if folder is not None:
            self.whole.stored = folder
        return TableWriter(folder, is_large=len(self._log.buffer) > self._log.options.bounds.index_bytes)

    # -- what became of the changes -------------------------------------------------------------

    def _settled(self, table: RecordTable, fault: FramingError | None) -> LogIndex:
        self._table, self.authids, self.whole.kinds = table, table.authids, table.kinds
        try:
            self._settle(table, fault)
        except FileLimitError as error:
            # Without all transactions no outcome is known.
            self._log.origin.place(error)
            self.contexts, self.units, self.totals = [], Units.none(), UnitTotals.none()
            self.whole = LogContext(TransactionIndex(fault=error))
        return self

    def _settle(self, table: RecordTable, fault: FramingError | None) -> None:
        log, whole = self._log, self.whole
        whole.tables, whole.beginning = set(np.unique(table.rows.ids).tolist()), log.beginning
        whole.beginning.firsts = table.links.firsts | whole.beginning.firsts
        whole.beginning.loads = LoadStarts(table.loads)
        outcomes = Outcomes(table, has_addresses=self._reader.has_addresses)
        self.units, self.totals, self.unread = outcomes.units, outcomes.totals, table.unread
        log.held.take(self.units.nbytes + self.totals.nbytes)
        self._is_incomplete = whole.beginning.lack(self.units)
        changes = TableChanges(
            self.transaction, outcomes.row_at, log.held, has_addresses=self._reader.has_addresses,
            read_before=whole.beginning.read_before,
        )  # fmt: skip
        wanted = [*self._of_tables(table, outcomes), *((one.extent, -1) for one in table.loads)]
        changes.read(log.logs, log.buffer, sorted(wanted, key=lambda one: one[0].index))
        outcomes.take_back(changes.taken_back)
        rest = whole.rest = changes.index
        whole.gaps = changes.gaps(log.gaps_before)
        moved = outcomes.moved(log.byte_order)
        owners = PieceOwners(table, outcomes, moved, self._is_incomplete, log.held)
        self._starts = [context.span.start for context in self.contexts]
        firsts = np.array([context.span.first_index for context in self.contexts], np.int64)
        references = owners.references(firsts)
        rest.counts[WITHOUT_ROW] += owners.without_row
        self._count(table, outcomes)
        self.oldest_open = self._oldest_open(table, outcomes)
        rest.bad += table.bad + table.faults + outcomes.errors
        if fault is not None:
            log.origin.place(fault)
            rest.fault = fault
        rest.links, rest.address_forms = table.links, table.address_forms
        self._settle_parts(table, outcomes, moved, firsts)
        for key, reference in references.items():
            self._context_of(reference).references[key] = reference
        self._place_extras(rest.transactions)

    def _of_tables(self, table: RecordTable, outcomes: Outcomes) -> Iterator[tuple[RecordExtent, int]]:
        """The records that change tables as a whole, or compensate such changes, each with the number of its unit."""
        role = table.members.role
        is_one = np.isin(role, (Role.OBJECT, Role.UNDO_OBJECT))
        is_alone = role == Role.SINGULAR
        is_alone[table.rows.member] = False
        for member in np.flatnonzero(is_one | is_alone).tolist():
            yield table.extent(member), int(outcomes.unit_of[member])

    def _settle_parts(self, table: RecordTable, outcomes: Outcomes, moved: MovedRows, firsts: Int64s) -> None:
        """Complete the context of each part; `firsts` are the numbers of the first records of parts."""
        ends = [row_number(first, 0) for first in [*firsts.tolist(), table.count]]
        doubtful, hidden, after = map(table.row_numbers, (outcomes.doubtful(), moved.hidden, moved.after))
        before = table.members.take(table.rows.member[moved.before])
        moved_from = np.stack([before.index, before.offset, before.length], axis=1)
        bounds = [np.searchsorted(numbers, ends).tolist() for numbers in (doubtful, hidden, after)]
        found = outcomes.of_parts(firsts, table.count)
        for number, (context, (units, unit_of, undone)) in enumerate(zip(self.contexts, found, strict=True)):
            context.unit_numbers, context.unit_of, context.undone = units, unit_of, undone
            of_doubtful, of_hidden, of_moved = (slice(bound[number], bound[number + 1]) for bound in bounds)
            context.doubtful, context.hidden = doubtful[of_doubtful], hidden[of_hidden]
            context.moved, context.moved_from = after[of_moved], moved_from[of_moved]

    def transaction(self, unit: int) -> Transaction:
        """The transaction of a unit, without its changes."""
        units = self.units
        found = transaction_of(units, unit, self.authids, number=unit, is_incomplete=self._is_incomplete[unit])
        found.last_index = int(self.totals.last_index[unit])
        found.reused_at = units.reused_at(unit)
        return found

    def _count(self, table: RecordTable, outcomes: Outcomes) -> None:
        """Count the records and transactions that messages report."""
        rest, beginning, units = self.whole.rest, self.whole.beginning, self.units
        have_changes = outcomes.have_changes()
        are_new = beginning.are_behind(units) & units.begins_before & (units.first_index >= beginning.read_before)
        rest.counts += table.counts
        not_here = table.members.index[outcomes.left]
        rest.counts[NOT_HERE] += int((not_here >= beginning.read_before).sum())
        rest.counts[USED_AGAIN] += outcomes.reused()
        rest.counts[BEGUN_BEFORE] += int((are_new & have_changes).sum())
        rest.counts[ENDED_ALONE] += int((are_new & self.totals.is_end).sum())
        rest.counts = +rest.counts
        for ids, places in outcomes.column_ids().items():
            rest.column_ids.setdefault(ids, set()).update(places)

    def _oldest_open(self, table: RecordTable, outcomes: Outcomes) -> int | None:
        """Number of the first record of all transactions that may end behind the log; None without such a transaction.

        The start of a load may begin a transaction, or be the only record of it in the log.
        """
        loads, units = self.whole.beginning.loads, self.units
        starts = {one.tid: one for one in table.loads}
        behind = outcomes.last_of(list(starts))
        alone = [one for tid, one in starts.items() if behind.get(tid, -1) < one.extent.index]
        # A load may begin another transaction with the identifier of an open one.
        ended = {one.tid for one in alone if not loads.through(one.tid, one.previous)}
        numbers = [loads.first_index(one.tid, one.address, one.extent.index) for one in alone]
        for unit in outcomes.open().tolist():
            tid = int(units.tid[unit])
            if tid not in ended:
                numbers.append(loads.first_index(tid, int(units.previous[unit]), int(units.first_index[unit])))
        return min(numbers, default=None)

    def _context_of(self, change: ChangeReference) -> PartContext:
        """The context of the part that contains a change."""
        return self.contexts[bisect_right(self._starts, change.extent.offset) - 1]

    def _place_extras(self, transactions: Sequence[Transaction]) -> None:
        """Give each part its changes of tables as a whole."""
        pairs = [(one, change) for one in transactions for change in one.changes]
        bare: dict[tuple[int, int], Transaction] = {}
        for transaction, change in sorted(pairs, key=lambda pair: pair[1].extent.index):
            context = self._context_of(change)
            # A part takes the facts about a transaction, and not its changes in other parts.
            own = bare.setdefault((id(context), id(transaction)), replace(transaction, changes=[]))
            context.extras.append((own, change))
