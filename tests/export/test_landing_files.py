"""Rows are found by key and merged whatever the files of a table state of their columns, for keys of every type."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from amounts import amount
from deltalake import DeltaTable
from export.delta_tables import rows_of
from export.landed_extracts import Extracts, insert, void
from pyarrow import fs
from writers.db2.columns import Column
from writers.db2.stream import Transaction
from writers.db2.tables import Table
from writers.db2.values import External

from lmparse.export import landing_merge
from lmparse.export.current_rows import DELETED, KEPT, NAMES, OWN, UNKNOWN
from lmparse.export.landing_bounds import FileBounds
from lmparse.export.landing_delta import DeltaFolder
from lmparse.export.landing_files import TableFiles
from lmparse.options import SEQ_DIGITS

Make = Callable[[random.Random], Any]
NAN, LAST = float("nan"), "\U0010ffff"


def text(chance: random.Random) -> str:
    """Texts with long beginnings in common, up to those of which Parquet states nothing."""
    begin = chance.choice(["", "a", LAST]) * chance.choice([0, 1, 31, 32, 33, 64, 5000])
    return begin + chance.choice(["", "0", "b", "é", LAST])


def number(low: int, high: int) -> Make:
    return lambda chance: chance.choice([low, high, 0, chance.randint(-3, 3), chance.randint(low, high)])


def at(chance: random.Random) -> datetime:
    return datetime(2026, 3, 14) + timedelta(days=chance.randint(-1, 1), microseconds=chance.randint(0, 3) * 499_999)


def decimal(digits: int, scale: int) -> Make:
    return lambda chance: Decimal(number(-(10**digits) + 1, 10**digits - 1)(chance)).scaleb(-scale)


KINDS: Mapping[str, tuple[pa.DataType, Make]] = {
    "int16": (pa.int16(), number(-(1 << 15), (1 << 15) - 1)),
    "int64": (pa.int64(), number(-(1 << 63), (1 << 63) - 1)),
    "decimal": (pa.decimal128(9, 2), decimal(9, 2)),
    "long_decimal": (pa.decimal128(28, 10), decimal(28, 10)),
    "float": (pa.float32(), lambda chance: chance.choice([NAN, 0.0, -0.0, 1.0, -1.5, math.inf])),
    "double": (pa.float64(), lambda chance: chance.choice([NAN, 0.0, -0.0, 1.0, 0.1, -math.inf])),
    "text": (pa.string(), text),
    "binary": (pa.binary(), lambda chance: text(chance).encode()),
    "date": (pa.date32(), lambda chance: at(chance).date() if chance.random() < 0.8 else date(9999, 12, 31)),
    "timestamp": (pa.timestamp("us"), at),
    "boolean": (pa.bool_(), lambda chance: chance.random() < 0.5),
}


def same(value: Any) -> Any:
    """A value that is equal to those that are the same key."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return value


class EarlierBounds(FileBounds):
    """What merges of earlier releases stated of a file."""

    def text(self) -> str:
        names = [name for name, value in self._least.items() if self._is_known and isinstance(value, int | str | date)]
        names = [name for name in names if not isinstance(self._least[name], bool | datetime)]
        names = [name for name in names if not isinstance(self._least[name], str) or len(self._greatest[name]) < 32]
        least, greatest = ({name: _plain(of[name]) for name in names} for of in (self._least, self._greatest))
        nulls = {name: self._nulls[name] for name in names}
        return json.dumps({"numRecords": self._rows, "minValues": least, "maxValues": greatest, "nullCount": nulls})


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("form", ["now", "earlier"])
@pytest.mark.parametrize("kind", KINDS)
def test_merges_and_what_they_leave(kind: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by run against a table in memory, with many files; the key has a second column."""
    if form == "earlier":
        monkeypatch.setattr(landing_merge, "FileBounds", EarlierBounds)
    monkeypatch.setattr(landing_merge, "_FILE_BYTES", 0)
    chance, (type_, make) = random.Random(f"{kind}{form}"), KINDS[kind]
    table = pa.schema([("K", type_), ("N", pa.int32()), ("V", pa.int32()), *OWN])
    rows = pa.schema([*table, (DELETED, pa.bool_()), (KEPT, NAMES)])
    folder, oracle = DeltaFolder(tmp_path / "t", "T"), dict[Any, int | None]()
    folder.replace([pa.RecordBatch.from_pylist([], table)], table, "0" * SEQ_DIGITS)
    for run in range(1, amount(6, 9)):
        keys = [(None if chance.random() < 0.1 else make(chance), chance.choice([1, 2, None])) for _ in range(9)]
        changes = []
        for key, n in {(same(key), n): (key, n) for key, n in keys}.values():
            is_deleted, is_kept = chance.random() < 0.3, chance.random() < 0.3
            value = None if is_kept else run * 100 + len(changes)
            changes.append({"K": key, "N": n, "V": value, DELETED: is_deleted, KEPT: ["V"] if is_kept else None})
            if is_deleted:
                oracle.pop((same(key), n), None)
            else:
                oracle[same(key), n] = oracle.get((same(key), n)) if is_kept else value
        folder.merge(pa.RecordBatch.from_pylist(changes, rows), ["K", "N"], f"{run:0{SEQ_DIGITS}X}")
        rows_now = rows_of(tmp_path / "t")
        found = [((same(row["K"]), row["N"]), row["V"]) for row in rows_now]
        assert len(found) == len(oracle)
        assert dict(found) == oracle
        if form == "now":
            assert all_seen_by_others(tmp_path / "t", rows_now)
        for key, n in keys:
            row = folder.find({"K": pa.scalar(key, type_), "N": pa.scalar(n, pa.int32())})
            assert (row is not None, row and row["V"]) == ((same(key), n) in oracle, oracle.get((same(key), n)))


def all_seen_by_others(path: Path, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether readers with deltalake find each row by the value of a column."""
    found = DeltaTable(str(path)).to_pyarrow_dataset(filesystem=fs.SubTreeFileSystem(str(path), fs.LocalFileSystem()))
    type_ = found.schema.field("K").type
    keys = {same(row["K"]): row["K"] for row in rows}
    wanted = [key for one, key in keys.items() if one not in (None, "nan")]  # these are not equal to themselves
    return all(found.count_rows(filter=pc.field("K") == pa.scalar(key, type_)) for key in wanted)


# -- what is left out ---------------------------------------------------------------------------------


def chosen(path: Path, name: str, values: list[Any]) -> list[str]:
    table = DeltaTable(str(path))
    files = TableFiles(table, path)
    return sorted(file.path for file in files.with_one_of({name: pa.array(values, files.schema.field(name).type)}))


def test_files_are_left_out_by_what_they_state(tmp_path: Path) -> None:
    """Not by what they do not: every file has rows of its own, and is read alone."""
    schema = pa.schema([("K", pa.string()), ("N", pa.int64())])
    folder = DeltaFolder(tmp_path / "t", "T")
    paths = []
    for rows in ([("a", 1), ("c", 2)], [("x" * 99, 3)], [(None, 4), ("m", 5)], [(None, None)]):
        before = set(chosen(tmp_path / "t", "K", ["", None, LAST * 50])) if folder.id else set()
        folder.append([pa.RecordBatch.from_pylist([{"K": k, "N": n} for k, n in rows], schema)], schema, None)
        (path,) = {file.path for file in folder._files().rows().get_fragments()} - before
        paths.append(path)
    first, second, third, fourth = paths
    for name, values, expected in (
        ("K", ["b"], [first, fourth]),
        ("K", ["x" * 99], [second, fourth]),
        ("K", [None], [third, fourth]),
        ("K", ["b", None], [first, third, fourth]),
        ("K", ["d", "n"], [third, fourth]),
        ("N", [2, 3], [first, second, fourth]),
        ("N", [None], [fourth]),
    ):
        assert set(expected) - {fourth} <= set(chosen(tmp_path / "t", name, values)) <= set(expected)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("length", [32, 33, 60])
def test_long_keys_run_by_run(length: int, engine: str, tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (Column("ID", "VARCHAR(60)", nullable=False), Column("N", "INTEGER")))
    log, one, two = Extracts(tmp_path, engine=engine), "a" * length, "b" * length

    def change(unit: Transaction) -> None:
        unit.update(form, {"ID": one, "N": 1}, {"ID": one, "N": 3})
        unit.delete(form, {"ID": two, "N": 2})

    left = []
    for changes in (
        [insert(form, ID=one, N=1)],
        [insert(form, ID=two, N=2)],
        [change],
        [lambda unit: void(unit.delete(form, {"ID": one, "N": 3}))],
    ):
        log.land(*changes, tables=(form,))
        left.append(sorted(row["N"] for row in rows_of(log.to / "current" / "PROD.ITEM")))
    assert left == [[1], [1, 2], [3], []]


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("DECIMAL(9,2)", [Decimal(number) for number in range(3)]),
        ("DOUBLE", [0.0, math.nan, 2.0]),
        ("TIMESTAMP(6)", [f"2026-03-14T12:00:00.00000{number}" for number in range(3)]),
        ("VARCHAR(60)", [word * 60 for word in "abc"]),
    ],
)
def test_rows_of_earlier_runs_that_get_other_keys(kind: str, keys: list[Any], tmp_path: Path) -> None:
    """A value that is not in the log goes with its row; two rows change keys with one another."""
    form = Table(3, 5, "ITEM", (Column("ID", kind, nullable=False), Column("N", "INTEGER"), Column("L", "CLOB(1M)")))
    log = Extracts(tmp_path)

    def swapped(unit: Transaction) -> None:
        for old, new in ((0, 1), (1, 0)):
            unit.update(form, {"ID": keys[old], "N": 7, "L": External()}, {"ID": keys[new], "N": 7, "L": External()})

    def moved(unit: Transaction) -> None:
        unit.update(form, {"ID": keys[1], "N": 7, "L": External()}, {"ID": keys[2], "N": 7, "L": External()})

    def put(number: int) -> Any:
        return lambda unit: void(unit.insert(form, {"ID": keys[number], "N": 7}, lobs={"L": f"lob{number}"}))

    for change in (put(0), put(1), swapped, moved):
        log.land(change, tables=(form,))
    rows = rows_of(log.to / "current" / "PROD.ITEM")
    assert sorted((row["L"], row["ID"] == log_value(keys[2])) for row in rows) == [("lob0", True), ("lob1", False)]
    assert {row[UNKNOWN] for row in rows} == {None}


def log_value(key: Any) -> Any:
    return datetime.fromisoformat(key) if isinstance(key, str) and key[:1] == "2" else key


# -- what is stated -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "values", "least", "greatest"),
    [
        (pa.string(), ["b" * 40, "a" * 40], "a" * 32, "b" * 31 + "c"),
        (pa.string(), ["a" * 31 + LAST * 9], "a" * 31 + LAST, "a" * 30 + "b"),
        (pa.string(), ["a" * 31 + "\ud7ff" * 2], "a" * 31 + "\ud7ff", "a" * 31 + "\ue000"),
        (pa.string(), ["b" * 32, None], "b" * 32, "b" * 32),
        (pa.string(), [LAST * 32 + "a"], None, None),
        (pa.decimal128(31, 10), [Decimal("12345678901234567890.0123456789")], *["12345678901234567890.0123456789"] * 2),
        (pa.decimal128(31, 0), [Decimal("1E+25")], *["1" + "0" * 25] * 2),
        (pa.float64(), [1.5, -2.0], -2.0, 1.5),
        (pa.float64(), [1.5, NAN], None, None),
        (pa.float64(), [math.inf], None, None),
        (pa.timestamp("us"), [datetime(2026, 3, 14, 0, 0, 0, 1)], *["2026-03-14T00:00:00.000001"] * 2),
        (pa.date32(), [date(2026, 3, 14)], *["2026-03-14"] * 2),
        (pa.bool_(), [True, False], False, True),
    ],
)
def test_bounds_are_stated_of_all_columns_or_of_none(
    type_: pa.DataType, values: list[Any], least: Any, greatest: Any
) -> None:
    schema = pa.schema([("K", type_), ("N", pa.int32()), ("RAW", pa.binary())])
    bounds = FileBounds(schema)
    for value in values:
        bounds.add(pa.RecordBatch.from_pylist([{"K": value, "N": 7}], schema))
    stated = json.loads(bounds.text(), parse_float=str if pa.types.is_decimal(type_) else float)
    if least is None:
        assert stated == {"numRecords": len(values)}
        return
    assert [{name: str(value) for name, value in stated[kind].items()} for kind in ("minValues", "maxValues")] == [
        {"K": str(least), "N": "7"},
        {"K": str(greatest), "N": "7"},
    ]
    assert stated["nullCount"] == {"K": values.count(None), "N": 0}
