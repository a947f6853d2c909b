"""Site: the pages for the review of the specs, as a folder.

The same specs and samples give the same bytes. The pages load nothing from outside the folder, so a browser can open
them from a disk or from a server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lmparse.error_catalogue import CATALOGUE, FAMILIES
from lmparse.errors import LmparseError, OptionError
from lmparse.options import FILE_OPTIONS
from lmparse.review.coverage.files import Samples, check_used, collect
from lmparse.review.coverage.provenance import Provenance
from lmparse.review.coverage.reach import evidence
from lmparse.review.docs import conformance, search
from lmparse.review.docs.diagrams import drawings
from lmparse.review.docs.expression_words import in_words
from lmparse.review.docs.pages import Pages
from lmparse.review.docs.review_order import family_of_layout, spec_trees
from lmparse.review.docs.rows import Instance, Link, Switch
from lmparse.review.docs.words import after_first_sentence, parts
from lmparse.review.templating import render_page
from lmparse.spec import catalog
from lmparse.spec.build.details import Details
from lmparse.spec.ksy import INSTALLED, read_specs
from lmparse.spec.layout import Layout, spec_of
from lmparse.storage import addresses
from lmparse.storage.outputs import AtomicOutput, check_place, inputs_of, lists_itself

MARK = "site.json"
"""File that marks a folder as a site and records the specs it was made from."""
_LINKS = (
    Link("Specs", "index.html"),
    Link("Samples", "samples.html"),
    Link("Conformance", "conformance.html"),
    Link("Errors", "errors.html"),
)
# Characters that HTML forbids, and the surrogates that names of files may have and UTF-8 has not.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


@dataclass(frozen=True)
class SiteSummary:
    """What `write_site` wrote."""

    files: int
    specs: int
    samples: Samples


def write_site(
    out: str,
    *,
    samples: Sequence[str],
    specs: str | None = None,
    given: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    provenance: Provenance | None = None,
) -> SiteSummary:
    """Write the site of the specs of the package, or of the folder `specs` that build.py made, to the folder `out`.

    `samples` are logs, folders of logs, or folders of cases, which are read with the options in `given`;
    `provenance` is that of all of them, None for what their cases state. Raises OptionError, UnknownFormatError
    (LMP-S001) for a folder without specs, and OSError.
    """
    folder = Path(addresses.local_path(out))
    is_empty = folder.is_dir() and not any(folder.iterdir())
    place = check_place(
        out,
        inputs_of([*samples, specs, *(str((given or {}).get(name, "")) for name in FILE_OPTIONS)]),
        is_folder=True,
        overwrite=overwrite or is_empty,
        foreign=lists_itself(MARK, _listed),
    )
    layouts = built(specs)
    read = read_samples(samples, specs, given, provenance)
    made = files(layouts, read)
    with AtomicOutput(place) as work:
        work.made.mkdir()
        for name, text in made.items():
            (work.made / name).write_text(text, encoding="utf-8", newline="\n")
        work.finish()
    return SiteSummary(len(made), sum("." not in name for name in layouts), read)


def read_samples(
    paths: Iterable[str],
    specs: str | None = None,
    given: Mapping[str, Any] | None = None,
    provenance: Provenance | None = None,
) -> Samples:
    """What the samples at some paths reach; files are named by their place in the folder of samples.

    So the pages are the same wherever the folder is. Files that cannot be read are listed in the result.
    Raises DataError or OptionError for a path at which no file can be read, OptionError for an option that is for none
    of the files.
    """
    samples = Samples()
    for path in paths:
        found = collect([path], given or {}, specs=specs, provenance=provenance)
        if not found.files:
            raise found.unreadable[0] if found.unreadable else OptionError(f"there is no log in {path}")
        _name_from(Path(path) if Path(path).is_dir() else Path(path).parent, found)
        samples.add(found)
    check_used(given or {}, samples)
    return samples


def _name_from(root: Path, samples: Samples) -> None:
    """Name the files of samples by their paths below a folder."""

    def named(path: str) -> str:
        return Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path

    for coverage in (samples.coverage, *samples.apart.values()):
        for seen in coverage.fields.values():
            seen.samples = [replace(sample, file=named(sample.file)) for sample in seen.samples]
            if seen.apart_sample is not None:
                seen.apart_sample = replace(seen.apart_sample, file=named(seen.apart_sample.file))
    for file in samples.files:
        file.path = named(file.path)
    samples.passed_over = [named(path) for path in samples.passed_over]
    for error in samples.faults:
        error.file = None if error.file is None else named(error.file)


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
    stated = stated_details(layouts)
    pages = Pages(layouts, samples, switches(layouts, stated), instances(layouts, stated), conditions(layouts, stated))
    compared = conformance.compare(layouts)
    shared = {"site": {"name": "lmparse specs", "links": _LINKS}, "specs": pages.all, "samples": samples}
    shared["evidence"] = evidence((page.reach for page in pages.all), samples)
    trees = spec_trees(layouts)
    shared |= {"conformance": compared, "pages": pages, "trees": trees, "by_id": {page.id: page for page in pages.all}}

    def page(name: str, here: str = "", **own: Any) -> str:
        return render_page(f"site_{name}.html", here=here or f"{name}.html", **shared, **own)

    words = {"drawings": drawings, "split": after_first_sentence}
    found = {
        "index.html": page("index"),
        "errors.html": page("errors", families=_errors()),
        "conformance.html": page("conformance", parts=parts, families=_tables_by_family(compared, layouts)),
        "samples.html": page("samples"),
        "search-data.js": search.script(pages.all),
    }
    for spec in pages.all:
        found[spec.href] = page("spec", spec.href, page=spec, **words)
    listed = {"specs": {spec.id: spec.layout.sha256 for spec in pages.all}, "files": sorted([*found, MARK])}
    found[MARK] = json.dumps(listed, indent=1) + "\n"
    return {name: _UNPRINTABLE.sub("\ufffd", text) for name, text in sorted(found.items())}


def _tables_by_family(
    compared: conformance.Conformance, layouts: Mapping[str, Layout]
) -> dict[str, list[tuple[int, conformance.ManualTable]]]:
    """The tables of the manuals, each with its number from 1, by the family of the spec."""
    found: dict[str, list[tuple[int, conformance.ManualTable]]] = {}
    for number, table in enumerate(compared.tables, 1):
        found.setdefault(family_of_layout(layouts[spec_of(table.layout)]), []).append((number, table))
    return found


def _listed(mark: Any) -> list[str]:
    mark["specs"]
    return list(mark["files"])


def stated_details(layouts: Mapping[str, Layout]) -> Mapping[str, Details]:
    """What the text of the specs says beside the layouts, for specs whose text is the one in the package."""
    try:
        read = read_specs(INSTALLED)
    except LmparseError:
        return {}
    known = {spec for spec, layout in read.layouts.items() if spec in layouts and layout.sha256 == layouts[spec].sha256}
    return {name: said for name, said in read.details.items() if name in layouts and spec_of(name) in known}


def switches(layouts: Mapping[str, Layout], stated: Mapping[str, Details]) -> dict[tuple[str, str], Switch]:
    """What decides between cases, by layout and field."""
    found = {}
    for layout in layouts.values():
        for entry in layout:
            said = stated.get(layout.id, {}).get(entry.id, {})
            if "switch-on" in said:
                found[layout.id, entry.id] = _switch(said)
    return found


def conditions(layouts: Mapping[str, Layout], stated: Mapping[str, Details]) -> dict[tuple[str, str], str]:
    """When a field is present, in words, by layout and field; of conditions that do not name the end of the record."""
    found = {}
    for layout in layouts.values():
        for entry in layout:
            said = stated.get(layout.id, {}).get(entry.id, {}).get("if", "")
            if entry.conditional and said:
                found[layout.id, entry.id] = in_words(said)
    return found


def instances(layouts: Mapping[str, Layout], stated: Mapping[str, Details]) -> dict[str, list[Instance]]:
    """The instances that are not fields, by layout, in the order of the spec."""
    found: dict[str, list[Instance]] = {}
    for layout in layouts.values():
        for name in layout.computed:
            said = stated.get(layout.id, {}).get(f"instances.{name}")
            if said is not None:
                words = [in_words(said["value"])] if "value" in said else []
                words += [f"read ahead at {in_words(said['pos'])}"] if "pos" in said else []
                words += [f"only if {in_words(said['if'])}"] if "if" in said else []
                found.setdefault(layout.id, []).append(
                    Instance(
                        name, said.get("doc", ""), "; ".join(words), said.get("-lm-status", ""),
                        said.get("doc-ref", ""), _value_names(said.get("value", ""), layout, name, layouts),
                        said.get("-lm-source", "").strip(),
                    )
                )  # fmt: skip
    return found


def _value_names(text: str, layout: Layout, name: str, layouts: Mapping[str, Layout]) -> dict[str, str]:
    """What the values of an instance are called: yes and no, or the words of the one enumeration that it has."""
    enums = set(re.findall(r"(?:\b(\w+)::)?\b(\w+)::\w+", text))
    codes = layout.computed[name].codes or ()
    if len(enums) == 1:
        ((spec, enum),) = enums
        owners = [layouts.get(spec or spec_of(layout.id)), layout]
        codes = next((owner.enums[enum] for owner in owners if owner and enum in owner.enums), codes)
    return {"True": "yes", "False": "no"} | {str(code.value): code.id.replace("_", " ") for code in codes}


def _switch(said: Mapping[str, str]) -> Switch:
    when: dict[str, list[str]] = {}
    for key, case in said.items():
        if key.startswith("case "):
            when.setdefault(case.partition("(")[0], []).append(key.removeprefix("case ").rpartition("::")[2])
    return Switch(in_words(said["switch-on"]), {case: tuple(words) for case, words in when.items()})


def _errors() -> list[tuple[str, str, list[tuple[str, Any, Any, Any]]]]:
    """The error codes by family: letter, title, and the code, title, cause and cure of each error."""
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
