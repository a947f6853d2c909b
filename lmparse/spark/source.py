"""Spark: records and changes as RDDs and as DataFrames.

    changes = (spark.read.format("lmparse")
        .option("control", "payroll.ctl").option("table", "PAYROLL.EMPLOYEE")
        .load("payroll.dat"))

The source registers itself in a fresh interpreter (through `pyspark_lmparse`); `register`
does it by hand. It uses no JVM call, so it works over Spark Connect too; the RDD functions
need classic Spark.

Options: those of the command line in camelCase, and Spark's `maxPartitionBytes`,
`pathGlobFilter`, `recursiveFileLookup`. With `control`, `tables`, `table` or another option that
only changes have, or without `spec`, rows are changes; else they are the records of that spec.
A file is split inside; each part is one task. Files must be readable under the same path on every executor.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructField, StructType

from lmparse.errors import DataError, OptionError
from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.partitions import DEFAULT_BYTES, Part, Request
from lmparse.options import Options, asks_for_changes, boolean, plain
from lmparse.records.files import check_columns, corrupt_field
from lmparse.records.reader import RecordReader, arguments_of
from lmparse.spec import catalog
from lmparse.storage.prefetch import prefetched
from lmparse.values import codepages
from lmparse.values.json_form import to_json

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

_SPARK_KEYS = ("path", "paths", "owner", "provider", "location", "comment")
_OPTIONS = "lmparse.options"
"""Key in the metadata of the column `_metadata` under which a schema keeps the options it came from."""
_REQUEST_KEYS = ("maxPartitionBytes", "pathGlobFilter", "recursiveFileLookup")


def register(spark: SparkSession) -> None:
    """Make `format("lmparse")` known to a session that does not find it by itself."""
    try:
        spark.dataSource.register(LmparseSource)
    except AnalysisException as error:
        # Spark 4.0 complains of a source that it has found by itself.
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise


def read_records(spark: SparkSession, path: str, framing: str = "auto", **options: Any) -> RDD[bytes]:
    """The records of files as an RDD of bytes, cut from byte ranges.

    `options` are those of the source. Raises FramingError where a file is damaged.
    """
    request = _request({**options, "path": path, "framing": framing}, with_changes=False)
    parts = list(request.parts(is_numbered=False))
    return spark.sparkContext.parallelize(parts, max(len(parts), 1)).flatMap(_part_records)


def _part_records(part: Part) -> Iterator[bytes]:
    file = part.open()
    for extent in file.extents(part.span):
        yield extent.read(file.buffer)


def parse(rdd: RDD[bytes], spec: str, *, objects: bool = False, **options: Any) -> RDD[Any]:
    """Map the generated parser of a spec over an RDD of record bytes.

    Gives the dicts that `lmparse records` prints, or with `objects` the generated objects.
    A bad record raises in mode failfast, is left out in dropmalformed, and else becomes
    `{"_corrupt_record": hex, "_error": {...}}`. Takes what `sc.binaryRecords` gives too.
    """
    named = read_options({**options, "spec": spec})
    found = catalog.load(named.spec)
    check_columns(found, named.columns, found.field_ids())
    return rdd.mapPartitions(_Parser(named, objects))


class _Parser:
    """The function of one partition: it loads the parser once."""

    def __init__(self, options: Options, objects: bool) -> None:
        self.options, self.objects = options, objects

    def __call__(self, records: Iterable[bytes]) -> Iterator[Any]:
        options = self.options
        page = codepages.lookup(options.code_page) if options.code_page else None
        spec = catalog.load(options.spec)
        reader = RecordReader(spec, code_page=page, arguments=arguments_of(spec, options))
        one: Callable[[bytes], Any] = reader.parse if self.objects else lambda raw: _values(reader, raw, options)
        for raw in records:
            try:
                yield one(bytes(raw))
            except DataError as error:
                if options.mode == "failfast":
                    raise
                if options.mode == "permissive":
                    yield {"_corrupt_record": bytes(raw).hex().upper(), "_error": error.to_dict()}


def _values(reader: RecordReader, raw: bytes, options: Options) -> dict[str, Any]:
    record = reader.read(raw, frozenset(options.columns) or None)
    if options.mode != "permissive":
        record.raise_fault()
    values: dict[str, Any] = to_json(record.values)
    if options.columns:
        values = {name: values.get(name) for name in options.columns}
    if record.faults:
        values["_corrupt_fields"] = [corrupt_field(fault) for fault in record.faults]
    return values


class LmparseSource(DataSource):
    """The data source `lmparse`; see the module for its options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # Spark also makes one without any option, to ask what it can do; so nothing is read here.
        self.options = dict(options)

    @classmethod
    def name(cls) -> str:
        """What `format` takes."""
        return "lmparse"

    def schema(self) -> StructType:
        """Columns as the spec, or the table in the control file, gives them; docs as comments."""
        columns = arrow.request_schema(request_of(self.options))
        found = from_arrow_schema(columns, prefer_timestamp_ntz=True)
        return StructType([_with_comment(field, columns.field(field.name), self.options) for field in found])

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of these columns, all of the source's or the ones the user asked for."""
        if not self.options:
            # Of a table in the catalog Spark hands over the schema, but not the options.
            stored = [field.metadata[_OPTIONS] for field in schema if _OPTIONS in field.metadata]
            self.options = json.loads(stored[0]) if stored else {}
        return LmparseReader(request_of(self.options), schema)


class LmparseReader(DataSourceReader):
    """Reads parts of files as Arrow batches."""

    def __init__(self, request: Request, schema: StructType) -> None:
        self.request, self.struct = request, schema

    def partitions(self) -> list[InputPartition]:
        """One task a part."""
        is_numbered = "_metadata" in self.struct.names
        return [InputPartition(part) for part in self.request.parts(is_numbered=is_numbered)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part."""
        schema = to_arrow_schema(self.struct)
        return prefetched(arrow.part_batches(partition.value, schema, with_changes=self.request.with_changes))


def _with_comment(field: StructField, arrow: pa.Field, options: Mapping[str, str]) -> StructField:
    comment = (arrow.metadata or {}).get(b"comment", b"").decode()
    metadata = {"comment": comment} if comment else {}
    if field.name == "_metadata":
        metadata[_OPTIONS] = json.dumps(options)
    return StructField(field.name, field.dataType, True, metadata)


def request_of(options: Mapping[str, Any]) -> Request:
    """What options ask for, records or changes. Raises OptionError."""
    request = _request(options, with_changes=asks_for_changes(options))
    if request.options.order == "commit":
        raise OptionError("order commit has no meaning in a DataFrame", hint='use orderBy("seq")')
    return request


def _request(options: Mapping[str, Any], *, with_changes: bool) -> Request:
    """What a reader's options ask for. Raises OptionError for an unknown one."""
    # A table in the catalog brings its options under `option.` too, or so alone.
    bare = {name: value for name, value in options.items() if not name.startswith("option.")}
    options = bare or {name.removeprefix("option."): value for name, value in options.items()}
    keys = {plain(name): value for name, value in options.items()}
    named = read_options(options, known=_SPARK_KEYS, public=_REQUEST_KEYS)
    if "paths" in keys:
        paths = tuple(json.loads(keys["paths"]))
    elif "path" in keys or "location" in keys:
        paths = (str(keys.get("path", keys.get("location"))),)
    else:
        raise OptionError("there is no path to read", hint="load(PATH); create a table without a column list")
    size = str(keys.get("maxpartitionbytes", DEFAULT_BYTES))
    if not size.isdigit() or int(size) < 1:
        raise OptionError(f"maxPartitionBytes has no value {size!r}", hint="a number of bytes")
    recursive = boolean("recursiveFileLookup", str(keys.get("recursivefilelookup", "false")))
    return Request(paths, named, with_changes, int(size), keys.get("pathglobfilter"), recursive)
