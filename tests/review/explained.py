"""What the tests of `lmparse explain` share: the records that are shown, and their lines without the texts of specs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lmparse.review.explain.explanation import ExplainedSection, Explanation, FieldLine
from lmparse.review.explain.search import Explained, explain

TESTS = Path(__file__).parents[1]
GOOD, BAD = "cases/", "cases_bad/"
LOG = f"{GOOD}bmc_lldf/changes_bdw.bin"
SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "insert": (f"{GOOD}bmc_lldf/changes_bdw", {"control": "ctl", "record": 0}),
    "update_with_a_null": (f"{GOOD}bmc_lldf/changes_bdw", {"control": "ctl", "record": 1}),
    "control_record": (f"{GOOD}bmc_dlci/every_field", {"spec": "bmc_dlci", "record": 0}),
    "header_of_xhdf": (f"{GOOD}bmc_lldf/described_by_xhdf", {"control": "ctl", "record": 0}),
    "segment": (f"{GOOD}bmc_lldf_data/segments_from_1_out_of_order", {"control": "ctl", "record": 4}),
    "spanned": (f"{GOOD}bmc_lldf/framing_bdw-vbs", {"record": 2}),
    "exchange": (f"{GOOD}bmc_lldf_data/exchange_inclusive", {"control": "ctl", "record": 3}),
    "luw_update": (f"{GOOD}db2_row/v10_little_types", {"tables": "tables", "record": 5}),
    "luw_described_by_the_log": (f"{GOOD}db2_row/v10_little_inline_lobs", {"record": 9}),
    "luw_value_compression": (f"{GOOD}db2_row/v10_little_compressed_from_data", {"tables": "tables", "record": 1}),
    "luw_commit": (f"{GOOD}db2_row/v10_little_types", {"tables": "tables", "record": 7}),
    "damaged_row": (f"{BAD}bmc_row_image/null_indicator", {"control": "ctl", "record": 1}),
    "damaged_value": (f"{BAD}bmc_row_image/value_dec_digit", {"control": "ctl", "record": 1}),
    "damaged_control_record": (f"{BAD}bmc_dlci/cut", {"spec": "bmc_dlci", "record": 1}),
    "damaged_luw_row": (f"{BAD}db2_row/v10_little_slot_behind", {"tables": "tables", "record": 1}),
    "file_that_ends_inside": (f"{BAD}bmc_lldf/cut_inside_record", {"offset": 0x260}),
}
"""What `cases_explain` has: a file, its options, and which record of it."""


def shown(name: str) -> Explained:
    """A record of SHOWN; files beside the data go with it."""
    stem, options = SHOWN[name]
    beside = {option: f"{stem}.{ending}" for option, ending in options.items() if option in ("control", "tables")}
    return explain(f"{stem}.bin", **(options | beside))


def with_long_field(sample: dict[str, str]) -> Explained:
    """The first record of a Db2 LUW log with a piece of a LOB value."""
    records = (explain(**sample, record=number) for number in itertools.count())
    return next(found for found in records if found.kind == "db2_lob.add_lob_data")


def leaves(section: ExplainedSection) -> Iterator[FieldLine]:
    """The lines of a section that bytes stand in."""
    return (line for top in section.lines for line, _ in top.walk() if not line.children)


def tiled(section: ExplainedSection) -> bytes:
    """The bytes of all leaves, one behind the other."""
    return b"".join(section.dissection.raw[line.start + line.shared : line.end] for line in leaves(section))


def summary(found: Explanation) -> list[str]:
    """A record without the texts of specs: a line for each field."""
    lines = [f"record {found.record} of {found.main.layout.id}, {found.kind or 'no kind'}, {found.framing}"]
    lines += [f"note: {note}" for note in found.notes]
    lines += [f"fault: {fault.code} {fault.field}" for fault in found.faults]
    for section in found.sections:
        before = f" before byte {section.before}" if section.before else ""
        lines.append(f"-- {section.layout.id}{before} at {' '.join(map(str, section.places))}")
        lines += [summary_line(line, section, depth) for top in section.lines for line, depth in depths(top, 0)]
    return lines


def depths(line: FieldLine, depth: int) -> Iterator[tuple[FieldLine, int]]:
    yield line, depth
    for child in line.children:
        yield from depths(child, depth + 1)


def summary_line(line: FieldLine, section: ExplainedSection, depth: int) -> str:
    words = [f"{'  ' * depth}{line.start}+{line.end - line.start}"]
    words.append("unread" if line.node is None else line.node.path)
    if not line.children:
        words.append(section.dissection.raw[line.start : line.end].hex().upper() or "-")
    if line.node is not None and (line.node.value is not None or not line.children):
        words.append(f"= {json.dumps(line.node.value, ensure_ascii=False)}")
    if line.node is not None and line.node.fault is not None:
        words.append(f"! {line.node.fault.says()} [{line.node.fault.code}]")
    return " ".join(words)
