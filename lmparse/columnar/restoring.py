"""Restoring: bytes that a spec transforms before it reads them (`process`), for many objects at once."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.columnar import rows
from lmparse.columnar.cursors import Place, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Int64s

_MOST_UNPACKED = 1 << 20
"""Bytes of one unpacked value above which the parser, with a limit of its own, reads the record."""


def restored(stream: Stream, place: Place, length: int | Int64s, name: str, arguments: list[Any]) -> Stream:
    """Streams of the bytes that `xor`, `rol`, `ror` or `zlib` makes of `length` bytes at a place in other streams."""
    lengths = np.broadcast_to(np.asarray(length, np.int64), place.base.shape)
    flat, offsets = byte_arrays.ragged_bytes(stream.data, place.array, lengths)
    bounds = offsets.astype(np.int64)
    if name == "zlib":
        flat, bounds = _unpacked(stream, flat, bounds)
    else:
        key = arguments[0]
        if not isinstance(key, Vector):
            raise UnfitError(f"only the parser can restore {name}")
        flat = _changed(stream, flat, lengths, name, key)
    start = Place(bounds[:-1])
    return Stream(stream.records, stream.of, start, bounds[1:], start, flat)


def _changed(stream: Stream, flat: Bytes, lengths: Int64s, name: str, key: Vector) -> Bytes:
    if isinstance(key.data, bytes | pa.Array) and name == "xor":
        keys = [key.data] * len(lengths) if isinstance(key.data, bytes) else key.data.to_pylist()
        stream.demand(np.array([len(one) > 0 for one in keys]) & ~np.asarray(False if key.bad is None else key.bad))
        # The key begins anew with each value.
        parts = [np.resize(np.frombuffer(one or b"0", np.uint8), n) for one, n in zip(keys, lengths, strict=True)]
        made: Bytes = flat ^ np.concatenate(parts)
        return made
    numbers, bad = key.whole(len(lengths))
    if name == "xor":
        fits = (numbers >= 0) & (numbers <= 0xFF)
        stream.demand(fits if bad is None else fits & ~bad)
        made = flat ^ np.repeat((numbers & 0xFF).astype(np.uint8), lengths)
        return made
    if bad is not None:
        stream.demand(~bad)
    left = np.repeat((numbers if name == "rol" else -numbers) % 8, lengths).astype(np.uint16)
    wide = flat.astype(np.uint16) << left
    return (wide | wide >> 8).astype(np.uint8)


def _unpacked(stream: Stream, flat: Bytes, offsets: Int64s) -> tuple[Bytes, Int64s]:
    packed, parts, sound, total = flat.tobytes(), list[bytes](), np.ones(len(offsets) - 1, np.bool_), 0
    for number, (start, end) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)):
        unpacker = zlib.decompressobj()
        try:
            part = unpacker.decompress(packed[start:end], _MOST_UNPACKED)
        except zlib.error:
            part = b""
        sound[number] = unpacker.eof
        parts.append(part if unpacker.eof else b"")
        total += len(parts[-1])
        if rows.is_full(total):
            raise UnfitError("it has very many bytes")
    stream.demand(sound)
    bounds = np.concatenate(([0], np.cumsum([len(part) for part in parts])))
    return np.frombuffer(b"".join(parts), np.uint8), bounds
