"""The encoder of Db2 LUW logs: streams of records and the changes that they state."""

from __future__ import annotations

import pytest
from writers.db2 import (
    values,
)
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import GENERATIONS, Generation

ORDERS = Table(
    2,
    15,
    "ORDERS",
    (
        Column("ID", "INTEGER", nullable=False),
        Column("CODE", "CHAR(6)", nullable=False),
        Column("AMOUNT", "DECIMAL(9,2)"),
        Column("NOTE", "VARCHAR(40)"),
    ),
)
DOCUMENTS = Table(3, 4, "DOCUMENTS", (Column("ID", "INTEGER", nullable=False), Column("DOC", "CLOB(1M)")))


def order(number: int, amount: str | None = "1.50", note: str | None = "note") -> dict[str, values.Value]:
    """A row of ORDERS."""
    return {"ID": number, "CODE": f"C{number}", "AMOUNT": amount, "NOTE": note}


def script(stream: Stream) -> None:
    """Two transactions side by side, a savepoint, an abort, and one left open."""
    first, second = stream.begin(), stream.begin("OTHER")
    first.initialize(ORDERS)
    first.insert(ORDERS, order(1))
    second.insert(ORDERS, order(2))
    mark = first.mark()
    first.insert(ORDERS, order(3))
    first.update(ORDERS, order(1), order(1, None, None))
    first.delete(ORDERS, order(1, None, None))
    first.rollback_to(mark)
    second.update(ORDERS, order(2), order(2, "-0.01"))
    second.commit("heuristic")
    third = stream.begin()
    third.delete(ORDERS, order(2, "-0.01"))
    third.truncate(ORDERS)
    first.truncate(ORDERS)
    third.abort()
    first.commit()
    stream.begin().insert(ORDERS, order(4))


BACK_POINTERS: dict[Generation, slice] = {"v7": slice(8, 14), "v9.7": slice(8, 16), "v10": slice(24, 32)}
TIDS: dict[Generation, slice] = {"v7": slice(14, 20), "v9.7": slice(16, 22), "v10": slice(32, 38)}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_stream_back_pointers(generation: Generation) -> None:
    """Each record of a transaction points at the one before, the first at none; v10 by LSO, which is no LSN."""
    stream = Stream(generation, "big")
    script(stream)
    data, last, position = stream.bytes(), {}, 0x0000000223344556
    for entry in stream.records:
        whole = data[entry.offset : entry.offset + entry.length]
        tid = whole[TIDS[generation]]
        assert int.from_bytes(whole[BACK_POINTERS[generation]], "big") == last.get(tid, 0)
        last[tid] = position if generation == "v10" else entry.lsn
        position += entry.length
    assert len(last) == 4


@pytest.mark.parametrize("generation", GENERATIONS)
def test_stream_compensation(generation: Generation) -> None:
    """The header names the compensated record, the body its RID."""
    stream = Stream(generation, "big", "filter")
    t = stream.begin()
    t.insert(ORDERS, order(1))
    rid = t.insert(ORDERS, order(2))
    t.rollback_to(1)
    _, second, undo = stream.records
    # The filter prefix holds the LSO 16 bytes before its end.
    lso = stream.bytes()[second.offset - 16 : second.offset - 8]
    position = lso if generation == "v10" else second.lsn.to_bytes(8, "big")
    compensated, size, rid_at = {"v7": (26, 32, 8), "v9.7": (32, 40, 12), "v10": (56, 64, 12)}[generation]
    whole = stream.bytes()[undo.offset :]
    assert whole[compensated:size] == position[compensated - size :]
    assert whole[size + rid_at :].startswith(stream.server.rid(rid))


def test_stream_expected() -> None:
    """Commit order, not the order of the log; nothing of what was taken back."""
    stream = Stream("v7", "big")
    script(stream)
    two = {"ID": 2, "CODE": "C2", "AMOUNT": "1.50", "NOTE": "note"}
    ids = {"tablespace_id": 2, "table_id": 15}
    second = {"tid": "000001A2B3C5", "commit_ts": "2026-03-14T10:11:12", "auth_id": "OTHER"}
    first = {"tid": "000001A2B3C4", "commit_ts": "2026-03-14T10:11:13", "auth_id": "DB2INST1"}
    expected = [
        {"op": "I", **ids, "before": None, "after": two, **second},
        {"op": "U", **ids, "before": two, "after": {**two, "AMOUNT": "-0.01"}, **second},
        {"op": "O", **ids, "before": None, "after": None, **first},
        {"op": "I", **ids, "before": None, "after": {**two, "ID": 1, "CODE": "C1"}, **first},
        {"op": "T", **ids, "before": None, "after": None, **first},
    ]
    assert stream.expected() == expected
    assert stream.expected(objects=False) == [change for change in expected if change["op"] != "O"]
