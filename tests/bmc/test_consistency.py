"""Claims of a log about its records: what is wrong is named, once, and what cannot be tested is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from counted import growth, operations
from writers.bmc import control, framing, lldf, logs

from lmparse.bmc.checks import Consistency
from lmparse.bmc.columns.position_runs import PositionRuns
from lmparse.bmc.record.segments import SegmentIndex
from lmparse.changes.claims import Claim
from lmparse.framing.extents import RecordExtent
from lmparse.logs.check import CheckReport, account
from lmparse.options import Options

Checked = Callable[..., CheckReport]


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


@pytest.fixture
def check(tmp_path: Path) -> Checked:
    """Account for records with control records or without."""

    def check(records: Sequence[bytes], controls: Sequence[bytes] | None = None) -> CheckReport:
        (tmp_path / "log.dat").write_bytes(framing.rdw(records))
        options = {}
        if controls is not None:
            (tmp_path / "log.ctl").write_bytes(framing.rdw(controls))
            options["control"] = str(tmp_path / "log.ctl")
        return account(str(tmp_path / "log.dat"), Options.parse(options))

    return check


def failed(report: CheckReport) -> dict[str, int]:
    return {claim.says: claim.failed for claim in report.claims if claim.failed}


def with_bytes(records: Sequence[bytes], number: int, field: str, value: bytes) -> list[bytes]:
    """The records with other bytes in a header field of one."""
    at = next(line.offset for line in lldf.HEADER if line.name == field)
    one = records[number]
    return [*records[:number], one[:at] + value + one[at + len(value) :], *records[number + 1 :]]


@pytest.mark.parametrize("with_control", [True, False])
def test_a_sound_log_passes(check: Checked, example: logs.Example, with_control: bool) -> None:
    report = check(example.data_records, example.control_records if with_control else None)
    assert (report.differences, report.error_count) == ([], 0)
    assert all(claim.tested or claim.untestable for claim in report.claims)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("TABLENAME", "C1", "the control file has the table of a record, by this name"),
        ("DBNAME", "C1", "the control file has the table of a record, by this name"),
        ("UORCOMMITTIMESTAMP", "00" * 17, "a unit has a commit record if it is committed, and only then"),
        ("UORDISP", "40", "a unit has a commit record if it is committed, and only then"),
        ("LOGRECDISP", "C1", "a change was taken back with its unit, or kept with it"),
        ("LOGRBA", "00" * 10, "a change is between the beginning and the commit of its unit"),
        ("UORIDLRSN", "00" * 10, "the records of a unit of recovery agree on it"),
        ("SEGNUM", "0000", "the segments of a change are all there, once each"),
    ],
)
def test_a_field_that_contradicts_the_rest(
    check: Checked, example: logs.Example, field: str, value: str, says: str
) -> None:
    records = with_bytes(example.data_records, 1, field, bytes.fromhex(value))
    report = check(records, example.control_records)
    assert says in failed(report)
    assert any(difference.startswith(("record 1 at ", "record 1: ")) for difference in report.differences)


def test_a_log_twice_is_every_record_twice(check: Checked, example: logs.Example) -> None:
    records = example.data_records
    report = check([*records, *records])
    assert failed(report)["no record is there twice"] == len(records)
    assert "record 26: the same as record 0" in report.differences


def test_changes_of_one_position_have_a_seq_each_if_they_are_neighbours(check: Checked) -> None:
    says = "seq of a change is unique"
    writer = logs.Writer()
    for number, position in enumerate((1, 2, 2, 2, 3)):
        at = f"{position:020X}"
        row: logs.Row = {"NO": number, "KIND": "A", "SUM": "1.00"}
        writer.add(logs.Unit(1), logs.TABLES[2], "I", after=row, log_rba=at, log_lrsn=at)
    assert says not in failed(check(writer.records))
    one, two, three, four, five = writer.records
    report = check([one, two, three, five, four])
    assert failed(report)[says] == 1
    assert "record 4: has the seq of record 1" in report.differences
    segments = [piece for piece, _ in writer.pieces(logs.Unit(1), logs.TABLES[2], "UB", row, row, segments=2)]
    assert says not in failed(check([segments[0], *writer.records, segments[1]]))


def test_a_merged_log_may_say_two_things_of_a_unit(check: Checked, example: logs.Example) -> None:
    records = with_bytes(example.data_records, 0, "UORIDLRSN", bytes(10))
    stated = control.dlds(merged="Y", segmented="Y", ddl_objects="Y", cmds_included="Y")
    merged = [stated if record[:4] == stated[:4] else record for record in example.control_records]
    says = "the records of a unit of recovery agree on it"
    assert says in failed(check(records, example.control_records))
    report = check(records, merged)
    assert says not in failed(report)
    (claim,) = (claim for claim in report.claims if claim.says == says)
    assert any("merged" in reason for reason in claim.untestable)


def test_testing_is_linear() -> None:
    """Every record is there twice, and all are of one unit that they contradict: the worst for the tests at the end."""

    def run(count: int) -> Callable[[], list[Claim]]:
        values = [_values(number) for number in range(count)]
        extents = [RecordExtent(number, ((number * 10, 10),), None) for number in range(count)]

        def test() -> list[Claim]:
            without = cast(SegmentIndex, SimpleNamespace(of=lambda extent: None, changes=[]))
            consistency = Consistency((), runs=PositionRuns({}), segments=without)
            for extent, header in zip(extents, values, strict=True):
                consistency.add(extent, b"same", header)
            return consistency.claims()

        return test

    assert growth(lambda count: operations(run(count), within="lmparse/bmc/"), 500) < 2.2


def _values(number: int) -> dict[str, Any]:
    names = ("system_id", "uor_timestamp", "uor_commit_timestamp", "uor_has_comp", "incomplete_trans", "incomplete_dep")
    positions = ("uor_id_lrsn", "uor_commit_lrsn", "uor_commit_point", "log_rba", "log_lrsn", "rid")
    return {
        **dict.fromkeys(names, "N"), **dict.fromkeys(positions, number.to_bytes(10, "big")), "uor_id": b"\1" * 10,
        "member_id": 1, "uor_disp": "C", "log_rec_disp": "A", "length": number, "total_segs": 5,
        "seg_num": number % 7, "change_type": "I", "data": b"",
    }  # fmt: skip
