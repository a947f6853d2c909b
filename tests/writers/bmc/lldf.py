"""Data change records (LLDF): header, DATA area, and segments.

Source: vendor page "Logical log data file", table "Data change record (LLDF)", and the page "Normal and segmented
logical log record formats". Header lengths other than 288 are not tabled there; the page only says that LENGTH must be
trusted because the header changes between versions. How XHDF describes a header: table of the page "Data change header
description record (XHDF)" as quoted in bmc-logical-log.md 1.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import fields as f
from .fields import Field, FieldValue

Reading = Literal["total", "inclusive", "exclusive"]

#: Table "Data change record (LLDF)": name, decimal offset, length of the definition, form.
HEADER: tuple[Field, ...] = f.table(
    ("LENGTH", 0, 2, "uint"),
    ("SYSTEMID", 2, 4, "char"),
    ("DBID", 6, 2, "uint"),
    ("PSID", 8, 2, "uint"),
    ("TBOBID", 10, 2, "uint"),
    ("TBOWNERLEN", 12, 2, "uint"),
    ("TBNAMELEN", 14, 2, "uint"),
    ("DBNAME", 16, 8, "char"),
    ("TSNAME", 24, 8, "char"),
    ("TABLEOWNER", 32, 8, "char"),
    ("TABLENAME", 40, 18, "char"),
    ("PARTNUM", 58, 2, "uint"),
    ("TIMESTAMP", 60, 17, "ts"),
    ("LOGLRSN", 77, 10, "lrsn"),
    ("LOGRBA", 87, 10, "rba"),
    ("MEMBERID", 97, 2, "uint"),
    ("RID", 99, 5, "bytes"),
    ("CHANGE TYPE", 104, 2, "char"),
    ("SQLTYPE", 106, 1, "char"),
    ("LOGRECDISP", 107, 1, "char"),
    ("SQLSRCTYPE", 108, 1, "char"),
    ("LOGBYTES", 109, 4, "uint"),
    ("LOGDELTA", 113, 2, "uint"),
    ("ANOMALYROWID", 115, 1, "uint"),
    ("ANOMALYTYPE", 116, 1, "char"),
    ("ANOMALYRBA", 117, 10, "rba"),
    ("UORTIMESTAMP", 127, 17, "ts"),
    ("UORCOMMITTIMESTAMP", 144, 17, "ts"),
    ("UORDISP", 161, 1, "char"),
    ("UORIDLRSN", 162, 10, "lrsn"),
    ("UORID", 172, 10, "rba"),
    ("SEGLEN", 182, 2, "uint"),
    ("TOTALSEGS", 184, 2, "uint"),
    ("SEGNUM", 186, 2, "uint"),
    ("RESERVED", 188, 4, "bytes"),
    ("UORCOMMITLRSN", 192, 10, "lrsn"),
    ("UORCOMMITPOINT", 202, 10, "rba"),
    ("CONNECTIONTYPE", 212, 2, "char"),
    ("CONNECTID", 214, 8, "char"),
    ("CORRELATIONID", 222, 12, "char"),
    ("AUTHID", 234, 8, "char"),
    ("PLAN", 242, 8, "char"),
    ("LUWNETWORKID", 250, 8, "char"),
    ("LUWNAME", 258, 8, "char"),
    ("LUWINSTANCENO", 266, 6, "bytes"),
    ("LUWSEQUENCENO", 272, 2, "uint"),
    ("INCOMPLETETRANS", 274, 1, "char"),
    ("INCOMPLETEDEP", 275, 1, "char"),
    ("UORHASCOMP", 276, 1, "char"),
    ("SQLRIRBA", 277, 10, "rba"),
    ("PAGENUMFMT", 287, 1, "char"),
)
HEADER_LENGTH = 288
NAME_OF = {f.key(field.name): field for field in HEADER}

DEFAULTS: dict[str, FieldValue] = {
    "systemid": "DB2A",
    "dbid": 0x0105,
    "psid": 0x0002,
    "tbobid": 0x0003,
    "dbname": "DBSAMP",
    "tsname": "TSSAMP",
    "tableowner": "PROD",
    "tablename": "ORDERS",
    "partnum": 0,
    "timestamp": "2026-03-14T10:11:12.000123",
    "loglrsn": "00DE1234567890AB0000",
    "logrba": "00000000000012345678",
    "memberid": 0,
    "rid": "0000001201",
    "changetype": "I",
    "sqltype": "R",
    "logrecdisp": "C",
    "logbytes": 120,
    "anomalytype": "N",
    "uortimestamp": "2026-03-14T10:11:11.500000",
    "uorcommittimestamp": "2026-03-14T10:11:13.250000",
    "uordisp": "C",
    "uoridlrsn": "00DE1234567880000000",
    "uorid": "00000000000012345000",
    "totalsegs": 1,
    "segnum": 1,
    "uorcommitlrsn": "00DE1234567899000000",
    "uorcommitpoint": "00000000000012346000",
    "connectiontype": "BA",
    "connectid": "BATCH",
    "correlationid": "PAYROLL01",
    "authid": "APPUSER",
    "plan": "PLANA",
    "luwnetworkid": "NETA",
    "luwname": "LUDB2A",
    "luwinstanceno": "D1D2D3D4D5D6",
    "luwsequenceno": 1,
    "incompletetrans": "N",
    "incompletedep": "N",
    "uorhascomp": "N",
    "pagenumfmt": "A",
}


def _values(given: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    """Defaults under the given values, names made equal, lengths of owner and name computed and both cut to place.

    TABLEOWNER longer than 8 is its first 8 bytes; TABLENAME longer than 18 is "a unique, shortened version": here its
    first 18 bytes (pass the short form with `tbname_len` for another one).
    """
    values = {**DEFAULTS, **{f.key(name): value for name, value in given.items()}}
    for name, length_name, width in (("tableowner", "tbownerlen", 8), ("tablename", "tbnamelen", 18)):
        value = values[name]
        if isinstance(value, str):
            values.setdefault(length_name, len(value))
            values[name] = value[:width]
    return values


def header(size: int = HEADER_LENGTH, extra: bytes = b"", **fields: FieldValue) -> bytes:
    """The header of one LLDF record.

    Args:
        size: bytes of today's table that stand: 288; 287 (without PAGENUMFMT), 277 (without SQLRIRBA either), …
        extra: bytes behind them, of a version newer than the table.
        **fields: values by field id (``log_rba``, ``change_type``) or vendor name (``LOGRBA``). Numbers as int, CHAR
            as text (EBCDIC, blank padded) or bytes, timestamps as ISO text, 17 bytes, or None (zeros), RBA and LRSN as
            hexadecimal text or bytes (12 digits are extended to 20), RID and other bytes likewise. LENGTH is the
            length of the result unless given.
    """
    values = _values(fields)
    values.setdefault("length", size + len(extra))
    return f.fill(HEADER, values, HEADER_LENGTH)[:size] + extra


@dataclass(frozen=True)
class HeaderField:
    """One XHDF record's content: HEADFIELDNAME, HEADFIELDTYPE, HEADFIELDSUBTYPE, HEADFIELDLEN, HEADFIELDPOS."""

    name: str
    type: str
    length: int
    position: int
    subtype: str = ""


def _xhdf_type(field: Field) -> tuple[str, str]:
    """HEADFIELDTYPE and HEADFIELDSUBTYPE of a table line: its own words (BIN, CHAR); U where BIN is a number."""
    if field.kind == "char":
        return "CHAR", ""
    return "BIN", "U" if field.kind == "uint" else ""


def described(size: int = HEADER_LENGTH) -> list[HeaderField]:
    """Today's header (or its first `size` bytes) as XHDF describes it; the unnamed reserved bytes are left out."""
    return [
        HeaderField(field.name, *_place(field), _xhdf_type(field)[1])
        for field in HEADER
        if field.end <= size and field.name != "RESERVED"
    ]


def _place(field: Field) -> tuple[str, int, int]:
    return _xhdf_type(field)[0], field.length, field.offset


def narrow(
    *, timestamps: Literal["BIN10", "DTTM26"] = "BIN10", drop: Sequence[str] = (), order: Sequence[str] = ()
) -> list[HeaderField]:
    """An older header: 6-byte RBA and LRSN, timestamps of 10 bytes or of 26 characters, today's order.

    The widths are inferred (bmc-logical-log.md 2.1: 235 bytes when only widths changed); no older table is published.

    Args:
        timestamps: packed digits in 10 bytes, or type DTTM with 26 characters.
        drop: fields (id or vendor name) that the header does not have.
        order: fields to stand first behind LENGTH, in this order.
    """
    dropped = {f.key(name) for name in drop}
    first = {f.key(name): rank for rank, name in enumerate(["LENGTH", *order])}
    lines = [field for field in HEADER if f.key(field.name) not in dropped]
    lines.sort(key=lambda field: first.get(f.key(field.name), len(first)))
    result, position = [], 0
    for field in lines:
        type_, subtype = _xhdf_type(field)
        length = {"rba": 6, "lrsn": 6, "ts": 10}.get(field.kind, field.length)
        if field.kind == "ts" and timestamps == "DTTM26":
            type_, length = "DTTM", 26
        result.append(HeaderField(field.name, type_, length, position, subtype))
        position += length
    return [line for line in result if line.name != "RESERVED"]


def _kind_of(line: HeaderField) -> str:
    """How to encode a described field: by today's table when the name is known there, else by its type."""
    known = NAME_OF.get(f.key(line.name))
    if line.type.strip() == "DTTM":
        return "dttm" if line.length > f.TIMESTAMP_BYTES else "ts"
    if known is not None and line.type.strip() != "INT":
        return known.kind
    return {"CHAR": "char", "INT": "uint"}.get(line.type.strip(), "bytes")


def header_by(
    lines: Sequence[HeaderField], total: int | None = None, values: Mapping[str, FieldValue] | None = None
) -> bytes:
    """A header laid out by XHDF lines in any order, with missing and unknown fields.

    Args:
        lines: the description; fields not in it are left out of the record.
        total: length of the header, by default the end of the last field.
        values: by field id or by the name in the description; unknown names need a value or are zero.
    """
    size = max(line.position + line.length for line in lines) if total is None else total
    all_values = _values(values or {})
    all_values.setdefault("length", size)
    layout = [Field(line.name, line.position, line.length, _kind_of(line)) for line in lines]
    names = {f.key(field.name) for field in layout}
    return f.fill(layout, {name: value for name, value in all_values.items() if name in names}, size)


def halfword(value: int) -> bytes:
    """A two-byte length."""
    return value.to_bytes(2, "big")


#: CHANGE TYPE of the table whose DATA is row images (rows of the entry DATA, "Content: … depends on update type").
WITH_IMAGES = ("UB", "I", "D", "IL", "DM")


def data_area(
    change_type: str, images: Sequence[bytes | str] = (), reading: Reading = "total", *, empty: bytes = b""
) -> bytes:
    """The DATA portion (table entry DATA, offset 288, and the text "Row image" of the page).

    The page contradicts itself on the halfwords, so there are three readings:

    * ``total``: "First 2 bytes … total length of the data segment (including 2-byte length)", then each image behind
      "a two-byte length value that defines the length of the succeeding row image";
    * ``inclusive``: no total; each image behind a halfword that counts itself;
    * ``exclusive``: no total; each image behind a halfword that leaves itself out.

    Args:
        change_type: as in CHANGE TYPE, blanks do not matter.
        images: row images (UB: before, after), limit keys of DM, owner and name of the clone for E (text is EBCDIC),
            one payload for every other type.
        reading: see above. E has no halfword that counts itself: owner and name stand behind their plain lengths.
        empty: the whole DATA when there is no image ("data segments might or might not exist").
    """
    if not images:
        return empty
    parts = [f.text(image, len(image)) if isinstance(image, str) else image for image in images]
    code = change_type.strip()
    if code in WITH_IMAGES:
        body = b"".join(halfword(len(part) + (2 if reading == "inclusive" else 0)) + part for part in parts)
    elif code == "E":
        body = b"".join(halfword(len(part)) + part for part in parts)
    else:
        body = b"".join(parts)
    return halfword(len(body) + 2) + body if reading == "total" else body


def any_header(
    values: Mapping[str, FieldValue],
    *,
    size: int = HEADER_LENGTH,
    extra: bytes = b"",
    lines: Sequence[HeaderField] | None = None,
) -> bytes:
    """A header laid out by `lines` when given (see `header_by`), else by today's table (see `header`)."""
    if lines is not None:
        return header_by(lines, values=values) + extra
    given: dict[str, Any] = dict(values)
    return header(size, extra, **given)


def record(
    data: bytes = b"",
    *,
    size: int = HEADER_LENGTH,
    extra: bytes = b"",
    lines: Sequence[HeaderField] | None = None,
    **fields: Any,
) -> bytes:
    """A whole record in one segment: header (see `any_header`) and DATA, SEGLEN the length of both unless given."""
    given = {f.key(name): value for name, value in fields.items()}
    head = len(any_header(given, size=size, extra=extra, lines=lines))
    return any_header({"seglen": head + len(data), **given}, size=size, extra=extra, lines=lines) + data


def change(
    change_type: str = "I",
    images: Sequence[bytes | str] = (),
    reading: Reading = "total",
    **fields: FieldValue,
) -> bytes:
    """A whole record from its change type and images, with today's header."""
    data = data_area(change_type, images, reading)
    given: dict[str, Any] = {f.key(name): value for name, value in fields.items()}
    return record(data, **{"changetype": change_type, **given})


def segmented(
    header_fields: Mapping[str, FieldValue],
    data: bytes,
    capacity: int,
    base: Literal[0, 1] = 1,
    *,
    size: int = HEADER_LENGTH,
    extra: bytes = b"",
    lines: Sequence[HeaderField] | None = None,
) -> list[bytes]:
    """A record divided into segments (page "Normal and segmented logical log record formats").

    "Each record begins with a logical log header": the header is repeated; DATA is one byte stream cut at `capacity`
    bytes (inferred). TOTALSEGS, SEGNUM, and SEGLEN, the length of
    the segment's record, are set, each may be given.

    Args:
        header_fields: as for `header`.
        data: the whole DATA, halfwords included.
        capacity: DATA bytes of one segment.
        base: SEGNUM of the first segment (not stated by the pages).
        size: as for `header`.
        extra: as for `header`.
        lines: as for `any_header`.
    """
    pieces = [data[start : start + capacity] for start in range(0, len(data), capacity)] or [b""]
    given = {f.key(name): value for name, value in header_fields.items()}
    head = len(any_header(given, size=size, extra=extra, lines=lines))
    result = []
    for index, piece in enumerate(pieces):
        segment = {"seglen": head + len(piece), "totalsegs": len(pieces), "segnum": base + index}
        result.append(any_header({**segment, **given}, size=size, extra=extra, lines=lines) + piece)
    return result
