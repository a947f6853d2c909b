"""The way of a new user: from the landing page, by its links alone, to a first explained record and a first table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from laws.guide_pages import run_from_the_beginning

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
LANDING = README.partition("<!-- landing: ")[2].partition("<!-- landing ends -->")[0]
"""What the site shows as its first page."""
LINK = re.compile(r"\[([^]]+)\]\(([^)\s]+)\)")


def followed(words: str) -> Path:
    """The page that a link of the landing page leads to; it is a page of the site."""
    (target,) = [target for text, target in LINK.findall(LANDING) if text == words]
    assert target.startswith("docs/"), "the link leaves the site"
    pages = (ROOT / "docs" / "tutorials.md").read_text("utf-8").partition("{toctree}")[2]
    assert Path(target).stem in pages.split()
    return ROOT / target


def test_the_landing_page_leads_to_the_first_explained_record(tmp_path: Path) -> None:
    run_from_the_beginning(followed("Look at the first record"), tmp_path)
    record = (tmp_path / "record.html").read_text("utf-8")
    assert "<h1>Record 8 of bmc_lldf</h1>" in record
    for name, value in (("CHANGE TYPE", "UB"), ("BALANCE", "7813.4944"), ("BALANCE", "8799.9373")):
        assert re.search(rf">{name}<.*?<code>&#34;{value}&#34;</code>", record, re.DOTALL)


def test_the_landing_page_leads_to_the_first_landed_table(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake", reason="the extra delta is not installed")
    run_from_the_beginning(followed("Land the first table"), tmp_path)
    staff = deltalake.DeltaTable(str(tmp_path / "lake" / "current" / "HR.EMPLOYEE")).to_pyarrow_table()
    assert (staff.num_rows, str(staff.schema.field("SALARY").type)) == (28, "decimal128(9, 2)")


@pytest.mark.spark
def test_the_landing_page_leads_to_the_first_spec(tmp_path: Path) -> None:
    run_from_the_beginning(followed("Write the first spec"), tmp_path, with_python=True)
    page = (tmp_path / "pages" / "acme_reading.html").read_text("utf-8")
    assert "ACME meters" in page
    assert (tmp_path / "readings.parquet").read_bytes()[:4] == b"PAR1"


def test_a_walk_of_a_page_without_its_setup_fails(tmp_path: Path) -> None:
    """The walk finds a tutorial that needs what none of its commands makes."""
    page = tmp_path / "page.md"
    text = followed("Look at the first record").read_text("utf-8")
    page.write_text(text.replace("lmparse demo --out demo --no-spark\n", ""), "utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssertionError):
        run_from_the_beginning(page, tmp_path / "empty")
