"""Address ranges: where in each log stream a file of a Db2 LUW log begins and ends, by the addresses of its records.

Records without an address that can be relied on count with their length, in the log stream that their prefix states:
they may be damaged. Where that stream has no other record, neither in the file nor in those before, it is the one of
the nearest record that states its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lmparse.values.byte_arrays import Flags, Int64s, UInt64s, places_by_value

_HIGHEST = (1 << 64) - 1


@dataclass(frozen=True)
class AddressedRecords:
    """The records of a window, all of them, in the order of the log."""

    stream: Int64s
    address: UInt64s
    """That of the prefix, which may be damaged in those that are not placed; zero if it has none."""
    length: Int64s
    is_placed: Flags
    """Whether the header is sound, and position and address are stated."""


@dataclass
class AddressRanges:
    """Those of the log streams of a file."""

    begins: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream with a record that states its address."""
    ends: dict[int, int] = field(default_factory=dict)
    """Address behind the last one."""
    back: set[int] = field(default_factory=set)
    """Log streams in which a record is not behind the one before it, by their addresses."""
    _stray: dict[int, int] = field(default_factory=dict)
    """Bytes of the records of other log streams."""
    _stray_before: dict[int, int] = field(default_factory=dict)
    """Those of them in front of all records that state their address."""
    _stray_behind: dict[int, int] = field(default_factory=dict)
    _stated: dict[int, int] = field(default_factory=dict)
    """Address that the prefix of the first record of each log stream states, if that record is not among them."""
    _first: int = 0
    """Log stream of the first record that states its address."""
    _last: int = 0

    def add(self, found: AddressedRecords) -> None:
        """Add the records of the next window."""
        placed = np.flatnonzero(found.is_placed)
        if len(placed):
            if not self.ends:
                self._first = int(found.stream[placed[0]])
                self._count(self._stray_before, found, np.flatnonzero(~found.is_placed[: placed[0]]))
            self._last, self._stray_behind = int(found.stream[placed[-1]]), {}
        elif not self.ends:
            self._count(self._stray_before, found, np.arange(len(found.stream)))
        for stream, places in places_by_value(found.stream):
            self._add_stream(stream, found, places)
        behind = int(placed[-1]) + 1 if len(placed) else 0
        self._count(self._stray_behind, found, behind + np.flatnonzero(~found.is_placed[behind:]))

    @property
    def first_stream(self) -> int:
        """Log stream of the first record that states its address."""
        return self._first

    def begins_behind(self, ends: Mapping[int, int]) -> dict[int, int]:
        """Where each log stream begins, behind the ends of those of the files before.

        The length of a record without an address may be wrong too: it adjoins if its prefix says so.
        """
        found = self._moved(self.begins, self._first, self._stray_before, ends, -1)
        adjoining = {stream: end for stream, end in ends.items() if self._stated.get(stream) == end and stream in found}
        return found | adjoining

    def ends_behind(self, ends: Mapping[int, int]) -> dict[int, int]:
        """Where each log stream ends, also those of which there are only records without an address."""
        found = self._moved(self.ends, self._last, self._stray_behind, ends, 1)
        return found | {
            stream: min(ends[stream] + size, _HIGHEST)
            for stream, size in self._stray.items()
            if stream in ends and stream not in self.ends
        }

    def back_behind(self, ends: Mapping[int, int]) -> set[int]:
        """Log streams whose addresses go back, or begin in front of the ends of those of the files before."""
        begins = self.begins_behind(ends)
        return self.back | {stream for stream, begin in begins.items() if begin < ends.get(stream, 0)}

    def _moved(
        self, bounds: dict[int, int], nearest: int, stray: dict[int, int], ends: Mapping[int, int], sign: int
    ) -> dict[int, int]:
        size = sum(size for stream, size in stray.items() if stream not in self.ends and stream not in ends)
        if not size or nearest not in bounds:
            return dict(bounds)
        return bounds | {nearest: min(max(bounds[nearest] + sign * size, 0), _HIGHEST)}

    def _add_stream(self, stream: int, found: AddressedRecords, places: Int64s) -> None:
        """Add the records of one log stream."""
        lengths, placed = found.length[places], np.flatnonzero(found.is_placed[places])
        if stream not in self.ends and stream not in self._stray and not found.is_placed[places[0]]:
            self._stated[stream] = int(found.address[places[0]])
        if len(placed):
            first, last = int(placed[0]), int(placed[-1])
            before, behind = int(lengths[:first].sum()), int(lengths[last:].sum())
            addresses = found.address[places[placed]]
            if bool((addresses[1:] <= addresses[:-1]).any()) or int(addresses[0]) < self.ends.get(stream, 0):
                self.back.add(stream)
            if stream not in self.ends:
                before += self._stray.pop(stream, 0)
                self.begins[stream] = max(int(addresses[0]) - before, 0)
            self.ends[stream] = min(int(addresses[-1]) + behind, _HIGHEST)
        elif stream in self.ends:
            self.ends[stream] = min(self.ends[stream] + int(lengths.sum()), _HIGHEST)
        else:
            self._stray[stream] = self._stray.get(stream, 0) + int(lengths.sum())

    def _count(self, sizes: dict[int, int], found: AddressedRecords, places: Int64s) -> None:
        """Add the bytes of records without an address, by log stream."""
        for stream, which in places_by_value(found.stream[places]):
            sizes[stream] = sizes.get(stream, 0) + int(found.length[places[which]].sum())
