"""Docs apart: changes the code of a parser without its docstrings, whose lines may look like lines of code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
"""Where a line of Python ends; str.splitlines knows more ends."""
_KEPT = re.compile(r'(?m)^ *"""([0-9]+)"""\n')


def changed_apart_from_docs(text: str, change: Callable[[str], str]) -> str:
    """The text of a parser with a change in all but its docstrings; one that is not Python is changed as a whole."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return change(text)  # the build says so
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    lines = LINE_END.split(text)
    kept: list[str] = []
    for node in sorted(found, key=lambda node: node.lineno, reverse=True):
        place = slice(node.lineno - 1, node.end_lineno)
        kept.append("".join(lines[place]))
        lines[place] = [f'{" " * node.col_offset}"""{len(kept) - 1}"""\n']
    return _KEPT.sub(lambda found: kept[int(found[1])], change("".join(lines)))
