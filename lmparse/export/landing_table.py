"""Landing table: what is known of one table of a target from one run to the next, as the state says it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from lmparse.export.filenames import MOST, digest, unversioned
from lmparse.export.landing_clues import TableClue

OTHER = "other"
"""Folder, and ids in the state, of changes without a table version."""
MOST_COMMITS = 1 << 62
"""Most landings in a table that are believed; its log has their number as a signed one of 64 bits."""
_ADDED = {"emptied", "dropped", "dropped_next"}
"""What the state of an earlier version does not say of a table."""


@dataclass
class LandedTable:
    """One table of a target."""

    ids: str
    folder: str
    schema_name: str
    table_name: str
    key: list[str] | None = None
    """The key by which its current table is kept; None if it has none."""
    current_id: str | None = None
    """The id of the Delta table that `marks` are of."""
    current_commits: int | None = None
    """How often the Delta table `current_id` had been landed in at the end of the last run that did."""
    changes_id: str | None = None
    """The id of its Delta table of changes."""
    changes_commits: int | None = None
    """How often that table had been landed in, as `current_commits`."""
    marks: list[dict[str, str]] = field(default_factory=list)
    """From where on rows of the current table cannot be proven, each with its seq and reason; of one that has none,
    from where on that which a later run makes lacks changes."""
    emptied: str = ""
    """The `seq` of the last change that its current table was emptied by; it may not be merged yet."""
    dropped: str | None = None
    """The `seq` at which it was dropped, if nothing behind that is in its current table."""
    dropped_next: list[str | None] | None = None
    """The `seq` up to which changes are being merged, and what `dropped` is behind them."""

    @property
    def full_name(self) -> str:
        """Schema and name, or the ids."""
        return ".".join(word for word in (self.schema_name, self.table_name) if word) or self.ids

    @property
    def has_current(self) -> bool:
        """Whether it has a current table, or is about to get it."""
        return self.key is not None or self.current_id is not None

    @property
    def current_marks(self) -> list[dict[str, str]]:
        """The marks of its current table; none while it has none."""
        return self.marks if self.has_current else []

    @property
    def clue(self) -> TableClue:
        """What tells which changes may be of it."""
        return TableClue(self.ids, self.schema_name, self.table_name)

    def take_merged(self, landed: str | None) -> None:
        """Take over what a run has noted that was killed, if it had merged the changes: its current table says it."""
        if self.dropped_next is not None and (self.dropped_next[0] or "") <= (landed or ""):
            self.dropped = self.dropped_next[1]
        self.dropped_next = None

    def mark(self, seq: str, reason: str) -> None:
        """Take note that rows cannot be proven from a change on; a reason is noted where it occurs first."""
        note(self.marks, seq, reason)


def note(marks: list[dict[str, str]], seq: str, reason: str) -> None:
    """Add a mark, unless there is one for the same reason."""
    if reason not in (mark["reason"] for mark in marks):
        marks.append({"seq": seq, "reason": reason})


def folders_of(ids: str, schema_name: str, table_name: str) -> tuple[str, ...]:
    """The folders that a table may have: `SCHEMA.NAME`, as files of `convert`, or that with a hash."""
    if ids == OTHER:
        return (OTHER,)
    plain = unversioned(schema_name, table_name).replace("%", "~")
    return plain, f"{plain[:MOST]}~{digest(schema_name, table_name, ids)}"


def known_table(entry: Any, *, is_of_earlier: bool) -> LandedTable:
    """A table as the state says it, which may be of an earlier version.

    Raises TypeError or ValueError for anything else: it names folders, and marks that are not there would be forgotten.
    """
    found = LandedTable(**entry)
    wanted = {one.name for one in fields(LandedTable)} - (_ADDED if is_of_earlier else set())
    if lacking := sorted(wanted.difference(entry)):
        raise ValueError(f"it does not say {lacking[0]!r} of the table {found.full_name!r}")
    texts = [found.ids, found.folder, found.schema_name, found.table_name, found.emptied, *(found.key or ())]
    if not isinstance(found.key, list | None) or not all(isinstance(text, str) for text in texts):
        raise ValueError("what it says of a table is not text")
    found.marks = known_marks(found.marks)
    text_or_none(found.current_id)
    text_or_none(found.changes_id)
    text_or_none(found.dropped)
    behind: Any = [None, None] if found.dropped_next is None else found.dropped_next
    if not isinstance(behind, list) or len([text_or_none(text) for text in behind]) != 2:
        raise ValueError(f"{behind!r} is not what is behind a merge")
    for count in (found.changes_commits, found.current_commits):
        if count is not None and (type(count) is not int or not 0 <= count <= MOST_COMMITS):
            raise ValueError(f"{count!r} is not a number of commits")
    if found.folder not in folders_of(found.ids, found.schema_name, found.table_name):
        raise ValueError(f"{found.folder!r} is not the folder of the table {found.full_name!r}")
    return found


def known_marks(found: Any) -> list[dict[str, str]]:
    """Marks as the state says them. Raises LookupError, TypeError or ValueError for anything else."""
    marks = [{"seq": mark["seq"], "reason": mark["reason"]} for mark in found]
    if not isinstance(found, list) or not all(isinstance(text, str) for mark in marks for text in mark.values()):
        raise ValueError("a mark is not a list of seq and reason")
    return marks


def text_or_none(found: Any) -> str | None:
    """A text of the state that may not be there. Raises ValueError for anything else."""
    if not (found is None or isinstance(found, str)):
        raise ValueError(f"{found!r} is not text")
    return found
