"""The pages of reference and the landing page say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from laws.reference_pages import DOCS, FIELDS, PAGES, refused_by_spark

import lmparse
import lmparse.spark
from lmparse.cli.command_line import command_table

README = (DOCS.parent / "README.md").read_text("utf-8")
WORDS = re.compile(r"^- \*\*([^*]+)\*\*: ", re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_a_written_page_is_as_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), "run `make pages`"


def test_every_argument_says_what_it_means() -> None:
    page = (DOCS / "commands.md").read_text("utf-8")
    assert len(re.findall(r"^## lmparse ", page, re.MULTILINE)) > len(command_table()) - 1
    assert re.findall(r"^\| `[^|]*` \| +\|$", page, re.MULTILINE) == []


def test_what_spark_refuses_is_said() -> None:
    refused = {entry.name: found for entry in FIELDS if (found := refused_by_spark(entry)) != []}
    assert refused == {"checkpoint": None, "order": None}


def test_python_names_are_all_on_the_page() -> None:
    page = (DOCS / "python.md").read_text("utf-8")
    own, spark = page.split("## `lmparse.spark`")
    for part, module in ((own, lmparse), (spark, lmparse.spark)):
        listed = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)$", part, re.MULTILINE)
        assert sorted(listed) == sorted(module.__all__)


def test_a_word_has_one_definition() -> None:
    page = (DOCS / "glossary.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("- ")]
    entries = WORDS.findall(page)
    assert len(entries) == len(lines), "a line has no word"
    words = [word.lower() for entry in entries for word in entry.split(", ")]
    assert sorted(words) == sorted(set(words))
    assert {"lrsn", "rba", "lsn", "lso", "uor", "rdw", "vb", "ebcdic", "xhdf", "dlds", "ccsid"} <= set(words)


def test_landing_page_has_no_text_of_its_own() -> None:
    """It is the beginning of the README, so the two cannot differ."""
    page = (DOCS / "index.md").read_text("utf-8")
    words = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE).split()
    assert len(words) < 12
    (begin, end) = re.findall(r"^:(?:start-after|end-before): (.*)$", page, re.MULTILINE)
    assert README.index(begin) < README.index("## Two commands") < README.index(end) < README.index("## Licence")


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_to_files(page: Path) -> None:
    """On GitHub a link is a path from the page; the site resolves the same ones."""
    for address in re.findall(r"\]\(([^()\s:]+)\)", page.read_text("utf-8")):
        name = address.partition("#")[0]
        assert not name or (page.parent / name).exists(), address
