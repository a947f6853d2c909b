"""Key values: values of columns as text that two values have in common where Db2 finds them equal."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from lmparse.errors import OptionError
from lmparse.spelling import quoted
from lmparse.values.sql_types import TableColumn

_MOST_DIGITS = 10_000
"""Most digits of a number, and most zeros around them; a DECFLOAT has less."""
_DATE = r"\d{4}-\d\d-\d\d"
_CLOCK = r"(\d\d)[.:](\d\d)[.:](\d\d)"
_TIMES = {
    "date": re.compile(f"({_DATE})").fullmatch,
    "time": re.compile(_CLOCK).fullmatch,
    "timestamp": re.compile(rf"({_DATE})[T -]{_CLOCK}(\.\d{{1,12}})?").fullmatch,
    "timestamp_tz": re.compile(rf"({_DATE})[T -]{_CLOCK}(\.\d{{1,12}})?([+-]\d\d:\d\d)").fullmatch,
}


def comparable(value: Any, form: str) -> str | None:
    """A value of a column of a form as text; None for null. Raises ValueError for a number of too many digits."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return value.hex().upper()
    if form in ("decimal", "decfloat"):
        return _digits(Decimal(value))
    text = str(value)
    if form in ("timestamp", "timestamp_tz"):
        end = len(text) - 6 * (form == "timestamp_tz")
        return text[:19] + text[19:end].rstrip("0").rstrip(".") + text[end:]
    return text.rstrip(" ")  # blanks at the end do not count


def parsed(text: str, column: TableColumn) -> str:
    """A value that a user has written, as `comparable` gives it. Raises OptionError LMP-S003 for text that is none."""
    form, shown = column.form, None
    # Python would read other digits, and a line between digits, as numbers.
    if form in ("text", "sas") or (text.isascii() and "_" not in text and len(text) <= _MOST_DIGITS):
        try:
            shown = comparable(_PARSERS[form](text), form)
        except (ValueError, KeyError, InvalidOperation):
            shown = None
    if shown is None:
        kind = "hexadecimal digits" if form in ("bytes", "raw") else f"a value of type {column.sql_words}"
        raise OptionError(f"key: {column.name} has no value {quoted(text)}", code="LMP-S003", hint=kind)
    return shown


def _digits(value: Decimal) -> str:
    if not value.is_finite():
        return str(value).lower()
    if abs(value.adjusted()) > _MOST_DIGITS:
        raise ValueError("a number of more digits than any column has")
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _moment(form: str) -> Callable[[str], str | None]:
    def parse(text: str) -> str | None:
        match = _TIMES[form](text)
        if match is None:
            return None
        if form == "time":
            return ":".join(match.groups())
        date, *rest = match.groups()
        clock = f"T{':'.join(rest[:3])}" if rest else ""
        return f"{date}{clock}" + "".join(part or "" for part in rest[3:])

    return parse


_PARSERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "decimal": Decimal,
    "decfloat": Decimal,
    "float": float,
    "boolean": lambda text: {"true": True, "false": False}[text.lower()],
    "bytes": bytes.fromhex,
    "raw": bytes.fromhex,
    "text": str,
    "sas": str,
    **{form: _moment(form) for form in _TIMES},
}
"""What reads the values of each form; values of other forms are not in a log."""
