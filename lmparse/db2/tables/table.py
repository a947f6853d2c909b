"""Tables of a Db2 LUW log: columns from a tables file, or from the log records that made the table.

Table space id and table id identify a table, not its name. Records contain no names: without a tables file, a table is
named by its ids, `2.4`, and its columns are C1, C2, ...
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from typing import Any

from lmparse.changes.descriptions import unique_names
from lmparse.db2.record.log_record import Ids
from lmparse.errors import ControlError, RecordError
from lmparse.limits import DEFAULT, Limits
from lmparse.spec import catalog
from lmparse.spec.documents import DocumentError, file_bytes, read_yaml
from lmparse.values.sql_types import LOBS, NAMES, SqlType, decimal_bytes, parse_type, timestamp_bytes

_SHOWN = 80
"""Most characters of a value in a message."""
_KEYS = ("tablespace_id", "table_id", "schema", "name", "columns", "key")
_NO_KEY = (*LOBS, "LONG VARCHAR", "LONG VARGRAPHIC", "XML", "DATALINK")
"""Types of columns that no unique index may have; Db2 12.1, SQL reference, "CREATE INDEX"."""
_COLUMN_KEYS = ("name", "type", "nullable")
_ZONED = r"(?i:timestamp\s*(\(\d+\))?\s+with\s+time\s+zone)"  # Db2 for z/OS has it
_TYPE_NAME = re.compile(rf"(?P<name>{_ZONED}|[^\W\d][\w@#$]*(\.[^\W\d][\w@#$]*)?)\s*(\([^()]*\))?")
"""The name of a type, with or without its schema, and what is in parentheses behind it."""


@dataclass(frozen=True)
class Column:
    """One column of the rows."""

    number: int
    """Number of the column, from 1, in the order of the table."""
    name: str
    sql_type: SqlType
    is_nullable: bool
    offset: int
    """Offset of the fixed-length portion in the fixed-length section, in bytes."""

    @property
    def type(self) -> str:
        """Name of its SQL type."""
        return self.sql_type.name

    @property
    def form(self) -> str:
        """Form of its values; see SqlType.form."""
        return self.sql_type.form

    @property
    def length(self) -> int:
        """Length of its values in bytes; the maximum if it varies."""
        return self.sql_type.length

    @property
    def scale(self) -> int:
        """Digits behind the decimal point."""
        return self.sql_type.scale

    @property
    def precision(self) -> int:
        """Digits of a DECIMAL column."""
        return self.sql_type.precision

    @property
    def ccsid(self) -> int | None:
        """None: neither log nor tables file names code pages; see the option `code_page`."""
        return None

    @property
    def sql_words(self) -> str:
        """Its type in SQL words."""
        return self.sql_type.words

    @property
    def width(self) -> int:
        """Width of its fixed-length portion in bytes, without the null byte."""
        return slot_width() if self.sql_type.is_varying else self.sql_type.length

    @property
    def end(self) -> int:
        """Offset of the byte behind its fixed-length portion and null byte."""
        return self.offset + self.width + self.is_nullable


@dataclass(frozen=True)
class Table:
    """One table, or one version of it between two changes of its columns."""

    tablespace_id: int
    table_id: int
    columns: tuple[Column, ...]
    schema: str = ""
    name: str = ""
    sequence: int = 0
    """Number of the version in the log; 0 for the tables file."""
    key: tuple[str, ...] = ()
    """Names of the columns of the key, in key order; empty if the tables file does not state a key."""

    @property
    def key_source(self) -> str:
        """Where the key is stated, in words."""
        return "tables file" if self.key else ""

    @property
    def ids(self) -> Ids:
        """Table space id and table id."""
        return self.tablespace_id, self.table_id

    @property
    def identity(self) -> str:
        """Ids and name, for messages."""
        full = f" {self.full_name}" if self.name else ""
        return f"{self.hex_ids}{full} version {self.sequence}"

    @property
    def hex_ids(self) -> str:
        """Ids as in the option `table`: `2.4`, in decimal as in the catalog."""
        return f"{self.tablespace_id}.{self.table_id}"

    @property
    def full_name(self) -> str:
        """Schema and name, or the ids."""
        return f"{self.schema}.{self.name}" if self.schema else self.name or self.hex_ids

    @property
    def fixed_length(self) -> int:
        """Bytes of the fixed-length section of its rows."""
        return max((column.end for column in self.columns), default=0)

    @property
    def lob_columns(self) -> list[Column]:
        """Columns whose values may be in LOB records."""
        return [column for column in self.columns if column.sql_type.is_lob]

    @property
    def of_unknown_type(self) -> list[Column]:
        """Columns whose type in the tables file is not known here, such as a distinct type."""
        return [column for column in self.columns if column.form == "raw"]

    def completed_by(self, logged: Table | None) -> Table | None:
        """This table of a tables file, with types from the log in place of unknown types; None if the log does not
        describe the columns of these types."""
        described = () if logged is None else logged.columns
        if any(column.number > len(described) for column in self.of_unknown_type):
            return None
        types = [
            described[place].sql_type if column.form == "raw" else column.sql_type
            for place, column in enumerate(self.columns)
        ]
        columns = placed([(one.name, type_, one.is_nullable) for one, type_ in zip(self.columns, types, strict=True)])
        return replace(self, columns=columns)

    def named_by(self, other: Table) -> Table:
        """This table with the names of another description, column by column.

        From the first column on that the other description lacks or has otherwise, columns keep their own names.
        """
        pairs = zip(self.columns, other.columns, strict=False)
        shared = list(takewhile(lambda pair: _same_bytes(*pair), pairs))
        described = list(zip_longest(self.columns, (known for _, known in shared)))
        names = unique_names(((known or column).name or column.name, column.number) for column, known in described)
        columns = [
            replace(column, name=name, sql_type=_refined(column.sql_type, known))
            for (column, known), name in zip(described, names, strict=True)
        ]
        numbers = {column.name: number for number, column in enumerate(other.columns)}
        places = [numbers[name] for name in other.key]
        # A version that lacks a column of the key, before it was added, has no key.
        key = tuple(names[place] for place in places) if max(places, default=0) < len(shared) else ()
        return replace(self, columns=tuple(columns), schema=other.schema, name=other.name, key=key)

    def has_columns_of(self, other: Table) -> bool:
        """Whether another description has as many columns, with the same types and places."""
        return len(self.columns) == len(other.columns) and all(map(_same_bytes, self.columns, other.columns))

    def differs_from(self, other: Table) -> str | None:
        """The first column whose type or place differs from another description, in words; None if none does."""
        for mine, theirs in zip(self.columns, other.columns, strict=False):
            if not _same_bytes(mine, theirs):
                column = f"column {theirs.name} of {other.full_name} ({other.hex_ids})"
                return f"{column} is {_described(theirs)} in the tables file, {_described(mine)} in the log"
        return None


def _described(column: Column) -> str:
    nulls = "" if column.is_nullable else " NOT NULL"
    return f"{column.sql_type.words}{nulls} at {column.offset}"


def _same_bytes(mine: Column, theirs: Column) -> bool:
    # Log records do not distinguish bit data from text, and state the digits of a timestamp in pairs.
    same = mine.type == theirs.type and mine.offset == theirs.offset and mine.is_nullable == theirs.is_nullable
    if mine.type == "DECIMAL":
        same = same and (mine.precision, mine.scale) == (theirs.precision, theirs.scale)
    return same and (mine.sql_type.is_varying or mine.length == theirs.length)


def _refined(type_: SqlType, known: Column | None) -> SqlType:
    """A type from a record, with the attributes that only SQL states."""
    if known is None or known.type != type_.name:
        return type_
    digits = known.sql_type.precision if type_.name == "TIMESTAMP" else type_.precision
    return replace(type_, is_bit_data=known.sql_type.is_bit_data, precision=digits)


def slot_width() -> int:
    """Width in bytes of offset and length of a varying value in the fixed-length section."""
    layout = catalog.load("db2_row").layouts["db2_row.column"]
    return sum(layout[name].width or 0 for name in ("value_offset", "value_length"))


def placed(columns: Sequence[tuple[str, SqlType, bool]]) -> tuple[Column, ...]:
    """Columns with their offsets: packed, in order, with a null byte behind each nullable column."""
    found: list[Column] = []
    offset = 0
    for number, (name, type_, is_nullable) in enumerate(columns, 1):
        column = Column(number, name, type_, is_nullable, offset)
        found.append(column)
        offset = column.end
    return tuple(found)


# -- from a tables file -------------------------------------------------------------------


def read_tables_file(path: str, limits: Limits = DEFAULT) -> dict[Ids, Table]:
    """The tables that a YAML file describes, by their ids.

    Raises ControlError LMP-C009 with the place of an unusable entry.
    """
    try:
        tree = read_yaml(file_bytes(path, limits), limits).tree
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise ControlError(f"cannot be read: {reason}", code="LMP-C009", file=path) from None
    except DocumentError as error:
        hint = error.limit.hint if error.limit else None
        raise ControlError(f"is not usable YAML: {error}", code="LMP-C009", file=path, hint=hint) from None
    entries = tree.get("tables") if isinstance(tree, dict) else None
    if not isinstance(entries, list):
        raise _unusable(path, "tables", "a list of tables under the key tables", tree)
    tables: dict[Ids, Table] = {}
    for number, entry in enumerate(entries):
        table = _table(path, f"tables[{number}]", entry)
        if table.ids in tables:
            raise _unusable(path, f"tables[{number}]", "every table once", table.hex_ids)
        tables[table.ids] = table
    return tables


def _table(path: str, where: str, entry: Any) -> Table:
    _check_keys(path, where, entry, _KEYS)
    ids = [_whole(path, f"{where}.{key}", entry.get(key)) for key in ("tablespace_id", "table_id")]
    name, schema = (_text(path, f"{where}.{key}", entry.get(key)) for key in ("name", "schema"))
    columns = entry.get("columns")
    if not isinstance(columns, list) or not columns:
        raise _unusable(path, f"{where}.columns", "a list of columns", columns)
    read = [_column(path, f"{where}.columns[{number}]", column) for number, column in enumerate(columns)]
    seen: set[str] = set()
    for number, (column_name, *_) in enumerate(read):
        if column_name in seen:
            raise _unusable(path, f"{where}.columns[{number}].name", "every column once", column_name)
        seen.add(column_name)
    key = _key(path, f"{where}.key", entry.get("key", []), {column_name: type_ for column_name, type_, _ in read})
    return Table(ids[0], ids[1], placed(read), schema, name, key=key)


def _key(path: str, where: str, names: Any, types: dict[str, SqlType]) -> tuple[str, ...]:
    """The names of the columns of a key. Db2 allows no column in a key that may be stored outside of the row."""
    if not isinstance(names, list):
        raise _unusable(path, where, "a list of names of columns", names)
    before: set[str] = set()
    for number, name in enumerate(names):
        place = f"{where}[{number}]"
        if not isinstance(name, str) or name not in types:
            raise _unusable(path, place, "the name of a column of the table", name)
        if name in before:
            raise _unusable(path, place, "every column once", name)
        before.add(name)
        if types[name].name in _NO_KEY:
            raise _unusable(path, place, "a column that a key may have", f"{name}, a {types[name].words}")
    return tuple(names)


def _column(path: str, where: str, entry: Any) -> tuple[str, SqlType, bool]:
    _check_keys(path, where, entry, _COLUMN_KEYS)
    name, words = (_text(path, f"{where}.{key}", entry.get(key)) for key in ("name", "type"))
    nullable = entry.get("nullable", True)
    if not isinstance(nullable, bool):
        raise _unusable(path, f"{where}.nullable", "true or false", nullable)
    if (named := _TYPE_NAME.fullmatch(words)) is not None and named["name"].upper() not in NAMES:
        return name, SqlType(words), nullable
    try:
        return name, parse_type(words), nullable
    except ValueError as error:
        raise _unusable(path, f"{where}.type", "an SQL type such as DECIMAL(9,2)", str(error)) from None


def _check_keys(path: str, where: str, entry: Any, known: Sequence[str]) -> None:
    if not isinstance(entry, dict):
        raise _unusable(path, where, "a mapping of keys", entry)
    for key in entry:
        if key not in known:
            raise _unusable(path, f"{where}.{key}", "one of " + ", ".join(known), key)


def _whole(path: str, where: str, value: Any) -> int:
    most = (1 << 8 * (catalog.load("db2_dms").layouts["db2_dms.header"][where.rpartition(".")[2]].width or 0)) - 1
    if type(value) is not int or not 0 <= value <= most:
        raise _unusable(path, where, f"a number from 0 to {most}", value)
    return value


def _text(path: str, where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise _unusable(path, where, "a text", value)
    if "\0" in value:
        raise _unusable(path, where, "a text without X'00', which no name in Db2 has", value)
    return value


def _shown(found: Any) -> str:
    """A value in a message, cut where it is long."""
    text = f"{type(found).__name__} of {len(found)}" if isinstance(found, dict | list) and found else str(found)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _unusable(path: str, field: str, expected: str, found: Any) -> ControlError:
    return ControlError(code="LMP-C009", file=path, field=field, expected=expected, found=_shown(found))


# -- from records ---------------------------------------------------------------------------


def table_of(ids: Ids, description: Any, sequence: int, field: str) -> Table:
    """The table that the column and LOB descriptors of a record describe.

    Raises RecordError LMP-R006 for contradicting descriptors.
    """
    count = sum(_type_name(column).upper() in LOBS for column in description.columns)
    if len(description.lobs) < count:
        raise RecordError(
            "a LOB column has no descriptor", code="LMP-R006", spec="db2_dms", field=field,
            expected=f"{count} LOB descriptors", found=str(len(description.lobs)),
        )  # fmt: skip
    columns = [
        Column(number, f"C{number}", _described_type(entry), entry.is_nullable, entry.field_offset)
        for number, entry in enumerate(description.columns, 1)
    ]
    if len(description.lobs) == count:
        # With more descriptors than LOB columns, no manual says which column a descriptor belongs to.
        lengths = iter(lob.maximum_length for lob in description.lobs)
        columns = [
            replace(column, sql_type=replace(column.sql_type, length=next(lengths)))
            if column.sql_type.is_lob
            else column
            for column in columns
        ]
    _check_places(columns, field)
    for column in columns:
        _check_length(column, field)
    return Table(*ids, tuple(columns), sequence=sequence)


def _type_name(descriptor: Any) -> str:
    return str(getattr(descriptor.field_type, "name", ""))


_OF_ONE_WIDTH = ("int", "float", "decimal", "decfloat", "date", "time", "timestamp", "boolean")
"""Forms of values whose type gives their width."""


def _check_length(column: Column, field: str) -> None:
    """Check that a column has a length of its type. Raises RecordError LMP-R006."""
    type_ = column.sql_type
    if type_.form not in _OF_ONE_WIDTH:
        return
    try:
        width = parse_type(type_.words).length
        expected = f"{width} bytes for {type_.words}"
    except ValueError as error:
        width, expected = -1, f"a type ({error})"
    if type_.length != width:
        word = "precision" if type_.form == "decimal" else "length"
        raise RecordError(
            "a column has a length that its type does not have", code="LMP-R006", spec="db2_dms",
            field=f"{field}.columns[{column.number - 1}].{word}", expected=expected, found=f"{type_.length} bytes",
        )  # fmt: skip


def _described_type(descriptor: Any) -> SqlType:
    name = _type_name(descriptor)
    if not name:
        return SqlType(f"TYPE {descriptor.field_type:#06x}", descriptor.length)
    if name == "decimal":
        return SqlType("DECIMAL", decimal_bytes(descriptor.precision), descriptor.precision, descriptor.scale)
    if name.startswith("decfloat"):
        return SqlType("DECFLOAT", descriptor.length, int(name.removeprefix("decfloat")))
    if name == "timestamp":
        return SqlType("TIMESTAMP", descriptor.length, 2 * (descriptor.length - timestamp_bytes(0)))
    if name in ("date", "time"):
        return parse_type(name)
    return SqlType(name.removesuffix("_type").replace("_", " ").upper(), descriptor.length)


def _check_places(columns: Sequence[Column], field: str) -> None:
    """Check that each fixed-length portion begins where the one before ends. Raises RecordError LMP-R006."""
    end = 0
    for column in sorted(columns, key=lambda entry: entry.offset):
        if column.offset != end:
            raise RecordError(
                "column descriptors are not packed", code="LMP-R006", spec="db2_dms",
                field=f"{field}.columns[{column.number - 1}].field_offset", expected=str(end), found=str(column.offset),
            )  # fmt: skip
        end = column.end
