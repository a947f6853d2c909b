"""Position runs: the number of a change among those with its position is the same from every engine, part and extract.

`expected` counts over the list of changes that were written, without the code under test.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amounts import amount
from writers.bmc import framing as enc
from writers.bmc import lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.position_runs import PositionRuns
from lmparse.changes.schemas import changes_schema
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
from lmparse.framing.windows import Window
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import Request
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
    folder.mkdir(exist_ok=True)
    (folder / "a.dat").write_bytes(logs.as_file(records, framing, **more))
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
        for batch in arrow.part_batches(part, schema, with_changes=True):
            for row in batch.to_pylist():
                assert row["seq"] is not None, row
                assert row["before"]["NO"] not in found, "a change in two parts"
                found[row["before"]["NO"]] = int(row["seq"][-8:], 16)
    return found


# one record at a time and windows


def one_by_one(records: Sequence[bytes]) -> list[int]:
    runs = PositionRuns(PLACES)
    return [runs.number(record) for record in records]


def by_windows(records: Sequence[bytes], size: int) -> list[int]:
    runs, data = PositionRuns(PLACES), enc.rdw(records)
    found = windows(framing_of("rdw"), data, max_records=size)  # type: ignore[arg-type]
    return [int(number) for window in found for number in runs.numbers(window)]


@pytest.mark.parametrize("seed", range(6))
def test_windows_number_as_one_by_one(seed: int) -> None:
    """Over random short fields, so that runs, segments, twins and records without a position are frequent."""
    chance = random.Random(seed)
    for _ in range(amount(15, 300)):
        records = [
            bytes([0, chance.randrange(2), 0, chance.choice((0, 0, 1)), chance.randrange(2), chance.randrange(4)])[
                : chance.choice((6, 6, 6, 6, 3))
            ]
            + bytes(chance.randrange(3))
            for _ in range(chance.randrange(1, 60))
        ]
        for size in (1, 2, 7, 100):
            assert by_windows(records, size) == one_by_one(records)


def test_what_counts_and_what_does_not() -> None:
    whole, other, segment, short = bytes(6), bytes([0, 1, 0, 0, 0, 0]), bytes([0, 0, 0, 0, 0, 2]), bytes(3)
    assert one_by_one([whole, whole, other, whole]) == [0, 1, 0, 0]
    assert one_by_one([whole, segment, segment, whole]) == [0, 1, 1, 2]
    assert one_by_one([segment, segment, segment, segment]) == [0, 0, 1, 1]  # a change of two, twice
    assert one_by_one([whole, short, whole]) == [0, 0, 0]
    assert PositionRuns(PLACES).numbers(next(windows(framing_of("rdw"), enc.rdw([short])))).tolist() == [0]


def test_a_header_without_some_of_the_fields() -> None:
    runs = PositionRuns({"log_rba": (0, 10)})
    assert [runs.number(bytes(10)), runs.number(bytes(12)), runs.number(bytes(9))] == [0, 1, 0]
    window = next(windows(framing_of("rdw"), enc.rdw([bytes(10), b"\1" + bytes(9), b"\1" + bytes(11)])))
    assert np.array_equal(PositionRuns({"log_rba": (0, 10)}).numbers(window), [0, 0, 1])


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
@pytest.mark.parametrize("framing", ["rdw", "bdw", "vbs", "zosmf"])
def test_seq_is_the_same_by_every_framing(framing: str, engine: str, tmp_path: Path) -> None:
    planned = plan(4, 400, 0.7, 0)
    options: dict[str, Any] = {"block_size": 4000} if framing == "bdw" else {}
    path = written(tmp_path, planned, framing, **options)
    parts = list(asked(path, max_bytes=20_000).parts())
    assert len(parts) > 3
    assert numbers_in(path, engine, 20_000) == expected(planned)


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


def seqs_in(path: Path, engine: str, **more: Any) -> list[str]:
    """`seq` of the changes of a file in one part, from one engine."""
    named = {"control": str(path.with_suffix(".ctl")), "engine": engine, **more}
    log = open_changes(str(path), Options.parse(named))
    schema = changes_schema(log.all_versions())
    return [seq for batch in arrow.change_batches(log, schema) for seq in batch.column("seq").to_pylist()]


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_seq_in_commit_order_and_as_the_end_of_a_range(engine: str, tmp_path: Path) -> None:
    planned = plan(9, 50, 0.6, 0.2)
    path = written(tmp_path, planned)
    every = seqs_in(path, engine)
    assert seqs_in(path, engine, order="commit") == every == sorted(every)
    assert len(set(every)) == len(planned)
    middle = every[20:30]
    assert seqs_in(path, engine, starting_seq=middle[0], ending_seq=middle[-1]) == middle


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
        rows = [row for batch in arrow.part_batches(part, schema, with_changes=True) for row in batch.to_pylist()]
        assert [row["seq"] and int(row["seq"][-8:], 16) for row in rows] == [0, 1, 2, 3, 0, None, 2, 3, 0, 1, 2, 3]


def test_the_header_that_xhdf_describes(tmp_path: Path) -> None:
    lines = lldf.narrow()
    writer = logs.Writer([TABLE], logs.Options(lines=lines))
    planned = plan(3, 60, 0.6, 0)
    for change in planned:
        row = {"NO": change.number, "TEXT": "text"}
        narrow = {"log_rba": f"{change.position:020X}", "log_lrsn": f"{change.position:020X}"}
        writer.add(logs.Unit(1), TABLE, "I", after=row, **narrow)
    example = writer.example(header=logs.Options(lines=lines).header)
    (tmp_path / "a.dat").write_bytes(enc.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(enc.rdw(example.control_records))
    for engine in ("kaitai", "columnar"):
        assert [int(seq[-8:], 16) for seq in seqs_in(tmp_path / "a.dat", engine)] == [*expected(planned).values()]


@pytest.mark.parametrize("width", [1, 4, 8, 9])
def test_any_number_of_segments_that_a_header_claims(width: int) -> None:
    """One by one and by windows, whatever bits a described TOTALSEGS has."""
    places = {"log_rba": (0, 1), "member_id": (1, 1), "uor_id": (2, 1), "total_segs": (3, width)}
    for seed in range(200):
        chance = random.Random(seed)
        claims = (0, 1, 2, 3, (1 << 8 * width - 1), (1 << 8 * width) - 1, (1 << 8 * width) - 2)
        records = [
            bytes([chance.random() < 0.9, 0, 1]) + chance.choice(claims).to_bytes(width, "big") for _ in range(20)
        ]
        one_by_one = PositionRuns(places)
        expected = [one_by_one.number(raw) for raw in records]
        by_window, found = PositionRuns(places), list[int]()
        while len(found) < len(records):
            held = records[len(found) : len(found) + chance.randrange(1, 8)]
            starts = np.arange(len(held)) * len(held[0])
            data = np.frombuffer(b"".join(held), np.uint8)
            lengths = np.full(len(held), len(held[0]))
            found += by_window.numbers(Window(len(found), data, starts, lengths, starts)).tolist()
        assert found == expected
