"""Row plans: how the columns of the rows of one table version are decoded, many rows at a time.

Each family of logs implements where a row has its values. This module has the common part: the kernel of each column or
the reason why it has none, the cutting of rows into portions, and the result. Rows that the plan finds irregular, or
that have a bad value, are flagged; the caller reads them one by one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

import numpy as np
import pyarrow as pa

from lmparse.columnar import arrays, json_texts, schemas
from lmparse.columnar.kernels import Kernel, KernelResult, RaggedKernel, in_full
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

Wanted = frozenset[str] | None
"""Names of the requested columns; None for all."""
_MOST_BYTES = 1 << 26
"""Bytes of rows that are gathered at a time."""


@dataclass(frozen=True, kw_only=True)
class RowColumn:
    """How one column of a row is decoded."""

    name: str
    type: pa.DataType
    width: int
    """Bytes of a value of fixed length."""
    kernel: str = ""
    """Name of the kernel; empty if there is none."""
    read: Kernel | None = None
    read_ragged: RaggedKernel | None = None
    """The kernel of a column of varying length, in place of `read`."""
    is_absent: bool = False
    """Whether the values are stored outside the row, so that a row only tells whether it has one."""
    reason: str = ""
    """Why the column has no kernel."""
    is_blocking: bool = False
    """Whether rows with this column cannot be decoded even if the column is not requested."""


@dataclass(frozen=True)
class Values:
    """The values of a column in n rows, as (n, width) bytes or as pieces of the data."""

    is_null: Flags | None
    """Flags of the null rows; None if no row is null."""
    raw: Bytes | None = None
    begins: Int64s | None = None
    sizes: Int64s | None = None
    """Lengths of the pieces; None if all have the width of the column."""


class Rows:
    """n rows in flat data; `good` flags the rows that are regular so far."""

    def __init__(self, data: Bytes, starts: Int64s, lengths: Int64s, good: Flags | None = None) -> None:
        self.data, self.starts, self.lengths = data, starts, lengths
        self.good: Flags = (starts >= 0) & (lengths >= 0) & (lengths <= len(data) - starts) if good is None else good

    def __len__(self) -> int:
        return len(self.starts)

    def null_flags(self, indicators: Bytes, codes: Mapping[str, int]) -> Flags | None:
        """Flags of null rows by one byte each, `codes` present or absent (None if no null); others are irregular."""
        is_present = indicators == codes["present"]
        if is_present.all():
            return None
        is_null: Flags = np.equal(indicators, codes["absent"])
        self.good &= is_null | is_present
        return is_null

    def array(self, column: RowColumn, values: Values) -> pa.Array:
        """The array of one column. A row whose value is bad and not null becomes irregular."""
        is_null = values.is_null
        result = self._result(column, values, self.good if is_null is None else self.good & ~is_null)
        if result is None:
            return pa.nulls(len(self), column.type)
        array, bad = result
        if bad is not None:
            self.good &= ~bad if is_null is None else ~bad | is_null
        return array if is_null is None else arrays.without(array, is_null)

    def _result(self, column: RowColumn, values: Values, is_there: Flags) -> KernelResult | None:
        begins, sizes, raw = values.begins, values.sizes, values.raw
        if column.read_ragged is not None and begins is not None and sizes is not None:
            if not is_there.all():
                # Rows without a value get an empty piece, so that the starts of pieces ascend.
                begins = np.where(is_there, begins, np.clip(self.starts, 0, len(self.data)))
                sizes = np.where(is_there, sizes, 0)
            return column.read_ragged(self.data, begins, sizes)
        if column.read is not None and begins is not None:
            begins = byte_arrays.stand_in(begins, is_there)
            raw = None if begins is None else byte_arrays.take_rows(self.data, begins, column.width)
        return None if column.read is None or raw is None else column.read(raw)


@dataclass(frozen=True)
class DecodedRows:
    """The columns of n rows."""

    arrays: dict[str, pa.Array]
    """n values by column name. Values of irregular rows are undefined."""
    absent: dict[str, Flags]
    """Flags of rows with a value, by name of a column whose values are stored outside the row."""
    irregular: Flags
    """Flags of the rows that must be read one by one."""

    def struct(self, type_: pa.StructType, places: Int64s, count: int) -> pa.Array:
        """The rows as structs at `places` among `count` rows. Rows elsewhere and missing columns are null."""
        parts = []
        for entry in type_:
            found = self.arrays.get(entry.name)
            if found is None:
                found = pa.nulls(len(places), entry.type)
            parts.append(found if found.type == entry.type else found.cast(entry.type))
        if not parts:
            return pa.array([{}] * len(places), type_).take(_spread(places, count))
        whole = pa.StructArray.from_arrays(parts, fields=list(type_))
        return whole if len(places) == count else whole.take(_spread(places, count))

    def texts(self, places: Int64s, count: int) -> pa.Array:
        """The rows as JSON objects at `places` among `count` rows; null elsewhere. The plan must be `in_full`."""
        whole = json_texts.objects(self.arrays, len(places))
        return whole if len(places) == count else whole.take(_spread(places, count))


C = TypeVar("C", bound=RowColumn)


class RowPlan(ABC, Generic[C]):
    """How the columns of the rows of a table version are decoded.

    `reason` states why the rows cannot be decoded column-wise; it is empty if they can.
    """

    def __init__(self, columns: Sequence[C]) -> None:
        self.columns = tuple(columns)
        """In the order of the table."""
        self.reason = self.refusal()

    @property
    @abstractmethod
    def widest(self) -> int:
        """Bytes of the widest part of a row that is gathered at once."""

    @abstractmethod
    def _decode(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        """Find the values of some rows, mark irregular rows, and return the result of `_decoded`."""

    def in_full(self) -> Self:
        """The same plan with times as text with all their digits, as in JSON."""
        found = copy(self)
        kernels_ = [(column, in_full(column.read)) for column in self.columns]
        found.columns = tuple(
            column if read is None else replace(column, type=schemas.TEXT, read=read) for column, read in kernels_
        )
        return found

    def refusal(self, wanted: Wanted = None) -> str:
        """Why the wanted columns cannot be decoded column-wise; empty if they can."""
        for column in self.columns:
            if column.reason and (column.is_blocking or wanted is None or column.name in wanted):
                return f"{column.name}: {column.reason}"
        return ""

    def decode(self, data: Bytes, starts: Int64s, lengths: Int64s, wanted: Wanted = None) -> DecodedRows:
        """Decode the n rows of flat `data` at ascending `starts`; only the `wanted` columns.

        The plan must have no `reason`, or no `refusal` of the wanted columns.
        """
        step = max(_MOST_BYTES // max(self.widest, 1), 1)
        if len(starts) <= step:
            return self._decode(Rows(data, starts, lengths), wanted)
        cuts = [slice(place, place + step) for place in range(0, len(starts), step)]
        return _joined([self._decode(Rows(data, starts[cut], lengths[cut]), wanted) for cut in cuts])

    def _wanted(self, wanted: Wanted) -> list[C]:
        return [column for column in self.columns if wanted is None or column.name in wanted]

    def _decoded(self, rows: Rows, values: Mapping[str, Values], wanted: Wanted) -> DecodedRows:
        """The columns from the places of their values, by name."""
        found, absent = {}, {}
        for column in self._wanted(wanted):
            is_null = values[column.name].is_null
            found[column.name] = rows.array(column, values[column.name])
            if column.is_absent:
                absent[column.name] = np.ones(len(rows), np.bool_) if is_null is None else ~is_null
            elif column.read is None and column.read_ragged is None:
                rows.good &= np.bool_(False) if is_null is None else is_null
        return DecodedRows(found, absent, ~rows.good)

    def _all_irregular(self, rows: Rows, wanted: Wanted) -> DecodedRows:
        rows.good[:] = False
        return RowPlan._decoded(self, rows, {column.name: Values(None) for column in self.columns}, wanted)


def _joined(parts: Sequence[DecodedRows]) -> DecodedRows:
    return DecodedRows(
        {name: pa.concat_arrays([part.arrays[name] for part in parts]) for name in parts[0].arrays},
        {name: np.concatenate([part.absent[name] for part in parts]) for name in parts[0].absent},
        np.concatenate([part.irregular for part in parts]),
    )


def _spread(places: Int64s, count: int) -> pa.Array:
    """For each of `count` rows the number of its value; null for a row without a value."""
    rows = np.zeros(count, np.int64)
    rows[places] = np.arange(len(places))
    is_empty = np.ones(count, np.bool_)
    is_empty[places] = False
    return pa.array(rows, mask=is_empty)
