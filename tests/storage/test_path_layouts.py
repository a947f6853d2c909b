"""The files of a path, a folder or a pattern are those that Spark's source binaryFile reads under it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from path_layouts import LAYOUTS, below, put

from lmparse.errors import FramingError, LmparseError
from lmparse.storage.listing import list_folders
from lmparse.storage.partition_folders import type_of, value_of


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout(name: str, tmp_path: Path) -> None:
    case = LAYOUTS[name]
    paths, options = put(case, tmp_path), case.get("options", {})
    given = {"name_filter": options.get("pathGlobFilter"), "recursive": "recursiveFileLookup" in options}
    if "refused" in case:
        with pytest.raises(LmparseError) as caught:
            list_folders(paths, **given)
        assert caught.value.code == case["refused"]
        return
    found = list_folders(paths, **given)
    rows = [[below(path, tmp_path), *(str(one.value(path)) for one in found.columns)] for path in found.files]
    assert {column.name: column.type for column in found.columns} == case.get("columns", {})
    assert sorted(rows) == case["read"]


@pytest.mark.parametrize(
    ("raw", "type_", "value"),
    [
        ("-2147483648", "int", -(2**31)),
        ("2147483648", "bigint", 2**31),
        ("9223372036854775808", "decimal(19,0)", Decimal(2**63)),
        ("9" * 38, "decimal(38,0)", Decimal("9" * 38)),
        ("1e38", "double", 1e38),
        ("1.0", "double", 1.0),
        ("1_000", "string", "1_000"),
        ("٣", "string", "٣"),
        ("0001-01-01", "date", datetime(1, 1, 1).date()),
        ("0000-01-01", "string", "0000-01-01"),
        ("2026-03-14 10%3A11%3A12.123456789", "timestamp", datetime(2026, 3, 14, 10, 11, 12, 123456)),
        ("2026-03-14 24:00:00", "string", "2026-03-14 24:00:00"),
        ("__HIVE_DEFAULT_PARTITION__", "void", None),
    ],
)
def test_a_value(raw: str, type_: str, value: object) -> None:
    assert (type_of(raw), value_of(raw, type_)) == (type_, value)


def test_a_link_to_a_folder_that_it_is_in_is_an_error(tmp_path: Path) -> None:
    put({"files": ["l/a.dat", "l/s->l"], "load": "l"}, tmp_path)
    assert list_folders([f"{tmp_path}/l"]).files == [f"{tmp_path}/l/a.dat"]
    with pytest.raises(FramingError, match=r"l/s: is a link to a folder that it is in \[LMP-F001\]"):
        list_folders([f"{tmp_path}/l"], recursive=True)
