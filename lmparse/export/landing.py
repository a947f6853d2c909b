"""Landing: the changes of a log appended to a table for each of its tables, each change once however often it runs.

One pass over the log keeps its changes on the disk by table. Then each table gets what it does not have, and at last
the checkpoint of the log is written. A run that is killed before that is made up for by the next one: each table says
up to which `seq` it has changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.errors import LmparseError, OptionError
from lmparse.export.change_parts import ChangeTask, SpilledChanges, check_same, operations_in, spill_log, spill_part
from lmparse.export.conversion import OnError, add_tally, parts_of
from lmparse.export.landing_clues import Clues
from lmparse.export.landing_marks import mark_all, mark_left_out
from lmparse.export.landing_parquet import ParquetChanges
from lmparse.export.landing_rows import Seen, TableRows, tables_of, united
from lmparse.export.landing_table import OTHER, LandedTable
from lmparse.export.landing_target import LandingTarget, check_commits, not_landed, opened_target
from lmparse.export.progress import Progress
from lmparse.export.spill_files import SpillFiles
from lmparse.export.writers import MARK
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import files_read, open_resumed, states_read
from lmparse.logs.partitions import DEFAULT_BYTES
from lmparse.options import NOT_LANDED, SEQ_DIGITS, Options, check_taken, truth
from lmparse.records.files import Tally, ignored
from lmparse.spelling import camel, plain, quoted
from lmparse.storage.addresses import path_of, paths_of
from lmparse.storage.atomic_output import naming_output, write_text
from lmparse.storage.inputs import inputs_of
from lmparse.storage.owned_folder import OwnedFolder
from lmparse.storage.processes import Run
from lmparse.storage.signals import ended_by_signals
from lmparse.storage.states import check_all
from lmparse.version import VERSION

if TYPE_CHECKING:
    from lmparse.export.landing_current import CurrentTable

FORMS = ("delta", "parquet")


class ChangeTable(Protocol):
    """A table that changes are appended to."""

    @property
    def id(self) -> str | None:
        """The id of the table; None if it is not there, or if its form has none."""

    @property
    def commits(self) -> int | None:
        """How often it has been landed in; None if it is not there, or if its form does not say it."""

    def last_seq(self) -> str | None:
        """The `seq` up to which changes are in it; None if it has none with a `seq`."""

    def schema(self) -> pa.Schema | None:
        """Its columns; None if it is not there."""

    def land(self, rows: TableRows, schema: pa.Schema, seen: Seen) -> None:
        """Append the rows that it does not have, and pass them to `seen`."""


@dataclass
class LandedChanges:
    """What one run landed of one table."""

    folder: str
    table: str | None
    """None for changes without a table version."""
    rows: int = 0
    rows_by_operation: Counter[str] = field(default_factory=Counter)
    merged: int | None = None
    """Number of the changes that were merged into its current table; None without one."""
    refusal: str = ""
    """Why it has no current table, or one that is as it was."""
    marks: list[dict[str, str]] = field(default_factory=list)
    """From where on rows of its current table cannot be proven."""

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {**vars(self), "rows_by_operation": dict(sorted(self.rows_by_operation.items()))}


@dataclass
class Landed:
    """What one run landed, and what it left out."""

    to: str
    tables: list[LandedChanges] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of changes by the reason for which they are not landed."""
    tally: Tally = field(default_factory=Tally)
    bytes_read: int = 0

    @property
    def rows(self) -> int:
        """Number of changes that were appended."""
        return sum(table.rows for table in self.tables)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        counts = {"error_count": self.tally.error_count, "dropped": self.tally.dropped, "kept": self.tally.kept}
        return {
            "to": self.to, "rows": self.rows, "tables": [table.to_dict() for table in self.tables],
            "left_out": dict(sorted(self.left_out.items())), **counts, "notices": self.tally.notices,
            "bytes_read": self.bytes_read,
        }  # fmt: skip


@dataclass(frozen=True)
class Landing:
    """What is to be landed, and where."""

    paths: Sequence[str]
    to: str
    options: Options
    form: str = "delta"
    with_current: bool = False
    run: Run | None = None
    """Reads the parts of the log in other processes, which have the same folders; None to read it here."""
    part_bytes: int = DEFAULT_BYTES
    """Bytes of such a part, approximately."""


def land(
    logs: str | Path | Sequence[str | Path],
    to: str | Path,
    *,
    as_: str = "delta",
    current: bool = False,
    **options: Any,
) -> Landed:
    """Append the changes of a log to tables in a folder, each change once; `current` merges them by key too.

    `as_` is `delta`, which needs the package deltalake, or `parquet`. The folder says how far the log has been landed:
    the next run goes on there. Options are those of `lmparse land` under their Python names.

    Raises OptionError, FramingError if the log is damaged, and as `open_log`; then the next run makes up for it.
    """
    return run(asked_for(logs, to, as_, current, options), ignored, None)


def asked_for(
    logs: str | Path | Sequence[str | Path], to: str | Path, form: str, with_current: bool, options: Mapping[str, Any]
) -> Landing:
    """What options under their Python names ask for. Raises OptionError."""
    check_taken(options, "convert", "land")
    for name in options:
        if plain(name) in map(plain, NOT_LANDED):
            raise OptionError(f"{camel(name)} means nothing for land: all committed changes are landed")
    paths, place = paths_of("logs", logs), path_of("to", to)
    return Landing(paths, place, read_options(options), form, truth("current", with_current))


def run(asked: Landing, on_error: OnError, progress: Progress | None) -> Landed:
    """Land. Bad records and values are passed to `on_error`, unless the mode is failfast. Raises as `land`."""
    if asked.form not in FORMS:
        raise OptionError(f"as has no value {quoted(asked.form)}", hint="one of " + ", ".join(FORMS))
    if asked.with_current and asked.form != "delta":
        raise OptionError("current tables are merged by Delta", hint="give --as delta, or leave current out")
    if asked.form == "delta":
        check_installed()
    family, options = check_changes(asked.options), asked.options
    inputs = inputs_of([*asked.paths, *options.files.values()], at_any_depth=False)
    with (
        ended_by_signals(),
        opened_target(asked.to, asked.form, asked.with_current, inputs, options) as target,
    ):
        target.check_whole(has_checkpoints=family.checkpoint is not None)
        if family.checkpoint is not None:
            options = replace(options, checkpoint=str(target.checkpoint))
        else:
            options = replace(options, starting_after=target.seq)
        log = open_resumed(asked.paths, options, on_error=on_error)
        return _LandingRun(asked, target, log, on_error, progress).land()


def check_installed() -> None:
    """Raise OptionError LMP-S005 if Delta tables cannot be written."""
    try:
        import deltalake  # noqa: F401
    except ImportError:
        raise OptionError("deltalake is not installed", code="LMP-S005", hint="pip install 'lmparse[delta]'") from None


class _LandingRun:
    """One landing under way."""

    def __init__(
        self, asked: Landing, target: LandingTarget, log: ChangeLog, on_error: OnError, progress: Progress | None
    ) -> None:
        self._asked, self._target, self._log = asked, target, log
        self._on_error, self._progress = on_error, progress
        self._commit_digits = check_changes(log.options).seq_form.commit
        self._planned = states_read(log.path, log.options)
        self._landed = Landed(target.shown, tally=log.tally, bytes_read=len(log.buffer))

    def land(self) -> Landed:
        """Read the log, and land what its tables do not have."""
        log, target = self._log, self._target
        inputs = files_read(log.path, log.options)
        place = checkpoint_place(log.options, inputs) if log.options.checkpoint is not None else None
        if not len(log.buffer):
            next(log.extents(), None)  # reports it
        with naming_output(target.shown):
            owned = OwnedFolder(target.home, "land")
        try:
            with naming_output(target.shown):
                tables = self._tables(owned.path)
            reached = checkpoint_behind(log) if place is not None else None
            with naming_output(target.shown):
                self._land(tables, owned.path, reached)
        finally:
            owned.remove()
        if place is not None and reached is not None:
            write_text(reached.to_json(), place)
            target.end()
        else:
            target.seq = max(filter(None, (target.seq, *(rows.last_seq for rows in tables))), default=None)
            target.save()
        return self._landed

    # -- reading --------------------------------------------------------------------------------

    def _tables(self, folder: Path) -> list[TableRows]:
        """The changes of the log by table. Raises ReadError LMP-F012 if a file is another than it was."""
        log = self._log
        log.scratch, log.run = folder, self._asked.run
        kept = self._spilled(folder) if self._asked.run is None else self._spilled_in_parts(folder, self._asked.run)
        check_same(kept, log.origin)
        check_all(self._planned)
        return tables_of(kept.groups, kept.keys, kept.late)

    def _spilled(self, folder: Path) -> SpilledChanges:
        log, progress = self._log, self._progress

        def reached(rows: int, place: int, _: SpillFiles) -> None:
            if progress is not None:
                progress.at(place, rows)

        if progress is not None:
            progress.start(len(log.buffer))
        kept = spill_log(log, folder, "0", reached, finds_late=self._target.with_current)
        self._landed.left_out = log.left_out
        return kept

    def _spilled_in_parts(self, folder: Path, run: Run) -> SpilledChanges:
        """Let other processes read the parts of the log; a part that cannot be read ends the run."""
        log, kept = self._log, SpilledChanges()
        parts = parts_of(log.path, log.options, self._planned, log.change_parts(self._asked.part_bytes))
        self._landed.tally = Tally()
        add_tally(self._landed.tally, log.tally)
        is_asked = self._target.with_current
        tasks = [ChangeTask(part, str(folder), resumed=log.resumed, finds_late=is_asked) for part in parts]
        for done in run(spill_part, tasks):
            for error in done.errors:
                self._on_error(error)
            add_tally(self._landed.tally, done.tally)
            if done.fault is not None:
                raise done.fault
            self._landed.left_out += done.left_out
            kept.extend(done.kept)
        return kept

    # -- landing --------------------------------------------------------------------------------

    def _land(self, tables: Sequence[TableRows], work: Path, reached: Checkpoint | None) -> None:
        """Land all tables. What cannot be landed raises OptionError before the first one is written."""
        target = self._target
        planned = [self._planned_table(rows, work) for rows in tables]
        if target.is_ended_between and not self._is_any_ahead(work):
            target.end()  # that run has landed nothing: any files may be landed now
        if target.with_current and not target.says_left_out:
            from lmparse.export.landing_earlier import find_left_out

            find_left_out(target)
        is_begun = reached is not None and target.begin(reached, self._log.resumed, self._log.options.bounds)
        target.save()
        try:
            for one in planned:
                one.land_changes()
        except LmparseError:
            if is_begun and not any(one.landed.rows for one in planned):
                target.end()  # no table is ahead
            raise
        left_out = self._left_out(tables)
        must_be_known = [one.begin_current() for one in planned]
        if any(must_be_known):
            target.save()  # once: it has all tables
        for one in planned:
            one.land_current()
        mark_left_out(target, left_out, Clues((rows.clue, rows.extent) for rows in tables if rows.ids != OTHER))
        self._mark_bad(tables)
        target.save()
        self._landed.tables = [one.landed for one in planned]
        named = {one.landed.folder for one in planned}
        for table in target.tables.values():
            if table.current_marks and table.folder not in named:
                self._landed.tables.append(LandedChanges(table.folder, table.full_name, marks=table.current_marks))

    def _is_any_ahead(self, work: Path) -> bool:
        """Whether a change table, which get their changes before the current ones, has any behind the checkpoint."""
        resumed = self._log.resumed
        reached = "" if resumed is None else resumed.seq
        tables = (self._change_table(folder, folder, work) for folder in self._target.change_folders())
        return any((table.last_seq() or "") > reached for table in tables)

    def _change_table(self, folder: str, name: str, work: Path) -> ChangeTable:
        place = self._target.changes(folder)
        if self._target.form != "delta":
            return ParquetChanges(place, self._metadata(), work)
        from lmparse.export.landing_delta import DeltaChanges

        return DeltaChanges(place, name)

    def _planned_table(self, rows: TableRows, work: Path) -> _PlannedTable:
        target = self._target
        table = target.table(rows.ids, rows.schema_name, rows.table_name)
        is_other = rows.ids == OTHER
        changes, current = self._change_table(table.folder, rows.full_name, work), None
        if target.with_current and not is_other:
            from lmparse.export.landing_current import CurrentTable

            current = CurrentTable(target, table, rows, self._commit_digits)
        place = target.changes(table.folder)
        if table.changes_id is not None and changes.id is None:
            raise not_landed(place, "it is gone, and the changes that were landed in it")
        if table.changes_id not in (None, changes.id):
            raise not_landed(place, "it is another table than the one that was landed in")
        check_commits(place, table.changes_commits, changes.commits)
        landed = LandedChanges(table.folder, None if is_other else table.full_name)
        return _PlannedTable(rows, table, changes, current, landed)

    def _metadata(self) -> dict[str, str]:
        log = self._log
        return {
            "lmparse.version": VERSION,
            MARK: log.spec.id,
            "lmparse.spec_sha256": log.spec.layout.sha256,
        }

    def _left_out(self, tables: Sequence[TableRows]) -> Clues:
        """What changes without a table version did, which are landed now; runs behind this one know it too."""
        found = Clues()
        for rows in tables:
            if self._target.with_current and rows.ids == OTHER:
                found.add(rows.clues())
        self._target.left_out.add(found)
        return found

    def _mark_bad(self, tables: Sequence[TableRows]) -> None:
        """Mark all current tables if there are bad records, which may be changes of any of them."""
        if not self._target.with_current:
            return
        before = self._log.options.starting_after or "0" * SEQ_DIGITS
        if self._landed.tally.dropped > self._landed.tally.kept:
            mark_all(self._target, before, "bad records were left out, and may be changes of this table")
        for rows in tables:
            if rows.ids == OTHER and next(rows.bad_batches(rows.schema, set()), None) is not None:
                mark_all(self._target, before, "bad records are in changes/other, and may be changes of this table")


class _PlannedTable:
    """One table that is to be landed, and can be."""

    def __init__(
        self,
        rows: TableRows,
        table: LandedTable,
        changes: ChangeTable,
        current: CurrentTable | None,
        landed: LandedChanges,
    ) -> None:
        """Raises OptionError LMP-C008 if its columns cannot be united with those that are landed."""
        self._rows, self._table, self._changes, self._current, self.landed = rows, table, changes, current, landed
        known = changes.schema()
        self._schema = rows.schema if known is None else united(known, rows.schema, rows.full_name)
        if current is not None:
            landed.refusal = current.refusal()
            if not landed.refusal:
                current.check()

    def land_changes(self) -> None:
        """Append the changes to the change table."""
        landed = self.landed

        def seen(batch: pa.RecordBatch) -> None:
            landed.rows += batch.num_rows
            landed.rows_by_operation.update(operations_in(batch))

        self._changes.land(self._rows, self._schema, seen)
        self._table.changes_id, self._table.changes_commits = self._changes.id, self._changes.commits

    def begin_current(self) -> bool:
        """Take note of what the current table begins with; whether a run behind this one must know it."""
        return self._current is not None and not self.landed.refusal and self._current.begin()

    def land_current(self) -> None:
        """Merge the changes into the current table."""
        if self._current is None:
            return
        if not self.landed.refusal:
            self.landed.merged = self._current.land()
        else:
            self._current.refuse(self.landed.refusal)
        self.landed.marks = self._table.current_marks
