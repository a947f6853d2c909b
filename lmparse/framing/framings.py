"""Framing: from the bytes of a file to its records.

A record is found by what stands in front of it (a descriptor word), by a fixed
length, or by what it says of itself (`glued`). Nothing here knows what is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lmparse.errors import DataError, FramingError, OptionError, TruncatedError
from lmparse.framing.descriptors import Descriptor, block_descriptor, cut_short, descriptor, excerpt, own_length
from lmparse.storage.buffers import Buffer

Cutter = Callable[[Buffer, int, int, int], int]
"""Length in bytes of the record that starts at an offset of a buffer that ends at another; the
last argument is the number of the record."""

PREFIXED = ("bare", "lsn6", "lsn8", "filter", "filter97")
"""Framings of records that begin with their own length, by what an API puts in front of them."""
FRAMINGS = ("rdw", "bdw", "vbs", "bdw-vbs", "zosmf", "glued", "fixed", *PREFIXED)
"""Every framing; `auto` stands for the one that the bytes prove."""


@dataclass(frozen=True, slots=True)
class RecordExtent:
    """Where one record stands. Offsets are absolute, in bytes."""

    index: int
    """Number of the record in its file, from 0."""
    pieces: tuple[tuple[int, int], ...]
    """Offset and length of its bytes; several when it is spanned."""
    resume: int | None
    """Where reading may begin so that this record comes first; None when nowhere."""

    @property
    def offset(self) -> int:
        """Offset of its first byte, behind the descriptor word."""
        return self.pieces[0][0]

    @property
    def length(self) -> int:
        """Its bytes, without descriptor words."""
        return sum(length for _, length in self.pieces)

    def read(self, buffer: Buffer) -> bytes:
        """The record's bytes."""
        if len(self.pieces) == 1:
            offset, length = self.pieces[0]
            return buffer[offset : offset + length]
        return b"".join(buffer[offset : offset + length] for offset, length in self.pieces)

    def number(self, buffer: Buffer, offset: int, width: int) -> int:
        """A big-endian number in the record, without copying the rest of it."""
        if len(self.pieces) > 1:
            return int.from_bytes(self.read(buffer)[offset : offset + width], "big")
        start = self.pieces[0][0] + offset
        return int.from_bytes(buffer[start : start + width], "big")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file that starts and ends between records. Offsets in bytes."""

    start: int
    end: int
    first_index: int | None
    """Number of its first record in the file. None when nobody has counted: then its ends are cuts that
    were proposed, and nothing of it counts before reading has proven them; see `sync`."""
    skip: frozenset[int] = frozenset()
    """Numbers of records in it that another span reads."""
    foreign: tuple[RecordExtent, ...] = ()
    """Records of other spans that this one reads."""


@dataclass(frozen=True)
class Framing:
    """A way to cut records, with what it needs to know."""

    name: str
    record_length: int | None = None
    """Bytes of every record, for `fixed`."""
    cutter: Cutter | None = None
    """What a record says of its own length, for `glued`."""
    byte_order: str | None = None
    """`little` or `big`, for records that begin with their own length."""

    def __post_init__(self) -> None:
        if self.name not in FRAMINGS:
            raise OptionError(f"framing has no value {self.name!r}", hint="one of " + ", ".join(("auto", *FRAMINGS)))
        if self.name == "fixed" and not (self.record_length and self.record_length > 0):
            raise OptionError("framing fixed needs a record length above zero", hint="give recordLength in bytes")
        if self.name == "glued" and self.cutter is None:
            raise OptionError("framing glued is for records that tell their own length; those of this spec do not")
        if self.name in PREFIXED and self.byte_order is None:
            raise OptionError(f"framing {self.name} is for Db2 LUW log records", hint="spec db2_log")

    @property
    def prefix(self) -> int:
        """Bytes in front of each record that its own length does not count."""
        return own_length(self.name, self.byte_order or "").prefix if self.name in PREFIXED else 0

    def extents(
        self, buffer: Buffer, start: int = 0, end: int | None = None, first_index: int = 0
    ) -> Iterator[RecordExtent]:
        """The records from `start` to `end`, both between records, in constant memory.

        Raises TruncatedError (LMP-F006) where the file ends inside a record, LeftoverError
        (LMP-F007) where whole records are followed by something else, FramingError otherwise.
        """
        return _WALKS[self.name](self, buffer, start, len(buffer) if end is None else end, first_index)

    def spans(self, buffer: Buffer, max_bytes: int) -> list[Span]:
        """Cut the file into parts of about `max_bytes`, reading nothing but descriptor words.

        Damage ends the last part, which then shows it when it is read.
        """
        spans: list[Span] = []
        start, first = 0, 0
        try:
            for extent in self.extents(buffer):
                if extent.resume is not None and extent.resume - start >= max_bytes:
                    spans.append(Span(start, extent.resume, first))
                    start, first = extent.resume, extent.index
        except FramingError:
            pass
        return [*spans, Span(start, len(buffer), first)]


def _walk_counted(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """RDW and z/OSMF: a length in front, which counts itself or does not."""
    word = descriptor("zos_rdw" if framing.name == "rdw" else "zos_zosmf")
    uncounted = 0 if framing.name == "rdw" else word.size
    offset = start
    while offset < end:
        length = word.read(buffer, offset, end, index)[0] + uncounted
        if length > end - offset:
            raise cut_short(buffer, offset, end, index, length, spec=word.spec.id)
        yield RecordExtent(index, ((offset + word.size, length - word.size),), offset)
        offset += length
        index += 1


def _walk_fixed(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """Records of one length, without anything between them."""
    length = framing.record_length or 0
    for offset in range(start, end, length):
        if length > end - offset:
            raise cut_short(buffer, offset, end, index, length)
        yield RecordExtent(index, ((offset, length),), offset)
        index += 1


def _walk_prefixed(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """Records that begin with their own length, behind a prefix of fixed width."""
    word = own_length(framing.name, framing.byte_order or "")
    offset = start
    while offset < end:
        length = word.read(buffer, offset, end, index)
        place = offset + word.prefix
        if length > end - place:
            raise cut_short(buffer, place, end, index, length, spec=word.spec.id)
        yield RecordExtent(index, ((place, length),), offset)
        offset = place + length
        index += 1


def _walk_glued(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """Records that tell their own length, without anything between them."""
    assert framing.cutter is not None
    offset = start
    while offset < end:
        try:
            length = framing.cutter(buffer, offset, end, index)
        except DataError as error:
            error.at(record_index=index, record_offset=offset)
            raise
        if length > end - offset:
            raise cut_short(buffer, offset, end, index, length)
        yield RecordExtent(index, ((offset, length),), offset)
        offset += length
        index += 1


@dataclass
class _Cursor:
    """The number of the record that is being put together."""

    index: int


def _walk_blocks(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """BDW and RDW: every block must be filled exactly by its records."""
    word = descriptor("zos_rdw")
    cursor = _Cursor(index)
    for block in _blocks(buffer, start, end, cursor):
        offset = block.content
        while offset < block.limit:
            length = block.read(word, offset, cursor.index)[0]
            resume = block.start if offset == block.content else None
            yield RecordExtent(cursor.index, ((offset + word.size, length - word.size),), resume)
            offset += length
            cursor.index += 1


def _walk_spanned(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[RecordExtent]:
    """SDW, with or without BDW: records in pieces that follow one another."""
    cursor = _Cursor(index)
    codes = descriptor("zos_sdw").spec.enum("segment_code")
    opens = {codes["complete"], codes["first"]}
    closes = {codes["complete"], codes["last"]}
    pieces: list[tuple[int, int]] = []
    resume: int | None = None
    read = _spanned_blocks if framing.name == "bdw-vbs" else _pieces
    for offset, piece, code, may_resume in read(buffer, start, end, cursor):
        if (code in opens) != (not pieces):
            raise FramingError(
                code="LMP-F009", record_index=cursor.index, record_offset=offset, spec="zos_sdw", field="segment_code",
                expected="the rest of the record" if pieces else "the first piece of a record", found=str(code),
                hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        if not pieces:
            resume = offset if may_resume is None else may_resume
        pieces.append(piece)
        if code in closes:
            yield RecordExtent(cursor.index, tuple(pieces), resume if resume is not None and resume >= 0 else None)
            pieces = []
            cursor.index += 1
    if pieces:
        first = pieces[0][0]
        raise cut_short(
            buffer, first, end, cursor.index, end - first + 1, spec="zos_sdw", hint="its last piece is missing"
        )


Piece = tuple[int, tuple[int, int], int, int | None]
"""Offset of the SDW, offset and length of the bytes, segment code, and where reading may
resume: None for at the SDW itself, -1 for nowhere."""


def _pieces(buffer: Buffer, start: int, end: int, cursor: _Cursor) -> Iterator[Piece]:
    word = descriptor("zos_sdw")
    offset = start
    while offset < end:
        length, code, _ = word.read(buffer, offset, end, cursor.index)
        if length > end - offset:
            raise cut_short(buffer, offset, end, cursor.index, length, spec=word.spec.id)
        yield offset, (offset + word.size, length - word.size), code, None
        offset += length


def _spanned_blocks(buffer: Buffer, start: int, end: int, cursor: _Cursor) -> Iterator[Piece]:
    word = descriptor("zos_sdw")
    for block in _blocks(buffer, start, end, cursor):
        offset = block.content
        while offset < block.limit:
            length, code, _ = block.read(word, offset, cursor.index)
            yield offset, (offset + word.size, length - word.size), code, block.start if offset == block.content else -1
            offset += length


@dataclass(frozen=True, slots=True)
class _Block:
    """One block. Offsets are absolute; the file may end inside it."""

    buffer: Buffer
    start: int
    """Of its BDW."""
    content: int
    end: int
    file_end: int

    @property
    def limit(self) -> int:
        """Where its bytes end."""
        return min(self.end, self.file_end)

    def read(self, word: Descriptor, offset: int, index: int) -> tuple[int, ...]:
        """A descriptor word in the block, whose record must end inside it."""
        is_cut = self.end > self.file_end
        try:
            values = word.read(self.buffer, offset, self.limit, index)
        except FramingError as error:
            if is_cut and isinstance(error, TruncatedError):
                raise
            raise self._not_filled(offset, index, error.says()) from None
        if values[0] > self.end - offset:
            raise self._not_filled(offset, index, f"a record of {values[0]}")
        if values[0] > self.limit - offset:
            raise cut_short(self.buffer, offset, self.limit, index, values[0], spec=word.spec.id)
        return values

    def _not_filled(self, offset: int, index: int, found: str) -> FramingError:
        # Inside a block nothing may be left over: what is no descriptor word is damage.
        return FramingError(
            f"the block at {self.start:#x} is not filled exactly by its records", code="LMP-F008",
            record_index=index, record_offset=offset, expected=f"at most {self.end - offset} more bytes",
            found=found, spec="zos_bdw", hex=excerpt(self.buffer, offset, self.limit),
        )  # fmt: skip


def _blocks(buffer: Buffer, start: int, end: int, cursor: _Cursor) -> Iterator[_Block]:
    word = block_descriptor()
    offset = start
    while offset < end:
        length = word.read(buffer, offset, end, cursor.index)
        # A block that the file ends in still gives the records that are whole.
        yield _Block(buffer, offset, offset + word.size, offset + length, end)
        if length > end - offset:
            raise cut_short(buffer, offset, end, cursor.index, length, spec=word.spec.id)
        offset += length


_WALKS: dict[str, Callable[[Framing, Buffer, int, int, int], Iterator[RecordExtent]]] = {
    "rdw": _walk_counted,
    "zosmf": _walk_counted,
    "fixed": _walk_fixed,
    "glued": _walk_glued,
    "bdw": _walk_blocks,
    "vbs": _walk_spanned,
    "bdw-vbs": _walk_spanned,
    **dict.fromkeys(PREFIXED, _walk_prefixed),
}
