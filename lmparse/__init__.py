"""lmparse reads Db2 change logs that are locked in vendor formats.

    import lmparse

    log = lmparse.open_log("payroll.dat", control="payroll.ctl")
    for change in log.changes():
        print(change["op"], change["table_name"], change["after"])

Nothing of pyspark or pyarrow is loaded by this import; `lmparse.spark` is.
"""

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
    "open_log",
    "parse",
    "sniff",
]
