"""Faults on a cluster: whatever is killed, full, gone or small, rows are those of one quiet reading, or an error is."""

from __future__ import annotations

import gzip
import os
import random
import re
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster.conftest import PART_BYTES, Driver
from cluster.standalone import Cluster, wait_for

from bench.data import Truth
from lmparse.logs import arrow
from lmparse.spark.source import request_of

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

SMALL_OPTIONS = {"spec": "bmc_lldf", "framing": "rdw"}
WAYS = (pytest.param("spark", marks=pytest.mark.long), "executors")
_MOST_KILLS_A_QUERY = 5
_PYTHON_MEMORY = 512 << 20
"""Bytes that a Python worker may have."""
_FILE_BYTES = 1 << 18
Sums = dict[str, int]


@pytest.fixture(scope="module")
def expected(two: Driver, log: Truth, options: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Sums:
    """Sums over the rows that one process reads without Spark."""
    out = tmp_path_factory.mktemp("expected") / "rows.parquet"
    request = request_of({**options, "path": log.path})
    schema = arrow.request_schema(request)
    with pq.ParquetWriter(out, schema, compression="lz4") as writer:
        for part in request.parts():
            for batch in arrow.part_rows(part, schema, with_changes=False):
                writer.write_batch(batch)
    found: Sums = two.ask("sums", path=str(out), options=None)
    out.unlink()
    assert found["rows"] == log.records
    return found


@pytest.fixture(scope="module")
def expected_small(two: Driver, small: Path) -> Sums:
    found: Sums = two.ask("sums", path=str(small), options=SMALL_OPTIONS)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_killed_executors_neither_lose_nor_double_rows(
    two: Driver, cluster: Cluster, log: Truth, options: dict[str, str], expected: Sums, kills: int, way: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Each way has half of the kills, at moments that a seed decides; first it gives the rows of one process."""
    chance = random.Random(f"{way} {log.bytes}")
    out = tmp_path / "quiet"
    two.ask("write", path=log.path, options=options, out=str(out), way=way)
    quiet = two.seconds
    check_output(two, out, expected)
    left = max(kills // 2, 1)
    for number in range(4 * left):
        out = tmp_path / str(number)
        two.begin("write", path=log.path, options=options, out=str(out), way=way)
        left -= killed_while(two, cluster, chance, quiet, min(left, _MOST_KILLS_A_QUERY))
        two.answer()
        quiet = min(quiet, two.seconds)
        check_output(two, out, expected)
        if not left:
            return
    raise AssertionError(f"{left} executors were not killed, since the query ended before")


def killed_while(driver: Driver, cluster: Cluster, chance: random.Random, quiet: float, most: int) -> int:
    """Kill executors at random moments until an answer comes; returns how many."""
    count = 0
    while count < most:
        if driver.answers_within(chance.uniform(0, 0.8 * quiet)):
            break
        executors = wait_for(cluster.executors, "an executor")
        os.kill(chance.choice(executors), signal.SIGKILL)
        count += 1
    return count


def check_output(driver: Driver, out: Path, expected: Sums) -> None:
    """The folder has all rows once and nothing that is not finished; it is removed."""
    names = {path.name for path in out.iterdir() if not path.name.endswith(".crc")}
    assert "_SUCCESS" in names
    assert all(re.fullmatch(r"part-.*\.parquet", name) for name in names - {"_SUCCESS"})
    assert driver.ask("sums", path=str(out), options=None) == expected
    for path in out.iterdir():
        path.unlink()
    out.rmdir()


def test_a_file_that_changes_while_it_is_read_is_an_error(two: Driver, small: Path, tmp_path: Path) -> None:
    out, copy = tmp_path / "out", tmp_path / "copy.dat"
    copy.write_bytes(small.read_bytes())
    options = {"spec": "bmc_lldf", "framing": "rdw", "maxPartitionBytes": str(small.stat().st_size // 10)}
    two.begin("write", path=str(copy), options=options, out=str(out), way="executors")
    wait_for(lambda: list(tmp_path.glob(".out.*.partial/tasks/part-*.parquet")), "the first file")
    os.truncate(copy, small.stat().st_size - 1000)
    with pytest.raises(RuntimeError, match=rf"{copy}: shrank after its reading was planned: .*\[LMP-F012\]"):
        two.answer()
    assert not out.exists()


@pytest.fixture(scope="module")
def small(log: Truth, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whole records from the start of the log, about four parts of a small log."""
    path = tmp_path_factory.mktemp("small") / "small.dat"
    with open(log.path, "rb") as file:
        data = file.read(4 * PART_BYTES)
    end = 0
    while (size := int.from_bytes(data[end : end + 2], "big")) and end + size <= len(data):
        end += size
    path.write_bytes(data[:end])
    return path


@pytest.fixture(scope="module")
def limited(limited_python: Callable[..., str]) -> str:
    """A Python of little memory and disk."""
    return limited_python(memory=_PYTHON_MEMORY, file=_FILE_BYTES)


@pytest.fixture(scope="module")
def little(driver: Callable[..., Driver], limited: str, expected: Sums, expected_small: Sums) -> Driver:
    """One executor of about the least memory that Spark allows, with a limited Python."""
    return driver(1, python=limited, **{"spark.executor.memory": "512m"})


@pytest.mark.long
def test_one_executor_of_little_memory_reads_the_log(
    little: Driver, log: Truth, options: dict[str, str], expected: Sums
) -> None:
    assert little.ask("sums", path=log.path, options=options) == expected


@pytest.mark.long
def test_a_full_disk_is_an_error_and_leaves_nothing_and_with_space_it_works(
    little: Driver, limited: str, cluster: Cluster, small: Path, expected_small: Sums, tmp_path: Path
) -> None:
    """A limit on the size of files is to a program what a full disk is."""
    packed, out = tmp_path / "small.dat.gz", tmp_path / "out"
    packed.write_bytes(gzip.compress(small.read_bytes(), 1))
    with pytest.raises(RuntimeError, match=rf"{packed}: cannot be copied to the disk: File too large \[LMP-F001\]"):
        little.ask("sums", path=str(packed), options=SMALL_OPTIONS)
    with pytest.raises(RuntimeError, match=rf"{out}.*: cannot be written: .*File too large.* \[LMP-S022\]"):
        little.ask("write", path=str(small), options=SMALL_OPTIONS, out=str(out), way="executors")
    assert not out.exists()
    Path(limited).with_name("limits").unlink()
    for pid in cluster.processes():
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    found = little.ask("sums", path=str(packed), options=SMALL_OPTIONS)
    other = {"rows as a whole": 0}  # they have the name of the file
    assert {**found, **other} == {**expected_small, **other}
    little.ask("write", path=str(small), options=SMALL_OPTIONS, out=str(out), way="executors")
    check_output(little, out, expected_small)
