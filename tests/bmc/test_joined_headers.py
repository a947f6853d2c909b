"""Extracts of one log whose headers have different fields: changes and claims are those of the whole log."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from random_logs.log_master_readings import Reading, expect_same, printed
from random_logs.log_master_units import Lines, Log, Piece, Scale, Statement, Unit, tables_of, wide

from lmparse import cli
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log

COMMIT = 35
"""Position behind which the unit ends."""


class OwnLogs(Scale):
    """Positions of members of a data sharing group whose RBAs are alike."""

    def rba(self, tick: int, member: int = 0) -> str:
        return super().rba(tick - 10 * member)


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


FORMS: dict[str, Lines] = {"": None} | {
    name: wide(*name.split()) for name in (
        "UORCOMMITLRSN", "UORCOMMITPOINT", "UORCOMMITTIMESTAMP", "UORHASCOMP", "UORCOMMITLRSN UORCOMMITPOINT",
    )
}  # fmt: skip


def ended(folder: Path, *names: str, member: int = 0) -> Reading:
    """Three changes of one unit in three extracts with forms of headers: the first calls it open, two state its end."""
    log = Log(Scale(is_sharing=bool(member), has_short_lrsn=False), 1, [FORMS[name] for name in names])
    log.tables = tables_of(log.scale)
    unit = Unit(1, 10, COMMIT + 5, "C", member)
    made = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in (20, 30, 38)]
    paths = [
        log.write(folder / f"{number}.dat", [Piece(statement, 0)], number, 200 if number else COMMIT)
        for number, statement in enumerate(made)
    ]
    read = [printed(paths, engine, control=str(folder / "{stem}.ctl")) for engine in ("columnar", "kaitai")]
    expect_same("engines", *read)
    found = read[0]
    assert (found.ended, found.errors, [row["after"]["K"] for row in found.rows]) == ("", [], [20, 30, 38])
    return found


@pytest.mark.parametrize("names", [*combinations_with_replacement(FORMS, 2)], ids=" | ".join)
def test_the_end_of_a_unit_is_put_together_from_all_headers(names: tuple[str, str], tmp_path: Path) -> None:
    """What one header lacks, another has; what none has is said."""
    found = ended(tmp_path, "", *names, member=1)
    lacked = set(names[0].split()) & set(names[1].split())
    first = found.rows[0]
    assert (first["commit_ts"] is None) == ("UORCOMMITTIMESTAMP" in lacked)
    assert first["seq"].startswith("F" * 20) == ({"UORCOMMITLRSN", "UORCOMMITPOINT"} <= lacked)
    said = {text.rsplit(" have no ", 1)[1] for text in found.notices if " have no " in text}
    assert said == lacked


@pytest.mark.parametrize("member", [0, 1])
def test_commits_that_cannot_be_ordered_with_each_other_are_said(member: int, tmp_path: Path) -> None:
    """Where nothing is shared, the LRSN is the RBA: then they can."""
    found = ended(tmp_path, "", "", "UORCOMMITLRSN", member=member)
    assert any("has no UORCOMMITLRSN, as other extracts have" in text for text in found.notices) == bool(member)
    assert (len({row["seq"][:20] for row in found.rows}) == 1) != bool(member)


@pytest.mark.parametrize("member", [0, 1])
def test_units_that_are_not_found_without_members_are_said(member: int, tmp_path: Path) -> None:
    log = Log(Scale(is_sharing=bool(member), has_short_lrsn=False), 1, [None, wide("MEMBERID")])
    log.tables = tables_of(log.scale)
    unit = Unit(1, 10, COMMIT + 5, "C", member)
    made = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in (20, 38)]
    paths = [log.write(tmp_path / f"{n}.dat", [Piece(made[n], 0)], n, 200 if n else COMMIT) for n in (0, 1)]
    found = printed(paths, "columnar", control=str(tmp_path / "{stem}.ctl"))
    assert (found.left_out == {"open": 1}) == bool(member)
    assert any("has no MEMBERID, as other extracts have" in text for text in found.notices) == bool(member)


@pytest.mark.parametrize("dropped", ["LOGLRSN", "MEMBERID", "UORCOMMITLRSN"])
@pytest.mark.parametrize("is_first", [True, False])
def test_changes_of_both_are_given_once_whatever_orders_them(dropped: str, tmp_path: Path, *, is_first: bool) -> None:
    """Without LOGLRSN, or MEMBERID, positions of the one are RBAs, and of the other LRSNs."""
    log = Log(Scale(is_sharing=True, has_short_lrsn=False), 1, [None, wide(dropped)])
    log.tables = tables_of(log.scale)
    unit = Unit(1, 10, COMMIT + 5, "C", 1)
    made = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in range(20, 26)]
    pieces = [Piece(statement, 0) for statement in made]
    one = log.write(tmp_path / "a.dat", pieces[:4], int(is_first), 200)
    other = log.write(tmp_path / "b.dat", pieces[2:], int(not is_first), 200)
    for engine in ("columnar", "kaitai"):
        found = printed([one, other], engine, control=str(tmp_path / "{stem}.ctl"))
        assert sorted(row["after"]["K"] for row in found.rows) == [20, 21, 22, 23, 24, 25]
        assert (found.ended, found.errors) == ("", [])


@pytest.mark.parametrize("dropped", [("MEMBERID", "LOGLRSN"), ("MEMBERID",), ("LOGLRSN",)])
def test_members_may_have_records_at_one_rba(dropped: tuple[str, ...], tmp_path: Path) -> None:
    """Each has a log of its own, which a header without MEMBERID and LOGLRSN does not tell from the other one."""
    log = Log(OwnLogs(is_sharing=True, has_short_lrsn=False), 1, [wide(*dropped), None])
    log.tables = tables_of(log.scale)
    paths = []
    for number, member in enumerate((1, 2)):
        unit = Unit(member, 10 * member, COMMIT + member, "C", member)
        ticks = (10 * member + 10, 10 * member + 11)
        made = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in ticks]
        paths.append(log.write(tmp_path / f"{number}.dat", [Piece(statement, 0) for statement in made], number, 200))
    for engine in ("columnar", "kaitai"):
        found = printed(paths, engine, control=str(tmp_path / "{stem}.ctl"), include="all")
        assert (found.ended, sorted(row["after"]["K"] for row in found.rows)) == ("", [20, 21, 30, 31])


@pytest.mark.parametrize("command", ["changes", "check"])
def test_headers_that_do_not_name_units_state_no_outcome(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Log(Scale(is_sharing=False, has_short_lrsn=False), 1, [wide("UORID")])
    log.tables = tables_of(log.scale)
    paths = []
    for number in (1, 2):
        unit = Unit(number, 10, COMMIT + number, "C", 0)
        made = Statement(20 + number, unit, log.tables[2], "I", ({"K": 1, "V": "x"},), 1, 1)
        paths.append(str(log.write(tmp_path / f"{number}.dat", [Piece(made, 0)], 0, 200)))
    assert cli.main([command, *paths, "--control", str(tmp_path / "{stem}.ctl")]) == 20
    said = "".join(capsys.readouterr())
    assert "found no uor_id" in said
    assert "another outcome" not in said


@pytest.mark.parametrize("shared", [0, 1])
def test_two_outcomes_of_a_unit_contradict_each_other_also_where_none_calls_it_open(
    shared: int, tmp_path: Path
) -> None:
    log = Log(Scale(is_sharing=False, has_short_lrsn=False), 1, [None])
    log.tables = tables_of(log.scale)
    units = [Unit(1, 10, 40, disposition, 0) for disposition in "CA"]
    paths = []
    for number, unit in enumerate(units):
        ticks = range(20 + number * (3 - shared), 23 + number * (3 - shared))
        made = [Statement(tick, unit, log.tables[2], "I", ({"K": tick, "V": "x"},), 1, tick) for tick in ticks]
        pieces = [Piece(statement, 0) for statement in made]
        paths.append(log.write(tmp_path / f"{number}.dat", pieces, 0, 200))
    pattern = str(tmp_path / "{stem}.ctl")
    for engine in ("columnar", "kaitai"):
        assert "states another outcome of unit of recovery" in printed(paths, engine, control=pattern).ended
    report = account(*one_log(paths, read_options({"spec": "bmc_lldf", "control": pattern})))
    assert any("states another outcome" in text for text in report.differences)


def test_two_headers_that_state_other_commits_contradict_each_other(tmp_path: Path) -> None:
    log = Log(Scale(is_sharing=False, has_short_lrsn=False), 1, [None, wide("UORCOMMITLRSN")])
    log.tables = tables_of(log.scale)
    units = [Unit(1, 10, end, "C", 0) for end in (40, 40, 41)]
    made = [Statement(20 + n, unit, log.tables[2], "I", ({"K": n, "V": "x"},), 1, n) for n, unit in enumerate(units)]
    paths = [log.write(tmp_path / f"{n}.dat", [Piece(made[n], 0)], n % 2, 200 if n else COMMIT) for n in range(3)]
    found = printed(paths, "columnar", control=str(tmp_path / "{stem}.ctl"))
    assert "states another outcome of unit of recovery 0000000000000050A001 [LMP-F013]" in found.ended
