"""Operation, order and outcome of Log Master's changes, from the header of the record."""

from __future__ import annotations

from lmparse.changes import change
from lmparse.records.reader import Values
from lmparse.values import text_times

OPERATIONS = {
    "UB": "U", "I": "I", "IL": "I", "D": "D", "DM": "M", "DT": "T", "DR": "T", "E": "X", "SC": "S", "CM": "C",
    "CO": "O",
}  # fmt: skip
"""The operation of each change type; an unlisted type has none."""


def seq(values: Values, ordinal: int) -> str:
    """The sort key of a change: commit position, LRSN and RBA of the record, member, number among equal positions.

    Without an LRSN in the header, the RBA takes its place. For `ordinal` see `position_runs`.
    """
    record = ((values["log_lrsn"] or values["log_rba"]) + values["log_rba"]).hex().upper()
    return change.seq(commit_position(values), record, values["member_id"] or 0, ordinal)


def commit_position(values: Values) -> str:
    """LRSN of the commit record as 20 hex digits, its RBA if there is no LRSN; all F if not committed."""
    if values["uor_disp"] != "C":
        return change.NOT_COMMITTED
    position: bytes = values["uor_commit_lrsn"] or b""
    if not position.strip(b"\x00"):
        position = values["uor_commit_point"] or b""
    return position.hex().upper() if position.strip(b"\x00") else change.NOT_COMMITTED


def commit_micros(values: Values) -> int | None:
    """Time of the commit of the unit of recovery, in microseconds since 1970."""
    text = values["uor_commit_timestamp"]
    return None if text is None else text_times.iso_micros(text)


def txn_id(values: Values) -> str:
    """Member and RBA of the unit of recovery, 24 hex digits."""
    return f"{values['member_id'] or 0:04X}{values['uor_id'].hex().upper()}"


def unit_state(values: Values) -> str:
    """Outcome of a change: committed, rolled-back, open, or unlisted.

    An undo (SQLTYPE U) in a committed unit counts as rolled back, as does the change that it undoes. That an undo is
    not a change of its own is inferred.
    """
    unit, record = values["uor_disp"], values["log_rec_disp"]
    if unit == "A":
        return "rolled-back"
    if unit != "C":
        return "open"
    if record in ("A", "S", "O") or values["sql_type"] == "U":
        return "rolled-back"
    return "committed" if record in ("C", "", None) else "unlisted"
