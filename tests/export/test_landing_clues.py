"""Which tables changes without a table version may be of, and what they did to them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from counted import growth, operations

from lmparse.export.landing_clues import Clues, LeftOut, TableClue
from lmparse.export.landing_marks import begin_current, mark_left_out
from lmparse.export.landing_target import LandingTarget


@pytest.mark.parametrize(
    ("clue", "table", "expected"),
    [
        (("3.5", "", ""), ("3.5", "A", "B"), True),
        (("3.5", "", ""), ("3.6", "A", "B"), False),
        (("S.1.2.3", "A", "B"), ("S.1.2.3", "A", "C"), True),  # it was renamed
        (("S.1.????.3", "A", "B"), ("S.1.2.3", "A", "B"), True),
        (("S.1.????.3", "A", "B"), ("S.1.2.3", "A", "C"), False),
        (("S.1.????.3", "A", "B"), ("S.1.2.4", "A", "B"), False),
        (("S.1.2.3", "", ""), ("S.1.????.3", "A", "B"), True),
        (("", "A", "B"), ("S.1.2.3", "A", "B"), True),
        (("", "A", "B"), ("S.1.2.3", "", "B"), True),
        (("", "A", ""), ("S.1.2.3", "B", "C"), False),
        (("", "", ""), ("S.1.2.3", "A", "B"), True),
        (("S.1.????.3", "", "B"), ("S.1.2.3", "A", "B"), True),
        (("S.1.2.3", "", ""), ("S.1.2.????", "A", "B"), True),
        (("S.1.2.????", "", ""), ("S.1.2.3", "A", "B"), True),
        (("S.1.????.4", "A", ""), ("S.1.2.3", "A", "B"), False),
    ],
)
def test_which_tables_a_change_may_be_of(
    clue: tuple[str, str, str], table: tuple[str, str, str], *, expected: bool
) -> None:
    assert TableClue(*clue).may_be(TableClue(*table)) is expected
    found = LeftOut("1", "1")
    assert Clues([(TableClue(*clue), found)]).of(TableClue(*table)) == [found] * expected


@pytest.mark.parametrize(
    ("parts", "last", "end"),
    [
        ([LeftOut("3", changed="3")], "3", ""),
        ([LeftOut("3", changed="3"), LeftOut("4", emptied="4")], "4", "4"),
        ([LeftOut("3", changed="3"), LeftOut("4", dropped="4"), LeftOut(created="5")], "4", "5"),
        ([LeftOut("3", dropped="3"), LeftOut("4", changed="4"), LeftOut(created="5")], "4", ""),
        ([LeftOut(created="2"), LeftOut("3", dropped="3")], "3", ""),
        ([LeftOut(created="5")], "", ""),
    ],
)
def test_changes_are_put_together_in_any_order(parts: list[LeftOut], last: str, end: str) -> None:
    for order in permutations([*parts, parts[0]]):
        found = LeftOut()
        for one in order:
            found |= one
        assert (found.first, found.last, found.end) == ("3" if last else "", last, end)


KNOWN = ("DB2A.0106.0002.{}", "PROD", "T{}")
WITHOUT_NAMES, WITHOUT_IDS, PARTLY = (
    ("DB2A.0106.0002.{}", "", ""),
    ("", "PROD", "T{}"),
    ("DB2A.????.0002.{}", "P", "T{}"),
)


PARTLY_WITHOUT_NAMES = ("DB2A.????.0002.{}", "", "T{}")


@pytest.mark.parametrize(
    ("table", "clue"),
    [
        (KNOWN, KNOWN),
        (KNOWN, WITHOUT_NAMES),
        (KNOWN, WITHOUT_IDS),
        (KNOWN, PARTLY),
        (PARTLY, KNOWN),
        (PARTLY, PARTLY),
        (PARTLY, WITHOUT_NAMES),
        (KNOWN, PARTLY_WITHOUT_NAMES),
        (PARTLY, PARTLY_WITHOUT_NAMES),
        (WITHOUT_NAMES, KNOWN),
        (WITHOUT_NAMES, WITHOUT_NAMES),
    ],
)
def test_the_cost_is_in_proportion_to_tables_and_changes(
    table: tuple[str, ...], clue: tuple[str, ...], tmp_path: Path
) -> None:
    """Not to their product, for tables that are new too."""

    def clue_of(words: tuple[str, ...], number: int) -> TableClue:
        return TableClue(*(word.format(number) for word in words))

    def cost(size: int) -> int:
        found = Clues((clue_of(clue, number), LeftOut("1", "1")) for number in range(size))
        target = LandingTarget(tmp_path, "to", "delta", True, left_out=found)
        tables = [clue_of(table, number) for number in range(size, 2 * size)]

        def land() -> None:
            for one in tables:
                made = target.table(one.ids, one.schema_name, one.table_name)
                made.current_id = "known"
                begin_current(target, made, ["ID"], "2", has_rows=False)
            mark_left_out(target, found, found)

        count = operations(land)
        assert not any(made.marks for made in target.tables.values())
        return count

    assert growth(cost, 50) < 2.2
