"""Landing files: the files of a Delta table, and those among them that may have some values of a column.

The package gives Arrow what a table states of each file as something that holds for all its rows. A column of which a
file states no least and greatest value is compared with null there, and the file is left out of everything that is
selected by that column. So Arrow gets nothing of it but the values of partitions, and a file is left out here only by
bounds that it states; which row groups have a value, Arrow knows from the file itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as fs
from deltalake import DeltaTable

_MISREAD = r"[\x{10000}-\x{10FFFF}]"
"""Characters that are not known of a bound: the package reads U+20000 as U+10000 if JSON has it as two escapes."""


class TableFiles:
    """The files of one version of a table in a folder of this machine."""

    def __init__(self, table: DeltaTable, path: Path) -> None:
        self._table = table
        # Read by Arrow itself: a file system in Python may end the process when it exits.
        self._system = fs.SubTreeFileSystem(str(path), fs.LocalFileSystem())
        stated = table.to_pyarrow_dataset(filesystem=self._system)
        self.schema: pa.Schema = stated.schema
        self._format = stated.format
        self._partitions = table.metadata().partition_columns
        self._all: list[ds.ParquetFileFragment] = [self._bare(file) for file in stated.get_fragments()]

    def _bare(self, file: ds.ParquetFileFragment) -> ds.ParquetFileFragment:
        """A file without what is stated of its rows, other than the values of its partition."""
        known, holds = ds.get_partition_keys(file.partition_expression), pc.scalar(True)
        for name in self._partitions:
            column, value = pc.field(name), known[name]
            holds = holds & (column.is_null() if value is None else column == value)
        return self._format.make_fragment(file.path, filesystem=self._system, partition_expression=holds)

    def rows(self, files: Sequence[ds.ParquetFileFragment] | None = None) -> ds.Dataset:
        """The rows of some of the files, or of all."""
        return ds.FileSystemDataset(self._all if files is None else files, self.schema, self._format, self._system)

    def with_one_of(self, values: Mapping[str, pa.Array]) -> list[ds.ParquetFileFragment]:
        """The files that may have a row with one of the values of each column, by what the table states of them."""
        is_out = [False] * len(self._all)
        for name, array in values.items():
            if is_ordered(array.type) and array.type == self.schema.field(name).type:
                is_out = [one or other for one, other in zip(is_out, self._has_none(name, array), strict=True)]
        return [file for file, out in zip(self._all, is_out, strict=True) if not out]

    def _has_none(self, name: str, values: pa.Array) -> list[bool]:
        """Of each file, whether it states that a column has none of some values."""
        least, greatest = pc.min_max(values).values()
        is_out = pa.array([True] * len(self._all), pa.bool_())
        if least.is_valid:
            is_above = pc.greater(self._bounds("min", name), greatest)
            is_out = pc.or_kleene(is_above, pc.less(self._bounds("max", name), least))
        if values.null_count:
            is_out = pc.and_kleene(is_out, pc.equal(self._bounds("null_count", name), 0))
        found: list[bool] = pc.fill_null(is_out, False).to_pylist()
        return found

    def _bounds(self, kind: str, name: str) -> pa.Array:
        """What is stated of a column of each file; null if nothing is."""
        type_ = pa.int64() if kind == "null_count" else self.schema.field(name).type
        column = self._stated.column(kind).combine_chunks() if kind in self._stated.column_names else None
        if column is None or column.type.get_field_index(name) < 0 or column.type.field(name).type != type_:
            return pa.nulls(len(self._all), type_)
        bounds = pc.struct_field(column, name).take(self._places)
        if pa.types.is_string(type_):
            bounds = pc.if_else(pc.match_substring_regex(bounds, _MISREAD), None, bounds)
        return bounds

    @cached_property
    def _stated(self) -> pa.Table:
        return pa.table(self._table.get_add_actions())

    @cached_property
    def _places(self) -> pa.Array:
        """Of each file, the number of what is stated of it; null if nothing is."""
        paths = pa.array([unquote(path) for path in self._stated.column("path").to_pylist()], pa.string())
        return pc.index_in(pa.array([file.path for file in self._all], pa.string()), value_set=paths)


def is_ordered(type_: pa.DataType) -> bool:
    """Whether Arrow compares values of a type as tables state them."""
    return bool(pa.types.is_integer(type_) or pa.types.is_date32(type_) or pa.types.is_string(type_))
