"""Changes by the column: they are what they are one by one, whatever the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engines import changes, changes_difference, difference, one_table
from test_cases import FOUND, arguments, load, name
from test_cases_bad import FOUND as FOUND_BAD

from lmparse import sample
from lmparse.opening import open_changes
from lmparse.options import Options


def compared(path: Path, **options: Any) -> Any:
    """What both engines give, once they agree."""
    rows, columns = changes(path, "kaitai", **options), changes(path, "columnar", **options)
    fatal = bool(rows.errors) and ((rows.errors[-1]["code"] or "")[:5] == "LMP-F" or options.get("mode") == "failfast")
    assert not changes_difference(rows, columns, ends_early=fatal)
    return columns


CASES = [
    path
    for path in (*FOUND, *FOUND_BAD)
    if load(path)["command"] == "changes" and "spec" not in load(path)["options"] and path.parent.name.startswith("bmc")
]


@pytest.mark.parametrize("path", CASES, ids=name)
def test_cases(path: Path) -> None:
    _, file, *words = arguments(path, load(path))
    options = dict(zip((word[2:].replace("-", "_") for word in words[::2]), words[1::2], strict=True))
    for mode in ("permissive", "dropmalformed", "failfast"):
        compared(Path(file), **(options | {"mode": mode}))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("log")
    control, data = sample.make(seed=3, units=150).write(folder)
    return {"path": Path(data), "control": str(control)}


@pytest.mark.parametrize("include", ["committed", "rolled-back,open", "all"])
def test_a_sample(log: dict[str, Any], include: str) -> None:
    found = compared(**log, include=include)
    assert sum(table.num_rows for table in found.tables.values()) > 50


def test_each_table_of_a_sample(log: dict[str, Any]) -> None:
    opened = open_changes(log["path"], Options.parse({"control": log["control"]}))
    tables = {version.hex_ids for version in opened.tables.versions}  # type: ignore[attr-defined]
    assert len(tables) > 2
    for table in tables:
        try:
            rows = one_table(**log, engine="kaitai", table=table, include="all")
        except Exception:
            continue
        columns = one_table(**log, engine="columnar", table=table, include="all")
        assert not difference(rows, columns)
        assert rows.table.num_rows
