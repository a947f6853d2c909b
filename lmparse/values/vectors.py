"""Numbers and text by the column: the bytes of one field in many rows to arrays of its values.

Every function takes `raw`, an array of shape (n, width) whose rows may lie apart, and gives n values. They
equal what the named function of `numeric` or `codepages` gives for `raw[i].tobytes()`, wherever `bad[i]` is
False. Where that function raises, `bad[i]` is True. It may also be True for a value the function can read
(the docstrings say which): whoever calls asks the function for those rows. A value at a bad row is 0 or
empty. Dates and times are in `vector_times`.

Text is given as Arrow keeps it: the UTF-8 bytes of all rows, and n + 1 offsets into them. These bytes may be
read-only, and may be those of `raw` itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lmparse.values.codepages import UNDEFINED, CodePage

__all__ = [
    "can_vector", "decimal_text", "hex_text", "hfp", "ieee", "is_total", "packed", "packed_decimal128", "ragged_bytes",
    "ragged_text", "signed", "take_rows", "text", "unsigned",
]  # fmt: skip

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]
Float64s = npt.NDArray[np.float64]
ByteOrder = Literal["big", "little"]

# Rows out of a file


def take_rows(data: Bytes, starts: npt.NDArray[Any], width: int) -> Bytes:
    """The `width` bytes at each of `starts` in flat `data`, as (n, width). Raises ValueError beyond its end."""
    if width == 0 or not len(starts):
        return np.zeros((len(starts), width), np.uint8)
    if int(starts.min()) < 0 or int(starts.max()) + width > len(data):
        raise ValueError(f"a row of {width} bytes lies outside of {len(data)} bytes")
    data = np.ascontiguousarray(data)
    # One element for every place where a row could start: they overlap, nothing is copied yet.
    places: npt.NDArray[Any] = np.ndarray((len(data) - width + 1,), np.dtype((np.void, width)), data, 0, (1,))
    rows: Bytes = places[starts.astype(np.int64)].view(np.uint8).reshape(len(starts), width)
    return rows


def ragged_bytes(data: Bytes, starts: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> tuple[Bytes, Int32s]:
    """The pieces of flat `data` at `starts`, put together, and their n + 1 offsets.

    Raises ValueError when a piece lies outside of the data or all are longer than 2 GiB.
    """
    lengths = lengths.astype(np.int64)
    starts = np.where(lengths, starts, 0).astype(np.int64)  # wherever an empty piece starts
    if len(starts) and (int(np.minimum(starts, lengths).min()) < 0 or int((starts + lengths).max()) > len(data)):
        raise ValueError(f"a piece lies outside of {len(data)} bytes")
    offsets = _offsets(lengths)
    places = np.repeat(starts - offsets[:-1], lengths)
    places += np.arange(len(places))
    return data[places], offsets


def _offsets(lengths: npt.NDArray[Any]) -> Int32s:
    ends = np.cumsum(lengths, dtype=np.int64)
    if len(ends) and int(ends[-1]) > 0x7FFFFFFF:
        raise ValueError(f"{int(ends[-1])} bytes are too many for offsets of 32 bits")
    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends
    return offsets


# Integers


def unsigned(raw: Bytes, byte_order: ByteOrder = "big") -> UInt64s:
    """Integers of 1 to 8 bytes without a sign; every row is good. As `int.from_bytes(row, byte_order)`."""
    width = _width(raw, 8)
    order = ">" if byte_order == "big" else "<"
    step = 1 << width.bit_length() - 1  # the widest that NumPy can read at once
    first = _view(raw[:, :step], f"{order}u{step}").astype(np.uint64)
    if step == width:
        return first
    last = _view(raw[:, width - step :], f"{order}u{step}").astype(np.uint64)
    # The two overlap, and agree where they do.
    shift = np.uint64(8 * (width - step))
    return (first << shift) | last if byte_order == "big" else first | (last << shift)


def signed(raw: Bytes, byte_order: ByteOrder = "big") -> Int64s:
    """Two's complement integers of 1 to 8 bytes; every row is good. As `int.from_bytes(..., signed=True)`."""
    width = _width(raw, 8)
    if width in (1, 2, 4, 8):
        return _view(raw, f"{'>' if byte_order == 'big' else '<'}i{width}").astype(np.int64)
    unused = 64 - 8 * width
    return (unsigned(raw, byte_order) << np.uint64(unused)).view(np.int64) >> unused


def _width(raw: Bytes, most: int) -> int:
    width: int = raw.shape[1]
    if not 1 <= width <= most:
        raise ValueError(f"a width of {width}: expected 1 to {most} bytes")
    return width


def _view(raw: Bytes, dtype: str) -> npt.NDArray[Any]:
    """(n, width) bytes as n elements; without a copy when the bytes of a row stand together."""
    if raw.strides[1] != 1:
        raw = np.ascontiguousarray(raw)
    return raw.view(dtype)[:, 0]


# Floating point


def ieee(raw: Bytes, byte_order: ByteOrder = "big") -> Float64s:
    """IEEE 754 numbers of 4 or 8 bytes; every row is good. As `numeric.decode_ieee`."""
    if raw.shape[1] not in (4, 8):
        raise ValueError(f"a width of {raw.shape[1]}: expected 4 or 8 bytes")
    with np.errstate(invalid="ignore"):  # a signalling NaN of 4 bytes
        return _view(raw, f"{'>' if byte_order == 'big' else '<'}f{raw.shape[1]}").astype(np.float64)


def hfp(raw: Bytes) -> Float64s:
    """Hexadecimal floating point of 4 or 8 bytes to the bit; every row is good. As `numeric.decode_hfp`."""
    width = raw.shape[1]
    if width not in _POWERS:
        raise ValueError(f"a width of {width}: expected 4 or 8 bytes")
    bits = unsigned(raw)
    places = np.uint64(8 * width - 8)
    fraction = bits & ((np.uint64(1) << places) - np.uint64(1))
    power = (bits >> places) & np.uint64(0x7F)
    # The conversion rounds, half to even; the product with a power of two is exact.
    value = fraction.view(np.int64).astype(np.float64)
    value *= _POWERS[width].take(power.view(np.int64))
    sign = (bits >> np.uint64(8 * width - 1)) << np.uint64(63)
    return (value.view(np.uint64) | sign).view(np.float64)


_POWERS = {
    4: np.ldexp(1.0, 4 * np.arange(128) - 280),
    8: np.ldexp(1.0, 4 * np.arange(128) - 312),
}
"""What the fraction, taken as an integer, is multiplied with; by width and power of 16."""

# Packed decimal


def packed(raw: Bytes) -> tuple[Int64s, Flags]:
    """Packed decimal of 1 to 10 bytes as unscaled integers, and `bad`. As `numeric.decode_packed(row, 0)`.

    A value of more than 18 digits is bad.
    """
    width = _width(raw, 10)
    last = unsigned(raw[:, -8:])
    bad, is_negative = _signs(last)
    value = _from_packed(last >> np.uint64(4))
    if width > 8:
        first = unsigned(raw[:, :-8])
        bad |= has_no_digit(first)
        if width == 10:
            bad |= first > np.uint64(0xFFF)
        value += _from_packed(first) * np.uint64(10**15)
    number = value.view(np.int64)
    np.negative(number, out=number, where=is_negative)
    number[bad] = 0
    return number, bad


def packed_decimal128(raw: Bytes) -> tuple[UInt64s, Flags]:
    """Packed decimal of 1 to 20 bytes as unscaled integers of 128 bits, and `bad`.

    The values are of shape (n, 2), least significant word first, two's complement: in memory the data of an
    Arrow decimal128. As `numeric.decode_packed(row, 0)`. A value of more than 38 digits is bad.
    """
    width = _width(raw, 20)
    last = unsigned(raw[:, -8:])
    bad, is_negative = _signs(last)
    low = _from_packed(last >> np.uint64(4))
    high = np.zeros_like(low)
    if width > 8:
        middle = unsigned(raw[:, -16:-8])
        bad |= has_no_digit(middle)
        low, high = _add(low, high, *_multiply(_from_packed(middle), 10**15))
    if width > 16:
        first = unsigned(raw[:, :-16])
        bad |= has_no_digit(first)
        if width == 20:
            bad |= first > np.uint64(0xFFFFFFF)
        low, high = _add(low, high, *_multiply(_from_packed(first), 10**31))
    sign = -is_negative.astype(np.int64)
    mask = sign.view(np.uint64)
    words = np.empty((len(raw), 2), "<u8")
    # Negated where the mask is all ones: the complement, plus one, whose carry reaches the high word from 0 only.
    words[:, 0] = (low ^ mask) - mask
    words[:, 1] = (high ^ mask) + (is_negative & (low == 0))
    words[bad] = 0
    return words, bad


def has_no_digit(packed_digits: UInt64s) -> Flags:
    """Whether one of 16 half bytes is above 9."""
    # Above 9 are the half bytes with 8 and 4, or 8 and 2.
    above = (packed_digits << np.uint64(1)) | (packed_digits << np.uint64(2))
    above &= packed_digits
    above &= np.uint64(0x8888888888888888)
    flags: Flags = above != 0
    return flags


def pairs_of_digits(packed_digits: UInt64s) -> UInt64s:
    """16 packed digits as 8 bytes of 0 to 99."""
    tens = packed_digits >> np.uint64(4)
    tens &= np.uint64(0x0F0F0F0F0F0F0F0F)
    tens *= np.uint64(6)
    return packed_digits - tens


def _from_packed(digits: UInt64s) -> UInt64s:
    """16 packed digits as an integer: pairs of neighbours are joined three times, in all places at once."""
    value = pairs_of_digits(digits)
    value = (value & np.uint64(0x00FF00FF00FF00FF)) + ((value >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)) * (
        np.uint64(100)
    )
    value = (value & np.uint64(0x0000FFFF0000FFFF)) + ((value >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) * (
        np.uint64(10_000)
    )
    return (value & np.uint64(0xFFFFFFFF)) + (value >> np.uint64(32)) * np.uint64(100_000_000)


def _signs(last: UInt64s) -> tuple[Flags, Flags]:
    """Whether the last half byte is no sign or another no digit, and whether the sign is minus."""
    sign = last & np.uint64(0xF)
    bad = has_no_digit(last >> np.uint64(4))
    bad |= sign < 10
    return bad, (sign == 0xB) | (sign == 0xD)


def _multiply(value: UInt64s, factor: int) -> tuple[UInt64s, UInt64s]:
    """Low and high word of the product with a number of up to 128 bits, by 32 bits at a time."""
    half, ones = np.uint64(32), np.uint64(0xFFFFFFFF)
    low_factor, high_factor = factor & 0xFFFFFFFFFFFFFFFF, factor >> 64
    f0, f1 = np.uint64(low_factor & 0xFFFFFFFF), np.uint64(low_factor >> 32)
    v0, v1 = value & ones, value >> half
    cross = (v0 * f0 >> half) + (v1 * f0 & ones)
    cross += v0 * f1 & ones
    high = (cross >> half) + (v1 * f0 >> half) + (v0 * f1 >> half) + v1 * f1
    if high_factor:
        high += value * np.uint64(high_factor)
    return value * np.uint64(low_factor), high


def _add(low: UInt64s, high: UInt64s, low2: UInt64s, high2: UInt64s) -> tuple[UInt64s, UInt64s]:
    total = low + low2
    return total, high + high2 + (total < low)


# Text


@dataclass(frozen=True)
class _Translation:
    """A single-byte page as tables for `bytes.translate`."""

    ascii: bytes
    """The ASCII character of a byte, X'FF' where it is none."""
    sizes: bytes
    """Bytes of the character in UTF-8, 0 where there is none."""
    has_undefined: bool


def can_vector(page: CodePage) -> bool:
    """Whether text of the page can be read by the column: one byte a character, UTF-8 or UTF-16.

    The functions below raise ValueError for another page.
    """
    return page.kind == "utf" or (page.table is not None and page.table.count(" ") == 1)


def _demand(page: CodePage) -> None:
    if not can_vector(page):
        raise ValueError(f"text in {page.name} cannot be read by the column")


def is_total(page: CodePage) -> bool:
    """Whether any bytes are text of the page."""
    return page.table is not None and UNDEFINED not in page.table


@lru_cache(maxsize=64)
def _translation(page: CodePage) -> _Translation:
    _demand(page)
    # In UTF-8 the bytes that are no ASCII character are looked at elsewhere.
    table = page.table if page.table is not None else bytes(range(128)).decode("ascii") + "\x80" * 128
    return _Translation(
        bytes(ord(char) if char < "\x80" else 0xFF for char in table),
        bytes(0 if char == UNDEFINED else len(char.encode()) for char in table),
        UNDEFINED in table,
    )


def text(raw: Bytes, page: CodePage, trim: bool = True) -> tuple[Bytes, Int32s, Flags]:
    """Text of fixed width as UTF-8, its offsets, and `bad`; with `trim`, without blanks at the end.

    As `page.decode`, and `rstrip(" ")`. UTF-16 with characters of four bytes is bad.
    """
    count, width = raw.shape
    blank = _blank(page)
    lengths = np.full(count, width, np.int64)
    if width % blank.itemsize:
        return np.zeros(0, np.uint8), np.zeros(count + 1, np.int32), np.ones(count, np.bool_)
    if trim and width:
        # NumPy's strings end before the zeros at their end, so blanks are made zeros.
        marked = np.ascontiguousarray(raw).view(blank.dtype) ^ blank
        lengths = np.char.str_len(marked.view(f"S{width}")[:, 0]).astype(np.int64)
        lengths += lengths % blank.itemsize
    return _encoded(_cut(raw, lengths), lengths, page)


def ragged_text(
    data: Bytes, starts: npt.NDArray[Any], lengths: npt.NDArray[Any], page: CodePage, trim: bool = False
) -> tuple[Bytes, Int32s, Flags]:
    """As `text`, of pieces of flat `data`. Raises ValueError as `ragged_bytes`, too."""
    blank = _blank(page)
    is_cut = np.not_equal(lengths % blank.itemsize, 0)
    flat, offsets = ragged_bytes(data, starts, np.where(is_cut, 0, lengths))
    lengths = np.diff(offsets)
    if trim and len(flat):
        kept = blank.itemsize * _without_blanks(flat.view(blank.dtype), offsets // blank.itemsize, blank)
        if not np.array_equal(kept, lengths):
            flat, lengths = ragged_bytes(flat, offsets[:-1], kept)[0], kept
    encoded, offsets, bad = _encoded(flat, lengths, page)
    return encoded, offsets, bad | is_cut


@lru_cache(maxsize=64)
def _blank(page: CodePage) -> np.unsignedinteger[Any]:
    """The blank as it stands in memory, one or two bytes; so wide are all characters of a fixed width."""
    _demand(page)
    raw = page.encode(" ")
    blank: np.unsignedinteger[Any] = np.frombuffer(raw, f"u{len(raw)}")[0]
    return blank


def _without_blanks(
    chars: npt.NDArray[Any], offsets: npt.NDArray[Any], blank: np.unsignedinteger[Any]
) -> npt.NDArray[Any]:
    """The length of each piece up to its last character that is no blank."""
    lengths = np.diff(offsets)
    last = np.maximum(offsets[1:] - 1, 0)
    if not (chars[last] == blank).any():
        return lengths
    # Behind the last such character before any place; in a piece before, if this one has only blanks.
    ends = np.where(chars != blank, np.arange(1, len(chars) + 1), 0)
    np.maximum.accumulate(ends, out=ends)
    return np.where(lengths > 0, np.maximum(ends[last] - offsets[:-1], 0), 0)


def _cut(raw: Bytes, lengths: Int64s) -> Bytes:
    """The first bytes of each row, put together."""
    count, width = raw.shape
    if not count or int(lengths.min()) == width:
        return np.ascontiguousarray(raw).reshape(-1)
    small: type[np.integer[Any]] = np.uint8 if width <= 0xFF else np.int64
    is_kept = np.less(np.arange(width, dtype=small), lengths.astype(small)[:, None])
    return raw[is_kept]


def _encoded(flat: Bytes, lengths: npt.NDArray[Any], page: CodePage) -> tuple[Bytes, Int32s, Flags]:
    """Text of one page in one piece, `lengths` bytes a row, as UTF-8."""
    if page.codec == "utf_8":
        return _checked(flat, lengths)
    if page.kind == "utf":
        return _from_utf16(flat, lengths, page)
    table = _translation(page)
    bad = np.zeros(len(lengths), np.bool_)
    raw = flat.tobytes()
    ascii_text = np.frombuffer(raw.translate(table.ascii), np.uint8)
    if not len(raw) or int(ascii_text.max()) < 0x80:
        return ascii_text, _offsets(lengths), bad
    sizes = np.frombuffer(raw.translate(table.sizes), np.uint8)
    if table.has_undefined and not int(sizes.min()):
        rows = np.repeat(np.arange(len(lengths)), lengths)
        bad[rows[sizes == 0]] = True
        is_kept = ~bad[rows]
        raw, sizes, lengths = flat[is_kept].tobytes(), sizes[is_kept], np.where(bad, 0, lengths)
    return np.frombuffer(page.decode(raw).encode(), np.uint8), _offsets(_sums(sizes, lengths)), bad


def _sums(sizes: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Int64s:
    """The sums of consecutive pieces of `sizes`."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return np.diff(ends[_offsets(lengths)])


def _from_utf16(flat: Bytes, lengths: npt.NDArray[Any], page: CodePage) -> tuple[Bytes, Int32s, Flags]:
    bad = np.zeros(len(lengths), np.bool_)
    units = flat.view(">u2" if page.codec == "utf_16_be" else "<u2").astype(np.uint16)
    is_surrogate = np.equal(units & 0xF800, 0xD800)
    if is_surrogate.any():
        bad[np.repeat(np.arange(len(lengths)), lengths // 2)[is_surrogate]] = True
        units = units[np.repeat(~bad, lengths // 2)]
        flat, lengths, _ = _without(flat, lengths, bad)
    sizes = 1 + (units >= 0x80).view(np.uint8) + (units >= 0x800).view(np.uint8)
    encoded = np.frombuffer(page.decode(flat.tobytes()).encode(), np.uint8)
    return encoded, _offsets(_sums(sizes, lengths // 2)), bad


def _checked(flat: Bytes, lengths: npt.NDArray[Any]) -> tuple[Bytes, Int32s, Flags]:
    """UTF-8 as it is; rows that are none are bad and left out."""
    bad = np.zeros(len(lengths), np.bool_)
    offsets = _offsets(lengths)
    if not len(flat) or int(flat.max()) < 0x80:
        return flat, offsets, bad
    # A row that starts inside a character could make a whole one with the row before.
    starts = np.minimum(offsets[:-1], len(flat) - 1)
    bad |= ((flat[starts] & 0xC0) == 0x80) & (lengths > 0)
    if bad.any():
        flat, lengths, offsets = _without(flat, lengths, bad)
    raw = memoryview(flat.tobytes())
    place = 0
    while place < len(raw):
        try:
            str(raw[place:], "utf-8")
            break
        except UnicodeDecodeError as error:
            row = int(np.searchsorted(offsets, place + error.start, side="right")) - 1
            bad[row] = True
            place = int(offsets[row + 1])
    if bad.any():
        flat, lengths, offsets = _without(flat, lengths, bad)
    return flat, offsets, bad


def _without(flat: Bytes, lengths: npt.NDArray[Any], bad: Flags) -> tuple[Bytes, npt.NDArray[Any], Int32s]:
    flat = flat[np.repeat(~bad, lengths)]
    lengths = np.where(bad, 0, lengths)
    return flat, lengths, _offsets(lengths)


# Numbers in text


def decimal_text(raw: Bytes, page: CodePage) -> tuple[Int64s, Flags, Flags]:
    """Integers in text, whether a row is blank (then 0), and `bad`. As `numeric.decode_decimal_text`.

    A value of more than 18 digits (zeros in front do not count) is bad, and so is all UTF-16.
    """
    count, width = raw.shape
    if page.kind == "utf" and page.codec != "utf_8":
        return np.zeros(count, np.int64), np.zeros(count, np.bool_), np.ones(count, np.bool_)
    classes = _classes(page)
    state = np.zeros(count, np.uint8)
    value = np.zeros(count, np.int64)
    is_negative = np.zeros(count, np.bool_)
    bad = np.zeros(count, np.bool_)
    digits = np.zeros(count, np.int64)
    for place in range(width):
        found = classes.take(raw[:, place])
        is_digit = found < 10
        bad |= is_digit & (value >= 10**17)
        value = np.where(is_digit, value * 10 + found, value)
        state = _STEPS.take(state * np.uint8(16) + found)
        is_negative |= found == _MINUS
        digits += is_digit
    bad |= (state == _SIGN_READ) | (state == _NOT_A_NUMBER)
    bad |= digits > 31
    np.negative(value, out=value, where=is_negative)
    value[bad] = 0
    return value, state == 0, bad


_BLANK, _PLUS, _MINUS, _OTHER = 10, 11, 12, 13
"""Classes of characters beside the ten digits."""
_BEFORE, _SIGN_READ, _IN_DIGITS, _BEHIND, _NOT_A_NUMBER = range(5)


def _steps() -> Bytes:
    """The next state by 16 times the state and the class of the next character."""
    steps = np.full((5, 16), _NOT_A_NUMBER, np.uint8)
    steps[[_BEFORE, _SIGN_READ, _IN_DIGITS], :10] = _IN_DIGITS
    steps[_BEFORE, [_PLUS, _MINUS]] = _SIGN_READ
    steps[_BEFORE, _BLANK] = _BEFORE
    steps[[_IN_DIGITS, _BEHIND], _BLANK] = _BEHIND
    return steps.reshape(-1)


_STEPS = _steps()


@lru_cache(maxsize=64)
def _classes(page: CodePage) -> Bytes:
    classes = np.full(256, _OTHER, np.uint8)
    for byte, char in enumerate(_translation(page).ascii):
        place = b"0123456789 +-".find(char)
        if place >= 0:
            classes[byte] = place
    return classes


def hex_text(raw: Bytes, page: CodePage) -> tuple[Bytes, Int32s, Flags, Flags]:
    """Hexadecimal digits in upper case without blanks around, their offsets, whether a row is blank, and `bad`.

    As `numeric.decode_hex_text`. All UTF-16 is bad.
    """
    count, width = raw.shape
    if page.kind == "utf" and page.codec != "utf_8":
        none = np.zeros(count, np.bool_)
        return np.zeros(0, np.uint8), np.zeros(count + 1, np.int32), none, ~none
    digits = np.frombuffer(raw.tobytes().translate(_hex_digits(page)), np.uint8).reshape(count, width)
    is_digit = digits != 0
    numbers = is_digit.sum(axis=1)
    is_blank = raw == _blank(page)
    is_null = is_blank.all(axis=1) if width else np.ones(count, np.bool_)
    # All digits stand together when as many lie between the first and the last of them.
    first = is_digit.argmax(axis=1) if width else np.zeros(count, np.int64)
    behind = width - is_digit[:, ::-1].argmax(axis=1) if width else first
    bad = (numbers + is_blank.sum(axis=1) != width) | ((numbers > 0) & (behind - first != numbers))
    lengths = np.where(bad, 0, numbers)
    return digits[is_digit & ~bad[:, None]], _offsets(lengths), is_null, bad


@lru_cache(maxsize=64)
def _hex_digits(page: CodePage) -> bytes:
    """The digit in upper case, in ASCII, of each byte; 0 for what is none."""
    chars = (bytes([char]) for char in _translation(page).ascii)
    return b"".join(char.upper() if char in b"0123456789ABCDEFabcdef" else b"\x00" for char in chars)
