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

from lmparse.review.serve.live import LiveSpecs
from lmparse.review.serve.record_list import ServedFile
from lmparse.review.serve.server import RecordServer
from lmparse.samples import bmc_log

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

PHONE, DESK = 390, 1440
BAD = Path(__file__).parents[1] / "cases_bad"
DAMAGED = BAD / "bmc_row_image" / "value_dec_digit.bin"
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
        page.wait_for_selector("#rows [aria-current]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


def numbers(page: Page) -> list[int]:
    """The numbers of the records in the list."""
    return [int(text) for text in page.locator("#rows tbody th").all_inner_texts() if text.isdigit()]


def wait_text(place: Locator, text: str | re.Pattern[str]) -> None:
    """Wait until an element has a text. The page forbids what `wait_for_function` would run in it."""
    from playwright.sync_api import expect

    expect(place).to_contain_text(text, timeout=30_000)


def wait_record(page: Page, title: int | str) -> None:
    """Wait until a record is shown, and marked in the list."""
    text = f"Record {title} of" if isinstance(title, int) else title
    wait_text(page.frame_locator("iframe").locator("h1"), text)
    if isinstance(title, int):
        page.wait_for_selector(f"#rows [aria-current]:text-is('{title}')")


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_it_is_accessible_and_fits_every_screen(
    visit: Any, shown: Shown, payroll: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for file in (payroll, DAMAGED):
        page = visit(shown.address(file), width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_filters_show_the_records_that_pass(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll))
    assert numbers(page) == list(range(100))
    page.fill("[name=type]", "UB")
    page.fill("[name=table]", "payroll.account")
    page.click("text=Filter")
    wait_text(page.locator("[role=status]"), re.compile("pass(es)? the filter"))
    for value, column in (("UB", 3), ("PAYROLL.ACCOUNT", 4)):
        assert {*page.locator(f"#rows tbody tr > :nth-child({column})").all_inner_texts()} == {value}
    wait_record(page, numbers(page)[0])
    page.click("text=all records")
    wait_record(page, 0)
    page.click("#later")
    wait_record(page, 100)


def test_records_are_walked_by_keyboard_shown_by_number_and_compared(visit: Any, shown: Shown, payroll: Path) -> None:
    page = visit(shown.address(payroll))
    page.focus("#rows [aria-current]")
    for number in (1, 2):
        page.keyboard.press("ArrowDown")
        wait_record(page, number)
    page.keyboard.press("ArrowUp")
    wait_record(page, 1)
    page.fill("form[action='/record'] [name=record]", "99")
    page.keyboard.press("Enter")
    wait_record(page, 99)
    page.reload()
    wait_record(page, 99)
    page.fill("[name=other]", "3")
    page.click("text=Compare")
    wait_record(page, "Records 99 and 3: ")
    assert page.frame_locator("iframe").locator("#comparison tbody tr").count() > 3


def test_damage_is_listed_and_shown_at_its_field(visit: Any, shown: Shown) -> None:
    page = visit(shown.address(DAMAGED, control=str(DAMAGED.with_suffix(".ctl"))))
    page.check("[name=damaged]")
    page.click("text=Filter")
    wait_record(page, 1)
    assert numbers(page) == [1]
    frame = page.frame_locator("iframe")
    wait_text(frame.locator(".faults"), "[LMP-V002]")
    wait_text(frame.locator(".value .wrong"), "[LMP-V002]")


def test_an_edited_spec_is_shown_with_its_errors_at_their_lines(visit: Any, tmp_path: Path) -> None:
    spec, file = tmp_path / "acme_a.ksy", tmp_path / "two.bin"
    spec.write_text(SPEC)
    file.write_bytes(b"\1abc\2xyz")
    options = {"framing": "fixed", "record_length": "4"}
    files = [ServedFile(str(file), None)]
    live = LiveSpecs(spec, files, options).start()
    server = started(RecordServer(files, live=live))
    try:
        page = visit(server.address)
        page.click("#rows a:text-is('1')")
        wait_record(page, 1)
        frame = page.frame_locator("iframe")
        frame.locator("button:text-is('one')").click()
        spec.write_text(SPEC.replace("id: one", "id: uno"))
        frame.locator("button[aria-pressed=true]:text-is('uno')").wait_for()
        wait_record(page, 1)
        spec.write_text(SPEC.replace("u1", "u77"))
        wait_text(page.locator("#trouble"), re.compile(r"acme_a\.ksy:2:\d+: "))
        assert frame.locator("button:text-is('uno')").count() == 1  # the last good one stays
        spec.write_text(SPEC)
        frame.locator("button:text-is('one')").wait_for()
        wait_text(page.locator("#trouble"), re.compile(r"^$"))
        page.close()  # it asks for the state of the specs until it is closed
    finally:
        server.stop()
        live.close()
