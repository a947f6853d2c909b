"""Spec diff: what a change of specs does to those who read their data. Pure functions on two states of specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lmparse.review.diff.codes import code_changes
from lmparse.review.diff.effects import Effect, Effects
from lmparse.review.diff.fields import (
    INHERITED,
    Draft,
    FieldComparison,
    Moved,
    Said,
    endian_of,
    is_of_no_record,
)
from lmparse.review.diff.pairs import LayoutPair, Pairs, paired, spec_of
from lmparse.review.diff.rules import CLASSES, RULES
from lmparse.review.diff.walk import Walk
from lmparse.spec.ksy import Specs

__all__ = ["Diff", "SpecChange", "compare"]


@dataclass(frozen=True)
class SpecChange:
    """One change, with what follows from it."""

    rule: str
    """One of RULES."""
    layout: str
    field: str
    """Field of the layout; `params.x`, `instances.x`, `enums.x` for what is none; empty for the layout itself."""
    old: Said
    new: Said
    effect: str
    """What it does to the columns that Spark shows, `none` when nothing."""
    columns: tuple[str, ...]
    """The columns it does it to."""
    moved: tuple[Moved, ...]
    """Fields that stand elsewhere because of it."""
    also: tuple[str, ...]
    """Fields that the same change is in, when it is one of a list of codes, a type or a byte order."""

    @property
    def cls(self) -> str:
        """Its class."""
        return RULES[self.rule].cls

    @property
    def spec(self) -> str:
        """The spec it is in."""
        return spec_of(self.layout)


@dataclass(frozen=True)
class Diff:
    """All changes from one state of specs to another: by spec, then the worst first, then in the order of fields."""

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
    """What has changed from one state of specs to another."""
    pairs = paired(old, new)
    drafts = [*_specs_and_types(pairs), *Walk(pairs).drafts(), *_codes(pairs)]
    for pair in (pairs.layouts[name] for name in sorted(pairs.touched)):
        drafts += [*_of_layout(pairs, pair), *_params(pairs, pair), *_instances(pairs, pair)]
        drafts += _enum_details(pairs, pair)
    drafts += _byte_orders(pairs)
    effects = Effects(pairs, drafts)
    drafts += effects.extra
    drafts += _texts(pairs, {spec_of(draft.layout) for draft in drafts})
    changes = [_settled(draft, effects.of(draft)) for draft in drafts]
    return Diff(old.source, new.source, tuple(sorted(changes, key=lambda change: _rank(pairs, change))))


def _settled(draft: Draft, effect: Effect) -> SpecChange:
    return SpecChange(
        rule=draft.rule,
        layout=draft.layout,
        field=draft.member,
        old=draft.old,
        new=draft.new,
        effect=str(effect),
        columns=tuple(sorted(effect.columns)),
        moved=tuple(draft.moved),
        also=tuple(draft.also),
    )


def _rank(pairs: Pairs, change: SpecChange) -> tuple[object, ...]:
    layouts = (pairs.new.layouts.get(change.layout), pairs.old.layouts.get(change.layout))
    places = [list(layout.by_id).index(change.field) for layout in layouts if layout and change.field in layout.by_id]
    place = places[0] if places else -1
    words = (change.field, change.rule, str(change.old), str(change.new))
    return (change.spec, CLASSES.index(change.cls), change.layout, place, *words)


def _specs_and_types(pairs: Pairs) -> Iterator[Draft]:
    taken = set(pairs.names.values())
    for layouts, known, verb in ((pairs.old.layouts, pairs.names, "removed"), (pairs.new.layouts, taken, "added")):
        for name in sorted(layouts):
            other = pairs.new.layouts if verb == "removed" else pairs.old.layouts
            if name in known or spec_of(name) not in pairs.ids:
                continue
            if "." not in name or spec_of(name) in other:
                what = "spec" if name == spec_of(name) else "type"
                said = (name, None) if verb == "removed" else (None, name)
                yield Draft(f"{what}-{verb}", name, "", *said)
    for before, after in sorted(pairs.names.items()):
        if before != after:
            yield Draft("type-renamed", after, "", before, after)


def _codes(pairs: Pairs) -> Iterator[Draft]:
    for found in code_changes(pairs):
        yield Draft(found.rule, found.layout, found.member, found.old, found.new, also=found.users)


def _of_layout(pairs: Pairs, pair: LayoutPair) -> Iterator[Draft]:
    old, new = pair.old, pair.new
    for rule, before, after in (
        ("title-changed", old.title, new.title),
        ("doc-changed", old.doc, new.doc),
        ("reference-changed", old.doc_ref, new.doc_ref),
    ):
        if before != after:
            yield Draft(rule, new.id, "", str(before) or None, str(after) or None)
    if old.kind != new.kind:
        kinds = old.kind or "struct", new.kind or "struct"
        users = [
            f"{holder.id}.{entry.id}"
            for holder in pairs.layouts.values()
            for before, entry in holder.kept()
            if entry.type == new.id and (before.kind, entry.kind) == kinds
        ]
        yield Draft("kind-changed", new.id, "", *kinds, also=users)
    details = pairs.detail(pair, "")
    for key in sorted({*details[0], *details[1]} - {"meta/endian"}):
        if details[0].get(key) != details[1].get(key):
            rule = "source-changed" if key == "-lm-source" else "reading-changed"
            yield Draft("about-changed" if is_of_no_record(key) else rule, new.id, "", *_keyed(key, *details))


def _keyed(key: str, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Said, Said]:
    """What stands at a key on both sides, with the key."""
    said = [f"{key}: {side[key]}" if key in side else None for side in (before, after)]
    return said[0], said[1]


def _params(pairs: Pairs, pair: LayoutPair) -> Iterator[Draft]:
    old, new = pair.old.params, pair.new.params
    for name in old:
        if name not in new:
            yield Draft("param-removed", pair.id, f"params.{name}", name, None)
    for name in new:
        if name not in old:
            yield Draft("param-added", pair.id, f"params.{name}", None, name)
    both = [[name for name in side if name in old and name in new] for side in (old, new)]
    if both[0] != both[1]:
        yield Draft("param-changed", pair.id, "params", ", ".join(old), ", ".join(new))
    for name in both[1]:
        yield from _of_details(pairs, pair, f"params.{name}", "param-changed")


def _instances(pairs: Pairs, pair: LayoutPair) -> Iterator[Draft]:
    sides = [state.details.get(name, {}) for state, name in ((pairs.old, pair.old.id), (pairs.new, pair.id))]
    for member in sorted({*sides[0], *sides[1]}):
        if not member.startswith("instances."):
            continue
        if member not in sides[1]:
            yield Draft("instance-removed", pair.id, member, _of_instance(sides[0][member]), None)
        elif member not in sides[0]:
            yield Draft("instance-added", pair.id, member, None, _of_instance(sides[1][member]))
        else:
            yield from _of_details(pairs, pair, member, "instance-changed")


def _of_instance(texts: Mapping[str, str]) -> str:
    return texts.get("value") or texts.get("type") or "bytes"


_ABOUT = {
    "doc": "doc-changed",
    "doc-ref": "reference-changed",
    "-lm-source": "source-changed",
    "-lm-status": "status-changed",
    "-orig-id": "orig-id-changed",
}


def _of_details(pairs: Pairs, pair: LayoutPair, member: str, rule: str) -> Iterator[Draft]:
    """What has changed in a member that is no field."""
    before, after = pairs.detail(pair, member)
    words = FieldComparison(pairs, pair)
    for key in sorted({*before, *after}):
        if words.in_later_words(before.get(key, "")) != after.get(key, ""):
            found = _ABOUT.get(key.rpartition("/")[2], "about-changed" if is_of_no_record(key) else rule)
            yield Draft(found, pair.id, member, *_keyed(key, before, after))


def _enum_details(pairs: Pairs, pair: LayoutPair) -> Iterator[Draft]:
    """What is said of codes beyond their words, of those that are in both states."""
    for enum, codes in pair.new.enums.items():
        member = f"enums.{enum}"
        known = [{f"{code.value}" for code in side} for side in (pair.old.enums.get(enum, ()), codes)]
        before, after = pairs.detail(pair, member)
        for key in sorted({*before, *after}):
            is_in_both = all(key.partition("/")[0] in values for values in known)
            if is_in_both and before.get(key) != after.get(key):
                rule = _ABOUT.get(key.rpartition("/")[2], "about-changed")
                yield Draft(rule, pair.id, member, *_keyed(key, before, after))


def _byte_orders(pairs: Pairs) -> Iterator[Draft]:
    """A byte order is said once for a spec; the types in it follow."""
    groups: dict[tuple[str, str, str], list[LayoutPair]] = {}
    for name in sorted(pairs.layouts):
        pair = pairs.layouts[name]
        before, after = endian_of(pairs.old, pair.old), endian_of(pairs.new, pair.new)
        if before != after:
            groups.setdefault((spec_of(name), before, after), []).append(pair)
    for (_, before, after), found in groups.items():
        numbers = [
            f"{pair.id}.{new.id}"
            for pair in found
            for _, new in pair.kept()
            if [side.get("order") for side in pairs.detail(pair, new.id)] == [INHERITED, INHERITED]
        ]
        # Where no number takes its order from there, nothing is read otherwise.
        rule = "byte-order-changed" if numbers else "about-changed"
        yield Draft(rule, found[0].id, "", before or None, after or None, also=numbers)


def _texts(pairs: Pairs, told: set[str]) -> Iterator[Draft]:
    """Specs whose text is another one although nothing in them is."""
    for spec_id in sorted(pairs.ids - told):
        pair = pairs.layouts.get(spec_id)
        if pair is not None and pair.old.sha256 != pair.new.sha256:
            yield Draft("text-changed", spec_id, "", None, None)
