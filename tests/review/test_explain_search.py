"""`lmparse explain` finds a record: by number, by a byte of the file, by a position in the log."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from review.explained import BAD, GOOD, LOG, SHOWN

from lmparse.errors import OptionError
from lmparse.review.explain.search import explain

pytestmark = pytest.mark.usefixtures("in_tests")


def test_without_a_place_it_is_the_first_record(run_explain: Any) -> None:
    code, out, _ = run_explain(LOG)
    assert code == 0
    assert out.startswith(f"{LOG}: record 0 of ")


def test_a_file_that_is_not_known_by_its_bytes_needs_its_spec(run_explain: Any) -> None:
    path = f"{GOOD}bmc_dlci/every_field.bin"  # control records without the first one of a control file
    assert run_explain(path)[0] == 20
    assert explain(path, spec="bmc_dlci", framing="rdw").main.layout.id == "bmc_dlci"


def test_every_byte_of_a_file_is_found_where_it_stands() -> None:
    data = Path(f"{GOOD}bmc_lldf/framing_bdw-vbs.bin").read_bytes()
    wanted = range(0, len(data), amount(37, 1))
    for byte in wanted:
        found = explain(f"{GOOD}bmc_lldf/framing_bdw-vbs.bin", offset=byte)
        assert [section.dissection.raw[place] for section in found.sections
                if (place := section.in_section(byte)) is not None] == [data[byte]]  # fmt: skip


def test_a_place_in_the_log_finds_its_record(luw_sample: dict[str, str]) -> None:
    by_number = explain(**luw_sample, record=2)
    lsn = by_number.dissection.at("lsn")
    assert lsn is not None
    by_lsn = explain(**luw_sample, lsn=lsn.value)
    assert (by_lsn.record, by_lsn.found_by) == (2, f"{int(lsn.value, 16):X} is its log sequence number")
    node = explain(LOG, 1).dissection.at("log_rba")
    assert node is not None
    found = explain(LOG, lsn=f"0x{node.value}")
    assert found.record == 1
    assert "log_rba" in found.found_by


def test_a_place_that_several_records_have_is_not_chosen_from(run_explain: Any) -> None:
    path = f"{GOOD}bmc_lldf_data/segments_from_1_out_of_order.bin"
    node = explain(path, 1).dissection.at("log_rba")
    assert node is not None
    code, out, err = run_explain(path, "--lsn", node.value)
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
        (["--lsn", "1F"], "no record has "),
        (["--record", 1, "--offset", 1], "not allowed with"),
        (["--overwrite"], "--overwrite is for a page"),
        (["--spec", "bmc_lldf", "--tables", "x.yaml"], "tables does not apply"),
        (["--table", "ORDERS"], "--table"),
    ],
)
def test_wrong_usage_is_2_and_prints_nothing(run_explain: Any, words: list[object], said: str) -> None:
    code, out, err = run_explain(LOG, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("given", [1.5, b"1F", "", object()])
def test_positions_are_hex_digits_or_whole_numbers(given: Any) -> None:
    with pytest.raises(OptionError, match="lsn has no value"):
        explain(LOG, lsn=given)


def test_options_of_changes_mean_nothing_for_one_record() -> None:
    with pytest.raises(OptionError, match="table means nothing for one record"):
        explain(LOG, table="ORDERS")
    with pytest.raises(OptionError, match="record, offset and lsn each name a record"):
        explain(LOG, 1, offset=2)


def test_damage_before_a_record_is_an_error_that_names_the_last_sound_one(run_explain: Any) -> None:
    code, out, err = run_explain(f"{BAD}bmc_lldf/cut_inside_record.bin", "--record", 9)
    assert (code, out) == (20, "")
    assert "[LMP-F006]" in err
    assert "the last sound record is 1; the option offset shows the bytes from 0x258 on" in err
    code, out, err = run_explain(f"{BAD}bmc_lldf/bytes_behind.bin", "--record", 9)
    assert (code, out) == (31, "")


def test_bytes_behind_damage_are_shown(run_explain: Any) -> None:
    code, out, err = run_explain(f"{BAD}bmc_lldf/cut_inside_record.bin", "--offset", "0x260", "--json")
    assert code == 20
    found = json.loads(out)
    assert (found["record"], found["offset_asked"]) == (None, 0x260)
    assert [entry["code"] for entry in found["faults"]] == ["LMP-F006"]
    assert [entry["path"] for entry in found["fields"]] == [None]
    assert "[LMP-F006]" in err


def test_what_is_wrong_with_a_record_is_said_on_stderr_too(run_explain: Any) -> None:
    stem, options = SHOWN["damaged_row"]
    code, out, err = run_explain(f"{stem}.bin", "--control", f"{stem}.ctl", "--record", options["record"])
    assert code == 20
    assert "! expected one of 0 (present), 255 (absent), found 64 [LMP-V001]" in re.sub(r"\s+", " ", out)
    assert "bmc_row_image.after.A.null_indicator" in err
