"""Nested records of which the data choose the fields: these are members of the struct, as they are of a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from columnar.test_decimal_columns import build, read

from lmparse.columnar import schemas
from lmparse.logs import lines
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.files import ignored

CHOSEN = {"id": "body", "-lm-type": "body", "type": {"switch-on": "what", "cases": {1: "small", "_": "large"}}}
INSIDE: dict[str, Any] = {
    "types": {
        "part": {"seq": [{"id": "what", "type": "u1"}, CHOSEN]},
        "small": {"seq": [{"id": "amount", "type": "u1"}]},
        "large": {"seq": [{"id": "amount", "type": "u2"}, {"id": "more", "size": 1}]},
    }
}
ONE = {"seq": [{"id": "part", "type": "part"}]} | INSIDE
MANY = {"seq": [{"id": "parts", "type": "part", "repeat": "eos"}]} | INSIDE
BELOW = {
    "seq": [
        {"id": "n", "type": "u1"},
        {"id": "outer", "-lm-type": "body", "type": {"switch-on": "n", "cases": {1: "of_one", "_": "of_one"}}},
    ],
    "types": {"of_one": {"seq": [{"id": "part", "type": "part"}]}, **INSIDE["types"]},
}
SMALL = {"what": 1, "amount": 5, "more": None}
LARGE = {"what": 2, "amount": 0x0102, "more": b"z"}


def _written(folder: Path, records: list[bytes]) -> Path:
    path = folder / "x.dat"
    path.write_bytes(b"".join((len(raw) + 4).to_bytes(2) + bytes(2) + raw for raw in records))
    return path


@pytest.mark.parametrize(
    ("spec", "records", "rows"),
    [
        (ONE, [b"\1\5", b"\2\1\2z"] * 20, [{"part": SMALL}, {"part": LARGE}] * 20),
        (MANY, [b"\1\5\2\1\2z", b""], [{"parts": [SMALL, LARGE]}, {"parts": []}]),
        (BELOW, [b"\1\1\5", b"\2\2\1\2z"] * 20, [{"n": 1, "part": SMALL}, {"n": 2, "part": LARGE}] * 20),
    ],
    ids=["one", "many", "below"],
)
def test_a_body_in_a_nested_record(tmp_path: Path, spec: Any, records: list[bytes], rows: list[Any]) -> None:
    """Its fields were in JSON lines, and in no column."""
    name, path = build(tmp_path, "nested", spec), _written(tmp_path, records)
    table = read(path, spec=name, framing="rdw")
    names = [name for name in table.column_names if name not in schemas.OUTCOMES]
    assert table.select(names).to_pylist() == rows
    for engine in ("columnar", "kaitai"):
        file = open_file(path, Options(spec=name, framing="rdw", engine=engine), on_error=ignored)
        shown = [json.loads(line) for line in "".join(lines.printed(file, with_changes=False)).splitlines()]
        assert [_whole(line) for line in shown] == rows


def _whole(shown: Any) -> Any:
    """A line as a row: fields of other kinds are null."""
    if isinstance(shown, list):
        return [_whole(item) for item in shown]
    if not isinstance(shown, dict):
        return shown
    inner = {name: _whole(value) for name, value in shown.items()}
    return {"more": None} | inner | ({"more": bytes.fromhex(inner["more"])} if "more" in inner else {}) \
        if "what" in inner else inner  # fmt: skip
