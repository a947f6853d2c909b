"""Manuals: the references of specs to manuals, split into words and the address of the page.

A reference is `Product, "page", table, address`. Most fields name the table without the address; another reference
to the same page has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ADDRESS = re.compile(r"https?://[^\s;,()<>\"']+")
_PAGE = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in a manual."""

    linked: str
    """The words that link to the page: product and page; all words when there is no address."""
    rest: str
    """The words behind that: table, field, remarks."""
    url: str | None
    """Address of the page; None when no spec has one."""

    @property
    def text(self) -> str:
        """The reference without its address."""
        return self.linked + self.rest


class Manuals:
    """The pages of manuals, from the references that have an address."""

    def __init__(self, references: Iterable[str]) -> None:
        self._urls: dict[str, str] = {}
        """By product and page, as `Product, "page"`, and by the page alone."""
        for reference in references:
            page, address = _PAGE.search(reference), _ADDRESS.search(reference)
            if page and address:
                for key in (reference[: page.end()], page[1]):
                    self._urls.setdefault(key, address[0])

    def look_up(self, reference: str) -> Reference | None:
        """A reference with the address of its page; None for an empty text."""
        words = " ".join(_ADDRESS.sub("", reference).split())
        words = re.sub(r"(\s*,)+(?=\s*([;,(]|$))", "", words).replace(" ;", ";")
        if not words:
            return None
        page = _PAGE.search(words)
        address = _ADDRESS.search(reference)
        url = address[0] if address else None
        if url is None and page:
            url = self._urls.get(words[: page.end()]) or self._urls.get(page[1])
        if url is None or page is None:
            return Reference(words, "", url)
        return Reference(words[: page.end()], words[page.end() :], url)
