"""Codes: changes in the lists of values of two states of specs, each change once for all fields that share the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lmparse.review.diff.fields import Said, SpecChange, came_and_went
from lmparse.review.diff.pairs import LayoutPair, Pairs
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Code, Field, Layout, spec_of

_Key = tuple[object, ...]
_Renamed = dict[tuple[str, str, str], list[str]]
"""Renamed lists: id of the layout that has the list, both names, and the fields with the list."""


def code_changes(pairs: Pairs) -> list[SpecChange]:
    """All changes of lists; `also` of each has the fields and parameters that take their codes from the list."""
    found: dict[_Key, SpecChange] = {}
    users_of: dict[_Key, dict[str, None]] = {}
    """Each once, in order: as many as have a list."""

    def note(change: SpecChange, key: _Key = (), user: str | None = None) -> None:
        place = (change.rule, change.layout, change.field, *key)
        known = found.setdefault(place, change)
        users = users_of.setdefault(place, dict.fromkeys(known.also))
        if user is not None and user not in users:
            users[user] = None
            known.also.append(user)

    renamed = _renamed_lists(pairs)
    for (layout_id, old_name, new_name), users in renamed.items():
        note(SpecChange("enum-renamed", layout_id, f"enums.{new_name}", old_name, new_name, also=users))
    names: dict[str, list[tuple[str, str]]] = {}
    """Both names of the renamed lists of a layout."""
    for layout_id, old_name, new_name in renamed:
        names.setdefault(layout_id, []).append((old_name, new_name))
    for pair in pairs.touched_layouts():
        renamed_here = names.get(pair.id, [])
        for user, owner, name, old, new in _uses(pairs, pair, dict(renamed_here)):
            for change, key in _compared(owner, name, old, new):
                note(change, key, user)
        for change in _whole_lists(pair, renamed_here):
            note(change)
    return list(found.values())


def _uses(
    pairs: Pairs, pair: LayoutPair, other_names: Mapping[str, str]
) -> Iterator[tuple[str | None, str, str, tuple[Code, ...], tuple[Code, ...]]]:
    """Where both states use or define a list: user, layout and name of the list, codes before and after."""
    for old, new in pair.kept():
        if (old.enum is None) == (new.enum is None):
            # Kind and width decide how a value is shown; their changes are reported by themselves.
            same = (old.kind, old.width) == (new.kind, new.width)
            before = old.codes if same else _shown_as(old.codes, new.codes)
            owner, name = owner_of(pairs.new, pair.new, new.enum or new.id)
            yield f"{pair.id}.{new.id}", owner, name, before, new.codes
    for param, codes in pair.old.param_codes.items():
        if param in pair.new.param_codes:
            stated = pairs.detail(pair, f"params.{param}")[1].get("enum", param)
            owner, name = owner_of(pairs.new, pair.new, stated)
            yield f"{pair.id}.params.{param}", owner, name, codes, pair.new.param_codes[param]
    for enum, codes in pair.old.enums.items():
        after = enum if enum in pair.new.enums else other_names.get(enum)
        if after in pair.new.enums:
            yield None, pair.id, after, codes, pair.new.enums[after]


def _shown_as(codes: tuple[Code, ...], like: tuple[Code, ...]) -> tuple[Code, ...]:
    texts = {code.value: code.text for code in like}
    return tuple(Code(code.value, texts.get(code.value, code.text), code.id, code.doc, code.status) for code in codes)


def _renamed_lists(pairs: Pairs) -> _Renamed:
    """Lists that a field has under another name."""
    found: _Renamed = {}
    for pair in pairs.touched_layouts():
        for old, new in pair.kept():
            if old.enum and new.enum and old.enum != new.enum:
                owner, name = owner_of(pairs.new, pair.new, new.enum)
                found.setdefault((owner, old.enum.rpartition("::")[2], name), []).append(f"{pair.id}.{new.id}")
    return found


def owner_of(specs: Specs, layout: Layout, enum: str) -> tuple[str, str]:
    """Id of the layout that defines a list which another layout names, and the name of the list there."""
    *path, name = enum.split("::")
    scopes = layout.id.split(".")
    outwards = [".".join(scopes[:length]) for length in range(len(scopes), 0, -1)]
    places = [".".join((scope, *path)) for scope in outwards] + ([".".join(path)] if path else [])
    for place in places:
        if place in specs.layouts and name in specs.layouts[place].enums:
            return place, name
    return spec_of(layout.id), name


def _compared(owner: str, enum: str, old: tuple[Code, ...], new: tuple[Code, ...]) -> Iterator[tuple[SpecChange, _Key]]:
    """The changes of one list, each with a key that is the same wherever the list is used."""
    before, after = _by_value(old), _by_value(new)

    def change(rule: str, said: Said, says: Said, *key: object) -> tuple[SpecChange, _Key]:
        return SpecChange(rule, owner, f"enums.{enum}", said, says), key

    for value in before | after:
        one, other = before.get(value, []), after.get(value, [])
        shown = _shown(one), _shown(other)
        ids = tuple(tuple(code.id for code in codes) for codes in (one, other))
        docs = tuple("; ".join(code.doc for code in codes) for codes in (one, other))
        if not one or not other:
            yield change("code-removed" if one else "code-added", *shown, value, *ids)
            continue
        if [(code.id, code.text) for code in one] != [(code.id, code.text) for code in other]:
            yield change("code-changed", *shown, value, *ids)
        if docs[0] != docs[1]:
            yield change("doc-changed", f"{shown[0]}: {docs[0]}", docs[1], value, *docs)
        said = tuple("; ".join(code.status or "that of the field" for code in codes) for codes in (one, other))
        if said[0] != said[1]:
            yield change("status-changed", f"{shown[0]}: {said[0]}", said[1], value, *said)
    both = [[value for value in side if value in before and value in after] for side in (before, after)]
    if both[0] != both[1]:
        yield change("code-order", None, None)


def _by_value(codes: tuple[Code, ...]) -> dict[int, list[Code]]:
    found: dict[int, list[Code]] = {}
    for code in codes:
        found.setdefault(code.value, []).append(code)
    return found


def _shown(codes: list[Code]) -> str | None:
    """A value with its names: `UB update`."""
    return ", ".join(f"{code.value if code.text is None else code.text} {code.id}" for code in codes) or None


def _whole_lists(pair: LayoutPair, renamed: Iterable[tuple[str, str]]) -> Iterator[SpecChange]:
    """Lists that are in one state only, and fields that have a list in one state only."""
    for old, new in pair.kept():
        if (old.enum is None) != (new.enum is None):
            rule = "code-added" if old.enum is None else "code-removed"
            yield SpecChange(rule, pair.id, new.id, _listed(old), _listed(new))
    gone, come = {old for old, _ in renamed}, {new for _, new in renamed}
    old_names = {name: name for name in pair.old.enums if name in pair.new.enums or name not in gone}
    new_names = {name: name for name in pair.new.enums if name in pair.old.enums or name not in come}
    yield from came_and_went("code", pair.id, "enums", old_names, new_names)


def _listed(entry: Field) -> str | None:
    return None if entry.enum is None else f"codes of {entry.enum}"
