"""Files of a sound Db2 LUW log that are left out, and come late.

Nothing else is missing then: a transaction that lacks no record is there, whatever the one before with its identifier
lacks, and others are whole or not there; notes have the number of missing bytes wherever addresses show it; and a late
file is refused, since what is in it would be given by no reading. Files are refused too whose log stream the first one
does not have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from lmparse.errors import LmparseError
from random_logs.db2_reading import ENGINES, Reading, Stretch, attempt, read, same, stretches, written
from random_logs.db2_stream_log import StreamLog

_MISSING = re.compile(r"(\d+) bytes of the log (?:are in neither file|have not been read)")


def left_out(chance: Random, folder: Path, log: StreamLog, whole: Reading) -> Counter[str]:
    """Leave out one or two files of a log, joined and read one by one, and give one of them late."""
    records, options = log.records, log.options(folder)
    cuts = stretches(chance, len(records), turns=log.turns)
    if len(cuts) < 3:
        return Counter()
    files = written(folder, records, cuts, "some")
    gone = _gone(chance, log, cuts)
    kept = [number for number in range(len(files)) if number not in gone]
    there = [files[number] for number in kept]
    if log.late_file([cuts[number] for number in kept]) is not None:
        found = attempt(there, options, chance.choice(ENGINES))
        assert isinstance(found, LmparseError), "a log stream begins behind the first file"
        assert found.code == "LMP-F013", found
        return Counter({"log streams begin late": 1})
    missing = _missing_bytes(log, cuts, kept)
    is_whole = log.states_addresses and not log.is_shortened
    joined = [read(chance.sample(there, len(there)), options, engine) for engine in ENGINES]
    same(f"rows of the engines without files {gone}", *(one.values for one in joined))
    same(f"notes of the engines without files {gone}", *(one.said() for one in joined))
    lacking_none = _lacking_none(log, cuts, kept)
    _check_rows(whole, joined[0].rows, lacking_none, is_whole=is_whole)
    _check_missing(log, missing, joined[0].said())
    state, rows, said = folder / "some.json", list[dict[str, Any]](), list[str]()
    state.unlink(missing_ok=True)
    late_files = 0
    for number in kept:
        found = read([files[number]], options, chance.choice(ENGINES), state)
        rows += found.rows
        said += found.said()
        for late in [one for one in gone if one < number and chance.random() < 0.5]:
            _check_late(chance, files[: number + 1], late, state, options)
            late_files += 1
    _check_rows(whole, rows, lacking_none, is_whole=is_whole)
    _check_missing(log, missing, said)
    return Counter({"files left out": len(gone), "joins": 1, "walks": 1, "late files": late_files})


def _gone(chance: Random, log: StreamLog, cuts: Sequence[Stretch]) -> list[int]:
    """Numbers of one or two files, but the last one; often one of log streams that the files beside it do not have."""
    streams = [set(log.streams[cut.begin : cut.end]) for cut in cuts]
    apart = [
        number
        for number in range(1, len(cuts) - 1)
        if streams[number].isdisjoint(streams[number + 1].union(*streams[:number]))
    ]
    if apart and chance.random() < 0.7:
        return [chance.choice(apart)]
    return sorted(chance.sample(range(len(cuts) - 1), chance.choice((1, 1, 2)) if len(cuts) > 3 else 1))


def _missing_bytes(log: StreamLog, cuts: Sequence[Stretch], kept: Sequence[int]) -> int:
    """Bytes of records that are left out, with others of their log stream there in front of them and behind them."""
    is_there = [False] * len(log.parts)
    for number in kept:
        for place in range(*cuts[number]):
            is_there[place] = True
    places = defaultdict(list)
    for place, stream in enumerate(log.streams):
        places[stream].append(place)
    count = 0
    for own in places.values():
        seen = [n for n, place in enumerate(own) if is_there[place]]
        inside = own[seen[0] : seen[-1]] if seen else []
        count += sum(len(log.parts[place].framed.data) for place in inside if not is_there[place])
    return count


def _lacking_none(log: StreamLog, cuts: Sequence[Stretch], kept: Sequence[int]) -> set[str]:
    """The transactions of which no record is left out, by their last record as `_ended_by` has it."""
    places = {place for number in kept for place in range(*cuts[number])}
    found, are_there = dict[bytes, str](), dict[bytes, bool]()
    ended = set[str]()
    for place, one in enumerate(log.parts):
        tid = one.header.tid
        if not one.header.previous:
            ended |= {found[tid]} if are_there.get(tid) else set()
            are_there[tid] = True
        found[tid] = f"{one.framed.lfs:016X}{one.framed.lsn:016X}{tid.hex().upper()}"
        are_there[tid] &= place in places
    return ended.union(name for tid, name in found.items() if are_there[tid])


def _ended_by(row: dict[str, Any]) -> str:
    """The position of the commit of a row, and the identifier of its transaction."""
    return f"{row['seq'][:32]}{row['txn_id'][:12]}"


def _check_rows(whole: Reading, rows: Sequence[dict[str, Any]], lacking_none: set[str], *, is_whole: bool) -> None:
    """Rows of a transaction that lacks no record are there, once each; and where addresses show it, those of others all
    or none. Without them, one without its end and the next one with its identifier without its beginning are one."""
    names = {row["after"]["ROW_NO"]: _ended_by(row) for row in whole.rows}
    more = [row for row in rows if row["after"]["ROW_NO"] not in names]
    assert not more or not is_whole, f"rows that were not committed: {more[:2]}"
    wanted, found = (_by_transaction(one, names) for one in (whole.rows, rows))
    for tid in lacking_none.intersection(wanted):
        assert found.get(tid) == wanted[tid], f"rows {found.get(tid)} of {tid}, which has {wanted[tid]}"
    for tid, own in found.items():
        assert set(own) <= set(wanted[tid]), f"rows {own} of {tid}, which has {wanted[tid]}"
        assert len(own) == len(set(own)), f"rows {own} of {tid} are given twice"
        if is_whole:
            assert own == wanted[tid], f"rows {own} of {tid}, which has {wanted[tid]}"


def _by_transaction(rows: Sequence[dict[str, Any]], names: dict[int, str]) -> dict[str, list[int]]:
    """Numbers of rows by the transactions that have them in the whole log, in `names`."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        number = row["after"]["ROW_NO"]
        if number in names:
            found[names[number]].append(number)
    return found


def _check_missing(log: StreamLog, wanted: int, said: Sequence[str]) -> None:
    """The number of bytes that are missing is said; where rows are shorter in the log, that some are."""
    found = sum(int(match[1]) for text in said if (match := _MISSING.search(text)))
    if log.states_addresses and not log.is_shortened:
        assert found == wanted, f"{found} bytes are said to be missing, not {wanted}: {list(said)}"


def _check_late(chance: Random, files: Sequence[Path], late: int, state: Path, options: dict[str, Any]) -> None:
    """A late file is refused, alone and beside others, and the checkpoint stays."""
    before = state.read_bytes()
    beside = [path for number, path in enumerate(files) if number != late and chance.random() < 0.3]
    found = attempt([files[late], *beside], options, chance.choice(ENGINES), state)
    assert isinstance(found, LmparseError), f"{files[late].name} came late, and was taken: {found.said()}"
    assert found.code in ("LMP-F013", "LMP-F014"), f"{found} of a late file"
    assert state.read_bytes() == before, "the checkpoint has moved"
