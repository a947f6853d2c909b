"""The way of a new user: the README and the tutorials, block by block from an empty folder, and the links between."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from laws.guide_pages import PROGRAMS, ROOT, WALKED, blocks, run_from_the_beginning

README = WALKED[0].read_text("utf-8")
LANDING = README.partition("<!-- landing: ")[2].partition("<!-- landing ends -->")[0]
"""What the site shows as its first page."""
LINK = re.compile(r"\[([^]]+)\]\(([^)\s]+)\)")


def landed(folder: Path, printed: str) -> None:
    """A table with types."""
    deltalake = pytest.importorskip("deltalake", reason="the extra delta is not installed")
    staff = deltalake.DeltaTable(str(folder / "lake" / "current" / "HR.EMPLOYEE")).to_pyarrow_table()
    assert (staff.num_rows, str(staff.schema.field("SALARY").type)) == (28, "decimal128(9, 2)")


def explained(folder: Path, printed: str) -> None:
    """A record as a page."""
    record = (folder / "record.html").read_text("utf-8")
    assert "<h1>Record 8 of bmc_lldf</h1>" in record
    for name, value in (("CHANGE TYPE", "UB"), ("BALANCE", "7813.4944"), ("BALANCE", "8799.9373")):
        assert re.search(rf">{name}<.*?<code>&#34;{value}&#34;</code>", record, re.DOTALL)


def described(folder: Path, printed: str) -> None:
    """The page of a spec, and columns."""
    assert "ACME meters" in (folder / "pages" / "acme_reading.html").read_text("utf-8")
    assert (folder / "readings.parquet").read_bytes()[:4] == b"PAR1"


def demonstrated(folder: Path, printed: str) -> None:
    """What `make demo` makes and `make test` would do, and what the README does not show."""
    assert "everything lies in demo/" in printed
    for stage in ("build.py --check", "ruff check", "mypy", "pytest"):
        assert stage in printed
    for text in ("'UB': 52", "SALARY: decimal(9,2)", "HIRED: date", "|März", "I ACCOUNT {'ID': ", "framing: rdw"):
        assert text in printed


LEFT: dict[str, Callable[[Path, str], None]] = {
    "README": demonstrated,
    "tutorial-analyst": explained,
    "tutorial-engineer": landed,
    "tutorial-spec-author": described,
}
"""What is there at the end of a page, beside what the page shows."""


def with_marks(page: Path) -> object:
    """A page as a parameter of a test, with the mark of the tests that start Spark."""
    starts = any(block.starts_spark and block.is_run for block in blocks(page))
    return pytest.param(page, id=page.stem, marks=[pytest.mark.spark] if starts else [])


@pytest.mark.parametrize("page", [*map(with_marks, WALKED)])
def test_a_page_is_a_walk_from_an_empty_folder(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    LEFT[page.stem](folder, run_from_the_beginning(page, folder))


def test_the_walks_have_programs_of_each_kind() -> None:
    kinds = {block.language for page in WALKED for block in blocks(page) if block.is_run}
    assert kinds == {*PROGRAMS}
    assert {page.stem for page in WALKED} == {*LEFT}


@pytest.mark.parametrize("words", ["Look at the first record", "Land the first table", "Write the first spec"])
def test_the_landing_page_leads_to_a_tutorial(words: str) -> None:
    (target,) = [target for text, target in LINK.findall(LANDING) if text == words]
    assert target.startswith("docs/"), "the link leaves the site"
    pages = (ROOT / "docs" / "tutorials.md").read_text("utf-8").partition("{toctree}")[2]
    assert Path(target).stem in pages.split()
    assert ROOT / target in WALKED


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("lmparse demo --out demo --no-spark\n", ""),  # what makes the logs
        ("156 records of bmc_lldf", "157 records of bmc_lldf"),  # what is shown
    ],
)
def test_a_walk_of_a_page_that_is_wrong_fails(before: str, behind: str, tmp_path: Path) -> None:
    page, folder = tmp_path / "page.md", tmp_path / "empty"
    folder.mkdir()
    text = (ROOT / "docs" / "tutorial-analyst.md").read_text("utf-8")
    assert before in text
    page.write_text(text.replace(before, behind), "utf-8")
    with pytest.raises(AssertionError, match=r"page\.md:\d+"):
        run_from_the_beginning(page, folder)
