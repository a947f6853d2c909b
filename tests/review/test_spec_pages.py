"""The pages on specs in a real browser: they fit every screen, are accessible, open by keyboard and by links, print.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from printed import contents_of_pages

pytestmark = pytest.mark.browser

PHONE, DESK = 390, 1440
SCREENS = [(PHONE, "dark"), (DESK, "light")]
FIELDS = "table.fields summary"


@pytest.fixture(scope="session")
def pages(spec_pages: Path) -> Path:
    return spec_pages


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("name", ["index", "bmc_lldf", "db2_row", "conformance", "samples"])
def test_a_page_fits_the_screen_and_what_is_of_lmparse_is_accessible(
    visit: Any, name: str, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visit(name, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.said == []
    page.evaluate("document.querySelectorAll('table.fields details').forEach((box) => { box.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, context=".lm")
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_box_of_the_drawing_leads_to_its_row_and_opens_it(visit: Any, width: int) -> None:
    page = visit("bmc_lldf", width)
    boxes = page.locator(".diagram:visible a")
    edges = boxes.evaluate_all("all => all.map((one) => one.getBoundingClientRect()).map((at) => [at.left, at.right])")
    assert len(edges) > 50
    assert all(left >= 0 and right <= width for left, right in edges)
    page.locator(".diagram:visible a[href='#change_type']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#change_type")
    panel = page.locator("[id='change_type'] .panel")
    panel.wait_for()
    assert "UB E4C2" in panel.inner_text()
    page.wait_for_function("document.getElementById('change_type').getBoundingClientRect().top < 900")


def test_fields_open_by_keyboard_and_all_by_one_button(visit: Any) -> None:
    page = visit("bmc_lldf")
    panel = page.locator("[id='length'] .panel")
    assert not panel.is_visible()
    page.locator("[id='length'] summary").focus()
    page.keyboard.press("Enter")
    assert re.search(r"Seen in \d+ records", panel.inner_text())
    page.get_by_role("button", name="Open all fields").click()
    assert page.locator("table.fields details[open]").count() == page.locator(FIELDS).count() > 50


def test_without_scripts_fields_open(browser: Any, pages: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{pages}/bmc_lldf.html")
    page.locator("[id='change_type'] summary").click()
    assert "UB E4C2" in page.locator("[id='change_type']").inner_text()
    context.close()


@pytest.mark.parametrize("name", ["bmc_lldf", "index"])
def test_no_printed_page_is_blank(visit: Any, name: str) -> None:
    drawn = contents_of_pages(visit(name).pdf(prefer_css_page_size=True))
    assert drawn
    assert all(re.search(rb"T[jJ]", page) for page in drawn)


@pytest.mark.parametrize(("name", "boxes"), [("bmc_lldf", "table.fields .panel"), ("conformance", ".folds table")])
def test_on_paper_everything_is_open(visit: Any, name: str, boxes: str) -> None:
    page = visit(name)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(boxes).evaluate_all("all => all.every((one) => one.getBoundingClientRect().height > 20)")


def test_a_link_to_a_table_of_conformance_opens_it(visit: Any) -> None:
    page = visit("conformance.html#table-2")
    assert page.locator("#table-2 table").is_visible()
    assert not page.locator("#table-1 table").is_visible()


@pytest.mark.parametrize("words", ["change_type", "CHANGE TYPE"])
def test_the_search_finds_a_field(visit: Any, words: str) -> None:
    page = visit("index")
    page.locator("input.sidebar-search").fill(words)
    page.keyboard.press("Enter")
    page.locator("a[href^='bmc_lldf.html#change_type']").first.wait_for()
