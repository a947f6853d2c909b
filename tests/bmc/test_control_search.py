"""Which files a path means, and which control file belongs to each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from writers.bmc import control, framing, lldf

from lmparse.bmc.control.find_control import ControlSearch, is_control
from lmparse.errors import ControlError, FramingError
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.storage.addresses import local_path
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import names_in
from lmparse.storage.listing import list_files


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(folder: Path, found: Sequence[str]) -> list[str]:
    return [Path(path).relative_to(folder).as_posix() for path in found]


# -- files ----------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    touch(tmp_path, "b.dat", "a.dat", "a.ctl", "_SUCCESS", ".a.dat.crc", "day 1/c.dat", "_temporary/d.dat", "day 1/.e")
    return tmp_path


@pytest.mark.parametrize("name", ["nothing.dat", "*.nothing", "nothing/*.dat"])
def test_a_path_to_nothing_is_an_error_that_names_it(tree: Path, name: str) -> None:
    with pytest.raises(FramingError) as caught:
        list_files([f"{tree}/{name}"])
    assert caught.value.code == "LMP-F001"
    assert caught.value.file == f"{tree}/{name}"


@pytest.mark.parametrize("given", [".", "*", "f*"])
def test_a_name_that_passes_for_an_address_is_the_file_of_that_name(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"other bytes")
    here = tmp_path / "here"
    below = here / f"file:{tmp_path}" / "elsewhere"
    below.parent.mkdir(parents=True)
    for place in (below, here / "file:a%2fb", here / "f"):
        place.write_bytes(b"these bytes")
    monkeypatch.chdir(here)
    found = list_files([given], recursive=True)
    assert {open_buffer(name)[0:11] for name in found} == {b"these bytes"}
    assert {os.path.realpath(local_path(name)) for name in found} >= {str(here / "file:a%2fb"), str(here / "f")}


# -- control files --------------------------------------------------------------------------


def write_control(path: Path, dsname: str = "PROD.OTHER.DATA") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(framing.rdw([control.xtyp(), control.dlds(ORIGDATADSNAME=dsname), control.dlge()]))
    return path


def write_data(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(framing.rdw([lldf.change("I", [b"\x01"]), lldf.change("D", [b"\x02"])]))
    return path


def test_control_files_are_known_by_their_bytes(tmp_path: Path) -> None:
    assert is_control(str(write_control(tmp_path / "one.dat")))
    assert not is_control(str(write_data(tmp_path / "two.ctl")))
    (tmp_path / "notes.txt").write_text("no log")
    assert not is_control(str(tmp_path / "notes.txt"))
    (tmp_path / "empty").touch()
    assert not is_control(str(tmp_path / "empty"))
    assert not is_control(str(tmp_path))


def test_the_control_file_of_the_same_stem(tmp_path: Path) -> None:
    data = write_data(tmp_path / "night.dat")
    expected = write_control(tmp_path / "night.ctl")
    write_control(tmp_path / "day.ctl")
    assert ControlSearch().find(str(data), None) == str(expected)


@pytest.mark.parametrize("data_name", ["PROD.LLOG.D1", "prod.llog.d1", "PROD.LLOG.D1.bin"])
def test_the_control_file_whose_dlds_names_the_data_set(tmp_path: Path, data_name: str) -> None:
    data = write_data(tmp_path / data_name)
    expected = write_control(tmp_path / "x.ctl", "PROD.LLOG.D1")
    write_control(tmp_path / "y.ctl", "PROD.LLOG.D2")
    assert ControlSearch().find(str(data), None) == str(expected)


def test_no_control_file_is_an_error(tmp_path: Path) -> None:
    data = write_data(tmp_path / "night.dat")
    write_data(tmp_path / "night.ctl")
    with pytest.raises(ControlError) as caught:
        ControlSearch().find(str(data), None)
    assert (caught.value.code, caught.value.file, caught.value.found) == ("LMP-C007", str(data), "none")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("first", "second", "dsname"),
    [("night.ctl", "night.control", "PROD.OTHER.DATA"), ("a.ctl", "b.ctl", "NIGHT")],
    ids=["stem", "DLDS"],
)
def test_several_control_files_are_listed(tmp_path: Path, first: str, second: str, dsname: str) -> None:
    data = write_data(tmp_path / "night.dat")
    write_control(tmp_path / first, dsname)
    write_control(tmp_path / second, dsname)
    write_control(tmp_path / "third.ctl")
    with pytest.raises(ControlError, match="several control files") as caught:
        ControlSearch().find(str(data), None)
    assert caught.value.code == "LMP-C007"
    assert caught.value.found == ", ".join(sorted((first, second)))


# -- both -----------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [1, 3000])
def test_data_behind_control_records_is_not_left_out(tmp_path: Path, many: int) -> None:
    """A control file and its data in one file: read as data, its changes are rows and the other records errors."""
    write_data(tmp_path / "one.dat")
    write_control(tmp_path / "one.ctl")
    mixed = tmp_path / "two.dat"
    head = [control.xtyp(), *[control.dlds()] * many]
    mixed.write_bytes(framing.rdw([*head, lldf.change("I", [b"\x01"])]))
    assert not is_control(str(mixed))
    options = Options(control=str(tmp_path / "one.ctl"), mode="failfast")
    ((found, _),) = Request((str(tmp_path),), options, with_changes=True).files()
    assert [Path(path).name for path in names_in(found)] == ["one.dat", "two.dat"]
    options = Options(control=str(tmp_path / "one.ctl"))  # what cannot be read then is a part that says so
    parts = Request((str(tmp_path),), options, with_changes=True).parts()
    assert {Path(name).name for part in parts for name in names_in(part.path)} == {"one.dat", "two.dat"}


def test_files_of_several_systems_are_several_logs(tmp_path: Path) -> None:
    for stem, system in (("one", "DB2A"), ("two", "DB2B"), ("three", "DB2A")):
        write_data(tmp_path / f"{stem}.dat")
        (tmp_path / f"{stem}.ctl").write_bytes(framing.rdw([control.xtyp(CNTLFILESYSID=system), control.dlds()]))
    found = Request((str(tmp_path),), Options(), with_changes=True).files()
    assert [[Path(path).stem for path in names_in(data)] for data, _ in found] == [["one", "three"], ["two"]]
