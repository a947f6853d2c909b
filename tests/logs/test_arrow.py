"""Rows as Arrow batches, without Spark."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column as EncodedColumn

from lmparse import open_log
from lmparse.bmc.control.columns import Column
from lmparse.bmc.control.tables import TableVersion
from lmparse.changes.schemas import changes_schema, table_type
from lmparse.columnar.rows import BATCH_ROWS, batches
from lmparse.columnar.schemas import column_type, records_schema
from lmparse.errors import OptionError
from lmparse.logs.arrow import part_rows, record_rows, request_schema
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.partitions import FilePart, Request
from lmparse.options import Options
from lmparse.spec import catalog

OUTCOME = ["_corrupt_record", "_corrupt_fields", "_metadata"]


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, example: logs.Example) -> Path:
    """The example as `night.dat` and `night.ctl`."""
    folder = tmp_path_factory.mktemp("frames")
    (folder / "night.dat").write_bytes(framing.rdw(example.data_records))
    (folder / "night.ctl").write_bytes(framing.rdw(example.control_records))
    return folder


def request(path: Path, *, max_bytes: int = 1 << 30, with_changes: bool = True, **options: Any) -> Request:
    return Request((str(path),), Options.parse(options), with_changes, max_bytes)


def rows_of(asked: Request) -> list[dict[str, Any]]:
    """All rows of a request in the order of the file."""
    schema = request_schema(asked)
    found = [
        row
        for part in asked.parts()
        for batch in part_rows(part, schema, with_changes=asked.with_changes)
        for row in batch.to_pylist()
    ]
    return sorted(found, key=lambda row: int(row["_metadata"]["record_index"]))


# -- schemas --------------------------------------------------------------------------------


def test_columns_of_records_are_the_fields_of_their_spec() -> None:
    schema = records_schema("bmc_lldf")
    layout = catalog.load("bmc_lldf").layout
    assert schema.names == [*(entry.id for entry in layout for entry in with_parts(entry)), *OUTCOME]
    for entry in layout:
        comment = (schema.field(entry.id).metadata or {}).get(b"comment", b"").decode()
        assert comment == " ".join(entry.doc.split())


def with_parts(entry: Any) -> list[Any]:
    """A row id is shown whole and as page and row."""
    if entry.id != "rid":
        return [entry]
    return [entry, *(type(entry)(f"rid_{part}", None, None, "uint") for part in ("page", "row"))]


def test_chosen_columns_stand_in_the_order_asked_for() -> None:
    assert records_schema("bmc_lldf", ("rid_row", "length")).names == ["rid_row", "length", *OUTCOME]
    with pytest.raises(OptionError, match="no_such_field"):
        records_schema("bmc_lldf", ("no_such_field",))


def test_columns_of_changes_are_those_that_changes_prints(folder: Path) -> None:
    options = Options.parse({"control": str(folder / "night.ctl"), "header": True})
    log = open_changes(folder / "night.dat", options)
    row, schema = next(log.changes()), changes_schema(None, header=True, docs=log.column_docs())
    assert set(row) - set(schema.names) == set()
    assert set(schema.names) - set(row) == {"table_name_short", "_corrupt_record", "_corrupt_fields"}
    assert "header" not in changes_schema(None).names
    assert schema.field("before").type == schema.field("after").type == pa.string()
    assert all(schema.field(name).metadata for name in schema.names if name not in ("sql_type", "sql_src_type"))


def column(type_: str, length: int = 4, scale: int = 0, **given: Any) -> Column:
    known: dict[str, Any] = {"number": 1, "name": "C", "subtype": "", "nulls": "N", "loglog_bytes": None}
    return Column(**(known | {"type": type_, "length": length, "scale": scale} | given))


@pytest.mark.parametrize(
    ("given", "type_"),
    [
        (column("INT", 2), pa.int16()),
        (column("INT", 4), pa.int32()),
        (column("INT", 8), pa.int64()),
        (column("INT", 3), pa.binary()),
        (column("FLOT", 4), pa.float64()),
        (column("FLOT", 8), pa.float64()),
        (column("DEC", 5, 2), pa.decimal128(9, 2)),
        (column("DEC", 19, 0), pa.decimal128(37, 0)),
        (column("DEC", 20, 2), pa.string()),
        (column("DEC", 1, 3), pa.decimal128(3, 3)),
        (column("DATE", 10), pa.date32()),
        (column("TIME", 8), pa.string()),
        (column("DTTM", 26), pa.timestamp("us")),
        (column("DTTZ", 32), pa.string()),
        (column("ROWI", 17), pa.binary()),
        (column("CHAR", 6), pa.binary()),
        (column("BLOB", 0), pa.binary()),
        (column("CLOB", 0), pa.string()),
        (column("DBCL", 0), pa.string()),
        (column("XXXX", 7), pa.binary()),
    ],
    ids=lambda value: f"{value.type}{value.length}" if isinstance(value, Column) else "",
)
def test_types_of_columns(given: Column, type_: pa.DataType) -> None:
    assert column_type(given) == type_


# -- versions of one table ------------------------------------------------------------------


def version(sequence: int, *columns: Column) -> TableVersion:
    return TableVersion("DB2A", 0x105, 2, 3, sequence, columns)


def union(*columns: Column) -> pa.DataType:
    """The type of one column that has another form in each version."""
    versions = [version(number, entry) for number, entry in enumerate(columns, 1)]
    return table_type(versions).field("C").type


@pytest.mark.parametrize(
    ("first", "second", "type_"),
    [
        (column("INT", 2), column("INT", 8), pa.int64()),
        (column("INT", 8), column("INT", 4), pa.int64()),
        (column("DEC", 5, 2), column("DEC", 5, 4), pa.decimal128(11, 4)),
        (column("DEC", 3, 0), column("DEC", 2, 0), pa.decimal128(5, 0)),
        (column("FLOT", 4), column("FLOT", 8), pa.float64()),
        (column("CHAR", 4), column("VCHR", 9), pa.binary()),
    ],
    ids=["widened", "either way", "decimal", "whole digits", "float", "varying"],
)
def test_types_that_go_together(first: Column, second: Column, type_: pa.DataType) -> None:
    assert union(first, second) == union(second, first) == type_


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (column("INT", 4), column("DATE", 10)),
        (column("DATE", 10), column("DTTM", 26)),
        (column("INT", 4), column("DEC", 5, 2)),
        (column("DEC", 19, 0), column("DEC", 19, 30)),
    ],
    ids=["number and date", "date and timestamp", "integer and decimal", "beyond 38 digits"],
)
def test_types_that_do_not_go_together(first: Column, second: Column) -> None:
    with pytest.raises(OptionError) as caught:
        union(first, second)
    assert caught.value.code == "LMP-C008"
    assert "DB2A.0105.0002.0003 version 001" in caught.value.message
    assert "DB2A.0105.0002.0003 version 002" in caught.value.message
    assert "tableVersion" in str(caught.value.hint)


# -- rows -----------------------------------------------------------------------------------


def test_records_as_batches(folder: Path, example: logs.Example) -> None:
    rows = rows_of(request(folder / "night.dat", with_changes=False))
    expected = list(open_log(folder / "night.dat").records())
    assert len(rows) == len(expected) == len(example.data_records)
    for row, record in zip(rows, expected, strict=True):
        assert [row[name] for name in OUTCOME[:2]] == [None, None]
        assert {name: text(row[name]) for name in record} == record
    assert rows[0]["timestamp"] == datetime(2026, 3, 14, 10, 11, 1, 123)
    assert (rows[0]["rid"], rows[0]["rid_page"], rows[0]["rid_row"]) == (bytes.fromhex("0000010101"), 0x101, 1)


def text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value


def test_nested_fields_are_lists_of_structs(folder: Path) -> None:
    rows = rows_of(request(folder / "night.ctl", with_changes=False, spec="bmc_control"))
    keys = [row["dicl_key_info"] for row in rows if row["cntl_record_type"] == "DICL"]
    records = open_log(folder / "night.ctl", spec="bmc_control").records()
    assert keys == [row["dicl_key_info"] for row in records if row["cntl_record_type"] == "DICL"]
    assert keys[1] == [{"key_col": 1, "key_col_order": "A"}, {"key_col": 2, "key_col_order": "D"}]


def test_changes_of_a_table_as_batches(folder: Path, example: logs.Example) -> None:
    rows = rows_of(request(folder / "night.dat", table="PROD.ORDERS", include="all"))
    expected = [row for row in example.changes if row["table_name"] == "ORDERS"]
    assert [row["op"] for row in rows] == [row["op"] for row in expected]
    after = rows[0]["after"]
    assert {name: after[name] for name in ("ID", "AMOUNT", "RATIO", "BITS", "DAY", "AT", "STAMP", "NOTE", "PHOTO")} == {
        "ID": 1,
        "AMOUNT": Decimal("-0.01"),
        "RATIO": -118.625,
        "BITS": b"\x00\xff\x40\x01",
        "DAY": date(2026, 3, 14),
        "AT": "13:32:00",
        "STAMP": datetime(2026, 3, 14, 10, 11, 12, 123),
        "NOTE": "two  blanks ",
        "PHOTO": None,
    }
    assert (rows[0]["before"], rows[0]["table_name_short"]) == (None, False)
    nulls = {name for name, value in rows[1]["after"].items() if value is None}
    assert nulls == {entry.name for entry in logs.EVERY_TYPE if entry.nullable}


def test_a_batch_has_a_limit() -> None:
    rows = [{"n": number} for number in range(BATCH_ROWS + 1)]
    sizes = [batch.num_rows for batch in batches(rows, pa.schema([("n", pa.int64())]))]
    assert sizes == [BATCH_ROWS, 1]
    assert list(batches([], pa.schema([("n", pa.int64())]))) == []


@pytest.mark.parametrize(
    ("shown", "micros"),
    [
        ("1970-01-01T00:00:00.000001", 1),
        ("0001-01-01T00:00:00", -62_135_596_800_000_000),
        ("2026-03-14T24:00:00", 1_773_532_800_000_000),
        ("9999-12-31T24:00:00.000000", 253_402_300_799_999_999),
        ("1970-01-01T00:00:00.000001999999", 1),
    ],
)
def test_timestamps_at_the_edges(shown: str, micros: int) -> None:
    (batch,) = batches([{"t": shown}], pa.schema([("t", pa.timestamp("us"))]))
    assert batch.column("t").cast(pa.int64()).to_pylist() == [micros]


# -- bad ones -------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path, example: logs.Example) -> Path:
    """Record 2 has a timestamp that is none, record 12 a LENGTH that leads behind its end."""
    records = list(example.data_records)
    records[2] = records[2][:60] + b"\xff" * 17 + records[2][77:]
    records[12] = b"\x7f\xff" + records[12][2:]
    (tmp_path / "night.dat").write_bytes(framing.rdw(records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(example.control_records))
    return tmp_path / "night.dat"


@pytest.mark.parametrize("max_bytes", [1 << 30, 700])
def test_bad_records_are_rows_in_mode_permissive(damaged: Path, example: logs.Example, max_bytes: int) -> None:
    rows = rows_of(request(damaged, with_changes=False, max_bytes=max_bytes))
    assert [row["_metadata"]["record_index"] for row in rows] == list(range(len(example.data_records)))
    (fault,) = rows[2]["_corrupt_fields"]
    assert (fault["path"], fault["offset"], fault["raw"], fault["code"]) == ("timestamp", 60, "FF" * 17, "LMP-V005")
    assert rows[2]["timestamp"] is None
    assert rows[2]["dbid"] == 0x105
    assert rows[12]["_corrupt_record"] == b"\x7f\xff" + example.data_records[12][2:]
    assert [fault["path"] for fault in rows[12]["_corrupt_fields"]] == ["length"]
    assert rows[12]["dbid"] is None
    assert [row["_metadata"]["record_index"] for row in rows if row["_corrupt_fields"]] == [2, 12]


def test_a_bad_record_among_changes_is_a_row(damaged: Path, example: logs.Example) -> None:
    rows = rows_of(request(damaged, include="all"))
    assert len(rows) == len(example.changes)
    bad = [row for row in rows if row["_corrupt_record"]]
    assert [(row["_metadata"]["record_index"], row["op"], row["seq"]) for row in bad] == [(12, None, None)]
    assert bad[0]["_corrupt_record"] == b"\x7f\xff" + example.data_records[12][2:]
    value = next(row for row in rows if row["_metadata"]["record_index"] == 2)
    assert (value["op"], value["ts"]) == ("I", None)
    assert [(fault["path"], fault["code"]) for fault in value["_corrupt_fields"]] == [("timestamp", "LMP-V005")]


# -- parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in framing.KINDS if kind not in ("fixed", "bdw-extended")])
@pytest.mark.parametrize("with_changes", [True, False])
def test_parts_give_what_the_whole_gives(tmp_path: Path, example: logs.Example, kind: str, with_changes: bool) -> None:
    small = {"block_size": 1500} if kind in ("bdw", "bdw-vbs") else {}
    (tmp_path / "night.dat").write_bytes(logs.as_file(example.data_records, kind, **small))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(example.control_records))
    options = {"include": "all"} if with_changes else {}
    whole = request(tmp_path / "night.dat", with_changes=with_changes, **options)
    split = request(tmp_path / "night.dat", with_changes=with_changes, max_bytes=1500, **options)
    assert len(list(whole.parts())) == 1
    # Every block of the spanned file ends inside a record: no place is left to split it.
    assert (len(list(split.parts())) > 2) == (kind != "bdw-vbs")
    assert rows_of(split) == rows_of(whole)


def test_an_empty_log_is_one_part_without_rows(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "night.dat").touch()
    asked = request(tmp_path / "night.dat", control=str(folder / "night.ctl"))
    (part,) = asked.parts()
    assert isinstance(part, FilePart)
    assert rows_of(asked) == []
    full = request(folder / "night.dat", control=str(folder / "night.ctl"))
    assert request_schema(asked) == request_schema(full)


def test_what_two_files_of_a_request_have_is_read_once(tmp_path: Path, example: logs.Example) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.dat").write_bytes(framing.rdw(example.data_records))
        (tmp_path / f"{name}.ctl").write_bytes(framing.rdw(example.control_records))
    rows = rows_of(request(tmp_path, table="PROD.ITEMS"))
    expected = [row for row in example.expected if row["table_name"] == "ITEMS"]
    assert {Path(row["_metadata"]["file"]).name for row in rows} == {"one.dat"}
    assert len(rows) == len(expected)


def test_rows_need_no_spark(folder: Path) -> None:
    """Frames are made without Spark being imported."""
    program = (
        "import sys\n"
        "from lmparse.logs.arrow import record_rows\n"
        "from lmparse.columnar.schemas import records_schema\n"
        "from lmparse.logs.open import open_file\n"
        "from lmparse.options import Options\n"
        "rows = list(record_rows(open_file(sys.argv[1], Options()), records_schema('bmc_lldf')))\n"
        "print(len(rows), 'pyspark' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(folder / "night.dat")]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    count = len(list(record_rows(open_file(folder / "night.dat", Options()), records_schema("bmc_lldf"))))
    assert done.stdout.split() == [str(count), "False"]


# -- one table in several logs ----------------------------------------------------------------

COLUMNS = (EncodedColumn("NO", "INT", 4), EncodedColumn("NAME", "CHAR", 4))


def write_log(folder: Path, name: str, *tables: Table) -> None:
    """An extract of a log with one insert into each table; `two` is behind `one`."""
    writer, at = logs.Writer(tables), {"one": 10, "two": 20}[name]
    for number, table in enumerate(tables, 1):
        place = f"{at + number:020X}"
        after = {"NO": number, "NAME": "x"}
        writer.add(logs.Unit(at), table, "I", after=after, log_rba=place, log_lrsn=place)
    log = writer.example()
    (folder / f"{name}.dat").write_bytes(framing.rdw(log.data_records))
    (folder / f"{name}.ctl").write_bytes(framing.rdw(log.control_records))


def test_a_table_that_got_other_ids_is_one_by_its_name(tmp_path: Path) -> None:
    """It was dropped and made again between two logs."""
    write_log(tmp_path, "one", Table(psid=2, tbobid=3, columns=COLUMNS))
    write_log(tmp_path, "two", Table(psid=8, tbobid=9, columns=COLUMNS))
    assert len(rows_of(request(tmp_path, table="PROD.ORDERS"))) == 2
    assert len(rows_of(request(tmp_path, table="0105.0008.0009"))) == 1


def test_a_name_that_is_ambiguous_in_one_log_of_several_is_an_error(tmp_path: Path) -> None:
    first, second = Table(psid=2, tbobid=3, columns=COLUMNS), Table(psid=8, tbobid=9, columns=COLUMNS)
    write_log(tmp_path, "one", first)
    write_log(tmp_path, "two", first, second)
    with pytest.raises(OptionError, match="ambiguous") as caught:
        rows_of(request(tmp_path, table="PROD.ORDERS"))
    assert caught.value.code == "LMP-C005"


def test_a_name_that_means_another_table_in_each_log_is_an_error(tmp_path: Path) -> None:
    write_log(tmp_path, "one", Table(owner="PROD", columns=COLUMNS))
    write_log(tmp_path, "two", Table(owner="TEST", tbobid=9, columns=COLUMNS))
    assert len(rows_of(request(tmp_path, table="TEST.ORDERS"))) == 1
    with pytest.raises(OptionError, match="ambiguous") as caught:
        rows_of(request(tmp_path, table="ORDERS"))
    assert caught.value.code == "LMP-C005"


def test_a_table_in_none_of_several_logs_is_an_error(tmp_path: Path) -> None:
    write_log(tmp_path, "one", Table(columns=COLUMNS))
    write_log(tmp_path, "two", Table(columns=COLUMNS))
    with pytest.raises(OptionError) as caught:
        rows_of(request(tmp_path, table="PROD.NOTHING"))
    assert caught.value.code == "LMP-C005"
