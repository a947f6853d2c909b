"""Changes by the column: they are what they are one by one, whatever the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from amounts import amount
from engines import Outcome, changes, changes_difference, difference
from samples.bmc_random import write

from lmparse.columnar import arrays
from lmparse.errors import EngineDifferenceError
from lmparse.logs import arrow
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.samples import bmc_log


def compared(path: Path, **options: Any) -> Any:
    """What both engines give, once they agree."""
    rows, columns = changes(path, "kaitai", **options), changes(path, "columnar", **options)
    fatal = bool(rows.errors) and ((rows.errors[-1]["code"] or "")[:5] == "LMP-F" or options.get("mode") == "failfast")
    assert not changes_difference(rows, columns, ends_early=fatal)
    return columns


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("log")
    control, data = bmc_log.make(seed=3, units=150).write(folder)
    return {"path": Path(data), "control": str(control)}


@pytest.mark.parametrize(
    "options",
    [
        {"operations": "U,D"},
        {"operations": "I", "include": "all"},
        {"columns": "SALARY,EMPNO"},
        {"columns": "SALARY", "table": "PAYROLL.EMPLOYEE"},
        {"table": "PAYROLL.EMPLOYEE", "table_version": "1"},
        {"floats": "ieee"},
        {"trim": "false"},
        {"row_images": "inclusive"},
        {"mode": "failfast"},
    ],
    ids=str,
)
def test_options(log: dict[str, Any], options: dict[str, str]) -> None:
    compared(**log, **options)


def test_parts_of_a_log_with_segments(tmp_path: Path) -> None:
    """Each part gives the same by both engines; together they give what the whole log does."""
    written = write(tmp_path, amount(150, 600), segmented=0.05)
    request = Request((str(written["path"]),), Options.parse({"control": written["control"]}), True, 15_000)
    parts = list(request.parts())
    assert len(parts) > 1
    rows: dict[str, int] = {}
    for part in parts:
        found = {}
        for engine in ("kaitai", "columnar"):
            opened = replace(part, options=replace(part.options, engine=engine, include=("all",))).open()
            batches: dict[str, list[Any]] = {}
            for version, batch in arrow.version_batches(opened, part.span):
                batches.setdefault(version.identity if version else "", []).append(batch)
            found[engine] = {name: pa.Table.from_batches(held) for name, held in batches.items()}
        assert found["kaitai"].keys() == found["columnar"].keys()
        for version_, table in found["kaitai"].items():
            assert not difference(Outcome(table, []), Outcome(found["columnar"][version_], []))
            rows[version_] = rows.get(version_, 0) + table.num_rows
    whole = changes(**written, engine="columnar", include="all")
    assert rows == {version_: table.num_rows for version_, table in whole.tables.items()}


# both, compared


@pytest.mark.parametrize("with_changes", [True, False])
def test_engine_check(log: dict[str, Any], with_changes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"control": log["control"], "table": "PAYROLL.EMPLOYEE"} if with_changes else {"spec": "bmc_lldf"}
    request = Request((str(log["path"]),), Options.parse({**options, "engine": "check"}), with_changes, 40_000)
    parts, schema = list(request.parts()), arrow.request_schema(request)
    assert len(parts) > 1

    def rows() -> int:
        read = (arrow.part_rows(part, schema, with_changes=with_changes) for part in parts)
        return sum(batch.num_rows for batches in read for batch in batches)

    assert rows() > 100
    real = arrays.text
    monkeypatch.setattr(arrays, "text", lambda raw, page: real(raw ^ 1, page))
    with pytest.raises(EngineDifferenceError, match="column-wise"):
        rows()
