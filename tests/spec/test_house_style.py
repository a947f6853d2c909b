"""The specs of lmparse are in one style: order of keys, names, what is stated, codes as the vendor spells them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import Any

import pytest

from lmparse.spec.build.constructs import Level, words
from lmparse.spec.build.layouts import code_text
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.specs import FORMATS, SpecFile, closure, on_disk, read_all

TOP = (
    "meta", "doc", "doc-ref", "-lm-type", "-lm-source", "to-string", "params", "seq", "instances", "types", "enums",
)  # fmt: skip
META = (
    "id", "title", "application", "file-extension", "xref", "tags", "license", "ks-version", "imports", "encoding",
    "endian", "bit-endian",
)  # fmt: skip
FIELD = (
    "id", "-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-valid-status", "-lm-column", "-lm-type",
    "-lm-source", "pos", "io", "size", "size-eos", "value", "type", "encoding", "terminator", "consume", "include",
    "eos-error", "pad-right", "enum", "process", "contents", "valid", "repeat", "repeat-expr", "repeat-until",
    "if", "doc", "doc-ref",
)  # fmt: skip
"""Keys in their order."""
TAKEN = frozenset(
    ("self", "mro", "close", "from_bytes", "from_file", "from_io", "bool", "bytes", "classmethod", "float", "int",
     "list", "property", "str")
)  # fmt: skip
"""Names that mean something else in a generated parser or in its stub."""
WIDTHS = {"u1": 1, "u2": 2, "u4": 4, "u8": 8}
PLACES = on_disk(FORMATS)[1]
Finding = tuple[str, str]


def order(where: str, tree: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Finding]:
    known = [keys.index(key) for key in tree if key in keys]
    if known != sorted(known):
        yield where, f"the keys are not in the order {', '.join(keys)}"
    yield from ((where, f"{key} is none of our keys") for key in tree if key.startswith("-") and key not in keys)


def name(where: str, text: str, taken: frozenset[str] = TAKEN) -> Iterator[Finding]:
    if not re.fullmatch("[a-z][a-z0-9_]*", text) or keyword.iskeyword(text) or text in taken:
        yield where, f"{text} is not a name of ours"


def of_meta(spec: SpecFile) -> Iterator[Finding]:
    meta = spec.tree["meta"]
    families = spec.place.split("/")[:-1]
    if not any(spec.id.startswith(f"{family}_") for family in families):
        yield "/meta/id", "the id does not start with its family"
    if not (meta.get("title") and meta.get("license") and isinstance(meta.get("ks-version"), str)):
        yield "/meta", "title, license or ks-version is missing"
    if "endian" not in meta and re.search(r"type: [usf][248]\b", re.sub("params:.*?seq:", "", spec.text, flags=re.S)):
        yield "/meta", "endian is missing, and there are numbers of several bytes"
    if not all(one.startswith("/") for one in meta.get("imports", [])):
        yield "/meta/imports", "an import does not start at the root of formats"
    if re.search(r"encoding: *(?i:ebcdic|ibm|cp037|cp1047|x-ibm)", spec.text):
        yield "/", "EBCDIC text is bytes with -codec"


def of_type(scope: Scope) -> Iterator[Finding]:
    where, tree = scope.where or "/", scope.tree
    yield from order(where, tree, TOP)
    yield from order(f"{where}/meta", tree.get("meta", {}), META)
    if not (tree.get("doc") and tree.get("doc-ref")):
        yield where, "doc or doc-ref is missing"
    listed = [(one.get("id", ""), one) for section in ("params", "seq") for one in tree.get(section, [])]
    for field, attribute in (*listed, *tree.get("instances", {}).items()):
        place = f"{where}/{field}"
        yield from name(place, field)
        yield from order(place, attribute, FIELD)
        yield from codes(place, attribute, scope)
        if "-lm-valid-status" in attribute and not attribute.keys() & {"valid", "contents"}:
            yield place, "there is no valid whose status it could be"
    for enum in tree.get("enums", {}):
        yield from name(f"{where}/{enum}", enum)
        for member in scope.members(enum):
            yield from name(f"{where}/{enum}", member.id, TAKEN | {"name", "value"})


def codes(where: str, attribute: dict[str, Any], scope: Scope) -> Iterator[Finding]:
    """The vendor's spelling of a code is the number's text in EBCDIC."""
    found = scope.enum_named(attribute["enum"]) if "enum" in attribute else None
    width = WIDTHS.get(str(attribute.get("type"))[:2])
    if found is not None and width is not None and "-codec" in attribute:
        for member in found[0].members(found[1]):
            meant = code_text(member.value, width)
            listed = [one for one in found[0].tree["enums"][found[1]].values() if isinstance(one, dict)]
            names = [one.get("-orig-id", meant) for one in listed if one["id"] == member.id]
            yield from ((where, f"{text!r} is not {meant!r}") for text in names if text != meant)


@pytest.fixture(scope="module")
def specs() -> dict[str, SpecFile]:
    return {spec.place: spec for spec in read_all(*on_disk(FORMATS))[0]}


@pytest.mark.parametrize("place", PLACES)
def test_a_spec_is_in_house_style(specs: dict[str, SpecFile], place: str) -> None:
    spec = specs[place]
    named = {one.id: one for one in closure(specs, [place])}
    found = [*of_meta(spec), *(finding for scope in Scope(named, spec).all() for finding in of_type(scope))]
    assert found == []


def test_the_orders_have_keys_of_the_table() -> None:
    assert set(META) <= words(Level.META)
    assert set(TOP) <= words(Level.TYPE)
    assert set(FIELD) <= words(Level.FIELD) | words(Level.INSTANCE) | words(Level.VALUE_INSTANCE)
    assert words(Level.FIELD, ours=True) <= set(FIELD)
