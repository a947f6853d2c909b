"""`lmparse explain` as a page and in a notebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import html5lib
import pytest
from review.explained import LOG, SHOWN, shown

import lmparse
from lmparse.review.explain.search import Explained

pytestmark = pytest.mark.usefixtures("in_tests")


def elements(page: str) -> list[Any]:
    """The elements of a page that strict HTML5 parsing accepts."""
    return list(html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page).iter())


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_ties_every_field_to_its_bytes_and_the_reverse(name: str) -> None:
    found = shown(name)
    nodes = elements(found.html())
    ids = [node.get("id") for node in nodes if node.get("id")]
    assert len(ids) == len(set(ids))
    rows = {node.get("data-f"): node for node in nodes if node.tag == "tr" and node.get("data-f")}
    runs: dict[str, str] = {}
    for node in nodes:
        for run in node if node.tag == "span" and "hex" in node.get("class", "").split() else ():
            runs[run.get("data-f")] = runs.get(run.get("data-f"), "") + (run.text or "").replace(" ", "")
    lines = [(line, section) for section in found.sections for top in section.lines for line, _ in top.walk()]
    assert list(map(int, rows)) == list(range(len(lines)))
    for number, (line, section) in enumerate(lines):
        raw = b"" if line.children else section.dissection.raw[line.start + line.shared : line.end]
        assert runs.pop(str(number), "") == raw.hex().upper()
        up = rows[str(number)].get("data-up")
        assert up is None or int(up) < number
    assert not runs


@pytest.mark.parametrize("name", ["insert", "luw_update", "file_that_ends_inside"])
def test_a_page_loads_nothing(name: str) -> None:
    nodes = elements(shown(name).html())
    assert not [node for node in nodes if node.tag in ("link", "img", "iframe", "object", "base")]
    assert not [node for node in nodes if node.get("src")]
    assert not [node for node in nodes if node.tag == "style" and re.search(r"@import|url\(", node.text)]
    assert not [node for node in nodes if node.tag == "script" and re.search(r"https?:|fetch|XMLHttp", node.text)]


def test_a_value_that_stands_elsewhere_is_tied_to_its_column() -> None:
    rows = [node for node in elements(shown("luw_update").html()) if node.tag == "tr"]
    tied = {node.get("data-f"): node.get("data-beside") for node in rows if node.get("data-beside")}
    assert tied
    names = {node.get("data-f"): "".join(node.find(".//button").itertext()) for node in rows if node.get("data-f")}
    assert all(names[number] == names[other] for number, other in tied.items())


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    found = lmparse.explain(LOG, record=2, control=LOG.replace(".bin", ".ctl"))
    assert isinstance(found, Explained)
    assert repr(found).startswith(f"<record 2 of {LOG} at 0x")
    (frame,) = html5lib.parseFragment(found._repr_html_(), namespaceHTMLElements=False)
    assert (frame.tag, frame.get("sandbox"), frame.get("srcdoc")) == ("iframe", "allow-scripts", found.html())


def test_a_page_goes_to_its_file_and_over_no_other(run_explain: Any, tmp_path: Path) -> None:
    out = tmp_path / "record.html"
    code, printed, err = run_explain(LOG, "--html", out)
    assert (code, printed) == (0, "")
    assert err.startswith(f"note: control file: {LOG.removesuffix('.bin')}.ctl (")
    first = out.read_text("utf-8")
    assert first.startswith("<!DOCTYPE html>")
    code, _, err = run_explain(LOG, "--record", 1, "--html", out)
    assert code == 2
    assert "is there already" in err
    assert out.read_text("utf-8") == first
    assert run_explain(LOG, "--record", 1, "--html", out, "--overwrite")[0] == 0
    assert out.read_text("utf-8") != first
    assert [path.name for path in tmp_path.iterdir()] == ["record.html"]
