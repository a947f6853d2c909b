"""Sample: a small synthetic logical log, control file and data file, made from a seed.

All data are invented. The log has several tables, nulls, a segmented update, units of recovery that were rolled back
or are still open, and one change of each kind without a row.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from lmparse.bmc.control.columns import front_widths
from lmparse.samples.rows import START, WORDS
from lmparse.spec import catalog
from lmparse.storage.outputs import write_files
from lmparse.values import codepages
from lmparse.values.byte_arrays import Int64s
from lmparse.values.codepages import CodePage
from lmparse.values.decimals import encode_packed
from lmparse.values.encoding import encode_record
from lmparse.values.floats import encode_hfp

_PAGE = codepages.lookup("cp1047")
_SYSTEM = "DB2P"
LOBS = ("BLOB", "CLOB", "DBCL")
_TEXT = ("CHAR", "VCHR", "LVCH")
GRAPHIC_PAGE = 1200
"""Of graphic columns in a Unicode table."""
_BLOCK = 27_990


@dataclass(frozen=True)
class SampleColumn:
    """A column of a sample table; type, length and scale as in DLCI."""

    name: str
    type: str
    length: int
    scale: int = 0
    nullable: bool = False
    subtype: str = ""
    key: int = 0
    stored: int | None = None
    """Bytes of the longest value, where `length` counts something else."""

    @property
    def nulls(self) -> str:
        """LLNULLS."""
        return ("L" if self.type in LOBS else "Y") if self.nullable else "N"

    @property
    def is_varying(self) -> bool:
        """Whether a length precedes the value."""
        return self.type in ("VCHR", "LVCH", "VGRF", "LVGR")

    @property
    def value_bytes(self) -> int:
        """Bytes of the longest value."""
        return self.length if self.stored is None else self.stored

    @property
    def loglog_bytes(self) -> int:
        """Maximum length in a row image, in bytes."""
        indicator, length = front_widths()
        return self.value_bytes + indicator * self.nullable + length * self.is_varying


@dataclass(frozen=True)
class SampleTable:
    """A sample table: ids, names, columns and the encoding of its text."""

    dbid: int
    psid: int
    tbobid: int
    owner: str
    name: str
    columns: tuple[SampleColumn, ...]
    scheme: str = "E"

    def page(self, ebcdic: CodePage) -> CodePage:
        """The code page of its text."""
        return codepages.lookup("utf-8") if self.scheme == "U" else ebcdic


TABLES = (
    SampleTable(261, 2, 3, "PAYROLL", "EMPLOYEE", (
        SampleColumn("EMPNO", "CHAR", 6, key=1),
        SampleColumn("NAME", "VCHR", 40),
        SampleColumn("SALARY", "DEC", 5, 2, nullable=True),
        SampleColumn("HIRED", "DATE", 10),
        SampleColumn("DEPT", "INT", 2, nullable=True),
    )),
    SampleTable(261, 4, 7, "PAYROLL", "ACCOUNT", (
        SampleColumn("ID", "INT", 8, key=1),
        SampleColumn("BALANCE", "DEC", 8, 4),
        SampleColumn("RATE", "FLOT", 8, nullable=True),
        SampleColumn("CHANGED", "DTTM", 26),
        SampleColumn("OPENS", "TIME", 8, nullable=True),
        SampleColumn("TOKEN", "CHAR", 4, subtype="B"),
    )),
    SampleTable(262, 2, 9, "ARCHIVE", "DOCUMENT", (
        SampleColumn("ID", "INT", 4, key=1),
        SampleColumn("TITLE", "VCHR", 60, nullable=True),
        SampleColumn("BODY", "VCHR", 32_000),
    ), scheme="U"),
)  # fmt: skip
"""The tables of the sample log."""


@dataclass
class SampleLog:
    """The records of a sample log, without framing."""

    control: list[bytes] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both files with RDWs; returns the paths of control file and data file."""
        files = {"payroll.ctl": self.control, "payroll.dat": self.data}
        write_files(folder, {name: framed(records)[0] for name, records in files.items()})
        return folder / "payroll.ctl", folder / "payroll.dat"


def framed(records: Iterable[bytes], framing: str = "rdw") -> tuple[bytes, Int64s]:
    """Records behind RDWs, of framing `bdw` in blocks too; and the offset of each one's RDW."""
    spec, block = catalog.load("zos_rdw"), catalog.load("zos_bdw").layout["reserved"].bits or 0
    width = spec.layout.width or 0
    made, starts, begin = bytearray(), list[int](), 0
    for record in records:
        if framing == "bdw" and (not starts or len(made) - begin + width + len(record) > _BLOCK + 2 * width):
            begin = len(made)
            made += bytes(width)
        starts.append(len(made))
        made += encode_record(spec, {"length": len(record) + width}, _PAGE) + record
        if framing == "bdw":  # a BDW of the normal form is its length and reserved bits
            made[begin : begin + width] = (len(made) - begin << block).to_bytes(width, "big")
    return bytes(made), np.array(starts, np.int64)


def make(seed: int = 1, units: int = 40) -> SampleLog:
    """A log of `units` units of recovery, some rolled back, and an open one. The same seed gives the same bytes."""
    maker = _SampleMaker(random.Random(seed), TABLES)
    log = SampleLog()
    for number in range(units):
        log.data.extend(maker.unit(rolled_back=number % 9 == 4, is_open=False))
    log.data.extend(maker.special())
    log.data.extend(maker.unit(rolled_back=False, is_open=True))
    maker.describe(log)
    return log


class LogMaker:
    """Makes the records of a log, and of the control file that describes it."""

    def __init__(self, chance: random.Random, tables: Sequence[SampleTable], page: CodePage = _PAGE) -> None:
        self.chance, self.tables, self.page = chance, tables, page
        self.rba = 0x0000_0042_0000_1000
        self.clock = START
        self.has_segments = False
        """Whether a change was divided; few units may have none that is long enough."""

    # -- control file -----------------------------------------------------------------

    def describe(self, log: SampleLog) -> None:
        """Append the control records: file type, data set, tables with their columns, header fields.

        Called behind the data, of which DLDS says what it has.
        """
        ccsids = {"ebcdic_single_ccsid": self.page.ccsid, "ascii_single_ccsid": 819, "unicode_single_ccsid": 367}
        ccsids |= {"unicode_double_ccsid": 1200, "unicode_mixed_ccsid": 1208}
        ccsids |= dict.fromkeys(("ebcdic_double_ccsid", "ebcdic_mixed_ccsid"), 0)
        flags = dict.fromkeys(("ddl_objects", "cmds_included"), "Y")
        flags["segmented"] = "Y" if self.has_segments else "N"
        flags |= dict.fromkeys(("expand_var", "lobs_included", "xml_included", "xmlstring_included", "merged"), "N")
        log.control += [
            self._control(
                "bmc_xtyp", "XTYP", cntl_file_type="DB2", cntl_file_type_version="V1210", sql_delimiter="'",
                cntl_file_sysid=_SYSTEM, mixed="N", decimal_point=".", **ccsids,
            ),
            self._control(
                "bmc_dlds", "DLDS", orig_data_dsname="SAMPLE.LLOG.DATA", record_format="VB", date_format="DB2I", **flags
            ),
        ]  # fmt: skip
        types = {"char": "CHAR", "code": "CHAR", "uint": "INT", "timestamp17": "DTTM"}
        for table in self.tables:
            log.control.append(self._table(table))
            log.control += [self._column(table, number, column) for number, column in enumerate(table.columns, 1)]
        log.control += [
            self._control(
                "bmc_xhdf", "XHDF", head_field_name=entry.orig_id, head_field_type=types.get(entry.kind, "BIN"),
                head_field_len=entry.width, head_field_pos=entry.offset,
            )
            for entry in catalog.load("bmc_lldf").layout
            if entry.orig_id and entry.offset is not None and entry.width is not None
        ]  # fmt: skip

    def _table(self, table: SampleTable) -> bytes:
        count, length = len(table.columns), sum(column.loglog_bytes for column in table.columns)
        return self._control(
            "bmc_dtbi", "DTBI", **_ids(table), psid=f"{table.psid:04X}", object_type="TB", row_type="V",
            db2_num_col=count, db2_max_row_len=length, ll_num_col=count, ll_max_row_len=length, sequence_number=1,
            encoding_scheme=table.scheme, editproc_name_len=0, dbname_len=8, dbname=f"DB{table.dbid:06d}",
            rest=self.page.encode(_names(table)),
        )  # fmt: skip

    def _column(self, table: SampleTable, number: int, column: SampleColumn) -> bytes:
        return self._control(
            "bmc_dlci", "DLCI", **_ids(table), ll_column_num=number, ll_column_type=column.type,
            ll_column_len=column.length, ll_scale=column.scale, ll_nulls=column.nulls,
            ll_column_pos=-1, ll_column_subtype=column.subtype or ("S" if column.type in _TEXT else ""),
            key_seq=column.key, key_ordering="A" if column.key else "", sequence_number=1, version=1,
            column_name_len=len(column.name), column_name=column.name,
            **dict.fromkeys(("db2_row_bytes", "fldproc_bytes", "loglog_bytes"), column.loglog_bytes),
        )  # fmt: skip

    # -- data file --------------------------------------------------------------------

    def header(self, disposition: str, begun: int, commit: int) -> dict[str, Any]:
        """Fields that all changes of a unit of recovery have, which ends with C, A, or not yet (blank)."""
        shared = {
            "uor_id": begun,
            "uor_id_lrsn": begun,
            "uor_timestamp": self.clock.isoformat(timespec="microseconds"),
            "uor_disp": disposition,
            "log_rec_disp": "A" if disposition == "A" else "C",
            "auth_id": "PAYUSER",
            "plan": "PAYPLAN",
            "correlation_id": "PAYJOB01",
            "connection_type": "BT",
            "connect_id": "BATCH",
        }
        if disposition == "C":
            shared |= {
                "uor_commit_lrsn": commit,
                "uor_commit_point": commit,
                "uor_commit_timestamp": (self.clock + timedelta(seconds=1)).isoformat(timespec="microseconds"),
            }
        return shared

    def records(
        self, table: SampleTable, header: Mapping[str, Any], data: bytes, rid: int | None = None
    ) -> list[bytes]:
        """The record of a change with its DATA area, or its segments; without a row id it has any."""
        spec = catalog.load("bmc_lldf")
        at, capacity = self.tick(), segment_bytes()
        rid = self.chance.randrange(1 << 24) if rid is None else rid
        width = spec.layout["data"].offset or 0
        pieces = [data[start : start + capacity] for start in range(0, len(data), capacity)] or [b""]
        self.has_segments |= len(pieces) > 1
        known = {
            "length": width, "system_id": _SYSTEM, "dbid": table.dbid, "psid": table.psid, "tbobid": table.tbobid,
            "tbowner_len": len(table.owner), "tbname_len": len(table.name), "table_owner": table.owner[:8],
            "table_name": table.name[:18], "dbname": f"DB{table.dbid:06d}", "tsname": f"TS{table.psid:06d}",
            "timestamp": self.clock.isoformat(timespec="microseconds"), "rid": rid,
            "log_bytes": len(data), "page_num_fmt": "R", "total_segs": len(pieces),
            **dict.fromkeys(("log_lrsn", "log_rba", "sql_ri_rba"), at),
            **dict.fromkeys(("anomaly_type", "incomplete_trans", "incomplete_dep", "uor_has_comp"), "N"),
        }  # fmt: skip
        return [
            encode_record(
                spec, {**known, **header} | {"seg_num": number, "seg_len": width + len(piece), "data": piece}, self.page
            )
            for number, piece in enumerate(pieces, 1)
        ]

    def value(self, table: SampleTable, column: SampleColumn, value: Any) -> bytes:
        """A value in a row image, behind its null indicator and length."""
        words, width = catalog.load("bmc_row_image").enum("null_indicator"), front_widths()[0]
        if value is None:
            nothing = counted(b"") if column.is_varying else bytes(column.value_bytes)
            return words["absent"].to_bytes(width, "big") + nothing
        indicator = words["present"].to_bytes(width, "big") if column.nullable else b""
        encoded = self._encoded(column, value, table.page(self.page))
        return indicator + (counted(encoded) if column.is_varying else encoded)

    def _encoded(self, column: SampleColumn, value: Any, page: CodePage) -> bytes:
        if isinstance(value, bytes):
            return value
        if column.type == "INT":
            return int(value).to_bytes(column.length, "big", signed=True)
        if column.type == "DEC":
            return encode_packed(value, column.value_bytes, column.scale)
        if column.type == "FLOT":
            return encode_hfp(value, column.length)
        if column.type in ("DATE", "TIME"):
            return page.encode(value.strftime("%Y-%m-%d" if column.type == "DATE" else "%H.%M.%S"))
        if column.type in ("DTTM", "DTTZ"):
            return page.encode(f"{value[:10]}-{value[11:19].replace(':', '.')}{value[19:]}")
        page = codepages.lookup(GRAPHIC_PAGE) if column.type in ("GRPH", "VGRF", "LVGR") else page
        encoded, blank = page.encode(value), page.encode(" ")
        return encoded if column.is_varying else encoded + blank * ((column.length - len(encoded)) // len(blank))

    def tick(self) -> int:
        """Go on in the log; returns the position."""
        self.rba += self.chance.randrange(0x40, 0x200)
        self.clock += timedelta(microseconds=self.chance.randrange(1000, 900_000))
        return self.rba

    def _control(self, spec_id: str, code: str, **values: Any) -> bytes:
        return encode_record(catalog.load(spec_id), {"cntl_record_type": code, **values}, self.page)


class _SampleMaker(LogMaker):
    """Makes the small sample."""

    keys = 0

    def unit(self, *, rolled_back: bool, is_open: bool) -> Iterator[bytes]:
        """The records of one unit of recovery."""
        begun, commit = self.tick(), self.rba + 0x1000
        disposition = " " if is_open else "A" if rolled_back else "C"
        shared = self.header(disposition, begun, commit)
        for _ in range(self.chance.randint(1, 5)):
            yield from self._change(self.chance.choice(TABLES), shared)
        if disposition == "C" and self.chance.random() < 0.2:
            yield from self._change(TABLES[0], shared | {"log_rec_disp": "S"})
        self.rba = commit + 0x100

    def special(self) -> Iterator[bytes]:
        """One change of each kind that has no row."""
        at = self.tick()
        commit: dict[str, Any] = dict.fromkeys(("uor_commit_lrsn", "uor_commit_point"), at + 0x2000)
        commit["uor_commit_timestamp"] = (self.clock + timedelta(seconds=9)).isoformat(timespec="microseconds")
        shared = {"uor_id": at, "uor_disp": "C", "log_rec_disp": "C", **commit}
        shared["auth_id"] = "SYSADM"
        clone = counted(_PAGE.encode("PAYROLL")) + counted(_PAGE.encode("ACCOUNT_CLONE"))
        for change_type, payload in (
            ("DM", b""),
            ("DT", b""),
            ("E", clone),
            ("CO", _PAGE.encode("CREATE TABLE PAYROLL.BONUS (EMPNO CHAR(6))")),
            ("CM", _PAGE.encode("-DISPLAY DATABASE(PAYROLL)")),
            ("SC", _PAGE.encode("STOP DATABASE")),
        ):
            yield from self.records(TABLES[1], shared | {"change_type": change_type}, counted(payload, itself=True))

    def _change(self, table: SampleTable, shared: Mapping[str, Any]) -> Iterator[bytes]:
        change_type = self.chance.choice(("I", "I", "UB", "UB", "D", "IL"))
        images = [
            b"".join(self.value(table, column, self._invented(table, column)) for column in table.columns)
            for _ in range(2 if change_type == "UB" else 1)
        ]
        key = sum(column.length for column in table.columns if column.key)
        images[1:] = [images[0][:key] + image[key:] for image in images[1:]]  # an update is of one row
        data = b"".join(map(counted, images))
        yield from self.records(table, {**shared, "change_type": change_type}, counted(data, itself=True))

    def _invented(self, table: SampleTable, column: SampleColumn) -> Any:
        chance, page = self.chance, table.page(_PAGE)
        if column.nullable and chance.random() < 0.3:
            return None
        when = START - timedelta(days=chance.randrange(9000), seconds=chance.randrange(86400))
        if column.subtype == "B":
            return chance.randbytes(column.length)
        if column.type == "INT":
            return chance.randrange(1 << (8 * column.length - 2))
        if column.type == "DEC":
            return Decimal(chance.randrange(-(10**7), 10**8)).scaleb(-column.scale)
        if column.type == "FLOT":
            return chance.uniform(-1, 1)
        if column.type in ("DATE", "TIME"):
            return when
        if column.type == "DTTM":
            return f"{when:%Y-%m-%d %H:%M:%S}.000123"
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randint(2, 5)))
        if column.length > 10_000:
            body = page.encode(words * chance.choice((1, 1, 1500)))[: column.length]
            return body.decode("utf-8", "ignore").encode()
        if column.key:
            self.keys += 1  # no other row has it, so that no image contradicts another
            words = f"{self.keys:0{column.length}d}"
        encoded = page.encode(words)[: column.length]
        return encoded if column.is_varying else encoded.ljust(column.length, page.encode(" "))


def segment_bytes() -> int:
    """Bytes of DATA up to which a change is one record."""
    return _BLOCK - (catalog.load("bmc_lldf").layout["data"].offset or 0)


def counted(data: bytes, *, itself: bool = False) -> bytes:
    """Data behind its length, which may count itself. All lengths in DATA and row images have the same width."""
    width = front_widths()[1]
    return (len(data) + width * itself).to_bytes(width, "big") + data


def _ids(table: SampleTable) -> dict[str, Any]:
    return {"sysid": _SYSTEM, "dbid": f"{table.dbid:04X}", "tbobid": f"{table.tbobid:04X}"}


def _names(table: SampleTable) -> str:
    """The end of a DTBI record: names behind their lengths, then the short names. Inferred."""
    texts = [(f"TS{table.psid:06d}", 24), (table.owner, 128), (table.name, 128)]
    counted = "".join(f"{len(text):03d}{text:{width}}" for text, width in texts)
    return f"{counted}{table.owner:8.8}{table.name:18.18}"
