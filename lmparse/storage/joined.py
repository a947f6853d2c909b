"""Joined files: stretches of several files, read one after another as if they were one file.

A joined file has an address like any other, so that whatever reads a file by its path reads it too, here or in another
process. Offsets and numbers of records in it are translated to those of the files it consists of by `Joined.piece_at`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

_SCHEME = "joined:["
_MOST = 1 << 63
"""No offset is as high."""
_KEPT = 16
"""Addresses whose files are kept, since they can be long."""
_NAMED = 3
"""Most files that a message names."""


@dataclass(frozen=True, slots=True)
class JoinedPiece:
    """A stretch of one file, from one record to behind another."""

    path: str
    start: int
    """Offset in the file of its first byte."""
    end: int
    first_record: int = 0
    """Number, in the file, of its first record."""
    records: int = 0
    """Number of its records."""
    lost: tuple[tuple[int, int, int], ...] = ()
    """Where bytes of the log are missing between the piece before and this one: log stream, and addresses of the first
    one and behind the last one."""
    is_gapless: bool = False
    """Whether records show that no bytes of the log are missing inside the piece."""
    is_known: bool = False
    """Whether an earlier reading had all of it."""
    note: str = ""
    """What is said of it."""

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return self.end - self.start


@dataclass(frozen=True)
class Joined:
    """Stretches of files, one after another."""

    pieces: tuple[JoinedPiece, ...]

    @property
    def address(self) -> str:
        """The address under which they are read as one file."""
        return "joined:" + json.dumps([astuple(piece) for piece in self.pieces], separators=(",", ":"))

    @cached_property
    def starts(self) -> list[int]:
        """Offset of each piece in the joined file; the last entry is its size."""
        return list(accumulate((piece.size for piece in self.pieces), initial=0))

    @cached_property
    def records(self) -> list[int]:
        """Number, in the joined file, of the first record of each piece; the last entry counts all."""
        return list(accumulate((piece.records for piece in self.pieces), initial=0))

    def piece_at(self, offset: int) -> tuple[JoinedPiece, int, int]:
        """The piece at an offset; what is added to offsets and to numbers of records to have those in its file."""
        place = min(max(bisect_right(self.starts, offset) - 1, 0), len(self.pieces) - 1)
        piece = self.pieces[place]
        return piece, piece.start - self.starts[place], piece.first_record - self.records[place]

    @property
    def shown(self) -> str:
        """Its files, for messages."""
        names = list(dict.fromkeys(piece.path for piece in self.pieces))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return ", ".join(names[:_NAMED]) + more


def is_joined(path: str) -> bool:
    """Whether a path is the address of joined files."""
    return joined_of(path) is not None


def joined_of(path: str) -> Joined | None:
    """The files that an address joins; None for any other path."""
    return _parsed(path) if path.startswith(_SCHEME) else None


@lru_cache(maxsize=_KEPT)
def _parsed(path: str) -> Joined | None:
    """The files that an address joins. It is asked for again and again while a log is read."""
    try:
        pieces = tuple(map(_piece_of, json.loads(path.removeprefix("joined:"))))
    except (ValueError, TypeError, RecursionError):
        return None  # it is the name of a file
    return Joined(pieces) if pieces and sum(piece.size for piece in pieces) < _MOST else None


def _piece_of(entry: list[Any]) -> JoinedPiece:
    """A piece. Raises ValueError or TypeError for what is none: an address may be anything that a user names a file."""
    piece = JoinedPiece(*entry)
    numbers = (0, piece.first_record, piece.records), (0, piece.start, piece.end)
    if not isinstance(piece.path, str) or any(type(number) is not int for number in sum(numbers, ())):
        raise TypeError
    if min(numbers[0]) < 0 or not 0 <= piece.start <= piece.end:
        raise ValueError
    return replace(piece, lost=tuple((stream, begin, end) for stream, begin, end in piece.lost))


def names_in(path: str) -> list[str]:
    """The files that are read under a path: those that it joins, each once, or itself."""
    found = joined_of(path)
    return [path] if found is None else list(dict.fromkeys(piece.path for piece in found.pieces))
