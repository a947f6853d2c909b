"""Scopes: finds the type or enumeration that a name in a spec means, by the compiler's rules; and built-in types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lmparse.spec.build.constructs import enum_number, texts
from lmparse.spec.build.specs import SpecFile
from lmparse.spec.layout import Code

NUMBER = re.compile(r"([usfb])(\d+)(le|be)?$")
"""Number types of the compiler: of whole bytes (`u2le`) or of bits (`b3`)."""
COMPILERS_TEXTS = ("str", "strz")
_KINDS = {"u": "uint", "b": "uint", "s": "int", "f": "float"}


def number_of(type_: Any) -> re.Match[str] | None:
    """The match of NUMBER for the `type` of an attribute; None for other types, also switches."""
    return NUMBER.match(type_) if isinstance(type_, str) else None


def type_names(attribute: dict[str, Any]) -> list[Any]:
    """The types of an attribute: those of its cases, or its own type, which is None for bytes."""
    type_ = attribute.get("type")
    return [*type_["cases"].values()] if isinstance(type_, dict) else [type_]


def bounds_of(attribute: dict[str, Any]) -> dict[str, Any]:
    """The conditions of an attribute's `valid`, by key; a plain value counts as `eq`."""
    valid = attribute.get("valid")
    return valid if isinstance(valid, dict) else {"eq": valid} if "valid" in attribute else {}


def is_column(instance: dict[str, Any]) -> bool:
    """Whether an instance is shown; helpers only decide how bytes are read (`-lm-column: false`)."""
    return instance.get("-lm-column") is not False


def number_kind(number: re.Match[str]) -> str:
    """The kind of a field whose type matches NUMBER."""
    return "boolean" if number[1] + number[2] == "b1" else _KINDS[number[1]]


@dataclass(frozen=True)
class Scope:
    """A spec, or a type inside it, where names are looked up: here, then outwards, then among the specs."""

    specs: dict[str, SpecFile]
    spec: SpecFile
    path: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of its layout: `bmc_dicl.key_column`."""
        return ".".join((self.spec.id, *self.path))

    @property
    def where(self) -> str:
        """Its path in the spec, as in problems."""
        return "".join(f"/types/{name}" for name in self.path)

    @property
    def tree(self) -> dict[str, Any]:
        """Its part of the spec."""
        tree = self.spec.tree
        for name in self.path:
            tree = tree["types"][name]
        return tree

    @property
    def bit_endian(self) -> str:
        """Its `meta/bit-endian`, or that of the nearest type around; the compiler's default is `be`."""
        return self.nearest("bit-endian") or "be"

    def nearest(self, key: str) -> Any:
        """The value of a key in its `meta`, or in that of the nearest type around."""
        found = (scope.tree.get("meta", {}).get(key) for scope in self._outwards())
        return next((value for value in found if value is not None), None)

    def all(self) -> Iterator[Scope]:
        """Yield itself and every type inside, sorted by name."""
        yield self
        for scope in self.inside():
            yield from scope.all()

    def inside(self) -> list[Scope]:
        """The types directly inside, sorted by name."""
        return [self._inner(name) for name in sorted(self.tree.get("types", {}))]

    def type_named(self, name: Any) -> Scope | None:
        """The type that `a`, `a::b` or `a(1)` names here; None for built-in types and ambiguous names.

        If a path begins with the name of the type around, the compiler takes that type for the whole path. Other values
        than names, such as switches, name nothing.
        """
        if not isinstance(name, str):
            return None
        path = name.split("(")[0].strip().split("::")
        is_in_it = len(path) > 1 and path[0] in (self.spec.id, *self.path)
        return None if is_in_it else self._at(path, is_path=len(path) > 1)

    def enum_named(self, name: str) -> tuple[Scope, str] | None:
        """The scope that defines the enumeration named `a` or `a::b` here, and its own name; None if undefined."""
        *owner, last = name.split("::")
        holders = [self._at(owner, is_path=True)] if owner else self._outwards()
        for holder in holders:
            if holder is not None and last in holder.tree.get("enums", {}):
                return holder, last
        return None

    def _at(self, path: list[str], *, is_path: bool) -> Scope | None:
        """The type at a path. None if types at several levels share a name of the path: the compiler would look further
        out if the first `a` has no `b`."""
        first, *rest = path
        if is_path and (len(self._all_named(first)) > 1 or any(one == other for one, other in pairwise(path))):
            return None
        found = self._first(first)
        for step in rest:
            found = found._inner(step) if found and step in found.tree.get("types", {}) else None
        return found

    def types_of(self, attribute: dict[str, Any]) -> dict[str, Scope]:
        """The types of specs that an attribute may have, by id."""
        return {nested.id: nested for nested in map(self.type_named, type_names(attribute)) if nested is not None}

    def visible(self, section: str) -> set[str]:
        """The names of types or enumerations, by section, that are defined here."""
        known = set(self.specs) if section == "types" else set()
        return known.union(*(scope.tree.get(section, {}) for scope in self._outwards()))

    def _all_named(self, name: str) -> set[str]:
        """Ids of all types that a name may mean here."""
        levels = [*self._outwards()]
        found = {scope._inner(name).id for scope in levels if name in scope.tree.get("types", {})}
        found |= {scope.id for scope in levels if name == (scope.path or (scope.spec.id,))[-1]}
        return found | ({name} if name in self.specs else set())

    def codes_of(self, enum: Any) -> tuple[Code, ...]:
        """The entries of the enumeration named `a` or `a::b` here; empty if undefined."""
        found = self.enum_named(enum) if isinstance(enum, str) else None
        return found[0].members(found[1]) if found else ()

    def members(self, enum: str) -> tuple[Code, ...]:
        """The entries of an enumeration defined here, in the order of the spec."""
        found = []
        for key, named in self.tree["enums"][enum].items():
            entry = named if isinstance(named, dict) else {"id": named}
            doc, status = in_a_line(entry.get("doc")), entry.get("-lm-status", "")
            found.append(Code(enum_number(key) or 0, None, entry["id"], doc, status))
        return tuple(found)

    def _inner(self, name: str) -> Scope:
        return Scope(self.specs, self.spec, (*self.path, name))

    def _outwards(self) -> Iterator[Scope]:
        for length in range(len(self.path), -1, -1):
            yield Scope(self.specs, self.spec, self.path[:length])

    def _first(self, name: str) -> Scope | None:
        for scope in self._outwards():
            if name in scope.tree.get("types", {}):
                return scope._inner(name)
            if name == (scope.path or (scope.spec.id,))[-1]:
                return scope
        return Scope(self.specs, self.specs[name]) if name in self.specs else None

    def kind_of(self, attribute: dict[str, Any]) -> str:
        """The kind of a field; `bytes` also if the data decide their number; empty for a switch type."""
        type_ = attribute.get("type")
        if "-lm-type" in attribute:
            return str(attribute["-lm-type"])
        if isinstance(type_, dict):
            return ""
        if number := number_of(type_):
            return "code" if "-codec" in attribute and "enum" in attribute else number_kind(number)
        if isinstance(type_, str) and type_ not in COMPILERS_TEXTS:
            nested = self.type_named(type_)
            return str((nested.tree.get("-lm-type") if nested else None) or "struct")
        return "char" if "-codec" in attribute else "bytes" if type_ is None else "str"

    def attributes(self) -> list[dict[str, Any]]:
        """The fields in order, with the compiler's names for fields without an id."""
        return [{"id": f"_unnamed{number}", **attribute} for number, attribute in enumerate(self.tree.get("seq", []))]

    def instances(self) -> dict[str, dict[str, Any]]:
        """The instances with bytes of their own: neither calculated values nor helpers (`-lm-column: false`)."""
        every = self.tree.get("instances", {}).items()
        return {name: instance for name, instance in every if "value" not in instance and is_column(instance)}

    def columns(self) -> list[tuple[str, dict[str, Any]]]:
        """The fields, and the instances with bytes of their own, with names."""
        return [*((one["id"], one) for one in self.attributes()), *self.instances().items()]

    def flat_columns(
        self, seen: set[str], listed: list[tuple[str, dict[str, Any]]] | None = None
    ) -> Iterator[tuple[Scope, str, dict[str, Any]]]:
        """Yield the columns of a record, or those `listed`, with the fields of bodies of any kind, each with its type.

        The growing set `seen` has the types already used; their fields are left out.
        """
        for name, attribute in self.columns() if listed is None else listed:
            if attribute.get("-lm-type") != "body":
                yield self, name, attribute
                continue
            for nested in self.types_of(attribute).values():
                if nested.id not in seen:
                    seen.add(nested.id)
                    yield from nested.flat_columns(seen)

    def located(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the fields and instances, each with its place in the spec."""
        for section in ("seq", "instances"):
            listed = self.tree.get(section, [])
            for key, attribute in listed.items() if isinstance(listed, dict) else enumerate(listed):
                yield f"{self.where}/{section}/{key}", attribute


def in_a_line(text: Any) -> str:
    """A text, or a list of texts, as one line."""
    return "; ".join(" ".join(str(part).split()) for part in texts(text or ""))
