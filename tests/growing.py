"""Log Master logs of any size, each of which grows in one way: a shape. `bench/growth` measures them too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from writers.bmc import control, framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

Shape = Callable[[Path, int], tuple[Path, dict[str, Any]]]
"""From a folder and a size: the data file that it writes, and the options to read it with."""
COLUMNS = (Column("NO", "INT", 4), Column("SUM", "DEC", 7, 2), Column("NAME", "VCHR", 30_000))
ITEMS = Table(0x0105, 2, 3, "PROD", "ITEMS", COLUMNS)
UNIT = logs.Unit(1)


def _row(number: int, name: str = "a name") -> logs.Row:
    return {"NO": number, "SUM": "1.25", "NAME": name}


def _written(folder: Path, writer: logs.Writer, form: str = "rdw", *more: bytes) -> tuple[Path, dict[str, Any]]:
    log = writer.example(describe_header=False, indexes=False)
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(logs.as_file(log.data_records, form))
    first, *rest = log.control_records
    ctl.write_bytes(framing.rdw([first, *more, *rest]))
    return data, {"control": str(ctl), "include": "all"}


def rows_of_a_unit(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    for number in range(size):
        writer.add(UNIT, ITEMS, "UB", _row(number), _row(number + 1))
    return _written(folder, writer)


def open_units(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    for turn in range(2):
        for number in range(size):
            writer.add(logs.Unit(number % 60, "P"), ITEMS, "I", after=_row(turn))
    return _written(folder, writer)


def segments_of_a_change(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    for piece in writer.pieces(UNIT, ITEMS, "I", after=_row(1, "x" * 29_000), segments=size):
        writer.put(*piece)
    return _written(folder, writer)


def changes_in_pieces_side_by_side(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    pieces = [
        writer.pieces(UNIT, ITEMS, "I", after=_row(number), segments=2, **_position(number)) for number in range(size)
    ]
    for turn in (0, 1):
        for both in pieces:
            writer.put(*both[turn])
    return _written(folder, writer)


def missing_segments(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    for number in range(size):
        writer.put(*writer.pieces(UNIT, ITEMS, "I", after=_row(number), segments=2, **_position(number))[0])
    return _written(folder, writer)


def _position(number: int) -> dict[str, str]:
    return {"LOGRBA": f"{0x12301000 + number:020X}"}


def bad_records(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    writer.add(UNIT, ITEMS, "I", after=_row(1))
    record = writer.records[0]
    writer.records += [record[:-3]] * size
    return _written(folder, writer)


def tables(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    return _a_row_of_each(folder, [replace(ITEMS, tbobid=number + 1, name=f"ITEMS{number}") for number in range(size)])


def versions_of_a_table(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    made = [replace(ITEMS, sequence=number + 1, create_rba=f"{number:020X}") for number in range(size)]
    return _a_row_of_each(folder, made)


def _a_row_of_each(folder: Path, tables: list[Table]) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer(tables)
    for table in tables:
        writer.add(UNIT, table, "I", after=_row(1))
    return _written(folder, writer)


def unknown_control_records(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    writer.add(UNIT, ITEMS, "I", after=_row(1))
    return _written(folder, writer, "rdw", *[control.unknown("DTSI", b"abc")] * size)


def pieces_of_a_spanned_record(folder: Path, size: int) -> tuple[Path, dict[str, Any]]:
    writer = logs.Writer([ITEMS])
    for _ in range(3):
        writer.add(UNIT, ITEMS, "I", after=_row(1, "x" * (20 * size)))
    data, options = _written(folder, writer)
    data.write_bytes(framing.vbs(writer.records, 30))
    return data, options


SHAPES: dict[str, Shape] = {
    shape.__name__: shape
    for shape in (
        rows_of_a_unit, open_units, segments_of_a_change, changes_in_pieces_side_by_side, missing_segments, bad_records,
        tables, versions_of_a_table, unknown_control_records, pieces_of_a_spanned_record,
    )
}  # fmt: skip
