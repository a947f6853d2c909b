"""`lmparse plan`: which way the columns of a spec go, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing, logs

from lmparse.columnar import column_plans, forms, schemas
from lmparse.columnar.record_plan import RecordPlan
from lmparse.logs.plan import planned
from lmparse.spec import catalog


@pytest.mark.parametrize("spec", catalog.spec_ids())
def test_every_spec_has_a_plan(run: Any, spec: str) -> None:
    done = run("plan", spec)
    assert (done.code, done.err) == (0, "")
    columns, _, passes = done.out.partition("\nread by ")
    assert len(passes.splitlines()) > 3
    columns, _, one_by_one = columns.partition("\n\nrecords with ")
    first, blank, *lines = columns.splitlines()
    is_by_form = first == f"{spec}: column-wise, form by form: the data decide what a record is"
    assert is_by_form or first == f"{spec}: column-wise" or first.startswith(f"{spec}: row by row: ")
    assert is_by_form or not one_by_one
    assert blank == ""
    names = [name for name in schemas.records_schema(spec).names if name not in schemas.OUTCOMES]
    assert len(lines) == len(names)
    for line, name in zip(lines, names, strict=True):
        assert name in line.split()


def test_a_plan_names_place_kind_and_way(run: Any) -> None:
    first, _, *lines = run("plan", "bmc_lldf").out.splitlines()
    assert first == "bmc_lldf: column-wise"
    words = [line.split() for line in lines]
    assert ["60", "17", "timestamp", "timestamp17", "timestamp17"] in words
    assert ["0", "2", "length", "uint", "unsigned"] in words
    layout = catalog.load("bmc_lldf").layout
    rid = layout["rid"].offset
    assert rid is not None
    assert [str(rid), "4", "rid_page", "uint", "unsigned"] in words
    (data,) = [line for line in words if "data" in line]
    assert data[-4:] == ["bytes", "to", "the", "end"]


def test_a_spec_that_goes_row_by_row_says_why(run: Any) -> None:
    first, _, *lines = run("plan", "bmc_dicl").out.partition("\nread by ")[0].splitlines()
    reason = RecordPlan(catalog.load("bmc_dicl")).reason
    assert reason
    assert first == f"bmc_dicl: row by row: {reason}"
    assert all(" row" in line for line in lines)


@pytest.mark.parametrize("spec", ["bmc_control", "db2_log"])
def test_records_of_several_kinds_go_form_by_form(run: Any, spec: str) -> None:
    found = planned(spec)
    assert found.is_by_form
    assert {column.way for column in found.columns} == {"form"}
    assert not found.one_by_one
    assert run("plan", spec).out.startswith(f"{spec}: column-wise, form by form: ")


@pytest.mark.parametrize("spec", catalog.spec_ids())
def test_the_same_as_one_json_object(run: Any, spec: str) -> None:
    (line,) = run("plan", spec, "--json").out.splitlines()
    said = json.loads(line)
    loaded = catalog.load(spec)
    refused = RecordPlan(loaded).refusal(schemas.records_schema(spec))
    reason = refused if forms.refusal(loaded.layouts, loaded.layout) else ""
    assert (said["spec"], said["reason"]) == (spec, reason or None)
    assert said["engine"] == ("row" if reason else "columnar")
    assert said["by_form"] == (refused != reason)
    assert said["by_form"] or not said["one_by_one"]
    for column in said["columns"]:
        assert list(column) == ["name", "offset", "width", "kind", "way", "reason"]
        assert (column["way"] == "row") == bool(reason)
        assert bool(column["reason"]) == bool(reason)


def test_the_example_of_the_page_is_what_is_printed(run: Any) -> None:
    page = (Path(__file__).parents[2] / "docs" / "convert.md").read_text()
    _, example, shown = page.partition("$ lmparse plan bmc_lldf --columns timestamp,rid_page,data\n")
    assert example
    done = run("plan", "bmc_lldf", "--columns", "timestamp,rid_page,data")
    assert shown.startswith(done.out)


@pytest.mark.parametrize(
    ("stated", "near", "all_of_it"), [(None, 1, 2), ({"segmented": "N"}, 1, 2), ({"segmented": "Y"}, 0, 2)]
)
def test_what_is_read_to_divide_a_log(
    run: Any, tmp_path: Path, stated: dict[str, str] | None, near: int, all_of_it: int
) -> None:
    words = ["plan", "bmc_lldf"]
    if stated is not None:
        (tmp_path / "a.ctl").write_bytes(framing.rdw(logs.Writer().example(dlds_fields=stated).control_records))
        words += ["--control", str(tmp_path / "a.ctl")]
    passes = json.loads(run(*words, "--json").out)["before_parts"]
    assert {one["of"] for one in passes} == {"records", "changes", "records and changes"}
    changes = [one for one in passes if one["of"] == "changes"]
    assert sum("near the cuts" in one["reads"] for one in changes) == near
    assert sum("TOTALSEGS" in one["reads"] for one in changes) == all_of_it
    of_all = [one for one in passes if "near the cuts" not in one["reads"] and "up to" not in one["reads"]]
    assert [one for one in passes if one["why"]] == of_all
    printed = run(*words).out
    assert all(f"  {one['of']} {one['when']}: {one['reads']}" in printed for one in passes)


def test_only_some_columns(run: Any) -> None:
    said = json.loads(run("plan", "bmc_lldf", "--columns", "rid_row, dbid", "--json").out)
    assert [column["name"] for column in said["columns"]] == ["rid_row", "dbid"]


def test_a_kind_that_nothing_reads_by_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(column_plans._TEXTS, "char")
    found = planned("bmc_lldf")
    name = next(entry.id for entry in catalog.load("bmc_lldf").layout if entry.kind == "char")
    assert found.reason == f"{name}: there is no kernel for char"
    by_name = {column.name: column for column in found.columns}
    assert (by_name[name].way, by_name[name].reason) == ("row", "there is no kernel for char")
    assert (by_name["length"].way, by_name["length"].reason) == ("row", found.reason)
    assert any(line.endswith("row: there is no kernel for char") for line in found.lines())


@pytest.mark.parametrize(
    "arguments", [(), ("no_such_spec",), ("bmc_lldf", "--columns", "no_such_field"), ("bmc_lldf", "--colums", "dbid")],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_is_2(run: Any, arguments: tuple[str, ...]) -> None:
    done = run("plan", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
