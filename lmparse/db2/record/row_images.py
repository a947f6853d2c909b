"""Row images: places of before and after images in many log records of one form, and which records fit their form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.forms import Fields, Place, RecordForm
from lmparse.db2.record.record_table import NO_TABLE, table_number
from lmparse.db2.record.row_header import RecordHeader, header_by_types
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, UInt16s, UInt64s, take_rows

NO_TYPES = 0xFFFF
"""In place of the types in the headers of a row."""
_Rows = tuple[Int64s, Int64s]
"""Offsets and lengths of rows."""


@dataclass(frozen=True, eq=False)
class Images:
    """One row of each of some records. Offsets count in flat data; -1 if the record has no such image."""

    which: Int64s
    """Numbers of the records."""
    number: int
    """Number of the row in its record."""
    rid: UInt64s
    is_half: Flags
    before: Int64s
    before_length: Int64s
    after: Int64s
    after_length: Int64s


class RowImages:
    """Finds the rows in the records of one server."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._header = catalog.load("db2_row_header").layout
        self.moved = catalog.load("db2_dms").enum("iud_flag")["moved_row"]

    # -- what every record of a form has ------------------------------------------------------

    def ids(self, form: RecordForm, rows: Bytes) -> Int64s:
        """The table of each of n records as one number; `rows` are the fixed parts of the bodies."""
        if form.table is None:
            return np.full(len(rows), NO_TABLE)
        pool, object_ = (self._fields.numbers(rows, place).view(np.int64) for place in form.table)
        found: Int64s = table_number(pool, object_)
        return found

    def rids(self, form: RecordForm, rows: Bytes) -> UInt64s:
        """The row id of each of n records."""
        return self._fields.numbers(rows, _rid_place(form))

    # -- arithmetic ---------------------------------------------------------------------------

    def fitting(self, form: RecordForm, data: Bytes, rows: Bytes, starts: Int64s, lengths: Int64s) -> Flags:
        """Which records have the length that their form requires.

        `rows` are the fixed parts of the bodies. The bodies begin at `starts` in flat `data` and have `lengths` bytes.
        """
        least = form.layout.least_width
        fits: Flags = lengths == least
        if form.fit == "exact":
            return fits
        if form.fit == "least":
            return fits | (lengths > least)
        if form.fit == "counted":
            assert form.counting is not None
            fits = lengths == least + self._number(rows, form.counting)
            return fits
        if form.fit == "optional":
            return self._fits_optional(form, data, starts, lengths)
        if form.fit == "pair":
            return self._pairs(form, data, starts, lengths)[2]
        return self._fits_many(form, data, rows, starts, lengths)

    def _fits_optional(self, form: RecordForm, data: Bytes, starts: Int64s, lengths: Int64s) -> Flags:
        least, field = form.layout.least_width, form.layout[form.tail[0]]
        width = field.width or 0
        fits: Flags = lengths == least
        longer = np.flatnonzero(lengths >= least + width)
        stated = self._fields.numbers_at(data, starts[longer] + least, field).view(np.int64)
        fits[longer] = lengths[longer] == least + width + stated
        return fits

    def _number(self, rows: Bytes, field: Field, base: int = 0) -> Int64s:
        return self._fields.numbers(rows, (base + (field.offset or 0), field)).view(np.int64)

    # -- rows ---------------------------------------------------------------------------------

    def of(self, form: RecordForm, data: Bytes, rows: Bytes, starts: Int64s, lengths: Int64s) -> Iterator[Images]:
        """The images of records that fit their form; several if the records have several rows."""
        count = len(starts)
        every, none = np.arange(count), np.full(count, -1)
        flags = form.layout.by_id.get("iud_flags")
        is_half = np.zeros(count, np.bool_) if flags is None else self._number(rows, flags) & self.moved != 0
        if form.fit == "many":
            yield from self._many(form, data, rows, starts, is_half)
            return
        if form.fit == "pair":
            before, after, _ = self._pairs(form, data, starts, lengths)
            head = take_rows(data, starts, form.layout.least_width + form.inside("old_row").least_width)
            rid = self._fields.numbers(head, _rid_place(form))
            yield Images(every, 0, rid, is_half, *before, *after)
            return
        place = form.layout["record"].offset or 0
        image = starts + place, lengths - place
        nothing = none, np.zeros(count, np.int64)
        before, after = (image, nothing) if form.kind in record_kinds.DELETES else (nothing, image)
        yield Images(every, 0, self.rids(form, rows), is_half, *before, *after)

    def _pairs(self, form: RecordForm, data: Bytes, starts: Int64s, lengths: Int64s) -> tuple[_Rows, _Rows, Flags]:
        """The before and after images of updates, and which updates fit: lengths agree, and both headers do.

        A fixed part precedes each image. In front of the fixed part of the after image is a second header.
        """
        layout, part = form.layout, form.inside("old_row")
        header = form.inside("new_header")
        first = layout["old_row"].offset or 0
        before = starts + first + (part["record"].offset or 0)
        ends = starts + lengths
        before_length, fits = self._own_lengths(data, before, ends)
        second = before + before_length
        after = second + (header.width or 0) + (part["record"].offset or 0)
        fits &= after <= ends
        after_length, is_inside = self._own_lengths(data, np.where(fits, after, before), ends)
        fits &= is_inside & (after + after_length == ends)
        good = np.flatnonzero(fits)
        stated = part["record_length"]
        places = starts[good] + first, second[good] + (header.width or 0)
        fits[good] &= self._at(data, places[0], stated) == after_length[good]
        fits[good] &= self._at(data, places[1], stated) == before_length[good]
        for name in ("function_id", "tablespace_id", "table_id"):
            own = starts[good] + (layout["header"].offset or 0)
            fits[good] &= self._at(data, own, header[name]) == self._at(data, second[good], header[name])
        return (before, before_length), (after, after_length), fits

    def _at(self, data: Bytes, starts: Int64s, field: Field) -> Int64s:
        return self._fields.numbers_at(data, starts + (field.offset or 0), field).view(np.int64)

    def _own_lengths(self, data: Bytes, starts: Int64s, ends: Int64s) -> tuple[Int64s, Flags]:
        """The length of each row from its own header, and whether the row ends in its record."""
        field = self._header["record_length"]
        has = starts + (field.end or 0) <= ends
        lengths = np.zeros(len(starts), np.int64)
        lengths[has] = self._at(data, starts[has], field)
        return lengths, has & (starts + lengths <= ends)

    def types(self, data: Bytes, starts: Int64s, lengths: Int64s) -> UInt16s:
        """The types of outer and inner header of each row as `outer << 8 | inner`. NO_TYPES for offset -1, and for a
        header that cannot be read."""
        found = np.full(len(starts), NO_TYPES, np.uint16)
        good = np.flatnonzero((starts >= 0) & (lengths >= self._header.least_width))
        rows = take_rows(data, starts[good], self._header.least_width)
        outer, inner = (self._number(rows, self._header[name]) for name in ("record_type", "inner_record_type"))
        is_whole = self._number(rows, self._header["record_length"]) == lengths[good]
        found[good[is_whole]] = (outer << 8 | inner)[is_whole]
        return found

    def types_of(self, raw: bytes) -> int:
        """As `types`, for the bytes of one row."""
        start, length = np.zeros(1, np.int64), np.full(1, len(raw))
        return int(self.types(np.frombuffer(raw, np.uint8), start, length)[0])

    # -- records of several rows ------------------------------------------------------------------

    def _fits_many(self, form: RecordForm, data: Bytes, rows: Bytes, starts: Int64s, lengths: Int64s) -> Flags:
        counts = self._number(rows, form.layout["num_records"])
        ends, reached = starts + lengths, starts + (form.layout["records"].offset or 0)
        fits = np.ones(len(starts), np.bool_)
        for _, places, sizes, which in self._walk(form, data, counts, reached, ends, fits):
            reached[which] = places + sizes
        fits &= reached == ends
        return fits

    def _walk(
        self, form: RecordForm, data: Bytes, counts: Int64s, first: Int64s, ends: Int64s, fits: Flags
    ) -> Iterator[tuple[int, Int64s, Int64s, Int64s]]:
        """Row number; offsets, lengths and records of all rows with it. Clears `fits` of records that do not fit."""
        front = form.inside("records")["record"].offset or 0
        reached = first.copy()
        for number in range(int(counts.max(initial=0))):
            which = np.flatnonzero(fits & (counts > number))
            if not len(which):
                return
            places = reached[which] + front
            sizes, is_inside = self._own_lengths(data, places, ends[which])
            fits[which] &= is_inside
            which, places, sizes = which[is_inside], places[is_inside], sizes[is_inside]
            reached[which] = places + sizes
            yield number, places, sizes, which

    def _many(self, form: RecordForm, data: Bytes, rows: Bytes, starts: Int64s, is_half: Flags) -> Iterator[Images]:
        counts = self._number(rows, form.layout["num_records"])
        first = starts + (form.layout["records"].offset or 0)
        part = form.inside("records")
        fits = np.ones(len(starts), np.bool_)
        ends = np.full(len(starts), len(data))  # `_fits_many` has tested the records
        for number, places, sizes, which in self._walk(form, data, counts, first, ends, fits):
            back = (part["record"].offset or 0) - (part["rid"].offset or 0)
            rid = self._fields.numbers_at(data, places - back, part["rid"])
            none = np.full(len(which), -1)
            yield Images(which, number, rid, is_half[which], none, 0 * none, places,
                         sizes)  # fmt: skip


def with_header(types: UInt16s, byte_order: str, test: Callable[[RecordHeader], bool], *, otherwise: bool) -> Flags:
    """Which rows have headers that fulfil a test, from `RowImages.types`; `otherwise` for NO_TYPES."""
    known = np.full(NO_TYPES + 1, otherwise)
    for one in np.flatnonzero(np.bincount(types, minlength=len(known))[:NO_TYPES]).tolist():
        known[one] = test(header_by_types(one >> 8, one & 0xFF, byte_order))
    found: Flags = known[types]
    return found


def _rid_place(form: RecordForm) -> Place:
    """The place of the row id in the body; of updates the row id of the before image."""
    layout: Layout = form.layout
    if "old_row" in layout.by_id:
        field = form.inside("old_row")["rid"]
        return (layout["old_row"].offset or 0) + (field.offset or 0), field
    return layout["rid"].offset or 0, layout["rid"]
