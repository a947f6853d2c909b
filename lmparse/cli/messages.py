"""What commands print, and their exit codes: data go to standard output, everything else to standard error."""

from __future__ import annotations

import errno
import re
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lmparse.errors import (
    DataError,
    EngineDifferenceError,
    LeftoverError,
    LmparseError,
    OptionError,
    UnknownFormatError,
)
from lmparse.storage.progress import shown_on
from lmparse.terminal import Streams, abandon, json_text, one_line, unchanged

if TYPE_CHECKING:
    from lmparse.records.files import Tally

_LONGEST = 10_000
"""Characters of a message."""
_CODE = re.compile(r" \[LMP-[A-Z][0-9]+\]$")
_CODE_LENGTH = 20
"""Characters at the end of a message among which its code is looked for."""
GOOD, USAGE, DATA, DIFFERENCE, LEFTOVER, INTERRUPTED = 0, 2, 20, 24, 31, 130


def exit_code(run: Callable[[], int]) -> int:
    """Run a command with the program's streams; also where it is interrupted, or they are closed or full."""
    with shown_on(unchanged(sys.stderr)) as clear, Streams(clear):
        try:
            try:
                code = run()
            except SystemExit as ended:  # behind the help, or by a signal, which waits for no reader
                if not ended.code:
                    sys.stdout.flush()
                raise
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # the reader of standard output has gone
            abandon(sys.stdout, sys.stderr)
            return 128 + signal.SIGPIPE
        except OSError as error:
            with suppress(OSError):
                fail(_named(error))
            abandon(sys.stdout, sys.stderr)
            return USAGE


def _named(error: OSError) -> LmparseError:
    """The error of the system that nothing has caught, with what it is of where the system names no file."""
    if error.filename is None and error.errno == errno.ENOENT:  # nothing else has no name and can be gone
        return OptionError("the current folder is gone", code="LMP-F001", hint="run it in a folder that is there")
    return OptionError(f"{error.filename or 'standard output'}: {error.strerror}", code="LMP-S022")


def print_json(row: Any) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json_text(row) + "\n")


def print_result(result: Any, *, as_json: bool) -> None:
    """Print a result as one line of JSON, or as its lines."""
    if as_json:
        print_json(result.to_dict())
    else:
        print_lines(result.lines())


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of text."""
    for line in lines:
        print(one_line(line))


def aligned(cells: Iterable[str], widths: Iterable[int]) -> str:
    """A line of a table: cells of some widths, to the right where these are negative; a longer cell moves the rest."""
    pairs = zip(cells, widths, strict=True)
    return "  ".join(cell.ljust(width) if width >= 0 else cell.rjust(-width) for cell, width in pairs).rstrip()


def message(text: str) -> None:
    """Print one line for the user; of a text with a very long value, the beginning."""
    more = ""
    if len(text) > _LONGEST:
        code = _CODE.search(text, len(text) - _CODE_LENGTH)
        more = f"... of {len(text)} characters{code.group() if code else ''}"
    sys.stderr.write(one_line(text[:_LONGEST]) + more + "\n")  # at once: threads of `serve` print too


def note(text: str) -> None:
    """Print what the user should know that is not an error."""
    message(f"note: {text}")


def report(error: LmparseError) -> None:
    """Print an error with its hint."""
    for line in str(error).split("\n"):
        message(line)
    if error.hint and error.hint not in error.message:
        message(f"  hint: {error.hint}")


class ErrorPrinter:
    """Prints errors up to a number, and counts the others: a damaged file may have one for every few bytes."""

    def __init__(self, most: int) -> None:
        self.most, self.count = most, 0
        self.is_ended = False
        """Whether an error has ended the reading."""

    def __call__(self, error: LmparseError) -> None:
        """Print an error, unless the limit is reached."""
        self.count += 1
        if self.count <= self.most:
            report(error)

    def total(self, count: int | None = None) -> None:
        """Print the number of all errors if some are not printed; `count` says it when not all have been passed."""
        found, printed = self.count if count is None else count, min(self.count, self.most)
        if found > printed:
            more = "; --show-errors prints more" if printed == self.most else ""
            message(f"errors: {found}, of which the first {printed} are printed{more}")


def fail(error: LmparseError) -> int:
    """Report an error that ends a command; returns the exit code."""
    report(error)
    if isinstance(error, OptionError | UnknownFormatError):
        return USAGE
    if isinstance(error, LeftoverError):
        return LEFTOVER
    return DIFFERENCE if isinstance(error, EngineDifferenceError) else DATA


def report_tally(tally: Tally, code: int = GOOD, left_out: Mapping[str, int] | None = None) -> int:
    """Print the notices on a file, and how many changes `include` leaves out by the state of their unit of recovery.

    Returns the exit code: `code` unless a record was bad.
    """
    for notice in tally.notices:
        note(notice)
    if tally.kept:
        message(f"bad records, whose rows have their bytes and no values: {tally.kept}")
    if tally.dropped > tally.kept:
        message(f"bad records without a row: {tally.dropped - tally.kept}")
    for state, count in sorted((left_out or {}).items()):
        message(f"left out: {count} {state}")
    return DATA if tally.error_count else code


class ShownWork:
    """The errors of records while something is written. DataError ends the work and is reported."""

    def __init__(self, show_errors: int, not_written: str) -> None:
        """`not_written` is what is said below an error that ends the work."""
        self.on_error, self._not_written = ErrorPrinter(show_errors), not_written
        self.code = GOOD
        """The exit code of an error that ended the work."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        is_reported = isinstance(error, DataError)
        if isinstance(error, DataError):
            self.code = fail(error)
            message(self._not_written)
        self.on_error.total()
        return is_reported
