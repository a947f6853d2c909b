"""Reading: the fields of a spec in many records at once, by the layouts.

The expressions of the spec decide for all records together whether a field is there, which case a switch type has, and
how long the field is. Where records differ, a field is read for some records. Records that the parser would refuse, or
that only the parser can read, are marked for the parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from lmparse.columnar import endings
from lmparse.columnar.bits import bit_field
from lmparse.columnar.branches import read_nested
from lmparse.columnar.byte_orders import order_of, order_of_type, shown_order, typed_value
from lmparse.columnar.contexts import Context, StreamValue
from lmparse.columnar.cursors import NothingLeftError, Place, Records, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.lists import read_items
from lmparse.columnar.objects import FieldBytes, ListItems, Numbers, Objects, Parts, Reference, Value, seen
from lmparse.columnar.restoring import restored as restore
from lmparse.spec.layout import NESTED, Computed, Expression, Field, Layout, spec_of
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_REST: Expression = ("rest",)
_DEEPEST = 32
"""Depth of nested objects above which the parser reads the record."""


class Reading:
    """Reads the fields of the records of a window."""

    def __init__(self, layouts: Mapping[str, Layout], data: Bytes) -> None:
        self.layouts, self.data = layouts, data
        self._stream: Stream | None = None
        """The stream of the field being read; None while instances are read."""

    def read(self, layout: Layout, arguments: dict[str, Any], starts: Int64s, lengths: Int64s) -> Objects:
        """Read records as objects of one layout; `records.bad` of the result flags those left to the parser."""
        records, start = Records(lengths), Place(starts)
        vectors = {name: Vector(value) for name, value in arguments.items()}
        objects = Objects(layout, Stream(records, None, start, starts + lengths, start, self.data), arguments=vectors)
        self.read_fields(objects)
        self._stream = None
        for inner in [*inside(objects)]:
            for entry in inner.layout:
                if entry.is_instance:
                    self._instance(inner, entry)
        return objects

    # -- fields -------------------------------------------------------------------------

    def read_fields(self, objects: Objects) -> None:
        steps = objects.layout.steps
        try:
            if objects.depth > _DEEPEST:
                objects.stream.demand(np.zeros(objects.count, np.bool_))
            objects.order, objects.is_ordered = order_of_type(self, objects), True
            for step in steps:
                self._stream = objects.stream
                if len(step) > 1:
                    self._run(objects, step)
                else:
                    objects.values[step[0].id] = self._field(objects, step[0], objects.stream)
        except (NothingLeftError, UnfitError):
            objects.records.leave(objects.stream.of, np.ones(objects.count, np.bool_))
            for entry in chain(*steps):
                objects.values.setdefault(entry.id, [])

    def _run(self, objects: Objects, fields: tuple[Field, ...]) -> None:
        """Read fields of fixed width that follow one another in all objects."""
        widths = [entry.width or 0 for entry in fields]
        place, data = objects.stream.take(sum(widths)), objects.stream.data
        offset = place.offset
        for entry, width in zip(fields, widths, strict=True):
            order = order_of(objects, None, entry, width)
            one = FieldBytes(
                data, Place(place.base, offset), width, entry, objects.layout, order, shown_order(entry, order)
            )
            objects.values[entry.id] = [(None, one)]
            offset += width

    def _instance(self, objects: Objects, entry: Field) -> None:
        """Read an instance at a position, then the instances of the objects inside it."""
        if entry.id in objects.values:
            return
        if entry.id in objects.open:
            raise UnfitError(f"{entry.id}: it depends on itself")
        self._demand_whole_bytes()
        objects.open.add(entry.id)
        stream = objects.stream.copy()
        try:
            found: Parts = self._field(objects, entry, stream)
        except (NothingLeftError, UnfitError):
            objects.records.leave(objects.stream.of, np.ones(objects.count, np.bool_))
            found = []
        objects.values[entry.id] = found
        for inner in [deep for _, value in found for one in _objects_in(value) for deep in inside(one)]:
            for one in inner.layout:
                if one.is_instance:
                    self._instance(inner, one)

    def _demand_whole_bytes(self) -> None:
        """Raise UnfitError within a byte: the parser would lose its bits when it goes to another place and back."""
        if self._stream is not None and np.any(self._stream.cursor.bits):
            raise UnfitError("something at another place is needed between bits of a byte")

    def _field(self, objects: Objects, entry: Field, whole: Stream) -> Parts:
        """Read a field of the objects that have it."""
        which, stream = None, whole
        if entry.condition is not None:
            here = Context(self, objects, None, None if entry.is_instance else whole)
            holds = whole.known(here.truths(entry.condition))
            if not holds.all():
                which = np.flatnonzero(holds)
                if not len(which):
                    return []
                stream = whole.some(which)
        context = Context(self, objects, which, stream)
        try:
            if entry.is_instance:
                stream = self._at(context, entry, stream)
                context = Context(self, objects, which, stream)
            parts: Parts = (
                [(None, read_items(self, context, stream, entry))]
                if entry.repeated
                else self.one(context, stream, entry)
            )
        except (NothingLeftError, UnfitError):
            if which is None:
                raise
            stream.records.leave(stream.of, np.ones(len(which), np.bool_))
            return []
        if which is not None:
            if not entry.is_instance:
                whole.move(which, stream)
            parts = [(which if rows is None else which[rows], value) for rows, value in parts]
        return parts

    def _at(self, context: Context, entry: Field, stream: Stream) -> Stream:
        """The stream at the position of an instance."""
        outside = Context(self, context.objects, context.which, None)
        if entry.io is not None:
            found = outside.value(entry.io)
            if not isinstance(found, StreamValue):
                raise UnfitError(f"{entry.id}: only the parser knows its stream")
            stream = found.stream.copy() if found.which is None else found.stream.some(found.which)
        return stream.at(stream.known(outside.value(entry.pos).whole(context.count)))

    def one(self, context: Context, stream: Stream, entry: Field) -> Parts:
        """Read a field that is no list, or one item of each list."""
        if entry.kind in NESTED or entry.switch:
            parts = read_nested(self, context, stream, entry)
        else:
            parts = [(None, self._value(context, stream, entry))]
        if entry.demands or entry.minimum is not None or entry.maximum is not None:
            self._check(context, stream, entry, seen(parts, context.count))
        return parts

    def _value(self, context: Context, stream: Stream, entry: Field) -> FieldBytes | Numbers:
        if entry.restore is not None:
            stream = self.restored(context, stream, entry)
            width = None if entry.process == "zlib" else self.width_of(entry)
            found = FieldBytes(stream.data, stream.start, width or stream.size, entry, context.objects.layout)
            return endings.text(stream, found) if entry.kind == "str" else found
        if entry.bits:
            return bit_field(stream, entry)
        if entry.type is not None:
            return typed_value(self, context, stream, entry)
        width = self.width_of(entry)
        order = order_of(context.objects, context.which, entry, width)
        place, length = (
            self.bytes_of(context, stream, entry) if width is None or entry.ending else (stream.take(width), width)
        )
        shown = shown_order(entry, order) if width is not None else None
        found = FieldBytes(stream.data, place, length, entry, context.objects.layout, order, shown)
        return endings.text(stream, found) if entry.kind == "str" else found

    def bytes_of(self, context: Context, stream: Stream, entry: Field) -> tuple[Place, int | Int64s]:
        """Read the bytes of a field; the result is their place, and their length without padding and terminator."""
        if entry.size is None and entry.width is None:
            if entry.ending is None or entry.ending.terminator is None:
                raise UnfitError(f"{entry.id}: it has no length")
            return endings.to_terminator(stream, entry.ending)
        size = entry.width if entry.width is not None else self._size(context, stream, entry.size)
        place = stream.take(size)
        if isinstance(size, np.ndarray):
            size = stream.cursor.array - place.array
        return place, size if entry.ending is None else endings.cut(stream, place, size, entry.ending)

    def restored(self, context: Context, stream: Stream, entry: Field) -> Stream:
        """Read the bytes of a field, and return a stream of the bytes that its `process` makes of them."""
        if entry.ending is not None:
            raise UnfitError(f"{entry.id}: its bytes are restored, and end at a byte")
        place, length = self.bytes_of(context, stream, entry)
        assert isinstance(entry.restore, tuple)
        name, *arguments = entry.restore
        return restore(stream, place, length, str(name), [context.value(one) for one in arguments])

    def _size(self, context: Context, stream: Stream, size: Expression) -> int | Int64s:
        if size == _REST:
            left: Int64s = stream.end - stream.align().array
            return left
        if isinstance(size, int):
            return size
        number: Int64s = stream.known(context.value(size).whole(context.count))
        return number

    def width_of(self, entry: Field) -> int | None:
        """Width of one value in bytes if all objects have the same width; None otherwise."""
        if entry.bits or entry.switch or entry.kind == "rest":
            return None
        if not entry.repeated and entry.width is not None:
            return entry.width
        if isinstance(entry.size, int) and not isinstance(entry.size, bool):
            return entry.size
        if entry.size is not None or entry.ending is not None:
            return None
        return self.layouts[entry.type].width if entry.type is not None else entry.number_width

    def inner(self, context: Context, type_: str, arguments: tuple[Expression, ...], stream: Stream) -> Objects:
        layout, above = self.layouts[type_], context.objects
        if len(arguments) != len(layout.params):
            raise UnfitError(f"{type_}: needs {', '.join(layout.params)}")
        values = {name: context.value(one) for name, one in zip(layout.params, arguments, strict=True)}
        for value in values.values():
            if isinstance(value, Vector) and value.bad is not None:
                stream.demand(~np.broadcast_to(value.bad, (context.count,)))
        is_local = spec_of(type_) == spec_of(above.layout.id)
        inner = Objects(layout, stream, above if is_local else None, context.which if is_local else None, values)
        inner.depth = above.depth + 1
        return inner

    def _check(self, context: Context, stream: Stream, entry: Field, own: Any) -> None:
        demands = list(entry.demands)
        value: Expression = ("name", "_")
        if entry.minimum is not None:
            demands.append((">=", value, entry.minimum))
        if entry.maximum is not None:
            demands.append(("<=", value, entry.maximum))
        for one in demands:
            holds, bad = context.about(own).truths(one)
            stream.demand(holds if bad is None else holds & ~bad)

    # -- values of names ------------------------------------------------------------------

    def attribute(self, objects: Objects, name: str, stream: Stream | None = None) -> Any:
        """The values of a name for all objects: a field, parameter, instance, `_root`, `_parent` or `_io`.

        `stream` is given only if all objects need an instance now: its value may then depend on how far they are read.
        """
        if name == "_root":
            return self._root(objects)
        if name == "_parent" and objects.above is not None:
            return Reference([(None, objects.above, objects.within)], objects.count)
        if name == "_io":
            return StreamValue(objects.stream, None, False)
        if name not in objects.attributes:
            objects.attributes[name] = self._attribute(objects, name, stream)
        return objects.attributes[name]

    def _root(self, objects: Objects) -> Reference:
        numbers: Int64s | None = None
        one = objects
        while one.above is not None:
            if one.within is not None:
                numbers = one.within if numbers is None else one.within[numbers]
            one = one.above
        return Reference([(None, one, numbers)], objects.count)

    def _attribute(self, objects: Objects, name: str, stream: Stream | None) -> Any:
        layout = objects.layout
        if name in layout.by_id and layout[name].is_instance:
            self._instance(objects, layout[name])
        if name in objects.values:
            return seen(objects.values[name], objects.count)
        if name in objects.arguments:
            return objects.arguments[name]
        if name not in layout.computed:
            raise UnfitError(f"only the parser knows {name}")
        return self.computed(objects, name, stream)[0]

    def computed(self, objects: Objects, name: str, stream: Stream | None = None) -> tuple[Any, Flags | None]:
        """The values of an instance without bytes, and flags of objects where its `if` fails (None without `if`)."""
        if name in objects.open:
            raise UnfitError(f"{name}: it depends on itself")
        objects.open.add(name)
        try:
            return self._computed(objects, objects.layout.computed[name], stream)
        finally:
            objects.open.discard(name)

    def _computed(self, objects: Objects, found: Computed, stream: Stream | None) -> tuple[Any, Flags | None]:
        context = Context(self, objects, None, stream if found.condition is None else None)
        absent = None
        if found.condition is not None:
            holds, bad = context.truths(found.condition)
            if not holds.any():
                return Vector(0, np.ones(objects.count, np.bool_)), ~holds if bad is None else ~holds & ~bad
            absent = ~holds
        value = context.value(found.value)
        if found.width:
            value = self._peek(objects, found, value)
        if found.condition is None:
            return value, None
        value = value.without(absent if bad is None else absent | bad)
        return value, absent if bad is None else absent & ~bad

    def _peek(self, objects: Objects, found: Computed, place: Vector) -> Vector:
        """A number read at `place` without moving the cursor; no value where the place is outside of the stream."""
        self._demand_whole_bytes()
        if not objects.is_ordered and objects.layout.little is not None:
            raise UnfitError("it is needed before its byte order is known")
        number, bad = place.whole(objects.count)
        holds = (number >= 0) & (number <= objects.stream.size - found.width)
        if bad is not None:
            holds &= ~bad
        starts = byte_arrays.stand_in(objects.stream.start.array + number, holds)
        if starts is None:
            return Vector(0, ~holds)
        order = objects.order if found.endian is None else found.endian
        if order is None and found.width > 1:
            raise UnfitError("it has no byte order")
        entry = Field("", None, found.width, "int" if found.is_signed else "uint")
        seen_ = FieldBytes(
            objects.stream.data, Place(starts), found.width, entry, objects.layout, "be" if order is None else order
        ).vector()
        return seen_ if holds.all() else seen_.without(~holds)


def unread_bytes(root: Objects) -> Int64s:
    """Bytes of each record that no field has read, in the stream of the record and in streams of nested fields."""
    found = np.zeros(root.count, np.int64)
    streams = [root.stream, *(value.sized_stream for value in _values_in(root) if value.sized_stream is not None)]
    for stream in streams:
        left = stream.end - stream.align().array
        found += left if stream.of is None else np.bincount(stream.of, left, root.count).astype(np.int64)
    return found


def _values_in(value: Value) -> Iterator[FieldBytes | Objects]:
    """Yield objects, all objects nested in them, and all fields with bytes."""
    if isinstance(value, FieldBytes | Objects):
        yield value
    nested = (
        value.values.values() if isinstance(value, Objects) else [value.parts] if isinstance(value, ListItems) else []
    )
    for parts in nested:
        for _, one in parts:
            yield from _values_in(one)


def inside(objects: Objects) -> Iterator[Objects]:
    """Yield an object and all objects inside it."""
    yield objects
    for parts in objects.values.values():
        for _, value in parts:
            for one in _objects_in(value):
                yield from inside(one)


def _objects_in(value: Any) -> Iterable[Objects]:
    if isinstance(value, Objects):
        return [value]
    return [one for _, part in value.parts for one in _objects_in(part)] if isinstance(value, ListItems) else []
