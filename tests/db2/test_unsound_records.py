"""Records without a sound header in extracts of a log: none is passed over, whatever file they are in."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from amounts import amount
from db2.resumed_extracts import Extracts
from samples import db2_scripts as luw
from writers.db2.stream import Stream

from lmparse.errors import FramingError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_resumed

LEAD = 56
"""Bytes of the prefix of a record in framing `filter`."""


def short(record: bytes) -> bytes:
    """Its header is cut off, and its length says so."""
    return record[:LEAD] + (24).to_bytes(4, "little") + record[LEAD + 4 : LEAD + 24]


def of_two_positions(record: bytes) -> bytes:
    """Its log sequence number is another one than its prefix says."""
    return record[: LEAD + 8] + (7).to_bytes(8, "little") + record[LEAD + 16 :]


def of_two_flushes(record: bytes) -> bytes:
    """Its log flush sequence is a much higher one than its prefix says."""
    return record[: LEAD + 16] + (1 << 40).to_bytes(8, "little") + record[LEAD + 24 :]


def cut_short(record: bytes) -> bytes:
    """Its header is sound, but its body lacks the last bytes."""
    return record[:LEAD] + (len(record) - LEAD - 5).to_bytes(4, "little") + record[LEAD + 4 : -5]


def without_position(record: bytes) -> bytes:
    """Its log sequence number is zero."""
    return record[:16] + bytes(8) + record[24 : LEAD + 8] + bytes(8) + record[LEAD + 16 :]


class Damaged:
    """A log with one damaged record, as `Extracts` takes it."""

    def __init__(self, number: int, damage: Callable[[bytes], bytes]) -> None:
        self._pieces = _stream().pieces()
        self._pieces[number] = damage(self._pieces[number])
        starts = itertools.accumulate(map(len, self._pieces[:-1]), initial=0)
        self.records = [_Place(start + LEAD) for start in starts]

    def bytes(self) -> bytes:
        return b"".join(self._pieces)


class _Place:
    def __init__(self, offset: int) -> None:
        self.offset = offset


def _stream() -> Stream:
    """Three transactions, one inside of another, and one that is open."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(luw.ITEM)
    unit.commit()
    first, second = stream.begin(), stream.begin()
    first.insert(luw.ITEM, luw.item(1))
    second.insert(luw.ITEM, luw.item(2))
    second.insert(luw.ITEM, luw.item(3))
    second.commit()
    first.insert(luw.ITEM, luw.item(4))
    first.commit()
    stream.begin().insert(luw.ITEM, luw.item(5))
    return stream


NUMBERS = range(1, 8)
"""Not the first and not the last one: a file without any other record states no position, and is refused."""


@pytest.mark.parametrize(
    ("damage", "engine"),
    [(short, "columnar"), (of_two_positions, "kaitai"), (of_two_flushes, "columnar"), (cut_short, "kaitai")],
)
def test_extracts_of_a_log_with_one(damage: Callable[[bytes], bytes], engine: str, tmp_path: Path) -> None:
    """Extracts that adjoin, and a file that grows, give its error and all rows that the whole log gives."""
    chosen = random.Random(f"{damage.__name__} {engine}")
    for number in chosen.sample(NUMBERS, amount(1, len(NUMBERS))):
        log = Extracts(tmp_path, stream=Damaged(number, damage))  # type: ignore[arg-type]
        log.options["engine"] = engine
        log.state.unlink(missing_ok=True)
        whole = tmp_path / "0-whole.log"
        whole.write_bytes(log.data)
        rows = log.read(whole)
        errors = {text for text in log.said if "[LMP-" in text}
        assert errors
        size = len(log.data)
        for place in chosen.sample(log.places, amount(2, len(log.places))):
            for begin in (place, 0):
                log.state.unlink()
                log.said.clear()
                found = log.read(log.file(0, place)) + log.read(log.file(begin, size))
                assert found == rows, (number, place, begin)
                assert {text for text in log.said if "[LMP-" in text} == errors, (number, place, begin)
            log.state.unlink()
            log.said.clear()
            assert log.read(log.file(0, place), log.file(place, size)) == rows
            for begin, end in ((0, place), (place, size)):  # the same bytes once more
                log.state.unlink()
                log.said.clear()
                assert log.read(log.file(begin, end), whole) == rows
                assert {text for text in log.said if "[LMP-" in text} == errors, (number, place, begin)


@pytest.mark.parametrize("side", ["behind", "in front"])
@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_file_that_is_missing_beside_one(engine: str, side: str, tmp_path: Path) -> None:
    """Nothing shows then whether a file is missing, which is said; and it comes too late when it comes."""
    log = Extracts(tmp_path, stream=Damaged(6 if side == "behind" else 2, short))  # type: ignore[arg-type]
    log.options["engine"] = engine
    first, second = log.places[2], log.places[5]
    log.read(log.file(0, first))
    rest = open_resumed([log.file(second, len(log.data))], read_options({**log.options, "checkpoint": str(log.state)}))
    assert any("cannot be tested" in text for text in rest.tally.notices)
    log.read(log.file(second, len(log.data)))
    with pytest.raises(FramingError) as found:
        log.read(log.file(first, second))
    assert found.value.code == "LMP-F014"


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_record_without_a_position_ends_a_walk(engine: str, tmp_path: Path) -> None:
    """It may be a commit, which is in front of any checkpoint then: its changes would be in no reading."""
    for number in NUMBERS[:: amount(5, 1)]:
        log = Extracts(tmp_path, stream=Damaged(number, without_position))  # type: ignore[arg-type]
        log.options["engine"] = engine
        place = log.places[number - 1]
        for begin in (place, 0):
            log.state.unlink(missing_ok=True)
            log.read(log.file(0, place))
            known = log.state.read_bytes()
            with pytest.raises(FramingError) as found:
                log.read(log.file(begin, len(log.data)))
            assert (found.value.code, found.value.record_offset) == ("LMP-F013", place - begin + LEAD)
            with pytest.raises(FramingError) as found:
                log.read(log.file(begin, log.places[number]))
            assert found.value.code in ("LMP-F013", "LMP-F014"), "also if nothing is behind it"
            assert log.state.read_bytes() == known


@pytest.mark.parametrize("seed", range(2))
def test_extracts_of_a_log_whose_lsns_go_back_from_one_flush_to_the_next(seed: int, tmp_path: Path) -> None:
    """The log flush sequence orders the log: a commit with a lower log sequence number is behind the one before."""
    chosen = random.Random(seed)
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    unit.initialize(luw.ITEM)
    unit.commit()
    units = []
    for number in range(20):
        if chosen.random() < 0.4:
            stream.flush()
            stream._lsn += chosen.randrange(-40, 3)
        if units and chosen.random() < 0.5:
            units.pop(chosen.randrange(len(units))).commit()
        units.append(stream.begin())
        units[-1].insert(luw.ITEM, luw.item(number))
    for unit in units:
        unit.commit()
    log = Extracts(tmp_path, stream=stream)
    assert [row["seq"] for row in log.rows] == sorted(row["seq"] for row in log.rows)
    for _ in range(3):
        log.state.unlink(missing_ok=True)
        cuts = [0, *sorted(chosen.sample(log.places, 4)), len(log.data)]
        parts = [log.run(log.file(*pair)) for pair in itertools.pairwise(cuts)]
        assert list(itertools.chain(*parts)) == log.rows
