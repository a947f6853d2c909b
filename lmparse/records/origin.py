"""Origin of rows: the file of a record, number and offset of the record in the file, and its spec."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent
from lmparse.spec.catalog import Spec
from lmparse.storage import addresses
from lmparse.storage.joined import Joined, joined_of
from lmparse.values.byte_arrays import Int64s


class RecordOrigin:
    """Tells where the records of a file are; for joined files, in which file each record is."""

    def __init__(self, path: str, spec: Spec, joined: Callable[[], Joined] | None = None) -> None:
        """`joined` returns the joined files in order, if the address does not name them."""
        self.path = path
        self._joined = joined
        self.spec, self.spec_hash = spec.id, spec.layout.sha256

    @cached_property
    def joined(self) -> Joined | None:
        """The joined files; None for a single file."""
        return joined_of(self.path) if self._joined is None else self._joined()

    @cached_property
    def same(self) -> Mapping[str, str]:
        """The members of `_metadata` that all rows share, by name."""
        found = {"spec": self.spec, "spec_hash": self.spec_hash}
        return found if self.joined is not None else {"file": addresses.in_utf8(self.path), **found}

    def metadata(self, extent: RecordExtent, length: int | None = None) -> dict[str, Any]:
        """The value of the column `_metadata` for a record, or for a change of `length` bytes."""
        path, offsets, numbers = self.path, 0, 0
        if self.joined is not None:
            piece, offsets, numbers = self.joined.piece_at(extent.offset)
            path = piece.path
        return {
            "file": addresses.in_utf8(path),
            "record_index": extent.index + numbers,
            "record_offset": extent.offset + offsets,
            "record_length": extent.length if length is None else length,
            "spec": self.spec,
            "spec_hash": self.spec_hash,
        }

    def said(self, extent: RecordExtent) -> str:
        """The place of a record, for messages: `record 17 at 0x4c10`, with its file if that is one of several."""
        place = self.metadata(extent)
        shown = f"record {place['record_index']} at {place['record_offset']:#x}"
        return shown if self.joined is None else f"{shown} of {place['file']}"

    def said_number(self, index: int) -> str:
        """The place of a record known only by its number, for messages: `record 17`."""
        if self.joined is None:
            return f"record {index}"
        place = min(bisect_right(self.joined.records, index) - 1, len(self.joined.pieces) - 1)
        piece = self.joined.pieces[place]
        return f"record {index - self.joined.records[place] + piece.first_record} of {piece.path}"

    def in_files(self, index: Int64s, offsets: Int64s) -> tuple[Int64s | None, Int64s, Int64s]:
        """For records of joined files: the number of the piece, and number and offset of the record in its file."""
        joined = self.joined
        if joined is None:
            return None, index, offsets
        piece = np.searchsorted(np.array(joined.starts), offsets, side="right") - 1
        piece = np.minimum(piece, len(joined.pieces) - 1)
        first, start = self._shifts
        return piece, index + first[piece], offsets + start[piece]

    def in_log(self, names: Sequence[str], which: Int64s, index: Int64s, offsets: Int64s) -> Int64s:
        """Numbers in the joined file, for records that are in the files `which` of `names`."""
        assert self.joined is not None
        pieces, found = self.joined.pieces, index.copy()
        for number, name in enumerate(names):
            chosen = np.flatnonzero(which == number)
            own = sorted((piece.start, place) for place, piece in enumerate(pieces) if self.files[place] == name)
            place = np.searchsorted(np.array([start for start, _ in own]), offsets[chosen], side="right") - 1
            piece = np.array([place for _, place in own])[place]
            found[chosen] -= self._shifts[0][piece]
        return found

    @cached_property
    def _shifts(self) -> tuple[Int64s, Int64s]:
        """For each piece: the difference of record numbers, and of offsets, between file and joined file."""
        assert self.joined is not None
        pieces = self.joined.pieces
        first = np.array([one.first_record for one in pieces]) - np.array(self.joined.records[:-1])
        start = np.array([one.start for one in pieces]) - np.array(self.joined.starts[:-1])
        return first, start

    @property
    def shown(self) -> str:
        """The file, or the joined files, for messages."""
        return self.path if self.joined is None else self.joined.shown

    @cached_property
    def files(self) -> list[str]:
        """The file of each piece."""
        pieces = () if self.joined is None else self.joined.pieces
        return [addresses.in_utf8(piece.path) for piece in pieces]

    def place(self, error: DataError) -> None:
        """Add the file to an error; in joined files, record and offset then count from the start of that file."""
        if error.file is not None or self.joined is None:
            error.at(file=self.path)
            return
        if error.record_offset is None:
            error.at(file=self.shown)
            return
        piece, offsets, numbers = self.joined.piece_at(error.record_offset)
        error.record_offset += offsets
        if error.record_index is not None:
            error.record_index += numbers
        error.at(file=piece.path)
