"""The bare reader: the values of a record by the generated parser and the tree of the `.ksy` alone.

It shares nothing with lmparse but the compiler's output: which attributes a type has is taken from the spec as text.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from kaitaistruct import KaitaiStream, KaitaiStruct

from constructs import numbers_by_hand
from constructs.numbers_by_hand import BadNumberError

Tree = dict[str, Any]
ANYTHING = object()
"""The value of a type that lmparse reads as one value."""


@dataclass
class Rests:
    """The fields of the kind `rest` that have no bytes, in the order in which they are read."""

    left: bytes = b""
    """What one of them gets."""
    which: int = 0
    """The number of that one."""
    empty: int = 0
    """How many there were so far."""

    def next(self) -> bytes | None:
        """The value of the next one: null if it has no bytes."""
        self.empty += 1
        return (self.left or None) if self.empty - 1 == self.which else None


class BareReader:
    """Reads records of one spec that was built into a folder."""

    def __init__(self, ksy: Path, out: Path, circles: Sequence[str] = ()) -> None:
        self.circles = circles
        """Instances that lead in a circle forever."""
        self.bad = 0
        """Values of the record that was read last that are not numbers of their kind; they are None."""
        self.rests = Rests()
        self.package = out.name
        self._trees: dict[str, Tree] = {}
        self._folder = ksy.parent
        self.tree = self.spec(ksy.stem)
        sys.path.insert(0, str(out.parent))
        try:
            module = importlib.import_module(f"{out.name}.{ksy.stem}")
        finally:
            sys.path.remove(str(out.parent))
        self._parser = getattr(module, _class_name(ksy.stem))

    def spec(self, name: str) -> Tree:
        """The text of the spec or of one that it imports, by the name of its file."""
        if name not in self._trees:
            self._trees[name] = yaml.safe_load((self._folder / f"{name}.ksy").read_text())
        return self._trees[name]

    def read(self, raw: bytes) -> Tree:
        """The values of a record by name. Raises what the parser raises."""
        return self.read_from(KaitaiStream(BytesIO(raw)))

    def read_from(self, stream: KaitaiStream) -> Tree:
        """The same of a record in a stream."""
        self.bad = self.rests.empty = 0
        parsed = self._parser(stream)
        return self._values(parsed, self.tree)

    def accepts(self, raw: bytes) -> bool:
        """Whether a record has no error and no value that is not a number of its kind."""
        try:
            self.read(raw)
        except Exception:
            return False
        return not self.bad

    def _values(self, parsed: Any, tree: Tree) -> Tree:
        found: Tree = {}
        for name, attribute in (*attributes(tree), *calculated(tree)):
            if attribute.get("-lm-column") is False or name in self.circles:
                continue
            if "value" in attribute:
                self._calculate(parsed, name, found)
                continue
            # An instance is a property; a field that a record does not have is not there.
            is_instance = name in tree.get("instances", {})
            raw = getattr(parsed, name) if is_instance else getattr(parsed, name, None)
            value = self._value(raw, attribute)
            if attribute.get("-lm-type") == "body":
                found |= value or {}
            else:
                found[name] = value
        return found

    def _calculate(self, parsed: Any, name: str, found: Tree) -> None:
        """Add a calculated value, if it is one and not another object."""
        try:
            value = getattr(parsed, name)
        except Exception:
            self.bad += 1
            found[name] = None
            return
        items = value if isinstance(value, list) else [value]
        if not any(isinstance(one, KaitaiStruct | KaitaiStream) for one in items):
            found[name] = [plain(one) for one in value] if isinstance(value, list) else plain(value)

    def _value(self, value: Any, attribute: Tree) -> Any:
        if isinstance(value, list):
            return [self._value(item, attribute) for item in value]
        if attribute.get("-lm-type") == "rest":
            return value or self.rests.next()
        if isinstance(value, bytes) and attribute.get("-lm-type") in numbers_by_hand.KINDS:
            return self._number(attribute["-lm-type"], value, attribute)
        if isinstance(value, bytes) and "-codec" in attribute:
            page = attribute["-codec"]
            return value.decode("cp037" if page in ("ebcdic", "database") else page).rstrip(" ")
        if isinstance(value, int) and "-scale" in attribute:
            return numbers_by_hand.with_scale(int(value), attribute["-scale"])
        if not isinstance(value, KaitaiStruct):
            return plain(value)
        tree, endian = self._tree_of(value)
        if tree.get("-lm-type") in numbers_by_hand.KINDS:
            raw = b"".join(_bytes_of(getattr(value, name), part, endian) for name, part in attributes(tree))
            return self._number(tree["-lm-type"], raw, attribute)
        return ANYTHING if "-lm-type" in tree else self._values(value, tree)

    def _tree_of(self, value: KaitaiStruct) -> tuple[Tree, Any]:
        """The text of the type of an object, and its byte order."""
        tree = self.spec(type(value).__module__.rpartition(".")[2])
        endian = tree["meta"].get("endian")
        for name in type(value).__qualname__.split(".")[1:]:
            tree = next(inner for key, inner in tree["types"].items() if _class_name(key) == name)
            endian = tree.get("meta", {}).get("endian", endian)
        return tree, endian

    def _number(self, kind: str, raw: bytes, attribute: Tree) -> Any:
        try:
            number = numbers_by_hand.read(kind, raw, attribute.get("-codec", "cp037"))
        except BadNumberError:
            self.bad += 1
            return None
        return numbers_by_hand.with_scale(number, attribute.get("-scale", 0))


def _bytes_of(part: Any, attribute: Tree, endian: str) -> bytes:
    """The bytes of a part of a type that is one value."""
    if isinstance(part, bytes):
        return part
    type_ = attribute["type"]
    order = type_[2:] or endian
    return int(part).to_bytes(int(type_[1]), "little" if order == "le" else "big")


def attributes(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Names and texts of what a type reads, in order; not what it computes."""
    for number, attribute in enumerate(tree.get("seq", [])):
        yield attribute.get("id", f"_unnamed{number}"), attribute
    for name, instance in tree.get("instances", {}).items():
        if "value" not in instance:
            yield name, instance


def calculated(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Names and texts of what a type calculates."""
    return ((name, instance) for name, instance in tree.get("instances", {}).items() if "value" in instance)


def plain(value: Any) -> Any:
    """A parsed value; the member of an enumeration by its word."""
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
