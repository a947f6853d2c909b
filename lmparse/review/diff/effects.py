"""Effects: what changes of specs do to the columns that Spark shows, each assigned to the change that causes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lmparse.review.diff.columns import Origin, SpecColumn, columns_of, is_wider
from lmparse.review.diff.fields import SpecChange
from lmparse.review.diff.pairs import Pairs
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
    "number-narrowed", "number-widened", "width-changed", "reserved-changed", "scale-changed",
))  # fmt: skip
_MAKES_NULLABLE = frozenset(("field-optional", "condition-added"))
_CHANGES_COMMENTS = frozenset(("doc-changed",))


def in_words(effects: Iterable[str]) -> str:
    """Effects in the order of reports: `column removed, nullable`, or `none`."""
    ordered = sorted(effects, key=lambda word: (_ORDER.index(_TYPE if word.startswith(_TYPE) else word), word))
    return ", ".join(ordered) or "none"


def add_effects(pairs: Pairs, changes: Iterable[SpecChange]) -> list[SpecChange]:
    """Note the effects on columns at the changes that cause them; returns a change for each other new type."""
    found = _Effects(pairs, changes)
    for spec_id in sorted(pairs.ids & pairs.touched):
        found.compare(spec_id, columns_of(pairs.old, spec_id), columns_of(pairs.new, spec_id))
    return found.extra


class _State:
    """One state of the specs: the changes of each field, and the fields that have each layout."""

    def __init__(self, specs: Specs) -> None:
        self.changes: dict[Origin, list[SpecChange]] = {}
        self._holders: dict[str, list[Origin]] = {}
        for layout in specs.layouts.values():
            for entry in layout:
                for name in filter(None, (*entry.cases, entry.type)):
                    self._holders.setdefault(name, []).append((layout.id, entry.id))

    def at(self, origins: Iterable[Origin], rules: frozenset[str]) -> list[SpecChange]:
        """The changes of some fields that have one of the rules."""
        found = (change for origin in origins for change in self.changes.get(origin, ()) if change.rule in rules)
        return [*{id(change): change for change in found}.values()]  # one of a type is that of all its fields

    def causes(self, columns: Mapping[str, SpecColumn], name: str, rules: frozenset[str]) -> list[SpecChange]:
        """The same of a column; if there are none, those of the nearest fields around it that have such changes."""
        level = [*columns[name].origins]
        # The columns around it are those of its own fields; others may have the same type.
        while not (found := self.at(level, rules)) and "." in name:
            name = name.rpartition(".")[0]
            level = [*columns[name].origins]
        return found or self._around(level, rules)

    def _around(self, level: list[Origin], rules: frozenset[str]) -> list[SpecChange]:
        """Those of the nearest fields around some fields that are columns."""
        seen: set[str] = set()
        while level:
            if found := self.at(level, rules):
                return found
            layouts = {layout for layout, _ in level} - seen
            seen |= layouts
            level = [holder for layout in sorted(layouts) for holder in self._holders.get(layout, ())]
        return []


class _Effects:
    """Compares columns. `extra` are changes of columns that no change of their fields explains."""

    def __init__(self, pairs: Pairs, changes: Iterable[SpecChange]) -> None:
        self._old, self._new = _State(pairs.old), _State(pairs.new)
        self.extra: list[SpecChange] = []
        earlier = {after: before for before, after in pairs.names.items()}
        for change in changes:
            places = [(change.layout, change.field, change.before or change.field)]
            if not change.field:  # a change of a type is a change of the fields that have it
                shared = ((layout, name) for layout, _, name in (place.rpartition(".") for place in change.also))
                places += [(layout, name, pairs.layouts[layout].member_before(name)) for layout, name in shared]
            for layout, after, before in places:
                self._new.changes.setdefault((layout, after), []).append(change)
                self._old.changes.setdefault((earlier.get(layout, layout), before), []).append(change)

    def compare(self, spec_id: str, old: Mapping[str, SpecColumn], new: Mapping[str, SpecColumn]) -> None:
        """Note what has become of the columns of one spec."""
        for name, column in new.items():
            place = f"{spec_id}.{name}"
            if name not in old:
                _note(self._new.causes(new, name, _CHANGES_COLUMNS), ADDED, place)
                continue
            if column.type != old[name].type:
                self._retyped(spec_id, name, old[name], new)
            _note(self._new.at(column.origins, _MAKES_NULLABLE), NULLABLE, place)
            if column.comment != old[name].comment:
                _note(self._new.at(column.origins[:1], _CHANGES_COMMENTS), COMMENT, place)
        for name in old:
            if name not in new:
                _note(self._old.causes(old, name, _CHANGES_COLUMNS), REMOVED, f"{spec_id}.{name}")

    def _retyped(self, spec_id: str, name: str, old: SpecColumn, columns: Mapping[str, SpecColumn]) -> None:
        changes, type_ = self._new.causes(columns, name, _CHANGES_TYPES), columns[name].type
        if not changes:
            rule = "column-widened" if is_wider(old.type, type_) else "column-retyped"
            changes = [SpecChange(rule, spec_id, name, old.type, type_, name)]
            self.extra += changes
        _note(changes, f"{_TYPE} {old.type} -> {type_}", f"{spec_id}.{name}")


def _note(changes: Iterable[SpecChange], effect: str, column: str) -> None:
    for change in changes:
        change.effects.add(effect)
        change.columns.add(column)
