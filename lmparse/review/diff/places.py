"""Places: where the fields of a layout begin, behind parts of variable length too, in numbers that can be compared.

A place is `(front, bits)`: the number of what is in front of the last part of variable length, that part included, and
the bits behind it. The numbers come from one table for both states of the specs, so two fields are at the same place
exactly if their places are equal.
"""

from __future__ import annotations

from collections.abc import Mapping

from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout

Place = tuple[int, int]
START: Place = (0, 0)


class Places:
    """The places of fields in one state of the specs."""

    def __init__(
        self,
        specs: Specs,
        names: Mapping[tuple[str, str], str],
        cases: Mapping[tuple[str, str], frozenset[str]],
        table: dict[object, int],
    ) -> None:
        """`names`: later names of fields, by the id of the layout and the own name. `cases`: by the later name, the
        cases that a field has in both states; others move nothing in the records of these. `table` is of both states.
        """
        self._specs = specs
        self._names = names
        self._cases = cases
        self._table = table
        self._extents: dict[str, Place] = {}

    def of(self, layout: Layout) -> dict[str, Place]:
        """The place of each field by its id in this state, and the end of the layout under an empty id."""
        found, place = {}, START
        for entry in layout:
            place = place if entry.bits else _aligned(place)
            found[entry.id] = START if entry.is_instance else place  # an instance says itself where it is
            place = self._behind(layout, entry, place)
        return found | {"": _aligned(place)}

    def _behind(self, layout: Layout, entry: Field, place: Place) -> Place:
        if entry.is_instance:
            return place
        size = self._size(layout, entry)
        if entry.ends is not None and entry.width is None and (size == "to the end" or size.endswith("- _io.pos")):
            return self._number("end", self._name(layout, entry.ends)), 0  # wherever it begins
        if entry.kind == "rest":
            return place
        name = f"{layout.id}.{self._name(layout, entry.id)}"
        if entry.conditional or entry.repeated:
            return self._number(place, name, entry.width, entry.bits, self._inside(layout, entry)), 0
        if entry.bits or entry.width is not None:
            return place[0], place[1] + (entry.bits or (entry.width or 0) * 8)
        return self._number(place, name, self._inside(layout, entry)), 0

    def _inside(self, layout: Layout, entry: Field) -> tuple[Place, ...]:
        """The extents of the types that decide how long a field is."""
        if entry.width is not None or self._size(layout, entry):
            return ()
        cases = self._cases.get((layout.id, self._name(layout, entry.id)), ())
        types = (entry.type,) if entry.type is not None else sorted(cases)
        return tuple(self._extent_of(name) for name in types)

    def _extent_of(self, layout_id: str) -> Place:
        if layout_id not in self._extents:
            self._extents[layout_id] = START  # while a type is inside itself
            self._extents[layout_id] = self.of(self._specs.layouts[layout_id])[""]
        return self._extents[layout_id]

    def _number(self, *what: object) -> int:
        return self._table.setdefault(what, len(self._table) + 1)

    def _name(self, layout: Layout, name: str) -> str:
        return self._names.get((layout.id, name), name)

    def _size(self, layout: Layout, entry: Field) -> str:
        said = self._specs.details.get(layout.id, {}).get(entry.id, {})
        return "to the end" if said.get("size-eos") == "true" else said.get("size", "")


def _aligned(place: Place) -> Place:
    """The place at the next whole byte, where all fields but bit fields start."""
    return place[0], -(-place[1] // 8) * 8
