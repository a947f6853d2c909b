"""Many records in a real browser: the page with all records, and the server; both have the same front-end.

Run by `make test-pages` wherever there is a Chromium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from printed import contents_of_pages

from lmparse.review.browse.live import LiveSpecs
from lmparse.review.browse.page import records_page
from lmparse.review.browse.served_file import ServedFile
from lmparse.review.browse.server import RecordServer
from lmparse.samples import bmc_log, db2_log

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PHONE, DESK = 390, 1440
BAD = Path(__file__).parents[1] / "cases_bad"
DAMAGED = BAD / "bmc_row_image" / "value_dec_digit.bin"
CUT = BAD / "bmc_lldf" / "cut_inside_record.bin"
SPEC = "meta: {id: acme_a}\nseq: [{id: one, type: u1}, {id: rest, size-eos: true}]\n"
WAYS = ("page", "server")


class Shown:
    """Addresses of pages with all records, and of servers, by the file that they show."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: dict[tuple[str, str], RecordServer] = {}
        self._pages: dict[tuple[str, str], str] = {}

    def address(self, way: str, file: Path, **options: str) -> str:
        """The address of one of the two ways to look at a file."""
        key = way, str(file)
        if way == "server":
            if key not in self._servers:
                self._servers[key] = started(RecordServer([ServedFile(str(file), options)]))
            return self._servers[key].address
        if key not in self._pages:
            place = self._folder / f"{len(self._pages)}.html"
            place.write_text(records_page(str(file), **options), "utf-8")
            self._pages[key] = f"file://{place}"
        return self._pages[key]

    def close(self) -> None:
        """End the servers."""
        for server in self._servers.values():
            server.shutdown()
            server.server_close()


def started(server: RecordServer) -> RecordServer:
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    found = Shown(tmp_path_factory.mktemp("pages"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def payroll(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with more records than a page of the list."""
    _, data = bmc_log.make(units=40).write(tmp_path_factory.mktemp("payroll"))
    return data


@pytest.fixture
def visit(browser: Browser) -> Iterator[Any]:
    """Open an address, and wait until a record is shown; nothing may be said on the console."""
    contexts = []
    said: list[str] = []

    def open_(address: str, width: int = DESK, scheme: Any = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        page.wait_for_selector("#values th")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


def numbers(page: Page) -> list[int]:
    """The numbers of the records in the list."""
    return [int(text) for text in page.locator("#rows tbody th").all_inner_texts() if text.isdigit()]


def wait_text(page: Page, name: str, text: str | re.Pattern[str]) -> None:
    """Wait until an element has a text. The page forbids what `wait_for_function` would run in it."""
    from playwright.sync_api import expect

    expect(page.locator(name)).to_contain_text(text, timeout=30_000)


def wait_record(page: Page, number: int | str) -> None:
    wait_text(page, "#record-title", f"Record {number} " if isinstance(number, int) else number)


def apply_filters(page: Page) -> None:
    """Submit the filters, and wait until the list has what passes them and its first record is shown."""
    page.evaluate("document.querySelector('#status').textContent = ''")
    page.click("#filters [type=submit]")
    wait_text(page, "#status", "pass the filter")
    wait_record(page, numbers(page)[0])


SCREENS = [(width, scheme) for width in (PHONE, DESK) for scheme in ("light", "dark")]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_accessible_and_fits_every_screen(
    visit: Any, shown: Shown, payroll: Path, way: str, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for file in (payroll, DAMAGED):
        page = visit(shown.address(way, file), width, scheme)
        if file == payroll:
            page.fill("#filters [name=type]", "UB")
            page.click("#filters [type=submit]")
            page.wait_for_selector("#pairs")
            page.fill("#compare [name=other]", "1")
            page.click("#compare [type=submit]")
            page.wait_for_selector("#comparison")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("way", WAYS)
def test_filters_show_the_records_that_pass(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll))
    assert numbers(page) == list(range(100))
    for name, value, column in (("type", "UB", 3), ("table", "payroll.account", 4)):
        page.fill(f"#filters [name={name}]", value)
        apply_filters(page)
        cells = page.locator(f"#rows tbody tr > :nth-child({column})").all_inner_texts()
        assert {text.casefold() for text in cells} == {value.casefold()}
    both = numbers(page)
    wait_record(page, both[0])
    page.click("#filters [type=reset]")
    wait_text(page, "#status", "100 records, and more")
    page.fill("#filters [name=value]", "change_type=UB")
    apply_filters(page)
    assert set(numbers(page)) > set(both) > set()


def test_both_ways_list_and_show_the_same(visit: Any, shown: Shown, payroll: Path) -> None:
    texts = []
    for way in WAYS:
        page = visit(shown.address(way, payroll))
        page.fill("#filters [name=value]", "PAYUSER")
        apply_filters(page)
        wait_record(page, numbers(page)[0])
        names = ("#rows", "#tree", "#facts", ".view", "#field")
        texts.append([page.inner_text(name) for name in names])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("way", WAYS)
def test_records_are_walked_by_keyboard_and_by_buttons(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll))
    page.focus("#rows tr.current button")
    for number in (1, 2):
        page.keyboard.press("ArrowDown")
        wait_record(page, number)
        page.wait_for_selector("#rows tr.current button:focus")
    page.keyboard.press("ArrowUp")
    wait_record(page, 1)
    page.click("#next")
    wait_record(page, 2)
    page.click("#previous")
    wait_record(page, 1)
    page.fill("#goto [name=record]", "99")
    page.keyboard.press("Enter")
    wait_record(page, 99)
    page.click("#next")  # on the next page of the list
    wait_record(page, 100)
    assert numbers(page)[0] == 100
    page.click("#previous")
    wait_record(page, 99)
    page.fill("#goto [name=record]", "999999")
    page.keyboard.press("Enter")
    wait_text(page, "#trouble", "there is no record 999999")
    wait_record(page, 99)


@pytest.mark.parametrize("way", WAYS)
def test_the_next_fault_is_shown_at_its_field(visit: Any, shown: Shown, way: str) -> None:
    page = visit(shown.address(way, DAMAGED, control=str(DAMAGED.with_suffix(".ctl"))))
    page.click("#fault")
    wait_record(page, 1)
    assert "[LMP-V002]" in page.inner_text("#record .faults")
    assert "[LMP-V002]" in page.inner_text("#field .wrong")
    assert page.locator("#tree .lit .wrong").count() == 1
    assert page.locator(".view .r.faulty.lit").count() > 0
    page.check("#filters [name=damaged]")
    apply_filters(page)
    assert numbers(page) == [1]
    page = visit(shown.address(way, CUT))
    page.click("#fault")
    wait_record(page, "Bytes that are not a sound record")
    assert "[LMP-F006]" in page.inner_text("#record .faults")


@pytest.mark.parametrize("way", WAYS)
def test_the_tree_folds_and_its_fields_light_their_bytes(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll))
    button = page.locator("#tree [data-line]", has_text="change_type").first
    button.click()
    assert page.locator(".view .hex .lit").all_inner_texts() == ["C9", "40"]
    assert "Type of update." in page.inner_text("#field")
    page.keyboard.press("ArrowDown")
    assert "sql_type" in page.inner_text("#field h3")
    page.locator(".view .hex [data-at='105']").last.click()
    assert "change_type" in page.inner_text("#field h3")
    page.focus(".view")
    page.keyboard.press("ArrowRight")
    assert "sql_type" in page.inner_text("#field h3")
    visible = page.locator("#tree [data-line]:visible").count()
    page.click("text=Fold all")
    assert page.locator("#tree [data-line]:visible").count() < visible
    page.focus("#tree summary")
    page.keyboard.press("ArrowRight")
    folded = page.locator("#tree [data-line]:visible").count()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tree [data-line]:visible").count() < folded
    page.click("text=Unfold all")
    assert page.locator("#tree [data-line]:visible").count() == visible


@pytest.mark.parametrize("way", WAYS)
def test_any_bytes_are_inspected(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll))
    page.fill("#range [name=from]", "2")
    page.fill("#range [name=size]", "4")
    wait_text(page, "#values", "DB2P")
    page.focus(".view")
    page.keyboard.press("Shift+ArrowLeft")
    wait_text(page, "#values", re.compile(r"C4 C2 F2(?! D7)"))
    assert page.locator(".view .hex .lit").all_inner_texts() == ["C4", "C2", "F2"]
    rows = dict(line.split("\t", 1) for line in page.inner_text("#values").splitlines())
    if way == "server":
        assert rows["u3, big-endian"].strip() == str(0xC4C2F2)
        assert "[LMP-V008]" in rows["zoned decimal, cp1047"]
    else:
        assert "lmparse serve" in page.inner_text("#inspector-note")
    first, last = (page.locator(f".view .hex [data-section='1'][data-at='{at}']") for at in (16, 19))
    first.hover()
    page.mouse.down()
    last.hover()
    page.mouse.up()
    wait_text(page, "#values", "DB00")


@pytest.mark.parametrize("way", WAYS)
def test_values_texts_and_bytes_are_found(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll))
    page.fill("#finder [name=what]", "C4 D6 C3 E4 D4 C5 D5 E3")
    page.select_option("#finder [name=as]", "hex")
    page.click("#finder [type=submit]")
    wait_text(page, "#status", "found in record")
    by_hex = page.inner_text("#record-title")
    assert page.locator(".view .hex .lit").count() == 8
    page.fill("#goto [name=record]", "0")
    page.click("#goto [type=submit]")
    wait_record(page, 0)
    for kind, what in (("text", "DOCUMENT"), ("value", "table_name=DOCUMENT")):
        page.fill("#goto [name=record]", "0")
        page.click("#goto [type=submit]")
        wait_record(page, 0)
        page.fill("#finder [name=what]", what)
        page.select_option("#finder [name=as]", kind)
        page.click("#finder [type=submit]")
        wait_record(page, by_hex)
    page.fill("#finder [name=what]", "no such value")
    page.click("#finder [type=submit]")
    wait_text(page, "#status", "not found behind")
    page.select_option("#finder [name=as]", "hex")
    page.click("#finder [type=submit]")
    wait_text(page, "#trouble", "is not hex")


@pytest.mark.parametrize("way", WAYS)
def test_an_update_shows_what_changed_and_two_records_what_differs(
    visit: Any, shown: Shown, tmp_path: Path, way: str
) -> None:
    tables, log = db2_log.make(units=12).write(tmp_path)
    page = visit(shown.address(way, log, tables=str(tables)))
    page.fill("#filters [name=type]", "update")
    page.click("#filters [type=submit]")
    page.wait_for_selector("#pairs")
    changed = page.locator("#pairs tr.differs")
    assert 0 < changed.count() < page.locator("#pairs tbody tr").count()
    assert set(changed.locator(".mark").all_inner_texts()) == {"changed"}
    for row in changed.all():
        before, after = row.locator("code").all_inner_texts()
        assert before != after
    first, second = numbers(page)[:2]
    page.fill("#compare [name=other]", str(second))
    page.click("#compare [type=submit]")
    page.wait_for_selector("#comparison")
    assert page.inner_text("#compared-title").startswith(f"Records {first} and {second}: ")
    assert page.locator("#comparison tbody tr:not(.differs)").count() == 0
    page.check("#compared input")
    page.wait_for_selector("#comparison tbody tr:not(.differs)")
    page.click("#next")
    wait_record(page, second)
    assert page.inner_text("#compared") == ""


@pytest.mark.parametrize("way", WAYS)
def test_on_paper_all_is_shown_and_nothing_is_for_the_screen(visit: Any, shown: Shown, payroll: Path, way: str) -> None:
    page = visit(shown.address(way, payroll), 718)  # A4 within its margins
    page.fill("#filters [name=type]", "UB")
    apply_filters(page)
    page.wait_for_selector("#pairs")
    page.emulate_media(media="print")
    for name in (".tools", ".pages", "#compare", "#inspector", "fieldset", "text=Fold all"):
        assert not page.locator(name).first.is_visible(), name
    for name in ("#rows", "#pairs", ".view", "#tree", "#field", "#facts", "#read-with"):
        assert page.locator(name).is_visible(), name
    clips = "(one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)"
    hides = "getComputedStyle(one).overflow !== 'visible'"
    count = f"all => all.filter((one) => {clips} && {hides}).length"
    assert page.locator(".scroll, .view").evaluate_all(count) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    drawn = contents_of_pages(page.pdf(format="A4"))
    assert drawn
    assert all(re.search(rb"T[jJ]", content) for content in drawn)


def test_a_file_that_changes_is_said_and_read_again(visit: Any, shown: Shown, tmp_path: Path) -> None:
    file = tmp_path / "cut.bin"
    file.write_bytes(CUT.read_bytes())
    page = visit(shown.address("server", file))
    file.write_bytes(CUT.read_bytes()[:400])
    page.click("#next")
    wait_text(page, "#trouble", "[LMP-F012]")
    wait_record(page, 0)  # what was shown stays
    page.click("text=Read the file again")
    wait_text(page, "#facts", "400 bytes")
    assert page.inner_text("#trouble") == ""


def test_an_edited_spec_is_shown_with_its_errors_at_their_lines(visit: Any, tmp_path: Path) -> None:
    spec, file = tmp_path / "acme_a.ksy", tmp_path / "two.bin"
    spec.write_text(SPEC)
    file.write_bytes(b"\1abc\2xyz")
    options = {"framing": "fixed", "record_length": "4"}
    files = [ServedFile(str(file), options)]
    live = LiveSpecs(tmp_path, None, files, options).start()
    server = started(RecordServer(files, live=live))
    try:
        page = visit(server.address)
        page.click("#next")
        wait_record(page, 1)
        spec.write_text(SPEC.replace("id: one", "id: uno"))
        page.wait_for_selector("#tree >> text=uno")
        wait_record(page, 1)
        spec.write_text(SPEC.replace("u1", "u77"))
        wait_text(page, "#trouble", re.compile(r"acme_a\.ksy:2:\d+: "))
        assert page.locator("#tree >> text=uno").count() == 1  # the last good one stays
        spec.write_text(SPEC)
        page.wait_for_selector("#tree >> text=one")
        wait_text(page, "#trouble", re.compile(r"^$"))
    finally:
        server.shutdown()
        server.server_close()
        live.close()


def test_on_paper_are_the_list_and_the_record_and_nothing_that_asks_for_a_click(
    visit: Any, shown: Shown, payroll: Path
) -> None:
    page = visit(shown.address("page", payroll))
    page.emulate_media(media="print")
    for name in (".tools", ".pages", ".folds button", "#compare", "#inspector"):
        assert not page.locator(name).first.is_visible(), name
    assert page.locator("#rows tbody tr").count() == 100
    box = page.locator(".list-pane .scroll")
    assert box.evaluate("box => box.scrollHeight === box.clientHeight"), "the list is cut"
    assert page.locator(".view").evaluate("box => box.scrollHeight === box.clientHeight"), "the bytes are cut"
    listed, record = page.locator(".list-pane").bounding_box(), page.locator(".record-pane").bounding_box()
    assert record["y"] >= listed["y"] + listed["height"]
    assert page.locator(".record-pane").evaluate("pane => getComputedStyle(pane).breakBefore") == "page"
