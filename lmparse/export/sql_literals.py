"""SQL literals: values of columns, names and comments as Db2 SQL, each on one line.

Characters that end a line, control a terminal or are invisible are never written as they are: in a text they are
`UX'…'`, in a comment `\\uXXXX`, and a name cannot have them. So the output is one line, also after `terminal.harmless`.

Sources: IBM Db2 12 and 13 for z/OS, SQL reference, "Constants" (at most 32,704 bytes of UTF-8 or hexadecimal digits in
one string constant) and "Datetime constants"; IBM Db2 11.5, SQL reference, "Constants" (32,672), "SQL limits" (2 MB).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lmparse.terminal import CONTROLS
from lmparse.values import decimals
from lmparse.values.sql_types import TableColumn

MOST_BYTES = 32_000
"""Most bytes of UTF-8, and most hexadecimal digits, of one string constant."""
LONGEST_STATEMENT = 2_097_152
"""Most bytes of a statement in Db2."""
_UNSAFE = re.compile(f"[{CONTROLS}\t\n\ud800-\udfff]")
_ENDING = re.compile(r"[;\\](?=\s*\Z)")
_RUNS = re.compile(f"[{CONTROLS}\t\n]+|[^{CONTROLS}\t\n]+")
_HALF = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[A-Z]+(?: [A-Z]+)*")
_BITS = " FOR BIT DATA"
_LOBS = ("CLOB", "DBCLOB", "BLOB")
_GRAPHIC = ("GRAPHIC", "VARGRAPHIC", "LONG VARGRAPHIC", "DBCLOB")
_BINARY = ("BINARY", "VARBINARY", "BLOB")
_NOT_COMPARED = (*_LOBS, "XML", "LONG VARCHAR", "LONG VARGRAPHIC")
"""Types that the predicate `=` does not accept."""
_LONGEST_CHARACTER = 4
"""Most bytes of a character in any code page of Db2."""


class NoLiteralError(ValueError):
    """A value or name that SQL cannot express; the text says why."""


def identifier(name: str) -> str:
    """A delimited identifier. Raises NoLiteralError for an empty name or a name with invisible characters."""
    if not name or _UNSAFE.search(name):
        raise NoLiteralError(f"the name {name!a} cannot be written in one line")
    return '"' + name.replace('"', '""') + '"'


def comment(text: str) -> str:
    """A comment line with any text.

    The line never ends with `;`, where programs cut scripts into statements. The line never ends with a backslash:
    Db2's command line processor would continue on the next line.
    """
    return "-- " + _ENDING.sub(_escaped, _UNSAFE.sub(_escaped, text))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


@dataclass(frozen=True)
class SqlColumn:
    """A column, and how its values are written."""

    column: TableColumn

    @property
    def name(self) -> str:
        """Its name in the log."""
        return self.column.name

    @cached_property
    def identifier(self) -> str:
        """Its name as a delimited identifier. Raises NoLiteralError."""
        return identifier(self.column.name)

    @cached_property
    def words(self) -> str:
        """Its type in SQL words."""
        return self.column.sql_words

    @cached_property
    def type(self) -> str:
        """Name of its type without lengths: `VARCHAR`, `TIMESTAMP`; the words of an unlisted type."""
        match = _NAME.match(self.words.removesuffix(_BITS))
        return match[0] if match else self.words

    @cached_property
    def why_unwritable(self) -> str:
        """Why values of the column have no literal; empty if they have one."""
        form = self.column.form
        if self.type == "ROWID":
            return "Db2 itself makes the values of a ROWID"
        if form == "bytes" and self.type not in (*_BINARY, *_GRAPHIC) and not self.words.endswith(_BITS):
            return "its text is kept as bytes, since there is no table for its code page"
        return "" if form in _WRITERS else _WHY.get(form, f"values of type {self.words} have no literal")

    @cached_property
    def is_comparable(self) -> bool:
        """Whether a predicate may compare the column with a literal; not a float, which a literal only approximates."""
        return self.column.form != "float" and self.type not in _NOT_COMPARED and not self.why_unwritable

    def literal(self, value: Any) -> str:
        """A value as an expression on one line. Raises NoLiteralError if it has no literal."""
        if value is None:
            return "NULL"
        if self.why_unwritable:
            raise NoLiteralError(self.why_unwritable)
        if isinstance(value, str | bytes) and len(value) > LONGEST_STATEMENT:
            raise NoLiteralError(too_long(len(value)))
        return _WRITERS[self.column.form](value, self)


def too_long(size: int) -> str:
    """Why a statement of `size` bytes or more is impossible."""
    return f"the statement would have more than {size} bytes, and Db2 takes {LONGEST_STATEMENT}"


# -- text and bytes -------------------------------------------------------------------------


def _text(value: str, column: SqlColumn) -> str:
    if _HALF.search(value):
        raise NoLiteralError("a text has half of a character")
    if column.type in _GRAPHIC:
        return _joined(map(_graphic, _cut(value)), column, "UX''")
    text = _joined(_characters(value), column, "''")
    return f"XMLPARSE(DOCUMENT {text} PRESERVE WHITESPACE)" if column.type == "XML" else text


def _joined(parts: Iterator[str], column: SqlColumn, empty: str) -> str:
    """The parts of a value, concatenated. The first part of a LOB is cast to a LOB, so the result may be long."""
    found = [*parts] or [empty]
    if column.type in _LOBS:
        found[0] = f"{column.type}({found[0]})"
    return " || ".join(found)


def _characters(value: str) -> Iterator[str]:
    """Yield the constants of a text's characters, in order."""
    for run in _RUNS.findall(value):
        if not _UNSAFE.search(run):
            fits = len(run.encode()) + run.count("'") <= MOST_BYTES  # an apostrophe is written twice
            for part in [run] if fits else _cut(run, MOST_BYTES // _LONGEST_CHARACTER):
                yield "'" + part.replace("'", "''") + "'"
            continue
        for part in _cut(run):
            yield f"CAST({_graphic(part)} AS VARCHAR({_LONGEST_CHARACTER * len(part)}))"


def _cut(value: str, most: int = MOST_BYTES // 8) -> Iterator[str]:
    """Yield parts of a text; by default their UTF-16, at most eight hexadecimal digits a character, fits a constant."""
    for start in range(0, len(value), most):
        yield value[start : start + most]


def _graphic(value: str) -> str:
    return f"UX'{value.encode('utf-16-be').hex().upper()}'"


def _bytes(value: bytes, column: SqlColumn) -> str:
    most = MOST_BYTES // 2
    prefix = "BX" if column.type in ("BINARY", "VARBINARY") else "GX" if column.type in _GRAPHIC else "X"
    if prefix == "GX" and len(value) % 2:
        raise NoLiteralError("double-byte characters have an odd number of bytes")
    parts = (value[start : start + most] for start in range(0, len(value), most))
    return _joined((f"{prefix}'{part.hex().upper()}'" for part in parts), column, f"{prefix}''")


# -- numbers and times ----------------------------------------------------------------------


def _float(value: float, column: SqlColumn) -> str:
    if value - value != 0:
        raise NoLiteralError(f"there is no literal of the floating-point number {value}")
    text = repr(value).upper()
    return text if "E" in text else f"{text}E0"


def _timestamp(value: str, column: SqlColumn) -> str:
    date, _, clock = value.partition("T")
    return f"TIMESTAMP '{date}-{clock[:8].replace(':', '.')}{clock[8:]}'"


_WRITERS: dict[str, Callable[[Any, SqlColumn], str]] = {
    "int": lambda value, column: str(value),
    "float": _float,
    "decimal": lambda value, column: decimals.to_text(value),
    "decfloat": lambda value, column: f"DECFLOAT('{value}', {16 if column.words == 'DECFLOAT(16)' else 34})",
    "text": _text,
    "bytes": _bytes,
    "date": lambda value, column: f"DATE '{value}'",
    "time": lambda value, column: f"TIME '{value.replace(':', '.')}'",
    "timestamp": _timestamp,
    "timestamp_tz": _timestamp,
    "boolean": lambda value, column: "TRUE" if value else "FALSE",
}
"""Functions that write the values of each form; see `TableColumn.form`."""
_WHY = {
    "absent": "its values are kept outside of the log record",
    "sas": "its dates and times are in a form of SAS, which is not documented",
    "raw": "its values are kept as bytes: the form of its type is not documented",
}
