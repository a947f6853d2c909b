"""Detection: the framing that the bytes prove, and the error when they prove none or several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing as enc
from writers.bmc import lldf, logs, rows

import lmparse
from lmparse.framing.detection import Detection, detect, try_framings
from lmparse.framing.framings import framing_of

LOG = logs.example()
NAME = rows.Column("NAME", "VCHR", 200)
ROWS = [lldf.change("I", [rows.image([NAME], ["x" * number])], log_rba=f"{number:020X}") for number in (1, 40, 3, 12)]
# What is written (encoder's framing, options), and what it counts as.
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "rdw": ("rdw", {}, "rdw"),
    "bdw in one block": ("bdw", {"block_size": 32760}, "bdw"),
    "bdw in several blocks": ("bdw", {"block_size": 3000}, "bdw"),
    "bdw, a record a block": ("bdw", {"block_size": 12}, "bdw"),
    "extended bdw": ("bdw-extended", {}, "bdw"),
    "vbs": ("vbs", {}, "vbs"),
    "vbs without a spanned piece": ("vbs", {"piece_sizes": 32000}, "rdw"),
    "bdw-vbs": ("bdw-vbs", {"block_size": 600}, "bdw-vbs"),
    "bdw-vbs without a spanned piece": ("bdw-vbs", {"block_size": 32760}, "bdw"),
    "zosmf": ("zosmf", {}, "zosmf"),
    "glued": ("glued", {}, "glued"),
}


def put(folder: Path, data: bytes, name: str = "a.dat") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def code_of(path: Path, **options: Any) -> str:
    with pytest.raises(lmparse.LmparseError) as caught:
        list(lmparse.open_log(path, **options).records())
    return caught.value.code


# what is found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("spec", "records"), [("bmc_lldf", LOG.data_records), ("bmc_control", LOG.control_records)])
def test_sniff_finds_kind_and_framing(case: str, spec: str, records: list[bytes], tmp_path: Path) -> None:
    kind, options, expected = CASES[case]
    if case == "bdw-vbs without a spanned piece":
        records = records[:20]
    file = enc.framed(kind, records, **options)
    found = lmparse.sniff(put(tmp_path, file.data))
    assert found.options == {"spec": spec, "framing": expected}
    assert found.trial.is_proven
    assert (
        found.records
        == [(index, offset, len(raw)) for index, (offset, raw) in enumerate(zip(file.offsets, records, strict=True))][
            :5
        ]
    )


@pytest.mark.parametrize("case", CASES)
def test_auto_reads_what_the_named_framing_reads(case: str, tmp_path: Path) -> None:
    kind, options, expected = CASES[case]
    path = put(tmp_path, enc.framed(kind, ROWS, **options).data)
    log = lmparse.open_log(path)
    assert [record["log_rba"] for record in log.records()] == [f"{number:020X}" for number in (1, 40, 3, 12)]
    assert [(d.name, d.value) for d in log.decisions if d.name == "framing"] == [("framing", expected)]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("case", ["rdw", "bdw in one block", "vbs", "zosmf", "glued"])
def test_one_record_is_enough(case: str, count: int, tmp_path: Path) -> None:
    kind, options, expected = CASES[case]
    found = lmparse.sniff(put(tmp_path, enc.framed(kind, ROWS[:count], **options).data))
    assert found.options == {"spec": "bmc_lldf", "framing": expected}


CASES_CUT = {
    **{case: CASES[case] for case in ("rdw", "bdw in several blocks", "vbs", "zosmf")},
    "bdw-vbs, first record whole": ("bdw-vbs", {"block_size": 600}, "bdw-vbs"),
    "vbs, first record whole": ("vbs", {"piece_sizes": 400}, "vbs"),
}


@pytest.mark.parametrize("cut", [1, 100, 500])
@pytest.mark.parametrize("case", CASES_CUT)
def test_a_file_cut_short_is_still_what_it_is(case: str, cut: int, tmp_path: Path) -> None:
    kind, options, expected = CASES_CUT[case]
    records = LOG.data_records[::-1] if "whole" in case else LOG.data_records
    path = put(tmp_path, enc.framed(kind, records, **options).data[:-cut])
    found = lmparse.sniff(path)
    assert found.options == {"spec": "bmc_lldf", "framing": expected}
    assert not found.trial.is_proven
    assert found.to_dict()["fault"]["code"] == "LMP-F006"
    assert code_of(path) == "LMP-F006"


# converted to text

CONVERTED = {
    "control, no descriptors": enc.glued(LOG.control_records),
    "control, rdw": enc.rdw(LOG.control_records),
    "control, bdw": enc.bdw(LOG.control_records),
    "data, rdw": enc.rdw(LOG.data_records),
    "data, bdw": enc.bdw(LOG.data_records),
    "data, no descriptors": enc.glued(LOG.data_records),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_a_file_converted_to_ascii_is_named(name: str, tmp_path: Path) -> None:
    converted = CONVERTED[name].decode("cp037").encode("latin-1")
    path = put(tmp_path, converted)
    with pytest.raises(lmparse.FramingError) as caught:
        lmparse.sniff(path)
    error = caught.value
    assert (error.code, error.file, error.record_offset) == ("LMP-F010", str(path), 0)
    assert "binary" in (error.hint or "")


# nothing known


def test_a_text_file_is_named(tmp_path: Path) -> None:
    path = put(tmp_path, b"Dear all,\r\nthe log is on its way.\r\n" * 20)
    with pytest.raises(lmparse.FramingError) as caught:
        lmparse.sniff(path)
    assert (caught.value.code, caught.value.message) == ("LMP-F003", "is a text file")


def test_bytes_of_nothing_known_are_named(tmp_path: Path) -> None:
    path = put(tmp_path, bytes(range(256)) * 10)
    with pytest.raises(lmparse.FramingError) as caught:
        lmparse.sniff(path)
    assert (caught.value.code, caught.value.message) == ("LMP-F003", "is nothing known")
    assert code_of(path) == "LMP-F003"


@pytest.mark.parametrize("use", [lmparse.sniff, lmparse.open_log])
def test_files_that_are_no_files(use: Any, tmp_path: Path) -> None:
    """A folder is one log of its files: this one has none."""
    empty, folder = put(tmp_path, b""), tmp_path / "folder"
    folder.mkdir()
    for path, code in ((folder, "LMP-F001"), (tmp_path / "none.dat", "LMP-F001"), (empty, "LMP-F002")):
        with pytest.raises(lmparse.FramingError) as caught:
            use(path)
        assert (caught.value.code, caught.value.file) == (code, str(path))


@pytest.mark.parametrize("option", ["framing", "control"])
def test_an_empty_file_is_a_log_without_changes_when_something_says_so(option: str, tmp_path: Path) -> None:
    ctl = put(tmp_path, enc.rdw(LOG.control_records), "a.ctl")
    empty = put(tmp_path, b"")
    log = lmparse.open_log(empty, **{option: "rdw" if option == "framing" else ctl})
    assert list(log.records()) == []
    assert log.tally.notices[-1] == "the file is empty: a log without records"
    if option == "control":
        assert list(log.changes()) == []


# named wrongly

FITTING = {("bdw", "bdw-vbs"), ("rdw", "vbs")}  # whole records are spanned records in one piece


@pytest.mark.parametrize("named", ["rdw", "bdw", "vbs", "bdw-vbs", "zosmf", "glued"])
@pytest.mark.parametrize("case", ["rdw", "bdw in several blocks", "vbs", "bdw-vbs", "zosmf", "glued"])
def test_a_wrong_framing_is_an_error(case: str, named: str, tmp_path: Path) -> None:
    kind, options, right = CASES[case]
    if named == right or (right, named) in FITTING:
        return
    path = put(tmp_path, enc.framed(kind, LOG.data_records, **options).data)
    log = lmparse.open_log(path, framing=named)
    got, error = [], None
    try:
        got.extend(log.records())
    except lmparse.FramingError as caught:
        error = caught
    assert error is None or (error.code[:5], error.file) == ("LMP-F", str(path))
    assert error is not None or log.tally.errors, "a wrong framing was read without a word"
    # Records before the first piece of a spanned one look alike; nothing else may be given.
    assert got == list(lmparse.open_log(path, framing=right).records())[: len(got)] or log.tally.errors


# two that fit


def test_descriptor_words_that_tile_win_over_none() -> None:
    takes_all = Detection(
        "records", lambda records, framing: None, cutter=lambda buffer, offset, end, index: end - offset
    )
    for case, (kind, options, expected) in CASES.items():
        assert detect(enc.framed(kind, ROWS, **options).data, takes_all).framing.name == expected, case


def test_two_framings_left_are_an_error_that_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    # The words of each framing shut out the others, so both trials are made from files of their own.
    anything = Detection("records", lambda records, framing: None)
    trials = [try_framings(enc.framed(name, ROWS).data, anything, [framing_of(name)])[0] for name in ("rdw", "zosmf")]
    monkeypatch.setattr("lmparse.framing.detection.try_framings", lambda *_: trials)
    with pytest.raises(lmparse.FramingError) as caught:
        detect(enc.rdw(ROWS), anything)
    assert caught.value.code == "LMP-F004"
    assert "rdw and zosmf both fit" in caught.value.message
