"""Tables of which some nights do not say all ids: these changes are landed apart from those of the other nights."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from commands import Run
from export.killed_runs import killed_everywhere
from export.landed_nights import WITHOUT_KEY, Nights, T, U, made_earlier
from writers.bmc.control import Table

APART = "changes are in another table that may be this one, since not all ids of both are known (no DTBI record)"
WHOLE, PARTLY = "DB2A.0105.0002.0003", "DB2A.0105.????.0003"


class _Log(Nights):
    def night(self, kinds: str, *, has_ids: bool, form: Table = T) -> Path:
        """An extract with changes of T."""
        steps = [(T, kind, row) for row, kind in enumerate(kinds.split())]
        return self.extract(*steps, described=[form, U], has_ids=has_ids)

    def marked(self, *paths: Path) -> set[str]:
        """Land extracts; the ids of the tables that are marked for being apart."""
        found = {one.folder for one in self.landed(*paths).tables if APART in [mark["reason"] for mark in one.marks]}
        state = json.loads((self.to / "_lmparse" / "land.json").read_text())
        return {one["ids"] for one in state["tables"] if one["folder"] in found}


@pytest.mark.parametrize("has_ids", [True, False])
def test_both_tables_are_marked(tmp_path: Path, run: Callable[..., Run], *, has_ids: bool) -> None:
    """Neither has the changes of the other one, whichever came first; a table of another name has its own."""
    log = _Log(tmp_path)
    one = log.extract((T, "I", 1), (U, "I", 1), described=[T, U], has_ids=has_ids)
    two = log.extract((T, "UB", 1), (T, "I", 2), described=[T], has_ids=not has_ids)
    assert log.marked(one) == set()
    done = run("land", two, "--to", log.to, "--control", f"{tmp_path}/{{stem}}.ctl", "--current")
    assert (done.code, done.err.count(APART)) == (24, 2)
    assert log.marked(log.extract((T, "I", 3), described=[T], has_ids=has_ids)) == {WHOLE, PARTLY}
    assert log.rows("T") == [(1, "a"), (3, "a")]
    assert log.marked(log.extract((U, "I", 3), described=[U], has_ids=has_ids)) == {WHOLE, PARTLY}


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("nights", "expected"),
    [
        ([("I", True), ("I", False), ("DT I", True)], {PARTLY}),
        ([("I", True), ("I", False), ("DT", False)], {WHOLE}),
        ([("I", True), ("I", False), ("DT", True), ("DT", False)], {WHOLE}),
        ([("I", False), ("I DT I", True)], {PARTLY}),
        ([("I", True), ("I DT I", False)], {WHOLE}),
        ([("I", False), ("I", True), ("I DT", True), ("I", True)], {PARTLY}),
        ([("I", True), ("I", False), ("DT", True), ("I", False)], {WHOLE, PARTLY}),
    ],
)
def test_a_table_is_whole_behind_a_truncate(
    nights: list[tuple[str, bool]], expected: set[str], tmp_path: Path, *, is_together: bool
) -> None:
    """Until the other one gets changes again."""
    log = _Log(tmp_path)
    paths = [log.night(kinds, has_ids=has_ids) for kinds, has_ids in nights]
    for some in [paths] if is_together else [[path] for path in paths]:
        found = log.marked(*some)
    assert found == expected


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_table_that_gets_its_current_table_later(tmp_path: Path, *, has_ids: bool) -> None:
    """When its key is known; changes of the other one that are not merged are not in it either."""
    log = _Log(tmp_path)
    log.landed(log.night("I", has_ids=has_ids, form=WITHOUT_KEY))
    assert log.marked(log.night("I", has_ids=not has_ids)) == {PARTLY if has_ids else WHOLE}
    assert log.marked(log.night("I", has_ids=has_ids)) == {WHOLE, PARTLY}


@pytest.mark.parametrize("other", [replace(T, name="T2"), replace(T, tbobid=9), replace(T, dbid=9)])
def test_a_table_that_is_not_the_same_one(other: Table, tmp_path: Path) -> None:
    """By its name, or by the ids that are known."""
    log = _Log(tmp_path)
    assert log.marked(log.night("I", has_ids=True)) == set()
    assert log.marked(log.extract((other, "I", 1), described=[other], has_ids=False)) == set()
    assert log.marked(log.night("I", has_ids=True)) == set()


def test_runs_that_are_killed(tmp_path: Path) -> None:
    """At each of their commits; each run leaves what it leaves when it is not killed."""
    log, again = _Log(tmp_path), tmp_path / "again"
    nights = [("I", True), ("I I", False), ("I DT I", True), ("I", True), ("DT", False)]
    expected = [set(), {WHOLE, PARTLY}, {PARTLY}, {PARTLY}, {WHOLE}]
    for (kinds, has_ids), wanted in zip(nights, expected, strict=True):
        path = log.night(kinds, has_ids=has_ids)
        assert log.marked(path) == wanted
        killed_everywhere([path], again, 60, control=f"{tmp_path}/{{stem}}.ctl", current=True)
        states = [json.loads((to / "_lmparse" / "land.json").read_text()) for to in (log.to, again)]
        marks, others = ([table["marks"] for table in state["tables"]] for state in states)
        assert marks == others


def test_a_state_of_an_earlier_version(tmp_path: Path) -> None:
    """It does not have the marks."""
    log = _Log(tmp_path)
    log.landed(log.night("I", has_ids=True))
    log.landed(log.night("I", has_ids=False))
    made_earlier(log.to)
    path = log.to / "_lmparse" / "land.json"
    state = json.loads(path.read_text())
    for table in state["tables"]:
        table["marks"] = []
    path.write_text(json.dumps(state, indent=2))
    assert log.marked(log.extract((U, "I", 1), described=[U])) == {WHOLE, PARTLY}
