"""Folder columns: the columns that folders of `k=v` make, as Arrow arrays beside those of the rows.

`/logs/dt=2026-03-14/a.dat` gives each row of that file 2026-03-14 in a last column `dt`. The value is that of the file
which `_metadata` names, since files of several folders may be one log.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lmparse.errors import OptionError
from lmparse.storage.partition_folders import PartitionColumn

_TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
    "string": pa.string(),
    "void": pa.null(),
}


def with_folder_columns(schema: pa.Schema, columns: Sequence[PartitionColumn]) -> pa.Schema:
    """A schema with these columns behind the others. Raises OptionError LMP-S012 for a name that it has already."""
    known = {name.lower() for name in schema.names}
    for column in columns:
        if column.name.lower() in known:
            text = f"folders {column.name}=... make a column, and the rows have one of this name"
            raise OptionError(text, code="LMP-S012", hint="recursiveFileLookup reads the files without it")
        comment = {"comment": f"of the folders {column.name}=..."}
        schema = schema.append(pa.field(column.name, _type(column), metadata=comment))
    return schema


def folder_array(column: PartitionColumn, batch: pa.RecordBatch) -> pa.Array:
    """The values of a column for the rows of a batch, which has the column `_metadata`."""
    files = batch.column("_metadata").field("file").dictionary_encode()
    values = pa.array([column.value(path) for path in files.dictionary.to_pylist()], _type(column))
    return values.take(files.indices)


def with_folder_values(batch: pa.RecordBatch, schema: pa.Schema, columns: Sequence[PartitionColumn]) -> pa.RecordBatch:
    """A batch with these columns, and of its own those that a schema has."""
    folders = {column.name: column for column in columns}
    arrays = [folder_array(folders[name], batch) if name in folders else batch.column(name) for name in schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _type(column: PartitionColumn) -> pa.DataType:
    if column.type in _TYPES:
        return _TYPES[column.type]
    return pa.decimal128(int(column.type.removeprefix("decimal(").partition(",")[0]), 0)
