"""How each column of a spec's records is decoded, and why: the text of `lmparse formats SPEC` beside the fields."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from lmparse.columnar import schemas
from lmparse.columnar.column_plans import column_plans
from lmparse.columnar.record_plan import RecordPlan
from lmparse.columnar.refusals import refusals
from lmparse.records.reader import default_page
from lmparse.spec.catalog import PARENT, Spec
from lmparse.spec.layout import Field
from lmparse.spec.nesting import flat, json_reason

ROW = "row"
NOT_READ = "not read"
COLUMNS = "columns"


@dataclass(frozen=True)
class DecodedColumn:
    """One column of the records of a spec."""

    name: str
    offset: int | None
    width: int | None
    """Bytes; None if the length varies."""
    kind: str
    """Kind of the field in the spec; empty for a column without a field."""
    how: str
    """Name of the kernel; `columns` for nested or calculated values; `row` if the parser reads the column; `not read`
    for a field that is no column."""
    why: str
    """Why the parser reads the column, why it is text, or why the field has no column; else empty."""


@dataclass(frozen=True)
class Decoding:
    """How the records of a spec are decoded."""

    why: str
    """Why the parser reads all records row by row; empty if the records are read column-wise."""
    columns: list[DecodedColumn]
    one_by_one: dict[str, str] = field(default_factory=dict)
    """Parts whose records are left to the parser, by layout id, with the reason."""

    @property
    def how(self) -> str:
        """The engine in words, with the reason."""
        return f"row by row: {self.why}" if self.why else "column-wise"

    def to_dict(self) -> dict[str, Any]:
        """The decoding as one JSON object."""
        return {
            "engine": "row" if self.why else "columnar",
            "why": self.why or None,
            "one_by_one": self.one_by_one,
            "columns": [vars(column) | {"why": column.why or None} for column in self.columns],
        }


def decoding_of(spec: Spec) -> Decoding:
    """How the columns of a spec's records are decoded."""
    plan = RecordPlan(spec, arguments=(0,) * len(spec.layout.params), labels=True)
    why = plan.reason or next((f"{name}: {reason}" for name, reason in plan.reasons.items()), "")
    flat_fields = [*flat(spec.layouts, spec.layout)]
    fields: dict[str, tuple[Field | None, Field | None]] = {}
    for entry in flat_fields:
        fields.setdefault(entry.id, (entry, None))
    for entry in flat_fields:
        for inside in schemas.parts(spec.layouts, entry):
            fields.setdefault(f"{entry.id}_{inside.id}", (entry, inside))
    columns = []
    for name in plan.types:
        whole, part = fields.get(name, (None, None))
        reason = plan.reason or plan.reasons.get(name, "")
        offset, width = (None, None) if whole is None else _place(whole, part)
        kind = "" if whole is None else (part or whole).kind
        how = ROW if reason else _kernel(spec, whole, part)
        as_text = "" if whole is None else json_reason(spec.layouts, whole)
        columns.append(DecodedColumn(name, offset, width, kind, how, reason or (as_text and f"JSON text: {as_text}")))
        if name == PARENT:
            columns[-1] = replace(columns[-1], kind="struct", why=f"if columns name it: {_members(plan.types[name])}")
    columns += [DecodedColumn(name, None, None, "", NOT_READ, reason) for name, reason in spec.layout.unread.items()]
    one_by_one = {} if why else refusals(spec.layouts, spec.layout)
    return Decoding(why, columns, one_by_one)


def _members(type_: Any) -> str:
    """The names of a struct's fields, with those of a nested PARENT in brackets."""
    return ", ".join(f"{one.name} ({_members(one.type)})" if one.name == PARENT else one.name for one in type_)


def _place(entry: Field, part: Field | None) -> tuple[int | None, int | None]:
    if part is None:
        return entry.offset, entry.width
    is_known = entry.offset is not None and part.offset is not None
    return (entry.offset or 0) + (part.offset or 0) if is_known else None, part.width


def _kernel(spec: Spec, entry: Field | None, part: Field | None) -> str:
    """Name of the kernel of a column; COLUMNS if no single kernel makes it."""
    if part is not None:
        return "unsigned"
    if entry is None or entry.width is None or entry.repeated or entry.choices:
        return COLUMNS
    return column_plans(spec.layouts, spec.layout, entry, default_page(spec), labels=True)[0].kernel or COLUMNS
