"""Keywords: members of enumerations whose names are keywords of Python, which the compiler writes as they are.

`not = 1` becomes `vars()["not"] = 1`, and `Kind.not` becomes `Kind["not"]`: members keep their names.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from typing import Any

from lmparse.spec.build.specs import SpecFile

_STARTS = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)


def has_keyword_members(spec: SpecFile) -> bool:
    """Whether an enumeration of a spec has a member with such a name."""
    return _has(spec.tree)


def _has(tree: dict[str, Any]) -> bool:
    members = [entry for members in tree.get("enums", {}).values() for entry in members.values()]
    names = [entry["id"] if isinstance(entry, dict) else entry for entry in members]
    return any(map(keyword.iskeyword, names)) or any(map(_has, tree.get("types", {}).values()))


def with_keywords(text: str) -> str:
    """A parser as the compiler writes it, with such members in a form that Python takes."""
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
