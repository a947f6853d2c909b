"""What the rivals in plain Python share: the walk over descriptor words, and values from a field's bytes.

Everything here is what one writes by hand for such a file; nothing of it is lmparse's.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import pyarrow as pa

from bench.rivals.target import BATCH, SCHEMA, to_batch, to_table

HEADER = 288
_RDW = 4
_AT_ONCE = 256
_NO_TIME = bytes(17)
_LATIN1 = bytes(range(256)).decode("cp037").encode("latin-1")


def timestamp(raw: bytes) -> datetime | None:
    """34 packed digits to the microsecond; None when all are zero."""
    if raw == _NO_TIME:
        return None
    digits = raw.hex()
    return datetime.fromisoformat(f"{digits[:8]}T{digits[8:14]}.{digits[14:20]}")


def headers(buffer: mmap.mmap) -> Iterator[bytes]:
    """The first 288 bytes of each record."""
    place, end = 0, len(buffer)
    while place < end:
        length = buffer[place] << 8 | buffer[place + 1]
        if length < _RDW + HEADER or place + length > end:
            raise ValueError(f"no record with a header of {HEADER} bytes at {place}")
        yield buffer[place + _RDW : place + _RDW + HEADER]
        place += length


def read(path: str, names: Sequence[str], rows: Callable[[Iterator[bytes]], Iterator[tuple[Any, ...]]]) -> pa.Table:
    """A table from rows of what a parser gives for the named fields of each header: bytes and numbers."""
    batches = []
    with open(path, "rb") as file:
        # An empty file cannot be mapped.
        if not file.seek(0, 2):
            return to_table(names, [])
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
            found = rows(headers(buffer))
            while columns := _columns(names, islice(found, BATCH)):
                batches.append(to_batch(names, columns))
    return to_table(names, batches)


def _columns(names: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> list[list[Any]]:
    """Decoded values by column; nothing when there are no rows."""
    columns: list[list[Any]] = []
    # A few rows at a time: thousands of a parser's own objects would keep the garbage collector busy.
    while some := list(islice(rows, _AT_ONCE)):
        columns = columns or [[] for _ in names]
        for column, name, raws in zip(columns, names, zip(*some, strict=True), strict=True):
            column += _decoded(SCHEMA.field(name).type, raws)
    return columns


def _decoded(type_: pa.DataType, raws: Sequence[Any]) -> Sequence[Any]:
    if pa.types.is_string(type_):
        # Twice as fast as the codec, which looks up each character.
        return [raw.translate(_LATIN1).decode("latin-1").rstrip(" ") for raw in raws]
    if pa.types.is_timestamp(type_):
        return [timestamp(raw) for raw in raws]
    plain = int if pa.types.is_integer(type_) else bytes
    return raws if type(raws[0]) is plain else list(map(plain, raws))
