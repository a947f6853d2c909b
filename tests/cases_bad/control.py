"""Bad cases of control records and control files, and of headers that they describe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cases import control as given
from cases import data as changes
from cases.case import DLCI, LLDF, BadCase, Log
from cases_bad.faulty import bad, error, of_log
from writers.bmc import control, framing, lldf
from writers.bmc.logs import Unit


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from control_records()
    yield from control_files()
    yield from described_headers()


def control_records() -> Iterator[BadCase]:
    """A control record that is damaged."""
    makers = {
        "bmc_xtyp": given.xtyp,
        "bmc_dlds": given.dlds,
        "bmc_dlge": given.dlge,
        "bmc_dtbi": given.dtbi,
        "bmc_dtob": given.dtob,
        "bmc_dcxi": given.dcxi,
        "bmc_dicl": given.dicl,
        "bmc_dlci": given.dlci,
        "bmc_xhdf": given.xhdf,
        "bmc_dlob": given.dlob,
        "bmc_dxml": given.dxml,
        "bmc_dxsf": given.dxsf,
        "bmc_dfid": given.dfid,
        "bmc_dfds": given.dfds,
    }
    for spec, maker in makers.items():
        good, _ = maker()
        framed = framing.framed("rdw", [good, good[:2], good])
        fault = error("LMP-R001", "expected 4 bytes, found 2", framed, 1, field="cntl_record_type", field_offset=0)
        title = "A record that ends inside its code"
        yield bad(
            "code_cut", title, framed.data, fault, 2, spec=spec, doc_ref=given.PAGES[spec], options={"framing": "rdw"}
        )
    good, _ = given.dlci()
    framed = framing.framed("rdw", [good, good[:192], good])
    fault = error("LMP-R001", "expected 3 bytes, found 2", framed, 1, field="version", field_offset=190)
    yield bad("cut", "A DLCI record of less than 193 bytes", framed.data, fault, 2, spec="bmc_dlci", doc_ref=DLCI)
    good, _ = given.dicl((1, "A"), (2, "D"))
    framed = framing.framed("rdw", [good, good[:-2], good])
    fault = error("LMP-R001", "ends inside the field", framed, 1, field="dicl_key_info[1].key_col")
    yield bad(
        "key_column_cut",
        "IXCOLRECKEYCOUNT says more key columns than there are",
        framed.data,
        fault,
        2,
        spec="bmc_dicl",
        doc_ref=given.PAGES["bmc_dicl"],
    )
    yield from control_numbers()


def control_numbers() -> Iterator[BadCase]:
    """LMP-V008: numbers and ids in text that are none; LMP-V005 in DLGE."""
    faults = {
        "bmc_xtyp": (given.xtyp, "ebcdic_single_ccsid", 21, "00O37"),
        "bmc_dtbi": (given.dtbi, "dbid", 8, "01G5"),
        "bmc_dtob": (given.dtob, "obj_name_len", 152, "1-2"),
        "bmc_dcxi": (given.dcxi, "num_cols_in_key", 20, "0 2"),
        "bmc_dicl": (given.dicl, "ix_col_rec_num", 16, "X1"),
        "bmc_dlci": (given.dlci, "ll_column_len", 23, "0000A"),
        "bmc_xhdf": (given.xhdf, "head_field_pos", 32, "00.87"),
        "bmc_dlob": (given.dlob, "dssize", 50, "4 GB"),
        "bmc_dxml": (given.dxml, "base_psid", 76, "000Z"),
    }
    for spec, (maker, field, at, text) in faults.items():
        good, _ = maker()
        raw = text.encode("cp037")
        framed = framing.framed("rdw", [good, good[:at] + raw + good[at + len(raw) :], good])
        fault = error("LMP-V008", text, framed, 1, field=field, field_offset=at)
        yield bad(
            "no_number",
            f"{field.upper()} with {text!r} in it: the row is kept",
            framed.data,
            fault,
            3,
            spec=spec,
            doc_ref=given.PAGES[spec],
            options={"framing": "rdw"},
        )
    good, _ = given.dlge()
    framed = framing.framed("rdw", [good, good[:16] + b"\x20\x26\x13" + good[19:], good])
    fault = error("LMP-V005", "expected a date, found 2026-13-14", framed, 1, field="end_time", field_offset=16)
    yield bad(
        "no_time",
        "ENDTIME with month 13: the row is kept",
        framed.data,
        fault,
        3,
        spec="bmc_dlge",
        doc_ref=given.PAGES["bmc_dlge"],
        options={"framing": "rdw"},
    )


def control_files() -> Iterator[BadCase]:
    """LMP-C: the control file is wrong, or says too little."""
    page = given.PAGES["bmc_control"]

    def log() -> Log:
        log = Log(changes.PLAIN)
        log.insert(changes.FIRST)
        log.insert(changes.SECOND)
        return log

    whole = log().example()
    yield of_log(
        "no_control_file",
        "The data file was given as control file",
        log(),
        error("LMP-C001", "expected XTYP as the first record"),
        0,
        control_records=whole.data_records,
        spec="bmc_control",
        doc_ref=page,
    )
    yield of_log(
        "type_record_not_first",
        "XTYP is not the first record of the control file",
        log(),
        error("LMP-C001", "expected XTYP as the first record"),
        0,
        control_records=[*whole.control_records[1:], whole.control_records[0]],
        spec="bmc_control",
        doc_ref=page,
    )
    twice = [*whole.control_records, control.xtyp(ebcdic_single_ccsid=273)]
    framed, last = framing.framed("rdw", twice), len(twice) - 1
    yield of_log(
        "type_record_twice",
        "Two control files in one: the second XTYP names another code page",
        log(),
        error("LMP-C011", "expected 37, as in record 0, found 273", framed, last, field="ebcdic_single_ccsid"),
        0,
        control_records=twice,
        spec="bmc_xtyp",
        doc_ref=given.PAGES["bmc_xtyp"],
    )
    other = replace(changes.PLAIN, tbobid=4, name="ITEMS")
    both = Log(changes.PLAIN, other)
    both.insert(changes.FIRST)
    both.insert(changes.FIRST, table=other)
    both.insert(changes.SECOND)
    one = control.for_tables([changes.PLAIN])
    yield of_log(
        "table_not_described",
        "A change of a table without DTBI and DLCI: its bytes are kept in detail",
        both,
        error("LMP-C002", "none for DB2A.0105.0002.0004 (PROD.ITEMS)", record=1, field="tbobid"),
        3,
        control_records=one,
        spec="bmc_dtbi",
        doc_ref=given.PAGES["bmc_dtbi"],
    )
    yield from table_versions()
    records = list(whole.control_records)
    at = [index for index, record in enumerate(records) if record[:4] == "DLCI".encode("cp037")]
    twice = [*records[: at[0] + 1], *records[at[0] : at[0] + 1], *records[at[1] :]]
    framed = framing.framed("rdw", twice)
    yield of_log(
        "column_twice",
        "Two DLCI records with one LLCOLUMNNUM: the second is named, once",
        log(),
        error("LMP-C004", "found NUM and NUM", framed, at[0] + 1, field="ll_column_num"),
        0,
        control_records=twice,
        spec="bmc_dlci",
        doc_ref=DLCI,
    )
    damaged = records[at[0]][:23] + "0000A".encode("cp037") + records[at[0]][28:]
    framed = framing.framed("rdw", [*records[: at[0]], damaged, *records[at[0] + 1 :]])
    yield of_log(
        "control_file_damaged",
        "A control file with a number that is none: its record is named",
        log(),
        error("LMP-V008", "0000A", framed, at[0], field="ll_column_len", field_offset=23),
        0,
        control_records=[*records[: at[0]], damaged, *records[at[0] + 1 :]],
        spec="bmc_dlci",
        doc_ref=DLCI,
    )
    yield of_log(
        "no_such_table",
        "The option names a table that is not in the log",
        log(),
        error("LMP-C005", "no change in the log is of a table 'NOSUCH'"),
        0,
        options={"table": "NOSUCH"},
        exit=2,
        spec="bmc_dtbi",
        doc_ref=given.PAGES["bmc_dtbi"],
    )
    same = replace(changes.PLAIN, dbid=0x0106)
    two = Log(changes.PLAIN, same)
    two.insert(changes.FIRST)
    two.insert(changes.FIRST, table=same)
    yield of_log(
        "two_tables_of_one_name",
        "The option names two tables",
        two,
        error("LMP-C005", "table 'PROD.ORDERS' is ambiguous"),
        0,
        options={"table": "PROD.ORDERS"},
        exit=2,
        spec="bmc_dtbi",
        doc_ref=given.PAGES["bmc_dtbi"],
    )
    yield replace(
        of_log(
            "no_control_file_beside",
            "No control file beside the data file names it, and none has its stem",
            log(),
            error("LMP-C007", "no control file"),
            0,
            options={"control": "."},
            spec="bmc_dlds",
            doc_ref=given.PAGES["bmc_dlds"],
        ),
        control=None,
    )


def table_versions() -> Iterator[BadCase]:
    """LMP-C003: no version was in force."""
    old = replace(changes.PLAIN, create_rba="00000000000012345180", drop_rba="00000000000012345280")
    new = replace(changes.PLAIN, sequence=2, create_rba="00000000000012345380")
    log = Log(old, new)
    for _ in range(4):
        log.insert(changes.FIRST, unit=Unit(1, member_id=0))
    yield of_log(
        "no_version_in_force",
        "Changes before CREATERBA, and between DROPRBA and the next version",
        log,
        error("LMP-C003", "that holds at 00000000000012345100", record=0, field="tbobid"),
        4,
        more_errors=1,
        spec="bmc_dtbi",
        doc_ref=given.PAGES["bmc_dtbi"],
    )


def described_headers() -> Iterator[BadCase]:
    """XHDF against the data, and headers that it describes."""
    page = (given.PAGES["bmc_xhdf"], LLDF)

    def log(**options: Any) -> Log:
        log = Log(changes.PLAIN, **options)
        for number in range(3):
            log.insert({**changes.FIRST, "NUM": number})
        return log

    yield of_log(
        "header_not_described",
        "XHDF describes 288 bytes, the headers have 277",
        log(size=277),
        error("LMP-C006", "expected 288, found 277", record=0, field="length", field_offset=0),
        0,
        more_errors=2,
        control_options={"header": lldf.described()},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    yield of_log(
        "narrow_header_described",
        "XHDF describes an older header of 235 bytes, the headers have 288",
        log(),
        error("LMP-C006", "expected 235, found 288", record=0, field="length", field_offset=0),
        0,
        more_errors=2,
        control_options={"header": lldf.narrow()},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    narrow = {"lines": tuple(lldf.narrow())}
    record = log(**narrow).records[1]
    yield of_log(
        "described_header_cut_at_64",
        "A record that ends inside a field of the header that XHDF describes",
        log(**narrow),
        error("LMP-V004", "expected at most 64, found 235", record=1, field="length", field_offset=0),
        2,
        edit={1: record[:64]},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    truncate = Log(changes.PLAIN, **narrow)
    truncate.insert(changes.FIRST)
    truncate.change("DT")
    truncate.insert(changes.SECOND)
    yield of_log(
        "described_header_cut_at_200",
        "A truncate whose record ends inside the header that XHDF describes",
        truncate,
        error("LMP-V004", "expected at most 200, found 235", record=1, field="length", field_offset=0),
        2,
        edit={1: truncate.records[1][:200]},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    place = 60
    broken = record[:place] + b"\x20\x26\x13" + record[place + 3 :]
    yield of_log(
        "described_timestamp",
        "TIMESTAMP with month 13 in a header of 235 bytes: it is named at its place there",
        log(**narrow),
        error("LMP-V005", "expected a date, found 2026-13-14", record=1, field="timestamp", field_offset=place),
        3,
        edit={1: broken},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    texts = {"lines": tuple(lldf.narrow(timestamps="DTTM26"))}
    record = log(**texts).records[1]
    broken = record[:place] + "14.03.2026".encode("cp037") + record[place + 10 :]
    yield of_log(
        "described_timestamp_text",
        "TIMESTAMP as text in another form: the row is kept",
        log(**texts),
        error("LMP-V006", "14.03.2026", record=1, field="timestamp", field_offset=place),
        3,
        edit={1: broken},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    lines = [*lldf.described(), lldf.HeaderField("NEWERTEXT", "CHAR", 4, 288)]
    newer = log(lines=tuple(lines))
    yield of_log(
        "described_unknown_text",
        "A byte of a new field, known from XHDF only, that code page 424 does not have: the row is kept",
        newer,
        error("LMP-V007", "found X'70' at byte 3", record=1, field="NEWERTEXT", field_offset=288),
        3,
        edit={1: newer.records[1][:291] + b"\x70" + newer.records[1][292:]},
        options={"code_page": "cp424"},
        spec="bmc_xhdf",
        doc_ref=page,
    )
    yield of_log(
        "described_width",
        "XHDF gives TIMESTAMP 12 bytes, a width that no form of it has: the rows are kept",
        log(lines=_wider(lldf.narrow(), "TIMESTAMP", 2)),
        error("LMP-V010", "expected 10, 17 or 26 bytes, found 12 bytes", record=0, field="timestamp", field_offset=60),
        3,
        more_errors=2,
        spec="bmc_xhdf",
        doc_ref=page,
    )


def _wider(lines: Sequence[lldf.HeaderField], name: str, by: int) -> tuple[lldf.HeaderField, ...]:
    """A header in which one field is longer, and all behind it stand as much later."""
    at = next(line.position for line in lines if line.name == name)
    moved = [replace(line, position=line.position + by) if line.position > at else line for line in lines]
    return tuple(replace(line, length=line.length + by) if line.name == name else line for line in moved)
