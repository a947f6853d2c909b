"""Names: keeps the names in a spec as they are written, where YAML makes something else of them.

`true`, `off` and `yes` are names like others to Kaitai Struct, and YAML reads them as truth values. `1` and `0x1` are
two keys to YAML, and the same number to an enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from lmparse.spec.build.shape import Finding, enum_number

_YAML = "tag:yaml.org,2002:"
_BOOL, _TEXT = f"{_YAML}bool", f"{_YAML}str"
_NAMED = ("types", "instances", "enums")
"""Sections whose keys are names."""
_LISTED = ("params", "seq")
_NAMING = ("id", "type", "enum")
"""Keys of an attribute, of a member and of `meta` whose values are names."""


def keep_names(root: yaml.Node) -> bool:
    """Make texts of the names in a spec that YAML reads as truth values; returns whether there were any."""
    found = [node for node in _names(root) if node.tag == _BOOL]
    for node in found:
        node.tag = _TEXT
    return bool(found)


def constructed(root: yaml.Node) -> Any:
    """The values of the nodes of a document."""
    return yaml.SafeLoader("").construct_document(root)


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
        number = enum_number(yaml.safe_load(key.value) if key.tag == f"{_YAML}int" else key.value)
        if number is not None and number in seen:
            yield f"{where}/{key.value}", f"{key.value} is the same number as {seen[number]}"
        elif number is not None:
            seen[number] = key.value
