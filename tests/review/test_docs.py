"""The pages on the specs, read as somebody reads them who has never seen the code.

Nothing here looks into the library for what a page should say, but for what must be on it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import html5lib
import pytest
from cases.collected import samples_of_cases

from lmparse import cli
from lmparse.review.coverage.coverage import Coverage, Sample
from lmparse.review.coverage.files import Samples
from lmparse.review.docs import conformance, site
from lmparse.review.docs.sources import sources
from lmparse.review.docs.spec_texts import Manuals
from lmparse.spec import catalog
from lmparse.spec.layout import Code, Field, Layout, spec_of

CASES = Path(__file__).parents[1] / "cases"
LAYOUTS = catalog.load("bmc_lldf").layouts
SPECS = catalog.spec_ids()
BLOCKS = frozenset(("br", "dd", "details", "dt", "h1", "h2", "h3", "li", "p", "section", "summary", "td", "th", "tr"))
HOSTILE = '<script>alert("x")</script>\n\n# A heading\n\n```{include} /etc/passwd\n```\n</div>'


@dataclass(eq=False)
class Page:
    """A page as a browser sees it."""

    name: str
    root: Element

    def all(self, tag: str) -> Iterator[Element]:
        return (element for element in self.root.iter() if element.tag == tag)

    @cached_property
    def ids(self) -> list[str]:
        return [name for element in self.root.iter() if (name := element.get("id")) is not None]

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        return {str(element.get("id")): element for element in self.root.iter()}

    def by_id(self, name: str) -> Element:
        return self._by_id[name]

    def links(self) -> Iterator[str]:
        for element in self.all("a"):
            href = element.get("href") or element.get("{http://www.w3.org/1999/xlink}href")
            if href is not None:
                yield href


def parsed(name: str, text: str) -> Page:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    root = parser.parse(text)
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return Page(name, root)


def page_of(path: Path) -> Page:
    return parsed(path.name, path.read_text("utf-8"))


def words(element: Element) -> str:
    """What one reads in an element."""

    def texts(inside: Element) -> Iterator[str]:
        yield " " if inside.tag in BLOCKS else ""
        yield inside.text or ""
        for child in inside:
            yield from texts(child)
            yield child.tail or ""
        yield " " if inside.tag in BLOCKS else ""

    return " ".join("".join(texts(element)).split())


def cells(row: Element) -> dict[str, Element]:
    """The cells of a row of fields by the headings of their columns."""
    return {str(cell.get("data-label")): cell for cell in row}


def run(*arguments: str | Path) -> int:
    return cli.main([str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the cases as samples."""
    out = tmp_path_factory.mktemp("docs") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "read_samples", lambda *given: samples_of_cases())
        with redirect_stderr(StringIO()) as said:
            assert run("docs", out, "--samples", CASES) == 0
    assert re.fullmatch(r"\S+: \d+ specs, with \d+ synthetic samples\n", said.getvalue()), "Sphinx has no warning"
    return out


@pytest.fixture(scope="session")
def pages(folder: Path) -> dict[str, Page]:
    return {path.name: page_of(path) for path in sorted(folder.glob("*.html"))}


@pytest.fixture
def without_sphinx(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site is the sources themselves."""

    def copied(source: Path, out: Path, _: Path) -> None:
        shutil.copytree(source, out)

    monkeypatch.setattr(site, "_run_sphinx", copied)


# -- five questions ---------------------------------------------------------------------


def row_of_byte(page: Page, byte: int) -> Element:
    """The row in which one finds a byte: by its anchor, or by going down the column of offsets."""
    by_column = None
    for row in page.all("tr"):
        place = cells(row).get("Byte")
        number = None if place is None else re.match(r"(\d+) 0x", words(place))
        if number and int(number[1]) <= byte:
            by_column = row
    (by_anchor,) = [row for row in page.all("tr") if any(cell.get("id") == f"byte-{byte}" for cell in row.iter())]
    assert by_column is by_anchor
    return by_anchor


def test_one_sees_what_stands_at_byte_104_of_a_data_change_record(pages: dict[str, Page]) -> None:
    row = row_of_byte(pages["bmc_lldf.html"], 104)
    shown = {name: words(cell) for name, cell in cells(row).items()}
    assert shown["Byte"] == "104 0x68"
    assert shown["Length"] == "2"
    assert shown["Field"] == "CHANGE TYPE change_type documented"
    assert "Type of update." in shown["Meaning"]


@pytest.mark.usefixtures("without_sphinx")
def test_one_sees_which_values_no_sample_has_shown(tmp_path: Path) -> None:
    assert run("docs", tmp_path / "site") == 0
    meaning = cells(row_of_byte(page_of(tmp_path / "site" / "bmc_lldf.md"), 104))["Meaning"]
    lines = [[words(cell) for cell in line] for line in meaning.iter("tr") if len(line) == 3][1:]
    assert [line[0].split()[0] for line in lines if line[2] == "not seen"] == ["DR"]
    assert "Not seen: 1." in words(meaning)
    samples = page_of(tmp_path / "site" / "samples.md")
    (line,) = [line for line in samples.by_id("spec-bmc_lldf").iter("li") if words(line).startswith("change_type:")]
    assert words(line) == "change_type: DR truncate_reuse"
    assert re.search(r"synthetic \d files: bytes that were made after the same manuals", words(samples.root))


# -- what is on the pages -----------------------------------------------------------------


def anchor(layout: str, field: str) -> str:
    return ".".join((*layout.split(".")[1:], field))


@pytest.mark.parametrize("spec", SPECS)
def test_every_field_has_a_row_with_its_place_and_all_its_values(pages: dict[str, Page], spec: str) -> None:
    page = pages[f"{spec}.html"]
    for layout in LAYOUTS.values():
        if layout.id.split(".")[0] != spec:
            continue
        for field in layout.columns:
            shown = cells(page.by_id(anchor(layout.id, field.id)))
            place, length = words(shown["Byte"]), words(shown["Length"])
            if field.id in layout.computed:
                assert (place, length) == ("calculated", "")
            else:
                assert place == ("varies" if field.offset is None else f"{field.offset} {field.offset:#x}")
                assert length == ("varies" if field.width is None else str(field.width))
            named = " ".join(filter(None, (field.orig_id, field.id, field.status or "not stated")))
            assert words(shown["Field"]) == " ".join(named.split())
            listed = [line.get("id") for line in shown["Meaning"].iter("tr")]
            for code in field.codes:
                value = [line for line in listed if re.search(rf"\.value-0*{code.value:X}$", line or "")]
                assert len(value) == 1
                assert " ".join(code.doc.split()) in words(page.by_id(str(value[0])))
            for inner in (*field.cases, *filter(None, [field.type])):
                file, _, type_ = inner.partition(".")
                href = f"{file}.html" + (f"#type-{type_.replace('_', '-')}" if type_ else "")
                assert href in [link.get("href") for cell in shown.values() for link in cell.iter("a")]


def test_flags_and_classes_of_records_are_shown(pages: dict[str, Page]) -> None:
    flag = cells(pages["db2_log.html"].by_id("is_propagatable"))
    assert words(flag["Field"]) == "is_propagatable documented"
    assert words(flag["Type"]) == "true or false"
    assert "Calculated: general_flag & 0x0002 != 0." in words(flag["Meaning"])
    kind = words(cells(pages["db2_dms.html"].by_id("row.record_class"))["Meaning"])
    assert "header.is_undo ? compensation : normal" in kind
    assert "Redone by rollforward, undone by rollback" in kind
    helper = cells(pages["db2_log.html"].by_id("component_record.instance-component"))
    assert words(helper["From"]) == "read ahead at 0; only if the length of the part > 0"


def test_values_and_bounds_have_a_status_of_their_own(pages: dict[str, Page]) -> None:
    page = pages["bmc_lldf.html"]
    assert "the only value in the manual inferred" in words(page.by_id("incomplete_trans.value-D5"))
    length = cells(page.by_id("length"))
    assert "What is demanded of its value is inferred" in words(length["Meaning"])
    assert "Not in the manual: The least length" in words(length["Meaning"])


@pytest.mark.parametrize(("screen", "bytes_in_row"), [("wide", 16), ("narrow", 8)])
def test_every_byte_of_fixed_place_is_in_one_box(pages: dict[str, Page], screen: str, bytes_in_row: int) -> None:
    """A row of several that are inside one field stands for all of them."""
    for layout in LAYOUTS.values():
        file, _, type_ = layout.id.partition(".")
        page = pages[f"{file}.html"]
        root = page.by_id(f"type-{type_.replace('_', '-')}" if type_ else "the-record")
        for found in (part for part in root.iter("div") if part.get("class") == f"diagram {screen}"):
            for row in (part for part in found.iter("div") if str(part.get("class")).startswith("bytes-row")):
                taken = [
                    re.fullmatch(r"grid-column: (\d+) / span (\d+)", str(box.get("style"))) for box in row.iter("a")
                ]
                spans = [(int(one[1]) - 2, int(one[2])) for one in taken if one]
                assert len(spans) == len(taken) > 0
                assert all(start + span <= bytes_in_row for start, span in spans)
                assert all(one[0] + one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize("screen", ["wide", "narrow"])
def test_every_row_of_bytes_names_its_fields_without_a_break_in_a_word(pages: dict[str, Page], screen: str) -> None:
    """A name is in the box, or below the row where one of its words is longer than the box."""
    root = pages["bmc_lldf.html"].by_id("the-record")
    (drawing,) = (part for part in root.iter("div") if part.get("class") == f"diagram {screen}")
    names = {"row": set[str](), "below": set[str]()}
    for row in (part for part in drawing.iter("div") if str(part.get("class")).startswith("bytes-row")):
        (below,) = [words(part) for part in row.iter("span") if part.get("class") == "below"] or [""]
        for box in row.iter("a"):
            name = str(box.get("title")).partition(",")[0].partition(":")[0]
            (inside,) = (words(part) for part in box.iter("span") if str(part.get("class")).startswith("what"))
            assert inside.startswith(name) or (not inside and name in below.replace(",", "").split()), (name, below)
            names["row" if inside else "below"].add(name)
    assert "TABLENAME" in names["row"]
    assert {"SQLTYPE", "ANOMALYROWID"} <= names["below"]


def headings(page: Page) -> list[str]:
    return [words(heading).removesuffix("¶") for heading in page.all("h2")]


def test_records_of_several_kinds_are_listed_by_number_and_table(pages: dict[str, Page]) -> None:
    root = pages["db2_dms.html"].by_id("kinds-of-records")
    rows = [[words(cell) for cell in row.iter("td")] for row in root.iter("tr")]
    assert ["102 add columns, 104 undo add columns", "add_columns", "Table 105"] in [row[:3] for row in rows]
    assert "Type add_columns: 102 and 104" in headings(pages["db2_dms.html"])
    assert headings(pages["bmc_lldf.html"]) == ["The record"]  # it is of one kind


def test_the_manuals_tables_stand_beside_the_specs(pages: dict[str, Page]) -> None:
    page = pages["conformance.html"]
    lines = conformance.lines()
    compared = conformance.compare(LAYOUTS)
    assert f"{len(lines)} lines in" in words(page.root)
    assert compared.unexplained == 0
    assert "0 unexplained differences from the manuals" in words(pages["index.html"].root)
    not_compared = words(page.by_id("not-compared"))
    assert "No page at hand describes what it holds; its bytes are kept. bmc_lldf_data.payload (1), " in not_compared
    rows = [words(row) for row in page.all("tr")]
    assert "change_type CHANGE TYPE 104 2 CHAR(2) CHANGE TYPE 104 2 code same" in rows
    assert "old_row.rid RID 8 4 sqlint32 RID 8 4 int same" in rows
    (misprint,) = [row for row in rows if row.startswith("bmc_dlci.version")]
    assert "B4" in misprint
    assert "190 is BE" in misprint
    for one in compared.misprints:
        assert one.field_id in LAYOUTS[one.layout].by_id


# -- the search -------------------------------------------------------------------------


def test_the_search_knows_every_field_by_its_id_and_by_the_name_of_the_vendor(folder: Path) -> None:
    text = (folder / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    found = {f"{spec}.{one[-1]}" for spec, objects in index["objects"].items() for one in objects}
    for layout in LAYOUTS.values():
        for field in layout:
            assert {f"{layout.id}.{field.id}", f"{spec_of(layout.id)}.{field.orig_id or field.id}"} & found
    places = {one[-1]: (index["docnames"][one[0]], one[3]) for one in index["objects"]["bmc_lldf"]}
    ranks = {one[-1]: one[2] for one in index["objects"]["bmc_lldf"]}
    assert ranks["change_type UB update"] == ranks["CHANGE TYPE"] < ranks["CHANGE TYPE byte 104"]
    assert places["change_type"] == places["CHANGE TYPE"] == ("bmc_lldf", "change_type")


# -- the pages as files -----------------------------------------------------------------


def test_ids_are_unique_and_every_link_leads_somewhere(pages: dict[str, Page]) -> None:
    known = {name: set(page.ids) for name, page in pages.items()}
    for name, page in pages.items():
        assert len(known[name]) == len(page.ids), name
        for href in page.links():
            if href.startswith("https://") or href.startswith("http://"):
                continue
            file, _, part = href.partition("#")
            assert file in known or file == "", f"{name}: {href}"
            assert not part or unquote(part) in known[file or name], f"{name}: {href}"


def test_nothing_is_loaded_from_elsewhere(folder: Path, pages: dict[str, Page]) -> None:
    for page in pages.values():
        loaded = [str(element.get("src")) for element in page.root.iter() if element.get("src") is not None]
        loaded += [str(element.get("href")) for element in page.all("link")]
        assert all((folder / name.partition("?")[0]).is_file() for name in loaded if name != "#")


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the process, wherever the samples stand; of what Sphinx is given."""
    some = CASES / "bmc_dlci"
    site.write_sources(tmp_path / "once", site.built(), site.read_samples([str(some)]))
    again = f"""if True:
        from pathlib import Path
        from lmparse.review.docs.site import built, read_samples, write_sources
        write_sources(Path({str(tmp_path / "again")!r}), built(), read_samples([{some.name!r}]))"""
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", again], cwd=CASES, env=environment, check=True)
    once, twice = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("once", "again"))
    assert once == twice


# -- where the site goes ------------------------------------------------------------------


def test_without_sphinx_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site, "find_spec", lambda name: None)
    assert run("docs", tmp_path / "site") == 2
    assert "lmparse[pages]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_sphinx")
def test_a_site_is_replaced_when_asked_for_and_nothing_else_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, some = tmp_path / "site", ("--samples", CASES / "zos_sdw")
    out.mkdir()
    assert run("docs", out, *some) == 0, "an empty folder is as good as none"
    (out / "index.md").write_text("old")
    assert run("docs", out, *some) == 2
    assert (out / "index.md").read_text() == "old"
    assert run("docs", out, *some, "--overwrite") == 0
    assert (out / "index.md").read_text() != "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]

    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    capsys.readouterr()
    assert run("docs", foreign, "--overwrite") == 2
    assert "was not written by lmparse" in capsys.readouterr().err
    assert [path.name for path in foreign.iterdir()] == ["thesis.txt"]


@pytest.mark.usefixtures("without_sphinx")
def test_damaged_samples_are_said_and_used_as_far_as_they_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (CASES / "bmc_lldf" / "framing_rdw.bin").read_bytes()
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "cut.bin").write_bytes(whole[:-3])
    assert run("docs", tmp_path / "site", "--samples", logs) == 20
    assert "cut.bin" in capsys.readouterr().err
    page = page_of(tmp_path / "site" / "samples.md")
    assert "cut.bin" in words(page.root)
    assert str(tmp_path) not in words(page.root)


# -- a spec of one's own ----------------------------------------------------------------

OWN = """\
meta:
  id: acme_index
  title: A record of one's own
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_rid
  endian: be
doc: Holds a row id and a state. More is not known.
doc-ref: 'Acme Log Tool, "Records", table 1'
seq:
  - id: row
    -lm-status: documented
    type: common_rid
    doc: Where the row stands
    doc-ref: 'Acme Log Tool, "Records", table 1'
  - id: state
    -lm-status: documented
    type: u1
    enum: state
    doc: What became of it; see `row`
    doc-ref: 'Acme Log Tool, "Records", table 1'
enums:
  state:
    1:
      id: open
      doc: Still open
    2:
      id: closed
      doc: Closed
"""


def test_a_spec_of_ones_own_has_its_pages_too(tmp_path: Path) -> None:
    (tmp_path / "my" / "acme").mkdir(parents=True)
    (tmp_path / "my" / "acme" / "acme_index.ksy").write_text(OWN)
    build = Path(__file__).parents[2] / "build.py"
    made = [sys.executable, build, "generate", "--formats", tmp_path / "my", "--out", tmp_path / "built"]
    subprocess.run(made, check=True, capture_output=True)
    case = tmp_path / "cases" / "acme_index" / "one"
    case.parent.mkdir(parents=True)
    case.with_suffix(".bin").write_bytes(bytes.fromhex("000000070102"))
    case.with_suffix(".yaml").write_text("command: records\noptions: {framing: fixed, record_length: 6}\n")

    out = tmp_path / "site"
    assert run("docs", out, "--specs", tmp_path / "built", "--samples", tmp_path / "cases") == 0
    page = page_of(out / "acme_index.html")
    assert "common_rid.html" in page.links()
    shown = {name: words(cell) for name, cell in cells(page.by_id("state")).items()}
    assert shown["Byte"] == "5 0x5"
    assert "The first: closed Closed 02 in acme_index/one.bin, record 0, at 0x5" in shown["Meaning"]
    assert "#row" in page.links()
    assert not (out / "bmc_lldf.html").exists()


# -- what comes from files is text ----------------------------------------------------------


def hostile_sources() -> dict[str, str]:
    code = Code(1, HOSTILE, "word", HOSTILE)
    field = Field(
        HOSTILE, 0, 1, "code", orig_id=HOSTILE, codec=HOSTILE, unit=HOSTILE, codes=(code,), checks=HOSTILE,
        doc=f"{HOSTILE} `{HOSTILE}`", doc_ref=f'{HOSTILE}, "{HOSTILE}", https://a.invalid/{HOSTILE}',
        status="documented", source=HOSTILE,
    )  # fmt: skip
    layout = Layout(
        "acme_thing", (field,), 1, params=(HOSTILE,), title=HOSTILE, doc=HOSTILE, doc_ref=HOSTILE,
        path=f"{HOSTILE}/x.ksy", sha256=HOSTILE, enums={HOSTILE: (Code(2, None, HOSTILE, HOSTILE),)},
    )  # fmt: skip
    coverage = Coverage()
    seen = coverage.fields["acme_thing", HOSTILE]
    seen.present = seen.filled = 1
    seen.sample = Sample(HOSTILE + "\0\ud800", b"\1", HOSTILE, HOSTILE, 0, 0)
    seen.unlisted[HOSTILE] = 1
    return sources({"acme_thing": layout}, Samples(coverage, passed_over=[HOSTILE]))


def test_what_specs_and_samples_say_is_only_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither HTML nor Markdown: no script, no heading, no directive that would read a file."""
    texts = hostile_sources()
    monkeypatch.setattr(site, "sources", lambda *_: texts)
    assert run("docs", tmp_path / "site", "--samples", CASES / "zos_sdw") == 0
    for path in (tmp_path / "site").glob("*.html"):
        page = page_of(path)
        assert not [one for one in page.all("script") if "alert" in (one.text or "")], path
        assert "root:" not in words(page.root), path
        assert "A heading" not in [words(one) for level in "123" for one in page.all(f"h{level}")]
    shown = words(page_of(tmp_path / "site" / "acme_thing.html").root)
    assert "alert(" in shown
    assert "{include} /etc/passwd" in shown


# -- references -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "linked", "rest", "url"),
    [
        ('A 1, "P", table 2', 'A 1, "P"', ", table 2", "https://a.invalid/1"),
        ('A 2, "P", table 2', 'A 2, "P"', ", table 2", "https://a.invalid/2"),
        ('A 3, "P"', 'A 3, "P"', "", "https://a.invalid/1"),
        ('A 1, "P", https://a.invalid/1 (offsets count otherwise)', 'A 1, "P"', " (offsets count otherwise)", "https://a.invalid/1"),
        ('A 1, "Q", table 2', 'A 1, "Q", table 2', "", None),
        ("As others read it; no page", "As others read it; no page", "", None),
        ('A 1, "Q", javascript:alert(1)', 'A 1, "Q", javascript:alert(1)', "", None),
    ],
)  # fmt: skip
def test_a_reference_takes_the_address_that_stands_with_its_page(
    reference: str, linked: str, rest: str, url: str | None
) -> None:
    manuals = Manuals(['A 1, "P", https://a.invalid/1', 'A 2, "P", https://a.invalid/2', "", "nothing"])
    found = manuals.look_up(reference)
    assert found is not None
    assert (found.linked, found.rest, found.url) == (linked, rest, url)
    assert manuals.look_up("") is None
