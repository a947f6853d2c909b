"""Layouts: the fields of each spec with offsets and widths, for `generated/layouts.py`."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

from lmparse.spec.build import expressions
from lmparse.spec.build.constructs import TOO_DEEP, texts
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.scopes import (
    COMPILERS_TEXTS,
    Scope,
    bounds_of,
    in_a_line,
    is_column,
    number_kind,
    number_of,
    type_names,
)
from lmparse.spec.build.specs import SpecError, SpecFile
from lmparse.spec.build.value_types import ValueType, ValueTypes, enumeration_of
from lmparse.spec.catalog import KIND
from lmparse.spec.kind_words import SCALABLE
from lmparse.spec.layout import NESTED, Code, Expression, Field, Layout
from lmparse.spec.nesting import reached, types_of

_EOF, _POS, _SIZE = (("get", ("name", "_io"), name) for name in ("eof", "pos", "size"))
_KINDS_OF_VALUES = {
    "whole": "int", "real": "float", "truth": "boolean", "text": "str", "bytes": "variable", "member": "int",
    "any": "any",
}  # fmt: skip
"""Kinds of calculated values by the kinds of their types."""
_UNLISTED = "unlisted"
"""Id of the choice for values without a case."""
_BOOTSTRAP = "cp037"
"""Code page of codes: letters and digits are the same in all EBCDIC pages."""


@dataclass(frozen=True)
class _Place:
    """A position in a record: byte offset and bits within the byte; the offset is None behind variable parts."""

    offset: int | None = 0
    bits: int = 0

    def aligned(self) -> _Place:
        """The next whole byte, where all fields except bit fields start."""
        return self if self.offset is None or not self.bits else _Place(self.offset + 1)

    def behind(self, width: int | None, bits: int) -> _Place:
        """The position behind a field that starts here."""
        if self.offset is None:
            return self
        if bits:
            total = self.bits + bits
            return _Place(self.offset + total // 8, total % 8)
        return _Place(None if width is None else self.offset + width)


class Layouts:
    """The layouts of some specs and of their types, in `by_id`. Raises SpecError."""

    def __init__(self, specs: list[SpecFile]) -> None:
        self.by_id: dict[str, Layout] = {}
        self._open: set[str] = set()
        self._ends: dict[str, int] = {}
        """By type id, the bits of its last byte that belong to the type; 0 for all bits."""
        known = {spec.id: spec for spec in specs}
        for spec in specs:
            try:
                self._types = ValueTypes([*Scope(known, spec).all()])
                for scope in Scope(known, spec).all():
                    self._add(scope)
            except RecursionError:
                raise SpecError([spec.problem(*TOO_DEEP)]) from None
        self.by_id = without_circles(self.by_id)

    def _add(self, scope: Scope) -> Layout:
        if scope.id in self.by_id:
            return self.by_id[scope.id]
        self._open.add(scope.id)
        spec, tree = scope.spec, scope.tree
        fields: list[Field] = []
        place = _Place()
        params = {one["id"] for one in tree.get("params", [])}
        numbers = {*params}
        for number, attribute in enumerate(scope.attributes()):
            field, place = self._field(scope, f"{scope.where}/seq/{number}", attribute, place, numbers)
            fields.append(field)
            is_there = not (field.optional or field.conditional or field.repeated or field.process or field.type)
            if is_there and field.kind in ("uint", "int") and None not in (field.offset, field.width):
                numbers.add(field.id)  # an integer at the same place in all records
        end = place.aligned().offset
        self._ends[scope.id] = place.bits
        fields += [self._instance(scope, name, instance, params) for name, instance in scope.instances().items()]
        in_order = [field for field in fields if not field.is_instance]
        is_fixed = end is not None and not any(field.optional or field.kind == "rest" for field in in_order)
        meta = tree.get("meta", {})
        endian = scope.nearest("endian")
        calculated, unread = self._calculated(scope)
        named = {entry.id for entry in (*fields, *calculated)}
        layout = self.by_id[scope.id] = Layout(
            id=scope.id,
            fields=tuple(fields),
            width=end if is_fixed else None,
            endian=endian if isinstance(endian, str) else None,
            params=tuple(entry["id"] for entry in tree.get("params", [])),
            param_codes={one["id"]: scope.codes_of(one["enum"]) for one in tree.get("params", []) if "enum" in one},
            kind=tree.get("-lm-type"),
            title=meta.get("title", ""),
            doc=in_a_line(tree.get("doc")),
            doc_ref=in_a_line(tree.get("doc-ref")),
            path=f"{spec.place}.ksy",
            sha256=spec.sha256,
            enums={name: scope.members(name) for name in tree.get("enums", {})},
            little=expressions.little(scope),
            computed=expressions.computed(scope),
            unread=unread,
            calculated=calculated,
            instances=tuple(name for name in tree.get("instances", {}) if name in named) if calculated else (),
        )
        self._open.discard(scope.id)
        return layout

    def _field(
        self, scope: Scope, where: str, attribute: dict[str, Any], place: _Place, numbers: Set[str]
    ) -> tuple[Field, _Place]:
        """A field, and the place behind it; `numbers` are fields in front that may state where a part ends."""
        width, bits = self._width(scope, attribute)
        if place.bits and not bits:
            # A type that begins with bit fields continues in this byte, so its layout's bit offsets do not apply.
            place = _Place(None) if _begins_with_bits(scope, attribute, set()) else place.aligned()
        kind, found = self._kind(scope, attribute)
        condition = expressions.condition(scope, attribute)
        missing_from = _missing_from(condition, numbers)
        is_repeated = "repeat" in attribute
        number, nested = number_of(attribute.get("type")), scope.type_named(attribute.get("type"))
        number_width = found[0].number_width if found else width if is_repeated else None
        field = Field(
            id=attribute["id"],
            offset=place.offset,
            width=None if is_repeated or bits else width,
            kind=kind,
            number_width=number_width if kind in (*SCALABLE, "float", "code", "lsn") else None,
            type=nested.id if nested else None,
            codec=attribute.get("-codec"),
            scale=attribute.get("-scale"),
            enum=attribute.get("enum"),
            codes=self._codes(scope, where, attribute, width),
            **_bounds(attribute),
            optional=missing_from is not None,
            ends=missing_from or _filled(expressions.size(scope, attribute), numbers),
            conditional="if" in attribute and missing_from is None,
            repeated=is_repeated,
            cases=tuple(scope.types_of(attribute)) if isinstance(attribute.get("type"), dict) else (),
            choices=found if kind == "switch" else (),
            valid_status=attribute.get("-lm-valid-status", ""),
            bits=bits or None,
            endian=(number and number[3]) or (scope.bit_endian if bits else None),
            process=str(attribute.get("process", "")),
            stream=str(attribute.get("io", "")),
            condition=condition,
            **_described(attribute),
            **_reading(scope, attribute, width),
        )
        if kind == "rest":
            return field, place
        if is_repeated or field.conditional:
            return field, _Place(None)
        behind = place.behind(width, bits)
        ends = self._ends.get(nested.id, 0) if nested and "size" not in attribute else 0
        return field, behind if behind.offset is None or not ends else _Place(behind.offset - 1, ends)

    def _width(self, scope: Scope, attribute: dict[str, Any]) -> tuple[int | None, int]:
        """Width of a field in bytes, None if the data decide; and bits of a bit field."""
        type_, size = attribute.get("type"), attribute.get("size")
        if size is not None or attribute.get("size-eos"):
            return constant(size), 0
        if number := number_of(type_):
            return (None, int(number[2])) if number[1] == "b" else (int(number[2]), 0)
        if "contents" in attribute:
            return len(expressions.bytes_of(attribute["contents"])), 0
        nested = scope.type_named(type_)
        # A type inside itself is not complete: the data decide how deep it nests.
        is_open = nested is None or nested.id in self._open or "terminator" in attribute
        return (None, 0) if nested is None or is_open else (self._add(nested).width, 0)

    def _kind(self, scope: Scope, attribute: dict[str, Any]) -> tuple[str, tuple[Field, ...]]:
        """The kind of a field, and the choices of a switch type."""
        type_ = attribute.get("type")
        if "-lm-type" in attribute:
            return str(attribute["-lm-type"]), ()
        if isinstance(type_, dict):
            found = self._choices(scope, attribute)
            # Cases that are all numbers, or all text, are one value.
            is_switch = len(found) != 1 or found[0].kind in NESTED or found[0].type is not None
            return ("switch" if is_switch else found[0].kind), found
        kind = scope.kind_of(attribute)
        return ("variable" if kind == "bytes" and self._width(scope, attribute)[0] is None else kind), ()

    def _choices(self, scope: Scope, attribute: dict[str, Any]) -> tuple[Field, ...]:
        """The choices of a field with a switch type: one for each kind of value, in the order of the cases.

        All numbers are one choice, with the type that holds all of them.
        """
        found: dict[str, Field] = {}
        for name in map(str, type_names(attribute)):
            entry = self._choice(scope, name)
            found.setdefault(entry.type or entry.id, entry)
        if "_" not in attribute["type"]["cases"] and ("size" in attribute or attribute.get("size-eos")):
            found[_UNLISTED] = Field(_UNLISTED, None, None, "variable")
        return _distinct(_merged(_merged([*found.values()], ("uint", "int")), ("float",)))

    def _choice(self, scope: Scope, name: str) -> Field:
        if number := number_of(name):
            width = -(-int(number[2]) // 8) if number[1] == "b" else int(number[2])
            return Field(name, None, None, number_kind(number), number_width=width)
        if name in COMPILERS_TEXTS:
            return Field("str", None, None, "str")
        nested = scope.type_named(name)
        if nested is None:
            return Field(name, None, None, "variable")
        bytes_ = None if nested.id in self._open else self._add(nested).width
        kind = str(nested.tree.get("-lm-type", "struct"))
        return Field(nested.id.rpartition(".")[2], None, bytes_, kind, type=nested.id)

    def _instance(self, scope: Scope, name: str, instance: dict[str, Any], numbers: Set[str]) -> Field:
        """An instance at a position. Its offset is known if its stream is that of the record."""
        pos = constant(instance["pos"]) if "pos" in instance and "io" not in instance and not scope.path else None
        place = _Place(None if pos is None or not 0 <= pos < 1 << 63 else pos)
        field, _ = self._field(scope, f"{scope.where}/instances/{name}", {"id": name, **instance}, place, numbers)
        if "pos" not in instance:
            return replace(field, is_instance=True, pos=("unread", "an instance without pos"))
        return replace(field, is_instance=True, pos=expressions.expression(scope, instance["pos"]))

    def _calculated(self, scope: Scope) -> tuple[tuple[Field, ...], dict[str, str]]:
        """The calculated values of a type, and why other instances are no columns."""
        found, unread = [], {}
        has_body = any(attribute.get("-lm-type") == "body" for attribute in scope.attributes())
        for name, instance in scope.tree.get("instances", {}).items():
            if "value" not in instance or not is_column(instance) or (name == KIND and has_body):
                continue  # in records of several kinds, `kind` states the kind
            type_ = self._types.of_member(scope, name, instance)
            field = _calculated_field(name, type_, instance)
            if field is None:
                unread[name] = f"it is {type_}, which is shown where it stands"
            else:
                found.append(field)
        return tuple(found), unread

    def _codes(self, scope: Scope, where: str, attribute: dict[str, Any], width: int | None) -> tuple[Code, ...]:
        codes = scope.codes_of(attribute.get("enum"))
        if "-codec" not in attribute or width is None:
            return codes
        try:
            return tuple(replace(code, text=code_text(code.value, width)) for code in codes)
        except OverflowError:
            name = attribute["enum"].rpartition("::")[2]
            text = f"{name} has a code that is too large for {attribute.get('type')}"
            raise SpecError([scope.spec.problem(f"{where}/enum", text)]) from None


def _calculated_field(name: str, type_: ValueType, instance: dict[str, Any]) -> Field | None:
    """A calculated value as a column; None for an object, a stream, or a list of these."""
    item = type_.item if type_.kind == "list" and type_.item is not None else type_
    if item.kind in ("object", "stream"):
        return None
    kind = "any" if item.kind == "list" else _KINDS_OF_VALUES[item.kind]
    enum = enumeration_of(item)
    return Field(
        name, None, None, kind,
        enum=enum[1] if enum else None,
        codes=enum[0].members(enum[1]) if enum else (),
        repeated=item is not type_ and kind != "any",
        number_width=8 if kind in ("int", "float") else None,
        conditional="if" in instance,
        is_instance=True,
        **_described(instance),
    )  # fmt: skip


def _described(attribute: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Field` about an attribute's texts."""
    return {
        "orig_id": ", ".join(texts(attribute.get("-orig-id", []))) or None,
        "unit": attribute.get("-unit"),
        "doc": in_a_line(attribute.get("doc")),
        "doc_ref": in_a_line(attribute.get("doc-ref")),
        "status": attribute.get("-lm-status", ""),
        "source": in_a_line(attribute.get("-lm-source")) or None,
    }


def without_circles(layouts: dict[str, Layout]) -> dict[str, Layout]:
    """The layouts without instances whose type contains the layout, because such instances may recur forever."""
    found = dict(layouts)
    for layout in layouts.values():
        circles = {
            entry.id: "its type contains the type that it is in"
            for entry in layout
            if entry.is_instance and any(inner is layout for inner in reached(layouts, types_of(entry)))
        }
        fields = tuple(entry for entry in layout if entry.id not in circles)
        names = tuple(name for name in layout.instances if name not in circles)
        if circles:
            unread = {**layout.unread, **circles}
            found[layout.id] = replace(layout, fields=fields, unread=unread, instances=names)
    return found


def _begins_with_bits(scope: Scope, attribute: dict[str, Any], seen: set[str]) -> bool:
    """Whether a field may begin within the last byte of the field in front. The growing set `seen` has types already
    searched."""
    if "size" in attribute or attribute.get("size-eos"):
        return False
    for name in type_names(attribute):
        if number := number_of(name):
            if number[1] == "b":
                return True
        elif (nested := scope.type_named(name)) is not None and nested.id not in seen:
            seen.add(nested.id)
            for entry in nested.tree.get("seq", []):
                if _begins_with_bits(nested, entry, seen):
                    return True
                if "if" not in entry:
                    break
    return False


def code_text(value: int, width: int) -> str:
    """The text of a code: its characters without trailing blanks, or one blank if all are blanks."""
    return value.to_bytes(width, "big").decode(_BOOTSTRAP).rstrip() or " "


def _bounds(attribute: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Field` for the checks of `valid` and `contents`."""
    bounds = bounds_of(attribute)
    minimum, maximum = (_whole(bounds.get(key, bounds.get("eq"))) for key in ("min", "max"))
    checks = [f"{k}: {v}" for k, v in bounds.items() if k not in ("min", "max", "eq") or _whole(v) is None]
    if attribute.get("contents") is not None:
        checks.append(f"contents: {attribute['contents']}")
    return {"minimum": minimum, "maximum": maximum, "checks": "; ".join(checks)}


def _reading(scope: Scope, attribute: dict[str, Any], width: int | None) -> dict[str, Any]:
    """The arguments of `Field` for the expressions that decide how a field is read."""
    type_ = attribute.get("type")
    switch_on, cases = expressions.switch(scope, attribute)
    is_plain = width is not None and type_ is None and "repeat" not in attribute
    return {
        # A plain field of constant size already has its width.
        "size": None if is_plain else expressions.size(scope, attribute),
        "arguments": expressions.target(scope, type_)[1] if isinstance(type_, str) else (),
        "items": expressions.items(scope, attribute),
        "switch_on": switch_on,
        "switch": cases,
        "demands": expressions.checks(scope, attribute) if _bounds(attribute)["checks"] else (),
        "ending": expressions.ending(scope, attribute),
        "io": expressions.expression(scope, attribute["io"]) if "io" in attribute else None,
        "restore": expressions.restore(scope, attribute),
        "encoding": expressions.encoding(scope, attribute) if type_ in COMPILERS_TEXTS else "",
    }


def _missing_from(condition: Expression, numbers: Set[str]) -> str | None:
    """The end of the part that a field may be missing from, see `Field.ends`; None for other conditions.

    `numbers` are the names that may state the end of a part.
    """
    if condition in (("not", _EOF), ("<", _POS, _SIZE)):
        return "_io"
    match condition:
        case ("<", position, ("name", name)) if position == _POS and name in numbers:
            return str(name)
    return None


def _filled(size: Expression, numbers: Set[str]) -> str | None:
    """The end of the part that a sized field fills; None for other sizes."""
    if size == ("rest",):
        return "_io"
    match size:
        case ("-", ("name", name), position) if position == _POS and name in numbers:
            return str(name)
    return None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _merged(entries: list[Field], kinds: tuple[str, ...]) -> list[Field]:
    """The choices of a switch type, with all numbers of some kinds merged to one choice."""
    numbers = [entry for entry in entries if entry.kind in kinds and entry.type is None]
    if len(numbers) < 2:
        return entries
    signed = [entry.number_width or 0 for entry in numbers if entry.kind != "uint"]
    unsigned = [entry.number_width or 0 for entry in numbers if entry.kind == "uint"]
    # A signed type for unsigned numbers needs one more bit, and numbers have 1, 2, 4 or 8 bytes.
    width = max((*signed, *(2 * width for width in unsigned))) if signed else max(unsigned)
    one = replace(numbers[0], id=kinds[-1], kind=kinds[-1] if signed else "uint", number_width=width)
    at = entries.index(numbers[0])
    return [entry for entry in (*entries[:at], one, *entries[at:]) if entry is one or entry not in numbers]


def _distinct(entries: list[Field]) -> tuple[Field, ...]:
    """The choices with unique ids: ambiguous types get the ids of their outer types in front."""
    ids = [entry.id for entry in entries]
    found: dict[str, Field] = {}
    for entry in entries:
        name = entry.type.replace(".", "_") if entry.type and ids.count(entry.id) > 1 else entry.id
        while name in found:
            name += "_"
        found[name] = replace(entry, id=name)
    return tuple(found.values())
