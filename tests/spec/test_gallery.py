"""Specs with the habits of others are built, loaded, listed, documented and explained."""

from __future__ import annotations

import json
from pathlib import Path

import gallery
import pytest

from lmparse.spec import catalog
from lmparse.spec.build.lint import linted
from lmparse.spec.build.specs import on_disk, read_all, selected


def squeezed(text: str) -> str:
    """A text without white space: the compiler indents it."""
    return "".join(text.split())


SPECS = Path(__file__).parents[1] / "cases_foreign_specs"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gallery")


@pytest.fixture(scope="module")
def rows(scratch: Path) -> dict[str, gallery.Row]:
    return {row.place: row for row in gallery.rows_of(SPECS, scratch)}


@pytest.fixture
def built(rows: dict[str, gallery.Row], scratch: Path) -> Path:
    return scratch / "built"


def test_every_step_passes_or_is_refused_with_a_code(rows: dict[str, gallery.Row]) -> None:
    assert len(rows) >= 20
    reasons = {(row.place, step): reason for row in rows.values() for step, reason in row.reasons.items()}
    # A record that needs parameters is not read on its own.
    assert "[LMP-S004]" in reasons.pop(("words/builtins", "explain"))
    assert reasons == {}
    by_parser = {row.place: row.by_parser for row in rows.values() if row.by_parser}
    assert by_parser == {"structure/views": "entries: only the parser can evaluate parent"}


def test_the_table_says_why_and_sums_up(rows: dict[str, gallery.Row]) -> None:
    failed = gallery.Row("deep/bad", "bad", {"build": "1:2: there is no key x in a field"})
    lines = gallery.table([rows["docs/unicode"], rows["words/builtins"], failed]).splitlines()
    assert [line.split()[1:] for line in (lines[1], lines[2], lines[4])] == [
        ["yes"] * 5, ["yes", "yes", "yes", "yes", "no"], ["no", "-", "-", "-", "-"]
    ]  # fmt: skip
    assert lines[5] == "    build: 1:2: there is no key x in a field"
    assert lines[-1] == "3 specs: build 2, load 2, formats 2, docs 2, explain 1, column-wise 2"


def test_lint_finds_nothing_wrong_in_them() -> None:
    assert linted(selected(SPECS)).problems == []


def test_names_that_yaml_reads_as_truth_values_are_as_written(built: Path) -> None:
    spec = catalog.load(str(built / "truths"))
    assert list(spec.layout.enums) == ["answer"]
    assert [code.id for code in spec.layout.enums["answer"]] == ["no", "yes", "off", "on", "false", "true", "n"]
    parsed = spec.parser.from_bytes(b"\4\7\x09")
    assert (parsed.answer.name, parsed.is_no, parsed.on.y, parsed.off) == ("false", 7, 9, 4)


def test_members_named_as_keywords_keep_their_names(built: Path) -> None:
    parser = catalog.load(str(built / "keywords")).parser
    members = json.loads((built / "MANIFEST.json").read_text())["specs"]["keywords"]["outputs"]
    assert set(members) == {"keywords.py", "keywords.pyi", "debug/keywords.py"}
    assert parser.Operation["not"].name == "not"
    parsed = parser.from_bytes(b"\1\5")
    assert (parsed.operation.name, parsed.is_not) == ("not", 5)
    assert parser.from_bytes(b"\3\6").by_kind.x == 6


def test_docs_keep_their_text(built: Path) -> None:
    (spec,), _ = read_all(on_disk(SPECS)[0], ["docs/backslashes"])
    loaded = catalog.load(str(built / "backslashes"))
    doc = spec.tree["doc"]
    assert all(text in doc for text in (r"C:\Users\x", '"""three quotes"""', r"\N{DASH}"))
    assert squeezed(loaded.parser.__doc__ or "").startswith(squeezed(doc))
    assert squeezed(loaded.debug_parser.__doc__ or "").startswith(squeezed(doc))
    assert loaded.layout.doc == " ".join(doc.split())
    assert squeezed(loaded.parser.Inner.__doc__ or "") == '""".'
