"""Order of Db2 LUW changes: positions in the log as text, and the sort key `seq`, of one change and of many.

A `seq` is, in upper-case hex digits, the position of the commit record (32), the position of the record (32), its log
stream (4) and a number that tells apart changes of one record (4): `options.SEQ_DIGITS` together.
"""

from __future__ import annotations

from binascii import hexlify

import numpy as np

from lmparse.changes import checkpoint
from lmparse.changes.change import SeqForm
from lmparse.options import SEQ_DIGITS
from lmparse.values.byte_arrays import Bytes, Ints

Position = checkpoint.Position
"""Log flush sequence and log sequence number, which order a log. Before 10.1 the log flush sequence is zero."""
SEQ_FORM = SeqForm(commit=32, record=32)
NOT_COMMITTED = "F" * SEQ_FORM.commit
"""Commit position of a change that is not committed; it sorts behind all commits."""


def seq(commit: Position | None, record: Position, stream: int, ordinal: int) -> str:
    """The sort key of a change of a record; `commit` is None for a change that is not committed."""
    first = NOT_COMMITTED if commit is None else _digits(commit)
    return f"{first}{_digits(record)}{stream:04X}{ordinal:04X}"


def seq_behind(position: Position) -> str:
    """A sort key behind the changes that are committed up to a position, and in front of all others."""
    return _digits(position).ljust(SEQ_DIGITS, "F")


def _digits(position: Position) -> str:
    return "{:016X}{:016X}".format(*position)


# -- of many rows -----------------------------------------------------------------------------


def hex_digits(parts: list[tuple[Ints, int]]) -> Bytes:
    """Numbers one behind the other as (n, digits) upper-case digits; each has an even number of digits."""
    raw = number_bytes(parts)
    # The library's function is faster than a table of digits that NumPy looks up.
    return np.frombuffer(bytearray(hexlify(raw.tobytes()).upper()), np.uint8).reshape(len(raw), 2 * raw.shape[1])


def number_bytes(parts: list[tuple[Ints, int]]) -> Bytes:
    """The same numbers as (n, digits / 2) bytes, which sort as the digits do."""
    count = len(parts[0][0])
    raw = np.zeros((count, sum(digits for _, digits in parts) // 2), np.uint8)
    end = 0
    for values, digits in parts:
        end += digits // 2
        width = min(digits // 2, 8)
        raw[:, end - width : end] = values.astype(">u8").view(np.uint8).reshape(count, 8)[:, 8 - width :]
    return raw
