"""The cases under tests/cases_bad: each file gives the error that stands beside it, at its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases.files import FOUND_BAD, arguments, errors_of, found, load, name

from lmparse import cli
from lmparse.error_catalogue import CATALOGUE
from lmparse.spec import catalog


def test_there_are_cases() -> None:
    assert FOUND_BAD


@pytest.mark.parametrize("path", FOUND_BAD, ids=name)
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


WITHOUT_HINT = {"db2_transaction", "db2_ddl"}
"""Specs whose faulty texts, in records that are kept, are told of without their place in the log."""
LOG_RECORDS = [path for path in FOUND_BAD if path.parent.name.startswith("db2_")]


@pytest.mark.parametrize("path", LOG_RECORDS, ids=name)
def test_an_error_in_a_log_record_says_where_in_the_log(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its hint names the log sequence number and the transaction, as far as header and prefix have them."""
    if path.stem.endswith("_not_utf8") and path.parent.name in WITHOUT_HINT:
        return
    case = load(path)
    options = case["options"]
    is_known = {"generation", "byte_order", "framing"} <= options.keys()
    if not is_known or case["error"]["code"][4] not in "RV" or "wrong_generation" in path.stem:
        return
    data, start = path.with_suffix(".bin").read_bytes(), case["error"]["record_offset"]
    order, framing = options["byte_order"], options["framing"]
    size, at = {"v7": (20, 14), "v9.7": (24, 16), "v10": (40, 32)}[options["generation"]]
    if int.from_bytes(data[start : start + 4], order) < size:
        return  # shorter than a header
    transaction = data[start + at : start + at + 6].hex().upper()
    lsn = None
    if options["generation"] == "v10":
        lsn = int.from_bytes(data[start + 8 : start + 16], order)
    elif framing == "lsn6":
        words = [int.from_bytes(data[start - part : start - part + 2], order) for part in (6, 4, 2)]
        lsn = words[0] << 32 | words[1] << 16 | words[2]
    elif framing != "bare":
        width = {"lsn8": 8, "filter97": 16}[framing]
        lsn = int.from_bytes(data[start - width : start - width + 8], order)
    hint = str(errors_of(path, case)[0].hint)
    capsys.readouterr()
    assert f"transaction {transaction}" in hint
    assert lsn is None or f"LSN {lsn:016X}, " in hint


# -- what the cases cover ------------------------------------------------------------------

WITHOUT_FILE = {
    "LMP-F001": "says that there is no file to read",
    "LMP-F004": "no bytes are known that two framings cut into the same number of sound records",
    "LMP-F012": "of a file that changes while it is read",
    "LMP-F013": "of several files that are not of one log; tests/db2/test_joining.py has some",
    "LMP-F015": "of folders of k=v; tests/storage/path_layouts.yaml has some",
    "LMP-F016": "of the items of a list in a file; tests/cases_files has some",
    "LMP-F014": "of a log in several files; tests/db2/test_late_files.py has some",
    "LMP-R009": "of a repeat without bytes, which no spec of lmparse has; tests/spec/test_step_budget.py has some",
    **dict.fromkeys(
        ("LMP-R010", "LMP-R011", "LMP-R012", "LMP-R013", "LMP-R014"),
        "of constructs that no spec of lmparse has; tests/constructs/matrix.yaml has some",
    ),
    "LMP-C012": "of a case itself; tests/review/test_coverage.py has some",
    "LMP-C008": "of columns that one Arrow schema must hold; no command of the cases makes one",
}
"""Codes that no file causes, each with its reason."""


def test_every_code_that_a_file_can_cause_has_a_case() -> None:
    caused = {load(path)["error"]["code"] for path in FOUND_BAD}
    of_files = {code for code in CATALOGUE if code[4] in "FRVC"}
    assert caused == of_files - WITHOUT_FILE.keys()


def test_every_spec_has_a_bad_case() -> None:
    # A record of nothing but bytes, or of positions and digits that are not checked, cannot be bad.
    any_bytes = {"bmc_unlisted", "common_lrsn10", "common_packed_decimal", "common_rba10", "common_rid"}
    any_bytes |= {"db2_rid", "db2_sqlu_lsn", "db2_server"}
    others = {"common_timestamp17", "zos_bdw", "zos_zosmf"}
    assert {path.parent.name for path in FOUND_BAD} - others == set(catalog.spec_ids()) - any_bytes - others
