"""Given schemas: which columns the source has where a schema is given, that of a table of the catalog or a user's own.

Most columns are the same whatever is read. Those of the table that the option `table` names are what the files say
that are read: all of a batch, or those of a micro-batch. Files without a change of the table have no rows, and say
nothing. A column of the table that only the schema names is null, and said on standard error, where another file may be
the one that has it: one that cannot be read, or one that the stream has not come to. Else the source does not have it.

Where a version of the table lacks a column, and has one that the schema does not name and that was never beside it, it
may be that column under another name, whose values are lost. That ends a stream, and is said of a batch.

A name in the schema means the column of this name, if any file that is known has it, else the only one in other letter
case that the schema does not name itself. A micro-batch need not have them all, so what a name means is not its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

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
    lost = _maybe_renamed(said.versions, [], _meant(request, wanted, said.versions), of_all=False)
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
        first = self.first.versions
        every = [*first, *said.versions]
        meant = _meant(self._request, self._wanted, every)
        for name in meant:
            # A stream that begins anew has no other memory of what a name meant than the files.
            columns = {column for version in every for column in self._meant_in(name, version)}
            columns -= meant.keys() - {name}
            if len(columns) > 1:
                raise OptionError(
                    f"column {name!r} of the schema may be any of {', '.join(sorted(columns))}, which are in files of "
                    "the stream",
                    code="LMP-S012", hint="name each as the files do",
                )  # fmt: skip
        lost = _maybe_renamed(said.versions, first, meant, of_all=True)
        if lost is not None:
            raise OptionError(lost, code="LMP-S012", hint="if it is the same column, name both in the schema")
        return _columns(self._request, said, self._wanted, has_more=True, others=first)

    def _meant_in(self, name: str, version: Version) -> list[str]:
        """The column of a version that a name means: the one that is written so, else those in other letter case."""
        names = _names(version).intersection(self._request.options.columns or _names(version))
        return [name] if name in names else [column for column in names if column.lower() == name.lower()]


Images = dict[str, list[pa.Field]]
"""The columns of the table, by the name of the image that they are in; '' if they are in none."""


def _columns(
    request: Request, said: TableColumns, wanted: pa.Schema, *, has_more: bool, others: Sequence[Version] = ()
) -> pa.Schema:
    """The columns of the source; `has_more`: with those of the table that only the schema names.

    `others` are versions beside those of these files.
    """
    options = request.options
    if options.table is None:
        return arrow.request_schema(request)
    source, given, added = said.schema(may_lack=has_more), _of_table(wanted, request), Images()
    meant = _meant(request, wanted, [*said.versions, *others])
    for place, fields in _of_table(source, request).items() if has_more else ():
        known = {entry.name for entry in fields}
        added[place] = [
            entry.with_nullable(True) for entry in given.get(place, ())
            if meant[entry.name] not in known and not pa.types.is_nested(entry.type)
            and (not options.columns or meant[entry.name] in options.columns)
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
    versions: Sequence[Version], others: Sequence[Version], meant: Mapping[str, str], *, of_all: bool
) -> str | None:
    """A column of a schema that a version of the table may have under another name, in words; None if there is none.

    `others` are versions beside these. `of_all`: also of the columns that no version has.
    """
    given = set(meant.values())
    tables = {_names(version): version for version in versions}
    together = {*tables, *map(_names, others)}
    for table, version in tables.items():
        for name in sorted(given - table):
            if of_all or any(name in other for other in tables):
                apart = [
                    column.name for column in version.columns
                    if column.name not in given and not any({name, column.name} <= other for other in together)
                ]  # fmt: skip
                if apart:
                    return (
                        f"{version.identity} has no column {name!r}, and may have it under another name, whose "
                        f"values are lost: {', '.join(apart)}"
                    )
    return None


def _meant(request: Request, wanted: pa.Schema, versions: Sequence[Version]) -> dict[str, str]:
    """The column that each name of a schema means; the name itself if no version has one for it.

    What the option `columns` leaves out is not meant. Raises OptionError LMP-S012 for a name that may mean several.
    """
    names = {entry.name for fields in _of_table(wanted, request).values() for entry in fields}
    known = {name for version in versions for name in _names(version)}
    known = known.intersection(request.options.columns or known)
    alike: dict[str, list[str]] = {}
    for name in known:
        alike.setdefault(name.lower(), []).append(name)
    found = {}
    for name in names:
        others = [] if name in known else alike.get(name.lower(), [])
        if len(others) > 1:
            raise OptionError(
                f"column {name!r} may be any of {', '.join(sorted(others))}", code="LMP-S012",
                hint="write it as the source does",
            )  # fmt: skip
        found[name] = others[0] if others and others[0] not in names else name
    return found


def _of_table(schema: pa.Schema, request: Request) -> Images:
    if request.options.envelope == "changefeed":
        own = own_names(request.options.envelope)
        return {"": [entry for entry in schema if entry.name.lower() not in own]}
    images = [entry for entry in schema if entry.name.lower() in ("before", "after")]
    return {entry.name.lower(): list(entry.type) for entry in images if pa.types.is_struct(entry.type)}


def _names(version: Version) -> frozenset[str]:
    return frozenset(column.name for column in version.columns)


def _say(text: str) -> None:
    print(harmless(one_line(f"lmparse: {text}")), file=sys.stderr, flush=True)
