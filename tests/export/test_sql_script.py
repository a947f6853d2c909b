"""Scripts of SQL: what they do to the tables of a log, run on another database; and what has no statement."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from amounts import amount, examples
from commands import Run
from db2_sql import Database, Tokens, parsed, value
from hypothesis import given
from hypothesis import strategies as st
from samples import db2_random
from samples.db2_scripts import tables_file
from samples.row_stories import STORIES, Story
from writers.bmc import framing, logs
from writers.db2 import dms
from writers.db2.columns import Column as Column_
from writers.db2.stream import Stream
from writers.db2.tables import Table
from writers.db2.values import External

from lmparse.db2.tables.table import Column
from lmparse.errors import DataError
from lmparse.export import sql_script
from lmparse.export.sql_literals import NoLiteralError, SqlColumn, comment, identifier
from lmparse.export.sql_script import Rules, SqlScript
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.records.files import ignored
from lmparse.terminal import harmless
from lmparse.values.json_form import to_json
from lmparse.values.sql_types import parse_type

Command = Callable[..., Run]
SEEDS = amount(15, 1500)


def script(run: Command, story: Story, *words: str) -> list[str]:
    done = run("sql", *story.arguments, *words)
    assert done.code == 0, done.err
    return done.out.split("\n")[:-1]


@pytest.mark.parametrize("family", STORIES)
def test_redo_and_then_undo_lead_from_the_first_state_to_the_last_and_back(
    family: str, run: Command, tmp_path: Path
) -> None:
    counts = dict.fromkeys(("keyed", "guarded", "INSERT", "UPDATE", "DELETE"), 0)
    for seed in range(SEEDS):
        story = STORIES[family](seed, tmp_path)
        more = ["--if-unchanged"] * (seed % 2)
        redo, undo = script(run, story, "--redo", *more), script(run, story, "--undo", *more)
        database = Database(story.before, story.columns)
        assert set(database.run(redo)) <= {1}, seed
        assert database.differs(story.after) == [], seed
        assert set(database.run(undo)) <= {1}, seed
        assert database.differs(story.before) == [], seed
        for line in redo:
            kind = line.partition(" ")[0]
            if kind in counts:
                counts[kind] += 1
                counts["guarded" if "COUNT(*)" in line else "keyed"] += kind != "INSERT"
            else:
                assert line.startswith("-- transaction ") or "no value in the log changes" in line, line
    assert min(counts.values()) >= SEEDS // 2, counts


# What is written of a value


TEXTS = st.text(st.characters() | st.sampled_from("'\";-\n\r\t\0\x1b\x85\u2028\u202e\ufeff\ud800"), max_size=20)
COLUMNS = {
    "VARCHAR(40)": TEXTS, "CLOB(1K)": TEXTS, "XML": TEXTS,
    "VARGRAPHIC(40)": TEXTS, "DBCLOB(1K)": TEXTS,
    "VARCHAR(9) FOR BIT DATA": st.binary(max_size=9), "BLOB(1K)": st.binary(max_size=9),
    "VARBINARY(9)": st.binary(max_size=9), "DOUBLE": st.floats(allow_nan=False, allow_infinity=False),
    "BIGINT": st.integers(-(1 << 63), (1 << 63) - 1), "DECIMAL(31,5)": st.decimals(-(10**25), 10**25, places=5),
    "DECFLOAT(34)": st.decimals(allow_nan=False).map(str) | st.sampled_from(("NaN", "-sNaN")),
}  # fmt: skip


@pytest.mark.parametrize("words", COLUMNS)
@examples(80, 5000)
@given(data=st.data())
def test_a_literal_is_one_line_and_has_its_value(words: str, data: st.DataObject) -> None:
    column = SqlColumn(Column(1, "A", parse_type(words), True, 0))
    wanted = data.draw(COLUMNS[words])
    if isinstance(wanted, str) and any("\ud800" <= char <= "\udfff" for char in wanted):
        with pytest.raises(NoLiteralError, match="half of a character"):
            column.literal(wanted)
        return
    text = column.literal(wanted)
    assert text.splitlines() == [text]
    assert harmless(text) == text
    tokens = Tokens(text)
    found = value(tokens)
    assert tokens.is_empty
    assert found == (wanted if words == "DOUBLE" else str(to_json(wanted)))


@examples(200, 20_000)
@given(text=TEXTS)
def test_a_comment_and_a_name_are_one_line(text: str) -> None:
    line = comment(text)
    assert line.startswith("-- ")
    assert not line.rstrip().endswith((";", "\\"))
    assert line.splitlines() == [line]
    assert harmless(line) == line
    with suppress(NoLiteralError):
        name = identifier(text)
        assert Tokens(name).name() == text
        assert harmless(name) == name


TIMES = {
    "DATE": ("2026-03-14", "DATE '2026-03-14'"), "TIME": ("24:00:00", "TIME '24.00.00'"),
    "TIMESTAMP(12)": ("9999-12-31T23:59:59.999999999999", "TIMESTAMP '9999-12-31-23.59.59.999999999999'"),
    "TIMESTAMP(0)": ("0001-01-01T24:00:00", "TIMESTAMP '0001-01-01-24.00.00'"),
}  # fmt: skip


@pytest.mark.parametrize("words", TIMES)
def test_dates_and_times_are_constants_of_their_type(words: str) -> None:
    column, (moment, text) = Column(1, "A", parse_type(words), True, 0), TIMES[words]
    assert SqlColumn(column).literal(moment) == text


def test_long_values_are_joined_from_constants_that_db2_takes() -> None:
    texts = ["a" * 100_000, "'" * 40_000, "€'" * 30_000, "\n" * 20_000, "😀" * 20_000]
    for words, size in (("CLOB(1M)", 100_000), ("DBCLOB(1M)", 20_000)):
        column = SqlColumn(Column(1, "A", parse_type(words), True, 0))
        assert [value(Tokens(column.literal(text[:size]))) for text in texts] == [text[:size] for text in texts]
        assert column.literal(texts[0][:size]).startswith(words.partition("(")[0])
    blob = SqlColumn(Column(1, "A", parse_type("BLOB(1M)"), True, 0))
    assert value(Tokens(blob.literal(bytes(100_000)))) == "00" * 100_000


# What has no statement


def db2_log(folder: Path, stream: Stream, *tables: Table, keys: bool = True) -> list[str]:
    """A log with its tables file, in which the first column is the key."""
    (folder / "x.log").write_bytes(stream.bytes())
    if not tables:
        return [str(folder / "x.log")]
    replaced = [(f"name: {table.name}, ", f"name: {table.name}, key: [{table.columns[0].name}], ") for table in tables]
    named = tables_file(folder, *tables, replaced=replaced if keys else ())
    return [str(folder / "x.log"), "--tables", named, "--spec", "db2_log"]


def bmc_log(folder: Path, example: logs.Example) -> list[str]:
    (folder / "x.dat").write_bytes(framing.rdw(example.data_records))
    (folder / "x.ctl").write_bytes(framing.rdw(example.control_records))
    return [str(folder / "x.dat"), "--control", str(folder / "x.ctl")]


def statements(done: Run) -> list[str]:
    return [line for line in done.out.splitlines() if not line.startswith("-- ")]


def comments(done: Run) -> list[str]:
    return [line for line in done.out.splitlines() if line.startswith("-- record ")]


def test_every_change_is_a_statement_or_a_comment_with_its_place(run: Command, tmp_path: Path) -> None:
    example = logs.example(lob=b"")
    words = bmc_log(tmp_path, example)
    done = run("sql", *words, "--redo")
    assert done.code == 0
    changes = example.expected_for("committed", "commit")
    assert len(statements(done)) + len(comments(done)) == len(changes)
    found = "\n".join(comments(done))
    for reason in (
        "insert of PROD.ORDERS: Db2 itself makes the values of a ROWID",
        "update of PROD.ORDERS: after.PHOTO: the value is not in the log record: LOB values are kept in data sets of",
        "update of PROD.ITEMS: a trigger made it",
        "mass delete of WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES: it is not of a row",
        'truncate of PROD.ITEMS: {"change_type": "DR"}',
        'exchange of PROD.ITEMS: {"clone_owner": "PROD", "clone_name": "ITEMS_CLONE"}',
        'object of PROD.ITEMS: {"text": "ALTER TABLE PROD.ITEMS ADD COLUMN EXTRA INTEGER"}',
        'command of WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES: {"text": "-STOP DATABASE(DBSTOCK)"}',
        'status of WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES: {"payload": "0001FF"}',
    ):
        assert reason in found
    assert re.search(r"^-- record \d+ at 0x[0-9a-f]+: ", found)
    assert "comments in place of statements: 7 for changes of tables and other objects, not of rows\n" in done.err
    assert "comments in place of statements: 2 for changes that Db2 made because of others" in done.err
    assert f"statements: {len(statements(done))}\n" in done.err
    assert "left out: 5 rolled-back\n" in done.err
    assert "left out: 1 open\n" in done.err
    triggered = run("sql", *words, "--redo", "--with-triggered")
    assert len(statements(triggered)) == len(statements(done)) + 2
    undone = run("sql", *words, "--undo")
    assert any(line.startswith('INSERT INTO "PROD"."ITEMS" ') for line in statements(undone))


NOTE = Table(
    2, 20, "NOTE", (Column_("ID", "INTEGER", nullable=False), Column_("N", "INTEGER"), Column_("BODY", "CLOB(1M)"))
)
PLAIN = Table(2, 21, "PLAIN", (Column_("ID", "INTEGER"), Column_("RATE", "DOUBLE"), Column_("NAME", "VARCHAR(20)")))


def test_lob_values_of_the_log_are_in_the_statement(run: Command, tmp_path: Path) -> None:
    body = "it's\n" * 20_000
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(NOTE, {"ID": 1, "N": 5}, lobs={"BODY": body})
    unit.update(NOTE, {"ID": 1, "N": 5, "BODY": External()}, {"ID": 1, "N": 6, "BODY": External()})
    unit.update(NOTE, {"ID": 1, "N": 6, "BODY": External()}, {"ID": 1, "N": 6}, lobs={"BODY": "new"})
    unit.update(NOTE, {"ID": 1, "N": 6, "BODY": External()}, {"ID": 1, "N": 6, "BODY": None})
    unit.delete(NOTE, {"ID": 1, "N": 6})
    unit.commit()
    words = db2_log(tmp_path, stream, NOTE)
    redo, kept = run("sql", *words, "--redo"), run("sql", *words, "--redo", "--keep-absent")
    inserted, *others = statements(redo)
    database = Database({"PROD.NOTE": []}, {"PROD.NOTE": ["ID", "N", "BODY"]})
    assert database.run([inserted]) == [1]
    assert database.rows("PROD.NOTE") == [["1", "5", body]]
    # Whether the update of N left BODY as it was is not in the log.
    assert others == [
        """UPDATE "PROD"."NOTE" SET "BODY" = CLOB('new') WHERE "ID" = 1;""",
        """UPDATE "PROD"."NOTE" SET "BODY" = NULL WHERE "ID" = 1;""",
        """DELETE FROM "PROD"."NOTE" WHERE "ID" = 1;""",
    ]
    assert [line.partition(": ")[2] for line in comments(redo)] == [
        "update of PROD.NOTE: after.BODY: the value is not in the log"
    ]
    assert """UPDATE "PROD"."NOTE" SET "N" = 6 WHERE "ID" = 1;""" in statements(kept)
    assert comments(kept) == []
    undo = run("sql", *words, "--undo", "--keep-absent")
    assert statements(undo) == [
        """INSERT INTO "PROD"."NOTE" ("ID", "N", "BODY") VALUES (1, 6, NULL);""",
        """UPDATE "PROD"."NOTE" SET "N" = 5 WHERE "ID" = 1;""", """DELETE FROM "PROD"."NOTE" WHERE "ID" = 1;""",
    ]  # fmt: skip
    assert len(comments(undo)) == 2
    assert "2 for changes with a value that the log lacks" in undo.err


def test_a_lob_value_that_was_changed_and_not_logged_is_never_kept(run: Command, tmp_path: Path) -> None:
    table = replace(NOTE, columns=(*NOTE.columns[:2], Column_("BODY", "CLOB(1M)", logged=False)))
    row = {"ID": 1, "N": 5, "BODY": External()}
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.update(table, row, row | {"N": 6}, lobs={"BODY": "new"})
    unit.update(table, row | {"N": 6}, row | {"N": 7})
    unit.commit()
    words = db2_log(tmp_path, stream, table)
    redo, undo = run("sql", *words, "--redo", "--keep-absent"), run("sql", *words, "--undo", "--keep-absent")
    assert statements(redo) == ["""UPDATE "PROD"."NOTE" SET "N" = 7 WHERE "ID" = 1;"""]
    assert [line.partition(": ")[2] for line in comments(redo)] == [
        "update of PROD.NOTE: after.BODY: not logged: 3 bytes of a NOT LOGGED column"
    ]
    assert statements(undo) == ["""UPDATE "PROD"."NOTE" SET "N" = 6 WHERE "ID" = 1;"""]
    assert [line.partition(": ")[2] for line in comments(undo)] == [
        "update of PROD.NOTE: before.BODY: the value before is not logged"
    ]


def test_a_statement_that_db2_would_not_take_is_a_comment(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(NOTE, {"ID": 1}, lobs={"BODY": "'" * 1_048_576})
    unit.insert(PLAIN, {"ID": 2, "RATE": float("inf")})
    unit.commit()
    done = run("sql", *db2_log(tmp_path, stream, NOTE, PLAIN), "--redo")
    assert statements(done) == []
    assert [line.partition(": ")[2] for line in comments(done)] == [
        "insert of PROD.NOTE: the statement would have more than 2098011 bytes, and Db2 takes 2097152",
        "insert of PROD.PLAIN: there is no literal of the floating-point number inf",
    ]
    assert max(map(len, done.out.splitlines())) < 200


def test_without_a_key_one_row_is_changed_or_none(run: Command, tmp_path: Path) -> None:
    one, two = ({"ID": 1, "RATE": rate, "NAME": "x"} for rate in (0.1, 0.3))
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.update(PLAIN, one, one | {"NAME": "y"})
    unit.delete(PLAIN, two)
    unit.delete(PLAIN, dict.fromkeys(one))
    unit.commit()
    done = run("sql", *db2_log(tmp_path, stream, PLAIN, keys=False), "--redo")
    assert all('"RATE"' not in line for line in statements(done)), "floats are never compared"
    assert "statements of rows without a known key: 3; such a statement compares all columns" in done.err
    columns = {"PROD.PLAIN": ["ID", "RATE", "NAME"]}
    empty = dict.fromkeys(one)
    database = Database({"PROD.PLAIN": [one, two, empty]}, columns)
    assert database.run(statements(done)) == [0, 0, 1], "two rows with the same values, floats left out"
    assert database.differs({"PROD.PLAIN": [one, two]}) == []
    database = Database({"PROD.PLAIN": [one, empty, empty]}, columns)
    assert database.run(statements(done)) == [1, 0, 0]
    # A key with null is none: a unique index may have several of them.
    keyed = run("sql", *db2_log(tmp_path, stream, PLAIN), "--redo")
    assert "statements of rows without a known key: 1;" in keyed.err
    assert statements(keyed)[:2] == [
        """UPDATE "PROD"."PLAIN" SET "NAME" = 'y' WHERE "ID" = 1;""", """DELETE FROM "PROD"."PLAIN" WHERE "ID" = 1;""",
    ]  # fmt: skip


def test_rows_that_others_have_changed_can_be_left_alone(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.update(PLAIN, {"ID": 1, "RATE": 0.1, "NAME": "x"}, {"ID": 1, "RATE": 0.2, "NAME": None})
    unit.commit()
    words = db2_log(tmp_path, stream, PLAIN)
    undo = ["sql", *words, "--undo"]
    columns = {"PROD.PLAIN": ["ID", "RATE", "NAME"]}
    for name, ordinary, careful in ((None, 1, 1), ("changed since", 1, 0)):
        state = {"PROD.PLAIN": [{"ID": 1, "RATE": 0.2, "NAME": name}]}
        assert Database(state, columns).run(statements(run(*undo))) == [ordinary]
        assert Database(state, columns).run(statements(run(*undo, "--if-unchanged"))) == [careful]
    assert statements(run(*undo, "--if-unchanged")) == [
        """UPDATE "PROD"."PLAIN" SET "RATE" = 0.1E0, "NAME" = 'x' WHERE "ID" = 1 AND "NAME" IS NULL;"""
    ]


@pytest.mark.parametrize("seed", range(amount(3, 200)))
def test_every_change_of_a_damaged_log_has_a_line(seed: int, tmp_path: Path) -> None:
    path, known, _ = db2_random.written(tmp_path, seed, 25)
    options = read_options({**known, "order": "commit", "include": "all" if seed % 2 else "committed"})
    log = open_changes(path, options, on_error=ignored)
    found = SqlScript(log, Rules())
    lines = [line for line in found.lines() if not line.startswith(("-- transaction ", "-- what is behind this "))]
    for line in lines:
        assert line.splitlines() == [line]
        assert line.startswith("-- record ") or parsed(line)
    again = open_changes(path, options, on_error=ignored)
    again.keeps_bad_records, count = True, 0
    with suppress(DataError):
        for _ in again.typed_changes():
            count += 1
    assert len(lines) == count + len(again.bad_records)
    assert len(lines) == found.statements + found.refused.total()
    assert found.refused.total() > 10
    assert found.statements > 10 or "tables" not in known


def test_damage_is_said_where_it_is(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    for number in range(3):
        unit = stream.begin()
        unit.insert(PLAIN, {"ID": number})
        unit.commit()
    words = db2_log(tmp_path, stream, PLAIN)
    whole = run("sql", *words, "--redo").out.splitlines()
    Path(words[0]).write_bytes(stream.bytes()[:-10])
    redo, undo = run("sql", *words, "--redo"), run("sql", *words, "--undo")
    assert redo.code == undo.code == 20
    assert redo.out.splitlines()[:-1] == whole[:4]
    assert redo.out.splitlines()[-1].startswith("-- what is behind this is not in the script: ")
    assert undo.out.splitlines()[0] == redo.out.splitlines()[-1]
    assert len(statements(undo)) == 2
    failed = run("sql", *words, "--undo", "--mode", "failfast")
    assert (failed.code, failed.out) == (20, "")


def test_bad_records_and_values_are_comments(run: Command, tmp_path: Path) -> None:
    writer = logs.Writer()
    stock = logs.TABLES[2]
    row = {"NO": 7, "KIND": "A", "SUM": "10.50"}
    bad = row | {"SUM": "66666.66"}
    writer.add(logs.Unit(1), stock, "I", after=bad)
    writer.add(logs.Unit(1), stock, "UB", row, bad)
    writer.add(logs.Unit(1), stock, "UB", row, row | {"KIND": "B"})
    writer.add(logs.Unit(1), stock, "D", bad)
    example = writer.example()
    example.data_records = [raw.replace(b"\x66\x66\x66\x6c", b"\xff\xff\xff\xff") for raw in example.data_records]
    example.data_records[2] = example.data_records[2][:-3]
    words = bmc_log(tmp_path, example)
    done = run("sql", *words, "--redo")
    assert done.code == 20
    # The key is enough to delete a row.
    assert statements(done) == ["""DELETE FROM "WAREHOUSE_OWNER"."STOCK_MOVEMENTS_OF_ALL_SITES" WHERE "NO" = 7;"""]
    found = comments(done)
    assert len(found) == 3
    assert "record 0 at 0x4: insert of WAREHOUSE_OWNER.STOCK_MOVEMENTS_OF_ALL_SITES: after.SUM: expected " in found[0]
    assert "record 1 at " in found[1]
    assert re.search(r"record 2 at 0x[0-9a-f]+: cannot be read: .*\[LMP-[RV]\d+\]$", found[2])
    # What a bad value replaced is known.
    undone = run("sql", *words, "--undo")
    assert statements(undone) == [
        """UPDATE "WAREHOUSE_OWNER"."STOCK_MOVEMENTS_OF_ALL_SITES" SET "SUM" = 10.50 WHERE "NO" = 7;""",
        """DELETE FROM "WAREHOUSE_OWNER"."STOCK_MOVEMENTS_OF_ALL_SITES" WHERE "NO" = 7;""",
    ]
    assert "comments in place of statements: 1 for changes with a bad value" in undone.err


def test_only_what_was_committed_is_taken_back(run: Command, tmp_path: Path) -> None:
    words = bmc_log(tmp_path, logs.example())
    done = run("sql", *words, "--undo", "--include", "all")
    ordinary = run("sql", *words, "--undo")
    assert statements(done) == statements(ordinary)
    assert sum("it takes back another change" in line for line in comments(done)) == 2
    assert sum("it was not committed, so there is nothing to take back" in line for line in comments(done)) == 4
    redo = run("sql", *words, "--redo", "--include", "open")
    assert redo.out.splitlines() == [
        "-- transaction 000100000000000012306000, not committed, APPUSER, PLANA, PAYROLL01",
        """UPDATE "WAREHOUSE_OWNER"."STOCK_MOVEMENTS_OF_ALL_SITES" SET "SUM" = 1.00 WHERE "NO" = 10;""",
    ]


def test_options_select_what_is_in_the_script(run: Command, tmp_path: Path) -> None:
    words = bmc_log(tmp_path, logs.example())
    everything = statements(run("sql", *words, "--undo"))
    one = statements(run("sql", *words, "--undo", "--table", "PROD.ITEMS", "--operations", "I,U"))
    assert one
    assert one == [line for line in everything if '"ITEMS"' in line and not line.startswith("INSERT")]
    changes = run("changes", *words, "--order", "commit").rows
    last = statements(run("sql", *words, "--undo", "--starting-seq", changes[-1]["seq"]))
    assert everything[: len(last)] == last
    for option, message in (
        ("--columns=NO", "there is no option '--columns=NO'"), ("--header", "there is no option '--header'"),
        ("--mode=dropmalformed", "would leave changes out of the script"), ("--with-triggered", "is for --redo"),
    ):  # fmt: skip
        done = run("sql", *words, "--undo", option)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    assert run("sql", *words).code == 2


"""Options that select changes, or say how they are read; those of their printed shape mean nothing here."""


def test_halves_of_moved_rows_and_unknown_tables_have_no_statement(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.insert(PLAIN, {"ID": 1}, flags=dms.DECOMPOSED_UPDATE)
    unit.insert(NOTE, {"ID": 1, "N": None, "BODY": None})
    unit.initialize(NOTE)
    unit.insert(NOTE, {"ID": 2, "N": None, "BODY": None})
    unit.commit()
    done = run("sql", *db2_log(tmp_path, stream, PLAIN), "--redo")
    assert statements(done) == []
    assert [re.sub(r"record \d+ at \w+", "record", line) for line in comments(done)][:2] == [
        "-- record: insert of PROD.PLAIN: it is half of an update that moved the row",
        "-- record: insert of 2.20: nothing describes the table, or says its whole name",
    ]
    assert len(comments(done)) == 4


def test_an_undo_waits_on_the_disk(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = bmc_log(tmp_path, logs.example())
    done = run("sql", *words, "--undo")
    monkeypatch.setattr(sql_script, "_IN_MEMORY", 1)
    assert run("sql", *words, "--undo") == done

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sql_script.tempfile, "SpooledTemporaryFile", full)
    failed = run("sql", *words, "--undo")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err == f"{tempfile.gettempdir()}: No space left on device [LMP-S022]\n"
