"""The data source: records and changes as DataFrames.

    changes = (spark.read.format("lmparse")
        .option("control", "payroll.ctl").option("table", "PAYROLL.EMPLOYEE")
        .load("payroll.dat"))

Spark finds the source by itself in a fresh interpreter (through `pyspark_lmparse`); `register` registers it in a
session. It calls nothing in the JVM, so it also works over Spark Connect.

Options are those of the command line in camelCase, and those of Spark's own file sources: see `requests`. With
`control`, `tables`, `table` or another option that applies to changes only, or without `spec`, rows are changes;
otherwise they are the records of that spec. A file is read in parts, each by one task. Files must be readable under the
same path on every executor.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.errors import OptionError
from lmparse.logs.partitions import Part, Request
from lmparse.spark.read_job import ReadJob, hints_shown, read_job, source_columns
from lmparse.spark.requests import request_of, with_those_of_table

_OPTIONS = "lmparse.options"
"""Key in the metadata of the column `_metadata` for the options that the schema was made from."""
_CAST = "name columns of the source in its own types, and cast them in the query"


class LmparseSource(DataSource):
    """The data source `lmparse`; the module describes its options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # Spark also makes an instance without options, to ask for its abilities; so nothing is read here.
        self.options = dict(options)

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "lmparse"

    def schema(self) -> StructType:
        """The columns of the spec or of the table, with their docs as comments."""
        with hints_shown():
            columns = source_columns(request_of(self.options), self.options)
        found = from_arrow_schema(columns, prefer_timestamp_ntz=True)
        mark = json.dumps([self.options])
        return StructType([_with_comment(field, columns.field(field.name), mark) for field in found])

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of these columns: all columns of the source, or some of them. Raises OptionError LMP-S012."""
        with hints_shown():
            options = with_those_of_table(self.options, _mark(schema))
            request = request_of(options)
            columns = source_columns(request, options)
            chosen = subset(from_arrow_schema(columns, prefer_timestamp_ntz=True), schema)
            return LmparseReader(*read_job(request, options, pa.schema([columns.field(name) for name in chosen])))


class LogPartition(InputPartition):
    """A part of a log."""

    def __init__(self, part: Part) -> None:
        super().__init__(part)


class LmparseReader(DataSourceReader):
    """Reads parts of files as Arrow batches."""

    def __init__(self, request: Request, job: ReadJob) -> None:
        self.request, self.job = request, job

    def partitions(self) -> Sequence[InputPartition]:
        """The parts, each for one task."""
        with hints_shown():
            return list(map(LogPartition, self.request.parts()))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part; Spark passes a partition of its own if there is none."""
        return self.job.batches(partition.value if isinstance(partition, LogPartition) else None, ahead=True)


def subset(source: StructType, wanted: StructType) -> list[str]:
    """The columns of the source that a schema names: of a user, or of a table of the catalog.

    Raises OptionError LMP-S012 for one that the source does not have, or has in another type, and for one that must not
    be null: of a source in Python Spark believes that, looks for no nulls, and gives other values for them.
    """
    own = {field.name: field for field in source}
    for field in wanted:
        if field.name not in own:
            near = difflib.get_close_matches(field.name, own, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else "printSchema() without schema(...) shows the columns"
            raise _refused(f"the source has no column {field.name!r}", hint)
        expected, found = own[field.name].dataType.simpleString(), field.dataType.simpleString()
        if found != expected:
            raise _refused(f"column {field.name!r}: expected {expected}, found {found} in the schema", _CAST)
        if re.search(r'"(nullable|containsNull|valueContainsNull)":false', field.json()):
            hint = "leave NOT NULL (nullable=False) out, and filter nulls in the query"
            raise _refused(f"column {field.name!r} may be null, and the schema says NOT NULL", hint)
    names = wanted.fieldNames()
    if not names or len(set(names)) < len(names):
        # Arrow batches without columns do not say how many rows they have: Spark would get none.
        raise _refused("the schema has no column, or one twice", "name some, or leave schema(...) out")
    return names


def _refused(text: str, hint: str) -> OptionError:
    return OptionError(text, code="LMP-S012", hint=hint)


def _mark(schema: StructType) -> dict[str, str]:
    """The options that a schema of the source was made from; none for a user schema."""
    stored = [field.metadata[_OPTIONS] for field in schema if _OPTIONS in field.metadata]
    found: dict[str, str] = json.loads(stored[0])[0] if stored else {}
    return found


def _with_comment(field: StructField, arrow: pa.Field, mark: str) -> StructField:
    comment = (arrow.metadata or {}).get(b"comment", b"").decode()
    metadata = {"comment": comment} if comment else {}
    if field.name == "_metadata":
        metadata[_OPTIONS] = mark
    return StructField(field.name, field.dataType, True, metadata)
