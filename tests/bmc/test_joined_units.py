"""Transactions and tables of several extracts of one Log Master log are those of the whole log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from bmc_extracts import Cut, example

from lmparse import cli
from lmparse.logs.families import read_options
from lmparse.logs.log import transaction_summaries
from lmparse.logs.open import open_resumed
from lmparse.samples import bmc_log

PLACES = [f"{end}_{what}" for end in ("first", "last") for what in ("file", "record_index", "record_offset")]


def listed(paths: Sequence[Path], **options: Any) -> list[dict[str, Any]]:
    """The units by both engines, which must agree."""
    named = read_options({"engine": "check", "control": str(paths[0].parent / "{stem}.ctl"), **options})
    log = open_resumed(paths, named)
    rows = [summary.to_row() for summary in transaction_summaries(log)]
    assert not log.tally.errors
    return rows


def without_places(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in PLACES} for row in rows]


def places(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Numbers of the first and last records in the whole log: names of extracts begin with that of their first one."""
    return [
        tuple(int(Path(row[f"{end}_file"]).name.partition("-")[0]) + row[f"{end}_record_index"] for end in ends)
        for row in rows
        for ends in [("first", "last")]
    ]  # type: ignore[misc]


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    log = bmc_log.make(units=6, seed=4)
    return Cut(tmp_path, log.data, [one for one in log.control if one[:4] != "XHDF".encode("cp037")])


def test_units_of_a_log_cut_at_record_boundaries(tmp_path: Path) -> None:
    cut = example(tmp_path, segment_order=(2, 0, 1))
    size = len(cut.data)
    whole = listed(cut.files((0, size)))
    assert len(whole) > 4
    for place in cut.places[:: amount(4, 1)]:
        rows = listed(cut.files((place, size), (0, place)))
        assert without_places(rows) == without_places(whole)
        assert places(rows) == places(whole)


def test_damage_ends_the_list_behind_the_units_before_it(cut: Cut, capsys: pytest.CaptureFixture[str]) -> None:
    size = len(cut.data)
    place = cut.places[len(cut.places) // 2]
    first, second = cut.files((0, place), (place, size))
    second.write_bytes(second.read_bytes()[:-3])
    for engine in ("columnar", "kaitai"):
        words = ["--control", str(first.parent / "{stem}.ctl"), "--engine", engine, "--json"]
        assert cli.main(["txn", str(first), str(second), *words]) == 20
        out, err = capsys.readouterr()
        assert str(second) in err
        assert sum(json.loads(line)["records"] for line in out.splitlines()) == size - 1
