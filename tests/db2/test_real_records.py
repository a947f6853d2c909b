"""Db2 for LUW: what a log means, in every form that it can have, against the script that it was written from."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from writers.db2.columns import Column
from writers.db2.framing import FRAMINGS
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.wire import BYTE_ORDERS, GENERATIONS

import lmparse
from lmparse import cli
from lmparse.db2.log_record import explained, prove_generation

EMP = Table(
    2,
    4,
    "EMP",
    [
        Column("EMPNO", "CHAR(6)", nullable=False),
        Column("NAME", "VARCHAR(20)"),
        Column("SALARY", "DECIMAL(9,2)"),
        Column("HIRED", "DATE"),
        Column("AT", "TIMESTAMP(6)"),
    ],
)
FORMS = [(generation, order) for generation in GENERATIONS for order in BYTE_ORDERS]


def row(number: int, name: str | None = "Åsa") -> dict[str, Any]:
    return {
        "EMPNO": f"{number:06d}",
        "NAME": name,
        "SALARY": Decimal("-12.50"),
        "HIRED": None if number % 2 else "2026-03-14",
        "AT": "2026-03-14T10:11:12.000123",
    }


def busy_stream(generation: Any, byte_order: Any, framing: Any) -> Stream:
    """Three transactions side by side: one commits with a savepoint rolled back, one aborts, one stays open."""
    stream = Stream(generation, byte_order, framing)
    first = stream.begin("ALICE")
    first.create_table(EMP)
    first.initialize(EMP)
    first.commit()
    one, two, left = stream.begin("BOB"), stream.begin("CAROL"), stream.begin("DAVE")
    one.insert(EMP, row(1))
    two.insert(EMP, row(2))
    left.insert(EMP, row(7))
    one.update(EMP, row(1), row(1, "a longer name"))
    mark = one.mark()
    one.insert(EMP, row(9))
    one.delete(EMP, row(1, "a longer name"))
    one.rollback_to(mark)
    two.abort()
    one.delete(EMP, row(1, "a longer name"))
    one.commit()
    return stream


def numbered(values: dict[str, Any] | None) -> dict[str, Any] | None:
    """Columns under the names they have where nothing names them."""
    return values and {f"C{number}": value for number, value in enumerate(values.values(), 1)}


def expected(stream: Stream) -> list[dict[str, Any]]:
    return [
        {
            "op": change["op"],
            "before": numbered(change["before"]),
            "after": numbered(change["after"]),
            "tid": change["tid"],
            "commit_ts": change["commit_ts"] and f"{change['commit_ts']}.000000",
            "auth_id": change["auth_id"],
        }
        for change in stream.expected()
    ]


def found(path: Path, **options: Any) -> list[dict[str, Any]]:
    log = lmparse.open_log(str(path), spec="db2_log", order="commit", mode="failfast", **options)
    return [
        {name: change[name] for name in ("op", "before", "after", "commit_ts", "auth_id")}
        | {"tid": change["txn_id"][:12]}
        for change in log.changes()
    ]


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_committed_changes_in_commit_order(generation: str, byte_order: str, framing: str, tmp_path: Path) -> None:
    stream = busy_stream(generation, byte_order, framing)
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    named = {"generation": generation, "byte_order": byte_order, "framing": framing}
    assert found(path) == found(path, **named) == expected(stream)
    assert len(expected(stream)) == 5, "create, initialize, insert, update, delete"


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_sniff_proves_the_options(generation: str, byte_order: str, framing: str, tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(busy_stream(generation, byte_order, framing).bytes())
    known = {"spec": "db2_log", "framing": framing, "byte_order": byte_order, "generation": generation}
    assert lmparse.sniff(path).options == known


def test_what_is_left_out_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(busy_stream("v10", "big", "filter").bytes())
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 0
    assert "left out: 1 open" in (said := capsys.readouterr().err)
    assert "left out: 3 rolled-back" in said


def test_a_stream_that_is_cut_gives_what_was_committed_before(tmp_path: Path, capsys: Any) -> None:
    stream = busy_stream("v9.7", "little", "lsn8")
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes()[:-10])
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 20
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert "LMP-F006" in err
    path.write_bytes(stream.bytes() + bytes(40))
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 31
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [("control", "x.ctl", 2), ("row_images", "total", 2), ("framing", "rdw", 2), ("generation", "v8", 2)],
)
def test_options_that_mean_nothing_are_refused(option: str, value: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(busy_stream("v10", "big", "bare").bytes())
    words = ["changes", str(path), "--spec", "db2_log", f"--{option.replace('_', '-')}", value]
    assert cli.main(words) == code


def test_an_error_names_the_log_sequence_number(tmp_path: Path) -> None:
    stream = busy_stream("v10", "little", "filter")
    data = bytearray(stream.bytes())
    record = stream.records[3]
    data[record.offset + 40 + 8] ^= 1  # record length of the row
    path = tmp_path / "x.log"
    path.write_bytes(data)
    log = lmparse.open_log(str(path), spec="db2_log")
    list(log.changes())
    error = log.tally.errors[0]
    assert (error.record_index, error.record_offset) == (3, record.offset)
    assert error.hint is not None
    assert f"LSN {record.lsn:016X}" in error.hint


@pytest.mark.parametrize("form", ["double", "u64"])
def test_a_byte_address_that_is_no_number_is_shown(form: Any, tmp_path: Path, capsys: Any) -> None:
    stream = Stream("v7", "big", "bare", address_form=form)
    table = Table(2, 5, "DOC", [Column("ID", "INTEGER", nullable=False), Column("BODY", "CLOB(1M)")])
    unit = stream.begin("ALICE")
    unit.initialize(table)
    unit.insert(table, {"ID": 1, "BODY": "x"}, lobs={"BODY": "y" * 40_000})
    unit.commit()
    data = bytearray(stream.bytes())
    place = next(record.offset for record in stream.records if "lob" in record.kind or "afim" in record.kind)
    data[place + 20 + 16 : place + 20 + 24] = bytes.fromhex("7FF8000000000000")
    path = tmp_path / "x.log"
    path.write_bytes(data)
    assert cli.main(["records", str(path), "--spec", "db2_log"]) == 0
    assert '"byte_address": "NaN"' in capsys.readouterr().out
    log = lmparse.open_log(str(path), spec="db2_log")
    rows = list(log.changes())
    assert [error.code for error in log.tally.errors] == ["LMP-R002"]
    assert rows[-1]["after"]["C2"] is None


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


@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_a_generation_that_explains_every_record_wins(generation: Any, byte_order: Any) -> None:
    stream = busy_stream(generation, byte_order, "bare")
    data = stream.bytes()
    records = [data[record.offset : record.offset + record.length] for record in stream.records]
    assert prove_generation(records, byte_order) == generation
    assert prove_generation(records[:3], byte_order) == generation
    other = "little" if byte_order == "big" else "big"
    with pytest.raises(lmparse.FramingError):
        prove_generation(records, other)
