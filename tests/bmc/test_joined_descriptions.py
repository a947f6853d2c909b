"""What extracts of one log say of a table in different ways: each row has the types and the key of its own extract."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from writers.bmc import framing, logs
from writers.bmc.control import DecLength, Table
from writers.bmc.rows import Column

import lmparse
from lmparse import cli

ENGINES = pytest.mark.parametrize("engine", ["columnar", "kaitai"])
ORDERS = pytest.mark.parametrize("step", [1, -1], ids=["in order", "swapped"])
Rows = tuple[dict[str, Any] | None, dict[str, Any]]


def items(*columns: Column, name: str = "ITEMS", obid: int = 3) -> Table:
    return Table(0x0105, 2, obid, "PROD", name, columns)


def extract(
    folder: Path, number: int, tables: Table | Sequence[Table], *rows: Rows, dec_length: DecLength = "bytes"
) -> str:
    """An extract with changes of the first of its tables: a row before, or None, and the row after it."""
    tables = [tables] if isinstance(tables, Table) else tables
    writer = logs.Writer(list(tables))
    for count, (before, after) in enumerate(rows):
        place = f"{0x00DE123456780000 + 100 * number + count:020X}"
        op = "I" if before is None else "UB"
        writer.add(logs.Unit(number), tables[0], op, before=before, after=after, log_rba=place, log_lrsn=place)
    made = writer.example(dec_length=dec_length)
    (folder / f"n{number}.ctl").write_bytes(framing.rdw(made.control_records))
    path = folder / f"n{number}.dat"
    path.write_bytes(framing.rdw(made.data_records))
    return str(path)


def control(paths: Sequence[str]) -> str:
    return str(Path(paths[0]).parent / "{stem}.ctl")


def converted(paths: Sequence[str], *options: str) -> tuple[list[dict[str, Any]], dict[str, Any], list[Any]]:
    """Rows, metadata of columns by name, and the files of the manifest that `lmparse convert` writes."""
    out = Path(paths[0]).parent / f"out{len(list(Path(paths[0]).parent.iterdir()))}"
    assert cli.main(["convert", *paths, str(out), "--control", control(paths), *options]) == 0
    rows: list[dict[str, Any]] = []
    said: dict[str, Any] = {}
    for path in sorted(out.glob("*.parquet")):
        table = pq.read_table(path)
        rows += table.to_pylist()
        said |= metadata(table.schema.field("after").type)
    return rows, said, json.loads((out / "manifest.json").read_text())["files"]


def metadata(image: Any) -> dict[str, dict[str, str]]:
    return {
        entry.name: {
            key.decode(): value.decode() for key, value in (entry.metadata or {}).items() if key.startswith(b"lmparse.")
        }
        for entry in image
    }


# -- lengths of decimals --------------------------------------------------------------------

NUMBER = Column("K", "INT", 4, key_seq=1)
UNPROVEN = Column("D", "DEC", 9, scale=2, dlci={"LOGLOGBYTES": 0})
ITEMS, PARTS = items(NUMBER, UNPROVEN), items(NUMBER, UNPROVEN, name="PARTS", obid=4)
LONGEST = Decimal("9999999.99")


def types(paths: Sequence[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The types of the column D that `lmparse tables` prints."""
    capsys.readouterr()
    assert cli.main(["tables", *paths, "--control", control(paths)]) == 0
    return [line.split()[2] for line in capsys.readouterr().out.splitlines() if line.split()[1:2] == ["D"]]


@ENGINES
@ORDERS
@pytest.mark.parametrize("second", [ITEMS, PARTS], ids=["one table", "two tables"])
def test_the_length_of_a_decimal_counts_what_its_own_extract_says(
    second: Table, step: int, engine: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = [
        extract(tmp_path, 1, ITEMS, (None, {"K": 1, "D": Decimal("123.45")}), dec_length="precision"),
        extract(tmp_path, 2, second, (None, {"K": 2, "D": LONGEST})),
    ][::step]
    assert set(types(paths, capsys)) == {"DECIMAL(9,2)"}
    for table in {"ITEMS", second.name}:
        read = lmparse.open_log(paths, control=control(paths), table=f"PROD.{table}", engine=engine).to_reader()
        image = read.schema.field("after").type
        assert str(image.field("D").type) == "decimal128(9, 2)"
        assert metadata(image)["D"]["lmparse.type"] == "DECIMAL(9,2)"
        assert read.read_all().num_rows == (2 if second is ITEMS else 1)
    rows, said, files = converted(paths, "--engine", engine, "--format", "parquet")
    assert [row["after"]["D"] for row in rows] == [Decimal("123.45"), LONGEST]
    assert said["D"]["lmparse.type"] == "DECIMAL(9,2)"
    assert {column["type"] for file in files for column in file["columns"] if column["name"] == "D"} == {"DECIMAL(9,2)"}


# -- metadata of columns --------------------------------------------------------------------

WAYS: dict[str, tuple[tuple[Column, ...], dict[str, dict[str, str]]]] = {
    "same": (
        (Column("K", "INT", 4, key_seq=1), Column("V", "VCHR", 9)),
        {
            "K": {"lmparse.type": "INTEGER", "lmparse.not_null": "true", "lmparse.key": "1"},
            "V": {"lmparse.type": "VARCHAR(9)", "lmparse.not_null": "true", "lmparse.ccsid": "37"},
        },
    ),
    "key": (
        (Column("K", "INT", 4, key_seq=1), Column("V", "VCHR", 9, key_seq=2)),
        {
            "K": {"lmparse.type": "INTEGER", "lmparse.not_null": "true"},
            "V": {"lmparse.type": "VARCHAR(9)", "lmparse.not_null": "true", "lmparse.ccsid": "37"},
        },
    ),
    "length and null": (
        (Column("K", "INT", 4), Column("V", "VCHR", 20, nulls="Y")),
        {"K": {"lmparse.type": "INTEGER", "lmparse.not_null": "true"}, "V": {"lmparse.ccsid": "37"}},
    ),
}


@ENGINES
@pytest.mark.parametrize("way", WAYS)
def test_metadata_states_what_all_control_files_say(way: str, engine: str, tmp_path: Path) -> None:
    columns, expected = WAYS[way]
    paths = [
        extract(tmp_path, 1, items(*WAYS["same"][0]), (None, {"K": 1, "V": "a"})),
        extract(tmp_path, 2, items(*columns), (None, {"K": 2, "V": "b" * 9})),
    ]
    read = lmparse.open_log(paths, control=control(paths), table="PROD.ITEMS", engine=engine).to_reader()
    assert metadata(read.schema.field("after").type) == expected
    for jobs in ("1", "2"):
        rows, said, files = converted(paths, "--format", "parquet", "--jobs", jobs, "--engine", engine)
        assert (len(rows), len(files)) == (2, 1)
        assert said == expected
