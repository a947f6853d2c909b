"""Spec diff: what a change of specs does to those who read their data. Pure functions on two states of specs.

Each state is two dictionaries: what the specs state of each member of each layout, by its path (`bmc_lldf.plan`,
`bmc_lldf.params.kind`), and the type of each column that Spark shows, by its path (`place.x`). A field is the same one
in both states if it has the same path, or if the vendor's name (`-orig-id`) that it has is that of no other field of
its layout and its own name is gone.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lmparse.errors import LmparseError
from lmparse.review.diff.columns import columns_of, is_wider, type_name
from lmparse.review.diff.fields import Found, Said, changes_of, described, endian_of, facts_of
from lmparse.review.diff.places import Places
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.spec.build.shape import TOO_DEEP
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Code, Field, Layout, is_reserved, spec_of
from lmparse.spec.nesting import reached

_SHARED = frozenset(
    ("byte-order-changed", "code-added", "code-removed", "code-changed", "column-added", "column-removed",
     "column-retyped", "column-widened")
)  # fmt: skip
"""Rules of changes that many members may have alike: these are one change."""


@dataclass(frozen=True)
class Moved:
    """A field at another place. Offsets are in bytes, None where the data decides them."""

    field: str
    old: int | None
    new: int | None


@dataclass
class SpecChange:
    """One change with its consequences."""

    rule: str
    """One of RULES."""
    layout: str
    """Id of the layout."""
    field: str
    """Field of the layout; `params.x`, `instances.x`, `enums.x` for other members; empty for the layout itself; of a
    change of a column its path."""
    old: Said
    new: Said
    moved: list[Moved] = dataclasses.field(default_factory=list)
    """Fields of the layout behind it that have moved as far as the field."""
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
        changes = [*_Comparison(old, new).changes()]
    except RecursionError:
        path, text = TOO_DEEP
        raise LmparseError(f"{new.source}: error: {text} [{path}]", code="LMP-S008") from None
    return Diff(old.source, new.source, tuple(changes))


class _Comparison:
    """Both states side by side."""

    def __init__(self, old: Specs, new: Specs) -> None:
        self.old, self.new = old, new
        self.ids = compared_specs(old, new)
        known = old.layouts.keys() & new.layouts.keys()
        self.layouts = {
            name: (old.layouts[name], new.layouts[name]) for name in sorted(known) if spec_of(name) in self.ids
        }
        self.same = {name: _same_fields(*pair) for name, pair in self.layouts.items()}
        """The fields in both states: earlier names by the later ones."""
        later = {(name, was): now for name, same in self.same.items() for now, was in same.items()}
        self.used = {
            _enum_of(name, entry.enum) for name, pair in self.layouts.items() for layout in pair for entry in layout
        }
        """Lists of codes that fields have: ids of specs and names."""
        cases = {
            (name, now): frozenset(pair[0].by_id[was].cases) & frozenset(pair[1].by_id[now].cases)
            for name, pair in self.layouts.items()
            for now, was in self.same[name].items()
        }
        table: dict[object, int] = {}
        self.places = Places(old, later, cases, table), Places(new, {}, cases, table)

    def changes(self) -> Iterator[SpecChange]:
        """All changes in the order of reports."""
        found = [*self._of_layouts()]
        for name, (old, new) in self.layouts.items():
            found += self._of_members(name, old, new)
            found += self._of_fields(name, old, new)
        for spec_id in sorted(self.ids & self.old.layouts.keys() & self.new.layouts.keys()):
            found += _of_columns(spec_id, columns_of(self.old, spec_id), columns_of(self.new, spec_id))
        found = _joined(found)
        changed = {spec_of(path) for change in found for path in (change.layout, *change.also)}
        for name, (old, new) in self.layouts.items():
            if spec_of(name) == name and name not in changed and old.sha256 != new.sha256:
                found.append(SpecChange("text-changed", name, "", None, None))
        order = {
            (name, entry.id): number
            for name, pair in self.layouts.items()
            for layout in pair
            for number, entry in enumerate(layout)
        }

        def rank(change: SpecChange) -> tuple[object, ...]:
            at = order.get((change.layout, change.field), -1)
            is_column = change.rule.startswith("column-")
            words = change.layout, at, change.field, change.rule
            return spec_of(change.layout), CLASSES.index(change.cls), is_column, *words

        yield from sorted(found, key=rank)

    def _of_layouts(self) -> Iterator[SpecChange]:
        old, new = self.old.layouts, self.new.layouts
        for name in sorted({*old, *new} - self.layouts.keys()):
            spec = spec_of(name)
            if spec in self.ids and (name == spec or (spec in old and spec in new)):
                rule = f"{'spec' if name == spec else 'type'}-{'removed' if name in old else 'added'}"
                yield SpecChange(rule, name, "", *((name, None) if name in old else (None, name)))

    def _of_members(self, name: str, old: Layout, new: Layout) -> Iterator[SpecChange]:
        """The changes of the layout itself, of its parameters, its instances and its lists of codes."""
        yield from self._made(name, "", changes_of(_layout_facts(self.old, old), _layout_facts(self.new, new)))
        if sorted(old.params) == sorted(new.params) and old.params != new.params:
            yield SpecChange("param-changed", name, "params", ", ".join(old.params), ", ".join(new.params))
        said = self.old.details.get(name, {}), self.new.details.get(name, {})
        for member in sorted({*said[0], *said[1]}):
            kind = {"params": "param", "instances": "instance"}.get(member.partition(".")[0])
            if "." not in member:
                continue
            before, after = said[0].get(member), said[1].get(member)
            if kind and (before is None or after is None):
                verb = "added" if before is None else "removed"
                yield SpecChange(f"{kind}-{verb}", name, member, _shortly(before), _shortly(after))
            elif before is not None and after is not None:
                found = changes_of(before, after, f"{kind}-changed" if kind else "about-changed")
                yield from self._made(name, member, found)
        for enum in sorted({*old.enums, *new.enums}):
            if (spec_of(name), enum) not in self.used:  # the codes of fields are compared there
                found = _code_changes(old.enums.get(enum), new.enums.get(enum), enum, "list-changed")
                yield from self._made(name, f"enums.{enum}", found)
        for param in old.param_codes.keys() & new.param_codes.keys():
            found = _code_changes(old.param_codes[param], new.param_codes[param], param, "list-changed")
            yield from self._made(name, f"params.{param}", found)

    def _of_fields(self, name: str, old: Layout, new: Layout) -> Iterator[SpecChange]:
        """The changes of the fields of a layout; fields that have moved as far as those in front of them are one."""
        same = self.same[name]
        before, after = self.places[0].of(old), self.places[1].of(new)
        kept = {*same.values()}
        for entry in old:
            if entry.id not in kept:
                rule = "reserved-changed" if is_reserved(entry.id) else "field-removed"
                yield SpecChange(rule, name, entry.id, described(entry), None)
        shift, moving = None, SpecChange("", name, "", None, None)
        for entry in new:
            if entry.id not in same:
                rule = "field-required" if _needs_bytes(old, entry) else "field-added"
                yield SpecChange(rule, name, entry.id, None, described(entry))
                continue
            was = old.by_id[same[entry.id]]
            yield from self._of_field(name, was, entry)
            places = before[was.id], after[entry.id]
            if is_reserved(entry.id) or entry.kind == "rest" or places[0] == places[1]:
                continue
            own = None if places[0][0] != places[1][0] else places[1][1] - places[0][1]
            if own != shift or not moving.rule:
                moving = SpecChange("field-moved", name, entry.id, was.offset, entry.offset)
                yield moving
            else:
                moving.moved.append(Moved(entry.id, was.offset, entry.offset))
            shift = own

    def _of_field(self, name: str, old: Field, new: Field) -> Iterator[SpecChange]:
        layouts = self.layouts[name]
        facts = facts_of(self.old, layouts[0], old), facts_of(self.new, layouts[1], new)
        found = [*changes_of(*facts), *_code_changes(old.codes, new.codes, new.enum or old.enum or "", "")]
        if old.id != new.id:
            found.append(("field-renamed", old.id, new.id))
        for change in self._made(name, new.id, found):
            if change.rule == "width-changed" and is_reserved(new.id) and not _needs_bytes(layouts[0], new):
                change.rule = "reserved-changed"
            yield change

    @staticmethod
    def _made(name: str, member: str, found: Iterable[Found]) -> Iterator[SpecChange]:
        return (SpecChange(rule, name, member, old, new) for rule, old, new in found)


def compared_specs(old: Specs, new: Specs) -> frozenset[str]:
    """Ids of the specs that are compared: where one state is a file, its spec with all that it needs."""
    alone = [state.own for state in (old, new) if state.is_file]
    own = frozenset().union(*alone) if alone else old.own | new.own
    both = frozenset(map(spec_of, old.layouts)) & frozenset(map(spec_of, new.layouts))
    if alone:
        both &= {spec for state in (old, new) for spec in _needed(state, own)}
    return own | both


def _needed(state: Specs, own: Iterable[str]) -> set[str]:
    found: set[str] = set()
    left = {*own}
    while left:
        found |= left
        inside = [name for name in state.layouts if spec_of(name) in left]
        left = {spec_of(layout.id) for layout in reached(state.layouts, inside)} - found
    return found


def _same_fields(old: Layout, new: Layout) -> dict[str, str]:
    """The fields in both states: earlier names by the later ones, in the later order."""
    sides = [[entry for entry in one if entry.id not in other.by_id] for one, other in ((old, new), (new, old))]
    counts = [Counter(entry.orig_id for entry in side) for side in sides]
    gone = {entry.orig_id: entry.id for entry in sides[0] if entry.orig_id and counts[0][entry.orig_id] == 1}
    same = {}
    for entry in new:
        if entry.id in old.by_id:
            same[entry.id] = entry.id
        elif counts[1][entry.orig_id] == 1 and entry.orig_id in gone:
            same[entry.id] = gone[entry.orig_id]
    return same


def _layout_facts(specs: Specs, layout: Layout) -> dict[str, Said]:
    said = specs.details.get(layout.id, {}).get("", {})
    own = {"meta/endian": endian_of(specs, layout)} if "." not in layout.id else {}
    texts = {"title": layout.title, "doc": layout.doc, "doc-ref": layout.doc_ref}
    return {**texts, "kind": layout.kind or "struct", **said, **own}


def _shortly(facts: Mapping[str, str] | None) -> Said:
    return None if facts is None else facts.get("value") or facts.get("type") or "bytes"


def _code_changes(old: tuple[Code, ...] | None, new: tuple[Code, ...] | None, enum: str, whole: str) -> Iterator[Found]:
    """The changes of a list of codes; `whole` is the rule for a list in one state only, if it is not that of codes."""
    if not old or not new:
        if old or new:
            rule = whole or ("code-removed" if old else "code-added")
            yield rule, f"codes of {enum}" if old else None, f"codes of {enum}" if new else None
        return
    before, after = _by_value(old), _by_value(new)
    for value in before | after:
        one, other = before.get(value), after.get(value)
        shown = _shown(one), _shown(other)
        if one is None or other is None:
            yield ("code-removed" if other is None else "code-added"), *shown
            continue
        if shown[0] != shown[1]:
            yield "code-changed", *shown
        if one[0].doc != other[0].doc:
            yield "doc-changed", f"{shown[0]}: {one[0].doc}", other[0].doc
        if one[0].status != other[0].status:
            yield "status-changed", f"{shown[0]}: {one[0].status}", other[0].status


def _enum_of(layout_id: str, enum: str | None) -> tuple[str, str]:
    """Id of the spec of a list of codes that a field of a layout names, and the name of the list."""
    head, _, name = (enum or "").rpartition("::")
    spec = head.partition("::")[0]
    return (spec if "_" in spec else spec_of(layout_id)), name


def _by_value(codes: Iterable[Code]) -> dict[int, list[Code]]:
    found: dict[int, list[Code]] = {}
    for code in codes:
        found.setdefault(code.value, []).append(code)
    return found


def _shown(codes: list[Code] | None) -> str | None:
    """A value with its names: `UB update`."""
    return ", ".join(f"{code.value if code.text is None else code.text} {code.id}" for code in codes or ()) or None


def _of_columns(spec_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[SpecChange]:
    for path in dict.fromkeys([*old, *new]):
        before, after = old.get(path), new.get(path)
        names = [None if type_ is None else type_name(type_) for type_ in (before, after)]
        if names[0] == names[1] or is_reserved(path):
            continue
        if before is None or after is None:
            rule = "column-added" if before is None else "column-removed"
        else:
            rule = "column-widened" if is_wider(before, after) else "column-retyped"
        yield SpecChange(rule, spec_id, path, names[0], names[1])


def _joined(changes: Iterable[SpecChange]) -> list[SpecChange]:
    """The changes, with those that many members have alike as one: of fields with one list."""
    found: dict[tuple[object, ...], SpecChange] = {}
    for number, change in enumerate(changes):
        is_column = change.rule.startswith("column-")
        key = (change.rule, change.field if is_column else spec_of(change.layout), change.old, change.new)
        known = found.setdefault(key if change.rule in _SHARED else (number,), change)
        if known is not change:
            known.also.append(change.path)
    return list(found.values())


def _needs_bytes(old: Layout, entry: Field) -> bool:
    """Whether records that were long enough so far may be too short for a field."""
    can_be_missing = entry.optional or entry.conditional or entry.repeated or entry.is_instance or entry.kind == "rest"
    return not can_be_missing and entry.width != 0 and (entry.end is None or entry.end > old.least_width)
