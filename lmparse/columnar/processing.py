"""Processing: what a spec does with bytes before they are a value, for many objects at once.

They end at a terminator or at what fills them up, `process` restores them, and an encoding makes them a text.
"""

from __future__ import annotations

import codecs
import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, rows
from lmparse.columnar.cursors import Place, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import FieldBytes, Numbers
from lmparse.spec.layout import Ending
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_MOST_UNPACKED = 1 << 20
"""Bytes of one value from which on its record is the parser's, which limits them."""

# -- the end of bytes ------------------------------------------------------------------------------


def to_terminator(stream: Stream, ending: Ending) -> tuple[Place, Int64s]:
    """Read bytes up to their terminator, which is one byte; where they begin, and how many are their value."""
    begin = stream.align()
    found, is_there = _find(stream, begin.array, stream.end, ending.terminator or b"")
    if ending.demands_terminator:
        stand_in = stream.demand(is_there)
        if stand_in is not None:
            begin, found, is_there = stream.cursor, found[stand_in], is_there[stand_in]
    start = begin.array
    length = found - start
    stream.cursor = Place(found + (is_there if ending.consumes else 0))
    return Place(start), length + (is_there if ending.includes else 0)


def cut(stream: Stream, place: Place, size: int | Int64s, ending: Ending) -> Int64s:
    """How many of some bytes are the value: those in front of what fills them up, and of their terminator."""
    start = place.array
    length = np.broadcast_to(np.asarray(size, np.int64), start.shape)
    if ending.pad is not None:
        # The last byte in front of the end that is another one.
        others = np.flatnonzero(stream.data != ending.pad)
        number = np.searchsorted(others, start + length) - 1
        last = others[np.maximum(number, 0)] if len(others) else np.full(len(start), -1)
        length = np.where((number >= 0) & (last >= start), last + 1 - start, 0)
    if ending.terminator is not None:
        found, is_there = _find(stream, start, start + length, ending.terminator)
        length = found - start + (is_there if ending.includes else 0)
    return length


def _find(stream: Stream, start: Int64s, end: Int64s, terminator: bytes) -> tuple[Int64s, Flags]:
    """The first place of a byte between two places, or the second; and whether it is there."""
    if len(terminator) != 1:
        raise UnfitError("a terminator of several bytes")
    places = stream.records.places_of(stream.data, terminator[0])
    number = np.searchsorted(places, start)
    found = places[np.minimum(number, len(places) - 1)] if len(places) else end
    is_there = (number < len(places)) & (found < end)
    return np.where(is_there, found, end), is_there


# -- texts -----------------------------------------------------------------------------------------


def text(stream: Stream, found: FieldBytes) -> Numbers:
    """Text in the encoding that its spec names. Records with bytes that are no text are left to the parser."""
    raw = arrays.ragged_binary(found.data, found.place.array, found.lengths())
    try:
        encoding = codecs.lookup(found.field.encoding).name
    except LookupError:
        raise UnfitError(f"there is no encoding {found.field.encoding}") from None
    data, bad = _decoded(raw, encoding)
    if bad is not None:
        stream.demand(~bad)
    return Numbers(Vector(data, bad), found.field, found.count)


def _decoded(raw: pa.Array, encoding: str) -> tuple[pa.Array, Flags | None]:
    if encoding == "utf-8" or (encoding == "ascii" and not (arrays.flat(raw)[0] & 0x80).any()):
        try:
            return raw.cast(pa.string()), None
        except pa.ArrowInvalid:
            pass  # one of them is no text
    known: dict[bytes, str | None] = {}
    shown = []
    for one in raw.to_pylist():
        if one not in known:
            try:
                known[one] = one.decode(encoding)
                known[one].encode()  # type: ignore[union-attr]  # half of a pair is no text of a column
            except UnicodeError:
                known[one] = None
        shown.append(known[one])
    bad = np.array([one is None for one in shown], np.bool_)
    return pa.array([one or "" for one in shown], pa.string()), bad if bad.any() else None


# -- process ------------------------------------------------------------------------------------


def restored(stream: Stream, place: Place, length: int | Int64s, name: str, arguments: list[Any]) -> Stream:
    """Streams of the bytes that `xor`, `rol`, `ror` or `zlib` make of some bytes of other streams."""
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
