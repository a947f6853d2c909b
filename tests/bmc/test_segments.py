"""Segments: a change in several records is one change, and what is missing is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
from lmparse.logs import arrow
from lmparse.logs.arrow import part_rows
from lmparse.logs.families import read_options
from lmparse.logs.partitions import Request

WIDE = Table(0x0105, 2, 3, "PROD", "WIDE", (Column("NO", "INT", 4), Column("TEXT", "CHAR", 60)))


def row(number: int) -> dict[str, Any]:
    return {"NO": number, "TEXT": f"row {number}"}


def update(writer: logs.Writer, number: int, segments: int, **header: Any) -> list[tuple[bytes, Any]]:
    """The records of an update, to be placed."""
    after = {"NO": number, "TEXT": f"changed {number}"}
    return writer.pieces(logs.Unit(1), WIDE, "UB", row(number), after, segments=segments, **header)


def opened(folder: Path, writer: logs.Writer, framing: str = "rdw", **options: Any) -> Any:
    log = writer.example()
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(enc.framed(framing, log.data_records).data)
    ctl.write_bytes(enc.rdw(log.control_records))
    return lmparse.open_log(data, control=ctl, **options)


def shown(log: Any) -> list[tuple[str, int, int]]:
    """Operation, number of the row, and record index of each change."""
    return [
        (change["op"], (change["after"] or change["before"])["NO"], change["_metadata"]["record_index"])
        for change in log.changes()
    ]


def put_all(writer: logs.Writer, pieces: Sequence[tuple[bytes, Any]]) -> None:
    for piece in pieces:
        writer.put(*piece)


# whole


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("segments", [2, 3, 5])
def test_a_change_of_several_segments_is_one_change(segments: int, base: Any, tmp_path: Path) -> None:
    writer = logs.Writer([WIDE], logs.Options(base=base))
    put_all(writer, update(writer, 7, segments))
    expected = writer.example().expected
    (change,) = opened(tmp_path, writer).changes()
    where = change.pop("_metadata")
    assert [change] == expected
    assert where["record_index"] == segments - 1
    assert where["record_length"] == sum(map(len, writer.records))


@pytest.mark.parametrize("framing", ["rdw", "bdw", "vbs", "bdw-vbs", "zosmf", "glued"])
def test_groups_may_stand_inside_each_other(framing: str, tmp_path: Path) -> None:
    writer = logs.Writer([WIDE])
    first, second = update(writer, 1, 3), update(writer, 2, 3)
    put_all(writer, [first[0], second[2], first[2], second[0], first[1], second[1]])
    log = opened(tmp_path, writer, framing)
    assert shown(log) == [("U", 1, 4), ("U", 2, 5)]
    changes = list(log.changes())
    assert [(change["before"]["TEXT"], change["after"]["TEXT"]) for change in changes] == [
        ("row 1", "changed 1"),
        ("row 2", "changed 2"),
    ]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("log_rba", ("00000000000000000001", "00000000000000000002")),
        ("log_lrsn", ("00000000000000000001", "00000000000000000002")),
        ("uor_id", ("00000000000000000001", "00000000000000000002")),
        ("rid", ("0000000001", "0000000002")),
        ("member_id", (1, 2)),
    ],
)
def test_segments_belong_together_by_every_part_of_their_key(field: str, values: Any, tmp_path: Path) -> None:
    writer = logs.Writer([WIDE])
    same = {"log_rba": "0A" * 10, "log_lrsn": "0B" * 10, "uor_id": "0C" * 10, "rid": "0D" * 5, "member_id": 1}
    groups = [update(writer, number, 2, **{**same, field: value}) for number, value in enumerate(values)]
    put_all(writer, [groups[0][0], groups[1][0], groups[0][1], groups[1][1]])
    assert shown(opened(tmp_path, writer)) == [("U", 0, 2), ("U", 1, 3)]


# missing


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_the_segments_beside_a_missing_one_are_named(missing: int, base: Any, tmp_path: Path) -> None:
    writer = logs.Writer([WIDE], logs.Options(base=base))
    put_all(writer, update(writer, 1, 3))
    pieces = update(writer, 2, 3)
    put_all(writer, [piece for number, piece in enumerate(pieces) if number != missing])
    writer.add(logs.Unit(1), WIDE, "I", after=row(3))
    log = opened(tmp_path, writer)
    assert shown(log) == [("U", 1, 2), ("I", 3, 5)]
    (error,) = log.tally.errors
    assert (error.code, error.record_index, error.field) == ("LMP-R004", 3, "seg_num")
    first, second = (number + base for number in range(3) if number != missing)
    assert error.message == f"a segment is missing: segments {first}, {second} of 3 are there"
    rba = f"{0x12345000 + 0x200:020X}"
    assert rba in error.hint
    assert log.tally.dropped == 2


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_missing_segment_is_named_where_damage_ends_the_log(engine: str, tmp_path: Path) -> None:
    """It is a bad record as those behind which the log goes on, however the log is cut into parts."""
    writer = logs.Writer([WIDE])
    put_all(writer, update(writer, 1, 3)[1:])
    for number in range(2, 30):
        writer.add(logs.Unit(1), WIDE, "I", after=row(number))
    opened(tmp_path, writer)
    data = (tmp_path / "a.dat").read_bytes()
    (tmp_path / "a.dat").write_bytes(data[:-10])
    for part_bytes in (1 << 30, 3000):
        request = Request((str(tmp_path),), read_options({"engine": engine}), True, part_bytes, "*.dat")
        parts = list(request.parts())
        assert (len(parts) > 1) is (part_bytes == 3000)
        schema = arrow.request_schema(request)
        batches = [
            batch for part in parts for batch in part_rows(part, schema, (), with_changes=True, say=lambda text: None)
        ]
        rows = [found for batch in batches for found in batch.to_pylist()]
        codes = [fault["code"] for found in rows for fault in found["_corrupt_fields"] or ()]
        assert codes == ["LMP-R004", "LMP-F006"]
        assert len(rows) == 27 + 2


# too many


def test_a_segment_met_twice_is_named_and_the_change_is_kept(tmp_path: Path) -> None:
    writer = logs.Writer([WIDE])
    pieces = update(writer, 1, 3)
    put_all(writer, [pieces[0], pieces[1], pieces[1], pieces[2]])
    log = opened(tmp_path, writer)
    assert shown(log) == [("U", 1, 3)]
    (error,) = log.tally.errors
    assert (error.code, error.field, error.found, error.record_index) == ("LMP-R005", "seg_num", "2", 2)
    assert error.record_offset == enc.framed("rdw", writer.records).offsets[2]


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (0, 1, 2, 3), (1, 2, 3)], ids=str)
def test_segments_of_several_changes_with_one_key_are_bad_records(order: tuple[int, ...], tmp_path: Path) -> None:
    """Mixed, one behind the other, or without the beginning of the first: nothing tells which belong together."""
    writer = logs.Writer([WIDE])
    same = {"log_rba": "0A" * 10, "log_lrsn": "0B" * 10, "rid": "0D" * 5}
    pieces = [piece for number in (1, 2) for piece in update(writer, number, 2, **same)]
    put_all(writer, [pieces[number] for number in order])
    put_all(writer, update(writer, 3, 2))
    log = opened(tmp_path, writer)
    assert [number for _, number, _ in shown(log)] == [3]
    assert [(error.code, error.record_index) for error in log.tally.errors] == [
        ("LMP-R005", number) for number in range(len(order))
    ]
    assert log.tally.dropped == len(order)


def test_a_bad_segment_takes_its_change_with_it_and_nothing_else(tmp_path: Path) -> None:
    writer = logs.Writer([WIDE])
    put_all(writer, update(writer, 1, 3))
    put_all(writer, update(writer, 2, 2))
    writer.records[1] = b"\xff\xff" + writer.records[1][2:]  # LENGTH
    log = opened(tmp_path, writer)
    assert shown(log) == [("U", 2, 4)]
    assert [error.record_index for error in log.tally.errors] == [1]
    assert log.tally.dropped == 3


def test_what_is_left_out_needs_no_whole_change_but_is_still_checked(tmp_path: Path) -> None:
    writer = logs.Writer([WIDE])
    aborted = logs.Unit(2, disposition="A")
    pieces = writer.pieces(aborted, WIDE, "UB", row(1), row(2), segments=2)
    writer.put(*pieces[0])
    log = opened(tmp_path, writer)
    assert list(log.changes()) == []
    assert [error.code for error in log.tally.errors] == ["LMP-R004"]
