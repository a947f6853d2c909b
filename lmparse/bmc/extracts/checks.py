"""Extract checks: what several extracts of one log say of each other, as claims of the log that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lmparse.bmc.extracts.joined_extracts import JoinedExtract
from lmparse.changes.claims import Claim, Statement
from lmparse.errors import FramingError

SAME = Statement(
    "extracts agree on what several of them have", "changes and units",
    "of several extracts: table and DATA of each record that more than one has, and the outcome of a unit of recovery",
)  # fmt: skip
NOTHING_MISSING = Statement(
    "no change is missing between two extracts", "pairs of extracts",
    "of several extracts: whether one has a change of a unit whose outcome the one before it states",
)  # fmt: skip
STATEMENTS = (SAME, NOTHING_MISSING)
_NO_BEGINNING = "nothing states where the second begins"


def claims(extracts: Sequence[JoinedExtract]) -> list[Claim]:
    """What came of comparing the extracts of one log."""
    same, missing = (statement.claim() for statement in STATEMENTS)
    same.tested = sum(one.repeats + len(one.settings.outcomes) for one in extracts)
    for _, one in pairwise(extracts):
        if one.continues:
            missing.test()
        else:
            missing.untestable[_NO_BEGINNING] += 1
    return [same, missing]


def contradiction(error: FramingError) -> list[Claim]:
    """The claims of extracts that contradict each other."""
    same, missing = (statement.claim() for statement in STATEMENTS)
    same.test(str(error))
    missing.untestable["the extracts are not of one log"] += 1
    return [same, missing]
