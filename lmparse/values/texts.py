"""Text in a code page, and hexadecimal digits in text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int32s, Int64s, Ints, offsets_of
from lmparse.values.codepages import UNDEFINED, CodePage
from lmparse.values.invalid_values import invalid_value

# Characters


def decoder(page: CodePage, trim: bool = True) -> Callable[[bytes], str]:
    """The function that decodes text in a page; with `trim`, it removes trailing blanks."""
    return (lambda raw: page.decode(raw).rstrip(" ")) if trim else page.decode


def encode(text: str, width: int, page: CodePage) -> bytes:
    """Text in a page, padded with blanks to `width` bytes."""
    return page.encode(text).ljust(width, page.encode(" "))


def can_decode_array(page: CodePage) -> bool:
    """Whether text in the page can be decoded column-wise: one byte for each character, UTF-8 or UTF-16.

    The functions below raise ValueError for another page.
    """
    return page.kind == "utf" or (page.table is not None and page.table.count(" ") == 1)


def is_total(page: CodePage) -> bool:
    """Whether every byte is a character of the page, so that decoding cannot fail."""
    return page.table is not None and UNDEFINED not in page.table


@lru_cache(maxsize=64)
def to_ascii(page: CodePage) -> bytes:
    """A table for `bytes.translate`: the ASCII character of a byte, or X'FF' for other characters."""
    _demand(page)
    table = page.table if page.table is not None else bytes(range(128)).decode("ascii") + "\x80" * 128
    return bytes(ord(char) if char < "\x80" else 0xFF for char in table)


def _demand(page: CodePage) -> None:
    if not can_decode_array(page):
        raise ValueError(f"text in {page.name} cannot be decoded column-wise")


def decode_array(raw: Bytes, page: CodePage, trim: bool = True) -> tuple[Bytes, Int32s, Flags]:
    """Text of fixed width as UTF-8, its offsets, and `bad`; with `trim`, without trailing blanks.

    As `page.decode`, then `rstrip(" ")`. UTF-16 with characters of four bytes is bad.
    """
    count, width = raw.shape
    blank = _blank(page)
    lengths = np.full(count, width, np.int64)
    if width % blank.itemsize:
        return np.zeros(0, np.uint8), np.zeros(count + 1, np.int32), np.ones(count, np.bool_)
    if trim and width:
        # NumPy strings end in front of trailing zeros, so blanks become zeros.
        marked = np.ascontiguousarray(raw).view(blank.dtype) ^ blank
        lengths = np.char.str_len(marked.view(f"S{width}")[:, 0]).astype(np.int64)
        lengths += lengths % blank.itemsize
    return _encoded(_cut(raw, lengths), lengths, page)


def decode_ragged_array(data: Bytes, starts: Ints, lengths: Ints, page: CodePage) -> tuple[Bytes, Int32s, Flags]:
    """Text in the pieces of flat `data`, as `decode_array` without `trim`. Also raises ValueError as `ragged_bytes`."""
    is_cut = np.not_equal(lengths % _blank(page).itemsize, 0)
    flat, offsets = byte_arrays.ragged_bytes(data, starts, np.where(is_cut, 0, lengths))
    encoded, offsets, bad = _encoded(flat, np.diff(offsets), page)
    return encoded, offsets, bad | is_cut


@lru_cache(maxsize=64)
def _blank(page: CodePage) -> np.unsignedinteger[Any]:
    """The bytes of a blank as one integer; its width, one or two bytes, is that of a unit of the page."""
    _demand(page)
    raw = page.encode(" ")
    blank: np.unsignedinteger[Any] = np.frombuffer(raw, f"u{len(raw)}")[0]
    return blank


def _cut(raw: Bytes, lengths: Int64s) -> Bytes:
    """The first `lengths` bytes of each row, in one array."""
    count, width = raw.shape
    if not count or int(lengths.min()) == width:
        return np.ascontiguousarray(raw).reshape(-1)
    small: type[np.integer[Any]] = np.uint8 if width <= 0xFF else np.int64
    is_kept = np.less(np.arange(width, dtype=small), lengths.astype(small)[:, None])
    return raw[is_kept]


def _encoded(flat: Bytes, lengths: Ints, page: CodePage) -> tuple[Bytes, Int32s, Flags]:
    """Text of all rows in one page, `lengths` bytes for each row: its UTF-8, the offsets, and `bad`."""
    if page.codec == "utf_8":
        return _checked(flat, lengths)
    if page.kind == "utf":
        return _from_utf16(flat, lengths, page)
    bad = np.zeros(len(lengths), np.bool_)
    raw = flat.tobytes()
    ascii_text = np.frombuffer(raw.translate(to_ascii(page)), np.uint8)
    if not len(raw) or int(ascii_text.max()) < 0x80:
        return ascii_text, offsets_of(lengths), bad
    sizes = np.frombuffer(raw.translate(_sizes(page)), np.uint8)
    if not is_total(page) and not int(sizes.min()):
        rows = np.repeat(np.arange(len(lengths)), lengths)
        bad[rows[sizes == 0]] = True
        is_kept = ~bad[rows]
        raw, sizes, lengths = flat[is_kept].tobytes(), sizes[is_kept], np.where(bad, 0, lengths)
    return np.frombuffer(page.decode(raw).encode(), np.uint8), offsets_of(_sums(sizes, lengths)), bad


@lru_cache(maxsize=64)
def _sizes(page: CodePage) -> bytes:
    """Bytes of each of the 256 characters in UTF-8, 0 for an undefined byte."""
    return bytes(0 if char == UNDEFINED else len(char.encode()) for char in page.table or "")


def _sums(sizes: Ints, lengths: Ints) -> Int64s:
    """The sums of consecutive pieces of `sizes`."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return np.diff(ends[offsets_of(lengths)])


def _from_utf16(flat: Bytes, lengths: Ints, page: CodePage) -> tuple[Bytes, Int32s, Flags]:
    bad = np.zeros(len(lengths), np.bool_)
    units = flat.view(">u2" if page.codec == "utf_16_be" else "<u2").astype(np.uint16)
    is_surrogate = np.equal(units & 0xF800, 0xD800)
    if is_surrogate.any():
        bad[np.repeat(np.arange(len(lengths)), lengths // 2)[is_surrogate]] = True
        units = units[np.repeat(~bad, lengths // 2)]
        flat, lengths, _ = _without(flat, lengths, bad)
    sizes = 1 + (units >= 0x80).view(np.uint8) + (units >= 0x800).view(np.uint8)
    encoded = np.frombuffer(page.decode(flat.tobytes()).encode(), np.uint8)
    return encoded, offsets_of(_sums(sizes, lengths // 2)), bad


def _checked(flat: Bytes, lengths: Ints) -> tuple[Bytes, Int32s, Flags]:
    """UTF-8 unchanged; rows that are not UTF-8 are bad and left out."""
    bad = np.zeros(len(lengths), np.bool_)
    offsets = offsets_of(lengths)
    if not len(flat) or int(flat.max()) < 0x80:
        return flat, offsets, bad
    # A row that starts inside a character could complete a character of the previous row.
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


def _without(flat: Bytes, lengths: Ints, bad: Flags) -> tuple[Bytes, Ints, Int32s]:
    flat = flat[np.repeat(~bad, lengths)]
    lengths = np.where(bad, 0, lengths)
    return flat, lengths, offsets_of(lengths)


# Hexadecimal digits


def decode_hex(text: str) -> str | None:
    """Hexadecimal digits of a CHAR field in upper case, without blanks around. None if blank. Raises LMP-V008."""
    body = text.strip(" ")
    if not body:
        return None
    if not _HEX(body):
        raise invalid_value("LMP-V008", "hexadecimal digits", repr(text[:64]))
    return body.upper()


_HEX = re.compile(r"[0-9A-Fa-f]+").fullmatch


def decode_hex_array(raw: Bytes, page: CodePage) -> tuple[Bytes, Int32s, Flags, Flags]:
    """Hexadecimal digits in upper case without blanks around, offsets, flags of blank rows, and `bad`.

    As `decode_hex`. Every row in UTF-16 is bad.
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
    # The digits are adjacent if their count equals the distance from first to last.
    first = is_digit.argmax(axis=1) if width else np.zeros(count, np.int64)
    behind = width - is_digit[:, ::-1].argmax(axis=1) if width else first
    bad = (numbers + is_blank.sum(axis=1) != width) | ((numbers > 0) & (behind - first != numbers))
    lengths = np.where(bad, 0, numbers)
    return digits[is_digit & ~bad[:, None]], offsets_of(lengths), is_null, bad


@lru_cache(maxsize=64)
def _hex_digits(page: CodePage) -> bytes:
    """The upper-case ASCII digit of each byte; 0 for a byte that is no digit."""
    chars = (bytes([char]) for char in to_ascii(page))
    return b"".join(char.upper() if char in b"0123456789ABCDEFabcdef" else b"\x00" for char in chars)
