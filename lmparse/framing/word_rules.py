"""Word rules: how the descriptor words of a file say a length, where it is not written as z/OS does.

IBM's rule: a word is big-endian, and its length includes the word. The prefix of z/OSMF leaves itself out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct
from typing import Any


@dataclass(frozen=True, slots=True)
class WordRule:
    """How one kind of descriptor word says a length; by default as its spec says."""

    is_little: bool = False
    """Whether the bytes of the whole word are in reverse order."""
    counts_itself: bool | None = None
    """Whether the length includes the word; None: as in the word's spec."""
    adjustment: int = 0
    """Bytes that are added to the length that the word says."""

    @property
    def is_own(self) -> bool:
        """Whether the words are as their spec says, with the limits there."""
        return self == WordRule()

    def normal(self, counts_itself: bool) -> WordRule:
        """The same rule for a word whose spec says whether its length includes it, so that equal rules compare so."""
        return replace(self, counts_itself=None) if self.counts_itself is counts_itself else self

    def uncounted(self, size: int, counts_itself: bool) -> int:
        """Bytes from word to word that the length leaves out; negative if the length is too large."""
        counts = counts_itself if self.counts_itself is None else self.counts_itself
        return (0 if counts else size) + self.adjustment

    def options(self, word: str) -> Iterator[tuple[str, str]]:
        """The options for words of a kind (`rdw`, `bdw`) that differ from the spec, by their Python names."""
        if self.is_little:
            yield f"{word}_endian", "little"
        if self.counts_itself is not None:
            yield f"{word}_includes_header", str(self.counts_itself).lower()
        if self.adjustment:
            yield f"{word}_adjustment", str(self.adjustment)


OWN = WordRule()
"""The rule of the specs."""


class BackwardStruct:
    """Unpacks numbers whose bytes, and which themselves, are in reverse order; gives them in the usual order."""

    __slots__ = ("_struct", "size")

    def __init__(self, struct: Struct) -> None:
        self._struct = Struct("<" + struct.format.lstrip(">")[::-1])
        self.size = struct.size

    def unpack(self, raw: bytes) -> tuple[Any, ...]:
        """As Struct.unpack."""
        return self._struct.unpack(raw)[::-1]

    def unpack_from(self, raw: bytes | memoryview, offset: int = 0) -> tuple[Any, ...]:
        """As Struct.unpack_from."""
        return self._struct.unpack_from(raw, offset)[::-1]
