"""Columns: the columns of the records of a spec by path, each with its Arrow type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lmparse.columnar import schemas
from lmparse.spec.catalog import KIND
from lmparse.spec.ksy import Specs


def columns_of(specs: Specs, spec_id: str) -> dict[str, Any]:
    """The types of the columns by path. A member of a struct, in a list too, is `place.x`."""
    layout = specs.layouts[spec_id]
    has_body = any(entry.kind == "body" for entry in layout)
    has_kind = has_body and f"instances.{KIND}" in specs.details.get(spec_id, {})
    return dict(_paths(schemas.columns_of(specs.layouts, layout, has_kind=has_kind).values()))


def type_name(type_: Any) -> str:
    """A type as Arrow names it, without the members of a struct, which are columns of their own."""
    one = getattr(type_, "value_type", type_)
    name = "struct" if hasattr(one, "fields") else str(one)
    return name if one is type_ else f"list<{name}>"


def is_wider(old: Any, new: Any) -> bool:
    """Whether a type holds every value of another."""
    return new != schemas.TEXT and bool(schemas.common(old, new) == new)


def _paths(fields: Iterable[Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for field in fields:
        yield above + field.name, field.type
        one = getattr(field.type, "value_type", field.type)
        yield from _paths(getattr(one, "fields", ()), f"{above}{field.name}.")
