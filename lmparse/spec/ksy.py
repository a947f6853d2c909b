"""Spec files: reads specs from `.ksy` files or folders, without the compiler."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lmparse.errors import LmparseError, OptionError
from lmparse.spec.build.constructs import enum_number
from lmparse.spec.build.expression_language import constant
from lmparse.spec.build.layouts import Layouts
from lmparse.spec.build.lint import linted
from lmparse.spec.build.scopes import COMPILERS_TEXTS, Scope, number_of
from lmparse.spec.build.specs import FORMATS, SUFFIX, Selection, SpecError, parsed, places_in, read_all
from lmparse.spec.documents import DocumentError, file_bytes
from lmparse.spec.layout import Layout
from lmparse.spelling import quoted
from lmparse.storage.stored import reason

INSTALLED = "installed"
"""Name for the specs of the package."""
_ID = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
Details = dict[str, dict[str, str]]
"""Details of one layout: the values of each member by key. Members are `plan` (a field), `params.kind`,
`instances.kind`, `enums.state`, and the empty text for the layout itself."""

_HELD_BY_LAYOUT = {"meta", "doc", "doc-ref", "-lm-type", "params", "seq", "instances", "types", "enums"}
_HELD_BY_FIELD = {
    "id", "-orig-id", "-codec", "-unit", "-scale", "-lm-status", "-lm-valid-status", "-lm-type", "-lm-source", "type",
    "size", "enum", "valid", "contents", "doc", "doc-ref",
}  # fmt: skip


@dataclass(frozen=True)
class Specs:
    """One state of some specs."""

    source: str
    """Name of the source as the user gave it."""
    own: frozenset[str]
    """Ids of the specs in the source; other specs in `layouts` are imported."""
    is_file: bool
    """Whether the source is a single spec, so that a missing spec means nothing."""
    layouts: Mapping[str, Layout]
    """Layouts of all specs and of their types, by id."""
    details: Mapping[str, Details]
    """Facts of the specs beyond the layouts, by the same ids."""


def read_specs(source: str) -> Specs:
    """The specs of a `.ksy` file, of a folder with `<family>/<id>.ksy`, or the installed specs.

    Imports are searched in the same folder, then in the package. Raises OptionError LMP-S009 if there are no specs, and
    LmparseError LMP-S008 with path, line and column of every fault in the specs.
    """
    try:
        path = FORMATS if source == INSTALLED else Path(source)
        if path.is_dir():
            places = places_in(path)
            if not any("/" in place for place in places):
                text = f"there is no <family>/<id>{SUFFIX} in {source}"
                raise OptionError(text, code="LMP-S009", hint="name the folder above the folders of the families")
            return _specs(source, Selection(path, places, *read_all(path, places)), is_file=False)
        if path.is_file():
            return _read_file(source, path)
    except DocumentError as error:
        raise LmparseError(f"{source}: {error}", code=error.limit.code if error.limit else "LMP-S008") from None
    except SpecError as error:
        raise LmparseError(str(error), code=error.code) from None
    except OSError as error:
        raise OptionError(f"{source}: cannot be read: {reason(error)}", code="LMP-S009") from None
    text = f"there is no file or folder {quoted(source)}"
    raise OptionError(text, code="LMP-S009", hint=f"give a {SUFFIX} file, a folder of specs, or {INSTALLED}")


def _read_file(source: str, path: Path) -> Specs:
    """One spec, from a file with any name."""
    root = path.absolute().parent.parent
    spec = parsed(path.absolute().relative_to(root).with_suffix("").as_posix(), path, file_bytes(path))
    spec_id = spec.tree.get("meta", {}).get("id")
    if not isinstance(spec_id, str) or not _ID.fullmatch(spec_id):
        raise SpecError([spec.problem("/meta/id", f"{spec_id!r} is not an id of a spec")])
    family = path.parent.name
    if not spec_id.startswith(f"{family}_"):
        family = spec_id.split("_")[0]
    spec = replace(spec, place=f"{family}/{spec_id}")
    return _specs(source, Selection(root, [spec.place], [spec], {}), is_file=True)


def _specs(source: str, selection: Selection, *, is_file: bool) -> Specs:
    if problems := linted(selection, is_read_only=True).problems:
        raise SpecError(problems)
    specs = [selection.known[place] for place in sorted(selection.known)]
    own = frozenset(place.rpartition("/")[2] for place in selection.wanted)
    known = {spec.id: spec for spec in specs}
    details = {scope.id: dict(_members(scope)) for spec in specs for scope in Scope(known, spec).all()}
    return Specs(source, own, is_file, Layouts(specs).by_id, details)


# -- what a spec states beyond its layouts: expressions, cases and instances are in the parser only -------------


def _members(scope: Scope) -> Iterator[tuple[str, dict[str, str]]]:
    tree = scope.tree
    meta = {f"meta/{key}": item for key, item in tree.get("meta", {}).items() if key not in ("id", "title")}
    if isinstance(meta.get("meta/endian"), str):
        del meta["meta/endian"]
    yield "", _texts(meta) | _texts(tree, _HELD_BY_LAYOUT)
    for entry in tree.get("params", []):
        yield f"params.{entry['id']}", _texts(entry, {"id"})
    for attribute in scope.attributes():
        yield attribute["id"], _texts(attribute, _HELD_BY_FIELD) | dict(_reading(scope, attribute))
    for name, instance in tree.get("instances", {}).items():
        yield f"instances.{name}", _texts(instance)
    for name, members in tree.get("enums", {}).items():
        texts: dict[str, str] = {}
        for key, entry in members.items():
            if isinstance(entry, dict):
                texts |= {f"{enum_number(key)}/{word}": text for word, text in _texts(entry, ("id", "doc")).items()}
        yield f"enums.{name}", texts


def _reading(scope: Scope, attribute: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield facts of a field's type and size beyond its width and kind."""
    type_, size = attribute.get("type"), attribute.get("size")
    if size is not None:
        # A nested record of constant size has this size, whatever the width of its fields.
        is_plain = constant(size) is not None and "repeat" not in attribute
        if not is_plain or not (type_ is None or number_of(type_) or type_ in COMPILERS_TEXTS):
            yield "size", _text(size)
    if isinstance(type_, dict):
        yield "switch-on", _text(type_.get("switch-on"))
        for key, case in type_["cases"].items():
            name, bracket, arguments = _text(case).partition("(")
            nested = scope.type_named(name)  # shown by the id of its layout
            yield f"case {key}", f"{nested.id if nested else name}{bracket}{arguments}"
    elif match := number_of(type_):
        letter, width, order = match.groups()
        if letter == "b" and order not in (None, scope.bit_endian):
            yield "bit order", order
        elif letter != "b" and int(width) > 1:
            yield "order", order or "of the record"
        if "-lm-type" in attribute or "-codec" in attribute:
            yield "number", letter
    elif isinstance(type_, str) and type_ in COMPILERS_TEXTS:
        yield "text", type_
    elif isinstance(type_, str) and "(" in type_:
        yield "arguments", _text(type_[type_.index("(") :])


def _texts(tree: dict[Any, Any], held: Container[str] = ()) -> dict[str, str]:
    return {str(key): _text(item) for key, item in tree.items() if key not in held}


def _text(value: Any) -> str:
    """A value of a spec as one line."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split())
