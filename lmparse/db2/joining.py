"""Joining: several files of one Db2 LUW log, put in order by the positions of their records.

A position is log flush sequence and log sequence number, which ascend along the log. Files may overlap: what is in two
of them must be the same bytes, and is read once. Where records state their address, that shows whether bytes of the log
are missing between two files. What the filter of the API left out is missing too, and looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.file_chain import FileChain
from lmparse.db2.file_ranges import FileRange, not_one_log, range_of
from lmparse.db2.settings import LuwSettings, find_log, is_explained, known_settings
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.storage.processes import Run

_UNDECIDED = ("LMP-F003", "LMP-F004")
"""Errors of files that are too short to show how they are framed."""
_MOST_SAID = 20
"""Most places between files of which a log says what is twice or missing there."""


def join(
    paths: Sequence[str],
    options: Options,
    run: Run | None = None,
    checkpoint: Checkpoint | None = None,
    faults: list[DataError] | None = None,
) -> Joined:
    """Put files in order and leave out what is in two of them; files without a record are left out.

    With a checkpoint, what it needs again comes with them, and what was read before is left out. The files are read by
    `run` in other processes, if it is given. Raises FramingError LMP-F013 for files that are not of one log, LMP-F014
    for one that comes too late for the checkpoint, OptionError LMP-S003 for bytes of files that are not records, and as
    opening a log does. With `faults`, errors of single files are added to it instead: such a file is joined up to its
    damage, or left out; there may be no piece then.
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
    ranges = [one for one in (_sound(one, faults) for one in found) if one is not None]
    files = sorted(ranges[len(needed) :], key=lambda one: (one.first, one.last))
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
    """A file as it is to be joined: without `faults` with its damage, which is raised where it is read."""
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
    """How all files are framed; files that are too short to show it are like the others."""
    found: dict[tuple[str, str | None, str], tuple[str, FileSettings]] = {}
    undecided: FramingError | None = None
    for path in dict.fromkeys(piece.path for piece in pieces):
        if len(found) == 1 and is_explained(path, options, next(iter(found.values()))[1]):
            continue  # found out for itself, it would be the same, at many times the cost
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
    """The error of one of the files of which none shows how it is framed."""
    try:
        find_log(path, options, None)
    except FramingError as own:
        return own.at(file=path)
    return error


def said(joined: Joined) -> Iterator[str]:
    """What is said of the files of a log; of very many the first notes, and how many more."""
    found = [piece.note for piece in joined.pieces if piece.note]
    yield from found[:_MOST_SAID]
    if len(found) > _MOST_SAID:
        yield f"files overlap, or bytes of the log are in none, at {len(found) - _MOST_SAID} more places"
