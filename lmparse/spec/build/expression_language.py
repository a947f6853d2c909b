"""The language of expressions: parses the text of a spec's expression to a tree.

A tree is as `lmparse.spec.layout.Expression`, with forms that only types or the parser resolve: `("member", path)` of
an enumeration, `("text", value)`, `("real", value)`, `("call", object, name, argument, …)`, `("as", object, type)`,
`("sizeof", type)` and `("list", item, …)`. A text with escapes has the value None: only the parser knows it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from lmparse.spec.layout import Expression

Token: TypeAlias = tuple[str, str]
"""Kind and text."""
_LONGEST = 20_000
"""Characters of an expression; longer expressions are left to the parser."""
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<real>\d[\d_]*(?:\.(?![A-Za-z_.])[\d_]*(?:[eE][+-]?\d+)?|[eE][+-]?\d+))
  | (?P<number>0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*)
  | (?P<text>'[^']*'|f?"(?:[^"\\]|\\.)*")
  | (?P<member>(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+) | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<|>>|<=|>=|==|!=|[-+*/%&|^~<>?:.,()\[\]])
)""",
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_LEVELS = (
    ("or",), ("and",), ("not",), ("==", "!=", "<=", ">=", "<", ">"), ("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
"""Operators, weakest binding first."""
_STRENGTH = {sign: strength for strength, level in enumerate(_LEVELS) for sign in level}
_NOT, _COMPARED = _STRENGTH["not"], _STRENGTH["<"]
_ARITHMETIC: dict[str, Any] = {"neg": operator.neg, "+": operator.add, "-": operator.sub, "*": operator.mul}
_END: Token = ("end", "")


class NotAnExpressionError(ValueError):
    """The text is no expression, or is too long or too deep; the compiler reports the error."""


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression:
    """The tree of a text. Raises NotAnExpressionError."""
    if len(text) > _LONGEST:
        raise NotAnExpressionError("it is too long")
    try:
        reader = _Reader([*_tokens(text)])
        tree = reader.choice()
        reader.demand("end")
    except (RecursionError, ValueError) as error:
        raise NotAnExpressionError(str(error)) from None
    return tree


def arguments(type_: str) -> tuple[Any, ...]:
    """The trees of the arguments of a type, such as `a(1, x)`. Raises NotAnExpressionError."""
    tree = parsed(f"[{type_.partition('(')[2].rpartition(')')[0].strip()}]")
    return tree[1:] if isinstance(tree, tuple) else ()


def constant(size: Any) -> int | None:
    """A constant integer, as a literal or a sum, difference or product of literals; else None."""
    try:
        return _constant(parsed(str(size)))
    except (NotAnExpressionError, RecursionError):
        return None


def _constant(tree: Expression) -> int | None:
    if isinstance(tree, tuple) and tree[0] in _ARITHMETIC:
        numbers = [_constant(one) for one in tree[1:]]
        return None if None in numbers else int(_ARITHMETIC[tree[0]](*numbers))
    return tree if type(tree) is int else None


def _tokens(text: str) -> Iterator[Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"{text[place : place + 20]!r} is no part of an expression")
        kind = found.lastgroup or ""
        yield kind, found[kind]
        place = found.end()


class _Reader:
    """Reads the tokens of one expression, by recursive descent."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._place = tokens, 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._place] if self._place < len(self._tokens) else _END

    def _take(self) -> Token:
        token = self._next
        self._place += 1
        return token

    def _has(self, *texts: str) -> bool:
        return self._next[0] in ("sign", "name") and self._next[1] in texts

    def demand(self, text: str) -> None:
        """Take a required token. Raises ValueError for another token."""
        kind, found = self._take()
        if text not in (kind, found):
            raise ValueError(f"{found or 'its end'} stands where {text} belongs")

    def choice(self) -> Expression:
        """Read an expression, as far as the tokens allow."""
        condition = self._binary(0)
        if not self._has("?"):
            return condition
        self._take()
        chosen = self.choice()
        self.demand(":")
        return ("?", condition, chosen, self.choice())

    def _binary(self, least: int) -> Expression:
        """Read operands joined by operators of at least the strength `least`; comparisons do not chain."""
        found: Expression
        most = len(_LEVELS)
        if self._has("not") and least <= _NOT:
            self._take()
            found, most = ("not", self._binary(_NOT)), _NOT
        else:
            found = self._signed()
        while self._has(*_STRENGTH) and least <= (strength := _STRENGTH[self._next[1]]) < most and strength != _NOT:
            found = (self._take()[1], found, self._binary(strength + 1))
            most = strength + (strength != _COMPARED)
        return found

    def _signed(self) -> Expression:
        if not self._has("-", "~", "+"):
            return self._trailed(self._atom())
        sign, inner = self._take()[1], self._signed()
        return inner if sign == "+" else ("neg" if sign == "-" else "~", inner)

    def _atom(self) -> Expression:
        kind, text = self._take()
        if kind == "number":
            return int(text, 0) if text[:1] == "0" and text[1:2].isalpha() else int(text)
        if kind == "real":
            return ("real", float(text))
        if kind == "text":
            parts = [text]
            while self._next[0] == "text":
                parts.append(self._take()[1])
            is_plain = not any(part[0] == "f" or (part[0] == '"' and "\\" in part) for part in parts)
            return ("text", "".join(part[1:-1] for part in parts) if is_plain else None)
        if kind == "member":
            return ("member", re.sub(r"\s", "", text).removeprefix("::"))
        if text in ("sizeof", "bitsizeof") and self._has("<"):
            return ("sizeof", self._type())
        if kind == "name" and text in ("true", "false"):
            return text == "true"
        if kind == "name" and text not in ("and", "or", "not"):
            return ("name", text)
        if text == "[":
            return ("list", *self._until("]"))
        if text == "(":
            found = self.choice()
            self.demand(")")
            return found
        raise ValueError(f"{text or 'its end'} stands where a value belongs")

    def _until(self, end: str) -> Iterator[Expression]:
        """Yield expressions between commas, up to a bracket."""
        while not self._has(end):
            yield self.choice()
            if not self._has(end):
                self.demand(",")
        self._take()

    def _trailed(self, found: Expression) -> Expression:
        while self._has(".", "["):
            if self._take()[1] == "[":
                found = ("at", found, self.choice())
                self.demand("]")
                continue
            kind, name = self._take()
            if kind != "name":
                raise ValueError(f"{name or 'its end'} stands where a name belongs")
            if name == "as" and self._has("<"):
                found = ("as", found, self._type())
            elif self._has("("):
                self._take()
                found = ("call", found, name, *self._until(")"))
            else:
                found = ("get", found, name)
        return found

    def _type(self) -> str:
        """Read the name of a type in angle brackets."""
        self.demand("<")
        kind, name = self._take()
        if kind not in ("name", "member"):
            raise ValueError(f"{name or 'its end'} stands where a type belongs")
        if self._has("["):
            self._take()
            self.demand("]")
            name += "[]"
        self.demand(">")
        return re.sub(r"\s", "", name).removeprefix("::")
