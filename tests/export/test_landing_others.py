"""What others do to the tables of a target: nothing is doubled or lost for it, and what cannot go on is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from export.conftest import content
from export.landed_extracts import Extracts, delta, insert, table, void
from writers.db2.columns import Column

from lmparse.errors import OptionError
from lmparse.export.landing_delta import DeltaFolder

ITEM = table(Column("N", "INTEGER"))
WIDE = table(Column("N", "BIGINT"))


@pytest.fixture
def log(tmp_path: Path) -> Extracts:
    """A target with rows 1 to 3, of two runs."""
    found = Extracts(tmp_path)
    found.land(insert(ITEM, ID=1, N=1), insert(ITEM, ID=2, N=2), tables=(ITEM,))
    found.land(insert(ITEM, ID=3, N=3), tables=(ITEM,))
    return found


def rows(log: Extracts) -> list[tuple[int, int]]:
    return [(row["ID"], row["N"]) for row in delta(log.to / "current" / "PROD.ITEM")]


def changes(log: Extracts) -> list[int]:
    return [(row["after"] or row["before"])["ID"] for row in delta(log.to / "changes" / "PROD.ITEM")]


def optimized(path: Path) -> None:
    assert DeltaTable(str(path)).optimize.compact()["numFilesRemoved"]


def one_deleted(path: Path) -> None:
    DeltaTable(str(path)).delete("ID = 3")


def renamed(unit: Any) -> None:
    unit.update(ITEM, {"ID": 1, "N": 1}, {"ID": 1, "N": 10})


@pytest.mark.parametrize("act", [optimized, one_deleted])
@pytest.mark.parametrize("step", ["merge", "replace", "widen"])
def test_a_table_that_is_changed_while_it_is_landed_in(
    log: Extracts, step: str, act: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are others then: rows that are written anew from the old ones would be there twice."""
    path, done = log.to / "current" / "PROD.ITEM", list[int]()
    method = "_write" if step == "widen" else step
    real = getattr(DeltaFolder, method)

    def after_others(self: DeltaFolder, *given: Any, **named: Any) -> Any:
        if str(self._path) == str(path) and not done:
            done.append(1)
            act(path)
        return real(self, *given, **named)

    monkeypatch.setattr(DeltaFolder, method, after_others)
    asked: dict[str, list[Any]] = {
        "merge": [renamed], "replace": [lambda unit: unit.truncate(ITEM), insert(ITEM, ID=9, N=9)],
        "widen": [insert(WIDE, ID=4, N=1 << 40)],
    }  # fmt: skip
    form = WIDE if step == "widen" else ITEM
    with pytest.raises(OptionError, match="another process has changed the table") as found:
        log.land(*asked[step], tables=(form,))
    assert found.value.code == "LMP-S022"
    left = [(1, 1), (2, 2), (3, 3)][: 2 if act is one_deleted else 3]
    assert rows(log) == left
    log.land(tables=(form,), files=(2,))
    expected = {"merge": [(1, 10), *left[1:]], "replace": [(9, 9)], "widen": [*left, (4, 1 << 40)]}
    assert rows(log) == expected[step]


def test_a_change_table_that_is_optimized_meanwhile(log: Extracts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are appended behind that."""
    path, real = log.to / "changes" / "PROD.ITEM", DeltaFolder.append

    def after_others(self: DeltaFolder, *given: Any) -> None:
        if str(self._path) == str(path):
            optimized(path)
        real(self, *given)

    monkeypatch.setattr(DeltaFolder, "append", after_others)
    log.land(renamed, tables=(ITEM,))
    assert changes(log) == [1, 2, 3, 1]


LACKING = {
    "gone": "it is gone",
    "restored": "it was restored",
    "restored, and a property set": "it was restored",
    "without its last commit": "landed in 2 times, and its log has 1",
    "with an empty last commit": "landed in 2 times, and its log has 1",
    "an older copy with a commit of others": "landed in 2 times, and its log has 1",
}
"""What is done to a table, and the error of the next run."""


@pytest.mark.parametrize("kind", ["changes", "current"])
@pytest.mark.parametrize(("how", "why"), LACKING.items())
def test_a_table_that_lacks_what_was_landed(log: Extracts, kind: str, how: str, why: str) -> None:
    """It is not made anew with the rows of this run alone, and nothing is written for another table either."""
    _put_back(log.to / kind / "PROD.ITEM", how)
    _is_refused(log, why, renamed, ITEM)


@pytest.mark.parametrize(("how", "why"), LACKING.items())
def test_changes_without_a_table_that_lack_what_was_landed(log: Extracts, how: str, why: str) -> None:
    """They are counted as those of a table are."""
    described = table(Column("N", "DECIMAL(7,2)"))
    written = table(Column("N", "DECIMAL(9,2)"))
    for row in (4, 5):
        log.land(insert(written, ID=row, N="1.50"), tables=(described,))
    _put_back(log.to / "changes" / "other", how)
    _is_refused(log, why, insert(written, ID=6, N="1.50"), described)


def test_a_state_that_lacks_the_table_of_changes_without_one(log: Extracts) -> None:
    """How often it was landed in would be forgotten, and so what is missing of it."""
    described = table(Column("N", "DECIMAL(7,2)"))
    written = table(Column("N", "DECIMAL(9,2)"))
    log.land(insert(written, ID=4, N="1.50"), tables=(described,))
    state = log.to / "_lmparse" / "land.json"
    known = json.loads(state.read_text())
    known["tables"] = [entry for entry in known["tables"] if entry["ids"] != "other"]
    state.write_text(json.dumps(known, indent=2))
    _is_refused(log, "it does not have the table of changes/other", insert(written, ID=5, N="1.50"), described)


def _put_back(path: Path, how: str) -> None:
    """Take from a Delta table what was landed in it last."""
    last = max(path.glob("_delta_log/*.json"))
    if how == "gone":
        shutil.rmtree(path)
    elif how == "without its last commit":
        last.unlink()
    elif how == "with an empty last commit":
        last.write_bytes(b"")
    elif how == "an older copy with a commit of others":
        last.unlink()
        DeltaTable(str(path)).alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})
    else:
        DeltaTable(str(path)).restore(0)
    if "property" in how:
        DeltaTable(str(path)).create_checkpoint()
        DeltaTable(str(path)).alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})


def _is_refused(log: Extracts, why: str, step: Any, described: Any) -> None:
    before = content(log.to)
    with pytest.raises(OptionError, match=why) as found:
        log.land(step, tables=(described,))
    assert found.value.code == "LMP-S031"
    assert {name: text for name, text in content(log.to).items() if "_lmparse" not in name} == {
        name: text for name, text in before.items() if "_lmparse" not in name
    }


def test_a_table_that_was_put_back_to_the_last_landing(log: Extracts) -> None:
    path = log.to / "current" / "PROD.ITEM"
    version = DeltaTable(str(path)).version()
    one_deleted(path)
    DeltaTable(str(path)).restore(version)
    DeltaTable(str(path)).restore(0)
    DeltaTable(str(path)).restore(version)
    log.land(renamed, tables=(ITEM,))
    assert rows(log) == [(1, 10), (2, 2), (3, 3)]


def test_rows_that_others_delete_and_columns_that_they_add(log: Extracts) -> None:
    """They are not landed again, and stay."""
    DeltaTable(str(log.to / "changes" / "PROD.ITEM")).delete("seq is not null")
    one_deleted(log.to / "current" / "PROD.ITEM")
    log.land(renamed, lambda unit: void(unit.delete(ITEM, {"ID": 2, "N": 2})), tables=(ITEM,))
    assert (changes(log), rows(log)) == ([1, 2], [(1, 10)])
