"""Db2 for LUW values out of their row: put together from their pieces, or null with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from engines import changes
from samples import db2_scripts as luw
from samples.db2_scripts import DOC, ITEM, PAIR, read
from writers.db2 import dms, lob, rows, xml
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.lob import CONSOLIDATED, LobObject
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External, OutOfRow
from writers.db2.wire import Rid

LOB, NOT_LOGGED = "BODY", "not logged: {} bytes of a NOT LOGGED column"
PLACE = Place(Rid(0x340, 7), 100, 50)
XDOC = Table(2, 11, "XDOC", (Column("ID", "INTEGER", nullable=False), Column("X", "XML"), Column("B", "CLOB(1M)")))
WIDE = Table(
    2,
    12,
    "WIDE",
    (
        Column("ID", "INTEGER", nullable=False),
        Column("A", "VARCHAR(20000)"),
        Column("B", "VARCHAR(20000)", nullable=False),
        Column("C", "VARBINARY(20000)"),
    ),
)
OLDER = [("v7", "little"), ("v7", "big"), ("v9.7", "little"), ("v9.7", "big")]


class Script:
    """One transaction after another on a table, piece by piece; begins with the description of the table."""

    def __init__(self, table: Table, generation: Any = "v10", byte_order: Any = "little", **options: Any) -> None:
        framing = "filter" if generation == "v10" else "lsn8"
        self.stream = Stream(generation, byte_order, framing, **options)
        self.server, self.table = self.stream.server, table
        self.is_v10 = generation == "v10"
        unit = self.stream.begin("ALICE")
        unit.initialize(table)
        unit.commit()
        self.unit = self.stream.begin("BOB")
        self.last = 0

    def next(self, ends: str = "commit") -> None:
        """End the transaction; another one begins."""
        getattr(self.unit, ends)()
        self.unit = self.stream.begin("BOB")

    def piece(
        self, data: bytes | int, address: int, column: int = 1, *, about: LobObject | None = None, **options: Any
    ) -> None:
        """A piece of a value, or the amount alone."""
        about = about or LobObject(self.table.id, self.table.id)
        form = {"address_form": self.stream.address_form}
        if self.is_v10 and isinstance(data, bytes):
            body = lob.add_data(self.server, about, data, address, column, **options)
        elif self.is_v10:
            body = lob.add_amount(self.server, about, data, address, column, **options)
        elif isinstance(data, bytes):
            body = lob.afim_data(self.server, about, data, address, **form, **options)
        else:
            body = lob.afim_amount(self.server, about, data, address, **form, **options)
        self.unit.record("piece", "normal", body)

    def image(self, **row: Any) -> bytes:
        whole = {column.name: row.get(column.name) for column in self.table.columns}
        return rows.formatted(self.server, self.table.columns, whole)

    def insert(self, place: Place = PLACE, **row: Any) -> int:
        self.last = self.unit.record(
            "insert", "normal", dms.insert(self.server, self.table.id, place, self.image(**row))
        )
        return self.last

    def update(self, old: dict[str, Any], new: dict[str, Any], place: Place = PLACE) -> int:
        body = dms.update(self.server, self.table.id, place, self.image(**old), self.image(**new))
        self.last = self.unit.record("update", "normal", body)
        return self.last

    def delete(self, place: Place = PLACE, **row: Any) -> int:
        self.last = self.unit.record(
            "delete", "normal", dms.delete(self.server, self.table.id, place, self.image(**row))
        )
        return self.last

    def undo_insert(self, position: int, place: Place = PLACE) -> None:
        body = dms.undo_insert(self.server, self.table.id, place, 20)
        self.unit.record("undo_insert", "compensation", body, prior=0, compensated=position)

    def read(self, folder: Path, **options: Any) -> luw.Read:
        self.unit.commit()
        return read(folder, self.stream, operations="I,U,D", tables=luw.tables_file(folder, self.table), **options)


OUT = External()


def absent(found: luw.Read, which: int = -1) -> dict[str, str]:
    """The reasons of the values that a row lacks."""
    detail = found.rows[which]["detail"]
    reasons: dict[str, str] = detail["absent"] if detail else {}
    return reasons


# version 10: pieces name their column


@pytest.mark.parametrize("size", [32767, 32768, 32769, 100_000])
@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_a_value_in_pieces(byte_order: Any, size: int, tmp_path: Path) -> None:
    script = Stream("v10", byte_order, "filter")
    unit = script.begin()
    unit.initialize(DOC)
    text = ("ä" + "0123456789" * 10_000)[:size]
    unit.insert(DOC, {"ID": 1}, lobs={"BODY": text})
    unit.commit()
    pieces = [record for record in script.records if record.kind == "lob_add_data"]
    assert len(pieces) == -(-len(text.encode()) // 32768)
    found = read(tmp_path, script, operations="I")
    assert found.values() == [(1, text)]
    assert found.rows[0]["detail"] is None


def test_a_missing_piece(tmp_path: Path) -> None:
    for first, second in (((b"ab", 0), (b"cd", 3)), ((b"ab", 0), (b"cd", 1)), ((b"ab", 0), (b"ab", 0))):
        script = Script(DOC)
        script.piece(*first)
        script.piece(*second)
        script.insert(ID=1, BODY=OUT)
        found = script.read(tmp_path)
        assert found.values() == [(1, None)]
        what = "are missing" if second[1] > 2 else "overlap, or are there twice"
        assert absent(found) == {"after.BODY": f"pieces {what}: one ends at 2, the next begins at {second[1]}"}


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize(("generation", "length"), [("v7", 32), ("v9.7", 36)])
@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_damaged_piece_behind_the_rows_of_an_open_transaction(
    engine: str, generation: Any, length: int, tmp_path: Path, *, is_last: bool
) -> None:
    """Records name no row: it may be of any row of the transaction, which has not ended."""
    script = Script(DOC, generation, "big")
    script.piece(b"whole", 0)
    script.insert(ID=1, BODY=OUT)
    script.piece(b"lost", 5)
    number = luw.number_of(script.stream, "piece", 1)
    if not is_last:
        script.stream.begin("CAROL").commit()
    path = tmp_path / "x.log"
    path.write_bytes(luw.patched(script.stream, number, length, b"\xff"))
    form = {"generation": generation, "byte_order": "big", "framing": "lsn8"}
    found = changes(path, engine, spec="db2_log", include="all", **form)
    assert [error["code"] for error in found.errors] == ["LMP-R001"]
    (detail,) = (row["detail"] for table in found.tables.values() for row in table.to_pylist() if row["op"] == "I")
    assert json.loads(detail)["absent"] == {"after.C2": "a damaged record is where a piece of it may have been"}


@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_a_column_that_is_not_logged(generation: Any, tmp_path: Path) -> None:
    script = Script(DOC, generation, "big")
    script.piece(70_000, 1024)
    script.insert(ID=1, BODY=OUT)
    found = script.read(tmp_path)
    assert found.values() == [(1, None)]
    assert absent(found) == {"after.BODY": NOT_LOGGED.format(70_000)}


def test_values_without_a_row_are_counted(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"lost", 0)
    found = script.read(tmp_path)
    assert found.rows == []
    assert found.has_note("1 x LOB values without a row")


def test_the_table_is_the_parent_of_the_object(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"text", 0, about=LobObject(ITEM.id, DOC.id))
    script.piece(b"other", 0, about=LobObject(DOC.id, ITEM.id))
    script.insert(ID=1, BODY=OUT)
    assert script.read(tmp_path).values() == [(1, "text")]


def test_rows_of_one_record_cannot_be_told_apart(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"text", 0)
    entries = [(Place(Rid(0x340, at)), script.image(ID=at, BODY=OUT)) for at in (1, 2)]
    script.unit.record("many", "normal", dms.insert_multiple(script.server, DOC.id, entries))
    found = script.read(tmp_path)
    assert found.values() == [(1, None), (2, None)]
    assert "several rows" in absent(found, 0)["after.BODY"]


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_the_one_row_of_a_record_that_needs_a_value_has_it(engine: str, tmp_path: Path) -> None:
    for others in ([], [None], [None, "in the row"]):
        script = Script(DOC)
        script.piece(b"text", 0)
        bodies = [*others, OUT]
        entries = [(Place(Rid(0x340, at)), script.image(ID=at, BODY=body)) for at, body in enumerate(bodies)]
        script.unit.record("many", "normal", dms.insert_multiple(script.server, DOC.id, entries))
        found = script.read(tmp_path, engine=engine)
        assert found.values() == [*enumerate(others), (len(others), "text")]
        assert not any(row["detail"] for row in found.rows)


# appended data


def test_a_value_that_is_appended_to(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"one", 1024)
    script.insert(ID=1, BODY=OUT)
    script.next()
    script.piece(b" two", 1027)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 1, "BODY": OUT})
    script.piece(b" three", 1031)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    script.next()
    script.piece(b"new", 8192)
    script.update({"ID": 2, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    script.piece(b"er", 8195)
    script.update({"ID": 2, "BODY": OUT}, {"ID": 3, "BODY": OUT})
    found = script.read(tmp_path)
    assert found.values() == [(1, "one"), (1, "one two"), (2, "one two three"), (2, "new"), (3, "newer")]


APPENDED = "only what was appended is logged, and the value that it was appended to is not in the log"
EITHER = "it begins where the value before ends and where one may begin: nothing tells which it is"


@pytest.mark.parametrize("generation", ["v7", "v9.7"])
def test_an_older_value_that_is_appended_to(generation: Any, tmp_path: Path) -> None:
    """Beside a row that has no value."""
    script = Script(DOC, generation, "big")
    script.insert(Place(Rid(0x340, 8)), ID=7)
    script.piece(b"one", 1024)
    script.insert(ID=1, BODY=OUT)
    script.next()
    script.piece(b" two", 1027)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    found = script.read(tmp_path)
    assert found.values() == [(7, None), (1, "one"), (2, "one two")]
    assert absent(found) == {"before.BODY": "the value before is not logged"}


@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_a_piece_that_may_be_a_value_or_an_end_of_one(generation: Any, tmp_path: Path) -> None:
    """A value that fills its last segment ends where the next one may begin."""
    script = Script(DOC, generation)
    script.piece(b"x" * 1024, 1024)
    script.insert(ID=1, BODY=OUT)
    script.next()
    script.piece(b"more", 2048)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    found = script.read(tmp_path)
    assert found.values() == [(1, "x" * 1024), (2, None)]
    assert absent(found)["after.BODY"] == EITHER


@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_a_value_whose_beginning_is_not_in_the_log(generation: Any, tmp_path: Path) -> None:
    script = Script(DOC, generation)
    script.piece(b" end", 1030)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    found = script.read(tmp_path)
    assert found.values() == [(2, None)]
    assert absent(found)["after.BODY"] == APPENDED


def test_two_columns_are_appended_to_in_turn(tmp_path: Path) -> None:
    """A change of one of them leaves the value of the other as it was; a new row has neither."""
    script, row = Script(PAIR), {"ID": 1, "A": OUT, "B": OUT}
    script.piece(b"a", 0, 1)
    script.piece(b"\1", 0, 2)
    script.insert(**row)
    for number, (data, column) in enumerate(((b"b", 1), (b"\2", 2), (b"c", 1), (b"\3", 2))):
        script.piece(data, 1 + number // 2, column)
        script.update(row, row)
        script.next()
    script.piece(b"A", 0, 1)
    script.insert(**row)
    script.piece(b"\4", 3, 2)
    script.update(row, row)
    found = script.read(tmp_path)
    grown = [(1, "ab", None), (1, None, "0102"), (1, "abc", None), (1, None, "010203")]
    assert found.values() == [(1, "a", "01"), *grown, (1, "A", None), (1, None, None)]
    assert absent(found)["after.B"] == APPENDED


@pytest.mark.parametrize("compensates", [True, False])
def test_an_update_by_another_transaction_after_a_rollback(compensates: bool, tmp_path: Path) -> None:
    """What was rolled back is not gone on: a piece behind it stands for itself."""
    script = Script(DOC)
    script.piece(b"base", 1024)
    script.insert(ID=1, BODY=OUT)
    script.next()
    script.piece(b" lost", 1028)
    position = script.update({"ID": 1, "BODY": OUT}, {"ID": 1, "BODY": OUT})
    if compensates:
        body = dms.undo_update(script.server, DOC.id, PLACE, script.image(ID=1, BODY=OUT))
        script.unit.record("undo_update", "compensation", body, compensated=position)
    script.next("abort")
    script.piece(b" kept", 1028)
    script.update({"ID": 1, "BODY": OUT}, {"ID": 2, "BODY": OUT})
    found = script.read(tmp_path)
    assert found.values() == [(1, "base"), (2, "base kept")]
    everything = read(tmp_path, script.stream, include="all", operations="I,U")
    assert everything.values() == [(1, "base"), (1, "base lost"), (2, "base kept")]


def test_the_pieces_in_front_of_a_pointer_are_of_the_row_that_moved(tmp_path: Path) -> None:
    script = Script(DOC)
    there, server = Place(Rid(0x340, 8)), script.server
    moved = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": OUT}, outer_type=4)
    script.unit.record("insert", "normal", dms.insert(server, DOC.id, there, moved))
    script.piece(b"text", 1024)
    pointer = bytes([2, 0]) + server.u16(14) + bytes(4) + server.rid(there.rid)
    script.unit.record("update", "normal", dms.update(server, DOC.id, PLACE, script.image(ID=1), pointer))
    assert script.read(tmp_path).values() == [(1, "text")]


def test_pieces_of_a_row_that_was_taken_back_are_not_of_the_next(tmp_path: Path) -> None:
    script = Script(DOC)
    script.piece(b"lost", 0)
    script.undo_insert(script.insert(ID=1, BODY=OUT))
    script.insert(ID=2, BODY=OUT)
    found = script.read(tmp_path)
    assert found.values() == [(2, None)]
    assert absent(found) == {"after.BODY": "the value is not in the log"}


def test_pieces_of_another_transaction_are_not_taken(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(DOC)
    unit.commit()
    one, two = stream.begin(), stream.begin()
    about = LobObject(DOC.id, DOC.id)
    one.record("piece", "normal", lob.add_data(stream.server, about, b"one", 0, 1))
    two.record("piece", "normal", lob.add_data(stream.server, about, b"two", 3, 1))
    for number, part in ((2, two), (1, one)):
        image = rows.formatted(stream.server, DOC.columns, {"ID": number, "BODY": OUT})
        part.record("insert", "normal", dms.insert(stream.server, DOC.id, Place(Rid(1, number)), image))
    one.commit()
    two.commit()
    assert read(tmp_path, stream, operations="I").values() == [(2, "two"), (1, "one")]


# versions 7 and 9.7: pieces name neither column nor row


@pytest.mark.parametrize("address_form", ["double", "u64"])
@pytest.mark.parametrize(("generation", "byte_order"), OLDER)
@pytest.mark.parametrize("start", [0, 1024, 1 << 33])
def test_one_column_and_one_row(
    start: int, generation: Any, byte_order: Any, address_form: Any, tmp_path: Path
) -> None:
    script = Script(DOC, generation, byte_order, address_form=address_form)
    script.piece(b"one ", start)
    script.piece(b"value", start + 4)
    script.insert(ID=1, BODY=OUT)
    found = script.read(tmp_path)
    assert found.values() == [(1, "one value")]
    form = {"double": "IEEE number", "u64": "integer"}[address_form]
    said = [(entry.value, entry.evidence) for entry in found.log.decisions if entry.name == "LOB byte address"]
    assert said == [(form, f"fits {2 if start else 1} LOB records, the other form none of them")]


@pytest.mark.parametrize("generation", ["v7", "v9.7"])
def test_pieces_of_several_rows_are_of_none(generation: Any, tmp_path: Path) -> None:
    script = Script(DOC, generation, "little")
    for number in (1, 2):
        script.piece(b"text", 1024 * number)
        script.insert(Place(Rid(0x340, number)), ID=number, BODY=OUT)
    script.next()
    script.piece(b"alone", 9000)
    script.insert(Place(Rid(0x340, 3)), ID=3, BODY=OUT)
    script.insert(Place(Rid(0x340, 4)), ID=4, BODY=None)
    found = script.read(tmp_path)
    assert found.values() == [(1, None), (2, None), (3, "alone"), (4, None)]
    assert all("changed several rows with LOB values" in absent(found, which)["after.BODY"] for which in (0, 1))
    assert found.rows[2]["detail"] is None
    assert found.rows[3]["detail"] is None, "null, and said to be"


@pytest.mark.parametrize("generation", ["v7", "v9.7"])
def test_pieces_of_a_table_with_two_columns_are_of_none(generation: Any, tmp_path: Path) -> None:
    script = Script(PAIR, generation, "big")
    script.piece(b"text", 0)
    script.insert(ID=1, A=OUT, B=None)
    found = script.read(tmp_path)
    assert found.values() == [(1, None, None)]
    assert "several LOB columns" in absent(found)["after.A"]


# values in the row


# XML


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_documents_in_pieces(byte_order: Any, tmp_path: Path) -> None:
    text = "<?xml version='1.0'?><a>" + "å€" * 20_000 + "</a>"
    stream = Stream("v10", byte_order, "filter")
    unit = stream.begin()
    unit.initialize(XDOC)
    unit.insert(XDOC, {"ID": 1}, lobs={"X": text})
    unit.insert(XDOC, {"ID": 2, "X": None})
    unit.insert(XDOC, {"ID": 3, "X": OUT})
    unit.commit()
    found = read(tmp_path, stream, operations="I")
    assert found.values() == [(1, text, None), (2, None, None), (3, None, None)]
    assert [row["detail"] for row in found.rows[:2]] == [None, None]
    assert absent(found) == {"after.C2": "the value is not in the log"}


def test_a_document_is_utf_8_whatever_the_code_page(tmp_path: Path) -> None:
    script = Script(XDOC)
    about = LobObject(XDOC.id, XDOC.id)
    script.unit.record("xml", "information", xml.document(script.server, about, "<å/>".encode(), 1))
    script.insert(ID=1, X=OUT)
    assert script.read(tmp_path, code_page="850").values() == [(1, "<å/>", None)]


# varying values out of the row


def consolidated(script: Script, values: list[bytes], base: str) -> bytes:
    """The payload with offsets from the data, from their array, or from the start of the whole."""
    if base != "payload":
        return lob.consolidated(script.server, values, offset_base=base)  # type: ignore[arg-type]
    from_array = lob.consolidated(script.server, values, offset_base="array")
    end = 4 + 4 * (len(values) + 1)
    shifted = b""
    for place in range(4, end, 4):
        number = int.from_bytes(from_array[place : place + 4], script.server.byte_order)
        shifted += script.server.u32(number + 4)
    return from_array[:4] + shifted + from_array[end:]


@pytest.mark.parametrize("base", ["array", "data", "payload"])
@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_varying_values_together(byte_order: Any, base: str, tmp_path: Path) -> None:
    script = Script(WIDE, "v10", byte_order)
    payload = consolidated(script, [b"", "ä".encode() * 15_000, b"", b"\1" * 20_000], base)
    script.piece(payload[:32768], 4096, CONSOLIDATED)
    script.piece(payload[32768:], 4096 + 32768, CONSOLIDATED)
    script.insert(ID=1, A=OutOfRow(), B="here", C=OutOfRow())
    found = script.read(tmp_path)
    assert found.codes == []
    assert found.values() == [(1, "ä" * 15_000, "here", "01" * 20_000)]
    assert found.rows[0]["detail"] is None


@pytest.mark.parametrize("change", ["short", "order", "end"])
def test_varying_values_that_do_not_add_up(change: str, tmp_path: Path) -> None:
    script = Script(WIDE)
    payload = consolidated(script, [b"", b"abc", b"", b"def"], "array")
    payload = {"short": payload[:10], "order": payload[:8] + b"\xff\0\0\0" + payload[12:], "end": payload[:-1]}[change]
    script.piece(payload, 0, CONSOLIDATED)
    script.insert(ID=1, A=OutOfRow(), B="b", C=OutOfRow())
    found = script.read(tmp_path)
    assert set(found.codes) == {"LMP-R002"}
    assert "after" in found.log.tally.errors[0].field


# long fields


@pytest.mark.parametrize(
    ("generation", "framing"), [("v10", "filter"), ("v10", "bare"), ("v9.7", "lsn8"), ("v9.7", "bare"), ("v7", "bare")]
)
@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_log_that_begins_between_pieces_has_no_part_of_the_value(
    generation: Any, framing: Any, engine: str, tmp_path: Path
) -> None:
    """The second piece begins at a place where a value may begin."""
    stream = Stream(generation, "little", framing)
    for size in (70_000, 5):
        unit = stream.begin()
        unit.insert(DOC, {"ID": size}, lobs={"BODY": "A" * size})
        unit.commit()
    data, begins = stream.bytes(), [entry.offset for entry in stream.records if entry.kind.startswith("lob")]
    path, tables = tmp_path / "a.log", tmp_path / "a.yaml"
    path.write_bytes(data[begins[1] - stream.records[0].offset :])
    columns = "[{name: ID, type: INTEGER, nullable: false}, {name: BODY, type: CLOB(1M)}]"
    tables.write_text(f"tables: [{{tablespace_id: 2, table_id: 9, schema: S, name: DOC, columns: {columns}}}]")
    named = {"generation": generation, "byte_order": "little", "framing": framing, "tables": str(tables)}
    found = changes(path, engine, spec="db2_log", **named)
    (batch,) = found.tables.values()
    assert batch["after"].to_pylist() == [{"ID": 5, "BODY": "A" * 5}]
    found = changes(path, engine, spec="db2_log", **named, include="committed,incomplete")
    (batch,) = found.tables.values()
    assert batch["after"].to_pylist() == [{"ID": 70_000, "BODY": None}, {"ID": 5, "BODY": "A" * 5}]
    assert "begins before the log at hand" in batch["detail"].to_pylist()[0]
