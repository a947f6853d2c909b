"""The records of a file in a real browser, as `lmparse serve` shows them.

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

from lmparse.review.serve.live import LiveSpecs
from lmparse.review.serve.served_file import ServedFile
from lmparse.review.serve.server import RecordServer
from lmparse.samples import bmc_log, db2_log

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PHONE, DESK = 390, 1440
BAD = Path(__file__).parents[1] / "cases_bad"
DAMAGED = BAD / "bmc_row_image" / "value_dec_digit.bin"
CUT = BAD / "bmc_lldf" / "cut_inside_record.bin"
SPEC = "meta: {id: acme_a}\nseq: [{id: one, type: u1}, {id: rest, size-eos: true}]\n"


class Shown:
    """Addresses of servers, by the file that they show."""

    def __init__(self) -> None:
        self._servers: dict[str, RecordServer] = {}

    def address(self, file: Path, **options: str) -> str:
        """The address of a server for a file."""
        if str(file) not in self._servers:
            self._servers[str(file)] = started(RecordServer([ServedFile(str(file), options)]))
        return self._servers[str(file)].address

    def close(self) -> None:
        """End the servers."""
        for server in self._servers.values():
            server.stop()


def started(server: RecordServer) -> RecordServer:
    Thread(target=server.run, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    found = Shown()
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
        page.wait_for_selector("#tree .lit")
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
    wait_text(page, "#status", re.compile("pass(es)? the filter"))
    wait_record(page, numbers(page)[0])


SCREENS = [(width, scheme) for width in (PHONE, DESK) for scheme in ("light", "dark")]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_it_is_accessible_and_fits_every_screen(
    visit: Any, shown: Shown, payroll: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for file in (payroll, DAMAGED):
        page = visit(shown.address(file), width, scheme)
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


def test_filters_show_the_records_that_pass(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll))
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


def test_records_are_walked_by_keyboard_and_by_buttons(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll))
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


def test_damage_is_listed_and_shown_at_its_field(visit: Any, shown: Shown) -> None:
    page = visit(shown.address(DAMAGED, control=str(DAMAGED.with_suffix(".ctl"))))
    page.check("#filters [name=damaged]")
    apply_filters(page)
    assert numbers(page) == [1]
    assert "[LMP-V002]" in page.inner_text("#record .faults")
    assert "[LMP-V002]" in page.inner_text("#field .wrong")
    assert page.locator("#tree .lit .wrong").count() == 1
    assert page.locator(".view .r.faulty.lit").count() > 0
    page = visit(shown.address(CUT))
    page.click("#rows tr[data-offset] button")
    wait_record(page, "Bytes that are not a sound record")
    assert "[LMP-F006]" in page.inner_text("#record .faults")


def test_the_tree_folds_and_its_fields_light_their_bytes(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll))
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


def test_an_update_shows_what_changed_and_two_records_what_differs(visit: Any, shown: Shown, tmp_path: Path) -> None:
    tables, log = db2_log.make(units=12).write(tmp_path)
    page = visit(shown.address(log, tables=str(tables)))
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


def test_on_paper_all_is_shown_and_nothing_is_for_the_screen(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll), 718)  # A4 within its margins
    page.fill("#filters [name=type]", "UB")
    apply_filters(page)
    page.wait_for_selector("#pairs")
    page.emulate_media(media="print")
    for name in (".tools", ".pages", "#compare", "fieldset", "text=Fold all"):
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
    page = visit(shown.address(file))
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
        page.close()  # it asks for the state of the specs until it is closed
    finally:
        server.stop()
        live.close()
