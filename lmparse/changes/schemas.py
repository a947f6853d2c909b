"""Schemas of changes: `before` and `after` are structs if the versions of one table are known, else JSON text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from lmparse.changes.change import HEADER_FIELDS, Version
from lmparse.changes.descriptions import field_metadata
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.schemas import column_type
from lmparse.errors import OptionError
from lmparse.values.sql_types import TableColumn


def changes_schema(
    versions: Sequence[Version] | None,
    *,
    header: bool = False,
    columns: tuple[str, ...] = (),
    docs: Mapping[str, str] | None = None,
) -> pa.Schema:
    """Columns of changes. With the versions of one table, `before` and `after` are structs.

    `docs` are comments of columns that depend on the family; see `ChangeLog.column_docs`.
    """
    image = schemas.TEXT if versions is None else table_type(versions, columns)
    types = {"commit_ts": schemas.MICROS, "ts": schemas.MICROS, "table_name_short": pa.bool_()}
    types |= {"before": image, "after": image}
    known = {**_DOCS, **(docs or {})}
    names = (*_COLUMNS, "header") if header else _COLUMNS
    fields = [schemas.commented(name, types.get(name, schemas.TEXT), known.get(name, "")) for name in names]
    return pa.schema([*fields, *schemas.outcome_fields()])


KEY = "_key"
"""A column beside those of changes: the names of the key's columns as a JSON list."""
_COLUMNS = (
    *("op", "seq", "txn_id", "commit_ts", "ts", "schema_name", "table_name", "table_name_short", "before", "after"),
    *(*HEADER_FIELDS, "detail"),
)
_DOCS = {
    "op": "I insert, U update, D delete, M mass delete, T truncate, X exchange, S status, C command, O object",
    "seq": "sorts as commit order",
    "schema_name": "owner of the table",
    "table_name": "name of the table",
    "table_name_short": "true when only the short form of owner or name is known",
    "before": "the row before the change",
    "after": "the row after the change",
    "detail": "what an operation has more to say, JSON",
    "header": "every field of the header, JSON",
}
"""Comments of columns for all families."""


def version_schema(log: ChangeLog, *versions: Version | None) -> pa.Schema:
    """Columns of the changes of one table, given by its versions, or of changes without a table version."""
    options, docs = log.options, log.column_docs()
    found = [version for version in versions if version is not None]
    known = {column.name for version in found for column in version.columns}
    columns = tuple(name for name in options.columns if name in known)
    # File formats refuse a struct without fields, so images without a wanted column are JSON text.
    is_text = not found or (bool(options.columns) and not columns)
    return changes_schema(None if is_text else found, header=options.header, columns=columns, docs=docs)


def table_type(versions: Sequence[Version], columns: tuple[str, ...] = ()) -> pa.StructType:
    """One struct for all versions of a table: all columns by column number, or the named columns.

    The order of `versions` does not matter. Integers and decimals are widened; columns that a version lacks are null.
    Raises OptionError LMP-C008 for two types without a common type; the error names both.
    """
    found: dict[str, tuple[TableColumn, Version, pa.DataType]] = {}
    having: dict[str, list[tuple[TableColumn, Version]]] = {}
    for version in sorted(versions, key=_place):
        for column in version.columns:
            type_ = column_type(column)
            having.setdefault(column.name, []).append((column, version))
            known, owner, before = found.setdefault(column.name, (column, version, type_))
            merged = schemas.widened(before, type_)
            if merged is None:
                text = f"column {column.name} is {before} in {owner.identity} and {type_} in {version.identity}"
                raise OptionError(text, code="LMP-C008", hint="pick one version with tableVersion")
            found[column.name] = known, owner, merged
    for name in columns:
        if name not in found:
            raise OptionError(f"columns: there is no column {name!r} in the table", hint=", ".join(found))
    ordered = sorted(found.values(), key=lambda entry: entry[0].number)
    ordered = [entry for entry in ordered if not columns or entry[0].name in columns]
    return pa.struct(
        pa.field(column.name, type_, metadata=field_metadata(having[column.name], len(versions)))
        for column, _, type_ in ordered
    )


def _place(version: Version) -> tuple[int, list[tuple[int, str, str]]]:
    """Sort key of versions: number, then columns, because control files may give two versions of a number."""
    return version.sequence, [(column.number, column.name, column.sql_words) for column in version.columns]
