"""The layouts of Db2 for LUW records say what the vendor's tables say, field by field."""

from __future__ import annotations

import pytest

from lmparse.review.docs.conformance import Comparison, compare
from lmparse.spec import catalog

ROWS = [row for row in compare(catalog.load("db2_log").layouts).rows if row.name.startswith("db2_")]
LINES = [row for row in ROWS if row.line is not None]


def test_the_tables_have_lines() -> None:
    assert len(LINES) == 218


@pytest.mark.parametrize("row", LINES, ids=lambda row: row.name)
def test_a_field_is_where_the_page_says(row: Comparison) -> None:
    """What differs has a reason that stands with the tables."""
    assert row.line is not None
    assert "missing" not in row.differences
    assert row.verdict in ("same", "explained")


@pytest.mark.parametrize("row", [row for row in LINES if row.line and row.line.has_offset], ids=lambda row: row.name)
def test_a_field_with_a_place_in_a_table_is_documented(row: Comparison) -> None:
    if row.field is not None:
        assert (row.field.status, bool(row.field.doc_ref)) == ("documented", True)


@pytest.mark.parametrize("row", [row for row in ROWS if row.line is None], ids=lambda row: row.name)
def test_a_field_that_no_table_has_says_why(row: Comparison) -> None:
    assert row.verdict == "added"
