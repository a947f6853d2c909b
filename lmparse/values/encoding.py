"""Encoding: values back to bytes, from the same layouts that the readers use.

For samples and round trips. It shares its offsets with the readers, so it proves
nothing about them; the tests have an encoder of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from lmparse.errors import OptionError
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values.codepages import CodePage

ByteOrder = Literal["little", "big"]


def encode_record(spec: Spec, values: Mapping[str, Any], page: CodePage) -> bytes:
    """One record from its values by field id; absent ones are zero or blank.

    Integers for numbers, text for characters and codes, ISO text for timestamps, bytes or
    integers for RBA and LRSN. Raises OptionError for a field the spec does not have.
    """
    layout = spec.layout
    for name in values:
        if name not in layout.by_id:
            raise OptionError(f"{layout.id} has no field {name!r}")
    return b"".join(_encode_field(entry, values.get(entry.id), page) for entry in layout)


def encode_part(spec: Spec, part: str, values: Mapping[str, Any], byte_order: ByteOrder) -> bytes:
    """One type of a spec whose byte order is a parameter (`row_v97` of db2_dms), in that byte order.

    Fields of headers stand beside its own; a field that need not be there is left out with its value.
    Raises OptionError for a field that the type does not have.
    """
    left = dict(values)
    encoded = _encode_type(spec, spec.layouts[f"{spec.id}.{part}"], left, byte_order)
    if left:
        raise OptionError(f"{spec.id}.{part} has no field {next(iter(left))!r}")
    return encoded


def _encode_type(spec: Spec, layout: Layout, left: dict[str, Any], byte_order: ByteOrder) -> bytes:
    encoded = b""
    for entry in layout:
        if entry.kind == "body" and entry.type is not None:
            encoded += _encode_type(spec, spec.layouts[entry.type], left, byte_order)
            continue
        value = left.pop(entry.id, None)
        if value is None and (entry.conditional or entry.optional):
            continue
        for item in value if entry.repeated else [value]:
            if isinstance(item, dict) and entry.type is not None:
                encoded += _encode_type(spec, spec.layouts[entry.type], dict(item), byte_order)
            else:
                encoded += _encode_number(entry, item, byte_order)
    return encoded


def _encode_number(entry: Field, value: Any, byte_order: ByteOrder) -> bytes:
    if entry.width is None or isinstance(value, bytes):
        return bytes(value or b"")
    return int(value or 0).to_bytes(entry.width, byte_order, signed=entry.kind == "int")


def _encode_field(entry: Field, value: Any, page: CodePage) -> bytes:
    width = entry.width
    if width is None:
        return bytes(value or b"")
    if isinstance(value, bytes):
        if len(value) != width:
            raise OptionError(f"{entry.id} takes {width} bytes, not {len(value)}")
        return value
    if entry.kind in ("char", "code", "hextext"):
        return page.encode(str(value or "")).ljust(width, page.encode(" "))
    if entry.kind == "decimaltext":
        return page.encode("" if value is None else f"{value:0{width}d}").ljust(width, page.encode(" "))
    if entry.kind == "timestamp17":
        return encode_timestamp17(value, width)
    return int(value or 0).to_bytes(width, "big")


def encode_timestamp17(text: str | None, width: int = 17) -> bytes:
    """An ISO timestamp as packed digits, zeros behind; all zero for None."""
    digits = re.sub(r"\D", "", text or "")
    return bytes.fromhex(digits.ljust(2 * width, "0"))


def encode_packed(value: Decimal, width: int, scale: int) -> bytes:
    """A number as packed decimal, `width` bytes with `scale` decimal places."""
    unscaled = int(value.scaleb(scale))
    digits = str(abs(unscaled)).rjust(2 * width - 1, "0")
    return bytes.fromhex(digits + ("d" if unscaled < 0 else "c"))


def encode_hfp(value: float, width: int = 8) -> bytes:
    """A number as IBM hexadecimal floating point, truncated to `width` bytes."""
    if value == 0:
        return bytes(width)
    fraction, exponent = abs(Fraction(value)), 64
    while fraction >= 1:
        fraction, exponent = fraction / 16, exponent + 1
    while fraction < Fraction(1, 16):
        fraction, exponent = fraction * 16, exponent - 1
    bits = int(fraction * (1 << 8 * (width - 1)))
    return bytes([exponent | (0x80 if value < 0 else 0)]) + bits.to_bytes(width - 1, "big")
