"""What docs/spark.md promises of a given schema, said once more, so that readings can be compared with it.

Nothing here asks the code that reads. A reading gives rows, or ends with one of some errors.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

from pyspark.sql.types import (
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
)

from random_logs.spark_nights import Change, Kind, Night, Values, Version

BITS = {ShortType: 16, IntegerType: 32, LongType: 64}
REFUSED, UNLIKE, MISFIT, NO_COLUMN = "LMP-S012", "LMP-C008", "LMP-V011", "LMP-S003"
_FAULT = object()
"""In place of a value that the type of the schema does not represent."""


@dataclass(frozen=True)
class Asked:
    """A given schema, and the options that matter for its columns."""

    columns: Mapping[str, DataType]
    """The columns of the table that the schema names, with their types."""
    images: tuple[str, ...] = ("after",)
    """The images that have them; none in envelope `changefeed`, whose rows have them beside the others."""
    option: tuple[str, ...] = ()
    """The option `columns`."""
    mode: str = "permissive"
    has_faults: bool = True
    """Whether the schema has `_corrupt_fields`."""

    @property
    def is_strict(self) -> bool:
        """Whether a bad value ends the reading."""
        return self.mode == "failfast" or (self.mode == "permissive" and not self.has_faults)


@dataclass
class Truth:
    """What a reading of some files must give."""

    errors: set[str] = field(default_factory=set)
    """Codes of which one ends it; none if it gives rows."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    unsaid: tuple[str, ...] = ()
    """Columns that only the schema names."""
    may_be_renamed: bool = False
    has_table: bool = True


def truth(
    asked: Asked,
    nights: Sequence[Night],
    *,
    others: Sequence[Night] = (),
    may_be_more: bool = False,
    ends: bool = False,
) -> Truth:
    """What a reading of some sound files gives.

    `others`: files that are known beside these. `may_be_more`: there may be files that are not read and have other
    columns. `ends`: where a column may have another name, the reading ends.
    """
    versions = [version for night in nights for version in night.versions]
    known = [*versions, *(version for night in others for version in night.versions)]
    found = Truth(has_table=bool(versions))
    said = {name for version in versions for name in version.names}
    lost = sorted({*asked.option} - said)
    if lost and not may_be_more and versions:
        found.errors.add(NO_COLUMN)
    if _are_unlike(versions):
        found.errors.add(UNLIKE)
    every = {name for version in known for name in version.names if not asked.option or name in asked.option}
    resolved = _resolved(asked.columns, every, found)
    read = {given: name for given, name in resolved.items() if name in said & every}
    for given, name in read.items():
        if not _takes(
            asked.columns[given], _merged(version.kind(name) for version in versions if name in version.names)
        ):
            found.errors.add(REFUSED)
    found.unsaid = tuple(given for given in asked.columns if given not in read)
    for given in found.unsaid:
        # What the option leaves out is not a column of this source.
        is_left_out = asked.option and resolved[given] not in asked.option
        if is_left_out or not (may_be_more or not versions):
            found.errors.add(REFUSED)
    if ends and any(len(_meant_in(name, known, asked)) > 1 for name in asked.columns):
        found.errors.add(REFUSED)
    found.may_be_renamed = _may_be_renamed(set(resolved.values()), versions, known, of_all=ends)
    if ends and found.may_be_renamed:
        found.errors.add(REFUSED)
    if found.errors:
        return found
    found.rows = [row for night in nights for change in night.changes for row in _rows(asked, change, read, found)]
    return found


def _are_unlike(versions: Sequence[Version]) -> bool:
    """Whether a column has types that have no common one."""
    names = {name for version in versions for name in version.names}
    return any(len({version.kind(name)[0] for version in versions if name in version.names}) > 1 for name in names)


def _merged(kinds: Iterable[Kind]) -> Kind:
    """The type that has the values of all; of the first kind if they have none."""
    found, *others = kinds
    for kind in others:
        if kind[0] == found[0] == "int":
            found = max(kind, found)
        if kind[0] == found[0] == "dec":
            scale = max(kind[2], found[2])
            found = "dec", max(kind[1] - kind[2], found[1] - found[2]) + scale, scale
    return found


def _resolved(wanted: Iterable[str], known: set[str], found: Truth) -> dict[str, str]:
    """The column that each name of a schema means: the one of this name, or the only one in other letter case."""
    given = [*wanted]
    resolved = {}
    for name in given:
        alike = {name} & known or {other for other in known if other.lower() == name.lower()}
        if len(alike) > 1:
            found.errors.add(REFUSED)
        resolved[name] = min(alike - {*given}, default=name)
    if len(set(resolved.values())) < len(given):
        found.errors.add(REFUSED)
    return resolved


def _meant_in(name: str, versions: Sequence[Version], asked: Asked) -> set[str]:
    """The columns that a name means in some versions, each by itself."""
    found: set[str] = set()
    for version in versions:
        names = {one for one in version.names if not asked.option or one in asked.option}
        found |= {name} & names or {one for one in names if one.lower() == name.lower()}
    return found - ({*asked.columns} - {name})


def _may_be_renamed(given: set[str], versions: Sequence[Version], known: Sequence[Version], *, of_all: bool) -> bool:
    """Whether a version lacks a column of the schema, and has one that it does not name, which never were together."""
    have = {name for version in versions for name in version.names}
    return any(
        not any({name, other} <= one.names for one in known)
        for version in versions
        for name in given - version.names
        if of_all or name in have
        for other in version.names - given
    )


# -- types and values --------------------------------------------------------------------------------


def _takes(wanted: DataType, kind: Kind) -> bool:
    """Whether some value of a type is the same in another."""
    if kind[0] in ("int", "dec"):
        return isinstance(wanted, (ShortType, IntegerType, LongType, DecimalType, DoubleType, StringType))
    return isinstance(wanted, (DateType, TimestampNTZType) if kind[0] == "date" else StringType)


def cast(value: Any, wanted: DataType) -> Any:
    """A value in a type; `_FAULT` if it is not the same there."""
    if value is None:
        return None
    if isinstance(wanted, StringType):
        return value if isinstance(value, str) else Decimal(value)
    if type(wanted) in BITS:
        most = 1 << (BITS[type(wanted)] - 1)
        return int(value) if value == int(value) and -most <= value < most else _FAULT
    if isinstance(wanted, DecimalType):
        scaled = Decimal(value).scaleb(wanted.scale)
        return Decimal(value) if scaled == int(scaled) and abs(scaled) < 10**wanted.precision else _FAULT
    if isinstance(wanted, DoubleType):
        made = float(value)
        same = Decimal(made) == value if isinstance(value, int) else Decimal(repr(made)) == value
        return made if same else _FAULT
    if isinstance(wanted, TimestampNTZType):
        return datetime.datetime.combine(value, datetime.time())
    return value


def _rows(asked: Asked, change: Change, read: Mapping[str, str], found: Truth) -> Iterator[dict[str, Any]]:
    """The rows of a change, each as its position, what it is, its images, and whether a value of it is bad."""
    if asked.images:
        images = {"before": change.before, "after": change.after}
        made = [(change.op, {name: images[name] for name in asked.images})]
    else:
        kinds = {"I": ("insert",), "D": ("delete",), "U": ("update_preimage", "update_postimage")}[change.op]
        values = [one for one in (change.before, change.after) if one is not None]
        made = [(kind, {"": one}) for kind, one in zip(kinds, values, strict=True)]
    for kind, wanted in made:
        row = {"seq": change.seq, "op": kind, "is_bad": False}
        for image, written in wanted.items():
            shown = None if written is None else _shown(asked, written, read)
            if shown is not None and _FAULT in shown.values():
                row["is_bad"] = True
                shown = {name: None if value is _FAULT else value for name, value in shown.items()}
            row[image] = shown
        if row["is_bad"] and asked.is_strict:
            found.errors.add(MISFIT)
        if not (row["is_bad"] and asked.mode == "dropmalformed"):
            yield row


def _shown(asked: Asked, written: Values, read: Mapping[str, str]) -> Values:
    return {
        given: cast(written.get(read[given]), wanted) if given in read else None
        for given, wanted in asked.columns.items()
    }  # fmt: skip


def shown_rows(asked: Asked, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a reading in the form of `Truth.rows`, without those of damage."""
    found = []
    for row in rows:
        made: dict[str, Any] = {"seq": row["seq"] if asked.images else row["_commit_seq"]}
        if made["seq"] is None:
            continue
        made |= {"op": row["op"] if asked.images else row["_change_type"], "is_bad": bool(row.get("_corrupt_fields"))}
        images = {name: row[name] for name in asked.images} or {"": {name: row[name] for name in asked.columns}}
        for image, values in images.items():
            made[image] = None if values is None else {
                name: _number(value, asked.columns[name]) for name, value in values.items()
            }  # fmt: skip
        found.append(made)
    return found


def _number(value: Any, wanted: DataType) -> Any:
    """Text of a number as the number: zeros behind the point say nothing."""
    if isinstance(wanted, StringType) and isinstance(value, str) and value.lstrip("-").replace(".", "").isdigit():
        return Decimal(value)
    return value


def chunks(nights: Sequence[Night], most: int | None) -> list[Sequence[Night]]:
    """The files of each micro-batch, in the order of their positions."""
    ordered = sorted(nights, key=lambda night: night.number)
    ends = [*range(0, len(ordered), most or len(ordered) or 1), len(ordered)]
    return [ordered[begin:end] for begin, end in pairwise(ends) if begin < end]
