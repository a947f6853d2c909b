"""Checks of expressions: unknown names and values of the wrong type, wherever a spec has an expression.

The compiler checks few expressions. It takes a number for a condition, and a misspelled field in a calculated value
becomes an error only when a record is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from lmparse.spec.build.constructs import Finding, type_word
from lmparse.spec.build.expression_language import NotAnExpressionError, arguments
from lmparse.spec.build.scopes import Scope, bounds_of
from lmparse.spec.build.value_types import (
    ANY,
    BYTES,
    STREAM,
    TEXT,
    TRUTH,
    WHOLE,
    MistypedError,
    ValueType,
    ValueTypes,
    demand,
    demand_comparable,
    type_named,
)

_DEMANDED = {
    "if": TRUTH, "size": WHOLE, "repeat-expr": WHOLE, "repeat-until": TRUTH, "pos": WHOLE, "io": STREAM,
    "terminator": WHOLE, "pad-right": WHOLE,
}  # fmt: skip
"""Types that keys of a field or instance require."""

Check = tuple[str, Any, Callable[[ValueType], object]]
"""Where an expression is, the expression, and the check of its type. The check raises MistypedError."""


def mistyped(types: ValueTypes, scope: Scope) -> Iterator[Finding]:
    """Yield what is wrong in the expressions of a type."""
    for where, entry in scope.located():
        # The type of the item in `repeat-until` and `valid`.
        plain = {key: value for key, value in entry.items() if key != "repeat"}
        item = ANY if "value" in entry else types.of_entry(scope, plain)
        yield from _findings(types, scope, where, _of_entry(types, scope, entry, item), item)
    endian = scope.tree.get("meta", {}).get("endian")
    checks = [*_switch(types, scope, "/meta/endian", endian)] if isinstance(endian, dict) else []
    if "to-string" in scope.tree:
        checks.append(("/to-string", scope.tree["to-string"], partial(demand, TEXT, "to-string")))
    yield from _findings(types, scope, scope.where, checks, ANY)


def _findings(
    types: ValueTypes, scope: Scope, where: str, checks: Iterable[Check], item: ValueType
) -> Iterator[Finding]:
    for key, text, check in checks:
        is_about_item = key == "/repeat-until" or key.startswith("/valid")
        try:
            check(types.of_text(scope, text, {"_": item} if is_about_item else {}))
        except MistypedError as error:
            yield where + key, str(error)


def _of_entry(types: ValueTypes, scope: Scope, entry: dict[str, Any], item: ValueType) -> Iterator[Check]:
    """Yield the expressions of a field or instance."""
    if "value" in entry:
        yield "/value", entry["value"], _has_members if "enum" in entry else str
    elif "enum" in entry:
        yield "/enum", 0, lambda _: _has_members(types.item_of(scope, entry))
    for key, wanted in _DEMANDED.items():
        if key in entry:
            yield f"/{key}", entry[key], partial(demand, wanted, key)
    type_ = entry.get("type")
    if isinstance(type_, dict):
        yield from _switch(types, scope, "/type", type_)
        for key, name in type_["cases"].items():
            yield from _arguments(scope, f"/type/cases/{key}", name)
    else:
        yield from _arguments(scope, "/type", str(type_))
    yield from _valid(entry, item)
    word, _, rest = str(entry.get("process", "")).partition("(")
    if word in ("xor", "rol", "ror"):
        takes = (WHOLE, BYTES) if word == "xor" else (WHOLE,)
        yield "/process", rest.rpartition(")")[0], partial(_one_of, takes, f"what {word} takes")


def _switch(types: ValueTypes, scope: Scope, key: str, tree: dict[str, Any]) -> Iterator[Check]:
    """Yield the switch expression, and the values that it is compared with."""
    yield f"{key}/switch-on", tree["switch-on"], str
    try:
        on = types.of_text(scope, tree["switch-on"])
    except MistypedError:
        return
    for case in tree["cases"]:
        if str(case) != "_":
            yield f"{key}/cases/{case}", case, partial(demand_comparable, on, "a case")


def _valid(entry: dict[str, Any], item: ValueType) -> Iterator[Check]:
    for key, bound in bounds_of(entry).items():
        place = f"/valid/{key}" if isinstance(entry["valid"], dict) else "/valid"
        if key == "in-enum" and "enum" not in entry:
            yield place, 0, _refuse("in-enum is for what has an enum")
        elif key == "expr":
            yield place, bound, partial(demand, TRUTH, key)
        elif key in ("eq", "min", "max"):
            yield place, bound, partial(demand_comparable, item, "valid")
        elif key == "any-of":
            for number, one in enumerate(bound):
                yield f"{place}/{number}", one, partial(demand_comparable, item, "valid")


def _arguments(scope: Scope, key: str, name: str) -> Iterator[Check]:
    """Yield the arguments of a type."""
    nested = None if type_word(name) else scope.type_named(name)
    try:
        given = arguments(name)
    except NotAnExpressionError:
        return
    params = [] if nested is None else nested.tree.get("params", [])
    if nested is not None and len(given) != len(params):
        names = ", ".join(entry["id"] for entry in params)
        yield key, 0, _refuse(f"{nested.id} takes {len(params)} arguments ({names}), not {len(given)}")
        return
    for one, entry in zip(given, params, strict=False):
        wanted = type_named(nested or scope, entry["type"]) if "type" in entry else BYTES
        yield key, one, partial(_argument, wanted, f"the parameter {entry['id']}")


def _refuse(text: str) -> Callable[[ValueType], object]:
    def check(found: ValueType) -> None:
        raise MistypedError(text)

    return check


def _one_of(wanted: tuple[ValueType, ...], what: str, found: ValueType) -> None:
    if found not in (*wanted, ANY):
        raise MistypedError(f"{what} must be {' or '.join(map(str, wanted))}, not {found}")


def _argument(wanted: ValueType, what: str, found: ValueType) -> None:
    are_numbers = {wanted.kind, found.kind} <= {"whole", "real", "member"}
    if not are_numbers and wanted.kind != "list":
        demand(wanted, what, found)


def _has_members(found: ValueType) -> None:
    if found.kind not in ("whole", "member", "any"):
        raise MistypedError(f"an enumeration is of whole numbers, not of {found}")
