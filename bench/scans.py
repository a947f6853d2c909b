"""Ways to find the records of a file by their descriptor words, against `Framing.extents`.

Each round runs every way once, so that what else the machine does meets all alike. Every way must
give the same records. The result goes to results/scans.json.
"""

from __future__ import annotations

import json
import platform
import random
import statistics
import struct
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lmparse.framing.base import Framing
from lmparse.framing.descriptors import descriptor
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows

sys.path.append(str(Path(__file__).parent.parent / "tests"))  # for their encoders
from writers.bmc import framing as enc

ROUNDS = 11
BYTES = 24_000_000
BLOCK = 1 << 14
OUT = Path(__file__).parent / "results" / "scans.json"
Places = npt.NDArray[np.int64]
ColumnPlan = Callable[..., Places]
RDW = framing_of("rdw")
WORD = descriptor("zos_rdw")
LENGTH = WORD.spec.layout["length"]
LEAST, MOST = LENGTH.minimum or 0, LENGTH.maximum or 0


def by_extents(buffer: bytes, framing: Framing = RDW) -> Places:
    """`Framing.extents`, an object a record."""
    return np.array([extent.offset for extent in framing.extents(buffer)], np.int64)


def by_windows(buffer: bytes, framing: Framing = RDW) -> Places:
    """`index.windows`, as it is."""
    return np.concatenate([window.offsets for window in windows(framing, buffer)])


def by_struct(buffer: bytes) -> Places:
    """A loop that unpacks the word in bytes."""
    return _by_struct(buffer)


def by_struct_in_memoryview(buffer: bytes) -> Places:
    """The same through a memoryview."""
    return _by_struct(memoryview(buffer))


def _by_struct(buffer: bytes | memoryview) -> Places:
    unpack, least, most = WORD.struct.unpack_from, LEAST, MOST
    starts: list[int] = []
    append = starts.append
    offset, last = 0, len(buffer) - WORD.size
    while offset <= last:
        length, reserved = unpack(buffer, offset)
        if reserved or length < least or length > most:
            break
        append(offset)
        offset += length
    return np.array(starts, np.int64) + WORD.size


def by_lengths_checked_later(buffer: bytes) -> Places:
    """A loop over the lengths alone; all words are checked afterwards, as arrays."""
    view = memoryview(buffer)
    unpack, least = struct.Struct(">H").unpack_from, LEAST
    starts: list[int] = []
    append = starts.append
    offset, last = 0, len(buffer) - WORD.size
    while offset <= last:
        (length,) = unpack(view, offset)
        if length < least:
            break
        append(offset)
        offset += length
    places = np.array(starts, np.int64)
    words = np.frombuffer(buffer, np.uint8)[places[:, None] + np.arange(WORD.size)].astype(np.int64)
    assert not words[:, LENGTH.width :].any()
    assert ((words[:, 0] << 8 | words[:, 1]) <= MOST).all()
    return places + WORD.size


def by_from_bytes(buffer: bytes) -> Places:
    """A loop that slices a memoryview and calls `int.from_bytes`."""
    view, read, least, most, size = memoryview(buffer), int.from_bytes, LEAST, MOST, WORD.size
    width = LENGTH.width or 0
    starts: list[int] = []
    append = starts.append
    offset, last = 0, len(buffer) - size
    while offset <= last:
        length = read(view[offset : offset + width])
        if length < least or length > most or read(view[offset + width : offset + size]):
            break
        append(offset)
        offset += length
    return np.array(starts, np.int64) + size


def by_doubling(buffer: bytes) -> Places:
    """Without a loop over records: where each byte of a block would lead to, then twice as far each time.

    Words are not even checked, which the others do.
    """
    whole = np.frombuffer(buffer, np.uint8)
    found: list[Places] = []
    base = 0
    while base < len(whole):
        block = whole[base : base + BLOCK].astype(np.int32)
        count = len(block)
        behind = np.arange(count, dtype=np.int32)
        behind[:-1] += block[:-1] << 8 | block[1:]
        behind[-1] = count  # a word that the block cuts is left to the next one
        jump = np.append(np.minimum(behind, count), np.int32(count))
        reached = np.zeros(1, np.int32)
        while True:
            further = jump[reached]
            reached = np.concatenate((reached, further[further < count]))
            if (further >= count).any():
                break
            jump = jump[jump]
        reached.sort()
        if reached[-1] == count - 1 and base + count < len(whole):
            reached = reached[:-1]
        found.append(reached.astype(np.int64) + base)
        base += int(behind[reached[-1]])
    return np.concatenate(found) + WORD.size


WAYS: tuple[ColumnPlan, ...] = (
    by_extents,
    by_windows,
    by_struct,
    by_struct_in_memoryview,
    by_lengths_checked_later,
    by_from_bytes,
    by_doubling,
)
SIZES = {"short": (20, 120), "usual": (300, 600), "long": (1500, 8000)}
"""Bytes of the records in each file, from and to."""


def file_of(low: int, high: int) -> bytes:
    """Records behind an RDW, of lengths drawn from a seed."""
    draw, filler = random.Random(7), random.Random(8).randbytes(high)
    parts, size = [], 0
    while size < BYTES:
        length = draw.randrange(low, high)
        parts.append(struct.pack(">HH", length + WORD.size, 0) + filler[:length])
        size += length + WORD.size
    return b"".join(parts)


def framed_files() -> dict[str, tuple[Framing, bytes]]:
    """The same records in other framings, by a name that says how."""
    draw = random.Random(9)
    records = [draw.randbytes(draw.randrange(*SIZES["usual"])) for _ in range(2000)]
    bare = [(len(record) + 4).to_bytes(4, "little") + record for record in records]
    times = BYTES // sum(map(len, records))
    files = {
        "bdw": (framing_of("bdw"), enc.bdw(records)),
        "vbs, whole records": (framing_of("vbs"), enc.vbs(records, 32000)),
        "vbs, three pieces": (framing_of("vbs"), enc.vbs(records, 200)),
        "bdw-vbs, filled blocks": (framing_of("bdw-vbs"), enc.bdw_vbs(records)),
        "zosmf": (framing_of("zosmf"), enc.zosmf(records)),
        "fixed": (framing_of("fixed", record_length=600), enc.fixed(records, 600)),
        "bare": (framing_of("bare", byte_order="little"), b"".join(bare)),
    }
    return {name: (framing, data * times) for name, (framing, data) in files.items()}


def measure(ways: Sequence[ColumnPlan], buffer: bytes) -> dict[str, Any]:
    """Median of CPU time over interleaved rounds; ratios of the same round against `extents`, the first way."""
    expected = ways[0](buffer)
    for way in ways:
        assert np.array_equal(way(buffer), expected), way.__name__
    seconds: dict[str, list[float]] = {way.__name__: [] for way in ways}
    for number in range(ROUNDS):
        first = number % len(ways)
        for way in (*ways[first:], *ways[:first]):
            start = time.process_time()
            way(buffer)
            seconds[way.__name__].append(time.process_time() - start)
    pairs = {name: zip(times, seconds["by_extents"], strict=True) for name, times in seconds.items()}
    return {
        "bytes": len(buffer),
        "records": len(expected),
        "cpu_seconds": seconds,
        "ns_per_record": {name: statistics.median(times) / len(expected) * 1e9 for name, times in seconds.items()},
        "times_extents": {
            name: statistics.median(mine / extents for mine, extents in both) for name, both in pairs.items()
        },
    }


def main() -> None:
    """Measure, print and write the result."""
    files: dict[str, Any] = {}
    for name, (low, high) in SIZES.items():
        files[f"rdw, {name} records"] = measured(file_of(low, high), WAYS)
    for name, (framing, data) in framed_files().items():
        ways = [update_wrapper(partial(way, framing=framing), way) for way in (by_extents, by_windows)]
        files[name] = measured(data, ways)
    for name, result in files.items():
        for way, nanos in result["ns_per_record"].items():
            print(f"{name:22} {way:26} {nanos:8.0f} ns a record, {result['times_extents'][way]:.2f} x extents")
    machine = {"python": platform.python_version(), "numpy": np.__version__, "platform": platform.machine()}
    OUT.write_text(json.dumps({"machine": machine, "rounds": ROUNDS, "files": files}, indent=2) + "\n")


def measured(data: bytes, ways: Sequence[ColumnPlan]) -> dict[str, Any]:
    """What `measure` gives for these bytes."""
    return measure(ways, data)


if __name__ == "__main__":
    main()
