"""Values or a LmparseError from the bytes of rows, of both families, by both engines alike, in bounded memory.

An input changes what lies behind the headers of the records of a case with rows, and may describe them with the columns
of another case: bytes of one type are then read as another. All bytes are accounted for.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fuzz.db2_log import form
from fuzz.edits import Source, edited, inputs
from fuzz.invariants import accounted, changes_agree
from fuzz.put_together import luw, zos
from fuzz.seeds import Seed, put, seeds
from lmparse.spec import catalog

CASES = seeds(lambda seed: seed.spec in ("bmc_row_image", "db2_row") and seed.command == "changes")
SEEDS = inputs(len(CASES))
_HEADERS = {"v7": 20, "v9.7": 24, "v10": 40}
"""Bytes of the header of a log record of Db2 LUW."""


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    choices, other = source.number(), source.pick(CASES, 2)
    is_bmc = seed.spec == "bmc_row_image"
    described = other if choices & 1 and other.spec == seed.spec and form(other) == form(seed) else seed
    whole = seed.records if is_bmc else seed.stretches
    cut = [min(_header(seed, part), len(part)) for part in whole]
    tails = edited([part[at:] for part, at in zip(whole, cut, strict=True)], source)
    # Rows that edits added have the header of the last record.
    heads = [part[:at] for part, at in zip(whole, cut, strict=True)]
    heads += heads[-1:] * max(0, len(tails) - len(heads))
    parts = [head + tail for head, tail in zip(heads, tails, strict=False)]
    options: dict[str, Any] = {
        "include": "all",
        **{name: value for name, value in seed.options.items() if name != "table"},
    }
    if is_bmc:
        path = put("a.dat", zos(parts, 0)[1])
        options |= {"control": str(put("a.ctl", described.beside(".ctl") or b"")), "framing": "rdw"}
    else:
        path = put("a.log", luw(parts, seed))
        options |= {"tables": str(put("a.tables", described.beside(".tables") or b""))}
    changes_agree(path, **options)
    accounted(path, **{name: value for name, value in options.items() if name != "columns"})


@cache
def _header(seed: Seed, record: bytes) -> int:
    """Bytes of a record in front of its rows, or near them."""
    if seed.spec == "bmc_row_image":
        layout = catalog.load("bmc_lldf").layout["length"]
        assert layout.offset is not None
        return int.from_bytes(record[layout.offset : layout.offset + (layout.width or 0)], "big")
    lead = seed.file.framing.lead if seed.file is not None else 0
    return lead + _HEADERS.get(str(seed.options.get("generation")), 40)
