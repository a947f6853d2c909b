"""A record that another one follows and that is not there is named, unless the log was read with a filter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples import db2_scripts as luw
from writers.db2.stream import Stream

from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

OPTIONS: dict[str, Any] = {"spec": "db2_log", "generation": "v10", "byte_order": "little", "framing": "filter"}


def notices(path: Path, engine: str, part_bytes: int = 0, **options: Any) -> list[str]:
    """What reading a log says of missing records."""
    log: Any = open_changes(path, read_options({**OPTIONS, "engine": engine, **options}))
    if part_bytes:
        log.change_parts(part_bytes)
    list(log.changes())
    return [text for text in log.tally.notices if "missing, which" in text]


@pytest.fixture
def whole(tmp_path: Path) -> tuple[Path, list[tuple[int, int]]]:
    """A log without a filter, and where each record begins and ends."""
    stream = luw.full_stream("v10", "little", "filter")
    path = tmp_path / "a.log"
    path.write_bytes(stream.bytes())
    lead = open_changes(path, read_options(OPTIONS)).framing.lead
    return path, [(record.offset - lead, record.offset + record.length) for record in stream.records]


def test_each_record_that_is_left_out(whole: tuple[Path, list[tuple[int, int]]]) -> None:
    path, places = whole
    data, named = path.read_bytes(), 0
    for number, (start, end) in list(enumerate(places[:-1]))[:: amount(7, 1)]:
        path.write_bytes(data[:start] + data[end:])
        found = notices(path, "columnar")
        assert notices(path, "kaitai") == found
        assert notices(path, "columnar", 700) == found
        assert len(found) <= 1
        for text in found:
            named += 1
            numbers = re.fullmatch(
                r"a record at ([0-9A-F]{16}) is missing, which record (\d+) of its transaction follows", text
            )
            assert numbers is not None
            assert int(numbers[2]) >= number
    # The others are the first or the last ones of their transaction, or of none.
    assert named > len(places) / amount(20, 2)


def test_a_log_that_is_there_twice(whole: tuple[Path, list[tuple[int, int]]]) -> None:
    path, places = whole
    path.write_bytes(path.read_bytes() * 2)
    said = []
    for engine, part_bytes in (("columnar", 0), ("columnar", 700), ("kaitai", 0)):
        log: Any = open_changes(path, read_options({**OPTIONS, "engine": engine}))
        if part_bytes:
            log.change_parts(part_bytes)
        list(log.changes())
        said += [text for text in log.tally.notices if "positions go back" in text]
    assert len(said) == 3
    assert all(text.startswith(f"positions go back behind record {len(places) - 1}: ") for text in said)


@pytest.mark.parametrize("part_bytes", [0, 300])
def test_several_log_streams_whose_positions_go_back(part_bytes: int, tmp_path: Path) -> None:
    """The first such place in the file is named, whatever stream it is of and wherever parts end."""
    stream = Stream("v10", "little", "filter")
    for stream_id, lsn in ((0, 1000), (1, 2000), (1, 1900), (0, 900)):
        stream.stream_id, stream._lsn, stream._lfs = stream_id, lsn, 77
        unit = stream.begin()
        unit.insert(luw.ITEM, luw.item(lsn))
        unit.commit()
    path = tmp_path / "a.log"
    path.write_bytes(stream.bytes())
    for engine in ("columnar", "kaitai"):
        log: Any = open_changes(path, read_options({**OPTIONS, "engine": engine}))
        if part_bytes and engine == "columnar":
            log.change_parts(part_bytes)
        list(log.changes())
        (said,) = (text for text in log.tally.notices if "go back" in text)
        assert said.startswith("positions go back behind record 3 and at 1 more places: "), (engine, said)


@pytest.mark.parametrize("part_bytes", [0, 300])
def test_a_record_that_states_no_address_is_not_missing(part_bytes: int, tmp_path: Path) -> None:
    stream = Stream("v9.7", "little", "lsn8")
    for count in (3, 3, 3):
        unit = stream.begin()
        for number in range(count):
            unit.insert(luw.ITEM, luw.item(number))
        unit.commit()
    pieces = stream.pieces()
    pieces[9] = bytes(8) + pieces[9][8:]
    path = tmp_path / "a.log"
    path.write_bytes(b"".join(pieces))
    form = {"generation": "v9.7", "framing": "lsn8"}
    assert notices(path, "columnar", part_bytes, **form) == notices(path, "kaitai", **form) == []


def test_a_log_that_was_read_with_a_filter(whole: tuple[Path, list[tuple[int, int]]]) -> None:
    path, places = whole
    data = path.read_bytes()
    path.write_bytes(b"".join(data[start:end] for number, (start, end) in enumerate(places) if number % 3))
    assert [notices(path, engine) for engine in ("columnar", "kaitai")] == [[], []]
