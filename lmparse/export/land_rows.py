"""Rows to land: the changes of each table of a log, in the order of `seq`, with one schema.

Versions of a table are united by the rules of Spark: columns that a version lacks are null, integers and decimals are
widened. Existing columns of a table keep their place; new columns stand behind them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.descriptions import TYPE
from lmparse.columnar.schemas import CORRUPT_RECORD, commented, widened
from lmparse.errors import FramingError, OptionError
from lmparse.export.change_parts import Group, stored, taken
from lmparse.options import SEQ_DIGITS

_NANOS = re.compile(r"TIMESTAMP\((?:[7-9]|1[0-2])\)")
_UNLIKE_SPARK = re.compile("[ ,;{}()\n\t=]")
COMMIT_DATE = "commit_date"
_DATE = commented(COMMIT_DATE, pa.date32(), "day of commit_ts; null if that is")
OTHER = "other"
"""Folder, and ids, of changes without a table version."""
IDENTIFYING = ("seq", "_metadata", CORRUPT_RECORD)
"""Columns that tell rows apart."""
NONE_LANDED = "0" * SEQ_DIGITS
"""Stated by a table without a change that has a `seq`."""
_BEHIND_ALL = "G"
"""Above every `seq`, because digits are hexadecimal."""
Find = Callable[[pa.Schema, str], Iterable[pa.RecordBatch]]
"""Yields the columns IDENTIFYING of rows from a `seq` on, and of rows without one; a schema has their types."""


@dataclass(frozen=True)
class NamedTable:
    """The names of a table."""

    ids: str
    schema_name: str
    table_name: str

    @property
    def full_name(self) -> str:
        """Schema and name of the table, or its ids."""
        return ".".join(word for word in (self.schema_name, self.table_name) if word) or self.ids


@dataclass(frozen=True)
class TableRows(NamedTable):
    """The changes of one table, or changes without a table version."""

    groups: Sequence[Group]
    keys: tuple[tuple[str, ...], ...]
    """The distinct keys of versions with rows; an empty key stands for an unknown key."""

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of all versions.

        Raises OptionError LMP-C008 for two types without a common type, and for names that no table can have.
        """
        found = pa.schema([])
        for group in sorted(self.groups, key=lambda group: group.sequence):
            found = united(found, pa.schema([*group.schema, _DATE]), self.full_name)
        for image in (found.field(role).type for role in ("before", "after")):
            if pa.types.is_struct(image):
                self._check_names([entry.name for entry in image])
        return found

    def _check_names(self, names: Sequence[str]) -> None:
        counts = Counter(name.casefold() for name in names)
        same = [name for name in names if counts[name.casefold()] > 1]
        if same:
            text = f"{self.full_name}: the columns {', '.join(same)} have one name where case does not count"
            raise OptionError(text, code="LMP-C008", hint="most readers of tables find neither of them")
        if any("\0" in name for name in names):
            raise OptionError(f"{self.full_name}: a column has a name with a NUL", code="LMP-C008")

    @cached_property
    def _batches(self) -> list[pa.RecordBatch]:
        return [batch for group in self.groups for batch in stored(group.path)]

    @cached_property
    def _seqs(self) -> pa.ChunkedArray:
        return pa.chunked_array([batch.column("seq") for batch in self._batches])

    @property
    def last_seq(self) -> str | None:
        """The greatest `seq`; None if no row has a `seq`, as for bad records."""
        found: str | None = pc.max(self._seqs).as_py()
        return found

    def new_rows(self, schema: pa.Schema, landed: str | None, find: Find) -> Iterator[pa.RecordBatch]:
        """Yield, in the order of `seq`, the rows that a table with changes up to `landed` lacks.

        Raises FramingError LMP-F014 if the table lacks a row in front of `landed`.
        """
        first, bad = pc.min(self._seqs).as_py() or _BEHIND_ALL, set[Any]()
        if landed is not None and (first < landed or self._seqs.null_count):
            had = [*find(self.schema, first)]
            seqs = pa.chunked_array([batch.column("seq") for batch in had], pa.string())
            lacks = pc.and_(pc.less_equal(self._seqs, landed), pc.invert(pc.is_in(self._seqs, value_set=seqs)))
            lacking = pc.min(self._seqs.filter(pc.fill_null(lacks, False))).as_py()
            if lacking is not None:
                raise FramingError(
                    f"it comes too late: {self.full_name} has changes behind {lacking}, which a run has landed that "
                    "was ended", code="LMP-F014",
                    hint="land the files of that run first, and no others in front of their end",
                )  # fmt: skip
            bad = {place for batch in had for place in _bad_places(batch)}
        return self._new(schema, landed or "", bad)

    def _new(self, schema: pa.Schema, landed: str, bad: set[Any]) -> Iterator[pa.RecordBatch]:
        def with_date(batch: pa.RecordBatch) -> pa.RecordBatch:
            dates = pc.floor_temporal(batch.column("commit_ts"), unit="day").cast(pa.date32())
            return fitted(batch.append_column(_DATE, dates), schema)

        order = np.asarray(pc.sort_indices(self._seqs)).astype(np.int64)
        for batch in taken(self._batches, order, with_date):
            is_new = pc.fill_null(pc.greater(batch.column("seq"), landed), False)
            if batch.column("seq").null_count:
                is_new = pc.or_(is_new, pa.array([bool(place) and place not in bad for place in _bad_places(batch)]))
            if is_new.true_count:
                yield batch.filter(is_new)


def _bad_places(batch: pa.RecordBatch) -> list[Any]:
    """File, offset and bytes of each bad record, to tell bad records apart; None for other rows."""
    if not batch.column("seq").null_count:
        return [None] * batch.num_rows
    where, raw = batch.column("_metadata"), batch.column(CORRUPT_RECORD)
    places = zip(
        where.field("file").to_pylist(), where.field("record_offset").to_pylist(), raw.to_pylist(), strict=True
    )
    is_bad = batch.column("seq").is_null().to_pylist()
    return [place if bad else None for bad, place in zip(is_bad, places, strict=True)]


def tables_of(groups: Iterable[Group]) -> list[TableRows]:
    """The tables of changes; changes without a version come last."""
    found: dict[str, list[Group]] = {}
    for group in groups:
        is_struct = pa.types.is_struct(group.schema.field("after").type)
        ids = OTHER if group.identity is None or not is_struct else group.identity.partition(" ")[0]
        found.setdefault(ids, []).append(group)
    other, tables = found.pop(OTHER, None), list[TableRows]()
    for ids, own in sorted(found.items()):
        first = next(iter(stored(own[0].path)))
        schema, name = (first.column(column)[0].as_py() or "" for column in ("schema_name", "table_name"))
        keys = {tuple(group.table_key) if _is_exact(group) else () for group in own if _has_rows(group)}
        tables.append(TableRows(ids, schema, name, own, tuple(sorted(keys))))
    return tables if other is None else [*tables, TableRows(OTHER, "", OTHER, other, ())]


def _is_exact(group: Group) -> bool:
    """Whether rows have their exact key: a timestamp in a row has at most six digits of a second."""
    image = group.schema.field("after").type
    metadata = [image.field(name).metadata or {} for name in group.table_key if image.get_field_index(name) >= 0]
    return not any(_NANOS.match(facts.get(TYPE.encode(), b"").decode()) for facts in metadata)


def _has_rows(group: Group) -> bool:
    """Whether any change has a row; the changes of a version may only report the creation of the table."""
    images = (batch.column(role) for batch in stored(group.path) for role in ("before", "after"))
    return any(image.null_count < len(image) for image in images)


# -- schemas ------------------------------------------------------------------------------------


def united(first: pa.Schema, second: pa.Schema, name: str) -> pa.Schema:
    """The columns of both schemas, those of `first` in front. Raises OptionError LMP-C008 with the table's name.

    Only comments of columns are kept, because other metadata may change in later versions.
    """
    return pa.schema(_united_fields(list(first), list(second), name))


def _united_fields(first: Sequence[pa.Field], second: Sequence[pa.Field], name: str) -> list[pa.Field]:
    found = {entry.name: entry for entry in first}
    for entry in second:
        known = found.get(entry.name, entry)
        type_ = _united_type(known.type, entry.type, f"{name}: {entry.name}")
        comment = {key: text for key, text in (known.metadata or {}).items() if key == b"comment"}
        found[entry.name] = pa.field(entry.name, type_, metadata=comment or None)
    return list(found.values())


def _united_type(first: pa.DataType, second: pa.DataType, name: str) -> pa.DataType:
    if pa.types.is_struct(first) and pa.types.is_struct(second):
        return pa.struct(_united_fields(list(first), list(second), name))
    if first == second or (pa.types.is_list(first) and pa.types.is_list(second)):
        return first
    found = widened(first, second)
    if found is None:
        raise OptionError(
            f"{name} is {first} in what is landed, and {second} in the log", code="LMP-C008",
            hint="land into another folder from here on",
        )  # fmt: skip
    return found


def names_unlike_spark(schema: pa.Schema) -> list[str]:
    """Columns of rows whose names make Spark refuse a Delta table."""
    images = (schema.field(role).type for role in ("before", "after"))
    names = (entry.name for image in images if pa.types.is_struct(image) for entry in image)
    return [name for name in dict.fromkeys(names) if _UNLIKE_SPARK.search(name)]


def is_widened(known: pa.Schema, wanted: pa.Schema) -> bool:
    """Whether a column, also of a struct, has another type in the united schema."""
    old, new = (one.empty_table().flatten().schema for one in (known, wanted))
    return any(new.field(entry.name).type != entry.type for entry in old)


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Rows with the columns of a schema; missing columns are null."""
    found = dict(zip(batch.schema.names, batch.columns, strict=True))
    arrays = [_fitted(found.get(entry.name), entry.type, batch.num_rows) for entry in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitted(array: pa.Array | None, type_: pa.DataType, count: int) -> pa.Array:
    if array is None:
        return pa.nulls(count, type_)
    if not pa.types.is_struct(type_):
        return array if array.type == type_ else array.cast(type_)
    found = dict(zip([entry.name for entry in array.type], array.flatten(), strict=True))
    arrays = [_fitted(found.get(entry.name), entry.type, count) for entry in type_]
    return pa.StructArray.from_arrays(arrays, fields=list(type_), mask=array.is_null())
