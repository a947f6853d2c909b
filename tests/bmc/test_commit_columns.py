"""Log Master's changes in the order of commits, by the column: they are what they are one by one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from engines import changes, changes_difference
from samples.bmc_random import write
from writers.bmc import framing, logs

from lmparse.logs.open import open_changes
from lmparse.options import Options
from lmparse.samples import bmc_log


def compared(path: Path, **options: Any) -> Any:
    """What both engines give in the order of commits, once they agree."""
    rows, columns = (changes(path, engine, order="commit", **options) for engine in ("kaitai", "columnar"))
    fatal = bool(rows.errors) and ((rows.errors[-1]["code"] or "")[:5] == "LMP-F" or options.get("mode") == "failfast")
    assert not changes_difference(rows, columns, ends_early=fatal)
    assert rows.left_out == columns.left_out
    return columns


def seqs(path: Path, **options: Any) -> list[str]:
    log = open_changes(path, Options.parse({"order": "commit", **options}))
    return [change.seq for change in log.typed_changes()]


def put(log: logs.Example, folder: Path, framed: str = "rdw") -> dict[str, Any]:
    control, data = folder / "x.ctl", folder / "x.dat"
    control.write_bytes(framing.rdw(log.control_records))
    data.write_bytes(getattr(framing, framed)(log.data_records))
    return {"path": data, "control": str(control)}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write(tmp_path_factory.mktemp("log"), amount(150, 3000), segmented=0.05)


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed", "failfast"])
@pytest.mark.parametrize(
    "given", [{}, {"include": "all"}, {"include": "all", "header": True}, {"operations": "U,D"}], ids=str
)
def test_random_logs(log: dict[str, Any], given: dict[str, Any], mode: str) -> None:
    found = compared(**log, **given, mode=mode)
    assert sum(table.num_rows for table in found.tables.values())


def test_damaged_logs(log: dict[str, Any], tmp_path: Path) -> None:
    """Bytes of records are others, those of headers and of rows."""
    raw, chance = bytearray(log["path"].read_bytes()), random.Random(5)
    place = 0
    while place < len(raw):
        length = int.from_bytes(raw[place : place + 2], "big")
        if chance.random() < 0.2:
            raw[place + 4 + chance.randrange(2, length - 4)] = chance.randrange(256)
        place += length
    path = tmp_path / "x.dat"
    path.write_bytes(raw)
    for mode in ("permissive", "dropmalformed", "failfast"):
        compared(**{**log, "path": path}, include="all", mode=mode)
    path.write_bytes(raw[: len(raw) // 2 - 7])
    compared(**{**log, "path": path}, include="all")


@pytest.mark.parametrize("framed", ["rdw", "vbs"])
def test_units_that_are_mixed_in_the_file(framed: str, tmp_path: Path) -> None:
    """With spanned records, and several changes of one position."""
    stock = logs.TABLES[2]
    writer = logs.Writer([stock])
    units = [logs.Unit(number, member_id=number % 3) for number in range(1, 7)]
    chance = random.Random(8)
    for number in range(120):
        row = {"NO": number, "KIND": "A", "SUM": "1.00"}
        more = {"log_rba": "00C0000000000000AAAA"} if number % 10 == 0 else {}
        writer.add(chance.choice(units), stock, "I", after=row, **more)
    given = put(writer.example(), tmp_path, framed)
    found = compared(**given, include="all")
    (table,) = (table for table in found.tables.values() if table.num_rows)
    assert table["seq"].to_pylist() == seqs(**given, include="all")


def test_keys_count_against_the_limit(tmp_path: Path) -> None:
    control, data, *_ = bmc_log.make().write(tmp_path)
    given = {"control": str(control), "include": "all", "order": "commit"}
    found = changes(Path(data), "columnar", **given, limits="heldBytes=10K")
    assert found.errors[-1]["code"] == "LMP-L004"
    assert not any(table.num_rows for table in found.tables.values())
