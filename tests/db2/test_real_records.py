"""Db2 for LUW records that others have posted, and the generation that explains every record of a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw

import lmparse
from lmparse.db2.record.log_record import explained, prove_generation

REAL_ROW = bytes.fromhex("303030303330 0F000500 14001E0000 6173636969 69000000") + b"This is another new resume"
"""User data of a row of EMP_RESUME, Db2 9.7 on x86-64, as its reader posted it (bytes.com, question 942367)."""
EMP_RESUME = """
tables:
  - tablespace_id: 2
    table_id: 7
    schema: DB2INST1
    name: EMP_RESUME
    columns:
      - {name: EMPNO, type: CHAR(6), nullable: false}
      - {name: RESUME_FORMAT, type: VARCHAR(10), nullable: false}
      - {name: RESUME, type: CLOB(5K)}
"""


def real_insert() -> bytes:
    """That row with its headers, which are known but for LSN, transaction, flags and free space."""
    image = bytes([0, 0, 58, 0, 1, 0, 15, 0]) + REAL_ROW
    body = bytes.fromhex("01A2 0200 0700 0000 3A00 0000 0C0040030000 1816") + image
    return (102).to_bytes(4, "little") + bytes.fromhex("4E00 0200") + bytes(8) + b"\1\0\0\0\0\0\0\0" + body


def real_commit() -> bytes:
    """A commit of 42 bytes: header, time, length and name."""
    head = (42).to_bytes(4, "little") + bytes.fromhex("8400 0200") + b"\1" + bytes(7) + b"\1\0\0\0\0\0\0\0"
    return head + (1_300_000_000).to_bytes(8, "little") + b"\x08\x00DB2INST1"


def test_a_real_row_of_version_9_7(tmp_path: Path) -> None:
    assert (len(real_insert()), len(real_commit())) == (102, 42)
    path, tables = tmp_path / "x.log", tmp_path / "t.yaml"
    path.write_bytes(real_insert() + real_commit())
    tables.write_text(EMP_RESUME)
    log = lmparse.open_log(str(path), tables=str(tables))
    (change,) = log.changes()
    decided = {decision.name: decision.value for decision in log.decisions}
    assert decided == {"framing": "bare", "byte order": "little", "generation": "v9.7"}
    assert change["after"] == {
        "EMPNO": "000030", "RESUME_FORMAT": "ascii", "RESUME": "This is another new resume",
    }  # fmt: skip
    assert (change["auth_id"], change["commit_ts"]) == ("DB2INST1", "2011-03-13T07:06:40.000000")


@pytest.mark.parametrize(("size", "row"), [(97, 53), (100, 56), (102, 58), (46, None)])
def test_sizes_of_real_records_of_version_9_7(size: int, row: int | None) -> None:
    """Only a header of 24 bytes makes them add up; the others leave bytes over or end too early."""
    if row is None:
        body = bytes.fromhex("017C 0200 0700") + (1).to_bytes(8, "little") * 2
    else:
        fixed = bytes.fromhex("01A2 0200 0700 0000") + row.to_bytes(2, "little") + bytes(10)
        body = fixed + bytes([0, 0, row, 0, 1, 0]) + bytes(row - 6)
    raw = size.to_bytes(4, "little") + bytes.fromhex("4E00 0200") + bytes(8) + b"\1\0\0\0\0\0\0\0" + body
    assert len(raw) == size
    assert explained([raw], "little") == {"v7": 0, "v9.7": 1, "v10": 0}


@pytest.mark.parametrize(("generation", "byte_order"), luw.FORMS)
def test_a_generation_that_explains_every_record_wins(generation: Any, byte_order: Any) -> None:
    stream = luw.full_stream(generation, byte_order, "bare")
    data = stream.bytes()
    records = [data[record.offset : record.offset + record.length] for record in stream.records]
    assert prove_generation(records, byte_order) == generation
    assert prove_generation(records[:3], byte_order) == generation
    other = "little" if byte_order == "big" else "big"
    with pytest.raises(lmparse.FramingError):
        prove_generation(records, other)
