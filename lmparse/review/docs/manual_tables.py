"""Manual tables: the lines of the vendors' tables, and what bytes of a printed type may be.

`field-tables.csv`, among the specs, has the lines in the words, types and numbers of the manuals, misprints included. A
cell of an offset or a length is `variable` where the manual says so, and empty where it prints none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

TABLES = "field-tables.csv"
TOTAL = "(total)"
"""Instead of the id of a field: the line of a table with the length of the whole."""
UNNAMED = "(unnamed)"
_VARIABLE = "variable"
_NUMBERED = re.compile(r"(\w+)\((\d+)\)")
"""A type with its size: `CHAR(4)`."""


@dataclass(frozen=True, slots=True)
class ManualLine:
    """One line of a vendor's table. Offset and length in bytes; None where they vary or are not printed."""

    spec: str
    record: str
    id: str
    """Id of the field, with those around it inside the record (`old_row.rid`); `a:b` for all from a to b; `TOTAL`."""
    vendor_name: str | None
    """The name in the manual; None if it has none there."""
    type: str
    """The type as printed; empty if none is."""
    offset: int | None
    length: int | None
    base: int
    """Number of bytes that the manual counts in front of the layout: of the log record header, for example."""
    source: str
    """Manual, page and table."""
    has_offset: bool = True
    """Whether the manual prints an offset, be it that it varies."""
    has_length: bool = True

    @property
    def name(self) -> str:
        """Spec, record and field, as in the notes."""
        return f"{self.spec}.{self.record}.{self.id}"


class PrintedTypes:
    """What bytes of a type in a manual may be, by the name of the type."""

    def __init__(self, notes: Iterable[Mapping[str, Any]]) -> None:
        self._types = {str(note["printed"]): (frozenset(note["kinds"]), note.get("size")) for note in notes}

    def look_up(self, printed: str) -> tuple[frozenset[str], int | None]:
        """The kinds of fields that a type may have, none for an unknown type; and its bytes, if the type says them."""
        numbered = _NUMBERED.fullmatch(printed)
        kinds, size = self._types.get(numbered[1] if numbered else printed, (frozenset[str](), None))
        return kinds, int(numbered[2]) if numbered else size


def lines() -> list[ManualLine]:
    """The vendors' tables, in the order of their pages."""
    text = resources.files("lmparse").joinpath("_formats", TABLES).read_text("utf-8")
    return [_line(row) for row in csv.DictReader(text.splitlines())]


def _line(row: Mapping[str, str]) -> ManualLine:
    offset, length = row["offset"], row["length"]
    return ManualLine(
        row["spec"], row["record"], row["id"], None if row["vendor_name"] == UNNAMED else row["vendor_name"],
        row["type"], _number(offset), _number(length), int(row["base"]), row["source"], bool(offset), bool(length),
    )  # fmt: skip


def _number(cell: str) -> int | None:
    return None if cell in ("", _VARIABLE) else int(cell)
