"""The code pages against glibc, Java and Python, every known difference named; look-up; errors."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmparse.errors import InvalidValueError, OptionError
from lmparse.values import codepages
from lmparse.values.codepages import CHANGES, UNDEFINED, CodePage, lookup, maybe_lookup

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "codepages.json").read_text(encoding="utf-8"))
EBCDIC = sorted(CHANGES)
ALL_PAGES = sorted(codepages._PAGES.values(), key=lambda page: page.ccsid)
SINGLE_BYTE = [page for page in ALL_PAGES if page.kind == "sbcs"]
MIXED = [930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399, 5026, 5035]

# What a source has instead of IBM's character, by source, CCSID and byte.
DIFFERENCES: dict[tuple[str, int], dict[int, str]] = {
    ("glibc", 278): {0x71: "\xc9", 0xE0: "\\"},
    ("glibc", 285): {0xA1: "\u203e"},
    ("glibc", 420): {0x45: UNDEFINED},
    ("glibc", 424): {0x78: "\u21d4", 0x8F: UNDEFINED, 0xB3: "\xb7", 0xBC: "\xaf"},
    ("glibc", 870): {0xB0: "\xb7"},
    ("glibc", 871): {0x4A: "\xfe", 0xC0: "\xde"},
    ("glibc", 875): {0x6A: UNDEFINED, 0x74: "\u2207", 0xDD: "\xb7"},
    ("glibc", 1026): {0x9A: "\xaa", 0x9D: "\u02db", 0xBC: "\u2014"},
    ("glibc", 1155): {0x9A: "\xaa"},
    ("java", 1026): {0x9A: "\xaa"},
    ("java", 1047): {0x25: "\x85"},
    ("java", 1122): {0xBC: "\u203e"},
    ("python", 273): {0xBC: "\u203e"},
    ("python", 424): {0xB3: "\xb7", 0xBC: "\xaf"},
    ("python", 875): dict.fromkeys((0xDC, 0xE1, 0xEC, 0xED, 0xFC, 0xFD), "\x1a"),
    ("python", 1026): {0x9A: "\xaa"},
}
JAVA_WITH_NEL = {290, 833, 13121}


def table(ccsid: int) -> str:
    found = lookup(ccsid).table
    assert found is not None
    assert len(found) == 256
    return found


def expected_table(source: str, ccsid: int, charset: str) -> str:
    """IBM's table with the known differences of a source applied."""
    chars = list(table(ccsid))
    for byte, char in DIFFERENCES.get((source, ccsid), {}).items():
        chars[byte] = char
    if source == "java" and ccsid not in JAVA_WITH_NEL:
        chars[0x15] = "\n"
    if int("".join(filter(str.isdigit, charset)) or 0) in MIXED:
        chars[0x0E] = chars[0x0F] = UNDEFINED  # shift out and in, which begin and end double bytes
    if source == "glibc" and ccsid in (5123, 8482):
        chars = ["\x1a" if char == UNDEFINED and byte not in (0x0E, 0x0F) else char for byte, char in enumerate(chars)]
    return "".join(chars)


def stored_tables() -> list[Any]:
    rows = [
        pytest.param(source, int(ccsid), entry["charset"], entry["table"], id=f"{source}-{entry['charset']}")
        for ccsid, sources in VECTORS["pages"].items()
        for source, entry in sources.items()
    ]
    assert len(rows) > 80
    return rows


@pytest.mark.parametrize(("source", "ccsid", "charset", "digits"), stored_tables())
def test_tables_of_other_implementations(source: str, ccsid: int, charset: str, digits: str) -> None:
    theirs = "".join(chr(int(digits[start : start + 4], 16)) for start in range(0, 1024, 4))
    assert theirs == expected_table(source, ccsid, charset)


def test_every_ebcdic_page_has_a_second_source() -> None:
    assert sorted(map(int, VECTORS["pages"])) == EBCDIC
    wanted = {37, 273, 277, 278, 280, 284, 285, 297, 424, 500, 870, 871, 875, 1025, 1026, 1047, *range(1140, 1150)}
    assert wanted <= set(EBCDIC)


@pytest.mark.parametrize("ccsid", [37, 273, 424, 500, 875, 1026, 1140])
def test_pages_python_has(ccsid: int) -> None:
    theirs = bytes(range(256)).decode(f"cp{ccsid:03}", "replace").replace("\ufffd", UNDEFINED)
    assert theirs == expected_table("python", ccsid, "")


def test_published_samples() -> None:
    assert lookup("cp037").decode(b"\xe7\xe3\xe8\xd7") == "XTYP"
    assert lookup(273).decode(b"\x43\x4a\xe0\x5a\xa1") == "{ÄÖÜß"
    assert lookup(1047).decode(b"\xad\xbd\xba\xbb\x5f\xb0") == "[]Ý¨^¬"
    assert lookup(500).decode(b"\x4a\x5a\x4f\xbb") == "[]!|"
    assert lookup(1208).decode("Grüße €".encode()) == "Grüße €"
    assert lookup(1200).decode("Grüße".encode("utf-16-be")) == "Grüße"
    assert lookup(1252).decode(b"\x80\x81\x9d\xfc") == "€\x81\x9dü"
    # Db2's manual on Japanese pages; of 943, glibc's IBM943 and Java's x-IBM943C have the same characters.
    for ccsid, raw in ((943, "815C81608161817CFA55"), (954, "A1BDA1C1A1C2A1DD8FA2C3")):
        assert lookup(ccsid).decode(bytes.fromhex(raw)) == "\u2014\u301c\u2016\u2212\u00a6"


# Look-up


@pytest.mark.parametrize(
    ("name", "ccsid"),
    [
        ("cp037", 37), ("IBM037", 37), ("ibm-037", 37), ("IBM-37", 37), ("37", 37), (37, 37), ("00037", 37),
        (" cp037 ", 37), ("CCSID 37", 37), ("ebcdic-cp-us", 37), ("CP1140", 1140), ("IBM01140", 1140),
        ("Cp1047", 1047), ("x-IBM1025", 1025), ("latin1", 819), ("ISO-8859-1", 819), ("819", 819), (1208, 1208),
        ("utf-8", 1208), ("UTF8", 1208), ("1200", 1200), ("UTF-16BE", 1200), ("utf-16", 1200), ("utf-16-le", 1202),
        (367, 367), ("ascii", 367), ("us-ascii", 367), (1252, 1252), ("windows-1252", 1252), (5348, 5348),
        ("ISO-8859-15", 923), (437, 437), (850, 850), ("cp858", 858), ("ms932", 943), ("gb18030", 5488),
        (13488, 13488),
    ],
)  # fmt: skip
def test_lookup(name: str | int, ccsid: int) -> None:
    assert lookup(name).ccsid == ccsid
    assert maybe_lookup(name) is lookup(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cp27", "nearest are cp297, cp278, cp277"), (1048, "nearest are cp1148, cp1047, cp16804"),
        ("utf9", "nearest are utf-8"), *((no, "give the CCSID, such as 37, 1208 or 1252") for no in ("klingon", "")),
        (939, "939 mixes one and two bytes a character and has no codec; its single bytes are cp1027"),
        ("IBM930", "930 mixes one and two bytes a character and has no codec; its single bytes are cp290"),
        ("cp932", "Microsoft's page with this number is 943"),
    ],
)  # fmt: skip
def test_unknown_pages_name_the_nearest(name: str | int, hint: str) -> None:
    assert maybe_lookup(name) is None
    with pytest.raises(OptionError) as caught:
        lookup(name)
    assert str(caught.value) == f"there is no code page {name!r} [LMP-S003]"
    assert caught.value.hint == hint


@pytest.mark.parametrize("ccsid", [*MIXED, 300, 834, 835, 837, 16684, 65535, 0, -1, 10**9])
def test_pages_without_codec(ccsid: int) -> None:
    assert maybe_lookup(ccsid) is None


@given(st.one_of(st.text(max_size=12), st.integers()))
def test_any_name_gives_a_page_or_option_error(name: str | int) -> None:
    if (page := maybe_lookup(name)) is not None:
        assert lookup(name) is page
        return
    with pytest.raises(OptionError) as caught:
        lookup(name)
    assert caught.value.code == "LMP-S003"
    assert caught.value.hint


# Tables, decoding, encoding


@pytest.mark.parametrize("page", SINGLE_BYTE, ids=lambda page: page.name)
def test_forms_of_a_table_agree(page: CodePage) -> None:
    assert page.table is not None
    for byte, char in enumerate(page.table):
        if char != UNDEFINED:
            assert page.decode(bytes([byte])) == page.decode(page.encode(char)) == char
    assert page.latin1 == (None if max(page.table) > "\xff" else page.table.encode("latin-1"))


@pytest.mark.parametrize(
    ("ccsid", "raw", "expected", "found", "shown"),
    [
        (424, b"\xc1\xc2\x70\xc3", "text in cp424", "X'70' at byte 2", "C1C270C3"),
        (367, b"AB\xffC", "text in us-ascii", "X'FF' at byte 2", "4142FF43"),
        (1208, b"\xe2\x82", "text in utf-8", "X'E2' at byte 0", "E282"),
        (1208, b"ok \xc3(", "text in utf-8", "X'C3' at byte 3", "6F6B20C328"),
        (1208, b"\xed\xa0\x80", "text in utf-8", "X'ED' at byte 0", "EDA080"),
        (1200, b"\x00A\xd8", "text in utf-16-be", "X'D8' at byte 2", "0041D8"),
        (1208, b"a" * 100 + b"\xff" + b"b" * 100, "text in utf-8", "X'FF' at byte 100", "61" * 16 + "FF" + "62" * 15),
    ],
)
def test_undecodable_bytes(ccsid: int, raw: bytes, expected: str, found: str, shown: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        lookup(ccsid).decode(raw)
    error = caught.value
    assert (error.code, error.expected, error.found, error.hex) == ("LMP-V007", expected, found, shown)
    assert str(error) == f"expected {expected}, found {found} [LMP-V007]"
    assert error.hint == "it is not text, is cut inside a character, or is in another code page"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_unencodable_text() -> None:
    for ccsid, name in ((37, "cp037"), (367, "us-ascii"), (943, "cp943")):
        with pytest.raises(InvalidValueError) as caught:
            lookup(ccsid).encode("AB\u0e01")
        assert str(caught.value) == f"expected characters of {name}, found U+0E01 at character 2 [LMP-V007]"


@given(st.sampled_from(ALL_PAGES), st.binary(max_size=40))
def test_any_bytes_are_text_or_refused(page: CodePage, raw: bytes) -> None:
    refused = None
    try:
        text = page.decode(raw)
    except InvalidValueError as error:
        refused = error
    if refused:
        assert (refused.code, page.latin1) == ("LMP-V007", None)
        assert None not in (refused.expected, refused.found, refused.hex)
        return
    assert page.kind != "sbcs" or len(text) == len(raw)
    assert page.decode(page.encode(text)) == text
