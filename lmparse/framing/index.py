"""Index: where the records of a stretch of a file stand, as arrays, without an object for each."""

from __future__ import annotations

import mmap
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from struct import Struct

import numpy as np
import numpy.typing as npt

from lmparse.errors import FramingError, LmparseError
from lmparse.framing.descriptors import block_descriptor, descriptor, own_length
from lmparse.framing.framings import PREFIXED, Framing, RecordExtent, Span
from lmparse.framing.parallel_walk import Step, items, parallel_walk
from lmparse.spec.catalog import number_struct
from lmparse.storage.buffers import Buffer

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

MAX_RECORDS = 1 << 13
MAX_BYTES = 1 << 23
_SCAN_BYTES = 1 << 20
"""Bytes of the file that are scanned at a time; bounds the list of Python integers."""
_RELEASE_BYTES = 1 << 24
"""Bytes of a mapped file that are given back at a time."""
_LEAP_BYTES = 1 << 23
"""The same of many walkers."""
_MISSES = 3
"""After so many stretches in a row in which many walkers did not get far, one goes alone."""
_MOST = (1 << 63) - 1
"""Limit of a length that has none."""
_SPANNED = ("vbs", "bdw-vbs")
_BLOCKED = ("bdw", "bdw-vbs")


def _none() -> Places:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Window:
    """Records that follow one another in a file. All arrays have one entry a record but `data`."""

    first_index: int
    """Number of its first record in the file."""
    data: Bytes
    """The bytes the records stand in, read only: a view of the file, or a copy when one of the
    records is spanned; then the descriptor words between its pieces are left out."""
    starts: Places
    """Where each record begins in `data`; ascending. An empty record may begin at its end."""
    lengths: Places
    """Bytes of each record, without descriptor words."""
    offsets: Places
    """Offset of the first byte of each record in the file, as `Frame.offset`."""
    gap_starts: Places = field(default_factory=_none)
    gap_ends: Places = field(default_factory=_none)
    """Where in the file something stands between two pieces of one record, over all records."""

    def __len__(self) -> int:
        return len(self.starts)

    def behind(self, number: int) -> Window:
        """The same without the first `number` records."""
        return Window(
            self.first_index + number, self.data, self.starts[number:], self.lengths[number:], self.offsets[number:],
            self.gap_starts, self.gap_ends,
        )  # fmt: skip

    def extent(self, number: int) -> RecordExtent:
        """One of the records, 0 being the first; reading goes on behind it nowhere."""
        start, left = int(self.offsets[number]), int(self.lengths[number])
        pieces = []
        for gap in range(int(np.searchsorted(self.gap_starts, start)), len(self.gap_starts)):
            size = int(self.gap_starts[gap]) - start
            if size >= left:
                break
            pieces.append((start, size))
            start, left = int(self.gap_ends[gap]), left - size
        return RecordExtent(self.first_index + number, (*pieces, (start, left)), None)


@dataclass(frozen=True, slots=True)
class _Run:
    """Records that follow one another. Offsets in the file; all arrays ascend but `lengths`."""

    offsets: Places = field(default_factory=_none)
    lengths: Places = field(default_factory=_none)
    ends: Places = field(default_factory=_none)
    """Behind the last byte of each record."""
    gap_starts: Places = field(default_factory=_none)
    """What stands between two pieces of one record, over all records."""
    gap_ends: Places = field(default_factory=_none)

    def then(self, other: _Run) -> _Run:
        """These records and others behind them."""
        if not len(self.offsets):
            return other
        return _Run(
            np.concatenate((self.offsets, other.offsets)),
            np.concatenate((self.lengths, other.lengths)),
            np.concatenate((self.ends, other.ends)),
            np.concatenate((self.gap_starts, other.gap_starts)),
            np.concatenate((self.gap_ends, other.gap_ends)),
        )

    def part(self, first: int, behind: int) -> _Run:
        """Some of its records."""
        if first == behind:
            return _Run()
        offsets, ends = self.offsets[first:behind], self.ends[first:behind]
        gaps = slice(*np.searchsorted(self.gap_starts, (offsets[0], ends[-1])))
        return _Run(offsets, self.lengths[first:behind], ends, self.gap_starts[gaps], self.gap_ends[gaps])

    def behind(self, first: int, max_records: int, max_bytes: int) -> int:
        """Number behind the last record that fits in a window with record `first`."""
        fitting = int(np.searchsorted(self.ends, self.offsets[first] + max_bytes, side="right"))
        return min(max(fitting, first + 1), first + max(max_records, 1))

    def window(self, whole: Bytes, index: int) -> Window:
        """The window of these records, the first being number `index` of the file."""
        low, high = int(self.offsets[0]), int(self.ends[-1])
        if not len(self.gap_starts):
            return Window(index, whole[low:high], self.offsets - low, self.lengths, self.offsets)
        kept = zip((low, *self.gap_ends.tolist()), (*self.gap_starts.tolist(), high), strict=True)
        data = np.concatenate([whole[start:end] for start, end in kept])
        data.flags.writeable = False
        left_out = np.concatenate(([0], np.cumsum(self.gap_ends - self.gap_starts)))
        # A gap that begins where a record does is behind the record's empty first piece.
        starts = self.offsets - low - left_out[np.searchsorted(self.gap_starts, self.offsets)]
        return Window(index, data, starts, self.lengths, self.offsets, self.gap_starts, self.gap_ends)


def windows(
    framing: Framing,
    buffer: Buffer,
    start: int = 0,
    end: int | None = None,
    first_index: int = 0,
    max_records: int = MAX_RECORDS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[Window]:
    """The records that `framing.frames(buffer, start, end, first_index)` gives, many at a time.

    A window has at most `max_records` records, which stand in at most `max_bytes` bytes of the
    file, but always one. Raises what `frames` raises, behind the last window of good records.

    Memory is constant: of a mapped file, pages behind the current window are given back now and
    then while the next one is asked for. Arrays that are kept stay valid.
    """
    stop = len(buffer) if end is None else end
    if start >= stop:
        return
    whole = np.frombuffer(buffer, np.uint8)
    whole.flags.writeable = False
    release = _Release(buffer, start)
    runs = _runs(framing, buffer, start, stop, first_index)
    held = _Run()
    index = first_index
    fault: LmparseError | None = None
    is_last = False
    while not is_last:
        try:
            held = held.then(next(runs))
        except StopIteration:
            is_last = True
        except LmparseError as error:
            fault, is_last = error, True
        place, count = 0, len(held.offsets)
        while place < count:
            behind = held.behind(place, max_records, max_bytes)
            if behind >= count and not is_last:
                break
            behind = min(behind, count)
            release.up_to(int(held.offsets[place]))
            yield held.part(place, behind).window(whole, index)
            index += behind - place
            place = behind
        held = held.part(place, count)
    if fault is not None:
        raise fault


def spans(framing: Framing, buffer: Buffer, max_bytes: int) -> list[Span]:
    """As `framing.spans`, some thousand records at a time where every record can be read from its start on."""
    if framing.name == "glued" or framing.name in (*_BLOCKED, *_SPANNED):
        return framing.spans(buffer, max_bytes)
    skip = 0 if framing.name == "fixed" else _word(framing).skip
    found: list[Span] = []
    start, first = 0, 0
    try:
        for window in windows(framing, buffer):
            while (number := int(np.searchsorted(window.offsets, start + max_bytes + skip))) < len(window):
                found.append(Span(start, int(window.offsets[number]) - skip, first))
                start, first = int(window.offsets[number]) - skip, window.first_index + number
    except FramingError:
        pass
    return [*found, Span(start, len(buffer), first)]


class _Release:
    """Gives pages of a mapped file back, so that resident memory does not grow with the file."""

    def __init__(self, buffer: Buffer, start: int) -> None:
        self._map: mmap.mmap | None = None
        if isinstance(buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and memoryview(buffer).readonly:
            # A private map that was written to would lose what was written.
            self._map = buffer
        self._done = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE

    def up_to(self, offset: int) -> None:
        """Give back what lies before `offset`, when it is much."""
        if self._map is not None and offset - self._done >= _RELEASE_BYTES:
            size = (offset - self._done) // mmap.PAGESIZE * mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, self._done, size)
            self._done += size


@dataclass(frozen=True, slots=True)
class _Place:
    """Where `frames` takes over from a scan."""

    offset: int
    index: int
    """Number of the record there."""
    given: int
    """How many of the records from there were given already."""


def _runs(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[_Run]:
    """The records by a scan as far as it goes, the rest by `frames`.

    A scan stops at the first thing that is not as it should be; `frames` says what is wrong there.
    """
    place = _Place(start, index, 0)
    if start >= 0 and end <= len(buffer):
        if framing.name == "fixed":
            place = yield from _fixed(framing, start, end, index)
        elif framing.name in _SPANNED:
            place = yield from _spanned(framing, buffer, start, end, index)
        elif framing.name != "glued":
            place = yield from _whole(framing, buffer, start, end, index)
    yield from _by_extents(framing, buffer, end, place)


def _by_extents(framing: Framing, buffer: Buffer, end: int, place: _Place) -> Iterator[_Run]:
    extents = islice(framing.extents(buffer, place.offset, end, place.index), place.given, None)
    fault: LmparseError | None = None
    while fault is None:
        batch: list[RecordExtent] = []
        try:
            for extent in islice(extents, MAX_RECORDS):
                batch.append(extent)  # one by one, so that those before an error are kept
        except LmparseError as error:
            fault = error
        if batch:
            pieces = [(piece, number > 0) for extent in batch for number, piece in enumerate(extent.pieces)]
            places = np.array([piece for piece, _ in pieces], np.int64)
            continues = np.array([continues for _, continues in pieces], np.bool_)
            yield _joined(places[:, 0], places.sum(1), continues)
        elif fault is None:
            return
    raise fault


def _joined(starts: Places, ends: Places, continues: npt.NDArray[np.bool_]) -> _Run:
    """Records from their pieces: where the bytes of each start and end, and which ones go on with a record."""
    offsets = starts[~continues]
    record_ends = ends[~np.append(continues[1:], False)]
    if len(offsets) == len(starts):
        return _Run(offsets, record_ends - offsets, record_ends)
    gap_starts, gap_ends = ends[:-1][continues[1:]], starts[1:][continues[1:]]
    sizes = np.where(continues, starts - np.append(starts[:1], ends[:-1]), 0)
    lengths = record_ends - offsets - np.add.reduceat(sizes, np.flatnonzero(~continues))
    return _Run(offsets, lengths, record_ends, gap_starts, gap_ends)


# scans


@dataclass(frozen=True, slots=True)
class _Word:
    """The descriptor word in front of each record or piece, as a scan needs it. Sizes in bytes."""

    struct: Struct
    """Gives the length, for pieces their code, then what is false when the word is sound."""
    least: int
    most: int
    """Limits of the length."""
    skip: int
    """From the start of the word to the first byte of the record."""
    uncounted: int
    """What the length does not count."""
    step: Step
    """The same for many walkers."""


def _word(framing: Framing) -> _Word:
    if framing.name in PREFIXED:
        own = own_length(framing.name, framing.byte_order or "")
        form = number_struct(own.spec.layout["length"], framing.byte_order or "").format
        size = own.prefix + Struct(form).size
        step = Step(own.prefix, f"{form[0]}u{Struct(form).size}", 0, "", size, own.prefix, own.least, _MOST)
        return _Word(Struct(f"{form[0]}{own.prefix}x{form[1:]}0s"), own.least, _MOST, own.prefix, own.prefix, step)
    word = descriptor("zos_sdw" if framing.name in _SPANNED else "zos_zosmf" if framing.name == "zosmf" else "zos_rdw")
    length = word.spec.layout["length"]
    # Words of a length alone get a value of no bytes, which is false.
    struct = word.struct if len(word.spec.layout.fields) > 1 else Struct(word.struct.format + "0s")
    uncounted = word.size if framing.name == "zosmf" else 0
    least, most = length.minimum or 0, _MOST if length.maximum is None else length.maximum
    others = [entry for entry in word.spec.layout if entry is not length]
    zero = (others[-1].offset or 0, f">u{others[-1].width}") if others else (0, "")
    step = Step(length.offset or 0, f">u{length.width}", *zero, word.size, uncounted, least, most)
    return _Word(struct, least, most, word.size, uncounted, step)


def _walk(word: _Word, view: memoryview, offset: int, limit: int, stop: int, starts: list[int]) -> int:
    """Go from word to word up to `stop`, adding where each stands; gives where the last record ends.

    What ends behind `limit`, or has no sound word, is left out.
    """
    # A loop that unpacks is the fastest of those measured, at a seventh of what `frames` takes. Reads
    # by `int.from_bytes` take three times as long, doubling pointers over all bytes in NumPy 11 times
    # for records of 70 bytes and over 40 times for 450, words checked afterwards as arrays 1.1 times or
    # more. A memoryview is a little faster to unpack from than a mapped file. See bench/scans.py.
    unpack, least, most, uncounted = word.struct.unpack_from, word.least, word.most, word.uncounted
    append = starts.append
    last = min(limit - word.struct.size, stop - 1)
    while offset <= last:
        length, unsound = unpack(view, offset)
        if unsound or length < least or length > most:
            break
        append(offset)
        offset += length + uncounted
    return starts.pop() if offset > limit else offset


def _walk_pieces(
    word: _Word, view: memoryview, offset: int, limit: int, stop: int, starts: list[int], codes: list[int]
) -> int:
    """As `_walk`, with the segment code of each piece."""
    unpack, least, most = word.struct.unpack_from, word.least, word.most
    append, append_code = starts.append, codes.append
    last = min(limit - word.struct.size, stop - 1)
    while offset <= last:
        length, code, unsound = unpack(view, offset)
        if unsound or length < least or length > most:
            break
        append(offset)
        append_code(code)
        offset += length
    if offset > limit:
        codes.pop()
        return starts.pop()
    return offset


@lru_cache(1 << 14)
def _block_length(word: bytes) -> int | None:
    """Length of the block behind these bytes; None when they are no descriptor word."""
    try:
        return block_descriptor().read(word, 0, len(word), 0)
    except FramingError:
        return None


@dataclass(slots=True)
class _Scan:
    """Goes through descriptor words, block by block where there are blocks, while they are sound."""

    framing: Framing
    view: memoryview
    offset: int
    """Up to here all is sound."""
    end: int
    limit: int
    """Where the current block ends."""
    starts: list[int] = field(default_factory=list)
    """Of the words in the last stretch."""
    codes: list[int] = field(default_factory=list)
    """Segment codes, where words have one."""
    words: int = 0
    """How many words were found before the last stretch."""
    blocks: list[tuple[int, int]] = field(default_factory=list)
    """The block at the start of the last stretch and those that begin in it: offset, words before it."""
    misses: int = 0
    """How often in a row many walkers did not get far."""
    closed: list[tuple[int, int]] = field(default_factory=list)
    """Where the words do not follow one another: their number, where the last of them ends."""

    @classmethod
    def of(cls, framing: Framing, buffer: Buffer, start: int, end: int) -> _Scan:
        """A scan that starts between two records, or at a block."""
        return cls(framing, memoryview(buffer), start, end, start if framing.name in _BLOCKED else end)

    def stretches(self, word: _Word) -> Iterator[tuple[Places, Places]]:
        """Where words start and what they are of ends, some at a time."""
        is_sound = True
        while is_sound and self.offset < self.end:
            self.words += len(self.starts)
            self.starts, self.codes, self.blocks, self.closed = [], [], self.blocks[-1:], []
            found = self._walk_in_parallel(word)
            if found is not None:
                yield found
                continue
            stop = min(self.offset + _SCAN_BYTES, self.end)
            while is_sound and self.offset < stop:
                is_sound = self._advance(word, stop)
            if self.starts:
                starts = np.array(self.starts, np.int64)
                ends = np.append(starts[1:], 0)
                for count, end in self.closed:
                    ends[count - 1] = end
                yield starts, ends

    def _walk_in_parallel(self, word: _Word) -> tuple[Places, Places] | None:
        """A longer stretch by many walkers; None where one has to go."""
        if self.framing.name in (*_BLOCKED, *_SPANNED) or self.misses >= _MISSES:
            return None
        stop = min(self.offset + _LEAP_BYTES, self.end)
        found = parallel_walk(word.step, self.view.obj, self.offset, self.limit, stop)  # type: ignore[arg-type]
        if found is None or not len(found[0]):
            self.misses += 1
            return None
        starts, reached = found
        self.misses = 0 if 2 * (reached - self.offset) > stop - self.offset else self.misses + 1
        self.words += len(starts)
        self.offset = reached
        return starts, np.append(starts[1:], reached)

    def _advance(self, word: _Word, stop: int) -> bool:
        """Take the rest of the block, or up to `stop`; False when something is not sound."""
        if self.offset == self.limit and not self._enter():
            return False
        if self.framing.name in _SPANNED:
            reached = _walk_pieces(word, self.view, self.offset, self.limit, stop, self.starts, self.codes)
        else:
            reached = _walk(word, self.view, self.offset, self.limit, stop, self.starts)
        if reached > self.offset:
            self.closed.append((len(self.starts), reached))
        self.offset = reached
        return reached == self.limit or reached >= stop

    def _enter(self) -> bool:
        """Go behind the word of the next block."""
        size = block_descriptor().size
        length = _block_length(self.view[self.offset : self.offset + size].tobytes())
        if length is None or length > self.end - self.offset:
            return False
        self.blocks.append((self.offset, self.words + len(self.starts)))
        self.limit = self.offset + length
        self.offset += size
        return True


def _fixed(framing: Framing, start: int, end: int, index: int) -> Generator[_Run, None, _Place]:
    length = framing.record_length or 0
    while end - start >= length:
        count = min((end - start) // length, MAX_RECORDS)
        offsets = np.arange(count, dtype=np.int64) * length + start
        yield _Run(offsets, np.full(count, length, np.int64), offsets + length)
        start += count * length
        index += count
    return _Place(start, index, 0)


def _whole(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Generator[_Run, None, _Place]:
    """Records in one piece."""
    word = _word(framing)
    scan = _Scan.of(framing, buffer, start, end)
    for starts, ends in scan.stretches(word):
        offsets = starts + word.skip
        yield _Run(offsets, ends - offsets, ends)
    count = scan.words + len(scan.starts)
    if framing.name in _BLOCKED and scan.offset < scan.limit:
        block, before = scan.blocks[-1]
        return _Place(block, index + before, count - before)
    return _Place(scan.offset, index + count, 0)


def _spanned(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Generator[_Run, None, _Place]:
    """Records that may be in several pieces."""
    word = _word(framing)
    opening, closing = _codes()
    scan = _Scan.of(framing, buffer, start, end)
    place = _Place(start, index, 0)
    held = (_none(), _none(), np.zeros(0, np.uint8))  # pieces of the record that is not whole yet
    for starts, ends in scan.stretches(word):
        before = len(held[0])
        starts, ends = np.append(held[0], starts), np.append(held[1], ends)
        codes = np.append(held[2], np.array(scan.codes, np.uint8))
        opens, closes = opening[codes], closing[codes]
        if not np.array_equal(opens, np.append(True, closes[:-1])):
            return _Place(place.offset, place.index, index - place.index)
        ended = np.cumsum(closes)
        whole = int(np.flatnonzero(closes)[-1]) + 1 if ended[-1] else 0
        if framing.name in _BLOCKED:
            # Reading may begin at a block only when no record goes on in it.
            for offset, count in reversed(scan.blocks):
                first = before + count - scan.words
                if 0 <= first < len(opens) and opens[first]:
                    place = _Place(offset, index + (int(ended[first - 1]) if first else 0), 0)
                    break
        if whole:
            yield _joined(starts[:whole] + word.skip, ends[:whole], ~opens[:whole])
            index += int(ended[-1])
        held = starts[whole:], ends[whole:], codes[whole:]
        if framing.name not in _BLOCKED:
            place = _Place(int(held[0][0]) if len(held[0]) else scan.offset, index, 0)
    if scan.offset == end and not len(held[0]):
        return _Place(end, index, 0)
    return _Place(place.offset, place.index, index - place.index)


def _codes() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether a piece begins a record, and whether it ends one, by its segment code."""
    codes = descriptor("zos_sdw").spec.enum("segment_code")
    opening, closing = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
    opening[[codes["complete"], codes["first"]]] = True
    closing[[codes["complete"], codes["last"]]] = True
    return opening, closing


def sound_words(framing: Framing, buffer: Buffer, start: int, end: int, most: int, prefetched: int = 0) -> list[int]:
    """Offsets from `start` up to `end` at which a record or piece of at most `most` bytes could begin.

    A sound descriptor word stands there, and `ahead` others behind it as far as `most` bytes behind
    `end` are enough to tell; all of that may be chance. Not for `glued` and `fixed`, which have none.
    """
    step = _word(framing).step
    count = min(end + most, len(buffer) - step.size + 1) - start
    if count <= 0:
        return []
    lengths = items(buffer, start + step.length_at, count, step.length_type)
    is_sound = (lengths >= step.least) & (lengths <= min(step.most, most))
    if step.zero_type:
        is_sound &= items(buffer, start + step.zero_at, count, step.zero_type) == 0
    found = np.flatnonzero(is_sound[: end - start])
    places = found.copy()
    for _ in range(prefetched):
        places += np.where(places < count, lengths[np.minimum(places, count - 1)].astype(np.int64) + step.uncounted, 0)
        is_kept = (places >= count) | is_sound[np.minimum(places, count - 1)]
        found, places = found[is_kept], places[is_kept]
    offsets: list[int] = (found + start).tolist()
    return offsets
