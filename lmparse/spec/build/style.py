"""Style: what is not in the house style of specs, as far as a program can tell."""

from __future__ import annotations

import codecs
import keyword
import re
from collections.abc import Iterator
from typing import Any

from lmparse.spec.build.layouts import code_text
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.shape import LARGEST_EXACT, Finding, import_names
from lmparse.spec.build.specs import SpecFile

TOP_KEYS = (
    "meta", "doc", "doc-ref", "-lm-type", "-lm-source", "to-string", "params", "seq", "instances", "types", "enums",
)  # fmt: skip
META_KEYS = (
    "id", "title", "application", "file-extension", "xref", "tags", "license", "ks-version", "imports", "encoding",
    "endian", "bit-endian",
)  # fmt: skip
FIELD_KEYS = (
    "id", "-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source", "pos",
    "io", "size", "size-eos", "value", "type", "encoding", "terminator", "consume", "include", "eos-error", "pad-right",
    "enum", "process", "contents", "valid", "repeat", "repeat-expr", "repeat-until", "if", "doc", "doc-ref",
)  # fmt: skip
DASH_KEYS = frozenset(
    ("-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source")
)
"""All keys that lmparse adds to those of Kaitai Struct."""
TAKEN = frozenset(("self", "mro", "close", "from_bytes", "from_file", "from_io")) | {
    "bool", "bytes", "classmethod", "float", "int", "list", "property", "str",
}  # fmt: skip
"""Names that have another meaning in a generated parser or in its stub."""
TAKEN_BY_ENUMS = frozenset(("name", "value"))
TAKEN_BY_CLASSES = frozenset(
    ("any", "bytes_io", "int_enum", "kaitai_stream", "kaitai_struct", "read_write_kaitai_struct")
)
"""Names of classes that the generated code itself needs: types and enumerations become classes beside them."""
STATUSES = ("documented", "inferred", "unknown")
_ID = re.compile(r"[a-z][a-z0-9_]*\Z")


def findings(spec: SpecFile, named: dict[str, SpecFile]) -> Iterator[Finding]:
    """What is not in the house style."""
    yield from _meta(spec)
    for scope in Scope(named, spec).all():
        yield from _type(scope)
    yield from _everywhere("", spec.tree)


def _meta(spec: SpecFile) -> Iterator[Finding]:
    meta = spec.tree.get("meta", {})
    yield from _order("/meta", meta, META_KEYS)
    families = spec.place.split("/")[:-1]
    if families and not any(spec.id.startswith(f"{family}_") for family in families):
        yield "/meta/id", f"the id does not start with its family, {families[-1]}_"
    for key in ("title", "license"):
        if not meta.get(key):
            yield "/meta", f"{key} is missing"
    if not isinstance(meta.get("ks-version"), str):
        yield "/meta/ks-version", "ks-version is missing or is not quoted text"
    if "endian" not in meta and _has_numbers(spec.tree):
        yield "/meta", "endian is missing, and there are numbers of several bytes"
    for number, name in enumerate(import_names(meta)):
        if not name.startswith("/"):
            yield f"/meta/imports/{number}", f"the import {name} does not start at the root of formats"


def _has_numbers(tree: Any) -> bool:
    if isinstance(tree, dict):
        type_ = tree.get("type")
        is_number = isinstance(type_, str) and re.match(r"[usf][248]$", type_)
        return bool(is_number) or any(_has_numbers(value) for key, value in tree.items() if key != "params")
    return isinstance(tree, list) and any(map(_has_numbers, tree))


def _type(scope: Scope) -> Iterator[Finding]:
    """The problems of a spec or of a type inside one, without those of the types inside it."""
    where, tree = scope.where, scope.tree
    yield from _order(where, tree, TOP_KEYS)
    for key in ("doc", "doc-ref"):
        if not tree.get(key):
            yield where or "/meta", f"{key} is missing"
    if scope.path:
        yield from _name(where, scope.path[-1], TAKEN_BY_CLASSES)
        yield from _order(f"{where}/meta", tree.get("meta", {}), META_KEYS)
    for section in ("params", "seq"):
        for number, attribute in enumerate(tree.get(section, [])):
            yield from _attribute(f"{where}/{section}/{number}", attribute, attribute.get("id", ""), scope)
    for name, instance in tree.get("instances", {}).items():
        yield from _attribute(f"{where}/instances/{name}", instance, name, scope)
    for name, entries in tree.get("enums", {}).items():
        yield from _name(f"{where}/enums/{name}", name, TAKEN_BY_CLASSES)
        for value, entry in entries.items():
            member = entry["id"] if isinstance(entry, dict) else entry
            yield from _name(f"{where}/enums/{name}/{value}", member, TAKEN_BY_ENUMS)


def _attribute(where: str, attribute: dict[str, Any], name: str, scope: Scope) -> Iterator[Finding]:
    yield from _name(f"{where}/id", name)
    yield from _order(where, attribute, FIELD_KEYS)
    if attribute.get("-lm-status") == STATUSES[0] and not attribute.get("doc-ref"):
        yield f"{where}/-lm-status", f"{name} is documented, and doc-ref does not say where"
    if "-lm-valid-status" in attribute and not attribute.keys() & {"valid", "contents"}:
        yield f"{where}/-lm-valid-status", f"{name} has no valid whose status it could be"
    if "/params/" not in where and scope.spec.place.startswith(("bmc/", "db2/")):
        for key in ("doc", "doc-ref", "-lm-status"):
            if not attribute.get(key):
                yield where, f"{name} has no {key}"
    yield from _codes(where, attribute, scope)


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


def _codes(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    """The vendor's spelling of a code must be the number's text in EBCDIC."""
    found = scope.enum_named(attribute["enum"]) if "enum" in attribute else None
    width = {"u1": 1, "u2": 2, "u4": 4, "u8": 8}.get(str(attribute.get("type"))[:2])
    if found is None or width is None or "-codec" not in attribute:
        return
    holder, name = found
    for entry in holder.members(name):
        # A fault in an imported enumeration is reported for the field whose codec makes its numbers text.
        is_own = holder.spec is scope.spec
        place = f"{holder.where}/enums/{name}/{entry.value}" if is_own else f"{where}/enum"
        try:
            meant = code_text(entry.value, width)
        except OverflowError:
            yield place, f"{entry.id} is too large for {attribute['type']}"
            continue
        for name_of_vendor in entry.orig_ids:
            if name_of_vendor != meant:
                yield place, f"-orig-id is {name_of_vendor!r}, but the number means {meant!r}"


def _name(where: str, name: str, taken: frozenset[str] = frozenset()) -> Iterator[Finding]:
    if not _ID.match(name or ""):
        yield where, f"{name!r} is not lower_snake_case"
    elif keyword.iskeyword(name):
        yield where, f"{name!r} is a keyword of Python"
    elif name in TAKEN | taken:
        yield where, f"{name!r} means something else in the generated code"


def _order(where: str, tree: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Finding]:
    """Keys must be in order, and those with a dash ours."""
    last = -1
    for key in tree:
        if str(key).startswith("-") and key not in DASH_KEYS:
            yield f"{where}/{key}", f"{key} is none of our keys: {', '.join(sorted(DASH_KEYS))}"
        elif key in keys:
            place = keys.index(key)
            if place < last:
                yield f"{where}/{key}", f"{key} comes after {keys[last]}"
            last = max(last, place)


def _is_ebcdic(encoding: str) -> bool:
    try:
        return b"\xc1".decode(encoding) == "A"
    except (LookupError, ValueError):
        # Python does not know every EBCDIC page.
        return bool(re.match(r"(?i)(ebcdic|ibm|cp1047$|x-ibm)", encoding)) and not _is_codec(encoding)


def _everywhere(where: str, tree: Any) -> Iterator[Finding]:
    """Values that the compiler changes or misplaces, anywhere in a spec."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(key, int) and abs(key) > LARGEST_EXACT:
                yield f"{where}/{key}", "the number is too large for the compiler; quote it"
            if key == "encoding" and _is_ebcdic(str(value)):
                yield f"{where}/{key}", "EBCDIC text is bytes with -codec"
            yield from _everywhere(f"{where}/{key}", value)
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from _everywhere(f"{where}/{number}", value)
    elif isinstance(tree, int) and not isinstance(tree, bool) and abs(tree) > LARGEST_EXACT:
        yield where, "the number is too large for the compiler; quote it"
