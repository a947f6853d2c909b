"""Units and compensations by the column, against a plain walk over the records."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lmparse.db2.record_columns import ChangedRows, Ends, Members, RecordColumns, Undos
from lmparse.db2.record_forms import Role
from lmparse.db2.units import COMMITTED, OPEN, ROLLED_BACK, find_units, match_undos

_ROLES = (Role.MEMBER, Role.CHANGE, Role.CHANGE, Role.UNDO, Role.COMMIT, Role.ABORT)


def columns_of(records: list[dict[str, Any]]) -> RecordColumns:
    """Records as columns: role, tid, previous, rid and, of a compensation, what it names."""
    count = len(records)

    def column(name: str, type_: Any = np.int64) -> Any:
        return np.array([record.get(name, 0) for record in records], type_)

    zeros = np.zeros(count, np.int64)
    members = Members(
        index=np.arange(count), offset=np.arange(count) * 100, length=zeros + 100, tid=column("tid", np.uint64),
        previous=column("previous", np.uint64), lsn=np.arange(count).astype(np.uint64), lfs=zeros.astype(np.uint64),
        stream=zeros, address=column("address", np.uint64), role=column("role", np.int16), form=zeros.astype(np.int16),
    )  # fmt: skip
    rows = np.flatnonzero(members.role == Role.CHANGE)
    undos = np.flatnonzero(members.role == Role.UNDO)
    ends = np.flatnonzero((members.role == Role.COMMIT) | (members.role == Role.ABORT))
    none, no = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.bool_)
    has = np.array([records[number]["named"] is not None for number in undos.tolist()], np.bool_)
    named = np.array([records[number]["named"] or 0 for number in undos.tolist()], np.uint64)
    return RecordColumns(
        count, count * 100, members,
        ChangedRows(rows, none, none + 7, column("rid", np.uint64)[rows], no, no, no, none, none, none, none),
        Undos(undos, np.full(len(undos), 7), column("rid", np.uint64)[undos], named, has, 0 * named, has & False),
        Ends(ends, 0 * ends + 5, 0 * ends),
    )  # fmt: skip


def random_records(chance: random.Random, count: int, *, with_addresses: bool) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for number in range(count):
        role = chance.choice(_ROLES)
        tid = chance.randrange(1, 4)
        record = {"role": role, "tid": tid, "rid": chance.randrange(3), "address": 1000 + number, "named": None}
        record["previous"] = 0 if chance.random() < 0.15 else 1
        if role == Role.UNDO and with_addresses:
            record["named"] = 1000 + chance.randrange(count)
        records.append(record)
    return records


def walked(records: list[dict[str, Any]]) -> tuple[list[tuple[int, int, int]], set[int]]:
    """First record, tid and outcome of each unit; and the changes that the latest one of their row is taken back."""
    units: dict[int, dict[str, Any]] = {}
    found: list[dict[str, Any]] = []
    undone: set[int] = set()
    for number, record in enumerate(records):
        unit = units.get(record["tid"])
        if unit is None or not record["previous"]:
            unit = units[record["tid"]] = {"first": number, "tid": record["tid"], "state": OPEN, "rows": {}}
            found.append(unit)
        rows = unit["rows"].setdefault(record["rid"], [])
        if record["role"] == Role.CHANGE:
            rows.append(number)
        elif record["role"] == Role.UNDO and rows:
            undone.add(rows.pop())
        elif record["role"] in (Role.COMMIT, Role.ABORT):
            unit["state"] = COMMITTED if record["role"] == Role.COMMIT else ROLLED_BACK
            del units[record["tid"]]
    return [(unit["first"], unit["tid"], unit["state"]) for unit in found], undone


@pytest.mark.parametrize("seed", range(40))
def test_units_and_brackets(seed: int) -> None:
    chance = random.Random(seed)
    records = random_records(chance, chance.choice((0, 1, 2, 60, 300)), with_addresses=False)
    columns = columns_of(records)
    units, unit_of = find_units(columns)
    expected, undone = walked(records)
    first, tids, states = units.first_index.tolist(), units.tid.tolist(), units.state.tolist()
    assert sorted(zip(first, tids, states, strict=True)) == sorted(expected)
    assert (units.tid[unit_of] == columns.members.tid).all()
    kinds = np.zeros(len(columns.rows)), np.zeros(len(columns.undos))
    matched = match_undos(columns, unit_of, units.previous != 0, *kinds, has_addresses=False)
    assert {*columns.members.index[columns.rows.member[matched.is_undone]].tolist()} == undone
    assert len(matched.left) == len(columns.undos) - len(undone)
    assert not len(matched.irregular)


@pytest.mark.parametrize("seed", range(40))
def test_compensations_that_name_addresses(seed: int) -> None:
    """One that names a change of its unit undoes it; two of one change, or one behind it, contradict themselves."""
    records = random_records(random.Random(seed), 200, with_addresses=True)
    columns = columns_of(records)
    units, unit_of = find_units(columns)
    kinds = np.zeros(len(columns.rows)), np.zeros(len(columns.undos))
    matched = match_undos(columns, unit_of, units.previous != 0, *kinds, has_addresses=True)
    named: dict[int, list[int]] = {}
    for number, record in enumerate(records):
        target = -1 if record["named"] is None else record["named"] - 1000
        if target >= 0 and records[target]["role"] == Role.CHANGE and unit_of[target] == unit_of[number]:
            named.setdefault(target, []).append(number)
    good = {target for target, numbers in named.items() if len(numbers) == 1 and numbers[0] > target}
    bad = {records[number]["tid"] for target, numbers in named.items() if target not in good for number in numbers}
    assert {*columns.members.index[columns.rows.member[matched.is_undone]].tolist()} == good
    assert {*matched.irregular.tolist()} == bad
    assert len(matched.left) == len(columns.undos) - sum(map(len, named.values()))


def test_an_address_of_two_streams_is_irregular() -> None:
    records: list[dict[str, Any]] = [
        {"role": Role.CHANGE, "tid": 1, "rid": 1, "address": 5, "named": None},
        {"role": Role.CHANGE, "tid": 2, "rid": 1, "address": 5, "named": None},
        {"role": Role.UNDO, "tid": 1, "rid": 1, "address": 6, "named": 5, "previous": 5},
    ]
    columns = columns_of(records)
    units, unit_of = find_units(columns)
    matched = match_undos(columns, unit_of, units.previous != 0, np.zeros(2), np.zeros(1), has_addresses=True)
    assert matched.irregular.tolist() == [1]
    assert not matched.is_undone.any()


def test_a_compensation_that_names_the_record_before_another_change_is_irregular() -> None:
    """The latest change of the row is undone unless another one of the row is behind the named record."""
    records: list[dict[str, Any]] = [
        {"role": Role.CHANGE, "tid": 1, "rid": 1, "previous": 0, "named": None},
        {"role": Role.CHANGE, "tid": 1, "rid": 1, "previous": 9, "named": None},
        {"role": Role.UNDO, "tid": 1, "rid": 1, "previous": 10, "named": None},
    ]
    for before, irregular in ((9, []), (0, [1]), (77, [])):
        columns = columns_of(records)
        undos = replace(columns.undos, before_compensated=np.array([before], np.uint64), has_before=np.array([True]))
        columns.undos = undos
        units, unit_of = find_units(columns)
        matched = match_undos(columns, unit_of, units.previous != 0, np.zeros(2), np.zeros(1), has_addresses=False)
        assert matched.irregular.tolist() == irregular, before


def test_a_compensation_may_name_a_record_in_front_of_the_stretch() -> None:
    """Which change of the row it undoes is then known only with the records there."""
    records: list[dict[str, Any]] = [
        {"role": Role.CHANGE, "tid": 1, "rid": 1, "previous": 9, "named": None},
        {"role": Role.UNDO, "tid": 1, "rid": 1, "previous": 10, "named": None},
    ]
    for before, irregular in ((9, []), (5, [1])):
        columns = columns_of(records)
        undos = replace(columns.undos, before_compensated=np.array([before], np.uint64), has_before=np.array([True]))
        columns.undos = undos
        units, unit_of = find_units(columns)
        matched = match_undos(columns, unit_of, units.previous != 0, np.zeros(1), np.zeros(1), has_addresses=False)
        assert matched.irregular.tolist() == irregular, before
