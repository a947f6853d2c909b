"""The commands of docs/land.md print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from lmparse.export import landing
from lmparse.export.landing_current import CHUNK_ROWS, MOST_CHUNKS
from lmparse.samples import db2_log

PAGE = Path(__file__).parents[2] / "docs" / "land.md"
STEPS = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    db2_log.make().write(tmp_path / "demo" / "luw")
    (block,) = STEPS.findall(PAGE.read_text("utf-8"))
    steps = block.splitlines()
    assert sum(line.startswith("$ ") for line in steps) == 7
    script = "\n".join(f"echo '{line}'; {line[2:]}" for line in steps if line.startswith("$ "))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "lmparse"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lmparse "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    words = ["/bin/sh", "-c", f"exec 2>&1; {script}"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == steps


def test_numbers_of_the_page() -> None:
    assert CHUNK_ROWS // 1000 == 65
    assert CHUNK_ROWS * MOST_CHUNKS > 500_000
    assert "parquet" in landing.FORMS
