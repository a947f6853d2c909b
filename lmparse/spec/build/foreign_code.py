"""Foreign code: what a generated module has beyond what a parser needs.

A product is Python that is run. Its syntax tree may have statements, imports, calls and names from closed lists only,
so that a text of a spec that leaves its literal, or a name that means something else in Python, does not get into one.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Container, Iterable
from pathlib import Path

from lmparse.spec.build.parsers import RUNTIME, RUNTIME_NAMES

_MODULES = ("kaitaistruct", "collections", "struct")
_FROM = {(0, RUNTIME): (*RUNTIME_NAMES, "zlib"), (0, "enum"): ("IntEnum",)}
_WORDS = tomllib.loads(Path(__file__).with_name("parser_words.toml").read_text("utf-8"))
_FUNCTIONS = frozenset(_WORDS["functions"])
_BUILTINS = _FUNCTIONS | {*_MODULES, "KaitaiStruct", "IntEnum", "zlib", "property", "dict"}
_METHODS = frozenset(("__init__", "_read", "_read_le", "_read_be", "_fetch_instances", "__str__"))
_CALLED = _METHODS.union(_WORDS["called"])
_DUNDER = frozenset(("__init__", "__version__"))
_NODES = tuple(getattr(ast, name) for name in _WORDS["nodes"])


def foreign_in_parser(text: str, ids: Container[str], classes: Iterable[str]) -> str | None:
    """What a generated parser has that no parser needs, in words; None when there is nothing.

    `ids` are the specs that it may import, `classes` the names of their types and enumerations.
    """
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError) as error:
        return str(error)
    called = frozenset(classes)
    known = set(_BUILTINS) | called
    enums = [node for node in nodes if isinstance(node, ast.ClassDef) and [*map(_name, node.bases)] == ["IntEnum"]]
    members = {id(part) for enum in enums for node in enum.body if _is_member(node) for part in ast.walk(node)}
    nodes = [node for node in nodes if id(node) not in members]
    for node in nodes:
        if isinstance(node, ast.arg | ast.alias):
            known.add(node.arg if isinstance(node, ast.arg) else node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    for node in nodes:
        if what := _foreign(node, ids, called, known):
            return f"line {getattr(node, 'lineno', 1)}: {what}"
    return None


def _foreign(node: ast.AST, ids: Container[str], classes: frozenset[str], known: set[str]) -> str:
    """What is foreign in one node, without those below it; empty when nothing is."""
    match node:
        case ast.Import():
            is_known = all(one.name in _MODULES and not one.asname for one in node.names)
        case ast.ImportFrom():
            names = ids if (node.level, node.module) == (1, None) else _FROM.get((node.level, node.module or ""), ())
            is_known = all(one.name in names and not one.asname for one in node.names)
        case ast.ClassDef():
            bases = [*map(_name, node.bases)] in (["KaitaiStruct"], ["IntEnum"])
            is_known = bases and node.name in classes and not node.keywords and not node.decorator_list
        case ast.FunctionDef():
            is_instance = [*map(_name, node.decorator_list)] == ["property"] and not node.name.startswith("_")
            is_known = is_instance or (node.name in _METHODS and not node.decorator_list)
        case ast.Call():
            is_known = not node.keywords and _is_call_known(node, classes)
        case ast.Name():
            is_new = isinstance(node.ctx, ast.Store) and node.id in _BUILTINS
            is_known = node.id in known and not is_new
        case ast.Attribute():
            is_known = not node.attr.startswith("__") or node.attr in _DUNDER
        case _:
            is_known = isinstance(node, _NODES)
    return "" if is_known else f"{type(node).__name__} {ast.unparse(node)[:60]!r}"


def _is_call_known(node: ast.Call, classes: frozenset[str]) -> bool:
    arguments = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
    if isinstance(node.func, ast.Attribute):
        if node.func.attr == "pack":  # a list of bytes that are not all constant
            return _name(node.func.value) == "struct" and bool(re.fullmatch("[0-9]+B", str([*arguments, ""][0])))
        return node.func.attr in _CALLED or node.func.attr in classes
    name = _name(node.func)
    if name in ("getattr", "hasattr"):
        attribute = arguments[1] if len(arguments) > 1 else None
        return isinstance(attribute, str) and attribute.isidentifier() and not attribute.startswith("__")
    return name in _FUNCTIONS or name in classes


def _is_member(node: ast.stmt) -> bool:
    """Whether a statement of an enumeration is `name = 1`, or `vars()["not"] = 1` for a keyword."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant | ast.UnaryOp):
        return False
    number = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
    target = ast.unparse(node.targets[0])
    is_named = target.isidentifier() or bool(re.fullmatch(r"vars\(\)\['[a-z]+'\]", target))
    return isinstance(number, ast.Constant) and type(number.value) is int and len(node.targets) == 1 and is_named


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
