"""Random specs, random bytes, three readers, one answer: `python -m constructs.random_specs --pairs 100000`."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

import yaml

from constructs.bare import BareReader
from constructs.grammar import SpecMaker
from constructs.grammar.records import records
from constructs.readers import Built, compare
from lmparse.spec.build.products import Builder

SPECS = 100
"""Specs that are built together."""
RECORDS = 100
"""Records of each spec."""
REFUSED = "spec refused"
BUILDER = Builder()


def batch(seed: int, folder: Path, specs: int = SPECS) -> Counter[str]:
    """Compare random records of some random specs; how many were `read`, had an error of a code, or had no spec.

    Raises AssertionError with the path of the spec if two readers differ.
    """
    chance = random.Random(seed)
    maker = SpecMaker(chance)
    source, out = folder / f"specs_{seed}", folder / f"of_{seed}"
    (source / "r").mkdir(parents=True)
    for number in range(specs):
        name = f"r_{number}"
        (source / "r" / f"{name}.ksy").write_text(yaml.safe_dump(maker.spec(name, [f"r_{other}" for other in range(number)]), sort_keys=False))
    made = BUILDER.make(source)
    for file, text in made.products.items():
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(text)
    seen = Counter({REFUSED: RECORDS * len({problem.path for problem in made.problems})})
    for path in sorted((source / "r").glob("*.ksy")):
        if f"{path.stem}.py" not in made.products:
            continue
        bytes_ = records(random.Random(f"{seed} {path.stem}"), RECORDS, BareReader(path, out).accepts)
        try:
            seen.update(code or "read" for code in compare(Built(path, out), bytes_, folder))
        except Exception as error:
            raise AssertionError(f"{path}, seed {seed}: {error}\n{path.read_text()}") from error
    return seen


def main() -> None:
    """Compare as many pairs of a spec and bytes as asked for, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=SPECS * RECORDS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seen: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + -(-given.pairs // (SPECS * RECORDS))):
        with tempfile.TemporaryDirectory() as folder:
            seen += batch(seed, Path(folder))
        print(f"seed {seed}: {sum(seen.values())} pairs", flush=True)
    for code, count in seen.most_common():
        print(f"{count:8} {code}")


if __name__ == "__main__":
    main()
