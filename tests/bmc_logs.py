"""Logs of Log Master written and read by tests, and their changes in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from writers.bmc import framing as enc
from writers.bmc import logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse

Row = dict[str, Any]
FRAMINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "rdw": ("rdw", {}),
    "bdw": ("bdw", {"block_size": 3000}),
    "extended bdw": ("bdw", {}),
    "vbs": ("vbs", {}),
    "bdw-vbs": ("bdw-vbs", {"block_size": 600}),
    "zosmf": ("zosmf", {}),
    "glued": ("glued", {}),
}
READINGS = ("total", "inclusive", "exclusive")


def framed(name: str, records: Sequence[bytes]) -> bytes:
    kind, options = FRAMINGS[name]
    return enc.framed("bdw-extended" if name == "extended bdw" else kind, records, **options).data


def put(folder: Path, log: logs.Example, framing: str = "rdw", control_framing: str = "rdw") -> dict[str, Path]:
    data, ctl = folder / "a.dat", folder / "a.ctl"
    data.write_bytes(framed(framing, log.data_records))
    ctl.write_bytes(framed(control_framing, log.control_records))
    return {"path": data, "control": ctl}


def read(folder: Path, log: logs.Example, **options: Any) -> list[Row]:
    """The changes without `_metadata`. A bad record or value is raised."""
    opened = lmparse.open_log(**put(folder, log), **{"mode": "failfast", **options})
    return [plain(change) for change in opened.changes()]


def plain(change: Mapping[str, Any]) -> Row:
    return {name: value for name, value in change.items() if name != "_metadata"}


def same(got: Sequence[Row], expected: Sequence[Row]) -> None:
    """Equal key by key; keys that the expectation leaves open are not compared."""
    assert [change["seq"] for change in got] == [change["seq"] for change in expected]
    for change, wanted in zip(got, expected, strict=True):
        assert {name: change.get(name, "is missing") for name in wanted} == wanted
        assert change.keys() - wanted.keys() <= {"detail"}


class Unexpecting(logs.Writer):
    """Writes values that no row could show; the changes it expects have no rows."""

    @staticmethod
    def _shown_row(table: Table, row: Any) -> None:
        return None


def one(tmp_path: Path, column: Column, value: Any, scheme: str = "E", **options: Any) -> Any:
    """The value of a column next to another that shows whether the row is read in step."""
    columns = (column, Column("LAST", "CHAR", 2))
    table = Table(0x0105, 2, 3, "PROD", "ONE", columns, encoding_scheme=scheme)
    style = {name: options.pop(name) for name in ("floats", "null_bytes", "graphic_len") if name in options}
    control_options = options.pop("control_options", {})
    writer = Unexpecting([table], logs.Options(**style))
    writer.add(logs.Unit(1), table, "I", after={column.name: value, "LAST": "ZZ"})
    change = read(tmp_path, writer.example(**control_options), **options)[0]
    assert change["after"]["LAST"] == "ZZ"
    return change["after"][column.name]
