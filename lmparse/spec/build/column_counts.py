"""Column counts: how many columns, and fields of structs in columns, the records of a type have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lmparse.spec.build.scopes import Scope, attributes, instances
from lmparse.spec.build.shape import Finding
from lmparse.spec.nesting import rings

_MOST_COLUMNS = 20_000
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
                nested = [one for _, attribute in _fields(scope) for one in _types_of(scope, attribute).values()]
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
            names: dict[str, set[str]] = {}
            inside: dict[str, Scope] = {}
            self._flatten(scope, {scope.id}, names, inside)
            within = (self.of_type(inside[nested]) for ids in names.values() for nested in ids)
            self._known[scope.id] = len(names) + sum(within)
        return self._known[scope.id]

    def _flatten(self, scope: Scope, seen: set[str], names: dict[str, set[str]], inside: dict[str, Scope]) -> None:
        """Add the columns by name, each with the types inside it; fields of a body share a column if they share a name.

        A body has the fields of its types, each type but once.
        """
        for name, attribute in _fields(scope):
            types = _types_of(scope, attribute)
            if attribute.get("-lm-type") != "body":
                values = {nested.id for nested in types.values() if "-lm-type" in nested.tree}
                structs = {} if values or not self._in_rings.isdisjoint(types) else types
                inside |= structs
                names.setdefault(name, set()).update(structs)
                for part in (part for one in values if _has_parts(types[one]) for part in attributes(types[one].tree)):
                    names.setdefault(f"{name}_{part['id']}", set())
                continue
            for nested in types.values():
                if nested.id not in seen:
                    seen.add(nested.id)
                    self._flatten(nested, seen, names, inside)


def _fields(scope: Scope) -> list[tuple[str, dict[str, Any]]]:
    """The fields with their names."""
    return [*((one["id"], one) for one in attributes(scope.tree)), *instances(scope.tree).items()]


def _has_parts(scope: Scope) -> bool:
    """Whether the numbers in a type that is one value are columns beside it."""
    return bool(scope.tree["-lm-type"] == "bytes")


def _types_of(scope: Scope, attribute: dict[str, Any]) -> dict[str, Scope]:
    """The types that a field may have, by id."""
    type_ = attribute.get("type")
    names = type_["cases"].values() if isinstance(type_, dict) else [type_]
    found = [scope.type_named(name) for name in names if isinstance(name, str)]
    return {nested.id: nested for nested in found if nested is not None}
