"""Writing: what commands show while they read a log or file and write what is in it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from lmparse.cli.messages import GOOD, ErrorPrinter, fail, message
from lmparse.errors import DataError
from lmparse.export.progress import Progress
from lmparse.terminal import unchanged


class ShownWork:
    """A line with the progress, and the errors of records above it. DataError ends the work and is reported."""

    def __init__(self, show_errors: int, not_written: str) -> None:
        """`not_written` is what is said below an error that ends the work."""
        self.progress, self._errors = Progress(unchanged(sys.stderr)), ErrorPrinter(show_errors)
        self._not_written = not_written
        self.code = GOOD
        """The exit code of an error that ended the work."""

    def on_error(self, error: DataError) -> None:
        """Print an error."""
        self.progress.clear()
        self._errors(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.progress.clear()
        is_reported = isinstance(error, DataError)
        if isinstance(error, DataError):
            self.code = fail(error)
            message(self._not_written)
        self._errors.total()
        return is_reported
