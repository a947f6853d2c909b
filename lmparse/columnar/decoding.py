"""How each column of the records of a spec is decoded, and why: what `lmparse formats SPEC` says beside its fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.forms import refusal, refusals
from lmparse.columnar.record_plan import RecordPlan
from lmparse.spec.catalog import Spec
from lmparse.spec.nesting import flat, json_reason

ROW = "row"
FORM = "form"
NOT_READ = "not read"


@dataclass(frozen=True)
class DecodedColumn:
    """One column of the records of a spec."""

    name: str
    offset: int | None
    width: int | None
    """Bytes; None for a column that extends to the end of a part of the record."""
    kind: str
    """Kind of the field in the spec; empty for a column that is not a field."""
    how: str
    """Name of the kernel that decodes it column-wise; `form` if that depends on the form of the record; `row` if the
    parser reads it; `not read` if it is not a column."""
    why: str
    """Why the parser reads it, why it is text, or why it is not a column; empty otherwise."""


@dataclass(frozen=True)
class Decoding:
    """How the records of a spec are decoded."""

    why: str
    """Why the parser reads its records, row by row; empty if they are read column-wise."""
    columns: list[DecodedColumn]
    is_by_form: bool = False
    """Whether the data choose the body of a record; such records are read column-wise form by form."""
    one_by_one: dict[str, str] = field(default_factory=dict)
    """Parts of such records, by the ids of their layouts, whose records the parser reads, and why."""

    @property
    def how(self) -> str:
        """The same in words."""
        if self.is_by_form:
            return "column-wise, form by form: the data decide what a record is"
        return f"row by row: {self.why}" if self.why else "column-wise"

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "engine": "row" if self.why else "columnar",
            "why": self.why or None,
            "by_form": self.is_by_form,
            "one_by_one": self.one_by_one,
            "columns": [vars(column) | {"why": column.why or None} for column in self.columns],
        }


def decoding_of(spec: Spec) -> Decoding:
    """How the columns of a spec are decoded."""
    known = schemas.columns_of(spec.layouts, spec.layout, has_kind=spec.has_kind)
    schema = pa.schema([*known.values(), *schemas.outcome_fields()])
    plan = RecordPlan(spec, labels=True)
    refused = plan.refusal(schema)
    is_by_form = bool(refused) and not refusal(spec.layouts, spec.layout)
    why = "" if is_by_form else refused
    places = _places(spec)
    parts = [] if why or is_by_form else [column for column in plan.ways if column not in schema.names]
    reasons = {} if is_by_form else _reasons(spec, plan)
    columns = []
    for name in (*schema.names, *parts):
        if name in schemas.OUTCOMES:
            continue
        offset, width, kind = places.get(name, (None, None, ""))
        way = plan.ways.get(name)
        own = f"there is no kernel for {kind}" if way is not None and not way.kernel else reasons.get(name, "")
        how = FORM if is_by_form else way.kernel if way and not why else ROW
        columns.append(DecodedColumn(name, offset, width, kind, how, own or why))
    columns += [DecodedColumn(name, None, None, "", NOT_READ, reason) for name, reason in spec.layout.unread.items()]
    return Decoding(why, columns, is_by_form, refusals(spec.layouts, spec.layout) if is_by_form else {})


def _reasons(spec: Spec, plan: RecordPlan) -> dict[str, str]:
    """Why the parser reads a field, or why its column is text, by its id."""
    found = dict(plan.reasons) if plan.reason else {}
    for entry in flat(spec.layouts, spec.layout):
        if as_text := json_reason(spec.layouts, entry):
            found[entry.id] = f"JSON text: {as_text}"
    return found


def _places(spec: Spec) -> dict[str, tuple[int | None, int | None, str]]:
    """Offset, width and kind of every column, and of the numbers inside of fields."""
    places: dict[str, tuple[int | None, int | None, str]] = {}
    for entry in flat(spec.layouts, spec.layout):
        places.setdefault(entry.id, (entry.offset, entry.width, entry.kind))
        for part in schemas.parts(spec.layouts, entry):
            offset = None if entry.offset is None or part.offset is None else entry.offset + part.offset
            places.setdefault(f"{entry.id}_{part.id}", (offset, part.width, part.kind))
    return places
