"""A large file through `convert` and Spark: flat memory, and no handle, process or file left.

python -m bench.soak --size 10G --cache DIR

Each work is a process with children, sampled until it ends: memory of its own (mapped files are not), open handles and
processes. What is highest in the last quarter may be higher than in the second quarter by no more than a bound.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench import data, harness, header
from bench.data import Truth

WORKS = ("records", "changes", "spark")
_TOKEN = "LMPARSE_SOAK"
_ENDS_WITHIN = 5.0
"""Seconds that the last process may end after the first: Python workers of Spark do."""
_SPARK = """
import os, sys
from pyspark.sql import SparkSession, functions
from lmparse.spark import spark_environment
spark_environment()
settings = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g",
            "spark.local.dir": os.environ["TMPDIR"], "spark.ui.enabled": False, "spark.ui.showConsoleProgress": False,
            "spark.sql.warehouse.dir": os.environ["TMPDIR"]}
builder = SparkSession.builder.master("local[2]").appName("soak")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
frame = spark.read.format("lmparse").options(spec="bmc_lldf", framing="rdw").load(sys.argv[1])
print(frame.agg(functions.count("length"), functions.sum("_metadata.record_length")).collect()[0][0])
spark.stop()
"""


@dataclass(frozen=True)
class Sample:
    """What the processes of a work hold at one moment; Java, whose heap grows as it likes, counts only as a process."""

    seconds: float
    bytes: int
    """Anonymous memory of the processes that are not Java."""
    handles: int
    """Open handles of the same."""
    processes: int


@dataclass
class Soaked:
    """The samples of one work, and what was wrong."""

    name: str
    seconds: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    begun: float | None = None
    """When the file was first open, in seconds: quarters are those of the time from then on."""
    rows: int | None = None
    """How many records it gave, if that is known."""

    def highest(self, what: str, start: float, end: float) -> int:
        """The highest of a figure between two fractions of the time; 0 without samples."""
        begun = self.begun or 0.0
        first, last = (begun + fraction * (self.seconds - begun) for fraction in (start, end))
        inside = (one for one in self.samples if first <= one.seconds <= last)
        return max((getattr(one, what) for one in inside), default=0)

    def check(self, bounds: dict[str, int]) -> None:
        """Add a fault for each figure that grew by more than its bound."""
        for what, bound in bounds.items():
            early, late = self.highest(what, 0.25, 0.5), self.highest(what, 0.75, 1)
            if late - early > bound:
                self.faults.append(f"{what} grew from {early:,} to {late:,}, by more than {bound:,}")

    def figures(self) -> dict[str, Any]:
        """What is printed and written."""
        found: dict[str, Any] = {"seconds": round(self.seconds, 1), "samples": len(self.samples)}
        for what in ("bytes", "handles", "processes"):
            found[what] = [self.highest(what, *between) for between in ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1))]
        return found | {"faults": self.faults}


def main(arguments: list[str] | None = None) -> int:
    """Make the file, do the works, print and write the figures; 1 if a figure grew or something was left."""
    options = _options(arguments)
    bounds = {"bytes": options.bound, "handles": options.handles, "processes": options.processes}
    found = []
    if options.cache is not None:
        options.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.cache) as scratch:
        truth = data.make("lldf", options.cache or Path(scratch), size=options.size, seed=7)
        for name in options.only:
            command = _command(name, truth, Path(scratch))
            soaked = soak(name, command, Path(scratch), options.interval, truth.path)
            soaked.check(bounds)
            if soaked.rows not in (None, truth.records):
                soaked.faults.append(f"{soaked.rows} rows of {truth.records} records")
            found.append(soaked)
            peaks = " ".join(f"{peak / 1e6:.0f}" for peak in soaked.figures()["bytes"])
            shown = f"{name:8} {soaked.seconds:7.1f} s, at most {peaks} MB in the quarters"
            print(shown, *soaked.faults, sep="\n  ", flush=True)
        if options.remove:
            Path(truth.path).unlink()
    content = {"machine": header.machine(), "data": header.data(truth), "bounds": bounds}
    path = harness.write(options.name, content | {"works": {one.name: one.figures() for one in found}})
    print(f"written to {path.relative_to(data.ROOT) if path.is_relative_to(data.ROOT) else path}")
    return int(any(one.faults for one in found))


def _command(name: str, truth: Truth, scratch: Path) -> list[str]:
    if name == "spark":
        return [sys.executable, "-c", _SPARK, truth.path]
    assert truth.control is not None
    if name == "records":
        options = [str(scratch / "out" / "records.parquet"), "--spec", "bmc_lldf", "--framing", "rdw"]
    else:
        options = [str(scratch / "out" / "changes"), "--control", truth.control]
    return [sys.executable, "-m", "lmparse", "convert", truth.path, *options]


def soak(name: str, command: list[str], scratch: Path, interval: float, path: str | None = None) -> Soaked:
    """Run a command that reads a file until it ends, take samples, and look for what it left. Its output is removed."""
    soaked = Soaked(name)
    token = secrets.token_hex(8)
    places = [scratch / "out", scratch / "tmp"]
    for place in places:
        place.mkdir(exist_ok=True)
    before = {entry.name for entry in scratch.iterdir()}
    environment = {**os.environ, _TOKEN: token, "TMPDIR": str(scratch / "tmp")}
    start = time.monotonic()
    with open(scratch / "shown", "wb") as shown:
        process = subprocess.Popen(command, env=environment, stdout=shown, stderr=shown, cwd=data.ROOT)
        while process.poll() is None:
            soaked.samples.append(_sample(token, time.monotonic() - start))
            if path is not None and soaked.begun is None and any(path in _open_files(pid) for pid in _of(token)):
                soaked.begun = soaked.samples[-1].seconds
            time.sleep(interval)
    soaked.seconds = time.monotonic() - start
    if process.returncode:
        text = (scratch / "shown").read_text(errors="replace")[-2000:]
        soaked.faults.append(f"ended with {process.returncode}: {text}")
    end = time.monotonic() + _ENDS_WITHIN
    while list(_of(token)) and time.monotonic() < end:
        time.sleep(0.1)
    soaked.faults += [f"process left: {_text(pid, 'cmdline')[:200]}" for pid in _of(token)]
    soaked.rows = _rows(scratch)
    _remove(scratch / "out")
    soaked.faults += [f"file left: {path.relative_to(scratch)}" for path in sorted((scratch / "tmp").rglob("*"))]
    others = {entry.name for entry in scratch.iterdir()} - before - {"shown", "out"}
    soaked.faults += [f"file left: {name}" for name in sorted(others)]
    return soaked


def _open_files(pid: int) -> set[str]:
    """Paths of the files that a process has open."""
    found = set()
    with suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                found.add(os.readlink(entry.path))
    return found


def _rows(scratch: Path) -> int | None:
    """The rows of the file that was written; else the number that was shown last."""
    if (made := scratch / "out" / "records.parquet").is_file():
        return int(pq.read_metadata(made).num_rows)
    last = (scratch / "shown").read_text(errors="replace").strip().rpartition("\n")[2]
    return int(last) if last.isdigit() else None


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def _sample(token: str, seconds: float) -> Sample:
    size = handles = processes = 0
    for pid in _of(token):
        processes += 1
        status = dict(line.split(":", 1) for line in _text(pid, "status").splitlines() if ":" in line)
        if "java" in status.get("Name", "java"):
            continue
        size += int(status.get("RssAnon", "0").split()[0]) * 1024
        try:
            handles += len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            continue  # it has just ended
    return Sample(seconds, size, handles, processes)


def _of(token: str) -> Iterator[int]:
    """Process ids of all that have a token in their environment."""
    wanted = f"{_TOKEN}={token}"
    for folder in Path("/proc").glob("[0-9]*"):
        if wanted in _text(int(folder.name), "environ").split("\0"):
            yield int(folder.name)


def _text(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:
        return ""


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A large file through convert and Spark.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="10G", help="of the file; powers of ten")
    parser.add_argument(
        "--cache", type=Path, help="folder that keeps the file, and for the output; else a temporary one"
    )
    parser.add_argument("--remove", action="store_true", help="remove the file in the end")
    parser.add_argument("--only", nargs="+", choices=WORKS, default=WORKS)
    parser.add_argument("--interval", type=float, default=0.5, help="seconds between samples")
    parser.add_argument("--bound", type=data.parse_size, default="128M", help="by which memory may grow")
    parser.add_argument("--handles", type=int, default=8, help="by which open handles may grow")
    parser.add_argument("--processes", type=int, default=0, help="by which processes may grow")
    parser.add_argument("--name", default="soak", help="of the result")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
