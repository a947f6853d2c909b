"""The pages in a real browser: no errors, nothing loaded, readable on every screen, usable by keyboard, accessible.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"
PHONE, DESK = 390, 1440
SCHEMES = ("light", "dark")
SITE = ("index", "bmc_lldf", "bmc_dlci", "bmc_control", "db2_dms", "db2_log", "zos_rdw", "conformance", "errors")
"""Pages of the site that are looked at on every screen."""
EXPLAINED = {
    "insert": ("bmc_lldf/changes_bdw.bin", "--control", "bmc_lldf/changes_bdw.ctl", "--record", "0"),
    "column": ("bmc_dlci/every_field.bin", "--spec", "bmc_dlci", "--framing", "rdw", "--record", "0"),
    "luw": ("db2_log/v10_little_transactions.bin", "--record", "0"),
}
"""Pages of single records."""
SUMMARIZED = {
    "bmc": ("bmc_lldf/changes_bdw.bin", "--control", "bmc_lldf/changes_bdw.ctl"),
    "luw": ("db2_log/v10_little_transactions.bin", "--spec", "db2_log"),
}
"""Pages of whole logs."""


def lmparse(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lmparse", *map(str, arguments)], capture_output=True, text=True, cwd=CASES, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, spec_pages: Path) -> Path:
    """The site, pages of single records and of whole logs, each made by its command."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "site").symlink_to(spec_pages)
    for name, (file, *options) in SUMMARIZED.items():
        lmparse("summary", file, *options, "--html", folder / f"summary-{name}.html")
    for name, (file, *options) in EXPLAINED.items():
        lmparse("explain", file, *options, "--html", folder / f"explain-{name}.html")
    return folder


def all_pages() -> list[str]:
    return [
        *(f"site/{name}" for name in SITE),
        *(f"explain-{name}" for name in EXPLAINED),
        *(f"summary-{name}" for name in SUMMARIZED),
    ]


SCREENS = ((PHONE, "dark"), (DESK, "light"))


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark"), *SCREENS])
@pytest.mark.parametrize("name", all_pages())
def test_a_page_fits_its_screen_and_says_nothing_on_the_console(visit: Any, name: str, width: int, scheme: str) -> None:
    page = visit(name, width, scheme)
    assert page.said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.title()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("name", all_pages())
def test_a_page_is_accessible(visit: Any, name: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(visit(name, width, scheme))
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", all_pages())
def test_a_page_prints(visit: Any, name: str) -> None:
    page = visit(name)
    page.emulate_media(media="print")
    assert page.pdf().startswith(b"%PDF")
    assert page.said == []


# -- the site ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("bmc_lldf 104", "bmc_lldf.html#change_type"),
        ("CHANGE TYPE", "bmc_lldf.html#change_type"),
        ("change_type UB", "bmc_lldf.html#change_type"),
        ("UOR_DISP", "bmc_lldf.html#uor_disp"),
        ("LMP-V003", "errors.html#LMP-V003"),
        ("db2_dms", "db2_dms.html"),
        ("common_timestamp17", "common_timestamp17.html"),
    ],
)
def test_search_by_keyboard_leads_to_the_place(visit: Any, words: str, address: str) -> None:
    page = visit("site/index")
    page.keyboard.press("/")
    page.keyboard.type(words)
    results = page.get_by_role("option")
    assert results.count() > 0
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{address}*")
    assert page.said == []


def test_search_says_how_much_it_found_and_goes_where_the_arrows_lead(visit: Any) -> None:
    page = visit("site/index")
    box = page.get_by_role("combobox")
    box.fill("no such word anywhere")
    assert page.locator("#search-state").inner_text() == "Nothing found"
    box.fill("rba")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.get_by_role("option").nth(1)
    assert second.get_attribute("aria-selected") == "true"
    name = second.locator(".what").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "index.html" not in address)
    assert name.rpartition(".")[2] in page.url


def test_what_a_link_leads_to_is_on_the_screen(visit: Any) -> None:
    page = visit("site/index")
    page.locator("main a[href='bmc_lldf.html']").first.click()
    page.wait_for_url("**/bmc_lldf.html")
    page.locator(".diagram a[href='#change_type']").first.click()
    box = page.locator("[id='change_type']").bounding_box()
    assert 0 <= box["y"] < 900


def test_the_site_is_of_use_without_scripts(browser: Browser, pages: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{pages}/site/bmc_lldf.html#change_type")
    assert "CHANGE TYPE" in page.locator("[id='change_type']").inner_text()
    context.close()


# -- one record ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_field_lights_its_bytes_and_every_byte_its_field(visit: Any, name: str) -> None:
    page = visit(f"explain-{name}")
    rows = page.locator(".lmparse-explained tbody tr")
    numbers = rows.evaluate_all("rows => rows.map(row => row.dataset.f)")
    held = set(page.locator(".hex .r").evaluate_all("runs => runs.map(run => run.dataset.f)"))
    assert held
    assert held <= set(numbers)
    for number in [number for number in numbers if number in held][:25]:
        page.locator(f"tbody tr[data-f='{number}']").hover()
        lit = page.locator(".hex .r.lit").evaluate_all("runs => runs.map(run => run.dataset.f)")
        assert number in lit
        page.locator(f".hex .r[data-f='{number}']").first.hover()
        assert page.locator("tbody tr.lit").get_attribute("data-f") == number
    assert page.said == []


def test_a_field_is_reached_and_kept_by_keyboard(visit: Any) -> None:
    page = visit("explain-insert")
    buttons = page.locator("tbody tr button")
    buttons.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    kept = page.locator("tbody tr button[aria-pressed='true']")
    assert kept.count() == 1
    assert kept.inner_text() == buttons.nth(1).inner_text()
    assert page.locator(".hex .r.pinned").count() > 0
    page.keyboard.press("Escape")
    assert page.locator("tbody tr button[aria-pressed='true']").count() == 0
