"""Lines: records and changes as the JSON lines that commands print, by the engine of the options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import FallbackRow, VersionBatch, batch_of, by_schema, joined, line_row
from lmparse.columnar import arrays, json_texts
from lmparse.columnar.comparison import compared
from lmparse.columnar.json_texts import LINE, LINES
from lmparse.columnar.rows import Row, chunks
from lmparse.framing.extents import Span
from lmparse.framing.windows import Window
from lmparse.logs.arrow import count_unread, plan_of, with_irregular
from lmparse.logs.families import change_reader
from lmparse.logs.open import opened_again
from lmparse.records.files import RAW, RecordFile, check_columns
from lmparse.terminal import json_text
from lmparse.values.byte_arrays import Flags


def change_lines(log: ChangeLog, span: Span | None = None, schema: pa.Schema = LINES) -> Iterator[list[VersionBatch]]:
    """Yield the changes of a log with their lines, many at a time: batches of one table version each.

    `schema` may have other columns of changes beside LINE. Raises as `ChangeLog.typed_changes` does.
    """
    columns = change_reader(log, schema)
    if columns is not None:
        yield from columns.read(span)
        return
    for held in chunks(enumerate(log.typed_changes(span)), log.rows_together):
        rows = [FallbackRow(number, change.table, line_row(log, change)) for number, change in held]
        yield [batch_of(part, schema) for part in by_schema(rows)]


def record_lines(file: RecordFile, span: Span | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file as lines. Raises as `RecordFile.records` does."""
    if lines_refusal(file):
        for held in chunks(map(json_texts.json_line, file.records(span)), size=len):
            yield pa.RecordBatch.from_arrays([pa.array(held, pa.binary())], schema=LINES)
        return
    wanted = tuple(dict.fromkeys(file.options.columns))
    check_columns(file.spec, wanted, file.column_names())
    plan = plan_of(file)
    for window in file.windows(span):
        if int(window.lengths.sum()) > json_texts.MOST_BYTES:
            lines, irregular = pa.nulls(len(window), pa.string()), np.ones(len(window), np.bool_)
        else:
            decoded = plan.lines(window, wanted, {"_metadata": _places(window)} if file.spec.id == RAW else {})
            lines, irregular = decoded.arrays[0], decoded.irregular | count_unread(file, window, decoded)
        yield from _mended(file, window, lines, irregular)


def lines_refusal(file: RecordFile) -> str:
    """Why the lines of records are made row by row; empty if they are not."""
    if file.options.engine == "kaitai":
        return "the engine is kaitai"
    return plan_of(file).refusal(file.options.columns or sorted(file.column_names()))


def _mended(file: RecordFile, window: Window, lines: pa.Array, irregular: Flags) -> Iterator[pa.RecordBatch]:
    """Yield the lines of a window; the lines of irregular records are made one by one."""

    def read(number: int) -> list[Row]:
        row = file.row(window.extent(number))
        return [] if row is None else [{LINE: json_texts.json_line(row).decode()}]

    for batch in with_irregular(pa.RecordBatch.from_arrays([lines], [LINE]), irregular, read):
        yield pa.RecordBatch.from_arrays([json_texts.harmless(batch.column(0)).cast(pa.binary())], schema=LINES)


def _places(window: Window) -> pa.Array:
    index = np.arange(window.first_index, window.first_index + len(window))
    columns = {"record_index": index, "record_offset": window.offsets, "record_length": window.lengths}
    return json_texts.objects({name: pa.array(array) for name, array in columns.items()}, len(window))


def printed(file: RecordFile, *, with_changes: bool) -> Iterator[str]:
    """Yield text of whole lines, many at a time: the changes of a log, or the records of a file.

    Raises EngineDifferenceError where engines differ (engine `check`).
    """
    log = file if with_changes and isinstance(file, ChangeLog) else None
    reason = lines_refusal(file) if log is None else "" if change_reader(log, LINES) else "the options ask for it"
    if reason:
        if file.options.engine == "check":
            file.notice(f"nothing is compared, since {'changes' if log else 'records'} go row by row: {reason}")
        yield from (f"{json_text(row)}\n" for row in (file.records() if log is None else log.changes()))
        return

    def read(source: Any) -> Iterator[pa.RecordBatch]:
        found = record_lines(source) if log is None else (joined(many).batch for many in change_lines(source) if many)
        return iter(found)

    batches = read(file)
    if file.options.engine == "check":
        batches = compared(batches, read(opened_again(file)))
    for batch in batches:
        yield str(arrays.flat(batch.column(0))[0].data, "utf-8")  # all lines of the batch
