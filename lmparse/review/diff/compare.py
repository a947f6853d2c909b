"""Spec diff: what a change of specs does to those who read their data. Pure functions on two states of specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lmparse.review.diff.codes import code_changes
from lmparse.review.diff.effects import ADDED, REMOVED, add_effects
from lmparse.review.diff.fields import (
    INHERITED,
    FieldComparison,
    Said,
    SpecChange,
    came_and_went,
    changed_texts,
    endian_of,
    is_of_no_record,
)
from lmparse.review.diff.hints import LengthHint, length_hints
from lmparse.review.diff.pairs import LayoutPair, Pairs, paired
from lmparse.review.diff.rules import CLASSES
from lmparse.review.diff.walk import Walk
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import spec_of


@dataclass(frozen=True)
class Diff:
    """All changes from one state of specs to another, by spec, then the worst class first, then by field."""

    old: str
    new: str
    changes: tuple[SpecChange, ...]
    hints: tuple[LengthHint, ...]
    """Lengths in the later state that no longer fit the fields."""
    pairs: Pairs
    """Both states."""

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
    changes = [*_specs_and_types(pairs), *Walk(pairs).changes(), *code_changes(pairs)]
    for pair in pairs.touched_layouts():
        changes += [*_of_layout(pairs, pair), *_params(pairs, pair), *_instances(pairs, pair)]
        changes += _enum_details(pairs, pair)
    changes += _byte_orders(pairs)
    changes += add_effects(pairs, changes)
    changes += _texts(pairs, {change.spec for change in changes})
    ordered = sorted(changes, key=lambda change: _rank(pairs, change))
    return Diff(old.source, new.source, tuple(ordered), tuple(length_hints(pairs)), pairs)


def _rank(pairs: Pairs, change: SpecChange) -> tuple[object, ...]:
    layouts = (pairs.new.layouts.get(change.layout), pairs.old.layouts.get(change.layout))
    places = [layout.numbers[change.field] for layout in layouts if layout and change.field in layout.numbers]
    place = places[0] if places else -1
    words = (change.field, change.rule, str(change.old), str(change.new))
    return (change.spec, CLASSES.index(change.cls), change.layout, place, *words)


def _specs_and_types(pairs: Pairs) -> Iterator[SpecChange]:
    old, new = pairs.old.layouts, pairs.new.layouts
    for layouts, others, known, verb, effect in (
        (old, new, set(pairs.names), "removed", REMOVED),
        (new, old, set(pairs.names.values()), "added", ADDED),
    ):
        for name in sorted(layouts.keys() - known):
            said = (name, None) if verb == "removed" else (None, name)
            if spec_of(name) in pairs.ids and name == spec_of(name):
                change = SpecChange(f"spec-{verb}", name, "", *said)
                change.effects.add(effect)
                yield change
            elif spec_of(name) in pairs.ids and spec_of(name) in others:
                yield SpecChange(f"type-{verb}", name, "", *said)
    for before, after in sorted(pairs.names.items()):
        if before != after:
            yield SpecChange("type-renamed", after, "", before, after)


_TEXTS = {"title": "title-changed", "doc": "doc-changed", "doc_ref": "reference-changed"}


def _of_layout(pairs: Pairs, pair: LayoutPair) -> Iterator[SpecChange]:
    old, new = pair.old, pair.new
    for rule, before, after in changed_texts(old, new, _TEXTS):
        yield SpecChange(rule, new.id, "", before, after)
    if old.kind != new.kind:
        kinds = old.kind or "struct", new.kind or "struct"
        users = [
            f"{holder.id}.{entry.id}"
            for holder, before, entry in pairs.users.get(new.id, ())
            if (before.kind, entry.kind) == kinds
        ]
        yield SpecChange("kind-changed", new.id, "", *kinds, also=users)
    details = pairs.detail(pair, "")
    for key in sorted({*details[0], *details[1]} - {"meta/endian"}):
        if details[0].get(key) != details[1].get(key):
            rule = "source-changed" if key == "-lm-source" else "reading-changed"
            yield SpecChange("about-changed" if is_of_no_record(key) else rule, new.id, "", *_keyed(key, *details))


def _keyed(key: str, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Said, Said]:
    """The texts of a key in both states, with the key."""
    said = [f"{key}: {side[key]}" if key in side else None for side in (before, after)]
    return said[0], said[1]


def _params(pairs: Pairs, pair: LayoutPair) -> Iterator[SpecChange]:
    old, new = pair.old.params, pair.new.params
    before, after = ({name: name for name in names} for names in (old, new))
    yield from came_and_went("param", pair.id, "params", before, after)
    both = [[name for name in side if name in old and name in new] for side in (old, new)]
    if both[0] != both[1]:
        yield SpecChange("param-changed", pair.id, "params", ", ".join(old), ", ".join(new))
    for name in both[1]:
        yield from _of_details(pairs, pair, f"params.{name}", "param-changed")


def _instances(pairs: Pairs, pair: LayoutPair) -> Iterator[SpecChange]:
    old, new = (
        {member.removeprefix("instances."): texts.get("value") or texts.get("type") or "bytes"
         for member, texts in state.details.get(name, {}).items() if member.startswith("instances.")}
        for state, name in ((pairs.old, pair.old.id), (pairs.new, pair.id))
    )  # fmt: skip
    yield from came_and_went("instance", pair.id, "instances", old, new)
    for name in old.keys() & new.keys():
        yield from _of_details(pairs, pair, f"instances.{name}", "instance-changed")


_ABOUT = {
    "doc": "doc-changed",
    "doc-ref": "reference-changed",
    "-lm-source": "source-changed",
    "-lm-status": "status-changed",
    "-lm-valid-status": "status-changed",
    "-orig-id": "orig-id-changed",
}


def _of_details(pairs: Pairs, pair: LayoutPair, member: str, rule: str) -> Iterator[SpecChange]:
    """The changes of a member that is not a field."""
    before, after = pairs.detail(pair, member)
    words = FieldComparison(pairs, pair)
    for key in sorted({*before, *after}):
        if words.in_later_words(before.get(key, "")) != after.get(key, ""):
            found = _ABOUT.get(key.rpartition("/")[2], "about-changed" if is_of_no_record(key) else rule)
            yield SpecChange(found, pair.id, member, *_keyed(key, before, after))


def _enum_details(pairs: Pairs, pair: LayoutPair) -> Iterator[SpecChange]:
    """Changes of what the spec says about codes besides their names, for codes that are in both states."""
    for enum, codes in pair.new.enums.items():
        member = f"enums.{enum}"
        known = [{f"{code.value}" for code in side} for side in (pair.old.enums.get(enum, ()), codes)]
        before, after = pairs.detail(pair, member)
        for key in sorted({*before, *after}):
            is_in_both = all(key.partition("/")[0] in values for values in known)
            if is_in_both and before.get(key) != after.get(key):
                rule = _ABOUT.get(key.rpartition("/")[2], "about-changed")
                yield SpecChange(rule, pair.id, member, *_keyed(key, before, after))


def _byte_orders(pairs: Pairs) -> Iterator[SpecChange]:
    """Changes of the byte order of a spec, once for all types in it that have the same one."""
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
        # Where no number takes its order from there, all bytes are read as before.
        rule = "byte-order-changed" if numbers else "about-changed"
        yield SpecChange(rule, found[0].id, "", before or None, after or None, also=numbers)


def _texts(pairs: Pairs, changed: set[str]) -> Iterator[SpecChange]:
    """Specs with another text although no other change of them is known."""
    for spec_id in sorted(pairs.ids - changed):
        pair = pairs.layouts.get(spec_id)
        if pair is not None and pair.old.sha256 != pair.new.sha256:
            yield SpecChange("text-changed", spec_id, "", None, None)
