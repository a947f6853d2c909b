"""The layouts of Db2 for LUW records say what the vendor's tables say, field by field."""

from __future__ import annotations

import pytest

from lmparse.review.docs.conformance import Comparison, compare
from lmparse.spec import catalog

ROWS = [row for row in compare(catalog.load("db2_log").layouts).rows if row.name.startswith("db2_")]
LINES = [row for row in ROWS if row.line is not None]


def test_the_tables_have_lines() -> None:
    assert len(LINES) == 69


@pytest.mark.parametrize("row", LINES, ids=lambda row: row.name)
def test_a_field_is_where_the_page_says(row: Comparison) -> None:
    """What differs is only how bytes are taken apart, each for a reason that stands with the tables."""
    assert row.field is not None
    assert set(row.differences) <= {"kind"}
    assert row.verdict in ("same", "explained")
    assert row.field.status == "documented"
    assert row.field.doc_ref


@pytest.mark.parametrize("row", [row for row in ROWS if row.line is None], ids=lambda row: row.name)
def test_a_field_that_no_table_has_says_why(row: Comparison) -> None:
    assert row.verdict == "added"
