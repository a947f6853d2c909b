"""The notebook runs, and its stored outputs are what its cells give."""

from __future__ import annotations

from review import notebook


def test_stored_outputs_are_what_the_cells_give() -> None:
    stored = notebook.read()
    assert notebook.with_outputs(stored) == stored, "run: make pages"


def test_it_draws_every_plot() -> None:
    drawn = [
        output["data"]["text/plain"][0]
        for cell in notebook.read()["cells"]
        for output in cell.get("outputs", ())
        if "image/svg+xml" in output.get("data", {})
    ]
    said = " ".join(drawn)
    for title in (
        "Records by kind", "Changes by time of commit", "Changes by table and operation", "by their number of changes",
        "by their bytes", "by their duration", "Changes by user",
    ):  # fmt: skip
        assert title in said


def test_it_imports_only_what_users_import() -> None:
    code = ["".join(cell["source"]) for cell in notebook.read()["cells"] if cell["cell_type"] == "code"]
    imports = [line for text in code for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import os", "from pathlib import Path", "import lmparse"]
