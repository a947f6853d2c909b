"""Random specs and bytes that are likely to be records of them.

`any_field` makes specs of all constructs of a field, `sequences` those in which fields depend on each other, on the
place in the record and on the record's end, and `bodies` those whose fields the data choose. `expressions` and `words`
have the parts of fields that they share; `records` makes the bytes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from constructs.bare import Tree
from constructs.grammar.any_field import AnyField
from constructs.grammar.bodies import BodySpec
from constructs.grammar.sequences import SequenceSpec, ShortSpec

_IMPORTING = 0.1


class SpecMaker:
    """Makes specs from random choices."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._any = AnyField(chance)

    def spec(self, spec_id: str, others: Sequence[str] = ()) -> Tree:
        """One spec, which may import one of the others."""
        chance = self._chance
        kind = chance.random()
        if kind < 0.25:
            return self._any.spec(spec_id)
        if kind < 0.4:
            return ShortSpec(chance).spec(spec_id)
        imported = [chance.choice(others)] if others and chance.random() < _IMPORTING else []
        maker = SequenceSpec if kind < 0.6 else BodySpec
        return maker(chance, imported).spec(spec_id)
