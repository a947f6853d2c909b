"""Unique names: columns with the same name in a log get different ones, so that no value takes another's place."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def unique_names(named: Iterable[tuple[str, int]], taken: Collection[str] = ()) -> list[str]:
    """The names of columns, given with their numbers; none occurs twice, and none is in `taken`.

    The first column of a name keeps it, unless it is in `taken`. Another one gets `#` and its number behind it, as
    often as it takes until no column has that name.
    """
    columns = list(named)
    used = set(taken)
    is_first = []
    for name, _ in columns:
        is_first.append(name not in used)
        used.add(name)
    names = []
    for (name, number), keeps in zip(columns, is_first, strict=True):
        unique = name
        while not keeps and unique in used:
            unique = f"{unique}#{number}"
        used.add(unique)
        names.append(unique)
    return names
