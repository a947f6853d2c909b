"""Taken files: those that a stream has taken last, to tell a late one from them when others have been moved away."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

KEPT = 1000
"""At least so many files are kept, and at most twice as many."""
_DIGITS = 12
"""Digits that tell a file from the others: two of 2,000 files are alike once in a hundred million streams."""


@dataclass(frozen=True)
class TakenFiles:
    """The newest files, in the order of their positions."""

    hashes: str = ""
    """Digits of the position of each: a file may get another name, and be compressed."""
    after: str = ""
    """Position of the last file that is kept no longer; empty if all are."""
    since: str = ""
    """That of the file of number KEPT among them."""

    def then(self, keys: Iterable[str]) -> TakenFiles:
        """With files that come behind them; keys are position and name."""
        hashes, after, since = list(self._hashes()), self.after, self.since
        for position in map(position_of, keys):
            hashes.append(_hash(position))
            if len(hashes) == 2 * KEPT:
                del hashes[:KEPT]
                after, since = since, position
            elif len(hashes) == KEPT:
                since = position
        return TakenFiles("".join(hashes), after, since)

    def others(self, keys: Iterable[str]) -> list[str]:
        """Those of some files that are none of them, and behind the last one that is kept no longer."""
        kept = set(self._hashes())
        return [key for key in keys if position_of(key) > self.after and _hash(position_of(key)) not in kept]

    def _hashes(self) -> Iterable[str]:
        return (self.hashes[at : at + _DIGITS] for at in range(0, len(self.hashes), _DIGITS))


NONE_TAKEN = TakenFiles()


def position_of(key: str) -> str:
    """The position in a key."""
    return key.partition(" ")[0]


def _hash(position: str) -> str:
    return hashlib.sha256(position.encode()).hexdigest()[:_DIGITS]
