"""Multiplying: what of a spec may be read more often than the record has bytes, so that its parser counts it.

Two kinds of repeats are told apart: those whose number the data claim end with an error where they do not advance, and
those with as many items as a list that is there have no limit but that of the whole record. Types that contain
themselves are in `recursion`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lmparse.spec.build.numbers import NUMBER
from lmparse.spec.build.recursion import MOST_WITHOUT_BITS, recursion_multiplies
from lmparse.spec.build.refusals import Parts, Widths
from lmparse.spec.build.scopes import Scope, attributes
from lmparse.spec.build.selection import Selection
from lmparse.spec.build.specs import SpecFile

_SIZE_OF_A_LIST = re.compile(r"[\w.]+\.size", re.DOTALL).fullmatch
"""Numbers of items that are those of a list that is there."""
_GIVEN = re.compile(r"(?:.* or )?(?:_index \+ 1 == )?(_root\.)?(\w+)\.size", re.DOTALL).fullmatch
"""The same, and conditions to end with a list, where the list may be a parameter of the record."""


class IdleRepeats(NamedTuple):
    """The names of the repeated fields whose items may take no bytes."""

    claimed: set[str]
    """Those of which the data say how many items there are."""
    listed: set[str]
    """Those with as many items as a list that is there."""


class Surroundings(NamedTuple):
    """What the other specs of a build say of one."""

    has_sizes: bool
    """Whether something in any of them is called `size`, as the length of a list is."""
    is_imported: bool
    """Whether another one may have records of it inside."""
    is_counted: bool
    """Whether what it has inside may be inside of what multiplies."""


def surroundings(selection: Selection) -> dict[str, Surroundings]:
    """Those of each spec that is built, by its place."""
    has_sizes = any(map(_names_a_size, selection.known.values()))
    imported = {place for spec in selection.known.values() for place in spec.imports}
    counted: set[str] = set()
    for spec in selection.specs:
        inside = selection.closure(spec)
        if spec.place not in counted and multiplies(inside, Surroundings(has_sizes, spec.place in imported, False)):
            counted.update(one.place for one in inside)
    return {
        spec.place: Surroundings(has_sizes, spec.place in imported, spec.place in counted) for spec in selection.specs
    }


def multiplies(inside: list[SpecFile], around: Surroundings) -> bool:
    """Whether the last of some specs, which imports the others, reads anything that its bytes do not limit."""
    named, spec = {one.id: one for one in inside}, inside[-1]
    rereads = any(map(_is_read_again, (one for scope in _scopes(named, spec) for one in _instances(scope).values())))
    others = any(idle_repeats(spec, named, around)) or _has_full_items(named, spec)
    return rereads or others or recursion_multiplies(_scopes(named, spec))


def _has_full_items(named: dict[str, SpecFile], spec: SpecFile) -> bool:
    """Whether an item of a list may have very many objects for its bits."""
    widths, parts = Widths(), Parts()
    return any(
        parts.of_item(scope, attribute) > widths.of_item(scope, attribute) + MOST_WITHOUT_BITS
        for scope in _scopes(named, spec)
        for attribute in scope.tree.get("seq", [])
        if "repeat" in attribute
    )


def idle_repeats(spec: SpecFile, named: dict[str, SpecFile], around: Surroundings) -> IdleRepeats:
    """The repeats of a spec whose items may take no bytes; `named` are it and all that it imports, by id."""
    widths, found = Widths(), IdleRepeats(set(), set())
    for scope in _scopes(named, spec):
        items = {entry["id"]: entry for entry in attributes(scope.tree)}
        for name, attribute in (*items.items(), *_instances(scope).items()):
            if "repeat" in attribute and "value" not in attribute and not widths.of_item(scope, attribute):
                count, until = (str(attribute.get(key, "")) for key in ("repeat-expr", "repeat-until"))
                if around.has_sizes:  # then .size may be a number in the data
                    found.claimed.add(name)
                elif around.is_imported or not _is_given(scope, count or until):
                    (found.listed if _SIZE_OF_A_LIST(count) else found.claimed).add(name)
    return found


def _is_given(scope: Scope, text: str) -> bool:
    """Whether a number of items is that of a list which whoever reads the record gives as a parameter."""
    match = _GIVEN(text)
    if match is None or (scope.path and not match[1]):
        return False
    lists = [entry for entry in scope.spec.tree.get("params", []) if str(entry.get("type", "")).endswith("[]")]
    return any(entry["id"] == match[2] for entry in lists)


def _is_read_again(instance: dict[str, Any]) -> bool:
    """Whether an instance reads bytes of other fields; one number takes no longer than the record that it is in."""
    type_ = instance.get("type")
    is_number = isinstance(type_, str) and NUMBER.match(type_) is not None and "repeat" not in instance
    return "value" not in instance and not is_number


def _scopes(named: dict[str, SpecFile], spec: SpecFile) -> Iterator[Scope]:
    return Scope(named, spec).all()


def _instances(scope: Scope) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = scope.tree.get("instances", {})
    return found


def _names_a_size(spec: SpecFile) -> bool:
    return any("size" in _ids(scope) for scope in Scope({spec.id: spec}, spec).all())


def _ids(scope: Scope) -> set[str]:
    """The ids of the fields, parameters and instances of a type."""
    listed: Iterable[dict[str, Any]] = (*scope.tree.get("seq", []), *scope.tree.get("params", []))
    return {entry.get("id", "") for entry in listed}.union(_instances(scope))
