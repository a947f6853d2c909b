"""Table periods: which versions of a table were in force at a position of the log, by binary search."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar


class Dated(Protocol):
    """What is in force from its creation on until it is dropped."""

    @property
    def create_rba(self) -> bytes:
        """RBA or LRSN of its creation."""

    @property
    def drop_rba(self) -> bytes:
        """RBA or LRSN from which it is no longer in force, if it is dropped."""

    @property
    def is_dropped(self) -> bool:
        """Whether it has such a position."""

    def holds_at(self, position: bytes) -> bool:
        """Whether it was in force at an RBA or LRSN."""


Version = TypeVar("Version", bound=Dated)


class TablePeriods(Generic[Version]):
    """Periods of the log, each from one creation or drop of a version to the next."""

    def __init__(self, versions: Sequence[Version]) -> None:
        self._created: dict[bytes, list[Version]] = {}
        for version in versions:
            self._created.setdefault(version.create_rba, []).append(version)
        drops = {version.drop_rba for version in versions if version.is_dropped}
        self.bounds = sorted(drops.union(self._created))
        """Where they begin."""
        self._newest = list(self._swept())
        self._known: dict[int, tuple[Version, ...]] = {}

    def at(self, position: bytes) -> tuple[Version, ...]:
        """Of the versions in force at an RBA or LRSN, those that were created last; in the order of the versions."""
        period = bisect_right(self.bounds, position)
        if period not in self._known:
            created = self._newest[period - 1] if period else None
            among = [] if created is None else self._created[created]
            self._known[period] = tuple(version for version in among if version.holds_at(position))
        return self._known[period]

    def _swept(self) -> list[bytes | None]:
        """Of each period, when the versions were created that `at` gives; None if none is in force."""
        order = {created: rank for rank, created in enumerate(sorted(self._created))}
        # The last drop of what was created at one position decides how long any of it is in force.
        ends = {
            created: max(versions, key=lambda one: (not one.is_dropped, one.drop_rba))
            for created, versions in self._created.items()
        }
        live: list[tuple[int, bytes]] = []
        found: list[bytes | None] = []
        for bound in self.bounds:
            if bound in ends:
                heappush(live, (-order[bound], bound))
            while live and not ends[live[0][1]].holds_at(bound):
                heappop(live)
            found.append(live[0][1] if live else None)
        return found
