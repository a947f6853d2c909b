"""Landing: the changes of a log appended to a table for each of its tables, each change once however often it runs.

One pass over the log keeps its changes on the disk by table. Then each change table gets what it does not have, each
current table what its change table has, and at last the checkpoint of the log is written. A run that is killed before
that is made up for by the next one: each table says up to which `seq` it has changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lmparse.changes.log import ChangeLog
from lmparse.errors import OptionError
from lmparse.export.change_parts import ChangeTask, KeptChanges, check_same, keep_log, keep_part, operations_in
from lmparse.export.conversion import OnError, add_tally, parts_of
from lmparse.export.land_parquet import ParquetChanges
from lmparse.export.land_rows import OTHER, TableRows, tables_of, united
from lmparse.export.land_target import LandedTable, LandingTarget, opened_target
from lmparse.export.progress import Progress
from lmparse.export.writers import MARK
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import files_read, open_resumed
from lmparse.logs.partitions import DEFAULT_BYTES
from lmparse.options import NOT_LANDED, Options, check_taken, truth
from lmparse.records.files import Tally, ignored
from lmparse.spelling import camel, plain, quoted
from lmparse.storage.addresses import path_of, paths_of
from lmparse.storage.outputs import inputs_of, naming_output, partial_folder, write_text
from lmparse.storage.processes import Run
from lmparse.storage.states import check_all
from lmparse.version import VERSION

if TYPE_CHECKING:
    from lmparse.export.land_current import CurrentTable
    from lmparse.export.land_delta import DeltaChanges

FORMS = ("delta", "parquet")


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
    is_refused: bool = False
    """Whether that is an error (LMP-S032): the current table lacks changes."""

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
    if asked.options.mode == "dropmalformed":
        raise OptionError("mode dropmalformed would leave changes out that no later run lands")
    if asked.form == "delta":
        check_installed()
    family, options = check_changes(asked.options), asked.options
    inputs = inputs_of([*asked.paths, *options.files.values()], at_any_depth=False)
    with opened_target(asked.to, asked.form, inputs, options) as target:
        if family.checkpoint is not None:
            options = replace(options, checkpoint=str(target.checkpoint))
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
        self._landed = Landed(target.shown, tally=log.tally, bytes_read=len(log.buffer))

    def land(self) -> Landed:
        """Read the log, and land what its tables do not have."""
        log, target = self._log, self._target
        inputs = files_read(log.path, log.options)
        place = checkpoint_place(log.options, inputs) if log.options.checkpoint is not None else None
        if not len(log.buffer):
            next(log.extents(), None)  # reports it
        with naming_output(target.shown), partial_folder(target.home, ".land") as folder:
            tables = self._tables(folder)
            reached = checkpoint_behind(log) if place is not None else None
            self._land(tables, folder)
        if place is not None and reached is not None:
            write_text(reached.to_json(), place)
        return self._landed

    # -- reading --------------------------------------------------------------------------------

    def _tables(self, folder: Path) -> list[TableRows]:
        """The changes of the log by table. Raises ReadError LMP-F012 if a file is another than it was."""
        log = self._log
        log.scratch, log.run = folder, self._asked.run
        kept = self._kept(folder) if self._asked.run is None else self._kept_in_parts(folder, self._asked.run)
        check_same(kept, log.origin)
        check_all(log.planned)
        return tables_of(kept.groups, kept.keys)

    def _kept(self, folder: Path) -> KeptChanges:
        log, progress = self._log, self._progress

        def reached(rows: int, place: int) -> None:
            if progress is not None:
                progress.at(place, rows)

        if progress is not None:
            progress.start(len(log.buffer))
        kept = keep_log(log, folder, "0", reached)
        self._landed.left_out = log.left_out
        return kept

    def _kept_in_parts(self, folder: Path, run: Run) -> KeptChanges:
        """Let other processes read the parts of the log; a part that cannot be read ends the run."""
        log, kept = self._log, KeptChanges()
        parts = parts_of(log.path, log.options, log.planned, log.change_parts(self._asked.part_bytes))
        self._landed.tally = Tally()
        add_tally(self._landed.tally, log.tally)
        tasks = [ChangeTask(part, str(folder), resumed=log.resumed) for part in parts]
        for done in run(keep_part, tasks):
            for error in done.errors:
                self._on_error(error)
            add_tally(self._landed.tally, done.tally)
            if done.fault is not None:
                raise done.fault
            self._landed.left_out += done.left_out
            kept.extend(done.kept)
        return kept

    # -- landing --------------------------------------------------------------------------------

    def _land(self, tables: Sequence[TableRows], work: Path) -> None:
        """Land all tables. What cannot be landed raises an error before the first one is written."""
        target = self._target
        planned = [_PlannedTable(rows, target.table(rows), self._change_table(rows, work)) for rows in tables]
        if self._asked.with_current:
            self._check_names(tables)
        target.save()
        for one in planned:
            one.land()
        self._landed.tables = [one.landed for one in planned]
        if self._asked.with_current:
            self._land_current(planned, work)

    def _change_table(self, rows: TableRows, work: Path) -> DeltaChanges | ParquetChanges:
        place = self._target.folder("changes", self._target.table(rows))
        if self._target.form != "delta":
            return ParquetChanges(place, self._metadata(), work)
        from lmparse.export.land_delta import DeltaChanges

        return DeltaChanges(place, rows.full_name, work)

    def _metadata(self) -> dict[str, str]:
        spec = self._log.spec
        return {"lmparse.version": VERSION, MARK: spec.id, "lmparse.spec_sha256": spec.layout.sha256}

    def _check_names(self, tables: Sequence[TableRows]) -> None:
        """Raise OptionError LMP-C008 for columns that have the names of those of current tables."""
        from lmparse.export.land_current import OWN

        for rows in tables:
            image = rows.schema.field("after").type
            own = {name.casefold() for name in OWN.names}
            taken = [entry.name for entry in image if entry.name.casefold() in own] if pa.types.is_struct(image) else []
            if taken:
                text = f"{rows.full_name}: the column {taken[0]} has a name that current tables use"
                raise OptionError(text, code="LMP-C008", hint="land it without current tables")

    def _land_current(self, planned: Sequence[_PlannedTable], work: Path) -> None:
        """Merge into the current tables what their change tables have; also what a run before did not merge."""
        from lmparse.export.land_current import REFUSED, CurrentTable, Others
        from lmparse.export.land_delta import DeltaChanges, DeltaFolder

        target = self._target
        of_run = {one.table.ids: one for one in planned}
        tables = [table for table in target.tables.values() if table.ids != OTHER]
        found: list[tuple[LandedChanges, CurrentTable]] = []
        for table in tables:
            one = of_run.get(table.ids)
            changes = DeltaChanges(target.folder("changes", table), table.full_name, work)
            folder = DeltaFolder(target.folder("current", table), table.full_name, work, "_seq")
            landed = LandedChanges(table.folder, table.full_name) if one is None else one.landed
            found.append((landed, CurrentTable(folder, changes, table, None if one is None else one.rows)))
        other = target.tables.get(OTHER)
        unversioned = None if other is None else DeltaFolder(target.folder("changes", other), OTHER, work)
        others = Others(unversioned, tables, min((current.landed for _, current in found), default=""))
        for landed, current in found:
            try:
                landed.merged = current.land(others)
                landed.refusal = "no key of it is known" if current.is_without else ""
            except OptionError as error:
                if error.code != REFUSED:
                    raise
                landed.refusal, landed.is_refused = str(error), True
        self._landed.tables += [
            landed for landed, _ in found if landed.is_refused and landed not in self._landed.tables
        ]


class _PlannedTable:
    """One table that is to be landed, and can be."""

    def __init__(self, rows: TableRows, table: LandedTable, changes: DeltaChanges | ParquetChanges) -> None:
        """Raises OptionError LMP-C008 if its columns cannot be united with those that are landed."""
        self.rows, self.table, self._changes = rows, table, changes
        self.landed = LandedChanges(table.folder, None if rows.ids == OTHER else table.full_name)
        known = changes.schema()
        self._schema = rows.schema if known is None else united(known, rows.schema, rows.full_name)
        self._new = changes.new_rows(rows, self._schema)

    def land(self) -> None:
        """Append the changes to the change table."""
        first = next(self._new, None)
        if first is not None:
            self._changes.land(self._counted(chain([first], self._new)), self._schema, self.rows)

    def _counted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self.landed.rows += batch.num_rows
            self.landed.rows_by_operation.update(operations_in(batch))
            yield batch
