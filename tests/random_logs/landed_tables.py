"""What is in the tables of a target, compared with a history of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import CommitProperties, write_deltalake
from export.delta_tables import rows_of

from lmparse.export.land_current import OWN
from random_logs.landed_columns import landed_value, shown
from random_logs.landed_history import Change, History, Row, Table, changes_of

Commits = Mapping[int, datetime]
_TYPES = {
    "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(), "REAL": pa.float64(), "DOUBLE": pa.float64(),
    "DATE": pa.date32(), "BOOLEAN": pa.bool_(), "DECIMAL(9,2)": pa.decimal128(9, 2),
    "DECIMAL(31,4)": pa.decimal128(31, 4), "TIMESTAMP(0)": pa.timestamp("us"), "TIMESTAMP(6)": pa.timestamp("us"),
}  # fmt: skip
SHOWN_MOST = 3
Line = tuple[str, ...]
"""A row or a change as it is compared."""


class Expected:
    """What the tables of a target must have."""

    def __init__(self, history: History, commits: Commits, is_trimmed: bool = True) -> None:
        self.history, self._commits, self._is_trimmed = history, commits, is_trimmed

    def _values(self, table: Table, row: Row) -> list[Any]:
        fields = table.fields
        return [landed_value(one.kind, row.values.get(one.name), self._is_trimmed) for one in fields]

    # -- rows -----------------------------------------------------------------------------------

    def rows(self, table: Table) -> list[Line]:
        """The rows of a current table, as `current_lines` gives them."""
        return [self._line(table, row) for row in table.rows.values() if row.is_seen]

    def _line(self, table: Table, row: Row) -> Line:
        return shown([*self._values(table, row), self._commits.get(row.unit)])

    def current_lines(self, table: Table, path: Path) -> list[Line]:
        """The rows that a current table has."""
        rows = rows_of(path) if path.is_dir() else []
        return [shown([*self._picked(table, row), row[OWN.names[1]]]) for row in rows]

    def _picked(self, table: Table, row: Mapping[str, Any]) -> list[Any]:
        return [row.get(one.name) for one in table.fields]

    # -- changes --------------------------------------------------------------------------------

    def changes(self, number: int) -> list[Line]:
        """The changes of a table in the order of the commits, as `change_lines` gives them."""
        table = self.history.tables[number]
        return [self._change_line(table, change) for change in changes_of(self.history, number)]

    def _change_line(self, table: Table, change: Change) -> Line:
        images = [None if row is None else self._values(table, row) for row in (change.before, change.after)]
        return shown([change.op, *images, self._commits[change.unit]])

    def change_lines(self, table: Table, path: Path) -> list[Line]:
        """The changes of rows, and of all rows, that a change table has, in the order of `seq`."""
        rows = [row for row in _landed_changes(path) if row["op"] in ("I", "U", "D", "T", "M")]
        seqs = [row["seq"] for row in rows]
        assert len({*seqs}) == len(seqs), "a seq twice"
        rows.sort(key=lambda row: str(row["seq"]))
        return [self._landed_line(table, row) for row in rows]

    def _landed_line(self, table: Table, row: Mapping[str, Any]) -> Line:
        images = [None if row[role] is None else self._picked(table, row[role]) for role in ("before", "after")]
        return shown(["T" if row["op"] == "M" else row["op"], *images, row["commit_ts"]])


def _landed_changes(path: Path) -> list[dict[str, Any]]:
    if (path / "_delta_log").is_dir() or not path.is_dir():
        return rows_of(path) if path.is_dir() else []
    files = sorted(path.glob("*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def check_lines(what: str, found: Iterable[Line], wanted: Iterable[Line]) -> None:
    """Raise AssertionError with what is lost and what is more; a row must be there as often as it is wanted."""
    has, needs = Counter(found), Counter(wanted)
    lost, more = (sorted((one - other).elements())[:SHOWN_MOST] for one, other in ((needs, has), (has, needs)))
    assert not lost and not more, f"{what}: lost {lost}, more {more}"  # noqa: PT018


def check_in_order(what: str, found: list[Line], wanted: list[Line]) -> None:
    """The same of rows in their order."""
    check_lines(what, found, wanted)
    place = next((n for n, pair in enumerate(zip(found, wanted, strict=True)) if pair[0] != pair[1]), None)
    assert place is None, f"{what}: {found[place or 0]} is in the place of {wanted[place or 0]}"


def begin(path: Path, table: Table, is_trimmed: bool, has_bounds: bool) -> None:
    """Write the rows before the log as a current table, with or without bounds of the columns of its files."""
    said = CommitProperties(custom_metadata={"lmparse.seq": "0" * 72})
    rows = [[landed_value(one.kind, row.values[one.name], is_trimmed) for one in table.fields]
            for row in table.first.values()]  # fmt: skip
    columns = {one.name: pa.array([row[n] for row in rows], _type(one.kind.db2, one.kind.is_bytes))
               for n, one in enumerate(table.fields)}  # fmt: skip
    indexed = {} if has_bounds else {"delta.dataSkippingNumIndexedCols": "0"}
    write_deltalake(str(path), pa.table(columns), configuration=indexed, commit_properties=said)


def _type(word: str, is_bytes: bool) -> pa.DataType:
    return pa.binary() if is_bytes else _TYPES.get(word, pa.string())
