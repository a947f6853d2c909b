"""The pages on specs in a real browser: everything can be reached by keyboard, on a phone and on paper.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from printed import contents_of_pages

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PHONE, DESK = 390, 1440
SCREENS = [(PHONE, "light"), (PHONE, "dark"), (DESK, "light"), (DESK, "dark")]
OPENED = ("site/bmc_lldf", "site/db2_log", "site/db2_row")
"""Pages that are looked at with everything open."""
FIELDS = "table.fields summary"


def lmparse(*arguments: str | Path, code: int = 0) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lmparse", *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == code, done.stderr


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, spec_pages: Path) -> Path:
    """The site, and a page of changes."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "site").symlink_to(spec_pages)
    return folder


def opened(page: Any) -> Any:
    """A page with everything open that can be opened."""
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    return page


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("name", OPENED)
def test_what_unfolds_is_accessible_and_fits_the_screen(visit: Any, name: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(visit(name, width, scheme))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.said == []


def focused(page: Any, what: str) -> Any:
    return page.evaluate(f"document.activeElement.{what}")


def test_the_fields_are_a_few_tab_stops_away_and_open_by_keyboard(visit: Any) -> None:
    page = visit("site/bmc_lldf")
    stops = 0
    while not page.evaluate(f"document.activeElement.matches({FIELDS!r})"):
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 20
    panel = page.locator("[id='length'] .panel")
    assert not panel.is_visible()
    page.keyboard.press("Enter")
    assert re.search(r"least \d+, greatest \d+; \d+ values", panel.inner_text())
    page.keyboard.press("Enter")
    assert not panel.is_visible()


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_arrow_keys_go_through_the_drawing_and_enter_opens_the_field(visit: Any, width: int) -> None:
    page = visit("site/bmc_lldf", width)
    boxes = page.locator(".diagram:visible a:not([aria-hidden])")
    assert boxes.evaluate_all("boxes => boxes.filter((box) => box.tabIndex === 0).length") == 1
    boxes.first.focus()
    page.keyboard.press("ArrowRight")
    assert focused(page, "hash") == "#system_id"
    page.keyboard.press("ArrowDown")
    below = focused(page, "getBoundingClientRect().top")
    assert below > boxes.first.evaluate("box => box.getBoundingClientRect().top")
    page.keyboard.press("End")
    assert focused(page, "hash") == "#data"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url("**#length")
    panel = page.locator("[id='length'] .panel")
    panel.wait_for()
    assert 0 <= page.locator("[id='length']").bounding_box()["y"] < 900


def test_every_box_of_the_drawing_is_on_the_screen_of_a_phone(visit: Any) -> None:
    page = visit("site/bmc_lldf", PHONE)
    edges = page.locator(".diagram:visible a").evaluate_all(
        "boxes => boxes.map((box) => [box.getBoundingClientRect().left, box.getBoundingClientRect().right])"
    )
    assert len(edges) > 50
    assert all(left >= 0 and right <= PHONE for left, right in edges)


def test_the_tree_is_at_the_side_of_a_desk_and_folded_on_a_phone(visit: Any) -> None:
    desk, phone = visit("site/db2_dms", DESK), visit("site/db2_dms", PHONE)
    here = "nav[aria-label='Specs'] a[aria-current='page']"
    assert desk.locator(here).inner_text().startswith("Data manager log records")
    assert not phone.locator(here).is_visible()
    phone.locator(".tree > summary").focus()
    phone.keyboard.press("Enter")
    assert phone.locator(here).is_visible()
    links = desk.locator("nav[aria-label='On this page'] a")
    links.first.focus()
    desk.keyboard.press("ArrowDown")
    assert focused(desk, "hash") == "#type-of_v7"
    assert links.evaluate_all("links => links.filter((link) => link.tabIndex === 0).length") == 1


@pytest.mark.parametrize(
    ("words", "kind", "name"),
    [
        ("table 106", "manual table", "Table 106"),
        ("byte 106", "byte 106", "bmc_lldf.sql_type"),
        ("bmc_lldf 104", "byte 104", "bmc_lldf.change_type"),
        ("CHANGE TYPE", "field", "bmc_lldf.change_type"),
        ("change_type UB", "value", "UB"),
        ("data change record", "spec", "bmc_lldf"),
        ("update_part_v97", "type", "db2_dms.update_part_v97"),
        ("LMP-V003", "error code", "LMP-V003"),
    ],
)
def test_a_result_of_the_search_says_what_it_is(visit: Any, words: str, kind: str, name: str) -> None:
    page = visit("site/index")
    page.get_by_role("combobox").fill(words)
    first = page.get_by_role("option").first
    assert (first.locator(".kind").inner_text(), first.locator(".what").inner_text()) == (kind, name)


def test_a_table_is_no_byte_in_the_search(visit: Any) -> None:
    page = visit("site/index")
    page.get_by_role("combobox").fill("table 106")
    assert set(page.get_by_role("option").locator(".kind").all_inner_texts()) == {"manual table"}


def test_one_button_opens_all_fields(visit: Any) -> None:
    page = visit("site/bmc_lldf")
    count = page.locator(FIELDS).count()
    page.get_by_role("button", name="Open all fields").click()
    assert page.locator("table.fields details[open]").count() == count > 50


@pytest.mark.parametrize("name", ["site/bmc_lldf", "site/db2_dms", "site/index"])
def test_no_printed_page_is_blank(visit: Any, name: str) -> None:
    drawn = contents_of_pages(visit(name).pdf(prefer_css_page_size=True))
    assert drawn
    assert all(re.search(rb"T[jJ]", page) for page in drawn)


def test_on_paper_everything_is_open_and_nothing_is_for_the_screen(visit: Any) -> None:
    page = visit("site/bmc_lldf")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    panels = page.locator("table.fields .panel")
    assert panels.evaluate_all("panels => panels.every((panel) => panel.getBoundingClientRect().height > 20)")
    assert not page.locator("header.site").is_visible()
    assert not page.locator(".tree").is_visible()
    assert page.locator(".diagram.wide").is_visible()
    assert not page.locator(".diagram.narrow").is_visible()


def test_without_scripts_fields_open_and_the_tree_is_there(browser: Any, pages: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{pages}/site/bmc_lldf.html")
    page.locator("[id='change_type'] summary").click()
    assert "UB E4C2" in page.locator("[id='change_type']").inner_text()
    page.locator(".tree > summary").click()
    assert page.locator("nav[aria-label='On this page']").is_visible()
    context.close()


# -- conformance -----------------------------------------------------------------------------


@pytest.mark.parametrize("width", [390, 1440])
def test_conformance_lists_each_table_with_its_state_and_opens_it_by_keyboard(visit: Any, width: int) -> None:
    page = visit("site/conformance", width)
    tables = page.locator(".folds details")
    assert tables.count() > 90
    assert page.locator(".folds details[open]").count() == 0
    assert tables.evaluate_all("all => all.every((one) => one.getBoundingClientRect().height < 160)")
    assert tables.locator("summary .state").count() == tables.count()
    page.locator("#table-1 summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#table-1 table").is_visible()
    page.get_by_role("button", name="Open all tables").click()
    assert page.locator(".folds details[open]").count() == tables.count()


def test_a_link_to_a_table_of_conformance_opens_it(visit: Any) -> None:
    page = visit("site/conformance.html#table-2")
    assert page.locator("#table-2 table").is_visible()
    assert not page.locator("#table-1 table").is_visible()


def test_conformance_on_paper_has_all_tables_open(visit: Any) -> None:
    page = visit("site/conformance")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".folds details table").evaluate_all("all => all.every((one) => one.offsetHeight > 20)")
