"""Runs the code blocks of a page of Markdown, and compares what they print with what the page shows.

The language of a block says what becomes of it:

- `console`: lines behind `$ ` (and those behind `> ` that continue them) are run by one shell, in the order of the
  page, and the other lines are what they print. A line `...` stands for any lines, ` ...` at an end for any characters.
- `sh`: each line is a command that succeeds.
- `python`: the blocks of a page are one program. A `text` block behind one is what it prints.
- anything else is data. Behind `<!-- file: NAME -->` a block is the text of that file.

Behind `<!-- not run: REASON -->` a block is left alone.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import forked
from short_runs import SHORT_JAVA

PROGRAMS = ("console", "sh", "python")
DATA = ("ini", "json", "sql", "text", "toml", "yaml")
GOOD = (0, 24)
"""Exit codes of commands that did what they should; with 24 a comparison differs, which may be what a page shows."""
WIDTH = "100"
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>not run|file): (?P<words>[^\n]*?) -->\n+)?"
    r"^```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_NEXT = "---- next ----\n"
_BAR = re.compile(r"^\s*\d+% \u2595.*\n|^\s*\n(?=\s*\d+% \u2595)", re.MULTILINE)
"""What DuckDB draws when a query takes more than two seconds."""


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    language: str
    text: str
    line: int
    file: str | None
    """The file whose text it is."""
    reason: str | None
    """Why it is not run."""

    @property
    def is_run(self) -> bool:
        """Whether it is a program that runs."""
        return self.language in PROGRAMS and self.reason is None


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page, in its order."""
    text = page.read_text("utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        if match["language"].startswith("{"):
            continue  # a directive of the site
        words = {match["mark"]: match["words"]}
        line = text.count("\n", 0, match.start("language")) + 1
        found.append(Block(match["language"], match["text"], line, words.get("file"), words.get("not run")))
    return found


def fences(page: Path) -> int:
    """The number of fences of a page that belong to no block that `blocks` can have."""
    return len(re.findall(r"^ *(?:```|~~~)", _BLOCK.sub("", page.read_text("utf-8")), re.MULTILINE))


def run_page(page: Path, folder: Path) -> None:
    """Run the blocks of a page that need no Spark in a folder, and assert that they print what the page shows."""
    found = blocks(page)
    assert any(block.is_run for block in found), f"{page.name} has nothing to run"
    _write_files(found, folder)
    environment = _environment(folder)
    _run_console([block for block in found if block.is_run and block.language == "console"], folder, environment)
    for block in found:
        if block.is_run and block.language == "sh":
            _run_commands(block, folder, environment)
    _run_python(found, folder, environment)


def _write_files(found: list[Block], folder: Path) -> None:
    """Write the files whose texts a page has."""
    for block in found:
        if block.file is not None:
            place = folder / block.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, "utf-8")


def run_from_the_beginning(page: Path, folder: Path, *, with_python: bool = False) -> None:
    """Run what a page has for a shell in an empty folder, the setup too, as somebody does who has installed lmparse;
    and its Python, if that is asked for.

    The setup is a block that is not run with the page since it installs: its `pip` lines are left out here.
    """
    assert not any(folder.iterdir())
    found = blocks(page)
    _write_files(found, folder)
    environment = _environment(folder)
    setup = [block for block in found if block.language == "sh" and (block.reason or "").startswith("it installs")]
    for block in setup:
        commands = "".join(line for line in block.text.splitlines(True) if not line.startswith("pip "))
        done = subprocess.run(
            ["/bin/sh", "-ec", commands], cwd=folder, env=environment, capture_output=True, check=False
        )
        assert done.returncode in GOOD, done.stderr
    _run_console([block for block in found if block.is_run and block.language == "console"], folder, environment)
    if with_python:
        _run_python(found, folder, environment)


def _environment(folder: Path) -> dict[str, str]:
    """The environment of a shell whose `lmparse` is that of this Python, see forked.py."""
    places = forked.command(folder / "bin").parent, Path(sys.executable).parent, os.environ["PATH"]
    path = os.pathsep.join(map(str, places))
    return os.environ | SHORT_JAVA | {"PATH": path, "COLUMNS": WIDTH, "SEQ": "0" * 72, "NO_COLOR": "1"}


def _run_console(found: list[Block], folder: Path, environment: dict[str, str]) -> None:
    lines = [line for block in found for line in block.text.splitlines()]
    if not lines:
        return
    script = "exec 2>&1\n" + "\n".join(_echoed(lines))
    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    printed = [line.strip() for line in done.stdout.splitlines()]
    shown = [line.strip() for line in lines]
    assert _matches(printed, shown), f"\n{_difference(printed, shown)}"


def _echoed(lines: list[str]) -> list[str]:
    """A script that prints each command before it runs it."""
    script: list[str] = []
    shown: list[str] = []
    command: list[str] = []
    for line in [*lines, "$ "]:
        if command and not line.startswith("> "):
            script += [f"printf '%s\\n' {shlex.join(shown)}", *command]
            shown, command = [], []
        if line.startswith(("$ ", "> ")):
            shown.append(line)
            command.append(line[2:])
    return script


def _matches(printed: list[str], shown: list[str]) -> bool:
    parts = [r"(?:.*\n)*?" if line == "..." else _pattern(line) + r"\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in printed)) is not None


def _pattern(line: str) -> str:
    return re.escape(line.removesuffix(" ...")) + (".*" if line.endswith(" ...") else "")


def _difference(printed: list[str], shown: list[str]) -> str:
    """What is printed, with a mark at the first lines that the page does not have."""
    pattern = [line for line in shown if line != "..."]
    return "\n".join(
        f"{' ' if any(re.fullmatch(_pattern(one), line) for one in pattern) else '+'} {line}" for line in printed
    )


def _run_commands(block: Block, folder: Path, environment: dict[str, str]) -> None:
    for command in block.text.splitlines():
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in GOOD, f"line {block.line}: {command}: {done.stderr}"
        assert done.stdout or done.stderr, f"line {block.line}: {command} prints nothing"


def without_bars(printed: str) -> str:
    """What a program printed, without the bars of progress that a slow machine has and a fast one has not."""
    return _BAR.sub("", printed)


def _run_python(found: list[Block], folder: Path, environment: dict[str, str]) -> None:
    """Run the Python of a page as one program; each block is followed by what it prints."""
    program, shown = programs(found, with_spark=False)
    if not program:
        return
    del environment["COLUMNS"]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    check_printed(shown, done.stdout)


def programs(found: list[Block], *, with_spark: bool) -> tuple[str, list[str | None]]:
    """The blocks of Python that start Spark, or those that do not, as one program, and what each has to print."""
    texts, shown = [], []
    for number, block in enumerate(found):
        if block.is_run and block.language == "python" and ("pyspark" in block.text) == with_spark:
            behind = found[number + 1] if number + 1 < len(found) else None
            texts.append(f"{block.text}print({_NEXT!r}, end='', flush=True)\n")
            shown.append(behind.text if behind is not None and behind.language == "text" else None)
    return "".join(texts), shown


def check_printed(shown: list[str | None], printed: str) -> None:
    """Assert that the blocks of `programs` printed what they have to."""
    for expected, text in zip([*shown, None], without_bars(printed).split(_NEXT), strict=True):
        if expected is not None:
            assert _matches(text.splitlines(), expected.splitlines()), text
