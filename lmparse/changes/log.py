"""Change logs: what every log gives whose records are changes, whatever wrote it."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lmparse.changes.change import Change, Version
from lmparse.changes.ranges import ChangeRange
from lmparse.errors import DataError, TableNotFoundError
from lmparse.framing.framings import Span
from lmparse.options import Options
from lmparse.records.files import RecordFile
from lmparse.records.reader import to_json
from lmparse.records.settings import FileSettings, FoundFile


class ChangeLog(RecordFile):
    """A file whose records are changes of rows and tables."""

    def __init__(
        self,
        path: str | Path,
        options: Options,
        found: FoundFile,
        *,
        on_error: Callable[[DataError], None] | None = None,
    ) -> None:
        super().__init__(path, options, found, on_error=on_error)
        self.left_out: Counter[str] = Counter()
        """Changes that options kept out, by why: what became of them, or that they are outside a range."""
        self.range = ChangeRange.of(options)
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

    @property
    @abstractmethod
    def table_ids(self) -> frozenset[tuple[Any, ...]] | None:
        """Ids of the one table that `table` names; None for all, empty when no change is of it.

        Raises OptionError LMP-C005 when no table or several have the name.
        """

    @abstractmethod
    def table_versions(self) -> Sequence[Version]:
        """The versions of the one table that `table` names, or the one that `table_version` picks."""

    @abstractmethod
    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        """The log in parts of about so many bytes, whose changes can be read apart from each other."""

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
