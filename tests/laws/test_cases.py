"""The cases under tests/cases: each file gives the rows that stand beside it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cases.case import PROVENANCE
from cases.files import CASES, FOUND, arguments, comparable, expected_rows, load, name
from make_cases import made_files as make_files

from lmparse import cli
from lmparse.bmc.control.control_file import read_control
from lmparse.spec import catalog

made_files = cache(make_files)


def test_there_are_cases() -> None:
    assert FOUND


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_case(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = load(path)
    code = cli.main(arguments(path, case))
    out, err = capsys.readouterr()
    expected = expected_rows(case)
    rows = [json.loads(line) for line in out.splitlines()]
    rows = [comparable(row, like) for row, like in zip(rows, expected, strict=False)] + rows[len(expected) :]
    actual = path.with_suffix(".actual.json")
    if (code, rows) != (case["exit"], expected):
        actual.write_text(json.dumps({"exit": code, "rows": rows, "stderr": err.splitlines()}, indent=1), "utf-8")
    else:
        actual.unlink(missing_ok=True)
    assert code == case["exit"], err
    assert rows == expected


def test_the_files_are_what_the_maker_gives() -> None:
    differing = [path for path, content in made_files().items() if not path.exists() or path.read_bytes() != content]
    assert not differing, "run: python tests/make_cases.py"


def test_what_the_maker_made_it_still_makes() -> None:
    folders = {path.parent for path in (*FOUND, *CASES.parent.glob("cases_bad/*/*.yaml"))}
    made = {path for path in made_files() if path.suffix == ".yaml"}
    claimed = {path for folder in folders for path in folder.glob("*.yaml") if load(path)["provenance"] == PROVENANCE}
    assert claimed == made, "remove the cases that are made no more"


# -- what the cases cover ------------------------------------------------------------------

RECORDS = [name for name in catalog.spec_ids() if name.startswith("bmc_") and not catalog.load(name).layout.params]
"""Specs whose records can be read on their own."""
BLANK = re.compile(r"0*")

UNREACHED: dict[str, str] = {}
"""Fields that no good case shows with a value, by `spec.field`, each with its reason."""
UNSHOWN = {
    "bmc_lldf_data.reading": "a parameter: the cases reading_… show it by what is read",
    "bmc_row_image.storage": "a parameter: varying and fixed columns show it",
    "bmc_row_image.len_unit": "a parameter: graphic columns and others show it",
    "bmc_xtyp.no_ccsid": "numbers that are not CCSIDs: tests of code pages show what follows from them",
    "bmc_row_image.null_indicator": "shown as null and as values, of every column type",
}
"""Code sets that no row prints, by `spec.enum`, each with its reason."""


def shown_values(spec_id: str) -> dict[str, set[str]]:
    """Every value, as text, that the good cases of a spec show, by field; of nested records too."""
    shown: dict[str, set[str]] = defaultdict(set)

    def collect(row: dict[str, Any]) -> None:
        for field, value in row.items():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    collect(item)
            shown[field].add("" if value in (None, [], {}) else str(value))

    for path in FOUND:
        case = load(path)
        if path.parent.name == spec_id and case["command"] == "records":
            for row in expected_rows(case):
                collect(row)
    return shown


@pytest.mark.parametrize("spec_id", RECORDS)
def test_every_field_is_shown_with_a_value(spec_id: str) -> None:
    shown = shown_values(spec_id)
    layouts = [layout for key, layout in catalog.load(spec_id).layouts.items() if key.split(".")[0] == spec_id]
    entries = [entry for layout in layouts for entry in layout]
    fields = [entry.id for entry in entries if entry.kind not in ("body", "struct") or entry.repeated]
    missing = {f"{spec_id}.{field}" for field in fields if not any(not BLANK.fullmatch(text) for text in shown[field])}
    assert missing == {entry for entry in UNREACHED if entry.startswith(f"{spec_id}.")}


@pytest.mark.parametrize("spec_id", [name for name in catalog.spec_ids() if name.startswith("bmc_")])
def test_every_listed_code_is_shown(spec_id: str) -> None:
    shown = shown_values(spec_id)
    spec = catalog.load(spec_id)
    layouts = [layout for key, layout in spec.layouts.items() if key.split(".")[0] == spec_id]
    missing = {
        f"{spec_id}.{entry.id}: {code.text!r}"
        for layout in layouts
        for entry in layout
        for code in entry.codes
        if f"{spec_id}.{entry.enum}" not in UNSHOWN and (code.text or "").strip() not in shown[entry.id]
    }
    assert not missing
    in_fields = {entry.enum for layout in layouts for entry in layout if entry.enum}
    others = {f"{spec_id}.{name}" for name in spec.layout.enums} - {f"{spec_id}.{name}" for name in in_fields}
    assert others <= UNSHOWN.keys() | {"bmc_control.record_code"}


def test_every_control_record_is_shown() -> None:
    listed = catalog.load("bmc_control").layout.enums["record_code"]
    codes = {code.value.to_bytes(4, "big").decode("cp037") for code in listed}
    shown = shown_values("bmc_control")["cntl_record_type"]
    assert codes < shown, "each listed code, and one that is not"


def test_every_column_type_is_shown_with_and_without_null() -> None:
    listed = {code.text for code in catalog.load("bmc_dlci").layout["ll_column_type"].codes}
    seen: set[tuple[str, bool]] = set()
    for path in FOUND:
        if path.parent.name != "bmc_row_image":
            continue
        control = read_control(path.with_suffix(".ctl"))
        types = {record.values["column_name"]: record.values["ll_column_type"] for record in control.of("DLCI")}
        for row in expected_rows(load(path)):
            for image in filter(None, (row["before"], row["after"])):
                seen |= {(types[column], value is None) for column, value in image.items()}
    # The value of a large object stands in another file, so that nothing but null is shown.
    lobs = {"BLOB", "CLOB", "DBCL"}
    assert {type_ for type_, is_null in seen if is_null} >= listed
    assert {type_ for type_, is_null in seen if not is_null} >= listed - lobs


GENERATIONS = ("v7", "v9.7", "v10")
LUW_KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "function_id_v7": ("db2_dms", "function_id_v7", ("v7",)),
    "function_id": ("db2_dms", "function_id", ("v9.7", "v10")),
    "dom": ("db2_dom", "function_id", GENERATIONS),
    "insert_lob_data": ("db2_lob", "insert_lob_data", ("v7", "v9.7")),
    "lob": ("db2_lob", "operation", ("v10",)),
    "long_field": ("db2_long_field", "operation", GENERATIONS),
    "datalink": ("db2_datalink", "function_id", ("v7",)),
    "ddl": ("db2_ddl", "function_id", ("v10",)),
    "xml": ("db2_xml", "operation", ("v10",)),
}
"""Code sets that name kinds of log records: spec, code set, and generations that have them."""
NO_KINDS = {"normal", "redo", "undo", "compensation", "compensation_required", "information_only", "datalink"}
"""Types of log records that only say how recovery treats them; the component names the kind."""
LATER_TYPES = {"application_information"}
"""Types that version 7 has not."""


def shown_kinds() -> dict[tuple[str, str], set[str]]:
    """Every kind of log record that the good cases show, by generation and byte order."""
    shown: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in FOUND:
        case = load(path)
        if case["command"] == "records" and case["options"].get("spec") == "db2_log":
            key = case["options"]["generation"], case["options"]["byte_order"]
            shown[key] |= {row["kind"] for row in expected_rows(case)}
    return shown


@pytest.mark.parametrize("byte_order", ["little", "big"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_kind_of_log_record_is_shown(generation: str, byte_order: str) -> None:
    listed = {
        f"{spec}.{word}"
        for spec, enum, generations in LUW_KINDS.values()
        if generation in generations
        for word in catalog.load(spec).enum(enum)
    }
    types = set(catalog.load("db2_log").enum("log_record_type")) - NO_KINDS
    types -= LATER_TYPES if generation == "v7" else set()
    shown = shown_kinds()[generation, byte_order]
    assert not listed - shown
    assert types == {kind.partition(".")[2] for kind in shown if kind.startswith(("db2_transaction", "db2_utility"))}


def test_every_column_type_of_db2_luw_is_shown_with_and_without_null() -> None:
    listed = set(catalog.load("db2_dms").enum("column_type")) - {"struct_type", "long_vargraphic"}  # no row is known
    later = {"boolean", "binary", "varbinary"}
    for generation, order in product(GENERATIONS, ("little", "big")):
        seen: set[tuple[str, bool]] = set()
        for path in FOUND:
            case = load(path)
            options = case["options"]
            is_of = (options.get("generation"), options.get("byte_order")) == (generation, order)
            if path.parent.name == "db2_row" and is_of and path.with_suffix(".tables").exists():
                (table,) = load(path.with_suffix(".tables"))["tables"]
                types = {column["name"]: column["type"] for column in table["columns"]}
                for row in expected_rows(case):
                    for image in filter(None, (row["before"], row["after"])):
                        seen |= {(types[name], value is None) for name, value in image.items()}
        words = [(re.sub(r"\((16|34)\)", r"\1", type_), is_null) for type_, is_null in seen]
        names = [(word.partition("(")[0].lower().replace(" ", "_"), is_null) for word, is_null in words]
        here = listed if generation == "v10" else listed - later
        outside = {"long_varchar", "xml"} | ({"blob", "clob", "dbclob"} if generation == "v7" else set())
        assert {name for name, is_null in names if is_null} == here
        assert {name for name, is_null in names if not is_null} == here - outside


def test_every_spec_has_a_case() -> None:
    without = {"zos_bdw", "common_packed_decimal"}  # fields of less than a byte; shown by framing_bdw and by dec_…
    without |= {"db2_server"}  # code sets of options, no field
    assert {path.parent.name for path in FOUND} == set(catalog.spec_ids()) - without
