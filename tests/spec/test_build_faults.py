"""The build step with faulty specs, which are named and not built, and with folders in the way."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spec.build_step import SOUND, build, make, output, texts

from lmparse import cli
from lmparse.spec import catalog
from lmparse.spec.build.products import Builder, Made

FAULTY = Path(__file__).parents[1] / "cases_bad_specs"


# Each faulty spec holds, as comments in its first lines, what the build step must say of it.
def expected(folder: Path, command: str) -> list[str]:
    lines = [line for path in sorted(folder.glob("*/*.ksy")) for line in path.read_text().splitlines()]
    return [line.removeprefix(f"# {command}: ") for line in lines if line.startswith(f"# {command}: ")]


CASES = [
    (path.name, command)
    for path in sorted(FAULTY.iterdir())
    for command in ("generate", "lint")
    if expected(path, command)
]


def test_there_are_faulty_specs() -> None:
    assert len(CASES) >= 22


@pytest.mark.parametrize(("case", "command"), CASES)
def test_faults_are_named_with_file_line_and_column(case: str, command: str, tmp_path: Path) -> None:
    wanted = expected(FAULTY / case, command)
    done = build(command, "--formats", FAULTY / case, *output(command, tmp_path), cwd=FAULTY / case)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "error:" in line] == wanted
    assert "Traceback" not in done.stderr
    for line in wanted:
        assert not (tmp_path / "out" / Path(line.partition(":")[0]).with_suffix(".py").name).exists()


FAULTY_ONE = """\
meta: {id: acme_faulty, imports: [acme_reading, deep/acme_below]}
seq: [{id: one, sizzle: 1}]
"""
ABOVE = "meta: {id: acme_above, imports: [acme_faulty]}\n"
CIRCLE = "meta: {{id: acme_{0}, imports: [acme_{1}]}}\nseq: [{{id: one, type: acme_{1}, if: 1 == 2}}]\n"


def test_a_faulty_spec_is_not_built_and_the_others_are(own: Path, tmp_path: Path) -> None:
    """At any depth, whoever imports whom, and `check` says the same."""
    out, deep = tmp_path / "out", own / "acme" / "deep"
    deep.mkdir()
    (deep / "acme_below.ksy").write_text("meta: {id: acme_below}\nseq: [{id: one, type: u1}]\n")
    (own / "acme" / "acme_above.ksy").write_text(ABOVE)
    (own / "acme" / "acme_faulty.ksy").write_text(FAULTY_ONE)
    (own / "acme" / "acme_no_yaml.ksy").write_text("meta: [")
    (own / "acme" / "acme_asks.ksy").write_text("meta: {id: acme_asks, imports: [acme_no_yaml]}\n")
    for one, two in (("left", "right"), ("right", "left")):
        (own / "acme" / f"acme_{one}.ksy").write_text(CIRCLE.format(one, two))
    problems = [
        "formats/acme/acme_above.ksy:1:34: error: it imports acme/acme_faulty, which is not built [/meta/imports/0]",
        "formats/acme/acme_asks.ksy:1:33: error: it imports acme/acme_no_yaml, which is not built [/meta/imports/0]",
        "formats/acme/acme_faulty.ksy:2:17: error: there is no key sizzle in a field; did you mean size? "
        "[/seq/0/sizzle]",
        "formats/acme/acme_no_yaml.ksy:1:8: error: expected the node content, but found '<stream end>'",
        "4 of 9 specs are not built",
    ]
    done = build("generate", "--formats", own, "--out", out, cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()) == (1, problems)
    built = {"acme_reading", "acme_below", "acme_left", "acme_right", "common_timestamp17"}
    assert {path.stem for path in out.glob("*.pyi")} == built
    assert not hasattr(catalog.load(str(out / "acme_right")).parser.from_bytes(b""), "one")
    done = build("check", "--formats", own, "--out", out, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (1, "generated files are up to date\n", problems)


def test_lint_needs_no_compiler(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = own / "acme" / "acme_reading.ksy"
    assert cli.main(["build", "lint", "--formats", str(own)]) == 0
    assert capsys.readouterr() == ("1 spec has no fault that is found without the compiler\n", "")
    spec.write_text(SOUND.replace("type: u2", "type: u2\n    tpye: u2"))
    assert cli.main(["build", "lint", "--formats", str(own)]) == 1
    assert "there is no key tpye in a field; did you mean type?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["thesis.txt", "zos_rdw.ksy", "setup.py", "debug/setup.py"])
def test_no_manifest_makes_files_of_others_ours(own: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / "debug").mkdir(parents=True)
    (out / name).write_text("years of work")
    listed = {"specs": {"setup": {"outputs": {name: "", "setup.py": ""}}}, "outputs": {name: ""}}
    (out / "MANIFEST.json").write_text(json.dumps(listed))
    before = texts(out)
    done = build("generate", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert "holds files that are not from here" in done.stderr
    assert texts(out) == before


@pytest.mark.parametrize("is_first", [True, False])
def test_a_build_that_was_killed_is_repaired_by_the_next(
    is_first: bool, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was killed, its products are not run, or are whole, and the next one takes them for its own."""
    out, spec = tmp_path / "out", own / "acme" / "acme_reading.ksy"
    (own / "acme" / "acme_gone.ksy").write_text(SOUND.replace("acme_reading", "acme_gone"))
    old = make(own)
    (own / "acme" / "acme_gone.ksy").unlink()
    spec.write_text(SOUND.replace("Reading of", "A reading of"))
    (own / "acme" / "acme_more.ksy").write_text(SOUND.replace("acme_reading", "acme_more"))
    new = make(own)
    monkeypatch.setattr(Builder, "make", lambda *_: Made(new, [], 2))
    whole, left = {name: text.encode() for name, text in new.items()}, 0
    while True:
        shutil.rmtree(out, ignore_errors=True)
        for name, text in {} if is_first else old.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text)
        if not _killed(left, own, out, monkeypatch):
            break
        assert build("generate", "--formats", own, "--out", out).returncode == 0, left
        assert texts(out) == whole
        left += 1
    assert left >= 10, "it was killed before each file that it moves or removes"


def _killed(left: int, own: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a build ends before it has moved or removed one file more than `left`."""

    class Killed(BaseException):
        """Not caught by anything."""

    def counted(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **named: Any) -> None:
            nonlocal left
            place = Path(arguments[-1])
            if place.is_relative_to(out) and ".partial" not in str(place):
                left -= 1
                if left < 0:
                    raise Killed
            real(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted(os.replace))
        patch.setattr(os, "unlink", counted(os.unlink))
        try:
            build("generate", "--formats", own, "--out", out)
        except Killed:
            return True
        return False


def test_a_build_does_not_follow_a_link_out_of_its_folder(own: Path, tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    out.mkdir()
    home.mkdir()
    (out / "debug").symlink_to(home)
    done = build("generate", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert not any(home.iterdir())


@pytest.mark.parametrize("words", [("--formats", "LOOP/x.ksy", "--out", "OUT"), ("--formats", "OWN", "--out", "LOOP")])
def test_links_that_lead_in_a_circle_are_named(
    words: tuple[str, ...], own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    places = {"LOOP": str(loop), "LOOP/x.ksy": f"{loop}/x.ksy", "OWN": str(own), "OUT": str(tmp_path / "out")}
    assert cli.main(["build", *(places.get(word, word) for word in words)]) == 1
    assert cli.main(["records", str(tmp_path / "none"), "--spec", f"{loop}/x"]) == 2
    assert "loop" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["title: .nan", "title: t, doc: {switch-on: a}", "title: t, encoding: 'a\\0b'"])
@pytest.mark.parametrize("command", ["generate", "lint"])
def test_what_the_compiler_does_not_expect_is_no_traceback(tmp_path: Path, text: str, command: str) -> None:
    spec = tmp_path / "odd_a.ksy"
    spec.write_text(f"meta: {{id: odd_a, endian: be, {text}}}\nseq: [{{id: a, type: u1, doc-ref: {{a: 1}}}}]\n")
    done = build(command, "--formats", spec, *output(command, tmp_path))
    assert done.returncode == 1
    assert "odd_a.ksy" in done.stderr
    assert "Traceback" not in done.stderr
