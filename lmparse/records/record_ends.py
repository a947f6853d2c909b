"""Record ends: where a record ends in the bytes that begin with the record.

The parser finds the end. Items of a list are cut without the parser if numbers at fixed places give their length.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from kaitaistruct import KaitaiStruct

from lmparse.errors import FramingError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import cut_short, excerpt
from lmparse.framing.fixed_length import Fixed
from lmparse.framing.length_field import Cutter, Glued, LengthField, Measured
from lmparse.framing.parsed import parsed_cutter
from lmparse.limits import Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import step_budget
from lmparse.spec.layout import Expression, Field, Layout
from lmparse.spec.nesting import reached, types_of
from lmparse.storage.buffers import Buffer

_WORDS = re.compile(r"[A-Za-z_]\w*").findall
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "and": lambda one, other: one and other, "or": lambda one, other: one or other,
}  # fmt: skip
Values = tuple[int, ...]
"""The numbers of one item, in the order of `_Item.numbers`."""
Amount: TypeAlias = "int | Callable[[Values], int]"
"""A number that all items share, or a function of the numbers of an item."""


def record_end(reader: RecordReader, raw: bytes) -> int:
    """Length of the record at the start of some bytes. Raises as `RecordReader.parse` does."""
    stream = reader.stream(raw)
    step_budget.begin(reader.limits, len(raw))
    try:
        reader.spec.parser(*reader.arguments, stream, *reader.around)
    except Exception:
        fault = reader.parse_noting_places(raw)[1]
        if fault is None:  # a record that may end inside its last field takes all bytes
            return len(raw)
        raise fault from None
    finally:
        step_budget.end()
    end: int = stream.pos()
    return end


def cutter_by_parser(reader: RecordReader, limits: Limits) -> Cutter:
    """The cutter of records, by the parser of their spec."""
    takes_rest = "_io" in words_in(reader.spec.layouts, reader.spec.layout)
    return parsed_cutter(lambda raw: record_end(reader, raw), limits, takes_rest=takes_rest)


def words_in(layouts: Mapping[str, Layout], layout: Layout) -> frozenset[str]:
    """The names in all expressions of a record and of its parts."""
    return frozenset(word for one in reached(layouts, [layout.id]) for word in own_words(one))


def own_words(layout: Layout) -> Iterator[str]:
    """Yield the names in the expressions of a layout, with repetitions."""
    for entry in (*layout.fields, *layout.calculated):
        found = (entry.condition, entry.size, entry.items, entry.pos, entry.switch_on, *entry.arguments, *entry.demands)
        for expression in (*found, *(one for case in entry.switch for one in (case.key, *case.arguments))):
            yield from names_in(expression)
        yield from _WORDS(f"{entry.checks} {entry.stream}")
    for one in layout.computed.values():
        yield from (*names_in(one.value), *names_in(one.condition))
    yield from names_in(layout.little)


def names_in(expression: Expression) -> Iterator[str]:
    """The names in an expression, each as often as it is there."""
    match expression:
        case ("unread", text):
            yield from _WORDS(text)
        case ("name", name):
            yield name
        case ("get", inner, name):
            yield from (*names_in(inner), name)
        case (_, *inside):
            for one in inside:
                yield from names_in(one)


def of_stream(layouts: Mapping[str, Layout], layout: Layout, above: frozenset[str] = frozenset()) -> str:
    """Why a record's end depends on bytes around the record; empty if not. Sized parts, which do not, are left out."""
    if any(word == "_io" and before not in ("_root", "_parent") for before, word in pairwise(("", *own_words(layout)))):
        return "it asks for its place in the file (_io)"
    for entry in layout:
        if entry.size == ("rest",) or entry.items == ("rest",) or entry.kind == "rest" or entry.optional:
            return f"{entry.id}: has all bytes that are left"
        if entry.is_instance and not entry.stream:
            return f"{entry.id}: is at a position"
        for name in types_of(entry) if entry.size is None else ():
            if name not in above and (why := of_stream(layouts, layouts[name], above | {layout.id, name})):
                return why
    if any(one.width for one in layout.computed.values()):
        return "it looks at bytes ahead"
    return ""


# -- from numbers at fixed places ---------------------------------------------------------------


class UnknownError(Exception):
    """A number depends on more than numbers at fixed places; the text names the cause."""


@dataclass(frozen=True)
class _Scope:
    """An object inside an item, whose layout gives fields fixed places."""

    layout: Layout
    base: int
    """Offset of the object in the item."""
    parent: Any
    """The scope or the object around this object."""


@dataclass
class _Item:
    """The numbers to be read from each item."""

    reader: RecordReader
    numbers: list[LengthField] = field(default_factory=list)

    def amount(self, expression: Expression, scope: Any) -> Amount:
        """The value of an expression: an integer, or a function of the numbers. Raises UnknownError."""
        found = self._value(expression, scope)
        if isinstance(found, int):
            return int(found)  # also for members of enumerations
        if callable(found):
            amount: Amount = found
            return amount
        raise UnknownError("a length is no number")

    def _value(self, expression: Expression, scope: Any) -> Any:
        match expression:
            case int():
                return expression
            case ("name", name):
                return self._attribute(scope, name)
            case ("get", inner, name):
                return self._attribute(self._value(inner, scope), name)
            case ("?", condition, one, other):
                holds = self.amount(condition, scope)
                if not callable(holds):
                    return self._value(one if holds else other, scope)
                chosen = self.amount(one, scope), self.amount(other, scope)
                return _applied(lambda holds, yes, no: yes if holds else no, holds, *chosen)
            case ("not" | "neg" as name, inner):
                return _applied(operator.not_ if name == "not" else operator.neg, self.amount(inner, scope))
            case (name, one, other) if name in BINARY:
                return _applied(BINARY[name], self.amount(one, scope), self.amount(other, scope))
        raise UnknownError("only the parser can evaluate an expression")

    def _attribute(self, scope: Any, name: str) -> Any:
        if not isinstance(scope, _Scope):
            return _of_object(scope, name)
        layout = scope.layout
        if name == "_root":
            return self.reader.around[1]
        if name == "_parent":
            return scope.parent
        if name in layout.params and layout is self.reader.spec.layout:
            return self.reader.arguments[layout.params.index(name)]
        computed = layout.computed.get(name)
        if computed is not None and not computed.width and computed.condition is None:
            return self._value(computed.value, scope)
        entry = layout.by_id.get(name)
        if entry is None or entry.offset is None or entry.conditional or entry.optional or entry.is_instance:
            raise UnknownError(f"{name} is not at a fixed place")
        if entry.kind in ("struct", "body") and entry.type and not entry.repeated:
            return _Scope(self.reader.spec.layouts[entry.type], scope.base + entry.offset, scope)
        if entry.kind not in ("uint", "int") or entry.width not in (1, 2, 4, 8) or entry.repeated:
            raise UnknownError(f"{name} is not a number of whole bytes")
        offset, known = scope.base + entry.offset, [one.offset for one in self.numbers]
        if offset not in known:
            order = self._byte_order(layout, entry, scope)
            self.numbers.append(LengthField(self.reader.spec, entry, offset, order))
        return operator.itemgetter(known.index(offset) if offset in known else len(known))

    def _byte_order(self, layout: Layout, entry: Field, scope: Any) -> Any:
        """The byte order of a number; objects in front of the list may decide it. Raises UnknownError."""
        if entry.width == 1 or entry.endian or layout.endian:
            return layout.byte_order(entry)
        if layout.little is not None:
            is_little = self.amount(layout.little, scope)
        elif len(self.reader.around) > 2:
            is_little = self.reader.around[2]
        else:
            raise UnknownError("the data decide the byte order")
        if callable(is_little):
            raise UnknownError("each item decides its byte order")
        return "little" if is_little else "big"

    def length(self, scope: _Scope) -> tuple[int, list[Amount]]:
        """The length of an object: sum of fixed parts, and amounts of varying parts. Raises UnknownError."""
        if scope.layout.width is not None:
            return scope.layout.width, []
        fields = [entry for entry in scope.layout if not entry.is_instance]
        fixed = next((n for n, one in enumerate(fields) if one.end is None or one.conditional or one.optional), 0)
        if fields[fixed].offset is None:
            raise UnknownError(f"{fields[fixed].id} is not at a fixed place")
        total, parts = fields[fixed].offset or 0, list[Amount]()
        for entry in fields[fixed:]:
            if entry.conditional or entry.optional or entry.bits:
                raise UnknownError(f"{entry.id} need not be there" if not entry.bits else f"{entry.id} is of bits")
            always, more = self._part(entry, scope, None if parts else scope.base + total)
            total += always
            parts += more
        return total, parts

    def _part(self, entry: Field, scope: _Scope, base: int | None) -> tuple[int, list[Amount]]:
        """The length of one field as from `length`; `base` is the offset of the field in the item, if known."""
        layouts = self.reader.spec.layouts
        if entry.repeated:
            one = layouts[entry.type].width if entry.kind == "struct" and entry.type else entry.number_width
            one = one if entry.size is None else None
            if one is None or entry.kind not in ("struct", "uint", "int", "float"):
                raise UnknownError(f"{entry.id} has items of several lengths")
            return 0, [_applied(operator.mul, one, _applied(lambda n: max(n, 0), self.amount(entry.items, scope)))]
        if entry.width is not None:
            return entry.width, []
        if entry.size is not None:
            return 0, [self.amount(entry.size, scope)]
        if entry.kind in ("struct", "body") and entry.type and base is not None and not entry.cases:
            return self.length(_Scope(layouts[entry.type], base, scope))
        raise UnknownError(f"{entry.id} ends where only the parser knows")


def _of_object(parsed: Any, name: str) -> Any:
    """An attribute of an object in front of the list. Raises UnknownError."""
    try:
        found = getattr(parsed, name) if isinstance(parsed, KaitaiStruct) else None
    except Exception as error:  # the parser reads or calculates some attributes on first use
        raise UnknownError(f"{name} has no value in front of the list") from error
    if isinstance(found, int | KaitaiStruct):
        return found
    raise UnknownError(f"{name} is not known in front of the list")


def _applied(function: Callable[..., Any], *amounts: Amount) -> Amount:
    """A function of amounts, applied at once if all amounts are integers."""
    if not any(map(callable, amounts)):
        return int(function(*amounts))
    return lambda values: function(*(one(values) if callable(one) else one for one in amounts))


def number(expression: Expression, around: Any, reader: RecordReader) -> int | None:
    """The value of an expression for an object in front of the list; None if unknown there."""
    try:
        found = _Item(reader).amount(expression, around)
    except (UnknownError, ArithmeticError, ValueError):
        return None
    return found if isinstance(found, int) else None


def item_framing(reader: RecordReader) -> tuple[Framing, str]:
    """The framing of consecutive items, and how it cuts them, in words. Raises UnknownError."""
    item = _Item(reader)
    try:
        fixed, parts = item.length(_Scope(reader.spec.layout, 0, reader.around[0]))
    except ArithmeticError:
        raise UnknownError("a length cannot be calculated") from None
    fixed += sum(part for part in parts if isinstance(part, int))
    codes = [part for part in parts if callable(part)]
    if any(part < 0 for part in parts if isinstance(part, int)) or (not codes and not fixed):
        raise UnknownError("its items have no bytes")
    if not codes:
        return Fixed(fixed), f"items of {fixed} bytes"
    names = ", ".join(dict.fromkeys(one.field.id for one in item.numbers))
    evidence = f"the length of an item follows from {names}"
    if len(codes) == 1 and isinstance(codes[0], operator.itemgetter) and item.numbers[0].is_scanned:
        return Measured(item.numbers[0], fixed), evidence
    return Glued(_cutter(item.numbers, fixed, codes)), evidence


def _cutter(numbers: list[LengthField], fixed: int, codes: list[Callable[[Values], int]]) -> Cutter:
    """The cutter of items with `fixed` bytes and varying parts; `codes` calculate the lengths of the parts."""
    need = max(one.end for one in numbers)
    places = [(slice(one.offset, one.end), one.byte_order, one.field.kind == "int") for one in numbers]

    def length(buffer: Buffer, offset: int, end: int, index: int) -> int:
        if end - offset < need:
            raise cut_short(buffer, offset, end, index, need)
        raw = buffer[offset : offset + need]
        values = tuple(int.from_bytes(raw[place], order, signed=signed) for place, order, signed in places)
        try:
            sizes = [code(values) for code in codes]
        except (ArithmeticError, ValueError):
            sizes = [-1]
        if min(sizes) < 0:
            raise FramingError(
                "a length has no value, or one below zero; so nothing says where the next item begins", code="LMP-F016",
                record_index=index, record_offset=offset, spec=numbers[0].spec.id, field=numbers[0].field.id,
                found=", ".join(map(str, values)), hex=excerpt(buffer, offset, end),
            )  # fmt: skip
        return fixed + sum(sizes)

    return length
