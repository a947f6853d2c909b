"""Long transactions: what is read of them grows no faster than they do, in operations, for every form of a log."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from amounts import IS_THOROUGH
from counted import elements, growth, operations
from samples.db2_scripts import DOC, ITEM, PAIR, item
from writers.db2 import dms, lob, rows, utility
from writers.db2.dms import Place
from writers.db2.header import PROPAGATABLE
from writers.db2.stream import Stream
from writers.db2.values import External
from writers.db2.wire import Rid, TableId

from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

Script = Callable[[Stream, int], None]
MOVED = 0x8000
"""The flag of a delete and an insert that are halves of one update."""
POINTER = 0x02
PROPAGATION = 0x1


def rollback(stream: Stream, size: int) -> None:
    unit = stream.begin()
    for number in range(size):
        unit.insert(ITEM, item(number))
    unit.abort()


def savepoints(stream: Stream, size: int) -> None:
    unit = stream.begin()
    for number in range(size):
        unit.insert(ITEM, item(number))
        mark = unit.mark()
        unit.insert(ITEM, item(-number))
        unit.rollback_to(mark)
    unit.commit()


def moved_rows(stream: Stream, size: int) -> None:
    unit = stream.begin()
    for number in range(size):
        unit.delete(ITEM, item(number), flags=MOVED)
        unit.insert(ITEM, item(number, "longer"), flags=MOVED)
    unit.commit()


def pointers(stream: Stream, size: int) -> None:
    """Rows that moved and left a pointer, behind many changes of another table."""
    unit, server = stream.begin(), stream.server
    for number in range(size):
        unit.insert(DOC, {"ID": number, "BODY": None})
    for number in range(size):
        before, after = (rows.formatted(server, ITEM.columns, item(number, name)) for name in (None, "moved"))
        left = bytes([POINTER, 0]) + server.u16(8 + 6) + bytes(4) + server.rid(Rid(0x340, 2))
        unit.record("insert", "normal", dms.insert(server, ITEM.id, Place(Rid(0x340, 2)), after))
        unit.record("update", "normal", dms.update(server, ITEM.id, Place(Rid(0x340, 1)), before, left))
    unit.commit()


def lob_pieces(stream: Stream, size: int) -> None:
    unit = stream.begin()
    for number in range(size):
        unit.insert(DOC, {"ID": number}, lobs={"BODY": "text"})
    unit.commit()


def open_side_by_side(stream: Stream, size: int) -> None:
    units = [stream.begin() for _ in range(size)]
    about = lob.LobObject(DOC.id, DOC.id)
    for number, unit in enumerate(units):
        unit.insert(DOC, {"ID": number}, lobs={"BODY": "text"})
        if stream.server.generation == "v10":  # a piece whose row does not come
            body = lob.add_data(stream.server, about, b"text", 0, 1, original=lob.BY_INSERT)
            unit.record("lob_add_data", "normal", body)
    for unit in units:
        unit.commit()


def one_after_another(stream: Stream, size: int) -> None:
    for number in range(size):
        unit = stream.begin()
        unit.insert(ITEM, item(number))
        unit.commit()


def rows_of_one_record(stream: Stream, size: int) -> None:
    unit = stream.begin()
    unit.insert_many(ITEM, [item(number) for number in range(size)])
    unit.insert_many(ITEM, [item(number) for number in range(size)])
    unit.abort()


def versions(stream: Stream, size: int) -> None:
    """A table that is described again and again."""
    unit = stream.begin()
    for number in range(size):
        unit.initialize(ITEM)
        unit.insert(ITEM, item(number))
    unit.commit()


def gaps(stream: Stream, size: int) -> None:
    """Propagation is switched off and on again by savepoints, and rows change between them."""
    unit = stream.begin()
    marks = []
    for number in range(size):
        marks.append(unit.mark())
        unit.alter_attribute(ITEM, PROPAGATION, 0)
        unit.insert(ITEM, item(number))
    unit.rollback_to(0)
    for number in range(size):
        unit.insert(ITEM, item(number))
    unit.abort()


def damaged(stream: Stream, size: int) -> None:
    """Records that cannot be read, each of which may have been a piece of a value."""
    for _ in range(size):
        stream.write("damaged", "normal", bytes([1, 162]), flags=PROPAGATABLE)
    unit = stream.begin()
    for number in range(size):
        unit.insert(ITEM, item(number))
    unit.commit()


def with_piece(stream: Stream, unit: Any, number: int, column_id: int, change: bytes) -> None:
    """A piece of a value and the change of its row; the value before ends where the piece begins."""
    about, server = lob.LobObject(DOC.id, DOC.id), stream.server
    if server.generation == "v10":
        body = lob.add_data(server, about, b"xx", 2 * number + 1, column_id, original=lob.BY_UPDATE)
    else:
        body = lob.afim_data(server, about, b"xx", 2 * number + 1)
    unit.record("piece", "normal", body)
    unit.record("change", "normal", change)


def updates_with_pieces(stream: Stream, size: int) -> None:
    """Until version 9.7 each piece may be of each of the rows."""
    unit, server = stream.begin(), stream.server
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        place = Place(Rid(1, number))
        with_piece(stream, unit, number, 1, dms.update(server, DOC.id, place, image, image))
    unit.commit()


def pieces_of_many_columns(stream: Stream, size: int) -> None:
    unit, server = stream.begin(), stream.server
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        with_piece(stream, unit, number, number, dms.insert(server, DOC.id, Place(Rid(1, number)), image))
    unit.commit()


def grown(stream: Stream, size: int) -> None:
    """Each update appends to the value of the same row, whose beginning is not in the log."""
    server = stream.server
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        unit = stream.begin()
        with_piece(stream, unit, number, 1, dms.update(server, DOC.id, Place(Rid(1, 1)), image, image))
        unit.commit()


def grown_without_data(stream: Stream, size: int) -> None:
    """The same for a column that is not logged, with its beginning."""
    server, about = stream.server, lob.LobObject(DOC.id, DOC.id)
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        unit = stream.begin()
        if server.generation == "v10":
            body = lob.add_amount(server, about, 2, 2 * number, 1, original=lob.BY_UPDATE)
        else:
            body = lob.afim_amount(server, about, 2, 2 * number)
        unit.record("piece", "normal", body)
        unit.record("change", "normal", dms.update(server, DOC.id, Place(Rid(1, 1)), image, image))
        unit.commit()


def grown_beside(stream: Stream, size: int) -> None:
    """The same with another piece in each update, in the middle of nothing; of another column, if columns are named."""
    server, is_named = stream.server, stream.server.generation == "v10"
    table = PAIR if is_named else DOC
    image = rows.formatted(server, table.columns, {"ID": 1, "BODY": External(), "A": External(), "B": External()})
    about = lob.LobObject(table.id, table.id)
    for number in range(size):
        unit = stream.begin()
        for column, address in ((2, 1), (1, 2 * number + 1)):
            if is_named:
                body = lob.add_data(server, about, b"xx", address, column, original=lob.BY_UPDATE)
            else:
                body = lob.afim_data(server, about, b"xx", address)
            unit.record("piece", "normal", body)
        unit.record("change", "normal", dms.update(server, table.id, Place(Rid(1, 1)), image, image))
        unit.commit()


def tables_in_turn(stream: Stream, size: int) -> None:
    """Until version 9.7 each piece may be of each of the rows of its table."""
    unit, server = stream.begin(), stream.server
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        for other in range(3):
            table = TableId(2, 20 + other)
            about = lob.LobObject(table, table)
            if server.generation == "v10":
                body = lob.add_data(server, about, b"xx", 2 * number + 1, 1, original=lob.BY_UPDATE)
            else:
                body = lob.afim_data(server, about, b"xx", 2 * number + 1)
            unit.record("piece", "normal", body)
            unit.record("change", "normal", dms.update(server, table, Place(Rid(1, number)), image, image))
    unit.commit()


def chain_of_loads(stream: Stream, size: int) -> None:
    """Links that lead through all starts of loads in front of them."""
    unit = stream.begin()
    for _ in range(5 * size):
        unit.record("load_start", "load_start", utility.load_start(stream.server, 1, 3, 9))
    last = unit._last
    for number in range(5 * size):
        unit._last = last
        unit.insert(ITEM, item(number))
    unit.commit()


SCRIPTS: dict[str, Script] = {
    script.__name__: script
    for script in (
        rollback, savepoints, moved_rows, pointers, lob_pieces, open_side_by_side, one_after_another,
        rows_of_one_record, versions, gaps, damaged, updates_with_pieces,
        pieces_of_many_columns, grown, grown_without_data, grown_beside, tables_in_turn,
        chain_of_loads,
    )
}  # fmt: skip
FORMS = [("v7", "bare"), ("v9.7", "lsn8"), ("v10", "filter")]


def pieces_of_many_tables(stream: Stream, size: int) -> None:
    for number in range(size):
        table = replace(DOC, table_id=100 + number)
        unit = stream.begin()
        body = lob.add_data(stream.server, lob.LobObject(table.id, table.id), b"text", 0, 1, original=lob.BY_INSERT)
        unit.record("lob_add_data", "normal", body)
        unit.insert(table, {"ID": number, "BODY": None})
        unit.commit()


def gaps_of_many_tables(stream: Stream, size: int) -> None:
    """Propagation is switched off for tables of which no row follows, and rows of others change."""
    unit = stream.begin()
    for number in range(size):
        unit.alter_attribute(replace(ITEM, tablespace_id=9, table_id=number), PROPAGATION, 0)
    unit.commit()
    for number in range(size):
        unit = stream.begin()
        unit.initialize(table := replace(ITEM, tablespace_id=8, table_id=number))
        unit.insert(table, item(number))
        unit.commit()


def many_users(stream: Stream, size: int) -> None:
    """Each commit has another authorization id."""
    for number in range(5 * size):
        stream.begin(f"USER{number:05}").commit()


MANY_TABLES = {
    "pieces_of_many_tables": pieces_of_many_tables,
    "gaps_of_many_tables": gaps_of_many_tables,
    "many_users": many_users,
}


def written(folder: Path, script: Script, size: int, generation: Any, framing: Any) -> str:
    stream = Stream(generation, "little", framing)
    unit = stream.begin()
    for table in (ITEM, DOC, PAIR):
        unit.initialize(table)
    unit.commit()
    script(stream, size)
    path = folder / f"{size}.log"
    path.write_bytes(stream.bytes())
    return str(path)


def forms_of(number: int, script: str) -> list[tuple[str, str]]:
    """The forms in which a script is counted; a quick run takes one for each script, in turn."""
    # A record of several rows exists from version 9.7 on.
    forms = [form for form in FORMS if (script, form[0]) != ("rows_of_one_record", "v7")]
    return forms if IS_THOROUGH else [forms[number % len(forms)]]


@pytest.mark.parametrize(
    ("script", "generation", "framing"),
    [(script, *form) for number, script in enumerate(SCRIPTS) for form in forms_of(number, script)],
)
def test_reading_is_linear(script: str, generation: str, framing: str, tmp_path: Path) -> None:
    def opened(size: int) -> Any:
        path = written(tmp_path, SCRIPTS[script], size, generation, framing)
        named = {"generation": generation, "byteOrder": "little", "framing": framing, "include": "all"}
        return open_changes(path, read_options({"spec": "db2_log", **named}))

    def first_pass(size: int) -> int:
        log = opened(size)
        return operations(log.claims, within="lmparse/db2/")

    def second_pass(size: int) -> int:
        log = opened(size)
        assert log.transaction_index.transactions
        return operations(lambda: list(log.typed_changes()), within="lmparse/db2/")

    second_pass(2)  # specs are loaded, and what is made once is there
    assert growth(first_pass, 30) < 2.3
    assert growth(second_pass, 10) < 2.3


@pytest.mark.parametrize("script", [*SCRIPTS, *MANY_TABLES])
def test_arrays_are_linear(script: str, tmp_path: Path) -> None:
    """What NumPy does inside of one line counts, too."""

    def read(size: int) -> int:
        path = written(tmp_path, {**SCRIPTS, **MANY_TABLES}[script], size, "v10", "filter")
        log = open_changes(path, read_options({"spec": "db2_log", "include": "all", "engine": "columnar"}))
        return elements(lambda: list(arrow.version_batches(log)))

    read(2)
    assert growth(read, 60) < 2.1


def test_rows_that_share_lob_pieces_are_pickled_without_recursion(tmp_path: Path) -> None:
    """Each may be the row of each piece, and Spark pickles them."""
    path = written(tmp_path, lob_pieces, 2000, "v7", "bare")
    log = open_changes(path, read_options({"spec": "db2_log", "generation": "v7", "engine": "kaitai"}))
    (part,) = log.change_parts(1 << 30)
    assert len(pickle.dumps(part)) < 2 << 20


def earlier_of(change: Any) -> list[Any]:
    """The changes that the only value of a change grew by."""
    assert len(change.grows) <= 1
    return [earlier for chain in change.grows.values() for earlier in chain]


@pytest.mark.parametrize(("generation", "framing"), FORMS)
def test_a_value_that_grows_keeps_one_list_of_its_changes(generation: str, framing: str, tmp_path: Path) -> None:
    """Each update appends to the value of the same row."""
    path = written(tmp_path, grown, 500, generation, framing)
    named = {"generation": generation, "byteOrder": "little", "framing": framing}
    log = open_changes(path, read_options({"spec": "db2_log", **named}))
    changes = [entry.changes[0] for entry in log.transaction_index.transactions if entry.changes[0].op == "U"]
    assert [len(earlier_of(change)) for change in changes] == list(range(500))
    assert len({id(earlier.entries) for change in changes for earlier in change.grows.values()}) == 1
    log = open_changes(path, read_options({"spec": "db2_log", "engine": "kaitai", **named}))
    (part,) = log.change_parts(1 << 30)
    assert len(earlier_of(pickle.loads(pickle.dumps(part))[0].own.index.transactions[-1].changes[0])) == 499


@pytest.mark.parametrize(("generation", "framing"), FORMS)
def test_values_that_go_on_from_earlier_ones_keep_one_list(generation: str, framing: str, tmp_path: Path) -> None:
    """Behind a long value, pieces begin again and again a little before its end: no list is copied for them."""

    def branching(stream: Stream, size: int) -> None:
        server = stream.server
        image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
        for number in chain(range(size), (size - 2 + turn % 3 for turn in range(3 * size))):
            unit = stream.begin()
            with_piece(stream, unit, number, 1, dms.update(server, DOC.id, Place(Rid(1, 1)), image, image))
            unit.commit()

    path = written(tmp_path, branching, 60, generation, framing)
    named = {"generation": generation, "byteOrder": "little", "framing": framing}
    index = open_changes(path, read_options({"spec": "db2_log", **named})).transaction_index
    changes = [entry.changes[0] for entry in index.transactions if entry.changes[0].op == "U"]
    lengths = [len(earlier_of(change)) for change in changes]
    assert lengths[:60] == list(range(60))
    assert lengths[60:] == [58, 59, 60] * 60
    kept = {id(earlier.entries): len(earlier.entries) for change in changes for earlier in change.grows.values()}
    assert sum(kept.values()) < 2 * len(changes)


@pytest.mark.parametrize("script", ["grown", "grown_without_data", "grown_beside"])
@pytest.mark.parametrize(("generation", "framing"), FORMS if IS_THOROUGH else FORMS[-1:])
def test_a_value_that_is_not_available_is_not_followed_to_its_beginning_for_each_change(
    script: str, generation: str, framing: str, tmp_path: Path
) -> None:
    said: list[str] = []

    def rows_of(size: int) -> int:
        path = written(tmp_path, SCRIPTS[script], size, generation, framing)
        named = {"generation": generation, "byteOrder": "little", "framing": framing}
        log = open_changes(path, read_options({"spec": "db2_log", **named}))
        assert log.transaction_index.transactions
        found: list[Any] = []
        count = operations(lambda: found.extend(log.typed_changes()), within="lmparse/db2/lob_values")
        said[:] = [(change.detail or {}).get("absent", {}).get("after.C2", "") for change in found if change.op == "U"]
        return count

    assert growth(rows_of, 40) < 2.1
    amounts = [f"not logged: {2 * number} bytes of a NOT LOGGED column" for number in range(1, 161)]
    assert len(said) == 160
    assert said == amounts if script == "grown_without_data" else all("appended to is not" in text for text in said)
