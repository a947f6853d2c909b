"""Change counts: the number of changes for each value of some columns, by Arrow's group_by, in bounded memory."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.schemas import changes_schema
from lmparse.columnar.schemas import CORRUPT_RECORD

MOST_GROUPS = 10_000
"""Most groups, such as tables and operations, that are counted one by one; later groups are counted together."""


def counted_columns(*by: str) -> pa.Schema:
    """The columns that `ChangeCounts` needs from changes to count by the columns `by`."""
    wanted = {*by, "commit_ts", CORRUPT_RECORD}
    return pa.schema([entry for entry in changes_schema(None) if entry.name in wanted])


class ChangeCounts:
    """Number of changes, and times of the first and last commit, for each combination of values of some columns."""

    def __init__(self, *by: str) -> None:
        self._by = by
        self._known: pa.Table | None = None
        self.others = 0
        """Number of changes in groups behind the first MOST_GROUPS."""

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the changes of a batch."""
        batch = batch.filter(batch.column(CORRUPT_RECORD).is_null())
        times, ones = batch.column("commit_ts"), pa.repeat(1, batch.num_rows)
        columns = {name: batch.column(name) for name in self._by}
        rows = pa.table({**columns, "changes": ones, "first_commit": times, "last_commit": times})
        names = rows.schema.names
        wanted = [("changes", "sum"), ("first_commit", "min"), ("last_commit", "max")]
        # Without threads, groups are in the order of their first rows, so known groups stay in front.
        groups = pa.concat_tables([rows] if self._known is None else [self._known, rows])
        groups = groups.group_by(list(self._by), use_threads=False).aggregate(wanted)
        groups = groups.select([*self._by, *("_".join(one) for one in wanted)]).rename_columns(names)
        self.others += pc.sum(groups["changes"].slice(MOST_GROUPS)).as_py() or 0
        self._known = groups.slice(0, MOST_GROUPS)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The groups, largest number of changes first; times are text."""
        if self._known is None:
            return []
        order = [("changes", "descending"), *((name, "ascending") for name in self._by)]
        return [
            {name: value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value
             for name, value in row.items()}
            for row in self._known.sort_by(order).to_pylist()
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The groups as JSON."""
        return {"groups": self.rows, "others": self.others}
