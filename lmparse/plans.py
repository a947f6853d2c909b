"""Plans in words: which way each column of the records of a spec goes, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lmparse import catalog, schemas
from lmparse.columns import Plan

ROW = "row"


@dataclass(frozen=True)
class PlannedColumn:
    """One column."""

    name: str
    offset: int | None
    width: int | None
    """Bytes; None for what reaches to the end of a part of the record."""
    kind: str
    """How the spec says that its bytes are read; empty for what is no field."""
    way: str
    """What reads it by the column, a word; `row` where the parser does."""
    reason: str
    """Why it does."""


@dataclass(frozen=True)
class PlannedSpec:
    """What `lmparse plan` says of a spec."""

    spec: str
    reason: str
    """Why its records are read row by row; empty when they are read by the column."""
    columns: list[PlannedColumn]

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "spec": self.spec,
            "engine": "row" if self.reason else "columnar",
            "reason": self.reason or None,
            "columns": [vars(column) | {"reason": column.reason or None} for column in self.columns],
        }

    def lines(self) -> Iterator[str]:
        """The same as text."""
        yield f"{self.spec}: " + (f"row by row: {self.reason}" if self.reason else "by the column")
        yield ""
        for column in self.columns:
            place = "" if column.offset is None else str(column.offset)
            size = "" if column.width is None else str(column.width)
            reason = "" if column.reason in ("", self.reason) else f": {column.reason}"
            yield f"{place:>6} {size:>5}  {column.name:28} {column.kind:12} {column.way}{reason}".rstrip()


def planned(name: str, columns: tuple[str, ...] = ()) -> PlannedSpec:
    """What becomes of the columns of a spec, or of some of them. Raises UnknownFormatError and OptionError."""
    spec = catalog.load(name)
    schema = schemas.records_schema(name, columns)
    plan = Plan(spec)
    reason = plan.refusal(schema)
    places = _places(spec)
    found = []
    for column in schema.names:
        if column in schemas.OUTCOMES:
            continue
        offset, width, kind = places.get(column, (None, None, ""))
        way = plan.ways.get(column)
        own = f"nothing reads {kind} by the column" if way is not None and not way.kernel else ""
        found.append(
            PlannedColumn(column, offset, width, kind, way.kernel if way and not reason else ROW, own or reason)
        )
    return PlannedSpec(spec.id, reason, found)


def _places(spec: catalog.Spec) -> dict[str, tuple[int | None, int | None, str]]:
    """Offset, width and kind of every column, and of the numbers inside of some."""
    places: dict[str, tuple[int | None, int | None, str]] = {}
    for entry in schemas.flat(spec.layouts, spec.layout):
        places.setdefault(entry.id, (entry.offset, entry.width, entry.kind))
        for part in schemas.parts(spec.layouts, entry):
            offset = None if entry.offset is None or part.offset is None else entry.offset + part.offset
            places.setdefault(f"{entry.id}_{part.id}", (offset, part.width, part.kind))
    return places
