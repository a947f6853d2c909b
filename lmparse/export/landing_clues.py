"""Landing clues: which tables the changes without a table version may be of.

Such a change has the ids of its table, in `detail` or as its name, or the name that its header states, or neither. The
table may be described in other extracts only, those of later runs too, so what is known of it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lmparse.changes.change import OF_ROWS, TABLE_IDS, UNKNOWN_ID
from lmparse.export.current_rows import leaves_rows_behind
from lmparse.export.late_times import Stretch

_COLUMNS = ("op", "seq", "schema_name", "table_name", "table_name_short", "detail")


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


Clues = dict[TableClue, Stretch]
"""The tables that changes are of, each with the first and the last `seq`."""


def clues_in(batches: Iterable[pa.RecordBatch], ids: str = "") -> Clues:
    """The tables of which changes may have changed rows; `ids` are those of all changes."""
    found: Clues = {}
    for batch in batches:
        for row in _rows(batch):
            add_clue(found, _clue(row, ids), (row["seq"], row["seq"]))
    return found


def add_clue(clues: Clues, clue: TableClue, stretch: Stretch) -> None:
    """Take note of changes of a table."""
    first, last = clues.get(clue, stretch)
    clues[clue] = min(first, stretch[0]), max(last, stretch[1])


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The changes that may have changed rows, with what they have more to say."""
    for row in batch.select(_COLUMNS).to_pylist():
        if row["op"] is None or row["seq"] is None:
            continue
        row["detail"] = json.loads(row["detail"] or "{}")
        if row["op"] in OF_ROWS or leaves_rows_behind(row["op"], row["detail"]):
            yield row


def _clue(row: dict[str, Any], ids: str) -> TableClue:
    schema, name, is_short = row["schema_name"] or "", row["table_name"] or "", row["table_name_short"]
    ids = ids or row["detail"].get(TABLE_IDS, "")
    if not ids and is_short and not schema:
        ids = name  # it stands for a name that is not known
    return TableClue(ids) if is_short else TableClue(ids, schema, name)
