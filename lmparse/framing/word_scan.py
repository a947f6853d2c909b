"""Scans from descriptor word to descriptor word; they return places of records and pieces as arrays."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lmparse.framing.descriptors import BlockDescriptor, WordForm, segment_codes
from lmparse.framing.extents import Handover
from lmparse.framing.windows import ExtentRun, array_of, joined
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Int64s

_SCAN_BYTES = 1 << 20
"""Bytes of the file scanned at a time; they limit the list of Python integers."""
_PARALLEL_BYTES = 1 << 23
"""Bytes of the file that a parallel walk scans at a time."""
_MARGIN = 1 << 6
"""Fewest bytes read behind a stretch, because the last word of a stretch may end there."""
_MISSES = 3
"""Consecutive stretches with a poor parallel walk after which a single walker takes over."""


def _walk(form: WordForm, view: memoryview, offset: int, limit: int, stop: int, starts: list[int]) -> int:
    """Go from word to word up to `stop`, append the offset of each word, and return the end of the last record.

    The walk ends in front of a record that ends behind `limit` or has no sound word.
    """
    # A loop with `unpack` is the fastest of those measured: a seventh of the time of `extents`. Reads
    # by `int.from_bytes` take three times as long, doubling pointers over all bytes in NumPy 11 times
    # for records of 70 bytes and over 40 times for 450, words checked afterwards as arrays 1.1 times or
    # more. See bench/scans.py.
    unpack, least, most, uncounted = form.struct.unpack_from, form.least, form.most, form.uncounted
    append = starts.append
    last = min(limit - form.struct.size, stop - 1)
    while offset <= last:
        length, unsound = unpack(view, offset)
        if unsound or length < least or length > most:
            break
        append(offset)
        offset += length + uncounted
    return starts.pop() if offset > limit else offset


def _walk_pieces(
    form: WordForm, view: memoryview, offset: int, limit: int, stop: int, starts: list[int], codes: list[int]
) -> int:
    """As `_walk`, with the segment code of each piece."""
    unpack, least, most, uncounted = form.struct.unpack_from, form.least, form.most, form.uncounted
    append, append_code = starts.append, codes.append
    last = min(limit - form.struct.size, stop - 1)
    while offset <= last:
        length, code, unsound = unpack(view, offset)
        if unsound or length < least or length > most:
            break
        append(offset)
        append_code(code)
        offset += length + uncounted
    if offset > limit:
        codes.pop()
        return starts.pop()
    return offset


@lru_cache(1 << 14)
def _block_length(block: BlockDescriptor, word: bytes) -> int | None:
    """Length of a block by its first bytes; None if they are not a BDW."""
    return block.length(word) if len(word) == block.size else None


@dataclass(slots=True)
class _Scan:
    """A scan through sound descriptor words, block by block if there are blocks.

    The scan starts between two records, or at a block.
    """

    form: WordForm
    block: BlockDescriptor | None
    """The word in front of each block, or None."""
    is_spanned: bool
    buffer: Buffer
    offset: int
    """Offset up to which all words are sound."""
    end: int
    limit: int
    """End of the current block."""
    base: int = 0
    """Offset of `data` in the file."""
    data: Bytes = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Bytes of the file around `offset`."""
    starts: list[int] = field(default_factory=list)
    """Offsets in `data` of the words in the last stretch."""
    codes: list[int] = field(default_factory=list)
    """Segment codes of the words in the last stretch, if words have codes."""
    words: int = 0
    """Number of words before the last stretch."""
    blocks: list[tuple[int, int]] = field(default_factory=list)
    """The block at the start of the last stretch, and blocks that begin in it: offset, number of words before."""
    misses: int = 0
    """Number of consecutive poor parallel walks."""
    closed: list[tuple[int, int]] = field(default_factory=list)
    """Ends of chains of words in the last stretch: number of words up to the end, and offset of the end in `data`."""

    def stretches(self) -> Iterator[tuple[Int64s, Int64s]]:
        """Yield the offsets of words and the ends of their records, stretch by stretch."""
        is_sound = True
        while is_sound and self.offset < self.end:
            self.words += len(self.starts)
            self.starts, self.codes, self.blocks, self.closed = [], [], self.blocks[-1:], []
            found = self._walk_in_parallel()
            if found is not None:
                yield found
                continue
            stop = self._load(_SCAN_BYTES)
            while is_sound and self.offset < stop:
                is_sound = self._advance(stop)
            if self.starts:
                starts = np.array(self.starts, np.int64)
                ends = np.append(starts[1:], 0)
                for count, end in self.closed:
                    ends[count - 1] = end
                yield starts + self.base, ends + self.base

    def _walk_in_parallel(self) -> tuple[Int64s, Int64s] | None:
        """Scan a longer stretch by a parallel walk; None if a single walker must scan."""
        if self.block is not None or self.is_spanned or self.misses >= _MISSES:
            return None
        stop, place = self._load(_PARALLEL_BYTES), self.offset - self.base
        found = parallel_walk(self.form, self.data, place, self.limit - self.base, stop - self.base)
        if found is None or not len(found[0]):
            self.misses += 1
            return None
        starts, reached = found[0] + self.base, found[1] + self.base
        self.misses = 0 if 2 * (reached - self.offset) > stop - self.offset else self.misses + 1
        self.words += len(starts)
        self.offset = reached
        return starts, np.append(starts[1:], reached)

    def _load(self, size: int) -> int:
        """Make `data` contain `size` bytes from `offset` on, or all up to `end`; return the end of these bytes."""
        stop = min(self.offset + size, self.end)
        # The length field may be anywhere in a record.
        top = min(stop + max(_MARGIN, self.form.struct.size), self.end)
        if self.offset < self.base or top > self.base + len(self.data):
            self.base, self.data = self.offset, array_of(self.buffer, self.offset, top, is_kept=True)
        return stop

    def _advance(self, stop: int) -> bool:
        """Scan the rest of the block, or up to `stop`; False at an unsound word."""
        if self.offset == self.limit and not self._enter():
            return False
        view, (place, limit, end) = self.data.data, (n - self.base for n in (self.offset, self.limit, stop))
        if self.is_spanned:
            reached = _walk_pieces(self.form, view, place, limit, end, self.starts, self.codes)
        else:
            reached = _walk(self.form, view, place, limit, end, self.starts)
        if reached > place:
            self.closed.append((len(self.starts), reached))
        self.offset = reached = reached + self.base
        return reached == self.limit or reached >= stop

    def _enter(self) -> bool:
        """Enter the next block, behind its BDW; False if the length of the block is unsound."""
        if self.block is None:
            return False
        size = self.block.size
        place = self.offset - self.base
        length = _block_length(self.block, self.data[place : place + size].tobytes())
        if length is None or length > self.end - self.offset:
            return False
        self.blocks.append((self.offset, self.words + len(self.starts)))
        self.limit = self.offset + length
        self.offset += size
        return True


def runs_of_records(
    form: WordForm, buffer: Buffer, start: int, end: int, index: int, block_word: BlockDescriptor | None
) -> Generator[ExtentRun, None, Handover]:
    """Yield unspanned records, as `Framing.runs` does."""
    is_blocked = block_word is not None
    scan = _Scan(form, block_word, False, buffer, start, end, start if is_blocked else end)
    for starts, ends in scan.stretches():
        offsets = starts + form.skip
        yield ExtentRun(offsets, ends - offsets, ends)
    count = scan.words + len(scan.starts)
    if is_blocked and scan.offset < scan.limit:
        block, before = scan.blocks[-1]
        return Handover(block, index + before, count - before)
    return Handover(scan.offset, index + count)


def runs_of_pieces(
    form: WordForm,
    buffer: Buffer,
    start: int,
    end: int,
    index: int,
    bounds: tuple[int, int],
    block_word: BlockDescriptor | None,
) -> Generator[ExtentRun, None, Handover]:
    """Yield records that may have several pieces, as `Framing.runs` does.

    The scan ends in front of a record with more bytes or pieces than `bounds`.
    """
    longest, most_pieces = bounds
    opening, closing = (np.isin(np.arange(256), [*codes]) for codes in segment_codes())
    is_blocked = block_word is not None
    scan = _Scan(form, block_word, True, buffer, start, end, start if is_blocked else end)
    place = Handover(start, index)
    none = np.zeros(0, np.int64)
    held = none, none, np.zeros(0, np.uint8)  # pieces of the incomplete record
    for starts, ends in scan.stretches():
        before = len(held[0])
        starts, ends = np.append(held[0], starts), np.append(held[1], ends)
        codes = np.append(held[2], np.array(scan.codes, np.uint8))
        opens, closes = opening[codes], closing[codes]
        if not np.array_equal(opens, np.append(True, closes[:-1])):
            return Handover(place.offset, place.index, index - place.index)
        ended = np.cumsum(closes)
        whole = int(np.flatnonzero(closes)[-1]) + 1 if ended[-1] else 0
        begins = starts[opens] + form.skip
        behind = np.append(ends[closes], ends[-1:]) if whole < len(ends) else ends[closes]
        pieces = np.diff(np.flatnonzero(opens), append=len(opens))
        if (behind - begins > longest).any() or (pieces > most_pieces).any():
            return Handover(place.offset, place.index, index - place.index)
        if is_blocked:
            # Reading may begin at a block only if no record continues in the block.
            for offset, count in reversed(scan.blocks):
                first = before + count - scan.words
                if 0 <= first < len(opens) and opens[first]:
                    place = Handover(offset, index + (int(ended[first - 1]) if first else 0))
                    break
        if whole:
            yield joined(starts[:whole] + form.skip, ends[:whole], ~opens[:whole])
            index += int(ended[-1])
        held = starts[whole:], ends[whole:], codes[whole:]
        if not is_blocked:
            place = Handover(int(held[0][0]) if len(held[0]) else scan.offset, index)
    if scan.offset == end and not len(held[0]):
        return Handover(end, index)
    return Handover(place.offset, place.index, index - place.index)


_WALKERS = 256
_LEAST_BYTES = 1 << 18
"""Bytes of the shortest stretch for a parallel walk; a single walker is as fast in shorter stretches."""
_TRIES = 4
"""Places without a match after which the search ends."""
_UNEVEN = 2
"""Steps of the longest walk, per step that a walker needs through its share of the shortest records."""
_FEW, _REACH = 1 << 12, 1 << 16
"""Bytes searched for the likeness of the first record, at first and at most."""


def parallel_walk(form: WordForm, data: Bytes, offset: int, limit: int, stop: int) -> tuple[Int64s, int] | None:
    """The offsets of the records from `offset` up to `stop`, and the end of the last record.

    Some hundred walkers start at once, at places that look like the start of the first record. The first walker is
    right. A right walker that arrives exactly at the start of the next walker proves that walker right. The result ends
    in front of a record that ends behind `limit` or has no sound word. None if a single walker is as fast, because
    records look unlike each other or one walker would go most of the way.
    """
    last = min(limit - form.size, stop - 1) - offset
    if last < _LEAST_BYTES:
        return None
    begins = _begins(form, data, offset, last)
    if len(begins) < _WALKERS // 4:
        return None
    lengths = items(data, offset + form.length_at, last + 1, form.length_type)
    stops = np.append(begins[1:], last + 1)
    far = limit - offset + abs(form.uncounted) + 1  # all greater lengths lead behind the limit, too
    most = _UNEVEN * (last // (len(begins) * form.size) + 1)
    places, paths = begins, list[Int64s]()
    while (is_going := places < stops).any():
        if len(paths) == most:
            return None
        paths.append(places)
        # A wrong walker must also move on; it may end anywhere.
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
    """Places relative to `offset` that look like the start of the first record; the first place is that record."""
    behind = form.length_at + np.dtype(form.length_type).itemsize
    like = data[offset + behind : offset + form.size + form.alike].tobytes()
    places = {0}
    for number in range(1, _WALKERS):
        near = offset + last * number // _WALKERS
        found = _find(data, like, near, min(near + _REACH, offset + last))
        if found >= 0:
            places.add(found - behind - offset)
        elif number == _TRIES and len(places) == 1:
            break  # these records begin differently
    return np.array(sorted(place for place in places if place >= 0), np.int64)


def _find(data: Bytes, like: bytes, start: int, end: int) -> int:
    """As `bytes.find`. Most searches end within a few bytes, so few bytes are copied at first."""
    for size in (_FEW, end - start):
        found = data[start : min(start + size, end)].tobytes().find(like)
        if found >= 0:
            return start + found
    return -1


def items(data: Bytes, start: int, count: int, type_: str) -> npt.NDArray[np.unsignedinteger]:
    """`count` overlapping numbers of a type, one at every byte from `start` on, whatever their alignment."""
    return np.ndarray((count,), type_, data, start, (1,))
