"""Our own scalar reader: the generated parser and `RecordReader` for each record, then columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any

import pyarrow as pa

from bench.rivals.target import BATCH, SCHEMA, to_batch, to_table, wanted
from lmparse.framing.framings import framing_of
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.storage.buffers import open_buffer


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    reader = RecordReader(catalog.load("bmc_lldf"))
    buffer = open_buffer(path)
    records = (reader.read(extent.read(buffer)).raise_fault().values for extent in framing_of("rdw").extents(buffer))
    return to_table(names, list(_batches(names, records)))


def _batches(names: tuple[str, ...], records: Iterator[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    while batch := list(islice(records, BATCH)):
        yield to_batch(names, [_fitting(name, list(map(itemgetter(name), batch))) for name in names])


def _fitting(name: str, values: list[Any]) -> list[Any]:
    """Timestamps come as text, which Arrow does not take for a column of them."""
    if pa.types.is_timestamp(SCHEMA.field(name).type):
        return [value and datetime.fromisoformat(value) for value in values]
    return values
