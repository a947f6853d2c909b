"""Table search: the table that the option `table` names, among those that headers and the control file name.

If the control file describes one table by the name, headers are read up to the first one of this table. Whether others
have the name too shows where their records are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lmparse.bmc.table_names import TableName, is_described_as
from lmparse.bmc.tables import Tables, TableVersion, identity
from lmparse.records.reader import Values
from lmparse.values.codepages import CodePage

TABLE_FIELDS = ("system_id", "dbid", "psid", "tbobid", "tbowner_len", "tbname_len", "table_owner", "table_name")
"""Header fields that identify and name the table of a record."""
_KEPT = 10_000
"""Most other tables that are remembered."""


class TableSearch:
    """Looks for one table by a name, full or short, or by its ids."""

    def __init__(self, wanted: str, tables: Tables, page: CodePage, name_of: Callable[[Values], TableName]) -> None:
        """`name_of` returns owner and name of the table in a header."""
        self.wanted, self._name_of = wanted, name_of
        found = [
            entry
            for entry in tables.versions
            if entry.hex_ids == wanted.upper() or is_described_as(entry, wanted, page)
        ]
        self.described: list[TableVersion] = found if len({entry.hex_ids for entry in found}) == 1 else []
        """Versions of the one table that the control file describes by the name; empty if there is none or several."""
        self._others: set[tuple[Any, ...]] = set()

    def find(self, headers: Iterable[Values]) -> dict[tuple[Any, ...], tuple[str, str]]:
        """Full names of tables, and how they are shown, by ids; `headers` are read as far as is needed."""
        found: dict[tuple[Any, ...], tuple[str, str]] = {}
        for values in headers:
            if self.is_named(values):
                ids = identity(values)
                found[ids] = self._name_of(values).full, self.shown(values)
                if any(version.is_of(ids) for version in self.described):
                    break
        return found

    def is_named(self, values: Values) -> bool:
        """Whether the table in a header is named so."""
        name = self._name_of(values)
        short = values["table_name"], f"{values['table_owner']}.{values['table_name']}"
        return self.wanted in (name.name, name.full, *short) or self.wanted.upper() == _hexes(identity(values))

    def shown(self, values: Values) -> str:
        """The table in a header for messages."""
        ids = identity(values)
        return f"{self._name_of(values).full} ({ids[0]}.{_hexes(ids)})"

    def is_another(self, values: Values) -> bool:
        """Whether the table in a header, which is not among those that were found, has that name all the same."""
        key = tuple(values[name] for name in TABLE_FIELDS)
        if key in self._others:
            return False
        if self.is_named(values):
            return True
        if len(self._others) < _KEPT:
            self._others.add(key)
        return False


def _hexes(ids: tuple[Any, ...]) -> str:
    return ".".join(f"{part:04X}" for part in ids[1:])
