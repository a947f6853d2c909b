"""Columns of tables that are landed, for both families: their types, and values that Db2 compares as different."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

NAN = float("nan")
NEXT_DAY = "2026-03-15T00:00:00"
_LONG = "a" * 33
"""A text of more characters than Delta tables state of one."""


@dataclass(frozen=True)
class Kind:
    """A type of columns, and values of it."""

    db2: str
    bmc: tuple[str, int, int] | None
    """LLCOLUMNTYPE, LLCOLUMNLEN and LLSCALE; None where the type is not taken for Log Master."""
    values: tuple[tuple[Any, ...], ...]
    """No two are equal in Db2; those of one tuple are, and are another text or another number of the log."""
    is_bytes: bool = False


def _each(*values: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple((value,) for value in values)


_TEXTS = (("", " "), ("x", "x  "), *_each(_LONG, f"{_LONG}a", f"{_LONG}b", "a" * 32, "'; --", "Z" * 80))
_DAYS = ("0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "2026-03-14", "2026-03-15", "9999-12-30")
_MOMENTS = (
    "0001-01-01T00:00:00", "1969-12-31T23:59:59", NEXT_DAY, "2026-03-14T12:00:00", "2026-03-14T12:00:01",
    "9999-12-31T24:00:00", "2262-04-12T00:00:00",
)  # fmt: skip

KINDS = {
    "small": Kind("SMALLINT", ("INT", 2, 0), _each(-(1 << 15), -1, 0, 1, 2, 3, (1 << 15) - 1)),
    "integer": Kind("INTEGER", ("INT", 4, 0), _each(-(1 << 31), -1, 0, 1, 2, 3, 4, (1 << 31) - 1)),
    "big": Kind("BIGINT", ("INT", 8, 0), _each(-(1 << 63), -1, 0, 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1)),
    "decimal": Kind("DECIMAL(9,2)", ("DEC", 9, 2), _each(*map(Decimal, (
        "0", "0.01", "-0.01", "1", "1.5", "9999999.99", "-9999999.99")))),
    "long decimal": Kind("DECIMAL(31,4)", ("DEC", 31, 4), _each(*map(Decimal, (
        "0", "0.0001", "123456789012345678901234567", "123456789012345678901234567.0001", "-1", "1", "2")))),
    "real": Kind("REAL", ("FLOT", 4, 0), _each(0.0, 1.0, -1.5, 0.15625, 2.0, 3.0, 4096.0)),
    "double": Kind("DOUBLE", ("FLOT", 8, 0), _each(0.0, 1.0, -118.625, 0.5, 2.0, 3.0, 1048576.25)),
    "double with NaN": Kind("DOUBLE", None, ((NAN,), (0.0, -0.0), *_each(1.0, float("inf")))),
    "decfloat": Kind("DECFLOAT(16)", None, (("NaN",), ("1", "1.00"), *_each("0", "-7E+80", "2", "3", "1.5"))),
    "date": Kind("DATE", ("DATE", 10, 0), _each(*_DAYS)),
    "time": Kind("TIME", ("TIME", 8, 0), _each(
        "00:00:00", "24:00:00", "12:00:00", "23:59:59", "00:00:01", "01:00:00", "02:00:00")),
    "seconds": Kind("TIMESTAMP(0)", ("DTTM", 19, 0), _each(*_MOMENTS)),
    "moment": Kind("TIMESTAMP(6)", ("DTTM", 26, 0), _each(*_MOMENTS, "2026-03-14T12:00:00.000001")),
    "char": Kind("CHAR(6)", ("CHAR", 6, 0), _each("", "a", " a", "b", "ab", "abcdef", "ABCDEF")),
    "text": Kind("VARCHAR(80)", ("VCHR", 80, 0), _TEXTS),
    "long text": Kind("VARCHAR(80)", ("VCHR", 80, 0), _each(
        "a" * 32, _LONG, f"{_LONG}a", f"{_LONG}b", "a" * 40, f"{'a' * 40}b", "a" * 80)),
    "unicode": Kind("VARCHAR(160)", ("VCHR", 160, 0), _each(
        "é" * 33, "é" * 32, "日" * 40, f"{'日' * 40}本", "\U0010ffff" * 33, "\ud7ff" * 33, "\U00020000", "")),
    "bytes": Kind("CHAR(4) FOR BIT DATA", ("CHAR", 4, 0), _each(
        b"\0\0\0\0", b"abcd", b"\xff\xff\xff\xff", b"\x80\0\0\1", b"\0\0\0\1", b"    ", b"\1\2\3\4"), True),
    "varying bytes": Kind("VARCHAR(40) FOR BIT DATA", ("VCHR", 40, 0), _each(
        b"", b"\0", b"x", b"\xff" * 40, b"\xff" * 39, b"\x80", b"a" * 33), True),
    "boolean": Kind("BOOLEAN", None, _each(False, True)),
}  # fmt: skip
"""By name. Values of types with fractions of a second of seven digits and more are not keys of current tables."""

_HARD = ("text", "long text", "unicode", "double with NaN", "char", "decimal")
"""Types of which Delta tables state no bounds, or others than the values: half of the columns of keys are of these."""
_OLD = frozenset(KINDS) - {"decfloat", "boolean"}


@dataclass(frozen=True)
class Field:
    """A column of a table, of the key or not."""

    name: str
    kind: Kind
    is_key: bool = False
    is_nullable: bool = False


Values = dict[str, Any]


def key_fields(chance: random.Random, names: Sequence[str]) -> list[Field]:
    """The columns of a key: mostly one."""
    count = chance.choice((1, 1, 1, 2, 3))
    hard = [name for name in _HARD if name in names]
    return [
        Field(
            f"K{number}",
            KINDS[chance.choice(chance.choice((hard, names)))],
            is_key=True,
            is_nullable=chance.random() < 0.2,
        )
        for number in range(count)
    ]


def kinds_for(family: str, generation: str = "", is_unicode: bool = True) -> list[str]:
    """Names of the types that a log may have."""
    found = [name for name in KINDS if family == "db2" or KINDS[name].bmc is not None]
    found = [name for name in found if generation in ("", "v10") or name in _OLD]
    return [name for name in found if is_unicode or name != "unicode"]


def keys(chance: random.Random, fields: Sequence[Field], most: int = 7) -> list[list[Values]]:
    """Values of the key that Db2 compares as different, each as what is equal to it in Db2."""
    choices = [[*field.kind.values, *([(None,)] if field.is_nullable else [])] for field in fields]
    found: dict[tuple[int, ...], list[Values]] = {}
    for _ in range(6 * most):
        places = tuple(chance.randrange(len(one)) for one in choices)
        equal = [one[place] for one, place in zip(choices, places, strict=True)]
        found[places] = [
            {field.name: values[min(number, len(values) - 1)] for field, values in zip(fields, equal, strict=True)}
            for number in range(max(map(len, equal)))
        ]
    return [*found.values()][:most]


def landed_value(kind: Kind, value: Any, is_trimmed: bool = True) -> Any:
    """A value as a landed table has it."""
    if value is None or kind.db2 in ("SMALLINT", "INTEGER", "BIGINT", "BOOLEAN", "DECFLOAT(16)", "TIME"):
        return value
    word = kind.db2.partition("(")[0]
    if word == "DECIMAL":
        scale = int(kind.db2.rpartition(",")[2].rstrip(")"))
        return Decimal(f"{Decimal(value):.{scale}f}")
    if word == "DATE":
        return date.fromisoformat(value)
    if word == "TIMESTAMP":
        return _moment(value)
    if kind.is_bytes:
        return value.ljust(4, b" ") if word == "CHAR" else value
    if word == "CHAR":
        return value.rstrip(" ") if is_trimmed else value.ljust(6)
    return float(value) if word in ("REAL", "DOUBLE") else value


def _moment(text: str) -> datetime:
    """A timestamp; 24:00:00 is midnight of the next day, or the last microsecond that there is (docs/convert.md)."""
    if "T24:" not in text:
        return datetime.fromisoformat(text)
    if text.startswith("9999-12-31"):
        return datetime.max
    return datetime.fromisoformat(text.replace("T24:", "T00:")) + timedelta(days=1)


def shown(values: Sequence[Any]) -> tuple[str, ...]:
    """Values in a form in which NaN is equal to itself, and 0.0 is not equal to -0.0, nor 1 to True."""
    return tuple(map(repr, values))
