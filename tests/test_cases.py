"""The cases under tests/cases: each file gives the rows that stand beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from make_cases import made_files

from lmparse import cli

CASES = Path(__file__).parent / "cases"
FOUND = sorted(CASES.glob("*/*.yaml"))


def load(path: Path) -> dict[str, Any]:
    """A case as its .yaml says it."""
    case: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return case


def name(path: Path) -> str:
    """A case's name in the report."""
    return f"{path.parent.name}/{path.stem}"


def arguments(path: Path, case: dict[str, Any]) -> list[str]:
    """The command line of a case."""
    options = {"control": str(path.with_suffix(".ctl"))} if path.with_suffix(".ctl").exists() else {}
    if case["command"] == "records":
        options["spec"] = path.parent.name
    options |= case["options"]
    words = [case["command"], str(path.with_suffix(".bin"))]
    for option, value in options.items():
        words += [f"--{option.replace('_', '-')}", str(value)]
    return words


def expected_rows(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows with what all of them have in common."""
    return [case.get("in_all_rows", {}) | row for row in case["rows"]]


def comparable(row: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """A row without what no case states: the path of the file, the hash of the spec."""
    metadata = row.get("_metadata")
    if metadata is None:
        return row
    stated = like.get("_metadata", {})
    return row | {"_metadata": {key: value for key, value in metadata.items() if key in stated}}


def test_there_are_cases() -> None:
    assert FOUND


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_case(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = load(path)
    code = cli.main(arguments(path, case))
    out, err = capsys.readouterr()
    expected = expected_rows(case)
    rows = [json.loads(line) for line in out.splitlines()]
    rows = [comparable(row, like) for row, like in zip(rows, expected, strict=False)] + rows[len(expected) :]
    actual = path.with_suffix(".actual.json")
    if (code, rows) != (case["exit"], expected):
        actual.write_text(json.dumps({"exit": code, "rows": rows, "stderr": err.splitlines()}, indent=1), "utf-8")
    else:
        actual.unlink(missing_ok=True)
    assert code == case["exit"], err
    assert rows == expected


def test_the_files_are_what_the_maker_gives() -> None:
    differing = [path for path, content in made_files().items() if not path.exists() or path.read_bytes() != content]
    assert not differing, "run: python tests/make_cases.py"
