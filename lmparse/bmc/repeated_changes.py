"""Repeated changes: which changes are in several extracts of a log, and which extract gives each of them.

Two records are of one change if they have the same position (LRSN, RBA, member), unit of recovery, RID and change type.
Their table and DATA must then be the same: else the extracts are not of one log. A record that Log Master could not
complete (INCOMPLETETRANS) is not compared. Several of them in one extract, and segments, are left to `change_pairs`.

The change is given from the first extract that states what became of its unit and that has it complete, if there is
none from the last extract. Against the limit `held_bytes` count the keys of the records in stretches that several
extracts have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from lmparse.bmc.extract_heads import POSITION_FIELDS, ExtractHeads, decoded_windows, not_one, open_extract, positions
from lmparse.bmc.position_runs import PositionRuns
from lmparse.bmc.segment_numbering import SegmentNumbering
from lmparse.bmc.unit_outcomes import UNIT_FIELDS, have_ended, is_yes, keys, widths
from lmparse.columnar.record_plan import Decoded
from lmparse.framing.extents import RecordExtent
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.values import integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_OTHERS = ("uor_id", "rid", "change_type")
"""What tells the changes of one position apart."""
IDENTITY_FIELDS = (*POSITION_FIELDS, *_OTHERS)
TABLE_FIELDS = ("dbid", "psid", "tbobid")
_SEGMENT_FIELDS = ("total_segs", "seg_num")
_RAW = (
    *dict.fromkeys((*IDENTITY_FIELDS, *UNIT_FIELDS, *TABLE_FIELDS, "uor_disp", "incomplete_trans", *_SEGMENT_FIELDS)),
    "data",
)
_DIGEST, _ROW_BYTES, _SEGMENT_BYTES, _EXTENT_BYTES = 16, 168, 1200, 400
"""Bytes of a digest, and bytes of memory of a record that may be in several extracts, of a segment, and of the place of
a record in several pieces; measured."""
_NONE: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Shared:
    """A task: the records of one extract that other extracts may have too."""

    heads: ExtractHeads
    options: Options
    before: bytes
    """Records up to this position are wanted,"""
    after: bytes
    """and those from this one on; empty if none is."""
    fields: tuple[str, ...]
    """IDENTITY_FIELDS that all extracts have."""
    has_data: bool
    """Whether DATA is compared: extracts may be written in different forms."""


@dataclass(frozen=True, slots=True)
class SharedSegment:
    """A segment that another extract may have too, or whose change continues there."""

    identity: bytes
    total: int
    number: int
    extent: RecordExtent
    ordinal: int
    digest: bytes
    """Of table and DATA."""
    data_length: int
    is_settled: bool
    is_complete: bool


@dataclass(eq=False)
class SharedRecords:
    """Records of one extract that other extracts may have too. Safe to pickle."""

    identity: Bytes
    digest: Bytes
    """(n, 16) of table and DATA."""
    offset: Int64s
    ordinal: Int64s
    is_settled: Flags
    """Whether the extract states what became of the unit, and has the record complete."""
    is_complete: Flags
    length: Int64s
    segments: list[SharedSegment] = field(default_factory=list)
    numbering: SegmentNumbering = field(default_factory=SegmentNumbering)
    joined: dict[tuple[bytes, int], list[bytes]] = field(default_factory=dict)
    """As `digest`, of the changes that have all their segments here, by identity and TOTALSEGS, in their order."""
    spanned: dict[int, RecordExtent] = field(default_factory=dict)
    """The records in several pieces, by offset."""

    @property
    def segment_lengths(self) -> set[int]:
        """Bytes of DATA of segments that are not the last ones of their changes: as many in all, if none is damaged."""
        known = (one for one in self.segments if one.is_complete)
        return {one.data_length for one in known if not self.numbering.may_be_last(one.total, one.number)}

    def extent(self, number: int) -> RecordExtent:
        """The place of one record; its number in the file is not known."""
        offset = int(self.offset[number])
        return self.spanned.get(offset) or RecordExtent(0, ((offset, int(self.length[number])),), None)


def place_of(name: str, fields: Sequence[str]) -> slice:
    """Where a field is in an identity of some fields; nowhere if these lack it."""
    start = sum(widths(fields[: fields.index(name)] if name in fields else ()))
    return slice(start, start + (sum(widths([name])) if name in fields else 0))


def shared_records(task: Shared) -> SharedRecords:
    """The records of one extract in the stretches that others have too. Raises FileLimitError LMP-L004."""
    heads, held = task.heads, Held(task.options.bounds)
    log = open_extract(heads.path, heads.control, task.options, heads.settings)
    runs: PositionRuns = log.position_runs()
    found: list[SharedRecords] = []
    joining, numbering = _Joining(held, place_of("rid", task.fields)), SegmentNumbering()
    for window, decoded in decoded_windows(log, _RAW):
        ordinals = runs.numbers(window)
        at = keys(positions(log, decoded))
        near = ((at >= task.after) if task.after else False) | ((at <= task.before) if task.before else False)
        sound = ~decoded.irregular
        totals, segment_numbers = (
            integers.decode_unsigned_array(decoded.raw[name][sound]).astype(np.int64) for name in _SEGMENT_FIELDS
        )
        numbering = numbering.with_those(totals, segment_numbers)
        numbers = np.flatnonzero(near & sound)
        if len(numbers):
            held.take(_ROW_BYTES * len(numbers), file=heads.path)
            found.append(_taken(task, window, decoded, numbers, ordinals, held, joining))
    return replace(_together(found, sum(widths(task.fields))), numbering=numbering, joined=joining.whole)


class _Joining:
    """Digests of changes in segments; of those that lack one, table and DATA of the segments so far.

    Several changes may have one identity: one begins where a number is there again, or the one before is whole. Not if
    it has an RID, and the same bytes are there again before the change is whole: that is a copy.
    """

    def __init__(self, held: Held, rid: slice) -> None:
        self.whole: dict[tuple[bytes, int], list[bytes]] = {}
        """By identity and TOTALSEGS."""
        self._held, self._rid = held, rid
        self._open: dict[tuple[bytes, int], dict[int, tuple[bytes, bytes]]] = {}

    def add(self, identity: bytes, total: int, number: int, table: bytes, data: bytes) -> bool:
        """Add the next segment of the extract; returns whether it is one, and no copy."""
        key = identity, total
        known = self._open.get(key, {}).get(number)
        if known == (table, data) and any(identity[self._rid]):
            return False
        self._held.take(_SEGMENT_BYTES + len(data))
        if known is not None:
            self._close(key)
        pieces = self._open.setdefault(key, {})
        pieces[number] = table, data
        if len(pieces) == total:
            in_order = [pieces[number] for number in sorted(pieces)]
            self.whole.setdefault(key, []).append(_digest(in_order[0][0], *(data for _, data in in_order)))
            self._close(key)
        return True

    def _close(self, key: tuple[bytes, int]) -> None:
        self._held.give(sum(_SEGMENT_BYTES + len(data) for _, data in self._open.pop(key).values()))


def _digest(table: bytes, *data: bytes) -> bytes:
    digest = blake2b(table, digest_size=_DIGEST)
    for piece in data:
        digest.update(piece)
    return digest.digest()


def _together(found: list[SharedRecords], width: int) -> SharedRecords:
    empty = SharedRecords(
        np.zeros((0, width), np.uint8), np.zeros((0, _DIGEST), np.uint8), _NONE, _NONE, _NONE > 0, _NONE > 0, _NONE
    )
    every = [empty, *found]
    arrays: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in every]) for name in _ARRAYS}
    spanned = {offset: extent for one in found for offset, extent in one.spanned.items()}
    return SharedRecords(**arrays, segments=[segment for one in found for segment in one.segments], spanned=spanned)


_COMPARED = ("identity", "digest", "offset", "ordinal", "is_settled", "is_complete")
_ARRAYS = (*_COMPARED, "length")


def _taken(
    task: Shared, window: Window, decoded: Decoded, numbers: Int64s, ordinals: Int64s, held: Held, joining: _Joining
) -> SharedRecords:
    raw = {name: rows[numbers] for name, rows in decoded.raw.items() if name != "data"}
    identity = np.concatenate([raw[name] for name in task.fields], axis=1)
    is_complete = ~is_yes(raw["incomplete_trans"])
    is_settled = have_ended(raw["uor_disp"]) & is_complete
    tables, data = np.concatenate([raw[name] for name in TABLE_FIELDS], axis=1), _data(task, window, decoded, numbers)
    made = b"".join(map(_digest, map(bytes, tables), data))
    digest = np.frombuffer(made, np.uint8).reshape(-1, _DIGEST)
    totals = integers.decode_unsigned_array(raw["total_segs"])
    extents = [window.extent(number) for number in numbers[_are_spanned(window, numbers)].tolist()]
    held.take(_EXTENT_BYTES * len(extents), file=task.heads.path)
    found = SharedRecords(
        identity, digest, window.offsets[numbers], ordinals[numbers], is_settled, is_complete,
        window.lengths[numbers].astype(np.int64), spanned={extent.offset: extent for extent in extents},
    )  # fmt: skip
    partial = np.flatnonzero(totals > 1)
    if not len(partial):
        return found
    held.take(_SEGMENT_BYTES * len(partial), file=task.heads.path)
    segment_numbers = integers.decode_unsigned_array(raw["seg_num"])
    lengths = decoded.rest["data"][1][numbers]
    segments = [
        SharedSegment(
            identity[place].tobytes(), int(totals[place]), int(segment_numbers[place]),
            window.extent(int(numbers[place])), int(found.ordinal[place]), digest[place].tobytes(),
            int(lengths[place]), bool(is_settled[place]), bool(is_complete[place]),
        )
        for place in partial.tolist()
    ]  # fmt: skip
    kept = [
        one
        for place, one in zip(partial.tolist(), segments, strict=True)
        if joining.add(one.identity, one.total, one.number, tables[place].tobytes(), data[place])
    ]
    whole = totals <= 1
    arrays: dict[str, Any] = {name: getattr(found, name)[whole] for name in _ARRAYS}
    return SharedRecords(**arrays, segments=kept, spanned=found.spanned)


def _are_spanned(window: Window, numbers: Int64s) -> Flags:
    """Which records are in several pieces."""
    starts, ends = window.offsets[numbers], window.offsets[numbers] + window.lengths[numbers]
    gaps = np.append(window.gap_starts, np.iinfo(np.int64).max)
    are_spanned: Flags = gaps[np.searchsorted(window.gap_starts, starts)] < ends
    return are_spanned


def _data(task: Shared, window: Window, decoded: Decoded, numbers: Int64s) -> list[bytes]:
    """DATA of some records; empty where it is not compared."""
    if not task.has_data:
        return [b""] * len(numbers)
    starts, lengths = (part[numbers].tolist() for part in decoded.rest["data"])
    data: Any = np.ascontiguousarray(window.data)
    return [data[start : start + length].tobytes() for start, length in zip(starts, lengths, strict=True)]


# -- whole changes --------------------------------------------------------------------------


@dataclass(eq=False)
class Given:
    """What one extract leaves to others, and what numbers its changes have."""

    elsewhere: list[int] = field(default_factory=list)
    """Offsets of records that another extract gives."""
    misnumbered: list[int] = field(default_factory=list)
    """Offsets of segments among these that are not of the change that the other one gives, by their numbers."""
    ordinals: dict[int, int] = field(default_factory=dict)
    """Number of a change among those of its position, by the offset of its record, where the file shows another."""
    starts: list[int] = field(default_factory=list)
    """Offsets of the first records of changes in segments that are others than those in front of them."""
    repeats: int = 0
    """How many of its changes are in other extracts too."""
    continues: bool = False
    """Whether it has a change of a unit whose outcome an extract before it states."""


@dataclass(eq=False)
class SharedRows:
    """Records of all extracts, sorted by change and extract."""

    identity: Bytes
    digest: Bytes
    offset: Int64s
    ordinal: Int64s
    is_settled: Flags
    is_complete: Flags
    rank: Int64s
    change: Int64s = field(default_factory=lambda: _NONE)
    """Number of the change of each record."""
    is_given: Flags = field(default_factory=lambda: _NONE > 0)
    """Whether the record is given, and not that of another extract."""

    def take(self, order: Int64s) -> SharedRows:
        arrays: dict[str, Any] = {name: getattr(self, name)[order] for name in (*_COMPARED, "rank")}
        return SharedRows(**arrays)


def whole_changes(
    found: Sequence[SharedRecords], heads: Sequence[ExtractHeads], apart: Sequence[Flags]
) -> tuple[list[Given], SharedRows]:
    """Which extract gives each change of one record, and the records; `found` in the order of the extracts.

    Those that are `apart` are left out: see `change_copies`. Raises FramingError LMP-F013 for extracts that have
    different changes in one place.
    """
    given = [Given() for _ in heads]
    rows = _sorted_rows(found, apart)
    if not len(rows.rank):
        return given, rows
    _check_same(rows, heads)
    rows.is_given = _are_given(rows, len(heads))
    size = np.bincount(rows.change)[rows.change]
    settled = np.minimum.reduceat(np.where(rows.is_settled, rows.rank, len(heads)), _firsts(rows.change))[rows.change]
    for rank, one in enumerate(given):
        own = rows.rank == rank
        one.elsewhere += rows.offset[own & ~rows.is_given].tolist()
        one.repeats = int((own & (size > 1)).sum())
        one.continues = bool((own & (settled < rank)).any())
    return given, rows


def _sorted_rows(found: Sequence[SharedRecords], apart: Sequence[Flags]) -> SharedRows:
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(one, name)[~left] for one, left in zip(found, apart, strict=True)])
        for name in _COMPARED
    }
    rank = np.repeat(np.arange(len(found)), [int((~left).sum()) for left in apart])
    rows = SharedRows(**arrays, rank=rank)
    rows = rows.take(np.lexsort((rows.offset, rows.rank, _ranked(rows.identity))))
    # Several changes of one identity are in no other extract.
    again = _same_as_before(rows.identity) & np.append(True, rows.rank[1:] != rows.rank[:-1])[: len(rows.rank)]
    rows.change = np.cumsum(~again) - 1
    return rows


def _ranked(rows: Bytes) -> Int64s:
    """Numbers that sort as rows of bytes."""
    return np.unique(keys(rows), return_inverse=True)[1].reshape(-1)


def _same_as_before(rows: Bytes) -> Flags:
    same = np.zeros(len(rows), np.bool_)
    same[1:] = (rows[1:] == rows[:-1]).all(1)
    return same


def _check_same(rows: SharedRows, heads: Sequence[ExtractHeads]) -> None:
    """Raise FramingError if records of one change differ."""
    complete = np.flatnonzero(rows.is_complete)
    one, other = complete[:-1], complete[1:]
    is_other = (rows.change[one] == rows.change[other]) & (rows.digest[one] != rows.digest[other]).any(1)
    if is_other.any():
        place = int(is_other.argmax())
        raise _differing(heads[rows.rank[one[place]]], heads[rows.rank[other[place]]], int(rows.offset[other[place]]))


def _differing(one: ExtractHeads, other: ExtractHeads, offset: int) -> Exception:
    error = not_one(f"{one.path} has another change at the position of a record", other.path)
    error.record_offset = offset
    return error


def _are_given(rows: SharedRows, count: int) -> Flags:
    """Which record of each change is given: that of the first settled extract, else that of the last one."""
    score = np.where(rows.is_settled, rows.rank, 2 * count - rows.rank)
    is_given: Flags = np.minimum.reduceat(score, _firsts(rows.change))[rows.change] == score
    return is_given


def _firsts(numbers: Int64s) -> Int64s:
    """Where each of some numbers, ascending, is first."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
