"""Parsers: turns the compiler's text into a module for lmparse's runtime, see `step_budget`.

The statements stay unchanged, with four exceptions. Imports of the runtime are replaced. Numbers of items that depend
on the data are checked, because Python counts negative numbers from the end. Members of enumerations may have Python
keywords as names. Debug parsers note where bit fields and conditions begin. The syntax tree gives all places, so text
of the spec is never taken for code.

A product is Python code that runs. Closed lists limit its statements, imports, calls and names. A text of a spec that
leaves its literal, or a name with another meaning in Python, therefore cannot enter a product.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
import tomllib
from collections.abc import Container, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from lmparse.spec.build.specs import SpecFile

RUNTIME = "lmparse.spec.step_budget"
RUNTIME_NAMES = ("KaitaiStruct", "KaitaiStream", "BytesIO", "from_zero", "range")
_LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
"""Where a line of Python ends; str.splitlines knows further line ends."""
_STARTS = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_COMPILERS_LIST = re.compile(r"self\._(?:debug|raw)_?").match
"""Lists made by the compiler, which its code reads from the end."""
_BYTES_OF_ITEM = re.compile(r"self\._raw_\w+\[i\]").fullmatch

_Edit = tuple[int, int, int, str]
"""Line, first byte and byte behind the last byte to replace, and the new text."""
_MODULES = ("kaitaistruct", "collections", "struct")
_FROM = {(0, RUNTIME): (*RUNTIME_NAMES, "zlib"), (0, "enum"): ("IntEnum",)}
_WORDS = tomllib.loads(Path(__file__).with_name("parser_words.toml").read_text("utf-8"))
_FUNCTIONS = frozenset(_WORDS["functions"])
_BUILTINS = _FUNCTIONS | {*_MODULES, "KaitaiStruct", "IntEnum", "zlib", "property", "dict"}
_METHODS = frozenset(("__init__", "_read", "_read_le", "_read_be", "_fetch_instances", "__str__"))
_CALLED = _METHODS.union(_WORDS["called"])
_DUNDER = frozenset(("__init__", "__version__"))
_NODES = tuple(getattr(ast, name) for name in _WORDS["nodes"])


def parser_module(spec: SpecFile, text: str, imported: Iterable[str], *, is_debug: bool) -> str:
    """The module of a spec from the compiler's text; `imported` are the ids of the specs that it may import.

    Raises SyntaxError.
    """
    body = text.split("\n", 1)[1] if text.startswith("# This is a generated file!") else text
    tree = ast.parse(body := with_keywords(body))
    edits = [*_imports(tree, {*imported}), *_items(tree), *(_debug_notes(tree) if is_debug else ())]
    lines = [line.encode() for line in _LINE_END.split(body)]
    for line, start, stop, new in sorted(edits, reverse=True):
        lines[line - 1] = lines[line - 1][:start] + new.encode() + lines[line - 1][stop:]
    module = b"".join(lines).decode()
    compile(module, f"{spec.id}.py", "exec")
    return module


def _imports(tree: ast.Module, imported: set[str]) -> Iterator[_Edit]:
    """Yield edits that import the runtime from lmparse, and other specs from the same package."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "kaitaistruct":
            new = f"from {RUNTIME} import {', '.join(RUNTIME_NAMES)}"
        elif isinstance(node, ast.Import) and node.names[0].name == "zlib":
            new = f"from {RUNTIME} import zlib"
        elif isinstance(node, ast.Import) and node.names[0].name in imported:
            new = f"from . import {node.names[0].name}"
        else:
            continue
        yield node.lineno, node.col_offset, node.end_col_offset or 0, new


def _items(tree: ast.Module) -> Iterator[_Edit]:
    """Yield edits that check the numbers of items that depend on the data. The bytes of the current item are the last
    bytes read, not those at the item's number, because other items may have none (kaitai_struct#494)."""
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Subscript) and _BYTES_OF_ITEM(ast.unparse(node)):
            yield node.slice.lineno, node.slice.col_offset, node.slice.end_col_offset or 0, "-1"
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            found = [node.slice.lower, node.slice.upper] if isinstance(node.slice, ast.Slice) else [node.slice]
            found = [] if _COMPILERS_LIST(ast.unparse(node.value)) else found
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found = [node.args[1]] if node.func.attr == "byte_array_index" else []
        # The compiler writes -1 only for `.last`, because the build refuses negative numbers in specs.
        is_part = isinstance(getattr(node, "slice", None), ast.Slice)
        known = ("i",) if is_part else ("i", "-1")
        for one in found:
            if one is not None and not isinstance(one, ast.Constant) and ast.unparse(one) not in known:
                yield one.lineno, one.col_offset, one.col_offset, "from_zero("
                yield one.end_lineno or 0, one.end_col_offset or 0, one.end_col_offset or 0, ")"


def _debug_notes(tree: ast.Module) -> Iterator[_Edit]:
    """Yield edits for debug parsers: note a field in front of its condition, for errors in the condition; and note that
    a bit field begins in the byte before the next whole byte, which the compiler notes."""
    nodes = [*ast.walk(tree)]
    others = [node.orelse[0] for node in nodes if isinstance(node, ast.If) and node.orelse]  # it may be an elif
    for node in nodes:
        body: list[ast.stmt] = getattr(node, "body", [])
        is_condition = isinstance(node, ast.If) and node not in others
        if isinstance(node, ast.If) and is_condition and len(body) > 1 and isinstance(body[0], ast.Pass):
            noted = re.match(r"self\._debug\['((?!_m_)\w+)'\]\['start'\]", ast.unparse(body[1]))
            if noted:
                new = f"self._debug['{noted[1]}'] = {{}}\n{' ' * node.col_offset}"
                yield node.lineno, node.col_offset, node.col_offset, new
        for block in (body, getattr(node, "orelse", [])):
            for first, second in pairwise(block if isinstance(block, list) else []):
                is_read = isinstance(second, ast.Assign | ast.Expr) and ".read_bits_int_" in ast.unparse(second)
                if is_read and isinstance(first, ast.Assign | ast.Expr) and "'start'" in ast.unparse(first):
                    for call in ast.walk(first):
                        if isinstance(call, ast.Call) and ast.unparse(call.func) == "self._io.pos":
                            end = call.end_col_offset or 0
                            yield call.end_lineno or 0, end, end, " - (self._io.bits_left > 0)"


def with_keywords(text: str) -> str:
    """A parser with valid Python for members of enumerations that are keywords.

    `not = 1` becomes `vars()["not"] = 1`, and `Kind.not` becomes `Kind["not"]`.
    """
    try:
        ast.parse(text)
    except SyntaxError:
        pass
    else:
        return text
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for number in range(len(tokens) - 2, 1, -1):  # from the end, so that earlier places stay
        token, before = tokens[number], tokens[number - 1]
        if token.type != tokenize.NAME or not keyword.iskeyword(token.string):
            continue
        line, end = token.start[0] - 1, token.end[1]
        if before.string == "." and tokens[number - 2].string != "from":
            place, new = before.start[1], f'["{token.string}"]'
        elif before.type in _STARTS and tokens[number + 1].string == "=":
            place, new = token.start[1], f'vars()["{token.string}"]'
        else:
            continue
        lines[line] = lines[line][:place] + new + lines[line][end:]
    return "".join(lines)


# -- what is refused -----------------------------------------------------------------------


def foreign_in_parser(text: str, ids: Container[str], classes: Iterable[str]) -> str | None:
    """Code in a generated parser that no parser needs, in words; None if there is none.

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
    """Foreign code in one node, without its inner nodes; empty if there is none."""
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
