"""Landing target: the folder in which changes are landed, and the folder of each table.

A table itself states how far it is landed; `_lmparse/checkpoint.json` states how far the log has been read.
`_lmparse/land.json` has the names of the folders, and the form of all tables.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lmparse.changes.change import UNKNOWN_ID
from lmparse.errors import OptionError
from lmparse.export.land_rows import OTHER, NamedTable, TableRows
from lmparse.export.writers import safe_name
from lmparse.options import Options
from lmparse.spec.documents import DocumentError, file_bytes, read_json
from lmparse.storage.outputs import Inputs, begins_with, check_place, inputs_of, naming_output, write_text

CODE = "LMP-S031"
_HOME, _STATE = "_lmparse", "land.json"
_BEGINNING = b'{\n  "land_version": '
_VERSION = 3
_UNREADABLE = "%[]\\*"
"""Characters in a table's path that the Delta package cannot read back."""


@dataclass(frozen=True)
class LandedTable(NamedTable):
    """One table of a target."""

    folder: str = ""

    def may_have(self, ids: str) -> bool:
        """Whether ids may be those of the table: parts known on both sides agree. Empty ids may belong to any table."""
        pairs = zip(self.ids.split("."), ids.split("."), strict=False)
        return not ids or all(mine == its or UNKNOWN_ID in (mine, its) for mine, its in pairs)


@dataclass
class LandingTarget:
    """A target that this process has locked."""

    path: Path
    shown: str
    form: str
    is_trimmed: bool
    """Whether texts of CHAR lack trailing blanks; keys with and without blanks differ."""
    tables: dict[str, LandedTable] = field(default_factory=dict)
    """By the ids of the tables."""

    @property
    def home(self) -> Path:
        """The folder for files other than tables."""
        return self.path / _HOME

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the log."""
        return self.home / "checkpoint.json"

    def folder(self, kind: str, table: LandedTable) -> Path:
        """The folder of a table, of the kind `changes` or `current`."""
        return self.path / kind / table.folder

    def table(self, rows: TableRows) -> LandedTable:
        """The table of rows, or the entry for changes without a version; a new table gets a folder.

        Raises OptionError LMP-S031 if that folder exists without belonging to a table.
        """
        if rows.ids not in self.tables:
            folder = OTHER
            if rows.ids != OTHER:
                taken = {OTHER, *(one.folder.replace("~", "%").casefold() for one in self.tables.values())}
                folder = safe_name(rows.schema_name, rows.table_name, rows.ids, taken).replace("%", "~")
            found = LandedTable(rows.ids, rows.schema_name, rows.table_name, folder)
            if self.folder("changes", found).exists():
                raise not_landed(self.folder("changes", found), f"{_HOME}/{_STATE} does not have its table")
            self.tables[rows.ids] = found
        return self.tables[rows.ids]

    def save(self) -> None:
        """Write the folder of each table. Raises OptionError."""
        shown = {
            "land_version": _VERSION, "as": self.form, "trim": self.is_trimmed,
            "tables": [asdict(self.tables[ids]) for ids in sorted(self.tables)],
        }  # fmt: skip
        foreign = begins_with(_BEGINNING, "a state of land")
        place = check_place(self.home / _STATE, inputs_of([]), is_folder=False, overwrite=True, foreign=foreign)
        write_text(json.dumps(shown, indent=2, ensure_ascii=False) + "\n", place)

    def load(self, options: Options) -> None:
        """Load the saved state. Raises OptionError LMP-S031 if its form differs from this run's."""
        place = self.home / _STATE
        if not os.path.lexists(place):
            return
        try:
            found = read_json(file_bytes(place, options.bounds), options.bounds)
            if found["land_version"] != _VERSION:
                raise ValueError(f"it is of version {found['land_version']}, and this lmparse reads {_VERSION}")
            form, is_trimmed = found["as"], found["trim"]
            for table in (LandedTable(**entry) for entry in found["tables"]):
                if not all(isinstance(text, str) for text in vars(table).values()) or "/" in table.folder:
                    raise ValueError("what it says of a table is not text")
                self.tables[table.ids] = table
        except (DocumentError, OSError, LookupError, TypeError, ValueError) as error:
            raise OptionError(f"{place} is not a state of land: {error}", code=CODE) from None
        if (form, is_trimmed) != (self.form, self.is_trimmed):
            text = f"{self.shown} has changes as {form} with trim {str(is_trimmed).lower()}"
            raise OptionError(text, code=CODE, hint="go on so, or name another folder")


def not_landed(path: Path, why: str) -> OptionError:
    """The error of a file or folder in a target that is not as a run left it."""
    hint = "put it back as it was, or land into another folder"
    return OptionError(f"{path} is not as land has left it: {why}", code=CODE, hint=hint)


@contextmanager
def opened_target(to: str, form: str, inputs: Inputs, options: Options) -> Iterator[LandingTarget]:
    """The target at a path, made if missing; no other process lands there until the end of the block.

    Raises OptionError LMP-S021 for an impossible place, LMP-S031 for a target of another form, a target in use, or a
    path with characters that tables cannot have.
    """
    place = check_place(to, inputs, is_folder=True, overwrite=True, foreign=_foreign)
    bad = [one for one in str(place.path) if "\ud800" <= one <= "\udfff"]  # no UTF-8
    bad += sorted({*str(place.path)}.intersection(_UNREADABLE)) if form == "delta" else []
    if bad:
        raise OptionError(f"{place.shown}: tables cannot be in a folder with {bad[0]!r} in its path", code=CODE)
    target = LandingTarget(place.path, place.shown, form, options.trim)
    with naming_output(place.shown):
        target.home.mkdir(parents=True, exist_ok=True)
        lock = os.open(target.home / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"{place.shown}: another process is landing there"
            raise OptionError(text, code=CODE, hint="run it again when that has ended") from None
        target.load(options)
        yield target
    finally:
        os.close(lock)


def _foreign(folder: Path) -> str | None:
    """Says what makes a folder no target; a target has begun, or has only current tables from before the first run."""
    others = sorted(path.name for path in folder.iterdir() if path.name != "current")
    if not others or (folder / _HOME).is_dir():
        return None
    return f"it has {others[0]}, and no {_HOME}"
