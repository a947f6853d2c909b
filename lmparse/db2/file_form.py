"""File form: how the files of one Db2 LUW log are framed, which a short one among them need not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import contains

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.file_ranges import not_one_log
from lmparse.db2.log_record import BYTE_ORDERS, GENERATIONS, LogReader
from lmparse.db2.settings import LuwSettings, find_log, is_explained
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.base import Framing
from lmparse.options import DB2_FRAMINGS, Options
from lmparse.records.settings import FileSettings, FoundFile, page_of
from lmparse.spec import catalog
from lmparse.storage.joined import JoinedPiece

UNDECIDED = ("LMP-F003", "LMP-F004")
"""Errors of files that are too short to show how they are framed."""


def form_of(settings: FileSettings) -> tuple[str, ...]:
    """How the files of a log are framed, as a checkpoint keeps it."""
    assert isinstance(settings.own, LuwSettings)
    return settings.framing, settings.byte_order or "", settings.own.generation


def known_settings(checkpoint: Checkpoint | None, options: Options) -> FileSettings | None:
    """The settings that a checkpoint has kept; none has before the first record."""
    if checkpoint is None or not checkpoint.form:
        return None
    known = DB2_FRAMINGS, BYTE_ORDERS, GENERATIONS
    if len(checkpoint.form) != 3 or not all(map(contains, known, checkpoint.form)):
        raise OptionError("the checkpoint does not say how the files are framed", code="LMP-S030")
    framing, order, generation = checkpoint.form
    page = page_of(catalog.load(options.spec), options)
    return FileSettings(framing, order, page, LuwSettings(generation))


def known_reader(checkpoint: Checkpoint, options: Options) -> LogReader | None:
    """The reader of the records that a checkpoint has kept."""
    found = known_settings(checkpoint, options)
    if found is None:
        return None
    assert isinstance(found.own, LuwSettings)
    return LogReader(found.own.generation, found.byte_order or "", found.framing, found.code_page)


def common_settings(stretches: Sequence[JoinedPiece], options: Options) -> FileSettings:
    """How all files are framed; files that are too short to show it are like the others."""
    found: dict[tuple[str, str | None, str], tuple[str, FileSettings]] = {}
    undecided: FramingError | None = None
    for path in dict.fromkeys(stretch.path for stretch in stretches):
        if len(found) == 1 and is_explained(path, options, next(iter(found.values()))[1]):
            continue  # found out for itself, it would be the same, at many times the cost
        try:
            file, logs = find_log(path, options, None)
        except FramingError as error:
            if error.code not in UNDECIDED:
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


def undecided_error(path: str, options: Options, error: FramingError) -> DataError:
    """The error of one of the files of which none shows how it is framed."""
    try:
        find_log(path, options, None)
    except FramingError as own:
        return own.at(file=path)
    return error
