"""Db2 for LUW units of work: what compensations take back, tables as a whole, missing rows, rows that moved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, item, read
from writers.db2 import ddl, dms, dom, rows, utility
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.header import PROPAGATABLE, SINGULAR_TRANSACTION
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import Rid, Server

from lmparse import cli
from lmparse.db2.summaries import transaction_summaries

ABOUT = dom.DomObject(ITEM.id)
HERE = Place(Rid(0x340, 1), 100, 50)
THERE = Place(Rid(0x340, 2), 200, 50)


def begun(generation: Any = "v10", byte_order: Any = "little", framing: Any = "filter") -> Stream:
    """A log that begins with the description of ITEM."""
    stream = Stream(generation, byte_order, framing)
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.commit()
    return stream


class Raw:
    """Records of rows at places of the caller's choice, with what undoes them."""

    def __init__(self, stream: Stream, unit: Any = None) -> None:
        self.stream, self.unit = stream, unit or stream.begin("BOB")
        self.server = stream.server
        self._before: dict[int, int] = {}
        self.last = 0

    def image(self, number: int, name: str | None = None, **options: Any) -> bytes:
        return rows.formatted(self.server, ITEM.columns, item(number, name), **options)

    def put(self, kind: str, type_name: str, body: bytes, **options: Any) -> int:
        before = self.last
        self.last = self.unit.record(kind, type_name, body, **options)
        self._before[self.last] = before
        return self.last

    def insert(self, number: int, place: Place = HERE, name: str | None = None, **options: Any) -> int:
        body = dms.insert(self.server, ITEM.id, place, self.image(number, name), **options)
        return self.put("insert", "normal", body)

    def delete(self, number: int, place: Place = HERE, name: str | None = None, **options: Any) -> int:
        body = dms.delete(self.server, ITEM.id, place, self.image(number, name), **options)
        return self.put("delete", "normal", body)

    def update(self, old: bytes, new: bytes, place: Place = HERE, **options: Any) -> int:
        return self.put("update", "normal", dms.update(self.server, ITEM.id, place, old, new, **options))

    def many(self, numbers: list[int]) -> tuple[int, list[tuple[Place, bytes]]]:
        entries = [(Place(Rid(0x350, at), 100 * at), self.image(number)) for at, number in enumerate(numbers)]
        return self.put("many", "normal", dms.insert_multiple(self.server, ITEM.id, entries)), entries

    def undo(self, kind: str, body: bytes, position: int) -> int:
        before = self._before[position]
        return self.put(kind, "compensation", body, prior=before, compensated=position)

    def undo_insert(self, position: int, place: Place = HERE) -> int:
        return self.undo("undo_insert", dms.undo_insert(self.server, ITEM.id, place, 20), position)

    def undo_delete(self, position: int, number: int, place: Place = HERE) -> int:
        return self.undo("undo_delete", dms.undo_delete(self.server, ITEM.id, place, self.image(number)), position)


# compensation


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.SOME_FORMS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_place_that_is_used_again_and_again(
    which: int, generation: Any, byte_order: Any, framing: Any, tmp_path: Path
) -> None:
    """Three rows stand in one place in turn; a savepoint takes the inserts back from the last on."""
    raw = Raw(begun(generation, byte_order, framing))
    inserts, deletes = [], []
    for number in range(3):
        inserts.append(raw.insert(number))
        if number < 2:
            deletes.append(raw.delete(number))
    kept = [("I", 0), ("D", 0), ("I", 1), ("D", 1), ("I", 2)]
    raw.undo_insert(inserts[2])
    del kept[4]
    for number in range(which):
        raw.undo_delete(deletes[1 - number], 1 - number)
        raw.undo_insert(inserts[1 - number])
        del kept[-2:]
    raw.unit.commit()
    found = read(tmp_path, raw.stream, operations="I,D", generation=generation)
    assert [(row["op"], (row["after"] or row["before"])["C1"]) for row in found.rows] == kept
    assert found.codes == []
    assert found.notes == ([] if generation == "v10" or framing != "bare" else found.notes[:1])


@pytest.mark.parametrize("named", [2, -1, 1 << 20], ids=["in front of the log", "in no record", "behind it"])
@pytest.mark.parametrize(
    ("generation", "framing"),
    [("v7", "filter"), ("v7", "lsn8"), ("v9.7", "filter"), ("v9.7", "lsn8"), ("v10", "filter")],
)
def test_compensation_of_another_change_of_the_row(named: int, generation: Any, framing: Any, tmp_path: Path) -> None:
    """Where records state their addresses, no other change of the row is taken for the one that is named."""
    stream = begun(generation, "little", framing)
    raw = Raw(stream)
    position = raw.insert(1)
    body = dms.undo_insert(stream.server, ITEM.id, HERE, 20)
    raw.put("undo_insert", "compensation", body, prior=1, compensated=named if named == 2 else position + named)
    raw.unit.commit()
    found = read(tmp_path, stream, operations="I", generation=generation)
    assert found.values() == [(1, None)]
    assert found.has_note("1 x compensations of changes that are not in the log at hand")


@pytest.mark.parametrize("byte_order", ["little", "big"])
@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_compensation_of_another_kind(generation: Any, byte_order: Any, tmp_path: Path, capsys: Any) -> None:
    stream = begun(generation, byte_order, "filter")
    raw = Raw(stream)
    insert = raw.insert(1)
    delete = raw.delete(1)
    body = dms.undo_delete(stream.server, ITEM.id, HERE, raw.image(1))
    raw.undo("undo_delete", body, insert)
    number = len(stream.records) - 1
    raw.unit.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 20
    said = capsys.readouterr().err
    assert f"record {number} at {stream.records[number].offset:#x}" in said
    assert "LMP-R008" in said
    assert "delete_record" in said
    assert "insert_record" in said
    assert f"LSN {stream.records[number].lsn:016X}, transaction {raw.unit.tid.hex().upper()}" in said
    assert delete


def test_compensation_of_what_was_taken_back_before(tmp_path: Path) -> None:
    stream = begun()
    raw = Raw(stream)
    position = raw.insert(1)
    raw.undo_insert(position)
    raw.undo_insert(position)
    raw.unit.commit()
    found = read(tmp_path, stream, operations="I")
    assert found.codes == ["LMP-R008"]
    assert found.rows == []


def test_compensation_of_several_rows_that_names_another_change(tmp_path: Path) -> None:
    """It is an error; the rows that it takes back are those that it has, all of them."""
    raw = Raw(begun())
    named = raw.insert(9)
    _, entries = raw.many([1, 2])
    body = dms.undo_insert_multiple(raw.server, ITEM.id, entries)
    raw.put("undo_many", "compensation", body, prior=1, compensated=named)
    raw.unit.commit()
    found = read(tmp_path, raw.stream, operations="I")
    assert (found.codes, found.values()) == (["LMP-R008"], [(9, None)])


def test_compensation_of_added_columns_that_names_a_row(tmp_path: Path) -> None:
    """It is an error; behind it the table has the columns of before."""
    raw, wider = Raw(begun()), (*ITEM.columns, Column("MORE", "DATE"))
    named = raw.insert(1)
    bodies = [dms.add_columns(raw.server, ITEM.id, ITEM.columns, wider, undo=undo) for undo in (False, True)]
    raw.put("add_columns", "normal", bodies[0])
    raw.put("undo_add_columns", "compensation", bodies[1], prior=1, compensated=named)
    raw.insert(2)
    raw.unit.commit()
    found = read(tmp_path, raw.stream, operations="I")
    assert (found.codes, found.values()) == (["LMP-R008"], [(1, None), (2, None)])


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
@pytest.mark.parametrize("framing", ["bare", "filter"])
def test_creation_that_is_taken_back_takes_its_rows_along(
    framing: Any, generation: Any, byte_order: Any, tmp_path: Path
) -> None:
    other = Table(3, 6, "OTHER", ITEM.columns)
    stream = Stream(generation, byte_order, framing)
    unit = stream.begin()
    unit.create_table(other)
    unit.initialize(other)
    unit.insert(other, item(5))
    mark = unit.mark()
    unit.create_table(ITEM)
    unit.initialize(ITEM, flags=dms.NOT_LOGGED_INITIALLY)
    unit.insert(ITEM, item(1))
    unit.insert(other, item(6))
    # What undoes the creation stands for the rows of the table as well.
    steps = unit._steps
    steps[-2].undo_kind = None
    unit.rollback_to(mark)
    unit.commit()
    found = read(tmp_path, stream, generation=generation, order="commit")
    assert luw.shown(found.rows) == luw.expected(stream)
    assert found.values() == [(5, None)]
    assert not found.has_note("rows missing")


@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_everything_else_that_a_savepoint_takes_back(generation: Any, tmp_path: Path) -> None:
    stream = begun(generation, "big", "bare")
    unit = stream.begin()
    unit.insert(ITEM, item(1))
    mark = unit.mark()
    wider = unit.add_columns(ITEM, Column("MORE", "DATE"))
    unit.insert(wider, {**item(2), "MORE": "2026-03-14"})
    unit.alter_attribute(ITEM, dms.PROPAGATION | dms.APPEND_MODE, dms.PROPAGATION)
    unit.statement(ITEM, "alter table")
    unit.drop_table(ITEM)
    unit.rollback_to(mark)
    unit.insert(ITEM, item(3))
    unit.commit()
    found = read(tmp_path, stream, generation=generation, order="commit")
    assert luw.shown(found.rows) == luw.expected(stream)
    assert found.values() == [(1, None), (3, None)]
    assert found.log.left_out == {"rolled-back": 5}


# tables as a whole


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
def test_objects_say_what_they_are(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = Stream(generation, byte_order, "lsn8")
    unit, server = stream.begin(), stream.server
    unit.create_table(ITEM)
    unit.initialize(ITEM)
    unit.record("create_index", "undo", dom.create_index(server, ABOUT, 3, 77))
    unit.record("drop_index", "undo", dom.drop_index(server, ABOUT, 3, 77))
    unit.record("reorg", "normal", dom.reorg_table(server, ABOUT, index_token=4, temporary_tablespace_id=9))
    unit.alter_attribute(ITEM, dms.PROPAGATION | dms.APPEND_MODE | 1 << 27, dms.PROPAGATION)
    text = "alter table item add column näme date".encode()
    unit.record("ddl", "normal", ddl.statement(server, ITEM.id, text, text_left=5, entries=[(1, b"ab")]))
    unit.add_columns(ITEM, Column("D", "DECIMAL(9,2)", nullable=False))
    unit.drop_table(ITEM)
    if generation != "v7":
        unit.record("row_version", "normal", bytes([1, 171]) + server.u16(3) + server.u16(5))
    unit.commit()
    found = read(tmp_path, stream)
    assert found.codes == []
    assert {row["op"] for row in found.rows} == {"O"}
    details = [row["detail"] for row in found.rows]
    assert [detail["kind"].partition(".")[2] for detail in details] == [
        "create_table", "initialize_table", "create_index", "drop_index", "reorg_table", "alter_table_attribute",
        "ddl_statement", "add_columns", "drop_table", *([] if generation == "v7" else ["change_row_version"]),
    ]  # fmt: skip
    columns = [
        {"name": "C1", "type": "INTEGER", "nullable": False},
        {"name": "C2", "type": "VARCHAR(20)", "nullable": True},
    ]
    assert details[1]["columns"] == columns
    assert (details[2]["index_token"], details[2]["index_root_page"]) == (3, 77)
    assert details[4]["index_token"] == 4
    assert details[5]["attributes"] == {"propagation": True, "append_mode": False, "bit_0x8000000": False}
    assert (details[6]["text"], details[6]["ddl_text_left"]) == (text.decode(), 5)
    assert details[6]["default_schema"] == "ab"
    assert details[7]["columns"] == [*columns, {"name": "C3", "type": "DECIMAL(9,2)", "nullable": False}]
    json.dumps(found.rows)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_tables_that_are_not_captured(engine: str, generation: Any, byte_order: Any, tmp_path: Path) -> None:
    """Read without the filter, a log has changes of them: an update only has where the rows differ."""
    stream = begun(generation, byte_order, "lsn8")
    raw = Raw(stream)
    raw.insert(1)
    raw.put("insert", "normal", dms.insert(stream.server, ITEM.id, THERE, raw.image(2)), flags=0)
    update = dms.update(stream.server, ITEM.id, HERE, raw.image(1), raw.image(3))
    raw.put("update", "normal", update[:30], flags=0)
    raw.put("delete", "normal", dms.delete(stream.server, ITEM.id, THERE, raw.image(2)), flags=0)
    raw.unit.commit()
    found = read(tmp_path, stream, operations="I,U,D", generation=generation, engine=engine)
    assert found.values() == [(1, None)]
    assert found.codes == []
    assert found.has_note("3 x changes of rows that are not for propagation (tables without DATA CAPTURE CHANGES)")


# rows that are missing


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
def test_created_not_logged_initially(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = Stream(generation, byte_order, "lsn8")
    unit = stream.begin()
    unit.initialize(ITEM, flags=dms.NOT_LOGGED_INITIALLY)
    unit.commit()
    after = stream.begin()
    after.insert(ITEM, item(1))
    after.commit()
    found = read(tmp_path, stream)
    assert [row["op"] for row in found.rows] == ["O", "S", "I"]
    gap = {"gap": "the table was created NOT LOGGED INITIALLY", "rows_missing_until": "the transaction commits"}
    assert found.rows[1]["detail"] == gap
    assert found.rows[0]["seq"] < found.rows[1]["seq"] < found.rows[2]["seq"]
    assert found.rows[2]["detail"] is None, "all is logged from the commit on"
    first = stream.records[0]
    assert found.notes == [
        f"rows missing from here: table 3.5, record 0 at {first.offset:#x}: {gap['gap']}, until the transaction commits"
    ]


def test_propagation_that_is_switched_off_lasts(tmp_path: Path) -> None:
    stream = begun("v9.7", "little", "lsn8")
    for mask, values in ((dms.PROPAGATION, 0), (dms.PROPAGATION, dms.PROPAGATION), (dms.APPEND_MODE, 0)):
        unit = stream.begin()
        unit.alter_attribute(ITEM, mask, values)
        unit.commit()
    after = stream.begin()
    after.insert(ITEM, item(1))
    after.commit()
    found = read(tmp_path, stream)
    assert found.ops() == ["S", "I"]
    gap = "propagation was switched off"
    assert found.rows[2]["detail"] == {"gap": gap, "rows_missing_until": "the table is copied anew"}
    assert found.rows[-1]["detail"] == {"gap": gap}
    assert found.rows[-1]["after"] == {"C1": 1, "C2": None}
    assert [note for note in found.notes if "rows missing from here" in note and gap in note]


@pytest.mark.parametrize("ends", ["commit", "abort"])
def test_a_load_is_what_it_is_at_once(ends: str, tmp_path: Path) -> None:
    stream = begun("v10", "big", "filter")
    unit = stream.begin()
    body = utility.load_start(stream.server, 1, ITEM.tablespace_id, ITEM.table_id, flag=2, pools=b"\1\2\3")
    unit.record("load_start", "load_start", body)
    unit.insert(ITEM, item(1))
    getattr(unit, ends)()
    other = stream.begin()
    other.insert(ITEM, item(2))
    other.update(ITEM, item(2), item(3))
    other.delete(ITEM, item(3))
    other.commit()
    found = read(tmp_path, stream)
    rows = [row for row in found.rows if row["op"] in "IUD"]
    assert len(rows) == 3 + (ends == "commit")
    assert all(row["detail"] == {"gap": "a load began"} for row in rows)
    assert [row["op"] for row in found.rows][:3] == ["O", "O", "S"]
    assert found.rows[1]["detail"]["kind"] == "db2_utility.load_start"
    assert found.rows[2]["detail"] == {"gap": "a load began", "rows_missing_until": "the table is copied anew"}
    assert found.has_note("rows missing from here: table 3.5, record 2")
    again = stream.begin()
    again.truncate(ITEM)
    again.commit()
    last = stream.begin()
    last.insert(ITEM, item(4))
    last.commit()
    assert read(tmp_path, stream).rows[-1]["detail"] is None


def test_a_load_behind_a_truncate_of_its_transaction(tmp_path: Path) -> None:
    """LOAD REPLACE empties the table and then loads: the emptying does not end the gap of the load."""
    stream = begun()
    load = stream.begin()
    load.truncate(ITEM)
    load.record("load_start", "load_start", utility.load_start(stream.server, 1, 3, 5))
    load.commit()
    after = stream.begin()
    after.insert(ITEM, item(1))
    after.commit()
    assert read(tmp_path, stream, operations="I").rows[0]["detail"] == {"gap": "a load began"}


# rows that moved


@pytest.mark.parametrize(("generation", "byte_order"), [form for form in luw.FORMS if form[0] != "v7"])
def test_both_halves_of_an_update_are_one(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = begun(generation, byte_order, "lsn8")
    unit = stream.begin()
    unit.insert(ITEM, item(1))
    unit.delete(ITEM, item(1), flags=dms.DECOMPOSED_UPDATE)
    unit.insert(ITEM, item(2, "moved"), flags=dms.DECOMPOSED_UPDATE)
    unit.delete(ITEM, item(2, "moved"), flags=dms.DECOMPOSED_UPDATE)
    unit.insert(ITEM, item(3), flags=dms.DECOMPOSED_UPDATE)
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert [(row["op"], row["before"], row["after"], row["detail"]) for row in found.rows] == [
        ("I", None, {"C1": 1, "C2": None}, None),
        ("U", {"C1": 1, "C2": None}, {"C1": 2, "C2": "moved"}, {"moved": True}),
        ("U", {"C1": 2, "C2": "moved"}, {"C1": 3, "C2": None}, {"moved": True}),
    ]
    assert found.rows[1]["_metadata"]["record_index"] == 4, "where the new row stands"


SPLITS = {
    "delete alone": ([("D", 1)], "D"),
    "insert alone": ([("I", 1)], "I"),
    "insert first": ([("I", 1), ("D", 2)], "ID"),
    "two deletes, one insert": ([("D", 1), ("D", 2), ("I", 3)], "DDI"),
    "one delete, two inserts": ([("D", 1), ("I", 2), ("I", 3)], "UI"),
}


@pytest.mark.parametrize("name", SPLITS)
def test_halves_that_are_no_pair_stay_as_they_are(name: str, tmp_path: Path) -> None:
    stream = begun()
    raw = Raw(stream)
    steps, ops = SPLITS[name]
    for op, number in steps:
        write = raw.delete if op == "D" else raw.insert
        write(number, Place(Rid(0x340, number)), flags=dms.DECOMPOSED_UPDATE)
    raw.unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert "".join(row["op"] for row in found.rows) == ops
    assert all(row["detail"] == {"moved": True} for row in found.rows)


@pytest.mark.parametrize("is_last", [True, False])
def test_a_half_that_is_taken_back_is_no_half(is_last: bool, tmp_path: Path) -> None:
    stream = begun()
    unit = stream.begin()
    unit.delete(ITEM, item(1), flags=dms.DECOMPOSED_UPDATE)
    mark = unit.mark()
    unit.insert(ITEM, item(2), flags=dms.DECOMPOSED_UPDATE)
    unit.rollback_to(mark)
    if not is_last:
        unit.insert(ITEM, item(3), flags=dms.DECOMPOSED_UPDATE)
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert found.ops() == (["D"] if is_last else ["U"])
    assert found.rows[0]["before"]["C1"] == 1
    everything = read(tmp_path, stream, operations="I,U,D", include="all")
    assert len(everything.rows) == len(found.rows) + 1


POINTER, MOVED_HERE = 0x02, 0x04


def pointer(server: Server) -> bytes:
    """What a moved row leaves in its old place: an outer record that is no row, with the new place in it."""
    place = server.rid(THERE.rid)
    return bytes([POINTER, 0]) + server.u16(8 + len(place)) + bytes(4) + place


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
def test_an_update_that_leaves_a_pointer(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    """The row as it became is in the insert before the update, the row as it was in the update."""
    stream = begun(generation, byte_order, "lsn8")
    unit, server = stream.begin(), stream.server
    before = rows.formatted(server, ITEM.columns, item(1))
    after = rows.formatted(server, ITEM.columns, item(1, "moved"), outer_type=MOVED_HERE)
    unit.record("insert", "normal", dms.insert(server, ITEM.id, THERE, after))
    unit.record("update", "normal", dms.update(server, ITEM.id, Place(Rid(0x340, 1)), before, pointer(server)))
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert [(row["op"], row["before"], row["after"]) for row in found.rows] == [
        ("U", {"C1": 1, "C2": None}, {"C1": 1, "C2": "moved"})
    ]
    assert found.rows[0]["detail"] == {"moved": True}
    assert found.codes == []


def test_only_an_update_leaves_a_pointer(tmp_path: Path) -> None:
    raw = Raw(begun())
    raw.insert(1, THERE)
    raw.put("insert", "normal", dms.insert(raw.server, ITEM.id, HERE, pointer(raw.server)))
    raw.unit.commit()
    assert [(row["op"], row["detail"]) for row in read(tmp_path, raw.stream, operations="I,U").rows] == [("I", None)]


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
@pytest.mark.parametrize("comes_back", [False, True])
@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_row_that_moves_again(
    engine: str, generation: Any, byte_order: Any, tmp_path: Path, *, comes_back: bool
) -> None:
    """What is deleted is the row in the place that it leaves, and no row of the table."""
    stream = begun(generation, byte_order, "lsn8")
    unit, server, home = stream.begin(), stream.server, Place(Rid(0x340, 1))
    elsewhere, again = (
        rows.formatted(server, ITEM.columns, item(1, name), outer_type=MOVED_HERE) for name in ("elsewhere", "again")
    )
    if comes_back:
        new = rows.formatted(server, ITEM.columns, item(1, "back"))
    else:
        new = pointer(server)
        unit.record("insert", "normal", dms.insert(server, ITEM.id, Place(Rid(0x340, 3)), again))
    unit.record("update", "normal", dms.update(server, ITEM.id, home, pointer(server), new))
    unit.record("delete", "normal", dms.delete(server, ITEM.id, THERE, elsewhere))
    unit.delete(ITEM, item(2))
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D", generation=generation, engine=engine)
    assert [(row["op"], row["before"], row["after"], row["detail"]) for row in found.rows] == [
        ("U", {"C1": 1, "C2": "elsewhere"}, {"C1": 1, "C2": "back" if comes_back else "again"}, {"moved": True}),
        ("D", {"C1": 2, "C2": None}, None, None),
    ]
    assert found.codes == []


def test_a_moved_row_that_is_deleted(tmp_path: Path) -> None:
    stream = begun()
    unit, server = stream.begin(), stream.server
    moved = rows.formatted(server, ITEM.columns, item(1, "elsewhere"), outer_type=MOVED_HERE)
    unit.record("delete", "normal", dms.delete(server, ITEM.id, Place(Rid(0x340, 1)), pointer(server)))
    unit.record("delete", "normal", dms.delete(server, ITEM.id, THERE, moved))
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert [(row["op"], row["before"]) for row in found.rows] == [("D", {"C1": 1, "C2": "elsewhere"})]


def test_a_pointer_without_the_row_that_it_points_to(tmp_path: Path) -> None:
    """The new row is not made up: what is known of the change is kept, and what is not is said."""
    stream = begun()
    unit, server = stream.begin(), stream.server
    before = rows.formatted(server, ITEM.columns, item(1))
    unit.record("update", "normal", dms.update(server, ITEM.id, THERE, before, pointer(server)))
    unit.insert(ITEM, item(2))
    unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert [(row["op"], row["before"], row["after"]) for row in found.rows] == [
        ("U", {"C1": 1, "C2": None}, None),
        ("I", None, {"C1": 2, "C2": None}),
    ]


@pytest.mark.parametrize("op", ["insert", "delete"])
def test_internal_records_are_no_rows(op: str, tmp_path: Path) -> None:
    stream = begun()
    raw = Raw(stream)
    image = raw.image(1, outer_type=8)
    raw.put(op, "normal", getattr(dms, op)(stream.server, ITEM.id, HERE, image))
    raw.insert(2)
    raw.unit.commit()
    found = read(tmp_path, stream, operations="I,U,D")
    assert found.values() == [(2, None)]
    assert found.log.left_out == {"internal records that are not rows": 1}
    assert found.codes == []


# singular transactions


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS[::2] + luw.FORMS[-1:])
def test_a_singular_record_commits_at_once(generation: Any, byte_order: Any, tmp_path: Path) -> None:
    stream = begun(generation, byte_order, "lsn8")
    raw = Raw(stream)
    body = dms.insert(stream.server, ITEM.id, HERE, raw.image(1))
    raw.put("insert", "normal", body, flags=PROPAGATABLE | SINGULAR_TRANSACTION)
    single = stream.records[-1]
    other = stream.begin()
    other.insert(ITEM, item(2))
    other.abort()
    found = read(tmp_path, stream, operations="I")
    assert found.values() == [(1, None)]
    seq = found.rows[0]["seq"]
    assert seq[:32] == seq[32:64], "its own position is that of its commit"
    assert seq[16:32] == f"{single.lsn:016X}"
    assert (found.rows[0]["uor_disp"], found.rows[0]["commit_ts"]) == ("C", None)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_singular_record_in_a_transaction_with_changes(engine: str, tmp_path: Path) -> None:
    """Whether it commits them, nothing tells: they have no end, and the record is said."""
    raw = Raw(begun())
    raw.insert(1)
    body = dms.insert(raw.stream.server, ITEM.id, THERE, raw.image(2))
    raw.put("insert", "normal", body, flags=PROPAGATABLE | SINGULAR_TRANSACTION)
    found = read(tmp_path, raw.stream, operations="I", include="all", engine=engine)
    assert [(row["after"]["C1"], row["uor_disp"]) for row in found.rows] == [(1, None), (2, None)]
    assert found.codes == ["LMP-R008"]
    units = list(transaction_summaries(found.log))
    assert [(unit.disposition, unit.complete, unit.records) for unit in units[1:]] == [("open", False, 2)]


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.SOME_FORMS)
@pytest.mark.parametrize("end", ["commit", "abort", "singular"])
def test_an_end_without_records_before_it_is_of_another_transaction(
    end: str, generation: Any, byte_order: Any, framing: Any, tmp_path: Path
) -> None:
    """The end of the first transaction is lost; another one has its identifier, and one record only."""
    stream = begun(generation, byte_order, framing)
    lost = stream.begin("ALICE")
    lost.insert(ITEM, item(1))
    other = stream.begin("BOB", singular=end == "singular")
    other.tid = lost.tid
    if end == "singular":
        other.insert(ITEM, item(2))
    else:
        other.commit() if end == "commit" else other.abort()
    committed = read(tmp_path, stream, generation=generation, operations="I")
    assert [row["after"]["C1"] for row in committed.rows] == [2] * (end == "singular")
    assert committed.log.left_out["open"] == 1
    assert committed.has_note("whose identifier is used again")
    opened = read(tmp_path, stream, generation=generation, operations="I", include="open")
    assert [(row["after"]["C1"], row["auth_id"]) for row in opened.rows] == [(1, None)]
