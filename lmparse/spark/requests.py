"""Requests: what the options of Spark's reader ask for.

Options are those of the command line in camelCase, and Spark's own. Letter case and underscores make no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lmparse.columnar import schemas
from lmparse.errors import OptionError
from lmparse.limits import byte_size
from lmparse.logs.families import read_options
from lmparse.logs.partitions import DEFAULT_BYTES, Request
from lmparse.options import asks_for_changes, boolean
from lmparse.spec.documents import DocumentError, read_json
from lmparse.spelling import plain, quoted

_SPARK_KEYS = ("path", "paths", "owner", "provider", "location", "comment", "external", "is_managed_location")
"""What Spark passes beside the options of a user."""
_PLACES = ("path", "paths", "location")
"""Those that say what to read."""
_CORRUPT_RECORD = "columnNameOfCorruptRecord"
SPARK_OPTIONS = {
    "maxPartitionBytes": f"size of a part, as 128MB; a file is cut between records; default: {DEFAULT_BYTES}",
    "pathGlobFilter": "only files whose names match, as in Spark",
    "recursiveFileLookup": "files of folders in the folder too, as in Spark",
    _CORRUPT_RECORD: f"name of the column with the bytes of bad records; default: {schemas.CORRUPT_RECORD}",
}
"""Options that only the data source has, with their meaning."""


def request_of(options: Mapping[str, Any]) -> Request:
    """The request that options make, for records or changes. Raises OptionError."""
    return reader_request(options, with_changes=asks_for_changes(options))


def reader_request(options: Mapping[str, Any], *, with_changes: bool) -> Request:
    """The request that options make, for changes or not as the caller decides.

    Raises OptionError, also for an order and for what only the whole log gives.
    """
    options, keys = _own(options), by_plain_name(options)
    named = read_options(options, known=_SPARK_KEYS, public=tuple(SPARK_OPTIONS))
    if named.checkpoint is not None:
        raise OptionError("checkpoint means nothing in Spark", hint="land the log, or give startingAfter")
    if named.order == "commit":
        raise OptionError("order commit has no meaning in a DataFrame", hint='use orderBy("seq")')
    size, is_recursive = keys.get("maxpartitionbytes"), keys.get("recursivefilelookup", "false")
    return Request(
        _paths(keys),
        named,
        with_changes,
        DEFAULT_BYTES if size is None else byte_size("maxPartitionBytes", str(size)),
        _text_of(keys, "pathGlobFilter"),
        boolean("recursiveFileLookup", str(is_recursive)),
    )


def corrupt_record(options: Mapping[str, Any]) -> str:
    """Name of the column with the bytes of bad records. Raises OptionError for an empty one."""
    return _text_of(by_plain_name(options), _CORRUPT_RECORD) or schemas.CORRUPT_RECORD


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


def _text_of(keys: Mapping[str, Any], name: str) -> str | None:
    value = keys.get(plain(name))
    if value is None:
        return None
    text = str(value)
    if not text or "\0" in text:
        raise OptionError(f"{name} has no value {quoted(text)}", hint="a text, or leave it out")
    return text


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
