"""The layouts of Db2 for LUW records say what the vendor's tables say, field by field."""

from __future__ import annotations

from lmparse.review.docs.conformance import compare
from lmparse.spec import catalog

ROWS = [row for row in compare(catalog.load("db2_log").layouts).rows if row.name.startswith("db2_")]
LINES = [row for row in ROWS if row.line is not None]


def test_the_tables_have_lines() -> None:
    assert len(LINES) == 218


def test_a_field_is_where_the_page_says() -> None:
    """What differs has a reason that stands with the tables."""
    for row in LINES:
        assert "missing" not in row.differences, row.name
        assert row.verdict in ("same", "explained"), row.name


def test_a_field_with_a_place_in_a_table_is_documented() -> None:
    placed = [row for row in LINES if row.line and row.line.offset and row.field is not None]
    assert len(placed) > 150
    for row in placed:
        assert row.field is not None
        assert (row.field.status, bool(row.field.doc_ref)) == ("documented", True), row.name


def test_a_field_that_no_table_has_says_why() -> None:
    added = [row for row in ROWS if row.line is None]
    assert added
    assert {row.name: row.verdict for row in added if row.verdict != "added"} == {}
