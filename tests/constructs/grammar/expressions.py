"""Expressions over numbers of a record, some of which it may not have, and over the place in it."""

from __future__ import annotations

import random
from collections.abc import Sequence

_PLACES = ("_io.pos", "_io.size", "_root._io.size", "_root._io.pos")
_WHERE = (
    "not _io.eof", "not _io.eof", "not _io.eof", "_io.pos < _io.size", "_io.size - _io.pos >= 2",
    "_io.pos < _io.size - 1", "_io.pos + 1 < _io.size", "_io.size > 3", "_io.pos < 4", "_root._io.pos < 6",
    "_root._io.size - _root._io.pos > 2",
)  # fmt: skip
"""Conditions on the place of a field."""


class Expressions:
    """Makes expressions over names of numbers; records may not have those in `odd`, which are taken less often."""

    def __init__(self, chance: random.Random, names: Sequence[str], odd: Sequence[str] = ()) -> None:
        self._chance = chance
        self._names = [*names, *names, *names, *odd]

    @property
    def _has_names(self) -> bool:
        return bool(self._names)

    def name(self) -> str:
        """A number of the record, or one of the spec if there is none."""
        return self._chance.choice(self._names) if self._has_names else str(self._chance.randrange(4))

    def number(self, depth: int = 0) -> str:
        """A number, with operators in operators."""
        chance, roll = self._chance, self._chance.random()
        if depth < 2 and roll < 0.3:
            sign = chance.choice(("+", "-", "*", "&", "%", "+", "-", "+", "-", self._seldom()))
            return f"({self.number(depth + 1)} {sign} {self.number(depth + 1)})"
        if depth < 2 and roll < 0.42:
            return f"({self.condition(depth + 1)} ? {self.number(depth + 1)} : {self.number(depth + 1)})"
        if roll < 0.8:
            return self.name()
        return chance.choice(_PLACES) if roll < 0.85 else str(chance.choice((0, 1, 2, 3, 0x10, 1 << 31)))

    def _seldom(self) -> str:
        """An operator with which the columnar engine leaves a record to the parser."""
        return self._chance.choice(("+", "-", "/", "|", "^"))

    def condition(self, depth: int = 0) -> str:
        """True or false of numbers, with `and`, `or` and `not`."""
        chance, roll = self._chance, self._chance.random()
        if depth < 3 and roll < 0.35:
            return f"({self.condition(depth + 1)} {chance.choice(('and', 'or'))} {self.condition(depth + 1)})"
        if depth < 3 and roll < 0.45:
            return f"(not {self.condition(depth + 1)})"
        other = self.number(depth + 1) if roll > 0.85 else str(chance.randrange(4))
        return f"({self.number(depth + 1)} {chance.choice(('==', '!=', '<', '>=', '<=', '>'))} {other})"

    def plain(self) -> str:
        """A condition that is often true, and that the columnar engine knows."""
        name = self.name()
        return self._chance.choice(
            (f"{name} == 1", f"{name} != 0", f"{name} < 3", f"{name} % 2 == 1", f"({name} & 1) == 0",
             f"{name} == 1 or {name} == 3", f"not ({name} == 2)")
        )  # fmt: skip

    def where(self) -> str:
        """A condition on the place of a field: where the record or its header ends, also with a number."""
        chance, name = self._chance, self.name()
        if chance.random() < 0.5:
            return chance.choice(_WHERE)
        return chance.choice(
            (f"_io.pos < {name}", f"_io.pos < {name} and not _io.eof", f"{name} < 3 and not _io.eof",
             f"{name} == 1 or _io.eof", f"({name} > 2 ? _io.pos : _io.size) < 4", f"_io.pos + {name} <= _io.size",
             f"_io.pos < {name} + 1")
        )  # fmt: skip

    def any_condition(self) -> str:
        """One of the conditions."""
        return self._chance.choice((self.plain, self.where, self.condition))()

    def size(self) -> str:
        """A number of bytes or items: mostly a few, also below zero or beyond the bytes."""
        name, roll = self.name(), self._chance.random()
        if roll < 0.45:
            return f"{name} % {self._chance.choice((2, 3, 4))}"
        if roll < 0.6:
            return f"{name} == 1 ? 1 : 2"
        if roll < 0.7:
            return f"({self.number()}) % 3"
        return self._chance.choice(
            (name, f"{name} - 1", "_io.size - _io.pos", "_io.size - _io.pos - 1", f"{name} - _io.pos", f"6 / {name}",
             "1 + 1", "4 - 1")
        )  # fmt: skip
