"""Joining: several files of one Db2 LUW log, put in order by the positions of their records.

A position is log flush sequence and log sequence number, which ascend along the log. Files may overlap: bytes in two of
them must be the same, and are read once. Where records state addresses, these show whether bytes of the log are missing
between two files. Records that the filter of the API left out are missing too, and look the same.

Behind a checkpoint, a file is one of three. Its records are behind all that was read. Or it is one of the files that
were read, and is skipped. Or it begins in the last of these files and goes on behind it. Any other file is refused,
because it may have records that nobody has read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from lmparse.changes.checkpoint import MOST_FILES, Checkpoint, KnownFile, record_digest, too_late
from lmparse.db2.files.file_ranges import FileRange, file_heads, not_one_log, range_of
from lmparse.db2.files.settings import LuwSettings, find_log, is_explained, known_settings
from lmparse.db2.transactions.seq import Position
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.storage.processes import Run

_UNDECIDED = ("LMP-F003", "LMP-F004")
"""Errors of files that are too short to show how they are framed."""
_MOST_SAID = 20
"""Most notes on places between files; of more places only the number is said."""
_COMPARED = 1 << 20
"""Bytes of two files that are compared in one step."""


def join(
    paths: Sequence[str],
    options: Options,
    run: Run | None = None,
    checkpoint: Checkpoint | None = None,
    faults: list[DataError] | None = None,
) -> Joined:
    """Put files in order and leave out what two of them have. Files without a record are left out.

    With a checkpoint, its needed stretches come first, and records that were read before are left out. `run`, if given,
    reads the files in other processes. Raises FramingError LMP-F013 for files that are not of one log, LMP-F014 for a
    file that comes too late for the checkpoint, OptionError LMP-S003 for bytes of files that are not records, and the
    errors of opening a log. With `faults`, errors of single files are added to it instead: such a file is joined up to
    its damage, or left out. Then there may be no piece.
    """
    sizes = {path: _size(path, options, faults) for path in dict.fromkeys(paths)}
    pieces = [JoinedPiece(path, 0, size) for path, size in sizes.items() if size]
    needed: list[JoinedPiece] = []
    if checkpoint is not None:
        checkpoint.check(options.bounds)
        needed = [one.piece for one in checkpoint.needed]
        pieces = needed + pieces
    if not pieces:
        return Joined(tuple(JoinedPiece(path, 0, 0) for path, size in sizes.items() if size is not None)[:1])
    if len(pieces) == 1 and checkpoint is None:
        return Joined(tuple(pieces))
    if options.file_start_offset or options.file_end_offset:
        raise OptionError(
            "fileStartOffset and fileEndOffset mean nothing for files read as one log, nor behind a checkpoint",
            hint="copy the records of each file into one of its own",
        )
    try:
        settings = known_settings(checkpoint, options) or _common_settings(pieces, options)
    except FramingError as error:
        if faults is None or error.code not in _UNDECIDED:
            raise
        faults += [_undecided_error(piece.path, options, error) for piece in pieces]
        return Joined(())
    tasks = [(piece, options, settings) for piece in pieces]
    found = map(_range_of, tasks) if run is None else run(_range_of, tasks)
    ranges = [range_ for range_ in (_sound(range_, faults) for range_ in found) if range_ is not None]
    files = sorted(ranges[len(needed) :], key=lambda range_: (range_.first, range_.last))
    return FileChain(options, settings, checkpoint).of(ranges[: len(needed)], files)


def _size(path: str, options: Options, faults: list[DataError] | None) -> int | None:
    try:
        return len(open_buffer(path, options.bounds))
    except DataError as error:
        if faults is None:
            raise
        faults.append(error.at(file=path))
        return None


def _range_of(task: tuple[JoinedPiece, Options, FileSettings]) -> FileRange | FramingError:
    try:
        return range_of(*task)
    except FramingError as error:
        error.at(file=task[0].path)
        return error


def _sound(found: FileRange | FramingError, faults: list[DataError] | None) -> FileRange | None:
    """A file to be joined. With `faults` it ends in front of its damage; else its reader raises the damage."""
    if isinstance(found, FramingError):
        if faults is None:
            raise found
        faults.append(found)
        return None
    if faults is None or found.fault is None:
        return found
    faults.append(found.fault)
    return replace(found, piece=replace(found.piece, end=found.sound_end))


def _common_settings(pieces: Sequence[JoinedPiece], options: Options) -> FileSettings:
    """The settings that all files share; a file that is too short to show them is read like the others."""
    found: dict[tuple[str, str | None, str], tuple[str, FileSettings]] = {}
    undecided: FramingError | None = None
    for path in dict.fromkeys(piece.path for piece in pieces):
        if len(found) == 1 and is_explained(path, options, next(iter(found.values()))[1]):
            continue  # detection would find the same, at many times the cost
        try:
            file, logs = find_log(path, options, None)
        except FramingError as error:
            if error.code not in _UNDECIDED:
                raise
            undecided = undecided or error
            continue
        form = file.framing.name, file.framing.byte_order, logs.generation
        found.setdefault(form, (path, replace(file.settings, own=LuwSettings(logs.generation))))
    if not found:
        assert undecided is not None
        raise undecided
    if len(found) > 1:
        (first, _), (second, _) = list(found.values())[:2]
        forms = " and ".join(" ".join(filter(None, one)) for one in list(found)[:2])
        raise not_one_log(f"it and {first} are framed in different ways: {forms}", second)
    return next(iter(found.values()))[1]


def _undecided_error(path: str, options: Options, error: FramingError) -> DataError:
    """The error of one of several files if none shows how it is framed."""
    try:
        find_log(path, options, None)
    except FramingError as own:
        return own.at(file=path)
    return error


def said(joined: Joined) -> Iterator[str]:
    """Notes on the files of a log; of very many notes the first ones, and the number of the others."""
    found = [piece.note for piece in joined.pieces if piece.note]
    yield from found[:_MOST_SAID]
    if len(found) > _MOST_SAID:
        yield f"files overlap, or bytes of the log are in none, at {len(found) - _MOST_SAID} more places"


# -- one file behind the other ---------------------------------------------------------------


def known_file(one: FileRange, options: Options) -> KnownFile:
    """The identity of a file, by which a checkpoint knows it again."""
    buffer = open_buffer(one.path, options.bounds)
    start, behind = one.last_record
    return KnownFile(one.first, one.last, len(buffer), record_digest(buffer[start:behind]))


@dataclass
class FileChain:
    """Joins files in their order, each without the records of the files before it."""

    options: Options
    settings: FileSettings
    checkpoint: Checkpoint | None
    pieces: list[JoinedPiece] = field(default_factory=list)
    firsts: list[Position] = field(default_factory=list)
    """For each piece that is not empty, a position in front of which it has no record; ascending."""
    filled: list[int] = field(default_factory=list)
    """The places of these pieces in `pieces`."""
    reached: Position = (0, 0)
    streams: frozenset[int] = frozenset()
    """The log streams of the first file of the log."""
    ends: dict[int, int] = field(default_factory=dict)
    """Address behind the last record of each log stream; zero if it is not known."""
    damaged: str | None = None
    """The file that ends in damage."""

    def of(self, needed: Sequence[FileRange], files: Sequence[FileRange]) -> Joined:
        """The stretches that the checkpoint needs, and the pieces of files in the order of their positions.

        Raises FramingError LMP-F013 for files that are not of one log, LMP-F014 for a file that comes too late.
        """
        for one in needed:
            self._add(one, replace(one.piece, lost=self._lost(one)))
        known = frozenset[KnownFile]()
        if self.checkpoint is not None:
            self.reached, known = self.checkpoint.reached, frozenset(self.checkpoint.files)
            self.streams = frozenset(self.checkpoint.ends)
            self.ends = {stream: end for stream, (_, end) in self.checkpoint.ends.items()}
        skipped: list[FileRange] = []
        for one in files:
            if known and known_file(one, self.options) in known:
                skipped.append(one)
            else:
                self._join(one)
        note = f"files that were read before: {len(skipped)}; they are skipped" if skipped else ""
        if not self.filled and skipped:  # a log without new records has a file too
            return Joined((replace(skipped[-1].piece, is_known=True, note=note),))
        self.pieces += [JoinedPiece(one.path, 0, 0, is_known=True) for one in skipped[1:]]
        self.pieces += [JoinedPiece(one.path, 0, 0, is_known=True, note=note) for one in skipped[:1]]
        return Joined(tuple(self.pieces))

    def _join(self, one: FileRange) -> None:
        """Add the records of a file that files before it do not have. Damage of a file before ends the reading."""
        if self.damaged is not None:
            note = f"{one.path} is not read: it is behind the damage of {self.damaged}"
            self.pieces.append(JoinedPiece(one.path, 0, 0, note=note))
            return
        self._check_streams(one)
        end = one.piece.end
        one = replace(one, piece=replace(one.piece, end=one.sound_end))
        goes_on = self.checkpoint is not None and one.first <= self.checkpoint.reached
        if self.checkpoint is not None and goes_on:
            one = self._behind(one, self.checkpoint)
        if one.first <= self.reached:
            piece = self._without_shared(one)
        elif goes_on:
            piece = one.piece
        else:
            piece = replace(one.piece, lost=self._lost(one), note=self._note_between(one))
        if end > one.sound_end:
            self.damaged, piece = one.path, replace(piece, end=end)
        self._add(one, piece)

    def _add(self, one: FileRange, piece: JoinedPiece) -> None:
        self.pieces.append(piece)
        if piece.size:
            self.filled.append(len(self.pieces) - 1)
            self.firsts.append(max(one.first, (self.reached[0], self.reached[1] + 1)))
        if one.last > self.reached:
            self.reached = one.last
            self.ends |= {stream: end for stream, (_, end) in one.streams.items()}

    def _check_streams(self, one: FileRange) -> None:
        """Raise FramingError LMP-F013 for a log stream that the first file of the log does not have: nothing shows
        whether earlier records of the stream are missing."""
        self.streams = self.streams or frozenset(one.streams)
        for stream in sorted(one.streams.keys() - self.streams):
            raise not_one_log(f"its log stream {stream} begins behind the first file of the log", one.path)

    # -- files behind the others ------------------------------------------------------------------

    def _lost(self, one: FileRange) -> tuple[tuple[int, int, int], ...]:
        """The lost addresses in front of a file, as `JoinedPiece.lost`."""
        begins = sorted((stream, begin) for stream, (begin, _) in one.streams.items() if begin)
        ends = self.ends
        return tuple((stream, ends[stream], begin) for stream, begin in begins if 0 < ends.get(stream, 0) < begin)

    def _note_between(self, one: FileRange) -> str:
        """The note on bytes of the log between the files before and this file; empty if nothing is to be said."""
        before = self.pieces[self.filled[-1]].path if self.filled else "the files before"
        if not self.ends:
            return ""
        if lost := self._lost(one):
            size = sum(end - begin for _, begin, end in lost)
            return (
                f"between {before} and {one.path}, {size} bytes of the log are in neither file: records are missing or "
                "cannot be read, or the filter of the API left them out"
            )
        for stream, (begin, _) in sorted(one.streams.items()):
            end = self.ends.get(stream, 0)
            if not begin or not end:
                return (
                    f"whether {one.path} follows {before} cannot be tested: records state no address, or cannot be read"
                )
            if begin < end:
                return (
                    f"whether {one.path} follows {before} cannot be tested: its addresses in log stream {stream} begin "
                    "in front of the end of those before: they are damaged or begin anew, or rows are longer here than "
                    "in the log"
                )
        return ""

    # -- files that overlap others ------------------------------------------------------------------

    def _behind(self, one: FileRange, before: Checkpoint) -> FileRange:
        """The part of a file behind a checkpoint. The file must begin in the last file that was read, or in a file that
        overlaps the last one.

        Raises FramingError LMP-F014 if it does not, and LMP-F013 if it has another record at the end of that file.
        """
        last = next((known for known in before.files if known.last == before.reached), None)
        if one.last <= before.reached or last is None:
            why = f"it has no record behind those that were read, and is none of the newest {MOST_FILES} files of these"
            raise too_late(one.path, why)
        first = last.first
        for known in reversed(before.files):
            first = min(first, known.first) if known.last >= first else first
        if one.first < first:
            raise too_late(one.path, "it begins in front of the file that was read last, and goes on behind that")
        digest, number, place, position = "", 0, 0, one.last
        for heads in file_heads(one.piece, self.options, self.settings):
            places = np.flatnonzero(~heads.is_behind(before.reached))
            if len(places):
                start, place = heads.bounds(places[-1])
                number = int(heads.members.index[places[-1]]) + 1
                digest = record_digest(open_buffer(one.path, self.options.bounds)[start:place])
            if len(places) < len(heads.members):
                position = heads.position(len(places))
                break
        if digest != last.digest:
            raise not_one_log("its record at the end of the file that was read last is another one", one.path)
        piece = replace(
            one.piece, start=place, first_record=number, records=one.piece.records - number,
            note=f"the first {number} records of {one.path} were read before",
        )  # fmt: skip
        return replace(one, piece=piece, first=position, unplaced_before=(0, 0))

    def _without_shared(self, one: FileRange) -> JoinedPiece:
        """The records that only this file has. Raises FramingError LMP-F013 if the bytes of shared records differ."""
        number = max(bisect_right(self.firsts, one.first) - 1, 0)
        joined, own = Joined(tuple(self.pieces[place] for place in self.filled[number:])), one.piece
        piece = joined.pieces[0]
        record, start = _begin_in(piece, one, self.options, self.settings)
        start -= piece.start
        size = min(joined.starts[-1] - start, own.size)
        _check_same(joined, start, own, size, self.options)
        shared = own.records if size == own.size else joined.records[-1] - (record - piece.first_record)
        note = f"the first {shared} records of {own.path} are in {piece.path} too: they are read once"
        if size == own.size:
            note = f"all records of {own.path} are in the files before it too: they are read once"
        return replace(
            own, start=own.start + size, first_record=own.first_record + shared, records=own.records - shared, note=note
        )


def _check_same(joined: Joined, start: int, own: JoinedPiece, size: int, options: Options) -> None:
    """Raise FramingError LMP-F013 if the bytes of joined files from `start` on are not those of a file."""
    before, behind = (open_buffer(path, options.bounds) for path in (joined.address, own.path))
    for begin in range(0, size, _COMPARED):
        end = min(begin + _COMPARED, size)
        if before[start + begin : start + end] != behind[own.start + begin : own.start + end]:
            where = f"between {own.start + begin:#x} and {own.start + end:#x}"
            raise not_one_log(f"it overlaps {joined.shown}, and differs from it {where}", own.path)


def _begin_in(piece: JoinedPiece, one: FileRange, options: Options, settings: FileSettings) -> tuple[int, int]:
    """Number and offset, in the file of a piece, of the first record of a file that overlaps the piece.

    The first record with a position is searched for; the records in front of it are as far in front in the piece.
    Raises FramingError LMP-F013 if the piece cannot have these records.
    """
    found = _find(piece, one.first, options, settings)
    if found is None:
        raise not_one_log(f"it overlaps {piece.path}, which has no record at its first position", one.path)
    records, size = one.unplaced_before
    number, start = found[0] - records, found[1] - size
    if start < piece.start:
        why = f"{records} records without a position are in front of those that it and {piece.path} have"
        raise not_one_log(why, one.path)
    return number, start


def _find(piece: JoinedPiece, position: Position, options: Options, settings: FileSettings) -> tuple[int, int] | None:
    """Number and offset, in the file of a piece, of the first record at a position; None without one."""
    with suppress(FramingError):  # no record behind damage is joined
        for heads in file_heads(piece, options, settings):
            if len(heads.members) and heads.position(-1) >= position:
                places = np.flatnonzero((heads.members.lfs == position[0]) & (heads.members.lsn == position[1]))
                return (int(heads.members.index[places[0]]), heads.bounds(places[0])[0]) if len(places) else None
    return None
