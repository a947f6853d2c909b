"""Histories of rows: every change of a row under the keys that it had, and what is missing between them."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from samples.db2_scripts import tables_file
from samples.row_stories import STORIES, Story
from writers.bmc import framing, logs
from writers.db2.columns import Column as Described
from writers.db2.stream import Stream
from writers.db2.tables import Table

from lmparse.changes.key_values import comparable, parsed
from lmparse.db2.tables import Column
from lmparse.errors import OptionError
from lmparse.values.sql_types import parse_type

Command = Callable[..., Run]
STOCK = Table(2, 20, "STOCK", (Described("ID", "INTEGER", nullable=False), Described("N", "VARCHAR(20)")))
NAMED = ["--table", "PROD.STOCK"]


def log(folder: Path, stream: Stream, *, keys: bool = True) -> list[str]:
    """A log with its tables file."""
    (folder / "x.log").write_bytes(stream.bytes())
    replaced = [("name: STOCK, ", "name: STOCK, key: [ID], ")] if keys else ()
    named = tables_file(folder, STOCK, replaced=replaced)
    return [str(folder / "x.log"), "--tables", named, "--spec", "db2_log"]


def row(number: int, text: str | None = None) -> dict[str, Any]:
    return {"ID": number, "N": text}


def briefly(done: Run) -> list[tuple[Any, ...]]:
    """Operation, key, changed columns and notes of each entry."""
    return [
        (
            entry["op"], *entry["key"].values(),
            {name: (both["before"], both["after"]) for name, both in entry["changed"].items()}, entry["notes"],
        )
        for entry in done.rows
    ]  # fmt: skip


def moved(folder: Path) -> list[str]:
    """A row that takes another key, after which another row takes its first one."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin("ALICE")
    unit.insert(STOCK, row(1, "a"))
    unit.insert(STOCK, row(2, "other"))
    unit.commit()
    unit = stream.begin("BOB")
    unit.update(STOCK, row(1, "a"), row(7, "a"))
    unit.update(STOCK, row(7, "a"), row(7, "b"))
    unit.update(STOCK, row(2, "other"), row(2, None))
    unit.insert(STOCK, row(1, "new"))
    unit.delete(STOCK, row(7, "b"))
    unit.insert(STOCK, row(7, "not the same"))
    unit.commit()
    return log(folder, stream)


def test_a_row_is_followed_under_another_key(run: Command, tmp_path: Path) -> None:
    words = [*moved(tmp_path), *NAMED]
    done = run("history", *words, "--key", "ID=1", "--json")
    assert done.code == 0
    assert briefly(done) == [
        ("I", 1, {"ID": (None, 1), "N": (None, "a")}, []),
        ("U", 1, {"ID": (1, 7)}, ["the row has another key from here on: ID=7"]),
        ("U", 7, {"N": ("a", "b")}, []),
        ("I", 1, {"ID": (None, 1), "N": (None, "new")}, []),
        ("D", 7, {"ID": (7, None), "N": ("b", None)}, []),
    ]
    assert [entry["auth_id"] for entry in done.rows] == ["ALICE", "BOB", "BOB", "BOB", "BOB"]
    assert done.err == "changes of the row: 5\n"
    changes = {change["seq"]: change for change in run("changes", *words).rows}
    for entry in done.rows:
        change = changes[entry["seq"]]
        names = ("op", "txn_id", "commit_ts", "auth_id", "plan", "_metadata")
        assert {name: entry[name] for name in names} == {name: change[name] for name in names}
    later = run("history", *words, "--key", "id=7", "--json")
    assert [entry[:2] for entry in briefly(later)] == [("U", 1), ("U", 7), ("D", 7), ("I", 7)]
    assert briefly(later)[0][-1] == [
        "what is before this change is not in the log", "the row had another key before: ID=1; see its own history",
    ]  # fmt: skip


def test_as_text(run: Command, tmp_path: Path) -> None:
    done = run("history", *moved(tmp_path), *NAMED, "--key", "ID=2")
    places = [entry["_metadata"] for entry in run("changes", str(tmp_path / "x.log"), "--tables",
                                                  str(tmp_path / "t.yaml")).rows]  # fmt: skip
    first, second = (places[number] for number in (1, 4))
    lines = [line for line in done.out.splitlines() if not line.startswith("    seq ")]
    assert lines == [
        f"I  2026-03-14T10:11:12.000000  ALICE  record {first['record_index']} at {first['record_offset']:#x}",
        "    key ID = 2",
        "    ID: null -> 2",
        '    N: null -> "other"',
        f"U  2026-03-14T10:11:13.000000  BOB  record {second['record_index']} at {second['record_offset']:#x}",
        "    key ID = 2",
        '    N: "other" -> null',
    ]


def test_what_the_log_lacks_is_said(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.update(STOCK, row(1, "a"), row(1, "b"))
    unit.update(STOCK, row(1, "c"), row(1, "d"))
    unit.delete(STOCK, row(1, "d"))
    unit.delete(STOCK, row(1, "e"))
    unit.insert(STOCK, row(1, "f"))
    unit.insert(STOCK, row(1, "g"))
    unit.truncate(STOCK)
    unit.update(STOCK, row(1, "h"), row(1, "i"))
    unit.commit()
    done = run("history", *log(tmp_path, stream), *NAMED, "--key", "ID=1", "--json")
    assert [(entry["op"], entry["notes"]) for entry in done.rows] == [
        ("U", ["what is before this change is not in the log"]),
        ("U", ["what changed N before this is not in the log"]),
        ("D", []),
        ("D", ["the change before it left no row: what made the row is not in the log"]),
        ("I", []),
        ("I", ["the change before it left a row: what deleted it is not in the log"]),
        ("T", ["rows of the table were deleted without a record of each: the row may be one of them"]),
        ("U", ["what is before this change is not in the log"]),
    ]


def test_damage_ends_a_history_and_rolled_back_changes_do_not_disturb_it(run: Command, tmp_path: Path) -> None:
    stream = Stream("v10", "little", "filter")
    for text, is_kept in (("a", True), ("b", False), ("c", True)):
        unit = stream.begin()
        if text == "a":
            unit.insert(STOCK, row(1, text))
        else:
            unit.update(STOCK, row(1, "a"), row(1, text))
        unit.commit() if is_kept else unit.abort()
    words = log(tmp_path, stream)
    done = run("history", *words, *NAMED, "--key", "ID=1", "--json", "--include", "all")
    assert [entry["notes"] for entry in done.rows] == [[], [], ["its transaction was rolled back"]]
    Path(words[0]).write_bytes(stream.bytes()[:-10])
    cut = run("history", *words, *NAMED, "--key", "ID=1", "--json")
    assert (cut.code, len(cut.rows)) == (20, 1)
    assert "left out: 1 open" in cut.err


def test_keys_are_checked(run: Command, tmp_path: Path) -> None:
    words = moved(tmp_path)
    for given, message in (
        (["--key", "ID=1"], "a history is of a row of one table"),
        ([*NAMED, "--key", "ID"], "key has no value 'ID'"),
        ([*NAMED, "--key", "ID=x"], "key: ID has no value 'x'"),
        ([*NAMED, "--key", "X=1"], "key: there is no column 'X' in the table"),
        ([*NAMED, "--key", "N=1"], "key: ID of the key is missing"),
        ([*NAMED, "--key", "ID=1", "ID=2"], "key: ID is given twice"),
        ([*NAMED, "--key", "ID=1", "id=2"], "key: a column is given twice"),
        ([*NAMED, "--key", "ID=1", "--columns", "N"], "there is no option '--columns'"),
        (NAMED, "the following arguments are required: --key"),
    ):
        done = run("history", *words, *given)
        assert (done.code, done.out) == (2, ""), given
        assert message in done.err
    stream = Stream("v10", "little", "filter")
    done = run("history", *log(tmp_path, stream, keys=False), *NAMED, "--key", "N=a")
    assert (done.code, done.out) == (0, "")
    assert "note: no key of the table is known" in done.err


def test_a_log_of_log_master(run: Command, tmp_path: Path) -> None:
    example = logs.example()
    (tmp_path / "x.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "x.ctl").write_bytes(framing.rdw(example.control_records))
    words = [str(tmp_path / "x.dat"), "--control", str(tmp_path / "x.ctl"), "--table", "PROD.ITEMS"]
    done = run("history", *words, "--key", "ORDER_NO=1", "LINE_NO=1", "--json")
    assert [entry["op"] for entry in done.rows if entry["key"]] == ["I", "U", "D"]
    update = done.rows[1]
    assert update["changed"] == {
        "NAME": {"before": "Käse 日本", "after": None}, "STATE": {"before": "N", "after": "S"},
        "DAY": {"before": "2026-03-14", "after": None},
    }  # fmt: skip
    assert (update["auth_id"], update["plan"]) == ("BATCH1", "PLANB")
    assert done.rows[-1]["op"] in "TXO"


@pytest.mark.parametrize("family", STORIES)
def test_histories_of_all_rows_have_every_change(family: str, run: Command, tmp_path: Path) -> None:
    for seed in range(100, 102):
        story: Story = STORIES[family](seed, tmp_path)
        for table in story.columns:
            words = [*story.arguments, "--table", table]
            changes = run("changes", *words, "--order", "commit").rows
            images = {json.dumps(change[role]["ID"]) for change in changes for role in ("before", "after")
                      if change[role]}  # fmt: skip
            seen = set()
            for number in images:
                done = run("history", *words, "--key", f"ID={number}", "--json")
                assert all("is not in the log" not in note or "what is before" in note
                           for entry in done.rows for note in entry["notes"])  # fmt: skip
                seen |= {entry["seq"] for entry in done.rows}
            assert seen == {change["seq"] for change in changes}


VALUES = {
    "INTEGER": (("5", 5), ("-05", -5)), "DECIMAL(9,2)": (("1.5", Decimal("1.50")), ("-0", Decimal("0.00"))),
    "DECFLOAT(34)": (("1E+3", "1000"), ("nan", "NaN")), "DOUBLE": (("0.5", 0.5), ("1e3", 1000.0)),
    "CHAR(4)": (("a", "a "), ("", "  ")), "VARCHAR(9) FOR BIT DATA": (("00ff", b"\x00\xff"),),
    "DATE": (("2026-03-14", "2026-03-14"),), "TIME": (("10.11.12", "10:11:12"),), "BOOLEAN": (("TRUE", True),),
    "TIMESTAMP(6)": (("2026-03-14 10:11:12", "2026-03-14T10:11:12.000000"),
                     ("2026-03-14-10.11.12.5", "2026-03-14T10:11:12.500000")),
}  # fmt: skip


@pytest.mark.parametrize("words", VALUES)
def test_values_of_keys_are_compared_as_db2_compares_them(words: str) -> None:
    column = Column(1, "A", parse_type(words), True, 0)
    for text, value in VALUES[words]:
        assert parsed(text, column) == comparable(value, column.form)
    if words != "CHAR(4)":
        for text in ("x1", "1_1", "\u0661", "1" * 10_001):
            with pytest.raises(OptionError, match="A has no value"):
                parsed(text, column)
