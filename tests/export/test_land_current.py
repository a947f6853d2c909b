"""Current tables: the last row of each key, and what is refused by name because the changes do not say it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import Run
from deltalake import CommitProperties, DeltaTable, write_deltalake
from export.delta_tables import rows_of
from export.landed_extracts import ID, Change, Extracts, delta, insert, table, void
from export.landed_nights import OTHER_KEY, WITHOUT_KEY, Nights, T, U
from samples import db2_scripts as luw
from writers.bmc import control, framing
from writers.db2.columns import Column
from writers.db2.stream import Transaction
from writers.db2.tables import Table
from writers.db2.values import External

import lmparse
from lmparse.errors import OptionError

ITEM = table(Column("N", "INTEGER"))
SEED = pa.table({"ID": pa.array([1, 2, 3], pa.int32()), "N": pa.array([1, 2, 3], pa.int32())})


def refusal(landed: lmparse.Landed, name: str = "PROD.ITEM") -> str:
    """Why the current table of a table was not changed; empty if it was."""
    (one,) = (one for one in landed.tables if one.table == name)
    assert one.is_refused == ("[LMP-S032]" in one.refusal)
    assert one.is_refused == (f"{name}: the current table is not changed from " in one.refusal)
    return one.refusal


def rows(log: Extracts, *names: str) -> list[tuple[Any, ...]]:
    found = delta(log.to / "current" / "PROD.ITEM")
    return [tuple(row[name] for name in names or ("ID", "N")) for row in found]


def update(form: Table, old: dict[str, Any], new: dict[str, Any]) -> Change:
    return lambda unit: void(unit.update(form, old, new))


def moved(*keys: int) -> Change:
    """A row gets one key after the other in one transaction."""

    def change(unit: Transaction) -> None:
        for old, new in pairwise(keys):
            unit.update(ITEM, {"ID": old, "N": 1}, {"ID": new, "N": 1})

    return change


def shifted(unit: Transaction) -> None:
    """Each of two rows gets the next key, the first one first, as in `SET ID = ID + 1`."""
    for key in (1, 2):
        unit.update(ITEM, {"ID": key, "N": key}, {"ID": key + 1, "N": key})


# -- the last change of a key --------------------------------------------------------------------------


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([update(ITEM, {"ID": 1, "N": 1}, {"ID": 1, "N": 9})], [(1, 9), (2, 2)]),
        ([update(ITEM, {"ID": 1, "N": 1}, {"ID": 5, "N": 1})], [(2, 2), (5, 1)]),
        ([lambda unit: void(unit.delete(ITEM, {"ID": 2, "N": 2})), insert(ITEM, ID=2, N=7)], [(1, 1), (2, 7)]),
        ([lambda unit: unit.truncate(ITEM), insert(ITEM, ID=1, N=8)], [(1, 8)]),
        ([lambda unit: unit.truncate(ITEM)], []),
        ([moved(1, 5), lambda unit: void(unit.delete(ITEM, {"ID": 5, "N": 1}))], [(2, 2)]),
    ],
)
def test_the_last_change_of_each_key(
    steps: list[Change], expected: list[tuple[int, int]], *, is_together: bool, tmp_path: Path
) -> None:
    log = Extracts(tmp_path)
    steps = [insert(ITEM, ID=1, N=1), insert(ITEM, ID=2, N=2), *steps]
    for some in [steps] if is_together else [[step] for step in steps]:
        assert refusal(log.land(*some, tables=(ITEM,))) == ""
    assert rows(log) == expected


def test_nulls_in_the_key(tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (Column("ID", "INTEGER"), Column("N", "INTEGER")))
    log = Extracts(tmp_path)
    log.land(insert(form, ID=None, N=1), insert(form, ID=2, N=2), tables=(form,))
    log.land(update(form, {"ID": None, "N": 1}, {"ID": None, "N": 5}), tables=(form,))
    assert rows(log) == [(2, 2), (None, 5)]


@pytest.mark.parametrize("is_together", [True, False])
def test_a_zero_with_a_sign_is_the_same_key(*, is_together: bool, tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (Column("ID", "DOUBLE", nullable=False), Column("N", "INTEGER")))
    steps = [
        insert(form, ID=-0.0, N=1), update(form, {"ID": 0.0, "N": 1}, {"ID": -0.0, "N": 2}),
        insert(form, ID=1.0, N=3), update(form, {"ID": 1.0, "N": 3}, {"ID": 0.5, "N": 4}),
    ]  # fmt: skip
    log = Extracts(tmp_path)
    for some in [steps] if is_together else [[step] for step in steps]:
        assert refusal(log.land(*some, tables=(form,))) == ""
    assert rows(log) == [(0.0, 2), (0.5, 4)]


def test_keys_of_many_types(tmp_path: Path) -> None:
    names = ("EMPNO", "SALARY", "HIRED", "LOGIN", "AT", "RATE", "KEY", "N")
    log = Extracts(tmp_path, key=f"key: [{', '.join(names)}], ")
    before = [luw.emp(number, "same") for number in range(1, 5)]
    log.land(*(insert(luw.EMP, **row) for row in before[:3]), tables=(luw.EMP,))
    last_first = [update(luw.EMP, old, new) for old, new in reversed([*pairwise(before)])]
    landed = log.land(*last_first, tables=(luw.EMP,))
    assert refusal(landed, "PROD.EMP") == ""
    assert sorted(row["EMPNO"] for row in rows_of(log.to / "current" / "PROD.EMP")) == ["000002", "000003", "000004"]


# -- what is refused by name ---------------------------------------------------------------------------


TAKEN, LEFT = "it takes a key that another row has", "a row leaves a key that another one has got"


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("step", "why"),
    [
        (shifted, TAKEN),
        (insert(ITEM, ID=1, N=7), TAKEN),  # by the key in the tables file, which is none
        (moved(1, 2), TAKEN),
        (moved(1, 5, 6), LEFT),
        (lambda unit: unit.alter_attribute(ITEM, 1, 0), "rows are missing in the log: "),
    ],
)
def test_what_the_changes_do_not_say(step: Change, why: str, *, is_together: bool, tmp_path: Path) -> None:
    """The table stays as it was, and is refused by later runs too; the change table has all changes."""
    log, first = Extracts(tmp_path), (insert(ITEM, ID=1, N=1), insert(ITEM, ID=2, N=2))
    for some in [(*first, step)] if is_together else [first, (step,)]:
        landed = log.land(*some, tables=(ITEM,))
    assert why in refusal(landed)
    again = log.land(insert(ITEM, ID=90, N=9), tables=(ITEM,))
    assert why in refusal(again)
    assert again.rows == 1
    assert (log.to / "current").exists() != is_together
    assert is_together or rows(log) == [(1, 1), (2, 2)]
    assert {row["after"]["ID"] for row in delta(log.to / "changes" / "PROD.ITEM") if row["op"] == "I"} == {1, 2, 90} | (
        {1} if why == TAKEN else set()
    )
    # What empties the table makes it whole.
    assert refusal(log.land(lambda unit: unit.truncate(ITEM), insert(ITEM, ID=3, N=3), tables=(ITEM,))) == ""
    assert rows(log) == [(3, 3)]


def test_a_value_that_is_not_in_the_log(tmp_path: Path) -> None:
    form = Table(3, 5, "ITEM", (ID, Column("L", "CLOB(1M)")))
    log, outside = Extracts(tmp_path), External()
    log.land(lambda unit: void(unit.insert(form, {"ID": 1}, lobs={"L": "body"})), tables=(form,))
    landed = log.land(update(form, {"ID": 1, "L": outside}, {"ID": 1, "L": outside}), tables=(form,))
    assert "the log does not have after.L" in refusal(landed)
    assert rows(log, "ID", "L") == [(1, "body")]


def test_a_row_that_moves_twice_does_not_disappear(tmp_path: Path) -> None:
    """The delete of its old record is not told from one of the row; the log has no row before the update."""
    log, form = Extracts(tmp_path), table(Column("N", "INTEGER"))
    log.land(insert(form, ID=1, N=1), tables=(form,))
    landed = log.land(
        lambda unit: (void(unit.insert(form, {"ID": 1, "N": 2})), void(unit.delete(form, {"ID": 1, "N": 1})))[0],
        tables=(form,),
    )
    assert TAKEN in refusal(landed)
    assert rows(log) == [(1, 1)]


@pytest.mark.parametrize(("key", "columns"), [("", ()), ("key: [ID, AT], ", (Column("AT", "TIMESTAMP(9)"),))])
def test_tables_without_a_current_table(key: str, columns: tuple[Column, ...], tmp_path: Path) -> None:
    """They have no key, or one with more digits of a second than are kept."""
    log = Extracts(tmp_path, key=key)
    form = table(*columns)
    row = {column.name: "2026-03-14T10:11:12.000000123" for column in columns}
    (landed,) = log.land(insert(form, ID=1, **row), tables=(form,)).tables
    assert landed.refusal == "no key of it is known with all digits of a second"
    assert (landed.is_refused, landed.merged, landed.rows) == (False, None, 1)
    assert not (log.to / "current").exists()


def test_midnights_that_are_one_key(tmp_path: Path) -> None:
    """24.00.00 is given as midnight of the next day, which is another key in the source."""
    form = Table(3, 5, "ITEM", (Column("ID", "TIMESTAMP(6)", nullable=False), Column("N", "INTEGER")))
    for count, name in ((1, "together"), (2, "apart")):
        (tmp_path / name).mkdir()
        log = Extracts(tmp_path / name)
        steps = [insert(form, ID="2026-03-14T24:00:00.000000", N=1), insert(form, ID="2026-03-15T00:00:00.000000", N=2)]
        for some in [steps] if count == 1 else [[step] for step in steps]:
            landed = log.land(*some, tables=(form,))
        assert TAKEN in refusal(landed)


@pytest.mark.parametrize("name", ["_SEQ", "_txn_id"])
def test_columns_with_the_names_of_those_of_current_tables(name: str, tmp_path: Path) -> None:
    log, form = Extracts(tmp_path), table(Column(name, "INTEGER"))
    landed = log.land(insert(form, ID=1, **{name: 1}), tables=(form,))
    assert f"its column {name} has a name that current tables use" in refusal(landed)
    assert not (log.to / "current").exists()


# -- tables that are dropped ---------------------------------------------------------------------------


def created(unit: Transaction) -> None:
    unit.create_table(ITEM)
    unit.initialize(ITEM)


def dropped(unit: Transaction) -> None:
    unit.drop_table(ITEM)


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((dropped,), [1]),  # what it had is kept until another table has its ids
        ((dropped, created, insert(ITEM, ID=3)), [3]),
        ((created, insert(ITEM, ID=3)), [3]),  # the drop is not in the log
        ((dropped, lambda unit: void(unit.create_table(ITEM)), insert(ITEM, ID=3)), [3]),
        ((lambda unit: void(unit.create_table(ITEM)), insert(ITEM, ID=3)), [1, 3]),  # of a LOB object, say
        ((dropped, insert(ITEM, ID=3)), None),
    ],
)
def test_rows_of_a_table_that_was_dropped(
    steps: tuple[Change, ...], expected: list[int] | None, tmp_path: Path, *, is_together: bool
) -> None:
    """Db2 gives ids again."""
    log = Extracts(tmp_path)
    first = (created, insert(ITEM, ID=1))
    for some in [(*first, *steps)] if is_together else [first, *((step,) for step in steps)]:
        landed = log.land(*some, tables=(ITEM,))
    if expected is None:
        assert "the table was dropped, and no creation of the one with its ids is in" in refusal(landed)
    else:
        assert refusal(landed) == ""
        assert [row[0] for row in rows(log, "ID")] == expected


# -- rows from before the log --------------------------------------------------------------------------


def test_a_table_that_says_up_to_where_its_rows_are(tmp_path: Path) -> None:
    """A copy of the table in the source, written before the first run or in the place of one that is refused."""
    log = Extracts(tmp_path)
    place, zero = str(log.to / "current" / "PROD.ITEM"), CommitProperties(custom_metadata={"lmparse.seq": "0" * 72})
    write_deltalake(place, SEED, commit_properties=zero)
    steps = update(ITEM, {"ID": 1, "N": 1}, {"ID": 1, "N": 10}), lambda unit: void(unit.delete(ITEM, {"ID": 2, "N": 2}))
    assert refusal(log.land(*steps, tables=(ITEM,))) == ""
    assert rows(log) == [(1, 10), (3, 3)]
    landed = log.land(moved(1, 5, 6), tables=(ITEM,))
    assert LEFT in refusal(landed)
    last = max(row["seq"] for row in delta(log.to / "changes" / "PROD.ITEM"))
    said = CommitProperties(custom_metadata={"lmparse.seq": last})
    write_deltalake(place, SEED, mode="overwrite", schema_mode="overwrite", commit_properties=said)
    assert refusal(log.land(insert(ITEM, ID=7, N=7), tables=(ITEM,))) == ""
    assert rows(log) == [(1, 1), (2, 2), (3, 3), (7, 7)]


def test_a_table_that_is_emptied_before_its_key_is_seen(tmp_path: Path) -> None:
    """A change of the whole table has no row, and says nothing of the key."""
    log = Extracts(tmp_path)
    zero = CommitProperties(custom_metadata={"lmparse.seq": "0" * 72})
    write_deltalake(str(log.to / "current" / "PROD.ITEM"), SEED, commit_properties=zero)
    assert refusal(log.land(lambda unit: unit.truncate(ITEM), tables=(ITEM,))) == ""
    assert rows(log) == []
    assert refusal(log.land(insert(ITEM, ID=7, N=7), tables=(ITEM,))) == ""
    assert rows(log) == [(7, 7)]


@pytest.mark.parametrize("kind", ["changes", "current"])
def test_a_table_with_rows_that_does_not_say_it(kind: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    log.land(insert(ITEM, ID=1, N=1), tables=(ITEM,))
    place = log.to / kind / "PROD.ITEM"
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    write_deltalake(str(place), SEED)
    with pytest.raises(OptionError, match="it has rows, and no commit says with lmparse") as found:
        log.land(insert(ITEM, ID=4, N=4), tables=(ITEM,))
    assert found.value.code == "LMP-S031"


def test_a_table_that_was_restored(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    for number in (1, 2):
        log.land(insert(ITEM, ID=number, N=1), tables=(ITEM,))
    DeltaTable(str(log.to / "changes" / "PROD.ITEM")).restore(0)
    with pytest.raises(OptionError, match="it was restored to what it was before") as found:
        log.land(insert(ITEM, ID=4, N=4), tables=(ITEM,))
    assert found.value.code == "LMP-S031"


def test_a_history_that_was_cleaned_up(tmp_path: Path) -> None:
    """As Delta does after a month: the transaction stays, and the rows say the rest."""
    log = Extracts(tmp_path)
    log.land(insert(ITEM, ID=1, N=1), insert(ITEM, ID=2, N=2), tables=(ITEM,))
    for kind in ("changes", "current"):
        place = DeltaTable(str(log.to / kind / "PROD.ITEM"))
        place.alter.set_table_properties({"delta.logRetentionDuration": "interval 0 days"})
        place.optimize.compact()
        place = DeltaTable(place.table_uri)
        place.create_checkpoint()
        place.cleanup_metadata()
        assert not any("lmparse.seq" in entry for entry in DeltaTable(place.table_uri).history())
    landed = log.land(insert(ITEM, ID=3, N=3), tables=(ITEM,))
    assert (landed.rows, refusal(landed), rows(log)) == (1, "", [(1, 1), (2, 2), (3, 3)])
    assert len(delta(log.to / "changes" / "PROD.ITEM")) == 3


def test_a_table_that_another_process_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are others then; the next run makes up for it."""
    from lmparse.export.land_delta import DeltaFolder

    log, real = Extracts(tmp_path), DeltaFolder.merge
    log.land(insert(ITEM, ID=1, N=1), tables=(ITEM,))
    log.land(insert(ITEM, ID=2, N=2), tables=(ITEM,))

    def after_others(self: DeltaFolder, *given: Any) -> None:
        DeltaTable(str(self.path)).delete("ID = 2")
        real(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(DeltaFolder, "merge", after_others)
        with pytest.raises(OptionError, match="another process has changed the table") as found:
            log.land(update(ITEM, {"ID": 2, "N": 2}, {"ID": 2, "N": 5}), tables=(ITEM,))
    assert found.value.code == "LMP-S022"
    log.land(tables=(ITEM,), files=(2,))
    assert rows(log) == [(1, 1), (2, 5)]


# -- changes that may be of the table ------------------------------------------------------------------

UNVERSIONED = "changes without a table version in changes/other may be of this table"


@pytest.mark.parametrize("without", [(), ("TABLEOWNER", "TABLENAME")])
def test_changes_of_a_table_that_is_described_later(
    without: tuple[str, ...], tmp_path: Path, run: Callable[..., Run]
) -> None:
    """Its first row is in no current table; of a table that was described, none is missing."""
    log = Nights(tmp_path)
    log.landed(log.extract((T, "I", 1), described=[T]))
    first = log.landed(log.extract((T, "I", 5), (U, "I", 2), described=[T], without=without))
    assert refusal(first, "PROD.T") == ""
    path = log.extract((T, "I", 6), (U, "I", 6), described=[T, U])
    done = run("land", path, "--to", log.to, "--control", f"{tmp_path}/{{stem}}.ctl", "--current")
    assert (done.code, UNVERSIONED in done.err) == (24, True)
    assert log.rows("T") == [(1, "a"), (5, "a"), (6, "a")]
    landed = log.landed(log.extract((T, "I", 7), (U, "I", 7), described=[T, U]))
    assert (refusal(landed, "PROD.T"), UNVERSIONED in refusal(landed, "PROD.U")) == ("", True)
    assert not (log.to / "current" / "PROD.U").exists()


def test_tables_whose_ids_are_not_all_known(tmp_path: Path) -> None:
    """Without DTBI records the same table may be in two folders."""
    log = Nights(tmp_path)
    log.landed(log.extract((T, "I", 1), described=[T]))
    path = log.extract((T, "I", 2), (U, "I", 4), described=[T, U])
    columns = [record for form in (T, U) for record in control.column_records(form)]
    path.with_suffix(".ctl").write_bytes(framing.rdw([*control.for_tables([])[:-1], *columns, control.dlge()]))
    landed = log.landed(path)
    refused = [one.refusal for one in landed.tables if one.table == "PROD.T"]
    assert any("since not all ids of both are known" in why for why in refused)


@pytest.mark.parametrize("second", [OTHER_KEY, WITHOUT_KEY])
def test_versions_with_other_keys(second: Any, tmp_path: Path) -> None:
    log = Nights(tmp_path)
    log.landed(log.extract((T, "I", 1), described=[T]))
    landed = log.landed(log.extract((T, "I", 2), described=[second]))
    assert "it has several keys" in refusal(landed, "PROD.T")
    assert log.rows("T") == [(1, "a")]


def test_bad_records_may_be_of_any_table(tmp_path: Path) -> None:
    log, form = Extracts(tmp_path), table()
    written, described = (Table(3, 6, "OTHER", (ID, Column("N", f"DECIMAL({size},2)"))) for size in (9, 7))
    log.land(insert(form, ID=1), tables=(form, described))
    landed = log.land(insert(written, ID=1, N="1.50"), tables=(form, described))
    assert landed.tally.dropped == 1
    for one in (landed, log.land(insert(form, ID=2), tables=(form, described))):
        assert "bad records in changes/other may be of this table" in refusal(one)
    assert rows(log, "ID") == [(1,)]
    with pytest.raises(OptionError, match="mode dropmalformed would leave changes out"):
        lmparse.land(tmp_path / "0.log", log.to, spec="db2_log", mode="dropmalformed")
