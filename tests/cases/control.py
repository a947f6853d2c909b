"""Cases of the control records: each table, the codes in it, shorter and longer records, unlisted ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from cases.case import DLCI, Case, Row, control_page
from writers.bmc import control, framing

Made = tuple[bytes, Row]

PAGES = {
    "bmc_control": control_page("Logical log control file"),
    "bmc_xtyp": control_page("Type record (XTYP)"),
    "bmc_dlds": control_page("Logical log data set record (DLDS)", "13.1"),
    "bmc_dlge": control_page("Log information end record (DLGE)"),
    "bmc_dtbi": control_page("Table information record (DTBI)"),
    "bmc_dtob": control_page("Table synonym and alias record (DTOB)"),
    "bmc_dcxi": control_page("Clustering index information record (DCXI)", "13.1"),
    "bmc_dicl": control_page("Index column description record (DICL)"),
    "bmc_dlci": DLCI,
    "bmc_xhdf": control_page("Data change header description record (XHDF)", "13.1"),
    "bmc_dlob": control_page("LOB column description record (DLOB)", "13.1"),
    "bmc_dxml": control_page("XML column description record (DXML)"),
    "bmc_dxsf": control_page("XMLSTRING data set name record (DXSF)"),
    "bmc_dfid": control_page("Filter ID record (DFID)", "13.1"),
    "bmc_dfds": control_page("Filter description record (DFDS)"),
    "bmc_unlisted": control_page("Logical log control file"),
}

# A value for each field of each record, none of them zero or blank, in the form that `records` prints.

XTYP: Row = {
    "cntl_record_type": "XTYP",
    "cntl_file_type": "DB2",
    "cntl_file_type_version": "V1210",
    "cntl_file_sysid": "DB2A",
    "sql_delimiter": "'",
    "mixed": "Y",
    "decimal_point": ",",
    "ebcdic_single_ccsid": 37,
    "ebcdic_double_ccsid": 16684,
    "ebcdic_mixed_ccsid": 1399,
    "ascii_single_ccsid": 819,
    "ascii_double_ccsid": 301,
    "ascii_mixed_ccsid": 943,
    "unicode_single_ccsid": 367,
    "unicode_double_ccsid": 1200,
    "unicode_mixed_ccsid": 1208,
}
DLDS: Row = {
    "cntl_record_type": "DLDS",
    "orig_data_dsname": "PROD.LOGMAST.DATA.G0001V00",
    "record_format": "VB",
    "date_format": "DB2I",
    "expand_var": "Y",
    "segmented": "N",
    "ddl_objects": "Y",
    "lobs_included": "N",
    "xml_included": "Y",
    "xmlstring_included": "N",
    "merged": "Y",
    "cmds_included": "N",
}
DLGE: Row = {
    "cntl_record_type": "DLGE",
    "end_rba": "00000000123456789ABC",
    "reserved1": "0001",
    "end_time": "2026-03-14T12:00:00.000123456789012",
    "reserved2": "000203",
    "dependent_rba": "00000000123456000000",
    "reserved3": "0405",
}
DTBI: Row = {
    "cntl_record_type": "DTBI",
    "sysid": "DB2A",
    "dbid": "0105",
    "psid": "00AB",
    "tbobid": "FFFE",
    "object_type": "TB",
    "db2_num_col": 12,
    "db2_max_row_len": 4056,
    "ll_num_col": 11,
    "ll_max_row_len": 4100,
    "row_type": "V",
    "sequence_number": 3,
    "create_rba": "00000000123456000000",
    "reserved1": "0001",
    "drop_rba": "00000000123457000000",
    "reserved2": "0203",
    "encoding_scheme": "E",
    "editproc_name_len": 7,
    "editproc_name": "EDITORD",
    "dbname_len": 6,
    "dbname": "DBSAMP",
}
DTOB: Row = {
    "cntl_record_type": "DTOB",
    "sysid": "DB2A",
    "dbid": "0105",
    "psid": "0002",
    "obid": "0003",
    "obj_type": "A",
    "obj_creator_len": 15,
    "obj_creator": "WAREHOUSE_OWNER",
    "obj_name_len": 28,
    "obj_name": "STOCK_MOVEMENTS_OF_ALL_SITES",
}
DCXI: Row = {
    "cntl_record_type": "DCXI",
    "sysid": "DB2A",
    "dbid": "0105",
    "psid": "0007",
    "tbobid": "0003",
    "num_cols_in_key": 2,
    "sequence_number": 1,
    "type": "2",
    "ix_creator_len": 4,
    "ix_creator": "PROD",
    "ix_name_len": 8,
    "ix_name": "XORDERS1",
}
DICL: Row = {
    "cntl_record_type": "DICL",
    "sysid": "DB2A",
    "dbid": "0105",
    "psid": "0007",
    "ix_col_rec_num": 1,
    "ix_col_rec_key_count": 2,
    "num_key_columns": 2,
    "sequence_number": 1,
    "dicl_key_info": [{"key_col": 1, "key_col_order": "A"}, {"key_col": 12, "key_col_order": "D"}],
}
DLCI_ROW: Row = {
    "cntl_record_type": "DLCI",
    "sysid": "DB2A",
    "dbid": "0105",
    "tbobid": "0003",
    "ll_column_num": 4,
    "ll_column_type": "DEC",
    "ll_column_len": 5,
    "ll_scale": 2,
    "ll_nulls": "Y",
    "ll_column_pos": 21,
    "ll_column_subtype": "B",
    "key_seq": 1,
    "key_ordering": "A",
    "db2_row_bytes": 6,
    "fldproc_bytes": 6,
    "loglog_bytes": 6,
    "sequence_number": 1,
    "column_name_len": 6,
    "column_name": "AMOUNT",
    "version": 2,
}
XHDF: Row = {
    "cntl_record_type": "XHDF",
    "head_field_name": "LOGRBA",
    "head_field_type": "BIN",
    "head_field_subtype": "U",
    "head_field_len": 10,
    "head_field_pos": 87,
}
DXML: Row = {
    "cntl_record_type": "DXML",
    "nologging": "Y",
    "nullcol": "Y",
    "dbname": "DBSAMP",
    "tsname": "XMLTS1",
    "base_tsname": "TSSAMP",
    "npart": 4,
    "dsnum": 5,
    "pgsize": "16K",
    "dssize": 4194304,
    "dbid": "0105",
    "psid": "0009",
    "obid": "000A",
    "base_dbid": "0105",
    "base_psid": "0002",
    "base_obid": "0003",
}
DLOB: Row = DXML | {"cntl_record_type": "DLOB", "tsname": "LOBTS1", "base_obid": "0003", "tb_creator": "PROD"}
DXSF: Row = {"cntl_record_type": "DXSF", "dsname": "PROD.LOGMAST.XMLSTR"}
DFID: Row = {
    "cntl_record_type": "DFID",
    "filter_user_id": "AUDITOR1",
    "filter_name": "ORDERS_OF_MARCH",
    "filter_id": 7,
    "date_format": "ISO",
}
DFDS: Row = {"cntl_record_type": "DFDS", "filter_id": 7, "description": "All changes of ORDERS in March"}


def made(encode: Callable[..., bytes], base: Row, **given: Any) -> Made:
    """The bytes of a record and what `records` must print, from values by field id in printed form.

    Args:
        encode: the encoder's function of the record.
        base: values of all fields.
        **given: values that differ.
    """
    row = base | given
    others = ("cntl_record_type", "dicl_key_info", "num_key_columns")
    fields = {name: value for name, value in row.items() if name not in others}
    return encode(**{name: _as_given(name, value) for name, value in fields.items()}), row


def _as_given(name: str, value: Any) -> Any:
    """Numbers that are blank are shown as null."""
    return "" if value is None and name not in ("end_time",) else value


def dicl(*keys: tuple[int, str], **given: Any) -> Made:
    """A DICL record with key columns."""
    rows = [{"key_col": number, "key_col_order": order} for number, order in keys]
    row = DICL | {"ix_col_rec_key_count": len(keys), "num_key_columns": len(keys), "dicl_key_info": rows} | given
    fields = {name: row[name] for name in ("sysid", "dbid", "psid", "ix_col_rec_num", "sequence_number")}
    return control.dicl(keys, **fields), row


def dtbi(total: int = control.DTBI_TABLED, **given: Any) -> Made:
    """A DTBI record as far as its table goes."""
    return made(lambda **fields: control.dtbi(total, **fields), DTBI, **given)


def dxml(**given: Any) -> Made:
    """A DXML record as far as its table goes, and BASEOBID."""
    raw, row = made(lambda **fields: control.dxml(84, **fields), DXML, **given)
    return raw[: control.DXML_TABLED], {name: value for name, value in row.items() if name != "base_obid"}


xtyp = partial(made, control.xtyp, XTYP)
dlds = partial(made, control.dlds, DLDS)
dlge = partial(made, control.dlge, DLGE)
dtob = partial(made, control.dtob, DTOB)
dcxi = partial(made, control.dcxi, DCXI)
dixi = partial(made, control.dixi, DCXI | {"cntl_record_type": "DIXI"})
dlci = partial(made, control.dlci, DLCI_ROW)
xhdf = partial(made, control.xhdf, XHDF)
dlob = partial(made, control.dlob, DLOB)
dxsf = partial(made, control.dxsf, DXSF)
dfid = partial(made, control.dfid, DFID)
dfds = partial(made, control.dfds, DFDS)
MAKERS: dict[str, Callable[..., Made]] = {
    "bmc_xtyp": xtyp, "bmc_dlds": dlds, "bmc_dlge": dlge, "bmc_dtbi": dtbi, "bmc_dtob": dtob, "bmc_dcxi": dcxi,
    "bmc_dicl": dicl, "bmc_dlci": dlci, "bmc_xhdf": xhdf, "bmc_dlob": dlob, "bmc_dxml": dxml, "bmc_dxsf": dxsf,
    "bmc_dfid": dfid, "bmc_dfds": dfds,
}  # fmt: skip
"""What makes a record of each spec, from values that differ from those above."""


def unlisted(code: str, payload: str) -> Made:
    """A record whose table is not published: code, and payload in hex."""
    row = {"cntl_record_type": code, "payload": payload}
    return control.unknown(code, bytes.fromhex(payload)), row


def longer(record: Made, rest: str) -> Made:
    """A record of a later release: more behind its last field, in hex."""
    raw, row = record
    return raw + bytes.fromhex(rest), row | {"rest": rest}


def shorter(record: Made, total: int, *, absent: str, rest: str = "") -> Made:
    """A record that ends early.

    Args:
        record: the whole one.
        total: bytes that are there.
        absent: id of the first field that is not there, or not all of it.
        rest: hex of what is there of that field.
    """
    raw, row = record
    names = list(row)
    gone = dict.fromkeys(names[names.index(absent) :])
    return raw[:total], row | gone | ({"rest": rest} if rest else {})


def case(spec: str, name: str, title: str, *records: Made, **given: Any) -> Case:
    """A case of control records, in RDW framing."""
    given.setdefault("doc_ref", PAGES[spec])
    data = framing.rdw([raw for raw, _ in records])
    return Case(spec=spec, name=name, title=title, data=data, rows=[row for _, row in records], **given)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from every_field()
    yield from codes()
    yield from column_codes()
    yield from lengths()
    yield from whole_files()


def every_field() -> Iterator[Case]:
    """Each record with a value in every field of its table."""
    records = {spec: [maker()] for spec, maker in MAKERS.items()} | {
        "bmc_dlge": [dlge(), dlge(end_time=None, dependent_rba="0" * 20)],
        "bmc_dcxi": [dcxi(), dixi()],
        "bmc_dicl": [dicl((1, "A"), (12, "D"))],
        "bmc_dfid": [dfid(), *(dfid(filter_id=9999, date_format=x) for x in ("USA", "EUR", "JIS", ""))],
        "bmc_dfds": [dfds(), dfds(filter_id=9999, description="")],
        "bmc_unlisted": [unlisted("DTSI", "0105F1"), unlisted("DCLI", ""), unlisted("DCL2", "FF")],
    }
    for spec, given in records.items():
        title = "A value in every field of the table, none of them zero or blank"
        if spec == "bmc_unlisted":
            title = "Codes that the vendor names without a table: code and bytes are kept"
        yield case(spec, "every_field", title, *given, options={"framing": "rdw"})


def codes() -> Iterator[Case]:
    """Code fields: what is listed, blank, and what is not listed."""
    flags = [name for name in DLDS if name.endswith(("_included", "_objects", "var", "segmented", "merged"))]
    types = [xhdf(head_field_type=x, head_field_subtype="") for x in ("BIN", "CHAR", "INT", "DTTM", "PACK")]
    keys = [dicl((1, "A"), (2, "D"), (3, "R")), dicl(), dicl(*((number, "A") for number in range(1, 100)))]
    shown: dict[tuple[str, str], tuple[str, list[Made]]] = {
        ("bmc_xtyp", "mixed"): ("MIXED Y, N, blank, and unlisted", [xtyp(mixed=x) for x in YES_OR_NO]),
        ("bmc_dlds", "flags"): (
            "Every flag Y, N, blank, and unlisted", [dlds(**dict.fromkeys(flags, flag)) for flag in YES_OR_NO]),
        ("bmc_dtbi", "row_type"): (
            "ROWTYPE V, F, blank, and unlisted", [dtbi(row_type=x) for x in ("V", "F", "", "?")]),
        ("bmc_dtbi", "encoding_scheme"): (
            "ENCODINGSCHEME A, E, U, blank, and unlisted", [dtbi(encoding_scheme=x) for x in ("A", "E", "U", "", "M")]),
        ("bmc_dtob", "obj_type"): ("OBJTYPE S, A, and unlisted", [dtob(obj_type=x) for x in ("S", "A", "?")]),
        ("bmc_dicl", "key_col_order"): ("KEYCOLORDER A, D, and unlisted; no key column at all; 99 of them", keys),
        ("bmc_xhdf", "head_field_type"): (
            "HEADFIELDTYPE as listed and not, HEADFIELDSUBTYPE U and blank", [*types, xhdf()]),
        **{(spec, "flags"): ("NOLOGGING and NULLCOL Y, N, blank, and unlisted",
                             [MAKERS[spec](nologging=x, nullcol=x) for x in YES_OR_NO])
           for spec in ("bmc_dlob", "bmc_dxml")},
    }  # fmt: skip
    for (spec, name), (title, records) in shown.items():
        yield case(spec, f"codes_{name}", title, *records)


YES_OR_NO = ("Y", "N", "", "?")
TYPES = {
    "CHAR": 8, "DEC": 5, "INT": 4, "DTTM": 26, "FLOT": 8, "VCHR": 40, "GRPH": 8, "VGRF": 20, "DATE": 10, "TIME": 8,
    "LVCH": 32700, "LVGR": 32700, "BLOB": 0, "CLOB": 0, "DBCL": 0, "ROWI": 17, "DTTZ": 32, "DECF": 16,
}  # fmt: skip
"""Every listed LLCOLUMNTYPE, and one that is not listed, with a length."""


def column_codes() -> Iterator[Case]:
    """The code fields of DLCI."""
    types = [dlci(ll_column_type=type_, ll_column_len=length) for type_, length in TYPES.items()]
    yield case("bmc_dlci", "codes_ll_column_type", "Every listed LLCOLUMNTYPE, and one that is not listed", *types)
    listed: Mapping[str, tuple[str, ...]] = {
        "ll_nulls": ("Y", "N", "L", "", "?"),
        "ll_column_subtype": ("B", "S", "M", "I", "D", "", "?"),
        "key_ordering": ("A", "D", "", "?"),
    }
    for field, texts in listed.items():
        title = f"Every listed {field.upper().replace('_', '')}, blank, and one that is not listed"
        yield case("bmc_dlci", f"codes_{field}", title, *(dlci(**{field: text}) for text in texts))
    yield case(
        "bmc_dlci",
        "numbers",
        "Numbers in text: zeros, the largest, -1 behind a varying column, and blank, which is null",
        dlci(ll_column_num=0, ll_scale=0, ll_column_pos=0, key_seq=0, version=0),
        dlci(ll_column_num=999, ll_column_len=99999, ll_scale=99, ll_column_pos=99999, key_seq=999, version=999),
        dlci(ll_column_pos=-1),
        dlci(ll_scale=None, ll_column_pos=None, key_seq=None, version=None),
    )


def lengths() -> Iterator[Case]:
    """Records of other releases: shorter ones, and longer ones with bytes that are kept."""
    yield case(
        "bmc_xtyp",
        "shorter",
        "A record may end before any field but the first, and inside one",
        xtyp(),
        shorter(xtyp(), 61, absent="unicode_mixed_ccsid"),
        shorter(xtyp(), 18, absent="sql_delimiter"),
        shorter(xtyp(), 4, absent="cntl_file_type"),
        shorter(xtyp(), 23, absent="ebcdic_single_ccsid", rest="F0F0"),
    )
    yield case(
        "bmc_dtbi",
        "shorter",
        "DTBI to EDITPROCNAME, to the end of its ids, and cut inside CREATERBA",
        dtbi(),
        shorter(dtbi(), 94, absent="dbname_len"),
        shorter(dtbi(), 20, absent="object_type"),
        shorter(dtbi(), 46, absent="create_rba", rest="00000000"),
    )
    yield case(
        "bmc_dlge",
        "shorter",
        "DLGE cut inside ENDTIME, and with bytes behind its table",
        dlge(),
        shorter(dlge(), 20, absent="end_time", rest="20260314"),
        longer(dlge(), "0102"),
    )
    rest = "C1C2C340"
    records = {spec: maker() for spec, maker in MAKERS.items() if spec != "bmc_dlge"} | {"bmc_dicl": dicl((1, "A"))}
    for spec, record in records.items():
        title = "Bytes behind the last field of the table are kept; beside it a record that ends there"
        yield case(spec, "longer", title, longer(record, rest), record)


def whole_files() -> Iterator[Case]:
    """Control files, XTYP first, read as what they are."""
    every = [
        xtyp(), dlds(), dtbi(), dtob(), dixi(), dcxi(), dicl((1, "A")), dlci(), xhdf(), dlob(), dxml(), dxsf(), dfid(),
        dfds(), unlisted("DTSI", "0105"), unlisted("DCLI", "F0F0F1"), unlisted("DCL2", ""), unlisted("QQ9X", "00FF40"),
        dlge(),
    ]  # fmt: skip
    yield case(
        "bmc_control", "every_record", "Every record there is, three known by code only, and an invented one", *every
    )
    for kind in ("bdw", "zosmf", "glued"):
        given = [record for record in every if record[1]["cntl_record_type"] != "QQ9X"]
        raws = [raw for raw, _ in given]
        rows = [row for _, row in given]
        title = f"A control file in framing {kind}, found without being told"
        options = {"block_size": 400} if kind == "bdw" else {}
        data = framing.framed(kind, raws, **options).data
        yield Case("bmc_control", f"framing_{kind}", title, PAGES["bmc_control"], data, rows)
    yield from german()


def german() -> Iterator[Case]:
    """Names in German EBCDIC."""
    name = "GRÖSSE§ÄÜ@"
    for page in ("cp273", "cp1141"):
        raw = name.encode("cp273")  # 1141 differs from 273 in the euro sign only, X'9F'
        column = dlci()
        bytes_ = control.dlci(
            **{**_plain(DLCI_ROW), "column_name": raw.ljust(128, b"\x40"), "column_name_len": len(raw)}
        )
        row = column[1] | {"column_name": name, "column_name_len": len(raw)}
        delimiter = (
            control.xtyp(**_plain(XTYP) | {"ebcdic_single_ccsid": int(page[2:])}),
            XTYP | {"ebcdic_single_ccsid": int(page[2:])},
        )
        yield case(
            "bmc_control",
            f"german_{page}",
            f"A column name with umlauts, § and @, read with code page {page}",
            delimiter,
            (bytes_, row),
            options={"code_page": page},
        )
        yield case(
            "bmc_control",
            f"german_{page}_by_xtyp",
            f"A column name with umlauts, § and @: XTYP says {page}, and nothing else does",
            delimiter,
            (bytes_, row),
        )


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "cntl_record_type"}
