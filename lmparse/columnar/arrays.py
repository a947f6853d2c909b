"""Arrays: NumPy arrays as Arrow arrays, without a copy of their values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.values import byte_arrays, texts
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, Ints
from lmparse.values.codepages import CodePage


def numbers(values: Ints, type_: pa.DataType, is_null: Flags | None = None) -> pa.Array:
    """The numbers of n rows as an Arrow type: integers, float64, or microseconds."""
    held = np.ascontiguousarray(values, type_.to_pandas_dtype() if not pa.types.is_timestamp(type_) else np.int64)
    return _array(type_, len(held), [pa.py_buffer(held)], is_null)


def decimal(values: Ints, type_: pa.DataType) -> pa.Array:
    """Unscaled decimals: n integers of 64 bits, or n rows of the two words of a decimal128."""
    words = values
    if values.ndim == 1:
        words = np.empty((len(values), 2), np.int64)
        words[:, 0] = values.view(np.int64)
        # The sign is extended into the upper word; an unsigned number has none.
        words[:, 1] = 0 if values.dtype == np.uint64 else values >> 63
    held = np.ascontiguousarray(words)
    return _array(type_, len(held), [pa.py_buffer(held)], None)


def strings(data: Bytes, offsets: Ints, is_null: Flags | None = None) -> pa.Array:
    """Text from the UTF-8 bytes of all rows and n + 1 offsets of 32 bits."""
    return _array(pa.string(), len(offsets) - 1, [pa.py_buffer(offsets), pa.py_buffer(data)], is_null)


def text(raw: Bytes, page: CodePage) -> tuple[pa.Array, Flags | None]:
    """Text of (n, width) bytes without blanks at the end, and which rows are bad; as `texts.decode_array`.

    Arrow removes blanks faster than NumPy does, but only if each byte is a character.
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
    """Text in a page with one byte for each character, or UTF-8, as ASCII; other characters have bytes above X'7F'."""
    return text_ if page.table is None else text_.translate(texts.to_ascii(page))


def is_wide(page: CodePage) -> bool:
    """Whether a character of the page may take several bytes and the page is not UTF-8: UTF-16 and the like."""
    return page.table is None and page.codec != "utf_8"


def binary(raw: Bytes) -> pa.Array:
    """The n rows of (n, width) bytes unchanged."""
    count, width = raw.shape
    return _array(pa.binary(), count, [pa.py_buffer(steps(count, width)), pa.py_buffer(together(raw))], None)


def together(raw: Bytes) -> Bytes:
    """The bytes of n rows without gaps between them."""
    count, width = raw.shape
    if not width or raw.strides[1] != 1:
        return np.ascontiguousarray(raw)
    # Elements of `width` bytes are copied row by row, not byte by byte.
    whole = np.ascontiguousarray(raw.view(f"V{width}")[:, 0])
    held: Bytes = whole.view(np.uint8).reshape(count, width)
    return held


def ragged_binary(data: Bytes, starts: Ints, lengths: Ints, is_null: Flags | None = None) -> pa.Array:
    """Pieces of flat `data` at ascending `starts` that do not overlap.

    Pieces and the bytes between them are alternate values of one array over the same bytes, from which Arrow takes
    the pieces without a Python step for each.
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
    """The bytes of all rows of texts or bytes, and their n + 1 offsets in these."""
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    if data is None or not len(places):
        return np.zeros(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    return np.frombuffer(data, np.uint8)[places[0] : places[-1]], places - places[0]


def without(array: pa.Array, is_null: Flags) -> pa.Array:
    """An array with additional nulls."""
    if not is_null.any():
        return array
    is_valid = ~is_null if not array.null_count else ~is_null & np.asarray(array.is_valid())
    return pa.Array.from_buffers(array.type, len(array), [_bits(is_valid), *array.buffers()[1:]])


@lru_cache(maxsize=128)
def steps(count: int, width: int) -> Int32s:
    """Offsets of `count` rows of one width, read only. Cached, because most batches have the same number of rows."""
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
