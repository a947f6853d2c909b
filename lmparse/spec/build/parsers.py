"""Parsers: the compiler's text as a module that is run on lmparse's runtime, see `step_budget`.

Its statements stay as they are. Imports of the runtime are exchanged; the number of an item that depends on the data is
checked, since Python counts numbers below zero from the end; members of enumerations may have names that are keywords
of Python; and debug parsers note where a bit field and a condition begin. All places come from the syntax tree, so that
no text of the spec is taken for code.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator
from itertools import pairwise

from lmparse.spec.build.specs import SpecFile

RUNTIME = "lmparse.spec.step_budget"
RUNTIME_NAMES = ("KaitaiStruct", "KaitaiStream", "BytesIO", "from_zero", "range")
_LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
"""Where a line of Python ends; str.splitlines knows more ends."""
_STARTS = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_COMPILERS_LIST = re.compile(r"self\._(?:debug|raw)_?").match
"""Lists that the compiler made, which it reads from the end."""
_BYTES_OF_ITEM = re.compile(r"self\._raw_\w+\[i\]").fullmatch

_Edit = tuple[int, int, int, str]
"""Line, first byte and byte behind the last one of what is replaced in it, and the text in its place."""


def parser_module(spec: SpecFile, text: str, imported: Iterable[str], *, is_debug: bool) -> str:
    """The module of the compiler's text of a spec; `imported` are the ids of the specs that it may import.

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
    """Imports of the runtime from lmparse, and of other specs from the same package."""
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
    """Checks of the numbers of items of lists and texts that depend on the data; and the bytes of the item that is read
    are the last ones that were read, not those of its number, since other items may have none (kaitai_struct#494)."""
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Subscript) and _BYTES_OF_ITEM(ast.unparse(node)):
            yield node.slice.lineno, node.slice.col_offset, node.slice.end_col_offset or 0, "-1"
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            found = [node.slice.lower, node.slice.upper] if isinstance(node.slice, ast.Slice) else [node.slice]
            found = [] if _COMPILERS_LIST(ast.unparse(node.value)) else found
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found = [node.args[1]] if node.func.attr == "byte_array_index" else []
        # The compiler writes -1 for `.last` alone: the build refuses specs that state a number below zero.
        is_part = isinstance(getattr(node, "slice", None), ast.Slice)
        known = ("i",) if is_part else ("i", "-1")
        for one in found:
            if one is not None and not isinstance(one, ast.Constant) and ast.unparse(one) not in known:
                yield one.lineno, one.col_offset, one.col_offset, "from_zero("
                yield one.end_lineno or 0, one.end_col_offset or 0, one.end_col_offset or 0, ")"


def _debug_notes(tree: ast.Module) -> Iterator[_Edit]:
    """Notes of a debug parser: a field is noted in front of the condition on which it is there, for errors in this; and
    a bit field begins in the byte before the next whole one, which the compiler notes."""
    nodes = [*ast.walk(tree)]
    others = [node.orelse[0] for node in nodes if isinstance(node, ast.If) and node.orelse]  # they may be an elif
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
    """A parser with members of enumerations that are keywords of Python in a form that Python takes.

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
    for number in range(len(tokens) - 2, 1, -1):  # from the end, so that places before it stay
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
