"""File form: how the files of one Db2 LUW log are read, which a short one among them need not show."""

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
_LOB = 3
"""Where a form has the number of the first column in LOB records."""


def form_of(settings: FileSettings, lob_columns_from: int | None = None) -> tuple[str, ...]:
    """How the files of a log are read, as a checkpoint keeps it: framing, byte order, generation, and the number of the
    first column in LOB records, once that is proven."""
    assert isinstance(settings.own, LuwSettings)
    own = settings.framing, settings.byte_order or "", settings.own.generation
    return own if lob_columns_from is None else (*own, str(lob_columns_from))


def known_lob_columns_from(checkpoint: Checkpoint) -> int | None:
    """The number of the first column in LOB records that files before a checkpoint have proven; None if none has."""
    return int(checkpoint.form[_LOB]) if len(checkpoint.form) > _LOB else None


def known_form(checkpoint: Checkpoint) -> tuple[str, str, str]:
    """Framing, byte order and generation that a checkpoint has kept. Raises OptionError LMP-S030 if it has not."""
    known = DB2_FRAMINGS, BYTE_ORDERS, GENERATIONS, ("0", "1")
    if not _LOB <= len(checkpoint.form) <= len(known) or not all(map(contains, known, checkpoint.form)):
        raise OptionError("the checkpoint does not say how the files are read", code="LMP-S030")
    framing, order, generation = checkpoint.form[:_LOB]
    return framing, order, generation


def known_settings(checkpoint: Checkpoint | None, options: Options) -> FileSettings | None:
    """The settings that a checkpoint has kept; none has before the first record."""
    if checkpoint is None or not checkpoint.form:
        return None
    framing, order, generation = known_form(checkpoint)
    page = page_of(catalog.load(options.spec), options)
    return FileSettings(framing, order, page, LuwSettings(generation))


def known_reader(checkpoint: Checkpoint, options: Options) -> LogReader | None:
    """The reader of the records that a checkpoint has kept."""
    found = known_settings(checkpoint, options)
    if found is None:
        return None
    assert isinstance(found.own, LuwSettings)
    return LogReader(found.own.generation, found.byte_order or "", found.framing, found.code_page)


def common_settings(pieces: Sequence[JoinedPiece], options: Options) -> FileSettings:
    """How all files are framed; files that are too short to show it are like the others."""
    found: dict[tuple[str, str | None, str], tuple[str, FileSettings]] = {}
    undecided: FramingError | None = None
    for path in dict.fromkeys(piece.path for piece in pieces):
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
