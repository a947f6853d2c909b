"""Readings of a Log Master log in one form, so that they can be compared with each other and with what was written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from lmparse.errors import DataError, LmparseError
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file, open_resumed, save_checkpoint
from lmparse.logs.partitions import Request, UnreadFile
from lmparse.options import Options

Row = dict[str, Any]
ENGINES = ("kaitai", "columnar")
_SHOWN = 3
"""Most rows of a difference that are shown."""


@dataclass
class Reading:
    """What one way of reading gave."""

    rows: list[Row] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    ended: str = ""
    """The error that ended it."""
    unread: list[str] = field(default_factory=list)
    """Files of which nothing could be read."""

    @property
    def codes(self) -> Counter[str]:
        return Counter(error["code"] for error in self.errors)


def printed(paths: Sequence[Path], engine: str, **options: Any) -> Reading:
    """The lines that `changes` prints."""
    return printed_by(paths, read_options({**options, "engine": engine}))


def printed_by(paths: Sequence[Path], options: Options) -> Reading:
    """The same by parsed options; a checkpoint among them is saved."""
    found, errors = Reading(), list[LmparseError]()
    try:
        log = open_resumed([str(path) for path in paths], options, on_error=errors.append)
        texts = lines.printed(log, with_changes=True)
        found.rows = [json.loads(line) for text in texts for line in text.splitlines()]
        if options.checkpoint and not errors:
            save_checkpoint(log)
        found.left_out = {what: count for what, count in log.left_out.items() if count}
        found.notices = list(log.tally.notices)
    except LmparseError as error:
        found.ended = str(error)
    found.errors = sorted_errors(errors)
    return found


def by_parts(paths: Sequence[Path], part_bytes: int, **options: Any) -> Reading:
    """The same by tasks of Spark, each with a part of the log; paths may be folders."""
    found, errors = Reading(), list[LmparseError]()
    left_out = Counter[str]()
    try:
        for part in Request(tuple(map(str, paths)), read_options(options), True, part_bytes).parts():
            if isinstance(part, UnreadFile):
                found.unread.append(part.path)
                continue
            log = part.open()
            found.notices += log.tally.notices
            found.rows += _rows(log, part.span)
            errors += log.tally.errors
            left_out.update(log.left_out)
    except LmparseError as error:
        found.ended = str(error)
    found.errors, found.left_out = sorted_errors(errors), {what: count for what, count in left_out.items() if count}
    return found


def by_spans(path: Path, part_bytes: int, **options: Any) -> Reading:
    """The same by ranges of bytes of one file."""
    found, errors, parsed = Reading(), list[LmparseError](), read_options(options)
    left_out = Counter[str]()
    try:
        whole = open_resumed([str(path)], parsed)
        for settings, span in whole.change_parts(part_bytes):
            log = open_file(str(path), parsed, settings=settings, on_error=errors.append)
            found.rows += _rows(log, span)
            left_out.update(log.left_out)
    except LmparseError as error:
        found.ended = str(error)
    found.errors, found.left_out = sorted_errors(errors), {what: count for what, count in left_out.items() if count}
    return found


def _rows(log: Any, span: Any) -> Iterator[Row]:
    for many in lines.change_lines(log, span):
        for one in many:
            yield from (json.loads(text) for text in one.batch.column(0).to_pylist() if text)


def sorted_errors(errors: Iterable[LmparseError]) -> list[dict[str, Any]]:
    """Errors in one order."""
    found = [error.to_dict() if isinstance(error, DataError) else {"code": error.code, "message": str(error)}
             for error in errors]  # fmt: skip
    return sorted(found, key=lambda error: json.dumps(error, sort_keys=True))


def plain(row: Mapping[str, Any]) -> Row:
    """A row without the place of its record."""
    return {name: value for name, value in row.items() if name != "_metadata"}


def expect_rows(what: str, found: Sequence[Row], wanted: Sequence[Row], *, in_order: bool = False) -> None:
    """Raise AssertionError with the first rows that are lost, too many or other ones."""
    ours, theirs = [_text(row) for row in found], [_text(row) for row in wanted]
    if ours == theirs or (not in_order and sorted(ours) == sorted(theirs)):
        return
    lost, more = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
    shown = [f"{len(ours)} rows, not {len(theirs)}"]
    for one, other in list(zip_longest(sorted(lost.elements()), sorted(more.elements())))[:_SHOWN]:
        shown.append(f"lost {_cut(one)}\nmore {_cut(other)}")
    if not lost and not more:
        shown.append("in another order")
    raise AssertionError(f"{what}: " + "\n".join(shown))


def expect_same(what: str, one: Reading, other: Reading, *, in_order: bool = True) -> None:
    """Raise AssertionError where two readings differ in rows, errors, what they left out or how they ended."""
    if one.ended or other.ended:
        assert one.ended == other.ended, f"{what}: {one.ended or 'did not end'} / {other.ended or 'did not end'}"
        return
    expect_rows(what, one.rows, other.rows, in_order=in_order)
    ours, theirs = ([json.dumps(error, sort_keys=True) for error in reading.errors] for reading in (one, other))
    lost, more = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
    assert lost == more, f"{what}: errors lost {[*lost][:_SHOWN]}, more {[*more][:_SHOWN]}"
    assert one.left_out == other.left_out, f"{what}: left out {one.left_out} / {other.left_out}"


def _text(row: Row) -> str:
    return json.dumps(row, sort_keys=True)


def _cut(text: str | None) -> str:
    return "nothing" if text is None else text[:600]
