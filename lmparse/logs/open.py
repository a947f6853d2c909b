"""Opening: which reader a spec's files get."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError
from lmparse.logs.families import check_changes, check_fits, detection_of, family_of, read_options
from lmparse.options import Options
from lmparse.records.files import FileSettings, RecordFile
from lmparse.records.reader import RecordReader, arguments_of
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.json_form import to_json


def open_file(
    path: str | Path,
    options: Options,
    *,
    settings: FileSettings | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> RecordFile:
    """Open a file with the reader of its spec."""
    spec = catalog.load(options.spec)
    check_fits(options, spec)
    family = family_of(spec)
    if family is not None:
        log: ChangeLog = family.log(path, options, settings=settings, on_error=on_error)
        return log
    return RecordFile(path, options, settings=settings, on_error=on_error, detection=detection_of(spec))


def open_changes(
    path: str | Path,
    options: Options,
    *,
    settings: FileSettings | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> ChangeLog:
    """Open a file whose records are changes. Raises OptionError LMP-S003 for a spec whose are not."""
    check_changes(options)
    log = open_file(path, options, settings=settings, on_error=on_error)
    assert isinstance(log, ChangeLog)
    return log


def open_log(path: str | Path, **options: Any) -> Any:
    """Open a log. `lmparse.open_log("a.dat", control="a.ctl").changes()` gives its changes.

    Options are those of the command line under their Python names. The result has
    `.records()` and, for logs, `.changes()` and `.tables`; bad records and values are
    counted and kept in `.tally` (mode permissive) or raised (mode failfast).
    """
    return open_file(path, read_options(options))


def parse(raw: bytes, spec: str, **options: Any) -> dict[str, Any]:
    """One record's bytes as a dict, the same that `lmparse records` prints.

    Raises RecordError or InvalidValueError, with the field and its offset.
    """
    named = read_options({**options, "spec": spec})
    page = codepages.lookup(named.code_page) if named.code_page else None
    found = catalog.load(named.spec)
    reader = RecordReader(found, code_page=page, arguments=arguments_of(found, named))
    record = reader.read(raw, frozenset(named.columns) or None).raise_fault()
    values: dict[str, Any] = to_json(record.values)
    return values
