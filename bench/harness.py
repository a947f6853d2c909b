"""The harness: runs contenders in rounds, holds their tables against each other, writes what it measured.

A round runs every contender once, and each round begins with another, so that what else the machine does
hits all alike. A contender runs in a process of its own, or in this one; what is measured is its reading
alone, after it has read a small file once, so that imports and tables that it makes once do not count.
Ratios are taken within a round, and their median is given.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench import header
from bench.data import ROOT, Truth

RESULTS = Path(__file__).parent / "results"
Reader = Callable[[str, tuple[str, ...] | None], pa.Table]


@dataclass(frozen=True)
class Contender:
    """Something that reads a file: `module.read(path, columns)`, which gives a table."""

    name: str
    module: str
    requires: tuple[str, ...] = ()
    """Modules of packages that need not be installed."""
    is_fresh: bool = True
    """Whether each run is a process of its own; else memory cannot be told."""
    gives_table: bool = True
    """False for what only marks a limit."""


@dataclass(frozen=True)
class Job:
    """One file, what is wanted of it, and the small file that is read first."""

    path: str
    columns: tuple[str, ...] | None
    warm_up: str | None = None


@dataclass(frozen=True)
class Run:
    """What one run of one contender took."""

    cpu_seconds: float
    wall_seconds: float
    rows: int
    peak_bytes: int | None = None
    """Most memory that its process held, None in this process."""
    base_bytes: int | None = None
    """The same before it began to read."""


@dataclass
class Outcome:
    """All runs of a contender, or why there are none."""

    contender: Contender
    status: str = "ok"
    runs: list[Run] = field(default_factory=list)


class TablesDiffer(AssertionError):
    """Two contenders read the same file and do not give the same."""


class ContenderFailed(RuntimeError):
    """A contender's process ended with an error."""


def compare(contenders: Sequence[Contender], job: Job, *, rounds: int) -> list[Outcome]:
    """Run all contenders that are installed, `rounds` times each, and check that they give the same table.

    Raises TablesDiffer at the first difference, with column and row, and ContenderFailed.
    """
    outcomes = [Outcome(contender, missing(contender) or "ok") for contender in contenders]
    present = [outcome for outcome in outcomes if outcome.status == "ok"]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            turn = number % len(present) if present else 0
            for outcome in (*present[turn:], *present[:turn]):
                # The tables of the first round are kept; all rounds read the same file with the same code.
                kept = Path(folder) / f"{outcome.contender.name}.arrow" if number == 0 else None
                outcome.runs.append(run(outcome.contender, job, kept))
        _check_tables([entry.contender for entry in present if entry.contender.gives_table], Path(folder))
    for outcome in present:
        if outcome.contender.gives_table and len({entry.rows for entry in outcome.runs}) > 1:
            raise TablesDiffer(f"{outcome.contender.name} does not give the same number of rows in each round")
    return outcomes


def missing(contender: Contender) -> str | None:
    """`not installed` with the reason, None when it can run. Errors that have other causes are raised."""
    absent = [name for name in contender.requires if not _is_there(name)]
    if absent:
        return "not installed: " + ", ".join(absent)
    try:
        importlib.import_module(contender.module)
    except ImportError as error:
        return f"not installed: {error}"
    return None


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        return False


# -- one run ----------------------------------------------------------------------------


def run(contender: Contender, job: Job, kept: Path | None = None) -> Run:
    """One run, its table written to `kept` behind what is measured."""
    if not contender.is_fresh:
        return _measure(contender, job, kept, with_memory=False)
    order = json.dumps({"contender": asdict(contender), "job": asdict(job), "kept": str(kept) if kept else None})
    command = [sys.executable, "-m", "bench.harness"]
    done = subprocess.run(command, input=order, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise ContenderFailed(f"{contender.name} failed:\n{done.stderr}")
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def _measure(contender: Contender, job: Job, kept: Path | None, *, with_memory: bool) -> Run:
    read: Reader = importlib.import_module(contender.module).read
    if job.warm_up is not None:
        read(job.warm_up, job.columns)
    base = peak_memory() if with_memory else None
    cpu, wall = time.process_time(), time.perf_counter()
    table = read(job.path, job.columns)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = peak_memory() if with_memory else None
    if kept is not None and contender.gives_table:
        with pa.OSFile(str(kept), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return Run(cpu, wall, table.num_rows, peak, base)


def peak_memory() -> int:
    """Most memory that this process ever held, in bytes.

    Linux hands the peak of `getrusage` down from the process that started this one, so the kernel's own
    count for this program is preferred.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _serve() -> int:
    """The other end of `run`: one order on standard input, one result on standard output."""
    order = json.load(sys.stdin)
    contender = Contender(**{**order["contender"], "requires": tuple(order["contender"]["requires"])})
    columns = order["job"]["columns"]
    job = Job(order["job"]["path"], columns and tuple(columns), order["job"]["warm_up"])
    kept = Path(order["kept"]) if order["kept"] else None
    print(json.dumps(asdict(_measure(contender, job, kept, with_memory=True))))
    return 0


# -- equality ---------------------------------------------------------------------------


def _check_tables(contenders: list[Contender], folder: Path) -> None:
    """Hold the tables that were kept against the first of them."""
    for other in contenders[1:]:
        first = contenders[0]
        # Mapped, not read: a table may be larger than what is left of the memory.
        with (
            pa.memory_map(str(folder / f"{first.name}.arrow")) as expected,
            pa.memory_map(str(folder / f"{other.name}.arrow")) as found,
        ):
            one, two = (pa.ipc.open_file(file).read_all() for file in (expected, found))
            check_equal(one, two, f"{first.name} and {other.name}")


def check_equal(expected: pa.Table, found: pa.Table, who: str) -> None:
    """Raise TablesDiffer at the first difference: in columns, types, number of rows, or in a value."""
    if expected.schema.names != found.schema.names:
        raise TablesDiffer(f"{who}: columns are {expected.schema.names} and {found.schema.names}")
    for name in expected.schema.names:
        types = expected.schema.field(name).type, found.schema.field(name).type
        if types[0] != types[1]:
            raise TablesDiffer(f"{who}: column {name} is {types[0]} and {types[1]}")
    if expected.num_rows != found.num_rows:
        raise TablesDiffer(f"{who}: {expected.num_rows} and {found.num_rows} rows")
    for name in expected.schema.names:
        row = _first_difference(expected[name], found[name])
        if row is not None:
            values = expected[name][row].as_py(), found[name][row].as_py()
            raise TablesDiffer(f"{who}: column {name}, row {row}: {values[0]!r} and {values[1]!r}")


def _first_difference(expected: pa.ChunkedArray, found: pa.ChunkedArray) -> int | None:
    """Halves what differs until one row is left; works for every type, nulls included."""
    if expected.equals(found):
        return None
    start, count = 0, len(expected)
    while count > 1:
        half = count // 2
        if expected.slice(start, half).equals(found.slice(start, half)):
            start, count = start + half, count - half
        else:
            count = half
    return start


# -- results ----------------------------------------------------------------------------


def result(outcomes: Sequence[Outcome], baseline: str, truth: Truth, job: Job) -> dict[str, Any]:
    """Everything that was measured, as JSON has it. Ratios are to the contender named `baseline`."""
    base = next((entry.runs for entry in outcomes if entry.contender.name == baseline), [])
    return {
        "machine": header.machine(),
        "data": header.data(truth),
        "columns": "all" if job.columns is None else list(job.columns),
        "baseline": baseline,
        "contenders": {entry.contender.name: _summary(entry, base, truth) for entry in outcomes},
    }


def _summary(outcome: Outcome, base: list[Run], truth: Truth) -> dict[str, Any]:
    runs = outcome.runs
    if not runs:
        return {"status": outcome.status}
    cpu = statistics.median(entry.cpu_seconds for entry in runs)
    peaks = [entry.peak_bytes for entry in runs if entry.peak_bytes is not None]
    bases = [entry.base_bytes for entry in runs if entry.base_bytes is not None]
    ratios = [own.cpu_seconds / other.cpu_seconds for own, other in zip(runs, base, strict=False)]
    walls = [own.wall_seconds / other.wall_seconds for own, other in zip(runs, base, strict=False)]
    return {
        "status": outcome.status,
        "process": "fresh" if outcome.contender.is_fresh else "shared",
        "cpu_seconds": cpu,
        "wall_seconds": statistics.median(entry.wall_seconds for entry in runs),
        "us_per_record": cpu / truth.records * 1e6 if truth.records else None,
        "megabytes_per_second": truth.bytes / cpu / 1e6 if cpu else None,
        "times_the_baseline": statistics.median(ratios) if ratios else None,
        "times_the_baseline_wall": statistics.median(walls) if walls else None,
        "peak_bytes": max(peaks, default=None),
        "base_bytes": max(bases, default=None),
        "all_cpu_seconds": [entry.cpu_seconds for entry in runs],
        "all_wall_seconds": [entry.wall_seconds for entry in runs],
    }


def write(name: str, content: dict[str, Any], folder: Path = RESULTS) -> Path:
    """Write a result; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def lines(content: dict[str, Any]) -> list[str]:
    """A result as a table for people, a line a contender."""
    shown = [f"{'':18}{'us/record':>10}{'MB/s CPU':>10}{'x ' + content['baseline']:>20}{'wall s':>9}{'peak MB':>9}"]
    for name, entry in content["contenders"].items():
        if "cpu_seconds" not in entry:
            shown.append(f"{name:18}  {entry['status']}")
            continue
        ratio, peak = entry["times_the_baseline"], entry["peak_bytes"]
        shown.append(
            f"{name:18}{entry['us_per_record']:10.3f}{entry['megabytes_per_second']:10.1f}"
            f"{'-' if ratio is None else format(ratio, '.4f'):>20}{entry['wall_seconds']:9.3f}"
            f"{'-' if peak is None else format(peak / 1e6, '.0f'):>9}"
        )
    return shown


if __name__ == "__main__":
    sys.exit(_serve())
