"""Log index: the transactions of a whole log, and the parts in which their changes are read.

The first reading takes the columns of all records, part by part, in this process or in others. What became of each
change follows from all of them together. A part must know no more than that, see `PartContext`, to be read on its own.
With the engine `kaitai`, all transactions are read record by record instead.

Memory holds the columns of some parts, up to the limit `index_bytes`. The first reading leaves others in a folder, if
there is one; else they are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from lmparse.db2.changed_rows import PartRows, transaction_of
from lmparse.db2.links import LoadStarts
from lmparse.db2.log_part import ERROR_BYTES, PART_BYTES, LogContext, LogPart, PartContext
from lmparse.db2.outcomes import Outcomes
from lmparse.db2.part_reader import IndexedLog, PartReader, leave, packed, read_first
from lmparse.db2.record_columns import NO_AUTHID, RecordColumns, RecordTable, TableWriter, row_number
from lmparse.db2.transaction_index import Transaction, TransactionIndex
from lmparse.db2.transactions import TransactionReader
from lmparse.db2.units import OPEN, STATES, Units, UnitTotals
from lmparse.errors import FileLimitError, FramingError
from lmparse.framing.extents import Span
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import Flags, Int64s, UInt64s

PART_RECORDS = 1 << 20
"""Most records of a part that is read here."""
USED_AGAIN = "transactions without an end, whose identifier is used again"
BEGUN_BEFORE = "transactions that begin before the log at hand: earlier changes are not in it"
ENDED_ALONE = "ends of transactions without another record in the log at hand: their changes are in front of it"


class LogIndex:
    """The transactions of a log."""

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
        """Number of the first record of the transactions that are open at the end; None if all have ended."""
        self.authids: list[str] = []
        """The authorization ids of units, by number."""
        self._kept: dict[int, bytes] = {}
        self._kept_bytes = 0
        self._is_parsed = log.options.engine == "kaitai"
        """Whether all changes are found record by record, so that nothing is read by the column."""
        self._is_incomplete: Flags = np.zeros(0, np.bool_)
        """Of each unit, whether it may begin in front of the log."""

    # -- the parts ----------------------------------------------------------------------------

    def known(self, part: LogPart) -> LogIndex:
        """The index of a part of a log whose context is known."""
        self.whole, self.contexts = part.whole, list(part.contexts)
        return self

    def parts(self, *, has_extras: bool = True) -> Iterator[PartRows]:
        """The changes of the parts, in the order of the log: with those that were found record by record, or not."""
        for number, context in enumerate(self.contexts):
            yield self._rows(context if has_extras else replace(context, extras=[]), self._kept.get(number))

    def _rows(self, context: PartContext, kept: bytes | None) -> PartRows:
        if self._is_parsed:
            return PartRows(self.whole, context, RecordColumns(), Units.none(), [])
        part = self._reader.read(context, kept)
        if context.units is not None:
            return PartRows(self.whole, context, part, context.units, context.authids)
        return PartRows(self.whole, context, part, self.units.take(context.unit_numbers), self.authids)

    def divided(self, max_bytes: int) -> Iterator[LogPart]:
        """The parts in groups of about `max_bytes`, each to be read on its own; the last one has the faults."""
        rest = replace(self.whole.rest, transactions=[])  # these are with their part
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
        """A context with its units in it."""
        if self._is_parsed:
            return context
        units = self.units.take(context.unit_numbers)
        used, authid = np.unique(np.append(units.authid, NO_AUTHID), return_inverse=True)
        return replace(
            context, units=replace(units, authid=authid[:-1] - 1),
            authids=tuple(self.authids[number] for number in used[1:].tolist()),
        )  # fmt: skip

    # -- the first reading ----------------------------------------------------------------------

    def build(self) -> LogIndex:
        """Index the log in this process."""
        with self._table() as table:
            fault = self._read_parts(table)
            return self._settled(self._reader.named(table.finished()), fault)

    def _read_parts(self, table: TableWriter) -> FramingError | None:
        """Read the log for the first time. Returns the damage behind the last good record."""
        fault: FramingError | None = None
        held: list[RecordColumns] = []
        size = len(self._log.buffer)
        start = first = count = 0
        windows = self._reader.windows(Span(0, size, 0))
        is_last = False
        while not is_last:
            try:
                columns = next(windows, None)
            except FramingError as error:
                columns, fault = None, error
            is_last = columns is None
            if columns is not None:
                held.append(columns)
                count += columns.count
            end = held[-1].end if held else start
            if is_last or end - start >= self._part_bytes or count >= PART_RECORDS:
                if is_last and not held and self.contexts:
                    break
                joined = RecordColumns.joined(held)
                table.add(joined)
                # What is behind the last good record is not read again.
                span = Span(start, size if is_last and fault is None else end, first)
                self._keep(self._reader.named(joined), span)
                first += count
                held, start, count = [], end, 0
        return fault

    def build_apart(self, spans: Sequence[Span], run: Run, open_: Callable[[], IndexedLog]) -> LogIndex:
        """Index a log that is cut into spans, each by a task; `open_` opens it there.

        A log with damaged framing is indexed here, up to the damage.
        """
        contexts = [PartContext(Span(span.start, span.end, 0), self._file_of(span)) for span in spans]
        tasks = [(open_, context, context is contexts[-1]) for context in contexts]
        try:
            return self._joined(contexts, run(read_first, tasks))
        except FramingError:
            self.contexts = []
            return self.build()

    def _joined(
        self, contexts: Sequence[PartContext], found: Iterable[tuple[RecordTable, FramingError | None, bytes]]
    ) -> LogIndex:
        """The index of a log of which other processes have read the parts."""
        first, fault = 0, None
        kinds, authids = list[str](), dict[str, int]()
        with self._table() as table:
            for context, (columns, fault, digest) in zip(contexts, found, strict=True):
                span = context.span
                self._log.held.take(len(columns.bad) * ERROR_BYTES)
                end = span.end if fault is None else max(columns.end, span.start)
                span = Span(span.start, end, first)
                self.contexts.append(replace(context, span=span, digest=digest))
                numbers = [authids.setdefault(authid, len(authids)) for authid in columns.authids]
                table.add(columns.renumbered(first, len(kinds), numbers))
                if fault is not None and fault.record_index is not None:
                    fault.record_index += first
                kinds += columns.kinds
                first += columns.count
            return self._settled(replace(table.finished(), kinds=kinds, authids=list(authids)), fault)

    def _table(self) -> TableWriter:
        folder = self._log.scratch
        is_large = len(self._log.buffer) > self._log.options.bounds.index_bytes
        return TableWriter(None if folder is None else str(folder), is_large=is_large)

    def _file_of(self, span: Span) -> str | None:
        """The file in which the first reading leaves a part."""
        folder = self._log.scratch
        return None if folder is None else str(folder / f"index-{span.start}")

    def _keep(self, part: RecordColumns, span: Span) -> None:
        """Keep the columns of a part in memory, or else in a file if there is a place for it."""
        if self._is_parsed:
            self.contexts.append(PartContext(span))
            return
        data, path, digest = packed(part, span.first_index), None, b""
        if self._kept_bytes + len(data) <= self._log.options.bounds.index_bytes:
            self._kept[len(self.contexts)] = data
            self._kept_bytes += len(data)
        elif (path := self._file_of(span)) is not None:
            digest = leave(data, path)
        self.contexts.append(PartContext(span, path, digest))

    # -- what became of the changes -------------------------------------------------------------

    def _settled(self, table: RecordTable, fault: FramingError | None) -> LogIndex:
        self.authids = table.authids
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
        self.units, self.totals = outcomes.units, outcomes.totals
        log.held.take(self.units.nbytes + self.totals.nbytes)
        self._is_incomplete = whole.beginning.lack(self.units)
        firsts = np.array([context.span.first_index for context in self.contexts], np.int64)
        irregular = np.unique(table.members.tid) if self._is_parsed else outcomes.irregular(firsts)
        reader = TransactionReader(
            log.byte_order, log.held, self.transaction, unread=table.unread, gaps=log.gaps_before,
            read_before=whole.beginning.read_before,
        )  # fmt: skip
        wanted = [*outcomes.extents(irregular)]
        wanted += ((one.extent, -1) for one in table.loads)
        rest = reader.read(log.logs, log.buffer, sorted(wanted, key=lambda one: one[0].index))
        for one in rest.transactions:
            if one.number >= 0:  # one that is taken for committed may have no end after all
                self.units.state[one.number] = STATES.index(one.state)
        whole.rest, whole.gaps, whole.unread = rest, reader.gaps.times, reader.unread
        self._count(table, outcomes, irregular)
        self.oldest_open = self._oldest_open(table, outcomes)
        rest.bad += table.bad + table.faults
        if fault is not None:
            log.origin.place(fault)
            rest.fault = rest.fault or fault
        rest.links = table.links
        if not self._is_parsed:
            self._settle_parts(table, outcomes, firsts, irregular)
        self._place_extras(rest.transactions)

    def _settle_parts(self, table: RecordTable, outcomes: Outcomes, firsts: Int64s, irregular: UInt64s) -> None:
        """Give each part what it must know; `firsts` are the numbers of the first records of parts."""
        doubtful = outcomes.doubtful(self.whole.unread)
        bounds = np.searchsorted(doubtful, [row_number(first, 0) for first in [*firsts.tolist(), table.count]])
        found = zip(self.contexts, outcomes.of_parts(firsts, table.count), pairwise(bounds.tolist()), strict=True)
        for context, (numbers, unit_of, undone), (low, high) in found:
            context.unit_numbers, context.unit_of, context.undone = numbers, unit_of, undone
            context.doubtful, context.irregular = doubtful[low:high], irregular

    def transaction(self, unit: int) -> Transaction:
        """The transaction of a unit, without its changes."""
        units = self.units
        found = transaction_of(units, unit, self.authids, number=unit, is_incomplete=self._is_incomplete[unit])
        found.last_index = int(self.totals.last_index[unit])
        if found.state == STATES[OPEN] and unit + 1 < len(units) and units.tid[unit + 1] == units.tid[unit]:
            found.reused_at = int(units.first_index[unit + 1])
        return found

    def _count(self, table: RecordTable, outcomes: Outcomes, irregular: UInt64s) -> None:
        """Count what messages say of the log."""
        rest, beginning, units = self.whole.rest, self.whole.beginning, self.units
        have_changes = outcomes.have_changes() & ~np.isin(units.tid, irregular)
        have_changes[[one.number for one in rest.transactions if one.number >= 0]] = True
        are_new = beginning.are_behind(units) & units.begins_before & (units.first_index >= beginning.read_before)
        rest.counts += table.counts
        rest.counts[USED_AGAIN] += outcomes.reused()
        rest.counts[BEGUN_BEFORE] += int((are_new & have_changes).sum())
        rest.counts[ENDED_ALONE] += int((are_new & self.totals.is_end).sum())
        rest.counts = +rest.counts
        for ids, places in outcomes.column_ids().items():
            rest.column_ids.setdefault(ids, set()).update(places)

    def _oldest_open(self, table: RecordTable, outcomes: Outcomes) -> int | None:
        """Number of the first record of the transactions that may end behind the log.

        Of some there is nothing else than the start of a load, and others begin with one.
        """
        loads, units = self.whole.beginning.loads, self.units
        starts = {one.tid: one for one in table.loads}
        behind = outcomes.last_of(list(starts))
        alone = [one for tid, one in starts.items() if behind.get(tid, -1) < one.extent.index]
        # A load may begin another transaction with the identifier of one that has no end.
        ended = {one.tid for one in alone if not loads.through(one.tid, one.previous)}
        numbers = [loads.first_index(one.tid, one.address, one.extent.index) for one in alone]
        for unit in outcomes.open().tolist():
            tid = int(units.tid[unit])
            if tid not in ended:
                numbers.append(loads.first_index(tid, int(units.previous[unit]), int(units.first_index[unit])))
        return min(numbers, default=None)

    def _place_extras(self, transactions: Sequence[Transaction]) -> None:
        """Give each part the changes in it that were found record by record."""
        starts = [context.span.start for context in self.contexts]
        pairs = [(one, change) for one in transactions for change in one.changes]
        bare: dict[tuple[int, int], Transaction] = {}
        for transaction, change in sorted(pairs, key=lambda pair: (pair[1].extent.index, pair[1].number)):
            number = int(np.searchsorted(starts, change.extent.offset, side="right")) - 1
            # A part takes the facts about a transaction, and not its changes in other parts.
            own = bare.setdefault((number, id(transaction)), replace(transaction, changes=[]))
            self.contexts[number].extras.append((own, change))
