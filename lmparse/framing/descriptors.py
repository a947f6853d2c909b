"""Descriptor words: the words in front of a record, a piece, or a block.

Widths, limits and codes come from `formats/zos`. Log records of Db2 LUW begin with their own length; the prefix that an
API puts in front of the length comes from `formats/db2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from struct import Struct
from typing import Any

from lmparse.errors import FramingError, LeftoverError, TruncatedError, UnknownFormatError
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout
from lmparse.spelling import camel
from lmparse.storage.buffers import Buffer

TRAILERS = (b"\n", b"\r", b"\r\n", b"\x1a")
"""Line ends and the end-of-file mark, which transfers may append to a file."""
_MOST = (1 << 63) - 1
"""Upper limit of a length if the spec has no limit."""
_LEAVE_THEMSELVES_OUT = ("zos_zosmf",)
"""Words whose length does not include the word."""


@dataclass(frozen=True, slots=True)
class WordRule:
    """How one kind of descriptor word states a length; by default as the word's spec says.

    IBM's rule: a word is big-endian, and its length includes the word. The length in a z/OSMF prefix excludes the
    prefix.
    """

    is_little: bool = False
    """Whether all bytes of the word are in reverse order."""
    counts_itself: bool | None = None
    """Whether the length includes the word; None: as in the word's spec."""
    adjustment: int = 0
    """Bytes to add to the stated length."""

    @property
    def is_own(self) -> bool:
        """Whether the rule, with its limits, is that of the spec."""
        return self == WordRule()

    def normal(self, counts_itself: bool) -> WordRule:
        """The rule with None in `counts_itself` where it repeats the spec, so that equal rules compare equal."""
        return replace(self, counts_itself=None) if self.counts_itself is counts_itself else self

    def uncounted(self, size: int, counts_itself: bool) -> int:
        """Bytes from word to word that the length excludes; negative if the length is too large."""
        counts = counts_itself if self.counts_itself is None else self.counts_itself
        return (0 if counts else size) + self.adjustment

    def options(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield the options (Python name, value) for words of a kind (`rdw`, `bdw`) that differ from the spec."""
        if self.is_little:
            yield f"{word}_endian", "little"
        if self.counts_itself is not None:
            yield f"{word}_includes_header", str(self.counts_itself).lower()
        if self.adjustment:
            yield f"{word}_adjustment", str(self.adjustment)


OWN = WordRule()
"""The rule of the specs."""
RULES = tuple(WordRule(is_little, counts_itself) for is_little in (False, True) for counts_itself in (True, False))
"""The rules in manuals: either byte order, length with or without its word. The first rule is IBM's."""


class BackwardStruct:
    """Unpacks a word whose bytes are all in reverse order; returns the numbers in the usual order."""

    __slots__ = ("_struct", "size")

    def __init__(self, struct: Struct) -> None:
        self._struct = Struct("<" + struct.format.lstrip(">")[::-1])
        self.size = struct.size

    def unpack(self, raw: bytes) -> tuple[Any, ...]:
        """As Struct.unpack."""
        return self._struct.unpack(raw)[::-1]

    def unpack_from(self, raw: bytes | memoryview, offset: int = 0) -> tuple[Any, ...]:
        """As Struct.unpack_from."""
        return self._struct.unpack_from(raw, offset)[::-1]


@dataclass(frozen=True, slots=True)
class WordForm:
    """The word in front of each record or piece, in the form for scans. Places are bytes from the start of the word."""

    struct: Struct | BackwardStruct
    """Unpacks the length, the segment code of a piece, and a value that is false for a sound word."""
    skip: int
    """Bytes from the start of the word to the first byte of the record."""
    uncounted: int
    """Bytes that the length excludes; negative if the length is too large."""
    least: int
    most: int
    """Limits of the length."""
    length_at: int
    length_type: str
    """NumPy's name of the length's type."""
    zero_at: int = 0
    zero_type: str = ""
    """NumPy's name of the type of a number that is zero in sound words; empty without such a number."""
    alike: int = 6
    """Count of bytes behind the length, or at the start of a record, that are alike in many records."""

    @property
    def size(self) -> int:
        """Bytes that a scan unpacks."""
        return self.struct.size


class Descriptor:
    """A descriptor word of unsigned integers, of which the first is a length: RDW, SDW, or the prefix of z/OSMF."""

    def __init__(self, spec_id: str, rule: WordRule = OWN) -> None:
        self.spec = catalog.load(spec_id)
        self.rule = rule
        struct = unsigned_struct(self.spec.layout)
        self.struct = BackwardStruct(struct) if rule.is_little else struct
        self.size = struct.size
        self.uncounted = rule.uncounted(self.size, spec_id not in _LEAVE_THEMSELVES_OUT)
        """Bytes from word to word that the length excludes."""
        length, *others = self.spec.layout
        self._limits = [(0, length, *self._bounds(length))] + [
            (number, field, field.minimum or 0, field.maximum if field.maximum is not None else 1 << 64)
            for number, field in enumerate(others, 1)
            if field.minimum is not None or field.maximum is not None
        ]

    def _bounds(self, length: Field) -> tuple[int, int]:
        """The smallest and largest length that a word may state; the smallest length means an empty record."""
        most = length.maximum if self.rule.is_own else None
        return max(0, self.size - self.uncounted), (1 << 8 * (length.width or 0)) - 1 if most is None else most

    def read(self, buffer: Buffer, offset: int, end: int, index: int) -> tuple[int, ...]:
        """Bytes from the word at `offset` to the next word, then the other values of the word in the order of the spec.

        `index` is the number of the record. Raises TruncatedError if the bytes up to `end` begin such a word. Otherwise
        raises LeftoverError, or FramingError if no record is in front.
        """
        if end - offset < self.size:
            raise self._too_short(buffer, offset, end, index)
        values: tuple[int, ...] = self.struct.unpack(buffer[offset : offset + self.size])
        for number, field, minimum, maximum in self._limits:
            if not minimum <= values[number] <= maximum:
                expected = str(minimum) if minimum == maximum else f"{minimum} to {maximum}"
                raise no_record(
                    buffer, offset, end, index, spec=self.spec.id, field=field.id, field_offset=self._place(field)[0],
                    expected=expected + in_words(self.rule, "rdw"), found=str(values[number]),
                    doc_ref=self.spec.layout.doc_ref,
                )  # fmt: skip
        if not self.uncounted:
            return values
        return (values[0] + self.uncounted,) if len(values) == 1 else (values[0] + self.uncounted, *values[1:])

    def fields(self, raw: bytes) -> Iterator[tuple[Field, tuple[int, int], int]]:
        """Yield the fields of a whole word with their values, first bytes and the bytes behind their last bytes."""
        if len(raw) == self.size:
            for field, value in zip(self.spec.layout, self.struct.unpack(raw), strict=True):
                start, width = self._place(field)
                yield field, (start, start + width), value

    def _place(self, field: Field) -> tuple[int, int]:
        """Offset and width of a field in the word."""
        offset, width = field.offset or 0, field.width or 0
        return (self.size - offset - width if self.rule.is_little else offset), width

    def form(self) -> WordForm:
        """The word in the form for scans."""
        length, *others = self.spec.layout
        order = "<" if self.rule.is_little else ">"
        # The struct of a word with only a length gets a value of no bytes, which is false.
        struct = self.struct if others else Struct(f"{order}{unsigned_struct(self.spec.layout).format[1:]}0s")
        zero_at, zero_width = self._place(others[-1]) if others else (0, 0)
        zero_type = f"{order}u{zero_width}" if others else ""
        length_at, width = self._place(length)
        least, most = self._bounds(length)
        return WordForm(
            struct, self.size, self.uncounted, least, most, length_at, f"{order}u{width}", zero_at, zero_type
        )  # fmt: skip

    def _too_short(self, buffer: Buffer, offset: int, end: int, index: int) -> FramingError:
        have = buffer[offset:end]
        for filled in _completed(have, self.size, self.rule):
            try:
                self.read(filled, 0, self.size, index)
            except FramingError:
                continue
            return cut_short(buffer, offset, end, index, self.size, spec=self.spec.id)
        return no_record(buffer, offset, end, index, spec=self.spec.id, found=f"X'{have.hex().upper()}'")


class BlockDescriptor:
    """The block descriptor word, normal or extended."""

    def __init__(self, rule: WordRule = OWN) -> None:
        self.spec = catalog.load("zos_bdw")
        self.rule = rule
        self.size = sum(field.width or 0 for field in catalog.load("zos_rdw").layout)
        self._uncounted = rule.uncounted(self.size, True)

    def read(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        """Length of the block at `offset`, its BDW included. Raises as `Descriptor.read` does."""
        raw = buffer[offset : min(offset + self.size, end)]
        candidates = [raw] if len(raw) == self.size else _completed(raw, self.size, self.rule)
        for candidate in candidates:
            length = self.length(candidate)
            if length is None:
                continue
            if len(raw) < self.size:
                raise cut_short(buffer, offset, end, index, self.size, spec=self.spec.id)
            return length
        raise no_record(
            buffer, offset, end, index, spec=self.spec.id, found=f"X'{raw.hex().upper()}'",
            expected="a block descriptor word" + in_words(self.rule, "bdw"), doc_ref=self.spec.layout.doc_ref,
        )  # fmt: skip

    def length(self, word: bytes) -> int | None:
        """Length of a block from its BDW, the BDW included; None if the bytes are not a BDW."""
        total = None
        for field, _, value in self.fields(word):
            if field.id == "reserved":
                if value:
                    return None
                continue
            total = value + self._uncounted
            # The greatest length of z/OS applies only to files written as by z/OS.
            most = field.maximum if self.rule.is_own and field.maximum is not None else total
            if not (field.minimum or 0) <= total <= most:
                return None
        return total

    def fields(self, raw: bytes) -> Iterator[tuple[Field, tuple[int, int], int]]:
        """As `Descriptor.fields`, without the bit that selects the form of the word."""
        if len(raw) != self.size:
            return
        layout, number = self.spec.layout, int.from_bytes(raw, "little" if self.rule.is_little else "big")
        extended, normal, reserved = (layout[name] for name in ("length_extended", "length_normal", "reserved"))
        if number >> (extended.bits or 0):
            yield extended, (0, self.size), number & ((1 << (extended.bits or 0)) - 1)
            return
        low, bits = self.size - (reserved.bits or 0) // 8, reserved.bits or 0
        high_bytes, low_bytes = (0, low), (low, self.size)
        if self.rule.is_little:
            high_bytes, low_bytes = (self.size - low, self.size), (0, self.size - low)
        yield normal, high_bytes, number >> bits
        yield reserved, low_bytes, number & ((1 << bits) - 1)


class OwnLength:
    """The length at the start of a Db2 LUW record, behind the prefix of the API that returned the record."""

    def __init__(self, prefix: str, byte_order: str) -> None:
        self.spec = catalog.load("db2_log")
        self.prefix = catalog.load("db2_prefix").layouts[f"db2_prefix.{prefix}"].width or 0
        """Bytes in front of each record."""
        self._field = self.spec.layout["length"]
        self._struct = number_struct(self._field, byte_order)
        headers = [self.spec.layouts[case].least_width for case in self.spec.layout["chain"].cases]
        self.least = self.spec.layout.least_width + min(headers)
        """Bytes of the shortest header."""

    @property
    def form(self) -> WordForm:
        """Prefix and length in the form for scans."""
        order, letter = self._struct.format[0], self._struct.format[1:]
        struct = Struct(f"{order}{self.prefix}x{letter}0s")
        length_type = f"{order}u{self._struct.size}"
        # Type and flags; the numbers behind the flags differ from record to record.
        alike = (self.spec.layout["general_flag"].end or 0) - (self._field.end or 0)
        return WordForm(struct, self.prefix, self.prefix, self.least, _MOST, self.prefix, length_type, alike=alike)

    def read(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        """Length of the record whose prefix starts at `offset`. Raises as `Descriptor.read` does."""
        need = self.prefix + self._struct.size
        if end - offset < need:
            have = buffer[offset:end]
            if have in TRAILERS:
                raise no_record(buffer, offset, end, index, spec=self.spec.id, found=f"X'{have.hex().upper()}'")
            raise cut_short(buffer, offset, end, index, need, spec=self.spec.id)
        length: int = self._struct.unpack(buffer[offset + self.prefix : offset + need])[0]
        if length < self.least:
            error = no_record(
                buffer, offset, end, index, spec=self.spec.id, field=self._field.id, field_offset=self._field.offset,
                expected=f"at least {self.least}", found=str(length), doc_ref=self._field.doc_ref,
            )  # fmt: skip
            error.record_offset = offset + self.prefix
            error.hex = excerpt(buffer, offset + self.prefix, end)
            raise error
        return length


def in_words(rule: WordRule, word: str) -> str:
    """The options that a rule stands for, in the words of an error; empty for the rule of the spec."""
    options = ", ".join(f"{camel(name)} {value}" for name, value in rule.options(word))
    return f" with {options}" if options else ""


def _completed(have: bytes, size: int, rule: WordRule) -> list[bytes]:
    """Some words that begin with the bytes of a cut word; none for bytes that transfers append to a file."""
    if have in TRAILERS:
        return []
    missing = size - len(have)
    if rule.is_little:
        return [have + bytes(missing), have + b"\x08".rjust(missing, b"\x00"), have + b"\x08" * missing]
    return [have + fill for fill in (bytes(missing), b"\xff".ljust(missing, b"\x00"), b"\x08" * missing)]


def cut_short(buffer: Buffer, offset: int, end: int, index: int, need: int | str, **known: Any) -> TruncatedError:
    """The error for a record cut by the end of the file; `need` is the number of bytes expected at `offset`."""
    return TruncatedError(
        "the file ends inside the record", code="LMP-F006", record_index=index, record_offset=offset,
        expected=f"{need} bytes", found=str(end - offset), hex=excerpt(buffer, offset, end), **known,
    )  # fmt: skip


def no_record(buffer: Buffer, offset: int, end: int, index: int, **known: Any) -> FramingError:
    """The error for bytes that do not begin a record: leftover bytes behind records, or wrong bytes at the start."""
    kind, code = (LeftoverError, "LMP-F007") if index else (FramingError, "LMP-F005")
    hint = None if index else "lmparse sniff FILE shows the framings that fit, with their options"
    message = f"{end - offset} bytes behind the last record are not a record" if index else ""
    place: dict[str, Any] = {"record_index": index, "record_offset": offset, "hex": excerpt(buffer, offset, end)}
    return kind(message, code=code, hint=hint, **place, **known)


def excerpt(buffer: Buffer, offset: int, end: int) -> str:
    """Up to 32 bytes at `offset` in hexadecimal, for an error."""
    return buffer[offset : min(offset + 32, end)].hex().upper()


def record_starts() -> tuple[int, ...]:
    """Offsets where a file's first record may begin: without descriptor word, behind an RDW, or behind BDW and RDW."""
    word, block = descriptor("zos_rdw").size, block_descriptor().size
    return 0, word, block + word


@cache
def segment_codes() -> tuple[frozenset[int], frozenset[int]]:
    """The segment codes in an SDW of pieces that begin a record, and of pieces that end a record."""
    codes = descriptor("zos_sdw").spec.enum("segment_code")
    return frozenset((codes["complete"], codes["first"])), frozenset((codes["complete"], codes["last"]))


descriptor, own_length, block_descriptor = cache(Descriptor), cache(OwnLength), cache(BlockDescriptor)
"""Descriptors, made once for each spec and rule, or for each prefix and byte order."""


def unsigned_struct(layout: Layout) -> Struct:
    """The struct of a layout of unsigned integers, such as a descriptor word; one value for each field."""
    order = "<" if layout.endian == "le" else ">"
    return Struct(order + "".join(_LETTERS[_width(field)] for field in layout))


def number_struct(field: Field, byte_order: str) -> Struct:
    """The struct of one unsigned integer, `little` or `big`."""
    return Struct({"little": "<", "big": ">"}[byte_order] + _LETTERS[_width(field)])


_LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def _width(field: Field) -> int:
    if field.kind != "uint" or field.width is None:
        raise UnknownFormatError(f"{field.id} is not an unsigned integer of fixed width", code="LMP-S004")
    return field.width
