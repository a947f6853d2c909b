"""Current tables that lack changes of an earlier run: those without a table version, and those of several keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest
from commands import Run
from deltalake import write_deltalake
from export.killed_runs import KilledError, killed_everywhere
from export.landed_extracts import ID, Change, Extracts, delta, insert, table, void
from export.landed_nights import OTHER_KEY, PLAIN, UNVERSIONED, WITHOUT_KEY, K, Nights, T, U, V, marks_of
from writers.bmc import control, framing
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.db2 import tables as luw
from writers.db2.columns import Column as LuwColumn
from writers.db2.stream import Transaction

from lmparse.errors import OptionError
from lmparse.export import landing
from lmparse.export.landing_delta import DeltaFolder
from lmparse.export.landing_target import LandingTarget
from lmparse.records.files import ignored

# -- changes without a table version ------------------------------------------------------------------


def test_a_table_that_is_described_later(tmp_path: Path, run: Callable[..., Run]) -> None:
    """Its first row is in no current table; of a table that was described, none is missing."""
    log = Nights(tmp_path)
    first = log.extract((T, "I", 1), (U, "I", 2), described=[T])
    assert log.land(first) == {"PROD.T": [], None: []}
    for row in (6, 7):
        assert log.land(log.extract((T, "I", row), (U, "I", row), described=[T, U])) == {
            "PROD.T": [], "PROD.U": [UNVERSIONED],
        }  # fmt: skip
    assert log.rows("U") == [(6, "a"), (7, "a")]
    last = log.extract((T, "I", 8), described=[T])
    done = run("land", last, "--to", log.to, "--control", f"{tmp_path}/{{stem}}.ctl", "--current")
    assert (done.code, f"on: {UNVERSIONED}" in done.err) == (24, True)
    assert log.land(log.extract((U, "DT", 0), (U, "I", 9), described=[U])) == {"PROD.U": []}


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
@pytest.mark.parametrize("kind", ["DT", "DM", "E"])
def test_a_change_of_a_whole_table_that_is_not_described(kind: str, mode: str, tmp_path: Path) -> None:
    """It has no row that is bad, and is kept in any mode; rows that were put there before it are gone."""
    log = Nights(tmp_path, mode=mode)
    write_deltalake(str(log.to / "current" / "PROD.U"), pa.table({"ID": pa.array([1], pa.int32()), "V": ["a"]}))
    log.land(log.extract((T, "I", 1), described=[T]))
    first = log.extract((T, "I", 3), (U, kind, 0), described=[T], without=("TABLEOWNER", "TABLENAME"))
    assert log.land(first) == {"PROD.T": [], None: []}
    assert log.land(log.extract((U, "I", 2), described=[U])) == {"PROD.U": [UNVERSIONED]}


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize("without", [(), ("TABLENAME",), ("TABLEOWNER",), ("TABLEOWNER", "TABLENAME")])
def test_a_change_whose_header_does_not_have_the_name(
    without: tuple[str, ...], tmp_path: Path, *, is_together: bool
) -> None:
    """Its ids say which table it is of."""
    log = Nights(tmp_path)
    paths = [
        log.extract((T, "I", 1), (U, "I", 2), described=[T, U]),
        log.extract((T, "I", 5), (U, "UB", 2), described=[T], without=without),
        log.extract((T, "I", 6), (U, "I", 7), described=[T, U]),
    ]
    nights = [log.land(*paths)] if is_together else [log.land(path) for path in paths]
    for found in nights[-2:]:
        assert found["PROD.T"] == []
        assert found["PROD.U"] == [UNVERSIONED]
    assert log.rows("U") == [(2, "a"), (7, "a")]


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize("order", ["other, truncate", "truncate, other", "other, truncate, other"])
def test_a_table_that_is_emptied_behind_such_a_change(order: str, tmp_path: Path, *, is_together: bool) -> None:
    """Changes in front of that do not matter any longer, in one run either."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T, U]))
    paths = [
        log.extract((U, "DT", 0), (U, "I", 3), described=[U]) if word == "truncate"
        else log.extract((T, "I", number), (U, "I", number), described=[T])
        for number, word in enumerate(order.split(", "), 4)
    ]  # fmt: skip
    for found in [log.land(*paths)] if is_together else [log.land(path) for path in paths]:
        last = found
    assert last.get("PROD.T", []) == []
    assert last["PROD.U"] == [UNVERSIONED] * order.endswith("other")


@pytest.mark.parametrize("name", ["U", "OTHER"])
def test_a_table_whose_ids_are_not_all_known(name: str, tmp_path: Path) -> None:
    """Columns without a DTBI record do not say the PSID; then the name counts too, as far as it is known."""
    log, other = Nights(tmp_path), replace(U, name=name, psid=9)
    log.land(log.extract((T, "I", 1), (other, "I", 2), described=[T]))
    path = log.extract((T, "I", 3), (U, "I", 4), described=[T])
    columns = control.column_records(U)
    path.with_suffix(".ctl").write_bytes(framing.rdw([*control.for_tables([T])[:-1], *columns, control.dlge()]))
    assert log.land(path) == {"PROD.T": [], "PROD.U": [UNVERSIONED] if name == "U" else []}


@pytest.mark.parametrize(
    ("without", "shown"),
    [
        ((), "DB2A.0106.0002.0004 (PROD.U)"),
        (("TABLENAME",), "DB2A.0106.0002.0004 (PROD)"),
        (("TABLEOWNER", "TABLENAME"), "DB2A.0106.0002.0004"),
        (("TABLEOWNER",), "DB2A.0106.0002.0004 (U)"),
    ],
)
def test_a_table_is_named_as_far_as_the_header_does(
    without: tuple[str, ...], shown: str, tmp_path: Path, run: Callable[..., Run]
) -> None:
    path = Nights(tmp_path).extract((U, "I", 2), described=[T], without=without)
    done = run("changes", path, "--control", path.with_suffix(".ctl"))
    assert f"found none for {shown} [LMP-C002]" in done.err
    assert [row["detail"]["table_ids"] for row in done.rows] == [shown.partition(" ")[0]]
    assert "None" not in run("check", path, "--control", path.with_suffix(".ctl")).out


def test_tables_of_db2_luw(tmp_path: Path) -> None:
    """Without a description their ids are their name."""
    log, form = Extracts(tmp_path), table()
    other = luw.Table(3, 6, "OTHER", form.columns)
    log.land(insert(form, ID=1), insert(other, ID=1), tables=(form, other))
    assert marks_of(log.land(insert(form, ID=2), insert(other, ID=2), tables=(other,))) == {
        "PROD.OTHER": [], None: [], "PROD.ITEM": [UNVERSIONED],
    }  # fmt: skip
    assert marks_of(log.land(insert(form, ID=3), tables=(form, other))) == {"PROD.ITEM": [UNVERSIONED]}


def _without_logging(unit: Transaction) -> None:
    unit.alter_attribute(table(), 1, 0)


@pytest.mark.parametrize(
    ("change", "is_marked"),
    [
        (_without_logging, True),
        (lambda unit: unit.truncate(table()), True),
        (lambda unit: unit.drop_table(table()), True),
        (lambda unit: unit.create_table(table()), False),
    ],
)
def test_changes_of_a_whole_table_of_db2_luw(
    change: Callable[[Transaction], None], tmp_path: Path, *, is_marked: bool
) -> None:
    log, form = Extracts(tmp_path), table()
    log.land(insert(form, ID=1), tables=(form,))
    log.land(change)
    assert marks_of(log.land(insert(form, ID=2), tables=(form,))) == {"PROD.ITEM": [UNVERSIONED] * is_marked}


def test_the_state_is_not_written_for_each_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has all tables, so that would cost their number squared; they are described behind their first changes."""
    log, forms = Extracts(tmp_path), [luw.Table(3, number, f"T{number}", (ID,)) for number in range(5, 17)]
    log.land(*(insert(form, ID=1) for form in forms))
    saved = Mock(side_effect=LandingTarget.save)
    monkeypatch.setattr(LandingTarget, "save", lambda target: saved(target))
    found = marks_of(log.land(*(insert(form, ID=2) for form in forms), tables=(*forms,)))
    assert found == {f"PROD.{form.name}": [UNVERSIONED] for form in forms}
    assert saved.call_count == 3


def test_a_state_says_what_was_left_out(tmp_path: Path) -> None:
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T]))
    path = log.to / "_lmparse" / "land.json"
    state = json.loads(path.read_text())
    (clue,) = state["left_out"]
    assert (clue["ids"], clue["table_name"], len(clue["first"])) == ("DB2A.0106.0002.0004", "U", 72)
    again = log.extract((T, "I", 3), described=[T])
    for wrong in ([1], [{**clue, "ids": None}], [{"ids": ""}], {"ids": ""}, [{**clue, "seq": ""}], None, 7):
        path.write_text(json.dumps({**state, "left_out": wrong}, indent=2))
        with pytest.raises(OptionError, match="is not a state of land"):
            log.land(again)


@pytest.mark.parametrize("kind", ["DT", "DM"])
@pytest.mark.parametrize(
    ("nights", "is_marked"),
    [
        (["I", "{kind}"], False),
        (["I {kind}"], False),
        (["I {kind} I"], True),
        (["I", "{kind}", "UB"], True),
        (["{kind} I"], True),
        (["I E"], True),  # the rows of another table are in the place of its own
        (["I E {kind}"], False),
    ],
)
def test_a_table_that_is_emptied_before_it_is_described(
    nights: list[str], kind: str, tmp_path: Path, *, is_marked: bool
) -> None:
    """What was there before that is gone, and it begins without rows; all nights as one run too."""
    for name in ("one by one", "together"):
        folder = tmp_path / name
        folder.mkdir()
        log = Nights(folder)
        paths = [
            log.extract((T, "I", number), *((U, one, 2) for one in word.format(kind=kind).split()), described=[T])
            for number, word in enumerate(nights)
        ]
        paths.append(log.extract((U, "I", 7), described=[T, U]))
        runs = [log.land(path) for path in paths] if name == "one by one" else [log.land(*paths)]
        assert runs[-1]["PROD.U"] == [UNVERSIONED] * is_marked
        assert log.rows("U") == [(7, "a")]
        assert log.land(log.extract((U, "I", 8), described=[U])) == {"PROD.U": [UNVERSIONED] * is_marked}


@pytest.mark.parametrize("kind", ["ZZ", "Q"])
def test_a_change_of_a_type_that_no_manual_describes(kind: str, tmp_path: Path) -> None:
    """It may be one of rows, as a mass delete with bytes that none describes; a command is not."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 1), described=[T, U]))
    undescribed = "a change is of a type that no manual describes, and so is what it does to rows"
    expected = {"PROD.T": [undescribed], "PROD.U": [UNVERSIONED], None: []}
    assert log.land(log.extract((T, kind, 0), (U, kind, 0), described=[T])) == expected
    last = log.extract((T, "DT", 0), (T, "CM", 0), (U, "DT", 0), (U, "CM", 0), described=[T, U])
    assert log.land(last) == {"PROD.T": [], "PROD.U": []}


def test_rows_in_front_of_what_empties_the_table_without_a_description(tmp_path: Path) -> None:
    """They are merged, and it is not."""
    log = Nights(tmp_path)
    paths = [
        log.extract((U, "I", 1), described=[U]),
        log.extract((T, "I", 2), (U, "DT", 0), described=[T]),
        log.extract((U, "I", 3), described=[U]),
    ]
    assert log.land(*paths)["PROD.U"] == [UNVERSIONED]
    assert log.rows("U") == [(1, "a"), (3, "a")]


@pytest.mark.parametrize("ended", ["behind U", "in front of the marks"])
def test_a_run_that_is_killed_behind_a_truncate(ended: str, tmp_path: Path) -> None:
    """The next one does not merge the truncate again, and knows of it."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), described=[T, U]))
    paths = [
        log.extract((T, "I", 5), (U, "I", 5), described=[T]),
        log.extract((U, "DT", 0), (U, "I", 6), described=[T, U]),
    ]
    with pytest.MonkeyPatch.context() as patch:
        if ended == "behind U":
            patch.setattr(DeltaFolder, "replace", _killed_behind(DeltaFolder.replace))
        else:
            patch.setattr(landing, "mark_left_out", Mock(side_effect=KilledError))
        with pytest.raises(KilledError):
            log.land(*paths)
    assert log.land(*paths) == {"PROD.T": [], "PROD.U": [], None: []}
    assert log.land(log.extract((U, "I", 7), described=[U])) == {"PROD.U": []}
    assert log.rows("U") == [(6, "a"), (7, "a")]


def _killed_behind(real: Callable[..., None]) -> Callable[..., None]:
    def ended(*given: Any) -> None:
        real(*given)
        raise KilledError

    return ended


def test_a_run_that_is_killed_behind_the_first_rows_of_a_table(tmp_path: Path) -> None:
    """The next one knows that they are not from before the truncate."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 2), (U, "DT", 0), described=[T]))
    path = log.extract((U, "I", 5), described=[U])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DeltaFolder, "replace", _killed_behind(DeltaFolder.replace))
        with pytest.raises(KilledError):
            log.land(path)
    assert log.rows("U") == [(5, "a")]
    assert log.land(path) == {"PROD.U": []}


def test_runs_that_are_killed_while_a_table_is_new(tmp_path: Path) -> None:
    """At each of their commits; each run leaves what it leaves when it is not killed."""
    log, again = Nights(tmp_path), tmp_path / "again"
    nights = [
        [log.extract((T, "I", 1), (U, "I", 2), (U, "DT", 0), described=[T])],
        [log.extract((T, "I", 3), (U, "I", 4), (U, "DT", 0), described=[T]), log.extract((U, "I", 5), described=[U])],
        [log.extract((U, "I", 6), described=[U]), log.extract((U, "I", 7), described=[T])],
        [log.extract((U, "DT", 0), (U, "I", 8), described=[U])],
    ]
    for paths, is_marked in zip(nights, (False, False, True, False), strict=True):
        found = log.land(*paths).get("PROD.U", [])
        assert found == [UNVERSIONED] * is_marked
        killed_everywhere(paths, again, 60, control=f"{tmp_path}/{{stem}}.ctl", current=True)
        states = [json.loads((to / "_lmparse" / "land.json").read_text()) for to in (log.to, again)]
        marks, others = ([table["marks"] for table in state["tables"]] for state in states)
        assert marks == others
        assert states[0]["left_out"] == states[1]["left_out"]


OLD, NEW = luw.Table(3, 5, "OLD", (ID,)), luw.Table(3, 5, "NEW", (ID, LuwColumn("N", "INTEGER")))


def _old(unit: Transaction) -> None:
    unit.insert(OLD, {"ID": 1})


def _drop(unit: Transaction) -> None:
    unit.drop_table(OLD)


def _create(unit: Transaction) -> None:
    unit.create_table(NEW)


def _new(unit: Transaction) -> None:
    unit.insert(NEW, {"ID": 2, "N": 2})


@pytest.mark.parametrize(
    ("nights", "is_marked"),
    [
        ([[_old, _drop], [_create, _new]], False),
        ([[_old, _drop, _create], [_new]], False),
        ([[_old, _drop], [_create], [_new]], False),
        ([[_old], [_drop, _create], [_new]], False),
        ([[_old, _drop, _create, _new], [_new]], True),
        ([[_old, _drop], [_create, _new], [_new]], True),
        ([[_old], [_create, _new]], True),  # it may be of an object for LOBs
        ([[_old, _drop], [_new]], True),
    ],
)
def test_ids_that_a_new_table_gets(nights: list[list[Change]], tmp_path: Path, *, is_marked: bool) -> None:
    """Nothing described the table that had them; only the last night has the tables file."""
    log = Extracts(tmp_path)
    for number, changes in enumerate(nights, 1):
        found = marks_of(log.land(*changes, tables=(NEW,) if number == len(nights) else ()))
    assert (UNVERSIONED in found["PROD.NEW"]) == is_marked
    assert {row["ID"] for row in delta(log.to / "current" / "PROD.NEW")} == {2}
    (again,) = marks_of(log.land(lambda unit: void(unit.insert(NEW, {"ID": 3, "N": 2})), tables=(NEW,))).values()
    assert bool(again) == is_marked


@pytest.mark.parametrize(
    ("nights", "is_marked"),
    [
        ([_create, _new], False),
        ([_create, _drop, _create, _new], False),
        ([_new], True),
        ([_new, _create, _new], True),  # behind the drop is a row, of a table that is not known
    ],
)
def test_a_creation_behind_a_drop_that_needed_no_current_table(
    nights: list[Change], tmp_path: Path, *, is_marked: bool
) -> None:
    """The drop is described, and what is behind it in the last night only."""
    log = Extracts(tmp_path)
    log.land(_drop, tables=(NEW,))
    for change in nights[:-1]:
        log.land(change)
    for _ in range(2):
        assert bool(marks_of(log.land(nights[-1], tables=(NEW,)))["PROD.NEW"]) == is_marked
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.NEW")] == [2]


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_creation_behind_the_drop_of_a_table_that_has_rows(tmp_path: Path, *, is_dropped: bool) -> None:
    """They are not those of the new table; without a drop it is of an object for LOBs."""
    log, form = Extracts(tmp_path), table()
    changes = [insert(form, ID=1), *[lambda unit: unit.drop_table(form)] * is_dropped]
    log.land(*changes, tables=(form,))
    found = marks_of(log.land(lambda unit: unit.create_table(form)))
    assert found.get("PROD.ITEM", []) == [UNVERSIONED] * is_dropped


# -- changes that were not merged ---------------------------------------------------------------------


@pytest.mark.parametrize("second", [WITHOUT_KEY, OTHER_KEY])
def test_a_table_of_different_keys_is_marked_when_it_gets_a_current_table(second: Table, tmp_path: Path) -> None:
    """What was landed without one is not in it."""
    log = Nights(tmp_path)
    paths = [log.extract((T, "I", 1), (T, "I", 2), described=[T]), log.extract((T, "I", 3), described=[second])]
    assert log.land(*paths) == {"PROD.T": []}
    for row in (4, 5):
        ((reason),) = log.land(log.extract((T, "I", row), described=[T]))["PROD.T"]
        assert reason.startswith("its versions have different keys: ID and ")
    assert log.rows("T") == [(4, "a"), (5, "a")]
    state = json.loads((log.to / "_lmparse" / "land.json").read_text())
    seqs = [row["seq"] for row in delta(log.to / "changes" / "PROD.T")]
    assert [mark["seq"] for mark in state["tables"][0]["marks"]] == seqs[:1]
    assert log.land(log.extract((T, "DT", 0), (T, "I", 6), described=[T])) == {"PROD.T": []}


@pytest.mark.parametrize("second", [T, WITHOUT_KEY, OTHER_KEY])
def test_extracts_that_are_read_in_parts(second: Table, tmp_path: Path) -> None:
    """As Spark does: each part knows the keys of its own rows."""

    def in_parts(read: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        assert len(tasks) > 1
        return map(read, tasks)

    log = Nights(tmp_path)
    paths = [log.extract((T, "I", 1), (U, "I", 2), described=[T]), log.extract((T, "I", 3), described=[second])]
    asked = landing.asked_for(paths, log.to, "delta", True, {"control": f"{tmp_path}/{{stem}}.ctl"})
    found = landing.run(replace(asked, run=in_parts, part_bytes=100), ignored, None)
    assert [(one.table, one.merged, bool(one.refusal)) for one in found.tables] == [
        ("PROD.T", 2 if second is T else None, second is not T), (None, None, False),
    ]  # fmt: skip
    later = log.land(log.extract((U, "I", 4), described=[U]))
    assert later == {"PROD.U": [UNVERSIONED]}


def test_a_table_without_a_key_is_marked_when_one_is_known(tmp_path: Path) -> None:
    log, form = Extracts(tmp_path, key=""), table()
    assert marks_of(log.land(insert(form, ID=1), insert(form, ID=2), tables=(form,))) == {"PROD.ITEM": []}
    log.key = "key: [ID], "
    assert marks_of(log.land(insert(form, ID=3), tables=(form,))) == {"PROD.ITEM": ["no key of it is known"]}


NO_KEY = "no key of it is known"


@pytest.mark.parametrize("kind", ["DT", "DM"])
@pytest.mark.parametrize(
    ("nights", "marks"),
    [
        ([("I {kind}", WITHOUT_KEY)], []),
        ([("I {kind} I", WITHOUT_KEY)], [NO_KEY]),
        ([("I", WITHOUT_KEY), ("{kind} I", WITHOUT_KEY), ("D {kind}", WITHOUT_KEY)], []),
        ([("I", WITHOUT_KEY), ("{kind}", U)], []),
        ([("I", WITHOUT_KEY), ("{kind}", U), ("I", WITHOUT_KEY)], [NO_KEY]),
        ([("I", WITHOUT_KEY), ("{kind} I", U)], [UNVERSIONED]),
        ([("{kind}", U), ("I", WITHOUT_KEY)], [NO_KEY]),
        ([("I", U), ("I {kind}", WITHOUT_KEY)], []),
        ([("I E", WITHOUT_KEY), ("{kind}", U)], []),
    ],
)
def test_a_table_that_is_emptied_behind_what_was_not_merged(
    nights: list[tuple[str, Table]], marks: list[str], kind: str, tmp_path: Path
) -> None:
    """It begins without rows, unless some were put there before the first run; so it does where runs were killed."""
    log, again, placed = Nights(tmp_path), tmp_path / "again", Nights(tmp_path)
    placed.to = tmp_path / "placed"
    write_deltalake(str(placed.to / "current" / "PROD.T"), pa.table({"ID": pa.array([1], pa.int32()), "V": ["a"]}))
    for words, form in [*nights, ("I", T)]:
        steps = [(T, word, row) for row, word in enumerate(words.format(kind=kind).split())]
        path = log.extract(*steps, (U, "I", 1), described=[form, *[U] * (form is not U)])
        found, among = log.land(path), placed.land(path)
        if form is not T:
            killed_everywhere([path], again, 60, control=f"{tmp_path}/{{stem}}.ctl", current=True)
    assert found["PROD.T"] == marks
    assert among["PROD.T"]
    again_log = Nights(tmp_path)
    again_log.to = again
    assert again_log.land(path)["PROD.T"] == marks


@pytest.mark.parametrize("is_behind", [True, False])
def test_a_truncate_without_a_description_in_a_run_with_rows_that_are_not_merged(
    tmp_path: Path, *, is_behind: bool
) -> None:
    """Only what is in front of it does not matter."""
    log = Nights(tmp_path)
    kinds = [("I", WITHOUT_KEY), ("DT", U)] if is_behind else [("DT", U), ("I", WITHOUT_KEY)]
    log.land(*(log.extract((T, kind, 1), (U, "I", 1), described=[form]) for kind, form in kinds))
    assert log.land(log.extract((T, "I", 3), described=[T])).get("PROD.T", []) == [NO_KEY] * (not is_behind)


@pytest.mark.parametrize("second", [WITHOUT_KEY, OTHER_KEY])
def test_a_control_file_of_an_extract_without_a_row_of_the_table(second: Table, tmp_path: Path) -> None:
    """By its description no change is read."""
    log = Nights(tmp_path)
    paths = [
        log.extract((T, "I", 1), (T, "I", 2), described=[T, U]),
        log.extract((U, "I", 3), described=[U, second]),
    ]
    assert log.land(*paths) == {"PROD.T": [], "PROD.U": []}
    assert log.land(log.extract((T, "I", 4), described=[T])) == {"PROD.T": []}
    assert log.rows("T") == [(1, "a"), (2, "a"), (4, "a")]


@pytest.mark.parametrize("forms", [[WITHOUT_KEY], [T, OTHER_KEY]])
def test_a_table_is_emptied_before_its_key_is_known(forms: list[Table], tmp_path: Path) -> None:
    """A truncate needs no key: rows that were put there before the first run are gone."""
    log = Nights(tmp_path)
    write_deltalake(str(log.to / "current" / "PROD.T"), pa.table({"ID": pa.array([1], pa.int32()), "V": ["a"]}))
    assert log.land(*(log.extract((T, "DT", 0), described=[form]) for form in forms)) == {"PROD.T": []}
    assert log.land(log.extract((T, "I", 4), described=[T])) == {"PROD.T": []}
    assert log.rows("T") == [(4, "a")]


@pytest.mark.parametrize("columns", [(PLAIN, V), (replace(K, name="ID2"), V), (replace(V, key_seq=1),)])
@pytest.mark.parametrize(("kind", "rows"), [("DT", []), ("E", [(1, "a")])])
def test_a_change_of_a_whole_table_whose_description_has_another_key(
    kind: str, rows: list[tuple[int, str]], columns: tuple[Column, ...], tmp_path: Path
) -> None:
    """It needs neither a key nor the columns of the one that is known."""
    log = Nights(tmp_path)
    log.land(log.extract((T, "I", 1), (U, "I", 1), described=[T, U]))
    path = log.extract((T, kind, 0), (U, "I", 2), described=[replace(T, columns=columns), U])
    for found in (log.land(path)["PROD.T"], log.land(path).get("PROD.T", [])):
        assert [reason.partition(" with")[0] for reason in found] == ["an exchange"] * (kind == "E")
    assert (log.rows("T"), log.rows("U")) == (rows, [(1, "a"), (2, "a")])
    log.land(log.extract((T, "I", 3), described=[T]))
    assert log.rows("T") == [*rows, (3, "a")]
    assert {"ID", "V"} == {name for name in delta(log.to / "current" / "PROD.T")[0] if not name.startswith("_")}


@pytest.mark.parametrize("described", [(), (luw.Table(3, 6, "OTHER", (ID,)),)])
def test_a_table_of_which_the_log_alone_says_that_it_is_new(described: tuple[luw.Table, ...], tmp_path: Path) -> None:
    """It says its columns without names, so without the key of the table before."""
    log, form = Extracts(tmp_path), table()

    def made_anew(unit: Transaction) -> None:
        unit.drop_table(form)
        unit.create_table(form)
        unit.initialize(form)

    log.land(insert(form, ID=1), tables=(form,))
    assert marks_of(log.land(made_anew, tables=described)) == {"PROD.ITEM": [], None: []}
    assert delta(log.to / "current" / "PROD.ITEM") == []
    assert marks_of(log.land(insert(form, ID=2), tables=(form,))) == {"PROD.ITEM": []}
    assert [row["ID"] for row in delta(log.to / "current" / "PROD.ITEM")] == [2]
