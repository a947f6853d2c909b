"""Lint: what is wrong in specs, found without the compiler. The build step refuses it.

Refused are keys and words that nobody knows, names that would become code or mean something else in Python, names of
types that are not defined, values that cannot be of their kind, and loops without an end.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lmparse.spec.build import constructs
from lmparse.spec.build.constructs import TOO_DEEP, Finding, near
from lmparse.spec.build.expression_checks import mistyped
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.scopes import Scope, columns, flat_columns, located
from lmparse.spec.build.specs import Selection, SpecFile
from lmparse.spec.build.value_kinds import unfit
from lmparse.spec.build.value_types import ValueTypes
from lmparse.spec.catalog import class_name
from lmparse.spec.nesting import rings

_FOLDER = re.compile(r"[\w .+-]+").fullmatch
_ID = re.compile(r"[a-z][a-z0-9_]*", re.ASCII).fullmatch
RESERVED_IDS = frozenset((
    "self", "kaitaistruct", "kaitai_struct", "kaitai_stream", "bytes_io", "int_enum", "collections", "struct", "zlib",
    "layouts", "debug", "io", "i", "super", "hasattr", "getattr", "isinstance", "len", "int", "str", "range", "min",
    "max", "property", "dict", "vars", "from_zero",
))  # fmt: skip
"""Ids of specs that would replace something that generated modules use, or another product."""
_PARAMETERS = frozenset(("self", "super", "collections"))
_CLASSES = frozenset(("KaitaiStruct", "KaitaiStream", "BytesIO", "IntEnum"))
_FIELD_TYPES = frozenset(("u", "s", "f", "b", "str", "strz"))
"""Words of the built-in types that a field can have; the others are of parameters only."""
_MOST_COLUMNS = 20_000
"""Tables of Db2 have at most 1,012 columns, and headers of vendors some hundred fields."""


def linted(selection: Selection, *, is_read_only: bool = False) -> Selection:
    """The same specs, with what is `wrong` in them noted."""
    for spec in selection.readable:  # also what imports a faulty one: all is said at once
        named = {one.id: one for one in selection.closure(spec)}
        found = wrong(spec, named, is_read_only=is_read_only)
        selection.fail({spec.place: [spec.problem(*finding) for finding in found]})
    return selection


def wrong(spec: SpecFile, named: dict[str, SpecFile], *, is_read_only: bool = False) -> list[Finding]:
    """What is wrong in one spec; `named` are it and the specs that it imports, by id.

    To read it only, that is what keeps it from having layouts: types not defined, too deep, or of too many columns.
    """
    try:
        scopes = [*Scope(named, spec).all()]
        counts = ColumnCounts(scopes)
        found = [finding for scope in scopes for finding in (*not_defined(scope), *counts.findings(scope))]
        return found if is_read_only else [*found, *_wrong(spec, scopes)]
    except RecursionError:
        return [TOO_DEEP]


def _wrong(spec: SpecFile, scopes: list[Scope]) -> Iterator[Finding]:
    for folder in spec.place.split("/")[:-1]:
        if not _FOLDER(folder):
            yield "/meta/id", f"the folder {folder!r} has a name of more than letters, digits, blanks and _ . + -"
    yield from _name("/meta/id", spec.id, RESERVED_IDS)
    yield from _built_in("/meta/id", spec.id)
    yield from constructs.unknown(spec.tree)
    endless, types = _endless(scopes), ValueTypes(scopes)
    for scope in scopes:
        if scope.id in endless:
            yield scope.where or "/seq", "the type always contains itself: no record of it ends"
        yield from _names(scope)
        yield from _loops(scope, endless)
        yield from unfit(scope)
        yield from mistyped(types, scope)


# -- names ----------------------------------------------------------------------------------


def _names(scope: Scope) -> Iterator[Finding]:
    """Names in a type: in the generated code fields are attributes, types and enumerations classes inside a class."""
    where, tree = scope.where, scope.tree
    for section, taken in (("params", _PARAMETERS), ("seq", frozenset[str]())):
        for number, attribute in enumerate(tree.get(section, [])):
            if "id" in attribute:
                yield from _name(f"{where}/{section}/{number}/id", attribute["id"], taken)
    for name in tree.get("instances", {}):
        yield from _name(f"{where}/instances/{name}", name)
    for name in tree.get("enums", {}):
        members = scope.members(name)
        # `mro` is a method of every class, and members that are keywords are written as vars()["not"].
        reserved = ("mro", "vars") if any(keyword.iskeyword(entry.id) for entry in members) else ("mro",)
        for entry in members:
            yield from _name(f"{where}/enums/{name}/{entry.value}", entry.id, reserved, may_be_keyword=True)
    seen: dict[str, str] = {}
    listed = [("enums", name) for name in tree.get("enums", {})] + [("types", name) for name in tree.get("types", {})]
    for section, name in listed:
        place, made = f"{where}/{section}/{name}", class_name(name)
        yield from _name(place, name, may_be_keyword=True)
        yield from _built_in(place, name) if section == "types" else ()
        if made in _CLASSES or keyword.iskeyword(made):
            yield place, f"{name!r} becomes the class {made}, which means something else in the generated code"
        elif made in seen:
            yield place, f"{name!r} becomes the class {made}, as {seen[made]} does"
        seen[made] = f"{section}/{name}"


def _built_in(where: str, name: str) -> Iterator[Finding]:
    """A type that no field can have: the language takes its name for one of its own types."""
    if constructs.type_word(name) in _FIELD_TYPES:
        yield where, f"{name!r} is a built-in type: no field would have this one"


def _name(where: str, name: str, taken: Iterable[str] = (), *, may_be_keyword: bool = False) -> Iterator[Finding]:
    if not _ID(name):
        yield where, f"{name[:60]!r} is not lower_snake_case"
    elif keyword.iskeyword(name) and not may_be_keyword:
        yield where, f"{name!r} is a keyword of Python"
    elif name in taken:
        yield where, f"{name!r} means something else in the generated code"


def not_defined(scope: Scope) -> Iterator[Finding]:
    """Types and enumerations that a type names and nothing defines."""
    for where, entry in located(scope):
        type_ = entry.get("type")
        cases = {f"type/cases/{key}": name for key, name in type_["cases"].items()} if isinstance(type_, dict) else {}
        for key, name in (cases or {"type": type_}).items():
            is_own = isinstance(name, str) and constructs.type_word(name) not in _FIELD_TYPES
            if is_own and scope.type_named(name) is None:
                yield f"{where}/{key}", f"there is no type {name}{_meant(scope, 'types', name)}"
    params = ((f"{scope.where}/params/{number}", one) for number, one in enumerate(scope.tree.get("params", [])))
    for where, entry in (*located(scope), *params):
        if "enum" in entry and scope.enum_named(entry["enum"]) is None:
            yield f"{where}/enum", f"there is no enumeration {entry['enum']}{_meant(scope, 'enums', entry['enum'])}"


def _meant(scope: Scope, section: str, name: str) -> str:
    if "::" in name:
        return "; a path begins here, and each of its names is of one type"
    return near(name, scope.visible(section))


# -- what has no end ------------------------------------------------------------------------


def _endless(scopes: list[Scope]) -> Iterable[str]:
    """Ids of the types of which every object contains another one."""
    always: dict[str, set[str]] = {}
    left = [*scopes]
    while left:
        scope = left.pop()
        if scope.id not in always:
            plain = [one for one in scope.tree.get("seq", []) if not {"if", "size", "size-eos"} & one.keys()]
            types = [one.get("type") for one in plain if one.get("repeat", "until") == "until"]
            found = [nested for type_ in types if (nested := scope.type_named(type_))]
            always[scope.id] = {nested.id for nested in found}
            left += found
    return rings(always).keys()


def _loops(scope: Scope, endless: Iterable[str]) -> Iterator[Finding]:
    """Lists that never end."""
    for where, attribute in located(scope):
        type_, repeat = attribute.get("type"), attribute.get("repeat")
        if repeat == "eos" and _is_empty(scope, attribute, endless):
            yield f"{where}/repeat", "what is repeated takes no bytes, so it never ends"
        is_sized = bool({"size", "size-eos", "terminator"} & attribute.keys())
        if repeat == "until" and isinstance(type_, dict) and "_" not in type_["cases"] and not is_sized:
            yield f"{where}/type/cases", "a list until a condition needs a default case, `_`: it waits for an item"


def _is_empty(scope: Scope, attribute: dict[str, Any], endless: Iterable[str]) -> bool:
    """Whether an item takes no bytes whatever the data."""
    if "size" in attribute:
        return constant(attribute["size"]) == 0
    nested = scope.type_named(attribute.get("type"))
    if nested is None or nested.id in endless:
        return False
    return all("if" not in entry and _is_empty(nested, entry, endless) for entry in nested.tree.get("seq", []))


class ColumnCounts:
    """How many columns, and fields of structs in columns, the records of types have: a few lines may have more than
    memory has room for. A column has the fields of every type that its field may have."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        """`scopes`: all types that are asked for."""
        self._known: dict[str, int] = {}
        inside: dict[str, set[str]] = {}
        left = [*scopes]
        while left:
            scope = left.pop()
            if scope.id not in inside:
                nested = [one for _, entry in columns(scope) for one in scope.types_of(entry).values()]
                inside[scope.id] = {one.id for one in nested}
                left += nested
        self._in_rings = rings(inside).keys()

    def findings(self, scope: Scope) -> Iterator[Finding]:
        """A type with too many columns."""
        if self.of_type(scope) > _MOST_COLUMNS:
            text = f"records of the type have more than {_MOST_COLUMNS} columns, with those inside"
            yield scope.where or "/seq", text

    def of_type(self, scope: Scope) -> int:
        """The columns of a type; a field of a type that is inside itself is one column of text."""
        if scope.id not in self._known:
            names: dict[str, dict[str, Scope]] = {}
            for owner, name, attribute in flat_columns(scope, {scope.id}):
                types = owner.types_of(attribute)
                is_one = not self._in_rings.isdisjoint(types) or any("-lm-type" in one.tree for one in types.values())
                names.setdefault(name, {}).update({} if is_one else types)
            nested = [one for types in names.values() for one in types.values()]
            self._known[scope.id] = len(names) + sum(map(self.of_type, nested))
        return self._known[scope.id]
