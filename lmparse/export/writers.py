"""Writers: files that rows are written to, in each form."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from lmparse.columnar.texts import as_text
from lmparse.errors import OptionError

FORMS = ("parquet", "arrow", "csv", "jsonl")
"""What a file of rows may be; also what its name ends in."""
COMPRESSIONS = ("zstd", "snappy", "none")
LINES = pa.schema([("line", pa.binary())])
"""Rows of JSON lines, which are text before they are written."""
MANIFEST = "manifest.json"
_GROUP_ROWS, _GROUP_BYTES = 1 << 16, 1 << 27
"""Rows and bytes in memory of a row group of Parquet or a batch of Arrow; the first that is reached ends it."""


class Output(Protocol):
    """A file that batches are written to."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write what is left, and have the file on the disk."""

    def abandon(self) -> None:
        """Leave the file as it is; nobody will read it."""


def form_of(path: Path) -> str:
    """What a file is to be by the ending of its name. Raises OptionError for any other."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise OptionError(
            f"{path}: the ending says what to write, and {path.suffix or 'none'} is not known",
            hint="one of " + ", ".join(f".{name}" for name in FORMS),
        )
    return form


def check_compression(form: str, compression: str | None) -> str:
    """How a file is compressed: as asked for, or as files of its form mostly are. Raises OptionError."""
    if compression is None:
        return "zstd" if form == "parquet" else "none"
    allowed = {"parquet": COMPRESSIONS, "arrow": ("zstd", "none")}.get(form, ("none",))
    if compression not in allowed:
        raise OptionError(f"{form} has no compression {compression}", hint="one of " + ", ".join(allowed))
    return compression


@contextmanager
def opened(path: Path, form: str, schema: pa.Schema, compression: str) -> Iterator[Output]:
    """A file to write batches of a schema to."""
    made = _OUTPUTS[form](path, schema, compression)
    try:
        yield made
    except BaseException:
        made.abandon()
        raise
    made.close()


class _File:
    """What all files have in common: on the disk when they are closed."""

    def __init__(self, path: Path) -> None:
        self.file: BinaryIO = open(path, "wb")  # noqa: SIM115

    def close(self) -> None:
        if not self.file.closed:
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def abandon(self) -> None:
        # Writers want to be closed before their file is, even on a full disk.
        with suppress(Exception):
            self.close()
        with suppress(OSError):
            self.file.close()


class _Chunked(_File):
    """A file of row groups or batches of one size, whatever batches it is given.

    So it has the same bytes however the rows were read, unless they are so long that memory ends a group.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        super().__init__(path)
        self._schema = schema
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        while self._rows + batch.num_rows >= _GROUP_ROWS:
            room = _GROUP_ROWS - self._rows
            self._hold(batch.slice(0, room))
            self._flush()
            batch = batch.slice(room)
        if batch.num_rows:
            self._hold(batch)
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def _hold(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes

    def _flush(self) -> None:
        if self._held:
            self._write(pa.concat_batches(self._held))
        self._held, self._rows, self._bytes = [], 0, 0

    def _write(self, batch: pa.RecordBatch) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._flush()
        super().close()

    def abandon(self) -> None:
        self._held.clear()
        super().abandon()


class _Parquet(_Chunked):
    def __init__(self, path: Path, schema: pa.Schema, compression: str) -> None:
        import pyarrow.parquet

        super().__init__(path, pa.schema([_storable(entry) for entry in schema], schema.metadata))
        self._writer = pyarrow.parquet.ParquetWriter(self.file, self._schema, compression=compression)

    def _hold(self, batch: pa.RecordBatch) -> None:
        arrays = [
            array if array.type == entry.type else as_text(array)
            for array, entry in zip(batch, self._schema, strict=True)
        ]
        super()._hold(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def _write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch, row_group_size=batch.num_rows)

    def close(self) -> None:
        self._flush()
        self._writer.close()
        super().close()


def _storable(entry: pa.Field) -> pa.Field:
    """A column as Parquet can have it: a struct without columns becomes text."""
    is_empty = pa.types.is_struct(entry.type) and not entry.type.num_fields
    return entry.with_type(pa.string()) if is_empty else entry


class _Arrow(_Chunked):
    def __init__(self, path: Path, schema: pa.Schema, compression: str) -> None:
        super().__init__(path, schema)
        options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
        self._writer = pa.ipc.new_file(self.file, schema, options=options)

    def _write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._flush()
        self._writer.close()
        super().close()


class _Csv(_File):
    def __init__(self, path: Path, schema: pa.Schema, compression: str) -> None:
        import pyarrow.csv

        super().__init__(path)
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        texts = pa.schema([(name, pa.string()) for name in schema.names])
        self._writer = pyarrow.csv.CSVWriter(self.file, texts, write_options=options)
        self._schema = texts

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(pa.RecordBatch.from_arrays([as_text(array) for array in batch], schema=self._schema))

    def close(self) -> None:
        self._writer.close()
        super().close()


class _JsonLines(_File):
    def __init__(self, path: Path, schema: pa.Schema, compression: str) -> None:
        super().__init__(path)

    def write(self, batch: pa.RecordBatch) -> None:
        self.file.writelines(batch.column("line").to_pylist())


_OUTPUTS: dict[str, Callable[[Path, pa.Schema, str], Output]] = {
    "parquet": _Parquet,
    "arrow": _Arrow,
    "csv": _Csv,
    "jsonl": _JsonLines,
}


def json_line(row: dict[str, Any]) -> bytes:
    """A row as the command line prints it."""
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "surrogateescape")
