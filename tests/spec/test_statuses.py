"""What the specs claim: each field says whether a manual describes it, and a documented one says where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lmparse import cli
from lmparse.spec import catalog
from lmparse.spec.layout import Field

FIELDS = [(layout.id, entry) for layout in catalog.load("bmc_lldf").layouts.values() for entry in layout]
DOUBT = re.compile(
    r"\binferred\b|not stated|no page|not settled|\blikely\b|does not (say|show)|as applications", re.IGNORECASE
)
"""Words that a manual has no part in."""


def test_every_field_states_its_status() -> None:
    assert [f"{layout}.{entry.id}" for layout, entry in FIELDS if not entry.status] == []


def documented() -> list[tuple[str, Field]]:
    return [(layout, entry) for layout, entry in FIELDS if entry.status == "documented"]


def test_what_is_documented_says_where() -> None:
    assert [f"{layout}.{entry.id}" for layout, entry in documented() if not entry.doc_ref] == []


def test_no_page_at_hand_is_not_documented() -> None:
    assert [f"{layout}.{entry.id}" for layout, entry in documented() if "no page" in entry.doc_ref.lower()] == []


def test_words_of_ours_are_not_in_what_is_documented() -> None:
    assert [f"{layout}.{entry.id}: {entry.doc}" for layout, entry in documented() if DOUBT.search(entry.doc)] == []


@pytest.mark.parametrize(
    ("layout", "field", "value"),
    [("bmc_lldf", "incomplete_trans", "no"), ("bmc_lldf", "incomplete_dep", "no")],
)
def test_a_value_that_no_manual_lists_is_inferred(layout: str, field: str, value: str) -> None:
    codes = {code.id: code.status for code in catalog.load("bmc_lldf").layouts[layout][field].codes}
    assert codes == {"yes": "", value: "inferred"}


def test_a_bound_has_a_status_of_its_own() -> None:
    length = catalog.load("bmc_lldf").layout["length"]
    assert (length.status, length.minimum, length.valid_status) == ("documented", 277, "inferred")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("-lm-status: documented", "is documented, and doc-ref does not say where"),
        ("-lm-valid-status: inferred", "has no valid whose status it could be"),
        ("-lm-valid-status: perhaps\n    valid: 1", "is 'perhaps', not one of"),
    ],
)
def test_lint_asks_for_grounds(keys: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "acme_thing.ksy").write_text(
        "meta:\n  id: acme_thing\n  title: Thing\n  license: MIT\n  ks-version: '0.11'\ndoc: A thing\ndoc-ref: None\n"
        f"seq:\n  - id: one\n    {keys}\n    type: u1\n"
    )
    assert cli.main(["build", "lint", "--style", "--formats", str(tmp_path)]) in (0, 1)
    assert said in "".join(capsys.readouterr())
