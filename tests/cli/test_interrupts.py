"""Ctrl-C and SIGTERM from the first import of a command to its end: an exit code, and no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from writers.bmc import framing, logs

RUN = """
import os, signal, sys

number, module, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
signal.signal(signal.SIGINT, signal.default_int_handler)

class Deleted:
    def __del__(self):
        signal.raise_signal(number)

class Named:
    def __set_name__(self, owner, name):
        signal.raise_signal(number)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            if how == "ignored":
                Deleted()
            elif how == "in a class":
                type("Holder", (), {"field": Named()})
            else:
                signal.raise_signal(number)

sys.meta_path.insert(0, Finder())
from lmparse.__main__ import main
sys.argv = ["lmparse", *sys.argv[4:]]
code = main()
if module == "at the end":
    signal.raise_signal(number)
sys.exit(code)
"""
"""Runs a command, and sends a signal when a module is imported; or then in a callback, where Python ignores it, or
while a class gets its fields, where Python 3.11 makes another error of it."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with its control file beside it."""
    example = logs.example()
    (tmp_path / "night.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(example.control_records))
    return tmp_path / "night.dat"


def ended(number: signal.Signals, module: str, how: str, *words: object) -> tuple[int, str]:
    command = [sys.executable, "-c", RUN, str(int(number)), module, how, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr


STARTING = ("lmparse.storage.signals", "lmparse.cli", "lmparse.cli.land", "lmparse.options", "argparse")
RUNNING = ("lmparse.logs.check", "lmparse.logs.open", "lmparse.spec.catalog")


@pytest.mark.parametrize("module", [*STARTING, *RUNNING])
def test_ctrl_c_while_a_command_imports(module: str, log: Path) -> None:
    assert ended(signal.SIGINT, module, "raised", "check", log) == (130, "")


@pytest.mark.parametrize("module", ["lmparse.cli", "lmparse.cli.land", *RUNNING])
def test_ctrl_c_where_python_ignores_it(module: str, log: Path) -> None:
    # It comes again a little later; with the control file named, nothing is said up to there.
    words = "check", log, "--control", log.with_suffix(".ctl")
    assert ended(signal.SIGINT, module, "ignored", *words) == (130, "")


@pytest.mark.parametrize("module", [*STARTING, *RUNNING])
def test_ctrl_c_while_a_class_gets_its_fields(module: str, log: Path) -> None:
    assert ended(signal.SIGINT, module, "in a class", "check", log) == (130, "")


@pytest.mark.parametrize("how", ["raised", "ignored", "in a class"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_land_imports(number: signal.Signals, how: str, log: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    code, said = ended(number, "lmparse.export.writers", how, "land", log, "--to", target, "--as", "parquet")
    assert said == ""
    assert code in (128 + number, -number)  # of which shells make the same
    assert not [path for path in target.rglob("*") if path.name.endswith((".partial", ".parquet"))]


def test_ctrl_c_when_all_is_done() -> None:
    """Python would print where it was while it ends."""
    assert ended(signal.SIGINT, "at the end", "raised", "formats") == (-signal.SIGINT, "")
