"""Joining: several files of one Db2 LUW log, put in order by the positions of their records.

A position is log flush sequence and log sequence number, which ascend along the log. Files may overlap: what is in two
of them must be the same bytes, and is read once. Where records state their address, that shows whether bytes of the log
are missing between two files. What the filter of the API left out is missing too, and looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lmparse.changes.checkpoint import MOST_KNOWN, Checkpoint
from lmparse.db2.file_chain import FileChain
from lmparse.db2.file_form import UNDECIDED, common_settings, known_settings, undecided_error
from lmparse.db2.file_ranges import FileRange, file_heads, not_one_log, range_of
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.storage.processes import Run

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

    With a checkpoint, the stretches that it needs come with them, and what was read before is left out. The files are
    read by `run` in other processes, if it is given. Raises FramingError LMP-F013 for files that are not of one log,
    OptionError LMP-S003 for bytes of files that are not records, and as opening a log does. With `faults`, errors of
    single files are added to it instead: such a file is joined up to its damage, or left out; there may be no piece
    then.
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
    if options.file_start_offset or options.file_end_offset:
        raise OptionError(
            "fileStartOffset and fileEndOffset mean nothing for files read as one log, nor behind a checkpoint",
            hint="copy the records of each file into one of its own",
        )
    try:
        settings = known_settings(checkpoint, options) or common_settings(stretches, options)
    except FramingError as error:
        if faults is None or error.code not in UNDECIDED:
            raise
        faults += [undecided_error(stretch.path, options, error) for stretch in stretches]
        return Joined(())
    tasks = [(stretch, options, settings) for stretch in stretches]
    found = map(_range_of, tasks) if run is None else run(_range_of, tasks)
    ranges = [one for one in (_sound(one, faults) for one in found) if one is not None]
    given = sorted(ranges[len(needed) :], key=lambda one: (one.first, one.last))
    return FileChain(options, settings, checkpoint).of([*ranges[: len(needed)], *given])


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


def first_position(path: str, options: Options, checkpoint: Checkpoint | None) -> str:
    """The position of the first record of a file, as text that sorts as positions do. Raises as `join` does."""
    stretch = JoinedPiece(path, 0, len(open_buffer(path, options.bounds)))
    settings = known_settings(checkpoint, options) or common_settings([stretch], options)
    for heads in file_heads(stretch, options, settings, max_records=1):
        if len(heads.lsn):
            return "{:020X}{:020X}".format(*heads.position(0))
    raise not_one_log("no record states its position", path)


def said(joined: Joined) -> Iterator[str]:
    """What the files of a log have twice or lack, in words; of very many the first ones, and how many more."""
    found = list(_said(joined))
    yield from found[:_MOST_SAID]
    if len(found) > _MOST_SAID:
        yield f"files overlap, or bytes of the log are in none, at {len(found) - _MOST_SAID} more places"


def _said(joined: Joined) -> Iterator[str]:
    before: JoinedPiece | None = None
    for piece in joined.pieces:
        if piece.is_doubtful:
            yield (
                f"whether {piece.path}, or a file in front of it, was read before is not known, and what is in front "
                "of the checkpoint is left out: it has none of the records that the checkpoint has kept, which are the "
                f"last one of each file, of the newest {MOST_KNOWN} files"
            )
        elif before is None:
            if piece.missing:
                yield f"in front of {piece.path}, {piece.missing} bytes of the log have not been read"
            elif piece.untold:
                yield f"whether bytes of the log are missing in front of {piece.path} is not known: {piece.untold}"
        elif piece.is_unread:
            yield f"{piece.path} is not read: it is behind the damage of {before.path}"
        elif not piece.size:
            yield f"all records of {piece.path} are in the files before it too: they are read once"
        elif piece.first_record:
            yield f"the first {piece.first_record} records of {piece.path} are in {before.path} too: they are read once"
        elif piece.missing is None:
            why = piece.untold or "their records state no address"
            yield f"whether {piece.path} follows {before.path} cannot be tested: {why}"
        elif piece.missing:
            yield (
                f"between {before.path} and {piece.path}, {piece.missing} bytes of the log are in neither file: "
                "records are missing, or the filter of the API left them out"
            )
        if piece.damaged:
            yield (
                f"the last {piece.damaged} bytes of {piece.path}, from {piece.end:#x} on, are damaged or cut short: "
                "the records from there on are read from other files"
            )
        if piece.size:
            before = piece
