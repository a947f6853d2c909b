"""Joined extracts: the extracts of one log in their order, each with what the others say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lmparse.bmc.extracts.heads import UNIT_WIDTH, ExtractHeads, heads_of
from lmparse.bmc.extracts.outcomes import keys
from lmparse.bmc.extracts.ownership import ownership
from lmparse.bmc.extracts.read_before import ReadBefore
from lmparse.bmc.extracts.reading import ExtractSettings
from lmparse.bmc.extracts.unit_ends import UnitEnds
from lmparse.changes.checkpoint import Checkpoint
from lmparse.options import Options
from lmparse.storage.processes import Run

_MOST_NOTES = 20
"""Most places between extracts of which a log says what is twice or missing there."""


@dataclass(frozen=True, eq=False)
class JoinedExtract:
    """One extract, and what the others say of it."""

    heads: ExtractHeads
    settings: ExtractSettings
    repeats: int
    """Number of its changes that other extracts have too."""
    continues: bool
    """Whether it has a unit of which an extract before it states the outcome: then nothing is missing between them."""

    @property
    def path(self) -> str:
        """The data file."""
        return self.heads.path


def join_extracts(
    files: Sequence[tuple[str, str]], options: Options, run: Run | None, checkpoint: Checkpoint | None
) -> list[JoinedExtract]:
    """The extracts with these data files and control files, in their order. `run` reads them in other processes.

    Raises FramingError LMP-F013 if they are not read as one log, LMP-F014 if one comes too late for the checkpoint, and
    FileLimitError LMP-L004.
    """
    many: Run = run or map
    before = None if checkpoint is None else ReadBefore(checkpoint)
    heads = list(many(heads_of, [(path, control, options, before) for path, control in files]))
    heads.sort(key=lambda one: (one.last, one.first, one.path))
    ends = UnitEnds.of(heads)
    if before is not None:
        before.check_in_time(heads, ends)
    again = set() if checkpoint is None else {one.path for one in checkpoint.needed}
    ended = [before.ended_units(one) if before else keys(one.units[:0]) for one in heads]
    owns = ownership(heads, ends, ended, options, many)
    result, records, size = [], 0, 0
    for number, (one, owned) in enumerate(zip(heads, owns, strict=True)):
        settings = ExtractSettings(
            one.path, one.control, ends.of_open_units(one), owned.elsewhere, records, size, is_again=one.path in again
        )
        first = ends.extract_of(keys(one.units[:, :UNIT_WIDTH]))
        continues = bool(((first >= 0) & (first < number)).any())
        result.append(JoinedExtract(one, settings, owned.repeats, continues))
        records, size = records + one.records, size + one.size
    return result


def notes(extracts: Sequence[JoinedExtract]) -> Iterator[str]:
    """What is in several extracts or may be missing, in words; of very many the first ones, and how many more."""
    every = list(_notes(extracts))
    yield from every[:_MOST_NOTES]
    if len(every) > _MOST_NOTES:
        yield f"the same of {len(every) - _MOST_NOTES} more extracts"


def _notes(extracts: Sequence[JoinedExtract]) -> Iterator[str]:
    before: JoinedExtract | None = None
    for one in extracts:
        if one.repeats:
            yield f"changes of {one.path} that other extracts have too: {one.repeats}; each is given once"
        if before is not None and not one.continues:
            where = f"between {before.path} and {one.path}"
            yield f"whether changes are missing {where} cannot be tested: {_why(before, one)}"
        before = one


def _why(before: JoinedExtract, one: JoinedExtract) -> str:
    end = before.heads.stated_end
    first = f"its first change is at {one.heads.first.hex().upper()}" if one.heads.first else "it has no change"
    ends = f"the first ends at {end.hex().upper()}" if end else "no DLGE record states where the first ends"
    return f"{ends}, and nothing states where the second begins; {first}"
