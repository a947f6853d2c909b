"""`check` of sound Db2 LUW logs holds, and does not where records are missing, doubled or swapped.

The claims page lists what cannot be seen: records at the ends of a log stream, and gaps of a log in which too few
records begin where the one before ends. Everywhere else the number of missing bytes is exact.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from writers.db2.scripts import Form
from writers.db2.wire import Raw

from lmparse.db2.record.log_record import MARGIN
from lmparse.errors import FramingError
from lmparse.logs.check import CheckReport, account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log
from random_logs.db2_reading import stretches, written
from random_logs.db2_stream_log import StreamLog, stream_log

LOGS = 6
_FORMS = (
    Form("v10", "little", "filter"), Form("v10", "big", "filter"), Form("v10", "little", "lsn8"),
    Form("v10", "big", "bare"), Form("v9.7", "big", "filter97"), Form("v9.7", "little", "lsn8"),
    Form("v7", "big", "lsn6"),
)  # fmt: skip
_MISSING = re.compile(r"(\d+) bytes are missing")
_SHORTER = "the record is shorter in the log than here: its rows were compressed"
_MOST_REMOVED = 3


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    form = chance.choice(_FORMS)
    # Rows that are shorter in the log than here hide bytes that are missing: only sound logs are made of them.
    log = stream_log(chance, form, is_shortened=chance.random() < 0.2)
    options = {**log.options(folder), "spec": "db2_log"}
    counts = _check_sound(chance, folder, log, options)
    if not log.is_shortened:
        counts += _check_removed(chance, folder, log, options)
        counts += _check_doubled(chance, folder, log, options)
        counts += _check_swapped(chance, folder, log, options)
    return counts


def _check_sound(chance: Random, folder: Path, log: StreamLog, options: dict[str, Any]) -> Counter[str]:
    """A log holds as one file, and joined from several that may overlap, if the first one has all its log streams."""
    records = log.records
    _assert_holds(log, _report(folder, records, options))
    cuts = stretches(chance, len(records), chance.choice(("plain", "overlap")))
    files = written(folder, records, cuts, "part")
    if log.late_file(cuts) is None:
        _assert_holds(log, _report_of(chance.sample(files, len(files)), options))
    else:
        with pytest.raises(FramingError, match="LMP-F013"):
            _report_of(files, options)
    return Counter({"sound": 1, "sound joins": 1})


def _report(folder: Path, records: Sequence[Raw], options: dict[str, Any]) -> CheckReport:
    path = folder / "whole.log"
    path.write_bytes(b"".join(records))
    return _report_of([path], options)


def _report_of(files: Sequence[Path], options: dict[str, Any]) -> CheckReport:
    parsed = read_options(options)
    return account(*one_log(files, parsed)) if len(files) > 1 else account(str(files[0]), parsed)


def _assert_holds(log: StreamLog, report: CheckReport) -> None:
    said = [*report.differences, *map(str, report.errors)]
    assert not said, f"a sound log: {said[:3]}"
    if not log.is_shortened:
        untestable = [why for claim in report.claims for why in claim.untestable]
        assert _SHORTER not in untestable, "no record is shorter in the log"


# -- changed logs -------------------------------------------------------------------------


def _check_removed(chance: Random, folder: Path, log: StreamLog, options: dict[str, Any]) -> Counter[str]:
    count = min(chance.randrange(1, _MOST_REMOVED + 1), len(log.parts) - 1)
    gone = sorted(chance.sample(range(len(log.parts)), count))
    kept = [record for number, record in enumerate(log.records) if number not in gone]
    report = _report(folder, kept, options)
    wanted = _Gaps.of(log, gone)
    if not log.states_addresses:
        return Counter({"removed, without addresses": 1})
    found = sum(int(match[1]) for text in report.differences if (match := _MISSING.search(text)))
    missing = wanted.bytes if wanted.are_seen else 0
    assert found == missing, f"without {gone}: {found} bytes are missing, not {missing}: {report.differences[:3]}"
    assert bool(report.differences) == wanted.are_seen, f"without {gone}: {report.differences[:3]}"
    assert not report.errors, f"without {gone}: {report.errors[:2]}"
    return Counter({"removed": 1})


@dataclass
class _Gaps:
    """What the addresses of a log show of records that were left out."""

    bytes: int = 0
    gaps: int = 0
    adjoining: int = 0

    @classmethod
    def of(cls, log: StreamLog, gone: Sequence[int]) -> _Gaps:
        places, found = defaultdict(list), cls()
        for number, stream in enumerate(log.streams):
            places[stream].append(number)
        for own in places.values():
            kept = [place for place, number in enumerate(own) if number not in gone]
            for before, behind in pairwise(kept):
                size = sum(len(log.parts[number].framed.data) for number in own[before + 1 : behind])
                found.bytes, found.gaps = found.bytes + size, found.gaps + (size > 0)
                found.adjoining += not size
        return found

    @property
    def are_seen(self) -> bool:
        return self.gaps > 0 and self.adjoining >= max(1, MARGIN * self.gaps)


def _check_doubled(chance: Random, folder: Path, log: StreamLog, options: dict[str, Any]) -> Counter[str]:
    records, number = log.records, chance.randrange(len(log.parts))
    report = _report(folder, [*records[: number + 1], *records[number:]], options)
    assert report.differences, f"record {number} is there twice"
    return Counter({"doubled": 1})


def _check_swapped(chance: Random, folder: Path, log: StreamLog, options: dict[str, Any]) -> Counter[str]:
    """Two records of one log stream beside each other; between streams there is no order."""
    streams = log.streams
    beside = [number for number, (one, other) in enumerate(pairwise(streams)) if one == other]
    if not beside:
        return Counter()
    number, records = chance.choice(beside), log.records
    records[number : number + 2] = records[number + 1], records[number]
    report = _report(folder, records, options)
    assert report.differences, f"records {number} and {number + 1} are swapped"
    return Counter({"swapped": 1})
