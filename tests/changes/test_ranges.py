"""Ranges of changes: by `seq` or by the time of the commit, both ends inclusive, whatever reads the log."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from engines import changes, changes_difference
from writers.bmc import framing as enc
from writers.bmc import logs

from lmparse import cli, open_log
from lmparse.changes.log import OUTSIDE
from lmparse.cli.messages import GOOD
from lmparse.errors import OptionError
from lmparse.logs.families import read_options
from lmparse.options import SEQ_DIGITS
from lmparse.samples import bmc_log, db2_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Log = dict[str, str]
"""Path and options of a log."""
EARLIEST, LATEST = "0" * SEQ_DIGITS, "F" * SEQ_DIGITS


@pytest.fixture(scope="module", params=["bmc", "luw"])
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Log:
    """A log with committed, rolled back and open units."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "bmc":
        control, data = bmc_log.make(seed=3, units=25).write(folder)
        return {"path": str(data), "control": str(control)}
    tables, data = db2_log.make(units=14).write(folder)
    return {"path": str(data), "tables": str(tables)}


def rows_of(log: Log, **options: Any) -> list[dict[str, Any]]:
    return _rows(tuple({**log, **options}.items()))


@cache
def _rows(options: tuple[tuple[str, Any], ...]) -> list[dict[str, Any]]:
    return list(open_log(**dict(options)).changes())


def in_range(row: dict[str, Any], bounds: dict[str, str]) -> bool:
    """Whether a change as it is printed is inside, by the texts in it."""
    seq, time = row["seq"], row["commit_ts"]
    if not bounds.get("starting_seq", "") <= seq <= bounds.get("ending_seq", LATEST):
        return False
    first, last = bounds.get("starting_timestamp"), bounds.get("ending_timestamp")
    if time is None:
        return first is None and last is None
    return (first or "") <= time[:26] <= (last or "9999-12-31T23:59:59.999999")


def bounds_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Ranges that some changes are on the ends of."""
    seqs = sorted(row["seq"] for row in rows)
    times = sorted(row["commit_ts"] for row in rows if row["commit_ts"])
    low, high = len(seqs) // 4, len(seqs) // 2
    first, last = times[len(times) // 4], times[len(times) // 2]
    return {
        "between seqs": {"starting_seq": seqs[low], "ending_seq": seqs[high]},
        "one time": {"starting_timestamp": last, "ending_timestamp": last},
        "between times": {"starting_timestamp": first, "ending_timestamp": last},
        "both": {"starting_seq": seqs[low], "ending_timestamp": last},
    }


@pytest.mark.parametrize("way", ["between seqs", "one time", "between times", "both"])
def test_what_is_inside_is_given_and_the_rest_is_counted(log: Log, way: str) -> None:
    include = "all"
    every = rows_of(log, include=include)
    bounds = bounds_of(every)[way]
    expected = [row for row in every if in_range(row, bounds)]
    assert expected
    opened = open_log(**log, **bounds, include=include)
    assert list(opened.changes()) == expected
    assert opened.left_out[OUTSIDE] == len(every) - len(expected)
    assert rows_of(log, **bounds, include=include, order="commit") == sorted(expected, key=lambda row: row["seq"])
    options: dict[str, Any] = {**log, **bounds, "include": include}
    path = Path(options.pop("path"))
    one, other = (changes(path, engine, **options) for engine in ("kaitai", "columnar"))
    assert not changes_difference(one, other)
    found = sorted(seq for table in other.tables.values() for seq in table["seq"].to_pylist())
    assert found == sorted(row["seq"] for row in expected)


@pytest.mark.parametrize(
    "bounds",
    [
        {"starting_seq": LATEST, "ending_seq": EARLIEST},
        {"starting_timestamp": "2026-01-02T00:00:00", "ending_timestamp": "2026-01-01T00:00:00"},
    ],
    ids=str,
)
def test_an_empty_range_is_no_error(log: Log, bounds: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for name, value in {**log, **bounds}.items() if name != "path" for word in (flag(name), value)]
    assert cli.main(["changes", log["path"], *words]) == GOOD
    out, err = capsys.readouterr()
    assert out == ""
    count = len(rows_of(log))
    assert f"left out: {count} outside the range" in err.splitlines()
    options: dict[str, Any] = {**log, **bounds}
    path = Path(options.pop("path"))
    assert changes(path, "columnar", **options).left_out == changes(path, "kaitai", **options).left_out


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


# times


def stamped(folder: Path, *times: bytes | str | None) -> Log:
    """A log with an insert for each time of a commit."""
    writer = logs.Writer([logs.TABLES[2]])
    for number, time in enumerate(times):
        writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": number, "KIND": "A", "SUM": "1.00"},
                   uor_commit_timestamp=time)  # fmt: skip
    (folder / "a.dat").write_bytes(enc.rdw(writer.records))
    (folder / "a.ctl").write_bytes(enc.rdw(writer.example().control_records))
    return {"path": str(folder / "a.dat"), "control": str(folder / "a.ctl"), "framing": "rdw"}


def numbers(log: Log, engine: str, **bounds: str) -> list[int]:
    options: dict[str, Any] = {**log, **bounds}
    found = changes(Path(options.pop("path")), engine, **options)
    return [row["NO"] for table in found.tables.values() for row in table["after"].to_pylist() if row]


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_digits_finer_than_microseconds_do_not_count(engine: str, tmp_path: Path) -> None:
    fine = bytes.fromhex("20260314101112" + "00012399999999999999")
    log = stamped(tmp_path, "2026-03-14-10.11.12.000122", fine, "2026-03-14-10.11.12.000124", None)
    assert numbers(log, engine) == [0, 1, 2, 3]
    assert numbers(log, engine, ending_timestamp="2026-03-14T10:11:12.000123") == [0, 1]
    assert numbers(log, engine, starting_timestamp="2026-03-14T10:11:12.000123") == [1, 2]
    assert numbers(log, engine, starting_timestamp="2026-03-14T10:11:12.000124") == [2]
    assert numbers(log, engine, ending_timestamp="2026-03-14T10:11:12") == []
    assert numbers(log, engine, ending_timestamp="2026-03-14T10:11:12.0002") == [0, 1, 2]


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_midnight_at_the_end_of_a_day_is_the_next_day(engine: str, tmp_path: Path) -> None:
    log = stamped(tmp_path, "2026-03-14-24.00.00.000000", "9999-12-31-24.00.00.000000")
    assert numbers(log, engine, starting_timestamp="2026-03-15T00:00:00") == [0, 1]
    # The end of time has no next day: it is the last microsecond of its own, as in the column.
    assert numbers(log, engine, ending_timestamp="9999-12-31T23:59:59.999998") == [0]
    assert numbers(log, engine, starting_timestamp="9999-12-31T23:59:59.999999") == [1]


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_bad_time_is_no_time(engine: str, tmp_path: Path) -> None:
    log = stamped(tmp_path, b"\xff" * 17, "2026-03-14-10.11.12.000000")
    assert numbers(log, engine, starting_timestamp="0001-01-01T00:00:00") == [1]


# what is asked for


def test_names_and_values() -> None:
    seq = "a0" * (SEQ_DIGITS // 2)
    given = {"startingSeq": seq, "ENDING_SEQ": LATEST, "starting-timestamp": "2026-03-14 10:11:12",
             "endingTimestamp": "2026-03-14T10:11:12.5"}  # fmt: skip
    found = read_options(given)
    assert (found.starting_seq, found.ending_seq) == (seq.upper(), LATEST)
    assert found.starting_timestamp == "2026-03-14T10:11:12.000000"
    assert found.ending_timestamp == "2026-03-14T10:11:12.500000"


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("startingSeq", "00DE", "all 72 hexadecimal digits"),
        ("endingSeq", "0" * 73, "all 72 hexadecimal digits"),
        ("startingSeq", "G" * 72, "all 72 hexadecimal digits"),
        ("startingTimestamp", "2026-03-14", "2026-03-14T10:11:12"),
        ("startingTimestamp", "2026-02-30T10:11:12", "2026-03-14T10:11:12"),
        ("endingTimestamp", "2026-03-14T24:00:00", "2026-03-14T10:11:12"),
        ("endingTimestamp", "2026-03-14T10:11:12.0000001", "2026-03-14T10:11:12"),
        ("endingTimestamp", "٢٠٢٦-03-14T10:11:12", "2026-03-14T10:11:12"),
    ],
)
def test_a_value_that_cannot_be_says_what_is_expected(name: str, value: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_options({name: value})
    assert caught.value.code == "LMP-S003"
    assert str(caught.value).startswith(f"{name} has no value {value!r}")
    assert hint in (caught.value.hint or "")


@pytest.mark.spark
def test_spark(spark: SparkSession, tmp_path: Path) -> None:
    log = stamped(tmp_path, "2026-03-14-10.11.12.000000", "2026-03-14-10.11.13.000000", None)
    read = spark.read.format("lmparse").option("control", log["control"]).option("table", logs.TABLES[2].name)
    found = read.option("startingTimestamp", "2026-03-14T10:11:13").load(log["path"])
    assert [row["NO"] for row in found.select("after.NO").collect()] == [1]
