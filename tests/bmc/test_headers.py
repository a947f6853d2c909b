"""Headers: other lengths and layouts than the manual's table, as the control file describes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, lldf, logs
from writers.bmc import framing as enc
from writers.bmc.lldf import HeaderField

import lmparse
from lmparse.bmc.record.headers import Header
from lmparse.logs.check import account
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec

NARROW = {
    "timestamps of 10 bytes": tuple(lldf.narrow()),
    "timestamps as text": tuple(lldf.narrow(timestamps="DTTM26")),
    "another order": tuple(lldf.narrow(order=("PLAN", "AUTHID", "LOGRBA", "SEGNUM", "TOTALSEGS"))),
    "without the newest fields": tuple(lldf.narrow(drop=("SQLRIRBA", "PAGENUMFMT"))),
    "without fields of rollback": tuple(lldf.narrow(drop=("INCOMPLETETRANS", "INCOMPLETEDEP", "UORHASCOMP"))),
}


DECISIVE = {
    "SYSTEMID", "DBID", "PSID", "TBOBID", "TBOWNERLEN", "TBNAMELEN", "TABLEOWNER", "TABLENAME", "LOGLRSN", "LOGRBA",
    "MEMBERID", "RID", "CHANGE TYPE", "SQLTYPE", "LOGRECDISP", "UORDISP", "UORID", "SEGNUM", "TOTALSEGS",
    "UORCOMMITTIMESTAMP", "UORCOMMITLRSN", "UORCOMMITPOINT",
}  # fmt: skip
"""Fields without which changes would be read wrongly."""


def put(folder: Path, log: logs.Example, framing: str = "rdw") -> tuple[Path, Path]:
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(enc.framed(framing, log.data_records).data)
    ctl.write_bytes(enc.rdw(log.control_records))
    return data, ctl


def opened(folder: Path, log: logs.Example, framing: str = "rdw", **options: Any) -> Any:
    data, ctl = put(folder, log, framing)
    return lmparse.open_log(data, control=ctl, **options)


def check(folder: Path, log: logs.Example, framing: str = "rdw") -> list[dict[str, Any]]:
    """The changes with their headers; they must be those that were put in."""
    file = opened(folder, log, framing, include="all", mode="failfast", header=True)
    got = list(file.changes())
    expected = log.expected_for("all")
    for change, wanted in zip(got, expected, strict=True):
        assert {name: change.get(name, "is missing") for name in wanted} == wanted
    return got


def small(lines: Sequence[HeaderField] | None = None, **header: Any) -> logs.Example:
    """One insert under a header of one's own."""
    writer = logs.Writer([logs.TABLES[2]], logs.Options(lines=None if lines is None else tuple(lines)))
    writer.add(logs.Unit(1), logs.TABLES[2], "I", after={"NO": 1, "KIND": "A", "SUM": "1.00"}, **header)
    return writer.example(header=writer.options.header)


# described by XHDF


@pytest.mark.parametrize("framing", ["rdw", "bdw", "vbs", "zosmf"])
@pytest.mark.parametrize("name", NARROW)
def test_a_header_that_xhdf_describes_is_read(name: str, framing: str, tmp_path: Path) -> None:
    log = logs.example(lines=NARROW[name])
    assert len(log.data_records[0]) != len(logs.example().data_records[0])
    check(tmp_path, log, framing)


def test_unknown_fields_stay_under_their_names(tmp_path: Path) -> None:
    lines = lldf.narrow()
    end = lines[-1].position + lines[-1].length
    lines += [
        HeaderField("ORDERVALUE", "BIN", 4, end, "U"),
        HeaderField("SHORTINT", "INT", 2, end + 4),
        HeaderField("NEWTEXT", "CHAR", 6, end + 6),
        HeaderField("NEWBYTES", "BIN", 3, end + 12),
    ]
    values = {"ordervalue": 7, "shortint": -2, "newtext": "ABC", "newbytes": b"\x01\x02\x03"}
    writer = logs.Writer([logs.TABLES[2]])
    images = [writer.row_image(logs.TABLES[2], {"NO": 1, "KIND": "A", "SUM": "1.00"})]
    data = lldf.data_area("I", images)
    given = {**logs.Unit(1).header_fields(), **logs.TABLES[2].header_fields, "change_type": "I", **values}
    given["ordervalue"] = (7).to_bytes(4, "big")
    record = lldf.header_by(lines, values=given) + data
    log = replace(small(), data_records=[record], control_records=control.for_tables([logs.TABLES[2]], header=lines))
    (change,) = opened(tmp_path, log, header=True, mode="failfast").changes()
    assert change["after"] == {"NO": 1, "KIND": "A", "SUM": "1.00"}
    unknown = {name: change["header"][name] for name in ("ORDERVALUE", "SHORTINT", "NEWTEXT", "NEWBYTES")}
    assert unknown == {"ORDERVALUE": 7, "SHORTINT": -2, "NEWTEXT": "ABC", "NEWBYTES": "010203"}


def test_a_value_too_wide_for_the_field_is_null_and_named(tmp_path: Path) -> None:
    lines, position = [], 0
    for line in lldf.narrow():
        width = 4 if line.name == "PARTNUM" else line.length
        lines.append(replace(line, position=position, length=width))
        position += width
    log = small(lines, partnum=0x10000)
    file = opened(tmp_path, log, header=True)
    (change,) = file.changes()
    assert (change["after"]["NO"], change["header"]["partnum"]) == (1, None)
    assert [(fault["path"], fault["raw"]) for fault in change["_corrupt_fields"]] == [("partnum", "00010000")]
    (error,) = file.tally.errors
    place = next(line.position for line in lines if line.name == "PARTNUM")
    assert (error.code, error.field, error.field_offset, error.found) == ("LMP-V004", "partnum", place, "X'00010000'")


# said, not guessed


@pytest.mark.parametrize(
    ("given", "stated", "lengths"),
    [
        ({"size": 287}, {}, (288, 287)),
        ({"size": 277}, {}, (288, 277)),
        ({}, {"lines": tuple(lldf.narrow())}, (235, 288)),
        ({"lines": NARROW["another order"]}, {}, (288, 235)),
    ],
)
def test_length_against_the_description_is_an_error(
    given: dict[str, Any], stated: dict[str, Any], lengths: tuple[int, int], tmp_path: Path
) -> None:
    other = logs.example(**given)
    log = replace(other, control_records=logs.example(**stated).control_records)
    data, ctl = put(tmp_path, log)
    file = lmparse.open_log(data, control=ctl, framing="rdw")
    assert list(file.changes()) == []
    assert {error.code for error in file.tally.errors} == {"LMP-C006"}
    error = file.tally.errors[0]
    found = (int(error.expected), int(error.found))
    assert (found, error.field, error.record_index) == (lengths, "length", 0)


@pytest.mark.parametrize("shape", ["today", *NARROW])
def test_a_missing_description_is_an_error_or_loses_nothing(shape: str) -> None:
    """One XHDF record of all, in turn; only that of LENGTH, which begins every header, may be missing."""
    lines = lldf.described() if shape == "today" else list(NARROW[shape])
    spec = catalog.load("bmc_lldf")
    whole = header_of(spec, lines)
    for number, line in enumerate(lines):
        left = [*lines[:number], *lines[number + 1 :]]
        if line.name == "LENGTH":
            assert header_of(spec, left).places == {k: v for k, v in whole.places.items() if k != "length"}
        elif number == len(lines) - 1:
            assert header_of(spec, left).width < whole.width, "which LENGTH of each record contradicts"
        elif line.name in DECISIVE:
            with pytest.raises(
                lmparse.ControlError, match=r"bytes of the header that XHDF does not describe, at .* between "
            ) as caught:
                header_of(spec, left)
            assert caught.value.code == "LMP-C006"
        else:
            header = header_of(spec, left)
            kept = next(field for field in header.fields if field.name == "UNDESCRIBED")
            assert kept.position <= line.position < line.position + line.length <= kept.end, "its bytes are kept"
            assert (len(header.holes), header.claim().failed) == (1, 1)
            assert header.width == whole.width


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (HeaderField("PLAN", "CHAR", 8, 288), "PLAN at 242 and at 288"),
        (HeaderField("NEWTEXT", "CHAR", 8, 281), "SQLRIRBA up to 286 and NEWTEXT from 281"),
        (HeaderField("NEWTEXT", "CHAR", 8, 0), "LENGTH up to 1 and NEWTEXT from 0"),
        (HeaderField("NEWTEXT", "CHAR", 8, 188), "NEWTEXT up to 195 and UORCOMMITLRSN from 192"),
    ],
)
def test_bytes_of_two_fields_or_of_none_are_an_error(more: HeaderField, found: str, tmp_path: Path) -> None:
    log = small()
    data, ctl = put(tmp_path, replace(log, control_records=[*log.control_records, control.xhdf(more)]))
    for read in (lambda: lmparse.open_log(data, control=ctl), lambda: lmparse.read_table(data, control=str(ctl))):
        with pytest.raises(lmparse.ControlError) as caught:
            read()
        assert (caught.value.code, caught.value.file, caught.value.found) == ("LMP-C006", str(ctl), found)


@pytest.mark.parametrize("engine", ["columnar", "kaitai", "check"])
def test_bytes_of_no_field_that_decides_nothing_are_kept(engine: str, tmp_path: Path) -> None:
    """The rows are read; `check` names the bytes, and ends with a difference."""
    lines = [line for line in lldf.described() if line.name not in ("AUTHID", "PLAN")]
    log = small(auth_id="SOMEONE", plan="PLANB")
    records = [record for record in log.control_records if record[:4] != control.xhdf()[:4]]
    data, ctl = put(tmp_path, replace(log, control_records=[*records, *map(control.xhdf, lines)]))
    columns = lmparse.read_table(data, spec="bmc_lldf", control=str(ctl), engine=engine).to_pydict()
    assert (columns["auth_id"], columns["connect_id"]) == ([None], ["BATCH"])
    (record,) = lmparse.open_log(data, control=ctl).records()
    assert record["UNDESCRIBED"] == ("SOMEONE " + "PLANB   ").encode("cp037").hex().upper()
    (change,) = lmparse.open_log(data, control=ctl).changes()
    assert change["after"]["NO"] == 1
    report = account(str(data), Options.parse({"control": str(ctl)}))
    assert report.differences == [
        "16 bytes of the header that XHDF does not describe, at 234 between CORRELATIONID and LUWNETWORKID"
    ]
    assert f"kept as bytes: {report.differences[0]}" in report.notices


@pytest.mark.parametrize(
    ("extra", "last", "kept"), [(b"ABCDEFGH", "PAGENUMFMT", b"ABCDEFGH"), (b"", "SQLRIRBA", b"\xc1")]
)
def test_bytes_behind_the_last_field_are_kept(extra: bytes, last: str, kept: bytes, tmp_path: Path) -> None:
    """XHDF has each of its fields where the table has it, so that LENGTH alone says where the header ends."""
    lines = lldf.described()[:-1] if last == "SQLRIRBA" else lldf.described()
    log = logs.example(extra=extra)
    records = [record for record in log.control_records if record[:4] != control.xhdf()[:4]]
    data, ctl = put(tmp_path, replace(log, control_records=[*records, *map(control.xhdf, lines)]))
    given = {"control": str(ctl), "include": "all", "engine": "check", "mode": "failfast"}
    rows = lmparse.read_changes(data, **given).to_pylist()
    assert [row["seq"] for row in rows] == [change["seq"] for change in log.expected_for("all")]
    assert {record["UNDESCRIBED"] for record in lmparse.open_log(data, control=ctl).records()} == {kept.hex().upper()}
    report = account(str(data), Options.parse({"control": str(ctl)}))
    end = lines[-1].position + lines[-1].length
    what = f"{len(kept)} bytes of the header that XHDF does not describe, at {end} between {last} and DATA"
    assert (report.error_count, report.differences) == (0, [what])
    assert report.notices.count(f"kept as bytes: {what}") == 1


def test_another_length_behind_the_last_field_is_an_error_of_its_record(tmp_path: Path) -> None:
    log = logs.example(extra=bytes(8))
    records = [*log.data_records]
    records[9] = (297).to_bytes(2, "big") + records[9][2:]
    found = opened(tmp_path, replace(log, data_records=records, control_records=logs.example().control_records))
    _ = list(found.changes())
    assert [(error.code, error.record_index, error.found) for error in found.tally.errors] == [("LMP-C006", 9, "297")]


def header_of(spec: Spec, lines: Sequence[HeaderField]) -> Header:
    keys = ("head_field_name", "head_field_type", "head_field_subtype", "head_field_pos", "head_field_len")
    return Header(
        spec,
        [dict(zip(keys, (one.name, one.type, one.subtype, one.position, one.length), strict=True)) for one in lines],
    )


# not described


def test_a_length_behind_the_record_s_end_is_a_bad_record(tmp_path: Path) -> None:
    record = bytearray(small().data_records[0])
    record[0:2] = (400).to_bytes(2, "big")
    good = small().data_records[0]
    for describe in (False, True):
        controls = control.for_tables([logs.TABLES[2]], describe_header=describe)
        log = replace(small(), data_records=[good, good, bytes(record)], control_records=controls)
        file = opened(tmp_path, log)
        assert [change["_metadata"]["record_index"] for change in file.changes()] == [0, 1]
        assert [(error.code, error.field, error.found) for error in file.tally.errors] == [
            ("LMP-C006" if describe else "LMP-V004", "length", "400")
        ]
