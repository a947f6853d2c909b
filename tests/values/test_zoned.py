"""Zoned decimals and packed digits: one value, the array and the manuals' rule agree on any bytes."""

from __future__ import annotations

import decimal
import random
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from constructs import numbers_by_hand
from hypothesis import given
from hypothesis import strategies as st

from lmparse.columnar import kernels
from lmparse.errors import InvalidValueError, OptionError
from lmparse.spec.kind_words import DECIMALS, ZONED, digits, precision
from lmparse.values import codepages, decimals, kinds, zoned

PAGES = {"cp037": "cp037", "cp500": "cp500", "iso8859-1": "latin-1", "utf-8": "utf-8", "us-ascii": "ascii"}
"""Code pages, and Python's names of them."""
FORMS = [
    (kind, width, [*PAGES][(row + column) % len(PAGES)])
    for row, kind in enumerate([*ZONED, "bcd", "packed"])
    for column, width in enumerate((2, 3, 4, 9, 10, 18, 19))
]
"""Each kind in each width, each of the two in each code page."""
LIKELY = {
    "cp037": bytes([0xF0, 0xF1, 0xF9, 0xC0, 0xD9, 0xA1, 0xB2, 0xE3, 0x40, 0x4E, 0x60, 0xFA, 0x31]),
    "us-ascii": b"019{}AIJRpy +-z\xf1",
}


def value_of(kind: str, raw: bytes, page: str) -> Any:
    try:
        return numbers_by_hand.read(kind, raw, PAGES[page])
    except numbers_by_hand.BadNumberError:
        return None


@pytest.mark.parametrize(("kind", "width", "page"), FORMS)
def test_one_value_the_array_and_the_rule_agree(kind: str, page: str, width: int) -> None:
    chance = random.Random(f"{kind} {page} {width}")
    code_page = codepages.lookup(page)
    decode = kinds.decoder(kind, code_page)
    assert decode is not None
    most = digits(kind, width)
    likely = LIKELY["cp037" if page.startswith("cp") else "us-ascii"]
    if kind in ("bcd", "packed"):
        likely = bytes.fromhex("00011299109c5d0a4f")
    rows = [bytes(chance.choice(likely) for _ in range(width)) for _ in range(200)]
    rows += [bytes(chance.randrange(256) for _ in range(width)) for _ in range(20)]
    for sign in (1, -1 if kind != "bcd" else 1):
        rows += [kinds.encode(kind, sign * (10**n - 1), width, code_page, "big") for n in range(most + 1)]
    expected = [value_of(kind, row, page) for row in rows]
    assert sum(value is not None for value in expected) > most
    for row, value in zip(rows, expected, strict=True):
        if value is not None:
            assert decode(row) == value, row.hex()
            continue
        with pytest.raises(InvalidValueError) as caught:
            decode(row)
        code = "LMP-V002" if kind in ("bcd", "packed") else "LMP-V008"
        assert (caught.value.code, caught.value.hex) == (code, row.hex().upper())
    type_ = decimal_type(kind, width)
    raw = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width)
    found, bad = kernel_of(kind, code_page, type_)(raw)
    assert bad is not None
    read = [None if is_bad else value for value, is_bad in zip(found.to_pylist(), bad, strict=True)]
    assert read == expected


def decimal_type(kind: str, width: int) -> Any:
    import pyarrow as pa

    return pa.decimal128(precision(kind, 0, width) or 0, 0)


def kernel_of(kind: str, page: codepages.CodePage, type_: Any) -> Any:
    if kind == "packed":
        return lambda raw: kernels.packed_decimal(type_, raw)
    if kind == "bcd":
        return lambda raw: kernels.packed_digits(type_, raw)
    return lambda raw: kernels.zoned_decimal(type_, zoned.STYLES[kind], kinds.zones(kind, page), raw)


@given(st.sampled_from([*ZONED, "packed"]), st.integers(-(10**12) + 1, 10**12 - 1), st.integers(0, 12))
def test_what_is_encoded_is_decoded(kind: str, number: int, scale: int) -> None:
    value = Decimal(f"{number}E-{scale}")
    page = codepages.lookup("cp037")
    raw = kinds.encode(kind, value, 13, page, "big", scale)
    decode = kinds.decoder(kind, page, scale)
    assert decode is not None
    assert len(raw) == 13
    assert decode(raw).as_tuple() == (value if value else value.copy_abs()).as_tuple()


@pytest.mark.parametrize("kind", DECIMALS)
def test_no_decimal_depends_on_the_context(kind: str) -> None:
    page = codepages.lookup("cp037")
    value = "1234567890123456789012345678.90"
    traps: list[Any] = [decimal.Inexact, decimal.Rounded, decimal.Subnormal, decimal.Clamped, decimal.FloatOperation]
    with decimal.localcontext(decimal.Context(prec=1, Emax=1, Emin=-1, traps=traps)):
        decode = kinds.decoder(kind, page, 2)
        assert decode is not None
        assert decimals.to_text(decode(kinds.encode(kind, value, 31, page, "big", 2))) == value


@pytest.mark.parametrize("page", ["utf-16-be", "utf-16-le"])
def test_a_digit_of_two_bytes_is_refused_by_name(page: str) -> None:
    with pytest.raises(OptionError, match=f"no zoned decimals in {page}"):
        kinds.decoder("zoned", codepages.lookup(page))


@pytest.mark.parametrize(
    ("kind", "raw", "found"),
    [
        ("zoned", "404040", "byte 1 is 0x40, not a digit"),
        ("zoned", "F1F240", "byte 3 is 0x40, not a digit with sign"),
        ("zoned-leading", "40F1", "byte 1 is 0x40, not a digit with sign"),
        ("zoned-separate", "F1F2F3", "byte 3 is 0xF3, not a sign"),
        ("zoned-separate", "60", "1 bytes"),
        ("zoned", "", "0 bytes"),
    ],
)
def test_the_byte_that_is_bad_is_named(kind: str, raw: str, found: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        zoned.decode(bytes.fromhex(raw), zoned.STYLES[kind], kinds.zones(kind, codepages.lookup("cp037")))
    assert (caught.value.code, caught.value.found) == ("LMP-V008", found)


def test_every_byte_has_the_meaning_of_the_manual() -> None:
    for kind in ZONED:
        for page in ("cp037", "us-ascii"):
            decode = kinds.decoder(kind, codepages.lookup(page))
            assert decode is not None
            zero = "0".encode(PAGES[page])
            for byte in range(256):
                for raw in (bytes([byte]) + zero, zero + bytes([byte])):
                    try:
                        found = decode(raw)
                    except InvalidValueError:
                        found = None
                    assert found == value_of(kind, raw, page), (kind, page, raw)
