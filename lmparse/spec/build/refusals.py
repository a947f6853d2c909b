"""Refusals: what the build step takes from no spec, since it could become code or never end; lint is stricter."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from lmparse.spec.build import constructs, identifiers
from lmparse.spec.build.column_counts import ColumnCounts
from lmparse.spec.build.expressions import TEXT
from lmparse.spec.build.layouts import constant, len_contents
from lmparse.spec.build.numbers import NUMBER
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.shape import Finding
from lmparse.spec.build.specs import SpecFile
from lmparse.spec.build.value_kinds import unfit

_FOLDER = re.compile(r"[\w .+-]+").fullmatch
_ENCODING = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:()-]*", re.ASCII).fullmatch
_PROCESS = re.compile(r"zlib|(?:xor|rol|ror)\(.*\)", re.DOTALL).fullmatch
_ITEM_BELOW_ZERO = re.compile(
    r"(?:[\w\])'\"](?<!\bor)(?<!\band)(?<!\bnot)\s*)\[([\s(]*-[\s(]*(?:0[xXbBoO])?[0-9a-fA-F_]+[\s)]*)\]"
).search
"""An item of something with a constant number below zero."""
_NO_EXPRESSIONS = frozenset(("meta", "doc", "doc-ref", "contents", "enums"))
_COMPILERS_OWN = ("ks-opaque-types", "ks-debug")


def refusals(spec: SpecFile, named: dict[str, SpecFile]) -> Iterator[Finding]:
    """What is refused in one spec; `named` are all specs by id."""
    for folder in spec.place.split("/")[:-1]:
        if not _FOLDER(folder):
            yield "/meta/id", f"the folder {folder!r} has a name of more than letters, digits, blanks and _ . + -"
    yield from identifiers.of_spec(spec)
    yield from constructs.findings(spec.tree)
    yield from _texts("", spec.tree)
    yield from _items("", spec.tree)
    scopes = [*Scope(named, spec).all()]
    widths, columns = Widths(), ColumnCounts(scopes)
    for scope in scopes:
        yield from _compilers_own(scope)
        yield from _references(scope)
        yield from identifiers.of_scope(scope)
        yield from widths.findings(scope)
        yield from columns.findings(scope)
        yield from unfit(scope)


def _compilers_own(scope: Scope) -> Iterator[Finding]:
    for key in _COMPILERS_OWN:
        if key in scope.tree.get("meta", {}):
            yield f"{scope.where}/meta/{key}", f"{key} is not taken: it makes other code than a parser of the spec"


def _references(scope: Scope) -> Iterator[Finding]:
    """References of a type that have no line, with which the compiler ends."""
    found = scope.tree.get("doc-ref", [])
    if any(not str(text).strip("\r\n") for text in (found if isinstance(found, list) else [found])):
        yield f"{scope.where}/doc-ref", "doc-ref has no text"


def _is_known(encoding: str) -> bool:
    """Whether Python has an encoding of text; it has others, as `hex`, for bytes."""
    try:
        codecs.lookup(encoding)
        b"a".decode(encoding)
    except LookupError:
        return False
    except UnicodeError:
        return True
    return True


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
            elif key == "encoding" and not _is_known(str(value)):
                yield place, f"Python has no encoding {str(value)[:60]!r}"
            elif key == "process" and not _PROCESS(str(value)):
                yield place, f"{str(value)[:60]!r} is not one of xor(), rol(), ror() and zlib"
            yield from _texts(place, value)


def _items(where: str, tree: Any) -> Iterator[Finding]:
    """Items with a constant number below zero; the compiler writes -1 for `.last` too, so the parser cannot tell."""
    if isinstance(tree, str):
        if found := _ITEM_BELOW_ZERO(TEXT.sub("''", tree)):
            number = re.sub(r"[\s()]", "", found[1])
            yield where, f"there is no item {number}: items count from 0, and .last is the last one"
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _items(f"{where}/{index}", value)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            place = f"{where}/{key}"
            if key not in _NO_EXPRESSIONS and not str(key).startswith("-"):
                yield from _items(place, value)
                if where.endswith("/cases"):
                    yield from _items(place, key)


class Widths:
    """The least number of bits that types take, and the repeats that this leaves without end."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._open: set[str] = set()
        self._endless = _Endless()

    def findings(self, scope: Scope) -> Iterator[Finding]:
        """Repeats to the end of the record of what is always empty, and types that always contain themselves."""
        if self._endless.contains_itself(scope):
            yield scope.where or "/seq", "the type always contains itself: no record of it ends"
        for section, items in (
            ("seq", enumerate(scope.tree.get("seq", []))),
            ("instances", scope.tree.get("instances", {}).items()),
        ):
            for key, attribute in items:
                if attribute.get("repeat") == "eos" and self._is_empty(scope, attribute):
                    yield f"{scope.where}/{section}/{key}/repeat", "what is repeated takes no bytes, so it never ends"
                cases = attribute["type"]["cases"] if isinstance(attribute.get("type"), dict) else {"_": ""}
                if attribute.get("repeat") == "until" and "_" not in cases and not {"size", "size-eos"} & {*attribute}:
                    text = "a list until a condition needs a default case, `_`: without an item it never ends"
                    yield f"{scope.where}/{section}/{key}/type/cases", text

    def of_type(self, scope: Scope) -> int:
        """Least bits of a type."""
        if scope.id in self._open:
            return 0
        if scope.id not in self._known:
            self._open.add(scope.id)
            self._known[scope.id] = sum(self.of(scope, entry) for entry in scope.tree.get("seq", []))
            self._open.discard(scope.id)
        return self._known[scope.id]

    def of(self, scope: Scope, attribute: dict[str, Any]) -> int:
        """Least bits of an attribute with its condition and repetition."""
        if "if" in attribute or attribute.get("repeat") in ("eos", "expr"):
            return 0
        return self.of_item(scope, attribute)

    def of_item(self, scope: Scope, attribute: dict[str, Any]) -> int:
        """Least bits of one item of an attribute."""
        type_ = attribute.get("type")
        if "size" in attribute:
            return 8 * (constant(attribute["size"]) or 0)
        if attribute.get("size-eos"):
            return 0
        if "contents" in attribute:
            return 8 * len_contents(attribute["contents"])
        if isinstance(type_, dict):
            cases = [self.of_item(scope, {"type": str(case)}) for case in type_["cases"].values()]
            return min(cases) if "_" in type_["cases"] else 0
        if not isinstance(type_, str):
            return 0
        if match := NUMBER.match(type_):
            return int(match[2]) * (1 if match[1] == "b" else 8)
        nested = scope.type_named(type_)
        return self.of_type(nested) if nested else 0

    def _is_empty(self, scope: Scope, attribute: dict[str, Any]) -> bool:
        """Whether an item takes no bytes whatever the data."""
        if "size" in attribute:
            return constant(attribute["size"]) == 0
        nested = scope.type_named(attribute["type"]) if isinstance(attribute.get("type"), str) else None
        if nested is None or self._endless.contains_itself(nested):
            return False
        return all("if" not in entry and self._is_empty(nested, entry) for entry in nested.tree.get("seq", []))


class _Endless:
    """The types of which every record contains a record of the same type."""

    def __init__(self) -> None:
        self._needed: dict[str, list[list[Scope]]] = {}
        """For each field of a type that cannot be left out, the types of which it has one."""
        self._endless: dict[str, bool] = {}

    def contains_itself(self, scope: Scope) -> bool:
        """Whether no record of a type ends, since it always contains another one."""
        if scope.id not in self._endless:
            inside = self._reached(scope)
            open_ = set(inside)
            while ends := {name for name in open_ if not any(self._all_in(one, open_) for one in self._needed[name])}:
                open_ -= ends
            self._endless[scope.id] = scope.id in open_ and scope.id in self._reached(*inside[scope.id])
        return self._endless[scope.id]

    @staticmethod
    def _all_in(types: list[Scope], open_: set[str]) -> bool:
        return all(scope.id in open_ for scope in types)

    def _reached(self, *scopes: Scope) -> dict[str, list[Scope]]:
        """Types and all that are in them always, with the types directly in each."""
        found: dict[str, list[Scope]] = {}
        left = [*scopes]
        while left:
            scope = left.pop()
            if scope.id not in found:
                if scope.id not in self._needed:
                    self._needed[scope.id] = [*filter(None, (_always(scope, e) for e in scope.tree.get("seq", [])))]
                found[scope.id] = [inner for one in self._needed[scope.id] for inner in one]
                left += found[scope.id]
        return found


def _always(scope: Scope, attribute: dict[str, Any]) -> list[Scope]:
    """The types of which a field always has one; none where it may have something else or nothing."""
    type_ = attribute.get("type")
    is_open = "if" in attribute or attribute.get("repeat") in ("eos", "expr") or "size" in attribute
    if is_open or attribute.get("size-eos") or (isinstance(type_, dict) and "_" not in type_["cases"]):
        return []
    names = [*type_["cases"].values()] if isinstance(type_, dict) else [type_]
    found = [scope.type_named(name) if isinstance(name, str) else None for name in names]
    return [nested for nested in found if nested] if all(found) else []
