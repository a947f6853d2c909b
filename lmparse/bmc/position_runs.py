"""Position runs: consecutive records with one position in the log, and which change of its run a record belongs to.

The position of a record (LRSN, RBA, member) is its place in the log of Db2, so it is the same in every file that has
the record. Only the changes of one position need a number; it counts those directly before it in the file. Fields are
compared as bytes at their places in the header, so that records whose other fields are bad count like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lmparse.bmc.segments import KEY_FIELDS
from lmparse.framing.windows import Window
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Flags, Int64s

Place = tuple[int, int]
"""Offset and width of a field, in bytes from the start of the record."""
POSITION_FIELDS = ("log_rba", "log_lrsn", "member_id")
FIELDS = tuple(dict.fromkeys((*POSITION_FIELDS, *KEY_FIELDS)))
"""The header fields that are compared; `places` of a log may lack some of them."""
_TOTAL = "total_segs"
_LARGEST = (1 << 63) - 1
_ELEMENT = 8
"""Most bytes that NumPy reads as one number."""


class PositionRuns:
    """Numbers the changes of each run, for the records of a part from its start on, one by one or by windows.

    The first change of a run has number 0. Segments of one change that follow one another count once, up to as many as
    the change has. A record that is too short to have a position ends a run.
    """

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._position = [places[name] for name in POSITION_FIELDS if name in places]
        self._key = [places[name] for name in KEY_FIELDS if name in places and name not in POSITION_FIELDS]
        self._end = max((sum(place) for place in (*self._position, *self._key)), default=0)
        self._total = number_in(places[_TOTAL]) if _TOTAL in places else None
        self._held: bytes | None = None
        """Position of the last record; None before the first one, and if it has none."""
        self._held_key: bytes | None = None
        """What names its change if it is a segment."""
        self._met = 0
        """How many segments of its change have followed one another."""
        self._ordinal = 0

    def position(self, raw: bytes) -> bytes | None:
        """The position of a record; None if it is too short."""
        return None if len(raw) < self._end else _fields(raw, self._position)

    def segments(self, raw: bytes) -> int:
        """How many segments the change of a record has, as it says; 1 if it does not say it."""
        if self._total is None or len(raw) < self._end:
            return 1
        offset, width = self._total
        return max(int.from_bytes(raw[offset : offset + width], "big"), 1)

    def number(self, raw: bytes) -> int:
        """The number of the change of the next record."""
        position, total = self.position(raw), self.segments(raw)
        key = _fields(raw, self._key) if total > 1 else None
        self._met += 1
        if position is None or position != self._held:
            self._ordinal, self._met = 0, 1
        elif key is None or key != self._held_key or self._met > total:
            self._ordinal, self._met = self._ordinal + 1, 1
        self._held, self._held_key = position, key
        return self._ordinal

    def numbers(self, window: Window) -> Int64s:
        """The same for each record of the next window."""
        count = len(window)
        found = np.zeros(count, np.int64)
        if not count:
            return found
        found[0] = self.number(self._head(window, 0))
        later = self._at_the_same_position(window)
        met = np.ones(count, np.int64)
        met[0] = self._met
        if len(later):
            begins = self._begin_changes(window, later, met)
            found[later] = begins[later]
            steps = np.cumsum(found)
            is_later = np.zeros(count, np.bool_)
            is_later[later] = True
            before = np.where(is_later, 0, steps)
            before[0] = 0
            found = steps - np.maximum.accumulate(before)
        if count > 1:
            last = self._head(window, count - 1)
            self._held = self.position(last)
            self._held_key = _fields(last, self._key) if self.segments(last) > 1 else None
            self._ordinal, self._met = int(found[-1]), int(met[-1])
        return found

    def _head(self, window: Window, number: int) -> bytes:
        """The first bytes of a record, as far as they are compared."""
        start, length = int(window.starts[number]), int(window.lengths[number])
        return window.data[start : start + min(length, self._end)].tobytes()

    def _at_the_same_position(self, window: Window) -> Int64s:
        """Numbers of the records, ascending, that have the position of the record before; without the first record."""
        which = np.flatnonzero(window.lengths >= self._end)
        offset, width = number_in(self._position[0])  # the end of the RBA, which differs if anything does
        tails = byte_arrays.take_rows(window.data, window.starts[which] + offset, width)
        numbers = integers.decode_unsigned_array(tails)
        is_same = (numbers[1:] == numbers[:-1]) & (which[1:] - which[:-1] == 1)
        return _equal_to_the_one_before(window, which[1:][is_same], self._position)

    def _begin_changes(self, window: Window, later: Int64s, met: Int64s) -> Flags:
        """Which records begin a change, given those at the position of the record before.

        Writes into `met` how many segments of its change each record and those before it are.
        """
        begins = np.ones(len(window), np.bool_)
        if self._total is None:
            return begins
        same = _equal_to_the_one_before(window, later, self._key)
        offset, width = self._total
        totals = integers.decode_unsigned_array(byte_arrays.take_rows(window.data, window.starts[same] + offset, width))
        is_segment = totals > 1
        # Whatever a header claims, no change has more segments than a signed number can count.
        same, totals = same[is_segment], np.minimum(totals[is_segment], _LARGEST).astype(np.int64)
        places = np.arange(len(window))
        starts = places.copy()
        starts[same] = 0
        starts = np.maximum.accumulate(starts)
        run = places[same] - starts[same] + np.where(starts[same] == 0, met[0] - 1, 0)
        begins[same] = run % totals == 0
        met[same] = run % totals + 1
        return begins


def number_in(place: Place) -> Place:
    """The end of a field that NumPy reads as one number."""
    offset, width = place
    part = min(width, _ELEMENT)
    return offset + width - part, part


def _equal_to_the_one_before(window: Window, numbers: Int64s, places: Sequence[Place]) -> Int64s:
    """Those of some records whose bytes at all places are those of the record before."""
    for offset, width in places:
        if not len(numbers):
            break
        one, before = (
            byte_arrays.take_rows(window.data, window.starts[which] + offset, width) for which in (numbers, numbers - 1)
        )
        numbers = numbers[(one == before).all(1)]
    return numbers


def _fields(raw: bytes, places: Sequence[Place]) -> bytes:
    return b"".join([raw[offset : offset + width] for offset, width in places])
