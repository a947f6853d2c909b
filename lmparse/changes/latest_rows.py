"""Latest rows: of rows of envelope `apply`, the last one of each key, whatever the order in which they come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.envelopes import KEY_TEXT, MOVED, image_of
from lmparse.columnar.rows import BATCH_ROWS
from lmparse.columnar.schemas import CORRUPT_FIELDS
from lmparse.limits import Held, Limits
from lmparse.values.byte_arrays import Int64s

_WAITING = 1 << 16
"""Rows, at least, that wait until keys are compared again."""


class LatestRows:
    """Keeps the last row of each key by `_seq`, and all rows without a key.

    Rows of equal `_seq` are in the order in which they were added. What is kept counts against the limit `heldBytes`.
    """

    def __init__(self, limits: Limits, file: str) -> None:
        self._held = Held(limits)
        self._file = file
        self._batches: list[pa.RecordBatch] = []
        self._rows = self._kept = self._taken = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows with the columns KEY_TEXT and MOVED. Raises FileLimitError LMP-L004."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        if self._rows > max(2 * self._kept, self._kept + _WAITING):
            self._compact()

    def _compact(self) -> None:
        if not self._batches:
            return
        whole = pa.concat_batches(self._batches)
        whole = whole.take(pa.array(_latest(whole)))
        self._held.give(self._taken)
        self._taken = 0
        self._held.take(whole.nbytes, file=self._file)
        self._taken = whole.nbytes
        self._batches, self._rows, self._kept = [whole], whole.num_rows, whole.num_rows

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows in the order of `_seq`, without KEY_TEXT and MOVED; bad records, without `_seq`, come last."""
        self._compact()
        for whole in self._batches:
            ordered = whole.drop_columns([KEY_TEXT, MOVED]).take(pc.sort_indices(whole.column("_seq")))
            for start in range(0, ordered.num_rows, BATCH_ROWS):
                yield ordered.slice(start, BATCH_ROWS)


def _latest(rows: pa.RecordBatch) -> Int64s:
    """The numbers of the rows to keep, ascending."""
    keys = rows.column(KEY_TEXT).dictionary_encode().indices
    codes = np.asarray(keys.fill_null(-1), np.int64)
    order = np.asarray(pc.sort_indices(rows.column("_seq")), np.int64)  # stable
    order = order[np.argsort(codes[order], kind="stable")]
    ordered = codes[order]
    is_next = np.zeros(len(order), np.bool_)
    is_next[1:] = ordered[1:] == ordered[:-1]
    is_last = ~np.append(is_next[1:], False)
    kept = (ordered < 0) | is_last
    deleted = np.asarray(pc.fill_null(rows.column("_deleted"), False))[order]
    moved = np.asarray(rows.column(MOVED))[order]
    exchanged = is_last & is_next & deleted & moved & (ordered >= 0)
    exchanged[1:] &= moved[:-1] & ~deleted[:-1]
    for place in np.flatnonzero(exchanged).tolist():
        if _took_over(rows, int(order[place - 1]), int(order[place])):
            kept[place], kept[place - 1] = False, True
    found: Int64s = np.sort(order[kept])
    return found


def _took_over(rows: pa.RecordBatch, inserted: int, deleted: int) -> bool:
    """Whether another row has taken the key of a row that an update moved to another key, before that update.

    A statement may exchange keys: row 1 becomes 2 before row 2 becomes 1. Then, in one transaction, the row that leaves
    the key is another one than that which has it by then, and has other values.
    """
    first, second = (rows.slice(place, 1).to_pylist()[0] for place in (inserted, deleted))
    if first["_txn_id"] != second["_txn_id"]:
        return False
    unknown = {name for row in (first, second) for name in row["_absent_columns"] or ()}
    faults = [entry["path"] or "" for row in (first, second) for entry in row[CORRUPT_FIELDS] or ()]
    unknown |= {path.partition(".")[2] for path in faults}
    images = [image_of(row) for row in (first, second)]
    return any(value != images[1].get(name) for name, value in images[0].items() if name not in unknown)
