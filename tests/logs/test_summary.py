"""Numbers of a summary are those of `changes`, `txn`, `tables` and `check`, by every engine, also of damaged logs."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from samples import bmc_random, db2_random
from samples.db2_scripts import ITEM, item, tables_file
from writers.bmc import framing, logs
from writers.bmc.logs import opened
from writers.db2.stream import Stream

import lmparse
from lmparse.errors import DataError
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.open import options_for
from lmparse.logs.summary import LogSummary, summarize
from lmparse.records.files import ignored
from lmparse.samples import bmc_log, db2_log
from lmparse.values.text_times import iso_micros

ENGINES = ("kaitai", "columnar", "check")


def rows_of(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows up to the end, or to the damage."""
    found = []
    with suppress(DataError):
        for row in rows:
            found.append(row)
    return found


def summary_of(paths: Sequence[Path], engine: str, **options: Any) -> LogSummary:
    return summarize(paths, read_options({**options, "engine": engine}), on_error=ignored)


def full_name(row: dict[str, Any]) -> str:
    return ".".join(filter(None, (row["schema_name"], row["table_name"])))


def check_changes(found: LogSummary, log: lmparse.Log) -> None:
    rows = rows_of(log.changes())
    counts: Counter[tuple[str, str]] = Counter()
    records = defaultdict(set)
    seconds: Counter[int] = Counter()
    for row in rows:
        table = full_name(row)
        counts[table, row["op"] or "other"] += 1
        place = row["_metadata"]
        records[table].add((place["file"], place["record_offset"], place["record_length"]))
        if row["commit_ts"] is not None:
            seconds[iso_micros(row["commit_ts"]) // 1_000_000] += 1
    named = dict(found.tables.ordered("changes"))
    ops = found.tables.columns[2:]
    assert {(table, op): one[op] for table, one in named.items() for op in ops if one[op]} == counts
    assert {table: one["changes"] for table, one in named.items()} == {
        table: sum(count for (name, _), count in counts.items() if name == table) for table, _ in counts
    }
    assert found.changes == len(rows)
    assert {table: one["bytes"] for table, one in named.items()} == {
        table: sum(length for *_, length in places) for table, places in records.items()
    }
    assert found.left_out == log.left_out
    assert found.bad_records == log.tally.dropped
    assert found.error_codes.total() == log.tally.error_count
    step, start, changes, _ = found.over_time(60)
    assert sum(changes) == seconds.total()
    assert changes == [
        sum(count for second, count in seconds.items() if start + step * place <= second < start + step * (place + 1))
        for place in range(len(changes))
    ]


def check_units(found: LogSummary, log: lmparse.Log) -> None:
    rows = rows_of(log.transactions())
    assert found.units.total("units") == len(rows)
    assert found.units.total("bytes") == sum(row["bytes"] for row in rows)
    assert found.units.total("records") == sum(row["records"] for row in rows)
    for name, one in found.units.ordered("units"):
        own = [row for row in rows if row["disposition"] == name]
        assert one["units"] == len(own)
        for column, counted in (("changes", "tables"), ("taken_back", "compensated")):
            assert one[column] == sum(sum(ops.values()) for row in own for ops in row[counted].values())
    assert found.complete == Counter({True: "yes", False: "no", None: "not testable"}[row["complete"]] for row in rows)
    committed = [row for row in rows if row["disposition"] == "committed"]
    sizes = sorted(row["bytes"] for row in committed)
    one = found.sizes["bytes"]
    assert (one.count, one.least, one.greatest) == (len(sizes), *((sizes[0], sizes[-1]) if sizes else (None, None)))
    if sizes:
        median = sizes[(len(sizes) - 1) // 2]
        assert 0.999 * median <= (one.quantile(50) or 0) <= median
    times = [row["commit_ts"] for row in committed if row["commit_ts"]]
    assert (found.first_commit, found.last_commit) == (min(times, default=None), max(times, default=None))
    lasted = [
        iso_micros(row["commit_ts"]) - iso_micros(row["begin_ts"])
        for row in committed
        if row["commit_ts"] and row["begin_ts"]
    ]
    assert found.durations.count == sum(one >= 0 for one in lasted)
    assert found.backwards == sum(one < 0 for one in lasted)
    assert found.durations.greatest == max((one for one in lasted if one >= 0), default=None)
    for name, counts in found.who.items():
        assert {person: one["units"] for person, one in counts.ordered("units")} == Counter(
            row[name] or None for row in rows
        )


def check_records(found: LogSummary, path: Path, options: dict[str, Any]) -> None:
    report = account(str(path), options_for(path, options)[0])
    counts = report.counts.get("kind") or report.counts.get("change type") or Counter()
    kinds = dict(found.kinds.ordered("records"))
    unread = kinds.pop(None, {"records": 0, "bytes": 0})
    assert {kind: one["records"] for kind, one in kinds.items()} == counts
    assert unread["records"] == report.records - counts.total()
    assert found.kinds.total("records") == report.records
    assert found.kinds.total("bytes") - unread["bytes"] == report.parsed
    assert bool(found.faults) == any(error.code.startswith("LMP-F") for error in report.errors)


def agree(path: Path, *engines: str, **options: Any) -> LogSummary:
    """The summary of a log, once all numbers in it are found in another way."""
    found = None
    for engine in engines or ENGINES:
        found = summary_of([path], engine, **options)
        check_changes(found, lmparse.open_log(path, **options))
        check_units(found, lmparse.open_log(path, **options))
        check_records(found, path, options)
    assert found is not None
    return found


def test_the_sample_of_log_master(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=12).write(tmp_path)
    found = agree(data, control=str(control))
    tables = {full_name(row) for row in lmparse.open_log(data, control=str(control)).tables()}
    assert {name for name, _ in found.tables.ordered("changes")} <= tables
    assert found.durations.count
    assert found.zone is None
    assert found.size == data.stat().st_size


def test_the_sample_of_db2(tmp_path: Path) -> None:
    tables, log = db2_log.make(units=12).write(tmp_path)
    found = agree(log, tables=str(tables), spec="db2_log")
    assert found.durations.count == 0
    assert found.zone == "UTC"
    assert [name for name, counts in found.who.items() if any(person for person, _ in counts.ordered("units"))] == [
        "auth_id"
    ]
    named = {name for name, _ in found.tables.ordered("changes")}
    assert named == {full_name(row) for row in lmparse.open_log(log, tables=str(tables)).tables()}


@pytest.mark.parametrize("seed", range(1, 7))
def test_random_logs_of_db2(seed: int, tmp_path: Path) -> None:
    """Sound, cut short, and with other bytes; records with several rows count their bytes once."""
    path, options, _ = db2_random.written(tmp_path, seed, 20)
    engine = ENGINES[seed % 3]
    agree(path, engine, **options)
    raw, chance = bytearray(path.read_bytes()), random.Random(seed)
    path.write_bytes(raw[: len(raw) * 2 // 3])
    agree(path, engine, **options)
    for _ in range(6):
        raw[chance.randrange(len(raw) // 4, len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    agree(path, engine, **options)


@pytest.mark.parametrize("engine", ENGINES)
def test_random_logs_of_log_master(engine: str, tmp_path: Path) -> None:
    given = bmc_random.write(tmp_path, 120, segmented=0.05)
    path = given.pop("path")
    agree(path, engine, **given)
    raw, chance = bytearray(path.read_bytes()), random.Random(5)
    start = 0
    while start < len(raw):
        if chance.random() < 0.3:  # neither its descriptor word nor the length of its header
            raw[start + 6 + chance.randrange(270)] = chance.randrange(256)
        start += int.from_bytes(raw[start : start + 2], "big")
    path.write_bytes(raw)
    damaged = agree(path, engine, **given)
    assert damaged.bad_records
    path.write_bytes(raw[: len(raw) // 2 - 7])
    cut = agree(path, engine, **given)
    assert [fault.code for fault in cut.faults] == ["LMP-F006"]


def test_extracts_of_db2_are_one_log(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    cut = 0
    for number in range(9):
        unit = stream.begin("ALICE" if number % 2 else "BOB")
        unit.insert(ITEM, item(number))
        cut = len(stream.bytes()) if number == 4 else cut
        unit.insert(ITEM, item(number + 100))
        unit.commit()
    tables = {"tables": tables_file(tmp_path, ITEM), "spec": "db2_log"}
    whole, raw = tmp_path / "whole.log", stream.bytes()
    for path, part in ((whole, raw), (tmp_path / "1.log", raw[cut:]), (tmp_path / "2.log", raw[:cut])):
        path.write_bytes(part)
    expected = numbers(summary_of([whole], "columnar", **tables))
    for engine in ENGINES:
        found = summary_of([tmp_path / "1.log", tmp_path / "2.log"], engine, **tables)
        assert numbers(found) == expected
    alone = summary_of([tmp_path / "1.log"], "columnar", **tables)
    assert alone.left_out["incomplete"]


def test_extracts_of_log_master_are_one_log(tmp_path: Path) -> None:
    example = logs.example(control_options={"describe_header": False, "indexes": False})
    data, size = example.data_records, len(example.data_records)
    for name, start, end in (("whole", 0, size), ("b", 9, size), ("a", 0, 14)):
        (tmp_path / f"{name}.dat").write_bytes(framing.rdw(opened(data[start:end], data[end:])))
        (tmp_path / f"{name}.ctl").write_bytes(framing.rdw(example.control_records))
    options = {"control": str(tmp_path / "{stem}.ctl")}
    whole = summary_of([tmp_path / "whole.dat"], "columnar", **options)
    for engine in ENGINES:
        found = summary_of([tmp_path / "b.dat", tmp_path / "a.dat"], engine, **options)
        twice = found.kinds.total("records") - whole.kinds.total("records")
        assert twice == 5  # records are those of the files, changes those of the log
        assert numbers(found) == numbers(whole)


def numbers(found: LogSummary) -> dict[str, Any]:
    """What does not depend on the files that a log is in."""
    return {
        "tables": found.tables.ordered("changes"), "left out": found.left_out, "units": found.units.ordered("units"),
        "time": found.over_time(60), "complete": found.complete, "durations": found.durations.to_dict(),
        **{name: one.to_dict() for name, one in found.sizes.items()},
        **{name: one.ordered("units") for name, one in found.who.items()},
    }  # fmt: skip


def test_a_log_without_records(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=1).write(tmp_path)
    data.write_bytes(b"")
    found = summary_of([data], "columnar", control=str(control))
    assert (found.changes, found.kinds.total("records"), found.units.total("units")) == (0, 0, 0)
    assert found.notices == ["the file is empty: a log without records"]
    assert found.faults == []


def test_the_kind_of_one_file_is_found_from_its_bytes(tmp_path: Path) -> None:
    """As `explain` does. A control file is none of another family, and reading says what to do with it."""
    _, log = db2_log.make(8).write(tmp_path)
    assert lmparse.summary(log).to_dict() == lmparse.summary(log, spec="db2_log").to_dict()
    control, _ = bmc_log.make(8).write(tmp_path)
    with pytest.raises(DataError, match="is of another kind: control records"):
        lmparse.summary(control)
    with pytest.raises(DataError, match="is of another kind: Db2"):
        lmparse.summary(log, spec="bmc_lldf")
