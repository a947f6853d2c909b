"""Runs targets for long: `PYTHONPATH=.:tests python -m random_logs.run [--seconds 600] [--target NAME] [--seed N]`.

Seeds follow each other from the first one. A target ends at its third seed that does not hold; each is printed with the
command that runs it alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from random_logs import TARGETS

MOST_FAILED = 3


@dataclass
class Outcome:
    """What came of one target."""

    target: str
    seeds: int = 0
    failed: list[str] = field(default_factory=list)
    """What is wrong, with the command that shows it again."""
    counts: Counter[str] = field(default_factory=Counter)
    """What was compared, in the target's own words."""

    def __str__(self) -> str:
        compared = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return f"{self.target:<20}{self.seeds:>8} logs{len(self.failed):>4} wrong   {compared}"


def run_target(name: str, first: int, seconds: float, most: int | None = None) -> Outcome:
    """Check logs of one target until the time is over, or `most` of them."""
    target, outcome, end = import_module(f"random_logs.{name}"), Outcome(name), time.monotonic() + seconds
    while time.monotonic() < end and len(outcome.failed) < MOST_FAILED and outcome.seeds != most:
        seed = first + outcome.seeds
        outcome.seeds += 1
        with tempfile.TemporaryDirectory(prefix="lmparse-random-log-") as folder:
            try:
                outcome.counts += target.check(seed, Path(folder))
            except Exception:
                command = f"PYTHONPATH=.:tests python -m random_logs.run --target {name} --seed {seed} --logs 1"
                outcome.failed.append(f"{command}\n{traceback.format_exc()}")
                print(outcome.failed[-1], file=sys.stderr, flush=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m random_logs.run", description="Compare logs with how they were made."
    )
    parser.add_argument("--seconds", type=float, default=600, help="for each target")
    parser.add_argument("--logs", type=int, help="most logs of each target")
    parser.add_argument("--target", action="append", choices=TARGETS, help="one target; may be repeated")
    parser.add_argument("--seed", type=int, help="of the first log; by chance if it is not given")
    parser.add_argument("--jobs", type=int, default=1, help="targets at once")
    words = parser.parse_args()
    first = int.from_bytes(os.urandom(3), "big") * 1000 if words.seed is None else words.seed
    names = words.target or list(TARGETS)
    print(f"{len(names)} targets of {words.seconds:.0f} s each, from seed {first}", flush=True)
    with ProcessPoolExecutor(words.jobs) as pool:
        runs = [pool.submit(run_target, name, first, words.seconds, words.logs) for name in names]
        outcomes = [run.result() for run in runs]
    # The counts come last, also where only the end of the output is kept: so do the commands that show what is wrong.
    print(*outcomes, *(text.splitlines()[0] for outcome in outcomes for text in outcome.failed), sep="\n")
    return 1 if any(outcome.failed for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
