"""The code of every page runs, and prints what the page shows; what does not run says why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laws.guide_pages import DATA, PROGRAMS, WALKED, blocks, fences, run_page

from lmparse.samples import bmc_log, db2_log

ROOT = Path(__file__).parents[2]
SPECS = Path(__file__).parents[1] / "cases_diff" / "all_at_once"
"""The specs that docs/review.md compares."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "bench" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
RUN = [page for page in PAGES if page not in WALKED and any(block.is_run for block in blocks(page))]
"""Pages whose blocks run beside the logs of the demo; what starts Spark runs in test_wheel.py."""


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the logs of `lmparse demo`, in demo/ and beside it, and the files that only some pages name."""
    folder = tmp_path_factory.mktemp("logs")
    for name in ("old.ksy", "new.ksy"):
        shutil.copy(SPECS / name, folder)
    bmc_log.make().write(folder / "demo" / "log")
    db2_log.make().write(folder / "demo" / "luw")
    for path in (folder / "demo").glob("*/*"):
        shutil.copy(path, folder)
    shutil.copytree(folder / "demo" / "log", folder / "samples")
    shutil.copy(folder / "sample.log", folder / "big.log")
    return folder


@pytest.fixture
def place(tmp_path: Path, logs: Path) -> Path:
    """A folder of its own for each page, with these files."""
    shutil.copytree(logs, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_a_page_prints_what_it_shows(page: Path, place: Path) -> None:
    run_page(page, place)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_a_program_or_data(page: Path) -> None:
    for block in blocks(page):
        assert block.language in (*PROGRAMS, *DATA), f"{page.name}:{block.line} has no language that says what it is"
        assert block.reason is None or len(block.reason.split()) > 2, f"{page.name}:{block.line} does not say why"
    assert fences(page) == 0


def test_most_pages_run() -> None:
    assert len(RUN) >= 10
