"""Db2 for LUW: damage, tables files that cannot be used, and what each is called."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

ITEM = Table(
    2, 9, "ITEM", [Column("ID", "INTEGER", nullable=False), Column("PRICE", "DECIMAL(7,2)"), Column("AT", "DATE")]
)
ROW = {"ID": 1, "PRICE": Decimal("1.50"), "AT": "2026-03-14"}


def stream_of() -> Stream:
    """One transaction: initialize, insert, update, delete; then its commit."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.insert(ITEM, ROW)
    unit.update(ITEM, ROW, ROW | {"ID": 2})
    unit.delete(ITEM, ROW | {"ID": 2})
    unit.commit()
    return stream


HEADER = 40
INSERT_ROW = HEADER + 20
"""Where the row of an insert of version 10 begins."""


@pytest.mark.parametrize(
    ("number", "offset", "raw", "code", "field", "field_offset"),
    [
        pytest.param(1, HEADER + 8, b"\x00\x10", "LMP-R001", "record", HEADER + 20, id="record length too long"),
        pytest.param(1, HEADER + 8, b"\x05\x00", "LMP-R003", "surplus", HEADER + 25, id="record length too short"),
        pytest.param(2, HEADER + 8, b"\x07\x00", "LMP-R002", "new_row", None, id="update without its other length"),
        pytest.param(4, HEADER + 8, b"\xff\x00", "LMP-R001", "authid", HEADER + 10, id="authid length too long"),
        pytest.param(
            0, HEADER + 88, b"\xff\xff", "LMP-R001", "table_description", HEADER + 92, id="description length"
        ),
        pytest.param(
            0, HEADER + 94, b"\x09\x00", "LMP-R001", "table_description.columns[3].field_type", None, id="column count"
        ),
        pytest.param(1, 8, b"\x00" * 8, "LMP-R002", "lsn", None, id="another LSN than the API's"),
        pytest.param(
            1, INSERT_ROW + 2, b"\x09\x00", "LMP-V009", "after.record_length", None, id="the row's own length"
        ),
        pytest.param(1, INSERT_ROW + 6, b"\x0a\x00", "LMP-R001", "after.C3", None, id="fixed section too short"),
        pytest.param(1, INSERT_ROW + 8 + 4, b"\xc1\xc2", "LMP-V002", "after.C2", 12, id="letters in a decimal"),
        pytest.param(1, INSERT_ROW + 8 + 8, b"\x02", "LMP-V001", "after.C2.null_byte", None, id="null byte"),
        pytest.param(1, INSERT_ROW + 8 + 9, b"\x20\x26\x99\x14", "LMP-V006", "after.C3", 17, id="month 99"),
    ],
)
def test_damage_is_named(
    tmp_path: Path, number: int, offset: int, raw: bytes, code: str, field: str, field_offset: int | None
) -> None:
    stream = stream_of()
    found = luw.read(tmp_path, luw.patched(stream, number, offset, raw), generation="v10")
    error = found.log.tally.errors[0]
    record = stream.records[number]
    assert (error.code, error.field, error.record_index) == (code, field, number), str(error)
    assert error.record_offset == record.offset
    assert f"LSN {record.lsn:016X}" in error.hint or field == "lsn"
    if field_offset is not None:
        assert error.field_offset == field_offset
