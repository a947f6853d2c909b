"""The control file beside a log, where no option names one: what is taken is said, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from samples import log_master
from writers.bmc import control, framing

import lmparse
from lmparse import cli
from lmparse.bmc.control import find_control as control_search
from lmparse.samples import db2_log

COMMANDS = {
    "changes": ("changes",),
    "txn": ("txn", "--json"),
    "tables": ("tables", "--json"),
    "check": ("check",),
    "sql": ("sql", "--redo"),
    "explain": ("explain", "--record", "1"),
}
"""Commands that read a log with its control file."""
STEM = "it has the same stem"
Command = Callable[..., Run]


@pytest.fixture
def log(tmp_path: Path) -> tuple[Path, Path]:
    """A Log Master log and its control file, which has the same stem."""
    return log_master.written(tmp_path, "night")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*words: Any) -> Run:
        code = cli.main([str(word) for word in words])
        return Run(code, *capsys.readouterr())

    return run


def said(path: Path, why: str = STEM) -> str:
    return f"control file: {path} (beside the log: {why})"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_it_and_says_so(run: Command, log: tuple[Path, Path], name: str) -> None:
    command, *more = COMMANDS[name]
    data, described = log
    named = run(command, data, *more, "--control", described)
    found = run(command, data, *more)
    assert f"note: {said(described)}\n" in found.err
    assert found.code == named.code
    if name in ("check", "explain"):  # they print decisions
        assert "".join(said(described).split()) in "".join(found.out.split())
    else:
        assert found.out == named.out
    assert found.err.replace(f"note: {said(described)}\n", "") == named.err


def test_records_are_read_without_it(run: Command, log: tuple[Path, Path]) -> None:
    """Also `convert` decides between records and changes as it did."""
    data, described = log
    before = run("records", data)
    assert run("convert", data, data.with_suffix(".jsonl")).err.count("control file") == 0
    assert before.err == ""
    described.unlink()
    assert run("records", data) == before


def test_sniff_names_it_with_the_options(run: Command, log: tuple[Path, Path]) -> None:
    data, described = log
    spaced = data.rename(data.with_name("the night.dat"))
    control_file = described.rename(described.with_name("the night.ctl"))
    done = run("sniff", spaced)
    assert f"  {said(control_file)}\n" in done.out
    assert f"--control '{control_file}'\n" in done.out
    assert run("sniff", spaced, "--json").rows[0]["control"] == str(control_file)


@pytest.mark.parametrize("others", [(), ("night.control",), ("a.ctl", "b.ctl")], ids=["none", "several", "no one fits"])
def test_without_one_to_take_changes_are_an_error_that_lists_what_is_there(
    run: Command, log: tuple[Path, Path], others: tuple[str, ...]
) -> None:
    data, described = log
    for name in others:
        described.with_name(name).write_bytes(described.read_bytes())
    if "night.control" not in others:
        described.unlink()
    there = ", ".join(sorted((*others, *([described.name] if described.exists() else []))))
    for command in ("changes", "tables", "sql --redo", "convert --table X"):
        word, *more = command.split()
        done = run(word, data, *([data.with_name("out")] if word == "convert" else []), *more)
        assert (done.code, done.out) == (20, "")
        assert "[LMP-C007]" in done.err
        assert f"found {there or 'none'}" in done.err
    with pytest.raises(lmparse.ControlError) as caught:
        lmparse.open_log(data).changes()
    assert (caught.value.code, caught.value.found) == ("LMP-C007", there or "none")
    for command in ("txn", "check", "explain", "records"):
        done = run(command, data)
        assert done.code == 0
        assert ("note: control file: none (" in done.err) == (bool(there) and command != "records")


def test_a_control_file_that_is_named_wins(run: Command, log: tuple[Path, Path]) -> None:
    data, described = log
    elsewhere = data.parent / "elsewhere" / "x.ctl"
    elsewhere.parent.mkdir()
    described.rename(elsewhere)
    described.write_bytes(framing.rdw([control.xtyp(), control.dlds(), control.dlge()]))
    done = run("changes", data, "--control", elsewhere)
    assert (done.code, "control file" in done.err) == (0, False)
    assert run("changes", data).out != done.out


def test_a_log_of_another_family_is_said_to_be_one(run: Command, tmp_path: Path) -> None:
    db2_log.make().write(tmp_path)
    done = run("changes", tmp_path / "sample.log")
    assert (done.code, "[LMP-F003]" in done.err, "LMP-C007" in done.err) == (20, True, False)


def test_a_damaged_one_is_an_error(run: Command, log: tuple[Path, Path]) -> None:
    data, described = log
    described.write_bytes(described.read_bytes()[:-10])
    for command in ("changes", "check", "txn", "explain"):
        done = run(command, data)
        assert (done.code, done.out, f"{described}: " in done.err) == (20, "", True)
    assert run("records", data).code == 0


def test_a_program_reads_changes_with_it(log: tuple[Path, Path]) -> None:
    data, described = log
    named, found = lmparse.open_log(data, control=described), lmparse.open_log(data)
    records = list(lmparse.open_log(data, spec="bmc_lldf").records())
    assert list(found.changes()) == list(named.changes())
    assert str(found.decisions[0]) == said(described)
    assert said(described) in found.tally.notices
    assert found.left_out == named.left_out
    assert list(found.tables()) == list(named.tables())
    assert list(found.transactions()) == list(named.transactions())
    assert list(found.records()) == records
    assert found.to_table().to_pylist() == named.to_table().to_pylist()
    assert found.left_out == named.left_out
    assert lmparse.read_changes(data).num_rows == named.to_table().num_rows


def test_a_folder_of_very_many_files_is_not_read_through(
    run: Command, log: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, described = log
    for number in range(4):
        described.with_name(f"other{number}.ctl").write_bytes(described.read_bytes())
    assert run("changes", data).code == 0
    monkeypatch.setattr(control_search, "_MOST_FILES", 5)
    done = run("changes", data)
    assert (done.code, "[LMP-C007]" in done.err, "too many files" in done.err) == (20, True, True)
    assert run("changes", data, "--control", described).code == 0
