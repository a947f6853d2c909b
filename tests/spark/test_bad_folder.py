"""A folder of ten files of which most are bad, each in a way of its own: every sound record is a row, and each bad file
is said once, in the place that the options name."""

from __future__ import annotations

import gzip
import json
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
from lmparse.spark.requests import STREAM_OPTIONS, check_batch, request_of
from lmparse.spark.source import LmparseSource
from lmparse.spark.stream import LogStreamReader, check_stream

SYSTEM = "DB2P".encode("cp037")
CODES = {
    "1_cut.dat": "LMP-F006", "2_text.dat": "LMP-F003", "4_gzip.dat.gz": "LMP-F001", "5_alone.dat": "LMP-C007",
    "7_control.dat": "LMP-C007", "7_control.ctl": "LMP-C007", "8_zeros.dat": "LMP-F003",
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


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "ignoreCorruptFiles", "badRecordsPath", "failfast"])
def test_bad_files_are_where_the_options_say_and_sound_ones_are_rows(
    made: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    folder, count = made
    options = {"ignoreCorruptFiles": {mode: "true"}, "badRecordsPath": {mode: tmp_path / "bad"}}.get(mode)
    if mode == "failfast":
        with pytest.raises(DataError, match=r"\[LMP-[FC]\d{3}\]"):
            rows(path=folder, mode=mode)
        return
    found = rows(path=folder, **({"mode": mode} if options is None else options))
    assert good(found) == {"0_whole.dat": count, "9_whole.dat": count, "1_cut.dat": good(found)["1_cut.dat"]}
    assert 0 < good(found)["1_cut.dat"] < count
    # The change that the end cuts through is a bad record in front of the damage.
    cut_through = {"1_cut.dat": "LMP-R004"} if mode == "ignoreCorruptFiles" else {}
    assert bad(found) == (CODES if mode == "permissive" else cut_through)
    assert said(capsys.readouterr().err) == CODES
    kept = [json.loads(path.read_text()) for path in (tmp_path / "bad").glob("*/bad_files/*")]
    assert {Path(line["path"]).name: line["code"] for line in kept} == (CODES if mode == "badRecordsPath" else {})


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

TWICE = {
    "maxPartitionBytes": "1000", "badRecordsPath": "bad", "columnNameOfCorruptRecord": "x", "pathGlobFilter": "*",
    "ignoreCorruptFiles": "true", "reportPath": "report", "modifiedAfter": "2026-03-14", "recursiveFileLookup": "true",
}  # fmt: skip


@pytest.mark.parametrize("name", TWICE)
def test_an_option_in_two_spellings_is_refused(made: tuple[Path, int], name: str) -> None:
    """Of the two values one would be ignored."""
    other = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    with pytest.raises(OptionError, match=f"{other} is given twice"):
        rows(path=made[0], **{name: TWICE[name], other: TWICE[name]})


@pytest.mark.parametrize("name", ["pathGlobFilter", "reportPath", "columnNameOfCorruptRecord", "modifiedBefore"])
def test_an_empty_text_is_refused(made: tuple[Path, int], name: str) -> None:
    with pytest.raises(OptionError, match=f"{name} has no value ''"):
        rows(path=made[0], **{name: ""})


@pytest.mark.parametrize("name", STREAM_OPTIONS)
def test_options_of_streams_are_refused_elsewhere(made: tuple[Path, int], name: str) -> None:
    """Also where a table of the catalog names them, and by functions that read in batches."""
    session: Any = None
    for given in ({name: "1"}, {f"option.{name}": "1", "option.path": "x"}):
        with pytest.raises(OptionError, match=f"{name} is for readStream"):
            check_batch(given)
    for call in (
        lambda: rows(path=made[0], **{name: "1"}),
        lambda: spark.read_changes(session, str(made[0]), **{name: "1"}),
        lambda: spark.read_records(session, str(made[0]), **{name: "1"}),
        lambda: spark.write_parquet(session, str(made[0]), "out", **{name: "1"}),
        lambda: spark.land(session, str(made[0]), "out", as_="parquet", **{name: "1"}),
    ):
        with pytest.raises(OptionError, match=f"{name} is for readStream|no option '{name}'"):
            call()


def test_options_of_batches_are_refused_in_streams(tmp_path: Path) -> None:
    def no_job(columns: Any) -> Any:
        raise AssertionError("nothing is read")

    for name in ("badRecordsPath", "reportPath", "ignoreCorruptFiles", "ignoreMissingFiles"):
        for given in ({name: "x"}, {f"option.{name}": "x"}):
            with pytest.raises(OptionError, match=f"{name} means nothing in a stream"):
                check_stream(given)
    request = request_of({"path": str(tmp_path), "spec": "db2_log", "include": "committed"})
    for name, value in {"completionMarker": "", "settledSeconds": "-1", "maxFilesPerTrigger": "0"}.items():
        with pytest.raises(OptionError, match=f"{name} has no value '{value}'"):
            LogStreamReader(request, {name: value}, no_job)
    with pytest.raises(OptionError, match="contradict each other"):
        LogStreamReader(request, {"completionMarker": ".done", "settledSeconds": "5"}, no_job)


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
    for number in range(3):
        third = records[number * len(records) // 3 : (number + 1) * len(records) // 3]
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
    few = random.Random(2).sample(sorted(damaged), amount(6, len(damaged)))
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
