"""The calendar of all dates and times: proleptic Gregorian, years 0001 to 9999, without leap seconds.

Days and microseconds count from 1970-01-01T00:00:00. Db2 allows the time of day 24:00:00; as a number it is midnight of
the next day. Db2 uses 9999-12-31T24:00:00 for the end of time. This time has no next day, because neither Python nor
Spark has a year 10000; as a number it is the last microsecond of 9999-12-31.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

import numpy as np

from lmparse.values.byte_arrays import Flags, Int64s

LAST_MICROS = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999."""

# One value


@lru_cache(maxsize=4096)
def days(day: str) -> int | None:
    """Days from 1970-01-01; None if the calendar lacks the day. Cached, because a log has few different days."""
    try:
        return date(int(day[:4]), int(day[5:7]), int(day[8:])).toordinal() - 719_163
    except ValueError:
        return None


def is_time(clock: str) -> bool:
    """Whether six digits are a time of day; callers check that 24:00:00 has no fraction."""
    return clock[2] < "6" and clock[4] < "6" if clock < "24" else clock == "240000"


def micros(day: str, clock: str) -> int:
    seconds = int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + int(clock[4:])
    return min(((days(day) or 0) * 86400 + seconds) * 1_000_000, LAST_MICROS)


# Arrays


Triple = tuple[Int64s, Int64s, Int64s]


def micros_array(day: Triple, clock: Triple, fraction: Int64s, has_finer: Flags, bad: Flags) -> tuple[Int64s, Flags]:
    """Microseconds from 1970-01-01T00:00:00, and `bad`; 0 where `bad`, or where there is no such time.

    Arguments: year, month, day; hour, minute, second; microseconds of the second; whether finer digits are nonzero.
    """
    value, no_day = days_array(*day)
    seconds, no_time = seconds_array(*clock)
    bad = bad | no_day | no_time
    bad |= (seconds == 86_400) & (has_finer | (fraction != 0))
    value *= 86_400
    value += seconds
    value *= 1_000_000
    value += fraction
    np.minimum(value, LAST_MICROS, out=value)
    if bad.any():
        value[bad] = 0
    return value, bad


def days_array(year: Int64s, month: Int64s, day: Int64s) -> tuple[Int64s, Flags]:
    """Days from 1970-01-01, and flags of days that the calendar lacks."""
    years = _YEARS.take(year, mode="clip")  # half bytes that are no digits give years above 9999
    place = (years & 1) << 14
    place |= month << 7
    place |= day
    days = _DAYS.take(place, mode="clip")
    no_day = np.less(days, 0)
    no_day |= years < 0
    years >>= 1
    years += days
    years -= _EPOCH
    return years, no_day


def seconds_array(hour: Int64s, minute: Int64s, second: Int64s) -> tuple[Int64s, Flags]:
    """Seconds of the day, and flags of wrong times; 24:00:00 is valid."""
    seconds = hour * 3600
    seconds += minute * 60
    seconds += second
    no_time = np.greater(minute, 59)
    no_time |= second > 59
    no_time |= seconds > 86_400
    return seconds, no_time


def _year_table() -> Int64s:
    """By year, twice the days from 0001-01-01, plus 1 in a leap year; -1 for year 0."""
    years = np.arange(-1969, 8031).astype("M8[Y]").astype("M8[D]").astype(np.int64) + _EPOCH
    table = np.full(10_000, -1, np.int64)
    table[1:] = years[:-1] << 1 | (np.diff(years) == 366)
    return table


def _day_table() -> Int64s:
    """Days from the start of the year, by `leap << 14 | month << 7 | day`; -1 if there is no such day."""
    table = np.full((2, 128, 128), -1, np.int64)
    for is_leap in (0, 1):
        start = 0
        for month, length in enumerate((31, 28 + is_leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
            table[is_leap, month, 1 : length + 1] = np.arange(start, start + length)
            start += length
    return table.reshape(-1)


_EPOCH = 719_162
"""Days from 0001-01-01 to 1970-01-01."""
_YEARS = _year_table()
_DAYS = _day_table()
