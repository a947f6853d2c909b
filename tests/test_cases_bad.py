"""The cases under tests/cases_bad: each file gives the error that stands beside it, at its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_cases import arguments, load, name

from lmparse import catalog, cli
from lmparse.error_codes import CATALOGUE
from lmparse.errors import LmparseError
from lmparse.opening import open_changes, open_file
from lmparse.options import Options
from lmparse.sniffing import sniff

CASES = Path(__file__).parent / "cases_bad"
FOUND = sorted(CASES.glob("*/*.yaml"))


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


def test_there_are_cases() -> None:
    assert FOUND


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_bad_case(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = load(path)
    message = case["error"]["message"]
    expected = {name: case[name] for name in ("exit", "error", "more_errors", "good_rows")}
    actual_file = path.with_suffix(".actual.json")
    errors = errors_of(path, case)
    capsys.readouterr()
    code = cli.main(arguments(path, case))
    out, err = capsys.readouterr()
    actual = {
        "exit": code,
        "error": found(errors[0], message) if errors else None,
        "more_errors": len(errors) - 1,
        "good_rows": len(out.splitlines()),
    }
    if actual != expected:
        actual_file.write_text(json.dumps(actual | {"stderr": err.splitlines()}, indent=1), "utf-8")
    else:
        actual_file.unlink(missing_ok=True)
    assert actual == expected, err
    assert str(errors[0]) in err


# -- what the cases cover ------------------------------------------------------------------

WITHOUT_FILE = {
    "LMP-F001": "says that there is no file to read",
    "LMP-F004": "no bytes are known that two framings cut into the same number of sound records",
    "LMP-C008": "of columns that one Arrow schema must hold; no command of the cases makes one",
}
"""Codes that no file causes, each with its reason."""
ELSEWHERE = {"LMP-R006", "LMP-R007", "LMP-R008", "LMP-C009", "LMP-C010"}
"""Codes of Db2 LUW logs that test_luw_errors.py causes."""


def test_every_code_that_a_file_can_cause_has_a_case() -> None:
    caused = {load(path)["error"]["code"] for path in FOUND}
    of_files = {code for code in CATALOGUE if code[4] in "FRVC"}
    assert caused | ELSEWHERE == of_files - WITHOUT_FILE.keys()


def test_every_spec_has_a_bad_case() -> None:
    # A record of nothing but bytes, or of positions and digits that are not checked, cannot be bad.
    any_bytes = {"bmc_unlisted", "common_lrsn10", "common_packed_decimal", "common_rba10", "common_rid"}
    others = {"common_timestamp17", "zos_bdw", "zos_zosmf"}
    others |= {spec_id for spec_id in catalog.spec_ids() if spec_id.startswith("db2_")}  # in test_luw_errors.py
    assert {path.parent.name for path in FOUND} - others == set(catalog.spec_ids()) - any_bytes - others
