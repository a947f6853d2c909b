"""A log without one of its records, with one twice, with two in another order: `check` sees it, or cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples.db2_scripts import DOC, ITEM, item
from writers.db2.stream import Stream

from lmparse import cli
from lmparse.changes.claims import Claim
from lmparse.db2.files.continuity import Continuity
from lmparse.db2.record.kinds import ABORTS, COMMITS, OPERATIONS
from lmparse.db2.record.log_record import LogRecord
from lmparse.framing.framings import framing_of
from lmparse.logs.check import CheckReport, account
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.options import Options
from lmparse.records.origin import RecordOrigin
from lmparse.spec import catalog

FORMS = [
    ("v7", "big", "bare"), ("v7", "big", "lsn6"), ("v9.7", "big", "bare"), ("v9.7", "little", "lsn8"),
    ("v9.7", "little", "filter97"), ("v10", "little", "bare"), ("v10", "big", "lsn8"), ("v10", "little", "filter"),
]  # fmt: skip
Form = tuple[str, str, str]
Records = list[tuple[LogRecord, bytes]]
"""Records with their bytes."""


def busy(generation: Any, byte_order: Any, framing: Any, units: int = 5) -> Stream:
    """Transactions side by side, with values outside of rows, savepoints and a rollback; the last is open."""
    stream = Stream(generation, byte_order, framing)
    first = stream.begin()
    first.initialize(ITEM)
    first.commit()
    for number in range(units):
        one, two = stream.begin("ALICE"), stream.begin("BOB")
        one.insert(ITEM, item(10 * number))
        two.insert(ITEM, item(10 * number + 1, "two"))
        mark = one.mark()
        one.insert(ITEM, item(10 * number + 2))
        one.rollback_to(mark)
        two.insert(DOC, {"ID": number}, lobs={"BODY": "text"})
        two.commit()
        one.insert(ITEM, item(10 * number + 3, "three"))
        one.abort() if number % 3 == 2 else one.commit()
    last = stream.begin()
    last.insert(ITEM, item(1000))
    last.insert(ITEM, item(1001))
    return stream


def named(form: Form) -> dict[str, str]:
    return dict(zip(("generation", "byte_order", "framing"), form, strict=True))


def pieces(form: Form) -> list[bytes]:
    """The records of a log, each with what is in front of it."""
    stream = busy(*form)
    lead, data = framing_of(form[2], byte_order=form[1]).lead, stream.bytes()
    return [data[record.offset - lead : record.offset + record.length] for record in stream.records]


def checked(folder: Path, data: bytes, form: Form) -> CheckReport:
    path = folder / "x.log"
    path.write_bytes(data)
    return account(str(path), Options.parse({"spec": "db2_log", **named(form)}))


def parsed(folder: Path, form: Form) -> Records:
    path = folder / "x.log"
    path.write_bytes(busy(*form).bytes())
    log: Any = open_changes(path, read_options({"spec": "db2_log", **named(form)}))
    return [(record, record.extent.read(log.buffer)) for record in log.log_records(lambda *_: None)]


def claims(records: Records) -> list[Claim]:
    """The claims of a log of some records."""
    continuity = Continuity(RecordOrigin("x.log", catalog.load("db2_log")))
    for index, (record, raw) in enumerate(records):
        moved = replace(record.extent, index=index)
        continuity.add(LogRecord(moved, record.parsed, record.body, record.kind, record.prefix), raw)
    return continuity.claims()


@pytest.mark.parametrize("form", FORMS)
def test_check_ends_with_24_and_names_the_place(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = pieces(form)
    commit = 1 + 10  # a commit in the middle
    logs = {
        "removed": [*found[:commit], *found[commit + 1 :]], "reversed": [*found[30:], *found[:30]],
        "twice": [*found, *found],
    }  # fmt: skip
    options = [word for name, value in named(form).items() for word in (f"--{name.replace('_', '-')}", value)]
    path = tmp_path / "x.log"
    path.write_bytes(b"".join(found))
    assert cli.main(["check", str(path), "--spec", "db2_log", *options]) == 0
    for records in logs.values():
        path.write_bytes(b"".join(records))
        assert cli.main(["check", str(path), "--spec", "db2_log", *options]) == 24
        assert "difference: " in (said := capsys.readouterr().out)
        assert "failed: " in said


@pytest.mark.parametrize("form", FORMS)
def test_a_record_that_has_lost_its_transaction(form: Form, tmp_path: Path) -> None:
    """Its change, or with a commit all changes of the transaction, would be missing."""
    offset = {"v7": 14, "v9.7": 16, "v10": 32}[form[0]]
    lead, whole = framing_of(form[2], byte_order=form[1]).lead, pieces(form)
    changing = [number for number, (record, _) in enumerate(parsed(tmp_path, form)) if record.previous and (
        record.kind in (*COMMITS, *ABORTS) or (record.kind in OPERATIONS and not record.is_compensating)
    )]  # fmt: skip
    assert len(changing) > 5
    for number in changing[:: amount(11, 1)]:
        one = whole[number]
        without = one[: lead + offset] + bytes(6) + one[lead + offset + 6 :]
        report = checked(tmp_path, b"".join([*whole[:number], without, *whole[number + 1 :]]), form)
        assert any("names no transaction" in failure for claim in report.claims for failure in claim.failures)


@pytest.mark.parametrize("form", FORMS)
def test_an_extract_is_no_failure(form: Form, tmp_path: Path) -> None:
    """It begins and ends within transactions, whose beginnings and ends are not in it."""
    found, reasons = pieces(form), set[str]()
    for first in (1, 3, 7):
        report = checked(tmp_path, b"".join(found[first:-first]), form)
        assert (report.differences, report.error_count) == ([], 0)
        reasons |= {reason for claim in report.claims for reason in claim.untestable}
    assert "the transaction begins before the log at hand" in reasons


def test_a_filtered_log_cannot_be_tested_for_gaps(tmp_path: Path) -> None:
    """The API leaves records out all over the log, so that one more missing cannot be seen. The report says so."""
    form = FORMS[-1]
    found = [piece for number, piece in enumerate(pieces(form)) if number % 3]
    report = checked(tmp_path, b"".join(found), form)
    assert report.differences == []
    gaps = next(claim for claim in report.claims if claim.says.startswith("no bytes are missing"))
    assert gaps.untestable
    assert not gaps.failed


def test_claims_are_in_the_report(tmp_path: Path) -> None:
    report = checked(tmp_path, b"".join(pieces(FORMS[0])), FORMS[0]).to_dict()
    states = {claim["says"]: claim["state"] for claim in report["claims"]}
    assert states["every byte is accounted for"] == "passed"
    assert states["positions in the log ascend"] == "not testable"
    for claim in report["claims"]:
        assert claim["tested"] == claim["passed"] + claim["failed"]
        assert claim["state"] != "not testable" or claim["not_testable"] or not claim["tested"]
