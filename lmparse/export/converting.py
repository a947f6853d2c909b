"""Converting: the records of a file as one file, or the changes of a log as a folder of files.

What is read in parts, by several processes, comes out as if it was read at once: the same rows in
the same order. Nothing is at the place of the output until all of it is written.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.bmc.control_search import find_control
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.texts import as_text
from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.export import change_folders, writers
from lmparse.export.change_folders import Form, Group, SpillFiles
from lmparse.export.progress import Progress
from lmparse.export.writers import Output
from lmparse.framing.framings import Span
from lmparse.framing.sync import RangeError
from lmparse.logs import arrow
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.partitions import DEFAULT_BYTES, Part
from lmparse.options import Options
from lmparse.records.files import FileSettings, RecordFile, Tally
from lmparse.storage import addresses, processes
from lmparse.storage.atomic_output import AtomicOutput, check_place, put_on_disk

_LEAST_BYTES = 1 << 22
"""Bytes of a part, at least: opening a file and a process's first record cost time."""
_PARTS_A_JOB = 4
"""Parts for each process, so that the last ones do not have to wait for one."""
_STEP = 1 << 23
"""Bytes of the file between two steps of the progress, where records do not say where they stand."""
_LINES = 2048
OnError = Callable[[DataError], None]


@dataclass(frozen=True)
class Conversion:
    """What is to be converted, and into what. Texts are checked when it runs."""

    path: str
    out: str
    options: Options
    with_changes: bool = False
    form: str | None = None
    """Of the files of changes; of records the ending of `out` says it."""
    compression: str | None = None
    jobs: int = 1
    version: str = ""
    """Of lmparse, as files and manifest name it."""
    overwrite: bool = False
    part_bytes: int | None = None
    """Bytes of a part for each process; by default what the size of the file asks for."""

    def run(self, on_error: OnError, progress: Progress | None = None) -> Summary:
        """Convert. Bad records and values go to `on_error`, unless the mode is failfast.

        Raises OptionError before anything is read, FramingError where the file is damaged,
        EngineDifferenceError in engine check; then there is no output.
        """
        if self.jobs < 1:
            raise OptionError("jobs is a number of processes, at least 1")
        if addresses.is_remote(self.out):
            raise OptionError(f"{self.out}: files are written to local folders only", hint="copy it from there")
        form = self._form()
        compression = writers.check_compression(form, self.compression)
        place = check_place(
            Path(self.out),
            self._sources(),
            is_folder=self.with_changes,
            overwrite=self.overwrite,
            mark=writers.MANIFEST,
        )
        task = _Running(self, form, compression, on_error, progress or Progress())
        try:
            with _ends_on_signals(), AtomicOutput(place, overwrite=self.overwrite) as work:
                summary = task.changes(work) if self.with_changes else task.records(work)
                work.finish()
        except OSError as error:
            # Of files that are read, DataErrors tell; so it is the output: a full disk, for instance.
            raise OptionError(f"{self.out}: cannot be written: {error.strerror or error}") from error
        return summary

    def _form(self) -> str:
        if self.with_changes:
            if self.options.order == "commit" and self.jobs > 1:
                raise OptionError("order commit needs the whole log at once", hint="leave jobs out")
            return self.form or "parquet"
        if self.form is not None:
            raise OptionError("format is for changes; of records the ending of the output says it")
        return writers.form_of(Path(self.out))

    def _sources(self) -> list[str]:
        options = self.options
        named = [self.path, *filter(None, (options.control, options.tables))]
        return [name for name in map(addresses.local_path, named) if not os.path.isdir(name)]

    def said_options(self) -> dict[str, Any]:
        """The options that are not left to themselves; of paths the base names."""
        said: dict[str, Any] = {}
        for entry in dataclasses.fields(self.options):
            value = getattr(self.options, entry.name)
            if entry.name != "spec" and value != entry.default:
                said[entry.name] = addresses.base_name(value) if entry.name in ("control", "tables") else value
        return said

    def metadata(self, file: RecordFile) -> dict[str, str]:
        """What a Parquet or Arrow file says of itself."""
        return {
            "lmparse.version": self.version,
            "lmparse.spec": file.spec.id,
            "lmparse.spec_sha256": file.spec.layout.sha256,
            "lmparse.source": addresses.base_name(self.path),
            "lmparse.options": json.dumps(self.said_options()),
        }


@dataclass
class Summary:
    """What was read and written."""

    rows: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    tally: Tally = field(default_factory=Tally)
    """Counts and notices; the errors themselves have been told of."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Changes that `include` kept out, by what became of them."""


@dataclass
class _Kept:
    """Changes on the disk."""

    groups: list[Group] = field(default_factory=list)
    """What is to be written."""
    firsts: list[Group] = field(default_factory=list)
    """For engine check, what is to be the same as `seconds`: the changes from one engine and from the other."""
    seconds: list[Group] = field(default_factory=list)

    def extend(self, other: _Kept) -> None:
        """Take over those of a later part."""
        self.groups += other.groups
        self.firsts += other.firsts
        self.seconds += other.seconds


@dataclass
class _Done:
    """What one part gave. Safe to pickle."""

    rows: int
    tally: Tally
    errors: list[DataError]
    fault: LmparseError | RangeError | None
    """What ended the reading."""
    records: int = 0
    """How many records a part of records holds that nobody had counted; its rows and errors count from 0."""
    left_out: Counter[str] = field(default_factory=Counter)
    kept: _Kept = field(default_factory=_Kept)


@dataclass(frozen=True)
class _RecordTask:
    part: Part
    schema: pa.Schema
    form: str
    path: str
    """Where the part's rows go, as a stream of Arrow."""


@dataclass(frozen=True)
class _ChangeTask:
    part: Part
    form: str
    folder: str
    prefix: str


class _Running:
    """One conversion under way."""

    def __init__(self, asked: Conversion, form: str, compression: str, on_error: OnError, progress: Progress) -> None:
        self.asked, self.form, self.compression = asked, form, compression
        self.on_error, self.progress = on_error, progress
        self.summary = Summary()

    # -- records ----------------------------------------------------------------------

    def records(self, work: AtomicOutput) -> Summary:
        """The records of a file as one file."""
        asked = self.asked
        file = open_file(asked.path, asked.options, on_error=self.on_error)
        self._start(file)
        schema = schemas.records_schema(asked.options.spec, asked.options.columns)
        parts = self._parts(partial(file.record_parts, is_numbered=False))
        final = writers.LINES if self.form == "jsonl" else schema.with_metadata(asked.metadata(file))
        if len(parts) > 1:
            self._take_over(file.tally, [])
            tasks = [
                _RecordTask(part, schema, self.form, str(work.folder / f"part-{number}"))
                for number, part in enumerate(parts)
            ]
            with writers.opened(work.made, self.form, final, self.compression) as output:
                rest = self._records_of_parts(tasks, output)
                if rest is not None:
                    again = open_file(asked.path, asked.options, settings=parts[0].settings, on_error=self.on_error)
                    self._records_of(again, rest, schema, output)
        else:
            with writers.opened(work.made, self.form, final, self.compression) as output:
                self._records_of(file, None, schema, output)
        self.summary.bytes_written = work.made.stat().st_size
        return self.summary

    def _records_of(self, file: RecordFile, span: Span | None, schema: pa.Schema, output: Output) -> None:
        """Write the records of the file, or of a part of it, that this process reads itself."""
        settings = None if span is None else file.settings_for_records()
        for batch, reached in _records(file, schema, span, self.form, settings):
            output.write(batch)
            self.summary.rows += batch.num_rows
            self.progress.at(reached, self.summary.rows)
        self._take_over(file.tally, [])

    def _records_of_parts(self, tasks: list[_RecordTask], output: Output) -> Span | None:
        """Write the records that other processes read; gives what is left of the file when they cannot go on.

        Parts come in order, so all before one are proven and counted when it comes. Where one fails, nothing
        behind it counts, and only who reads on from its start can say what is wrong as reading at once does.
        """
        before = 0
        with closing(processes.in_order(_write_records, tasks, min(self.asked.jobs, len(tasks)))) as found:
            for number, done in enumerate(found):
                span, is_counted = tasks[number].part.span, tasks[number].part.span.first_index is not None
                if done.fault is not None and not is_counted:
                    return Span(span.start, self.summary.bytes_read, before)
                for error in done.errors:
                    if error.record_index is not None:
                        error.record_index += before
                self._take_over(done.tally, done.errors, done.fault)
                for batch in change_folders.stored(tasks[number].path):
                    output.write(_moved(batch, before))
                os.unlink(tasks[number].path)
                before += done.records
                self.summary.rows += done.rows
                self._reached(number + 1, len(tasks))
        return None

    # -- changes ----------------------------------------------------------------------

    def changes(self, work: AtomicOutput) -> Summary:
        """The changes of a log as a folder of files."""
        asked = self.asked
        log = open_changes(asked.path, asked.options, on_error=self.on_error)
        self._start(log)
        aside = work.folder / "aside"
        aside.mkdir()
        work.made.mkdir()
        parts = self._parts(log.change_parts)
        if len(parts) > 1:
            self._take_over(log.tally, [])
            tasks = [_ChangeTask(part, self.form, str(aside), str(number)) for number, part in enumerate(parts)]
            kept = self._changes_of_parts(tasks)
        else:
            kept = _put_aside(log, None, None, self.form, aside, "0", self._changes_reached)
            self._take_over(log.tally, [])
            self.summary.left_out = log.left_out
        is_sorted = asked.options.order == "file"
        change_folders.check_same(kept.firsts, kept.seconds, is_sorted=is_sorted)
        form = Form(self.form, self.compression, asked.metadata(log), is_sorted)
        files = change_folders.write_files(work.made, kept.groups, form)
        change_folders.write_manifest(work.made / writers.MANIFEST, self._manifest(log, files))
        put_on_disk(work.made / writers.MANIFEST)
        self.summary.bytes_written = sum(entry["size"] for entry in files)
        return self.summary

    def _changes_of_parts(self, tasks: list[_ChangeTask]) -> _Kept:
        kept = _Kept()
        with closing(processes.in_order(_put_changes_aside, tasks, min(self.asked.jobs, len(tasks)))) as found:
            for number, done in enumerate(found):
                self._take_over(done.tally, done.errors, done.fault)
                self.summary.rows += done.rows
                self.summary.left_out += done.left_out
                kept.extend(done.kept)
                self._reached(number + 1, len(tasks))
        return kept

    def _manifest(self, log: ChangeLog, files: list[dict[str, Any]]) -> dict[str, Any]:
        options, summary = self.asked.options, self.summary
        control = None if options.control is None else find_control(log.path, options.control)
        bad = sum(entry["rows_by_operation"].get("bad record", 0) for entry in files)
        return {
            "manifest_version": 1,
            "lmparse": self.asked.version,
            "spec": log.spec.id,
            "spec_sha256": log.spec.layout.sha256,
            "source": change_folders.about(log.path),
            "control": None if control is None else change_folders.about(control),
            "tables": None if options.tables is None else change_folders.about(options.tables),
            "options": self.asked.said_options(),
            "format": self.form,
            "compression": self.compression,
            "files": files,
            "counts": {
                "changes": sum(entry["rows"] for entry in files) - bad,
                "left_out": dict(sorted(summary.left_out.items())),
                "bad_records": summary.tally.dropped,
                "errors": summary.tally.error_count,
            },
            "notices": summary.tally.notices,
        }

    # -- both -------------------------------------------------------------------------

    def _start(self, file: RecordFile) -> None:
        self.summary.bytes_read = len(file.buffer)
        self.progress.start(len(file.buffer))
        if not len(file.buffer):
            next(file.extents(), None)  # which says so

    def _parts(self, cut: Callable[[int], list[tuple[FileSettings, Span]]]) -> list[Part]:
        """What each process is to read; nothing when there is only one process."""
        asked = self.asked
        if asked.jobs == 1:
            return []
        fair = self.summary.bytes_read // (_PARTS_A_JOB * asked.jobs)
        size = asked.part_bytes or min(max(_LEAST_BYTES, fair), DEFAULT_BYTES)
        return [Part(asked.path, asked.options, settings, span) for settings, span in cut(size)]

    def _take_over(self, tally: Tally, errors: list[DataError], fault: LmparseError | RangeError | None = None) -> None:
        """Tell of the errors of a part, and count them. Raises what ended its reading."""
        for error in errors:
            self.on_error(error)
        total = self.summary.tally
        total.error_count += tally.error_count
        total.dropped += tally.dropped
        total.notices = change_folders.sum_of([*total.notices, *tally.notices])
        if fault is not None:
            raise fault

    def _reached(self, parts: int, of: int) -> None:
        self.progress.at(self.summary.bytes_read * parts // of, self.summary.rows)

    def _changes_reached(self, rows: int, reached: int) -> None:
        self.summary.rows = rows
        self.progress.at(reached, rows)


def _moved(batch: pa.RecordBatch, by: int) -> pa.RecordBatch:
    """A batch whose records have higher numbers; lines have none."""
    place = batch.schema.get_field_index("_metadata")
    if place < 0 or by == 0:
        return batch
    column = batch.column(place)
    names = [entry.name for entry in column.type]
    parts = dict(zip(names, column.flatten(), strict=True))
    parts["record_index"] = pc.add(parts["record_index"], by)
    moved = pa.StructArray.from_arrays(list(parts.values()), fields=list(column.type))
    return batch.set_column(place, batch.schema.field(place), moved)


# -- reading ------------------------------------------------------------------------------


def _records(
    file: RecordFile, schema: pa.Schema, span: Span | None, form: str, settings: FileSettings | None
) -> Iterator[tuple[pa.RecordBatch, int]]:
    """The records of a file or part as they are to be written, with how far it was read, in bytes."""
    is_checked = file.options.engine == "check"
    if form != "jsonl":
        batches = _checked(file, schema, span, settings) if is_checked else arrow.engine_batches(file, schema, span)
        yield from ((batch, _behind(batch)) for batch in batches if batch.num_rows)
        return
    if is_checked:
        # Lines are those of the parser; so the engines are compared without them, and told of once.
        for _ in _checked(_again(file, settings, "columnar"), schema, span, settings):
            pass
    for part in [span] if span is not None else file.spans(_STEP):
        for lines in _batched(file.records(part)):
            yield pa.RecordBatch.from_arrays([pa.array(lines, pa.binary())], schema=writers.LINES), part.end


def _batched(rows: Iterable[dict[str, Any]]) -> Iterator[list[bytes]]:
    lines = map(writers.json_line, rows)
    while batch := list(islice(lines, _LINES)):
        yield batch


def _checked(
    file: RecordFile, schema: pa.Schema, span: Span | None, settings: FileSettings | None
) -> Iterator[pa.RecordBatch]:
    """The records by the column, compared with those of the parser."""
    reason = arrow.plan_of(file).refusal(schema)
    if reason:
        file.notice(f"nothing is compared, since records of {file.spec.id} go row by row: {reason}")
    second = _again(file, settings, "kaitai")
    return compared(arrow.record_batches(file, schema, span), arrow.engine_batches(second, schema, span))


def _again(file: RecordFile, settings: FileSettings | None, engine: str) -> RecordFile:
    """The same file once more, for another engine; what is bad in it the first one tells."""
    options = dataclasses.replace(file.options, engine=engine)
    return open_file(file.path, options, settings=settings, on_error=lambda error: None)


def _behind(batch: pa.RecordBatch) -> int:
    where = batch.column("_metadata")[-1].as_py()
    return int(where["record_offset"] + where["record_length"])


def _put_aside(
    log: ChangeLog,
    span: Span | None,
    settings: FileSettings | None,
    form: str,
    folder: Path,
    prefix: str,
    reached: Callable[[int, int], None],
) -> _Kept:
    """Put the changes of a log or part on the disk, and for engine check once more from the other engine."""

    def read(source: RecordFile, name: str, put: Any) -> list[Group]:
        assert isinstance(source, ChangeLog)
        aside = SpillFiles(folder, name)
        for rows, place in put(source, span, aside):
            if source is log:
                reached(rows, place)
        return aside.groups()

    put = change_folders.put_lines_aside if form == "jsonl" else change_folders.put_aside
    kept = _Kept(read(log, f"{prefix}-rows", put))
    if log.options.engine == "check":
        kept.seconds = read(_again(log, settings, "kaitai"), f"{prefix}-kaitai", change_folders.put_aside)
        if form == "jsonl":
            kept.firsts = read(_again(log, settings, "columnar"), f"{prefix}-columnar", change_folders.put_aside)
        else:
            kept.firsts = kept.groups
    return kept


# -- in other processes -------------------------------------------------------------------


def _write_records(task: _RecordTask) -> _Done:
    done = _Done(0, Tally(), [], None)
    part, span = task.part, task.part.span
    try:
        file = part.open(on_error=done.errors.append)
        done.tally = file.tally
        if span.first_index is None:
            done.records = file.count(span)
            span = dataclasses.replace(span, first_index=0)
        form = _aside(task.form, task.schema)
        with pa.OSFile(task.path, "wb") as sink, pa.ipc.new_stream(sink, form) as writer:
            for batch, _ in _records(file, task.schema, span, task.form, part.settings):
                columns = zip(batch.columns, form, strict=True)
                made = [array if array.type == entry.type else as_text(array) for array, entry in columns]
                writer.write_batch(pa.RecordBatch.from_arrays(made, schema=form))
                done.rows += batch.num_rows
    except (LmparseError, RangeError) as error:
        done.fault = error
    return done


def _aside(form: str, schema: pa.Schema) -> pa.Schema:
    """The columns of what a part puts aside: of CSV they are text already, but for the one with numbers."""
    if form == "jsonl":
        return writers.LINES
    if form != "csv":
        return schema
    return pa.schema([entry if entry.name == "_metadata" else entry.with_type(pa.string()) for entry in schema])


def _put_changes_aside(task: _ChangeTask) -> _Done:
    errors: list[DataError] = []
    done = _Done(0, Tally(), errors, None)
    part = task.part
    log: RecordFile | None = None

    def count_rows(rows: int, _: int) -> None:
        done.rows = rows

    try:
        log = part.open(on_error=errors.append)
        assert isinstance(log, ChangeLog)
        folder = Path(task.folder)
        done.kept = _put_aside(log, part.span, part.settings, task.form, folder, task.prefix, count_rows)
        done.left_out = log.left_out
    except LmparseError as error:
        done.fault = error
    if log is not None:
        done.tally = log.tally
    return done


@contextmanager
def _ends_on_signals() -> Iterator[None]:
    """Let the signals that end a program end it as errors do, so that nothing is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler == signal.SIG_DFL:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
