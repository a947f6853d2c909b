"""Extracts of a log that are read one by one give the changes of the whole log, each once."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from db2.resumed_extracts import FORM, Extracts, Thinned, shown, with_gaps
from samples import db2_scripts as luw
from writers.db2 import dms, utility
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse import cli


def test_a_log_in_two_extracts_at_every_record_boundary(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    size = len(log.data)
    for place in log.places[:: amount(5, 1)]:
        log.state.unlink(missing_ok=True)
        first = log.run(log.file(0, place))
        second = log.run(log.file(place, size))
        assert first + second == log.rows
        assert json.loads(log.state.read_text())["checkpoint_version"] == 3


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize(("start", "end"), [(16, 0), (0, 8), (16, 8)])
def test_bytes_that_are_not_records_in_the_first_extract(start: int, end: int, engine: str, tmp_path: Path) -> None:
    """They are left out where its records are needed again."""
    log = Extracts(tmp_path)
    log.options["engine"] = engine
    places = [log.places[number * len(log.places) // 4] for number in (1, 2, 3)]
    first, *behind = (log.file(*span) for span in pairwise([0, *places, len(log.data)]))
    first.write_bytes(b"H" * start + first.read_bytes() + b"T" * end)
    log.options |= {"file_start_offset": start, "file_end_offset": end}
    rows = log.read(first)
    assert json.loads(log.state.read_text())["needed"]
    log.options |= {"file_start_offset": 0, "file_end_offset": 0}
    for path in behind:
        rows += log.read(path)
    assert rows == log.rows


@pytest.mark.parametrize("form", [("v10", "big", "bare"), ("v9.7", "little", "lsn8"), ("v7", "big", "filter97"), FORM])
def test_four_extracts_read_again_and_again(form: tuple[str, str, str], tmp_path: Path) -> None:
    log, chosen = Extracts(tmp_path, form), random.Random(str(form))
    size = len(log.data)
    for _ in range(2):
        log.state.unlink(missing_ok=True)
        cuts = [0, *sorted(chosen.sample(log.places, 3)), size]
        found = []
        for start, end in pairwise(cuts):
            last = cuts[max(cuts.index(start) - 1, 0)]
            back = chosen.choice([start, *(place for place in log.places if last <= place < start)])  # they may overlap
            found += log.run(log.file(back, end))
            assert log.run(log.file(back, end)) == []
        assert found == log.rows


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_gap_of_an_earlier_file(engine: str, tmp_path: Path) -> None:
    """Until the table is truncated, by a transaction that may begin in an earlier file than the one that ends it."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    first, other = stream.begin(), stream.begin()
    first.initialize(table)
    first.alter_attribute(table, dms.PROPAGATION, 0)
    first.commit()
    for number in range(3):
        unit = stream.begin()
        if number == 1:
            other.truncate(table)
        unit.insert(table, {"NO": number})
        if number == 1:
            other.commit()
            unit.insert(table, {"NO": 10})
        unit.commit()
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    marked = {row["after"]["C1"]: (row["detail"] or {}).get("gap") for row in log.rows if row["op"] == "I"}
    off = "propagation was switched off"
    assert marked == {0: off, 1: off, 10: None, 2: None}
    for cuts in list(combinations(log.places, 2))[:: amount(17, 1)]:
        log.state.unlink(missing_ok=True)
        spans = pairwise([0, *cuts, len(log.data)])
        assert [row for start, end in spans for row in log.read(log.file(start, end))] == log.rows


def begun_behind_others(what: str, seed: int) -> Thinned:
    """Transactions whose first record is the start of a load, was left out by the filter, or cannot be read."""
    stream, chosen = Stream("v10", "little", "filter"), random.Random(seed)
    table = Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    first = stream.begin()
    first.initialize(table)
    first.commit()
    units: list[Any] = []
    starts: set[int] = set()
    for number in range(36):
        if len(units) < 3:
            units.append(stream.begin())
            if chosen.random() < 0.5:
                starts.add(len(stream.records))
                if what == "starts a load":
                    body = utility.load_start(stream.server, 1, 3, 9)
                    units[-1].record("load_start", "load_start", body)
                else:
                    units[-1].insert(table, {"NO": 100 + number})
        unit = chosen.choice(units)
        if chosen.random() < 0.7:
            unit.insert(table, {"NO": number})
        else:
            getattr(unit, chosen.choice(["commit", "commit", "abort"]))()
            units.remove(unit)
    inserts = {number for number, record in enumerate(stream.records) if record.kind == "insert"}
    more = {number for number in inserts if chosen.random() < 0.2}
    return Thinned(
        stream, starts | more if what == "left out" else set(), starts if what == "cannot be read" else set()
    )


@pytest.mark.parametrize(
    ("what", "engine"), [("starts a load", "kaitai"), ("left out", "columnar"), ("cannot be read", "columnar")]
)
def test_transactions_whose_first_record_begins_none(what: str, engine: str, tmp_path: Path) -> None:
    """They are whole in the whole log, so they are whole wherever it is cut, also if it is read a third time."""
    log = Extracts(tmp_path, stream=begun_behind_others(what, seed=2))
    log.options["engine"] = engine
    begun = Counter(row["txn_id"] for row in log.rows if row["op"] == "I")
    assert len(begun) > 3
    for number, place in list(enumerate(log.places))[1 :: amount(11, 3)]:
        cuts = [0, place, *log.places[number + 4 :: 9][:2], len(log.data)]
        log.state.unlink(missing_ok=True)
        assert [row for start, end in pairwise(cuts) for row in log.read(log.file(start, end))] == log.rows


@pytest.mark.parametrize(("what", "engine"), [("gaps", "columnar"), ("errors", "kaitai")])
def test_what_records_show_is_said_once(what: str, engine: str, tmp_path: Path) -> None:
    """Where rows are missing and which records cannot be read, by the reading that has them first."""
    stream = with_gaps(1) if what == "gaps" else begun_behind_others("cannot be read", seed=2)
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    log.read(log.file(0, len(log.data)))
    whole = sorted(log.said)
    assert len(whole) > 5
    for step in (8,):
        log.state.unlink()
        log.said = []
        for start, end in pairwise([0, *log.places[::step], len(log.data)]):
            log.read(log.file(start, end))
        assert sorted(log.said) == whole


@pytest.mark.parametrize("is_described_before", [True, False])
@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_rows_in_front_of_a_later_description(engine: str, tmp_path: Path, *, is_described_before: bool) -> None:
    """They are read as what was in force then, in the extract where their transaction ends too."""
    number, text = (Table(3, 4, "T", (Column("NO", form, nullable=False),)) for form in ("INTEGER", "CHAR(4)"))
    stream = Stream(*FORM)
    if is_described_before:
        unit = stream.begin()
        unit.initialize(number)
        unit.commit()
    early = stream.begin()
    early.insert(number, {"NO": 0x41424344})
    unit = stream.begin()
    unit.initialize(text)
    unit.commit()
    early.commit()
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    for place in log.places:
        log.state.unlink(missing_ok=True)
        assert log.read(log.file(0, place)) + log.read(log.file(place, len(log.data))) == log.rows


def test_files_without_a_record(tmp_path: Path) -> None:
    """An empty file gives no change, wherever it comes, and does not say how the files behind it are framed."""
    log = Extracts(tmp_path)
    log.options |= {
        "framing": "auto",
        "byte_order": "auto",
        "generation": "auto",
        "tables": luw.tables_file(tmp_path, replaced=[("tables:", "tables: []")]),
    }
    middle = log.places[len(log.places) // 2]
    rows: list[dict[str, Any]] = []
    for start, end in ((0, 0), (0, middle), (middle, middle), (middle, len(log.data))):
        before = log.state.read_text() if log.state.exists() else ""
        rows += log.run(log.file(start, end))
        if start == end and before:
            assert log.state.read_text() == before
    assert rows == log.rows


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Extracts(tmp_path)
    middle, size = log.places[len(log.places) // 2], len(log.data)
    given = [word for name, value in log.options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    rows = []
    for start, end in ((0, middle), (middle, size)):
        assert cli.main(["changes", str(log.file(start, end)), *given, "--checkpoint", str(log.state)]) == 0
        rows += [shown(json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    assert rows == log.rows
    before = log.state.read_bytes()
    cut = tmp_path / "cut.log"
    cut.write_bytes(log.data[:-1])
    log.state.unlink()
    assert cli.main(["changes", str(cut), *given, "--checkpoint", str(log.state)]) == 20
    assert "was not read to its end" in capsys.readouterr().err
    assert not log.state.exists()
    log.state.write_bytes(before)
    for extra in (["--include", "all"], ["--ending-seq", "0" * 72]):
        assert cli.main(["changes", str(cut), *given, *extra, "--checkpoint", str(log.state)]) == 2
    assert cli.main(["changes", str(cut), *given, "--checkpoint", str(cut)]) == 2
    assert cut.read_bytes() == log.data[:-1]
