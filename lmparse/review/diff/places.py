"""Places: the places of fields, also behind parts of variable length, to find fields that have moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

from lmparse.review.diff.pairs import Pairs, said_of
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout
from lmparse.spec.nesting import rings, types_of


@dataclass(frozen=True)
class Place:
    """A place in a record as a sum: a number of bits, and parts of variable length.

    A field has the same place in two states when both sums are equal. Of the parts a sum has no list, which would be
    as long as the record for each of its fields, but the sum of hashes of their names, as in the later state.
    """

    base: str = ""
    """Where the sum counts from: empty for the start of the record, or the field that has the offset."""
    bits: int = 0
    parts: int = 0
    """The variable parts in front, see `_part`."""

    def plus(self, bits: int = 0, *parts: str) -> Place:
        """The place behind a number of bits and some variable parts."""
        return replace(self, bits=self.bits + bits, parts=sum(map(_part, parts), self.parts))

    def behind(self, extent: Place) -> Place:
        """The place behind what begins here and has an extent."""
        return replace(self, bits=self.bits + extent.bits, parts=self.parts + extent.parts)

    def aligned(self) -> Place:
        """The place at the next whole byte, where all fields but bit fields start."""
        return replace(self, bits=-(-self.bits // 8) * 8)

    def shift_to(self, other: Place) -> tuple[int, int]:
        """The difference to a place in the other state: in bits, and in what is variable."""
        before, after = (_part(place.base) + place.parts for place in (self, other))
        return other.bits - self.bits, after - before

    def __str__(self) -> str:
        return f"{self.base}+{self.bits}({self.parts:x})"


def _part(name: str) -> int:
    """A number for a name, of so many digits that only sums of the same names are equal."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=32).digest(), "big")


def _may_be_missing(entry: Field) -> bool:
    return entry.optional or entry.conditional or entry.repeated


def _are_together(known: Mapping[str, tuple[str, ...]], one: str, other: str) -> bool:
    ring = known.get(one)
    return ring is not None and ring is known.get(other)


class Places:
    """The places of fields in one state of the specs."""

    def __init__(self, pairs: Pairs, state: Specs) -> None:
        self._state = state
        self._names: dict[str, str] = {}
        self._fields: dict[tuple[str, str], str] = {}
        self._cases: dict[tuple[str, str], frozenset[str]] = {}
        """Cases of a field that it has in both states, by their later names."""
        is_old = state is pairs.old
        if is_old:
            self._names = pairs.names
        for pair in pairs.layouts.values():
            for old, new in pair.kept():
                place = (pair.old.id, old.id) if is_old else (pair.id, new.id)
                self._fields[place] = new.id
                self._cases[place] = frozenset(pairs.renamed(case) or case for case in old.cases) & set(new.cases)
        self._extents: dict[str, Place] = {}
        self._least: dict[str, int] = {}
        self._rooms: dict[str, int] | None = None
        self._marks: dict[str, str] = {}

    def of(self, layout: Layout) -> dict[str, Place]:
        """The place of each field of a layout by its id in this state."""
        found = {}
        place = Place()
        for entry in layout:
            if entry.is_instance:
                found[entry.id] = Place()  # it says where it is; a change of that is a change of the instance
                continue
            found[entry.id] = place if entry.bits else place.aligned()
            place = self._behind(layout, entry, place)
        return found

    def stated(self, layout: Layout) -> dict[str, int | None]:
        """The offsets that follow from the widths of a layout, by field id; a sound layout has the same ones."""
        found: dict[str, int | None] = {}
        bits: int | None = 0
        for entry in layout:
            own = entry.bits
            if bits is not None and not own:
                bits = -(-bits // 8) * 8
            found[entry.id] = None if bits is None else bits // 8
            if entry.kind == "rest":
                continue
            if bits is None or entry.conditional or entry.repeated or not (own or entry.width is not None):
                bits = None
            else:
                bits += own or (entry.width or 0) * 8
        return found

    def extent(self, layout: Layout, entry: Field) -> Place:
        """The distance from the start of a field to the next one."""
        return self._behind(layout, entry, Place())

    def least(self, layout: Layout) -> int:
        """The least number of bits of a record of a layout."""
        if layout.id not in self._least:
            self._least[layout.id] = sum(self.least_of(layout, entry) for entry in layout)
        return self._least[layout.id]

    def least_of(self, layout: Layout, entry: Field) -> int:
        """The least number of bits of a field; 0 when it can be missing."""
        if _may_be_missing(entry):
            return 0
        if entry.width is not None:
            return entry.width * 8
        nested = self._state.layouts.get(entry.type or "") if self._is_open(layout, entry) else None
        if nested is None:
            return entry.bits or 0
        return 0 if self._is_endless(layout, nested.id) else self.least(nested)

    def room(self, layout: Layout) -> int:
        """Number of bits that every record of a layout has, because all fields with the layout have that size."""
        if self._rooms is None:
            held: dict[str, list[int | None]] = {}
            for other in self._state.layouts.values():
                for entry in other:
                    for name in {*types_of(entry)}:
                        held.setdefault(name, []).append(entry.width)
            known = {name: [width for width in widths if width is not None] for name, widths in held.items()}
            self._rooms = {name: min(known[name]) * 8 for name in held if len(known[name]) == len(held[name])}
        return self._rooms.get(layout.id, 0) if "." in layout.id else 0

    def _behind(self, layout: Layout, entry: Field, place: Place) -> Place:
        if entry.is_instance:
            return place
        end = self._fills_up_to(layout, entry)
        if end is not None:
            return Place(base=end)
        if entry.kind == "rest":
            return place
        name = f"{self._name(layout)}.{self._fields.get((layout.id, entry.id), entry.id)}"
        bits = entry.bits
        start = place if bits else place.aligned()
        extent = Place().plus(bits) if bits else self._own_extent(layout, entry, name)
        if entry.conditional or entry.repeated:
            return start.plus(0, f"{name}?{extent}")
        return start.behind(extent) if not extent.base else start.plus(0, f"{name}={extent}")

    def _own_extent(self, layout: Layout, entry: Field, name: str) -> Place:
        if entry.width is not None:
            return Place(bits=entry.width * 8)
        if not self._is_open(layout, entry):
            return Place().plus(0, name)
        if entry.type is not None:
            is_cut = self._is_endless(layout, entry.type) or (
                self._is_in_ring(layout, entry.type) and _may_be_missing(entry)
            )
            return Place().plus(0, name) if is_cut else self._layout_extent(entry.type, name)
        # Added and removed cases do not move anything in records of the other cases.
        kept = self._cases.get((layout.id, entry.id), frozenset())
        cases = {self._names.get(case, case): case for case in entry.cases}
        both = [
            known if self._is_in_ring(layout, cases[known]) else f"{known}{self._layout_extent(cases[known], known)}"
            for known in sorted(cases)
            if known in kept
        ]
        return Place().plus(0, f"{name}[{';'.join(both)}]")

    def _layout_extent(self, layout_id: str, name: str) -> Place:
        """The distance from the start of a record of some layout to its end.

        A type in a ring of types that hold each other is not followed around it, but any change of their extents is one
        of the ring's mark, and so of each of them.
        """
        if layout_id not in self._state.layouts:
            return Place().plus(0, name)
        ring = self._rings.get(layout_id)
        place = self._extent_in_ring(layout_id)
        return place if ring is None else place.plus(0, self._mark(ring))

    def _extent_in_ring(self, layout_id: str) -> Place:
        if layout_id not in self._extents:
            layout, place = self._state.layouts[layout_id], Place()
            for entry in layout:
                place = self._behind(layout, entry, place)
            self._extents[layout_id] = place.aligned()
        return self._extents[layout_id]

    def _mark(self, ring: tuple[str, ...]) -> str:
        """What stands for the extents of the types of a ring."""
        known = self._marks.get(ring[0])
        if known is None:
            extents = sorted(f"{self._names.get(name, name)}{self._extent_in_ring(name)}" for name in ring)
            known = self._marks[ring[0]] = f"ring({_part(';'.join(extents)):x})"
        return known

    @cached_property
    def _rings(self) -> dict[str, tuple[str, ...]]:
        """Types that hold each other, see `rings`."""
        return self._rings_of(types_of)

    @cached_property
    def _endless(self) -> dict[str, tuple[str, ...]]:
        """Types that always hold each other."""
        return self._rings_of(lambda entry: [] if entry.type is None or _may_be_missing(entry) else [entry.type])

    def _rings_of(self, types: Callable[[Field], Iterable[str]]) -> dict[str, tuple[str, ...]]:
        return rings({
            layout.id: [name for entry in layout if self._is_open(layout, entry) for name in types(entry)]
            for layout in self._state.layouts.values()
        })  # fmt: skip

    def _is_in_ring(self, layout: Layout, nested: str) -> bool:
        return _are_together(self._rings, layout.id, nested)

    def _is_endless(self, layout: Layout, nested: str) -> bool:
        return _are_together(self._endless, layout.id, nested)

    def _is_open(self, layout: Layout, entry: Field) -> bool:
        """Whether the extent of a field is that of what is inside it."""
        return entry.width is None and not self._size(layout, entry)

    def _fills_up_to(self, layout: Layout, entry: Field) -> str | None:
        """Id of the field that has the end of this one, when this one has all bytes up to that end."""
        size = self._size(layout, entry)
        if entry.ends is None or entry.kind not in ("rest", "variable") or not size:
            return None
        fills = size == "to the end" or size.endswith("- _io.pos")
        return self._fields.get((layout.id, entry.ends), entry.ends) if fills else None

    def _size(self, layout: Layout, entry: Field) -> str:
        if self._detail(layout, entry, "size-eos") == "true":
            return "to the end"
        return self._detail(layout, entry, "size")

    def _detail(self, layout: Layout, entry: Field, key: str) -> str:
        return said_of(self._state, layout.id, entry.id).get(key, "")

    def _name(self, layout: Layout) -> str:
        return self._names.get(layout.id, layout.id)
