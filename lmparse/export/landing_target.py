"""Landing target: the folder that changes are landed in, and what is known there from one run to the next.

`_lmparse/land.json` has the names of the folders of tables, `_lmparse/checkpoint.json` how far the log has been landed.
The first is written before a table gets a folder, the second when all of a run is in the tables. `_lmparse/begun.json`
is the next checkpoint while tables get their changes: if it is there when a run begins, some of them are ahead.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from lmparse.changes.checkpoint import BEGINNING, Checkpoint
from lmparse.errors import OptionError
from lmparse.export.filenames import MOST
from lmparse.export.landing_clues import Clues, LeftOut, TableClue, known_clues
from lmparse.export.landing_table import OTHER, LandedTable, folders_of, known_marks, known_table, text_or_none
from lmparse.limits import Limits
from lmparse.options import Options
from lmparse.spec.documents import DocumentError, file_bytes, read_json
from lmparse.storage.atomic_output import OutputPlace, check_place, naming_output, write_text
from lmparse.storage.inputs import Inputs, inputs_of
from lmparse.storage.marks import begins_with
from lmparse.storage.owned_folder import remove_left_behind

CODE = "LMP-S031"
_HOME, _STATE, _CHECKPOINT, _BEGUN, _LOCK = "_lmparse", "land.json", "checkpoint.json", "begun.json", "lock"
_DELTA_LOG = "_delta_log"
_BEGINNING = b'{\n  "land_version": '
_VERSION = 2
_UNREADABLE = "%[]\\*"
"""Characters in the path of a Delta table that its package does not read back."""


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
        plain, hashed = folders_of(ids, schema_name, table_name)
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

    def save(self) -> None:
        """Write what is known. Raises OptionError."""
        shown = {
            "land_version": _VERSION, "as": self.form, "current": self.with_current, "trim": self.is_trimmed,
            "seq": self.seq, "marks": self.marks,
            "left_out": self.left_out.entries(),
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
            self.says_left_out = "left_out" in found
            tables = [known_table(entry, is_of_earlier=not self.says_left_out) for entry in found["tables"]]
            self.tables = {table.ids: table for table in tables}
            if len({table.folder.casefold() for table in tables}) < len(found["tables"]):
                raise ValueError("two tables have one folder")
            self.seq = text_or_none(found["seq"])
            self.marks = known_marks(found["marks"])
            self.left_out = known_clues(found.get("left_out", []))
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


def _known_of(table: LandedTable) -> list[tuple[TableClue, LeftOut]]:
    return [(table.clue, LeftOut())] if table.ids != OTHER else []


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
