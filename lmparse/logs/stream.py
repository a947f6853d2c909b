"""Stream: the files of one log as they arrive in a folder, some at a time, each change once.

An offset says how far the log has been read: the checkpoint there, and the last file that was taken, by its position.
It does not grow with the number of files. What lies between two offsets is found again from the folder, so that a
reading that failed is done again with the same result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.logs.families import check_changes
from lmparse.logs.joining import behind, check_resumed, checkpoint_behind, the_one
from lmparse.logs.open import open_changes, states_read
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options
from lmparse.storage.addresses import local_path
from lmparse.storage.landing import Arrival
from lmparse.storage.states import check_all

_MOST_TAKEN = (1 << 63) - 1
"""Largest number of files that an offset may say were taken."""
_NAMED = 3
"""Most files that a message names."""


@dataclass(frozen=True)
class StreamOffset:
    """How far a stream has been read."""

    checkpoint: Checkpoint | None = None
    last: str = ""
    """Position and name of the last file that was taken; empty if none was."""
    taken: int = 0
    """Number of files that were taken."""

    def to_dict(self) -> dict[str, Any]:
        """The offset in the form that Spark keeps: texts and numbers."""
        text = "" if self.checkpoint is None else self.checkpoint.to_json()
        return {"checkpoint": text, "last": self.last, "taken": self.taken}

    @classmethod
    def of(cls, found: dict[str, Any]) -> StreamOffset:
        """The offset that Spark has kept. Raises OptionError LMP-S030 if it is none."""
        values: list[Any] = [found.get(name) for name in ("checkpoint", "last", "taken")]
        text, last, taken = values
        are_typed = isinstance(text, str) and isinstance(last, str) and type(taken) is int
        if not are_typed or not 0 <= taken <= _MOST_TAKEN:
            raise OptionError("the offset is not one of a stream of lmparse", code="LMP-S030")
        return cls(Checkpoint.of_json(text.encode(), "the offset") if text else None, last, taken)


class LogStream:
    """The files of one log in a folder."""

    def __init__(self, request: Request, arrival: Arrival) -> None:
        """Raises OptionError for logs that are not read as streams, and for options that contradict one."""
        family = check_changes(request.options)
        if family.first_position is None or family.join is None:
            raise OptionError(f"{request.options.spec} is not read as a stream", hint="read each file when it is there")
        check_resumed(request.options)
        self._request, self._arrival = request, arrival
        self._position, self._join = family.first_position, family.join
        self._keys: dict[tuple[str, int, int], str] = {}
        """Position and name of a file, by name, size and time of the last write."""
        self._held: frozenset[str] | None = None
        self._log: tuple[tuple[str, str], ChangeLog] | None = None
        """The log between two files that was opened last."""

    def hold(self) -> None:
        """Take no files but those that have arrived by now."""
        self._held = frozenset(self._arrived())

    def latest(self, start: StreamOffset, most: int | None = None) -> StreamOffset:
        """The offset behind the next files, at most a number of them; `start` if no file has arrived.

        Raises FramingError LMP-F014 for a file that arrives late, and as `join` does.
        """
        keys = self._sorted(start)
        read, found = [key for key in keys if key <= start.last], [key for key in keys if key > start.last]
        if len(read) > start.taken:
            raise self._late(read)
        chosen = found[:most]
        if not chosen:
            return start
        log = self._between(start, chosen)
        return StreamOffset(checkpoint_behind(log), chosen[-1], start.taken + len(chosen))

    def parts(self, start: StreamOffset, end: StreamOffset) -> Iterator[FilePart]:
        """The parts of the log between two offsets, whose changes are those that are committed there."""
        if start == end:
            return
        keys = [key for key in self._sorted(start) if start.last < key <= end.last]
        if len(keys) != end.taken - start.taken:
            raise FramingError(
                f"{end.taken - start.taken} files were to be read, and {len(keys)} of these positions are there",
                code="LMP-F014", file=self._request.paths[0],
            )  # fmt: skip
        log = self._between(start, keys)
        planned = states_read(log.path, log.options)
        parts = log.change_parts(self._request.max_bytes)
        check_all(planned)
        fingerprint = log.spec.fingerprint
        yield from (FilePart(log.path, log.options, settings, span, planned, fingerprint) for settings, span in parts)

    # -- files ------------------------------------------------------------------------------------

    def _arrived(self) -> list[str]:
        request = self._request
        if not any(os.path.lexists(local_path(path)) or "*" in path or "://" in path for path in request.paths):
            return []
        try:
            names = request.data_files(request.selection.names())
        except FramingError as error:
            if error.code != "LMP-F001":
                raise
            return []  # a pattern that nothing matches yet
        arrived = self._arrival.arrived(names)
        return arrived if self._held is None else [name for name in arrived if name in self._held]

    def _sorted(self, start: StreamOffset) -> list[str]:
        """Position and name of all files that have arrived, in their order."""
        known, found = self._keys, dict[tuple[str, int, int], str]()
        for name in self._arrived():
            state = self._state(name)
            if state is None or not state[1]:
                continue  # gone, or empty: no record says where it belongs
            try:
                found[state] = known.get(state) or f"{self._position(name, self._options, start.checkpoint)} {name}"
            except DataError as error:
                is_missing = error.code == "LMP-C007" or (error.code == "LMP-F001" and error.file != name)
                if not is_missing:
                    raise  # else its control file has not arrived
        self._keys = found
        return sorted(found.values())

    @property
    def _options(self) -> Options:
        return self._request.options

    @staticmethod
    def _state(name: str) -> tuple[str, int, int] | None:
        if "://" in name:
            return name, 1, 0
        try:
            status = os.stat(local_path(name))
        except OSError:
            return None
        return name, status.st_size, status.st_mtime_ns

    def _late(self, read: list[str]) -> FramingError:
        newest = sorted(read, key=lambda key: -(self._state(_name(key)) or ("", 0, 0))[2])[:_NAMED]
        return FramingError(
            "a file arrived behind files with later positions, which have been read; the newest ones are "
            + ", ".join(map(_name, newest)), code="LMP-F014", file=self._request.paths[0],
        )  # fmt: skip

    def _between(self, start: StreamOffset, keys: list[str]) -> ChangeLog:
        """The log of some files, behind an offset."""
        if self._log is not None and self._log[0] == (start.last, keys[-1]):
            return self._log[1]
        before, options = start.checkpoint, self._options
        joined = self._join([_name(key) for key in keys], options, None, before, None)
        log = open_changes(the_one([one.address for one in joined]), behind(options, before))
        log.resumed = before
        self._log = (start.last, keys[-1]), log
        return log


def _name(key: str) -> str:
    return key.partition(" ")[2]
