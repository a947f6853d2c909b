"""`lmparse ledger`: what it keeps of files, what it tells of them, and that it never changes anything else."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from counted import growth, operations
from samples import db2_scripts as luw
from samples.db2_scripts import ITEM, item
from writers.bmc import framing, lldf, logs
from writers.db2.stream import Stream

import lmparse
from lmparse.changes.log_range import LogRange, StreamRange
from lmparse.logs import ledger_file
from lmparse.logs.families import read_options
from lmparse.logs.ledger_file import LedgerEntry, changing_ledger
from lmparse.logs.ledger_status import status
from lmparse.logs.open import open_changes
from lmparse.spec import catalog

FORM = ("v10", "little", "filter")


class Cut:
    """A Db2 LUW log that is cut between records."""

    def __init__(self, folder: Path, form: tuple[str, str, str] = FORM) -> None:
        stream = luw.full_stream(*form)
        self.folder, self.data = folder, stream.bytes()
        (folder / "whole.bin").write_bytes(self.data)
        lead = open_changes(folder / "whole.bin", read_options({"spec": "db2_log"})).framing.lead
        (folder / "whole.bin").unlink()
        self.places = [record.offset - lead for record in stream.records] + [len(self.data)]

    def file(self, name: str, first: int, behind: int) -> Path:
        """The records from one number up to another as a file."""
        path = self.folder / name
        path.write_bytes(self.data[self.places[first] : self.places[behind]])
        return path


@pytest.fixture
def cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cut:
    monkeypatch.chdir(tmp_path)
    return Cut(tmp_path)


def bmc_files(folder: Path, stem: str, data: bytes | None = None) -> tuple[Path, Path]:
    """A Log Master log and its control file."""
    example = logs.example()
    paths = folder / f"{stem}.dat", folder / f"{stem}.ctl"
    paths[0].write_bytes(framing.rdw(example.data_records) if data is None else data)
    paths[1].write_bytes(framing.rdw(example.control_records))
    return paths


def shown(run: Callable[..., Run], *words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("ledger", "status", "x.db", "--json", *words).out)
    return found


def states(done: Run) -> list[tuple[str, str]]:
    return [(row["file"], row["state"]) for row in done.rows]


# -- status -------------------------------------------------------------------------------------------------


def test_files_in_order_with_a_gap_an_overlap_and_a_copy(cut: Cut, run: Callable[..., Run]) -> None:
    size = len(cut.places) - 1
    for name, first, behind in (("c.log", 33, size), ("a.log", 0, 20), ("b.log", 18, 30)):
        cut.file(name, first, behind)
    assert run("ledger", "add", "x.db", "c.log", "a.log", "b.log").code == 0
    done = run("ledger", "status", "x.db")
    missing = sum(cut.places[33:34]) - cut.places[30] - 56 * 3  # three records, without their prefixes
    assert done.code == 24
    lines = done.out.splitlines()
    assert lines[0] == "db2_log filter little v10, log stream 0: 3 files, 1 with a gap, 1 with an overlap"
    assert [line.split()[-1] for line in lines[1:] if line.endswith(".log")] == ["a.log", "b.log", "c.log"]
    assert lines[3] == "    its first 2 records are in a.log too, and are the same"
    assert lines[4] == f"    GAP: {missing} bytes of the log are missing in front of the next file"
    (cut.folder / "copy.log").write_bytes((cut.folder / "a.log").read_bytes())
    cut.file("d.log", 30, 33)
    assert states(run("ledger", "add", "x.db", "copy.log", "d.log", "--json")) == [
        ("copy.log", "copy"), ("d.log", "added"),
    ]  # fmt: skip
    done = run("ledger", "status", "x.db")
    assert (done.code, done.err) == (0, "")
    assert "copy.log: a copy of a.log" in done.out
    found = shown(run)
    assert [file["file"] for file in found["streams"][0]["files"]] == [
        str(cut.folder / name) for name in ("a.log", "b.log", "d.log", "c.log")
    ]
    assert [file["missing_bytes"] for file in found["streams"][0]["files"]] == [0, 0, 0, 0]
    assert sum(file["records"] for file in found["files"]) == size + 2
    entry = found["files"][1]
    data = (cut.folder / "a.log").read_bytes()
    assert entry["given"] == "a.log"
    assert (entry["sha256"], entry["size"]) == (hashlib.sha256(data).hexdigest(), len(data))
    assert entry["reading"] == {"framing": "filter", "byte_order": "little", "generation": "v10"}


def test_an_overlap_that_differs(cut: Cut, run: Callable[..., Run]) -> None:
    cut.file("a.log", 0, 30)
    other = cut.file("b.log", 20, 40)
    changed = bytearray(other.read_bytes())
    changed[cut.places[23] - cut.places[20] - 1] ^= 1  # the last byte of the third record
    other.write_bytes(changed)
    assert run("ledger", "add", "x.db", "a.log", "b.log").code == 0
    done = run("ledger", "status", "x.db")
    assert done.code == 24
    assert "1 with an overlap, 1 with other records where it overlaps" in done.out
    assert "DIFFERS from a.log where they overlap: it overlaps" in done.out
    cut.file("b.log", 20, 40)
    (cut.folder / "a.log").unlink()
    assert run("ledger", "add", "x.db", "b.log", "--replace").code == 0
    done = run("ledger", "status", "x.db")
    assert done.code == 0
    assert "whether they differ cannot be told: " in done.out  # the other file is gone
    cut.file("a.log", 0, 30)
    assert run("ledger", "add", "x.db", "a.log").code == 0
    assert "its first 10 records are in a.log too, and are the same" in run("ledger", "status", "x.db").out


def test_many_files_inside_one(cut: Cut, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    cut.file("all.log", 0, len(cut.places) - 1)
    names = [str(cut.file(f"{number}.log", 4 * number, 4 * number + 6)) for number in range(3, 12)]
    wrong = cut.folder / "7.log"
    wrong.write_bytes(wrong.read_bytes()[:-1] + b"\xff")
    options = ["--spec", "db2_log", "--framing", "filter", "--byte-order", "little", "--generation", "v10"]
    assert run("ledger", "add", "x.db", "all.log", *names, *options).code == 0
    files = shown(run)["streams"][0]["files"]
    assert [file["overlap"] and file["overlap"]["records"] for file in files] == [None, *[6] * 4, None, *[6] * 4]
    assert {file["overlap"]["with"] for file in files[1:]} == {str(cut.folder / "all.log")}
    assert files[5]["overlap"]["difference"].endswith("differs from it between 0x0 and " + hex(wrong.stat().st_size))


def test_bytes_that_are_no_records_are_not_compared(cut: Cut, run: Callable[..., Run]) -> None:
    one, two = cut.file("a.log", 0, 30), cut.file("b.log", 20, 40)
    one.write_bytes(b"one" + one.read_bytes() + b"!!")
    two.write_bytes(b"two" + two.read_bytes() + b"??")
    done = run("ledger", "add", "x.db", "a.log", "b.log", "--spec", "db2_log", "--file-start-offset", 3,
               "--file-end-offset", 2)  # fmt: skip
    assert done.code == 0, done.err
    assert "its first 10 records are in a.log too, and are the same" in run("ledger", "status", "x.db").out
    assert shown(run)["files"][0]["reading"]["file_start_offset"] == "3"


@pytest.mark.parametrize("framing_name", ["lsn8", "filter"])
def test_a_gap_that_cannot_be_told(
    framing_name: str, tmp_path: Path, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records state no address, or the filter of the API left every third one out."""
    monkeypatch.chdir(tmp_path)
    cut = Cut(tmp_path, ("v10", "big", framing_name))
    for name, first in (("a.log", 0), ("b.log", 30)):
        kept = [number for number in range(first, first + 24) if framing_name == "lsn8" or number % 3]
        pieces = [cut.data[cut.places[number] : cut.places[number + 1]] for number in kept]
        (tmp_path / name).write_bytes(b"".join(pieces))
    assert run("ledger", "add", "x.db", "a.log", "b.log").code == 0
    done = run("ledger", "status", "x.db")
    why = "records do not state" if framing_name == "lsn8" else "records were left out all over the log"
    assert done.code == 0
    assert f"whether something is missing here cannot be told: {why}" in done.out


def test_a_gap_inside_a_file(cut: Cut, run: Callable[..., Run]) -> None:
    (cut.folder / "a.log").write_bytes(cut.data[: cut.places[20]] + cut.data[cut.places[21] :])
    assert run("ledger", "add", "x.db", "a.log").code == 0
    done = run("ledger", "status", "x.db")
    assert done.code == 24
    assert "GAP: bytes of the log are missing inside this file, at 1 places" in done.out


def test_which_files_a_checkpoint_needs(cut: Cut, run: Callable[..., Run]) -> None:
    """A transaction is open from the third file on."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(ITEM)
    names = [f"{number}.log" for number in range(5)]
    begin = 0
    for number, name in enumerate(names):
        unit.insert(ITEM, item(number, "one"))
        unit.commit()
        if number == 2:
            stream.begin().insert(ITEM, item(9, "open"))
        unit = stream.begin()
        Path(name).write_bytes(stream.bytes()[begin:])
        begin = len(stream.bytes())
    for name in names[:4]:
        log = lmparse.open_log([name], spec="db2_log", checkpoint="state.json")
        list(log.changes())
        log.save_checkpoint()
    needed = [Path(one["path"]).name for one in json.loads(Path("state.json").read_text())["needed"]]
    assert needed == ["2.log", "3.log"]
    run("ledger", "add", "x.db", *names)
    found = shown(run, "--checkpoint", "state.json")["checkpoint"]
    paths = [str(cut.folder / name) for name in names]
    assert found == {"oldest_needed": paths[2], "needed": paths[2:], "done": paths[:2], "unlisted": []}
    done = run("ledger", "status", "x.db", "--checkpoint", "state.json")
    assert done.code == 0
    assert done.out.splitlines()[-4:] == [
        "oldest file still needed: 2.log",
        "needed, or not read yet: 3; may be archived: 2",
        "  may be archived: 0.log", "  may be archived: 1.log",
    ]  # fmt: skip
    run("ledger", "add", "y.db", "3.log", "4.log")
    done = run("ledger", "status", "y.db", "--checkpoint", "state.json")
    assert done.code == 24
    assert f"MISSING: the checkpoint needs {paths[2]}, which is not in the ledger" in done.out
    assert "[LMP-S030]" in run("ledger", "status", "x.db", "--checkpoint", "4.log").err


# -- Log Master ---------------------------------------------------------------------------------------------


def test_a_logical_log(tmp_path: Path, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data, described = bmc_files(tmp_path, "a")
    (tmp_path / "b.dat.gz").write_bytes(gzip.compress(framing.rdw(logs.example().data_records[:5])))
    assert states(run("ledger", "add", "x.db", tmp_path, "--json")) == [
        (str(described), "control"), (str(data), "added"), (str(tmp_path / "b.dat.gz"), "added"),
    ]  # fmt: skip
    found = shown(run)
    first, second = found["files"]
    rows = list(lmparse.open_log(data, control=str(described)).records())
    positions = sorted(row["log_lrsn"] for row in rows)
    assert first["control"] == str(described)
    assert first["control_sha256"] == hashlib.sha256(described.read_bytes()).hexdigest()
    assert first["streams"][0] | {"adjoining": 0} == {
        "log": "DB2A", "stream": "LRSN", "first": positions[0], "last": positions[-1], "records": len(rows),
        "begin": None, "end": None, "adjoining": 0, "gaps": 0,
    }  # fmt: skip
    report = json.loads(run("check", data, "--control", described, "--json").out)
    counts = {name: count for name, count in report["counts"]["disposition"].items() if count}
    assert first["outcomes"] == counts
    assert first["stated_end"] == "00DEFFFFFFFFFFFFFFFF"
    packed = (tmp_path / "b.dat.gz").read_bytes()
    assert (second["sha256"], second["size"]) == (hashlib.sha256(packed).hexdigest(), len(packed))
    assert (second["records"], second["control"]) == (5, None)
    done = run("ledger", "status", "x.db")
    assert done.code == 0
    assert "overlaps " in done.out
    again = run("ledger", "add", "x.db", tmp_path, "--json")  # the ledger is in the folder, too
    assert [state for _, state in states(again)] == ["control", "known", "known"]
    described.write_bytes(framing.rdw(logs.example().control_records[:-1]))
    done = run("ledger", "verify", "x.db")
    assert done.code == 24
    assert f"{described}, the control file of {data}, has other bytes than on " in done.out


@pytest.mark.parametrize("is_narrow", [False, True])
def test_positions_of_each_header(is_narrow: bool, tmp_path: Path, run: Callable[..., Run]) -> None:
    """Records of a data sharing group and of a single system, in any order, also with a header of 6-byte positions."""
    lines = tuple(lldf.narrow()) if is_narrow else None
    example, chosen = logs.example(lines=lines), random.Random(1)
    places = {line.name: line for line in lines or lldf.described()}
    records: list[bytes] = []
    positions: dict[str, list[bytes]] = {"LRSN": [], "RBA": []}
    for number in range(9000):  # more than a window has
        in_sharing, record = number % 3 > 0, bytearray(example.data_records[number % len(example.data_records)])
        width = places["LOGRBA"].length
        first = {8990: 0, 8991: 0, 8995: 3, 8996: 3}.get(number, chosen.choice((1, 2)))  # the extremes come late
        lrsn, rba = (bytes([first]) * (width - 2) + chosen.randbytes(2) for _ in range(2))
        values = {"LOGLRSN": lrsn, "LOGRBA": rba, "MEMBERID": bytes([0, in_sharing])}
        for name, value in values.items():
            record[places[name].position : places[name].position + len(value)] = value
        positions["LRSN" if in_sharing else "RBA"].append(lrsn if in_sharing else rba)
        records.append(bytes(record))
    records.append(records[0][:40])  # too short to have a position
    parts = (framing.rdw(records[start : start + 300]) for start in range(0, len(records), 300))
    (tmp_path / "a.dat").write_bytes(b"".join(parts))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(example.control_records))
    extended = {"LRSN": (bytes(1), bytes(3)), "RBA": (bytes(4), b"")} if is_narrow else {}
    expected = {}
    for stream, raws in positions.items():
        front, behind = extended.get(stream, (b"", b""))
        low, high = ((front + raw + behind).hex().upper() for raw in (min(raws), max(raws)))
        expected[stream] = low, high, len(raws)
    done = run("ledger", "add", tmp_path / "x.db", tmp_path / "a.dat", "--control", tmp_path / "a.ctl", "--json")
    (row,) = done.rows
    found = {one["stream"]: (one["first"], one["last"], one["records"]) for one in row["entry"]["streams"]}
    assert found == expected
    assert row["entry"]["records"] == len(records)
    assert "1 of them without a position" in row["text"]


# -- add ----------------------------------------------------------------------------------------------------


def test_what_is_in_it_already(cut: Cut, run: Callable[..., Run]) -> None:
    cut.file("a.log", 0, 20)
    cut.file("b.log", 20, 40)
    assert states(run("ledger", "add", "x.db", "a.log", "./a.log", "--json")) == [
        ("a.log", "added"),
        ("./a.log", "known"),
    ]
    before = Path("x.db").read_bytes()
    cut.file("a.log", 0, 25)
    done = run("ledger", "add", "x.db", "b.log", "a.log")
    assert done.code == 24
    assert done.out.startswith("a.log is in the ledger with other bytes, since 2")
    assert done.err.startswith("nothing was added; --replace")
    assert Path("x.db").read_bytes() == before
    assert states(run("ledger", "add", "x.db", "b.log", "a.log", "--replace", "--json")) == [
        ("b.log", "added"), ("a.log", "replaced"),
    ]  # fmt: skip
    assert {entry["given"]: entry["records"] for entry in shown(run)["files"]} == {"a.log": 25, "b.log": 20}
    os.rename("b.log", "moved.log")
    assert states(run("ledger", "add", "x.db", "moved.log", "--replace", "--json")) == [("moved.log", "moved")]
    assert run("ledger", "verify", "x.db").code == 0


def test_two_files_that_have_changed_places(cut: Cut, run: Callable[..., Run]) -> None:
    one, two = cut.file("a.log", 0, 20), cut.file("b.log", 20, 40)
    (cut.folder / "copy.log").write_bytes(two.read_bytes())
    run("ledger", "add", "x.db", "a.log", "b.log", "copy.log")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert run("ledger", "add", "x.db", "a.log", "b.log").code == 24
    assert run("ledger", "add", "x.db", "a.log", "b.log", "--replace").code == 0
    found = shown(run)
    assert {entry["given"]: entry["sha256"] for entry in found["files"]} == {
        "a.log": hashlib.sha256(second).hexdigest(), "b.log": hashlib.sha256(first).hexdigest(),
    }  # fmt: skip
    assert run("ledger", "verify", "x.db").code == 0


def test_files_that_move_to_paths_of_others(cut: Cut, run: Callable[..., Run]) -> None:
    one, two = cut.file("a.log", 0, 20).read_bytes(), cut.file("b.log", 20, 40).read_bytes()
    Path("copy.log").write_bytes(two)
    run("ledger", "add", "x.db", "a.log", "b.log", "copy.log")
    for name in ("other.log", "b.log"):
        Path(name).write_bytes(one)
    done = run("ledger", "add", "x.db", "other.log", "b.log", "--replace", "--json")
    assert states(done) == [("other.log", "moved"), ("b.log", "moved")]
    assert {entry["given"]: entry["sha256"] for entry in shown(run)["files"]} == {
        "b.log": hashlib.sha256(one).hexdigest(), "copy.log": hashlib.sha256(two).hexdigest(),
    }  # fmt: skip


def test_all_files_or_none(cut: Cut, run: Callable[..., Run]) -> None:
    cut.file("a.log", 0, 20)
    run("ledger", "add", "x.db", "a.log")
    before = Path("x.db").read_bytes()
    cut.file("b.log", 20, 40)
    Path("c.log").write_bytes(cut.data[cut.places[40] : -7])
    done = run("ledger", "add", "x.db", "b.log", "c.log")
    assert done.code == 20
    assert done.out == ""
    assert "c.log: record 16 at " in done.err
    assert Path("x.db").read_bytes() == before
    assert not Path("x.db-journal").exists()


def test_files_that_are_no_log_are_refused(cut: Cut, run: Callable[..., Run]) -> None:
    Path("text.txt").write_text("nothing but words\n" * 20)
    assert run("ledger", "add", "x.db", "text.txt").code == 20
    assert run("ledger", "add", "x.db", "none.log").code == 20
    cut.file("a.log", 0, 20)
    assert "[LMP-S003]" in run("ledger", "add", "x.db", "a.log", "--spec", "common_raw").err
    assert "did you mean --replace?" in run("ledger", "add", "x.db", "a.log", "--replac").err
    assert "[LMP-S003]" in run("ledger", "add", "x.db", "a.log", "--control-framing", "rdw").err
    done = run("ledger", "add", "y.db", "a.log", "--limits", "recordBytes=50")
    assert "[LMP-L002]" in done.err


# -- the file of the ledger ---------------------------------------------------------------------------------


def foreign_database(path: Path, *words: str) -> None:
    connection = sqlite3.connect(path)
    for each in words:
        connection.execute(each)
    connection.commit()
    connection.close()


def test_what_is_not_a_ledger_is_never_touched(cut: Cut, run: Callable[..., Run]) -> None:
    log = cut.file("a.log", 0, 20)
    Path("text.db").write_text("a text")
    foreign_database(Path("other.db"), "CREATE TABLE files (id INTEGER)")
    run("ledger", "add", "x.db", "a.log")
    for name, words in (
        ("newer.db", "PRAGMA user_version = 9"),
        ("trigger.db", "CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM files; END"),
    ):
        Path(name).write_bytes(Path("x.db").read_bytes())
        foreign_database(Path(name), words)
    Path("damaged.db").write_bytes(Path("x.db").read_bytes()[:5000])
    Path("folder.db").mkdir()
    cut.file("b.log", 20, 40)
    names = ["text.db", "other.db", "newer.db", "trigger.db", "damaged.db", "a.log"]
    before = {name: Path(name).read_bytes() for name in names}
    for name in [*names, "folder.db"]:
        assert run("ledger", "add", name, "b.log").code == 2, name
        assert run("ledger", "status", name).err.endswith("[LMP-S040]\n"), name
        assert run("ledger", "verify", name).code == 2, name
    assert "[LMP-S040]" in run("ledger", "status", "none.db").err
    assert not Path("none.db").exists()
    assert {name: Path(name).read_bytes() for name in names} == before
    assert not [path for path in cut.folder.iterdir() if path.name.endswith(("-journal", "-wal"))]
    assert "LMP-S021" in run("ledger", "add", "a.log", "a.log", "b.log").err
    assert log.read_bytes() == before["a.log"]
    Path("empty.log").touch()
    done = run("ledger", "add", "empty.log", "empty.log", "--spec", "db2_log", "--framing", "filter")
    assert "empty.log is an input" in done.err
    assert Path("empty.log").read_bytes() == b""


WRONG = (
    None,
    -1,
    7,
    1 << 62,
    0.5,
    "",
    "x",
    "../x",
    "\x00",
    "{}",
    "[]",
    '{"spec": "x"}',
    '{"tables": "x"}',
    b"\xff",
    "Z" * 999,
)


def test_values_that_no_run_has_written(cut: Cut, run: Callable[..., Run]) -> None:
    """A ledger may come from others: each value is one that a run can have written, or an error with a code."""
    cut.file("a.log", 0, 6), cut.file("b.log", 3, 9), cut.file("c.log", 8, 12)
    Path("copy.log").write_bytes(Path("a.log").read_bytes())
    assert run("ledger", "add", "x.db", "a.log", "b.log", "copy.log").code == 0
    sound = Path("x.db").read_bytes()
    with closing(sqlite3.connect("x.db")) as database:
        columns = [(table, row[1]) for table in ("files", "streams", "copies", "overlaps")
                   for row in database.execute(f"PRAGMA table_info({table})")]  # fmt: skip
    for table, column in columns:
        for value in WRONG:
            Path("x.db").write_bytes(sound)
            with suppress(sqlite3.Error), closing(sqlite3.connect("x.db")) as database:
                where = " WHERE id = 1" if table == "files" else ""
                database.execute(f"UPDATE {table} SET {column} = ?{where}", (value,))
                database.commit()
            for command in (("status",), ("verify",), ("add", "c.log")):
                done = run("ledger", command[0], "x.db", *command[1:])
                assert done.code in (0, 24) or "[LMP-" in done.err, (table, column, value)


def test_a_spec_that_only_a_ledger_names_is_not_loaded(
    cut: Cut, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut.file("a.log", 0, 6), cut.file("b.log", 3, 9), cut.file("c.log", 8, 12)
    assert run("ledger", "add", "x.db", "a.log", "b.log").code == 0
    with closing(sqlite3.connect("x.db")) as database:
        database.execute("UPDATE files SET spec = ?", (str(cut.folder / "built"),))
        database.execute("DELETE FROM overlaps")
        database.commit()
    loaded: list[str] = []
    load = catalog.load

    def spied(name: str) -> Any:
        loaded.append(name)
        return load(name)

    monkeypatch.setattr(catalog, "load", spied)
    for command in (("add", "c.log"), ("status",), ("verify",)):
        assert run("ledger", command[0], "x.db", *command[1:]).code in (0, 24)
    assert loaded
    assert set(loaded) <= set(catalog.spec_ids())


@pytest.mark.parametrize("reading", ['{"spec": "/x"}', '{"tables": "x"}', '{"limits": "x"}', '{"jobs": "2"}'])
def test_options_that_a_ledger_does_not_keep(reading: str, cut: Cut, run: Callable[..., Run]) -> None:
    cut.file("a.log", 0, 6), cut.file("b.log", 3, 9)
    assert run("ledger", "add", "x.db", "a.log").code == 0
    with closing(sqlite3.connect("x.db")) as database:
        database.execute("UPDATE files SET reading = ?", (reading,))
        database.commit()
    assert run("ledger", "add", "x.db", "b.log").code == 0
    assert "a ledger does not keep the option" in json.dumps(shown(run))


def test_damaged_databases(cut: Cut, run: Callable[..., Run]) -> None:
    chosen = random.Random(5)
    cut.file("a.log", 0, 6), cut.file("b.log", 5, 9)
    assert run("ledger", "add", "x.db", "a.log").code == 0
    sound = Path("x.db").read_bytes()
    for _ in range(60):
        data, place = bytearray(sound), chosen.randrange(100, 4096)
        data[place : place + 40] = chosen.randbytes(40)
        Path("x.db").write_bytes(data)
        for command in (("status",), ("verify",), ("add", "b.log")):
            done = run("ledger", command[0], "x.db", *command[1:])
            assert done.code in (0, 24) or "[LMP-" in done.err


def test_a_ledger_without_files(cut: Cut, run: Callable[..., Run]) -> None:
    Path("x.db").touch()
    assert run("ledger", "status", "x.db") == (0, "the ledger has no files\n", "")
    assert run("ledger", "verify", "x.db") == (0, "the ledger has no files\n", "")
    assert Path("x.db").read_bytes() == b""
    Path("a.log").touch()
    assert run("ledger", "add", "x.db", "a.log", "--spec", "db2_log", "--framing", "filter").code == 0
    assert run("ledger", "status", "x.db").out == "a.log: no record\n"


def test_runs_at_the_same_time(cut: Cut, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    cut.file("a.log", 0, 20)
    cut.file("b.log", 20, 40)
    run("ledger", "add", "x.db", "a.log")
    other = sqlite3.connect("x.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    assert run("ledger", "status", "x.db").code == 0
    monkeypatch.setattr(ledger_file, "WAIT_SECONDS", 0)
    done = run("ledger", "add", "x.db", "b.log")
    assert (done.code, done.out) == (2, "")
    assert "x.db: another run is adding to it [LMP-S041]" in done.err
    monkeypatch.setattr(ledger_file, "WAIT_SECONDS", 30)
    ending = threading.Timer(0.2, lambda: other.execute("ROLLBACK"))
    ending.start()
    assert run("ledger", "add", "x.db", "b.log").code == 0
    ending.join()
    other.close()
    assert len(shown(run)["files"]) == 2


# -- verify -------------------------------------------------------------------------------------------------


def test_verify(cut: Cut, run: Callable[..., Run]) -> None:
    for number in range(4):
        cut.file(f"{number}.log", 10 * number, 10 * number + 10)
    run("ledger", "add", "x.db", "0.log", "1.log", "2.log", "3.log")
    assert run("ledger", "verify", "x.db") == (0, "files: 4 same\n", "")
    Path("1.log").write_bytes(b"x" + Path("1.log").read_bytes()[1:])
    Path("2.log").unlink()
    Path("3.log").unlink()
    Path("3.log").mkdir()
    done = run("ledger", "verify", "x.db")
    assert done.code == 24
    lines = done.out.splitlines()
    assert lines[0].startswith("1.log has other bytes than on 2")
    assert lines[1:] == [
        "2.log is missing", "3.log is a directory, not a file",
        "files: 1 same, 1 changed, 1 missing, 1 unreadable",
    ]  # fmt: skip
    assert run("ledger", "verify", "x.db", "0.log").code == 0
    assert states(run("ledger", "verify", "x.db", "2.log", "9.log", "--json")) == [
        ("9.log", "unknown"),
        ("2.log", "missing"),
    ]


def test_names_that_would_control_a_terminal(cut: Cut, run: Callable[..., Run]) -> None:
    names = ["\x1b[31mred\n.log", os.fsdecode(b"\xff.log")]
    for name, first in zip(names, (0, 20), strict=True):
        cut.file(name, first, first + 20)
    done = run("ledger", "add", "x.db", *names)
    assert done.code == 0
    assert "\\u001b[31mred\\u000a.log is added, records: 20" in done.out
    for words in (("status", "x.db"), ("verify", "x.db", "--json")):
        done = run("ledger", *words)
        assert "\x1b" not in done.out
        assert "red" in done.out
    assert run("ledger", "verify", "x.db", names[1]) == (0, "files: 1 same\n", "")


def test_an_address_behind_the_beginning_of_the_next_file(tmp_path: Path) -> None:
    """Rows that were compressed in the log are longer in a file: its last address says nothing."""
    path = str(tmp_path / "x.db")
    with changing_ledger(path) as held:
        for entry in entries(2):
            stream = replace(entry.range.streams[0], end=120 if entry.id == 0 else 200)
            held.insert(replace(entry, range=replace(entry.range, streams=(stream,))))
    (stream_status,) = status(path).streams
    assert [(file.missing, bool(file.untold)) for file in stream_status.files] == [(0, False), (None, True)]


# -- many files ---------------------------------------------------------------------------------------------


def entries(count: int) -> list[LedgerEntry]:
    """Files that follow one another, of which each third one overlaps the one before."""
    found = []
    for number in range(count):
        first = 100 * number - (50 if number % 3 == 2 else 0)
        stream = StreamRange("log", "0", f"{first:016X}", f"{100 * number + 99:016X}", 10, first, 100 * number + 100, 9)
        covered = LogRange(f"/{number}", 100, 10, {"framing": "filter"}, (stream,))
        found.append(
            LedgerEntry(number, f"/{number}", str(number), f"{number}", 100, "db2_log", None, None, "", covered)
        )
    return found


def test_time_grows_with_the_number_of_files(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        path = str(tmp_path / f"{count}.db")

        def whole() -> None:
            with changing_ledger(path) as held:
                for entry in entries(count):
                    held.insert(entry)
            found = status(path)
            assert len(found.streams[0].files) == count
            assert sum(file.file.overlaps for file in found.streams[0].files) == count // 3

        return operations(whole)

    assert growth(cost, 60) < 2.2
