"""Codes: what has changed in the lists of values of two states of specs, each change once for all that share it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lmparse.review.diff.pairs import LayoutPair, Pairs, spec_of
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Code, Field, Layout

_Key = tuple[object, ...]


@dataclass
class CodeChange:
    """One change of a list of codes."""

    rule: str
    layout: str
    """Where the list stands, in the later state."""
    member: str
    """The list there, `enums.state`; or the field that has another list, or none."""
    old: str | None
    new: str | None
    users: list[str] = field(default_factory=list)
    """Fields and parameters that take their codes from there."""


def code_changes(pairs: Pairs) -> list[CodeChange]:
    """All changes of codes."""
    found: dict[_Key, CodeChange] = {}

    def note(change: CodeChange, key: _Key = (), user: str | None = None) -> None:
        known = found.setdefault((change.rule, change.layout, change.member, *key), change)
        if user is not None and user not in known.users:
            known.users.append(user)

    renamed = _renamed_lists(pairs)
    for (layout_id, old_name, new_name), users in renamed.items():
        note(CodeChange("enum-renamed", layout_id, f"enums.{new_name}", old_name, new_name, users))
    for pair in (pairs.layouts[name] for name in sorted(pairs.touched)):
        for user, owner, name, old, new in _uses(pairs, pair, renamed):
            for change, key in _compared(owner, name, old, new):
                note(change, key, user)
        for change in _whole_lists(pair, renamed):
            note(change)
    return list(found.values())


def _uses(
    pairs: Pairs, pair: LayoutPair, renamed: dict[tuple[str, str, str], list[str]]
) -> Iterator[tuple[str | None, str, str, tuple[Code, ...], tuple[Code, ...]]]:
    """Where codes are used or listed in both states: user, place and name of the list, codes before and after."""
    for old, new in pair.kept():
        if (old.enum is None) == (new.enum is None):
            # How a value is shown follows from kind and width, which are told by themselves.
            same = (old.kind, old.width) == (new.kind, new.width)
            before = old.codes if same else _shown_as(old.codes, new.codes)
            owner, name = owner_of(pairs.new, pair.new, new.enum or new.id)
            yield f"{pair.id}.{new.id}", owner, name, before, new.codes
    for param, codes in pair.old.param_codes.items():
        if param in pair.new.param_codes:
            stated = pairs.detail(pair, f"params.{param}")[1].get("enum", param)
            owner, name = owner_of(pairs.new, pair.new, stated)
            yield f"{pair.id}.params.{param}", owner, name, codes, pair.new.param_codes[param]
    other_names = {(layout_id, old): new for layout_id, old, new in renamed}
    for enum, codes in pair.old.enums.items():
        after = enum if enum in pair.new.enums else other_names.get((pair.id, enum))
        if after in pair.new.enums:
            yield None, pair.id, after, codes, pair.new.enums[after]


def _shown_as(codes: tuple[Code, ...], like: tuple[Code, ...]) -> tuple[Code, ...]:
    texts = {code.value: code.text for code in like}
    return tuple(Code(code.value, texts.get(code.value, code.text), code.id, code.doc) for code in codes)


def _renamed_lists(pairs: Pairs) -> dict[tuple[str, str, str], list[str]]:
    """Lists that a field takes under another name: where they stand, both names, and the fields."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for pair in (pairs.layouts[name] for name in sorted(pairs.touched)):
        for old, new in pair.kept():
            if old.enum and new.enum and old.enum != new.enum:
                owner, name = owner_of(pairs.new, pair.new, new.enum)
                found.setdefault((owner, old.enum.rpartition("::")[2], name), []).append(f"{pair.id}.{new.id}")
    return found


def owner_of(specs: Specs, layout: Layout, enum: str) -> tuple[str, str]:
    """The layout where a list of codes stands that is named in another, and its own name."""
    *path, name = enum.split("::")
    scopes = layout.id.split(".")
    outwards = [".".join(scopes[:length]) for length in range(len(scopes), 0, -1)]
    places = [".".join((scope, *path)) for scope in outwards] + ([".".join(path)] if path else [])
    for place in places:
        if place in specs.layouts and name in specs.layouts[place].enums:
            return place, name
    return spec_of(layout.id), name


def _compared(owner: str, enum: str, old: tuple[Code, ...], new: tuple[Code, ...]) -> Iterator[tuple[CodeChange, _Key]]:
    """The changes of one list, each with what makes it the same change wherever the list is used."""
    before, after = _by_value(old), _by_value(new)
    member = f"enums.{enum}"
    for value in [*before, *(value for value in after if value not in before)]:
        one, other = before.get(value, []), after.get(value, [])
        ids = tuple(tuple(code.id for code in codes) for codes in (one, other))
        docs = tuple("; ".join(code.doc for code in codes) for codes in (one, other))
        if not one or not other:
            rule = "code-removed" if one else "code-added"
            yield CodeChange(rule, owner, member, _shown(one), _shown(other)), (value, *ids)
            continue
        if [(code.id, code.text) for code in one] != [(code.id, code.text) for code in other]:
            yield CodeChange("code-changed", owner, member, _shown(one), _shown(other)), (value, *ids)
        if docs[0] != docs[1]:
            yield CodeChange("doc-changed", owner, member, f"{_shown(one)}: {docs[0]}", docs[1]), (value, *docs)
    both = [[value for value in side if value in before and value in after] for side in (before, after)]
    if both[0] != both[1]:
        yield CodeChange("code-order", owner, member, None, None), ()


def _by_value(codes: tuple[Code, ...]) -> dict[int, list[Code]]:
    found: dict[int, list[Code]] = {}
    for code in codes:
        found.setdefault(code.value, []).append(code)
    return found


def _shown(codes: list[Code]) -> str | None:
    """A value with its words: `UB update`."""
    if not codes:
        return None
    return ", ".join(f"{code.value if code.text is None else code.text} {code.id}" for code in codes)


def _whole_lists(pair: LayoutPair, renamed: dict[tuple[str, str, str], list[str]]) -> Iterator[CodeChange]:
    """Lists that came or went, and fields that take codes from a list where there was none, or no longer."""
    for old, new in pair.kept():
        if (old.enum is None) != (new.enum is None):
            rule = "code-added" if old.enum is None else "code-removed"
            yield CodeChange(rule, pair.id, new.id, _listed(old), _listed(new))
    gone = {old for layout_id, old, _ in renamed if layout_id == pair.id}
    come = {new for layout_id, _, new in renamed if layout_id == pair.id}
    for enum in pair.old.enums:
        if enum not in pair.new.enums and enum not in gone:
            yield CodeChange("code-removed", pair.id, f"enums.{enum}", enum, None)
    for enum in pair.new.enums:
        if enum not in pair.old.enums and enum not in come:
            yield CodeChange("code-added", pair.id, f"enums.{enum}", None, enum)


def _listed(entry: Field) -> str | None:
    return None if entry.enum is None else f"codes of {entry.enum}"
