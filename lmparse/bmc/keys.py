"""Keys: the columns that identify a row of a table version, from KEYSEQ of DLCI, compared with the index records.

The manual says of KEYSEQ only "Key for SQL generation/ reporting by key". That Log Master finds a row by it means that
it is unique (inferred), so it is the key if it counts from 1 on without a gap: a log may have only some of the columns
of a table. KEYCOL of DICL is compared with LLCOLUMNNUM (inferred), unless DTBI says that the log lacks columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lmparse.bmc.columns import Column
from lmparse.bmc.control_file import ControlFile
from lmparse.records.reader import Values

VERSION_KEY = ("sysid", "dbid", "tbobid", "sequence_number")
"""Fields that name a table version in the records of its columns and indexes."""
_INDEX_KEY = ("sysid", "dbid", "psid", "sequence_number")


@dataclass(frozen=True, slots=True)
class Index:
    """One index of a table version, from its DIXI or DCXI record and its DICL records."""

    code: str
    """DIXI or DCXI."""
    name: str
    """Owner and name."""
    stated: int | None
    """NUMCOLSINKEY."""
    columns: tuple[int, ...]
    """KEYCOL of its columns, in key order."""
    included: int
    """Number of columns beside the key, by the clause INCLUDE: their KEYCOLORDER is blank, as in SYSIBM.SYSKEYS."""

    @property
    def is_whole(self) -> bool:
        """Whether NUMCOLSINKEY is the number of its columns, with or without those beside the key."""
        return self.stated in (None, len(self.columns), len(self.columns) + self.included)

    def names(self, columns: Sequence[Column]) -> tuple[str, ...]:
        """The names of its columns; empty if not all are known."""
        names = {column.number: column.name for column in columns}
        is_known = self.is_whole and all(number in names for number in self.columns)
        return tuple(names[number] for number in self.columns) if is_known else ()


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a table version, and what came of comparing the records that describe it."""

    columns: tuple[str, ...] = ()
    """Names of its columns in key order; empty if none is known."""
    faults: tuple[str, ...] = ()
    """What contradicts what, in words."""
    untestable: str = ""
    """Why KEYSEQ could not be compared with an index; empty if it was."""

    @property
    def source(self) -> str:
        """The record that it is from, in words; empty if no key is known."""
        return "KEYSEQ of DLCI" if self.columns else ""


class Indexes:
    """The indexes of a control file, by table version."""

    def __init__(self, control: ControlFile) -> None:
        self._by_version: dict[tuple[Any, ...], dict[tuple[Any, ...], Index]] = {}
        columns = _key_columns(control)
        for record in (*control.of("DIXI"), *control.of("DCXI")):
            values = record.values
            index = _index(record.code, values, columns.get(_ids(values, _INDEX_KEY), {}))
            # The clustering index of a table may have a record of either code.
            known = self._by_version.setdefault(_ids(values, VERSION_KEY), {})
            known.setdefault((values.get("psid"), index.name), index)

    def key(self, described: Values, columns: Sequence[Column], version: tuple[Any, ...], identity: str) -> Key:
        """The key of a table version with these columns.

        `described` are the values of its DTBI record, `version` those of VERSION_KEY.
        """
        indexes = list(self._by_version.get(version, {}).values())
        # Where the log lacks columns of the table, their numbers may be others than those of KEYCOL.
        is_partial = described.get("db2_num_col") not in (None, len(columns))
        faults = [] if is_partial else [*_index_faults(indexes, columns, identity)]
        usable = {} if is_partial else {one: names for one in indexes if (names := one.names(columns))}
        numbered = sorted((column.key_seq, column.name) for column in columns if column.key_seq)
        key = tuple(name for _, name in numbered)
        if [number for number, _ in numbered] != [*range(1, len(numbered) + 1)]:
            have = ", ".join(str(number) for number, _ in numbered)
            faults.append(f"DLCI.KEYSEQ of {identity} is {have}, not each number from 1 to {len(numbered)} once")
            key = ()
        untestable = ""
        if not key:
            untestable = "no KEYSEQ says the key"
        elif not usable:
            no_record = "no DIXI or DCXI record describes an index of the table"
            untestable = "the columns of its indexes are not known" if indexes else no_record
        elif key not in usable.values():
            if all(index.code == "DCXI" for index in usable):
                untestable = "only the clustering index is described, and KEYSEQ is not its key"
            else:
                have = "; ".join(f"{one.code} index {one.name} has {', '.join(names)}" for one, names in usable.items())
                faults.append(f"DLCI.KEYSEQ of {identity} says the key {', '.join(key)}, which no index has: {have}")
        return Key(key, tuple(faults), untestable)


def _ids(values: Values, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(values.get(name) for name in names)


def _key_columns(control: ControlFile) -> dict[tuple[Any, ...], dict[int, list[tuple[int, str]]]]:
    """KEYCOL and KEYCOLORDER of each index, by the number of the record."""
    found: dict[tuple[Any, ...], dict[int, list[tuple[int, str]]]] = {}
    for record in control.of("DICL"):
        values = record.values
        columns = [
            (entry["key_col"] or 0, (entry["key_col_order"] or "").strip()) for entry in values["dicl_key_info"] or ()
        ]
        found.setdefault(_ids(values, _INDEX_KEY), {}).setdefault(values["ix_col_rec_num"] or 0, columns)
    return found


def _index(code: str, values: Values, parts: dict[int, list[tuple[int, str]]]) -> Index:
    columns = [column for _, part in sorted(parts.items()) for column in part]
    owner, name = values.get("ix_creator") or "", values.get("ix_name") or ""
    full = ".".join(word for word in (owner, name) if word) or f"with PSID {values.get('psid')}"
    key = tuple(number for number, order in columns if order)
    return Index(code, full, values.get("num_cols_in_key"), key, len(columns) - len(key))


def _index_faults(indexes: Sequence[Index], columns: Sequence[Column], identity: str) -> Iterator[str]:
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
