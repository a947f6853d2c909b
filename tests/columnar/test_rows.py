"""Rows that are put into batches: as many as a batch has, or as many bytes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lmparse.columnar import rows

SCHEMA = pa.schema([("a", pa.string()), ("b", pa.list_(pa.struct([("c", pa.binary())])))])


def row(size: int) -> dict[str, Any]:
    return {"a": "x" * (size // 2), "b": [{"c": bytes(size - size // 2)}]}


@pytest.mark.parametrize(
    ("size", "most", "expected"), [(10, 4, [4, 4, 2]), (500, 4, [2, 2, 2, 2, 2]), (1500, 4, [1] * 10)]
)
def test_a_batch_ends_behind_rows_or_bytes(
    size: int, most: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values of nested fields count: what is held of a batch is not many times as much as its limit."""
    monkeypatch.setattr(rows, "BATCH_BYTES", 1000)
    found = list(rows.batches((row(size) for _ in range(10)), SCHEMA, most))
    assert [batch.num_rows for batch in found] == expected
    assert pa.Table.from_batches(found).to_pylist() == [row(size)] * 10
