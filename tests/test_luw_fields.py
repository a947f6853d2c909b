"""The layouts of Db2 for LUW records say what the vendor's tables say, field by field."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from lmparse import catalog
from lmparse.layout import Field, Layout

TABLE = Path(__file__).parent / "field-tables.csv"
with TABLE.open(encoding="utf-8", newline="") as _file:
    LINES = [line for line in csv.DictReader(_file) if line["spec"].startswith("db2_")]

HALVES = {
    "db2_dms.update.new_header": "its place depends on the old record",
    "db2_dms.update.new_row": "its place depends on the old record",
    "db2_dms.add_columns.new_arrays": "its place depends on the old arrays",
}
"""Fields whose place the page does not print either, each with its reason."""
AS_STATED = {"lsn": "bytes", "float": "float64"}
"""Kinds that the transcript of the page calls otherwise."""
KINDS = {
    "db2_dms.table_description.columns": "the array of the page is two: columns, then LOBs",
    "db2_dms.initialize_table.table_description": "a record of its own",
    "db2_dms.add_columns.old_arrays": "two arrays",
    "db2_dms.add_columns.new_arrays": "two arrays",
    "db2_dms.update.old_row": "all fields of one row",
    "db2_dms.update.new_header": "the header once more",
    "db2_dms.update.new_row": "all fields of one row",
}
"""Fields of the page that have parts here."""


def name(line: dict[str, str]) -> str:
    return f"{line['spec']}.{line['record']}.{line['id']}"


def layout_of(line: dict[str, str]) -> Layout:
    return catalog.load(line["spec"]).layouts[f"{line['spec']}.{line['record']}"]


def test_the_table_has_lines() -> None:
    assert len(LINES) == 69


@pytest.mark.parametrize("line", LINES, ids=name)
def test_a_field_is_where_the_page_says(line: dict[str, str]) -> None:
    entry: Field = layout_of(line)[line["id"]]
    offset = int(line["offset"]) if line["offset"] else None
    assert entry.orig_id == line["vendor_name"]
    assert entry.offset == offset or (offset is None and name(line) in HALVES)
    width = int(line["length"]) if line["length"] else None
    if name(line) in KINDS:
        assert entry.kind == "struct"
        assert line["kind"] in ("variable", "bytes")
        return
    assert entry.width == width
    stated = AS_STATED.get(entry.kind, entry.kind)
    assert stated == line["kind"] or (line["kind"] == "variable" and stated in ("bytes", "variable"))
    assert entry.status == "documented"
    assert entry.doc_ref


@pytest.mark.parametrize("record", sorted({(line["spec"], line["record"]) for line in LINES}))
def test_fields_stand_in_the_order_of_the_page(record: tuple[str, str]) -> None:
    """Besides them only the header, LOB descriptors behind columns, and what a longer record holds."""
    lines = [line for line in LINES if (line["spec"], line["record"]) == record]
    found = [entry.id for entry in layout_of(lines[0]) if entry.kind not in ("body", "rest")]
    others = {"lobs", "internal_later"}
    assert [field for field in found if field not in others] == [line["id"] for line in lines]
