"""What must hold of a file, whatever its bytes are: a failed assertion is a finding."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from engines import by_column, by_row, changes, changes_difference, difference
from transactions_of import listed

from lmparse.errors import LmparseError
from lmparse.logs.check import account
from lmparse.logs.families import read_options

_ENDS = ("LMP-F", "LMP-C", "LMP-L")
"""Codes of errors that end the reading in every mode."""


def values_or_error(read: Callable[[], Iterable[Any]]) -> list[Any]:
    """What reading gives, all of it JSON, with the words of the library's own error last when it raised one."""
    result: list[Any] = []
    try:
        result.extend(read())
    except LmparseError as error:
        result.append(str(error))
    json.dumps(result, allow_nan=False)
    return result


def records_agree(path: Path, **options: Any) -> None:
    """Both engines give the same records and errors."""
    rows = by_row(path, **options)
    said = difference(rows, by_column(path, **options), ends_early=_ended(rows.errors, options))
    assert not said, f"records by both engines: {said}"


def changes_agree(path: Path, **options: Any) -> None:
    """Both engines give the same changes and errors."""
    rows = changes(path, "kaitai", **options)
    said = changes_difference(rows, changes(path, "columnar", **options), ends_early=_ended(rows.errors, options))
    assert not said, f"changes by both engines: {said}"


def transactions_agree(path: Path, **options: Any) -> None:
    """Both engines list the same transactions, and report the same errors as far as reading gets."""
    rows, columns = (listed(path, engine, **options) for engine in ("kaitai", "columnar"))
    if options.get("mode") == "failfast" and rows.errors:
        assert columns.errors, "errors of transactions by both engines"
        return
    assert columns == rows, "transactions by both engines"
    json.dumps(rows.rows, allow_nan=False)


def _ended(errors: list[dict[str, Any]], options: dict[str, Any]) -> bool:
    return options.get("mode") == "failfast" or (bool(errors) and str(errors[-1]["code"]).startswith(_ENDS))


def accounted(path: Path, **options: Any) -> None:
    """The parts of a file add up to it, unless its framing cannot be found."""
    try:
        report = account(str(path), read_options(options))
    except LmparseError:
        return
    assert report.size == path.stat().st_size
    assert report.parsed + report.descriptors + report.skipped + report.quarantined == report.size
    assert report.is_accounted
    assert min(report.parsed, report.descriptors, report.skipped, report.quarantined) >= 0
    assert report.quarantined == 0 or report.error_count > 0
    json.dumps(report.to_dict(), allow_nan=False)
    assert all(isinstance(line, str) for line in report.lines())
