"""The header of a logical log as columns: the engine and its rivals on one file, in one run.

python -m bench.engine --size 16M --cache DIR
python -m bench.engine --size 1G --only numpy_script columnar memcpy --rounds 5 --name engine-large
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench import data, harness
from bench.harness import Contender
from bench.rivals.target import COLUMNS

CONTENDERS = (
    Contender("generated_parser", "bench.rivals.generated_parser"),
    Contender("columnar", "bench.rivals.columnar"),
    Contender("numpy_script", "bench.rivals.numpy_script"),
    Contender("struct_loop", "bench.rivals.struct_loop"),
    Contender("construct", "bench.rivals.construct_reader", requires=("construct",)),
    Contender("dissect", "bench.rivals.dissect_reader", requires=("dissect.cstruct",)),
    Contender("memcpy", "bench.rivals.memcpy", gives_table=False),
)
NAMES = [contender.name for contender in CONTENDERS]
_WARM_UP = 100_000
"""Bytes of the small file that each contender reads first."""


def main(arguments: list[str] | None = None) -> int:
    """Make the file, compare, print and write the result; returns 0, or 1 when tables differ or one failed."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.cache or Path(scratch)
        truth = data.make("lldf", folder, size=options.size, seed=options.seed)
        warm_up = data.make("lldf", folder, size=_WARM_UP, seed=options.seed)
        columns = tuple(options.columns) if options.columns else None
        job = harness.Job(truth.path, columns, warm_up.path)
        contenders = [entry for entry in CONTENDERS if entry.name in (options.only or NAMES)]
        try:
            outcomes = harness.compare(contenders, job, rounds=options.rounds)
        except (harness.TablesDiffer, harness.ContenderFailed) as error:
            print(error, file=sys.stderr)
            return 1
    content = harness.result(outcomes, options.baseline, truth, job)
    path = harness.write(options.name, content)
    print(f"{truth.records} records, {truth.bytes} bytes, {options.rounds} rounds; all tables equal")
    print(*harness.lines(content), sep="\n")
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare readers of the header of a log.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="16M", help="of the file: 16M, 1G; powers of ten")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, metavar="FIELD", help="fields, all when left out")
    parser.add_argument("--baseline", choices=NAMES, default="generated_parser", help="what ratios are to")
    parser.add_argument("--cache", type=Path, help="folder that keeps the files; a temporary one when left out")
    parser.add_argument("--name", default="engine", help="of the result in bench/results/")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds is at least 1")
    if options.only and options.baseline not in options.only:
        # Ratios need a contender that ran.
        options.baseline = options.only[0]
    return options


if __name__ == "__main__":
    sys.exit(main())
