"""Random specs, random bytes, three readers, one answer: `python -m constructs.random_specs --pairs 100000`."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml
from constructs.grammar import SpecMaker, records
from constructs.readers import Built, compare

from lmparse.spec.build.products import make
from lmparse.spec.build.specs import SpecError

BATCH = 100
"""Specs that are built together."""
RECORDS = 25
"""Records of each spec."""


def batch(seed: int, folder: Path, specs: int = BATCH) -> Counter[str]:
    """Compare random records of some random specs; returns how many records had no error, or which code.

    Raises AssertionError, with the path of the spec, where two readers differ.
    """
    chance = random.Random(seed)
    maker = SpecMaker(chance)
    source, out = folder / f"specs_{seed}", folder / f"of_{seed}"
    (source / "r").mkdir(parents=True)
    for number in range(specs):
        name = f"r_{number}"
        text = yaml.safe_dump(maker.spec(name), sort_keys=False)
        (source / "r" / f"{name}.ksy").write_text(text)
    for name in _built(source, out):
        chance = random.Random(f"{seed} {name}")
        path = source / "r" / f"{name}.ksy"
        try:
            seen.update(code or "read" for code in compare(Built(path, out), records(chance, RECORDS), folder))
        except Exception as error:
            raise AssertionError(f"{path} of seed {seed}: {error}") from error
    return seen
