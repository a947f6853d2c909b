"""Random specs, random bytes, three readers, one answer: `python -m constructs.random_specs --pairs 100000`."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from constructs.agreeing import Records, agree
from constructs.bare import BareReader
from constructs.grammar import SpecMaker
from constructs.grammar.records import long_record, records
from constructs.grammar.sequences import DEEP
from constructs.readers import Built, compare
from lmparse.spec.build.products import Builder, Made

SPECS = 100
"""Specs that are built together."""
RECORDS = 100
"""Records of each spec."""
READ, REFUSED = "read", "spec refused"
BUILDER = Builder()


@dataclass
class Seen:
    """What came of pairs of a spec and bytes."""

    pairs: Counter[str] = field(default_factory=Counter)
    """How many were `read`, had an error of a code, or had no spec."""
    ways: Counter[str] = field(default_factory=Counter)
    """What was compared in other ways."""

    def add(self, other: Seen) -> None:
        """Add what came of others."""
        self.pairs += other.pairs
        self.ways += other.ways

    def lines(self) -> Iterator[str]:
        """A summary."""
        for code, count in self.pairs.most_common():
            yield f"{count:8} {code}"
        with_spec = self.pairs.total() - self.pairs[REFUSED]
        yield f"read without an error: {self.pairs[READ] / max(with_spec, 1):.0%} of {with_spec} records with a spec"
        yield f"compared: {', '.join(f'{count} {way}' for way, count in sorted(self.ways.items()))}"


def batch(seed: int, folder: Path, specs: int = SPECS) -> Seen:
    """Compare random records of some random specs.

    Raises AssertionError with the path of the spec if two readers differ.
    """
    source, out = folder / f"specs_{seed}", folder / f"of_{seed}"
    made = _build(seed, source, out, specs)
    seen = Seen(Counter({REFUSED: RECORDS * len({problem.path for problem in made.problems})}))
    for path in sorted((source / "r").glob("*.ksy")):
        if f"{path.stem}.py" not in made.products:
            continue
        try:
            seen.add(_compared(Built(path, out), random.Random(f"{seed} {path.stem}"), folder))
        except Exception as error:
            raise AssertionError(f"{path}, seed {seed}: {error}\n{path.read_text()}") from error
    return seen


def _build(seed: int, source: Path, out: Path, specs: int) -> Made:
    maker = SpecMaker(random.Random(seed))
    (source / "r").mkdir(parents=True)
    names = [f"r_{number}" for number in range(specs)]
    for number, name in enumerate(names):
        text = yaml.safe_dump(maker.spec(name, names[:number]), sort_keys=False)
        (source / "r" / f"{name}.ksy").write_text(text)
    made = BUILDER.make(source)
    for file, text in made.products.items():
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(text)
    return made


def _compared(built: Built, chance: random.Random, folder: Path) -> Seen:
    bytes_ = records(chance, RECORDS, BareReader(built.ksy, built.out).accepts)
    if DEEP in built.ksy.read_text():
        bytes_[0] = long_record(chance)
    codes = compare(built, bytes_, folder)
    ways = agree(Records(folder / f"{built.ksy.stem}.dat", built.name), chance)
    return Seen(Counter(code or READ for code in codes), ways)


def main() -> None:
    """Compare as many pairs of a spec and bytes as asked for, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=SPECS * RECORDS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seen = Seen()
    for seed in range(given.seed, given.seed + -(-given.pairs // (SPECS * RECORDS))):
        with tempfile.TemporaryDirectory() as folder:
            seen.add(batch(seed, Path(folder)))
        print(f"seed {seed}: {seen.pairs.total()} pairs", flush=True)
    print(*seen.lines(), sep="\n")


if __name__ == "__main__":
    main()
