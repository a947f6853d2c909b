"""Records of other shapes, narrow and wide, by both engines: records, fields and megabytes a second of one core.

python -m bench.shapes --size 16M --cache DIR
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import data, harness, header
from lmparse.logs.arrow import read_table

KINDS = {"narrow": "narrow_record", "wide": "wide_record"}


def main(arguments: list[str] | None = None) -> int:
    """Build the specs, make the files, compare, measure, print and write the result."""
    options = _options(arguments)
    content: dict[str, object] = {"machine": header.machine(), "shapes": {}}
    shapes: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch) / "built"
        build = [sys.executable, "build.py", "generate", "--formats", "bench/specs", "--out", str(built)]
        subprocess.run(build, check=True, cwd=data.ROOT, stdout=subprocess.DEVNULL)
        for kind, spec in KINDS.items():
            truth = data.make(kind, options.cache or Path(scratch), size=options.size, seed=7)
            shapes[kind] = _measure(kind, truth, str(built / spec), options.rounds)
    content["shapes"] = shapes
    path = harness.write("shapes", content)
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _measure(kind: str, truth: data.Truth, spec: str, rounds: int) -> dict[str, object]:
    seconds: dict[str, list[float]] = {"kaitai": [], "columnar": []}
    tables = {}
    for number in range(rounds):
        for engine in list(seconds)[number % 2 :] + list(seconds)[: number % 2]:
            start = time.process_time()
            tables[engine] = read_table(truth.path, spec=spec, framing="rdw", engine=engine, metadata=False)
            seconds[engine].append(time.process_time() - start)
        harness.check_equal(tables["kaitai"], tables["columnar"], "columnar")
    fields = tables["columnar"].num_columns - 2
    rates = {}
    for engine, all_ in seconds.items():
        median = statistics.median(all_)
        rates[engine] = {
            "records_per_second": truth.records / median,
            "fields_per_second": truth.records * fields / median,
            "megabytes_per_second": truth.bytes / median / 1e6,
        }
        print(
            f"{kind:7} {engine:9} {truth.records / median:10,.0f} records/s {truth.records * fields / median:12,.0f} "
            f"fields/s {truth.bytes / median / 1e6:7.1f} MB/s"
        )
    ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
    print(f"{kind:7} by the column it is {ratio:.0f} times as fast")
    return {
        "data": header.data(truth),
        "fields": fields,
        "cpu_seconds": seconds,
        "rates": rates,
        "times_as_fast": ratio,
    }


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Narrow and wide records by both engines.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="32M", help="of the files: 16M, 1G; powers of ten")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, help="folder that keeps the files; a temporary one when left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
