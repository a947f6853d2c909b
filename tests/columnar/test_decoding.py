"""`lmparse formats SPEC`: how the columns of a spec are decoded, and why."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from lmparse.columnar import kernels, schemas
from lmparse.columnar.decoding import decoding_of
from lmparse.spec import catalog


@pytest.mark.parametrize("spec", catalog.spec_ids())
def test_every_column_of_every_spec_is_listed(run: Any, spec: str) -> None:
    loaded = catalog.load(spec)
    done = run("formats", spec)
    assert (done.code, done.err) == (0, "")
    title, how, blank, *lines = done.out.partition("\n\nrecords with ")[0].splitlines()
    assert (title, blank) == (f"{spec}: {loaded.layout.title}", "")
    names = [name for name in schemas.records_schema(spec).names if name not in schemas.OUTCOMES]
    assert [name in line.split() for name, line in zip(names, lines, strict=False)] == [True] * len(names)
    decoded = json.loads(run("formats", spec, "--json").out)["decoded"]
    assert (decoded["engine"], decoded["why"]) == ("columnar", None)
    assert how == "decoded column-wise"
    for column in decoded["columns"]:
        assert list(column) == ["name", "offset", "width", "kind", "how", "why"]
        assert column["how"] != "row"
        assert (column["why"] or "JSON text").startswith("JSON text")


def test_a_line_has_place_names_kind_status_and_decoding(run: Any) -> None:
    _, how, _, *lines = run("formats", "bmc_lldf").out.splitlines()
    assert how == "decoded column-wise"
    words = [line.split() for line in lines]
    assert ["60", "17", "timestamp", "TIMESTAMP", "timestamp17", "documented", "timestamp17"] in words
    rid = catalog.load("bmc_lldf").layout["rid"].offset
    assert [str(rid), "4", "rid_page", "uint", "unsigned"] in words
    (data,) = [line for line in words if "data" in line]
    assert data[-1] == "columns"


def test_a_kind_that_nothing_reads_by_the_column(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.setattr(kernels, "text_refusal", lambda page: f"there is no kernel for text in {page.name}")
    spec = catalog.load("bmc_lldf")
    found = decoding_of(spec)
    name = next(entry.id for entry in spec.layout if entry.kind == "char")
    assert found.why == f"{name}: there is no kernel for text in cp037"
    by_name = {column.name: column for column in found.columns}
    assert (by_name[name].how, by_name[name].why) == ("row", "there is no kernel for text in cp037")
    assert by_name["length"].how == "unsigned"
    assert "row: there is no kernel for text in cp037\n" in run("formats", "bmc_lldf").out


def test_without_arrow_the_fields_are_listed_all_the_same(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.setitem(sys.modules, "lmparse.columnar.decoding", None)
    assert "    60    17  timestamp                TIMESTAMP            timestamp17  documented\n" in (
        run("formats", "bmc_lldf").out
    )
    assert json.loads(run("formats", "bmc_lldf", "--json").out)["decoded"] is None
