"""References: whether a generated parser makes, for each field, what the layouts say of the type that the spec names.

The compiler looks names up in a way of its own: it takes `spec::inner`, in that spec, for the whole spec, and looks for
`a::b` outside of `a` where `a` has no such type. Layouts, columns and pages follow the names, so a parser that reads
another type, or another enumeration, gives values under names that are not theirs. What was emitted is compared, so
that no way of the compiler has to be known here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lmparse.spec.build.details import unknown_names
from lmparse.spec.build.scopes import Scope, attributes
from lmparse.spec.build.shape import Finding
from lmparse.spec.build.specs import SpecFile
from lmparse.spec.catalog import class_name

_BY_ORDER = ("_read_le", "_read_be")
"""The methods that read the fields where the byte order depends on the data; otherwise `_read` does."""


class _Used(NamedTuple):
    """What a field is read as, by the ids of types and by the enumerations, with how many times."""

    types: Counter[str]
    enums: Counter[str]


class _Named(NamedTuple):
    """What classes of generated parsers are, by how these name them: `Ev.Inner`, `im.Im.Inner`."""

    types: dict[str, str]
    enums: dict[str, str]


def misread(spec: SpecFile, named: dict[str, SpecFile], texts: Iterable[str]) -> Iterator[Finding]:
    """The types and enumerations of one spec of which its parsers make others, and those that nothing defines."""
    unknown = [finding for scope in Scope(named, spec).all() for finding in unknown_names(scope)]
    yield from unknown
    if not unknown:
        known = _classes(spec, named)
        emitted = [_Parser(text, known) for text in texts]
        for scope in Scope(named, spec).all():
            for where, attribute, name in _fields(scope):
                wanted = _wanted(scope, attribute)
                for used in (used for parser in emitted for used in parser.used(scope, name)):
                    if used.types != wanted.types or not used.enums.keys() <= wanted.enums.keys():
                        key = "type" if used.types != wanted.types else "enum"
                        yield f"{scope.where}/{where}/{key}", _said(used, wanted)
                        break


def _classes(spec: SpecFile, named: dict[str, SpecFile]) -> _Named:
    known = _Named({}, {})
    for one in named.values():
        for scope in Scope(named, one).all():
            names = [*map(class_name, (one.id, *scope.path))]
            made = ".".join(names if one.id == spec.id else (one.id, *names))
            known.types[made] = scope.id
            for enum in scope.tree.get("enums", {}):
                known.enums[f"{made}.{class_name(enum)}"] = f"{scope.id}::{enum}"
    return known


def _fields(scope: Scope) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Where in a type its fields and instances are, what the spec says of each, and its name."""
    for number, attribute in enumerate(attributes(scope.tree)):
        yield f"seq/{number}", attribute, attribute["id"]
    for name, instance in scope.tree.get("instances", {}).items():
        yield f"instances/{name}", instance, name


def _wanted(scope: Scope, attribute: dict[str, Any]) -> _Used:
    type_ = attribute.get("type")
    names = type_["cases"].values() if isinstance(type_, dict) else [type_]
    found = [scope.type_named(name) for name in names if isinstance(name, str)]
    enum = scope.enum_named(attribute["enum"]) if "enum" in attribute else None
    enums = [f"{enum[0].id}::{enum[1]}"] if enum else []
    return _Used(Counter(nested.id for nested in found if nested), Counter(enums))


def _said(used: _Used, wanted: _Used) -> str:
    made = sorted(used.types - wanted.types) + sorted(used.enums.keys() - wanted.enums.keys())
    meant = sorted(wanted.types - used.types) + sorted(wanted.enums.keys() - used.enums.keys())
    return (
        f"the compiler takes {', '.join(made) or 'nothing'} for what is named here, {', '.join(meant) or 'nothing'}: "
        "name it as it is from here, without the id of the spec"
    )


class _Parser:
    """What the fields are in one generated parser."""

    def __init__(self, text: str, known: _Named) -> None:
        self._known = known
        self._methods: dict[str, dict[str, ast.FunctionDef]] = {}
        """By the id of the type and the name of the method."""
        left: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(text).body]
        while left:
            around, node = left.pop()
            if isinstance(node, ast.ClassDef):
                made = f"{around}{node.name}"
                methods = {entry.name: entry for entry in node.body if isinstance(entry, ast.FunctionDef)}
                self._methods[known.types.get(made, "")] = methods
                left += [(f"{made}.", entry) for entry in node.body]
        self._read: dict[tuple[str, str], dict[str, _Used]] = {}

    def used(self, scope: Scope, name: str) -> Iterator[_Used]:
        """What a field or an instance is in each method that reads it."""
        methods = self._methods.get(scope.id, {})
        is_instance = name in scope.tree.get("instances", {})
        by_order = [*filter(methods.__contains__, _BY_ORDER)]
        reading = [name] if is_instance else by_order or ["_read"]
        for method in reading:
            key = scope.id, method
            if key not in self._read:
                names = {name} if is_instance else {entry["id"] for entry in attributes(scope.tree)}
                self._read[key] = self._in_method(methods.get(method), names, name if is_instance else "")
            used = self._read[key].get(name, _Used(Counter(), Counter()))
            if is_instance and by_order:  # one method has it once for each byte order
                once = {made: count / len(by_order) for made, count in used.types.items()}
                used = used._replace(types=Counter(once))
            yield used

    def _in_method(self, method: ast.FunctionDef | None, names: set[str], field: str) -> dict[str, _Used]:
        """What each of some fields is in a method, which begins with `field`.

        A class is called for the field to which something was assigned last: itself, or a list that is empty so far.
        """
        found: dict[str, _Used] = {}
        nodes = [node for node in ast.walk(method) if isinstance(node, ast.expr)] if method else []
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
                target = _stored(node)
                field = target if target in names else field
            elif isinstance(node, ast.Call):
                used = found.setdefault(field, _Used(Counter(), Counter()))
                made = _dotted(node.func)
                if made in self._known.types:
                    used.types[self._known.types[made]] += 1
                elif made == "KaitaiStream.resolve_enum":
                    enum = _dotted(node.args[0])
                    used.enums[self._known.enums.get(enum, enum)] += 1
        return found


def _stored(node: ast.Attribute | ast.Name) -> str:
    """The field to which something is assigned; other names are the parser's own, and a field may have the same."""
    place, _, name = _dotted(node).rpartition(".")
    if place == "self":
        return name
    return name.removeprefix("_t_") if not place and name.startswith("_t_") else ""


def _dotted(node: ast.expr) -> str:
    """A name with the names in front of it; empty for what is not only names."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""
