"""`lmparse summary`: text, JSON, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from commands import Run

from lmparse.samples import bmc_log, db2_log

Command = Callable[..., Run]


def test_json_is_what_python_gives(run: Command, tmp_path: Path) -> None:
    import lmparse

    control, data = bmc_log.make(units=5).write(tmp_path)
    done = run("summary", data, "--control", control, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.rows == [lmparse.summary(data, control=str(control)).to_dict()]
    for engine in ("kaitai", "columnar", "check"):
        assert run("summary", data, "--control", control, "--json", "--engine", engine).out == done.out


def test_the_control_file_beside_the_log_is_named(run: Command, tmp_path: Path) -> None:
    control, data = bmc_log.make(units=5).write(tmp_path)
    done = run("summary", data)
    assert done.code == 0
    said = f"control file: {control} (beside the log: it has the same stem)"
    assert "".join(said.split()) in "".join(done.out.split())
    control.unlink()
    done = run("summary", data)
    assert (done.code, done.out) == (20, "")
    assert "LMP-C007" in done.err


def test_bad_records_and_values_are_counted_by_code(run: Command, tmp_path: Path) -> None:
    tables, log = db2_log.make(units=8).write(tmp_path)
    raw = log.read_bytes()
    assert b"Anna" in raw
    log.write_bytes(raw.replace(b"Anna", b"Ann\xff"))
    changes = run("changes", log, "--tables", tables)
    done = run("summary", log, "--tables", tables, "--json", "--show-errors", "1")
    assert done.code == changes.code == 20
    count = changes.err.count("[LMP-")
    damage = done.rows[0]["damage"]
    assert (damage["bad_records"], damage["bad_values"], sum(damage["codes"].values())) == (0, count, count)
    assert done.err.splitlines()[-1].startswith(f"errors: {count}, of which the first 1 are printed")
