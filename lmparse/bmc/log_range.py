"""Log range of a logical log: its lowest and highest positions, from one pass over headers by the column.

The records of a logical log are in no order, and it has only the changes that its filter asked for. So positions say
what a file covers, but not whether something is missing between two files. A position is an LRSN in data sharing, else
an RBA; those of each system are a stream.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from lmparse.bmc import order
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.open import open_logical_log
from lmparse.bmc.tables import position_of
from lmparse.changes.log_range import LogRange, StreamRange
from lmparse.errors import ControlError, DataError
from lmparse.framing.windows import Window
from lmparse.options import Options
from lmparse.records.reader import Values
from lmparse.values import byte_arrays, integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s

_NEEDED = ("length", "system_id", "log_rba")
_MEMBER, _LRSN = "member_id", "log_lrsn"
_OUTCOME = ("uor_disp", "log_rec_disp", "sql_type")
_ELEMENT = 8
"""Most bytes that NumPy reads as one number."""


def range_of(path: str, options: Options) -> LogRange:
    """What a data file has of its log. Records that are too short, or whose LENGTH is wrong, have no position.

    Raises FramingError for damage, and ControlError, LMP-C006 if the header that XHDF describes states no position.
    """
    log = open_logical_log(path, options)
    found = _Headers(log)
    records = 0
    for window in log.windows():
        records += len(window)
        found.add(window)
    stated = b"" if log.control is None else log.control.first("DLGE").get("end_rba") or b""
    end = stated.hex().upper() if stated.strip(b"\x00") else None
    reading = {"framing": log.framing.name}
    outcomes = dict(sorted(found.outcomes.items())) if found.has_outcomes else None
    return LogRange(path, len(log.buffer), records, reading, tuple(found.streams()), outcomes, end)


@dataclass
class _Extremes:
    """The records with the lowest and the highest position of a stream."""

    records: int = 0
    low: bytes = b""
    """The lowest position, as it is in the header."""
    high: bytes = b""
    first: bytes = b""
    """The record with that position."""
    last: bytes = b""


@dataclass
class _Headers:
    """What the headers of a log say of positions and outcomes."""

    log: LogicalLog
    extremes: dict[tuple[bytes, bool], _Extremes] = field(default_factory=dict)
    """By system, and whether positions are LRSNs."""
    outcomes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        described = self.log.header_places([*_NEEDED, _MEMBER, _LRSN, *_OUTCOME])
        places = self._places = {name: place for name, place in described.items() if place[1]}
        missing = [name for name in _NEEDED if name not in places]
        if missing:
            raise ControlError(
                "the header that XHDF describes does not say where in the log a record is", code="LMP-C006",
                file=self.log.options.control, spec="bmc_xhdf", expected=", ".join(_NEEDED),
                found=f"no {', '.join(missing)}",
            )  # fmt: skip
        self.has_outcomes = all(name in places for name in _OUTCOME)
        self._width = max(sum(place) for place in places.values())
        self._outcome_of: dict[bytes, str] = {}

    def add(self, window: Window) -> None:
        """Take note of the records of a window."""
        which = np.flatnonzero(window.lengths >= self._width)
        stated = integers.decode_unsigned_array(self._bytes("length", window, which)[:, -_ELEMENT:])
        which = which[(stated >= self._width) & (stated <= window.lengths[which].view(np.uint64))]
        if not len(which):
            return
        in_sharing: Flags = np.zeros(len(which), np.bool_)
        if _MEMBER in self._places and _LRSN in self._places:
            in_sharing = self._bytes(_MEMBER, window, which).max(1) > 0
        system = self._bytes("system_id", window, which)
        for key, numbers in _by_bytes(np.hstack([system, in_sharing[:, None]])):
            name = _LRSN if key[-1] else "log_rba"
            self._add_stream((key[:-1], bool(key[-1])), name, window, which[numbers])
        if self.has_outcomes:
            self._add_outcomes(window, which)

    def streams(self) -> list[StreamRange]:
        """The streams, in the order of their systems."""
        found = []
        for (_, in_sharing), one in sorted(self.extremes.items()):
            values, last = self._values(one.first), self._values(one.last)
            if values is not None and last is not None:
                first, behind = ((position_of(each) or b"").hex().upper() for each in (values, last))
                stream = "LRSN" if in_sharing else "RBA"
                found.append(StreamRange(str(values["system_id"] or ""), stream, first, behind, one.records))
        return found

    def _add_stream(self, key: tuple[bytes, bool], name: str, window: Window, which: Int64s) -> None:
        raw = self._bytes(name, window, which)
        parts = [raw[:, start : start + _ELEMENT] for start in range(0, raw.shape[1], _ELEMENT)]
        sorting = np.lexsort([integers.decode_unsigned_array(part) for part in reversed(parts)])
        low, high = int(sorting[0]), int(sorting[-1])
        one = self.extremes.setdefault(key, _Extremes())
        if not one.records or raw[low].tobytes() < one.low:
            one.low, one.first = raw[low].tobytes(), _record(window, int(which[low]))
        if not one.records or raw[high].tobytes() > one.high:
            one.high, one.last = raw[high].tobytes(), _record(window, int(which[high]))
        one.records += len(which)

    def _add_outcomes(self, window: Window, which: Int64s) -> None:
        raw = np.hstack([self._bytes(name, window, which) for name in _OUTCOME])
        for key, numbers in _by_bytes(raw):
            if key not in self._outcome_of:
                values = self._values(_record(window, int(which[numbers[0]])))
                if values is None:
                    continue
                self._outcome_of[key] = order.unit_state(values)
            self.outcomes[self._outcome_of[key]] += len(numbers)

    def _bytes(self, name: str, window: Window, which: Int64s) -> Bytes:
        offset, width = self._places[name]
        return byte_arrays.take_rows(window.data, window.starts[which] + offset, width)

    def _values(self, raw: bytes) -> Values | None:
        try:
            return self.log.read_bytes(raw).values
        except DataError:
            return None


def _record(window: Window, number: int) -> bytes:
    start, length = int(window.starts[number]), int(window.lengths[number])
    return window.data[start : start + length].tobytes()


def _by_bytes(rows: Bytes) -> list[tuple[bytes, Int64s]]:
    """Each different row, and the numbers of the rows that equal it."""
    texts = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
    _, first, numbers = np.unique(texts, return_index=True, return_inverse=True)
    groups = byte_arrays.places_by_value(numbers)
    return [(rows[first[value]].tobytes(), places) for value, places in groups]
