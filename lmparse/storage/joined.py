"""Joined files: stretches of several files, read one after another as one file.

A joined file has an address. Any code that reads a file by its path can therefore read a joined file, also in another
process. `Joined.piece_at` translates offsets and record numbers to those of the real files.
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
"""Above all offsets."""
_KEPT = 16
"""Number of parsed addresses in the cache; addresses can be long."""
_NAMED = 3
"""Most files that a message names."""


@dataclass(frozen=True, slots=True)
class JoinedPiece:
    """A stretch of one file between two record boundaries."""

    path: str
    start: int
    """Offset in the file of the first byte."""
    end: int
    first_record: int = 0
    """Number in the file of the first record."""
    records: int = 0
    """Number of records."""
    lost: tuple[tuple[int, int, int], ...] = ()
    """Gaps in the log between the piece before and this piece: log stream, address of the first missing byte, and
    address behind the last missing byte."""
    is_gapless: bool = False
    """Whether records prove that the piece has no gap in the log."""
    is_known: bool = False
    """Whether an earlier reading had all of the piece."""
    note: str = ""
    """A remark for users."""

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.end - self.start


@dataclass(frozen=True)
class Joined:
    """Stretches of files, one after another."""

    pieces: tuple[JoinedPiece, ...]

    @property
    def address(self) -> str:
        """The address of the joined file."""
        return "joined:" + json.dumps([astuple(piece) for piece in self.pieces], separators=(",", ":"))

    @cached_property
    def starts(self) -> list[int]:
        """Offset of each piece in the joined file; the last entry is the size of the joined file."""
        return list(accumulate((piece.size for piece in self.pieces), initial=0))

    @cached_property
    def records(self) -> list[int]:
        """Number in the joined file of the first record of each piece; the last entry is the count of all records."""
        return list(accumulate((piece.records for piece in self.pieces), initial=0))

    def piece_at(self, offset: int) -> tuple[JoinedPiece, int, int]:
        """The piece at an offset, and what to add to offsets and record numbers to get those in the piece's file."""
        place = min(max(bisect_right(self.starts, offset) - 1, 0), len(self.pieces) - 1)
        piece = self.pieces[place]
        return piece, piece.start - self.starts[place], piece.first_record - self.records[place]

    @property
    def shown(self) -> str:
        """The names of the files, for messages."""
        names = list(dict.fromkeys(piece.path for piece in self.pieces))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return ", ".join(names[:_NAMED]) + more


def is_joined(path: str) -> bool:
    """Whether a path is the address of joined files."""
    return joined_of(path) is not None


def joined_of(path: str) -> Joined | None:
    """The files joined by an address; None for any other path."""
    return _parsed(path) if path.startswith(_SCHEME) else None


@lru_cache(maxsize=_KEPT)
def _parsed(path: str) -> Joined | None:
    """The files joined by an address; cached, because reading a log needs them again and again."""
    try:
        pieces = tuple(map(_piece_of, json.loads(path.removeprefix("joined:"))))
    except (ValueError, TypeError, RecursionError):
        return None  # the path is the name of a file
    return Joined(pieces) if pieces and sum(piece.size for piece in pieces) < _MOST else None


def _piece_of(entry: list[Any]) -> JoinedPiece:
    """A piece of an address. Raises ValueError or TypeError: any text may be the name of a user's file."""
    piece = JoinedPiece(*entry)
    numbers = (0, piece.first_record, piece.records), (0, piece.start, piece.end)
    if not isinstance(piece.path, str) or any(type(number) is not int for number in sum(numbers, ())):
        raise TypeError
    if min(numbers[0]) < 0 or not 0 <= piece.start <= piece.end:
        raise ValueError
    return replace(piece, lost=tuple((stream, begin, end) for stream, begin, end in piece.lost))


def names_in(path: str) -> list[str]:
    """The files read under a path: each file that the path joins once, or the path itself."""
    found = joined_of(path)
    return [path] if found is None else list(dict.fromkeys(piece.path for piece in found.pieces))
