"""Ctrl-C, SIGTERM and SIGHUP from the first import of a command to its end: an exit code, and no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from writers.bmc import framing, logs

RUN = """
import signal, sys

number, module = int(sys.argv[1]), sys.argv[2]
# Who starts tests with `nohup` or in the background has them ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            signal.raise_signal(number)

sys.meta_path.insert(0, Finder())
from lmparse.__main__ import main
sys.argv = ["lmparse", *sys.argv[3:]]
code = main()
if module == "at the end":
    signal.raise_signal(number)
sys.exit(code)
"""
"""Runs a command, and sends a signal when a module is imported."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with its control file beside it."""
    example = logs.example()
    (tmp_path / "night.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(example.control_records))
    return tmp_path / "night.dat"


def ended(number: signal.Signals, module: str, *words: object) -> tuple[int, str]:
    command = [sys.executable, "-c", RUN, str(int(number)), module, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr


IMPORTED = ("lmparse.storage.interrupts", "lmparse.cli", "lmparse.options", "lmparse.logs.check")


@pytest.mark.parametrize("module", IMPORTED)
def test_ctrl_c_while_a_command_imports(module: str, log: Path) -> None:
    assert ended(signal.SIGINT, module, "check", log) == (130, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_while_land_imports(number: signal.Signals, log: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    assert ended(number, "pyarrow.parquet", "land", log, "--to", target, "--as", "parquet") == (128 + number, "")
    assert not [path for path in target.rglob("*") if path.name.endswith((".partial", ".parquet"))]


def test_ctrl_c_when_all_is_done() -> None:
    """Python would print where it was while it ends."""
    assert ended(signal.SIGINT, "at the end", "formats") == (-signal.SIGINT, "")
