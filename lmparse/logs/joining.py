"""Joining: the path under which the files of one log are read as one, from the beginning or behind a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lmparse.changes.checkpoint import BEGINNING, Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.errors import ControlError, DataError, FramingError, OptionError
from lmparse.logs.families import family_of, without_descriptions
from lmparse.logs.sniff import of_another_kind
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.joined import names_in
from lmparse.storage.listing import list_files, names_several
from lmparse.storage.outputs import Inputs, OutputPlace, begins_with, check_place, inputs_of
from lmparse.storage.processes import Run


def is_several(paths: Sequence[str | Path]) -> bool:
    """Whether paths name the files of one log: several paths, a folder, or a pattern of names."""
    return len(paths) != 1 or names_several(str(paths[0]))


def one_log(paths: Sequence[str | Path], options: Options) -> tuple[str, Options]:
    """The path under which files, folders and patterns are read as one log, and the options for reading it.

    Files that describe a log are left out; so is, in folders and patterns, the checkpoint of an earlier run, which this
    run replaces. With the option `checkpoint`, reading continues behind the checkpoint. Raises FramingError LMP-F001
    for a path that names no file, LMP-F013 if the files are not of one log. Raises OptionError for a log that is read
    from one file, LMP-S030 for a bad checkpoint.
    """
    if options.checkpoint is None and not is_several(paths):
        return str(paths[0]), options
    before = None
    if options.checkpoint is not None:
        check_resumed(options)
        before = checkpoint_before(options)
    names = without_descriptions(_without(options.checkpoint, paths), options)
    if not names:
        raise FramingError("has no file that could be a log", code="LMP-F001", file=str(paths[0]))
    found = log_paths(names, options, checkpoint=before)
    if not found:
        raise OptionError(f"{len(names)} files, and none is a log")
    if len(found) > 1:
        text = "is not of the same log as the files before it: they name different systems"
        hint = "files of different logs are read apart, one command or load for each"
        raise FramingError(text, code="LMP-F013", file=names_in(found[1])[0], hint=hint)
    if before is not None:
        options = replace(options, starting_after=max(before.seq, options.starting_after or ""))
    return found[0], options


def files_without(output: str | None, paths: Sequence[str | Path]) -> list[str]:
    """The paths of a log's files, without the output of an earlier run that only a folder or a pattern names.

    The beginning run replaces this output. Raises FramingError LMP-F001 for a path that names no file.
    """
    if output is None or not is_several(paths):
        return list(map(str, paths))
    return _without(output, paths) or list(map(str, paths))


def _without(output: str | None, paths: Sequence[str | Path]) -> list[str]:
    """The files that paths name, without an output, unless a path names the output itself."""
    named = list(map(str, paths))
    names = list_files(named)
    if output is None or addresses.is_remote(output):
        return names
    own = os.path.realpath(addresses.local_path(output))
    return [
        name for name in names
        if name in named or addresses.is_remote(name) or os.path.realpath(addresses.local_path(name)) != own
    ]  # fmt: skip


def log_paths(
    names: Sequence[str],
    options: Options,
    run: Run | None = None,
    checkpoint: Checkpoint | None = None,
    faults: list[DataError] | None = None,
) -> list[str]:
    """The path of each log among some files, without control files; `run` reads files in other processes.

    With a list, `faults` collects the errors of files, and readable files are joined.
    """
    if len(names) == 1 and options.checkpoint is None:
        return list(names)
    family = family_of(catalog.load(options.spec))
    if family is None or family.join is None:
        what = "checkpoint: " if options.checkpoint is not None else f"{len(names)} files: "
        raise OptionError(f"{what}{options.spec} is read from one file at a time")
    control = family.control
    data = [name for name in names if control is None or not control.is_one(name, options.bounds)]
    if not data or (len(data) == 1 and options.checkpoint is None):
        return data
    try:
        logs = family.join(data, options, run, checkpoint, faults)
    except (ControlError, FramingError) as error:
        raise of_another_kind(error.file, options, error) from None
    if faults is not None:
        faults[:] = [of_another_kind(fault.file, options, fault) for fault in faults]
    return [log.pieces[0].path if len(log.pieces) == 1 and checkpoint is None else log.address for log in logs]


def checkpoint_before(options: Options) -> Checkpoint | None:
    """The checkpoint that the options name; None before the first.

    Raises OptionError LMP-S021 for an impossible place, LMP-S030 for a bad checkpoint.
    """
    if options.checkpoint is None:
        return None
    # The place of the next checkpoint, in whatever form, such as a `file:` address.
    place = check_place(options.checkpoint, inputs_of([]), is_folder=False, overwrite=True, foreign=lambda path: None)
    if not os.path.lexists(place.path):
        return None
    found = Checkpoint.read(place.path, options.bounds)
    if found.spec != catalog.load(options.spec).id:
        raise OptionError(f"{options.checkpoint} is of a log of {found.spec}", code="LMP-S030")
    return found


def checkpoint_behind(log: ChangeLog) -> Checkpoint:
    """The checkpoint behind a log that has been read. Raises OptionError, and FramingError for a damaged log."""
    family = family_of(log.spec)
    if family is None or family.checkpoint is None:
        raise OptionError(f"checkpoint: {log.spec.id} is read from one file at a time")
    found: Checkpoint = family.checkpoint(log)
    return found


def checkpoint_place(options: Options, inputs: Inputs) -> OutputPlace:
    """The place for the next checkpoint. Raises OptionError LMP-S021 if another file is there."""
    assert options.checkpoint is not None
    foreign = begins_with(BEGINNING, "a checkpoint of lmparse")
    return check_place(options.checkpoint, inputs, is_folder=False, overwrite=True, foreign=foreign)


def check_resumed(options: Options) -> None:
    """Raise OptionError for options that would leave changes out now, although later runs do not give them."""
    if options.include != ("committed",):
        raise OptionError("checkpoint is for committed changes", hint="leave include out")
    for name in ("starting_seq", "starting_timestamp", "ending_seq", "ending_timestamp"):
        if getattr(options, name) is not None:
            raise OptionError(f"checkpoint and {name} contradict each other: the checkpoint says where to go on")
