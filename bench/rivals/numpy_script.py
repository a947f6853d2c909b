"""The hand-tuned script: NumPy and Arrow for exactly this file, and for nothing else.

Headers must have 288 bytes. A piece of the file is read, its records are found, their headers are taken
out side by side, and every column is a strided view of those. Nothing is done for each record.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.rivals.target import BATCH, SCHEMA, to_table, wanted

_RDW = 4
_HEADER = 288
_PIECE = 4 << 20
"""Bytes read at a time: less than a batch of records of usual length, and still in the cache."""
_LONGEST = 32_760
_START = bytes((0, 0, 0x01, 0x20))
"""The end of a descriptor word and the length of the header: what a record's start looks like from its third byte."""
_WALKERS = 256
_ROW_GROUP = 8
"""Batches in a row group of Parquet."""
_FEW = 4
"""Up to so many columns are quicker taken from the file than from rows taken from it."""

_PLACES = {
    "length": (0, 2),
    "system_id": (2, 4),
    "dbid": (6, 2),
    "psid": (8, 2),
    "tbobid": (10, 2),
    "tbowner_len": (12, 2),
    "tbname_len": (14, 2),
    "dbname": (16, 8),
    "tsname": (24, 8),
    "table_owner": (32, 8),
    "table_name": (40, 18),
    "partnum": (58, 2),
    "timestamp": (60, 17),
    "log_lrsn": (77, 10),
    "log_rba": (87, 10),
    "member_id": (97, 2),
    "rid": (99, 5),
    "change_type": (104, 2),
    "sql_type": (106, 1),
    "log_rec_disp": (107, 1),
    "sql_src_type": (108, 1),
    "log_bytes": (109, 4),
    "log_delta": (113, 2),
    "anomaly_row_id": (115, 1),
    "anomaly_type": (116, 1),
    "anomaly_rba": (117, 10),
    "uor_timestamp": (127, 17),
    "uor_commit_timestamp": (144, 17),
    "uor_disp": (161, 1),
    "uor_id_lrsn": (162, 10),
    "uor_id": (172, 10),
    "seg_len": (182, 2),
    "total_segs": (184, 2),
    "seg_num": (186, 2),
    "reserved": (188, 4),
    "uor_commit_lrsn": (192, 10),
    "uor_commit_point": (202, 10),
    "connection_type": (212, 2),
    "connect_id": (214, 8),
    "correlation_id": (222, 12),
    "auth_id": (234, 8),
    "plan": (242, 8),
    "luw_network_id": (250, 8),
    "luw_name": (258, 8),
    "luw_instance_no": (266, 6),
    "luw_sequence_no": (272, 2),
    "incomplete_trans": (274, 1),
    "incomplete_dep": (275, 1),
    "uor_has_comp": (276, 1),
    "sql_ri_rba": (277, 10),
    "page_num_fmt": (287, 1),
}
_LATIN1 = bytes(range(256)).decode("cp037").encode("latin-1")
_MICROS = pa.timestamp("us")
_DAY = 86_400_000_000
_WRONG = np.int64(-(1 << 60))
_LEAST = -(1 << 59)
"""Below it lies every sum with something wrong in it, above it every time of the years 1 to 9999."""
_Taker = Callable[[int, str], NDArray[Any]]
"""Gives one item of a type (`V10`, `>u2`) of each header, at an offset."""


def read(path: str, columns: tuple[str, ...] | None) -> pa.Table:
    """The header fields of a log."""
    names = wanted(columns)
    return to_table(names, list(batches(path, names)))


def to_parquet(path: str, out: str, columns: tuple[str, ...] | None = None) -> None:
    """The header fields of a log as a Parquet file; memory does not grow with the log."""
    names = wanted(columns)
    kept: list[pa.RecordBatch] = []
    with pq.ParquetWriter(out, to_table(names, []).schema) as writer:
        for batch in batches(path, names):
            kept.append(batch)
            if len(kept) == _ROW_GROUP:
                writer.write_table(pa.Table.from_batches(kept))
                kept.clear()
        if kept:
            writer.write_table(pa.Table.from_batches(kept))


def batches(path: str, names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The columns piece by piece, in batches of at most BATCH rows."""
    schema = pa.schema([SCHEMA.field(name) for name in names])
    buffer = bytearray(_PIECE + _LONGEST)
    held = 0
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(memoryview(buffer)[held : held + _PIECE]):
            held += count
            starts, end = _starts(buffer, held)
            for first in range(0, len(starts), BATCH):
                take = _taker(buffer, starts[first : first + BATCH] + _RDW, len(names))
                yield pa.RecordBatch.from_arrays([_column(take, name) for name in names], schema=schema)
            # The record that the piece ends in is read on with the next one.
            held -= end
            buffer[:held] = buffer[end : end + held]
    if held:
        raise ValueError(f"the file ends inside a record, {held} bytes behind its start")


# -- finding records --------------------------------------------------------------------


def _starts(buffer: bytearray, held: int) -> tuple[NDArray[np.int64], int]:
    """Where the records stand, by their descriptor words, and where the last whole one ends.

    Each record says where the next one is, so a walker goes from one to the next. Here several hundred go
    at once, each from a place that looks like the start of a record. They are right if the first sets out
    from the start and each arrives exactly where the next one set out.
    """
    begins = _guesses(buffer, held)
    places, stops = begins[:-1], begins[1:]
    lengths = _items(buffer, ">u2")
    steps = [places]
    while (places < stops).any():
        # A walker on a wrong way must not stand still, and may end anywhere.
        step = np.maximum(lengths[np.minimum(places, held - _RDW)], _RDW)
        places = np.where(places < stops, places + step, places)
        steps.append(places)
    if (places != stops).any():
        return _walk(buffer, 0, held)
    found = np.array(steps).T
    last, end = _walk(buffer, int(begins[-1]), held)
    return np.concatenate([found[found < stops[:, None]], last]), end


def _guesses(buffer: bytearray, held: int) -> NDArray[np.int64]:
    """Places that look like descriptor words, some kilobytes apart; the first is the start."""
    places = {0}
    # A longer word is rarer in row images. Should records of other systems follow, it is found less often.
    start = _START + buffer[6:10]
    for number in range(1, _WALKERS):
        found = buffer.find(start, held * number // _WALKERS, held)
        if found > 2:
            places.add(found - 2)
    return np.array(sorted(places), dtype=np.int64)


def _walk(buffer: bytearray, place: int, held: int) -> tuple[NDArray[np.int64], int]:
    """The same by one walker."""
    starts = []
    while place + _RDW <= held:
        length = buffer[place] << 8 | buffer[place + 1]
        if length < _RDW + _HEADER:
            raise ValueError(f"a record of {length} bytes")
        if place + length > held:
            break
        starts.append(place)
        place += length
    return np.array(starts, dtype=np.int64), place


# -- columns ----------------------------------------------------------------------------


def _items(buffer: bytearray | NDArray[np.uint8], type_: str) -> NDArray[Any]:
    """Items of a type at every byte, whatever their alignment."""
    count = len(buffer) - np.dtype(type_).itemsize + 1
    return np.ndarray(shape=(count,), dtype=type_, buffer=buffer, strides=(1,))


def _taker(buffer: bytearray, headers: NDArray[np.int64], num_columns: int) -> _Taker:
    """What gives an item of each header, which are checked to be of the one width that is known here."""
    if (_items(buffer, ">u2")[headers] != _HEADER).any():
        raise ValueError(f"a header that has not {_HEADER} bytes")
    if num_columns <= _FEW:
        return lambda offset, type_: _items(buffer, type_)[headers + offset]
    rows = _items(buffer, f"V{_HEADER}")[headers]

    def take(offset: int, type_: str) -> NDArray[Any]:
        view = np.ndarray(shape=rows.shape, dtype=type_, buffer=rows.data, offset=offset, strides=(_HEADER,))
        return np.ascontiguousarray(view)

    return take


def _column(take: _Taker, name: str) -> pa.Array:
    offset, width = _PLACES[name]
    type_ = SCHEMA.field(name).type
    if pa.types.is_integer(type_):
        return pa.array(take(offset, f">u{width}").astype(type_.to_pandas_dtype()))
    if pa.types.is_timestamp(type_):
        return _timestamps(take, offset)
    raw = take(offset, f"V{width}")
    if pa.types.is_string(type_):
        return _letters(raw.tobytes()) if width == 1 else _texts(raw.tobytes(), width)
    return pa.Array.from_buffers(type_, len(raw), [None, _offsets(len(raw), width), pa.py_buffer(raw)])


def _texts(raw: bytes, width: int) -> pa.Array:
    translated = raw.translate(_LATIN1)
    count = len(raw) // width
    if not translated.isascii():
        # Arrow wants UTF-8, where other letters take two bytes.
        cut = (translated[start : start + width] for start in range(0, len(raw), width))
        return pa.array([piece.decode("latin-1").rstrip(" ") for piece in cut], pa.string())
    buffers = [None, _offsets(count, width), pa.py_buffer(translated)]
    return pc.ascii_rtrim(pa.Array.from_buffers(pa.string(), count, buffers), " ")


def _letters(raw: bytes) -> pa.Array:
    """Fields of one byte: blanks are left out, the others stand as they are."""
    translated = raw.translate(_LATIN1)
    if not translated.isascii():
        return _texts(raw, 1)
    offsets = _offsets(len(raw), 1)
    if b" " in translated:
        is_letter = np.frombuffer(translated, dtype=np.uint8) != ord(" ")
        ends = np.zeros(len(raw) + 1, dtype=np.int32)
        np.cumsum(is_letter, out=ends[1:])
        offsets, translated = pa.py_buffer(ends), translated.replace(b" ", b"")
    return pa.Array.from_buffers(pa.string(), len(raw), [None, offsets, pa.py_buffer(translated)])


@lru_cache(maxsize=64)
def _offsets(count: int, width: int) -> pa.Buffer:
    return pa.py_buffer(np.arange(count + 1, dtype=np.int32) * np.int32(width))


def _timestamps(take: _Taker, offset: int) -> pa.Array:
    """Five look-ups of four digits each; finer digits than microseconds are not looked at."""
    tables = _tables()
    pairs = [take(offset + place, ">u2") for place in (0, 2, 4, 6, 8)]
    micros = tables.years.take(pairs[0])
    micros += tables.days.take(pairs[1] + tables.leaps.take(pairs[0]))
    for table, pair in zip((tables.minutes, tables.seconds, tables.fractions), pairs[2:], strict=True):
        micros += table.take(pair)
    is_wrong = micros < _LEAST
    if not is_wrong.any():
        return pa.array(micros, _MICROS)
    if any(pair[is_wrong].any() for pair in pairs):
        raise ValueError("a timestamp that has wrong digits or is none")
    return pa.array(micros, _MICROS, mask=is_wrong)


class _Tables(NamedTuple):
    """Microseconds by two bytes as a number: what their four digits add, _WRONG where they cannot be."""

    years: NDArray[np.int64]
    """To the start of the year."""
    leaps: NDArray[np.int64]
    """By the bytes of the year: where in `days` its months begin."""
    days: NDArray[np.int64]
    """By month and day, first of years of 365 days, then of 366."""
    minutes: NDArray[np.int64]
    seconds: NDArray[np.int64]
    """By second and the first two digits of the fraction."""
    fractions: NDArray[np.int64]


@cache
def _tables() -> _Tables:
    digits = [(int(f"{number:04}", 16), number) for number in range(10_000)]
    years, minutes, seconds, fractions = (np.full(1 << 16, _WRONG) for _ in range(4))
    leaps = np.zeros(1 << 16, dtype=np.int64)
    days = np.full(2 << 16, _WRONG)
    for place, number in digits:
        high, low = divmod(number, 100)
        if number:
            years[place] = (date(number, 1, 1) - date(1970, 1, 1)).days * _DAY
            leaps[place] = isleap(number) << 16
        if high < 24 and low < 60:
            minutes[place] = (high * 60 + low) * 60_000_000
        if high < 60:
            seconds[place] = high * 1_000_000 + low * 10_000
        fractions[place] = number
    for start, year in ((0, 2001), (1 << 16, 2000)):
        first = date(year, 1, 1)
        for number in range(366 if start else 365):
            day = first + timedelta(days=number)
            days[start + int(f"{day.month:02}{day.day:02}", 16)] = number * _DAY
    return _Tables(years, leaps, days, minutes, seconds, fractions)
