"""lmparse reads Db2 change logs that are locked in vendor formats.

    import lmparse

    log = lmparse.open_log("payroll.dat", control="payroll.ctl")
    for change in log.changes():
        print(change["op"], change["table_name"], change["after"])

This module and `lmparse.spark` are what programs import; all else is the inside. Nothing but the errors is loaded
before it is asked for: the build step imports this package where no parser has been generated yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.errors import (
    ControlError,
    DataError,
    EngineDifferenceError,
    FramingError,
    InvalidValueError,
    LeftoverError,
    LmparseError,
    OptionError,
    RecordError,
    TableNotFoundError,
    TruncatedError,
    UnknownFormatError,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter
    from lmparse.logs.open import Log, open_log, parse
    from lmparse.logs.sniff import Sniffed, sniff
    from lmparse.review.explain.search import Explained

__version__ = "0.1.0"

__all__ = [
    "ControlError",
    "DataError",
    "EngineDifferenceError",
    "Explained",
    "Filter",
    "FramingError",
    "InvalidValueError",
    "LeftoverError",
    "LmparseError",
    "Log",
    "OptionError",
    "RecordError",
    "Sniffed",
    "TableNotFoundError",
    "TruncatedError",
    "UnknownFormatError",
    "explain",
    "open_log",
    "parse",
    "read_table",
    "sniff",
]

_HOMES = {
    "Explained": "review.explain.search",
    "Filter": "columnar.filters",
    "Log": "logs.open",
    "Sniffed": "logs.sniff",
    "open_log": "logs.open",
    "parse": "logs.open",
    "sniff": "logs.sniff",
}
"""Modules of the names that are loaded when they are asked for."""


def read_table(path: str | Path, *, filters: Sequence[Filter] = (), metadata: bool = True, **options: Any) -> pa.Table:
    """The records of a file that fulfil filters as an Arrow table; needs pyarrow.

    `metadata` says whether the table has the column `_metadata`; options are those of the command line under their
    Python names. Raises FramingError where the file is damaged; bad records and values stand in the columns for them.
    """
    from lmparse.logs import arrow

    return arrow.read_table(path, filters=filters, metadata=metadata, **options)


def explain(path: str | Path, record: int | str | None = None, **options: Any) -> Explained:
    """One record of a file, its bytes beside its fields, as `lmparse explain` shows it; a notebook shows a page.

    `record` counts from 0. `offset`, any byte of the file, or `lsn`, a place in the log, may be given in its place.
    Raises OptionError for a record that there is not, FramingError where the file is damaged before it.
    """
    from lmparse.review.explain import search

    return search.explain(path, record, **options)


def __getattr__(name: str) -> Any:
    """A name of the inside; it is kept, so that the next use finds it at once."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"lmparse.{_HOMES[name]}"), name)
    return value
