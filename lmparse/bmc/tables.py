"""Tables: the columns of each table version, from DTBI and DLCI records.

A table is identified by system, DBID, PSID, TBOBID and version. Its name does not identify it: names change, and a log
may contain two tables of one name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from lmparse.bmc.column_types import sql_words
from lmparse.bmc.control_file import ControlFile, ControlRecord
from lmparse.bmc.keys import VERSION_KEY, Indexes, Key
from lmparse.bmc.table_history import History, listed
from lmparse.changes.change import UNKNOWN_ID
from lmparse.changes.unique_names import unique_names
from lmparse.errors import ControlError
from lmparse.records.reader import Values
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.codepages import CodePage

_TEXT = ("CHAR", "VCHR", "LVCH")
_GRAPHIC = ("GRPH", "VGRF", "LVGR")
_VARYING = ("VCHR", "LVCH", "VGRF", "LVGR")
_LOB = ("BLOB", "CLOB", "DBCL")
_FORMS = {
    "DEC": "decimal",
    "DATE": "date",
    "TIME": "time",
    "DTTM": "timestamp",
    "DTTZ": "timestamp_tz",
    "ROWI": "bytes",
    **dict.fromkeys(_LOB, "absent"),
}
_TEMPORAL = ("date", "time", "timestamp", "timestamp_tz")
_SCHEMES = {"E": "ebcdic", "A": "ascii", "U": "unicode"}
_DEFAULT_CCSIDS = {"ascii": 819, "unicode": 1208}
_WIDTHS = {"INT": (2, 4, 8), "FLOT": (4, 8)}
DEC_LENGTHS = ("bytes", "precision")
"""Meanings of LLCOLUMNLEN of a DEC column."""
GRAPHIC_LENGTHS = ("bytes", "characters")
"""Units of the lengths of graphic columns."""


@cache
def front_widths() -> tuple[int, int]:
    """Widths in bytes of the null indicator and of the length in front of a value."""
    layout = catalog.load("bmc_row_image").layouts["bmc_row_image.column"]
    return layout["null_indicator"].width or 0, layout["len_value"].width or 0


@cache
def len_unit(graphic_length: str) -> int:
    """Bytes of one unit of a length."""
    return catalog.load("bmc_row_image").enum("len_unit")[graphic_length.removesuffix("s")]


@dataclass(frozen=True)
class Column:
    """One column of the row images."""

    number: int
    name: str
    type: str
    """LLCOLUMNTYPE."""
    subtype: str
    length: int
    """LLCOLUMNLEN."""
    scale: int
    nulls: str
    """LLNULLS: Y, N or L."""
    loglog_bytes: int | None
    """LOGLOGBYTES: bytes in the row image including null indicator and length; None if blank."""
    position: int | None
    """LLCOLUMNPOS."""
    key_seq: int | None = None
    page: CodePage | None = None
    """Code page of text and graphic columns; None for bit data and for a CCSID without a known code page."""
    ccsid: int | None = None
    is_sas: bool = False
    """Whether DLDS says SAS dates: their form is not documented, so dates and times are text."""
    counts: str = DEC_LENGTHS[0]
    """What LLCOLUMNLEN of a DEC column counts if LOGLOGBYTES does not prove it. Control files differ in it, so a
    column knows it, whatever log it is read with."""

    @property
    def is_nullable(self) -> bool:
        """Whether a null indicator precedes the value."""
        return self.nulls in ("Y", "L")

    @property
    def is_varying(self) -> bool:
        """Whether a length precedes the value."""
        return self.type in _VARYING

    @property
    def is_graphic(self) -> bool:
        """Whether it holds double-byte characters."""
        return self.type in _GRAPHIC

    @property
    def sql_words(self) -> str:
        """Its type in SQL words."""
        length = self.length
        if self.is_graphic and self.value_bytes in (length, len_unit("characters") * length):
            length = self.value_bytes // len_unit("characters")
        is_bit_data = self.subtype == "B" and self.type in _TEXT
        return sql_words(self.type, length, self.scale, self.precision, is_bit_data=is_bit_data)

    @property
    def form(self) -> str:
        """Form of its values: int, float, decimal, text, bytes, date, time, timestamp, timestamp_tz, sas (a date or
        time in the form of SAS), absent (kept elsewhere), or raw (an unlisted type).
        """
        if self.type in _TEXT or self.type in _GRAPHIC:
            return "text" if self.page is not None else "bytes"
        if self.type in _WIDTHS:
            kind = "int" if self.type == "INT" else "float"
            return kind if self.length in _WIDTHS[self.type] else "raw"
        form = _FORMS.get(self.type, "raw")
        return "sas" if self.is_sas and form in _TEMPORAL else form

    @property
    def precision(self) -> int:
        """Digits of a DEC column."""
        return 2 * self.length - 1 if (self.dec_length or self.counts) == "bytes" else self.length

    @property
    def is_open(self) -> bool:
        """Whether rows must show what its length counts."""
        return self.type == "DEC" and self.dec_length is None

    def counting(self, dec_length: str) -> Column:
        """The same column if lengths of DEC columns that LOGLOGBYTES does not prove count this."""
        return replace(self, counts=dec_length) if self.is_open else self

    @property
    def front_bytes(self) -> int:
        """Bytes of null indicator and length in front of its value."""
        indicator, length = front_widths()
        return indicator * self.is_nullable + length * self.is_varying

    @property
    def value_bytes(self) -> int | None:
        """LOGLOGBYTES less null indicator and length: maximum length of the value in bytes."""
        return self.loglog_bytes - self.front_bytes if self.loglog_bytes else None

    @property
    def dec_length(self) -> str | None:
        """Meaning of LLCOLUMNLEN of a DEC column, if LOGLOGBYTES proves it."""
        as_bytes, as_precision = self.length, self.length // 2 + 1
        if as_bytes == as_precision or self.value_bytes not in (as_bytes, as_precision):
            return None
        return "bytes" if self.value_bytes == as_bytes else "precision"

    def width(self, dec_length: str, graphic_length: str) -> int:
        """Length of its value in bytes; the maximum if it varies.

        The arguments are the units of lengths that LOGLOGBYTES does not prove.
        """
        if self.type == "DEC":
            return self.length if (self.dec_length or dec_length) == "bytes" else self.length // 2 + 1
        if self.is_graphic:
            if self.value_bytes in [len_unit(what) * self.length for what in GRAPHIC_LENGTHS]:
                return self.value_bytes or 0
            return len_unit(graphic_length) * self.length
        if self.form in ("absent", "raw") or self.type == "ROWI":
            return max(self.value_bytes or 0, 0) if self.loglog_bytes or self.form == "absent" else self.length
        return self.length


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
    """In the order of LLCOLUMNNUM."""
    create_rba: bytes = b""
    drop_rba: bytes = b""
    described: Values = field(default_factory=dict)
    """Values of its DTBI record; empty without one."""
    aliases: tuple[Values, ...] = ()
    """Values of its DTOB records."""
    found_key: Key = field(default_factory=Key)

    @property
    def identity(self) -> str:
        """System, ids and version, for messages."""
        return f"{self.system}.{_hexes(self.dbid, self.psid, self.tbobid)} version {self.sequence:03d}"

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the columns of its key, in key order; empty if none is known."""
        return self.found_key.columns

    @property
    def key_source(self) -> str:
        """The record that its key is from, in words."""
        return self.found_key.source

    @property
    def hex_ids(self) -> str:
        """DBID.PSID.TBOBID, as in the option `table`."""
        return ".".join(f"{part:04X}" for part in (self.dbid, self.psid or 0, self.tbobid))

    def is_of(self, ids: tuple[Any, ...]) -> bool:
        """Whether it is a version of the table with these ids: system, DBID, PSID, TBOBID."""
        system, dbid, psid, tbobid = ids
        return (self.system, self.dbid, self.tbobid) == (system, dbid, tbobid) and self.psid in (None, psid)

    def holds_at(self, position: bytes) -> bool:
        """Whether it was in force at an RBA or LRSN."""
        return self.create_rba <= position and (not self.is_dropped or position < self.drop_rba)

    @property
    def is_dropped(self) -> bool:
        """Whether it was in force up to a position only."""
        return bool(self.drop_rba.strip(b"\x00"))


class Tables:
    """The table versions of a control file, and the search for that of a record."""

    def __init__(self, versions: Iterable[TableVersion], picked: int | None = None) -> None:
        """`picked` is the SEQUENCENUMBER of the version to take where DTBI states several in force."""
        self.versions = tuple(versions)
        self._picked = picked
        self._by_ids: dict[tuple[Any, ...], list[TableVersion]] = {}
        for version in self.versions:
            self._by_ids.setdefault((version.system, version.dbid, version.tbobid), []).append(version)
        self._histories: dict[tuple[Any, ...], History[TableVersion]] = {}

    def of(self, ids: tuple[Any, ...]) -> History[TableVersion]:
        """The versions of the table with these ids: system, DBID, PSID, TBOBID."""
        known = self._histories.get(ids)
        if known is None:
            system, dbid, psid, tbobid = ids
            found = self._by_ids.get((system, dbid, tbobid), ())
            known = History([version for version in found if version.psid in (None, psid)])
            if found:  # ids that nothing describes may be as many as records
                self._histories[ids] = known
        return known

    def find(self, values: Values) -> TableVersion:
        """The table version of a record, by its header.

        Versions are distinguished by LRSN in data sharing, else by RBA. Raises ControlError LMP-C002 for a table that
        the control file does not describe, LMP-C003 if none of its versions was in force.
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
        holding = history.at(position)
        if self._picked is not None:
            picked = _picked(history.numbered(self._picked), position, is_sure=bool(holding and holding.is_ambiguous))
            if picked is not None:
                return picked
        if holding is None:
            have = listed(history.versions, len(history.versions), _since)
            raise ControlError(
                "no version of the table was in force", code="LMP-C003", spec="bmc_lldf", field="tbobid",
                expected=f"a version of {shown_name(values)} that holds at {position.hex().upper()}", found=have,
            )  # fmt: skip
        if holding.is_ambiguous:
            raise ControlError(
                "several versions of the table were in force", code="LMP-C003", spec="bmc_lldf", field="tbobid",
                expected=f"one version of {shown_name(values)}", found=holding.names, hint="pick one with tableVersion",
            )  # fmt: skip
        return holding.latest

    def histories(self) -> Iterator[History[TableVersion]]:
        """The versions of each table that DTBI records describe."""
        described = [one for one in self.versions if one.psid is not None]
        for ids in dict.fromkeys((one.system, one.dbid, one.psid, one.tbobid) for one in described):
            yield self.of(ids)

    @property
    def are_open(self) -> bool:
        """Whether rows must show what the lengths of some DEC columns count."""
        return any(column.is_open for version in self.versions for column in version.columns)

    def counting(self, dec_length: str) -> Tables:
        """The same tables if lengths of DEC columns that LOGLOGBYTES does not prove count this."""
        versions = (
            replace(version, columns=tuple(column.counting(dec_length) for column in version.columns))
            for version in self.versions
        )
        return Tables(versions, self._picked)

    def overlaps(self) -> list[str]:
        """Versions that DTBI states in force at once, in words."""
        return [
            f"DTBI.DROPRBA of {earlier.identity} is {earlier.drop_rba.hex().upper()}, but CREATERBA of "
            f"{later.identity} is {later.create_rba.hex().upper()}"
            for history in self.histories() for earlier, later in history.overlaps
        ]  # fmt: skip


def _picked(versions: Sequence[TableVersion], position: bytes, *, is_sure: bool) -> TableVersion | None:
    """The one of the picked versions that DTBI states to be in force, beside others maybe.

    Unless `is_sure`, one without DROPRBA does not state it: it ends where another is created.
    """
    return next((one for one in versions if one.holds_at(position) and (is_sure or one.is_dropped)), None)


def _since(version: TableVersion) -> str:
    return f"{version.sequence:03d} from {version.create_rba.hex().upper()}"


def _hexes(*ids: int | None) -> str:
    return ".".join(UNKNOWN_ID if part is None else f"{part:04X}" for part in ids)


def full_ids(values: Values) -> str:
    """System and ids of the table in a header, as in the identity of its versions."""
    system, *ids = identity(values)
    return f"{UNKNOWN_ID if system is None else system}.{_hexes(*ids)}"


def short_name(values: Values) -> str:
    """Owner and name of the table in a header, as far as it has fields for them."""
    return ".".join(values[name] for name in ("table_owner", "table_name") if values[name] is not None)


def shown_name(values: Values) -> str:
    """The same for messages; the ids where it has neither."""
    return short_name(values) or full_ids(values)


def position_of(values: Values) -> bytes | None:
    """Position of a change in the log: its LRSN in data sharing, else its RBA; None if the header lacks it."""
    position: bytes | None = (values["log_lrsn"] if values["member_id"] else None) or values["log_rba"]
    return position


def identity(values: Values) -> tuple[Any, ...]:
    """Identity of a table in a header: system, DBID, PSID, TBOBID."""
    return values["system_id"], values["dbid"], values["psid"], values["tbobid"]


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
    indexes = Indexes(control)
    for values in tables:
        key, scheme = _version_key(values), values.get("encoding_scheme") or "E"
        if (*key, scheme) not in described:
            described[*key, scheme] = _columns(control, code_page, scheme, columns.get(key, []))
        version = _version(values, described[*key, scheme], aliases.get(key[:3], []))
        found = indexes.key(version.described, version.columns, key, version.identity)
        versions.append(replace(version, found_key=found))
    return Tables(versions, picked)


def _version_key(values: Values) -> tuple[Any, ...]:
    return tuple(values[name] for name in VERSION_KEY)


def _columns(
    control: ControlFile, code_page: CodePage, scheme: str, records: Sequence[ControlRecord]
) -> tuple[Column, ...]:
    xtyp, is_sas = control.first("XTYP"), control.has_sas_dates
    columns: dict[int, Column] = {}
    for record in records:
        column = replace(_column(record.values, scheme, xtyp, code_page), is_sas=is_sas)
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


def _column(values: Values, scheme: str, xtyp: Values, code_page: CodePage) -> Column:
    type_, subtype = values["ll_column_type"], values["ll_column_subtype"]
    ccsid, page = _page_of(type_, subtype, scheme, xtyp, code_page)
    return Column(
        number=values["ll_column_num"] or 0,
        name=values["column_name"] or f"C{values['ll_column_num']}",
        type=type_,
        subtype=subtype,
        length=values["ll_column_len"] or 0,
        scale=values["ll_scale"] or 0,
        nulls=values["ll_nulls"],
        loglog_bytes=values["loglog_bytes"],
        position=values["ll_column_pos"],
        key_seq=values["key_seq"],
        page=page,
        ccsid=ccsid,
    )


def _page_of(
    type_: str, subtype: str, scheme: str, xtyp: Values, ebcdic: CodePage
) -> tuple[int | None, CodePage | None]:
    """CCSID and code page of a column; None for bit data, for inline LOBs, and where no page exists."""
    if type_ not in (*_TEXT, *_GRAPHIC) or subtype in ("B", "I"):
        return None, None
    none = catalog.load("bmc_xtyp").enum("no_ccsid").values()

    def stated(name: str) -> int | None:
        ccsid: int | None = xtyp.get(f"{name}_ccsid")
        return None if ccsid in none else ccsid

    family = _SCHEMES.get(scheme, "ebcdic")
    if type_ in _GRAPHIC:
        ccsid = stated(f"{family}_double") or (1200 if family == "unicode" else None)
    elif family == "unicode":
        # UTF-8 reads the 7-bit CCSID of single-byte columns too.
        ccsid = stated("unicode_mixed") or _DEFAULT_CCSIDS[family]
    elif subtype == "M":
        ccsid = stated(f"{family}_mixed") or stated(f"{family}_single")
    elif family == "ebcdic":
        return ebcdic.ccsid, ebcdic
    else:
        ccsid = stated(f"{family}_single") or _DEFAULT_CCSIDS[family]
    return ccsid, codepages.maybe_lookup(ccsid) if ccsid else None
