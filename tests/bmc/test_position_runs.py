"""Position runs: the number of a change among those with its position is the same from every engine, part and extract.

`expected` counts over the list of changes that were written, without the code under test.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.position_runs import PositionRuns
from lmparse.changes.schemas import changes_schema
from lmparse.framing.framings import framing_of
from lmparse.framing.index import windows
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
        rows = [row for batch in arrow.part_batches(part, schema, with_changes=True) for row in batch.to_pylist()]
        assert [row["seq"] and int(row["seq"][-8:], 16) for row in rows] == [0, 1, 2, 3, 0, None, 2, 3, 0, 1, 2, 3]
