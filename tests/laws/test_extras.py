"""What pages say of the package: its version, its extras, and the names that examples import."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import lmparse

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OF_DEVELOPERS = ("test", "docs", "browser", "fuzz", "dev", "bench")
"""Extras for work on lmparse itself."""


def test_the_table_of_extras_has_all_that_users_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    listed = re.findall(r"^\| `lmparse\[(\w+)\]` \|", page, re.MULTILINE)
    assert {*listed, *OF_DEVELOPERS} == set(project["optional-dependencies"])
    asked = re.findall(r"pip install '\.\[([\w,]+)\]'", page)
    assert asked
    assert {extra for extras in asked for extra in extras.split(",")} <= set(listed)


def test_the_changelog_is_of_this_version() -> None:
    headings = re.findall(
        r"^## \[(.*?)\](?: - \d{4}-\d\d-\d\d)?$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert headings[:2] == ["Unreleased", lmparse.__version__]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_import_from_the_public_face_only(page: Path) -> None:
    imported = re.findall(r"^ *(?:from|import) (lmparse[\w.]*)", page.read_text(), re.MULTILINE)
    assert set(imported) <= {"lmparse", "lmparse.spark"}
