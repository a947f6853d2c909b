"""Db2 LUW logs of several log streams give their committed rows, in any files, and nothing is lost without a word.

Log streams may rest in some files or begin late. Of sound logs, all readings give the rows that were committed, and no
note is untrue, or they are refused where they must be. Files that are left out are noticed, and refused when they come
late. Where fields are damaged, the engines agree in rows and notes, and what is lost has been said.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from writers.db2.scripts import Form
from writers.db2.wire import Raw

from lmparse.errors import LmparseError
from random_logs.db2_damage import UNSEEN, damaged
from random_logs.db2_files_left_out import left_out
from random_logs.db2_reading import (
    ENGINES,
    Reading,
    Stretch,
    attempt,
    both_engines,
    early_file,
    placed_errors,
    same,
    stretches,
    written,
)
from random_logs.db2_stream_log import StreamLog, offsets, stream_log

LOGS = 4
_FORMS = (
    Form("v10", "little", "filter"), Form("v10", "big", "filter"), Form("v10", "little", "filter"),
    Form("v10", "little", "lsn8"), Form("v10", "big", "bare"), Form("v9.7", "big", "filter97"),
    Form("v9.7", "little", "lsn8"), Form("v7", "little", "lsn6"),
)  # fmt: skip
_DAMAGED_FORMS = _FORMS[:5]
_STYLES = ("plain", "overlap", "grow", "again", "again")
_TRIALS = 2
_LINKS = ("flags", "previous")
"""Fields that say which transaction a record is of. Where another one lacks records, files that are read one by one may
take the record to be of it, or not: then only rows that were committed are given."""
_GAP = "bytes of the log are in neither file"
_UNTESTED = "cannot be tested"
_REFUSALS = ("LMP-F005", "LMP-F013", "LMP-F014")
"""Of files with damaged positions and addresses, or with nothing but a record that looks like one of another
generation."""


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    is_sound = chance.random() < 0.6
    form = chance.choice(_FORMS if is_sound else _DAMAGED_FORMS)
    log = stream_log(chance, form, is_shortened=chance.random() < 0.25, reused=chance.choice((0, 0.5, 1)))
    options = log.options(folder)
    if not is_sound:
        return _damaged(chance, folder, log, options)
    whole = folder / "whole.log"
    whole.write_bytes(b"".join(log.records))
    found = both_engines(whole, options)
    assert numbers(found) == log.committed, f"rows {numbers(found)}, not {log.committed}"
    assert not found.said(), f"said of a sound log: {found.said()}"
    counts = Counter(rows=len(found.rows), logs=1)
    for _ in range(_TRIALS):
        counts += _sound_files(chance, folder, log, found.values)
        counts += left_out(chance, folder, log, found)
    return counts


def numbers(reading: Reading) -> list[int]:
    return [number_of(row) for row in reading.rows]


def number_of(row: dict[str, Any]) -> int:
    number: int = row["after"]["ROW_NO"]
    return number


# -- sound logs ---------------------------------------------------------------------------


def _sound_files(chance: Random, folder: Path, log: StreamLog, wanted: list[str]) -> Counter[str]:
    records, options = log.records, log.options(folder)
    cuts = stretches(chance, len(records), style := chance.choice(_STYLES), log.turns)
    files = written(folder, records, cuts, "part")
    late = log.late_file(cuts)
    joined = attempt(chance.sample(files, len(files)), options, chance.choice(ENGINES))
    if isinstance(joined, LmparseError):
        assert (joined.code, late is None) == ("LMP-F013", False), f"{joined} of a sound log"
    else:
        assert late is None, f"file {late} has a log stream that the first one does not have"
        same(f"rows of {len(files)} files", wanted, joined.values)
        _check_notes(log, joined.said())
    walk = _Walk(chance, folder, records, options, is_again=style == "again")
    walk.go(files, cuts)
    last = min(len(cuts) if late is None else late, early_file(cuts))
    assert walk.files == last, f"{walk.files} of {len(cuts)} files were read, not {last}: {walk.refused}"
    same(f"rows of {last} files one by one", wanted[: len(walk.values)] if walk.refused else wanted, walk.values)
    assert walk.refused is None or walk.refused.code in ("LMP-F013", "LMP-F014"), f"{walk.refused} of a sound log"
    _check_notes(log, walk.said)
    return Counter(joins=late is None, walks=walk.refused is None, again=walk.again, refused=walk.refused is not None)


def _check_notes(log: StreamLog, said: Sequence[str]) -> None:
    """No note is untrue: where nothing is missing, only what is twice or cannot be tested is said."""
    for text in said:
        is_true = (
            "they are read once" in text
            or "read before" in text
            or (_UNTESTED in text and "records state no address" in text and not log.states_addresses)
            # Addresses count the rows as they are in the log, and lengths as they are here.
            or ("rows are longer here than in the log" in text and log.is_shortened)
        )
        assert is_true, f"untrue of a sound log: {text}"


# -- damaged logs -------------------------------------------------------------------------


def _damaged(chance: Random, folder: Path, log: StreamLog, options: dict[str, Any]) -> Counter[str]:
    records, done = damaged(chance, log)
    whole = folder / "whole.log"
    whole.write_bytes(b"".join(records))
    found = both_engines(whole, options)
    lost = set(log.committed) - set(numbers(found))
    is_told = bool(found.said() or found.left_out) or any(kind in UNSEEN for kind, _ in done)
    assert not lost or is_told, f"rows {sorted(lost)} are lost without a word by {done}"
    counts = Counter(rows=len(found.rows), damaged=1)
    for _ in range(_TRIALS):
        counts += _damaged_files(chance, folder, log, records, found, done)
    return counts


def _damaged_files(
    chance: Random, folder: Path, log: StreamLog, records: list[Raw], whole: Reading, done: list[tuple[str, int]]
) -> Counter[str]:
    """Files of a damaged log give no other rows than the log, and fewer only with a note or an error."""
    places, options = offsets(records), log.options(folder)
    cuts = stretches(chance, len(records), style := chance.choice(_STYLES))
    files = written(folder, records, cuts, "part")
    starts = {path.name: places[cut.begin] for path, cut in zip(files, cuts, strict=True)}
    wanted = placed_errors(whole.said(), {"whole.log": 0})
    counts: Counter[str] = Counter()
    joined = _both_joined(chance.sample(files, len(files)), options)
    if isinstance(joined, LmparseError):
        assert joined.code in _REFUSALS, f"{joined} by {done}"
        counts["joins refused"] += 1
    else:
        _check_fewer(f"joined, by {done}", whole, joined.values, joined.said())
        _check_errors(f"joined, by {done}", wanted, placed_errors(joined.said(), starts))
        counts["joins"] += 1
    walk = _Walk(chance, folder, records, options, is_again=style == "again")
    walk.go(files, cuts)
    if walk.refused is not None:
        assert walk.refused.code in _REFUSALS, f"{walk.refused} by {done}"
        return counts + Counter({"walks refused": 1})
    if any(kind in _LINKS for kind, _ in done):
        numbers_given = [number_of(json.loads(one)) for one in walk.values]
        assert set(numbers_given) <= {*log.committed, *numbers(whole)}, f"rows that were not committed, by {done}"
        assert len(numbers_given) == len(set(numbers_given)), f"one by one, by {done}: rows are given twice"
    else:
        _check_fewer(f"one by one, by {done}", whole, walk.values, walk.said)
    _check_errors(f"one by one, by {done}", wanted, placed_errors(walk.said, starts))
    return counts + Counter(walks=1, again=walk.again)


def _both_joined(files: Sequence[Path], options: dict[str, Any]) -> Reading | LmparseError:
    """Files of a log by both engines, once they agree."""
    one, other = (attempt(files, options, engine) for engine in ENGINES)
    if isinstance(one, LmparseError) or isinstance(other, LmparseError):
        assert str(one) == str(other), f"errors of the engines: {one}, {other}"
        return one
    same("rows of the engines, joined", one.values, other.values)
    same("notes of the engines, joined", one.said(), other.said())
    return one


def _check_fewer(what: str, whole: Reading, found: list[str], said: Sequence[str]) -> None:
    more = [one for one in found if one not in whole.values]
    assert not more, f"{what}: rows that the log does not have: {more[:2]}"
    assert len(found) == len(set(found)), f"{what}: rows are given twice"
    if found != whole.values:
        is_told = any(_GAP in text or _UNTESTED in text for text in said)
        assert is_told, f"{what}: {len(found)} of {len(whole.values)} rows, and nothing is said of it: {list(said)[:4]}"


def _check_errors(what: str, wanted: set[tuple[int, str]], found: set[tuple[int, str]]) -> None:
    lost = sorted(wanted - found)
    assert not lost, f"{what}: errors of the log that are not said of its files: {lost}"


# -- one by one ---------------------------------------------------------------------------


@dataclass
class _Walk:
    """Files of a log that are read one after the other, and some of what was read again between them."""

    chance: Random
    folder: Path
    records: Sequence[Raw]
    options: dict[str, Any]
    is_again: bool
    values: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    refused: LmparseError | None = None
    """The error with which a file was refused that was read for the first time."""
    files: int = 0
    """Number of files that were read."""
    again: int = 0

    def go(self, files: Sequence[Path], cuts: Sequence[Stretch]) -> None:
        self._state.unlink(missing_ok=True)
        for number, path in enumerate(files):
            beside = [self.chance.choice(files[:number])] if number and self.is_again and self._is_chosen(0.3) else []
            found = attempt([path, *beside], self.options, self.chance.choice(ENGINES), self._state)
            if isinstance(found, LmparseError):
                self.refused = found
                return
            self.files += 1
            self.values += found.values
            self.said += found.said()
            if self.is_again and self._is_chosen(0.5):
                self._read_again(files[: number + 1], cuts[number].end)

    def _read_again(self, files: Sequence[Path], end: int) -> None:
        """Something that was read: a file, which has nothing new, or other records, which are refused."""
        before = self._state.read_bytes()
        path = self.chance.choice(files)
        is_file = self._is_chosen(0.5)
        if not is_file:
            begin, behind = sorted(self.chance.sample(range(end + 1), 2))
            path = Stretch(begin, behind).file(self.records, self.folder / "again.log")
        found = attempt([path], self.options, self.chance.choice(ENGINES), self._state)
        assert self._state.read_bytes() == before, f"{path.name} again has moved the checkpoint"
        if not isinstance(found, LmparseError):
            assert not found.rows, f"{path.name} again gave rows"
        elif is_file:
            raise AssertionError(f"{path.name} again: {found}")
        self.again += 1

    @property
    def _state(self) -> Path:
        return self.folder / "state.json"

    def _is_chosen(self, share: float) -> bool:
        return self.chance.random() < share
