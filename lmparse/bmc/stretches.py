"""Stretches: extracts of one log in their order, and what is in several of them, missing between them or undecided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate

import numpy as np

from lmparse.bmc.change_copies import copies_apart
from lmparse.bmc.change_numbers import Clock, number_changes
from lmparse.bmc.extract_heads import POSITION_FIELDS, ExtractHeads, heads_of, open_extract
from lmparse.bmc.extract_settings import ExtractSettings, LentSegment, moved, numbered
from lmparse.bmc.header_differences import differing_headers, have_members, is_one_clock
from lmparse.bmc.interpretation import LogSettings
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.merged_outcomes import Found, MergedOutcomes
from lmparse.bmc.read_before import ReadBefore
from lmparse.bmc.repeated_changes import IDENTITY_FIELDS, Given, Shared, place_of, shared_records, whole_changes
from lmparse.bmc.segments import Segment
from lmparse.bmc.split_changes import split_changes
from lmparse.bmc.unit_outcomes import widths
from lmparse.changes.checkpoint import Checkpoint
from lmparse.framing.extents import RecordExtent
from lmparse.options import Options
from lmparse.storage.processes import Run

_MOST_SAID = 20
"""Most places between extracts of which a log says what is twice or missing there."""

_MOST_OPEN = 8
"""Most extracts that are kept open where single records of them are read."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """One extract, and what the others say of it."""

    heads: ExtractHeads
    settings: ExtractSettings
    units: Found = field(default_factory=Found)
    """What the others state of the units that it calls open."""
    repeats: int = 0
    """Number of its changes that other extracts have too."""
    continues: bool = False
    """Whether it has a change of a unit that an extract before it has with its outcome: then nothing is missing."""
    notes: tuple[str, ...] = ()
    """What cannot be compared in the whole log."""

    @property
    def path(self) -> str:
        """The data file."""
        return self.heads.path


def found(
    files: Sequence[tuple[str, str]], options: Options, run: Run | None, checkpoint: Checkpoint | None
) -> list[Stretch]:
    """The extracts with these data files and control files, in their order. `run` reads them in other processes.

    Raises FramingError LMP-F013 if they are not of one log, LMP-F014 if one comes too late for the checkpoint, and
    FileLimitError LMP-L004.
    """
    many: Run = run or map
    before = None if checkpoint is None else ReadBefore(checkpoint)
    heads = list(many(heads_of, [(path, control, options, before) for path, control in files]))
    heads.sort(key=lambda one: (one.last, one.first, one.path))
    merged = MergedOutcomes(heads)
    for one in heads:
        if before is not None and len(one.unread_units):
            before.check_in_time(one.path, one.unread_units, merged.of(one).outcomes)
    given, lent, notes = _shared(heads, merged, options, many)
    notes = *differing_headers(heads), *notes
    places = _places(heads)
    again = set() if checkpoint is None else {one.path for one in checkpoint.needed}
    return [
        _stretch(one, merged.of(one), own, segments, notes, places, one.path in again)
        for one, own, segments in zip(heads, given, lent, strict=True)
    ]


def _places(heads: Sequence[ExtractHeads]) -> dict[str, tuple[int, int]]:
    """How many records and bytes of the log are in front of each extract, by its path."""
    found, records, size = {}, 0, 0
    for one in heads:
        found[one.path] = records, size
        records, size = records + one.records, size + one.size
    return found


def _stretch(
    heads: ExtractHeads, units: Found, given: Given, lent: Sequence[LentSegment], notes: tuple[str, ...],
    places: Mapping[str, tuple[int, int]], is_again: bool,
) -> Stretch:  # fmt: skip
    offsets, ordinals = numbered(given.ordinals)
    elsewhere = np.array(sorted(given.elsewhere), np.int64)
    placed = tuple(replace(one, extent=moved(one.extent, *places[one.path])) for one in lent)
    settings = ExtractSettings(
        heads.path, heads.control, units.outcomes, elsewhere, offsets, ordinals, placed, *places[heads.path],
        misnumbered=np.array(sorted(given.misnumbered), np.int64),
        starts=np.array(sorted(given.starts), np.int64), is_again=is_again,
    )  # fmt: skip
    return Stretch(heads, settings, units, given.repeats, given.continues, notes)


# -- changes in several extracts --------------------------------------------------------------------


def _shared(
    heads: Sequence[ExtractHeads], merged: MergedOutcomes, options: Options, many: Run
) -> tuple[list[Given], list[list[LentSegment]], tuple[str, ...]]:
    """What each extract leaves to others, the segments that are lent to it, and what cannot be compared."""
    tasks, places = [], []
    absent = {name for one in heads for name in one.absent}
    fields = tuple(name for name in IDENTITY_FIELDS if name not in absent)
    near = _near(heads)
    forms = {heads[number].form for number in near}
    for number, (before, after) in near.items():
        tasks.append(Shared(heads[number], options, before, after, fields, len(forms) == 1))
        places.append(number)
    given, lent = [Given() for _ in heads], list[list[LentSegment]]([[] for _ in heads])
    if not tasks:
        return given, lent, ()
    own = [heads[number] for number in places]
    found = list(many(shared_records, tasks))
    position = sum(widths([name for name in fields if name in POSITION_FIELDS]))
    is_of_one = not have_members(heads) or not {"log_lrsn", "member_id"}.isdisjoint(fields)
    is_of_one = is_of_one and "uor_id" in fields  # else units are not named: an error where changes are read
    apart, copies = copies_apart(found)
    some, rows = whole_changes(found, own, apart)
    read = _RecordReader(own, merged, options)
    split = split_changes(copies, found, own, some, read, rid=place_of("rid", fields), has_data=len(forms) == 1)
    contradicting = number_changes(
        rows, split.placed, some, split.lent, own, position, clock=_clock(fields), is_of_one=is_of_one
    )
    for number, one, segments in zip(places, some, split.lent, strict=True):
        given[number], lent[number] = one, segments
    notes = []
    if len(forms) > 1:
        notes.append(
            "DATA of changes in several extracts is not compared: EXPANDVAR or DATEFORMAT of DLDS differ; those of one "
            "position, unit of recovery, RID and type are taken for one"
        )
    if split.untested:
        notes.append(
            f"statements whose segments are in several extracts: {split.untested}; nothing shows whether these cut "
            "them at the same places"
        )
    if split.unpaired:
        notes.append(
            f"positions with several changes of one RID and type: {split.unpaired}; nothing shows which of two "
            "extracts are the same, so one may be given twice, or not at all"
        )
    if contradicting:
        notes.append(
            f"positions inside of two extracts that have different changes there: {contradicting}; one of them may be "
            "given twice"
        )
    return given, lent, tuple(notes)


def _clock(fields: Sequence[str]) -> Clock:
    """As `extract_heads.positions`, of an identity with some fields."""
    member, lrsn, rba = (place_of(name, fields) for name in POSITION_FIELDS)
    return lambda identity: identity[lrsn if any(identity[member]) and "log_lrsn" in fields else rba]


def _near(heads: Sequence[ExtractHeads]) -> dict[int, tuple[bytes, bytes]]:
    """The extracts that have positions in common with others, by number: the last position of those before each, and
    the first one of those behind it; empty if it has no record there.

    Where positions cannot be compared, all records may be in others too.
    """
    stated = [number for number, one in enumerate(heads) if one.first]
    if not is_one_clock(heads):
        return {number: (heads[number].last, b"") for number in stated}
    lasts = list(accumulate((heads[number].last for number in stated), max))
    firsts = list(accumulate((heads[number].first for number in reversed(stated)), min))[::-1]
    found = {}
    for place, number in enumerate(stated):
        one = heads[number]
        before = lasts[place - 1] if place else b""
        after = firsts[place + 1] if place + 1 < len(stated) else b""
        near = before if before >= one.first else b"", after if after and after <= one.last else b""
        if any(near):
            found[number] = near
    return found


class _RecordReader:
    """Reads records of extracts, of which it keeps a few open."""

    def __init__(self, heads: Sequence[ExtractHeads], merged: MergedOutcomes, options: Options) -> None:
        self._heads, self._merged, self._options = heads, merged, options
        self._log = lru_cache(_MOST_OPEN)(self._opened)

    def __call__(self, rank: int, extent: RecordExtent, ordinal: int = 0) -> Segment:
        log = self._log(rank)
        return Segment(extent, log.read_bytes(extent.read(log.buffer)), ordinal)

    def _opened(self, rank: int) -> LogicalLog:
        one = self._heads[rank]
        own = LogSettings(extract=ExtractSettings(one.path, one.control, self._merged.of(one).outcomes))
        return open_extract(one.path, one.control, self._options, replace(one.settings, own=own))


# -- what is said -----------------------------------------------------------------------------------


def said(stretches: Sequence[Stretch]) -> Iterator[str]:
    """What is in several extracts, missing or undecided, in words; of very many the first ones, and how many more."""
    found = [*stretches[0].notes, *_said(stretches)]
    yield from found[:_MOST_SAID]
    if len(found) > _MOST_SAID:
        yield f"the same of {len(found) - _MOST_SAID} more extracts"


def _said(stretches: Sequence[Stretch]) -> Iterator[str]:
    before: Stretch | None = None
    for one in stretches:
        if one.repeats:
            yield f"changes of {one.path} that other extracts have too: {one.repeats}; each is given once"
        if one.units.undecided:
            yield (
                f"units of recovery that {one.path} calls open and that were committed later, with compensations: "
                f"{one.units.undecided}; what no later extract repeats of them stays open, since it may have been "
                "taken back"
            )
        for name, count in one.units.unstated.items():
            yield (
                f"units of recovery that {one.path} calls open and that were committed later: {count}; the headers of "
                f"the extracts that say so have no {name}"
            )
        if before is not None and not one.continues:
            where = f"between {before.path} and {one.path}"
            yield f"whether changes are missing {where} cannot be tested: {_why(before, one)}"
        before = one


def _why(before: Stretch, one: Stretch) -> str:
    end = before.heads.stated_end
    first = f"its first change is at {one.heads.first.hex().upper()}" if one.heads.first else "it has no change"
    ends = f"the first ends at {end.hex().upper()}" if end else "no DLGE record states where the first ends"
    return f"{ends}, and nothing states where the second begins; {first}"
