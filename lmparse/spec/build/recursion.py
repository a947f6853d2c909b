"""Recursion: types that contain themselves, and whether their objects may be more than the record has bytes for.

Each object of a tree in the data has bits of its own, so that there are not more objects than bits. Where a type
contains itself without such bits, a number in the data may be the depth of a tree whose objects double at each level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lmparse.spec.build.refusals import Parts, Widths
from lmparse.spec.build.scopes import Scope
from lmparse.spec.nesting import rings

MOST_WITHOUT_BITS = 64
"""Objects in an object, beyond one for each bit, that are not counted; those of vendors have some dozens."""


def recursion_multiplies(scopes: Iterable[Scope]) -> bool:
    """Whether types that contain themselves, some or inside of some, may have more objects than their bits."""
    types = _reached(scopes)
    inside = {name: {one.id for one in _types_in(scope)} for name, scope in types.items()}
    owned = OwnedWidths()
    paying = {name for name in _in_circles(inside) if owned.of_type(types[name])}
    if _in_circles({name: found for name, found in inside.items() if name not in paying}):
        return True
    parts = Parts(paying)
    return any(parts.of_type(types[name]) > owned.of_type(types[name]) + MOST_WITHOUT_BITS for name in paying)


class OwnedWidths(Widths):
    """The least bits of types without the parts that have a stream of their own: their bits are those of the part."""

    def of_item(self, scope: Scope, attribute: dict[str, Any]) -> int:
        """Least bits of one item of an attribute."""
        type_ = attribute.get("type")
        is_nested = isinstance(type_, dict) or (isinstance(type_, str) and scope.type_named(type_) is not None)
        is_stream = bool({"size", "size-eos", "terminator"} & attribute.keys())
        return 0 if is_nested and is_stream else super().of_item(scope, attribute)


def _types_in(scope: Scope) -> Iterable[Scope]:
    """The types that the fields of a type may have."""
    for attribute in scope.tree.get("seq", []):
        type_ = attribute.get("type")
        for name in type_["cases"].values() if isinstance(type_, dict) else [type_]:
            found = scope.type_named(name) if isinstance(name, str) else None
            if found is not None:
                yield found


def _reached(scopes: Iterable[Scope]) -> dict[str, Scope]:
    found: dict[str, Scope] = {}
    left = [*scopes]
    while left:
        scope = left.pop()
        if scope.id not in found:
            found[scope.id] = scope
            left += _types_in(scope)
    return found


def _in_circles(inside: Mapping[str, Collection[str]]) -> set[str]:
    """The names that lead to themselves, and those between two such; `inside` has the names that each leads to."""
    around: dict[str, list[str]] = {name: [] for name in inside}
    for name, held in inside.items():
        for other in held:
            around.get(other, []).append(name)
    circles = rings(inside)
    return _led_to(inside, circles) & _led_to(around, circles)


def _led_to(inside: Mapping[str, Collection[str]], start: Iterable[str]) -> set[str]:
    """Some names, and all that these lead to."""
    found = {*start}
    left = [*found]
    while left:
        more = {*inside.get(left.pop(), ())} - found
        found |= more
        left += more
    return found
