"""Nesting: which layouts are inside other layouts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from lmparse.errors import OptionError
from lmparse.spec.layout import NESTED, Field, Layout
from lmparse.spelling import quoted


def types_of(entry: Field) -> Iterator[str]:
    """Yield the ids of the layouts that a field may have."""
    yield from entry.cases
    if entry.type is not None:
        yield entry.type


def types_in(layout: Layout) -> list[str]:
    """Ids of the layouts that the fields of a layout may have."""
    return [name for entry in layout for name in types_of(entry)]


def reached(layouts: Mapping[str, Layout], start: Iterable[str]) -> Iterator[Layout]:
    """Yield the layouts with some ids, and all layouts inside these, each once."""
    seen: set[str] = set()
    left = [*start]
    while left:
        layout_id = left.pop()
        if layout_id not in seen:
            seen.add(layout_id)
            yield layouts[layout_id]
            left += types_in(layouts[layout_id])


def flat(layouts: Mapping[str, Layout], layout: Layout) -> Iterator[Field]:
    """Yield the fields of a record; if a code decides its kind, the fields of every kind, also of recursive kinds."""
    seen = {layout.id}
    levels = [iter(layout.columns)]
    while levels:
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
        elif found.kind == "body":
            levels.append(_of_cases(layouts, types_of(found), seen))
        else:
            yield found


def _of_cases(layouts: Mapping[str, Layout], cases: Iterable[str], seen: set[str]) -> Iterator[Field]:
    for case in cases:
        if case not in seen:
            seen.add(case)
            yield from layouts[case].columns


def list_at(layouts: Mapping[str, Layout], layout: Layout, path: str) -> list[tuple[Layout, Field]]:
    """The fields on the path to a list of nested records, each with its layout. Raises OptionError LMP-S003."""
    found: list[tuple[Layout, Field]] = []
    inside, names = layout, path.split(".")
    for name in names:
        entry = inside.by_id.get(name)
        is_list = len(found) + 1 == len(names)
        if entry is None or entry.kind not in ("struct", "body") or not entry.type or entry.repeated != is_list:
            why = "there is no such field" if entry is None else "it is not of one type with fields"
            if entry is not None and entry.type:
                why = f"{name} is one object" if is_list else f"{name} is a list itself"
            lists = sorted(_lists(layouts, layout, ()))
            text = f"rows has no value {quoted(path)} for {layout.id}: {why}"
            raise OptionError(text, hint="one of " + ", ".join(lists) if lists else "the spec has no list of objects")
        found.append((inside, entry))
        inside = layouts[entry.type]
    return found


def in_front(layout: Layout, entry: Field) -> Layout:
    """A layout with only the fields of `seq` in front of a field; all fields of `seq` if the field is an instance."""
    front = takewhile(lambda one: one.id != entry.id, (one for one in layout if not one.is_instance))
    return replace(layout, fields=tuple(front), computed={}, calculated=(), instances=())


def _lists(layouts: Mapping[str, Layout], layout: Layout, above: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of the lists of nested records outside of other lists."""
    for entry in layout if layout.id not in above else ():
        if entry.kind in ("struct", "body") and entry.type:
            inside = () if entry.repeated else _lists(layouts, layouts[entry.type], (*above, layout.id))
            yield from (f"{entry.id}.{name}" for name in inside)
            yield from (entry.id,) if entry.repeated else ()


def in_rings(inside: Mapping[str, Collection[str]]) -> set[str]:
    """The layouts that contain themselves, directly or through others.

    `inside` has the ids of the layouts in each layout. The time is linear (Tarjan, "Depth-first search and linear graph
    algorithms", 1972: strongly connected components).
    """
    number: dict[str, int] = {}
    first: dict[str, int] = {}
    """The smallest number reached from each layout."""
    path: dict[str, None] = {}
    """The layouts whose ring is still unknown, in the order of their numbers."""
    found: set[str] = set()
    levels: list[tuple[str, Iterator[str]]] = []

    def enter(name: str) -> None:
        number[name] = first[name] = len(number)
        path[name] = None
        levels.append((name, iter(inside[name])))

    for start in inside:
        if start not in number:
            enter(start)
        while levels:
            name, left = levels[-1]
            nested = next((one for one in left if one in inside), None)
            if nested is None:
                levels.pop()
                if levels:
                    around = levels[-1][0]
                    first[around] = min(first[around], first[name])
                if first[name] == number[name]:
                    together = [path.popitem()[0]]
                    while together[-1] != name:
                        together.append(path.popitem()[0])
                    if len(together) > 1 or name in inside[name]:
                        found.update(together)
            elif nested not in number:
                enter(nested)
            elif nested in path:
                first[name] = min(first[name], number[nested])
    return found


def json_reason(layouts: Mapping[str, Layout], entry: Field) -> str:
    """Why the column of a nested record is JSON text and not a struct; empty otherwise."""
    if entry.kind == "any":
        return "the data decide its type"
    if entry.kind not in NESTED:
        return ""
    for name in types_of(entry):
        if any(inside.id == name for inside in reached(layouts, types_in(layouts[name]))):
            return f"{name} contains itself"
    if entry.type is not None and next(flat(layouts, layouts[entry.type]), None) is None:
        return f"{entry.type} has no fields"
    return ""
