"""File ranges: the positions of the records of a file of a Db2 LUW log, from its record headers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lmparse.db2.address_ranges import AddressedRecords, AddressRanges
from lmparse.db2.links import Links, links_of
from lmparse.db2.order import Position
from lmparse.db2.record_column_reader import RecordColumnReader
from lmparse.db2.settings import find_log
from lmparse.errors import FramingError
from lmparse.framing import index
from lmparse.framing.windows import MAX_RECORDS
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import Flags, UInt64s


@dataclass(frozen=True)
class FileRange:
    """What a stretch of one file has of a log."""

    stretch: JoinedPiece
    first: Position
    last: Position
    addresses: AddressRanges
    sound_end: int
    """Offset behind the last record before damage."""
    fault: FramingError | None
    """The damage; None if there is none."""
    last_record: tuple[int, int] | None = None
    """Where the last record, with its prefix, begins and ends; None if that was not looked for."""
    unplaced_before: tuple[int, int] = (0, 0)
    """Records in front of the first one with a position, and their bytes with prefixes."""
    unplaced: tuple[int, int] | None = None
    """Number and offset of the first record with a sound header that states no position; None if there is none."""


def range_of(stretch: JoinedPiece, options: Options, settings: FileSettings) -> FileRange:
    """What a stretch of a file has of a log, up to damage, which is in it.

    Raises FramingError LMP-F013 if its records are not in order or none states its position, and for damage before the
    first record.
    """
    found = placed_range(stretch, options, settings)
    if found is None:
        raise not_one_log("no record states its position", stretch.path)
    return found


def placed_range(stretch: JoinedPiece, options: Options, settings: FileSettings) -> FileRange | None:
    """The same; None if no record has a sound header. One that has one, and states no position, is not passed over."""
    records, path, sound_end, links, addresses = 0, stretch.path, stretch.start, Links(), AddressRanges()
    fault: FramingError | None = None
    first: Position | None = None
    last: Position | None = None
    last_record: tuple[int, int] | None = None
    unplaced: tuple[int, int] | None = None
    windows = file_heads(stretch, options, settings)
    while True:
        try:
            heads = next(windows, None)
        except FramingError as error:
            error.at(file=path)
            fault = error
            break
        if heads is None:
            break
        records, sound_end = records + heads.count, heads.end
        links.then(heads.links)
        addresses.add(heads.addressed)
        unplaced = unplaced or heads.unplaced
        if not len(heads.lsn):
            continue
        if first is None:
            first = heads.position(0)
            before = int(heads.index[0]) - stretch.first_record, int(heads.start[0]) - stretch.start
        if (last is not None and heads.position(0) < last) or not heads.is_ascending:
            raise not_one_log("its records are not in the order of their positions", path)
        last, last_record = heads.position(-1), (int(heads.start[-1]), int(heads.behind[-1]))
    if first is None or last is None:
        if fault is not None:
            raise fault
        if unplaced is not None:
            raise not_one_log("no record states its position", path)
        return None
    is_gapless = bool(links.ends) and not links.apart
    found = replace(stretch, records=records, is_gapless=is_gapless)
    return FileRange(found, first, last, addresses, sound_end, fault, last_record, before, unplaced)


@dataclass(frozen=True)
class FileHeads:
    """The positions of the records of a window that have a sound header and state one."""

    end: int
    """Offset behind the last record of the window."""
    count: int
    """Number of all records of the window."""
    index: UInt64s
    """Number of each record in the file."""
    start: UInt64s
    """Offset of each record with its prefix."""
    behind: UInt64s
    """Offset behind each record."""
    lfs: UInt64s
    lsn: UInt64s
    stream: UInt64s
    address: UInt64s
    links: Links
    addressed: AddressedRecords
    """All records of the window."""
    unplaced: tuple[int, int] | None = None
    """As `FileRange.unplaced`."""

    def position(self, place: int) -> Position:
        return int(self.lfs[place]), int(self.lsn[place])

    def is_behind(self, position: Position) -> Flags:
        """Which records are behind a position."""
        found: Flags = (self.lfs > position[0]) | ((self.lfs == position[0]) & (self.lsn > position[1]))
        return found

    def has_reached(self, position: Position) -> Flags:
        """Which records are at a position, or behind it."""
        found: Flags = (self.lfs > position[0]) | ((self.lfs == position[0]) & (self.lsn >= position[1]))
        return found

    @property
    def is_ascending(self) -> bool:
        later, same = self.lfs[1:] > self.lfs[:-1], self.lfs[1:] == self.lfs[:-1]
        return bool((later | (same & (self.lsn[1:] >= self.lsn[:-1]))).all())


def file_heads(
    stretch: JoinedPiece, options: Options, settings: FileSettings, *, max_records: int = MAX_RECORDS
) -> Iterator[FileHeads]:
    """The positions of the records of a file, at most `max_records` at a time.

    Raises FramingError for damage, behind those before it.
    """
    found, logs = find_log(stretch.path, options, settings)
    if logs.generation != "v10" and not found.framing.lead:
        raise not_one_log("no record states its log sequence number", stretch.path)
    reader = RecordColumnReader(logs, found.buffer, found.framing.name, settings.code_page, Held(options.bounds))
    place = stretch.start, stretch.end, stretch.first_record
    for window in index.windows(found.framing, found.buffer, *place, max_records, lead=reader.lead):
        heads, (streams, addresses) = reader.heads(window), reader.prefix_numbers(window)
        end, count = int(window.offsets[-1] + window.lengths[-1]), len(window)
        if heads is None:
            none = np.zeros(0, np.uint64)
            addressed = AddressedRecords(streams, addresses, window.lengths, np.zeros(count, np.bool_))
            yield FileHeads(end, count, none, none, none, none, none, none, none, Links(), addressed)
            continue
        members, is_sound = heads
        without = np.flatnonzero(is_sound & (members.lsn == 0))
        unplaced = (int(members.index[without[0]]), int(members.offset[without[0]])) if len(without) else None
        is_sound = is_sound & (members.lsn != 0)
        streams = np.where(is_sound, members.stream, streams)
        addressed = AddressedRecords(streams, addresses, window.lengths, is_sound & (addresses != 0))
        members = members.take(is_sound)
        yield FileHeads(
            end, count, members.index.view(np.uint64), (members.offset - reader.lead).view(np.uint64),
            (members.offset + members.length).view(np.uint64), members.lfs, members.lsn,
            members.stream.view(np.uint64), members.address, links_of(members), addressed, unplaced,
        )  # fmt: skip


def not_one_log(why: str, path: str) -> FramingError:
    """The error of a file that is not a stretch of one log with others."""
    return FramingError(
        why, code="LMP-F013", file=path, hint="files of different logs are read apart, one command or load for each"
    )
