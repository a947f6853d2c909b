"""RDDs: the records of files as bytes, and the generated parser of a spec over them; both need classic Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from lmparse.errors import DataError, OptionError
from lmparse.logs.families import check_fits, read_options
from lmparse.logs.partitions import FilePart, Part
from lmparse.options import Options, check_taken, truth
from lmparse.records.files import check_columns, corrupt_field
from lmparse.records.reader import RecordReader
from lmparse.records.settings import page_of, reader_of
from lmparse.spark.requests import reader_request
from lmparse.spec import catalog
from lmparse.spelling import plain
from lmparse.storage.addresses import path_of
from lmparse.values.json_form import to_json

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession


def read_records(spark: SparkSession, path: str, framing: str = "auto", **options: Any) -> RDD[bytes]:
    """The records of files as an RDD of bytes, read from byte ranges.

    `options` are those of the data source. Raises FramingError where a file is damaged.
    """
    check_taken(options, "bytes", "records as bytes")
    if any(plain(name) == plain("columnNameOfCorruptRecord") for name in options):
        raise OptionError("columnNameOfCorruptRecord means nothing for records as bytes", hint="it is for rows")
    given = {**options, "path": path_of("path", path), "framing": framing}
    request = reader_request({**given, "mode": "failfast"}, with_changes=False)
    parts = list(request.parts())
    return spark.sparkContext.parallelize(parts, max(len(parts), 1)).flatMap(_part_records)


def _part_records(part: Part) -> Iterator[bytes]:
    assert isinstance(part, FilePart)
    file = part.open()
    for extent in file.extents(part.span):
        yield extent.read(file.buffer)
    part.check()


def parse(rdd: RDD[bytes], spec: str, *, objects: bool = False, **options: Any) -> RDD[Any]:
    """Map the generated parser of a spec over an RDD of record bytes.

    Returns the dicts that `lmparse records` prints, or with `objects` the generated objects. A bad record raises in
    mode failfast, is left out in mode dropmalformed, and otherwise becomes `{"_corrupt_record": hex, "_error": {...}}`.
    The RDD may also come from `sc.binaryRecords`. Raises TypeError for what is not an RDD.
    """
    named = read_options({**options, "spec": path_of("spec", spec)})
    if truth("objects", objects) and named.columns:
        raise OptionError("columns means nothing for generated objects", hint="leave objects or columns out")
    found = catalog.load(named.spec)
    check_fits(named, found)
    check_taken(options, "rdd", "records that are given as bytes")
    check_columns(found, named.columns, found.field_ids())
    if not hasattr(rdd, "mapPartitions"):
        raise TypeError(f"rdd is an RDD of bytes, and {type(rdd).__name__} is given")
    return rdd.mapPartitions(_Parser(named, objects, found.fingerprint))


class _Parser:
    """The function of one partition, which loads the parser once."""

    def __init__(self, options: Options, objects: bool, fingerprint: str) -> None:
        self.options, self.objects, self.fingerprint = options, objects, fingerprint

    def __call__(self, records: Iterable[bytes]) -> Iterator[Any]:
        options = self.options
        spec, limits = catalog.load_planned(options.spec, self.fingerprint), options.bounds
        reader = reader_of(spec, options, page_of(spec, options))
        one: Callable[[bytes], Any] = reader.parse if self.objects else lambda raw: _values(reader, raw, options)
        for raw in records:
            try:
                limits.check("record_bytes", len(raw), spec=spec.id)
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
