"""Units of recovery of Log Master logs as `lmparse txn` lists them: by both engines, whatever became of them."""

from __future__ import annotations

import random
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples.bmc_random import write
from transactions_of import both, counted, listed
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
from lmparse.bmc.log.log import LogicalLog
from lmparse.bmc.units import BROKEN, CONTRADICTORY, NO_END, NOT_TESTABLE
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.spec import catalog

A = Table(0x0105, 2, 3, "PROD", "A", (Column("NO", "INT", 4),))
B = Table(0x0105, 2, 4, "PROD", "B", (Column("NO", "INT", 4),))


def put(folder: Path, writer: logs.Writer, framed: str = "rdw") -> tuple[Path, dict[str, Any]]:
    example = writer.example()
    data, control = folder / "x.dat", folder / "x.ctl"
    data.write_bytes(framing.framed(framed, example.data_records).data)
    control.write_bytes(framing.rdw(example.control_records))
    return data, {"control": str(control)}


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of units come in many tables."""
    monkeypatch.setattr(LogicalLog, "windows", partialmethod(LogicalLog.windows, max_records=7))


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("framed", ["rdw", "vbs"])
def test_every_outcome(framed: str, tmp_path: Path) -> None:
    writer = logs.Writer([A, B])
    one, two, three, four = (logs.Unit(number, state) for number, state in ((1, "C"), (2, "A"), (3, "O"), (4, "C")))
    row, other = {"NO": 1}, {"NO": 2}
    writer.add(one, A, "I", None, row)
    writer.add(two, A, "D", row)
    writer.add(one, A, "UB", row, other, log_rec_disp="S")
    writer.add(one, A, "UB", other, row, sql_type="U")
    writer.add(three, B, "I", None, row)
    writer.add(four, B, "DM")
    writer.add(one, B, "I", None, row)
    segments = writer.pieces(one, B, "UB", row, other, segments=2)
    for number in range(20):
        writer.put(*segments[0]) if number == 3 else writer.add(four, A, "I", None, {"NO": number})
    writer.put(*segments[1])
    data, options = put(tmp_path, writer, framed)
    found = both(data, **options)
    assert found.errors == []
    facts = [
        (row["txn_id"], *(row[name] for name in ("disposition", "complete", "why", "records", "tables", "compensated")))
        for row in found.rows
    ]
    ids = [f"0001{unit.rba}" for unit in (one, two, three, four)]
    assert facts == [  # the fourth unit commits before the first
        (ids[0], "committed", None, NOT_TESTABLE, 6, {"PROD.A": {"I": 1}, "PROD.B": {"I": 1, "U": 1}},
         {"PROD.A": {"U": 1}}),
        (ids[3], "committed", None, NOT_TESTABLE, 20, {"PROD.A": {"I": 19}, "PROD.B": {"M": 1}}, {}),
        (ids[1], "rolled-back", None, NOT_TESTABLE, 1, {}, {"PROD.A": {"D": 1}}),
        (ids[2], "open", False, NO_END, 1, {"PROD.B": {"I": 1}}, {}),
    ]  # fmt: skip
    assert [row["commit_ts"] for row in found.rows] == [one.commit_ts, four.commit_ts, None, None]
    assert {(row["auth_id"], row["plan"], row["correlation_id"]) for row in found.rows} == {
        ("APPUSER", "PLANA", "PAYROLL01")
    }
    assert [(row["begin_ts"], row["connect_id"]) for row in found.rows] == [
        (f"2026-03-14T10:10:{unit.number:02d}.000000", "BATCH") for unit in (one, four, two, three)
    ]
    assert sum(row["bytes"] for row in found.rows) == sum(map(len, writer.records))
    first = found.rows[0]
    assert (first["first_record_index"], first["last_record_index"]) == (0, len(writer.records) - 1)
    for name in ("first", "last"):
        place = {"record_index": first[f"{name}_record_index"], "record_offset": first[f"{name}_record_offset"]}
        records = list(lmparse.open_log(data, spec="bmc_lldf", framing=framed).records())
        assert records[place["record_index"]]["log_lrsn"] == first[f"{name}_position"]
        explained = lmparse.explain(data, offset=place["record_offset"], spec="bmc_lldf", framing=framed)
        assert explained.to_dict()["record"] == place["record_index"]


def test_what_headers_say_of_a_unit(tmp_path: Path) -> None:
    """A record that could not be completed, and outcomes that contradict each other."""
    writer = logs.Writer([A])
    one, two = logs.Unit(1), logs.Unit(2)
    for unit, header in ((one, {}), (one, {"incompletetrans": "Y"}), (two, {}), (two, {"uor_disp": "A"})):
        writer.add(unit, A, "I", None, {"NO": 1}, **header)
    writer.add(two, A, "I", None, {"NO": 2}, log_rec_disp="Q")
    data, options = put(tmp_path, writer)
    found = both(data, **options)
    assert [(row["complete"], row["why"], row["records"]) for row in found.rows] == [
        (False, CONTRADICTORY, 3), (False, BROKEN, 2),
    ]  # fmt: skip
    assert found.notices == ["1 x changes whose LOGRECDISP is not listed: they are counted as not taken back"]


def test_two_tables_of_one_name_have_their_ids(tmp_path: Path) -> None:
    """A name is not an identity: a table may be dropped and created again."""
    again = Table(0x0105, 2, 9, "PROD", "A", A.columns)
    writer = logs.Writer([A, again])
    for table in (A, again):
        writer.add(logs.Unit(1), table, "I", None, {"NO": 1})
    data, options = put(tmp_path, writer)
    names = [*both(data, **options).rows[0]["tables"]]
    assert [name.rsplit(".", 3)[1:] for name in names] == [["0105", "0002", "0003)"], ["0105", "0002", "0009)"]]
    assert all(name.startswith("PROD.A (") for name in names)


def starts(raw: bytes | bytearray) -> list[int]:
    """Offsets of the descriptor words."""
    found = [0]
    while (end := found[-1] + int.from_bytes(raw[found[-1] : found[-1] + 2], "big")) < len(raw):
        found.append(end)
    return found


def in_few_units(path: Path) -> None:
    """The records of a random log, each of which has a unit of its own, in some units that have many."""
    raw, field = bytearray(path.read_bytes()), catalog.load("bmc_lldf").layout["uor_id"]
    for start in starts(raw):
        place = start + 4 + (field.offset or 0) + (field.width or 0)
        raw[place - 10 : place] = (raw[place - 1] % 12).to_bytes(9, "big") + b"\0"  # segments stay together
    path.write_bytes(raw)


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_random_logs(mode: str, tmp_path: Path) -> None:
    """Sound, with other bytes, and cut short; counts are those of `changes`."""
    given = write(tmp_path, amount(150, 2000), segmented=0.05)
    path, options = given.pop("path"), {**given, "mode": mode}
    in_few_units(path)
    found = both(path, **options)
    assert {row["disposition"] for row in found.rows} == {"committed", "rolled-back", "open"}
    assert any(row["why"] and CONTRADICTORY in row["why"] for row in found.rows)
    log: Any = open_changes(path, read_options({**options, "include": "all"}))
    undos = sum(change["sql_type"] == "U" for change in log.changes())
    assert log.tally.dropped == 0
    changes = list(lmparse.open_log(path, **options, include="all").changes())
    assert counted(found.rows, "tables", "compensated").total() == len(changes) - undos
    assert {change["txn_id"] for change in changes} == {row["txn_id"] for row in found.rows}
    raw, chance = bytearray(path.read_bytes()), random.Random(5)
    for start in starts(raw):
        if chance.random() < 0.3:  # neither its descriptor word nor the length of its header
            raw[start + 6 + chance.randrange(270)] = chance.randrange(256)
    path.write_bytes(raw)
    damaged = both(path, **options)
    assert damaged.errors
    assert damaged.rows
    path.write_bytes(raw[: len(raw) // 2 - 7])
    cut = both(path, **options)
    assert "LMP-F" in cut.errors[-1]
    assert 0 < len(cut.rows) < len(damaged.rows)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_units_count_against_the_limit(engine: str, tmp_path: Path) -> None:
    writer = logs.Writer([A])
    for number in range(60):
        writer.add(logs.Unit(number), A, "I", None, {"NO": 1}, uor_commit_timestamp="2026-03-14T10:30:00.250000")
    data, options = put(tmp_path, writer)
    assert len(listed(data, engine, **options).rows) == 60
    found = listed(data, engine, **options, limits="heldBytes=10K")
    assert (found.rows, [error.split("[")[-1] for error in found.errors]) == ([], ["LMP-L004]"])


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_table_that_begins_with_a_spanned_record_has_its_own_counts(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogicalLog, "windows", partialmethod(LogicalLog.windows, max_records=7))
    tables = [Table(0x0105, 2, psid, "PROD", name, (Column("T", "VCHR", 2000),)) for psid, name in ((3, "A"), (4, "B"))]
    writer, unit = logs.Writer(tables), logs.Unit(1, "C")
    for number in range(20):
        in_b = number == 3 or number > 10  # the first of them is in several pieces
        writer.add(unit, tables[in_b], "I", None, {"T": "x" * (1500 if number == 3 else 1)})
    example, data, control = writer.example(), tmp_path / "x.dat", tmp_path / "x.ctl"
    data.write_bytes(framing.vbs(example.data_records, 900))
    control.write_bytes(framing.rdw(example.control_records))
    (row,) = listed(data, engine=engine, control=str(control)).rows
    assert row["tables"] == {"PROD.A": {"I": 10}, "PROD.B": {"I": 10}}
