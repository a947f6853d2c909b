"""Column counts: how many columns, and fields of structs in columns, the records of a type have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lmparse.spec.build.scopes import Scope, attributes, instances
from lmparse.spec.build.shape import Finding
from lmparse.spec.nesting import rings

_MOST_COLUMNS = 10_000
"""Tables of Db2 have at most 1,012 columns, and headers of vendors some hundred fields."""


class ColumnCounts:
    """Counts of types; a column has the fields of every type that its field may have, and of those inside them."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        """`scopes`: all types that are asked for."""
        self._known: dict[str, int] = {}
        inside: dict[str, set[str]] = {}
        left = [*scopes]
        while left:
            scope = left.pop()
            if scope.id not in inside:
                nested = [one for attribute in _fields(scope) for one in _types_of(scope, attribute).values()]
                inside[scope.id] = {one.id for one in nested}
                left += nested
        self._in_rings = rings(inside).keys()

    def findings(self, scope: Scope) -> Iterator[Finding]:
        """Types whose columns multiply: a few lines may have more than memory has room for."""
        if self.of_type(scope) > _MOST_COLUMNS:
            yield (
                scope.where or "/seq",
                f"records of the type have more than {_MOST_COLUMNS} columns, with those inside",
            )

    def of_type(self, scope: Scope) -> int:
        """The columns of a type; a field of a type that is inside itself is one column of text."""
        if scope.id not in self._known:
            self._known[scope.id] = sum(self._of_fields(scope, {scope.id}))
        return self._known[scope.id]

    def _of_fields(self, scope: Scope, seen: set[str]) -> Iterator[int]:
        """Of each field; a body has the fields of its types, each type but once."""
        for attribute in _fields(scope):
            inside = _types_of(scope, attribute)
            if attribute.get("-lm-type") != "body":
                is_text = not self._in_rings.isdisjoint(inside)
                yield 1 if is_text else 1 + sum(map(self.of_type, inside.values()))
                continue
            for nested in inside.values():
                if nested.id not in seen:
                    seen.add(nested.id)
                    yield from self._of_fields(nested, seen)


def _fields(scope: Scope) -> list[dict[str, Any]]:
    return [*attributes(scope.tree), *instances(scope.tree).values()]


def _types_of(scope: Scope, attribute: dict[str, Any]) -> dict[str, Scope]:
    """The types that a field may have, by id."""
    type_ = attribute.get("type")
    names = type_["cases"].values() if isinstance(type_, dict) else [type_]
    found = [scope.type_named(name) for name in names if isinstance(name, str)]
    return {nested.id: nested for nested in found if nested is not None}
