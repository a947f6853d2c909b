"""Bad cases: how they are made, one fault in a file that is sound otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cases import lldf as headers
from cases.case import LLDF, BadCase, Log, Row
from writers.bmc import framing
from writers.bmc.control import Table
from writers.bmc.rows import Column

DESCRIPTORS = (
    'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Record Descriptor Word (RDW)"',
    'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Block Descriptor Word (BDW)"',
    'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Segment Descriptor Word"',
)
GOOD_ROW: Row = {}
"""Stands for a row that is printed; bad cases count rows only."""


def error(
    code: str, message: str, framed: framing.Framed | None = None, record: int | None = None, **place: Any
) -> Row:
    """The error that must be reported; the record's offset follows from the file."""
    if framed is not None and record is not None:
        place.setdefault("record_offset", framed.offsets[record])
    return {"code": code, "message": message, "record": record, **place}


def bad(
    name: str,
    title: str,
    data: bytes,
    fault: Row,
    rows: int,
    *,
    spec: str = "bmc_lldf",
    doc_ref: Any = LLDF,
    **more: Any,
) -> BadCase:
    """A bad case with as many rows that are printed in spite of the fault."""
    return BadCase(spec, name, title, doc_ref, data, [GOOD_ROW] * rows, error=fault, **more)


def good_records(count: int = 3) -> list[bytes]:
    """Records with nothing wrong in them."""
    return [headers.record(log_rba=f"{number:020X}")[0] for number in range(count)]


def one_of_three(
    name: str, title: str, broken: bytes, fault: Mapping[str, Any], *, kept: bool = False, **more: Any
) -> BadCase:
    """A bad record between two good ones; `kept` when it gives a row in spite of its fault."""
    first, last = good_records(2)
    framed = framing.framed("rdw", [first, broken, last])
    place = {"record": 1, "record_offset": framed.offsets[1]}
    return bad(name, title, framed.data, {**fault, **place}, 2 + kept, **more)


def of_log(
    name: str,
    title: str,
    log: Log,
    fault: Row,
    rows: int,
    *,
    edit: Mapping[int, bytes] | None = None,
    control_records: Sequence[bytes] | None = None,
    control_options: Mapping[str, Any] | None = None,
    **more: Any,
) -> BadCase:
    """A bad case of changes. `edit` replaces records of the data file by their number."""
    example = log.example(**{"header": log.options.header, **(control_options or {})})
    records = [(edit or {}).get(index, record) for index, record in enumerate(example.data_records)]
    framed = framing.framed("rdw", records)
    if fault["record"] is not None and "record_offset" not in fault:
        fault = {"record_offset": framed.offsets[fault["record"]], **fault}
    control_file = framing.rdw(example.control_records if control_records is None else control_records)
    return bad(name, title, framed.data, fault, rows, command="changes", control=control_file, **more)


def three_inserts(*columns: Column, rows: Sequence[Row], scheme: str = "E", **options: Any) -> Log:
    """A log of inserts."""
    log = Log(Table(columns=columns, encoding_scheme=scheme), **options)
    for row in rows:
        log.insert(row)
    return log
