"""Extracts of a log of several log streams: a file that is missing is noticed in each of its streams."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from db2.resumed_extracts import FORM, Extracts
from samples import db2_scripts as luw
from writers.db2.stream import Stream

from lmparse.errors import FramingError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_resumed

LEAD = 56
"""Bytes of the prefix of a record."""
LSO, STREAM = slice(40, 48), slice(LEAD + 38, LEAD + 40)
"""Log sequence offset in the prefix; log stream in the header."""


class Streams:
    """A log of several log streams, in the order of its positions, as `Extracts` takes it."""

    def __init__(self) -> None:
        self.stream = Stream(*FORM)
        self._offsets = {0: 0x1000_0000}
        self.pieces: list[bytes] = []
        self.units: dict[int, Any] = {}

    def on(self, number: int) -> None:
        """Go on in a log stream, which begins at an address of its own."""
        stream = self.stream
        self._offsets[stream.stream_id] = stream._lso if stream.records else self._offsets[0]
        stream.stream_id, stream._lso = number, self._offsets.setdefault(number, (number + 1) * 0x1000_0000)

    def insert(self, number: int, value: int) -> None:
        """A row of the transaction that is open in a log stream, which may begin with it."""
        self.on(number)
        self.units.setdefault(number, self.stream.begin()).insert(luw.ITEM, luw.item(value))

    def commit(self, number: int) -> None:
        self.on(number)
        self.units.pop(number).commit()

    def written(self, *, is_set: bool = True) -> Streams:
        """It is whole; `is_set` False: only prefixes state log streams."""
        self.pieces = self.stream.pieces()
        if not is_set:
            self.pieces = [piece[: STREAM.start] + bytes(2) + piece[STREAM.stop :] for piece in self.pieces]
        return self

    @property
    def records(self) -> Any:
        return self.stream.records

    def bytes(self) -> bytes:
        return b"".join(self.pieces)


def in_turns(*files: tuple[int, ...]) -> tuple[Streams, list[int]]:
    """Transactions of one row, each in a log stream, as they are in several files; and the number of the first record
    of each file, and of what is behind the last one.
    """
    stream, ends, value = Streams(), [0], 0
    for numbers in files:
        for number in numbers:
            value += 1
            stream.insert(number, value)
            stream.commit(number)
        ends.append(len(stream.records))
    return stream.written(), ends


def random_streams(seed: str, numbers: list[int], *, is_set: bool) -> tuple[Streams, list[int]]:
    """Transactions at the same time, one in each log stream; and the stream of each record."""
    chosen, found = random.Random(seed), Streams()
    for number in numbers:
        found.insert(number, number)
    for value in range(40):
        number = chosen.choice(numbers)
        if number in found.units and chosen.random() < 0.4:
            found.commit(number)
        else:
            found.insert(number, 100 + value)
    for number in list(found.units):
        found.commit(number)
    found.written()
    streams = [int.from_bytes(piece[STREAM], "little") for piece in found.pieces]
    return found.written(is_set=is_set), streams


def notices(log: Extracts, *paths: Path) -> list[str]:
    """What the next reading says of bytes that are missing."""
    opened = open_resumed(paths, read_options({**log.options, "checkpoint": str(log.state)}))
    return [text for text in opened.tally.notices if " bytes of the log" in text or "cannot be tested" in text]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_log_stream_that_begins_behind_the_first_file(engine: str, tmp_path: Path) -> None:
    """Nothing shows whether its records in front of that are missing: refused, joined and one by one."""
    stream, ends = in_turns((0, 0), (0, 1, 0), (0,))
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    places = [0, *log.places, len(log.data)]
    a, b, c = (log.file(places[one], places[two]) for one, two in pairwise(ends))
    log.read(a)
    before = log.state.read_bytes()
    for files in ((b,), (c, b)):
        with pytest.raises(FramingError, match="log stream 1 begins behind the first file") as found:
            log.read(*files)
        assert (found.value.code, found.value.file) == ("LMP-F013", str(b))
    assert log.state.read_bytes() == before
    log.state.unlink()
    with pytest.raises(FramingError, match="LMP-F013"):
        log.read(a, b)


def lso_of(piece: bytes) -> int:
    return int.from_bytes(piece[LSO], "little")


def with_lso(piece: bytes, value: int) -> bytes:
    return piece[: LSO.start] + (value % (1 << 64)).to_bytes(8, "little") + piece[LSO.stop :]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_addresses_that_begin_anew(engine: str, tmp_path: Path) -> None:
    """The log goes on: nothing is said to be missing, but that it cannot be tested."""
    stream, streams = random_streams("anew", [0, 1], is_set=True)
    begin = 15
    for number in range(begin, len(stream.pieces)):
        piece = stream.pieces[number]
        stream.pieces[number] = with_lso(piece, lso_of(piece) - 0x800_0000)
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    places, rows = [0, *log.places, len(log.data)], []
    files = [log.file(places[one], places[two]) for one, two in pairwise([0, begin, 24, 33, len(streams)])]
    for file in files:
        said = notices(log, file)
        assert ["begin anew" in text for text in said] == [True] * (file is files[1])
        rows += log.read(file)
    assert rows == log.rows
    for file in files:
        assert log.read(file) == []


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_log_stream_that_only_prefixes_state(engine: str, tmp_path: Path) -> None:
    """Headers of 40 bytes do not have it set. One with more bits than theirs is none."""
    found = {}
    for is_set in (True, False):
        log = Extracts(tmp_path, stream=random_streams("prefix", [0, 1, 2], is_set=is_set)[0])
        log.options["engine"] = engine
        log.state.unlink(missing_ok=True)
        found[is_set] = log.read(tmp_path / "whole.log")
    assert found[False] == found[True]
    assert {row["seq"][-8:-4] for row in found[True]} == {"0000", "0001", "0002"}
    stream, _ = random_streams("prefix", [0], is_set=True)
    stream.pieces = [piece[:32] + (1 << 63 | 1 << 16).to_bytes(8, "little") + piece[40:] for piece in stream.pieces]
    log = Extracts(tmp_path, stream=stream)
    log.options["engine"] = engine
    log.state.unlink()
    assert {row["seq"][-8:-4] for row in log.read(tmp_path / "whole.log")} == {"0000"}
