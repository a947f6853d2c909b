"""Records of the control file.

Source: the vendor's page of each record, quoted with offsets in bmc-logical-log.md section 1 (the table is named at
each block), and the seed page "Logical log column information record (DLCI)". Where a page is cut, the tail is inferred
and marked so; `total` cuts a record there or elsewhere.

Each function takes fields by vendor name in any spelling (``cntl_file_sys_id``, ``CNTLFILESYSID``); numbers are written
as digits with leading zeros, object ids given as numbers as four hexadecimal digits, text blank padded in EBCDIC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import fields as f
from . import lldf
from .fields import EBCDIC_BLANK, Field, FieldValue
from .lldf import HeaderField
from .rows import Column

DecLength = Literal["bytes", "precision"]
Options = Mapping[str, FieldValue]

#: bmc-logical-log.md 1.1; UNICODEMIXEDCCSID at 61 is inferred by pattern, what follows is unknown.
XTYP = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("CNTLFILETYPE", 4, 4, "char"),
    ("CNTLFILETYPEVERSION", 8, 6, "char"),
    ("CNTLFILESYSID", 14, 4, "char"),
    ("SQLDELIMITER", 18, 1, "char"),
    ("MIXED", 19, 1, "char"),
    ("DECIMALPOINT", 20, 1, "char"),
    ("EBCDICSINGLECCSID", 21, 5, "digits"),
    ("EBCDICDOUBLECCSID", 26, 5, "digits"),
    ("EBCDICMIXEDCCSID", 31, 5, "digits"),
    ("ASCIISINGLECCSID", 36, 5, "digits"),
    ("ASCIIDOUBLECCSID", 41, 5, "digits"),
    ("ASCIIMIXEDCCSID", 46, 5, "digits"),
    ("UNICODESINGLECCSID", 51, 5, "digits"),
    ("UNICODEDOUBLECCSID", 56, 5, "digits"),
    ("UNICODEMIXEDCCSID", 61, 5, "digits"),
)

#: bmc-logical-log.md 1.2 (13.1; 12.1 is cut before MERGED); what follows 67 is unknown.
DLDS = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("ORIGDATADSNAME", 4, 44, "char"),
    ("RECORDFORMAT", 48, 3, "char"),
    ("DATEFORMAT", 51, 8, "char"),
    ("EXPANDVAR", 59, 1, "char"),
    ("SEGMENTED", 60, 1, "char"),
    ("DDLOBJECTS", 61, 1, "char"),
    ("LOBSINCLUDED", 62, 1, "char"),
    ("XMLINCLUDED", 63, 1, "char"),
    ("XMLSTRINGINCLUDED", 64, 1, "char"),
    ("MERGED", 65, 1, "char"),
    ("CMDSINCLUDED", 66, 1, "char"),
)

#: bmc-logical-log.md 1.4, total 48.
DLGE = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("ENDRBA", 4, 10, "rba"),
    ("RESERVED1", 14, 2, "bytes"),
    ("ENDTIME", 16, 17, "ts"),
    ("RESERVED2", 33, 3, "bytes"),
    ("DEPENDENTRBA", 36, 10, "rba"),
    ("RESERVED3", 46, 2, "bytes"),
)

#: bmc-logical-log.md 1.5 to offset 120; the first reserved field is at 52 (its decimal 54 is a misprint). From 121 on
#: inferred: lengths of three digits before padded names, then SHORTOWNER and SHORTNAME (named on the LLDF page).
DTBI = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("SYSID", 4, 4, "char"),
    ("DBID", 8, 4, "hextext"),
    ("PSID", 12, 4, "hextext"),
    ("TBOBID", 16, 4, "hextext"),
    ("OBJECTTYPE", 20, 2, "char"),
    ("DB2NUMCOL", 22, 3, "digits"),
    ("DB2MAXROWLEN", 25, 5, "digits"),
    ("LLNUMCOL", 30, 3, "digits"),
    ("LLMAXROWLEN", 33, 5, "digits"),
    ("ROWTYPE", 38, 1, "char"),
    ("SEQUENCENUMBER", 39, 3, "digits"),
    ("CREATERBA", 42, 10, "rba"),
    ("RESERVED1", 52, 2, "bytes"),
    ("DROPRBA", 54, 10, "rba"),
    ("RESERVED2", 64, 2, "bytes"),
    ("ENCODINGSCHEME", 66, 1, "char"),
    ("EDITPROCNAMELEN", 67, 3, "digits"),
    ("EDITPROCNAME", 70, 24, "char"),
    ("DBNAMELEN", 94, 3, "digits"),
    ("DBNAME", 97, 24, "char"),
    ("TSNAMELEN", 121, 3, "digits"),
    ("TSNAME", 124, 24, "char"),
    ("TBOWNERLEN", 148, 3, "digits"),
    ("TBOWNER", 151, 128, "char"),
    ("TBNAMELEN", 279, 3, "digits"),
    ("TBNAME", 282, 128, "char"),
    ("SHORTOWNER", 410, 8, "char"),
    ("SHORTNAME", 418, 18, "char"),
)
DTBI_TABLED, DTBI_TO_EDITPROC, DTBI_INFERRED = 121, 97, 436

#: bmc-logical-log.md 1.6, total 283.
DTOB = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("SYSID", 4, 4, "char"),
    ("DBID", 8, 4, "hextext"),
    ("PSID", 12, 4, "hextext"),
    ("OBID", 16, 4, "hextext"),
    ("OBJTYPE", 20, 1, "char"),
    ("OBJCREATORLEN", 21, 3, "digits"),
    ("OBJCREATOR", 24, 128, "char"),
    ("OBJNAMELEN", 152, 3, "digits"),
    ("OBJNAME", 155, 128, "char"),
)

#: bmc-logical-log.md 1.7, total 289; DIXI is the same but for its code.
DCXI = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("SYSID", 4, 4, "char"),
    ("DBID", 8, 4, "hextext"),
    ("PSID", 12, 4, "hextext"),
    ("TBOBID", 16, 4, "hextext"),
    ("NUMCOLSINKEY", 20, 3, "digits"),
    ("SEQUENCENUMBER", 23, 3, "digits"),
    ("TYPE", 26, 1, "char"),
    ("IXCREATORLEN", 27, 3, "digits"),
    ("IXCREATOR", 30, 128, "char"),
    ("IXNAMELEN", 158, 3, "digits"),
    ("IXNAME", 161, 128, "char"),
)

#: bmc-logical-log.md 1.8; KEYCOL C3 and KEYCOLORDER C1 follow IXCOLRECKEYCOUNT times from 23.
DICL = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("SYSID", 4, 4, "char"),
    ("DBID", 8, 4, "hextext"),
    ("PSID", 12, 4, "hextext"),
    ("IXCOLRECNUM", 16, 2, "digits"),
    ("IXCOLRECKEYCOUNT", 18, 2, "digits"),
    ("SEQUENCENUMBER", 20, 3, "digits"),
)

#: Seed page "Logical log column information record (DLCI)", total 193. VERSION stands at decimal 190 (hex BE); the
#: printed hex B4 does not fit the total.
DLCI = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("SYSID", 4, 4, "char"),
    ("DBID", 8, 4, "hextext"),
    ("TBOBID", 12, 4, "hextext"),
    ("LLCOLUMNNUM", 16, 3, "digits"),
    ("LLCOLUMNTYPE", 19, 4, "char"),
    ("LLCOLUMNLEN", 23, 5, "digits"),
    ("LLSCALE", 28, 2, "digits"),
    ("LLNULLS", 30, 1, "char"),
    ("LLCOLUMNPOS", 31, 5, "digits"),
    ("LLCOLUMNSUBTYPE", 36, 1, "char"),
    ("KEYSEQ", 37, 3, "digits"),
    ("KEYORDERING", 40, 1, "char"),
    ("DB2ROWBYTES", 41, 5, "digits"),
    ("FLDPROCBYTES", 46, 5, "digits"),
    ("LOGLOGBYTES", 51, 5, "digits"),
    ("SEQUENCENUMBER", 56, 3, "digits"),
    ("COLUMNNAMELEN", 59, 3, "digits"),
    ("COLUMNNAME", 62, 128, "char"),
    ("VERSION", 190, 3, "digits"),
)

#: bmc-logical-log.md 1.10, total 37.
XHDF = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("HEADFIELDNAME", 4, 18, "char"),
    ("HEADFIELDTYPE", 22, 4, "char"),
    ("HEADFIELDSUBTYPE", 26, 1, "char"),
    ("HEADFIELDLEN", 27, 5, "digits"),
    ("HEADFIELDPOS", 32, 5, "digits"),
)

#: bmc-logical-log.md 1.11; cut from 212. DXML (1.12) is the same to 80, its rest inferred.
DLOB = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("NOLOGGING", 4, 1, "char"),
    ("NULLCOL", 5, 1, "char"),
    ("DBNAME", 6, 8, "char"),
    ("TSNAME", 14, 8, "char"),
    ("BASETSNAME", 22, 8, "char"),
    ("NPART", 30, 5, "digits"),
    ("DSNUM", 35, 5, "digits"),
    ("PGSIZE", 40, 10, "char"),
    ("DSSIZE", 50, 10, "digits"),
    ("DBID", 60, 4, "hextext"),
    ("PSID", 64, 4, "hextext"),
    ("OBID", 68, 4, "hextext"),
    ("BASEDBID", 72, 4, "hextext"),
    ("BASEPSID", 76, 4, "hextext"),
    ("BASEOBID", 80, 4, "hextext"),
    ("TBCREATOR", 84, 128, "char"),
)
DXML_TABLED = 80

#: bmc-logical-log.md 1.13, total 48.
DXSF = f.table(("CNTLRECORDTYPE", 0, 4, "char"), ("DSNAME", 4, 44, "char"))

#: Log Master 13.1, "Filter ID record (DFID)", total 37.
DFID = f.table(
    ("CNTLRECORDTYPE", 0, 4, "char"),
    ("FILTERUSERID", 4, 8, "char"),
    ("FILTERNAME", 12, 18, "char"),
    ("FILTERID", 30, 4, "digits"),
    ("DATEFORMAT", 34, 3, "char"),
)

#: Log Master 12.1, "Filter description record (DFDS)", total 72.
DFDS = f.table(("CNTLRECORDTYPE", 0, 4, "char"), ("FILTERID", 4, 4, "digits"), ("DESCRIPTION", 8, 64, "char"))


def _record(
    layout: tuple[Field, ...],
    code: str,
    defaults: Options,
    given: Options,
    total: int | None = None,
    names: Sequence[tuple[str, str]] = (),
) -> bytes:
    """Bytes of a control record: `given` over `defaults`, lengths of the `names` (length field, name field) computed.

    Bytes behind the table, when `total` asks for them, are blank.
    """
    values: dict[str, FieldValue] = {"cntlrecordtype": code}
    values.update({f.key(name): value for name, value in [*defaults.items(), *given.items()]})
    for length_name, name in names:
        value = values.get(f.key(name))
        if value is None or isinstance(value, (str, bytes)):
            values.setdefault(f.key(length_name), len(value or ""))
    size = max(line.end for line in layout) if total is None else total
    return f.fill(layout, values, size, EBCDIC_BLANK)


def xtyp(total: int | None = None, **fields: FieldValue) -> bytes:
    """XTYP, type record (1.1): 66 bytes as far as known, `total` 61 for what the page shows."""
    defaults: Options = {
        "CNTLFILETYPE": "DB2",
        "CNTLFILETYPEVERSION": "V1210",
        "CNTLFILESYSID": "DB2A",
        "SQLDELIMITER": "'",
        "MIXED": "N",
        "DECIMALPOINT": ".",
        "EBCDICSINGLECCSID": 37,
        "EBCDICDOUBLECCSID": 65534,
        "EBCDICMIXEDCCSID": 65534,
        "ASCIISINGLECCSID": 819,
        "ASCIIDOUBLECCSID": 65534,
        "ASCIIMIXEDCCSID": 65534,
        "UNICODESINGLECCSID": 367,
        "UNICODEDOUBLECCSID": 1200,
        "UNICODEMIXEDCCSID": 1208,
    }
    return _record(XTYP, "XTYP", defaults, fields, total)


def dlds(total: int | None = None, **fields: FieldValue) -> bytes:
    """DLDS, logical log data set record (1.2): 67 bytes as far as known."""
    flags = ("EXPANDVAR", "SEGMENTED", "DDLOBJECTS", "LOBSINCLUDED")
    more_flags = ("XMLINCLUDED", "XMLSTRINGINCLUDED", "MERGED", "CMDSINCLUDED")
    defaults: Options = {
        "ORIGDATADSNAME": "PROD.LOGMAST.DATA",
        "RECORDFORMAT": "VB",
        "DATEFORMAT": "DB2I",
        **dict.fromkeys(flags + more_flags, "N"),
    }
    return _record(DLDS, "DLDS", defaults, fields, total)


def dlge(**fields: FieldValue) -> bytes:
    """DLGE, log information end record (1.4), 48 bytes."""
    defaults: Options = {"ENDRBA": "00DEFFFFFFFFFFFFFFFF", "ENDTIME": "2026-03-14T12:00:00"}
    return _record(DLGE, "DLGE", defaults, fields)


def dtbi(total: int = DTBI_INFERRED, **fields: FieldValue) -> bytes:
    """DTBI, table information record (1.5).

    Args:
        total: 436 with the inferred tail (TSNAME, TBOWNER, TBNAME behind three-digit lengths, SHORTOWNER, SHORTNAME),
            121 up to DBNAME as tabled, 97 up to DBNAMELEN.
        **fields: by vendor name.
    """
    defaults: Options = {
        "SYSID": "DB2A",
        "DBID": 0x0105,
        "PSID": 2,
        "TBOBID": 3,
        "OBJECTTYPE": "TB",
        "DB2NUMCOL": 1,
        "DB2MAXROWLEN": 100,
        "LLNUMCOL": 1,
        "LLMAXROWLEN": 100,
        "ROWTYPE": "F",
        "SEQUENCENUMBER": 1,
        "ENCODINGSCHEME": "E",
        "EDITPROCNAMELEN": 0,
        "DBNAME": "DBSAMP",
        "TSNAME": "TSSAMP",
        "TBOWNER": "PROD",
        "TBNAME": "ORDERS",
        "SHORTOWNER": "PROD",
        "SHORTNAME": "ORDERS",
    }
    names = [("DBNAMELEN", "DBNAME"), ("TSNAMELEN", "TSNAME"), ("TBOWNERLEN", "TBOWNER"), ("TBNAMELEN", "TBNAME")]
    return _record(DTBI, "DTBI", defaults, fields, total, names)


def dtob(**fields: FieldValue) -> bytes:
    """DTOB, table synonym and alias record (1.6), 283 bytes."""
    defaults: Options = {
        "SYSID": "DB2A",
        "DBID": 0x0105,
        "PSID": 2,
        "OBID": 3,
        "OBJTYPE": "A",
        "OBJCREATOR": "PROD",
        "OBJNAME": "ORDERS_ALIAS",
    }
    return _record(DTOB, "DTOB", defaults, fields, None, [("OBJCREATORLEN", "OBJCREATOR"), ("OBJNAMELEN", "OBJNAME")])


def _index(code: str, fields: Options) -> bytes:
    defaults: Options = {
        "SYSID": "DB2A",
        "DBID": 0x0105,
        "PSID": 7,
        "TBOBID": 3,
        "NUMCOLSINKEY": 1,
        "SEQUENCENUMBER": 1,
        "TYPE": "2",
        "IXCREATOR": "PROD",
        "IXNAME": "XORDERS1",
    }
    return _record(DCXI, code, defaults, fields, None, [("IXCREATORLEN", "IXCREATOR"), ("IXNAMELEN", "IXNAME")])


def dixi(**fields: FieldValue) -> bytes:
    """DIXI, index information record (layout by reference to DCXI, 1.7), 289 bytes."""
    return _index("DIXI", fields)


def dcxi(**fields: FieldValue) -> bytes:
    """DCXI, clustering index information record (1.7), 289 bytes."""
    return _index("DCXI", fields)


def dicl(key_columns: Sequence[tuple[int, str]] = ((1, "A"),), **fields: FieldValue) -> bytes:
    """DICL, index column description record (1.8): 23 bytes and four for each (KEYCOL, KEYCOLORDER)."""
    defaults: Options = {
        "SYSID": "DB2A",
        "DBID": 0x0105,
        "PSID": 7,
        "IXCOLRECNUM": 1,
        "IXCOLRECKEYCOUNT": len(key_columns),
        "SEQUENCENUMBER": 1,
    }
    keys = b"".join(f.digits(number, 3) + f.text(order, 1) for number, order in key_columns)
    return _record(DICL, "DICL", defaults, fields) + keys


def dlci(total: int | None = None, **fields: FieldValue) -> bytes:
    """DLCI, logical log column information record (seed page), 193 bytes or `total`."""
    defaults: Options = {
        "SYSID": "DB2A",
        "DBID": 0x0105,
        "TBOBID": 3,
        "LLCOLUMNNUM": 1,
        "LLCOLUMNTYPE": "CHAR",
        "LLCOLUMNLEN": 8,
        "LLSCALE": 0,
        "LLNULLS": "N",
        "LLCOLUMNPOS": 0,
        "KEYSEQ": 0,
        "DB2ROWBYTES": 8,
        "FLDPROCBYTES": 8,
        "LOGLOGBYTES": 8,
        "SEQUENCENUMBER": 1,
        "COLUMNNAME": "COL1",
        "VERSION": 1,
    }
    return _record(DLCI, "DLCI", defaults, fields, total, [("COLUMNNAMELEN", "COLUMNNAME")])


def xhdf(line: HeaderField | None = None, **fields: FieldValue) -> bytes:
    """XHDF, data change header description record (1.10), 37 bytes, of a described field or of given fields."""
    line = line or HeaderField("LENGTH", "BIN", 2, 0, "U")
    defaults: Options = {
        "HEADFIELDNAME": line.name,
        "HEADFIELDTYPE": line.type,
        "HEADFIELDSUBTYPE": line.subtype,
        "HEADFIELDLEN": line.length,
        "HEADFIELDPOS": line.position,
    }
    return _record(XHDF, "XHDF", defaults, fields)


def _large(code: str, total: int | None, fields: Options) -> bytes:
    defaults: Options = {
        "NOLOGGING": "N",
        "NULLCOL": "Y",
        "DBNAME": "DBSAMP",
        "TSNAME": "LOBTS1",
        "BASETSNAME": "TSSAMP",
        "NPART": 0,
        "DSNUM": 1,
        "PGSIZE": "4K",
        "DSSIZE": 4194304,
        "DBID": 0x0105,
        "PSID": 9,
        "OBID": 10,
        "BASEDBID": 0x0105,
        "BASEPSID": 2,
        "BASEOBID": 3,
        "TBCREATOR": "PROD",
    }
    return _record(DLOB, code, defaults, fields, total)


def dlob(total: int | None = None, **fields: FieldValue) -> bytes:
    """DLOB, LOB column description record (1.11): 212 bytes as far as known."""
    return _large("DLOB", total, fields)


def dxml(total: int | None = None, **fields: FieldValue) -> bytes:
    """DXML, XML column description record (1.12): tabled to 80, then inferred like DLOB to 212."""
    return _large("DXML", total, fields)


def dxsf(**fields: FieldValue) -> bytes:
    """DXSF, XMLSTRING data set name record (1.13), 48 bytes."""
    return _record(DXSF, "DXSF", {"DSNAME": "PROD.LOGMAST.XMLSTR"}, fields)


def dfid(**fields: FieldValue) -> bytes:
    """DFID, filter ID record, 37 bytes."""
    defaults: Options = {
        "FILTERUSERID": "AUDITOR1",
        "FILTERNAME": "ORDERS_OF_MARCH",
        "FILTERID": 7,
        "DATEFORMAT": "ISO",
    }
    return _record(DFID, "DFID", defaults, fields)


def dfds(**fields: FieldValue) -> bytes:
    """DFDS, filter description record, 72 bytes."""
    return _record(DFDS, "DFDS", {"FILTERID": 7, "DESCRIPTION": "All changes of ORDERS in March"}, fields)


def unknown(code: str, payload: bytes | str = b"") -> bytes:
    """A record whose table is not published (DTSI, DCLI, DCL2, …): four characters and a payload (text is EBCDIC)."""
    return f.text(code, 4) + (payload.encode(f.EBCDIC) if isinstance(payload, str) else payload)


@dataclass(frozen=True)
class Table:
    """A table, or one version of it.

    Attributes:
        dbid: with `psid` and `tbobid` the identity of the table.
        psid: table space id.
        tbobid: table id.
        owner: full owner name.
        name: full table name.
        columns: in COLNO order.
        sequence: SEQUENCENUMBER, the version counter.
        create_rba: CREATERBA, zeros unless given.
        drop_rba: DROPRBA, zeros unless given.
        encoding_scheme: E, A, or U.
        dbname: database name.
        tsname: table space name.
        short_owner: SHORTOWNER, the first 8 characters unless given.
        short_name: SHORTNAME, the first 18 characters unless given.
        version: VERSION of the column records.
        sysid: subsystem.
        dtbi: fields of the DTBI record that stand instead of the computed ones, by vendor name.
    """

    dbid: int = 0x0105
    psid: int = 2
    tbobid: int = 3
    owner: str = "PROD"
    name: str = "ORDERS"
    columns: tuple[Column, ...] = ()
    sequence: int = 1
    create_rba: str | None = None
    drop_rba: str | None = None
    encoding_scheme: str = "E"
    dbname: str = "DBSAMP"
    tsname: str = "TSSAMP"
    short_owner: str | None = None
    short_name: str | None = None
    version: int = 1
    sysid: str = "DB2A"
    dtbi: Options = field(default_factory=dict)

    @property
    def owner8(self) -> str:
        """Owner as it stands in the header."""
        return self.short_owner or self.owner[:8]

    @property
    def name18(self) -> str:
        """Name as it stands in the header."""
        return self.short_name or self.name[:18]

    @property
    def header_fields(self) -> dict[str, FieldValue]:
        """The fields of an LLDF header that name this table."""
        return {
            "system_id": self.sysid,
            "dbid": self.dbid,
            "psid": self.psid,
            "tbobid": self.tbobid,
            "tbowner_len": len(self.owner),
            "tbname_len": len(self.name),
            "dbname": self.dbname,
            "tsname": self.tsname,
            "table_owner": self.owner8,
            "table_name": self.name18,
        }


def _merged(*layers: Options) -> dict[str, FieldValue]:
    """Fields in any spelling of their names, later layers over earlier ones."""
    return {f.key(name): value for layer in layers for name, value in layer.items()}


def table_record(table: Table, total: int = DTBI_INFERRED, **fields: FieldValue) -> bytes:
    """The DTBI record of a table; LLMAXROWLEN is the sum of LOGLOGBYTES (inferred)."""
    width = sum(column.loglog_bytes for column in table.columns)
    values: dict[str, FieldValue] = {
        "SYSID": table.sysid,
        "DBID": table.dbid,
        "PSID": table.psid,
        "TBOBID": table.tbobid,
        "DB2NUMCOL": len(table.columns),
        "DB2MAXROWLEN": width,
        "LLNUMCOL": len(table.columns),
        "LLMAXROWLEN": width,
        "ROWTYPE": "V" if any(column.variable for column in table.columns) else "F",
        "SEQUENCENUMBER": table.sequence,
        "CREATERBA": table.create_rba,
        "DROPRBA": table.drop_rba,
        "ENCODINGSCHEME": table.encoding_scheme,
        "DBNAME": table.dbname,
        "TSNAME": table.tsname,
        "TBOWNER": table.owner,
        "TBNAME": table.name,
        "SHORTOWNER": table.owner8,
        "SHORTNAME": table.name18,
    }
    return dtbi(total, **_merged(values, table.dtbi, fields))


def column_positions(columns: Sequence[Column], base: int = 0) -> list[int]:
    """LLCOLUMNPOS of each column: its offset up to and including the first variable column, then -1 (DLCI table).

    The page does not say where DATA's offsets start; `base` is the position of the first column. A position is that of
    the column's null byte when it has one.
    """
    positions, position, behind = [], base, False
    for column in columns:
        positions.append(-1 if behind else position)
        position += column.loglog_bytes
        behind = behind or column.variable
    return positions


def column_length(column: Column, dec_length: DecLength = "bytes") -> int:
    """LLCOLUMNLEN: bytes of the value; for DEC its bytes or its digits (not stated).

    For LOB it is what stands in the record (0 unless the column says otherwise): "length of the column in the logical
    log file", and five digits could not hold the column's own length.
    """
    if column.type == "DEC" and dec_length == "precision":
        return column.size
    return column.max_bytes


def column_records(
    table: Table,
    *,
    dec_length: DecLength = "bytes",
    pos_base: int = 0,
    total: int | None = None,
    fields: Options | None = None,
) -> list[bytes]:
    """The DLCI records of a table, one a column, numbered from 1."""
    result = []
    positions = column_positions(table.columns, pos_base)
    for number, (column, position) in enumerate(zip(table.columns, positions, strict=True), 1):
        values: dict[str, FieldValue] = {
            "SYSID": table.sysid,
            "DBID": table.dbid,
            "TBOBID": table.tbobid,
            "LLCOLUMNNUM": number,
            "LLCOLUMNTYPE": column.type,
            "LLCOLUMNLEN": column_length(column, dec_length),
            "LLSCALE": column.scale,
            "LLNULLS": column.nulls,
            "LLCOLUMNPOS": position,
            "LLCOLUMNSUBTYPE": column.subtype,
            "KEYSEQ": column.key_seq,
            "KEYORDERING": column.ordering or ("A" if column.key_seq else ""),
            "DB2ROWBYTES": column.loglog_bytes,
            "FLDPROCBYTES": column.loglog_bytes,
            "LOGLOGBYTES": column.loglog_bytes,
            "SEQUENCENUMBER": table.sequence,
            "COLUMNNAME": column.name,
            "VERSION": table.version,
        }
        result.append(dlci(total, **_merged(values, fields or {}, column.dlci)))
    return result


def index_records(table: Table) -> list[bytes]:
    """DIXI and DICL of the key that KEYSEQ describes, none when no column has one."""
    keyed = sorted(
        (column.key_seq, number, column.ordering or "A")
        for number, column in enumerate(table.columns, 1)
        if column.key_seq
    )
    if not keyed:
        return []
    identity: Options = {
        "SYSID": table.sysid,
        "DBID": table.dbid,
        "PSID": 0x0100 + table.tbobid,
        "SEQUENCENUMBER": table.sequence,
    }
    name = f"X{table.name}"[:128]
    index = dixi(**identity, tbobid=table.tbobid, num_cols_in_key=len(keyed), ix_creator=table.owner, ix_name=name)
    return [index, dicl([(number, order) for _, number, order in keyed], **identity)]


def for_tables(
    tables: Sequence[Table],
    *,
    xtyp_fields: Mapping[str, Any] | None = None,
    dlds_fields: Mapping[str, Any] | None = None,
    dtbi_total: int = DTBI_INFERRED,
    dlci_fields: Options | None = None,
    dlci_total: int | None = None,
    dec_length: DecLength = "bytes",
    pos_base: int = 0,
    header: Sequence[HeaderField] | None = None,
    describe_header: bool = True,
    indexes: bool = True,
    extra: Sequence[bytes] = (),
) -> list[bytes]:
    """A control file: XTYP, DLDS, then for each table DTBI, index and column records, XHDF, DLGE.

    Args:
        tables: the tables.
        xtyp_fields: fields of XTYP, or its `total`.
        dlds_fields: fields of DLDS, or its `total`.
        dtbi_total: length of DTBI, see `dtbi`.
        dlci_fields: fields for every DLCI.
        dlci_total: length of DLCI when longer than tabled.
        dec_length: unit of LLCOLUMNLEN for DEC.
        pos_base: see `column_positions`.
        header: description of the data file's header, today's when None.
        describe_header: whether there are XHDF records at all.
        indexes: whether there are index records.
        extra: records to stand before DLGE (DTOB, DLOB, unknown ones, …).
    """
    records = [xtyp(**(xtyp_fields or {})), dlds(**(dlds_fields or {}))]
    for table in tables:
        records.append(table_record(table, dtbi_total))
        records += index_records(table) if indexes else []
        records += column_records(table, dec_length=dec_length, pos_base=pos_base, total=dlci_total, fields=dlci_fields)
    if describe_header:
        records += [xhdf(line) for line in (lldf.described() if header is None else header)]
    return [*records, *extra, dlge()]
