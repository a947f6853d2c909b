"""Change logs: the part that all logs of changes share, and the ranges that options select."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lmparse.changes.change import Change, Version
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.claims import Claim
from lmparse.errors import DataError, OptionError, TableNotFoundError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_RECORDS
from lmparse.options import Options
from lmparse.records.files import OnError, RecordFile
from lmparse.records.reader import Record
from lmparse.records.settings import FileSettings, FoundFile
from lmparse.storage.processes import Run
from lmparse.storage.states import FileState
from lmparse.values import text_times
from lmparse.values.json_form import to_json

OUTSIDE = "outside the range"
"""The reason reported for changes outside the range."""


def following(seq: str) -> str:
    """The next sort key behind a `seq`, with as many digits; behind the last sort key, a text that sorts higher."""
    number = int(seq, 16) + 1
    return f"{number:0{len(seq)}X}" if number >> 4 * len(seq) == 0 else "G"


@dataclass(frozen=True)
class ChangeRange:
    """Bounds of changes, all inclusive; None for no bound."""

    first_seq: str | None = None
    last_seq: str | None = None
    """Upper-case hex of fixed width, as in changes; sorts as commit order."""
    first_time: int | None = None
    last_time: int | None = None
    """Microseconds since 1970-01-01T00:00:00. A change without a commit time is outside of any bound of time."""

    @classmethod
    def of(cls, options: Options) -> ChangeRange:
        """The range of the options."""
        first, last = options.starting_timestamp, options.ending_timestamp
        seqs = [options.starting_seq or "", following(options.starting_after) if options.starting_after else ""]
        return cls(
            max(seqs) or None, options.ending_seq, None if first is None else text_times.iso_micros(first),
            None if last is None else text_times.iso_micros(last),
        )  # fmt: skip

    @property
    def bounds(self) -> list[tuple[str, str, str | int]]:
        """Each bound as column of changes, comparison and value; `commit_ts` is in microseconds."""
        every = (
            ("seq", ">=", self.first_seq), ("seq", "<=", self.last_seq),
            ("commit_ts", ">=", self.first_time), ("commit_ts", "<=", self.last_time),
        )  # fmt: skip
        return [(column, comparison, value) for column, comparison, value in every if value is not None]

    def holds(self, seq: Callable[[], str], time: Callable[[], int | None]) -> bool:
        """Whether a change is inside. `seq` and `time` are called only if the range bounds them."""
        if (self.first_seq or self.last_seq) and not (self.first_seq or "") <= seq() <= (self.last_seq or "G"):
            return False
        if self.first_time is None and self.last_time is None:
            return True
        found = time()
        if found is None or (self.first_time is not None and found < self.first_time):
            return False
        return self.last_time is None or found <= self.last_time


def check_going_on(options: Options) -> None:
    """Raise OptionError for `starting_after` in another order than commit order. `seq` rises only in commit order, so
    the last line of a stopped reading does not tell which changes came before it."""
    if options.starting_after is not None and options.order != "commit":
        raise OptionError(
            "startingAfter goes on behind a change, and changes in the order of the log are not in that of their seq",
            hint="give order commit here, and where the reading was stopped; startingSeq and endingSeq are for ranges",
        )


_NAMED = 20
"""Most tables that a message names."""
MOST_VALUES = 1 << 20
"""Most values that are held at a time: MAX_RECORDS rows of 128 columns."""
_NAME_LENGTH = 32
"""Characters of a column name that count as one more value."""


def expect_columns(wanted: Iterable[str], known: Collection[str]) -> None:
    """Raise OptionError for a column of the option `columns` that is not known."""
    for name in wanted:
        if name not in known:
            raise OptionError(f"columns: there is no column {name!r}", hint="one of " + ", ".join(sorted(known)))


def width(version: Version) -> int:
    """Number of values that a row of a table counts as."""
    return sum(1 + len(column.name) // _NAME_LENGTH for column in version.columns)


def rows_together(versions: Iterable[Version]) -> int:
    """Most rows of these tables that are held at a time."""
    return max(1, min(MAX_RECORDS, MOST_VALUES // max(1, max(map(width, versions), default=1))))


class ChangeLog(RecordFile):
    """A file whose records are changes of rows and tables."""

    table_hint = ""
    """How to identify a table if several tables share its name."""

    def __init__(self, path: str | Path, options: Options, found: FoundFile, *, on_error: OnError = None) -> None:
        super().__init__(path, options, found, on_error=on_error)
        self.run: Run | None = None
        """Runs work that parts of the log depend on, in other processes; None: in this process."""
        self.scratch: Path | None = None
        """Folder for results that one pass over the log leaves to the next pass; None without a folder."""
        self.left_out: Counter[str] = Counter()
        """Number of changes that options exclude, by reason."""
        self.range = ChangeRange.of(options)
        self.resumed: Checkpoint | None = None
        """The checkpoint from which reading continues."""
        self.saved: Checkpoint | None = None
        """The checkpoint written after this reading."""
        self.planned: tuple[FileState, ...] = ()
        """States, at opening, of the log's files and of the files that describe the log."""
        self.known_table_ids: frozenset[tuple[Any, ...]] | None = None
        """For a part of a log: `table_ids` of the whole log."""
        self.is_part = False
        """Whether the log is an extract among several extracts that are read as one log and share columns."""
        self.table_names: set[str] = set()
        """Full name of the table that the option `table` selects, after it is looked up."""

    @property
    @abstractmethod
    def has_descriptions(self) -> bool:
        """Whether the columns of tables are described, so that rows can be read."""

    @property
    def lacks_descriptions(self) -> bool:
        """Whether some records that may describe tables are unreadable."""
        return False

    @abstractmethod
    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        """Yield the changes that the options select. Raises OptionError, and FramingError at damage of the file."""

    @classmethod
    def column_docs(cls) -> Mapping[str, str]:
        """Comments of the columns that every change has, by name."""
        return {}

    @abstractmethod
    def tables_named(self, wanted: str) -> Mapping[tuple[Any, ...], tuple[str, str]]:
        """The tables that match a name or ids: full name, and text for messages, by ids.

        Raises TableNotFoundError LMP-C005 if no table matches.
        """

    @abstractmethod
    def all_versions(self) -> Sequence[Version]:
        """Every described table version. Raises ControlError for contradicting descriptions."""

    def described(self) -> Iterable[Version]:
        """Every description that rows may need."""
        return self.all_versions()

    @cached_property
    def rows_together(self) -> int:
        """Most changes that are held at a time: below MAX_RECORDS if a table is wide."""
        return rows_together(self.described())

    @abstractmethod
    def table_versions(self) -> Sequence[Version]:
        """The versions of the table of the option `table`, or the version that `table_version` selects."""

    @abstractmethod
    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """The log in parts of about `max_bytes` whose changes can be read independently."""

    @cached_property
    def table_ids(self) -> frozenset[tuple[Any, ...]] | None:
        """Ids of the table of the option `table`; None for all tables, empty if the table has no change.

        Raises OptionError LMP-C005 if no table or several tables match.
        """
        wanted = self.options.table
        if wanted is None or self.known_table_ids is not None:
            return self.known_table_ids
        found = self.tables_named(wanted)
        if len(found) > 1:
            raise self.ambiguous(wanted, [shown for _, shown in found.values()])
        self.table_names = {name for name, _ in found.values()}
        return frozenset(found)

    def no_table(self, why: str, names: Iterable[str]) -> TableNotFoundError:
        """The error of a table that the log lacks; the error names some tables of the log."""
        found = sorted(set(names))
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        hint = f"tables: {', '.join(found[:_NAMED])}{more}" if found else None
        error = TableNotFoundError(why, code="LMP-C005", hint=hint)
        error.tables = frozenset(found)
        return error

    def ambiguous(self, wanted: str, shown: Iterable[str]) -> OptionError:
        """The error of a name that several tables share."""
        hint = f"name it by {self.table_hint}"
        return OptionError(f"table {wanted!r} is ambiguous: {', '.join(shown)}", code="LMP-C005", hint=hint)

    def check_changes(self) -> None:
        """Raise OptionError or ControlError if the log has no readable changes, or lacks what the options name."""
        self.check_columns()

    def check_columns(self) -> None:
        """Raise OptionError for a table version without a table, and for a column that no table of the log has."""
        options = self.options
        if options.table_version is not None and options.table is None:
            raise OptionError("tableVersion needs a table", hint="give table too")
        if self.is_part or (self.known_table_ids is not None and not self.known_table_ids):
            return  # the whole log may have the columns, or no row has columns
        try:
            names = self.known_columns()
        except TableNotFoundError:
            if self.lacks_descriptions:
                return  # an unreadable record ends the reading or is reported
            raise
        expect_columns(options.columns, names)

    def known_columns(self) -> set[str]:
        """The columns of all versions of the table in the options; without such a table, the columns of all tables."""
        versions = self.all_versions() if self.options.table is None else self.table_versions()
        return {column.name for version in versions for column in version.columns}

    def why_excluded(self, state: str, seq: Callable[[], str], time: Callable[[], int | None]) -> str | None:
        """Why `include` or the range excludes a change: its outcome, or OUTSIDE; None if the change is included."""
        if "all" not in self.options.include and state not in self.options.include:
            return state
        return None if self.range.holds(seq, time) else OUTSIDE

    def selects(self, change: Change) -> bool:
        """Whether `operations`, `include` and the range select a change; exclusions by the last two are counted."""
        if self.options.operations and change.op not in self.options.operations:
            return False
        time = change.commit_ts
        why = self.why_excluded(
            change.state, lambda: change.seq, lambda: None if time is None else text_times.iso_micros(time)
        )
        if why is not None:
            self.left_out[why] += 1
        return why is None

    def is_kept(self, change: Change, faults: Iterable[DataError]) -> bool:
        """Report the faults of a change; return whether the mode keeps the change."""
        for fault in faults:
            self.report(fault, change.extent)
        if change.faults and self.options.mode == "dropmalformed":
            self.tally.dropped += 1
            return False
        return True

    def changes(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """Yield the changes as `lmparse changes` prints them."""
        for row in self.rows(span):
            yield to_json(row)

    def record_files(self) -> Iterator[RecordFile]:
        """Yield the files whose records are those of the log, in order."""
        yield self

    def rows(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """Yield the changes by column name, with typed values."""
        for change in self.typed_changes(span):
            yield change.to_row(self.origin, header=self.options.header)

    def own_record(self, raw: bytes, record: Record) -> Record:
        """The record by its own bytes; `record` may include facts from other files of the log."""
        return record

    def test(self, extent: RecordExtent, raw: bytes, record: Record | None, own: Record | None) -> None:
        """Test a record for `claims`, as read and by its own bytes; None for an unreadable record."""

    def claims(self) -> list[Claim]:
        """The tested claims of the log; `check` asks for them before it reads the changes."""
        return []

    def extracts_apart(self) -> Iterator[ChangeLog]:
        """Yield the logs that `check` reads separately: this log, or the extracts joined in this log."""
        yield self

    def has_table(self) -> bool:
        """Whether the log may have changes of the table in the options."""
        try:
            return self.table_ids is None or bool(self.table_ids)
        except TableNotFoundError:
            return False

    def read_no_table(self) -> None:
        """Report bad records and yield no changes, because the log lacks the table in the options."""
        self.__dict__.pop("table_ids", None)
        self.known_table_ids = frozenset()
