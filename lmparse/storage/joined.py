"""Joined files: stretches of several files, read one after another as if they were one file.

A joined file has an address like any other, so that whatever reads a file by its path reads it too, here or in another
process. Offsets and numbers of records in it are translated to those of the files it consists of by `Joined.piece_at`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lmparse.storage.file_bytes import FileBytes

_SCHEME = "joined:["
_MOST = 1 << 63
"""No offset is as high."""
_MOST_ADDRESSES = 1 << 64
"""No address in a log is as high."""
_MOST_OPEN = 64
"""Most files that are open at a time."""
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
        return _sums(piece.size for piece in self.pieces)

    @cached_property
    def records(self) -> list[int]:
        """Number, in the joined file, of the first record of each piece; the last entry counts all."""
        return _sums(piece.records for piece in self.pieces)

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
    is_sound = pieces and all(map(_is_sound, pieces)) and sum(piece.size for piece in pieces) < _MOST
    return Joined(pieces) if is_sound else None


def _piece_of(entry: list[Any]) -> JoinedPiece:
    piece = JoinedPiece(*entry)
    return replace(piece, lost=tuple((stream, begin, end) for stream, begin, end in piece.lost))


def _is_sound(piece: JoinedPiece) -> bool:
    """Whether a piece could have been made by this module: an address may be anything that a user names a file."""
    path, *numbers, lost, is_gapless, is_known, note = astuple(piece)
    addresses = [number for place in lost for number in place]
    are_numbers = all(type(number) is int and 0 <= number < _MOST for number in numbers)
    are_addresses = all(type(number) is int and 0 <= number < _MOST_ADDRESSES for number in addresses)
    are_texts = isinstance(path, str) and isinstance(note, str)
    are_flags = isinstance(is_gapless, bool) and isinstance(is_known, bool)
    return are_texts and are_numbers and are_addresses and are_flags and piece.start <= piece.end


def names_in(path: str) -> list[str]:
    """The files that are read under a path: those that it joins, each once, or itself."""
    found = joined_of(path)
    return [path] if found is None else list(dict.fromkeys(piece.path for piece in found.pieces))


class JoinedBytes(FileBytes):
    """The bytes of joined files."""

    def __init__(self, joined: Joined, open_: Callable[[str], FileBytes]) -> None:
        """`open_` opens one of the files."""
        super().__init__(None, joined.shown, joined.starts[-1])
        self._joined, self._open = joined, open_
        self._held: OrderedDict[str, FileBytes] = OrderedDict()

    def _read(self, start: int, size: int) -> npt.NDArray[np.uint8]:
        found = [self._file(path).array(begin, end) for path, begin, end in self._stretches(start, size)]
        if len(found) == 1:
            return found[0]
        whole = np.concatenate([np.zeros(0, np.uint8), *found])
        whole.flags.writeable = False
        return whole

    def _stretches(self, start: int, size: int) -> Iterator[tuple[str, int, int]]:
        """The files of some bytes, each with the offsets of the first byte and of the one behind the last."""
        starts, pieces = self._joined.starts, self._joined.pieces
        place, end = bisect_right(starts, start) - 1, start + size
        while start < end:
            piece, stop = pieces[place], min(starts[place + 1], end)
            shift = piece.start - starts[place]
            if start < stop:
                yield piece.path, start + shift, stop + shift
            start, place = max(start, stop), place + 1

    def _file(self, path: str) -> FileBytes:
        held = self._held.pop(path, None) or self._open(path)
        self._held[path] = held
        if len(self._held) > _MOST_OPEN:
            self._held.popitem(last=False)
        return held


def _sums(numbers: Iterator[int] | Sequence[int]) -> list[int]:
    found = [0]
    for number in numbers:
        found.append(found[-1] + number)
    return found
