"""Joined extracts: which files are of one log, its extracts in their order, and what they say of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lmparse.bmc.control_file import read_control
from lmparse.bmc.control_search import ControlSearch
from lmparse.bmc.extracts.checkpoint import ReadBefore
from lmparse.bmc.extracts.heads import UNIT_WIDTH, ExtractHeads, heads_of
from lmparse.bmc.extracts.outcomes import ExtractSettings, keys
from lmparse.bmc.extracts.ownership import UnitEnds, ownership
from lmparse.bmc.headers import check_header
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.open import open_logical_log
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.claims import Claim, Statement
from lmparse.errors import DataError, FramingError
from lmparse.options import Options
from lmparse.records.files import ignored
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.storage.processes import Run

_MOST_NOTES = 20
"""Most places between extracts of which a log says what is twice or missing there."""


@dataclass(frozen=True, eq=False)
class JoinedExtract:
    """One extract, and what the others say of it."""

    heads: ExtractHeads
    settings: ExtractSettings
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
    for number, (one, elsewhere) in enumerate(zip(heads, owns, strict=True)):
        settings = ExtractSettings(
            one.path, one.control, ends.of_open_units(one), elsewhere, records, size, is_again=one.path in again
        )
        first = ends.extract_of(keys(one.units[:, :UNIT_WIDTH]))
        continues = bool(((first >= 0) & (first < number)).any())
        result.append(JoinedExtract(one, settings, continues))
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
        if count := len(one.settings.elsewhere):
            yield f"records of {one.path} that another extract gives: {count}"
        if before is not None and not one.continues:
            where = f"between {before.path} and {one.path}"
            yield f"whether changes are missing {where} cannot be tested: {_why(before, one)}"
        before = one


def _why(before: JoinedExtract, one: JoinedExtract) -> str:
    end = before.heads.stated_end
    first = f"its first change is at {one.heads.first.hex().upper()}" if one.heads.first else "it has no change"
    ends = f"the first ends at {end.hex().upper()}" if end else "no DLGE record states where the first ends"
    return f"{ends}, and nothing states where the second begins; {first}"


SAME = Statement("extracts agree on what several of them have", "records and units")
NOTHING_MISSING = Statement("no change is missing between two extracts", "pairs of extracts")
STATEMENTS = (SAME, NOTHING_MISSING)
_NO_BEGINNING = "nothing states where the second begins"


def claims(extracts: Sequence[JoinedExtract]) -> list[Claim]:
    """What came of comparing the extracts of one log."""
    same, missing = (statement.claim() for statement in STATEMENTS)
    same.tested = sum(len(one.settings.elsewhere) + len(one.settings.outcomes) for one in extracts)
    for _, one in pairwise(extracts):
        if one.continues:
            missing.test()
        else:
            missing.untestable[_NO_BEGINNING] += 1
    return [same, missing]


def contradiction(error: FramingError) -> list[Claim]:
    """The claims of extracts that contradict each other."""
    same, missing = (statement.claim() for statement in STATEMENTS)
    same.test(str(error))
    missing.untestable["the extracts are not of one log"] += 1
    return [same, missing]


def logs_of(paths: Sequence[str], options: Options, faults: list[DataError] | None = None) -> list[Joined]:
    """The logs that data files are extracts of: one for each Db2 system that XTYP names.

    Files without a record are left out, unless a log has no others. Raises ControlError; with a list, errors of
    files are added to `faults`, and these files are left out.
    """
    systems: dict[str, list[JoinedPiece]] = {}
    search = ControlSearch(options.bounds)
    for path in dict.fromkeys(paths):
        try:
            place = search.find(path, options.control)
            control = read_control(place, framing=options.control_framing, limits=options.bounds)
            if faults is not None:
                _look_through(open_logical_log(path, replace(options, control=place), on_error=ignored))
        except DataError as error:
            # A control file that an option names and that is not there is not the fault of one log.
            if faults is None or (error.code == "LMP-F001" and error.file != path):
                raise
            faults.append(error.of_log(path))
            continue
        system = control.first("XTYP").get("cntl_file_sysid") or ""
        systems.setdefault(system, []).append(JoinedPiece(path, 0, len(open_buffer(path, options.bounds))))
    return [Joined(tuple(piece for piece in pieces if piece.size) or (pieces[0],)) for pieces in systems.values()]


def _look_through(log: LogicalLog) -> None:
    """Raise the errors of a control file that opening the log leaves for later: then all extracts would have them."""
    check_header(log.header, log.options)
    _ = log.tables
