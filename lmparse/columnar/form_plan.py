"""Form plans: records whose body the data choose as Arrow columns, form by form.

Each form of a window is decoded with its own columns, and its values are put at the places of its records. Records of
no form are irregular: the caller reads them by the parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays, json_texts, kernels, schemas
from lmparse.columnar.column_plans import ColumnPlan, column_plans, in_full
from lmparse.columnar.form_parts import Calculated, FieldBytes, FoundForm, Part
from lmparse.columnar.forms import forms, refusal
from lmparse.columnar.record_plan import Decoded
from lmparse.framing.windows import Window
from lmparse.records.evaluation import UnfitError
from lmparse.records.reader import RecordReader, page_of_field
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Field
from lmparse.spec.nesting import flat
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_LEAST = 16
"""Fewer records of one form are read sooner one by one."""
_SAFE = ("uint", "int", "bytes", "lsn", "variable", "rid6")
"""Kinds of which all bytes are a value."""
_AS_BYTES = ("lsn", "rid6")
"""Kinds that are shown as the bytes of their number."""


Value: TypeAlias = "FieldBytes | Part | list[Part] | Calculated"
"""What a form has of a field."""


class FormPlan:
    """How the records of a reader are decoded. `reason` states why none of them is; it is empty if some may be."""

    def __init__(self, reader: RecordReader) -> None:
        spec = self._spec = reader.spec
        self._reader, self._layouts = reader, spec.layouts
        self._arguments = dict(zip(spec.layout.params, map(int, reader.arguments), strict=True))
        self._plans: dict[tuple[int, str | None, bool], list[ColumnPlan]] = {}
        """By the identity of the field, which its layout keeps, its byte order, and whether it is for JSON."""
        self.reason = refusal(spec.layouts, spec.layout)

    @cached_property
    def _inside(self) -> list[tuple[Field, Field]]:
        """Fields with numbers inside that are columns of their own."""
        fields = flat(self._layouts, self._spec.layout)
        return [(entry, part) for entry in fields for part in schemas.parts(self._layouts, entry)]

    def _forms(self, window: Window) -> Iterator[FoundForm]:
        inside = np.flatnonzero(window.starts + window.lengths <= len(window.data))
        starts, lengths = window.starts[inside], window.lengths[inside]
        found = forms(self._layouts, self._spec.layout, self._arguments, window.data, starts, lengths,
                      has_kind=self._spec.has_kind, least=_LEAST)  # fmt: skip
        for form in found:
            yield replace(form, which=inside[form.which])

    # -- columns ---------------------------------------------------------------------------

    def decode(self, window: Window, schema: pa.Schema) -> Decoded:
        """The columns of a schema for the records of a window, without the columns about the record."""
        wanted = [entry for entry in schema if entry.name not in schemas.OUTCOMES]
        irregular = np.ones(len(window), np.bool_)
        pieces: dict[str, list[tuple[Int64s, pa.Array]]] = {entry.name: [] for entry in wanted}
        for form in self._forms(window):
            try:
                made, bad = self._columns(_Decoding(self, window.data, form, is_full=False), wanted)
            except UnfitError:
                continue
            for name, array in made.items():
                pieces[name].append((form.which, array))
            irregular[form.which] = bad
        return Decoded([_placed(pieces[entry.name], entry.type, len(window)) for entry in wanted], irregular, {}, {})

    def _columns(self, form: _Decoding, wanted: Sequence[pa.Field]) -> tuple[dict[str, pa.Array], Flags]:
        """The columns that a form has, and its records that have a bad value."""
        made = {}
        for entry in wanted:
            if entry.name == KIND and self._spec.has_kind:
                made[KIND] = form.kinds()
                continue
            found = form.fields.get(entry.name)
            if found is not None:
                made[entry.name] = _fitted(form.array(found, entry.type), entry.type)
        for whole, part in self._inside:
            name = f"{whole.id}_{part.id}"
            found = form.fields.get(whole.id)
            if found is None or all(entry.name != name for entry in wanted):
                continue
            if not isinstance(found, FieldBytes) or found.field.type != whole.type or name in form.fields:
                raise UnfitError(f"{whole.id}: it is something else here")
            made[name] = form.inside(found, name)
        return made, form.bad

    def plans(self, piece: FieldBytes, *, is_full: bool = False) -> list[ColumnPlan]:
        """How a field of fixed width is decoded, in JSON if `is_full`; the first plan is for the field itself."""
        key = id(piece.field), piece.endian, is_full
        found = self._plans.get(key)
        if found is None:
            entry = replace(piece.field, endian=piece.endian)
            if entry.kind in _AS_BYTES:
                entry = replace(entry, kind="bytes", type=None)
            elif entry.kind == "code":
                entry = replace(entry, endian="be")  # its bytes are in that order
            found = column_plans(self._layouts, piece.parent, entry, self._reader.code_page, labels=self._reader.labels)
            self._plans[key] = found = [*map(in_full, found)] if is_full else found
        if found[0].read is None:
            raise UnfitError(f"{piece.field.id}: there is no kernel for {piece.field.kind}")
        return found

    def words(self, entry: Field, numbers: Int64s) -> pa.Array:
        """A calculated value, of an enumeration by its words."""
        if not (self._reader.labels and entry.is_labelled):
            return pa.array(numbers)
        return kernels.words_of({code.value: code.id for code in entry.codes}, numbers)

    # -- lines -----------------------------------------------------------------------------

    def lines(self, window: Window, wanted: Sequence[str]) -> tuple[pa.Array, Flags]:
        """The records of a window as JSON lines, with some fields or all; and which of them are irregular."""
        irregular = np.ones(len(window), np.bool_)
        pieces: list[tuple[Int64s, pa.Array]] = []
        for form in self._forms(window):
            try:
                one = _Decoding(self, window.data, form, is_full=True)
                members = one.members(one.fields, wanted)
            except UnfitError:
                continue
            pieces.append((form.which, json_texts.joined([*json_texts.members(members), "\n"], len(form.which))))
            irregular[form.which] = one.bad
        return _placed(pieces, schemas.TEXT, len(window)), irregular

    def text_page(self, entry: Field) -> Any:
        """The code page of a text."""
        return page_of_field(entry, self._reader.code_page)


class _Decoding:
    """The values of one form while they are decoded. `bad` gets the records with a bad value."""

    def __init__(self, plan: FormPlan, data: Bytes, form: FoundForm, *, is_full: bool) -> None:
        self._plan, self._data, self._form, self._is_full = plan, data, form, is_full
        self.bad: Flags = np.zeros(len(form.which), np.bool_)
        self.fields = _flat(form.part)
        if form.kind is not None and KIND in self.fields:
            raise UnfitError("a field has the name of the kind")

    def array(self, found: Value, type_: pa.DataType) -> pa.Array:
        """The values of a field; those of a nested record for a type of struct, of a list for one of lists."""
        if isinstance(found, list):
            return self._lists(found, type_) if pa.types.is_list(type_) else self._text(found)
        if isinstance(found, Part):
            if not pa.types.is_struct(type_):
                return self._text(found)
            inner = _flat(found)
            members = []
            for entry in type_:
                one = inner.get(entry.name)
                made = pa.nulls(len(self.bad), entry.type) if one is None else self.array(one, entry.type)
                members.append(_fitted(made, entry.type))
            return pa.StructArray.from_arrays(members, fields=list(type_))
        if isinstance(found, Calculated):
            is_truth = found.field.kind == "boolean"
            values = np.broadcast_to(np.asarray(found.value, np.bool_ if is_truth else np.int64), self.bad.shape)
            return self._plan.words(found.field, values)
        if not isinstance(found.length, int) or found.field.width is None:
            return self._ragged(found)
        way = self._plan.plans(found, is_full=self._is_full)[0]
        array, bad = (way.read or kernels.binary)(self._raw(found))
        if bad is not None:
            self.bad |= bad
        return array

    def _lists(self, items: list[Part], type_: pa.DataType) -> pa.Array:
        count, many = len(self.bad), len(items)
        made = [_fitted(self.array(item, type_.value_type), type_.value_type) for item in items]
        whole = pa.concat_arrays(made) if made else pa.nulls(0, type_.value_type)
        # From one item of all records after the other to all items of one record after the other.
        order = np.arange(many * count).reshape(many, count).T.ravel()
        offsets = np.arange(0, (count + 1) * many, many) if many else np.zeros(count + 1)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), whole.take(pa.array(order)), type_)

    def _text(self, found: Part | list[Part]) -> pa.Array:
        """A nested record or a list as JSON text, also where other forms have something else under its name."""
        if isinstance(found, list):
            parts: list[Any] = []
            for item in found:
                parts += [", " if parts else "[", self._text(item)]
            return json_texts.joined([*parts, "]"] if parts else ["[]"], len(self.bad))
        was, self._is_full = self._is_full, True
        members = json_texts.members(self.members(_flat(found)))
        self._is_full = was
        return json_texts.joined(members, len(self.bad))

    def inside(self, piece: FieldBytes, name: str) -> pa.Array:
        """A number inside a field."""
        way = next(one for one in self._plan.plans(piece) if one.column == name)
        start = way.offset - (piece.field.offset or 0)
        array, _ = (way.read or kernels.binary)(self._raw(piece)[:, start : start + (way.width or 0)])
        return array

    def _raw(self, piece: FieldBytes) -> Bytes:
        assert isinstance(piece.length, int)
        raw = byte_arrays.take_rows(self._data, piece.place.array, piece.length)
        return raw if piece.order is None else np.ascontiguousarray(raw[:, piece.order])

    def _ragged(self, piece: FieldBytes) -> pa.Array:
        starts = piece.place.array
        lengths = np.broadcast_to(np.asarray(piece.length, np.int64), starts.shape)
        if piece.field.kind != "char":
            return arrays.ragged_binary(
                self._data, starts, lengths, lengths == 0 if piece.field.kind == "rest" else None
            )
        page = self._plan.text_page(piece.field)
        if kernels.text_refusal(page):
            raise UnfitError(f"{piece.field.id}: {kernels.text_refusal(page)}")
        array, bad = kernels.ragged_text(page, self._data, starts, lengths)
        if bad is not None:
            self.bad |= bad
        return pc.utf8_rtrim(array, characters=" ")

    def kinds(self) -> pa.Array:
        """What each record is, in words."""
        kind = self._form.kind
        assert kind is not None
        names = {code.value: f"{kind.spec}.{code.id}" for code in kind.codes}
        numbers = np.broadcast_to(np.asarray(kind.number), self.bad.shape)
        different, which = np.unique(numbers, return_inverse=True)
        shown = [names.get(number, f"{kind.spec}.unlisted_{number}") for number in different.tolist()]
        return pa.array(shown, schemas.TEXT).take(pa.array(which))

    def members(self, fields: dict[str, Value | None], wanted: Sequence[str] = ()) -> dict[str, Any]:
        """JSON values by name, each with whether it is left out where it is null; all, or the wanted ones."""
        members: dict[str, Any] = {}
        for name in wanted or ((KIND, *fields) if fields is self.fields and self._form.kind else fields):
            if name == KIND and fields is self.fields and self._form.kind:
                members[name] = json_texts.values(self.kinds()), False
                continue
            found = fields.get(name)
            if found is None:
                members[name] = "null", False
            elif isinstance(found, Part | list):
                members[name] = self._text(found), False
            elif isinstance(found, Calculated):
                members[name] = json_texts.values(self.array(found, schemas.TEXT)), False
            else:
                is_omitted = found.field.kind == "rest" and not wanted
                if is_omitted and not members:
                    raise UnfitError(f"{name}: it is the first field")
                members[name] = json_texts.values(self.array(found, schemas.TEXT)), is_omitted
        return members


def _flat(part: Part) -> dict[str, Value | None]:
    """The fields of a part by name, with those of its bodies; as `RecordReader.values_of` has them."""
    found: dict[str, Value | None] = {}
    for entry in part.layout:
        value = part.values[entry.id]
        if entry.kind == "body" and value is not None:
            for name, one in _flat(value).items():
                _add(found, name, one)
        elif value is not None or entry.kind != "rest":
            _add(found, entry.id, value)
    for name, one in part.calculated.items():
        _add(found, name, one)
    return found


def _add(found: dict[str, Value | None], name: str, value: Value | None) -> None:
    before = found.get(name)
    is_rest = isinstance(value, FieldBytes) and value.field.kind == "rest"
    # The parser shows the last one, but tests the values of all.
    is_tested = before is not None and (not isinstance(before, FieldBytes) or before.field.kind not in _SAFE)
    if (is_rest and name in found) or is_tested:
        raise UnfitError(f"{name}: there are several")
    found[name] = value


def _fitted(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """Values in the type that a column has for the records of all forms."""
    if array.type == type_:
        return array
    if type_ == schemas.TEXT:
        if pa.types.is_integer(array.type):
            return array.cast(type_)
        if pa.types.is_binary(array.type):
            return json_texts.hexadecimal(array)
        if pa.types.is_decimal(array.type):
            return json_texts.decimals(array)
    elif pa.types.is_integer(array.type) or pa.types.is_decimal(array.type):
        try:
            return array.cast(type_)
        except pa.ArrowInvalid as error:
            raise UnfitError(str(error)) from error
    raise UnfitError(f"{array.type} is not {type_}")


def _placed(pieces: list[tuple[Int64s, pa.Array]], type_: pa.DataType, count: int) -> pa.Array:
    """A column of `count` records from the values of some, each with their numbers; the others are null."""
    if not pieces:
        return pa.nulls(count, type_)
    if len(pieces) == 1 and len(pieces[0][0]) == count:
        return pieces[0][1]
    order, begin = np.full(count, -1, np.int64), 0
    for which, _ in pieces:
        order[which] = np.arange(begin, begin + len(which))
        begin += len(which)
    whole = pa.concat_arrays([array for _, array in pieces])
    return whole.take(pa.array(order, mask=order < 0))
