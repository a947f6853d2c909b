"""File ranges: the positions of the records of a file of a Db2 LUW log, from the record headers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lmparse.db2.files.settings import find_log
from lmparse.db2.record.column_reader import RecordColumnReader
from lmparse.db2.record.links import Links
from lmparse.db2.record.record_table import Members, links_of
from lmparse.db2.transactions.seq import Position
from lmparse.errors import FramingError
from lmparse.framing import index
from lmparse.framing.windows import MAX_RECORDS
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import Flags


@dataclass(frozen=True)
class FileRange:
    """The range of positions that one file, or a part of it, has of a log."""

    piece: JoinedPiece
    first: Position
    last: Position
    streams: dict[int, tuple[int, int]]
    """By log stream, the address of the first record and the address behind the last record; zero if it is not known.
    An address is not known if a record without an address, or one that cannot be read, is in its place. In a file of
    several streams, such a record anywhere is enough, since nobody knows its stream."""
    sound_end: int
    """Offset behind the last record in front of damage."""
    fault: FramingError | None = None
    """The damage; None if there is none."""
    last_record: tuple[int, int] = (0, 0)
    """Offsets at which the last record with a position begins, with its prefix, and ends."""
    unplaced_before: tuple[int, int] = (0, 0)
    """Number of records in front of the first record with a position, and their bytes with prefixes."""
    unplaced: tuple[int, int] | None = None
    """Number and offset of the first record with a sound header that states no position; None if there is none."""

    @property
    def path(self) -> str:
        """The file."""
        return self.piece.path


def range_of(piece: JoinedPiece, options: Options, settings: FileSettings) -> FileRange:
    """The range of positions of a part of a file, up to damage, which is in the result.

    Raises FramingError LMP-F013 if the records are not in order or none states its position, and for damage in front of
    the first record.
    """
    found = placed_range(piece, options, settings)
    if found is None:
        raise not_one_log("no record states its position", piece.path)
    return found


def placed_range(piece: JoinedPiece, options: Options, settings: FileSettings) -> FileRange | None:
    """As `range_of`, but None if no record has a sound header."""
    records, path, sound_end, links = 0, piece.path, piece.start, Links()
    fault: FramingError | None = None
    first: Position | None = None
    last: Position | None = None
    last_record = before = (0, 0)
    unplaced: tuple[int, int] | None = None
    is_first_stated = is_last_stated = are_stated = False
    windows = file_heads(piece, options, settings)
    while True:
        try:
            heads = next(windows, None)
        except FramingError as error:
            error.at(file=path)
            fault = error
            break
        if heads is None:
            break
        if not records:
            is_first_stated = are_stated = bool(heads.is_stated[0])
        records, sound_end = records + len(heads.is_stated), heads.end
        is_last_stated, are_stated = bool(heads.is_stated[-1]), are_stated and bool(heads.is_stated.all())
        links.then(links_of(heads.members))
        unplaced = unplaced or heads.unplaced
        if not len(heads.members):
            continue
        if first is None:
            first = heads.position(0)
            before = int(heads.members.index[0]) - piece.first_record, heads.bounds(0)[0] - piece.start
        if (last is not None and heads.position(0) < last) or not heads.is_ascending:
            raise not_one_log("its records are not in the order of their positions", path)
        last, last_record = heads.position(-1), heads.bounds(-1)
    if first is None or last is None:
        if fault is not None:
            raise fault
        if unplaced is not None:
            raise not_one_log("no record states its position", path)
        return None
    found = replace(piece, records=records, is_gapless=bool(links.ends) and not links.apart)
    streams = dict.fromkeys(links.last, (0, 0))
    if len(links.last) == 1 or are_stated:
        for stream, end in links.ends.items():
            streams[stream] = links.firsts[stream] if is_first_stated else 0, end if is_last_stated else 0
    return FileRange(found, first, last, streams, sound_end, fault, last_record, before, unplaced)


@dataclass(frozen=True)
class FileHeads:
    """The positions of the records of a window that have a sound header and state a position."""

    end: int
    """Offset behind the last record of the window."""
    is_stated: Flags
    """Which of all records of the window can be read and state their address."""
    members: Members
    """The records that state a position."""
    lead: int
    """Bytes of the prefix in front of each record."""
    unplaced: tuple[int, int] | None = None
    """As `FileRange.unplaced`."""

    def position(self, place: int) -> Position:
        """Position of a record in the log."""
        return int(self.members.lfs[place]), int(self.members.lsn[place])

    def bounds(self, place: int) -> tuple[int, int]:
        """Offsets at which a record begins, with its prefix, and ends."""
        offset = int(self.members.offset[place])
        return offset - self.lead, offset + int(self.members.length[place])

    def is_behind(self, position: Position) -> Flags:
        """Which records are behind a position."""
        lfs, lsn = self.members.lfs, self.members.lsn
        found: Flags = (lfs > position[0]) | ((lfs == position[0]) & (lsn > position[1]))
        return found

    @property
    def is_ascending(self) -> bool:
        lfs, lsn = self.members.lfs, self.members.lsn
        return bool(((lfs[1:] > lfs[:-1]) | ((lfs[1:] == lfs[:-1]) & (lsn[1:] >= lsn[:-1]))).all())


def file_heads(piece: JoinedPiece, options: Options, settings: FileSettings) -> Iterator[FileHeads]:
    """The positions of the records of a file, window by window.

    Raises FramingError for damage, behind the records in front of it.
    """
    found, logs = find_log(piece.path, options, settings)
    if logs.generation != "v10" and not found.framing.lead:
        raise not_one_log("no record states its log sequence number", piece.path)
    reader = RecordColumnReader(logs, found.buffer, found.framing.name, settings.code_page, Held(options.bounds))
    place = piece.start, piece.end, piece.first_record
    for window in index.windows(found.framing, found.buffer, *place, MAX_RECORDS, lead=reader.lead):
        heads = reader.heads(window)
        end = int(window.offsets[-1] + window.lengths[-1])
        if heads is None:
            yield FileHeads(end, np.zeros(len(window), np.bool_), Members.none(), reader.lead)
            continue
        members, is_sound = heads
        without = np.flatnonzero(is_sound & (members.lsn == 0))
        unplaced = (int(members.index[without[0]]), int(members.offset[without[0]])) if len(without) else None
        is_placed = is_sound & (members.lsn != 0)
        is_stated = is_placed & (members.address != 0)
        yield FileHeads(end, is_stated, members.take(is_placed), reader.lead, unplaced)


def not_one_log(why: str, path: str) -> FramingError:
    """The error LMP-F013 of a file that is not a part of one log with others."""
    return FramingError(
        why, code="LMP-F013", file=path, hint="files of different logs are read apart, one command or load for each"
    )
