"""Descriptions of tables: each version with its columns, its key, and when it was in force, as `lmparse tables` lists.

What the log says of a column beyond the type of its values is also kept in the metadata of Arrow fields:
`lmparse.type` (CHAR(6)), `lmparse.not_null` (true), `lmparse.ccsid` (37), `lmparse.key` (place in the key, from 1).
Fields themselves stay nullable, since a value that cannot be read is null.
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
    """Empty if the log does not say it."""
    is_short: bool = False
    """Whether only the short form of owner or name is known."""
    ids: str
    """As the option `table` takes them."""
    since: str | None = None
    """The position or record from which it was in force; None: from the beginning."""
    until: str | None = None
    """The position or record from which it was not; None: to the end."""
    notes: Sequence[str] = ()
    """What contradicts what in its description, in words."""

    @property
    def full_name(self) -> str:
        """Schema and name, or the ids."""
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
    """What ended the search for names in the log, or for descriptions."""


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
    """The metadata of the Arrow field of a column that some of `count` versions of a table have, oldest first.

    The type is that of the newest one, unless several control files describe it in different ways. The column is not
    null if it is so in all versions; the place in the key and the CCSID are stated if they are the same in all.
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
    """The described tables of a log whose family says no more than `ChangeLog` does."""
    return TableDescriptions([TableDescription(version=one, ids=one.identity) for one in log.all_versions()])


def unique_names(named: Iterable[tuple[str, int]], taken: Collection[str] = ()) -> list[str]:
    """The names of columns, given with their numbers; none occurs twice, and none is in `taken`.

    The first column of a name keeps it, unless it is in `taken`. Another one gets `#` and its number behind it, as
    often as it takes until no column has that name.
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
