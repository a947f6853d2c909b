"""The tables of the manuals beside the layouts: what is compared, and that a slip on either side shows."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import yaml

from lmparse.review.coverage.files import Samples
from lmparse.review.docs import conformance
from lmparse.review.docs.conformance import ManualLine
from lmparse.review.docs.sources import sources
from lmparse.spec import catalog
from lmparse.spec.build.specs import FORMATS
from lmparse.spec.layout import Code, Layout

LAYOUTS = catalog.load("bmc_lldf").layouts
COMPARED = conformance.compare(LAYOUTS)
MISPRINTED = {"bmc_dtbi.record.reserved1", "db2_dom.reorg_table.index_token", "db2_dom.reorg_table.temp_tablespace_id"}


def tables() -> dict[tuple[str, str, str], list[ManualLine]]:
    found: dict[tuple[str, str, str], list[ManualLine]] = {}
    for line in conformance.lines():
        found.setdefault((line.spec, line.record, line.source), []).append(line)
    return found


def test_nothing_is_left_without_a_reason() -> None:
    assert COMPARED.unexplained == 0
    noted = yaml.safe_load((FORMATS / "conformance.yaml").read_text("utf-8"))["differences"]
    assert {note["field"] for note in noted} <= {row.name for row in COMPARED.rows if row.differences}
    assert [row.name for row in COMPARED.rows if row.verdict == "open"] == []
    assert all(omission.reason for omission in COMPARED.without_table)


def unlike_manuals(layouts: Mapping[str, Layout]) -> tuple[set[str], set[str]]:
    """Values that a manual lists and the spec does not, and fields with a listed value that no manual at hand has."""
    printed: dict[tuple[str, str], set[str]] = {}
    for row in csv.DictReader((FORMATS / "value-tables.csv").read_text("utf-8").splitlines()):
        printed.setdefault((row["layout"], row["id"]), set()).add(row["value"].strip())
    listed = {
        (layout.id, entry.id): {str(code.value) if code.text is None else code.text.strip() for code in entry.codes}
        for layout in layouts.values() for entry in layout if entry.codes
    }  # fmt: skip
    missing = {
        f"{layout}.{field} {value}" for (layout, field), values in printed.items()
        for value in values - listed.get((layout, field), set())
    }  # fmt: skip
    unprinted = {".".join(place) for place, values in listed.items() if values - printed.get(place, set())}
    return missing, unprinted


def test_listed_values_are_those_of_the_manuals() -> None:
    """In both directions, but for the fields that conformance.yaml gives a reason for."""
    notes = yaml.safe_load((FORMATS / "conformance.yaml").read_text("utf-8"))["without_values"]
    assert unlike_manuals(LAYOUTS) == (set(), {name for note in notes if note["reason"] for name in note["fields"]})


def test_a_value_that_only_one_side_lists_shows() -> None:
    codes = LAYOUTS["bmc_lldf"]["uor_disp"].codes
    assert unlike_manuals(changed("bmc_lldf", "uor_disp", codes=codes[1:]))[0]
    more = (*codes, Code(99, "Q", "new"))
    assert "bmc_lldf.uor_disp" in unlike_manuals(changed("bmc_lldf", "uor_disp", codes=more))[1]


def test_each_layout_is_compared_or_named() -> None:
    compared = {row.layout for row in COMPARED.rows if row.line}
    named = {one.layout for one in COMPARED.without_table}
    own = {name for name, layout in LAYOUTS.items() if any(field.kind not in ("body", "rest") for field in layout)}
    assert compared | named >= own
    assert compared & named == set()


def test_the_update_record_is_compared_part_by_part() -> None:
    """Table 109: two headers, two rows of six parts each, and the total."""
    lines = [row for row in COMPARED.rows if row.name.startswith("db2_dms.update.") and row.line]
    assert len(lines) == 15
    assert {row.layout for row in lines} == {"db2_dms.update", "db2_dms.update_part"}
    (rid,) = [row for row in lines if row.label == "old_row.rid"]
    assert (rid.offset, rid.width, rid.verdict) == (8, 4, "same")
    assert lines[-1].width == 36


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: f"{table[0].spec}.{table[0].record}")
def test_the_lines_of_a_table_follow_one_another(table: list[ManualLine]) -> None:
    """What was written down is without gaps, so that a wrong digit in it shows, but for misprints."""
    placed = [
        line for line in table
        if line.offset.isdigit() and line.length.isdigit() and line.name not in MISPRINTED and ":" not in line.id
    ]  # fmt: skip
    for before, after in pairwise(placed):
        if table.index(after) == table.index(before) + 1:
            assert int(after.offset) == int(before.offset) + int(before.length), after.name


def changed(layout_id: str, field: str, **to: Any) -> dict[str, Layout]:
    layout = LAYOUTS[layout_id]
    fields = tuple(replace(entry, **to) if entry.id == field else entry for entry in layout)
    return {**LAYOUTS, layout_id: replace(layout, fields=fields)}


@pytest.mark.parametrize(
    ("layout", "field", "to"),
    [
        ("bmc_lldf", "rid", {"width": 6}),
        ("bmc_lldf", "rid", {"orig_id": "ROWID"}),
        ("bmc_lldf", "log_bytes", {"kind": "float"}),
        ("db2_dms.update_part", "rid", {"kind": "uint"}),
        ("db2_dms.update_part", "free_space", {"width": 4}),
        ("db2_dms.header", "table_id", {"width": 4}),
        ("db2_log.chain_v10", "lfs", {"width": 4}),
        ("db2_transaction.commit", "time_committed", {"width": 8}),
        ("bmc_row_image.column", "len_value", {"width": 4}),
        ("db2_row.column", "null_byte", {"width": 2}),
    ],
)
def test_a_slip_in_a_spec_is_unexplained(layout: str, field: str, to: dict[str, Any]) -> None:
    assert conformance.compare(changed(layout, field, **to)).unexplained > 0


def test_a_field_that_is_gone_is_unexplained() -> None:
    layout = LAYOUTS["db2_dms.rollback_insert"]
    fields = tuple(entry for entry in layout if entry.id != "free_space")
    compared = conformance.compare({**LAYOUTS, layout.id: replace(layout, fields=fields)})
    (row,) = [row for row in compared.rows if row.name == "db2_dms.rollback_insert.free_space"]
    assert (row.differences, row.verdict) == (("missing",), "open")


def test_a_slip_is_in_the_state_of_its_table_which_is_open() -> None:
    """A table that has an unexplained line is open on the page, and all others are not."""
    slipped = changed("db2_dms.header", "table_id", width=4)
    (table,) = [one for one in conformance.compare(slipped).tables if one.layout == "db2_dms.header"]
    assert table.state.endswith("unexplained")
    page = sources({name: slipped[name] for name in slipped if name.startswith("db2_d")}, Samples())
    folded = re.findall(r"<details id=.table-.*?( open)?>\s*<summary><code>([\w.]+)", page["conformance.md"])
    assert len(folded) > 10
    assert [name for is_open, name in folded if is_open] == ["db2_dms.header"]
