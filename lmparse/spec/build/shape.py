"""Shape: checks what must be true of every spec before its meaning can be checked.

The compiler stops at the first fault and reports no lines; here all faults are found, with their positions, and
without the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Finding = tuple[str, str]
"""Path in the spec, and message."""
TOO_DEEP: Finding = ("/types", "types are in one another too deep to be followed")
"""The finding where a spec has more types in one another than Python has calls."""

_SECTIONS = {"meta": dict, "params": list, "seq": list, "instances": dict, "types": dict, "enums": dict}
_TEXTS = ("id", "enum", "-codec", "-unit", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source")
LARGEST_EXACT = 1 << 53
"""Largest number that the compiler, a program in JavaScript, represents exactly."""
_INT64 = range(-(1 << 63), 1 << 63)


def misshapen(tree: dict[Any, Any], where: str = "") -> Iterator[Finding]:
    """Sections of a spec, and of the types inside it, that do not have the form their name requires."""
    yield from _texts(where, tree)
    for name, kind in _SECTIONS.items():
        section = tree.get(name, kind())
        if not isinstance(section, kind):
            yield f"{where}/{name}", f"{name} must be a {'list' if kind is list else 'mapping of keys'}"
        elif name == "meta":
            yield from _imports(f"{where}/meta", section)
        else:
            items = section.items() if isinstance(section, dict) else enumerate(section)
            for key, item in items:
                if isinstance(section, dict) and not isinstance(key, str):
                    yield f"{where}/{name}/{key}", f"{key!r} is not a name; quote it"
                yield from _item(name, f"{where}/{name}/{key}", item)


def _imports(where: str, meta: dict[str, Any]) -> Iterator[Finding]:
    imports = import_names(meta)
    if not isinstance(imports, list):
        yield f"{where}/imports", "imports must be a text or a list of texts"
        return
    for number, name in enumerate(imports):
        if not isinstance(name, str):
            yield f"{where}/imports/{number}", "an import must be a text"


def _item(section: str, where: str, item: Any) -> Iterator[Finding]:
    if not isinstance(item, dict):
        yield where, "expected a mapping of keys"
    elif section == "types":
        yield from misshapen(item, where)
    elif section == "enums":
        for key, entry in item.items():
            yield from _member(f"{where}/{key}", key, entry)
    else:
        yield from _texts(where, item)
        yield from _type(f"{where}/type", item.get("type", ""))
        if section == "params" and "id" not in item:
            yield where, "a parameter needs an id"


def _type(where: str, type_: Any) -> Iterator[Finding]:
    if isinstance(type_, dict):
        if not isinstance(type_.get("cases"), dict):
            yield where, "a type that switches needs cases, a mapping of keys"
            return
        for key, case in type_["cases"].items():
            if not isinstance(case, str):
                yield f"{where}/cases/{key}", "a case is the name of a type"
    elif not isinstance(type_, str):
        yield where, f"{type_!r} is not a type; quote it"


def _member(where: str, key: Any, entry: Any) -> Iterator[Finding]:
    number = enum_number(key)
    if number is None:
        yield where, f"{key!r} is not a whole number"
    elif number not in _INT64:
        yield where, "the compiler takes no number of more than 63 bits here"
    if isinstance(entry, dict):
        yield from _texts(where, entry)
    name = entry.get("id") if isinstance(entry, dict) else entry
    if name is None or (not isinstance(name, str) and name is entry):
        yield where, f"{name!r} is not a name; quote it"


def _texts(where: str, tree: dict[str, Any]) -> Iterator[Finding]:
    for key in _TEXTS:
        if key in tree and not isinstance(tree[key], str):
            yield f"{where}/{key}", f"{tree[key]!r} is not text; quote it"
    if not all(isinstance(name, str) for name in orig_ids(tree)):
        yield f"{where}/-orig-id", f"{tree['-orig-id']!r} is not text; quote it"
    if type(tree.get("-scale", 0)) is not int:
        yield f"{where}/-scale", "-scale must be a whole number"


def import_names(meta: dict[str, Any]) -> Any:
    """The names of what a spec imports, of which one alone need not be a list."""
    names = meta.get("imports", [])
    return [names] if isinstance(names, str) else names


def orig_ids(tree: dict[str, Any]) -> list[Any]:
    """The vendor's names in `-orig-id`, which by Kaitai's convention may be a list."""
    names = tree.get("-orig-id", [])
    return names if isinstance(names, list) else [names]


def enum_number(key: Any) -> int | None:
    """The value of a key of an enumeration, None when it is not a number; large values are written as text."""
    if isinstance(key, str):
        try:
            return int(key, 0)
        except ValueError:
            return None
    return key if type(key) is int else None
