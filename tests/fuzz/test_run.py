"""What is wrong is noticed: by the bounds, by the worker, and by the driver when a process ends or hangs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import TARGETS, run
from fuzz.bounds import MEMORY_BYTES, OverBoundError, bounded
from fuzz.findings import Findings
from fuzz.worker import CURRENT, Worker

FUZZ = Path(__file__).parent


def takes_memory(_: bytes) -> None:
    assert len(bytearray(2 * MEMORY_BYTES))


def takes_long(_: bytes) -> None:
    end = time.process_time() + 5
    while time.process_time() < end:
        pass


def fails(data: bytes) -> None:
    assert len(data) < 3, f"{len(data)} bytes"


def test_every_target_is_listed_and_says_what_must_hold() -> None:
    others = {
        "__init__",
        "bounds",
        "edits",
        "findings",
        "invariants",
        "mutations",
        "put_together",
        "run",
        "seeds",
        "worker",
    }
    modules = {path.stem for path in FUZZ.glob("*.py")} - others
    assert {name for name in modules if not name.startswith("test_")} == set(TARGETS)
    for name in TARGETS:
        first = (FUZZ / f"{name}.py").read_text().splitlines()[0]
        assert " or a " in first, name
        assert "Error" in first, name


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system keeps no peak")
def test_memory_is_bounded() -> None:
    with pytest.raises(OverBoundError, match=" MB for an input of 3 bytes"):
        bounded(takes_memory, b"abc")
    bounded(lambda _: None, b"abc")


def test_time_is_bounded() -> None:
    with pytest.raises(OverBoundError, match="more than 1 s"):
        bounded(takes_long, b"", seconds=1)


def worker(folder: Path, target: Callable[[bytes], None]) -> Worker:
    (folder / "runs").mkdir()
    return Worker(target, Findings(folder, "specs"), folder / "runs")


def test_a_finding_is_kept_once_with_its_shortest_input_and_its_command(tmp_path: Path) -> None:
    tried = worker(tmp_path, fails)
    for data in (b"ab", b"abcde", b"abc", b"abcd"):
        tried.try_input(data)
    (kept,) = tried.findings.all
    assert kept.read_bytes() == b"abc"
    text = kept.with_suffix(".txt").read_text()
    assert text.startswith("PYTHONPATH=.:tests python -m fuzz.run --target specs --input 616263\n")
    assert "AssertionError: 3 bytes" in text
    assert (tmp_path / "runs" / CURRENT).read_bytes() == b"abcd"
    assert tried.inputs == 4


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os; os.abort()", "ended with -6"),
        ("while True: pass", "no end after"),
        ("import time; time.sleep(60)", "no end after 0 s of CPU time"),
    ],
)
def test_a_process_that_ends_or_hangs_is_noticed(
    program: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SILENT_SECONDS", 0.2)
    monkeypatch.setattr(run, "POLL_SECONDS", 0.2)
    (tmp_path / CURRENT).write_bytes(b"x")
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL) as process:
        assert said in run._watched(process, tmp_path)
