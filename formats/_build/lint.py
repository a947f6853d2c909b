"""The house style of specs, as far as a machine can hold it."""

from __future__ import annotations

import codecs
import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _build.layouts import code_text
from _build.specs import Problem, SpecFile, read_specs

TOP_KEYS = (
    "meta", "doc", "doc-ref", "-lm-type", "-lm-source", "to-string", "params", "seq", "instances", "types", "enums",
)  # fmt: skip
META_KEYS = (
    "id", "title", "application", "file-extension", "xref", "tags", "license", "ks-version", "imports", "encoding",
    "endian", "bit-endian",
)  # fmt: skip
FIELD_KEYS = (
    "id", "-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-type", "-lm-source", "pos", "io", "size",
    "size-eos", "value", "type", "encoding", "terminator", "consume", "include", "eos-error", "pad-right", "enum",
    "process", "contents", "valid", "repeat", "repeat-expr", "repeat-until", "if", "doc", "doc-ref",
)  # fmt: skip
DASH_KEYS = frozenset(("-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-type", "-lm-source"))
"""The closed list of keys of our own."""
STATUSES = ("documented", "inferred", "unknown")
_ID = re.compile(r"[a-z][a-z0-9_]*$")
_LARGEST_EXACT = 1 << 53
Finding = tuple[str, str]
"""Path in the spec and text."""


def lint(folder: Path) -> list[Problem]:
    """Every breach of the house style in the specs of a formats folder. Raises SpecError for bad YAML."""
    specs = read_specs([folder])
    problems = [spec.problem(*finding) for spec in specs.values() for finding in _findings(spec)]
    by_id: dict[str, SpecFile] = {}
    for spec in specs.values():
        if spec.id in by_id:
            problems.append(spec.problem("/meta/id", f"the id stands in {by_id[spec.id].shown} too"))
        by_id[spec.id] = spec
    return sorted(problems)


def _findings(spec: SpecFile) -> Iterator[Finding]:
    yield from _meta(spec)
    yield from _types("", spec.tree, TOP_KEYS, spec)
    yield from _everywhere("", spec.tree)


def _meta(spec: SpecFile) -> Iterator[Finding]:
    meta = spec.tree.get("meta", {})
    yield from _order("/meta", meta, META_KEYS)
    family = spec.place.split("/")[0]
    if meta.get("id") != spec.id:
        yield "/meta/id", f"the id is {meta.get('id')!r}, but the file is named {spec.id}"
    if not spec.id.startswith(f"{family}_"):
        yield "/meta/id", f"the id does not start with its family, {family}_"
    for key in ("title", "license"):
        if not meta.get(key):
            yield "/meta", f"{key} is missing"
    if not isinstance(meta.get("ks-version"), str):
        yield "/meta/ks-version", "ks-version is missing or is no quoted text"
    if "endian" not in meta and _has_numbers(spec.tree):
        yield "/meta", "endian is missing, and there are numbers of several bytes"
    for key in ("ks-debug", "ks-opaque-types"):
        if key in meta:
            yield f"/meta/{key}", f"{key} is not for specs that are kept"
    for number, name in enumerate(meta.get("imports", [])):
        if not name.startswith("/"):
            yield f"/meta/imports/{number}", f"the import {name} does not start at the root of formats"


def _has_numbers(tree: Any) -> bool:
    if isinstance(tree, dict):
        type_ = tree.get("type")
        is_number = isinstance(type_, str) and re.match(r"[usf][248]$", type_)
        return bool(is_number) or any(_has_numbers(value) for key, value in tree.items() if key != "params")
    return isinstance(tree, list) and any(map(_has_numbers, tree))


def _types(where: str, tree: dict[str, Any], keys: tuple[str, ...], spec: SpecFile) -> Iterator[Finding]:
    """A spec or a type inside one, with everything in it."""
    yield from _order(where, tree, keys)
    for key in ("doc", "doc-ref"):
        if not tree.get(key):
            yield where or "/meta", f"{key} is missing"
    for section in ("params", "seq"):
        for number, attribute in enumerate(tree.get(section, [])):
            yield from _attribute(f"{where}/{section}/{number}", attribute, attribute.get("id", ""), spec)
    for name, instance in tree.get("instances", {}).items():
        yield from _attribute(f"{where}/instances/{name}", instance, name, spec)
    for name, inner in tree.get("types", {}).items():
        yield from _name(f"{where}/types/{name}", name)
        yield from _types(f"{where}/types/{name}", inner, TOP_KEYS[1:], spec)
    for name, entries in tree.get("enums", {}).items():
        yield from _name(f"{where}/enums/{name}", name)
        for value, entry in entries.items():
            yield from _member(f"{where}/enums/{name}/{value}", entry)
    yield from _codes(where, tree, spec)


def _attribute(where: str, attribute: dict[str, Any], name: str, spec: SpecFile) -> Iterator[Finding]:
    yield from _name(f"{where}/id", name)
    yield from _order(where, attribute, FIELD_KEYS)
    if "/seq/" in where and spec.place.startswith("bmc/"):
        for key in ("doc", "doc-ref", "-lm-status"):
            if not attribute.get(key):
                yield where, f"{name} has no {key}"
    status = attribute.get("-lm-status", STATUSES[0])
    if status not in STATUSES:
        yield f"{where}/-lm-status", f"-lm-status is {status!r}, not one of {', '.join(STATUSES)}"
    codec = attribute.get("-codec")
    if codec is not None and codec != "ebcdic" and not _is_codec(codec):
        yield f"{where}/-codec", f"there is no code page {codec!r}"


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


def _member(where: str, entry: Any) -> Iterator[Finding]:
    name = entry.get("id") if isinstance(entry, dict) else entry
    if not isinstance(name, str):
        yield where, f"{name!r} is no name; quote it"
    else:
        yield from _name(where, name)


def _codes(where: str, tree: dict[str, Any], spec: SpecFile) -> Iterator[Finding]:
    """The vendor's spelling of a code must be what its number means in EBCDIC."""
    widths = {"u1": 1, "u2": 2, "u4": 4, "u8": 8}
    for section in (tree.get("seq", []), tree.get("instances", {}).values()):
        for attribute in section:
            enum, width = attribute.get("enum"), widths.get(str(attribute.get("type")))
            entries = spec.tree.get("enums", {}).get(enum)
            if "-codec" not in attribute or entries is None or width is None:
                continue
            for value, entry in entries.items():
                stated = entry.get("-orig-id") if isinstance(entry, dict) else None
                meant = code_text(value, width)
                if stated is not None and stated != meant:
                    yield f"/enums/{enum}/{value}", f"-orig-id is {stated!r}, but the number means {meant!r}"


def _name(where: str, name: str) -> Iterator[Finding]:
    if not _ID.match(name or ""):
        yield where, f"{name!r} is not lower_snake_case"
    elif keyword.iskeyword(name):
        yield where, f"{name!r} is a keyword of Python"


def _order(where: str, tree: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Finding]:
    """Keys are known and in order."""
    last = -1
    for key in tree:
        if str(key).startswith("-") and key not in DASH_KEYS:
            yield f"{where}/{key}", f"{key} is none of our keys: {', '.join(sorted(DASH_KEYS))}"
        elif key in keys:
            place = keys.index(key)
            if place < last:
                yield f"{where}/{key}", f"{key} stands behind {keys[last]}"
            last = max(last, place)
        elif keys is not FIELD_KEYS and not str(key).startswith("ks-"):
            yield f"{where}/{key}", f"{key} is not expected here"


def _everywhere(where: str, tree: Any) -> Iterator[Finding]:
    """What the compiler passes on wrongly, wherever it stands."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(key, int) and abs(key) > _LARGEST_EXACT:
                yield f"{where}/{key}", "the number is too large for the compiler; quote it"
            if key in ("doc", "doc-ref") and ("\\" in str(value) or '"""' in str(value)):
                yield f"{where}/{key}", "a doc may hold neither a backslash nor three quotes: it becomes a docstring"
            if key == "encoding" and re.match(r"(?i)(cp|ibm)", str(value)):
                yield f"{where}/{key}", "EBCDIC text is bytes with -codec"
            yield from _everywhere(f"{where}/{key}", value)
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from _everywhere(f"{where}/{number}", value)
    elif isinstance(tree, int) and not isinstance(tree, bool) and abs(tree) > _LARGEST_EXACT:
        yield where, "the number is too large for the compiler; quote it"


