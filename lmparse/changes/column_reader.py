"""Column-wise reading of changes: the part that all families share, from the changes of a window to batches.

A family selects the regular changes of a window, and finds their rows and columns. The record-by-record code of the log
reads all other changes, irregular rows included. Their rows are inserted at their places.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Change, Version
from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import (
    JSON_COLUMNS,
    FallbackRow,
    VersionBatch,
    are_structs,
    batch_of,
    by_schema,
    joined,
    key_text,
    line_row,
    printed_columns,
    rows_of,
)
from lmparse.changes.schemas import KEY, version_schema
from lmparse.columnar import json_texts, schemas
from lmparse.columnar.json_texts import as_text
from lmparse.columnar.row_plan import DecodedRows, RowPlan
from lmparse.errors import LmparseError
from lmparse.framing.extents import Span
from lmparse.values.byte_arrays import Bytes, Int64s


def text_refusal(schema: pa.Schema | None) -> str:
    """Why the columns of a schema are made row by row; empty if they are made column-wise."""
    images = [] if schema is None else [entry for entry in schema if entry.name in ("before", "after")]
    if any(pa.types.is_struct(entry.type) for entry in images) and any(
        pa.types.is_string(entry.type) for entry in images
    ):
        return "images of two forms are made row by row"
    return ""


@dataclass(frozen=True)
class RowExtents:
    """Offsets and lengths of the rows before changes, or of the rows after changes."""

    places: Int64s
    """Indexes in the group of the changes that have such a row."""
    starts: Int64s
    """Offset of each row in the data of the group."""
    lengths: Int64s


@dataclass(frozen=True, kw_only=True)
class ChangeGroup:
    """Changes of one table version with regular headers."""

    version: Version
    names: Mapping[str, Any]
    """The values of TABLE_NAMES."""
    plan: RowPlan[Any]
    data: Bytes
    numbers: Int64s
    """Numbers of the changes in the window; ascending."""
    rows: Mapping[str, RowExtents]
    """By role: before, after."""

    @property
    def size(self) -> int:
        """Bytes of all rows."""
        return sum(int(rows.lengths.sum()) for rows in self.rows.values())


TABLE_NAMES = ("schema_name", "table_name", "table_name_short")
"""Columns with one value in all changes of a table."""
LeftOut = tuple[str, Sequence[int] | Int64s]
"""A reason to leave out changes of a window, and the numbers of these changes, ascending."""
L = TypeVar("L", bound=ChangeLog)
W = TypeVar("W", bound=Sized)
G = TypeVar("G", bound=ChangeGroup)


class ColumnReader(ABC, Generic[L, W, G]):
    """Reads the changes of one log column-wise.

    With a schema, all rows have its columns. Otherwise each table version has a schema of its own. A schema with the
    column `json_texts.LINE` gives the lines of `lmparse changes`: each batch has one table version, and bad records
    have no row.
    """

    def __init__(self, log: L, schema: pa.Schema | None = None) -> None:
        self.log = log
        self._wanted_schema = schema
        self._has_lines = schema is not None and json_texts.LINE in schema.names
        self._has_one_schema = schema is not None and not self._has_lines
        self._wanted_columns = frozenset(log.options.columns) or None
        self._schemas: dict[int, pa.Schema] = {}
        self._left_out: list[LeftOut] = []

    @abstractmethod
    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """Yield the changes, some thousand at a time. Raises as `ChangeLog.typed_changes` does."""

    @abstractmethod
    def _select(self, window: W) -> tuple[Iterable[G], list[int]]:
        """The wanted regular changes of a window, and the numbers of the changes to be read one by one."""

    @abstractmethod
    def _change(self, window: W, number: int) -> Change | None:
        """Read one change of a window; None if the change is left out or bad."""

    @abstractmethod
    def _column(self, entry: pa.Field, group: G, decoded: Mapping[str, DecodedRows]) -> pa.Array | None:
        """A column of a group other than rows and names; None if all values are null."""

    def _schema_of(self, version: Version | None) -> pa.Schema:
        if self._wanted_schema is not None:
            return self._wanted_schema
        if id(version) not in self._schemas:
            self._schemas[id(version)] = version_schema(self.log, version)
        return self._schemas[id(version)]

    def _has_texts(self, version: Version) -> bool:
        """Whether the images of a table version become JSON text."""
        schema = self._schema_of(version)
        roles = [role for role in ("before", "after") if role in schema.names]
        return self._has_lines or (bool(roles) and all(pa.types.is_string(schema.field(role).type) for role in roles))

    def _suits(self, version: Version, plan: RowPlan[Any]) -> bool:
        """Whether a plan decodes the wanted columns of a table version without changing values."""
        if plan.refusal(self._wanted_columns):
            return False
        if self._has_texts(version):
            return True
        schema = self._schema_of(version)
        images = [schema.field(role).type for role in ("before", "after") if role in schema.names]
        types = {column.name: column.type for column in plan.columns}
        return all(
            pa.types.is_struct(type_)
            and all(schemas.widened(types.get(entry.name, entry.type), entry.type) == entry.type for entry in type_)
            for type_ in images
        )

    def _read_window(self, window: W) -> Iterator[list[VersionBatch]]:
        """Yield the changes of a window."""
        groups, numbers = self._select(window)
        batches: list[VersionBatch] = []
        for group in groups:
            batch, irregular = self._decode(group)
            batches.append(batch)
            numbers += irregular.tolist()
        rows: list[FallbackRow] = []
        reached, fault = len(window), None
        for number in sorted(numbers):
            try:
                rows += self._fallback_rows(number, self._change(window, number))
            except LmparseError as error:
                # Count changes in front of the error.
                reached, fault = number, error
                break
        for why, left_out in self._left_out:
            if count := int(np.searchsorted(left_out, reached)):
                self.log.left_out[why] += count
        self._left_out.clear()
        batches = [part for batch in batches if len((part := batch.before(reached)).numbers)]
        batches += self._fallback_batches(rows)
        yield [joined(found) for found in by_schema(batches, has_one=self._has_one_schema)]
        if fault is not None:
            raise fault

    # -- one by one -------------------------------------------------------------------------

    def _fallback_rows(self, number: int, change: Change | None) -> list[FallbackRow]:
        """The row of one change, behind the rows of bad records in front of the change."""
        if self._has_lines:
            self.log.bad_records.clear()
            return [] if change is None else [FallbackRow(number, change.table, line_row(self.log, change))]
        schema = self._wanted_schema
        is_struct = None if schema is None else are_structs(schema)
        return [FallbackRow(number, *found) for found in rows_of(self.log, change, is_struct)]

    def _fallback_batches(self, rows: Iterable[FallbackRow]) -> list[VersionBatch]:
        """Fallback rows as batches, one batch for each schema."""
        found = by_schema(rows, has_one=self._has_one_schema)
        return [batch_of(part, self._schema_of(part[0].version)) for part in found]

    # -- many at a time -----------------------------------------------------------------------

    def _decode(self, group: G) -> tuple[VersionBatch, Int64s]:
        """The batch of a group, and the numbers of changes that must be read one by one after all."""
        schema = self._schema_of(group.version)
        if self._has_texts(group.version) and group.size > json_texts.MOST_BYTES:
            nothing = pa.RecordBatch.from_pylist([], schema)
            return VersionBatch(group.version, nothing, group.numbers[:0]), group.numbers
        is_good = np.ones(len(group.numbers), np.bool_)
        decoded: dict[str, DecodedRows] = {}
        for role, rows in group.rows.items():
            decoded[role] = group.plan.decode(group.data, rows.starts, rows.lengths, self._wanted_columns)
            is_good[rows.places] &= ~decoded[role].irregular
        batch = pa.RecordBatch.from_arrays([self._array(entry, group, decoded) for entry in schema], schema=schema)
        if not is_good.all():
            batch = batch.take(pa.array(np.flatnonzero(is_good)))
        return VersionBatch(group.version, batch, group.numbers[is_good]), group.numbers[~is_good]

    def _array(self, entry: pa.Field, group: G, decoded: Mapping[str, DecodedRows]) -> pa.Array:
        name, count = entry.name, len(group.numbers)
        if name in decoded:
            rows = group.rows[name].places
            is_text = pa.types.is_string(entry.type)
            return decoded[name].texts(rows, count) if is_text else decoded[name].struct(entry.type, rows, count)
        if name in group.names:
            return pa.repeat(pa.scalar(group.names[name], entry.type), count)
        if name == KEY:
            return pa.repeat(pa.scalar(key_text(group.version), entry.type), count)
        if name == json_texts.LINE:
            return self._lines(group, decoded).cast(entry.type)
        found = self._column(entry, group, decoded)
        if found is None:
            return pa.nulls(count, entry.type)
        if pa.types.is_timestamp(found.type) and pa.types.is_string(entry.type):
            return as_text(found)
        return found if found.type == entry.type else found.cast(entry.type)

    def _lines(self, group: G, decoded: Mapping[str, DecodedRows]) -> pa.Array:
        """The line of `lmparse changes` for each change."""
        count, columns = len(group.numbers), dict[str, tuple[json_texts.Part, bool]]()
        for name in printed_columns(has_header=self.log.options.header, is_short=group.names["table_name_short"]):
            if name in group.names:
                columns[name] = json.dumps(group.names[name], ensure_ascii=False), False
                continue
            entry = pa.field(name, schemas.METADATA if name == "_metadata" else schemas.TEXT)
            found = self._array(entry, group, decoded)
            if name == "_metadata":
                columns[name] = json_texts.metadata(found, self.log.origin.same), False
            else:
                columns[name] = (found if name in JSON_COLUMNS else json_texts.values(found)), False
        lines = json_texts.joined([*json_texts.members(columns), "\n"], count)
        return json_texts.harmless(lines)
