"""Kinds of values: whether the bytes of a field can be a value of the kind that its spec gives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from lmparse.spec.build.constructs import Finding
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.scopes import (
    COMPILERS_TEXTS,
    Scope,
    attributes,
    flat_columns,
    instances,
    kind_of,
    located,
    number_kind,
    number_of,
    type_names,
)
from lmparse.spec.kind_words import DECIMALS, MAX_DIGITS, SCALABLE, ZONED, digits, is_decimal, precision

_ANY = frozenset(("body", "rest"))
"""Kinds that say what a field is for, not what its value is."""
_OF_LETTERS = {"uint": "ub", "int": "s", "float": "f", "code": "u", "lsn": "u"}
"""Kinds of fields that are numbers for the parser, and the letters of the types that they may have."""
_WIDTHS = {"timestamp17": (17,), "lrsn10": (10,), "rba10": (10,), "rid6": (6,), "hfp": (4, 8)}
"""Bytes of kinds that have a fixed width."""
_MOST_BITS = 64
"""Bits of the widest number."""
_ZONES = (b"\xf0\xf9\x4e\x60", b"09+-")
"""The characters `09+-` in the code pages that zoned decimals may be in: EBCDIC and ASCII."""


def unfit(scope: Scope) -> Iterator[Finding]:
    """What cannot be of its kind in a type, without the types inside it."""
    if "-lm-type" in scope.tree:
        yield from _parts(scope)
    yield from _names(scope)
    for where, attribute in located(scope):
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


def _names(scope: Scope) -> Iterator[Finding]:
    """Columns for the numbers inside of fields, and for the fields of a body, that have the name of another field."""
    listed = attributes(scope.tree)
    ids = {attribute["id"] for attribute in listed}.union(instances(scope.tree))
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
            for owner, name, inner in flat_columns(scope, set(), [(attribute["id"], attribute)]):
                found.update((name, *(column for _, column in _columns_of_parts(owner, inner))))
            for name in sorted(found & taken):
                text = f"the field {name} of {attribute['id']} has the name of another column of the record"
                yield f"{scope.where}/seq/{number}", text
            taken |= found


def _columns_of_parts(scope: Scope, attribute: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The numbers inside of a field that are columns of their own: their ids and the names of the columns."""
    nested = scope.type_named(attribute.get("type"))
    if nested is not None and nested.tree.get("-lm-type") == "bytes":
        for part in attributes(nested.tree):
            yield part["id"], f"{attribute['id']}_{part['id']}"


def _kind(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    type_, kind = attribute.get("type"), attribute.get("-lm-type")
    name = type_ if isinstance(type_, str) else ""
    if name in COMPILERS_TEXTS and "-codec" in attribute:
        yield f"{where}/-codec", f"-codec is for bytes, and the type {name} is text already, in its encoding"
    if kind is None or kind in _ANY:
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
    """A field of a type that is one value has the bytes of the type, neither more nor fewer."""
    name = attribute.get("type")
    nested = None if number_of(name) else scope.type_named(name)
    if nested is None or nested.tree.get("-lm-type") in (None, *_ANY) or attribute.get("process") == "zlib":
        return
    width = _width_of_parts(nested)
    key = "size-eos" if attribute.get("size-eos") else "size"
    if width is not None and key in attribute and constant(attribute.get("size")) != width:
        yield f"{where}/{key}", f"the type {name} is one value of {width} bytes: leave out {key}, or state this size"


def _in_words(kind: str) -> str:
    return " or ".join(map(str, _WIDTHS[kind]))


def _decimal(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    """Whether a field that is a decimal has bytes that are one, and not more digits than a column."""
    kind, type_ = kind_of(scope, attribute), attribute.get("type")
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
    with suppress(LookupError, ValueError, TypeError):  # a page is the file's, or not one of Python's
        if kind in ZONED and "09+-".encode(page) not in _ZONES:
            yield f"{where}/-codec", f"a {kind} is in EBCDIC or ASCII, and in {page} a digit has more than one byte"


def _digits(where: str, kind: str, scale: int, width: int, is_bits: bool) -> Iterator[Finding]:
    """Whether there are as many digits as a column can have, and not none."""
    bytes_, bits = (None, width) if is_bits else (width, None)
    found = precision(kind, scale, bytes_, bits) or 0
    if digits(kind, bytes_ or 1, bits) < 1:
        yield where, f"a {kind} of {width} bytes has no digit"
    elif found > MAX_DIGITS:
        yield where, f"a {kind} of {width} bytes has {found} digits, and a column of decimals at most {MAX_DIGITS}"


def _width_of_parts(scope: Scope) -> int | None:
    """Bytes of a type that is one value; None if its parts are not of fixed size."""
    width = 0
    for part in scope.tree.get("seq", []):
        number = number_of(part.get("type"))
        own = int(number[2]) if number else constant(part.get("size"))
        if own is None:
            return None
        width += own
    return width


def _parts(scope: Scope) -> Iterator[Finding]:
    """A type that is one value has parts whose bytes can be joined again."""
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
