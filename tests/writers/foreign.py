"""Files of records whose descriptor words are not as z/OS writes them.

Written from Cobrix's description of its options (README, "Variable length record files"), independently of the reader:
an adjustment is added to the length that a word says; a little-endian word has all its bytes in reverse order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

WORD = 4
SEGMENTED = ("vbs", "bdw-vbs")
BLOCKED = ("bdw", "bdw-vbs")
FRAMINGS = ("rdw", "zosmf", "vbs", "bdw", "bdw-vbs")


@dataclass(frozen=True)
class Rule:
    """How a word says a length."""

    little: bool = False
    includes: bool = True
    adjustment: int = 0

    def says(self, length: int) -> int:
        """The number in a word in front of so many bytes."""
        return length + (WORD if self.includes else 0) - self.adjustment

    def ordered(self, word: bytes) -> bytes:
        return word[::-1] if self.little else word

    def options(self, word: str, own: bool = True) -> dict[str, Any]:
        """The options for it; `own` is whether a length includes the word when none says so."""
        found: dict[str, Any] = {f"{word}_endian": "little"} if self.little else {}
        found |= {f"{word}_includes_header": self.includes} if self.includes is not own else {}
        return found | ({f"{word}_adjustment": self.adjustment} if self.adjustment else {})


@dataclass(frozen=True)
class Form:
    """How a file is written."""

    framing: str
    record: Rule = Rule()
    block: Rule = Rule()
    header: bytes = b""
    trailer: bytes = b""
    size: int = 100
    """Bytes of a block, and of a piece of a spanned record."""

    @property
    def options(self) -> dict[str, Any]:
        """The options that read it."""
        found = {"framing": self.framing, **self.record.options("rdw", self.framing != "zosmf")}
        found |= self.block.options("bdw") if self.framing in BLOCKED else {}
        found |= {"file_start_offset": len(self.header)} if self.header else {}
        return found | ({"file_end_offset": len(self.trailer)} if self.trailer else {})

    def is_possible(self, records: Sequence[bytes]) -> bool:
        """Whether no word would have to say a length below zero."""
        return all(self.record.says(len(piece)) >= 0 for record in records for piece, _ in self._pieces(record))

    def file(self, records: Sequence[bytes]) -> tuple[bytes, list[int]]:
        """The bytes of a file, and the offset of the first byte of each record."""
        data, offsets = self.header, []
        if self.framing not in BLOCKED:
            for record in records:
                offsets.append(len(data) + WORD)
                data += b"".join(self._word(len(piece), code) + piece for piece, code in self._pieces(record))
            return data + self.trailer, offsets
        block, begins = b"", []
        for record in records:
            for number, (piece, code) in enumerate(self._pieces(record)):
                if block and len(block) + WORD + len(piece) > self.size:
                    data, offsets = self._closed(data, block, begins, offsets)
                    block, begins = b"", []
                begins += [len(block) + WORD] if number == 0 else []
                block += self._word(len(piece), code) + piece
        data, offsets = self._closed(data, block, begins, offsets)
        return data + self.trailer, offsets

    def _closed(self, data: bytes, block: bytes, begins: list[int], offsets: list[int]) -> tuple[bytes, list[int]]:
        if not block:
            return data, offsets
        said = self.block.says(len(block))
        word = said.to_bytes(2, "big") + bytes(2) if said <= 0x7FFF else (said | 1 << 31).to_bytes(4, "big")
        start = len(data) + WORD
        return data + self.block.ordered(word) + block, offsets + [start + place for place in begins]

    def _word(self, length: int, code: int) -> bytes:
        said = self.record.says(length)
        word = said.to_bytes(4, "big") if self.framing == "zosmf" else said.to_bytes(2, "big") + bytes([code, 0])
        return self.record.ordered(word)

    def _pieces(self, record: bytes) -> Iterator[tuple[bytes, int]]:
        """Pieces with their segment codes: 0 whole, 1 first, 3 middle, 2 last."""
        if self.framing not in SEGMENTED or len(record) <= self.size:
            yield record, 0
            return
        starts = range(0, len(record), self.size)
        for start in starts:
            last = start == starts[-1]
            yield record[start : start + self.size], 2 if last else 3 if start else 1
