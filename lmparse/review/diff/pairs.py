"""Pairs: the layouts and fields of one state of specs with the same ones in the other state."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout, is_reserved, spec_of


@dataclass(frozen=True)
class FieldPair:
    """One step of a walk through both layouts at once, in the order of the fields."""

    old: Field | None
    """None for a field that is added."""
    new: Field | None
    """None for a field that is removed."""
    left: bool = False
    """Whether the field was here and is now elsewhere; another step has it there."""
    placed: bool = False
    """Whether the field is here and was elsewhere."""


@dataclass(frozen=True)
class LayoutPair:
    """A layout in both states."""

    old: Layout
    new: Layout
    steps: tuple[FieldPair, ...]

    @property
    def id(self) -> str:
        """Id in the later state, which reports use."""
        return self.new.id

    def kept(self) -> Iterator[tuple[Field, Field]]:
        """The fields that are in both states."""
        for step in self.steps:
            if step.old and step.new and not step.left:
                yield step.old, step.new

    def member_before(self, member: str) -> str:
        """The name of a member in the earlier state."""
        return next((old.id for old, new in self.kept() if new.id == member), member)


@dataclass(eq=False)
class Pairs:
    """Both states of some specs, side by side."""

    old: Specs
    new: Specs
    ids: frozenset[str]
    """Ids of the specs that are compared."""
    layouts: dict[str, LayoutPair] = field(default_factory=dict)
    """By the id in the later state."""
    names: dict[str, str] = field(default_factory=dict)
    """Ids of layouts in the later state, by their ids in the earlier state."""

    @cached_property
    def touched(self) -> frozenset[str]:
        """Ids of the layouts, in the later state, that have changed or have a field with such a layout."""
        found = {pair.id for pair in self.layouts.values() if not self._is_same(pair)}
        while True:
            above = {
                pair.id
                for pair in self.layouts.values()
                if pair.id not in found and not found.isdisjoint((*held_by(pair.new), *held_by(pair.old)))
            }
            if not above:
                return frozenset(found)
            found |= above

    def touched_layouts(self) -> Iterator[LayoutPair]:
        """The layouts of `touched`, by id."""
        return (self.layouts[name] for name in sorted(self.touched))

    def _is_same(self, pair: LayoutPair) -> bool:
        if pair.old.id != pair.id or pair.old != pair.new:
            return False
        return self.old.details.get(pair.id) == self.new.details.get(pair.id)

    def renamed(self, layout_id: str | None) -> str | None:
        """The id in the later state of a layout of the earlier state."""
        return self.names.get(layout_id, layout_id) if layout_id else None

    def renamed_words(self, spec_id: str) -> dict[str, str]:
        """Names in the expressions of a spec that are renamed: fields, types and lists of codes."""
        words = {}
        for pair in self.layouts.values():
            if spec_of(pair.id) == spec_id:
                words[pair.old.id.rpartition(".")[2]] = pair.id.rpartition(".")[2]
                for old, new in pair.kept():
                    words[old.id] = new.id
                    if old.enum and new.enum:
                        words[old.enum.rpartition("::")[2]] = new.enum.rpartition("::")[2]
        return {before: after for before, after in words.items() if before != after}

    def detail(self, pair: LayoutPair, member: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What the specs say about a member beyond its layout, before and after."""
        return said_of(self.old, pair.old.id, pair.member_before(member)), said_of(self.new, pair.id, member)


def said_of(state: Specs, layout_id: str, member: str) -> Mapping[str, str]:
    """What the specs of a state say about a member of a layout beyond the layout; empty for no such member."""
    return state.details.get(layout_id, {}).get(member, {})


def paired(old: Specs, new: Specs) -> Pairs:
    """Both states side by side.

    Where one state is a file, only its spec is compared, with the specs that it needs. Imported specs are compared
    as well, but whether they were added or removed is not reported: they are not of the same folder.
    """
    alone = [state.own for state in (old, new) if state.is_file]
    own = frozenset().union(*alone) if alone else old.own | new.own
    both = frozenset(map(spec_of, old.layouts)) & frozenset(map(spec_of, new.layouts))
    if alone:
        both &= _needed(old, own) | _needed(new, own)
    pairs = Pairs(old, new, own | both)
    left = [name for name in sorted(old.layouts) if name in new.layouts and spec_of(name) in pairs.ids]
    while left:
        for name in left:
            after = pairs.renamed(name) or name
            pairs.names[name] = after
            pairs.layouts[after] = _pair(pairs, old.layouts[name], new.layouts[after])
        left = _renamed_types(pairs) or _alike_types(pairs)
    return pairs


def _needed(state: Specs, own: Iterable[str]) -> frozenset[str]:
    """Some specs and all that their fields need."""
    seen: set[str] = set()
    left = set(own)
    while left:
        seen |= left
        holding = [layout for layout in state.layouts.values() if spec_of(layout.id) in left]
        left = {spec_of(name) for layout in holding for name in held_by(layout)} - seen
    return frozenset(seen)


def held_by(layout: Layout) -> Iterator[str]:
    """Ids of the layouts that the fields of a layout may have."""
    return (name for entry in layout for name in (*entry.cases, entry.type) if name)


def _unpaired(pairs: Pairs) -> tuple[list[str], list[str]]:
    """Types that are in one state only, inside specs that are in both."""
    gone = [name for name in sorted(pairs.old.layouts) if name not in pairs.names and "." in name]
    taken = set(pairs.names.values())
    come = [name for name in sorted(pairs.new.layouts) if name not in taken and "." in name]
    specs = {spec_of(name) for name in pairs.names}
    return [name for name in gone if spec_of(name) in specs], [name for name in come if spec_of(name) in specs]


def _renamed_types(pairs: Pairs) -> list[str]:
    """Types that have another name in the same field or case; adds the new names to `pairs`."""
    gone, come = _unpaired(pairs)
    found: dict[str, str] = {}
    for pair in list(pairs.layouts.values()):
        for old, new in pair.kept():
            before, after = pairs.detail(pair, new.id)
            held = [(old.type, new.type)]
            held += [
                (before[key].partition("(")[0], after[key].partition("(")[0])
                for key in before
                if key.startswith("case ") and key in after
            ]
            for one, other in held:
                if one in gone and other in come and one not in found and other not in found.values():
                    found[str(one)] = str(other)
    pairs.names |= found
    return sorted(found)


def _alike_types(pairs: Pairs) -> list[str]:
    """Types that have the same fields under another name; adds the new names to `pairs`."""
    gone, come = _unpaired(pairs)
    found: dict[str, str] = {}
    for one in gone:
        fields = pairs.old.layouts[one].fields
        for other in come:
            if fields and pairs.new.layouts[other].fields == fields and other not in found.values():
                found[one] = other
                break
    pairs.names |= found
    return sorted(found)


def _pair(pairs: Pairs, old: Layout, new: Layout) -> LayoutPair:
    known = {entry.id: entry for entry in new}
    matched = {entry.id: entry.id for entry in old if entry.id in known}
    gone = [entry for entry in old if entry.id not in known]
    come = [entry for entry in new if entry.id not in matched]
    for one in gone:
        for other in come:
            if other.id not in matched.values() and _is_renamed(pairs, (old, new), (gone, come), (one, other)):
                matched[one.id] = other.id
                break
    return LayoutPair(old, new, tuple(_steps(old, new, matched)))


def _is_renamed(
    pairs: Pairs,
    layouts: tuple[Layout, Layout],
    lost: tuple[list[Field], list[Field]],
    fields: tuple[Field, Field],
) -> bool:
    """Whether one field is the other under a new name: by the vendor's name, or by place, width and kind."""
    old, new = fields
    if is_reserved(old.id) != is_reserved(new.id):
        return False
    if old.orig_id and old.orig_id == new.orig_id:
        return all(sum(entry.orig_id == old.orig_id for entry in side) == 1 for side in lost)
    facts = [
        (entry.offset, entry.width, entry.bits, entry.kind, name)
        for entry, name in ((old, pairs.renamed(old.type)), (new, new.type))
    ]
    return facts[0] == facts[1] and (old.offset is not None or _before(layouts[0], old) == _before(layouts[1], new))


def _before(layout: Layout, entry: Field) -> str:
    """Id of the field in front of another; empty for the first."""
    number = layout.fields.index(entry)
    return layout.fields[number - 1].id if number else ""


def _steps(old: Layout, new: Layout, matched: Mapping[str, str]) -> Iterator[FieldPair]:
    """The steps through both layouts; at the same place removed fields come before added ones."""
    later = {entry.id: entry for entry in new}
    before = {after: entry for entry in old if (after := matched.get(entry.id))}
    number = {entry.id: at for at, entry in enumerate(old)}
    in_order = _longest_run([(entry.id, number[before[entry.id].id]) for entry in new if entry.id in before])
    left = list(old)

    def up_to(last: Field | None) -> Iterator[FieldPair]:
        while left and left[0] is not last:
            entry = left.pop(0)
            after = matched.get(entry.id)
            yield FieldPair(entry, None if after is None else later[after], left=after is not None)
        if left:
            left.pop(0)

    for entry in new:
        if entry.id in in_order:
            yield from up_to(before[entry.id])
        yield FieldPair(before.get(entry.id), entry, placed=entry.id in before and entry.id not in in_order)
    yield from up_to(None)


def _longest_run(numbered: list[tuple[str, int]]) -> set[str]:
    """The ids of the longest run of rising numbers."""
    ends: list[int] = []
    last: list[int] = []
    earlier: list[int] = []
    for at, (_, number) in enumerate(numbered):
        length = bisect_left(ends, number)
        ends[length:] = [number, *ends[length + 1 :]]
        last[length:] = [at, *last[length + 1 :]]
        earlier.append(last[length - 1] if length else -1)
    run: set[str] = set()
    at = last[-1] if last else -1
    while at >= 0:
        run.add(numbered[at][0])
        at = earlier[at]
    return run
