"""Unit groups: changes grouped by their transaction, or unit of recovery, by Arrow's group_by.

A reader adds tables of a few thousand changes at a time. Each is grouped when it is added, and all of them at the end:
memory goes by the number of units, and how many of these tables have changes of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.limits import Held

_NUMBER, _TEXT = pa.int64(), pa.string()
FACTS = ("auth_id", "plan", "correlation_id", "connect_id", "begin_ts", "commit_ts")
"""What a unit takes from its first record."""
UNITS = pa.schema([
    ("txn_id", _TEXT), ("first_index", _NUMBER), ("first_offset", _NUMBER), ("first_position", _TEXT),
    ("last_index", _NUMBER), ("last_offset", _NUMBER), ("last_position", _TEXT), ("records", _NUMBER),
    ("bytes", _NUMBER), ("commit", _TEXT), ("disposition", _NUMBER), ("least", _NUMBER), ("greatest", _NUMBER),
    ("is_broken", pa.bool_()), *((name, _TEXT) for name in FACTS),
])  # fmt: skip
"""What one or more records say of their unit. `commit`, `disposition` and FACTS are those of its first record in the
file; `least` and `greatest` are the least and greatest number of a disposition in any of them."""
COUNTS = pa.schema([
    ("txn_id", _TEXT), ("table", _NUMBER), ("op", _TEXT), ("is_undone", pa.bool_()), ("number", _NUMBER)
])  # fmt: skip
"""Number of changes of one unit, table and operation, and whether they were taken back."""
_SUMS = [("records", "sum"), ("bytes", "sum"), ("least", "min"), ("greatest", "max"), ("is_broken", "max")]
_LAST = ("last_index", "last_offset", "last_position")


def grouped(rows: pa.Table, by: Sequence[str], sums: Sequence[tuple[str, str]]) -> pa.Table:
    """One row for each group, sorted by it; the places of its first and last row are place_min and place_max."""
    rows = rows.append_column("place", pa.array(range(rows.num_rows), _NUMBER))
    wanted = [("place", "min"), ("place", "max"), *sums]
    return rows.group_by(list(by), use_threads=False).aggregate(wanted).sort_by([(name, "ascending") for name in by])


def grouped_units(rows: pa.Table) -> pa.Table:
    """Rows of UNITS, one for each unit."""
    rows = rows.sort_by("first_index")
    totals = grouped(rows, ["txn_id"], _SUMS)
    found = rows.take(totals["place_min"])
    for name, how in _SUMS:
        found = found.set_column(found.schema.get_field_index(name), name, totals[f"{name}_{how}"])
    by_last = rows.sort_by("last_index")
    last = by_last.take(grouped(by_last, ["txn_id"], ())["place_max"])
    for name in _LAST:
        found = found.set_column(found.schema.get_field_index(name), name, last[name])
    return found.cast(UNITS)


def grouped_counts(rows: pa.Table) -> pa.Table:
    """Rows of COUNTS, one for each unit, table, operation and outcome."""
    found = grouped(rows, COUNTS.names[:-1], [("number", "sum")])
    return found.select([*COUNTS.names[:-1], "number_sum"]).rename_columns(COUNTS.names).cast(COUNTS)


class UnitGroups:
    """The units of one log, with the numbers of their records and changes."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._units, self._counts = [UNITS.empty_table()], [COUNTS.empty_table()]

    def add(self, units: pa.Table, counts: pa.Table) -> None:
        """Add rows of UNITS and COUNTS. Raises FileLimitError LMP-L004."""
        for kept, rows in ((self._units, grouped_units(units)), (self._counts, grouped_counts(counts))):
            self._held.take(rows.nbytes)
            kept.append(rows)

    def in_order(self) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Each unit, and the counts of its changes: by commit, then by the first record in the file."""
        units, counts = grouped_units(pa.concat_tables(self._units)), grouped_counts(pa.concat_tables(self._counts))
        runs = pc.run_end_encode(counts["txn_id"].combine_chunks())
        units = units.append_column("place", pc.index_in(units["txn_id"], runs.values))
        ends = [0, *runs.run_ends.to_pylist()]
        for batch in units.sort_by([("commit", "ascending"), ("first_index", "ascending")]).to_batches(1 << 12):
            for unit in batch.to_pylist():
                place = unit.pop("place")
                start, end = (0, 0) if place is None else ends[place : place + 2]
                yield unit, counts.slice(start, end - start).to_pylist()
