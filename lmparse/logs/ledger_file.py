"""Ledger file: an SQLite database with the files of logs, what each has of its log, and where they overlap.

It is recognised by its application id and its tables. Nothing else is ever opened as a database: opening one may
change it. Texts are stored as the bytes of file names, so that names that are not UTF-8 are kept.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmparse.changes.log_range import LogRange, StreamRange
from lmparse.errors import OptionError
from lmparse.limits import DEFAULT
from lmparse.logs.ledger_lock import in_use, ledger_lock
from lmparse.logs.ledger_side_files import check_side_files
from lmparse.logs.ledger_tables import TABLES
from lmparse.spec.documents import DocumentError, read_json

WAIT_SECONDS = 30.0
"""How long a run waits for another one."""
_PAUSE_SECONDS = 0.05
_VERSION = 1
_APPLICATION = 0x6C6D706C
"""Application id of a ledger: `lmpl`."""
_MAGIC = b"SQLite format 3\0"
_MODES, _APPLICATION_AT, _HEADER_BYTES = slice(18, 20), 68, 72
"""Where the header of a database has its modes and its application id, and bytes of the header up to behind it."""
_WAL_MODES = b"\2\2"
_BROKEN, _IN_USE, _UNWRITTEN = "LMP-S040", "LMP-S041", "LMP-S022"
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
_POSITION = re.compile(r"[0-9A-F]{1,64}(\.[0-9A-F]{1,16})*")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A file of a log, as it was when it was added."""

    id: int
    path: str
    """Absolute, or an address."""
    given: str
    """As it was named."""
    sha256: str
    """Of its bytes as they are stored."""
    size: int
    spec: str
    control: str | None
    control_sha256: str | None
    added: str
    """Time in UTC."""
    range: LogRange


@dataclass(frozen=True, slots=True)
class LedgerCopy:
    """Another path with the bytes of a file."""

    path: str
    given: str
    file: int
    """Id of the file."""
    added: str


@dataclass(frozen=True, slots=True)
class LedgerOverlap:
    """What two files have both."""

    file: int
    """Id of the file that begins in the other one, or where it begins."""
    before: int
    """Id of the other one."""
    records: int | None
    """Number of records that both have, with the same bytes; None if they differ or cannot be compared."""
    difference: str | None
    """How they differ, in words."""
    untested: str | None
    """Why they cannot be compared, in words."""


def foreign_ledger(path: Path) -> str | None:
    """Why a file is not a ledger as lmparse keeps it; None for one, of any version, and for an empty file."""
    with open(path, "rb") as file:
        head = file.read(_HEADER_BYTES)
    if head and not (head.startswith(_MAGIC) and head[_APPLICATION_AT:] == _APPLICATION.to_bytes(4)):
        return "it is not a ledger of lmparse"
    return "it is in WAL mode; PRAGMA journal_mode = DELETE ends that" if head[_MODES] == _WAL_MODES else None


class LedgerFile:
    """An open ledger. Errors of the database are OptionErrors with its name."""

    def __init__(self, connection: sqlite3.Connection, shown: str, *, is_new: bool = False) -> None:
        self._connection, self._shown, self._is_new = connection, shown, is_new
        self.is_changed = False
        """Whether a transaction is open, which begins with the first change: see `ledger_lock`."""

    def entries(self) -> dict[int, LedgerEntry]:
        """All files, by id."""
        with self._checked():
            return self._entries()

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except (DocumentError, ValueError, TypeError, AttributeError) as error:
            raise OptionError(f"{self._shown} is damaged: {error}", code=_BROKEN) from None

    def _entries(self) -> dict[int, LedgerEntry]:
        streams: dict[int, list[StreamRange]] = {}
        for row in self._rows("SELECT * FROM streams ORDER BY file, log, stream"):
            streams.setdefault(row["file"], []).append(_stream(row))
        rows = self._rows("SELECT * FROM files ORDER BY id")
        return {row["id"]: _entry(row, tuple(streams.get(row["id"], ()))) for row in rows}

    def copies(self) -> list[LedgerCopy]:
        """Other paths of the files, sorted."""
        rows = self._rows("SELECT path, given, file, added FROM copies ORDER BY path")
        with self._checked():
            for row in rows:
                _check_types(row, "path given added", "file", "")
        return [LedgerCopy(*row) for row in rows]

    def overlaps(self) -> dict[tuple[int, int], LedgerOverlap]:
        """Files that overlap, by their ids."""
        rows = self._rows("SELECT file, before, records, difference, untested FROM overlaps")
        with self._checked():
            for row in rows:
                _check_types(row, "", "file before" if row["records"] is None else "file before records",
                             "difference untested")  # fmt: skip
        return {(row["file"], row["before"]): LedgerOverlap(*row) for row in rows}

    def insert(self, entry: LedgerEntry) -> None:
        """Add a file."""
        found, own = (
            entry.range,
            ("id", "path", "given", "sha256", "size", "spec", "control", "control_sha256", "added"),
        )
        self._insert(
            "files", {name: getattr(entry, name) for name in own} | {
                "unpacked_size": found.size, "reading": json.dumps(dict(found.reading)), "records": found.records,
                "outcomes": None if found.outcomes is None else json.dumps(dict(found.outcomes)),
                "stated_end": found.stated_end,
            },
        )  # fmt: skip
        for one in found.streams:
            self._insert(
                "streams", {
                    "file": entry.id, "log": one.log, "stream": one.stream, "first": one.first, "last": one.last,
                    "records": one.records, "begin_address": _hex(one.begin), "end_address": _hex(one.end),
                    "adjoining": one.adjoining, "gaps": one.gaps,
                },
            )  # fmt: skip

    def insert_copy(self, copy: LedgerCopy) -> None:
        """Add another path of a file."""
        self._insert("copies", {name: getattr(copy, name) for name in ("path", "given", "file", "added")})

    def insert_overlap(self, overlap: LedgerOverlap) -> None:
        """Add what two files have both, in place of what was known of it."""
        names = ("file", "before", "records", "difference", "untested")
        self._run("DELETE FROM overlaps WHERE file = ? AND before = ?", overlap.file, overlap.before)
        self._insert("overlaps", {name: getattr(overlap, name) for name in names})

    def remove(self, file: int) -> None:
        """Remove a file with all that is known of it."""
        self._run("DELETE FROM files WHERE id = ?", file)

    def remove_copy(self, path: str) -> None:
        """Remove another path of a file."""
        self._run("DELETE FROM copies WHERE path = CAST(? AS TEXT)", _stored(path))

    def move(self, file: int, path: str, given: str) -> None:
        """Give a file another path."""
        words = "UPDATE files SET path = CAST(? AS TEXT), given = CAST(? AS TEXT) WHERE id = ?"
        self._run(words, _stored(path), _stored(given), file)

    def _insert(self, table: str, row: Mapping[str, Any]) -> None:
        marks = ", ".join("CAST(? AS TEXT)" if isinstance(value, str) else "?" for value in row.values())
        self._run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", *map(_stored, row.values()))

    def _run(self, words: str, *values: Any) -> None:
        if not self.is_changed:
            _wait(self._connection, "BEGIN IMMEDIATE", self._shown)
            self.is_changed = True
            if self._is_new:
                _create(self._connection, self._shown)
        with _naming(self._shown):
            self._connection.execute(words, values)

    def _rows(self, words: str) -> list[sqlite3.Row]:
        if self._is_new and not self.is_changed:
            return []
        with _naming(self._shown):
            return self._connection.execute(words).fetchall()


@contextmanager
def reading_ledger(path: str) -> Iterator[LedgerFile]:
    """Open a ledger to read it. Raises OptionError LMP-S040 for anything else, LMP-S041 while another run ends.

    And LMP-S021 if what is beside it is not SQLite's, which would delete it.
    """
    _check_header(path, may_be_new=False)
    with _connected(path, "rw") as connection:
        _wait(connection, "BEGIN", path)
        with _naming(path):
            is_new = _is_new(connection)
        if is_new:  # left by a first run that failed, or that has not ended; nothing is written into it
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
                empty.row_factory = sqlite3.Row
                _create(empty, path)
                yield LedgerFile(empty, path)
            return
        _check_tables(connection, path)
        yield LedgerFile(connection, path)


@contextmanager
def changing_ledger(path: str) -> Iterator[LedgerFile]:
    """Open a ledger, or make it, to change it. All changes are made in the end, or none after an error.

    Raises OptionError: LMP-S040 for a file that is not a ledger of this version, LMP-S041 if another run is adding to
    it and does not end in time, LMP-S022 if it cannot be written, LMP-S021 as `check_side_files` does.
    """
    _check_header(path, may_be_new=True)
    check_side_files(place := Path(os.path.realpath(path)), path)
    with ledger_lock(place, path, WAIT_SECONDS), _connected(path, "rw") as connection:
        _wait(connection, "BEGIN", path)
        with _naming(path):
            is_new = _is_new(connection)
        if not is_new:
            _check_tables(connection, path)
        _wait(connection, "COMMIT", path)
        held = LedgerFile(connection, path, is_new=is_new)
        yield held
        if held.is_changed:
            _wait(connection, "COMMIT", path)


# -- the database -----------------------------------------------------------------------------


def _check_header(path: str, *, may_be_new: bool) -> None:
    """Raise OptionError LMP-S040 if a file is not a ledger, before it is opened as a database."""
    if may_be_new and not os.path.lexists(path):
        return
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
        why = foreign_ledger(Path(path)) if is_file else "it is not a file"
    except (OSError, ValueError) as error:
        raise OptionError(f"{path}: {getattr(error, 'strerror', None) or error}", code=_BROKEN) from None
    if why is not None:
        raise OptionError(f"{path}: {why}", code=_BROKEN)


@contextmanager
def _connected(path: str, mode: str) -> Iterator[sqlite3.Connection]:
    place = Path(os.path.realpath(path))
    check_side_files(place, path)
    with _naming(path):
        # isolation_level None: transactions begin and end where it is written, and nowhere else.
        address = f"{place.as_uri()}?mode={mode}"
        connection = sqlite3.connect(address, uri=True, timeout=0, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        with _naming(path):
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA foreign_keys = ON")
        yield connection
    finally:
        connection.close()  # which ends a transaction without its changes


def _wait(connection: sqlite3.Connection, words: str, shown: str) -> None:
    """Run a statement that may have to wait for another run. Waits in Python, so that Ctrl-C ends it."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with _naming(shown):
                connection.execute(words)
                if words == "BEGIN":
                    connection.execute("SELECT 1 FROM sqlite_master").fetchall()  # takes the lock for reading
            return
        except OptionError as error:
            if error.code != _IN_USE or time.monotonic() > end:
                raise
            if connection.in_transaction and words == "BEGIN":
                connection.execute("ROLLBACK")
        time.sleep(_PAUSE_SECONDS)


def _is_new(connection: sqlite3.Connection) -> bool:
    """Whether nothing has been put into the database yet."""
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0 and not _pragma(
        connection, "application_id"
    )


def _create(connection: sqlite3.Connection, shown: str) -> None:
    with _naming(shown):
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        for words in TABLES.values():
            connection.execute(words)


def _check_tables(connection: sqlite3.Connection, shown: str) -> None:
    """Raise OptionError LMP-S040 for a database that is not a ledger of this version to the letter."""
    with _naming(shown):
        application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        has_loose_ends = bool(connection.execute("PRAGMA foreign_key_check").fetchone())
    if application == _APPLICATION and version != _VERSION:
        said = f"it is of version {version}, and this lmparse reads {_VERSION}"
    elif application != _APPLICATION or {row["name"]: row["sql"] for row in rows} != TABLES:
        said = "its tables are not those of a ledger"
    elif has_loose_ends:
        said = "it is damaged: it has rows of files that it does not have"
    else:
        return
    raise OptionError(f"{shown}: {said}", code=_BROKEN)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _naming(shown: str) -> Iterator[None]:
    """Turn errors of the database into OptionErrors: in use, cannot be written, or damaged."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            raise in_use(shown) from None
        raise OptionError(f"{shown}: cannot be read or written: {error}", code=_UNWRITTEN) from None
    except sqlite3.DatabaseError as error:
        raise OptionError(f"{shown} is damaged: {error}", code=_BROKEN) from None
    except UnicodeDecodeError:  # of a message about text of the database
        raise OptionError(f"{shown} is damaged: its tables have names that are not text", code=_BROKEN) from None


# -- values -----------------------------------------------------------------------------------


def _check_types(row: sqlite3.Row, texts: str, numbers: str, may_be_none: str) -> None:
    """Raise ValueError for a value of another type than the column has: the database stores any in any."""
    for name in texts.split():
        if not isinstance(row[name], str):
            raise ValueError(f"{name} is {row[name]!r}, which is not text")
    for name in numbers.split():
        if not isinstance(row[name], int) or row[name] < 0:
            raise ValueError(f"{name} is {row[name]!r}, which is not a number from zero")
    for name in may_be_none.split():
        if not isinstance(row[name], str | None):
            raise ValueError(f"{name} is {row[name]!r}, which is not text")


def _stream(row: sqlite3.Row) -> StreamRange:
    _check_types(row, "log stream first last", "file records adjoining gaps", "begin_address end_address")
    if not (_POSITION.fullmatch(row["first"]) and _POSITION.fullmatch(row["last"]) and row["first"] <= row["last"]):
        raise ValueError(f"{row['first']!r} to {row['last']!r} are not positions")
    begin, end = (None if one is None else int(one, 16) for one in (row["begin_address"], row["end_address"]))
    return StreamRange(
        log=row["log"], stream=row["stream"], first=row["first"], last=row["last"], records=row["records"],
        begin=begin, end=end, adjoining=row["adjoining"], gaps=row["gaps"],
    )  # fmt: skip


def _entry(row: sqlite3.Row, streams: tuple[StreamRange, ...]) -> LedgerEntry:
    _check_types(
        row, "path given sha256 spec reading added", "id size unpacked_size records",
        "control control_sha256 outcomes stated_end",
    )  # fmt: skip
    outcomes = None if row["outcomes"] is None else _object(row, "outcomes", int)
    found = LogRange(
        row["path"],
        row["unpacked_size"],
        row["records"],
        _object(row, "reading", str),
        streams,
        outcomes,
        row["stated_end"],
    )
    return LedgerEntry(
        id=row["id"], path=row["path"], given=row["given"], sha256=row["sha256"], size=row["size"], spec=row["spec"],
        control=row["control"], control_sha256=row["control_sha256"], added=row["added"], range=found,
    )  # fmt: skip


def _object(row: sqlite3.Row, name: str, kind: type) -> dict[str, Any]:
    """The JSON object in a column, whose values are of one type."""
    found = read_json(row[name].encode("utf-8", "surrogateescape"), DEFAULT)
    if not isinstance(found, dict) or not all(type(value) is kind for value in found.values()):
        raise ValueError(f"{name} is not an object with values of type {kind.__name__}")
    return found


def _stored(value: Any) -> Any:
    """A text as bytes, which need not be UTF-8: the database takes no other."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _hex(address: int | None) -> str | None:
    return None if address is None else f"{address:016X}"
