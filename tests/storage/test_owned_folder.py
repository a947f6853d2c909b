"""What a killed process left is removed by the next one, and nothing that only looks like it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from owned_folders import left_behind

from lmparse import cli
from lmparse.samples import bmc_log, db2_log
from lmparse.storage.owned_folder import remove_left_behind

OWNER = "lmparse.owner"


def files_in(folder: Path) -> dict[str, bytes | None]:
    """The places of everything in a folder, with the bytes of files that are not large."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and path.stat().st_size < 1 << 20 else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def log(tmp_path: Path) -> Path:
    described, data = bmc_log.make(units=1).write(tmp_path / "log")
    described.unlink()
    return data


@pytest.fixture
def reported(tmp_path: Path, log: Path) -> Callable[..., int]:
    """Writes a report beside what a test puts there; returns the exit code."""

    def check(path: Path = log) -> int:
        return cli.main(["check", str(path), "--report", str(tmp_path / "report.json")])

    return check


@pytest.mark.parametrize("name", [".c.partial", ".report.json.abcd1234.partial", ".c.abcd1234.partial"])
@pytest.mark.parametrize("text", [b"", b"x", b"c", b"report.json", b"1 report.json", b"a\0b", b"\xff", b"../x", None])
def test_a_folder_that_only_looks_left_behind_stays(
    tmp_path: Path, reported: Callable[..., int], name: str, text: bytes | None
) -> None:
    """As an archive of someone else may have it: whatever its owner file says, also 40 GB of nothing."""
    folder = tmp_path / name
    (folder / "before").mkdir(parents=True)
    (folder / "made").write_bytes(b"thesis")
    (folder / OWNER).write_bytes(text or b"")
    if text is None:
        os.truncate(folder / OWNER, 40 << 30)
    os.utime(folder, (0, 0))
    before = files_in(folder)
    assert reported() == 0
    assert files_in(folder) == before


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_an_owner_file_of_another_kind_proves_nothing(tmp_path: Path, reported: Callable[..., int], kind: str) -> None:
    folder = left_behind(tmp_path, "report.json")
    (folder / OWNER).rename(tmp_path / "owner")
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "link": lambda path: os.symlink(tmp_path / "owner", path)}
    make[kind](folder / OWNER)
    assert reported() == 0
    assert os.listdir(folder) == [OWNER]


@pytest.mark.parametrize("depth", ["{0}", "made/{0}"])
def test_an_input_in_a_folder_that_was_left_behind_stays(
    tmp_path: Path, reported: Callable[..., int], log: Path, depth: str
) -> None:
    folder = left_behind(tmp_path, "report.json")
    (folder / "made").mkdir()
    path = folder / depth.format("0" if depth == "{0}" else "0.csv")
    log.rename(path)
    (tmp_path / "link").symlink_to(path)
    before = files_in(folder)
    assert reported(path) == 0
    assert reported(tmp_path / "link") == 0
    assert files_in(folder) == before
    path.rename(log)
    assert reported(log) == 0
    assert not folder.exists()


def test_an_input_of_the_build_stays(tmp_path: Path) -> None:
    out, root = tmp_path / "out", Path(__file__).parents[2]
    out.mkdir()
    folder = left_behind(out, "")
    specs = folder / "0 in folders"
    shutil.copytree(root / "formats" / "zos", specs / "zos")
    assert cli.main(["build", "--formats", str(specs), "--out", str(out)]) == 0
    assert (specs / "zos").is_dir()


def foreign_file(folder: Path) -> None:
    (folder / "thesis.txt").write_text("thesis")


def foreign_file_below(folder: Path) -> None:
    (folder / "made" / "thesis.txt").write_text("thesis")


def foreign_folder(folder: Path) -> None:
    (folder / "made" / "0.csv").mkdir()


def foreign_pipe(folder: Path) -> None:
    os.mkfifo(folder / "made" / "0.csv")


def foreign_link(folder: Path) -> None:
    (folder / "made" / "0.csv").symlink_to("/")


def foreign_link_to_a_folder(folder: Path) -> None:
    (folder / "before").symlink_to(folder / "made")


def foreign_depth(folder: Path) -> None:
    (folder / "0 in folders" / "/".join("abcdefghijkl")).mkdir(parents=True)


@pytest.mark.parametrize(
    "put",
    [
        foreign_file, foreign_file_below, foreign_folder, foreign_pipe, foreign_link, foreign_link_to_a_folder,
        foreign_depth,
    ],
)  # fmt: skip
def test_a_folder_into_which_something_else_was_put_stays(
    tmp_path: Path, reported: Callable[..., int], put: Callable[[Path], None]
) -> None:
    folder = left_behind(tmp_path, "report.json")
    (folder / "made").mkdir()
    (folder / "made" / "1.csv").touch()
    put(folder)
    before = set(files_in(folder))
    assert reported() == 0
    assert set(files_in(folder)) == before


@pytest.mark.parametrize("how", ["copied", "renamed", "exchanged"])
def test_what_is_not_the_folder_that_was_made_stays(tmp_path: Path, how: str) -> None:
    folder = left_behind(tmp_path, "out")
    other = tmp_path / ".other.abcd1234.partial"
    if how == "copied":
        shutil.copytree(folder, tmp_path / ".out.abcd1234.partial")
        kept = tmp_path / ".out.abcd1234.partial"
    elif how == "renamed":
        kept = folder.rename(other)
    else:
        kept = folder
        (folder / OWNER).write_bytes(left_behind(tmp_path, "other").joinpath(OWNER).read_bytes())
    remove_left_behind(tmp_path)
    assert [kept] == list(tmp_path.iterdir())


def test_an_empty_folder_of_a_process_that_was_killed_at_once_is_removed_when_it_is_old(tmp_path: Path) -> None:
    old, new, full, other = (tmp_path / f".{name}.partial" for name in ("a.abcd1234", "b.abcd1234", "c.abcd1234", "d"))
    for folder in (old, new, full, other):
        folder.mkdir()
    (full / "file").write_bytes(b"of someone else")
    for folder in (old, full, other):
        os.utime(folder, (1, 1))
    remove_left_behind(tmp_path)
    assert [folder.exists() for folder in (old, new, full, other)] == [False, True, True, True]


def test_a_folder_of_a_process_that_was_killed_before_it_said_whose_it_is_is_removed(tmp_path: Path) -> None:
    folder = left_behind(tmp_path, "out")
    os.truncate(folder / OWNER, 0)
    remove_left_behind(tmp_path)
    assert list(tmp_path.iterdir()) == []


_KILLED_WHILE_IT_REMOVES = """
import os, sys
from pathlib import Path
from lmparse.storage.owned_folder import OwnedFolder

folder = OwnedFolder(Path(sys.argv[1]), "out")
for name in ("before", "made"):
    (folder.path / name).mkdir()
    for part in ("a.csv", "b.csv"):
        (folder.path / name / part).write_text(name)
left = int(sys.argv[2])

def hook(event, _):
    global left
    left -= event in ("os.remove", "os.rmdir")
    if left < 0:
        os._exit(9)

sys.addaudithook(hook)
folder.remove()
"""


@pytest.mark.parametrize("removed", range(8))
def test_what_is_left_by_a_process_killed_while_it_removes_is_removed(tmp_path: Path, removed: int) -> None:
    command = [sys.executable, "-c", _KILLED_WHILE_IT_REMOVES, str(tmp_path), str(removed)]
    assert subprocess.run(command, timeout=60, check=False).returncode == 9
    for folder in tmp_path.iterdir():
        os.utime(folder, (0, 0))
    remove_left_behind(tmp_path)
    assert list(tmp_path.iterdir()) == [], "neither the rest nor half of an old output"


_KILLED = """
import os, signal, sys
from dataclasses import replace
from lmparse import cli
from lmparse.export import conversion, land, land_parquet
from lmparse.storage import atomic_output, processes

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

when, *words = sys.argv[1:]
if when == "made":
    atomic_output.AtomicOutput.finish = kill
elif when == "put":
    atomic_output._put = kill
else:
    land_parquet.ParquetChanges._place = kill
run = land.run
in_parts = lambda function, tasks: processes.in_order(function, tasks, 2)
if "--jobs" in words:
    conversion.DEFAULT_BYTES = 2000
elif "columnar" in words:
    land.run = lambda asked, *rest: run(replace(asked, run=in_parts, part_bytes=2000), *rest)
sys.exit(cli.main(words))
"""
"""When all is made and is to be moved to its place."""


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("made", "convert DATA OUT.csv --spec bmc_lldf"),
        ("made", "convert DATA OUT.parquet --spec bmc_lldf --jobs 2"),
        ("made", "convert LUW OUT --format parquet --engine check"),
        ("made", "convert LUW OUT --format jsonl --engine check --jobs 2"),
        ("made", "convert LUW OUT --format csv --order commit"),
        ("made", "convert LUW OUT --format arrow --jobs 2"),
        ("placed", "land LUW --to OUT --as parquet --engine columnar"),
        ("placed", "land LUW --to OUT --as parquet --engine check"),
        ("made", "docs OUT"),
        ("made", "check DATA --spec bmc_lldf --report OUT.json"),
        ("put", "build --formats FORMATS --out OUT"),
    ],
)
def test_all_that_a_command_makes_is_removed_after_it_was_killed(
    tmp_path: Path, log: Path, when: str, words: str
) -> None:
    tables, luw = db2_log.make(units=3).write(tmp_path / "luw")
    given = {
        "DATA": [log], "FORMATS": [Path(__file__).parents[2] / "formats" / "zos"],
        "LUW": [luw, "--spec", "db2_log", "--tables", tables],
    }  # fmt: skip
    command: list[Any] = [sys.executable, "-c", _KILLED, when]
    for word in words.split():
        command += given.get(word, [word.replace("OUT", str(tmp_path / "out"))])
    done = subprocess.run([*map(str, command)], timeout=300, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = tmp_path.rglob("*.partial")
    assert len(list(left.rglob("*"))) > 1
    remove_left_behind(left.parent)
    assert not left.exists(), list(left.rglob("*"))


def test_files_of_tasks_of_spark_that_were_killed_are_removed(tmp_path: Path) -> None:
    folder, other = left_behind(tmp_path, "", "_lmparse_"), tmp_path / "_lmparse_.abcd1234.partial"
    for place in (
        "0",
        f"part-00007-{'0a' * 16}.parquet",
        "before/0.parquet",
        f"{'0a' * 16}",
    ):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).touch()
        (other / place).parent.mkdir(parents=True, exist_ok=True)
        (other / place).touch()
    (other / OWNER).touch()
    remove_left_behind(tmp_path, "_lmparse_")
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize("letters", ["a" * 251, "日" * 83, "é" * 125, "\udcff" * 250, "x" * 99 + "é"])
def test_an_output_may_have_any_name_that_the_file_system_takes(tmp_path: Path, log: Path, letters: str) -> None:
    name = f"{letters}.csv"
    out = tmp_path / name
    folder = left_behind(tmp_path, name)
    (folder / "made").write_bytes(b"half")
    assert cli.main(["convert", str(log), str(out), "--spec", "bmc_lldf"]) == 0
    assert out.is_file()
    assert not folder.exists()
