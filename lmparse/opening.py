"""Opening: which reader a spec's files get."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lmparse import catalog, codepages
from lmparse.errors import DataError, OptionError
from lmparse.files import Decided, RecordFile
from lmparse.logs import LogicalLog
from lmparse.options import Options
from lmparse.records import RecordReader, to_json

_READERS: dict[str, type[RecordFile]] = {"bmc_lldf": LogicalLog}
"""Specs whose files are logs; the files of all others are records."""


def open_file(
    path: str | Path,
    options: Options,
    *,
    decided: Decided | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> RecordFile:
    """Open a file with the reader of its spec."""
    reader = _READERS.get(catalog.load(options.spec).id, RecordFile)
    return reader(path, options, decided=decided, on_error=on_error)


def open_changes(
    path: str | Path,
    options: Options,
    *,
    decided: Decided | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> LogicalLog:
    """Open a file whose records are changes. Raises OptionError LMP-S003 for a spec whose are not."""
    check_changes(options)
    log = open_file(path, options, decided=decided, on_error=on_error)
    assert isinstance(log, LogicalLog)
    return log


def check_changes(options: Options) -> None:
    """Raise OptionError for a spec whose records are no changes."""
    spec = catalog.load(options.spec)
    if not issubclass(_READERS.get(spec.id, RecordFile), LogicalLog):
        raise OptionError(f"records of {spec.id} are no changes", hint="one of " + ", ".join(_READERS))


def open_log(path: str | Path, **options: Any) -> Any:
    """Open a log. `lmparse.open_log("a.dat", control="a.ctl").changes()` gives its changes.

    Options are those of the command line under their Python names. The result has
    `.records()` and, for logs, `.changes()` and `.tables`; bad records and values are
    counted and kept in `.tally` (mode permissive) or raised (mode failfast).
    """
    return open_file(path, Options.parse(options))


def parse(raw: bytes, spec: str, **options: Any) -> dict[str, Any]:
    """One record's bytes as a dict, the same that `lmparse records` prints.

    Raises RecordError or InvalidValueError, with the field and its offset.
    """
    named = Options.parse({**options, "spec": spec})
    page = codepages.lookup(named.code_page) if named.code_page else None
    record = RecordReader(catalog.load(spec), code_page=page).read(raw).raise_fault()
    values: dict[str, Any] = to_json(record.values)
    return values
