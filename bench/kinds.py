"""Records of several kinds, whose body the data choose: lines and Arrow, by the column and through the parser.

python -m bench.kinds --size 16M
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from bench import data, db2_logs, harness, header
from lmparse.logs import lines
from lmparse.logs.arrow import read_table
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.records.files import ignored
from lmparse.samples import bmc_log
from lmparse.samples.rows import Shape

ENGINES = ("kaitai", "columnar")
Read = Callable[[Path, str, str], object]
"""Reads a file of a spec with an engine; returns what both engines must give alike."""


def main(arguments: list[str] | None = None) -> int:
    """Make the files, measure pairs of runs, compare what they gave, print and write the result."""
    options = _options(arguments)
    content: dict[str, object] = {"machine": header.machine()}
    with tempfile.TemporaryDirectory() as scratch:
        for spec, make in MAKERS.items():
            path, records = make(Path(scratch), options.size)
            found: dict[str, object] = {"records": records, "bytes": path.stat().st_size}
            for what, read in READERS.items():
                found[what] = measured(path, spec, read, options.rounds)
                print(f"{spec} {what}: equal, by the column {found[what]['times_as_fast']:.1f} times as fast")  # type: ignore[index]
            content[spec] = found
    print(f"written to {harness.write('kinds', content).relative_to(data.ROOT)}")
    return 0


def measured(path: Path, spec: str, read: Read, rounds: int) -> dict[str, object]:
    """CPU seconds of both engines in turn. Raises TablesDiffer if they do not give the same."""
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for number in range(rounds):
        given = {}
        for engine in ENGINES if number % 2 else ENGINES[::-1]:
            began = time.process_time()
            given[engine] = read(path, spec, engine)
            seconds[engine].append(time.process_time() - began)
        if given["kaitai"] != given["columnar"]:
            raise harness.TablesDiffer(f"{spec}: the engines differ")
    ratio = statistics.median(a / b for a, b in zip(seconds["kaitai"], seconds["columnar"], strict=True))
    return {"cpu_seconds": seconds, "times_as_fast": ratio}


def _db2_log(folder: Path, size: int) -> tuple[Path, int]:
    path = folder / "db2.log"
    return path, db2_logs.write(path, size, shape=Shape(lobs=0.1)).records


def _control(folder: Path, size: int) -> tuple[Path, int]:
    """The control records of the sample again and again, with the file type record only once."""
    control = bmc_log.make(7).control
    count = -(-size // (sum(map(len, control)) + 4 * len(control)))
    path = folder / "sample.ctl"
    records = [control[0], *(record for _ in range(count) for record in control[1:])]
    path.write_bytes(bmc_log.framed(records)[0])
    return path, len(records)


def _lines(path: Path, spec: str, engine: str) -> str:
    digest = hashlib.sha256()
    file = open_file(path, read_options({"spec": spec, "engine": engine}), on_error=ignored)
    for text in lines.printed(file, with_changes=False):
        digest.update(text.encode())
    return digest.hexdigest()


def _table(path: Path, spec: str, engine: str) -> pa.Table:
    return read_table(path, spec=spec, engine=engine)


MAKERS = {"db2_log": _db2_log, "bmc_control": _control}
READERS: dict[str, Read] = {"lines": _lines, "table": _table}


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Records of several kinds by both engines.", allow_abbrev=False)
    parser.add_argument("--size", type=data.parse_size, default="16M", help="of the files: 24M, 100M; powers of ten")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
