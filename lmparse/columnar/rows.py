"""Rows: dictionaries as Arrow batches, rows of bad records, and the metadata columns of other batches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.errors import LmparseError
from lmparse.framing.windows import Window
from lmparse.records.files import RecordFile, corrupt_field
from lmparse.values import text_times
from lmparse.values.json_form import to_json

BATCH_ROWS = 8192
BATCH_BYTES = 1 << 26
"""Bytes of texts, byte strings and lists at which a batch ends; a record may unpack to far more than its own bytes."""
Row = dict[str, Any]
T = TypeVar("T")


def bad_rows(file: RecordFile) -> Iterator[Row]:
    """Yield a row for each bad record that a file has collected, then clear the collection."""
    for extent, error in file.bad_records:
        file.tally.kept += 1
        yield {
            schemas.CORRUPT_RECORD: extent.read(file.buffer),
            schemas.CORRUPT_FIELDS: [corrupt_field(error)],
            "_metadata": file.origin.metadata(extent),
        }
    file.bad_records.clear()


def batches(rows: Iterable[Row], schema: pa.Schema, most: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """Yield batches of at most `most` rows and about BATCH_BYTES; a column missing from a row is null.

    An error that ends the rows is raised after the batch of the rows before it.
    """
    return (to_batch(held, schema) for held in chunks(rows, most, size_of))


def is_full(size: int) -> bool:
    """Whether rows of this many bytes are enough for a batch."""
    return size >= BATCH_BYTES


def size_of(value: Any) -> int:
    """Bytes and characters of all texts and byte strings in a value, plus eight for each item of a list."""
    if isinstance(value, bytes | str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    return sum(map(size_of, value), 8 * len(value)) if isinstance(value, list) else 0


def chunks(rows: Iterable[T], most: int = BATCH_ROWS, size: Callable[[T], int] | None = None) -> Iterator[list[T]]:
    """Yield lists of at most `most` rows and about BATCH_BYTES; an error is raised after the rows before it."""
    held: list[T] = []
    total, fault = 0, None
    try:
        for row in rows:
            held.append(row)
            total += 0 if size is None else size(row)
            if len(held) == most or is_full(total):
                yield held
                held, total = [], 0
    except LmparseError as error:
        fault = error
    if held:
        yield held
    if fault is not None:
        raise fault


def to_batch(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as one batch."""
    fits = [(entry, _fitting(entry.type)) for entry in schema]
    arrays = [pa.array([fit(row.get(entry.name)) for row in rows], entry.type) for entry, fit in fits]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitting(type_: pa.DataType) -> Callable[[Any], Any]:
    """The function that converts a typed value to what Arrow needs for a type."""
    if pa.types.is_struct(type_):
        inner = {entry.name: _fitting(entry.type) for entry in type_}
        return lambda value: None if value is None else {name: fit(value.get(name)) for name, fit in inner.items()}
    if pa.types.is_list(type_):
        item = _fitting(type_.value_type)
        return lambda value: None if value is None else [item(one) for one in value]
    if pa.types.is_date32(type_):
        return lambda value: text_times.date_days(value) if isinstance(value, str) else value
    if pa.types.is_timestamp(type_):
        return lambda value: text_times.iso_micros(value) if isinstance(value, str) else value
    if pa.types.is_string(type_):
        return lambda value: value if value is None or isinstance(value, str) else _text(value)
    return lambda value: value


def _text(value: Any) -> str:
    shown = to_json(value)
    return json.dumps(shown, ensure_ascii=False) if isinstance(shown, dict | list | bool) else str(shown)


class Origin:
    """Makes the columns OUTCOMES for good records of one file: nothing corrupt, and the place of each record."""

    def __init__(self, file: RecordFile) -> None:
        self._origin = file.origin
        self._held: dict[Any, pa.Array] = {}

    def column(self, entry: pa.Field, window: Window, numbers: Any = None) -> pa.Array:
        """A column of OUTCOMES for the records of a window, or for the records `numbers`."""
        which = slice(None) if numbers is None else numbers
        offsets, lengths = window.offsets[which], window.lengths[which]
        if entry.name != "_metadata":
            return self._same(None, entry.type, len(offsets))
        index = window.numbers_in_file(numbers)
        made = self.metadata(index, offsets, lengths)
        return made if entry.type == schemas.METADATA else made.cast(entry.type)

    def metadata(self, index: Any, offsets: Any, lengths: Any) -> pa.Array:
        """The column `_metadata`, from the number, offset and length of each record."""
        files, index, offsets = self._origin.in_files(index, offsets)
        same = {name: self._same(text, schemas.TEXT, len(index)) for name, text in self._origin.same.items()}
        if files is not None:
            same["file"] = pa.array(self._origin.files, schemas.TEXT).take(pa.array(files))
        numbers = (pa.array(values, pa.int64()) for values in (index, offsets, lengths))
        columns = [same["file"], *numbers, same["spec"], same["spec_hash"]]
        return pa.StructArray.from_arrays(columns, fields=list(schemas.METADATA))

    def _same(self, value: str | None, type_: pa.DataType, count: int) -> pa.Array:
        """One value in every row. Batches share the array, because most batches have the same length."""
        held = self._held.get((value, type_))
        if held is None or len(held) < count:
            held = pa.nulls(count, type_) if value is None else pa.repeat(pa.scalar(value, type_), count)
            self._held[value, type_] = held
        return held.slice(0, count)
