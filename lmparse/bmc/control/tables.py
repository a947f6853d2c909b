"""Tables: the columns of each table version, from DTBI and DLCI records.

System, DBID, PSID, TBOBID and version identify a table. Its name does not: names change, and a log may contain two
tables of one name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lmparse.bmc.control.columns import Column, read_column
from lmparse.bmc.control.control_file import ControlFile, ControlRecord
from lmparse.changes.change import UNKNOWN_ID
from lmparse.changes.descriptions import unique_names
from lmparse.errors import ControlError, TableNotFoundError
from lmparse.records.reader import Values
from lmparse.values.codepages import CodePage

VERSION_KEY = ("sysid", "dbid", "tbobid", "sequence_number")
"""Fields that identify a table version in the records of its columns."""
_LISTED = 10
"""Most versions in a message."""


@dataclass(frozen=True)
class TableVersion:
    """One version of one table."""

    system: str
    dbid: int
    psid: int | None
    """None if no DTBI record describes the table."""
    tbobid: int
    sequence: int
    columns: tuple[Column, ...]
    """Columns in the order of LLCOLUMNNUM."""
    create_rba: bytes = b""
    drop_rba: bytes = b""
    described: Values = field(default_factory=dict)
    """Values of the DTBI record; empty without one."""
    aliases: tuple[Values, ...] = ()
    """Values of the DTOB records."""

    @property
    def identity(self) -> str:
        """System, ids and version, for messages."""
        return f"{self.system}.{hexes(self.dbid, self.psid, self.tbobid)} version {self.sequence:03d}"

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Names of the columns of the key, in key order; empty if no key is known.

        The manual says of KEYSEQ only "Key for SQL generation/ reporting by key". Log Master finds a row by these
        columns, so they are unique (inferred). They are the key if KEYSEQ counts from 1 without a gap: a log may have
        only some of the columns of a table.
        """
        return () if self.key_fault else tuple(name for _, name in self._numbered)

    @property
    def key_source(self) -> str:
        """The record that states the key, in words; empty if no key is known."""
        return "KEYSEQ of DLCI" if self.key else ""

    @property
    def key_fault(self) -> str | None:
        """Why KEYSEQ does not number the columns of a key, in words; None if it does, or if it numbers no column."""
        numbers = [number for number, _ in self._numbered]
        if numbers == [*range(1, len(numbers) + 1)]:
            return None
        have = ", ".join(map(str, numbers))
        return f"DLCI.KEYSEQ of {self.identity} is {have}, not each number from 1 to {len(numbers)} once"

    @property
    def _numbered(self) -> list[tuple[int, str]]:
        """KEYSEQ and name of the columns that have one, ascending."""
        return sorted((column.key_seq, column.name) for column in self.columns if column.key_seq)

    @property
    def hex_ids(self) -> str:
        """DBID.PSID.TBOBID, as in the option `table`."""
        return hexes(self.dbid, self.psid or 0, self.tbobid)

    def is_of(self, ids: tuple[Any, ...]) -> bool:
        """Whether this is a version of the table with some ids: system, DBID, PSID, TBOBID."""
        system, dbid, psid, tbobid = ids
        return (self.system, self.dbid, self.tbobid) == (system, dbid, tbobid) and self.psid in (None, psid)

    def holds_at(self, position: bytes) -> bool:
        """Whether the version was in force at an RBA or LRSN."""
        return self.create_rba <= position and (not self.is_dropped or position < self.drop_rba)

    @property
    def is_dropped(self) -> bool:
        """Whether the version was in force only up to a position."""
        return bool(self.drop_rba.strip(b"\x00"))


class History:
    """The versions of one table, and the positions at which each of them is in force.

    A version without DROPRBA ends where another version is created.
    """

    def __init__(self, versions: Iterable[TableVersion]) -> None:
        self.versions = tuple(versions)

    @property
    def bounds(self) -> tuple[bytes, ...]:
        """Positions at which a version comes into force or ends, ascending; none for a single version."""
        return tuple(self._places) if len(self.versions) > 1 else ()

    def at(self, position: bytes) -> tuple[TableVersion, ...]:
        """The versions in force at an RBA or LRSN, in the order of their creation."""
        place = bisect_right(self._places, position)
        return self._in_force[self._places[place - 1]] if place else ()

    @cached_property
    def _places(self) -> list[bytes]:
        return list(self._in_force)

    @cached_property
    def _in_force(self) -> dict[bytes, tuple[TableVersion, ...]]:
        """By position at which a version begins or ends, ascending: the versions in force from there on."""
        begun: dict[bytes, list[TableVersion]] = {}
        for version in sorted(self.versions, key=lambda entry: (entry.create_rba, entry.sequence)):
            begun.setdefault(version.create_rba, []).append(version)
        drops = {version.drop_rba for version in self.versions if version.is_dropped}
        found: dict[bytes, tuple[TableVersion, ...]] = {}
        active: list[TableVersion] = []
        for place in sorted({*begun, *drops}):
            created = begun.get(place, [])
            active = [entry for entry in active if (entry.is_dropped or not created)] + created
            active = [entry for entry in active if not entry.is_dropped or place < entry.drop_rba]
            found[place] = tuple(active)
        return found


class Tables:
    """The table versions of a control file, and the search for the version of a record."""

    def __init__(self, versions: Iterable[TableVersion], picked: int | None = None) -> None:
        """`picked` is the SEQUENCENUMBER of the version to take if DTBI states several versions in force."""
        self.versions = tuple(versions)
        self._picked = picked
        self._by_ids: dict[tuple[Any, ...], list[TableVersion]] = {}
        for version in self.versions:
            self._by_ids.setdefault((version.system, version.dbid, version.tbobid), []).append(version)
        self._histories: dict[tuple[Any, ...], History] = {}

    def of(self, ids: tuple[Any, ...]) -> History:
        """The versions of the table with these ids: system, DBID, PSID, TBOBID."""
        known = self._histories.get(ids)
        if known is None:
            system, dbid, psid, tbobid = ids
            found = self._by_ids.get((system, dbid, tbobid), ())
            known = History([version for version in found if version.psid in (None, psid)])
            if found:  # undescribed ids may be as many as records
                self._histories[ids] = known
        return known

    def find(self, values: Values) -> TableVersion:
        """The table version of a record, by its header.

        The LRSN in data sharing, else the RBA, tells versions apart. Raises ControlError LMP-C002 for a table that the
        control file does not describe, LMP-C003 if no version was in force, or several with different columns.
        """
        history = self.of(identity(values))
        if not history.versions:
            name = short_name(values)
            shown = f" ({name})" if name else ""
            raise ControlError(
                "the control file does not describe the table", code="LMP-C002", spec="bmc_lldf", field="tbobid",
                expected="DTBI and DLCI records of it", found=f"none for {full_ids(values)}{shown}",
            )  # fmt: skip
        if len(history.versions) == 1:
            return history.versions[0]
        position = position_of(values)
        if position is None:
            raise ControlError(
                "the header does not say when the table was changed", code="LMP-C003", spec="bmc_lldf", field="log_rba",
                expected=f"a position, to tell the versions of {shown_name(values)} apart", found="none",
            )  # fmt: skip
        in_force = history.at(position)
        picked = [version for version in in_force if version.sequence == self._picked]
        if picked:
            return picked[-1]
        if not in_force:
            raise ControlError(
                "no version of the table was in force", code="LMP-C003", spec="bmc_lldf", field="tbobid",
                expected=f"a version of {shown_name(values)} that holds at {position.hex().upper()}",
                found=_listed(history.versions, lambda one: f"{one.sequence:03d} from {one.create_rba.hex().upper()}"),
            )  # fmt: skip
        if any(version.columns != in_force[0].columns for version in in_force):
            raise ControlError(
                "several versions of the table were in force", code="LMP-C003", spec="bmc_lldf", field="tbobid",
                expected=f"one version of {shown_name(values)} at {position.hex().upper()}",
                found=_listed(in_force, lambda version: version.identity), hint="pick one with tableVersion",
            )  # fmt: skip
        return in_force[-1]

    def maybe(self, values: Values) -> TableVersion | None:
        """As `find`, but None if `find` raises."""
        try:
            return self.find(values)
        except ControlError:
            return None

    @property
    def are_open(self) -> bool:
        """Whether only rows can show what the lengths of some DEC columns count."""
        return any(column.is_open for version in self.versions for column in version.columns)

    def counting(self, dec_length: str) -> Tables:
        """These tables with `dec_length` as the unit of lengths of DEC columns, if LOGLOGBYTES proves none."""
        versions = (
            replace(version, columns=tuple(column.counting(dec_length) for column in version.columns))
            for version in self.versions
        )
        return Tables(versions, self._picked)


def _listed(versions: Sequence[TableVersion], text: Callable[[TableVersion], str]) -> str:
    """The first of some versions in words, and how many more there are."""
    more = len(versions) - _LISTED
    return ", ".join(map(text, versions[:_LISTED])) + f" and {more} more" * (more > 0)


def hexes(*ids: int | None) -> str:
    """DBID, PSID and TBOBID in hexadecimal; UNKNOWN_ID for an id that the header lacks."""
    return ".".join(UNKNOWN_ID if part is None else f"{part:04X}" for part in ids)


def full_ids(values: Values) -> str:
    """System and ids of the table in a header, as in the identity of its versions."""
    system, *ids = identity(values)
    return f"{UNKNOWN_ID if system is None else system}.{hexes(*ids)}"


def short_name(values: Values) -> str:
    """Owner and name of the table in a header, as far as it has fields for them."""
    return ".".join(values[name] for name in ("table_owner", "table_name") if values[name] is not None)


def shown_name(values: Values) -> str:
    """Owner and name of the table in a header, for messages; its ids if the header has neither."""
    return short_name(values) or full_ids(values)


def position_of(values: Values) -> bytes | None:
    """Position of a change in the log: its LRSN in data sharing, else its RBA; None if the header lacks it."""
    position: bytes | None = (values["log_lrsn"] if values["member_id"] else None) or values["log_rba"]
    return position


def identity(values: Values) -> tuple[Any, ...]:
    """Identity of a table in a header: system, DBID, PSID, TBOBID."""
    return values["system_id"], values["dbid"], values["psid"], values["tbobid"]


def of_number(versions: Sequence[TableVersion], picked: int | None) -> list[TableVersion]:
    """The versions of a table that the option `table_version` picks.

    Raises TableNotFoundError LMP-C005 if there is none; another log of the same table may have it.
    """
    found = [version for version in versions if picked in (None, version.sequence)]
    if versions and not found:
        have = ", ".join(map(str, sorted({version.sequence for version in versions})))
        raise TableNotFoundError(f"tableVersion has no value {picked}", code="LMP-C005", hint=f"versions: {have}")
    return found


def read_tables(control: ControlFile, code_page: CodePage, picked: int | None = None) -> Tables:
    """The table versions of a control file. Text columns get the code pages that XTYP names; `picked` as for `Tables`.

    Raises ControlError LMP-C004 for contradicting columns.
    """
    columns: dict[tuple[Any, ...], list[ControlRecord]] = {}
    for record in control.of("DLCI"):
        columns.setdefault(_version_key(record.values), []).append(record)
    # A table that has moved has two DTBI records, but its columns are described once.
    tables = [record.values for record in control.of("DTBI")]
    known = {_version_key(values) for values in tables}
    tables += [dict(zip(VERSION_KEY, key, strict=True)) for key in columns if key not in known]
    described: dict[tuple[Any, ...], tuple[Column, ...]] = {}
    aliases: dict[tuple[Any, ...], list[Values]] = {}
    for record in control.of("DTOB"):
        aliases.setdefault(tuple(record.values.get(name) for name in ("sysid", "dbid", "obid")), []).append(
            record.values
        )
    versions = []
    for values in tables:
        key, scheme = _version_key(values), values.get("encoding_scheme") or "E"
        if (*key, scheme) not in described:
            described[*key, scheme] = _columns(control, code_page, scheme, columns.get(key, []))
        versions.append(_version(values, described[*key, scheme], aliases.get(key[:3], [])))
    return Tables(versions, picked)


def _version_key(values: Values) -> tuple[Any, ...]:
    return tuple(values[name] for name in VERSION_KEY)


def _columns(
    control: ControlFile, code_page: CodePage, scheme: str, records: Sequence[ControlRecord]
) -> tuple[Column, ...]:
    xtyp, is_sas = control.first("XTYP"), control.has_sas_dates
    columns: dict[int, Column] = {}
    for record in records:
        column = replace(read_column(record.values, scheme, xtyp, code_page), is_sas=is_sas)
        if record.values["ll_column_num"] is None:
            raise _contradiction(control, record, "ll_column_num", "a column number", "blank")
        if not 0 <= column.scale <= 31:
            raise _contradiction(control, record, "ll_scale", "0 to 31", str(column.scale))
        if column.number in columns:
            found = f"{columns[column.number].name} and {column.name}"
            raise _contradiction(control, record, "ll_column_num", f"one column {column.number} in a version", found)
        columns[column.number] = column
    # Characters that EBCDIC lacks may have made two names one.
    names = unique_names((column.name, column.number) for column in columns.values())
    named = (replace(column, name=name) for column, name in zip(columns.values(), names, strict=True))
    return tuple(sorted(named, key=lambda column: column.number))


def _version(values: Values, columns: tuple[Column, ...], aliases: Sequence[Values]) -> TableVersion:
    psid = values.get("psid")
    return TableVersion(
        system=values["sysid"] or "",
        dbid=int(values["dbid"] or "0", 16),
        psid=int(psid, 16) if psid else None,
        tbobid=int(values["tbobid"] or "0", 16),
        sequence=values["sequence_number"] or 0,
        columns=columns,
        create_rba=values.get("create_rba") or b"",
        drop_rba=values.get("drop_rba") or b"",
        described=values if psid else {},
        aliases=tuple(aliases),
    )


def _contradiction(control: ControlFile, record: ControlRecord, name: str, expected: str, found: str) -> ControlError:
    return ControlError(
        code="LMP-C004", file=control.path, record_index=record.index, record_offset=record.offset, spec="bmc_dlci",
        field=name, expected=expected, found=found,
    )  # fmt: skip
