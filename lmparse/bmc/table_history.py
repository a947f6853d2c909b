"""History: the versions of one table, so that the one in force is found without a walk over all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, Protocol, TypeVar


class Dated(Protocol):
    """What is asked of a version of a table."""

    @property
    def sequence(self) -> int: ...
    @property
    def columns(self) -> tuple[Any, ...]: ...
    @property
    def create_rba(self) -> bytes: ...
    @property
    def drop_rba(self) -> bytes: ...
    @property
    def is_dropped(self) -> bool: ...
    @property
    def identity(self) -> str: ...


V = TypeVar("V", bound=Dated)
_LISTED = 10
"""Most versions in a message."""


def listed(versions: Sequence[V], count: int, text: Callable[[V], str]) -> str:
    """The first of `count` versions in words, and how many more there are."""
    shown = ", ".join(map(text, versions[: min(count, _LISTED)]))
    return shown if count <= _LISTED else f"{shown} and {count - _LISTED} more"


@dataclass(frozen=True, slots=True)
class Holding(Generic[V]):
    """What was in force at a position: the versions of one CREATERBA that were not dropped."""

    created: Sequence[V]
    """All versions of that CREATERBA; those that are dropped first are the last ones."""
    count: int
    """How many of them were left, from the first one on."""
    latest: V
    """The one of them with the highest number."""
    is_ambiguous: bool
    """Whether they have different columns."""

    @property
    def names(self) -> str:
        """The versions in words."""
        return listed(self.created, self.count, lambda version: version.identity)


class History(Generic[V]):
    """The versions of one table, in their order in the control file, and which of them was in force when.

    What was in force changes only where a version begins or ends. So these positions are gone through once, with the
    versions of each CREATERBA on a stack: a version that has ended is not in force again.
    """

    def __init__(self, versions: Sequence[V]) -> None:
        self.versions = tuple(versions)
        self._places: list[bytes] = []
        self._holding: list[Holding[V] | None] = []
        self._numbered: dict[int, list[V]] = {}

    def numbered(self, sequence: int) -> Sequence[V]:
        """The versions with a SEQUENCENUMBER."""
        if not self._numbered:
            for version in self.versions:
                self._numbered.setdefault(version.sequence, []).append(version)
        return self._numbered.get(sequence, ())

    @property
    def bounds(self) -> tuple[bytes, ...]:
        """Ascending positions at which another version comes into force or ends; none for one version."""
        return tuple(self._swept()) if len(self.versions) > 1 else ()

    @property
    def overlaps(self) -> list[tuple[V, V]]:
        """Versions with other columns that DTBI states in force at once: the later begins before the earlier ends.

        A version without DROPRBA does not state it: what is created later takes its place. Of several that have not
        ended, the one that ends last is named.
        """
        found: list[tuple[V, V]] = []
        last: V | None = None  # the one that ends last, and the one that does of those with other columns
        other: V | None = None
        by_creation = sorted(self.versions, key=lambda one: (one.create_rba, one.drop_rba))
        for create_rba, created in groupby(by_creation, key=lambda one: one.create_rba):
            begun = list(created)
            for version in begun:
                earlier = other if last is not None and last.columns == version.columns else last
                if earlier is not None and create_rba < earlier.drop_rba:
                    found.append((earlier, version))
            for version in begun:
                if last is None or version.drop_rba > last.drop_rba:
                    other = last if last is None or last.columns != version.columns else other
                    last = version
                elif version.columns != last.columns and (other is None or version.drop_rba > other.drop_rba):
                    other = version
        return found

    def at(self, position: bytes) -> Holding[V] | None:
        """What was in force at an RBA or LRSN; None if nothing was."""
        place = bisect_right(self._swept(), position)
        return self._holding[place - 1] if place else None

    def _swept(self) -> list[bytes]:
        if not self._places and self.versions:
            self._sweep()
        return self._places

    def _sweep(self) -> None:
        begun: dict[bytes, list[V]] = {}
        for version in self.versions:
            begun.setdefault(version.create_rba, []).append(version)
        self._places = sorted({*begun, *(version.drop_rba for version in self.versions if version.is_dropped)})
        stack: list[list[Holding[V]]] = []
        for place in self._places:
            if place in begun:
                stack.append(_left(begun[place]))
            while stack and (not stack[-1] or _has_ended(stack[-1][-1], place)):
                # The last one of a CREATERBA is dropped first.
                _ = stack[-1].pop() if stack[-1] else stack.pop()
            self._holding.append(stack[-1][-1] if stack else None)


def _left(created: list[V]) -> list[Holding[V]]:
    """What is in force of versions with one CREATERBA, by how many of them are left."""
    created.sort(key=lambda version: (not version.is_dropped, version.drop_rba), reverse=True)
    found: list[Holding[V]] = []
    for count, version in enumerate(created, 1):
        before = found[-1] if found else Holding(created, 0, version, False)
        latest = version if version.sequence > before.latest.sequence else before.latest
        is_ambiguous = before.is_ambiguous or version.columns != created[0].columns
        found.append(Holding(created, count, latest, is_ambiguous))
    return found


def _has_ended(holding: Holding[V], place: bytes) -> bool:
    last = holding.created[holding.count - 1]
    return last.is_dropped and last.drop_rba <= place
