"""Unit columns: the units of recovery of a Log Master log, summed up for many records at a time.

Each window of headers gives one row for each unit in it, and one for each unit, table, operation and outcome, which are
merged (`unit_rows`). Segments, spanned records and records with a bad header are read one by one. Texts of a unit
(user, plan, time) are read from its first record, when its summary is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from lmparse.bmc import order
from lmparse.bmc.change_headers import ChangeHeaders, HeaderRows, each
from lmparse.bmc.commit_columns import are_spanned, bytes_in_order
from lmparse.bmc.header_columns import HeaderTexts
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.segments import JoinedChange, Segment
from lmparse.bmc.tables import position_of
from lmparse.bmc.unit_rows import (
    COUNTS,
    KEY_WIDTH,
    POSITION_WIDTH,
    UNITS,
    MergedRows,
    Rows,
    merged_counts,
    merged_units,
)  # fmt: skip
from lmparse.bmc.unit_summaries import (
    FACTS,
    NamedTable,
    Outcome,
    UnitPlace,
    bare_summary,
    named_table,
    note_unlisted,
    reasons,
)
from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import NO_OPERATION, TableLabels, TransactionSummary
from lmparse.errors import FileLimitError, FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS, Window
from lmparse.limits import Held
from lmparse.records.reader import Values
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, Ints
from lmparse.values.distinct import Distinct

_OPS = ("", *sorted(set(order.OPERATIONS.values())))
_TEXT_BYTES = 600
"""Bytes of memory of the texts of one unit."""
Texts = tuple[str | None, ...]
_STATE_FIELDS = ("uor_disp", "log_rec_disp", "sql_type", "incomplete_trans")


class _Texts:
    """The texts of the first records of units."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._extracts: list[tuple[int, int, LogicalLog, HeaderTexts]] = []
        """Numbers of records and bytes of the whole log in front of each extract."""
        self._kept: dict[bytes, tuple[int, Texts]] = {}
        """Number and texts of the first record of a unit that was read by itself, by the key of the unit."""

    def begin(self, log: LogicalLog) -> None:
        """Go on with another extract."""
        start = log.extract.placed(RecordExtent(0, ((0, 0),), None))
        self._extracts.append((start.index, start.offset, log, HeaderTexts(log.header, log.code_page)))

    def keep(self, key: bytes, index: int, values: Values) -> None:
        """Keep the texts of a record that is read by itself, if it is the first one of these in its unit."""
        known = self._kept.get(key)
        if known is None:
            self._held.take(_TEXT_BYTES)
        if known is None or index < known[0]:
            self._kept[key] = index, tuple(values[name] for name in FACTS)

    def of(self, units: Rows) -> list[Texts]:
        """The texts of some units, of FACTS."""
        found: list[Texts | None] = []
        for key, index in zip(units["key"].tolist(), units["first_index"].tolist(), strict=True):
            kept = self._kept.get(_whole(key, KEY_WIDTH))
            found.append(kept[1] if kept is not None and kept[0] == index else None)
        rest = np.array([place for place, texts in enumerate(found) if texts is None], np.int64)
        starts = np.array([first for first, *_ in self._extracts])
        which = np.searchsorted(starts, units["first_index"][rest], side="right") - 1
        for number in np.unique(which).tolist():
            places = rest[which == number]
            for place, texts in zip(places.tolist(), self._read(number, units[places]), strict=True):
                found[place] = texts
        return [texts for texts in found if texts is not None]

    def _read(self, number: int, units: Rows) -> list[Texts]:
        """The texts of the first records of some units, all of which are in one extract."""
        _, start, log, texts = self._extracts[number]
        offsets, lengths = units["first_offset"] - start, units["first_length"].copy()
        data = bytes_in_order(log.buffer, offsets, lengths)
        window = log.extract.window(Window(0, data, np.cumsum(lengths) - lengths, lengths, offsets))
        columns = texts.columns(window, np.arange(len(units)), FACTS)
        return list(zip(*(column.to_pylist() for column in columns), strict=True))


class UnitColumns:
    """Sums up the units of one log."""

    def __init__(self, log: ChangeLog, extracts: Iterable[LogicalLog]) -> None:
        """`extracts` are those that the log consists of, in their order."""
        self._log, self._extracts = log, extracts
        self._held = Held(log.options.bounds)
        self._units = MergedRows(UNITS, merged_units, self._held)
        self._counts = MergedRows(COUNTS, merged_counts, self._held)
        self._texts = _Texts(self._held)
        self._tables: dict[NamedTable, int] = {}
        self._unlisted = 0

    def summaries(self) -> Iterator[TransactionSummary]:
        """As `unit_summaries.by_record` gives them."""
        damage: FramingError | None = None
        try:
            for one in self._extracts:
                if one.control is not None:
                    one.check_changes()
                if not len(one.buffer):
                    next(one.extents(), None)  # adds the notice of an empty file
                self._texts.begin(one)
                _Extract(self, one).take()
        except FileLimitError:
            raise
        except FramingError as error:
            damage = error
        note_unlisted(self._log, self._unlisted)
        yield from self._in_order()
        if damage is not None:
            raise damage

    # -- what extracts add ------------------------------------------------------------------------

    def add(self, units: Rows) -> None:
        """Add what records say of their units."""
        self._units.add(units)

    def count(self, keys: Ints, tables: Int64s, ops: Int64s, effects: npt.NDArray[np.str_]) -> None:
        """Count changes by unit, table, operation and outcome."""
        self._unlisted += int((effects == order.UNLISTED).sum())
        is_counted = effects != order.UNDO
        counts = np.zeros(int(is_counted.sum()), COUNTS)
        what = 2 * (tables * len(_OPS) + ops) + (effects == order.TAKEN_BACK)
        counts["key"], counts["what"], counts["number"] = keys[is_counted], what[is_counted], 1
        self._counts.add(counts)

    def table_number(self, table: NamedTable) -> int:
        """The number of a table."""
        return self._tables.setdefault(table, len(self._tables))

    def keep(self, key: bytes, index: int, values: Values) -> None:
        """Keep the texts of a record that is read by itself."""
        self._texts.keep(key, index, values)

    # -- summaries --------------------------------------------------------------------------------

    def _in_order(self) -> Iterator[TransactionSummary]:
        units, counts = self._units.rows(), self._counts.rows()
        labels = TableLabels()
        for table in self._tables:
            labels.add(*table)
        names = [labels.label(*table) for table in self._tables]
        ordered = np.lexsort((units["first_index"], units["commit"]))
        begin = 0
        while begin < len(ordered):
            chosen = units[ordered[begin : begin + MAX_RECORDS]]
            fitting = int(np.searchsorted(np.cumsum(chosen["first_length"]), MAX_BYTES, side="right"))
            chosen = chosen[: max(fitting, 1)]
            bounds = (np.searchsorted(counts["key"], chosen["key"], side=side).tolist() for side in ("left", "right"))
            for unit, texts, low, high in zip(chosen, self._texts.of(chosen), *bounds, strict=True):
                yield _summary(unit, texts, counts[low:high], names)
            begin += len(chosen)


class _Extract:
    """Adds the units of one extract to those of its log, by one pass over the headers."""

    def __init__(self, units: UnitColumns, log: LogicalLog) -> None:
        self._all, self._log = units, log
        self._headers = ChangeHeaders(log, None, (), has_columns=False, also=_STATE_FIELDS[-1:])
        self._joiner = log.extract.joiner(log.options.bounds)
        self._known: list[int] = []
        """Number of the table of each known table of the headers."""
        self._outcomes: list[Outcome] = []
        self._distinct = Distinct(sum(log.spec.layout[name].width or 0 for name in _STATE_FIELDS))

    def take(self) -> None:
        """Add all of them. Raises FramingError where the file is damaged, FileLimitError."""
        log, runs = self._log, self._log.position_runs()
        with log.joining(self._joiner):
            for window in log.windows(Span(0, len(log.buffer), 0)):
                runs.look_for_first(window)
                self._take(window)

    def _take(self, window: Window) -> None:
        found, is_other = self._headers.decode(window, np.zeros(len(window), np.int64), frozenset())
        is_spanned = are_spanned(window)[found.numbers]
        is_other[found.numbers[is_spanned]] = True
        found = found.part(~is_spanned)
        for number in np.flatnonzero(is_other).tolist():
            self._take_one(window.extent(number))
        if len(found.numbers):
            self._take_many(found)

    def _take_many(self, found: HeaderRows) -> None:
        states, is_broken, effects = self._outcomes_of(found)
        numbers, lengths = found.numbers, found.window.lengths[found.numbers]
        index, offsets = (part[numbers] for part in self._log.extract.placed_window(found.window))
        positions = _texts(self._headers.positions(found, np.arange(len(numbers))))
        rows = np.zeros(len(numbers), UNITS)
        rows["key"] = _texts(found.raw("member_id", "uor_id"))
        rows["first_index"] = rows["last_index"] = index
        rows["first_offset"] = rows["last_offset"] = offsets
        rows["first_length"] = rows["bytes"] = lengths
        rows["first_position"] = rows["last_position"] = positions
        rows["commit"] = _texts(self._headers.commit_positions(found))
        rows["state"], rows["states"], rows["is_broken"] = states, 1 << states, is_broken
        rows["records"] = 1
        self._all.add(rows)
        self._all.count(rows["key"], self._tables_of(found), self._ops_of(found), effects)

    def _outcomes_of(self, found: HeaderRows) -> tuple[Int64s, Flags, npt.NDArray[np.str_]]:
        """Number of the outcome of the unit, whether it could not be completed, and effect, of each record."""
        which = self._distinct.of(found.raw(*_STATE_FIELDS))
        for number in range(len(self._outcomes), len(self._distinct)):
            extent = found.window.extent(int(found.numbers[int((which == number).argmax())]))
            self._outcomes.append(Outcome.of(self._log.read_bytes(extent.read(self._log.buffer)).values))
        states, is_broken, effects = (np.array(part)[which] for part in zip(*self._outcomes, strict=True))
        return states, is_broken, effects

    def _tables_of(self, found: HeaderRows) -> Int64s:
        """Number of the table of each record."""
        for number in range(len(self._known), len(self._headers.known)):
            places = np.flatnonzero(found.known == number)
            if not len(places):  # all of its records here are read one by one
                self._known.append(-1)
                continue
            extent = found.window.extent(int(found.numbers[places[0]]))
            values = self._log.read_bytes(extent.read(self._log.buffer)).values
            self._known.append(self._all.table_number(named_table(self._log, values)))
        return each(self._known, found.known)

    def _ops_of(self, found: HeaderRows) -> Int64s:
        return each([_OPS.index(op) for op in self._headers.operations], found.operations)

    def _take_one(self, extent: RecordExtent) -> None:
        log, record = self._log, self._log.read_extent(extent)
        joined = None if record is None else log.joined(self._joiner, Segment(extent, record))
        if joined is not None:
            self._take_joined(joined)

    def _take_joined(self, joined: JoinedChange) -> None:
        values, outcome = joined.values, Outcome.of(joined.values)
        extents = sorted(map(self._log.extract.placed, joined.extents), key=lambda extent: extent.index)
        first, last, size = extents[0], extents[-1], sum(extent.length for extent in extents)
        position = position_of(values)
        key = bytes.fromhex(order.txn_id(values))
        self._all.keep(key, first.index, values)
        row = (
            key, first.index, first.offset, 0, position, bytes.fromhex(order.commit_position(values)), outcome.state,
            last.index, last.offset, position, len(extents), size, 1 << outcome.state, outcome.is_broken,
        )  # fmt: skip
        self._all.add(np.array([row], UNITS))
        table = np.array([self._all.table_number(named_table(self._log, values))])
        op = np.array([_OPS.index(order.OPERATIONS.get(values["change_type"]) or "")])
        self._all.count(np.array([key], UNITS["key"]), table, op, np.array([outcome.effect]))


def _summary(unit: np.void, texts: Texts, counts: Rows, names: list[str]) -> TransactionSummary:
    states = {number for number in range(len(order.DISPOSITIONS)) if int(unit["states"]) >> number & 1}
    outcome = reasons(states, is_broken=bool(unit["is_broken"]))
    first, last = (
        UnitPlace(
            int(unit[f"{name}_index"]), int(unit[f"{name}_offset"]), _whole(unit[f"{name}_position"], POSITION_WIDTH)
        )
        for name in ("first", "last")
    )  # fmt: skip
    txn_id = _whole(unit["key"], KEY_WIDTH).hex().upper()
    found = bare_summary(txn_id, order.DISPOSITIONS[int(unit["state"])], outcome, texts, first, last)
    found.records, found.bytes = int(unit["records"]), int(unit["bytes"])
    for what, number in zip(counts["what"].tolist(), counts["number"].tolist(), strict=True):
        table, op = divmod(what >> 1, len(_OPS))
        found.count(names[table], _OPS[op] or NO_OPERATION, number, is_undone=bool(what & 1))
    return found


def _whole(raw: bytes, width: int) -> bytes:
    """Bytes with the zeros at their end, which NumPy leaves out."""
    return raw.ljust(width, b"\x00")


def _texts(raw: Bytes) -> Ints:
    """(n, width) bytes as n fixed-width texts."""
    found: Ints = np.ascontiguousarray(raw).view(f"S{raw.shape[1]}")[:, 0]
    return found
