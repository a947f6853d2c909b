"""Parts of a logical log: what is cut from the bytes near the cuts gives what the whole file does, or an error."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import framing as enc
from writers.bmc import lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc import log_parts
from lmparse.changes.schemas import changes_schema
from lmparse.errors import FramingError
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options

TABLE = Table(0x0105, 2, 3, "PROD", "WIDE", (Column("NO", "INT", 4), Column("TEXT", "CHAR", 60)))


def inserts(writer: logs.Writer, positions: list[int]) -> list[bytes]:
    """The records of inserts at these positions, numbered in the column NO."""
    found = []
    for number, position in enumerate(positions):
        at = f"{position:020X}"
        row = {"NO": number, "TEXT": f"row {number}"}
        found += writer.pieces(logs.Unit(1), TABLE, "I", after=row, log_rba=at, log_lrsn=at)
    return [record for record, _ in found]


def put(folder: Path, records: list[bytes], writer: logs.Writer, segmented: str = "N") -> Path:
    (folder / "a.dat").write_bytes(enc.rdw(records))
    stated = writer.example(dlds_fields={"segmented": segmented}).control_records
    (folder / "a.ctl").write_bytes(enc.rdw(stated))
    return folder / "a.dat"


def parts_of(path: Path, max_bytes: int, **options: Any) -> list[FilePart]:
    named = Options.parse({"control": str(path.with_suffix(".ctl")), "framing": "rdw", **options})
    return list(Request((str(path),), named, True, max_bytes).parts())


def rows_of(parts: list[FilePart]) -> list[dict[str, Any]]:
    schema = changes_schema(open_changes(parts[0].path, parts[0].options).all_versions())
    schema = schema.remove(schema.get_field_index("_metadata"))
    batches = [batch for part in parts for batch in arrow.part_batches(part, schema, with_changes=True)]
    return pa.Table.from_batches(batches, schema).to_pylist()


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_a_run_longer_than_the_reach_is_not_cut(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_parts, "REACH", 5000)
    writer = logs.Writer([TABLE])
    path = put(tmp_path, inserts(writer, [*range(1, 40), *[40] * 100, *range(41, 100)]), writer)
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
    path = put(tmp_path, inserts(writer, positions), writer)
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
    path = put(tmp_path, apart(writer, 60), writer, "Y")
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
    path = put(tmp_path, damaged, writer)
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
