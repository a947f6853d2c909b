"""Column counts: how many columns, and fields of structs in columns, the records of a type have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lmparse.spec.build.scopes import Scope, attributes, instances
from lmparse.spec.build.shape import Finding

_MOST_COLUMNS = 10_000
"""Tables of Db2 have at most 1,012 columns, and headers of vendors some hundred fields."""


class ColumnCounts:
    """Counts of types; a column has the fields of every type that its field may have, and of those inside them."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def findings(self, scope: Scope) -> Iterator[Finding]:
        """Types whose columns multiply: a few lines may have more than memory has room for."""
        if self.of_type(scope) > _MOST_COLUMNS:
            yield (
                scope.where or "/seq",
                f"records of the type have more than {_MOST_COLUMNS} columns, with those inside",
            )

    def of_type(self, scope: Scope) -> int:
        """The columns of a type; of a type inside itself, which is one column of text, as if it were not there."""
        if scope.id not in self._known:
            self._known[scope.id] = 0
            self._known[scope.id] = sum(self._of_fields(scope, {scope.id}))
        return self._known[scope.id]

    def _of_fields(self, scope: Scope, seen: set[str]) -> Iterator[int]:
        """Of each field; a body has the fields of its types, each type but once."""
        for attribute in (*attributes(scope.tree), *instances(scope.tree).values()):
            inside = _types_of(scope, attribute)
            if attribute.get("-lm-type") != "body":
                yield 1 + sum(map(self.of_type, inside.values()))
                continue
            for nested in inside.values():
                if nested.id not in seen:
                    seen.add(nested.id)
                    yield from self._of_fields(nested, seen)


def _types_of(scope: Scope, attribute: dict[str, Any]) -> dict[str, Scope]:
    """The types that a field may have, by id."""
    type_ = attribute.get("type")
    names = type_["cases"].values() if isinstance(type_, dict) else [type_]
    found = [scope.type_named(name) for name in names if isinstance(name, str)]
    return {nested.id: nested for nested in found if nested is not None}
