"""The notebook docs/notebooks/explore-a-log.ipynb: its cells are run in order, and what they give is stored in it.

    python tests/review/notebook.py

writes the outputs anew; tests/review/test_notebook.py compares them. A cell is run as a notebook runs it, but by
plain Python: what it prints is one output, and the value of its last line is another.
"""

from __future__ import annotations

import ast
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from lmparse.review.coverage.provenance import DEMO_MARK, DEMO_TEXT
from lmparse.samples import bmc_log, db2_log

PAGE = Path(__file__).parents[2] / "docs" / "notebooks" / "explore-a-log.ipynb"


@contextmanager
def demo_folder() -> Iterator[Path]:
    """A folder with the logs of `lmparse demo`, as the current one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bmc_log.make().write(folder / "demo" / "log")
        db2_log.make().write(folder / "demo" / "luw")
        (folder / "demo" / DEMO_MARK).write_bytes(DEMO_TEXT)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def with_outputs(page: dict[str, Any]) -> dict[str, Any]:
    """A notebook with the outputs of its cells, run in order in one name space."""
    names: dict[str, Any] = {}
    cells = []
    with demo_folder():
        for number, cell in enumerate(page["cells"], 1):
            if cell["cell_type"] == "code":
                count = sum(one["cell_type"] == "code" for one in page["cells"][:number])
                cell = {**cell, "execution_count": count, "outputs": list(outputs(cell["source"], names, count))}
            cells.append(cell)
    return {**page, "cells": cells}


def outputs(source: list[str], names: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """What one cell prints, and the value of its last line."""
    tree = ast.parse("".join(source))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())}
    if value is not None:
        shown = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_svg_"):
            shown["image/svg+xml"] = lines(value._repr_svg_())
        yield {"data": shown, "execution_count": count, "metadata": {}, "output_type": "execute_result"}


def lines(text: str) -> list[str]:
    """A text as notebooks store it."""
    return text.splitlines(keepends=True)


def read() -> dict[str, Any]:
    """The notebook as it is stored."""
    found: dict[str, Any] = json.loads(PAGE.read_text("utf-8"))
    return found


if __name__ == "__main__":
    PAGE.write_text(json.dumps(with_outputs(read()), indent=1, ensure_ascii=False) + "\n", "utf-8")
