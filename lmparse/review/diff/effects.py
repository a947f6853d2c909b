"""Effects: what changes of specs do to the columns that Spark shows, each put down to the change that does it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lmparse.review.diff.columns import Origin, SpecColumn, columns_of, is_wider
from lmparse.review.diff.fields import Draft
from lmparse.review.diff.pairs import Pairs, held_by
from lmparse.spec.ksy import Specs

ADDED, REMOVED, NULLABLE, COMMENT = "column added", "column removed", "nullable", "comment"
_TYPE = "type"
_ORDER = (REMOVED, ADDED, _TYPE, NULLABLE, COMMENT)
_CHANGES_COLUMNS = frozenset((
    "field-removed", "field-renamed", "field-inserted", "field-required", "field-added", "reserved-changed",
    "kind-changed", "kind-alike", "repetition-changed", "type-changed", "type-renamed", "case-added",
    "case-removed", "case-changed", "instance-added", "instance-removed", "reading-changed",
))  # fmt: skip
_CHANGES_TYPES = frozenset((
    "kind-changed", "kind-alike", "sign-changed", "repetition-changed", "type-changed", "case-changed",
    "number-narrowed", "number-widened", "width-changed", "reserved-changed",
))  # fmt: skip
_MAKES_NULLABLE = frozenset(("field-optional", "condition-added"))
_CHANGES_COMMENTS = frozenset(("doc-changed",))


@dataclass
class Effect:
    """What one change does."""

    words: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    """Columns of a spec it does it to: `bmc_lldf.rid_page`."""

    def __str__(self) -> str:
        ordered = sorted(self.words, key=lambda word: (_ORDER.index(_TYPE if word.startswith(_TYPE) else word), word))
        return ", ".join(ordered) or "none"


class Effects:
    """The effects of some changes. `extra` are changes of columns that no change of their fields explains."""

    def __init__(self, pairs: Pairs, drafts: Iterable[Draft]) -> None:
        self._pairs = pairs
        self._effects: dict[int, Effect] = {}
        self._before: dict[Origin, list[Draft]] = {}
        self._after: dict[Origin, list[Draft]] = {}
        earlier = {after: before for before, after in pairs.names.items()}
        for draft in drafts:
            places = [(draft.layout, draft.member, draft.before or draft.member)]
            if not draft.member:  # a change of a type is one of the fields that have it
                shared = ((layout, name) for layout, _, name in (place.rpartition(".") for place in draft.also))
                places += [(layout, name, pairs.layouts[layout].member_before(name)) for layout, name in shared]
            for layout, after, before in places:
                self._after.setdefault((layout, after), []).append(draft)
                self._before.setdefault((earlier.get(layout, layout), before), []).append(draft)
        self._holders = {id(state): _holders(state) for state in (pairs.old, pairs.new)}
        self.extra: list[Draft] = []
        for spec_id in sorted(pairs.ids):
            if spec_id in pairs.touched:
                self._compare(spec_id, columns_of(pairs.old, spec_id), columns_of(pairs.new, spec_id))

    def of(self, draft: Draft) -> Effect:
        """The effect of one of the changes."""
        whole = {"spec-removed": REMOVED, "spec-added": ADDED}.get(draft.rule)
        return self._effects.get(id(draft), Effect({whole} if whole else set()))

    def _compare(self, spec_id: str, old: Mapping[str, SpecColumn], new: Mapping[str, SpecColumn]) -> None:
        for name, column in new.items():
            place = f"{spec_id}.{name}"
            if name not in old:
                for draft in self._causes(self._pairs.new, column.origins, _CHANGES_COLUMNS):
                    self._note(draft, ADDED, place)
                continue
            if column.type != old[name].type:
                self._retyped(spec_id, name, old[name], column)
            for draft in self._at(self._pairs.new, column.origins, _MAKES_NULLABLE):
                self._note(draft, NULLABLE, place)
            if column.comment != old[name].comment:
                for draft in self._at(self._pairs.new, column.origins[:1], _CHANGES_COMMENTS):
                    self._note(draft, COMMENT, place)
        for name, column in old.items():
            if name not in new:
                for draft in self._causes(self._pairs.old, column.origins, _CHANGES_COLUMNS):
                    self._note(draft, REMOVED, f"{spec_id}.{name}")

    def _retyped(self, spec_id: str, name: str, old: SpecColumn, new: SpecColumn) -> None:
        word = f"{_TYPE} {old.type} -> {new.type}"
        drafts = self._causes(self._pairs.new, new.origins, _CHANGES_TYPES)
        if not drafts:
            rule = "column-widened" if is_wider(old.type, new.type) else "column-retyped"
            drafts = [Draft(rule, spec_id, name, old.type, new.type, name)]
            self.extra += drafts
        for draft in drafts:
            self._note(draft, word, f"{spec_id}.{name}")

    def _note(self, draft: Draft, word: str, column: str) -> None:
        effect = self._effects.setdefault(id(draft), Effect())
        effect.words.add(word)
        effect.columns.add(column)

    def _causes(self, state: Specs, origins: Iterable[Origin], rules: frozenset[str]) -> list[Draft]:
        """Changes of some fields, else of the fields that hold them, whichever are nearest."""
        seen: set[str] = set()
        level = list(origins)
        while level:
            found = self._at(state, level, rules)
            if found:
                return found
            layouts = {layout for layout, _ in level} - seen
            seen |= layouts
            level = [holder for layout in sorted(layouts) for holder in self._holders[id(state)].get(layout, ())]
        return []

    def _at(self, state: Specs, origins: Iterable[Origin], rules: frozenset[str]) -> list[Draft]:
        drafts = self._before if state is self._pairs.old else self._after
        return [draft for origin in origins for draft in drafts.get(origin, ()) if draft.rule in rules]


def _holders(state: Specs) -> dict[str, list[Origin]]:
    """The fields that hold each layout."""
    found: dict[str, list[Origin]] = {}
    for layout in state.layouts.values():
        for held in held_by(layout):
            found.setdefault(held, [])
        for entry in layout:
            for name in (*entry.cases, entry.type):
                if name:
                    found.setdefault(name, []).append((layout.id, entry.id))
    return found
