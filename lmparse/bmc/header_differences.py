"""Header differences: what extracts whose headers have other fields cannot be compared in, or ordered by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lmparse.bmc.change_record import SPEC
from lmparse.bmc.extract_heads import ExtractHeads
from lmparse.bmc.unit_outcomes import OUTCOME_FIELDS, UNIT_FIELDS, widths
from lmparse.spec import catalog
from lmparse.values.byte_arrays import Bytes

_DISPOSITION, _TIME, _LRSN, _POINT = OUTCOME_FIELDS
_MEMBER = UNIT_FIELDS[0]
_ORDERING = ("log_lrsn", _LRSN)
"""Fields of `seq` in whose place the RBA stands where a header lacks them."""


def differing_headers(heads: Sequence[ExtractHeads]) -> Iterator[str]:
    """What headers with other fields keep from being compared or ordered, in words."""
    layout = catalog.load(SPEC).layout
    has_members = have_members(heads)
    is_ordered_otherwise = has_members or any(map(_has_other_lrsn, heads))
    for name, is_needed, what in (
        (_MEMBER, has_members, "units of recovery of the one are not found in the others"),
        *((name, is_ordered_otherwise, "seq has an RBA in its place, which does not order changes with the others")
          for name in _ORDERING),
    ):  # fmt: skip
        lacking = [one.path for one in heads if name in one.absent and one.records]
        if is_needed and lacking and any(name not in one.absent for one in heads):
            many = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            yield f"{lacking[0]}{many}: the header has no {layout[name].orig_id}, as other extracts have; {what}"


def is_one_clock(heads: Sequence[ExtractHeads]) -> bool:
    """Whether positions of all extracts can be compared, as `extract_heads.positions` has them.

    In data sharing those of a header without LOGLRSN, or without the member that tells of it, are RBAs.
    """
    lacking = {not {_MEMBER, _ORDERING[0]}.isdisjoint(one.absent) for one in heads if one.records}
    return len(lacking) < 2 or not have_members(heads)


def have_members(heads: Sequence[ExtractHeads]) -> bool:
    """Whether an extract is of a data sharing group, as far as headers say. There an RBA is of one member."""
    return any(bool(_members(one).any()) for one in heads)


def _members(heads: ExtractHeads) -> Bytes:
    width = widths((_MEMBER,))[0]
    return np.concatenate([heads.open_units[:, :width], heads.ended[:, :width]])


def _has_other_lrsn(heads: ExtractHeads) -> bool:
    """Whether a commit has an LRSN that is not its RBA."""
    start = sum(widths((*UNIT_FIELDS, _DISPOSITION, _TIME)))
    lrsn, point = widths((_LRSN, _POINT))
    first, second = heads.ended[:, start : start + lrsn], heads.ended[:, start + lrsn : start + lrsn + point]
    return bool(((first != second).any(1) & first.any(1) & second.any(1)).any())
