"""Read job: what every task does with its part, for the data source, `read_changes` and `write_parquet` alike.

It reads the part, gives the rows the columns that are asked for, puts bad ones elsewhere if that is asked for, and
writes the report of the task.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.errors import DataError, InvalidValueError, LmparseError, OptionError
from lmparse.logs import arrow
from lmparse.logs.part_rows import PartAccount, part_rows, said
from lmparse.logs.partitions import Damage, Part, Request
from lmparse.records.files import corrupt_field
from lmparse.spark.exact_casts import Misfit
from lmparse.spark.requests import JobOptions, job_options, strict
from lmparse.spark.task_files import TaskFile, check_apart, folder_of, new_run
from lmparse.spark.user_schema import as_requested, may_misfit, narrowed, source_columns
from lmparse.storage.prefetch import prefetched
from lmparse.terminal import harmless, one_line

_FIELDS, _RECORD, _METADATA = schemas.CORRUPT_FIELDS, schemas.CORRUPT_RECORD, "_metadata"
_ADD = f"add the column {_FIELDS} to the schema, which lists bad values, or read in mode dropmalformed"


@contextmanager
def hints_shown() -> Iterator[None]:
    """Show the hint of an error below its text, also in the errors of Spark, which have the text of the traceback."""
    try:
        yield
    except LmparseError as error:
        note = f"  hint: {harmless(one_line(str(error.hint)))}"
        if error.hint and error.hint not in error.message and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise


@dataclass(frozen=True)
class ReadJob:
    """The columns and the outputs of a job. Safe to pickle."""

    wanted: pa.Schema
    """The columns of the rows that tasks give."""
    read: pa.Schema
    """The columns in which parts are read: those of the source for the wanted ones, and what else a task must know.
    Outcomes that it must know have all of their fields."""
    chosen: pa.Schema
    """The columns of the source for the wanted ones, with the fields that are wanted."""
    with_changes: bool
    mode: str
    output: JobOptions = field(default_factory=JobOptions)
    filters: tuple[Filter, ...] = ()
    hint: str | None = None
    """What to do about an error that is raised because there is no column for it."""
    run: str = field(default_factory=new_run)

    @property
    def is_numbered(self) -> bool:
        """Whether records must be counted."""
        return _METADATA in self.read.names

    def batches(self, part: Part | None, number: int, count: int, *, ahead: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of part `number` of `count`; none if there is no part.

        With `ahead` a thread reads them in advance. Files are written when the caller has taken the last row.
        """
        if part is None:
            return
        with hints_shown(), self._advised():
            if self.output.bad_records_path is not None:
                part = replace(part, damage=Damage.LEFT_OUT)
            account = PartAccount(part.shown)
            place = self.output.bad_records_path
            bad = None if place is None else TaskFile(place)
            try:
                rows = part_rows(part, self.read, self.filters, with_changes=self.with_changes, account=account)
                given = 0
                for batch in prefetched(rows) if ahead else rows:
                    found = self._given(batch, account, bad, _file_name(number))
                    given += found.num_rows
                    if found.num_rows:
                        yield found
                account.rows = given
                self._finish(part, account, bad, number, count)
            finally:
                if bad is not None:
                    bad.remove()

    @contextmanager
    def _advised(self) -> Iterator[None]:
        try:
            yield
        except DataError as error:
            error.hint = error.hint or self.hint
            raise

    def _given(self, batch: pa.RecordBatch, account: PartAccount, bad: TaskFile | None, name: str) -> pa.RecordBatch:
        """The wanted columns of a batch, without the rows that have none."""
        count = len(self.wanted)
        if self._is_of_source:
            made = pa.RecordBatch.from_arrays(batch.columns[:count], schema=self.wanted)
        else:
            made, misfits = as_requested(narrowed(batch.select(range(count)), self.chosen), self.wanted)
            made, batch = self._with_misfits(made, batch, misfits, account)
        if bad is not None:
            return self._divided(made, batch, bad, f"{self.run}/bad_records/{name}")
        if _FIELDS in self.read.names and _FIELDS not in self._sources:
            self._raise_bad_value(batch)
        return made

    @cached_property
    def _is_of_source(self) -> bool:
        """Whether the wanted columns have the types of the source."""
        return [entry.type for entry in self.wanted] == [entry.type for entry in self.read][: len(self.wanted)]

    @property
    def _sources(self) -> list[str]:
        """Names of the columns of the source that are wanted."""
        return list(self.read.names[: len(self.wanted)])

    def _with_misfits(
        self, made: pa.RecordBatch, batch: pa.RecordBatch, misfits: Sequence[Misfit], account: PartAccount
    ) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        """Both batches after what the mode does with values that do not fit."""
        if not misfits:
            return made, batch
        errors = [self._placed(one, batch) for one in misfits]
        if self.mode == "failfast":
            raise errors[0]
        for error in errors:
            account.errors(error)
        if self.mode == "dropmalformed":
            kept = sorted(set(range(batch.num_rows)) - {one.row for one in misfits})
            return made.take(pa.array(kept, pa.int64())), batch.take(pa.array(kept, pa.int64()))
        column = batch.column(_FIELDS)
        lists = column.to_pylist()
        account.bad_rows += len({one.row for one in misfits if lists[one.row] is None})
        for one, error in zip(misfits, errors, strict=True):
            lists[one.row] = [*(lists[one.row] or ()), corrupt_field(error)]
        listed = pa.array(lists, column.type)
        batch = batch.set_column(batch.schema.get_field_index(_FIELDS), batch.schema.field(_FIELDS), listed)
        if _FIELDS in self._sources:
            place = self._sources.index(_FIELDS)
            own, chosen, wanted = ([one[place]] for one in (self._sources, list(self.chosen), list(self.wanted)))
            read = narrowed(pa.RecordBatch.from_arrays([listed], own), pa.schema(chosen))
            shown, unlisted = as_requested(read, pa.schema(wanted))
            if unlisted:  # the list itself is in a type that does not represent it
                raise self._placed(unlisted[0], batch)
            made = made.set_column(place, self.wanted.field(place), shown.column(0))
        return made, batch

    def _placed(self, misfit: Misfit, batch: pa.RecordBatch) -> InvalidValueError:
        return _at(misfit.error(), batch, misfit.row)

    def _divided(self, made: pa.RecordBatch, batch: pa.RecordBatch, bad: TaskFile, name: str) -> pa.RecordBatch:
        """The good rows; bad ones are written to a file."""
        is_bad = pc.or_(pc.is_valid(batch.column(_RECORD)), pc.is_valid(batch.column(_FIELDS)))
        if not pc.any(is_bad).as_py():
            return made
        for row in batch.filter(is_bad).to_pylist():
            bad.write(name, _bad_record(row))
        return made.filter(pc.invert(is_bad))

    def _raise_bad_value(self, batch: pa.RecordBatch) -> None:
        """Raise the first bad value, for which the schema has no column."""
        is_bad = pc.is_valid(batch.column(_FIELDS))
        if _RECORD in self._sources:
            is_bad = pc.and_(is_bad, pc.is_null(batch.column(self._sources.index(_RECORD))))
        if pc.any(is_bad).as_py():
            row = pc.index(is_bad, True).as_py()
            first = batch.column(_FIELDS)[row].as_py()[0]
            error = InvalidValueError(
                first["message"], code=first["code"], field=first["path"], field_offset=first["offset"],
                hex=first["raw"], hint=_ADD,
            )  # fmt: skip
            raise _at(error, batch, row)

    def _finish(self, part: Part, account: PartAccount, bad: TaskFile | None, number: int, count: int) -> None:
        text = said(account, part)
        if text is not None:
            print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)
        if bad is not None:
            if account.damage is not None:
                bad.write(f"{self.run}/bad_files/{_file_name(number)}", _bad_file(account, account.damage))
            bad.finish()
        if self.output.report_path is not None:
            report = TaskFile(self.output.report_path)
            try:
                report.write(f"{self.run}/{_file_name(number)}", self._report(account, number, count))
                report.finish()
            finally:
                report.remove()

    def _report(self, account: PartAccount, number: int, count: int) -> dict[str, Any]:
        damage = account.damage
        return {
            "run": self.run, "part": number, "parts": count, "file": account.path, "bytes": account.size,
            "bytes_unread": account.unread, "rows": account.rows, "bad_rows": account.bad_rows,
            "left_out": dict(account.left_out), "notices": account.notices, "errors": dict(account.errors),
            "damage": None if damage is None else str(damage),
        }  # fmt: skip


def _file_name(number: int) -> str:
    return f"part-{number:05}.json"


def _at(error: InvalidValueError, batch: pa.RecordBatch, row: int) -> InvalidValueError:
    """An error with the place of its row."""
    if _METADATA in batch.schema.names and (place := batch.column(_METADATA)[row].as_py()) is not None:
        names = ("file", "record_index", "record_offset")
        error.at(**{name: place[name] for name in names}, spec=place["spec"])
    return error


def _bad_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """A line for a bad record, or for a record with bad values, in Databricks' words and ours."""
    place, faults = row[_METADATA] or {}, row[_FIELDS] or []
    reasons = [f"{fault['path'] or 'record'}: {fault['message']} [{fault['code']}]" for fault in faults]
    record = row[_RECORD]
    values = {name: value for name, value in row.items() if name not in schemas.OUTCOMES} if record is None else None
    return {
        "path": place.get("file"), "record": record, "reason": "; ".join(reasons),
        "record_index": place.get("record_index"), "record_offset": place.get("record_offset"),
        "record_length": place.get("record_length"), "fields": faults, "values": values,
    }  # fmt: skip


def _bad_file(account: PartAccount, error: DataError) -> dict[str, Any]:
    return {
        "path": error.file or account.path, "reason": str(error), "code": error.code,
        "record_index": error.record_index, "record_offset": error.record_offset, "bytes_unread": account.unread,
    }  # fmt: skip


def read_job(
    request: Request,
    options: Mapping[str, Any],
    *,
    source: pa.Schema | None = None,
    wanted: pa.Schema | None = None,
    filters: Sequence[Filter] = (),
) -> tuple[Request, ReadJob]:
    """The job for a request, and the request as it is to be planned for it.

    `source` are the columns of the source if they are known, `wanted` those of a user schema. Raises OptionError.
    """
    output = job_options(options)
    output = replace(
        output,
        bad_records_path=_folder("badRecordsPath", output.bad_records_path, request),
        report_path=_folder("reportPath", output.report_path, request),
    )
    if output.report_path is not None:  # where all files are read as reports
        check_apart(output.report_path, "reports", badRecordsPath=output.bad_records_path)
    inner = arrow.request_schema(request) if source is None else source
    outer = renamed(inner, output)
    wanted = outer if wanted is None else wanted
    chosen = source_columns(outer, wanted)
    read = [entry.with_name(_RECORD) if entry.name == output.corrupt_record else entry for entry in chosen]
    names = {entry.name for entry in read}
    needed: list[str] = []
    hint = None
    if output.bad_records_path is not None:
        needed = list(schemas.OUTCOMES)
    elif request.options.mode == "permissive" and not {_FIELDS, _RECORD} & names:
        request, hint = strict(request), _ADD
    elif request.options.mode == "permissive" and _FIELDS not in names:
        needed = [_FIELDS]
    if may_misfit(chosen, wanted):
        needed += [_FIELDS, _METADATA]
    if needed:  # where a bad value is named, all is read of its place and of what is wrong with it
        read = [inner.field(entry.name) if entry.name in (_FIELDS, _METADATA) else entry for entry in read]
    read += [inner.field(name) for name in dict.fromkeys(needed) if name not in names]
    mode, with_changes = request.options.mode, request.with_changes
    job = ReadJob(wanted, pa.schema(read), chosen, with_changes, mode, output, tuple(filters), hint)
    return request, job


def renamed(source: pa.Schema, output: JobOptions) -> pa.Schema:
    """The columns of the source with the name that bad records are to have. Raises OptionError if another has it."""
    name = output.corrupt_record
    if name != _RECORD and name.lower() in (known.lower() for known in source.names):
        raise OptionError(
            f"columnNameOfCorruptRecord has no value {name!r}: another column has it", hint="a name of its own"
        )  # fmt: skip
    fields = [entry.with_name(name) if entry.name == _RECORD else entry for entry in source]
    return pa.schema(fields, source.metadata)


def inner(outer: pa.Schema, options: Mapping[str, Any]) -> pa.Schema:
    """The columns of the source from those that `renamed` gave."""
    name = job_options(options).corrupt_record.lower()
    return pa.schema([entry.with_name(_RECORD) if entry.name.lower() == name else entry for entry in outer])


def _folder(option: str, path: str | None, request: Request) -> str | None:
    return None if path is None else folder_of(option, path, request)
