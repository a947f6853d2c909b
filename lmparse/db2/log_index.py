"""Log index: the transactions of a whole log, found part by part by the column.

A first pass over the parts finds the transactions that cross from one part to another, and those that are to be read
record by record. What a part must know of the rest of the log is its context; with it, the part is read on its own.
The first pass runs in this process or, part by part, in others. Here, memory holds the arrays of some parts, up to the
limit `index_bytes`. The first pass leaves others in a folder, if there is one; else they are made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from lmparse.db2.crossings import Crossings
from lmparse.db2.irregular_transactions import Irregular, read_irregular
from lmparse.db2.links import Links, LoadStarts
from lmparse.db2.log_part import ERROR_BYTES, PART_BYTES, LogContext, LogPart, PartContext
from lmparse.db2.part_index import RECORD_BYTES, PartIndex, PartSummary
from lmparse.db2.part_reader import Extracted, IndexedLog, IndexTask, PartReader, leave, packed, run_task
from lmparse.db2.record_columns import Members, RecordColumns, row_number, table_ids
from lmparse.db2.transaction_index import Transaction, TransactionIndex
from lmparse.db2.transactions import BEGUN_BEFORE, ENDED_ALONE, USED_AGAIN, TransactionReader
from lmparse.errors import FileLimitError, FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import UInt64s

PART_RECORDS = 1 << 20
"""Most records of a part that is indexed here."""
_NO_TIDS: UInt64s = np.zeros(0, np.uint64)


class LogIndex:
    """The transactions of a log."""

    def __init__(self, log: IndexedLog, *, part_bytes: int = PART_BYTES) -> None:
        """`part_bytes` is the size of a part, at most PART_BYTES."""
        self._log = log
        self._part_bytes = min(part_bytes, PART_BYTES)
        self._reader = PartReader(log, self._part_bytes)
        self.contexts: list[PartContext] = []
        self.whole = LogContext()
        self.oldest_open: int | None = None
        """Number of the first record of the transactions that are open at the end; None if all have ended."""
        self._kept: dict[int, bytes] = {}
        self._kept_bytes = 0
        self._remote: tuple[Run, Callable[[], IndexedLog]] | None = None

    def known(self, part: LogPart) -> LogIndex:
        """The index of a part of a log whose context is known."""
        self.whole, self.contexts = part.whole, list(part.contexts)
        return self

    def build(self) -> LogIndex:
        """Index the log in this process."""
        return self._built(*self._summaries())

    def build_apart(self, spans: Sequence[Span], run: Run, open_: Callable[[], IndexedLog]) -> LogIndex:
        """Index a log that is cut into spans, each by a task; `open_` opens it there.

        If a span does not end between two records, the log is indexed here, because then it is not known where they do.
        """
        self._remote = run, open_
        contexts = [PartContext(Span(span.start, span.end, 0), self._file_of(span)) for span in spans]
        tasks = [IndexTask(open_, context, context is contexts[-1]) for context in contexts]
        try:
            found: list[PartSummary] = list(run(run_task, tasks))
        except FramingError:
            self._remote = None
            return self.build()
        return self._built(contexts, found)

    def _file_of(self, span: Span) -> str | None:
        """The file in which the first pass leaves a part."""
        folder = self._log.scratch
        return None if folder is None else str(folder / f"index-{span.start}")

    def parts(self) -> Iterator[tuple[PartContext, PartIndex]]:
        """The parts in the order of the log."""
        for number, context in enumerate(self.contexts):
            yield context, self._reader.read(context, self._kept.get(number))

    def divided(self, max_bytes: int) -> Iterator[LogPart]:
        """The parts in groups of about `max_bytes`, each to be read on its own; the last one has the faults."""
        held: list[PartContext] = []
        for number, context in enumerate(self.contexts):
            held.append(context)
            is_last = number == len(self.contexts) - 1
            following = context if is_last else self.contexts[number + 1]
            if is_last or following.span.end - held[0].span.start > max_bytes:
                whole = self.whole.with_faults() if is_last else self.whole.without_faults()
                yield LogPart(whole, tuple(held))
                held = []
        if not self.contexts:
            yield LogPart(self.whole.with_faults(), ())

    # -- the first pass -----------------------------------------------------------------------

    def _built(self, contexts: Sequence[PartContext], found: Sequence[PartSummary]) -> LogIndex:
        try:
            self._merge(self._note(contexts, found))
        except FileLimitError as error:
            # Without all transactions no outcome is known.
            self._log.origin.place(error)
            self.contexts, self.whole = [], LogContext(TransactionIndex(fault=error))
        return self

    def _merge(self, summaries: list[PartSummary]) -> None:
        links, self.whole.beginning = Links(), self._log.beginning
        for summary in summaries:
            links.then(summary.links)
        for stream, address in links.firsts.items():
            self.whole.beginning.place(stream, address)
        loads = [one for summary in summaries for one in summary.loads]
        self.whole.beginning.loads = LoadStarts(loads)
        crossings = Crossings(self.contexts, self.whole.beginning, self.whole.unread, self._log.held)
        for number, summary in enumerate(summaries):
            crossings.add(number, summary)
        for missing in crossings.missing:
            links.miss(missing)
        irregular = _irregular(summaries, crossings)
        undone = self._undone_across(summaries, irregular)
        irregular = np.union1d(irregular, undone)
        special = np.setdiff1d(_union(summary.special for summary in summaries), irregular)
        rest = self._read_irregular(summaries, crossings, irregular, special)
        self._count(summaries, crossings, irregular, rest.index)
        crossings.end(frozenset(irregular.tolist()) - rest.open_tids())
        self.oldest_open = crossings.oldest_open()
        rest.index.bad += [bad for summary in summaries for bad in summary.bad]
        fault = summaries[-1].fault if summaries else None
        if fault is not None:
            self._log.origin.place(fault)
            rest.index.fault = rest.index.fault or fault
        self.whole.unread = rest.damaged
        rest.index.links = links
        self.whole.rest, self.whole.gaps, self.whole.numbers = rest.index, rest.gaps, rest.numbers
        self._place_extras(rest, irregular)

    def _summaries(self) -> tuple[list[PartContext], list[PartSummary]]:
        """All parts, and their summaries; the last one has the damage behind it."""
        contexts: list[PartContext] = []
        found: list[PartSummary] = []
        held: list[RecordColumns] = []
        fault: FramingError | None = None
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
                if is_last and not held and found:
                    found[-1].fault = fault
                    break
                part = self._reader.index(RecordColumns.joined(held))
                found.append(part.summary(fault))
                contexts.append(self._keep(part, len(contexts), Span(start, size if is_last else end, first)))
                first += count
                held, start, count = [], end, 0
        return contexts, found

    def _keep(self, part: PartIndex, number: int, span: Span) -> PartContext:
        """Keep the index of a part in memory, or else in a file if there is a place for it."""
        data, path, digest = packed(part.moved(-(span.first_index or 0))), None, b""
        if self._kept_bytes + len(data) <= self._log.options.bounds.index_bytes:
            self._kept[number] = data
            self._kept_bytes += len(data)
        elif (path := self._file_of(span)) is not None:
            digest = leave(data, path)
        return PartContext(span, path, digest)

    def _note(self, contexts: Sequence[PartContext], found: Sequence[PartSummary]) -> list[PartSummary]:
        """Number the records of the parts; returns the summaries with the numbers that records have in the log."""
        first, summaries = 0, []
        for context, part in zip(contexts, found, strict=True):
            # What is behind the last good record is not read again.
            span = context.span
            end = span.end if part.fault is None else max(part.end, span.start)
            digest = part.digest or context.digest
            self.contexts.append(replace(context, span=Span(span.start, end, first), digest=digest))
            if self._remote is not None:
                self._log.held.take(len(part.bad) * ERROR_BYTES)
            summary = part if self._remote is None else part.moved(first)
            self.whole.unread += sorted(extent.index for extent, _ in summary.bad)
            self.whole.tables |= summary.tables
            summaries.append(summary)
            first += part.count
        return summaries

    def _extracted(self, undoing: UInt64s, irregular: UInt64s, special: UInt64s) -> Iterator[Extracted]:
        """What the parts have of some transactions."""
        wanted = undoing, irregular, special
        if not any(map(len, wanted)):
            return
        if self._remote is None:
            yield from (Extracted.of(part, *wanted) for _, part in self.parts())
            return
        run, open_ = self._remote
        last = self.contexts[-1]
        yield from run(run_task, [IndexTask(open_, one, one is last, wanted) for one in self.contexts])

    # -- transactions that are not whole in one part ------------------------------------------------

    def _undone_across(self, summaries: Sequence[PartSummary], irregular: UInt64s) -> UInt64s:
        """Find what parts undo in parts before them. Returns identifiers for which that contradicts itself."""
        tids = np.setdiff1d(_union(summary.undoing for summary in summaries), irregular)
        if not len(tids):
            return tids
        kinds: list[str] = []
        held = []
        for found in self._extracted(tids, _NO_TIDS, _NO_TIDS):
            held.append(found.columns.renumbered(len(kinds)))  # forms have other numbers in other processes
            kinds += found.kinds
        self._log.held.take(sum(len(columns.members) for columns in held) * RECORD_BYTES)
        part = self._reader.index(RecordColumns.joined(held), kinds)
        undone = part.columns.row_numbers[part.is_undone]
        first = [row_number(context.span.first_index or 0, 0) for context in self.contexts]
        bounds = [*np.searchsorted(undone, first).tolist(), len(undone)]
        for number, context in enumerate(self.contexts):
            context.undone = undone[bounds[number] : bounds[number + 1]]
        summary = part.summary()
        return np.union1d(summary.irregular, summary.undoing)

    def _read_irregular(
        self, summaries: Sequence[PartSummary], crossings: Crossings, irregular: UInt64s, special: UInt64s
    ) -> Irregular:
        """Read what arrays do not show."""
        log = self._log
        wanted: list[tuple[RecordExtent, bool]] = [(extent, False) for summary in summaries for extent in summary.apart]
        for found in self._extracted(_NO_TIDS, irregular, special):
            wanted += ((extent, False) for extent in _extents(found.irregular))
            wanted += ((extent, True) for extent in _extents(found.special))
        wanted.sort(key=lambda found: found[0].index)
        counted = frozenset(int(tid).to_bytes(6, "big") for tid in special.tolist())
        reader = TransactionReader(log.byte_order, log.code_page, log.held, counted)
        broken = frozenset().union(*(summary.broken for summary in summaries), crossings.broken)
        reader.begin_at(self.whole.beginning, broken)
        return read_irregular(reader, log.logs, log.buffer, wanted, self.whole.unread, log.gaps_before)

    def _count(
        self, summaries: Sequence[PartSummary], crossings: Crossings, irregular: UInt64s, rest: TransactionIndex
    ) -> None:
        """Add the numbers of messages that the parts have counted."""
        known = frozenset(irregular.tolist())
        counts: Counter[str] = Counter()
        for summary in summaries:
            counts += summary.counts
            counts[USED_AGAIN] += int((~np.isin(summary.reused, irregular)).sum())
            cut = summary.cut.take(self.whole.beginning.are_behind(summary.cut))
            is_counted = ~np.isin(cut.tid, irregular) & (cut.first_index >= self.whole.beginning.read_before)
            counts[BEGUN_BEFORE] += int((is_counted & (cut.changes > 0)).sum())
            counts[ENDED_ALONE] += int((is_counted & (cut.sizes == 0)).sum())
            for ids, columns in summary.column_ids.items():
                rest.column_ids.setdefault(table_ids(ids), set()).update(columns)
        counts[USED_AGAIN] += sum(tid not in known for tid in crossings.reused)
        counts[BEGUN_BEFORE] += sum(tid not in known for tid in crossings.begun_before())
        counts[ENDED_ALONE] += sum(tid not in known for tid in crossings.ended_alone)
        for text in {text for summary in summaries for text in summary.counts}:
            del rest.counts[text]  # of the records that were read once more
        rest.counts += counts

    def _place_extras(self, rest: Irregular, irregular: UInt64s) -> None:
        """Give each part the changes in it that were found record by record."""
        first = [context.span.first_index or 0 for context in self.contexts]
        bare: dict[tuple[int, int], Transaction] = {}
        for transaction, change in rest.changes():
            number = int(np.searchsorted(first, change.extent.index, side="right")) - 1
            # A part takes the facts about a transaction, and not its changes in other parts.
            own = bare.setdefault((number, id(transaction)), replace(transaction, changes=[]))
            self.contexts[number].extras.append((own, change))
        for context in self.contexts:
            context.irregular = irregular


def _extents(members: Members) -> Iterator[RecordExtent]:
    places = zip(members.index.tolist(), members.offset.tolist(), members.length.tolist(), strict=True)
    for number, offset, length in places:
        yield RecordExtent(number, ((offset, length),), None)


def _union(tids: Iterator[UInt64s]) -> UInt64s:
    return np.unique(np.concatenate([_NO_TIDS, *tids]))


def _irregular(summaries: Sequence[PartSummary], crossings: Crossings) -> UInt64s:
    """Identifiers of the transactions that are to be read record by record."""
    grown = {ids for summary in summaries for ids in summary.grown}
    outside = (tids for summary in summaries for ids, tids in summary.outside.items() if ids in grown)
    cut = np.array(crossings.undoing_before, np.uint64)
    return np.union1d(_union(summary.irregular for summary in summaries), np.union1d(_union(outside), cut))
