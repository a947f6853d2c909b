"""`lmparse explain`: one record, its bytes beside its fields; of every case all bytes are there.

What is shown of some records is in `cases_explain`, a line for each field; the texts of the specs are left out.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from cases.files import FOUND, FOUND_BAD, arguments, errors_of, load, name
from review.explained import BAD, GOOD, SHOWN, TESTS, shown, summary, tiled, with_long_field

from lmparse.errors import DataError, FramingError, LmparseError, OptionError
from lmparse.options import Options
from lmparse.review.explain import search
from lmparse.review.explain.search import Explained, explain

pytestmark = pytest.mark.usefixtures("in_tests")

GOLDEN = TESTS / "cases_explain"
KNOWN = {entry.name for entry in dataclasses.fields(Options) if "explain" in entry.metadata["of"].split()}
MOST = 40
"""Records of a file that the tests of every case go through."""


def test_golden_files_are_those_of_the_cases() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} - {f"{name}.actual" for name in SHOWN} == set(SHOWN)


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


def test_a_long_field_is_shortened_in_the_terminal_and_nowhere_else(luw_sample: dict[str, str]) -> None:
    found = with_long_field(luw_sample)
    node = found.dissection.at("data")
    assert node is not None
    size = node.end - node.start
    assert size > 1000
    text = "\n".join(found.lines(120))
    assert f"({size - 48} bytes left out)" in re.sub(r"\s+", " ", text)
    (entry,) = [entry for entry in found.to_dict()["fields"] if entry["id"] == "data"]
    assert len(entry["bytes"]) == 2 * size


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
            if place < Path(file).stat().st_size and (number or is_opened(file, options)):
                yield explain(file, offset=place, **options)
            return
        except LmparseError:
            return


def is_opened(file: str, options: dict[str, Any]) -> bool:
    """Whether a framing fits, so that bytes at an offset can be shown."""
    try:
        search.open_unknown(file, options)
    except FramingError:
        return False
    return True


@pytest.fixture
def opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records of a case are those of one file, which is opened once."""
    for name_ in ("open_file", "dissector_of"):
        monkeypatch.setattr(search, name_, cache(getattr(search, name_)))


@pytest.mark.usefixtures("opened_once")
@pytest.mark.parametrize("path", [*FOUND, *FOUND_BAD][:: amount(5, 1)], ids=name)
def test_the_bytes_of_every_case_are_all_there(path: Path) -> None:
    data = path.with_suffix(".bin").read_bytes()
    for found in itertools.islice(records_of(path), amount(3, 6)):
        for section in found.sections:
            raw = section.dissection.raw
            assert tiled(section) == raw
            assert b"".join(data[start : start + size] for start, size in section.places) == raw
        assert json.loads(json.dumps(found.to_dict()))["length"] == found.length
        assert max(map(len, found.lines(80))) <= 80


@pytest.mark.usefixtures("opened_once")
@pytest.mark.parametrize(
    "path", [path for path in FOUND_BAD if load(path)["command"] != "sniff"][:: amount(3, 1)], ids=name
)
def test_the_errors_of_a_record_stand_at_its_fields(path: Path) -> None:
    """What `records` or `changes` says of a bad record, `explain` says too, at the field that has it."""
    file, options = options_of(path)
    for error in errors_of(path, load(path)):
        if not isinstance(error, DataError) or isinstance(error, FramingError) or error.record_index is None:
            continue
        if error.code in ("LMP-C010", "LMP-R004", "LMP-R005") or error.file != file:
            continue  # of the log, of the other segments of a change, or of a record of a control file
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
@pytest.mark.parametrize(
    "path", [path for path in FOUND if load(path)["command"] == "changes"][:: amount(4, 1)], ids=name
)
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


def test_a_tables_file_that_is_not_there_is_an_error_for_every_record(run_explain: Any, tmp_path: Path) -> None:
    log, missing = Path(__file__).parents[1] / "cases" / "db2_log" / "v10_big_objects.bin", tmp_path / "missing.yaml"
    for number in range(2):
        code, out, err = run_explain(log, "--spec", "db2_log", "--record", number, "--tables", missing)
        assert (code, out) == (20, "")
        assert "[LMP-C009]" in err
