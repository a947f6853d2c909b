"""Settings of a Db2 LUW log: framing, byte order and generation, as the bytes prove them or options name them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from operator import contains
from pathlib import Path
from typing import Any

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.record import log_record
from lmparse.db2.transactions.log_part import LogPart
from lmparse.errors import FramingError, OptionError
from lmparse.framing.base import Framing
from lmparse.framing.detection import detect, try_framings
from lmparse.framing.framings import named_framing
from lmparse.options import DB2_FRAMINGS, Options
from lmparse.records.reader import RecordReader
from lmparse.records.settings import Decision, FamilySettings, FileSettings, FoundFile, framing_options, page_of, proof
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer, open_buffer
from lmparse.storage.joined import joined_of

_SAMPLE = 64
_LOB = 3
"""Place of the number of the first column of LOB records in the form of a checkpoint."""


@dataclass(frozen=True, slots=True)
class LuwSettings(FamilySettings):
    """Facts about a whole Db2 LUW log that readers of its parts need."""

    generation: str
    table_ids: frozenset[tuple[Any, ...]] | None = None
    """Ids of the table that the options name, once the table is looked up."""
    part: LogPart | None = None
    """What a part must know of the rest of the log."""


def find_log(path: str | Path, options: Options, known: FileSettings | None) -> tuple[FoundFile, log_record.LogReader]:
    """Find out how the records of a log are read; for a part of it, `known` has the settings of the whole log.

    Raises FramingError, and OptionError for a framing that Db2 LUW log records do not have.
    """
    buffer = open_buffer(path, options.bounds)
    page = page_of(catalog.load(options.spec), options, known)
    decisions: Sequence[Decision] = ()
    if known is not None and isinstance(known.own, LuwSettings):
        own, framing = known.own, named_framing(known.framing, options, None, known.byte_order)
    else:
        try:
            framing, generation, decisions = _prove(buffer, options)
            if options.generation != "auto":
                _check_generation(buffer, framing, generation)
        except FramingError as error:
            joined = joined_of(str(path))
            error.at(file=str(path) if joined is None else joined.shown)
            raise
        own = LuwSettings(generation)
    order = framing.byte_order or ""
    logs = log_record.LogReader(own.generation, order, framing.name, page)
    detection = log_record.detection(framing.name, order, own.generation)
    said = (*decisions, *framing_options(options)) if decisions else ()
    reader = RecordReader(
        logs.records.spec, code_page=page, arguments=logs.records.arguments, labels=options.enums == "labels"
    )
    return FoundFile(buffer, detection, framing, reader, said, own), logs


def is_explained(path: str, options: Options, known: FileSettings) -> bool:
    """Whether the settings of another file explain all first records of a file. Then no other settings fit better."""
    assert isinstance(known.own, LuwSettings)
    buffer, order = open_buffer(path, options.bounds), known.byte_order or ""
    if not len(buffer):
        return False
    generation = known.own.generation
    # The generation is tested once, below, for all records.
    detection = replace(log_record.detection(known.framing, order, generation), test=lambda records, framing: None)
    try:
        (trial,) = try_framings(buffer, detection, [named_framing(known.framing, options, None, order)])
    except FramingError:
        return False
    records = [extent.read(buffer) for extent in trial.extents]
    return trial.is_proven and log_record.explained(records, order, (generation,))[generation] == len(records)


def _prove(buffer: Buffer, options: Options) -> tuple[Framing, str, Sequence[Decision]]:
    """Framing, generation, and the decisions for them. Raises FramingError, OptionError."""
    name, order, generation = options.framing, options.byte_order, options.generation
    if name not in ("auto", *DB2_FRAMINGS):
        raise OptionError(f"framing {name} is not one of log records", hint="one of " + ", ".join(DB2_FRAMINGS))
    is_named, is_empty = name != "auto" and order != "auto", not len(buffer)
    otherwise = log_record.GENERATIONS[-1] if generation == "auto" else generation
    if is_named and (generation != "auto" or is_empty):
        said = Decision("framing", f"{name} {order} {generation}", "option")
        return named_framing(name, options, None, order), otherwise, [said]
    if is_empty and (name != "auto" or options.tables is not None):
        name = DB2_FRAMINGS[0] if name == "auto" else name
        order = log_record.BYTE_ORDERS[0] if order == "auto" else order
        return named_framing(name, options, None, order), otherwise, [Decision("framing", name, "the file is empty")]
    detection = log_record.detection(name, order, generation)
    if is_named:
        (trial,) = try_framings(buffer, detection, [named_framing(name, options, None, order)])
    else:
        trial = detect(buffer, detection, options.bounds, options)
    records = [extent.read(buffer) for extent in trial.extents]
    order = trial.framing.byte_order or ""
    if not records and trial.fault is not None:
        raise trial.fault
    if generation == "auto":
        generation = log_record.prove_generation(records, order)
    count = log_record.explained(records, order, (generation,))[generation]
    evidence = f"explains {count} of {len(records)} records to the last byte"
    said_order = Decision("byte order", order, "the lengths of the records")
    return trial.framing, generation, [proof(trial), said_order, Decision("generation", generation, evidence)]


def _check_generation(buffer: Buffer, framing: Framing, generation: str) -> None:
    """Raise FramingError LMP-F005 if another generation than the named one explains the records."""
    raws: list[bytes] = []
    with suppress(FramingError):
        raws.extend(extent.read(buffer) for extent in islice(framing.extents(buffer), _SAMPLE))
    order = framing.byte_order or ""
    if log_record.explained(raws, order, (generation,))[generation] * log_record.MARGIN >= len(raws):
        return  # no other generation can explain far more records
    counts = log_record.explained(raws, order)
    best = max(counts, key=lambda name: counts[name])
    # Among few damaged records, one may fit another generation by chance.
    if counts[best] > log_record.MARGIN * counts[generation] and 2 * counts[best] > len(raws):
        raise FramingError(
            f"the records are not of generation {generation}", code="LMP-F005", expected=f"generation {generation}",
            found=f"records that look like generation {best}",
            hint="name the other generation, or leave it to the records",
        )  # fmt: skip


# -- what a checkpoint keeps ------------------------------------------------------------------


def form_of(settings: FileSettings, lob_columns_from: int | None = None) -> tuple[str, ...]:
    """How the files of a log are read, as a checkpoint keeps it: framing, byte order, generation, and the number of the
    first column in LOB records if it is proven."""
    assert isinstance(settings.own, LuwSettings)
    own = settings.framing, settings.byte_order or "", settings.own.generation
    return own if lob_columns_from is None else (*own, str(lob_columns_from))


def known_lob_columns_from(checkpoint: Checkpoint) -> int | None:
    """The number of the first column in LOB records, if files in front of a checkpoint have proven it."""
    return int(checkpoint.form[_LOB]) if len(checkpoint.form) > _LOB else None


def known_settings(checkpoint: Checkpoint | None, options: Options) -> FileSettings | None:
    """The settings that a checkpoint keeps. A checkpoint in front of the first record has none.

    Raises OptionError LMP-S030 if it has others than a log.
    """
    if checkpoint is None or not checkpoint.form:
        return None
    known = DB2_FRAMINGS, log_record.BYTE_ORDERS, log_record.GENERATIONS, ("0", "1")
    if not _LOB <= len(checkpoint.form) <= len(known) or not all(map(contains, known, checkpoint.form)):
        raise OptionError("the checkpoint does not say how the files are read", code="LMP-S030")
    framing, order, generation = checkpoint.form[:_LOB]
    page = page_of(catalog.load(options.spec), options)
    return FileSettings(framing, order, page, LuwSettings(generation))


def known_reader(checkpoint: Checkpoint, options: Options) -> log_record.LogReader | None:
    """The reader of the records that a checkpoint keeps; None if the checkpoint has no settings."""
    found = known_settings(checkpoint, options)
    if found is None:
        return None
    assert isinstance(found.own, LuwSettings)
    return log_record.LogReader(found.own.generation, found.byte_order or "", found.framing, found.code_page)
