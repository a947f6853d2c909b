"""Columns: the columns that Spark shows for the records of a spec, from its layouts alone.

They have the names and types of `columnar.schemas`, but need no pyarrow, so that specs can be compared where it is not
installed. A test compares both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from lmparse.errors import LmparseError
from lmparse.spec.build.shape import TOO_DEEP
from lmparse.spec.catalog import KIND
from lmparse.spec.kind_words import common_digits
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout
from lmparse.spec.nesting import flat, flat_with_layouts, json_reason
from lmparse.values import kinds

Origin = tuple[str, str]
"""Ids of the layout and of the member that a column comes from."""
_TEXT = "string"
_NUMBERS = ("smallint", "int", "bigint", "decimal(20,0)")
"""Types of integers, from the narrowest to the widest."""
_WHOLE = {"smallint": 5, "int": 10, "bigint": 19}
"""Digits of integers."""
_SPARK = {"int16": "smallint", "int32": "int", "int64": "bigint", "timestamp[us]": "timestamp_ntz"}
"""Spark's names of types where they are not Arrow's."""


@dataclass(frozen=True)
class SpecColumn:
    """One column, or a field of a struct in one."""

    type: str
    """Type as in Spark SQL; for a struct or a list of structs without the fields, which are columns of their own."""
    comment: str
    origins: tuple[Origin, ...]
    """The fields it comes from, in the order of the spec: several kinds of records may share a column."""


def columns_of(specs: Specs, spec_id: str) -> dict[str, SpecColumn]:
    """The columns of the records of a spec by name; fields of structs as `key_info.column`.

    Raises LmparseError (LMP-S008) if types are too deep in one another to be followed.
    """
    try:
        return _columns_of(specs, spec_id)
    except RecursionError:
        path, text = TOO_DEEP
        raise LmparseError(f"{specs.layouts[spec_id].path}: error: {text} [{path}]", code="LMP-S008") from None


def _columns_of(specs: Specs, spec_id: str) -> dict[str, SpecColumn]:
    layouts = specs.layouts
    whole = _WholeTypes(layouts)
    columns: dict[str, SpecColumn] = {}
    has_body = any(entry.kind == "body" for entry in layouts[spec_id])
    if has_body and f"instances.{KIND}" in specs.details.get(spec_id, {}):
        columns[KIND] = SpecColumn(_TEXT, "", ((spec_id, f"instances.{KIND}"),))
    nested_in: dict[str, list[tuple[str, Field]]] = {}
    for layout, entry in flat_with_layouts(layouts, layouts[spec_id]):
        _put(columns, entry.id, SpecColumn(whole.of(entry), entry.doc, ((layout.id, entry.id),)))
        nested = layouts.get(entry.type or "")
        if entry.kind in ("struct", "switch"):
            nested_in.setdefault(entry.id, []).append((layout.id, entry))
        elif entry.kind == "bytes" and nested is not None:
            for part in nested:
                if part.kind == "uint":
                    _put(columns, f"{entry.id}_{part.id}", SpecColumn("bigint", part.doc, ((nested.id, part.id),)))
    for name, found in nested_in.items():
        if columns[name].type not in (_TEXT, f"array<{_TEXT}>"):
            is_list = columns[name].type.startswith("array")
            columns[name] = replace(columns[name], type="array<struct>" if is_list else "struct")
            for layout_id, entry in found:
                _put_inner(columns, whole, entry, layout_id, f"{name}.")
    return columns


def _put(columns: dict[str, SpecColumn], name: str, column: SpecColumn) -> None:
    """Add a column, or another origin of a column with that name."""
    known = columns.get(name)
    if known is None:
        columns[name] = replace(column, comment=" ".join(column.comment.split()))
    elif column.origins[0] not in known.origins:
        type_ = known.type if known.type == column.type else _common(known.type, column.type)
        columns[name] = replace(known, type=type_, origins=(*known.origins, *column.origins))


def _put_inner(columns: dict[str, SpecColumn], whole: _WholeTypes, entry: Field, layout_id: str, prefix: str) -> None:
    """Add the fields of a struct, or the choices of a switch, of the layout `layout_id`."""
    nested = whole.layouts.get(entry.type or "")
    if whole.is_json(entry) or entry.kind not in ("struct", "switch"):
        return
    inner = [((layout_id, entry.id), choice) for choice in entry.choices]
    if entry.kind == "struct" and nested is not None:
        inner = [((layout.id, part.id), part) for layout, part in flat_with_layouts(whole.layouts, nested)]
    types = whole.by_name(part for _, part in inner)
    for origin, part in inner:
        is_text = types[part.id] in (_TEXT, f"array<{_TEXT}>")
        type_ = types[part.id] if is_text else column_type(part)
        _put(columns, prefix + part.id, SpecColumn(type_, part.doc, (origin,)))
        if not is_text:
            _put_inner(columns, whole, part, origin[0], f"{prefix}{part.id}.")


def is_wider(old: str, new: str) -> bool:
    """Whether a type holds every value of another."""
    if old in _NUMBERS and new in _NUMBERS:
        return _NUMBERS.index(old) <= _NUMBERS.index(new)
    before, after = _digits(old), _digits(new)
    return before is not None and after is not None and new not in _WHOLE and common_digits(before, after) == after


def column_type(entry: Field) -> str:
    """The type of the column of a field; for a struct without its fields."""
    if entry.kind in ("struct", "switch"):
        name = "struct"
    else:
        name = kinds.column_type(entry.kind, entry.width or entry.number_width, entry.bits, entry.scale)
    return f"array<{_SPARK.get(name, name)}>" if entry.repeated else _SPARK.get(name, name)


class _WholeTypes:
    """The types of columns with all their fields; each is found once, since it is asked for at each level around it."""

    def __init__(self, layouts: Mapping[str, Layout]) -> None:
        self.layouts = layouts
        self._json: dict[int, bool] = {}
        """By the identity of a field, which the layouts keep."""
        self._types: dict[int, str] = {}

    def is_json(self, entry: Field) -> bool:
        """Whether the column of a nested record is JSON text."""
        if id(entry) not in self._json:
            self._json[id(entry)] = bool(json_reason(self.layouts, entry))
        return self._json[id(entry)]

    def of(self, entry: Field) -> str:
        """The type of a column; for a struct with its fields."""
        if id(entry) not in self._types:
            self._types[id(entry)] = self._found(entry)
        return self._types[id(entry)]

    def _found(self, entry: Field) -> str:
        if self.is_json(entry):
            return "array<string>" if entry.repeated else _TEXT
        if entry.kind not in ("struct", "switch"):
            return column_type(entry)
        inner: Iterable[Field] = entry.choices
        if entry.kind == "struct" and entry.type is not None:
            inner = flat(self.layouts, self.layouts[entry.type])
        fields = ",".join(f"{name}:{type_}" for name, type_ in self.by_name(inner).items())
        return f"array<struct<{fields}>>" if entry.repeated else f"struct<{fields}>"

    def by_name(self, parts: Iterable[Field]) -> dict[str, str]:
        """The types of the members of a struct by name: several cases may share one."""
        types: dict[str, str] = {}
        for part in parts:
            type_ = self.of(part)
            types[part.id] = type_ if types.get(part.id, type_) == type_ else _common(types[part.id], type_)
        return types


def _common(first: str, second: str) -> str:
    """The type of a column with two types in different kinds of records: the wider number, else text."""
    if first in _NUMBERS and second in _NUMBERS:
        return max(first, second, key=_NUMBERS.index)
    one, other = _digits(first), _digits(second)
    found = common_digits(one, other) if one and other else None
    return _TEXT if found is None else f"decimal({found[0]},{found[1]})"


def _digits(name: str) -> tuple[int, int] | None:
    """Precision and scale of the numbers of a type; None for a type that has other values."""
    if name in _WHOLE:
        return _WHOLE[name], 0
    match = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    return (int(match[1]), int(match[2])) if match else None
