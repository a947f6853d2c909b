"""Rows as Arrow batches, without Spark."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import control, framing, lldf, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column as EncodedColumn

from lmparse import open_log
from lmparse.bmc.columns import Column
from lmparse.bmc.tables import TableVersion
from lmparse.changes.schemas import changes_schema, table_type
from lmparse.columnar.rows import BATCH_ROWS, batches, record_rows
from lmparse.columnar.schemas import column_type, records_schema
from lmparse.errors import DataError, OptionError
from lmparse.logs.arrow import part_batches, request_schema
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
        for batch in part_batches(part, schema, with_changes=asked.with_changes)
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


@pytest.mark.parametrize(
    ("field", "type_"),
    [
        ("length", pa.int32()),
        ("anomaly_row_id", pa.int16()),
        ("log_bytes", pa.int64()),
        ("system_id", pa.string()),
        ("change_type", pa.string()),
        ("timestamp", pa.timestamp("us")),
        ("log_lrsn", pa.binary()),
        ("log_rba", pa.binary()),
        ("rid", pa.binary()),
        ("rid_page", pa.int64()),
        ("luw_instance_no", pa.binary()),
        ("data", pa.binary()),
        ("_corrupt_record", pa.binary()),
    ],
)
def test_types_of_fields(field: str, type_: pa.DataType) -> None:
    assert records_schema("bmc_lldf").field(field).type == type_


def test_columns_of_control_records_are_those_of_all_their_kinds() -> None:
    names = records_schema("bmc_control").names
    for spec_id in ("bmc_xtyp", "bmc_dtbi", "bmc_dlci", "bmc_xhdf"):
        assert {entry.id for entry in catalog.load(spec_id).layout} <= set(names)
    assert len(names) == len(set(names))
    keys = records_schema("bmc_dicl").field("dicl_key_info").type
    assert pa.types.is_list(keys)
    assert pa.types.is_struct(keys.value_type)


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
    return Column(**(known | {"type": type_, "length": length, "scale": scale, "position": None} | given))


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


def test_precision_of_a_decimal_is_its_length_where_that_counts_digits() -> None:
    assert column_type(column("DEC", 9, 2).counting("precision")) == pa.decimal128(9, 2)
    proven = column("DEC", 9, 2, loglog_bytes=5)
    assert column_type(proven.counting("bytes")) == pa.decimal128(9, 2)


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


def test_columns_of_versions_stand_by_number() -> None:
    first = version(1, column("INT", name="A", number=1), column("INT", name="B", number=3))
    second = version(2, column("INT", name="A", number=1), column("INT", name="NEW", number=2))
    assert table_type([second, first]).names == ["A", "NEW", "B"]
    assert table_type([first, second], ("NEW",)).names == ["NEW"]
    with pytest.raises(OptionError, match="'NONE'") as caught:
        table_type([first, second], ("NONE",))
    assert "NEW" in str(caught.value.hint)


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


def test_changes_of_all_tables_as_batches(folder: Path, example: logs.Example) -> None:
    rows = rows_of(request(folder / "night.dat", include="all", header=True))
    for role in ("before", "after"):
        assert [row[role] and json.loads(row[role]) for row in rows] == [row[role] for row in example.changes]
    with_detail = [(json.loads(row["detail"]), want["detail"]) for row, want in zip(rows, example.changes, strict=True)
                   if want.get("detail")]  # fmt: skip
    assert len(with_detail) > 3
    assert all(found == want for found, want in with_detail)
    assert json.loads(rows[0]["header"])["log_rba"] == example.changes[0]["seq"][40:60]


def test_a_batch_has_a_limit() -> None:
    rows = [{"n": number} for number in range(BATCH_ROWS + 1)]
    sizes = [batch.num_rows for batch in batches(rows, pa.schema([("n", pa.int64())]))]
    assert sizes == [BATCH_ROWS, 1]
    assert list(batches([], pa.schema([("n", pa.int64())]))) == []


def test_a_column_that_a_row_lacks_is_null() -> None:
    schema = pa.schema([("n", pa.int64()), ("s", pa.struct([("a", pa.string())]))])
    (batch,) = batches([{"n": 1}, {"s": {"a": "x", "b": "y"}}, {"s": {}}], schema)
    assert batch.to_pylist() == [{"n": 1, "s": None}, {"n": None, "s": {"a": "x"}}, {"n": None, "s": {"a": None}}]


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


@pytest.mark.parametrize(("shown", "days"), [("0001-01-01", -719162), ("9999-12-31", 2932896), ("1970-01-02", 1)])
def test_dates_at_the_edges(shown: str, days: int) -> None:
    (batch,) = batches([{"d": shown}], pa.schema([("d", pa.date32())]))
    assert batch.column("d").cast(pa.int32()).to_pylist() == [days]


def test_decimals_above_38_digits_are_text() -> None:
    (batch,) = batches([{"d": Decimal("-" + "9" * 39 + ".90")}], pa.schema([("d", pa.string())]))
    assert batch.column("d").to_pylist() == ["-" + "9" * 39 + ".90"]


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


def test_dropmalformed_leaves_them_out(damaged: Path, example: logs.Example) -> None:
    rows = rows_of(request(damaged, with_changes=False, mode="dropmalformed"))
    kept = [index for index in range(len(example.data_records)) if index not in (2, 12)]
    assert [row["_metadata"]["record_index"] for row in rows] == kept
    assert [row for row in rows if row["_corrupt_fields"] or row["_corrupt_record"]] == []


def test_failfast_raises_the_first(damaged: Path) -> None:
    with pytest.raises(DataError, match=r"record 2 at .*\[LMP-V005\]"):
        rows_of(request(damaged, with_changes=False, mode="failfast"))


# -- parts ----------------------------------------------------------------------------------


def test_parts_tile_the_file(folder: Path, example: logs.Example) -> None:
    parts = list(request(folder / "night.dat", with_changes=False, max_bytes=900).parts())
    spans = [part.span for part in parts]
    size = (folder / "night.dat").stat().st_size
    assert len(spans) > 5
    assert (spans[0].start, spans[-1].end) == (0, size)
    assert all(first.end == second.start for first, second in pairwise(spans))
    starts = framing.framed("rdw", example.data_records).starts
    assert [span.first_index for span in spans] == [starts.index(span.start) for span in spans]


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


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_segments_in_different_parts_are_joined_once(tmp_path: Path, order: tuple[int, ...]) -> None:
    log = logs.example(segment_order=order)
    (tmp_path / "night.dat").write_bytes(framing.rdw(log.data_records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(log.control_records))
    asked = request(tmp_path / "night.dat", max_bytes=1, include="all")
    parts = list(asked.parts())
    assert len(parts) == len(log.data_records) - 1  # a cut moves behind the first record at its place
    assert [len(part.span.foreign) for part in parts if part.span.foreign] == [2]
    assert sum(len(part.span.skip) for part in parts) == 2
    rows = rows_of(asked)
    assert [row["seq"] for row in rows] == [row["seq"] for row in log.changes]
    assert [row["after"] and json.loads(row["after"]) for row in rows] == [row["after"] for row in log.changes]


def test_a_missing_segment_is_one_bad_record_however_the_file_is_split(tmp_path: Path, example: logs.Example) -> None:
    divided = [index for index, record in enumerate(example.data_records) if record[184:186] == b"\x00\x03"]
    records = [record for index, record in enumerate(example.data_records) if index != divided[1]]
    (tmp_path / "night.dat").write_bytes(framing.rdw(records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(example.control_records))
    found = []
    for max_bytes in (1 << 30, 1):
        rows = rows_of(request(tmp_path / "night.dat", max_bytes=max_bytes, include="all"))
        assert len(rows) == len(example.changes)
        found.append([row for row in rows if row["_corrupt_record"]])
    assert found[0] == found[1]
    ((bad,), _) = found
    assert [fault["code"] for fault in bad["_corrupt_fields"]] == ["LMP-R004"]


def test_a_part_survives_pickling(folder: Path) -> None:
    for part in request(folder / "night.dat", max_bytes=2000, table="PROD.ITEMS").parts():
        assert pickle.loads(pickle.dumps(part)) == part


def test_every_part_is_read_as_the_whole_file_was_decided(tmp_path: Path) -> None:
    """What DATA's halfwords count shows in some records only; each part must know it."""
    log = logs.example(reading="exclusive")
    (tmp_path / "night.dat").write_bytes(framing.rdw(log.data_records))
    (tmp_path / "night.ctl").write_bytes(framing.rdw(log.control_records))
    parts = list(request(tmp_path / "night.dat", max_bytes=1).parts())
    assert {part.settings.own.reading for part in parts} == {"exclusive"}
    assert {part.settings.framing for part in parts} == {"rdw"}


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
        "from lmparse.columnar.rows import record_rows\n"
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


def test_records_of_an_older_header_are_read_as_xhdf_says(tmp_path: Path) -> None:
    """Six bytes of RBA and ten of a timestamp take their places of today; what the header does not have is null."""
    lines = lldf.narrow(drop=("PLAN",))
    lines.append(lldf.HeaderField("NEWERFIELD", "BIN", 2, lines[-1].position + lines[-1].length))
    record = lldf.record(b"", lines=lines, newerfield=b"\x01\x02", log_rba="0000000000001234ABCD")
    (tmp_path / "old.dat").write_bytes(framing.rdw([record]))
    controls = [control.xtyp(), control.dlds(), *map(control.xhdf, lines), control.dlge()]
    (tmp_path / "old.ctl").write_bytes(framing.rdw(controls))
    asked = request(tmp_path / "old.dat", with_changes=False, control=str(tmp_path / "old.ctl"))
    (row,) = rows_of(asked)
    assert row["log_rba"] == bytes.fromhex("0000000000001234ABCD")
    assert row["timestamp"] == datetime(2026, 3, 14, 10, 11, 12, 123)
    assert row["plan"] is None
    assert row["_corrupt_fields"] is None


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
