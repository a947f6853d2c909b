"""Law: however an engine finds the transactions of a Db2 LUW log, it gives what the other one gives.

Random scripts have every event that a log can have; the test demands that each occurs. Rows, their order, errors with
their places, counts and notices are compared, of the whole log and of its parts.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from amounts import amount
from samples import db2_random
from samples.db2_random import FORMS, form_of, random_script, written
from transaction_runs import ENGINES, converted, differences, ways_of

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


@pytest.mark.parametrize("seed", SEEDS[:: amount(6, 1)])
def test_engines_agree_on_a_random_script(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, TRANSACTIONS)
    assert differences(path, options, ways_of(seed)) == []


def test_every_event_occurs_in_every_form() -> None:
    found: Counter[str] = Counter()
    for seed in SEEDS:
        found += random_script(seed, TRANSACTIONS).events
        found["tables file"] += seed % 3 > 0
    assert {event for event in EVENTS if not found[event]} == set()
    assert {form_of(seed) for seed in range(len(FORMS))} == {*FORMS}


@pytest.mark.parametrize("seed", [2])
def test_engines_agree_on_what_is_converted(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, 25)
    options["include"] = "all"
    found = {engine: converted(path, tmp_path / engine, engine, options) for engine in ENGINES}
    parts = converted(path, tmp_path / "parts", "columnar", options, jobs=2, part_bytes=5000)
    assert found["kaitai"][0]
    assert found["kaitai"] == found["columnar"]
    assert parts[0] == found["kaitai"][0]
    for limit in (1, 20_000):  # what memory does not hold is in files
        stored = converted(
            path, tmp_path / f"{limit}", "columnar", {**options, "limits": f"indexBytes={limit}"}, part_bytes=5000
        )
        assert stored[0] == found["kaitai"][0]
