"""Changes of Db2 LUW logs are those of the statements that were committed, however the log is cut into files.

Tables are created, dropped, altered, truncated and changed by transactions side by side, which hold locks, go back to
savepoints, commit and abort. Both engines read the log as a whole; then files of it are joined, in any order, and read
one after the other behind a checkpoint.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from writers.db2.scripts import Form
from writers.db2.tables import JsonChange
from writers.db2.wire import Raw

from random_logs.db2_reading import ENGINES, both_engines, read, same, stretches, written
from random_logs.db2_statement_log import StatementLog

LOGS = 8
_FORMS = (
    Form("v10", "little", "filter"), Form("v10", "big", "filter"), Form("v10", "little", "bare"),
    Form("v10", "big", "lsn8"), Form("v9.7", "big", "filter97"), Form("v9.7", "little", "lsn8"),
    Form("v9.7", "big", "bare"), Form("v7", "little", "lsn6"), Form("v7", "big", "lsn6"), Form("v7", "little", "bare"),
)  # fmt: skip
_JOINS = 2


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    form = chance.choice(_FORMS)
    log = StatementLog(chance, form)
    stream = log.write(chance.choice((20, 40, 80)))
    if not stream.records:
        return Counter(logs=1)
    whole = folder / "whole.log"
    whole.write_bytes(stream.bytes())
    found = both_engines(whole, log.options)
    same("changes of the statements", list(map(_text, stream.expected(objects=False))), _changes(found.rows))
    counts = Counter(rows=len(found.rows), logs=1)
    # Before 10.1, records in framing `bare` state no position, by which files are put in order.
    if form.generation == "v10" or form.framing != "bare":
        for _ in range(_JOINS):
            counts += _in_files(chance, folder, stream.pieces(), log.options, found.values)
    return counts


def _in_files(
    chance: Random, folder: Path, records: list[Raw], options: dict[str, Any], wanted: list[str]
) -> Counter[str]:
    """Read a log as one of several files, and file by file."""
    files = written(folder, records, stretches(chance, len(records), chance.choice(("plain", "overlap"))), "part")
    shuffled = chance.sample(files, len(files))
    same(f"rows of {len(files)} files", wanted, read(shuffled, options, chance.choice(ENGINES)).values)
    state, values = folder / "state.json", list[str]()
    state.unlink(missing_ok=True)
    for path in files:
        values += read([path], options, chance.choice(ENGINES), state).values
    same(f"rows of {len(files)} files one by one", wanted, values)
    return Counter(joins=1, walks=1)


def _text(change: JsonChange) -> str:
    """A change that was written, as text; its columns have no names in the log, but numbers."""
    before, after = (_numbered(change[image]) for image in ("before", "after"))
    ids = f"{change['tablespace_id']}.{change['table_id']}"
    time = change["commit_ts"] and f"{change['commit_ts']}.000000"
    return json.dumps([change["op"], ids, before, after, change["tid"], time, change["auth_id"]])


def _numbered(image: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if image is None else {f"C{number}": value for number, value in enumerate(image.values(), 1)}


def _changes(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The same of rows that were read."""
    return [
        json.dumps([
            row["op"], row["table_name"], row["before"], row["after"], row["txn_id"][:12], row["commit_ts"],
            row["auth_id"],
        ])
        for row in rows
        if row["op"] != "O"
    ]  # fmt: skip
