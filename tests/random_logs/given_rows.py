"""The rows of all ways of reading in one form: with their marks, beside the bad records, and how the reading ended."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from lmparse.cli.command_line import main
from random_logs import spark_reading
from random_logs.log_master_readings import Reading

Row = dict[str, Any]
UNLIKE = "LMP-C008"
"""The error of columns of one name in versions of a table whose types have nothing in common."""
_MOST_SHOWN = 3
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\Z")
Bad = Counter[tuple[str, str]]
"""File and code of the faults of bad records."""


@dataclass(frozen=True)
class Given:
    """What one way of reading gave."""

    rows: tuple[str, ...]
    """The rows with their marks, as JSON."""
    bad: Bad
    ended: str = ""
    """The code of the error that ended it."""
    beside: Bad = field(default_factory=Counter)
    """Those of `bad` of records with several faults: a bad record is marked with one."""

    @property
    def unmarked(self) -> Given:
        """The rows without marks alone."""
        return Given(tuple(row for row in self.rows if not json.loads(row)["marks"]), Counter())

    @property
    def in_any_order(self) -> Given:
        return replace(self, rows=tuple(sorted(self.rows)))

    def of_columns(self, columns: Sequence[str]) -> Given:
        """The rows with some of the columns of their table, and with the marks of these and of the header."""
        rows = []
        for row in map(json.loads, self.rows):
            for role in ("before", "after"):
                if row[role] is not None:
                    row[role] = {name: value for name, value in row[role].items() if name in columns}
            row["marks"] = [mark for mark in row["marks"] if _is_of(mark["path"], columns)]
            rows.append(json.dumps(row))
        return replace(self, rows=tuple(rows))


def _is_of(path: str, columns: Sequence[str]) -> bool:
    role, _, column = path.partition(".")
    return role not in {"before", "after"} or column in columns


def of_shell(shell: Reading) -> Given:
    """What `changes` prints: errors that no row is marked with are of bad records."""
    rows = [_row(row, row.get("_corrupt_fields")) for row in shell.rows]
    # The fault of a change in segments is said of a segment, and marked in the row of the last one.
    marks = Counter((_place(row)[0], mark["code"]) for row in shell.rows for mark in row.get("_corrupt_fields") or ())
    errors = Counter((Path(error["file"]).name, error["code"]) for error in shell.errors)
    assert not marks - errors, f"marked and not said: {marks - errors}"
    records = Counter((error["file"], error["record_index"]) for error in shell.errors)
    beside = Counter(
        (Path(error["file"]).name, error["code"]) for error in shell.errors
        if records[error["file"], error["record_index"]] > 1
    )  # fmt: skip
    return Given(tuple(rows), errors - marks, beside=beside)


def of_rows(rows: Iterable[Row]) -> Given:
    """Rows of columns, of which bad records have their bytes."""
    found, bad = [], Bad()
    for row in rows:
        if row["_corrupt_record"] is not None:
            bad.update((_place(row)[0], mark["code"]) for mark in row["_corrupt_fields"])
        else:
            found.append(_row(row, row["_corrupt_fields"]))
    return Given(tuple(found), bad)


def by_spark(path: str, options: Mapping[str, Any], **more: str) -> Given:
    """The rows of a DataFrame of changes; options have their Python names."""
    given = _spark(path, options, more)
    return replace(of_rows(given.rows), ended=given.code)


def spark_rows(path: str, options: Mapping[str, Any], **more: str) -> list[Row]:
    """The same in any shape, as they are. Raises LmparseError."""
    given = _spark(path, options, more)
    if given.error is not None:
        raise given.error
    return given.rows


def _spark(path: str, options: Mapping[str, Any], more: Mapping[str, str]) -> spark_reading.Given:
    asked = {"path": path, **{_camel(name): str(value) for name, value in {**options, **more}.items()}}
    schema, failed = spark_reading.schema_of(asked)
    return failed if schema is None else spark_reading.batch(schema, asked)


def by_convert(folder: Path, paths: Sequence[Path], options: Mapping[str, Any]) -> Given:
    """The rows of all files that `convert` writes into a new folder, in the order of the log."""
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    with contextlib.redirect_stderr(io.StringIO()):
        code = main(["convert", *map(str, paths), str(folder), *words])
    assert code in {0, 20}, f"convert ended with {code}"
    rows = [row for path in folder.glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    return of_rows(sorted(rows, key=_place))


def expect_given(what: str, wanted: Given, found: Given) -> None:
    """Raise AssertionError where a way of reading gave other rows, marks or bad records."""
    assert not found.ended, f"{what}: {found.ended}"
    if wanted.rows != found.rows:
        lost, more = ([row for row in one if row not in other] for one, other in
                      ((wanted.rows, found.rows), (found.rows, wanted.rows)))  # fmt: skip
        shown = f"lost: {lost[:_MOST_SHOWN]}\nmore: {more[:_MOST_SHOWN]}"
        raise AssertionError(f"{what}: {len(wanted.rows)} and {len(found.rows)} rows\n{shown}")
    lost_bad, more_bad = wanted.bad - found.bad - wanted.beside, found.bad - wanted.bad
    assert not lost_bad + more_bad, f"{what}: bad records lost {lost_bad}, more {more_bad}"


def table_names(rows: Iterable[Row]) -> list[str]:
    """The tables with row images in columns, as option `table` takes them."""
    names = {
        ".".join(filter(None, (row["schema_name"], row["table_name"].rstrip("\0 ")))) for row in rows
        if row["table_name"] and any(isinstance(row[role], dict) for role in ("before", "after"))
    }  # fmt: skip
    return sorted(name for name in names if "\0" not in name)


def _place(row: Row) -> tuple[str, int]:
    return Path(row["_metadata"]["file"]).name, row["_metadata"]["record_index"]


def _row(row: Row, marks: Sequence[Row] | None) -> str:
    named = {name: row[name] for name in ("op", "seq", "schema_name", "table_name")}
    images = {role: _image(row[role]) for role in ("before", "after")}
    return json.dumps({"place": _place(row), **named, **images, "marks": list(marks or [])})


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


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
