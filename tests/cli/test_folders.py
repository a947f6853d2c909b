"""A folder, or a pattern, is one log of its files, for every command that reads several files as one log."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from writers.bmc import framing, logs

import lmparse
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import bmc_log, db2_log

Command = Callable[..., Run]
READ_AS_ONE = {
    "changes": (), "txn": ("--json",), "tables": ("--json",), "check": ("--json",), "summary": ("--json",),
    "sql": ("--redo",),
}  # fmt: skip
"""Commands that print what they read of one log, each with an argument that it needs."""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a Db2 log in three files and the file that describes its tables, and that file."""
    folder = tmp_path_factory.mktemp("parts")
    tables, log = db2_log.make(12).write(folder)
    opened = open_changes(log, read_options({"tables": str(tables)}))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    data, cuts = log.read_bytes(), [0, places[len(places) // 3], places[len(places) * 2 // 3], None]
    landing = folder / "logs"
    landing.mkdir()
    for number in range(3):
        (landing / f"{number}.log").write_bytes(data[cuts[number] : cuts[number + 1]])
    shutil.copy(tables, landing / "tables.yaml")
    return landing, landing / "tables.yaml"


@pytest.mark.parametrize("command", READ_AS_ONE)
@pytest.mark.parametrize("named", ["", "/*.log"])
def test_a_folder_and_a_pattern_are_the_log_of_their_files(
    run: Command, parts: tuple[Path, Path], command: str, named: str
) -> None:
    folder, tables = parts
    words = ("--tables", tables, *READ_AS_ONE[command])
    listed = run(command, *sorted(folder.glob("*.log"), reverse=True), *words)
    found = run(command, f"{folder}{named}", *words)
    assert listed.code == 0, listed.err
    assert found == listed
    # The tables file describes the tables of each file alike.
    assert command == "tables" or run(command, folder / "0.log", *words).out != found.out


def test_what_is_written_of_a_folder_is_of_all_of_its_files(
    run: Command, parts: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, tables = parts
    listed = sorted(folder.glob("*.log"))
    for name, words in (("folder", [folder]), ("files", listed)):
        done = run("convert", *words, tmp_path / name, "--tables", tables, "--format", "jsonl")
        assert done.code == 0, done.err
        done = run("land", *words, "--to", tmp_path / f"lake-{name}", "--as", "parquet", "--tables", tables)
        assert done.code == 0, done.err
    one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.jsonl")} for name in (
        "folder", "files"))  # fmt: skip
    assert one == other != {}
    landed = [json.loads(run("land", folder, "--to", tmp_path / f"lake-{name}", "--as", "parquet", "--json", "--tables",
                             tables).out)["rows"] for name in ("folder", "files")]  # fmt: skip
    assert landed == [0, 0]


@pytest.mark.parametrize("command", ["records", "explain", "sniff"])
def test_what_reads_one_file_refuses_a_folder_with_a_hint(run: Command, parts: tuple[Path, Path], command: str) -> None:
    done = run(command, parts[0])
    assert (done.code, done.out) == (20, "")
    assert "is a directory, not a file [LMP-F001]" in done.err
    assert "hint: name a file in it" in done.err
    reads: dict[str, Callable[..., Any]] = {"records": lmparse.read_table, "explain": lmparse.explain}
    with pytest.raises(lmparse.FramingError, match="is a directory"):
        reads.get(command, lmparse.sniff)(parts[0])


def test_a_folder_of_another_family_and_one_of_two_families_say_so(
    run: Command, tmp_path: Path, parts: tuple[Path, Path]
) -> None:
    for number in range(2):
        shutil.copy(parts[0] / f"{number}.log", tmp_path)
    alone = run("changes", tmp_path)
    assert alone.code == 20
    assert "0.log: at 0x0: is of another kind: Db2 for Linux" in alone.err
    example = logs.example()
    (tmp_path / "a.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(example.control_records))
    for options in ((), ("--tables", parts[1])):
        both = run("changes", tmp_path, *options)
        assert both.code == 20
        (said,) = (line for line in both.err.splitlines() if line.endswith("[LMP-F003]"))
        assert re.search(r"/(0\.log|a\.dat|a\.ctl): at 0x0: is of another kind: ", said)


@pytest.mark.parametrize("named", ["", "/*"])
@pytest.mark.parametrize("address", ["", "file:"])
def test_outputs_of_an_earlier_run_are_not_files_of_the_log(
    run: Command, parts: tuple[Path, Path], tmp_path: Path, named: str, address: str
) -> None:
    """A checkpoint in the folder that is read."""
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(parts[0] / "0.log", folder)
    words = (f"{folder}{named}", "--tables", parts[1])
    first, again = (run("changes", *words, "--checkpoint", f"{address}{folder}/ck") for _ in range(2))
    assert (first.code, again.code) == (0, 0), again.err
    assert first.out
    assert again.out == ""


def test_tables_may_be_in_the_folder_that_is_read(run: Command, tmp_path: Path) -> None:
    """Each night the same: what the run before has written is none of the log's files, and is replaced."""
    folder = files = tmp_path / "logs"
    bmc_log.make(units=2).write(folder)
    for words in (
        ("convert", files, folder / "out.jsonl", "--overwrite"),
        ("convert", files, folder / "changes", "--control", folder, "--format", "csv", "--overwrite"),
    ):
        before = sorted(folder.iterdir())
        found = []
        for _ in range(2):
            done = run(*words)
            assert done.code == 0, done.err
            (out,) = [path for path in folder.iterdir() if path not in before]
            found.append({path.name: path.read_bytes() for path in (sorted(out.iterdir()) if out.is_dir() else [out])})
        sizes = [{name: len(text) for name, text in one.items()} for one in found]
        assert sizes[0] == sizes[1]
        shutil.rmtree(out) if out.is_dir() else out.unlink()
    for _ in range(2):
        done = run("land", files, "--to", folder / "lake", "--as", "parquet")
        assert done.code == 0, done.err
    assert run("land", files, "--to", folder, "--as", "parquet").code == 2


def test_an_output_that_is_a_log_is_refused(run: Command, parts: tuple[Path, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(parts[0], tmp_path / "logs"))
    before = (folder / "1.log").read_bytes()
    words = ("--tables", parts[1])
    for where in ((folder,), (folder / "0.log", folder / "1.log")):
        assert "[LMP-S030]" in run("changes", *where, *words, "--checkpoint", folder / "1.log").err
    assert (folder / "1.log").read_bytes() == before
