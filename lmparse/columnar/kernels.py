"""Kernels: the bytes of one field in many records as an Arrow array; one function for each form of a value.

A kernel flags bad values and raises no error; the caller has the parser read those records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, schemas
from lmparse.spec.kind_words import MAX_DIGITS
from lmparse.values import decimals, floats, integers, packed_times, text_times, texts, zoned
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, UInt64s
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

KernelResult = tuple[pa.Array, Flags | None]
"""n values, and flags of the values that may be wrong (None if none)."""
Kernel = Callable[[Bytes], KernelResult]
"""Decodes (n, width) bytes to n values."""
RaggedKernel = Callable[[Bytes, Int64s, Int64s], KernelResult]
"""Decodes n pieces of flat data, by their offsets and lengths, to n values."""


# -- numbers -----------------------------------------------------------------------------------


def integer(type_: pa.DataType, byte_order: ByteOrder, is_signed: bool, raw: Bytes) -> KernelResult:
    """Integers; in a decimal column, `scale` of their digits are behind the point."""
    decode = integers.decode_signed_array if is_signed else integers.decode_unsigned_array
    to_arrow = arrays.decimal if pa.types.is_decimal(type_) else arrays.numbers
    return to_arrow(decode(raw, byte_order), type_), None


def labelled(words: Mapping[int, str], numbers: Kernel, raw: Bytes) -> KernelResult:
    """Numbers of an enumeration as words; numbers outside the enumeration as digits."""
    array, bad = numbers(raw)
    return words_of(words, np.asarray(array)), bad


def words_of(words: Mapping[int, str], numbers: Int64s) -> pa.Array:
    """The words of n numbers; numbers without a word as digits."""
    different, which = np.unique(numbers, return_inverse=True)
    shown = [words.get(number) or str(number) for number in different.tolist()]
    return pa.array(shown, schemas.TEXT).take(pa.array(which))


def ieee(byte_order: ByteOrder, raw: Bytes) -> KernelResult:
    return arrays.numbers(floats.decode_ieee_array(raw, byte_order), pa.float64()), None


def hfp(raw: Bytes) -> KernelResult:
    return arrays.numbers(floats.decode_hfp_array(raw), pa.float64()), None


def decimal_float(byte_order: ByteOrder, raw: Bytes) -> KernelResult:
    """DECFLOAT as text, value by value: Arrow has no such type, and the number of digits varies."""
    ordered = raw if byte_order == "big" else raw[:, ::-1]
    flat, width = ordered.tobytes(), raw.shape[1]
    decode = cache(floats.decode_decfloat)
    return pa.array([decode(flat[at : at + width]) for at in range(0, len(flat), width)], schemas.TEXT), None


def packed_decimal(type_: pa.DataType, raw: Bytes) -> KernelResult:
    """Packed decimals; a value with more digits than the type is bad."""
    values: Int64s | UInt64s
    values, bad = decimals.decode_packed_array(raw) if type_.precision <= 18 else decimals.decode_packed_array128(raw)
    if 2 * raw.shape[1] - 1 > type_.precision:
        # The bytes have room for one digit more than the type.
        bad |= raw[:, 0] > 0xF
        values[bad] = 0
    return arrays.decimal(values, type_), bad


def packed_digits(type_: pa.DataType, raw: Bytes) -> KernelResult:
    """Packed digits without a sign."""
    return packed_decimal(type_, decimals.bcd_to_packed_array(raw))


def zoned_decimal(type_: pa.DataType, style: zoned.Style, zones: zoned.Zones, raw: Bytes) -> KernelResult:
    return packed_decimal(type_, zoned.to_packed_array(raw, style, zones))


def decimal_refusal(digits: int, width: int) -> str:
    """Why `packed_decimal` cannot decode decimals of these digits and bytes; empty if it can."""
    if digits < 1 or width < 1:
        return "a decimal without digits"
    return "" if digits <= MAX_DIGITS else f"{digits} digits are too many for a decimal of 128 bits"


def boolean(raw: Bytes) -> KernelResult:
    if raw.shape[1] != 1:
        return pa.nulls(len(raw), pa.bool_()), np.ones(len(raw), np.bool_)
    return pa.array(raw[:, 0] == 1), raw[:, 0] > 1


# -- dates and times ---------------------------------------------------------------------------


def timestamp17(raw: Bytes) -> KernelResult:
    micros, is_null, bad, _ = packed_times.timestamp17_micros_array(raw)
    return arrays.numbers(micros, schemas.MICROS, is_null), bad


def date_text(raw: Bytes) -> KernelResult:
    return _days(*text_times.date_days_array(raw))


def date_digits(raw: Bytes) -> KernelResult:
    return _days(*packed_times.date_days_array(raw))


def chars(decode: Callable[[Bytes], tuple[Bytes, Flags]], raw: Bytes) -> KernelResult:
    """Text of (n, width) characters, from a decoder that gives equal lengths for all rows."""
    found, bad = decode(raw)
    return arrays.strings(found.reshape(-1), arrays.steps(*found.shape)), bad


def time_text(raw: Bytes) -> KernelResult:
    return chars(text_times.decode_time_array, raw)


def time_digits(raw: Bytes) -> KernelResult:
    return chars(packed_times.decode_time_array, raw)


def timestamp_tz_text(raw: Bytes) -> KernelResult:
    return chars(text_times.decode_timestamp_tz_array, raw)


def timestamp_text(raw: Bytes) -> KernelResult:
    micros, bad, _ = text_times.timestamp_micros_array(raw)
    return arrays.numbers(micros, schemas.MICROS), bad


def timestamp_digits(precision: int, raw: Bytes) -> KernelResult:
    micros, bad, _ = packed_times.timestamp_micros_array(raw, precision)
    return arrays.numbers(micros, schemas.MICROS), bad


def timestamp17_chars(raw: Bytes) -> KernelResult:
    data, offsets, is_null, bad = packed_times.decode_timestamp17_array(raw)
    return arrays.strings(data, offsets, is_null), bad


def timestamp_digits_chars(precision: int, raw: Bytes) -> KernelResult:
    return chars(partial(packed_times.decode_timestamp_array, precision=precision), raw)


_CHARS: dict[Callable[..., KernelResult], Callable[..., KernelResult]] = {
    timestamp17: timestamp17_chars,
    date_text: partial(chars, text_times.decode_date_array),
    date_digits: partial(chars, packed_times.decode_date_array),
    timestamp_text: partial(chars, text_times.decode_timestamp_array),
    timestamp_digits: timestamp_digits_chars,
}
"""For each kernel of dates or times the kernel that keeps all digits, as text."""


def in_full(kernel: Kernel | None) -> Kernel | None:
    """The kernel of dates or times as text with all digits; None for other kernels."""
    if isinstance(kernel, partial):
        found = _CHARS.get(kernel.func)
        return None if found is None else partial(found, *kernel.args)
    return None if kernel is None else _CHARS.get(kernel)


def _days(days: Int32s, bad: Flags) -> KernelResult:
    return arrays.numbers(days, pa.int32()).view(pa.date32()), bad


# -- bytes and text ----------------------------------------------------------------------------


def binary(raw: Bytes) -> KernelResult:
    return arrays.binary(raw), None


def ragged_binary(data: Bytes, starts: Int64s, lengths: Int64s) -> KernelResult:
    return arrays.ragged_binary(data, starts, lengths), None


def text(page: CodePage, trim: bool, raw: Bytes) -> KernelResult:
    """Text of fixed width; without trailing blanks if `trim`."""
    if trim:
        return arrays.text(raw, page)
    chars, offsets, bad = texts.decode_array(raw, page, trim)
    return arrays.strings(chars, offsets), bad


def ragged_text(page: CodePage, data: Bytes, starts: Int64s, lengths: Int64s) -> KernelResult:
    """Text in pieces. In a single-byte page, the pieces are joined first and decoded at once."""
    if arrays.is_wide(page):
        chars, offsets, bad = texts.decode_ragged_array(data, starts, lengths, page)
        return arrays.strings(chars, offsets), bad
    pieces = arrays.ragged_binary(data, starts, lengths)
    if page.codec == "utf_8":
        try:
            return pieces.cast(pa.string()), None
        except pa.ArrowInvalid:
            pass  # at least one piece is not text
    _, bounds, held = pieces.buffers()
    flat = held.to_pybytes() if held is not None else b""
    shown = arrays.as_ascii(flat, page)
    if shown.isascii():
        return pa.Array.from_buffers(pa.string(), len(starts), [None, bounds, pa.py_buffer(shown)]), None
    places = np.frombuffer(bounds, np.int32, len(starts) + 1)
    chars, offsets, bad = texts.decode_ragged_array(np.frombuffer(flat, np.uint8), places[:-1], np.diff(places), page)
    return arrays.strings(chars, offsets), bad


def text_refusal(page: CodePage) -> str:
    """Why text in a code page cannot be decoded column-wise; empty if it can."""
    return "" if texts.can_decode_array(page) else f"there is no kernel for text in {page.name}"


def hex_text(page: CodePage, raw: Bytes) -> KernelResult:
    data, offsets, is_null, bad = texts.decode_hex_array(raw, page)
    return arrays.strings(data, offsets, is_null), bad


def decimal_text(page: CodePage, type_: pa.DataType, raw: Bytes) -> KernelResult:
    values, is_null, bad = decimals.decode_text_array(raw, page)
    if pa.types.is_decimal(type_):
        return arrays.without(arrays.decimal(values, type_), is_null), bad
    return arrays.numbers(values, pa.int64(), is_null), bad
