"""Spec diff: what a change of specs does to those who read their data. Pure functions on two states of specs.

Each state is two dictionaries: what the specs state of each member of each layout, by its path (`bmc_lldf.plan`,
`bmc_lldf.params.kind`), and the type of each column that Spark shows, by its path (`place.x`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lmparse.columnar import schemas
from lmparse.errors import LmparseError
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.spec.build.constructs import TOO_DEEP
from lmparse.spec.catalog import KIND
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Code, Field, Layout, is_reserved, spec_of

Stated = str | int | None
"""What one state says; None for nothing."""
Facts = Mapping[str, Stated]

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


@dataclass
class SpecChange:
    """One change with its consequences."""

    rule: str
    """One of RULES."""
    what: str
    """What has changed: `field`, `column`, `spec`, or the key of a fact such as `width`."""
    layout: str
    """Id of the layout."""
    field: str
    """Field of the layout; `params.x`, `instances.x`, `enums.x` for other members; empty for the layout itself; of a
    change of a column its path."""
    old: Stated = None
    new: Stated = None
    also: list[str] = dataclasses.field(default_factory=list)
    """Paths of other members with the same change."""

    @property
    def cls(self) -> str:
        """Its class."""
        return RULES[self.rule].cls

    @property
    def path(self) -> str:
        """The member by its path."""
        return ".".join(filter(None, (self.layout, self.field)))


@dataclass(frozen=True)
class Diff:
    """All changes from one state of specs to another, by spec, then the worst class first, then by path."""

    old: str
    new: str
    changes: tuple[SpecChange, ...]

    def counts(self) -> dict[str, int]:
        """How many changes there are of each class, worst class first."""
        return {cls: sum(change.cls == cls for change in self.changes) for cls in CLASSES}

    def reaches(self, cls: str) -> bool:
        """Whether there is a change of a class or of a worse one."""
        bad = CLASSES[: CLASSES.index(cls) + 1]
        return any(change.cls in bad for change in self.changes)


def compare(old: Specs, new: Specs) -> Diff:
    """What has changed from one state of specs to another. Raises LmparseError (LMP-S008) for types too deep in one
    another to be followed.
    """
    try:
        changes = _joined(_changes(old, new))
    except RecursionError:
        path, text = TOO_DEEP
        raise LmparseError(f"{new.source}: error: {text} [{path}]", code="LMP-S008") from None
    changed = {spec_of(path) for change in changes for path in (change.layout, *change.also)}
    for name in sorted(compared_specs(old, new) & old.layouts.keys() & new.layouts.keys() - changed):
        if old.layouts[name].sha256 != new.layouts[name].sha256:
            changes.append(SpecChange("doc", "text", name, ""))

    places = {(name, entry.id): number for name, layout in new.layouts.items() for number, entry in enumerate(layout)}

    def order(change: SpecChange) -> tuple[object, ...]:
        is_column = change.what == "column"
        words = change.layout, places.get((change.layout, change.field), -1), change.field, change.rule, change.what
        return spec_of(change.layout), CLASSES.index(change.cls), is_column, *words

    return Diff(old.source, new.source, tuple(sorted(changes, key=order)))


def compared_specs(old: Specs, new: Specs) -> frozenset[str]:
    """Ids of the specs that are compared: where one state is a file, its spec, and what that imports."""
    alone = [state.own for state in (old, new) if state.is_file]
    own = frozenset().union(*alone) if alone else old.own | new.own
    return own | (frozenset(map(spec_of, old.layouts)) & frozenset(map(spec_of, new.layouts)))


def _changes(old: Specs, new: Specs) -> Iterator[SpecChange]:
    ids = compared_specs(old, new)
    layouts = [layout for state in (old, new) for layout in state.layouts.values()]
    used = {_enum_of(layout.id, entry) for layout in layouts for entry in layout.columns}
    for name in sorted({*old.layouts, *new.layouts}):
        spec = spec_of(name)
        if spec not in ids:
            continue
        if name in old.layouts and name in new.layouts:
            yield from _of_members(name, old, new, used)
            yield from _of_fields(name, old, new)
            if name == spec:
                yield from _of_columns(name, columns_of(old, name), columns_of(new, name))
        elif name == spec:
            yield SpecChange("removed" if name in old.layouts else "added", "spec", name, "")
        elif spec in old.layouts and spec in new.layouts:
            yield SpecChange("unused" if name in old.layouts else "added", "type", name, "")


def _of_members(name: str, old: Specs, new: Specs, used: set[tuple[str, str]]) -> Iterator[SpecChange]:
    """The changes of the layout itself, of its parameters, its instances and its lists of codes."""
    before, after = old.layouts[name], new.layouts[name]
    yield from _differing(name, "", _layout_facts(old, before), _layout_facts(new, after))
    stated = old.details.get(name, {}), new.details.get(name, {})
    for member in sorted(member for member in {*stated[0], *stated[1]} if "." in member):
        was, now = (side.get(member) for side in stated)
        rule = {"params": "parameters", "instances": "reading"}.get(member.partition(".")[0], "doc")
        if was is not None and now is not None:
            for change in _differing(name, member, was, now):
                change.rule = change.rule if change.rule == "doc" else rule
                yield change
        elif rule == "reading":
            rule = "added" if was is None else "removed"
            yield SpecChange(rule, "instance", name, member, _shortly(was), _shortly(now))
    for enum in sorted({*before.enums, *after.enums}):
        if (spec_of(name), enum) not in used:  # the codes of fields are compared there
            yield from _of_codes(name, f"enums.{enum}", before.enums.get(enum), after.enums.get(enum))
    known = {entry.id: entry for entry in after.calculated}
    for entry in before.calculated:
        if entry.id in known:
            yield from _of_codes(name, f"instances.{entry.id}", entry.codes, known[entry.id].codes)
    for param in before.param_codes.keys() & after.param_codes.keys():
        yield from _of_codes(name, f"params.{param}", before.param_codes[param], after.param_codes[param])


def _of_fields(name: str, old: Specs, new: Specs) -> Iterator[SpecChange]:
    """The changes of the fields of a layout."""
    before, after = old.layouts[name], new.layouts[name]
    places = _places(before), _places(after)
    for entry in before:
        if entry.id not in after.by_id:
            rule = "unused" if is_reserved(entry.id) else "removed"
            yield SpecChange(rule, "field", name, entry.id, described(entry))
    for entry in after:
        was = before.by_id.get(entry.id)
        if was is None:
            rule = "required" if _needs_bytes(before, entry) else "added"
            yield SpecChange(rule, "field", name, entry.id, None, described(entry))
            continue
        for change in _differing(name, entry.id, facts_of(old, before, was), facts_of(new, after, entry)):
            if change.rule == "resized" and is_reserved(entry.id) and not _needs_bytes(before, entry):
                change.rule = "unused"
            yield change
        yield from _of_codes(name, entry.id, was.codes, entry.codes)
        is_moved = places[0].get(entry.id) != places[1].get(entry.id)
        if is_moved and not is_reserved(entry.id) and entry.kind != "rest":
            yield SpecChange("moved", "field", name, entry.id, was.offset, entry.offset)


def _places(layout: Layout) -> dict[str, tuple[str, int]]:
    """The place of each field: the last part of variable length in front of it, and the bits behind that.

    What moves that part moves those behind it too, and is a change of its own.
    """
    found: dict[str, tuple[str, int]] = {}
    front, bits = "", 0
    for entry in layout:
        if entry.is_instance:
            continue  # it says itself where it is
        bits = bits if entry.bits else -(-bits // 8) * 8
        found[entry.id] = front, bits
        if entry.conditional or entry.repeated or (entry.width is None and not entry.bits):
            front, bits = entry.id, 0
        else:
            bits += entry.bits or (entry.width or 0) * 8
    return found


def _layout_facts(specs: Specs, layout: Layout) -> dict[str, Stated]:
    own = {"meta/endian": endian_of(specs, layout)} if "." not in layout.id else {}
    stated = specs.details.get(layout.id, {}).get("", {})
    return {
        "title": layout.title, "doc": layout.doc, "doc-ref": layout.doc_ref, "kind": layout.kind or "struct",
        "parameters": ", ".join(layout.params) or "none", **stated, **own,
    }  # fmt: skip


def _shortly(facts: Mapping[str, str] | None) -> Stated:
    return None if facts is None else facts.get("value") or facts.get("type") or "bytes"


def _of_codes(
    name: str, member: str, old: tuple[Code, ...] | None, new: tuple[Code, ...] | None
) -> Iterator[SpecChange]:
    """The changes of a list of codes, each code by its value."""
    sides: list[dict[object, list[Code]]] = [{}, {}]
    for side, codes in zip(sides, (old, new), strict=True):
        for code in codes or ():
            side.setdefault(code.value, []).append(code)
    is_unused = member.startswith("enums.")
    for value in dict.fromkeys([*sides[0], *sides[1]]):
        before, after = (tuple(side.get(value, ())) for side in sides)
        words = _code_words(before), _code_words(after)
        if words[0] != words[1]:
            rule = "unused" if is_unused else "code-added" if not before else "codes"
            yield SpecChange(rule, "code", name, member, *words)
        elif before != after:
            yield SpecChange("doc", "doc of a code", name, member, _code_docs(before), _code_docs(after))


def _code_words(codes: tuple[Code, ...]) -> str | None:
    return ", ".join(f"{code.value if code.text is None else code.text} {code.id}" for code in codes) or None


def _code_docs(codes: tuple[Code, ...]) -> str:
    words = [word for code in codes for word in (code.doc, code.status) if word]
    return f"{_code_words(codes)}: {'; '.join(words)}"


def _enum_of(layout_id: str, entry: Field) -> tuple[str, str]:
    """Id of the spec of the list of codes that a field of a layout names, and the name of the list."""
    head, _, name = (entry.enum or "").rpartition("::")
    spec = head.partition("::")[0]
    return (spec if "_" in spec else spec_of(layout_id)), name


def _of_columns(spec_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[SpecChange]:
    for path in dict.fromkeys([*old, *new]):
        before, after = old.get(path), new.get(path)
        names = [None if type_ is None else type_name(type_) for type_ in (before, after)]
        if names[0] == names[1] or is_reserved(path):
            continue
        if before is None or after is None:
            rule = "added" if before is None else "removed"
        else:
            rule = "widened" if is_wider(before, after) else "retyped"
        yield SpecChange(rule, "column", spec_id, path, names[0], names[1])


def _joined(changes: Iterable[SpecChange]) -> list[SpecChange]:
    """The changes, with those that many members have alike as one: moved as far, of one list, of one byte order."""
    found: dict[tuple[object, ...], SpecChange] = {}
    for number, change in enumerate(changes):
        key: tuple[object, ...] = (number,)
        if change.rule == "moved":
            is_known = isinstance(change.old, int) and isinstance(change.new, int)
            key = change.rule, change.layout, int(change.new or 0) - int(change.old or 0) if is_known else None
        elif change.what in ("code", "doc of a code", "byte order", "column"):
            place = change.field if change.what == "column" else spec_of(change.layout)
            key = change.rule, change.what, place, change.old, change.new
        known = found.setdefault(key, change)
        if known is not change:
            known.also.append(change.path)
    return list(found.values())


def _needs_bytes(old: Layout, entry: Field) -> bool:
    """Whether records that were long enough so far may be too short for a field."""
    can_be_missing = entry.optional or entry.conditional or entry.repeated or entry.is_instance or entry.kind == "rest"
    return not can_be_missing and entry.width != 0 and (entry.end is None or entry.end > old.least_width)


# -- facts: what a spec states of a field, by key, and the rule for a change of each ------------


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


def _differing(name: str, member: str, old: Facts, new: Facts) -> Iterator[SpecChange]:
    """The changes of the facts of one member; an empty text is nothing, and a zero is not."""
    for key in dict.fromkeys([*old, *new]):
        before, after = (None if facts.get(key) == "" else facts.get(key) for facts in (old, new))
        follows = key in _OF_KIND and old.get("kind") != new.get("kind")
        if before != after and not follows:
            what = key.rpartition("::")[2] if key.startswith("case ") else key
            yield SpecChange(_rule(key, before, after), what, name, member, before, after)


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
