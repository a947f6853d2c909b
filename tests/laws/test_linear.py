"""No step of reading a Log Master log costs more than in proportion to what it reads, whatever of it grows.

Operations are counted, not time. `tests/db2/test_compensation.py` has the shapes of Db2 LUW logs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from counted import elements, growth, operations
from growing import SHAPES

import lmparse
from lmparse.logs import arrow
from lmparse.logs.check import account
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

SIZE = 15
ONCE = 100
"""Lines that run once more or less, whatever the size."""


def changes(path: Path, options: dict[str, Any]) -> None:
    """The changes, row by row."""
    assert list(lmparse.open_log(path, **options).changes()) is not None


def columns(path: Path, options: dict[str, Any]) -> None:
    """The changes, column-wise."""
    assert list(arrow.version_batches(open_changes(path, read_options(options)))) is not None


def records(path: Path, options: dict[str, Any]) -> None:
    """The records, row by row."""
    named = {"spec": "bmc_lldf", **{name: options[name] for name in ("framing",) if name in options}}
    assert list(lmparse.open_log(path, **named).records()) is not None


def transactions(path: Path, options: dict[str, Any]) -> None:
    """The units of recovery, column-wise."""
    options = {name: value for name, value in options.items() if name != "include"}
    assert list(lmparse.open_log(path, **options).transactions()) is not None


def check(path: Path, options: dict[str, Any]) -> None:
    """All claims."""
    options = {name: value for name, value in options.items() if name != "include"}
    assert account(str(path), read_options(options)).size


@pytest.mark.parametrize(
    ("shape", "read"),
    [
        (shape, read)
        for number, shape in enumerate(SHAPES)
        for read in ((changes, check), (columns, records))[number % 2]
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_cost_grows_no_faster_than_the_log(shape: str, read: Any, tmp_path: Path) -> None:
    compare(shape, read, tmp_path)


def summary(path: Path, options: dict[str, Any]) -> None:
    """All that is counted."""
    options = {name: value for name, value in options.items() if name != "include"}
    assert lmparse.summary(path, **options).to_dict()


@pytest.mark.parametrize("read", [transactions, summary], ids=lambda read: read.__name__)
@pytest.mark.parametrize("shape", ["open_units", "rows_of_a_unit", "missing_segments"])
def test_cost_of_transactions_grows_no_faster_than_the_log(shape: str, read: Any, tmp_path: Path) -> None:
    compare(shape, read, tmp_path)


def compare(shape: str, read: Any, tmp_path: Path) -> None:
    """Read logs of one shape and several sizes."""

    def cost(size: int) -> int:
        folder = tmp_path / str(size)
        folder.mkdir(exist_ok=True)
        path, options = SHAPES[shape](folder, size)
        return operations(lambda: read(path, options))

    cost(3)  # what is made once is there
    one, two, four = cost(SIZE), cost(2 * SIZE), cost(4 * SIZE)
    assert four - two <= 2.1 * (two - one) + ONCE


@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_are_linear(shape: str, tmp_path: Path) -> None:
    """What NumPy does inside of one line counts, too."""

    def read(size: int) -> int:
        folder = tmp_path / str(size)
        folder.mkdir(exist_ok=True)
        path, options = SHAPES[shape](folder, size)
        return elements(lambda: columns(path, options))

    read(3)
    assert growth(read, 30) < 2.1
