"""Descriptions of tables: columns, key and validity of each table version, as `lmparse tables` lists them.

The metadata of Arrow fields has further facts about columns: `lmparse.type` (CHAR(6)), `lmparse.not_null` (true),
`lmparse.ccsid` (37), `lmparse.key` (place in the key, from 1). Fields stay nullable, because an unreadable value is
null.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lmparse.changes.change import Version
from lmparse.changes.log import ChangeLog
from lmparse.errors import LmparseError
from lmparse.values.sql_types import TableColumn

TYPE, NOT_NULL, CCSID, KEY = "lmparse.type", "lmparse.not_null", "lmparse.ccsid", "lmparse.key"
"""Keys in the metadata of an Arrow field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDescription:
    """One version of one table."""

    version: Version
    schema_name: str = ""
    table_name: str = ""
    """Empty if the log does not state the name."""
    is_short: bool = False
    """Whether only the short form of owner or name is known."""
    ids: str
    """In the form of the option `table`."""
    since: str | None = None
    """Position or record from which the version is in force; None: from the beginning."""
    until: str | None = None
    """Position or record from which the version is not in force; None: to the end."""
    notes: Sequence[str] = ()
    """Contradictions in the description, in words."""

    @property
    def full_name(self) -> str:
        """Schema and name, or else the ids."""
        return ".".join(word for word in (self.schema_name, self.table_name) if word) or self.ids

    def to_dict(self) -> dict[str, Any]:
        """The version as JSON."""
        version = self.version
        return {
            "schema_name": self.schema_name or None,
            "table_name": self.table_name or None,
            "table_name_short": self.is_short,
            "ids": self.ids,
            "version": version.sequence,
            "since": self.since,
            "until": self.until,
            **described_table(version),
            "notes": list(self.notes),
        }


@dataclass
class TableDescriptions:
    """The described tables of a log, as far as it can be read."""

    found: list[TableDescription] = field(default_factory=list)
    fault: LmparseError | None = None
    """The error that ended the search for names or descriptions in the log."""


DESCRIBED = ("key", "key_source", "columns")
"""Names in `described_table`."""


def described_table(version: Version) -> dict[str, Any]:
    """Key and columns of a version as JSON."""
    places = key_places(version)
    columns = [
        {
            "number": column.number,
            "name": column.name,
            "type": column.sql_words,
            "nullable": column.is_nullable,
            "length": column.length if column.form in ("text", "bytes") else None,
            "ccsid": column.ccsid,
            "key": places.get(column.name),
        }
        for column in version.columns
    ]
    return dict(zip(DESCRIBED, (list(version.key), version.key_source or None, columns), strict=True))


def key_places(version: Version) -> dict[str, int]:
    """The places of columns in the key, from 1, by name."""
    return {name: place for place, name in enumerate(version.key, 1)}


def field_metadata(columns: Sequence[tuple[TableColumn, Version]], count: int) -> dict[str, str]:
    """The metadata of a table column's Arrow field; `columns` has the column in some of `count` versions, oldest first.

    The type is that of the newest version, unless several control files describe that version differently. The column
    is not null if no version of the table allows null. Place in the key and CCSID are stated if all versions agree.
    """
    newest, last = columns[-1]
    found = {}
    if all(column.sql_words == newest.sql_words for column, version in columns if version.sequence == last.sequence):
        found[TYPE] = newest.sql_words
    if len(columns) == count and not any(column.is_nullable for column, _ in columns):
        found[NOT_NULL] = "true"
    ccsids = {column.ccsid for column, _ in columns}
    if len(ccsids) == 1 and newest.ccsid is not None:
        found[CCSID] = str(newest.ccsid)
    keys = {version.key for _, version in columns}
    place = key_places(last).get(newest.name)
    if len(columns) == count and len(keys) == 1 and place is not None:
        found[KEY] = str(place)
    return found


def describe(log: ChangeLog) -> TableDescriptions:
    """The described tables of a log, for families without further facts."""
    return TableDescriptions([TableDescription(version=one, ids=one.identity) for one in log.all_versions()])


def unique_names(named: Iterable[tuple[str, int]], taken: Collection[str] = ()) -> list[str]:
    """Unique names for columns, given with their numbers; no name is in `taken`.

    The first column with a name keeps the name, unless it is in `taken`. Another column gets `#` and its number
    appended until the name is unique.
    """
    columns = list(named)
    seen, used = set(taken), {*taken, *(name for name, _ in columns)}
    names = []
    for name, number in columns:
        unique = name
        while name in seen and unique in used:
            unique = f"{unique}#{number}"
        seen.add(name)
        used.add(unique)
        names.append(unique)
    return names
