"""Walk: goes through the fields of both states of specs at once and finds for every field that moves what moves it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lmparse.review.diff.fields import Draft, FieldComparison, Moved, described, order_of
from lmparse.review.diff.pairs import FieldPair, LayoutPair, Pairs, held_by
from lmparse.review.diff.places import Place, Places
from lmparse.spec.layout import Field, is_reserved

_RESIZES = frozenset((
    "width-changed", "number-narrowed", "repetition-changed", "type-changed", "kind-changed",
    "field-optional", "field-mandatory", "reading-changed",
))  # fmt: skip
"""Changes of a field that may change how far it is to the next one."""


@dataclass(frozen=True)
class _Sides:
    """Where the fields of a pair of layouts stand, before and after."""

    before: dict[str, Place]
    after: dict[str, Place]
    stated_before: dict[str, int | None]
    stated_after: dict[str, int | None]


class _Moves:
    """What has moved the fields of a layout, as far as the walk has come."""

    def __init__(self) -> None:
        self._all: list[Draft] = []
        self._pending: list[Draft] = []
        """Causes behind the last field that was put down."""
        self._cause: Draft | None = None
        self._shift = Place().shift_to(Place())

    def add(self, cause: Draft | None) -> None:
        """Note a change that may move what stands behind it."""
        if cause is not None:
            self._all.append(cause)
            self._pending.append(cause)

    def put(self, moved: Moved, places: tuple[Place, Place]) -> bool:
        """Put a field down to what moved it; whether it has moved, and by something.

        Changes that outweigh each other move nothing, so what stands behind them belongs to the one in front.
        """
        shift = places[0].shift_to(places[1])
        if shift != self._shift:
            self._cause = _named(self._pending) or self._cause
            self._shift = shift
        self._pending = []
        if places[0] == places[1] or self._cause is None:
            return False
        self._cause.moved.append(moved)
        return True

    def last_cause(self) -> Draft | None:
        """What to name where the layout as a whole has become longer or shorter."""
        return _named(self._all)


def _named(causes: list[Draft]) -> Draft | None:
    """The last of some changes, of those that are not of reserved bytes if there are others."""
    named = [cause for cause in causes if not is_reserved(cause.member)] or causes
    return named[-1] if named else None


def _apart(entry: Field, stated: dict[str, int | None]) -> int | None:
    """How far the offset of a field is from where the widths in front put it; not at all, if the spec was read."""
    return None if entry.offset is None else entry.offset - (stated[entry.id] or 0)


class Walk:
    """One walk through everything that is in both states."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._old = Places(pairs, pairs.old)
        self._new = Places(pairs, pairs.new)
        self._causes: dict[str, Draft | None] = {}
        """What makes a layout longer or shorter, by its id in the later state."""
        self._drafts: list[Draft] = []

    def drafts(self) -> list[Draft]:
        """The changes of all fields, each with the fields that it moves."""
        for layout_id in sorted(self._pairs.layouts):
            self._visit(layout_id)
        return [replace(draft, rule=_settled(draft)) for draft in self._drafts]

    def _visit(self, layout_id: str) -> None:
        """Walk through a layout, after those that its fields hold."""
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
        sides = _Sides(self._old.of(old), self._new.of(new), self._old.stated(old), self._new.stated(new))
        comparison = FieldComparison(self._pairs, pair)
        elsewhere: dict[str, Draft] = {}
        moves = _Moves()
        for number, step in enumerate(pair.steps):
            found = comparison.changes(step.old, step.new) if step.old and step.new and not step.left else []
            self._drafts += found
            if step.old and step.new and not step.left and not step.placed:
                self._note_place(pair, number, (step.old, step.new), found, moves, sides)
            moves.add(self._cause(pair, step, found, elsewhere))
        self._causes[pair.id] = moves.last_cause()

    def _cause(
        self, pair: LayoutPair, step: FieldPair, found: list[Draft], elsewhere: dict[str, Draft]
    ) -> Draft | None:
        """What a step does to the places behind it; notes what is not in `found`."""
        if step.new is None and step.old is not None:
            draft = Draft("field-removed", pair.id, step.old.id, described(step.old), None, step.old.id)
            self._drafts.append(draft)
            return None if self._old.extent(pair.old, step.old) == Place() else draft
        if step.old is None and step.new is not None:
            draft = Draft("field-added", pair.id, step.new.id, None, described(step.new))
            draft.needs_bytes = self._needs_bytes(pair, step.new)
            self._drafts.append(draft)
            return None if self._new.extent(pair.new, step.new) == Place() else draft
        if step.old is None or step.new is None:
            return None
        old, new = step.old, step.new
        if step.left or step.placed:
            if new.id not in elsewhere:
                elsewhere[new.id] = Draft("field-reordered", pair.id, new.id, old.offset, new.offset, old.id)
                self._drafts.append(elsewhere[new.id])
            return elsewhere[new.id]
        if self._old.extent(pair.old, old) == self._new.extent(pair.new, new):
            return None
        own = (draft for draft in found if draft.rule in _RESIZES)
        nested = (cause for name in (new.type, *new.cases) if name and (cause := self._causes.get(name)))
        return next(own, None) or next(nested, None)

    def _needs_bytes(self, pair: LayoutPair, new: Field) -> bool:
        """Whether records that were long enough need not be any more, for want of bytes of a field at the end."""
        if not self._new.least_of(pair.new, new):
            return False
        kept = {entry.id for _, entry in pair.kept()} - {new.id}
        behind = pair.new.fields[list(pair.new.by_id).index(new.id) + 1 :]
        if any(entry.id in kept and self._new.least_of(pair.new, entry) for entry in behind):
            return False
        return self._new.least(pair.new) > max(self._old.least(pair.old), self._old.room(pair.old))

    def _note_place(
        self,
        pair: LayoutPair,
        number: int,
        fields: tuple[Field, Field],
        found: list[Draft],
        moves: _Moves,
        sides: _Sides,
    ) -> None:
        """Put a field that has moved down to the change that moves it, or say that there is none."""
        old, new = fields
        places = sides.before[old.id], sides.after[new.id]
        grown = self._grown_into_reserved(pair, number, places)
        for draft in found:
            draft.takes_reserved = grown and draft.rule == "width-changed"
            draft.needs_bytes = draft.rule == "width-changed" and self._needs_bytes(pair, new)
        if grown or is_reserved(new.id) or new.kind == "rest":
            is_explained = places[0] != places[1]
        else:
            is_explained = moves.put(Moved(pair.id, new.id, old.offset, new.offset), places)
        if not is_explained and _apart(old, sides.stated_before) != _apart(new, sides.stated_after):
            self._drafts.append(Draft("field-moved", pair.id, new.id, old.offset, new.offset, old.id))

    def _grown_into_reserved(self, pair: LayoutPair, number: int, places: tuple[Place, Place]) -> bool:
        """Whether a number has taken over reserved bytes on the side of its leading digits, and nothing else."""
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


def _settled(draft: Draft) -> str:
    """The rule of a change, now that it is known what it moves."""
    if draft.rule == "field-added":
        return "field-inserted" if draft.moved else "field-required" if draft.needs_bytes else draft.rule
    if draft.moved:
        return "condition-added" if draft.rule == "field-optional" else draft.rule
    if draft.takes_reserved:
        return "number-widened"
    is_given_up = draft.rule in ("field-removed", "width-changed", "number-narrowed") and not draft.needs_bytes
    return "reserved-changed" if is_given_up and is_reserved(draft.member) else draft.rule
