"""The extension of Sphinx for the spec pages: their styles and script, and their fields in its search.

A project with the sources of `sources.py` in it names this module among its extensions, and the folder of the sources
as `spec_pages`.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains import Domain, ObjType

from lmparse.review.docs.sources import FIELDS

_STATIC = ("specs.css", "specs.js")


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_config_value("spec_pages", "", "env")
    app.connect("config-inited", _add_static_files)
    app.add_css_file("specs.css")
    app.add_js_file("specs.js", loading_method="defer")
    app.add_domain(SpecDomain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_static_files(_: Sphinx, config: Config) -> None:
    folder = Path(__file__).parents[1] / "templates"
    config.html_static_path = [*config.html_static_path, *(str(folder / name) for name in _STATIC)]


class SpecDomain(Domain):
    """The fields of specs, and their values."""

    name = "lmparse"
    label = "spec"
    object_types = {"field": ObjType("field")}  # noqa: RUF012  # as Sphinx has it

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """What the search finds."""
        folder = self.env.config.spec_pages
        for name, page, anchor, rank in json.loads(Path(self.env.srcdir, folder, FIELDS).read_text("utf-8")):
            yield name, name, "field", posixpath.join(folder, page), anchor, rank

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Nothing: pages that were read at the same time add nothing."""
