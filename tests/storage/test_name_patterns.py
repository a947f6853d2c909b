"""What a filter of names means is what Hadoop's `GlobFilter`, and so Spark's `pathGlobFilter`, takes it for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lmparse.errors import OptionError
from lmparse.storage.listing import list_files

NAMES = ["a.dat", "a.log", "a1.log", "a[1].log", "a{1}.log", "b,c.log", "b.log", "b1.log", "c.txt", "^x.log"]
FOUND = {
    "*": NAMES,
    "*.{log,dat}": [name for name in NAMES if name != "c.txt"],
    "{a,b}*": [name for name in NAMES if name[0] in "ab"],
    "{a{1,},b}.log": ["a.log", "a1.log", "b.log"],
    "[^a]*.log": ["b,c.log", "b.log", "b1.log", "^x.log"],
    "[!a]*.log": ["b,c.log", "b.log", "b1.log", "^x.log"],
    "[a-b]?.log": ["a1.log", "b1.log"],
    "[a^]*.log": ["a.log", "a1.log", "a[1].log", "a{1}.log", "^x.log"],
    r"a\[1\].log": ["a[1].log"],
    r"[b\^]*": ["b,c.log", "b.log", "b1.log", "^x.log"],
    r"a\{1\}.log": ["a{1}.log"],
    r"\^x.log": ["^x.log"],
    "b,c.log": ["b,c.log"],
    "?.log": ["a.log", "b.log"],
    "A.LOG": [],
    "a.lo": [],
    "a+.log|(": [],
}
"""Filters, and the names that Spark 4 reads with each, by `spark.read.format("binaryFile")`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize("name_filter", FOUND)
def test_names_that_a_filter_takes(name_filter: str, folder: Path) -> None:
    found = list_files([str(folder)], name_filter=name_filter)
    assert [Path(path).name for path in found] == sorted(FOUND[name_filter])
    several = list_files([f"{folder}/*"], name_filter=name_filter, may_be_none=True)
    assert several == found


@pytest.mark.parametrize("name_filter", ["{a,b", "[ab", "a\\", "{a,{b}", "[]"])
def test_a_filter_that_is_not_closed(name_filter: str, folder: Path) -> None:
    with pytest.raises(OptionError, match=r"pathGlobFilter: . has no") as caught:
        list_files([str(folder)], name_filter=name_filter)
    assert caught.value.code == "LMP-S003"


def test_a_negation_in_a_path(folder: Path) -> None:
    found = [Path(path).name for path in list_files([f"{folder}/[^a]*.log"])]
    assert sorted(found) == sorted(FOUND["[!a]*.log"])
