"""Schemas of changes: `before` and `after` as structs when the versions of one table are known, else as JSON text."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lmparse.changes.change import HEADER_FIELDS, Described, Version
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.column_types import column_type
from lmparse.errors import OptionError


def changes_schema(
    versions: Sequence[Version] | None,
    dec_length: str = "bytes",
    *,
    header: bool = False,
    columns: tuple[str, ...] = (),
) -> pa.Schema:
    """Columns of changes. With the versions of one table, `before` and `after` are structs."""
    image = schemas.TEXT if versions is None else table_type(versions, dec_length, columns)
    head = [
        (
            "op",
            schemas.TEXT,
            "I insert, U update, D delete, M mass delete, T truncate, X exchange, S status, C command, O object",
        ),
        ("seq", schemas.TEXT, "sorts as commit order"),
        ("txn_id", schemas.TEXT, "member and RBA of the unit of recovery"),
        (
            "commit_ts",
            schemas.MICROS,
            "Time in the commit record of the unit of recovery; all zero while there is none",
        ),
        ("ts", schemas.MICROS, "When this log record was written. The page names no time zone."),
        ("schema_name", schemas.TEXT, "owner of the table"),
        ("table_name", schemas.TEXT, "name of the table"),
        ("table_name_short", pa.bool_(), "true when only the short form of owner or name is known"),
        ("before", image, "the row before the change"),
        ("after", image, "the row after the change"),
        *((name, schemas.TEXT, doc) for name, doc in HEADER_FIELDS.items()),
        ("detail", schemas.TEXT, "what an operation has more to say, JSON"),
    ]
    fields = [schemas.commented(*entry) for entry in head]
    if header:
        fields.append(schemas.commented("header", schemas.TEXT, "every field of the header, JSON"))
    return pa.schema([*fields, *schemas.outcome_fields()])


def version_schema(log: ChangeLog, version: Version | None) -> pa.Schema:
    """Columns of the changes that are of one version of a table, or of none."""
    options = log.options
    if version is None:
        return changes_schema(None, header=options.header)
    known = {column.name for column in version.columns}
    columns = tuple(name for name in options.columns if name in known)
    if options.columns and not columns:
        # A struct of nothing can be written nowhere.
        return changes_schema(None, header=options.header)
    return changes_schema([version], log.dec_length, header=options.header, columns=columns)


def table_type(versions: Sequence[Version], dec_length: str, columns: tuple[str, ...] = ()) -> pa.StructType:
    """One struct for all versions of a table: their union in column-number order, or some columns.

    Integers and decimals are widened, columns that a version lacks are null. Raises
    OptionError LMP-C008 for two types that have nothing in common, naming both.
    """
    found: dict[str, tuple[Described, Version, pa.DataType]] = {}
    for version in sorted(versions, key=lambda entry: entry.sequence):
        for column in version.columns:
            type_ = column_type(column, dec_length)
            if column.name in found:
                known, owner, before = found[column.name]
                merged = schemas.widened(before, type_)
                if merged is None:
                    raise OptionError(
                        f"column {column.name} is {before} in {owner.identity} and {type_} in {version.identity}",
                        code="LMP-C008", hint="pick one version with tableVersion",
                    )  # fmt: skip
                found[column.name] = (known, owner, merged)
            else:
                found[column.name] = (column, version, type_)
    for name in columns:
        if name not in found:
            raise OptionError(f"columns: there is no column {name!r} in the table", hint=", ".join(found))
    ordered = sorted(found.values(), key=lambda entry: entry[0].number)
    ordered = [entry for entry in ordered if not columns or entry[0].name in columns]
    return pa.struct([pa.field(column.name, type_) for column, _, type_ in ordered])
