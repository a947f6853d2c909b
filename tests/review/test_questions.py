"""Questions of an analyst, answered from the pages alone: by their text and links, without a look into the library."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from cases.collected import samples_of_cases

from lmparse import cli
from lmparse.review.docs import site

CASES = Path(__file__).parents[1] / "cases"
EVIDENCE = re.compile(r"\b(\d+) (given|printed|synthetic)\b")


class Page:
    """A page as a browser has it."""

    def __init__(self, path: Path) -> None:
        parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
        self.root: Element = parser.parse(path.read_text("utf-8"))
        self.by_id = {str(element.get("id")): element for element in self.root.iter() if element.get("id")}

    def values(self, field: str) -> dict[str, str]:
        """The text of each listed value of a field, by the letters or the number that the page shows."""
        rows = [element for name, element in self.by_id.items() if name.startswith(f"{field}.value-")]
        return {words(row).split()[0]: words(row) for row in rows if row.tag == "tr"}


def words(element: Element) -> str:
    """What one reads in an element."""
    return " ".join(" ".join(element.itertext()).split())


def evidence(text: str) -> dict[str, int]:
    """How often a value is in samples, by where they come from."""
    return {kind: int(count) for count, kind in EVIDENCE.findall(text)}


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with nothing but what the project's own writers made."""
    out = tmp_path_factory.mktemp("synthetic") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "read_samples", lambda *given: samples_of_cases())
        assert cli.main(["docs", str(out), "--samples", str(CASES)]) == 0
    return out


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with cases, and with a log that somebody gives."""
    folder = tmp_path_factory.mktemp("given")
    logs = folder / "logs"
    logs.mkdir()
    for end in (".bin", ".ctl"):
        (logs / f"payroll{end}").write_bytes((CASES / "bmc_lldf" / f"changes_bdw{end}").read_bytes())
    samples = ["--samples", str(CASES / "bmc_lldf"), "--samples", str(logs)]
    assert cli.main(["docs", str(folder / "site"), *samples]) == 0
    return folder / "site"


def test_no_value_was_shown_by_anything_but_our_own_writers(synthetic: Path) -> None:
    """Which of these values did anything but our own writer show? None, and each value that was seen says so."""
    assert "Every sample on these pages is synthetic" in words(Page(synthetic / "index.html").root)
    counted = 0
    for path in sorted(synthetic.glob("*.html")):
        for name, element in Page(path).by_id.items():
            if ".value-" in name and element.tag == "tr":
                found = evidence(words(element))
                counted += bool(found)
                assert set(found) <= {"synthetic"}, name
    assert counted > 150


def test_values_that_a_given_log_shows_are_told_from_those_of_our_own_writers(given: Path) -> None:
    values = {value: evidence(text) for value, text in Page(given / "bmc_lldf.html").values("change_type").items()}
    shown = {value for value, found in values.items() if found.get("given")}
    ours = {value for value, found in values.items() if found.get("synthetic")}
    log = CASES / "bmc_lldf" / "changes_bdw.bin"
    assert shown == change_types(log.read_bytes())
    assert ours - shown, "some values only our own writer shows"
    for value in set(values) - shown:
        assert "given" not in values[value]


def change_types(data: bytes) -> set[str]:
    """The letters at 104 of each record of a log in blocks, each behind four bytes with its length."""
    found, block = set(), 0
    while block < len(data):
        end, place = block + int.from_bytes(data[block : block + 2], "big"), block + 4
        while place < end:
            found.add(data[place + 4 + 104 : place + 4 + 106].decode("cp037").strip())
            place += int.from_bytes(data[place : place + 2], "big")
        block = end
    return found


@pytest.mark.parametrize(
    ("page", "field", "manual"),
    [
        ("bmc_lldf", "log_rec_disp", "Disposition of the log record"),
        ("bmc_dlci", "ll_nulls", "Whether nulls are allowed"),
        ("db2_dms", "header.function_id", "Function identifier"),
        ("db2_log", "general_flag", "Log record general flag"),
    ],
)
def test_what_a_field_means_by_the_manual_and_what_is_ours_stand_apart(
    synthetic: Path, page: str, field: str, manual: str
) -> None:
    text = words(Page(synthetic / f"{page}.html").by_id[field])
    assert "documented" in text
    said, apart, ours = text.partition("Not in the manual:")
    assert manual in said
    assert not re.search(r"\binferred\b", said.partition("Value")[0])
    assert bool(ours.strip()) == bool(apart)


def test_what_was_compared_stands_beside_what_differs(synthetic: Path) -> None:
    index = words(Page(synthetic / "index.html").root)
    compared = re.search(
        r"(\d+) unexplained differences from the manuals; compared: (\d+) lines of tables with \d+ layouts, "
        r"and (\d+) of (\d+) listed values; not compared: (\d+) layouts, (\d+) listed values",
        index,
    )
    assert compared
    differences, lines, values, listed, layouts, left = map(int, compared.groups())
    assert (differences, values + left) == (0, listed)
    page = Page(synthetic / "conformance.html")
    assert f"{lines} lines in" in words(page.root)
    omitted = [int(count) for count in re.findall(r" \((\d+)\)[,.]", words(page.by_id["not-compared"]))]
    assert len(omitted) > layouts
    assert sum(omitted[layouts:]) == left
