"""Bad cases of control records and control files, and of headers that they describe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cases import control as given
from cases import data as changes
from cases.case import LLDF, BadCase, Log, Row
from cases_bad.faulty import bad, error, of_log
from writers.bmc import control, framing, lldf
from writers.bmc.logs import Unit


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from control_records()
    yield from control_files()
    yield from described_headers()


RDW: Row = {"options": {"framing": "rdw"}}


def of_records(name: str, title: str, data: bytes, fault: Row, rows: int, spec: str, **more: Any) -> BadCase:
    """A bad case of control records, on the page of their spec."""
    return bad(name, title, data, fault, rows, spec=spec, doc_ref=given.PAGES[spec], **more)


def of_file(name: str, title: str, log: Log, fault: Row, rows: int, spec: str, **more: Any) -> BadCase:
    """A bad case of changes whose control file has a fault, on the page of the record that has it."""
    return of_log(name, title, log, fault, rows, spec=spec, doc_ref=given.PAGES[spec], **more)


def control_records() -> Iterator[BadCase]:
    """A control record that is damaged."""
    for spec, maker in given.MAKERS.items():
        good, _ = maker()
        framed = framing.framed("rdw", [good, good[:2], good])
        fault = error("LMP-R001", "expected 4 bytes, found 2", framed, 1, field="cntl_record_type", field_offset=0)
        yield of_records("code_cut", "A record that ends inside its code", framed.data, fault, 2, spec, **RDW)
    good, _ = given.dlci()
    framed = framing.framed("rdw", [good, good[:192], good])
    fault = error("LMP-R001", "expected 3 bytes, found 2", framed, 1, field="version", field_offset=190)
    yield of_records("cut", "A DLCI record of less than 193 bytes", framed.data, fault, 2, "bmc_dlci")
    good, _ = given.dicl((1, "A"), (2, "D"))
    framed = framing.framed("rdw", [good, good[:-2], good])
    fault = error("LMP-R001", "ends inside the field", framed, 1, field="dicl_key_info[1].key_col")
    title = "IXCOLRECKEYCOUNT says more key columns than there are"
    yield of_records("key_column_cut", title, framed.data, fault, 2, "bmc_dicl")
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
        title = f"{field.upper()} with {text!r} in it: the row is kept"
        yield of_records("no_number", title, framed.data, fault, 3, spec, **RDW)
    good, _ = given.dlge()
    framed = framing.framed("rdw", [good, good[:16] + b"\x20\x26\x13" + good[19:], good])
    fault = error("LMP-V005", "expected a date, found 2026-13-14", framed, 1, field="end_time", field_offset=16)
    yield of_records("no_time", "ENDTIME with month 13: the row is kept", framed.data, fault, 3, "bmc_dlge", **RDW)


def control_files() -> Iterator[BadCase]:
    """LMP-C: the control file is wrong, or says too little."""

    def log() -> Log:
        log = Log(changes.PLAIN)
        log.insert(changes.FIRST)
        log.insert(changes.SECOND)
        return log

    whole = log().example()
    fault, records = error("LMP-C001", "expected XTYP as the first record"), list(whole.control_records)
    title, given_ = "The data file was given as control file", whole.data_records
    yield of_file("no_control_file", title, log(), fault, 0, "bmc_control", control_records=given_)
    title, turned = "XTYP is not the first record of the control file", [*records[1:], records[0]]
    yield of_file("type_record_not_first", title, log(), fault, 0, "bmc_control", control_records=turned)
    twice = [*records, control.xtyp(ebcdic_single_ccsid=273)]
    framed, last = framing.framed("rdw", twice), len(twice) - 1
    fault = error("LMP-C011", "expected 37, as in record 0, found 273", framed, last, field="ebcdic_single_ccsid")
    title = "Two control files in one: the second XTYP names another code page"
    yield of_file("type_record_twice", title, log(), fault, 0, "bmc_xtyp", control_records=twice)
    other = replace(changes.PLAIN, tbobid=4, name="ITEMS")
    both = Log(changes.PLAIN, other)
    both.insert(changes.FIRST)
    both.insert(changes.FIRST, table=other)
    both.insert(changes.SECOND)
    one = control.for_tables([changes.PLAIN])
    fault = error("LMP-C002", "none for DB2A.0105.0002.0004 (PROD.ITEMS)", record=1, field="tbobid")
    title = "A change of a table without DTBI and DLCI: its bytes are kept in detail"
    yield of_file("table_not_described", title, both, fault, 3, "bmc_dtbi", control_records=one)
    yield from table_versions()
    at = [index for index, record in enumerate(records) if record[:4] == "DLCI".encode("cp037")]
    twice = [*records[: at[0] + 1], *records[at[0] : at[0] + 1], *records[at[1] :]]
    framed = framing.framed("rdw", twice)
    fault = error("LMP-C004", "found NUM and NUM", framed, at[0] + 1, field="ll_column_num")
    title = "Two DLCI records with one LLCOLUMNNUM: the second is named, once"
    yield of_file("column_twice", title, log(), fault, 0, "bmc_dlci", control_records=twice)
    damaged = records[at[0]][:23] + "0000A".encode("cp037") + records[at[0]][28:]
    damaged_file = [*records[: at[0]], damaged, *records[at[0] + 1 :]]
    framed = framing.framed("rdw", damaged_file)
    fault = error("LMP-V008", "0000A", framed, at[0], field="ll_column_len", field_offset=23)
    title = "A control file with a number that is none: its record is named"
    yield of_file("control_file_damaged", title, log(), fault, 0, "bmc_dlci", control_records=damaged_file)
    fault, named = error("LMP-C005", "no change in the log is of a table 'NOSUCH'"), {"table": "NOSUCH"}
    title = "The option names a table that is not in the log"
    yield of_file("no_such_table", title, log(), fault, 0, "bmc_dtbi", options=named, exit=2)
    same = replace(changes.PLAIN, dbid=0x0106)
    two = Log(changes.PLAIN, same)
    two.insert(changes.FIRST)
    two.insert(changes.FIRST, table=same)
    fault, named = error("LMP-C005", "table 'PROD.ORDERS' is ambiguous"), {"table": "PROD.ORDERS"}
    title = "The option names two tables"
    yield of_file("two_tables_of_one_name", title, two, fault, 0, "bmc_dtbi", options=named, exit=2)
    fault, title = (
        error("LMP-C007", "no control file"), "No control file beside the data file names it, and none has its stem"
    )  # fmt: skip
    alone = of_file("no_control_file_beside", title, log(), fault, 0, "bmc_dlds", options={"control": "."})
    yield replace(alone, control=None)


def table_versions() -> Iterator[BadCase]:
    """LMP-C003: no version was in force."""
    old = replace(changes.PLAIN, create_rba="00000000000012345180", drop_rba="00000000000012345280")
    new = replace(changes.PLAIN, sequence=2, create_rba="00000000000012345380")
    log = Log(old, new)
    for _ in range(4):
        log.insert(changes.FIRST, unit=Unit(1, member_id=0))
    fault = error("LMP-C003", "that holds at 00000000000012345100", record=0, field="tbobid")
    title = "Changes before CREATERBA, and between DROPRBA and the next version"
    yield of_file("no_version_in_force", title, log, fault, 4, "bmc_dtbi", more_errors=1)


def described_headers() -> Iterator[BadCase]:
    """XHDF against the data, and headers that it describes."""
    described = partial(of_log, spec="bmc_xhdf", doc_ref=(given.PAGES["bmc_xhdf"], LLDF))

    def log(**options: Any) -> Log:
        log = Log(changes.PLAIN, **options)
        for number in range(3):
            log.insert({**changes.FIRST, "NUM": number})
        return log

    for name, size, header, states, has in (
        ("header_not_described", 277, lldf.described(), "XHDF describes 288 bytes, the headers have 277", (288, 277)),
        ("narrow_header_described", 288, lldf.narrow(),
         "XHDF describes an older header of 235 bytes, the headers have 288", (235, 288)),
    ):  # fmt: skip
        says = f"expected {has[0]}, found {has[1]}"
        fault = error("LMP-C006", says, record=0, field="length", field_offset=0)
        given_log = log() if size == 288 else log(size=size)
        yield described(name, states, given_log, fault, 0, more_errors=2, control_options={"header": header})
    other = log(lines=_moved(lldf.described(), "RID", 8))
    fault = error("LMP-C006", "expected 288, found 296", record=0, field="length", field_offset=0)
    title = "XHDF describes 288 bytes, the headers have 296 with 8 of them inside"
    stated = {"header": lldf.described()}
    yield described("longer_header_inside", title, other, fault, 0, more_errors=2, control_options=stated)
    narrow = {"lines": tuple(lldf.narrow())}
    record = log(**narrow).records[1]
    fault = error("LMP-V004", "expected at most 64, found 235", record=1, field="length", field_offset=0)
    title = "A record that ends inside a field of the header that XHDF describes"
    yield described("described_header_cut_at_64", title, log(**narrow), fault, 2, edit={1: record[:64]})
    truncate = Log(changes.PLAIN, **narrow)
    truncate.insert(changes.FIRST)
    truncate.change("DT")
    truncate.insert(changes.SECOND)
    fault = error("LMP-V004", "expected at most 200, found 235", record=1, field="length", field_offset=0)
    title, edit = (
        "A truncate whose record ends inside the header that XHDF describes", {1: truncate.records[1][:200]}
    )  # fmt: skip
    yield described("described_header_cut_at_200", title, truncate, fault, 2, edit=edit)
    place = 60
    broken = record[:place] + b"\x20\x26\x13" + record[place + 3 :]
    fault = error("LMP-V005", "expected a date, found 2026-13-14", record=1, field="timestamp", field_offset=place)
    title = "TIMESTAMP with month 13 in a header of 235 bytes: it is named at its place there"
    yield described("described_timestamp", title, log(**narrow), fault, 3, edit={1: broken})
    texts = {"lines": tuple(lldf.narrow(timestamps="DTTM26"))}
    record = log(**texts).records[1]
    broken = record[:place] + "14.03.2026".encode("cp037") + record[place + 10 :]
    fault = error("LMP-V006", "14.03.2026", record=1, field="timestamp", field_offset=place)
    title = "TIMESTAMP as text in another form: the row is kept"
    yield described("described_timestamp_text", title, log(**texts), fault, 3, edit={1: broken})
    newer = log(lines=(*lldf.described(), lldf.HeaderField("NEWERTEXT", "CHAR", 4, 288)))
    fault = error("LMP-V007", "found X'70' at byte 3", record=1, field="NEWERTEXT", field_offset=288)
    title = "A byte of a new field, known from XHDF only, that code page 424 does not have: the row is kept"
    edit, page = {1: newer.records[1][:291] + b"\x70" + newer.records[1][292:]}, {"code_page": "cp424"}
    yield described("described_unknown_text", title, newer, fault, 3, edit=edit, options=page)
    says = "expected 10, 17 or 26 bytes, found 12 bytes"
    fault = error("LMP-V010", says, record=0, field="timestamp", field_offset=60)
    title = "XHDF gives TIMESTAMP 12 bytes, a width that no form of it has: the rows are kept"
    wider = log(lines=_wider(lldf.narrow(), "TIMESTAMP", 2))
    yield described("described_width", title, wider, fault, 3, more_errors=2)


def _wider(lines: Sequence[lldf.HeaderField], name: str, by: int) -> tuple[lldf.HeaderField, ...]:
    """A header in which one field is longer, and all behind it stand as much later."""
    wider = [replace(line, length=line.length + by) if line.name == name else line for line in lines]
    return _moved(wider, lines[[line.name for line in lines].index(name) + 1].name, by)


def _moved(lines: Sequence[lldf.HeaderField], name: str, by: int) -> tuple[lldf.HeaderField, ...]:
    """A header in which one field and all behind it stand later."""
    at = next(line.position for line in lines if line.name == name)
    return tuple(replace(line, position=line.position + by) if line.position >= at else line for line in lines)
