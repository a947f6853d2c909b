"""Lint: finds faults in specs without the compiler. The build step refuses such specs.

Faults are unknown keys and words, names that would become code or mean something else in Python, names of undefined
types, values that cannot have their kind, and endless loops.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from lmparse.spec.build import constructs
from lmparse.spec.build.constructs import TOO_DEEP, Finding, near
from lmparse.spec.build.expression_checks import mistyped
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.scopes import COMPILERS_TEXTS, Scope, number_kind, number_of, type_names
from lmparse.spec.build.specs import Selection, SpecFile
from lmparse.spec.build.value_types import ValueTypes
from lmparse.spec.catalog import class_name
from lmparse.spec.kind_words import DECIMALS, MAX_DIGITS, SCALABLE, ZONED, digits, is_decimal, precision
from lmparse.spec.nesting import in_rings

_FOLDER = re.compile(r"[\w .+-]+").fullmatch
_ID = re.compile(r"[a-z][a-z0-9_]*", re.ASCII).fullmatch
RESERVED_IDS = frozenset((
    "self", "kaitaistruct", "kaitai_struct", "kaitai_stream", "bytes_io", "int_enum", "collections", "struct", "zlib",
    "layouts", "debug", "io", "i", "super", "hasattr", "getattr", "isinstance", "len", "int", "str", "range", "min",
    "max", "property", "dict", "vars", "from_zero",
))  # fmt: skip
"""Ids of specs that would replace a name in generated modules, or another product."""
_PARAMETERS = frozenset(("self", "super", "collections"))
_CLASSES = frozenset(("KaitaiStruct", "KaitaiStream", "BytesIO", "IntEnum"))
_FIELD_TYPES = frozenset(("u", "s", "f", "b", "str", "strz"))
"""Words of the built-in types of fields; other words are for parameters only."""
_MOST_COLUMNS = 20_000
"""Most columns of a record: Db2 tables have at most 1,012, and vendors' headers some hundred fields."""
_NO_VALUES = frozenset(("body", "rest"))
"""Kinds that state the use of a field, not the kind of its value."""
_OF_LETTERS = {"uint": "ub", "int": "s", "float": "f", "code": "u", "lsn": "u"}
"""Kinds of fields that the parser reads as numbers, with the letters of their possible types."""
_WIDTHS = {"timestamp17": (17,), "lrsn10": (10,), "rba10": (10,), "rid6": (6,), "hfp": (4, 8)}
"""Bytes of kinds of fixed width."""
_MOST_BITS = 64
"""Bits of the widest number."""
_ZONES = (b"\xf0\xf9\x4e\x60", b"09+-")
"""The characters `09+-` in the code pages of zoned decimals: EBCDIC and ASCII."""


def linted(selection: Selection, *, is_read_only: bool = False) -> Selection:
    """The same specs, with the problems of `wrong` noted."""
    for spec in selection.readable:  # also specs that import faulty specs: everything is reported at once
        named = {one.id: one for one in selection.closure(spec)}
        found = wrong(spec, named, is_read_only=is_read_only)
        selection.fail({spec.place: [spec.problem(*finding) for finding in found]})
    return selection


def wrong(spec: SpecFile, named: dict[str, SpecFile], *, is_read_only: bool = False) -> list[Finding]:
    """Findings in one spec; `named` has it and the specs that it imports, by id.

    `is_read_only` finds only what prevents layouts: undefined types, too deep nesting, and too many columns.
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
    """Yield wrong names in a type: in generated code, fields are attributes, types and enumerations inner classes."""
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
    """Yield a finding for a type with the name of a built-in type: no field could have the type."""
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
    """Yield undefined types and enumerations."""
    for where, entry in scope.located():
        type_ = entry.get("type")
        cases = {f"type/cases/{key}": name for key, name in type_["cases"].items()} if isinstance(type_, dict) else {}
        for key, name in (cases or {"type": type_}).items():
            is_own = isinstance(name, str) and constructs.type_word(name) not in _FIELD_TYPES
            if is_own and scope.type_named(name) is None:
                yield f"{where}/{key}", f"there is no type {name}{_meant(scope, 'types', name)}"
    params = ((f"{scope.where}/params/{number}", one) for number, one in enumerate(scope.tree.get("params", [])))
    for where, entry in (*scope.located(), *params):
        if "enum" in entry and scope.enum_named(entry["enum"]) is None:
            yield f"{where}/enum", f"there is no enumeration {entry['enum']}{_meant(scope, 'enums', entry['enum'])}"


def _meant(scope: Scope, section: str, name: str) -> str:
    if "::" in name:
        return "; a path begins here, and each of its names is of one type"
    return near(name, scope.visible(section))


# -- what has no end ------------------------------------------------------------------------


def _endless(scopes: list[Scope]) -> Iterable[str]:
    """Ids of the types whose every object contains another object of the type."""
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
    return in_rings(always)


def _loops(scope: Scope, endless: Iterable[str]) -> Iterator[Finding]:
    """Yield lists that never end."""
    for where, attribute in scope.located():
        type_, repeat = attribute.get("type"), attribute.get("repeat")
        if repeat == "eos" and _is_empty(scope, attribute, endless):
            yield f"{where}/repeat", "what is repeated takes no bytes, so it never ends"
        is_sized = bool({"size", "size-eos", "terminator"} & attribute.keys())
        if repeat == "until" and isinstance(type_, dict) and "_" not in type_["cases"] and not is_sized:
            yield f"{where}/type/cases", "a list until a condition needs a default case, `_`: it waits for an item"


def _is_empty(scope: Scope, attribute: dict[str, Any], endless: Iterable[str]) -> bool:
    """Whether an item has no bytes, whatever the data."""
    if "size" in attribute:
        return constant(attribute["size"]) == 0
    nested = scope.type_named(attribute.get("type"))
    if nested is None or nested.id in endless:
        return False
    return all("if" not in entry and _is_empty(nested, entry, endless) for entry in nested.tree.get("seq", []))


class ColumnCounts:
    """Counts the columns of types, and the fields of structs in columns: a few lines may define more than fits memory.
    A column has the fields of every type that its field may have."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        """`scopes`: all types to be counted."""
        self._known: dict[str, int] = {}
        inside: dict[str, set[str]] = {}
        left = [*scopes]
        while left:
            scope = left.pop()
            if scope.id not in inside:
                nested = [one for _, entry in scope.columns() for one in scope.types_of(entry).values()]
                inside[scope.id] = {one.id for one in nested}
                left += nested
        self._in_rings = in_rings(inside)

    def findings(self, scope: Scope) -> Iterator[Finding]:
        """Yield a finding for a type with too many columns."""
        if self.of_type(scope) > _MOST_COLUMNS:
            text = f"records of the type have more than {_MOST_COLUMNS} columns, with those inside"
            yield scope.where or "/seq", text

    def of_type(self, scope: Scope) -> int:
        """The number of columns of a type; a field of a recursive type is one column of text."""
        if scope.id not in self._known:
            names: dict[str, dict[str, Scope]] = {}
            for owner, name, attribute in scope.flat_columns({scope.id}):
                types = owner.types_of(attribute)
                is_one = not self._in_rings.isdisjoint(types) or any("-lm-type" in one.tree for one in types.values())
                names.setdefault(name, {}).update({} if is_one else types)
            nested = [one for types in names.values() for one in types.values()]
            self._known[scope.id] = len(names) + sum(map(self.of_type, nested))
        return self._known[scope.id]


# -- kinds of values: whether the bytes of a field can be a value of the kind that its spec gives it --------------


def unfit(scope: Scope) -> Iterator[Finding]:
    """Yield entries of a type, without inner types, that cannot have their kind."""
    if "-lm-type" in scope.tree:
        yield from _parts(scope)
    yield from _column_names(scope)
    for where, attribute in scope.located():
        for key, what in (("size", "a number of bytes"), ("repeat-expr", "a number of repetitions")):
            if (constant(attribute.get(key)) or 0) < 0:
                yield f"{where}/{key}", f"{attribute[key]} is not {what}: it is below zero"
        for name in type_names(attribute):
            number = number_of(name)
            if number and number[1] == "b" and not 0 < int(number[2]) <= _MOST_BITS:
                text = f"{name} is not a number of 1 to {_MOST_BITS} bits: read it as bytes, with a size"
                yield f"{where}/type", text
        yield from _kind(where, attribute, scope)
        yield from _body(where, attribute, scope)
        yield from _room(where, attribute, scope)
        if "value" not in attribute:
            yield from _decimal(where, attribute, scope)


def _column_names(scope: Scope) -> Iterator[Finding]:
    """Yield columns, for numbers inside fields and for fields of a body, that have the name of another field."""
    listed = scope.attributes()
    ids = {attribute["id"] for attribute in listed}.union(scope.instances())
    taken = set(ids)
    for number, attribute in enumerate(listed):
        for part, name in _columns_of_parts(scope, attribute):
            taken.add(name)
            if name in ids:
                text = f"the column for {part} in {attribute['id']} has the name of the field {name}"
                yield f"{scope.where}/seq/{number}", text
    for number, attribute in enumerate(listed):
        if attribute.get("-lm-type") == "body" and "repeat" not in attribute:
            found = set[str]()
            for owner, name, inner in scope.flat_columns(set(), [(attribute["id"], attribute)]):
                found.update((name, *(column for _, column in _columns_of_parts(owner, inner))))
            for name in sorted(found & taken):
                text = f"the field {name} of {attribute['id']} has the name of another column of the record"
                yield f"{scope.where}/seq/{number}", text
            taken |= found


def _columns_of_parts(scope: Scope, attribute: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the numbers inside a field that are columns: their ids and the names of the columns."""
    nested = scope.type_named(attribute.get("type"))
    if nested is not None and nested.tree.get("-lm-type") == "bytes":
        for part in nested.attributes():
            yield part["id"], f"{attribute['id']}_{part['id']}"


def _kind(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    type_, kind = attribute.get("type"), attribute.get("-lm-type")
    name = type_ if isinstance(type_, str) else ""
    if name in COMPILERS_TEXTS and "-codec" in attribute:
        yield f"{where}/-codec", f"-codec is for bytes, and the type {name} is text already, in its encoding"
    if kind is None or kind in _NO_VALUES:
        return
    number = number_of(name)
    if name in COMPILERS_TEXTS or isinstance(type_, dict):
        yield f"{where}/-lm-type", f"a {kind} is bytes, not of the type {name or 'switch-on'}"
    elif number and kind not in _OF_LETTERS:
        yield f"{where}/-lm-type", f"a {kind} is bytes, not a number of the type {name}"
    elif number and number[1] not in _OF_LETTERS[kind]:
        yield f"{where}/-lm-type", f"the type {name} is a number of the kind {number_kind(number)}, not {kind}"
    elif not name and kind in _OF_LETTERS.keys() - {"lsn"}:
        yield f"{where}/-lm-type", f"the kind {kind} needs a type that is a number"
    elif not name and kind in _WIDTHS and attribute.get("size") not in _WIDTHS[kind]:
        yield f"{where}/-lm-type", f"a {kind} has {_in_words(kind)} bytes, so size must be {_in_words(kind)}"
    elif name and not number and "-lm-type" not in (scope.type_named(name) or scope).tree:
        yield f"{where}/-lm-type", f"the type {name} has fields of its own; give it the -lm-type if it is one value"


def _body(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    if attribute.get("-lm-type") != "body":
        return
    type_ = attribute.get("type")
    cases = type_["cases"] if isinstance(type_, dict) else {"_": type_}
    if "repeat" in attribute:
        yield f"{where}/repeat", "a body is the fields of one object, not a list"
    for name in cases.values():
        if scope.type_named(name) is None:
            yield f"{where}/-lm-type", f"a body is a type with fields, not {name or 'bytes'}"
    if "_" not in cases and {"size", "size-eos", "terminator"} & attribute.keys():
        text = "a body with a size needs a default case, `_`: the bytes of other kinds would be in no field"
        yield f"{where}/type/cases", text


def _room(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    """A field whose type is one value must have exactly the bytes of the type."""
    name = attribute.get("type")
    nested = None if number_of(name) else scope.type_named(name)
    if nested is None or nested.tree.get("-lm-type") in (None, *_NO_VALUES) or attribute.get("process") == "zlib":
        return
    width = _width_of_parts(nested)
    key = "size-eos" if attribute.get("size-eos") else "size"
    if width is not None and key in attribute and constant(attribute.get("size")) != width:
        yield f"{where}/{key}", f"the type {name} is one value of {width} bytes: leave out {key}, or state this size"


def _in_words(kind: str) -> str:
    return " or ".join(map(str, _WIDTHS[kind]))


def _decimal(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    """Yield findings if a decimal field has wrong bytes, or more digits than a column."""
    kind, type_ = scope.kind_of(attribute), attribute.get("type")
    scale = attribute.get("-scale")
    if isinstance(scale, int) and (scale or kind in DECIMALS):
        if kind not in SCALABLE or "enum" in attribute:
            what = "the numbers of an enumeration" if "enum" in attribute else f"a {kind or 'value of several kinds'}"
            yield f"{where}/-scale", f"-scale is of whole numbers and decimals, not of {what}"
            return
        if not 0 <= scale <= MAX_DIGITS:
            yield f"{where}/-scale", f"-scale is {scale}: a decimal has 0 to {MAX_DIGITS} digits behind the point"
            return
    if not is_decimal(kind, scale):
        return
    number = number_of(type_)
    nested = None if number else scope.type_named(type_)
    width = int(number[2]) if number else _width_of_parts(nested) if nested else constant(attribute.get("size"))
    key = "-lm-type" if "-lm-type" in attribute else "type" if "type" in attribute else "-scale"
    if width is None:
        yield f"{where}/{key}", f"a {kind} has as many bytes in every record, so size must be a number"
    elif attribute.get("process") == "zlib":
        yield f"{where}/process", f"a {kind} has as many bytes in every record, and zlib may give any number"
    else:
        is_bits = number is not None and number[1] == "b"
        yield from _digits(f"{where}/{key}", kind, scale or 0, width, is_bits)
    page = attribute.get("-codec", "ebcdic")
    with suppress(LookupError, ValueError, TypeError):  # the page is the file's, or unknown to Python
        if kind in ZONED and "09+-".encode(page) not in _ZONES:
            yield f"{where}/-codec", f"a {kind} is in EBCDIC or ASCII, and in {page} a digit has more than one byte"


def _digits(where: str, kind: str, scale: int, width: int, is_bits: bool) -> Iterator[Finding]:
    """Yield a finding for no digits, or more digits than a column."""
    bytes_, bits = (None, width) if is_bits else (width, None)
    found = precision(kind, scale, bytes_, bits) or 0
    if digits(kind, bytes_ or 1, bits) < 1:
        yield where, f"a {kind} of {width} bytes has no digit"
    elif found > MAX_DIGITS:
        yield where, f"a {kind} of {width} bytes has {found} digits, and a column of decimals at most {MAX_DIGITS}"


def _width_of_parts(scope: Scope) -> int | None:
    """Bytes of a type that is one value; None if its parts have no fixed size."""
    width = 0
    for part in scope.tree.get("seq", []):
        number = number_of(part.get("type"))
        own = int(number[2]) if number else constant(part.get("size"))
        if own is None:
            return None
        width += own
    return width


def _parts(scope: Scope) -> Iterator[Finding]:
    """Yield parts of a type that is one value whose bytes cannot be joined again."""
    for number, part in enumerate(scope.tree.get("seq", [])):
        type_, match = part.get("type"), number_of(part.get("type"))
        is_joined = (match and match[1] == "u") or (type_ is None and isinstance(part.get("size"), int))
        changed = [key for key in ("process", "terminator", "pad-right", "repeat", "if") if key in part]
        if not is_joined or changed:
            what = changed[0] if changed else "another type"
            text = f"a type with -lm-type has unsigned numbers and bytes of fixed size only, not {what}"
            yield f"{scope.where}/seq/{number}", text
    kind, width = scope.tree["-lm-type"], _width_of_parts(scope)
    if kind in _WIDTHS and width is not None and width not in _WIDTHS[kind]:
        yield f"{scope.where}/-lm-type", f"a {kind} has {_in_words(kind)} bytes, and the parts have {width}"
    elif kind in DECIMALS and width is not None:
        yield from _digits(f"{scope.where}/-lm-type", kind, 0, width, is_bits=False)
