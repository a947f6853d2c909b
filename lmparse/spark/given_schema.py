"""Given schemas: which columns the source has where a schema is given, that of a table of the catalog or a user's own.

Most columns are the same whatever is read. Those of the table that the option `table` names are what the files say
that are read: all of a batch, or those of a micro-batch. Files without a change of the table have no rows, and say
nothing. A column of the table that only the schema names is null, and said on standard error, where another file may be
the one that has it: one that cannot be read, or one that the stream has not come to. Else the source does not have it.

In a stream the table must not have another column instead that was never beside the one that is missing: it may be that
column under a new name, whose values would be lost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from lmparse.errors import TableNotFoundError
from lmparse.logs import arrow
from lmparse.logs.arrow import TableColumns
from lmparse.logs.partitions import Request
from lmparse.terminal import harmless, one_line


def batch_columns(request: Request, wanted: pa.Schema) -> pa.Schema:
    """The columns of the source for the files of a request, and for a schema that is given."""
    unread = list[str]()
    said = TableColumns.of(request.options, request.logs(unread))
    is_all = not unread and said.is_whole and said.why_none is None
    return _columns(request, said, wanted, lambda name: not is_all)


class StreamColumns:
    """The columns of the source for the micro-batches of a stream, and for a schema that is given."""

    def __init__(self, request: Request, wanted: pa.Schema) -> None:
        self._request, self._wanted = request, wanted
        # What cannot be read may not be whole yet, and ends the stream when it is its turn.
        self.first = TableColumns.of(request.options, replace(request, ignore_corrupt=True).logs())
        """What the files say that are there when the stream begins."""

    def of(self, said: TableColumns) -> pa.Schema:
        """The columns for what the files of a micro-batch say."""
        tables = [_names(version.columns) for version in said.versions]
        known = [_names(version.columns) for version in self.first.versions]
        given = {name for fields in _of_table(self._wanted, self._request).values() for name in _names(fields)}
        together = [*tables, *known, given]

        def may_have(name: str) -> bool:
            return all(any({*table, name.lower()} <= other for other in together) for table in tables)

        return _columns(self._request, said, self._wanted, may_have)


def _columns(request: Request, said: TableColumns, wanted: pa.Schema, may_have: Callable[[str], bool]) -> pa.Schema:
    """The columns of the source, with those of the table that only the schema names and a file may have."""
    options = request.options
    if options.table is None:
        return arrow.request_schema(request)
    source = said.schema()
    own, given = _of_table(source, request), _of_table(wanted, request)
    for place, fields in own.items():
        own[place] = [
            entry.with_nullable(True) for entry in given.get(place, ())
            if entry.name.lower() not in _names(fields) and may_have(entry.name) and not pa.types.is_nested(entry.type)
            and (not options.columns or entry.name in options.columns)
        ]  # fmt: skip
    if isinstance(said.why_none, TableNotFoundError):
        _say(" ".join(filter(None, (f"{said.why_none}; no rows.", said.why_none.hint))))
    elif said.versions and any(own.values()):
        shown = [f"{place}.{entry.name}".lstrip(".") for place, fields in own.items() for entry in fields]
        _say(f"no file that was read has {', '.join(shown)}: null in all rows")
    fields = [
        entry.with_type(pa.struct([*entry.type, *own[entry.name]])) if entry.name in own else entry for entry in source
    ]
    return pa.schema([*fields, *own.get("", ())], source.metadata)


def _of_table(schema: pa.Schema, request: Request) -> dict[str, list[pa.Field]]:
    """The columns of the table in a schema, by the name of the image that they are in; '' if they are in none."""
    if request.options.envelope == "changefeed":
        return {"": list(schema)}
    images = [entry for entry in schema if entry.name.lower() in ("before", "after")]
    return {entry.name.lower(): list(entry.type) for entry in images if pa.types.is_struct(entry.type)}


def _names(columns: Iterable[Any]) -> set[str]:
    return {column.name.lower() for column in columns}


def _say(text: str) -> None:
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)
