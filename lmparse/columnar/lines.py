"""Lines: records as JSON objects, from what was read of many records at once.

Members are in the order of the spec; the members of a body stand in place of the body. Absent fields are null, but
absent bytes behind the known fields are left out. `records.reader` does the same for one record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import json_texts, schemas
from lmparse.columnar.columns import Columns, chosen, placed, some
from lmparse.columnar.cursors import UnfitError
from lmparse.columnar.objects import ListItems, Objects, Value
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Field
from lmparse.values.byte_arrays import Int64s

_NULL = pa.scalar("null", pa.string())


def object_texts(columns: Columns, *, has_kind: bool = False) -> pa.Array:
    """JSON objects with all fields of some objects; the kind of each object comes first if `has_kind`."""
    first = [(KIND, json_texts.values(columns.kinds()))] if has_kind else []
    return _joined([*first, *_members(columns, columns.root)], columns.root.count)


def chosen_texts(columns: Columns, names: Sequence[str], same: Mapping[str, str], *, has_kind: bool) -> pa.Array:
    """JSON objects with the fields `names`, in this order; `same` has JSON values that all records share."""
    count = columns.root.count
    members: list[Any] = []
    for name in names:
        if has_kind and name == KIND:
            members.append((name, json_texts.values(columns.kinds())))
            continue
        if name in same:
            members.append((name, pa.repeat(pa.scalar(same[name], schemas.TEXT), count)))
            continue
        found = [(which, _field(columns, one, entry)) for which, one, entry in columns.sources.get(name, ())]
        members.append((name, placed(found, schemas.TEXT, count)))
    return _joined(members, count)


def _name(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _members(columns: Columns, objects: Objects) -> list[Any]:
    """The members of JSON objects: pairs of a name and its values, or texts of several members."""
    members: list[Any] = []
    for entry in objects.layout.columns:
        if entry.kind == "body":
            members.append(_body(columns, objects, entry))
        elif entry.kind == "rest":
            values = _field(columns, objects, entry)
            lead = f", {_name(entry.id)}: "
            members.append(pc.fill_null(pc.binary_join_element_wise(lead, values, ""), ""))
        else:
            members.append((entry.id, _field(columns, objects, entry)))
    return members


def _body(columns: Columns, objects: Objects, entry: Field) -> pa.Array:
    """The members of a body, as text that continues the object around the body."""
    pieces: list[tuple[Int64s | None, pa.Array]] = []
    for which, value in objects.values.get(entry.id, ()):
        if not isinstance(value, Objects):
            raise UnfitError(f"{entry.id}: it is no record here")
        pieces.append((which, _texts(_members(columns, value), value.count)))
    return pc.fill_null(placed(pieces, schemas.TEXT, objects.count), f", {_name(entry.id)}: null")


def _texts(members: Sequence[Any], count: int) -> pa.Array:
    """Join members to texts that begin with a comma."""
    parts: list[Any] = []
    for member in members:
        if isinstance(member, tuple):
            name, values = member
            parts += [f", {_name(name)}: ", pc.fill_null(values, _NULL) if values.null_count else values]
        else:
            parts.append(member)
    return json_texts.joined(parts or [""], count)


def _joined(members: Sequence[Any], count: int) -> pa.Array:
    """Join members to JSON objects."""
    if members and isinstance(members[0], tuple):
        (name, values), *others = members
        parts: list[Any] = [f"{{{_name(name)}: ", pc.fill_null(values, _NULL) if values.null_count else values]
        return json_texts.joined([*parts, _texts(others, count), "}"], count)
    # The first member may be absent, so the leading comma of the text is cut off.
    return json_texts.joined(["{", pc.utf8_slice_codeunits(_texts(members, count), 2), "}"], count)


def _field(columns: Columns, objects: Objects, entry: Field) -> pa.Array:
    """The values of a field as JSON; null where the field is absent."""
    of = objects.stream.of
    if entry.id in objects.layout.computed and entry.id not in objects.layout.by_id:
        type_ = schemas.arrow_type(columns.layouts, entry, labels=columns.labels)
        array = columns.field(objects, entry, type_)
        return _list_texts(array) if pa.types.is_list(type_) else json_texts.values(array)
    parts = objects.values.get(entry.id, [])
    pieces = [(which, value_text(columns, entry, one, some(of, which))) for which, one in parts]
    return placed(pieces, schemas.TEXT, objects.count)


def value_text(columns: Columns, entry: Field, value: Value, of: Int64s | None) -> pa.Array:
    if isinstance(value, ListItems):
        owners = value.owners if of is None else of[value.owners]
        pieces = [(which, value_text(columns, entry, one, some(owners, which))) for which, one in value.parts]
        whole = placed(pieces, schemas.TEXT, int(value.offsets[-1]))
        return _brackets(pa.ListArray.from_arrays(pa.array(value.offsets.astype(np.int32)), pc.fill_null(whole, _NULL)))
    if entry.kind == "switch":
        choice = chosen(entry, value)
        inner = pc.fill_null(value_text(columns, choice, value, of), _NULL)
        return json_texts.joined([f"{{{_name(choice.id)}: ", inner, "}"], len(inner))
    if isinstance(value, Objects):
        return _joined(_members(columns, value), value.count)
    return json_texts.values(columns.plain(value, of))


def _list_texts(array: pa.Array) -> pa.Array:
    values = json_texts.values(array.values)
    made = pa.ListArray.from_arrays(array.offsets, pc.fill_null(values, _NULL))
    return json_texts.masked(_brackets(made), array)


def _brackets(lists: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise("[", pc.binary_join(lists, ", "), "]", "")
