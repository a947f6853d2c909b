"""Traced parsers: generated parsers that note where each field stood.

The layout knows the place of a field only up to the first part of varying length. Behind it the parser
alone can say where a field begins. Its source is compiled once more, with a note of the stream's position
on both sides of every field; nothing else of it differs, not even the numbers of its lines.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.spec.catalog import Spec, class_name

Place = tuple[int, int | None]
"""Offsets of a field in the stream it is read from: its first byte, and the byte behind its last one.
The second is None when the parser stopped inside."""

_READS = ("_read", "_read_le", "_read_be")
_RAW = "_raw_"
"""In front of the name of a field that has a stream of its own, the bytes of that stream stand under this."""
_OWN_STREAM = "_io_"
"""Local names of such streams begin with this."""


def places_of(parsed: KaitaiStruct, name: str) -> list[Place]:
    """Where a field of an object of a traced parser stood: one place, or one for each item of a list."""
    noted: dict[str, list[list[int | None]]] = vars(parsed).get("_places", {})
    return [(start, end) for start, end in noted.get(name, ()) if start is not None]


@cache
def _traced(package: str, spec_id: str) -> Any:
    return getattr(_load(package, spec_id), class_name(spec_id))


def traced(spec: Spec) -> Spec:
    """The same spec with a parser that notes places."""
    package = sys.modules[spec.parser.__module__].__package__ or ""
    return replace(spec, parser=_traced(package, spec.id))


def _load(package: str, spec_id: str) -> ModuleType:
    """Make the traced module of a spec, after those that it imports."""
    holder = f"{package}__traced"
    if holder not in sys.modules:
        sys.modules[holder] = ModuleType(holder)
    name = f"{holder}.{spec_id}"
    if name in sys.modules:
        return sys.modules[name]
    found = importlib.util.find_spec(f"{package}.{spec_id}")
    assert found is not None
    assert found.origin is not None
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    module = ModuleType(name)
    module.__package__, module.__file__ = holder, found.origin
    sys.modules[name] = module
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                _load(package, alias.name)
    noted = ast.fix_missing_locations(_Notes().visit(tree))
    vars(module).update(_lm_begin=_begin, _lm_end=_end)
    exec(compile(noted, found.origin, "exec"), vars(module))
    return module


def _begin(parsed: Any, name: str) -> None:
    stream = parsed._io
    # A field of bits may begin inside the byte that was read last.
    start = stream.pos() - (1 if stream.bits_left else 0)
    vars(parsed).setdefault("_places", {}).setdefault(name, []).append([start, None])


def _end(parsed: Any, name: str) -> None:
    parsed._places[name][-1][1] = parsed._io.pos()


class _Notes(ast.NodeTransformer):
    """Puts a note in front of each statement that reads a field, and one behind it."""

    def __init__(self) -> None:
        self._inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in _READS:
            self._inside = True
            self.generic_visit(node)
            self._inside = False
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._noted(node, node.targets[0], node.value)

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            return self._noted(node, call.func.value, call.args[0])
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """A list that ends where the data says: each item is read into a name of its own, then appended."""
        body: list[ast.stmt] = []
        for first, second in zip_longest(node.body, node.body[1:]):
            name = _appended(first, second) if self._inside else ""
            body.append(first)
            if name:
                body[-1:] = [_note("_lm_begin", name, first), first, _note("_lm_end", name, first)]
        node.body = body
        self.generic_visit(node)
        return node

    def _noted(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Any:
        if not (self._inside and isinstance(target, ast.Attribute) and _is_self(target.value)) or not _reads(value):
            return node
        name = target.attr.removeprefix(_RAW)
        if name.startswith("_"):
            return node
        return [_note("_lm_begin", name, node), node, _note("_lm_end", name, node)]


def _appended(first: ast.stmt, second: ast.stmt | None) -> str:
    """The list that an item is for which one statement reads and the next one appends; empty for all others."""
    is_read = isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name) and _reads(first.value)
    call = second.value if isinstance(second, ast.Expr) else None
    if not (is_read and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return ""
    of = call.func.value
    is_item = call.func.attr == "append" and isinstance(call.args[0], ast.Name)
    return of.attr if is_item and isinstance(of, ast.Attribute) and _is_self(of.value) else ""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _reads(value: ast.expr) -> bool:
    """Whether a value is read from the object's own stream; the bytes of another one were noted when they were cut."""
    if isinstance(value, ast.Compare):  # a single bit: whether it is not zero
        value = value.left
    if not isinstance(value, ast.Call):
        return False
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return not any(name.startswith(_OWN_STREAM) for name in names)


def _note(function: str, name: str, like: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(function, ast.Load()), [ast.Name("self", ast.Load()), ast.Constant(name)], [])
    return ast.copy_location(ast.Expr(call), like)
