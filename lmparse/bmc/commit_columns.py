"""Commit columns: changes in the order of commits, column-wise.

One pass over the headers keeps the sort key and the place of each wanted change as arrays. Then records are gathered in
that order, some thousand at a time, and read like those of a file. Segments, spanned records and records with a bad
header are kept as objects and read one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from lmparse.bmc import order
from lmparse.bmc.change_columns import ChangeColumns
from lmparse.bmc.change_headers import ChangeHeaders, HeaderRows
from lmparse.bmc.log import LogicalLog
from lmparse.changes.change import Change
from lmparse.changes.column_reader import LeftOut
from lmparse.changes.version_batches import VersionBatch
from lmparse.columnar import arrays
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import MAX_BYTES, MAX_RECORDS, Gathered, Window
from lmparse.limits import Held
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_KEY_BYTES = 160
"""Bytes of memory of the key and the place of a change, and of sorting them."""
_NOT_KEPT = -1
_NEAR = 1 << 13
"""Bytes between two records that are read: the records of a window may be all over the file."""
Kept = tuple[int, list[RecordExtent]]
"""Number of a change among those with its position, and its extents."""


@dataclass(frozen=True, slots=True)
class CommitWindow(Window):
    """Changes that follow one another in the order of commits; those in `kept` have no bytes here."""

    indexes: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of each record in the file."""
    ordinals: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    kept: tuple[Kept | None, ...] = ()

    def behind(self, number: int) -> CommitWindow:
        """The window without its first `number` records."""
        return replace(
            self, starts=self.starts[number:], lengths=self.lengths[number:], offsets=self.offsets[number:],
            indexes=self.indexes[number:], ordinals=self.ordinals[number:], kept=self.kept[number:],
        )  # fmt: skip

    def extent(self, number: int) -> RecordExtent:
        """The extent of one record that is not kept."""
        return RecordExtent(int(self.indexes[number]), ((int(self.offsets[number]), int(self.lengths[number])),), None)

    def numbers_in_file(self, which: Int64s | None = None) -> Int64s:
        """The number of each record in the file, or of some of them."""
        return self.indexes if which is None else self.indexes[which]

    def change(self, number: int) -> Kept:
        """The extents of one change."""
        return self.kept[number] or (int(self.ordinals[number]), [self.extent(number)])


class CommitColumns(ChangeColumns):
    """Reads the changes of one log column-wise, in the order of commits."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        log = self.log
        log.check_changes()
        log.keeps_bad_records = log.options.mode == "permissive"
        places = _Places(log)
        places.find(span or Span(0, len(log.buffer), 0))
        yield self._fallback_batches(self._fallback_rows(0, None))
        for window in places.windows():
            self._ordinals = window.ordinals
            yield from self._read_window(window)
        yield self._fallback_batches(self._fallback_rows(0, None))

    def _change(self, window: Window, number: int) -> Change | None:
        assert isinstance(window, CommitWindow)
        return self.log.change_of(self.log.joined_again(*window.change(number)))


class _Places:
    """Sort keys and places of the wanted changes of a log."""

    def __init__(self, log: LogicalLog) -> None:
        self._log = log
        self._headers = ChangeHeaders(log, None, (), has_columns=False)
        self._held, self._joiner = Held(log.options.bounds), log.joiner(only_wanted=True)
        self._keys: list[Bytes] = []
        """(n, width) bytes that sort as the changes do; the last ones are those of the number of the record."""
        self._places: list[Int64s] = []
        """(n, 5), for each key: offset, length, ordinal, number among `_kept` or _NOT_KEPT, bytes of its records."""
        self._kept: list[Kept] = []

    def find(self, span: Span) -> None:
        """One pass over the headers; reports bad records. Raises FileLimitError LMP-L004, FramingError."""
        log, runs = self._log, self._log.position_runs()
        self._joiner = log.joiner(span, only_wanted=True)
        if not len(log.buffer):
            next(log.extents(span), None)  # adds the notice of an empty file
        for window in log.windows(span):
            self._take(window, runs.numbers(window))

    def _take(self, window: Window, ordinals: Int64s) -> None:
        """The wanted changes of a window; those that are excluded before an error are counted."""
        found, is_other = self._headers.decode(window, ordinals)
        is_spanned = are_spanned(window)[found.numbers]
        is_other[found.numbers[is_spanned]] = True
        left_out: list[LeftOut] = []
        found = self._headers.select(found.part(~is_spanned), left_out)
        reached = 0
        try:
            for number in np.flatnonzero(is_other).tolist():
                reached = number
                self._take_one(window.extent(number), int(ordinals[number]))
            reached = len(window)
            self._add_regular(found)
        finally:
            for why, numbers in left_out:
                if count := int(np.searchsorted(numbers, reached)):
                    self._log.left_out[why] += count

    def _add_regular(self, found: HeaderRows) -> None:
        count, window = len(found.numbers), found.window
        if not count:
            return
        last = window.extent(int(found.numbers[-1]))
        self._hold(_KEY_BYTES * count, last)
        indexes = (window.first_index + found.numbers).astype(">u8").view(np.uint8).reshape(count, -1)
        self._keys.append(np.concatenate([self._headers.sort_keys(found), indexes], axis=1))
        offsets, lengths = window.offsets[found.numbers], window.lengths[found.numbers]
        self._places.append(np.stack([offsets, lengths, found.ordinals, np.full(count, _NOT_KEPT), lengths], axis=1))

    def _take_one(self, extent: RecordExtent, ordinal: int) -> None:
        log = self._log
        joined = log.next_change(self._joiner, extent, ordinal)
        if joined is None or not log.is_wanted(joined):
            return
        last = joined.extent
        self._hold(_KEY_BYTES + order.EXTENT_BYTES * len(joined.extents), last)
        commit, unit, seq = order.commit_key(joined)
        key = bytes.fromhex(commit + unit + seq[len(commit) :]) + last.index.to_bytes(8, "big")
        self._keys.append(np.frombuffer(key, np.uint8)[None])
        size = sum(one.length for one in joined.extents)
        self._places.append(np.array([[last.offset, 0, joined.ordinal, len(self._kept), size]]))
        self._kept.append((joined.ordinal, joined.extents))

    def _hold(self, size: int, last: RecordExtent) -> None:
        self._held.take(size, file=self._log.path, record_index=last.index, record_offset=last.offset)

    def windows(self) -> Iterator[CommitWindow]:
        """The changes in order, some thousand at a time."""
        if not self._keys:
            return
        keys = np.concatenate(self._keys)
        self._keys.clear()
        places = np.concatenate(self._places)
        self._places.clear()
        sorting = np.argsort(keys.view(f"S{keys.shape[1]}")[:, 0], kind="stable")
        indexes = keys[:, -8:].copy().view(">u8")[:, 0].astype(np.int64)
        del keys
        begin = 0
        while begin < len(sorting):
            chosen = sorting[begin : begin + MAX_RECORDS]
            fitting = int(np.searchsorted(np.cumsum(places[chosen, -1]), MAX_BYTES, side="right"))
            chosen = chosen[: max(fitting, 1)]
            yield self._window(indexes[chosen], places[chosen])
            begin += len(chosen)

    def _window(self, indexes: Int64s, places: Int64s) -> CommitWindow:
        offsets, lengths, ordinals, numbers, _ = places.T
        kept = tuple(None if number == _NOT_KEPT else self._kept[number] for number in numbers.tolist())
        data = bytes_in_order(self._log.buffer, offsets, lengths)
        starts = np.cumsum(lengths) - lengths
        window = CommitWindow(0, data, starts, lengths, offsets, indexes=indexes, ordinals=ordinals, kept=kept)
        return self._log.extract.window(window)


def bytes_in_order(buffer: Buffer, offsets: Int64s, lengths: Int64s) -> Bytes:
    """Pieces of a file one behind the other."""
    gathered = Gathered(buffer, offsets, lengths, _NEAR)
    order = np.argsort(offsets, kind="stable")
    held = arrays.ragged_binary(gathered.data, gathered.places(offsets)[order], lengths[order])
    if (np.diff(order) != 1).any():
        held = held.take(pa.array(np.argsort(order)))
    data = held.buffers()[2]
    return np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)


def are_spanned(window: Window) -> Flags:
    """Which records have bytes between their pieces."""
    gaps = window.gap_starts
    if not len(gaps):
        return np.zeros(len(window), np.bool_)
    place = np.searchsorted(gaps, window.offsets)
    following = gaps[np.minimum(place, len(gaps) - 1)]
    found: Flags = (place < len(gaps)) & (following < window.offsets + window.lengths)
    return found
