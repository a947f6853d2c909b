"""The samples that users see first: the images of a row go on from one another."""

from __future__ import annotations

from pathlib import Path

import pytest

import lmparse
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.samples import bmc_log, db2_log

KEYS = {"EMPLOYEE": "EMPNO", "ACCOUNT": "ID", "DOCUMENT": "ID", "ORDERS": "ID"}
SEEDS = range(1, 5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", ["bmc", "db2"])
def test_an_image_before_a_change_is_the_last_one_after_a_change(family: str, seed: int, tmp_path: Path) -> None:
    """By commit, without what was rolled back. A row that the log has not shown yet may have any image."""
    if family == "bmc":
        described, path = bmc_log.make(seed).write(tmp_path)
        log = lmparse.open_log(path, control=described, order="commit")
    else:
        described, path = db2_log.make(seed=seed).write(tmp_path)
        log = lmparse.open_log(path, tables=described, order="commit")
    rows: dict[tuple[str, object], object] = {}
    befores = 0
    for change in log.changes():
        if change["op"] not in ("I", "U", "D"):
            continue
        table, before, after = change["table_name"], change["before"], change["after"]
        if before is not None:
            place = table, before[KEYS[table]]
            assert rows.get(place, before) == before, change["_metadata"]
            rows[place] = None
            befores += 1
        if after is not None:
            place = table, after[KEYS[table]]
            assert rows.get(place) is None, change["_metadata"]
            rows[place] = after
    assert befores > 10


def test_an_update_of_the_log_master_sample_is_of_one_row(tmp_path: Path) -> None:
    described, path = bmc_log.make().write(tmp_path)
    changes = lmparse.open_log(path, control=described, operations="U").changes()
    assert {c["before"][KEYS[c["table_name"]]] == c["after"][KEYS[c["table_name"]]] for c in changes} == {True}


@pytest.mark.parametrize("units", [0, 1, 5])
def test_every_claim_of_a_small_log_holds(units: int, tmp_path: Path) -> None:
    """Of a few units, too, of which none may be long enough for segments."""
    for seed in (4, 10, 11):
        control, data = bmc_log.make(seed, units).write(tmp_path)
        described, log = db2_log.make(units, seed).write(tmp_path)
        for report in (
            account(str(data), read_options({"control": str(control)})),
            account(str(log), read_options({"spec": "db2_log", "tables": str(described)})),
        ):
            assert (report.differences, report.errors) == ([], [])
