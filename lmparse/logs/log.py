"""A log as programs read it: its records and changes as dictionaries, its changes as Arrow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lmparse.changes.log import ChangeLog
from lmparse.errors import FramingError, OptionError, not_installed
from lmparse.logs.beside import look_beside
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import checkpoint_before, is_several, one_log
from lmparse.logs.open import open_described, open_file, options_for, save_checkpoint, states_read, table_descriptions
from lmparse.logs.transactions import transaction_summaries
from lmparse.options import Options, check_taken, truth
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import Decision
from lmparse.spelling import plain
from lmparse.storage.addresses import paths_of
from lmparse.storage.joined import names_in
from lmparse.storage.listing import list_folders
from lmparse.storage.partition_folders import PartitionColumn
from lmparse.storage.states import FileState, state_of

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter

T = TypeVar("T")


class Log:
    """A file of records, which are changes if their spec is that of a log.

    Bad records and values are counted and kept in `tally` (mode permissive) or raised (mode failfast); damaged framing
    is always raised, as FramingError. What is counted is that of one reading: read to the end before the next one.
    """

    def __init__(
        self,
        file: RecordFile,
        planned: tuple[FileState, ...] = (),
        *,
        has_engine: bool = False,
        folders: tuple[PartitionColumn, ...] = (),
    ) -> None:
        """`planned` are the states of its files when it was opened; `has_engine` if the options name an engine.

        `folders` are the columns that folders of `k=v` make.
        """
        self._plain, self._planned, self._has_engine, self._folders = file, planned, has_engine, folders
        self._file = file
        """What was read last: `_plain`, or the same log with the control file beside it."""
        self._described: ChangeLog | None = None
        self.left_out: Counter[str] = file.left_out if isinstance(file, ChangeLog) else Counter()
        """Number of changes that options exclude, by reason; counted while they are read, anew each time."""

    def records(self) -> Iterator[dict[str, Any]]:
        """The records as `lmparse records` prints them, whatever the options for changes."""
        self._check_engine("records")
        self._file = self._plain
        return self._begun(self._file.records())

    def changes(self) -> Iterator[dict[str, Any]]:
        """The changes as `lmparse changes` prints them.

        Without the option `control`, they are read with the control file beside the log, which `decisions` and a
        notice name. Raises OptionError LMP-S003 for records that are not changes, ControlError LMP-C007 if there is no
        control file for a log that needs one, or several.
        """
        self._check_engine("changes")
        log = self._change_log()
        if log.options.envelope != "flat":
            from lmparse.logs import envelopes

            return self._begun(envelopes.rows(log))
        return self._begun(log.changes())

    def tables(self) -> Iterator[dict[str, Any]]:
        """The versions of the tables that describe the log, as `lmparse tables --json` prints them.

        Raises as `changes` does, and, behind those that are known, the error that ends reading.
        """
        log = self._change_log()
        described = table_descriptions(log)
        for table in described.found:
            yield table.to_dict()
        if described.fault is not None:
            raise described.fault

    def transactions(self) -> Iterator[dict[str, Any]]:
        """The transactions, or units of recovery, as `lmparse txn --json` prints them: one row each.

        Raises as `changes` does, but Log Master's control file is not needed.
        """
        log = self._change_log(needs_control=False)
        return self._begun(summary.to_row() for summary in transaction_summaries(log))

    def to_reader(self, *, filters: Sequence[Filter] = (), metadata: bool = True) -> pa.RecordBatchReader:
        """The changes that fulfil all `filters` as a stream of Arrow batches; needs pyarrow.

        Batches are made as they are asked for. They have the columns of Spark: with the option `table`, `before` and
        `after` are structs, otherwise JSON text. `metadata` tells whether there is a column `_metadata`. In mode
        permissive, bad records and values are in the columns for them.

        Raises as `changes`, OptionError LMP-S005 without pyarrow, and OptionError for a table or column that the log
        does not have. Its batches raise the errors of reading behind the rows before them: DataError,
        EngineDifferenceError with engine `check`, and ReadError LMP-F012 if a file has changed since it was opened.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise not_installed(error) from None

        from lmparse.columnar.filters import Filter
        from lmparse.logs import arrow
        from lmparse.logs.folder_columns import with_folder_columns, with_folder_values

        log = self._change_log()
        log.check_changes()
        read = arrow.changes_of(log.options, [log])
        schema = read if truth("metadata", metadata) else arrow.without_metadata(read)
        schema = with_folder_columns(schema, self._folders)
        batches = arrow.log_batches(log, read if self._folders else schema, Filter.all_of(filters), self._planned)
        if self._folders:
            batches = (with_folder_values(batch, schema, self._folders) for batch in batches)
        return pa.RecordBatchReader.from_batches(schema, self._begun(batches))

    def to_table(self, *, filters: Sequence[Filter] = (), metadata: bool = True) -> pa.Table:
        """The same changes as one table. Raises as `to_reader` and its batches.

        The metadata of its schema have what is known of the reading, each as JSON: `lmparse.left_out`, and of `tally`
        `lmparse.error_count`, `lmparse.dropped`, `lmparse.kept` and `lmparse.notices`.
        """
        table, tally = self.to_reader(filters=filters, metadata=metadata).read_all(), self.tally
        counts = {"error_count": tally.error_count, "dropped": tally.dropped, "kept": tally.kept}
        found = {"left_out": dict(sorted(self.left_out.items())), **counts, "notices": tally.notices}
        return table.replace_schema_metadata({f"lmparse.{name}": json.dumps(value) for name, value in found.items()})

    def save_checkpoint(self) -> None:
        """Write how far the log has been read into the file that the option `checkpoint` names.

        For when all changes have been read and are safe: the next reading with this file gives what is behind them.
        Raises OptionError LMP-S021 if something else is there, FramingError if the log is damaged.
        """
        save_checkpoint(self._file)

    def _change_log(self, *, needs_control: bool = True) -> ChangeLog:
        """The log of changes, which is what is being read from now on; with the control file beside it."""
        family = check_changes(self._plain.options)
        log = self._plain if self._described is None else self._described
        assert isinstance(log, ChangeLog)
        if family.control is not None and log.options.control is None:
            log = self._with_control(log, needs_control)
        self._file = log
        return log

    def _with_control(self, plain: ChangeLog, needs_control: bool) -> ChangeLog:
        log = open_described(plain.path, plain.options, needs_control=needs_control)
        log.left_out, log.resumed = self.left_out, plain.resumed
        if log.options.control is not None:
            self._described, self._planned = log, (*self._planned, *map(state_of, names_in(log.options.control)))
        return log

    def _check_engine(self, what: str) -> None:
        if self._has_engine:
            raise OptionError(f"engine means nothing for {what}", hint="it is for to_reader and to_table")

    def _begun(self, rows: Iterator[T]) -> Iterator[T]:
        return self._rows_of(self._file, rows)

    def _rows_of(self, file: RecordFile, rows: Iterator[T]) -> Iterator[T]:
        """Rows of a new reading: what an earlier one counted, or kept for rows that nobody took, is forgotten."""
        file.tally.begin()
        file.keeps_bad_records = False  # dictionaries have no place for them
        file.bad_records.clear()
        self.left_out.clear()
        yield from rows

    @property
    def tally(self) -> Tally:
        """Errors, counts and notices of the last reading."""
        return self._file.tally

    @property
    def decisions(self) -> list[Decision]:
        """Decisions about the file, each with its evidence; which control file was taken is known with its changes."""
        return self._file.decisions


def open_log(path: str | Path | Sequence[str | Path], **options: Any) -> Log:
    """Open a log. `lmparse.open_log("a.dat", control="a.ctl").changes()` returns its changes.

    Several files, and those of a folder or a pattern, are one log: they are put in order by the positions of their
    records, and what is in two of them is read once. Options are those of the command line under their Python names;
    changes of a Log Master log without `control` are read with the control file beside it, as `Log.changes` says.
    Raises OptionError, UnknownFormatError for an unknown spec, FramingError for a file whose framing cannot be found,
    and for files that are not of one log, ControlError for a bad control file.
    """
    check_taken(options, "records changes lines resumed", "open_log")
    paths = paths_of("path", path)
    has_engine = any(plain(name) == "engine" and value is not None for name, value in options.items())
    if is_several(paths) or options.get("checkpoint") is not None:
        return _opened(paths, read_options(options), has_engine=has_engine)
    named, said = options_for(paths[0], options)
    planned = states_read(paths[0], named)
    file = _with_what_it_needs(paths[0], named)
    if said:
        file.notice(said)
    return Log(file, (*planned, *_states_beside(file, named)), has_engine=has_engine)


def _with_what_it_needs(path: str, options: Options) -> RecordFile:
    """The file; with the control file beside it only if it cannot be opened without: it is empty, or has a header of
    its own. Raises as `open_file`."""
    try:
        return open_file(path, options)
    except FramingError:
        if not look_beside(path, options).found:
            raise
    return open_described(path, options)


def _states_beside(file: RecordFile, options: Options) -> list[FileState]:
    """The state of the control file that was taken and not named."""
    control = file.options.control
    return [] if control is None or options.control is not None else [state_of(name) for name in names_in(control)]


def read_changes(
    path: str | Path | Sequence[str | Path],
    *,
    filters: Sequence[Filter] = (),
    metadata: bool = True,
    **options: Any,
) -> pa.Table:
    """The changes of a log that fulfil all `filters`, as an Arrow table; needs pyarrow. See `Log.to_table`.

    Several files are one log, and options are those of `lmparse changes` under their Python names. Raises as `open_log`
    and `Log.to_table`.
    """
    check_taken(options, "changes lines", "read_changes")
    return _opened(paths_of("path", path), read_options(options)).to_table(filters=filters, metadata=metadata)


def _opened(paths: list[str], options: Options, *, has_engine: bool = False) -> Log:
    """The changes of one file, or of several ones of one log; as `open_resumed`, with the states of the files."""
    check_changes(options)
    place, options = one_log(paths, options)
    planned = states_read(place, options)
    log = _with_what_it_needs(place, options)
    assert isinstance(log, ChangeLog)
    log.resumed = checkpoint_before(options)
    folders = list_folders(paths).columns if is_several(paths) else ()
    return Log(log, (*planned, *_states_beside(log, options)), has_engine=has_engine, folders=folders)
