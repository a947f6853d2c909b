"""Self checks of the independent encoder against bytes computed by hand from the vendor's pages.

Hexadecimal text below is either printed on a page (then the page is named) or worked out from its table by hand.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writers.bmc import control, fields, framing, lldf, rows
from writers.bmc.rows import Column

# The hexadecimal column of the table "Data change record (LLDF)", in the order of the page, DATA last.
LLDF_HEX = (
    "00 02 06 08 0A 0C 0E 10 18 20 28 3A 3C 4D 57 61 63 68 6A 6B 6C 6D 71 73 74 75 7F 90 A1 A2 AC B6 B8 BA BC C0 CA "
    "D4 D6 DE EA F2 FA 102 10A 110 112 113 114 115 11F 120"
)
# The hexadecimal column of the table "Logical log column information record (DLCI)" with BE for the misprint B4.
DLCI_HEX = "00 04 08 0C 10 13 17 1C 1E 1F 24 25 28 29 2E 33 38 3B 3E BE C1"

WHOLE_TABLES = {
    "LLDF header": (lldf.HEADER, 288),
    "XTYP": (control.XTYP, 66),
    "DLDS": (control.DLDS, 67),
    "DLGE": (control.DLGE, 48),
    "DTBI": (control.DTBI, 436),
    "DTOB": (control.DTOB, 283),
    "DCXI": (control.DCXI, 289),
    "DICL": (control.DICL, 23),
    "DLCI": (control.DLCI, 193),
    "XHDF": (control.XHDF, 37),
    "DLOB": (control.DLOB, 212),
    "DXSF": (control.DXSF, 48),
    "DFID": (control.DFID, 37),
    "DFDS": (control.DFDS, 72),
}


@pytest.mark.parametrize("name", WHOLE_TABLES)
def test_tables_have_no_gap(name: str) -> None:
    table, total = WHOLE_TABLES[name]
    assert [line.offset for line in table] == [0, *(line.end for line in table[:-1])]
    assert table[-1].end == total


def test_decimal_and_hexadecimal_offsets_of_the_pages_agree() -> None:
    assert [int(text, 16) for text in LLDF_HEX.split(" ")] == [*(line.offset for line in lldf.HEADER), 288]
    assert [int(text, 16) for text in DLCI_HEX.split(" ")] == [*(line.offset for line in control.DLCI), 193]


# LLDF footnote 1


def test_timestamp_follows_the_mask() -> None:
    expected = "20260314 101112 000123 456 789 012 00000"
    assert fields.timestamp("2026-03-14T10:11:12.000123456789012").hex() == expected.replace(" ", "")
    assert fields.timestamp("2026-03-14T10:11:12.000123", 10).hex() == "20260314101112000123"
    assert fields.timestamp(None) == bytes(17)
    assert fields.timestamp_text("2026-03-14T10:11:12.000123").decode("cp037") == "2026-03-14-10.11.12.000123"


def test_lrsn_and_rba_of_the_footnote() -> None:
    assert fields.lrsn("CA670FBBF3D3").hex().upper() == "00CA670FBBF3D3000000"
    assert fields.rba("123456789ABC").hex().upper() == "00000000123456789ABC"
    assert fields.lrsn("00CA670FBBF3D3000000", 6).hex().upper() == "CA670FBBF3D3"
    assert fields.rba("00000000123456789ABC", 6).hex().upper() == "123456789ABC"


# Header


# DATA


@pytest.mark.parametrize(
    ("reading", "insert", "update"),
    [
        ("total", "0007 0003 AABBCC", "000B 0003 AABBCC 0002 DDEE"),
        ("inclusive", "0005 AABBCC", "0005 AABBCC 0004 DDEE"),
        ("exclusive", "0003 AABBCC", "0003 AABBCC 0002 DDEE"),
    ],
)
def test_halfwords_of_row_images(reading: lldf.Reading, insert: str, update: str) -> None:
    before, after = b"\xaa\xbb\xcc", b"\xdd\xee"
    assert lldf.data_area("I ", [before], reading) == bytes.fromhex(insert)
    assert lldf.data_area("UB", [before, after], reading) == bytes.fromhex(update)


def test_other_data() -> None:
    bare = "0002 D1D6 0003 C2C1D9"
    assert lldf.data_area("E", ["JO", "BAR"], "total") == bytes.fromhex("000B" + bare)
    assert lldf.data_area("E", ["JO", "BAR"], "exclusive") == bytes.fromhex(bare)
    assert lldf.data_area("DM", [], "total") == b""
    assert lldf.data_area("CO", ["SQL"], "total") == bytes.fromhex("0005 E2D8D3")
    assert lldf.data_area("CO", ["SQL"], "inclusive") == bytes.fromhex("E2D8D3")


# Row images: the page's examples and bmc-logical-log.md 2.6


@pytest.mark.parametrize(
    ("nulls", "value", "expected"),
    [("N", "ABCDE", "0005 C1C2C3C4C5"), ("Y", "ABCDE", "00 0005 C1C2C3C4C5"), ("Y", None, "FF 0000")],
)
def test_five_character_field_of_the_page(nulls: str, value: str | None, expected: str) -> None:
    assert rows.field_image(Column("A", "VCHR", 9, nulls=nulls), value) == bytes.fromhex(expected)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (Column("A", "INT", 2), 1, "0001"),
        (Column("A", "INT", 2), -13, "FFF3"),
        (Column("A", "INT", 4), 498, "000001F2"),
        (Column("A", "INT", 4), -123, "FFFFFF85"),
        (Column("A", "INT", 8), 2132, "0000000000000854"),
        (Column("A", "INT", 8), -32, "FFFFFFFFFFFFFFE0"),
        (Column("A", "FLOT", 8), 1.0, "4110000000000000"),
        (Column("A", "FLOT", 8), -1.0, "C110000000000000"),
        (Column("A", "FLOT", 4), -118.625, "C276A000"),
        (Column("A", "FLOT", 4), 0.15625, "40280000"),
        (Column("A", "FLOT", 8), 0.0, "0000000000000000"),
        (Column("A", "DEC", 3), 1, "001C"),
        (Column("A", "DEC", 3), -1, "001D"),
        (Column("A", "DEC", 4, 2), "-12.3", "01230D"),
        (Column("A", "DEC", 9, 2), Decimal("9999999.99"), "999999999C"),
        (Column("A", "CHAR", 4), "AB", "C1C24040"),
        (Column("A", "CHAR", 4, nulls="Y"), "AB", "00C1C24040"),
        (Column("A", "CHAR", 4, nulls="Y"), None, "FF00000000"),
        (Column("A", "CHAR", 4, subtype="B"), b"\x01", "01000000"),
        (Column("A", "DATE"), "2026-03-14", "F2F0F2F660F0F360F1F4"),
        (Column("A", "TIME"), "13:32:00", "F1F34BF3F24BF0F0"),
        (Column("A", "DTTM", 19), "2026-03-14T24:00:00", "F2F0F2F660F0F360F1F460F2F44BF0F04BF0F0"),
        (Column("A", "DTTM", 21), "2026-03-14T10:11:12.5", "F2F0F2F660F0F360F1F460F1F04BF1F14BF1F24BF5"),
        (Column("A", "DTTZ", 25), "2026-03-14T10:11:12+01:00", "F2F0F2F660F0F360F1F460F1F04BF1F14BF1F24EF0F17AF0F0"),
        (Column("A", "GRPH", 3), b"\x42\xc1", "42C140404040"),
        (Column("A", "VGRF", 3), b"\x42\xc1", "000242C1"),
        (Column("A", "BLOB", 1000, nulls="L"), b"", "00"),
        (Column("A", "BLOB", 1000, nulls="L"), None, "FF"),
        (Column("A", "CLOB", 1000, value_bytes=3), "010203", "010203"),
        (Column("A", "ROWI", 3), b"\x01\x02\x03", "010203"),
        (Column("A", "DECF", 8), "2238000000000001", "2238000000000001"),
    ],
)
def test_values(column: Column, value: rows.Value, expected: str) -> None:
    assert rows.field_image(column, value) == bytes.fromhex(expected)


@given(st.floats(-1e70, 1e70), st.sampled_from([4, 8]))
def test_hfp_is_the_nearest_and_normalised(value: float, length: int) -> None:
    raw = rows.hfp(value, length)
    digits = 2 * (length - 1)
    fraction = Fraction(int.from_bytes(raw[1:], "big"), 16**digits)
    decoded = (-1 if raw[0] & 0x80 else 1) * fraction * Fraction(16) ** ((raw[0] & 0x7F) - 64)
    if fraction:
        assert fraction >= Fraction(1, 16)
        assert abs(decoded - Fraction(value)) <= abs(Fraction(value)) / 16 ** (digits - 1)
    else:
        assert abs(value) < 16.0**-64


# Control records


# Framing


def test_descriptors_of_the_pages() -> None:
    # The block of 32,034 and the record of 1,142 bytes of IBM's example.
    assert framing.descriptor(32034 - 4).hex() == "7d220000"
    assert framing.descriptor(1142 - 4).hex() == "04760000"
    assert framing.extended_descriptor(70000 - 4).hex() == "80011170"


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("rdw", {}, "00060000 C1C2 00070000 C3C4C5"),
        ("bdw", {}, "00110000 00060000 C1C2 00070000 C3C4C5"),
        ("bdw", {"block_size": 14}, "000A0000 00060000 C1C2 000B0000 00070000 C3C4C5"),
        ("bdw-extended", {}, "80000011 00060000 C1C2 00070000 C3C4C5"),
        ("vbs", {"piece_sizes": 2}, "00060000 C1C2 00060100 C3C4 00050200 C5"),
        ("vbs", {"piece_sizes": 1}, "00050100 C1 00050200 C2 00050100 C3 00050300 C4 00050200 C5"),
        ("bdw-vbs", {"block_size": 15}, "000F0000 00060000 C1C2 00050100 C3 000A0000 00060200 C4C5"),
        ("zosmf", {}, "00000002 C1C2 00000003 C3C4C5"),
        ("glued", {}, "C1C2C3C4C5"),
        ("fixed", {"record_length": 3}, "C1C240C3C4C5"),
    ],
)
def test_framings(kind: str, options: dict[str, Any], expected: str) -> None:
    out = framing.framed(kind, [b"\xc1\xc2", b"\xc3\xc4\xc5"], **options)
    assert out.data == bytes.fromhex(expected)
    assert [out.data[offset] for offset in out.offsets] == [0xC1, 0xC3]


# A whole log
