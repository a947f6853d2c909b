"""`lmparse explain`: one record, its bytes beside its fields, in the terminal, as JSON, as a page and in a notebook.

What is shown of some records stands in `cases_explain`, a line for each field; the texts of the specs are left out.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import html5lib
import pytest
import yaml
from amounts import amount
from cases.files import FOUND, FOUND_BAD, arguments, errors_of, load, name
from writers.bmc import framing

import lmparse
from lmparse import cli
from lmparse.errors import DataError, FramingError, LmparseError, OptionError
from lmparse.options import Options
from lmparse.review.explain import search
from lmparse.review.explain import text as terminal
from lmparse.review.explain.explanation import ExplainedSection, Explanation, FieldLine, lines_of
from lmparse.review.explain.page import ROOT, scoped
from lmparse.review.explain.search import Explained, explain
from lmparse.samples import db2_log
from lmparse.spec import catalog

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "cases_explain"
GOOD, BAD = "cases/", "cases_bad/"
KNOWN = {entry.name for entry in dataclasses.fields(Options) if "explain" in entry.metadata["of"].split()}
MOST = 40
"""Records of a file that the tests of every case go through."""


def test_golden_files_are_those_of_the_cases() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} - {f"{name}.actual" for name in SHOWN} == set(SHOWN)


SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "insert": (f"{GOOD}bmc_lldf/changes_bdw", {"control": "ctl", "record": 0}),
    "update_with_a_null": (f"{GOOD}bmc_lldf/changes_bdw", {"control": "ctl", "record": 1}),
    "control_record": (f"{GOOD}bmc_dlci/every_field", {"spec": "bmc_dlci", "record": 0}),
    "header_of_xhdf": (f"{GOOD}bmc_lldf/described_by_xhdf", {"control": "ctl", "record": 0}),
    "segment": (f"{GOOD}bmc_lldf_data/segments_from_1_out_of_order", {"control": "ctl", "record": 4}),
    "spanned": (f"{GOOD}bmc_lldf/framing_bdw-vbs", {"record": 2}),
    "exchange": (f"{GOOD}bmc_lldf_data/exchange_inclusive", {"control": "ctl", "record": 3}),
    "luw_update": (f"{GOOD}db2_row/v10_little_types", {"tables": "tables", "record": 5}),
    "luw_described_by_the_log": (f"{GOOD}db2_row/v10_little_inline_lobs", {"record": 9}),
    "luw_value_compression": (f"{GOOD}db2_row/v10_little_compressed_from_data", {"tables": "tables", "record": 1}),
    "luw_commit": (f"{GOOD}db2_row/v10_little_types", {"tables": "tables", "record": 7}),
    "damaged_row": (f"{BAD}bmc_row_image/null_indicator", {"control": "ctl", "record": 1}),
    "damaged_value": (f"{BAD}bmc_row_image/value_dec_digit", {"control": "ctl", "record": 1}),
    "damaged_control_record": (f"{BAD}bmc_dlci/cut", {"spec": "bmc_dlci", "record": 1}),
    "damaged_luw_row": (f"{BAD}db2_row/v10_little_slot_behind", {"tables": "tables", "record": 1}),
    "file_that_ends_inside": (f"{BAD}bmc_lldf/cut_inside_record", {"offset": 0x260}),
    "luw_file_that_ends_inside": (f"{BAD}db2_log/v10_little_bare_cut_in_body", {"offset": 0xC0}),
}
"""What `cases_explain` has: a file, its options, and which record of it."""


def shown(name: str) -> Explained:
    """A record of SHOWN; files beside the data go with it."""
    stem, options = SHOWN[name]
    beside = {option: f"{stem}.{ending}" for option, ending in options.items() if option in ("control", "tables")}
    return explain(f"{stem}.bin", **(options | beside))


@pytest.fixture(autouse=True)
def in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `lmparse explain`; gives exit code, standard output, standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main(["explain", *map(str, words)])
        except SystemExit as end:
            code = int(str(end.code))
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def sample(tmp_path: Path) -> dict[str, str]:
    """The sample of Db2 for LUW on disk: a log, and its tables file under `tables`."""
    tables, log = db2_log.make(units=12).write(tmp_path)
    return {"path": str(log), "tables": str(tables)}


def leaves(section: ExplainedSection) -> Iterator[FieldLine]:
    """The lines of a section that bytes stand in."""
    return (line for top in section.lines for line in top.walk() if not line.children)


def tiled(section: ExplainedSection) -> bytes:
    """The bytes of all leaves, one behind the other."""
    return b"".join(section.dissection.raw[line.start + line.shared : line.end] for line in leaves(section))


# -- what is shown ---------------------------------------------------------------------------


def summary(found: Explanation) -> list[str]:
    """A record without the texts of specs: a line for each field."""
    lines = [f"record {found.record} of {found.main.layout.id}, {found.kind or 'no kind'}, {found.framing}"]
    lines += [f"note: {note}" for note in found.notes]
    lines += [f"fault: {fault.code} {fault.field}" for fault in found.faults]
    for section in found.sections:
        before = f" before byte {section.before}" if section.before else ""
        lines.append(f"-- {section.layout.id}{before} at {' '.join(map(str, section.places))}")
        lines += [summary_line(line, section, depth) for top in section.lines for line, depth in depths(top, 0)]
    return lines


def depths(line: FieldLine, depth: int) -> Iterator[tuple[FieldLine, int]]:
    yield line, depth
    for child in line.children:
        yield from depths(child, depth + 1)


def summary_line(line: FieldLine, section: ExplainedSection, depth: int) -> str:
    words = [f"{'  ' * depth}{line.start}+{line.end - line.start}"]
    words.append("unread" if line.node is None else line.node.path)
    if not line.children:
        words.append(section.dissection.raw[line.start : line.end].hex().upper() or "-")
    if line.node is not None and (line.node.value is not None or not line.children):
        words.append(f"= {json.dumps(line.node.value, ensure_ascii=False)}")
    if line.node is not None and line.node.fault is not None:
        words.append(f"! {line.node.fault.says()} [{line.node.fault.code}]")
    return " ".join(words)


@pytest.mark.parametrize("name", SHOWN)
def test_a_record_is_shown_as_in_its_file(name: str) -> None:
    lines = summary(shown(name))
    path, actual = GOLDEN / f"{name}.txt", GOLDEN / f"{name}.actual.txt"
    expected = path.read_text("utf-8").splitlines() if path.exists() else []
    if lines != expected:
        actual.write_text("\n".join([*lines, ""]), "utf-8")
    else:
        actual.unlink(missing_ok=True)
    assert lines == expected


def test_a_terminal_shows_places_bytes_values_meanings_and_documentation() -> None:
    lines = shown("update_with_a_null").lines(160)
    assert lines[0].startswith("cases/bmc_lldf/changes_bdw.bin: record 1 of bmc_lldf, 323 bytes at 0x")
    starts = [re.sub(r" +", " ", line).strip() for line in lines]
    place = starts.index(
        '104 0x068 2 E4 C2 UB change_type (CHANGE TYPE) = "UB": Update: the row before, then the row after'
    )
    assert starts[place + 1].startswith("Type of update.")
    assert "315 0x13b 1 FF . null_indicator = 255: The column is null" in starts
    assert any(line.startswith("read with framing: bdw (") for line in starts)


def test_a_long_field_is_shortened_in_the_terminal_and_nowhere_else(sample: dict[str, str]) -> None:
    found = next(
        found
        for number in itertools.count()
        if (found := explain(**sample, record=number)).kind == "db2_lob.add_lob_data"
    )
    node = found.dissection.at("data")
    assert node is not None
    size = node.end - node.start
    assert size > 1000
    text = "\n".join(found.lines(120))
    assert f"({size - 48} bytes left out)" in re.sub(r"\s+", " ", text)
    (entry,) = [entry for entry in found.to_dict()["fields"] if entry["id"] == "data"]
    assert len(entry["bytes"]) == 2 * size
    assert f"{size - 4096} bytes of data left out" in found.html()


def test_bits_say_that_they_share_their_byte() -> None:
    found = explain(f"{GOOD}bmc_lldf/framing_bdw.bin", record=0)
    bdw = found.words[0]
    assert bdw.layout.id == "zos_bdw"
    assert [(line.node.path, line.start, line.end, line.shared) for line in bdw.lines if line.node] == [
        ("is_extended", 0, 1, 0), ("length_normal", 0, 2, 1), ("reserved", 2, 4, 0),
    ]  # fmt: skip
    assert tiled(bdw) == bdw.dissection.raw


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"path": f"{GOOD}bmc_lldf/columns.bin"}, "the option control"),
        ({"path": f"{BAD}db2_log/v10_little_bare_cut_in_body.bin"}, "the option tables"),
    ],
)
def test_without_columns_a_row_is_bytes_and_a_note_names_the_option(
    options: dict[str, str], asked: str, tmp_path: Path
) -> None:
    alone = tmp_path / "alone.bin"  # without a control file beside it
    alone.write_bytes(Path(options["path"]).read_bytes())
    found = explain(alone, record=1)
    assert any(asked in note for note in found.notes)
    assert tiled(found.main) == found.dissection.raw


# -- every case --------------------------------------------------------------------------------


def options_of(path: Path) -> tuple[str, dict[str, Any]]:
    """The file of a case with those of its options that `explain` has."""
    _, file, *words = arguments(path, load(path))
    given = dict(zip((word[2:].replace("-", "_") for word in words[::2]), words[1::2], strict=True))
    return file, {option: value for option, value in given.items() if option in KNOWN}


def records_of(path: Path) -> Iterator[Explained]:
    """The records of a case, and where its framing breaks the bytes there; nothing where it cannot be read at all."""
    file, options = options_of(path)
    for number in range(MOST):
        try:
            yield explain(file, number, **options)
        except FramingError as error:
            place = error.record_offset or 0
            if place < Path(file).stat().st_size:
                yield explain(file, offset=place, **options)
            return
        except LmparseError:
            return


@pytest.fixture
def opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records of a case are those of one file, which is opened once."""
    for name_ in ("open_file", "dissector_of"):
        monkeypatch.setattr(search, name_, cache(getattr(search, name_)))


@pytest.fixture(scope="module")
def wrapped_once() -> Iterator[None]:
    """The texts of a spec are wrapped once for all cases, since every record shows the same ones."""
    wrapped = cache(lambda spans, *how: tuple(wrap(spans, *how)))
    wrap = terminal._wrapped
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_wrapped", lambda spans, *how: wrapped(tuple(spans), *how))
        yield


@pytest.mark.usefixtures("opened_once", "wrapped_once")
@pytest.mark.parametrize("path", [*FOUND, *FOUND_BAD], ids=name)
def test_the_bytes_of_every_case_are_all_there(path: Path) -> None:
    data = path.with_suffix(".bin").read_bytes()
    for found in itertools.islice(records_of(path), amount(3, 6)):
        for section in found.sections:
            raw = section.dissection.raw
            assert tiled(section) == raw
            assert b"".join(data[start : start + size] for start, size in section.places) == raw
        assert json.loads(json.dumps(found.to_dict()))["length"] == found.length
        assert max(map(len, found.lines(80))) <= 80 or any(ord(letter) > 0x2E80 for letter in str(found))


@pytest.mark.usefixtures("opened_once")
@pytest.mark.parametrize("path", [path for path in FOUND_BAD if load(path)["command"] != "sniff"], ids=name)
def test_the_errors_of_a_record_stand_at_its_fields(path: Path) -> None:
    """What `records` or `changes` says of a bad record, `explain` says too, at the field that has it."""
    file, options = options_of(path)
    for error in errors_of(path, load(path)):
        if not isinstance(error, DataError) or isinstance(error, FramingError) or error.record_index is None:
            continue
        if error.code == "LMP-C010" or error.file != file:
            continue  # told of the record that it was noticed at; or of a record of a control file
        found = explain(file, error.record_index, **options)
        assert (error.code, error.field) in [(fault.code, fault.field) for fault in found.faults]
        at_fields = [node.fault for section in found.sections for node in section.dissection.walk()]
        assert all(any(fault is kept for kept in at_fields) for fault in found.faults)


OUTSIDE = "the value is stored out of the row"


def columns_shown(found: Explained, role: str) -> dict[str, Any]:
    """The values of a row image by their columns, as far as the record has them; OUTSIDE for the others."""
    values: dict[str, Any] = {}
    for node in found.dissection.walk():
        column = node.field.id
        if re.match(r"column \d+, ", node.field.doc) and node.path.removesuffix(".value") == f"{role}.{column}":
            values[column] = OUTSIDE if node.meaning.startswith(OUTSIDE) else node.value
    return values


@pytest.mark.usefixtures("opened_once")
@pytest.mark.parametrize("path", [path for path in FOUND if load(path)["command"] == "changes"], ids=name)
def test_columns_have_the_values_that_changes_prints(path: Path) -> None:
    case = load(path)
    if {"columns", "table"} & case["options"].keys():
        return  # fewer columns are printed
    file, options = options_of(path)
    for row in case["rows"][:MOST]:
        row = case.get("in_all_rows", {}) | row
        detail, number = row.get("detail") or {}, row.get("_metadata", {}).get("record_index")
        if number is None or "moved" in detail:
            continue  # nothing tells the record, or the row is half in another one
        found = explain(file, number, **options)
        if any("segment" in note for note in found.notes) or found.kind.endswith("multiple_records"):
            continue
        for role in ("before", "after"):
            values = columns_shown(found, role)
            absent = {name.partition(".")[2] for name in detail.get("absent", ())}
            absent |= {name for name, value in values.items() if value == OUTSIDE}
            expected = row.get(role) or {}
            assert {name: values.get(name, "nothing") for name in expected if name not in absent} == {
                name: value for name, value in expected.items() if name not in absent
            }


# -- finding -----------------------------------------------------------------------------------

LOG = f"{GOOD}bmc_lldf/changes_bdw.bin"


def test_without_a_place_it_is_the_first_record(run: Any) -> None:
    code, out, _ = run(LOG)
    assert code == 0
    assert out.startswith(f"{LOG}: record 0 of ")


def test_the_bytes_say_what_a_file_is(sample: dict[str, str]) -> None:
    found = [explain(path).main.layout.id for path in (LOG, LOG.replace(".bin", ".ctl"), sample["path"])]
    assert found == ["bmc_lldf", "bmc_control", "db2_log"]


def test_a_part_of_a_control_file_is_known_by_the_codes_of_its_records(run: Any) -> None:
    path = f"{GOOD}bmc_dlci/every_field.bin"
    found, named = explain(path), explain(path, spec="bmc_dlci")
    assert (found.main.layout.id, found.kind) == ("bmc_control", "bmc_dlci")
    assert summary(found)[-20:] == summary(named)[-20:]
    assert run(path)[0] == 0


@pytest.mark.parametrize("offset", [0, 7, "8", "0x13f", "0X13F"])
def test_any_byte_of_the_file_finds_its_record(offset: int | str) -> None:
    number = int(str(offset), 0)
    found = explain(LOG, offset=offset)
    section = next(section for section in found.sections if section.in_section(number) is not None)
    byte = section.in_section(number)
    assert section.dissection.raw[byte or 0] == Path(LOG).read_bytes()[number]
    assert f"byte {number:#x} of the file is byte {byte} of " in found.found_by
    assert any(line.startswith(">") for line in found.lines())


def test_every_byte_of_a_file_is_found_where_it_stands() -> None:
    data = Path(f"{GOOD}bmc_lldf/framing_bdw-vbs.bin").read_bytes()
    wanted = range(0, len(data), amount(37, 1))
    for byte in wanted:
        found = explain(f"{GOOD}bmc_lldf/framing_bdw-vbs.bin", offset=byte)
        assert [section.dissection.raw[place] for section in found.sections
                if (place := section.in_section(byte)) is not None] == [data[byte]]  # fmt: skip


def test_a_place_in_the_log_finds_its_record(sample: dict[str, str]) -> None:
    by_number = explain(**sample, record=2)
    lsn = by_number.dissection.at("lsn")
    assert lsn is not None
    by_lsn = explain(**sample, lsn=lsn.value)
    assert (by_lsn.record, by_lsn.found_by) == (2, f"{int(lsn.value, 16):X} is its log sequence number")
    node = explain(LOG, 1).dissection.at("log_rba")
    assert node is not None
    found = explain(LOG, lsn=f"0x{node.value}")
    assert found.record == 1
    assert "log_rba" in found.found_by


def test_a_place_that_several_records_have_is_not_chosen_from(run: Any) -> None:
    path = f"{GOOD}bmc_lldf_data/segments_from_1_out_of_order.bin"
    node = explain(path, 1).dissection.at("log_rba")
    assert node is not None
    code, out, err = run(path, "--lsn", node.value)
    assert (code, out) == (2, "")
    assert "is in 3 records: 1, 2, 4" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--record", 3], "there is no record 3: the last one is 2, at 0x"),
        (["--record", -1], "record has no value '-1'"),
        (["--record", "one"], "record has no value 'one'"),
        (["--offset", 999999], "there is no byte 0xf423f: the file has "),
        (["--lsn", "XYZ"], "lsn has no value 'XYZ'"),
        (["--lsn", "1F"], "nearest: "),
        (["--record", 1, "--offset", 1], "not allowed with"),
        (["--overwrite"], "--overwrite is for a page"),
        (["--spec", "bmc_lldf", "--tables", "x.yaml"], "tables does not apply"),
        (["--table", "ORDERS"], "--table"),
    ],
)
def test_wrong_usage_is_2_and_prints_nothing(run: Any, words: list[object], said: str) -> None:
    code, out, err = run(LOG, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_records_without_a_place_in_a_log_are_not_found_by_one() -> None:
    with pytest.raises(OptionError, match="name no place in a log"):
        explain(LOG.replace(".bin", ".ctl"), lsn="0")


@pytest.mark.parametrize("given", [1.5, b"1F", "", object()])
def test_positions_are_hex_digits_or_whole_numbers(given: Any) -> None:
    with pytest.raises(OptionError, match="lsn has no value"):
        explain(LOG, lsn=given)


def test_options_of_changes_mean_nothing_for_one_record() -> None:
    with pytest.raises(OptionError, match="table means nothing for one record"):
        explain(LOG, table="ORDERS")
    with pytest.raises(OptionError, match="record, offset and lsn each name a record"):
        explain(LOG, 1, offset=2)


def test_damage_before_a_record_is_an_error_that_names_the_last_sound_one(run: Any) -> None:
    code, out, err = run(f"{BAD}bmc_lldf/cut_inside_record.bin", "--record", 9)
    assert (code, out) == (20, "")
    assert "[LMP-F006]" in err
    assert "the last sound record is 1; the option offset shows the bytes from 0x258 on" in err
    code, out, err = run(f"{BAD}bmc_lldf/bytes_behind.bin", "--record", 9)
    assert (code, out) == (31, "")


def test_bytes_behind_damage_are_shown_as_far_as_they_can_be_read(run: Any) -> None:
    code, out, err = run(f"{BAD}bmc_lldf/cut_inside_record.bin", "--offset", "0x260", "--json")
    assert code == 20
    found = json.loads(out)
    assert (found["record"], found["offset_asked"]) == (None, 0x260)
    assert [entry["code"] for entry in found["faults"]] == ["LMP-F006"]
    ids = [entry["id"] for entry in found["fields"]]
    assert ids[:3] == ["length", "system_id", "dbid"]
    assert ids[-1] == "data"
    assert "[LMP-F006]" in err


@pytest.mark.parametrize("name", ["text", "converted"])
def test_bytes_of_a_file_that_is_nothing_known_are_shown(run: Any, name: str) -> None:
    path = next(path for path in FOUND_BAD if path.stem == name).with_suffix(".bin")
    code, out, err = run(path, "--offset", 3)
    assert code == 20
    assert "unread: no field holds these bytes" in out
    assert "[LMP-F0" in err
    assert run(path)[:2] == (20, "")


def test_what_is_wrong_with_a_record_is_said_on_stderr_too(run: Any) -> None:
    stem, options = SHOWN["damaged_row"]
    code, out, err = run(f"{stem}.bin", "--control", f"{stem}.ctl", "--record", options["record"])
    assert code == 20
    assert "! expected one of 0 (present), 255 (absent), found 64 [LMP-V001]" in re.sub(r"\s+", " ", out)
    assert "bmc_row_image.after.A.null_indicator" in err


# -- terminal ----------------------------------------------------------------------------------


def cells(line: str) -> int:
    """How wide a line is on a terminal."""
    letters = [letter for letter in line if not unicodedata.combining(letter)]
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in letters)


@pytest.mark.parametrize("width", [52, 60, 80, 120, 200])
@pytest.mark.parametrize("name", SHOWN)
def test_no_line_is_wider_than_asked_and_nothing_is_lost(name: str, width: int) -> None:
    found = shown(name)
    lines = found.lines(width)
    assert max(map(cells, lines)) <= width
    (start,) = {line.index(" field") + 1 for line in lines if line.startswith("  byte ")}
    text = re.sub(r"\s+", "", "".join(line[start:] for line in lines))
    for section in found.sections:
        for top in section.lines:
            for line in top.walk():
                if line.node is not None:
                    for said in (line.node.field.id, line.node.field.orig_id or "", line.node.meaning):
                        assert re.sub(r"\s+", "", said) in text


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("insert", "C4 C2 F2 C1 DB2A system_id (SYSTEMID)"),
        ("luw_update", "4D 00 00 00 M...+ lfs"),
        ("control_record", "C4 D3 C3 C9 DLCI cntl_record_type"),
    ],
)
def test_bytes_have_their_characters_in_the_code_page_of_the_record_beside_them(name: str, line: str) -> None:
    found = shown(name)
    assert any(line in re.sub(r" +", " ", one) for one in found.lines(80, brief=True))
    assert any(one.endswith("text  field = value: meaning") for one in found.lines(80))
    assert not any("  text  " in one for one in found.lines(59))


def test_characters_of_bytes_are_one_column_wide_and_printable() -> None:
    for case in SHOWN:
        assert all(map(str.isprintable, shown(case).lines(100)))


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("width", [52, 80, 160])
def test_brief_has_one_line_for_each_field(name: str, width: int) -> None:
    found = shown(name)
    lines = found.lines(width, brief=True)
    assert max(map(cells, lines)) <= width
    (last,) = {line.start for line in [[*found.main.lines][-1]]}
    assert any(line.split()[:1] == [str(last)] for line in lines)
    fields = [line for section in found.sections for top in section.lines for line in top.walk()]
    assert len([line for line in lines if re.match(r"[> ] +\d+ 0x", line)]) == len(fields)
    coloured = found.lines(width, colour=True, brief=True)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == lines


def test_brief_shows_values_and_faults_and_no_documentation(run: Any) -> None:
    stem, options = SHOWN["damaged_row"]
    words = (f"{stem}.bin", "--control", f"{stem}.ctl", "--record", options["record"], "--brief")
    code, out, _ = run(*words)
    assert code == 20
    assert 'change_type (CHANGE TYPE) = "' in out
    assert "Type of update." not in out
    assert "[LMP-V001]" in out
    assert "found 64" in process(*map(str, words), COLUMNS="200").stdout.decode()


def test_fields_are_shown_by_path_id_or_the_name_of_the_vendor(run: Any) -> None:
    for given in ("change_type", "CHANGE TYPE"):
        code, out, _ = run(LOG, "--record", 1, "--field", given)
        assert code == 0
        assert [line.split()[0] for line in out.splitlines() if " 0x" in line[:20]] == ["104"]
        assert "Type of update." in out
        assert "read with" not in out
    _, out, _ = run(LOG, "--record", 1, "--field", "after.A", "--field", "lrsn_of_nothing")
    assert out == ""
    _, out, _ = run(LOG, "--record", 1, "--field", "log_rba", "--field", "tbname_len", "--json")
    found = json.loads(out)
    assert ([entry["path"] for entry in found["fields"]], found["in_front"]) == (["tbname_len", "log_rba"], [])


def test_a_long_field_that_is_named_is_shown_as_a_whole(sample: dict[str, str]) -> None:
    found = next(
        found
        for number in itertools.count()
        if (found := explain(**sample, record=number)).kind == "db2_lob.add_lob_data"
    )
    node = found.dissection.at("data")
    assert node is not None
    rows = re.findall(r"  ((?:[0-9A-F]{2} ){1,7}[0-9A-F]{2})", "\n".join(found.only("data").lines(120)))
    assert bytes.fromhex("".join(rows)) == found.dissection.raw[node.start : node.end]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--field", "chang_type"], "this record has no field 'chang_type'; did you mean change_type? [LMP-S003]"),
        (["--field", "x"], "--brief lists the fields"),
        (["--brief", "--json"], "--brief is for text in the terminal"),
        (["--brief", "--html", "x.html"], "--brief is for text in the terminal"),
        (["--field", "length", "--html", "x.html"], "--field is for text and --json"),
    ],
)
def test_fields_that_are_not_there_and_forms_that_contradict_are_refused(run: Any, words: list[str], said: str) -> None:
    code, out, err = run(LOG, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("x.html").exists()
    with pytest.raises(OptionError, match="a page shows all fields"):
        explain(LOG).only("length").html()


def test_colours_change_nothing_but_colours() -> None:
    found = shown("damaged_row")
    plain, coloured = found.lines(100), found.lines(100, colour=True)
    assert any("\x1b[" in line for line in coloured)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == plain
    assert all(line.count("\x1b[0m") == len(re.findall(r"\x1b\[[1-9]", line)) for line in coloured)


def process(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lmparse", "explain", *words]
    return subprocess.run(command, capture_output=True, check=False, env=os.environ | environment)


def test_a_pipe_gets_no_colours_and_the_width_that_COLUMNS_says() -> None:
    done = process(LOG, COLUMNS="60")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert 52 < max(map(len, done.stdout.decode().splitlines())) <= 60


@pytest.mark.parametrize(("environment", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colours_unless_it_wants_none(environment: dict[str, str], is_coloured: bool) -> None:
    here, there = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"COLUMNS": "90"}
    child = subprocess.Popen([sys.executable, "-m", "lmparse", "explain", LOG], stdout=there, env=clean | environment)
    os.close(there)
    shown = b""
    try:
        while chunk := os.read(here, 65536):
            shown += chunk
    except OSError:
        pass  # the end of a terminal
    os.close(here)
    assert child.wait() == 0
    assert (b"\x1b[" in shown) == is_coloured


HOSTILE = '<script>alert("\x1b[31m")</script>'


@pytest.fixture
def hostile(sample: dict[str, str]) -> dict[str, str]:
    """The sample whose tables file names a column with what does something in terminals and pages."""
    path = Path(sample["tables"])
    tree = yaml.safe_load(path.read_text("utf-8"))
    table = tree["tables"][0]
    name, table["columns"][0]["name"] = table["columns"][0]["name"], HOSTILE
    table["key"] = [HOSTILE if one == name else one for one in table["key"]]
    path.write_text(yaml.safe_dump(tree), "utf-8")
    return sample


def test_names_from_files_do_nothing_to_a_terminal_or_a_page(hostile: dict[str, str]) -> None:
    found = explain(**hostile, record=0)
    text = "".join(found.lines(200))
    assert "\x1b" not in text
    assert "<script>alert(" in text
    for page in (found.html(), found._repr_html_()):
        assert "\x1b" not in page
        assert "<script>alert(" not in page
        assert "&lt;script&gt;alert(" in page


# -- pages and notebooks --------------------------------------------------------------------------


def elements(page: str, kind: str = "page") -> list[Any]:
    """The elements of a page that strict HTML5 parsing accepts."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    tree = parser.parse(page) if kind == "page" else parser.parseFragment(page)
    return list(tree.iter())


@pytest.mark.parametrize("kind", ["page", "notebook"])
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_ties_every_field_to_its_bytes_and_the_reverse(name: str, kind: str) -> None:
    found = shown(name)
    nodes = elements(found.html() if kind == "page" else found._repr_html_(), kind)
    ids = [node.get("id") for node in nodes if node.get("id")]
    assert len(ids) == len(set(ids))
    rows = {node.get("data-f"): node for node in nodes if node.tag == "tr" and node.get("data-f")}
    runs: dict[str, str] = {}
    for node in nodes:
        for run in node if node.tag == "span" and "hex" in node.get("class", "").split() else ():
            runs[run.get("data-f")] = runs.get(run.get("data-f"), "") + (run.text or "").replace(" ", "")
    lines = [line for section in found.sections for top in section.lines for line in top.walk()]
    sections = [section for section in found.sections for top in section.lines for _ in top.walk()]
    assert list(map(int, rows)) == list(range(len(lines)))
    for number, (line, section) in enumerate(zip(lines, sections, strict=True)):
        raw = b"" if line.children else section.dissection.raw[line.start + line.shared : line.end]
        assert runs.pop(str(number), "") == raw.hex().upper()
        up = rows[str(number)].get("data-up")
        assert up is None or int(up) < number
    assert not runs


@pytest.mark.parametrize("name", ["insert", "luw_update", "file_that_ends_inside"])
def test_a_page_loads_nothing(name: str) -> None:
    nodes = elements(shown(name).html())
    assert not [node for node in nodes if node.tag in ("link", "img", "iframe", "object", "base")]
    assert not [node for node in nodes if node.get("src")]
    assert not [node for node in nodes if node.tag == "style" and re.search(r"@import|url\(", node.text)]
    assert not [node for node in nodes if node.tag == "script" and re.search(r"https?:|fetch|XMLHttp", node.text)]


def test_a_value_that_stands_elsewhere_is_tied_to_its_column() -> None:
    rows = [node for node in elements(shown("luw_update").html()) if node.tag == "tr"]
    tied = {node.get("data-f"): node.get("data-beside") for node in rows if node.get("data-beside")}
    assert tied
    names = {node.get("data-f"): "".join(node.find(".//button").itertext()) for node in rows if node.get("data-f")}
    assert all(names[number] == names[other] for number, other in tied.items())


def test_styles_of_a_notebook_reach_nothing_else() -> None:
    (style,) = [node.text for node in elements(shown("insert")._repr_html_(), "notebook") if node.tag == "style"]
    preludes = re.findall(r"([^{}]*)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    selectors = [prelude.rpartition("}")[2].strip() for prelude in preludes]
    selectors = [selector for selector in selectors if not selector.startswith("@")]
    assert len(selectors) > 50
    # A comma inside of :is() parts no selectors.
    parts = [part.strip() for selector in selectors for part in re.split(r",(?![^()]*\))", selector)]
    assert [part for part in parts if not part.startswith(ROOT)] == []


def test_scoped_styles() -> None:
    css = "/* a, b { */ :root { --x: 1; } a, b:hover { x: y } @media print { body { margin: 0 } *::before { x: y } }"
    rules = [re.sub(r"\s+", " ", line) for line in scoped(css).splitlines()]
    assert rules == [
        f"{ROOT}{{", "--x: 1;}", f"{ROOT} a, {ROOT} b:hover{{", "x: y}", "@media print{", f"{ROOT}{{", "margin: 0}",
        f"{ROOT} *::before{{", "x: y}", "}",
    ]  # fmt: skip


def test_a_notebook_shows_a_record_of_the_library() -> None:
    found = lmparse.explain(LOG, record=2, control=LOG.replace(".bin", ".ctl"))
    assert isinstance(found, Explained)
    assert found.record == 2
    assert repr(found).startswith(f"<record 2 of {LOG} at 0x")
    assert found._repr_html_().startswith('<div class="lmparse-explained">')


def test_import_lmparse_loads_nothing_that_shows_records(tmp_path: Path) -> None:
    program = (
        "import lmparse, sys; loaded = [name for name in sys.modules if name.startswith('lmparse.review')]; "
        "print(*loaded, *{'numpy', 'pyarrow', 'jinja2'}.intersection(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_page_goes_to_its_file_and_over_no_other(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "record.html"
    code, printed, err = run(LOG, "--html", out)
    assert (code, printed) == (0, "")
    assert err.startswith(f"note: control file: {LOG.removesuffix('.bin')}.ctl (")
    first = out.read_text("utf-8")
    assert first.startswith("<!DOCTYPE html>")
    code, _, err = run(LOG, "--record", 1, "--html", out)
    assert code == 2
    assert "is there already" in err
    assert out.read_text("utf-8") == first
    assert run(LOG, "--record", 1, "--html", out, "--overwrite")[0] == 0
    assert out.read_text("utf-8") != first
    assert [path.name for path in tmp_path.iterdir()] == ["record.html"]


@pytest.mark.parametrize("where", ["", "missing/record.html", "log.dat"])
def test_a_page_is_not_written_over_a_folder_nor_over_what_is_read(run: Any, tmp_path: Path, where: str) -> None:
    log = tmp_path / "log.dat"
    log.write_bytes(Path(LOG).read_bytes())
    code, out, _ = run(log, "--html", tmp_path / where, "--overwrite")
    assert (code, out) == (2, "")
    assert log.read_bytes() == Path(LOG).read_bytes()


def test_json_and_a_page_in_one_go(run: Any, tmp_path: Path) -> None:
    code, out, _ = run(LOG, "--json", "--html", tmp_path / "a.html")
    assert code == 0
    assert json.loads(out)["record"] == 0
    assert (tmp_path / "a.html").exists()


# -- specs of one's own ----------------------------------------------------------------------------


def test_a_record_of_a_spec_that_no_module_knows() -> None:
    path = f"{GOOD}zos_rdw/{next(Path(TESTS / 'cases/zos_rdw').glob('*.bin')).name}"
    found = explain(path, 0, spec="zos_rdw", framing="fixed", record_length=4)
    assert [line.node.path for line in found.main.lines if line.node] == ["length", "reserved"]
    assert found.words == ()


def test_lines_are_in_the_order_of_the_bytes_with_gaps_where_they_are(tmp_path: Path) -> None:
    raw = bytes((0, 12)) + bytes(20)
    path = tmp_path / "bad.dat"
    path.write_bytes(framing.rdw([raw]))
    found = explain(path, 0, spec="bmc_lldf", framing="rdw")
    assert [(line.start, line.end, line.node is None) for line in lines_of(found.dissection)] == [
        (0, 2, False),
        (2, 22, True),
    ]
    assert catalog.load("bmc_lldf").layout.doc_ref


def test_a_descriptor_word_of_others_is_shown_by_its_rule() -> None:
    about = load(Path(f"{GOOD}common_raw/little_endian_rdw.yaml"))["options"]
    (word,) = explain(f"{GOOD}common_raw/little_endian_rdw.bin", record=1, spec="common_raw", **about).words
    assert [(node.path, node.start, node.end, node.value) for node in word.dissection.nodes] == [
        ("reserved", 0, 2, 0), ("length", 2, 4, 17),
    ]  # fmt: skip
    about = load(Path(f"{GOOD}common_raw/mixed_blocks.yaml"))["options"]
    block, word = explain(f"{GOOD}common_raw/mixed_blocks.bin", record=0, spec="common_raw", **about).words
    assert [(node.path, node.start, node.end) for node in block.dissection.nodes] == [
        ("reserved", 0, 2), ("length_normal", 2, 4),
    ]  # fmt: skip
    about = load(Path(f"{GOOD}common_raw/file_header.yaml"))["options"]
    with pytest.raises(OptionError, match="fileStartOffset leaves it out"):
        explain(f"{GOOD}common_raw/file_header.bin", offset=3, spec="common_raw", **about)
    assert explain(f"{GOOD}common_raw/file_header.bin", **about).record == 0, "a framing is enough"


def test_a_tables_file_that_is_not_there_is_an_error_for_every_record(run: Any, tmp_path: Path) -> None:
    log, missing = Path(__file__).parents[1] / "cases" / "db2_log" / "v10_big_objects.bin", tmp_path / "missing.yaml"
    for number in range(2):
        code, out, err = run(log, "--spec", "db2_log", "--record", number, "--tables", missing)
        assert (code, out) == (20, "")
        assert "[LMP-C009]" in err
