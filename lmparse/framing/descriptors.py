"""Descriptor words: the words in front of a record, a piece of one, or a block.

Widths, limits and codes come from `formats/zos`. Log records of Db2 LUW begin with their own length; the prefix that
an API puts in front of them comes from `formats/db2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

from kaitaistruct import KaitaiStructError

from lmparse.errors import FramingError, LeftoverError, TruncatedError
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer

TRAILERS = (b"\n", b"\r", b"\r\n", b"\x1a")
"""Line ends and the end-of-file mark, which transfers append to a file."""
_MOST = (1 << 63) - 1
"""Upper limit of a length without a limit in the spec."""


@dataclass(frozen=True, slots=True)
class WordForm:
    """The word in front of each record or piece in the form that scans read. Places are bytes from its start."""

    struct: Struct
    """Unpacks the length, for pieces their code, and a value that is false if the word is sound."""
    skip: int
    """Bytes from the start of the word to the first byte of the record."""
    uncounted: int
    """Bytes that the length does not include."""
    least: int
    most: int
    """Limits of the length."""
    length_at: int
    length_type: str
    """NumPy's name of the type of the length."""
    zero_at: int = 0
    zero_type: str = ""
    """NumPy's name of the type of a number that is zero in a sound word; empty if there is none."""

    @property
    def size(self) -> int:
        """Bytes that a scan reads."""
        return self.struct.size


class Descriptor:
    """A descriptor word made of unsigned integers (RDW, SDW, the prefix of z/OSMF)."""

    def __init__(self, spec_id: str) -> None:
        self.spec = catalog.load(spec_id)
        self.struct = catalog.unsigned_struct(self.spec.layout)
        self.size = self.struct.size
        self._limits = [
            (number, field, field.minimum or 0, field.maximum if field.maximum is not None else 1 << 64)
            for number, field in enumerate(self.spec.layout)
            if field.minimum is not None or field.maximum is not None
        ]

    def read(self, buffer: Buffer, offset: int, end: int, index: int) -> tuple[int, ...]:
        """The values of the word at `offset`, in the order of the spec.

        `index` is the number of its record. Raises TruncatedError if the bytes up to `end` are the start of such a
        word, else LeftoverError, or FramingError if there is no record before.
        """
        if end - offset < self.size:
            raise self._too_short(buffer, offset, end, index)
        values: tuple[int, ...] = self.struct.unpack(buffer[offset : offset + self.size])
        for number, field, minimum, maximum in self._limits:
            if not minimum <= values[number] <= maximum:
                expected = str(minimum) if minimum == maximum else f"{minimum} to {maximum}"
                raise no_record(
                    buffer, offset, end, index, spec=self.spec.id, field=field.id, field_offset=field.offset,
                    expected=expected, found=str(values[number]), doc_ref=self.spec.layout.doc_ref,
                )  # fmt: skip
        return values

    def form(self, uncounted: int = 0) -> WordForm:
        """The word in the form that scans read; its first number is the length, which leaves `uncounted` bytes out."""
        length, *others = self.spec.layout
        # A word that is only a length gets a value of no bytes, which is false.
        struct = self.struct if others else Struct(self.struct.format + "0s")
        zero = (others[-1].offset or 0, f">u{others[-1].width}") if others else (0, "")
        most = _MOST if length.maximum is None else length.maximum
        length_type = f">u{length.width}"
        return WordForm(struct, self.size, uncounted, length.minimum or 0, most, length.offset or 0, length_type, *zero)

    def _too_short(self, buffer: Buffer, offset: int, end: int, index: int) -> FramingError:
        have = buffer[offset:end]
        for filled in _completed(have, self.size):
            try:
                self.read(filled, 0, self.size, index)
            except FramingError:
                continue
            return cut_short(buffer, offset, end, index, self.size, spec=self.spec.id)
        return no_record(buffer, offset, end, index, spec=self.spec.id, found=f"X'{have.hex().upper()}'")


class BlockDescriptor:
    """The block descriptor word, normal or extended."""

    def __init__(self) -> None:
        self.spec = catalog.load("zos_bdw")
        self.size = sum(field.width or 0 for field in catalog.load("zos_rdw").layout)

    def read(self, buffer: Buffer, offset: int, end: int, index: int) -> int:
        """Length of the block at `offset` with its BDW. Raises as `Descriptor.read` does."""
        raw = buffer[offset : min(offset + self.size, end)]
        candidates = [raw] if len(raw) == self.size else _completed(raw, self.size)
        for candidate in candidates:
            try:
                length: int = self.spec.parser.from_bytes(candidate).length
            except KaitaiStructError:
                continue
            if len(raw) < self.size:
                raise cut_short(buffer, offset, end, index, self.size, spec=self.spec.id)
            return length
        raise no_record(
            buffer, offset, end, index, spec=self.spec.id, expected="a block descriptor word",
            found=f"X'{raw.hex().upper()}'", doc_ref=self.spec.layout.doc_ref,
        )  # fmt: skip


class OwnLength:
    """The length that a record begins with, behind the prefix of the API that returned it."""

    def __init__(self, prefix: str, byte_order: str) -> None:
        self.spec = catalog.load("db2_log")
        self.prefix = catalog.load("db2_prefix").layouts[f"db2_prefix.{prefix}"].width or 0
        """Bytes in front of each record."""
        self._field = self.spec.layout["length"]
        self._struct = catalog.number_struct(self._field, byte_order)
        headers = [self.spec.layouts[case].least_width for case in self.spec.layout["chain"].cases]
        self.least = self.spec.layout.least_width + min(headers)
        """Bytes of the shortest header."""

    @property
    def form(self) -> WordForm:
        """Prefix and length in the form that scans read."""
        order, letter = self._struct.format[0], self._struct.format[1:]
        struct = Struct(f"{order}{self.prefix}x{letter}0s")
        length_type = f"{order}u{self._struct.size}"
        return WordForm(struct, self.prefix, self.prefix, self.least, _MOST, self.prefix, length_type)

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


def _completed(have: bytes, size: int) -> list[bytes]:
    """Some words that may begin with the bytes of a cut one; none for bytes that a transfer appends to a file."""
    if have in TRAILERS:
        return []
    missing = size - len(have)
    return [have + fill for fill in (bytes(missing), b"\xff".ljust(missing, b"\x00"), b"\x08" * missing)]


def cut_short(buffer: Buffer, offset: int, end: int, index: int, need: int, **known: Any) -> TruncatedError:
    """The error for a record in which the file ends; `need` is the number of bytes expected at `offset`."""
    return TruncatedError(
        "the file ends inside the record", code="LMP-F006", record_index=index, record_offset=offset,
        expected=f"{need} bytes", found=str(end - offset), hex=excerpt(buffer, offset, end), **known,
    )  # fmt: skip


def no_record(buffer: Buffer, offset: int, end: int, index: int, **known: Any) -> FramingError:
    """The error for bytes that do not begin a record: left over behind records, or wrong from the start."""
    kind, code = (LeftoverError, "LMP-F007") if index else (FramingError, "LMP-F005")
    message = f"{end - offset} bytes behind the last record are not a record" if index else ""
    return kind(message, code=code, record_index=index, record_offset=offset, hex=excerpt(buffer, offset, end), **known)


def excerpt(buffer: Buffer, offset: int, end: int) -> str:
    """The first bytes at `offset` as hex, for an error."""
    return buffer[offset : min(offset + 32, end)].hex().upper()


class SegmentCodes(NamedTuple):
    """Codes of the pieces that begin a record, and of those that end one."""

    opening: frozenset[int]
    closing: frozenset[int]


def record_starts() -> tuple[int, ...]:
    """Offsets at which the first record of a file may begin: behind no descriptor word, an RDW, or a BDW and an RDW."""
    word, block = descriptor("zos_rdw").size, block_descriptor().size
    return 0, word, block + word


@cache
def segment_codes() -> SegmentCodes:
    """The codes in an SDW."""
    codes = descriptor("zos_sdw").spec.enum("segment_code")
    return SegmentCodes(frozenset((codes["complete"], codes["first"])), frozenset((codes["complete"], codes["last"])))


descriptor, own_length, block_descriptor = cache(Descriptor), cache(OwnLength), cache(BlockDescriptor)
"""The same objects, made once for each spec, or prefix and byte order."""
