"""Values or a LmparseError from the bytes of a record, through every built spec, both engines alike, in bounded memory.

An input is a spec and records of one of its cases, or of any other spec, which are changed; all bytes of the file are
accounted for, and one record alone gives what it gives in a file.
"""

from __future__ import annotations

from typing import Any

import lmparse
from fuzz.edits import Source, edited, inputs
from fuzz.invariants import accounted, records_agree, values_or_error
from fuzz.put_together import zos
from fuzz.seeds import put, seeds
from lmparse.spec import catalog

CASES = seeds(lambda seed: seed.command == "records")
SEEDS = inputs(len(CASES))
SPECS = catalog.spec_ids()
_FORMS = [{"generation": name, "byte_order": order} for name in ("v7", "v9.7", "v10") for order in ("little", "big")]


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    chosen, choices = source.number(), source.number()
    spec = SPECS[chosen % len(SPECS)] if choices & 1 else str(seed.options["spec"])
    params = catalog.load(spec).layout.params
    stated: dict[str, Any] = {**_FORMS[(choices >> 1) % len(_FORMS)], **({} if choices & 1 else seed.options)}
    options = {name: value for name, value in stated.items() if name in (*params, "code_page")} | {"spec": spec}
    records = edited(seed.records, source)
    values_or_error(lambda: [lmparse.parse(record, **options) for record in records[:3]])
    framing, content = zos(records, 0)
    path = put("a.bin", content)
    if spec != "db2_log":
        records_agree(path, framing=framing, **options)
        accounted(path, framing=framing, **options)
