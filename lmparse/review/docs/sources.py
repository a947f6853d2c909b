"""Sources of the spec pages: Markdown for Sphinx, in which drawings and tables are HTML.

What specs and samples say is text: it stands escaped in HTML, and in headings behind backslashes. The same specs and
samples give the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from lmparse.error_catalogue import page as errors_page
from lmparse.logs.families import families
from lmparse.review.coverage.cases import PROVENANCES
from lmparse.review.coverage.files import Samples
from lmparse.review.coverage.reports import sum_of
from lmparse.review.docs import conformance
from lmparse.review.docs.spec_pages import SpecPages, page_name, specs_in_order
from lmparse.review.docs.words import code_marked, is_open, kind_in_words, unlinked
from lmparse.review.templating import render
from lmparse.spec.layout import Layout, spec_of

FIELDS = "fields.json"
"""File beside the sources with what the search of Sphinx finds: name, page and anchor of each field."""
_SHARED = {"zos": "z/OS: what frames records", "common": "Shared types"}
"""Titles of groups of specs that are not a family of logs."""
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class SpecTree:
    """The specs of a family, or of a group that is shared, with their depths."""

    name: str
    title: str
    specs: list[tuple[str, int]]


def sources(
    layouts: Mapping[str, Layout], samples: Samples, *, title: str = "lmparse specs", with_errors: bool = True
) -> dict[str, str]:
    """The texts of all files by name. `layouts` are those of all specs that were built together.

    Raises OptionError (LMP-S005) when Jinja2 is not installed.
    """
    pages = SpecPages(layouts, samples.coverage)
    trees = list(spec_trees(layouts))
    compared = conformance.compare(layouts)
    numbered = list(enumerate(compared.tables, 1))
    tables = {
        tree.title: [(at, one) for at, one in numbered if _family(layouts[spec_of(one.layout)]) == tree.name]
        for tree in trees
    }
    shared: dict[str, Any] = {
        "pages": pages, "samples": samples, "trees": trees, "compared": compared, "with_errors": with_errors,
        "families": [(title, of_family) for title, of_family in tables.items() if of_family],
        "title": title, "page_name": page_name,
        "shares": sum_of(page.reach.shares for page in pages.all.values()),
        "md": _markdown, "one_line": _one_line, "html": _html, "code": code_marked, "unlinked": unlinked,
        "is_open": is_open, "kind_in_words": kind_in_words, "provenances": PROVENANCES,
    }  # fmt: skip
    found = {f"{page_name(page.id)}.md": render("spec.md", page=page, **shared) for page in pages.all.values()}
    for name, template in (("index", "specs_index"), ("conformance", "conformance"), ("samples", "samples")):
        found[f"{name}.md"] = render(f"{template}.md", **shared)
    if with_errors:
        found["errors.md"] = errors_page()
    words = (
        (f"{page.id}.{name}", page_name(page.id), *rest) for page in pages.all.values() for name, *rest in page.words
    )
    found[FIELDS] = json.dumps([*words])
    return found


def spec_trees(layouts: Mapping[str, Layout]) -> Iterator[SpecTree]:
    """All specs by family: families of logs first. The record that a family is named for comes before all others."""
    known = {family.name: family for family in families()}
    titles = {name: family.title for name, family in known.items()} | _SHARED
    members: dict[str, list[str]] = {}
    for spec in sorted(name for name in layouts if "." not in name):
        members.setdefault(_family(layouts[spec]), []).append(spec)
    order = [*titles]
    for name in sorted(members, key=lambda one: (order.index(one) if one in order else len(order), one)):
        first = known[name].spec if name in known else ""
        yield SpecTree(name, titles.get(name, name), specs_in_order(members[name], layouts, first))


def _family(layout: Layout) -> str:
    """The folder of a spec under `formats/`, or the first word of its id."""
    return layout.path.partition("/")[0] if "/" in layout.path else layout.id.partition("_")[0]


def _one_line(text: str) -> Any:
    """A text in one line, as it is."""
    return Markup(" ".join(text.split()))


def _markdown(text: str) -> Any:
    """A text in one line in which no character is markup."""
    return _PUNCTUATION.sub(r"\\\1", _one_line(text))


def _html(caller: Callable[[], str]) -> Any:
    """A block of HTML in Markdown: it goes from a line that begins with a tag to the first empty line."""
    return Markup("\n{}\n\n").format(Markup("\n".join(line for line in caller().splitlines() if line.strip())))
