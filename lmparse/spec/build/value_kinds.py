"""Kinds of values: whether the bytes of a field can be a value of the kind that its spec gives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lmparse.spec.build.numbers import COMPILERS_TEXTS, NUMBER
from lmparse.spec.build.scopes import PEEK, Scope
from lmparse.spec.build.shape import Finding

_ANY = frozenset(("body", "rest", PEEK))
"""Kinds that say what a field is for, not what its value is."""
_NUMBERS = frozenset(("uint", "int", "float", "code", "lsn"))
"""Kinds of fields that are numbers for the parser."""
_WIDTHS = {"timestamp17": 17, "lrsn10": 10, "rba10": 10, "rid6": 6}
"""Bytes of kinds that have a fixed width."""


def unfit(scope: Scope) -> Iterator[Finding]:
    """What cannot be of its kind in a type, without the types inside it."""
    if "-lm-type" in scope.tree:
        yield from _parts(scope)
    for section in ("seq", "instances"):
        listed = scope.tree.get(section, [])
        for key, attribute in listed.items() if isinstance(listed, dict) else enumerate(listed):
            where = f"{scope.where}/{section}/{key}"
            yield from _kind(where, attribute, scope)


def _kind(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    type_, kind = attribute.get("type"), attribute.get("-lm-type")
    name = type_ if isinstance(type_, str) else ""
    if name in COMPILERS_TEXTS and "-codec" in attribute:
        yield f"{where}/-codec", f"-codec is for bytes, and the type {name} is text already, in its encoding"
    if kind is None or kind in _ANY:
        return
    width = _WIDTHS.get(kind)
    if name in COMPILERS_TEXTS or isinstance(type_, dict):
        yield f"{where}/-lm-type", f"a {kind} is bytes, not of the type {name or 'switch-on'}"
    elif NUMBER.match(name) and kind not in _NUMBERS:
        yield f"{where}/-lm-type", f"a {kind} is bytes, not a number of the type {name}"
    elif not name and kind in _NUMBERS - {"lsn"}:
        yield f"{where}/-lm-type", f"the kind {kind} needs a type that is a number"
    elif not name and width is not None and attribute.get("size") != width:
        yield f"{where}/-lm-type", f"a {kind} has {width} bytes, so size must be {width}"
    elif name and not NUMBER.match(name) and "-lm-type" not in (scope.type_named(name) or scope).tree:
        yield f"{where}/-lm-type", f"the type {name} has fields of its own; give it the -lm-type if it is one value"


def _parts(scope: Scope) -> Iterator[Finding]:
    """A type that is one value has parts whose bytes can be joined again."""
    for number, part in enumerate(scope.tree.get("seq", [])):
        type_ = part.get("type")
        match = NUMBER.match(type_) if isinstance(type_, str) else None
        is_joined = (match and match[1] == "u") or (type_ is None and isinstance(part.get("size"), int))
        changed = [key for key in ("process", "terminator", "pad-right", "repeat", "if") if key in part]
        if not is_joined or changed:
            what = changed[0] if changed else "another type"
            text = f"a type with -lm-type has unsigned numbers and bytes of fixed size only, not {what}"
            yield f"{scope.where}/seq/{number}", text
