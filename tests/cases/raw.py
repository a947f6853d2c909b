"""Cases of records of which only the framing is known, in files that z/OS did not write."""

from __future__ import annotations

from collections.abc import Iterator

from cases.case import BadCase, Case
from writers.foreign import Form, Rule

DOC = 'Cobrix README, "Variable length record files", table of the options for RDW and BDW headers'
RECORDS = [b"first", b"the second record", b"3", b"a fourth one, which is longer than the others"]
LITTLE, LEFT_OUT = Rule(True, False), Rule(False, False)
FORMS = {
    "little_endian_rdw": ("Little-endian RDWs that leave themselves out, Cobrix's default", Form("rdw", LITTLE)),
    "little_endian_counted": ("Little-endian RDWs that count themselves", Form("rdw", Rule(True))),
    "adjusted_rdw": ("RDWs that say four bytes too many", Form("rdw", Rule(False, False, -4))),
    "file_header": (
        "A file header and a trailer around the records", Form("rdw", LEFT_OUT, header=b"HEADER ", trailer=b"END")
    ),
    "mixed_blocks": (
        "Little-endian BDWs, big-endian RDWs, both adjusted", Form("bdw", Rule(False, False, -1), Rule(True, False, 1))
    ),
    "little_endian_pieces": ("Spanned records behind little-endian SDWs", Form("vbs", LITTLE, size=10)),
    "spanned_blocks": ("Spanned records in blocks", Form("bdw-vbs", LITTLE, Rule(False, False), size=20)),
    "little_endian_length": ("Four-byte lengths, little-endian", Form("zosmf", Rule(True, False))),
}  # fmt: skip


def cases() -> Iterator[Case | BadCase]:
    """All of them."""
    for name, (title, form) in FORMS.items():
        data, offsets = form.file(RECORDS)
        rows = [
            {
                "data": raw.hex().upper(),
                "_metadata": {"record_index": number, "record_offset": offset, "record_length": len(raw)},
            }
            for number, (raw, offset) in enumerate(zip(RECORDS, offsets, strict=True))
        ]
        yield Case("common_raw", name, title, DOC, data, rows, options=form.options)
    yield from _bad()


def _bad() -> Iterator[BadCase]:
    data, offsets = Form("rdw", LITTLE).file(RECORDS)
    options = Form("rdw", LITTLE).options
    place = {"record": 3, "record_offset": offsets[3] - 4}
    cut = {"code": "LMP-F006", "message": f"expected {len(RECORDS[3]) + 4} bytes, found {len(RECORDS[3])}", **place}
    yield BadCase(
        "common_raw", "cut_little_endian", "The last record is cut short", DOC, data[:-4], [{}] * 3, options=options,
        error=cut,
    )  # fmt: skip
    wrong = {"code": "LMP-F005", "message": "expected 4 to 65535, found 0", "record": 0, "record_offset": 0}
    yield BadCase(
        "common_raw", "unnamed_rule", "Little-endian RDWs that no option names", DOC, data, [],
        options={"framing": "rdw"}, error=wrong | {"field": "length", "field_offset": 0},
    )  # fmt: skip
    form = Form("bdw", LITTLE, Rule(True))
    data = form.file(RECORDS)[0]
    error = {"code": "LMP-F005", "message": "a block descriptor word with bdwEndian little, bdwAdjustment -90"}
    yield BadCase(
        "common_raw", "wrong_adjustment", "An adjustment that takes more bytes than a block has", DOC, data, [],
        options={**form.options, "bdw_adjustment": -90}, error=error | {"record": 0, "record_offset": 0},
    )  # fmt: skip
