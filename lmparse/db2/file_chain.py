"""File chain: stretches of files of one Db2 LUW log, one behind the other, each without what those before it have."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from lmparse.changes.checkpoint import MOST_UNREAD, Checkpoint, too_late
from lmparse.db2.file_ranges import FileRange, file_heads, not_one_log
from lmparse.db2.known_records import has_known
from lmparse.db2.late_records import LateRecords
from lmparse.db2.order import Position
from lmparse.db2.settings import find_log
from lmparse.errors import FramingError
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece

_COMPARED = 1 << 20
"""Bytes of two files that are compared at a time."""


@dataclass
class FileChain:
    """Stretches in their order, as they are joined."""

    options: Options
    settings: FileSettings
    checkpoint: Checkpoint | None
    pieces: list[JoinedPiece] = field(default_factory=list)
    firsts: list[Position] = field(default_factory=list)
    """A position up to which each piece that is not empty has no record; ascending."""
    filled: list[int] = field(default_factory=list)
    """The numbers of these pieces."""
    reached: Position = (0, 0)
    ends: dict[int, int] = field(default_factory=dict)
    damage: tuple[int, int] | None = None
    """A piece with damage behind it whose records no file has so far: its number, and the end of its stretch."""

    def of(self, ranges: Sequence[FileRange]) -> Joined:
        """All of them; those that the checkpoint needs come first, in their order.

        A damaged stretch is joined up to its damage if another one goes on from there; else it is the last one with
        its damage, which is raised where it is read. A record that is cut short never goes on in another file.
        """
        known = self.checkpoint
        count = 0 if known is None else len(known.needed)
        for one in ranges[:count]:
            self._add(one, one.stretch)
        if known is not None:
            self.reached, self.ends = known.reached, dict(known.ends)
        for one in ranges[count:]:
            self._join(one)
        self._end_in_damage()
        if not self.filled and ranges:  # all has been read before; the log is still one
            is_doubtful = any(piece.is_doubtful for piece in self.pieces)
            return Joined((replace(ranges[-1].stretch, is_doubtful=is_doubtful, is_known=True),))
        return Joined(tuple(self.pieces))

    def _join(self, one: FileRange) -> None:
        """Add what a stretch has behind those before; nothing of it if the log is damaged in front of it."""
        cut = replace(one, stretch=replace(one.stretch, end=one.sound_end))
        piece = self._piece(cut)
        damaged = one.stretch.end - one.sound_end
        if self.damage is not None and one.last > self.reached:
            if one.first > self.reached and piece.missing != 0 and not self._goes_on(one, piece):
                self.pieces.append(JoinedPiece(one.stretch.path, 0, 0))
                return
            self.damage = None
        if damaged and one.last >= self.reached and self.damage is None:
            self.damage = len(self.pieces), one.stretch.end
        self._add(cut, replace(piece, damaged=damaged))

    def _goes_on(self, one: FileRange, piece: JoinedPiece) -> bool:
        """Whether a stretch begins with the record that is cut short, of which addresses do not show what is missing.

        Of the record, at least the prefix must be there, or the stretch must adjoin in the log stream it begins with.
        """
        assert self.damage is not None
        number, end = self.damage
        cut, own = self.pieces[number], one.stretch
        size = end - cut.end
        begins = one.addresses.begins_behind(self.ends)
        if piece.lost or not begins or size > min(own.size, _COMPARED):
            return False
        stream, lead = one.addresses.first_stream, find_log(own.path, self.options, self.settings)[0].framing.lead
        if size < lead and begins[stream] != self.ends.get(stream):
            return False
        before, behind = (open_buffer(path, self.options.bounds) for path in (cut.path, own.path))
        return before[cut.end : end] == behind[own.start : own.start + size]

    def _end_in_damage(self) -> None:
        """Give the piece whose damage no other file makes up for the bytes of it."""
        if self.damage is not None:
            number, end = self.damage
            self.pieces[number] = replace(self.pieces[number], end=end, damaged=0)

    def _add(self, one: FileRange, piece: JoinedPiece) -> None:
        self.pieces.append(piece)
        if piece.size:
            self.filled.append(len(self.pieces) - 1)
            self.firsts.append(max(one.first, (self.reached[0], self.reached[1] + 1)))
        behind = one.addresses.ends_behind(self.ends)
        if one.last > self.reached:
            self.reached, self.ends = one.last, self.ends | behind
        elif one.last == self.reached:  # one of them may have more records without a position behind it
            self.ends |= {stream: max(behind[stream], self.ends.get(stream, 0)) for stream in one.addresses.ends}

    def _piece(self, one: FileRange) -> JoinedPiece:
        """What a stretch has that those before do not have. Raises FramingError LMP-F013."""
        stretch = one.stretch
        if one.first > self.reached:
            is_first = not self.filled and self.checkpoint is None
            return stretch if is_first else self._behind(one)
        self._check_read(one)
        is_doubtful = self._is_doubtful(one)
        if self.filled and one.first >= self.firsts[0]:
            size, records = self._shared(one)
        else:
            known = () if self.checkpoint is None else self.checkpoint.known
            is_known = bool(known) and has_known(one, known, self.options, self.settings)
            is_doubtful = not is_known if known else is_doubtful
            records, size = self._read_before(stretch, is_known=is_known)
        return replace(
            stretch, start=stretch.start + size, first_record=stretch.first_record + records,
            records=stretch.records - records, is_doubtful=is_doubtful,
        )  # fmt: skip

    def _check_read(self, one: FileRange) -> None:
        """Raise FramingError LMP-F014 if a stretch has records in front of what was read that were not read."""
        known = () if self.checkpoint is None else self.checkpoint.unread
        places = [(begin, end) for begin, end in known if begin < one.last and one.first < end]
        if places and self._has_record(one.stretch, places):
            raise too_late(one.stretch.path, "files behind it have been read without its records")

    def _is_doubtful(self, one: FileRange) -> bool:
        """Whether a stretch begins in front of all places without a record that the checkpoint has kept."""
        known = () if self.checkpoint is None else self.checkpoint.unread
        return len(known) >= MOST_UNREAD and one.first <= known[0][0]

    def _has_record(self, stretch: JoinedPiece, places: Sequence[tuple[Position, Position]]) -> bool:
        """Whether a stretch has a record in one of some places, behind a position and in front of another."""
        with suppress(FramingError):  # no record behind damage is joined
            for heads in file_heads(stretch, self.options, self.settings):
                if any((heads.is_behind(begin) & ~heads.has_reached(end)).any() for begin, end in places):
                    return True
        return False

    def _behind(self, one: FileRange) -> JoinedPiece:
        """A stretch behind the others, with the bytes of the log between them, log stream by log stream.

        Where a stream begins in front of its end, or is in no file before, its addresses do not show what is missing.
        """
        begins = one.addresses.begins_behind(self.ends)
        lost = tuple(
            (stream, self.ends[stream], begin)
            for stream, begin in sorted(begins.items())
            if begin > self.ends.get(stream, begin)
        )
        new = [stream for stream in sorted(begins) if stream not in self.ends]
        back = [stream for stream, begin in sorted(begins.items()) if begin < self.ends.get(stream, 0)]
        if lost or not (new or back):
            missing = sum(end - begin for _, begin, end in lost) if begins else None
            return replace(one.stretch, missing=missing, lost=lost)
        untold = ""
        if back:
            untold = (
                f"its addresses in log stream {back[0]} begin in front of the end of those before: they are damaged or "
                "begin anew, or rows are longer here than in the log"
            )
        elif len(new) < len(begins) or self.ends:
            untold = f"its log stream {new[0]} is in no file before"
        return replace(one.stretch, missing=None, untold=untold)

    def _read_before(self, stretch: JoinedPiece, *, is_known: bool) -> tuple[int, int]:
        """Records and bytes at the beginning of a stretch, up to the last record that is not behind the checkpoint.

        Records behind that one without a sound header have no position: they are read, perhaps once more.
        Raises FramingError LMP-F014 if addresses show that there are others that were not read.
        """
        records = size = 0
        late = None if self.checkpoint is None else LateRecords(self.checkpoint, is_known=is_known)
        with suppress(FramingError):  # no record behind damage is joined
            for heads in file_heads(stretch, self.options, self.settings):
                places = np.flatnonzero(~heads.is_behind(self.reached))
                if len(places):
                    last = places[-1]
                    records, size = int(heads.index[last]) + 1 - stretch.first_record, int(heads.behind[last])
                    size -= stretch.start
                if late is not None:
                    late.add(heads)
                if len(places) < len(heads.lsn):
                    break
        if late is not None and late.are_found:
            raise too_late(stretch.path, "it has addresses of the log that were not read, in front of the checkpoint")
        return records, size

    def _shared(self, one: FileRange) -> tuple[int, int]:
        """Bytes and records at the beginning of a stretch that those before have. Raises FramingError LMP-F013."""
        place = max(bisect_right(self.firsts, one.first) - 1, 0)
        joined, own = Joined(tuple(self.pieces[number] for number in self.filled[place:])), one.stretch
        piece = joined.pieces[0]
        number, start = _begin_in(piece, one, self.options, self.settings)
        number, start = number - piece.first_record, start - piece.start
        size = min(joined.starts[-1] - start, own.size)
        _check_same(joined, start, own, size, self.options)
        return size, own.records if size == own.size else joined.records[-1] - number


def overlap(before: FileRange, behind: FileRange, options: Options, settings: FileSettings) -> tuple[int, int, int]:
    """How many records of a stretch another one in front of it has too; number and offset there of the first of them.

    Raises FramingError LMP-F013 if they have different records at the same positions.
    """
    own, piece = behind.stretch, before.stretch
    found = _begin_in(piece, behind, options, settings)
    size = min(piece.end - found[1], own.size)
    _check_same(Joined((piece,)), found[1] - piece.start, own, size, options)
    shared = own.records if size == own.size else piece.first_record + piece.records - found[0]
    return shared, *found


def _check_same(joined: Joined, start: int, own: JoinedPiece, size: int, options: Options) -> None:
    """Raise FramingError LMP-F013 if the bytes of joined files from `start` on are not those of a stretch."""
    before, behind = (open_buffer(path, options.bounds) for path in (joined.address, own.path))
    for begin in range(0, size, _COMPARED):
        end = min(begin + _COMPARED, size)
        if before[start + begin : start + end] != behind[own.start + begin : own.start + end]:
            where = f"between {own.start + begin:#x} and {own.start + end:#x}"
            raise not_one_log(f"it overlaps {joined.shown}, and differs from it {where}", own.path)


def _begin_in(piece: JoinedPiece, one: FileRange, options: Options, settings: FileSettings) -> tuple[int, int]:
    """Number and offset, in the file of a piece, of the first record of a stretch that overlaps it.

    That of its first record with a position is looked for; those in front of it are as far in front there.
    Raises FramingError LMP-F013 if they cannot be in the piece.
    """
    found = _find(piece, one.first, options, settings)
    if found is None:
        raise not_one_log(f"it overlaps {piece.path}, which has no record at its first position", one.stretch.path)
    records, size = one.unplaced_before
    number, start = found[0] - records, found[1] - size
    if start < piece.start:
        why = f"{records} records without a position are in front of those that it and {piece.path} have"
        raise not_one_log(why, one.stretch.path)
    return number, start


def _find(piece: JoinedPiece, position: Position, options: Options, settings: FileSettings) -> tuple[int, int] | None:
    """Number and offset, in its file, of the first record at a position."""
    with suppress(FramingError):  # no record behind damage is joined
        for heads in file_heads(piece, options, settings):
            if len(heads.lsn) and heads.position(-1) >= position:
                places = np.flatnonzero(heads.has_reached(position) & ~heads.is_behind(position))
                return (int(heads.index[places[0]]), int(heads.start[places[0]])) if len(places) else None
    return None
