"""Commit times as numbers: milliseconds since 1970, in UTC, if the zone of the times is known."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.errors import OptionError
from lmparse.spelling import quoted

_OFFSET = re.compile(r"[+-](0\d|1[0-4]):[0-5]\d", re.ASCII).fullmatch


def check_zone(zone: str) -> None:
    """Raise OptionError if a zone is neither UTC, an offset such as +01:00, nor in the database of time zones."""
    if zone == "UTC" or _OFFSET(zone):
        return
    try:
        pc.assume_timezone(pa.array([datetime(2026, 1, 1)], pa.timestamp("us")), zone)
    except (pa.ArrowException, ValueError) as error:
        raise OptionError(
            f"sourceTimeZone has no value {quoted(zone)}",
            hint="as Europe/Paris, +01:00 or UTC; it needs the system's tzdata",
        ) from error


def epoch_millis(times: pa.Array, zone: str | None) -> pa.Array:
    """Times without a zone as milliseconds since 1970 in UTC; null without a known zone.

    A time that the zone has twice or not at all, when clocks are changed, is null: which one is meant is not known.
    """
    if zone is None or times.null_count == len(times):
        return pa.nulls(len(times), pa.int64())
    if zone == "UTC" or _OFFSET(zone):
        shift = 0 if zone == "UTC" else _offset_micros(zone)
        return _millis(times.cast(pa.int64()), shift)
    first, last = (
        pc.assume_timezone(times, zone, ambiguous=side, nonexistent=side).cast(pa.int64())
        for side in ("earliest", "latest")
    )
    return _millis(pc.if_else(pc.equal(first, last), first, pa.scalar(None, pa.int64())), 0)


def _offset_micros(zone: str) -> int:
    hours, minutes = int(zone[1:3]), int(zone[4:])
    return (-1 if zone[0] == "-" else 1) * (60 * hours + minutes) * 60_000_000


def _millis(micros: pa.Array, shift: int) -> pa.Array:
    numbers = (np.asarray(micros.fill_null(0)) - shift) // 1000
    return pa.array(numbers, pa.int64(), mask=np.asarray(micros.is_null()))
