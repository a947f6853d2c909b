"""Values or a LmparseError from a Db2 LUW log, both engines alike, all bytes accounted for, in bounded memory.

An input changes the log records of a case, of any generation and byte order, with lengths made right; a second case of
the same form may follow. Every eighth input changes lengths too.
"""

from __future__ import annotations

from typing import Any

from fuzz.edits import Source, edited, inputs
from fuzz.invariants import accounted, changes_agree, records_agree, transactions_agree
from fuzz.put_together import luw
from fuzz.seeds import Seed, put, seeds

CASES = seeds(lambda seed: seed.spec.startswith("db2_") and (seed.options.get("spec") == "db2_log"))
SEEDS = inputs(len(CASES))
FORM = ("generation", "byte_order", "framing")


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    chosen, choices, other = source.number(), source.number(), CASES[source.number(2) % len(CASES)]
    more = other.stretches if choices & 8 and form(other) == form(seed) else ()
    parts = edited((*seed.stretches, *more), source)
    path = put("a.log", b"".join(parts) if chosen % 8 == 7 else luw(parts, seed))
    options: dict[str, Any] = {"spec": "db2_log"} | (form(seed) if chosen & 8 else {})
    records_agree(path, **options)
    tables = seed.beside(".tables")
    if tables is not None and not choices & 4:
        options["tables"] = str(put("a.tables", tables))
    if choices & 16:
        transactions_agree(path, **options)
    options |= {"include": ("all", "committed")[choices & 1], "mode": ("permissive", "failfast")[choices >> 1 & 1]}
    changes_agree(path, **options)
    accounted(path, **options)


def form(seed: Seed) -> dict[str, Any]:
    """Generation, byte order and framing that a case states."""
    return {name: seed.options[name] for name in FORM if name in seed.options}
