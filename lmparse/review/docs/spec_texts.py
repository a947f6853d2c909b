"""Spec texts: what specs say beside their layouts: conditions, what decides between cases, instances, manuals.

A reference to a manual is `Product, "page", table, address`. Most fields name the table without the address; another
reference to the same page has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lmparse.errors import LmparseError
from lmparse.review.docs.words import in_words
from lmparse.spec.ksy import INSTALLED, Details, read_specs
from lmparse.spec.layout import Field, Layout, spec_of

_TEXTS = {"doc": "doc", "doc_ref": "doc-ref", "status": "-lm-status", "source": "-lm-source"}
"""What a field has of the texts of a spec."""


class SpecTexts:
    """The texts of those specs whose text is the one in the package; there is nothing about others."""

    def __init__(self, layouts: Mapping[str, Layout]) -> None:
        self._details: Mapping[str, Details] = {}
        with suppress(LmparseError):
            read = read_specs(INSTALLED)
            hashes = {spec: layout.sha256 for spec, layout in layouts.items()}
            known = {spec for spec, layout in read.layouts.items() if layout.sha256 == hashes.get(spec)}
            self._details = {
                name: stated for name, stated in read.details.items() if name in layouts and spec_of(name) in known
            }

    def condition(self, layout: Layout, entry: Field) -> str:
        """When a field is present, in words; empty for a field that always is."""
        condition = self._of(layout, f"instances.{entry.id}" if entry.is_instance else entry.id).get("if", "")
        return in_words(condition) if entry.conditional and condition else ""

    def calculation(self, layout: Layout, entry: Field) -> list[str]:
        """From what a value is calculated, as a sentence; nothing for a field."""
        value = self._of(layout, f"instances.{entry.id}").get("value", "")
        return [f"Calculated: {in_words(value)}."] if value and entry.is_instance else []

    def switch(self, layout: Layout, entry: Field) -> tuple[str, dict[str, list[str]]]:
        """The expression, in words, that decides between the cases of a field, and the values of each case."""
        stated = self._of(layout, entry.id)
        when: dict[str, list[str]] = {}
        for key, case in stated.items():
            if key.startswith("case "):
                when.setdefault(case.partition("(")[0], []).append(key.removeprefix("case ").rpartition("::")[2])
        return in_words(stated.get("switch-on", "")), when

    def helpers(self, layout: Layout) -> list[tuple[Field, str]]:
        """What only decides how a record is read, each with that from which it is calculated or read, in words."""
        found, shown = [], {entry.id for entry in layout.calculated}
        for name in layout.computed:
            stated = self._of(layout, f"instances.{name}")
            if stated and name not in shown:
                words = [in_words(stated["value"])] if "value" in stated else []
                words += [f"read ahead at {in_words(stated['pos'])}"] if "pos" in stated else []
                words += [f"only if {in_words(stated['if'])}"] if "if" in stated else []
                texts: dict[str, Any] = {key: stated.get(name, "") for key, name in _TEXTS.items()}
                found.append((Field(name, None, None, "any", **texts), "; ".join(words)))
        return found

    def _of(self, layout: Layout, member: str) -> Mapping[str, str]:
        return self._details.get(layout.id, {}).get(member, {})


_ADDRESS = re.compile(r"https?://[^\s;,()<>\"']+")
_PAGE = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class ManualReference:
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

    def look_up(self, reference: str) -> ManualReference | None:
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
            return ManualReference(words, "", url)
        return ManualReference(words[: page.end()], words[page.end() :], url)
