"""Operation and outcome of Log Master's changes, from the header of the record; changes in the order of commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lmparse.bmc.log.seq import seq
from lmparse.bmc.record.segments import JoinedChange
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held, Limits
from lmparse.records.reader import Values

OPERATIONS = {
    "UB": "U", "I": "I", "IL": "I", "D": "D", "DM": "M", "DT": "T", "DR": "T", "E": "X", "SC": "S", "CM": "C",
    "CO": "O",
}  # fmt: skip
"""The operation of each change type; an unlisted type has none."""

DISPOSITIONS = ("open", "committed", "rolled-back")
"""Outcomes of units of recovery."""
MADE, TAKEN_BACK, UNDO, UNLISTED = "made", "taken back", "undo", "unlisted"
"""Effects of a change: it was made, it was taken back, it takes another change back, or its code is not listed."""


def disposition(values: Values) -> str:
    """Outcome of the unit of recovery of a change; one of DISPOSITIONS."""
    return {"C": "committed", "A": "rolled-back"}.get(values["uor_disp"], "open")


def effect(values: Values) -> str:
    """Effect of a change inside its unit. That an undo (SQLTYPE U) is not a change of its own is inferred."""
    if values["sql_type"] == "U":
        return UNDO
    record = values["log_rec_disp"]
    if record in ("A", "S", "O"):
        return TAKEN_BACK
    return MADE if record in ("C", "", None) else UNLISTED


def unit_state(values: Values) -> str:
    """Outcome of a change: committed, rolled-back, open, or unlisted.

    An undo in a committed unit counts as rolled back, like the change that it undoes.
    """
    unit = disposition(values)
    if unit != "committed":
        return unit
    return {MADE: unit, UNLISTED: "unlisted"}.get(effect(values), "rolled-back")


_KEY_BYTES, EXTENT_BYTES = 400, 300
"""Bytes of memory of the sort key of a change, and of the extent of one of its records; measured."""


def in_commit_order(
    changes: Iterable[JoinedChange], limits: Limits, path: str
) -> Iterator[tuple[int, list[RecordExtent]]]:
    """Ordinal and extents of each change, in the order of `seq`; changes with one `seq` are in the order of the file.

    Memory holds keys and extents, not rows. They count against the limit `held_bytes`. Raises FileLimitError LMP-L004.
    """
    keys = []
    held = Held(limits)
    for joined in changes:
        last = joined.extent
        size = _KEY_BYTES + EXTENT_BYTES * len(joined.extents)
        held.take(size, file=path, record_index=last.index, record_offset=last.offset)
        keys.append((seq(joined.values, joined.ordinal), joined.ordinal, joined.extents))
    for _, ordinal, extents in sorted(keys, key=lambda entry: entry[0]):
        yield ordinal, extents
