"""Kinds of fields: what each kind that a layout names means for the bytes of a field.

Nested records (struct, body) are not values and have no entry. The Arrow types of the same kinds are in `columnar`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from lmparse.values import decimals, floats, packed_times, texts
from lmparse.values.codepages import CodePage
from lmparse.values.integers import ByteOrder

Decode = Callable[[Any], Any]
"""From the bytes of a field, most significant first, to its value. Raises InvalidValueError."""
Encode = Callable[[Any, int, CodePage, ByteOrder], bytes]
"""From a value (None: blank or zero) to so many bytes, text in a code page, numbers in a byte order."""


class Kind(NamedTuple):
    """How the bytes of a kind become a value, and back."""

    decoder: Callable[[CodePage], Decode | None]
    """For text in a code page, what decodes it; None where the bytes are the value."""
    encode: Encode


def decoder(kind: str, page: CodePage) -> Decode | None:
    """What decodes the bytes of a field of a kind; None where they are the value."""
    return KINDS[kind].decoder(page)


def _integer(is_signed: bool) -> Encode:
    return lambda value, width, page, order: int(value or 0).to_bytes(width, order, signed=is_signed)


_TEXT = Kind(texts.decoder, lambda value, width, page, order: texts.encode(str(value or ""), width, page))
_BYTES = Kind(lambda page: None, _integer(False))
KINDS: dict[str, Kind] = {
    "uint": Kind(lambda page: partial(int.from_bytes, byteorder="big"), _integer(False)),
    "int": Kind(lambda page: partial(int.from_bytes, byteorder="big", signed=True), _integer(True)),
    "float": Kind(
        lambda page: floats.decode_ieee, lambda value, width, page, order: floats.encode_ieee(value or 0, width, order)
    ),
    "char": _TEXT,
    "code": _TEXT,
    "hextext": Kind(lambda page: lambda raw: texts.decode_hex(page.decode(raw)), _TEXT.encode),
    "decimaltext": Kind(
        lambda page: lambda raw: decimals.decode_text(page.decode(raw)),
        lambda value, width, page, order: decimals.encode_text(value, width, page),
    ),
    "timestamp17": Kind(
        lambda page: packed_times.decode_timestamp17,
        lambda value, width, page, order: packed_times.encode_timestamp17(value, width),
    ),
    **dict.fromkeys(("lrsn10", "rba10", "lsn", "rid6", "bytes", "variable", "rest"), _BYTES),
}
