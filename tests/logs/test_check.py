"""Accounting: every byte of a file adds up, and what the control file claims is held against the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cases.files import load
from samples.db2_scripts import ITEM, item
from writers.bmc import control, framing, lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column
from writers.db2.stream import Stream

from lmparse import cli
from lmparse.logs.check import CheckReport, account
from lmparse.options import Options

END = "FF" * 10
"""An ENDRBA that no record stands behind."""

Checked = Callable[..., CheckReport]
"""Writes a log in a framing and checks it."""


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


def true_control(example: logs.Example, end: str = END) -> list[bytes]:
    """The control records of a log with an ENDRBA of one's own."""
    return [*example.control_records[:-1], control.dlge(ENDRBA=end)]


@pytest.fixture
def check(tmp_path: Path) -> Checked:
    """Account for records in a framing, or for bytes, with control records or without."""

    def check(
        data: Sequence[bytes] | bytes, controls: Sequence[bytes] | None = None, kind: str = "rdw", **options: Any
    ) -> CheckReport:
        path = tmp_path / "log.dat"
        path.write_bytes(data if isinstance(data, bytes) else logs.as_file(data, kind))
        if controls is not None:
            (tmp_path / "log.ctl").write_bytes(framing.rdw(controls))
            options["control"] = str(tmp_path / "log.ctl")
        return account(str(path), Options.parse(options))

    return check


def sums(report: CheckReport) -> tuple[int, int, int, int]:
    assert report.is_accounted
    assert report.descriptors + report.parsed + report.skipped + report.quarantined == report.size
    return report.descriptors, report.parsed, report.skipped, report.quarantined


# -- bytes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in framing.KINDS if kind != "fixed"])
def test_a_sound_log_is_descriptors_and_records(check: Checked, example: logs.Example, kind: str) -> None:
    report = check(example.data_records, true_control(example), kind)
    records = sum(map(len, example.data_records))
    assert report.size == len(logs.as_file(example.data_records, kind))
    assert sums(report) == (report.size - records, records, 0, 0)
    assert report.records == len(example.data_records)
    assert (report.error_count, report.errors, report.differences) == (0, [], [])


def test_a_file_cut_short(check: Checked, example: logs.Example) -> None:
    """The whole rest is quarantined, its descriptor word too."""
    whole = framing.rdw(example.data_records)
    report = check(whole[:-7], true_control(example))
    rest = len(example.data_records[-1]) + 4 - 7
    good = example.data_records[:-1]
    assert sums(report) == (4 * len(good), sum(map(len, good)), 0, rest)
    assert [error.code for error in report.errors] == ["LMP-F006"]
    assert report.error_count == 1


def test_bytes_behind_the_last_record(check: Checked, example: logs.Example) -> None:
    report = check(framing.rdw(example.data_records) + b"\x01\x02\x03\x04\x05", true_control(example))
    assert sums(report)[3] == 5
    assert [error.code for error in report.errors] == ["LMP-F007"]


@pytest.mark.parametrize("with_control", [True, False])
def test_a_bad_record_is_quarantined(check: Checked, example: logs.Example, with_control: bool) -> None:
    records = list(example.data_records)
    records[12] = b"\x7f\xff" + records[12][2:]
    report = check(records, true_control(example) if with_control else None)
    total = sum(map(len, records))
    assert sums(report) == (4 * len(records), total - len(records[12]), 0, len(records[12]))
    assert [(error.record_index, error.field) for error in report.errors] == [(12, "length")]
    assert report.error_count == 1


def test_a_bad_value_in_a_row_is_an_error(check: Checked) -> None:
    writer = logs.Writer()
    row: logs.Row = {"NO": 1, "KIND": "K", "SUM": "1.25"}
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after=row)
    good = writer.row_image(logs.TABLES[2], row)
    records = [writer.records[0].replace(good, writer.row_image(logs.TABLES[2], {**row, "SUM": b"ABCD"}))]
    report = check(records, true_control(writer.example(dlds_fields={"SEGMENTED": "N"})))
    assert [(error.code, error.field) for error in report.errors] == [("LMP-V002", "after.SUM")]
    assert report.differences == []


# -- what was found -------------------------------------------------------------------------


def test_counts_are_those_of_the_records(check: Checked, example: logs.Example) -> None:
    report = check(example.data_records, true_control(example))
    assert sum(report.counts["change type"].values()) == len(example.data_records)
    assert report.counts["change type"]["IL"] == 1
    assert report.counts["disposition"] == {
        # Three of the records are segments of one change.
        "committed": example.groups.count("committed") + 2,
        "rolled-back": example.groups.count("rolled-back"),
        "open": example.groups.count("open"),
    }
    assert report.counts["table"]["PROD.ITEMS"] == sum(row["table_name"] == "ITEMS" for row in example.changes)


def test_the_report_in_words_and_as_json_say_the_same(check: Checked, example: logs.Example) -> None:
    report = check(example.data_records, true_control(example, end="00" * 9 + "01"))
    lines, shown = list(report.lines()), report.to_dict()
    assert lines[0] == f"{report.file}: {report.records} records of bmc_lldf, {report.size} bytes"
    assert f"{report.parsed} parsed + {report.descriptors} descriptors" in lines[1]
    assert lines[1].endswith(f" = {report.size}")
    assert [f"  difference: {text}" for text in shown["differences"]] == [
        line for line in lines if line.startswith("  difference: ")
    ]
    assert lines[-1] == "  0 errors, 1 differences"
    assert shown["bytes"] == {
        "size": report.size,
        "descriptors": report.descriptors,
        "parsed": report.parsed,
        "unread": 0,
        "skipped": 0,
        "quarantined": 0,
        "is_accounted": True,
    }


# -- claims ---------------------------------------------------------------------------------

COLUMNS = (Column("NO", "INT", 4), Column("KIND", "CHAR", 3, nulls="Y"), Column("NOTE", "VCHR", 10))


def small(*, segments: int = 1, member_id: int = 0, table: Table | None = None, **options: Any) -> logs.Example:
    """A log of one insert, its claims true unless `options` say otherwise."""
    table = table or Table(columns=COLUMNS)
    writer = logs.Writer((table,))
    unit = logs.Unit(1, member_id=member_id)
    writer.add(unit, table, "I", after={"NO": 1, "KIND": "K", "NOTE": "note"}, segments=segments)
    flags = {"SEGMENTED": "Y" if segments > 1 else "N", "DDLOBJECTS": "N", "CMDSINCLUDED": "N"}
    return writer.example(**{"dlds_fields": {**flags, **options.pop("dlds_fields", {})}, **options})


def differences(check: Checked, log: logs.Example, end: str = END) -> list[str]:
    report = check(log.data_records, true_control(log, end))
    assert report.error_count == 0
    return report.differences


@pytest.mark.parametrize("claimed", [2, 4])
def test_number_of_columns(check: Checked, claimed: int) -> None:
    log = small(table=Table(columns=COLUMNS, dtbi={"LLNUMCOL": claimed}))
    (said,) = differences(check, log)
    assert said.startswith("DTBI.LLNUMCOL of DB2A.0105.0002.0003 version 001")
    assert f" is {claimed}, but 3 DLCI records" in said


@pytest.mark.parametrize(("member_id", "start", "length"), [(0, 87, 10), (1, 77, 10)], ids=["RBA", "LRSN"])
def test_end_of_the_log(check: Checked, member_id: int, start: int, length: int) -> None:
    """It is an RBA, in data sharing an LRSN; a record may stand at it, not behind it."""
    log = small(member_id=member_id)
    position = log.data_records[0][start : start + length]
    number = int.from_bytes(position, "big")
    assert differences(check, log, position.hex()) == []
    assert differences(check, log, f"{number + 1:020X}") == []
    before = f"{number - 1:020X}"
    assert differences(check, log, before) == [f"DLGE.ENDRBA is {before}, but a record is at {position.hex().upper()}"]
    assert differences(check, log, "00" * 10) == []


def test_a_header_that_is_not_the_one_described(check: Checked) -> None:
    """XHDF and LENGTH contradict each other: the record is not read by guess."""
    log, record = small(header=lldf.described(288)), lldf.record(b"", size=277)
    report = check([record], true_control(log), framing="rdw")
    assert sums(report) == (4, 0, 0, len(record))
    assert [(error.code, error.expected, error.found) for error in report.errors] == [("LMP-C006", "288", "277")]


# -- the exit code --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tail", "end", "code"),
    [(b"", END, 0), (b"", "00" * 9 + "01", 24), (b"\x01\x02\x03", END, 31), (b"\x01\x02\x03", "00" * 9 + "01", 31)],
    ids=["sound", "difference", "left-over", "both"],
)
def test_exit_code(
    tmp_path: Path, example: logs.Example, capsys: pytest.CaptureFixture[str], tail: bytes, end: str, code: int
) -> None:
    data, named = tmp_path / "log.dat", tmp_path / "log.ctl"
    data.write_bytes(framing.rdw(example.data_records) + tail)
    named.write_bytes(framing.rdw(true_control(example, end)))
    assert cli.main(["check", str(data), "--control", str(named)]) == code
    out, err = capsys.readouterr()
    assert ("difference: " in out) == (end != END)
    assert ("[LMP-F007]" in err) == bool(tail)


BAD = Path(__file__).parents[1] / "cases_bad"


def bad_values() -> list[Path]:
    """The cases of log records of Db2 LUW whose only fault is one that `records` finds."""
    found = [(path, load(path)) for path in sorted(BAD.glob("db2_*/*.yaml"))]
    return [path for path, case in found if case["command"] == "records" and case["exit"] == 20 and
            case["options"]["spec"] == "db2_log" and case["error"]["code"].startswith("LMP-V")]  # fmt: skip


@pytest.mark.parametrize("path", bad_values(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_bad_value_in_any_record_is_found_once(path: Path) -> None:
    """Not only in records that are rows: reading the changes passes over the others."""
    case = load(path)
    report = account(str(path.with_suffix(".bin")), Options.parse(case["options"]))
    found = [error for error in report.errors if error.code == case["error"]["code"]]
    assert [(error.record_index, error.record_offset) for error in found] == [
        (case["error"]["record"], case["error"]["record_offset"])
    ]
    assert "failed" in [claim.state for claim in report.claims if "can be read" in claim.says]


@pytest.mark.parametrize("framing", ["bare", "filter"])
def test_a_pass_that_a_limit_ends_is_an_error(framing: Any, tmp_path: Path) -> None:
    """All records are read, but the transactions only up to the limit: nothing is known of the changes behind it."""
    stream = Stream("v10", "little", framing)
    unit = stream.begin()
    unit.initialize(ITEM)
    for number in range(20):
        unit.insert(ITEM, item(number))
    unit.commit()
    for number in range(80):
        short = stream.begin()
        short.insert(ITEM, item(100 + number))
        short.commit()
    path = tmp_path / "a.log"
    path.write_bytes(stream.bytes())
    named = {"spec": "db2_log", "generation": "v10", "byte_order": "little", "framing": framing}
    assert not account(str(path), Options.parse(named)).error_count
    report = account(str(path), Options.parse({**named, "limits": "heldBytes=8K"}))
    assert report.is_accounted
    assert (report.records, report.quarantined) == (182, 0)
    assert [error.code for error in report.errors] == ["LMP-L004"]
    shell = [word for name, value in named.items() for word in (f"--{name.replace('_', '-')}", value)]
    assert cli.main(["check", str(path), *shell, "--limits", "heldBytes=8K"]) == 20
