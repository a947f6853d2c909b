"""The encoder of Db2 LUW log records against facts that were not made by it.

Real bytes and sizes are those of db2-luw-log.md 5.3, 5.4 and 10 (Db2 9.7, x86-64); lengths are the totals printed below
the vendor's tables; vectors of decimal floating point were worked out by hand from IEEE 754-2008.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise, product

import pytest
from writers.db2 import (
    datalink,
    ddl,
    decfloat,
    dms,
    dom,
    framing,
    header,
    lf,
    lob,
    rows,
    transaction,
    utility,
    values,
    xml,
)
from writers.db2.columns import Column, column_array, offsets, parallel_arrays, table_description
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table
from writers.db2.values import External, OutOfRow, SystemDefault
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, ByteOrder, Generation, Rid, Server, TableId, sqlu_lsn

V7, V97, V10 = Server("v7", "little"), Server("v9.7", "little"), Server("v10", "little")
SERVERS = {"v7": V7, "v9.7": V97, "v10": V10}
BIG = Server("v10", "big")
TID = bytes.fromhex("0102030405A6")
TABLE = TableId(2, 15)
ABOUT = dom.DomObject(TABLE)
LOB = lob.LobObject(TableId(2, 16), TABLE)
PLACE = dms.Place(Rid(0x340, 12), 5656, 20)
ROW = bytes.fromhex("00000D0001000500") + b"12345"

RESUME = (
    Column("EMPNO", "CHAR(6)", nullable=False),
    Column("RESUME_FORMAT", "VARCHAR(10)", nullable=False),
    Column("RESUME", "CLOB(5K)"),
)
RESUME_ROW = {"EMPNO": "000030", "RESUME_FORMAT": "ascii", "RESUME": "This is another new resume"}


def record(server: Server, body: bytes, type_name: str = "normal", flags: int = header.PROPAGATABLE) -> bytes:
    """A whole record of a transaction."""
    return header.record(server, header.Header(header.record_type(type_name, server.generation), TID, flags), body)


# Real bytes


def test_real_row() -> None:
    """The row of EMP_RESUME, byte for byte, and the size of its record."""
    image = rows.formatted(V97, RESUME, RESUME_ROW)
    user_data = bytes.fromhex("3030303033300F000500 14001E0000 6173636969 69000000") + b"This is another new resume"
    assert image == bytes.fromhex("00003A0001000F00") + user_data
    assert len(image) == 58
    assert len(record(V97, dms.insert(V97, TABLE, PLACE, image))) == 24 + 20 + 58 == 102


def test_real_sizes() -> None:
    """Records of Db2 9.7: alter attribute, two rows, commit; and a DOM record of V7 without a body."""
    assert len(record(V97, dms.alter_table_attribute(V97, TABLE, dms.PROPAGATION, dms.PROPAGATION))) == 46
    for length, size in ((53, 97), (56, 100)):
        row = {**RESUME_ROW, "RESUME": "x" * (length - 8 - 15 - 5 - 4)}
        image = rows.formatted(V97, RESUME, row)
        assert (len(image), len(record(V97, dms.insert(V97, TABLE, PLACE, image)))) == (length, size)
    assert len(record(V97, transaction.commit(V97, 1, "DB2INST1"), "commit")) == 42
    assert len(record(V7, dom.header(V7, 6, ABOUT), "undo")) == 32


def test_real_rids() -> None:
    """RIDs of the samples; the 4-byte one is a page of three bytes before a slot of one."""
    assert V97.rid(Rid(0x340, 12)).hex() == "0c0040030000"
    assert V97.rid(Rid(0, 7)).hex() == "070000000000"
    assert BIG.rid(Rid(0x340, 12)).hex() == "00000340000c"
    assert Server("v7", "big").rid(Rid(0x12, 5)).hex() == "00001205"


# Headers and framing


@pytest.mark.parametrize(("generation", "sizes"), [("v7", (20, 26, 32)), ("v9.7", (24, 32, 40)), ("v10", (40, 56, 64))])
@pytest.mark.parametrize("byte_order", BYTE_ORDERS)
def test_header_sizes(generation: Generation, byte_order: ByteOrder, sizes: tuple[int, int, int]) -> None:
    """Not a compensation, compensation, propagatable compensation."""
    server = Server(generation, byte_order)
    made = [record(server, b""), record(server, b"", "compensation", 0), record(server, b"", "compensation")]
    assert tuple(len(data) for data in made) == sizes
    assert tuple(int.from_bytes(data[:4], byte_order) for data in made) == sizes


def test_header_bytes() -> None:
    """Every field of the longest form of each generation."""
    made = header.Header(0x43, TID, 2, 0x11, 0x22, 0x000100020003, 5, 0x000400050006, 0x000700080009)
    head = "43000200"
    v7 = "20000000" + head + "010002000300" + "0102030405a6" + "040005000600" + "070008000900"
    assert header.record(V7, made).hex() == v7
    v97 = "28000000" + head + "0300020001000000" + "0102030405a60000" + "0600050004000000" + "0900080007000000"
    assert header.record(V97, made).hex() == v97
    v10 = "40000000" + head + "1100000000000000" + "2200000000000000" + "0300020001000000" + "0102030405a60500"
    assert header.record(V10, made).hex() == v10 + "0500000000000000" + "0600050004000000" + "0900080007000000"


def test_backout_free() -> None:
    """Only V6 and V7 have an LSN in the header of a backout-free record."""
    assert [len(record(server, b"", "backout_free")) for server in SERVERS.values()] == [26, 24, 40]


def test_header_type_letters() -> None:
    """Letters of V7, and what some of them became."""
    names = ("commit", "heuristic_commit", "mpp_subordinate_commit", "mpp_coordinator_commit", "local_pending_list")
    assert bytes(header.record_type(name, "v7") for name in names) == b"MYscE"
    assert bytes(header.record_type(name, "v10") for name in names).hex() == "848785868a"
    assert bytes(header.record_type(name, "v10") for name in ("normal", "compensation", "abort", "redo")) == b"NCAR"
    with pytest.raises(ValueError, match="no record type"):
        header.record_type("application_information", "v7")


def test_header_tid() -> None:
    """A TID has six bytes."""
    with pytest.raises(ValueError, match="6 bytes"):
        header.record(V10, header.Header(0x4E, b"1"))


@pytest.mark.parametrize(
    ("kind", "little", "big"),
    [
        ("bare", "", ""),
        ("lsn6", "010002000cf0", "00010002f00c"),
        ("lsn8", "0cf0020001000000", "000000010002f00c"),
        ("filter97", "0cf00200010000000400000000000000", "000000010002f00c0000000400000000"),
        (
            "filter",
            "010000000000000007000000000000000cf0020001000000"
            "020000000000000003000000000000000900000000000000"
            "0400000000000000",
            "00000000000000010000000000000007000000010002f00c"
            "000000000000000200000000000000030000000000000009"
            "0000000400000000",
        ),
    ],
)
def test_framing(kind: framing.Framing, little: str, big: str) -> None:
    """Prefixes; the words of an SQLU_LSN keep their order."""
    item = framing.Framed(b"data", lsn=0x00010002F00C, lso=9, lfs=7, stream_id=3)
    assert framing.prefix(kind, "little", item).hex() == little
    assert framing.prefix(kind, "big", item).hex() == big
    assert framing.framed(kind, "big", [item, item]) == (bytes.fromhex(big) + b"data") * 2


def test_framing_sqlcode() -> None:
    """A row that could not be decompressed."""
    item = framing.Framed(b"data", lsn=1, sqlcode=-1, real_length=9)
    assert framing.prefix("filter97", "big", item).hex() == "0000000000000001" + "00000009" + "ffffffff"
    assert sqlu_lsn(1, "little").hex() == "000000000100"


# Bodies: total lengths of the tables


@pytest.mark.parametrize(
    ("build", "totals"),
    [
        (lambda s: dms.header(s, 124, TABLE), (6, 6, 6)),
        (lambda s: dom.header(s, 35, ABOUT), (12, 12, 12)),
        (lambda s: dms.insert(s, TABLE, PLACE, ROW), (18 + 13, 20 + 13, 20 + 13)),
        (lambda s: dms.delete(s, TABLE, PLACE, ROW), (18 + 13, 20 + 13, 20 + 13)),
        (lambda s: dms.undo_delete(s, TABLE, PLACE, ROW), (18 + 13, 20 + 13, 20 + 13)),
        (lambda s: dms.undo_update(s, TABLE, PLACE, ROW), (18 + 13, 20 + 13, 20 + 13)),
        (lambda s: dms.undo_insert(s, TABLE, PLACE, 13), (16, 18, 18)),
        (lambda s: dms.update(s, TABLE, PLACE, ROW, ROW + b"6"), (36 + 27, 40 + 27, 40 + 27)),
        (lambda s: dms.alter_table_attribute(s, TABLE, 1, 1), (16, 22, 22)),
        (lambda s: dms.initialize_table(s, TABLE, RESUME), (88 + 4 + 36, 92 + 4 + 36, 92 + 4 + 36)),
        (lambda s: dms.add_columns(s, TABLE, RESUME[:1], RESUME), (16 + 80, 16 + 80, 16 + 80)),
        (lambda s: dom.truncate(s, ABOUT, b"internal"), (20, 20, 20)),
        (lambda s: dom.activate_not_logged_initially(s, ABOUT), (12, 12, 12)),
        (lambda s: dom.reorg_table(s, ABOUT), (268, 494, 494)),
        (lambda s: dom.create_index(s, ABOUT, 1, 2), (20, 20, 20)),
        (lambda s: dom.drop_index(s, ABOUT, 1, 2), (20, 20, 20)),
        (lambda s: dom.create_table(s, ABOUT), (68, 68, 68)),
        (lambda s: dom.drop_table(s, ABOUT), (68, 68, 68)),
        (lambda s: dom.undo_create_table(s, ABOUT), (68, 68, 68)),
        (lambda s: dom.undo_drop_table(s, ABOUT), (68, 68, 68)),
        (lambda s: lob.header(s, 64, LOB), (12, 12, 12)),
        (lambda s: lf.record(s, LOB, b"x" * 513, 1), (16 + 1024, 16 + 1024, 16 + 1024)),
    ],
)
def test_body_lengths(build, totals: tuple[int, int, int]) -> None:
    """Totals from the end of the header, in v7, v9.7, v10; the byte order changes none of them."""
    for byte_order in BYTE_ORDERS:
        made = tuple(len(build(Server(generation, byte_order))) for generation in GENERATIONS)
        assert made == totals


@pytest.mark.parametrize(
    ("body", "total"),
    [
        (dms.insert_to_empty_page(V10, TABLE, PLACE, ROW), 26 + 13),
        (dms.delete_to_empty_page(V10, TABLE, PLACE, ROW), 26 + 13),
        (dms.undo_delete_to_empty_page(V10, TABLE, PLACE, ROW), 26 + 13),
        (dms.undo_insert_to_empty_page(V10, TABLE, PLACE, 13, internal=bytes(6)), 18 + 6),
        (dms.insert_multiple(V10, TABLE, [(PLACE, ROW)] * 3), 20 + 3 * (8 + 13)),
        (dms.undo_insert_multiple(V10, TABLE, [(PLACE, ROW)] * 3), 20 + 3 * 8),
        (dms.vector_data(V10, TABLE, 3, b"[1,2]"), 16 + 5),
        (dms.named(V10, dms.NAMES_ONLY["rename"], TABLE, b"any"), 6 + 3),
        (lob.afim_data(V7, LOB, b"data", 1024), 24 + 4),
        (lob.afim_amount(V97, LOB, 4, 1024), 24),
        (lob.add_data(V10, LOB, b"data", 1024, 2), 32 + 4),
        (lob.add_amount(V10, LOB, 4, 1024, 2), 32),
        (lob.delete(V10, LOB, 4, 1024, 2), 32),
        (lob.non_update(V10, LOB, 4, 1024, 2), 32),
        (xml.document(V10, LOB, b"<a/>", 2), 24 + 4),
        (ddl.statement(V10, TABLE, b"DROP", entries=[(1, b"ab"), (2, b"")]), 24 + 8 + 2 + 4),
        (datalink.link_file(V7, datalink.Link(b"stem", timestamp=None)), 64 + 4),
        (datalink.link_file(V7, datalink.Link(b"stem")), 68 + 4),
        (datalink.unlink_file(V7, datalink.Link(b"stem", timestamp=None)), 32 + 4),
        (datalink.unlink_file(V7, datalink.Link(b"stem")), 36 + 4),
        (datalink.named(datalink.DELETE_GROUP, b"any"), 4 + 3),
    ],
)
def test_body_length_of_one_generation(body: bytes, total: int) -> None:
    """Records that only some generations have."""
    assert len(body) == total


@pytest.mark.parametrize(
    ("type_name", "build", "totals"),
    [
        ("commit", lambda s: transaction.commit(s, 1, "DB2INST1"), (32, 42, 58)),
        ("commit", lambda s: transaction.commit(s, 1, None), (24, 32, 48)),
        ("commit", lambda s: transaction.commit(s, 1, "DB2INST1", fixed_auth_id=True), (33, 42, 58)),
        ("abort", lambda s: transaction.abort(s, "DB2INST1"), (28, 34, 50)),
        ("mpp_coordinator_commit", lambda s: transaction.mpp_coordinator_commit(s, 1, "ME"), (49, 59, 75)),
        ("mpp_coordinator_commit", lambda s: transaction.mpp_coordinator_commit(s, 1, "ME", nodes=(8,)), (50, 60, 76)),
        ("mpp_subordinate_commit", lambda s: transaction.mpp_subordinate_commit(s, 1, "ME"), (46, 56, 72)),
        ("local_pending_list", lambda s: transaction.local_pending_list(s, 1, "ME", b"any"), (36, 39, 55)),
        ("global_pending_list", lambda s: transaction.global_pending_list(s, "ME", b"any"), (32, 31, 47)),
        ("xa_prepare", lambda s: transaction.prepare(s, 1, 2), (176, 180, 196)),
        ("migration_begin", lambda s: utility.migration_begin(s, "1996040313", 5, 6), (34, 38, 54)),
        ("migration_end", lambda s: utility.migration_end(s, "1996040313", 6), (32, 36, 52)),
        ("load_start", lambda s: utility.load_start(s, 1, 2, 3, pools=b"any"), (32, 36, 52)),
        ("load_pending_list", lambda s: utility.load_pending_list(s, 1, "ME", b"any"), (36, 40, 56)),
        ("load_delete_start", lambda s: b"", (20, 24, 40)),
        ("backup_end", lambda s: utility.backup_end(s, 1), (28, 32, 48)),
    ],
)
def test_record_lengths(type_name: str, build, totals: tuple[int, int, int]) -> None:
    """Totals from the start of the record, in v7, v9.7, v10."""
    assert tuple(len(record(server, build(server), type_name)) for server in SERVERS.values()) == totals


def test_later_functions_are_refused_in_v7() -> None:
    """Records that V7 has not, and the other way round."""
    with pytest.raises(ValueError, match="v7 has no DMS function 165"):
        dms.insert_to_empty_page(V7, TABLE, PLACE, ROW)
    with pytest.raises(ValueError, match="no such LOB record"):
        lob.add_data(V97, LOB, b"data", 0, 0)
    with pytest.raises(ValueError, match="no such LOB record"):
        lob.afim_data(V10, LOB, b"data", 0)
    with pytest.raises(ValueError, match="no serialized XML"):
        xml.document(V97, LOB, b"<a/>", 0)


# Bodies: bytes


def test_insert_bytes() -> None:
    """The insert of both layouts in both byte orders."""
    row = ROW.hex()
    assert dms.insert(V7, TABLE, PLACE, ROW).hex() == "017602000f00" + "0000" + "0c400300" + "0d0014001816" + row
    assert dms.insert(BIG, TABLE, PLACE, ROW).hex() == "01a20002000f" + "0000" + "000d0014" + "00000340000c1618" + row


def test_update_lengths_are_crossed() -> None:
    """The part with the old row has the length of the new one."""
    old, new = b"o" * 11, b"n" * 7
    v7 = dms.update(V7, TABLE, PLACE, old, new)
    assert (v7[0:2].hex(), v7[12], v7[18:29], v7[29:31].hex(), v7[29 + 12], v7[29 + 18 :]) == (
        ("0178", 7, old, "0178", 11, new)
    )
    later = dms.update(V97, TABLE, PLACE, old, new)
    assert (later[0:2].hex(), later[8], later[20:31], later[31:33].hex(), later[31 + 8], later[31 + 20 :]) == (
        ("01a3", 7, old, "01a3", 11, new)
    )


def test_empty_page_bytes() -> None:
    """First page at 20, record offset at 24."""
    body = dms.insert_to_empty_page(V10, TABLE, PLACE, ROW, first_page=0x340)
    assert body[:26].hex() == "01a502000f00" + "0000" + "0d001400" + "0c0040030000" + "0000" + "40030000" + "1816"


def test_multiple_bytes() -> None:
    """Counts, then RID, offset and row of each."""
    body = dms.insert_multiple(V10, TABLE, [(PLACE, ROW), (PLACE, ROW)], pool_page=0x340)
    entry = "0c0040030000" + "1816" + ROW.hex()
    assert body.hex() == "01a702000f00" + "0000" + "02000000" + "1a002a00" + "40030000" + entry * 2
    undo = dms.undo_insert_multiple(V10, TABLE, [(PLACE, ROW)], pool_page=0x340)
    assert undo[14:16].hex() == "0800"


def test_initialize_table_bytes() -> None:
    """Directory, length, and the description of EMP_RESUME."""
    columns = "0001" + "0600" + "0200" + "0000" + "0101" + "0a00" + "0200" + "0600" + "0901" + "0000" + "0100" + "0a00"
    description = "00000300" + columns + "00140000" + "00000000" + "01000000"
    made = dms.initialize_table(
        V97, TABLE, RESUME, file_create_lsn=0x77, index_flag=1, index_root_page=2, tdesc_recid=3, flags=0x20
    )
    assert made[:8].hex() == "018002000f000000"
    assert made[8:28].hex() == "7700000000000000" + "0000" + "0100" + "02000000" + "03000000"
    assert made[84:92].hex() == "20000000" + "28000000"
    assert made[92:].hex() == description
    v7 = dms.initialize_table(V7, TABLE, RESUME, file_create_lsn=0x77, flags=0x20)
    assert v7[6:12].hex() == "000000007700"
    assert v7[80:].hex() == "20000000" + "28000000" + description


def test_add_columns_bytes() -> None:
    """Arrays of 20 bytes a column at 16, the old ones first."""
    body = dms.add_columns(V7, TABLE, RESUME[:1], RESUME)
    assert body[:16].hex() == "016602000f00" + "0000" + "01000000" + "03000000"
    assert body[16:36] == parallel_arrays(V7, RESUME[:1]) == column_array(V7, RESUME[:1]) + bytes(12)
    assert body[36:60] == column_array(V7, RESUME)
    assert body[60 + 24 :].hex() == "00140000" + "00000000" + "01000000"
    assert dms.add_columns(V7, TABLE, (), RESUME, undo=True)[1] == 104


def test_alter_attribute_bytes() -> None:
    """Two numbers of 32, later of 64 bits."""
    assert dms.alter_table_attribute(V7, TABLE, 3, 1).hex() == "017c02000f00" + "0000" + "03000000" + "01000000"
    later = dms.alter_table_attribute(BIG, TABLE, 3, 1).hex()
    assert later == "017c0002000f" + "0000000000000003" + "0000000000000001"


def test_dom_bytes() -> None:
    """Ids of the object and of the table; the tails of an index and of a reorg."""
    about = dom.DomObject(TABLE, TableId(3, 17), 1, 2)
    start = "03001100" + "02000f00" + "0102"
    assert dom.create_index(V7, about, 5, 6).hex() == "0402" + start + "0000" + "0500" + "06000000"
    tails = [
        dom.reorg_table(server, about, index_token=5, temporary_tablespace_id=6, long_temporary_tablespace_id=7)[-6:]
        for server in (V7, V10)
    ]
    assert [tail.hex() for tail in tails] == ["000005000600", "050006000700"]


def test_lob_bytes() -> None:
    """Byte address as a double or a number; the v10 layout; consolidated values."""
    start = "02001000" + "02000f00"
    assert lob.afim_data(V7, LOB, b"\xaa", 1024).hex() == "0540" + start + "0000" + "01000000" + "0000000000009040aa"
    assert lob.afim_amount(V7, LOB, 1, 1024, address_form="u64")[16:].hex() == "0004000000000000"
    made = lob.add_data(V10, LOB, b"\xaa", 1024, 2, original=lob.BY_UPDATE).hex()
    assert made == "0540" + start + "0000" + "01000000" + "0004000000000000" + "0004" + "0200" + "00000000" + "aa"
    packet = lob.consolidated(V10, [b"ab", b"", b"c"])
    assert packet.hex() == "12000017" + "10000000" + "12000000" * 2 + "13000000" + "616263"
    assert lob.consolidated(V10, [b"ab"], offset_base="data").hex() == "1200000e" + "00000000" + "02000000" + "6162"


def test_other_component_bytes() -> None:
    """Long field (in sectors), XML, DDL."""
    start = "02001000" + "02000f00"
    assert lf.record(V7, LOB, b"x", 3)[:17].hex() == "036e" + start + "0100" + "03000000" + "78"
    assert xml.document(V10, LOB, b"<a/>", 2)[:24].hex() == "0f72" + start + "0600" + "04000000" + "0200" + "00" * 6
    made = ddl.statement(V10, TABLE, b"DROP", text_left=9, operation=1, object_id=2, options=3, flags=4)
    ids = "02000f00" + "0400" + "0100" + "0200" + "0300" + "0000"
    assert made.hex() == "0b04" + ids + "09000000" + "04000000" + b"DROP".hex()


def test_transaction_bytes() -> None:
    """Commit of three generations; node list and global id of an MPP commit."""
    assert transaction.commit(V7, 0x1234, "ME").hex() == "34120000" + "4d45"
    assert transaction.commit(V97, 0x1234, "ME").hex() == "3412000000000000" + "0200" + "4d45"
    assert transaction.commit(BIG, 0x1234, "ME").hex() == "0000000000001234" + "0002" + "4d45"
    gxid = transaction.Gxid(b"gtb", 5, branch_length=1)
    made = transaction.mpp_coordinator_commit(BIG, 1, "ME", gxid=gxid, nodes=(0, 9)).hex()
    gxid_bytes = "00000005" + "00000002" + "00000001" + "6774620000000000"
    assert made == "0000000000000001" + gxid_bytes + "0009" + "0102" + "0002" + "4d45"


# Columns, values, rows


def test_every_column_type() -> None:
    """Type code, length and fixed size of each type."""
    facts = {
        "SMALLINT": ("0000", "0002", 2),
        "INTEGER": ("0001", "0004", 4),
        "BIGINT": ("0005", "0008", 8),
        "REAL": ("0004", "0004", 4),
        "DOUBLE": ("0003", "0008", 8),
        "DECIMAL(9,2)": ("0002", "0902", 5),
        "DECIMAL(8,0)": ("0002", "0800", 5),
        "DECFLOAT(16)": ("0006", "0008", 8),
        "DECFLOAT(34)": ("0007", "0010", 16),
        "CHAR(3)": ("0100", "0003", 3),
        "CHAR(3) FOR BIT DATA": ("0100", "0003", 3),
        "VARCHAR(300)": ("0101", "012c", 4),
        "LONG VARCHAR": ("0104", "7fbc", 4),
        "GRAPHIC(3)": ("0200", "0006", 6),
        "VARGRAPHIC(3)": ("0201", "0006", 4),
        "DATE": ("0105", "0004", 4),
        "TIME": ("0106", "0003", 3),
        "TIMESTAMP": ("0107", "000a", 10),
        "TIMESTAMP(0)": ("0107", "0007", 7),
        "TIMESTAMP(9)": ("0107", "000c", 12),
        "TIMESTAMP(12)": ("0107", "000d", 13),
        "BOOLEAN": ("010f", "0001", 1),
        "BINARY(5)": ("0110", "0005", 5),
        "VARBINARY(5)": ("0111", "0005", 4),
        "BLOB(1M)": ("0108", "0000", 4),
        "CLOB(5K)": ("0109", "0000", 4),
        "DBCLOB(10)": ("0203", "0000", 4),
        "XML": ("0112", "0000", 4),
    }
    columns = [Column(str(index), name) for index, name in enumerate(facts)]
    elements = column_array(BIG, columns)
    assert [elements[at : at + 4].hex() for at in range(0, len(elements), 8)] == [
        code + length for code, length, _ in facts.values()
    ]
    assert [second - first - 1 for first, second in pairwise(offsets(columns))] == [size for *_, size in facts.values()]


def test_description_lob_elements() -> None:
    """Only LOB columns have an element; V7 has no inline length."""
    columns = (Column("X", "XML"), Column("B", "BLOB(1K)", inline_length=100, logged=False))
    assert table_description(V97, columns)[4 + 16 :].hex() == "00040000" + "64000000" + "00000000"
    assert table_description(V7, columns)[4 + 16 :].hex() == "00040000" + "00000000" + "00000000"


@pytest.mark.parametrize("word", ["CHAR(", "char(3)", ""])
def test_no_column_type(word: str) -> None:
    """What is no type is refused."""
    with pytest.raises((ValueError, KeyError)):
        _ = Column("C", word).type_code


def test_dates_and_times() -> None:
    """The vendor's examples."""
    assert values.date("1996-04-03").hex() == "19960403"
    assert values.time("13:32:00").hex() == "133200"
    assert values.timestamp("2026-03-14T10:11:12.000123").hex() == "20260314101112000123"
    assert values.timestamp("2026-03-14T10:11:12.5", 3).hex() == "202603141011125000"
    assert values.timestamp("2026-03-14T10:11:12", 0).hex() == "20260314101112"


@pytest.mark.parametrize(
    ("value", "precision", "scale", "data"),
    [
        ("1.23", 3, 2, "123c"),
        ("-1.23", 4, 2, "00123d"),
        ("0.00", 5, 2, "00000c"),
        ("-0.00", 5, 2, "00000c"),
        ("9" * 31, 31, 0, "9" * 31 + "c"),
    ],
)
def test_packed(value: str, precision: int, scale: int, data: str) -> None:
    """(precision + 2) / 2 bytes, sign last."""
    assert values.packed(value, precision, scale).hex() == data
    assert len(data) // 2 == (precision + 2) // 2


@pytest.mark.parametrize("value", ["1000", "0.001"])
def test_packed_too_large(value: str) -> None:
    """Too many digits on either side."""
    with pytest.raises(ValueError, match="does not fit"):
        values.packed(value, 5, 2)


@pytest.mark.parametrize(
    ("digits", "bits"),
    [
        (0, "000 000 0 000"),
        (5, "000 000 0 101"),
        (9, "000 000 1 001"),
        (55, "000 101 0 101"),
        (79, "000 111 1 001"),
        (80, "000 000 1 010"),
        (99, "000 101 1 111"),
        (555, "101 101 0 101"),
        (750, "111 101 0 000"),
        (809, "000 010 1 111"),
        (888, "000 110 1 110"),
        (900, "001 000 1 100"),
        (980, "001 000 1 110"),
        (999, "001 111 1 111"),
    ],
)
def test_declets(digits: int, bits: str) -> None:
    """Three digits in ten bits, every row of the table by hand."""
    assert f"{decfloat.declet(digits):010b}" == bits.replace(" ", "")


def test_declets_differ() -> None:
    """A thousand different ones."""
    assert len({decfloat.declet(digits) for digits in range(1000)}) == 1000


@pytest.mark.parametrize(
    ("value", "digits", "data"),
    [
        # -7.50: sign 1, exponent 398 - 2 = 01 10001100, digits 750 in the last declet.
        ("-7.50", 16, "A2300000000003D0"),
        ("-7.50", 34, "A20780000000000000000000000003D0"),
        # 1: exponent 398 = 01 10001110.
        ("1", 16, "2238000000000001"),
        ("0", 16, "2238000000000000"),
        # The largest number: exponent 767 = 10 11111111, first digit 9, five declets of 999.
        ("9.999999999999999E+384", 16, "77FCFF3FCFF3FCFF"),
        ("1E-398", 16, "0000000000000001"),
        ("Infinity", 16, "7800000000000000"),
        ("-Infinity", 16, "F800000000000000"),
        ("NaN", 16, "7C00000000000000"),
        ("sNaN", 34, "7E000000000000000000000000000000"),
    ],
)
def test_decfloat(value: str, digits: int, data: str) -> None:
    """Interchange forms; a little-endian server turns the bytes round."""
    assert decfloat.encode(Decimal(value), digits).hex().upper() == data
    column = Column("C", f"DECFLOAT({digits})")
    assert values.encode(BIG, column, value).hex().upper() == data
    assert values.encode(V10, column, value)[::-1].hex().upper() == data


def test_decfloat_too_long() -> None:
    """Seventeen digits do not fit 16."""
    with pytest.raises(ValueError, match="does not fit"):
        decfloat.encode(Decimal("1.0000000000000000"), 16)


@pytest.mark.parametrize(
    ("word", "value", "data", "shown"),
    [
        ("SMALLINT", -2, "fffe", -2),
        ("INTEGER", 1, "00000001", 1),
        ("BIGINT", -1, "ff" * 8, -1),
        ("REAL", 0.5, "3f000000", 0.5),
        ("REAL", 0.1, "3dcccccd", 0.10000000149011612),
        ("DOUBLE", -2.0, "c000000000000000", -2.0),
        ("DECIMAL(5,2)", "-0.01", "00001d", "-0.01"),
        ("DECIMAL(5,2)", "7", "00700c", "7.00"),
        ("DECFLOAT(16)", "-7.50", "a2300000000003d0", "-7.50"),
        ("CHAR(4)", "ab", "61622020", "ab"),
        ("CHAR(4) FOR BIT DATA", b"ab", "61622020", "61622020"),
        ("VARCHAR(4)", "ab ", "616220", "ab "),
        ("VARCHAR(4) FOR BIT DATA", b"\x01", "01", "01"),
        ("GRAPHIC(2)", "é", "00e90020", "é"),
        ("VARGRAPHIC(2)", "é ", "00e90020", "é "),
        ("DATE", "1996-04-03", "19960403", "1996-04-03"),
        ("TIME", "24:00:00", "240000", "24:00:00"),
        ("TIMESTAMP(0)", "2026-03-14T10:11:12", "20260314101112", "2026-03-14T10:11:12"),
        ("TIMESTAMP(3)", "2026-03-14T10:11:12.5", "202603141011125000", "2026-03-14T10:11:12.500"),
        ("BOOLEAN", True, "01", True),
        ("BINARY(3)", b"\xab", "ab0000", "AB0000"),
        ("VARBINARY(3)", b"\xab", "ab", "AB"),
        ("BLOB(1K)", b"\xab", "69000000ab", "AB"),
        ("BLOB(1K)", b"", "80000000", ""),
        ("CLOB(1K)", "ab", "690000006162", "ab"),
        ("DBCLOB(1K)", "a", "690000000061", "a"),
        ("XML", External(b"\x01"), "01", None),
        ("LONG VARCHAR", External(b"\x01"), "01", None),
        ("VARCHAR(99)", OutOfRow(b"\x02" * 24), "02" * 24, None),
    ],
)
def test_value(word: str, value: values.Value, data: str, shown: values.JsonValue) -> None:
    """A value in a row, and as printed."""
    column = Column("C", word)
    assert values.in_row(BIG, column, value).hex() == data
    assert values.json_value(column, value) == shown


def test_value_refused() -> None:
    """Values a row cannot hold."""
    with pytest.raises(ValueError, match="stands outside"):
        values.in_row(V7, RESUME[2], "text")
    with pytest.raises(ValueError, match="stands outside"):
        values.in_row(V10, Column("X", "XML"), "<a/>")
    with pytest.raises(ValueError, match="do not fit"):
        values.in_row(V10, RESUME[0], "0000300")
    with pytest.raises(ValueError, match="inline"):
        External(b"\x69")
    with pytest.raises(ValueError, match="24 bytes"):
        OutOfRow(b"short")


def test_formatted_nulls() -> None:
    """A null value keeps its place; an out-of-row one marks its slot."""
    columns = (Column("A", "SMALLINT"), Column("B", "VARCHAR(5)"), Column("C", "VARCHAR(99)", nullable=False))
    image = rows.formatted(BIG, columns, {"A": None, "B": None, "C": OutOfRow(b"\x02" * 24)})
    fixed = "0000" + "01" + "00000000" + "01" + "800c" + "0018"
    assert image.hex() == "0000002c" + "0100000c" + fixed + "02" * 24
    with pytest.raises(ValueError, match="NOT NULL"):
        rows.formatted(BIG, columns, {"A": 1, "B": "b", "C": None})
    with pytest.raises(ValueError, match="system defaults"):
        rows.formatted(BIG, columns, {"A": SystemDefault(), "B": "b", "C": "c"})


def test_value_compression() -> None:
    """Offsets of both bases; null, system default and out-of-row values have the high bit."""
    columns = (Column("A", "SMALLINT"), Column("B", "VARCHAR(5)"), Column("C", "INTEGER"), Column("D", "VARCHAR(99)"))
    row = {"A": 1, "B": None, "C": SystemDefault(), "D": OutOfRow(b"\x02" * 24)}
    data = "0001" + "01" + "80" + "02" * 24
    image = rows.compressed(BIG, columns, row)
    assert image.hex() == "0000002e" + "02000004" + "000a" + "800c" + "800d" + "800e" + "0026" + data
    image = rows.compressed(BIG, columns, row, offset_base="data")
    assert image.hex() == "0000002e" + "02000004" + "0000" + "8002" + "8003" + "8004" + "001c" + data
    assert rows.json_row(columns, row) == {"A": 1, "B": None, "C": 0, "D": None}


# Streams

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
