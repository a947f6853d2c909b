"""Changes of Db2 for LUW by the column: they are what they are one by one, good and bad."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from amounts import amount
from luw_engines import batches_of, both, counted, row_count
from samples import db2_scripts as luw
from samples.db2_scripts import EMP, ITEM, item
from writers.db2 import dms, rows
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, Rid

from lmparse.changes import log as change_log
from lmparse.changes.schemas import changes_schema
from lmparse.db2 import change_columns as db2_change_columns
from lmparse.db2.log import Db2Log
from lmparse.errors import LmparseError
from lmparse.logs.open import open_changes
from lmparse.options import Options


def written(path: Path, stream: Stream | bytes) -> Path:
    path.write_bytes(stream.bytes() if isinstance(stream, Stream) else stream)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.SOME_FORMS)
def test_every_form_of_a_log(generation: str, byte_order: str, framing: str, path: Path) -> None:
    written(path, luw.full_stream(generation, byte_order, framing))
    known = {"generation": generation, "byte_order": byte_order, "framing": framing}
    found, slow = both(path, include="all", **known)
    assert slow == 6, "the changes of tables, and no row"
    assert row_count(found) == (29 if generation == "v7" else 38)
    with_headers, slow = both(path, include="all", header=True, **known)
    assert slow == 6
    headers = [text for table in with_headers.tables.values() for text in table["header"].to_pylist()]
    shown = [json.loads(text) for text in headers]
    assert all(header["transaction_id"] for header in shown)
    assert {header["component"] for header in shown} <= {"dms", "dom", "relation"}
    assert not any(isinstance(header[name], int) for header in shown for name in ("type", "function_id"))
    by_file, _ = both(path, **known)
    by_commit, slow = both(path, order="commit", tables=luw.tables_file(path.parent, EMP, ITEM), **known)
    assert slow == 6
    assert row_count(by_commit) == row_count(by_file)


@pytest.mark.parametrize("generation", ["v7", "v10"])
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


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_small_windows(generation: Any, byte_order: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path, luw.full_stream(generation, byte_order))
    whole, _ = both(path, include="all")
    for module, name, value in ((change_log, "MAX_RECORDS", 3), (db2_change_columns, "MAX_BYTES", 300)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            found, slow = both(path, include="all")
            assert (row_count(found), slow) == (row_count(whole), 6)


@pytest.mark.parametrize(
    ("form", "mode"),
    [(("v7", "big", "lsn6"), "failfast"), (("v9.7", "little", "bare"), "dropmalformed"),
     (("v10", "little", "filter"), "permissive")],
)  # fmt: skip
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
