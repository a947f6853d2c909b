"""Records that state their own length in a field, with nothing between records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Literal

from lmparse.errors import DataError, OptionError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import WordForm, cut_short, no_record
from lmparse.framing.extents import RecordExtent
from lmparse.framing.rdw import WordFraming
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.storage.buffers import Buffer

_NUMBERS, _TEXTS = ("uint", "int"), ("char", "code", "decimaltext")
_LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}
_MOST_DIGITS = 18
_MOST = (1 << 63) - 1


@dataclass(frozen=True, eq=False)
class LengthField:
    """A field at a fixed place of each record that states a length: an integer, or digits as text."""

    spec: Spec
    field: Field
    offset: int
    byte_order: Literal["little", "big"]

    @property
    def width(self) -> int:
        """Bytes of the field."""
        return self.field.width or 0

    @property
    def end(self) -> int:
        """Offset behind the field."""
        return self.offset + self.width

    @property
    def is_scanned(self) -> bool:
        """Whether scans can read the field: an integer of a width that structs have."""
        return self.field.kind in _NUMBERS and self.width in _LETTERS

    def form(self, adjustment: int) -> WordForm:
        """The record up to its length field, in the form for scans."""
        letter = _LETTERS[self.width]
        letter = letter.lower() if self.field.kind == "int" else letter
        order = {"little": "<", "big": ">"}[self.byte_order]
        struct = Struct(f"{order}{self.offset}x{letter}0s")
        type_ = f"{order}{'i' if self.field.kind == 'int' else 'u'}{self.width}"
        return WordForm(struct, 0, adjustment, max(0, self.end - adjustment), _MOST, self.offset, type_)

    def read(self, buffer: Buffer, offset: int, end: int, index: int, adjustment: int) -> int:
        """Length of the record at `offset` in bytes. Raises as `Descriptor.read` does."""
        if end - offset < self.end:
            raise cut_short(buffer, offset, end, index, self.end, spec=self.spec.id)
        raw = buffer[offset + self.offset : offset + self.end]
        stated = self._number(raw)
        if stated is not None and stated >= 0 and stated + adjustment >= self.end:
            return stated + adjustment
        raise no_record(
            buffer, offset, end, index, spec=self.spec.id, field=self.field.id, field_offset=self.offset,
            expected=f"a length of at least {max(0, self.end - adjustment)}",
            found=f"X'{raw.hex().upper()}'" if stated is None else str(stated), doc_ref=self.field.doc_ref or None,
        )  # fmt: skip

    def _number(self, raw: bytes) -> int | None:
        if self.field.kind in _NUMBERS:
            return int.from_bytes(raw, self.byte_order, signed=self.field.kind == "int")
        for zero in (0xF0, 0x30):  # digits of EBCDIC or ASCII, because the code page may be unknown
            digits = raw.strip(b"\x40" if zero == 0xF0 else b" ")
            if digits and all(zero <= byte <= zero + 9 for byte in digits):
                return int(bytes(byte - zero + 0x30 for byte in digits))
        return None

    def cutter(self, adjustment: int) -> Cutter:
        """The cutter that reads the length record by record."""
        return lambda buffer, offset, end, index: self.read(buffer, offset, end, index, adjustment)


@cache
def length_field(spec: str, name: str) -> LengthField:
    """The field that an option names, looked up once. Raises OptionError LMP-S003 if the spec has no such field."""
    loaded = catalog.load(spec)
    layout = loaded.layout
    fitting = [field for field in layout if _fits(layout, field)]
    named = name.replace("-", "_").lower()
    field = next((field for field in fitting if field.id == named), None)
    if field is None:
        known = "known, but not a number at a fixed place" if named in layout.by_id else "not a field"
        hint = "one of " + ", ".join(field.id for field in fitting) if fitting else "the spec has no such field"
        raise OptionError(f"recordLengthField: {name} is {known} of {loaded.id}", code="LMP-S003", hint=hint)
    return LengthField(loaded, field, field.offset or 0, layout.byte_order(field))


@dataclass(frozen=True)
class Measured(WordFraming):
    """The framing `glued` for records whose length is an integer that scans can read."""

    length: LengthField
    adjustment: int = 0
    """Bytes to add to the length that the field states."""
    name = "glued"

    @property
    def form(self) -> WordForm:
        return self.length.form(self.adjustment)

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        offset = start
        while offset < end:
            size = self.length.read(buffer, offset, end, index, self.adjustment)
            if size > end - offset:
                raise cut_short(buffer, offset, end, index, size, spec=self.length.spec.id)
            yield RecordExtent(index, ((offset, size),), offset)
            offset += size
            index += 1


def _fits(layout: Layout, field: Field) -> bool:
    """Whether a field may state the length of its record."""
    is_fixed = field.offset is not None and field.width is not None and field.bits is None
    is_ordered = field.width == 1 or (field.endian or layout.endian) is not None or field.kind not in _NUMBERS
    is_plain = is_ordered and not (field.conditional or field.optional or field.repeated or field.is_instance)
    kinds = _NUMBERS if is_fixed and (field.width or 0) > _MOST_DIGITS else (*_NUMBERS, *_TEXTS)
    return is_fixed and is_plain and field.kind in kinds


Cutter = Callable[[Buffer, int, int, int], int]
"""From a buffer, the offset of a record, the end of the file and the number of the record: its length in bytes."""


@dataclass(frozen=True)
class Glued(Framing):
    """The framing `glued`."""

    cutter: Cutter
    name = "glued"

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        offset = start
        while offset < end:
            try:
                # The end of the file, not of the part: a cutter may look at bytes behind the record.
                length = self.cutter(buffer, offset, self.range_of(buffer)[1], index)
            except DataError as error:
                error.at(record_index=index, record_offset=offset)
                raise
            if length > end - offset:
                raise cut_short(buffer, offset, end, index, length)
            yield RecordExtent(index, ((offset, length),), offset)
            offset += length
            index += 1
