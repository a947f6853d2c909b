"""Facts: what a spec states of a field, by key, the rule for a change of each, and the columns of its records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lmparse.columnar import schemas
from lmparse.spec.catalog import KIND
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout, spec_of

Stated = str | int | None
"""What one state says; None for nothing."""
Facts = Mapping[str, Stated]
Difference = tuple[str, str, Stated, Stated]
"""Rule, what has changed, before, after."""

_ALIKE = (frozenset(("bytes", "lrsn10", "rba10")), frozenset(("char", "code")))
"""Kinds whose values are shown the same."""
_TYPES = frozenset(
    ("kind", "type", "enumeration", "repetition", "byte order", "code page", "bit order", "number", "text",
     "arguments", "switch-on", "meta/bit-endian", "meta/encoding")
)  # fmt: skip
_OF_KIND = frozenset(("number", "text"))
"""Facts that follow from another kind."""
_SIZES = frozenset(("width", "size", "size-eos"))
_DOCS = re.compile(r"(.*/)?(doc|doc-ref|title|-orig-id|-lm-.*)|meta/(?!encoding$|bit-endian$).*|to-string|-.*")
"""Keys without a meaning for how bytes are read."""


def facts_of(specs: Specs, layout: Layout, entry: Field) -> dict[str, Stated]:
    """What a spec states of a field, without its place and its codes."""
    stated = dict(specs.details.get(layout.id, {}).get(entry.id, {}))
    nested = specs.layouts.get(entry.type or "")
    follows = nested is not None and "size" not in stated and not entry.repeated and entry.width == nested.width
    condition, own_order = stated.pop("if", ""), stated.pop("order", "")
    missing = ", ".join(word for word in ("optional", "conditional") if getattr(entry, word)) or "always"
    return {
        "kind": entry.kind,
        "width": None if follows else width_of(entry),  # else it is that of its type, and no change of its own
        "byte order": (endian_of(specs, layout) if own_order == "of the record" else own_order) or None,
        "presence": f"if {condition}" if condition else missing,
        "repetition": "list" if entry.repeated else "one",
        "type": "one of several" if entry.cases else entry.type,
        **{f"case {case}": case for case in entry.cases if "switch-on" not in stated},
        "scale": entry.scale or None, "unit": entry.unit, "code page": entry.codec,
        "enumeration": entry.enum if entry.is_labelled else "none",
        "minimum": entry.minimum, "maximum": entry.maximum, "checks": entry.checks or None,
        "doc": entry.doc, "doc-ref": entry.doc_ref, "-orig-id": entry.orig_id, "-lm-source": entry.source,
        "-lm-status": entry.status, "-lm-valid-status": entry.valid_status,
        **stated,
    }  # fmt: skip


def differences(old: Facts, new: Facts) -> Iterator[Difference]:
    """The changes between two states of the facts of one member; an empty text is nothing, and a zero is not."""
    for key in dict.fromkeys([*old, *new]):
        before, after = (None if facts.get(key) == "" else facts.get(key) for facts in (old, new))
        follows = key in _OF_KIND and old.get("kind") != new.get("kind")
        if before != after and not follows:
            yield _rule(key, before, after), key.rpartition("::")[2] if key.startswith("case ") else key, before, after


def _rule(key: str, old: Stated, new: Stated) -> str:
    """The rule for the change of a fact."""
    if key.startswith("case "):
        return "added" if old is None else "removed" if new is None else "retyped"
    if key == "parameters":
        return key
    if key == "kind" and any({old, new} <= alike for alike in _ALIKE):
        return "alike"
    if key == "enumeration" and "none" not in (old, new):
        return "doc"  # its values and their words are compared one by one
    if key in _TYPES:
        return "retyped"
    if key in _SIZES:
        return "resized"
    if key == "scale" or (key == "unit" and old and new):
        return "rescaled"
    if key in ("minimum", "maximum"):
        is_stricter = new is not None and (
            old is None or (int(new) > int(old) if key == "minimum" else int(new) < int(old))
        )
        return "narrowed" if is_stricter else "widened"
    if key == "checks":
        return "widened" if new is None else "narrowed"
    if key == "presence" and "always" in (old, new):
        return "widened" if old == "always" else "narrowed"
    return "doc" if key == "unit" or _DOCS.fullmatch(key) else "reading"


def endian_of(specs: Specs, layout: Layout) -> str:
    """The byte order of the numbers of a layout: `be`, `le`, or the expression that decides."""
    texts = (specs.details.get(name, {}).get("", {}).get("meta/endian") for name in (layout.id, spec_of(layout.id)))
    return layout.endian or next(filter(None, texts), "")


def width_of(entry: Field) -> str:
    """The width of a field in words."""
    if entry.bits is not None:
        return f"{entry.bits} bit{'' if entry.bits == 1 else 's'}"
    return "variable" if entry.width is None else f"{entry.width} byte{'' if entry.width == 1 else 's'}"


def described(entry: Field) -> str:
    """A field in a few words: `char, 8 bytes at 220`."""
    kind = f"{entry.kind} ({entry.codec})" if entry.codec else entry.kind
    return f"{kind}, {width_of(entry)}" + ("" if entry.offset is None else f" at {entry.offset}")


# -- columns ----------------------------------------------------------------------------------


def columns_of(specs: Specs, spec_id: str) -> dict[str, Any]:
    """The types of the columns by path. A member of a struct, in a list too, is `place.x`."""
    layout = specs.layouts[spec_id]
    has_body = any(entry.kind == "body" for entry in layout)
    has_kind = has_body and f"instances.{KIND}" in specs.details.get(spec_id, {})
    return dict(_paths(schemas.columns_of(specs.layouts, layout, has_kind=has_kind).values()))


def type_name(type_: Any) -> str:
    """A type as Arrow names it, without the members of a struct, which are columns of their own."""
    one = getattr(type_, "value_type", type_)
    name = "struct" if hasattr(one, "fields") else str(one)
    return name if one is type_ else f"list<{name}>"


def is_wider(old: Any, new: Any) -> bool:
    """Whether a type holds every value of another."""
    return new != schemas.TEXT and bool(schemas.common(old, new) == new)


def _paths(fields: Iterable[Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for field in fields:
        yield above + field.name, field.type
        one = getattr(field.type, "value_type", field.type)
        yield from _paths(getattr(one, "fields", ()), f"{above}{field.name}.")
