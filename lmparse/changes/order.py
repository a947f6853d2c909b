"""Order of changes: what `seq` is made of, whatever the log."""

from __future__ import annotations

NOT_COMMITTED = "F" * 20
"""Commit position of what is not committed: behind everything that is."""


def seq(commit_position: str, record_position: str, member: int, ordinal: int) -> str:
    """The sort key of a change, `options.SEQ_DIGITS` upper-case hex digits.

    Ten bytes say where it was committed, twenty where its record is in the log; two bytes number the member or
    stream that wrote the record, four tell apart what has all of these in common.
    """
    return f"{commit_position}{record_position}{member:04X}{ordinal:08X}"
