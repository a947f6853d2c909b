"""Documents: reads YAML and JSON from elsewhere (specs, tables files, cases, manifests), within limits.

A document must be a regular file, and must have each key once. Values are texts, numbers, true, false, null, lists and
mappings. Values that YAML converts from text unasked, such as dates, are refused, and so are Python objects.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lmparse.errors import LimitError
from lmparse.limits import DEFAULT, Limits

FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C, if installed."""
EXACT: Any = yaml.SafeLoader
"""The loader whose messages are the same everywhere."""
_YAML = "tag:yaml.org,2002:"
_TAG_LINE = re.compile("^%TAG|[\n\r\x85\u2028\u2029]%TAG")
"""A line that abbreviates a tag; libyaml compares each such line with all before it."""
_MOST_DIGITS = 3_500
"""Hexadecimal digits of a number that Python still prints in decimal, as messages need."""
_NUMBERS = (f"{_YAML}int", f"{_YAML}float")
_SCALARS = frozenset(f"{_YAML}{name}" for name in ("str", "int", "float", "bool", "null", "merge"))
_COLLECTIONS = (f"{_YAML}seq", f"{_YAML}map")


@dataclass(frozen=True)
class Flaw:
    """Something wrong in a document. Line and column count from 1; 0 if unknown."""

    text: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.text}" if self.line else self.text


class DocumentError(Exception):
    """The error of an unusable document, with its flaws; `limit` is the error of an exceeded limit."""

    def __init__(self, *flaws: Flaw, limit: LimitError | None = None) -> None:
        self.flaws = flaws
        self.limit = limit
        super().__init__("; ".join(map(str, flaws)))


@dataclass(frozen=True)
class Document:
    """A YAML document: values, and nodes with their positions; both None for an empty document."""

    tree: Any
    root: yaml.Node | None


# -- files ----------------------------------------------------------------------------------


def file_bytes(path: str | Path, limits: Limits = DEFAULT) -> bytes:
    """The bytes of a regular file; never waits on other files. Raises OSError or DocumentError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise DocumentError(Flaw("is not a regular file"))
        data: bytes | None = file.read(limits.document_bytes + 1)
    if data is None:  # some files of the system report so that no bytes are there yet
        raise DocumentError(Flaw("has no text to read now"))
    _check_length(data, limits)
    return data


def text_of(data: bytes) -> str:
    """The text of a document, which is UTF-8. Raises DocumentError."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _at_character(data[: error.start].decode(), "the text is not UTF-8") from None


def _at_character(before: str, text: str) -> DocumentError:
    """A flaw at the character behind `before`."""
    return DocumentError(Flaw(text, before.count("\n") + 1, len(before) - before.rfind("\n")))


def _check_length(data: bytes, limits: Limits) -> None:
    if len(data) > limits.document_bytes:
        raise _exceeds(limits.error("document_bytes"))


def _exceeds(limit: LimitError, line: int = 0, column: int = 0) -> DocumentError:
    return DocumentError(Flaw(limit.says(), line, column), limit=limit)


# -- JSON -----------------------------------------------------------------------------------


def read_json(data: bytes, limits: Limits = DEFAULT) -> Any:
    """The values of a JSON document. Raises DocumentError."""
    _check_length(data, limits)

    def number(kind: Callable[[str], Any]) -> Callable[[str], Any]:
        def read(text: str) -> Any:
            limits.check("number_digits", len(text))
            return kind(text)

        return read

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key occurs twice")
        return found

    try:
        return json.loads(text_of(data), parse_int=number(int), parse_float=number(float), object_pairs_hook=once)
    except LimitError as error:
        raise _exceeds(error) from None
    except RecursionError:
        raise _exceeds(limits.error("document_depth")) from None
    except ValueError as error:
        raise DocumentError(Flaw(f"is not JSON: {error}")) from None


# -- YAML -----------------------------------------------------------------------------------


def read_yaml(data: bytes, limits: Limits = DEFAULT, *, loader: Any = FAST) -> Document:
    """The one document in a YAML text. Raises DocumentError with all refused values, or the first other flaw."""
    _check_length(data, limits)
    text = text_of(data)
    if found := _TAG_LINE.search(text):
        raise _at_character(text[: found.end() - 4], "names for tags, as after %TAG, are not taken")
    try:
        source = loader(text)
        composer = _Composer(source, limits)
        root = composer.get_single_node()
        if composer.flaws:
            raise DocumentError(*composer.flaws)
        return Document(source.construct_document(root) if root else None, root)
    except yaml.MarkedYAMLError as error:
        # If the text ends too early, the problem itself has no mark.
        mark, problem = error.problem_mark or error.context_mark or yaml.Mark("", 0, 0, 0, "", 0), str(error.problem)
        advice = next((f": {advice}" for part, advice in _ADVICE.items() if part in problem), "")
        raise DocumentError(Flaw(f"{problem}{advice}", mark.line + 1, mark.column + 1)) from None
    except RecursionError:
        raise _exceeds(limits.error("document_depth")) from None
    except yaml.reader.ReaderError as error:
        raise _at_character(text[: error.position], "a character that YAML does not allow") from None
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:  # from a number such as 0b_, or !!bool "x"
        raise DocumentError(Flaw(f"a value cannot be read: {error}", 1, 1)) from None


_ADVICE = {
    "expected <block end>": "this line is not indented as the lines that it belongs to",
    "did not find expected key": "this line is not indented as the lines that it belongs to",
    "did not find expected '-' indicator": "this line is not indented as the lines that it belongs to",
    "cannot start any token": "indent with blanks, not with tabs, and quote a text that begins with such a character",
    "mapping values are not allowed": "quote a text that has a colon and a blank in it, or indent this line less",
}
"""Advice for messages of PyYAML and libyaml, which use different words."""


class _Composer(yaml.composer.Composer):
    """Makes the nodes of a document from the events of a loader, and counts values and levels.

    An alias counts as many values as its anchor has.
    """

    def __init__(self, source: Any, limits: Limits) -> None:
        super().__init__()
        self.flaws: list[Flaw] = []
        self._limits = limits
        self._count = self._depth = 0
        self._sizes: dict[str, int] = {}
        """Number of values by anchor, once the anchor is complete."""
        for name in ("check_event", "peek_event", "get_event", "resolve", "descend_resolver", "ascend_resolver"):
            setattr(self, name, getattr(source, name))

    peek_event: Any

    def compose_node(self, parent: Any, index: Any) -> Any:
        """See Composer."""
        node: Any
        event: Any = self.peek_event()
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if event.anchor not in self._sizes:
                raise DocumentError(Flaw("the alias is inside its own anchor", mark.line + 1, mark.column + 1))
            self._add(self._sizes[event.anchor], event)
            return node
        if event.anchor in self.anchors:
            raise yaml.composer.ComposerError(None, None, "found duplicate anchor", mark)
        before, is_scalar = self._count, isinstance(event, yaml.ScalarEvent)
        self._add(1, event)
        self._depth += not is_scalar
        self._check("document_depth", self._depth, event)
        node = super().compose_node(parent, index)
        self._depth -= not is_scalar
        if event.anchor is not None:
            self._sizes[event.anchor] = self._count - before
        self._check_scalar(node) if is_scalar else self._check_collection(node)
        return node

    def _check_scalar(self, node: yaml.ScalarNode) -> None:
        value = node.value
        if node.tag not in _SCALARS:
            self._flaw(node, f"{value[:60]!r} is a {_word(node.tag)} in YAML; put it in quotes")
        elif node.tag in _NUMBERS:
            self._check("number_digits", len(value), node)
            if len(value) > _MOST_DIGITS:
                self._flaw(node, f"a number of more than {_MOST_DIGITS} characters is not taken, whatever the limit")
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            self._flaw(node, "half of a surrogate pair is not a character")

    def _check_collection(self, node: yaml.CollectionNode) -> None:
        if node.tag not in _COLLECTIONS:
            self._flaw(node, f"a {_word(node.tag)} is not taken here, only lists and mappings")
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    self._flaw(key, f"the key {key.value[:60]} occurs twice")
                seen.add(key.value)

    def _add(self, count: int, event: Any) -> None:
        self._count += count
        self._check("document_nodes", self._count, event)

    def _check(self, name: str, found: int, event: Any) -> None:
        if found > getattr(self._limits, name):
            mark = event.start_mark
            raise _exceeds(self._limits.error(name, found), mark.line + 1, mark.column + 1)

    def _flaw(self, node: Any, text: str) -> None:
        self.flaws.append(Flaw(text, node.start_mark.line + 1, node.start_mark.column + 1))


def _word(tag: str) -> str:
    return tag.rsplit(":", 1)[-1][:60]
