"""Db2's SQL as far as a script of changes needs it, read apart from what writes it, and run on SQLite.

Constants become values in the form that `lmparse changes` prints: bytes as hexadecimal text, times in ISO form. Columns
in SQLite have no type, so that values are kept and compared as they are. Source: IBM Db2, SQL reference, "Constants".
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from lmparse.terminal import harmless

LONGEST_CONSTANT, LONGEST_STATEMENT = 32_672, 2_097_152
"""Of string constants in UTF-8 (and digits of hexadecimal ones), and of statements, in bytes."""
_TOKEN = re.compile(
    r"""(?P<name>"(?:[^"]|"")+")|(?P<string>(?:BX|GX|UX|X)?'(?:[^']|'')*')
    |(?P<number>-?\d+(?:\.\d*)?(?:E[+-]?\d+)?)|(?P<word>[A-Z]+)|(?P<sign>\|\||[(),=;*.])|(?P<blank>[ ])""",
    re.VERBOSE,
)
State = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows by the name of their table, as SCHEMA.NAME."""


class Tokens:
    """The tokens of one statement, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            assert match is not None, f"not SQL: {text[place : place + 40]!r}"
            place = match.end()
            if match.lastgroup != "blank":
                self._found.append((match.lastgroup or "", match[0]))
        self._found.reverse()

    def take(self, *expected: str) -> str:
        """The next token; with `expected`, it is one of these."""
        token = self._found.pop()[1]
        assert not expected or token in expected, f"{token!r}, not {expected}"
        return token

    def is_next(self, *texts: str) -> bool:
        """Whether the next token is one of these; then it is taken."""
        if self._found and self._found[-1][1] in texts:
            self._found.pop()
            return True
        return False

    def name(self) -> str:
        """A delimited identifier."""
        kind, token = self._found.pop()
        assert kind == "name", token
        return token[1:-1].replace('""', '"')

    @property
    def is_empty(self) -> bool:
        """Whether all are taken."""
        return not self._found

    def kind(self) -> str:
        """Kind of the next token."""
        return self._found[-1][0]


def value(tokens: Tokens) -> Any:
    """An expression: constants and functions of them, joined by ||."""
    found = _one(tokens)
    while tokens.is_next("||"):
        found += _one(tokens)
    return found


def _one(tokens: Tokens) -> Any:
    kind, token = tokens.kind(), tokens.take()
    if kind == "string":
        return _string(token)
    if kind == "number":
        return float(token) + 0.0 if "E" in token else token
    if token in ("NULL", "TRUE", "FALSE"):
        return {"NULL": None, "TRUE": 1, "FALSE": 0}[token]
    if token in ("DATE", "TIME", "TIMESTAMP"):
        return _moment(token, _string(tokens.take()))
    tokens.take("(")
    if token == "CAST":
        found = value(tokens)
        tokens.take("AS")
        tokens.take("VARCHAR")
        tokens.take("(")
        assert int(tokens.take()) >= len(found.encode())
        tokens.take(")")
    elif token == "DECFLOAT":
        found = value(tokens)
        Decimal(found)
        tokens.take(",")
        tokens.take("16", "34")
    elif token == "XMLPARSE":
        tokens.take("DOCUMENT")
        found = value(tokens)
        tokens.take("PRESERVE")
        tokens.take("WHITESPACE")
    else:
        assert token in ("CLOB", "DBCLOB", "BLOB"), token
        found = value(tokens)
    tokens.take(")")
    return found


def _string(token: str) -> str:
    prefix, _, body = token[:-1].partition("'")
    text = body.replace("''", "'")
    assert len(body.encode()) <= LONGEST_CONSTANT
    if not prefix:
        return text
    if prefix == "UX":
        assert len(text) % 4 == 0
        return bytes.fromhex(text).decode("utf-16-be")
    assert len(text) % (4 if prefix == "GX" else 2) == 0
    return bytes.fromhex(text).hex().upper()


def _moment(kind: str, text: str) -> str:
    if kind == "DATE":
        return text
    clock = text if kind == "TIME" else text[11:]
    clock = clock[:8].replace(".", ":") + clock[8:]
    return clock if kind == "TIME" else f"{text[:10]}T{clock}"


class Database:
    """Tables in SQLite, which run statements of Db2."""

    def __init__(self, state: State, columns: Mapping[str, Sequence[str]]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._columns = columns
        for table, names in columns.items():
            self._connection.execute(f"CREATE TABLE {_quoted(table)} ({', '.join(map(_quoted, names))})")
            marks = ", ".join("?" * len(names))
            rows = [[normal(row[name]) for name in names] for row in state[table]]
            self._connection.executemany(f"INSERT INTO {_quoted(table)} VALUES ({marks})", rows)

    def run(self, lines: Iterable[str]) -> list[int]:
        """Run a script, one statement a line; returns how many rows each statement changed."""
        return [self._run(line) for line in lines if not line.startswith("-- ")]

    def _run(self, line: str) -> int:
        return self._connection.execute(*parsed(line)).rowcount

    def rows(self, table: str) -> list[list[Any]]:
        """All rows of a table, sorted."""
        return sorted(map(list, self._connection.execute(f"SELECT * FROM {_quoted(table)}")), key=repr)

    def differs(self, state: State) -> list[str]:
        """Tables whose rows are not those of a state."""
        return [
            table
            for table, names in self._columns.items()
            if self.rows(table) != sorted(([normal(row[name]) for name in names] for row in state[table]), key=repr)
        ]


def parsed(line: str) -> tuple[str, list[Any]]:
    """A line of Db2's SQL as a statement of SQLite, and its constants; fails for what Db2 would not take."""
    assert len(line.encode()) <= LONGEST_STATEMENT
    assert line.splitlines() == [line]
    assert harmless(line) == line, "a terminal would show something else"
    tokens, values = Tokens(line), list[Any]()
    text = _STATEMENTS[tokens.take()](tokens, values)
    tokens.take(";")
    assert tokens.is_empty
    return text, values


def normal(found: Any) -> Any:
    """A value as it is printed, in the form that `value` gives it: numbers that are not floats as text."""
    if isinstance(found, bool) or found is None:
        return None if found is None else int(found)
    if isinstance(found, float):
        return found + 0.0
    return str(found)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(tokens: Tokens) -> str:
    parts = [tokens.name()]
    while tokens.is_next("."):
        parts.append(tokens.name())
    return _quoted(".".join(parts))


def _insert(tokens: Tokens, values: list[Any]) -> str:
    tokens.take("INTO")
    table, names = _table(tokens), []
    tokens.take("(")
    while not names or tokens.is_next(","):
        names.append(_quoted(tokens.name()))
    tokens.take(")")
    tokens.take("VALUES")
    tokens.take("(")
    while not values or tokens.is_next(","):
        values.append(value(tokens))
    tokens.take(")")
    assert len(names) == len(values)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(values))})"


def _update(tokens: Tokens, values: list[Any]) -> str:
    table, assigned = _table(tokens), []
    tokens.take("SET")
    while not assigned or tokens.is_next(","):
        assigned.append(f"{_quoted(tokens.name())} = ?")
        tokens.take("=")
        values.append(value(tokens))
    return f"UPDATE {table} SET {', '.join(assigned)} WHERE {_conditions(tokens, values)}"


def _delete(tokens: Tokens, values: list[Any]) -> str:
    tokens.take("FROM")
    return f"DELETE FROM {_table(tokens)} WHERE {_conditions(tokens, values)}"


def _conditions(tokens: Tokens, values: list[Any]) -> str:
    tokens.is_next("WHERE")
    found = [_condition(tokens, values)]
    while tokens.is_next("AND"):
        found.append(_condition(tokens, values))
    return " AND ".join(found)


def _condition(tokens: Tokens, values: list[Any]) -> str:
    if tokens.is_next("1"):
        for token in ("=", "(", "SELECT", "COUNT", "(", "*", ")", "FROM"):
            tokens.take(token)
        inner = f"1 = (SELECT COUNT(*) FROM {_table(tokens)} WHERE {_conditions(tokens, values)})"
        tokens.take(")")
        return inner
    name = _quoted(tokens.name())
    if tokens.is_next("IS"):
        tokens.take("NULL")
        return f"{name} IS NULL"
    tokens.take("=")
    found = value(tokens)
    assert found is not None, "= NULL is never true"
    values.append(found)
    return f"{name} = ?"


_STATEMENTS = {"INSERT": _insert, "UPDATE": _update, "DELETE": _delete}
