"""The targets of fuzzing in short: some cases as they are, and some changes of cases; `make fuzz` runs longer."""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest
from amounts import amount

from fuzz import TARGETS
from fuzz.bounds import bounded
from fuzz.mutations import mutation

SHARES = 3
"""Parts in which the inputs of a target are tried, so that they can run beside each other."""
CASES = 3, 2000
"""Cases of each part as they are, quick and thorough; tests/laws/test_cases.py reads them all."""
CHANGES = {"framing": (150, 8000), "tables_file": (45, 8000), "specs": (45, 8000), "records": (45, 4000),
           "spark_options": (30, 4000)}  # fmt: skip
OTHERS = 18, 2400
"""Changes of cases for each target, quick and thorough."""


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", TARGETS)
def test_any_input_holds(name: str, share: int) -> None:
    module = import_module(f"fuzz.{name}")
    module.target(module.SEEDS[0])  # loads what is imported late, which is not to count as its memory
    for data in _inputs(module.SEEDS, name, share):
        try:
            bounded(module.target, data)
        except Exception as error:
            error.add_note(f"python -m fuzz.run --target {name} --input {data.hex()}")
            raise


def _inputs(seeds: list[bytes], name: str, share: int) -> list[bytes]:
    chance = Random(f"{name} {share}")
    changes = [mutation(seeds, chance) for _ in range(amount(*CHANGES.get(name, OTHERS)) // SHARES)]
    cases = seeds[share::SHARES]
    return [*chance.sample(cases, min(len(cases), amount(*CASES))), *changes]
