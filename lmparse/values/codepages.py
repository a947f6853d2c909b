"""Code pages by name or CCSID: EBCDIC from IBM's own tables, ASCII and Unicode from Python's codecs.

Python has seven of the 53 EBCDIC pages; `ebcdic_pages.txt` has the changes of the other pages, with the source.
The tests compare them with glibc, Java and Python. Where these differ from IBM:

| page and byte | here, as IBM | others |
|---|---|---|
| all, X'15' and X'25' | NEL U+0085 and LF U+000A | Java, most pages: LF and LF; 1047: LF and NEL |
| 278 X'71' X'E0', 871 X'4A' X'C0' | as in their euro pages 1143, 1149 | glibc: exchanged |
| 273 X'BC', 285 X'A1', 1122 X'BC' | macron U+00AF | Python 273, glibc 285, Java 1122: U+203E |
| 1026 and 1155 X'9A' | Turkish lira U+20BA (since 2012) | glibc, Java, Python: U+00AA |
| 420, 424, 870, 875, 1026 | | glibc, Python: near equivalents of up to four signs, or none |
| undefined bytes | an error | Python 875, glibc 1390 and 1399: U+001A |

X'9F' is the euro in 1140 to 1149 (1142, 1143: X'5A') and U+00A4 in the pages without it; all sources agree.
X'3F' is the substitute U+001A, which Log Master writes if a name cannot be translated to EBCDIC.

The ASCII pages follow Python, and so Microsoft: X'1A', X'1C' and X'7F' of the PC pages are the controls
with these numbers (IBM's tables exchange them). 1250 to 1258 are the current pages with the euro (IBM
numbers them 5346 to 5350, 5354, 9447 to 9449). Their undefined bytes X'80' to X'9F' are the controls with
these numbers, as in IBM's tables. Db2's manual lists characters of the Japanese pages 943 and 954 that IBM
and Microsoft convert differently, such as the wave dash; here these characters are IBM's. A few characters
differ from IBM's in 437, 813, 852, 856, 860 to 865, 869, 874, 916, 1125, 1253 and the double-byte pages.
932, 949 and 950 are left out: Microsoft's pages with these numbers are CCSIDs 943, 1363 and 1373.

Mixed EBCDIC (930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399) and pure double-byte pages have no
codec: `maybe_lookup` gives None. The single bytes of a mixed page are a page of their own (939: 1027).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from lmparse.errors import InvalidValueError, OptionError
from lmparse.spec import page_names
from lmparse.spec.layout import Field
from lmparse.spelling import quoted

UNDEFINED = "\ufffe"
"""In a table, the mark of an undefined byte; `codecs.charmap_decode` uses the same mark."""


def _changes() -> dict[int, tuple[int | str, list[str]]]:
    """By CCSID of an EBCDIC page: the page or codec that it is based on, and the changes to this base."""
    found: dict[int, tuple[int | str, list[str]]] = {}
    changes: list[str] = []
    for line in Path(__file__).with_name("ebcdic_pages.txt").read_text("utf-8").splitlines():
        words = line.partition("#")[0].split()
        if words and not line.startswith(" "):
            ccsid, origin, *changes = words
            found[int(ccsid)] = int(origin) if origin.isdigit() else origin, changes
        else:
            changes += words
    return found


CHANGES = _changes()
_TO_IBM = {943: str.maketrans("\u2015\uff5e\u2225\uff0d\uffe4", "\u2014\u301c\u2016\u2212\xa6"), 954: {0x2015: 0x2014}}
"""Characters where Python's codecs differ from Db2: "Alternative Unicode conversion table for CCSID 943", "... 954"."""


@dataclass(frozen=True)
class CodePage:
    """A code page. Equal and hashable by its fields, and safe to pickle; its tables are made on first use."""

    name: str
    """`cp037`, or another usual name (`utf-8`, `iso8859-1`)."""
    ccsid: int
    kind: Literal["sbcs", "mbcs", "utf"]
    """One byte for each character, one or more bytes for each character, or a Unicode form."""
    codec: str | None
    """Python's codec, or None for the EBCDIC pages, whose tables are in this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        return lookup, (self.ccsid,)  # without the tables

    @property
    def is_ebcdic(self) -> bool:
        return self.ccsid in CHANGES

    @cached_property
    def table(self) -> str | None:
        """The 256 characters by byte, U+FFFE for an undefined byte; None if a character may take several bytes."""
        if self.kind != "sbcs":
            return None
        return _ebcdic_table(self.ccsid) if self.codec is None else _codec_table(self.codec)

    @cached_property
    def latin1(self) -> bytes | None:
        """The 256 characters as Latin 1, for `bytes.translate`; None if a character is not in Latin 1."""
        return None if self.table is None or max(self.table) > "\xff" else self.table.encode("latin-1")

    @cached_property
    def _encoding(self) -> dict[int, int]:
        # Some Thai signs (838, 1160) have two bytes; the first is written.
        table = self.table or ""
        return {ord(char): byte for byte, char in reversed(list(enumerate(table))) if char != UNDEFINED}

    def decode(self, raw: bytes) -> str:
        """The text of a field. Raises InvalidValueError (LMP-V007) at the first byte that is not a character."""
        if (latin1 := self.latin1) is not None:
            return raw.translate(latin1).decode("latin-1")
        try:
            if self.table is not None:
                return codecs.charmap_decode(raw, "strict", self.table)[0]
            text = raw.decode(self.codec or "")
            return text.translate(_TO_IBM[self.ccsid]) if self.ccsid in _TO_IBM else text
        except UnicodeDecodeError as error:
            start = error.start
            raise InvalidValueError(
                code="LMP-V007", expected=f"text in {self.name}",
                found=f"X'{raw[start : start + 1].hex().upper()}' at byte {start}",
                hex=raw[max(start - 16, 0) : start + 16].hex().upper(),
                hint="it is not text, is cut inside a character, or is in another code page",
            ) from None  # fmt: skip

    def encode(self, text: str) -> bytes:
        """The bytes of a text. Raises InvalidValueError (LMP-V007) at the first character that the page lacks."""
        try:
            if self.table is not None:
                return codecs.charmap_encode(text, "strict", self._encoding)[0]
            theirs = {ibm: other for other, ibm in _TO_IBM.get(self.ccsid, {}).items()}
            return text.translate(theirs).encode(self.codec or "")
        except UnicodeEncodeError as error:
            found = f"U+{ord(text[error.start]):04X} at character {error.start}"
            raise InvalidValueError(code="LMP-V007", expected=f"characters of {self.name}", found=found) from None


def lookup(name: str | int) -> CodePage:
    """The code page with a name or CCSID: `cp037`, `IBM037`, `ibm-37`, `00037`, 37, `latin1`, `utf-8`, 1208.

    A name that is a number, with or without a prefix, is a CCSID; all other names are Python's. Raises OptionError
    (LMP-S003), which names the nearest pages.
    """
    page = maybe_lookup(name)
    if page is None:
        raise OptionError(f"there is no code page {quoted(name)}", code="LMP-S003", hint=_hint(name))
    return page


def maybe_lookup(name: str | int) -> CodePage | None:
    """As `lookup`, but None for a page that is unknown or has no codec, such as mixed EBCDIC (939)."""
    named = page_names.maybe_named(name)
    return None if named is None else _PAGES[named.ccsid]


def _hint(name: str | int) -> str:
    import difflib

    ccsid = page_names.number_in(name)
    half = _MIXED.get(ccsid or 0)
    if half:
        return f"{ccsid} mixes one and two bytes a character and has no codec; its single bytes are cp{half:03d}"
    if ccsid in _MICROSOFT:
        return f"Microsoft's page with this number is {_MICROSOFT[ccsid]}"
    wanted = str(name).strip().lower() if ccsid is None else f"cp{ccsid}"
    near = difflib.get_close_matches(wanted, [page.name for page in _PAGES.values()], cutoff=0.5)
    return f"nearest are {', '.join(near)}" if near else "give the CCSID, such as 37, 1208 or 1252"


def _ebcdic_table(ccsid: int) -> str:
    origin, changes = CHANGES[ccsid]
    table = list(_codec_table(origin) if isinstance(origin, str) else _ebcdic_table(origin))
    for change in changes:
        span, _, char = change.partition("=")
        first, _, last = span.partition("-")
        for place, byte in enumerate(range(int(first, 16), int(last or first, 16) + 1)):
            table[byte] = UNDEFINED if char == "----" else chr(int(char, 16) + place)
    return "".join(table)


def _codec_table(codec: str) -> str:
    table = bytes(range(256)).decode(codec, "replace").replace("\ufffd", UNDEFINED)
    if codec.startswith("cp125"):
        controls = (chr(byte) if table[byte] == UNDEFINED else table[byte] for byte in range(0x80, 0xA0))
        table = table[:0x80] + "".join(controls) + table[0xA0:]
    return table


_MICROSOFT = {932: 943, 949: 1363, 950: 1373}
_MIXED = {
    930: 290, 933: 833, 935: 836, 937: 28709, 939: 1027, 1364: 13121, 1371: 1159, 1388: 13124, 1390: 8482, 1399: 5123,
    5026: 290, 5035: 1027,
}  # fmt: skip
"""CCSIDs of mixed EBCDIC, with the CCSIDs of their single bytes."""

_PAGES = {ccsid: CodePage(*named) for ccsid, named in page_names.PAGES.items()}


def page_of_field(entry: Field, page: CodePage) -> CodePage:
    """The code page of a field: that of the file, unless the spec names another page."""
    return page if entry.codec in (None, "ebcdic", "database") else lookup(entry.codec)
