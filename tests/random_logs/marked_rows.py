"""What the shell says of damaged values and records is what rows of Spark, Arrow and `convert` are marked with.

Logs of both families with changed bytes in some records. `changes` prints rows and errors; every other way gives the
same rows with the same marks in `_corrupt_fields`, in all columns or some, and the same bad records. The modes
`dropmalformed` and `failfast` leave out, and end at, exactly the rows that are marked.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql.types import StructType
from writers.bmc import framing
from writers.db2.scripts import Form

from lmparse.cli.command_line import main
from lmparse.logs.log import open_log
from random_logs import log_master_values, spark_reading
from random_logs.db2_statement_log import StatementLog
from random_logs.log_master_readings import ENGINES, Reading, printed

LOGS = 8
Row = dict[str, Any]
_FORMS = (Form("v10", "little", "filter"), Form("v10", "big", "lsn8"), Form("v9.7", "big", "filter97"))
_MOST_SHOWN = 3
_UNLIKE = "LMP-C008"
"""The error of columns of one name in versions of a table whose types have nothing in common."""
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\Z")


@dataclass(frozen=True)
class _Log:
    """A file and the options that say what it is."""

    path: Path
    options: dict[str, Any]

    @property
    def of_spark(self) -> dict[str, str]:
        return {"path": str(self.path), **{_camel(name): str(value) for name, value in self.options.items()}}


@dataclass(frozen=True)
class _Given:
    """What one way of reading gave, in a form that all have."""

    rows: tuple[str, ...]
    """The rows with their marks."""
    bad: Counter[tuple[int, str]]
    """Record and code of bad records."""
    ended: str = ""
    """The code of the error that ended it."""


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    log = _log_master(chance, folder) if chance.random() < 0.5 else _db2_log(chance, folder)
    log = replace(log, options=log.options | {"include": chance.choice(("committed", "all"))})
    shell = printed([log.path], chance.choice(ENGINES), **log.options)
    if shell.ended:
        return Counter(ended=1)
    wanted = _of_shell(shell)
    _expect("Spark", wanted, _by_spark(log))
    _expect("Spark, dropmalformed", _unmarked(wanted), _by_spark(log, mode="dropmalformed"))
    _expect("Arrow", wanted, _by_arrow(log))
    _expect("convert", wanted, _by_convert(chance, folder, log))
    strict = _by_spark(log, mode="failfast")
    assert bool(strict.ended) == bool(shell.errors), f"failfast: {strict.ended}, errors {shell.errors[:_MOST_SHOWN]}"
    counts = Counter(rows=len(wanted.rows), errors=len(shell.errors))
    for name in sorted({_name(row) for row in shell.rows if _is_typed(row)}):
        counts += _check_table(chance, log, name)
    return counts


def _is_typed(row: Row) -> bool:
    return bool(row["table_name"]) and any(isinstance(row[role], dict) for role in ("before", "after"))


def _name(row: Row) -> str:
    return ".".join(filter(None, (row["schema_name"], row["table_name"].rstrip("\0 "))))


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


# -- ways of reading ------------------------------------------------------------------------------


def _of_shell(shell: Reading) -> _Given:
    rows = [_row(row, row.get("_corrupt_fields")) for row in shell.rows]
    marks = Counter((row["_metadata"]["record_index"], mark["code"])
                    for row in shell.rows for mark in row.get("_corrupt_fields") or ())  # fmt: skip
    errors = Counter((error["record_index"], error["code"]) for error in shell.errors)
    assert not marks - errors, f"marked and not said: {marks - errors}"
    return _Given(tuple(rows), errors - marks)


def _by_spark(log: _Log, **options: str) -> _Given:
    asked = {**log.of_spark, **options}
    schema, failed = spark_reading.schema_of(asked)
    if schema is None:
        return _Given((), Counter(), failed.code)
    return _spark_rows(schema, asked)


def _spark_rows(schema: StructType, asked: dict[str, str]) -> _Given:
    given = spark_reading.batch(schema, asked)
    return replace(_of_rows(given.rows), ended=given.code)


def _by_arrow(log: _Log) -> _Given:
    reader = open_log(str(log.path), **log.options)
    return _of_rows(reader.to_reader().read_all().to_pylist())


def _by_convert(chance: Random, folder: Path, log: _Log) -> _Given:
    """The rows of all files that `convert` writes, in the order of the log."""
    out = folder / "out"
    words = [f"--{name.replace('_', '-')}={value}" for name, value in log.options.items()]
    with contextlib.redirect_stderr(io.StringIO()):
        code = main(["convert", str(log.path), str(out), *words])
    assert code in {0, 20}, code
    rows = [row for path in out.glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    return _of_rows(sorted(rows, key=lambda row: row["_metadata"]["record_index"]))


def _of_rows(rows: Iterable[Row]) -> _Given:
    found, bad = [], Counter[tuple[int, str]]()
    for row in rows:
        if row["_corrupt_record"] is not None:
            bad.update((row["_metadata"]["record_index"], mark["code"]) for mark in row["_corrupt_fields"])
            continue
        found.append(_row(row, row["_corrupt_fields"]))
    return _Given(tuple(found), bad)


def _row(row: Row, marks: Sequence[Row] | None) -> str:
    named = {name: row[name] for name in ("op", "seq", "schema_name", "table_name")}
    images = {role: _image(row[role]) for role in ("before", "after")}
    return json.dumps({"record": row["_metadata"]["record_index"], **named, **images, "marks": list(marks or [])})


def _image(value: Any) -> Any:
    """An image as the shell prints it, but for digits of times that columns do not have."""
    image = json.loads(value) if isinstance(value, str) else value
    if not isinstance(image, dict):
        return image
    shown = {name: _shown(one) for name, one in image.items()}
    # Columns of other versions of a table, which a row does not have, are null in a struct.
    return {name: one for name, one in shown.items() if one is not None}


def _shown(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date | time):
        value = value.isoformat()
    return _rounded(value) if isinstance(value, str) and _STAMP.match(value) else value


def _rounded(text: str) -> str:
    """A timestamp with microseconds; the end of a day is the start of the next one, if there is one."""
    day, clock = text[:19], text[20:26].ljust(6, "0")
    if day.endswith("T24:00:00"):
        last = date.fromisoformat(text[:10])
        if last == date.max:
            return "9999-12-31T23:59:59.999999"
        day, clock = f"{last + timedelta(days=1)}T00:00:00", "000000"
    return f"{day}.{clock}"


def _unmarked(wanted: _Given) -> _Given:
    return _Given(tuple(row for row in wanted.rows if row.endswith('"marks": []}')), Counter())


# -- one table ------------------------------------------------------------------------------------


def _check_table(chance: Random, log: _Log, name: str) -> Counter[str]:
    """Raise AssertionError where the rows of a table in columns differ from what the shell says of the table."""
    own = replace(log, options=log.options | {"table": name})
    shell = printed([own.path], chance.choice(ENGINES), **own.options)
    found = _by_spark(own)
    if shell.ended or found.ended == _UNLIKE:
        return Counter(unlike=1)
    wanted = _of_shell(shell)
    # A bad value in a header of another table is said, and has no row.
    unseen = wanted.bad - found.bad
    wanted = replace(wanted, bad=wanted.bad - Counter({key: n for key, n in unseen.items() if "LMP-V" in key[1]}))
    _expect(f"Spark, {name}", wanted, found)
    return Counter(tables=1)


def _expect(what: str, wanted: _Given, found: _Given) -> None:
    assert not found.ended, f"{what}: {found.ended}"
    if wanted.rows != found.rows:
        lost, more = ([row for row in one if row not in other] for one, other in
                      ((wanted.rows, found.rows), (found.rows, wanted.rows)))  # fmt: skip
        shown = f"lost: {lost[:_MOST_SHOWN]}\nmore: {more[:_MOST_SHOWN]}"
        raise AssertionError(f"{what}: {len(wanted.rows)} and {len(found.rows)} rows\n{shown}")
    lost_bad, more_bad = wanted.bad - found.bad, found.bad - wanted.bad
    assert wanted.bad == found.bad, f"{what}: bad records lost {lost_bad}, more {more_bad}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
