"""Landing clues: what no current table has got, and which tables it may be of.

A change without a table version has the ids of its table, in `detail` or as its name, or the name that its header
states, or neither. The table may be described in other extracts only, those of later runs too, so what is known of it
is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import pyarrow as pa

from lmparse.changes.change import TABLE_IDS, UNKNOWN_ID
from lmparse.export.current_rows import effect_of

COLUMNS = ("op", "seq", "schema_name", "table_name", "table_name_short", "detail")
"""Columns of changes that clues are read from."""
_IDS = re.compile(r"\d+\.\d+")
"""Ids that stand for a name that is not known; a short name has another form."""


@dataclass(frozen=True, slots=True)
class TableClue:
    """What is known of the table of a change; what is not known is empty."""

    ids: str = ""
    schema_name: str = ""
    table_name: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether the ids alone tell the table."""
        return bool(self.ids) and UNKNOWN_ID not in self.ids.split(".")

    @property
    def names(self) -> tuple[str, ...]:
        """Schema and name if both are known."""
        return (self.schema_name, self.table_name) if self.schema_name and self.table_name else ()

    @property
    def last_id(self) -> tuple[str, ...]:
        """The last id if it is known, which tells more than those in front of it."""
        last = self.ids.rpartition(".")[2]
        return (last,) if last not in ("", UNKNOWN_ID) else ()

    def may_be(self, table: TableClue) -> bool:
        """Whether it may be a certain table, of which less may be known too."""
        if self.ids and table.ids:
            pairs = [*zip(self.ids.split("."), table.ids.split("."), strict=False)]
            if any(mine != other and UNKNOWN_ID not in (mine, other) for mine, other in pairs):
                return False
            if self.is_sure and table.is_sure:
                return True
        names = ((self.schema_name, table.schema_name), (self.table_name, table.table_name))
        return all(mine == other for mine, other in names if mine and other)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What changes did to a table that has not got them: the first `seq`, and the last of each effect, or nothing.

    They can be put together in any order, and twice.
    """

    first: str = ""
    changed: str = ""
    emptied: str = ""
    dropped: str = ""
    created: str = ""

    def __or__(self, other: LeftOut) -> LeftOut:
        return LeftOut(
            min(filter(None, (self.first, other.first)), default=""), max(self.changed, other.changed),
            max(self.emptied, other.emptied), max(self.dropped, other.dropped), max(self.created, other.created),
        )  # fmt: skip

    @property
    def last(self) -> str:
        """The last change that a table lacks which has rows."""
        return max(self.changed, self.emptied, self.dropped)

    @property
    def end(self) -> str:
        """The last change behind which the table had no rows."""
        return self.created if "" < self.dropped == self.last < self.created else self.emptied


Place = str | tuple[bool, tuple[str, ...] | None]
"""Ids that tell a table, or whether there are such and the names, or the last id without these; None for any."""


class Clues:
    """What was left out, by what is known of its tables; each is found without a look at all others."""

    def __init__(self, found: Iterable[tuple[TableClue, LeftOut]] = ()) -> None:
        self._found: dict[TableClue, LeftOut] = {}
        self._by_place: dict[Place, list[TableClue]] = {}
        self.add(found)

    def __iter__(self) -> Iterator[tuple[TableClue, LeftOut]]:
        return iter(self._found.items())

    def add(self, found: Iterable[tuple[TableClue, LeftOut]]) -> None:
        """Take note of more."""
        for clue, left_out in found:
            if clue not in self._found:
                for place in _places(clue):
                    self._by_place.setdefault(place, []).append(clue)
            self._found[clue] = self._found.get(clue, LeftOut()) | left_out

    def of(self, table: TableClue) -> list[LeftOut]:
        """What may be of a table: of what has ids that tell another one, nothing is."""
        return [self._found[clue] for clue in self._near(table)]

    def of_others(self, table: TableClue) -> list[LeftOut]:
        """The same without what has the very ids of the table."""
        return [self._found[clue] for clue in self._near(table) if clue.ids != table.ids]

    def _near(self, table: TableClue) -> list[TableClue]:
        places: list[Place] = [table.ids] if table.is_sure else []
        for is_sure in (False,) if table.is_sure else (False, True):
            is_told = table.names and table.last_id
            places += [(is_sure, words) for words in ((table.names, table.last_id, ()) if is_told else (None,))]
        clues = dict.fromkeys(clue for place in places for clue in self._by_place.get(place, ()))
        return [clue for clue in clues if clue.may_be(table)]

    def own(self, table: TableClue) -> LeftOut:
        """What is of a table for sure."""
        clues = self._by_place.get(table.ids, ()) if table.is_sure else ()
        return reduce(LeftOut.__or__, (self._found[clue] for clue in clues), LeftOut())

    def entries(self) -> list[dict[str, str]]:
        """What a state says of it, as JSON."""
        return [_entry(*one) for one in self]


def _entry(clue: TableClue, found: LeftOut) -> dict[str, str]:
    return {**asdict(clue), **{name: seq for name, seq in asdict(found).items() if seq}}


def known_clues(found: Any) -> Clues:
    """Clues as a state says them. Raises LookupError, TypeError or ValueError for anything else."""
    entries = [dict(entry) for entry in found]
    if not isinstance(found, list) or not all(isinstance(text, str) for entry in entries for text in entry.values()):
        raise ValueError("what it says of changes without a table version is not text")
    return Clues(
        (TableClue(*(entry.pop(name) for name in ("ids", "schema_name", "table_name"))), LeftOut(**entry))
        for entry in entries
    )


def clues_in(batches: Iterable[pa.RecordBatch], ids: str = "") -> Clues:
    """What changes did to their tables; `ids` are those of all changes."""
    rows = (row for batch in batches for row in batch.select(COLUMNS).to_pylist() if row["seq"] is not None)
    return Clues(_noted(rows, ids))


def _places(clue: TableClue) -> list[Place]:
    """Where a clue is looked for."""
    named: list[Place] = [(clue.is_sure, clue.names or clue.last_id), (clue.is_sure, None)]
    return [*named, clue.ids] if clue.is_sure else named


def _noted(rows: Iterable[dict[str, Any]], ids: str) -> Iterator[tuple[TableClue, LeftOut]]:
    """The changes that matter to rows."""
    for row in rows:
        seq, detail = row["seq"], json.loads(row["detail"] or "{}")
        effect = effect_of(row["op"], detail)
        if effect:
            first = "" if effect == "created" else seq  # that alone leaves a table as it is
            yield _clue(row, ids or detail.get(TABLE_IDS, "")), LeftOut(first, **{effect: seq})


def _clue(row: dict[str, Any], ids: str) -> TableClue:
    schema, name, is_short = row["schema_name"] or "", row["table_name"] or "", row["table_name_short"]
    if not is_short:
        return TableClue(ids, schema, name)
    return TableClue(ids or (name if _IDS.fullmatch(name) else ""))
