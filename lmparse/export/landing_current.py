"""Landing current tables: what the changes of one table leave, merged by key into a Delta table, chunk after chunk.

A chunk ends with a transaction, so that readers see the table as it was behind a commit, unless a transaction has more
changes than are held at a time. Every chunk is a commit of its own, which says its last `seq`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.descriptions import TYPE
from lmparse.changes.image_columns import ImagePairs
from lmparse.errors import OptionError
from lmparse.export.current_rows import DELETED, KEPT, OWN, CurrentRows, current_rows
from lmparse.export.landing_delta import DeltaFolder
from lmparse.export.landing_marks import begin_current
from lmparse.export.landing_merge import with_unknown
from lmparse.export.landing_rows import TableRows, fitted_batch, united
from lmparse.export.landing_table import LandedTable
from lmparse.export.landing_target import CODE, LandingTarget, check_commits, not_landed

CHUNK_ROWS, CHUNK_BYTES = 1 << 16, 1 << 25
"""Changes from which a chunk ends behind the next transaction, and their bytes."""
MOST_CHUNKS = 8
"""Times as many are held of one transaction."""
_DIVIDED = "a transaction of more changes than are merged at a time has changed keys"
_NANOS = re.compile(r"TIMESTAMP\((?:[7-9]|1[0-2])\)")
"""Types of timestamps of which Arrow's have not all digits here."""


class CurrentTable:
    """The current table of one table."""

    def __init__(self, target: LandingTarget, table: LandedTable, rows: TableRows, commit_digits: int) -> None:
        """`commit_digits` are those of `seq` that are the position of the commit."""
        self._commit_digits = commit_digits
        self._target, self._table, self._rows = target, table, rows
        self._folder = DeltaFolder(target.current(table.folder), table.full_name)
        self._changes = rows.schema
        self._image: pa.StructType = rows.schema.field("after").type
        self._wanted = pa.schema([*(self._image if rows.keys else ()), *OWN])
        self._landed: str | None = None
        """The `seq` up to which changes are in it."""
        self._key: Sequence[str] = rows.keys[-1] if rows.keys else ()
        """Empty if changes are of the table as a whole only: these need none, nor the columns of their versions, which
        may be without names."""

    def refusal(self) -> str:
        """Why there is no current table, or why changes cannot be merged into it; empty if they can."""
        if len(self._rows.keys) > 1:
            keys = " and ".join(", ".join(key) or "none" for key in self._rows.keys)
            return f"its versions have different keys: {keys}"
        if not self._rows.keys:
            return self._why_unfit(())
        if not self._key:
            return "no key of it is known"
        if self._table.key is not None and list(self._key) != self._table.key:
            return f"its key is {', '.join(self._key)}, and was {', '.join(self._table.key)}"
        return self._why_unfit(self._key)

    def _why_unfit(self, key: Sequence[str]) -> str:
        """Why there is no current table by a key; empty if there can be one."""
        names = [entry.name for entry in self._image]
        if taken := sorted({*OWN.names, DELETED, KEPT}.intersection(names)):
            return f"it has a column {taken[0]}, a name that current tables use"
        if missing := [name for name in key if name not in names]:
            return f"the column {missing[0]} of its key is not in the log"
        long = [name for name in key if _NANOS.match(_said(self._image.field(name), TYPE))]
        return f"{long[0]} of its key has more digits of a second than are kept" if long else ""

    def check(self) -> None:
        """Raise OptionError LMP-C008 if its columns cannot be united with those of the changes, LMP-S031 if it cannot
        be merged into, or is gone."""
        if self._table.current_id is not None and self._folder.id is None:
            raise not_landed(self._target.current(self._table.folder), "it is gone, and its rows with it")
        if self._table.current_id == self._folder.id:
            check_commits(self._target.current(self._table.folder), self._table.current_commits, self._folder.commits)
        if why := self._folder.why_unmerged():
            raise OptionError(
                f"{self._table.full_name}: rows are not merged into the current table: {why}", code=CODE,
                hint="write it again as a plain Delta table",
            )  # fmt: skip
        known = self._folder.schema()
        if known is not None:
            if missing := [name for name in self._key or self._table.key or () if name not in known.names]:
                raise not_landed(
                    self._target.current(self._table.folder), f"it has no column {missing[0]}, which is of its key"
                )
            united(known, self._wanted, self._table.full_name)
        self._landed = self._folder.landed_seq()

    def refuse(self, why: str) -> None:
        """Take note of changes that are not merged: a table that has no rows yet lacks those behind what empties it."""
        emptied = self._rows.emptied() if self._folder.id is None else ""
        if emptied:
            self._table.emptied = emptied
            self._table.marks.clear()
        if emptied < (self._rows.last_seq or ""):
            self._table.mark(max(self._rows.first_seq or "", emptied), why)

    def begin(self) -> bool:
        """Take note of what it begins with, as `begin_current`."""
        first, has_rows = self._rows.first_seq or "", self._folder.id is not None
        return begin_current(self._target, self._table, [*self._key], first, has_rows=has_rows)

    def land(self) -> int:
        """Merge the changes that are not in it; returns their number.

        Without a key they are of the table as a whole: they empty it, or say what the rows of later runs lack.
        """
        if self._folder.id is not None and self._table.current_id not in (None, self._folder.id):
            self._table.marks.clear()  # another table was put there
            self._table.dropped = self._table.dropped_next = None
        self._table.current_id = self._folder.id or self._table.current_id
        self._table.take_merged(self._landed)
        self._folder.widen(self._wanted)
        self._folder.add_columns(self._wanted)
        schema, after, count = self._changes, self._landed, 0
        part = _TransactionPart(self._key, after, self._commit_digits)
        for chunk in chunks(self._rows.batches(schema, after), self._commit_digits):
            if part.is_gone_on_with(chunk):
                self._table.mark(chunk.column("seq")[0].as_py(), _DIVIDED)
                self._target.save()
            left = current_rows(chunk, self._key, self._folder.find, self._table.dropped, self._rows.late)
            self._merge(left, chunk.column("seq")[-1].as_py())
            count += chunk.num_rows if self._folder.id is not None else 0
        self._table.current_commits = self._folder.commits
        return count

    def _merge(self, left: CurrentRows, seq: str) -> None:
        is_emptied = left.emptied is not None
        if left.emptied is not None:
            self._table.emptied = left.emptied
            self._table.marks.clear()
        is_noted = bool(left.marks or is_emptied or left.dropped != self._table.dropped)
        if is_noted:
            self._table.dropped_next = [seq, left.dropped]
            for mark in left.marks:
                self._table.mark(mark["seq"], mark["reason"])
            self._target.save()
        known = self._folder.schema()
        has_place = known is not None or bool(self._key)
        wanted = self._wanted if known is None else united(known, self._wanted, self._table.full_name)
        if has_place and (is_emptied or known is None):
            rows = left.rows.filter(pc.invert(left.rows.column(DELETED)))
            rows = fitted_batch(with_unknown(rows), wanted)
            self._folder.replace([rows], wanted, seq)
        elif left.rows.num_rows:
            self._folder.merge(left.rows, self._key, seq)
        self._table.current_id = self._folder.id
        if is_noted:
            self._table.dropped, self._table.dropped_next = left.dropped, None
            self._target.save()


class _TransactionPart:
    """The last transaction of the chunks so far, which may be divided, as one of very many changes is."""

    def __init__(self, key: Sequence[str], after: str | None, commit_digits: int) -> None:
        """`after` is the `seq` up to which changes are merged; of their keys nothing is known."""
        self._key, self._commit_digits = key, commit_digits
        self._commit, self._has_moves = (after or "")[:commit_digits], True

    def is_gone_on_with(self, chunk: pa.RecordBatch) -> bool:
        """Take the next chunk; whether rows in it leave keys that rows may have taken before it, in one transaction.

        Then it cannot be told which of two rows leaves a key: what `current_rows` knows of a chunk ends with it.
        """
        commits = _commits(chunk, self._commit_digits)
        first, last = commits[0].as_py(), commits[-1].as_py()
        goes_on, had_moves = first == self._commit, self._has_moves
        self._commit, self._has_moves = last, False
        if not goes_on and first != last:
            return False
        mine = chunk.slice(0, pc.sum(pc.equal(commits, first)).as_py())
        moves = bool(ImagePairs(mine, self._key).key_changed.any())
        if first == last:
            self._has_moves = moves or (goes_on and had_moves)
        return goes_on and had_moves and (moves or bool(pc.any(pc.equal(mine.column("op"), "D")).as_py()))


def chunks(batches: Iterator[pa.RecordBatch], commit_digits: int) -> Iterator[pa.RecordBatch]:
    """Changes in the order of `seq`, many at a time and whole transactions together."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows < CHUNK_ROWS and size < CHUNK_BYTES:
            continue
        whole = pa.concat_batches(held)
        end = _last_commit(whole, commit_digits)
        if end == 0 and rows < MOST_CHUNKS * CHUNK_ROWS and size < MOST_CHUNKS * CHUNK_BYTES:
            continue
        yield whole.slice(0, end or rows)
        held = [whole.slice(end)] if end else []
        rows, size = sum(one.num_rows for one in held), sum(one.nbytes for one in held)
    if held:
        yield pa.concat_batches(held)


def _commits(batch: pa.RecordBatch, digits: int) -> pa.Array:
    """The position of the commit of each change."""
    return pc.utf8_slice_codeunits(batch.column("seq"), 0, digits)


def _last_commit(batch: pa.RecordBatch, commit_digits: int) -> int:
    """The number of changes in front of the last transaction."""
    commits = _commits(batch, commit_digits)
    places = np.flatnonzero(np.asarray(pc.not_equal(commits.slice(1), commits.slice(0, len(commits) - 1))))
    return int(places[-1]) + 1 if len(places) else 0


def _said(entry: pa.Field, name: str) -> str:
    found: bytes = (entry.metadata or {}).get(name.encode(), b"")
    return found.decode()
