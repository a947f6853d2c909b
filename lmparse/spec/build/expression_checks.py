"""Checks of expressions: names that do not exist and values of the wrong type, in all places that have an expression.

The compiler looks for few of them: a field whose name is misspelled in a calculated value is an error when a record is
read, and a number in place of a condition is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lmparse.spec.build.constructs import type_word
from lmparse.spec.build.expression_language import NotAnExpressionError, parsed
from lmparse.spec.build.scopes import Scope, located
from lmparse.spec.build.shape import Finding
from lmparse.spec.build.value_types import (
    ANY,
    BYTES,
    NONE,
    STREAM,
    TEXT,
    TRUTH,
    WHOLE,
    MistypedError,
    Names,
    ValueType,
    ValueTypes,
    demand,
    demand_comparable,
    type_named,
)

_DEMANDED = {
    "if": TRUTH, "size": WHOLE, "repeat-expr": WHOLE, "pos": WHOLE, "io": STREAM, "terminator": WHOLE,
    "pad-right": WHOLE,
}  # fmt: skip
"""Types of what keys of a field or an instance give, where an expression of the type that it is in gives it."""


def mistyped(types: ValueTypes, scope: Scope) -> Iterator[Finding]:
    """What is wrong in the expressions of a type."""
    for where, entry in located(scope):
        yield from _Checks(types, scope, where).entry(entry)
    own = _Checks(types, scope, scope.where)
    endian = scope.tree.get("meta", {}).get("endian")
    if isinstance(endian, dict):
        yield from own.switch("/meta/endian", endian)
    if "to-string" in scope.tree:
        yield from own.demanded("/to-string", scope.tree["to-string"], TEXT)


class _Checks:
    """The checks of one field or instance."""

    def __init__(self, types: ValueTypes, scope: Scope, where: str) -> None:
        self._types, self._scope, self._where = types, scope, where

    def entry(self, entry: dict[str, Any]) -> Iterator[Finding]:
        """What is wrong in a field or an instance."""
        if "value" in entry:
            yield from self._found("/value", self._calculated, entry)
        for key, wanted in _DEMANDED.items():
            if key in entry:
                yield from self.demanded(f"/{key}", entry[key], wanted)
        item = self._item(entry)
        if "repeat-until" in entry:
            yield from self.demanded("/repeat-until", entry["repeat-until"], TRUTH, {"_": item})
        type_ = entry.get("type")
        if isinstance(type_, dict):
            yield from self.switch("/type", type_)
            for key, name in type_.get("cases", {}).items():
                yield from self._arguments(f"/type/cases/{key}", str(name))
        else:
            yield from self._arguments("/type", str(type_))
        yield from self._valid(entry, item)
        yield from self._process(str(entry.get("process", "")))

    def demanded(self, key: str, text: Any, wanted: ValueType, names: Names = NONE) -> Iterator[Finding]:
        """What is wrong in an expression that must give a value of some type."""
        yield from self._found(key, self._demand, text, wanted, key.rpartition("/")[2], names)

    def _demand(self, text: Any, wanted: ValueType, what: str, names: Names) -> None:
        demand(wanted, self._types.of_text(self._scope, text, names), what)

    def switch(self, key: str, tree: dict[str, Any]) -> Iterator[Finding]:
        """What is wrong in what decides, or in the values that it is compared with."""
        try:
            on = self._types.of_text(self._scope, tree.get("switch-on", 0))
        except MistypedError as error:
            yield f"{self._where}{key}/switch-on", str(error)
            return
        cases = tree.get("cases", {})
        for case in cases if isinstance(cases, dict) else ():
            if str(case) != "_":
                yield from self._found(f"{key}/cases/{case}", self._comparable, on, case, "a case")

    def _item(self, entry: dict[str, Any]) -> ValueType:
        plain = {key: value for key, value in entry.items() if key != "repeat"}
        return ANY if "value" in entry else self._types.of_entry(self._scope, plain)

    def _calculated(self, entry: dict[str, Any]) -> None:
        found = self._types.of_text(self._scope, entry["value"])
        if "enum" in entry and found.kind not in ("whole", "member", "any"):
            raise MistypedError(f"an enumeration is of whole numbers, not of {found}")

    def _comparable(self, on: ValueType, text: Any, what: str, names: Names = NONE) -> None:
        demand_comparable(on, self._types.of_text(self._scope, text, names), what)

    def _valid(self, entry: dict[str, Any], item: ValueType) -> Iterator[Finding]:
        valid = entry.get("valid")
        bounds = valid if isinstance(valid, dict) else {"eq": valid} if "valid" in entry else {}
        names = {"_": item}
        for key, bound in bounds.items():
            place = f"/valid/{key}" if isinstance(valid, dict) else "/valid"
            if key == "in-enum" and "enum" not in entry:
                yield self._where + place, "in-enum is for what has an enum"
            elif key == "expr":
                yield from self.demanded(place, bound, TRUTH, names)
            elif key in ("eq", "min", "max"):
                yield from self._found(place, self._comparable, item, bound, "valid", names)
            elif key == "any-of" and isinstance(bound, list):
                for number, one in enumerate(bound):
                    yield from self._found(f"{place}/{number}", self._comparable, item, one, "valid", names)

    def _arguments(self, key: str, name: str) -> Iterator[Finding]:
        """What is wrong in the arguments of a type: how many there are, and what they are."""
        nested = None if type_word(name) else self._scope.type_named(name)
        if nested is None:
            return
        text = name.partition("(")[2].rpartition(")")[0].strip()
        params = nested.tree.get("params", [])
        try:
            tree = parsed(f"[{text}]") if text else ("list",)
        except NotAnExpressionError:
            return
        given = tree[1:] if isinstance(tree, tuple) else ()
        if len(given) != len(params):
            names = ", ".join(str(entry.get("id")) for entry in params)
            yield self._where + key, f"{nested.id} takes {len(params)} arguments ({names}), not {len(given)}"
            return
        for one, entry in zip(given, params, strict=True):
            yield from self._found(key, self._argument, nested, one, entry)

    def _process(self, text: str) -> Iterator[Finding]:
        """What is wrong in the key of `xor`, or in by how many bits `rol` and `ror` rotate."""
        word, _, rest = text.partition("(")
        if rest and word in ("xor", "rol", "ror"):
            wanted = (WHOLE, BYTES) if word == "xor" else (WHOLE,)
            yield from self._found(
                "/process", lambda: self._one_of(rest.rpartition(")")[0], wanted, f"what {word} takes")
            )

    def _one_of(self, text: str, wanted: tuple[ValueType, ...], what: str) -> None:
        found = self._types.of_text(self._scope, text)
        if found not in (*wanted, ANY):
            raise MistypedError(f"{what} must be {' or '.join(map(str, wanted))}, not {found}")

    def _argument(self, nested: Scope, tree: Any, entry: dict[str, Any]) -> None:
        found = self._types.of(self._scope, tree)
        wanted = BYTES if "type" not in entry else type_named(nested, str(entry["type"]))
        is_number = {wanted.kind, found.kind} <= {"whole", "real", "member"}
        if not is_number and wanted.kind != "list":
            demand(wanted, found, f"the parameter {entry.get('id')}")

    def _found(self, key: str, check: Callable[..., object], *arguments: Any) -> Iterator[Finding]:
        try:
            check(*arguments)
        except MistypedError as error:
            yield self._where + key, str(error)
