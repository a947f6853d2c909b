"""Columns: Arrow arrays of what was read of many objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import arrays, json_texts, kernels, schemas
from lmparse.columnar.column_plans import ColumnPlan, column_plans, in_full
from lmparse.columnar.cursors import UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.objects import FieldBytes, ListItems, Lists, Numbers, Objects, Parts, Value
from lmparse.columnar.reading import Reading
from lmparse.columnar.refusals import OF_ANY_LENGTH
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Code, Field, Layout, spec_of
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Int64s
from lmparse.values.codepages import CodePage, page_of_field

_AS_BYTES = ("lsn", "rid6")
"""Kinds whose numbers are shown as bytes."""
_CHOSEN = {"uint": ("uint", "int"), "int": ("uint", "int"), "code": ("uint", "int")}
"""For each kind of number, the kinds of the choices of a switch field that this number may belong to."""
Source: TypeAlias = "tuple[Int64s | None, Objects, Field]"
"""Objects that have a field, with the numbers of the outermost objects around them (None for all), and the field."""

TextOf: TypeAlias = "Callable[[Columns, Field, Value, Int64s | None], pa.Array]"


class ColumnPlans:
    """Column plans of fields of fixed width, made once for each field and form."""

    def __init__(self, layouts: Mapping[str, Layout], page: CodePage, text_of: TextOf, *, labels: bool) -> None:
        self.layouts, self.page, self.labels = layouts, page, labels
        self.text_of = text_of
        """Makes JSON text of nested values in columns of text."""
        self._plans: dict[tuple[int, str | None, int, bool], list[ColumnPlan]] = {}
        """By identity of the field (layouts keep their fields), byte order, width in bytes, and `is_full`."""

    def of(self, piece: FieldBytes, *, is_full: bool = False) -> list[ColumnPlan]:
        """The plan of a field, then those of the numbers inside the field. Raises UnfitError if no kernel fits."""
        key = id(piece.field), piece.endian, piece.width, is_full
        found = self._plans.get(key)
        if found is None:
            entry = replace(piece.field, endian=piece.endian, width=piece.width, repeated=False)
            if entry.kind in _AS_BYTES:
                entry = replace(entry, kind="bytes", type=None)
            elif entry.kind == "code":
                entry = replace(entry, endian="be")  # the order of `FieldBytes.raw` is already that of display
            found = column_plans(self.layouts, piece.layout, entry, self.page, labels=self.labels)
            self._plans[key] = found = [*map(in_full, found)] if is_full else found
        if found[0].read is None:
            raise UnfitError(f"{piece.field.id}: there is no kernel for {piece.field.kind}")
        return found


class Columns:
    """The columns of the records of a window. A record with a bad value is marked and left to the parser."""

    def __init__(self, plans: ColumnPlans, reading: Reading, root: Objects, *, is_full: bool = False) -> None:
        self._plans, self._reading, self._is_full = plans, reading, is_full
        self.layouts, self.labels = plans.layouts, plans.labels
        self.root, self.records = root, root.records
        self.sources = sources(root)

    def column(self, name: str, type_: pa.DataType | None) -> pa.Array:
        """The column of a field for all records, in a type; without a type, in the natural type of the field."""
        owners = self.sources.get(name, [])
        if len(owners) == 1 and owners[0][0] is None:
            return self.field(*owners[0][1:], type_)
        found = [(which, self.field(objects, entry, type_)) for which, objects, entry in owners]
        return placed(found, type_ or schemas.TEXT, self.root.count)

    def gather(self, names: Iterable[str]) -> None:
        """Copy the bytes of neighbouring fields from the records in one pass."""
        groups: dict[int, list[FieldBytes]] = {}
        for name in names:
            for _, objects, entry in self.sources.get(name, ()):
                for _, value in objects.values.get(entry.id, ()):
                    if isinstance(value, FieldBytes) and isinstance(value.length, int):
                        groups.setdefault(id(value.place.base), []).append(value)
        for found in groups.values():
            low = min(one.place.offset for one in found)
            high = max(one.place.offset + int(one.length) for one in found)
            if len(found) > 1 and high > low:
                rows = byte_arrays.take_rows(found[0].data, found[0].place.base + low, high - low)
                for one in found:
                    one.gathered = low, rows

    # -- values -----------------------------------------------------------------------------

    def field(self, objects: Objects, entry: Field, type_: pa.DataType | None) -> pa.Array:
        """The values of a field in some objects."""
        of = objects.stream.of
        parts = objects.values.get(entry.id, [])
        if len(parts) == 1 and parts[0][0] is None and isinstance(parts[0][1], FieldBytes) and entry.kind != "switch":
            return fitted(self.plain(parts[0][1], of), type_)
        if entry.id in objects.layout.computed and entry.id not in objects.layout.by_id:
            return fitted(self._calculated(objects, entry, type_), type_)
        return placed(self._pieces(entry, parts, type_, of), type_ or schemas.TEXT, objects.count)

    def _pieces(
        self, entry: Field, parts: Parts, type_: pa.DataType | None, of: Int64s | None
    ) -> list[tuple[Int64s | None, pa.Array]]:
        return [(which, fitted(self._array(entry, one, type_, some(of, which)), type_)) for which, one in parts]

    def _array(self, entry: Field, value: Value, type_: pa.DataType | None, of: Int64s | None) -> pa.Array:
        if type_ == schemas.TEXT and (entry.kind == "switch" or not isinstance(value, FieldBytes | Numbers)):
            whole = Columns(self._plans, self._reading, self.root, is_full=True)
            return self._plans.text_of(whole, entry, value, of)
        if isinstance(value, ListItems):
            return self._list(entry, value, type_, of)
        if entry.kind == "switch" and type_ is not None and pa.types.is_struct(type_):
            choice = chosen(entry, value)
            members = [
                fitted(self._array(choice, value, one.type, of), one.type)
                if one.name == choice.id
                else pa.nulls(value.count, one.type)
                for one in type_
            ]
            return pa.StructArray.from_arrays(members, fields=list(type_))
        if isinstance(value, Objects):
            if type_ is None or not pa.types.is_struct(type_):
                raise UnfitError(f"{entry.id}: it is an object here, and something else in other records")
            found = sources(value)
            made = [
                placed([(w, self.field(o, e, one.type)) for w, o, e in found.get(one.name, ())], one.type, value.count)
                for one in type_
            ]
            return pa.StructArray.from_arrays(made, fields=list(type_))
        return self.plain(value, of)

    def _list(self, entry: Field, value: ListItems, type_: pa.DataType | None, of: Int64s | None) -> pa.Array:
        if type_ is None or not pa.types.is_list(type_):
            raise UnfitError(f"{entry.id}: it is a list here, and something else in other records")
        total, item = int(value.offsets[-1]), type_.value_type
        owners = value.owners if of is None else of[value.owners]
        whole = placed(self._pieces(entry, value.parts, item, owners), item, total)
        return pa.ListArray.from_arrays(pa.array(value.offsets.astype(np.int32)), whole, type_)

    def plain(self, value: FieldBytes | Numbers, of: Int64s | None) -> pa.Array:
        """The values of a field that is neither nested nor a list."""
        if isinstance(value, Numbers):
            return self._numbers(value)
        if isinstance(value.length, int) and value.field.kind not in ("rest", "variable"):
            way = self._plans.of(value, is_full=self._is_full)[0]
            raw, unfit = value.converted()
            array, bad = (way.read or kernels.binary)(raw)
            for flags in (unfit, bad):
                if flags is not None:
                    self.records.leave(of, flags)
            return array
        return self._ragged(value, of)

    def part(self, name: str, whole: Field, type_: pa.DataType) -> pa.Array:
        """The column of a number inside the field `whole`. Raises UnfitError if records have another such field."""
        pieces = []
        for which, objects, entry in self.sources.get(whole.id, ()):
            for rows, value in objects.values.get(entry.id, ()):
                if not isinstance(value, FieldBytes) or entry.type != whole.type or name in self.sources:
                    raise UnfitError(f"{whole.id}: it is something else here")
                way = next(one for one in self._plans.of(value) if one.column == name)
                start = way.offset - (value.field.offset or 0)
                array, _ = (way.read or kernels.binary)(value.raw()[:, start : start + (way.width or 0)])
                pieces.append((some(which, rows), array))
        return placed(pieces, type_, self.root.count)

    def raw(self, name: str) -> Bytes:
        """(n, width) bytes of a field. Raises UnfitError if some records lack the field."""
        value = self._only(name)
        return value.raw()

    def rest(self, name: str) -> tuple[Int64s, Int64s]:
        """Offsets and lengths of a field in the window's data. Raises UnfitError if some records lack the field."""
        value = self._only(name)
        return value.place.array, value.lengths()

    def _only(self, name: str) -> FieldBytes:
        parts = self.root.values.get(name, [])
        if len(parts) != 1 or parts[0][0] is not None or not isinstance(parts[0][1], FieldBytes):
            raise UnfitError(f"{name}: not all records have it")
        return parts[0][1]

    def _ragged(self, value: FieldBytes, of: Int64s | None) -> pa.Array:
        starts, lengths = value.place.array, value.lengths()
        if value.field.kind not in OF_ANY_LENGTH:
            self.records.leave(of, np.ones(len(lengths), np.bool_))
            return pa.nulls(len(lengths), schemas.arrow_type(self._plans.layouts, replace(value.field, repeated=False)))
        if value.field.kind != "char":
            return arrays.ragged_binary(
                value.data, starts, lengths, lengths == 0 if value.field.kind == "rest" else None
            )
        page = page_of_field(value.field, self._plans.page)
        if kernels.text_refusal(page):
            raise UnfitError(f"{value.field.id}: {kernels.text_refusal(page)}")
        array, bad = kernels.ragged_text(page, value.data, starts, lengths)
        if bad is not None:
            self.records.leave(of, bad)
        return pc.utf8_rtrim(array, characters=" ")

    def _numbers(self, value: Numbers) -> pa.Array:
        entry, data = value.field, value.values.data
        if isinstance(data, pa.Array):
            return data
        if self._plans.labels and entry.is_labelled:
            return kernels.words_of({code.value: code.id for code in entry.codes}, data)
        if entry.scale:
            type_ = schemas.arrow_type(self._plans.layouts, replace(entry, repeated=False))
            raw = np.ascontiguousarray(data.astype(">u8")).view(np.uint8).reshape(-1, 8)
            return kernels.integer(type_, "big", False, raw)[0]
        return pa.array(data)

    def _calculated(self, objects: Objects, entry: Field, type_: pa.DataType | None) -> pa.Array:
        value, absent = self._reading.computed(objects, entry.id)
        bad = value.bad
        if bad is not None:
            missing = np.broadcast_to(bad, (objects.count,)) & (True if absent is None else ~absent)
            self.records.leave(objects.stream.of, missing)
        if absent is not None and absent.all():
            return pa.nulls(objects.count, type_ or schemas.TEXT)
        array = (
            self._of_lists(value, entry, type_)
            if isinstance(value, Lists)
            else self._of_vector(value, entry, objects.count)
        )
        return array if absent is None or not absent.any() else pc.if_else(pa.array(absent), None, array)

    def _of_vector(self, value: Any, entry: Field, count: int) -> pa.Array:
        if not isinstance(value, Vector) or entry.repeated or entry.kind == "any":
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        data = value.data
        if entry.kind == "boolean":
            return pa.array(value.truths(count)[0])
        if entry.kind == "int":
            numbers = value.whole(count)[0]
            return self._numbers(Numbers(Vector(numbers), entry, count))
        if entry.kind == "float":
            real = value.numbers().data
            return pa.array(np.broadcast_to(np.asarray(real, np.float64), (count,)))
        type_ = pa.string() if entry.kind == "str" else pa.binary()
        if isinstance(data, str | bytes):
            return pa.repeat(pa.scalar(data, type_), count)
        if not isinstance(data, pa.Array) or data.type != type_:
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        return data

    def _of_lists(self, value: Lists, entry: Field, type_: pa.DataType | None) -> pa.Array:
        if type_ is None or not pa.types.is_list(type_) or not entry.repeated:
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        starts, counts = value.bounds()
        items = value.items
        item = replace(entry, repeated=False)
        whole = placed(
            [(w, fitted(self._calculated_item(item, one), type_.value_type)) for w, one in items.parts],
            type_.value_type, int(items.offsets[-1]),
        )  # fmt: skip
        offsets = np.concatenate(([0], np.cumsum(counts)))
        index = np.repeat(starts - offsets[:-1], counts) + np.arange(int(offsets[-1]))
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), whole.take(pa.array(index)), type_)

    def _calculated_item(self, entry: Field, value: Value) -> pa.Array:
        if isinstance(value, Objects | ListItems):
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        return self._of_vector(value.vector(), entry, value.count)

    # -- what a record is ---------------------------------------------------------------------

    def kinds(self) -> pa.Array:
        """The kind of each record in words, such as `db2_log.insert`, by the innermost object that states one."""
        pieces = [*_kinds(self._reading, self.root)]
        order = np.full(self.root.count, -1)
        begin = 0
        for which, array in pieces:
            order[slice(None) if which is None else which] = np.arange(begin, begin + len(array))
            begin += len(array)
        if (order < 0).any():
            self.records.leave(None, order < 0)
        if not pieces:
            return pa.nulls(self.root.count, schemas.TEXT)
        return pa.concat_arrays([array for _, array in pieces]).take(pa.array(order, mask=order < 0))


def sources(objects: Objects) -> dict[str, list[Source]]:
    """Where each column of some objects is read, by name; the fields of a body are columns of the object around it."""
    found: dict[str, list[Source]] = {}
    for entry in objects.layout.columns:
        if entry.kind != "body":
            found.setdefault(entry.id, []).append((None, objects, entry))
            continue
        for which, value in objects.values.get(entry.id, ()):
            if isinstance(value, Objects):
                for name, inner in sources(value).items():
                    found.setdefault(name, []).extend((some(which, rows), one, own) for rows, one, own in inner)
    return found


def _kinds(reading: Reading, objects: Objects) -> Iterator[tuple[Int64s | None, pa.Array]]:
    """Yield the numbers of objects that state a kind, and their words; inner objects come later and have precedence."""
    layout = objects.layout
    if KIND in objects.values or KIND in layout.params or KIND in layout.computed:
        number, bad = reading.attribute(objects, KIND).whole(objects.count)
        rows = None if bad is None else np.flatnonzero(~bad)
        numbers = number if rows is None else number[rows]
        codes = _codes(layout)
        words = dict.fromkeys(np.unique(numbers).tolist(), "") | {code.value: code.id for code in codes}
        spec = spec_of(layout.id)
        shown = {one: f"{spec}.{word or f'unlisted_{one}'}" for one, word in words.items()}
        yield rows, kernels.words_of(shown, numbers)
    for which, value in objects.values.get("body", ()):
        if isinstance(value, Objects):
            for rows, array in _kinds(reading, value):
                yield some(which, rows), array


def _codes(layout: Layout) -> tuple[Code, ...]:
    if KIND in layout.by_id:
        return layout[KIND].codes
    codes = layout.param_codes.get(KIND, ()) if KIND in layout.params else layout.computed[KIND].codes
    if codes is None:
        raise UnfitError("only the parser knows the name of its kind")
    return codes


def some(of: Int64s | None, which: Int64s | None) -> Int64s | None:
    """The numbers `of` at the places `which`; None stands for all on either side."""
    return which if of is None else of if which is None else of[which]


def chosen(entry: Field, value: Value) -> Field:
    """The choice of a switch field that a value belongs to; as `RecordReader.chosen`."""
    if isinstance(value, Objects):
        return next(choice for choice in entry.choices if choice.type == value.layout.id)
    assert not isinstance(value, ListItems)
    kind = value.field.kind
    if value.field in entry.choices:
        return value.field
    kinds = _CHOSEN.get(kind, ("variable",) if kind == "bytes" else (kind,))
    return next(choice for choice in entry.choices if choice.type is None and choice.kind in kinds)


def fitted(array: pa.Array, type_: pa.DataType | None) -> pa.Array:
    """The array converted to the common type of its column. Raises UnfitError if a value does not fit the type."""
    if type_ is None or array.type == type_:
        return array
    if type_ == schemas.TEXT:
        if pa.types.is_integer(array.type) or pa.types.is_boolean(array.type):
            return array.cast(type_)
        if pa.types.is_binary(array.type):
            return json_texts.hexadecimal(array)
        if pa.types.is_decimal(array.type):
            return json_texts.decimals(array)
    elif _is_number(array.type) and _is_number(type_):
        try:
            return array.cast(type_)
        except pa.ArrowInvalid as error:
            raise UnfitError(str(error)) from error
    raise UnfitError(f"{array.type} is not {type_}")


def _is_number(type_: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type_) or pa.types.is_decimal(type_))


def placed(pieces: Sequence[tuple[Int64s | None, pa.Array]], type_: pa.DataType, count: int) -> pa.Array:
    """A column of `count` values from pieces with the numbers of their rows (None: all). Rows in no piece are null."""
    if not pieces:
        return pa.nulls(count, type_)
    if len(pieces) == 1 and (pieces[0][0] is None or len(pieces[0][0]) == count):
        return pieces[0][1]
    order, begin = np.full(count, -1, np.int64), 0
    for which, array in pieces:
        order[slice(None) if which is None else which] = np.arange(begin, begin + len(array))
        begin += len(array)
    whole = pa.concat_arrays([array for _, array in pieces])
    return whole.take(pa.array(order, mask=order < 0))
