"""Index: the records of a file as arrays, without an object for each record; spans; first records by header bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from lmparse.errors import FramingError, LmparseError
from lmparse.framing.base import Framing
from lmparse.framing.extents import Handover, RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS, ExtentRun, Window, joined
from lmparse.storage.buffers import Buffer
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Flags
from lmparse.values.distinct import Distinct


def windows(
    framing: Framing,
    buffer: Buffer,
    start: int = 0,
    end: int | None = None,
    first_index: int = 0,
    max_records: int = MAX_RECORDS,
    max_bytes: int = MAX_BYTES,
    lead: int = 0,
) -> Iterator[Window]:
    """Yield the records of `framing.extents(buffer, start, end, first_index)`, many at a time.

    A window has at most `max_records` records in at most `max_bytes` bytes of the file, but at least one record. The
    data begin with the `lead` bytes in front of the first record. Errors of `extents` are raised after the last window
    of good records.

    Memory is constant. Arrays that the caller keeps stay valid.
    """
    start, stop = framing.range_of(buffer, start, end)
    if start >= stop:
        return
    index = first_index
    for run in _filled(_runs(framing, buffer, start, stop, first_index), max_records, max_bytes):
        yield run.window(buffer, index, lead)
        index += len(run.offsets)


def _filled(runs: Iterator[ExtentRun], max_records: int, max_bytes: int) -> Iterator[ExtentRun]:
    """Yield the same records in runs of the size of a window; an error comes after all good records."""
    held = ExtentRun()
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
            yield held.part(place, behind)
            place = behind
        held = held.part(place, count)
    if fault is not None:
        raise fault


def spans(framing: Framing, buffer: Buffer, max_bytes: int) -> list[Span]:
    """The file in spans of about `max_bytes`, by descriptor words.

    The last span has everything from damaged framing on; reading this span reports the damage.
    """
    found: list[Span] = []
    start, first, index = 0, 0, 0
    try:
        begin, stop = framing.range_of(buffer)
        reached = begin  # the end of the previous record
        for run in _runs(framing, buffer, begin, stop, 0) if begin < stop else ():
            begins = np.append(reached, run.ends[:-1])
            numbers = np.arange(len(begins))
            if framing.is_blocked:  # reading begins at a block, and a block begins where a BDW is between two records
                is_first = run.offsets - framing.lead > begins
                begins, numbers = begins[is_first], numbers[is_first]
            while (place := int(np.searchsorted(begins, start + max(max_bytes, 1)))) < len(begins):
                found.append(Span(start, int(begins[place]), first))
                start, first = int(begins[place]), index + int(numbers[place])
            index, reached = index + len(run.offsets), int(run.ends[-1])
    except FramingError:
        pass
    return [*found, Span(start, len(buffer), first)]


def _runs(framing: Framing, buffer: Buffer, start: int, end: int, index: int) -> Iterator[ExtentRun]:
    """Yield the records as far as a scan gets, then the records of `extents`, which raises the error there."""
    handover = Handover(start, index)
    if start >= 0 and end <= len(buffer):
        handover = yield from framing.runs(buffer, start, end, index)
    extents = framing.extents(buffer, handover.offset, end, handover.index)
    yield from _by_extents(islice(extents, handover.given, None))


def _by_extents(extents: Iterator[RecordExtent]) -> Iterator[ExtentRun]:
    fault: LmparseError | None = None
    while fault is None:
        batch: list[RecordExtent] = []
        try:
            for extent in islice(extents, MAX_RECORDS):
                batch.append(extent)  # one by one, so that records before an error are kept
        except LmparseError as error:
            fault = error
        if batch:
            pieces = [(piece, number > 0) for extent in batch for number, piece in enumerate(extent.pieces)]
            places = np.array([piece for piece, _ in pieces], np.int64)
            continues = np.array([continues for _, continues in pieces], np.bool_)
            yield joined(places[:, 0], places.sum(1), continues)
        elif fault is None:
            return
    raise fault


Place = tuple[int, int]
"""Offset and width of a field, in bytes from the start of the record."""


def firsts(windows: Iterable[Window], places: Sequence[Place]) -> Iterator[RecordExtent]:
    """Yield the first record with each distinct value at `places`, and all records too short for `places`."""
    if not places:
        yield from (window.extent(0) for window in islice(windows, 1))
        return
    found = Distinct(sum(width for _, width in places))
    end = max(start + width for start, width in places)
    for window in windows:
        fits: Flags = window.lengths >= end
        known, starts = len(found), window.starts[fits]
        rows = [byte_arrays.take_rows(window.data, starts + start, width) for start, width in places]
        numbers = found.of(np.concatenate(rows, axis=1))
        is_first = ~fits
        for number in range(known, len(found)):
            is_first[np.flatnonzero(fits)[int((numbers == number).argmax())]] = True
        yield from map(window.extent, np.flatnonzero(is_first).tolist())
