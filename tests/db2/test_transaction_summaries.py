"""Transactions of Db2 LUW logs as `lmparse txn` lists them: every one, by both engines, whatever became of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from db2.redefined_tables import FIRST, SECOND, insert, replaced
from samples.db2_scripts import DOC, ITEM, item, read, tables_file
from transactions_of import both, listed
from writers.db2 import lob
from writers.db2.stream import Stream

from lmparse.db2.summaries import BEGINS_BEFORE, NO_END, UNREAD, USED_AGAIN

FIELDS = ("disposition", "complete", "why", "auth_id", "records", "tables", "compensated")


def put(folder: Path, stream: Stream) -> Path:
    path = folder / "x.log"
    path.write_bytes(stream.bytes())
    return path


def facts(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or FIELDS) for row in rows]


def test_every_outcome(tmp_path: Path) -> None:
    """A savepoint rolled back, a rollback, an open transaction, an identifier that is used again."""
    stream = Stream("v10", "little", "filter")
    one, two, left = stream.begin("ALICE"), stream.begin("BOB"), stream.begin("CAROL")
    one.insert(ITEM, item(1))
    two.insert(ITEM, item(2))
    mark = one.mark()
    one.insert(ITEM, item(3))
    one.update(ITEM, item(1), item(1, "x"))
    one.rollback_to(mark)
    left.insert(ITEM, item(4))
    one.insert(DOC, {"ID": 1}, lobs={"BODY": "text"})
    one.delete(ITEM, item(1))
    again = stream.begin("DAVE")
    again.insert(ITEM, item(5))
    two.abort()
    again._last = 0
    again.insert(ITEM, item(6))
    again.commit()
    one.commit()
    path = put(tmp_path, stream)
    tables = tables_file(tmp_path, ITEM, DOC)
    found = both(path, 300, spec="db2_log", tables=tables)
    named = f"{ITEM.schema}.ITEM", f"{DOC.schema}.DOC"
    assert facts(found.rows) == [
        ("rolled-back", True, None, None, 3, {}, {named[0]: {"I": 1}}),
        ("committed", True, None, "DAVE", 2, {named[0]: {"I": 1}}, {}),
        ("committed", True, None, "ALICE", 10, {named[0]: {"D": 1, "I": 1}, named[1]: {"I": 1}},
         {named[0]: {"I": 1, "U": 1}}),
        ("open", False, NO_END, None, 1, {named[0]: {"I": 1}}, {}),
        ("open", False, USED_AGAIN, None, 1, {named[0]: {"I": 1}}, {}),
    ]  # fmt: skip
    assert found.errors == []
    records = {record.offset: record for record in stream.records}
    for row in found.rows:
        first, last = records[row["first_record_offset"]], records[row["last_record_offset"]]
        assert (row["first_position"], row["last_position"]) == (f"{first.lsn:016X}", f"{last.lsn:016X}")
        assert row["txn_id"].endswith(row["first_position"])
        assert stream.records[row["first_record_index"]] is first
        assert stream.records[row["last_record_index"]] is last
    assert sum(row["records"] for row in found.rows) == len(stream.records)
    assert sum(row["bytes"] for row in found.rows) == sum(record.length for record in stream.records)
    assert [row["commit_ts"] for row in found.rows][1:3] == ["2026-03-14T10:11:12.000000", "2026-03-14T10:11:13.000000"]


def test_a_log_that_begins_later(tmp_path: Path) -> None:
    """What began in front of it is listed, and an end whose changes are all in front of it too."""
    stream = Stream("v10", "little", "filter")
    one, two, three = stream.begin("ALICE"), stream.begin("BOB"), stream.begin("CAROL")
    one.insert(ITEM, item(1))
    two.insert(ITEM, item(2))
    cut = len(stream.bytes())
    three.insert(ITEM, item(3))
    one.insert(ITEM, item(4))
    three.commit()
    one.commit()
    two.commit()
    two_ends = stream.records[-1]
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes()[cut:])
    found = both(path, 200, spec="db2_log")
    assert facts(found.rows) == [
        ("committed", True, None, "CAROL", 2, {"3.5": {"I": 1}}, {}),
        ("committed", False, BEGINS_BEFORE, "ALICE", 2, {"3.5": {"I": 1}}, {}),
        ("committed", False, BEGINS_BEFORE, "BOB", 1, {}, {}),
    ]
    assert found.rows[2]["first_position"] == found.rows[2]["last_position"] == f"{two_ends.lsn:016X}"
    assert found.rows[2]["txn_id"] == two.tid.hex().upper() + f"{two_ends.lsn:016X}"


@pytest.mark.parametrize("which", [2, 3])
def test_a_record_that_cannot_be_read_may_be_of_any_open_transaction(which: int, tmp_path: Path) -> None:
    """It is the first one of a transaction, or one inside of it."""
    stream = Stream("v10", "little", "filter")
    one, two = stream.begin(), stream.begin()
    one.insert(ITEM, item(4))
    one.commit()
    for number in range(3):
        two.insert(ITEM, item(number))
    two.commit()
    data, damaged = bytearray(stream.bytes()), stream.records[which]
    data[data.index(damaged.lsn.to_bytes(8, "little"), damaged.offset)] ^= 1  # not the one in front of the record
    path = tmp_path / "x.log"
    path.write_bytes(data)
    found = both(path, 200, spec="db2_log")
    assert facts(found.rows, "complete", "why", "records") == [(True, None, 2), (False, UNREAD, 3)]
    assert len(found.errors) == 1
    failed = listed(path, "columnar", spec="db2_log", mode="failfast")
    assert (failed.rows, len(failed.errors)) == ([], 1)


def test_a_transaction_that_begins_with_a_piece_without_a_place(tmp_path: Path) -> None:
    stream = Stream("v9.7", "little", "lsn8")
    unit, about = stream.begin(), lob.LobObject(DOC.id, DOC.id)
    body = lob.afim_data(stream.server, about, b"text", 0)
    unit.record("piece", "normal", body[:16] + b"\x41" * 8 + body[24:])
    unit.commit()
    found = both(put(tmp_path, stream), spec="db2_log")
    assert facts(found.rows, "complete", "why", "records") == [(False, UNREAD, 2)]


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_transactions_that_never_end_count_against_the_limit(engine: str, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    for number in range(200):
        stream.begin().insert(ITEM, item(number))
    path = put(tmp_path, stream)
    assert len(listed(path, engine, spec="db2_log").rows) == 200
    found = listed(path, engine, spec="db2_log", limits="heldBytes=20K")
    assert [error.split("[")[-1] for error in found.errors] == ["LMP-L004]"]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_tables_have_the_names_that_changes_have(engine: str, tmp_path: Path) -> None:
    """A table that was dropped is another one than the table with its ids now, which the tables file names."""
    stream = Stream("v10", "little", "filter")
    insert(stream, FIRST, 1)
    unit = stream.begin()
    replaced(unit)
    unit.commit()
    insert(stream, SECOND, 2)
    options = {"engine": engine, "tables": tables_file(tmp_path, SECOND)}
    changes = read(tmp_path, stream, include="all", **options).rows
    names = [".".join(filter(None, (row["schema_name"], row["table_name"]))) for row in changes]
    rows = listed(tmp_path / "x.log", **options).rows
    counts = {(table, op): number for row in rows for table, ops in row["tables"].items() for op, number in ops.items()}
    assert counts == Counter(zip(names, (row["op"] for row in changes), strict=True))
    assert {(name, row["op"]) for name, row in zip(names, changes, strict=True)} >= {("2.6", "I"), ("PROD.B", "I")}
