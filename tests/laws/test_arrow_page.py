"""What docs/python.md says of errors; tests/laws/test_guide_pages.py runs its examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from laws.guide_pages import without_bars

from lmparse.samples import bmc_log

DAMAGED = """\
import duckdb, lmparse, polars

log = lmparse.open_log("demo/log/cut.dat", control="demo/log/payroll.ctl")
changes = log.to_reader()
print(duckdb.sql("SELECT op FROM changes LIMIT 3").fetchall())
changes = log.to_reader()
try:
    print(duckdb.sql("SELECT count(*) FROM changes").fetchall())
except duckdb.Error as error:
    print("duckdb:", error)
try:
    print(polars.DataFrame(log.to_reader()).height)
except polars.exceptions.PolarsError as error:
    print("polars:", error)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the log of `make demo` that is cut short."""
    folder = tmp_path_factory.mktemp("page")
    _, data = bmc_log.make().write(folder / "demo" / "log")
    data.with_name("cut.dat").write_bytes(data.read_bytes()[:-100])
    return folder


def printed(program: str, folder: Path) -> str:
    """What a program prints, in a process of its own: DuckDB complains at the end of one that keeps its objects."""
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return without_bars(done.stdout)


def test_a_stream_that_ends_with_an_error_is_never_a_short_table(place: Path) -> None:
    found = printed(DAMAGED, place)
    assert re.match(
        r"\[\('I',\), \('I',\), \('D',\)\]\n"
        r"duckdb: .*the file ends inside the record.*LMP-F006.*"
        r"polars: .*the file ends inside the record.*LMP-F006",
        found, re.DOTALL,
    ), found  # fmt: skip
