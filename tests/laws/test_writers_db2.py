"""The encoder of Db2 LUW log records against facts that were not made by it.

Real bytes and sizes are those of db2-luw-log.md 5.3, 5.4 and 10 (Db2 9.7, x86-64); lengths are the totals printed below
the vendor's tables; vectors of decimal floating point were worked out by hand from IEEE 754-2008.
"""

from __future__ import annotations

from writers.db2 import (
    dms,
    dom,
    header,
    rows,
)
from writers.db2.columns import Column
from writers.db2.wire import Rid, Server, TableId

V7, V97, V10 = Server("v7", "little"), Server("v9.7", "little"), Server("v10", "little")
BIG = Server("v10", "big")
TID = bytes.fromhex("0102030405A6")
TABLE = TableId(2, 15)
ABOUT = dom.DomObject(TABLE)
PLACE = dms.Place(Rid(0x340, 12), 5656, 20)

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


def test_real_rids() -> None:
    """RIDs of the samples; the 4-byte one is a page of three bytes before a slot of one."""
    assert V97.rid(Rid(0x340, 12)).hex() == "0c0040030000"
    assert V97.rid(Rid(0, 7)).hex() == "070000000000"
    assert BIG.rid(Rid(0x340, 12)).hex() == "00000340000c"
    assert Server("v7", "big").rid(Rid(0x12, 5)).hex() == "00001205"


# Bodies: bytes


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
