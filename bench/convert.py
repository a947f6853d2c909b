"""Converting a log to Parquet as a whole process: `lmparse convert`, and a script that knows this file only.

python -m bench.convert --size 256M --cache DIR
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from bench import data, harness, header
from bench.rivals.target import COLUMNS

SCRIPT = "import sys; from bench.rivals import numpy_script as n; n.to_parquet(*sys.argv[1:3], tuple(sys.argv[3:]))"


def main(arguments: list[str] | None = None) -> int:
    """Make the file, compare what both write, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        truth = data.make("lldf", options.cache or folder, size=options.size, seed=7)
        ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
        columns = ("--columns", ",".join(COLUMNS))
        named = ("--spec", "bmc_lldf", "--framing", "rdw", "--compression", "snappy", "--overwrite")
        ways = {
            "convert": [sys.executable, "-m", "lmparse", "convert", truth.path, str(ours), *named, *columns],
            "script": [sys.executable, "-c", SCRIPT, truth.path, str(theirs), *COLUMNS],
        }
        seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for number in range(options.rounds):
            for name in list(ways)[number % 2 :] + list(ways)[: number % 2]:
                seconds[name].append(_run(ways[name]))
            if number == 0:
                _check(ours, theirs)
        sizes = {"convert": ours.stat().st_size, "script": theirs.stat().st_size}
    cpu = {name: statistics.median(run[0] for run in runs) for name, runs in seconds.items()}
    ratio = statistics.median(
        theirs_[0] / ours_[0] for ours_, theirs_ in zip(seconds["convert"], seconds["script"], strict=True)
    )
    content = {
        "machine": header.machine(),
        "data": header.data(truth),
        "cpu_and_wall_seconds": seconds,
        "bytes_written": sizes,
        "speed_of_the_script": ratio,
    }
    path = harness.write("convert", content)
    for name, value in cpu.items():
        print(f"{name:8} {value:6.2f} s CPU, {truth.records / value:10,.0f} records/s, {sizes[name]:12,} bytes written")
    print(f"convert has {ratio:.2f} of the speed of the script; written to {path.relative_to(data.ROOT)}")
    return 0


def _run(command: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd=data.ROOT, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def _check(ours: Path, theirs: Path) -> None:
    for first, second in zip(
        pq.ParquetFile(ours).iter_batches(1 << 16, columns=list(COLUMNS)),
        pq.ParquetFile(theirs).iter_batches(1 << 16, columns=list(COLUMNS)),
        strict=True,
    ):
        if not first.equals(second):
            raise SystemExit("convert and the script write different values")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Converting a log to Parquet.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="256M", help="of the file: 64M, 1G; powers of ten")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder that keeps the file; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
