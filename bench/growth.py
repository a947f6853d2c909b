"""Time and memory over the size of a file: every column of every record, nothing kept; and over what grows in a log.

python -m bench.growth --sizes 100M 1G 10G --cache DIR
python -m bench.growth --shapes 250

With `--shapes`, `convert` and `check` read logs that grow in one way each: rows of a unit, open units, segments, tables
and so on, at 1, 2 and 4 times this number of them. The shapes are those of the tests, which count operations.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import data, harness, header

READ = """
import json, sys, time
from lmparse.columnar import schemas
from lmparse.logs import arrow
from lmparse.logs.open import open_file
from lmparse.options import Options
file = open_file(sys.argv[1], Options.parse({"framing": "rdw"}))
rows, start = 0, time.process_time()
for batch in arrow.record_batches(file, schemas.records_schema("bmc_lldf")):
    rows += batch.num_rows
seconds = time.process_time() - start
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
kilobytes = {name: int(status[name].split()[0]) for name in ("VmHWM", "RssFile")}
print(json.dumps({"rows": rows, "cpu_seconds": seconds, "peak_bytes": kilobytes["VmHWM"] * 1024}))
"""


SHAPE = """
import sys, time
from lmparse.cli import main
start = time.process_time()
main(sys.argv[1:])
print(time.process_time() - start)
"""


def main(arguments: list[str] | None = None) -> int:
    """Make the files one after the other, measure, print and write the result."""
    options = _options(arguments)
    return _of_shapes(options) if options.shapes else _of_sizes(options)


def _of_shapes(options: argparse.Namespace) -> int:
    sys.path.insert(0, str(data.ROOT / "tests"))
    shapes = importlib.import_module("growing").SHAPES
    found: dict[str, dict[str, list[float]]] = {}
    for name, shape in shapes.items():
        found[name] = {}
        for command in ("convert", "check"):
            sizes = [times * options.shapes for times in (1, 2, 4)]
            seconds = [min(_seconds(shape, command, size) for _ in range(options.rounds)) for size in sizes]
            found[name][command] = seconds
            shown = "".join(f"{one:8.3f} s" for one in seconds)
            print(f"{name:32} {command:8}{shown}, {seconds[2] / seconds[0]:.2f} times for 4 times as much", flush=True)
    content = {"machine": header.machine(), "least": options.shapes, "cpu_seconds_at_1_2_4": found}
    path = harness.write("growth-shapes", content)
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _seconds(shape: Any, command: str, size: int) -> float:
    """CPU time of a command over a log of a shape."""
    with tempfile.TemporaryDirectory() as folder:
        path, named = shape(Path(folder), size)
        words = [command, str(path), "--control", named["control"]]
        words += [str(Path(folder, "out")), "--include", "all"] if command == "convert" else []
        run = [sys.executable, "-c", SHAPE, *words]
        done = subprocess.run(run, check=True, capture_output=True, text=True, cwd=data.ROOT)
        return float(done.stdout.splitlines()[-1])


def _of_sizes(options: argparse.Namespace) -> int:
    found: list[dict[str, Any]] = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory(dir=options.cache) as folder:
            truth = data.make("lldf", Path(folder), size=size, seed=7)
            runs = [_run(truth.path) for _ in range(options.rounds)]
            assert {run["rows"] for run in runs} == {truth.records}
            found.append({"bytes": truth.bytes, "records": truth.records, "runs": runs})
    content = {"machine": header.machine(), "sizes": found}
    path = harness.write("growth", content)
    for entry in found:
        seconds = min(run["cpu_seconds"] for run in entry["runs"])
        peak = max(run["peak_bytes"] for run in entry["runs"])
        print(
            f"{entry['bytes'] / 1e9:6.2f} GB {seconds:7.2f} s CPU {seconds / entry['records'] * 1e6:6.3f} us a record, "
            f"{entry['bytes'] / seconds / 1e6:6.0f} MB/s, at most {peak / 1e6:4.0f} MB of memory"
        )
    print(f"written to {path.relative_to(data.ROOT)}")
    return 0


def _run(path: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", READ, path], check=True, capture_output=True, text=True, cwd=data.ROOT)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time and memory over the size of a file.", allow_abbrev=False)
    parser.add_argument("--sizes", type=data.parse_size, nargs="+", default=["100M", "1G"], help="powers of ten")
    parser.add_argument("--shapes", type=int, help="how many of what grows are in the smallest log of a shape")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, help="folder for the files, which are removed")
    options = parser.parse_args(arguments)
    options.sizes = [data.parse_size(size) if isinstance(size, str) else size for size in options.sizes]
    return options


if __name__ == "__main__":
    sys.exit(main())
