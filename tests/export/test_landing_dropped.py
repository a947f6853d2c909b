"""Current tables of tables that are dropped, and whose ids another table gets."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from export.killed_runs import KilledError, killed_everywhere
from export.landed_extracts import Change, Extracts, delta, insert, table
from writers.db2.stream import Transaction
from writers.db2.tables import Table

from lmparse.export.landing_delta import DeltaFolder


def created(form: Table, *, is_described: bool = True) -> Change:
    def change(unit: Transaction) -> None:
        unit.create_table(form)
        if is_described:
            unit.initialize(form)

    return change


def dropped(unit: Transaction) -> None:
    unit.drop_table(PLAIN)


PLAIN = table()
NEXT_DAY = (created(PLAIN), insert(PLAIN, ID=3))


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((dropped,), [1, 2]),  # what it had is kept until another table has its ids
        ((dropped, *NEXT_DAY), [3]),
        (NEXT_DAY, [3]),  # the drop is not in the log
        ((dropped, created(PLAIN)), []),
        ((dropped, created(PLAIN, is_described=False), insert(PLAIN, ID=3)), [3]),
        ((dropped, lambda unit: unit.initialize(PLAIN), insert(PLAIN, ID=1)), [1]),
        ((dropped, *NEXT_DAY, dropped, created(PLAIN), insert(PLAIN, ID=5)), [5]),
        ((created(PLAIN, is_described=False), insert(PLAIN, ID=3)), [1, 2, 3]),  # of a LOB object, say
    ],
)
def test_rows_of_a_table_that_was_dropped_are_not_those_of_the_next_one(
    steps: tuple[Change, ...], expected: list[int], tmp_path: Path, *, is_together: bool
) -> None:
    """Db2 gives ids again."""
    log = Extracts(tmp_path)
    first = (created(PLAIN), insert(PLAIN, ID=1), insert(PLAIN, ID=2))
    for some in [(*first, *steps)] if is_together else [first, *((step,) for step in steps)]:
        assert [one.marks for one in log.land(*some, tables=(PLAIN,)).tables] == [[]]
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == expected


def test_a_drop_or_creation_that_is_taken_back(tmp_path: Path) -> None:
    def taken_back(unit: Transaction) -> None:
        unit.insert(PLAIN, {"ID": 2})
        mark = unit.mark()
        unit.drop_table(PLAIN)
        unit.create_table(PLAIN)
        unit.initialize(PLAIN)
        unit.insert(PLAIN, {"ID": 3})
        unit.rollback_to(mark)

    log = Extracts(tmp_path)
    log.land(created(PLAIN), insert(PLAIN, ID=1), tables=(PLAIN,))
    (landed,) = log.land(taken_back, insert(PLAIN, ID=4), tables=(PLAIN,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2, 4]


@pytest.mark.parametrize("is_together", [True, False])
def test_rows_behind_a_drop_whose_next_creation_is_not_in_the_log(tmp_path: Path, *, is_together: bool) -> None:
    """Whether they are of the same table is not known; a truncate, or another creation, ends that."""
    log = Extracts(tmp_path)
    log.land(insert(PLAIN, ID=1), tables=(PLAIN,))
    steps: list[Change] = [dropped, insert(PLAIN, ID=2)]
    for some in [steps] if is_together else [[step] for step in steps]:
        (landed,) = log.land(*some, tables=(PLAIN,)).tables
    (mark,) = landed.marks
    last = delta(log.to / "changes" / "PROD.ITEM")[-1]
    assert mark == {
        "seq": last["seq"],
        "reason": "the table was dropped, and the creation of the one that has its ids now is not in the log",
    }
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2]
    (landed,) = log.land(created(PLAIN), insert(PLAIN, ID=3), tables=(PLAIN,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [3]


def test_a_run_that_is_killed_when_a_drop_is_noted(tmp_path: Path) -> None:
    """The next one merges what is in front of the drop: that is of the table that was dropped."""
    log = Extracts(tmp_path)
    log.land(created(PLAIN), insert(PLAIN, ID=1), tables=(PLAIN,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DeltaFolder, "merge", Mock(side_effect=KilledError))
        with pytest.raises(KilledError):
            log.land(insert(PLAIN, ID=2), dropped, tables=(PLAIN,))
    (landed,) = log.land(tables=(PLAIN,), files=(1,)).tables
    assert landed.marks == []
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [1, 2]
    log.land(*NEXT_DAY, tables=(PLAIN,))
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [3]


CREATED = created(PLAIN, is_described=False)


@pytest.mark.parametrize(
    "runs",
    [
        ([dropped], [CREATED, insert(PLAIN, ID=2), dropped], [CREATED, insert(PLAIN, ID=3)]),
        ([dropped], [CREATED, insert(PLAIN, ID=2)], [insert(PLAIN, ID=3)]),
        ([dropped], [CREATED, insert(PLAIN, ID=2), dropped, CREATED, insert(PLAIN, ID=4)], [insert(PLAIN, ID=3)]),
        ([dropped], [insert(PLAIN, ID=2)], [insert(PLAIN, ID=3), dropped], [CREATED, insert(PLAIN, ID=4)]),
    ],
)
def test_runs_that_are_killed_around_a_drop(runs: tuple[list[Change], ...], tmp_path: Path) -> None:
    """At each of their commits; each run leaves what it leaves when it is not killed."""
    log, again = Extracts(tmp_path), tmp_path / "again"
    for number, changes in enumerate(([created(PLAIN), insert(PLAIN, ID=1)], *runs)):
        landed = log.land(*changes, tables=(PLAIN,))
        tables = {"tables": tmp_path / "t.yaml"}
        killed_everywhere([tmp_path / f"{number}.log"], again, 60, **log.how, **tables)
        (state, other) = (json.loads((to / "_lmparse" / "land.json").read_text()) for to in (log.to, again))
        assert [row["ID"] for row in delta(again / "current" / "PROD.ITEM")] == [
            row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")
        ]
        assert other["tables"][0]["marks"] == list(landed.tables[0].marks)
        assert other["tables"][0]["dropped"] == state["tables"][0]["dropped"]
