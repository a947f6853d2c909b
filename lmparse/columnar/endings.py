"""Endings: terminators and padding of bytes and texts, and the decoding of texts."""

from __future__ import annotations

import codecs
from functools import lru_cache

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays
from lmparse.columnar.cursors import Place, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import FieldBytes, Numbers
from lmparse.spec.layout import Ending
from lmparse.values.byte_arrays import Flags, Int64s

# -- the end of bytes ------------------------------------------------------------------------------


def to_terminator(stream: Stream, ending: Ending) -> tuple[Place, Int64s]:
    """Read up to a terminator of one byte; the result is where the values begin, and their lengths in bytes."""
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
    """Lengths of the values in `size` bytes at a place, without padding and terminator."""
    start = place.array
    length = np.broadcast_to(np.asarray(size, np.int64), start.shape)
    if ending.pad is not None:
        # Find the last byte in front of the end that is no padding.
        others = np.flatnonzero(stream.data != ending.pad)
        number = np.searchsorted(others, start + length) - 1
        last = others[np.maximum(number, 0)] if len(others) else np.full(len(start), -1)
        length = np.where((number >= 0) & (last >= start), last + 1 - start, 0)
    if ending.terminator is not None:
        found, is_there = _find(stream, start, start + length, ending.terminator)
        length = found - start + (is_there if ending.includes else 0)
    return length


def _find(stream: Stream, start: Int64s, end: Int64s, terminator: bytes) -> tuple[Int64s, Flags]:
    """The first offset of the terminator in [start, end), or `end`; and flags of the objects that have a terminator."""
    if len(terminator) != 1:
        raise UnfitError("a terminator of several bytes")
    places = stream.records.places_of(stream.data, terminator[0])
    number = np.searchsorted(places, start)
    found = places[np.minimum(number, len(places) - 1)] if len(places) else end
    is_there = (number < len(places)) & (found < end)
    return np.where(is_there, found, end), is_there


# -- texts -----------------------------------------------------------------------------------------


def text(stream: Stream, found: FieldBytes) -> Numbers:
    """The text of a field in the encoding of its spec. Records with undecodable bytes are left to the parser."""
    raw = arrays.ragged_binary(found.data, found.place.array, found.lengths())
    encoding = _codec(found.field.encoding)
    data, bad = _decoded(raw, encoding)
    if bad is not None:
        stream.demand(~bad)
    return Numbers(Vector(data, bad), found.field, found.count)


@lru_cache(maxsize=128)
def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise UnfitError(f"there is no encoding {encoding}") from None


def _decoded(raw: pa.Array, encoding: str) -> tuple[pa.Array, Flags | None]:
    if encoding == "utf-8" or (encoding == "ascii" and not (arrays.flat(raw)[0] & 0x80).any()):
        try:
            return raw.cast(pa.string()), None
        except pa.ArrowInvalid:
            pass  # at least one value is not text
    known: dict[bytes, str | None] = {}
    shown = []
    for one in raw.to_pylist():
        if one not in known:
            try:
                known[one] = one.decode(encoding)
                known[one].encode()  # type: ignore[union-attr]  # a lone surrogate cannot be in a text column
            except UnicodeError:
                known[one] = None
        shown.append(known[one])
    bad = np.array([one is None for one in shown], np.bool_)
    return pa.array([one or "" for one in shown], pa.string()), bad if bad.any() else None
