"""What the pages call documented rests on a line of a table, or its reference says on what else."""

from __future__ import annotations

import re

import pytest
from statements import Statement, documented

from lmparse.spec import catalog

STATEMENTS = documented(catalog.load("bmc_lldf").layouts)
ELSEWHERE = re.compile(
    r"db2-samples|text|footnote|Field Lengths|DATA|DFSMS|SA22-7832|Ansible|EXPANDVAR|control file|closing note"
)
"""References to what is no line of a table."""


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one.name)
def test_a_documented_field_is_in_a_table_or_says_where_else(one: Statement) -> None:
    assert one.field.doc_ref
    assert one.printed or ELSEWHERE.search(one.field.doc_ref), one.field.doc_ref


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one.name)
def test_the_reference_names_the_manual_of_its_line(one: Statement) -> None:
    """Product, version and page are those of one of the tables that have the field."""

    def pages(text: str) -> set[str]:
        return set(re.findall(r'"([^"]+)"', text))

    if one.printed:
        assert any(pages(one.field.doc_ref) & pages(line.partition(": ")[0]) for line in one.printed), one.printed
