"""The framings of files of unknown records, each with its proof."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import logs
from writers.foreign import BLOCKED, FRAMINGS, Form, Rule

from lmparse.cli.command_line import main
from lmparse.logs.framing_search import fitting_framings
from lmparse.options import Options

DRAW = random.Random(5)
RECORDS = [b"%c" % (65 + number % 3) + DRAW.randbytes(DRAW.randrange(30, 90)) for number in range(60)]
RULES = [Rule(*facts) for facts in product((False, True), (False, True))]


def texts(options: dict[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() for name, value in options.items()}


def best(data: bytes, **options: Any) -> dict[str, str]:
    found = fitting_framings(data, Options.parse(options))
    assert found, "nothing fits"
    assert found[0].records == len(RECORDS)
    assert (found[0].shortest, found[0].longest) == (min(map(len, RECORDS)), max(map(len, RECORDS)))
    return found[0].options


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("name", FRAMINGS)
def test_the_options_that_read_a_file_are_proven(name: str, rule: Rule) -> None:
    form = Form(name, rule, Rule(True, False) if name in BLOCKED else Rule(), size=50 if "vbs" in name else 300)
    found = best(form.file(RECORDS)[0])
    assert found == texts(form.options)


@pytest.mark.parametrize("name", ["rdw", "zosmf", "vbs", "bdw"])
@pytest.mark.parametrize("sizes", [(100, 0), (0, 33), (64, 120)])
def test_bytes_around_the_records_are_damage_and_never_skipped(name: str, sizes: tuple[int, int]) -> None:
    form = Form(name, Rule(True, False), header=b"H" * sizes[0], trailer=b"\xff" * sizes[1], size=50)
    for one in fitting_framings(form.file(RECORDS)[0], Options()):
        assert one.fault is not None
        assert not {"file_start_offset", "file_end_offset"} & set(one.options)
    names = ("file_start_offset", "file_end_offset")
    around = {name: size for name, size in zip(names, sizes, strict=True) if size}
    if name != "bdw":
        assert best(form.file(RECORDS)[0], **around) == texts(form.options)


def test_one_record_and_zeros_prove_nothing() -> None:
    for data in (Form("rdw").file([b"x" * 500])[0], bytes(4000), b"\x40" * 3000, b"text\n" * 500):
        assert fitting_framings(data, Options()) == []


@pytest.mark.parametrize("end", [b"\0\x10\x40\0" + b"x" * 12, b"\0" * 300], ids=["reserved bytes", "zeros"])
def test_damage_among_records_is_no_file_header_or_trailer(end: bytes, tmp_path: Path, run: Any) -> None:
    """A word with a byte that should be zero, or zeros, in front of sound records."""
    path = tmp_path / "a.dat"
    path.write_bytes(Form("rdw").file(RECORDS[:45])[0] + end + Form("rdw").file(RECORDS[45:])[0])
    (found,) = fitting_framings(path.read_bytes(), Options())
    assert (found.options, found.records) == ({"framing": "rdw"}, 45)
    assert found.fault is not None
    done = run("sniff", path)
    assert "no framing fits all of it, and it is damaged" in done.out
    assert "then record 45 at " in done.out
    assert run("records", path, "--spec", "common_raw", "--framing", "rdw").code != 0


@pytest.mark.parametrize("name", ["rdw", "bdw"])
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != Rule()], ids=str)
def test_a_log_behind_words_of_others_is_one_of_its_spec(name: str, rule: Rule, tmp_path: Path, run: Any) -> None:
    """Of a file in blocks only the words of the blocks are by another rule, so that no record is where z/OS has it."""
    log = logs.example()
    form = Form("rdw", rule) if name == "rdw" else Form("bdw", Rule(), rule, size=4000)
    path, control = tmp_path / "a.dat", tmp_path / "a.ctl"
    path.write_bytes(form.file(log.data_records)[0])
    control.write_bytes(Form("rdw").file(log.control_records)[0])
    said = run("sniff", path).out
    assert f"records of bmc_lldf, {path.stat().st_size} bytes; one framing fits" in said
    options = said.split("shell")[1].splitlines()[0].split()
    done = run("changes", path, "--control", control, *options, "--engine", "check")
    assert [json.loads(line)["seq"] for line in done.out.splitlines()] == [one["seq"] for one in log.expected]


def test_what_sniff_says_reads_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dat"
    for form in (Form("rdw", Rule(True, False)), Form("bdw", Rule(False, False), Rule(True, False))):
        path.write_bytes(form.file(RECORDS)[0])
        assert main(["sniff", str(path)]) == 0
        said = capsys.readouterr().out.split("shell")[1].splitlines()[0].split()
        assert main(["records", str(path), *said]) == 0
        got = capsys.readouterr()
        assert [json.loads(line)["data"] for line in got.out.splitlines()] == [raw.hex().upper() for raw in RECORDS]
        assert main(["check", str(path), *said]) == 0
        capsys.readouterr()
        assert main(["sniff", str(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["framings"][0]
        assert (found["count"], found["framing"], found["fault"]) == (60, form.framing, None)
    path.write_bytes(b"\xc1\xc2\xc3".ljust(80, b"\x40") * 20)
    assert main(["sniff", str(path)]) == 20
    assert "is nothing known" in capsys.readouterr().err


def test_one_record_is_no_proof_for_a_spec_of_any_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dat"
    # Little-endian words that leave themselves out; taken for the prefix of z/OSMF, the first one says 16 KB.
    path.write_bytes(Form("rdw", Rule(True, False)).file([b"x" * 64] * 1000)[0])
    assert main(["records", str(path), "--spec", "common_raw"]) == 20
    got = capsys.readouterr()
    assert (got.out, "LMP-F003" in got.err, "lmparse sniff FILE" in got.err) == ("", True, True)
