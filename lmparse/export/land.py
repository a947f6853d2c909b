"""Landing: appends the changes of a log to a table for each of the log's tables, each change once in repeated runs.

One pass over the log stores its changes on the disk by table. Then each change table gets its missing changes, and each
current table gets the changes of its change table. Last, the checkpoint of the log is written. If a run is killed
earlier, the next run catches up, because each table states the `seq` up to which it has changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse.changes.log import ChangeLog
from lmparse.errors import OptionError, not_installed
from lmparse.export.change_parts import keep_changes, operations_in
from lmparse.export.conversion import OnError, Run
from lmparse.export.land_parquet import ParquetChanges
from lmparse.export.land_rows import OTHER, TableRows, names_unlike_spark, tables_of, united
from lmparse.export.land_target import LandedTable, LandingTarget, opened_target
from lmparse.export.writers import MARK
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import files_read, open_resumed
from lmparse.logs.partitions import DEFAULT_BYTES
from lmparse.options import NOT_LANDED, Options, check_taken, truth
from lmparse.records.files import Tally, ignored
from lmparse.spelling import camel, plain, quoted
from lmparse.storage import processes
from lmparse.storage.addresses import path_of, paths_of
from lmparse.storage.outputs import inputs_of, naming_output, partial_folder, write_text
from lmparse.version import VERSION

FORMS = ("delta", "parquet")


@dataclass
class LandedChanges:
    """The changes of one table that one run landed."""

    folder: str
    table: str | None
    """None for changes without a table version."""
    rows: int = 0
    rows_by_operation: Counter[str] = field(default_factory=Counter)
    merged: int | None = None
    """Number of changes merged into the current table; None without a current table."""
    refusal: str = ""
    """Why there is no current table, or why it is unchanged."""
    is_refused: bool = False
    """Whether the refusal is an error (LMP-S032): the current table lacks changes."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        return {**vars(self), "rows_by_operation": dict(sorted(self.rows_by_operation.items()))}


@dataclass
class Landed:
    """The changes that one run landed, and the changes left out."""

    to: str
    tables: list[LandedChanges] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of changes that are not landed, by reason."""
    tally: Tally = field(default_factory=Tally)
    bytes_read: int = 0

    @property
    def rows(self) -> int:
        """Number of changes that were appended."""
        return sum(table.rows for table in self.tables)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        return {
            "to": self.to, "rows": self.rows, "tables": [table.to_dict() for table in self.tables],
            "left_out": dict(sorted(self.left_out.items())), **self.tally.to_dict(),
            "bytes_read": self.bytes_read,
        }  # fmt: skip


@dataclass(frozen=True)
class Landing:
    """Input, target and options of landing."""

    paths: Sequence[str]
    to: str
    options: Options
    form: str = "delta"
    with_current: bool = False
    run: processes.Run | None = None
    """Runs the reading of parts in other processes with the same folders; None: this process reads the log."""
    part_bytes: int = DEFAULT_BYTES
    """Approximate bytes of such a part."""


def land(
    logs: str | Path | Sequence[str | Path],
    to: str | Path,
    *,
    as_: str = "delta",
    current: bool = False,
    **options: Any,
) -> Landed:
    """Append the changes of a log to tables in a folder, each change once; `current` also merges them by key.

    `as_` is `delta`, which needs the package deltalake, or `parquet`. The folder states how far the log is landed, and
    the next run continues there. Options are those of `lmparse land` under their Python names.

    Raises OptionError, FramingError for a damaged log, and as `open_log`; the next run then catches up.
    """
    return run(asked_for(logs, to, as_, current, options))


def asked_for(
    logs: str | Path | Sequence[str | Path], to: str | Path, form: str, with_current: bool, options: Mapping[str, Any]
) -> Landing:
    """The landing that options under their Python names request. Raises OptionError."""
    check_taken(options, "convert", "land")
    for name in options:
        if plain(name) in map(plain, NOT_LANDED):
            raise OptionError(f"{camel(name)} means nothing for land: all committed changes are landed")
    paths, place = paths_of("logs", logs), path_of("to", to)
    return Landing(paths, place, read_options(options), form, truth("current", with_current))


def run(asked: Landing, on_error: OnError = ignored) -> Landed:
    """Land. `on_error` gets bad records and values, unless the mode is failfast. Raises as `land`."""
    if asked.form not in FORMS:
        raise OptionError(f"as has no value {quoted(asked.form)}", hint="one of " + ", ".join(FORMS))
    if asked.with_current and asked.form != "delta":
        raise OptionError("current tables are merged by Delta", hint="give --as delta, or leave current out")
    if asked.options.mode == "dropmalformed":
        raise OptionError("mode dropmalformed would leave changes out that no later run lands")
    if asked.form == "delta":
        try:
            import deltalake  # noqa: F401
        except ImportError as error:
            raise not_installed(error, "delta") from None
    family, options = check_changes(asked.options), asked.options
    inputs = inputs_of([*asked.paths, *options.files.values()], at_any_depth=False)
    with opened_target(asked.to, asked.form, inputs, options) as target:
        place = None
        if family.checkpoint is not None:
            options = replace(options, checkpoint=str(target.checkpoint))
        log = open_resumed(asked.paths, options, on_error=on_error)
        if family.checkpoint is not None:
            place = checkpoint_place(log.options, files_read(log.path, log.options))
        reading = Run(log.path, log.options, on_error)
        reading.start(log)
        with naming_output(target.shown), partial_folder(target.home, ".land") as folder:
            log.scratch, log.run = folder, asked.run
            parts = [] if asked.run is None else reading.parts(log.change_parts(asked.part_bytes))
            tables = tables_of(keep_changes(reading, log, folder, parts, asked.run))
            reached = checkpoint_behind(log) if place is not None else None
            landed = _Tables(asked, target, log, folder, reading.summary.tally).land(tables)
        if place is not None and reached is not None:
            write_text(reached.to_json(), place)
    found = reading.summary
    return Landed(target.shown, landed, found.left_out, found.tally, found.bytes_read)


class _Tables:
    """The tables of a target while changes are landed."""

    def __init__(self, asked: Landing, target: LandingTarget, log: ChangeLog, work: Path, tally: Tally) -> None:
        """`work` is a folder for intermediate files; `tally` gets notices about tables."""
        self._with_current, self._target, self._work, self._tally = asked.with_current, target, work, tally
        spec = log.spec
        self._metadata = {"lmparse.version": VERSION, MARK: spec.id, "lmparse.spec_sha256": spec.layout.sha256}

    def land(self, tables: Sequence[TableRows]) -> list[LandedChanges]:
        """Land the rows of tables. Impossible landings raise errors before the first table is written."""
        planned: list[tuple[TableRows, Any, pa.Schema, Iterator[pa.RecordBatch]]] = []
        for rows in tables:
            table = self._changes(self._target.table(rows))
            known = table.schema()
            schema = rows.schema if known is None else united(known, rows.schema, rows.full_name)
            planned.append((rows, table, schema, rows.new_rows(schema, table.seq, table.identities)))
            if self._target.form == "delta" and (names := names_unlike_spark(schema)):
                self._tally.noticed.setdefault(
                    f"{rows.full_name}: Spark does not read Delta tables with columns named {', '.join(names)}: they "
                    "have a blank, a tab, a newline or one of ,;{}()=; deltalake and Polars read them"
                )
        self._target.save()
        landed = {plan[0].ids: self._appended(*plan) for plan in planned}
        if self._with_current:
            self._land_current({rows.ids: rows for rows in tables}, landed)
        return [*landed.values()]

    def _changes(self, table: LandedTable) -> Any:
        place = self._target.folder("changes", table)
        if self._target.form == "parquet":
            return ParquetChanges(place, self._metadata, self._work)
        from lmparse.export.land_delta import DeltaChanges

        return DeltaChanges(place, table.full_name, self._work)

    def _appended(self, rows: TableRows, table: Any, schema: pa.Schema, new: Iterator[pa.RecordBatch]) -> LandedChanges:
        """Append changes to their change table."""
        known = self._target.table(rows)
        landed = LandedChanges(known.folder, None if rows.ids == OTHER else known.full_name)

        def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                landed.rows += batch.num_rows
                landed.rows_by_operation.update(operations_in(batch))
                yield batch

        if (first := next(new, None)) is not None:
            table.land(counted(chain([first], new)), schema, rows)
        return landed

    def _land_current(self, of_run: Mapping[str, TableRows], landed: dict[str, LandedChanges]) -> None:
        """Merge the changes of change tables into current tables, also changes that an earlier run did not merge.

        `landed` also gets refused tables without changes in this run.
        """
        from lmparse.export.land_current import REFUSED, CurrentTable, Others
        from lmparse.export.land_delta import DeltaFolder

        target, currents = self._target, list[CurrentTable]()
        tables = [table for table in target.tables.values() if table.ids != OTHER]
        for table in tables:
            folder = DeltaFolder(target.folder("current", table), table.full_name, self._work, "_seq")
            currents.append(CurrentTable(folder, self._changes(table), table, of_run.get(table.ids)))
        other = target.tables.get(OTHER)
        others = Others(None if other is None else self._changes(other), tables)
        for table, current in zip(tables, currents, strict=True):
            one = landed.get(table.ids) or LandedChanges(table.folder, table.full_name)
            try:
                one.merged = current.land(others)
                one.refusal = "no key of it is known with all digits of a second" if current.is_without else ""
            except OptionError as error:
                if error.code != REFUSED:
                    raise
                one.refusal, one.is_refused = str(error), True
                landed[table.ids] = one
