"""Extracts of a Log Master log that are read one by one, or as they arrive, give each change of the whole log once."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bmc_extracts import example
from writers.bmc import framing
from writers.bmc.logs import field, opened

import lmparse
from lmparse.logs import arrow, lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_resumed
from lmparse.logs.partitions import Request
from lmparse.logs.stream import LogStream, StreamOffset
from lmparse.samples import bmc_log
from lmparse.storage.landing import Arrival


class Extracts:
    """A log, and extracts of it with control files of their own, in which units that end later are open."""

    def __init__(self, folder: Path, data: Sequence[bytes], control: Sequence[bytes]) -> None:
        self.folder, self.data, self.control = folder, list(data), list(control)
        self.landing = folder / "landing"
        self.landing.mkdir()
        whole = self.file(0, len(data), folder)
        self.rows = shown(lmparse.open_log(whole, control=str(whole.with_suffix(".ctl"))).changes())
        self.options = {"control": str(self.landing / "{stem}.ctl")}
        self.state = folder / "state.json"
        self.left_out: Mapping[str, int] = {}

    def file(self, start: int, end: int, folder: Path | None = None) -> Path:
        path = (folder or self.landing) / f"{start:04}-{end:04}.dat"
        path.with_suffix(".ctl").write_bytes(framing.rdw(self.control))
        path.write_bytes(framing.rdw(opened(self.data[start:end], self.data[end:])))
        return path

    def run(self, *paths: Path) -> list[dict[str, Any]]:
        """The changes that one reading gives."""
        log = lmparse.open_log(paths, checkpoint=self.state, **self.options)
        rows = list(log.changes())
        assert not log.tally.errors
        self.left_out = log.left_out
        log.save_checkpoint()
        return shown(rows)


def shown(rows: Any) -> list[dict[str, Any]]:
    kept = [{name: value for name, value in row.items() if name != "_metadata"} for row in rows]
    return sorted(kept, key=lambda row: str(row["seq"]))


@pytest.fixture
def log(tmp_path: Path) -> Extracts:
    made = bmc_log.make(units=5, seed=2)
    return Extracts(tmp_path, made.data, undescribed(made.control))


def undescribed(control: Sequence[bytes]) -> list[bytes]:
    """A control file without records that describe the header, so that `opened` knows its fields."""
    return [one for one in control if one[:4] != "XHDF".encode("cp037")]


def test_a_log_in_two_extracts_at_every_record_boundary(log: Extracts) -> None:
    size = len(log.data)
    assert log.rows
    for place in range(1, size):
        log.state.unlink(missing_ok=True)
        first, second = log.run(log.file(0, place)), log.run(log.file(place, size))
        assert shown(first + second) == log.rows
        assert log.run(log.file(place, size)) == []


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("order", ["file", "commit"])
def test_a_change_whose_segments_are_in_two_extracts(tmp_path: Path, order: str, engine: str) -> None:
    """The first extract holds it back as open, and is needed; other readings of it report what is missing."""
    found = example(tmp_path, segment_order=(2, 0, 1))
    log = Extracts(tmp_path, found.data, found.control)
    log.options |= {"order": order}
    place = next(number for number, one in enumerate(log.data) if field(one, "totalsegs") != b"\0\1") + 1
    first = log.file(0, place)
    for table, count in ((None, 4), ("PROD.ORDERS", 4), ("WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES", 0)):
        named = read_options({"engine": engine, "table": table, **log.options})
        resumed = open_resumed([first], replace(named, checkpoint=str(log.state)))
        assert list(lines.printed(resumed, with_changes=True)) == []
        assert not resumed.tally.errors
        assert resumed.left_out["open"] == count
    every = open_resumed([first], read_options({"engine": engine, "include": "all", **log.options}))
    assert sum(text.count("\n") for text in lines.printed(every, with_changes=True)) == 3
    assert [error.code for error in every.tally.errors] == ["LMP-R004"]


def test_the_extract_with_the_first_segments_is_needed(tmp_path: Path) -> None:
    found = example(tmp_path, segment_order=(2, 0, 1))
    log = Extracts(tmp_path, found.data, found.control)
    segments = [number for number, one in enumerate(log.data) if field(one, "totalsegs") != b"\0\1"]
    given = []
    cuts = [0, *(number + 1 for number in segments), len(log.data)]
    for start, end in pairwise(cuts):
        given += log.run(log.file(start, end))
        needed = [Path(one["path"]).name for one in json.loads(log.state.read_text())["needed"]]
        assert (f"0000-{segments[0] + 1:04}.dat" in needed) == (end < len(log.data))
    assert shown(given) == log.rows


def test_four_extracts_that_overlap(tmp_path: Path) -> None:
    made, chosen = bmc_log.make(units=10), random.Random(5)
    log = Extracts(tmp_path, made.data, undescribed(made.control))
    size = len(log.data)
    for _ in range(2):
        log.state.unlink(missing_ok=True)
        cuts = [0, *sorted(chosen.sample(range(1, size), 3)), size]
        found = []
        for start, end in pairwise(cuts):
            found += log.run(log.file(max(0, start - chosen.randrange(4)), end))
        assert shown(found) == log.rows
    assert len(json.loads(log.state.read_text())["needed"]) <= 4


def test_extracts_that_arrive(log: Extracts) -> None:
    size = len(log.data)
    request = Request((str(log.landing),), read_options(log.options), with_changes=True, max_bytes=3000)
    schema, offset, found = arrow.request_schema(request), StreamOffset(), list[str]()
    cuts = [0, *sorted(random.Random(2).sample(range(1, size), 3)), size]
    for start, end in pairwise(cuts):
        path = log.file(start, end)
        control = path.with_suffix(".ctl")
        control.rename(log.folder / "late.ctl")
        assert LogStream(request, Arrival(seconds=0)).latest(offset) == offset  # it waits for the control file
        (log.folder / "late.ctl").rename(control)
        behind = LogStream(request, Arrival(seconds=0)).latest(offset)
        behind = StreamOffset.of(json.loads(json.dumps(behind.to_dict())))
        seqs = []
        for part in LogStream(request, Arrival(seconds=0)).parts(offset, behind):
            for batch in arrow.part_batches(part, schema, with_changes=True):
                seqs += batch.column("seq").to_pylist()
        found += seqs
        offset = behind
    assert sorted(found) == [row["seq"] for row in log.rows]
    assert offset.taken == 4
