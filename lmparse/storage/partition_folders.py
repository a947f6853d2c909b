"""Partition folders: the columns that folders of `k=v` make, named and typed as Spark's file sources do.

    /logs/dt=2026-03-14/hour=7/a.dat    columns dt (date) and hour (int)

A value is an `int`, else a `bigint`, a `decimal` without a scale, a `double`, a `timestamp`, a `date`, else a `string`;
`__HIVE_DEFAULT_PARTITION__` is null. Where folders have values of several types, the column has the type that holds
them all, or is a `string`. A timestamp has no time zone, since the zone of a session is not known here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from typing import Any, NamedTuple

from lmparse.errors import FramingError
from lmparse.storage import addresses

_NULL = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?", re.ASCII)
_DOUBLE = re.compile(rf"[\0- ]*(([+-]?(NaN|Infinity))|{_NUMBER.pattern}[fFdD]?)[\0- ]*", re.ASCII).fullmatch
_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?", re.ASCII).fullmatch
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII).fullmatch
_BLANKS = "".join(map(chr, range(33)))
"""Characters around a number that Java ignores."""
_MOST_DIGITS = 38
"""Digits of the largest decimal."""


class PartitionColumn(NamedTuple):
    """A column made by folders of `k=v`."""

    name: str
    type: str
    """In Spark's words: int, bigint, decimal(20,0), double, timestamp, date, string, void."""

    def value(self, path: str) -> Any:
        """The column's value for a file, from the nearest folder above that has the column; None without one."""
        pairs = filter(None, map(pair_in, reversed(addresses.split(path)[1].split("/")[:-1])))
        raw = next((raw for name, raw in pairs if name == self.name), _NULL)
        return value_of(raw, self.type)


def pair_in(folder: str) -> tuple[str, str] | None:
    """Column and raw value of a folder `k=v`; None for any other name."""
    name, equals, raw = folder.partition("=")
    return (unescaped(name), raw) if equals else None


def partition_columns(leaves: Sequence[Sequence[str]], roots: Iterable[str]) -> tuple[PartitionColumn, ...]:
    """The columns of folders with data files; none if no folder is `k=v`.

    Each entry of `leaves` has the paths from a root (named, or found by a pattern) down to a folder with data files.
    Raises FramingError LMP-F015 where the folders contradict each other, as Spark does.
    """
    stops = frozenset(map(os.path.normpath, roots))
    places = [_base_and_pairs(folders, stops) for folders in leaves]
    found = [(folders[-1], pairs) for folders, (_, pairs) in zip(leaves, places, strict=True) if pairs]
    if not found:
        return ()
    first, names = found[0][0], [name for name, _ in found[0][1]]
    bases = list(dict.fromkeys(base for base, _ in places))
    if len(bases) > 1:
        text = f"folders of k=v do not stand in one folder, but in {bases[0]} and {bases[1]}"
        raise contradiction(first, text, "load each by itself")
    for path, pairs in found:
        if [name for name, _ in pairs] != names:
            raise contradiction(path, f"its folders of k=v are others than those of {first}")
        if not all(map(all, pairs)):
            raise contradiction(path, "a folder of k=v has no name or no value")
    if len({name.lower() for name in names}) < len(names):
        raise contradiction(first, "two of its folders of k=v have the same name")
    return tuple(
        PartitionColumn(name, reduce(_wider, {type_of(pairs[place][1]): None for _, pairs in found}))
        for place, name in enumerate(names)
    )


def contradiction(path: str, text: str, hint: str = "recursiveFileLookup reads all, without columns") -> FramingError:
    """The error of contradicting folders of `k=v`."""
    return FramingError(text, code="LMP-F015", file=path, hint=hint)


def _base_and_pairs(folders: Sequence[str], stops: frozenset[str]) -> tuple[str, list[tuple[str, str]]]:
    """The folder around the first folder `k=v` of a leaf, and the pairs below it; the leaf itself without pairs.

    From the leaf upwards, other folders are skipped until the first `k=v`; the next other folder ends the search.
    """
    pairs: list[tuple[str, str]] = []
    place = len(folders) - 1
    while place and os.path.normpath(folders[place]) not in stops:
        pair = pair_in(addresses.base_name(folders[place]))
        if pair is None and pairs:
            break
        pairs += [pair] if pair is not None else []
        place -= 1
    return (folders[place], pairs[::-1]) if pairs else (folders[-1], [])


def unescaped(text: str) -> str:
    """A text with characters in place of `%XX`."""
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text)


def type_of(raw: str) -> str:
    """The type of a raw value."""
    if raw == _NULL:
        return "void"
    if _WHOLE(raw) and len(raw) <= _MOST_DIGITS:
        for type_, bits in (("int", 31), ("bigint", 63)):
            if -(1 << bits) <= int(raw) < 1 << bits:
                return type_
    if _NUMBER.fullmatch(raw):
        _, digits, exponent = Decimal(raw).as_tuple()
        size = len(digits) + int(exponent)
        if int(exponent) >= 0 and size <= _MOST_DIGITS:
            return f"decimal({size},0)"
    if _DOUBLE(raw):
        return "double"
    for type_ in ("date", "timestamp"):
        if value_of(raw, type_) is not None:
            return type_
    return "string"


def _wider(one: str, other: str) -> str:
    """The type that holds the values of both types."""
    if "void" in (one, other):
        return other if one == "void" else one
    kinds = {one.partition("(")[0], other.partition("(")[0]}
    if len(kinds) == 1 and "decimal" not in kinds:
        return one
    if kinds <= {"int", "bigint"}:
        return "bigint"
    if kinds == {"int", "double"}:
        return "double"
    if kinds <= {"int", "bigint", "decimal"}:
        digits = {"int": 10, "bigint": 20}
        most = max(digits.get(type_) or int(re.findall("[0-9]+", type_)[0]) for type_ in (one, other))
        return f"decimal({most},0)"
    return "timestamp" if kinds == {"timestamp", "date"} else "string"


def value_of(raw: str, type_: str) -> Any:
    """A raw value in a type; None for null, and for texts that are no time or date."""
    kind = type_.partition("(")[0]
    if raw == _NULL:
        return None
    if kind in ("int", "bigint"):
        return int(raw)
    if kind == "decimal":
        return Decimal(int(Decimal(raw)))
    if kind == "double":
        return float(raw.strip(_BLANKS).rstrip("fFdD"))
    if kind not in ("timestamp", "date"):
        return unescaped(raw)
    try:
        match = _STAMP(unescaped(raw))
        if kind == "timestamp" and match:
            return datetime.fromisoformat(f"{match[1]}.{(match[2] or '').ljust(6, '0')[:6]}")
        day = date.fromisoformat(raw) if _DATE(raw) else None
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day) if day and kind == "timestamp" else day
