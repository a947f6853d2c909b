"""Summaries as text and JSON: the same numbers in each, harmless."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import lmparse
from lmparse.samples import bmc_log, db2_log

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """A log of each family, with the options to read it."""
    folder = tmp_path_factory.mktemp("logs")
    control, data = bmc_log.make(units=8).write(folder)
    tables, log = db2_log.make(units=8).write(folder)
    return {"bmc": {"path": data, "control": str(control)}, "luw": {"path": log, "tables": str(tables)}}


@pytest.mark.parametrize("name", ["bmc", "luw"])
def test_text_has_the_numbers_of_the_json_form(logs: dict[str, dict[str, Any]], name: str) -> None:
    found = lmparse.summary(**logs[name])
    numbers = found.to_dict()
    text = str(found)
    assert json.loads(json.dumps(numbers)) == numbers
    for row in numbers["changes"]["by_table"]["groups"]:
        cells = f"{row['schema_name']}.{row['table_name']}", row["op"], str(row["changes"]), row["first_commit"][:19]
        assert any(line.split()[:4] == list(cells) for line in text.splitlines())
    left_out = ", ".join(f"{count} {why}" for why, count in numbers["changes"]["left_out"].items())
    assert left_out in text
    for user in numbers["who"]["auth_id"]["groups"]:
        assert (user["auth_id"] or "none stated") in text
    assert (numbers["time"]["zone"] or "no time zone") in text


def test_names_do_nothing_to_a_page(logs: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "hostile.yaml"
    tree = yaml.safe_load(Path(logs["luw"]["tables"]).read_text("utf-8"))
    tree["tables"][0]["name"] = HOSTILE
    path.write_text(yaml.safe_dump(tree), "utf-8")
    found = lmparse.summary(logs["luw"]["path"], tables=str(path))
    assert any(HOSTILE in row["table_name"] for row in found.to_dict()["changes"]["by_table"]["groups"])
    page = found._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_options_that_would_leave_something_out_are_refused(logs: dict[str, dict[str, Any]]) -> None:
    given = {
        "table": "A.B", "include": "all", "operations": "I", "order": "commit", "header": True, "mode": "failfast",
        "columns": "A", "starting_seq": "0" * 72, "envelope": "debezium", "checkpoint": "x", "trim": False,
    }  # fmt: skip
    for name, value in given.items():
        with pytest.raises(lmparse.OptionError, match=r"means nothing for summary \[LMP-S003\]$"):
            lmparse.summary(**logs["luw"], **{name: value})
