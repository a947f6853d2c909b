"""Extracts of one log whose headers have different fields: changes and claims are those of the whole log."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_logs.log_master_readings import printed
from random_logs.log_master_units import Lines, Log, Piece, Scale, Statement, Unit, tables_of, wide

from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log

COMMIT = 35
"""Position behind which the unit ends."""


def extracts(folder: Path, forms: tuple[Lines, Lines], cut: int) -> tuple[list[Path], str]:
    """Three changes of one unit in two segments each, in two files cut behind some records; and their control files."""
    log = Log(Scale(is_sharing=False, has_short_lrsn=False), 1, list(forms))
    log.tables = tables_of(log.scale)
    unit = Unit(1, 10, COMMIT + 5, "C", 0)
    rows = {tick: {"K": tick, "V": "x" * 200} for tick in (20, 30, 40)}
    made = [Statement(tick, unit, log.tables[2], "I", (row,), 2, tick) for tick, row in rows.items()]
    log.pieces = [Piece(statement, segment) for statement in made for segment in range(statement.segments)]
    first = log.write(folder / "a.dat", log.pieces[:cut], 0, COMMIT)
    return [first, log.write(folder / "b.dat", log.pieces[cut:], 1, 200)], str(folder / "{stem}.ctl")


@pytest.mark.parametrize("cut", [3, 4])
@pytest.mark.parametrize("dropped", [("LOGLRSN",), ("UORCOMMITLRSN",), ("LOGLRSN", "RID", "UORCOMMITLRSN")])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_header_with_fewer_fields(dropped: tuple[str, ...], cut: int, tmp_path: Path, *, is_first: bool) -> None:
    """Segments of one change are in both, or one says how the unit ends without a field that the other has."""
    forms = (wide(*dropped), None) if is_first else (None, wide(*dropped))
    paths, control = extracts(tmp_path, forms, cut)
    for engine in ("kaitai", "columnar"):
        found = printed(paths, engine, control=control)
        assert [row["after"]["K"] for row in found.rows] == [20, 30, 40]
        assert found.errors == []
    report = account(*one_log(paths, read_options({"spec": "bmc_lldf", "control": control})))
    assert (report.error_count, report.differences) == (0, [])
