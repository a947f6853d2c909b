"""Changes of Db2 LUW logs are those of the statements that were committed, however the log is cut into files.

Tables are created, dropped, altered, truncated and changed by transactions side by side, which hold locks, go back to
savepoints, commit and abort. Both engines read the log as a whole; then files of it are joined, in any order, and read
one after the other behind a checkpoint. A tables file of what is there at the end gives names to the rows of these
tables, and to no others. Tails of a log have the same rows, or their bytes where the description of the table is not
in the tail; also rows that were taken back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from samples.db2_scripts import tables_file
from writers.db2.scripts import Form
from writers.db2.tables import JsonChange
from writers.db2.wire import Raw

from lmparse.errors import FramingError
from random_logs.db2_reading import ENGINES, attempt, both_engines, early_file, read, same, stretches, written
from random_logs.db2_statement_log import StatementLog

LOGS = 8
_FORMS = (
    Form("v10", "little", "filter"), Form("v10", "big", "filter"), Form("v10", "little", "bare"),
    Form("v10", "big", "lsn8"), Form("v9.7", "big", "filter97"), Form("v9.7", "little", "lsn8"),
    Form("v9.7", "big", "bare"), Form("v7", "little", "lsn6"), Form("v7", "big", "lsn6"), Form("v7", "little", "bare"),
)  # fmt: skip
_DEFINING = ("drop_table", "create_table", "initialize_table", "add_columns", "drop_columns")
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
        counts += _with_tables_file(folder, log, whole, found.rows)
        for _ in range(_JOINS):
            counts += _in_files(chance, folder, stream.pieces(), log.options, found.values)
        if len(stream.records) > log.first + 1:
            every = both_engines(whole, {**log.options, "include": "all"})
            assert not every.errors, f"errors in {whole}: {every.said()}"
            for include, rows in (("committed", found.rows), ("all", every.rows)):
                counts += _tail(chance, folder, log, include, rows)
    return counts


def _with_tables_file(folder: Path, log: StatementLog, path: Path, whole: list[dict[str, Any]]) -> Counter[str]:
    """Read a log with the catalog as of its end; `whole` are its rows without that."""
    places = {
        f"{one.table.tablespace_id}.{one.table.table_id}": one
        for one in log.places
        if one.table is not None and one.definer is None
    }
    tables = [place.table for place in places.values() if place.table is not None]
    if not tables:
        return Counter()
    options = {**log.options, "tables": tables_file(folder, *tables)}
    found = both_engines(path, options)
    assert not found.errors, f"errors in {path} with a tables file: {found.said()}"
    every = both_engines(path, {**options, "include": "all"})
    assert not every.errors, f"errors in {path} with a tables file, of all changes: {every.said()}"
    numbers = {record.lsn: number for number, record in enumerate(log.stream.records)}
    counts = Counter[str]()
    pairs = [pair for pair in zip(whole, found.rows, strict=True) if pair[0]["op"] != "O"]
    for change, (row, named) in zip(log.stream.expected(objects=False), pairs, strict=True):
        place = places.get(row["table_name"])
        is_last = place is not None and log.lives.get(numbers[int(row["seq"][48:64], 16)]) is place.life
        for role in ("before", "after"):
            wanted = row[role]
            if is_last and wanted is not None:
                wanted = dict(zip(change[role] or {}, wanted.values(), strict=True))
            assert named[role] == wanted, f"{named[role]} is {wanted}, of the last table: {is_last}"
        counts["named"] += is_last
        counts["not named"] += place is not None and not is_last
    return counts


def _tail(chance: Random, folder: Path, log: StatementLog, include: str, whole: list[dict[str, Any]]) -> Counter[str]:
    """Read a log without its beginning: as one file, as several, and file by file; `whole` are all rows."""
    begin = _begin(chance, log)
    numbers = {record.lsn: number for number, record in enumerate(log.stream.records)}
    options = {**log.options, "include": include}
    if log.form.generation == "v10":
        options["decisions"] = f"lob_columns_from={log.lob_columns_from}"
    records, path = log.stream.pieces()[begin:], folder / "tail.log"
    path.write_bytes(b"".join(records))
    found = both_engines(path, options)
    assert not found.errors, f"errors in {path} from record {begin}: {found.said()}"
    files = written(folder, records, stretches(chance, len(records)), "tail")
    same("rows of files of the tail", found.values, read(files, options, chance.choice(ENGINES)).values)
    readings = [found.rows]
    if include == "committed":
        wanted = [row["seq"] for row in whole if numbers[int(row["txn_id"][12:], 16)] >= begin]
        same("changes of the tail", wanted, [row["seq"] for row in found.rows])
        state, rows = folder / "state.json", list[dict[str, Any]]()
        state.unlink(missing_ok=True)
        for file in files:
            rows += read([file], options, chance.choice(ENGINES), state).rows
        same("changes of the tail one by one", [row["seq"] for row in found.rows], [row["seq"] for row in rows])
        readings.append(rows)
    # The position of a commit is not known of a transaction that began in front of the tail.
    sound = {row["seq"][48:]: row for row in whole}
    counts = Counter(tails=1)
    for row in (row for rows in readings for row in rows if row["op"] in "IUD"):
        is_described = log.lives[numbers[int(row["seq"][48:64], 16)]].described >= begin
        _compare(sound[row["seq"][48:]], row, is_described=is_described)
        counts["tail rows"] += 1
        counts["bytes"] += _is_bytes(row)
    return counts


def _begin(chance: Random, log: StatementLog) -> int:
    """The number of the first record of a tail; often behind one that defines a table, which is then not known."""
    begins = range(log.first + 1, len(log.stream.records))
    behind = [number for number in begins if log.stream.records[number - 1].kind in _DEFINING]
    return chance.choice(behind if behind and chance.random() < 0.6 else begins)


def _compare(sound: dict[str, Any], row: dict[str, Any], *, is_described: bool) -> None:
    """Raise AssertionError if a row is not as in the whole log, or kept as bytes though its table is described."""
    if _is_bytes(row):
        assert not is_described, f"{row} of {sound}"
        return
    absent = (row["detail"] or {}).get("absent") or {}
    for role in ("before", "after"):
        for name, value in (sound[role] or {}).items():
            where = f"{role}.{name}"
            assert row[role][name] == value or (row[role][name] is None and where in absent), f"{where} in {row}"


def _is_bytes(row: dict[str, Any]) -> bool:
    return row["before"] is None and row["after"] is None


def _in_files(
    chance: Random, folder: Path, records: list[Raw], options: dict[str, Any], wanted: list[str]
) -> Counter[str]:
    """Read a log as one of several files, and file by file."""
    cuts = stretches(chance, len(records), chance.choice(("plain", "overlap")))
    files, last = written(folder, records, cuts, "part"), early_file(cuts)
    shuffled = chance.sample(files, len(files))
    same(f"rows of {len(files)} files", wanted, read(shuffled, options, chance.choice(ENGINES)).values)
    state, values = folder / "state.json", list[str]()
    state.unlink(missing_ok=True)
    for path in files[:last]:
        values += read([path], options, chance.choice(ENGINES), state).values
    if last < len(files):
        found = attempt([files[last]], options, chance.choice(ENGINES), state)
        assert isinstance(found, FramingError), "it begins in front of the file that was read last"
        assert found.code == "LMP-F014", found
    same(f"rows of {last} files one by one", wanted[: len(values)] if last < len(files) else wanted, values)
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
