"""Coverage: what samples reach of the specs, and that the cases of the project reach all of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases.collected import samples_of_cases
from writers.bmc import control, framing

from lmparse import cli
from lmparse.bmc.control import find_control as control_search
from lmparse.review.coverage.files import collect
from lmparse.review.coverage.reports import CoverageReport, SpecReach, report_of
from lmparse.review.explain.search import explain
from lmparse.spec import catalog

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"
WORDS = {"spec": "zos_sdw", "framing": "fixed", "record_length": 4}
"""How words that tell the length and the place of a piece are read."""
COMPLETE, FIRST, LAST, NONE = "00500000", "00500100", "00500200", "00500900"
"""Words of 80 bytes; of the last the code is none that the spec allows."""


def words(folder: Path, *given: str, name: str = "words.bin") -> Path:
    path = folder / name
    path.write_bytes(bytes.fromhex("".join(given)))
    return path


def options(**given: Any) -> list[str]:
    return [text for name, value in given.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def report(*paths: Path, **given: Any) -> CoverageReport:
    return report_of(collect(map(str, paths), given))


# -- what is counted ------------------------------------------------------------------------


def test_fields_and_codes_are_counted(tmp_path: Path) -> None:
    found = report(words(tmp_path, COMPLETE, FIRST, FIRST), **WORDS)
    (spec,) = found.specs
    seen = {entry.field.id: (entry.seen.present, entry.seen.filled, entry.is_reached) for entry in spec.fields}
    assert seen == {"length": (3, 3, True), "segment_code": (3, 2, True), "reserved": (3, 0, True)}
    assert [code.id for entry in spec.fields for code in entry.codes_unseen] == ["last", "middle"]
    assert {kind: str(share) for kind, share in spec.shares.items()} == {
        "fields": "3 of 3", "codes": "2 of 4", "branches": "0 of 0"
    }  # fmt: skip
    assert (found.share.percent, str(found.share)) == (71.4, "5 of 7")


def test_a_sample_is_the_first_filled_value_with_its_place(tmp_path: Path) -> None:
    samples = collect([str(words(tmp_path, COMPLETE, FIRST, LAST))], WORDS)
    seen = samples.coverage.fields["zos_sdw", "segment_code"]
    assert seen.sample is not None
    sample = seen.sample
    assert (sample.value, sample.raw, sample.meaning) == ("first", b"\x01", "First piece of several")
    assert (sample.record_index, sample.offset) == (1, 6)


def test_values_that_no_list_has_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "index.ctl"
    path.write_bytes(framing.rdw([control.dicl([(1, "A"), (2, "X"), (3, "X"), (4, " ")])]))
    found = report(path, spec="bmc_dicl", framing="rdw")
    (order,) = [entry for spec in found.specs for entry in spec.fields if entry.field.id == "key_col_order"]
    assert order.seen.unlisted == {"X": 2, "": 1}
    assert [code.id for code in order.codes_unseen] == ["descending"]
    text = "\n".join(found.lines())
    finding = "bmc_dicl.key_column.key_col_order has values that are not listed: blank (1), X (2)"
    assert text.splitlines()[:2] == ["findings: 1 (records: 1, files: 1)", f"  {finding}"]
    assert "codes not seen of key_column.key_col_order: D (descending)" in text


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("{spec: '%s/evil/evil'}", "not the id of a spec"),
        ("{spec: evil/evil}", "not the id of a spec"),
        ("{Spec: evil/evil}", "which only the caller gives"),
        ("{spec: no_such_spec}", "there is no spec"),
        ("{spec: db2_log, tables: 'https://localhost/t.yaml'}", "which only the caller gives"),
        ("{spec: bmc_lldf, controL: a.ctl}", "which only the caller gives"),
        ("{spec: bmc_lldf, limits: recordBytes=1T}", "which only the caller gives"),
        ("{spec: bmc_lldf, 1: 2}", "there is no option '1'"),
        ("{spec: bmc_lldf, framing: fixed}", "needs a record length"),
    ],
)
def test_a_case_is_data(options: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with its log: it names no code to run and no file elsewhere, and other files are read all the same."""
    monkeypatch.chdir(tmp_path)
    products = {"layouts.py": b"raise SystemExit('code was run')\n"}
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in products.items()}
    products["MANIFEST.json"] = json.dumps({"specs": {}, "outputs": hashes}).encode()
    for name, data in products.items():
        (tmp_path / "evil").mkdir(exist_ok=True)
        (tmp_path / "evil" / name).write_bytes(data)
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("hostile.bin", "sound.bin"):
        (logs / name).write_bytes((CASES / "bmc_lldf" / "changes_bdw.bin").read_bytes())
    given = options.replace("%s", str(tmp_path))
    (logs / "hostile.yaml").write_text(f"command: records\noptions: {given}\n")
    found = collect([str(logs)], {})
    assert [Path(file.path).name for file in found.files] == ["sound.bin"]
    (error,) = found.unreadable
    assert (error.code, error.file) == ("LMP-C012", str(logs / "hostile.bin"))
    assert why in error.message
    assert collect([str(logs / "hostile.bin")], {}).unreadable[0].code == "LMP-C012"


def test_the_name_of_a_log_of_a_case_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control file elsewhere is not read."""
    control, data = ((CASES / "bmc_lldf" / f"changes_bdw{end}").read_bytes() for end in (".ctl", ".bin"))
    for name in ("a.ctl", "logs/a.ctl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(control)
    (tmp_path / "logs" / "a.ctl").rename(tmp_path / "logs" / "x.ctl")
    (tmp_path / "logs" / "file:x.ctl").write_text("no control file")
    for end, content in ((".bin", data), (".yaml", b"command: changes\noptions: {}\n")):
        (tmp_path / "logs" / f"file:x{end}").write_bytes(content)
    monkeypatch.chdir(tmp_path / "logs")
    samples = collect(["./file:x.bin"], {})
    assert [error.code for error in samples.unreadable] == ["LMP-C001"]
    assert samples.files == []


def test_a_case_says_what_its_bytes_rest_on(tmp_path: Path) -> None:
    """Its control file too; a log without a case, or with a case that does not say, is one that somebody gave."""
    for name, stated in (("a", "from a manual; printed"), ("b", "; Synthetic"), ("c", "synthetic; changed"), ("d", "")):
        for end in (".bin", ".ctl"):
            (tmp_path / f"{name}{end}").write_bytes((CASES / "bmc_lldf" / f"changes_bdw{end}").read_bytes())
        (tmp_path / f"{name}.yaml").write_text(f"command: changes\noptions: {{}}\nprovenance: {stated!r}\n")
    found = report_of(collect([str(tmp_path)], {}))
    stated = {Path(file.path).name: file.provenance for file in found.samples.files}
    given = {f"{name}{end}": "given" for name in "cd" for end in (".bin", ".ctl")}
    made = {"a.bin": "printed", "a.ctl": "printed", "b.bin": "synthetic", "b.ctl": "synthetic"}
    assert stated == given | made
    assert found.samples.by_provenance == [("given", 4), ("printed", 2), ("synthetic", 2)]


def test_a_folder_brings_the_control_file_of_each_log(tmp_path: Path) -> None:
    for suffix in (".bin", ".ctl"):
        (tmp_path / f"a{suffix}").write_bytes((CASES / "bmc_lldf" / f"changes_bdw{suffix}").read_bytes())
    (tmp_path / "notes.txt").write_text("no log\n")
    (tmp_path / "empty").touch()
    samples = collect([str(tmp_path)], {})
    assert {Path(file.path).name for file in samples.files} == {"a.bin", "a.ctl"}
    assert {Path(path).name for path in samples.passed_over} == {"notes.txt", "empty"}
    assert samples.coverage.records["bmc_row_image"]
    assert not samples.faults


def test_a_folder_is_looked_through_for_control_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    look = control_search._named_by
    monkeypatch.setattr(control_search, "_named_by", lambda path, limits: looked.append(path) or look(path, limits))
    for name, suffix in product("abc", (".bin", ".ctl")):
        (tmp_path / f"{name}{suffix}").write_bytes((CASES / "bmc_lldf" / f"changes_bdw{suffix}").read_bytes())
    assert collect([str(tmp_path)], {}).coverage.records["bmc_row_image"]
    assert sorted(looked) == sorted(map(str, tmp_path.iterdir()))


def test_a_framing_that_is_named_may_be_one_that_nothing_recognises(tmp_path: Path) -> None:
    path = tmp_path / "behind_a_header.dat"
    path.write_bytes(b"HEADERHEADER" + (CASES / "bmc_lldf" / "framing_rdw.bin").read_bytes())
    given = {"framing": "rdw", "file_start_offset": 12}
    (found,) = collect([str(path)], given).files
    assert (found.spec, found.records > 0, found.fault) == ("bmc_lldf", True, None)
    assert explain(path, **given).record == 0


# -- damage -----------------------------------------------------------------------------------


def test_a_damaged_record_is_a_fault_and_the_next_one_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = words(tmp_path, COMPLETE, NONE, FIRST)
    assert cli.main(["coverage", str(path), *options(**WORDS), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["faults"] == {"LMP-V001": 1}
    assert (found["files"][0]["records"], found["files"][0]["faults"]) == (3, 1)
    by_id = {entry["field"]: entry for entry in found["specs"][0]["all_fields"]}
    code, reserved = by_id["segment_code"], by_id["reserved"]
    assert (code["present"], code["filled"], reserved["present"]) == (2, 1, 2)
    assert (found["specs"][0]["records"], found["specs"][0]["faulty_records"]) == (2, 1)


@pytest.mark.parametrize(("behind", "code"), [(b"\n", 31), (b"\x04\x00\x00\x00", 20)])
def test_what_stands_in_front_of_damaged_framing_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], behind: bytes, code: int
) -> None:
    path = tmp_path / "log.ctl"
    path.write_bytes(framing.rdw([control.xtyp(), control.dlds()]) + behind)
    assert cli.main(["coverage", str(path), "--spec", "bmc_control", "--framing", "rdw"]) == code
    out, err = capsys.readouterr()
    assert f"{path}: bmc_control, framing rdw, given, 2 records, then LMP-F00" in out
    assert err.startswith(f"{path}: record 2 at ")


def test_an_empty_log_reaches_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(words(tmp_path))
    assert cli.main(["coverage", path, "--spec", "bmc_lldf", "--framing", "rdw"]) == 0
    assert cli.main(["coverage", path, "--spec", "bmc_lldf", "--framing", "rdw", "--fail-under", "0.1"]) == 24
    assert ": bmc_lldf, framing rdw, given, 0 records\n" in capsys.readouterr().out


# -- reports ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("floor", "code"), [("0", 0), ("71.42", 0), ("71.43", 24), ("100", 24)])
def test_fail_under(tmp_path: Path, capsys: pytest.CaptureFixture[str], floor: str, code: int) -> None:
    path = words(tmp_path, COMPLETE, FIRST)
    assert cli.main(["coverage", str(path), *options(**WORDS), "--fail-under", floor]) == code
    err = capsys.readouterr().err
    assert err == (f"coverage 71.4 % is below {floor} %\n" if code else "")


def test_specs_without_a_sample_count_when_they_are_asked_for(tmp_path: Path) -> None:
    samples = collect([str(words(tmp_path, COMPLETE, FIRST, LAST, "00500300"))], WORDS)
    of_samples, of_all = report_of(samples), report_of(samples, with_unreached=True)
    assert of_samples.share.percent == 100
    assert 0 < of_all.share.percent < 5
    assert of_samples.unreached == of_all.unreached
    assert {spec.id for spec in of_all.specs} == {*of_all.unreached, "zos_sdw"}
    # A spec of nothing but code sets, or of bytes without a known meaning, has nothing to be reached.
    assert {spec.id for spec in of_all.specs} == set(catalog.spec_ids()) - {"db2_server", "common_raw"}


@pytest.mark.parametrize(
    "wrong", [("--fail-under", "101"), ("--fail-under", "nan"), ("--limit", "0"), ("--limit", str(1 << 63))]
)
def test_a_number_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: Sequence[str]
) -> None:
    assert cli.main(["coverage", str(words(tmp_path, COMPLETE)), *wrong]) == 2
    assert f"{wrong[0]} has no value {wrong[1]}" in capsys.readouterr().err


MIXED = (
    CASES / "bmc_lldf" / "changes_bdw.bin",
    CASES / "bmc_control" / "every_record.bin",
    CASES / "db2_dms" / "v10_little_moved.bin",
)


def test_text_and_json_have_the_same_numbers() -> None:
    found = report(*MIXED)
    asjson = found.to_dict()
    text = "\n".join(found.lines())
    for spec in asjson["specs"]:
        reached = f"{spec['percent']} % ({spec['reached']} of {spec['of']})"
        assert f"\n{spec['spec']}: {reached}, {spec['records']} records; {spec['title']}" in text
        for case in spec["cases"]:
            if case["records"]:
                name = case["case"].partition(".")[2] or case["case"]
                assert re.search(rf"\b{name} {case['records']}\b", text)
    assert f"coverage {asjson['percent']} % ({asjson['reached']} of {asjson['of']})" in text


# -- the cases of the project -------------------------------------------------------------------


def test_all_files_of_the_cases_are_read() -> None:
    found = samples_of_cases()
    assert not found.faults
    assert {CASES / file.path for file in found.files} == {*CASES.glob("*/*.bin"), *CASES.glob("*/*.ctl")}


def goals_of(spec: SpecReach) -> Iterator[tuple[str, bool]]:
    """Everything that is to be reached, by name, and whether it was."""
    for entry in spec.fields:
        name = f"{entry.layout}.{entry.field.id}"
        if entry.is_goal:
            yield name, entry.is_reached
        codes = () if entry.is_calculated else entry.field.codes
        yield from ((f"{name}={code.id}", bool(entry.seen.codes[code.value])) for code in codes)
    for (layout, field), counts in spec.branches.items():
        yield from ((f"{layout}.{field}>{case}", bool(count)) for case, count in counts.items())


def test_the_cases_reach_every_field_code_and_branch() -> None:
    exceptions = yaml.safe_load((TESTS / "coverage_exceptions.yaml").read_text())
    assert all(entry["reason"] for entry in exceptions)
    excepted = [name for entry in exceptions for name in entry["names"]]
    assert len(excepted) == len(set(excepted))
    specs = report_of(samples_of_cases(), with_unreached=True).specs
    goals = {name: is_reached for spec in specs for name, is_reached in goals_of(spec)}
    assert len(goals) > 900
    missing = {name for name, is_reached in goals.items() if not is_reached}
    assert not missing - set(excepted), "add cases that reach them"
    assert not set(excepted) - missing, "these are reached: take them off the list"
