"""Framings without descriptor words: records with nothing between them, a file that is one record, the items of a list.

Records with nothing between them are all of one length, have their length in a field, or are ended by a parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from struct import Struct
from typing import Any, Literal

from lmparse.errors import DataError, FramingError, LeftoverError, OptionError, TruncatedError
from lmparse.framing.base import Framing, Runs
from lmparse.framing.descriptors import LETTERS, LONGEST, WordForm, cut_short, excerpt, no_record
from lmparse.framing.extents import Handover, RecordExtent
from lmparse.framing.words import WordFraming
from lmparse.limits import Limits
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.storage.buffers import Buffer

_NUMBERS, _TEXTS = ("uint", "int"), ("char", "code", "decimaltext")
_MOST_DIGITS = 18
EndOf = Callable[[bytes], int]
"""From bytes that begin with a record, where it ends in them. Raises DataError if they do not."""
_FIRST, _FACTOR = 1 << 12, 8
"""Bytes that are given to the parser at first, and how many times as many if they were too few."""


@dataclass(frozen=True)
class Fixed(Framing):
    """The framing `fixed`."""

    record_length: int
    """Bytes of every record."""
    name = "fixed"

    @property
    def longest(self) -> int:
        return self.record_length  # which the user named, not the file

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        length = self.record_length
        for number, offset in enumerate(range(start, end, length), index):
            if length > end - offset:
                raise cut_short(buffer, offset, end, number, length)
            yield RecordExtent(number, ((offset, length),), offset)

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        import numpy as np

        from lmparse.framing.windows import MAX_RECORDS, ExtentRun

        length = self.record_length
        while end - start >= length:
            count = min((end - start) // length, MAX_RECORDS)
            offsets = np.arange(count, dtype=np.int64) * length + start
            yield ExtentRun(offsets, np.full(count, length, np.int64), offsets + length)
            start += count * length
            index += count
        return Handover(start, index)


# -- a length in the record ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LengthField:
    """A field at a fixed place of each record: a whole number, or digits as text."""

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
        """Whether scans can read it: it is a number of a width that structs have."""
        return self.field.kind in _NUMBERS and self.width in LETTERS

    def form(self, adjustment: int) -> WordForm:
        """Record up to the length in the form that scans read."""
        letter = LETTERS[self.width]
        letter = letter.lower() if self.field.kind == "int" else letter
        order = {"little": "<", "big": ">"}[self.byte_order]
        struct = Struct(f"{order}{self.offset}x{letter}0s")
        type_ = f"{order}{'i' if self.field.kind == 'int' else 'u'}{self.width}"
        return WordForm(struct, 0, adjustment, max(0, self.end - adjustment), LONGEST, self.offset, type_)

    def read(self, buffer: Buffer, offset: int, end: int, index: int, adjustment: int) -> int:
        """Length of the record at `offset`. Raises as `Descriptor.read` does."""
        if end - offset < self.end:
            raise cut_short(buffer, offset, end, index, self.end, spec=self.spec.id)
        raw = buffer[offset + self.offset : offset + self.end]
        said = self._number(raw)
        if said is not None and said >= 0 and said + adjustment >= self.end:
            return said + adjustment
        raise no_record(
            buffer, offset, end, index, spec=self.spec.id, field=self.field.id, field_offset=self.offset,
            expected=f"a length of at least {max(0, self.end - adjustment)}",
            found=f"X'{raw.hex().upper()}'" if said is None else str(said), doc_ref=self.field.doc_ref or None,
        )  # fmt: skip

    def _number(self, raw: bytes) -> int | None:
        if self.field.kind in _NUMBERS:
            return int.from_bytes(raw, self.byte_order, signed=self.field.kind == "int")
        for zero in (0xF0, 0x30):  # digits of EBCDIC, of ASCII; the code page need not be known
            digits = raw.strip(b"\x40" if zero == 0xF0 else b" ")
            if digits and all(zero <= byte <= zero + 9 for byte in digits):
                return int(bytes(byte - zero + 0x30 for byte in digits))
        return None

    def cutter(self, adjustment: int) -> Cutter:
        """The same for the framing of records that are cut one by one."""
        return lambda buffer, offset, end, index: self.read(buffer, offset, end, index, adjustment)


@cache
def length_field(spec: str, name: str) -> LengthField:
    """The field that an option names, looked up once. Raises OptionError LMP-S003 if a spec has no such field."""
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
    """The framing `glued` of records whose length is a number that scans can read."""

    length: LengthField
    adjustment: int = 0
    """Bytes that are added to the length that the field says."""
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
    """Whether a field may say the length of its record."""
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
                # A record may end where the next one begins, so the end of a part is not the end of the file.
                length = self.cutter(buffer, offset, self.range_of(buffer)[1], index)
            except DataError as error:
                error.at(record_index=index, record_offset=offset)
                raise
            if length > end - offset:
                raise cut_short(buffer, offset, end, index, length)
            yield RecordExtent(index, ((offset, length),), offset)
            offset += length
            index += 1


# -- an end that a parser finds ------------------------------------------------------------------


@dataclass(frozen=True)
class Parsed(Glued):
    """The framing `parsed`: the cutter parses each record."""

    name = "parsed"


def parsed_cutter(end_of: EndOf, limits: Limits, *, takes_rest: bool) -> Cutter:
    """The cutter by a parser.

    `takes_rest`: whether where a record ends may depend on how many bytes are behind it, so that it must be given all
    of them at once. Raises TruncatedError LMP-F006, FramingError LMP-F016, and FileLimitError LMP-L002 for a record
    that is longer than the limit.
    """

    def length(buffer: Buffer, offset: int, end: int, index: int) -> int:
        most = min(end - offset, limits.record_bytes)
        size = most if takes_rest else min(_FIRST, most)
        while True:
            fault, found = None, size
            try:
                found = end_of(buffer[offset : offset + size])
            except DataError as error:
                fault = error
            if found < size or size == most:
                break
            size = min(_FACTOR * size, most)
        if found == size < end - offset and (fault is None or fault.code == "LMP-R001"):
            raise limits.error("record_bytes", size + 1, record_index=index, record_offset=offset)
        if fault is not None:
            raise unreadable(fault, buffer, offset, end, index)
        if not found:
            raise FramingError(
                "the record has no bytes, and so would all behind it", code="LMP-F016", record_index=index,
                record_offset=offset, hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        return found

    return length


def unreadable(fault: DataError, buffer: Buffer, offset: int, end: int, index: int) -> FramingError:
    """The error of a record that cannot be read, so that nobody knows where the next one begins."""
    names = ("spec", "field", "field_offset", "doc_ref")
    known: dict[str, Any] = {name: getattr(fault, name) for name in names}
    if fault.code == "LMP-R001":
        return cut_short(buffer, offset, end, index, f"more than {end - offset}", **known)
    return FramingError(
        f"{fault.says()}; so nothing says where the next record begins", code="LMP-F016", record_index=index,
        record_offset=offset, hex=excerpt(buffer, offset, end), hint=fault.hint, **known,
    )  # fmt: skip


# -- one record, and what is in it ----------------------------------------------------------------


@dataclass(frozen=True)
class Whole(Framing):
    """The framing `whole`."""

    name = "whole"

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        if start < end:
            yield RecordExtent(index, ((start, end - start),), start)


@dataclass(frozen=True)
class Items(Framing):
    """The framing `whole` with rows that are the items of a list: what is in front of it and behind it is no record."""

    inner: Framing
    """Cuts the list into its items."""
    count: int | None
    """How many items there are; None for as many as there are bytes."""
    behind: str
    """The fields of the spec behind the list; empty if there are none."""
    name = "whole"

    @property
    def longest(self) -> int:
        return self.inner.longest

    def _walk(self, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
        extents = self.inner._walk(buffer, start, end, index)
        if self.count is None:
            yield from extents
            return
        for extent in islice(extents, max(self.count - index, 0)):
            yield extent
            start, index = extent.end, extent.index + 1
        if end < self.range_of(buffer)[1]:
            return  # a part of the list
        hex_ = excerpt(buffer, start, end)
        if index < self.count:
            raise TruncatedError(
                "the list ends too early", code="LMP-F006", record_index=index, record_offset=start,
                expected=f"{self.count} items, as the file says", found=str(index), hex=hex_,
            )  # fmt: skip
        if start < end and not self.behind:
            message = f"{end - start} bytes behind the last of {self.count} items are in no field"
            raise LeftoverError(message, code="LMP-F007", record_index=index, record_offset=start, hex=hex_)

    def runs(self, buffer: Buffer, start: int, end: int, index: int) -> Runs:
        runs = self.inner.runs(buffer, start, end, index)
        most = 1 << 62 if self.count is None else self.count
        while index < most:
            try:
                run = next(runs)
            except StopIteration as stop:
                handover: Handover = stop.value
                return handover
            run = run.part(0, min(len(run.offsets), most - index))
            yield run
            index, start = index + len(run.offsets), int(run.ends[-1])
        return Handover(start, index)
