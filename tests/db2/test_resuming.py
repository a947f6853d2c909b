"""Extracts of a log that are read one by one give the changes of the whole log, each once."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from writers.db2 import dms, utility
from writers.db2.columns import Column
from writers.db2.stream import Stream, StreamRecord
from writers.db2.tables import Table

import lmparse
from lmparse import cli
from lmparse.errors import FramingError, LmparseError, OptionError
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import open_changes, open_resumed
from lmparse.storage.atomic_output import write_text
from lmparse.storage.inputs import inputs_of

FORM = ("v10", "little", "filter")


class Extracts:
    """A log, and extracts of it that are read one after the other."""

    def __init__(self, folder: Path, form: tuple[str, str, str] = FORM, stream: Stream | Thinned | None = None) -> None:
        stream = stream or luw.full_stream(*form)
        self.folder, self.data = folder, stream.bytes()
        generation, order, framing = form
        self.options: dict[str, Any] = {
            "spec": "db2_log", "generation": generation, "byte_order": order, "framing": framing, "order": "commit",
        }  # fmt: skip
        whole = folder / "whole.log"
        whole.write_bytes(self.data)
        self.rows = [shown(row) for row in lmparse.open_log(whole, **self.options).changes()]
        lead = open_changes(whole, read_options(self.options)).framing.lead
        self.places = [record.offset - lead for record in stream.records][1:]
        self.state = folder / "state.json"
        self.said: list[str] = []
        """Gaps and errors that `read` was told of, each with its place in the whole log."""

    def file(self, start: int, end: int) -> Path:
        path = self.folder / f"{start}-{end}.log"
        path.write_bytes(self.data[start:end])
        return path

    def read(self, *paths: Path) -> list[dict[str, Any]]:
        """The same by the engine that the options name."""
        errors: list[LmparseError] = []
        named = read_options({**self.options, "checkpoint": str(self.state)})
        log = open_resumed(paths, named, on_error=errors.append)
        texts = list(lines.printed(log, with_changes=True))
        write_text(checkpoint_behind(log).to_json(), checkpoint_place(log.options, inputs_of(paths)))
        self.said += filter(None, map(self.placed, [*log.tally.notices, *map(str, errors)]))
        return [shown(json.loads(line)) for text in texts for line in text.splitlines()]

    def placed(self, text: str) -> str | None:
        """The place of the record that a message names, if it is a gap or an error, and what it says behind that."""
        found = re.fullmatch(r"(.*)record \d+ at (0x[0-9a-f]+)(?: of (.*log))?: (.*)", text)
        if found is None:
            return None
        name = found[3] or found[1].partition(": ")[0]
        start = int(Path(name).name.partition("-")[0]) if name.endswith(".log") and "-" in Path(name).name else 0
        return f"{start + int(found[2], 16)} {found[4]}"

    def run(self, *paths: Path) -> list[dict[str, Any]]:
        """The changes that one reading gives."""
        log = lmparse.open_log(paths, checkpoint=self.state, **self.options)
        rows = [shown(row) for row in log.changes()]
        log.save_checkpoint()
        return rows


def shown(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "_metadata"}


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
            back = chosen.choice([start, *(place for place in log.places if place < start)])  # extracts may overlap
            found += log.run(log.file(back, end))
            assert log.run(log.file(back, end)) == []
        assert found == log.rows
        assert log.run(log.file(0, size)) == []


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


def with_gaps(seed: int) -> Stream:
    """Transactions at the same time that open, close and take back stretches in which rows are missing."""
    stream, chosen = Stream("v10", "little", "filter"), random.Random(seed)
    tables = [Table(3, number, f"T{number}", [Column("NO", "INTEGER", nullable=False)]) for number in (4, 5)]
    first = stream.begin()
    for table in tables:
        first.initialize(table)
    first.commit()
    units: list[Any] = []
    for number in range(60):
        if len(units) < 3:
            units.append(stream.begin())
            units[-1].insert(tables[0], {"NO": 100 + number})
        unit, table = chosen.choice(units), chosen.choice(tables)
        what = chosen.choice(["insert", "insert", "insert", "off", "truncate", "load", "commit", "commit", "abort"])
        if what == "insert":
            unit.insert(table, {"NO": number})
        elif what == "off":
            unit.alter_attribute(table, dms.PROPAGATION, 0)
        elif what == "truncate":
            unit.truncate(table)
        elif what == "load":
            body = utility.load_start(stream.server, 1, table.tablespace_id, table.table_id)
            unit.record("load_start", "load_start", body)
        else:
            getattr(unit, what)()
            units.remove(unit)
    return stream


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
    for cuts in combinations(log.places, 2):
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
    step = 3 if engine == "columnar" else 9
    for number, place in list(enumerate(log.places))[seed % step :: step]:
        cuts = [0, place, *log.places[number + 3 :: 7][:2], size]
        log.state.unlink(missing_ok=True)
        assert [row for start, end in pairwise(cuts) for row in log.read(log.file(start, end))] == log.rows


@dataclass
class Thinned:
    """A log without some of its records, and with others that cannot be read."""

    stream: Stream
    dropped: set[int]
    damaged: set[int]

    def __post_init__(self) -> None:
        self.records: list[StreamRecord] = []
        self.data, lead = b"", self.stream.records[0].offset
        for number, (piece, record) in enumerate(zip(self.stream.pieces(), self.stream.records, strict=True)):
            if number in self.dropped:
                continue
            self.records.append(replace(record, offset=len(self.data) + lead))
            # Behind the header of 40 bytes, component and function: lengths that are longer than the record.
            head = lead + 42
            self.data += piece[:head].ljust(len(piece), b"\xff") if number in self.damaged else piece

    def bytes(self) -> bytes:
        return self.data


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
    for number, place in list(enumerate(log.places))[1::3]:
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
            found = json.loads(log.state.read_text())
            assert (found["cut"], found["needed"]) == ([], [])


def test_records_that_are_lost_between_files(tmp_path: Path) -> None:
    """Transactions that lack them stay incomplete in the readings behind the next one, too."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"NO": 0})
    unit.commit()
    unit, other = stream.begin(), stream.begin()
    for number in range(1, 12):
        unit.insert(table, {"NO": number})
    other.insert(table, {"NO": 100})
    unit.commit()
    other.commit()
    log = Extracts(tmp_path, stream=stream)
    spans = (0, log.places[4]), (log.places[5], log.places[7]), (log.places[7], log.places[10])
    rows = [row for start, end in spans for row in log.run(log.file(start, end))]
    rows += log.run(log.file(log.places[10], len(log.data)))
    assert [row["after"]["C1"] for row in rows if row["op"] == "I"] == [0, 100]


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


def test_an_old_file_is_given_again(tmp_path: Path) -> None:
    """What was open at its end has ended since."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"NO": 0})
    unit.commit()
    log = Extracts(tmp_path, stream=stream)
    first = log.places[1]
    log.run(log.file(0, first))
    assert json.loads(log.state.read_text())["needed"]
    log.run(log.file(first, len(log.data)))
    before = json.loads(log.state.read_text())
    assert log.run(log.file(0, first)) == []
    assert json.loads(log.state.read_text()) == before


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


def test_parts_of_a_checkpoint_that_are_none(tmp_path: Path) -> None:
    log = Extracts(tmp_path, stream=with_gaps(0))
    log.run(log.file(0, log.places[-1]))
    sound = json.loads(log.state.read_text())
    for gaps in ({"3": "a load began"}, {"3.x": "a load began"}, {"3.4": 1}, ["3.4"], {"3." + "9" * 5000: "x"}):
        log.state.write_text(json.dumps({**sound, "gaps": gaps}))
        with pytest.raises(OptionError) as found:
            log.run(log.file(log.places[-1], len(log.data)))
        assert found.value.code == "LMP-S030"
    missing = [{"missing": one} for one in ([1], {"0": [1]}, {"0": [[1]]}, {"0": [[1, 1 << 64]]}, {"x": []}, {"0": 1})]
    begins = {"begins": {"x": 1}}, {"begins": {"0": 1 << 64}}
    for other in ({"cut": ["zz"]}, {"cut": ["00"]}, {"cut": 1}, *begins, *missing):
        log.state.write_text(json.dumps({**sound, **other}))
        with pytest.raises(OptionError) as found:
            log.run(log.file(log.places[-1], len(log.data)))
        assert found.value.code == "LMP-S030"


def test_what_a_checkpoint_needs(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    place = next(place for place in log.places if needs(log, place))
    needed = json.loads(log.state.read_text())["needed"]
    path = Path(needed[0]["path"])
    raw = bytearray(path.read_bytes())
    before, second = log.state.read_bytes(), log.file(place, len(log.data))
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(LmparseError, match="are not those that were read before") as found:
        log.run(second)
    assert found.value.code == "LMP-F012"
    path.unlink()
    with pytest.raises(FramingError) as gone:
        log.run(second)
    assert (gone.value.code, gone.value.file) == ("LMP-F001", str(path))
    assert log.state.read_bytes() == before


def needs(log: Extracts, place: int) -> bool:
    log.state.unlink(missing_ok=True)
    log.run(log.file(0, place))
    return bool(json.loads(log.state.read_text())["needed"])


@pytest.mark.parametrize("form", [FORM, ("v10", "big", "bare"), ("v7", "big", "filter97")])
def test_transactions_of_one_record_are_not_needed(form: tuple[str, str, str], tmp_path: Path) -> None:
    """They have no end of their own: the next readings would have to read everything behind them again."""
    stream = Stream(*form)
    for number in range(6):
        stream.begin(singular=True).insert(luw.ITEM, luw.item(number, "alone"))
    unit, rows = stream.begin(), []
    for number in (6, 7):
        unit.insert(luw.ITEM, luw.item(number, "together"))
    unit.commit()
    log = Extracts(tmp_path, form, stream)
    for number, (start, end) in enumerate(pairwise([0, *log.places, len(log.data)])):
        rows += log.run(log.file(start, end))
        needed = json.loads(log.state.read_text())["needed"]
        assert len(needed) == {6: 1, 7: 2}.get(number, 0)
    assert rows == log.rows


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


def test_files_that_are_no_checkpoint(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    path = log.file(0, log.places[10])
    for text in ("", "[]", "{}", '{"checkpoint_version": 9}', "\0", '{"checkpoint_version": 2, "spec": 1, "seq": 2}'):
        log.state.write_text(text)
        with pytest.raises(OptionError) as found:
            log.run(path)
        assert found.value.code == "LMP-S030"
        assert log.state.read_text() == text


def test_checkpoints_with_other_values(tmp_path: Path) -> None:
    """A checkpoint may be damaged too: an error with a code, or the reading that it asks for."""
    log, chosen = Extracts(tmp_path), random.Random(11)
    log.run(log.file(0, log.places[-4]))
    sound, rest = json.loads(log.state.read_text()), log.file(log.places[-4], len(log.data))
    assert sound["described"]
    values = [None, -1, 1 << 70, "", "00", "zz", [], {}, [1], "../" * 9, 3.5, True, "00" * 40, "G" * 72, "\0"]
    for value in values:
        log.state.write_text(json.dumps({**sound, "seq": value}, indent=2))
        with suppress(LmparseError):
            log.run(rest)
    for text in ("0000", "00" * 40, "ff" * 40, sound["described"][0][:-2], "0000" + sound["described"][0]):
        log.state.write_text(json.dumps({**sound, "described": [text]}, indent=2))
        with pytest.raises(OptionError) as found:
            log.run(rest)
        assert found.value.code == "LMP-S030"
    for _ in range(120):
        damaged = json.loads(json.dumps(sound))
        place: Any = damaged
        while isinstance(place, dict | list) and place:
            key = chosen.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or chosen.random() < 0.3:
                place[key] = chosen.choice(values)
                break
            place = place[key]
        log.state.write_text(json.dumps(damaged, indent=2))
        with suppress(LmparseError):
            log.run(rest)


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


@pytest.mark.parametrize("written", ["file://{}", "local://{}", "{}/"])
def test_a_checkpoint_is_read_where_it_is_written(written: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    log.state = written.format(log.state)  # type: ignore[assignment]
    path = log.file(0, len(log.data))
    assert log.run(path) == log.rows
    assert log.run(path) == []


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


@pytest.mark.parametrize("form", [FORM, ("v10", "big", "bare"), ("v9.7", "little", "lsn8")])
@pytest.mark.parametrize("order", ["120", "021", "02a"])
def test_a_file_that_comes_too_late(form: tuple[str, str, str], order: str, tmp_path: Path) -> None:
    """Its records lie in front of what has been read, and have not been read: nobody may take them for known ones."""
    log = Extracts(tmp_path, form)
    first, second = (log.places[len(log.places) * part // 3] for part in (1, 2))
    bounds = {"0": (0, first), "1": (first, second), "2": (second, len(log.data)), "a": (0, second)}
    files = {name: log.file(*cut) for name, cut in bounds.items()}
    for name in order[:-1]:
        log.run(files[name])
    before = log.state.read_text()
    for late in ([files[order[-1]]], [*files.values()]):
        with pytest.raises(FramingError) as found:
            log.run(*late)
        assert found.value.code == "LMP-F014"
    assert log.state.read_text() == before
    assert log.run(files[order[0]], files[order[1]]) == []


def test_places_without_a_record_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lmparse.db2.resuming.MOST_UNREAD", 2)
    log = Extracts(tmp_path)
    for start, end in list(pairwise([0, *log.places]))[::2][:6]:
        log.run(log.file(start, end))
    places = json.loads(log.state.read_text())["unread"]
    assert len(places) == 2
    assert places == sorted(places)


@pytest.mark.parametrize("is_alone", [True, False])
@pytest.mark.parametrize("records_kept", [2, 1000])
@pytest.mark.parametrize("form", [FORM, ("v10", "little", "lsn8")])
def test_a_file_in_front_of_the_places_that_are_kept(
    form: tuple[str, str, str], records_kept: int, *, is_alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was read before or not is not known then, unless its last record is, or addresses show it; its changes
    are left out, but not without a word."""
    for module in ("resuming", "file_chain"):
        monkeypatch.setattr(f"lmparse.db2.{module}.MOST_UNREAD", 2)
    monkeypatch.setattr("lmparse.db2.resuming.MOST_KNOWN", records_kept)
    stream, cuts = Stream(*form), [0]
    for number in range(12):
        unit = stream.begin()
        unit.insert(luw.ITEM, luw.item(number, "one"))
        unit.commit()
        cuts.append(len(stream.bytes()))
    log = Extracts(tmp_path, form, stream)
    files = [log.file(*cut) for cut in pairwise(cuts)]
    for path in files[:-2:2]:
        assert len(log.run(path)) == 1
    beside = [] if is_alone else [files[-1]]
    late = () if form == FORM else ((1, "whether"),)
    for number, word in (*late, (0, "whether" if records_kept == 2 else ""), (8, "")):
        opened = lmparse.open_log([files[number], *beside], checkpoint=log.state, **log.options)
        assert len(list(opened.changes())) == len(beside)
        said = [text for text in opened.tally.notices if "was read before is not known" in text]
        assert [text.partition(" ")[0] for text in said] == ([word] if word else [])
    for number in (1, 7) if form == FORM else (7,):
        with pytest.raises(FramingError, match="LMP-F014"):
            log.run(files[number])


OTHER_LOG = [
    ("inside", 3, 9, "F013"),
    ("up to the end", 5, 10, "F013"),
    ("past it", 5, 12, "F013"),
    ("short", 6, 7, ""),
]


@pytest.mark.parametrize(
    ("begin", "end", "code"), [case[1:] for case in OTHER_LOG], ids=[case[0] for case in OTHER_LOG]
)
@pytest.mark.parametrize("other", ["values", "positions"])
def test_a_file_of_another_log_that_has_the_positions_that_were_read(
    begin: int, end: int, code: str, other: str, tmp_path: Path
) -> None:
    """It is not taken for one that was read before: the last record of each file is known again."""
    streams = [Stream(*FORM), Stream(*FORM, first_commit=datetime(2026, 4, 1))]
    cuts: list[list[int]] = [[0], [0]]
    for number, (stream, places) in enumerate(zip(streams, cuts, strict=True)):
        for row in range(12):
            unit = stream.begin()
            text = "a word" + "s" * (number * row if other == "positions" else 0)
            unit.insert(luw.ITEM, luw.item(row + 100 * number, text))
            unit.commit()
            places.append(len(stream.bytes()))
    log, foreign = (Extracts(tmp_path, stream=stream) for stream in streams)
    own = [log.file(cuts[0][start], cuts[0][behind]) for start, behind in ((0, 4), (4, 8), (8, 10))]
    log.run(*own[:2])
    log.run(own[2])
    before = log.state.read_text()
    strange = foreign.file(cuts[1][begin], cuts[1][end])
    if code:
        with pytest.raises(FramingError) as found:
            log.run(strange)
        assert (found.value.code, found.value.file) == (f"LMP-{code}", str(strange))
        assert "a file that was read before" in str(found.value)
        assert log.state.read_text() == before
    else:
        opened = lmparse.open_log(strange, checkpoint=log.state, **log.options)
        assert list(opened.changes()) == []
        assert ["was read before is not known" in text for text in opened.tally.notices] == [True]
    # Its own files, a part of two of them, and one that has grown, are known.
    inside = log.file(cuts[0][2], cuts[0][9])
    opened = lmparse.open_log([*own, inside], checkpoint=log.state, **log.options)
    assert list(opened.changes()) == []
    assert not [text for text in opened.tally.notices if "not known" in text]
    assert len(log.run(log.file(cuts[0][6], cuts[0][12]))) == 2


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("parts", [2, 3])
def test_two_runs_with_one_checkpoint(parts: int, *, is_first: bool, tmp_path: Path) -> None:
    """The one that ends last does not set the checkpoint back, and what it gave is said to be given already; also if
    both have read the same files, so that they would write the same."""
    log = Extracts(tmp_path)
    first, second = (log.places[len(log.places) * part // 3] for part in (1, 2))
    if not is_first:
        log.run(log.file(0, first))
    end = len(log.data) if parts == 3 else second
    start = 0 if is_first else first
    slow, quick = (
        lmparse.open_log(path, checkpoint=log.state, **log.options)
        for path in (log.file(start, second), log.file(start, end))
    )
    quick.save_checkpoint()
    quick.save_checkpoint()
    before = log.state.read_text()
    with pytest.raises(OptionError, match="was written by another run") as found:
        slow.save_checkpoint()
    assert found.value.code == "LMP-S022"
    assert log.state.read_text() == before
    log.state.unlink()
    if is_first:
        return
    with pytest.raises(OptionError, match="was written by another run"):
        slow.save_checkpoint()  # it would leave out what another one reads from the beginning


@pytest.mark.parametrize("seed", range(4))
def test_files_that_are_read_again_leave_the_checkpoint(seed: int, tmp_path: Path) -> None:
    """Also one at whose end a transaction was open that has ended in another file."""
    chosen, stream = random.Random(seed), Stream(*FORM)
    for number in range(12):
        unit, other = stream.begin(), stream.begin()
        unit.insert(luw.ITEM, luw.item(number, "one"))
        if number % 3:
            other.insert(luw.ITEM, luw.item(-number, "two"))
        other.commit()
        unit.commit()
    log = Extracts(tmp_path, stream=stream)
    cuts = [0, *sorted(chosen.sample(log.places, 5)), len(log.data)]
    files, rows = [log.file(*cut) for cut in pairwise(cuts)], []
    for number, path in enumerate(files):
        rows += log.run(path)
        before = log.state.read_text()
        for again in ([one] for one in files[: number + 1]):
            assert log.run(*again) == []
            assert log.state.read_text() == before
    assert rows == log.rows
