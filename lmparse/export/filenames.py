"""File names for tables: allowed on every file system, and no two of them equal."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + [f"{port}{n}" for port in ("COM", "LPT") for n in range(10)]
)
"""Names of devices on Windows, also when a dot and an ending follow."""
MOST = 120
"""Maximum length of a name, in characters, without its version."""


@dataclass(frozen=True)
class Named:
    """The parts of a table version that make its file name."""

    schema: str
    name: str
    version: int
    identity: str
    """Text that no other table version of a control file, or of a Db2 LUW log, has."""


def safe_name(table: Named) -> str:
    """`SCHEMA.NAME.vNNN`; other characters than those in `_PLAIN` become `%` and the hex of their UTF-8 bytes."""
    name = unversioned(table.schema, table.name)
    version = f".v{table.version:03d}"
    return name + version if len(name) <= MOST else f"{name[:MOST]}~{_mark(table)}{version}"


def unversioned(schema: str, name: str) -> str:
    """`SCHEMA.NAME` in the same characters, of any length."""
    words = [escaped(word) for word in (schema, name) if word] or ["%"]
    if words[0].upper() in _RESERVED or words[0][0] in "-_":
        # A name that begins with - is an option in the shell, and Spark ignores files that begin with _.
        words[0] = f"%{ord(words[0][0]):02X}{words[0][1:]}"
    return ".".join(words)


def safe_names(tables: Iterable[Named]) -> list[str]:
    """A name for each table; names that are equal without regard to case get a hash.

    Versions of the same number get a number too: extracts of a log may number theirs each by itself.
    """
    tables = list(tables)
    names = [safe_name(table) for table in tables]
    counts = Counter(name.casefold() for name in names)
    found, given = list[str](), Counter[Named]()
    for name, table in zip(names, tables, strict=True):
        given[table] += 1
        again = f"-{given[table]}" if given[table] > 1 else ""
        found.append(name if counts[name.casefold()] == 1 else f"{name}~{_mark(table)}{again}")
    return found


def escaped(word: str) -> str:
    """A word in letters, digits, `_`, `-` and `%` with two hex digits."""
    return "".join(
        letter if letter in _PLAIN else "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))
        for letter in word
    )


def _mark(table: Named) -> str:
    return digest(table.schema, table.name, str(table.version), table.identity)


def digest(*words: str) -> str:
    """Some digits that tell apart names that would be equal."""
    text = "\0".join(words)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
