"""Exit codes, as the manual lists them."""

from __future__ import annotations

from lmparse.errors import EngineDifferenceError, LeftoverError, LmparseError, OptionError, UnknownFormatError

GOOD, USAGE, DATA, DIFFERENCE, LEFTOVER, INTERRUPTED = 0, 2, 20, 24, 31, 130


def code_of(error: LmparseError) -> int:
    """The exit code of a command that an error ends."""
    if isinstance(error, OptionError | UnknownFormatError):
        return USAGE
    if isinstance(error, LeftoverError):
        return LEFTOVER
    return DIFFERENCE if isinstance(error, EngineDifferenceError) else DATA
