"""Lint: what is wrong in specs, found without the compiler. The build step refuses it.

Refused are keys that nobody knows, texts and names that would become code or mean something else in Python, names that
the compiler takes for another type than lmparse, values that cannot be of their kind, and loops without an end.
"""

from __future__ import annotations

import codecs
import keyword
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from lmparse.spec.build import constructs, expressions
from lmparse.spec.build.expression_checks import mistyped
from lmparse.spec.build.layouts import constant
from lmparse.spec.build.scopes import Scope, columns, flat_columns, located
from lmparse.spec.build.shape import TOO_DEEP, Finding
from lmparse.spec.build.specs import (
    Problem,
    SpecFile,
    closure,
    flat,
    missing_imports,
    on_disk,
    read_all,
    with_imports,
    wrong_ids,
)
from lmparse.spec.build.value_kinds import unfit
from lmparse.spec.build.value_types import ValueTypes
from lmparse.spec.catalog import class_name
from lmparse.spec.nesting import rings

_FOLDER = re.compile(r"[\w .+-]+").fullmatch
_ENCODING = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:()-]*", re.ASCII).fullmatch
_PROCESS = re.compile(r"zlib|(?:xor|rol|ror)\(.*\)", re.DOTALL).fullmatch
_COMPILERS_OWN = ("ks-opaque-types", "ks-debug")
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
_STATUSES = ("documented", "inferred", "unknown")
_MOST_COLUMNS = 20_000
"""Tables of Db2 have at most 1,012 columns, and headers of vendors some hundred fields."""


def lint(source: Path) -> tuple[list[Problem], int]:
    """What is wrong in a `.ksy` file, or in those in a folder, and the number of the specs.

    What is wrong is not built, or not read as meant. Raises SpecError when there is no spec.
    """
    shelf, places = on_disk(source)
    specs, faults = read_all(shelf, places)
    known, _ = with_imports(specs, shelf, faults)
    problems = flat(faults) + flat(wrong_ids(specs))
    for spec in specs:
        named = {one.id: one for one in (*closure(known, [spec.place]), spec)}
        problems += missing_imports(spec, {**known, **faults})
        problems += [spec.problem(*finding) for finding in (*wrong(spec, named), *_lint_only(spec, named))]
    return sorted(set(problems)), len(places)


def wrong(spec: SpecFile, named: dict[str, SpecFile]) -> list[Finding]:
    """What the build step refuses in one spec; `named` are it and the specs that it imports, by id."""
    try:
        return [*_wrong(spec, named)]
    except RecursionError:
        return [TOO_DEEP]


def _wrong(spec: SpecFile, named: dict[str, SpecFile]) -> Iterator[Finding]:
    for folder in spec.place.split("/")[:-1]:
        if not _FOLDER(folder):
            yield "/meta/id", f"the folder {folder!r} has a name of more than letters, digits, blanks and _ . + -"
    yield from _name("/meta/id", spec.id, RESERVED_IDS)
    yield from _built_in("/meta/id", spec.id)
    yield from constructs.findings(spec.tree)
    yield from _texts("", spec.tree)
    scopes = [*Scope(named, spec).all()]
    counts, endless, types = ColumnCounts(scopes), _endless(scopes), ValueTypes(scopes)
    for scope in scopes:
        for key in _COMPILERS_OWN:
            if scope.tree.get("meta", {}).get(key, False) is not False:
                text = f"{key} is not taken: it makes other code than a parser of the spec"
                yield f"{scope.where}/meta/{key}", text
        found = scope.tree.get("doc-ref", [])
        if any(not str(text).strip("\r\n") for text in (found if isinstance(found, list) else [found])):
            yield f"{scope.where}/doc-ref", "doc-ref has no text"
        if scope.id in endless:
            yield scope.where or "/seq", "the type always contains itself: no record of it ends"
        yield from _names(scope)
        yield from _loops(scope, endless)
        yield from _paths(scope)
        yield from counts.findings(scope)
        yield from unfit(scope)
        yield from mistyped(types, scope)


# -- texts and names that become code -------------------------------------------------------


def _texts(where: str, tree: Any) -> Iterator[Finding]:
    """Texts anywhere that would leave their literal or name code."""
    if isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from _texts(f"{where}/{number}", value)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            place = f"{where}/{key}"
            if key == "encoding" and not _ENCODING(str(value)):
                yield place, f"{str(value)[:60]!r} is not the name of an encoding"
            elif key == "encoding" and not _is_encoding(str(value)):
                yield place, f"Python has no encoding {str(value)[:60]!r}"
            elif key == "process" and not _PROCESS(str(value)):
                yield place, f"{str(value)[:60]!r} is not one of xor(), rol(), ror() and zlib"
            yield from _texts(place, value)


def _is_encoding(name: str) -> bool:
    """Whether Python has an encoding of text; it has others, as `hex`, for bytes."""
    try:
        codecs.lookup(name)
        b"a".decode(name)
    except LookupError:
        return False
    except UnicodeError:
        return True
    return True


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


# -- names of types and enumerations --------------------------------------------------------


def _paths(scope: Scope) -> Iterator[Finding]:
    """Paths `a::b` that the compiler may take for something else than lmparse: it takes the type that it is in for all
    of a path that begins with the name of this type, and looks further out if there is no `b` in the first `a`."""
    for where, attribute in located(scope):
        type_ = attribute.get("type")
        cases = {f"type/cases/{key}": name for key, name in type_["cases"].items()} if isinstance(type_, dict) else {}
        for key, name in (cases or {"type": type_}).items():
            yield from _path(scope, f"{where}/{key}", name.split("(")[0] if isinstance(name, str) else "")
        yield from _path(scope, f"{where}/enum", attribute.get("enum", ""), is_enum=True)
        for key, text in expressions.texts_of(attribute):
            for path in expressions.member_paths(text):
                yield from _path(scope, f"{where}/{key}", path.rpartition("::")[0], is_enum=True)
    endian = scope.tree.get("meta", {}).get("endian")
    for key, text in expressions.texts_of({"type": endian}) if isinstance(endian, dict) else ():
        for path in expressions.member_paths(text):
            yield from _path(scope, f"{scope.where}/meta/endian{key[4:]}", path.rpartition("::")[0], is_enum=True)


def _path(scope: Scope, where: str, path: str, *, is_enum: bool = False) -> Iterator[Finding]:
    first, *inside = path.strip().split("::")
    owners = [first, *inside[: -1 if is_enum else None]]
    if not inside or (scope.enum_named(path) if is_enum else scope.type_named(path)) is None:
        return
    if len(scope.all_named(first)) > 1 or any(one == other for one, other in pairwise(owners)):
        yield where, f"types at several levels have a name of {path}: give one of them another name"
    elif not is_enum and first in scope.around():
        yield where, f"{path} begins with the type {first} that it is in: name it as it is from here, without that"


def not_defined(scope: Scope) -> Iterator[Finding]:
    """Types and enumerations that a type names and nothing defines."""
    for where, entry in located(scope):
        type_ = entry.get("type")
        cases = type_["cases"] if isinstance(type_, dict) else {}
        named = {f"type/cases/{key}": case for key, case in cases.items()} or {"type": type_}
        for key, name in named.items():
            is_own = isinstance(name, str) and constructs.type_word(name) not in _FIELD_TYPES
            if is_own and scope.type_named(name) is None:
                yield f"{where}/{key}", f"there is no type {name}"
        if "enum" in entry and scope.enum_named(entry["enum"]) is None:
            yield f"{where}/enum", f"there is no enumeration {entry['enum']}"
    for number, entry in enumerate(scope.tree.get("params", [])):
        if "enum" in entry and scope.enum_named(entry["enum"]) is None:
            yield f"{scope.where}/params/{number}/enum", f"there is no enumeration {entry['enum']}"


def _lint_only(spec: SpecFile, named: dict[str, SpecFile]) -> list[Finding]:
    """What the compiler finds too, in other words, and values of our keys that mean nothing."""
    try:
        found = [finding for scope in Scope(named, spec).all() for finding in not_defined(scope)]
        for where, entry in [one for scope in Scope(named, spec).all() for one in located(scope)]:
            for key in ("-lm-status", "-lm-valid-status"):
                if entry.get(key, _STATUSES[0]) not in _STATUSES:
                    text = f"{key} is {entry[key]!r}, not one of {', '.join(_STATUSES)}"
                    found.append((f"{where}/{key}", text))
    except RecursionError:
        return [TOO_DEEP]
    return found


# -- what has no end ------------------------------------------------------------------------


def _endless(scopes: list[Scope]) -> Iterable[str]:
    """Ids of the types of which every object contains another one."""
    always: dict[str, set[str]] = {}
    left = [*scopes]
    while left:
        scope = left.pop()
        if scope.id not in always:
            plain = [one for one in scope.tree.get("seq", []) if not {"if", "size", "size-eos"} & one.keys()]
            names = [one["type"] for one in plain if one.get("repeat", "until") == "until" and "type" in one]
            found = [scope.type_named(name) for name in names if isinstance(name, str)]
            always[scope.id] = {nested.id for nested in found if nested}
            left += [nested for nested in found if nested]
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
    nested = scope.type_named(attribute["type"]) if isinstance(attribute.get("type"), str) else None
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
