"""Typed changes of a table of 14 columns: by the column, and through the generated parser.

python -m bench.changes --size 96M --cache DIR
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from bench import data, harness, header
from lmparse.bmc.log.log import LogicalLog
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.options import Options


def main(arguments: list[str] | None = None) -> int:
    """Make the file, check that both give the same, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        truth = data.make("rows", options.cache or Path(scratch), size=options.size, seed=7)
        seconds: dict[str, list[float]] = {"kaitai": [], "columnar": []}
        opening: dict[str, list[float]] = {"kaitai": [], "columnar": []}
        tables: dict[str, pa.Table] = {}
        for number in range(options.rounds):
            for engine in list(seconds)[number % 2 :] + list(seconds)[: number % 2]:
                tables[engine], opened, read = _changes(truth, engine)
                opening[engine].append(opened)
                seconds[engine].append(read)
            harness.check_equal(tables["kaitai"], tables["columnar"], "columnar")
    rows = tables["kaitai"].num_rows
    micros = {engine: statistics.median(all_) / rows * 1e6 for engine, all_ in seconds.items()}
    ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
    content = {
        "machine": header.machine(),
        "data": header.data(truth),
        "changes": rows,
        "cpu_seconds": seconds,
        "cpu_seconds_of_opening": opening,
        "us_per_change": micros,
        "times_as_fast": ratio,
    }
    path = harness.write("changes", content)
    for engine, value in micros.items():
        print(f"{engine:9} {value:8.2f} us a change, {1e6 / value:10,.0f} changes/s")
    print(
        f"by the column it is {ratio:.1f} times as fast; opening takes {statistics.median(opening['columnar']):.2f} s"
    )
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _changes(truth: data.Truth, engine: str) -> tuple[pa.Table, float, float]:
    """All changes as one table; CPU seconds of opening the log and deciding how it is read, and of reading it."""
    start = time.process_time()
    log = open_changes(truth.path, Options.parse({"control": truth.control, "include": "all", "engine": engine}))
    assert isinstance(log, LogicalLog)
    assert log.interpretation.image, log.interpretation.data
    opened = time.process_time()
    table = pa.Table.from_batches([batch for version, batch in arrow.version_batches(log) if version is not None])
    return table, opened - start, time.process_time() - opened


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Typed changes of a table of 14 columns.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="96M", help="of the file: 24M, 100M; powers of ten")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
