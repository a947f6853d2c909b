"""What a filter of names means is what Hadoop's `GlobFilter`, and so Spark's `pathGlobFilter`, takes it for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lmparse.errors import OptionError
from lmparse.storage.listing import list_files, literal, name_pattern

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
    "{a,b}{,1}.log": ["a.log", "a1.log", "b.log", "b1.log"],
}
"""Filters, and the names that Spark 4 reads with each, by `spark.read.format("binaryFile")`."""


@pytest.mark.parametrize("name_filter", FOUND)
def test_names_that_a_filter_takes(name_filter: str) -> None:
    assert list(filter(name_pattern(name_filter).fullmatch, NAMES)) == FOUND[name_filter]


@pytest.mark.parametrize(
    ("name_filter", "wrong"),
    [
        *((text, ". has no") for text in ("{a,b", "[ab", "a\\", "{a,{b}", "[]", "[^]")),
        *((text, "the range .-. has no character") for text in ("[z-a]*", "[9-0].dat", "[a--b].dat")),
        (r"\d.log", r"\\d is an expression to Spark"),
        *(
            (text, r"\S in \[ \] is something else to Spark")
            for text in ("a[*]", "[?]", "[[a]", "[{]", "[,]", "{[}],a}", r"[\d].log", r"[b\^]*")
        ),
        ("{a,b}" * 10, "groups that stand for more than 1000 patterns"),
        ("{" * 3000 + "a" + "}" * 3000, "more than 50 groups"),
    ],
)
def test_a_filter_that_is_none(name_filter: str, wrong: str, tmp_path: Path) -> None:
    """Also where there is no file that it would be compared with, and in a path."""
    for call in (
        lambda: name_pattern(name_filter),
        lambda: list_files([str(tmp_path)], name_filter=name_filter),
        lambda: list_files([f"{tmp_path}/{name_filter}"]),
    ):
        with pytest.raises(OptionError, match=f"no pattern of names: {wrong}") as caught:
            call()
        assert caught.value.code == "LMP-S003"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a.dat", "a.dat"),
        (r"a\*b", "a*b"),
        ("[a]b", None),
        ("a*", None),
        ("[ab]", None),
        ("[^a]", None),
    ],
)
def test_a_pattern_of_one_name(pattern: str, name: str | None) -> None:
    assert literal(pattern) == name


def test_the_time_of_a_match_is_that_of_both_lengths() -> None:
    """Whoever sends a file chooses its name. Trying one way after the other would take years here."""
    assert not name_pattern("*_" * 60 + "*.log").fullmatch("_" * 251 + ".tmp")
    assert not name_pattern("{*_,_*,?*}" * 6 + ".log").fullmatch("_" * 251 + ".tmp")
    assert name_pattern("*_" * 60 + "*.log").fullmatch("_" * 251 + ".log")
