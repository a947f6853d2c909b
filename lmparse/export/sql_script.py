"""SQL scripts: the changes of a log as statements, in the order of their commits or, to take them back, from the last.

A script that takes back is written from its end: its lines are made in the order of the log and wait in a temporary
file, in memory while they are few.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, OptionError
from lmparse.export.sql_literals import comment
from lmparse.export.sql_statements import Direction, Refusal, Rules, ScriptLine, StatementWriter
from lmparse.framing.extents import RecordExtent

_IN_MEMORY = 8 << 20
"""Bytes of lines that wait in memory."""
_SIZE_BYTES = 8
_SEPARATOR = "\x1f"
"""Stands between transaction and statement of a line that waits; neither of them has it."""


@dataclass
class SqlScript:
    """The lines of a script, and what is counted of them."""

    log: ChangeLog
    """Its option `order` is `commit`."""
    rules: Rules
    statements: int = 0
    guarded: int = 0
    """How many of these change nothing if several rows have the same values, since no key is known."""
    refused: Counter[Refusal] = field(default_factory=Counter)
    """Comments in place of a statement, by reason."""
    fault: DataError | None = None
    """Damage that ended reading."""

    def lines(self) -> Iterator[str]:
        """The lines: statements, comments in place of statements, and a comment in front of each transaction.

        Raises LmparseError in mode failfast, before the first line of a script that takes back.
        """
        found = self._in_order() if self.rules.direction is Direction.REDO else _reversed(self._in_order())
        before = ""
        for transaction, text in found:
            if transaction and transaction != before:
                yield comment(transaction)
            before = transaction or before
            yield text

    def _in_order(self) -> Iterator[tuple[str, str]]:
        """Transaction and text of each line, in the order of the log."""
        for line in self._script_lines():
            if line.refusal is None:
                self.statements += 1
                self.guarded += line.is_guarded
            else:
                self.refused[line.refusal] += 1
            yield line.transaction, line.text
        if self.fault is not None:
            yield "", comment(f"what is behind this is not in the script: {self.fault}")

    def _script_lines(self) -> Iterator[ScriptLine]:
        writer = StatementWriter(self.rules, self._place)
        self.log.keeps_bad_records = True
        try:
            for change in self.log.typed_changes():
                yield from self._bad_records()
                yield writer.line(change)
        except DataError as error:
            if self.log.options.mode == "failfast":
                raise
            self.fault = error
        yield from self._bad_records()

    def _place(self, extent: RecordExtent) -> str:
        """Where a record is, as errors say it; with its file if there are several."""
        origin = self.log.origin
        known = origin.metadata(extent)
        file = "" if origin.joined is None else f"{known['file']}: "
        return f"{file}record {known['record_index']} at {known['record_offset']:#x}"

    def _bad_records(self) -> Iterator[ScriptLine]:
        found = [*self.log.bad_records]
        self.log.bad_records.clear()
        for extent, error in found:
            name = ".".join(word for word in (error.spec, error.field) if word)
            text = ": ".join(filter(None, (self._place(extent), "cannot be read", name, error.says())))
            yield ScriptLine(comment(f"{text} [{error.code}]"), Refusal.BAD_RECORD)


def _reversed(lines: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Lines from the last to the first. Raises OptionError LMP-S022 if they do not fit on the disk."""
    try:
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            for line in lines:
                raw = _SEPARATOR.join(line).encode()
                file.write(raw + len(raw).to_bytes(_SIZE_BYTES, "big"))
            yield from _read_back(file)
    except OSError as error:
        raise OptionError(f"{tempfile.gettempdir()}: {error.strerror}", code="LMP-S022") from None


def _read_back(file: IO[bytes]) -> Iterator[tuple[str, str]]:
    place = file.tell()
    while place:
        file.seek(place - _SIZE_BYTES)
        size = int.from_bytes(file.read(_SIZE_BYTES), "big")
        place -= _SIZE_BYTES + size
        file.seek(place)
        transaction, _, text = file.read(size).decode().partition(_SEPARATOR)
        yield transaction, text
