"""`lmparse convert`: damage, processes and interruptions: files appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from export.conftest import (
    ENDINGS,
    ROOT,
    Files,
    content,
    failure,
    manifest,
    read,
    with_rows,
)

from lmparse.logs import arrow

# -- damage ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("ending", "jobs"), [("parquet", 1), ("arrow", 1), ("parquet", 2)])
def test_permissive_writes_good_and_bad_records_and_names_the_bad_ones(
    run: Any, damaged: Files, ending: str, jobs: int
) -> None:
    out = damaged.to / f"x.{ending}"
    done = run("convert", damaged.data, out, "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == 20
    found = read(out)
    assert found.equals(arrow.read_table(damaged.data))
    assert [row for row, value in enumerate(found["_corrupt_record"].to_pylist()) if value is not None] == [4]
    assert found["_corrupt_fields"][2].as_py()[0]["code"] == "LMP-V005"
    shown = with_rows(run("records", damaged.data).err)
    assert done.err.splitlines()[:-1] == shown


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("ending", "jobs"), [*((ending, 1) for ending in ENDINGS), ("parquet", 2)])
def test_failfast_writes_nothing(run: Any, damaged: Files, ending: str, jobs: int) -> None:
    out = damaged.to / f"x.{ending}"
    done = run("convert", damaged.data, out, "--mode", "failfast", "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == 20
    assert "record 2 at " in failure(done, "LMP-V005")
    assert f"{out} is not written" in done.err
    assert os.listdir(damaged.to) == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("cut", "code", "error"), [(slice(None, -7), 20, "LMP-F006"), (slice(None), 31, "LMP-F007")])
@pytest.mark.parametrize(
    ("name", "jobs"), [*((f"x.{ending}", 1) for ending in ENDINGS), ("x", 1), ("x.csv", 2), ("x.arrow", 2), ("x", 2)]
)
def test_damaged_framing_writes_nothing(
    run: Any, log: Files, name: str, cut: slice, code: int, error: str, jobs: int
) -> None:
    log.data.write_bytes(log.data.read_bytes()[cut] + (b"" if code == 20 else b"\x00" * 16))
    out = log.to / name
    with_control = ("--control", log.control) if name == "x" else ()
    done = run("convert", log.data, out, *with_control, "--jobs", jobs, "--part-bytes", 3000)
    assert done.code == code
    failure(done, error)
    assert f"{out} is not written: it would not be complete" in done.err
    assert os.listdir(log.to) == []


@pytest.mark.usefixtures("here")
def test_bad_records_among_changes_stand_in_other(run: Any, damaged: Files) -> None:
    jobs, out = 2, damaged.to / "x"
    asked = (damaged.data, "--control", damaged.control)
    done = run("convert", asked[0], out, *asked[1:], "--jobs", jobs, "--part-bytes", 3000)
    shown = run("changes", *asked)
    assert done.code == shown.code == 20
    assert sorted(done.err.splitlines()[:-1]) == sorted(with_rows(shown.err))
    said = manifest(out)
    other = said["files"][-1]
    assert other["file"] == "other.parquet"
    assert other["rows_by_operation"]["bad record"] == said["counts"]["bad_records"] == 1
    assert said["counts"]["changes"] == len(shown.out.splitlines())
    (bad,) = [row for row in read(out / "other.parquet").to_pylist() if row["_corrupt_record"]]
    assert bad["_metadata"]["record_index"] == 4
    lines = damaged.to / "lines"
    run("convert", asked[0], lines, *asked[1:], "--jobs", jobs, "--part-bytes", 3000, "--format", "jsonl")
    found = [line for path in lines.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert sorted(found) == sorted(shown.out.splitlines())


# -- processes ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_processes_change_nothing_in_changes(
    run: Any, long_log: Files, tmp_path: Path, request: pytest.FixtureRequest, form: str
) -> None:
    if form == "jsonl":
        request.getfixturevalue("here")
    said = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        done = run("convert", long_log.data, out, "--control", long_log.control, "--format", form,
                   "--include", "all", "--jobs", jobs, "--part-bytes", 4000)  # fmt: skip
        assert done.code == 20
        said.append((content(out), manifest(out), sorted(done.err.replace(str(out), "OUT").splitlines())))
    assert all(entry == said[0] for entry in said)


# -- whole or not at all --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "jobs", "name"),
    [(signal.SIGTERM, 1, "x.jsonl"), (signal.SIGINT, 2, "x")],
)
def test_a_signal_leaves_nothing_behind(
    very_long: Files, tmp_path: Path, number: signal.Signals, jobs: int, name: str
) -> None:
    """As Ctrl-C does it: every process of the terminal gets the signal."""
    words = ("--control", very_long.control) if name == "x" else ("--engine", "kaitai")
    command = ["convert", very_long.data, tmp_path / name, *words, "--jobs", jobs, "--part-bytes", 100_000]
    with subprocess.Popen(
        [sys.executable, "-m", "lmparse", *map(str, command)],
        cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_ctrl_c,
    ) as process:  # fmt: skip
        wait_for(lambda: any(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()), process)
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert (printed, said) == ("", "")
    assert os.listdir(tmp_path) == []


def heed_ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would the programs that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(is_so: Any, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            if is_so():
                return
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    raise AssertionError(f"ended too early: {process.communicate()}")


def test_modes_of_files_are_those_of_the_user(run: Any, log: Files) -> None:
    """Not those of a temporary folder, which nobody else may enter."""
    before = os.umask(0o022)
    try:
        run("convert", log.data, log.to / "x.parquet")
        run("convert", log.data, log.to / "x", "--control", log.control)
    finally:
        os.umask(before)
    assert (log.to / "x.parquet").stat().st_mode & 0o777 == 0o644
    assert (log.to / "x").stat().st_mode & 0o777 == 0o755
