"""Summary: what is in a log, in numbers: records, changes by table and time, units of work, who, and what is damaged.

A log is read three times, by the engine that the options name: its changes as `lmparse changes` prints them, its
transactions as `lmparse txn` lists them, its records. Memory holds counts, and what these readings hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import changes_schema
from lmparse.changes.transaction_summary import NO_OPERATION, TransactionSummary, total
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.errors import DataError
from lmparse.logs import arrow
from lmparse.logs.beside import Say
from lmparse.logs.families import check_changes
from lmparse.logs.joining import one_log
from lmparse.logs.open import open_changes, open_described, states_read
from lmparse.logs.summary_counts import Distribution, NamedCounts, TimeBins, over_time
from lmparse.logs.transactions import transaction_summaries
from lmparse.options import Options
from lmparse.records.files import OnError, ignored
from lmparse.storage.addresses import in_utf8
from lmparse.storage.joined import names_in
from lmparse.storage.states import FileState
from lmparse.values import text_times

OPERATIONS = ("I", "U", "D", "M", "T", "X", "S", "C", "O", NO_OPERATION)
"""See `op` of `lmparse changes`."""
WHO = ("auth_id", "plan", "connect_id", "correlation_id")
"""What a transaction states of those who made it."""
DISPOSITIONS = ("committed", "rolled-back", "open")
_COLUMNS = ("op", "commit_ts", "schema_name", "table_name", schemas.CORRUPT_RECORD, "_metadata")
_MICROS = 1_000_000
_PLACE = ("file", "record_index", "record_offset")


@dataclass
class LogSummary:
    """What is in a log. Sizes in bytes; a record has its length without descriptor words and prefixes."""

    files: list[str]
    size: int
    """Bytes of all files; of what several have in common, once if it is read once."""
    spec: str
    title: str
    """Name of the family of the log."""
    zone: str | None
    """Time zone of the commit times; None if the log names none."""
    has_units: bool = True
    """Whether units of work can be listed."""
    decisions: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    meanings: dict[str, str] = field(default_factory=dict)
    """What the spec calls the codes by which records are counted, if these are codes."""
    kinds: NamedCounts = field(default_factory=lambda: NamedCounts("records", "bytes"))
    """Records by kind: the spec's name of it, or the code that it has; None for records that cannot be read."""
    tables: NamedCounts = field(default_factory=lambda: NamedCounts("changes", "bytes", *OPERATIONS))
    """The changes that `lmparse changes` prints, by table."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The changes that it leaves out, by reason."""
    change_times: TimeBins = field(default_factory=TimeBins)
    """The commit times of the changes that it prints."""
    unit_times: TimeBins = field(default_factory=TimeBins)
    """The commit times of committed units of work."""
    first_commit: str | None = None
    last_commit: str | None = None
    without_time: int = 0
    """Committed units without a time of commit."""
    units: NamedCounts = field(
        default_factory=lambda: NamedCounts("units", "changes", "taken_back", "records", "bytes")
    )
    """Units of work by disposition."""
    complete: Counter[str] = field(default_factory=Counter)
    """Units by whether all of them is in the log: yes, no, not testable."""
    why: Counter[str] = field(default_factory=Counter)
    """Reasons for which units are not complete."""
    sizes: dict[str, Distribution] = field(
        default_factory=lambda: {name: Distribution() for name in ("changes", "records", "bytes")}
    )
    """Of committed units."""
    durations: Distribution = field(default_factory=Distribution)
    """Microseconds from the beginning to the commit of committed units that state both."""
    backwards: int = 0
    """Committed units that state a beginning behind their commit."""
    who: dict[str, NamedCounts] = field(
        default_factory=lambda: {name: NamedCounts("units", "changes", "bytes") for name in WHO}
    )
    """Units by what they state of those who made them."""
    error_codes: Counter[str] = field(default_factory=Counter)
    """Bad records and bad values, by the code of their error."""
    bad_records: int = 0
    faults: list[DataError] = field(default_factory=list)
    """What ended a reading before the end of the log."""

    @property
    def changes(self) -> int:
        """Number of changes that `lmparse changes` prints."""
        return self.tables.total("changes")

    def over_time(self, most: int) -> tuple[int, int, list[int], list[int]]:
        """Changes and committed units by the time of their commit, in at most about `most` bins.

        Returns the seconds of a bin, the second since 1970 that the first one begins with, and the two counts of each.
        """
        step, start, (changes, units) = over_time([self.change_times, self.unit_times], most)
        return step, start, changes, units

    @property
    def bad_values(self) -> int:
        """Number of errors that are not of a whole record."""
        return max(self.error_codes.total() - self.bad_records, 0)


def summarize(
    paths: Sequence[str | Path], options: Options, *, on_error: OnError = ignored, say: Say | None = None
) -> LogSummary:
    """Summarize the files of one log. Bad records and values are passed to `on_error`.

    What ends a reading is in `faults`: the summary is of what is before it. Raises as `one_log` and `open_described`,
    and EngineDifferenceError with engine `check`.
    """
    family = check_changes(options)
    path, options = one_log(paths, replace(options, mode="permissive"))
    errors = _Errors(on_error)
    planned = states_read(path, options)
    log = open_described(path, options, on_error=errors, say=say)
    log.check_changes()
    codes = [code for entry in log.spec.layout if entry.id == family.kind_field for code in entry.codes]
    found = LogSummary([in_utf8(name) for name in names_in(path)], 0, log.spec.id, family.title, family.commit_zone)
    found.meanings = {(code.text or "").rstrip(): code.id for code in codes}

    _until_damage(log, lambda: _count_changes(found, log, planned), found)
    found.left_out, found.bad_records = Counter(log.left_out), log.tally.dropped
    found.error_codes = Counter(errors.codes)
    errors.is_muted = True  # the other readings find the same again
    found.has_units = family.transactions is not None
    if found.has_units:
        _until_damage(log, lambda: _count_units(found, log), found)
    _until_damage(log, lambda: _count_records(found, log, family.kind_field), found)
    found.size = len(log.buffer)
    found.decisions, found.notices = [str(decision) for decision in log.decisions], list(log.tally.notices)
    return found


class _Errors:
    """Counts errors by their codes and passes them on, until it is muted."""

    def __init__(self, on_error: OnError) -> None:
        self._on_error = on_error
        self.codes: Counter[str] = Counter()
        self.is_muted = False

    def __call__(self, error: DataError) -> None:
        if self.is_muted:
            return
        self.codes[error.code] += 1
        if self._on_error is not None:
            self._on_error(error)


def _until_damage(log: ChangeLog, read: Callable[[], None], found: LogSummary) -> None:
    """Read a log up to the end, or to damage, which is kept once."""
    log.keeps_bad_records = False
    log.bad_records.clear()  # of the reading before
    try:
        read()
    except DataError as error:
        if str(error) not in map(str, found.faults):
            found.faults.append(error)


# -- changes ------------------------------------------------------------------------------


def _count_changes(found: LogSummary, log: ChangeLog, planned: Sequence[FileState]) -> None:
    schema = pa.schema([entry for entry in changes_schema(None) if entry.name in _COLUMNS])
    counts = _ChangeCounts(found)
    for batch in arrow.log_batches(log, schema, planned=planned):
        counts.add(batch)


class _ChangeCounts:
    """Counts the changes of a log, batch by batch."""

    def __init__(self, found: LogSummary) -> None:
        self._found = found
        self._last: tuple[Any, ...] = ()
        """The place of the last record of the batch before."""

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the changes of a batch; rows of bad records are not changes."""
        batch = batch.filter(batch.column(schemas.CORRUPT_RECORD).is_null())
        if not batch.num_rows:
            return
        names = ("schema_name", "table_name", "op")
        columns = {name: batch.column(name) for name in names} | {"bytes": pa.array(self._lengths(batch))}
        counted = pa.table(columns).group_by(list(names)).aggregate([("bytes", "sum"), ("bytes", "count")])
        for row in counted.to_pylist():
            name = f"{row['schema_name']}.{row['table_name']}" if row["schema_name"] else row["table_name"] or ""
            count, op = row["bytes_count"], row["op"] or NO_OPERATION
            self._found.tables.add(name, count, row["bytes_sum"], *(count * (op == one) for one in OPERATIONS))
        times = batch.column("commit_ts").drop_null().cast(pa.int64())
        self._found.change_times.add(np.asarray(times) // _MICROS)

    def _lengths(self, batch: pa.RecordBatch) -> np.ndarray[Any, Any]:
        """The length of the record of each change; zero for further changes of one record, which follow one another."""
        places = batch.column("_metadata")
        lengths = np.array(places.field("record_length"))
        file, index, offset = places.field("file").dictionary_encode(), *map(np.asarray, map(places.field, _PLACE[1:]))
        codes = np.asarray(file.indices)
        is_same = np.zeros(len(lengths), np.bool_)
        is_same[1:] = (codes[1:] == codes[:-1]) & (index[1:] == index[:-1]) & (offset[1:] == offset[:-1])
        is_same[0] = tuple(places[0].as_py()[name] for name in _PLACE) == self._last
        self._last = tuple(places[-1].as_py()[name] for name in _PLACE)
        return np.where(is_same, 0, lengths)


# -- units of work --------------------------------------------------------------------------


def _count_units(found: LogSummary, log: ChangeLog) -> None:
    for summary in transaction_summaries(log):
        _add_unit(found, summary)


def _add_unit(found: LogSummary, unit: TransactionSummary) -> None:
    changes = total(unit.tables)
    found.units.add(unit.disposition, 1, changes, total(unit.compensated), unit.records, unit.bytes)
    found.complete[{True: "yes", False: "no", None: "not testable"}[unit.complete]] += 1
    if unit.complete is False:
        found.why.update((unit.why or "").split("; "))
    for name, counts in found.who.items():
        counts.add(getattr(unit, name) or None, 1, changes, unit.bytes)
    if unit.disposition != DISPOSITIONS[0]:
        return
    for name, number in (("changes", changes), ("records", unit.records), ("bytes", unit.bytes)):
        found.sizes[name].add(number)
    _add_times(found, unit)


def _add_times(found: LogSummary, unit: TransactionSummary) -> None:
    if unit.commit_ts is None:
        found.without_time += 1
        return
    found.first_commit = min(found.first_commit or unit.commit_ts, unit.commit_ts)
    found.last_commit = max(found.last_commit or unit.commit_ts, unit.commit_ts)
    commit = text_times.iso_micros(unit.commit_ts)
    found.unit_times.add_one(commit // _MICROS)
    if unit.begin_ts is None:
        return
    begin = text_times.iso_micros(unit.begin_ts)
    if begin > commit:
        found.backwards += 1
    else:
        found.durations.add(commit - begin)


# -- records --------------------------------------------------------------------------------


def _count_records(found: LogSummary, log: ChangeLog, kind: str) -> None:
    for batch in _record_batches(log, kind):
        lengths = batch.column("_metadata").field("record_length")
        names = batch.column(kind) if kind in batch.schema.names else pa.repeat(pa.scalar(found.spec), batch.num_rows)
        is_read = batch.column(schemas.CORRUPT_RECORD).is_null()
        table = pa.table({"kind": names, "is_read": is_read, "bytes": lengths})
        counted = table.group_by(["kind", "is_read"]).aggregate([("bytes", "sum"), ("bytes", "count")])
        for row in counted.to_pylist():
            name = (row["kind"] or "") if row["is_read"] else None
            found.kinds.add(name, row["bytes_count"], row["bytes_sum"])


def _record_batches(log: ChangeLog, kind: str) -> Iterator[pa.RecordBatch]:
    """Kind and place of the records of a log, with engine `check` from both engines."""
    whole = schemas.records_schema(log.options.spec)
    wanted = (kind, schemas.CORRUPT_RECORD, "_metadata")
    schema = pa.schema([entry for entry in whole if entry.name in wanted])
    if log.options.engine != "check":
        for file in log.record_files():
            yield from arrow.engine_batches(file, schema)
        return
    other = open_changes(log.path, replace(log.options, engine="kaitai"), on_error=ignored)
    for file, reference in zip(log.record_files(), other.record_files(), strict=True):
        yield from compared(arrow.engine_batches(file, schema), arrow.engine_batches(reference, schema))
