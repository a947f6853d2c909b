"""Reading: the fields of a spec in many records at once, by the layouts.

The generated parser decides for each record what is in it: which case of a type that switches, whether a field is
there, how long it is. The same is decided here by the same expressions for all records together: where they differ, a
field is read for some of them. What the parser would refuse, and what only it knows, leaves the record to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from lmparse.columnar import endings
from lmparse.columnar.cursors import NothingLeftError, Place, Records, Stream, UnfitError
from lmparse.columnar.expressions import Vector
from lmparse.columnar.lists import read_items
from lmparse.columnar.objects import NUMBERS, FieldBytes, Items, Numbers, Objects, Order, Parts, Reference, seen
from lmparse.columnar.restoring import restored
from lmparse.columnar.scopes import Scope, StreamValue
from lmparse.spec.layout import NESTED, Computed, Expression, Field, Layout, spec_of
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_ORDERED = (*NUMBERS, "float")
_REST: Expression = ("rest",)
_DEEPEST = 32
"""Objects in objects from which on a record is the parser's."""


class Reading:
    """What is read of the records of a window."""

    def __init__(self, layouts: Mapping[str, Layout], data: Bytes) -> None:
        self.layouts, self.data = layouts, data

    def read(self, layout: Layout, arguments: dict[str, Any], starts: Int64s, lengths: Int64s) -> Objects:
        """The records as objects of one layout; those that are left to the parser are in `records.bad`."""
        records, start = Records(lengths), Place(starts)
        vectors = {name: Vector(value) for name, value in arguments.items()}
        objects = Objects(layout, Stream(records, None, start, starts + lengths, start, self.data), arguments=vectors)
        self._read(objects)
        for inner in [*inside(objects)]:
            for entry in inner.layout:
                if entry.is_instance:
                    self._instance(inner, entry)
        return objects

    # -- fields -------------------------------------------------------------------------

    def _read(self, objects: Objects) -> None:
        steps = objects.layout.steps
        try:
            if objects.depth > _DEEPEST:
                objects.stream.demand(np.zeros(objects.count, np.bool_))
            objects.order, objects.is_ordered = self._order(objects), True
            for step in steps:
                if len(step) > 1:
                    self._run(objects, step)
                else:
                    objects.values[step[0].id] = self._field(objects, step[0], objects.stream)
        except (NothingLeftError, UnfitError):
            objects.records.leave(objects.stream.of, np.ones(objects.count, np.bool_))
            for entry in chain(*steps):
                objects.values.setdefault(entry.id, [])

    def _run(self, objects: Objects, fields: tuple[Field, ...]) -> None:
        """Fields of fixed width that follow one another in all objects."""
        widths = [entry.width or 0 for entry in fields]
        place, data = objects.stream.take(sum(widths)), objects.stream.data
        offset = place.offset
        for entry, width in zip(fields, widths, strict=True):
            order = self._order_of(objects, None, entry, width)
            one = FieldBytes(data, Place(place.base, offset), width, entry, objects.layout, order, _shown(entry, order))
            objects.values[entry.id] = [(None, one)]
            offset += width

    def _instance(self, objects: Objects, entry: Field) -> None:
        """An instance at a position; the objects in it have instances, too."""
        if entry.id in objects.values:
            return
        if entry.id in objects.open:
            raise UnfitError(f"{entry.id}: it depends on itself")
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

    def _field(self, objects: Objects, entry: Field, whole: Stream) -> Parts:
        """A field of the objects that have it."""
        which, stream = None, whole
        if entry.condition is not None:
            holds, bad = Scope(self, objects, None, None if entry.is_instance else whole).truths(entry.condition)
            if bad is not None:
                whole.demand(~bad)
            if not holds.all():
                which = np.flatnonzero(holds)
                if not len(which):
                    return []
                stream = whole.some(which)
        scope = Scope(self, objects, which, stream)
        try:
            if entry.is_instance:
                stream = self._at(scope, entry, stream)
                scope = Scope(self, objects, which, stream)
            parts: Parts = (
                [(None, read_items(self, scope, stream, entry))] if entry.repeated else self.one(scope, stream, entry)
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

    def _at(self, scope: Scope, entry: Field, stream: Stream) -> Stream:
        """The stream at the position of an instance."""
        outside = Scope(self, scope.objects, scope.which, None)
        if entry.io is not None:
            found = outside.value(entry.io)
            if not isinstance(found, StreamValue):
                raise UnfitError(f"{entry.id}: only the parser knows its stream")
            stream = found.stream.copy() if found.which is None else found.stream.some(found.which)
        number, bad = outside.value(entry.pos).whole(scope.count)
        if bad is not None:
            stream.demand(~bad)
        return stream.at(number)

    def one(self, scope: Scope, stream: Stream, entry: Field) -> Parts:
        """A field that is no list, or the items of a list one by one."""
        if entry.kind in NESTED or entry.switch:
            parts = self._nested(scope, stream, entry)
        else:
            parts = [(None, self._value(scope, stream, entry))]
        if entry.demands or entry.minimum is not None or entry.maximum is not None:
            self._check(scope, stream, entry, seen(parts, scope.count))
        return parts

    def _value(self, scope: Scope, stream: Stream, entry: Field) -> FieldBytes | Numbers:
        if entry.restore is not None:
            stream = self._restored(scope, stream, entry)
            width = None if entry.process == "zlib" else self.width_of(entry)
            found = FieldBytes(stream.data, stream.start, width or stream.size, entry, scope.objects.layout)
            return endings.text(stream, found) if entry.kind == "str" else found
        if entry.bits:
            return endings.bit_field(stream, entry)
        if entry.type is not None:
            return self._typed(scope, stream, entry)
        width = self.width_of(entry)
        order = self._order_of(scope.objects, scope.which, entry, width)
        place, length = (
            self.bytes_of(scope, stream, entry) if width is None or entry.ending else (stream.take(width), width)
        )
        shown = _shown(entry, order) if width is not None else None
        found = FieldBytes(stream.data, place, length, entry, scope.objects.layout, order, shown)
        return endings.text(stream, found) if entry.kind == "str" else found

    def bytes_of(self, scope: Scope, stream: Stream, entry: Field) -> tuple[Place, int | Int64s]:
        """The bytes of a field, without its terminator and what fills it up."""
        if entry.size is None and entry.width is None:
            if entry.ending is None or entry.ending.terminator is None:
                raise UnfitError(f"{entry.id}: it has no length")
            return endings.to_terminator(stream, entry.ending)
        size = entry.width if entry.width is not None else self._size(scope, stream, entry.size)
        place = stream.take(size)
        if isinstance(size, np.ndarray):
            size = stream.cursor.array - place.array
        return place, size if entry.ending is None else endings.cut(stream, place, size, entry.ending)

    def _restored(self, scope: Scope, stream: Stream, entry: Field) -> Stream:
        """The bytes of a field as its `process` restores them."""
        place, length = self.bytes_of(scope, stream, entry)
        assert isinstance(entry.restore, tuple)
        name, *arguments = entry.restore
        return restored(stream, place, length, str(name), [scope.value(one) for one in arguments])

    def _size(self, scope: Scope, stream: Stream, size: Expression) -> int | Int64s:
        if size == _REST:
            left: Int64s = stream.end - stream.align().array
            return left
        if isinstance(size, int):
            return size
        number: Int64s
        number, bad = scope.value(size).whole(scope.count)
        if bad is not None:
            stream.demand(~bad)
        return number

    def width_of(self, entry: Field) -> int | None:
        """Bytes of one value, as many in all objects; None if they differ."""
        if entry.bits or entry.switch or entry.kind == "rest":
            return None
        if not entry.repeated and entry.width is not None:
            return entry.width
        if isinstance(entry.size, int) and not isinstance(entry.size, bool):
            return entry.size
        if entry.size is not None or entry.ending is not None:
            return None
        return self.layouts[entry.type].width if entry.type is not None else entry.number_width

    # -- nested objects -------------------------------------------------------------------

    def _nested(self, scope: Scope, stream: Stream, entry: Field) -> Parts:
        cases = [*self._cases(scope, entry)] if entry.switch else [(None, entry.type or "", entry.arguments, None)]
        parts: Parts = []
        for rows, type_, arguments, plain in cases:
            own = stream if rows is None else stream.some(rows)
            inner = scope.some(rows, own)
            try:
                found = self.one(inner, own, plain) if plain else self._case(inner, own, entry, type_, arguments)
            except NothingLeftError:
                if rows is None:
                    raise
                continue
            parts += [(rows if one is None else one if rows is None else rows[one], value) for one, value in found]
            if rows is not None:
                stream.move(rows, own)
        return parts

    def _case(self, scope: Scope, stream: Stream, entry: Field, type_: str, arguments: tuple[Expression, ...]) -> Parts:
        """Objects of a type, in a stream of their own if they have a size; without a type the bytes of that size."""
        is_apart = entry.size is not None or entry.ending is not None
        if not type_ and not is_apart:
            return []
        if is_apart:
            if entry.restore is not None:
                stream = self._restored(scope, stream, entry)
            else:
                start, size = self.bytes_of(scope, stream, entry)
                stream = Stream(stream.records, stream.of, start, start.behind(size).array, start, stream.data)
            if not type_:
                choice = next(one for one in entry.choices if one.kind == "variable" and one.type is None)
                return [(None, FieldBytes(stream.data, stream.start, stream.size, choice, scope.objects.layout))]
        if type_ and self.layouts[type_].kind is not None:
            return [(None, self._typed(scope, stream, next(one for one in entry.choices if one.type == type_)))]
        objects = self._inner(scope, type_, arguments, stream)
        self._read(objects)
        return [(None, objects)]

    def _cases(self, scope: Scope, entry: Field) -> Iterator[tuple[Int64s | None, str, tuple[Expression, ...], Any]]:
        """The rows of each case, and the type that they have. Rows without a case have no type."""
        on = scope.value(entry.switch_on)
        left: Flags = np.ones(scope.count, np.bool_)
        found = []
        for case in entry.switch:
            holds = left
            if case.key is not None:
                holds, bad = Scope.truths(scope.about(on), ("==", ("name", "_"), case.key))
                if bad is not None and scope.stream is not None:
                    scope.stream.demand(~bad)
                holds = holds & left
            if holds.any():
                left = left & ~holds
                found.append((holds, case.type, case.arguments, case.plain))
        if left.any():
            found.append((left, "", (), None))
        for holds, *rest in found:
            yield (None if holds.all() else np.flatnonzero(holds), *rest)  # type: ignore[misc]

    def _inner(self, scope: Scope, type_: str, arguments: tuple[Expression, ...], stream: Stream) -> Objects:
        layout, above = self.layouts[type_], scope.objects
        if len(arguments) != len(layout.params):
            raise UnfitError(f"{type_}: needs {', '.join(layout.params)}")
        values = {name: scope.value(one) for name, one in zip(layout.params, arguments, strict=True)}
        for value in values.values():
            if isinstance(value, Vector) and value.bad is not None:
                stream.demand(~np.broadcast_to(value.bad, (scope.count,)))
        is_local = spec_of(type_) == spec_of(above.layout.id)
        inner = Objects(layout, stream, above if is_local else None, scope.which if is_local else None, values)
        inner.depth = above.depth + 1
        return inner

    def _typed(self, scope: Scope, stream: Stream, entry: Field) -> FieldBytes:
        """A field of a type that is one value, which has parts of fixed width."""
        layout = self.layouts[entry.type or ""]
        width = self.width_of(entry)
        if width is None or (entry.size is not None and entry.size != width):
            raise UnfitError(f"{entry.id}: only the parser can read its parts")
        inner = self._inner(scope, layout.id, entry.arguments, stream)
        little = self._order(inner)
        if isinstance(little, np.ndarray):
            raise UnfitError(f"{entry.id}: its byte order depends on the data")
        shown = _joined(entry, layout, little)
        if entry.kind == "rid6":
            if layout.little is None:
                raise UnfitError(f"{entry.id}: its byte order is fixed")
            shown = list(integers.join_rid6(bytes(shown), little == "le"))
        one = FieldBytes(stream.data, stream.take(width), width, entry, scope.objects.layout, "be")
        one.shown = None if shown == list(range(width)) else shown
        return one

    def _order(self, objects: Objects) -> Order:
        """The byte order that a type gives its numbers; None if it gives none."""
        layout = objects.layout
        if layout.little is not None:
            holds, bad = Scope(self, objects, None, objects.stream).truths(layout.little)
            if bad is not None:
                objects.stream.demand(~bad)
            return "le" if holds.all() else holds if holds.any() else "be"
        if layout.endian is not None:
            return layout.endian
        above = objects.above
        if above is None or spec_of(above.layout.id) != spec_of(layout.id):
            return None
        order = above.order
        return order[objects.within] if isinstance(order, np.ndarray) and objects.within is not None else order

    def _order_of(self, objects: Objects, which: Int64s | None, entry: Field, width: int | None) -> Order:
        """The byte order of a number of objects, or of some of them."""
        if entry.kind not in _ORDERED or width is None:
            return None
        order = objects.order if entry.endian is None else entry.endian
        if order is None and width > 1:
            raise UnfitError(f"{entry.id}: it has no byte order")
        if isinstance(order, np.ndarray):
            return order if which is None else order[which]
        return order or "be"

    def _check(self, scope: Scope, stream: Stream, entry: Field, own: Any) -> None:
        demands = list(entry.demands)
        value: Expression = ("name", "_")
        if entry.minimum is not None:
            demands.append((">=", value, entry.minimum))
        if entry.maximum is not None:
            demands.append(("<=", value, entry.maximum))
        for one in demands:
            holds, bad = scope.about(own).truths(one)
            stream.demand(holds if bad is None else holds & ~bad)

    # -- values of names ------------------------------------------------------------------

    def attribute(self, objects: Objects, name: str, stream: Stream | None = None) -> Any:
        """What all objects have under a name: a field, parameter or instance, or what begins with an underscore.

        An instance may depend on how far a stream has been read if all of them are asked for it now.
        """
        if name == "_root":
            return self._root(objects)
        if name == "_parent" and objects.above is not None:
            return Reference([(None, objects.above, objects.within)], objects.count)
        if name == "_io":
            return StreamValue(objects.stream, None, False)
        if name not in objects.looked:
            objects.looked[name] = self._looked(objects, name, stream)
        return objects.looked[name]

    def _root(self, objects: Objects) -> Reference:
        numbers: Int64s | None = None
        one = objects
        while one is not objects.root and one.above is not None:
            if one.within is not None:
                numbers = one.within if numbers is None else one.within[numbers]
            one = one.above
        return Reference([(None, objects.root, numbers)], objects.count)

    def _looked(self, objects: Objects, name: str, stream: Stream | None) -> Any:
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
        """The value of an instance that is no field, and where it is absent by its `if`; None if it never is."""
        if name in objects.open:
            raise UnfitError(f"{name}: it depends on itself")
        objects.open.add(name)
        try:
            return self._computed(objects, objects.layout.computed[name], stream)
        finally:
            objects.open.discard(name)

    def _computed(self, objects: Objects, found: Computed, stream: Stream | None) -> tuple[Any, Flags | None]:
        scope = Scope(self, objects, None, stream if found.condition is None else None)
        absent = None
        if found.condition is not None:
            holds, bad = scope.truths(found.condition)
            if not holds.any():
                return Vector(0, np.ones(objects.count, np.bool_)), ~holds if bad is None else ~holds & ~bad
            absent = ~holds
        value = scope.value(found.value)
        if found.width:
            value = self._peek(objects, found, value)
        if found.condition is None:
            return value, None
        value = value.without(absent if bad is None else absent | bad)
        return value, absent if bad is None else absent & ~bad

    def _peek(self, objects: Objects, found: Computed, place: Vector) -> Vector:
        """A number that is looked at ahead; no value where it is not in the stream."""
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


def _shown(entry: Field, order: Order) -> slice | None:
    """The order in which the bytes of a number that is shown as bytes are shown."""
    return slice(None, None, -1) if entry.kind in ("code", "lsn") and isinstance(order, str) and order == "le" else None


def inside(objects: Objects) -> Iterator[Objects]:
    """Objects and all objects in them."""
    yield objects
    for parts in objects.values.values():
        for _, value in parts:
            for one in _objects_in(value):
                yield from inside(one)


def _objects_in(value: Any) -> Iterable[Objects]:
    if isinstance(value, Objects):
        return [value]
    return [one for _, part in value.parts for one in _objects_in(part)] if isinstance(value, Items) else []


def _joined(entry: Field, layout: Layout, little: Order) -> list[int]:
    """The order in which the bytes of a value with parts are shown; see `RecordReader._raw`."""
    order: list[int] = []
    for one in layout:
        places = list(range(one.offset or 0, one.end or 0))
        if one.kind == "bytes" or len(places) < 2:
            order += places
            continue
        if one.endian is None and little is None:
            raise UnfitError(f"{entry.id}: it has no byte order")
        own = "little" if (one.endian or little) == "le" else "big"
        order += places if own == layout.byte_order(one) else places[::-1]
    return order
