"""Arrow arrays from NumPy arrays; the values are not copied."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.values import byte_arrays, texts
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, Ints
from lmparse.values.codepages import CodePage


def numbers(values: Ints, type_: pa.DataType, is_null: Flags | None = None) -> pa.Array:
    """An Arrow array of n numbers: integers, floats, or microseconds if `type_` is a timestamp."""
    held = np.ascontiguousarray(values, type_.to_pandas_dtype() if not pa.types.is_timestamp(type_) else np.int64)
    return _array(type_, len(held), [pa.py_buffer(held)], is_null)


def decimal(values: Ints, type_: pa.DataType) -> pa.Array:
    """An Arrow array of n decimals, from n unscaled integers of 64 bits or (n, 2) words of 64 bits, low word first."""
    words = values
    if values.ndim == 1:
        words = np.empty((len(values), 2), np.int64)
        words[:, 0] = values.view(np.int64)
        # Arrow's upper word repeats the sign bit; the upper word of an unsigned number is 0.
        words[:, 1] = 0 if values.dtype == np.uint64 else values >> 63
    held = np.ascontiguousarray(words)
    return _array(type_, len(held), [pa.py_buffer(held)], None)


def strings(data: Bytes, offsets: Ints, is_null: Flags | None = None) -> pa.Array:
    """An Arrow array of n texts, from their UTF-8 bytes and n + 1 offsets of 32 bits."""
    return _array(pa.string(), len(offsets) - 1, [pa.py_buffer(offsets), pa.py_buffer(data)], is_null)


def text(raw: Bytes, page: CodePage) -> tuple[pa.Array, Flags | None]:
    """n texts from (n, width) bytes without trailing blanks, and flags of the bad rows; see `texts.decode_array`.

    Arrow trims blanks faster than NumPy, but only where each byte is a character.
    """
    count, width = raw.shape
    shown = b"" if is_wide(page) else as_ascii(together(raw).tobytes(), page)
    if not shown or not shown.isascii():
        data, offsets, bad = texts.decode_array(raw, page)
        return strings(data, offsets), bad
    if shown[:width] == shown[-width:] and shown == shown[:width] * count:
        return pa.repeat(pa.scalar(shown[:width].decode("ascii").rstrip(" "), pa.string()), count), None
    if width == 1 and b" " in shown:
        offsets = np.zeros(count + 1, np.int32)
        np.cumsum(np.frombuffer(shown, np.uint8) != ord(" "), out=offsets[1:])
        return strings(np.frombuffer(shown.replace(b" ", b""), np.uint8), offsets), None
    whole = _array(pa.string(), count, [pa.py_buffer(steps(count, width)), pa.py_buffer(shown)], None)
    return pc.ascii_rtrim(whole, characters=" ") if b" " in shown else whole, None


def as_ascii(text_: bytes, page: CodePage) -> bytes:
    """Translate text of a single-byte page, or UTF-8, to ASCII; bytes above X'7F' mark all other characters."""
    return text_ if page.table is None else text_.translate(texts.to_ascii(page))


def is_wide(page: CodePage) -> bool:
    """Whether a character of the page may take several bytes in another encoding than UTF-8, such as UTF-16."""
    return page.table is None and page.codec != "utf_8"


def binary(raw: Bytes) -> pa.Array:
    """An Arrow array of n byte strings from (n, width) bytes."""
    count, width = raw.shape
    return _array(pa.binary(), count, [pa.py_buffer(steps(count, width)), pa.py_buffer(together(raw))], None)


def together(raw: Bytes) -> Bytes:
    """(n, width) bytes as a contiguous array, copied if the rows have gaps between them."""
    count, width = raw.shape
    if not width or raw.strides[1] != 1:
        return np.ascontiguousarray(raw)
    # NumPy copies elements of `width` bytes row by row, not byte by byte.
    whole = np.ascontiguousarray(raw.view(f"V{width}")[:, 0])
    held: Bytes = whole.view(np.uint8).reshape(count, width)
    return held


def ragged_binary(data: Bytes, starts: Ints, lengths: Ints, is_null: Flags | None = None) -> pa.Array:
    """An Arrow array of n pieces of flat `data`, at ascending `starts`; the pieces do not overlap.

    Pieces and the gaps between pieces alternate in one array over the same bytes. Arrow then takes every second value,
    without a Python step for each piece.
    """
    count = len(starts)
    low = int(starts[0]) if count else 0
    bounds = np.empty(2 * count, np.int64)
    bounds[0::2] = starts - low
    bounds[1::2] = starts + lengths - low
    if count and (int(bounds[-1]) > 0x7FFFFFFF or (np.diff(bounds) < 0).any()):
        flat, offsets = byte_arrays.ragged_bytes(data, starts, lengths)
        return _array(pa.binary(), count, [pa.py_buffer(offsets), pa.py_buffer(flat)], is_null)
    buffers = [pa.py_buffer(bounds.astype(np.int32)), pa.py_buffer(data[low:])]
    every = _array(pa.binary(), max(2 * count - 1, 0), buffers, None)
    found = every.take(pa.array(np.arange(0, 2 * count, 2)))
    return found if is_null is None else without(found, is_null)


def flat(array: pa.Array) -> tuple[Bytes, Int64s]:
    """The bytes of an array of texts or byte strings, without gaps, and n + 1 offsets of the rows in these bytes."""
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    if data is None or not len(places):
        return np.zeros(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    return np.frombuffer(data, np.uint8)[places[0] : places[-1]], places - places[0]


def without(array: pa.Array, is_null: Flags) -> pa.Array:
    """The array with null in the rows of `is_null` too."""
    if not is_null.any():
        return array
    is_valid = ~is_null if not array.null_count else ~is_null & np.asarray(array.is_valid())
    return pa.Array.from_buffers(array.type, len(array), [_bits(is_valid), *array.buffers()[1:]])


@lru_cache(maxsize=128)
def steps(count: int, width: int) -> Int32s:
    """Read-only offsets of `count` rows of one width, cached: [0, 2, 4, 6] for 3 rows of 2 bytes. Raises ValueError."""
    if count * width > 0x7FFFFFFF:
        raise ValueError(f"{count * width} bytes are too many for offsets of 32 bits")
    found = np.arange(0, (count + 1) * width, width, dtype=np.int32) if width else np.zeros(count + 1, np.int32)
    found.flags.writeable = False
    return found


def _array(type_: pa.DataType, count: int, buffers: list[pa.Buffer], is_null: Flags | None) -> pa.Array:
    validity = None if is_null is None or not is_null.any() else _bits(~is_null)
    return pa.Array.from_buffers(type_, count, [validity, *buffers])


def _bits(is_valid: Flags) -> pa.Buffer:
    return pa.py_buffer(np.packbits(is_valid, bitorder="little"))
