"""`lmparse txn`: the table, JSON lines, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run
from samples.db2_scripts import ITEM, item
from writers.db2.stream import Stream

from lmparse.samples import bmc_log

Command = Callable[..., Run]


def put(folder: Path, count: int, auth_id: str = "ALICE") -> Path:
    stream = Stream("v10", "little", "filter")
    for number in range(count):
        unit = stream.begin(auth_id)
        unit.insert(ITEM, item(number))
        if number == count - 1:
            unit.insert(ITEM, item(number + 1))
        else:
            unit.commit()
    path = folder / "x.log"
    path.write_bytes(stream.bytes())
    return path


def test_a_table(run: Command, tmp_path: Path) -> None:
    """Columns are aligned; numbers to the right."""
    done = run("txn", put(tmp_path, 7), "--spec", "db2_log")
    assert (done.code, done.err) == (0, "")
    title, *lines = done.out.splitlines()
    assert title.split() == ["TXN_ID", "DISPOSITION", "COMMIT_TS", "USER", "RECORDS", "BYTES", "CHANGES", "TAKEN",
                             "BACK", "COMPLETE", "TABLES"]  # fmt: skip
    assert len(lines) == 7
    assert lines[0].split()[1:] == ["committed", "2026-03-14T10:11:12.000000", "ALICE", "2", lines[0].split()[5],
                                    "1", "0", "yes", "3.5", "I=1"]  # fmt: skip
    assert lines[-1].endswith("no            3.5 I=2 (its end is not in the log)")
    for name in ("DISPOSITION", "COMPLETE", "TABLES"):
        place = title.index(name)
        assert all(line[place - 1] == " " != line[place] for line in lines), name


def test_json_lines_are_those_of_python(run: Command, tmp_path: Path) -> None:
    control, data = bmc_log.make(units=5).write(tmp_path)
    done = run("txn", data, "--control", control, "--json")
    assert (done.code, done.err) == (0, "")
    assert [*done.rows[0]] == [
        *("txn_id", "disposition", "complete", "why", "begin_ts", "commit_ts"),
        *("auth_id", "plan", "correlation_id", "connect_id"),
        *("first_position", "last_position", "first_file", "first_record_index", "first_record_offset"),
        *("last_file", "last_record_index", "last_record_offset", "records", "bytes", "tables", "compensated"),
    ]
    for engine in ("kaitai", "columnar", "check"):
        assert run("txn", data, "--control", control, "--json", "--engine", engine).out == done.out
    table = run("txn", data, "--control", control).out.splitlines()
    assert [line.split()[0] for line in table[1:]] == [row["txn_id"] for row in done.rows]


def test_engines_that_differ(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engine `check` says in what, and of which transaction."""
    from lmparse.db2.summaries import UnitCounts

    path = put(tmp_path, 3)
    assert run("txn", path, "--spec", "db2_log", "--engine", "check").code == 0
    counted, counts = UnitCounts.of, {"check": [((3, 5), None, "D", False, 1)]}
    monkeypatch.setattr(
        UnitCounts, "of", lambda self, unit: iter(counts.get(self._log.options.engine) or counted(self, unit))
    )
    done = run("txn", path, "--spec", "db2_log", "--engine", "check")
    assert done.code == 24
    assert "tables: {'3.5': {'D': 1}} column-wise, {'3.5': {'I': 1}} by the parser" in done.err
