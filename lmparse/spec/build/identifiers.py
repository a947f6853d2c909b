"""Identifiers: names of a spec that the generated code cannot have, or that would mean something else in it.

A name of a field is an attribute there, that of a type or of an enumeration a class, that of a spec a module.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from lmparse.spec.build.constructs import type_word
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.shape import Finding
from lmparse.spec.build.specs import SpecFile
from lmparse.spec.catalog import class_name

_ID = re.compile(r"[a-z][a-z0-9_]*", re.ASCII).fullmatch
_MODULES = frozenset((
    "self", "kaitaistruct", "kaitai_struct", "kaitai_stream", "bytes_io", "int_enum", "collections", "struct", "zlib",
    "layouts", "debug", "io", "i", "super", "hasattr", "getattr", "isinstance", "len", "int", "str", "range", "min",
    "max", "property", "dict", "vars", "from_zero",
))  # fmt: skip
"""Names of specs that would replace something that generated modules use, or another product."""
_PARAMETERS = frozenset(("self", "super", "collections"))
_CLASSES = frozenset(("KaitaiStruct", "KaitaiStream", "BytesIO", "IntEnum"))
_FIELD_TYPES = frozenset(("u", "s", "f", "b", "str", "strz"))
"""Words of the built-in types that a field can have; the others are of parameters only."""
_MEMBERS = frozenset(("mro",))
"""Names that Python does not let a member of an enumeration have."""


def of_spec(spec: SpecFile) -> Iterator[Finding]:
    """What is wrong with the name of a spec."""
    yield from _name("/meta/id", spec.id, _MODULES)
    yield from _built_in("/meta/id", spec.id)


def of_scope(scope: Scope) -> Iterator[Finding]:
    """What is wrong with the names in a spec or in a type inside one."""
    where, tree = scope.where, scope.tree
    for section, taken in (("params", _PARAMETERS), ("seq", frozenset[str]())):
        for number, attribute in enumerate(tree.get(section, [])):
            if "id" in attribute:
                yield from _name(f"{where}/{section}/{number}/id", attribute["id"], taken)
    for name in tree.get("instances", {}):
        yield from _name(f"{where}/instances/{name}", name)
    for name in tree.get("enums", {}):
        members = scope.members(name)
        taken = _MEMBERS | ({"vars"} if any(keyword.iskeyword(entry.id) for entry in members) else set())
        for entry in members:
            yield from _name(f"{where}/enums/{name}/{entry.value}", entry.id, taken, may_be_keyword=True)
    yield from _classes(scope)


def _classes(scope: Scope) -> Iterator[Finding]:
    """Types and enumerations become classes inside one class."""
    seen: dict[str, str] = {}
    for section in ("enums", "types"):
        for name in scope.tree.get(section, {}):
            where = f"{scope.where}/{section}/{name}"
            yield from _name(where, name, may_be_keyword=True)
            if section == "types":
                yield from _built_in(where, name)
            made = class_name(name)
            if made in _CLASSES or keyword.iskeyword(made):
                yield where, f"{name!r} becomes the class {made}, which means something else in the generated code"
            elif made in seen:
                yield where, f"{name!r} becomes the class {made}, as {seen[made]} does"
            seen[made] = f"{section}/{name}"


def _built_in(where: str, name: str) -> Iterator[Finding]:
    """A type that no field can have: the language takes its name for one of its own types."""
    if type_word(name) in _FIELD_TYPES:
        yield where, f"{name!r} is a built-in type: no field would have this one"


def _name(
    where: str, name: str, taken: frozenset[str] = frozenset(), *, may_be_keyword: bool = False
) -> Iterator[Finding]:
    if not _ID(name):
        yield where, f"{name[:60]!r} is not lower_snake_case"
    elif keyword.iskeyword(name) and not may_be_keyword:
        yield where, f"{name!r} is a keyword of Python"
    elif name in taken:
        yield where, f"{name!r} means something else in the generated code"
