"""Parallel walk: many walkers go from record to record at once, each through a part of a stretch of a file.

Every descriptor word gives the place of the next one, so words have to be found one after the other. Here some
hundred walkers start at once, from places that look like the start of the first record. The first walker is right,
and each right walker that arrives exactly at the start of the next one proves that one right.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lmparse.framing.descriptors import WordForm
from lmparse.values.byte_arrays import Bytes, Int64s

_WALKERS = 256
_LEAST_BYTES = 1 << 18
"""Bytes of the shortest stretch; in a shorter one a single walker is as fast."""
_TRIES = 4
"""Number of places without a match after which the search ends."""
_UNEVEN = 2
"""Steps of the longest walk, for each that a walker takes through its share of the shortest records."""
_FEW, _REACH = 1 << 12, 1 << 16
"""Bytes that are searched for the likeness of the first record, at first and at most."""


def parallel_walk(form: WordForm, data: Bytes, offset: int, limit: int, stop: int) -> tuple[Int64s, int] | None:
    """The offsets of the records from `offset` up to `stop`, and the end of the last one.

    All of them are proven. A record that ends behind `limit` or has no sound word is left out, with everything
    behind it. None if a single walker is as fast, also because one of many would go most of the way.
    """
    last = min(limit - form.size, stop - 1) - offset
    if last < _LEAST_BYTES:
        return None
    begins = _begins(form, data, offset, last)
    if len(begins) < _WALKERS // 4:
        return None
    lengths = items(data, offset + form.length_at, last + 1, form.length_type)
    stops = np.append(begins[1:], last + 1)
    far = limit - offset + abs(form.uncounted) + 1  # any length above it leads behind the limit, too
    most = _UNEVEN * (last // (len(begins) * form.size) + 1)
    places, paths = begins, list[Int64s]()
    while (is_going := places < stops).any():
        if len(paths) == most:
            return None
        paths.append(places)
        # A walker that started wrong must still move on; it may end anywhere.
        lead = np.clip(lengths[np.minimum(places, last)].astype(np.int64), 0, far) + form.uncounted
        places = np.where(is_going, places + np.maximum(lead, form.size), places)
    has_arrived = places[:-1] == begins[1:]
    right = len(begins) if has_arrived.all() else int(has_arrived.argmin()) + 1
    found = np.array(paths).T[:right]
    starts, reached = found[found < stops[:right, None]], int(places[right - 1])
    is_sound = (lengths[starts] >= form.least) & (lengths[starts] <= form.most)
    if form.zero_type:
        is_sound &= items(data, offset + form.zero_at, last + 1, form.zero_type)[starts] == 0
    if not is_sound.all():
        count = int(is_sound.argmin())
        starts, reached = starts[:count], int(starts[count])
    elif reached > limit - offset:
        starts, reached = starts[:-1], int(starts[-1])
    return starts + offset, reached + offset


def _begins(form: WordForm, data: Bytes, offset: int, last: int) -> Int64s:
    """Places relative to `offset` that look like the start of the first record, beginning with that one."""
    behind = form.length_at + np.dtype(form.length_type).itemsize
    like = data[offset + behind : offset + form.size + form.alike].tobytes()
    places = {0}
    for number in range(1, _WALKERS):
        near = offset + last * number // _WALKERS
        found = _find(data, like, near, min(near + _REACH, offset + last))
        if found >= 0:
            places.add(found - behind - offset)
        elif number == _TRIES and len(places) == 1:
            break  # these records do not begin alike
    return np.array(sorted(place for place in places if place >= 0), np.int64)


def _find(data: Bytes, like: bytes, start: int, end: int) -> int:
    """As bytes.find: most records begin alike at once, so few bytes are copied for the search."""
    for size in (_FEW, end - start):
        found = data[start : min(start + size, end)].tobytes().find(like)
        if found >= 0:
            return start + found
    return -1


def items(data: Bytes, start: int, count: int, type_: str) -> npt.NDArray[np.unsignedinteger]:
    """`count` numbers of a type, one at every byte from `start` on, whatever their alignment."""
    return np.ndarray((count,), type_, data, start, (1,))
