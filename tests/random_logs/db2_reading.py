"""Readings of random Db2 LUW logs: whole, joined from files, and file by file behind a checkpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from writers.db2.wire import Raw

from lmparse.changes.log import ChangeLog
from lmparse.errors import LmparseError
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import open_resumed
from lmparse.storage.outputs import inputs_of, write_text
from lmparse.storage.processes import Run

ENGINES = ("columnar", "kaitai")
MOST_SHOWN = 3
"""Rows of a difference that are shown."""
_MOST_LETTERS = 400
_MOST_CUTS = 6
_MOST_SHARED = 8
"""Records that a file has of the one in front of it, at most."""


@dataclass
class Reading:
    """What one reading gave."""

    rows: list[dict[str, Any]]
    notes: list[str]
    errors: list[LmparseError]
    left_out: dict[str, int]
    """Changes that were not given, by reason."""

    @property
    def values(self) -> list[str]:
        """The rows without the files that they are in, as text."""
        return [json.dumps({key: row[key] for key in row if key != "_metadata"}, sort_keys=True) for row in self.rows]

    def said(self) -> list[str]:
        """Everything that was said, in any order: engines may find it in different orders."""
        return sorted([*self.notes, *map(str, self.errors)])


def opened(
    paths: Sequence[Path],
    options: dict[str, Any],
    part_bytes: int | None = None,
    run: Run | None = None,
    errors: list[LmparseError] | None = None,
) -> ChangeLog:
    """Files as one log; errors of records go into a list. The rest is as `read` has it."""
    on_error = None if errors is None else errors.append
    log: Any = open_resumed(list(map(str, paths)), read_options({"spec": "db2_log", **options}), on_error=on_error)
    if part_bytes is not None:
        log._part_bytes, log.run = part_bytes, run
    assert isinstance(log, ChangeLog)
    return log


def read(
    paths: Sequence[Path],
    options: dict[str, Any],
    engine: str,
    checkpoint: Path | None = None,
    part_bytes: int | None = None,
    run: Run | None = None,
) -> Reading:
    """Read files as one log, with committed changes in the order of commits; raises as lmparse does.

    With a checkpoint, what is behind it is read, and it is replaced as `changes --checkpoint` does. With `part_bytes`,
    the log is indexed in parts of that many bytes, with `run` in other processes.
    """
    errors: list[LmparseError] = []
    state = {} if checkpoint is None else {"checkpoint": str(checkpoint)}
    log = opened(paths, {"order": "commit", **options, "engine": engine, **state}, part_bytes, run, errors)
    rows = [json.loads(line) for text in lines.printed(log, with_changes=True) for line in text.splitlines()]
    if checkpoint is not None:
        write_text(checkpoint_behind(log).to_json(), checkpoint_place(log.options, inputs_of(list(map(str, paths)))))
    return Reading(rows, list(log.tally.notices), errors, dict(log.left_out))


def attempt(
    paths: Sequence[Path], options: dict[str, Any], engine: str, checkpoint: Path | None = None
) -> Reading | LmparseError:
    """The same, or the error with which lmparse refuses it."""
    try:
        return read(paths, options, engine, checkpoint)
    except LmparseError as error:
        return error


def both_engines(path: Path, options: dict[str, Any]) -> Reading:
    """What both engines give of a whole log, once they agree in rows, notes, errors and what is left out."""
    one, other = (read([path], options, engine) for engine in ENGINES)
    same("rows of the engines", one.values, other.values)
    same("notes of the engines", one.said(), other.said())
    assert one.left_out == other.left_out, f"left out by the engines: {one.left_out}, {other.left_out}"
    return one


def same(what: str, wanted: Sequence[str], found: Sequence[str]) -> None:
    """Raise AssertionError with what is lost and what is more, if two lists differ."""
    if list(wanted) == list(found):
        return
    lost, more = ([_short(one) for one in own if one not in other] for own, other in ((wanted, found), (found, wanted)))
    order = "" if lost or more else ", in another order or not as often"
    raise AssertionError(
        f"{what}: {len(wanted)} and {len(found)}{order}\nlost: {lost[:MOST_SHOWN]}\nmore: {more[:MOST_SHOWN]}"
    )


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"


class Stretch(NamedTuple):
    """Records of a log from a number on, up to another one."""

    begin: int
    end: int

    def file(self, records: Sequence[Raw], path: Path) -> Path:
        path.write_bytes(b"".join(records[self.begin : self.end]))
        return path


def stretches(chance: Random, count: int, style: str = "plain", turns: Sequence[int] = ()) -> list[Stretch]:
    """Cuts of a log of `count` records, some at its turns, if it has any.

    `overlap`: with records of the file in front; `grow`: from the start on.
    """
    places = turns if len(turns) > 1 and chance.random() < 0.5 else range(1, count)
    cuts = sorted(chance.sample(places, min(chance.randrange(1, _MOST_CUTS), len(places)))) if count > 1 else []
    found = []
    for begin, end in zip([0, *cuts], [*cuts, count], strict=True):
        if style == "overlap" and chance.random() < 0.6:
            begin = max(0, begin - chance.randrange(_MOST_SHARED))
        found.append(Stretch(0 if style == "grow" else begin, end))
    return found


def early_file(cuts: Sequence[Stretch]) -> int:
    """The number of the first file that begins in front of the one before and those that this one overlaps, and goes
    on behind it: it is refused. Without one, the number of files."""
    for number in range(1, len(cuts)):
        begin = cuts[number - 1].begin
        for cut in reversed(cuts[: number - 1]):
            begin = min(begin, cut.begin) if cut.end > begin else begin
        if cuts[number].begin < begin:
            return number
    return len(cuts)


def written(folder: Path, records: Sequence[Raw], cuts: Sequence[Stretch], name: str) -> list[Path]:
    """A file of each stretch."""
    return [cut.file(records, folder / f"{name}{number}.log") for number, cut in enumerate(cuts)]


def placed_errors(said: Sequence[str], starts: dict[str, int]) -> set[tuple[int, str]]:
    """The offset in the whole log, and the code, of the errors of single records; `starts` has those of the files."""
    found = set()
    for text in said:
        match = re.search(r"([^\s/]+): record \d+ at (0x[0-9a-f]+).*\[(LMP-\w+)\]", text)
        if match is not None:
            found.add((starts[match[1]] + int(match[2], 16), match[3]))
    return found
