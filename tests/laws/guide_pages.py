"""Runs the code blocks of a page of Markdown, and compares what they print with what the page shows.

The language of a block says what becomes of it:

- `console`: lines behind `$ ` (and those behind `> ` that continue them) are run by a shell of the block, and the
  other lines are what they print. A line `...` stands for any lines, ` ...` at an end for any characters.
- `sh`: each line is a command that succeeds.
- `python`: the blocks of a page are one program. A `text` block behind one is what it prints.
- anything else is data. Behind `<!-- file: NAME -->` a block is the text of that file.

All are run in the order of the page.

Behind `<!-- not run: REASON -->` a block is left alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import forked
from short_runs import SHORT_JAVA

ROOT = Path(__file__).parents[2]
PROGRAMS = ("console", "sh", "python")
DATA = ("ini", "json", "sql", "text", "toml", "yaml")
WALKED = [ROOT / "README.md", *sorted((ROOT / "docs").glob("tutorial-*.md"))]
"""Pages of which all blocks are run from an empty folder, see test_first_walk.py."""
GOOD = (0, 24)
"""Exit codes of commands that did what they should; with 24 a comparison differs, which may be what a page shows."""
WIDTH = "100"
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>not run|file): (?P<words>[^\n]*?) -->\n+)?"
    r"^```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_NEXT = "---- next ----\n"
_WALK = f"""\
import json, os, subprocess, sys
from pathlib import Path
for kind, text, name in json.load(sys.stdin):
    sys.stdout.flush()
    if kind == "file":
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, "utf-8")
    elif kind == "python":
        exec(compile(text, name, "exec"))
    else:
        words = ["/bin/sh", "-c", "exec 2>&1\\n" + text]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, env=os.environ | {{"COLUMNS": "{WIDTH}"}})
        if kind == "sh" and done.returncode not in {GOOD}:
            sys.exit(f"{{text}} ends with {{done.returncode}}")
    print(sys.argv[1], end="", flush=True)
"""
"""Runs the steps of a page one after another."""
_MAKE = """\
#!/bin/sh
case $1 in
test) exec {make} --dry-run --directory {root} --assume-old .venv/installed "$@" ;;
*) exec {make} --file {root}/Makefile --assume-old .venv/installed BIN={programs} "$@" ;;
esac
"""
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

    @property
    def is_setup(self) -> bool:
        """Whether it is not run since it installs."""
        return self.language == "sh" and self.reason is not None and self.reason.startswith("it installs")

    @property
    def starts_spark(self) -> bool:
        """Whether it is a program that starts Spark."""
        return self.language == "python" and "pyspark" in self.text


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
    _walk(page, found, [block for block in found if not block.starts_spark], folder)


def run_from_the_beginning(page: Path, folder: Path) -> str:
    """Run all blocks of a page in an empty folder, the setup too, as somebody does who has installed lmparse, and
    assert that they print what the page shows; returns all that was printed.

    The setup is a block that is not run with the page since it installs: its `pip` lines are left out here, and `make`
    works with the environment of the tests. Of `make test`, which runs this, it says what it would do.
    """
    assert not any(folder.iterdir())
    found = blocks(page)
    assert any(block.is_run for block in found), f"{page.name} has nothing to run"
    return _walk(page, found, [replace(block, reason=None) if block.is_setup else block for block in found], folder)


def _walk(page: Path, found: list[Block], wanted: list[Block], folder: Path) -> str:
    """Run blocks in their order, in one Python and shells that it starts, and compare what each prints.

    Blocks that are behind another in the page are found in `found`.
    """
    steps = [(block, step) for block in wanted for step in _steps(page, block)]
    done = subprocess.run(
        [sys.executable, "-c", _WALK, _NEXT], cwd=folder, env=_environment(folder),
        input=json.dumps([step for _, step in steps]), capture_output=True, text=True, check=False,
    )  # fmt: skip
    printed = done.stdout.split(_NEXT)
    assert done.returncode == 0, f"{page.name}:{steps[len(printed) - 1][0].line}\n{printed[-1]}\n{done.stderr}"
    for (block, (kind, text, _)), lines in zip(steps, printed, strict=False):
        place = f"{page.name}:{block.line}"
        if kind == "console":
            given, shown = ([line.strip() for line in part.splitlines()] for part in (lines, block.text))
            assert _matches(given, shown), f"{place}\n{_difference(given, shown)}"
        elif kind == "sh":
            assert lines, f"{place}: {text} prints nothing"
        elif kind == "python" and (expected := _shown_behind(found, block)) is not None:
            assert _matches(without_bars(lines).splitlines(), expected.splitlines()), f"{place}\n{lines}"
    return done.stdout


def _steps(page: Path, block: Block) -> list[tuple[str, str, str]]:
    """What of a block is done at once, each with its kind and name: a line of `sh`, else all of it, if anything."""
    if block.file is not None:
        return [("file", block.text, block.file)]
    if not block.is_run:
        return []
    if block.language == "python":
        return [("python", "\n" * (block.line - 1) + block.text, page.name)]  # so that errors name its lines
    if block.language == "console":
        return [("console", "\n".join(_echoed(block.text.splitlines())), "")]
    return [("sh", line, "") for line in block.text.splitlines() if not line.startswith("pip ")]


def _shown_behind(found: list[Block], block: Block) -> str | None:
    """What the page shows that a block of Python prints: the text right behind it."""
    number = found.index(block) + 1
    return found[number].text if number < len(found) and found[number].language == "text" else None


def _environment(folder: Path) -> dict[str, str]:
    """The environment of a shell whose `lmparse` is that of this Python, see forked.py, and whose `make` is that of the
    checkout without what it installs.
    """
    programs = forked.command(folder.with_name(f"{folder.name}-bin")).parent
    make = programs / "make"
    make.write_text(_MAKE.format(make=shutil.which("make"), root=ROOT, programs=Path(sys.executable).parent))
    make.chmod(0o755)
    path = os.pathsep.join(map(str, (programs, Path(sys.executable).parent, os.environ["PATH"])))
    return os.environ | SHORT_JAVA | {"PATH": path, "SEQ": "0" * 72, "NO_COLOR": "1"}


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


def without_bars(printed: str) -> str:
    """What a program printed, without the bars of progress that a slow machine has and a fast one has not."""
    return _BAR.sub("", printed)


def spark_programs(found: list[Block]) -> tuple[str, list[str | None]]:
    """The blocks that start Spark as one program, and what each has to print."""
    chosen = [block for block in found if block.is_run and block.starts_spark]
    program = "".join(f"{block.text}print({_NEXT!r}, end='', flush=True)\n" for block in chosen)
    return program, [_shown_behind(found, block) for block in chosen]


def check_printed(shown: list[str | None], printed: str) -> None:
    """Assert that the blocks of `spark_programs` printed what they have to."""
    for expected, text in zip([*shown, None], without_bars(printed).split(_NEXT), strict=True):
        if expected is not None:
            assert _matches(text.splitlines(), expected.splitlines()), text
