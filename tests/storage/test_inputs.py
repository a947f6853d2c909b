"""Inputs are never outputs: each command that writes, over each file that it reads, by each name of that file."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from lmparse import cli
from lmparse.errors import OptionError
from lmparse.samples import bmc_log, db2_log
from lmparse.storage.outputs import check_place, inputs_of

SPECS = Path(__file__).parents[2] / "formats"
COMMANDS: dict[str, tuple[str, ...]] = {
    "records": ("convert", "DATA", "OUT", "--control", "CONTROL", "--spec", "bmc_lldf", "--overwrite"),
    "changes": ("convert", "DATA", "OUT", "--control", "CONTROL", "--overwrite"),
    "changes in a folder": ("convert", "DATA", "OUT", "--control", "FOLDER", "--overwrite"),
    "changes by a pattern": ("convert", "DATA", "OUT", "--control", "FOLDER/{stem}.ctl", "--overwrite"),
    "changes of LUW": ("convert", "LOG", "OUT", "--tables", "TABLES", "--overwrite"),
    "record as a page": ("explain", "DATA", "--control", "CONTROL", "--html", "OUT", "--overwrite"),
    "record of LUW as a page": ("explain", "LOG", "--tables", "TABLES", "--html", "OUT", "--overwrite"),
    "site": ("docs", "OUT", "--samples", "DATA", "--overwrite"),
    "build": ("build", "generate", "--formats", "KSY", "--out", "OUT"),
    "demo": ("demo", "--no-spark", "--out", "OUT"),
}
KINDS = ("the same path", "a symbolic link", "a hard link", "a file: URL", "the folder of it", "a link to its folder")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    bmc_log.make(units=1).write(folder)
    db2_log.make(units=1).write(folder)
    shutil.copy(SPECS / "zos" / "zos_rdw.ksy", folder)
    return folder


@pytest.fixture
def inputs(made: Path, tmp_path: Path) -> dict[str, Path]:
    folder = Path(shutil.copytree(made, tmp_path / "in"))
    names = {"DATA": "payroll.dat", "CONTROL": "payroll.ctl", "LOG": "sample.log", "TABLES": "sample.yaml"}
    return {"FOLDER": folder, "KSY": folder / "zos_rdw.ksy"} | {word: folder / name for word, name in names.items()}


def named(kind: str, path: Path, to: Path) -> str:
    """A name of a file, or of its folder."""
    link = to / "link.csv"
    if kind == "a hard link":
        os.link(path, link)
    elif "link" in kind:
        link.symlink_to(path if "folder" not in kind else path.parent)
    else:
        return {"a file: URL": f"file://{path}", "the folder of it": str(path.parent)}.get(kind, str(path))
    return str(link)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_what_it_reads(
    command: str, kind: str, inputs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = COMMANDS[command]
    before = content(inputs["FOLDER"])
    for word in [word for word in inputs if word != "FOLDER"]:
        to = tmp_path / word
        to.mkdir()
        out = named(kind, inputs[word], to)
        given = [filled(part, inputs, out) for part in words]
        code = cli.main(given)
        err = capsys.readouterr().err
        assert code in (1, 2), (given, err)
        assert "Traceback" not in err
        assert content(inputs["FOLDER"]) == before
        assert [path.name for path in to.iterdir()] in ([], ["link.csv"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", ["a path", "a link", "a file: URL", "a folder", "a pattern"])
def test_an_input_is_known_however_both_are_named(
    kind: str, given: str, inputs: dict[str, Path], tmp_path: Path
) -> None:
    """Even where it looks like an output of lmparse."""
    path = inputs["DATA"]
    link = tmp_path / "other"
    link.symlink_to(path)
    names = {
        "a link": link,
        "a file: URL": f"file:{path}",
        "a folder": path.parent,
        "a pattern": f"{path.parent}/*.da?",
    }
    out = named(kind, path, tmp_path)
    with pytest.raises(OptionError, match=r"is an input|holds an input") as caught:
        check_place(
            out,
            inputs_of([names.get(given, path)]),
            is_folder="folder" in kind,
            overwrite=True,
            foreign=lambda place: None,
        )
    assert caught.value.code == "LMP-S021"


def test_the_folder_of_a_link_that_is_read_is_not_replaced(inputs: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "link").symlink_to(inputs["DATA"])
    with pytest.raises(OptionError, match="holds an input"):
        check_place(folder, inputs_of([folder / "link"]), is_folder=True, overwrite=True, foreign=lambda place: None)


def filled(part: str, inputs: dict[str, Path], out: str) -> str:
    for word, path in {"OUT": out, **inputs}.items():
        part = part.replace(word, str(path)) if part.startswith(word) else part
    return part


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["file://[", "file:///a%00b"])
def test_an_address_that_cannot_be_is_an_error(
    command: str, name: str, inputs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for word in COMMANDS[command] if word.isupper()]
    for wrong in words:
        given = [name if part == wrong else filled(part, inputs, str(tmp_path / "x.csv")) for part in COMMANDS[command]]
        with suppress(SystemExit):  # of argparse, for an argument that cannot be
            assert cli.main(given) in (1, 2, 20)
        assert "Traceback" not in capsys.readouterr().err
