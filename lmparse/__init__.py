"""lmparse reads Db2 change logs in the formats of their vendors.

    import lmparse

    log = lmparse.open_log("payroll.dat")  # and the control file beside it
    for change in log.changes():
        print(change["op"], change["table_name"], change["after"])

Programs import from this module and from `lmparse.spark`; everything else is internal. Names are loaded at their first
use: the build step imports this package before any parser has been generated, and Ctrl-C in here, before `__main__`
begins, would end the command `lmparse` with a traceback.
"""

from __future__ import annotations

from lmparse.version import VERSION

TYPE_CHECKING = False  # loading `typing` would take longer than all of this module
if TYPE_CHECKING:
    from typing import Any

    from lmparse.columnar.filters import Filter
    from lmparse.errors import (
        ControlError,
        DataError,
        EngineDifferenceError,
        FileLimitError,
        FramingError,
        InvalidValueError,
        LeftoverError,
        LimitError,
        LmparseError,
        NotInstalledError,
        OptionError,
        ReadError,
        RecordError,
        TableNotFoundError,
        TruncatedError,
        UnknownFormatError,
    )
    from lmparse.export.land import Landed, land
    from lmparse.logs.arrow import read_table
    from lmparse.logs.log import Log, open_log, read_changes
    from lmparse.logs.open import parse
    from lmparse.logs.sniff import Sniffed, sniff
    from lmparse.review.explain.search import Explained, explain
    from lmparse.review.summary import Summarized, summary

__version__ = VERSION

__all__ = [
    "ControlError",
    "DataError",
    "EngineDifferenceError",
    "Explained",
    "FileLimitError",
    "Filter",
    "FramingError",
    "InvalidValueError",
    "Landed",
    "LeftoverError",
    "LimitError",
    "LmparseError",
    "Log",
    "NotInstalledError",
    "OptionError",
    "ReadError",
    "RecordError",
    "Sniffed",
    "Summarized",
    "TableNotFoundError",
    "TruncatedError",
    "UnknownFormatError",
    "explain",
    "land",
    "open_log",
    "parse",
    "read_changes",
    "read_table",
    "sniff",
    "summary",
]

_HOMES = {
    name: module
    for module, names in (
        ("columnar.filters", "Filter"),
        ("errors", "ControlError DataError EngineDifferenceError FileLimitError FramingError InvalidValueError"),
        ("errors", "LeftoverError LimitError LmparseError NotInstalledError OptionError ReadError RecordError"),
        ("errors", "TableNotFoundError TruncatedError UnknownFormatError"),
        ("export.land", "Landed land"),
        ("logs.arrow", "read_table"),
        ("logs.log", "Log open_log read_changes"),
        ("logs.open", "parse"),
        ("logs.sniff", "Sniffed sniff"),
        ("review.explain.search", "Explained explain"),
        ("review.summary", "Summarized summary"),
    )
    for name in names.split()
}
"""Modules of the names that are loaded at their first use."""


def __getattr__(name: str) -> Any:
    """A name of `_HOMES`, stored here for the next use.

    Raises OptionError LMP-S005 if the name needs a package that is not installed.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from lmparse.errors import not_installed

    try:
        module = import_module(f"lmparse.{_HOMES[name]}")
    except ImportError as error:
        raise not_installed(error) from None
    value = globals()[name] = getattr(module, name)
    return value
