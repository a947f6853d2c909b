"""Writing: what commands show while they read a log or file and write what is in it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from lmparse.cli.messages import GOOD, ErrorPrinter, fail, message
from lmparse.errors import DataError


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
