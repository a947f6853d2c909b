"""Gallery: what lmparse makes of all specs of a folder of others, as a table.

    python tests/gallery.py DIR

builds the specs of the folder, loads each, lists its columns, writes its page and explains a record of it, by the
commands that a user gives, and says why where one fails. It is a proof and not a measure, so it is among the tests; a
test runs it on specs of our own that have the habits of others.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmparse import cli
from lmparse.columnar.record_plan import RecordPlan
from lmparse.spec import catalog
from lmparse.spec.build.products import Builder
from lmparse.spec.build.specs import Selection

STEPS = ("build", "load", "formats", "docs", "explain")
_RECORDS = (bytes(512), bytes(range(256)) * 2, b"\xff" * 512)
"""Bytes that are no record of any format: all that is asked is that they are explained."""
_SECONDS = 60
"""Time that one command may take."""


@dataclass
class Row:
    """One spec, and why a step failed for it."""

    place: str
    id: str
    reasons: dict[str, str] = field(default_factory=dict)
    """By step; a step after one that failed is not tried."""
    by_parser: str = ""
    """Why the parser reads its records, and not the reader of columns."""

    @property
    def passed(self) -> int:
        """Number of the steps that passed."""
        return next((number for number, step in enumerate(STEPS) if step in self.reasons), len(STEPS))


def rows_of(folder: Path, scratch: Path) -> list[Row]:
    """A row for each spec in a folder; what is made of them is written to another one."""
    builder, out = Builder(), scratch / "built"
    _command("build", "--formats", folder, "--out", out)
    builder.make(folder)
    assert builder.selection is not None
    rows = [*_rows(folder, builder.selection)]
    for row in rows:
        if not row.reasons:
            _try(row, "load", lambda row=row: catalog.load(str(out / row.id)).parser)
    built = [row for row in rows if not row.reasons]
    for row in built:
        _try(row, "formats", lambda row=row: _command("formats", out / row.id))
        spec = catalog.load(str(out / row.id))
        row.by_parser = RecordPlan(spec, arguments=(0,) * len(spec.layout.params)).reason
    for row in built:
        if not row.reasons:
            _try(row, "explain", lambda row=row: _explain(row, out, scratch))
    pages = scratch / "pages"
    failed = _reason(lambda: _command("docs", pages, "--specs", out)) if built else ""
    for row in built:
        if not (pages / f"{row.id}.html").is_file():
            row.reasons["docs"] = failed or "has no page"
    return rows


def _rows(folder: Path, selection: Selection) -> Iterator[Row]:
    for path in sorted(folder.rglob("*.ksy")):
        place = path.relative_to(folder).with_suffix("").as_posix()
        row = Row(place, path.stem)
        problems = selection.faults.get(place, [])
        if problems:
            row.reasons["build"] = "; ".join(f"{one.line}:{one.column}: {one.text}" for one in problems)
        yield row


def _explain(row: Row, out: Path, scratch: Path) -> None:
    for number, data in enumerate(_RECORDS):
        path = scratch / f"record{number}.bin"
        path.write_bytes(data)
        words = ("--spec", out / row.id, "--framing", "fixed", "--record-length", len(data))
        json.loads(_command("explain", path, *words, "--json"))  # with what is wrong in it, as an error too


def _try(row: Row, step: str, run: Callable[[], Any]) -> None:
    if reason := _reason(run):
        row.reasons[step] = reason


def _reason(run: Callable[[], Any]) -> str:
    """Why something fails, empty when it does not; it ends when it takes too long."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"takes more than {_SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SECONDS)
    try:
        run()
    except _FailedError as error:
        return str(error)
    except Exception as error:  # whatever it is, it is the reason
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return ""


class _FailedError(Exception):
    """A command ended with an error."""


def _command(*words: object) -> str:
    """What a command prints; it may say that something is wrong in a spec or in a record."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([*map(str, words)])
        except SystemExit as end:
            code = int(str(end.code))
    if code and not out.getvalue() and words[0] != "build":
        raise _FailedError(next(iter(err.getvalue().splitlines()), f"exit code {code}"))
    return out.getvalue()


def table(rows: list[Row]) -> str:
    """The rows as text, with a line for each reason and a line of sums."""
    width = max((len(row.place) for row in rows), default=0)
    lines = [f"{'spec':{width}}  {'  '.join(STEPS)}"]
    for row in rows:
        # A step behind one that failed is not tried; only pages are made for all that load.
        marks = ["no" if step in row.reasons else "-" if _is_left_out(row, step) else "yes" for step in STEPS]
        cells = (f"{mark:{len(step)}}" for mark, step in zip(marks, STEPS, strict=True))
        lines.append(f"{row.place:{width}}  {'  '.join(cells)}".rstrip())
        lines += [f"    {step}: {reason}" for step, reason in row.reasons.items()]
        lines += [f"    by the parser: {row.by_parser}"] if row.by_parser else []
    sums = ", ".join(f"{step} {sum(_has(row, step) for row in rows)}" for step in STEPS)
    return "\n".join([*lines, f"{len(rows)} specs: {sums}, column-wise {by_column(rows)}"]) + "\n"


def by_column(rows: list[Row]) -> int:
    """How many specs the reader of columns reads."""
    return sum(_has(row, "load") and not row.by_parser for row in rows)


def _is_left_out(row: Row, step: str) -> bool:
    needed = ("build", "load") if step in ("formats", "docs") else STEPS[: STEPS.index(step)]
    return any(earlier in row.reasons for earlier in needed if earlier != "docs")


def _has(row: Row, step: str) -> bool:
    return step not in row.reasons and not _is_left_out(row, step)


def main() -> int:
    """Print the table; returns 1 when a step fails without an error that lmparse defines, or when the parser reads more
    than one of five specs."""
    parser = argparse.ArgumentParser(description="What lmparse makes of all specs of a folder.", allow_abbrev=False)
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    with tempfile.TemporaryDirectory() as scratch:
        rows = rows_of(folder, Path(scratch))
    print(table(rows), end="")
    if by_column(rows) * 5 < sum(_has(row, "load") for row in rows) * 4:
        return 1
    return int(any(not is_defined(step, reason) for row in rows for step, reason in row.reasons.items()))


def is_defined(step: str, reason: str) -> bool:
    """Whether a reason is an error of lmparse, not of the program."""
    return step == "build" or bool(re.search(r"\[LMP-[A-Z][0-9]{3}\]$", reason))


if __name__ == "__main__":
    sys.exit(main())
