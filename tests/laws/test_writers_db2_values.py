"""The encoder of Db2 LUW logs: columns, values and rows as their bytes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from writers.db2 import decfloat, values
from writers.db2.columns import Column
from writers.db2.wire import Server

V7, V97, V10 = Server("v7", "little"), Server("v9.7", "little"), Server("v10", "little")
BIG = Server("v10", "big")


def test_dates_and_times() -> None:
    """The vendor's examples."""
    assert values.date("1996-04-03").hex() == "19960403"
    assert values.time("13:32:00").hex() == "133200"
    assert values.timestamp("2026-03-14T10:11:12.000123").hex() == "20260314101112000123"
    assert values.timestamp("2026-03-14T10:11:12.5", 3).hex() == "202603141011125000"
    assert values.timestamp("2026-03-14T10:11:12", 0).hex() == "20260314101112"


@pytest.mark.parametrize(
    ("digits", "bits"),
    [
        (0, "000 000 0 000"),
        (5, "000 000 0 101"),
        (9, "000 000 1 001"),
        (55, "000 101 0 101"),
        (79, "000 111 1 001"),
        (80, "000 000 1 010"),
        (99, "000 101 1 111"),
        (555, "101 101 0 101"),
        (750, "111 101 0 000"),
        (809, "000 010 1 111"),
        (888, "000 110 1 110"),
        (900, "001 000 1 100"),
        (980, "001 000 1 110"),
        (999, "001 111 1 111"),
    ],
)
def test_declets(digits: int, bits: str) -> None:
    """Three digits in ten bits, every row of the table by hand."""
    assert f"{decfloat.declet(digits):010b}" == bits.replace(" ", "")


@pytest.mark.parametrize(
    ("value", "digits", "data"),
    [
        # -7.50: sign 1, exponent 398 - 2 = 01 10001100, digits 750 in the last declet.
        ("-7.50", 16, "A2300000000003D0"),
        ("-7.50", 34, "A20780000000000000000000000003D0"),
        # 1: exponent 398 = 01 10001110.
        ("1", 16, "2238000000000001"),
        ("0", 16, "2238000000000000"),
        # The largest number: exponent 767 = 10 11111111, first digit 9, five declets of 999.
        ("9.999999999999999E+384", 16, "77FCFF3FCFF3FCFF"),
        ("1E-398", 16, "0000000000000001"),
        ("Infinity", 16, "7800000000000000"),
        ("-Infinity", 16, "F800000000000000"),
        ("NaN", 16, "7C00000000000000"),
        ("sNaN", 34, "7E000000000000000000000000000000"),
    ],
)
def test_decfloat(value: str, digits: int, data: str) -> None:
    """Interchange forms; a little-endian server turns the bytes round."""
    assert decfloat.encode(Decimal(value), digits).hex().upper() == data
    column = Column("C", f"DECFLOAT({digits})")
    assert values.encode(BIG, column, value).hex().upper() == data
    assert values.encode(V10, column, value)[::-1].hex().upper() == data
