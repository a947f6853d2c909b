"""`check` of several files of one log: bytes of all of them, and what goes on from one to the next."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from bmc_extracts import Cut, example
from commands import Run
from samples import db2_scripts as luw
from writers.bmc.logs import changed, opened

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

AGREE, NOTHING = "extracts agree on what several of them have", "no change is missing between two extracts"


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    """A log of which no control file says that there are segments: not every extract has one."""
    found = example(tmp_path, segment_order=(2, 0, 1))
    found.control = [one for one in found.control if one[:4] != "DLDS".encode("cp037")]
    return found


def test_extracts_cut_at_record_boundaries(cut: Cut, check: Any) -> None:
    """A unit that one calls open has ended."""
    size = len(cut.data)
    for place in cut.places[:: amount(4, 1)]:
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


def test_extracts_that_contradict_each_other(cut: Cut, check: Any) -> None:
    first, second = cut.files((0, 20), (3, len(cut.data)))
    for fields in ({}, {"segnum": b"\0\0"}, {"totalsegs": b"\0\4"}, {"rid": b"\1" * 5}):
        records = cut.data[3:]
        records[0] = changed(records[0], **fields) if fields else records[0][:-1] + b"\xd8"
        cut.write(second, records)
        run, report = check([first, second])
        assert (run.code, report) == (20, {}), fields
        assert "LMP-F013" in run.err, fields


def test_a_record_is_tested_by_itself(cut: Cut, check: Any) -> None:
    """What another extract states of its unit, or gives in its place, does not hide what is bad in it."""
    first, second = cut.files((0, 9), (3, len(cut.data)))
    assert check([first, second])[0].code == 0
    bad_time, last = bytes.fromhex("20261314"), bytes(9) + b"\1"
    # Unit 1 is open in the first extract, and committed in the second. Unit 2 has ended in both.
    for path, number, fields, error, says in (
        (first, 0, {"uorcommittimestamp": bad_time}, "LMP-V005", ""),
        (first, 0, {"uorcommitpoint": last}, "", "UORDISP is blank, but UORCOMMITPOINT is not zero"),
        (first, 1, {"uorcommitlrsn": last}, "", "says otherwise of its unit of recovery than record 0"),
        (first, 1, {"uordisp": b"\xe7"}, "", "says otherwise of its unit of recovery than record 0"),
        (second, 4, {"timestamp": bad_time}, "LMP-V005", ""),
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


def test_control_records_are_read_from_one_file(tmp_path: Path, check: Any) -> None:
    files = Files(tmp_path)
    one, two = files.file(0, files.places[9]), files.file(files.places[9], len(files.data))
    assert check([one, two], "--spec", "bmc_control")[0].code == 2
