"""Cases of the small shared formats: descriptor words, log positions, row ids, timestamps, each a record of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cases.case import LLDF_TEXT, Case
from cases.enums import worded

USING_DATA_SETS = "IBM z/OS DFSMS Using Data Sets, SC23-6855"
FOOTNOTE = f"{LLDF_TEXT}, footnote 1"


def case(spec: str, doc_ref: str, words: Sequence[tuple[str, dict[str, Any]]], title: str) -> Case:
    """Words of one length, one after another, in hex."""
    data = [bytes.fromhex(word) for word, _ in words]
    options = {"framing": "fixed", "record_length": len(data[0])}
    return Case(spec, "words", title, doc_ref, b"".join(data), [worded(row) for _, row in words], options=options)


def cases() -> Iterator[Case]:
    """All of them."""
    words: list[tuple[str, dict[str, Any]]] = [
        ("04760000", {"length": 1142, "reserved": 0}),
        ("00040000", {"length": 4, "reserved": 0}),
        ("7FF80000", {"length": 32760, "reserved": 0}),
        ("FFFF0000", {"length": 65535, "reserved": 0}),
    ]
    title = "A record, the shortest, the longest on z/OS, the longest of others"
    yield case("zos_rdw", f'{USING_DATA_SETS}, "Record Descriptor Word (RDW)"', words, title)
    words = [(f"0050{code:02X}00", {"length": 80, "segment_code": code, "reserved": 0}) for code in range(4)]
    yield case(
        "zos_sdw", f'{USING_DATA_SETS}, "Segment Descriptor Word"', words, "Complete, first, last, and middle piece"
    )
    words = [("00000476", {"length": 1142}), ("00000000", {"length": 0}), ("00007FF8", {"length": 32760})]
    page = "IBM z/OS Management Facility Programming Guide, SC27-8420, X-IBM-Data-Type: record"
    yield case("zos_zosmf", page, words, "A record, an empty one, the longest")
    words = [
        ("00CA670FBBF3D3000000", {"epoch": "00", "lrsn6": "CA670FBBF3D3", "precision": "000000"}),
        ("01000000000001FFFFFF", {"epoch": "01", "lrsn6": "000000000001", "precision": "FFFFFF"}),
    ]
    yield case("common_lrsn10", FOOTNOTE, words, "The page's example: a 6-byte LRSN stands at offset 1; and a long one")
    words = [
        ("00000000123456789ABC", {"high": "00000000", "rba6": "123456789ABC"}),
        ("FFFFFFFF000000000001", {"high": "FFFFFFFF", "rba6": "000000000001"}),
    ]
    yield case("common_rba10", FOOTNOTE, words, "The page's example: a 6-byte RBA stands at offset 4; and a long one")
    words = [("0000001201", {"page": 18, "row": 1}), ("FFFFFFFFFF", {"page": 4294967295, "row": 255})]
    yield case("common_rid", 'BMC AMI Log Master for Db2, page "Logical log data file", RID', words, "Page and row")
    words = [
        (
            "2026031410111200012345678901234500",
            {"date": "20260314", "time": "101112", "fraction": "00012345678901234500"},
        )
    ]
    yield case("common_timestamp17", FOOTNOTE, words, "The digits of a timestamp as the footnote cuts them")
