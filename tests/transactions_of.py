"""The transactions of a log as `lmparse txn` gives them, by one engine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from lmparse.errors import LmparseError
from lmparse.logs.families import read_options
from lmparse.logs.log import transaction_summaries
from lmparse.logs.open import open_changes


class Listed(NamedTuple):
    """What one engine gave."""

    rows: list[dict[str, Any]]
    errors: list[str]
    notices: list[str]


def listed(path: Path, engine: str, part_bytes: int | None = None, **options: Any) -> Listed:
    """The transactions, and everything that was said; `part_bytes` are those of parts of a Db2 LUW log."""
    errors: list[LmparseError] = []
    found: list[dict[str, Any]] = []
    try:
        log: Any = open_changes(path, read_options({**options, "engine": engine}), on_error=errors.append)
        if part_bytes is not None:
            log._part_bytes = part_bytes
        found += (summary.to_row() for summary in transaction_summaries(log))
    except LmparseError as error:
        errors.append(error)
        return Listed(found, list(map(str, errors)), [])
    return Listed(found, list(map(str, errors)), log.tally.notices)


def both(path: Path, *part_bytes: int, **options: Any) -> Listed:
    """What both engines give, once they agree, also in parts of some sizes."""
    reference = listed(path, "kaitai", **options)
    for size in (None, *part_bytes):
        assert listed(path, "columnar", size, **options) == reference
    return reference


def counted(rows: list[dict[str, Any]], *names: str) -> Counter[tuple[str, str, str]]:
    """Number of changes in summaries, by transaction, table and operation."""
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for name in names:
            for table, numbers in row[name].items():
                found.update({(row["txn_id"], table, op): number for op, number in numbers.items()})
    return found
