"""Db2 for LUW changes: every form of a log gives the script it was written from, and options choose among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from samples import db2_scripts as luw
from samples.db2_scripts import EMP, ITEM, emp, item, read
from writers.db2.stream import Stream
from writers.db2.values import Codecs

import lmparse
from lmparse import cli
from lmparse.spec import catalog


def wanted(stream: Stream, generation: str) -> list[dict[str, Any]]:
    """What the script expects; the name in a pending list of v7 ends nowhere that is documented."""
    rows = luw.expected(stream)
    for row in rows:
        if generation == "v7" and row["auth_id"] == "USER4":
            row["auth_id"] = None
    return rows


# every form


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.ALL_FORMS)
def test_a_log_gives_its_script(generation: str, byte_order: str, framing: str, tmp_path: Path) -> None:
    stream = luw.full_stream(generation, byte_order, framing)
    known = {"generation": generation, "byte_order": byte_order, "framing": framing}
    named = read(tmp_path, stream, order="commit", **known)
    assert luw.shown(named.rows) == wanted(stream, generation)
    assert named.codes == []
    found = read(tmp_path, stream, order="commit")
    assert found.rows == named.rows
    assert {decision.name: decision.value for decision in found.log.decisions} == {
        "framing": framing, "byte order": byte_order, "generation": generation,
    }  # fmt: skip
    counts = {"open": 2, "rolled-back": 9 if generation == "v7" else 13}
    assert found.log.left_out == counts
    assert sum(counts.values()) + len(found.rows) == len(read(tmp_path, stream, include="all", **known).rows)


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.SOME_FORMS)
def test_numbers_of_changes_sort_as_commits(generation: str, byte_order: str, framing: str, tmp_path: Path) -> None:
    stream = luw.full_stream(generation, byte_order, framing)
    known = {"generation": generation, "byte_order": byte_order, "framing": framing}
    by_file = read(tmp_path, stream, include="all", **known).rows
    by_commit = read(tmp_path, stream, include="all", order="commit", **known).rows
    numbers = [row["seq"] for row in by_file]
    assert len(set(numbers)) == len(numbers)
    assert {len(number) for number in numbers} == {72}
    assert {len(row["txn_id"]) for row in by_file} == {28}
    assert all(set(row["seq"] + row["txn_id"]) <= set("0123456789ABCDEF") for row in by_file)
    assert [row["seq"] for row in by_commit] == sorted(numbers)
    done = [row for row in sorted(by_file, key=lambda row: row["seq"]) if row["log_rec_disp"] == "C"]
    assert luw.shown(done) == wanted(stream, generation)
    places = [(row["_metadata"]["record_index"], row["_metadata"]["record_offset"]) for row in by_file]
    assert places == sorted(places), "in the order of the file"
    assert all(row["seq"].startswith("F" * 20) == (row["log_rec_disp"] != "C") for row in by_file)


# what became of a transaction


def small_stream() -> Stream:
    """Three rows: committed, aborted, open; one more taken back by a savepoint in the committed transaction."""
    stream = Stream("v9.7", "big", "lsn8")
    first = stream.begin("ALICE")
    first.initialize(ITEM)
    first.commit()
    one, two, three = stream.begin("BOB"), stream.begin("CAROL"), stream.begin("DAVE")
    three.insert(ITEM, item(3))
    two.insert(ITEM, item(2))
    one.insert(ITEM, item(1))
    mark = one.mark()
    one.insert(ITEM, item(11))
    one.rollback_to(mark)
    two.abort()
    one.commit()
    return stream


@pytest.mark.parametrize(
    ("include", "numbers", "left_out"),
    [
        ("committed", [1], {"open": 1, "rolled-back": 2}),
        ("rolled-back", [2, 11], {"open": 1, "committed": 2}),
        ("open", [3], {"rolled-back": 2, "committed": 2}),
        ("open,committed", [3, 1], {"rolled-back": 2}),
        ("all", [3, 2, 1, 11], {}),
    ],
)
def test_include(
    include: str, numbers: list[int], left_out: dict[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(small_stream().bytes())
    assert cli.main(["changes", str(path), "--spec", "db2_log", "--include", include, "--operations", "I,O"]) == 0
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["after"]["C1"] for row in rows if row["op"] == "I"] == numbers
    said = {line.split()[3]: int(line.split()[2]) for line in err.splitlines() if line.startswith("left out:")}
    assert said == left_out


def test_dispositions(tmp_path: Path) -> None:
    rows = read(tmp_path, small_stream(), include="all", operations="I").rows
    found = {row["after"]["C1"]: (row["uor_disp"], row["log_rec_disp"], row["auth_id"]) for row in rows}
    assert found == {1: ("C", "C", "BOB"), 11: ("C", "A", "BOB"), 2: ("A", "A", None), 3: (None, None, None)}
    times = {row["after"]["C1"]: row["commit_ts"] for row in rows}
    assert times == {1: "2026-03-14T10:11:13.000000", 11: times[1], 2: None, 3: None}


def test_a_transaction_that_begins_before_the_log(tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit, other = stream.begin(), stream.begin()
    unit.initialize(ITEM)
    other.insert(ITEM, item(1))
    other.insert(ITEM, item(2))
    unit.commit()
    other.commit()
    tables = luw.tables_file(tmp_path, ITEM)
    whole = read(tmp_path, stream, tables=tables)
    data = stream.bytes()[stream.records[2].offset - 56 :]
    found = read(tmp_path, data, tables=tables)
    assert found.rows == []
    assert found.log.left_out == {"incomplete": 1}
    assert found.has_note("1 x transactions that begin before the log at hand")
    assert found.has_note("1 x ends of transactions without another record in the log at hand")
    for include in ("incomplete", "all"):
        found = read(tmp_path, data, tables=tables, include=include)
        assert found.values() == [(2, None)]
        assert found.rows[0]["seq"] == whole.rows[-1]["seq"]  # as in the log that has all of it
        assert found.rows[0]["uor_disp"] == "C"


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("end", ["commit", "abort", None])
def test_every_change_of_a_cut_transaction_is_held_back(end: str | None, engine: str, tmp_path: Path) -> None:
    """Whatever became of it: of what is taken back or aborted, too, a part is in front of the log."""
    stream = Stream("v10", "little", "bare")
    unit, other = stream.begin(), stream.begin()
    for number in range(5):
        unit.insert(ITEM, item(number))
        other.insert(ITEM, item(10 + number))
    unit.rollback_to(3)
    other.commit()
    if end is not None:
        getattr(unit, end)()
    tables = luw.tables_file(tmp_path, ITEM)
    data = stream.bytes()[stream.records[1].offset :]  # without the first record of one of them
    found = read(tmp_path, data, tables=tables, engine=engine)
    assert found.values() == [(10 + number, None) for number in range(5)]
    assert found.log.left_out == {"incomplete": 4}
    names = read(tmp_path, data, tables=tables, engine=engine, include="incomplete").values()
    assert sorted(names) == [(number, None) for number in range(1, 5)]
    others = read(tmp_path, data, tables=tables, engine=engine, include="open,rolled-back")
    assert others.rows == []


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_singular_record_with_one_before_it_in_front_of_the_log(engine: str, tmp_path: Path) -> None:
    """It may not be all of its transaction, so it is not shown as if it were."""
    stream = Stream("v10", "little", "filter")
    single, unit = stream.begin("B", singular=True), stream.begin()
    unit.insert(ITEM, item(1))
    single.insert(ITEM, item(2))
    unit.insert(ITEM, item(3))
    unit.commit()
    data, tables = bytearray(stream.bytes()), luw.tables_file(tmp_path, ITEM)
    known = {"tables": tables, "engine": engine, "framing": "filter", "generation": "v10", "byte_order": "little"}
    assert sorted(read(tmp_path, bytes(data), **known).values()) == [(1, None), (2, None), (3, None)]
    chain = catalog.load("db2_log").layouts["db2_log.chain_v10"]["previous_lso"]
    header = catalog.load("db2_log").layout["chain"].offset
    assert chain.offset is not None
    assert header is not None
    place = stream.records[1].offset + header + chain.offset
    data[place : place + 8] = (1).to_bytes(8, "little")
    found = read(tmp_path, bytes(data), **known)
    assert sorted(found.values()) == [(1, None), (3, None)]
    assert found.log.left_out == {"incomplete": 1}


def test_an_application_information_record_first(tmp_path: Path) -> None:
    """LOG_APPL_INFO puts one before the first change of every transaction."""
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    unit.record("application", "application_information", b"anything")
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.commit()
    found = read(tmp_path, stream)
    assert found.values() == [(1, None)]
    assert found.notes == []


def test_prepared_transactions_are_open_until_they_commit(tmp_path: Path) -> None:
    from writers.db2 import transaction

    stream = Stream("v10", "big", "filter")
    first, second = stream.begin(), stream.begin()
    first.initialize(ITEM)
    first.insert(ITEM, item(1))
    first.record("xa_prepare", "xa_prepare", transaction.prepare(stream.server, 1_700_000_000, 1000))
    second.insert(ITEM, item(2))
    second.record("tm_prepare", "tm_prepare", transaction.prepare(stream.server, 1_700_000_000, 1000))
    second.commit()
    found = read(tmp_path, stream, operations="I", tables=luw.tables_file(tmp_path, ITEM))
    assert found.values() == [(2, None)]
    assert found.log.left_out == {"open": 1}


@pytest.mark.parametrize("kind", ["normal", "heuristic", "mpp_coordinator", "mpp_subordinate", "local_pending_list"])
@pytest.mark.parametrize("generation", ["v7", "v9.7", "v10"])
def test_every_way_to_commit(generation: Any, kind: Any, tmp_path: Path) -> None:
    stream = Stream(generation, "big", "bare")
    unit = stream.begin("A")
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    unit.commit(kind, auth_id="DB2INST1")
    found = read(tmp_path, stream, operations="I", generation=generation, byte_order="big", framing="bare")
    assert found.values() == [(1, None)]
    assert found.codes == []
    assert found.rows[0]["commit_ts"] == "2026-03-14T10:11:12.000000"
    # Where the name ends before the entries of a pending list is not documented until version 9.5.
    is_open = generation == "v7" and kind == "local_pending_list"
    assert found.rows[0]["auth_id"] == (None if is_open else "DB2INST1")


# options


def test_one_table_by_every_name(tmp_path: Path) -> None:
    stream = luw.full_stream("v10", "little", "filter")
    everything = read(tmp_path, stream).rows
    for wanted in ("2.4", "3.5"):
        found = read(tmp_path, stream, table=wanted)
        assert found.rows == [row for row in everything if row["table_name"] == wanted]
    tables = luw.tables_file(tmp_path, EMP, ITEM)
    named = read(tmp_path, stream, tables=tables)
    assert {(row["schema_name"], row["table_name"]) for row in named.rows} == {("PROD", "EMP"), ("PROD", "ITEM")}
    assert not any("table_name_short" in row for row in named.rows)
    for wanted in ("EMP", "PROD.EMP", "2.4"):
        found = read(tmp_path, stream, table=wanted, tables=tables)
        assert found.rows == [row for row in named.rows if row["table_name"] == "EMP"]
        assert found.log.table_names == {"PROD.EMP (2.4)"}


def test_tables_that_are_not_there_or_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(luw.full_stream("v10", "little", "filter").bytes())
    for wanted in ("EMP", "2.5", "0002.0004", "PROD.EMP"):
        assert cli.main(["changes", str(path), "--spec", "db2_log", "--table", wanted]) == 2
        assert "LMP-C005" in capsys.readouterr().err
    tables = luw.tables_file(tmp_path, EMP, ITEM, replaced=[("name: ITEM", "name: EMP"), ("schema: PROD", "schema: P")])
    assert cli.main(["changes", str(path), "--tables", tables, "--table", "EMP"]) == 2
    said = capsys.readouterr().err
    assert "P.EMP (2.4)" in said
    assert "P.EMP (3.5)" in said


@pytest.mark.parametrize("operations", ["U,D", "I,T", "M"])
def test_operations(operations: str, tmp_path: Path) -> None:
    stream = luw.full_stream("v9.7", "little", "bare")
    everything = read(tmp_path, stream).rows
    found = read(tmp_path, stream, operations=operations)
    assert found.rows == [row for row in everything if row["op"] in operations.split(",")]
    assert bool(found.rows) == (operations != "M")


def test_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = luw.full_stream("v9.7", "little", "bare")
    tables = luw.tables_file(tmp_path, EMP, ITEM)
    whole = read(tmp_path, stream, tables=tables)
    found = read(tmp_path, stream, tables=tables, columns="N,NAME")
    for row, all_of_it in zip(found.rows, whole.rows, strict=True):
        for role in ("before", "after"):
            values = all_of_it[role]
            assert row[role] == (values and {name: values[name] for name in values if name in ("NAME", "N")})
    path = tmp_path / "x.log"
    assert cli.main(["changes", str(path), "--tables", tables, "--columns", "NAMES"]) == 2
    assert "NAME" in capsys.readouterr().err
    assert read(tmp_path, stream, table="3.5", columns="C2").values(ops="I")[0] == ("page",)


def test_trailing_blanks_of_fixed_text(tmp_path: Path) -> None:
    from writers.db2.columns import Column
    from writers.db2.tables import Table

    table = Table(2, 4, "T", (Column("A", "CHAR(5)"), Column("B", "VARCHAR(5)"), Column("C", "GRAPHIC(3)")))
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"A": "a", "B": "b ", "C": "c"})
    unit.commit()
    assert read(tmp_path, stream).values() == [("a", "b ", "c")]
    assert read(tmp_path, stream, trim=False).values() == [("a    ", "b ", "c  ")]


def test_code_pages(tmp_path: Path) -> None:
    for codec, page, text in (("cp932", "943", "\u301c"), ("cp850", "850", "Åsa")):
        stream = Stream("v9.7", "little", "bare", codecs=Codecs(text=codec))
        unit = stream.begin()
        unit.initialize(ITEM)
        unit.insert(ITEM, item(1, text.replace("\u301c", "\uff5e")))  # of the wave dash Python's codec makes a tilde
        unit.commit()
        for engine in ("columnar", "kaitai", "check"):
            assert read(tmp_path, stream, code_page=page, engine=engine).values() == [(1, text)]
    found = read(tmp_path, stream)
    assert found.codes == ["LMP-V007"]
    assert found.values() == [(1, None)]
    assert found.rows[-1]["_corrupt_fields"][0]["path"] == "after.C2"


def test_empty_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"")
    tables = luw.tables_file(tmp_path, EMP)
    assert cli.main(["changes", str(path), "--tables", tables]) == 0
    assert cli.main(["changes", str(path), "--spec", "db2_log", "--framing", "filter"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "note: the file is empty" in err
    assert cli.main(["changes", str(path), "--spec", "db2_log"]) == 20
    assert "LMP-F002" in capsys.readouterr().err


# records that are bad


def test_modes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = Stream("v9.7", "little", "lsn8")
    unit = stream.begin()
    unit.initialize(EMP)
    unit.insert(EMP, emp(1))
    unit.insert(EMP, emp(2))
    unit.commit()
    place = 24 + 20 + 8 + 6 + 5  # the packed decimal of the first row
    path = tmp_path / "a.log"
    path.write_bytes(luw.patched(stream, 1, place, b"\xff"))
    results = {}
    for mode in ("permissive", "dropmalformed", "failfast"):
        code = cli.main(["changes", str(path), "--spec", "db2_log", "--mode", mode, "--operations", "I"])
        out, err = capsys.readouterr()
        rows = [json.loads(line) for line in out.splitlines()]
        results[mode] = code, [row["after"]["C1"] for row in rows]
        assert "LMP-V002" in err
        assert "LSN" in err
        assert f"transaction {unit.tid.hex().upper()}" in err
        if mode == "permissive":
            assert rows[0]["after"]["C3"] is None
            assert rows[0]["_corrupt_fields"][0]["code"] == "LMP-V002"
    assert results == {
        "permissive": (20, ["000001", "000002"]), "dropmalformed": (20, ["000002"]), "failfast": (20, []),
    }  # fmt: skip


# detection


@pytest.mark.parametrize(("generation", "byte_order", "framing"), luw.SOME_FORMS)
def test_sniff(
    generation: str, byte_order: str, framing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.log"
    stream = luw.full_stream(generation, byte_order, framing)
    path.write_bytes(stream.bytes())
    assert cli.main(["sniff", str(path)]) == 0
    said = capsys.readouterr().out
    words = f"--spec db2_log --framing {framing} --byte-order {byte_order} --generation {generation}"
    assert words in said
    option = f'.option("byteOrder", "{byte_order}").option("generation", "{generation}")'
    assert option in said
    assert f"record 0 at {stream.records[0].offset:#x}, {stream.records[0].length} bytes" in said
    assert cli.main(["sniff", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["is_proven"]
    assert cli.main(["changes", str(path), *words.split()]) == 0


def test_records_that_fit_two_generations_are_not_guessed(tmp_path: Path) -> None:
    """An abort of 24 bytes: that of version 9.7 without a name, or that of version 7 with one of four letters."""
    raw = (24).to_bytes(4, "little") + b"\x41\x00\x00\x00" + bytes(6) + b"\1\2\3\4\5\6" + b"ABCD"
    path = tmp_path / "a.log"
    path.write_bytes(raw * 3)
    with pytest.raises(lmparse.DataError) as caught:
        list(lmparse.open_log(str(path), spec="db2_log").changes())
    assert caught.value.code == "LMP-F004"
    assert "v7" in str(caught.value)
    assert "v9.7" in str(caught.value)


@pytest.mark.parametrize(
    ("generation", "framing", "named"),
    [("v9.7", "filter97", "v10"), ("v7", "lsn6", "v10"), ("v10", "lsn8", "v9.7"), ("v9.7", "lsn8", "v7")],
)
@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_a_wrong_generation_is_refused(
    generation: str, framing: str, named: str, byte_order: str, tmp_path: Path
) -> None:
    stream = luw.full_stream(generation, byte_order, framing)
    with pytest.raises(lmparse.FramingError) as caught:
        read(tmp_path, stream, generation=named, framing=framing, byte_order=byte_order)
    assert caught.value.code == "LMP-F005"
    assert caught.value.expected == f"generation {named}"
    assert caught.value.found == f"records that look like generation {generation}"


@pytest.mark.parametrize("others", [1, 12])
def test_two_generations_in_one_log(others: int, tmp_path: Path) -> None:
    """A log before and after an upgrade: that of most records is read, and the others are bad records."""
    new, old = luw.full_stream("v10", "little", "lsn8"), Stream("v9.7", "little", "lsn8")
    for number in range(others):
        unit = old.begin()
        unit.insert(ITEM, item(number))
        unit.commit()
    data = new.bytes() + old.bytes()
    found = read(tmp_path, data, framing="lsn8", byte_order="little", generation="v10", order="commit")
    assert luw.shown(found.rows) == luw.expected(new)
    assert len(found.codes) == 2 * others, "each record of the other generation is one error"


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_of_two_framings_that_fit_the_one_is_taken_that_explains_all_records(byte_order: Any, tmp_path: Path) -> None:
    """Behind a prefix of 16 bytes, the log sequence number of the first record is a length that reaches to the last."""

    def made(first: int) -> Stream:
        stream = Stream("v10", byte_order, "filter")
        stream._lsn = first
        for number in range(20):
            unit = stream.begin()
            unit.insert(ITEM, item(number))
            unit.commit()
        return stream

    stream = made(1 << 13)
    data, last = stream.bytes(), stream.records[-1]
    first = len(data) - last.length - 2 * 16
    shift = 0 if byte_order == "little" else 32  # its first four bytes
    path = tmp_path / "x.log"
    path.write_bytes(made(first << shift).bytes())
    log = lmparse.open_log(str(path), spec="db2_log")
    assert {one.name: one.value for one in log.decisions}["framing"] == "filter"
    assert len(list(log.changes())) == 20


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_two_identifiers_in_front_of_each_record(byte_order: Any, tmp_path: Path) -> None:
    """As a sample of IBM has them that reads without a connection."""
    stream = Stream("v10", byte_order, "lris")
    unit = stream.begin("ALICE")
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1, "x"))
    mark = unit.mark()
    unit.insert(ITEM, item(2))
    unit.rollback_to(mark)
    unit.commit()
    found = read(tmp_path, stream, operations="I")
    assert found.values() == [(1, "x")]
    assert {one.name: one.value for one in found.log.decisions}["framing"] == "lris"
