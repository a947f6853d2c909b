"""A folder of ten files of which most are bad, each in a way of its own: every sound record is a row, and each bad file
is said once, in the place that the options name."""

from __future__ import annotations

import gzip
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from spark.conftest import rows

from lmparse import spark
from lmparse.errors import DataError, OptionError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import bmc_log, db2_log

SYSTEM = "DB2P".encode("cp037")
CODES = {
    "1_cut.dat": "LMP-F006", "2_text.dat": "LMP-F003", "4_gzip.dat.gz": "LMP-F001", "5_alone.dat": "LMP-C007",
    "7_control.dat": "LMP-C007", "7_control.ctl": "LMP-F003", "8_zeros.dat": "LMP-F003",
}  # fmt: skip
"""What is said of each bad file. An empty file with its control file is a log without changes, and not bad."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The folder, and how many changes each of the two sound logs has."""
    folder = tmp_path_factory.mktemp("ten") / "logs"
    folder.mkdir()
    control, data = (path.read_bytes() for path in bmc_log.make(seed=5, units=12).write(folder.parent))
    contents = {
        "0_whole.dat": data, "1_cut.dat": data[: len(data) // 2], "2_text.dat": b"not a log " * 99, "3_empty.dat": b"",
        "4_gzip.dat.gz": gzip.compress(data)[:900], "5_alone.dat": data, "7_control.dat": data,
        "8_zeros.dat": bytes(5000), "9_whole.dat": data,
    }  # fmt: skip
    for number, (name, content) in enumerate(contents.items()):
        system = f"DB{number}P".encode("cp037")  # each is a log of its own
        (folder / name).write_bytes(content.replace(SYSTEM, system))
        if name != "5_alone.dat":
            stem = folder / name.partition(".")[0]
            described = b"not a control file" if name == "7_control.dat" else control.replace(SYSTEM, system)
            stem.with_suffix(".ctl").write_bytes(described)
    (folder / "6_folder.dat").mkdir()
    whole = rows(path=folder / "0_whole.dat")
    return folder, len(whole)


def good(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(Path(row["_metadata"]["file"]).name for row in found if row["_corrupt_fields"] is None)


def bad(found: list[dict[str, Any]]) -> dict[str, str]:
    return {
        Path(row["_metadata"]["file"]).name: row["_corrupt_fields"][0]["code"]
        for row in found if row["_corrupt_fields"] is not None
    }  # fmt: skip


def said(text: str) -> dict[str, str]:
    """The codes on standard error by file, of which each has one line."""
    lines = [line for line in text.splitlines() if line.endswith(("is read", "up to there"))]
    found = [(Path(line.split(": ")[1]).name, line.rpartition("[")[2].partition("]")[0]) for line in lines]
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
def test_bad_files_are_rows_or_left_out_and_sound_ones_are_rows(
    made: tuple[Path, int], capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    folder, count = made
    if mode == "failfast":
        with pytest.raises(DataError, match=r"\[LMP-[FC]\d{3}\]"):
            rows(path=folder, mode=mode)
        return
    found = rows(path=folder, mode=mode)
    assert good(found) == {"0_whole.dat": count, "9_whole.dat": count, "1_cut.dat": good(found)["1_cut.dat"]}
    assert 0 < good(found)["1_cut.dat"] < count
    assert bad(found) == (CODES if mode == "permissive" else {})
    assert said(capsys.readouterr().err) == CODES


KIND = "is of another kind: "
LUW = (f"{KIND}Db2 for Linux, UNIX and Windows: log records", "give spec db2_log or tables")
TEXT = (f"{KIND}a text file", "give a log")


def test_a_log_of_another_family_is_named_as_everywhere(tmp_path: Path, run: Any) -> None:
    """Without options: the log, and the folder with the file that describes its tables."""
    _, log = db2_log.make(12).write(tmp_path)
    for path in (log, tmp_path):
        with pytest.raises(DataError) as caught:
            rows(path=path)
        assert (caught.value.file, caught.value.message, caught.value.hint) == (str(log), *LUW)
        for command in ("changes", "check", "convert", "land"):
            more = {
                "convert": [tmp_path.parent / "out.parquet"],
                "land": ["--as", "parquet", "--to", tmp_path.parent / "lake"],
            }
            done = run(command, path, *more.get(command, ()))
            assert done.code == 20
            assert f"{log}: at 0x0: {LUW[0]} [LMP-F003]\n  hint: {LUW[1]}\n" in done.err


@pytest.mark.parametrize("given", [{}, {"spec": "db2_log", "include": "all"}, {"spec": "db2_log"}])
def test_a_file_of_another_kind_in_a_folder_says_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: dict[str, str]
) -> None:
    """Read as changes of either family, and as records."""
    bmc_log.make(units=2).write(tmp_path)
    db2_log.make(12).write(tmp_path)
    (tmp_path / "notes.txt").write_text("what the files of this folder are\n")
    names = {"notes.txt": TEXT}
    if given:
        kind = f"{KIND}BMC AMI Log Master for Db2: logical logs"
        specs = {"payroll.dat": "bmc_lldf", "payroll.ctl": "bmc_control"}
        names |= {name: (kind, f"give control or spec {spec}") for name, spec in specs.items()}
    else:
        names |= {"sample.log": LUW, "sample.yaml": TEXT}
    found = rows(path=tmp_path, **given)
    messages = {
        Path(row["_metadata"]["file"]).name: row["_corrupt_fields"][0]["message"]
        for row in found if row["_corrupt_fields"] is not None
    }  # fmt: skip
    assert messages == {name: kind for name, (kind, _) in names.items()}
    lines = capsys.readouterr().err.splitlines()
    for name, (kind, hint) in names.items():
        assert f"lmparse: {tmp_path / name}: at 0x0: {kind} [LMP-F003]; {hint}; nothing of it is read" in lines


@pytest.fixture
def extracts(tmp_path: Path) -> Path:
    """A folder with one log of Db2 LUW in three files."""
    tables, log = db2_log.make(12).write(tmp_path)
    data, folder = log.read_bytes(), tmp_path / "logs"
    opened = open_changes(log, read_options({"tables": str(tables)}))
    places = [extent.offset - opened.framing.lead for extent in opened.extents()]
    cuts = [0, places[len(places) // 3], places[len(places) * 2 // 3], len(data)]
    folder.mkdir()
    for start, end in pairwise(cuts):
        (folder / f"{start:08}.log").write_bytes(data[start:end])
    return folder


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
def test_a_log_above_the_limit_of_what_is_held_is_an_error_in_every_mode(extracts: Path, mode: str) -> None:
    """It is not damage of one of its files, of which the others would be rows."""
    options = {"path": extracts, "tables": extracts.parent / "sample.yaml", "mode": mode, "engine": "kaitai"}
    assert rows(**options)
    with pytest.raises(DataError) as found:
        rows(**options, limits="heldBytes=1K")
    assert found.value.code == "LMP-L004"


# -- options that are not for a reader, or are given twice -----------------------------------


def test_an_option_in_two_spellings_is_refused(made: tuple[Path, int]) -> None:
    """Of the two values one would be ignored."""
    with pytest.raises(OptionError, match="max_partition_bytes is given twice"):
        rows(path=made[0], maxPartitionBytes="1000", max_partition_bytes="1000")


def test_what_means_nothing_for_objects_or_is_given_twice_is_refused() -> None:
    session: Any = None
    with pytest.raises(OptionError, match="columns means nothing for generated objects"):
        spark.parse(session, "bmc_lldf", objects=True, columns="dbid")
    with pytest.raises(OptionError, match="maxPartitionBytes is given twice"):
        spark.land(session, "a.dat", "lake", maxPartitionBytes=5, max_partition_bytes=6)
