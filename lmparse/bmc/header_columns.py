"""Header columns: a header that XHDF describes, brought to the table's layout for many records at a time.

The same as `headers` does for one record. What is bad is only marked here: `headers` says what.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from lmparse.bmc.headers import EXTEND, Header, form
from lmparse.columnar.record_plan import DescribedHeader, RecordPlan, Source, Widen
from lmparse.errors import InvalidValueError
from lmparse.spec.layout import Field
from lmparse.values import codepages
from lmparse.values.byte_arrays import Bytes, Flags
from lmparse.values.codepages import CodePage

_WIDEST = 8
"""Bytes of the widest number that a column holds."""
_EBCDIC = codepages.lookup("cp037")
_BLANK = _EBCDIC.encode(" ")[0]
_TIMESTAMP = np.frombuffer(_EBCDIC.encode("0000-00-00-00.00.00.000000"), np.uint8)
"""A timestamp as text, every digit a zero."""
_IS_DIGIT = _TIMESTAMP[0] == _TIMESTAMP


def record_plan(header: Header, page: CodePage | None = None) -> RecordPlan:
    """How records under a header are read column-wise."""
    end_at = header.width if header.is_described else None
    return RecordPlan(header.spec, page, end_at=end_at, reason=header.row_reason, described=described(header))


def described(header: Header) -> DescribedHeader | None:
    """Where the columns find their bytes in a header; None in one that is the table's."""
    if header.is_table:
        return None
    sources = {entry.id: Source(0, 0, partial(_zeros, entry.width)) for entry in header.spec.layout if entry.width}
    for field in header.fields:
        if field.known is not None:
            sources[field.known.id] = source(field.known, field.position, field.length)
    # Of a record that is read the described header is as long as LENGTH says, whatever form it is described in.
    length = header.spec.layout["length"]
    own = sources[length.id]
    shown = min(header.width, 0xFFFF).to_bytes(length.width or 0, "big")
    sources[length.id] = Source(own.offset, own.width, partial(_same, shown, own.widen), own.can_fail)
    extra = (field for field in header.extra if field.kind not in ("int", "uint") or (field.width or 0) <= _WIDEST)
    return DescribedHeader(header.width, sources, frozenset(header.absent), tuple(extra))


def source(known: Field, offset: int, width: int) -> Source:
    """Where a described field stands, and what brings its bytes to the width of the table's."""
    wanted, found = known.width or 0, form(known, width)
    if found == "same":
        return Source(offset, width)
    if found == "text":
        return Source(offset, width, partial(_text, wanted), can_fail=width > wanted)
    if found == "number":
        return Source(offset, width, partial(_number, wanted), can_fail=width > wanted)
    if found == "timestamp" and width == len(_TIMESTAMP):
        return Source(offset, width, partial(_timestamp, wanted), can_fail=True)
    widen = _extended(EXTEND[found], width)
    return Source(offset, width, widen or partial(_none, wanted), can_fail=widen is None)


def _extended(extend: Callable[[bytes], bytes], width: int) -> Widen | None:
    """What puts zeros around bytes as a function does; None for a width that it does not take."""
    try:
        shown = extend(b"\x01" * width)
    except InvalidValueError:
        return None
    return partial(_padded, shown.index(1), len(shown))


def _zeros(width: int, raw: Bytes) -> tuple[Bytes, None]:
    return np.zeros((len(raw), width), np.uint8), None


def _none(width: int, raw: Bytes) -> tuple[Bytes, Flags]:
    return np.zeros((len(raw), width), np.uint8), np.ones(len(raw), np.bool_)


def _same(value: bytes, widen: Widen | None, raw: Bytes) -> tuple[Bytes, Flags | None]:
    """One value for all, where their own are no bad ones."""
    return np.tile(np.frombuffer(value, np.uint8), (len(raw), 1)), None if widen is None else widen(raw)[1]


def _padded(front: int, width: int, raw: Bytes) -> tuple[Bytes, None]:
    made = np.zeros((len(raw), width), np.uint8)
    made[:, front : front + raw.shape[1]] = raw
    return made, None


def _text(width: int, raw: Bytes) -> tuple[Bytes, Flags]:
    """Blanks are put behind it; nothing but blanks may be cut off."""
    made = np.full((len(raw), width), _BLANK, np.uint8)
    made[:, : raw.shape[1]] = raw[:, :width]
    return made, (raw[:, width:] != _BLANK).any(1)


def _number(width: int, raw: Bytes) -> tuple[Bytes, Flags]:
    """Zeros are put in front of it; nothing but zeros may be cut off."""
    made = np.zeros((len(raw), width), np.uint8)
    made[:, max(width - raw.shape[1], 0) :] = raw[:, -width:]
    return made, np.asarray(raw[:, : max(raw.shape[1] - width, 0)].any(1))


def _timestamp(width: int, raw: Bytes) -> tuple[Bytes, Flags]:
    """As `packed_times.extend_timestamp` of text."""
    is_null = (raw == _BLANK).all(1) | ~raw.any(1)
    digits = raw[:, _IS_DIGIT] - _TIMESTAMP[0]
    bad = (digits > 9).any(1) | (raw[:, ~_IS_DIGIT] != _TIMESTAMP[~_IS_DIGIT]).any(1)
    made = np.zeros((len(raw), width), np.uint8)
    packed = digits[:, ::2] << 4 | digits[:, 1::2]
    made[:, : packed.shape[1]] = packed
    made[is_null | bad] = 0
    return made, bad & ~is_null
