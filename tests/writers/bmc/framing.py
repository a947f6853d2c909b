"""Framing of records as z/OS data sets arrive elsewhere.

Source: IBM's descriptions of the record, segment, and block descriptor words and of the ways off z/OS, as quoted in
bmc-logical-log.md 3.1 and 3.2. All lengths are big-endian.

* RDW: length including the 4 bytes, then two zero bytes.
* SDW: length including the 4 bytes; low two bits of byte 3: 00 complete, 01 first, 10 last, 11 middle; byte 4 zero.
* BDW: length including the 4 bytes, then two zero bytes; extended: bit 0 is one, 31 bits of length.
* z/OSMF: 4-byte length that does not count itself.

Each function returns the bytes; `framed` returns the place of each record too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, cycle, repeat

BLOCK_SIZE = 27998
COMPLETE, FIRST, LAST, MIDDLE = 0, 1, 2, 3


@dataclass
class Framed:
    """A framed file.

    Attributes:
        data: its bytes.
        starts: offset of each record's first descriptor (without one: of its first byte).
        offsets: offset of the first data byte of each record.
    """

    data: bytes = b""
    starts: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def add(self, prefix: bytes, data: bytes, *, first: bool = True) -> None:
        """Append a record, or a further piece of one."""
        if first:
            self.starts.append(len(self.data))
            self.offsets.append(len(self.data) + len(prefix))
        self.data += prefix + data


def descriptor(length: int, flags: int = 0) -> bytes:
    """RDW or SDW of `length` data bytes, or BDW of a block with `length` bytes in it."""
    return (length + 4).to_bytes(2, "big") + bytes([flags, 0])


def extended_descriptor(length: int) -> bytes:
    """Extended BDW of a block with `length` bytes in it."""
    return (0x80000000 | length + 4).to_bytes(4, "big")


def _rdw(records: Iterable[bytes]) -> Framed:
    out = Framed()
    for record in records:
        out.add(descriptor(len(record)), record)
    return out


def _blocked(records: Iterable[bytes], block_size: int, bdw_of: Callable[[int], bytes]) -> Framed:
    """Whole records behind RDWs, as many in a block as fit; a block has at least one."""
    blocks: list[Framed] = []
    for record in records:
        if not blocks or len(blocks[-1].data) + len(record) + 8 > block_size:
            blocks.append(Framed())
        blocks[-1].add(descriptor(len(record)), record)
    return _join(blocks, bdw_of)


def _join(blocks: Iterable[Framed], bdw_of: Callable[[int], bytes]) -> Framed:
    out = Framed()
    for block in blocks:
        out.data += bdw_of(len(block.data))
        out.starts += [len(out.data) + start for start in block.starts]
        out.offsets += [len(out.data) + offset for offset in block.offsets]
        out.data += block.data
    return out


def _bdw(records: Iterable[bytes], block_size: int = BLOCK_SIZE) -> Framed:
    return _blocked(records, block_size, descriptor)


def _bdw_extended(records: Iterable[bytes], block_size: int = 65536) -> Framed:
    return _blocked(records, block_size, extended_descriptor)


def _flags(index: int, count: int) -> int:
    if count == 1:
        return COMPLETE
    if index == 0:
        return FIRST
    return LAST if index == count - 1 else MIDDLE


def _cut(record: bytes, sizes: Iterable[int]) -> list[bytes]:
    pieces: list[bytes] = []
    start = 0
    for size in sizes:
        if start >= len(record) and pieces:
            break
        pieces.append(record[start : start + size])
        start += size
    return pieces


def _vbs(records: Iterable[bytes], piece_sizes: int | Sequence[int] = 100) -> Framed:
    out = Framed()
    for record in records:
        sizes = repeat(piece_sizes) if isinstance(piece_sizes, int) else cycle(piece_sizes)
        pieces = _cut(record, sizes)
        for index, piece in enumerate(pieces):
            out.add(descriptor(len(piece), _flags(index, len(pieces))), piece, first=index == 0)
    return out


def _bdw_vbs(records: Iterable[bytes], block_size: int = BLOCK_SIZE) -> Framed:
    """Spanned records: each block is filled to `block_size`; a piece has at least one byte (an SDW is 5 or more)."""
    blocks = [Framed()]
    for record in records:
        first_room = block_size - 8 - len(blocks[-1].data)
        if first_room < 1:
            blocks.append(Framed())
            first_room = block_size - 8
        pieces = _cut(record, chain([first_room], repeat(block_size - 8)))
        for index, piece in enumerate(pieces):
            if index:
                blocks.append(Framed())
            blocks[-1].add(descriptor(len(piece), _flags(index, len(pieces))), piece, first=index == 0)
    return _join((block for block in blocks if block.data), descriptor)


def _zosmf(records: Iterable[bytes]) -> Framed:
    out = Framed()
    for record in records:
        out.add(len(record).to_bytes(4, "big"), record)
    return out


def _glued(records: Iterable[bytes]) -> Framed:
    out = Framed()
    for record in records:
        out.add(b"", record)
    return out


def _fixed(records: Iterable[bytes], record_length: int, pad: bytes = b"\x40") -> Framed:
    out = Framed()
    for record in records:
        if len(record) > record_length:
            raise ValueError(f"a record of {len(record)} bytes does not fit {record_length}")
        out.add(b"", record + pad * (record_length - len(record)))
    return out


def rdw(records: Iterable[bytes]) -> bytes:
    """RDW before each record, no blocks (binary FTP with RDW)."""
    return _rdw(records).data


def bdw(records: Iterable[bytes], block_size: int = BLOCK_SIZE) -> bytes:
    """BDW before each block of at most `block_size` bytes, RDW before each record."""
    return _bdw(records, block_size).data


def vbs(records: Iterable[bytes], piece_sizes: int | Sequence[int] = 100) -> bytes:
    """Spanned records without blocks: each cut into pieces of these sizes (used in turn), an SDW before each."""
    return _vbs(records, piece_sizes).data


def bdw_vbs(records: Iterable[bytes], block_size: int = BLOCK_SIZE) -> bytes:
    """Spanned records in full blocks of `block_size` bytes."""
    return _bdw_vbs(records, block_size).data


def zosmf(records: Iterable[bytes]) -> bytes:
    """A 4-byte length that leaves itself out before each record."""
    return _zosmf(records).data


def glued(records: Iterable[bytes]) -> bytes:
    """Records without any length between them (binary FTP without RDW)."""
    return _glued(records).data


def fixed(records: Iterable[bytes], record_length: int, pad: bytes = b"\x40") -> bytes:
    """Records of one length, padded."""
    return _fixed(records, record_length, pad).data


_FRAMINGS: dict[str, Callable[..., Framed]] = {
    "rdw": _rdw,
    "bdw": _bdw,
    "bdw-extended": _bdw_extended,
    "vbs": _vbs,
    "bdw-vbs": _bdw_vbs,
    "zosmf": _zosmf,
    "glued": _glued,
    "fixed": _fixed,
}
KINDS = tuple(_FRAMINGS)


def framed(kind: str, records: Iterable[bytes], **options: object) -> Framed:
    """Bytes and places by the framing's name (one of `KINDS`), with the options of the function of that name."""
    return _FRAMINGS[kind](records, **options)
