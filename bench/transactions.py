"""Transactions of Db2 LUW logs: the index of both engines, changes to Parquet, Log Master beside, memory over the size.

python -m bench.transactions
python -m bench.transactions --memory 1G 10G --jobs 4G --cache DIR

The Log Master log and the Db2 log have the same rows in the same transactions; that is compared first. The engines are
compared on what they convert.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench import data, db2_logs, harness, header
from lmparse.db2.log import Db2Log
from lmparse.logs import arrow
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples.rows import RowChange, Shape, UnitOfWork

ENGINES = ("kaitai", "columnar")
SHAPE = Shape(savepoints=0)
"""Of the log that has the rows of the Log Master log: nothing is added to them."""
_POLL = 0.02
Options = dict[str, str]


@dataclass(frozen=True)
class Log:
    """A log to measure with, and the options to read it."""

    path: str
    options: Options
    bytes: int
    records: int


def index_of(log: Db2Log) -> object:
    """Make the transaction index that the engine of a log uses."""
    return log.log_index


def counts_of(log: Db2Log) -> tuple[int, int]:
    """The number of the transactions and changes in an index."""
    pairs = list(log.in_order())
    return len({transaction.txn_id for transaction, _ in pairs}), len(pairs)


# -- the files ------------------------------------------------------------------------------


def logs(folder: Path, size: int) -> dict[str, Log]:
    """A Log Master log of some size, and a Db2 LUW log with about as many changes of the same rows.

    The size is that of a block of rows at least, 3 MB.
    """
    truth = data.make("rows", folder, size=size, seed=7)
    assert truth.control is not None
    master = Log(truth.path, {"spec": "bmc_lldf", "control": truth.control}, truth.bytes, truth.records)
    block, _ = data.log_block((data.ORDERS,), 7)
    one = folder / "block.dat"
    one.write_bytes(block.data.tobytes())
    rows = changes(Log(str(one), master.options, len(block.data), len(block.starts)))
    units = units_of(rows)
    path, tables = folder / "db2.log", folder / "db2.yaml"
    tables.write_text(db2_logs.describe(SHAPE))
    # Records are shorter, and some are ends of transactions or take changes back: as much of the file is written.
    made = db2_logs.write(path, int(size * 0.767), shape=SHAPE, units=units, key_step=len(block.starts))
    luw = Log(str(path), {"spec": "db2_log", "tables": str(tables)}, made.bytes, made.records)
    check_rows(rows, changes(luw, len(rows)))
    return {"Log Master": master, "Db2 LUW": luw}


def changes(log: Log, count: int | None = None) -> list[dict[str, Any]]:
    """The changes of rows in a log as they are read by the column; the first `count` of them."""
    opened = open_changes(log.path, read_options({**log.options, "include": "all"}))
    names = ["op", "txn_id", "before", "after", "uor_disp"]
    found: list[dict[str, Any]] = []
    for version, batch in arrow.version_batches(opened):
        if version is not None:
            found += batch.select([name for name in names if name in batch.schema.names]).to_pylist()
        if count is not None and len(found) >= count:
            break
    return found[:count]


def units_of(rows: list[dict[str, Any]]) -> list[UnitOfWork]:
    """Changes as transactions; those of one are together in the log."""
    units = []
    for _, group in groupby(rows, key=lambda row: row["txn_id"]):
        held = list(group)
        made = [RowChange(row["before"], row["after"]) for row in held]
        units.append(UnitOfWork(made, "abort" if held[0]["uor_disp"] == "A" else "commit"))
    return units


def check_rows(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
    """Raise TablesDiffer unless both families have the same changes, in whatever order."""
    one, other = (sorted(repr((row["op"], row["before"], row["after"])) for row in rows) for rows in (expected, found))
    if one != other:
        place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        raise harness.TablesDiffer(f"families: change {place}: {one[place : place + 1]} and {other[place : place + 1]}")


# -- the index --------------------------------------------------------------------------------


def measure_index(log: Log, rounds: int) -> dict[str, Any]:
    """CPU seconds of the index of each engine."""
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    sizes = set()
    for number in range(rounds):
        for engine in _turned(number):
            opened = open_changes(log.path, read_options({**log.options, "engine": engine}))
            assert isinstance(opened, Db2Log)
            start = time.process_time()
            index_of(opened)
            seconds[engine].append(time.process_time() - start)
            sizes.add(counts_of(opened))
    if len(sizes) != 1:
        raise harness.TablesDiffer(f"indexes: {sizes}")
    transactions, count = sizes.pop()
    ratio = _ratio(seconds["kaitai"], seconds["columnar"])
    for engine, all_ in seconds.items():
        print(f"index    {engine:9} {log.records / statistics.median(all_):12,.0f} records/s", flush=True)
    print(f"the index by the column is {ratio:.2f} times as fast: {transactions} transactions, {count} changes")
    return {
        "cpu_seconds": seconds, "transactions": transactions, "changes": count, "times_as_fast": ratio,
        "records_per_second": {engine: log.records / statistics.median(all_) for engine, all_ in seconds.items()},
    }  # fmt: skip


def _turned(number: int) -> tuple[str, ...]:
    return ENGINES if number % 2 else ENGINES[::-1]


def _ratio(one: list[float], other: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


# -- convert ------------------------------------------------------------------------------------


@dataclass
class Converted:
    """What one run of `convert` took."""

    wall_seconds: float
    cpu_seconds: float
    anonymous_bytes: int
    """Most memory of the process and those that it started, without pages of files."""
    peak_bytes: int
    """Most resident memory of one of the processes, pages of files too."""
    rows: int


def convert(log: Log, out: Path, engine: str, jobs: int = 1) -> Converted:
    """Convert the changes of a log to Parquet, in a process of its own."""
    words = [word for name, value in log.options.items() for word in (f"--{name}", value)]
    words += ["--engine", engine, "--jobs", str(jobs), "--include", "all", "--overwrite"]
    command = [sys.executable, "-m", "lmparse", "convert", log.path, str(out), *words]
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=data.ROOT, stdout=said, stderr=said)
        peak = _Peak(process.pid)
        peak.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        peak.is_over = True
        peak.join()
        said.seek(0)
        if process.returncode:
            raise harness.ContenderFailed(f"convert {engine}: {said.read().decode()}")
    rows = sum(pq.ParquetFile(file).metadata.num_rows for file in out.glob("*.parquet"))
    return Converted(wall, usage.ru_utime + usage.ru_stime, peak.bytes, usage.ru_maxrss * 1024, rows)


class _Peak(threading.Thread):
    """Looks again and again how much memory without pages of files a process and its children have."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self.bytes, self.is_over = 0, False

    def run(self) -> None:
        while not self.is_over:
            self.bytes = max(self.bytes, sum(map(_anonymous, _family(self._process))))
            time.sleep(_POLL)


def _family(process: int) -> list[int]:
    """A process and those that it started."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return [process]
    return [process, *(one for child in children for one in _family(int(child)))]


def _anonymous(process: int) -> int:
    """Bytes of its memory that are of no file; zero when it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))


def measure_convert(both: dict[str, Log], folder: Path, rounds: int) -> dict[str, Any]:
    """Changes of both families to Parquet, in turn; the engines must write the same."""
    small = folder / "small.log"
    made = db2_logs.write(small, 20_000, shape=SHAPE)
    ways: dict[str, tuple[Log, str, int]] = {
        "start": (replace(both["Db2 LUW"], path=str(small), bytes=made.bytes, records=made.records), "columnar", 1),
        "kaitai": (both["Db2 LUW"], "kaitai", 1),
        "columnar": (both["Db2 LUW"], "columnar", 1),
        "columnar, 2 jobs": (both["Db2 LUW"], "columnar", 2),
        "kaitai, 2 jobs": (both["Db2 LUW"], "kaitai", 2),
        "Log Master": (both["Log Master"], "columnar", 1),
    }
    runs: dict[str, list[Converted]] = {name: [] for name in ways}
    for number in range(rounds):
        turn = number % len(ways)
        for name in [*ways][turn:] + [*ways][:turn]:
            log, engine, jobs = ways[name]
            runs[name].append(convert(log, folder / name, engine, jobs))
        expected = written(folder / "kaitai")
        for name in ("columnar", "columnar, 2 jobs", "kaitai, 2 jobs"):
            harness.check_equal(expected, written(folder / name), name)
    return {name: _speed(name, ways[name][0], all_, runs) for name, all_ in runs.items()}


def _speed(name: str, log: Log, runs: list[Converted], others: dict[str, list[Converted]]) -> dict[str, Any]:
    """CPU without the start of the process, which a log of a few records shows; wall time of the whole process."""

    def net(way: list[Converted]) -> list[float]:
        return [run.cpu_seconds - start.cpu_seconds for run, start in zip(way, others["start"], strict=True)]

    walls = [run.wall_seconds for run in runs]
    content: dict[str, Any] = {"runs": [asdict(run) for run in runs], "wall_seconds": statistics.median(walls)}
    if name == "start":
        return content
    cpu, count = statistics.median(net(runs)), runs[0].rows
    content |= {
        "changes_per_cpu_second": count / cpu,
        "megabytes_per_cpu_second": log.bytes / cpu / 1e6,
        "times_the_speed_of_kaitai": _ratio(net(others["kaitai"]), net(runs)),
        "times_the_speed_of_kaitai_wall": _ratio([run.wall_seconds for run in others["kaitai"]], walls),
    }
    print(
        f"convert  {name:17}{count / cpu:10,.0f} changes/s CPU {log.bytes / cpu / 1e6:7.1f} MB/s CPU, "
        f"{content['times_the_speed_of_kaitai']:6.2f} times the speed of kaitai "
        f"({content['times_the_speed_of_kaitai_wall']:.2f} of the whole process), "
        f"{runs[0].anonymous_bytes / 1e6:4.0f} MB", flush=True,
    )  # fmt: skip
    return content


def written(folder: Path) -> pa.Table:
    """The rows that `convert` wrote, of all files."""
    return pa.concat_tables(pq.read_table(file) for file in sorted(folder.glob("*.parquet")))


# -- memory -------------------------------------------------------------------------------------


def measure_memory(folder: Path, sizes: list[int], shape: Shape) -> list[dict[str, Any]]:
    """Most memory of `convert` by the column over the size of a Db2 LUW log."""
    found = []
    tables = folder / "memory.yaml"
    tables.write_text(db2_logs.describe(shape))
    for size in sizes:
        path = folder / "memory.log"
        start = time.perf_counter()
        made = db2_logs.write(path, size, shape=shape)
        seconds = time.perf_counter() - start
        log = Log(str(path), {"spec": "db2_log", "tables": str(tables)}, made.bytes, made.records)
        run = convert(log, folder / "memory", "columnar")
        path.unlink()
        found.append({"bytes": made.bytes, "records": made.records, "writing_seconds": seconds, **asdict(run)})
        print(
            f"memory   {made.bytes / 1e6:8,.0f} MB: {run.anonymous_bytes / 1e6:6.0f} MB anonymous, "
            f"{run.peak_bytes / 1e6:6.0f} MB with pages of files, {run.wall_seconds:6.1f} s", flush=True,
        )  # fmt: skip
    return found


# -- jobs ---------------------------------------------------------------------------------------


def measure_jobs(folder: Path, size: int, rounds: int) -> dict[str, Any]:
    """Wall time of `convert` with one job and with two, and what two processes gain that share nothing."""
    path, tables = folder / "jobs.log", folder / "jobs.yaml"
    tables.write_text(db2_logs.describe(Shape()))
    made = db2_logs.write(path, size, shape=Shape())
    log = Log(str(path), {"spec": "db2_log", "tables": str(tables)}, made.bytes, made.records)
    walls: dict[str, list[float]] = {"one job": [], "two jobs": [], "twice one job at once": []}
    for _ in range(rounds):
        for jobs, name in ((1, "one job"), (2, "two jobs")):
            walls[name].append(convert(log, folder / name, "columnar", jobs).wall_seconds)
        one, two = (json.loads((folder / name / "manifest.json").read_text()) for name in ("one job", "two jobs"))
        if one["files"] != two["files"]:
            raise harness.TablesDiffer("two jobs write other files than one")
        start = time.perf_counter()
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda name: convert(log, folder / name, "columnar"), ("one job", "two jobs")))
        walls["twice one job at once"].append(time.perf_counter() - start)
    path.unlink()
    gain = _ratio(walls["one job"], walls["two jobs"])
    limit = 2 * _ratio(walls["one job"], walls["twice one job at once"])
    print(
        f"jobs     {made.bytes / 1e6:8,.0f} MB: two are {gain:.2f} times as fast as one, the machine gives {limit:.2f}"
    )
    return {"bytes": made.bytes, "wall_seconds": walls, "times_as_fast": gain, "limit_of_the_machine": limit}


def main(arguments: list[str] | None = None) -> int:
    """Make the files, measure, print and write the result."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(dir=options.cache) as scratch:
        folder = Path(scratch)
        both = logs(folder, options.size)
        luw = both["Db2 LUW"]
        content = {
            "machine": header.machine(),
            "logs": {name: {"bytes": log.bytes, "records": log.records} for name, log in both.items()},
            "index": measure_index(luw, options.rounds),
            "convert": measure_convert(both, folder, options.rounds),
            "memory": measure_memory(folder, options.memory, Shape(lobs=0.1 if options.lobs else 0)),
            "jobs": measure_jobs(folder, options.jobs, options.rounds),
            "memory_is": "anonymous_bytes: Anonymous of smaps_rollup of all processes, looked at every "
            f"{_POLL} s; peak_bytes: ru_maxrss of the largest, pages of files too",
        }
    path = harness.write("transactions", content)
    print(f"written to {path.relative_to(data.ROOT) if path.is_relative_to(data.ROOT) else path}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Transactions of Db2 LUW logs.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="8M", help="of the Log Master log, for speed")
    parser.add_argument("--memory", type=data.parse_size, nargs="+", default=["8M", "24M"], help="sizes, for memory")
    parser.add_argument("--jobs", type=data.parse_size, default="8M", help="size, for one job against two")
    parser.add_argument("--lobs", action="store_true", help="the logs for memory have LOB values")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="folder for the files, which are removed")
    options = parser.parse_args(arguments)
    options.memory = [data.parse_size(size) if isinstance(size, str) else size for size in options.memory]
    return options


if __name__ == "__main__":
    sys.exit(main())
