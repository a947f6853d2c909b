"""Synchroniser: a cut is a true record start or none, and a false one never passes the proof."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from amounts import amount, examples
from hypothesis import given
from hypothesis import strategies as st
from samples import framed_files
from samples.framed_files import OTHERS
from writers.bmc import framing as enc

from lmparse.errors import FramingError
from lmparse.framing import sync
from lmparse.framing.base import Framing
from lmparse.framing.extents import Plausible, Span
from lmparse.framing.framings import framing_of
from lmparse.framing.sync import RangeError, count, cuts, range_windows, ranges, synchronise
from lmparse.framing.word_scan import sound_words
from lmparse.storage.buffers import Buffer, open_buffer

# Several ways to write what one framing reads: name of the encoder's, name of the reader's, options.
WRITTEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "rdw": ("rdw", "rdw", {}),
    "bdw": ("bdw", "bdw", {"block_size": 200}),
    "extended bdw": ("bdw-extended", "bdw", {"block_size": 200}),
    "vbs, no piece": ("vbs", "vbs", {"piece_sizes": 32000}),
    "vbs, pieces": ("vbs", "vbs", {"piece_sizes": [40, 7, 90]}),
    "bdw-vbs, whole records": ("bdw", "bdw-vbs", {"block_size": 200}),
    "bdw-vbs, pieces": ("bdw-vbs", "bdw-vbs", {"block_size": 128}),
    "zosmf": ("zosmf", "zosmf", {}),
    "fixed": ("fixed", "fixed", {"record_length": 150}),
}
EVERY = [*WRITTEN, *OTHERS]
written = partial(framed_files.written, ways=WRITTEN)
MARK = b"\x01\x20LOG"


def plausible(record: bytes) -> bool:
    return record[: len(MARK)] == MARK or record[4 : 4 + len(MARK)] == MARK


def looking(data: Buffer, test: Callable[[bytes], bool] = plausible) -> Plausible:
    return lambda extent: test(extent.read(data))


def record(number: int, inside: bytes = b"") -> bytes:
    return MARK + number.to_bytes(4, "big") + inside


def true_starts(framing: Framing, data: bytes) -> list[int]:
    return [extent.resume for extent in framing.extents(data) if extent.resume is not None]


def plain(count: int, seed: int = 1) -> list[bytes]:
    draw = random.Random(seed)
    return [record(number, draw.randbytes(draw.randrange(130))) for number in range(count)]


def nested(way: str, count: int = 24) -> list[bytes]:
    """Records whose bytes hold records in the same framing: whole ones, at their end, one cut, or descriptor words."""
    draw = random.Random(2)
    records = []
    for number in range(count):
        inner = written(way, [record(draw.randrange(99), b"y" * draw.randrange(9)) for _ in range(number % 4)])[1]
        words = enc.descriptor(draw.randrange(60)) * draw.randrange(3)
        behind = (b"", b"z" * draw.randrange(30), words, inner[:7])[number // 4 % 4]
        records.append(record(number, (words + inner + behind)[:140]))
    return records


def read(framing: Framing, data: bytes, places: list[int]) -> list[bytes]:
    """The records by ranges, all proven."""
    got = []
    for part in ranges(places, len(data)):
        for window in range_windows(framing, data, part):
            raw = window.data.tobytes()
            spots = zip(window.starts.tolist(), window.lengths.tolist(), strict=True)
            got += [raw[start : start + length] for start, length in spots]
    return got


def whole(framing: Framing, data: bytes) -> list[bytes]:
    return [extent.read(data) for extent in framing.extents(data)]


# where records begin


@pytest.mark.parametrize("way", EVERY)
def test_plain_records_are_found_from_every_byte(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "REACH", 1000)
    framing, data = written(way, plain(100))
    starts = true_starts(framing, data)
    assert len(data) > 4000
    found = 0
    for near in range(0, len(data), 17):
        expected = next((start for start in starts if start >= near), None)
        place = synchronise(framing, data, near, len(data), looking(data), 4)
        # Where all blocks near begin with the rest of a record there is none.
        assert place == expected or (place is None and way == "bdw-vbs, pieces"), near
        found += place is not None
    assert found


@pytest.mark.parametrize("way", EVERY)
def test_records_in_records_are_no_records(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "REACH", 400)
    framing, data = written(way, nested(way))
    starts = set(true_starts(framing, data))
    found = 0
    for near in range(0, len(data), amount(2, 1)):
        place = synchronise(framing, data, near, len(data), looking(data), 4)
        assert place is None or (place in starts and place >= near), near
        found += place is not None
    # Of blocks that are filled with pieces few begin with a record.
    assert found > (0 if way == "bdw-vbs, pieces" else len(data) // amount(16, 8))


@pytest.mark.parametrize("way", [way for way in EVERY if way != "fixed"])
def test_a_false_cut_never_passes_the_proof(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # So short a reach that true records are out of it, and records in records are found.
    framing, data = written(way, nested(way))
    starts = set(true_starts(framing, data))
    false = 0
    for reach in (60, 100):
        monkeypatch.setattr(sync, "REACH", reach)
        for near in range(0, len(data), 3):
            place = synchronise(framing, data, near, len(data), lambda extent: True, 1)
            if place is None:
                continue
            if place in starts:
                assert read(framing, data, [place]) == whole(framing, data)
            else:
                false += 1
                with pytest.raises(RangeError):
                    read(framing, data, [place])
    assert false


@pytest.mark.parametrize("way", EVERY)
def test_any_offset_as_a_cut_is_true_or_refused(way: str) -> None:
    framing, data = written(way, nested(way, 12))
    starts = set(true_starts(framing, data))
    expected = whole(framing, data)
    for place in range(1, len(data)):
        if place in starts:
            assert read(framing, data, [place]) == expected
        else:
            with pytest.raises(RangeError):
                read(framing, data, [place])


def test_hypothesis_files_of_files() -> None:
    leaf = st.binary(max_size=20).map(lambda inside: record(0, inside))
    records = st.recursive(
        st.lists(leaf, max_size=4),
        lambda inner: st.lists(
            st.tuples(inner, st.binary(max_size=3)).map(lambda pair: record(1, enc.rdw(pair[0]) + pair[1])), max_size=6
        ),
        max_leaves=40,
    )

    @examples(25, 60)
    @given(st.lists(records, min_size=1, max_size=12), st.integers(0), st.integers(1, 9))
    def holds(groups: list[list[bytes]], seed: int, chain: int) -> None:
        framing, data = framing_of("rdw"), enc.rdw([item for group in groups for item in group])
        if data:
            near = seed % len(data)
            place = synchronise(framing, data, near, len(data), looking(data), chain)
            # The first byte of the file is within reach, so the true records are among the paths.
            assert place is None or (place in true_starts(framing, data) and place >= near)

    holds()


def test_two_ways_that_do_not_meet_are_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "REACH", 300)
    inner = enc.rdw([record(number, b"x" * 11) for number in range(2000)])
    outer = record(0, b"?" * 3 + inner[:-9])
    data = enc.rdw([outer[:30000], *[record(0)] * 100])
    # Inside a record longer than reach the records in it are all there is: the proof refuses them.
    place = synchronise(framing_of("rdw"), data, 10000, len(data), looking(data))
    assert place is not None
    with pytest.raises(RangeError):
        read(framing_of("rdw"), data, [place])
    # Two interleaved chains, each sound on its own, to the end of the file.
    body = record(7, enc.descriptor(20)[:4] + record(8, b"ab"))
    twins = enc.rdw([body.ljust(20, b"!")] * 400)
    assert synchronise(framing_of("rdw"), twins, 4000, len(twins), lambda extent: True) is not None
    twins = (enc.descriptor(8) + enc.descriptor(8) + b"abcd") * 400
    assert twins[:4] == twins[4:8]
    assert synchronise(framing_of("rdw"), twins, 1000, len(twins), lambda extent: True) is None


@pytest.mark.parametrize("leads_to_record", [True, False])
def test_a_record_in_a_record_that_leads_over_others(leads_to_record: bool) -> None:
    sizes = [60, 40, 50, 70, *[30] * 40]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    place = 30  # in record 0
    behind = starts[3] if leads_to_record else starts[3] + 20
    fake = enc.descriptor(behind - place - 4) + MARK
    data = bytearray(enc.rdw([record(number, b"x" * (size - 13)) for number, size in enumerate(sizes)]))
    data[place : place + len(fake)] = fake
    assert true_starts(framing_of("rdw"), bytes(data)) == starts
    for near in range(10, starts[1] + 1):
        # Both ways meet at record 3; the one that leads nowhere leaves record 1 to the other.
        expected = starts[3] if leads_to_record and near >= place else starts[1]
        assert synchronise(framing_of("rdw"), bytes(data), near, len(data), looking(bytes(data)), 4) == expected, near


BAD_BLOCKS = {
    "a piece that is longer than the block": enc.descriptor(12) + enc.descriptor(30) + MARK + bytes(3),
    "a last piece behind a whole record": enc.descriptor(24)
    + enc.descriptor(8)
    + MARK
    + bytes(3)
    + enc.descriptor(8, enc.LAST)
    + bytes(8),
    "a record behind a first piece": enc.descriptor(24)
    + enc.descriptor(8, enc.FIRST)
    + bytes(8)
    + enc.descriptor(8)
    + MARK
    + bytes(3),
    "a record that is not plausible": enc.descriptor(12) + enc.descriptor(8) + bytes(8),
    "bytes that are no piece": enc.descriptor(12) + bytes(12),
}


@pytest.mark.parametrize("bad", BAD_BLOCKS)
def test_blocks_that_are_not_sound_are_no_chain(bad: str) -> None:
    blocks = enc.bdw([record(number) for number in range(60)], 100)
    near = len(blocks) // 2
    assert synchronise(framing_of("bdw-vbs"), blocks * 2, near, 2 * len(blocks), looking(blocks * 2)) is not None
    data = blocks + BAD_BLOCKS[bad] + blocks
    assert synchronise(framing_of("bdw-vbs"), data, near, len(data), looking(data)) is None


@pytest.mark.parametrize("way", ["rdw", "zosmf", "vbs, pieces", "bare little", "filter big"])
def test_words_that_lead_to_no_word_are_left_out(way: str) -> None:
    framing, data = written(way, nested(way))
    found = [set(sound_words(framing.form, data, 0, len(data), len(data), chained)) for chained in range(6)]
    assert all(more <= fewer for fewer, more in pairwise(found))
    assert set(true_starts(framing, data)) <= found[-1]
    assert len(found[-1]) < len(found[0])


def test_implausible_records_are_no_chain() -> None:
    data = enc.rdw([record(number) for number in range(100)])
    assert synchronise(framing_of("rdw"), data, 500, len(data), lambda extent: False) is None
    assert synchronise(framing_of("rdw"), data, 500, len(data), looking(data)) == 507


@pytest.mark.parametrize("way", EVERY)
def test_damage_behind_the_cut_is_no_chain(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "REACH", 1000)
    framing, data = written(way, plain(100))
    start = true_starts(framing, data)[-1]
    spoilt = data[:start] + b"\xff" * 300
    for near in range(start - 20, start):
        assert synchronise(framing, spoilt, near, len(spoilt), looking(spoilt)) is None


def test_the_end_counts_for_a_chain() -> None:
    data = enc.rdw([record(number) for number in range(9)])
    last = true_starts(framing_of("rdw"), data)[-1]
    assert synchronise(framing_of("rdw"), data, last - 1, len(data), looking(data), 32) == last
    assert synchronise(framing_of("rdw"), data, last + 1, len(data), looking(data)) is None
    assert synchronise(framing_of("rdw"), data, len(data), len(data), looking(data)) is None
    assert synchronise(framing_of("rdw"), data, last - 1, len(data) - 1, looking(data)) is None


def test_glued_records_are_never_cut() -> None:
    framing = framing_of("glued", cutter=lambda buffer, offset, end, index: 10)
    data = enc.rdw([b"abcdef"] * 50)  # descriptor words do not help
    assert len(whole(framing, data)) == 50
    assert synchronise(framing, data, 20, len(data), lambda extent: True) is None
    assert cuts(framing, data, 100, lambda extent: True) == []


# whole files


@pytest.mark.parametrize("max_bytes", [100, 700, 1 << 20])
@pytest.mark.parametrize("way", EVERY)
@pytest.mark.parametrize("records", [plain, nested], ids=["plain", "nested"])
def test_ranges_give_the_whole_file(
    records: Callable[..., list[bytes]], way: str, max_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "REACH", 400)
    framing, data = written(way, nested(way) if records is nested else plain(80))
    places = cuts(framing, data, max_bytes, looking(data), 4)
    assert places == sorted({*places} - {0, len(data)})
    assert set(places) <= set(true_starts(framing, data))
    assert all(behind - place >= max_bytes for place, behind in zip([0, *places], places, strict=False))
    assert places or max_bytes > 700 or way == "bdw-vbs, pieces"
    assert read(framing, data, places) == whole(framing, data)


def test_a_large_file_is_read_near_the_cuts_only(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    some = enc.rdw([record(number, b"x" * (number % 900)) for number in range(400)])
    with path.open("wb") as file:  # holes but for records around two of the cuts
        for middle in (1 << 30, 3 << 30):
            file.seek(middle - len(some) // 2)
            file.write(some)
        file.truncate(4 << 30)
    asked: list[int] = []

    def counted(raw: bytes) -> bool:
        asked.append(len(raw))
        return plausible(raw)

    buffer = open_buffer(path)
    places = cuts(framing_of("rdw"), buffer, 1 << 30, looking(buffer, counted))
    assert len(places) == 2
    assert [place >> 30 for place in places] == [1, 3]
    assert len(asked) < 5000
    assert max(asked) <= sync.REACH


def test_ranges_of_cuts() -> None:
    assert ranges([], 10) == [Span(0, 10, None)]
    assert ranges([3, 7], 10) == [Span(0, 3, None), Span(3, 7, None), Span(7, 10, None)]
    assert ranges([], 0) == []


@pytest.mark.parametrize("way", EVERY)
def test_counted_ranges_are_proven(way: str) -> None:
    framing, data = written(way, plain(80))
    starts = true_starts(framing, data)
    place = starts[len(starts) // 2]
    parts = ranges([place], len(data))
    assert sum(count(framing, data, part) for part in parts) == len(whole(framing, data))
    if way != "fixed":
        with pytest.raises(RangeError):
            count(framing, data, Span(0, place + 1, None))


def test_an_empty_file_has_no_cuts() -> None:
    assert cuts(framing_of("rdw"), b"", 10, looking(b"")) == []


# errors


def test_a_range_error_says_where_and_survives_pickle() -> None:
    data = enc.rdw([record(1), record(2)])
    with pytest.raises(RangeError) as caught:
        read(framing_of("rdw"), data, [15])
    error = caught.value
    assert isinstance(error.__cause__, FramingError)
    assert (error.part, error.reached) == (Span(0, 15, None), 13)
    assert str(error) == "the range from 0x0 does not end at 0xf: no record fits at 0xd"
    again = pickle.loads(pickle.dumps(error))
    assert (again.part, again.reached, str(again)) == (error.part, error.reached, str(error))


def test_damage_in_a_file_without_cuts_is_shown_as_it_is() -> None:
    with pytest.raises(FramingError) as caught:
        read(framing_of("rdw"), enc.rdw([record(1)]) + b"junk", [])
    assert caught.value.record_index == 1
