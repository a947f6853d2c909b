"""Control files without descriptor words: cut anywhere, and read in time that grows with their length."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, lldf

from lmparse import cli
from lmparse.bmc.control import control_file
from lmparse.bmc.control.control_file import read_control
from lmparse.bmc.control.find_control import ControlSearch
from lmparse.bmc.record.change_record import longest
from lmparse.errors import ControlError, DataError, FramingError, RecordError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import bmc_log

RECORDS = [
    *(control.xtyp(), control.dlds(), control.dtbi(), control.dtob(), control.dixi(), control.dcxi(), control.dicl()),
    *(control.dlci(), control.xhdf(), control.dlob(), control.dxml(), control.dxsf(), control.dfid(), control.dfds()),
    control.unknown("DTSI", b"abc"),
    control.dlge(),
]
"""One record of each type."""
BEGUN = b"\xe7\xe3\xe8\xd7\x00"
"""An XTYP record of which the fields only just begin."""


def codes_of(path: Path) -> list[str]:
    return [record.code for record in read_control(path).records]


def fault_of(path: Path) -> DataError | None:
    try:
        codes_of(path)
    except DataError as error:
        return error
    return None


@pytest.mark.parametrize("record", RECORDS, ids=[record[:4].decode("cp037") for record in RECORDS])
def test_a_record_cut_anywhere_is_values_or_an_error(tmp_path: Path, record: bytes) -> None:
    path = tmp_path / "a.ctl"
    first = b"" if record is RECORDS[0] else RECORDS[0]
    ends = Counter[str]()
    for length in range(1, len(record)):
        path.write_bytes(first + record[:length])
        error = fault_of(path)
        ends[error.code if error is not None else ""] += 1
        if error is not None:
            assert error.file == str(path)
            assert error.code == ("LMP-F006" if first or length >= 4 else "LMP-C001"), error
    # Fields of an older release may be missing as a whole, and what no manual describes may have any length.
    assert ends["LMP-F006"] >= 3, ends


@pytest.fixture
def cut_files(tmp_path: Path) -> tuple[Path, Path]:
    """A log, and a control file that is cut inside a record."""
    data, ctl = tmp_path / "night.dat", tmp_path / "night.ctl"
    data.write_bytes(framing.rdw([lldf.change("I", [b"\x01"])]))
    return data, ctl


@pytest.mark.parametrize("kept", [BEGUN, RECORDS[0] + RECORDS[1][:50], framing.glued(RECORDS)[:-30]])
def test_every_command_names_a_cut_control_file(
    cut_files: tuple[Path, Path], kept: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    data, ctl = cut_files
    ctl.write_bytes(kept)
    spec = ("--spec", "bmc_control")
    for command in (
        *(["sniff", ctl], ["records", ctl, *spec], ["check", ctl, *spec], ["changes", data, "--control", ctl]),
        *(["check", data, "--control", ctl], ["convert", ctl, data.with_suffix(".csv"), *spec]),
        ["convert", data, data.with_suffix(".out"), "--control", ctl],
    ):
        code = cli.main(list(map(str, command)))
        out, err = capsys.readouterr()
        assert "LMP-F006" in out + err, (command, out, err)
        assert code == (0 if command[0] == "sniff" and kept != BEGUN else 20), command


def test_an_older_record_at_the_end_is_followed_by_another(tmp_path: Path) -> None:
    path = tmp_path / "a.ctl"
    path.write_bytes(RECORDS[0][:21] + RECORDS[1][:10] + RECORDS[-1])
    assert codes_of(path) == ["XTYP", "DLDS", "DLGE"]


def test_a_record_is_not_longer_than_the_longest(tmp_path: Path) -> None:
    path = tmp_path / "a.ctl"
    path.write_bytes(RECORDS[0] + control.unknown("DTSI", bytes(longest() - 4)) + RECORDS[-1])
    assert codes_of(path) == ["XTYP", "DTSI", "DLGE"]
    path.write_bytes(RECORDS[0] + control.unknown("DTSI", bytes(longest() - 3)) + RECORDS[-1])
    with pytest.raises(FramingError) as caught:
        codes_of(path)
    assert (caught.value.code, caught.value.record_index, caught.value.record_offset) == ("LMP-F005", 1, 66)


class Counted(bytes):
    """Bytes that count how many of them are copied or searched."""

    touched = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        Counted.touched += len(found) if isinstance(found, bytes) else 1
        return found

    def find(self, what: Any, start: Any = 0, end: Any = None) -> int:
        found = super().find(what, start, end)
        Counted.touched += (len(self) if found < 0 else found) - start
        return found


class CountedPattern:
    """A pattern that counts the bytes that it passes."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern

    def search(self, raw: bytes) -> Any:
        found = self.pattern.search(raw)
        Counted.touched += len(raw) if found is None else found.end()
        return found


@pytest.mark.parametrize("record", [RECORDS[1] + b"\x40" * 8, control.unknown("DTSI", b"abc")], ids=["rest", "payload"])
def test_records_are_found_in_linear_time(monkeypatch: pytest.MonkeyPatch, record: bytes) -> None:
    """Records that are not as long as the manual says are searched for the next code, not the file."""
    pattern = CountedPattern(control_file._any_code())
    monkeypatch.setattr(control_file, "_any_code", lambda: pattern)
    touched = []
    for times in (1, 2, 4):
        raw, Counted.touched = Counted(RECORDS[0] + record * (1000 * times)), 0
        offset = index = 0
        while offset < len(raw):
            offset += control_file._cut(raw, offset, len(raw), index)
            index += 1
        assert index == 1000 * times + 1
        touched.append(Counted.touched)
    assert touched[2] - touched[1] < 2.2 * (touched[1] - touched[0])


def test_a_bad_record_ends_reading_before_those_behind_it_take_memory(tmp_path: Path) -> None:
    path = tmp_path / "empty.ctl"
    path.write_bytes(framing.framed("rdw", RECORDS).data + b"\x00\x04\x00\x00" * 100_000)
    tracemalloc.start()
    with pytest.raises(RecordError) as caught:
        control_file.read_control(path, framing="rdw")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.record_index == len(RECORDS)
    assert peak < 5_000_000


@pytest.mark.parametrize("place", [0, 1, -1])
@pytest.mark.parametrize(
    "other", [control.xtyp(ebcdic_single_ccsid=273), control.dlds(expand_var="Y")], ids=["XTYP", "DLDS"]
)
def test_records_that_hold_for_the_whole_log_do_not_contradict_each_other(
    other: bytes, place: int, tmp_path: Path
) -> None:
    """As in two control files that were put together, whichever is the first."""
    path = tmp_path / "a.ctl"
    records = [*RECORDS[:2], *RECORDS[1:]]  # DLDS twice, which says nothing else
    path.write_bytes(framing.framed("rdw", records).data)
    read_control(path)
    path.write_bytes(framing.framed("rdw", [*RECORDS[:1], *RECORDS[1:][:place], other, *RECORDS[1:]]).data)
    with pytest.raises(ControlError) as caught:
        read_control(path)
    assert caught.value.code == "LMP-C011"


def test_a_control_file_behind_another_is_refused(tmp_path: Path) -> None:
    """As a job leaves it that writes both runs to one data set."""
    path = tmp_path / "a.ctl"
    path.write_bytes(framing.rdw([*RECORDS, *RECORDS]))
    with pytest.raises(ControlError) as caught:
        read_control(path)
    assert (caught.value.code, caught.value.record_index) == ("LMP-C011", len(RECORDS))


def reversed_word(length: int) -> bytes:
    """A descriptor word with its bytes in reverse order: two zero bytes, and the length."""
    return bytes(2) + length.to_bytes(2, "little")


@pytest.mark.parametrize("size", [0, 4], ids=["leaves its word out", "counts its word"])
@pytest.mark.parametrize("is_blocked", [False, True])
def test_words_of_other_programs_need_no_option(is_blocked: bool, size: int, tmp_path: Path) -> None:
    """A control file begins with XTYP: the rule of its words is the one by which its records fill it."""
    data = b"".join(reversed_word(len(record) + size) + record for record in RECORDS)
    path = tmp_path / "a.ctl"
    path.write_bytes(reversed_word(len(data) + size) + data if is_blocked else data)
    assert codes_of(path) == [record[:4].decode("cp037") for record in RECORDS]
    assert ControlSearch().find(str(tmp_path / "a.dat"), None) == str(path)


def test_zeros_behind_the_last_record_are_said(tmp_path: Path) -> None:
    """A transfer fills its last block. Each control record begins with its code, so zeros are none; other bytes are
    damage."""
    control_path, data = bmc_log.make(units=2).write(tmp_path)
    good = control_path.read_bytes()
    control_path.write_bytes(good + bytes(70_000))
    log = open_changes(data, read_options({"control": str(control_path)}))
    assert [str(one) for one in log.decisions if one.name == "control file"] == [
        "control file: 70000 bytes behind its last record are no record (they are zero)"
    ]
    control_path.write_bytes(good + bytes(70_000) + b"\1")
    fault = fault_of(control_path)
    assert fault is not None
    assert (fault.code, fault.record_offset) == ("LMP-F007", len(good))
