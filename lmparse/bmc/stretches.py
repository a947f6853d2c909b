"""Stretches: extracts of one log in their order, and what is in several of them, missing between them or undecided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

import numpy as np

from lmparse.bmc.extract_heads import POSITION_FIELDS, ExtractHeads, heads_of, not_one, open_extract
from lmparse.bmc.extract_settings import ExtractSettings, LentSegment, moved, numbered
from lmparse.bmc.interpretation import LogSettings
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.read_before import ReadBefore
from lmparse.bmc.repeated_changes import (
    IDENTITY_FIELDS,
    Given,
    Shared,
    SharedSegment,
    shared_records,
    whole_changes,
)  # fmt: skip
from lmparse.bmc.segments import Segment
from lmparse.bmc.split_changes import split_changes
from lmparse.bmc.unit_outcomes import OUTCOME_FIELDS, UNIT_FIELDS, UnitOutcomes, ended_codes, keys, widths
from lmparse.changes.checkpoint import Checkpoint
from lmparse.options import Options
from lmparse.storage.processes import Run
from lmparse.values.byte_arrays import Bytes

_MOST_SAID = 20
"""Most places between extracts of which a log says what is twice or missing there."""

_MOST_OPEN = 8
"""Most extracts that are kept open where segments are read that others lack."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """One extract, and what the others say of it."""

    heads: ExtractHeads
    settings: ExtractSettings
    repeats: int = 0
    """Number of its changes that other extracts have too."""
    undecided: int = 0
    """Units that it calls open and another extract commits, but of which compensations are not shown."""
    continues: bool = False
    """Whether it has a change of a unit that an extract before it has with its outcome: then nothing is missing."""
    notes: tuple[str, ...] = ()
    """What cannot be compared."""

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
    heads.sort(key=lambda one: (one.last, one.first))
    resolved = _Resolved(heads)
    for one in heads:
        if before is not None and len(one.unread_units):
            before.check_in_time(one.path, one.unread_units, resolved.of(one)[0])
    given, lent, notes = _shared(heads, resolved, options, many)
    places = _places(heads)
    again = set() if checkpoint is None else {one.path for one in checkpoint.needed}
    return [
        _stretch(one, resolved, own, segments, notes, places, one.path in again)
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
    heads: ExtractHeads, resolved: _Resolved, given: Given, lent: Sequence[LentSegment], notes: tuple[str, ...],
    places: Mapping[str, tuple[int, int]], is_again: bool,
) -> Stretch:  # fmt: skip
    outcomes, undecided = resolved.of(heads)
    offsets, ordinals = numbered(given.ordinals)
    elsewhere = np.array(sorted(given.elsewhere), np.int64)
    placed = tuple(replace(one, extent=moved(one.extent, *places[one.path])) for one in lent)
    settings = ExtractSettings(
        heads.path, heads.control, outcomes, elsewhere, offsets, ordinals, placed, *places[heads.path],
        misnumbered=np.array(sorted(given.misnumbered), np.int64), is_again=is_again,
    )  # fmt: skip
    return Stretch(heads, settings, given.repeats, undecided, given.continues, notes)


# -- units of recovery ----------------------------------------------------------------------------


class _Resolved:
    """Outcomes of the units that some extract calls open, from all extracts. Raises FramingError LMP-F013."""

    def __init__(self, heads: Sequence[ExtractHeads]) -> None:
        unit = self._unit = sum(widths(UNIT_FIELDS))
        opened = np.concatenate([keys(one.open_units) for one in heads])
        rows = [one.ended[np.isin(keys(one.ended[:, :unit]), opened)] for one in heads]
        where = np.repeat(np.arange(len(heads)), [len(one) for one in rows])
        every = np.concatenate(rows)
        order = np.argsort(keys(every), kind="stable") if len(every) else np.zeros(0, np.int64)
        every, where = every[order], where[order]
        same = np.zeros(len(every), np.bool_)
        same[1:] = (every[1:, :unit] == every[:-1, :unit]).all(1)
        differ = same.copy()
        differ[1:] &= (_decisive(every[1:], unit) != _decisive(every[:-1], unit)).any(1)
        if differ.any():
            place = int(differ.argmax())
            one, other = heads[where[place - 1]].path, heads[where[place]].path
            raise not_one(
                f"{one} states another outcome of unit of recovery {every[place, 2:unit].tobytes().hex().upper()}",
                other,
            )
        compensated = np.zeros(len(every), np.bool_)
        if len(every):
            groups = np.cumsum(~same) - 1
            compensated = (np.bincount(groups, every[:, -1]) > 0)[groups]
        self._rows, self._compensated = every[~same], compensated[~same]

    def of(self, heads: ExtractHeads) -> tuple[UnitOutcomes, int]:
        """The outcomes of the units that an extract calls open, and of how many changes are undecided.

        A unit that was committed with compensations may have taken back some of its changes. Which of them, only an
        extract with the end of the unit says, in LOGRECDISP of these changes.
        """
        unit = self._unit
        mine = np.isin(keys(self._rows[:, :unit]), keys(heads.open_units))
        undecided = mine & self._compensated & (self._rows[:, unit] == ended_codes()[0])
        rows = self._rows[mine & ~undecided]
        return UnitOutcomes(rows[:, :unit], rows[:, unit:-1]), int(undecided.sum())


def _decisive(rows: Bytes, unit: int) -> Bytes:
    """UORDISP and the position of the commit."""
    disposition, time, *_ = widths(OUTCOME_FIELDS)
    return np.delete(rows[:, unit:-1], np.arange(disposition, disposition + time), axis=1)


# -- changes in several extracts --------------------------------------------------------------------


def _shared(
    heads: Sequence[ExtractHeads], resolved: _Resolved, options: Options, many: Run
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
    some = whole_changes(found, own, position)
    some_lent, untested = split_changes(
        found, own, some, _SegmentReader(own, resolved, options), has_data=len(forms) == 1
    )
    for number, one, segments in zip(places, some, some_lent, strict=True):
        given[number], lent[number] = one, segments
    notes = []
    if len(forms) > 1:
        notes.append("DATA of changes in several extracts is not compared: EXPANDVAR or DATEFORMAT of DLDS differ")
    if untested:
        notes.append(
            f"statements whose segments are in several extracts: {untested}; nothing shows whether these cut them at "
            "the same places"
        )
    return given, lent, tuple(notes)


def _near(heads: Sequence[ExtractHeads]) -> dict[int, tuple[bytes, bytes]]:
    """The extracts that have positions in common with others, by number: the last position of those before each, and
    the first one of those behind it; empty if it has no record there."""
    stated = [number for number, one in enumerate(heads) if one.first]
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


class _SegmentReader:
    """Reads segments of extracts, of which it keeps a few open."""

    def __init__(self, heads: Sequence[ExtractHeads], resolved: _Resolved, options: Options) -> None:
        self._heads, self._resolved, self._options = heads, resolved, options
        self._log = lru_cache(_MOST_OPEN)(self._opened)

    def __call__(self, rank: int, segment: SharedSegment) -> Segment:
        log = self._log(rank)
        return Segment(segment.extent, log.read_bytes(segment.extent.read(log.buffer)), segment.ordinal)

    def _opened(self, rank: int) -> LogicalLog:
        one = self._heads[rank]
        own = LogSettings(extract=ExtractSettings(one.path, one.control, self._resolved.of(one)[0]))
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
        if one.undecided:
            yield (
                f"units of recovery that {one.path} calls open and that were committed later, with compensations: "
                f"{one.undecided}; what no later extract repeats of them stays open, since it may have been taken back"
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
