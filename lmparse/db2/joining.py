"""Joining: several files of one Db2 LUW log, put in order by the positions of their records.

A position is log flush sequence and log sequence number, which ascend along the log. Files may overlap: what is in two
of them must be the same bytes, and is read once. Where records state their address, that shows whether bytes of the log
are missing between two files. What the filter of the API left out is missing too, and looks the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import contains

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.links import Links, links_of
from lmparse.db2.log_record import BYTE_ORDERS, GENERATIONS, LogReader
from lmparse.db2.record_column_reader import RecordColumnReader
from lmparse.db2.settings import LuwSettings, find_log
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.limits import Held
from lmparse.options import DB2_FRAMINGS, Options
from lmparse.records.settings import FileSettings, FoundFile, page_of
from lmparse.spec import catalog
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import UInt64s

Position = tuple[int, int]
"""Log flush sequence and log sequence number."""
_COMPARED = 1 << 20
"""Bytes of two files that are compared at a time."""
_MOST_SAID = 20
"""Most places between files of which a log says what is twice or missing there."""
_UNDECIDED = ("LMP-F003", "LMP-F004")
"""Errors of files that are too short to show how they are framed."""


@dataclass(frozen=True)
class FileRange:
    """What a stretch of one file has of a log."""

    stretch: JoinedPiece
    first: Position
    last: Position
    first_address: tuple[int, int] | None
    """Log stream and address of the first record; None if it does not state them."""
    ends: dict[int, int]
    """Address behind the last record of each log stream."""
    sound_end: int
    """Offset behind the last record before damage."""
    fault: FramingError | None
    """The damage; None if there is none."""


def join(
    paths: Sequence[str],
    options: Options,
    run: Run | None = None,
    checkpoint: Checkpoint | None = None,
    faults: list[DataError] | None = None,
) -> Joined:
    """Put files in order and leave out what is in two of them; files without a record are left out.

    With a checkpoint, the stretches that it needs come with them, and what was read before is left out. The files are
    read by `run` in other processes, if it is given. Raises FramingError LMP-F013 for files that are not of one log,
    and as opening a log does. With `faults`, errors of single files are added to it instead: such a file is joined up
    to its damage, or left out; there may be no piece then.
    """
    sizes = {path: _size(path, options, faults) for path in dict.fromkeys(paths)}
    stretches = [JoinedPiece(path, 0, size) for path, size in sizes.items() if size]
    needed: list[JoinedPiece] = []
    if checkpoint is not None:
        checkpoint.check(options.bounds)
        needed = [one.piece for one in checkpoint.needed]
        stretches = needed + stretches
    if not stretches:
        return Joined(tuple(JoinedPiece(path, 0, 0) for path, size in sizes.items() if size is not None)[:1])
    if len(stretches) == 1 and checkpoint is None:
        return Joined(tuple(stretches))
    try:
        settings = _known_settings(checkpoint, options) or _common_settings(stretches, options)
    except FramingError as error:
        if faults is None or error.code not in _UNDECIDED:
            raise
        faults += [_undecided(stretch.path, options, error) for stretch in stretches]
        return Joined(())
    tasks = [(stretch, options, settings) for stretch in stretches]
    found = map(_range_of, tasks) if run is None else run(_range_of, tasks)
    ranges = [one for one in (_sound(one, faults) for one in found) if one is not None]
    given = sorted(ranges[len(needed) :], key=lambda one: (one.first, one.last))
    return _Chain(options, settings, checkpoint).of([*ranges[: len(needed)], *given])


def _size(path: str, options: Options, faults: list[DataError] | None) -> int | None:
    try:
        return len(open_buffer(path, options.bounds))
    except DataError as error:
        if faults is None:
            raise
        faults.append(error.at(file=path))
        return None


def _undecided(path: str, options: Options, error: FramingError) -> DataError:
    """The error of one of the files of which none shows how it is framed."""
    try:
        find_log(path, options, None)
    except FramingError as own:
        return own.at(file=path)
    return error


def _sound(found: FileRange | FramingError, faults: list[DataError] | None) -> FileRange | None:
    """A stretch as it is to be joined: without `faults` with its damage, which is raised where it is read."""
    if isinstance(found, FramingError):
        if faults is None:
            raise found
        faults.append(found)
        return None
    if faults is None or found.fault is None:
        return found
    faults.append(found.fault)
    return replace(found, stretch=replace(found.stretch, end=found.sound_end))


def _range_of(task: tuple[JoinedPiece, Options, FileSettings]) -> FileRange | FramingError:
    try:
        return range_of(*task)
    except FramingError as error:
        error.at(file=task[0].path)
        return error


def range_of(stretch: JoinedPiece, options: Options, settings: FileSettings) -> FileRange:
    """What a stretch of a file has of a log, up to damage, which is in it.

    Raises FramingError LMP-F013 if its records are not in order, and for damage before the first record.
    """
    records, path, sound_end, links = 0, stretch.path, stretch.start, Links()
    fault: FramingError | None = None
    first: tuple[Position, tuple[int, int] | None] | None = None
    last: Position | None = None
    windows = _heads(stretch, options, settings)
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
        if not len(heads.lsn):
            continue
        if first is None:
            stated = (int(heads.stream[0]), int(heads.address[0])) if heads.address[0] else None
            first = heads.position(0), stated
        if (last is not None and heads.position(0) < last) or not heads.is_ascending:
            raise not_one_log("its records are not in the order of their positions", path)
        last = heads.position(-1)
    if first is None or last is None:
        raise fault or not_one_log("no record states its position", path)
    is_gapless = bool(links.ends) and not links.apart
    found = replace(stretch, records=records, is_gapless=is_gapless)
    return FileRange(found, first[0], last, first[1], links.ends, sound_end, fault)


@dataclass(frozen=True)
class _Heads:
    """The positions of the records of a window that have a sound header."""

    end: int
    """Offset behind the last record of the window."""
    count: int
    """Number of all records of the window."""
    index: UInt64s
    """Number of each record in the file."""
    start: UInt64s
    """Offset of each record with its prefix."""
    lfs: UInt64s
    lsn: UInt64s
    stream: UInt64s
    address: UInt64s
    links: Links

    def position(self, place: int) -> Position:
        return int(self.lfs[place]), int(self.lsn[place])

    @property
    def is_ascending(self) -> bool:
        later, same = self.lfs[1:] > self.lfs[:-1], self.lfs[1:] == self.lfs[:-1]
        return bool((later | (same & (self.lsn[1:] >= self.lsn[:-1]))).all())


def _heads(stretch: JoinedPiece, options: Options, settings: FileSettings) -> Iterator[_Heads]:
    """The positions of the records of a file. Raises FramingError for damage, behind those before it."""
    found, logs = find_log(stretch.path, options, settings)
    if logs.generation != "v10" and not found.framing.lead:
        raise not_one_log("no record states its log sequence number", stretch.path)
    reader = RecordColumnReader(logs, found.buffer, found.framing.name, settings.code_page, Held(options.bounds))
    place = stretch.start, stretch.end, stretch.first_record
    for window in index.windows(found.framing, found.buffer, *place, lead=reader.lead):
        heads = reader.heads(window)
        if heads is None:
            continue
        members, is_sound = heads
        members = members.take(is_sound & (members.lsn != 0))
        yield _Heads(
            int(window.offsets[-1] + window.lengths[-1]), len(window), members.index.view(np.uint64),
            (members.offset - reader.lead).view(np.uint64), members.lfs, members.lsn, members.stream.view(np.uint64),
            members.address, links_of(members),
        )  # fmt: skip


@dataclass
class _Chain:
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

    def of(self, ranges: Sequence[FileRange]) -> Joined:
        """All of them; those that the checkpoint needs come first, in their order."""
        known = self.checkpoint
        count = 0 if known is None else len(known.needed)
        for one in ranges[:count]:
            self._add(one, one.stretch)
        if known is not None:
            self.reached, self.ends = known.reached, dict(known.ends)
        for one in ranges[count:]:
            self._add(one, self._piece(one))
        if not self.filled and ranges:  # all has been read before; the log is still one
            return Joined((ranges[-1].stretch,))
        return Joined(tuple(self.pieces))

    def _add(self, one: FileRange, piece: JoinedPiece) -> None:
        self.pieces.append(piece)
        if piece.size:
            self.filled.append(len(self.pieces) - 1)
            self.firsts.append(max(one.first, (self.reached[0], self.reached[1] + 1)))
        self.reached = max(self.reached, one.last)
        for stream, end in one.ends.items():
            self.ends[stream] = max(end, self.ends.get(stream, 0))

    def _piece(self, one: FileRange) -> JoinedPiece:
        """What a stretch has that those before do not have. Raises FramingError LMP-F013."""
        stretch = one.stretch
        if one.first > self.reached:
            is_first = not self.filled and self.checkpoint is None
            return replace(stretch, missing=0 if is_first else self._missing(one))
        if self.filled and one.first >= self.firsts[0]:
            size, records = self._shared(one)
        else:
            found = self._find(stretch, self.reached, is_behind=True)
            size = stretch.size if found is None else found[1] - stretch.start
            records = stretch.records if found is None else found[0] - stretch.first_record
        return replace(
            stretch, start=stretch.start + size, first_record=stretch.first_record + records,
            records=stretch.records - records,
        )  # fmt: skip

    def _missing(self, one: FileRange) -> int | None:
        """Bytes of the log between the files so far and the next one; None if addresses do not show it."""
        if one.first_address is None:
            return None
        stream, address = one.first_address
        return max(address - self.ends[stream], 0) if stream in self.ends else None

    def _shared(self, one: FileRange) -> tuple[int, int]:
        """Bytes and records at the beginning of a stretch that those before have. Raises FramingError LMP-F013."""
        place = self.filled[max(bisect_right(self.firsts, one.first) - 1, 0)]
        joined, own = Joined(tuple(self.pieces[place:])), one.stretch
        piece = joined.pieces[0]
        found = self._find(piece, one.first)
        if found is None:
            raise not_one_log(f"it overlaps {piece.path}, which has no record at its first position", own.path)
        number, start = found[0] - piece.first_record, found[1] - piece.start
        size = min(joined.starts[-1] - start, own.size)
        self._compare(joined, start, own, size)
        return size, own.records if size == own.size else joined.records[-1] - number

    def _compare(self, joined: Joined, start: int, own: JoinedPiece, size: int) -> None:
        """Raise FramingError LMP-F013 if the bytes of joined files from `start` on are not those of a stretch."""
        before, behind = (open_buffer(path, self.options.bounds) for path in (joined.address, own.path))
        for begin in range(0, size, _COMPARED):
            end = min(begin + _COMPARED, size)
            if before[start + begin : start + end] != behind[own.start + begin : own.start + end]:
                where = f"between {own.start + begin:#x} and {own.start + end:#x}"
                raise not_one_log(f"it overlaps {joined.shown}, and differs from it {where}", own.path)

    def _find(self, piece: JoinedPiece, position: Position, *, is_behind: bool = False) -> tuple[int, int] | None:
        """Number and offset, in its file, of the first record at a position or, with `is_behind`, behind it."""
        with suppress(FramingError):  # no record behind damage is joined
            for heads in _heads(piece, self.options, self.settings):
                if len(heads.lsn) and heads.position(-1) >= position:
                    is_found = (heads.lfs == position[0]) & (heads.lsn == position[1])
                    if is_behind:
                        is_found = (heads.lfs > position[0]) | ((heads.lfs == position[0]) & (heads.lsn > position[1]))
                    places = np.flatnonzero(is_found)
                    if len(places):
                        return int(heads.index[places[0]]), int(heads.start[places[0]])
                    if not is_behind:
                        return None
        return None


def overlap(before: FileRange, behind: FileRange, options: Options, settings: FileSettings) -> tuple[int, int, int]:
    """How many records of a stretch another one in front of it has too; number and offset there of the first of them.

    Raises FramingError LMP-F013 if they have different records at the same positions.
    """
    chain, own, piece = _Chain(options, settings, None), behind.stretch, before.stretch
    found = chain._find(piece, behind.first)
    if found is None:
        raise not_one_log(f"it overlaps {piece.path}, which has no record at its first position", own.path)
    size = min(piece.end - found[1], own.size)
    chain._compare(Joined((piece,)), found[1] - piece.start, own, size)
    shared = own.records if size == own.size else piece.first_record + piece.records - found[0]
    return shared, *found


def first_position(path: str, options: Options, checkpoint: Checkpoint | None) -> str:
    """The position of the first record of a file, as text that sorts as positions do. Raises as `join` does."""
    stretch = JoinedPiece(path, 0, len(open_buffer(path, options.bounds)))
    settings = _known_settings(checkpoint, options) or _common_settings([stretch], options)
    for heads in _heads(stretch, options, settings):
        if len(heads.lsn):
            return "{:020X}{:020X}".format(*heads.position(0))
    raise not_one_log("no record states its position", path)


def form_of(settings: FileSettings) -> tuple[str, ...]:
    """How the files of a log are framed, as a checkpoint keeps it."""
    assert isinstance(settings.own, LuwSettings)
    return settings.framing, settings.byte_order or "", settings.own.generation


def _known_settings(checkpoint: Checkpoint | None, options: Options) -> FileSettings | None:
    """The settings that a checkpoint has kept; none has before the first record."""
    if checkpoint is None or not checkpoint.form:
        return None
    known = DB2_FRAMINGS, BYTE_ORDERS, GENERATIONS
    if len(checkpoint.form) != 3 or not all(map(contains, known, checkpoint.form)):
        raise OptionError("the checkpoint does not say how the files are framed", code="LMP-S030")
    framing, order, generation = checkpoint.form
    page = page_of(catalog.load(options.spec), options)
    return FileSettings(framing, order, page, LuwSettings(generation))


def _common_settings(stretches: Sequence[JoinedPiece], options: Options) -> FileSettings:
    """How all files are framed; files that are too short to show it are like the others."""
    found: dict[tuple[str, str | None, str], tuple[str, FileSettings]] = {}
    undecided: FramingError | None = None
    for path in dict.fromkeys(stretch.path for stretch in stretches):
        try:
            file, logs = find_log(path, options, None)
        except FramingError as error:
            if error.code not in _UNDECIDED:
                raise
            undecided = undecided or error
            continue
        found.setdefault(_form(file, logs), (path, replace(file.settings, own=LuwSettings(logs.generation))))
    if not found:
        assert undecided is not None
        raise undecided
    if len(found) > 1:
        (first, _), (second, _) = list(found.values())[:2]
        forms = " and ".join(" ".join(filter(None, form)) for form in list(found)[:2])
        raise not_one_log(f"it and {first} are framed in different ways: {forms}", second)
    return next(iter(found.values()))[1]


def _form(file: FoundFile, logs: LogReader) -> tuple[str, str | None, str]:
    framing: Framing = file.framing
    return framing.name, framing.byte_order, logs.generation


def not_one_log(why: str, path: str) -> FramingError:
    """The error of a file that is not a stretch of one log with others."""
    return FramingError(
        why, code="LMP-F013", file=path, hint="files of different logs are read apart, one command or load for each"
    )


def said(joined: Joined) -> Iterator[str]:
    """What the files of a log have twice or lack, in words; of very many the first ones, and how many more."""
    found = list(_said(joined))
    yield from found[:_MOST_SAID]
    if len(found) > _MOST_SAID:
        yield f"files overlap, or bytes of the log are in none, at {len(found) - _MOST_SAID} more places"


def _said(joined: Joined) -> Iterator[str]:
    before: JoinedPiece | None = None
    for piece in joined.pieces:
        if before is None:
            if piece.missing:
                yield f"in front of {piece.path}, {piece.missing} bytes of the log have not been read"
        elif not piece.size:
            yield f"all records of {piece.path} are in the files before it too: they are read once"
        elif piece.first_record:
            yield f"the first {piece.first_record} records of {piece.path} are in {before.path} too: they are read once"
        elif piece.missing is None:
            yield f"whether {piece.path} follows {before.path} cannot be tested: their records state no address"
        elif piece.missing:
            yield (
                f"between {before.path} and {piece.path}, {piece.missing} bytes of the log are in neither file: "
                "records are missing, or the filter of the API left them out"
            )
        if piece.size:
            before = piece
