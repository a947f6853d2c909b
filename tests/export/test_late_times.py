"""Keys with the time of day 24.00.00: as a typed value it is midnight of the next day, which is another key in Db2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from export.landed_extracts import Change, Extracts, delta, insert, void
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table

from lmparse.export import landing, late_times
from lmparse.export.landing import LandedChanges
from lmparse.records.files import ignored

DAY = Table(3, 5, "DAY", (Column("ID", "TIMESTAMP(6)", nullable=False), Column("N", "TIMESTAMP(0)")))
LATE, MIDNIGHT, NOON = "2026-03-14T24:00:00.000000", "2026-03-15T00:00:00.000000", "2026-03-15T12:00:00.000000"
REASON = "a key has the time of day 24.00.00, which is given as midnight of the next day, another key in the source"


def put(key: str, value: str | None = None) -> Change:
    return insert(DAY, ID=key, N=value)


def deleted(key: str) -> Change:
    return lambda unit: void(unit.delete(DAY, {"ID": key, "N": None}))


def moved(old: str, new: str) -> Change:
    return lambda unit: void(unit.update(DAY, {"ID": old, "N": None}, {"ID": new, "N": None}))


def truncated(unit: Transaction) -> None:
    unit.truncate(DAY)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize(
    ("steps", "marked"),
    [
        ([put(LATE), put(MIDNIGHT), deleted(MIDNIGHT)], 0),
        ([put(NOON), put(LATE)], 1),
        ([put(NOON), deleted(LATE)], 1),  # a row from before the log
        ([put(NOON), moved(NOON, LATE), put(NOON)], 1),
        ([put(NOON), moved(LATE, NOON)], 1),
        ([put(LATE), truncated, put(MIDNIGHT)], None),
        ([put(LATE), truncated, put(LATE)], 2),
        ([put(LATE), truncated, put(NOON), put(LATE), put(MIDNIGHT), put(LATE)], 3),
        ([put(LATE), put(MIDNIGHT), put(LATE), truncated, put(NOON)], None),
        ([put(LATE), truncated, put(LATE), truncated, put(NOON), put(LATE), put(LATE)], 5),
        ([put(MIDNIGHT), put(NOON), deleted(MIDNIGHT)], None),
        ([put(MIDNIGHT, "2026-03-14T24:00:00")], None),  # of no key
        ([put("9999-12-31T24:00:00.000000"), put(MIDNIGHT)], None),
    ],
)
def test_a_table_with_such_a_key_is_marked(
    steps: list[Change], marked: int | None, engine: str, tmp_path: Path
) -> None:
    log = Extracts(tmp_path, engine=engine)
    (landed,) = log.land(*steps, tables=(DAY,)).tables
    changes = delta(log.to / "changes" / "PROD.DAY")
    assert landed.marks == ([] if marked is None else [{"seq": changes[marked]["seq"], "reason": REASON}])
    assert (landed.rows, landed.merged) == (len(steps), len(steps))


def test_the_mark_stays_in_later_runs(tmp_path: Path) -> None:
    log = Extracts(tmp_path, engine="check")
    seqs = [
        [mark["seq"] for mark in log.land(put(key), tables=(DAY,)).tables[0].marks] for key in (NOON, LATE, MIDNIGHT)
    ]
    second = delta(log.to / "changes" / "PROD.DAY")[1]["seq"]
    assert seqs == [[], [second], [second]]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_where_very_many_are_late_the_mark_is_not_too_late(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not late counts as late between two that are."""
    monkeypatch.setattr(late_times, "_MOST", most)
    steps = [put(LATE), put(LATE), truncated, put(NOON), put(LATE), put(LATE), put(LATE), truncated, put(NOON)]
    for end, marked in ((7, {3, 4}), (9, {None})):
        log = Extracts(tmp_path / str(end))
        log.folder.mkdir()
        (landed,) = log.land(*steps[:end], tables=(DAY,)).tables
        seqs = [row["seq"] for row in delta(log.to / "changes" / "PROD.DAY")]
        places = {None if not landed.marks else seqs.index(landed.marks[0]["seq"])}
        assert places <= marked


def test_a_text_of_that_form_is_no_time(tmp_path: Path) -> None:
    form = Table(3, 5, "DAY", (Column("ID", "VARCHAR(30)", nullable=False),))
    assert not Extracts(tmp_path).land(insert(form, ID=LATE), tables=(form,)).tables[0].marks


def test_a_log_that_is_read_in_parts(tmp_path: Path) -> None:
    """As Spark does, each part by itself."""
    stream = Stream("v10", "little", "filter")
    for key in (NOON, LATE, MIDNIGHT):
        unit = stream.begin()
        unit.insert(DAY, {"ID": key, "N": None})
        unit.commit()
    (tmp_path / "x.log").write_bytes(stream.bytes())
    tables = luw.tables_file(tmp_path, DAY, replaced=[("name: DAY,", "name: DAY, key: [ID],")])
    done = list[int]()

    def in_parts(read: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        done.append(len(tasks))
        return map(read, tasks)

    asked = landing.asked_for(tmp_path / "x.log", tmp_path / "to", "delta", True, {"spec": "db2_log", "tables": tables})
    landed: list[LandedChanges] = landing.run(replace(asked, run=in_parts, part_bytes=100), ignored, None).tables
    assert done[-1] > 1
    assert [[mark["reason"] for mark in one.marks] for one in landed] == [[REASON]]
