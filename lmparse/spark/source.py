"""The data source: records and changes as DataFrames.

    changes = (spark.read.format("lmparse")
        .option("control", "payroll.ctl").option("table", "PAYROLL.EMPLOYEE")
        .load("payroll.dat"))

Spark finds the source by itself in a fresh interpreter (through `pyspark_lmparse`); `register` registers it in a
session. It calls nothing in the JVM, so it also works over Spark Connect.

Options are those of the command line in camelCase, and Spark's `maxPartitionBytes`, `pathGlobFilter` and
`recursiveFileLookup`. With `control`, `tables`, `table` or another option that applies to changes only, or without
`spec`, rows are changes; otherwise they are the records of that spec. A file is read in parts, each by one task. Files
must be readable under the same path on every executor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.errors import OptionError
from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.partitions import DEFAULT_BYTES, FilePart, Request
from lmparse.options import asks_for_changes, boolean, positive
from lmparse.spark.stream import STREAM_KEYS, LogStreamReader, check_batch
from lmparse.spark.user_schema import as_arrow, as_requested, source_columns
from lmparse.spec.documents import DocumentError, read_json
from lmparse.spelling import plain
from lmparse.storage.prefetch import prefetched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SPARK_KEYS = ("path", "paths", "owner", "provider", "location", "comment")
_OPTIONS = "lmparse.options"
"""Key in the metadata of the column `_metadata` for the options that the schema was made from, and the schema."""
_REQUEST_KEYS = ("maxPartitionBytes", "pathGlobFilter", "recursiveFileLookup", *STREAM_KEYS)


def register(spark: SparkSession) -> None:
    """Register `format("lmparse")` in a session that does not find it by itself."""
    try:
        spark.dataSource.register(LmparseSource)
    except AnalysisException as error:
        # Spark 4.0 refuses a source that it has found by itself.
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise


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
        columns = arrow.request_schema(request_of(self.options))
        found = from_arrow_schema(columns, prefer_timestamp_ntz=True)
        mark = json.dumps([self.options, found.simpleString()])
        return StructType([_with_comment(field, columns.field(field.name), mark) for field in found])

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of these columns: all columns of the source, or those in the user's schema."""
        if not self.options:
            # For a table in the catalog, Spark passes the schema but not the options.
            self.options = _mark(schema)[0]
        check_batch(self.options)
        request = request_of(self.options)
        if _mark(schema)[1] == schema.simpleString():
            return LmparseReader(request, schema)  # all columns of the source, which is not read for them again
        columns = source_columns(arrow.request_schema(request), as_arrow(schema))
        return LmparseReader(request, schema, columns)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader of the changes in the files of a log as they arrive."""
        reader = LmparseReader(request_of(self.options), schema)
        return LogStreamReader(reader.request, self.options, reader.read_part)


class LmparseReader(DataSourceReader):
    """Reads parts of files as Arrow batches."""

    def __init__(self, request: Request, schema: StructType, columns: pa.Schema | None = None) -> None:
        """`columns` are the columns of the source in which a user schema is read."""
        self.request, self.struct, self.columns = request, schema, columns

    def partitions(self) -> list[InputPartition]:
        """The parts, each for one task."""
        is_numbered = "_metadata" in self.struct.names
        return [InputPartition(part) for part in self.request.parts(is_numbered=is_numbered)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part."""
        return self.read_part(partition.value)

    def read_part(self, part: FilePart) -> Iterator[pa.RecordBatch]:
        """The same for the part itself."""
        schema = to_arrow_schema(self.struct)
        columns = schema if self.columns is None else self.columns
        batches = arrow.part_batches(part, columns, with_changes=self.request.with_changes)
        return prefetched(batches if self.columns is None else (as_requested(batch, schema) for batch in batches))


def _mark(schema: StructType) -> tuple[dict[str, str], str]:
    """The options that a schema of the source was made from, and its text; empty for a user schema."""
    stored = [field.metadata[_OPTIONS] for field in schema if _OPTIONS in field.metadata]
    options, text = json.loads(stored[0]) if stored else ({}, "")
    return options, text


def _with_comment(field: StructField, arrow: pa.Field, mark: str) -> StructField:
    comment = (arrow.metadata or {}).get(b"comment", b"").decode()
    metadata = {"comment": comment} if comment else {}
    if field.name == "_metadata":
        metadata[_OPTIONS] = mark
    return StructField(field.name, field.dataType, True, metadata)


def request_of(options: Mapping[str, Any]) -> Request:
    """The request that options make, for records or changes. Raises OptionError."""
    request = reader_request(options, with_changes=asks_for_changes(options))
    return without_order(request)


def without_order(request: Request) -> Request:
    """The request. Raises OptionError if it asks for an order, or for what only the whole log gives."""
    if request.options.order == "commit":
        raise OptionError("order commit has no meaning in a DataFrame", hint='use orderBy("seq")')
    if request.options.envelope == "apply":
        raise OptionError(
            "envelope apply compares all rows, and Spark reads parts, each by itself",
            hint="take changefeed, and the row with the highest _commit_seq of each key",
        )
    return request


def _paths(text: str) -> tuple[str, ...]:
    """The paths that Spark passes as a JSON list. Raises OptionError."""
    try:
        found = read_json(text.encode(errors="surrogatepass"))
    except DocumentError:
        found = None
    if not isinstance(found, list) or not found or not all(isinstance(path, str) for path in found):
        raise OptionError(f"paths has no value {text[:60]!r}", hint="load(PATH) or load([PATH, ...])")
    return tuple(found)


def reader_request(options: Mapping[str, Any], *, with_changes: bool) -> Request:
    """The request that options make, for changes or not as the caller decides. Raises OptionError."""
    # A table in the catalog has its options also, or only, as `option.NAME`.
    bare = {name: value for name, value in options.items() if not name.startswith("option.")}
    options = bare or {name.removeprefix("option."): value for name, value in options.items()}
    keys = {plain(name): value for name, value in options.items()}
    named = read_options(options, known=_SPARK_KEYS, public=_REQUEST_KEYS)
    if "paths" in keys:
        paths = _paths(str(keys["paths"]))
    elif "path" in keys or "location" in keys:
        paths = (str(keys.get("path", keys.get("location"))),)
    else:
        raise OptionError("there is no path to read", hint="load(PATH); create a table without a column list")
    size = positive("maxPartitionBytes", str(keys.get("maxpartitionbytes", DEFAULT_BYTES)))
    recursive = boolean("recursiveFileLookup", str(keys.get("recursivefilelookup", "false")))
    return Request(paths, named, with_changes, size, keys.get("pathglobfilter"), recursive)
