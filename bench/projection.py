"""One column of the header against all of them: decoding alone, and with the framing.

python -m bench.projection --size 200M --cache DIR
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import data, harness, header
from bench.rivals.target import COLUMNS
from lmparse.columnar.record_plan import RecordPlan
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.spec import catalog
from lmparse.storage.buffers import open_buffer


def main(arguments: list[str] | None = None) -> int:
    """Make the file, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        truth = data.make("lldf", options.cache or Path(scratch), size=options.size, seed=7)
        buffer, plan = open_buffer(truth.path), RecordPlan(catalog.load("bmc_lldf"))
        whole = plan.decode(next(windows(framing_of("rdw"), buffer)), COLUMNS).arrays[COLUMNS.index(options.column)]
        alone = plan.decode(next(windows(framing_of("rdw"), buffer)), [options.column]).arrays[0]
        assert whole.equals(alone)

        def read(names: tuple[str, ...]) -> Callable[[], None]:
            def run() -> None:
                for window in windows(framing_of("rdw"), buffer):
                    if names:
                        plan.decode(window, names)

            return run

        ways = {"framing": read(()), "one": read((options.column,)), "all": read(COLUMNS)}
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, way in ways.items():
                start = time.process_time()
                way()
                seconds[name].append(time.process_time() - start)
    rounds = list(zip(*seconds.values(), strict=True))
    ratios = {
        "with framing": statistics.median(every / one for _, one, every in rounds),
        "decoding alone": statistics.median((every - framing) / (one - framing) for framing, one, every in rounds),
    }
    content = {
        "machine": header.machine(),
        "data": header.data(truth),
        "column": options.column,
        "cpu_seconds": seconds,
        "times_as_fast": ratios,
    }
    path = harness.write("projection", content)
    for name, all_ in seconds.items():
        print(f"{name:8} {statistics.median(all_) / truth.records * 1e9:6.0f} ns a record")
    for name, value in ratios.items():
        print(f"one column {name}: {value:.1f} times as fast as all {len(COLUMNS)}")
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="One column against all of them.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="200M", help="of the file: 64M, 1G; powers of ten")
    parser.add_argument("--column", default="plan", choices=COLUMNS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
