"""lmparse reads Db2 change logs that are locked in vendor formats.

    import lmparse

    log = lmparse.open_log("payroll.dat", control="payroll.ctl")
    for change in log.changes():
        print(change["op"], change["table_name"], change["after"])

Nothing of pyspark or pyarrow is loaded by this import; `lmparse.spark` is.
"""

import pathlib
import typing

from lmparse.errors import (
    ControlError,
    DataError,
    EngineDifferenceError,
    FramingError,
    InvalidValueError,
    LeftoverError,
    LmparseError,
    OptionError,
    RecordError,
    TableNotFoundError,
    TruncatedError,
    UnknownFormatError,
)
from lmparse.opening import open_log, parse
from lmparse.sniffing import sniff

if typing.TYPE_CHECKING:
    from lmparse.explaining import Explained

__version__ = "0.1.0"

__all__ = [
    "ControlError",
    "DataError",
    "EngineDifferenceError",
    "FramingError",
    "InvalidValueError",
    "LeftoverError",
    "LmparseError",
    "OptionError",
    "RecordError",
    "TableNotFoundError",
    "TruncatedError",
    "UnknownFormatError",
    "explain",
    "open_log",
    "parse",
    "sniff",
]


def explain(path: "str | pathlib.Path", record: int | str | None = None, **options: typing.Any) -> "Explained":
    """One record of a file, its bytes beside its fields, as `lmparse explain` shows it; a notebook shows a page.

    `record` counts from 0. `offset`, any byte of the file, or `lsn`, a place in the log, may be given in its place;
    see `lmparse.explaining.explain`.
    """
    from lmparse import explaining  # what shows a record is loaded when one is asked for

    return explaining.explain(path, record, **options)
