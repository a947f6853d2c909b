"""Current rows: what some changes of one table leave of each row that they touch, by the key of the table.

The changes are read one after the other, and of each key the number of the image that it has at the end is kept.

- A value that an update does not have, because it is not in the log (a LOB, say), is that of the row before: of an
  earlier change, or of the row in the target. If the log shows that the update gave it another value, it is unknown.
- A statement may give a row the key of another one that it moves away later (`SET k = k + 1`). Then, in one
  transaction, the change that leaves the key is about the row that had it first. It is recognised by its values, or,
  if they are the same, by the row that had the key before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from lmparse.changes.change import OF_ROWS
from lmparse.changes.image_columns import ImagePairs
from lmparse.columnar.schemas import CORRUPT_FIELDS, MICROS, TEXT
from lmparse.export.late_times import Stretch, is_in
from lmparse.values.byte_arrays import Int64s

UNKNOWN = "_unknown_columns"
NAMES = pa.list_(TEXT)
OWN = pa.schema([("_seq", TEXT), ("_commit_timestamp", MICROS), ("_txn_id", TEXT), (UNKNOWN, NAMES)])
"""Columns of a current table behind those of its rows."""
DELETED, KEPT = "_deleted", "_kept_columns"
_GAP = "gap"
_DESCRIBED, _CREATED, _DROPPED = "db2_dms.initialize_table", "db2_dom.create_table", "db2_dom.drop_table"
"""Kinds of changes of objects (Db2 LUW) that tell one table from the next one of its ids.

The first one is of new tables only. A create is written for the LOB objects of a table too, so it is one of a new table
only where that before it was dropped.
"""
_PARTIAL = frozenset(("limit_keys", "payload", "text"))
"""What a mass delete that may be of some partitions has in `detail`."""
_LATE = "a key has the time of day 24.00.00, which is given as midnight of the next day, another key in the source"
_NOT_CREATED = "the table was dropped, and the creation of the one that has its ids now is not in the log"
Effect = Literal["changed", "emptied", "dropped", "created", ""]
_OF_OBJECTS: Mapping[str | None, Effect] = {_DESCRIBED: "emptied", _CREATED: "created", _DROPPED: "dropped"}
Find = Callable[[Mapping[str, pa.Scalar]], dict[str, Any] | None]
"""The row of the target that has a key, by column name."""


@dataclass(slots=True)
class _Source:
    """Where the value of a column is: in an image of the changes, or in the row of the target that has a key."""

    image: int = -1
    """Number of the image; -1 for a row of the target."""
    key: str = ""
    key_image: int = -1
    """Number of an image with that key."""


@dataclass(slots=True)
class _Holder:
    """What a key has: a row, or none since it was deleted."""

    image: int
    """Number of the image of the row; of the last one if it is deleted."""
    change: int
    is_deleted: bool = False
    mover: int = -1
    """Number of the transaction that gave the row the key by an update; -1 if none did."""
    beneath: _Holder | None = None
    """What had the key before that."""
    was_touched: bool = True
    """Whether `beneath` says it; else the target does."""
    fills: dict[str, _Source | None] = field(default_factory=dict)
    """Columns whose value is not in the image; None where it is not known."""


@dataclass(frozen=True)
class CurrentRows:
    """What changes leave."""

    rows: pa.RecordBatch
    """A row for each key that was touched: columns of the table, OWN, DELETED and KEPT, the names of columns whose
    value is that of the row in the target."""
    emptied: str | None
    """The `seq` of the last change behind which all rows before it are gone; None if there is none."""
    marks: list[dict[str, str]]
    """From where on rows cannot be proven, with the reason."""
    dropped: str | None
    """The `seq` at which the table was dropped, if nothing behind that is known of its ids."""


def current_rows(
    changes: pa.RecordBatch,
    key: Sequence[str],
    find: Find,
    dropped: str | None = None,
    late: Sequence[Stretch] = (),
) -> CurrentRows:
    """What changes of one table, in the order of `seq`, leave.

    `dropped` is what the changes before them left; `late` is where they have late times in their key.
    """
    return _Replay(changes, key, find, dropped, late).result()


def effect_of(op: str | None, detail: Mapping[str, Any]) -> Effect:
    """What a change does to the rows of its table.

    A table that is `created` has no rows where the one before it was dropped, see `_CREATED`; none are left of one that
    was `dropped` as soon as another has its ids.
    """
    if op == "T" or (op == "M" and not _PARTIAL.intersection(detail)):
        return "emptied"
    if op is None or op in OF_ROWS or (op == "S" and _GAP in detail):
        return "changed"
    return _OF_OBJECTS.get(detail.get("kind"), "") if op == "O" else ""


class _Replay:
    """The changes as they are applied one after the other."""

    def __init__(
        self, changes: pa.RecordBatch, key: Sequence[str], find: Find, dropped: str | None, late: Sequence[Stretch]
    ) -> None:
        self._changes, self._key, self._find, self._dropped, self._late = changes, key, find, dropped, late
        images = ImagePairs(changes, key)
        self._old, self._new = (images.key_texts(role).to_pylist() for role in ("before", "after"))
        self._moved = images.key_changed
        self._absent, self._absent_before = (
            {row: names for row, names in enumerate(images.absent(role).to_pylist()) if names}
            for role in ("after", "before")
        )
        self._overwritten = images.overwritten
        self._txns = changes.column("txn_id").dictionary_encode().indices.fill_null(-2).to_pylist()
        self._count = changes.num_rows
        self._held: dict[str, _Holder] = {}
        self._emptied: str | None = None
        self._marks: list[dict[str, str]] = []

    @cached_property
    def _images(self) -> pa.StructArray:
        """All images: those after the changes, then those before them."""
        return pa.concat_arrays([self._changes.column(role) for role in ("after", "before")])

    @cached_property
    def _unreadable(self) -> dict[int, list[str]]:
        """By number, the columns of an image after a change whose values cannot be read."""
        return self._faults("after.")

    @cached_property
    def _unreadable_before(self) -> dict[int, list[str]]:
        """The same of images before a change."""
        return self._faults("before.")

    def _faults(self, prefix: str) -> dict[int, list[str]]:
        faults = self._changes.column(CORRUPT_FIELDS)
        if faults.null_count == len(faults):
            return {}
        paths = ([entry["path"] or "" for entry in entries or ()] for entries in faults.to_pylist())
        names = ([path.removeprefix(prefix) for path in found if path.startswith(prefix)] for found in paths)
        return {row: found for row, found in enumerate(names) if found}

    def result(self) -> CurrentRows:
        """What is left."""
        for row, op in enumerate(self._changes.column("op").to_pylist()):
            if self._dropped is not None and op in ("I", "U", "D"):
                self._go_on(row)
            if self._late and is_in(self._late, self._seq(row)):
                self._mark(row, _LATE)
            if op == "I":
                self._put(row, None, is_new=True)
            elif op == "U":
                self._update(row)
            elif op == "D":
                self._leave(row)
            elif op in ("T", "M", "X", "S", "O", None):
                self._whole(row, op)
        return CurrentRows(self._rows(), self._emptied, self._marks, self._dropped)

    # -- changes of rows --------------------------------------------------------------------------

    def _update(self, row: int) -> None:
        if self._moved[row]:
            self._put(row, self._leave(row), is_moved=True)
            return
        key = self._new[row]
        before = None if key is None else self._held.get(key)
        self._put(row, self._untouched(row) if before is None else before)

    def _untouched(self, row: int) -> _Holder | None:
        """The row of the target that a change has the image of."""
        if self._is_emptied or self._old[row] is None:
            return None
        return _Holder(-1, row)

    def _put(self, row: int, before: _Holder | None, *, is_new: bool = False, is_moved: bool = False) -> None:
        """A row has a key from now on; `before` is the same row until now."""
        key = self._new[row]
        if key is None:
            self._mark(row, "a change has a key that cannot be read")
            return
        made = _Holder(row, row)
        for name in self._absent.get(row, ()):
            is_lost = is_new or name in self._overwritten.get(row, ())
            made.fills[name] = None if is_lost else self._source(before, name)
        for name in self._unreadable.get(row, ()):
            made.fills[name] = None
        if is_moved:
            made.mover, made.beneath = self._txns[row], self._held.get(key)
            made.was_touched = made.beneath is not None or self._is_emptied
        elif before is not None and before.mover == self._txns[row]:
            made.mover, made.beneath, made.was_touched = before.mover, before.beneath, before.was_touched
        self._held[key] = made

    def _source(self, before: _Holder | None, name: str) -> _Source | None:
        """Where the value is that a column of a row had."""
        if before is None or before.is_deleted:
            return None
        if before.image < 0:
            return _Source(key=self._old[before.change], key_image=self._count + before.change)
        return before.fills[name] if name in before.fills else _Source(image=before.image)

    def _leave(self, row: int) -> _Holder | None:
        """A row does not have its key any longer; returns what it was until now."""
        key = self._old[row]
        if key is None:
            self._mark(row, "a change has a key that cannot be read")
            return None
        holder = self._held.get(key)
        if holder is not None and not holder.is_deleted and self._is_of_another(holder, row):
            first = holder.beneath if holder.was_touched else _Holder(-1, row)
            holder.beneath, holder.was_touched = None, True
            return first
        self._held[key] = _Holder(self._count + row, row, is_deleted=True)
        return self._untouched(row) if holder is None else holder

    def _is_of_another(self, holder: _Holder, row: int) -> bool:
        """Whether a change that leaves a key is of the row that had it before an update gave it to its holder."""
        if holder.mover != self._txns[row]:
            return False
        if holder.was_touched:
            return holder.beneath is not None and not holder.beneath.is_deleted
        image, before = (self._images[number].as_py() for number in (holder.image, self._count + row))
        unknown = {*holder.fills, *self._absent_before.get(row, ()), *self._unreadable_before.get(row, ())}
        if any(not _is_same(value, before[name]) for name, value in image.items() if name not in unknown):
            return True
        return self._find(self._key_of(self._count + row)) is not None

    def _key_of(self, image: int) -> dict[str, pa.Scalar]:
        value = self._images[image]
        return {name: value[name] for name in self._key}

    # -- changes of the table -----------------------------------------------------------------------

    def _whole(self, row: int, op: str) -> None:
        """All rows are gone, rows change of which the log has no images, or the table is dropped or another one."""
        detail = json.loads(self._changes.column("detail")[row].as_py() or "{}")
        effect = effect_of(op, detail)
        if effect == "emptied" or (effect == "created" and self._is_behind_drop(row)):
            self._empty(row)
        elif effect == "dropped":
            self._dropped = self._seq(row)
        elif op == "M":
            self._mark(row, "a mass delete of some partitions, whose rows the log does not name")
        elif op == "X":
            self._mark(row, "an exchange with a clone table, whose rows the log does not have")
        elif op is None:
            self._mark(row, "a change is of a type that no manual describes, and so is what it does to rows")
        elif effect == "changed":
            self._mark(row, f"rows are missing in the log: {detail[_GAP]}")

    def _go_on(self, row: int) -> None:
        """A row of a table that was dropped changes."""
        if self._is_behind_drop(row):
            self._mark(row, _NOT_CREATED)
            self._dropped = None

    def _is_behind_drop(self, row: int) -> bool:
        """A run of an earlier release that was killed has noted the drop, and may not have merged what is in front."""
        return self._dropped is not None and self._dropped < self._seq(row)

    def _empty(self, row: int) -> None:
        self._held.clear()
        self._marks.clear()
        self._emptied, self._dropped = self._seq(row), None

    @property
    def _is_emptied(self) -> bool:
        return self._emptied is not None

    def _seq(self, row: int) -> str:
        seq: str = self._changes.column("seq")[row].as_py()
        return seq

    def _mark(self, row: int, reason: str) -> None:
        self._marks.append({"seq": self._seq(row), "reason": reason})

    # -- what is left -------------------------------------------------------------------------------

    def _rows(self) -> pa.RecordBatch:
        held = {key: one for key, one in self._held.items() if not (one.is_deleted and self._is_emptied)}
        unknown: list[list[str]] = [[] for _ in held]
        kept: list[list[str]] = [[] for _ in held]
        filled = {entry.name: _Filled(entry.name) for entry in self._images.type}
        for place, (key, one) in enumerate(held.items()):
            for name, source in one.fills.items():
                if source is not None and source.image < 0 and source.key == key:
                    kept[place].append(name)
                elif not filled[name].add(place, source, self._found(source, name)):
                    unknown[place].append(name)
        numbers = np.array([one.image for one in held.values()], np.int64)
        columns = {
            entry.name: filled[entry.name].column(array, numbers)
            for entry, array in zip(self._images.type, self._images.flatten(), strict=True)
        }
        changes = self._changes.take(pa.array([one.change for one in held.values()], pa.int64()))
        columns |= {
            "_seq": changes.column("seq"), "_commit_timestamp": changes.column("commit_ts"),
            "_txn_id": changes.column("txn_id"), UNKNOWN: pa.array([names or None for names in unknown], NAMES),
            DELETED: pa.array([one.is_deleted for one in held.values()], pa.bool_()),
            KEPT: pa.array([names or None for names in kept], NAMES),
        }  # fmt: skip
        return pa.RecordBatch.from_pydict(columns)

    def _found(self, source: _Source | None, name: str) -> dict[str, Any]:
        """The row of the target that a value is taken from, if it has the value."""
        if source is None or source.image >= 0:
            return {}
        row = self._find(self._key_of(source.key_image)) or {}
        return {} if name in (row.get(UNKNOWN) or ()) else row


def _is_same(first: Any, second: Any) -> bool:
    """Whether two values are equal; NaN equals NaN."""
    return bool(first == second or (first != first and second != second))


class _Filled:
    """The values of one column; some are not those of the images that the rows have."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._from_images: dict[int, int] = {}
        self._from_target: dict[int, Any] = {}

    def add(self, place: int, source: _Source | None, row: Mapping[str, Any]) -> bool:
        """Take the value of a row from another image, or from a row of the target; whether it is known there."""
        if source is not None and source.image >= 0:
            self._from_images[place] = source.image
        elif self._name in row:
            self._from_target[place] = row[self._name]
        else:
            return False
        return True

    def column(self, array: pa.Array, numbers: Int64s) -> pa.Array:
        """The values, from the values of all images and the number of the image of each row."""
        numbers = numbers.copy()
        numbers[[*self._from_images]] = [*self._from_images.values()]
        if self._from_target:
            numbers[[*self._from_target]] = len(array) + np.arange(len(self._from_target))
            array = pa.concat_arrays([array, pa.array([*self._from_target.values()], array.type)])
        return array.take(pa.array(numbers))
