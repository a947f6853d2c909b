"""Changes of Db2 for LUW by the column: they are what they are one by one, good and bad."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from amounts import amount
from luw_engines import batches_of, both, counted, found_by, row_count
from samples import db2_scripts as luw
from samples.db2_scripts import DOC, EMP, ITEM, PAIR, emp, item
from writers.db2 import dms, rows
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.framing import Framed, prefix
from writers.db2.header import PROPAGATABLE, Header, record, record_type
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External, SystemDefault
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, Rid

from lmparse.changes import widths
from lmparse.changes.column_reader import text_refusal
from lmparse.changes.schemas import changes_schema
from lmparse.db2 import change_columns as db2_change_columns
from lmparse.db2.change_columns import LuwChangeColumns
from lmparse.db2.family import FAMILY
from lmparse.db2.log import Db2Log
from lmparse.errors import LmparseError
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.options import Options
from lmparse.samples import db2_log


def written(path: Path, stream: Stream | bytes) -> Path:
    path.write_bytes(stream.bytes() if isinstance(stream, Stream) else stream)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.ALL_FORMS)
def test_every_form_of_a_log(generation: str, byte_order: str, framing: str, path: Path) -> None:
    written(path, luw.full_stream(generation, byte_order, framing))
    known = {"generation": generation, "byte_order": byte_order, "framing": framing}
    found, slow = both(path, include="all", **known)
    assert slow == 6, "the changes of tables, and no row"
    assert row_count(found) == (29 if generation == "v7" else 38)
    with_headers, slow = both(path, include="all", header=True, **known)
    assert slow == 6
    headers = [text for table in with_headers.tables.values() for text in table["header"].to_pylist()]
    assert all(json.loads(text)["transaction_id"] for text in headers)
    by_file, _ = both(path, **known)
    by_commit, slow = both(path, order="commit", tables=luw.tables_file(path.parent, EMP, ITEM), **known)
    assert slow == 6
    assert row_count(by_commit) == row_count(by_file)


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("options", [
    {"columns": ["NAME"]}, {"columns": ["NAME", "N"], "table": "EMP"}, {"table": "PROD.ITEM"}, {"operations": "U,D"},
    {"include": "open,rolled-back"}, {"trim": False}, {"table": "EMP", "table_version": 1},
    {"columns": ["NOTHING"]}, {"table": "NONE"},
], ids=str)  # fmt: skip
def test_options(generation: Any, options: dict[str, Any], path: Path) -> None:
    written(path, luw.full_stream(generation, "little", "filter"))
    with suppress(LmparseError):
        found, slow = both(path, tables=luw.tables_file(path.parent, EMP, ITEM), **options)
        assert found.errors or slow <= 6


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("table", ["EMP", "ITEM"])
def test_one_schema_for_all_versions(generation: Any, table: str, path: Path) -> None:
    """Columns that were added, types that are wider in another version."""
    stream = luw.full_stream(generation, "big", "filter")
    unit = stream.begin()
    more = unit.add_columns(ITEM, Column("WHEN", "DATE"))
    unit.insert(more, {**item(1), "WHEN": "2026-03-14"})
    unit.insert(ITEM, item(2))
    unit.commit()
    written(path, stream)
    tables = luw.tables_file(path.parent, EMP, ITEM)
    _, slow = both(path, is_one_schema=True, table=table, tables=tables, include="all")
    assert slow == (2 if table == "EMP" else 6), "objects, and a row that was stored before"


@pytest.mark.parametrize(("type_", "value", "is_fast"), [
    (pa.int32(), 1, True), (pa.int64(), 1, True), (pa.int16(), 1, False), (pa.string(), "1", False),
])  # fmt: skip
@pytest.mark.parametrize("amount", [pa.decimal128(5, 2), pa.decimal128(9, 4)])
def test_the_columns_of_a_schema(type_: Any, value: Any, is_fast: bool, amount: Any, path: Path) -> None:
    """Types that are wider than those of the log; for others rows are read one by one."""
    table = Table(3, 5, "T", (Column("C1", "INTEGER"), Column("C2", "DECIMAL(5,2)"), Column("C3", "DATE")))
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"C1": 1, "C2": Decimal("-1.50"), "C3": "2026-03-14"})
    unit.delete(table, {"C1": None, "C2": None, "C3": None})
    unit.commit()
    written(path, stream)
    log = open_changes(path, Options.parse({"spec": "db2_log", "table": "3.5"}))
    assert isinstance(log, Db2Log)
    slow = counted(log)
    schema = changes_schema(log.table_versions())
    image = pa.struct([("C2", amount), ("C1", type_), ("C9", pa.date32())])
    asked = pa.schema([entry.with_type(image) if entry.name in ("before", "after") else entry for entry in schema])
    found = pa.Table.from_batches([batch for _, batch in batches_of(log, asked)], asked)
    expected = {"C2": Decimal("-1.50"), "C1": value, "C9": None}
    assert found.column("after").to_pylist() == [None, expected, None]
    assert found.column("before").to_pylist() == [None, None, dict.fromkeys(expected)]
    assert len(slow) == (1 if is_fast else 3)


def test_what_is_read_one_by_one(path: Path) -> None:
    written(path, luw.full_stream("v10", "little", "filter"))
    log = open_changes(path, Options.parse({"spec": "db2_log"}))
    assert isinstance(log, Db2Log)
    text = changes_schema(None)
    struct = text.field("before").with_type(pa.struct([("A", pa.int32())]))
    two_forms = text.set(text.get_field_index("before"), struct)
    assert "two forms" in text_refusal(log, two_forms)
    assert text_refusal(log, text) == text_refusal(log, None) == ""
    assert FAMILY.change_reader is not None
    assert FAMILY.change_reader(log, text, ()) is not None
    log = open_changes(path, Options.parse({"spec": "db2_log", "header": True}))
    assert FAMILY.change_reader(log, text, ()) is not None


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_small_windows(generation: Any, byte_order: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path, luw.full_stream(generation, byte_order))
    whole, _ = both(path, include="all")
    for module, name, value in ((widths, "MAX_RECORDS", 3), (db2_change_columns, "MAX_BYTES", 300)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            found, slow = both(path, include="all")
            assert (row_count(found), slow) == (row_count(whole), 6)


def test_parts_of_a_log(path: Path) -> None:
    """Of whole units, read apart from each other."""
    sample_ = db2_log.make(30)
    tables, _ = sample_.write(path.parent)
    written(path, sample_.log)
    options = Options.parse({"spec": "db2_log", "tables": str(tables), "include": "all"})
    log = open_changes(path, options)
    parts = log.change_parts(4000)
    assert len(parts) > 3
    count = 0
    for known, span in parts:
        one, other = (open_changes(path, options, settings=known) for _ in range(2))
        assert isinstance(other, Db2Log)
        expected = [change.seq for change in one.typed_changes(span)]
        found = [
            seq
            for batches in LuwChangeColumns(other).read(span)
            for one in batches
            for seq in one.batch.column("seq").to_pylist()
        ]
        assert sorted(found) == sorted(expected)
        count += len(found)
    assert count == len(list(open_changes(path, options).typed_changes()))


def test_columns_that_another_table_lacks(path: Path) -> None:
    """Its rows have nothing that is asked for: they are objects without a name."""
    sample_ = db2_log.make(9)
    tables, _ = sample_.write(path.parent)
    found, slow = both(written(path, sample_.log), tables=str(tables), include="all", columns="EMPNO")
    assert not slow
    assert {str(table.schema.field("after").type) for table in found.tables.values()} == {
        "struct<EMPNO: string>", "string",
    }  # fmt: skip


def test_a_sample(path: Path) -> None:
    """With LOB values, DECFLOAT, and updates."""
    sample_ = db2_log.make(60)
    tables, _ = sample_.write(path.parent)
    written(path, sample_.log)
    found, slow = both(path, tables=str(tables), include="all")
    lobs = sum(
        row["after"] is not None and row["after"].get("RESUME") is not None
        for table in found.tables.values()
        for row in table.to_pylist()
    )
    assert lobs
    assert not slow


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_lob_values(generation: Any, byte_order: Any, path: Path) -> None:
    stream = Stream(generation, byte_order, "filter")
    unit = stream.begin()
    unit.initialize(DOC)
    unit.initialize(PAIR)
    for number in range(5):
        unit.insert(DOC, {"ID": number})
        unit.insert(PAIR, {"ID": number})
    unit.insert(DOC, {"ID": 6}, lobs={"BODY": "six" * 20_000})
    unit.insert(PAIR, {"ID": 7}, lobs={"A": "a", "B": b"b"})
    inline = generation != "v7"
    if inline:
        unit.insert(DOC, {"ID": 8, "BODY": "in the row"})
        unit.insert(PAIR, {"ID": 9, "A": "", "B": b"\x00\xff"})
        unit.update(DOC, {"ID": 8, "BODY": "in the row"}, {"ID": 8, "BODY": "å"})
    unit.commit()
    written(path, stream)
    found, slow = both(path)
    unnamed = generation != "v10"
    assert slow == 2 + 2 * unnamed, "two descriptions; two rows with values out of them, if these name no column"
    assert row_count(found) == 2 + 12 + 3 * inline


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
@pytest.mark.parametrize("base", ["array", "data"])
def test_value_compression(generation: Any, byte_order: Any, base: Any, path: Path) -> None:
    packed = replace(EMP, value_compression=True)
    stream = Stream(generation, byte_order, "filter97", offset_base=base)
    unit = stream.begin()
    unit.initialize(packed)
    for number in range(4):
        unit.insert(packed, emp(number))
        unit.update(packed, emp(number), emp(number, None))
    unit.insert(packed, {**emp(9), "NAME": SystemDefault()})
    unit.commit()
    written(path, stream)
    _, slow = both(path)
    assert slow == 2, "the description, and the row with a default"


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
@pytest.mark.parametrize("form", [("v7", "big", "lsn6"), ("v9.7", "little", "bare"), ("v10", "little", "filter")])
def test_damaged_logs(form: Any, mode: str, path: Path) -> None:
    """Bytes of records that are others, first those of rows."""
    stream = luw.full_stream(*form)
    data, chance = stream.bytes(), random.Random(form[0] + mode)
    known = dict(zip(("generation", "byte_order", "framing"), form, strict=True))
    kinds = ("insert", "update", "delete", "insert_multiple")
    places = [place for record in stream.records if record.kind in kinds
              for place in range(record.offset + 8, record.offset + record.length)]  # fmt: skip
    faulty = 0
    for number in range(amount(8, 24)):
        changed = bytearray(data)
        for _ in range(1 + number % 4):
            place = chance.choice(places) if number % 5 else chance.randrange(len(data))
            changed[place] ^= chance.choice((1, 0x10, 0x80, 0xFF))
        written(path, bytes(changed))
        found, _ = both(path, include="all", mode=mode, **known)
        faulty += bool(found.errors)
    assert faulty > amount(1, 8)


def test_logs_that_end_early(path: Path) -> None:
    data = luw.full_stream("v10", "little", "filter").bytes()
    for end in range(0, len(data), amount(1321, 331)):
        written(path, data[:end])
        both(path, include="all", generation="v10", byte_order="little", framing="filter")


def test_rows_of_tables_that_nothing_describes(path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(ITEM, item(1))
    unit.insert(EMP, emp(1))
    unit.commit()
    written(path, stream)
    found, slow = both(path)
    assert (slow, [*found.tables]) == (2, [""])
    _, slow = both(path, tables=luw.tables_file(path.parent, EMP))
    assert slow == 1
    wrong = luw.tables_file(path.parent, ITEM, replaced=[("INTEGER", "BIGINT")])
    found, _ = both(path, tables=wrong)
    assert found.errors


def test_a_tables_file_that_contradicts_the_log(path: Path) -> None:
    written(path, luw.full_stream("v10", "little", "filter"))
    wrong = luw.tables_file(path.parent, EMP, ITEM, replaced=[("'INTEGER'", "'BIGINT'")])
    found, slow = both(path, tables=wrong)
    assert {error["code"] for error in found.errors} == {"LMP-C010"}
    assert slow > 6


def test_a_tables_file_that_names_some_columns_only(path: Path) -> None:
    """The others keep their numbers as names, which may be a name in the file as well."""
    written(path, luw.full_stream("v10", "little", "filter"))
    for name in ("ID", "C2"):
        one = Table(ITEM.tablespace_id, ITEM.table_id, "ITEM", (Column(name, "INTEGER", nullable=False),))
        _, slow = both(path, tables=luw.tables_file(path.parent, one), include="all")
        assert slow == 6


def test_rows_that_are_compressed_still(path: Path) -> None:
    """The prefix says that the API could not expand them."""
    stream = Stream("v10", "big", "filter")
    unit = stream.begin()
    unit.initialize(ITEM)
    for number in range(6):
        unit.insert(ITEM, item(number, "x"))
    unit.commit()
    data = bytearray(stream.bytes())
    for number in (2, 5):
        place = stream.records[number].offset
        data[place - 1] = 1
    written(path, bytes(data))
    found, slow = both(path)
    assert [error["code"] for error in found.errors] == ["LMP-R007"] * 2
    assert slow == 3


@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
def test_updates_that_moved_their_row(byte_order: Any, path: Path) -> None:
    """Both halves of one update, a half alone, pointers, rows that are no rows, and a gap."""
    stream = Stream("v10", byte_order, "filter")
    server, moved = stream.server, 0x8000
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1, "x"))
    unit.delete(ITEM, item(1, "x"), flags=moved)
    unit.insert(ITEM, item(2, "y"), flags=moved)
    unit.insert(ITEM, item(3, "half"), flags=moved)
    unit.alter_attribute(ITEM, dms.PROPAGATION, 0)
    unit.insert(ITEM, item(4, "behind a gap"))
    unit.insert(ITEM, item(5, "half, behind a gap"), flags=moved)
    image, place = stream.image(ITEM, item(6, "z")), Place(Rid(0x340, 9), 100, 50)
    pointer = rows.record(server, rows.FORMATTED, 0, b"", outer_type=0x02)
    unit.record("insert", "normal", dms.insert(server, ITEM.id, place, image))
    unit.record("update", "normal", dms.update(server, ITEM.id, place, image, pointer))
    unit.record("insert", "normal", dms.insert(server, ITEM.id, place, pointer))
    unit.commit()
    written(path, stream)
    found, slow = both(path, include="all")
    (table,) = (table for name, table in found.tables.items() if name)
    details = [text for text in table.column("detail").to_pylist() if text and "moved" in text]
    assert len(details) == 4
    assert sum("gap" in text for text in details) == 2
    assert 3 <= slow < row_count(found)


def test_an_empty_log(path: Path) -> None:
    written(path, b"")
    found, slow = both(path, generation="v10", byte_order="little", framing="bare")
    assert (row_count(found), slow) == (0, 0)


def test_columns_of_lob_records_that_count_from_one(path: Path) -> None:
    """It is said where the first row of the table is read."""
    from writers.db2 import lob

    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.initialize(DOC)
    unit.insert(ITEM, item(1, "x"))
    unit.insert(DOC, {"ID": 1})
    about = lob.LobObject(DOC.id, DOC.id)
    unit.record("piece", "normal", lob.add_data(stream.server, about, b"text", 0, 2))
    image = stream.image(DOC, {"ID": 2, "BODY": External()})
    unit.record("insert", "normal", dms.insert(stream.server, DOC.id, Place(Rid(0x340, 9), 100, 50), image))
    unit.commit()
    written(path, stream)
    _, slow = both(path)
    assert slow == 2 + 2
    assert any("count from 1" in text for text in found_by(batches_of, path).notes)


def test_a_header_of_another_type(path: Path) -> None:
    """A record of another type has its rows elsewhere: what stands where is asked for each type."""
    stream = Stream("v9.7", "little", "lsn8")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1, "x"))
    unit.commit()
    server = stream.server
    body = dms.insert(server, ITEM.id, Place(Rid(0x340, 9), 100, 50), stream.image(ITEM, item(2, "y")))
    header = Header(record_type("compensation", "v9.7"), bytes(5) + b"\x07", PROPAGATABLE | 0x10, lsn=0x7777)
    raw = record(server, header, body)
    written(path, stream.bytes() + prefix("lsn8", "little", Framed(raw, 0x7777)) + raw)
    found, slow = both(path, include="all")
    assert row_count(found) == 3
    assert slow == 1


def test_many_tables_with_a_row_each_are_read_in_time_by_their_number(tmp_path: Path) -> None:
    """What tells of all tables and of all users is not looked through for each table."""

    class Counted(dict[Any, Any]):
        looks = 0

        def __iter__(self) -> Iterator[Any]:
            Counted.looks += 1
            return super().__iter__()

    stream = Stream("v10", "little", "filter")
    for number in range(30):
        unit = stream.begin(f"USER{number}")
        table = replace(ITEM, table_id=number)
        unit.initialize(table)
        unit.insert(table, item(number))
        unit.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    log = open_changes(path, Options(spec="db2_log"))
    assert isinstance(log, Db2Log)
    log.log_index.whole.gaps = Counted(log.log_index.whole.gaps)
    assert len(log.log_index.whole.gaps) == 30
    rows_ = [row for _, batch in arrow.version_batches(log) for row in batch.to_pylist() if row["op"] == "I"]
    assert [row["auth_id"] for row in rows_] == [f"USER{number}" for number in range(30)]
    assert Counted.looks < 5


def test_names_are_taken_by_their_numbers() -> None:
    class Names(list[str | None]):
        def __iter__(self) -> Iterator[str | None]:
            raise AssertionError("all of them")

    found = db2_change_columns._named(Names(["A", None, "C"]), np.array([2, -1, 0, 1, 2]))
    assert found.to_pylist() == ["C", None, "A", None, "C"]
    assert db2_change_columns._named(Names(), np.zeros(0, np.int64)).to_pylist() == []
