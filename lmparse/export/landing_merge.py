"""Landing merge: rows merged by key into the files of a Delta table, in memory that does not grow with the table.

Of the files that may have a key of the rows, the columns of the key are read, one batch after another. A file that has
one is written again, with its other rows as they are. New files and those that they replace are one commit. The merge
of the package holds the table in memory: 1.1 GB for 2 million rows of 9 columns, whatever it is told to spill.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake.transaction import AddAction, RemoveAction

from lmparse.changes.image_columns import key_texts
from lmparse.export import writers
from lmparse.export.current_rows import DELETED, KEPT, UNKNOWN
from lmparse.export.landing_bounds import FileBounds
from lmparse.export.landing_files import TableFiles, is_ordered
from lmparse.export.landing_rows import fitted_batch

_FILE_BYTES = 1 << 27
"""Bytes of a file, approximately, from which on the next rows go into another one."""


class TableMerge:
    """One merge into a table."""

    def __init__(self, path: Path, files: TableFiles, key: Sequence[str], rows: pa.RecordBatch) -> None:
        """`rows` have the columns of the table and those of `current_rows`; no two have the same key."""
        self._path, self._files, self._key, self._rows = path, files, list(key), rows
        self._schema: pa.Schema = files.schema
        self._texts = self._key_texts(rows)
        self._is_found = np.zeros(rows.num_rows, np.bool_)
        self._kept: list[list[str] | None] = rows.column(KEPT).to_pylist()
        self._is_deleted = np.asarray(rows.column(DELETED))
        self._values = fitted_batch(rows, self._schema)
        self._close = ExitStack()
        self._output: writers.Output | None = None
        self._made: list[Path] = []
        self._bounds: dict[Path, FileBounds] = {}

    def __enter__(self) -> TableMerge:
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()

    def actions(self) -> list[AddAction | RemoveAction]:
        """Write the new files, and return what a commit must say of them and of those that they replace."""
        try:
            removed = [self._rewritten(file) for file in self._candidates() if self._has_one(file)]
            self._insert()
            self._finish()
            return [*removed, *map(self._added, self._made)]
        except BaseException:
            self._close.close()
            self.remove_files()
            raise

    def is_any_in(self, addresses: Sequence[str]) -> bool:
        """Whether some of the files that were written are among the files of a table."""
        names = {path.name for path in self._made}
        return any(address.rpartition("/")[2] in names for address in addresses)

    def remove_files(self) -> None:
        """Remove the files that were written, for a commit that failed."""
        for path in self._made:
            with suppress(OSError):
                path.unlink()

    # -- files that have one of the keys ----------------------------------------------------------

    def _candidates(self) -> list[ds.ParquetFileFragment]:
        """The files that may have one of the keys, by what the table states of the columns of the key."""
        return self._files.with_one_of({name: self._values.column(name) for name in self._key})

    def _has_one(self, file: ds.ParquetFileFragment) -> bool:
        batches = file.to_batches(schema=self._schema, columns=self._key, filter=self._is_near)
        return any(self._places(batch).null_count < batch.num_rows for batch in batches)

    @cached_property
    def _is_near(self) -> pc.Expression:
        """What holds for all rows that have one of the keys, by which Arrow leaves out row groups of a file."""
        holds = pc.scalar(True)
        for name in self._key:
            column, values = pc.field(name), self._values.column(name)
            least, greatest = pc.min_max(values).values() if is_ordered(values.type) else (None, None)
            if least is not None and least.is_valid:
                holds = holds & (((column >= least) & (column <= greatest)) | column.is_null())
        return holds

    def _places(self, batch: pa.RecordBatch) -> pa.Array:
        """Of each row of the table, the number of the row that has its key; null if none has."""
        return pc.index_in(self._key_texts(batch), value_set=self._texts)

    def _key_texts(self, batch: pa.RecordBatch) -> pa.Array:
        types = {name: self._schema.field(name).type for name in self._key}
        return key_texts({name: batch.column(name).cast(type_) for name, type_ in types.items()}, batch.num_rows)

    def _rewritten(self, file: ds.ParquetFileFragment) -> RemoveAction:
        """Write the rows of a file, with those that have one of the keys as they are to be."""
        for batch in file.to_batches(schema=self._schema):
            places = self._places(batch)
            self._write(batch.filter(places.is_null()))
            self._write(self._updated(batch.filter(places.is_valid()), np.asarray(places.drop_null())))
        return RemoveAction(file.path, True, _now(), os.path.getsize(self._path / file.path))

    def _updated(self, old: pa.RecordBatch, numbers: Any) -> pa.RecordBatch:
        """The rows that take the place of rows of the table; those that are deleted are left out."""
        self._is_found[numbers] = True
        stay = np.flatnonzero(~self._is_deleted[numbers])
        old, numbers = old.take(pa.array(stay)), numbers[stay]
        new = self._values.take(pa.array(numbers))
        kept = [self._kept[number] or () for number in numbers.tolist()]
        for name in {name for names in kept for name in names}:
            is_kept = pa.array([name in names for names in kept])
            values = pc.if_else(is_kept, old.column(name), new.column(name))
            new = _with_column(new, name, values)
        if any(kept):
            unknown = zip(new.column(UNKNOWN).to_pylist(), old.column(UNKNOWN).to_pylist(), kept, strict=True)
            found = [[*(own or ()), *(name for name in was or () if name in names)] for own, was, names in unknown]
            new = _with_column(new, UNKNOWN, pa.array([names or None for names in found], new.column(UNKNOWN).type))
        return new

    def _insert(self) -> None:
        """Write the rows that the table did not have: what they were to keep of it is not known."""
        new = np.flatnonzero(~self._is_found & ~self._is_deleted)
        self._write(fitted_batch(with_unknown(self._rows.take(pa.array(new))), self._schema))

    # -- new files --------------------------------------------------------------------------------

    def _write(self, batch: pa.RecordBatch) -> None:
        if not batch.num_rows:
            return
        if self._output is not None and os.path.getsize(self._made[-1]) >= _FILE_BYTES:
            self._finish()
        if self._output is None:
            self._made.append(self._path / f"part-{len(self._made):05}-{uuid.uuid4()}.zstd.parquet")
            self._bounds[self._made[-1]] = FileBounds(self._schema)
            self._output = self._close.enter_context(writers.opened(self._made[-1], "parquet", self._schema, "zstd"))
        self._bounds[self._made[-1]].add(batch)
        self._output.write(batch)

    def _finish(self) -> None:
        self._close.close()
        self._output = None

    def _added(self, path: Path) -> AddAction:
        return AddAction(path.name, path.stat().st_size, {}, _now(), True, self._bounds[path].text())


def with_unknown(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows for a table that does not have them: values that would be kept are unknown."""
    names = zip(rows.column(UNKNOWN).to_pylist(), rows.column(KEPT).to_pylist(), strict=True)
    found = [[*(unknown or ()), *(kept or ())] or None for unknown, kept in names]
    return _with_column(rows, UNKNOWN, pa.array(found, rows.column(UNKNOWN).type))


def _with_column(rows: pa.RecordBatch, name: str, values: pa.Array) -> pa.RecordBatch:
    place = rows.schema.get_field_index(name)
    return rows.set_column(place, rows.schema.field(place), values)


def _now() -> int:
    return int(time.time() * 1000)
