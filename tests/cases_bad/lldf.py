"""Bad cases of data change records: header, segments, DATA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cases import data as changes
from cases import lldf as headers
from cases.case import LLDF_TEXT, SEGMENTS, BadCase, Log, Row
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

    for name, title, broken, code, says in (
        ("length_too_small", "LENGTH below every header there is", of_length(12),
         "LMP-V003", "expected at least 277, found 12"),
        ("length_too_large", "LENGTH leads behind the record", of_length(297),
         "LMP-V004", "expected at most 296, found 297"),
        ("record_too_short", "A record that ends inside its header", short[:200],
         "LMP-V004", "expected at most 200, found 288"),
        ("record_of_one_byte", "A record of one byte", b"\x01", "LMP-R001", "expected 2 bytes, found 1"),
        ("record_of_no_byte", "A record of nothing but its descriptor word", b"",
         "LMP-R001", "expected 2 bytes, found 0"),
    ):  # fmt: skip
        yield one_of_three(name, title, broken, error(code, says, field="length", field_offset=0))
    fault = error("LMP-R002", "leads back behind its start", field="header_rest", field_offset=287)
    yield one_of_three("length_inside_field", "LENGTH ends the header inside SQLRIRBA", of_length(280), fault)
    yield from timestamps(short)
    good, _ = headers.record(auth_id="")
    at = 234
    broken = good[:at] + b"\x70" + good[at + 1 :]
    says = "expected text in cp424, found X'70' at byte 0"
    fault, page = error("LMP-V007", says, field="auth_id", field_offset=at), {"code_page": "cp424"}
    title = "A byte of AUTHID that code page 424 does not have"
    yield one_of_three("no_character", title, broken, fault, kept=True, options=page)


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
        fault = error("LMP-V005", message, field="timestamp", field_offset=60)
        yield one_of_three(
            f"timestamp_{name}", "TIMESTAMP that is none: the row is kept", broken, fault, kept=True
        )  # fmt: skip


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
            first, second = (number + base for number in range(3) if number != missing)
            said = f"segments {first}, {second} of 3 are there"
            name = f"segment_{missing + base}_missing_from_{base}"
            title = f"Segment {missing + base} of three (numbered from {base}) is not there"
            fault = error("LMP-R004", said, record=1, field="seg_num")
            yield of_log(name, title, log, fault, 1, doc_ref=SEGMENTS)
    log = Log(table)
    whole = log.pieces(Unit(1), table, "UB", changes.FIRST, changes.CHANGED, segments=3)
    for index in (0, 1, 1, 2):
        log.put(*whole[index])
    fault = error("LMP-R005", "expected a segment of 3 not met yet, found 2", record=2, field="seg_num")
    title = "Segment 2 of three stands twice: it is refused, the change is whole"
    yield of_log("segment_twice", title, log, fault, 1, doc_ref=SEGMENTS)
    log = Log(table)
    at = "00000000000012345678"
    first, second = (
        log.pieces(Unit(1), table, "UB", changes.FIRST, after, segments=2, log_rba=at, log_lrsn=at, rid="0000000101")
        for after in (changes.CHANGED, changes.FIRST)
    )
    for piece in (first[0], second[0], second[1], first[1]):
        log.put(*piece)
    fault = error("LMP-R005", "nothing tells which belong together", record=0, field="seg_num")
    title = "Segments of two changes with one position and one RID are mixed: neither is joined"
    yield of_log("segments_mixed", title, log, fault, 0, more_errors=3, doc_ref=SEGMENTS)
    log = Log(table)
    for record, pending in log.pieces(Unit(1), table, "I", None, changes.FIRST, seg_num=4, total_segs=3):
        log.put(record, pending)
    fault = error("LMP-R005", "expected a segment of 3 not met yet, found 4", record=0, field="seg_num")
    yield of_log("segment_number_too_high", "Segment 4 of three", log, fault, 0, doc_ref=SEGMENTS)


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
    beyond = head + data[:2] + (len(image) + 1).to_bytes(2, "big") + image
    longer, shorter = (head + lldf.data_area("I", [other]) for other in (image + b"\x01", image[:-1]))
    ends = "ends inside the field"
    total = f"expected {len(data) - 3}, found {len(data)}"
    for name, title, broken, code, says, field in (
        ("data_left_over", "DATA goes on behind its row image", surplus,
         "LMP-R003", "1 bytes are left over", "data.surplus"),
        ("data_cut", "DATA is shorter than the total in front of it", record[:-3], "LMP-V009", total, "data.total"),
        ("image_beyond_data", "The length of a row image leads behind DATA", beyond,
         "LMP-R001", ends, "data.images[0].row"),
        ("data_missing", "An insert without DATA", head, "LMP-R001", ends, "data.total"),
        ("image_left_over", "A row image that goes on behind its last column", longer,
         "LMP-R003", "1 bytes are left over", "after.surplus"),
        ("image_cut", "A row image that ends inside its last column", shorter, "LMP-R001", ends, "after.SUM"),
    ):  # fmt: skip
        fault, is_image = error(code, says, record=1, field=field), field.startswith("after")
        place: Row = {"spec": "bmc_row_image", "doc_ref": LLDF_TEXT} if is_image else {"spec": "bmc_lldf_data"}
        yield of_log(name, title, log(), fault, 2, edit={1: broken}, **place)
    clone = Log(changes.PLAIN)
    clone.insert(changes.FIRST)
    clone.change("E", parts=["PROD", "ORDERS_CLONE"])
    exchange = clone.records[1]
    edit = {1: exchange[:296] + (13).to_bytes(2, "big") + exchange[298:]}
    fault, title = error("LMP-R001", ends, record=1, field="data.clone_name"), "The length of the name of a clone"
    yield of_log(
        "clone_name_beyond_data", f"{title} leads behind DATA", clone, fault, 1, edit=edit, spec="bmc_lldf_data"
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
