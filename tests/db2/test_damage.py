"""Db2 for LUW damage: any bytes give values or an error of the library, and the exit code that it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, item
from writers.db2 import dms, utility
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse import cli

FORMS: list[tuple[Any, Any, Any]] = [
    ("v7", "big", "lsn6"), ("v9.7", "little", "bare"), ("v9.7", "big", "filter97"), ("v10", "little", "filter"),
    ("v10", "big", "lsn8"),
]  # fmt: skip
PREFIX = {"bare": 0, "lsn6": 6, "lsn8": 8, "filter": 56, "filter97": 16}
DOC = Table(2, 9, "DOC", (Column("ID", "SMALLINT"), Column("BODY", "CLOB(9)"), Column("P", "DECIMAL(3,1)")))


def tiny_stream(form: tuple[Any, Any, Any]) -> Stream:
    """Few bytes with many kinds of record: two transactions, a value out of its row, a compensation, a gap."""
    stream = Stream(*form)
    one, two = stream.begin("A"), stream.begin("B")
    one.initialize(DOC)
    one.insert(DOC, {"ID": 1, "P": "1.5"}, lobs={"BODY": "text"})
    mark = two.mark()
    two.insert(DOC, {"ID": 2})
    two.rollback_to(mark)
    one.update(DOC, {"ID": 1, "P": None}, {"ID": 2, "P": "-1.5"})
    if form[0] != "v7":
        one.insert_many(DOC, [{"ID": 3}, {"ID": 4}])
    one.add_columns(DOC, Column("D", "DATE"))
    two.alter_attribute(DOC, dms.PROPAGATION, 0)
    one.statement(DOC, "x")
    two.record("load", "load_start", utility.load_start(stream.server, 1, 2, 9))
    one.commit()
    two.commit("mpp_coordinator")
    return stream


def known(form: tuple[Any, Any, Any]) -> dict[str, str]:
    return dict(zip(("generation", "byte_order", "framing"), form, strict=True))


def words(form: tuple[Any, Any, Any]) -> list[str]:
    generation, byte_order, framing = form
    return ["--generation", generation, "--byte-order", byte_order, "--framing", framing]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


@pytest.mark.parametrize("form", FORMS)
def test_a_log_that_ends_anywhere(form: Any, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was committed up to there, and 20 for a record cut short; 0 between two records."""
    stream = tiny_stream(form)
    data = stream.bytes()
    prefix = PREFIX[form[2]]
    starts = {record.offset - prefix for record in stream.records}
    ends = [record.offset + record.length for record in stream.records]
    commits = [ends[luw.number_of(stream, kind)] for kind in ("commit", "mpp_coordinator_commit")]
    path.write_bytes(data)
    whole = [row["seq"] for row in luw.read(path.parent, data, include="committed", **known(form)).rows]
    seen = set()
    near = {end + more for end in ends for more in (-1, 0, 1)}
    for end in sorted({*range(0, len(data), amount(97, 1)), *near} & {*range(len(data))}):
        path.write_bytes(data[:end])
        code = cli.main(["changes", str(path), "--spec", "db2_log", *words(form)])
        out, err = capsys.readouterr()
        rows = [json.loads(line)["seq"] for line in out.splitlines()]
        is_between = end in starts
        assert code == (0 if is_between else 20), end
        assert ("LMP-F006" in err) == (not is_between), end
        # A load is what it is at once; the other changes wait for the end of their transaction.
        assert set(rows) <= set(whole), end
        assert end >= commits[0] or len(rows) <= 2, end
        seen.add(len(rows))
    assert len(seen) > 2


@pytest.mark.parametrize("form", FORMS)
def test_a_bad_record_leaves_the_others(form: Any, path: Path) -> None:
    """Each record in turn loses its component: what is not of it is read as before."""
    stream = tiny_stream(form)
    whole = luw.read(path.parent, stream, include="all", **known(form))
    for number, record in enumerate(stream.records):
        header = {"v7": 20, "v9.7": 24, "v10": 40}[form[0]]
        data = luw.patched(stream, number, header, b"\xfe" * min(8, record.length - header))
        found = luw.read(path.parent, data, include="all", **known(form))
        left = {row["seq"][32:] for row in found.rows}
        assert left <= {row["seq"][32:] for row in whole.rows}
        if number:
            lost = [row for row in whole.rows if row["_metadata"]["record_index"] == number]
            assert len(left) >= len(whole.rows) - max(len(lost), 1) - 1


# damage that is told apart


def test_a_commit_that_is_damaged_leaves_its_transaction_open(path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.commit()
    data = luw.patched(stream, 2, 40 + 8, b"\xff\xff")  # length of the name
    found = luw.read(path.parent, data)
    assert found.codes == ["LMP-R001"]
    assert found.rows == []
    assert found.log.left_out == {"open": 2}


def test_a_name_that_is_no_text_is_an_error_and_the_transaction_commits(path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.commit()
    data = luw.patched(stream, 2, 40 + 10, b"\xff")
    found = luw.read(path.parent, data, operations="I")
    assert found.codes == ["LMP-V007"]
    assert found.values() == [(1, None)]
    assert found.rows[0]["auth_id"] is None
