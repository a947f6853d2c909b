"""LOB values of many rows at a time: what the columns give is what the reader of single rows gives."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from engines import Changes
from luw_engines import both, row_count
from samples.db2_scripts import DOC, PAIR
from writers.db2 import lob
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External
from writers.db2.wire import BYTE_ORDERS

from lmparse.columnar import json_texts
from lmparse.db2 import change_columns

PACKED = Table(
    2, 21, "PACKED",
    (Column("ID", "INTEGER", nullable=False), Column("A", "CLOB(1M)", nullable=False), Column("B", "BLOB(1M)")),
    value_compression=True,
)  # fmt: skip
OUT = External()
TABLES = (DOC, PAIR, PACKED)


def some_values(chance: random.Random, table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    """A row, and its values outside of it."""
    row: dict[str, Any] = {"ID": chance.randrange(1000)}
    lobs: dict[str, Any] = {}
    for column in table.columns[1:]:
        is_text = column.word == "CLOB"
        size = chance.choice((1, 3, 40, 700, 33_000))
        value: Any = "".join(chance.choices("aå漢 ", k=size)) if is_text else chance.randbytes(size)
        match chance.randrange(5):
            case 0 if column.nullable:
                row[column.name] = None
            case 1:
                row[column.name] = value[:20]
            case 2:
                row[column.name] = OUT
            case 3:
                row[column.name] = "" if is_text else b""
            case _:
                lobs[column.name] = value
    return row, lobs


def random_stream(seed: int, byte_order: Any) -> Stream:
    """Transactions side by side that insert, update and delete rows, some of them rolled back."""
    chance = random.Random(seed)
    stream = Stream("v10", byte_order, "filter")
    unit = stream.begin()
    for table in TABLES:
        unit.initialize(table)
    unit.commit()
    units: list[tuple[Any, list[tuple[Table, dict[str, Any]]]]] = [(stream.begin(), []) for _ in range(3)]
    for _ in range(amount(28, 400)):
        place = chance.randrange(3)
        unit, held = units[place]
        match chance.randrange(9):
            case 0 | 1 if held:
                table, row = held.pop()
                unit.delete(table, row)
            case 2 if held:
                table, row = held.pop()
                new, _ = some_values(chance, table)
                new = {name: new.get(name, OUT) for name in row}
                unit.update(table, row, new)
                held.append((table, new))
            case 3 if chance.random() < 0.3:
                unit.commit() if chance.random() < 0.7 else unit.rollback()
                units[place] = stream.begin(), []
            case _:
                table = chance.choice(TABLES)
                row, lobs = some_values(chance, table)
                unit.insert(table, row, lobs=lobs)
                held.append((table, {**row, **dict.fromkeys(lobs, OUT)}))
    for unit, _ in units:
        unit.commit()
    return stream


@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
@pytest.mark.parametrize("seed", range(amount(1, 20)))
def test_random_logs(seed: int, byte_order: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(random_stream(seed, byte_order).bytes())
    found, slow = both(path, include="all")
    assert row_count(found) > 20
    assert slow == len(TABLES), "their descriptions; no row"
    for given in ({"order": "commit"}, {"header": True}, {"columns": "C1,C3"}):
        assert both(path, include="all", **given)[1] == len(TABLES)
    monkeypatch.setattr(change_columns, "MAX_BYTES", 50_000)
    assert both(path, include="all")[1] == len(TABLES)
    monkeypatch.setattr(json_texts, "MOST_BYTES", 10_000)
    assert both(path, include="all")[1] > len(TABLES), "values that are too long together are read one by one"


def log_of(stream: Stream, path: Path, rows: Sequence[Sequence[tuple[bytes | int, int]]]) -> Path:
    """A log of rows whose value outside has some pieces: bytes or their number, and the address."""
    unit = stream.begin()
    unit.initialize(DOC)
    for number, pieces in enumerate(rows):
        for data, address in pieces:
            add = lob.add_data if isinstance(data, bytes) else lob.add_amount
            body = add(stream.server, lob.LobObject(DOC.id, DOC.id), data, address, 1)  # type: ignore[operator]
            unit.record("piece", "normal", body)
        unit.insert(DOC, {"ID": number, "BODY": OUT})
    unit.commit()
    path.write_bytes(stream.bytes())
    return path


@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
def test_pieces_that_stand_out_of_order(byte_order: Any, path: Path) -> None:
    stream = Stream("v10", byte_order, "filter")
    found, slow = both(log_of(stream, path, [[(b"second", 1029), (b"first", 1024)], [(b"other", 2048)]]))
    assert slow == 1, "the description of the table"
    assert bodies(found) == ["firstsecond", "other"]


def test_one_by_one_is_what_needs_more_than_its_pieces(path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    found, slow = both(log_of(stream, path, [
        [(b"ab", 1024), (b"cd", 1027)],  # a piece is missing between them
        [(b"ab", 1024), (b"b", 1025)],  # they overlap
        [(b"ab", 1024), (3, 1026)],  # not logged
        [(b"\xff", 1024)],  # not text
        [(b"ab", 1024), (b"", 1026), (b"cd", 1026)],
        [],
    ]))  # fmt: skip
    assert slow == 1 + 4
    assert bodies(found) == [None, None, None, None, "abcd", None]
    details = [json.loads(text or "{}") for table in found.tables.values() for text in table["detail"].to_pylist()]
    assert sum("after.BODY" in one.get("absent", {}) or "after.C2" in one.get("absent", {}) for one in details) == 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def bodies(found: Changes) -> list[str | None]:
    return [
        row["after"]["C2"]
        for table in found.tables.values()
        for row in table.to_pylist()
        if isinstance(row["after"], dict)
    ]


def test_more_lob_columns_than_an_integer_has_bits(tmp_path: Path) -> None:
    """Each of them is named in the reasons, and no other."""
    names = [f"L{number}" for number in range(70)]
    wide = Table(2, 22, "WIDE", (Column("ID", "INTEGER"), *(Column(name, "CLOB(1M)") for name in names)))
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(wide)
    for number, name in enumerate(names):
        unit.insert(wide, {"ID": number, **dict.fromkeys(names, None), name: OUT})
    unit.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    found, slow = both(path, operations="I")
    assert slow == 0
    (batch,) = found.tables.values()
    details = [json.loads(text)["absent"] for text in batch["detail"].to_pylist()]
    assert details == [{f"after.C{number + 2}": change_columns.NOT_IN_LOG} for number in range(70)]
