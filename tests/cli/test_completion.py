"""What a shell is offered behind Tab: asked as its scripts ask, by variables and on file descriptor 8."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import argcomplete
import pytest

from lmparse.cli.command_line import command_table
from lmparse.spec import catalog

LOADED = "import sys; from lmparse import cli; cli.main(['formats']); print('argcomplete' in sys.modules)"
WITHOUT = "import sys; sys.modules['argcomplete'] = None; from lmparse import cli; sys.exit(cli.main(['formats']))"


def asked(line: str) -> dict[str, str]:
    """What the script of a shell puts into the environment of the command; lines are easier to read than its \\v."""
    words = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    return os.environ | words | {"COMP_TYPE": "9"}


def offered(line: str, folder: Path) -> list[str]:
    """The words that may follow a line; a single one has a blank behind it."""
    command = f"exec {shlex.quote(sys.executable)} -m lmparse 8>&1 9>/dev/null 1>/dev/null"
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=folder, env=asked(line), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with files."""
    for name in ("payroll.dat", "payroll.ctl"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "logs").mkdir()
    return tmp_path


def test_commands_are_offered(tmp_path: Path) -> None:
    assert offered("lmparse ", tmp_path) == [*command_table()]
    assert offered("lmparse co", tmp_path) == ["convert", "coverage"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lmparse changes a --starting", ["--starting-seq", "--starting-after", "--starting-timestamp"]),
        ("lmparse sql a --redo --un", []),  # one of the two may be given
        ("lmparse land a --as ", ["delta", "parquet"]),
        ("lmparse changes a --order ", ["file", "commit"]),
        ("lmparse changes a --order=c", ["--order=commit"]),
        ("lmparse changes a --trim ", ["true", "false"]),
        ("lmparse changes a --include committed,ro", ["committed,rolled-back"]),
        ("lmparse convert a b --jobs ", []),
        ("lmparse changes a --table ", []),
    ],
)
def test_options_and_their_values_are_offered(line: str, words: list[str], place: Path) -> None:
    found = offered(line, place)
    assert [word for word in found if word not in ("logs/", "payroll.ctl", "payroll.dat")] == words
    assert found == words or line.endswith("--trim ")  # whose value may be left out: a file may follow


@pytest.mark.parametrize("line", ["lmparse formats ", "lmparse records a --spec "])
def test_ids_of_specs_are_offered_and_else_files(line: str, place: Path) -> None:
    assert offered(line, place) == [*catalog.spec_ids()]
    assert offered(line + "db2_l", place) == ["db2_lob", "db2_log", "db2_long_field"]
    assert offered(line + "lo", place) == ["logs/"]  # of a spec that was built elsewhere


@pytest.mark.parametrize("line", ["lmparse check ", "lmparse changes a --control ", "lmparse changes a --checkpoint "])
def test_files_are_offered_and_no_options(line: str, place: Path) -> None:
    assert sorted(offered(line, place)) == ["logs/", "payroll.ctl", "payroll.dat"]
    assert offered(line + "payroll.c", place) == ["payroll.ctl"]


def test_bash_completes_the_command(place: Path) -> None:
    """The script that `register-python-argcomplete lmparse` prints finds the command on the path, and asks it."""
    command = place / "bin" / "lmparse"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lmparse "$@"\n')
    command.chmod(0o755)
    line = "lmparse check payroll.c"
    script = f"""{argcomplete.shellcode(["lmparse"], shell="bash")}
        COMP_LINE={line!r} COMP_POINT={len(line)} COMP_TYPE=9
        _python_argcomplete lmparse payroll.c check 2>/dev/null; printf '%s\\n' "${{COMPREPLY[@]}}\""""
    environment = os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "payroll.ctl", done.stderr


def test_a_command_that_no_shell_asks_loads_nothing_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_without_the_extra_the_command_says_so(tmp_path: Path) -> None:
    environment = asked("lmparse ")
    done = subprocess.run([sys.executable, "-c", WITHOUT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'lmparse[completion]'" in done.stderr
