"""Bad cases of files that cannot be cut into records, or not to their end."""

from __future__ import annotations

from collections.abc import Iterator

from cases.case import BadCase
from cases_bad.faulty import DESCRIPTORS, bad, error, good_records
from writers.bmc import framing


def cases() -> Iterator[BadCase]:
    """All of them."""
    yield from descriptor_words()


def descriptor_words() -> Iterator[BadCase]:
    """LMP-F: records cannot be cut out of the file."""
    records = good_records()
    rdw = framing.framed("rdw", records)
    length = len(records[0])
    yield bad("empty", "A file of no bytes: nothing proves what it is", b"", error("LMP-F002", "empty"), 0)
    text = b"This file was never a logical log.\n" * 20
    yield bad("text", "A text file", text, error("LMP-F003", "is of another kind: a text file", record_offset=0), 0)
    spanned = framing.framed("vbs", [*records, records[0] * 2], piece_sizes=400)
    end, no_length = len(rdw.data), {"record": 0, "record_offset": 0, "field": "length", "field_offset": 0}
    behind = {"record": 3, "record_offset": end}
    for name, title, data, fault, rows, more in (
        ("cut_inside_spanned", "Whole records, then a spanned one that is cut short: SDWs lead further than RDWs",
         spanned.data[:-10],
         error("LMP-F006", "ends inside the record", record=3, record_offset=spanned.starts[3] + 404), 3, {}),
        ("wrong_framing", "Framing z/OSMF was named, the file has RDWs",
         rdw.data, error("LMP-F005", "expected 0 to 32760", **no_length), 0, {"options": {"framing": "zosmf"}}),
        ("cut_inside_record", "The last record is cut short: the others are read", rdw.data[:-5],
         error("LMP-F006", f"expected {length + 4} bytes, found {length - 1}", record=2, record_offset=rdw.starts[2]),
         2, {}),
        ("cut_inside_descriptor", "The file ends inside a descriptor word",
         rdw.data + b"\x01", error("LMP-F006", "expected 4 bytes, found 1", **behind), 3, {}),
        ("bytes_behind", "Whole records, then bytes that are none", rdw.data + b"\xff" * 9,
         error("LMP-F007", "behind the last record", **behind, field="reserved", field_offset=2), 3, {"exit": 31}),
        ("line_end_behind", "Whole records, then a line end that a transfer added", rdw.data + b"\r\n",
         error("LMP-F007", "2 bytes behind the last record are not a record", **behind), 3, {"exit": 31}),
    ):  # fmt: skip
        yield bad(name, title, data, fault, rows, doc_ref=DESCRIPTORS, **more)
    yield from blocks_and_pieces(records)
    ascii_ = rdw.data.decode("cp037").encode("latin-1")
    fault = error("LMP-F010", "the bytes as they are on z/OS", record_offset=0)
    yield bad("converted", "A transfer in text mode translated every byte", ascii_, fault, 0, command="sniff")
    read = rdw.data.decode("utf-8", "replace").encode()
    for name, title, data, what in (
        ("rewritten", "A program read the bytes as UTF-8, and wrote what it could read", read, "rewritten as UTF-8"),
        ("zeros", "A transfer wrote the length of a record, and zeros for it", b"\x0f\xa0\0\0".ljust(4000, b"\0"),
         "zeros where records should begin"),
    ):  # fmt: skip
        yield bad(name, title, data, error("LMP-F003", what, record_offset=0), 0)


def blocks_and_pieces(records: list[bytes]) -> Iterator[BadCase]:
    """Blocks that do not hold together, spanned records with a piece too few."""
    block = framing.framed("bdw", records)
    damaged = bytearray(block.data)
    damaged[block.starts[2] + 1] += 1
    pieces = framing.framed("vbs", records, piece_sizes=200)
    lost = pieces.starts[1] - 4 - (len(records[0]) - 200)
    rest = "expected the rest of the record, found 1"
    for kind, name, title, data, fault, rows in (
        ("bdw", "block_not_filled", "The last record of a block is longer than the block", bytes(damaged),
         error("LMP-F008", "is not filled exactly", record=2, record_offset=block.starts[2]), 2),
        ("vbs", "last_piece_missing", "The last piece of a spanned record is missing",
         pieces.data[:lost] + pieces.data[pieces.starts[1] :],
         error("LMP-F009", rest, record=0, record_offset=lost, field="segment_code"), 0),
        ("vbs", "first_piece_missing", "A spanned record without its first piece", pieces.data[204:],
         error("LMP-F009", "expected the first piece of a record", record=0, record_offset=0, field="segment_code"), 0),
    ):  # fmt: skip
        yield bad(name, title, data, fault, rows, options={"framing": kind}, doc_ref=DESCRIPTORS)
    title, options = "A descriptor word whose reserved bytes are not zero", {"framing": "fixed", "record_length": 4}
    for spec, word, at in (("zos_rdw", "00040001", 2), ("zos_sdw", "00050001", 3)):
        place = {"record": 0, "record_offset": 0, "field": "reserved", "field_offset": at}
        fault, data = error("LMP-V009", "expected 0, found 1", **place), bytes.fromhex(word)
        yield bad("reserved_not_zero", title, data, fault, 0, spec=spec, options=options, doc_ref=DESCRIPTORS)
