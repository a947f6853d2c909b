"""Db2 for LUW: values out of the row, tables that change, gaps, and transactions that end in odd ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from writers.db2 import dom, utility
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, TableId

import lmparse

DOC = Table(2, 9, "DOC", [Column("ID", "INTEGER", nullable=False), Column("BODY", "CLOB(1M)")])
PAIR = Table(2, 10, "PAIR", [Column("ID", "INTEGER", nullable=False), Column("A", "CLOB(1M)"), Column("B", "BLOB(1M)")])
ITEM = Table(3, 4, "ITEM", [Column("ID", "INTEGER", nullable=False), Column("NAME", "VARCHAR(10)")])
FORMS = [(generation, order) for generation in GENERATIONS for order in BYTE_ORDERS]


def read(path: Path, stream: Stream, **options: Any) -> tuple[list[dict[str, Any]], Any]:
    path.write_bytes(stream.bytes())
    log = lmparse.open_log(str(path), spec="db2_log", order="commit", **options)
    return list(log.changes()), log


def values(rows: list[dict[str, Any]], role: str = "after") -> list[Any]:
    return [row[role] and tuple(row[role].values()) for row in rows if row["op"] in "IUD"]


def item(number: int, name: str | None = None) -> dict[str, Any]:
    return {"ID": number, "NAME": name}


@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
def test_lob_values_by_column_and_in_pieces(byte_order: Any, tmp_path: Path) -> None:
    stream = Stream("v10", byte_order, "filter")
    unit, other = stream.begin("A"), stream.begin("B")
    unit.initialize(DOC)
    unit.initialize(PAIR)
    unit.insert(DOC, {"ID": 1, "BODY": "x"}, lobs={"BODY": "hällo" * 20_000})
    other.insert(PAIR, {"ID": 5, "A": "x", "B": b"y"}, lobs={"A": "first", "B": b"\1" * 40_000})
    unit.insert(PAIR, {"ID": 6, "A": None, "B": b"y"}, lobs={"B": b"\2"})
    unit.commit()
    other.commit()
    rows, log = read(tmp_path / "x.log", stream)
    assert values(rows) == [(1, "hällo" * 20_000), (6, None, "02"), (5, "first", "01" * 40_000)]
    assert all(row["detail"] is None for row in rows if row["op"] == "I")
    assert not log.tally.errors


@pytest.mark.parametrize("form", ["double", "u64"])
@pytest.mark.parametrize("generation", ["v7", "v9.7"])
def test_lob_values_that_name_no_column(generation: Any, form: Any, tmp_path: Path) -> None:
    stream = Stream(generation, "big", "lsn6" if generation == "v7" else "lsn8", address_form=form)
    first, second = stream.begin("A"), stream.begin("B")
    first.initialize(DOC)
    first.initialize(PAIR)
    first.insert(DOC, {"ID": 1, "BODY": "x"}, lobs={"BODY": "y" * 70_000})
    first.commit()
    second.insert(DOC, {"ID": 2, "BODY": "x"}, lobs={"BODY": "one"})
    second.insert(DOC, {"ID": 3, "BODY": "x"}, lobs={"BODY": "two"})
    second.commit()
    third = stream.begin("C")
    third.insert(PAIR, {"ID": 4, "A": "x", "B": None}, lobs={"A": "one"})
    third.commit()
    rows, log = read(tmp_path / "x.log", stream)
    assert values(rows) == [(1, "y" * 70_000), (2, None), (3, None), (4, None, None)]
    reasons = [row["detail"]["absent"] for row in rows if row["op"] == "I" and row["detail"]]
    assert [next(iter(reason.values())).split(",")[0] for reason in reasons] == [
        "the transaction changed several rows with LOB values",
        "the transaction changed several rows with LOB values",
        "the table has several LOB columns",
    ]
    assert any(decision.name == "LOB byte address" for decision in log.decisions)


def test_values_before_a_change_are_not_in_the_log(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin("A")
    unit.initialize(DOC)
    unit.insert(DOC, {"ID": 1, "BODY": "x"}, lobs={"BODY": "old"})
    unit.update(DOC, {"ID": 1, "BODY": External(bytes(24))}, {"ID": 1, "BODY": "x"}, lobs={"BODY": "new"})
    unit.commit()
    rows, _ = read(tmp_path / "x.log", stream)
    assert values(rows)[-1] == (1, "new")
    assert rows[-1]["before"]["C2"] is None
    assert rows[-1]["detail"]["absent"] == {"before.C2": "the value before is not logged"}


@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_columns_that_are_added(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = Stream(generation, byte_order, "bare")
    first = stream.begin("A")
    first.initialize(ITEM)
    first.insert(ITEM, item(1, "a"))
    wider = first.add_columns(ITEM, Column("MORE", "SMALLINT"))
    first.insert(wider, item(2, "b") | {"MORE": 7})
    # The first row is still stored as it was before the column was added.
    first.delete(ITEM, item(1, "a"))
    first.commit()
    rows, log = read(tmp_path / "x.log", stream)
    assert values(rows) == [(1, "a"), (2, "b", 7), None]
    assert rows[-1]["before"] == {"C1": 1, "C2": "a", "C3": None}
    assert list(rows[-1]["detail"]["absent"]) == ["before.C3"]
    assert rows[2]["op"] == "O"
    assert [column["type"] for column in rows[2]["detail"]["columns"]] == ["INTEGER", "VARCHAR(10)", "SMALLINT"]
    assert not log.tally.errors


def test_the_description_of_a_transaction_that_aborts_holds_for_it_alone(tmp_path: Path) -> None:
    stream = Stream("v9.7", "big", "lsn8")
    first = stream.begin("A")
    first.initialize(ITEM)
    first.commit()
    second = stream.begin("B")
    wider = second.add_columns(ITEM, Column("MORE", "SMALLINT"))
    second.insert(wider, item(2, "b") | {"MORE": 7})
    second.abort()
    third = stream.begin("C")
    third.insert(ITEM, item(3, "c"))
    third.commit()
    rows, log = read(tmp_path / "x.log", stream, include="all")
    assert sorted(values(rows)) == [(2, "b", 7), (3, "c")]
    assert not log.tally.errors


def test_gaps_are_rows_and_notes(tmp_path: Path) -> None:
    stream = Stream("v10", "big", "filter")
    first = stream.begin("A")
    first.initialize(ITEM)
    first.insert(ITEM, item(1))
    first.alter_attribute(ITEM, 1, 0)
    first.commit()
    second = stream.begin("B")
    second.insert(ITEM, item(2))
    second.commit()
    third = stream.begin("C")
    third.truncate(ITEM)
    third.commit()
    fourth = stream.begin("D")
    fourth.insert(ITEM, item(3))
    about = dom.DomObject(TableId(3, 4))
    fourth.record("activate", "normal", dom.activate_not_logged_initially(stream.server, about))
    fourth.record("load_start", "load_start", utility.load_start(stream.server, 1, 3, 4))
    fourth.insert(ITEM, item(4))
    fourth.commit()
    rows, log = read(tmp_path / "x.log", stream)
    gaps = [row["detail"]["gap"] for row in rows if row["op"] == "S"]
    assert sorted(gaps) == ["NOT LOGGED INITIALLY was activated", "a load began", "propagation was switched off"]
    marked = {row["after"]["C1"]: (row["detail"] or {}).get("gap") for row in rows if row["op"] == "I"}
    assert marked == {1: None, 2: "propagation was switched off", 3: None, 4: "a load began"}
    assert sum(note.startswith("rows missing from here: table 3.4") for note in log.tally.notices) == 3
    assert [row["op"] for row in rows].count("T") == 1


def test_transactions_without_an_end_and_identifiers_used_again(tmp_path: Path) -> None:
    stream = Stream("v9.7", "little", "lsn8")
    first, second = stream.begin("A"), stream.begin("B")
    first.initialize(ITEM)
    first.commit()
    second.insert(ITEM, item(1))
    third = stream.begin("C")
    third.insert(ITEM, item(2))
    third.commit()
    data = bytearray(stream.bytes())
    tids = [data[record.offset + 16 : record.offset + 22] for record in stream.records]
    for record, tid in zip(stream.records, tids, strict=True):
        if tid == tids[-1]:  # the third transaction gets the identifier of the second
            data[record.offset + 16 : record.offset + 22] = tids[2]
    path = tmp_path / "x.log"
    path.write_bytes(data)
    log = lmparse.open_log(str(path), spec="db2_log")
    assert values(list(log.changes())) == [(2, None)]
    assert log.left_out == {"open": 1}
    assert "1 x transactions without an end, whose identifier is used again" in log.tally.notices


def test_a_singular_transaction_is_committed_at_once(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "bare")
    first = stream.begin("A")
    first.initialize(ITEM)
    first.commit()
    single = stream.begin("B", singular=True)
    single.insert(ITEM, item(1))
    rows, log = read(tmp_path / "x.log", stream)
    assert values(rows) == [(1, None)]
    assert rows[-1]["commit_ts"] is None
    assert not log.left_out


@pytest.mark.parametrize("kind", ["normal", "heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list"])
@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_every_way_to_commit(generation: Any, byte_order: Any, kind: Any, tmp_path: Path) -> None:
    stream = Stream(generation, byte_order, "bare")
    unit = stream.begin("A")
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.commit(kind, auth_id="DB2INST1")
    rows, log = read(tmp_path / "x.log", stream, generation=generation, byte_order=byte_order, framing="bare")
    assert values(rows) == [(1, None)]
    assert rows[-1]["commit_ts"] == "2026-03-14T10:11:12.000000"
    # Where the name ends before the entries of a pending list is not documented until version 9.5.
    is_open = generation == "v7" and kind == "local_pending_list"
    assert rows[-1]["auth_id"] == (None if is_open else "DB2INST1")
    assert not log.tally.errors
