"""A log of Db2 for LUW that is landed transaction by transaction, and its rows in the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from export.delta_tables import rows_of
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table

import lmparse

ID = Column("ID", "INTEGER", nullable=False)
Change = Callable[[Transaction], None]


def delta(path: Path) -> list[dict[str, Any]]:
    """The rows of a Delta table, by key or `seq`."""
    return sorted(rows_of(path), key=lambda row: str(row["ID"] if "ID" in row else row["seq"]))


class Extracts:
    """A log that is landed transaction by transaction."""

    def __init__(self, folder: Path, *, key: str = "key: [ID], ", **how: Any) -> None:
        self.folder, self.to, self.key = folder, folder / "to", key
        self.how: dict[str, Any] = {"current": how.get("as_", "delta") == "delta", "spec": "db2_log", **how}
        self.stream, self.place, self.count = Stream("v10", "little", "filter"), 0, 0

    def land(self, *changes: Change, tables: tuple[Table, ...] = (), files: tuple[int, ...] = ()) -> lmparse.Landed:
        """Write a transaction for each change, and land them; or land files again."""
        for change in changes:
            unit = self.stream.begin()
            change(unit)
            unit.commit()
        path = self.folder / f"{self.count}.log"
        if not files:
            path.write_bytes(self.stream.bytes()[self.place :])
            self.place, self.count = len(self.stream.bytes()), self.count + 1
        keyed = [(f"name: {table.name},", f"name: {table.name}, {self.key}") for table in tables if self.key]
        options = {"tables": luw.tables_file(self.folder, *tables, replaced=keyed)} if tables else {}
        paths = [self.folder / f"{number}.log" for number in files] or [path]
        return lmparse.land(paths, self.to, **self.how, **options)


def table(*columns: Column) -> Table:
    return Table(3, 5, "ITEM", (ID, *columns))


def insert(form: Table, **row: Any) -> Change:
    return lambda unit: void(unit.insert(form, row))


def void(_: object) -> None:
    return None
