"""Envelopes: what changes look like as events, as a change data feed, and as the last row of each key."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from samples.db2_scripts import ITEM, PAIR, item, tables_file
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.db2 import dms, rows
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.values import External
from writers.db2.wire import Rid

import lmparse
from lmparse import cli
from lmparse.changes.envelopes import epoch_millis
from lmparse.logs.arrow import part_rows, request_schema
from lmparse.logs.families import read_options
from lmparse.logs.partitions import Request

ROW = Table(
    owner="PROD",
    name="STAFF",
    columns=(
        Column("NO", "INT", 4, key_seq=1),
        Column("SITE", "CHAR", 3, nulls="Y", subtype="S", key_seq=2),
        Column("PAY", "DEC", 9, 2, nulls="Y"),
        Column("RATIO", "FLOT", 8, nulls="Y"),
        Column("AT", "DTTM", 26, nulls="Y"),
    ),
)
Printed = Callable[..., list[dict[str, Any]]]


def staff(number: int, site: str | None = "HEL", pay: str | None = "1.50", **given: Any) -> dict[str, Any]:
    return {"NO": number, "SITE": site, "PAY": pay, "RATIO": 0.5, "AT": "2026-03-14T10:11:12.000123"} | given


def written(folder: Path, *changes: tuple[Any, ...], tables: Sequence[Table] = (ROW,)) -> dict[str, str]:
    """A log of changes: unit, change type, before, after; the options to read it."""
    writer = logs.Writer(tables)
    for unit, kind, *images in changes:
        before, after = (*images, None, None)[:2]
        writer.add(logs.Unit(unit) if isinstance(unit, int) else unit, tables[0], kind, before, after)
    example = writer.example()
    (folder / "a.dat").write_bytes(framing.rdw(example.data_records))
    (folder / "a.ctl").write_bytes(framing.rdw(example.control_records))
    return {"control": str(folder / "a.ctl")}


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """The rows that `lmparse changes` prints, the same through each engine, and in Python."""

    def printed(path: Path, code: int = 0, **options: str) -> list[dict[str, Any]]:
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        found = []
        for engine in ("columnar", "kaitai", "check"):
            assert cli.main(["changes", str(path), *words, "--engine", engine]) == code
            found.append(capsys.readouterr().out)
        assert found[0] == found[1] == found[2]
        rows = [json.loads(line) for line in found[0].splitlines()]
        assert list(lmparse.open_log(path, **options).changes()) == rows
        return rows

    return printed


def typed(path: Path, engine: str = "columnar", max_bytes: int = 1 << 27, **options: str) -> list[dict[str, Any]]:
    """The rows that Spark gets, from parts of a size."""
    request = Request((str(path),), read_options({**options, "engine": engine}), True, max_bytes)
    schema = request_schema(request)
    batches = [batch for part in request.parts() for batch in part_rows(part, schema, with_changes=True)]
    rows: list[dict[str, Any]] = pa.Table.from_batches(batches, schema).to_pylist()
    return rows


LIFE = (
    (3, "I", None, staff(1)),
    (3, "I", None, staff(2, None)),
    (3, "UB", staff(1), staff(1, pay="2.00", AT=None)),
    (2, "UB", staff(2, None), staff(2, "TKU")),
    (2, "D", staff(1, pay="2.00", AT=None)),
    (2, "I", None, staff(3, RATIO=None)),
)
"""Insert, update, an update that changes a null of the key, delete; unit 3 commits before unit 2."""


# -- debezium -----------------------------------------------------------------------------


def test_positions_of_db2_luw(tmp_path: Path, printed: Printed) -> None:
    """They are log flush sequence and log sequence number, as in `seq`; there is none of a commit that has not come."""
    stream = Stream("v10", "little", "filter")
    unit, last = stream.begin(), stream.begin()
    unit.initialize(ITEM)
    unit.insert(ITEM, item(1))
    last.insert(ITEM, item(2))
    unit.commit()
    path = tmp_path / "a.log"
    path.write_bytes(stream.bytes())
    options = {"spec": "db2_log", "include": "all", "operations": "I"}
    one, other = printed(path, envelope="debezium", **options)
    commit, insert = (f"{77:016X}{stream.records[number].lsn:016X}" for number in (3, 1))
    assert (one["source"]["commit_lsn"], one["source"]["change_lsn"]) == (commit, insert)
    assert other["source"]["commit_lsn"] is None
    assert one["source"]["seq"].startswith(commit + insert)


def test_events(tmp_path: Path, printed: Printed) -> None:
    options = written(tmp_path, *LIFE)
    rows = printed(tmp_path / "a.dat", envelope="debezium", **options)
    flat = printed(tmp_path / "a.dat", **options)
    assert [(row["op"], (row["before"] or {}).get("NO"), (row["after"] or {}).get("NO")) for row in rows] == [
        ("c", None, 1), ("c", None, 2), ("u", 1, 1), ("d", 2, None), ("c", None, 2), ("d", 1, None), ("c", None, 3),
    ]  # fmt: skip
    assert rows[2]["before"] == flat[2]["before"]
    assert rows[2]["after"] == flat[2]["after"]
    assert {**rows[3]["source"], "event_serial": 2} == rows[4]["source"]
    serials = [(row["source"]["seq"], row["source"]["event_serial"]) for row in rows if row["source"] is not None]
    assert len(set(serials)) == len(serials), "all events can be told apart"
    assert rows[0]["source"] == {
        "version": lmparse.__version__, "connector": "lmparse", "ts_ms": None, "snapshot": "false", "db": None,
        "schema": "PROD", "table": "STAFF", "txId": flat[0]["txn_id"], "commit_lsn": flat[0]["seq"][:20],
        "change_lsn": flat[0]["seq"][20:60], "seq": flat[0]["seq"], "event_serial": 1, "op": "I", "user": "APPUSER",
        "file": str(tmp_path / "a.dat"), "record_index": 0, "record_offset": 4,
    }  # fmt: skip
    assert (rows[0]["ts_ms"], rows[0]["transaction"]) == (None, {"id": flat[0]["txn_id"]})


def test_events_of_tables_and_commands(tmp_path: Path, printed: Printed) -> None:
    example = logs.example()
    (tmp_path / "a.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(example.control_records))
    options = {"control": str(tmp_path / "a.ctl"), "include": "all"}
    rows = printed(tmp_path / "a.dat", envelope="debezium", **options)
    flat = printed(tmp_path / "a.dat", **options)
    words = {"I": "c", "U": "u", "D": "d", "M": "t", "T": "t"}
    assert [row["op"] for row in rows] == [words.get(row["op"], "m") for row in flat]
    for row, change in zip(rows, flat, strict=True):
        assert (row["before"], row["after"], row["source"]["op"]) == (change["before"], change["after"], change["op"])
        assert row.get("message") == (change["detail"] if row["op"] == "m" else None)
        assert (row["source"]["commit_lsn"] is None) == (change["commit_ts"] is None)
    feed = printed(tmp_path / "a.dat", envelope="changefeed", **options)
    kinds = {"M": ["mass_delete"], "T": ["truncate"], "X": ["exchange"], "I": ["insert"], "D": ["delete"]}
    kinds["U"] = ["update_preimage", "update_postimage"]
    assert [row["_change_type"] for row in feed] == [kind for row in flat for kind in kinds.get(row["op"], [])]


def test_time_of_an_event(tmp_path: Path, printed: Printed, capsys: pytest.CaptureFixture[str]) -> None:
    options = written(tmp_path, *LIFE[:1]) | {"envelope": "debezium"}
    utc = 1773484203250  # 2026-03-14T10:30:03.25
    for zone, shift in (("UTC", 0), ("Europe/Helsinki", -2), ("-05:30", 5.5)):
        (row,) = printed(tmp_path / "a.dat", source_time_zone=zone, **options)
        assert row["ts_ms"] == row["source"]["ts_ms"] == utc + int(shift * 3600000)
    assert (
        cli.main(["changes", str(tmp_path / "a.dat"), "--control", options["control"], "--envelope", "debezium"]) == 0
    )
    assert "note: ts_ms is null: the time zone of the log's times is not known" in capsys.readouterr().err


def test_a_time_that_a_zone_has_twice_or_never_is_not_known() -> None:
    times = [datetime(2026, 10, 25, 3, 30), datetime(2026, 3, 29, 3, 30), datetime(2026, 7, 1), None]
    found = epoch_millis(pa.array(times, pa.timestamp("us")), "Europe/Helsinki")
    assert found.to_pylist() == [None, None, 1782853200000, None]
    assert epoch_millis(pa.array([datetime(1960, 1, 1)], pa.timestamp("us")), "UTC").to_pylist() == [-315619200000]


# -- changefeed ---------------------------------------------------------------------------


def test_a_feed_of_one_table_has_its_columns(tmp_path: Path, printed: Printed) -> None:
    options = written(tmp_path, *LIFE) | {"envelope": "changefeed"}
    rows = printed(tmp_path / "a.dat", table="STAFF", **options)
    assert [(row["_change_type"], row["NO"], row["SITE"]) for row in rows] == [
        ("insert", 1, "HEL"), ("insert", 2, None), ("update_preimage", 1, "HEL"), ("update_postimage", 1, "HEL"),
        ("update_preimage", 2, None), ("update_postimage", 2, "TKU"), ("delete", 1, "HEL"), ("insert", 3, "HEL"),
    ]  # fmt: skip
    assert [*rows[0]][:5] == ["NO", "SITE", "PAY", "RATIO", "AT"]
    assert rows[2]["_commit_seq"] == rows[3]["_commit_seq"]
    assert rows[0]["_commit_timestamp"] == "2026-03-14T10:30:03.250000"
    whole = printed(tmp_path / "a.dat", **options)
    columns = {"NO", "SITE", "PAY", "RATIO", "AT"}
    assert [row["row"] for row in whole] == [{name: row[name] for name in columns} for row in rows]
    assert {(row["schema_name"], row["table_name"]) for row in whole} == {("PROD", "STAFF")}


# -- typed rows ---------------------------------------------------------------------------


@pytest.mark.parametrize("envelope", ["debezium", "changefeed"])
def test_typed_rows_are_those_that_are_printed(envelope: str, tmp_path: Path, printed: Printed) -> None:
    options, is_events = written(tmp_path, *LIFE) | {"envelope": envelope}, envelope == "debezium"
    for table in ({}, {"table": "STAFF"}):
        rows = typed(tmp_path / "a.dat", **options, **table)
        assert rows == typed(tmp_path / "a.dat", "kaitai", **options, **table)
        assert rows == typed(tmp_path / "a.dat", "check", 400, **options, **table)
        shown = printed(tmp_path / "a.dat", **options, **table)
        names = ("op", "absent_columns", "source") if is_events else ("_change_type", "_commit_seq")
        assert [[row[name] for name in names] for row in rows] == [[row[name] for name in names] for row in shown]
    numbers = [(row["after"] or {}).get("NO") if is_events else row["NO"] for row in rows]
    assert numbers == ([1, 2, 1, None, 2, None, 3] if is_events else [1, 2, 1, 1, 2, 2, 1, 3])


def test_bad_values_and_records_are_rows_with_what_is_wrong(tmp_path: Path, printed: Printed) -> None:
    """A value that cannot be read is null, so nothing says whether the update changed it."""
    options = written(tmp_path, (1, "UB", staff(1), staff(1, pay="2.00")), (1, "I", None, staff(2)))
    raw = bytearray((tmp_path / "a.dat").read_bytes())
    packed = raw.rindex(bytes.fromhex("000000200C"), 0, 420)
    raw[packed : packed + 5] = b"\xff" * 5
    (tmp_path / "a.dat").write_bytes(raw)
    (row, good) = typed(tmp_path / "a.dat", table="STAFF", envelope="debezium", **options)
    assert (row["op"], row["after"]["PAY"], row["_corrupt_fields"][0]["path"]) == ("u", None, "after.PAY")
    assert good["op"] == "c"
    shown = printed(tmp_path / "a.dat", 20, envelope="debezium", **options)
    assert shown[0]["_corrupt_fields"][0]["path"] == "after.PAY"
    assert "_corrupt_fields" not in shown[1]


@pytest.mark.parametrize("envelope", ["debezium", "changefeed"])
def test_bad_records_have_no_line_but_a_row(
    envelope: str, tmp_path: Path, printed: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    options = written(tmp_path, (1, "I", None, staff(1)), (1, "I", None, staff(2)), (1, "I", None, staff(3)))
    raw = bytearray((tmp_path / "a.dat").read_bytes())
    data = len(raw) // 3 + 4 + int.from_bytes(raw[4:6], "big")
    raw[data : data + 2] = b"\xff\xff"  # the length of the DATA area of the second record
    (tmp_path / "a.dat").write_bytes(raw)
    options |= {"envelope": envelope, "table": "STAFF"}
    assert len(printed(tmp_path / "a.dat", 20, **options)) == 2
    words = [f"--{name}={value}" for name, value in options.items()]
    assert cli.main(["changes", str(tmp_path / "a.dat"), *words]) == 20
    assert "bad records without a row: 1" in capsys.readouterr().err
    rows = typed(tmp_path / "a.dat", **options)
    bad = [row for row in rows if row["_corrupt_record"] is not None]
    assert (len(rows), [row["_metadata"]["record_index"] for row in bad]) == (3, [1])
    assert bad[0].get("op") is bad[0].get("_change_type") is bad[0].get("_op") is None


# -- Db2 LUW ------------------------------------------------------------------------------


@pytest.fixture
def documents(tmp_path: Path) -> dict[str, str]:
    """A table with LOBs: a value in the log, one that an update does not say, a changed key."""
    stream = Stream("v10", "little", "bare")
    unit = stream.begin()
    unit.insert(PAIR, {"ID": 1, "A": "one", "B": None}, lobs={"A": "one"})
    old, new = (rows.formatted(stream.server, PAIR.columns, {"ID": n, "A": External(), "B": None}) for n in (1, 2))
    unit.record("update", "normal", dms.update(stream.server, PAIR.id, Place(Rid(1, 1)), old, new))
    unit.insert(PAIR, {"ID": 3, "A": None, "B": None})
    unit.truncate(PAIR)
    unit.commit()
    (tmp_path / "x.log").write_bytes(stream.bytes())
    path = Path(tables_file(tmp_path, PAIR))
    path.write_text(path.read_text().replace("name: PAIR", "name: PAIR, key: [ID]"))
    return {"tables": str(path)}


def test_values_that_the_log_does_not_have(tmp_path: Path, documents: dict[str, str], printed: Printed) -> None:
    rows = printed(tmp_path / "x.log", envelope="debezium", **documents)
    assert [row["op"] for row in rows] == ["c", "d", "c", "c", "t"]
    assert (rows[0]["after"], rows[0]["absent_columns"]) == ({"ID": 1, "A": "one", "B": None}, None)
    assert [row["absent_columns"] for row in rows[1:3]] == [["A"]] * 2
    assert rows[0]["ts_ms"] == int(datetime.fromisoformat(f"{flat_time(tmp_path, documents)}+00:00").timestamp() * 1000)
    assert [row["ID"] for row in typed(tmp_path / "x.log", table="PAIR", envelope="changefeed", **documents)] == [
        1, 1, 2, 3, None,
    ]  # fmt: skip


def flat_time(folder: Path, options: dict[str, str]) -> str:
    found: str = next(iter(lmparse.open_log(folder / "x.log", **options).changes()))["commit_ts"]
    return found


# -- files --------------------------------------------------------------------------------


# -- what cannot be given -----------------------------------------------------------------

REFUSED = {
    "no column of the key": (
        {"envelope": "debezium", "table": "STAFF", "columns": "PAY"}, "columns leaves out NO of the key"),
    "header": ({"envelope": "changefeed", "header": "true"}, "envelope changefeed has no place for header"),
    "a zone without events": ({"source_time_zone": "UTC"}, "sourceTimeZone is for ts_ms of envelope debezium"),
    "a zone that is none": (
        {"envelope": "debezium", "source_time_zone": "Europe/Utopia"}, "sourceTimeZone has no value 'Europe/Utopia'"),
    "another envelope": ({"envelope": "maxwell"}, "envelope has no value 'maxwell'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_an_envelope_would_ignore_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options, message = REFUSED[name]
    control = written(tmp_path, *LIFE)["control"]
    words = [word for option, value in options.items() for word in ("--" + option.replace("_", "-"), value)]
    assert cli.main(["changes", str(tmp_path / "a.dat"), "--control", control, *words]) == 2
    out, err = capsys.readouterr()
    assert (out, message in err) == ("", True)
    with pytest.raises(lmparse.OptionError, match="^" + message.split("'")[0]):
        list(lmparse.open_log(tmp_path / "a.dat", control=control, **options).changes())


def test_an_event_of_a_table_without_a_key_is_one(tmp_path: Path) -> None:
    bare = replace(ROW, columns=tuple(replace(column, key_seq=0) for column in ROW.columns))
    control = written(tmp_path, *LIFE, tables=(bare,))["control"]
    rows = list(lmparse.open_log(tmp_path / "a.dat", control=control, envelope="debezium").changes())
    assert [row["op"] for row in rows] == ["c", "c", "u", "u", "d", "c"]


def test_a_zone_beside_the_one_of_the_log_is_refused(
    tmp_path: Path, documents: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--tables", documents["tables"], "--envelope", "debezium", "--source-time-zone", "UTC"]
    assert cli.main(["changes", str(tmp_path / "x.log"), *words]) == 2
    assert "sourceTimeZone: commit times of log records of Db2 LUW are UTC" in capsys.readouterr().err


def test_a_table_with_names_of_the_envelope_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = replace(ROW, columns=(*ROW.columns[:2], Column("_txn_id", "INT", 4)))
    control = written(tmp_path, (1, "I", None, {"NO": 1, "SITE": "A", "_txn_id": 3}), tables=(odd,))["control"]
    words = ["changes", str(tmp_path / "a.dat"), "--control", control, "--table", "STAFF", "--envelope"]
    assert cli.main([*words, "changefeed"]) == 2
    assert "the table has a column _txn_id" in capsys.readouterr().err
    assert cli.main([*words, "debezium"]) == 0
