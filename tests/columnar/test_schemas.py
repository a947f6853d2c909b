"""Schemas: the column of a number holds every number that its field can hold."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from engines import by_column, by_row, difference

from lmparse.columnar import schemas
from lmparse.spec import catalog
from lmparse.spec.layout import Field

LAYOUTS = catalog.load("bmc_lldf").layouts.values()
"""Those of all specs of lmparse."""


def test_the_column_of_a_number_is_wide_enough() -> None:
    numbers = [entry for layout in LAYOUTS for entry in layout if entry.kind in ("uint", "int")]
    narrow = [entry.id for entry in numbers if (entry.width or entry.bits) and not is_held(entry)]
    assert len(numbers) > 200
    assert narrow == []


def is_held(entry: Field) -> bool:
    bits = entry.bits or 8 * (entry.width or 0)
    extremes = [0, (1 << bits) - 1] if entry.kind == "uint" else [-1 << (bits - 1), (1 << (bits - 1)) - 1]
    try:
        return [int(value) for value in pa.array(extremes, schemas.arrow_type({}, entry)).to_pylist()] == extremes
    except pa.ArrowInvalid:
        return False


def test_bit_fields_of_any_bytes_are_rows(tmp_path: Path) -> None:
    """The 31 bits of an extended BDW, among others."""
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x80\x00\x00\x08\x7f\xf8\x00\x00\xff\xff\xff\xff\x00\x08\xff\xff")
    options = {"spec": "zos_bdw", "framing": "fixed", "record_length": 4}
    rows = by_row(path, **options)
    assert rows.table["length_extended"].to_pylist()[0::2] == [8, 0x7FFFFFFF]
    assert not difference(rows, by_column(path, **options))
