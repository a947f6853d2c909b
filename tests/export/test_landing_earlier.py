"""States of earlier versions, which do not say what changes no current table has got: the change tables do."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from export.killed_runs import KilledError
from export.landed_extracts import Extracts, delta, insert, table
from export.landed_nights import UNVERSIONED, WITHOUT_KEY, Nights, Step, T, U, ids_left_out, made_earlier, marks_of
from writers.db2 import tables as luw

from lmparse.errors import OptionError
from lmparse.export import landing

UNMERGED = "changes were landed when it had no current table"


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("without", [(), ("TABLEOWNER", "TABLENAME")])
def test_a_table_that_is_described_later(without: tuple[str, ...], tmp_path: Path, *, has_ids: bool) -> None:
    """Its first row is in no current table; what has neither ids nor a name may be of any."""
    log, first = Nights(tmp_path), Nights(tmp_path)
    path = log.extract((T, "I", 1), (U, "I", 2), described=[T], without=without)
    if has_ids:
        first.land(path)
    else:
        with ids_left_out():
            first.land(path)
    made_earlier(log.to)
    of_t = [UNVERSIONED] * (not has_ids and bool(without))
    assert [*log.land(log.extract((T, "I", 3), described=[T])).values()] == [of_t]
    assert log.land(log.extract((U, "I", 5), described=[U]))["PROD.U"] == [UNVERSIONED]
    assert log.rows("U") == [(5, "a")]


def test_a_table_that_has_the_short_form_of_a_name(tmp_path: Path) -> None:
    """That does not tell the table."""
    log, long = Nights(tmp_path), replace(U, name="A_NAME_OF_TWENTY_CHARACTERS")
    path = log.extract((T, "I", 1), (long, "I", 2), described=[T], without=("TABLEOWNER",))
    with ids_left_out():
        log.land(path)
    made_earlier(log.to)
    assert log.land(log.extract((U, "I", 5), described=[U]))["PROD.U"] == [UNVERSIONED]


@pytest.mark.parametrize(
    ("steps", "is_marked"),
    [
        ([(T, "I", 3)], False),
        ([(T, "I", 3), (U, "I", 3)], True),
        ([(T, "I", 3), (U, "DT", 0)], True),
    ],
)
@pytest.mark.parametrize("kinds", [(), ("I",), ("DT", "I"), ("I", "DT")])
def test_a_table_that_had_a_current_table(
    steps: list[Step], kinds: tuple[str, ...], tmp_path: Path, *, is_marked: bool
) -> None:
    """Whether it was emptied behind such changes is in its own."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T, U]))
    log.land(log.extract(*steps, described=[T]))
    log.land(log.extract((T, "I", 4), *((U, kind, 4) for kind in kinds), described=[T, U]))
    made_earlier(log.to)
    found = log.land(log.extract((U, "I", 5), described=[U]))
    assert found == {"PROD.U": [UNVERSIONED] * (is_marked and "DT" not in kinds)}


@pytest.mark.parametrize("kind", ["I", "DT"])
def test_a_table_that_had_no_key(kind: str, tmp_path: Path) -> None:
    """What it got then is in no current table; a truncate left nothing behind that."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (T, kind, 2), described=[WITHOUT_KEY]))
    made_earlier(log.to)
    assert log.land(log.extract((T, "I", 3), described=[T])) == {"PROD.T": [UNMERGED] * (kind == "I")}
    assert log.rows("T") == [(3, "a")]


def test_tables_of_db2_luw(tmp_path: Path) -> None:
    log, form = Extracts(tmp_path), table()
    other = luw.Table(3, 6, "OTHER", form.columns)
    log.land(insert(form, ID=1), insert(other, ID=1), tables=(other,))
    made_earlier(log.to)
    assert marks_of(log.land(insert(form, ID=2), insert(other, ID=2), tables=(form, other))) == {
        "PROD.ITEM": [UNVERSIONED], "PROD.OTHER": [],
    }  # fmt: skip
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [2]


def test_a_run_that_is_killed_when_it_has_read_the_changes(tmp_path: Path) -> None:
    """The state says them before a table is written, or the next run reads them again."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T]))
    made_earlier(log.to)
    path = log.extract((U, "I", 5), described=[U])
    for step in ("land_changes", "land_current"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(landing._PlannedTable, step, _killed)
            with pytest.raises(KilledError):
                log.land(path)
    assert log.land(path) == {"PROD.U": [UNVERSIONED]}


def _killed(*_: object) -> None:
    raise KilledError


def test_the_changes_of_an_older_copy(tmp_path: Path) -> None:
    """Without them it is not known what was left out."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T]))
    shutil.copytree(log.to / "changes" / "other", tmp_path / "copy")
    log.land(log.extract((T, "I", 3), (U, "I", 4), described=[T]))
    made_earlier(log.to)
    shutil.rmtree(log.to / "changes" / "other")
    shutil.copytree(tmp_path / "copy", log.to / "changes" / "other")
    with pytest.raises(OptionError, match="landed in 2 times, and its log has 1"):
        log.land(log.extract((U, "I", 5), described=[U]))
