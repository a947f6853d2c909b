"""Several extracts of one Log Master log give the changes of the whole log, once, cut anywhere between changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from amounts import amount
from bmc_extracts import ALL, by_column, by_parts, by_record, example, unit
from writers.bmc import control, framing, lldf, logs
from writers.bmc.control import Table
from writers.bmc.logs import changed, field, opened
from writers.bmc.rows import Column

import lmparse
from lmparse import cli
from lmparse.errors import FramingError, TableNotFoundError


def test_a_log_cut_at_record_boundaries(tmp_path: Path) -> None:
    """Cut between segments of one change, it is refused."""
    cut = example(tmp_path)
    size = len(cut.data)
    segments = [place for place, one in enumerate(cut.data) if field(one, "totalsegs") != b"\0\1"]
    for place in range(1, size, amount(2, 1)):
        paths = cut.files((place, size), (0, place))
        if segments[0] < place <= segments[-1]:
            with pytest.raises(FramingError, match="has the range, and not the same bytes, of a record"):
                by_column(paths)
        else:
            assert cut.wrong(paths, (by_record, by_column, by_parts)[place % 3]) == []


# -- what is said ---------------------------------------------------------------------------


def printed(paths: Sequence[Path], capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, int, str]:
    """Exit code, number of lines and messages of `lmparse changes`."""
    words = [*map(str, paths), "--control", str(paths[0].parent / "{stem}.ctl"), *options]
    code = cli.main(["changes", *words])
    out, err = capsys.readouterr()
    return code, len(out.splitlines()), err


def test_what_is_twice_and_what_cannot_be_tested_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = example(tmp_path)
    size = len(cut.data)
    first, second = cut.files((0, 9), (9, size))
    code, _, said = printed([second, first], capsys)
    assert code == 0
    begins = f"its first change is at {field(cut.data[9], 'loglrsn').hex().upper()}"
    assert f"whether changes are missing between {first} and {second} cannot be tested: nothing states where" in said
    assert begins in said
    paths = cut.files((0, 20), (8, size))
    _, _, said = printed(paths, capsys)
    assert f"records of {paths[1]} that another extract gives: 10" in said
    assert "missing" not in said  # changes of units that have ended before are in both


def test_a_unit_that_took_changes_back_must_be_whole_where_its_end_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which of its changes stay, only LOGRECDISP of an extract with its end says."""
    cut = example(tmp_path)
    place = next(n for n, one in enumerate(cut.data) if unit(one) == unit(cut.data[0])) + 1
    later = [changed(one, uorhascomp=b"\xe8") if unit(one) == unit(cut.data[0]) else one for one in cut.data[place:]]
    first = cut.write(tmp_path / "first", opened(cut.data[:place], later))
    second = cut.write(tmp_path / "second", later)
    code, count, said = printed([first, second], capsys)
    assert (code, count) == (20, 0)
    assert "took changes back later (UORHASCOMP)" in said
    repeated = cut.write(tmp_path / "repeated", [changed(cut.data[0], uorhascomp=b"\xe8"), *later])
    assert printed([first, repeated], capsys)[:2] == (0, printed([repeated], capsys)[1])


def test_an_older_header_has_no_room_for_the_outcome(tmp_path: Path) -> None:
    """RBA of six bytes before an update of Log Master; today's form behind it."""
    new, old = logs.example(), logs.example(lines=tuple(lldf.narrow()))
    later = [unit(one) for one in new.data_records[3:]]
    place = next(line for line in lldf.narrow() if line.name == "UORDISP").position
    records = [
        one[:place] + b"\x40" + one[place + 1 :] if unit(new.data_records[number]) in later else one
        for number, one in enumerate(old.data_records[:3])
    ]
    (tmp_path / "a.dat").write_bytes(framing.rdw(records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(old.control_records))
    (tmp_path / "b.dat").write_bytes(framing.rdw(new.data_records[3:]))
    (tmp_path / "b.ctl").write_bytes(framing.rdw(new.control_records))
    for read in (by_record, by_column):
        with pytest.raises(lmparse.FramingError, match="has no room in this header") as caught:
            read([tmp_path / "a.dat", tmp_path / "b.dat"], **ALL)
        assert caught.value.code == "LMP-F013"


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["row", "table", "unit", "segment", "outcome", "system"])
def test_extracts_that_are_not_of_one_log(what: str, tmp_path: Path) -> None:
    cut = example(tmp_path)
    size, described = len(cut.data), cut.control
    first, second = cut.files((0, 20), (3, size))
    records = cut.data[3:]
    if what == "row":
        records[12] = records[12][:-1] + b"?"
    elif what == "table":
        records[12] = changed(records[12], tbobid=b"\x11\x11")
    elif what == "unit":
        records[12] = changed(records[12], uorid=bytes.fromhex("00000000000012345678"))
    elif what == "segment":
        records[0] = records[0][:-1] + b"?"
    elif what == "outcome":
        cut.write(first, [changed(cut.data[0], uordisp=b"\x40"), *cut.data[1:3]])
        records = [changed(cut.data[4], uorid=field(cut.data[0], "uorid"), uordisp=code) for code in (b"\xc1", b"\xc3")]
        records[1] = changed(records[1], memberid=field(cut.data[0], "memberid"))
        records[0] = changed(records[0], memberid=field(cut.data[0], "memberid"), rid=b"\x01")
    else:
        described = [control.xtyp(CNTLFILESYSID="DB2Z"), *cut.control[1:]]
    cut.write(second, records, described)
    for read in (by_record, by_column):
        with pytest.raises(FramingError) as found:
            read([first, second], **ALL)
        assert found.value.code == "LMP-F013"
        assert found.value.file in (str(first), str(second))


def test_a_record_that_log_master_could_not_complete_is_not_compared(tmp_path: Path) -> None:
    cut = example(tmp_path)
    size = len(cut.data)
    first, second = cut.files((0, 20), (3, size))
    bad = changed(cut.data[15], incompletetrans=b"\xe8")[:-1] + b"?"
    cut.write(first, opened([*cut.data[:15], bad, *cut.data[16:20]], cut.data[20:]))
    assert cut.wrong([first, second], by_column) == []


# -- other ways to read -------------------------------------------------------------------------


def test_one_table_of_extracts(tmp_path: Path) -> None:
    """Only one of them has changes of it."""
    cut = example(tmp_path)
    paths = cut.files((10, len(cut.data)), (0, 3))
    rows = [row for row in cut.rows if row["table_name"] == "ITEMS"]
    for read in (by_record, by_column, by_parts):
        found = read(paths, table="PROD.ITEMS", **ALL)
        assert {row["seq"] for row in found} <= {row["seq"] for row in rows}
        assert found
    with pytest.raises(lmparse.TableNotFoundError):
        by_record(paths, table="PROD.NOTHING")
    log = lmparse.open_log(paths, control=str(paths[0].parent / "{stem}.ctl"), table="PROD.ITEMS", **ALL)
    assert sorted(log.to_table().column("seq").to_pylist()) == sorted(row["seq"] for row in found)


@pytest.fixture
def altered(tmp_path: Path) -> list[str]:
    return some_altered(tmp_path, 1, 1)


def some_altered(folder: Path, *sequences: int) -> list[str]:
    """Two extracts of a table, of which the second has a column more, with the numbers of their versions."""
    paths = []
    columns = (Column("NO", "INT", 4), Column("NEW", "CHAR", 5))
    for number in (1, 2):
        table = Table(0x0105, 2, 3, "PROD", "ITEMS", columns[:number], sequence=sequences[number - 1])
        writer, place = logs.Writer([table]), f"{0x00DE123456780000 + number:020X}"
        row = {"NO": number, "NEW": "x"} if number == 2 else {"NO": number}
        writer.add(logs.Unit(number), table, "I", after=row, log_rba=place, log_lrsn=place)
        made = writer.example()
        (folder / f"n{number}.ctl").write_bytes(framing.rdw(made.control_records))
        (folder / f"n{number}.dat").write_bytes(framing.rdw(made.data_records))
        paths.append(str(folder / f"n{number}.dat"))
    return paths


KEYS = {
    "K": (Column("K", "INT", 4, key_seq=1), Column("V", "VCHR", 9)),
    "V": (Column("K", "INT", 4), Column("V", "VCHR", 9, key_seq=1)),
}


def two_extracts(folder: Path, *versions: Sequence[Column]) -> list[str]:
    """An extract for each version of a table; control files give all of them one number."""
    paths = []
    for number, columns in enumerate(versions, 1):
        table, place = Table(0x0105, 2, 3, "PROD", "ITEMS", tuple(columns)), f"{0x00DE123456780000 + number:020X}"
        writer = logs.Writer([table])
        writer.add(logs.Unit(number), table, "I", after={"K": number, "V": "a"}, log_rba=place, log_lrsn=place)
        made = writer.example()
        (folder / f"n{number}.ctl").write_bytes(framing.rdw(made.control_records))
        (folder / f"n{number}.dat").write_bytes(framing.rdw(made.data_records))
        paths.append(str(folder / f"n{number}.dat"))
    return paths


def test_a_table_that_one_extract_has_without_a_description(tmp_path: Path) -> None:
    """It has no versions, and is not a table that is not there; of that, the tables of all extracts are named."""
    first, second = two_extracts(tmp_path, KEYS["K"], KEYS["K"])
    data = bytearray(Path(second).read_bytes())
    data[4 + 6 : 4 + 8] = b"\x01\x09"  # DBID
    Path(second).write_bytes(data)
    options = {"control": f"{tmp_path}/{{stem}}.ctl"}
    log = lmparse.open_log([first, second], table="0109.0002.0003", **options)
    for found in (log.to_reader().read_all().to_pylist(), log.changes()):
        assert [row["seq"][40:60] for row in found] == [f"{0x00DE123456780002:020X}"]
    with pytest.raises(TableNotFoundError) as caught:
        [*lmparse.open_log([first, second], table="PROD.NONE", **options).changes()]
    assert caught.value.hint == "tables: PROD.ITEMS (DB2A.0105.0002.0003), PROD.ITEMS (DB2A.0109.0002.0003)"


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
@pytest.mark.parametrize("name", ["ITEMS", "NONE"])
def test_damage_in_front_of_a_table_is_reported_at_its_place(
    name: str, engine: str, altered: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Not where the table is looked for: changes in front of it are printed."""
    path = Path(altered[1])
    path.write_bytes(path.read_bytes() + bytes(20))
    options = ["--control", f"{tmp_path}/{{stem}}.ctl", "--framing", "rdw", "--engine", engine]
    for files in (altered, altered[1:]):
        found = []
        for table in ([], ["--table", "0105.0002.0003"], ["--table", f"PROD.{name}"]):
            assert cli.main(["changes", *files, *options, *table])
            said = capsys.readouterr()
            assert "LMP-F007" in said.err
            found.append([json.loads(line)["after"]["NO"] for line in said.out.splitlines()])
        assert found == [[1, 2][-len(files) :]] * 2 + ([[1, 2][-len(files) :]] if name == "ITEMS" else [[]])
