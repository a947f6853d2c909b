"""Columns of images: which of them an update changed, and which are not in the log; the values of a key as text.

A value that the log does not have (a LOB, say, see `detail.absent`) or that cannot be read is null, so whether an
update changed it is not known: it is not among the changed columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.schemas import KEY
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.schemas import TEXT
from lmparse.columnar.texts import as_text
from lmparse.errors import OptionError
from lmparse.values.byte_arrays import Flags, Int64s

_NAMES = pa.list_(TEXT)


class ImagePairs:
    """The images of a batch of flat changes, as structs or as JSON text."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        """The column KEY has the key of each change."""
        self._batch = batch
        self._before, self._after = batch.column("before"), batch.column("after")
        self._is_text = not pa.types.is_struct(self._before.type)
        found = batch.column(KEY).fill_null("[]").dictionary_encode()
        self._keys: list[tuple[str, ...]] = [tuple(json.loads(text)) for text in found.dictionary.to_pylist()]
        self._key_of: Int64s = np.asarray(found.indices, np.int64)

    def _check_keys(self) -> None:
        """Raise OptionError LMP-S012 if a struct lacks a column of the key."""
        if self._is_text:
            return
        names = {entry.name for entry in self._before.type}
        for name in (name for key in self._keys for name in key):
            if name not in names:
                raise OptionError(
                    f"column {name} of the key is left out, and the envelope needs it", code="LMP-S012",
                    hint="read it too",
                )  # fmt: skip

    # -- what changed -------------------------------------------------------------------------

    @cached_property
    def updates(self) -> Int64s:
        """The rows with both images."""
        both = pc.and_(self._before.is_valid(), self._after.is_valid())
        found: Int64s = np.flatnonzero(np.asarray(both))
        return found

    @cached_property
    def _differing(self) -> dict[int, list[str]]:
        """Of JSON texts, names of the columns that differ in each update."""
        rows = pa.array(self.updates)
        before, after = (array.take(rows).to_pylist() for array in (self._before, self._after))
        found = {}
        for row, texts in zip(self.updates.tolist(), zip(before, after, strict=True), strict=True):
            old, new = map(json.loads, texts)
            unknown = self._unknown.get(row, ())
            found[row] = [name for name in old if old[name] != new.get(name) and name not in unknown]
        return found

    @cached_property
    def _matrix(self) -> Flags:
        """Of structs, which columns differ in each update: updates by columns."""
        rows = pa.array(self.updates)
        before, after = self._before.take(rows).flatten(), self._after.take(rows).flatten()
        found = np.zeros((len(rows), len(before)), np.bool_)
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            found[:, number] = _differs(old, new)
        numbers = {entry.name: number for number, entry in enumerate(self._before.type)}
        places = {row: place for place, row in enumerate(self.updates.tolist())}
        for row in self._unknown.keys() & places.keys():
            found[places[row], [numbers[name] for name in self._unknown[row] if name in numbers]] = False
        return found

    @property
    def changed(self) -> pa.Array:
        """Names of the columns that each update changed; null for other changes."""
        is_update = np.zeros(self._batch.num_rows, np.bool_)
        is_update[self.updates] = True
        if self._is_text:
            return pa.array([self._differing.get(row) for row in range(len(is_update))], _NAMES)
        matrix = self._matrix
        counts = np.zeros(len(is_update), np.int64)
        counts[self.updates] = matrix.sum(axis=1)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        names = pa.array([entry.name for entry in self._before.type], TEXT)
        values = names.take(pa.array(np.nonzero(matrix)[1]))
        return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(~is_update))

    @cached_property
    def key_changed(self) -> Flags:
        """Which changes are updates that changed a column of the key."""
        self._check_keys()
        found = np.zeros(self._batch.num_rows, np.bool_)
        if not any(self._keys):
            return found
        if self._is_text:
            for row, names in self._differing.items():
                found[row] = not set(names).isdisjoint(self._keys[self._key_of[row]])
            return found
        fields = [entry.name for entry in self._before.type]
        for number, key in enumerate(self._keys):
            mine = self._key_of[self.updates] == number
            columns = [fields.index(name) for name in key]
            found[self.updates[mine]] = self._matrix[np.ix_(mine, columns)].any(axis=1)
        return found

    # -- what is not known ----------------------------------------------------------------------

    @cached_property
    def _absent(self) -> dict[int, dict[str, dict[str, str]]]:
        """By row and role, the columns whose values are not in the log, with the reason."""
        detail = self._batch.column("detail")
        rows = np.flatnonzero(np.asarray(pc.fill_null(pc.match_substring(detail, '"absent"'), False)))
        found: dict[int, dict[str, dict[str, str]]] = {}
        for row, text in zip(rows.tolist(), detail.take(pa.array(rows)).to_pylist(), strict=True):
            reasons = json.loads(text).get("absent")
            for role, name in _places(reasons := reasons if isinstance(reasons, dict) else {}):
                found.setdefault(row, {}).setdefault(role, {})[name] = reasons[f"{role}.{name}"]
        return found

    @cached_property
    def _faulty(self) -> dict[int, dict[str, set[str]]]:
        """By row and role, the columns whose values cannot be read."""
        faults = self._batch.column(schemas.CORRUPT_FIELDS)
        rows = np.flatnonzero(np.asarray(faults.is_valid()))
        found: dict[int, dict[str, set[str]]] = {}
        for row, entries in zip(rows.tolist(), faults.take(pa.array(rows)).to_pylist(), strict=True):
            for role, name in _places(entry["path"] or "" for entry in entries):
                found.setdefault(row, {}).setdefault(role, set()).add(name)
        return found

    @cached_property
    def _unknown(self) -> dict[int, set[str]]:
        """By row, the columns of which one value is not known."""
        found: dict[int, set[str]] = {}
        for by_row in (self._absent, self._faulty):
            for row, roles in by_row.items():
                found.setdefault(row, set()).update(name for names in roles.values() for name in names)
        return found

    def absent(self, *roles: str) -> pa.Array:
        """Names of the columns of some images whose values are not in the log; null if there are none."""
        found: list[list[str] | None] = [None] * self._batch.num_rows
        for row, by_role in self._absent.items():
            names = dict.fromkeys(name for role in roles for name in by_role.get(role, ()))
            found[row] = list(names) or None
        return pa.array(found, _NAMES)


def key_texts(columns: Mapping[str, pa.Array], count: int) -> pa.Array:
    """The values of a key in rows as JSON; null is a value."""
    values = {name: (_json(array), False) for name, array in columns.items()}
    return json_texts.joined(json_texts.members(values), count)


def _json(array: pa.Array) -> pa.Array:
    if pa.types.is_floating(array.type):
        array = pc.add(array, pa.scalar(0, array.type))  # makes -0.0 the 0.0 that it equals
    is_time = pa.types.is_timestamp(array.type) or pa.types.is_date32(array.type)
    return json_texts.values(as_text(array) if is_time else array)


def _places(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Role and column of paths such as `before.NAME`."""
    for path in paths:
        role, _, name = path.partition(".")
        if role in ("before", "after"):
            yield role, name


def _differs(old: pa.Array, new: pa.Array) -> Flags:
    """Where two columns differ; null equals null, NaN equals NaN."""
    same = np.asarray(pc.fill_null(pc.equal(old, new), False))
    same = same | (np.asarray(old.is_null()) & np.asarray(new.is_null()))
    if pa.types.is_floating(old.type):
        nan = [np.asarray(pc.fill_null(pc.is_nan(array), False)) for array in (old, new)]
        same = same | (nan[0] & nan[1])
    found: Flags = ~same
    return found
