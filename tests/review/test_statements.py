"""What the pages call documented rests on a line of a table, or its reference says on what else."""

from __future__ import annotations

import re

import pytest
from statements import DRAWN, documented, draw, main

from lmparse.spec import catalog

STATEMENTS = documented(catalog.load("bmc_lldf").layouts)
ELSEWHERE = re.compile(
    r"db2-samples|text|footnote|Field Lengths|DATA|DFSMS|SA22-7832|Ansible|EXPANDVAR|control file|closing note"
)
"""References to what is no line of a table."""


def test_a_documented_field_is_in_a_table_or_says_where_else() -> None:
    assert len(STATEMENTS) > 400
    for one in STATEMENTS:
        assert one.field.doc_ref, one.name
        assert one.printed or ELSEWHERE.search(one.field.doc_ref), (one.name, one.field.doc_ref)


def test_the_reference_names_the_manual_of_its_line() -> None:
    """Product, version and page are those of one of the tables that have the field."""

    def pages(text: str) -> set[str]:
        return set(re.findall(r'"([^"]+)"', text))

    for one in STATEMENTS:
        if one.printed:
            named = pages(one.field.doc_ref)
            assert any(named & pages(line.partition(": ")[0]) for line in one.printed), (one.name, one.printed)


def test_a_number_draws_always_the_same_fields(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = draw(STATEMENTS, 7, 60)
    assert [one.name for one in drawn] == [one.name for one in draw(STATEMENTS, 7, 60)]
    assert len({one.name for one in drawn}) == 60
    assert drawn != draw(STATEMENTS, 8, 60)
    main(["--number", "7", "--count", "60"])
    printed = capsys.readouterr().out
    assert printed.startswith(f"60 of {len(STATEMENTS)} documented fields, number 7")
    assert all(f". {one.name} (" in printed for one in drawn)


@pytest.mark.parametrize("of", DRAWN)
def test_statements_of_each_kind_are_drawn(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--number", "3", "--count", "5", "--of", of])
    first, *printed = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"5 of \d\d+ {of}, number 3", first)
    assert len([line for line in printed if re.match(r"\d\. ", line)]) == 5
