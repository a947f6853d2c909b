"""What tasks do beside their rows: bad records and reports in files, columns and types of a user schema."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, DataType, StructType
from writers.bmc import framing, logs

from lmparse.errors import DataError, InvalidValueError, OptionError
from lmparse.spark.source import LmparseSource

BAD_STAMP = b"\xff" * 17


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs: of the first, record 2 has no valid timestamp, and record 7 a wrong LENGTH; the second is cut short."""
    example, made = logs.example(), tmp_path_factory.mktemp("logs")
    records = list(example.data_records)
    records[2] = records[2][:60] + BAD_STAMP + records[2][77:]
    records[7] = b"\x7f\xff" + records[7][2:]
    for name, data in {"a": framing.rdw(records), "b": framing.rdw(example.data_records)[:-7]}.items():
        (made / f"{name}.dat").write_bytes(data)
        (made / f"{name}.ctl").write_bytes(framing.rdw(example.control_records))
    return made


Columns = dict[str, str | DataType]


def listed(*names: str) -> DataType:
    """The type of `_corrupt_fields` with some of its fields."""
    one = StructType()
    for name in names:
        one.add(name, "string")
    return ArrayType(one)


def read(folder: Path, schema: Columns | None = None, times: int = 1, **options: Any) -> list[dict[str, Any]]:
    """The rows of records; every part is read several times, as by tasks that are tried again."""
    given = {"path": str(folder), "spec": "bmc_lldf"} | {name: str(value) for name, value in options.items()}
    made = LmparseSource(given)
    reader = made.reader(made.schema() if schema is None else structure(schema))
    parts = reader.partitions()
    for _ in range(times):
        found = [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
    return found


def structure(columns: Columns) -> StructType:
    made = StructType()
    for name, type_ in columns.items():
        made.add(name, type_)
    return made


def lines(folder: Path, pattern: str) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text().splitlines()]


def test_bad_records_and_files_go_to_a_folder(folder: Path, tmp_path: Path) -> None:
    """Once, however often a task is tried; the rows are those that mode dropmalformed leaves."""
    bad = tmp_path / "new" / "bad"
    found = read(folder, times=2, badRecordsPath=bad, maxPartitionBytes=2000)
    assert found == read(folder, mode="dropmalformed")
    (run,) = bad.iterdir()
    value, record = lines(run, "bad_records/part-*.json")
    source = str(folder / "a.dat")
    assert (value["path"], value["record_index"], value["record"]) == (source, 2, None)
    assert value["fields"][0]["raw"] == BAD_STAMP.hex().upper()
    assert (value["values"]["timestamp"], value["values"]["dbid"]) == (None, found[0]["dbid"])
    assert value["reason"].startswith("timestamp: ")
    assert value["reason"].endswith("[LMP-V005]")
    data = (folder / "a.dat").read_bytes()
    assert (record["path"], record["record_index"], record["values"]) == (source, 7, None)
    place = slice(record["record_offset"], record["record_offset"] + record["record_length"])
    assert bytes.fromhex(record["record"]) == data[place]
    (cut,) = lines(run, "bad_files/part-*.json")
    assert (cut["path"], cut["code"]) == (str(folder / "b.dat"), "LMP-F006")
    assert cut["record_offset"] + cut["bytes_unread"] == (folder / "b.dat").stat().st_size
    assert {path.name[:5] for path in run.rglob("*") if path.is_file()} == {"part-"}
    read(folder / "a.dat", columns="dbid", badRecordsPath=tmp_path / "none")
    assert len(list((tmp_path / "none").rglob("*.json"))) == 1
    assert not list(tmp_path.rglob("_lmparse_*"))


def test_a_task_that_is_stopped_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    made = LmparseSource(
        {"path": str(folder / "a.dat"), "spec": "bmc_lldf", "badRecordsPath": str(tmp_path / "bad"),
         "reportPath": str(tmp_path / "report")}
    )  # fmt: skip
    reader = made.reader(made.schema())
    (part,) = reader.partitions()
    rows = reader.read(part)
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert list((tmp_path / "bad").iterdir()) == []
    assert not (tmp_path / "report").exists()
    (tmp_path / "full").write_text("a file")
    with pytest.raises(OptionError, match="LMP-S021"):
        read(folder, reportPath=tmp_path / "full")


def test_reports_add_up(folder: Path, tmp_path: Path) -> None:
    """Bytes to the sizes of the files, rows to those of the frame; a task that is tried again counts once."""
    report = tmp_path / "report"
    found = read(folder, times=2, reportPath=report, maxPartitionBytes=2000)
    rows = lines(report, "*/part-*.json")
    assert len(rows) == rows[0]["parts"] > 4
    assert {row["run"] for row in rows} == {next(report.iterdir()).name}
    assert [row["part"] for row in rows] == list(range(len(rows)))
    assert sum(row["rows"] for row in rows) == len(found)
    assert sum(row["bad_rows"] for row in rows) == 3
    for name in ("a.dat", "b.dat"):
        of_file = [row for row in rows if row["file"] == str(folder / name)]
        assert sum(row["bytes"] for row in of_file) == (folder / name).stat().st_size
    errors = {code: count for row in rows for code, count in row["errors"].items()}
    assert errors == {"LMP-V005": 1, "LMP-R001": 1, "LMP-F006": 1} or errors.keys() >= {"LMP-V005", "LMP-F006"}
    (damage,) = [row for row in rows if row["damage"]]
    assert "LMP-F006" in damage["damage"]
    assert 0 < damage["bytes_unread"] < damage["bytes"]
    read(folder, reportPath=report)
    assert len({row["run"] for row in lines(report, "*/part-*.json")}) == 2


def test_reports_have_what_was_left_out_and_noticed(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "logs"
    empty.mkdir()
    (empty / "a.dat").touch()
    shutil.copy(folder / "a.ctl", empty)
    shutil.copy(folder / "b.ctl", empty / "c.ctl")
    (empty / "c.dat").write_bytes(framing.rdw(logs.example().data_records))
    made = LmparseSource({"path": str(empty), "reportPath": str(tmp_path / "report")})
    reader = made.reader(made.schema())
    count = sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part))
    (found,) = lines(tmp_path / "report", "*/part-*.json")  # a file without a record is no part of the log
    example = logs.example()
    assert found["rows"] == count == len(example.expected)
    assert sum(found["left_out"].values()) == len(example.changes) - count > 0


def test_the_column_of_bad_records_has_a_name_of_ones_choice(folder: Path) -> None:
    named = read(folder, columns="dbid", columnNameOfCorruptRecord="broken")
    assert list(named[0]) == ["dbid", "broken", "_corrupt_fields", "_metadata"]
    assert [row["broken"] is not None for row in named].count(True) == 2
    columns: Columns = {"DBID": "long", "Broken": "string", "_corrupt_fields": listed("code")}
    as_text = read(folder, columns, columnNameOfCorruptRecord="broken")
    assert [row["Broken"] for row in as_text] == [row["broken"] and row["broken"].hex().upper() for row in named]
    assert [row["DBID"] for row in as_text] == [row["dbid"] for row in named]
    codes = [[[fault["code"] for fault in row["_corrupt_fields"] or ()] for row in rows] for rows in (as_text, named)]
    assert codes[0] == codes[1]
    assert sorted(map(len, codes[0]))[-3:] == [0, 1, 1]  # the bad timestamp is in no column that is read


def test_nothing_is_null_unsaid_in_a_schema_without_the_columns_for_it(folder: Path) -> None:
    """Without these columns what is bad is an error, which names its place and what to do."""
    one, hint = folder / "a.dat", "add the column _corrupt_fields to the schema"
    stamps: Columns = {"timestamp": "timestamp_ntz"}
    for columns, place in ((stamps, "record 2 at 0x"), (stamps | {"_corrupt_record": "binary"}, r"timestamp: ")):
        with pytest.raises(DataError, match=rf"{place}.*LMP-V005") as caught:
            read(one, columns)
        assert hint in str(caught.value.hint)
    with pytest.raises(DataError, match=r"b\.dat: record .*LMP-F006") as caught:
        read(folder, {"dbid": "integer"}, pathGlobFilter="b.*")
    assert hint in str(caught.value.hint)
    with pytest.raises(DataError, match="record 7 at") as caught:
        read(one, {"dbid": "integer"})
    rows = read(folder, {"dbid": "integer", "_corrupt_record": "binary"})
    assert [row["_corrupt_record"] is not None for row in rows].count(True) == 2
    assert len(read(folder, {"dbid": "integer"}, mode="dropmalformed")) == len(rows) - 2


@pytest.mark.parametrize("engine", ["columnar", "kaitai"])
def test_values_that_do_not_fit_the_type(folder: Path, engine: str, tmp_path: Path) -> None:
    """Permissive: null and listed; dropmalformed: no row; failfast: an error with file and record."""
    path, rows = folder / "a.dat", read(folder / "a.dat", columns="dbid", engine=engine)
    columns: Columns = {"dbid": "byte", "change_type": "string", "_corrupt_fields": listed("path", "code", "message")}
    found = read(path, columns, engine=engine)
    assert {row["dbid"] for row in found} == {None}
    assert [[fault["path"] for fault in row["_corrupt_fields"]] for row in found] == [
        ["length"] if number == 7 else ["dbid"] for number in range(len(rows))
    ]
    assert found[0]["_corrupt_fields"][0]["code"] == "LMP-V011"
    assert found[0]["_corrupt_fields"][0]["message"].endswith("expected a value of tinyint, found 261")
    assert read(path, columns, mode="dropmalformed", engine=engine) == []
    for given in (columns, {"dbid": "byte"}):
        mode = {"mode": "failfast"} if given is columns else {}
        with pytest.raises(InvalidValueError) as caught:
            read(folder / "b.dat", given, engine=engine, **mode)
        assert "b.dat: record 0 at 0x4: bmc_lldf.dbid: " in str(caught.value)
        assert str(caught.value).endswith("found 261 [LMP-V011]")
    assert read(path, columns, engine=engine, badRecordsPath=tmp_path / "bad") == []
    assert len(lines(tmp_path / "bad", "*/bad_records/*")) == len(rows)
    fits = read(path, columns | {"dbid": "decimal(5,1)"}, engine=engine)
    assert [row["dbid"] for row in fits] == [row["dbid"] for row in rows]


def fields(value: Any, names: Any) -> Any:
    """A row, or part of one, with the names that are in a pattern, and those names."""
    if isinstance(value, list):
        return [fields(one, names[0]) for one in value]
    return {name: fields(value[name.lower()], inside) for name, inside in names.items()} if value and names else value


PLACED = StructType().add("path", "string").add("OFFSET", "long")
OUTCOMES: tuple[tuple[dict[str, Any], Columns], ...] = (
    ({"_corrupt_fields": [{"CODE": None}]}, {"_corrupt_fields": listed("CODE")}),
    ({"_Corrupt_Fields": [{"path": None, "OFFSET": None}]}, {"_Corrupt_Fields": ArrayType(PLACED)}),
    ({"_metadata": {"Record_Index": None}}, {"_metadata": StructType().add("Record_Index", "long")}),
    ({"_METADATA": {"spec": None}}, {"_METADATA": StructType().add("spec", "string")}),
)
"""Columns with a part of what the source has in them, in any letter case: as a pattern of names, and as their type."""


@pytest.mark.parametrize("dbid", ["integer", "byte"])
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast", "badRecordsPath"])
@pytest.mark.parametrize("chosen", [*((number,) for number in range(4)), (0, 2), (1, 3)], ids=str)
def test_outcomes_with_a_part_of_their_fields(
    folder: Path, tmp_path: Path, chosen: tuple[int, ...], mode: str, dbid: str
) -> None:
    """What becomes of rows is the same as with all of them; their values are those parts."""
    path, whole = folder / "a.dat", LmparseSource({"path": str(folder / "a.dat"), "spec": "bmc_lldf"}).schema()
    full: Columns = {"dbid": dbid, "timestamp": "timestamp_ntz"}
    names: dict[str, Any] = {"dbid": None, "timestamp": None}
    cut = dict(full)
    for number in chosen:
        cut |= OUTCOMES[number][1]
        names |= OUTCOMES[number][0]
        full |= {name.lower(): whole[name.lower()].dataType for name in OUTCOMES[number][0]}
    done = []
    for columns in (full, cut):
        given = {"badRecordsPath": tmp_path / str(len(done))} if mode == "badRecordsPath" else {"mode": mode}
        try:
            rows: Any = read(path, columns, **given)
            done.append([fields(row, names) for row in rows] if columns is full else rows)
        except DataError as error:
            done.append(str(error))
        if mode == "badRecordsPath":
            done[-1] = (done[-1], lines(tmp_path, f"{len(done) - 1}/*/bad_records/*"))
    assert done[0] == done[1]


def test_a_listing_in_a_type_that_does_not_represent_it(folder: Path) -> None:
    """What cannot be listed is an error."""
    listing = ArrayType(StructType().add("offset", "decimal(1,0)"))
    columns: Columns = {"timestamp": "timestamp_ntz", "_corrupt_fields": listing}
    with pytest.raises(InvalidValueError, match=r"_corrupt_fields\[\].offset: .*\[LMP-V011\]"):
        read(folder / "a.dat", columns)
    assert len(read(folder / "a.dat", columns, mode="dropmalformed")) == len(read(folder / "a.dat")) - 2
