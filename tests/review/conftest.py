"""What the tests in a browser share: the browser, and the pages of all specs with the cases as samples."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CASES = Path(__file__).parents[1] / "cases"


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
