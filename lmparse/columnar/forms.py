"""Forms: records of one form, found by walking through the layouts with many records at a time.

The generated parser decides for each record what is in it: which case of a type that switches, whether a field is
there, how long it is. A walk decides the same by the same expressions for many records; where they differ, they are
split, and each part is walked through by itself. So the records of a form have the same fields, though not at the same
places. Records that the parser would refuse are no form's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from lmparse.columnar.field_reasons import is_limited
from lmparse.columnar.form_parts import NUMBERS, Calculated, FieldBytes, FieldPlace, FormKind, FoundForm, Part, Stream
from lmparse.records import evaluation
from lmparse.records.evaluation import SplitError, UnfitError
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import NESTED, Case, Code, Computed, Expression, Field, Layout, spec_of
from lmparse.spec.nesting import reached
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Int64s

_ORDERED = (*NUMBERS, "float")
_BYTES = ("variable", "rest", "bytes", "char")
_REST: Expression = ("rest",)
_MOST_ITEMS = 64
"""Items from which on a list is the parser's."""
_MOST_PARTS = 1024
"""Parts of a record from which on it is the parser's: lists in lists multiply."""
_DEEPEST = 32
"""Parts in parts that are walked through."""


class FormWalk:
    """A walk through the layouts with some records of a window."""

    def __init__(self, layouts: Mapping[str, Layout], data: Bytes, starts: Int64s, lengths: Int64s) -> None:
        self._layouts, self._data, self._count = layouts, data, len(starts)
        self._starts, self._ends = starts, starts + lengths
        self._parts = 0

    def record(self, layout: Layout, arguments: dict[str, Any]) -> Part:
        """The records as parts of one layout. Raises SplitError if they are of several forms, and UnfitError."""
        start = FieldPlace(self._starts)
        part = Part(layout, Stream(start, self._ends, start), None, arguments)
        part.root = part
        self._read(part)
        for inner in part.inside():
            for entry in inner.layout.calculated:
                inner.calculated[entry.id] = self._calculated(inner, entry)
        return part

    def _calculated(self, part: Part, entry: Field) -> Calculated | None:
        """A calculated value; what the parser computes on first use, it computes when it has read the record."""
        if entry.repeated or entry.kind not in ("int", "boolean"):
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        found = self.attribute(part, entry.id, True)
        if found is not None and not isinstance(found, bool | int | np.ndarray):
            raise UnfitError(f"{entry.id}: only the parser can calculate it")
        return None if found is None else Calculated(found, entry)

    # -- fields -------------------------------------------------------------------------

    def _read(self, part: Part) -> None:
        self._parts += 1
        if part.depth > _DEEPEST or self._parts > _MOST_PARTS:
            raise UnfitError("records in records in records")
        part.is_little, part.is_ordered = self._is_little(part), True
        for entry in part.layout:
            _demand_fit(entry)
            is_there = entry.condition is None or self._decided(part, entry.condition)
            read = self._list if entry.repeated else self._field
            found = read(part, entry) if is_there else None
            if entry.id in part.values:
                raise UnfitError(f"{entry.id}: there are several")
            part.values[entry.id] = found
            if found is not None and not entry.repeated:
                self._check(part, entry, found)

    def _is_little(self, part: Part) -> bool | None:
        layout = part.layout
        if layout.little is not None:
            return self._decided(part, layout.little)
        if layout.endian is not None:
            return layout.endian == "le"
        above = part.above
        return above.is_little if above is not None and spec_of(above.layout.id) == spec_of(layout.id) else None

    def _list(self, part: Part, entry: Field) -> list[Any]:
        """The items of a list, of which there are as many in all records."""
        found: list[Any] = []
        stream, to_end = part.stream, entry.items == _REST
        count = _MOST_ITEMS if to_end else evaluation.same(self._value(part, entry.items))
        while len(found) < count and not (to_end and evaluation.decided(stream.attribute("eof"))):
            if len(found) == _MOST_ITEMS:
                break
            found.append(self._field(part, entry))
        if len(found) == _MOST_ITEMS:
            raise UnfitError(f"{entry.id}: it has many items")
        return found

    def _field(self, part: Part, entry: Field) -> Any:
        if entry.kind in NESTED:
            return self._nested(part, entry)
        if entry.type is not None:
            return self._typed(part, entry)
        # Without a size the data decide it: a number has its width.
        size = entry.width if entry.width is not None else self._size(part, entry.size)
        if entry.width is None and entry.kind not in _BYTES:
            raise UnfitError(f"{entry.id}: its length depends on the data, and it is {entry.kind}")
        endian, order = _ordered(part, entry)
        return FieldBytes(part.stream.take(size), size, entry, part.layout, endian, order)

    def _size(self, part: Part, size: Expression) -> int | Int64s:
        stream = part.stream
        found = stream.end - stream.cursor.array if size == _REST else self._value(part, size)
        if not isinstance(found, int | np.ndarray) or (isinstance(found, int) and found < 0):
            raise UnfitError("it has no length")
        return found

    def _nested(self, part: Part, entry: Field) -> Part:
        type_, arguments = (entry.type, entry.arguments) if not entry.switch else self._case(part, entry)
        if not type_ or entry.kind == "switch":
            raise UnfitError(f"{entry.id}: it is of several kinds")
        stream = part.stream
        if entry.size is not None:
            size = self._size(part, entry.size)
            start = stream.take(size)
            stream = Stream(start, start.behind(size).array if entry.size != _REST else stream.end, start)
        inner = self._inner(part, type_, arguments, stream)
        self._read(inner)
        return inner

    def _case(self, part: Part, entry: Field) -> tuple[str, tuple[Expression, ...]]:
        keys: dict[int, int] = {}
        default: Case | None = None
        for number, case in enumerate(entry.switch):
            if case.key is None:
                default = case
                continue
            key = self._value(part, case.key)
            if not isinstance(key, int):
                raise UnfitError(f"{entry.id}: its cases depend on the data")
            keys.setdefault(key, number)
        number = evaluation.case_of(self._value(part, entry.switch_on), keys)
        chosen = default if number < 0 else entry.switch[number]
        if chosen is None:
            raise UnfitError(f"{entry.id}: there is no case for it")
        return chosen.type, chosen.arguments

    def _inner(self, part: Part, type_: str, arguments: tuple[Expression, ...], stream: Stream) -> Part:
        layout = self._layouts[type_]
        if len(arguments) != len(layout.params):
            raise UnfitError(f"{type_}: needs {', '.join(layout.params)}")
        given = {name: self._value(part, one) for name, one in zip(layout.params, arguments, strict=True)}
        is_local = spec_of(type_) == spec_of(part.layout.id)
        inner = Part(layout, stream, part if is_local else None, given)
        inner.root, inner.depth = (part.root if is_local else inner), part.depth + 1
        return inner

    def _typed(self, part: Part, entry: Field) -> FieldBytes:
        """A field of a type that is one value, which has parts of fixed width."""
        layout = self._layouts[entry.type or ""]
        if (
            entry.width is None
            or entry.size is not None
            or any(
                one.demands or is_limited(one) or one.by_parser or one.offset is None or one.width is None
                for one in layout
            )
        ):
            raise UnfitError(f"{entry.id}: only the parser can read its parts")
        inner = self._inner(part, layout.id, entry.arguments, part.stream)
        inner.is_little = self._is_little(inner)
        order = _joined(entry, layout, inner.is_little)
        if entry.kind == "rid6":
            if layout.little is None:
                raise UnfitError(f"{entry.id}: its byte order is fixed")
            order = list(integers.join_rid6(bytes(order), bool(inner.is_little)))
        return FieldBytes(part.stream.take(entry.width), entry.width, entry, part.layout, "be", order)

    def _check(self, part: Part, entry: Field, found: Any) -> None:
        demands = list(entry.demands)
        value: Expression = ("name", "_")
        if entry.minimum is not None:
            demands.append((">=", value, entry.minimum))
        if entry.maximum is not None:
            demands.append(("<=", value, entry.maximum))
        for one in demands:
            evaluation.demanded(evaluation.value(one, partial(self._lookup, part, found)), self._count)

    # -- values of expressions -----------------------------------------------------------

    def _decided(self, part: Part, expression: Expression, is_certain: bool = True) -> bool:
        return evaluation.decided(self._value(part, expression, is_certain))

    def _value(self, part: Part, expression: Expression, is_certain: bool = True) -> Any:
        if isinstance(expression, tuple) and expression[0] == "name":
            return self._lookup(part, None, None, expression[1], is_certain)
        return evaluation.value(expression, partial(self._lookup, part, None))

    def _lookup(self, part: Part, own: Any, of: Any, name: str, is_certain: bool = False) -> Any:
        if of is None:
            if name == "_":
                return self._plain(own)
            if name in ("_io", "_root"):
                return part.stream if name == "_io" else part.root
            of = part
        if isinstance(of, Stream):
            return of.attribute(name)
        if isinstance(of, FieldBytes):
            return self._of_piece(of, name)
        if not isinstance(of, Part):
            raise UnfitError(f"only the parser knows {name}")
        if name == "_parent" and of.above is not None:
            return of.above
        if name == "_io":
            return of.stream
        return self.attribute(of, name, is_certain)

    def attribute(self, part: Part, name: str, is_certain: bool) -> Any:
        """A field, parameter or instance of a part: a number, a part, a piece of bytes, or None for an instance whose
        condition does not hold. A field that is absent is an error in the parser.

        `is_certain`: the parser computes an instance at this point in all records, and not in some of them only.
        """
        if name in part.values:
            if part.values[name] is None:
                raise UnfitError(f"the records have no {name}")
            return self._plain(part.values[name])
        if name in part.arguments:
            return part.arguments[name]
        if name not in part.layout.computed:
            raise UnfitError(f"only the parser knows {name}")
        if name not in part.looked:
            computed = part.layout.computed[name]
            if not is_certain and (evaluation.is_moving(computed.value) or evaluation.is_moving(computed.condition)):
                raise UnfitError(f"only the parser knows {name}")
            if computed.condition is not None and not self._decided(part, computed.condition, is_certain):
                return None  # the parser asks again the next time
            part.looked[name] = self._computed(part, computed, is_certain)
        return part.looked[name]

    def _computed(self, part: Part, found: Computed, is_certain: bool) -> Any:
        value = self._value(part, found.value, is_certain)
        if not found.width:
            return value
        if not part.is_ordered:
            raise UnfitError("it is needed before its byte order is known")
        stream = part.stream
        if not isinstance(value, int | np.ndarray) or np.any(value < 0):
            raise UnfitError("it has no place")
        place = stream.behind(stream.start, value)
        stream.behind(place, found.width)
        return self._number(place, found.width, found.is_signed, _byte_order(part, found.endian, found.width))

    def _plain(self, found: Any) -> Any:
        """A field as expressions see it."""
        if not isinstance(found, FieldBytes) or not found.is_number:
            return found
        assert isinstance(found.length, int)
        order: integers.ByteOrder = "little" if found.endian == "le" else "big"
        return self._number(found.place, found.length, found.field.kind == "int", order)

    def _number(self, place: FieldPlace, width: int, is_signed: bool, order: integers.ByteOrder) -> Int64s:
        raw = byte_arrays.take_rows(self._data, place.array, width)
        if is_signed:
            return integers.decode_signed_array(raw, order).astype(np.int64)
        found = integers.decode_unsigned_array(raw, order).astype(np.uint64).view(np.int64)
        # Beyond 63 bits a record is left to the parser.
        evaluation.demanded(found >= 0, self._count)
        return found

    def _of_piece(self, piece: FieldBytes, name: str) -> Any:
        if piece.field.kind in _ORDERED or piece.field.type is not None:
            raise UnfitError(f"only the parser knows {name}")
        if name == "size":
            return piece.length
        if not name.isdecimal() or not isinstance(piece.length, int) or int(name) >= piece.length:
            raise UnfitError(f"only the parser knows {name}")
        return self._number(piece.place.behind(int(name)), 1, False, "big")

    # -- what the record is ----------------------------------------------------------------

    def kind(self, part: Part) -> FormKind:
        """What the records are; as `records.reader.kind_of`."""
        number: Any = None
        spec, codes = "", tuple[Code, ...]()
        inner: Any = part
        while isinstance(inner, Part):
            if KIND in inner.values or KIND in inner.layout.params or KIND in inner.layout.computed:
                is_absent = KIND in inner.values and inner.values[KIND] is None
                found = None if is_absent else self.attribute(inner, KIND, True)
                if found is not None:
                    number, spec, codes = found, spec_of(inner.layout.id), _codes(inner)
            inner = inner.values.get("body")
        if isinstance(number, bool) or not isinstance(number, int | np.ndarray) or np.asarray(number).dtype == np.bool_:
            raise UnfitError("only the parser knows its kind")
        return FormKind(number, spec, codes)


def _codes(part: Part) -> tuple[Code, ...]:
    if KIND in part.values:
        return part.layout[KIND].codes
    codes = part.layout.param_codes.get(KIND, ()) if KIND in part.layout.params else part.layout.computed[KIND].codes
    if codes is None:
        raise UnfitError("only the parser knows the name of its kind")
    return codes


def forms(layouts: Mapping[str, Layout], layout: Layout, arguments: dict[str, Any], data: Bytes, starts: Int64s,
          lengths: Int64s, *, has_kind: bool, least: int) -> Iterator[FoundForm]:  # fmt: skip
    """The forms of some records; records that are not in one are the parser's.

    Fewer records than `least` of one form are left to it too.
    """
    left = [np.arange(len(starts))]
    while left:
        which = left.pop()
        if len(which) < least:
            continue
        walk = FormWalk(layouts, data, starts[which], lengths[which])
        try:
            part = walk.record(layout, arguments)
            kind = walk.kind(part) if has_kind else None
        except SplitError as split:
            left += [which[one] for one in split.parts]
            continue
        except UnfitError:
            continue
        yield FoundForm(which, part, kind)


def refusal(layouts: Mapping[str, Layout], layout: Layout) -> str:
    """Why records are not read form by form; empty if the data choose their bodies, and some may be read so."""
    inside = reached(layouts, [layout.id])
    if not any(entry.kind == "body" and entry.switch for one in inside for entry in one):
        return "no code in each record decides what it is"
    return refusals(layouts, layout).get(layout.id, "")


def refusals(layouts: Mapping[str, Layout], layout: Layout) -> dict[str, str]:
    """Layouts inside a record that are in no form, by their ids, and why the parser reads records with them."""
    found: dict[str, str] = {}
    for one in reached(layouts, [layout.id]):
        for entry in one if one.kind is None else ():
            try:
                _demand_fit(entry)
                _demand_read(entry)
            except UnfitError as error:
                found.setdefault(one.id, str(error))
    return dict(sorted(found.items()))


def _demand_read(entry: Field) -> None:
    """Raise UnfitError for a field with an expression that only the parser can evaluate."""
    if entry.kind == "switch":
        raise UnfitError(f"{entry.id}: it is of several kinds")
    for expression in (entry.condition, entry.size, entry.items, entry.switch_on, *entry.arguments, *entry.demands):
        unread = evaluation.unread(expression)
        if unread:
            raise UnfitError(f"{entry.id}: only the parser can evaluate {unread}")


def _demand_fit(entry: Field) -> None:
    """Raise UnfitError for a field that only the parser can read."""
    is_list = entry.repeated and (entry.kind != "struct" or bool(entry.demands))
    if entry.by_parser or entry.bits or is_list or entry.is_instance:
        why = (
            "it is a list"
            if entry.repeated
            else "it is a bit field"
            if entry.bits
            else f"only the parser can read {entry.by_parser or 'it'}"
        )
        raise UnfitError(f"{entry.id}: {why}")


def _byte_order(part: Part, endian: str | None, width: int) -> integers.ByteOrder:
    if width > 1 and endian is None and part.is_little is None:
        raise UnfitError("it has no byte order")
    is_little = endian == "le" if endian is not None else part.is_little
    return "little" if is_little else "big"


def _ordered(part: Part, entry: Field) -> tuple[str | None, list[int] | None]:
    """The byte order of a field, and that of its bytes if it is a number that is shown as bytes."""
    if entry.kind not in _ORDERED or entry.width is None:
        return None, None
    order = _byte_order(part, entry.endian, entry.width)
    is_turned = order == "little" and entry.kind in ("code", "lsn")
    return "le" if order == "little" else "be", list(range(entry.width))[::-1] if is_turned else None


def _joined(entry: Field, layout: Layout, is_little: bool | None) -> list[int]:
    """The order in which the bytes of a value with parts are shown; see `RecordReader._raw`."""
    order: list[int] = []
    for one in layout:
        places = list(range(one.offset or 0, one.end or 0))
        if one.kind == "bytes" or len(places) < 2:
            order += places
            continue
        if one.endian is None and is_little is None:
            raise UnfitError(f"{entry.id}: it has no byte order")
        own = "little" if (one.endian == "le" if one.endian is not None else is_little) else "big"
        order += places if own == layout.byte_order(one) else places[::-1]
    return order
