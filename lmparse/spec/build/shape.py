"""Shape: checks what must be true of every spec before its meaning can be checked.

The compiler stops at the first fault and reports no lines; here all faults are found, with their positions, and
without the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

Finding = tuple[str, str]
"""Path in the spec, and message."""
TOO_DEEP: Finding = ("/types", "types are in one another too deep to be followed")
"""The finding where a spec has more types in one another than Python has calls."""

_SECTIONS = {"meta": dict, "params": list, "seq": list, "instances": dict, "types": dict, "enums": dict}
_TEXTS = ("id", "enum", "-codec", "-unit", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source")
_INT64 = range(-(1 << 63), 1 << 63)
_YAML = "tag:yaml.org,2002:"
_BOOL, _TEXT, _INT = (f"{_YAML}{name}" for name in ("bool", "str", "int"))
_NAMED = ("types", "instances", "enums")
"""Sections whose keys are names."""
_LISTED = ("params", "seq")
_NAMING = ("id", "type", "enum")
"""Keys of an attribute, of a member and of `meta` whose values are names."""


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


# -- names ----------------------------------------------------------------------------------

# `true`, `off` and `yes` are names like others to Kaitai Struct, and YAML reads them as truth values. `1` and `0x1` are
# two keys to YAML, and the same number to an enumeration.


def keep_names(root: yaml.Node) -> bool:
    """Make texts of the names in a spec that YAML reads as truth values; returns whether there were any."""
    found = [node for node in _names(root) if node.tag == _BOOL]
    for node in found:
        node.tag = _TEXT
    return bool(found)


def _names(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """The names in a spec, or in a type."""
    for key, value in _pairs(node):
        if key.value == "meta":
            yield from _naming(value)
        elif key.value in _LISTED and isinstance(value, yaml.SequenceNode):
            for item in value.value:
                yield from _naming(item)
        elif key.value in _NAMED:
            for name, item in _pairs(value):
                yield name
                yield from _inside(key.value, item)


def _inside(section: str, item: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if section == "types":
        yield from _names(item)
    elif section == "instances":
        yield from _naming(item)
    else:
        for _, member in _pairs(item):
            yield from [member] if isinstance(member, yaml.ScalarNode) else _naming(member)


def _naming(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    for key, value in _pairs(node):
        if key.value in _NAMING and isinstance(value, yaml.ScalarNode):
            yield value


def _pairs(node: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]


def same_numbers(node: yaml.Node, where: str = "") -> Iterator[Finding]:
    """The keys of enumerations that are a number which another key is, too; of these YAML keeps the last."""
    for key, value in _pairs(node):
        if key.value == "types":
            for name, item in _pairs(value):
                yield from same_numbers(item, f"{where}/types/{name.value}")
        elif key.value == "enums":
            for name, item in _pairs(value):
                yield from _same_numbers(item, f"{where}/enums/{name.value}")


def _same_numbers(node: yaml.Node, where: str) -> Iterator[Finding]:
    seen: dict[int, str] = {}
    for key, _ in _pairs(node):
        number = enum_number(yaml.safe_load(key.value) if key.tag == _INT else key.value)
        if number is not None and number in seen:
            yield f"{where}/{key.value}", f"{key.value} is the same number as {seen[number]}"
        elif number is not None:
            seen[number] = key.value
