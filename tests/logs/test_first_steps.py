"""What somebody meets who reads a log for the first time: errors that help, and nothing that is half told."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from counted import operations

import lmparse
from lmparse import cli
from lmparse.errors import OptionError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import Request
from lmparse.samples import db2_log


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The synthetic log of Db2 LUW, and the file that names its tables."""
    tables, path = map(str, db2_log.make(20).write(tmp_path_factory.mktemp("log")))
    return {"path": path, "tables": tables}


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*words: str) -> Run:
        code = cli.main(list(words))
        return Run(code, *capsys.readouterr())

    return command


def test_the_second_half_of_a_log_says_what_it_lacks(log: dict[str, str], tmp_path: Path, command: Any) -> None:
    """An update of a row whose transaction begins in the first half is not printed as if it were whole."""
    opened = open_changes(log["path"], read_options({"tables": log["tables"]}))
    data, lead = Path(log["path"]).read_bytes(), opened.framing.lead
    units = list(lmparse.open_log(**log).transactions())
    start = next(row for row in units if row["records"] > 2)["first_record_index"] + 1
    begun = {row["txn_id"] for row in units if row["first_record_index"] >= start}
    offset = next(extent.offset for extent in opened.extents() if extent.index == start)
    half = tmp_path / "half.log"
    half.write_bytes(data[offset - lead :])
    done = command("changes", str(half), "--tables", log["tables"])
    whole = [row["seq"] for row in lmparse.open_log(**log).changes() if row["txn_id"] in begun]
    assert sorted(json.loads(line)["seq"] for line in done.out.splitlines()) == sorted(whole)
    assert "transactions that begin before the log at hand" in done.err
    assert "incomplete" in done.err


def test_the_parts_of_a_log_are_small(log: dict[str, str], tmp_path: Path) -> None:
    """They are sent to processes: what is known of the whole log does not go with each of them."""
    sizes = []
    for transactions in (200, 800):
        tables, path = map(str, db2_log.make(transactions).write(tmp_path / str(transactions)))
        request = Request((path,), read_options({"tables": tables}), with_changes=True, max_bytes=1 << 18)
        parts = list(request.parts())
        assert len(parts) > 2
        sizes.append(sum(len(pickle.dumps(part)) for part in parts) / Path(path).stat().st_size)
    assert max(sizes) < 0.1


def test_planning_takes_few_steps_for_a_record(tmp_path: Path) -> None:
    """Transactions are found by the column; to parse a record takes more than a hundred lines of Python."""
    steps, records = [], []
    for transactions in (200, 800):
        tables, path = map(str, db2_log.make(transactions).write(tmp_path / str(transactions)))
        request = Request((path,), read_options({"tables": tables}), with_changes=True)
        list(request.parts())  # imports, and what is kept of specs
        steps.append(operations(lambda request=request: list(request.parts())))
        records.append(sum(row["records"] for row in lmparse.open_log(path, tables=tables).transactions()))
    assert records[1] - records[0] > 1000
    assert steps[1] - steps[0] < 5 * (records[1] - records[0])


def test_options_for_changes_are_refused_for_records(log: dict[str, str]) -> None:
    for name, value in (("include", "all"), ("table", "HR.EMPLOYEE"), ("order", "commit"), ("envelope", "debezium")):
        with pytest.raises(OptionError) as found:
            lmparse.read_table(log["path"], spec="db2_log", **{name: value})
        assert found.value.code == "LMP-S003"


def test_a_log_of_either_kind_lists_its_tables(log: dict[str, str]) -> None:
    names = {f"{row['schema_name']}.{row['table_name']}" for row in lmparse.open_log(**log).tables()}
    assert names == {"HR.EMPLOYEE", "SALES.ORDERS"}


def test_a_wrong_table_is_an_error_with_those_that_are_there(log: dict[str, str], command: Any) -> None:
    done = command("changes", log["path"], "--tables", log["tables"], "--table", "HR.EMPLOYE")
    assert done.code == 2
    assert "HR.EMPLOYEE (2.5), SALES.ORDERS (3.7)" in done.err


def test_a_time_may_have_a_blank(log: dict[str, str]) -> None:
    rows = list(lmparse.open_log(**log).changes())
    for time in ("2020-01-01 00:00:00", "2020-01-01T00:00:00"):
        assert list(lmparse.open_log(**log, starting_timestamp=time).changes()) == rows
