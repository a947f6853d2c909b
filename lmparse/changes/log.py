"""Change logs: what every log gives whose records are changes, whatever wrote it."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from lmparse.changes.change import Change, Version
from lmparse.changes.ranges import OUTSIDE, ChangeRange
from lmparse.errors import DataError, OptionError, TableNotFoundError
from lmparse.framing.extents import Span
from lmparse.options import Options
from lmparse.records.files import OnError, RecordFile
from lmparse.records.settings import FileSettings, FoundFile
from lmparse.values.json_form import to_json


class ChangeLog(RecordFile):
    """A file whose records are changes of rows and tables."""

    table_hint = ""
    """How a table is named whose name several tables have."""

    def __init__(self, path: str | Path, options: Options, found: FoundFile, *, on_error: OnError = None) -> None:
        super().__init__(path, options, found, on_error=on_error)
        self.left_out: Counter[str] = Counter()
        """Changes that options kept out, by why: what became of them, or that they are outside a range."""
        self.range = ChangeRange.of(options)
        self.known_table_ids: frozenset[tuple[Any, ...]] | None = None
        """What `table_ids` was found to be, for a part of a log."""
        self.table_names: set[str] = set()
        """Full name of the table that `table` names, once it has been looked up."""
        self.origin = {"file": self.path, "spec": self.spec.id, "spec_hash": self.spec.layout.sha256}

    @property
    @abstractmethod
    def has_descriptions(self) -> bool:
        """Whether enough is known of tables for their rows to be read."""

    @abstractmethod
    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        """The changes that the options ask for. Raises OptionError, and FramingError where the file is damaged."""

    @classmethod
    def column_docs(cls) -> Mapping[str, str]:
        """What the family says of the columns that every change has, by their names."""
        return {}

    @abstractmethod
    def tables_named(self, wanted: str) -> Mapping[tuple[Any, ...], tuple[str, str]]:
        """The tables that a name or ids may mean, by their ids: full name, and how messages show it.

        Raises TableNotFoundError LMP-C005 when nothing has the name.
        """

    @abstractmethod
    def all_versions(self) -> Sequence[Version]:
        """Every version of a table that is described. Raises ControlError for descriptions that contradict."""

    @abstractmethod
    def table_versions(self) -> Sequence[Version]:
        """The versions of the one table that `table` names, or the one that `table_version` picks."""

    @abstractmethod
    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """The log in parts of about so many bytes, whose changes can be read apart from each other."""

    @cached_property
    def table_ids(self) -> frozenset[tuple[Any, ...]] | None:
        """Ids of the one table that `table` names; None for all, empty when no change is of it.

        Raises OptionError LMP-C005 when no table or several have the name.
        """
        wanted = self.options.table
        if wanted is None or self.known_table_ids is not None:
            return self.known_table_ids
        found = self.tables_named(wanted)
        if len(found) > 1:
            shown = ", ".join(shown for _, shown in found.values())
            hint = f"name it by {self.table_hint}"
            raise OptionError(f"table {wanted!r} is ambiguous: {shown}", code="LMP-C005", hint=hint)
        self.table_names = {name for name, _ in found.values()}
        return frozenset(found)

    def check_columns(self) -> None:
        """Raise OptionError for a version without a table, and for a column that no table has."""
        options = self.options
        if options.table_version is not None and options.table is None:
            raise OptionError("tableVersion needs a table", hint="give table too")
        versions = self.all_versions() if options.table is None else self.table_versions()
        names = {column.name for version in versions for column in version.columns}
        for name in options.columns:
            if name not in names:
                raise OptionError(f"columns: there is no column {name!r}", hint="one of " + ", ".join(sorted(names)))

    def why_excluded(self, state: str, seq: Callable[[], str], time: Callable[[], int | None]) -> str | None:
        """Why `include` or a range leaves a change out: what became of it, or where it is; None when neither does."""
        if "all" not in self.options.include and state not in self.options.include:
            return state
        return None if self.range.holds(seq, time) else OUTSIDE

    def is_kept(self, change: Change, faults: Iterable[DataError]) -> bool:
        """Report what is wrong with a change, and say whether the mode keeps it."""
        for fault in faults:
            self.report(fault, change.extent)
        if change.faults and self.options.mode == "dropmalformed":
            self.tally.dropped += 1
            return False
        return True

    @property
    def dec_length(self) -> str:
        """What the length of DECIMAL columns counts, where a description leaves it open."""
        return "bytes"

    def changes(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The changes as `lmparse changes` prints them."""
        for row in self.rows(span):
            yield to_json(row)

    def rows(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The changes under the same names with typed values."""
        for change in self.typed_changes(span):
            yield change.to_row(self.origin, header=self.options.header)

    def differences(self) -> list[str]:
        """Where what describes the log and what was observed do not agree."""
        return []

    def has_table(self) -> bool:
        """Whether the table that is asked for may have changes here."""
        try:
            return self.table_ids is None or bool(self.table_ids)
        except TableNotFoundError:
            return False
