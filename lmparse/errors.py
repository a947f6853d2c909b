"""The errors that lmparse raises. `error_catalogue` explains their codes.

    LmparseError
      DataError                  the bytes are wrong
        FramingError    LMP-F    records cannot be cut out of the file
          TruncatedError         ... because the file ends inside one (also EOFError)
          LeftoverError          ... because the bytes behind the last record are not a record
        RecordError     LMP-R    one record is not what its kind should be
        InvalidValueError LMP-V  the value of one field is not valid (also ValueError)
        ControlError    LMP-C    the control file is wrong or says too little
        LimitError      LMP-L    more than `limits` allows
          FileLimitError         ... so that the file is not read from there on (also FramingError)
      OptionError       LMP-S    an option is unknown or has no such value (also ValueError)
        TableNotFoundError LMP-C ... because the log has no such table
      UnknownFormatError LMP-S   there is no such spec (also LookupError)
      EngineDifferenceError LMP-S two engines read the same bytes differently

All data errors have the same form and the same attributes, and can be pickled:

    a.bin: record 17 at 0x4c10: bmc_lldf.length: expected at least 277, found 12 [LMP-V003]
"""

from __future__ import annotations

from typing import Any

from lmparse.terminal import harmless, one_line


class LmparseError(Exception):
    """The base class of all errors of this library. Each error has a stable `code`, by default that of its class."""

    code = "LMP-S003"

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.hint = hint

    def __str__(self) -> str:
        """The error as one line without control characters, because values and names come from elsewhere."""
        text = f"{self._text()} [{self.code}]"
        # Only the faults of a spec have lines of their own.
        return harmless(text if self.code == "LMP-S008" else one_line(text))

    def _text(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, {k: v for k, v in vars(self).items() if k != "message"})


def _rebuild(cls: type[LmparseError], message: str, state: dict[str, Any]) -> LmparseError:
    # Exceptions pickle only positional arguments; code, hint and facts are keyword-only.
    error = cls.__new__(cls, message)
    error.args = (message,)
    vars(error).update(state, message=message)
    return error


class OptionError(LmparseError, ValueError):
    """An option is unknown, missing, or has a value it cannot take."""


class NotInstalledError(OptionError, ImportError):
    """A package of an extra is not installed; programs that look for the package catch ImportError."""

    code = "LMP-S005"


class TableNotFoundError(OptionError):
    """The log has neither a change nor a description of the table requested."""

    tables: frozenset[str] = frozenset()
    """The tables of the log, if known."""


class UnknownFormatError(LmparseError, LookupError):
    """There is no spec of this name."""

    code = "LMP-S001"


class EngineDifferenceError(LmparseError):
    """Two engines gave different values for the same bytes: an engine is wrong, not the data."""

    code = "LMP-S006"


class ReadError(LmparseError):
    """Bytes of a file that were there when it was opened cannot be read."""

    code = "LMP-F012"


class DataError(LmparseError):
    """The bytes are not what they should be. Offsets are in bytes.

    `record_offset` counts from the start of the file to the first byte of the record behind its descriptor word.
    `field_offset` counts from there to the field, as in the vendor's table; for a column (`after.SALARY`) it counts
    from the start of the row image.
    """

    def __init__(
        self,
        message: str = "",
        *,
        code: str,
        file: str | None = None,
        record_index: int | None = None,
        record_offset: int | None = None,
        field: str | None = None,
        field_offset: int | None = None,
        expected: str | None = None,
        found: str | None = None,
        hex: str | None = None,
        spec: str | None = None,
        doc_ref: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.file = file
        self.record_index = record_index
        self.record_offset = record_offset
        self.field = field
        self.field_offset = field_offset
        self.expected = expected
        self.found = found
        self.hex = hex
        self.spec = spec
        self.doc_ref = doc_ref

    def forget_frames(self) -> None:
        """Drop the frames in which the error was raised, because their data may be large."""
        self.__traceback__ = self.__context__ = self.__cause__ = None

    def _text(self) -> str:
        parts = []
        if self.file is not None:
            parts.append(self.file)
        if self.record_index is not None:
            place = "" if self.record_offset is None else f" at {self.record_offset:#x}"
            parts.append(f"record {self.record_index}{place}")
        elif self.record_offset is not None:
            parts.append(f"at {self.record_offset:#x}")
        name = ".".join(word for word in (self.spec, self.field) if word)
        if name:
            parts.append(name)
        parts.append(self.says())
        return ": ".join(parts)

    def says(self) -> str:
        """What is wrong, without file, record and field."""
        if self.expected is None:
            text = self.message or _title(self.code)
            return text if self.found is None else f"{text}: found {self.found}"
        facts = f"expected {self.expected}" + ("" if self.found is None else f", found {self.found}")
        return f"{self.message}: {facts}" if self.message else facts

    def at(self, **place: Any) -> DataError:
        """Set the attributes of `place` that are still None; returns the error itself."""
        for name, value in place.items():
            if getattr(self, name) is None:
                setattr(self, name, value)
        return self

    def of_log(self, log: str) -> DataError:
        """The error as an error of a log: itself, or, for a file that describes the log, an error that quotes it."""
        if self.file in (None, log):
            return self.at(file=log)
        text = f"what describes it cannot be used: {self._text()}"
        return DataError(text, code=self.code, hint=self.hint, file=log)

    def to_dict(self) -> dict[str, Any]:
        """The error as one flat object for JSON, reports and Spark."""
        return {name: getattr(self, name) for name in _KEYS} | {"message": self.says()}


def _title(code: str) -> str:
    """The catalogue's title of an error, imported late: few errors need it, but every program imports this module."""
    from lmparse.error_catalogue import CATALOGUE

    return CATALOGUE[code].title


class FramingError(DataError):
    """The file cannot be cut into records here."""


class TruncatedError(FramingError, EOFError):
    """The file ends inside a record."""


class LeftoverError(FramingError):
    """Bytes that are not a record follow whole records."""


class RecordError(DataError):
    """A record is not what its kind should be."""


class InvalidValueError(DataError, ValueError):
    """The bytes of a field are not a value of its type."""


class ControlError(DataError):
    """The control file is damaged, contradicts the data, or is incomplete."""


class LimitError(DataError):
    """Something is larger than a limit allows; the message names the limit."""


class FileLimitError(LimitError, FramingError):
    """A limit ends the reading of a file, as damaged framing does."""


def not_installed(error: ImportError, extra: str = "arrow") -> NotInstalledError:
    """The error LMP-S005 for a missing package of an extra. Raises `error` if a module of lmparse is missing."""
    if (error.name or "lmparse").partition(".")[0] == "lmparse":
        raise error
    return NotInstalledError(f"{error.name} is not installed", hint=f"pip install 'lmparse[{extra}]'")


_KEYS = ("code", "message", *(DataError.__init__.__kwdefaults__ or ()))
"""Keys of `to_dict`, in this order: the facts are the parameters of DataError."""
