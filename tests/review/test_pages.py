"""The pages in a real browser: no errors, nothing loaded, readable on every screen, usable by keyboard, accessible.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"
PHONE, DESK = 390, 1440
EXPLAINED = {
    "insert": ("bmc_lldf/changes_bdw.bin", "--control", "bmc_lldf/changes_bdw.ctl", "--record", "0"),
    "column": ("bmc_dlci/every_field.bin", "--spec", "bmc_dlci", "--framing", "rdw", "--record", "0"),
    "luw": ("db2_log/v10_little_transactions.bin", "--record", "0"),
}
"""Pages of single records."""


def lmparse(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lmparse", *map(str, arguments)], capture_output=True, text=True, cwd=CASES, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of single records, each made by its command."""
    folder = tmp_path_factory.mktemp("pages")
    for name, (file, *options) in EXPLAINED.items():
        lmparse("explain", file, *options, "--html", folder / f"explain-{name}.html")
    return folder


def all_pages() -> list[str]:
    return [f"explain-{name}" for name in EXPLAINED]


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
