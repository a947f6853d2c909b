"""The pages on the specs as a part of the site: their sources come to docs/formats/ before Sphinx reads the guides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from lmparse.review.docs.site import built, read_samples, write_sources

FOLDER = "formats"


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.setup_extension("lmparse.review.docs.sphinx_extension")
    app.connect("config-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx, config: Any) -> None:
    docs = Path(app.srcdir)
    config.spec_pages = FOLDER
    samples = read_samples([str(docs.parent / "tests" / "cases")])
    write_sources(docs / FOLDER, built(), samples, title="Formats", with_errors=False)
