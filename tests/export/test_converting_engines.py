"""`lmparse convert --engine check`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from export.conftest import (
    ENDINGS,
    Files,
    Rows,
    failure,
    manifest,
    rows_of,
)

from lmparse.columnar import kernels, schemas
from lmparse.columnar.comparison import compared
from lmparse.errors import EngineDifferenceError
from lmparse.logs import arrow

# -- both engines ---------------------------------------------------------------------------


@pytest.fixture
def wrong_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsigned numbers of two bytes are one more than they are, from 5 on."""
    right = kernels.integer

    def wrong(type_: pa.DataType, order: Any, is_signed: bool, raw: Any) -> Any:
        array, bad = right(type_, order, is_signed, raw)
        if raw.shape[1] == 2 and type_ == pa.int32():
            array = pa.array([value + (value == 5) for value in array.to_pylist()], type_)
        return array, bad

    monkeypatch.setattr(kernels, "integer", wrong)


@pytest.mark.usefixtures("wrong_kernel")
@pytest.mark.parametrize("ending", ENDINGS)
def test_engine_check_finds_a_difference(run: Any, log: Files, ending: str) -> None:
    out = log.to / f"x.{ending}"
    done = run("convert", log.data, out, "--engine", "check")
    assert done.code == 24
    line = failure(done, "LMP-S006")
    table = arrow.read_table(log.data, engine="kaitai")
    index = table["tbobid"].to_pylist().index(5)
    offset = table["_metadata"][index].as_py()["record_offset"]
    place = f"row {index}" if ending == "jsonl" else f"record {index} at {offset:#x}"  # a line has no other number
    assert line == f"{place}: tbobid: 6 column-wise, 5 by the parser [LMP-S006]"
    assert os.listdir(log.to) == []
    assert run("convert", log.data, out, "--engine", "kaitai").code == 0


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_engine_check_says_when_it_compares_nothing(run: Any, log: Files, tmp_path: Path, form: str) -> None:
    done = run("convert", log.control, log.to / f"x.{form}", "--spec", "bmc_control", "--engine", "check")
    assert done.code == 0
    assert "nothing is compared" not in done.err
    (tmp_path / "acme_wide.ksy").write_text("meta: {id: acme_wide}\nseq: [{id: x, type: strz, encoding: UTF-16LE}]\n")
    assert run("build", "--formats", tmp_path / "acme_wide.ksy", "--out", tmp_path / "built").code == 0
    path = tmp_path / "words.dat"
    path.write_bytes(b"a\0\0\0" * 9)
    given = (
        "--spec",
        tmp_path / "built" / "acme_wide",
        "--framing",
        "fixed",
        "--record-length",
        "4",
        "--engine",
        "check",
    )
    done = run("convert", path, log.to / f"y.{form}", *given)
    assert done.code == 0
    assert "note: nothing is compared, since records of acme_wide go row by row" in done.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "jobs"), [("parquet", 1), ("jsonl", 1), ("parquet", 2)])
def test_engine_check_of_changes(run: Any, long_log: Files, tmp_path: Path, form: str, jobs: int) -> None:
    asked = ("--control", long_log.control, "--include", "all", "--format", form)
    one, both = tmp_path / "one", tmp_path / "both"
    run("convert", long_log.data, one, *asked)
    done = run("convert", long_log.data, both, *asked, "--engine", "check", "--jobs", jobs, "--part-bytes", 4000)
    assert done.code == 20
    assert [rows_of(entry) for entry in manifest(both)["files"]] == [rows_of(entry) for entry in manifest(one)["files"]]


def stream(rows: Rows, *sizes: int) -> Iterator[pa.RecordBatch]:
    """Rows as batches of some sizes."""
    schema = pa.schema([("n", pa.int64()), ("f", pa.float64()), ("l", pa.list_(pa.float64())),
                        ("_metadata", schemas.METADATA)])  # fmt: skip
    start = 0
    for size in (*sizes, len(rows)):
        yield pa.RecordBatch.from_pylist(rows[start : start + size], schema)
        start += size


def row(n: int, f: float | None = 0.5, items: list[float] | None = None) -> dict[str, Any]:
    return {"n": n, "f": f, "l": items, "_metadata": {"record_index": n + 100, "record_offset": 16 * n}}


NAN = float("nan")
SAME = [row(n, NAN if n == 3 else None if n == 4 else -0.0, [NAN] if n % 2 else None) for n in range(9)]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ([*SAME[:5], row(5, 1.0, [NAN]), row(6, 9.0)], r"record 105 at 0x50: f: -0.0 column-wise, 1.0 by the parser"),
        ([*SAME[:5], row(5, 0.0, [NAN])], r"record 105 at 0x50: f: -0.0 column-wise, 0.0 by the parser"),
        ([*SAME[:3], row(3, None, [NAN])], r"record 103 at 0x30: f: nan column-wise, None by the parser"),
        ([*SAME[:7], row(7, -0.0, [NAN, 1.0])], r"record 107 at 0x70: l: \[nan\] column-wise, \[nan, 1.0\] by"),
        ([row(1, -0.0, None)], r"record 100 at 0x0: n: 0 column-wise, 1 by the parser"),
        (SAME[:7], r"record 107 at 0x70: is there column-wise only"),
        ([], r"record 100 at 0x0: is there column-wise only"),
        ([*SAME, row(9), row(10)], r"record 109 at 0x90: is there by the parser only"),
    ],
)
@pytest.mark.parametrize("sizes", [(), (2, 2), (1,) * 9])
def test_the_first_difference_is_named(other: Rows, message: str, sizes: tuple[int, ...]) -> None:
    with pytest.raises(EngineDifferenceError, match=message) as caught:
        list(compared(stream(SAME, 4), stream(other, *sizes)))
    assert caught.value.code == "LMP-S006"
