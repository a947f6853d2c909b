"""Header columns: a header that XHDF describes, converted to the layout of the spec for many records at a time.

The result is that of `headers` for one record. Faulty values are only marked here; `headers` makes their errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lmparse.bmc.headers import Header, padding, widen
from lmparse.columnar import json_texts
from lmparse.columnar.column_plans import Widen
from lmparse.columnar.record_plan import DescribedHeader, RecordPlan, Source, some_of
from lmparse.errors import InvalidValueError
from lmparse.framing.windows import Window
from lmparse.spec.layout import Field
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage

_PACKED = 10
"""Bytes of an older timestamp that has the first digits of today's."""


def record_plan(header: Header, page: CodePage | None = None) -> RecordPlan:
    """How records under a header are read column-wise."""
    end_at = header.width if header.is_described else None
    return RecordPlan(header.spec, page, end_at=end_at, described=described(header))


def positions(header: Header, raw: Mapping[str, Bytes]) -> Bytes:
    """(n, width) positions of records in the log: LRSN in data sharing, else RBA; as `tables.position_of`."""
    lrsn = "log_rba" if "log_lrsn" in header.absent else "log_lrsn"
    in_group = np.asarray(raw["member_id"].any(1))
    return np.where(in_group[:, None], raw[lrsn], raw["log_rba"])


class HeaderTexts:
    """The fields of a header as the command line shows them, for many records at a time."""

    def __init__(self, header: Header, page: CodePage | None) -> None:
        self._plan = record_plan(header, page).in_full()
        layout = header.spec.layout
        fields = [*layout, *header.extra]
        self._names = [field.id for field in fields if field.id != "data"]
        self._omitted = [field.id for field in layout if field.kind == "rest"]
        """Bytes behind what is known; not shown where there are none."""

    def columns(self, window: Window, numbers: Int64s, names: Sequence[str]) -> list[pa.Array]:
        """Some fields of regular records, with all digits of times."""
        return self._plan.decode(some_of(window, numbers), names).arrays

    def objects(self, window: Window, numbers: Int64s) -> pa.Array:
        """All fields of regular records but DATA, as JSON objects."""
        found = self.columns(window, numbers, self._names)
        return json_texts.objects(dict(zip(self._names, found, strict=True)), len(numbers), self._omitted)


def described(header: Header) -> DescribedHeader | None:
    """Where a described header has the bytes of each field; None for a header that equals the spec's."""
    if header.is_table:
        return None
    sources = {
        entry.id: Source(0, 0, partial(_padded, entry.width, 0, 0)) for entry in header.spec.layout if entry.width
    }
    for field in header.fields:
        if field.known is not None:
            sources[field.known.id] = source(field.known, field.position, field.length)
    # A record is read only if its LENGTH is that of the described header, however XHDF describes the field itself.
    length = header.spec.layout["length"]
    own = sources[length.id]
    shown = min(header.width, 0xFFFF).to_bytes(length.width or 0, "big")
    sources[length.id] = Source(own.offset, own.width, partial(_same, shown, own.widen), own.can_fail)
    return DescribedHeader(header.width, sources, frozenset(header.absent), tuple(header.extra))


def source(known: Field, offset: int, width: int) -> Source:
    """Offset and width of a described field, and the function that converts its bytes to the width in the spec."""
    wanted = known.width or 0
    if width == wanted:
        return Source(offset, width)
    if known.kind == "timestamp17" and width != _PACKED:
        return Source(offset, width, partial(_by_value, known), can_fail=True)
    front, fill = padding(known.kind, known.type, known.width, width)
    return Source(offset, width, partial(_padded, wanted, front, fill[0]), can_fail=width > wanted)


def _by_value(known: Field, raw: Bytes) -> tuple[Bytes, Flags]:
    """Each distinct value converted by itself; zeros for one that cannot be, which is marked."""
    values, which = np.unique(raw, axis=0, return_inverse=True)
    made, bad = np.zeros((len(values), known.width or 0), np.uint8), np.zeros(len(values), np.bool_)
    for number, value in enumerate(values):
        try:
            made[number] = np.frombuffer(widen(value.tobytes(), known), np.uint8)
        except InvalidValueError:
            bad[number] = True
    return made[which.reshape(-1)], bad[which.reshape(-1)]


def _same(value: bytes, widen: Widen | None, raw: Bytes) -> tuple[Bytes, Flags | None]:
    """One value for all records; those whose own value is faulty stay marked."""
    return np.tile(np.frombuffer(value, np.uint8), (len(raw), 1)), None if widen is None else widen(raw)[1]


def _padded(width: int, front: int, fill: int, raw: Bytes) -> tuple[Bytes, Flags | None]:
    """Fill bytes are added on both sides, or cut off: see `headers.padding`. No other byte may be cut off."""
    made = np.full((len(raw), width), fill, np.uint8)
    cut = max(-front, 0)
    kept = raw[:, cut : width - front]
    made[:, max(front, 0) : max(front, 0) + kept.shape[1]] = kept
    if raw.shape[1] <= width:
        return made, None
    return made, (raw[:, :cut] != fill).any(1) | (raw[:, width - front :] != fill).any(1)
