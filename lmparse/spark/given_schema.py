"""Given schemas: which columns the source has where a schema is given, that of a table of the catalog or a user's own.

Most columns are the same whatever is read. Those of the table that the option `table` names are what the files say
that are read: all of a batch, or those of a micro-batch. Files without a change of the table have no rows, and say
nothing. A column of the table that only the schema names is null, and said on standard error, where another file may be
the one that has it: one that cannot be read, or one that the stream has not come to. Else the source does not have it.

Where a version of the table lacks a column, and has one that the schema does not name and that was never beside it, it
may be that column under another name, whose values are lost. That ends a stream, and is said of a batch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.changes.envelopes import own_names
from lmparse.errors import OptionError, TableNotFoundError
from lmparse.logs import arrow
from lmparse.logs.arrow import TableColumns
from lmparse.logs.partitions import Request
from lmparse.terminal import harmless, one_line


def batch_columns(request: Request, wanted: pa.Schema) -> pa.Schema:
    """The columns of the source for the files of a request, and for a schema that is given."""
    unread = list[str]()
    said = TableColumns.of(request.options, request.logs(unread))
    lost = _maybe_renamed(said.versions, [], _of_table(wanted, request), of_all=False)
    if lost is not None:
        _say(lost)
    is_all = not unread and said.is_whole and said.why_none is None
    return _columns(request, said, wanted, has_more=not is_all)


class StreamColumns:
    """The columns of the source for the micro-batches of a stream, and for a schema that is given."""

    def __init__(self, request: Request, wanted: pa.Schema) -> None:
        self._request, self._wanted = request, wanted
        # What cannot be read may not be whole yet, and ends the stream when it is its turn.
        logs = replace(request, ignore_corrupt=True).logs(absent=[])
        self.first = TableColumns.of(request.options, logs)
        """What the files say that are there when the stream begins."""

    def of(self, said: TableColumns) -> pa.Schema:
        """The columns for what the files of a micro-batch say. Raises OptionError LMP-S012."""
        given = _of_table(self._wanted, self._request)
        lost = _maybe_renamed(said.versions, self.first.versions, given, of_all=True)
        if lost is not None:
            raise OptionError(lost, code="LMP-S012", hint="if it is the same column, name both in the schema")
        return _columns(self._request, said, self._wanted, has_more=True)


Images = dict[str, list[pa.Field]]
"""The columns of the table, by the name of the image that they are in; '' if they are in none."""


def _columns(request: Request, said: TableColumns, wanted: pa.Schema, *, has_more: bool) -> pa.Schema:
    """The columns of the source; `has_more`: with those of the table that only the schema names."""
    options = request.options
    if options.table is None:
        return arrow.request_schema(request)
    source, given, added = said.schema(), _of_table(wanted, request), Images()
    for place, fields in _of_table(source, request).items() if has_more else ():
        known = _names(fields)
        added[place] = [
            entry.with_nullable(True) for entry in given.get(place, ())
            if entry.name.lower() not in known and not pa.types.is_nested(entry.type)
            and (not options.columns or entry.name in options.columns)
        ]  # fmt: skip
    if isinstance(said.why_none, TableNotFoundError):
        _say(" ".join(filter(None, (f"{said.why_none}; no rows.", said.why_none.hint))))
    elif said.versions and any(added.values()):
        shown = [f"{place}.{entry.name}".lstrip(".") for place, fields in added.items() for entry in fields]
        _say(f"no file that was read has {', '.join(shown)}: null in all rows")
    fields = [
        entry.with_type(pa.struct([*entry.type, *added[entry.name]])) if entry.name in added else entry
        for entry in source
    ]
    return pa.schema([*fields, *added.get("", ())], source.metadata)


def _maybe_renamed(
    versions: Sequence[Version], others: Sequence[Version], given: Images, *, of_all: bool
) -> str | None:
    """A column of a schema that a version of the table may have under another name, in words; None if there is none.

    `others` are versions beside these. `of_all`: also of the columns that no version has.
    """
    names = {entry.name.lower(): entry.name for fields in given.values() for entry in fields}
    tables = {frozenset(_names(version.columns)): version for version in versions}
    together = {*tables, *(frozenset(_names(version.columns)) for version in others), frozenset(names)}
    for table, version in tables.items():
        for name in names.keys() - table:
            if (of_all or any(name in other for other in tables)) and not any(
                {*table, name} <= other for other in together
            ):
                beside = [column.name for column in version.columns if column.name.lower() not in names]
                return (
                    f"{version.identity} has no column {names[name]!r}, and may have it under another name, whose "
                    f"values are lost: {', '.join(beside)}"
                )
    return None


def _of_table(schema: pa.Schema, request: Request) -> Images:
    if request.options.envelope == "changefeed":
        own = own_names(request.options.envelope)
        return {"": [entry for entry in schema if entry.name.lower() not in own]}
    images = [entry for entry in schema if entry.name.lower() in ("before", "after")]
    return {entry.name.lower(): list(entry.type) for entry in images if pa.types.is_struct(entry.type)}


def _names(columns: Iterable[Any]) -> set[str]:
    return {column.name.lower() for column in columns}


def _say(text: str) -> None:
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)
