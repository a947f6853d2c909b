"""Columns of images: whether an update changed the key, which of them are not in the log; the values of a key as text.

A value that the log does not have (a LOB, say, see `detail.absent`) or that cannot be read is null, so whether an
update changed it is not known: it does not count as changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    @cached_property
    def key_changed(self) -> Flags:
        """Which changes are updates that changed a column of the key.

        Raises OptionError LMP-S012 if a struct lacks a column of the key.
        """
        for name in () if self._is_text else (name for key in self._keys for name in key):
            if self._before.type.get_field_index(name) < 0:
                text = f"column {name} of the key is left out, and the envelope needs it"
                raise OptionError(text, code="LMP-S012", hint="read it too")
        found = np.zeros(self._batch.num_rows, np.bool_)
        both = np.asarray(pc.and_(self._before.is_valid(), self._after.is_valid()))
        for number, key in enumerate(self._keys):
            rows = np.flatnonzero(both & (self._key_of == number))
            for name, differs in self._differing(rows, key):
                differing = np.zeros(len(found), np.bool_)
                differing[rows] = differs
                differing[[row for row, names in self._unknown.items() if name in names]] = False
                found |= differing
        return found

    def _differing(self, rows: Int64s, names: Sequence[str]) -> Iterator[tuple[str, Flags]]:
        """Which of some updates have two values of a column, for each of some columns."""
        before, after = (array.take(pa.array(rows)) for array in (self._before, self._after))
        if not self._is_text:
            yield from ((name, _differs(before.field(name), after.field(name))) for name in names)
        elif names:
            pairs = [
                [json.loads(text) for text in pair] for pair in zip(before.to_pylist(), after.to_pylist(), strict=True)
            ]
            for name in names:
                yield name, np.array([old.get(name) != new.get(name) for old, new in pairs], np.bool_)

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
    values: dict[str, tuple[json_texts.Part, bool]] = {}
    for name, array in columns.items():
        if pa.types.is_floating(array.type):
            array = pc.add(array, pa.scalar(0, array.type))  # makes -0.0 the 0.0 that it equals
        is_time = pa.types.is_timestamp(array.type) or pa.types.is_date32(array.type)
        values[name] = json_texts.values(as_text(array) if is_time else array), False
    return json_texts.joined(json_texts.members(values), count)


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
