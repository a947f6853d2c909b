"""Log range of a Db2 LUW file: positions, and whether its records adjoin, from one pass over headers by the column.

A position is log flush sequence and log sequence number. Where records state their address, a record begins where the
one before it in its log stream ends, unless records were left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lmparse.changes.log_range import LogRange, OverlappingRecords, StreamRange, position_of_text, position_text
from lmparse.db2.file_chain import overlap
from lmparse.db2.file_form import form_of
from lmparse.db2.file_ranges import FileRange, not_one_log
from lmparse.db2.links import Links, links_of
from lmparse.db2.log_record import LogReader
from lmparse.db2.order import Position
from lmparse.db2.record_column_reader import RecordColumnReader
from lmparse.db2.record_columns import Members
from lmparse.db2.settings import LuwSettings, find_log
from lmparse.errors import FramingError, OptionError
from lmparse.framing import index
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.settings import FoundFile
from lmparse.storage.joined import JoinedPiece
from lmparse.values.byte_arrays import places_by_value


def range_of(path: str, options: Options) -> LogRange:
    """What a file has of its log, from one pass over its headers.

    Raises FramingError: LMP-F013 if records do not state their position or are not in order, and for damage.
    """
    found, logs = find_log(path, options, None)
    form = form_of(replace(found.settings, own=LuwSettings(logs.generation)))
    reading = dict(zip(("framing", "byte_order", "generation"), form, strict=True))
    size = len(found.buffer)
    if size and logs.generation != "v10" and not found.framing.lead:
        raise not_one_log("no record states its log sequence number", path)
    streams = _Streams(path)
    try:
        _read(found, logs, options, streams)
    except FramingError as error:
        error.at(file=path)
        raise
    if size and not streams.found:
        raise not_one_log("no record states its position", path)
    return LogRange(path, size, streams.records, reading, streams.ranges(" ".join(filter(None, form))))


def shared(one: LogRange, other: LogRange, options: Options, place: OverlappingRecords | None) -> OverlappingRecords:
    """The records that a file and one that begins in it, or where it begins, both have.

    `place` is where an earlier one began in the first file: what is in front of it is not read again. Raises
    FramingError LMP-F013 if they have different records at the same positions, and as opening the files does.
    """
    found, logs = find_log(one.path, options, None)
    settings = replace(found.settings, own=LuwSettings(logs.generation))
    before, behind = _file_range(one), _file_range(other)
    if place is not None:
        stretch = replace(
            before.piece, start=place.offset, first_record=place.record,
            records=before.piece.records - place.record,
        )  # fmt: skip
        before = replace(before, piece=stretch)
    count, record, offset = overlap(before, behind, options, settings)
    return OverlappingRecords(count, record, offset)


def _file_range(one: LogRange) -> FileRange:
    firsts = [position_of_text(stream.first) for stream in one.streams]
    lasts = [position_of_text(stream.last) for stream in one.streams]
    if any(len(position) != 2 for position in (*firsts, *lasts)):
        raise OptionError("the ledger has a position that is not of this log", code="LMP-S040")
    (first_lfs, first_lsn), (last_lfs, last_lsn) = min(firsts), max(lasts)
    start, behind = (int(one.reading.get(f"file_{name}_offset", 0)) for name in ("start", "end"))
    stretch = JoinedPiece(one.path, start, one.size - behind, 0, one.records)
    return FileRange(stretch, (first_lfs, first_lsn), (last_lfs, last_lsn), {}, stretch.end)


def _read(found: FoundFile, logs: LogReader, options: Options, streams: _Streams) -> None:
    page = found.reader.code_page
    reader = RecordColumnReader(logs, found.buffer, found.framing.name, page, Held(options.bounds))
    for window in index.windows(found.framing, found.buffer, lead=reader.lead):
        streams.records += len(window)
        heads = reader.heads(window)
        if heads is not None:
            members, is_sound = heads
            streams.add(members.take(is_sound & (members.lsn != 0)))


@dataclass
class _Stream:
    """Records of one log stream so far."""

    first: Position
    last: Position
    records: int = 0
    links: Links = field(default_factory=Links)


@dataclass
class _Streams:
    """The log streams of a file."""

    path: str
    found: dict[int, _Stream] = field(default_factory=dict)
    records: int = 0
    last: Position | None = None
    """Position of the last record."""

    def add(self, heads: Members) -> None:
        """Take note of records that state their position. Raises FramingError LMP-F013 if they are out of order."""
        if not len(heads.lsn):
            return
        if (self.last is not None and _position(heads, 0) < self.last) or not _is_ascending(heads):
            raise not_one_log("its records are not in the order of their positions", self.path)
        self.last = _position(heads, -1)
        for number, which in places_by_value(heads.stream):
            own = heads.take(which)
            stream = self.found.setdefault(number, _Stream(_position(own, 0), _position(own, 0)))
            stream.last = _position(own, -1)
            stream.records += len(which)
            stream.links.then(links_of(own))

    def ranges(self, log: str) -> tuple[StreamRange, ...]:
        """What the file has of each stream."""
        unread = self.records - sum(stream.records for stream in self.found.values())
        return tuple(
            StreamRange(
                log, f"log stream {number}", position_text(one.first), position_text(one.last), one.records,
                one.links.firsts.get(number), one.links.ends.get(number), one.links.adjoining,
                # A record without a position leaves a gap behind it, in whatever stream it is.
                max(one.links.apart - unread, 0),
            )
            for number, one in sorted(self.found.items())
        )  # fmt: skip


def _position(heads: Members, place: int) -> Position:
    return int(heads.lfs[place]), int(heads.lsn[place])


def _is_ascending(heads: Members) -> bool:
    later, same = heads.lfs[1:] > heads.lfs[:-1], heads.lfs[1:] == heads.lfs[:-1]
    return bool((later | (same & (heads.lsn[1:] >= heads.lsn[:-1]))).all())
