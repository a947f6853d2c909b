"""Pages in files have a policy: nothing runs, is shown or is asked for but their own styles and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lmparse.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CASES = Path(__file__).parents[1] / "cases"
LOG = str(CASES / "bmc_row_image" / "sas_dates.bin")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
NONCED = re.compile(r"<(?:style|script)\b([^>]*)>")
PAGES: dict[str, Callable[[Path], list[str]]] = {
    "explain": lambda out: ["explain", LOG, "--html", str(out)],
}
INJECTED = """<p id="foreign" style="display: none"></p><style>p { color: red }</style>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onerror="document.title = 1" onload="document.title = 2">
<script>document.title = "run"</script>"""


def written(kind: str, out: Path) -> str:
    """The text of a page that a command writes."""
    assert main(PAGES[kind](out)) == 0
    return out.read_text("utf-8")


@pytest.mark.parametrize("kind", PAGES)
def test_every_page_of_a_command_allows_its_own_styles_and_scripts_only(kind: str, tmp_path: Path) -> None:
    text = written(kind, tmp_path / "a.html")
    head, found, rest = text.partition(POLICY.search(text)[0])  # type: ignore[index]
    policy = POLICY.search(found)[1].replace("&#39;", "'")  # type: ignore[index]
    (nonce,) = set(re.findall(r"'nonce-([0-9a-f]{32})'", policy))
    assert policy.startswith("default-src 'none'; ")
    assert not NONCED.search(head)
    elements = [given for given in NONCED.findall(rest) if "application/json" not in given]
    assert elements
    assert set(elements) == {f' nonce="{nonce}"'}
    assert text == written(kind, tmp_path / "b.html")


@pytest.mark.browser
@pytest.mark.parametrize("kind", PAGES)
def test_what_is_brought_into_a_page_is_not_run(kind: str, tmp_path: Path, browser: Browser) -> None:
    place = tmp_path / "page.html"
    text = written(kind, place)
    title = re.search(r"<title>(.*?)</title>", text)[1]  # type: ignore[index]
    place.write_text(text.replace("</body>", INJECTED + "</body>"), "utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"file://{place}")
    assert page.title() == title
    assert len([line for line in said if "Content Security Policy" in line]) >= 3
    page.close()
