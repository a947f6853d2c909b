"""Sort key `seq` of Log Master's changes, and their transactions, from the headers of records."""

from __future__ import annotations

from lmparse.changes.change import SeqForm
from lmparse.records.reader import Values
from lmparse.values import text_times

SEQ_FORM = SeqForm(commit=20, record=40)
NOT_COMMITTED = "F" * SEQ_FORM.commit
"""Commit position of a change that is not committed; it sorts behind all commits."""
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
    """Time of the commit of the unit of recovery, in microseconds since 1970; None if the header lacks it."""
    text = values["uor_commit_timestamp"]
    return None if text is None else text_times.iso_micros(text)


def txn_id(values: Values) -> str:
    """Member and RBA of the unit of recovery, 24 hex digits."""
    return f"{values['member_id'] or 0:04X}{values['uor_id'].hex().upper()}"
