"""The columns of a schema that is given, and what becomes of bad values where it has no place for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType
from writers.bmc import framing, logs

from lmparse.errors import DataError, OptionError
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


def read(folder: Path, *names: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of records, with some columns of the source or all."""
    made = LmparseSource({"path": str(folder), "spec": "bmc_lldf"} | {name: str(one) for name, one in options.items()})
    schema = made.schema()
    reader = made.reader(StructType([schema[name] for name in names]) if names else schema)
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def test_the_column_of_bad_records_has_a_name_of_ones_choice(folder: Path) -> None:
    named = read(folder, columns="dbid", columnNameOfCorruptRecord="broken")
    assert list(named[0]) == ["dbid", "broken", "_corrupt_fields", "_metadata"]
    assert [row["broken"] is not None for row in named].count(True) == 2
    some = read(folder, "_corrupt_fields", "broken", columnNameOfCorruptRecord="broken")
    assert [row["broken"] for row in some] == [row["broken"] for row in named]
    with pytest.raises(OptionError, match="another column has it"):
        read(folder, columnNameOfCorruptRecord="DBID")


def test_nothing_is_null_unsaid_in_a_schema_without_the_column_for_it(folder: Path) -> None:
    """Without it what is bad is an error, which names its place and what to do."""
    hint = "add the column _corrupt_fields to the schema"
    for names in (("timestamp",), ("timestamp", "_corrupt_record")):
        with pytest.raises(DataError, match=r"record 2 at 0x.*LMP-V005") as caught:
            read(folder / "a.dat", *names)
        assert hint in str(caught.value.hint)
    with pytest.raises(DataError, match=r"b\.dat: record .*LMP-F006") as caught:
        read(folder, "dbid", pathGlobFilter="b.*")
    assert hint in str(caught.value.hint)
    rows = read(folder, "dbid", "_corrupt_fields")
    assert len(read(folder, "dbid", mode="dropmalformed")) == len(rows) - 2


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("dbid long", "column 'dbid': expected int, found bigint in the schema"),
        ("timestamp timestamp", "column 'timestamp': expected timestamp_ntz, found timestamp in the schema"),
        ("_metadata string", "column '_metadata': expected struct<file:string,record_index:bigint"),
        ("DBID integer", "the source has no column 'DBID'"),
        ("dbid integer, psid integer NOT NULL", "column 'psid' may be null, and the schema says NOT NULL"),
        ("dbid integer, dbid integer", "the schema has no column, or one twice"),
        ("", "the schema has no column, or one twice"),
    ],
)
def test_a_schema_that_is_no_part_of_the_source_is_refused(folder: Path, schema: str, said: str) -> None:
    fields = [part.split(" ", 1) for part in schema.split(", ") if part]
    wanted = StructType()
    for name, type_ in fields:
        wanted.add(name, type_.removesuffix(" NOT NULL"), nullable="NOT NULL" not in type_)
    with pytest.raises(OptionError) as caught:
        LmparseSource({"path": str(folder), "spec": "bmc_lldf"}).reader(wanted)
    assert caught.value.code == "LMP-S012"
    assert caught.value.message.startswith(said)
    assert ("cast them in the query" in str(caught.value.hint)) == (": expected" in said)
