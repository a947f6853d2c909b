"""Expressions: what decides how the bytes of a record are read, as data for `generated/layouts.py`.

Members of enumerations become their numbers, see `Expression`. What only the parser can evaluate becomes
`("unread", text)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lmparse.spec.build.expression_language import NotAnExpressionError, parsed
from lmparse.spec.build.scopes import NUMBER, Scope, is_column, number_kind
from lmparse.spec.build.value_types import ANY, ValueTypes, enumeration_of
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Case, Code, Computed, Expression

_DEEPEST = 40
"""Operators inside operators of an expression."""
_OPERATORS = frozenset(
    ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "and", "or", "not", "neg", "?", "at")
)
"""What is evaluated for many records at once."""


def expression(scope: Scope, text: Any) -> Expression:
    """An expression of a type as data."""
    if isinstance(text, bool | int):
        return text
    try:
        return _shallow(_data(scope, parsed(str(text))))
    except (NotAnExpressionError, RecursionError):
        return ("unread", str(text)[:60])


def _shallow(found: Expression) -> Expression:
    """An expression that Python can read as nested tuples; one that is nested too deeply is left to the parser."""
    level, depth = [found], 0
    while level := [inner for one in level if isinstance(one, tuple) for inner in one]:
        depth += 1
        if depth > _DEEPEST:
            return ("unread", "what is nested so deeply")
    return found


def _data(scope: Scope, tree: Expression) -> Expression:
    """A tree of the language as data. Raises NotAnExpressionError for what only the parser can evaluate."""
    if isinstance(tree, bool | int):
        return tree
    match tree:
        case ("name", _):
            return tree
        case ("member", path):
            return _member(scope, path)
        case ("get", inner, "to_i"):
            return _data(scope, inner)
        case ("get", inner, name):
            return ("get", _data(scope, inner), name)
        case ("list", *items):
            return ("list", *(_data(scope, one) for one in items))
        case (operator, *operands) if operator in _OPERATORS:
            return (operator, *(_data(scope, one) for one in operands))
    raise NotAnExpressionError


def _member(scope: Scope, path: str) -> int:
    enum, _, name = path.rpartition("::")
    holder, last = scope.enum_named(enum) or (None, "")
    for entry in holder.members(last) if holder else ():
        if entry.id == name:
            return entry.value
    raise NotAnExpressionError


def condition(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The `if` of an attribute; None without one."""
    if "parent" in attribute:
        return ("unread", "parent")
    return expression(scope, attribute["if"]) if "if" in attribute else None


def size(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The bytes of an attribute if it states them; `("rest",)` for all that are left."""
    if attribute.get("size-eos"):
        return ("rest",)
    return expression(scope, attribute["size"]) if "size" in attribute else None


def items(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """How many items a list has; None if it is not a list."""
    if "repeat" not in attribute:
        return None
    if attribute["repeat"] == "eos":
        return ("rest",)
    return expression(scope, attribute["repeat-expr"]) if "repeat-expr" in attribute else ("unread", "repeat: until")


def switch(scope: Scope, type_: Any) -> tuple[Expression, tuple[Case, ...]]:
    """On what a type switches, and its cases with the default last."""
    if not isinstance(type_, dict):
        return None, ()
    cases = sorted(type_["cases"].items(), key=lambda case: str(case[0]) == "_")
    return expression(scope, type_["switch-on"]), tuple(
        Case(None if str(key) == "_" else expression(scope, key), *target(scope, str(name))) for key, name in cases
    )


def target(scope: Scope, name: str) -> tuple[str, tuple[Expression, ...]]:
    """Id of the layout that a type names, and its arguments; no id for the compiler's own types."""
    found = None if NUMBER.match(name) else scope.type_named(name)
    if found is None:
        return "", ()
    given = name.partition("(")[2].rpartition(")")[0].strip()
    if not given:
        return found.id, ()
    arguments = expression(scope, f"[{given}]")
    if isinstance(arguments, tuple) and arguments[0] == "list":
        return found.id, arguments[1:]
    return found.id, (arguments,) * len(found.tree.get("params", [1]))


def little(scope: Scope) -> Expression:
    """Whether numbers have the least significant byte first, if the type says on what that depends."""
    own = scope.tree.get("meta", {}).get("endian")
    if not isinstance(own, dict):
        return None
    cases, on = own["cases"], expression(scope, own["switch-on"])
    found: Expression = cases["_"] == "le" if "_" in cases else ("unread", "no byte order")
    for key, word in cases.items():
        if str(key) != "_":
            found = ("?", ("==", on, expression(scope, key)), word == "le", found)
    return _shallow(found)


def computed(scope: Scope) -> dict[str, Computed]:
    """The instances that are not fields: calculated values, and looks ahead."""
    found = {}
    for name, instance in scope.tree.get("instances", {}).items():
        if "value" in instance:
            found[name] = Computed(expression(scope, instance["value"]), condition(scope, instance))
        elif not is_column(instance):
            found[name] = _peek(scope, instance)
        if name == KIND and name in found:
            found[name] = replace(found[name], codes=_codes_of(scope, instance))
    return found


def _peek(scope: Scope, instance: dict[str, Any]) -> Computed:
    type_ = instance.get("type")
    match = NUMBER.match(type_) if isinstance(type_, str) else None
    if match is None or number_kind(match) == "float" or match[1] == "b" or not instance.keys() <= _PEEKED:
        return Computed(("unread", f"type: {type_}"))
    pos = expression(scope, instance.get("pos"))
    return Computed(pos, condition(scope, instance), int(match[2]), match[1] == "s", match[3])


_PEEKED = frozenset((
    "pos", "type", "enum", "if", "doc", "doc-ref", "-lm-column", "-codec", "-unit", "-orig-id", "-lm-status",
    "-lm-source",
))  # fmt: skip
"""Keys of a look ahead that do not change its number."""


def _codes_of(scope: Scope, instance: dict[str, Any]) -> tuple[Code, ...] | None:
    """The enumeration of an instance, empty if it has none; None if only the parser knows that."""
    found = ValueTypes([*Scope(scope.specs, scope.spec).all()]).of_entry(scope, instance)
    if found == ANY:
        return None
    enum = enumeration_of(found)
    return () if enum is None else tuple(replace(one, doc="", status="") for one in enum[0].members(enum[1]))


def checks(scope: Scope, attribute: dict[str, Any]) -> tuple[Expression, ...]:
    """What `valid` and `contents` demand of a value, `_`, as expressions."""
    valid = attribute.get("valid")
    bounds = valid if isinstance(valid, dict) else {"eq": valid} if "valid" in attribute else {}
    value: Expression = ("name", "_")
    words = {"eq": "==", "min": ">=", "max": "<="}
    found: list[Expression] = []
    for key, bound in bounds.items():
        if key == "expr":
            found.append(expression(scope, bound))
        elif key in words:
            found.append((words[key], value, expression(scope, bound)))
        elif key == "any-of" and isinstance(bound, list) and bound:
            found.append(("in", value, *(expression(scope, one) for one in bound)))
        else:
            found.append(("unread", key))
    if attribute.get("contents") is not None:
        found.append(("unread", "contents"))
    return tuple(found)
