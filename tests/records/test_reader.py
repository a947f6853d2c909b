"""Records of any spec through their generated parser: the memory that they take, and texts that are not text."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest
from spec.test_step_budget import built

from lmparse import cli
from lmparse.options import Options
from lmparse.records.dissection import Dissector
from lmparse.records.reader import RecordReader
from lmparse.records.settings import arguments_of
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


TEXTS = """\
seq:
  - {id: t, type: str, size: 6, encoding: ENCODING}
  - {id: l, type: str, size: 6, encoding: ENCODING, repeat: eos}
"""


@pytest.mark.parametrize(("encoding", "half"), [("utf-7", b"+2AA-  "[:6]), ("unicode_escape", rb"\ud800")])
def test_half_of_a_surrogate_pair_is_not_text(tmp_path: Path, encoding: str, half: bytes) -> None:
    reader = built(tmp_path, TEXTS.replace("ENCODING", encoding))
    assert reader.read(b"abcdef" * 2).values == {"t": "abcdef", "l": ["abcdef"]}
    found = reader.read(half + b"abcdef" + half)
    assert found.values == {"t": None, "l": ["abcdef", None]}
    assert [(fault.code, fault.field) for fault in found.faults] == [("LMP-R010", "t"), ("LMP-R010", "l[1]")]
    assert [node.path for node in Dissector(reader).dissect(half + half).walk() if node.fault] == ["t", "l[0]"]
    path = tmp_path / "a.dat"
    path.write_bytes(half + half)
    for target in ("a.parquet", "a.csv", "a.arrow", "a.jsonl"):
        words = ["convert", str(path), str(tmp_path / target), "--spec", reader.spec.name, "--framing", "fixed"]
        assert cli.main([*words, "--record-length", "12"]) == 20
