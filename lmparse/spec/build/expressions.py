"""Expressions: how the bytes of a record are read, as data for `generated/layouts.py`.

Members of enumerations become their numbers, see `Expression`. Expressions that only the parser can evaluate become
`("unread", text)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lmparse.spec.build.expression_language import NotAnExpressionError, arguments, parsed
from lmparse.spec.build.scopes import Scope, bounds_of, is_column, number_kind, number_of
from lmparse.spec.build.value_types import ANY, ValueTypes, enumeration_of
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Case, Code, Computed, Ending, Expression, Field

_DEEPEST = 40
"""Most levels of operators inside operators."""
_OPERATORS = frozenset((
    "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "~", "neg", "and", "or",
    "not", "?", "at",
))  # fmt: skip
"""Operators that are evaluated for many records at once."""
_CALLS = frozenset(("to_i", "to_s", "reverse", "substring"))


def expression(scope: Scope, text: Any) -> Expression:
    """An expression of a type as data."""
    if isinstance(text, bool | int | float):
        return text
    try:
        return _read(scope, parsed(str(text)), str(text))
    except NotAnExpressionError:
        return ("unread", str(text)[:60])


def _read(scope: Scope, tree: Expression, text: str) -> Expression:
    """A tree of the language as data; `text` is shown if only the parser can evaluate it."""
    try:
        return _shallow(_data(scope, tree))
    except (NotAnExpressionError, RecursionError):
        return ("unread", text[:60])


def _shallow(found: Expression) -> Expression:
    """An expression that Python can read as nested tuples; deeper expressions are left to the parser."""
    level, depth = [found], 0
    while level := [inner for one in level if isinstance(one, tuple) for inner in one]:
        depth += 1
        if depth > _DEEPEST:
            return ("unread", "what is nested so deeply")
    return found


def _data(scope: Scope, tree: Expression) -> Expression:
    """A tree of the language as data. Raises NotAnExpressionError if only the parser can evaluate it."""
    if isinstance(tree, bool | int):
        return tree
    match tree:
        case ("name", _):
            return tree
        case ("member", path):
            enum, _, name = path.rpartition("::")
            for code in scope.codes_of(enum):
                if code.id == name:
                    return code.value
        case ("text" | "real", value) if value is not None:
            return value  # type: ignore[no-any-return]
        case ("call", inner, str(name), *arguments) if name in _CALLS:
            return ("call", _data(scope, inner), name, *(_data(scope, one) for one in arguments))
        case ("as", inner, name):
            return ("as", _data(scope, inner), name)
        case ("list", *items) if items and all(type(one) is int and 0 <= one <= 255 for one in items):
            return bytes(items)
        case ("get", inner, name):
            found = _data(scope, inner)
            return found if name == "to_i" and isinstance(found, int) else ("get", found, name)
        case ("list", *items):
            return ("list", *(_data(scope, one) for one in items))
        case (operator, *operands) if operator in _OPERATORS:
            return (operator, *(_data(scope, one) for one in operands))
    raise NotAnExpressionError


def condition(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The `if` of an attribute; None without one."""
    if "parent" in attribute:
        return ("unread", "parent")
    return expression(scope, attribute["if"]) if "if" in attribute else None


def size(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The stated size of an attribute; `("rest",)` for all remaining bytes, None without a size."""
    if attribute.get("size-eos"):
        return ("rest",)
    return expression(scope, attribute["size"]) if "size" in attribute else None


def items(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The number of items of a list; None for other attributes."""
    if "repeat" not in attribute:
        return None
    if attribute["repeat"] == "eos":
        return ("rest",)
    if "repeat-expr" in attribute:
        return expression(scope, attribute["repeat-expr"])
    return ("until", expression(scope, attribute.get("repeat-until")))


def switch(scope: Scope, attribute: dict[str, Any]) -> tuple[Expression, tuple[Case, ...]]:
    """The switch expression of a type, and its cases, the default last."""
    type_ = attribute.get("type")
    if not isinstance(type_, dict):
        return None, ()
    found = []
    for key, name in sorted(type_["cases"].items(), key=lambda case: str(case[0]) == "_"):
        wanted = None if str(key) == "_" else expression(scope, key)
        found.append(Case(wanted, *target(scope, str(name)), plain(scope, attribute, name)))
    return expression(scope, type_["switch-on"]), tuple(found)


def target(scope: Scope, name: str) -> tuple[str, tuple[Expression, ...]]:
    """Id of the layout of a type, and its arguments; an empty id for the compiler's types."""
    found = None if number_of(name) else scope.type_named(name)
    if found is None:
        return "", ()
    given = name.partition("(")[2].rpartition(")")[0].strip()
    try:
        return found.id, tuple(_read(scope, one, given) for one in arguments(name))
    except NotAnExpressionError:
        return found.id, (("unread", given[:60]),) * len(found.tree.get("params", [1]))


def little(scope: Scope) -> Expression:
    """The condition for little-endian numbers, if the type states one."""
    own = scope.tree.get("meta", {}).get("endian")
    if not isinstance(own, dict):
        return None
    cases, on = own["cases"], expression(scope, own["switch-on"])
    found: Expression = cases["_"] == "le" if "_" in cases else ("none",)
    for key, word in cases.items():
        if str(key) != "_":
            found = ("?", ("==", on, expression(scope, key)), word == "le", found)
    return _shallow(found)


def computed(scope: Scope) -> dict[str, Computed]:
    """The instances that are not fields: calculated values, and numbers read ahead."""
    found = {}
    for name, instance in scope.tree.get("instances", {}).items():
        if "value" in instance:
            found[name] = Computed(expression(scope, instance["value"]), condition(scope, instance))
        elif not is_column(instance):
            number = number_of(instance.get("type"))
            if number and number[1] in "us" and instance.keys() <= _PEEKED:
                pos = expression(scope, instance.get("pos"))
                width, is_signed = int(number[2]), number[1] == "s"
                found[name] = Computed(pos, condition(scope, instance), width, is_signed, number[3])
            else:
                found[name] = Computed(("unread", f"type: {instance.get('type')}"))
        if name == KIND and name in found:
            found[name] = replace(found[name], codes=_codes_of(scope, instance))
    return found


_PEEKED = frozenset((
    "pos", "type", "enum", "if", "doc", "doc-ref", "-lm-column", "-codec", "-unit", "-orig-id", "-lm-status",
    "-lm-source",
))  # fmt: skip
"""Keys of a number read ahead that do not change the number."""


def _codes_of(scope: Scope, instance: dict[str, Any]) -> tuple[Code, ...] | None:
    """The enumeration of an instance, empty without one; None if only the parser knows the enumeration."""
    found = ValueTypes([*Scope(scope.specs, scope.spec).all()]).of_entry(scope, instance)
    if found == ANY:
        return None
    enum = enumeration_of(found)
    return () if enum is None else tuple(replace(one, doc="", status="") for one in enum[0].members(enum[1]))


def checks(scope: Scope, attribute: dict[str, Any]) -> tuple[Expression, ...]:
    """The conditions of `valid` and `contents` on a value, `_`, as expressions."""
    value: Expression = ("name", "_")
    words = {"eq": "==", "min": ">=", "max": "<="}
    found: list[Expression] = []
    for key, bound in bounds_of(attribute).items():
        if key == "expr":
            found.append(expression(scope, bound))
        elif key in words:
            found.append((words[key], value, expression(scope, bound)))
        elif key == "any-of" and isinstance(bound, list) and bound:
            found.append(("in", value, *(expression(scope, one) for one in bound)))
        elif key == "in-enum" and (holder := scope.enum_named(str(attribute.get("enum")))):
            found.append(("in", value, *(code.value for code in holder[0].members(holder[1]))) if bound else True)
        else:
            found.append(("unread", key))
    if attribute.get("contents") is not None:
        found.append(("==", value, bytes_of(attribute["contents"])))
    return tuple(found)


def bytes_of(contents: Any) -> bytes:
    """The bytes of `contents`: a text, a byte, or a list of both; none for other values in a spec that is only read."""
    if isinstance(contents, list):
        return b"".join(map(bytes_of, contents))
    if isinstance(contents, str):
        return contents.encode()
    return bytes([contents & 0xFF] if isinstance(contents, int) else [])


def ending(scope: Scope, attribute: dict[str, Any]) -> Ending | None:
    """Where the value of an attribute ends within its bytes; None if it has all bytes."""
    terminator = attribute.get("terminator")
    if terminator is None and attribute.get("type") == "strz":
        name = encoding(scope, attribute).upper().replace("-", "")
        terminator = [0] * (2 if name.startswith("UTF16") else 4 if name.startswith("UTF32") else 1)
    if terminator is None and "pad-right" not in attribute:
        return None
    return Ending(
        None if terminator is None else bytes_of(terminator),
        bool(attribute.get("include", False)),
        bool(attribute.get("consume", True)),
        bool(attribute.get("eos-error", True)),
        attribute.get("pad-right"),
    )


def plain(scope: Scope, attribute: dict[str, Any], name: Any) -> Field | None:
    """A field of a built-in type of the compiler, as a case of an attribute with a switch type."""
    if scope.type_named(name) is not None:
        return None
    number, one = number_of(name), {**attribute, "type": name}
    if number is None:
        text = Field(str(name), None, None, "str", size=size(scope, attribute))
        return replace(text, ending=ending(scope, one), encoding=encoding(scope, one))
    if number[1] == "b":
        endian = number[3] or scope.bit_endian
        return Field(name, None, None, number_kind(number), endian=endian, bits=int(number[2]))
    width = int(number[2])
    return Field(name, None, width, number_kind(number), number_width=width, endian=number[3])


def encoding(scope: Scope, attribute: dict[str, Any]) -> str:
    """The encoding of a text."""
    return str(attribute.get("encoding") or scope.nearest("encoding") or "")


def restore(scope: Scope, attribute: dict[str, Any]) -> Expression:
    """The `process` of an attribute as data; None without one."""
    if "process" not in attribute:
        return None
    name, _, given = str(attribute["process"]).partition("(")
    if name not in ("xor", "rol", "ror", "zlib"):
        return ("unread", name)
    return (name, expression(scope, given.rpartition(")")[0])) if given else (name,)
