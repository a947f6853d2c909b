"""Segment fits: whether a segment has the bytes of a change that another extract has whole, perhaps cut otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from lmparse.bmc.change_copies import ChangeCopy
from lmparse.bmc.repeated_changes import TABLE_FIELDS, SharedSegment
from lmparse.bmc.segment_numbering import SegmentNumbering
from lmparse.bmc.segments import Segment
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent


class Read(Protocol):
    def __call__(self, rank: int, extent: RecordExtent, ordinal: int = 0) -> Segment:
        """A record of the extract with a number; `ordinal` is that of its change. Raises DataError."""


@dataclass(frozen=True, slots=True)
class _Area:
    """A DATA area, with the table that its change is of."""

    table: tuple[Any, ...]
    data: bytes


class SegmentFits:
    """Compares segments with the whole changes of one identity, of which it keeps the bytes."""

    def __init__(
        self, read: Read, numberings: Sequence[SegmentNumbering], lengths: Sequence[Collection[int]], rid: slice
    ) -> None:
        """`lengths` are the bytes of DATA of segments that are not the last ones, for each extract: one at most, or
        none if it has no such segment. `rid` is the place of RID in an identity."""
        self._read, self._numberings, self._lengths, self._rid = read, numberings, lengths, rid
        self._whole: dict[tuple[int, int], _Area | None] = {}
        self._last: tuple[tuple[int, int], _Area | None] | None = None

    def __call__(self, whole: ChangeCopy, rank: int, segment: SharedSegment) -> bool | None:
        """Whether a segment is of a change; None if Log Master could not complete one of them, if it cannot be read, or
        if nothing shows how long those in front of a last one are, nor a RID that there is no other change."""
        if not whole.digest or not segment.is_complete:
            return None
        key = whole.rank, whole.extents[0].offset
        if key not in self._whole:
            self._whole[key] = self._area_of(whole)
        known, part = self._whole[key], self._area(rank, segment.extent)
        if known is None or part is None:
            return None
        if known.table != part.table:
            return False
        base = self._numberings[rank].base
        bases = (0, 1) if base is None else (base,)
        lengths = self._lengths[rank]
        fits = [_is_in(part.data, known.data, segment.total, segment.number - first, lengths) for first in bases]
        if True in fits or None not in fits:
            return True in fits
        return True if any(segment.identity[self._rid]) else None

    def _area_of(self, whole: ChangeCopy) -> _Area | None:
        in_order = [segment.extent for segment in sorted(whole.segments, key=lambda segment: segment.number)]
        areas = [self._area(whole.rank, extent) for extent in in_order or whole.extents]
        known = [area for area in areas if area is not None]
        return _Area(known[0].table, b"".join(area.data for area in known)) if len(known) == len(areas) else None

    def _area(self, rank: int, extent: RecordExtent) -> _Area | None:
        key = rank, extent.offset
        if self._last is None or self._last[0] != key:
            self._last = key, None
            with suppress(DataError):
                values = self._read(rank, extent).values
                self._last = key, _Area(tuple(values.get(name) for name in TABLE_FIELDS), values["data"])
        return self._last[1]


def _is_in(piece: bytes, data: bytes, total: int, place: int, lengths: Collection[int]) -> bool | None:
    """Whether a piece is that with a place of the same data, cut into a total of pieces as long, and a last one; None
    for a last one if the length of the others is not among those that are known."""
    if not 0 <= place < total:
        return False
    if place < total - 1:
        size = len(piece)
        is_so_many = size > 0 and -(-len(data) // size) == total
        return is_so_many and data[size * place : size * (place + 1)] == piece
    size, left = divmod(len(data) - len(piece), total - 1)
    is_at_end = not left and size >= len(piece) > 0 and data.endswith(piece)
    return is_at_end and (size in lengths or (None if not lengths else False))
