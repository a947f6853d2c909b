"""Position runs: the number of a change among those with its position is the same from every engine, part and extract;
what is cut from the bytes near the cuts gives what the whole file does, or an error.

`expected` counts over the list of changes that were written, without the code under test.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import framing as enc
from writers.bmc import lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.columns import position_runs
from lmparse.bmc.columns.position_runs import PositionRuns
from lmparse.changes.schemas import changes_schema
from lmparse.errors import FramingError
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options

TABLE = Table(0x0105, 2, 3, "PROD", "WIDE", (Column("NO", "INT", 4), Column("TEXT", "CHAR", 60)))
PLACES = {"log_rba": (0, 2), "log_lrsn": (2, 1), "member_id": (3, 1), "uor_id": (4, 1), "total_segs": (5, 1)}


@dataclass(frozen=True)
class Planned:
    """A change to be written."""

    number: int
    position: int
    segments: int

    @property
    def header(self) -> dict[str, Any]:
        position = f"{self.position:020X}"
        return {"log_rba": position, "log_lrsn": position, "rid": f"{self.number:010X}"}


def plan(seed: int, count: int, runs: float, segmented: float) -> list[Planned]:
    """Changes of ascending positions; `runs` is the chance that one has that of the one before."""
    chance, position, found = random.Random(seed), 1, []
    for number in range(count):
        position += chance.random() >= runs
        found.append(Planned(number, position, chance.choice((2, 3, 5)) if chance.random() < segmented else 1))
    return found


def records_of(planned: Sequence[Planned], shuffle: random.Random | None = None) -> tuple[logs.Writer, list[bytes]]:
    writer, records = logs.Writer([TABLE]), list[bytes]()
    for change in planned:
        row = {"NO": change.number, "TEXT": f"row {change.number}"}
        after = {"NO": change.number, "TEXT": "changed"}
        pieces = writer.pieces(logs.Unit(1), TABLE, "UB", row, after, segments=change.segments, **change.header)
        if shuffle is not None:
            shuffle.shuffle(pieces)
        records += [record for record, _ in pieces]
    return writer, records


def written(folder: Path, planned: Sequence[Planned], framing: str = "rdw", segmented: str = "N", **more: Any) -> Path:
    writer, records = records_of(planned, more.pop("shuffle", None))
    return put(folder, logs.as_file(records, framing, **more), writer, segmented)


def put(folder: Path, data: bytes, writer: logs.Writer, segmented: str = "N") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "a.dat").write_bytes(data)
    stated = writer.example(dlds_fields={"segmented": segmented}).control_records
    (folder / "a.ctl").write_bytes(enc.rdw(stated))
    return folder / "a.dat"


def expected(planned: Sequence[Planned]) -> dict[int, int]:
    """The last eight digits of `seq` of each change, by its number: how many of its position are directly before."""
    found, before, count = {}, None, 0
    for change in planned:
        count = count + 1 if change.position == before else 0
        found[change.number], before = count, change.position
    return found


def asked(path: Path, engine: str = "columnar", **named: Any) -> Request:
    options = Options.parse({"control": str(path.with_suffix(".ctl")), "engine": engine, "framing": "auto"})
    return Request((str(path),), options, True, **named)


def numbers_in(path: Path, engine: str, max_bytes: int) -> dict[int, int]:
    """The last digits of `seq` from all parts of a file, by the number of the change."""
    found: dict[int, int] = {}
    request = asked(path, engine, max_bytes=max_bytes)
    log = open_changes(str(path), request.options)
    schema = changes_schema(log.all_versions())
    schema = schema.remove(schema.get_field_index("_metadata"))
    for part in request.parts():
        for batch in arrow.part_rows(part, schema, with_changes=True):
            for row in batch.to_pylist():
                assert row["seq"] is not None, row
                assert row["before"]["NO"] not in found, "a change in two parts"
                found[row["before"]["NO"]] = int(row["seq"][-8:], 16)
    return found


# one record at a time and windows


def one_by_one(records: Sequence[bytes]) -> list[int]:
    runs = PositionRuns(PLACES)
    return [runs.number(record) for record in records]


def test_what_counts_and_what_does_not() -> None:
    whole, other, segment, short = bytes(6), bytes([0, 1, 0, 0, 0, 0]), bytes([0, 0, 0, 0, 0, 2]), bytes(3)
    assert one_by_one([whole, whole, other, whole]) == [0, 1, 0, 0]
    assert one_by_one([whole, segment, segment, whole]) == [0, 1, 1, 2]
    assert one_by_one([whole, short, whole]) == [0, 0, 0]
    assert PositionRuns(PLACES).numbers(next(windows(framing_of("rdw"), enc.rdw([short])))).tolist() == [0]


# seq of a change


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("seed", range(3))
def test_seq_is_the_same_from_parts_of_every_size(seed: int, engine: str, tmp_path: Path) -> None:
    planned = plan(seed, 60, 0.6, 0.3)
    path = written(tmp_path, planned, segmented="Y")
    size = path.stat().st_size
    for max_bytes in (1, 700, 2000, 5000, size // 2, size):
        assert numbers_in(path, engine, max_bytes) == expected(planned)


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_seq_is_the_same_from_an_extract_and_with_other_segments(engine: str, tmp_path: Path) -> None:
    planned = plan(7, 120, 0.5, 0.3)
    whole = numbers_in(written(tmp_path / "whole", planned, segmented="Y"), engine, 4000)
    chosen = {change.position for change in planned if change.position % 3}
    extract = [change for change in planned if change.position in chosen]
    assert 20 < len(extract) < len(planned)
    found = numbers_in(written(tmp_path / "extract", extract, segmented="Y"), engine, 3000)
    assert found == {change.number: whole[change.number] for change in extract}
    other = [replace(change, segments=change.number % 4 + 1) for change in planned]
    shuffled = written(tmp_path / "other", other, segmented="Y", shuffle=random.Random(1))
    assert numbers_in(shuffled, engine, 4000) == whole


def test_a_bad_record_of_a_run_counts(tmp_path: Path) -> None:
    planned = [Planned(number, 1 + number // 4, 1) for number in range(12)]
    path = written(tmp_path, planned)
    _, records = records_of(planned)
    records[5] = b"\xff\xff" + records[5][2:]  # LENGTH
    path.write_bytes(enc.rdw(records))
    for engine in ("kaitai", "columnar"):
        request = asked(path, engine)
        (part,) = request.parts()
        schema = changes_schema(open_changes(str(path), request.options).all_versions())
        rows = [row for batch in arrow.part_rows(part, schema, with_changes=True) for row in batch.to_pylist()]
        assert [row["seq"] and int(row["seq"][-8:], 16) for row in rows] == [0, 1, 2, 3, 0, None, 2, 3, 0, 1, 2, 3]


# parts


def inserts(writer: logs.Writer, positions: list[int]) -> list[bytes]:
    """The records of inserts at these positions, numbered in the column NO."""
    found = []
    for number, position in enumerate(positions):
        at = f"{position:020X}"
        row = {"NO": number, "TEXT": f"row {number}"}
        found += writer.pieces(logs.Unit(1), TABLE, "I", after=row, log_rba=at, log_lrsn=at)
    return [record for record, _ in found]


def parts_of(path: Path, max_bytes: int, **options: Any) -> list[FilePart]:
    named = Options.parse({"control": str(path.with_suffix(".ctl")), "framing": "rdw", **options})
    return list(Request((str(path),), named, True, max_bytes).parts())


def rows_of(parts: list[FilePart]) -> list[dict[str, Any]]:
    schema = changes_schema(open_changes(parts[0].path, parts[0].options).all_versions())
    schema = schema.remove(schema.get_field_index("_metadata"))
    batches = [batch for part in parts for batch in arrow.part_rows(part, schema, with_changes=True)]
    return pa.Table.from_batches(batches, schema).to_pylist()


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_run_longer_than_the_reach_is_not_cut(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_runs, "REACH", 5000)
    writer = logs.Writer([TABLE])
    path = put(tmp_path, enc.rdw(inserts(writer, [*range(1, 40), *[40] * 100, *range(41, 100)])), writer)
    parts = parts_of(path, 4000, engine=engine)
    run = 100 * path.stat().st_size // 198
    assert [part for part in parts if part.span.end - part.span.start > run]
    rows = rows_of(parts)
    assert [row["after"]["NO"] for row in rows] == list(range(198))
    assert [int(row["seq"][-8:], 16) for row in rows] == [0] * 39 + list(range(100)) + [0] * 59


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_where_both_sides_would_find_them(seed: int, tmp_path: Path) -> None:
    """A part begins with another position than the record before has, and both are at the place of the cut or later."""
    chance, position, positions = random.Random(seed), 1, []
    for _ in range(150):
        position += chance.random() < 0.4
        positions.append(position)
    writer = logs.Writer([TABLE])
    path = put(tmp_path, enc.rdw(inserts(writer, positions)), writer)
    size = path.stat().st_size // len(positions)
    for part in parts_of(path, chance.randrange(4000, 12_000))[1:]:
        first, rest = divmod(part.span.start, size)
        assert not rest
        assert positions[first] != positions[first - 1]


# segments


def apart(writer: logs.Writer, between: int) -> list[bytes]:
    """Inserts with the segments of one update between them: all are in the first half of the file."""
    at, row = f"{5:020X}", {"NO": 99, "TEXT": "text"}
    pieces = writer.pieces(logs.Unit(1), TABLE, "UB", row, row, segments=3, log_rba=at, log_lrsn=at)
    one, two, three = (record for record, _ in pieces)
    records = inserts(writer, list(range(10, 10 + between)))
    half = between // 2
    return [*records[:8], one, *records[8 : half - 8], two, *records[half - 8 : half], three, *records[half:]]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_no_cut_divides_the_segments_of_a_change(engine: str, tmp_path: Path) -> None:
    writer = logs.Writer([TABLE])
    path = put(tmp_path, enc.rdw(apart(writer, 60)), writer, "Y")
    parts = parts_of(path, 4000, engine=engine)
    assert len(parts) > 2
    assert parts[0].span.end > path.stat().st_size // 2
    assert sorted(row["op"] for row in rows_of(parts)) == ["I"] * 60 + ["U"]


# damage


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("seed", range(4))
def test_damage_near_the_cuts_changes_nothing_of_other_changes(seed: int, engine: str, tmp_path: Path) -> None:
    """Bad LENGTHs are bad rows at their places; a bad descriptor word is the error of the whole file."""
    chance = random.Random(seed)
    writer = logs.Writer([TABLE])
    records = inserts(writer, [1 + number // 3 for number in range(120)])
    bad = set(chance.sample(range(120), 12))
    damaged = [b"\xff\xff" + record[2:] if number in bad else record for number, record in enumerate(records)]
    path = put(tmp_path, enc.rdw(damaged), writer)
    rows = rows_of(parts_of(path, 5000, engine=engine))
    assert [None if row["seq"] is None else int(row["seq"][-8:], 16) for row in rows] == [
        None if number in bad else number % 3 for number in range(120)
    ]
    data = bytearray(path.read_bytes())
    place = lldf.HEADER[0].offset + 60 * (len(records[0]) + 4)
    data[place : place + 4] = b"\x00\x00\x00\x00"
    path.write_bytes(data)
    with pytest.raises(FramingError, match=r"record 60 at .*LMP-F00"):
        rows_of(parts_of(path, 5000, engine=engine))
