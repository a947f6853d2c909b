"""What a folder of Parquet files keeps when its files are replaced."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lmparse.errors import OptionError
from lmparse.export.parquet_folder import check_again, move, pending_in, place_of
from lmparse.logs.families import read_options
from lmparse.logs.partitions import Request


def test_hidden_files_and_folders_stay(tmp_path: Path) -> None:
    target, pending = tmp_path / "out", tmp_path / "pending"
    for name in ("out/_dir.parquet", "out/.dir.parquet", "pending"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("old.parquet", "_theirs.parquet", ".theirs.parquet", "notes.txt"):
        (target / name).touch()
    (pending / "new.parquet").touch()
    move(["new.parquet"], pending, target, overwrite=True)
    left = sorted(path.name for path in target.iterdir())
    hidden = [".dir.parquet", ".theirs.parquet", "_SUCCESS", "_dir.parquet", "_theirs.parquet"]
    assert left == [*hidden, "new.parquet", "notes.txt"]


def _missing(pending: Path) -> None:
    (pending / "b.parquet").unlink()


def _in_the_way(pending: Path) -> None:
    (pending / "before").mkdir()
    (pending / "before" / "old.parquet").mkdir()


@pytest.mark.parametrize("break_", [_missing, _in_the_way])
def test_after_an_error_the_folder_has_what_it_had(break_: Callable[[Path], None], tmp_path: Path) -> None:
    target, pending = tmp_path / "out", tmp_path / "pending"
    for path in (target / "old.parquet", target / "_SUCCESS", *(pending / f"{name}.parquet" for name in "abc")):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    break_(pending)
    with pytest.raises(OptionError) as caught:
        move(["a.parquet", "b.parquet", "c.parquet"], pending, target, overwrite=True)
    assert caught.value.code == "LMP-S022"
    assert sorted(path.name for path in target.iterdir()) == ["_SUCCESS", "old.parquet"]


def test_ctrl_c_between_two_files_puts_back_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, pending = tmp_path / "out", tmp_path / "pending"
    for path in (target / "old.parquet", pending / "a.parquet", pending / "b.parquet"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    rename = Path.rename

    def interrupted(self: Path, to: Path) -> Path:
        if self.name == "b.parquet":
            raise KeyboardInterrupt
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        move(["a.parquet", "b.parquet"], pending, target, overwrite=True)
    assert sorted(path.name for path in target.iterdir()) == ["old.parquet"]


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("error", "another program wrote meanwhile"),
        ("overwrite", "was not written by lmparse: it has theirs.parquet"),
        ("append", None),
    ],
)
def test_what_comes_into_the_folder_while_files_are_written_stays(mode: str, why: str | None, tmp_path: Path) -> None:
    data, out = tmp_path / "a.dat", tmp_path / "out"
    data.touch()
    request = Request((str(data),), read_options({"spec": "bmc_lldf"}), with_changes=False)
    place = place_of(out, request, mode)
    with pending_in(place.path):
        (out / "theirs.parquet").write_text("mine")
        if why is None:
            check_again(place, mode)
        else:
            with pytest.raises(OptionError, match=why) as caught:
                check_again(place, mode)
            assert caught.value.code == "LMP-S021"
    assert (out / "theirs.parquet").read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object, **named: object) -> str:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    with (
        pytest.raises(OptionError, match="out: cannot be written: Permission denied") as caught,
        pending_in(tmp_path / "out"),
    ):
        pass
    assert caught.value.code == "LMP-S022"
