"""Operation, outcome and order of Log Master's changes, from the header of the record; changes in commit order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lmparse.bmc.record.segments import JoinedChange
from lmparse.changes.change import SeqForm
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held, Limits
from lmparse.records.reader import Values
from lmparse.values import text_times

OPERATIONS = {
    "UB": "U", "I": "I", "IL": "I", "D": "D", "DM": "M", "DT": "T", "DR": "T", "E": "X", "SC": "S", "CM": "C",
    "CO": "O",
}  # fmt: skip
"""The operation of each change type; an unlisted type has none."""


SEQ_FORM = SeqForm(commit=20, record=40)
NOT_COMMITTED = "F" * SEQ_FORM.commit
"""Commit position of a change that is not committed: it sorts behind all that are."""
SEQ_OF_RECORD_DIGITS = SEQ_FORM.record + 4 + 8
"""Digits of a `seq` behind the commit position."""


def seq(values: Values, ordinal: int) -> str:
    """The sort key of a change, in upper-case hex digits: commit position (20), LRSN (20) and RBA (20) of the record,
    member (4), number among equal positions (8).

    Without an LRSN in the header, the RBA takes its place. For `ordinal` see `position_runs`.
    """
    record = ((values["log_lrsn"] or values["log_rba"]) + values["log_rba"]).hex().upper()
    return f"{commit_position(values)}{record}{values['member_id'] or 0:04X}{ordinal:08X}"


def commit_position(values: Values) -> str:
    """LRSN of the commit record as 20 hex digits, its RBA if there is no LRSN; all F if not committed."""
    if values["uor_disp"] != "C":
        return NOT_COMMITTED
    position: bytes = values["uor_commit_lrsn"] or b""
    if not position.strip(b"\x00"):
        position = values["uor_commit_point"] or b""
    return position.hex().upper() if position.strip(b"\x00") else NOT_COMMITTED


def commit_micros(values: Values) -> int | None:
    """Time of the commit of the unit of recovery, in microseconds since 1970."""
    text = values["uor_commit_timestamp"]
    return None if text is None else text_times.iso_micros(text)


def txn_id(values: Values) -> str:
    """Member and RBA of the unit of recovery, 24 hex digits."""
    return f"{values['member_id'] or 0:04X}{values['uor_id'].hex().upper()}"


DISPOSITIONS = ("open", "committed", "rolled-back")
"""Outcomes of units of recovery."""
MADE, TAKEN_BACK, UNDO, UNLISTED = "made", "taken back", "undo", "unlisted"
"""What became of a change: it was made, it was taken back, it takes back another one, or its code is not listed."""


def disposition(values: Values) -> str:
    """Outcome of a unit of recovery; one of DISPOSITIONS."""
    return {"C": "committed", "A": "rolled-back"}.get(values["uor_disp"], "open")


def effect(values: Values) -> str:
    """What became of a change inside its unit. That an undo (SQLTYPE U) is not a change of its own is inferred."""
    if values["sql_type"] == "U":
        return UNDO
    record = values["log_rec_disp"]
    if record in ("A", "S", "O"):
        return TAKEN_BACK
    return MADE if record in ("C", "", None) else UNLISTED


def unit_state(values: Values) -> str:
    """Outcome of a change: committed, rolled-back, open, or unlisted.

    An undo in a committed unit counts as rolled back, as does the change that it undoes.
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
    """Ordinal and extents of each change, in the order of `seq`; changes with one `seq` as in the file.

    Keys and extents are held, not rows. Against the limit `held_bytes` count these. Raises FileLimitError LMP-L004.
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
