"""Landing target: the folder that changes are landed in, and what is known there from one run to the next.

`_lmparse/land.json` has the names of the folders of tables, `_lmparse/checkpoint.json` how far the log has been landed.
The first is written before a table gets a folder, the second when all of a run is in the tables. `_lmparse/begun.json`
is the next checkpoint while tables get their changes: if it is there when a run begins, some of them are ahead.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lmparse.changes.checkpoint import BEGINNING, Checkpoint
from lmparse.errors import OptionError
from lmparse.export.filenames import MOST, digest, unversioned
from lmparse.export.landing_clues import Clues, LeftOut, TableClue
from lmparse.limits import Limits
from lmparse.options import Options
from lmparse.spec.documents import DocumentError, file_bytes, read_json
from lmparse.storage.atomic_output import OutputPlace, check_place, naming_output, write_text
from lmparse.storage.inputs import Inputs, inputs_of
from lmparse.storage.marks import begins_with
from lmparse.storage.owned_folder import remove_left_behind

CODE = "LMP-S031"
OTHER = "other"
"""Folder, and ids in the state, of changes without a table version."""
_HOME, _STATE, _CHECKPOINT, _BEGUN, _LOCK = "_lmparse", "land.json", "checkpoint.json", "begun.json", "lock"
_DELTA_LOG = "_delta_log"
_BEGINNING = b'{\n  "land_version": '
_VERSION = 2
MOST_COMMITS = 1 << 62
"""Most landings in a table that are believed; its log has their number as a signed one of 64 bits."""
_UNVERSIONED = "changes are without a table version, and so in changes/other"
_APART = "changes are in another table that may be this one, since not all ids of both are known (no DTBI record)"
_UNREADABLE = "%[]\\*"
"""Characters in the path of a Delta table that its package does not read back."""


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
        _note(self.marks, seq, reason)


@dataclass
class LandingTarget:
    """A target whose lock this process has."""

    path: Path
    shown: str
    form: str
    with_current: bool
    is_trimmed: bool = True
    """Whether texts of CHAR are without the blanks at their end. A key with them is another one."""
    tables: dict[str, LandedTable] = field(default_factory=dict)
    """By the ids of the tables."""
    seq: str | None = None
    """Of logs without checkpoints, the `seq` up to which all changes have been landed."""
    marks: list[dict[str, str]] = field(default_factory=list)
    """What marks all current tables, those too that get their first rows in a later run."""
    left_out: Clues = field(default_factory=Clues)
    """What changes without a table version did, to tables too that a later run has first."""
    says_left_out: bool = True
    """Whether the state says it; that of an earlier version does not."""

    @property
    def home(self) -> Path:
        """The folder for what is not a table."""
        return self.path / _HOME

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the log."""
        return self.home / _CHECKPOINT

    @property
    def is_ended_between(self) -> bool:
        """Whether a run was ended while it wrote tables, or just in front of the first one."""
        return os.path.lexists(self.home / _BEGUN)

    def begin(self, reached: Checkpoint, before: Checkpoint | None, limits: Limits) -> bool:
        """Take note of the checkpoint that a run is going to write, before the first table gets its changes.

        Returns whether no run was ended in between before, so that no table is ahead.
        Raises OptionError LMP-S031 if a run that was ended in between had read other stretches of the log: tables that
        are ahead would not get what this run has in front of their last change.
        """
        is_first = not self.is_ended_between
        if not is_first:
            begun = Checkpoint.read(self.home / _BEGUN, limits)
            if begun != before and not reached.has_read_as(begun):
                raise OptionError(
                    f"{self.shown}: a run was ended while it wrote tables, and had read other files than this one",
                    code=CODE, hint="land the files of that run first, and no others in front of their end",
                )  # fmt: skip
        foreign = begins_with(BEGINNING, "a checkpoint of lmparse")
        place = check_place(self.home / _BEGUN, inputs_of([]), is_folder=False, overwrite=True, foreign=foreign)
        write_text(reached.to_json(), place)
        return is_first

    def end(self) -> None:
        """Forget it: the checkpoint has been written."""
        (self.home / _BEGUN).unlink(missing_ok=True)

    def changes(self, folder: str) -> Path:
        """The change table of a folder. Raises OptionError LMP-S031 if a link leads out of it."""
        return self._own("changes", folder)

    def change_folders(self) -> list[str]:
        """Folders that may be change tables, those that the state does not name yet too."""
        above = self.path / "changes"
        return sorted(path.name for path in above.iterdir() if path.is_dir()) if above.is_dir() else []

    def current(self, folder: str) -> Path:
        """The current table of a folder. Raises OptionError LMP-S031 if a link leads out of it."""
        return self._own("current", folder)

    def _own(self, kind: str, folder: str) -> Path:
        """The folder of a table. Whatever is a link in it may lead to what is not of lmparse."""
        above = self.path / kind
        found = above / folder
        entries = found.iterdir() if found.is_dir() and not found.is_symlink() else ()
        link = next((path for path in (above, found, *entries) if path.is_symlink()), None)
        if link is not None:
            raise not_landed(link, "it is a link")
        return found

    def table(self, ids: str, schema_name: str, table_name: str) -> LandedTable:
        """A table of the log, or what stands for the changes without one; it has a folder from now on."""
        if ids not in self.tables:
            folder = self._folder(ids, schema_name, table_name)
            self._taken.add(folder.casefold())
            made = self.tables[ids] = LandedTable(ids, folder, schema_name, table_name)
            self._known.add(_known_of(made))
        return self.tables[ids]

    def _folder(self, ids: str, schema_name: str, table_name: str) -> str:
        """`SCHEMA.NAME`, as files of `convert`; with a hash if it is long or another table has it."""
        if ids == OTHER:
            return OTHER
        plain, hashed = _folders(ids, schema_name, table_name)
        return plain if len(plain) <= MOST and plain.casefold() not in self._taken else hashed

    @cached_property
    def _taken(self) -> set[str]:
        """The folders of tables, in small letters."""
        return {OTHER, *(table.folder.casefold() for table in self.tables.values())}

    @cached_property
    def _known(self) -> Clues:
        """The tables, whatever their changes."""
        return Clues(one for table in self.tables.values() for one in _known_of(table))

    def has_another(self, table: LandedTable) -> bool:
        """Whether another table may be the same one: it has other ids, but of one of both not all are known."""
        return bool(self._known.of_others(table.clue))

    def mark(self, found: Clues, landed: Clues) -> None:
        """Mark the current tables that have not got what was left out, or what others got that were `landed` in, of
        those that may be the same one; not if they were emptied behind it.

        One that a later run makes lacks nothing of what was not merged in front of that.
        """
        for table in self.tables.values():
            if table.has_current and table.ids != OTHER:
                _mark_unread(table, found)
                _mark_lacking(table, landed.of_others(table.clue), _APART)
            elif table.marks:
                own, end = found.own(table.clue), self.left_out.own(table.clue).end
                if landed.own(table.clue).last < end and end in (own.emptied, own.created):
                    table.marks.clear()

    def mark_all(self, seq: str, reason: str) -> None:
        """Mark all current tables, of this run and of later ones: a bad record has neither a table nor a position."""
        _note(self.marks, seq, reason)
        for table in self.tables.values():
            if table.has_current:
                table.mark(seq, reason)

    def begin_current(self, table: LandedTable, key: list[str], first: str, *, has_rows: bool) -> bool:
        """Take note of the key of a current table, which is empty if its changes need none.

        One that had no key so far lacks what was left out, and has the marks of all; one that is new lacks what is in
        another table that may be the same one. `first` is the first `seq` of the changes that it gets: unless it
        `has_rows`, it is as if what emptied the table in front of that were merged.

        Returns whether a run that goes on behind this one, if it is killed, must know that: it finds rows.
        """
        is_new = not table.has_current
        if table.key is not None:
            table.key = key or table.key
            return False
        own = self.left_out.own(table.clue) | LeftOut(dropped=table.dropped or "")
        if not has_rows and table.emptied < own.end < first:
            table.emptied = own.end
        if own.dropped == own.last > table.emptied:
            table.dropped = own.dropped
        elif (table.dropped or "") < table.emptied:
            table.dropped = None
        if key:
            table.key = key
        if key or has_rows:
            _mark_unread(table, self.left_out)
            for mark in self.marks:
                table.mark(**mark)
            if is_new and self.has_another(table):
                table.mark(first, _APART)
        return bool(own.last)

    def save(self) -> None:
        """Write what is known. Raises OptionError."""
        shown = {
            "land_version": _VERSION, "as": self.form, "current": self.with_current, "trim": self.is_trimmed,
            "seq": self.seq, "marks": self.marks,
            "left_out": [_shown_clue(*entry) for entry in self.left_out],
            "tables": [asdict(self.tables[ids]) for ids in sorted(self.tables)],
        }  # fmt: skip
        write_text(json.dumps(shown, indent=2, ensure_ascii=False) + "\n", self._place())

    def _place(self) -> OutputPlace:
        foreign = begins_with(_BEGINNING, "a state of land")
        place = self.home / _STATE
        return check_place(place, inputs_of([]), is_folder=False, overwrite=True, foreign=foreign)

    def check_whole(self, has_checkpoints: bool) -> None:
        """Raise OptionError LMP-S031 if the state, the checkpoint of a family that has them, or a table is gone.

        Without the state, marks and keys of the tables would be forgotten; without the checkpoint, files that come too
        late and transactions that were open would be left out as if they were landed.
        """
        has_state, has_checkpoint = (os.path.lexists(path) for path in (self.home / _STATE, self.checkpoint))
        if not has_state and (has_checkpoint or self._has_landed()):
            raise not_landed(self.home / _STATE, "it is gone, and what it says of the tables with it")
        if has_checkpoints and not has_checkpoint and not self.is_ended_between and self._has_landed():
            raise not_landed(self.checkpoint, "it is gone, and with it how far the log has been landed")
        if OTHER not in self.tables and self._has_landed(OTHER):
            raise not_landed(self.home / _STATE, f"it does not have the table of changes/{OTHER}, which was landed in")
        for table in self.tables.values() if self.form == "delta" else ():
            for kind, known in (("changes", table.changes_id), ("current", table.current_id)):
                if known is not None and not (self.path / kind / table.folder / _DELTA_LOG).is_dir():
                    raise not_landed(self.path / kind / table.folder, "it is gone, and what was landed in it")

    def _has_landed(self, folder: str = "*") -> bool:
        """Whether a table has got changes, or that of one folder."""
        placed = f"{folder}/{_DELTA_LOG}/*.json" if self.form == "delta" else f"{folder}/**/*.parquet"
        return next((self.path / "changes").glob(placed), None) is not None

    def load(self, limits: Limits) -> None:
        """Take over what is known. Raises OptionError LMP-S031 for another form than this run asks for."""
        place = self.home / _STATE
        if not os.path.lexists(place):
            return
        try:
            found = read_json(file_bytes(place, limits), limits)
            if found["land_version"] != _VERSION:
                raise ValueError(f"it is of version {found['land_version']}, and this lmparse reads {_VERSION}")
            known, is_trimmed = (found["as"], found["current"]), found["trim"]
            tables = [_known_table(entry) for entry in found["tables"]]
            self.tables = {table.ids: table for table in tables}
            if len({table.folder.casefold() for table in tables}) < len(found["tables"]):
                raise ValueError("two tables have one folder")
            self.seq = _text_or_none(found["seq"])
            self.marks = _known_marks(found["marks"])
            self.left_out = _known_clues(found.get("left_out", []))
            self.says_left_out = "left_out" in found
        except (DocumentError, OSError, LookupError, TypeError, ValueError) as error:
            raise OptionError(f"{place} is not a state of land: {error}", code=CODE) from None
        if is_trimmed is not self.is_trimmed:
            words = f"texts {'without' if is_trimmed else 'with'} the blanks at their end"
            raise OptionError(f"{self.shown} has {words}", code=CODE, hint=f"give trim {str(is_trimmed).lower()}")
        if known != (self.form, self.with_current):
            words = f"as {known[0]}, {'with' if known[1] else 'without'} current tables"
            raise OptionError(f"{self.shown} has changes {words}", code=CODE, hint="go on so, or name another folder")


def not_landed(path: Path, why: str) -> OptionError:
    """The error of something in a target that no run has put there as it is."""
    return OptionError(
        f"{path} is not as land has left it: {why}",
        code=CODE,
        hint="put it back as it was, or land into another folder",
    )


def check_commits(path: Path, known: int | None, found: int | None) -> None:
    """Raise OptionError LMP-S031 if a table was landed in more often than it says: the end of its log is gone, or an
    older copy of it was put there."""
    if known is not None and (found or 0) < known:
        raise not_landed(path, f"it was landed in {known} times, and its log has {found or 0} of them")


def _folders(ids: str, schema_name: str, table_name: str) -> tuple[str, ...]:
    """The folders that a table may have."""
    if ids == OTHER:
        return (OTHER,)
    plain = unversioned(schema_name, table_name).replace("%", "~")
    return plain, f"{plain[:MOST]}~{digest(schema_name, table_name, ids)}"


def _known_table(entry: Any) -> LandedTable:
    """A table as `save` has written it. Raises TypeError or ValueError for anything else: it names folders."""
    found = LandedTable(**entry)
    texts = [found.ids, found.folder, found.schema_name, found.table_name, found.emptied, *(found.key or ())]
    if not isinstance(found.key, list | None) or not all(isinstance(text, str) for text in texts):
        raise ValueError("what it says of a table is not text")
    found.marks = _known_marks(found.marks)
    _text_or_none(found.current_id)
    _text_or_none(found.changes_id)
    _text_or_none(found.dropped)
    behind: Any = [None, None] if found.dropped_next is None else found.dropped_next
    if not isinstance(behind, list) or len([_text_or_none(text) for text in behind]) != 2:
        raise ValueError(f"{behind!r} is not what is behind a merge")
    for count in (found.changes_commits, found.current_commits):
        if count is not None and (type(count) is not int or not 0 <= count <= MOST_COMMITS):
            raise ValueError(f"{count!r} is not a number of commits")
    if found.folder not in _folders(found.ids, found.schema_name, found.table_name):
        raise ValueError(f"{found.folder!r} is not the folder of the table {found.full_name!r}")
    return found


def _known_marks(found: Any) -> list[dict[str, str]]:
    """Marks as `save` has written them. Raises LookupError, TypeError or ValueError for anything else."""
    marks = [{"seq": mark["seq"], "reason": mark["reason"]} for mark in found]
    if not isinstance(found, list) or not all(isinstance(text, str) for mark in marks for text in mark.values()):
        raise ValueError("a mark is not a list of seq and reason")
    return marks


def _shown_clue(clue: TableClue, found: LeftOut) -> dict[str, str]:
    return {**asdict(clue), **{name: seq for name, seq in asdict(found).items() if seq}}


def _known_clues(found: Any) -> Clues:
    """Clues as `save` has written them. Raises LookupError, TypeError or ValueError for anything else."""
    entries = [dict(entry) for entry in found]
    if not isinstance(found, list) or not all(isinstance(text, str) for entry in entries for text in entry.values()):
        raise ValueError("what it says of changes without a table version is not text")
    return Clues(
        (TableClue(*(entry.pop(name) for name in ("ids", "schema_name", "table_name"))), LeftOut(**entry))
        for entry in entries
    )


def _mark_unread(table: LandedTable, found: Clues) -> None:
    """Mark a table that has not got what was left out, unless it was emptied behind it.

    A creation alone matters to a table that was dropped: its rows are not those of the new one.
    """
    known = found.of(table.clue)
    created = [one.created for one in known if table.dropped is not None and one.created > table.dropped]
    _mark_lacking(table, [*known, *(LeftOut(seq, seq) for seq in created)], _UNVERSIONED)


def _mark_lacking(table: LandedTable, found: Iterable[LeftOut], reason: str) -> None:
    """Mark a table that has not got some changes, unless it was emptied behind them."""
    if lacking := [max(one.first, table.emptied) for one in found if one.last > table.emptied]:
        table.mark(min(lacking), reason)


def _known_of(table: LandedTable) -> list[tuple[TableClue, LeftOut]]:
    return [(table.clue, LeftOut())] if table.ids != OTHER else []


def _note(marks: list[dict[str, str]], seq: str, reason: str) -> None:
    if reason not in (mark["reason"] for mark in marks):
        marks.append({"seq": seq, "reason": reason})


def _text_or_none(found: Any) -> str | None:
    if not (found is None or isinstance(found, str)):
        raise ValueError(f"{found!r} is not text")
    return found


@contextmanager
def opened_target(
    to: str | Path, form: str, with_current: bool, inputs: Inputs, options: Options
) -> Iterator[LandingTarget]:
    """The target at a path, which is made; no other process lands there until the end of the block.

    Raises OptionError LMP-S021 for a place that is not one, LMP-S031 for a target of another form, or in use.
    """
    place = check_place(to, inputs, is_folder=True, overwrite=True, foreign=_foreign)
    bad = sorted({*str(place.path)}.intersection(_UNREADABLE))
    if form == "delta" and bad:
        raise OptionError(f"{place.shown}: Delta tables cannot be in a folder with {bad[0]!r} in its path", code=CODE)
    target = LandingTarget(place.path, place.shown, form, with_current, options.trim)
    with naming_output(place.shown):
        if target.home.is_symlink():
            raise not_landed(target.home, "it is a link")
        target.home.mkdir(parents=True, exist_ok=True)
        if (target.home / _LOCK).is_symlink():
            raise not_landed(target.home / _LOCK, "it is a link")
        lock = os.open(target.home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(
                f"{place.shown}: another process is landing there", code=CODE, hint="run it again when that has ended"
            ) from None
        remove_left_behind(target.home, inputs=inputs)
        target.load(options.bounds)
        yield target
    finally:
        os.close(lock)


def _foreign(folder: Path) -> str | None:
    """What in a folder is not a target: one that has begun, or current tables that were put there before the first run.

    Only what `land` names there is ever written.
    """
    others = sorted(path.name for path in folder.iterdir() if path.name != "current")
    if not others or (folder / _HOME).is_dir():
        return None
    return f"it has {others[0]}, and no {_HOME}"
