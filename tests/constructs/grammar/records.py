"""Bytes for records: random ones, and such that a parser reads without an error, with small changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import cycle, islice

from constructs.grammar.words import PACKED

_DIGITS = bytes([0, 1, 2, 0x0C, 0x1D, 0x12, 0x30, 0x31, 0x4B, 0xF0, 0xF1, 0xF2, 0xF9, 0xC1, 0xD3, 0x4E, 0x60])
_LETTERS = (
    bytes(4), bytes(range(4)), bytes([0, 1, 1, 2]), bytes([0, 1, 2, 0x20, 0x41, 0x42]), bytes([0, 1, 2, 3, 4, 5, 6]),
    _DIGITS, bytes(range(256)),
)  # fmt: skip
_TRIED = 200
"""Bytes that are tried for a spec."""
_BASES = 3
"""Good records of which there are many with small changes: the columnar engine reads many of one form together."""


def records(chance: random.Random, count: int, accepts: Callable[[bytes], bool]) -> list[bytes]:
    """Records: about half as a parser accepts them, the others with small changes, and some random ones."""
    good = _accepted(chance, accepts)
    if not good:
        return [_random(chance) for _ in range(count)]
    bases = chance.sample(good, min(_BASES, len(good)))
    changed = [_changed(chance, raw) for raw in islice(cycle(bases), count * 2)]
    kept = [raw for raw in changed if accepts(raw)][: count // 2]
    others = count - len(kept)
    found = [*kept, *good[: others // 3], *changed[: others // 3]]
    found += [_random(chance) for _ in range(count - len(found))]
    chance.shuffle(found)
    return found


def long_record(chance: random.Random) -> bytes:
    """A record in which types that contain themselves are nested often, with many bytes to copy for each."""
    return bytes([chance.choice((1, 1, 3))]) * chance.choice((20, 150, 300)) + bytes(chance.choice((1, 20_000)))


def _accepted(chance: random.Random, accepts: Callable[[bytes], bool]) -> list[bytes]:
    tried = (_random(chance) for _ in range(_TRIED))
    return [raw for raw in tried if accepts(raw)]


def _random(chance: random.Random) -> bytes:
    """Mostly small numbers, letters and digits, so that counts, lengths and decimals are often good."""
    letters = chance.choice(_LETTERS)
    raw = bytes(chance.choice(letters) for _ in range(chance.randrange(chance.choice((8, 16, 30, 48)))))
    if chance.random() < 0.2:
        at = chance.randrange(len(raw) + 1)
        return raw[:at] + chance.choice(PACKED) + raw[at:]
    return raw


def _changed(chance: random.Random, raw: bytes) -> bytes:
    """A record with some other bytes, seldom shorter or longer."""
    made = bytearray(raw)
    for _ in range(chance.choice((0, 1, 1, 2)) if made else 0):
        made[chance.randrange(len(made))] = chance.choice((0, 1, 2, 3, 4, 255, 128, chance.randrange(256)))
    if chance.random() < 0.1:
        return bytes(made[: chance.randrange(len(made) + 1)])
    return bytes(made) + (bytes([chance.randrange(5)]) if chance.random() < 0.05 else b"")
