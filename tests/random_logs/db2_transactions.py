"""Random Db2 LUW logs with every event and with damage, and an independent reader of their transactions: `oracle`.

Whether a log is read whole or in parts, each change is what the oracle finds: its transaction, outcome, place in `seq`,
the row before of one that moved, and the values outside of the row. So is each transaction that is listed.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from amounts import amount
from oracle import Oracle
from oracle.records import Change
from oracle.values import known_value
from samples.db2_random import DESCRIBED, FORMS, written
from writers.db2.scripts import ID_AT

from lmparse.errors import DataError, FramingError, LmparseError
from lmparse.logs import lines
from lmparse.logs.log import transaction_summaries
from random_logs.db2_reading import opened

LOGS = amount(60, 400)
_TRANSACTIONS = 8
_WAYS = (("all", "file", None), ("all", "file", 2000), ("committed", "commit", None), ("committed", "commit", 2000))
"""Values of `include` and of `order`, and bytes of a part."""
_IDS = {table.name: (table.tablespace_id, table.table_id) for table in DESCRIBED}
_PLAIN, _WIDE = (_IDS["ITEM"], _IDS["MIXED"]), _IDS["WIDE"]
_OUTSIDE = {_IDS["DOC"]: (1,), _IDS["PAIR"]: (1, 2), _IDS["XDOC"]: (1, 2), _WIDE: (1, 2)}
"""The columns that may have their values outside of the row."""
_WHOLE_ROW = 0xFFFF
"""In place of a column: pieces with all varying values of a row."""
_OF_THE_TABLE = ("the columns that LOB records name", "the table has several LOB columns")
"""Why a value is not known, whatever pieces there are."""
_DISPOSITIONS = {"committed": "C", "rolled-back": "A", "open": None}
_Rows = dict[tuple[int, int], dict[str, Any]]
"""Changes by number of the record, and number in it."""


def check(seed: int, folder: Path) -> Counter[str]:
    path, options, _ = written(folder, seed, _TRANSACTIONS)
    include, order, part_bytes = _WAYS[seed // len(FORMS) % len(_WAYS)]
    errors: list[LmparseError] = []
    log: Any = opened([path], {**options, "include": include, "order": order}, part_bytes, errors=errors)
    oracle, rows = Oracle(log), _Rows()
    with suppress(FramingError):  # what is behind it is no record
        for row in (json.loads(line) for text in lines.printed(log, with_changes=True) for line in text.splitlines()):
            rows[row["_metadata"]["record_index"], int(row["seq"][-4:], 16)] = row
    _check_changes(oracle, rows, {error.record_index for error in errors if isinstance(error, DataError)}, log)
    values = _check_values(oracle, rows) if include == "all" else 0
    return Counter(logs=1, rows=len(rows), values=values, transactions=_check_transactions(oracle, log))


def _check_changes(oracle: Oracle, rows: _Rows, bad: set[int | None], log: Any) -> None:
    """The changes in their order, and why others are left out; those of a record with an error may be missing."""
    include, wanted, left_out = log.options.include, {}, Counter[str]()
    for one, change in oracle.changes():
        state = "incomplete" if one.is_incomplete else one.state_of(change)
        if state in include or "all" in include:
            wanted[change.record.index, change.number] = one, change
        else:
            left_out[state] += 1
    _same("left out", left_out, Counter({why: log.left_out[why] for why in log.left_out if "internal" not in why}))
    assert rows.keys() <= wanted.keys(), f"no changes: {rows.keys() - wanted.keys()}"
    is_by_commit = log.options.order == "commit"
    in_order = sorted(rows, key=lambda place: wanted[place][0].seq(wanted[place][1]) if is_by_commit else place)
    _same("order", in_order, [*rows])
    for place, (one, change) in wanted.items():
        if place not in rows:
            assert place[0] in bad or not oracle.is_row(change), f"{place}: {change.op} is not given"
            continue
        row, is_row = rows[place], change.op in "IUD"
        detail = row["detail"] or {}
        facts = {
            "op": "U" if change.other else change.op, "seq": one.seq(change), "txn_id": one.txn_id,
            "ids": change.record.table, "moved": is_row and (change.is_half or change.other is not None),
            "log_rec_disp": _DISPOSITIONS[one.state_of(change)], "uor_disp": _DISPOSITIONS[one.state],
        }  # fmt: skip
        given = {**row, "ids": _ids(row["table_name"]), "moved": detail.get("moved", False)}
        _same(place, facts, {name: given[name] for name in facts})
        if is_row and change.record.table in _PLAIN:
            for role, image in (("before", (change.other or change).before), ("after", change.after)):
                _same(f"{place} {role}", *_numbers(oracle, image, row[role], detail.get(f"{role}_bytes")))


def _ids(name: str) -> tuple[int, ...]:
    """The ids of a table by its name, or by the ids in place of it."""
    return _IDS.get(name.rpartition(".")[2]) or tuple(map(int, name.split(".")))


def _numbers(oracle: Oracle, image: bytes | None, row: dict[str, Any] | None, raw: str | None) -> tuple[Any, Any]:
    """What tells an image of a row from all others, and the same of what lmparse gives."""
    if image is None or row is None:
        return image and image.hex().upper(), raw
    number, raw_number = next(iter(row.values())), image[ID_AT : ID_AT + 4]  # none where damage made the row too short
    if isinstance(number, str):  # damage in the description of the table gave the column a type that is not listed
        return raw_number.hex().upper(), number
    return number and int.from_bytes(raw_number, oracle.byte_order, signed=True), number


def _check_values(oracle: Oracle, rows: _Rows) -> int:
    """The values outside of rows; which rows need one is what lmparse says. Returns how many are known."""
    needed, of_pieces, count = dict[Change, dict[int, str]](), dict[int, list[Change]](), 0
    for _, change in oracle.changes():
        needed[change] = _needed(rows.get((change.record.index, change.number)))
        of_pieces.setdefault(id(change.pieces), []).append(change)
    for change, columns in needed.items():
        for column, why in columns.items():
            if column < 0 or why.startswith(_OF_THE_TABLE):
                continue

            def rivals(one: Change, column: int = column) -> int:
                if one.pieces[0].column is None:
                    return sum(bool(needed[other]) for other in of_pieces[id(one.pieces)])
                return sum(column in needed.get(other, ()) for other in one.record.changes)

            is_wide = change.record.table == _WIDE
            wanted = known_value(change, _WHOLE_ROW if is_wide else column, rivals, oracle.doubtful)
            given = [*rows[change.record.index, change.number]["after"].values()][column]
            if wanted is None:
                is_same = given is None
            elif is_wide:  # the value of one column is among those of the row
                is_same = given is not None and given.encode() in wanted
            else:
                is_same = given in (wanted.hex().upper(), wanted.decode(errors="replace"))
            assert is_same, f"{change.record.index}, column {column}: {given} ({why}), but it is {wanted!r}"
            count += given is not None
    return count


def _needed(row: dict[str, Any] | None) -> dict[int, str]:
    """The columns of a row after whose values are outside of it, and why each is not known; -1 for a row of a table
    that nothing describes."""
    detail = (row and row["detail"]) or {}
    if row is None or row["op"] not in "IU" or not row["after"]:
        return {-1: ""} if row and "after_bytes" in detail and not row["before"] else {}
    absent, found = detail.get("absent") or {}, {}
    for number in _OUTSIDE.get(_ids(row["table_name"]), ()):
        name, value = [*row["after"].items()][number]
        why = absent.get(f"after.{name}", "")
        if value is not None or (why and "column was added" not in why):
            found[number] = why
    return found


def _check_transactions(oracle: Oracle, log: Any) -> int:
    wanted, found = list(oracle.summaries()), []
    with suppress(FramingError):
        found += (summary.to_row() for summary in transaction_summaries(log))
    assert len(wanted) == len(found), f"{len(found)} transactions, not {len(wanted)}"
    for one, row in zip(wanted, found, strict=True):
        for name in ("tables", "compensated"):
            counts = Counter[Any]()
            for table, ops in row[name].items():
                counts += Counter({(_ids(table), op): count for op, count in ops.items()})
            row[name] = counts
        _same("transaction", one, {name: row[name] for name in one})
    return len(found)


def _same(what: object, wanted: object, found: object) -> None:
    assert wanted == found, f"{what}: {found}, not {wanted}"
