"""Stream: the files of one log as they arrive in a folder, some at a time, each change once.

An offset says how far the log has been read: the checkpoint there, and the last file that was taken, by its position.
It does not grow with the number of files. What lies between two offsets is found again from the folder, so that a
reading that failed is done again with the same result.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.logs.arrow import TableColumns
from lmparse.logs.families import check_changes
from lmparse.logs.joining import behind, check_resumed, checkpoint_behind, the_one
from lmparse.logs.open import open_changes, states_read
from lmparse.logs.partitions import FilePart, Request
from lmparse.logs.taken_files import NONE_TAKEN, TakenFiles, position_of
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.landing import Arrival, WaitingFiles, Waits
from lmparse.storage.states import FileState, check_all

_MOST_TAKEN = (1 << 63) - 1
"""Largest number of files that an offset may say were taken."""
_NAMED = 3
"""Most files that a message names."""


_TEXTS = ("checkpoint", "last", "files", "states", "names", "kept", "kept_after", "kept_since")
"""Keys of an offset whose values are texts."""
_State = tuple[str, int, int]
"""A file: its name, size, and the time of the last write."""


@dataclass(frozen=True)
class StreamOffset:
    """How far a stream has been read."""

    checkpoint: Checkpoint | None = None
    last: str = ""
    """Position and name of the last file that was taken; empty if none was."""
    taken: int = 0
    """Number of files that were taken."""
    files: str = ""
    """What tells apart the files that were taken, by position, name and size."""
    present: int = 0
    """Number of those that were in the folder when the last one was taken."""
    states: str = ""
    """What tells apart these, by name, size and time of the last write, so that they need not be opened again."""
    names: str = ""
    """What tells apart the files that were taken, by position and name; empty if that is not known."""
    last_size: int = 0
    """Bytes of the last file that was taken; 0 if that is not known."""
    kept: TakenFiles = NONE_TAKEN
    """The files that were taken last."""

    def to_dict(self) -> dict[str, Any]:
        """The offset in the form that Spark keeps: texts and numbers."""
        text = "" if self.checkpoint is None else self.checkpoint.to_json()
        return {
            "checkpoint": text, "last": self.last, "taken": self.taken, "files": self.files, "present": self.present,
            "states": self.states, "names": self.names, "last_size": self.last_size,
            "kept": self.kept.hashes, "kept_after": self.kept.after, "kept_since": self.kept.since,
        }  # fmt: skip

    @classmethod
    def of(cls, found: dict[str, Any]) -> StreamOffset:
        """The offset that Spark has kept. Raises OptionError LMP-S030 if it is none."""
        # Offsets of before did not have the last seven.
        before = {"present": 0, "states": "", "names": "", "last_size": 0, "kept": "", "kept_since": ""}
        found = (
            {**before, "kept_after": position_of(str(found.get("last"))), **found} if isinstance(found, dict) else {}
        )
        texts = [found.get(name) for name in _TEXTS]
        numbers = [found.get(name) for name in ("taken", "present", "last_size")]
        are_numbers = all(type(one) is int and 0 <= one <= _MOST_TAKEN for one in numbers)
        if not are_numbers or not all(isinstance(one, str) for one in texts):
            raise OptionError("the offset is not one of a stream of lmparse", code="LMP-S030")
        text, last, files, states, names, *kept = map(str, texts)
        taken, present, last_size = (int(one or 0) for one in numbers)
        raw = text.encode("utf-8", "surrogatepass")
        checkpoint = Checkpoint.of_json(raw, "the offset") if text else None
        return cls(checkpoint, last, taken, files, present, states, names, last_size, TakenFiles(*kept))


class LogStream:
    """The files of one log in a folder."""

    def __init__(self, request: Request, arrival: Arrival, say: Callable[[str], None] = lambda text: None) -> None:
        """`say` is called for files that are there and are not read yet, if it is not just that they are new.

        Raises OptionError for logs that are not read as streams, and for options that contradict one.
        """
        family = check_changes(request.options)
        if family.first_position is None or family.join is None:
            raise OptionError(f"{request.options.spec} is not read as a stream", hint="read each file when it is there")
        check_resumed(request.options)
        self._request, self._arrival = request, arrival
        self._position, self._join, self._control = family.first_position, family.join, family.control
        self._keys: dict[_State, str] = {}
        """Position and name of a file."""
        self._done: list[_State] = []
        """Files that were taken up to the offset that was asked about last, whose positions need not be known."""
        self._held: frozenset[str] | None = None
        self._say, self._waiting = say, WaitingFiles(say)
        self._log: tuple[str, ChangeLog, tuple[FileState, ...]] | None = None
        """The files that were opened last as one log, that log, and their states before."""

    def hold(self) -> None:
        """Take no files but those that have arrived by now. Raises FramingError LMP-F001 as `latest`."""
        self._held = frozenset(self._arrived(Waits()))

    def latest(self, start: StreamOffset, most: int | None = None) -> StreamOffset:
        """The offset behind the next files, at most a number of them; `start` if no file has arrived.

        Raises FramingError LMP-F014 for a file that arrives late, or that is another one than it was when it was taken,
        as `join` does, and LMP-F001 where a reading of the same paths that is no stream raises it.
        """
        keys = self._sorted(start)
        read, found = [key for key in keys if key <= start.last], [key for key in keys if key > start.last]
        if len(read) + len(self._done) > start.taken:
            raise self._late(read)
        self._check_taken(start, read)
        if late := start.kept.others(read):
            raise self._late(late)
        chosen = found[:most]
        if not chosen:
            return start
        log, planned = self._between(start, chosen)
        reached = checkpoint_behind(log)
        check_all(planned)
        present = [*self._done, *(state for state, key in self._keys.items() if key <= chosen[-1])]
        files, states = self._files(start, chosen), _digest(sorted(present))
        names = _chained(start.names, chosen) if start.names or not start.taken else ""
        taken, size = start.taken + len(chosen), self._sizes()[chosen[-1]]
        kept = start.kept.then(chosen)
        return StreamOffset(reached, chosen[-1], taken, files, len(present), states, names, size, kept)

    def parts(self, start: StreamOffset, end: StreamOffset) -> Iterator[FilePart]:
        """The parts of the log between two offsets, whose changes are those that are committed there."""
        if start == end:
            return
        log, planned = self._log_of(start, end)
        if not log.has_table():
            log.read_no_table()
        if self._options.table is None:
            lacking = set(self._options.columns) - (log.known_columns() if self._options.columns else set())
            if lacking:  # no error, since a later file may have them
                self._say(f"columns: no file of this micro-batch has {', '.join(sorted(lacking))}")
        parts = log.change_parts(self._request.max_bytes)
        check_all(planned)
        fingerprint = log.spec.fingerprint
        yield from (FilePart(log.path, log.options, settings, span, planned, fingerprint) for settings, span in parts)

    def columns(self, start: StreamOffset, end: StreamOffset) -> TableColumns:
        """What the files between two offsets say of the columns of the table."""
        if start == end:
            return TableColumns(self._options)
        return TableColumns.of(self._options, [self._log_of(start, end)[0]])

    def _log_of(self, start: StreamOffset, end: StreamOffset) -> tuple[ChangeLog, tuple[FileState, ...]]:
        """As `_between` for the files between two offsets. Raises FramingError LMP-F014 if they are others now."""
        keys = [key for key in self._sorted(start) if start.last < key <= end.last]
        if len(keys) != end.taken - start.taken:
            raise FramingError(
                f"{end.taken - start.taken} files were to be read, and {len(keys)} of these positions are there",
                code="LMP-F014", file=self._request.paths[0],
            )  # fmt: skip
        if self._files(start, keys) != end.files:
            raise FramingError(
                "the files that were to be read again are others than those that were there before",
                code="LMP-F014", file=self._request.paths[0],
            )  # fmt: skip
        return self._between(start, keys)

    # -- files ------------------------------------------------------------------------------------

    def _arrived(self, waits: Waits) -> list[str]:
        """The files that are whole, of all that a reading of the same paths that is no stream has.

        Where that raises an error, this does: else the stream would wait for ever for what is not a file.
        """
        try:
            names = self._names(waits)
        except FramingError:
            names = self._names(waits)  # what was moved away while it was listed is gone at the second look
        arrived = self._arrival.arrived(names, waits)
        return arrived if self._held is None else [name for name in arrived if name in self._held]

    def _names(self, waits: Waits) -> list[str]:
        absent = list[str]()
        names = self._request.data_files(self._request.selection.names(absent))
        for address in absent:
            waits.add("there is nothing at this address", address)
        return names

    def _sorted(self, start: StreamOffset) -> list[str]:
        """Position and name of the files that have arrived, in their order, without those that are known to be done."""
        known, found, waits = self._keys, dict[_State, str](), Waits()
        search = None if self._control is None else self._control.search(self._options.bounds)
        # Those that are gone are left out, and those that are empty: no record says where they belong.
        states = list[_State]()
        for state in map(self._state, self._arrived(waits)):
            if state is not None and state[1]:
                states.append(state)
            elif state is not None:
                waits.add("it is empty", state[0])
        self._done = _known_states(states, start)
        done = frozenset(self._done)
        for state in states:
            name = state[0]
            if state in done:
                continue
            try:
                found[state] = known.get(state) or self._key(name, start.checkpoint, search)
            except DataError as error:
                is_missing = error.code == "LMP-C007" or (error.code == "LMP-F001" and error.file != name)
                if not is_missing:
                    error.at(file=name)
                    raise
                detail = error.message if error.file in (None, name) else f"{error.file}: {error.message}"
                waits.add("its control file is not found", name, detail)
        self._waiting.are(waits)
        self._keys = found
        return sorted(found.values())

    def _key(self, name: str, before: Checkpoint | None, search: Callable[[str, str | None], str] | None) -> str:
        """Position and name of a file; `search` looks through the folder of its control file once for all files."""
        options = self._options
        if search is not None:
            options = replace(options, control=search(name, options.control))
        return f"{self._position(name, options, before)} {name}"

    def _files(self, start: StreamOffset, keys: list[str]) -> str:
        """What tells apart the files up to an offset and those behind it."""
        sizes = self._sizes()
        return _chained(start.files, [f"{key}\0{sizes[key]}" for key in keys])

    def _sizes(self) -> dict[str, int]:
        return {key: size for (_, size, _), key in self._keys.items()}

    def _check_taken(self, start: StreamOffset, read: list[str]) -> None:
        """Raise FramingError LMP-F014 if a file that was taken has another size now: what is new in it would be lost.

        All files are tested if they are there under their names, else only the last one that was taken.
        """
        size = self._sizes().get(start.last, start.last_size)
        is_last = bool(start.last_size) and size != start.last_size
        is_any = bool(start.names) and len(read) == start.taken and _chained("", read) == start.names
        if is_last or (is_any and self._files(StreamOffset(), read) != start.files):
            raise FramingError(
                "a file has another size than when it was read: it was not whole", code="LMP-F014",
                file=_name(start.last) if is_last else self._request.paths[0],
                hint="begin again with a new checkpoint; completionMarker says when a file is whole",
            )  # fmt: skip

    @property
    def _options(self) -> Options:
        return self._request.options

    @staticmethod
    def _state(name: str) -> _State | None:
        if is_remote(name):
            return name, 1, 0
        try:
            status = os.stat(local_path(name))
        except OSError:
            return None
        # A pipe or a device has no bytes: it is not passed over for an empty file, opening it says what it is.
        return name, status.st_size if stat.S_ISREG(status.st_mode) else 1, status.st_mtime_ns

    def _late(self, read: list[str]) -> FramingError:
        newest = sorted(read, key=lambda key: -(self._state(_name(key)) or ("", 0, 0))[2])[:_NAMED]
        return FramingError(
            "a file arrived behind files with later positions, which have been read; the newest ones are "
            + ", ".join(map(_name, newest)), code="LMP-F014", file=self._request.paths[0],
        )  # fmt: skip

    def _between(self, start: StreamOffset, keys: list[str]) -> tuple[ChangeLog, tuple[FileState, ...]]:
        """The log of some files, behind an offset, and the states that they had before they were opened."""
        files = f"{start.last} {self._files(start, keys)}"
        if self._log is not None and self._log[0] == files:
            return self._log[1:]
        before, options = start.checkpoint, self._options
        if before is not None and before.spec != catalog.load(options.spec).id:
            raise OptionError(f"the offset is of a log of {before.spec}", code="LMP-S030")
        joined = self._join([_name(key) for key in keys], options, None, before, None)
        if not joined:
            raise OptionError("the offset names no file that there is anything to read of", code="LMP-S030")
        path, options = the_one([one.address for one in joined]), behind(options, before)
        planned = states_read(path, options)
        log = open_changes(path, options)
        log.resumed = before
        self._log = files, log, planned
        return log, planned


def _known_states(states: list[_State], start: StreamOffset) -> list[_State]:
    """The files that were taken up to an offset, if they can be told from the others without opening them.

    They are those that were written first, or those with the first names; what the offset keeps of them is a proof.
    """
    for found in (sorted(states, key=lambda state: (state[2], state[0])), sorted(states)):
        found = found[: start.present]
        if start.present and _digest(sorted(found)) == start.states:
            return found
    return []


def _chained(found: str, texts: list[str]) -> str:
    """What tells apart some texts, of which those in front are known by what this gave for them."""
    for text in texts:
        found = hashlib.sha256(f"{found}\0{text}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return found


def _digest(states: list[_State]) -> str:
    """What tells some files apart from any others."""
    return hashlib.sha256(json.dumps(states).encode("utf-8", "surrogatepass")).hexdigest()


def _name(key: str) -> str:
    return key.partition(" ")[2]
