"""Table names: the full owner and name of a table, if the log proves them, and the table that the option `table` names.

The header of a change record has 8 bytes of the owner, 18 bytes of the name, and the lengths of the full texts. The
full texts are in the DTBI record behind the documented fields, at undocumented offsets. A text there counts only if its
length and its surroundings show that it is the owner or the name.

All headers of a log are searched for that table before a row is given: a second table of the same name is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lmparse.bmc.control.tables import Tables, TableVersion, full_ids, hexes, identity
from lmparse.errors import InvalidValueError
from lmparse.records.reader import Values
from lmparse.spec.layout import Layout
from lmparse.values.codepages import CodePage


@dataclass(frozen=True, slots=True)
class TableName:
    """Owner and name of a table; `is_short` if only the short form of one of them is known."""

    schema: str
    name: str
    is_short: bool

    @property
    def full(self) -> str:
        """`SCHEMA.NAME`."""
        return f"{self.schema}.{self.name}"


def table_name(values: Values, layout: Layout, version: TableVersion | None, page: CodePage) -> TableName:
    """Owner and name of the table in a header; in full if the log proves them."""
    short_owner, short_name = values["table_owner"] or "", values["table_name"] or ""
    owner_bytes, name_bytes = values["tbowner_len"] or 0, values["tbname_len"] or 0
    owner: str | None = short_owner if owner_bytes <= (layout["table_owner"].width or 0) else None
    name: str | None = short_name if name_bytes <= (layout["table_name"].width or 0) else None
    if version is not None and (owner is None or name is None):
        tail = version.described.get("rest") or b""
        if owner is None:
            owner = _only(text for text in _counted(tail, owner_bytes, page) if text.startswith(short_owner))
        # The product makes up the short name, and repeats it in the record of its table.
        if name is None and short_name in _text(tail, page):
            name = _only(text for text in _counted(tail, name_bytes, page) if text != short_owner)
        fitting = {
            (alias["obj_creator"], alias["obj_name"])
            for alias in version.aliases
            if (alias["obj_creator_len"], alias["obj_name_len"]) == (owner_bytes, name_bytes)
            and (alias["obj_creator"] or "").startswith(short_owner)
        }
        if len(fitting) == 1:
            ((creator, other_name),) = fitting
            owner, name = owner or creator, name or other_name
    return TableName(owner or short_owner, name or short_name, owner is None or name is None)


def has_name(version: TableVersion, name: str, page: CodePage) -> bool:
    """Whether the end of a DTBI record contains a name, full or short."""
    return name in _text(version.described.get("rest") or b"", page)


def is_described_as(version: TableVersion, wanted: str, page: CodePage) -> bool:
    """Whether the end of a DTBI record contains `NAME` or `SCHEMA.NAME`, each behind its length."""
    tail = version.described.get("rest") or b""
    return all(word in _counted(tail, len(word), page) for word in wanted.split("."))


def _only(found: Iterable[str]) -> str | None:
    texts = set(found)
    return texts.pop() if len(texts) == 1 else None


def _text(tail: bytes, page: CodePage) -> str:
    """Bytes as text of the same length; a byte that the code page lacks becomes U+FFFD."""
    try:
        return page.decode(tail)
    except InvalidValueError:
        return "\ufffd" if len(tail) == 1 else "".join(_text(tail[at : at + 1], page) for at in range(len(tail)))


def _counted(tail: bytes, length: int, page: CodePage) -> list[str]:
    """Texts of a length in `tail`: behind three digits with this length, in front of a blank or the end."""
    text = _text(tail, page)
    digits = f"{length:03d}"
    found = []
    place = text.find(digits)
    while place >= 0:
        start = place + len(digits)
        candidate, behind = text[start : start + length], text[start + length : start + length + 1]
        if len(candidate) == length and candidate.strip() == candidate and behind in ("", " "):
            found.append(candidate)
        place = text.find(digits, place + 1)
    return found


TABLE_FIELDS = ("system_id", "dbid", "psid", "tbobid", "tbowner_len", "tbname_len", "table_owner", "table_name")
"""Header fields that identify and name the table of a record."""


class TableSearch:
    """Searches for one table by a name, full or short, or by its ids."""

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

    def find(self, headers: Iterable[Values]) -> dict[tuple[Any, ...], tuple[str, str]]:
        """By ids, the tables in headers that have the name: full name, and text for messages."""
        named = filter(self.is_named, headers)
        return {identity(values): (self._name_of(values).full, self.shown(values)) for values in named}

    def is_named(self, values: Values) -> bool:
        """Whether the table in a header has the name or the ids."""
        name = self._name_of(values)
        short = values["table_name"], f"{values['table_owner']}.{values['table_name']}"
        return self.wanted in (name.name, name.full, *short) or self.wanted.upper() == hexes(*identity(values)[1:])

    def shown(self, values: Values) -> str:
        """The table in a header, as text for messages."""
        return f"{self._name_of(values).full} ({full_ids(values)})"
