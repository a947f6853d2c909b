"""Site: the pages for the review of the specs, written for Sphinx and built by it into a folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lmparse.errors import OptionError
from lmparse.review.coverage.files import Samples, collect
from lmparse.review.docs.sources import sources
from lmparse.review.templating import check_installed
from lmparse.spec import catalog
from lmparse.spec.layout import Layout
from lmparse.storage import addresses
from lmparse.storage.outputs import atomic_output, check_place, inputs_of, lists_itself

MARK = "site.json"
"""File that marks a folder as a site and records the specs it was made from."""
CONFIG: Mapping[str, Any] = {
    "project": "lmparse specs",
    "html_title": "lmparse specs",
    "extensions": ["myst_parser", "lmparse.review.docs.sphinx_extension"],
    "html_theme": "furo",
    "html_theme_options": {
        "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
        "dark_css_variables": {"color-brand-primary": "#7db8f5", "color-brand-content": "#7db8f5"},
    },
    "smartquotes": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_use_index": False,
}
"""How Sphinx builds the pages."""


def write_site(
    out: str,
    *,
    samples: Sequence[str],
    specs: str | None = None,
    given: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    provenance: str | None = None,
) -> tuple[int, Samples]:
    """Write the site of the specs of the package, or of the folder `specs` that build.py made, to the folder `out`.

    `samples` are logs, folders of logs, or folders of cases, which are read with the options in `given`;
    `provenance` is that of all of them, None for what their cases state. Returns the number of specs, and what was
    read. Raises OptionError (LMP-S005) without Sphinx, UnknownFormatError (LMP-S001) for a folder without specs, and
    OSError.
    """
    folder = Path(addresses.local_path(out))
    is_empty = folder.is_dir() and not any(folder.iterdir())
    inputs, foreign = inputs_of([*samples, specs]), lists_itself(MARK, _listed)
    place = check_place(out, inputs, is_folder=True, overwrite=overwrite or is_empty, foreign=foreign)
    check_sphinx()
    layouts = built(specs)
    read = read_samples(samples, specs, given, provenance)
    hashes = {name: layout.sha256 for name, layout in sorted(layouts.items()) if "." not in name}
    with atomic_output(place) as work:
        write_sources(work.folder / "sources", layouts, read)
        _run_sphinx(work.folder / "sources", work.made, work.folder / "trees")
        names = [path.relative_to(work.made).as_posix() for path in work.made.rglob("*") if path.is_file()]
        listed = {"specs": hashes, "files": sorted([*names, MARK])}
        (work.made / MARK).write_text(json.dumps(listed, indent=1) + "\n", "utf-8")
        work.finish()
    return len(hashes), read


def write_sources(folder: Path, layouts: Mapping[str, Layout], samples: Samples, **named: Any) -> None:
    """Write the sources of the pages into a folder, which is made; `named` is as for `sources`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources(layouts, samples, **named).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def check_sphinx() -> None:
    """Raise OptionError (LMP-S005) when something is not installed that builds the pages."""
    check_installed()
    for name in ("sphinx", "furo", "myst_parser"):
        if find_spec(name) is None:
            raise OptionError(f"{name} is not installed", code="LMP-S005", hint="pip install 'lmparse[pages]'")


def _run_sphinx(source: Path, out: Path, trees: Path) -> None:
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    with patch_docutils(), docutils_namespace():
        Sphinx(source, None, out, trees, "html", dict(CONFIG), status=None, warning=sys.stderr).build()


def read_samples(
    paths: Sequence[str],
    specs: str | None = None,
    given: Mapping[str, Any] | None = None,
    provenance: str | None = None,
) -> Samples:
    """What the samples at some paths reach; files are named by their place in the folder of samples.

    So the pages are the same wherever the folder is. Files that cannot be read are listed in the result.
    Raises DataError or OptionError if no file can be read, OptionError for options that do not hold for a file.
    """
    found = collect(paths, given or {}, specs=specs, provenance=provenance, named_from=True)
    if not found.files:
        raise found.unreadable[0] if found.unreadable else OptionError(f"there is no log in {', '.join(paths)}")
    return found


def built(folder: str | None = None) -> Mapping[str, Layout]:
    """The layouts of the package, or of a folder that build.py made, by id."""
    if folder is None:
        return catalog.load(catalog.spec_ids()[0]).layouts
    names = sorted(path.stem for path in Path(folder).glob("*.py") if path.stem not in ("__init__", "layouts"))
    return catalog.load(f"{folder}/{names[0] if names else 'none'}").layouts


def _listed(mark: Any) -> list[str]:
    mark["specs"]
    return list(mark["files"])
