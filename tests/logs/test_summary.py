"""Numbers of a summary are those of `changes`, by every engine, also of damaged logs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from samples import bmc_random, db2_random

import lmparse
from lmparse.errors import DataError
from lmparse.samples import bmc_log, db2_log

ENGINES = ("kaitai", "columnar", "check")


def groups(rows: Sequence[dict[str, Any]], *by: str) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The number of rows, the first and the last time, by the values of columns."""
    found: dict[tuple[Any, ...], list[str | None]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in by), []).append(row["commit_ts"])
    return {
        key: (len(times), *(f((time for time in times if time), default=None) for f in (min, max)))
        for key, times in found.items()
    }


def agree(path: Path | list[Path], *engines: str, **options: Any) -> dict[str, Any]:
    """The summary of a log, once all numbers in it are those of the rows that `changes` prints."""
    numbers: dict[str, Any] = {}
    for engine in engines or ENGINES:
        found = lmparse.summary(path, engine=engine, **options)
        log, rows = lmparse.open_log(path, **options), []
        with suppress(DataError):
            rows.extend(log.changes())
        numbers = found.to_dict()
        named = {("schema_name", "table_name", "op"): numbers["changes"]["by_table"]}
        named |= {(name,): counts for name, counts in numbers["who"].items()}
        for by, counted in named.items():
            assert counted["others"] == 0
            assert {
                tuple(row[name] for name in by): (row["changes"], row["first_commit"], row["last_commit"])
                for row in counted["groups"]
            } == groups(rows, *by)
        assert numbers["changes"]["count"] == len(rows)
        assert numbers["changes"]["left_out"] == log.left_out
        assert numbers["damage"]["bad_records"] == log.tally.dropped
        assert sum(numbers["damage"]["codes"].values()) == log.tally.error_count
        assert found.has_bad == bool(log.tally.error_count)
    return numbers


def test_the_samples(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=12).write(tmp_path)
    found = agree(data, control=str(control))
    assert (found["time"]["zone"], found["bytes"]) == (None, data.stat().st_size)
    tables, log = db2_log.make(units=12).write(tmp_path)
    found = agree(log, tables=str(tables), spec="db2_log")
    assert found["time"]["zone"] == "UTC"
    assert found["time"]["first_commit"] < found["time"]["last_commit"]


@pytest.mark.parametrize("seed", range(1, 4))
def test_random_logs_of_db2(seed: int, tmp_path: Path) -> None:
    """Sound, cut short, and with other bytes."""
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
    assert agree(path, engine, **given)["damage"]["bad_records"]
    path.write_bytes(raw[: len(raw) // 2 - 7])
    assert [fault["code"] for fault in agree(path, engine, **given)["damage"]["ended_by"]] == ["LMP-F006"]


def test_a_log_without_records(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=1).write(tmp_path)
    data.write_bytes(b"")
    found = lmparse.summary(data, control=str(control))
    assert found.to_dict()["changes"]["count"] == 0
    assert (found.notices, found.faults) == (["the file is empty: a log without records"], [])
    assert "No change has a time of commit." in str(found)


def test_the_kind_of_one_file_is_found_from_its_bytes(tmp_path: Path) -> None:
    """As `explain` does. A control file is none of another family, and reading says what to do with it."""
    _, log = db2_log.make(8).write(tmp_path)
    assert lmparse.summary(log).to_dict() == lmparse.summary(log, spec="db2_log").to_dict()
    control, _ = bmc_log.make(8).write(tmp_path)
    with pytest.raises(DataError, match="is of another kind: control records"):
        lmparse.summary(control)
    with pytest.raises(DataError, match="is of another kind: Db2"):
        lmparse.summary(log, spec="bmc_lldf")
