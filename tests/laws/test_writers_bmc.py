"""Self checks of the independent encoder against bytes computed by hand from the vendor's pages.

Hexadecimal text below is either printed on a page (then the page is named) or worked out from its table by hand.
"""

from __future__ import annotations

import pytest
from writers.bmc import control, fields, framing, lldf

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


# Framing


def test_descriptors_of_the_pages() -> None:
    # The block of 32,034 and the record of 1,142 bytes of IBM's example.
    assert framing.descriptor(32034 - 4).hex() == "7d220000"
    assert framing.descriptor(1142 - 4).hex() == "04760000"
    assert framing.extended_descriptor(70000 - 4).hex() == "80011170"
