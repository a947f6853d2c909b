"""Pairs: the layouts and fields of one state of specs with the same ones in the other state."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush, heapreplace

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
        return self._before.get(member, member)

    @cached_property
    def _before(self) -> dict[str, str]:
        return {new.id: old.id for old, new in self.kept()}


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
        holders: dict[str, list[str]] = {}
        for pair in self.layouts.values():
            for name in (*held_by(pair.new), *held_by(pair.old)):
                holders.setdefault(name, []).append(pair.id)
        left = [pair.id for pair in self.layouts.values() if not self._is_same(pair)]
        found = {*left}
        while left:
            above = {*holders.get(left.pop(), ())} - found
            found |= above
            left += above
        return frozenset(found)

    @cached_property
    def users(self) -> dict[str, list[tuple[LayoutPair, Field, Field]]]:
        """The fields in both states, with their layouts, by the types that they have in the later state."""
        found: dict[str, list[tuple[LayoutPair, Field, Field]]] = {}
        for pair in self.layouts.values():
            for old, new in pair.kept():
                if new.type is not None:
                    found.setdefault(new.type, []).append((pair, old, new))
        return found

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
        return self._words.get(spec_id, {})

    @cached_property
    def _words(self) -> dict[str, dict[str, str]]:
        words: dict[str, dict[str, str]] = {}
        for pair in self.layouts.values():
            own = words.setdefault(spec_of(pair.id), {})
            own[pair.old.id.rpartition(".")[2]] = pair.id.rpartition(".")[2]
            for old, new in pair.kept():
                own[old.id] = new.id
                if old.enum and new.enum:
                    own[old.enum.rpartition("::")[2]] = new.enum.rpartition("::")[2]
        changed = {name: {one: other for one, other in own.items() if one != other} for name, own in words.items()}
        return {name: own for name, own in changed.items() if own}

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
    left = {name: name for name in sorted(old.layouts) if name in new.layouts and spec_of(name) in pairs.ids}
    types = _Unpaired(pairs, left)
    while left:
        pairs.names |= left
        made = [_pair(pairs, old.layouts[before], new.layouts[after]) for before, after in sorted(left.items())]
        pairs.layouts |= {pair.id: pair for pair in made}
        left = types.renamed(made) or types.alike()
    return pairs


def _needed(state: Specs, own: Iterable[str]) -> frozenset[str]:
    """Some specs and all that their fields need."""
    held: dict[str, set[str]] = {}
    for layout in state.layouts.values():
        held.setdefault(spec_of(layout.id), set()).update(map(spec_of, held_by(layout)))
    seen = set(own)
    left = [*seen]
    while left:
        more = held.get(left.pop(), set()) - seen
        seen |= more
        left += more
    return frozenset(seen)


def held_by(layout: Layout) -> Iterator[str]:
    """Ids of the layouts that the fields of a layout may have."""
    return (name for entry in layout for name in (*entry.cases, entry.type) if name)


class _Unpaired:
    """Types that are in one state only, inside specs that are in both; each that is found to be another is left out."""

    def __init__(self, pairs: Pairs, known: Mapping[str, str]) -> None:
        self._pairs = pairs
        specs = {spec_of(name) for name in known}
        gone, come = (
            {name: layouts[name] for name in sorted(layouts) if "." in name and spec_of(name) in specs}
            for layouts in (pairs.old.layouts, pairs.new.layouts)
        )
        self._gone = {name: layout for name, layout in gone.items() if name not in known}
        self._come = {name: layout for name, layout in come.items() if name not in known}

    def renamed(self, made: Iterable[LayoutPair]) -> dict[str, str]:
        """New names of types that are another one in the same field or case of the pairs that were made last.

        Pairs that were made before have no more of them: each of these types is paired since then.
        """
        found: dict[str, str] = {}
        for pair in made:
            for old, new in pair.kept():
                before, after = self._pairs.detail(pair, new.id)
                held = [(old.type, new.type)]
                held += [
                    (before[key].partition("(")[0], after[key].partition("(")[0])
                    for key in before
                    if key.startswith("case ") and key in after
                ]
                for one, other in held:
                    if one in self._gone and other in self._come:
                        self._take(found, str(one), str(other))
        return found

    def alike(self) -> dict[str, str]:
        """New names of types that have the same fields under another name."""
        by_fields: dict[tuple[Field, ...], list[str]] = {}
        for name, layout in reversed(self._come.items()):
            by_fields.setdefault(layout.fields, []).append(name)
        found: dict[str, str] = {}
        for one, layout in [*self._gone.items()]:
            if layout.fields and (others := by_fields.get(layout.fields)):
                self._take(found, one, others.pop())
        return found

    def _take(self, found: dict[str, str], one: str, other: str) -> None:
        found[one] = other
        del self._gone[one], self._come[other]


def _pair(pairs: Pairs, old: Layout, new: Layout) -> LayoutPair:
    matched = {entry.id: entry.id for entry in old if entry.id in new.by_id}
    gone = [entry for entry in old if entry.id not in matched]
    come = [entry for entry in new if entry.id not in matched]
    if gone and come:
        others = _Come(new, gone, come)
        in_front = _in_front(old)
        for entry in gone:
            other = others.take(entry, _facts(entry, pairs.renamed(entry.type), in_front))
            if other is not None:
                matched[entry.id] = other.id
    return LayoutPair(old, new, tuple(_steps(old, new, matched)))


_Facts = tuple[object, ...]


class _Come:
    """Fields that only the later state has; each is given once, to a field that only the earlier state has.

    A field is another under a new name by the vendor's name, if no other of these has it, else by place, width and
    kind. Of several, it is the first one.
    """

    def __init__(self, layout: Layout, gone: list[Field], come: list[Field]) -> None:
        self._come = come
        self._taken: set[int] = set()
        counts = [Counter(entry.orig_id for entry in side) for side in (gone, come)]
        self._named = {
            entry.orig_id: at
            for at, entry in enumerate(come)
            if entry.orig_id and all(count[entry.orig_id] == 1 for count in counts)
        }
        """By the vendor's names that one field has in each state."""
        self._alike: dict[_Facts, dict[str | None, deque[int]]] = {}
        """By the facts, and by the vendor's name: fields that share one are not compared by the facts."""
        self._first: dict[_Facts, list[tuple[int, str | None]]] = {}
        """The first field of each vendor's name, as a heap."""
        in_front = _in_front(layout)
        for at, entry in enumerate(come):
            facts = _facts(entry, entry.type, in_front)
            names = self._alike.setdefault(facts, {})
            if entry.orig_id not in names:
                names[entry.orig_id] = deque()
                # In order, so it is a heap already.
                self._first.setdefault(facts, []).append((at, entry.orig_id))
            names[entry.orig_id].append(at)

    def take(self, entry: Field, facts: _Facts) -> Field | None:
        """The field that a field is now; None if it is none of them."""
        named = self._named.get(entry.orig_id or "")
        if named is not None and is_reserved(self._come[named].id) != is_reserved(entry.id):
            named = None
        found = [at for at in (named, self._first_alike(facts, entry.orig_id)) if at is not None]
        free = [at for at in found if at not in self._taken]
        if not free:
            return None
        self._taken.add(min(free))
        return self._come[min(free)]

    def _first_alike(self, facts: _Facts, but: str | None) -> int | None:
        """The first free field with some facts whose vendor's name is not `but`, if that is a name."""
        heap, aside = self._first.get(facts, []), None
        found = None
        while heap and found is None:
            at, name = heap[0]
            queue = self._alike[facts][name]
            while queue and queue[0] in self._taken:
                queue.popleft()
            if not queue:
                heappop(heap)
            elif queue[0] != at:
                heapreplace(heap, (queue[0], name))
            elif but and name == but:
                aside = heappop(heap)
            else:
                found = at
        if aside is not None:
            heappush(heap, aside)
        return found


def _facts(entry: Field, type_: str | None, in_front: Mapping[str, str]) -> _Facts:
    """What a field under another name has in common with the one it was; `type_` is its type in the later state."""
    place = in_front[entry.id] if entry.offset is None else None
    return is_reserved(entry.id), entry.offset, entry.width, entry.bits, entry.kind, type_, place


def _in_front(layout: Layout) -> dict[str, str]:
    """Ids of the fields in front of those of a layout; empty for the first."""
    ids = [entry.id for entry in layout]
    return dict(zip(ids, ["", *ids], strict=False))


def _steps(old: Layout, new: Layout, matched: Mapping[str, str]) -> Iterator[FieldPair]:
    """The steps through both layouts; at the same place removed fields come before added ones."""
    later = {entry.id: entry for entry in new}
    before = {after: entry for entry in old if (after := matched.get(entry.id))}
    number = {entry.id: at for at, entry in enumerate(old)}
    in_order = _longest_run([(entry.id, number[before[entry.id].id]) for entry in new if entry.id in before])
    left = iter(old)

    def up_to(last: Field | None) -> Iterator[FieldPair]:
        for entry in left:
            if entry is last:
                break
            after = matched.get(entry.id)
            yield FieldPair(entry, None if after is None else later[after], left=after is not None)

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
        ends[length : length + 1] = [number]
        last[length : length + 1] = [at]
        earlier.append(last[length - 1] if length else -1)
    run: set[str] = set()
    at = last[-1] if last else -1
    while at >= 0:
        run.add(numbered[at][0])
        at = earlier[at]
    return run
