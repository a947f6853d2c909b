"""The cases as files: what each says, the command line that it stands for, and the errors that come of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lmparse.errors import LmparseError
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.sniff import sniff
from lmparse.options import Options

TESTS = Path(__file__).parents[1]
CASES, CASES_BAD = TESTS / "cases", TESTS / "cases_bad"
FOUND = sorted(CASES.glob("*/*.yaml"))
FOUND_BAD = sorted(CASES_BAD.glob("*/*.yaml"))


@cache
def load(path: Path) -> dict[str, Any]:
    """A case as its .yaml says it."""
    case: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return case


def name(path: Path) -> str:
    """A case's name in the report."""
    return f"{path.parent.name}/{path.stem}"


def arguments(path: Path, case: dict[str, Any]) -> list[str]:
    """The command line of a case; a control or tables file beside it goes with it, `control` in its options is one."""
    beside = {"control": path.with_suffix(".ctl"), "tables": path.with_suffix(".tables")}
    options = {option: str(file) for option, file in beside.items() if file.exists()}
    if case["command"] == "records":
        options["spec"] = path.parent.name
        options.pop("tables", None)  # for what explains the same records, with their rows
    options |= case["options"]
    if "control" in case["options"]:
        options["control"] = str(path.parent / case["options"]["control"])
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


def errors_of(path: Path, case: dict[str, Any]) -> list[LmparseError]:
    """Every error of a case, in order: those told of, and the one that ends the reading."""
    _, file, *words = arguments(path, case)
    options = Options.parse(dict(zip((word[2:] for word in words[::2]), words[1::2], strict=True)))
    errors: list[LmparseError] = []
    try:
        if case["command"] == "sniff":
            sniff(file)
        elif case["command"] == "changes":
            list(open_changes(file, options, on_error=errors.append).changes())
        else:
            list(open_file(file, options, on_error=errors.append).records())
    except LmparseError as error:
        errors.append(error)
    return errors


def found(error: LmparseError, message: str) -> dict[str, Any]:
    """Code and place of an error under the names of the .yaml; its message when that has not the part expected."""
    places = {"record": "record_index"} | {word: word for word in ("record_offset", "field", "field_offset")}
    place = {word: getattr(error, attribute, None) for word, attribute in places.items()}
    return {"code": error.code, **place, "message": message if message in str(error) else str(error)}
