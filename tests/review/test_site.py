"""The site in a real browser: guides and spec pages together, as Sphinx builds them.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PHONE, DESK = 390, 1440


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it: warnings are errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", str(folder / "trees")]
    done = subprocess.run(
        [*command, str(ROOT / "docs"), str(folder / "site")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


# -- every page --------------------------------------------------------------------------------


class Links(HTMLParser):
    """The addresses that a page names, and the places in it that have one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            if name in ("href", "src") and value and not (tag == "use" and value.startswith("#svg-")):
                self.addresses.append(value)


def test_every_link_leads_to_a_place_of_the_site(pages: Path) -> None:
    links = {path: Links(path.read_text("utf-8")) for path in pages.rglob("*.html")}
    assert len(links) > 70
    lost = [
        f"{path.relative_to(pages)}: {address}"
        for path, page in links.items()
        for address in page.addresses
        if not _is_there(links, path, address)
    ]
    assert lost == [], "\n".join(lost)


def _is_there(pages: dict[Path, Links], path: Path, address: str) -> bool:
    if re.match(r"(?:https?|mailto|data):", address):
        return True
    name, place = urldefrag(address)
    target = (path.parent / unquote(name.partition("?")[0])).resolve() if name else path
    if not target.is_file():
        return False
    return not place or target not in pages or unquote(place) in pages[target].places


def test_no_page_loads_anything_of_another_host(pages: Path) -> None:
    for path in pages.rglob("*.html"):
        text = path.read_text("utf-8")
        assert not re.search(r'<(?:script|img|iframe)\b[^>]*src="(?:https?:)?//', text), path
        assert not re.search(r'<link\b[^>]*rel="(?:stylesheet|preload|preconnect)"[^>]*href="(?:https?:)?//', text), (
            path
        )


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("name", ["index", "tutorial-analyst", "options", "formats/bmc_lldf"])
def test_a_page_fits_the_screen(visit: Any, name: str, width: int) -> None:
    page = visit(name, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.said == []


def test_on_a_phone_all_of_an_option_is_on_the_screen(visit: Any) -> None:
    cells = visit("options", PHONE).locator("#options > .table-wrapper tbody td")
    assert cells.count() > 100
    assert cells.evaluate_all(f"all => all.every((one) => one.getBoundingClientRect().right <= {PHONE})")


# -- the way of a new user ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "shown"),
    [
        ("Look at the first record", 'change_type (CHANGE TYPE) = "UB"'),
        ("Land the first table", "lake: 52 changes landed"),
        ("Write the first spec", '"amount": "123.45"'),
    ],
)
def test_the_landing_page_leads_to_what_the_first_commands_print(visit: Any, begin: str, shown: str) -> None:
    page = visit("index", PHONE)
    assert page.locator("svg.lm-picture text").count() > 10
    assert "make demo" in page.locator("article pre").first.inner_text()
    page.locator("article").get_by_role("link", name=begin).click()
    assert shown in page.locator("article").inner_text()


def test_a_guide_leads_to_the_field_of_a_spec(visit: Any) -> None:
    page = visit("tutorial-analyst")
    page.get_by_role("link", name="change_type of bmc_lldf").click()
    page.wait_for_url("**/formats/bmc_lldf.html#change_type")
    page.locator("[id='change_type'] .panel").wait_for()
