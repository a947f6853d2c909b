"""Runs targets for long: `PYTHONPATH=.:tests python -m fuzz.run [--seconds 600] [--target NAME] [--jobs 1]`.

Each target has a process of its own, with a bound of its address space. What it needs and what it finds is in a folder
that is not committed; inputs that reached something new stay there for the next run. `--input HEX` tries one input.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from fuzz import TARGETS
from fuzz.bounds import SECONDS, bounded
from fuzz.findings import Findings
from fuzz.worker import COUNTS, CURRENT

POLL_SECONDS, SILENT_SECONDS, WAITING_SHARE = 5.0, 120.0, 10
"""After so many seconds of its CPU time on one input, or without any, a process is ended: an alarm does not interrupt
native code. One that waits is ended after that many times as long: other programs do not count, unless for ever."""
_EDGES = re.compile(rb"cov: (\d+) ft: (\d+)")


@dataclass
class Outcome:
    """What came of one target."""

    target: str
    inputs: int
    seconds: float
    edges: str
    findings: list[Path]

    def __str__(self) -> str:
        rate = self.inputs / max(self.seconds, 1)
        return f"{self.target:<15}{self.inputs:>10}{rate:>10.1f}{self.edges:>16}{len(self.findings):>10}"


def run_target(name: str, seconds: int, folder: Path, fuzzer: str) -> Outcome:
    """Run one target for some seconds, anew whenever its process ends before."""
    place = folder / "runs" / name
    place.mkdir(parents=True, exist_ok=True)
    findings = Findings(folder / "findings", name)
    log, end = place / "log", time.monotonic() + seconds
    log.write_bytes(b"")
    inputs, spent = 0, 0.0
    while (left := end - time.monotonic()) > 1:
        for stale in (CURRENT, COUNTS):
            (place / stale).unlink(missing_ok=True)
        command = [sys.executable, "-m", "fuzz.worker", name, str(folder), str(left), fuzzer]
        reason = _watched_run(command, log, place)
        current = place / CURRENT
        if reason:
            findings.keep_end(current.read_bytes() if current.exists() else b"", reason)
        counts = json.loads((place / COUNTS).read_text()) if (place / COUNTS).exists() else {}
        inputs, spent = inputs + counts.get("inputs", 0), spent + counts.get("seconds", 0.0)
        if not counts:
            break  # it does not even start; the log says why
    found = _EDGES.findall(log.read_bytes())
    edges = " / ".join(number.decode() for number in found[-1]) if found else "-"
    return Outcome(name, inputs, spent, edges, findings.all)


def _watched_run(command: list[str], log: Path, place: Path) -> str:
    """Run a worker, whose files are in memory where there is such a place, and do not outlive it."""
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(prefix="lmparse-fuzz-", dir=memory if memory.is_dir() else None) as files,
        log.open("ab") as stream,
        subprocess.Popen(command, stdout=stream, stderr=stream, env={**os.environ, "TMPDIR": files}) as process,
    ):
        return _watched(process, place)


def _watched(process: subprocess.Popen[bytes], place: Path) -> str:
    """Wait for the end of a process, and end it when it is silent. Returns why it ended early, if it did."""
    since, spent, seen = time.monotonic(), _cpu_seconds(process.pid), 0
    while True:
        try:
            code = process.wait(timeout=POLL_SECONDS)
            return f"the process ended with {code}" if code else ""
        except subprocess.TimeoutExpired:
            current = place / CURRENT
            written = current.stat().st_mtime_ns if current.exists() else 0
            if written != seen:
                since, spent, seen = time.monotonic(), _cpu_seconds(process.pid), written
            waited, used = time.monotonic() - since, _cpu_seconds(process.pid) - spent
            if used > SILENT_SECONDS or waited > SILENT_SECONDS * WAITING_SHARE:
                process.kill()
                process.wait()
                return f"no end after {used:.0f} s of CPU time, {waited:.0f} s in all"


def _cpu_seconds(pid: int) -> float:
    """CPU time of a process; where the system does not say it, the time of the clock."""
    try:
        # Behind the name of the program, which may have blanks: user and system time are fields 14 and 15, in ticks.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description="Give any bytes to the targets.")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--target", action="append", choices=TARGETS, help="one target; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="targets at once")
    parser.add_argument("--folder", type=Path, default=Path(".cache/fuzz"), help="where inputs and findings are kept")
    parser.add_argument("--plain", action="store_true", help="changes by chance, also where atheris is installed")
    parser.add_argument("--input", metavar="HEX", help="try one input of one target, and raise what it raises")
    words = parser.parse_args()
    names = words.target or list(TARGETS)
    if words.input is not None:
        target = import_module(f"fuzz.{names[0]}").target
        target(b"")  # what is loaded once counts for no input
        bounded(target, bytes.fromhex(words.input), seconds=SECONDS)
        return 0
    fuzzer = "plain" if words.plain or find_spec("atheris") is None else "atheris"
    print(f"{len(names)} targets of {words.seconds} s each, {words.jobs} at once, by {fuzzer}", flush=True)
    os.nice(5)
    with ThreadPoolExecutor(words.jobs) as pool:
        outcomes = list(pool.map(lambda name: run_target(name, words.seconds, words.folder, fuzzer), names))
    print(f"{'target':<15}{'inputs':>10}{'inputs/s':>10}{'edges/features':>16}{'findings':>10}", *outcomes, sep="\n")
    found = [path for outcome in outcomes for path in outcome.findings]
    print(*(f"finding: {path.with_suffix('.txt')}" for path in found), sep="\n")
    return 1 if found or any(not outcome.inputs for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
