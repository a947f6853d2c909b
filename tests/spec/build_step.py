"""What the tests of the build step share: a sound spec, and its commands in this process and in one of their own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import build as front
from lmparse.spec.build.products import Builder
from lmparse.spec.build.specs import SpecError

ROOT = Path(__file__).parents[2]

SOUND = """\
meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /common/common_timestamp17
  endian: be
doc: One reading of one meter.
doc-ref: 'Meters, "Reading"'
seq:
  - id: number
    type: u2
    doc: Number of the meter
  - id: state
    -codec: ebcdic
    type: u1
    enum: state
    doc: Whether the meter works
  - id: taken
    type: common_timestamp17
    doc: When it was taken
  - id: more
    size-eos: true
    doc: Everything else
enums:
  state:
    0xd6:
      id: working
      -orig-id: 'O'
      doc: It works
"""


def build(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command of build.py in this process."""
    words, out, err = list(map(str, arguments)), io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = front.main(words)
        except SystemExit as end:
            code = int(str(end.code))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def output(command: str, folder: Path) -> list[object]:
    """The option for what a command writes; `lint` writes nothing, and refuses it."""
    return [] if command == "lint" else ["--out", folder / "out"]


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of build.py in a process of its own."""
    command = [sys.executable, str(ROOT / "build.py"), *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def texts(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make(source: Path) -> dict[str, str]:
    """Every product of specs of which none may have a fault. Raises SpecError or CompilerUnavailable."""
    products, problems, _ = Builder().make(source)
    if problems:
        raise SpecError(problems)
    return products
