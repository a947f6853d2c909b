"""A folder of ten files of which most are bad, each in a way of its own: every sound record is a row, and each bad file
is said once, in the place that the options name."""

from __future__ import annotations

import gzip
import random
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from writers.bmc import framing

from lmparse import spark
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import Request
from lmparse.samples import bmc_log, db2_log
from lmparse.spark.source import LmparseSource

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


def rows(**options: Any) -> list[dict[str, Any]]:
    """The rows of the source, read here part by part."""
    made = LmparseSource({name: str(value) for name, value in options.items()})
    reader = made.reader(made.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


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
        rows(**options, limits="heldBytes=10K")
    assert found.value.code == "LMP-L004"


def test_each_file_of_a_log_that_cannot_be_planned_has_a_row(
    extracts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise FramingError("cannot be planned", code="LMP-F004")

    monkeypatch.setattr(Request, "_parts_of", fails)
    found = rows(path=extracts, tables=extracts.parent / "sample.yaml")
    sizes = {path.name: path.stat().st_size for path in extracts.iterdir()}
    assert bad(found) == dict.fromkeys(sizes, "LMP-F004") == said(capsys.readouterr().err)
    assert {Path(row["_metadata"]["file"]).name: row["_metadata"]["record_length"] for row in found} == sizes


def test_a_column_of_another_name_has_the_bytes_of_bad_files(made: tuple[Path, int]) -> None:
    found = rows(path=made[0], columnNameOfCorruptRecord="bad bytes")
    assert bad(found) == CODES
    assert {name for name in found[0] if "corrupt" in name or "bad" in name} == {"bad bytes", "_corrupt_fields"}
    kept = {Path(row["_metadata"]["file"]).name: row["bad bytes"] for row in found if row["bad bytes"] is not None}
    assert kept["2_text.dat"] == b"not a log " * 99
    assert kept["8_zeros.dat"] == bytes(4096)


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


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A folder with one log of Log Master in three extracts, each with its control file, and the changes of each."""
    folder = tmp_path_factory.mktemp("nights")
    control, data = bmc_log.make(seed=5, units=12).write(folder)
    records, whole = split(data.read_bytes()), control.read_bytes()
    into = folder / "logs"
    into.mkdir()
    # TOTALSEGS at 184: an extract begins with a change, and not within its segments.
    begins = [number for number, record in enumerate(records) if int.from_bytes(record[184:186], "big") < 2]
    cuts = [0, *(next(at for at in begins if at >= number * len(records) // 3) for number in (1, 2)), len(records)]
    for number in range(3):
        third = records[cuts[number] : cuts[number + 1]]
        (into / f"x{number}.dat").write_bytes(framing.rdw(third))
        (into / f"x{number}.ctl").write_bytes(whole)
    found = good(rows(path=into))
    assert set(found) == {"x0.dat", "x1.dat", "x2.dat"}
    return into, dict(found)


def split(data: bytes) -> list[bytes]:
    """The records of a file in framing rdw."""
    found, place = [], 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 2], "big")
        found.append(data[place + 4 : place + length])
        place += length
    return found


def damaged_controls(whole: bytes) -> dict[str, bytes]:
    """A control file with each of its records doubled, left out, and damaged, and cut short."""
    records = split(whole)
    found = {"cut": whole[:1000], "empty": b"", "text": b"not a control file"}
    for number, record in enumerate(records):
        name = f"{record[:4].decode('cp037')} {number}"
        found[f"{name} twice"] = framing.rdw([*records[:number], record, *records[number:]])
        found[f"{name} left out"] = framing.rdw([*records[:number], *records[number + 1 :]])
        torn = record[: len(record) // 2] + b"\xff" * (len(record) - len(record) // 2)
        found[f"{name} damaged"] = framing.rdw([*records[:number], torn, *records[number + 1 :]])
    return found


def test_a_damaged_control_file_costs_the_changes_of_its_own_log_only(
    nights: tuple[Path, dict[str, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong in it: the other extracts are rows, and its own is rows, or a row that names it."""
    folder, counts = nights
    whole = (folder / "x2.ctl").read_bytes()
    damaged = damaged_controls(whole)
    few = random.Random(2).sample(sorted(damaged), amount(2, len(damaged)))
    for name in {"cut", "text", *few}:
        copied = Path(shutil.copytree(folder, tmp_path / name))
        (copied / "x2.ctl").write_bytes(damaged[name])
        capsys.readouterr()
        found = rows(path=copied)
        lost = {name: code for name, code in bad(found).items() if name not in good(found)}
        assert {key: good(found)[key] for key in ("x0.dat", "x1.dat")} == {
            key: counts[key] for key in ("x0.dat", "x1.dat")
        }, name  # fmt: skip
        assert set(lost) <= {"x2.dat", "x2.ctl"}, name  # what is no control file may be a log
        assert good(found)["x2.dat"] or lost, name
        if said(capsys.readouterr().err):  # it cannot be read at all
            (row,) = (row for row in found if row["_metadata"]["file"].endswith("x2.dat"))
            size = (copied / "x2.dat").stat().st_size
            assert (row["_metadata"]["record_offset"], row["_metadata"]["record_length"]) == (0, size), name
            fault = row["_corrupt_fields"][0]
            assert fault["code"] == "LMP-C007" or "x2.ctl" in fault["message"], name
