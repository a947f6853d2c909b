"""Records and logs opened from Python."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import lmparse
from lmparse.errors import FramingError, OptionError
from lmparse.samples import bmc_log, db2_log


@pytest.mark.parametrize(
    ("made", "spec", "hint"),
    [(db2_log, "bmc_lldf", "give spec db2_log or tables"), (bmc_log, "db2_log", "give control or spec bmc_lldf")],
)
def test_a_log_of_another_family_is_named(made: Any, spec: str, hint: str, tmp_path: Path) -> None:
    """In place of why no framing of this family gives its records."""
    path = next(path for path in made.make().write(tmp_path) if path.suffix in (".log", ".dat"))
    with pytest.raises(FramingError, match="is of another kind: ") as caught:
        lmparse.open_log(path, spec=spec)
    assert (caught.value.code, caught.value.hint) == ("LMP-F003", hint)
    (tmp_path / "none").write_bytes(bytes(range(128, 256)))
    with pytest.raises(FramingError, match="no framing gives"):
        lmparse.open_log(tmp_path / "none", spec=spec)


FOREIGN = [
    (gzip.compress(b"x" * 100, mtime=0), "a gzip file", "unpack it, or give it a name that ends with .gz"),
    (b"\x28\xb5\x2f\xfd" + bytes(20), "a zstd file", "unpack it, or give it a name that ends with .zst"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"PAR1", "a Parquet file", "give the log that it was made of"),
    (b"SQLite format 3\0", "an SQLite database", "give the log that it was made of"),
    (bytes(257) + b"ustar\x0000" + bytes(248), "a tar or pax archive", "unpack it first"),
    (b"\x50\xe0" + "INMR01".encode("cp037") + b"\x40" * 72, "a data set packed by TSO TRANSMIT",
     "unpack it with RECEIVE, and transfer what comes out"),
    (b"tables:\n  - tablespace_id: 2\n", "a text file", "give a log"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "hint"), FOREIGN, ids=[kind for _, kind, _ in FOREIGN])
@pytest.mark.parametrize("read", [lmparse.open_log, lmparse.sniff])
def test_a_file_of_another_program_is_named(read: Any, data: bytes, kind: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(data)
    with pytest.raises(FramingError, match=f"is (of another kind: )?{kind}") as caught:
        read(path)
    assert (caught.value.code, caught.value.file, caught.value.hint) == ("LMP-F003", str(path), hint)


def test_a_file_of_another_family_among_those_of_one_log(tmp_path: Path) -> None:
    """In place of a record that is cut short, since text begins like a record of any length."""
    paths = [*bmc_log.make().write(tmp_path), *db2_log.make().write(tmp_path)]
    data, log = (next(path for path in paths if path.suffix == end) for end in (".dat", ".log"))
    with pytest.raises(FramingError, match="is of another kind: BMC AMI Log Master") as caught:
        lmparse.open_log([data, log], spec="db2_log")
    assert (caught.value.code, caught.value.file) == ("LMP-F003", str(data))


def test_a_control_file_that_is_given_as_the_log(tmp_path: Path) -> None:
    path = next(path for path in bmc_log.make().write(tmp_path) if path.suffix == ".ctl")
    with pytest.raises(FramingError, match="is of another kind: control records") as caught:
        lmparse.open_log(path)
    assert caught.value.hint == "give the log, and this file as control, or spec bmc_control for its records"


def test_no_file() -> None:
    with pytest.raises(OptionError, match=r"path has no value \[\]"):
        lmparse.open_log([])
