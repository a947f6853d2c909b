"""Log Master's changes in the order of commits, by the column: they are what they are one by one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from engines import changes, changes_difference
from samples.bmc_random import write

from lmparse.samples import bmc_log


def compared(path: Path, **options: Any) -> Any:
    """What both engines give in the order of commits, once they agree."""
    rows, columns = (changes(path, engine, order="commit", **options) for engine in ("kaitai", "columnar"))
    fatal = bool(rows.errors) and ((rows.errors[-1]["code"] or "")[:5] == "LMP-F" or options.get("mode") == "failfast")
    assert not changes_difference(rows, columns, ends_early=fatal)
    assert rows.left_out == columns.left_out
    return columns


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


def test_keys_count_against_the_limit(tmp_path: Path) -> None:
    control, data, *_ = bmc_log.make().write(tmp_path)
    given = {"control": str(control), "include": "all", "order": "commit"}
    found = changes(Path(data), "columnar", **given, limits="heldBytes=10K")
    assert found.errors[-1]["code"] == "LMP-L004"
    assert not any(table.num_rows for table in found.tables.values())
