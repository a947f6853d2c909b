"""Walk: goes through the fields of both states of specs at once and finds the change that moves each moved field."""

from __future__ import annotations

from lmparse.review.diff.fields import FieldComparison, Moved, SpecChange, described, order_of
from lmparse.review.diff.pairs import FieldPair, LayoutPair, Pairs, held_by
from lmparse.review.diff.places import Place, Places
from lmparse.spec.layout import Field, is_reserved

_RESIZES = frozenset((
    "width-changed", "number-narrowed", "repetition-changed", "type-changed", "kind-changed",
    "field-optional", "field-mandatory", "reading-changed",
))  # fmt: skip
"""Rules of changes that may change the distance from a field to the next one."""


class _Moves:
    """The changes that move the fields of a layout, up to the current step of the walk."""

    def __init__(self) -> None:
        self._all: SpecChange | None = None
        self._pending: SpecChange | None = None
        """The one of the causes behind the last assigned field that counts."""
        self._cause: SpecChange | None = None
        self._shift = Place().shift_to(Place())

    def add(self, cause: SpecChange | None) -> None:
        """Add a change that may move the fields behind it."""
        if cause is not None:
            self._all = _counting(self._all, cause)
            self._pending = _counting(self._pending, cause)

    def assign(self, moved: Moved, places: tuple[Place, Place]) -> bool:
        """Add a moved field to the change that moves it; False if it has not moved, or if no change moves it.

        Changes that cancel each other move nothing, so fields behind them belong to the change in front of them.
        """
        shift = places[0].shift_to(places[1])
        if shift != self._shift:
            self._cause = self._pending or self._cause
            self._shift = shift
        self._pending = None
        if places[0] == places[1] or self._cause is None:
            return False
        self._cause.moved.append(moved)
        return True

    def assign_rest(self, moved: Moved) -> None:
        """Add the bytes behind the known fields to the change that moves them; they alone make no change breaking."""
        cause = self._pending or self._cause
        if cause is not None and moved.old != moved.new:
            cause.rests.append(moved)

    def last_cause(self) -> SpecChange | None:
        """The change to name when the length of the layout has changed."""
        return self._all


def _counting(known: SpecChange | None, cause: SpecChange) -> SpecChange:
    """The last of the changes so far and one more; changes of reserved bytes count only if there are no others."""
    return cause if known is None or is_reserved(known.field) or not is_reserved(cause.field) else known


def _apart(entry: Field, stated: dict[str, int | None]) -> int | None:
    """Difference of the offset of a field and the widths in front of it; 0 for specs that are read from files."""
    return None if entry.offset is None else entry.offset - (stated[entry.id] or 0)


class Walk:
    """One walk through all layouts that are in both states."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._old = Places(pairs, pairs.old)
        self._new = Places(pairs, pairs.new)
        self._causes: dict[str, SpecChange | None] = {}
        """The change that makes a layout longer or shorter, by its id in the later state."""
        self._changes: list[SpecChange] = []
        self._needed: dict[str, int] = {}
        """Number of the last field of a layout, by its id in the later state, that is in both and takes bytes."""

    def changes(self) -> list[SpecChange]:
        """The changes of all fields, each with the fields that it moves."""
        for layout_id in sorted(self._pairs.layouts):
            self._visit(layout_id)
        for change in self._changes:
            change.rule = _settled(change)
            if change.moved:
                change.moved += change.rests
        return self._changes

    def _visit(self, layout_id: str) -> None:
        """Walk through a layout, after the layouts of its fields."""
        pair = self._pairs.layouts.get(layout_id)
        if pair is None or layout_id in self._causes:
            return
        self._causes[layout_id] = None
        for held in (*held_by(pair.new), *(self._pairs.renamed(name) or name for name in held_by(pair.old))):
            self._visit(held)
        if layout_id in self._pairs.touched:
            self._walk(pair)

    def _walk(self, pair: LayoutPair) -> None:
        old, new = pair.old, pair.new
        before, after = self._old.of(old), self._new.of(new)
        stated = self._old.stated(old), self._new.stated(new)
        comparison = FieldComparison(self._pairs, pair)
        elsewhere: dict[str, SpecChange] = {}
        moves = _Moves()
        for number, step in enumerate(pair.steps):
            found = comparison.changes(step.old, step.new) if step.old and step.new and not step.left else []
            self._changes += found
            if step.old and step.new and not step.left and not step.placed:
                places = before[step.old.id], after[step.new.id]
                is_explained = self._is_explained(pair, number, places, found, moves)
                if not is_explained and _apart(step.old, stated[0]) != _apart(step.new, stated[1]):
                    ids, offsets = (step.new.id, step.old.id), (step.old.offset, step.new.offset)
                    self._changes.append(SpecChange("field-moved", pair.id, ids[0], *offsets, ids[1]))
            moves.add(self._cause(pair, step, found, elsewhere))
        self._causes[pair.id] = moves.last_cause()

    def _cause(
        self, pair: LayoutPair, step: FieldPair, found: list[SpecChange], elsewhere: dict[str, SpecChange]
    ) -> SpecChange | None:
        """The change of a step that moves the fields behind it; adds changes that are not in `found`."""
        if step.new is None and step.old is not None:
            change = SpecChange("field-removed", pair.id, step.old.id, described(step.old), None, step.old.id)
            self._changes.append(change)
            return None if self._old.extent(pair.old, step.old) == Place() else change
        if step.old is None and step.new is not None:
            change = SpecChange("field-added", pair.id, step.new.id, None, described(step.new))
            change.needs_bytes = self._needs_bytes(pair, step.new)
            self._changes.append(change)
            return None if self._new.extent(pair.new, step.new) == Place() else change
        if step.old is None or step.new is None:
            return None
        old, new = step.old, step.new
        if step.left or step.placed:
            if new.id not in elsewhere:
                elsewhere[new.id] = SpecChange("field-reordered", pair.id, new.id, old.offset, new.offset, old.id)
                self._changes.append(elsewhere[new.id])
            return elsewhere[new.id]
        if self._old.extent(pair.old, old) == self._new.extent(pair.new, new):
            return None
        own = (change for change in found if change.rule in _RESIZES)
        nested = (cause for name in (new.type, *new.cases) if name and (cause := self._causes.get(name)))
        return next(own, None) or next(nested, None)

    def _needs_bytes(self, pair: LayoutPair, new: Field) -> bool:
        """Whether records that were long enough may be too short now, because a field at the end needs more bytes."""
        if not self._new.least_of(pair.new, new):
            return False
        if pair.new.numbers[new.id] < self._last_needed(pair):
            return False
        return self._new.least(pair.new) > max(self._old.least(pair.old), self._old.room(pair.old))

    def _last_needed(self, pair: LayoutPair) -> int:
        if pair.id not in self._needed:
            found = (entry.id for _, entry in pair.kept() if self._new.least_of(pair.new, entry))
            self._needed[pair.id] = max((pair.new.numbers[name] for name in found), default=-1)
        return self._needed[pair.id]

    def _is_explained(
        self, pair: LayoutPair, number: int, places: tuple[Place, Place], found: list[SpecChange], moves: _Moves
    ) -> bool:
        """Whether a known change has moved the field of a step; the field is added to that change."""
        old, new = pair.steps[number].old, pair.steps[number].new
        if old is None or new is None:
            return True
        grown = self._grown_into_reserved(pair, number, places)
        for change in found:
            change.takes_reserved = grown and change.rule == "width-changed"
            change.needs_bytes = change.rule == "width-changed" and self._needs_bytes(pair, new)
        if new.kind == "rest":
            moves.assign_rest(Moved(pair.id, new.id, old.offset, new.offset))
        if grown or is_reserved(new.id) or new.kind == "rest":
            return places[0] != places[1]
        return moves.assign(Moved(pair.id, new.id, old.offset, new.offset), places)

    def _grown_into_reserved(self, pair: LayoutPair, number: int, places: tuple[Place, Place]) -> bool:
        """Whether a number has grown, at its leading digits, into reserved bytes and into nothing else."""
        old, new = pair.steps[number].old, pair.steps[number].new
        if old is None or new is None or old.width is None or new.width is None or {old.kind, new.kind} != {"uint"}:
            return False
        order = order_of(self._pairs.new, pair.new, new)
        ends = places[0].plus(old.width * 8), places[1].plus(new.width * 8)
        same, beside = (ends[0] == ends[1], number - 1) if order == "be" else (places[0] == places[1], number + 1)
        if order not in ("be", "le") or not same or not 0 <= beside < len(pair.steps):
            return False
        other = pair.steps[beside]
        if other.old is None or not is_reserved(other.old.id) or other.old.width is None:
            return False
        left = (other.new.width or 0) if other.new is not None else 0
        return other.old.width - left == new.width - old.width > 0


def _settled(change: SpecChange) -> str:
    """The rule of a change, once all fields that it moves are known."""
    if change.rule == "field-added":
        return "field-inserted" if change.moved else "field-required" if change.needs_bytes else change.rule
    if change.moved:
        return "condition-added" if change.rule == "field-optional" else change.rule
    if change.takes_reserved:
        return "number-widened"
    is_given_up = change.rule in ("field-removed", "width-changed", "number-narrowed") and not change.needs_bytes
    return "reserved-changed" if is_given_up and is_reserved(change.field) else change.rule
