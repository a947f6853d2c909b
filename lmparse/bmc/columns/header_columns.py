"""Header columns: the headers of a logical log for many records at a time.

The fields of a header that XHDF describes are read at their places in XHDF, and converted to the layout of the spec.
The result is the same as that of `headers` for one record. Faulty values are only marked; `headers` makes their errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from lmparse.bmc.record.headers import Header, padding, widen
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.columns import Columns
from lmparse.columnar.cursors import Place, Records, Stream, UnfitError
from lmparse.columnar.objects import Convert, FieldBytes, Objects
from lmparse.columnar.reading import Reading
from lmparse.columnar.record_plan import Decoded, RecordPlan, some_of
from lmparse.errors import InvalidValueError
from lmparse.framing.windows import Window
from lmparse.spec.layout import Field
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage

_PACKED = 10
"""Bytes of an older timestamp, which has the first digits of a timestamp of today."""


class HeaderPlan(RecordPlan):
    """Reads the records under a header. A record that states another length of its header is irregular."""

    def __init__(self, header: Header, page: CodePage | None) -> None:
        super().__init__(header.spec, page)
        self._header = header
        self._fields: dict[str, _Source] = {}
        """By id, the places of the fields in a header that is not the spec's; without fields that the header lacks."""
        if header.is_table:
            return
        layout = self.spec.layout
        checked = [field.id for field in layout if field.id != LENGTH and (field.demands or field.minimum is not None)]
        names = [field.id for field in header.extra if field.id in self.types or field.id in schemas.OUTCOMES]
        if checked or names:
            why = "another column has that name" if names else "only the parser can check it in a described header"
            self.reason = self.reason or f"{[*names, *checked][0]}: {why}"
        self._layout = replace(layout, fields=(*layout, *header.extra))
        self._fields = {field.id: field for field in _sources(header) if field.id not in header.absent}
        self._fields |= {field.id: _Source(field.id, field.offset or 0, field.width or 0) for field in header.extra}
        self.types.update((field.id, schemas.arrow_type(self.spec.layouts, field)) for field in header.extra)

    @cached_property
    def fallible(self) -> list[str]:
        """See RecordPlan; also columns whose bytes may not fit into the width of the field."""
        return [*super().fallible, *(one.id for one in self._fields.values() if one.convert is not None)]

    def decode(
        self, window: Window, columns: Sequence[str], raw: Sequence[str] = (), *, is_full: bool = False
    ) -> Decoded:
        """See RecordPlan. The bytes of a field that the header lacks are zeros."""
        absent = [name for name in raw if name in self._header.absent]
        found = super().decode(window, columns, [name for name in raw if name not in absent], is_full=is_full)
        widths = {name: self.spec.layout[name].width or 0 for name in absent}
        found.raw.update((name, np.zeros((len(window), width), np.uint8)) for name, width in widths.items())
        return found

    def _read(self, window: Window, *, is_full: bool) -> Columns:
        if not self._header.is_described:
            return super()._read(window, is_full=is_full)
        width, length = self._header.width, self.spec.layout[LENGTH]
        need = max(width, length.end or 0)
        is_regular: Flags = (window.lengths >= need) & (window.starts + need <= len(window.data))
        starts = byte_arrays.stand_in(window.starts, is_regular)
        if starts is None:
            raise UnfitError("no record has the header")
        stated = byte_arrays.take_rows(window.data, starts + (length.offset or 0), length.width or 0)
        is_regular &= integers.decode_unsigned_array(stated, self.spec.layout.byte_order(length)) == width
        if not self._fields:
            made = super()._read(window, is_full=is_full)
        else:
            made = self._described(window, is_regular, is_full=is_full)
        made.records.bad |= ~is_regular
        return made

    def _described(self, window: Window, is_regular: Flags, *, is_full: bool) -> Columns:
        starts, lengths = window.starts, window.lengths
        sound = np.where(is_regular, np.arange(len(starts)), int(is_regular.argmax()))
        if not is_regular.any():
            raise UnfitError("no record has the header")
        starts, lengths = starts[sound], lengths[sound]
        start, records = Place(starts), Records(lengths)
        end = starts + lengths
        # Every byte of the header is in a field, and DATA is all behind the header.
        objects = Objects(self._layout, Stream(records, None, start, end, Place(end), window.data))
        for entry in self._layout:
            source = self._fields.get(entry.id)
            if source is not None:
                order = "le" if self._layout.byte_order(entry) == "little" else "be"
                one = FieldBytes(window.data, start.behind(source.offset), source.width, entry, self._layout, order)
                one.convert = source.convert
                objects.values[entry.id] = [(None, one)]
            elif entry.kind == "variable":
                behind = lengths - self._header.width
                rest = FieldBytes(window.data, start.behind(self._header.width), behind, entry, self._layout)
                objects.values[entry.id] = [(None, rest)]
        return Columns(self._plans, Reading(self.spec.layouts, window.data), objects, is_full=is_full)


LENGTH = "length"
"""The field with the length of the header. Each record states it at the place that the spec gives."""


@dataclass(frozen=True)
class _Source:
    """The place of a field in a described header."""

    id: str
    offset: int
    width: int
    convert: Convert | None = None
    """Converts the bytes to the width of the field in the spec; None if they have this width."""


def positions(header: Header, raw: Mapping[str, Bytes]) -> Bytes:
    """(n, width) positions of records in the log: LRSN in data sharing, else RBA; as `tables.position_of`."""
    lrsn = "log_rba" if "log_lrsn" in header.absent else "log_lrsn"
    in_group = np.asarray(raw["member_id"].any(1))
    return np.where(in_group[:, None], raw[lrsn], raw["log_rba"])


class HeaderTexts:
    """The fields of a header as the command line shows them, for many records at a time."""

    def __init__(self, header: Header, page: CodePage | None) -> None:
        self._plan = HeaderPlan(header, page)
        layout = header.spec.layout
        fields = [*layout, *header.extra]
        self._names = [field.id for field in fields if field.id != "data"]
        self._omitted = [field.id for field in layout if field.kind == "rest"]
        """Fields of bytes behind the known fields; not shown without such bytes."""

    def columns(self, window: Window, numbers: Int64s, names: Sequence[str]) -> list[pa.Array]:
        """Some fields of regular records, with all digits of times."""
        return self._plan.decode(some_of(window, numbers), names, is_full=True).arrays

    def objects(self, window: Window, numbers: Int64s) -> pa.Array:
        """All fields of regular records except DATA, as JSON objects."""
        found = self.columns(window, numbers, self._names)
        return json_texts.objects(dict(zip(self._names, found, strict=True)), len(numbers), self._omitted)


def _sources(header: Header) -> list[_Source]:
    """The places of the fields of the spec in a described header."""
    spec = header.spec.layout
    # Bytes that the table reserves need not be described.
    found = [_Source(one.id, 0, 0, partial(_padded, one.width, 0, 0)) for one in spec if one.width]
    found += [source(field.known, field.position, field.length) for field in header.fields if field.known is not None]
    # A record is read only if its LENGTH is that of the described header, however XHDF describes the LENGTH field.
    width = header.spec.layout[LENGTH].width or 0
    shown = min(header.width, 0xFFFF).to_bytes(width, "big")
    return [replace(one, convert=partial(_same, shown, one.convert)) if one.id == LENGTH else one for one in found]


def source(known: Field, offset: int, width: int) -> _Source:
    """The place of a field, and the function that converts its bytes to the width in the spec."""
    wanted = known.width or 0
    if width == wanted:
        return _Source(known.id, offset, width)
    if known.kind == "timestamp17" and width != _PACKED:
        return _Source(known.id, offset, width, partial(_by_value, known))
    front, fill = padding(known.kind, known.type, known.width, width)
    return _Source(known.id, offset, width, partial(_padded, wanted, front, fill[0]))


def _by_value(known: Field, raw: Bytes) -> tuple[Bytes, Flags]:
    """Convert each distinct value by itself. A value that cannot be converted becomes zeros and is marked."""
    values, which = np.unique(raw, axis=0, return_inverse=True)
    made, bad = np.zeros((len(values), known.width or 0), np.uint8), np.zeros(len(values), np.bool_)
    for number, value in enumerate(values):
        try:
            made[number] = np.frombuffer(widen(value.tobytes(), known), np.uint8)
        except InvalidValueError:
            bad[number] = True
    return made[which.reshape(-1)], bad[which.reshape(-1)]


def _same(value: bytes, convert: Convert | None, raw: Bytes) -> tuple[Bytes, Flags | None]:
    """One value for all records. Records whose own value is faulty stay marked."""
    return np.tile(np.frombuffer(value, np.uint8), (len(raw), 1)), None if convert is None else convert(raw)[1]


def _padded(width: int, front: int, fill: int, raw: Bytes) -> tuple[Bytes, Flags | None]:
    """Add or cut off fill bytes on both sides, see `headers.padding`. Values that would lose other bytes are marked."""
    made = np.full((len(raw), width), fill, np.uint8)
    cut = max(-front, 0)
    kept = raw[:, cut : width - front]
    made[:, max(front, 0) : max(front, 0) + kept.shape[1]] = kept
    if raw.shape[1] <= width:
        return made, None
    return made, (raw[:, :cut] != fill).any(1) | (raw[:, width - front :] != fill).any(1)
