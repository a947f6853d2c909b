"""Extracts of a log, read together in any order, one by one and in parts, give the rows of the whole log.

Units of recovery overlap and are divided between extracts, which repeat some of them; headers differ from extract to
extract, and a table gets another version on the way. The filters of the options give the rows that they select.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log
from random_logs.log_master_readings import ENGINES, Reading, Row, by_parts, expect_rows, printed, printed_by
from random_logs.log_master_units import KNOWN, Extract, Log, some_extracts, some_log, stated

LOGS = 4
_PART_BYTES = 2000
Choice = tuple[dict[str, Any], Callable[[Row], Row | None]]
"""Options, and what they make of a row."""


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    log = some_log(chance)
    counts = _check_whole(chance, log, folder)
    parts = folder / "extracts"
    parts.mkdir()
    extracts = some_extracts(chance, log, parts)
    counts += _check_together(chance, log, extracts)
    counts += _check_walk(chance, log, extracts, parts / "state.json")
    return counts + _check_controls(chance, log, extracts)


def _check_whole(chance: random.Random, log: Log, folder: Path) -> Counter[str]:
    """The log in one file, committed changes and all of them."""
    path = log.write(folder / "whole.dat", log.pieces, chance.randrange(len(log.forms)), 10**6)
    every = [statement.shown(log.scale) for statement in log.statements]
    for include, wanted in (("committed", [row for row in every if row["uor_disp"] == "C"]), ("all", every)):
        for engine in ENGINES:
            found = printed([path], engine, control=str(path.with_suffix(".ctl")), include=include)
            expect_rows(f"the whole log by {engine}", _sound(found), wanted)
    return Counter(rows=len(every))


def _sound(reading: Reading) -> list[Row]:
    """The rows of a reading without errors."""
    assert (reading.ended, reading.errors[:2]) == ("", [])
    return [_known(row) for row in reading.rows]


def _known(row: Row) -> Row:
    return {name: row[name] for name in KNOWN}


def _control(extracts: Sequence[Extract]) -> str:
    return str(extracts[0].path.parent / "{stem}.ctl")


# -- together -----------------------------------------------------------------------------------


def _check_together(chance: random.Random, log: Log, extracts: Sequence[Extract]) -> Counter[str]:
    paths = [one.path for one in extracts]
    chance.shuffle(paths)
    options, select = _some_choice(chance)
    given = stated(log, extracts)
    wanted = [row for row in map(select, given) if row is not None]
    is_there = "table" not in options or any(
        piece.statement.table.name == "TWO" for one in extracts for piece in one.pieces)  # fmt: skip
    if not is_there:
        options, wanted = {}, given
    counts = Counter(rows=len(given))
    in_order = options.get("order") == "commit"
    for engine in ENGINES:
        found = _sound(printed(paths, engine, control=_control(extracts), **options))
        in_commit_order = sorted(wanted, key=lambda row: str(row["seq"]))
        expect_rows(f"{len(paths)} extracts by {engine} with {options}", found, in_commit_order if in_order else wanted,
                    in_order=in_order and _is_one_unit_a_commit(wanted))  # fmt: skip
        counts["joins"] += 1
    if not in_order:
        found = _sound(by_parts(paths, _PART_BYTES, control=_control(extracts), **options))
        expect_rows(f"{len(paths)} extracts by parts with {options}", found, wanted)
        counts["joins"] += 1
    report = account(*one_log(paths, read_options({"spec": "bmc_lldf", "control": _control(extracts)})))
    assert (report.error_count, report.differences) == (0, []), f"check: {report.errors[:2]} {report.differences[:2]}"
    return counts + Counter(checks=1)


def _is_one_unit_a_commit(rows: Sequence[Row]) -> bool:
    """Whether no two units have one position of a commit: the order of these is that of their ids."""
    commits = {(row["seq"][:20], row["txn_id"]) for row in rows}
    return len({commit for commit, _ in commits}) == len(commits)


def _some_choice(chance: random.Random) -> Choice:
    """Options that select or change rows."""
    operation = chance.choice("IUD")
    choices: tuple[Choice, ...] = (
        ({}, lambda row: row),
        ({"order": "commit"}, lambda row: row),
        ({"table": "PROD.TWO"}, lambda row: row if row["table_name"] == "TWO" else None),
        ({"operations": operation}, lambda row: row if row["op"] == operation else None),
        ({"table": "PROD.TWO", "columns": "V"}, lambda row: _only_v(row) if row["table_name"] == "TWO" else None),
        ({"table": "0105.0004.0005", "operations": "I,U"},
         lambda row: row if row["table_name"] == "TWO" and row["op"] in "IU" else None),
    )  # fmt: skip
    return chance.choice((choices[0], chance.choice(choices)))


def _only_v(row: Row) -> Row:
    images = {role: None if row[role] is None else {"V": row[role]["V"]} for role in ("before", "after")}
    return {**row, **images}


# -- one by one ---------------------------------------------------------------------------------


def _check_walk(chance: random.Random, log: Log, extracts: Sequence[Extract], state: Path) -> Counter[str]:
    """Read the extracts in their order with a checkpoint: each change is given once."""
    given: list[Row] = []
    place = 0
    while place < len(extracts):
        count = chance.randrange(1, 3)
        group = [*extracts[place : place + count]]
        if place and chance.random() < 0.25:
            group.insert(0, extracts[chance.randrange(place)])
        reading = _step([one.path for one in group], chance.choice(ENGINES), chance, _control(extracts), state)
        if "LMP-F014" in reading.ended:
            return Counter(walks_ended=1)
        given += _sound(reading)
        place += count
    expect_rows("one by one", given, stated(log, extracts))
    return Counter(walks=1, rows=len(given))


def _step(paths: list[Path], engine: str, chance: random.Random, control: str, state: Path) -> Reading:
    order = chance.choice(("file", "file", "commit"))
    options = replace(read_options({"engine": engine, "control": control, "order": order}), checkpoint=str(state))
    return printed_by(paths, options)


# -- control files ------------------------------------------------------------------------------


def _check_controls(chance: random.Random, log: Log, extracts: Sequence[Extract]) -> Counter[str]:
    """A folder in which a control file is missing or damaged: the rows of the other extracts, or what keeps them away.

    Of a damaged control file nobody knows what it still says, so rows of its extract may be others.
    """
    if len(extracts) < 2:
        return Counter()
    hit = chance.randrange(len(extracts))
    others = [one for number, one in enumerate(extracts) if number != hit]
    path = extracts[hit].path.with_suffix(".ctl")
    is_gone = chance.random() < 0.5
    if is_gone:
        path.unlink()
    else:
        path.write_bytes(_damaged(chance, path.read_bytes()))
    folder = path.parent
    (folder / "state.json").unlink(missing_ok=True)
    found = by_parts([folder], _PART_BYTES, control=str(folder / "{stem}.ctl"), mode="permissive")
    # A change of which the extract with the damaged control file has a segment may be given by it.
    wanted = stated(log, others, () if is_gone else (extracts[hit],))
    _expect_others(found, wanted, extracts[hit].path.name, is_gone=is_gone)
    return Counter(folders=1, folders_unread=bool(found.unread))


def _expect_others(found: Reading, wanted: Sequence[Row], hit: str, *, is_gone: bool) -> None:
    """Raise AssertionError if rows of the extracts whose control files are sound are lost, and nothing is said."""
    assert not found.ended, found.ended
    if is_gone:
        assert [Path(path).name for path in found.unread] == [hit], f"unread: {found.unread}, not {hit}"
    every = [_known(row) for row in found.rows]
    rows = [row for row, full in zip(every, found.rows, strict=True) if Path(full["_metadata"]["file"]).name != hit]
    for field, name in (("commit_ts", "UORCOMMITTIMESTAMP"), ("seq", "UORCOMMITLRSN"), ("seq", "LOGLRSN")):
        # A damaged header may still say that a unit was committed, and no longer when; or not where its changes are.
        if any(text.endswith(f"have no {name}") or f"{name} is absent" in text for text in found.notices):
            rows, wanted, every = ([{**row, field: None} for row in some] for some in (rows, wanted, every))
    lost = [row for row in wanted if row not in rows]
    is_elsewhere = [row for row in lost if row in every]
    said = len(found.errors) + (0 if is_gone else len(found.unread))
    assert len(lost) - len(is_elsewhere) <= said, f"{hit}: lost {lost[:2]}, errors {found.errors[:2]}, {found.unread}"


def _damaged(chance: random.Random, data: bytes) -> bytes:
    """A control file without its end, or with another byte."""
    if chance.random() < 0.3:
        return data[: chance.randrange(1, len(data))]
    place = chance.randrange(len(data))
    return data[:place] + bytes([chance.choice((0, 0x40, 0xFF, 0xF1, 0xC1, data[place] ^ 1))]) + data[place + 1 :]
