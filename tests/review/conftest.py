"""What tests share: of `lmparse explain` the command and a sample; of pages the browser, and those of all specs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lmparse import cli
from lmparse.samples import db2_log

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"
DESK = 1440


@pytest.fixture
def in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is that of the tests, so that paths of cases are short."""
    monkeypatch.chdir(TESTS)


@pytest.fixture
def run_explain(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `lmparse explain`; gives exit code, standard output, standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main(["explain", *map(str, words)])
        except SystemExit as end:
            code = int(str(end.code))
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def luw_sample(tmp_path: Path) -> dict[str, str]:
    """The sample of Db2 for LUW on disk: a log, and its tables file under `tables`."""
    tables, log = db2_log.make(units=12).write(tmp_path)
    return {"path": str(log), "tables": str(tables)}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # A sandbox of its own is what a container does not give to root.
        found = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def spec_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `lmparse docs` writes."""
    folder = tmp_path_factory.mktemp("specs") / "pages"
    command = [sys.executable, "-m", "lmparse", "docs", str(folder), "--samples", str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=CASES, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def visit(browser: Browser, pages: Path) -> Iterator[Any]:
    """Open a page of the folder `pages`; what it says on the console, or asks for elsewhere, is kept in `said`."""
    contexts = []

    def open_(name: str, width: int = DESK, scheme: Any = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith("file:") else said.append(request.url))
        page.goto(f"file://{pages / name}.html" if "#" not in name else f"file://{pages}/{name}")
        page.said = said
        return page

    yield open_
    for context in contexts:
        context.close()
