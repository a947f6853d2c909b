"""Bad cases of row images: a column whose bytes are no value of its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cases.case import DLCI, LLDF_TEXT, BadCase, Raw
from cases_bad.faulty import error, of_log, three_inserts
from writers.bmc import lldf
from writers.bmc.rows import Column


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from columns()


def columns() -> Iterator[BadCase]:
    """LMP-V in a column: the row is kept where the others can be read."""
    yes = Column("A", "CHAR", 2, nulls="Y")
    log = three_inserts(Column("N", "INT", 4), yes, rows=[{"N": number, "A": "xy"} for number in range(3)])
    record = log.records[1]
    yield of_log(
        "null_indicator",
        "A null indicator that is neither X'00' nor X'FF'",
        log,
        error("LMP-V001", "found 64", record=1, field="after.A.null_indicator"),
        2,
        edit={1: record[:-3] + b"\x40" + record[-2:]},
        spec="bmc_row_image",
        doc_ref=LLDF_TEXT,
    )
    log = three_inserts(Column("V", "VCHR", 5, nulls="Y"), rows=[{"V": "abc"}, {"V": "xyz"}, {"V": None}])
    record = log.records[1]
    image = record[-6:]
    yield of_log(
        "length_of_column",
        "A varying column longer than LLCOLUMNLEN",
        log,
        error("LMP-V004", "expected at most 5, found 6", record=1, field="after.V.len_value"),
        2,
        edit={1: record[:288] + lldf.data_area("I", [image[:1] + b"\x00\x06" + image[3:] + image[3:]])},
        spec="bmc_row_image",
        doc_ref=DLCI,
    )
    yield of_log(
        "null_with_length",
        "A null varying column whose length is not zero",
        log,
        error("LMP-V001", "expected 0, found 3", record=1, field="after.V", field_offset=1),
        3,
        edit={1: record[:-6] + b"\xff" + record[-5:]},
        spec="bmc_row_image",
        doc_ref=LLDF_TEXT,
    )
    log = three_inserts(
        Column("N", "INT", 4), Column("A", "CHAR", 2, nulls="Y"), Column("B", "VCHR", 300, nulls="Y", subtype="B"),
        rows=[{"N": number, "A": "xy", "B": b"z"} for number in range(3)],
    )  # fmt: skip
    image = bytes(3) + b"\1" + b"\xff" + b"\0\1\0" + b"\0\xfe" + b"z" * 254
    yield of_log(
        "null_in_two_ways",
        "A null column of fixed length: the columns fill the image with and without its bytes",
        log,
        error("LMP-R015", "fill the row image in several ways", record=1, field="after"),
        2,
        edit={1: log.records[1][:288] + lldf.data_area("I", [image])},
        spec="bmc_row_image",
        doc_ref=LLDF_TEXT,
    )
    yield from column_values()


def column_values() -> Iterator[BadCase]:
    """A column whose bytes are no value of its type."""
    faults: dict[str, tuple[Column, bytes, str, str]] = {
        "dec_digit": (Column("D", "DEC", 5, 2), bytes.fromhex("0A123C"), "LMP-V002", "digit 2 is 0xA"),
        "dec_sign": (Column("D", "DEC", 5, 2), bytes.fromhex("001234"), "LMP-V002", "sign 0x4"),
        "dec_blank": (Column("D", "DEC", 5, 2), b"\x40\x40\x40", "LMP-V002", "expected packed decimal"),
        "date": (Column("D", "DATE"), "2026-02-30".encode("cp037"), "LMP-V006", "found '2026-02-30'"),
        "date_of_zeros": (Column("D", "DATE"), bytes(10), "LMP-V006", "expected date as yyyy-mm-dd"),
        "time": (Column("D", "TIME"), "24.00.01".encode("cp037"), "LMP-V006", "found '24.00.01'"),
        "timestamp": (
            Column("D", "DTTM", 26),
            "2026-03-14 10:11:12.000123".encode("cp037"),
            "LMP-V006",
            "expected timestamp as yyyy-mm-dd-hh.mm.ss.ffffff",
        ),
        "timestamp_tz": (
            Column("D", "DTTZ", 25),
            "2026-03-14-10.11.12+14:01".encode("cp037"),
            "LMP-V006",
            "expected offset from -12:59 to +14:00",
        ),
        "utf8": (Column("D", "VCHR", 4), b"a\xc3", "LMP-V007", "found X'C3' at byte 1"),
        "utf16": (Column("D", "VGRF", 4), b"\xd8\x00", "LMP-V007", "expected text in utf-16-be"),
    }
    good: dict[str, Any] = {
        "DEC": "0.00",
        "DATE": "2026-03-14",
        "TIME": "00:00:00",
        "DTTM": "2026-03-14T10:11:12",
        "DTTZ": "2026-03-14T10:11:12+00:00",
        "VCHR": "",
        "VGRF": "",
    }
    for name, (column, raw, code, message) in faults.items():
        scheme = "U" if name.startswith("utf") else "E"
        values = [good[column.type], Raw(raw, None), good[column.type]]
        log = three_inserts(
            Column("N", "INT", 4), column, rows=[{"N": 1, "D": value} for value in values], scheme=scheme
        )
        fault = error(code, message, record=1, field="after.D", field_offset=6 if column.variable else 4)
        title = f"{column.type} that holds no such value: it is null, and the row is kept"
        yield of_log(f"value_{name}", title, log, fault, 3, spec="bmc_row_image", doc_ref=(LLDF_TEXT, DLCI))
