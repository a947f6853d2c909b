"""Tilings: the ways to cut a file of unknown records, each with its proof."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from writers.foreign import BLOCKED, FRAMINGS, Form, Rule

from lmparse.cli.command_line import main
from lmparse.errors import FramingError, OptionError
from lmparse.framing import index
from lmparse.logs.tilings import tile, tilings
from lmparse.options import Options
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog

DRAW = random.Random(5)
RECORDS = [b"%c" % (65 + number % 3) + DRAW.randbytes(DRAW.randrange(30, 90)) for number in range(60)]
RULES = [Rule(*facts) for facts in product((False, True), (False, True), (0, -1, 1))]


def texts(options: dict[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() for name, value in options.items()}


def best(data: bytes, **options: Any) -> dict[str, str]:
    found = tilings(data, Options.parse(options), None)
    assert found, "nothing fits"
    assert found[0].records == len(RECORDS)
    assert (found[0].shortest, found[0].longest) == (min(map(len, RECORDS)), max(map(len, RECORDS)))
    return found[0].options


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("name", FRAMINGS)
def test_the_options_that_read_a_file_are_proven(name: str, rule: Rule) -> None:
    form = Form(name, rule, Rule(True, False, 2) if name in BLOCKED else Rule(), size=50 if "vbs" in name else 300)
    found = best(form.file(RECORDS)[0])
    assert found == texts(form.options)
    assert best(form.file(RECORDS)[0], **found) == found


@pytest.mark.parametrize("name", ["rdw", "zosmf", "vbs"])
@pytest.mark.parametrize("sizes", [(100, 0), (0, 33), (64, 120)])
def test_bytes_around_the_records_are_found(name: str, sizes: tuple[int, int]) -> None:
    form = Form(name, Rule(True, False), header=b"H" * sizes[0], trailer=b"\xff" * sizes[1], size=50)
    assert best(form.file(RECORDS)[0]) == texts(form.options)


def test_one_record_and_zeros_prove_nothing() -> None:
    for data in (Form("rdw").file([b"x" * 500])[0], bytes(4000), b"\x40" * 3000, b"text\n" * 500):
        assert tilings(data, Options(), None) == []


@pytest.mark.parametrize("content", [b"\0\4\0\0", b"\0\x08\0\0\0\4\0\0", b"\0"], ids=["empty", "short", "zeros"])
def test_a_file_that_any_rule_fits_is_read_some_times_only(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    windows = index.windows

    def counted(*place: Any) -> Any:
        for window in windows(*place):
            seen.append(len(window.data) + 64 * len(window))
            yield window

    monkeypatch.setattr(index, "windows", counted)
    monkeypatch.setattr("lmparse.logs.tilings._SHORT", 1, raising=False)
    size = 180_000
    data = b"\xff" * 3 + (content * size)[:size] + b"\xff" * 70_000
    # The one that uses up what may be read, and the next part of it, are counted whole.
    for way in tilings(data, Options(), None):
        assert way.fault is None or way.fault.__traceback__ is None
    assert sum(seen) < 2 * 64 * len(data)


def test_damage_far_behind_is_shown() -> None:
    data = Form("rdw", Rule(True)).file(RECORDS)[0]
    (found,) = tilings(data[:-5], Options(), None)
    assert found.options == {"framing": "rdw", "rdw_endian": "little"}
    assert (found.records, found.fault and found.fault.code) == (59, "LMP-F006")


def test_a_spec_proposes_its_fields_and_widths() -> None:
    found = tilings(b"20260314101112000" * 9, Options(), RecordReader(catalog.load("common_timestamp17")))
    assert {"framing": "fixed", "record_length": "17"} in [one.options for one in found]
    spec = catalog.load("zos_sdw")
    data = b"".join((len(text) + 2).to_bytes(2, "big") + b"\1\0" + text for text in RECORDS)
    (found_by_field,) = tilings(data, Options.parse({"record_length_field": "length"}), RecordReader(spec))
    assert found_by_field.options == {"framing": "glued", "record_length_field": "length", "rdw_adjustment": "2"}
    assert (found_by_field.fitting, found_by_field.tried) == (60, 60)


@pytest.mark.parametrize(
    "options",
    [{"framing": "rdw", "bdw_endian": "big"}, {"framing": "fixed"}, {"framing": "bare"},
     {"rdw_endian": "big", "record_length": "9"}, {"framing": "bare", "rdw_endian": "big"}],
)  # fmt: skip
def test_options_that_no_framing_uses_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(OptionError) as caught:
        tilings(b"bytes", Options.parse(options), None)
    assert caught.value.code == "LMP-S003"


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"")
    with pytest.raises(FramingError) as caught:
        tile(path, Options(), None)
    assert caught.value.code == "LMP-F002"


def test_what_sniff_says_reads_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dat"
    for form in (Form("rdw", Rule(True, False), header=b"HEADER"), Form("bdw", Rule(False, False), Rule(True, False))):
        path.write_bytes(form.file(RECORDS)[0])
        assert main(["sniff", str(path)]) == 0
        said = capsys.readouterr().out.split("shell")[1].splitlines()[0].split()
        assert main(["records", str(path), *said]) == 0
        got = capsys.readouterr()
        assert [json.loads(line)["data"] for line in got.out.splitlines()] == [raw.hex().upper() for raw in RECORDS]
        assert "read as common_raw" in got.err
        assert main(["check", str(path), "--spec", "common_raw", *said]) == 0
        capsys.readouterr()
        assert main(["sniff", str(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["framings"][0]
        assert (found["count"], found["framing"], found["fault"]) == (60, form.framing, None)
        assert main(["sniff", str(path), "--spec", "common_raw"]) == 0
        assert "60 of the first 60 are records of common_raw" in capsys.readouterr().out
    assert main(["sniff", str(path), "--framing", "fixed", "--record-length", "1000000"]) == 20
    assert "LMP-F003" in capsys.readouterr().err
    padded = b"\xc1\xc2\xc3".ljust(80, b"\x40") * 20
    path.write_bytes(padded)
    assert main(["sniff", str(path)]) == 20
    assert "is nothing known" in capsys.readouterr().err


def test_one_record_is_no_proof_for_a_spec_of_any_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dat"
    # Little-endian words that leave themselves out; taken for the prefix of z/OSMF, the first one says 16 KB.
    path.write_bytes(Form("rdw", Rule(True, False)).file([b"x" * 64] * 1000)[0])
    assert main(["records", str(path), "--spec", "common_raw"]) == 20
    got = capsys.readouterr()
    assert (got.out, "LMP-F003" in got.err, "lmparse sniff FILE" in got.err) == ("", True, True)
