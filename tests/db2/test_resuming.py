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

import lmparse
from lmparse import cli


def test_a_log_in_two_extracts_at_every_record_boundary(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    size = len(log.data)
    for place in log.places:
        log.state.unlink(missing_ok=True)
        first = log.run(log.file(0, place))
        second = log.run(log.file(place, size))
        assert first + second == log.rows
        assert json.loads(log.state.read_text())["checkpoint_version"] == 2


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
    for _ in range(4):
        log.state.unlink(missing_ok=True)
        cuts = [0, *sorted(chosen.sample(log.places, 3)), size]
        found = []
        for start, end in pairwise(cuts):
            last = cuts[max(cuts.index(start) - 1, 0)]
            back = chosen.choice([start, *(place for place in log.places if last <= place < start)])  # they may overlap
            found += log.run(log.file(back, end))
            assert log.run(log.file(back, end)) == []
        assert found == log.rows


def test_a_file_that_grows(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    path, found = tmp_path / "grows.log", []
    for place in [*log.places[::9], len(log.data)]:
        path.write_bytes(log.data[:place])
        found += log.run(path)
    assert found == log.rows


def test_descriptions_of_tables_are_kept(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    described = [row["seq"] for row in log.rows if row["op"] == "O" or (row["after"] and "C1" in row["after"])]
    assert described  # rows that only a record of the log describes
    log.run(log.file(0, log.places[-3]))
    assert json.loads(log.state.read_text())["described"]


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
    for cuts in list(combinations(log.places, 2))[:: amount(3, 1)]:
        log.state.unlink(missing_ok=True)
        spans = pairwise([0, *cuts, len(log.data)])
        assert [row for start, end in spans for row in log.read(log.file(start, end))] == log.rows


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("seed", [1, 3])
def test_rows_that_may_be_missing_are_remarked_in_later_readings(seed: int, engine: str, tmp_path: Path) -> None:
    """Cut anywhere, and again at the next records: what was opened in an earlier file is said in a later one."""
    log = Extracts(tmp_path, stream=with_gaps(seed))
    log.options["engine"] = engine
    size = len(log.data)
    marked = [row for row in log.rows if (row["detail"] or {}).get("gap") and row["op"] == "I"]
    assert 2 < len(marked) < sum(row["op"] == "I" for row in log.rows)
    step = amount(9, 3) if engine == "columnar" else 9
    for number, place in list(enumerate(log.places))[seed % step :: step]:
        cuts = [0, place, *log.places[number + 3 :: 7][:2], size]
        log.state.unlink(missing_ok=True)
        assert [row for start, end in pairwise(cuts) for row in log.read(log.file(start, end))] == log.rows


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


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("what", ["starts a load", "left out", "cannot be read"])
def test_transactions_whose_first_record_begins_none(what: str, engine: str, tmp_path: Path) -> None:
    """They are whole in the whole log, so they are whole wherever it is cut, also if it is read a third time."""
    log = Extracts(tmp_path, stream=begun_behind_others(what, seed=2))
    log.options["engine"] = engine
    begun = Counter(row["txn_id"] for row in log.rows if row["op"] == "I")
    assert len(begun) > 3
    for number, place in list(enumerate(log.places))[1 :: amount(7, 3)]:
        cuts = [0, place, *log.places[number + 4 :: 9][:2], len(log.data)]
        log.state.unlink(missing_ok=True)
        assert [row for start, end in pairwise(cuts) for row in log.read(log.file(start, end))] == log.rows


def test_transactions_that_begin_before_the_first_file_of_all(tmp_path: Path) -> None:
    """They are incomplete in every reading, also where later records link to what earlier readings have read."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    old = [stream.begin() for _ in range(3)]
    for unit in old:
        unit.insert(table, {"NO": 0})
    first = stream.begin()
    first.initialize(table)
    first.commit()
    for number in range(1, 9):
        other = stream.begin()
        other.insert(table, {"NO": number})
        for unit in old:
            unit.insert(table, {"NO": 100 + number})
        other.commit()
    for unit in old:
        unit.commit()
    log = Extracts(tmp_path, stream=Thinned(stream, set(range(len(old))), set()))
    assert [row["after"]["C1"] for row in log.rows if row["op"] == "I"] == list(range(1, 9))
    for engine in ("columnar", "kaitai"):
        log.options["engine"] = engine
        for cuts in ([0, *log.places[1::3], len(log.data)], [0, *log.places[2::5], len(log.data)]):
            log.state.unlink(missing_ok=True)
            assert [row for start, end in pairwise(cuts) for row in log.read(log.file(start, end))] == log.rows
            assert json.loads(log.state.read_text())["needed"] == []


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_records_that_are_lost_between_files_of_a_log_with_loads(engine: str, tmp_path: Path) -> None:
    """Held back are the transactions that lack one, whether the files are read together or one by one, and no others:
    a link to the start of a load that is there lacks nothing."""
    stream = begun_behind_others("starts a load", seed=2)
    log = Extracts(tmp_path, stream=stream)
    records = list(lmparse.open_log(tmp_path / "whole.log", **log.options).records())
    offsets = [0, *log.places]
    log.options["engine"] = engine
    held_back = []
    for number in range(3, len(log.places) - 12, 4):
        low, high, behind = (log.places[number + more] for more in (0, 2, 8))
        files = [log.file(0, low), log.file(high, behind), log.file(behind, len(log.data))]
        log.state.unlink(missing_ok=True)
        rows = [row for file in files for row in log.read(file)]
        log.state.unlink()
        assert rows == log.read(*files)
        pairs = zip(records, offsets, strict=True)
        lost = {record["transaction_id"] for record, offset in pairs if low <= offset < high}
        inserts = [row for row in log.rows if row["op"] == "I"]  # a load takes effect at once
        kept = [row for row in inserts if row["txn_id"][:12] not in lost]
        assert [row for row in rows if row["op"] == "I"] == kept
        held_back.append(len(inserts) - len(kept))
    assert 0 < max(held_back) < len(log.rows)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("where", ["in front of the log", "between files"])
def test_a_lost_record_in_front_of_the_start_of_a_load(where: str, engine: str, tmp_path: Path) -> None:
    """A link to the start of a load leads on to the record before it, which the transaction lacks."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    first = stream.begin()
    first.initialize(table)
    first.insert(table, {"NO": 0})
    first.commit()
    kept = len(stream.records)
    unit, other = stream.begin(), stream.begin()
    unit.insert(table, {"NO": 1})
    unit.record("load_start", "load_start", utility.load_start(stream.server, 1, 3, 9))
    other.insert(table, {"NO": 2})
    unit.insert(table, {"NO": 3})
    other.commit()
    unit.commit()
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    places = [0, *log.places, len(log.data)]
    head = [] if where == "in front of the log" else [log.file(0, places[kept])]
    numbers = [1] if where == "in front of the log" else [0, 1]  # of the inserts by their commits
    for cut in places[kept + 2 : -1]:
        log.state.unlink(missing_ok=True)
        files = [*head, log.file(places[kept + 1], cut), log.file(cut, len(log.data))]
        rows = log.read(*files)
        whole = [row for row in log.rows if row["op"] == "I"]
        assert [row["seq"] for row in rows if row["op"] == "I"] == [whole[number]["seq"] for number in numbers]
        log.state.unlink()
        assert [row for file in files for row in log.read(file)] == rows


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("what", ["gaps", "errors"])
def test_what_records_show_is_said_once(what: str, engine: str, tmp_path: Path) -> None:
    """Where rows are missing and which records cannot be read, by the reading that has them first."""
    stream = with_gaps(1) if what == "gaps" else begun_behind_others("cannot be read", seed=2)
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    log.read(log.file(0, len(log.data)))
    whole = sorted(log.said)
    assert len(whole) > 5
    for step in (3, 8):
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


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_gap_of_a_transaction_whose_identifier_is_used_again(engine: str, tmp_path: Path) -> None:
    """It was never committed, and so is none in later readings either."""
    one, other = (Table(3, number, f"T{number}", (Column("NO", "INTEGER", nullable=False),)) for number in (4, 5))
    stream = Stream(*FORM)
    unit = stream.begin()
    unit.initialize(one)
    unit.initialize(other)
    unit.commit()
    again = stream.begin()
    again.alter_attribute(one, dms.PROPAGATION, 0)
    held = stream.begin()
    held.insert(other, {"NO": 1})
    again._last = 0
    again.insert(other, {"NO": 2})
    again.commit()
    held.commit()
    last = stream.begin()
    last.insert(one, {"NO": 3})
    last.commit()
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


@pytest.mark.parametrize("form", [FORM, ("v10", "big", "lsn8"), ("v10", "big", "bare"), ("v9.7", "big", "filter97")])
def test_an_empty_file_behind_a_description_of_a_table(
    form: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The checkpoint says how the record of the description is framed, where nothing else is needed again."""
    stream = Stream(*form)
    for number in range(2):
        unit = stream.begin()
        if not number:
            unit.initialize(luw.ITEM)
        unit.insert(luw.ITEM, luw.item(number))
        unit.commit()
    log, rows = Extracts(tmp_path, form, stream), []
    middle, size = stream.records[3].offset - (stream.records[0].offset), len(log.data)
    given = ["--spec", "db2_log", "--tables", luw.tables_file(tmp_path, luw.ITEM), "--order", "commit"]
    for start, end in ((0, middle), (middle, middle), (middle, size)):
        assert cli.main(["changes", str(log.file(start, end)), *given, "--checkpoint", str(log.state)]) == 0
        rows += [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        found = json.loads(log.state.read_text())
        assert found["described"]
        assert not found["needed"]
    assert [row["seq"] for row in rows] == [row["seq"] for row in log.rows]


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


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("form", [("v10", "big", "lsn8"), ("v10", "little", "bare"), FORM])
def test_transactions_that_an_earlier_reading_had_do_not_begin_before_the_log(
    form: tuple[str, str, str], engine: str, tmp_path: Path
) -> None:
    """They have ended in front of the checkpoint, and begin in front of the oldest open one."""
    log = Extracts(tmp_path, form)
    log.options["engine"] = engine
    for start, end in pairwise([0, *log.places[8::8], len(log.data)]):
        log.read(log.file(start, end))
        assert not begun_before(log.notes)


def begun_before(notes: list[str]) -> list[str]:
    """Those that transactions begin in front of the log."""
    return [text for text in notes if "begin before the log" in text or "are in front of it" in text]
