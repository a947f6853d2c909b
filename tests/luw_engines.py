"""Changes of Db2 LUW logs as both engines read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from engines import Changes, changes_difference

from lmparse.changes.column_reader import text_refusal
from lmparse.changes.schemas import changes_schema
from lmparse.db2.change_columns import LuwChangeColumns
from lmparse.db2.log import Db2Log
from lmparse.errors import DataError, LmparseError
from lmparse.logs import arrow
from lmparse.logs.envelopes import flat_batches
from lmparse.logs.open import open_changes
from lmparse.options import Options


@dataclass
class Found:
    """What was read of the changes of a log."""

    changes: Changes
    slow: int
    """How many were read one by one."""
    notes: list[str]
    """What was said besides."""


def batches_of(log: Db2Log, schema: pa.Schema | None) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The changes by the column, as `arrow.version_batches` gives them one by one."""
    assert not text_refusal(schema)
    for found in LuwChangeColumns(log, schema).read():
        for one in found:
            assert (np.diff(one.numbers) >= 0).all()
            assert len(one.numbers) == one.batch.num_rows
            yield "" if schema or one.version is None else one.version.identity, one.batch


def rows_of(log: Db2Log, schema: pa.Schema | None) -> Iterator[tuple[str, pa.RecordBatch]]:
    log.options = replace(log.options, engine="kaitai")
    if schema is not None:
        yield from (("", batch) for batch in flat_batches(log, schema))
        return
    yield from ((version.identity if version else "", batch) for version, batch in arrow.version_batches(log))


def found_by(
    read: Callable[[Db2Log, Any], Iterator[tuple[str, pa.RecordBatch]]],
    path: Path,
    is_one_schema: bool = False,
    **options: Any,
) -> Found:
    """The changes of a log, those of each table version as a table, or all in one."""
    errors: list[LmparseError] = []
    found = Found(Changes({}, [], {}), 0, [])
    by_version: dict[str, list[pa.RecordBatch]] = {}
    try:
        log = open_changes(path, Options.parse({"spec": "db2_log", **options}), on_error=errors.append)
        assert isinstance(log, Db2Log)
        slow = counted(log)
        try:
            schema = changes_schema(log.table_versions(), columns=log.options.columns) if is_one_schema else None
            for name, batch in read(log, schema):
                batch.validate(full=True)
                by_version.setdefault(name, []).append(batch)
        finally:
            found.changes.left_out, found.changes.dropped = dict(log.left_out), log.tally.dropped
            found.slow, found.notes = len(slow), log.tally.notices
    except LmparseError as error:
        errors.append(error)
    found.changes.errors = [
        error.to_dict() if isinstance(error, DataError) else {"code": error.code, "message": str(error)}
        for error in errors
    ]
    found.changes.tables = {name: pa.Table.from_batches(parts) for name, parts in by_version.items()}
    return found


def counted(log: Db2Log) -> list[Any]:
    """The changes that a log reads one by one from now on."""
    found: list[Any] = []
    change_of = log.change_of

    def change_of_counted(unit: Any, entry: Any) -> Any:
        found.append(entry)
        return change_of(unit, entry)

    log.change_of = change_of_counted  # type: ignore[method-assign]
    return found


def both(path: Path, **options: Any) -> tuple[Changes, int]:
    """What both ways give, once they agree; and how many changes were read one by one."""
    one_by_one, found = (found_by(read, path, **options) for read in (rows_of, batches_of))
    codes = [error["code"] or "" for error in found.changes.errors]
    is_fatal = bool(codes) and (codes[-1].startswith("LMP-F") or options.get("mode") == "failfast")
    assert not changes_difference(one_by_one.changes, found.changes, ends_early=is_fatal)
    assert one_by_one.changes.left_out == found.changes.left_out
    assert one_by_one.notes == found.notes
    return found.changes, found.slow


def row_count(found: Changes) -> int:
    return sum(table.num_rows for table in found.tables.values())
