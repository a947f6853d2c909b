"""Inspector: what some bytes are as a number, a decimal, a time or a text, by the decoders that read records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from lmparse.errors import InvalidValueError, OptionError
from lmparse.review.explain.characters import pages_beside
from lmparse.review.explain.explanation import printable
from lmparse.terminal import json_text
from lmparse.values import decimals, floats, integers, kinds, packed_times, positions
from lmparse.values.codepages import CodePage, lookup
from lmparse.values.json_form import to_json

MOST_BYTES = 256
"""Most bytes that are inspected at once."""
_WIDEST_INTEGER, _WIDEST_DECIMAL = 8, 20
_BITS = 8
"""Most bytes whose bits are shown."""


class Inspected(NamedTuple):
    """One way to read the bytes."""

    name: str
    value: str
    """The value; empty where the bytes are not one."""
    reason: str
    """Why they are not one."""


def inspected(raw: bytes, page: CodePage | None) -> list[Inspected]:
    """Every way to read some bytes that their number allows. Raises OptionError for no bytes, or too many."""
    if not 0 < len(raw) <= MOST_BYTES:
        raise OptionError(f"{len(raw)} bytes are selected", hint=f"select 1 to {MOST_BYTES} bytes")
    return [_read(name, decode, raw) for name, decode in _decoders(len(raw), page)]


def _read(name: str, decode: Callable[[bytes], Any], raw: bytes) -> Inspected:
    try:
        value = decode(raw)
    except InvalidValueError as error:
        return Inspected(name, "", printable(f"{error.says()} [{error.code}]"))
    shown = value if isinstance(value, str) else json_text(to_json(value))
    return Inspected(name, printable(shown), "")


def _decoders(size: int, page: CodePage | None) -> Iterator[tuple[str, Callable[[bytes], Any]]]:
    """The decoders for so many bytes, each with its name."""
    yield "hex", lambda raw: raw.hex(" ").upper()
    if size <= _BITS:
        yield "bits", lambda raw: " ".join(f"{byte:08b}" for byte in raw)
    if size <= _WIDEST_INTEGER:
        yield from _integers(size)
    if size in (4, 8):
        yield f"IEEE float, {size} bytes, big-endian", floats.decode_ieee
        yield f"IEEE float, {size} bytes, little-endian", partial(floats.decode_ieee, byte_order="little")
        yield f"hexadecimal float, {size} bytes", floats.decode_hfp
    if size <= _WIDEST_DECIMAL:
        yield "packed decimal", partial(decimals.decode_packed, scale=0)
        yield "packed digits without a sign", decimals.decode_bcd
    yield from _times(size)
    pages = {one.name: one for one in (*pages_beside(page), lookup("cp037"), lookup("us-ascii"))}
    if size <= _WIDEST_DECIMAL:
        for name, one in pages.items():
            decode = kinds.decoder("zoned", one)
            if decode is not None:
                yield f"zoned decimal, {name}", decode
    for name, one in pages.items():
        yield f"text, {name}", one.decode


def _integers(size: int) -> Iterator[tuple[str, Callable[[bytes], Any]]]:
    unsigned = kinds.KINDS["uint"].decoder(lookup("us-ascii"))
    assert unsigned is not None
    if size == 1:
        yield "u1", unsigned
        yield "s1", partial(integers.decode, width=1, byte_order="big")
        return
    yield f"u{size}, big-endian", unsigned
    yield f"u{size}, little-endian", lambda raw: unsigned(raw[::-1])
    for order in ("big", "little"):
        yield f"s{size}, {order}-endian", partial(integers.decode, width=size, byte_order=order)


def _times(size: int) -> Iterator[tuple[str, Callable[[bytes], Any]]]:
    if size == 3:
        yield "time, packed hhmmss", packed_times.decode_time
    if size == 4:
        yield "date, packed yyyymmdd", packed_times.decode_date
    if size in (6, 10):
        yield "LRSN as a time, without a delta", positions.lrsn_to_timestamp
    if 7 <= size <= 13:
        yield "timestamp, packed digits", partial(packed_times.decode_timestamp, precision=2 * (size - 7))
    if size == 17:
        yield "timestamp of 17 bytes", packed_times.decode_timestamp17
