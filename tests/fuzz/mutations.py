"""Changes of inputs by chance, from a seed: for runs without a fuzzer that follows coverage."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fuzz.edits import MOST_EDITS

_CHOICES = 6
"""Bytes behind the number of the case that targets take for their choices, at most."""


def mutation(inputs: Sequence[bytes], chance: Random) -> bytes:
    """A new input: one of these with some edits behind it, often few, and now and then other choices."""
    base = chance.choice(inputs)
    if len(base) > 2 and chance.random() < 0.5:
        found = bytearray(base)
        for _ in range(chance.choice((1, 1, 2, 4))):
            found[chance.randrange(2, len(found))] = chance.randrange(256)
    else:
        choices = chance.randbytes(_CHOICES) if chance.random() < 0.7 else bytes(_CHOICES)
        found = bytearray(base[:2] + choices)
    edits = chance.choice((1, 1, 2, 3, 8, MOST_EDITS))
    return bytes(found) + b"".join(_edit(chance) for _ in range(edits))


def _edit(chance: Random) -> bytes:
    part, place = _number(chance), _number(chance)
    return bytes([chance.randrange(14), *part, *place, chance.randrange(256)])


def _number(chance: Random) -> bytes:
    """A number of a part or a place. Low ones are taken more often: most cases have few records, headers in front."""
    return chance.randrange(1 << 16 if chance.random() < 0.5 else 64).to_bytes(2, "big")
