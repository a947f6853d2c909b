"""References: whether a generated parser makes, for each field, what the layouts say of the type that the spec names.

The compiler looks names up in a way of its own: it takes `spec::inner`, in that spec, for the whole spec, and looks for
`a::b` outside of `a` where `a` has no such type. Layouts, columns and pages follow the names, so a parser that reads
another type, or another enumeration, gives values under names that are not theirs; and where an expression names a
member, it decides by another number than the layouts. What was emitted is compared, so that no way of the compiler has
to be known here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lmparse.spec.build import expressions
from lmparse.spec.build.details import unknown_names
from lmparse.spec.build.scopes import Scope, attributes
from lmparse.spec.build.shape import Finding
from lmparse.spec.build.specs import SpecFile
from lmparse.spec.catalog import class_name

_BY_ORDER = ("_read_le", "_read_be")
"""The methods that read the fields where the byte order depends on the data; otherwise `_read` does."""


_EXPRESSIONS = ("if", "size", "repeat-expr", "repeat-until", "pos", "io", "parent", "process", "value")
"""Keys of an attribute with one expression."""
_Members = tuple[str, ...]
"""The members of enumerations in an expression, in its order: `ev.inner::color::red`."""


class _Used(NamedTuple):
    """What a field is read as, by the ids of types and by the enumerations, with how many times."""

    types: Counter[str]
    enums: Counter[str]
    members: Counter[_Members]
    """The members in each expression and in each part of it that has others than what it is in."""

    @classmethod
    def nothing(cls) -> _Used:
        """Neither types nor enumerations."""
        return cls(Counter(), Counter(), Counter())


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
        parsers = [_Parser(text, known) for text in texts]
        for scope in Scope(named, spec).all():
            for where, attribute, name in _fields(scope):
                wanted = _wanted(scope, attribute)
                for used in (used for parser in parsers for used in parser.used(scope, name)):
                    if used.types != wanted.types or not used.enums.keys() <= wanted.enums.keys():
                        key = "type" if used.types != wanted.types else "enum"
                        yield f"{scope.where}/{where}/{key}", _said(used, wanted)
                        break
            yield from _other_members(scope, parsers)


def _other_members(scope: Scope, parsers: list[_Parser]) -> Iterator[Finding]:
    """The expressions of one type in which the parsers have other members of enumerations."""
    endian = scope.tree.get("meta", {}).get("endian")
    whole = [("meta/endian", {"type": endian}, "")] if isinstance(endian, dict) else []
    for where, attribute, name in (*whole, *_fields(scope)):
        meant = {place: expressions.meant(scope, text) for place, text in _texts(attribute) if "::" in text}
        named = {place: tuple(one.said for one in found) for place, found in meant.items() if found}
        wanted, is_all = Counter(named.values()), None not in meant.values()
        read = (used.members for parser in parsers for used in parser.used(scope, name))
        found = next(filter(None, (_exchanged(made, wanted, is_all=is_all) for made in read)), None)
        if found:
            place = next((place for place, members in named.items() if members == found[0]), "")
            steps = [where, *(place.split("/") if name else place.split("/")[1:])]
            yield "/".join([scope.where, *filter(None, steps)]), _said_of_members(*found)


def _exchanged(made: Counter[_Members], wanted: Counter[_Members], *, is_all: bool) -> tuple[_Members, _Members] | None:
    """Members that an expression names and the parser lacks there, and those that it has in their place.

    The compiler writes some expressions twice, and leaves out some without effect, so counts alone say nothing.
    """
    known = {member for members in wanted for member in members}
    foreign = tuple(sorted({member for members in made for member in members} - known)) if is_all else ()
    for missing in (members for members, count in wanted.items() if made[members] < count):
        others = [one for one, count in made.items() if len(one) == len(missing) and count > wanted[one]]
        if others:
            return missing, others[0]
    return ((), foreign) if foreign else None


def _texts(attribute: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The expressions of a field or an instance, with where they are in it."""
    yield from ((key, attribute[key]) for key in _EXPRESSIONS if isinstance(attribute.get(key), str))
    type_ = attribute.get("type")
    if isinstance(type_, dict):
        yield "type/switch-on", str(type_.get("switch-on", ""))
        for key, case in type_.get("cases", {}).items():
            yield f"type/cases/{key}/", str(key)
            yield f"type/cases/{key}", _arguments(str(case))
    else:
        yield "type", _arguments(str(type_))
    valid = attribute.get("valid")
    for key, bound in valid.items() if isinstance(valid, dict) else [("", valid)]:
        for number, one in enumerate(bound) if isinstance(bound, list) else [("", bound)]:
            if isinstance(one, str):
                yield f"valid/{key}/{number}", one


def _arguments(type_: str) -> str:
    return type_.partition("(")[2].rpartition(")")[0]


def _said_of_members(meant: _Members, made: _Members) -> str:
    apart = [*dict.fromkeys(one for one in made if one not in meant)] or [*made]
    named = [*dict.fromkeys(one for one in meant if one not in made)] or [*meant]
    return (
        f"the compiler takes {', '.join(apart)} for what is named here, {', '.join(named) or 'nothing'}: "
        "types or enumerations at several levels have one name; give one of them another"
    )


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
    return _Used(Counter(nested.id for nested in found if nested), Counter(enums), Counter())


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
        """What a field or an instance is in each method that reads it; without a name, what decides the byte order."""
        methods = self._methods.get(scope.id, {})
        is_instance = name in scope.tree.get("instances", {})
        by_order = [*filter(methods.__contains__, _BY_ORDER)]
        reading = [name] if is_instance else by_order if name and by_order else ["_read"]
        for method in reading:
            key = scope.id, method
            if key not in self._read:
                names = {name} if is_instance else {entry["id"] for entry in attributes(scope.tree)}
                self._read[key] = self._in_method(methods.get(method), names, name if is_instance else "")
            used = self._read[key].get(name, _Used.nothing())
            if is_instance and by_order:  # one method has it once for each byte order
                once = {made: count / len(by_order) for made, count in used.types.items()}
                used = used._replace(types=Counter(once))
            yield used

    def _in_method(self, method: ast.FunctionDef | None, names: set[str], field: str) -> dict[str, _Used]:
        """What each of some fields is in a method, which begins with `field`.

        What a statement reads is for the field to which it assigns, or to which the one before it did, as where it
        adds to a list that is empty so far; what a type switches on is in front of it.
        """
        found: dict[str, _Used] = {}
        ahead: list[ast.stmt] = []
        for statement in method.body if method else []:
            target = next((name for name in map(_stored, _in_order(statement)) if name in names), None)
            if target is None and isinstance(statement, ast.Assign) and _dotted(statement.targets[0]) == "_on":
                ahead.append(statement)
                continue
            field = target or field
            for one in (*ahead, statement):
                self._add(found.setdefault(field, _Used.nothing()), one)
            ahead = []
        return found

    def _add(self, used: _Used, statement: ast.stmt) -> None:
        """Add what a statement uses."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                made = _dotted(node.func)
                if made in self._known.types:
                    used.types[self._known.types[made]] += 1
                elif made == "KaitaiStream.resolve_enum":
                    enum = _dotted(node.args[0])
                    used.enums[self._known.enums.get(enum, enum)] += 1
            if isinstance(node, ast.stmt):
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        used.members.update(self._members(child))

    def _members(self, top: ast.expr) -> Iterator[_Members]:
        """The members in an expression, in the order in which the spec names them, and in its parts."""
        members: list[str] = []
        parts: set[tuple[int, int]] = set()
        left: list[tuple[ast.AST, int]] = [(top, -1)]
        while left:
            node, start = left.pop()
            if start >= 0:
                parts.add((start, len(members)))
                continue
            left.append((node, len(members)))
            if member := self._member(node):
                members.append(member)
            else:
                left += [(child, -1) for child in reversed([*ast.iter_child_nodes(node)])]
        yield from (tuple(members[start:end]) for start, end in parts if start < end)

    def _member(self, node: ast.AST) -> str:
        """The member that `Ev.Color.red` or `Ev.Color["not"]` is; empty for anything else."""
        if isinstance(node, ast.Attribute):
            enum, name = _dotted(node.value), node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            enum, name = _dotted(node.value), str(node.slice.value)
        else:
            return ""
        return f"{self._known.enums[enum]}::{name}" if enum in self._known.enums else ""


def _in_order(statement: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement, in the order of the text."""
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.expr)]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def _stored(node: ast.expr) -> str:
    """The field to which something is assigned, or its bytes; other names are the parser's own."""
    if not isinstance(node, ast.Attribute | ast.Name) or not isinstance(node.ctx, ast.Store):
        return ""
    place, _, name = _dotted(node).rpartition(".")
    if place == "self":
        while name.startswith("_raw_"):
            name = name.removeprefix("_raw_")
        return name
    return name.removeprefix("_t_") if not place and name.startswith("_t_") else ""


def _dotted(node: ast.expr) -> str:
    """A name with the names in front of it; empty for what is not only names."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""
