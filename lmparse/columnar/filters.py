"""Filters: conditions on columns, by which rows are left out before their other columns are decoded.

A filter compares one column with a value; a row must fulfil all filters. As in SQL, null fulfils no comparison except
`is null`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.errors import OptionError
from lmparse.spec.kind_words import MAX_DIGITS
from lmparse.values.byte_arrays import Flags, Int64s

_ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
COMPARISONS = (*_ORDERS, "in", "is null", "is not null", "starts with")
_MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Filter:
    """A comparison of one column with a value. Safe to pickle."""

    column: str
    comparison: str
    """One of COMPARISONS."""
    value: Any = None
    """A tuple of values for `in`; ignored for `is null` and `is not null`."""

    def __post_init__(self) -> None:
        if self.comparison not in COMPARISONS:
            raise OptionError(f"there is no comparison {self.comparison!r}", hint=", ".join(COMPARISONS))
        if not isinstance(self.column, str):
            raise OptionError(f"column has no value {self.column!r}", hint="the name of a column")

    @staticmethod
    def all_of(given: Any) -> tuple[Filter, ...]:
        """The filters of a sequence as a tuple. Raises TypeError for other values: no filter is dropped in silence."""
        if not isinstance(given, Sequence) or not all(isinstance(one, Filter) for one in given):
            raise TypeError(f"filters is a list of Filter, and {given!r:.60} is given")
        return tuple(given)

    @property
    def rejects_null(self) -> bool:
        """Whether null never fulfils the filter.

        Only such a filter may exclude a row before the other columns are read: the column of a bad row is null.
        """
        return self.comparison != "is null"

    def fits(self, type_: pa.DataType) -> bool:
        """Whether the filter can compare a column of this type with its value."""
        if self.comparison in ("is null", "is not null"):
            return True
        if self.comparison == "starts with":
            return bool(pa.types.is_string(type_)) and _is_literal(self.value, type_)
        values = self.value if self.comparison == "in" else (self.value,)
        return isinstance(values, tuple) and all(_is_literal(value, type_) for value in values)


def mask(arrays: Mapping[str, pa.Array], filters: Iterable[Filter]) -> Flags:
    """Flags of rows that fulfil all filters. Raises OptionError for a missing column or a value of another kind."""
    kept = np.ones(len(next(iter(arrays.values()), ())), np.bool_)
    for entry in filters:
        if entry.column not in arrays:
            raise OptionError(f"filters: there is no column {entry.column!r}", hint=", ".join(arrays))
        array = arrays[entry.column]
        if not entry.fits(array.type):
            raise OptionError(f"filters: {entry.column} is {array.type} and not like {entry.value!r}")
        kept &= _found(array, entry).fill_null(False).to_numpy(zero_copy_only=False)  # a null is not true
    return kept


def matching(batches: Iterable[pa.RecordBatch], filters: Sequence[Filter]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of batches that fulfil all filters; batches without such a row are left out."""
    for batch in batches:
        if not filters:
            yield batch
            continue
        kept = np.flatnonzero(mask(dict(zip(batch.schema.names, batch.columns, strict=True)), filters))
        if len(kept):
            yield batch if len(kept) == batch.num_rows else batch.take(pa.array(kept))


def _found(array: pa.Array, entry: Filter) -> pa.Array:
    if entry.comparison in ("is null", "is not null"):
        return array.is_null() if entry.comparison == "is null" else array.is_valid()
    if entry.comparison == "starts with":
        return pc.starts_with(array, entry.value)
    values = list(entry.value) if entry.comparison == "in" else [entry.value]
    if pa.types.is_floating(array.type):
        ranks = _ranks(array.fill_null(0).to_numpy(zero_copy_only=False))
        array = pc.if_else(array.is_valid(), pa.array(ranks), None)
        values = _ranks(np.array(values, np.float64)).tolist()
    if entry.comparison == "in":
        # `is_in` may return True for null, but null is in no list.
        held = pa.array([value for value in values if _holds(array.type, value)], array.type)
        return pc.and_(pc.is_in(array, value_set=held), array.is_valid())
    return _ORDERS[entry.comparison](array, _scalar(values[0], array.type))


def _holds(type_: pa.DataType, value: Any) -> bool:
    """Whether a type can hold a value; otherwise no row has the value."""
    try:
        pa.scalar(value, type_)
    except (pa.ArrowInvalid, OverflowError):
        return False
    return True


def _scalar(value: Any, type_: pa.DataType) -> pa.Scalar:
    if pa.types.is_decimal(type_):
        return pa.scalar(Decimal(value))
    if pa.types.is_integer(type_):
        return pa.scalar(value, pa.int64())  # a narrower type may not hold it
    return pa.scalar(value, type_)


def _ranks(values: npt.NDArray[Any]) -> Int64s:
    """Integers in the order of floats, as in Spark: NaN equals NaN and is highest, -0.0 equals 0.0."""
    bits = np.where(np.isnan(values), np.nan, values.astype(np.float64) + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _MOST, bits)


def _is_literal(value: Any, type_: pa.DataType) -> bool:
    """Whether a value has the kind of a column; engines then compare without a conversion."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if pa.types.is_integer(type_):
        return is_int and -_MOST <= value <= _MOST
    if pa.types.is_decimal(type_):
        if not is_int and not (isinstance(value, Decimal) and value.is_finite()):
            return False
        _, digits, exponent = Decimal(value).as_tuple()
        # Arrow compares in a type that has the digits of both sides.
        scale = max(-int(exponent), 0, type_.scale)
        whole = max(len(digits) + int(exponent), int(type_.precision - type_.scale), 0)
        return whole + int(scale) <= MAX_DIGITS
    if pa.types.is_floating(type_):
        return isinstance(value, float) or (is_int and abs(value) < 1 << 53)
    if pa.types.is_timestamp(type_):
        return type_.tz is None and isinstance(value, datetime) and value.tzinfo is None
    if pa.types.is_date(type_):
        return isinstance(value, date) and not isinstance(value, datetime)
    kinds: list[tuple[Callable[[pa.DataType], bool], type]] = [
        (pa.types.is_string, str),
        (pa.types.is_binary, bytes),
        (pa.types.is_boolean, bool),
    ]
    return any(is_of(type_) and isinstance(value, kind) for is_of, kind in kinds) and _is_utf_8(value)


def _is_utf_8(value: Any) -> bool:
    """Whether a text has no lone surrogate; no column can have a text with one."""
    try:
        _ = value.encode() if isinstance(value, str) else b""
    except UnicodeEncodeError:
        return False
    return True
