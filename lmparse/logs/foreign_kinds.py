"""Foreign kinds: files of other programs, recognised by their first bytes. Asked only where no record fits."""

from __future__ import annotations

from typing import NamedTuple

from lmparse.storage.buffers import Buffer
from lmparse.storage.compression import ENDINGS, packing_by_bytes

_UNPACK = "unpack it first"
_CONVERT = "give the log that it was made of"
_LONGEST = 512


class ForeignKind(NamedTuple):
    """What a file is, and what to do."""

    name: str
    hint: str


_KINDS: tuple[tuple[int, bytes, ForeignKind], ...] = (
    (0, b"PK\x03\x04", ForeignKind("a zip archive", _UNPACK)),
    (0, b"PK\x05\x06", ForeignKind("an empty zip archive", "transfer it again")),
    (257, b"ustar", ForeignKind("a tar or pax archive", _UNPACK)),
    (0, b"BZh", ForeignKind("a bzip2 file", _UNPACK)),
    (0, b"\xfd7zXZ\0", ForeignKind("an xz file", _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", ForeignKind("a 7z archive", _UNPACK)),
    (0, b"PAR1", ForeignKind("a Parquet file", _CONVERT)),
    (0, b"ARROW1\0\0", ForeignKind("an Arrow file", _CONVERT)),
    (0, b"Obj\x01", ForeignKind("an Avro file", _CONVERT)),
    (0, b"ORC", ForeignKind("an ORC file", _CONVERT)),
    (0, b"SQLite format 3\0", ForeignKind("an SQLite database", _CONVERT)),
    (0, b"%PDF-", ForeignKind("a PDF document", "give a log")),
    # A control record of TSO/E TRANSMIT: its length, flags, and INMR01 in EBCDIC.
    (2, b"\xc9\xd5\xd4\xd9\xf0\xf1", ForeignKind(
        "a data set packed by TSO TRANSMIT", "unpack it with RECEIVE, and transfer what comes out")),
)  # fmt: skip


def foreign_kind(buffer: Buffer) -> ForeignKind | None:
    """The kind of file of another program that bytes begin like; None if none is known."""
    first = bytes(buffer[:_LONGEST])
    packing = packing_by_bytes(first)
    if packing is not None:
        ending = next(ending for ending, name in ENDINGS.items() if name == packing)
        return ForeignKind(f"a {packing} file", f"unpack it, or give it a name that ends with {ending}")
    return next((kind for place, magic, kind in _KINDS if first.startswith(magic, place)), None)
