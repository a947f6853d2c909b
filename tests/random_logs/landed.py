"""The rows and changes of logs that are landed file by file, with runs killed, are those of the database.

Of both families, in Delta and Parquet, with current tables and without: keys of every type that may be one, rows from
before the log, tables that are emptied, dropped and created again; units of recovery that are open at the end of an
extract, changes in segments, and rows that are taken back.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from random_logs.landed_db2 import db2_log
from random_logs.landed_history import Change, Row, Table, changes_of
from random_logs.landed_log_master import log_master_log
from random_logs.landed_runs import Landing, Log, land_all
from random_logs.landed_tables import Commits, Expected, begin, check_in_order, check_lines

LOGS = 5


def check(seed: int, folder: Path) -> Counter[str]:
    """Land a log, with current tables or without, and compare its tables."""
    chance = random.Random(seed)
    log: Any = chance.choice((db2_log, log_master_log))(chance, folder)
    check_tables = _check_current if chance.random() < 0.7 else _check_changes_alone
    return check_tables(chance, log, log.commits, folder)


def _check_current(chance: random.Random, log: Log, commits: Commits, folder: Path) -> Counter[str]:
    """Land with current tables, and compare changes, and the rows of all tables that are not refused."""
    is_trimmed = chance.random() < 0.8
    landing, expected = _landing(log, folder, is_trimmed, current=True), Expected(log.history, commits, is_trimmed)
    if log.history.wish.begins == "known":
        for table in log.history.tables:
            if table.first:
                path = landing.to / "current" / f"PROD.{table.name}"
                begin(path, table, is_trimmed, has_bounds=chance.random() < 0.5)
    has_kills = chance.random() < 0.6
    land_all(chance, log.files(chance, folder), landing, has_kills)
    _check_changes(expected, landing, has_kills)
    for number, table in enumerate(log.history.tables):
        changes = changes_of(log.history, number)
        if f"PROD.{table.name}" in landing.refused:
            assert _may_be_refused(table, changes), f"{table.name} is refused: {landing.refused}"
            landing.counts["refused tables"] += 1
        elif changes:
            rows = expected.rows(table)
            check_lines(f"{table.name} of {[one.kind.db2 for one in table.fields if one.is_key]}",
                        expected.current_lines(table, landing.to / "current" / f"PROD.{table.name}"), rows)  # fmt: skip
            landing.counts["rows"] += len(rows)
    return landing.counts


def _may_be_refused(table: Table, changes: Sequence[Change]) -> bool:
    """Whether a table has a transaction in which a row gets a key of another one."""
    taken: set[tuple[int, str]] = set()
    for change in changes:
        old, new = (_key(table, row) for row in (change.before, change.after))
        if old is not None and (change.unit, old) in taken:
            return True
        if new is not None and new != old and change.op == "U":
            taken.add((change.unit, new))
    return False


def _key(table: Table, row: Row | None) -> str | None:
    return None if row is None else str([row.values[name] for name in table.key])


def _check_changes_alone(chance: random.Random, log: Log, commits: Commits, folder: Path) -> Counter[str]:
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
