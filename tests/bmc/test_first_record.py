"""A log whose file was put together of one twice: its changes are given twice, and a note says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run

import lmparse
from lmparse.samples import bmc_log

AGAIN = "is the first one of the file again"


@pytest.fixture
def sample(tmp_path: Path) -> tuple[Path, Path]:
    control, data = bmc_log.make(units=6).write(tmp_path)
    return control, data


@pytest.mark.parametrize(
    "words",
    [
        ["changes"],
        ["changes", "--order", "commit"],
        ["txn", "--engine", "columnar"],
        ["txn", "--engine", "kaitai"],
        *(["convert", "--engine", engine, "--jobs", jobs, "--part-bytes", "3000"]
          for engine in ("kaitai", "columnar") for jobs in ("1", "2")),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_file_put_together_of_one_twice(words: list[str], sample: tuple[Path, Path], run: Callable[..., Run]) -> None:
    control, data = sample
    out = [data.parent / "out.parquet"] if words[0] == "convert" else []
    assert AGAIN not in run(words[0], data, *out, *words[1:], "--control", control).err
    twice = data.parent / "twice.dat"
    twice.write_bytes(data.read_bytes() * 2)
    out = [data.parent / "other.parquet"] if out else []
    done = run(words[0], twice, *out, *words[1:], "--control", control)
    assert done.code == 0
    assert f"{AGAIN}: the file was put together of one twice" in done.err


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("length", [1, 60, 100, 250])
def test_a_file_whose_first_record_is_cut_short_put_together_twice(
    length: int, engine: str, sample: tuple[Path, Path]
) -> None:
    control, data = sample
    whole = data.read_bytes()
    end = int.from_bytes(whole[:2], "big")
    cut = (length + 4).to_bytes(2, "big") + whole[2 : 4 + length] + whole[end:]
    for copies in (1, 2):
        data.write_bytes(cut * copies)
        for read in (lambda log: log.to_table(), lambda log: list(log.transactions())):
            log = lmparse.open_log(data, control=str(control), engine=engine, framing="rdw")
            read(log)
            assert any(AGAIN in text for text in log.tally.notices) == (copies == 2)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
@pytest.mark.parametrize("length", [0, 40, 60, 70, 80, 120])
def test_a_first_record_that_is_too_short_for_a_position(length: int, engine: str, sample: tuple[Path, Path]) -> None:
    """It is a bad record, and so is one of zeros behind it, whose position is that of nothing."""
    control, data = sample
    records = [bytes(length), bytes(300), bytes(300)]
    data.write_bytes(b"".join((len(raw) + 4).to_bytes(2, "big") + b"\0\0" + raw for raw in records) + data.read_bytes())
    log = lmparse.open_log(data, control=str(control), engine=engine, framing="rdw")
    log.to_table()
    assert log.tally.error_count
    assert not any(AGAIN in text for text in log.tally.notices)


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_first_record_that_another_resembles(engine: str, sample: tuple[Path, Path]) -> None:
    """Of the same length and position, but other bytes behind."""
    control, data = sample
    whole = bytearray(data.read_bytes())
    end = int.from_bytes(whole[:2], "big")
    whole[end - 1] ^= 1
    data.write_bytes(data.read_bytes() + whole[:end])
    log = lmparse.open_log(data, control=str(control), engine=engine)
    log.to_table()
    assert not any(AGAIN in text for text in log.tally.notices)
