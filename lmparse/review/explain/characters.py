"""Bytes as characters, one for each byte, beside their hex."""

from __future__ import annotations

from lmparse.values.codepages import UNDEFINED, CodePage, lookup

ASCII = lookup("us-ascii")


def pages_beside(page: CodePage | None) -> list[CodePage]:
    """The code pages in which bytes are shown: that of the record first, and ASCII beside an EBCDIC page."""
    if page is None:
        return [ASCII, lookup("cp037")]
    return [page, ASCII] if page.is_ebcdic else [page]


def characters(page: CodePage) -> list[str]:
    """A character for each byte; a dot for bytes without a printable character."""
    table = page.table
    if table is None:
        table = "".join(chr(byte) if byte < 0x80 else UNDEFINED for byte in range(256))
    return [letter if letter.isprintable() and letter != UNDEFINED else "." for letter in table]
