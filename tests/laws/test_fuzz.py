"""A log with one byte changed or without its end: what is before the damage is read, and every byte is accounted for.

`tests/fuzz` tries any bytes, and changes the cases in more ways.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amounts import examples
from fuzz.invariants import accounted, values_or_error
from hypothesis import given
from hypothesis import strategies as st
from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
from lmparse.logs.check import account
from lmparse.options import Options

COLUMNS = (
    Column("NO", "INT", 4),
    Column("NAME", "VCHR", 20, nulls="Y"),
    Column("SUM", "DEC", 7, 2, nulls="Y"),
    Column("DAY", "DATE", nulls="Y"),
)


def small_log() -> logs.Example:
    """A log of few records: an insert, an update in two segments with a delete between, a mass delete."""
    table = Table(0x0105, 2, 3, "PROD", "SMALL", COLUMNS)
    writer = logs.Writer([table])
    row = {"NO": 1, "NAME": "a name", "SUM": "1.25", "DAY": "2026-03-14"}
    nulls = {"NO": 2, "NAME": None, "SUM": None, "DAY": None}
    writer.add(logs.Unit(1), table, "I", after=row)
    pieces = writer.pieces(logs.Unit(1), table, "UB", row, nulls, segments=2)
    writer.put(*pieces[0])
    writer.add(logs.Unit(2, disposition="A"), table, "D", before=nulls)
    writer.put(*pieces[1])
    writer.add(logs.Unit(3), table, "DM", parts=[b"\x80\x00"])
    return writer.example(describe_header=False, indexes=False)


LOG = small_log()
DATA = {
    "rdw": enc.rdw(LOG.data_records),
    "bdw": enc.bdw(LOG.data_records, 800),
    "vbs": enc.vbs(LOG.data_records, 300),
    "bdw-vbs": enc.bdw_vbs(LOG.data_records, 500),
    "zosmf": enc.zosmf(LOG.data_records),
    "glued": enc.glued(LOG.data_records),
}
CONTROL = enc.rdw(LOG.control_records)

fewer = examples(30, 60, derandomize=True, database=None)  # where every example reads two files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fuzz")
    (path / "a.ctl").write_bytes(CONTROL)
    return path


def put(folder: Path, data: bytes) -> Path:
    path = folder / "a.dat"
    path.write_bytes(data)
    return path


# any bytes


# a good log with one byte changed


@pytest.mark.parametrize("framing", DATA)
@fewer
@given(data=st.data())
def test_a_log_with_one_byte_changed(folder: Path, framing: str, data: st.DataObject) -> None:
    damaged = bytearray(DATA[framing])
    place = data.draw(st.integers(0, len(damaged) - 1))
    damaged[place] ^= data.draw(st.integers(1, 255))
    path = put(folder, bytes(damaged))
    options: dict[str, Any] = {"control": str(folder / "a.ctl"), "framing": framing, "include": "all"}
    result = values_or_error(lambda: lmparse.open_log(path, **options).changes())
    if framing in ("rdw", "zosmf"):
        # What stands before the damage is not touched by it.
        starts = enc.framed(framing, LOG.data_records).starts
        before = [
            change["seq"] for change, last in whole_changes() if last + 1 < len(starts) and starts[last + 1] <= place
        ]
        assert [change["seq"] for change in result if isinstance(change, dict)][: len(before)] == before
    accounted(path, **options)


def whole_changes() -> list[tuple[dict[str, Any], int]]:
    """Every change with the index of its last record."""
    return list(zip(LOG.changes, LOG.last_records, strict=True))


# every byte of a good log


@pytest.mark.parametrize("cut", [1, 3, 700])
@pytest.mark.parametrize("framing", DATA)
def test_a_cut_log_is_accounted_for(framing: str, cut: int, tmp_path: Path) -> None:
    path, ctl = put(tmp_path, DATA[framing][:-cut]), tmp_path / "a.ctl"
    ctl.write_bytes(CONTROL)
    report = account(str(path), Options.parse({"control": str(ctl), "framing": framing}))
    assert report.is_accounted
    assert report.quarantined > 0
    assert report.error_count > 0
