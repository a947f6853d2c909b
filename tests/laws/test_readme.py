"""The README's examples run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run
from laws.guide_pages import blocks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [(block.language, block.text) for block in blocks(ROOT / "README.md") if block.is_run]
PYTHON = [text for language, text in BLOCKS if language == "python"]
OF_DEVELOPERS = ("test", "docs", "browser", "fuzz", "dev", "bench")
"""Extras for work on lmparse itself."""
SHELL = [line for _, text in BLOCKS for line in text.splitlines() if line.startswith("lmparse ")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo's log, away from the project."""
    folder = tmp_path_factory.mktemp("readme")
    run_python(["-m", "lmparse", "demo", "--out", "demo", "--no-spark"], folder)
    return folder


def run_python(arguments: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 24), done.stderr
    return done.stdout


def test_python_example(place: Path) -> None:
    lines = run_python(["-c", PYTHON[1]], place).splitlines()
    assert len(lines) == 126
    assert lines[0].startswith("I ACCOUNT {'ID': ")
    assert lines[-1].startswith("0 ['framing: rdw") or "framing: rdw" in lines[-1]


@pytest.mark.parametrize("line", SHELL)
def test_shell_examples(line: str, place: Path, run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    words = line.removeprefix("lmparse ").split("#")[0].split()
    names = [name for word in words for name in (map(str, sorted(place.glob(word))) if "*" in word else [word])]
    done = run(*names)
    assert done.code in (0, 24), done.err
    assert done.out


def test_the_table_of_extras_has_all_that_users_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    listed = re.findall(r"^\| `lmparse\[(\w+)\]` \|", page, re.MULTILINE)
    assert {*listed, *OF_DEVELOPERS} == set(project["optional-dependencies"])
    asked = re.findall(r"pip install '\.\[([\w,]+)\]'", page)
    assert asked
    assert {extra for extras in asked for extra in extras.split(",")} <= set(listed)


def test_there_are_examples() -> None:
    assert len(PYTHON) == 2
    assert len(SHELL) == 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_import_from_the_public_face_only(page: Path) -> None:
    imported = re.findall(r"^ *(?:from|import) (lmparse[\w.]*)", page.read_text(), re.MULTILINE)
    assert set(imported) <= {"lmparse", "lmparse.spark"}
