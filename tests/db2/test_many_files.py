"""Very many files of one Db2 LUW log: how they are framed is found out once, and is still tested of every file."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from counted import growth, operations
from samples import db2_scripts as luw

from lmparse.errors import FramingError
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log
from lmparse.options import Options

FORM = ("v10", "little", "filter")
OTHERS = [("v10", "big", "filter"), ("v9.7", "little", "filter"), ("v10", "little", "lsn8"), ("v10", "little", "bare")]
OPTIONS: Options = read_options({"spec": "db2_log"})


@pytest.fixture(scope="module")
def data() -> bytes:
    return luw.full_stream(*FORM).bytes()


def copies(folder: Path, data: bytes, count: int) -> list[Path]:
    """Files that have the same."""
    paths = [folder / f"{number}.log" for number in range(count)]
    for path in paths:
        path.write_bytes(data)
    return paths


def cost(paths: list[Path]) -> int:
    return operations(lambda: one_log(paths, OPTIONS))


def parsing(paths: list[Path]) -> int:
    """Lines of generated parsers that run."""
    return operations(lambda: one_log(paths, OPTIONS), within="generated/")


def test_the_cost_of_a_file(data: bytes, tmp_path: Path) -> None:
    """It does not grow with the number of files; how one is framed is found out in one way, not in all."""
    paths = copies(tmp_path, data, 40)
    cost(paths)  # what is made once is there
    assert growth(lambda count: cost(paths[:count]), 10) < 2.1
    first, more = parsing(paths[:2]), parsing(paths[:3]) - parsing(paths[:2])
    assert 0 < 2 * more < first


@pytest.mark.parametrize("other", OTHERS)
def test_a_file_that_is_framed_otherwise(other: tuple[str, str, str], data: bytes, tmp_path: Path) -> None:
    paths = [*copies(tmp_path, data, 2), tmp_path / "other.log"]
    paths[-1].write_bytes(luw.full_stream(*other).bytes())
    for order in permutations(paths):
        with pytest.raises(FramingError) as found:
            one_log(order, OPTIONS)
        assert found.value.code == "LMP-F013"
        assert "framed in different ways" in str(found.value)
