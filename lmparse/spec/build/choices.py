"""Choices: what a field may be whose type switches, one choice for each kind of value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from lmparse.spec.build.scopes import COMPILERS_TEXTS, NUMBER, Scope, number_kind
from lmparse.spec.layout import Field

WHOLE = ("uint", "int")
UNLISTED = "unlisted"
"""Id of the choice for values without a case."""


def choices(scope: Scope, attribute: dict[str, Any], nested: Callable[[Scope], Field]) -> tuple[Field, ...]:
    """The choices of an attribute whose type switches, in the order of its cases.

    `nested` makes the field of a type. Numbers are one choice, with the type that holds all of them.
    """
    cases = attribute["type"]["cases"]
    found: dict[str, Field] = {}
    for name in map(str, cases.values()):
        entry = _choice(scope, name, nested)
        found.setdefault(entry.type or entry.id, entry)
    if "_" not in cases and ("size" in attribute or attribute.get("size-eos")):
        found[UNLISTED] = Field(UNLISTED, None, None, "variable")
    return _distinct(_merged(_merged(found.values(), WHOLE), ("float",)))


def _choice(scope: Scope, name: str, nested: Callable[[Scope], Field]) -> Field:
    match = NUMBER.match(name)
    if match:
        width = -(-int(match[2]) // 8) if match[1] == "b" else int(match[2])
        return Field(name, None, None, number_kind(match), number_width=width)
    if name in COMPILERS_TEXTS:
        return Field("str", None, None, "str")
    inner = scope.type_named(name)
    if inner is None:
        return Field(name, None, None, "variable")
    return replace(nested(inner), id=inner.id.rpartition(".")[2])


def _merged(entries: Iterable[Field], kinds: tuple[str, ...]) -> list[Field]:
    """The entries, with one in place of all numbers of some kinds."""
    entries = list(entries)
    numbers = [entry for entry in entries if entry.kind in kinds and entry.type is None]
    if len(numbers) < 2:
        return entries
    signed = [entry.number_width or 0 for entry in numbers if entry.kind != "uint"]
    unsigned = [entry.number_width or 0 for entry in numbers if entry.kind == "uint"]
    # A signed number that holds an unsigned one has a bit more, and numbers have 1, 2, 4 or 8 bytes.
    width = max((*signed, *(2 * width for width in unsigned))) if signed else max(unsigned)
    one = replace(numbers[0], id=kinds[-1], kind=kinds[-1] if signed else "uint", number_width=width)
    at = entries.index(numbers[0])
    return [entry for entry in (*entries[:at], one, *entries[at:]) if entry is one or entry not in numbers]


def _distinct(entries: list[Field]) -> tuple[Field, ...]:
    """The entries under ids that differ: types of other types have the ids of these in front."""
    ids = [entry.id for entry in entries]
    found: dict[str, Field] = {}
    for entry in entries:
        name = entry.type.replace(".", "_") if entry.type and ids.count(entry.id) > 1 else entry.id
        while name in found:
            name += "_"
        found[name] = replace(entry, id=name)
    return tuple(found.values())
