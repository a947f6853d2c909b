"""Record file: writes the records of a file to one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.json_texts import LINES
from lmparse.errors import LmparseError
from lmparse.export import writers
from lmparse.export.change_parts import stored
from lmparse.export.conversion import Conversion, PartResult, Run
from lmparse.framing.extents import Span
from lmparse.logs import arrow, lines
from lmparse.logs.open import open_file, opened_again
from lmparse.logs.partitions import FilePart
from lmparse.records.files import RecordFile
from lmparse.records.settings import FileSettings
from lmparse.storage import processes
from lmparse.storage.outputs import AtomicOutput


def write_records(asked: Conversion, form: str, compression: str, run: Run, work: AtomicOutput) -> None:
    """Read a file, and write its records in order to one file."""
    file = open_file(asked.path, asked.options, on_error=run.on_error)
    run.start(file)
    schema = arrow.record_schema(asked.options)
    parts = run.parts_for(asked, file.record_parts)
    final = LINES if form == "jsonl" else schema.with_metadata(asked.metadata(file))
    with (
        processes.Pool(min(asked.jobs, max(len(parts), 1))) as pool,
        writers.opened(work.made, form, final, compression, asked.csv_text) as output,
    ):
        if parts:
            run.count(file.tally)
            tasks = [(part, str(work.folder / f"part-{number}")) for number, part in enumerate(parts)]
            kept = run.results(pool.in_order, partial(_keep_records, schema=schema, form=form), tasks)
            for (_, path), _ in zip(tasks, kept, strict=True):
                for batch in stored(path):
                    output.write(batch)
                os.unlink(path)
        else:
            for batch in _records(file, schema, None, form, None):
                output.write(batch)
                run.summary.rows += batch.num_rows
            run.count(file.tally)
    run.check_files()
    run.summary.bytes_written = work.made.stat().st_size


def _records(
    file: RecordFile, schema: pa.Schema, span: Span | None, form: str, settings: FileSettings | None
) -> Iterator[pa.RecordBatch]:
    """Yield batches of the records of a file or part for the output.

    Raises EngineDifferenceError where engines differ (engine `check`).
    """
    is_checked = file.options.engine == "check"
    if is_checked:
        names = [name for name in schema.names if name not in schemas.OUTCOMES]
        reason = lines.lines_refusal(file) if form == "jsonl" else arrow.plan_of(file).refusal(names)
        if reason:
            file.notice(f"nothing is compared, since records of {file.spec.id} go row by row: {reason}")
    if form != "jsonl":
        yield from filter(len, arrow.by_engines(file, schema, span, settings=settings))
        return
    batches = lines.record_lines(file, span)
    if is_checked:
        second = lines.record_lines(opened_again(file, settings), span)
        batches = compared(batches, second, 0 if span is None else span.first_index)
    yield from batches


def _keep_records(task: tuple[FilePart, str], schema: pa.Schema, form: str) -> PartResult:
    """Store the records of a part in a file, as an Arrow stream."""
    done, (part, path) = PartResult(), task
    forms = {"jsonl": LINES, "csv": pa.schema([(name, pa.string()) for name in schema.names])}
    kept = forms.get(form, schema)  # CSV consists of texts, which are made here
    try:
        file = part.open(on_error=done.errors.append)
        done.tally = file.tally
        with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_stream(sink, kept) as writer:
            for batch in _records(file, schema, part.span, form, part.settings):
                writer.write_batch(writers.in_schema(batch, kept))
                done.rows += batch.num_rows
        part.check()
    except LmparseError as error:
        done.fault = error
    return done
