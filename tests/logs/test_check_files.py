"""`check` of several files of one log: bytes of all of them, and what goes on from one to the next."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bmc_extracts import Cut, example
from commands import Run
from samples import db2_scripts as luw
from writers.bmc import control
from writers.bmc.logs import changed, field, opened

from lmparse import cli
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

OPTIONS = {"spec": "db2_log", "generation": "v10", "byte_order": "little", "framing": "filter"}
LUW = [word for name, value in OPTIONS.items() for word in (f"--{name.replace('_', '-')}", value)]


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Any:
    def check(paths: Sequence[Path], *words: str) -> tuple[Run, dict[str, Any]]:
        code = cli.main(["check", *map(str, paths), *words, "--json"])
        out, err = capsys.readouterr()
        return Run(code, out, err), json.loads(out) if out else {}

    return check


def claim(report: dict[str, Any], says: str) -> dict[str, Any]:
    (found,) = (one for one in report["claims"] if one["says"] == says)
    return dict(found)


# -- extracts of Log Master --------------------------------------------------------------------

SEGMENTS = "the segments of a change are all there, once each"
AGREE, NOTHING = "extracts agree on what several of them have", "no change is missing between two extracts"


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    """A log of which no control file says that there are segments: not every extract has one."""
    found = example(tmp_path, segment_order=(2, 0, 1))
    found.control = [one for one in found.control if one[:4] != "DLDS".encode("cp037")]
    return found


def test_extracts_cut_at_every_record_boundary(cut: Cut, check: Any) -> None:
    """Segments in two extracts are of one change, and a unit that one calls open has ended."""
    size = len(cut.data)
    for place in range(1, size):
        paths = cut.files((place, size), (0, place))
        run, report = check(paths, "--control", str(paths[0].parent / "{stem}.ctl"))
        assert (run.code, report["differences"], report["error_count"]) == (0, [], 0), place
        assert report["files"] == [str(paths[1]), str(paths[0])]
        assert report["bytes"]["size"] == sum(path.stat().st_size for path in paths)
        assert report["bytes"]["is_accounted"]
        assert report["records"] == size
        assert claim(report, "every row can be read")["tested"] == len(cut.rows)


def test_extracts_that_overlap(cut: Cut, check: Any) -> None:
    """They are found with the control files beside them."""
    first, second = cut.files((0, 20), (5, len(cut.data)))
    run, report = check([second, first])
    assert run.code == 0
    assert f"control file: {second.with_suffix('.ctl')}, {first.with_suffix('.ctl')} (beside each file" in run.err
    assert claim(report, AGREE)["passed"] >= 14
    assert claim(report, NOTHING)["state"] == "passed"
    assert {AGREE, NOTHING} < {one["says"] for one in report["claims"]}
    assert claim(report, "every row can be read")["tested"] == len(cut.rows)
    first, second = cut.files((0, 11), (11, len(cut.data)))
    assert claim(check([first, second])[1], NOTHING)["state"] == "not testable"


def test_a_segment_that_no_extract_has(cut: Cut, check: Any) -> None:
    segments = [number for number, one in enumerate(cut.data) if field(one, "totalsegs") != b"\0\1"]
    del cut.data[segments[1]]
    first, second = cut.files((0, segments[0] + 1), (segments[0] + 1, len(cut.data)))
    run, report = check([first, second])
    assert run.code == 20
    assert [error["code"] for error in report["errors"]] == ["LMP-R004"]
    assert claim(report, SEGMENTS)["failed"] == 1
    assert claim(report, SEGMENTS)["failures"][0].startswith(f"{second}: record ")


def test_extracts_that_contradict_each_other(cut: Cut, check: Any) -> None:
    first, second = cut.files((0, 20), (3, len(cut.data)))
    records = cut.data[3:]
    records[0] = records[0][:-1] + b"\xd8"
    cut.write(second, records)
    run, report = check([first, second])
    assert run.code == 24
    (failure,) = claim(report, AGREE)["failures"]
    assert "LMP-F013" in failure
    assert failure in report["differences"]


def test_a_record_is_tested_by_itself(cut: Cut, check: Any) -> None:
    """What another extract states of its unit, or gives in its place, does not hide what is bad in it."""
    first, second = cut.files((0, 9), (3, len(cut.data)))
    assert check([first, second])[0].code == 0
    bad_time, last = bytes.fromhex("20261314"), bytes(9) + b"\1"
    # Unit 1 is open in the first extract, and committed in the second, which gives its records 3, 5 and 7: one change.
    # Unit 2 has ended in both, so the first one gives its records 4, 6 and 8.
    for path, number, fields, error, says in (
        (first, 0, {"uorcommittimestamp": bad_time}, "LMP-V005", ""),
        (first, 0, {"uorcommitpoint": last}, "", "UORDISP is blank, but UORCOMMITPOINT is not zero"),
        (first, 1, {"uorcommitlrsn": last}, "", "has another UORCOMMITLRSN than in record 0"),
        (first, 1, {"uordisp": b"\xe7"}, "", "has another UORDISP than in record 0"),
        (second, 4, {"timestamp": bad_time}, "LMP-V005", ""),
        (second, 4, {"totalsegs": b"\0\2"}, "", "segment 1 of 2 is not one of the change that another"),
        (second, 4, {"segnum": b"\0\0"}, "", "is segment 0 of 1, unlike other changes in one record"),
        (first, 3, {"segnum": b"\0\4"}, "LMP-R005", "segment 4 of 3 is there twice, or is one too many"),
        (first, 5, {"segnum": b"\0\2", "incompletetrans": b"\xe8"}, "", "segment 2 of 3 is there twice"),
        (first, 5, {"segnum": b"\0\0"}, "", "segment 0 of 3 is not one of the change that another"),
        (first, 5, {"totalsegs": b"\0\2"}, "", "segment 1 of 2 is not one of the change that another"),
    ):
        start = 0 if path == first else 3
        sound = path.read_bytes()
        records = opened(cut.data[:9], cut.data[9:]) if path == first else cut.data[3:]
        records[number - start] = changed(records[number - start], **fields)
        cut.write(path, records)
        run, report = check([first, second])
        assert run.code == (20 if error else 24), fields
        assert [(one["code"], one["file"]) for one in report["errors"]] == [(error, str(path))] * bool(error), fields
        found = [text for text in report["differences"] if text.startswith(f"{path}: record ") and says in text]
        assert bool(found) == bool(says), fields
        path.write_bytes(sound)


def test_a_segment_alone_has_the_number_of_segments_of_its_change(cut: Cut, check: Any) -> None:
    """Its DATA shows that it is the same segment as in the extract that has the whole change."""
    first, second = cut.files((4, 7), (3, len(cut.data)))
    assert check([first, second])[0].code == 0
    records = opened(cut.data[4:7], cut.data[7:])
    for total in (1, 2, 4, 0x4003):
        cut.write(first, [records[0], changed(records[1], totalsegs=total.to_bytes(2, "big")), records[2]])
        run, report = check([first, second])
        says = f"segment 1 of {total} is not one of the change that another extract has"
        assert [text.rpartition(": ")[2] for text in report["differences"]] == [says]
        assert run.code == (20 if total == 1 else 24)  # a piece of DATA is not a row


def test_rows_that_another_extract_gives_can_be_read(cut: Cut, check: Any) -> None:
    """They are not compared if the control files state other forms of rows."""
    first, second = cut.files((0, 9), (3, len(cut.data)))
    stated = control.dlds(SEGMENTED="Y", DDLOBJECTS="Y", CMDSINCLUDED="Y")
    described, records = [cut.control[0], stated, *cut.control[1:]], cut.data[3:]
    cut.write(second, records, described)
    run, report = check([first, second])
    assert run.code == 0
    assert any("DATA of changes in several extracts is not compared" in text for text in report["notices"])
    assert claim(report, "every row can be read")["tested"] == len(cut.rows)
    records[1] = records[1][:-9] + b"\xff" * 9  # the first extract gives it
    cut.write(second, records, described)
    run, report = check([first, second])
    assert run.code == 20
    assert [(error["record_index"], error["file"]) for error in report["errors"]] == [(1, str(second))]
    assert claim(report, "every row can be read")["failed"] == 1
    records[1] = changed(records[1], incompletetrans=b"\xe8")
    cut.write(second, records, described)
    assert check([first, second])[0].code == 24  # Log Master could not complete it, but the unit must agree on that


def test_a_damaged_extract(cut: Cut, check: Any) -> None:
    """The other one is accounted for all the same."""
    size = len(cut.data)
    first, second = cut.files((0, 12), (12, size))
    first.write_bytes(first.read_bytes()[:-5])
    run, report = check([second, first])
    assert run.code == 20
    assert [(error["code"], error["file"]) for error in report["errors"]] == [("LMP-F006", str(first))]
    assert report["records"] == size - 1
    assert report["bytes"]["is_accounted"]


# -- files of a log of Db2 LUW -------------------------------------------------------------------

ORDER, LINKS = (
    "positions in the log ascend",
    ("each record follows the one that it names as the one before in its transaction"),
)
GAPS = "no bytes are missing between two records"


class Files:
    def __init__(self, folder: Path) -> None:
        stream = luw.full_stream("v10", "little", "filter")
        self.folder, self.data = folder, stream.bytes()
        whole = self.file(0, len(self.data), "whole.log")
        lead = open_changes(whole, read_options(OPTIONS)).framing.lead
        self.places = [record.offset - lead for record in stream.records][1:]
        self.whole = whole

    def file(self, start: int, end: int, name: str = "") -> Path:
        path = self.folder / (name or f"{start:08}-{end:08}.log")
        path.write_bytes(self.data[start:end])
        return path


def counts(report: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    return {
        one["says"]: (one["tested"], one["failed"], sum(one["not_testable"].values()))
        for one in report["claims"]
        if one["of"] != "bytes"
    }


def test_files_of_one_log_are_tested_as_the_whole_log(tmp_path: Path, check: Any) -> None:
    files, chosen = Files(tmp_path), random.Random(3)
    _, whole = check([files.whole], *LUW)
    for _ in range(3):
        one, two, three = sorted(chosen.sample(files.places, 3))
        paths = [files.file(two, len(files.data)), files.file(0, two), files.file(one, three)]
        run, report = check(paths, *LUW)
        assert (run.code, report["differences"]) == (0, [])
        assert counts(report) == counts(whole)
        assert sorted(report["files"]) == sorted(map(str, paths))
        sizes = report["bytes"]
        assert sizes["size"] == sum(path.stat().st_size for path in paths)
        assert (sizes["skipped"], sizes["is_accounted"]) == (sizes["size"] - len(files.data), True)


def test_a_file_that_is_missing_in_the_middle(tmp_path: Path, check: Any) -> None:
    """Bytes and links are missing, which each file alone does not show."""
    files = Files(tmp_path)
    places = files.places
    seen = 0
    for number in range(5, len(places) - 6, 6):
        first, last = files.file(0, places[number]), files.file(places[number + 4], len(files.data))
        assert [check([path], *LUW)[0].code for path in (first, last)] == [0, 0]
        run, report = check([last, first], *LUW)
        missing = places[number + 4] - places[number]
        assert run.code == 24
        (gap,) = claim(report, GAPS)["failures"]
        assert gap.startswith(f"between record {number} of {first} and record 0 of {last}: ")
        assert 0 < int(gap.split(": ")[1].split(" ")[0]) <= missing
        seen += claim(report, LINKS)["failed"]
        assert claim(report, ORDER)["state"] == "passed"
    assert seen


def test_the_report_of_several_files(tmp_path: Path, check: Any) -> None:
    """It does not replace one of them."""
    files = Files(tmp_path)
    one, two = files.file(0, files.places[9]), files.file(files.places[9], len(files.data))
    for path in (one, two):
        before = path.read_bytes()
        assert check([one, two], *LUW, "--report", str(path))[0].code == 2
        assert path.read_bytes() == before
    out = tmp_path / "report.json"
    assert check([one, two], *LUW, "--report", str(out))[1] == json.loads(out.read_text())
    assert check([one, two], "--spec", "bmc_control")[0].code == 2
