"""Other ways to the values of one file of records, which must agree with its rows: lines, files, columns, filters."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, matching
from lmparse.export.conversion import Conversion
from lmparse.export.convert import convert
from lmparse.logs import lines
from lmparse.logs.arrow import record_batches
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import Dissection, Node
from lmparse.records.files import RecordFile
from lmparse.terminal import json_text
from lmparse.values.json_form import to_json

ENGINES = ("columnar", "kaitai")
_ORDERS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Records:
    """A file of records in which descriptor words are between the records."""

    path: Path
    spec: str

    def open(self, engine: str) -> RecordFile:
        """The file, read by one engine."""
        return open_file(self.path, Options(spec=self.spec, framing="rdw", engine=engine), on_error=lambda error: None)

    def table(self, engine: str, schema: pa.Schema, filters: tuple[Filter, ...] = ()) -> pa.Table:
        """Its rows, or those that match filters."""
        table = pa.Table.from_batches(record_batches(self.open(engine), schema, filters=filters), schema)
        table.validate(full=True)
        return table


def agree(records: Records, chance: random.Random) -> Counter[str]:
    """Compare the ways to the values of a file. Returns what was compared, raises AssertionError if two differ."""
    schema = schemas.records_schema(records.spec)
    whole = records.table("kaitai", schema)
    seen = Counter(lines=_lines_agree(records, whole), converted=_converted(records, whole))
    columns = [name for name in schema.names if name not in schemas.OUTCOMES]
    if columns:
        seen["of some columns"] = _some_columns(records, whole, chance.sample(columns, chance.randint(1, len(columns))))
        seen["filtered"] = _filtered(records, whole, _filters(whole, columns, chance))
    return seen


def _lines_agree(records: Records, whole: pa.Table) -> int:
    """JSON lines are alike by both engines, and are of the records that the rows have values of."""
    by_row = [json_text(row) + "\n" for row in records.open("kaitai").records()]
    by_column = "".join(lines.printed(records.open("columnar"), with_changes=False)).splitlines(keepends=True)
    _same_items(by_row, by_column, "lines")
    good = whole.filter(whole[schemas.CORRUPT_RECORD].is_null()).to_pylist()
    assert len(by_row) == len(good), (len(by_row), len(good))
    for line, row in zip(by_row, good, strict=True):
        shown = {name: value for name, value in json.loads(line).items() if name not in schemas.OUTCOMES}
        values = {name: value for name, value in row.items() if name not in schemas.OUTCOMES}
        _same_values(_pruned(to_json(values)), _pruned(shown), line)
    return len(good)


def _pruned(value: Any) -> Any:
    """A value without what is null in it: the choices that a switch does not have, and fields that are not there."""
    if isinstance(value, dict):
        return {name: kept for name, item in value.items() if (kept := _pruned(item)) not in (None, {})}
    return [_pruned(item) for item in value] if isinstance(value, list) else value


def _same_values(row: Any, line: Any, where: str) -> None:
    """Compare a value of a row with that of a line, which has its own type where the column is text."""
    if isinstance(row, str) and isinstance(line, dict | list):
        row = _pruned(json.loads(row))
    if isinstance(row, dict) and isinstance(line, dict):
        for name in row | line:
            _same_values(row.get(name), line.get(name), where)
    elif isinstance(row, list) and isinstance(line, list):
        assert len(row) == len(line), (row, line, where)
        for one, other in zip(row, line, strict=True):
            _same_values(one, other, where)
    elif isinstance(row, str) and isinstance(line, bool):
        assert row == json.dumps(line), (row, line, where)
    elif isinstance(row, str) and isinstance(line, int | float | str):
        is_number = row != str(line) and _is_number(row) and _is_number(str(line))
        assert Decimal(row) == Decimal(line) if is_number else row == str(line), (row, line, where)
    elif line is None and isinstance(row, str) and row.startswith("{"):
        assert _pruned(json.loads(row)) == {}, (row, where)
    else:
        assert row == line, (row, line, where)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def _converted(records: Records, whole: pa.Table) -> int:
    """A Parquet file has the rows."""
    out = records.path.with_suffix(".parquet")
    options = Options(spec=records.spec, framing="rdw")
    convert(Conversion(str(records.path), str(out), options, overwrite=True), lambda error: None)
    _same_rows(whole, pq.read_table(out), "converted")
    return whole.num_rows


def _some_columns(records: Records, whole: pa.Table, columns: list[str]) -> int:
    """Some columns have the values that they have among all, and no fault of another column."""
    schema = schemas.records_schema(records.spec, tuple(columns))
    wanted = whole.select([name for name in schema.names if name != schemas.CORRUPT_FIELDS])
    tables = [records.table(engine, schema) for engine in ENGINES]
    _same_rows(*tables, f"columns {columns}")
    _same_rows(wanted, tables[0].drop_columns([schemas.CORRUPT_FIELDS]), f"columns {columns}")
    return whole.num_rows


def _filters(whole: pa.Table, columns: list[str], chance: random.Random) -> tuple[Filter, ...]:
    """Filters by values that are in the columns."""
    found = []
    for name in chance.sample(columns, min(len(columns), chance.choice((1, 1, 2)))):
        values = [value for value in whole[name].to_pylist() if value is not None]
        made = Filter(name, chance.choice(("is null", "is not null")))
        if values and chance.random() < 0.8:
            some = tuple(chance.choice(values) for _ in range(3))
            made = Filter(name, "in", some) if chance.random() < 0.2 else Filter(name, chance.choice(_ORDERS), some[0])
        found.append(made if made.fits(whole.schema.field(name).type) else Filter(name, "is not null"))
    return tuple(found)


def _filtered(records: Records, whole: pa.Table, filters: tuple[Filter, ...]) -> int:
    """The rows that a filter keeps are those of all rows that match it."""
    wanted = pa.Table.from_batches(matching(whole.to_batches(), filters), whole.schema)
    for engine in ENGINES:
        _same_rows(wanted, records.table(engine, whole.schema, filters), f"{engine}: {filters}")
    return whole.num_rows


def _same_rows(one: pa.Table, other: pa.Table, where: str) -> None:
    if one.schema.types == other.schema.types and one.equals(other.cast(one.schema)):
        return
    assert one.schema.names == other.schema.names, where
    _same_items(one.to_pylist(), other.to_pylist(), where)


def _same_items(one: Iterable[Any], other: Iterable[Any], where: str) -> None:
    """Compare by what is shown, so that NaN is NaN."""
    for number, (first, second) in enumerate(itertools.zip_longest(one, other)):
        assert repr(first) == repr(second), f"{where}, {number}: {first} and {second}"


# -- places -----------------------------------------------------------------------------------


def in_order(dissection: Dissection) -> int:
    """Fields that follow each other do so in the record, and no byte is in two. Returns the number of fields."""
    return _in_order(dissection.nodes, 0)


def _begins_with_bits(node: Node) -> bool:
    """Whether a field may begin in the byte in which the one in front of it ends."""
    return node.field.bits is not None or any(map(_begins_with_bits, node.children[:1]))


def _in_order(nodes: tuple[Node, ...], start: int) -> int:
    seen = 0
    for node in nodes:
        if node.field.is_instance:
            continue
        assert node.start >= start - _begins_with_bits(node), (node.path, node.start, start)
        assert node.end >= node.start, node
        if not node.field.process and not node.field.is_instance:
            seen += 1 + _in_order(node.children, node.start)
            assert all(child.end <= node.end for child in node.children if not child.field.is_instance), node
        start = node.end
    return seen
