"""Values or a LmparseError from a Log Master log, both engines alike, all bytes accounted for, in bounded memory.

An input changes the data records of a case, inside sound descriptor words of any z/OS framing; the control file is that
of the case. Every eighth input changes the bytes of the framed file instead.
"""

from __future__ import annotations

from typing import Any

from fuzz.edits import Source, edited, inputs
from fuzz.invariants import accounted, changes_agree, records_agree, transactions_agree, values_or_error
from fuzz.put_together import zos
from fuzz.seeds import put, seeds
from lmparse import sniff

CASES = seeds(lambda seed: seed.beside(".ctl") is not None or seed.spec == "bmc_lldf")
SEEDS = inputs(len(CASES))
INCLUDE, READINGS, MODES = ("all", "committed"), ("auto", "total", "inclusive"), ("permissive", "failfast")


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    is_raw, named, choices = source.number() % 8 == 7, source.number(), source.number()
    parts = edited(seed.stretches if is_raw else seed.records, source)
    framing, content = ("auto", b"".join(parts)) if is_raw else zos(parts, named)
    if is_raw and seed.file is not None:
        framing = seed.file.framing.name
    path = put("a.dat", content)
    options: dict[str, Any] = {"framing": framing if named & 128 else "auto", "record_length": 320}
    values_or_error(lambda: [sniff(path).to_dict()])
    control = seed.beside(".ctl")
    if control is None or choices & 64:
        records_agree(path, spec="bmc_lldf", **options)
        transactions_agree(path, **options)
        accounted(path, spec="bmc_lldf", **options)
    if control is not None:
        options["control"] = str(put("a.ctl", control))
        options |= {name: value for name, value in seed.options.items() if name in ("code_page", "floats", "trim")}
        options |= {"include": INCLUDE[choices & 1], "header": bool(choices & 2), "mode": MODES[choices >> 2 & 1]}
        options |= {"row_images": READINGS[(choices >> 3) % 3]}
        changes_agree(path, **options)
        accounted(path, **options)
