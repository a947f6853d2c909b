"""Every function of arrays against the function of one value beside it: equal, or bad where that one refuses."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from vectors.files import timestamp17_micros

from lmparse.errors import InvalidValueError
from lmparse.values import byte_arrays, codepages, decimals, floats, integers, packed_times, text_times, texts
from lmparse.values.byte_arrays import Bytes

CP037, ASCII, UTF8 = (codepages.lookup(ccsid) for ccsid in (37, 819, 1208))


@dataclass(frozen=True)
class Kernel:
    """One kernel at one width."""

    name: str
    width: int
    read: Callable[[Bytes], tuple[list[Any], Any]]
    """Values and `bad`."""
    scalar: Callable[[bytes], Any]
    valid: st.SearchStrategy[bytes]
    empty: Any
    """The value at a bad row."""
    edges: tuple[bytes, ...] = ()
    is_beyond: Callable[[Any], bool] = lambda value: False
    """Whether the kernel may leave a value to the scalar function."""

    def __str__(self) -> str:
        return self.name


def layouts(rows: Sequence[bytes], width: int) -> Iterator[Bytes]:
    """The rows one behind the other, inside of longer records, and by the column."""
    flat = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width)
    yield flat
    records = np.full((2 * len(rows), width + 7), 0xA5, np.uint8)
    records[::2, 3 : 3 + width] = flat
    yield records[::2, 3 : 3 + width]
    yield np.asfortranarray(flat)


def check(kernel: Kernel, rows: Sequence[bytes]) -> None:
    for raw in layouts(rows, kernel.width):
        before = raw.copy()
        values, bad = kernel.read(raw)
        assert np.array_equal(raw, before), "the rows were changed"
        assert len(values) == len(bad) == len(rows)
        for row, value, is_bad in zip(rows, values, bad, strict=True):
            try:
                expected = kernel.scalar(row)
            except InvalidValueError:
                assert is_bad, row.hex()
                assert value == kernel.empty, row.hex()
                continue
            if is_bad:
                assert kernel.is_beyond(expected), row.hex()
                assert value == kernel.empty, row.hex()
            else:
                assert (value, type(value)) == (expected, type(expected)), row.hex()


def good(count: int) -> npt.NDArray[np.bool_]:
    return np.zeros(count, np.bool_)


# Numbers


def from_packed(raw: bytes) -> int:
    return int(decimals.decode_packed(raw, 0))


def words(values: npt.NDArray[np.uint64]) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little", signed=True) for row in values]


def packed_bytes(width: int, most_digits: int) -> st.SearchStrategy[bytes]:
    digits = min(2 * width - 1, most_digits)
    numbers = st.integers(0, 10**digits - 1) | st.sampled_from([0, 1, 10**digits - 1])
    return st.builds(lambda n, sign: bytes.fromhex(f"{n:0{2 * width - 1}d}{sign}"), numbers, st.sampled_from("ABCDEF"))


def packed_edges(width: int) -> tuple[bytes, ...]:
    digits = 2 * width - 1
    signs = [f"{number:0{digits}d}"[-digits:] + sign for number in (0, 7) for sign in "0123456789ABCDEF"]
    largest = ["0" * (digits - most) + "9" * most + sign for most in range(digits + 1) for sign in "CD"]
    faulty = ["0" * place + digit + "0" * (digits - 1 - place) + "C" for place in range(digits) for digit in "AF"]
    return tuple(map(bytes.fromhex, signs + largest + faulty))


def packed(width: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        values, bad = decimals.decode_packed_array(raw)
        assert values.dtype == np.int64
        return values.tolist(), bad

    return Kernel(
        f"packed-{width}", width, read, from_packed, packed_bytes(width, 18), 0, packed_edges(width),
        lambda value: abs(value) >= 10**18,
    )  # fmt: skip


def packed128(width: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        values, bad = decimals.decode_packed_array128(raw)
        assert values.shape == (len(raw), 2)
        assert values.flags.c_contiguous
        return words(values), bad

    return Kernel(
        f"packed_decimal128-{width}", width, read, from_packed, packed_bytes(width, 38), 0, packed_edges(width),
        lambda value: abs(value) >= 10**38,
    )  # fmt: skip


def binary(width: int, order: Any, is_signed: bool) -> Kernel:
    kernel = integers.decode_signed_array if is_signed else integers.decode_unsigned_array
    edges = [0, 1, 2 ** (8 * width - 1) - 1, 2 ** (8 * width - 1), 2 ** (8 * width) - 1]
    return Kernel(
        f"{kernel.__name__}-{order}-{width}", width, lambda raw: (kernel(raw, order).tolist(), good(len(raw))),
        lambda raw: int.from_bytes(raw, order, signed=is_signed), st.binary(min_size=width, max_size=width), 0,
        tuple(edge.to_bytes(width, order) for edge in edges),
    )  # fmt: skip


def bits(values: npt.NDArray[np.float64]) -> list[bytes]:
    assert values.dtype == np.float64
    return [struct.pack("d", value) for value in values.tolist()]


def hfp(width: int) -> Kernel:
    halves = [  # ties and their neighbours, at the least and greatest powers
        bytes([power]) + fraction.to_bytes(7, "big")[-(width - 1) :]
        for power in (0x00, 0x80, 0x40, 0xC1, 0x7F, 0xFF)
        for fraction in (0, 1, 0x20000000000004, 0x80000000000004, 0x8000000000000C, 0x80000000000005,
                         0xFFFFFFFFFFFFFC, 0xFFFFFFFFFFFFFF, 0x0FFFFFFFFFFFFF, 0x3FFFFFFFFFFFFF)
    ]  # fmt: skip
    return Kernel(
        f"hfp-{width}", width, lambda raw: (bits(floats.decode_hfp_array(raw)), good(len(raw))),
        lambda raw: struct.pack("d", floats.decode_hfp(raw)), st.binary(min_size=width, max_size=width), b"",
        tuple(halves),
    )  # fmt: skip


def ieee(width: int, order: Any) -> Kernel:
    letter = {4: "f", 8: "d"}[width]
    numbers = (0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 2.0**-140, -3.25)
    return Kernel(
        f"ieee-{order}-{width}", width, lambda raw: (bits(floats.decode_ieee_array(raw, order)), good(len(raw))),
        lambda raw: struct.pack("d", floats.decode_ieee(raw, order)), st.binary(min_size=width, max_size=width), b"",
        tuple(struct.pack({"big": ">", "little": "<"}[order] + letter, number) for number in numbers),
    )  # fmt: skip


# Times

DAYS = st.dates() | st.sampled_from([date.min, date.max, date(1970, 1, 1), date(2000, 2, 29), date(2024, 2, 29)])
SECONDS = st.builds(
    lambda day, clock: day.strftime("%Y").zfill(4) + day.strftime("%m%d") + clock,
    DAYS,
    st.times().map(lambda clock: clock.strftime("%H%M%S")) | st.sampled_from(["000000", "235959"]),
)
"""14 digits."""
EDGE_DAYS = (
    "19700101", "19691231", "00010101", "99991231", "00000101", "00000000", "20000229", "19000229", "20240229",
    "20230229", "20230228", "20240230", "20240431", "20240430", "20241301", "20240001", "20240100", "20240132",
    "20240131", "20249999", "04000229", "01000229",
)  # fmt: skip
EDGE_TIMES = (
    "000000", "235959", "240000", "240001", "240100", "250000", "236000", "235960", "006000", "000060", "990000",
    "009900", "000099", "225960", "226000",
)  # fmt: skip
EDGE_SECONDS = tuple(day + "101112" for day in EDGE_DAYS) + tuple("20240229" + clock for clock in EDGE_TIMES)


def fractions(digits: int) -> st.SearchStrategy[str]:
    return st.integers(0, 10**digits - 1).map(lambda n: f"{n:0{digits}d}") | st.just("0" * digits)


def spoilt(texts: Sequence[str], spoils: str) -> list[str]:
    """The first text with each character in each place."""
    first = texts[0]
    return [*texts, *(first[:place] + char + first[place + 1 :] for place in range(len(first)) for char in spoils)]


def timestamp17() -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        micros, is_null, bad, has_finer = packed_times.timestamp17_micros_array(raw)
        assert micros.dtype == np.int64
        assert not (is_null & bad).any()
        assert not micros[is_null].any()
        pairs = zip(micros.tolist(), has_finer.tolist(), strict=True)
        return [None if null else pair for null, pair in zip(is_null, pairs, strict=True)], bad

    def scalar(raw: bytes) -> tuple[int, bool] | None:
        micros = timestamp17_micros(raw)
        return None if micros is None else (micros, bool(raw.hex()[20:].strip("0")))

    texts = spoilt([second + "0" * 20 for second in EDGE_SECONDS], "AF9")
    texts += [f"20240229{clock}{'0' * place}1{'0' * (19 - place)}" for clock in ("240000", "235959")
              for place in range(20)]  # fmt: skip
    texts += ["0" * 34, "0" * 33 + "1", "F" * 34]
    valid = st.builds(lambda second, fraction: bytes.fromhex(second + fraction), SECONDS, fractions(20))
    return Kernel("timestamp17", 17, read, scalar, valid, (0, False), tuple(map(bytes.fromhex, texts)))


def timestamp_digits(width: int, precision: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        micros, bad, has_finer = packed_times.timestamp_micros_array(raw, precision)
        return list(zip(micros.tolist(), has_finer.tolist(), strict=True)), bad

    def scalar(raw: bytes) -> tuple[int, bool]:
        text = packed_times.decode_timestamp(raw, precision)
        micros = text_times.timestamp_micros(text.replace("T", "-").replace(":", "."))
        return micros, bool(text[26:].strip("0"))

    digits = 2 * width - 14
    texts = spoilt([second + "0" * digits for second in EDGE_SECONDS], "AF9")
    texts += [f"20240229{clock}{'0' * place}1{'0' * (digits - 1 - place)}" for clock in ("240000", "235959")
              for place in range(digits)]  # fmt: skip
    kept = min(precision, digits)
    rest = "0" * (digits - kept)
    valid = st.builds(
        lambda second, fraction: second + fraction + rest, SECONDS, fractions(kept) if kept else st.just("")
    )
    return Kernel(
        f"timestamp_digits-{width}-{precision}", width, read, scalar, valid.map(bytes.fromhex), (0, False),
        tuple(map(bytes.fromhex, texts)),
    )  # fmt: skip


def date_digits() -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        days, bad = packed_times.date_days_array(raw)
        assert days.dtype == np.int32
        return days.tolist(), bad

    return Kernel(
        "date_digits", 4, read, lambda raw: text_times.date_days(packed_times.decode_date(raw)),
        SECONDS.map(lambda second: bytes.fromhex(second[:8])), 0, tuple(map(bytes.fromhex, spoilt(EDGE_DAYS, "AF9"))),
    )  # fmt: skip


def in_chars(kernel: Callable[[Bytes], tuple[Bytes, Any]]) -> Callable[[Bytes], tuple[list[Any], Any]]:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        shown, bad = kernel(raw)
        assert shown.dtype == np.uint8
        assert shown.flags.c_contiguous
        return [row.tobytes().decode("ascii").strip("\0") for row in shown], bad

    return read


def time_digits() -> Kernel:
    return Kernel(
        "time_digits", 3, in_chars(packed_times.decode_time_array), packed_times.decode_time,
        SECONDS.map(lambda second: bytes.fromhex(second[8:])), "", tuple(map(bytes.fromhex, spoilt(EDGE_TIMES, "AF9"))),
    )  # fmt: skip


def from_text(raw: bytes) -> str:
    return (CP037 if raw[:1] >= b"\xf0" else ASCII).decode(raw)


def in_both(text: str) -> tuple[bytes, bytes]:
    return text.encode("cp037"), text.encode("latin-1")


def either(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return st.builds(str.encode, texts, st.sampled_from(["cp037", "ascii"]))


def text_edges(texts: Sequence[str]) -> tuple[bytes, ...]:
    """In both encodings, spoilt at each place, and with each byte in the other encoding."""
    rows = [row for text in spoilt(texts, " :/.-0A9+T") for row in in_both(text)]
    for ebcdic, ascii_text in [in_both(texts[0])]:
        for place in range(len(ebcdic)):
            rows.append(ebcdic[:place] + ascii_text[place : place + 1] + ebcdic[place + 1 :])
            rows.append(ascii_text[:place] + ebcdic[place : place + 1] + ascii_text[place + 1 :])
            rows += [ebcdic[:place] + byte + ebcdic[place + 1 :] for byte in (b"\xfa", b"\xff", b"\x00")]
            rows += [ascii_text[:place] + byte + ascii_text[place + 1 :] for byte in (b"\x3a", b"\xb0", b"\x00")]
    return tuple(rows)


def dashed(second: str) -> str:
    return f"{second[:4]}-{second[4:6]}-{second[6:8]}-{second[8:10]}.{second[10:12]}.{second[12:14]}"


def date_text() -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        days, bad = text_times.date_days_array(raw)
        assert days.dtype == np.int32
        return days.tolist(), bad

    edges = text_edges([dashed(day + "000000")[:10] for day in EDGE_DAYS])
    valid = either(SECONDS.map(lambda second: dashed(second)[:10]))
    return Kernel("date_text", 10, read, lambda raw: text_times.date_days(from_text(raw)), valid, 0, edges)


def time_text() -> Kernel:
    edges = text_edges([dashed("20240101" + clock)[11:] for clock in EDGE_TIMES])
    valid = either(SECONDS.map(lambda second: dashed(second)[11:]))
    scalar: Callable[[bytes], str] = lambda raw: text_times.decode_time(from_text(raw))  # noqa: E731
    return Kernel("time_text", 8, in_chars(text_times.decode_time_array), scalar, valid, "", edges)


def timestamp_texts(digits: int) -> tuple[st.SearchStrategy[str], list[str]]:
    seconds = list(map(dashed, EDGE_SECONDS))
    if not digits:
        return SECONDS.map(dashed), seconds
    valid = st.builds(lambda second, fraction: f"{dashed(second)}.{fraction}", SECONDS, fractions(digits))
    edges = [f"{second}.{'0' * digits}" for second in seconds]
    edges += [f"2024-02-29-{clock}.{'0' * place}1{'0' * (digits - 1 - place)}" for clock in ("24.00.00", "23.59.59")
              for place in range(digits)]  # fmt: skip
    return valid, edges


def timestamp_text(digits: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        micros, bad, has_finer = text_times.timestamp_micros_array(raw)
        return list(zip(micros.tolist(), has_finer.tolist(), strict=True)), bad

    def scalar(raw: bytes) -> tuple[int, bool]:
        text = from_text(raw)
        return text_times.timestamp_micros(text), bool(text[26:].strip("0"))

    valid, edges = timestamp_texts(digits)
    width = 20 + digits if digits else 19
    return Kernel(f"timestamp_text-{width}", width, read, scalar, either(valid), (0, False), text_edges(edges))


ZONES = ("+00:00", "-00:00", "+14:00", "+14:01", "+13:59", "-12:59", "-13:00", "-12:60", "+00:60", "+99:00", "00:000")


def timestamp_tz_text(digits: int) -> Kernel:
    valid, edges = timestamp_texts(digits)
    width = 26 + digits if digits else 25
    zoned = st.builds(str.__add__, valid, st.sampled_from(["+00:00", "-12:59", "+14:00", "+05:30"]))
    texts = [edges[0] + zone for zone in ZONES] + [edge + "+02:00" for edge in edges]
    scalar: Callable[[bytes], str] = lambda raw: text_times.decode_timestamp_tz(from_text(raw))  # noqa: E731
    return Kernel(
        f"timestamp_tz_text-{width}", width, in_chars(text_times.decode_timestamp_tz_array), scalar, either(zoned), "",
        text_edges(texts),
    )  # fmt: skip


# The same with all digits as text


def in_full(kernel: Kernel, read: Callable[[Bytes], tuple[Bytes, Any]], scalar: Callable[[bytes], Any]) -> Kernel:
    """A kernel of times that gives text, over the values and edges of the one that gives numbers."""
    return replace(kernel, name=f"{kernel.name}-full", read=in_chars(read), scalar=scalar, empty="")


def timestamp17_in_full() -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        data, offsets, is_null, bad = packed_times.decode_timestamp17_array(raw)
        shown = pieces(data, offsets)
        return [None if null else text for null, text in zip(is_null, shown, strict=True)], bad

    return replace(timestamp17(), name="timestamp17-full", read=read, scalar=packed_times.decode_timestamp17, empty="")


def times_in_full() -> list[Kernel]:
    packed_dates = in_full(date_digits(), packed_times.decode_date_array, packed_times.decode_date)
    texts_ = in_full(date_text(), text_times.decode_date_array, lambda raw: text_times.decode_date(from_text(raw)))
    timestamps = [
        in_full(timestamp_text(digits), text_times.decode_timestamp_array,
                lambda raw: text_times.decode_timestamp(from_text(raw)))
        for digits in (0, 1, 5, 6, 12)
    ]  # fmt: skip
    packed_ = [
        in_full(timestamp_digits(width, precision), partial(packed_times.decode_timestamp_array, precision=precision),
                partial(packed_times.decode_timestamp, precision=precision))
        for width, precision in ((7, 0), (8, 1), (8, 2), (10, 6), (13, 12), (13, 6), (7, 6))
    ]  # fmt: skip
    return [packed_dates, texts_, *timestamps, *packed_, timestamp17_in_full()]


# Text


def pieces(data: Bytes, offsets: npt.NDArray[np.int32]) -> list[str]:
    assert data.dtype == np.uint8
    assert offsets.dtype == np.int32
    assert offsets[0] == 0
    assert offsets[-1] == len(data)
    raw = data.tobytes()
    return [raw[start:end].decode() for start, end in pairwise(offsets)]


def encodable(page: codepages.CodePage, width: int) -> st.SearchStrategy[bytes]:
    """Text that fills the width, often with blanks at the end."""
    if page.table is not None:
        defined = [bytes([byte]) for byte, char in enumerate(page.table) if char != codepages.UNDEFINED]
        chars = st.sampled_from(defined)
    else:
        chars = st.characters(exclude_categories=["Cs"]).map(page.encode)
    blank = page.encode(" ")

    def filled(parts: list[bytes]) -> bytes:
        raw = b""
        for part in parts:
            if len(raw) + len(part) <= width:
                raw += part
        return raw + blank * ((width - len(raw)) // len(blank))

    return st.lists(chars | st.just(blank), max_size=width).map(filled)


def text(page: codepages.CodePage, width: int, trim: bool) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        data, offsets, bad = texts.decode_array(raw, page, trim)
        return pieces(data, offsets), bad

    def scalar(raw: bytes) -> str:
        shown = page.decode(raw)
        return shown.rstrip(" ") if trim else shown

    blank = page.encode(" ")
    edges = [(blank * width)[:width], bytes(width), b"\xff" * width, (page.encode("A") + blank * width)[:width],
             (page.encode("A") * width)[:width], (page.encode("A 0 ") * width)[:width]]  # fmt: skip
    edges += [bytes([byte]) * width for byte in range(256)]
    if page is UTF8 and width == 4:
        edges += [b"ab\xc3\xa9", b"abc\xc3", b"\xa9 ab", "\u20acx".encode(), "\U0001f600".encode(), b"\xed\xa0\x80x",
                  b"\xc0\x80ab", b"\xf0\x9f\x98a", b"abcd", b"abc\xe2", b"\x82\xacab", b"\xf8\x88\x80\x80"]  # fmt: skip
    if page.kind == "utf" and page is not UTF8:
        edges += [page.encode(char * (width // 2)) for char in "\u2000\u0120\u0020\u07ff\u0800\uffff"]
    return Kernel(
        f"text-{page.name}-{width}{'-trim' * trim}", width, read, scalar, encodable(page, width), "", tuple(edges),
        lambda value: page.kind == "utf" and page is not UTF8 and any(char > "\uffff" for char in value),
    )  # fmt: skip


def decimal_text(page: codepages.CodePage, width: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        values, is_null, bad = decimals.decode_text_array(raw, page)
        assert values.dtype == np.int64
        assert not (is_null & bad).any()
        return [None if null else value for null, value in zip(is_null, values.tolist(), strict=True)], bad

    def padded(value: int, form: str, left: int) -> str:
        shown = format(value, form)[:width]
        return (" " * min(left, width - len(shown)) + shown).ljust(width)

    numbers = st.integers(-(10 ** (min(width, 18) - 1)) + 1, 10 ** min(width, 18) - 1)
    texts = st.builds(padded, numbers, st.sampled_from(["d", "+d"] if width > 18 else ["d"]), st.integers(0, width))
    samples = ["", "0", "-0", "+0", "-", "+", "+-1", "1-", "1 2", "- 1", " 12 ", "  -7", "12A", "\xb2", "1.", "1_0",
               "9" * 18, "0" * 20 + "7", "-" + "9" * 18, "9" * 19, "1" + "0" * 18, "9" * 31, "0" * 31, "0" * 32,
               "0" * 31 + "5", "\t1", "1\n"]  # fmt: skip
    samples = [sample for sample in samples if page.table is None or set(sample) <= set(page.table)]
    edges = [
        page.encode(fit[:width])[:width] for sample in samples for fit in (sample.ljust(width), sample.rjust(width))
    ]
    return Kernel(
        f"decimal_text-{page.name}-{width}", width, read, lambda raw: decimals.decode_text(page.decode(raw)),
        texts.map(page.encode), 0, tuple(edges), lambda value: value is not None and abs(value) >= 10**18,
    )  # fmt: skip


def hex_text(page: codepages.CodePage, width: int) -> Kernel:
    def read(raw: Bytes) -> tuple[list[Any], Any]:
        data, offsets, is_null, bad = texts.decode_hex_array(raw, page)
        assert not (is_null & bad).any()
        return [None if null else text for null, text in zip(is_null, pieces(data, offsets), strict=True)], bad

    samples = ["", "0", "aF09", "12 4", "G", "12G", "a", "  ab", "@", "\xff", "A\t"]
    edges = [page.encode(fit) for sample in samples for fit in (sample.ljust(width), sample.rjust(width))]
    digits = st.text("0123456789abcdefABCDEF", max_size=width)
    shown = st.builds(lambda text, left: text.rjust(min(left, width)).ljust(width), digits, st.integers(0, width))
    return Kernel(
        f"hex_text-{page.name}-{width}", width, read, lambda raw: texts.decode_hex(page.decode(raw)),
        shown.map(page.encode), "", tuple(edge[:width] for edge in edges),
    )  # fmt: skip


THAI, GREEK, LATIN2, POLISH, UTF16, UTF16_LE, WINDOWS = (
    codepages.lookup(ccsid) for ccsid in (838, 875, 870, 912, 1200, 1202, 1252)
)
KERNELS = [
    *(packed(width) for width in (1, 2, 3, 7, 8, 9, 10)),
    *(packed128(width) for width in (1, 5, 8, 9, 15, 16, 17, 19, 20)),
    *(binary(width, order, is_signed) for width in range(1, 9) for order in ("big", "little")
      for is_signed in (False, True)),
    *(hfp(width) for width in (4, 8)),
    *(ieee(width, order) for width in (4, 8) for order in ("big", "little")),
    timestamp17(),
    *(timestamp_digits(width, precision) for width, precision in
      ((7, 0), (8, 0), (8, 1), (8, 2), (9, 3), (10, 5), (10, 6), (11, 7), (13, 12), (13, 6), (7, 6))),
    date_digits(), time_digits(), date_text(), time_text(),
    *(timestamp_text(digits) for digits in (0, 1, 4, 5, 6, 7, 12)),
    *(timestamp_tz_text(digits) for digits in (0, 1, 6, 12)),
    *times_in_full(),
    *(text(page, width, trim) for page in (CP037, UTF8) for width in (1, 4, 9) for trim in (True, False)),
    *(text(page, 5, True) for page in (THAI, GREEK, LATIN2, POLISH, ASCII, WINDOWS)),
    *(text(page, width, trim) for page in (UTF16, UTF16_LE) for width, trim in ((6, True), (4, False))),
    *(decimal_text(page, width) for page in (CP037, ASCII, THAI, UTF8) for width in (4, 20)),
    decimal_text(CP037, 33),
    *(hex_text(page, width) for page in (CP037, ASCII) for width in (4, 12)),
]  # fmt: skip
each = pytest.mark.parametrize("kernel", KERNELS, ids=str)
few = examples(10, 25, database=None)


@each
def test_edges(kernel: Kernel) -> None:
    assert len(kernel.edges) > 3
    check(kernel, kernel.edges)
    for size in (0, 1, 3):
        check(kernel, kernel.edges[:size])


@each
@few
@given(data=st.data())
def test_any_bytes(kernel: Kernel, data: st.DataObject) -> None:
    check(kernel, data.draw(st.lists(st.binary(min_size=kernel.width, max_size=kernel.width), max_size=12)))


@each
@few
@given(data=st.data())
def test_valid_values_and_their_neighbours(kernel: Kernel, data: st.DataObject) -> None:
    rows = data.draw(st.lists(kernel.valid, max_size=8))
    check(kernel, rows)
    _, bad = kernel.read(next(layouts(rows, kernel.width)))
    assert all(kernel.is_beyond(kernel.scalar(row)) for row, is_bad in zip(rows, bad, strict=True) if is_bad)
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, kernel.width - 1), st.integers(0, 255)), max_size=4)
    ):
        rows += [row[:place] + bytes([byte]) + row[place + 1 :] for row in rows[:1]]
    check(kernel, rows)


# Rows and pieces


PIECES = st.lists(st.binary(max_size=9), max_size=12)


@given(PIECES, st.randoms(use_true_random=False))
def test_pieces(parts: list[bytes], random: Any) -> None:
    data = np.frombuffer(b"".join(parts), np.uint8)
    starts = np.cumsum([0, *map(len, parts)])[:-1].astype(np.int64)
    order = list(range(len(parts))) * 2
    random.shuffle(order)
    lengths = np.array([len(parts[place]) for place in order], np.int64)
    taken, offsets = byte_arrays.ragged_bytes(data, starts[order], lengths)
    raw = taken.tobytes()
    assert [raw[a:b] for a, b in pairwise(offsets)] == [parts[place] for place in order]
    for width in range(4):
        fitting = starts[starts + width <= len(data)]
        rows = byte_arrays.take_rows(data, fitting, width)
        assert rows.shape == (len(fitting), width)
        assert [row.tobytes() for row in rows] == [data[start : start + width].tobytes() for start in fitting]


TEXTS = st.lists(st.text(st.sampled_from("aZ \xe9 \u20ac\u0151\U0001f600"), max_size=6), max_size=12)


@pytest.mark.parametrize("page", [CP037, UTF8, THAI, POLISH, WINDOWS, UTF16, UTF16_LE], ids=lambda page: page.name)
@few
@given(written=TEXTS, spoils=st.lists(st.binary(max_size=5), max_size=3))
def test_pieces_of_text(page: codepages.CodePage, written: list[str], spoils: list[bytes]) -> None:
    lacks = set("".join(written)) - set(page.table or "".join(written))
    rows = [page.encode("".join(char for char in text if char not in lacks)) for text in written] + spoils
    starts = np.cumsum([2, *map(len, rows)])[:-1]
    data = np.frombuffer(b"??" + b"".join(rows), np.uint8)
    encoded, offsets, bad = texts.decode_ragged_array(data, starts, np.array(list(map(len, rows)), np.int64), page)
    for row, value, is_bad in zip(rows, pieces(encoded, offsets), bad, strict=True):
        try:
            expected = page.decode(row)
        except InvalidValueError:
            assert is_bad
            continue
        assert value == ("" if is_bad else expected)
        assert not is_bad or (page in (UTF16, UTF16_LE) and max(expected) > "\uffff")


@pytest.mark.parametrize(
    "page", [page for page in codepages._PAGES.values() if texts.can_decode_array(page)], ids=lambda page: page.name
)
def test_every_byte_of_every_page(page: codepages.CodePage) -> None:
    for width in (1, 2):
        rows = [bytes([byte] * width) for byte in range(256)]
        check(text(page, width, True), rows)


@pytest.mark.parametrize("page", [UTF16, UTF16_LE], ids=lambda page: page.name)
def test_characters_of_two_bytes_in_an_odd_width(page: codepages.CodePage) -> None:
    for trim in (True, False):
        data, offsets, bad = texts.decode_array(np.zeros((2, 3), np.uint8), page, trim)
        assert (pieces(data, offsets), bad.tolist()) == (["", ""], [True, True])


def test_rows_outside_of_the_data() -> None:
    data = np.arange(10, dtype=np.uint8)
    assert byte_arrays.take_rows(data, np.array([0, 7]), 3).tolist() == [[0, 1, 2], [7, 8, 9]]
    assert byte_arrays.take_rows(data[::2], np.array([1]), 2).tolist() == [[2, 4]]
    assert byte_arrays.take_rows(data, np.array([], np.int64), 30).shape == (0, 30)
    for start in (-1, 8):
        with pytest.raises(ValueError, match="outside of 10 bytes"):
            byte_arrays.take_rows(data, np.array([0, start]), 3)
        with pytest.raises(ValueError, match="outside of 10 bytes"):
            byte_arrays.ragged_bytes(data, np.array([0, start]), np.array([1, 3]))
    with pytest.raises(ValueError, match="outside of 2 bytes"):
        byte_arrays.take_rows(data[:2], np.array([0]), 3)
    with pytest.raises(ValueError, match="outside of 10 bytes"):
        byte_arrays.ragged_bytes(data, np.array([3, 3]), np.array([2, -2]))
    found, _ = byte_arrays.ragged_bytes(data, np.array([99, 3], np.uint64), np.array([0, 2], np.uint16))
    assert found.tolist() == [3, 4]


def test_text_beyond_offsets_of_32_bits() -> None:
    data = np.broadcast_to(np.uint8(0xC1), (2**31,))
    with pytest.raises(ValueError, match="32 bits"):
        byte_arrays.ragged_bytes(data, np.array([0, 0]), np.array([2**30, 2**30]))
