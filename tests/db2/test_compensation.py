"""Long transactions: what is read of them grows no faster than they do, in operations, for every form of a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amounts import IS_THOROUGH
from counted import elements, growth, operations
from samples.db2_scripts import DOC, ITEM, PAIR, item
from writers.db2 import dms, lob, rows, utility
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.values import External
from writers.db2.wire import Rid

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


def grown(stream: Stream, size: int) -> None:
    """Each update appends to the value of the same row, whose beginning is not in the log."""
    server = stream.server
    image = rows.formatted(server, DOC.columns, {"ID": 1, "BODY": External()})
    for number in range(size):
        unit = stream.begin()
        with_piece(stream, unit, number, 1, dms.update(server, DOC.id, Place(Rid(1, 1)), image, image))
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
        rollback, savepoints, moved_rows, pointers, lob_pieces, gaps, updates_with_pieces, grown, chain_of_loads,
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


@pytest.mark.parametrize(
    ("script", "generation", "framing"),
    [(script, *form) for number, script in enumerate(SCRIPTS)
     for form in (FORMS if IS_THOROUGH else [FORMS[number % len(FORMS)]])],
)  # fmt: skip
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
        assert log.log_index.contexts
        return operations(lambda: list(log.typed_changes()), within="lmparse/db2/")

    second_pass(2)  # specs are loaded, and what is made once is there
    assert growth(first_pass, 15) < 2.3
    assert growth(second_pass, 10) < 2.3


@pytest.mark.parametrize("script", ["rollback", "moved_rows", "lob_pieces", "chain_of_loads", *MANY_TABLES])
def test_arrays_are_linear(script: str, tmp_path: Path) -> None:
    """What NumPy does inside of one line counts, too."""

    def read(size: int) -> int:
        path = written(tmp_path, {**SCRIPTS, **MANY_TABLES}[script], size, "v10", "filter")
        log = open_changes(path, read_options({"spec": "db2_log", "include": "all", "engine": "columnar"}))
        return elements(lambda: list(arrow.version_batches(log)))

    read(2)
    assert growth(read, 30) < 2.1
