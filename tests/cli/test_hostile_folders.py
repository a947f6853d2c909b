"""Modules in the folder in which a command runs are data: no process that lmparse starts imports them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lmparse.samples import bmc_log

COMMAND = Path(sys.executable).with_name("lmparse")
MODULES = ("lmparse", "json", "pickle", "re", "signal", "multiprocessing", "pyarrow", "numpy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log beside modules of the names of those that Python and lmparse import, each of which leaves a mark."""
    folder = tmp_path / "incoming"
    bmc_log.make(units=4).write(folder)
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write({name!r})\n")
    return folder


def test_worker_processes_import_nothing_from_it(folder: Path, tmp_path: Path) -> None:
    words = ("convert", "payroll.dat", tmp_path / "out", "--control", "payroll.ctl", "--format", "jsonl")
    done = subprocess.run(
        [COMMAND, *words, "--jobs", "2", "--part-bytes", "4000"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, (tmp_path / "mark").exists()) == (0, False), done.stderr
