"""What an extract takes from other extracts of its log: outcomes of its open units, and records that others give.

The outcome is put into the header of each record of such a unit, before the record is decoded. So every reader of
headers sees the outcome: one by one and column-wise, as columns, keys and JSON text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from lmparse.bmc.record.change_record import SPEC, Places
from lmparse.errors import FramingError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.spec import catalog
from lmparse.values import byte_arrays
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

UNIT_FIELDS = ("member_id", "uor_id")
"""The header fields that identify a unit of recovery."""
OUTCOME_FIELDS = ("uor_disp", "uor_commit_timestamp", "uor_commit_lrsn", "uor_commit_point")
"""The header fields that state the outcome of a unit."""
W = TypeVar("W", bound=Window)


def widths(names: Sequence[str]) -> list[int]:
    """Widths of header fields in the spec, in bytes."""
    return [catalog.load(SPEC).layout[name].width or 0 for name in names]


def ended_codes() -> tuple[int, ...]:
    """The values of UORDISP for units that have ended."""
    codes = catalog.load(SPEC).enum("uor_disp")
    return codes["committed"], codes["aborted"]


def have_ended(dispositions: Bytes) -> Flags:
    """Which of n values of UORDISP, (n, 1) bytes, are of units that have ended."""
    return np.isin(dispositions[:, 0], ended_codes())


def is_yes(flags: Bytes) -> Flags:
    """Which of n flags, (n, 1) bytes, are Y."""
    found: Flags = flags[:, 0] == catalog.load(SPEC).enum("yes_no")["yes"]
    return found


def stated_commits(rows: Bytes) -> Bytes:
    """Positions of the commits of n units, (n, width) bytes that begin with UNIT_FIELDS and OUTCOME_FIELDS.

    As `log_seq.commit_position`; zeros for a unit that is not committed, or that states no position.
    """
    start = sum(widths(UNIT_FIELDS))
    disposition, time, lrsn, point = widths(OUTCOME_FIELDS)
    is_committed = rows[:, start] == ended_codes()[0]
    start += disposition + time
    first, second = rows[:, start : start + lrsn], rows[:, start + lrsn : start + lrsn + point]
    found = np.where(np.asarray(first.any(1))[:, None], first, second)
    return np.where(is_committed[:, None], found, np.uint8(0))


def keys(rows: Bytes) -> npt.NDArray[np.bytes_]:
    """(n, width) bytes as n values that sort and compare as the rows do. Rows may end with zeros."""
    rows = np.ascontiguousarray(rows)
    return rows.view(f"S{rows.shape[1]}")[:, 0] if len(rows) else np.zeros(0, f"S{max(rows.shape[1], 1)}")


def shown_unit(row: Bytes) -> str:
    """UORID of a row that begins with UNIT_FIELDS, in hexadecimal digits."""
    member, name = widths(UNIT_FIELDS)
    return row[member : member + name].tobytes().hex().upper()


def _no_rows(names: Sequence[str]) -> Bytes:
    return np.zeros((0, sum(widths(names))), np.uint8)


@dataclass(frozen=True, eq=False)
class UnitOutcomes:
    """Outcomes of some units. Safe to pickle."""

    units: Bytes = field(default_factory=lambda: _no_rows(UNIT_FIELDS))
    """(n, width) bytes of UNIT_FIELDS as in the spec, ascending."""
    values: Bytes = field(default_factory=lambda: _no_rows(OUTCOME_FIELDS))
    """(n, width) bytes of OUTCOME_FIELDS as in the spec."""

    def __len__(self) -> int:
        return len(self.units)


def _columns(rows: Bytes, names: Sequence[str], places: Places) -> Bytes:
    """The columns of the fields that a header has, from rows of the bytes of all fields."""
    ends = np.cumsum(widths(names)).tolist()
    parts = [rows[:, end - width : end] for name, end, width in zip(names, ends, widths(names), strict=True)
             if name in places]  # fmt: skip
    return np.concatenate(parts, axis=1)


_NONE: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class ExtractSettings:
    """The settings of one extract of a log, or of a part of one. Safe to pickle."""

    path: str
    control: str
    outcomes: UnitOutcomes = field(default_factory=UnitOutcomes)
    """Outcomes of units that the extract calls open."""
    elsewhere: Int64s = field(default_factory=lambda: _NONE)
    """Offsets of its records that another extract gives; ascending."""
    records_before: int = 0
    """Number of records of the log in front of the extract."""
    bytes_before: int = 0
    """Bytes of the log in front of the extract."""
    is_again: bool = False
    """Whether the extract is read again for its open units: its changes in front of the checkpoint were given."""

    def inside(self, span: Span) -> ExtractSettings:
        """The settings for one span."""
        low, high = np.searchsorted(self.elsewhere, (span.start, span.end))
        return replace(self, elsewhere=self.elsewhere[low:high])


class ExtractReading:
    """Reads the records of a file as records of one extract; without settings, the file is a log of its own."""

    def __init__(self, known: ExtractSettings | None, places: Places) -> None:
        """`places` are the places of the fields in the header.

        Raises FramingError LMP-F013 if another extract states an outcome that the fields have other widths for.
        """
        self.known = known
        self._unit = [places[name] for name in UNIT_FIELDS if name in places]
        self._written = [places[name] for name in OUTCOME_FIELDS if name in places]
        self._disposition = places.get(OUTCOME_FIELDS[0])
        self._end = max((sum(place) for place in (*self._unit, *self._written)), default=0)
        self._keys, self._rows = keys(_no_rows(())), _no_rows(())
        if known is None or not len(known.outcomes) or self._disposition is None or UNIT_FIELDS[1] not in places:
            return
        for name, width in zip((*UNIT_FIELDS, *OUTCOME_FIELDS), widths((*UNIT_FIELDS, *OUTCOME_FIELDS)), strict=True):
            if name in places and places[name][1] != width:
                raise FramingError(
                    "another extract states the outcome of a unit of recovery that has no room in this header",
                    code="LMP-F013", file=known.path, expected=f"{name} of {width} bytes", found=str(places[name][1]),
                    hint="scan again with one release of Log Master, or read the extracts apart",
                )  # fmt: skip
        units = keys(_columns(known.outcomes.units, UNIT_FIELDS, places))
        order = np.argsort(units, kind="stable")
        self._keys, self._rows = units[order], _columns(known.outcomes.values, OUTCOME_FIELDS, places)[order]

    @property
    def is_again(self) -> bool:
        """Whether changes in front of the checkpoint were given before: then they do not count as left out."""
        return self.known is not None and self.known.is_again

    def record(self, raw: bytes) -> bytes:
        """The bytes of a record with the outcome of its unit; the same bytes if no other extract states it."""
        if not len(self._keys):
            return raw
        start = np.zeros(1, np.int64)
        window = Window(0, np.frombuffer(raw, np.uint8), start, start + len(raw), start)
        found = self.window(window)
        return raw if found is window else found.data.tobytes()

    def window(self, window: W) -> W:
        """As `record`, for the records of a window."""
        if not len(self._keys) or self._disposition is None or not len(window):
            return window
        numbers = np.flatnonzero(window.lengths >= self._end)
        starts = window.starts[numbers]
        starts = starts[~have_ended(byte_arrays.take_rows(window.data, starts + self._disposition[0], 1))]
        if not len(starts):
            return window
        parts = [byte_arrays.take_rows(window.data, starts + offset, width) for offset, width in self._unit]
        units = keys(np.concatenate(parts, axis=1))
        which = np.minimum(np.searchsorted(self._keys, units), len(self._keys) - 1)
        is_known = self._keys[which] == units
        if not is_known.any():
            return window
        data, begin = window.data.copy(), 0
        starts, rows = starts[is_known], self._rows[which[is_known]]
        for offset, width in self._written:
            data[starts[:, None] + np.arange(offset, offset + width)] = rows[:, begin : begin + width]
            begin += width
        data.flags.writeable = False
        return replace(window, data=data)

    def has(self, extent: RecordExtent) -> bool:
        """Whether a record is given by this extract, and not by another one."""
        if self.known is None:
            return True
        elsewhere = self.known.elsewhere
        place = int(np.searchsorted(elsewhere, extent.offset))
        return place == len(elsewhere) or elsewhere[place] != extent.offset

    def have(self, window: Window) -> Flags:
        """As `has`, for the records of a window."""
        if self.known is None or not len(self.known.elsewhere) or not len(window):
            return np.ones(len(window), np.bool_)
        elsewhere = self.known.elsewhere
        low, high = np.searchsorted(elsewhere, (window.offsets[0], window.offsets[-1] + 1)).tolist()
        return ~np.isin(window.offsets, elsewhere[low:high])

    def placed(self, extent: RecordExtent) -> RecordExtent:
        """An extent in the whole log, where the extracts are one after another."""
        known = self.known
        if known is None:
            return extent
        pieces = tuple((start + known.bytes_before, length) for start, length in extent.pieces)
        return RecordExtent(extent.index + known.records_before, pieces, None)

    def placed_window(self, window: Window) -> tuple[Int64s, Int64s]:
        """Numbers and offsets of the records of a window in the whole log."""
        known = self.known
        records, size = (0, 0) if known is None else (known.records_before, known.bytes_before)
        return np.arange(len(window)) + window.first_index + records, window.offsets + size
