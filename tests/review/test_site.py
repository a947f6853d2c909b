"""The site in a real browser: one header, one search and one choice of colours over guides and spec pages.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PHONE, DESK = 390, 1440
SCREENS = ((PHONE, "dark"), (DESK, "dark"), (PHONE, "light"), (DESK, "light"))
LOOKED_AT = ("index", "tutorial-analyst", "options", "formats/bmc_lldf")
"""A page of each kind: the landing page, a tutorial, one of the reference, one of a spec."""
PRINTED = ("index", "tutorial-analyst", "options", "python", "formats/index", "formats/bmc_lldf")
LOADED = re.compile(r'<(?:script|img|iframe|link rel="(?:stylesheet|pre\w+)")\b[^>]*(?:src|href)="(?:https?:)?//')
"""What a browser would load from another host by itself."""
DARK, LIGHT = "dark", "light"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, spec_pages: Path) -> Path:
    """The site, as `make docs` builds it: warnings are errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", str(folder / "trees")]
    command += ["-D", f"spec_pages={spec_pages}", str(ROOT / "docs"), str(folder / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Any]:
    """Open a page; what it says on the console and what it asks of other hosts is kept in `said`."""
    contexts = []

    def open_(name: str, width: int = DESK, scheme: Any = LIGHT) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith("file:") else said.append(request.url))
        page.goto(f"file://{site / name}.html")
        page.said = said
        return page

    yield open_
    for context in contexts:
        context.close()


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


def test_every_link_leads_to_a_place_of_the_site(site: Path) -> None:
    pages = {path: Links(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 70
    lost = [
        f"{path.relative_to(site)}: {address}"
        for path, page in pages.items()
        for address in page.addresses
        if not _is_there(pages, path, address)
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


def test_every_page_has_the_header_and_nothing_of_another_host(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert text.count('class="lm-header"') == 1, path
        assert text.count('id="site-search"') == 1, path
        assert not re.search(r'<(?:script|img|iframe)\b[^>]*src="(?:https?:)?//', text), path
        assert not re.search(r'<link\b[^>]*rel="(?:stylesheet|preload|preconnect)"[^>]*href="(?:https?:)?//', text), (
            path
        )


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_accessible_and_fits(visit: Any, name: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visit(name, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.said == []
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", PRINTED)
def test_no_printed_page_is_blank(visit: Any, name: str) -> None:
    """A page without text and drawings has a short content stream; an A4 page of this site never has."""
    page = visit(name, scheme=DARK)
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.lm-header')).display") == "none"
    sizes = _content_sizes(page.pdf(format="A4"))
    assert sizes
    assert min(sizes) > 150, sizes


def _content_sizes(pdf: bytes) -> list[int]:
    """The length of the content stream of each page of a PDF."""
    objects = {int(match[1]): match[2] for match in re.finditer(rb"(\d+) 0 obj\n(.*?)\nendobj", pdf, re.DOTALL)}
    pages = [body for body in objects.values() if re.search(rb"/Type /Page\b", body)]
    found = []
    for body in pages:
        content = re.search(rb"/Contents (\d+) 0 R", body)
        assert content is not None
        length = re.search(rb"/Length (\d+)", objects[int(content[1])])
        assert length is not None
        found.append(int(length[1]))
    return found


def test_on_a_phone_all_of_an_option_is_on_the_screen(visit: Any) -> None:
    cells = visit("options", PHONE).locator("#options > .table-wrapper tbody td")
    assert cells.count() > 100
    assert cells.evaluate_all(f"all => all.every((one) => one.getBoundingClientRect().right <= {PHONE})")


# -- one search --------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["index", "formats/db2_log"])
@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("change_type", "formats/bmc_lldf.html#change_type"),
        ("bmc_lldf 104", "formats/bmc_lldf.html#change_type"),
        ("LMP-F013", "errors.html#lmp-f013"),
        ("LRSN", "glossary.html#logs-of-db2"),
        ("byteOrder", "options.html#options"),
        ("open_log", "python.html#lmparse.open_log"),
        ("lmparse land", "commands.html#lmparse-land"),
        ("first record", "tutorial-analyst.html"),
    ],
)
def test_one_search_finds_fields_and_guides(visit: Any, start: str, words: str, address: str) -> None:
    page = visit(start)
    page.wait_for_selector("#site-search:not([hidden])")
    page.keyboard.press("/")
    page.keyboard.type(words)
    assert page.get_by_role("option").count() > 0
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{address}*")
    assert page.said == []


def test_a_table_of_a_manual_is_found_by_its_number(visit: Any) -> None:
    page = visit("guides")
    page.get_by_role("combobox").fill("Table 106")
    first = page.get_by_role("option").first
    first.wait_for()
    assert "106" in first.inner_text()


def test_a_long_result_shows_what_is_around_the_words(visit: Any) -> None:
    page = visit("index")
    page.get_by_role("combobox").fill("halfwords")
    shown = page.locator("#search-results .more")
    shown.first.wait_for()
    texts = shown.all_inner_texts()
    assert max(map(len, texts)) <= 170
    assert any("halfwords" in text.lower() for text in texts)


# -- one header --------------------------------------------------------------------------------


def colour(page: Page) -> int:
    """The sum of red, green and blue of the paper: 765 is white."""
    return sum(map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]))


def test_the_chosen_colours_are_those_of_all_pages(visit: Any, site: Path) -> None:
    page = visit("index", scheme=LIGHT)
    assert colour(page) > 600
    page.get_by_role("button", name="Colours: auto").click()
    assert colour(page) < 150
    page.goto(f"file://{site}/formats/bmc_lldf.html")
    assert colour(page) < 150
    page.get_by_role("button", name="Colours: dark").click()
    assert colour(page) > 600
    page.emulate_media(color_scheme=DARK)
    assert colour(page) > 600
    page.goto(f"file://{site}/glossary.html")
    assert colour(page) > 600
    page.get_by_role("button", name="Colours: light").click()
    assert colour(page) < 150
    assert page.said == []


@pytest.mark.parametrize("name", ["index", "formats/bmc_lldf"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_header_is_reached_by_keyboard(visit: Any, name: str, width: int) -> None:
    page = visit(name, width)
    page.wait_for_selector("#site-search:not([hidden])")
    reached = []
    for _ in range(9):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
    assert reached[0] == "Skip to the page"
    expected = ["lmparse", "Tutorials", "Guides", "Reference", "Formats", "search-words", "Colours: auto"]
    assert [word for word in reached if word in expected] == expected


def test_on_a_phone_the_list_of_pages_opens_by_keyboard(visit: Any) -> None:
    page = visit("glossary", PHONE)
    button = page.get_by_role("button", name="All pages")
    assert not page.locator(".sidebar-tree").get_by_role("link", name="Tutorials").is_visible()
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert button.evaluate("button => button === document.activeElement")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Tutorials"
    page.keyboard.press("Enter")
    page.wait_for_url("**/tutorials.html")


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
    assert "lmparse demo" in page.locator("article pre").first.inner_text()
    page.locator("article").get_by_role("link", name=begin).click()
    assert shown in page.locator("article").inner_text()


def test_a_guide_leads_to_the_field_of_a_spec_and_back(visit: Any) -> None:
    page = visit("tutorial-analyst")
    page.get_by_role("link", name="change_type of bmc_lldf").click()
    page.wait_for_url("**/formats/bmc_lldf.html#change_type")
    box = page.locator("[id='change_type']").bounding_box()
    header = page.locator(".lm-header").bounding_box()
    assert header["y"] + header["height"] <= box["y"] < 900
    page.get_by_role("link", name="lmparse", exact=True).click()
    page.wait_for_url("**/index.html")
