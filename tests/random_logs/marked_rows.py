"""What the shell says of damaged values and records is what rows of Spark, Arrow and `convert` are marked with.

Logs of both families with changed bytes in some records. `changes` prints rows and errors; every other way gives the
same rows with the same marks in `_corrupt_fields`, in all columns or some, and the same bad records. The modes
`dropmalformed` and `failfast` leave out, and end at, exactly the rows that are marked.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from writers.bmc import framing
from writers.db2.scripts import Form

from lmparse.logs.log import open_log
from random_logs import log_master_values
from random_logs.db2_statement_log import StatementLog
from random_logs.given_rows import (
    UNLIKE,
    Given,
    by_convert,
    by_spark,
    expect_given,
    of_rows,
    of_shell,
    spark_rows,
    table_names,
)
from random_logs.log_master_readings import ENGINES, printed

LOGS = 4
_FORMS = (Form("v10", "little", "filter"), Form("v10", "big", "lsn8"), Form("v9.7", "big", "filter97"))
_MOST_SHOWN = 3


@dataclass(frozen=True)
class _Log:
    """A file and the options that say what it is."""

    path: Path
    options: dict[str, Any]

    def by_spark(self, **more: str) -> Given:
        return by_spark(str(self.path), self.options, **more)

    def by_arrow(self, **more: str) -> Given:
        log = open_log(str(self.path), **self.options, **more)
        return of_rows(log.to_reader().read_all().to_pylist())


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    log = _log_master(chance, folder) if chance.random() < 0.5 else _db2_log(chance, folder)
    log = replace(log, options=log.options | {"include": chance.choice(("committed", "all"))})
    shell = printed([log.path], chance.choice(ENGINES), **log.options)
    if shell.ended:
        return Counter(ended=1)
    wanted = of_shell(shell)
    expect_given("Spark", wanted, log.by_spark())
    expect_given("Spark, in parts", wanted, log.by_spark(max_partition_bytes=str(chance.choice((1, 500, 2000)))))
    expect_given("Spark, dropmalformed", wanted.unmarked, log.by_spark(mode="dropmalformed"))
    strict = log.by_spark(mode="failfast")
    assert bool(strict.ended) == bool(shell.errors), f"failfast: {strict.ended}, errors {shell.errors[:_MOST_SHOWN]}"
    expect_given("Arrow", wanted, log.by_arrow())
    expect_given("Arrow, order commit", wanted.in_any_order, log.by_arrow(order="commit").in_any_order)
    expect_given("convert", wanted, by_convert(folder / "out", [log.path], log.options))
    _check_envelope(log, wanted, chance.choice(("debezium", "changefeed")))
    counts = Counter(rows=len(wanted.rows), errors=len(shell.errors))
    for name in table_names(shell.rows):
        counts += _check_table(chance, log, name)
    return counts


# -- logs -----------------------------------------------------------------------------------------


def _log_master(chance: Random, folder: Path) -> _Log:
    log, path, options = log_master_values.some_log(chance, folder)
    path.write_bytes(framing.rdw(_damaged(chance, log.records, 2)))
    return _Log(path, options)


def _db2_log(chance: Random, folder: Path) -> _Log:
    log = StatementLog(chance, chance.choice(_FORMS))
    records = log.write(chance.choice((20, 40))).pieces()
    path = folder / "whole.log"
    # The lengths and types of records stay.
    path.write_bytes(b"".join(_damaged(chance, records, 60)))
    return _Log(path, {"spec": "db2_log", **log.options})


def _damaged(chance: Random, records: Sequence[bytes], first: int) -> list[bytes]:
    """Records with a changed byte behind the first ones in some."""
    found = [bytes(record) for record in records]
    for _ in range(chance.choice((1, 2, 5, 10)) if found else 0):
        number = chance.randrange(len(found))
        record = found[number]
        # Most in the second half, where the row is.
        begin = max(first, chance.choice((first, len(record) // 2, len(record) - 40)))
        if begin < len(record):
            place = chance.randrange(begin, len(record))
            other = chance.choice((0, 0xFF, 0x41, record[place] ^ 1, record[place] ^ 0x80))
            found[number] = record[:place] + bytes([other]) + record[place + 1 :]
    return found


# -- some columns, and other shapes ---------------------------------------------------------------


def _check_table(chance: Random, log: _Log, name: str) -> Counter[str]:
    """Raise AssertionError where the rows of a table in columns differ from what the shell says of the table."""
    own = replace(log, options=log.options | {"table": name})
    shell = printed([own.path], chance.choice(ENGINES), **own.options)
    found = own.by_spark()
    if shell.ended or found.ended == UNLIKE:
        return Counter(unlike=1)
    wanted = of_shell(shell)
    # A bad value in a header of another table is said, and has no row.
    unseen = wanted.bad - found.bad
    wanted = replace(wanted, bad=wanted.bad - Counter({key: n for key, n in unseen.items() if "LMP-V" in key[1]}))
    expect_given(f"Spark, {name}", wanted, found)
    images = [row[role] for row in map(json.loads, wanted.rows) for role in ("before", "after")]
    columns = sorted({column for image in images for column in image or ()})
    if columns:
        some = chance.sample(columns, chance.randrange(1, len(columns) + 1))
        expect_given(f"Spark, {some} of {name}", wanted.of_columns(some), own.by_spark(columns=",".join(some)))
    return Counter(tables=1)


def _check_envelope(log: _Log, wanted: Given, envelope: str) -> None:
    """Raise AssertionError where no row of an envelope has a mark of a change."""
    found = {(row["_metadata"]["record_index"], mark["path"], mark["code"])
             for row in spark_rows(str(log.path), log.options, envelope=envelope)
             for mark in row["_corrupt_fields"] or ()}  # fmt: skip
    marks = {(row["place"][1], mark["path"], mark["code"]) for row in map(json.loads, wanted.rows)
             for mark in row["marks"] if row["op"] in "IUD"}  # fmt: skip
    assert marks <= found, f"{envelope}: marks lost {sorted(marks - found)[:_MOST_SHOWN]}"
