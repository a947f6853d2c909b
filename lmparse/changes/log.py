"""Change logs: what all logs have in common whose records are changes, and the ranges that options select."""

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
"""The reason that is reported for changes outside the range."""


def following(seq: str) -> str:
    """The first sort key behind a `seq`, of as many digits; a text behind all of them for the last one."""
    number = int(seq, 16) + 1
    return f"{number:0{len(seq)}X}" if number >> 4 * len(seq) == 0 else "G"


@dataclass(frozen=True)
class ChangeRange:
    """Bounds of changes, all inclusive; None for no bound."""

    first_seq: str | None = None
    last_seq: str | None = None
    """Upper-case hex of fixed width, as in changes; sorts as the order of commits."""
    first_time: int | None = None
    last_time: int | None = None
    """Microseconds since 1970-01-01T00:00:00. A change without a commit time is outside any bound of time."""

    @classmethod
    def of(cls, options: Options) -> ChangeRange:
        """The range that the options specify."""
        first, last = options.starting_timestamp, options.ending_timestamp
        seqs = [options.starting_seq or "", following(options.starting_after) if options.starting_after else ""]
        return cls(
            max(seqs) or None, options.ending_seq, None if first is None else text_times.iso_micros(first),
            None if last is None else text_times.iso_micros(last),
        )  # fmt: skip

    @property
    def bounds(self) -> list[tuple[str, str, str | int]]:
        """Each bound as a column of changes, a comparison and a value; `commit_ts` in microseconds."""
        every = (
            ("seq", ">=", self.first_seq), ("seq", "<=", self.last_seq),
            ("commit_ts", ">=", self.first_time), ("commit_ts", "<=", self.last_time),
        )  # fmt: skip
        return [(column, comparison, value) for column, comparison, value in every if value is not None]

    def holds(self, seq: Callable[[], str], time: Callable[[], int | None]) -> bool:
        """Whether a change is inside. A function is called only if its value is bounded."""
        if (self.first_seq or self.last_seq) and not (self.first_seq or "") <= seq() <= (self.last_seq or "G"):
            return False
        if self.first_time is None and self.last_time is None:
            return True
        found = time()
        if found is None or (self.first_time is not None and found < self.first_time):
            return False
        return self.last_time is None or found <= self.last_time


def check_going_on(options: Options) -> None:
    """Raise OptionError for changes behind a `seq` in another order than that of commits, in which `seq` rises: the
    last line of a reading that was stopped does not say which changes came before it."""
    if options.starting_after is not None and options.order != "commit":
        raise OptionError(
            "startingAfter goes on behind a change, and changes in the order of the log are not in that of their seq",
            hint="give order commit here, and where the reading was stopped; startingSeq and endingSeq are for ranges",
        )


_NAMED = 20
"""Most tables that a message names."""
MOST_VALUES = 1 << 20
"""Most values that are held at a time: those of MAX_RECORDS rows of 128 columns."""
_NAME_LENGTH = 32
"""Characters of a name that count as one more value."""


def expect_columns(wanted: Iterable[str], known: Collection[str]) -> None:
    """Raise OptionError for a column that the option `columns` names, and that is not among those known."""
    for name in wanted:
        if name not in known:
            raise OptionError(f"columns: there is no column {name!r}", hint="one of " + ", ".join(sorted(known)))


def width(version: Version) -> int:
    """How many values a row of a table counts as."""
    return sum(1 + len(column.name) // _NAME_LENGTH for column in version.columns)


def rows_together(versions: Iterable[Version]) -> int:
    """Most rows that are held at a time, of whichever of some tables."""
    return max(1, min(MAX_RECORDS, MOST_VALUES // max(1, max(map(width, versions), default=1))))


class ChangeLog(RecordFile):
    """A file whose records are changes of rows and tables."""

    table_hint = ""
    """How to name a table if several have the same name."""

    def __init__(self, path: str | Path, options: Options, found: FoundFile, *, on_error: OnError = None) -> None:
        super().__init__(path, options, found, on_error=on_error)
        self.run: Run | None = None
        """Runs what must be known before parts can be read, in other processes; None: this process does it."""
        self.scratch: Path | None = None
        """Folder for what one pass over the log leaves to the next; None if there is none."""
        self.left_out: Counter[str] = Counter()
        """Number of changes that options exclude, by reason."""
        self.range = ChangeRange.of(options)
        self.resumed: Checkpoint | None = None
        """How far the log was read before, if reading goes on."""
        self.saved: Checkpoint | None = None
        """The checkpoint that was written of this reading."""
        self.planned: tuple[FileState, ...] = ()
        """The states of its files, and of those that describe it, when it was opened."""
        self.known_table_ids: frozenset[tuple[Any, ...]] | None = None
        """The result of `table_ids` for the whole log, if this is a part."""
        self.is_part = False
        """Whether this is one of several that are read as one log: its columns are those of all of them."""
        self.table_names: set[str] = set()
        """Full name of the table that the option `table` names, once it has been looked up."""

    @property
    @abstractmethod
    def has_descriptions(self) -> bool:
        """Whether the columns of tables are described, so that rows can be read."""

    @property
    def lacks_descriptions(self) -> bool:
        """Whether records cannot be read that may describe tables."""
        return False

    @abstractmethod
    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        """The changes that the options select. Raises OptionError, and FramingError where the file is damaged."""

    @classmethod
    def column_docs(cls) -> Mapping[str, str]:
        """Comments of the columns that every change has, by name."""
        return {}

    @abstractmethod
    def tables_named(self, wanted: str) -> Mapping[tuple[Any, ...], tuple[str, str]]:
        """The tables that match a name or ids: full name and text for messages, by ids.

        Raises TableNotFoundError LMP-C005 if there is none.
        """

    @abstractmethod
    def all_versions(self) -> Sequence[Version]:
        """Every described table version. Raises ControlError for contradicting descriptions."""

    def described(self) -> Iterable[Version]:
        """Every description that rows may be read with."""
        return self.all_versions()

    @cached_property
    def rows_together(self) -> int:
        """Most changes that are held at a time: fewer than MAX_RECORDS if a table is wide."""
        return rows_together(self.described())

    @abstractmethod
    def table_versions(self) -> Sequence[Version]:
        """The versions of the table that the option `table` names, or the one that `table_version` selects."""

    @abstractmethod
    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """The log in parts of about `max_bytes` whose changes can be read independently."""

    @cached_property
    def table_ids(self) -> frozenset[tuple[Any, ...]] | None:
        """Ids of the one table that the option `table` names; None for all tables, empty if it has no change.

        Raises OptionError LMP-C005 if no table or several match.
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
        """The error of a table that the log does not have; it names some that are there."""
        found = sorted(set(names))
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        hint = f"tables: {', '.join(found[:_NAMED])}{more}" if found else None
        error = TableNotFoundError(why, code="LMP-C005", hint=hint)
        error.tables = frozenset(found)
        return error

    def ambiguous(self, wanted: str, shown: Iterable[str]) -> OptionError:
        """The error of a name that several tables have."""
        hint = f"name it by {self.table_hint}"
        return OptionError(f"table {wanted!r} is ambiguous: {', '.join(shown)}", code="LMP-C005", hint=hint)

    def check_changes(self) -> None:
        """Raise OptionError or ControlError if the log has no readable changes, or not those that the options name."""
        self.check_columns()

    def check_columns(self) -> None:
        """Raise OptionError for a table version without a table, and for a column that none of the log's tables has."""
        options = self.options
        if options.table_version is not None and options.table is None:
            raise OptionError("tableVersion needs a table", hint="give table too")
        if self.is_part or (self.known_table_ids is not None and not self.known_table_ids):
            return  # the whole log may have them, or no row has
        try:
            names = self.known_columns()
        except TableNotFoundError:
            if self.lacks_descriptions:
                return  # what cannot be read ends the reading, or is said
            raise
        expect_columns(options.columns, names)

    def known_columns(self) -> set[str]:
        """The columns that the table has that the options name, in any version; without one those of all tables."""
        versions = self.all_versions() if self.options.table is None else self.table_versions()
        return {column.name for version in versions for column in version.columns}

    def why_excluded(self, state: str, seq: Callable[[], str], time: Callable[[], int | None]) -> str | None:
        """The reason for which `include` or the range excludes a change: its outcome, or OUTSIDE; None if none does."""
        if "all" not in self.options.include and state not in self.options.include:
            return state
        return None if self.range.holds(seq, time) else OUTSIDE

    def selects(self, change: Change) -> bool:
        """Whether `operations`, `include` and the range select a change; what the last two exclude is counted."""
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
        """Report the faults of a change; return whether the mode keeps it."""
        for fault in faults:
            self.report(fault, change.extent)
        if change.faults and self.options.mode == "dropmalformed":
            self.tally.dropped += 1
            return False
        return True

    def changes(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The changes as `lmparse changes` prints them."""
        for row in self.rows(span):
            yield to_json(row)

    def record_files(self) -> Iterator[RecordFile]:
        """The files whose records are those of the log, in order."""
        yield self

    def rows(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The changes by column name, with typed values."""
        for change in self.typed_changes(span):
            yield change.to_row(self.origin, header=self.options.header)

    def own_record(self, raw: bytes, record: Record) -> Record:
        """A record as its bytes alone say it; `record` may also say what other files of the log state."""
        return record

    def test(self, extent: RecordExtent, raw: bytes, record: Record | None, own: Record | None) -> None:
        """Take note of a record for `claims`, as it is read and by itself; None for one that cannot be read."""

    def claims(self) -> list[Claim]:
        """What the log says of itself, tested; `check` asks before it reads the changes."""
        return []

    def extracts_apart(self) -> Iterator[ChangeLog]:
        """The logs that `check` reads one by one: this one, or several that it consists of, which its `claims` join."""
        yield self

    def has_table(self) -> bool:
        """Whether the log may have changes of the table that the options name."""
        try:
            return self.table_ids is None or bool(self.table_ids)
        except TableNotFoundError:
            return False

    def read_no_table(self) -> None:
        """Read what is bad, and no changes: the log has none of the table that the options name."""
        self.__dict__.pop("table_ids", None)
        self.known_table_ids = frozenset()
