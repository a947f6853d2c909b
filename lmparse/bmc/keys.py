"""Keys: the columns that identify a row of a table version, from KEYSEQ of DLCI and from the index records.

The manual says of KEYSEQ only "Key for SQL generation/ reporting by key". That Log Master finds a row by it means that
it is unique (inferred), so it is the key if it counts from 1 on without a gap: a log may have only some of the columns
of a table. Without it, the key is that of an index which its record proves to be unique.

TYPE of DIXI and DCXI is "index type from SYSIBM.SYSINDEXES": INDEXTYPE by its words, but UNIQUERULE is a type too. Both
have the codes P and D, with other meanings, so only the other codes of the file tell which of the two it has.
KEYCOL is compared with LLCOLUMNNUM (inferred), unless DTBI says that the log lacks columns of the table.

Sources: pages on DLCI, DCXI and DICL; IBM Db2 12 for z/OS, SQL reference, "SYSINDEXES catalog table".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lmparse.bmc.control_file import ControlFile
from lmparse.records.reader import Values

VERSION_KEY = ("sysid", "dbid", "tbobid", "sequence_number")
"""Fields that name a table version in the records of its columns and indexes."""
_INDEX_KEY = ("sysid", "dbid", "psid", "sequence_number")
_OF_INDEXTYPE = ("2", "")
"""Codes of INDEXTYPE that UNIQUERULE does not have."""
_OF_UNIQUERULE = ("U", "C", "N", "R", "G", "X")
"""Codes of UNIQUERULE that INDEXTYPE does not have."""
_RANKS = {"P": 0, "C": 1, "R": 1, "U": 1, "N": 2, "G": 3}
"""Codes of UNIQUERULE whose indexes are unique, best first; N only if no column can be null."""
SOURCE = "KEYSEQ of DLCI"


class KeyColumn(Protocol):
    """What is asked of a column."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def key_seq(self) -> int | None: ...
    @property
    def is_nullable(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Index:
    """One index of a table version, from its DIXI or DCXI record and its DICL records."""

    code: str
    """DIXI or DCXI."""
    name: str
    """Owner and name."""
    type: str
    stated: int | None
    """NUMCOLSINKEY."""
    columns: tuple[int, ...]
    """KEYCOL of its columns, in key order; empty if its DICL records contradict each other."""
    included: int
    """Number of columns beside the key, by the clause INCLUDE: their KEYCOLORDER is blank, as in SYSIBM.SYSKEYS."""

    @property
    def words(self) -> str:
        """The index in words."""
        return f"{self.code} index {self.name}"

    @property
    def is_whole(self) -> bool:
        """Whether NUMCOLSINKEY is the number of its columns, with or without those beside the key."""
        return self.stated in (None, len(self.columns), len(self.columns) + self.included)


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a table version, and what came of comparing the records that describe it."""

    columns: tuple[str, ...] = ()
    """Names of its columns in key order; empty if none is known."""
    source: str = ""
    """The record that it is from, in words; empty if none is known."""
    faults: tuple[str, ...] = ()
    """What contradicts what, in words."""
    untestable: str = ""
    """Why KEYSEQ could not be compared with an index; empty if it was."""


class Indexes:
    """The indexes of a control file, by table version."""

    def __init__(self, control: ControlFile) -> None:
        self._by_version: dict[tuple[Any, ...], dict[tuple[Any, ...], Index]] = {}
        parts = _key_columns(control)
        for code in ("DIXI", "DCXI"):
            for record in control.of(code):
                values = record.values
                index = _index(code, values, parts.get(_ids(values, _INDEX_KEY), ()))
                # The clustering index of a table may have a record of either code.
                known = self._by_version.setdefault(_ids(values, VERSION_KEY), {})
                known.setdefault((values.get("psid"), index.name), index)
        types = {index.type for indexes in self._by_version.values() for index in indexes.values()}
        self.has_rules = not types.isdisjoint(_OF_UNIQUERULE) and types.isdisjoint(_OF_INDEXTYPE)
        """Whether TYPE is UNIQUERULE: it has a code that only UNIQUERULE has, and none that only INDEXTYPE has."""

    def of(self, version: tuple[Any, ...]) -> list[Index]:
        """The indexes of a table version, by the values of VERSION_KEY."""
        return list(self._by_version.get(version, {}).values())

    def key(self, described: Values, columns: Sequence[KeyColumn], version: tuple[Any, ...], identity: str) -> Key:
        """The key of a table version with these columns; `described` are the values of its DTBI record."""
        indexes = self.of(version)
        faults = [] if _is_partial(described, columns) else [*_index_faults(indexes, columns, identity)]
        usable = [] if _is_partial(described, columns) else [*_usable(indexes, columns)]
        numbered = sorted((column.key_seq, column.name) for column in columns if column.key_seq)
        if numbered and [number for number, _ in numbered] != [*range(1, len(numbered) + 1)]:
            found = ", ".join(str(number) for number, _ in numbered)
            faults.append(f"DLCI.KEYSEQ of {identity} is {found}, not each number from 1 to {len(numbered)} once")
            numbered = []
        if numbered:
            return self._compared(tuple(name for _, name in numbered), indexes, usable, faults, identity)
        unique = self._unique(usable, columns)
        if unique is None:
            return Key(faults=tuple(faults), untestable="no KEYSEQ says the key")
        return Key(unique[1], unique[0].words, tuple(faults), untestable="no KEYSEQ says the key")

    def _unique(
        self, usable: Sequence[tuple[Index, tuple[str, ...]]], columns: Sequence[KeyColumn]
    ) -> tuple[Index, tuple[str, ...]] | None:
        """The best of the indexes that their TYPE proves to be unique; the first of several."""
        nullable = {column.name for column in columns if column.is_nullable}
        proven = [
            (index, names)
            for index, names in usable
            if self.has_rules and index.type in _RANKS and (index.type != "N" or nullable.isdisjoint(names))
        ]
        return min(proven, key=lambda found: _RANKS[found[0].type], default=None)

    def _compared(
        self,
        key: tuple[str, ...],
        indexes: Sequence[Index],
        usable: Sequence[tuple[Index, tuple[str, ...]]],
        faults: Sequence[str],
        identity: str,
    ) -> Key:
        """The key that KEYSEQ says, compared with the indexes of the table."""
        same = [index for index, names in usable if names == key]
        found = Key(key, SOURCE, tuple(faults))
        if not usable:
            no_record = "no DIXI or DCXI record describes an index of the table"
            return replace(found, untestable="the columns of its indexes are not known" if indexes else no_record)
        if not same:
            if all(index.code == "DCXI" for index, _ in usable):
                return replace(found, untestable="only the clustering index is described, and KEYSEQ is not its key")
            have = "; ".join(f"{index.words} has {', '.join(names)}" for index, names in usable)
            said = f"DLCI.KEYSEQ of {identity} says the key {', '.join(key)}, which no index has: {have}"
            return replace(found, faults=(*faults, said))
        if self.has_rules and not any(index.type in _RANKS for index in same):
            said = f"DLCI.KEYSEQ of {identity} says the key {', '.join(key)}, but TYPE of {same[0].words} is "
            return replace(found, faults=(*faults, f"{said}{same[0].type}, which is not unique"))
        return found


def _ids(values: Values, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(values.get(name) for name in names)


def _key_columns(control: ControlFile) -> dict[tuple[Any, ...], list[tuple[int, str]]]:
    """KEYCOL and KEYCOLORDER of each index; none if two of its records have one number and other columns."""
    found: dict[tuple[Any, ...], dict[int, list[tuple[int, str]]]] = {}
    contradicting = set()
    for record in control.of("DICL"):
        values = record.values
        index, number = _ids(values, _INDEX_KEY), values.get("ix_col_rec_num") or 0
        entries = values.get("dicl_key_info") or ()
        columns = [(entry["key_col"] or 0, (entry["key_col_order"] or "").strip()) for entry in entries]
        if found.setdefault(index, {}).setdefault(number, columns) != columns:
            contradicting.add(index)
    return {
        index: [] if index in contradicting else [column for _, part in sorted(parts.items()) for column in part]
        for index, parts in found.items()
    }


def _index(code: str, values: Values, columns: Sequence[tuple[int, str]]) -> Index:
    owner, name = values.get("ix_creator") or "", values.get("ix_name") or ""
    full = ".".join(word for word in (owner, name) if word) or f"with PSID {values.get('psid')}"
    key = tuple(number for number, order in columns if order)
    return Index(code, full, values.get("type") or "", values.get("num_cols_in_key"), key, len(columns) - len(key))


def _is_partial(described: Values, columns: Sequence[KeyColumn]) -> bool:
    """Whether the log lacks columns of the table, so that their numbers may be others than those of KEYCOL."""
    count = described.get("db2_num_col")
    return count is not None and count != len(columns)


def _usable(indexes: Sequence[Index], columns: Sequence[KeyColumn]) -> Iterator[tuple[Index, tuple[str, ...]]]:
    """The indexes whose columns are all known, with the names of these."""
    names = {column.number: column.name for column in columns}
    for index in indexes:
        found = tuple(names[number] for number in index.columns if number in names)
        if found and len(found) == len(index.columns) and index.is_whole:
            yield index, found


def _index_faults(indexes: Sequence[Index], columns: Sequence[KeyColumn], identity: str) -> Iterator[str]:
    numbers = {column.number for column in columns}
    for index in indexes:
        if not index.is_whole:
            yield (
                f"{index.code}.NUMCOLSINKEY of {index.name} of {identity} is {index.stated}, but its DICL records have "
                f"{len(index.columns) + index.included} columns"
            )
        unknown = [number for number in index.columns if number not in numbers]
        if unknown and numbers:
            yield f"DICL.KEYCOL of {index.name} of {identity} is {unknown[0]}, which no DLCI record describes"
