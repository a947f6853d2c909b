"""Plans in words: how each column of the records of a spec is decoded and why, and what is read to divide a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lmparse.changes.family import PlannedPass
from lmparse.columnar import schemas
from lmparse.columnar.forms import refusal, refusals
from lmparse.columnar.record_plan import RecordPlan
from lmparse.errors import OptionError
from lmparse.limits import DEFAULT, Limits
from lmparse.logs.families import BUILT_IN, family_of, spec_name
from lmparse.spec import catalog
from lmparse.spec.nesting import flat, json_reason

ROW = "row"
FORM = "form"
NOT_READ = "not read"
_WORDS = "all descriptor words"
RECORD_PASSES = (
    PlannedPass("records", "without _metadata, and in convert", "descriptor words near the cuts", ""),
    PlannedPass("records", "with _metadata", _WORDS, "record_index counts records from the start of the file"),
    PlannedPass(
        "records and changes", "in framing glued, compressed, remote, or without a place to cut", _WORDS,
        "nothing near a place shows where a record begins",
    ),
)  # fmt: skip
"""What is read to divide a file whose records are requested."""


@dataclass(frozen=True)
class PlannedColumn:
    """One column."""

    name: str
    offset: int | None
    width: int | None
    """Bytes; None for a column that extends to the end of a part of the record."""
    kind: str
    """Kind of the field in the spec; empty for a column that is not a field."""
    way: str
    """Name of the kernel that decodes it column-wise; `form` if that depends on the form of the record; `row` if the
    parser reads it; `not read` if it is not a column."""
    reason: str
    """Why the parser does."""


@dataclass(frozen=True)
class PlannedSpec:
    """The output of `lmparse plan`."""

    spec: str
    reason: str
    """Why its records are read row by row; empty if they are read column-wise."""
    columns: list[PlannedColumn]
    passes: list[PlannedPass]
    """What one process (Spark's driver) reads of a file before its parts are handed out."""
    is_by_form: bool = False
    """Whether the data choose the body of its records, which are then read column-wise form by form."""
    one_by_one: dict[str, str] = field(default_factory=dict)
    """Parts of such records, by the ids of their layouts, whose records the parser reads, and why."""

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "spec": self.spec,
            "engine": "row" if self.reason else "columnar",
            "reason": self.reason or None,
            "by_form": self.is_by_form,
            "one_by_one": self.one_by_one,
            "columns": [vars(column) | {"reason": column.reason or None} for column in self.columns],
            "before_parts": [vars(one) | {"why": one.why or None} for one in self.passes],
        }

    def lines(self) -> Iterator[str]:
        """The same as text."""
        way = "column-wise, form by form: the data decide what a record is" if self.is_by_form else "column-wise"
        yield f"{self.spec}: " + (f"row by row: {self.reason}" if self.reason else way)
        yield ""
        kinds = max((12, *(len(column.kind) for column in self.columns)))
        for column in self.columns:
            place = "" if column.offset is None else str(column.offset)
            size = "" if column.width is None else str(column.width)
            reason = "" if column.reason in ("", self.reason) else f": {column.reason}"
            yield f"{place:>6} {size:>5}  {column.name:28} {column.kind:{kinds}} {column.way}{reason}".rstrip()
        if self.one_by_one:
            yield ""
            yield "records with these parts are read one by one:"
            yield from (f"  {name}: {why}" for name, why in self.one_by_one.items())
        yield ""
        yield "read by one process (Spark's driver) to divide a file of several parts:"
        for one in self.passes:
            yield f"  {one.of} {one.when}: {one.reads}" + (f" ({one.why})" if one.why else "")


def planned(
    name: str, columns: tuple[str, ...] = (), control: str | None = None, limits: Limits = DEFAULT
) -> PlannedSpec:
    """How the columns of a spec, or some of them, are decoded under the header that a control file describes.

    Raises UnknownFormatError, OptionError, and ControlError for a file that is not a control file.
    """
    spec = catalog.load(spec_name(name))
    schema = schemas.records_schema(spec.name, columns)
    plan = RecordPlan(spec) if control is None else _plan_under(control, spec, limits)
    is_by_form = bool(plan.refusal(schema)) and not refusal(spec.layouts, spec.layout)
    reason = "" if is_by_form else plan.refusal(schema)
    places = _places_in(plan) if plan.is_described and not reason else _places(spec)
    extra = [] if columns or reason or is_by_form else [column for column in plan.ways if column not in schema.names]
    own_reasons = {} if is_by_form else _own_reasons(spec, plan)
    found = []
    for column in (*schema.names, *extra):
        if column in schemas.OUTCOMES:
            continue
        offset, width, kind = places.get(column, (None, None, ""))
        way = plan.ways.get(column)
        own = f"there is no kernel for {kind}" if way is not None and not way.kernel else own_reasons.get(column, "")
        kernel = FORM if is_by_form else way.kernel if way and not reason else ROW
        found.append(PlannedColumn(column, offset, width, kind, kernel, own or reason))
    found += [PlannedColumn(name, None, None, "", NOT_READ, why) for name, why in spec.layout.unread.items()]
    one_by_one = refusals(spec.layouts, spec.layout) if is_by_form else {}
    passes = [*RECORD_PASSES, *_change_passes(spec, control, limits)]
    return PlannedSpec(spec.id, reason, found, passes, is_by_form, one_by_one)


def _change_passes(spec: catalog.Spec, control: str | None, limits: Limits) -> Sequence[PlannedPass]:
    family = family_of(spec)
    if family is None or family.change_passes is None or spec.id != family.spec_id:
        return ()
    return family.change_passes(control, limits)


def _own_reasons(spec: catalog.Spec, plan: RecordPlan) -> dict[str, str]:
    """Why the parser reads a field, or why its column is text, by its id."""
    found = dict(plan.reasons) if plan.reason else {}
    for entry in flat(spec.layouts, spec.layout):
        if as_text := json_reason(spec.layouts, entry):
            found[entry.id] = f"JSON text: {as_text}"
    return found


def _plan_under(control: str, spec: catalog.Spec, limits: Limits) -> RecordPlan:
    family = family_of(spec)
    if family is None or family.control_plan is None:
        owners = ", ".join(family.spec_id for family in BUILT_IN if family.control_plan is not None)
        raise OptionError(f"control does not apply to records of {spec.id}", hint=f"it is for {owners}")
    return family.control_plan(spec, control, limits)


def _places_in(plan: RecordPlan) -> dict[str, tuple[int | None, int | None, str]]:
    """Offset, width and kind of every column in a described header."""
    return {
        name: (None, None, way.field.kind) if way.width == 0 else (way.offset, way.width, way.field.kind)
        for name, way in plan.ways.items()
    }


def _places(spec: catalog.Spec) -> dict[str, tuple[int | None, int | None, str]]:
    """Offset, width and kind of every column, and of the numbers inside of fields."""
    places: dict[str, tuple[int | None, int | None, str]] = {}
    for entry in flat(spec.layouts, spec.layout):
        places.setdefault(entry.id, (entry.offset, entry.width, entry.kind))
        for part in schemas.parts(spec.layouts, entry):
            offset = None if entry.offset is None or part.offset is None else entry.offset + part.offset
            places.setdefault(f"{entry.id}_{part.id}", (offset, part.width, part.kind))
    return places
