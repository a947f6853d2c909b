"""Column-wise reading of Log Master changes: headers, row images and the columns that follow from both.

Irregular records are read one by one: segments, records without row images, and bad records.

In the order of commits, one pass over the headers keeps the sort key and the place of each wanted change in arrays.
Then the records are gathered in that order, some thousand at a time, and read like records of a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from lmparse.bmc.columns.change_headers import HEADER_COLUMNS, TIMES, ChangeHeaders, HeaderRows, KnownTable, each
from lmparse.bmc.columns.header_columns import HeaderPlan, HeaderTexts
from lmparse.bmc.columns.row_plan import ImagePlan
from lmparse.bmc.control.tables import TableVersion
from lmparse.bmc.log import order
from lmparse.bmc.log import seq as log_seq
from lmparse.bmc.log.log import LogicalLog
from lmparse.changes.change import KEPT_APART, ROLES, Change
from lmparse.changes.column_reader import ChangeGroup, ColumnReader, LeftOut, RowExtents, text_refusal
from lmparse.changes.rows import VersionBatch
from lmparse.columnar import arrays, schemas
from lmparse.columnar.filters import Filter
from lmparse.columnar.row_plan import DecodedRows
from lmparse.columnar.rows import Origin
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS, Gathered, Window
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_MOST_ABSENT = 62
"""Most values of a row that are kept elsewhere and can still be reported column-wise."""


def refusal(log: LogicalLog, schema: pa.Schema | None = None) -> str:
    """Why the changes of a log cannot be read column-wise in a schema; empty if they can."""
    return text_refusal(schema) or HeaderPlan(log.header, log.code_page).reason


@dataclass(frozen=True, kw_only=True)
class _Group(ChangeGroup):
    """Regular records of one table version."""

    records: HeaderRows


class ChangeColumns(ColumnReader[LogicalLog, Window, _Group]):
    """Reads the changes of one log column-wise.

    The row images of changes that a filter excludes by their headers are not read. Changes that are read one by one are
    returned whether they match the filters or not.
    """

    def __init__(self, log: LogicalLog, schema: pa.Schema | None = None, filters: Sequence[Filter] = ()) -> None:
        super().__init__(log, schema)
        self._origin = Origin(log)
        self._headers = ChangeHeaders(log, schema, filters)
        self._header_texts = HeaderTexts(log.header, log.code_page)
        self._plans: dict[int, ImagePlan] = {}
        self._joiner = log.joiner(only_wanted=True)
        self._ordinals: Int64s = np.zeros(0, np.int64)
        """For each record of the window, the number of its change among the changes with the same position."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        log = self.log
        log.check_changes()
        log.keeps_bad_records = log.options.mode == "permissive"
        runs, self._joiner = log.position_runs(), log.joiner(span, only_wanted=True)
        for window in log.windows(span, log.rows_together):
            self._ordinals = runs.numbers(window)
            yield from self._read_window(window)

    def _change(self, window: Window, number: int) -> Change | None:
        joined = self.log.next_change(self._joiner, window.extent(number), int(self._ordinals[number]))
        return None if joined is None else self.log.change_of(joined)

    # -- which records ------------------------------------------------------------------------

    def _select(self, window: Window) -> tuple[Iterable[_Group], list[int]]:
        found, is_other = self._headers.decode(window, self._ordinals)
        found = self._headers.select(found, self._left_out)
        headers = self._headers
        counts = each([len(ROLES.get(op, ())) for op in headers.operations], found.operations)
        starts, lengths = (part[found.numbers] for part in found.decoded.rest["data"])
        data = _Data(window.data, starts, lengths, self.log.interpretation.data.reading)
        images = np.stack([*data.image(counts > 0), *data.image(counts > 1)])
        can_be_read = each([self._can_read(entry) for entry in headers.known], found.known)
        is_regular = data.are_filled & (counts > 0) & can_be_read
        is_other[found.numbers[~is_regular]] = True
        groups = []
        regular = np.flatnonzero(is_regular)
        for number, places in byte_arrays.places_by_value(found.known[regular]):
            which = regular[places]
            groups.append(self._group(headers.known[number], found.part(which), images.take(which, axis=1)))
        return groups, np.flatnonzero(is_other).tolist()

    def _group(self, known: KnownTable, records: HeaderRows, images: Int64s) -> _Group:
        """The group of some records of one version. `images` has offsets and lengths of first and second images."""
        assert known.version is not None
        rows: dict[str, RowExtents] = {}
        for role in ("before", "after"):
            is_first, is_second = (
                each([ROLES.get(op, ())[at : at + 1] == (role,) for op in self._headers.operations], records.operations)
                for at in (0, 1)
            )
            places = np.flatnonzero(is_first | is_second)
            starts, lengths = np.where(is_second, images[2:], images[:2]).take(places, axis=1)
            rows[role] = RowExtents(places, starts, lengths)
        return _Group(
            version=known.version,
            names=known.names,
            plan=self._plan_of(known.version),
            data=records.window.data,
            numbers=records.numbers,
            rows=rows,
            records=records,
        )

    def _can_read(self, known: KnownTable) -> bool:
        if known.version is None:
            return False
        absent = sum(column.form == "absent" for column in known.version.columns)
        return 2 * absent <= _MOST_ABSENT and self._suits(known.version, self._plan_of(known.version))

    def _plan_of(self, version: TableVersion) -> ImagePlan:
        key = id(version)
        if key not in self._plans:
            interpretation = self.log.interpretation
            plan = ImagePlan(version, interpretation.image, self.log.image_options, interpretation.image_candidates[1:])
            self._plans[key] = plan.in_full() if self._has_texts(version) else plan
        return self._plans[key]

    # -- columns ------------------------------------------------------------------------------

    def _column(self, entry: pa.Field, group: _Group, decoded: Mapping[str, DecodedRows]) -> pa.Array | None:
        records = group.records
        if entry.name == "header":
            return self._header_texts.objects(records.window, records.numbers)
        time = TIMES.get(entry.name)
        if time is not None and pa.types.is_string(entry.type):
            return self._header_texts.columns(records.window, records.numbers, [time])[0]
        if entry.name in HEADER_COLUMNS:
            return self._headers.column(entry.name, group.records)
        if entry.name in schemas.OUTCOMES:
            return self._origin.column(entry, group.records.window, group.numbers)
        return _details(group, decoded) if entry.name == "detail" else None


class _Data:
    """Splits the DATA areas of n records from the front, as `change_record.DataReader` splits one."""

    def __init__(self, data: Bytes, starts: Int64s, lengths: Int64s, reading: str) -> None:
        layouts = catalog.load("bmc_lldf_data").layouts
        self._width = layouts["bmc_lldf_data.image"]["length"].width or 0
        self._data, self._reading = data, reading
        self._places, self._ends = starts, starts + lengths
        self._is_sound = np.ones(len(starts), np.bool_)
        if reading == "total":
            self._is_sound &= self._halfword(self._is_sound) == lengths

    def image(self, has: Flags) -> tuple[Int64s, Int64s]:
        """Offset and length of the next image of each record; length zero for records without one."""
        lengths = self._halfword(has)
        if self._reading == "inclusive":
            lengths = lengths - self._width
        self._is_sound &= ~has | (lengths >= 0)
        lengths = np.where(has & self._is_sound, lengths, 0)
        starts = self._places
        self._places = starts + lengths
        self._is_sound &= self._places <= self._ends
        return starts, lengths

    @property
    def are_filled(self) -> Flags:
        """Which records are sound and have no bytes left."""
        filled: Flags = self._is_sound & (self._places == self._ends)
        return filled

    def _halfword(self, has: Flags) -> Int64s:
        fits = self._places + self._width <= self._ends
        self._is_sound &= fits | ~has
        raw = byte_arrays.take_rows(self._data, np.where(fits, self._places, 0), self._width)
        self._places = np.where(has & fits, self._places + self._width, self._places)
        return integers.decode_unsigned_array(raw).astype(np.int64)


def _details(group: _Group, decoded: Mapping[str, DecodedRows]) -> pa.Array:
    """JSON texts on absent values; each different text is made once."""
    absent, reasons = np.zeros(len(group.numbers), np.int64), list[str]()
    for role, rows in decoded.items():
        for name, has in rows.absent.items():
            absent[group.rows[role].places] |= has.astype(np.int64) << len(reasons)
            reasons.append(f"{role}.{name}")
    if not absent.any():
        return pa.nulls(len(absent), schemas.TEXT)
    sets, which = np.unique(absent, return_inverse=True)
    texts: list[str | None] = []
    for flags in sets.tolist():
        found = {reason: KEPT_APART for number, reason in enumerate(reasons) if flags >> number & 1}
        texts.append(json.dumps({"absent": found}, ensure_ascii=False) if found else None)
    return pa.array(texts, schemas.TEXT).take(pa.array(which))


_KEY_BYTES = 160
"""Bytes of memory of the key and the place of a change, and of sorting them."""
_NOT_KEPT = -1
_NEAR = 1 << 13
"""Most bytes between two records that are read along, since the records of a window may be all over the file."""
Kept = tuple[int, list[RecordExtent]]
"""Number of a change among the changes with its position, and its extents."""


@dataclass(frozen=True, slots=True)
class CommitWindow(Window):
    """Changes that follow one another in the order of commits; changes in `kept` have no bytes here."""

    indexes: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of each record in the file."""
    ordinals: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    kept: tuple[Kept | None, ...] = ()

    def extent(self, number: int) -> RecordExtent:
        """The extent of a record that is not kept."""
        return RecordExtent(int(self.indexes[number]), ((int(self.offsets[number]), int(self.lengths[number])),), None)

    def numbers_in_file(self, which: Int64s | None = None) -> Int64s:
        """The numbers of all records in the file, or of some of them."""
        return self.indexes if which is None else self.indexes[which]

    def change(self, number: int) -> Kept:
        """Ordinal and extents of a change."""
        return self.kept[number] or (int(self.ordinals[number]), [self.extent(number)])


class CommitColumns(ChangeColumns):
    """Reads the changes of one log column-wise, in the order of commits."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        log = self.log
        log.check_changes()
        log.keeps_bad_records = log.options.mode == "permissive"
        places = _Places(log)
        places.find(span or Span(0, len(log.buffer), 0))
        yield self._fallback_batches(self._fallback_rows(0, None))
        for window in places.windows():
            self._ordinals = window.ordinals
            yield from self._read_window(window)
        yield self._fallback_batches(self._fallback_rows(0, None))

    def _change(self, window: Window, number: int) -> Change | None:
        assert isinstance(window, CommitWindow)
        return self.log.change_of(self.log.joined_again(*window.change(number)))


class _Places:
    """Sort keys and places of the wanted changes of a log."""

    def __init__(self, log: LogicalLog) -> None:
        self._log = log
        self._headers = ChangeHeaders(log, None, (), has_columns=False)
        self._held, self._joiner = Held(log.options.bounds), log.joiner(only_wanted=True)
        self._keys: list[Bytes] = []
        """(n, width) bytes that sort as the changes do; they end with the number of the record."""
        self._places: list[Int64s] = []
        """(n, 5), for each key: offset, length, ordinal, number in `_kept` or _NOT_KEPT, bytes of its records."""
        self._kept: list[Kept] = []

    def find(self, span: Span) -> None:
        """Take one pass over the headers. Reports bad records. Raises FileLimitError LMP-L004, FramingError."""
        log, runs = self._log, self._log.position_runs()
        self._joiner = log.joiner(span, only_wanted=True)
        for window in log.windows(span):
            self._take(window, runs.numbers(window))

    def _take(self, window: Window, ordinals: Int64s) -> None:
        """Take the wanted changes of a window. Of the excluded changes, those in front of an error are counted."""
        found, is_other = self._headers.decode(window, ordinals)
        is_spanned = are_spanned(window)[found.numbers]
        is_other[found.numbers[is_spanned]] = True
        left_out: list[LeftOut] = []
        found = self._headers.select(found.part(~is_spanned), left_out)
        reached = 0
        try:
            for number in np.flatnonzero(is_other).tolist():
                reached = number
                self._take_one(window.extent(number), int(ordinals[number]))
            reached = len(window)
            self._add_regular(found)
        finally:
            for why, numbers in left_out:
                if count := int(np.searchsorted(numbers, reached)):
                    self._log.left_out[why] += count

    def _add_regular(self, found: HeaderRows) -> None:
        count, window = len(found.numbers), found.window
        if not count:
            return
        last = window.extent(int(found.numbers[-1]))
        self._hold(_KEY_BYTES * count, last)
        indexes = (window.first_index + found.numbers).astype(">u8").view(np.uint8).reshape(count, -1)
        self._keys.append(np.concatenate([self._headers.sort_keys(found), indexes], axis=1))
        offsets, lengths = window.offsets[found.numbers], window.lengths[found.numbers]
        self._places.append(np.stack([offsets, lengths, found.ordinals, np.full(count, _NOT_KEPT), lengths], axis=1))

    def _take_one(self, extent: RecordExtent, ordinal: int) -> None:
        log = self._log
        joined = log.next_change(self._joiner, extent, ordinal)
        if joined is None or not log.is_wanted(joined):
            return
        last = joined.extent
        self._hold(_KEY_BYTES + order.EXTENT_BYTES * len(joined.extents), last)
        key = bytes.fromhex(log_seq.seq(joined.values, joined.ordinal)) + last.index.to_bytes(8, "big")
        self._keys.append(np.frombuffer(key, np.uint8)[None])
        size = sum(extent.length for extent in joined.extents)
        self._places.append(np.array([[last.offset, 0, joined.ordinal, len(self._kept), size]]))
        self._kept.append((joined.ordinal, joined.extents))

    def _hold(self, size: int, last: RecordExtent) -> None:
        self._held.take(size, file=self._log.path, record_index=last.index, record_offset=last.offset)

    def windows(self) -> Iterator[CommitWindow]:
        """The changes in order, some thousand at a time."""
        if not self._keys:
            return
        keys = np.concatenate(self._keys)
        self._keys.clear()
        places = np.concatenate(self._places)
        self._places.clear()
        sorting = np.argsort(keys.view(f"S{keys.shape[1]}")[:, 0], kind="stable")
        indexes = keys[:, -8:].copy().view(">u8")[:, 0].astype(np.int64)
        del keys
        begin = 0
        while begin < len(sorting):
            chosen = sorting[begin : begin + MAX_RECORDS]
            fitting = int(np.searchsorted(np.cumsum(places[chosen, -1]), MAX_BYTES, side="right"))
            chosen = chosen[: max(fitting, 1)]
            yield self._window(indexes[chosen], places[chosen])
            begin += len(chosen)

    def _window(self, indexes: Int64s, places: Int64s) -> CommitWindow:
        offsets, lengths, ordinals, numbers, _ = places.T
        kept = tuple(None if number == _NOT_KEPT else self._kept[number] for number in numbers.tolist())
        data = bytes_in_order(self._log.buffer, offsets, lengths)
        starts = np.cumsum(lengths) - lengths
        window = CommitWindow(0, data, starts, lengths, offsets, indexes=indexes, ordinals=ordinals, kept=kept)
        return self._log.extract.window(window)


def bytes_in_order(buffer: Buffer, offsets: Int64s, lengths: Int64s) -> Bytes:
    """The bytes of pieces of a file, in the order of the pieces."""
    gathered = Gathered(buffer, offsets, lengths, _NEAR)
    order = np.argsort(offsets, kind="stable")
    held = arrays.ragged_binary(gathered.data, gathered.places(offsets)[order], lengths[order])
    if (np.diff(order) != 1).any():
        held = held.take(pa.array(np.argsort(order)))
    data = held.buffers()[2]
    return np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)


def are_spanned(window: Window) -> Flags:
    """Which records have bytes between their pieces."""
    gaps = window.gap_starts
    if not len(gaps):
        return np.zeros(len(window), np.bool_)
    place = np.searchsorted(gaps, window.offsets)
    following = gaps[np.minimum(place, len(gaps) - 1)]
    found: Flags = (place < len(gaps)) & (following < window.offsets + window.lengths)
    return found
