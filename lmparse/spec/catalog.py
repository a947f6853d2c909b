"""Catalog: finds the generated parser, the layout and the codes of a spec by its id.

The products of lmparse's specs are in `lmparse._generated`. The path `OUT/<id>` names another spec, built with `lmparse
build --formats DIR --out OUT`; its code is run, see `built`.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.errors import ReadError, UnknownFormatError
from lmparse.spec.built import differs, imported, package_of
from lmparse.spec.layout import Layout
from lmparse.spec.nesting import flat, in_front, list_at, reached
from lmparse.spelling import quoted
from lmparse.storage.stored import reason

PACKAGE = "lmparse._generated"
KIND = "kind"
"""Name of the instance in a spec, and key in `records`, that states the kind of a record, if there are several."""
PARENT = "_parent"
"""Name of the column that shows, for items of a list, the fields around the list."""


@dataclass(frozen=True)
class Spec:
    """One spec: the layout from its `.ksy`, and the parser made from it."""

    id: str
    name: str
    """The argument of `load`: the id, or the path of a spec from elsewhere."""
    layout: Layout
    layouts: Mapping[str, Layout]
    """All layouts built together with this layout, by id (`bmc_dicl.key_column`)."""
    parser: type[KaitaiStruct]
    parents: tuple[Layout, ...] = ()
    """For items of a list: the objects around the list, outermost first, with the fields in front of the list."""

    @cached_property
    def classes(self) -> dict[str, Layout]:
        """The layouts by the name of the generated class (`BmcDicl.KeyColumn`)."""
        return {".".join(map(class_name, layout_id.split("."))): layout for layout_id, layout in self.layouts.items()}

    @cached_property
    def debug_parser(self) -> Any:
        """The parser that notes the offsets of each field in `_debug`; it reads only when `_read()` is called."""
        return _parser(f"{sys.modules[self.parser.__module__].__package__}.debug", self.id)

    def layout_of(self, parsed: KaitaiStruct) -> Layout:
        """The layout of an object parsed by this spec, or by another spec of the same build."""
        return self.classes[type(parsed).__qualname__]

    def field_ids(self) -> set[str]:
        """Ids of all fields that a record of any kind may have."""
        more = {KIND: self.has_kind, PARENT: any(layout.fields for layout in self.parents)}
        return {entry.id for entry in flat(self.layouts, self.layout)} | {
            name for name, is_there in more.items() if is_there
        }

    @property
    def has_kind(self) -> bool:
        """Whether records have several kinds and state their kind."""
        return hasattr(self.parser, KIND) and any(entry.kind == "body" for entry in self.layout)

    @cached_property
    def codecs(self) -> frozenset[str]:
        """Codecs of all text in records of any kind."""
        inside = reached(self.layouts, [self.layout.id])
        return frozenset(entry.codec for layout in inside for entry in layout if entry.codec)

    @cached_property
    def with_instances(self) -> frozenset[str]:
        """Ids of the layouts with instances, in themselves or in layouts inside."""
        layouts = self.layouts
        inside = [*reached(layouts, [self.layout.id])]
        own = {layout.id for layout in inside if layout.reads_on or any(entry.is_instance for entry in layout)}
        return frozenset(
            layout.id for layout in inside if not own.isdisjoint(one.id for one in reached(layouts, [layout.id]))
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all layouts of the build, with the hashes of their specs: processes with equal fingerprints read
        records alike. All layouts count, because the parser may compute values by layouts that the spec's own does not
        name."""
        texts = sorted(map(repr, self.layouts.values()))
        return hashlib.sha256("\n".join(texts).encode(errors="backslashreplace")).hexdigest()

    def enum(self, name: str) -> dict[str, int]:
        """The values of an enumeration of the spec by their ids."""
        return {code.id: code.value for code in self.layout.enums[name]}


def class_name(spec_id: str) -> str:
    """The compiler's name for the class of a spec, type or enumeration."""
    return "".join(word.capitalize() for word in spec_id.split("_"))


def spec_ids() -> list[str]:
    """Ids of all specs of lmparse, sorted."""
    return sorted(name for name in _layouts(PACKAGE) if "." not in name)


@cache
def load(name: str, rows: str | None = None) -> Spec:
    """Load a spec by its id, or by the path of a spec from elsewhere, without its suffix.

    `rows` is the path of a list in the records; the result is then the spec of the list's items. Raises
    UnknownFormatError LMP-S001, which names the nearest ids, and OptionError LMP-S003 as `list_at`.
    """
    if rows is not None:
        spec = load(name)
        steps = list_at(spec.layouts, spec.layout, rows)
        parents, item = tuple(in_front(*step) for step in steps), steps[-1][1].type or ""
        package = str(sys.modules[spec.parser.__module__].__package__)
        return Spec(item, name, spec.layouts[item], spec.layouts, _parser(package, item), parents)
    package, spec_id = _locate(name)
    layouts = _layouts(package)
    if spec_id not in layouts or "." in spec_id:
        known = sorted(entry for entry in layouts if "." not in entry)
        near = difflib.get_close_matches(spec_id, known, n=3, cutoff=0.5)
        hint = "did you mean " + " or ".join(near) + "?" if near else "known: " + ", ".join(known)
        raise UnknownFormatError(f"there is no spec {quoted(name)}", hint=hint)
    return Spec(spec_id, name, layouts[spec_id], layouts, _parser(package, spec_id))


def load_planned(name: str, fingerprint: str) -> Spec:
    """Load the spec that another process planned with. Raises ReadError LMP-F012 if the spec has changed."""
    spec = load(name)
    if spec.fingerprint != fingerprint:
        text = f"{name}: is not the spec that its reading was planned with"
        hint = "read it again when no build of the spec runs; all processes must have the same spec"
        raise ReadError(text, hint=hint)
    return spec


def _parser(package: str, spec_id: str) -> type[KaitaiStruct]:
    root, *inner = spec_id.split(".")
    module = imported(f"{package}.{root}")
    parser = getattr(module, class_name(root), None)
    for name in inner:  # a type inside a spec is a class inside a class
        parser = getattr(parser, class_name(name), None)
    if not (isinstance(parser, type) and issubclass(parser, KaitaiStruct) and parser.__module__ == module.__name__):
        flaw = f"it has no class {class_name(spec_id)} of a parser"
        raise differs(Path(str(module.__file__)).parent, spec_id, flaw)
    return parser


def _layouts(package: str) -> dict[str, Layout]:
    module = imported(f"{package}.layouts")
    layouts = getattr(module, "LAYOUTS", None)
    if not (
        isinstance(layouts, dict) and all(isinstance(one, Layout) and one.id == id_ for id_, one in layouts.items())
    ):
        raise differs(Path(str(module.__file__)).parent, "layouts", "it has no LAYOUTS")
    return layouts


def _locate(name: str) -> tuple[str, str]:
    """Package and id for a name; a name with a path separator names a folder of products."""
    path = Path(name.removesuffix(".py").removesuffix(".ksy"))
    if path.name == name or "\0" in name:
        return PACKAGE, name
    folder = Path(os.path.realpath(path.parent))  # unlike resolve(), realpath accepts circular links
    try:
        is_there = (folder / "layouts.py").is_file()
    except OSError as error:
        raise UnknownFormatError(f"{path.parent}: cannot be read: {reason(error)}") from None
    if not is_there:
        text = f"there is no layouts.py in {path.parent}"
        raise UnknownFormatError(text, hint=f"build the spec first: lmparse build --formats DIR --out {path.parent}")
    return package_of(folder), path.name
