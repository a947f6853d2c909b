"""The encoder of Db2 LUW logs: columns, values and rows as their bytes."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from writers.db2 import decfloat, rows, values
from writers.db2.columns import Column, column_array, offsets
from writers.db2.values import External, OutOfRow, SystemDefault
from writers.db2.wire import Server

V7, V97, V10 = Server("v7", "little"), Server("v9.7", "little"), Server("v10", "little")
BIG = Server("v10", "big")


def test_every_column_type() -> None:
    """Type code, length and fixed size of each type."""
    facts = {
        "SMALLINT": ("0000", "0002", 2),
        "INTEGER": ("0001", "0004", 4),
        "BIGINT": ("0005", "0008", 8),
        "REAL": ("0004", "0004", 4),
        "DOUBLE": ("0003", "0008", 8),
        "DECIMAL(9,2)": ("0002", "0902", 5),
        "DECIMAL(8,0)": ("0002", "0800", 5),
        "DECFLOAT(16)": ("0006", "0008", 8),
        "DECFLOAT(34)": ("0007", "0010", 16),
        "CHAR(3)": ("0100", "0003", 3),
        "CHAR(3) FOR BIT DATA": ("0100", "0003", 3),
        "VARCHAR(300)": ("0101", "012c", 4),
        "LONG VARCHAR": ("0104", "7fbc", 4),
        "GRAPHIC(3)": ("0200", "0006", 6),
        "VARGRAPHIC(3)": ("0201", "0006", 4),
        "DATE": ("0105", "0004", 4),
        "TIME": ("0106", "0003", 3),
        "TIMESTAMP": ("0107", "000a", 10),
        "TIMESTAMP(0)": ("0107", "0007", 7),
        "TIMESTAMP(9)": ("0107", "000c", 12),
        "TIMESTAMP(12)": ("0107", "000d", 13),
        "BOOLEAN": ("010f", "0001", 1),
        "BINARY(5)": ("0110", "0005", 5),
        "VARBINARY(5)": ("0111", "0005", 4),
        "BLOB(1M)": ("0108", "0000", 4),
        "CLOB(5K)": ("0109", "0000", 4),
        "DBCLOB(10)": ("0203", "0000", 4),
        "XML": ("0112", "0000", 4),
    }
    columns = [Column(str(index), name) for index, name in enumerate(facts)]
    elements = column_array(BIG, columns)
    assert [elements[at : at + 4].hex() for at in range(0, len(elements), 8)] == [
        code + length for code, length, _ in facts.values()
    ]
    assert [second - first - 1 for first, second in pairwise(offsets(columns))] == [size for *_, size in facts.values()]


def test_dates_and_times() -> None:
    """The vendor's examples."""
    assert values.date("1996-04-03").hex() == "19960403"
    assert values.time("13:32:00").hex() == "133200"
    assert values.timestamp("2026-03-14T10:11:12.000123").hex() == "20260314101112000123"
    assert values.timestamp("2026-03-14T10:11:12.5", 3).hex() == "202603141011125000"
    assert values.timestamp("2026-03-14T10:11:12", 0).hex() == "20260314101112"


@pytest.mark.parametrize(
    ("value", "precision", "scale", "data"),
    [
        ("1.23", 3, 2, "123c"),
        ("-1.23", 4, 2, "00123d"),
        ("0.00", 5, 2, "00000c"),
        ("-0.00", 5, 2, "00000c"),
        ("9" * 31, 31, 0, "9" * 31 + "c"),
    ],
)
def test_packed(value: str, precision: int, scale: int, data: str) -> None:
    """(precision + 2) / 2 bytes, sign last."""
    assert values.packed(value, precision, scale).hex() == data
    assert len(data) // 2 == (precision + 2) // 2


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


@pytest.mark.parametrize(
    ("word", "value", "data", "shown"),
    [
        ("SMALLINT", -2, "fffe", -2),
        ("INTEGER", 1, "00000001", 1),
        ("BIGINT", -1, "ff" * 8, -1),
        ("REAL", 0.5, "3f000000", 0.5),
        ("REAL", 0.1, "3dcccccd", 0.10000000149011612),
        ("DOUBLE", -2.0, "c000000000000000", -2.0),
        ("DECIMAL(5,2)", "-0.01", "00001d", "-0.01"),
        ("DECIMAL(5,2)", "7", "00700c", "7.00"),
        ("DECFLOAT(16)", "-7.50", "a2300000000003d0", "-7.50"),
        ("CHAR(4)", "ab", "61622020", "ab"),
        ("CHAR(4) FOR BIT DATA", b"ab", "61622020", "61622020"),
        ("VARCHAR(4)", "ab ", "616220", "ab "),
        ("VARCHAR(4) FOR BIT DATA", b"\x01", "01", "01"),
        ("GRAPHIC(2)", "é", "00e90020", "é"),
        ("VARGRAPHIC(2)", "é ", "00e90020", "é "),
        ("DATE", "1996-04-03", "19960403", "1996-04-03"),
        ("TIME", "24:00:00", "240000", "24:00:00"),
        ("TIMESTAMP(0)", "2026-03-14T10:11:12", "20260314101112", "2026-03-14T10:11:12"),
        ("TIMESTAMP(3)", "2026-03-14T10:11:12.5", "202603141011125000", "2026-03-14T10:11:12.500"),
        ("BOOLEAN", True, "01", True),
        ("BINARY(3)", b"\xab", "ab0000", "AB0000"),
        ("VARBINARY(3)", b"\xab", "ab", "AB"),
        ("BLOB(1K)", b"\xab", "69000000ab", "AB"),
        ("BLOB(1K)", b"", "80000000", ""),
        ("CLOB(1K)", "ab", "690000006162", "ab"),
        ("DBCLOB(1K)", "a", "690000000061", "a"),
        ("XML", External(b"\x01"), "01", None),
        ("LONG VARCHAR", External(b"\x01"), "01", None),
        ("VARCHAR(99)", OutOfRow(b"\x02" * 24), "02" * 24, None),
    ],
)
def test_value(word: str, value: values.Value, data: str, shown: values.JsonValue) -> None:
    """A value in a row, and as printed."""
    column = Column("C", word)
    assert values.in_row(BIG, column, value).hex() == data
    assert values.json_value(column, value) == shown


def test_formatted_nulls() -> None:
    """A null value keeps its place; an out-of-row one marks its slot."""
    columns = (Column("A", "SMALLINT"), Column("B", "VARCHAR(5)"), Column("C", "VARCHAR(99)", nullable=False))
    image = rows.formatted(BIG, columns, {"A": None, "B": None, "C": OutOfRow(b"\x02" * 24)})
    fixed = "0000" + "01" + "00000000" + "01" + "800c" + "0018"
    assert image.hex() == "0000002c" + "0100000c" + fixed + "02" * 24
    with pytest.raises(ValueError, match="NOT NULL"):
        rows.formatted(BIG, columns, {"A": 1, "B": "b", "C": None})
    with pytest.raises(ValueError, match="system defaults"):
        rows.formatted(BIG, columns, {"A": SystemDefault(), "B": "b", "C": "c"})


def test_value_compression() -> None:
    """Offsets of both bases; null, system default and out-of-row values have the high bit."""
    columns = (Column("A", "SMALLINT"), Column("B", "VARCHAR(5)"), Column("C", "INTEGER"), Column("D", "VARCHAR(99)"))
    row = {"A": 1, "B": None, "C": SystemDefault(), "D": OutOfRow(b"\x02" * 24)}
    data = "0001" + "01" + "80" + "02" * 24
    image = rows.compressed(BIG, columns, row)
    assert image.hex() == "0000002e" + "02000004" + "000a" + "800c" + "800d" + "800e" + "0026" + data
    image = rows.compressed(BIG, columns, row, offset_base="data")
    assert image.hex() == "0000002e" + "02000004" + "0000" + "8002" + "8003" + "8004" + "001c" + data
    assert rows.json_row(columns, row) == {"A": 1, "B": None, "C": 0, "D": None}


# Streams
