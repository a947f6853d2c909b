"""The table that the option names: another one of the name is an error before a row is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import framing, logs
from writers.bmc.control import Table

from lmparse.errors import FramingError, OptionError
from lmparse.logs import arrow
from lmparse.logs.open import open_changes
from lmparse.options import Options

ENGINES = ("kaitai", "columnar")
ITEMS = Table(0x0105, 0x0002, 0x0003, "PROD", "ITEMS", logs.PLAIN)
OTHER = Table(0x0107, 0x0002, 0x0003, "PROD", "STOCK", logs.PLAIN)
SAME_NAME = replace(ITEMS, dbid=0x0106)
"""Not in the control file."""


def row(number: int) -> dict[str, Any]:
    return {"NO": number, "KIND": "A", "SUM": None}


def put(folder: Path, tables: list[Table], cut: int = 0) -> dict[str, Any]:
    """A log with one insert into each of some tables, the control file of which describes ITEMS and OTHER."""
    writer = logs.Writer([ITEMS, OTHER])
    for number, table in enumerate(tables):
        writer.add(logs.Unit(number + 1), table, "I", after=row(number))
    log = writer.example()
    control, data = folder / "x.ctl", folder / "x.dat"
    control.write_bytes(framing.rdw(log.control_records))
    raw = framing.rdw(log.data_records)
    data.write_bytes(raw[: len(raw) - cut])
    return {"path": data, "control": str(control)}


def read(given: dict[str, Any], **options: Any) -> tuple[list[int], OptionError | FramingError | None]:
    """The rows of one engine up to the error that ends it."""
    path, rows = given["path"], list[int]()
    try:
        log = open_changes(path, Options.parse({"control": given["control"], "include": "all", **options}))
        for _, batch in arrow.version_batches(log):
            rows += [one["NO"] for one in batch.column("after").to_pylist()]
    except (OptionError, FramingError) as error:
        return rows, error
    return rows, None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("table", ["PROD.ITEMS", "ITEMS", "0105.0002.0003"])
def test_a_table_in_front_of_damage_is_found(table: str, engine: str, tmp_path: Path) -> None:
    given = put(tmp_path, [OTHER, ITEMS, OTHER, ITEMS], cut=5)
    log = open_changes(given["path"], Options.parse({"control": given["control"], "table": table, "engine": engine}))
    assert len(log.table_ids or ()) == 1
    assert not log.lacks_descriptions
    unnamed = put(tmp_path, [OTHER, OTHER, OTHER], cut=5)
    log = open_changes(unnamed["path"], Options.parse({"control": unnamed["control"], "table": "NONE"}))
    assert log.table_ids == frozenset()
    assert log.lacks_descriptions  # behind the damage
    with pytest.raises(FramingError):
        list(log.changes())


@pytest.mark.parametrize("order", ["file", "commit"])
def test_another_table_of_that_name_is_an_error_before_a_row_is_given(order: str, tmp_path: Path) -> None:
    given = put(tmp_path, [OTHER, ITEMS, OTHER, SAME_NAME, ITEMS])
    found = {engine: read(given, table="PROD.ITEMS", engine=engine, order=order) for engine in ENGINES}
    for rows, error in found.values():
        assert error is not None
        assert error.code == "LMP-C005"
        for ids in ("0105.0002.0003", "0106.0002.0003"):
            assert ids in str(error)
        assert rows == []
    assert len({str(error) for _, error in found.values()}) == 1
    for engine in ENGINES:
        assert read(given, table="0105.0002.0003", engine=engine, order=order) == ([1, 4], None)
