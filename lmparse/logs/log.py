"""A log for programs: records, changes and transactions as dictionaries, changes as Arrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lmparse.changes.log import ChangeLog, check_going_on
from lmparse.changes.transaction_summary import TransactionSummary, check_equal
from lmparse.errors import DataError, OptionError, not_installed
from lmparse.framing.extents import RecordExtent
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import is_several, one_log
from lmparse.logs.open import look_beside, open_beside, opened_again, save_checkpoint, table_descriptions
from lmparse.options import Options, check_taken, truth
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import Decision
from lmparse.storage.addresses import paths_of
from lmparse.storage.listing import list_folders
from lmparse.storage.partition_folders import PartitionColumn

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter

T = TypeVar("T")


class Log:
    """A file of records, which are changes if their spec is that of a log.

    Bad records and values are counted and collected in `tally` (mode permissive) or raised (mode failfast). Damaged
    framing is always raised, as FramingError. Counts are those of one reading: finish a reading before the next.
    """

    def __init__(
        self, file: RecordFile, *, fault: DataError | None = None, folders: tuple[PartitionColumn, ...] = ()
    ) -> None:
        """`fault`: why the log has no control file; `folders`: the columns made by folders of `k=v`."""
        self._file, self._fault, self._folders = file, fault, folders

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the records as `lmparse records` prints them, whatever the options for changes."""
        self._check_engine("records")
        return self._begun(self._file.records())

    def changes(self) -> Iterator[dict[str, Any]]:
        """Yield the changes as `lmparse changes` prints them.

        Raises OptionError LMP-S003 for records that are not changes, and ControlError LMP-C007 if a log needs a control
        file and has none or several.
        """
        self._check_engine("changes")
        log = self._change_log()
        if log.options.envelope != "flat":
            from lmparse.logs import envelopes

            return self._begun(envelopes.rows(log))
        return self._begun(log.changes())

    def tables(self) -> Iterator[dict[str, Any]]:
        """Yield the table versions that describe the log, as `lmparse tables --json` prints them.

        Raises as `changes` does, and, after the known versions, the error that ends reading.
        """
        log = self._change_log()
        described = table_descriptions(log)
        for table in described.found:
            yield table.to_dict()
        if described.fault is not None:
            raise described.fault

    def transactions(self) -> Iterator[dict[str, Any]]:
        """Yield the transactions, or units of recovery, as `lmparse txn --json` prints them: one row each.

        Raises as `changes` does, but a Log Master log needs no control file.
        """
        log = self._change_log(needs_control=False)
        return self._begun(summary.to_row() for summary in transaction_summaries(log))

    def to_reader(self, *, filters: Sequence[Filter] = (), metadata: bool = True) -> pa.RecordBatchReader:
        """The changes that fulfil all `filters` as a stream of Arrow batches; needs pyarrow.

        Batches are made on demand. They have the columns of Spark: with the option `table`, `before` and `after` are
        structs, otherwise JSON text. `metadata` adds the column `_metadata`. In mode permissive, bad records and values
        are in the columns for them.

        Raises as `changes`, OptionError LMP-S005 without pyarrow, and OptionError for a table or column that the log
        lacks. Batches raise the errors of reading after the rows in front: DataError, EngineDifferenceError with engine
        `check`, and ReadError LMP-F012 if a file has changed since it was opened.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise not_installed(error) from None

        from lmparse.columnar.filters import Filter
        from lmparse.logs import arrow, partitions

        log = self._change_log()
        log.check_changes()
        read = arrow.changes_of(log.options, [log])
        schema = read if truth("metadata", metadata) else arrow.without_metadata(read)
        schema = partitions.with_folder_columns(schema, self._folders)
        batches = arrow.log_batches(log, read if self._folders else schema, Filter.all_of(filters))
        if self._folders:
            batches = (partitions.with_folder_values(batch, schema, self._folders) for batch in batches)
        return pa.RecordBatchReader.from_batches(schema, self._begun(batches))

    def to_table(self, *, filters: Sequence[Filter] = (), metadata: bool = True) -> pa.Table:
        """The same changes as one table. Raises as `to_reader` and its batches.

        The metadata of its schema have facts about the reading as JSON: `lmparse.left_out`, and from `tally`
        `lmparse.error_count`, `lmparse.dropped`, `lmparse.kept` and `lmparse.notices`.
        """
        table = self.to_reader(filters=filters, metadata=metadata).read_all()
        from lmparse.logs.arrow import noted

        return noted(table, {"left_out": dict(sorted(self.left_out.items())), **self.tally.to_dict()})

    def save_checkpoint(self) -> None:
        """Write how far the log has been read to the file of the option `checkpoint`.

        Call it after all changes have been read and are safe; the next reading with this file continues behind them.
        Raises OptionError LMP-S021 if another file is there, FramingError if the log is damaged.
        """
        save_checkpoint(self._file)

    def _change_log(self, *, needs_control: bool = True) -> ChangeLog:
        """The log, if its changes can be read. Raises OptionError or ControlError otherwise."""
        check_changes(self._file.options)
        if needs_control and self._fault is not None:
            raise self._fault
        assert isinstance(self._file, ChangeLog)
        return self._file

    def _check_engine(self, what: str) -> None:
        if self._file.options.engine == "check":
            raise OptionError(f"engine check means nothing for {what}", hint="it is for to_reader and to_table")

    def _begun(self, rows: Iterator[T]) -> Iterator[T]:
        """Yield rows of a new reading, after resetting what an earlier reading counted or collected."""
        file = self._file
        file.tally.begin()
        file.keeps_bad_records = False  # dictionaries have no place for bad records
        file.bad_records.clear()
        self.left_out.clear()
        yield from rows

    @property
    def left_out(self) -> Counter[str]:
        """Number of changes that options exclude, by reason; counted anew by each reading."""
        return self._file.left_out if isinstance(self._file, ChangeLog) else Counter()

    @property
    def tally(self) -> Tally:
        """Errors, counts and notices of the last reading."""
        return self._file.tally

    @property
    def decisions(self) -> list[Decision]:
        """Decisions about the file with their evidence; reading changes adds the choice of the control file."""
        return self._file.decisions


def open_log(path: str | Path | Sequence[str | Path], **options: Any) -> Log:
    """Open a log. `lmparse.open_log("a.dat", control="a.ctl").changes()` returns its changes.

    Several files, and the files of a folder or pattern, are one log. The positions of their records give the order of
    the files, and records in two files are read once. Options are those of the command line under their Python names.
    Without `control`, a Log Master log is read with the control file beside it, which `decisions` and a notice name.
    Raises OptionError, UnknownFormatError for an unknown spec, FramingError for a file of unknown framing and for files
    that are not of one log, ControlError for a bad control file.
    """
    check_taken(options, "records changes lines resumed", "open_log")
    named = read_options(options)
    check_going_on(named)
    return _opened(paths_of("path", path), named)


def read_changes(
    path: str | Path | Sequence[str | Path], *, filters: Sequence[Filter] = (), metadata: bool = True, **options: Any
) -> pa.Table:
    """The changes of a log that fulfil all `filters`, as an Arrow table; needs pyarrow. See `Log.to_table`.

    Several files are one log. Options are those of `lmparse changes` under their Python names. Raises as `open_log` and
    `Log.to_table`.
    """
    check_taken(options, "changes lines", "read_changes")
    named = read_options(options)
    check_changes(named)
    check_going_on(named)
    return _opened(paths_of("path", path), named).to_table(filters=filters, metadata=metadata)


def _opened(paths: list[str], options: Options) -> Log:
    place, options = one_log(paths, options)
    beside = look_beside(place, options)
    file = open_beside(place, beside, needs_control=False)
    folders = list_folders(paths).columns if is_several(paths) else ()
    return Log(file, fault=beside.fault, folders=folders)


def transaction_summaries(log: ChangeLog) -> Iterator[TransactionSummary]:
    """Yield the transactions of a log.

    Raises OptionError LMP-S003 for a family without transactions, EngineDifferenceError where engines differ (engine
    `check`), and FramingError for a damaged file, after the transactions in front of the damage.
    """
    family = check_changes(log.options)
    if family.transactions is None:
        raise OptionError(f"logs of {family.title} have no transactions that could be listed")
    found: Iterator[TransactionSummary] = family.transactions(log)
    if log.options.engine != "check":
        yield from (_placed(log, summary) for summary in found)
        return
    for place, (one, reference) in enumerate(zip_longest(found, family.transactions(opened_again(log)))):
        yield _placed(log, check_equal(one, reference, place))


def _placed(log: ChangeLog, summary: TransactionSummary) -> TransactionSummary:
    """A summary with the files of its first and last record, and their places in these files."""
    first, last = (
        log.origin.metadata(RecordExtent(index, ((offset, 0),), None))
        for index, offset in (
            (summary.first_record_index, summary.first_record_offset),
            (summary.last_record_index, summary.last_record_offset),
        )
    )
    summary.first_file, summary.last_file = first["file"], last["file"]
    summary.first_record_index, summary.first_record_offset = first["record_index"], first["record_offset"]
    summary.last_record_index, summary.last_record_offset = last["record_index"], last["record_offset"]
    return summary
