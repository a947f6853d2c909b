"""Large sample logs of Db2 LUW: sound to the last byte, the same from the same seed, new rows in each block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from engines import changes, changes_difference

from bench import db2_logs
from lmparse import cli
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import blocks, db2_log
from lmparse.samples.rows import RowChange, Shape, UnitOfWork

SIZE = 250_000
SHAPES = {
    "plain": Shape(),
    "alone": Shape(aborted=0, savepoints=0, open_at_once=1),
    "taken back": Shape(aborted=0.4, savepoints=0.5, open_at_once=40),
    "LOBs": Shape(lobs=0.3, lob_bytes=500),
}


@pytest.fixture(autouse=True)
def _small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_ROWS", 100)
        yield


def made(folder: Path, shape: Shape, size: int = SIZE, **more: Any) -> tuple[Path, dict[str, str]]:
    path, tables = folder / "x.log", folder / "t.yaml"
    written = db2_logs.write(path, size, shape=shape, **more)
    assert size - 8000 < path.stat().st_size == written.bytes <= size
    tables.write_text(db2_logs.describe(shape))
    return path, {"spec": "db2_log", "tables": str(tables)}


@pytest.mark.parametrize("name", SHAPES)
def test_every_claim_of_a_log_holds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Positions, chains, ends and prefixes, across blocks too."""
    path, options = made(tmp_path, SHAPES[name])
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    assert cli.main(["check", str(path), *words]) == 0
    assert "0 errors, 0 differences" in capsys.readouterr().out


@pytest.mark.parametrize("name", SHAPES)
def test_rows_are_read_and_differ_from_block_to_block(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    path, options = made(tmp_path, shape)
    asked = {**options, "include": "all"}
    one, other = (changes(path, engine, **asked) for engine in ("columnar", "kaitai"))
    assert changes_difference(one, other) == ""
    assert one.errors == []
    rows = [row for table in one.tables.values() for row in table.to_pylist()]
    inserted = Counter(row["after"]["ORDER_ID"] for row in rows if row["op"] == "I")
    assert max(inserted.values()) <= 1 + (shape.savepoints > 0)
    assert {len(row["after"] or row["before"]) for row in rows} == {14 + (shape.lobs > 0)}
    assert any(row["after"] and row["after"].get("DOCUMENT") for row in rows) == (shape.lobs > 0)
    left_out = changes(path, "columnar", **options).left_out
    assert ("rolled-back" in left_out) == (shape.aborted + shape.savepoints > 0)


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    def digest(**more: Any) -> str:
        return sha256(made(tmp_path, Shape(), 150_000, **more)[0].read_bytes()).hexdigest()

    assert digest(seed=3) == digest(seed=3) != digest(seed=4)


def test_given_transactions_are_what_is_written(tmp_path: Path) -> None:
    path, options = made(tmp_path, Shape(aborted=0, savepoints=0, open_at_once=1), 60_000)
    (table,) = changes(path, "columnar", **options, operations="I").tables.values()
    values = table["after"][0].as_py()
    units = [
        UnitOfWork([RowChange(None, values), RowChange(values, {**values, "STATUS": 3})]),
        UnitOfWork([RowChange(values, None)], "abort"),
    ]
    shape = Shape(savepoints=0, open_at_once=1)
    written = db2_logs.write(path, 10_000, shape=shape, units=units, key_step=5)
    assert written.records > 12
    found = list(open_changes(path, read_options(options)).rows())
    keys = [found_row["after"]["ORDER_ID"] - values["ORDER_ID"] for found_row in found]
    assert keys[:6] == [0, 0, 5, 5, 10, 10]
    assert [found_row["op"] for found_row in found[:4]] == ["I", "U", "I", "U"]


def test_the_small_sample_keeps_its_bytes() -> None:
    """Pages and examples show it."""
    digest = sha256(db2_log.make().log).hexdigest()
    assert digest == "e773c8a83aeeedde8fff3686e182b2116d8a70b2ff3174d0544191cb3828487b"
