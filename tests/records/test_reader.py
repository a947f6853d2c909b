"""Records of any spec through their generated parser: the memory that they take."""

from __future__ import annotations

import struct
import tracemalloc

from lmparse.options import Options
from lmparse.records.reader import RecordReader, arguments_of
from lmparse.spec import catalog


def test_large_records_do_not_pile_up() -> None:
    """Parsed records refer to themselves; Python collects such objects by their number, whatever their size."""
    size = 4 << 20
    raw = struct.pack("<IHH", size, 0x4E, 2) + bytes(size - 8)
    spec = catalog.load("db2_log")
    options = Options(spec="db2_log", generation="v10", byte_order="little")
    reader = RecordReader(spec, arguments=arguments_of(spec, options))
    reader.read(raw)
    tracemalloc.start()
    for _ in range(20):
        reader.read(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * size  # 20 and more without a collection
