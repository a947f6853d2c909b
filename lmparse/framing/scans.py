"""Scans: searches of the headers of all records, without an object for each record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from lmparse.framing.extents import RecordExtent
from lmparse.framing.windows import Window
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags
from lmparse.values.distinct import Distinct

Place = tuple[int, int]
"""Offset and width of a field, in bytes from the start of the record."""


def firsts(windows: Iterable[Window], places: Sequence[Place]) -> Iterator[RecordExtent]:
    """The first record with each distinct value of the bytes at `places`, and every record too short for them."""
    if not places:
        yield from (window.extent(0) for window in islice(windows, 1))
        return
    found = Distinct(sum(width for _, width in places))
    end = max(start + width for start, width in places)
    for window in windows:
        fits = _fits(window, end)
        known = len(found)
        numbers = found.of(np.concatenate([_rows(window, place, fits) for place in places], axis=1))
        is_first = ~fits
        for number in range(known, len(found)):
            is_first[np.flatnonzero(fits)[int((numbers == number).argmax())]] = True
        yield from map(window.extent, np.flatnonzero(is_first).tolist())


def above(windows: Iterable[Window], place: Place, limit: int) -> Iterator[RecordExtent]:
    """Every record whose big-endian number at a place is above a limit; records too short for it are left out."""
    for window in windows:
        fits = _fits(window, sum(place))
        is_above = integers.decode_unsigned_array(_rows(window, place, fits)) > limit
        yield from map(window.extent, np.flatnonzero(fits)[is_above].tolist())


def _fits(window: Window, end: int) -> Flags:
    fits: Flags = window.lengths >= end
    return fits


def _rows(window: Window, place: Place, fits: Flags) -> Bytes:
    start, width = place
    return byte_arrays.take_rows(window.data, window.starts[fits] + start, width)
