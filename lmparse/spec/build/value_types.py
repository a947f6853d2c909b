"""Types of values: the type of a spec's expression, and checks whether the expression has a value.

Inference follows the language: `/` of integers gives an integer, and with a float a float. A comparison is a boolean,
and so is a field of one bit. Types that cannot be known in advance, such as that of a field in a parent of several
types, are ANY, which fits everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from lmparse.spec.build.constructs import near, type_word
from lmparse.spec.build.expression_language import NotAnExpressionError, parsed
from lmparse.spec.build.scopes import COMPILERS_TEXTS, NUMBER, Scope
from lmparse.spec.layout import Expression

_WORDS = {
    "whole": "a whole number", "real": "a real number", "truth": "true or false", "text": "text", "bytes": "bytes",
    "member": "a member of an enumeration", "object": "an object", "stream": "a stream", "list": "a list",
    "any": "anything",
}  # fmt: skip


@dataclass(frozen=True)
class ValueType:
    """The type of a value."""

    kind: str
    """One of _WORDS."""
    item: ValueType | None = None
    """Type of the items of a list."""
    scope: Scope | None = field(default=None, compare=False)
    """The type of an object, or the type that defines an enumeration."""
    name: str = ""
    """Id of the layout of an object; or an enumeration, behind the id of the type that defines it."""

    def __str__(self) -> str:
        named = {"object": f"an object of {self.name}", "member": f"a member of {self.name}"}
        return named.get(self.kind, _WORDS[self.kind]) if self.name else _WORDS[self.kind]


WHOLE, REAL, TRUTH, TEXT, BYTES, STREAM, ANY = map(
    ValueType, ("whole", "real", "truth", "text", "bytes", "stream", "any")
)
OBJECT = ValueType("object")
"""An object of some type."""
_NAMED = {
    "bool": TRUTH, "bytes": BYTES, "io": STREAM, "struct": OBJECT, "any": ANY, **dict.fromkeys(COMPILERS_TEXTS, TEXT)
}  # fmt: skip
_NUMBERS = ("whole", "real")
_OF_OBJECTS = {"_io": STREAM, "_sizeof": WHOLE, "_index": WHOLE, "_is_le": TRUTH}
_MEMBERS: dict[str, dict[str, tuple[ValueType, ...]]] = {
    "bytes": {**dict.fromkeys(("length", "size", "first", "last", "min", "max"), (WHOLE,)), "to_s": (TEXT, TEXT)},
    "text": {
        "length": (WHOLE,), "size": (WHOLE,), "reverse": (TEXT,), "to_i": (WHOLE, WHOLE),
        "substring": (TEXT, WHOLE, WHOLE),
    },
    "whole": {"to_s": (TEXT,), "to_i": (WHOLE,)},
    "real": {"to_i": (WHOLE,)},
    "truth": {"to_i": (WHOLE,)},
    "member": {"to_i": (WHOLE,)},
    "stream": {"pos": (WHOLE,), "size": (WHOLE,), "eof": (TRUTH,)},
    "list": {"size": (WHOLE,), "length": (WHOLE,)},
}  # fmt: skip
"""Members of values other than objects: the type of each member, and of its arguments."""


class MistypedError(ValueError):
    """An expression without a value; the text says why."""


Names = Mapping[str, ValueType]
"""Types of names that only have a meaning in an expression: `_` is the value that the expression is about."""
NONE: Names = {}


class ValueTypes:
    """The types of values in some specs; `scopes` includes all types inside them."""

    def __init__(self, scopes: list[Scope]) -> None:
        self._parents = _parents(scopes)
        self._open: set[tuple[str, str]] = set()
        self._known: dict[tuple[str, str], ValueType] = {}

    def of_text(self, scope: Scope, text: Any, names: Names = NONE) -> ValueType:
        """The type of an expression in a type; `text` is a text or a tree. Raises MistypedError.

        A text that is no expression is ANY: the compiler reports its error.
        """
        try:
            tree = text if isinstance(text, bool | int | float | tuple) else parsed(str(text))
            return self.of(scope, tree, names)
        except (NotAnExpressionError, RecursionError):
            return ANY

    def of(self, scope: Scope, tree: Expression, names: Names = NONE) -> ValueType:
        """The type of a tree. Raises MistypedError."""
        if isinstance(tree, bool | int | float):
            return TRUTH if isinstance(tree, bool) else WHOLE if isinstance(tree, int) else REAL
        match tree:
            case ("real", _):
                return REAL
            case ("text", _):
                return TEXT
            case ("sizeof", _):
                return WHOLE
            case ("member", path):
                return _member(scope, path)
            case ("name", name):
                return names[name] if name in names else self._of_object(scope, name)
            case ("list",):
                raise MistypedError("a list without items has no type")
            case ("list", *items) if all(type(one) is int and 0 <= one <= 255 for one in items):
                return BYTES
            case ("list", *items):
                found = [self.of(scope, one, names) for one in items]
                return ValueType("list", found[0] if all(one == found[0] for one in found) else ANY)
            case ("get", inner, name):
                return self._part(self.of(scope, inner, names), name)
            case ("call", inner, name, *arguments):
                of = self.of(scope, inner, names)
                return self._part(of, name, *(self.of(scope, one, names) for one in arguments))
            case ("at", _, ("neg", int(number))):
                raise MistypedError(f"there is no item -{number}: items count from 0, and .last is the last one")
            case ("at", inner, place):
                return self._item(self.of(scope, inner, names), self.of(scope, place, names))
            case ("as", inner, name):
                self.of(scope, inner, names)
                return type_named(scope, name)
            case ("?", condition, chosen, other):
                demand(TRUTH, "the condition of ?", self.of(scope, condition, names))
                return _common(self.of(scope, chosen, names), self.of(scope, other, names))
            case ("not", inner):
                demand(TRUTH, "what stands behind not", self.of(scope, inner, names))
                return TRUTH
            case ("neg" | "~" as sign, inner):
                signed = self.of(scope, inner, names)
                if signed.kind not in ("any", "whole", "real" if sign == "neg" else "whole"):
                    raise MistypedError(f"{'-' if sign == 'neg' else sign} is for numbers, not for {signed}")
                return signed
            case (operator, left, right):
                return _operated(str(operator), self.of(scope, left, names), self.of(scope, right, names))
        return ANY

    def _of_object(self, scope: Scope, name: str) -> ValueType:
        """The type of a name in an object of a type."""
        if name in _OF_OBJECTS:
            return _OF_OBJECTS[name]
        if name == "_root":
            return object_of(Scope(scope.specs, scope.spec))
        if name == "_parent" and scope.path and scope.id not in self._parents:
            raise MistypedError(f"nothing is of the type {scope.id}, so that it has no {name}")
        if name == "_parent":
            return self._parents.get(scope.id, OBJECT)
        tree = scope.tree
        listed = {str(one["id"]): one for one in (*tree.get("seq", []), *tree.get("params", [])) if "id" in one}
        members = {**tree.get("instances", {}), **listed}
        if name not in members:
            is_own = name.startswith("_")
            raise MistypedError(
                f"{name} means nothing here" if is_own else f"there is no {name} in {scope.id}{near(name, members)}"
            )
        return self.of_member(scope, name, members[name])

    def of_member(self, scope: Scope, name: str, entry: Mapping[str, Any]) -> ValueType:
        """The type of a field, instance or parameter of a type; ANY for a circular value."""
        key = scope.id, name
        if key not in self._known:
            if key in self._open:
                return ANY
            self._open.add(key)
            try:
                self._known[key] = self.of_entry(scope, entry)
            finally:
                self._open.discard(key)
        return self._known[key]

    def of_entry(self, scope: Scope, entry: Mapping[str, Any]) -> ValueType:
        """The type of a field, instance or parameter, from its entry in the spec."""
        if "value" in entry:
            try:
                one = self.of_text(scope, entry["value"])
            except MistypedError:
                one = ANY  # the error is reported at its own place
        else:
            one = self.item_of(scope, entry)
        if "enum" in entry and one.kind in ("whole", "any"):
            found = scope.enum_named(entry["enum"])
            one = ANY if found is None else member_type(*found)
        return ValueType("list", one) if "repeat" in entry else one

    def item_of(self, scope: Scope, entry: Mapping[str, Any]) -> ValueType:
        """The type of a field that is no list, or of a list's item, without its enumeration."""
        type_ = entry.get("type")
        if isinstance(type_, dict):
            types = [type_named(scope, str(name)) for name in type_.get("cases", {}).values()]
            if "_" not in type_.get("cases", {}) and ("size" in entry or entry.get("size-eos")):
                types.append(BYTES)
            return reduce(_common, types) if types else ANY
        return BYTES if type_ is None else type_named(scope, str(type_))

    def _part(self, of: ValueType, name: str, *arguments: ValueType) -> ValueType:
        """The type of a member of a value; the compiler reports missing arguments."""
        if of.kind == "any":
            return ANY
        if of.kind == "object" and not arguments:
            return self._of_object(of.scope, name) if of.scope is not None else ANY
        if of.kind == "list" and name in ("first", "last", "min", "max"):
            return of.item or ANY
        known = {**({} if of.kind == "list" else {"_sizeof": (WHOLE,)}), **_MEMBERS.get(of.kind, {})}
        if name not in known:
            raise MistypedError(f"{of} has no {name}")
        result, *wanted = known[name]
        if len(arguments) not in (0, len(wanted)):
            raise MistypedError(f"{name} takes {len(wanted)} arguments, not {len(arguments)}")
        for expected, found in zip(wanted, arguments, strict=False):
            demand(expected, f"an argument of {name}", found)
        return result

    def _item(self, of: ValueType, place: ValueType) -> ValueType:
        demand(WHOLE, "the number of an item", place)
        if of.kind == "list":
            return of.item or ANY
        if of.kind in ("any", "bytes"):
            return WHOLE if of.kind == "bytes" else ANY
        raise MistypedError(f"{of} has no items")


def object_of(scope: Scope) -> ValueType:
    """The type of an object."""
    return ValueType("object", scope=scope, name=scope.id)


def member_type(scope: Scope, enum: str) -> ValueType:
    """The type of the members of an enumeration."""
    return ValueType("member", scope=scope, name=f"{scope.id}.{enum}")


def enumeration_of(type_: ValueType) -> tuple[Scope, str] | None:
    """For a member of an enumeration, the type that defines the enumeration, and the enumeration's name; else None."""
    if type_.kind != "member" or type_.scope is None:
        return None
    return type_.scope, type_.name.rpartition(".")[2]


def type_named(scope: Scope, name: str) -> ValueType:
    """The type of a built-in word or of a type's name."""
    if name.endswith("[]"):
        return ValueType("list", type_named(scope, name[:-2]))
    match = NUMBER.match(name)
    if match is not None and type_word(name) is not None:
        return TRUTH if match[1] + match[2] == "b1" else REAL if match[1] == "f" else WHOLE
    if name in _NAMED:
        return _NAMED[name]
    found = scope.type_named(name)
    return ANY if found is None else object_of(found)


def demand(wanted: ValueType, what: str, found: ValueType) -> None:
    """Demand that a value has a type. Raises MistypedError."""
    if "any" not in (found.kind, wanted.kind) and found.kind != wanted.kind:
        raise MistypedError(f"{what} must be {wanted}, not {found}")


def demand_comparable(one: ValueType, what: str, other: ValueType) -> None:
    """Demand that two values can be equal. Raises MistypedError."""
    are_numbers = one.kind in _NUMBERS and other.kind in _NUMBERS
    if "any" in (one.kind, other.kind) or are_numbers:
        return
    if one.kind != other.kind or (one.kind == "member" and one.name != other.name):
        raise MistypedError(f"{what} compares {one} with {other}")


def _operated(operator: str, one: ValueType, other: ValueType) -> ValueType:
    if operator in ("and", "or"):
        for operand in (one, other):
            demand(TRUTH, f"each side of {operator}", operand)
        return TRUTH
    if operator in ("==", "!=", "<", "<=", ">", ">="):
        demand_comparable(one, operator, other)
        return TRUTH
    if "any" in (one.kind, other.kind):
        return ANY if operator in "+-*/%" else WHOLE
    if operator == "+" and one == other and one.kind in ("text", "bytes"):
        return one
    allowed = _NUMBERS if operator in "+-*/%" else ("whole",)
    for operand in (one, other):
        if operand.kind not in allowed:
            raise MistypedError(f"{operator} is for {'whole ' * (allowed != _NUMBERS)}numbers, not for {operand}")
    return REAL if "real" in (one.kind, other.kind) else WHOLE


def _common(one: ValueType, other: ValueType) -> ValueType:
    """The type of a value that is one of two values."""
    if one == other:
        return one
    if one.kind == other.kind == "object":
        return OBJECT
    return REAL if one.kind in _NUMBERS and other.kind in _NUMBERS else ANY


def _member(scope: Scope, path: str) -> ValueType:
    enum, _, name = path.rpartition("::")
    found = scope.enum_named(enum)
    if found is None:
        raise MistypedError(f"there is no enumeration {enum}")
    names = [entry.id for entry in found[0].members(found[1])]
    if name not in names:
        raise MistypedError(f"the enumeration {enum} has no {name}{near(name, names)}")
    return member_type(*found)


def _parents(scopes: list[Scope]) -> dict[str, ValueType]:
    """The type of `_parent` by type id; OBJECT for a type with several users, or with a named parent."""
    users: dict[str, dict[str, Scope]] = {}
    for scope in scopes:
        for _, entry in scope.located():
            for nested in scope.types_of(entry).values():
                is_plain = "parent" not in entry and nested.spec is scope.spec
                users.setdefault(nested.id, {})[scope.id if is_plain else ""] = scope
    return {
        name: object_of(*found.values()) if len(found) == 1 and "" not in found else OBJECT
        for name, found in users.items()
    }
