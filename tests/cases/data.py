"""Cases of DATA: its halfwords, what each change type has there, segments, and units of recovery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cases.case import DLCI, LLDF, LLDF_TEXT, SEGMENTS, Case, Log, Row
from cases.lldf import DATA, EVERY_FIELD, record
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.logs import Unit
from writers.bmc.rows import Column

PLAIN = Table(
    0x0105,
    0x0002,
    0x0003,
    "PROD",
    "ORDERS",
    (
        Column("NUM", "INT", 4, key_seq=1),
        Column("NAME", "VCHR", 20, nulls="Y", subtype="S"),
        Column("SUM", "DEC", 7, 2, nulls="Y"),
    ),
)
FIRST: Row = {"NUM": 1, "NAME": "first", "SUM": "-0.01"}
SECOND: Row = {"NUM": 2, "NAME": "", "SUM": None}
CHANGED: Row = {"NUM": 1, "NAME": None, "SUM": "0.00"}
TABLE_DATA = (LLDF, LLDF_TEXT)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from interpretation()
    yield from change_types()
    yield from segments()
    yield from units()
    yield from orders()
    yield from headers()
    yield from described_records()
    yield from versions()
    yield from names()
    yield from options()


def three_changes(**options: Any) -> Log:
    """An insert, an update, a delete."""
    log = Log(PLAIN, **options)
    log.insert(FIRST)
    log.change("UB", FIRST, CHANGED)
    log.change("D", SECOND)
    return log


def interpretation() -> Iterator[Case]:
    """The three readings of the halfwords, found by arithmetic and told."""
    words = {
        "total": "a total that counts itself, then each image behind a halfword that leaves itself out",
        "inclusive": "each image behind a halfword that counts itself",
        "exclusive": "each image behind a halfword that leaves itself out",
    }
    for reading, text in words.items():
        log = three_changes(reading=reading)
        yield log.case("bmc_lldf_data", f"reading_{reading}", f"Halfwords of DATA: {text}; found", TABLE_DATA)
        log = three_changes(reading=reading)
        title = f"Halfwords of DATA: {text}; told"
        yield log.case("bmc_lldf_data", f"reading_{reading}_told", title, TABLE_DATA, row_images=reading)
    log = Log(Table(columns=(Column("NUM", "INT", 4), Column("CODE", "CHAR", 2))), reading="total")
    log.insert({"NUM": 0x00040001, "CODE": "AB"})
    title = "One insert whose image begins like a halfword: only the reading that fills the columns is taken"
    yield log.case("bmc_lldf_data", "reading_by_columns", title, TABLE_DATA)


def change_types() -> Iterator[Case]:
    """What DATA holds by CHANGE TYPE."""
    ddl = "CREATE TABLE PROD.NEWTAB (NO INTEGER NOT NULL)"
    log = three_changes()
    log.change("IL", None, SECOND)
    log.change("DM")
    log.change("DT")
    log.change("DR", detail={"change_type": "DR"})
    log.change("E", parts=["PROD", "ORDERS_CLONE"], detail={"clone_owner": "PROD", "clone_name": "ORDERS_CLONE"})
    log.change("CO", parts=[ddl], detail={"text": ddl})
    log.change("CM", parts=["-DIS UTIL(*)"], detail={"text": "-DIS UTIL(*)"})
    log.change("SC", parts=[b"\x00\x01\xff"], detail={"payload": "0001FF"})
    log.change("ZZ", parts=["new"], detail={"change_type": "ZZ", "text": "new"})
    title = "Every listed CHANGE TYPE with what its DATA holds, and one that is not listed"
    said = {"dlds_fields": {"ddl_objects": "Y", "cmds_included": "Y"}}
    yield log.case("bmc_lldf_data", "every_change_type", title, LLDF, control=said)

    log = Log(PLAIN)
    log.change("DM", parts=[b"\xc1\xc2", b"\xc1\xff\xff"], detail={"limit_keys": ["C1C2", "C1FFFF"]})
    log.change("DM")
    title = "Mass deletes: by LOAD REPLACE of a partition with limit keys, and without DATA"
    yield log.case("bmc_lldf_data", "mass_delete", title, LLDF_TEXT)
    log = Log(PLAIN)
    log.insert(FIRST, total_segs=0, seg_num=0)
    yield log.case("bmc_lldf_data", "no_segments", "TOTALSEGS and SEGNUM zero: the record is whole", SEGMENTS)

    for reading in ("inclusive", "exclusive"):
        log = three_changes(reading=reading)
        clone = {"clone_owner": "WAREHOUSE_OWNER", "clone_name": "X"}
        log.change("E", parts=list(clone.values()), detail=clone)
        log.change("DM", parts=[b"\xc1", b"\xc2\xc3"], detail={"limit_keys": ["C1", "C2C3"]})
        title = f"Exchange and limit keys beside row images in the reading {reading}"
        yield log.case("bmc_lldf_data", f"exchange_{reading}", title, LLDF)


def segments() -> Iterator[Case]:
    """An update in three segments, as the page allows for the longest records."""
    orders = {"in_order": (0, 1, 2), "out_of_order": (2, 0, 1), "last_first": (2, 1, 0)}
    for base in (0, 1):
        for word, order in orders.items():
            log = Log(PLAIN, base=base)
            log.insert(FIRST)
            pieces = log.pieces(Unit(1), PLAIN, "UB", FIRST, CHANGED, segments=3)
            between = log.pieces(Unit(2), PLAIN, "I", None, SECOND)
            for rank, index in enumerate(order):
                log.put(*pieces[index])
                if rank == 1:
                    log.put(*between[0])
            told = f"numbered from {base}, {word.replace('_', ' ')}"
            title = f"An update in three segments, {told}, with another record between"
            yield log.case(
                "bmc_lldf_data",
                f"segments_from_{base}_{word}",
                title,
                SEGMENTS,
                control={"dlds_fields": {"segmented": "Y"}},
            )
    log = Log(PLAIN)
    log.change("UB", FIRST, CHANGED, segments=2, seg_len=10)
    said = {"dlds_fields": {"segmented": "Y"}}
    yield log.case(
        "bmc_lldf_data", "segments_two", "Two segments, SEGLEN another length than theirs", SEGMENTS, control=said
    )


def units() -> Iterator[Case]:
    """What became of each unit of recovery, and what is left out."""

    def log() -> Log:
        log = Log(PLAIN)
        row = FIRST
        for number, (unit, disposition, sql) in enumerate(_DISPOSITIONS, 1):
            log.change(
                "I",
                None,
                {**row, "NUM": number},
                unit=Unit(number % 10, disposition=unit),
                log_rec_disp=disposition,
                sql_type=sql,
            )
        return log

    for include in ("committed", "rolled-back", "open", "all"):
        title = (
            f"Units committed, aborted, open; records reversed, undone, taken back to a savepoint: what is {include}"
        )
        yield log().case("bmc_lldf", f"include_{include}", title, LLDF, include=include)
    for code in ("R", "T", "B", "H", ""):
        one = Log(PLAIN)
        one.insert(FIRST, sql_src_type=code)
        yield one.case(
            "bmc_lldf", f"sql_src_type_{code or 'blank'}", f"A change with SQLSRCTYPE {code or 'blank'}", LLDF
        )


_DISPOSITIONS = (
    ("C", "C", "R"),
    ("C", "", ""),
    ("C", "C", "U"),
    ("A", "S", "R"),
    ("C", "S", "R"),
    ("C", "O", "R"),
    ("A", "A", "R"),
    ("", "", "R"),
)
"""UORDISP, LOGRECDISP, SQLTYPE."""


def orders() -> Iterator[Case]:
    """File order and commit order."""
    for order in ("file", "commit"):
        log = Log(PLAIN)
        for number in (3, 1, 2):
            log.insert({**FIRST, "NUM": number}, unit=Unit(number))
            log.insert({**FIRST, "NUM": 10 + number}, unit=Unit(number))
        title = f"Three units that commit in another order than they wrote: in the order of the {order}"
        yield log.case("bmc_lldf", f"order_{order}", title, LLDF, order=order)


def headers() -> Iterator[Case]:
    """Headers that XHDF describes."""
    narrow = tuple(lldf.narrow())
    page = 'BMC AMI Log Master for Db2 13.1, page "Data change header description record (XHDF)", table'
    log = three_changes(lines=narrow)
    title = "An older header of 235 bytes, described by XHDF: 6-byte RBA and LRSN, timestamps of 10 bytes"
    yield log.case("bmc_xhdf", "described_narrow", title, (page, LLDF), edit=_narrow_positions(log))
    log = three_changes(lines=narrow)
    title = "An older header of 235 bytes, described by XHDF, without any lengths between the records"
    edit = _narrow_positions(log)
    yield log.case("bmc_xhdf", "described_narrow_glued", title, (page, LLDF), edit=edit, kind="glued")
    log = three_changes(lines=tuple(lldf.narrow(timestamps="DTTM26")))
    title = "An older header whose timestamps are text, described by XHDF"
    yield log.case("bmc_xhdf", "described_narrow_text_timestamps", title, (page, LLDF), edit=_narrow_positions(log))
    log = three_changes(extra=b"\x01\x02\x03\x04")
    title = "A longer header, whose new field XHDF names"
    yield log.case("bmc_xhdf", "described_longer", title, (page, LLDF))
    for size in (277, 287):
        log = three_changes(size=size)
        yield log.case("bmc_xhdf", f"described_{size}", f"A header of {size} bytes, described by XHDF", (page, LLDF))
        log = three_changes(size=size)
        title = f"A header of {size} bytes without XHDF: the table and LENGTH"
        yield log.case("bmc_lldf", f"without_xhdf_{size}", title, LLDF, control={"describe_header": False})


def described_records() -> Iterator[Case]:
    """Headers that XHDF describes, as records."""
    short = {
        name: value for name, value in EVERY_FIELD.items() if name not in ("reserved", "sql_ri_rba", "page_num_fmt")
    }
    for name in short:
        if name.endswith("lrsn"):
            short[name] = short[name][:14] + "000000"
    short["seg_len"] = 245 + len(DATA) // 2
    dropped = ["SQLRIRBA", "PAGENUMFMT"]
    lines = [
        *lldf.narrow(drop=dropped, order=["SEGNUM", "PLAN"]),
        lldf.HeaderField("ORDERVALUE", "BIN", 4, 228, "U"),
        lldf.HeaderField("NEW NAME", "CHAR", 8, 232),
        lldf.HeaderField("SIGNED", "INT", 2, 240),
        lldf.HeaderField("RAW", "BIN", 3, 242),
    ]
    raw = lldf.header_by(lines, values=short | {"ORDERVALUE": 77, "NEW NAME": "ABC", "SIGNED": -2, "RAW": "0102FF"})
    unknown = {"ORDERVALUE": 77, "NEW NAME": "ABC", "SIGNED": -2, "RAW": "0102FF"}
    row = {"length": 245} | short | {"reserved": "00000000", "sql_ri_rba": None, "page_num_fmt": None}
    page = 'BMC AMI Log Master for Db2 13.1, page "Data change header description record (XHDF)", table'
    yield Case(
        "bmc_lldf",
        "described_by_xhdf",
        "A header described by XHDF: other order, narrow fields, two fields absent, four that are new",
        (page, LLDF),
        framing.rdw([raw + bytes.fromhex(DATA)]),
        [row | unknown | {"data": DATA}],
        control=framing.rdw(control.for_tables([PLAIN], header=lines)),
    )


def _narrow_positions(log: Log) -> dict[int, Row]:
    """RBA and LRSN of 6 bytes come back in their places of 10, so the digits that the short forms lack are zeros."""
    edits = {}
    for number, change in enumerate(log.example().changes):
        position, lrsn, rba, rest = (change["seq"][start:end] for start, end in ((0, 20), (20, 40), (40, 60), (60, 72)))
        short = position[:14] + "000000", lrsn[:14] + "000000", rba
        edits[number] = {"seq": "".join(short) + rest}
    return edits


def versions() -> Iterator[Case]:
    """Versions of one table, told apart by CREATERBA and DROPRBA."""
    old = Table(columns=PLAIN.columns[:1], create_rba="00000000000000000001", drop_rba="00000000000012345180")
    new = Table(columns=PLAIN.columns, sequence=2, create_rba="00000000000012345180", version=2)
    log = Log(old, new)
    unit = Unit(1, member_id=0)
    log.insert({"NUM": 1}, unit=unit)
    log.insert(FIRST, table=new, unit=unit)
    log.insert(SECOND, table=new, unit=unit)
    title = "A table before and after ALTER ADD COLUMN: each change has the columns of the version in force at its RBA"
    yield log.case("bmc_dtbi", "versions", title, control_page_dtbi())
    by_lrsn = replace(old, drop_rba="00DE1234670002000000"), replace(new, create_rba="00DE1234670002000000")
    log = Log(*by_lrsn)
    log.insert({"NUM": 1})
    log.insert(FIRST, table=by_lrsn[1])
    title = "In data sharing the versions of a table are told apart by LRSN"
    yield log.case("bmc_dtbi", "versions_by_lrsn", title, control_page_dtbi())
    log = Log(old, new)
    log.insert({"NUM": 1}, unit=unit)
    log.insert(FIRST, table=new, unit=unit)
    case = log.case("bmc_dtbi", "one_version", "Changes of one version of a table only", control_page_dtbi())
    yield replace(case, rows=case.rows[1:], options={"table": "PROD.ORDERS", "table_version": 2})


def control_page_dtbi() -> str:
    """Where the table of DTBI stands."""
    return 'BMC AMI Log Master for Db2 12.1, page "Table information record (DTBI)", table'


def names() -> Iterator[Case]:
    """Full names from DTBI and DTOB, short ones where nothing proves them."""
    long = Table(
        0x0106, 2, 3, "WAREHOUSE_OWNER", "STOCK_MOVEMENTS_OF_ALL_SITES", PLAIN.columns, short_name="STOCK_MOVEME000001"
    )
    log = Log(long)
    log.insert(FIRST)
    title = "Owner and name longer than the header: in full from the end of DTBI, which their lengths prove"
    yield log.case("bmc_dtbi", "long_names", title, (LLDF, control_page_dtbi()))
    log = Log(long)
    log.insert(FIRST)
    title = "Owner and name longer than the header, DTBI as short as its table: the short forms, and it is said"
    short = {"dtbi_total": control.DTBI_TABLED}
    yield log.case("bmc_dtbi", "short_names", title, (LLDF, control_page_dtbi()), control=short)
    log = Log(long)
    log.insert(FIRST)
    alias = control.dtob(dbid=0x0106, psid=2, obid=3, obj_creator=long.owner, obj_name=long.name)
    title = "Owner and name longer than the header, in full from DTOB, whose lengths prove them"
    page = 'BMC AMI Log Master for Db2 12.1, page "Table synonym and alias record (DTOB)", table'
    names = {"schema_name": long.owner, "table_name": long.name}
    case = log.case("bmc_dtob", "long_names", title, (LLDF, page), control=short | {"extra": [alias]}, edit={0: names})
    full = [{name: value for name, value in row.items() if name != "table_name_short"} for row in case.rows]
    yield replace(case, rows=full)


def options() -> Iterator[Case]:
    """What the options change."""
    log = three_changes()
    case = log.case("bmc_lldf", "operations", "Updates and deletes only", LLDF, operations="U,D")
    yield replace(case, rows=case.rows[1:])
    log = three_changes()
    case = log.case("bmc_lldf", "columns", "One column only", LLDF, columns="SUM")
    sums = [{role: row[role] and {"SUM": row[role]["SUM"]} for role in ("before", "after")} for row in case.rows]
    yield replace(case, rows=[row | sum_ for row, sum_ in zip(case.rows, sums, strict=True)])
    yield with_header()
    for kind in ("bdw", "vbs", "zosmf", "glued"):
        log = three_changes()
        title = f"Data and control file in framing {kind}, both found without being told"
        control_kind = "rdw" if kind == "vbs" else kind
        given = {"piece_sizes": 200} if kind == "vbs" else {}
        yield log.case(
            "bmc_lldf", f"changes_{kind}", title, LLDF, kind=kind, control_kind=control_kind, framing_options=given
        )
    yield Log(PLAIN).case(
        "bmc_lldf", "no_changes", "A data file of no bytes beside its control file: a log without changes", LLDF
    )
    for page in ("273", "1141"):
        yield german_names(page)


def with_header() -> Case:
    """A change with every field of its header."""
    log = Log(PLAIN)
    data = lldf.data_area("I", [log.row_image(PLAIN, FIRST)]).hex().upper()
    raw, row = record(data=data)
    header = {name: value for name, value in row.items() if name != "data"}
    same = ("sql_type", "sql_src_type", "log_rec_disp", "uor_disp", "auth_id", "plan", "correlation_id")
    change = {
        "op": "I",
        "seq": "00DE1234567899000000" + "00DE1234567890AB0000" + "00000000123456789ABC" + "0002" + "00000000",
        "txn_id": "0002" + "00000000000012345000",
        "commit_ts": "2026-03-14T10:11:13.250000",
        "ts": "2026-03-14T10:11:12.000123",
        "schema_name": "PROD",
        "table_name": "ORDERS",
        "before": None,
        "after": FIRST,
        **{name: row[name] for name in same},
        "detail": None,
        "header": header,
        "_metadata": {"record_index": 0, "record_offset": 4, "record_length": len(raw), "spec": "bmc_lldf"},
    }
    case = log.case("bmc_lldf", "with_header", "A change with every field of its header", LLDF, header=True)
    return replace(case, data=framing.rdw([raw]), rows=[change])


def german_names(ccsid: str) -> Case:
    """Names of owner, table and column with umlauts."""
    texts = {"owner": "ÄMTER", "name": "GRÖSSEN", "column": "GRÖSSE§@"}
    raw = {name: text.encode("cp273") for name, text in texts.items()}
    column = Column(
        texts["column"],
        "INT",
        4,
        dlci={"COLUMNNAME": raw["column"].ljust(128, b"\x40"), "COLUMNNAMELEN": len(raw["column"])},
    )
    padded = {name: raw[name].ljust(128, b"\x40") for name in ("owner", "name")}
    lengths = {"TBOWNERLEN": len(raw["owner"]), "TBNAMELEN": len(raw["name"])}
    short = {"SHORTOWNER": padded["owner"][:8], "SHORTNAME": padded["name"][:18]}
    described = {"TBOWNER": padded["owner"], "TBNAME": padded["name"], **lengths, **short}
    table = Table(columns=(column,), dtbi=described)
    log = Log(table)
    header = {"table_owner": raw["owner"].ljust(8, b"\x40"), "table_name": raw["name"].ljust(18, b"\x40")}
    log.insert({texts["column"]: 1}, **header, **lengths)
    names = {"schema_name": texts["owner"], "table_name": texts["name"]}
    title = f"Owner, table and column in German EBCDIC, CCSID {ccsid} as XTYP says: umlauts, § and @"
    pages = {"xtyp_fields": {"ebcdic_single_ccsid": int(ccsid)}}
    return log.case("bmc_dlci", f"german_names_{ccsid}", title, (LLDF, DLCI), control=pages, edit={0: names})
