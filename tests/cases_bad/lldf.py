"""Bad cases of data change records: header, segments, DATA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cases import data as changes
from cases import lldf as headers
from cases.case import LLDF_TEXT, SEGMENTS, BadCase, Log
from cases_bad.faulty import error, of_log, one_of_three
from writers.bmc import lldf
from writers.bmc.logs import Unit


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from header_fields()
    yield from segments()
    yield from modes()
    yield from data_areas()


def header_fields() -> Iterator[BadCase]:
    """LMP-R and LMP-V in the header of a record."""
    short, _ = headers.record()

    def of_length(length: int) -> bytes:
        return length.to_bytes(2, "big") + short[2:]

    at_length = {"field": "length", "field_offset": 0}
    yield one_of_three(
        "length_too_small",
        "LENGTH below every header there is",
        of_length(12),
        {"code": "LMP-V003", "message": "expected at least 277, found 12", **at_length},
    )
    yield one_of_three(
        "length_too_large",
        "LENGTH leads behind the record",
        of_length(297),
        {"code": "LMP-V004", "message": "expected at most 296, found 297", **at_length},
    )
    yield one_of_three(
        "record_too_short",
        "A record that ends inside its header",
        short[:200],
        {"code": "LMP-V004", "message": "expected at most 200, found 288", **at_length},
    )
    yield one_of_three(
        "record_of_one_byte",
        "A record of one byte",
        b"\x01",
        {"code": "LMP-R001", "message": "expected 2 bytes, found 1", **at_length},
    )
    yield one_of_three(
        "record_of_no_byte",
        "A record of nothing but its descriptor word",
        b"",
        {"code": "LMP-R001", "message": "expected 2 bytes, found 0", **at_length},
    )
    yield one_of_three(
        "length_inside_field",
        "LENGTH ends the header inside SQLRIRBA",
        of_length(280),
        {"code": "LMP-R002", "message": "leads back behind its start", "field": "header_rest", "field_offset": 287},
    )
    yield from timestamps(short)
    good, _ = headers.record(auth_id="")
    at = 234
    broken = good[:at] + b"\x70" + good[at + 1 :]
    yield one_of_three(
        "no_character",
        "A byte of AUTHID that code page 424 does not have",
        broken,
        {
            "code": "LMP-V007",
            "message": "expected text in cp424, found X'70' at byte 0",
            "field": "auth_id",
            "field_offset": at,
        },
        kept=True,
        options={"code_page": "cp424"},
    )


def timestamps(record: bytes) -> Iterator[BadCase]:
    """LMP-V005: the row is kept, the value is null, and it is said."""
    faults = {
        "digit": ("2026031410111A00012300000000000000", "expected 34 packed digits, found digit 14 is 0xA"),
        "month": ("2026131410111200012300000000000000", "expected a date, found 2026-13-14"),
        "day": ("2026022910111200012300000000000000", "expected a date, found 2026-02-29"),
        "hour": ("2026031425111200012300000000000000", "expected a time of day, found 25:11:12"),
        "after_24": ("2026031424000000000000000000010000", "expected a time of day, found 24:00:00"),
    }
    for name, (digits, message) in faults.items():
        broken = record[:60] + bytes.fromhex(digits) + record[77:]
        yield one_of_three(
            f"timestamp_{name}",
            "TIMESTAMP that is none: the row is kept",
            broken,
            {"code": "LMP-V005", "message": message, "field": "timestamp", "field_offset": 60},
            kept=True,
        )


def segments() -> Iterator[BadCase]:
    """LMP-R004 and LMP-R005: a change that is not whole."""
    table = changes.PLAIN
    for base in (0, 1):
        for missing in (0, 1, 2):
            log = Log(table, base=base)
            log.insert(changes.FIRST)
            whole = log.pieces(Unit(1), table, "UB", changes.FIRST, changes.CHANGED, segments=3)
            for index, piece in enumerate(whole):
                if index != missing:
                    log.put(*piece)
            # Without an end of the numbers nothing tells where they start.
            number = f"segment {missing + base} of 3" if missing == 1 else "of 3 is missing"
            yield of_log(
                f"segment_{missing + base}_missing_from_{base}",
                f"Segment {missing + base} of three (numbered from {base}) is not there",
                log,
                error("LMP-R004", number, record=1, field="seg_num"),
                1,
                doc_ref=SEGMENTS,
            )
    log = Log(table)
    whole = log.pieces(Unit(1), table, "UB", changes.FIRST, changes.CHANGED, segments=3)
    for index in (0, 1, 1, 2):
        log.put(*whole[index])
    yield of_log(
        "segment_twice",
        "Segment 2 of three stands twice: it is refused, the change is whole",
        log,
        error("LMP-R005", "expected a segment of 3 not met yet, found 2", record=2, field="seg_num"),
        1,
        doc_ref=SEGMENTS,
    )
    log = Log(table)
    for record, pending in log.pieces(Unit(1), table, "I", None, changes.FIRST, seg_num=4, total_segs=3):
        log.put(record, pending)
    yield of_log(
        "segment_number_too_high",
        "Segment 4 of three",
        log,
        error("LMP-R005", "expected a segment of 3 not met yet, found 4", record=0, field="seg_num"),
        0,
        doc_ref=SEGMENTS,
    )


def data_areas() -> Iterator[BadCase]:
    """DATA that its lengths do not fill."""

    def log() -> Log:
        log = Log(changes.PLAIN)
        for number in range(3):
            log.insert({**changes.FIRST, "NUM": number})
        return log

    record = log().records[1]
    head, data = record[:288], record[288:]
    image = data[4:]
    surplus = head + (len(data) + 1).to_bytes(2, "big") + data[2:] + b"\x00"
    yield of_log(
        "data_left_over",
        "DATA goes on behind its row image",
        log(),
        error("LMP-R003", "1 bytes are left over", record=1, field="data.surplus"),
        2,
        edit={1: surplus},
        spec="bmc_lldf_data",
    )
    yield of_log(
        "data_cut",
        "DATA is shorter than the total in front of it",
        log(),
        error("LMP-V009", f"expected {len(data) - 3}, found {len(data)}", record=1, field="data.total"),
        2,
        edit={1: record[:-3]},
        spec="bmc_lldf_data",
    )
    beyond = data[:2] + (len(image) + 1).to_bytes(2, "big") + image
    yield of_log(
        "image_beyond_data",
        "The length of a row image leads behind DATA",
        log(),
        error("LMP-R001", "ends inside the field", record=1, field="data.images[0].row"),
        2,
        edit={1: head + beyond},
        spec="bmc_lldf_data",
    )
    yield of_log(
        "data_missing",
        "An insert without DATA",
        log(),
        error("LMP-R001", "ends inside the field", record=1, field="data.total"),
        2,
        edit={1: head},
        spec="bmc_lldf_data",
    )
    longer = head + lldf.data_area("I", [image + b"\x01"])
    yield of_log(
        "image_left_over",
        "A row image that goes on behind its last column",
        log(),
        error("LMP-R003", "1 bytes are left over", record=1, field="after.surplus"),
        2,
        edit={1: longer},
        spec="bmc_row_image",
        doc_ref=LLDF_TEXT,
    )
    shorter = head + lldf.data_area("I", [image[:-1]])
    yield of_log(
        "image_cut",
        "A row image that ends inside its last column",
        log(),
        error("LMP-R001", "ends inside the field", record=1, field="after.SUM"),
        2,
        edit={1: shorter},
        spec="bmc_row_image",
        doc_ref=LLDF_TEXT,
    )
    clone = Log(changes.PLAIN)
    clone.insert(changes.FIRST)
    clone.change("E", parts=["PROD", "ORDERS_CLONE"])
    exchange = clone.records[1]
    yield of_log(
        "clone_name_beyond_data",
        "The length of the name of a clone leads behind DATA",
        clone,
        error("LMP-R001", "ends inside the field", record=1, field="data.clone_name"),
        1,
        edit={1: exchange[:296] + (13).to_bytes(2, "big") + exchange[298:]},
        spec="bmc_lldf_data",
    )


def modes() -> Iterator[BadCase]:
    """A bad value in the other modes."""
    good, _ = headers.record()
    broken = good[:60] + b"\x20\x26\x13" + good[63:]
    fault = {"code": "LMP-V005", "message": "found 2026-13-14", "field": "timestamp", "field_offset": 60}
    title = "TIMESTAMP that is none, mode dropmalformed: the row is dropped"
    yield one_of_three("mode_dropmalformed", title, broken, fault, options={"mode": "dropmalformed"})
    title = "TIMESTAMP that is none, mode failfast: nothing behind it is read"
    case = one_of_three("mode_failfast", title, broken, fault, options={"mode": "failfast"})
    yield replace(case, rows=case.rows[:1])
