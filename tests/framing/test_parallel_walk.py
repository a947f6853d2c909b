"""Parallel walk: what it finds are the records, and no stretch costs more than one that is as long."""

from __future__ import annotations

from struct import Struct

import numpy as np
import pytest

from lmparse.framing import index, word_scan
from lmparse.framing.descriptors import WordForm, descriptor
from lmparse.framing.framings import framing_of, named_framing
from lmparse.options import Options
from lmparse.values.byte_arrays import Bytes

RDW = descriptor("zos_rdw").form()
FAR, WIDTH = 186, 2
"""Place of the field `seg_num` in records of `bmc_lldf`."""


@pytest.fixture(params=[1 << 8, 1 << 20], ids=lambda size: f"least {size}")
def _short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of some hundred bytes, and a parallel walk or none through them."""
    monkeypatch.setattr(word_scan, "_LEAST_BYTES", request.param)
    monkeypatch.setattr(word_scan, "_WALKERS", 16)
    monkeypatch.setattr(word_scan, "_SCAN_BYTES", 1 << 9)
    monkeypatch.setattr(word_scan, "_PARALLEL_BYTES", 1 << 11)


@pytest.mark.usefixtures("_short")
def test_the_length_of_a_record_may_be_far_behind_its_start() -> None:
    sizes = [number % 37 for number in range(60)]
    records = [b"\x11" * FAR + (FAR + WIDTH + size).to_bytes(WIDTH, "big") + b"x" * size for size in sizes]
    options = Options(framing="glued", spec="bmc_lldf", record_length_field="seg_num")
    framing, data = named_framing("glued", options), b"".join(records)
    assert np.concatenate([window.lengths for window in index.windows(framing, data)]).tolist() == [*map(len, records)]


def array(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8)


@pytest.mark.parametrize("said", [1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
@pytest.mark.parametrize("uncounted", [-4, 0, 4])
def test_no_length_is_too_large_for_a_step(said: int, uncounted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_scan, "_LEAST_BYTES", 1 << 8)
    form = WordForm(Struct(">Q0s"), 0, uncounted, 8, (1 << 63) - 1, 0, ">u8")
    good = (40 - uncounted).to_bytes(8, "big") + bytes(range(32))
    data = good * 400 + said.to_bytes(8, "big") + good[8:] + good * 50
    found = word_scan.parallel_walk(form, array(data), 0, len(data), len(data))
    assert found is not None
    assert (found[0].tolist(), found[1]) == (list(range(0, 16_000, 40)), 16_000)


def test_one_walker_of_many_does_not_go_most_of_the_way() -> None:
    alike, short = (b"\0\x44\0\0" + b"ABCDEFGH" * 8) * 9000, b"\0\4\0\0" * 400_000
    data = alike + short
    assert word_scan.parallel_walk(RDW, array(data), 0, len(data), len(data)) is None
    for even in (alike, short):
        assert word_scan.parallel_walk(RDW, array(even), 0, len(even), len(even)) is not None
    assert sum(map(len, index.windows(framing_of("rdw"), data))) == 409_000
