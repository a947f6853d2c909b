"""What a filter of names means is what Hadoop's `GlobFilter`, and so Spark's `pathGlobFilter`, takes it for."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmparse.errors import OptionError
from lmparse.storage.listing import list_files
from lmparse.storage.name_patterns import name_pattern

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
    "[]a].log": ["a.log"],
    "[^]a].log": ["b.log"],
    "[a-]?.log": ["a1.log"],
    r"a[\[\{]1*": ["a[1].log", "a{1}.log"],
    "b[,]c.log": ["b,c.log"],
    "{a,b}{,1}.log": ["a.log", "a1.log", "b.log", "b1.log"],
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


@pytest.mark.parametrize(
    ("name_filter", "wrong"),
    [
        *((text, ". has no") for text in ("{a,b", "[ab", "a\\", "{a,{b}", "[]", "[^]")),
        *((text, "the range .-. has no character") for text in ("[z-a]*", "[9-0].dat", "[a--b].dat")),
        *((text, r"\\d is an expression to Spark") for text in (r"\d.log", r"[\d].log")),
        *(
            (text, r"\S in \[ \] is something else to Spark")
            for text in ("a[*]", "[?]", "[[a]", "[{]", "{[,],a}", "{[}],a}")
        ),
        ("{" * 3000 + "a" + "}" * 3000, "more than 50 groups in groups"),
    ],
)
def test_a_filter_that_is_none(name_filter: str, wrong: str, folder: Path) -> None:
    with pytest.raises(OptionError, match=f"pathGlobFilter: {wrong}") as caught:
        list_files([str(folder)], name_filter=name_filter)
    assert caught.value.code == "LMP-S003"


def test_a_negation_in_a_path(folder: Path) -> None:
    found = [Path(path).name for path in list_files([f"{folder}/[^a]*.log"])]
    assert sorted(found) == sorted(FOUND["[!a]*.log"])


def test_the_time_of_a_match_is_that_of_both_lengths() -> None:
    """Whoever sends a file chooses its name. Trying one way after the other would take years here."""
    assert not name_pattern("*_" * 60 + "*.log").matches("_" * 251 + ".tmp")
    assert not name_pattern("{*_,_*,?*}" * 60 + ".log").matches("_" * 251 + ".tmp")
    assert name_pattern("*_" * 60 + "*.log").matches("_" * 251 + ".log")


@given(st.text("ab.", max_size=6), st.text("ab.*?", max_size=6))
def test_plain_patterns_are_those_of_python(name: str, pattern: str) -> None:
    assert name_pattern(pattern).matches(name) is fnmatchcase(name, pattern)


def test_a_filter_that_is_none_is_said_where_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="pathGlobFilter"):
        list_files([str(tmp_path)], name_filter="[z-a]", may_be_none=True)
