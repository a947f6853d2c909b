"""Review order: specs and types in the order in which a reviewer reads them, a whole before its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lmparse.logs.families import families
from lmparse.spec.layout import Layout, spec_of

_SHARED = {"zos": "z/OS: what frames records", "common": "Shared types"}
"""Titles of groups of specs that are not a family of logs."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A spec or a type in a tree."""

    id: str
    depth: int
    """0 for what is part of nothing else in the tree."""
    title: str = ""
    """Of a spec: its title, without the subject if an entry above has it."""


@dataclass(frozen=True, slots=True)
class FamilyTree:
    """The specs of a family, or of a group that is shared."""

    name: str
    title: str
    specs: tuple[TreeEntry, ...]


def family_of_layout(layout: Layout) -> str:
    """The folder of a spec under `formats/`, or the first word of its id."""
    return layout.path.partition("/")[0] if "/" in layout.path else layout.id.partition("_")[0]


def spec_trees(layouts: Mapping[str, Layout]) -> list[FamilyTree]:
    """All specs by family: families of logs first. The record that a family is named for comes before all others."""
    known = {family.name: family for family in families()}
    titles = {name: family.title for name, family in known.items()} | _SHARED
    specs = sorted(name for name in layouts if "." not in name)
    names = {family_of_layout(layouts[spec]) for spec in specs}
    found = []
    for name in sorted(names, key=lambda one: (list(titles).index(one) if one in titles else len(titles), one)):
        members = [spec for spec in specs if family_of_layout(layouts[spec]) == name]
        first = known[name].spec if name in known else ""
        found.append(FamilyTree(name, titles.get(name, name), tuple(_spec_tree(members, layouts, first))))
    return found


def _spec_tree(members: Sequence[str], layouts: Mapping[str, Layout], first: str) -> Iterator[TreeEntry]:
    parts = {spec: [part for part in _parts_of_spec(spec, layouts) if part in members] for spec in members}
    held = {part for found in parts.values() for part in found}
    for spec in members:
        for other in members:  # DATA of a record is named after it, though no field has it
            if other.startswith(f"{spec}_") and other not in held:
                parts[spec].append(other)
                held.add(other)
    subjects = {spec: _subject(layouts[spec]) for spec in members}
    roots = [spec for spec in members if spec not in held] or list(members)
    roots.sort(key=lambda spec: (spec != first, subjects[spec] != subjects.get(first), spec))
    shared = Counter(filter(None, subjects.values()))
    named = set() if len(shared) > 1 else set(shared)
    # A circle of specs has no root.
    for spec, depth in _down([*roots, *members], parts.__getitem__):
        subject, title = subjects[spec], layouts[spec].title or spec
        if shared[subject] > 1 and subject in named:
            title = title.partition(", ")[2]
        named.add(subject)
        yield TreeEntry(spec, depth, title[:1].upper() + title[1:])


def type_tree(spec: str, layouts: Mapping[str, Layout]) -> list[TreeEntry]:
    """A spec and its types: a type below the first one that has a field of it, those without a user last."""
    types = sorted(name for name in layouts if spec_of(name) == spec and name != spec)

    def parts(name: str) -> list[str]:
        return [part for part in _held(layouts[name]) if spec_of(part) == spec]

    return [TreeEntry(name, depth) for name, depth in _down([spec, *types], parts)]


def _down(roots: Iterable[str], parts: Callable[[str], Sequence[str]]) -> Iterator[tuple[str, int]]:
    """The names from some roots on with their depths, each once, where it is met first."""
    met: set[str] = set()
    left = [(root, 0) for root in reversed(list(roots))]
    while left:
        name, depth = left.pop()
        if name not in met:
            met.add(name)
            yield name, depth
            left += [(part, depth + 1) for part in reversed(parts(name))]


def _parts_of_spec(spec: str, layouts: Mapping[str, Layout]) -> list[str]:
    """Specs that fields of a spec or of its types have, in the order of the review of the spec."""
    found = (spec_of(part) for entry in type_tree(spec, layouts) for part in _held(layouts[entry.id]))
    return [part for part in dict.fromkeys(found) if part != spec and part in layouts]


def _held(layout: Layout) -> list[str]:
    """Ids of the layouts that the fields of a layout have, in their order."""
    return list(dict.fromkeys(name for entry in layout for name in (*entry.cases, entry.type) if name))


def _subject(layout: Layout) -> str:
    """What comes before the first comma of a title: the file or the product that a record belongs to."""
    head, comma, _ = layout.title.partition(", ")
    return head if comma else ""
