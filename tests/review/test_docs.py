"""The pages on the specs, read as somebody reads them who has never seen the code.

Nothing here looks into the library for what a page should say, but for what must be on it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import html5lib
import pytest
from cases.collected import samples_of_cases

from lmparse import cli
from lmparse.error_catalogue import CATALOGUE
from lmparse.review.coverage.coverage import Coverage
from lmparse.review.coverage.field_coverage import Sample
from lmparse.review.coverage.files import Samples
from lmparse.review.docs import conformance, site
from lmparse.review.docs.manuals import Manuals
from lmparse.review.docs.site import MARK, files
from lmparse.spec import catalog
from lmparse.spec.layout import Code, Field, Layout

CASES = Path(__file__).parents[1] / "cases"
LAYOUTS = catalog.load("bmc_lldf").layouts
SPECS = catalog.spec_ids()
BLOCKS = frozenset(("br", "dd", "details", "dt", "h1", "h2", "h3", "li", "p", "section", "summary", "td", "th", "tr"))
HOSTILE = '<script>alert("x")</script>'


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
    """A page, which must be without a fault."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False)
    root = parser.parse(text)
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return Page(name, root)


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
        assert run("docs", out, "--samples", CASES) == 0
    return out


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is without being given any sample."""
    out = tmp_path_factory.mktemp("docs") / "site"
    assert run("docs", out) == 0
    return out


@pytest.fixture(scope="session")
def pages(folder: Path) -> dict[str, Page]:
    return {path.name: parsed(path.name, path.read_text("utf-8")) for path in sorted(folder.glob("*.html"))}


@pytest.fixture(scope="session")
def found(folder: Path) -> list[list[Any]]:
    """What the search knows."""
    text = (folder / "search-data.js").read_text("utf-8")
    entries: list[list[Any]] = json.loads(text[text.index("[") : text.rindex("]") + 1])
    return entries


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


def test_one_sees_which_values_it_may_take(pages: dict[str, Page]) -> None:
    meaning = cells(row_of_byte(pages["bmc_lldf.html"], 104))["Meaning"]
    values = [[words(cell) for cell in line] for line in meaning.iter("tr")]
    assert values[0] == ["Value", "Meaning", "Seen"]
    (update,) = [code for code in LAYOUTS["bmc_lldf"]["change_type"].codes if code.id == "update"]
    assert ["UB E4C2", f"{update.doc} update"] in [line[:2] for line in values]
    listed = [line[0].split()[0] for line in values[1:12]]
    assert listed == ["UB", "I", "D", "DM", "DT", "DR", "IL", "CO", "E", "CM", "SC"]
    assert "open list: a value that is not listed is data" in words(meaning)


def test_one_sees_where_the_manual_says_so(pages: dict[str, Page]) -> None:
    meaning = cells(row_of_byte(pages["bmc_lldf.html"], 104))["Meaning"]
    (link,) = [link for link in meaning.iter("a") if str(link.get("href")).startswith("http")]
    assert str(link.get("href")).startswith("https://docs.bmc.com/")
    assert link.get("title") == 'BMC AMI Log Master for Db2, "Logical log data file"'
    assert 'table "Data change record (LLDF)"' in words(meaning)


def test_one_sees_what_a_record_of_a_sample_holds_there(pages: dict[str, Page]) -> None:
    row = cells(row_of_byte(pages["bmc_lldf.html"], 104))
    assert words(row["Seen"]) == "I 11 of 11 values, 2 not listed"
    assert re.search(r"Seen in \d+ synthetic records\.", words(row["Meaning"]))
    samples = [[words(cell) for cell in line] for line in row["Meaning"].iter("tr") if len(line) == 2][1:]
    assert [value.split()[0] for value, _ in samples][:2] == ["I", "UB"]
    for value, where in samples:
        stated = re.fullmatch(r"synthetic: (\S+), record \d+, at (0x\w+)", where)
        assert stated
        shown = bytes.fromhex("".join(value.split()[-2:]))
        assert (CASES / stated[1]).read_bytes()[int(stated[2], 16) :][:2] == shown


def test_one_sees_which_values_no_sample_has_shown(made: Path) -> None:
    page = parsed("bmc_lldf.html", (made / "bmc_lldf.html").read_text("utf-8"))
    meaning = cells(row_of_byte(page, 104))["Meaning"]
    lines = [[words(cell) for cell in line] for line in meaning.iter("tr") if len(line) == 3][1:]
    assert [line[0].split()[0] for line in lines if line[2] == "not seen"] == ["DR"]
    assert "Not seen: 1." in words(meaning)
    samples = parsed("samples.html", (made / "samples.html").read_text("utf-8"))
    (line,) = [line for line in samples.by_id("spec-bmc_lldf").iter("li") if words(line).startswith("change_type:")]
    assert words(line) == "change_type: DR truncate_reuse"


# -- what is on the pages -----------------------------------------------------------------


def test_every_spec_has_a_page_that_names_its_hash(pages: dict[str, Page]) -> None:
    for spec in SPECS:
        page = pages[f"{spec}.html"]
        assert LAYOUTS[spec].sha256 in words(page.root)
        assert LAYOUTS[spec].title in words(next(page.all("h1")))
        assert f"{spec}.html" in pages["index.html"].links()


def anchor(layout: str, field: str) -> str:
    return ".".join((*layout.split(".")[1:], field))


@pytest.mark.parametrize("spec", SPECS)
def test_every_field_has_a_row_with_its_place_and_all_its_values(pages: dict[str, Page], spec: str) -> None:
    page = pages[f"{spec}.html"]
    for layout in LAYOUTS.values():
        if layout.id.split(".")[0] != spec:
            continue
        for field in layout:
            shown = cells(page.by_id(anchor(layout.id, field.id)))
            place = words(shown["Byte"])
            assert place == ("varies" if field.offset is None else f"{field.offset} {field.offset:#x}")
            assert words(shown["Length"]) == ("varies" if field.width is None else str(field.width))
            named = " ".join(filter(None, (field.orig_id, field.id, field.status or "not stated")))
            assert words(shown["Field"]) == " ".join(named.split())
            listed = [line.get("id") for line in shown["Meaning"].iter("tr")]
            for code in field.codes:
                value = [line for line in listed if re.search(rf"\.value-0*{code.value:X}$", line or "")]
                assert len(value) == 1
                assert " ".join(code.doc.split()) in words(page.by_id(str(value[0])))
            for inner in (*field.cases, *filter(None, [field.type])):
                file, _, type_ = inner.partition(".")
                href = f"{file}.html" + (f"#type-{type_}" if type_ else "")
                assert href in [link.get("href") for cell in shown.values() for link in cell.iter("a")]


def test_what_decides_between_records_is_said(pages: dict[str, Page]) -> None:
    shown = words(cells(pages["bmc_control.html"].by_id("body"))["Meaning"])
    assert "One of 15 records, chosen by record_code" in shown
    assert "bmc_dcxi for index, clustering_index;" in shown
    codes = words(pages["bmc_control.html"].by_id("values-record_code"))
    assert "XTYP E7E3E8D7 type_record" in codes


def test_flags_and_classes_of_records_are_shown(pages: dict[str, Page]) -> None:
    flag = cells(pages["db2_log.html"].by_id("instance-is_propagatable"))
    assert words(flag["Name"]) == "is_propagatable documented"
    assert words(flag["From"]) == "bit 0x0002 of general_flag is set"
    assert re.fullmatch(r"yes: [1-9]\d* synthetic; no: [1-9]\d* synthetic", words(flag["Seen"]))
    kind = cells(pages["db2_dms.html"].by_id("row.instance-record_class"))
    assert words(kind["From"]) == "compensation if header.is_undo, else normal"
    assert re.fullmatch(r"normal: \d+ synthetic; compensation: \d+ synthetic", words(kind["Seen"]))


def test_the_values_that_were_seen_are_counted_with_the_least_and_the_greatest(pages: dict[str, Page]) -> None:
    row = cells(pages["bmc_lldf.html"].by_id("dbid"))
    assert words(row["Seen"]) == "261 0 to 65535"
    counted = re.search(
        r"least 0, greatest 65535; 4 values, and how often: 261 \((\d+)\), (.*?)\. Sample Where", words(row["Meaning"])
    )
    assert counted
    assert int(counted[1]) > 100
    assert [value.split()[0] for value in counted[2].split(", ")] == ["262", "65535", "0"]
    many = words(cells(pages["bmc_lldf.html"].by_id("header_rest"))["Meaning"])
    assert "too many or too long values to count each" in many


def test_a_whole_comes_before_its_parts_and_statistics_come_last(pages: dict[str, Page]) -> None:
    index = pages["index.html"]
    specs = [link for link in index.links() if re.fullmatch(r"bmc_\w+\.html", link)]
    assert specs[:4] == ["bmc_lldf.html", "bmc_lldf_data.html", "bmc_row_image.html", "bmc_control.html"]
    parts = [str(part.get("id")) for part in pages["db2_dms.html"].all("section")]
    assert parts.index("type-update_v97") < parts.index("type-update_part_v97") < parts.index("evidence")
    assert parts[0] == "the-record"
    (tree,) = [nav for nav in pages["db2_dms.html"].all("nav") if nav.get("aria-label") == "On this page"]
    named = [str(link.get("href")).lstrip("#") for link in tree.iter("a")]
    assert named == parts
    text = words(next(pages["bmc_lldf.html"].all("main")))
    purpose = LAYOUTS["bmc_lldf"].doc[:40]
    order = [purpose, "From BMC AMI Log Master", "Known documented", "The record", "CHANGE TYPE", "sha256"]
    assert sorted(order, key=text.index) == order


def test_expressions_are_in_words(pages: dict[str, Page]) -> None:
    for page in pages.values():
        for row in (*page.all("td"), *page.all("summary"), *page.all("p")):
            assert not re.search(r"\w::\w| [=!]= |\b_(io|root|parent)\b", words(row)), words(row)


def test_values_and_bounds_have_a_status_of_their_own(pages: dict[str, Page]) -> None:
    page = pages["bmc_lldf.html"]
    assert "the only value in the manual inferred" in words(page.by_id("incomplete_trans.value-D5"))
    length = cells(page.by_id("length"))
    assert "What is demanded of its value is inferred" in words(length["Meaning"])
    assert "Not in the manual: The least length" in words(length["Meaning"])


def test_what_follows_from_fields_has_status_ground_and_manual(pages: dict[str, Page]) -> None:
    shown = {name: words(cell) for name, cell in cells(pages["db2_log.html"].by_id("instance-is_singular")).items()}
    assert shown["Name"] == "is_singular documented"
    assert "Not in the manual: That the record is committed at once is inferred" in shown["Meaning"]
    assert "Log record header" in shown["Meaning"]
    inferred = cells(pages["db2_dms.html"].by_id("row_v97.instance-record_class"))
    assert words(inferred["Name"]) == "record_class inferred"


def drawing(page: Page, screen: str) -> Element:
    return next(part for part in page.all("div") if part.get("class") == f"diagram {screen}")


@pytest.mark.parametrize("screen", ["wide", "narrow"])
def test_a_drawing_shows_every_field_of_a_record(pages: dict[str, Page], screen: str) -> None:
    shown = drawing(pages["bmc_lldf.html"], screen)
    assert shown.get("aria-label") == "Bytes of bmc_lldf"
    linked = [link for link in shown.iter("a") if link.get("aria-hidden") is None]
    assert [link.get("href") for link in linked] == [f"#{field.id}" for field in LAYOUTS["bmc_lldf"]]
    (box,) = [link for link in linked if link.get("href") == "#change_type"]
    assert box.get("aria-label") == "CHANGE TYPE, change_type: bytes 104 to 105"
    assert words(box) == "CHANGE TYPE104"
    assert len([link for link in shown.iter("a") if link.get("tabindex") != "-1"]) == 1


@pytest.mark.parametrize(("screen", "bytes_in_row"), [("wide", 16), ("narrow", 8)])
def test_every_byte_of_fixed_place_is_in_one_box(pages: dict[str, Page], screen: str, bytes_in_row: int) -> None:
    """A row of several that are inside one field stands for all of them."""
    for layout in LAYOUTS.values():
        file, _, type_ = layout.id.partition(".")
        page = pages[f"{file}.html"]
        root = page.by_id(f"type-{type_}" if type_ else "the-record")
        for found in (part for part in root.iter("div") if part.get("class") == f"diagram {screen}"):
            for row in (part for part in found.iter("div") if str(part.get("class")).startswith("bytes-row")):
                taken = [
                    re.fullmatch(r"grid-column: (\d+) / span (\d+)", str(box.get("style"))) for box in row.iter("a")
                ]
                spans = [(int(one[1]) - 2, int(one[2])) for one in taken if one]
                assert len(spans) == len(taken) > 0
                assert all(start + span <= bytes_in_row for start, span in spans)
                assert all(one[0] + one[1] <= other[0] for one, other in pairwise(spans))


def test_error_codes_have_cause_and_cure(pages: dict[str, Page]) -> None:
    for code, cause in CATALOGUE.items():
        said = words(pages["errors.html"].by_id(code))
        assert cause.title in said
        assert cause.cause.replace("`", "") in said
        assert cause.cure.replace("`", "") in said


def test_the_manuals_tables_stand_beside_the_specs(pages: dict[str, Page]) -> None:
    page = pages["conformance.html"]
    lines = conformance.lines()
    compared = conformance.compare(LAYOUTS)
    assert f"{len(lines)} lines in" in words(page.root)
    assert compared.unexplained == 0
    assert compared.unused == ()
    index = words(pages["index.html"].root)
    assert f"0 unexplained differences from the manuals; {compared.extent}" in index
    assert re.search(r"not compared: [1-9]\d* layouts, [1-9]\d* listed values", index)
    not_compared = words(page.by_id("not-compared"))
    assert "No page at hand describes what it holds; its bytes are kept. bmc_lldf_data.payload (1), " in not_compared
    assert "those that applications read. db2_dms.column_descriptor.field_type (25)." in not_compared
    rows = [words(row) for row in page.all("tr")]
    assert "change_type CHANGE TYPE 104 2 CHAR(2) CHANGE TYPE 104 2 code same" in rows
    assert "old_row.rid RID 8 4 sqlint32 RID 8 4 int same" in rows
    (misprint,) = [row for row in rows if row.startswith("bmc_dlci.version")]
    assert "B4" in misprint
    assert "190 is BE" in misprint
    for one in compared.misprints:
        assert one.field_id in LAYOUTS[one.layout].by_id


def test_the_values_of_the_manuals_stand_beside_those_of_the_specs(pages: dict[str, Page]) -> None:
    rows = [words(row) for row in pages["conformance.html"].by_id("compared-values").iter("tr")]
    assert "DR truncate with reuse option truncate_reuse Truncate with reuse option listed by both" in rows
    assert (
        "N not in the table no The opposite of Y, which is the only value in the manual only in the spec inferred"
        in rows
    )


def test_a_value_of_a_manual_that_a_spec_lacks_is_unexplained() -> None:
    layout = LAYOUTS["bmc_lldf"]
    field = replace(layout["change_type"], codes=layout["change_type"].codes[1:])
    fields = tuple(field if entry.id == field.id else entry for entry in layout)
    compared = conformance.compare({"bmc_lldf": replace(layout, fields=fields)})
    assert compared.count_values("missing") == compared.unexplained == 1


# -- what samples rest on ---------------------------------------------------------------


@pytest.mark.parametrize("case", [True, False], ids=["cases", "made by the command"])
def test_pages_with_made_samples_say_that_all_are_synthetic(case: bool, folder: Path, made: Path) -> None:
    site_folder = folder if case else made
    index, samples = (
        words(parsed(name, (site_folder / name).read_text("utf-8")).root) for name in ("index.html", "samples.html")
    )
    assert "Every sample on these pages is synthetic" in index
    assert "no product wrote them" in index
    assert re.search(r"\d+ fields, \d+ in a synthetic sample", index)
    assert "synthetic bytes that were made after the same manuals" in samples


def test_files_of_the_caller_are_counted_apart_from_synthetic_ones(tmp_path: Path) -> None:
    """The value of a file that somebody has given comes first."""
    given = tmp_path / "logs"
    given.mkdir()
    for end in (".bin", ".ctl"):
        (given / f"payroll{end}").write_bytes((CASES / "bmc_lldf" / f"changes_bdw{end}").read_bytes())
    assert run("docs", tmp_path / "out", "--samples", CASES / "bmc_lldf_data", "--samples", given) == 0
    index, page = (
        parsed(name, (tmp_path / "out" / name).read_text("utf-8")) for name in ("index.html", "bmc_lldf.html")
    )
    assert "Every sample" not in words(index.root)
    assert re.search(r"fields, \d+ in a given sample, \d+ in a synthetic sample", words(index.root))
    shown = words(cells(page.by_id("dbid"))["Meaning"])
    assert re.search(r"Seen in \d+ given records, \d+ synthetic records", shown)
    assert re.search(r"In given samples: 1 value, and how often: 261 \(\d+\)\. In synthetic samples: ", shown)
    assert re.search(r"Sample Where 261 01 05 given: payroll.bin, record 0, at 0x\w+", shown)


# -- the search -------------------------------------------------------------------------


def test_the_search_knows_every_field_value_spec_and_error(found: list[list[Any]]) -> None:
    names = {(entry[0], entry[1]) for entry in found}
    fields = {("field", f"{layout.id}.{field.id}") for layout in LAYOUTS.values() for field in layout}
    assert fields <= names
    assert {("spec", spec) for spec in SPECS} <= names
    assert {("error", code) for code in CATALOGUE} <= names
    values = {(entry[1], entry[4][0]) for entry in found if entry[0] == "value"}
    for layout in LAYOUTS.values():
        for code in (code for field in layout for code in field.codes):
            shown = str(code.value) if code.text is None else code.text.strip() or "blank"
            assert (shown, code.id) in values


def test_the_search_finds_bytes_and_vendors_names(found: list[list[Any]]) -> None:
    held = [entry for entry in found if entry[3].startswith("bmc_lldf.html") and len(entry) == 7]
    (there,) = [entry for entry in held if entry[5] <= 104 < entry[6]]
    assert there[1] == "bmc_lldf.change_type"
    assert "CHANGE TYPE" in there[4]


def test_the_search_knows_the_tables_of_manuals(found: list[list[Any]]) -> None:
    tables = [entry for entry in found if entry[0] == "table" and "table:106" in entry[4]]
    assert [(entry[1], entry[3]) for entry in tables] == [("Table 106", "db2_dms.html#type-row")]
    assert '"Data Manager Log Records", Table 106' in tables[0][2]


def test_what_the_search_finds_is_there(found: list[list[Any]], pages: dict[str, Page]) -> None:
    known = {name: set(page.ids) for name, page in pages.items()}
    for entry in found:
        name, _, part = entry[3].partition("#")
        assert not part or part in known[name], entry


# -- the pages as files -----------------------------------------------------------------


def test_ids_are_unique_and_every_link_leads_somewhere(pages: dict[str, Page]) -> None:
    known = {name: set(page.ids) for name, page in pages.items()}
    for name, page in pages.items():
        assert len(known[name]) == len(page.ids)
        for href in page.links():
            if href.startswith("https://") or href.startswith("http://"):
                continue
            file, _, part = href.partition("#")
            assert file in known or file == "", f"{name}: {href}"
            assert not part or unquote(part) in known[file or name], f"{name}: {href}"


def test_nothing_is_loaded_from_elsewhere(folder: Path, pages: dict[str, Page]) -> None:
    names = {path.name for path in folder.iterdir()}
    for page in pages.values():
        loaded = [element.get("src") for element in page.root.iter() if element.get("src") is not None]
        loaded += [element.get("href") for element in page.all("link")]
        assert set(loaded) <= names
        assert not re.search(r"@import|url\(", "".join(map(words, page.all("style"))))


def test_headings_are_in_order(pages: dict[str, Page]) -> None:
    for page in pages.values():
        levels = [int(element.tag[1]) for element in page.root.iter() if re.fullmatch("h[1-6]", str(element.tag))]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the process, wherever the samples stand."""
    some = CASES / "bmc_lldf"
    assert run("docs", tmp_path / "once", "--samples", some) == 0
    done = subprocess.run(
        [sys.executable, "-m", "lmparse", "docs", tmp_path / "again", "--samples", some.name],
        cwd=CASES, env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    once, again = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("once", "again"))
    assert once == again


# -- where the site goes ------------------------------------------------------------------


def test_a_site_is_replaced_when_asked_for_and_nothing_else_is(
    tmp_path: Path, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "site"
    out.mkdir()
    assert run("docs", out) == 0, "an empty folder is as good as none"
    (out / "index.html").write_text("old")
    assert run("docs", out) == 2
    assert (out / "index.html").read_text() == "old"
    assert run("docs", out, "--overwrite") == 0
    assert (out / "index.html").read_bytes() == (made / "index.html").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]

    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    capsys.readouterr()
    assert run("docs", foreign, "--overwrite") == 2
    assert "was not written by lmparse" in capsys.readouterr().err
    assert [path.name for path in foreign.iterdir()] == ["thesis.txt"]


def test_no_site_is_written_over_its_samples_or_without_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("docs", CASES.parent, "--samples", CASES, "--overwrite") == 2
    assert run("docs", tmp_path / "none" / "site") == 2
    assert run("docs", tmp_path / "site", "--samples", tmp_path / "none") == 20
    assert run("docs", tmp_path / "site", "--specs", tmp_path) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_damaged_samples_are_said_and_used_as_far_as_they_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (CASES / "bmc_lldf" / "framing_rdw.bin").read_bytes()
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "cut.bin").write_bytes(whole[:-3])
    assert run("docs", tmp_path / "site", "--samples", logs) == 20
    assert "cut.bin" in capsys.readouterr().err
    page = parsed("samples.html", (tmp_path / "site" / "samples.html").read_text("utf-8"))
    assert "cut.bin" in words(page.by_id("the-files"))
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
    page = parsed("acme_index.html", (out / "acme_index.html").read_text("utf-8"))
    assert "common_rid.html" in page.links()
    shown = {name: words(cell) for name, cell in cells(page.by_id("state")).items()}
    assert shown["Byte"] == "5 0x5"
    assert "Sample Where 2 Closed 02 given: acme_index/one.bin, record 0, at 0x5" in shown["Meaning"]
    assert "#row" in page.links()
    assert not (out / "bmc_lldf.html").exists()


# -- what comes from files is text ----------------------------------------------------------


def hostile_site() -> dict[str, str]:
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
    seen.samples = [Sample(HOSTILE + "\0\ud800", b"\1", HOSTILE, HOSTILE, 0, 0, 0)]
    seen.values.add("char", HOSTILE)
    seen.unlisted[HOSTILE] = 1
    return files({"acme_thing": layout}, Samples(coverage, passed_over=[HOSTILE]))


def test_markup_from_specs_and_samples_is_only_text() -> None:
    for name, text in hostile_site().items():
        text.encode()
        assert HOSTILE not in text
        if name.endswith(".html"):
            assert len(list(parsed(name, text).all("script"))) == 2
    assert "alert" in hostile_site()["acme_thing.html"]


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


def test_a_site_says_what_it_was_made_of(folder: Path) -> None:
    said = json.loads((folder / MARK).read_text())
    assert said["specs"] == {spec: LAYOUTS[spec].sha256 for spec in SPECS}
    assert said["files"] == sorted(path.name for path in folder.iterdir())
