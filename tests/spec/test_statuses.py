"""What the specs claim: each field says whether a manual describes it, and a documented one says where."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from statements import without_field

from lmparse.review.docs.spec_texts import SpecTexts
from lmparse.spec import catalog
from lmparse.spec.layout import Field

LAYOUTS = catalog.load("bmc_lldf").layouts
FIELDS = [(layout.id, entry) for layout in LAYOUTS.values() for entry in layout]
DOUBT = re.compile(
    r"\binferred\b|not stated|no page|not settled|\blikely\b|does not (say|show)|as applications", re.IGNORECASE
)
"""Words that a manual has no part in."""


@cache
def known_instances() -> dict[str, Any]:
    """The instances of all specs, by name: they stand in the specs only, which are read for it."""
    texts = SpecTexts(LAYOUTS)
    found = ((layout, one) for layout in LAYOUTS.values() for one, _ in texts.helpers(layout))
    shown = ((layout, one) for layout in LAYOUTS.values() for one in layout.calculated)
    return {f"{layout.id}.{one.id}": one for layout, one in (*shown, *found)}


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


def test_words_of_ours_are_not_in_documented_values() -> None:
    of_fields = [
        (f"{layout}.{entry.id}.{code.id}", code)
        for layout, entry in FIELDS
        for code in entry.codes
        if (code.status or entry.status) == "documented"
    ]
    of_sets = [
        (f"{layout.id}.{enum}.{code.id}", code)
        for layout, enum, codes in without_field(LAYOUTS)
        for code in codes
        if code.status == "documented"
    ]
    assert of_fields
    assert of_sets
    assert [f"{name}: {code.doc}" for name, code in of_fields + of_sets if DOUBT.search(code.doc)] == []


def test_every_instance_states_its_status_and_where_it_is_from() -> None:
    assert known_instances().keys() >= {
        "db2_log.is_propagatable",
        "db2_dms.row.record_class",
        "bmc_control.record_code",
    }
    assert [name for name, one in known_instances().items() if not (one.status and one.doc_ref)] == []


def test_words_of_ours_are_not_in_what_is_documented_of_instances() -> None:
    documented = {name: one.doc for name, one in known_instances().items() if one.status == "documented"}
    assert [f"{name}: {doc}" for name, doc in documented.items() if DOUBT.search(doc)] == []


def test_a_value_that_no_field_has_states_its_status() -> None:
    found = {f"{layout.id}.{enum}": codes for layout, enum, codes in without_field(LAYOUTS)}
    of_instances = {
        code.id for layout in LAYOUTS.values() for one in layout.computed.values() for code in one.codes or ()
    }
    assert found.keys() >= {"db2_server.record_class", "bmc_control.record_code", "bmc_lldf_data.reading"}
    missing = {
        f"{name}.{code.id}"
        for name, codes in found.items()
        if not {code.id for code in codes} <= of_instances
        for code in codes
        if not code.status
    }
    assert missing == set()


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
