"""The encoder of Db2 LUW logs: streams of records and the changes that they state."""

from __future__ import annotations

from itertools import product

import pytest
from writers.db2 import (
    dms,
    framing,
    values,
)
from writers.db2.columns import Column
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table
from writers.db2.values import External, SystemDefault
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, ByteOrder, Generation

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


ALL_STREAMS = [
    (generation, byte_order, kind)
    for generation, byte_order, kind in product(GENERATIONS, BYTE_ORDERS, framing.FRAMINGS)
    if kind != "lsn6" or generation == "v7"
]
BACK_POINTERS: dict[Generation, slice] = {"v7": slice(8, 14), "v9.7": slice(8, 16), "v10": slice(24, 32)}
TIDS: dict[Generation, slice] = {"v7": slice(14, 20), "v9.7": slice(16, 22), "v10": slice(32, 38)}


@pytest.mark.parametrize(("generation", "byte_order", "kind"), ALL_STREAMS)
def test_stream_tiles(generation: Generation, byte_order: ByteOrder, kind: framing.Framing) -> None:
    """Prefixes and records fill the log; `records` tells where each one is."""
    stream = Stream(generation, byte_order, kind)
    script(stream)
    size = {"bare": 0, "lsn6": 6, "lsn8": 8, "filter": 56, "filter97": 16}[kind]
    data, at = stream.bytes(), 0
    for entry in stream.records:
        assert entry.offset == at + size
        assert int.from_bytes(data[entry.offset : entry.offset + 4], byte_order) == entry.length
        at = entry.offset + entry.length
    assert at == len(data)
    lsns = [entry.lsn for entry in stream.records]
    assert lsns == sorted(set(lsns))


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


def test_stream_kinds() -> None:
    """Records of the script; compensation goes backward."""
    stream = Stream("v10", "little")
    script(stream)
    assert [entry.kind for entry in stream.records] == [
        "initialize_table",
        "insert",
        "insert",
        "insert",
        "update",
        "delete",
        "undo_delete",
        "undo_update",
        "undo_insert",
        "update",
        "heuristic_commit",
        "delete",
        "truncate",
        "truncate",
        "undo_delete",
        "abort",
        "commit",
        "insert",
    ]


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


@pytest.mark.parametrize("kind", ["normal", "heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_stream_commits(generation: Generation, kind) -> None:
    """Every end that commits."""
    stream = Stream(generation, "little")
    t = stream.begin()
    t.insert(ORDERS, order(1))
    time = t.commit(kind, auth_id="ME")
    assert [(change["auth_id"], change["commit_ts"]) for change in stream.expected()] == [("ME", time.isoformat())]
    with pytest.raises(ValueError, match="over"):
        t.insert(ORDERS, order(2))


def test_stream_empty_pages_and_multiple_rows() -> None:
    """Variants of later versions, taken back and kept."""

    def change(t: Transaction) -> None:
        t.insert(ORDERS, order(1), empty_page=True)
        t.insert_many(ORDERS, [order(2), order(3)])
        t.delete(ORDERS, order(1), empty_page=True)

    stream = Stream("v10", "little")
    t = stream.begin()
    change(t)
    t.rollback_to(0)
    change(t)
    t.commit()
    assert [entry.kind for entry in stream.records[3:6]] == [
        "undo_delete_to_empty_page",
        "undo_insert_multiple",
        "undo_insert_to_empty_page",
    ]
    assert [change["op"] for change in stream.expected()] == ["I", "I", "I", "D"]


def test_stream_singular() -> None:
    """A transaction of one record has neither time nor authorization id."""
    stream = Stream("v10", "little")
    t = stream.begin(singular=True)
    t.insert(ORDERS, order(1))
    assert [(change["op"], change["commit_ts"], change["auth_id"]) for change in stream.expected()] == [
        ("I", None, None)
    ]
    assert stream.bytes()[6] == 0x12
    with pytest.raises(ValueError, match="over"):
        t.commit()


def test_stream_objects() -> None:
    """DDL in a transaction, first taken back, then kept."""

    def change(t: Transaction) -> Table:
        t.create_table(ORDERS)
        t.alter_attribute(ORDERS, dms.PROPAGATION, dms.PROPAGATION)
        wider = t.add_columns(ORDERS, Column("MORE", "BIGINT"))
        t.statement(ORDERS, "ALTER TABLE ORDERS ADD MORE BIGINT")
        t.drop_table(ORDERS)
        return wider

    stream = Stream("v10", "big")
    t = stream.begin()
    change(t)
    t.rollback_to(0)
    wider = change(t)
    t.insert(wider, {**order(1), "MORE": 5})
    t.commit()
    assert [entry.kind for entry in stream.records[5:10]] == [
        "undo_drop_table",
        "undo_statement",
        "undo_add_columns",
        "undo_alter_table_attribute",
        "undo_create_table",
    ]
    assert [change["op"] for change in stream.expected()] == ["O"] * 5 + ["I"]
    assert stream.expected()[-1]["after"]["MORE"] == 5


def test_stream_truncate_is_final() -> None:
    """No savepoint goes back behind a truncate."""
    t = Stream("v10", "big").begin()
    t.truncate(ORDERS)
    with pytest.raises(ValueError, match="truncate"):
        t.rollback_to(0)


def test_stream_lobs() -> None:
    """v10: pieces of at most 32768 bytes behind a start record, then the row; what was taken back stays away."""
    stream = Stream("v10", "little")
    t = stream.begin()
    text = "x" * 70000
    t.insert(DOCUMENTS, {"ID": 1}, lobs={"DOC": "gone"})
    t.rollback_to(0)
    t.insert(DOCUMENTS, {"ID": 1}, lobs={"DOC": text})
    t.update(DOCUMENTS, {"ID": 1, "DOC": External()}, {"ID": 2, "DOC": External()})
    t.commit()
    assert [(entry.kind, entry.length) for entry in stream.records[2:5]] == [
        ("insert", 40 + 20 + 8 + 9 + 24),
        ("undo_insert", 64 + 18),
        ("undo_out_of_row_start", 64 + 8),
    ]
    assert [(entry.kind, entry.length) for entry in stream.records[5:9]] == [
        ("out_of_row_start", 48),
        ("lob_add_data", 40 + 32 + 32768),
        ("lob_add_data", 40 + 32 + 32768),
        ("lob_add_data", 40 + 32 + 70000 - 65536),
    ]
    assert [change["after"] for change in stream.expected()] == [{"ID": 1, "DOC": text}, {"ID": 2, "DOC": None}]
    with pytest.raises(ValueError, match="empty value"):
        stream.begin().insert(DOCUMENTS, {"ID": 1}, lobs={"DOC": ""})
    with pytest.raises(ValueError, match="no column OTHER"):
        stream.begin().insert(DOCUMENTS, {"ID": 1}, lobs={"OTHER": "x"})


def test_stream_lobs_not_logged_and_xml() -> None:
    """Amounts without data; XML documents go by their own records."""
    columns = (Column("ID", "INTEGER"), Column("DOC", "CLOB(1M)", logged=False), Column("TREE", "XML"))
    stream = Stream("v10", "little")
    t = stream.begin()
    t.insert(Table(3, 5, "TREES", columns), {"ID": 1}, lobs={"DOC": "lost", "TREE": "<a/>"})
    t.commit()
    assert [entry.kind for entry in stream.records] == [
        "out_of_row_start",
        "lob_add_amount",
        "xml_document",
        "insert",
        "commit",
    ]
    assert stream.expected()[0]["after"] == {"ID": 1, "DOC": None, "TREE": "<a/>"}


@pytest.mark.parametrize("generation", ["v7", "v9.7"])
def test_stream_lobs_before_v10(generation: Generation) -> None:
    """A value belongs to a row only if nothing else could have it."""
    stream = Stream(generation, "big")
    alone = stream.begin()
    alone.insert(DOCUMENTS, {"ID": 1}, lobs={"DOC": "text"})
    alone.commit()
    both = stream.begin()
    both.insert(DOCUMENTS, {"ID": 2}, lobs={"DOC": "text"})
    both.insert(DOCUMENTS, {"ID": 3}, lobs={"DOC": "text"})
    both.commit()
    assert [change["after"]["DOC"] for change in stream.expected()] == ["text", None, None]
    assert [entry.kind for entry in stream.records[:3]] == ["lob_afim_data", "insert", "commit"]


def test_stream_compressed_table() -> None:
    """A table with value compression has its own row form."""
    stream = Stream("v10", "big", offset_base="data")
    table = Table(2, 16, "SMALL", (Column("ID", "INTEGER"), Column("NOTE", "VARCHAR(9)")), value_compression=True)
    t = stream.begin()
    t.insert(table, {"ID": SystemDefault(), "NOTE": "note"})
    t.commit()
    assert (
        stream.bytes()[60 : stream.records[0].length].hex()
        == "00000013" + "02000002" + "800000010005" + "80" + "6e6f7465"
    )
    assert stream.expected()[0]["after"] == {"ID": 0, "NOTE": "note"}
