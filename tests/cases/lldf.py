"""Cases of the data change record: its header, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cases.case import LLDF, Case, Row
from writers.bmc import framing, lldf

EVERY_FIELD: Row = {
    "system_id": "DB2A",
    "dbid": 0x0105,
    "psid": 0x0002,
    "tbobid": 0x0003,
    "tbowner_len": 4,
    "tbname_len": 6,
    "dbname": "DBSAMP",
    "tsname": "TSSAMP",
    "table_owner": "PROD",
    "table_name": "ORDERS",
    "partnum": 7,
    "timestamp": "2026-03-14T10:11:12.000123",
    "log_lrsn": "00DE1234567890AB0000",
    "log_rba": "00000000123456789ABC",
    "member_id": 2,
    "rid": "0000001201",
    "change_type": "I",
    "sql_type": "R",
    "log_rec_disp": "C",
    "sql_src_type": "T",
    "log_bytes": 120,
    "log_delta": 33,
    "anomaly_row_id": 5,
    "anomaly_type": "N",
    "anomaly_rba": "000000000000000ABCDE",
    "uor_timestamp": "2026-03-14T10:11:11.500000",
    "uor_commit_timestamp": "2026-03-14T10:11:13.250000",
    "uor_disp": "C",
    "uor_id_lrsn": "00DE1234567880000000",
    "uor_id": "00000000000012345000",
    "total_segs": 1,
    "seg_num": 1,
    "reserved": "00C0FFEE",
    "uor_commit_lrsn": "00DE1234567899000000",
    "uor_commit_point": "00000000123456800000",
    "connection_type": "BA",
    "connect_id": "BATCH",
    "correlation_id": "PAYROLL01",
    "auth_id": "APPUSER",
    "plan": "PLANA",
    "luw_network_id": "NETA",
    "luw_name": "LUDB2A",
    "luw_instance_no": "D1D2D3D4D5D6",
    "luw_sequence_no": 1,
    "incomplete_trans": "Y",
    "incomplete_dep": "N",
    "uor_has_comp": "Y",
    "sql_ri_rba": "0000000000001234ABCD",
    "page_num_fmt": "R",
}
"""A value for each field of the header, none of them zero or blank, in the form that `records` prints."""

DATA = "0008000412345678"
"""DATA of an insert: a total of 8, an image of 4 bytes."""


def record(size: int = 288, extra: str = "", data: str = DATA, **given: Any) -> tuple[bytes, Row]:
    """The bytes of a record and what `records` must print, from values by field id in printed form.

    Args:
        size: bytes of today's header that stand.
        extra: bytes behind today's header, in hex.
        data: DATA in hex.
        **given: fields that differ from EVERY_FIELD.
    """
    return _record(EVERY_FIELD | given, size, extra, data)


def _record(values: Row, size: int, extra: str, data: str) -> tuple[bytes, Row]:
    length = size + len(extra) // 2
    values = {"seg_len": length + len(data) // 2} | values
    raw = lldf.header(size, bytes.fromhex(extra), **values) + bytes.fromhex(data)
    row: Row = {"length": length} | values
    if size < 287:
        row["sql_ri_rba"] = None
    if size < 288:
        row["page_num_fmt"] = None
    if extra:
        row["header_rest"] = extra
    return raw, row | {"data": data}


def case(name: str, title: str, *records: tuple[bytes, Row], **given: Any) -> Case:
    """A case of records, in RDW framing."""
    data = framing.rdw([raw for raw, _ in records])
    return Case("bmc_lldf", name, title, LLDF, data, [row for _, row in records], **given)


def cases() -> Iterator[Case]:
    """All of them."""
    yield case("every_field", "A header with a value in every field, none of them zero or blank", record())
    yield case("nothing_but_zeros", "A header of zeros and blanks: no time is null, text is empty, no data", nothing())
    yield from header_lengths()
    yield from codes()
    yield from values()
    yield from framings()


def nothing() -> tuple[bytes, Row]:
    """A record of zeros and blanks but for its LENGTH and its system, which prove it."""
    zero: dict[str, Any] = {}
    for name, value in EVERY_FIELD.items():
        if name in _CHARACTERS:
            zero[name] = ""
        elif name in _TIMES:
            zero[name] = None
        else:
            zero[name] = 0 if isinstance(value, int) else "0" * len(value)
    return record(data="", **zero | {"system_id": "DB2A", "seg_len": 0})


_TIMES = ("timestamp", "uor_timestamp", "uor_commit_timestamp")
_CHARACTERS = {field.name.replace(" ", "").lower() for field in lldf.HEADER if field.kind == "char"}
_CHARACTERS = {name for name in EVERY_FIELD if name.replace("_", "") in _CHARACTERS}


def header_lengths() -> Iterator[Case]:
    """LENGTH rules: DATA starts there."""
    yield case("length_277", "An older header ends before SQLRIRBA", record(277))
    yield case("length_287", "A header that ends before PAGENUMFMT", record(287))
    yield case("length_288", "Today's header, two records", record(), record(log_rba="00000000123456789ABD"))
    yield case("length_289", "A header that is one byte longer than the table", record(extra="FF"))
    yield case(
        "length_300", "A newer header: 12 bytes behind PAGENUMFMT are kept", record(extra="0102030405060708090A0B0C")
    )
    yield case(
        "length_512",
        "A header of more than a byte's length can say, without DATA",
        record(extra="AB" * 224, data="", change_type="DT"),
    )


#: Every listed code of the table, and one that is not listed. Blank is shown as empty text.
CODES = {
    "change_type": ("UB", "I", "D", "DM", "DT", "DR", "IL", "CO", "E", "CM", "SC", "ZZ", ""),
    "sql_type": ("U", "R", "", "X"),
    "log_rec_disp": ("C", "A", "S", "O", "", "?"),
    "sql_src_type": ("R", "T", "B", "H", "", "Q"),
    "anomaly_type": ("N", "", "X"),
    "uor_disp": ("C", "A", "", "I"),
    "incomplete_trans": ("Y", "N", "", "?"),
    "incomplete_dep": ("Y", "N", "", "?"),
    "uor_has_comp": ("Y", "N", "", "?"),
    "page_num_fmt": ("A", "R", "", "?"),
}


def codes() -> Iterator[Case]:
    """The code fields: what is listed, and that the lists are open."""
    for field, texts in CODES.items():
        title = f"Every listed {field.upper().replace('_', '')}, blank, and one that is not listed: it is no error"
        yield case(f"codes_{field}", title, *(of_unit(n, **{field: text}) for n, text in enumerate(texts)))


NO_COMMIT: Row = {"uor_commit_timestamp": None, "uor_commit_lrsn": "0" * 20, "uor_commit_point": "0" * 20}


def of_unit(number: int, **given: Any) -> tuple[bytes, Row]:
    """A record of a unit of its own, which is committed, or rolled back, or open, with all that goes with it."""
    own = {"uor_id": f"{0x12345000 + number:020X}"}
    if given.get("log_rec_disp") == "A":
        given["uor_disp"] = "A"
    if given.get("uor_commit_timestamp", "") is None:
        given["uor_disp"] = ""
    if given.get("uor_disp", "C") != "C":
        own |= NO_COMMIT
    if given.get("uor_disp") == "A":
        own["log_rec_disp"] = "A"
    return record(**own | given)


def values() -> Iterator[Case]:
    """Values at the edges of their forms."""
    times = (
        "2026-03-14T10:11:12.000000",
        "2026-03-14T10:11:12.123456789",
        "2026-03-14T10:11:12.000123456789012",
        "2026-03-14T10:11:12.00000000000000000001",
        "2026-03-14T10:11:12.00012345678901234567",
        "0001-01-01T00:00:00.000000",
        "9999-12-31T23:59:59.999999",
        "9999-12-31T24:00:00.000000",
        "2024-02-29T00:00:00.000001",
        None,
    )
    title = "Timestamps: six digits, nano, femto, all 20, first and last year, 24:00:00, and all zero, which is null"
    records = (of_unit(number, timestamp=time, uor_commit_timestamp=time) for number, time in enumerate(times))
    yield case("timestamps", title, *records)
    yield case(
        "short_log_positions",
        "6-byte forms inside BIN(10), as footnote 1 places them: LRSN at offset 1, RBA at offset 4",
        _positions(lrsn="CA670FBBF3D3", rba="123456789ABC"),
    )
    yield case(
        "largest_numbers",
        "Every number with all bits set",
        record(
            **dict.fromkeys(("dbid", "psid", "tbobid", "partnum", "member_id", "log_delta", "luw_sequence_no"), 0xFFFF),
            **dict.fromkeys(("log_lrsn", "log_rba", "uor_commit_lrsn", "uor_commit_point"), "FF" * 10),
            **{"log_bytes": 0xFFFFFFFF, "anomaly_row_id": 0xFF, "rid": "FF" * 5, "luw_instance_no": "FF" * 6},
        ),
    )
    yield case(
        "short_names",
        "An owner above 8 and a name above 18 characters: the lengths of the full ones, the short ones beside them",
        record(tbowner_len=15, table_owner="WAREHOUS", tbname_len=28, table_name="STOCK_MOVEME000001"),
    )
    yield from german()


def _positions(lrsn: str, rba: str) -> tuple[bytes, Row]:
    shown_lrsn, shown_rba = "00" + lrsn + "000000", "00000000" + rba
    names = dict.fromkeys(("log_lrsn", "uor_id_lrsn", "uor_commit_lrsn"), shown_lrsn)
    return record(**names, **dict.fromkeys(("log_rba", "uor_id", "uor_commit_point", "anomaly_rba"), shown_rba))


def german() -> Iterator[Case]:
    """Names in German EBCDIC: the same bytes are other characters in other pages."""
    names = {"table_name": "GRÖSSEN§ÄÜ", "auth_id": "MÜLLER$#", "plan": "@ÖL[]{}"}
    raw = {name: text.encode("cp273") for name, text in names.items()}
    widths = {"table_name": 18, "auth_id": 8, "plan": 8}
    padded = {name: value.ljust(widths[name], b"\x40") for name, value in raw.items()}
    record_bytes, row = record()
    record_bytes = lldf.header(
        **EVERY_FIELD | {"tbname_len": len(raw["table_name"]), "seg_len": row["seg_len"]} | padded
    ) + bytes.fromhex(DATA)
    row = row | names | {"tbname_len": len(raw["table_name"])}
    for page in ("273", "IBM01141"):
        yield case(
            f"german_{page.lower()}",
            f"Umlauts, § and @ of a German subsystem, read with code page {page}",
            (record_bytes, row),
            options={"code_page": page},
        )


def framings() -> Iterator[Case]:
    """The same records in each framing, which the bytes prove."""
    records = [record(log_rba=f"{0x123456789ABC + number:020X}") for number in range(3)]
    raws, rows = [raw for raw, _ in records], [row for _, row in records]
    for kind, options in _FRAMINGS.items():
        title = f"Three records in framing {kind}, found without being told"
        yield Case("bmc_lldf", f"framing_{kind}", title, LLDF, framing.framed(kind, raws, **options).data, rows)
    yield Case(
        "bmc_lldf",
        "framing_fixed",
        "Three records of one length, which has to be told",
        LLDF,
        framing.fixed(raws, len(raws[0])),
        rows,
        options={"framing": "fixed", "record_length": len(raws[0])},
    )


_FRAMINGS: dict[str, dict[str, Any]] = {
    "rdw": {},
    "bdw": {"block_size": 700},
    "bdw-extended": {},
    "vbs": {"piece_sizes": 200},
    "bdw-vbs": {"block_size": 400},
    "zosmf": {},
    "glued": {},
}
