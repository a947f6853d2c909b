"""Requests: what the options of Spark's reader ask for.

Options are those of the command line in camelCase, and Spark's own. Letter case and underscores make no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lmparse.columnar import schemas
from lmparse.errors import OptionError
from lmparse.logs.families import read_options
from lmparse.logs.file_selection import moment
from lmparse.logs.partitions import DEFAULT_BYTES, Request
from lmparse.options import asks_for_changes, boolean, positive
from lmparse.spec.documents import DocumentError, read_json
from lmparse.spelling import plain, quoted

_SPARK_KEYS = ("path", "paths", "owner", "provider", "location", "comment", "external", "is_managed_location")
"""What Spark passes beside the options of a user."""
_PLACES = ("path", "paths", "location")
"""Those that say what to read."""
_TIMES = ("modifiedAfter", "modifiedBefore")
JOB_OPTIONS = {
    "ignoreCorruptFiles": "damaged files give the rows before the damage, in every mode, and no row for it",
    "ignoreMissingFiles": "a file that is deleted after it was listed has no rows; otherwise it is an error",
    "badRecordsPath": "folder for bad records and files, in place of rows; for mode permissive",
    "columnNameOfCorruptRecord": f"name of the column with the bytes of bad records; default: {schemas.CORRUPT_RECORD}",
    "reportPath": "folder in which each task leaves a report; lmparse.spark.report reads it",
}
"""Options for what becomes of bad records and files, and for the report, with their meaning."""
STREAM_OPTIONS = {
    "maxFilesPerTrigger": "most files of a micro-batch; default: all that are there",
    "completionMarker": "ending of the name of an empty file beside each file that is whole, as .done",
    "settledSeconds": "without markers: seconds after the last write from which on a file is whole; default: 10",
}
"""Options of streams only, with their meaning."""
SPARK_OPTIONS = {
    "maxPartitionBytes": f"bytes of a part; a file is cut between records; default: {DEFAULT_BYTES}",
    "pathGlobFilter": "only files whose names match, as in Spark",
    "recursiveFileLookup": "files of folders in the folder too, as in Spark",
    "modifiedAfter": "only files that were last changed after this time, as 2026-03-14T10:11:12",
    "modifiedBefore": "only files that were last changed before this time",
    "timeZone": "zone of these two times; default: that of the machine",
    **JOB_OPTIONS,
    **STREAM_OPTIONS,
}
"""Options that only the data source has, with their meaning."""


@dataclass(frozen=True)
class JobOptions:
    """What the tasks of a job give beside their rows."""

    bad_records_path: str | None = None
    """Folder for bad records and files, which then have no rows."""
    report_path: str | None = None
    """Folder for the reports of the tasks."""
    corrupt_record: str = schemas.CORRUPT_RECORD
    """Name of the column with the bytes of bad records."""


def request_of(options: Mapping[str, Any]) -> Request:
    """The request that options make, for records or changes. Raises OptionError."""
    request = reader_request(options, with_changes=asks_for_changes(options))
    return without_order(request)


def check_batch(options: Mapping[str, Any]) -> None:
    """Raise OptionError for an option that has a meaning in streams only."""
    keys = by_plain_name(options)
    for name in STREAM_OPTIONS:
        if plain(name) in keys:
            raise OptionError(f"{name} is for readStream", hint="leave it out, or read a stream")


def without_order(request: Request) -> Request:
    """The request. Raises OptionError if it asks for an order."""
    if request.options.order == "commit":
        raise OptionError("order commit has no meaning in a DataFrame", hint='use orderBy("seq")')
    return request


def job_options(options: Mapping[str, Any]) -> JobOptions:
    """The options for the tasks of a job. Raises OptionError."""
    keys = by_plain_name(options)
    found = JobOptions(
        text_of(keys, "badRecordsPath"),
        text_of(keys, "reportPath"),
        text_of(keys, "columnNameOfCorruptRecord") or schemas.CORRUPT_RECORD,
    )
    mode = str(keys.get("mode", "permissive")).lower()
    if found.bad_records_path is not None and mode != "permissive":
        raise OptionError(
            f"badRecordsPath means nothing in mode {mode}", hint="in mode permissive, bad records go there"
        )  # fmt: skip
    return found


def reader_request(options: Mapping[str, Any], *, with_changes: bool) -> Request:
    """The request that options make, for changes or not as the caller decides. Raises OptionError."""
    options, keys = _own(options), by_plain_name(options)
    named = read_options(options, known=_SPARK_KEYS, public=tuple(SPARK_OPTIONS))
    if named.checkpoint is not None:
        raise OptionError("checkpoint means nothing in Spark", hint="read a stream, or give startingAfter")
    zone = text_of(keys, "timeZone")
    after, before = (_moment(keys, name, zone) for name in _TIMES)
    if zone is not None and after is None and before is None:
        raise OptionError("timeZone is for modifiedAfter and modifiedBefore", hint="leave it out")
    return Request(
        _paths(keys),
        named,
        with_changes,
        positive("maxPartitionBytes", str(keys.get("maxpartitionbytes", DEFAULT_BYTES))),
        text_of(keys, "pathGlobFilter"),
        _truth(keys, "recursiveFileLookup"),
        after,
        before,
        _truth(keys, "ignoreCorruptFiles"),
        _truth(keys, "ignoreMissingFiles"),
        job_options(options).bad_records_path is not None,
    )


def strict(request: Request) -> Request:
    """The request in mode failfast, for a caller that has no place for what is bad."""
    return replace(request, options=replace(request.options, mode="failfast"))


def _own(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options without what Spark adds: a table in the catalog has its options also, or only, as `option.NAME`."""
    bare = {name: value for name, value in options.items() if not name.startswith("option.")}
    return bare or {name.removeprefix("option."): value for name, value in options.items()}


def by_plain_name(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, by names without case and underscores. Raises OptionError for one given twice."""
    found: dict[str, Any] = {}
    for name, value in _own(options).items():
        if value is not None:
            if plain(name) in found:
                raise OptionError(f"{name} is given twice, in two spellings", hint="leave one of them out")
            found[plain(name)] = value
    return found


def with_those_of_table(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given to read a table of the catalog, and those of its own that they do not replace.

    Of such a table Spark passes the schema, which has the options of the table, and no path. Where there is a path, a
    user took the schema from another DataFrame: what that one read has no meaning for this one.
    """
    given = by_plain_name(options)
    if any(name in given for name in _PLACES):
        return dict(options)
    return {**{name: value for name, value in own.items() if plain(name) not in given}, **options}


def text_of(keys: Mapping[str, Any], name: str) -> str | None:
    """The text of an option. Raises OptionError for an empty one."""
    value = keys.get(plain(name))
    if value is None:
        return None
    text = str(value)
    if not text or "\0" in text:
        raise OptionError(f"{name} has no value {quoted(text)}", hint="a text, or leave it out")
    return text


def _truth(keys: Mapping[str, Any], name: str) -> bool:
    return boolean(name, str(keys.get(plain(name), "false")))


def _moment(keys: Mapping[str, Any], name: str, zone: str | None) -> float | None:
    text = text_of(keys, name)
    return None if text is None else moment(name, text, zone)


def _paths(keys: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths to read; Spark passes several as a JSON list. Raises OptionError."""
    if "paths" not in keys:
        if "path" not in keys and "location" not in keys:
            raise OptionError("there is no path to read", hint="load(PATH); create a table without a column list")
        return (str(keys.get("path", keys.get("location"))),)
    text = str(keys["paths"])
    try:
        found = read_json(text.encode(errors="surrogatepass"))
    except DocumentError:
        found = None
    if not isinstance(found, list) or not found or not all(isinstance(path, str) for path in found):
        raise OptionError(f"paths has no value {quoted(text)}", hint="load(PATH) or load([PATH, ...])")
    if "path" in keys:
        raise OptionError("path and paths both name what to read", hint="load(PATH) or load([PATH, ...]) alone")
    return tuple(found)
