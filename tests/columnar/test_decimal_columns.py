"""Decimals of specs: their columns are wide enough and hold what was encoded."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import lmparse
from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter
from lmparse.columnar.record_plan import RecordPlan
from lmparse.errors import OptionError
from lmparse.samples.encoding import encode_record
from lmparse.spec import catalog
from lmparse.spec.build.products import Builder
from lmparse.spec.kind_words import SCALABLE
from lmparse.spec.layout import Field
from lmparse.values import codepages

ACCOUNT = {
    "seq": [
        {"id": "name", "size": 4, "-codec": "cp037"},
        {"id": "balance", "size": 20, "-lm-type": "packed", "-scale": 2},
        {"id": "rate", "type": "s4le", "-scale": 4},
        {"id": "fee", "size": 5, "-lm-type": "zoned", "-codec": "ascii", "-scale": 2},
        {"id": "count", "size": 2, "-lm-type": "bcd"},
        {"id": "limit", "size": 22, "-lm-type": "decimaltext"},
        {"id": "share", "size": 8, "-lm-type": "hfp"},
    ]
}
ROWS: list[dict[str, Any]] = [
    {"name": "A", "balance": "-999999999999999999999999999999999999.99", "rate": "-0.0001", "fee": "-1.05",
     "count": "9999", "limit": 10**22 - 1, "share": -1.5},
    {"name": "B", "balance": "0.00", "rate": "214748.3647", "fee": "999.99", "count": "0", "limit": None, "share": 0.1},
]  # fmt: skip


def build(folder: Path, name: str, body: dict[str, Any]) -> str:
    """The option `spec` of a spec that was built."""
    (folder / "d").mkdir()
    tree = {"meta": {"id": name, "endian": "be"}} | body
    (folder / "d" / f"{name}.ksy").write_text(yaml.safe_dump(tree, sort_keys=False))
    made = Builder().make(folder)
    assert not made.problems, made.problems
    out = folder / f"built_{name}"
    for file, text in made.products.items():
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(text)
    return str(out / name)


def read(path: Path, **options: Any) -> pa.Table:
    one, other = (lmparse.read_table(path, engine=engine, **options) for engine in ("columnar", "kaitai"))
    assert one.equals(other)
    return one


def test_what_is_encoded_is_read(tmp_path: Path) -> None:
    name = build(tmp_path, "account", ACCOUNT)
    spec = catalog.load(name)
    assert RecordPlan(spec).reason == ""
    raw = [encode_record(spec, row, codepages.lookup("cp037")) for row in ROWS]
    (tmp_path / "x").write_bytes(b"".join(raw))
    options = {"spec": name, "framing": "fixed", "record_length": len(raw[0])}
    table = read(tmp_path / "x", **options)
    rows = [{key: row[key] for key in ROWS[0]} for row in table.to_pylist()]
    assert rows == [
        {key: Decimal(value) if isinstance(value, str) and key != "name" else value for key, value in row.items()}
        for row in ROWS
    ]
    negative = read(tmp_path / "x", filters=[Filter("fee", "<", Decimal("0.00"))], **options)
    assert negative["name"].to_pylist() == ["A"]


def test_what_does_not_fit_is_not_encoded(tmp_path: Path) -> None:
    spec = catalog.load(build(tmp_path, "account2", ACCOUNT))
    with pytest.raises(OptionError, match=r"1\.005 is not a zoned of 5 bytes and scale 2"):
        encode_record(spec, {"fee": "1.005"}, codepages.lookup("cp037"))


@pytest.mark.parametrize("kind", SCALABLE)
def test_the_column_is_wide_enough(kind: str) -> None:
    for width in (3, 4, 8, 9, 18, 19) if kind not in ("uint", "int") else (1, 2, 4, 8):
        for scale in (0, 1, 5, 38):
            entry = Field("x", 0, width, kind, scale=scale)
            type_ = schemas.arrow_type({}, entry)
            if not pa.types.is_decimal(type_):
                assert scale == 0
                continue
            digits = {"packed": 2 * width - 1, "bcd": 2 * width}.get(kind, width - kind.endswith("separate"))
            most = {"uint": 2 ** (8 * width) - 1, "int": 2 ** (8 * width - 1)}.get(kind, 10**digits - 1)
            values = [Decimal(f"{most}E-{scale}"), Decimal(f"-{most}E-{scale}")]
            assert pa.array(values, type_).to_pylist() == values


NAMES = {
    "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(), "decimal(20,0)": pa.decimal128(20, 0),
    "decimal(5,2)": pa.decimal128(5, 2), "decimal(38,30)": pa.decimal128(38, 30), "string": pa.string(),
    "double": pa.float64(),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [(one, other) for one in NAMES for other in NAMES if one != other])
def test_a_column_of_several_kinds_of_records_holds_the_numbers_of_all(first: str, second: str) -> None:
    found = schemas.common(NAMES[first], NAMES[second])
    assert schemas.common(NAMES[second], NAMES[first]) == found
    if found != pa.string():
        for key in (first, second):
            type_ = NAMES[key]
            most = 2 ** (type_.bit_width - 1) - 1
            if pa.types.is_decimal(type_):
                most = Decimal(f"{10**type_.precision - 1}E-{type_.scale}")
            assert pa.array([most], found).to_pylist() == [most]


def test_records_of_several_kinds_with_other_decimals(tmp_path: Path) -> None:
    cases = {1: "small", 2: "large", 3: "whole"}
    body = {
        "seq": [
            {"id": "kind", "type": "u1", "enum": "kind"},
            {"id": "body", "-lm-type": "body", "type": {"switch-on": "kind", "cases": {
                f"kind::{word}": word for word in cases.values()}}},
        ],
        "types": {
            "small": {"seq": [{"id": "amount", "size": 2, "-lm-type": "packed", "-scale": 2}]},
            "large": {"seq": [{"id": "amount", "size": 4, "-lm-type": "zoned"}]},
            "whole": {"seq": [{"id": "amount", "type": "s8"}]},
        },
        "enums": {"kind": cases},
    }  # fmt: skip
    name = build(tmp_path, "kinds", body)
    rows = [b"\1\x12\x3c", b"\2\xf9\xf9\xf9\xd9", b"\3" + b"\x80" + bytes(7), b"\1\x40\x40"]
    (tmp_path / "x").write_bytes(b"".join(len(row + b"....").to_bytes(2, "big") + b"\0\0" + row for row in rows))
    table = read(tmp_path / "x", spec=name, framing="rdw")
    assert table["amount"].to_pylist() == [Decimal("1.23"), Decimal(-9999), Decimal(-(2**63)), None]
    assert [row and row[0]["code"] for row in table["_corrupt_fields"].to_pylist()] == [None, None, None, "LMP-V002"]
