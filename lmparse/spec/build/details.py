"""Details: what a spec specifies beyond its layouts.

Layouts have offsets, widths and kinds; expressions, cases and instances are in the parser only. A comparison of two
states of a spec needs both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lmparse.spec.build.constructs import enum_number
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.scopes import COMPILERS_TEXTS, NUMBER, Scope, attributes
from lmparse.spec.build.specs import SpecFile

Details = dict[str, dict[str, str]]
"""Details of one layout: for each member its values by key. Members are `plan` (a field), `params.kind`,
`instances.kind`, `enums.state`, and the empty text for the layout itself."""

_HELD_BY_LAYOUT = {"meta", "doc", "doc-ref", "-lm-type", "params", "seq", "instances", "types", "enums"}
_HELD_OF_META = {"id", "title"}
_HELD_BY_FIELD = {
    "id", "-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source", "type",
    "size", "enum", "valid", "contents", "doc", "doc-ref",
}  # fmt: skip
_HELD_OF_CODES = {"id", "doc"}


def details(specs: list[SpecFile]) -> dict[str, Details]:
    """The details of some specs and of the types in them, by the id of the layout."""
    known = {spec.id: spec for spec in specs}
    return {scope.id: dict(_members(scope)) for spec in specs for scope in Scope(known, spec).all()}


def _members(scope: Scope) -> Iterator[tuple[str, dict[str, str]]]:
    tree = scope.tree
    meta = {f"meta/{key}": item for key, item in tree.get("meta", {}).items() if key not in _HELD_OF_META}
    if isinstance(meta.get("meta/endian"), str):
        del meta["meta/endian"]
    yield "", _texts(meta) | _texts(tree, _HELD_BY_LAYOUT)
    for entry in tree.get("params", []):
        yield f"params.{entry['id']}", _texts(entry, {"id"})
    for attribute in attributes(tree):
        yield attribute["id"], _texts(attribute, _HELD_BY_FIELD) | dict(_reading(scope, attribute))
    for name, instance in tree.get("instances", {}).items():
        yield f"instances.{name}", _texts(instance)
    for name, members in tree.get("enums", {}).items():
        texts: dict[str, str] = {}
        for key, entry in members.items():
            if isinstance(entry, dict):
                texts |= {f"{enum_number(key)}/{word}": text for word, text in _texts(entry, _HELD_OF_CODES).items()}
        yield f"enums.{name}", texts


def _reading(scope: Scope, attribute: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What type and size of a field specify beyond its width and its kind."""
    type_, size = attribute.get("type"), attribute.get("size")
    if size is not None:
        # A nested record of constant size has this size, whatever the width of its own fields.
        is_plain = constant(size) is not None and "repeat" not in attribute
        if not is_plain or isinstance(type_, dict) or _is_nested(type_):
            yield "size", _text(size)
    if isinstance(type_, dict):
        yield "switch-on", _text(type_.get("switch-on"))
        for key, case in type_["cases"].items():
            yield f"case {key}", _case(scope, _text(case))
    elif isinstance(type_, str) and (match := NUMBER.match(type_)):
        letter, width, order = match.groups()
        if letter == "b" and order not in (None, scope.bit_endian):
            yield "bit order", order
        elif letter != "b" and int(width) > 1:
            yield "order", order or "of the record"
        if "-lm-type" in attribute or "-codec" in attribute:
            yield "number", letter
    elif isinstance(type_, str) and type_ in COMPILERS_TEXTS:
        yield "text", type_
    elif isinstance(type_, str) and "(" in type_:
        yield "arguments", _text(type_[type_.index("(") :])


def _is_nested(type_: Any) -> bool:
    return isinstance(type_, str) and type_ not in COMPILERS_TEXTS and not NUMBER.match(type_)


def _case(scope: Scope, case: str) -> str:
    """The type of a case, with the id of its layout."""
    nested = scope.type_named(case)
    _, bracket, arguments = case.partition("(")
    return f"{nested.id}{bracket}{arguments}" if nested else case


def _texts(tree: dict[Any, Any], held: set[str] | frozenset[str] = frozenset()) -> dict[str, str]:
    return {str(key): _text(item) for key, item in tree.items() if key not in held}


def _text(value: Any) -> str:
    """A value of a spec as one line."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split())
