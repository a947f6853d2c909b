"""Bytes of one field in many records: arrays of shape (n, width), and pieces of flat data.

The functions `..._array` of this package take `raw`, an array of shape (n, width) whose rows need not be adjacent, and
return n values. Where `bad[i]` is False, value i equals the result of the function for one value in the same module on
`raw[i].tobytes()`. Where this function raises, `bad[i]` is True. `bad[i]` may also be True for a decodable value
(docstrings say which), so callers decode bad rows one by one. The value of a bad row is 0 or empty.

Text is in Arrow's form: the UTF-8 bytes of all rows, and n + 1 offsets into these bytes. The bytes may be read-only,
and may be those of `raw` itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt16s = npt.NDArray[np.uint16]
UInt64s = npt.NDArray[np.uint64]
Float64s = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]
"""Integers of any width."""


def take_rows(data: Bytes, starts: Ints, width: int) -> Bytes:
    """(n, width) bytes: `width` bytes of flat `data` at each of `starts`. Raises ValueError outside of the data."""
    if width == 0 or not len(starts):
        return np.zeros((len(starts), width), np.uint8)
    if int(starts.min()) < 0 or int(starts.max()) + width > len(data):
        raise ValueError(f"a row of {width} bytes lies outside of {len(data)} bytes")
    data = np.ascontiguousarray(data)
    # One element for each possible offset of a row: the elements overlap, and nothing is copied yet.
    places: npt.NDArray[Any] = np.ndarray((len(data) - width + 1,), np.dtype((np.void, width)), data, 0, (1,))
    rows: Bytes = places[starts.astype(np.int64)].view(np.uint8).reshape(len(starts), width)
    return rows


def ragged_bytes(data: Bytes, starts: Ints, lengths: Ints) -> tuple[Bytes, Int32s]:
    """The pieces of flat `data` at `starts` in one array, and n + 1 offsets of the pieces.

    Raises ValueError if a piece is outside of the data, or the sum of lengths exceeds 2 GiB.
    """
    lengths = lengths.astype(np.int64)
    starts = np.where(lengths, starts, 0).astype(np.int64)  # an empty piece may start anywhere
    if len(starts) and (int(np.minimum(starts, lengths).min()) < 0 or int((starts + lengths).max()) > len(data)):
        raise ValueError(f"a piece lies outside of {len(data)} bytes")
    offsets = offsets_of(lengths)
    places = np.repeat(starts - offsets[:-1], lengths)
    places += np.arange(len(places))
    return data[places], offsets


def stand_in(places: Int64s, which: Flags) -> Int64s | None:
    """`places`, where rows outside of `which` get the place of the first row in `which`, to stay inside the data.

    None if `which` has no True row. Example: [5, 900, 7] with [True, False, True] gives [5, 5, 7].
    """
    if which.all():
        return places if len(places) else None
    first = int(which.argmax())
    return np.where(which, places, places[first]) if which[first] else None


def offsets_of(lengths: Ints) -> Int32s:
    """n + 1 offsets of adjacent pieces: [2, 0, 3] gives [0, 2, 2, 5]. Raises ValueError beyond 2 GiB."""
    ends = np.cumsum(lengths, dtype=np.int64)
    if len(ends) and int(ends[-1]) > 0x7FFFFFFF:
        raise ValueError(f"{int(ends[-1])} bytes are too many for offsets of 32 bits")
    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends
    return offsets


def width_of(raw: Bytes, most: int) -> int:
    width: int = raw.shape[1]
    if not 1 <= width <= most:
        raise ValueError(f"a width of {width}: expected 1 to {most} bytes")
    return width


def as_elements(raw: Bytes, dtype: str) -> npt.NDArray[Any]:
    """(n, width) bytes as n elements; not copied if the bytes of each row are adjacent."""
    if raw.strides[1] != 1:
        raw = np.ascontiguousarray(raw)
    return raw.view(dtype)[:, 0]


def byte_of(pairs: UInt64s, place: int) -> Int64s:
    """Byte number `place` of each word; number 0 is the least significant byte."""
    moved = pairs >> np.uint64(8 * place) if place else pairs
    return (moved & np.uint64(0xFF)).view(np.int64)


def none_of(count: int) -> Flags:
    return np.zeros(count, np.bool_)


def places_by_value(values: Ints) -> Iterator[tuple[int, Int64s]]:
    """Yield each distinct value with its places, both ascending. The time does not grow with the number of values."""
    order = np.argsort(values, kind="stable")
    kept = values[order]
    starts = np.flatnonzero(np.append(True, kept[1:] != kept[:-1])[: len(kept)])
    for value, start, end in zip(kept[starts].tolist(), starts, np.append(starts, len(kept))[1:], strict=True):
        yield value, order[start:end]
