"""A log is landed in runs, and what is in the target is compared with its history."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from random_logs.landed_history import History, changes_of
from random_logs.landed_runs import Landing, Log, land_all, sizes
from random_logs.landed_tables import Commits, Expected, begin, check_in_order, check_lines, collides

_LATE = "24.00.00"
_DIVIDED = "a transaction of more changes than are merged at a time"


def check_current(chance: random.Random, log: Log, commits: Commits, folder: Path) -> Counter[str]:
    """Land with current tables, and compare rows, changes and marks."""
    is_trimmed = chance.random() < 0.8
    landing, expected = _landing(log, folder, is_trimmed, current=True), Expected(log.history, commits, is_trimmed)
    if log.history.wish.begins == "known":
        for table in log.history.tables:
            if table.first:
                begin(landing.to / "current" / f"PROD.{table.name}", log.history, table, is_trimmed,
                      has_bounds=chance.random() < 0.5)  # fmt: skip
    has_kills = chance.random() < 0.6
    with sizes(chance) as is_divided:
        land_all(chance, log.files(chance, folder), landing, has_kills)
    _check_changes(expected, landing, has_kills)
    for number, table in enumerate(log.history.tables):
        reasons = _reasons(landing, f"PROD.{table.name}")
        _check_marks(log.history, number, reasons, is_divided)
        if any(_DIVIDED in reason for reason in reasons) or (reasons and collides(table, is_trimmed)):
            landing.counts["tables with marks"] += 1
            continue
        if landing.last is not None and changes_of(log.history, number):
            rows = expected.rows(table)
            check_lines(f"{table.name} of {[one.kind.db2 for one in table.fields if one.is_key]}",
                        expected.current_lines(table, landing.to / "current" / f"PROD.{table.name}"), rows)  # fmt: skip
            landing.counts["rows"] += len(rows)
    return landing.counts


def check_changes(chance: random.Random, log: Log, commits: Commits, folder: Path) -> Counter[str]:
    """Land without current tables, and compare changes."""
    is_trimmed = chance.random() < 0.8
    form: dict[str, Any] = {"as_": chance.choice(("delta", "parquet", "parquet"))}
    landing = _landing(log, folder, is_trimmed, **form)
    has_kills = chance.random() < 0.6
    land_all(chance, log.files(chance, folder), landing, has_kills)
    _check_changes(Expected(log.history, commits, is_trimmed), landing, has_kills)
    return landing.counts


def _landing(log: Log, folder: Path, is_trimmed: bool, **how: Any) -> Landing:
    return Landing(folder / "to", {**log.options, **how, "trim": is_trimmed})


def _check_changes(expected: Expected, landing: Landing, has_kills: bool) -> None:
    """Each committed change is there once, in the order of the commits; runs that all ended have counted them."""
    count = 0
    for number, table in enumerate(expected.history.tables):
        wanted = expected.changes(number)
        count += len(wanted)
        found = expected.change_lines(table, landing.to / "changes" / f"PROD.{table.name}")
        check_in_order(f"changes of {table.name}", found, wanted)
    objects = sum(event.kind in ("create", "describe", "drop", "add column") for event in expected.history.events)
    assert has_kills or count <= landing.rows <= count + objects, f"{landing.rows} changes were landed, not {count}"
    landing.counts["changes"] += count


def _reasons(landing: Landing, name: str) -> list[str]:
    assert landing.last is not None
    return [mark["reason"] for one in landing.last.tables if one.table == name for mark in one.marks]


def _check_marks(history: History, number: int, reasons: list[str], is_divided: bool) -> None:
    """A table is marked if and only if it has late keys, or a divided transaction may have changed keys."""
    table = history.tables[number]
    assert any(_LATE in reason for reason in reasons) == bool(table.late), f"late in {table.late}: {reasons}"
    others = [reason for reason in reasons if _LATE not in reason and not (is_divided and _DIVIDED in reason)]
    assert not others, f"marks of {table.name}: {others}"
