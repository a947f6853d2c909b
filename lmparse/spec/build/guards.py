"""Guards: calls that the build step puts into the compiler's text, so that no data make a parser hang or misread."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from lmparse.spec.build.docs_apart import LINE_END
from lmparse.spec.build.multiplying import IdleRepeats

GUARDS: dict[str, tuple[str, ...]] = {
    "lmparse.spec.budgets": ("copying", "stepping"),
    "lmparse.spec.indexing": ("from_zero",),
    "lmparse.spec.repeats": ("advancing", "descending"),
    "lmparse.spec.restoring": ("rotating", "unpacking", "xoring"),
}
"""The functions that are called, by their module."""
_LINE = r"(?m)^( +(?:_ = |self\.\w+(?:\[\w+\])? = |self\.\w+\.append\())"
"""The beginning of a line that reads a field or an item, `_` where the item decides whether it is the last."""
_PROCESSES = {
    r"zlib\.decompress": "unpacking",
    r"KaitaiStream\.process_xor_(?:many|one)": "xoring",
    r"KaitaiStream\.process_rotate_left": "rotating",
}
_AGAIN = re.compile(r"(?m)^( +)_pos = (\S+)\.pos\(\)\n\1\2\.seek\(.*\)\n")
_BACK = re.compile(r"(?m)^( +)(\S+)\.seek\(_pos\)\n")
_COPY = re.compile(r"(?m)^( +_io_\w+ = KaitaiStream\()BytesIO\(")
"""A type whose bytes are taken out of those around it."""
_CONDITION = re.compile(r"(?m)^( +)(if .*:\n\1    pass\n\1    self\._debug\['((?!_m_)\w+)'\]\['start'\])")
_INDEX = re.compile(r"(?<!\['arr'\])\[(?!i\]|\]|'|\"|u'|u\"|\d+\])|byte_array_index")
"""What may be a subscript that is not a constant or the number of the item; `arr` has the items that are noted."""
_COMPILERS_OWN = re.compile(r"self\._(?:debug|raw)_?").match
"""Lists that the compiler made, which it reads from the end."""


class Guards(NamedTuple):
    """Which guards a parser needs."""

    repeats: IdleRepeats
    is_counted: bool
    """Whether its objects, and what its instances read, are counted."""
    is_recursive: bool
    """Whether a type is inside itself."""


def guarded(text: str, guards: Guards) -> str:
    """The text of a parser, whose loops, types and expressions end or have an error whatever the data."""
    for name in sorted(guards.repeats.claimed):
        text = _in_loop(text, name, "advancing({})")
    for name in sorted(guards.repeats.listed):
        text = _in_loop(text, name, "stepping()")
    if guards.is_counted:
        text = _at_start(text, "stepping()")
        text = _AGAIN.sub(r"\g<0>\1_begin = \2.pos()\n", text)
        text = _BACK.sub(r"\1stepping(\2.pos() - _begin)\n\g<0>", text)
    if guards.is_recursive:
        text = _COPY.sub(r"\1copying(", _at_start(text, "descending()"))
    for name, ours in _PROCESSES.items():
        text = re.sub(rf"{_LINE}{name}\(", rf"\1{ours}(", text)
    return _with_imports(_indexed(text).replace("\nimport zlib\n", "\n"))


def noting_conditions(text: str) -> str:
    """A debug parser that notes a field also before the condition on which it is there, for errors in this."""
    return _CONDITION.sub(r"\1self._debug['\3'] = {}\n\1\2", text)


def _in_loop(text: str, name: str, call: str) -> str:
    """A call at the head of a loop, since a switch without a case for its value appends nothing."""

    def head(found: re.Match[str]) -> str:
        method = found.string[found.string.rfind(" def ", 0, found.start()) : found.start()]
        stream = "io" if re.search(r"^ +io = ", method, re.MULTILINE) else "self._io"
        return f"{found[0]}{found[1]}    {call.format(stream)}\n"

    loop = rf"^( +)self\.(?:_m_)?{name} = \[\]\n(?:\1i = 0\n)?\1(?:for|while) .*:\n"
    return re.sub(loop, head, text, flags=re.MULTILINE)


def _at_start(text: str, call: str) -> str:
    return re.sub(r"(?m)^( +)def _read\(self\):\n", rf"\g<0>\1    {call}\n", text)


def _indexed(text: str) -> str:
    """The text with subscripts that are not below zero, where only the data say which they are."""
    if not _INDEX.search(text):
        return text
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text  # the build says so
    lines = [line.encode() for line in LINE_END.split(text)]
    places: list[tuple[int, int, bytes]] = []
    for node in _indexes(tree):
        places.append((node.lineno, node.col_offset, b"from_zero("))
        places.append((node.end_lineno or 0, node.end_col_offset or 0, b")"))
    for line, column, put in sorted(places, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + put + lines[line - 1][column:]
    return b"".join(lines).decode()


def _indexes(tree: ast.Module) -> Iterator[ast.expr]:
    """The subscripts of lists, bytes and texts in a parser that depend on the data."""
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            index = node.slice
            found = [index.lower, index.upper] if isinstance(index, ast.Slice) else [index]
            found = [] if _COMPILERS_OWN(ast.unparse(node.value)) else found
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found = [node.args[1]] if node.func.attr == "byte_array_index" else []
        for one in found:
            is_item = isinstance(one, ast.Name) and one.id == "i"
            is_last = not isinstance(getattr(node, "slice", None), ast.Slice) and _is_last(one)
            if one is not None and not isinstance(one, ast.Constant) and not is_item and not is_last:
                yield one


def _is_last(index: ast.expr | None) -> bool:
    """Whether a subscript is the -1 that the compiler writes for `.last`; the build refuses specs that state it."""
    return index is not None and ast.unparse(index) == "-1"


def _with_imports(text: str) -> str:
    """The text with imports of the guards that are in it."""
    lines = []
    for module, names in GUARDS.items():
        used = [name for name in names if re.search(rf"\b{name}\(", text)]
        lines += [f"from {module} import {', '.join(used)}"] * bool(used)
    more = "".join(f"\n{line}" for line in lines)
    return re.sub(r"(?m)^from kaitaistruct import .*$", lambda found: found[0] + more, text, count=1)
