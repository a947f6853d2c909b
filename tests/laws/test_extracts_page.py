"""The commands of docs/extracts.md, docs/ledger.md, docs/land.md and docs/summary.md print what the pages show."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lmparse.samples import db2_log

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "extracts.md"


@pytest.mark.parametrize(("page", "count"), [("extracts.md", 10), ("ledger.md", 14), ("land.md", 7), ("summary.md", 1)])
def test_commands_print_what_the_page_shows(page: str, count: int, tmp_path: Path) -> None:
    db2_log.make().write(tmp_path / "demo" / "luw")
    text = (DOCS / page).read_text("utf-8")
    steps = [
        line
        for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert sum(line.startswith("$ ") for line in steps) == count
    script = "\n".join(f"echo {shlex.quote(line)}; {line[2:]}" for line in steps if line.startswith("$ "))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "lmparse"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lmparse "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec 2>&1; {script}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.sub(r"^ +", "", done.stdout, flags=re.MULTILINE).splitlines() == [line.lstrip(" ") for line in steps]


@pytest.mark.parametrize("name", ["completionMarker", "settledSeconds", "maxFilesPerTrigger"])
def test_options_of_streams_are_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text("utf-8")
