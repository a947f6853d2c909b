"""Site: the pages on which the specs are reviewed, as a folder that needs nothing else.

The same specs and samples give the same bytes. Nothing is loaded from anywhere but the folder, so that the pages
open from a disk as well as from a server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from lmparse.error_catalogue import CATALOGUE, FAMILIES
from lmparse.errors import LmparseError
from lmparse.logs.families import families
from lmparse.review.coverage.files import Samples
from lmparse.review.docs import conformance, search
from lmparse.review.docs.diagrams import diagram
from lmparse.review.docs.pages import Pages, Switch
from lmparse.review.docs.rows import Link, SpecPage
from lmparse.review.docs.samples import read_samples
from lmparse.review.docs.words import parts
from lmparse.review.templating import render
from lmparse.spec import catalog
from lmparse.spec.ksy import INSTALLED, read_specs
from lmparse.spec.layout import Layout
from lmparse.storage.atomic_output import AtomicOutput, check_place

MARK = "site.json"
"""Says what a site was made of, and that it is one."""
_SHARED = {"zos": "z/OS: what frames records", "common": "Shared types"}
"""Titles of specs that are of no family of logs."""
_LINKS = (
    Link("Specs", "index.html"),
    Link("Samples", "samples.html"),
    Link("Conformance", "conformance.html"),
    Link("Errors", "errors.html"),
)
# What no page may hold, and what UTF-8 cannot: the halves of characters that names of files may have.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


@dataclass(frozen=True)
class SiteSummary:
    """What was written."""

    files: int
    specs: int
    samples: Samples


def write_site(out: str, *, samples: Sequence[str], specs: str | None = None, overwrite: bool = False) -> SiteSummary:
    """Write the site of the specs of the package, or of a folder that build.py made, to a folder.

    `samples` are logs, folders of them, or folders of cases.
    Raises OptionError, UnknownFormatError (LMP-S001) for a folder without specs, and OSError.
    """
    is_empty = Path(out).is_dir() and not any(Path(out).iterdir())
    place = check_place(
        out, [*samples, *filter(None, [specs])], is_folder=True, overwrite=overwrite or is_empty, mark=MARK
    )
    layouts = built(specs)
    read = read_samples(samples, specs)
    made = files(layouts, read)
    with AtomicOutput(place, overwrite=overwrite or is_empty) as work:
        work.made.mkdir()
        for name, text in made.items():
            (work.made / name).write_text(text, encoding="utf-8", newline="\n")
        work.finish()
    return SiteSummary(len(made), sum("." not in name for name in layouts), read)


def built(folder: str | None = None) -> Mapping[str, Layout]:
    """The layouts of the package, or of a folder that build.py made, by id."""
    if folder is None:
        return catalog.load(catalog.spec_ids()[0]).layouts
    names = sorted(path.stem for path in Path(folder).glob("*.py") if path.stem not in ("__init__", "layouts"))
    return catalog.load(f"{folder}/{names[0] if names else 'none'}").layouts


def files(layouts: Mapping[str, Layout], samples: Samples) -> dict[str, str]:
    """The site's files by name. `layouts` are those of all specs that were built together.

    Raises OptionError (LMP-S005) when Jinja2 is not installed.
    """
    pages = Pages(layouts, samples.coverage, switches(layouts))
    compared = conformance.compare(layouts)
    shared = {"site": {"name": "lmparse specs", "links": _LINKS}, "specs": pages.all, "samples": samples}
    shared |= {"conformance": compared, "pages": pages}
    found = {
        "index.html": _page("site_index.html", "index.html", shared, families=_by_family(pages.all)),
        "errors.html": _page("site_errors.html", "errors.html", shared, families=_errors()),
        "conformance.html": _page("site_conformance.html", "conformance.html", shared, parts=parts),
        "samples.html": _page("site_samples.html", "samples.html", shared),
        "search-data.js": search.script(pages.all),
        MARK: _mark(pages.all),
    }
    for page in pages.all:
        drawings = {section.anchor: diagram(section) for section in page.sections}
        found[page.href] = _page("site_spec.html", page.href, shared, page=page, drawings=drawings)
    return {name: _UNPRINTABLE.sub("\ufffd", text) for name, text in sorted(found.items())}


def _page(template: str, here: str, shared: Mapping[str, Any], **own: Any) -> str:
    return render(template, here=here, **shared, **own)


def _by_family(pages: Iterable[SpecPage]) -> list[tuple[str, str, list[SpecPage]]]:
    """The specs by family: its name, its title, its pages; known families first, in their order."""
    titles = {family.name: family.title for family in families()} | _SHARED
    order = list(titles)
    ordered = sorted(pages, key=lambda page: (order.index(page.family) if page.family in order else 99, page.id))
    return [(name, titles.get(name, name), list(group)) for name, group in groupby(ordered, lambda page: page.family)]


def switches(layouts: Mapping[str, Layout]) -> dict[tuple[str, str], Switch]:
    """What decides between cases, by layout and field, for specs whose text is that of the package."""
    try:
        read = read_specs(INSTALLED)
    except LmparseError:
        return {}
    found = {}
    for layout in layouts.values():
        spec = layout.id.partition(".")[0]
        known = read.layouts.get(spec)
        if known is None or known.sha256 != layouts[spec].sha256:
            continue
        for entry in layout:
            said = read.details.get(layout.id, {}).get(entry.id, {})
            if "switch-on" in said:
                found[layout.id, entry.id] = _switch(said)
    return found


def _switch(said: Mapping[str, str]) -> Switch:
    when: dict[str, list[str]] = {}
    for key, case in said.items():
        if key.startswith("case "):
            when.setdefault(case.partition("(")[0], []).append(key.removeprefix("case ").rpartition("::")[2])
    return Switch(said["switch-on"], {case: tuple(words) for case, words in when.items()})


def _errors() -> list[tuple[str, str, list[tuple[str, Any, Any, Any]]]]:
    """The error codes by family: letter, title, and code, title, cause and cure of each."""
    return [
        (
            letter,
            title,
            [
                (code, cause.title, parts(cause.cause), parts(cause.cure))
                for code, cause in CATALOGUE.items()
                if code.startswith(f"LMP-{letter}")
            ],
        )
        for letter, title in FAMILIES.items()
    ]


def _mark(pages: Iterable[SpecPage]) -> str:
    said = {"specs": {page.id: page.layout.sha256 for page in pages}}
    return json.dumps(said, indent=1) + "\n"
