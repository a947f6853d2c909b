"""Law: both engines give the same rows of a Db2 LUW log, errors with their places, counts and notices.

Random scripts have every event that a log can have; the test demands that each occurs. What became of each change is
decided once for both engines, and compared with `oracle` by `random_logs.db2_transactions`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from amounts import amount
from samples import db2_random
from samples.db2_random import FORMS, form_of, random_script, written

from lmparse.errors import DataError, LmparseError
from lmparse.export.conversion import Conversion
from lmparse.export.convert import convert
from lmparse.logs.families import read_options

ENGINES = ("kaitai", "columnar")

SEEDS = range(1, amount(30, 600) + 1)
TRANSACTIONS = amount(20, 60)
"""Of each script: few suffice for every event to occur in some script."""
EVENTS = {
    *db2_random.WEIGHTS, *db2_random.ENDS, "identifier used again", "address that is none", "value appended to",
    *(f"compensation {style}" for style in ("named", "unnamed", "nowhere", "zero", "another", "twice")),
    *(f"damage {kind}" for kind in ("header", "body", "inner length", "shorter", "longer")),
    *(f"moved row, {kind}" for kind in (
        "both", "other table", "deletes", "inserts", "delete", "undone", "between")),
    *(f"pointer behind {kind}" for kind in ("insert", "nothing", "other table", "undone", "many")),
    *(f"pieces before {kind}" for kind in ("insert", "update", "many", "delete", "late")),
    *(f"unlisted {kind}" for kind in ("type", "component", "function", "datalink", "empty")),
    *(f"old kind {kind}" for kind in ("insert", "delete", "update")),
    "propagation off", "propagation on", "create table", "drop table", "create index", "drop index", "reorg",
    "statement", "amount", "time with a fraction", "tables file", "torn at the end", "zeros at the end",
}  # fmt: skip


def converted(
    path: Path, out: Path, engine: str, options: dict[str, Any], **more: Any
) -> tuple[dict[str, pa.Table], Any]:
    """The files that `convert` makes of the changes, by name, with what it said."""
    errors: list[LmparseError] = []
    asked = Conversion(str(path), str(out), read_options({**options, "engine": engine}), with_changes=True, **more)
    try:
        summary = convert(asked, errors.append)
    except LmparseError as error:
        return {}, ([*map(_told, errors)], _told(error))
    tables = {file.name: pq.read_table(file) for file in sorted(out.glob("*.parquet"))}
    return tables, ([*map(_told, errors)], summary.rows, summary.left_out, summary.tally.notices)


def _told(error: LmparseError) -> Any:
    return error.to_dict() if isinstance(error, DataError) else (error.code, str(error))


@pytest.mark.parametrize("seed", SEEDS[:: amount(6, 1)])
def test_engines_agree_on_a_random_script(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, TRANSACTIONS)
    options |= {"include": ("all", "committed")[seed // 2 % 2], "order": ("file", "commit")[seed // 4 % 2]}
    one, other = (converted(path, tmp_path / engine, engine, options) for engine in ENGINES)
    assert one == other


def test_every_event_occurs_in_every_form() -> None:
    found: Counter[str] = Counter()
    for seed in SEEDS:
        found += random_script(seed, TRANSACTIONS).events
        found["tables file"] += seed % 3 > 0
    assert {event for event in EVENTS if not found[event]} == set()
    assert {form_of(seed) for seed in range(len(FORMS))} == {*FORMS}


def test_parts_are_converted_as_the_whole(tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, 2, 25)
    options["include"] = "all"
    whole, _ = converted(path, tmp_path / "whole", "columnar", options)
    assert whole
    assert converted(path, tmp_path / "parts", "columnar", options, jobs=2, part_bytes=5000)[0] == whole
    for limit in (1, 20_000):  # what memory does not hold is in files
        limited = {**options, "limits": f"indexBytes={limit}"}
        assert converted(path, tmp_path / f"{limit}", "columnar", limited, part_bytes=5000)[0] == whole
