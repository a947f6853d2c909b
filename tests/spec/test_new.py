"""`build.py new`: a skeleton that is built, and reads its own cases."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cases.files import arguments, errors_of, expected_rows, found, load

from lmparse import cli

ROOT = Path(__file__).parents[2]
FILES = {
    "formats/acme/acme_reading.ksy",
    "tests/cases/acme_reading/first.yaml",
    "tests/cases/acme_reading/first.bin",
    "tests/cases_bad/acme_reading/cut.yaml",
    "tests/cases_bad/acme_reading/cut.bin",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the build step needs, without any case."""
    folder = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("formats", "lmparse", ".cache"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "build.py", folder)
    return folder


def build(project: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "build.py", *map(str, words)]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def files(project: Path) -> set[str]:
    """Specs and cases of a project."""
    paths = [*project.glob("formats/*/*.ksy"), *project.glob("tests/**/*.*")]
    return {path.relative_to(project).as_posix() for path in paths}


@pytest.fixture(scope="module")
def skeleton(project: Path) -> subprocess.CompletedProcess[str]:
    before = files(project)
    done = build(project, "new", "acme_reading")
    assert done.returncode == 0, done.stderr
    assert files(project) - before == FILES
    return done


@pytest.fixture(scope="module")
def built(project: Path, skeleton: object) -> Path:
    """The products of the skeleton."""
    own = project / "own" / "acme"
    own.mkdir(parents=True)
    shutil.copy(project / "formats" / "acme" / "acme_reading.ksy", own)
    done = build(project, "generate", "--formats", own.parent, "--out", project / "built")
    assert done.returncode == 0, done.stderr
    return project / "built"


def test_it_says_what_it_wrote_and_what_to_do_next(skeleton: subprocess.CompletedProcess[str]) -> None:
    lines = skeleton.stdout.splitlines()
    assert set(lines[: len(FILES)]) == FILES
    assert any("python build.py lint --formats formats && python build.py --formats formats" in line for line in lines)


def test_lint_finds_nothing_in_the_skeleton(project: Path, skeleton: object) -> None:
    done = build(project, "lint")
    assert (done.returncode, done.stderr) == (0, "")


def case_of(project: Path, name: str, built: Path) -> tuple[Path, dict[str, Any]]:
    """A case that is read with the parser just built."""
    path = project / "tests" / name
    case = load(path)
    return path, case | {"options": case["options"] | {"spec": str(built / "acme_reading")}}


def test_the_good_case_gives_its_rows(project: Path, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, case = case_of(project, "cases/acme_reading/first.yaml", built)
    code = cli.main(arguments(path, case))
    out, err = capsys.readouterr()
    assert (code, err) == (case["exit"], "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == expected_rows(case)
    shown = {name for row in rows for name, value in row.items() if value}
    assert shown == {"length", "name", "rest"}, "every field has a value"


def test_the_bad_case_gives_its_error(project: Path, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, case = case_of(project, "cases_bad/acme_reading/cut.yaml", built)
    first, *others = errors_of(path, case)
    assert found(first, case["error"]["message"]) == case["error"]
    assert len(others) == case["more_errors"]
    capsys.readouterr()
    assert cli.main(arguments(path, case)) == case["exit"]
    assert len(capsys.readouterr().out.splitlines()) == case["good_rows"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bmc_lldf", "formats/bmc/bmc_lldf.ksy is there"),
        ("zos_kept", "tests/cases_bad/zos_kept is there"),
        ("../acme_value", "is not an id"),
        ("kaitai_struct", "means something else in the generated code"),
    ],
)
def test_other_names_are_refused(project: Path, skeleton: object, name: str, message: str) -> None:
    (project / "tests" / "cases_bad" / "zos_kept").mkdir(exist_ok=True)
    before = files(project)
    done = build(project, "new", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert files(project) == before
