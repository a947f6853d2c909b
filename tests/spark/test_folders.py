"""Folders of logs: damaged files, missing control files, what is no log, and files that are not there yet."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType
from spark.conftest import rows

from lmparse.errors import DataError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_file
from lmparse.samples import bmc_log, db2_log
from lmparse.spark.source import LmparseSource

SPLITS = (1 << 27, 12_000)
SYSTEMS = "DB2P".encode("cp037"), "DB2Q".encode("cp037")
"""Name of the system in the sample, and another one."""


def counts(found: list[dict[str, Any]]) -> dict[str, int]:
    """Number of good rows of each file."""
    return dict(Counter(Path(row["_metadata"]["file"]).name for row in found if row["_corrupt_fields"] is None))


def bad(found: list[dict[str, Any]]) -> dict[str, tuple[str, int, int]]:
    """Code, offset and number of bytes of what is not read, by file."""
    return {
        Path((place := row["_metadata"])["file"]).name: (
            row["_corrupt_fields"][0]["code"], place["record_offset"], place["record_length"],
        )
        for row in found if row["_corrupt_fields"] is not None
    }  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Control file and data file of a log."""
    control, data = bmc_log.make(seed=5, units=10).write(tmp_path_factory.mktemp("sample"))
    return control.read_bytes(), data.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, sample: tuple[bytes, bytes]) -> Path:
    """A sound log, one that is cut short, one whose control file has not arrived, and a file that is no log.

    The first two are of two systems, so that they are two logs.
    """
    control, data = sample
    made = tmp_path / "logs"
    made.mkdir()
    other = data[: len(data) * 2 // 3].replace(*SYSTEMS)
    for name, content in {"a": data, "b": other, "c": data, "d": b"no log at all" * 99}.items():
        (made / f"{name}.dat").write_bytes(content)
        if name != "c":
            (made / f"{name}.ctl").write_bytes(control.replace(*SYSTEMS) if name == "b" else control)
    return made


def test_a_file_that_is_named_itself_ends_the_reading(folder: Path) -> None:
    with pytest.raises(DataError, match=r"b\.dat: record .*\[LMP-F006\]"):
        rows(path=folder / "b.dat")
    with pytest.raises(DataError, match=r"d\.dat: .*\[LMP-F003\]"):
        rows(path=folder / "d.dat", control=folder / "d.ctl")
    both = rows(paths=json.dumps([str(folder / "b.dat"), str(folder / "a.dat")]))
    assert list(bad(both)) == ["b.dat"]
    with pytest.raises(DataError, match="LMP-F001"):
        rows(path=folder, control=folder / "absent.ctl")  # an option names it, so it is not one bad file


def test_no_record_behind_damage_is_a_row_wherever_a_file_is_cut(folder: Path) -> None:
    """Also in a schema without `_metadata`, for which sound records near a cut would be found."""
    options = {"path": str(folder), "spec": "bmc_lldf", "pathGlobFilter": "[ac].dat"}
    extents = list(open_file(folder / "a.dat", read_options({"spec": "bmc_lldf"})).extents())
    data = bytearray((folder / "a.dat").read_bytes())
    place = extents[len(extents) // 4].offset
    data[place - 4 : place - 2] = b"\0\1"
    (folder / "a.dat").write_bytes(data)
    for max_bytes in SPLITS:
        made = LmparseSource({**options, "maxPartitionBytes": str(max_bytes)})
        fields = [field for field in made.schema() if field.name != "_metadata"]
        reader = made.reader(StructType(fields))
        found = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
        assert len(found) == len(extents) // 4 + 1 + len(extents)
        assert sum(row["_corrupt_record"] is not None for row in found) == 1


@pytest.fixture
def luw(tmp_path: Path) -> tuple[Path, Path]:
    """The tables file, and a folder with it and a log in three files."""
    tables, log = db2_log.make(24).write(tmp_path)
    options = read_options({"tables": str(tables)})
    file = open_file(log, options)
    places = [extent.offset - file.framing.lead for extent in file.extents()]
    data, cuts = log.read_bytes(), [0, places[len(places) // 3], places[len(places) * 2 // 3]]
    made = tmp_path / "logs"
    made.mkdir()
    for number, (start, end) in enumerate(zip(cuts, [*cuts[1:], len(data)], strict=True)):
        (made / f"{number}.log").write_bytes(data[start:end])
    shutil.copy(tables, made / "tables.yaml")
    log.unlink()
    return made / "tables.yaml", made


@pytest.mark.parametrize("what", ["changes", "records"])
def test_a_folder_of_one_log_with_its_tables_file(luw: tuple[Path, Path], what: str) -> None:
    tables, made = luw
    options: dict[str, Any] = {"tables": tables, "include": "all"} if what == "changes" else {"spec": "db2_log"}
    whole = rows(path=made, **options)
    assert set(counts(whole)) == {"0.log", "1.log", "2.log"}
    assert bad(whole) == {}
    cut = made / "1.log"
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    (made / "3.log").write_bytes(b"no log at all" * 99)
    for max_bytes in SPLITS:
        found = rows(path=made, maxPartitionBytes=max_bytes, **options)
        damage = bad(found)
        assert {name: code for name, (code, *_) in damage.items()}.keys() == {"1.log", "3.log"}
        code, place, size = damage["1.log"]
        assert (code, place + size) == ("LMP-F006", cut.stat().st_size)
        # All records of the other files, and those of this one up to the damage.
        expected = [
            row["_metadata"] for row in whole
            if not row["_metadata"]["file"].endswith("1.log") or row["_metadata"]["record_offset"] < place
        ]  # fmt: skip
        sound = [row["_metadata"] for row in found if row["_corrupt_fields"] is None]
        assert sorted(map(str, sound)) == sorted(map(str, expected))
    with pytest.raises(DataError):
        rows(path=made, mode="failfast", **options)
    for name in ("0.log", "1.log", "2.log"):
        (made / name).unlink()
    assert list(bad(rows(path=made, **options))) == ["3.log"]


def test_comments_of_a_familys_columns_are_its_own(tmp_path: Path) -> None:
    tables, log = db2_log.make(units=1).write(tmp_path)
    made = LmparseSource({"path": str(log), "tables": str(tables)}).schema()
    comments = {field.name: field.metadata.get("comment", "") for field in made}
    assert comments["plan"] == comments["sql_type"] == "null for Db2 LUW"
    assert comments["txn_id"].startswith("transaction identifier")


# -- files that are not there ---------------------------------------------------------------


@pytest.mark.parametrize("path", ["logs", "logs/*.dat", "logs/*", "absent"])
@pytest.mark.parametrize("options", [{}, {"spec": "bmc_lldf"}, {"table": "PAYROLL.EMPLOYEE"}])
def test_nothing_to_read_is_an_error(
    tmp_path: Path, sample: tuple[bytes, bytes], path: str, options: dict[str, str]
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.ctl").write_bytes(sample[0])  # its log has not arrived
    with pytest.raises(DataError, match="LMP-F001"):
        rows(path=tmp_path / path, **options)


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_a_file_that_disappears_is_an_error(folder: Path, mode: str) -> None:
    made = LmparseSource({"path": str(folder), "spec": "bmc_lldf", "mode": mode})
    reader = made.reader(made.schema())
    parts = reader.partitions()
    (folder / "b.dat").unlink()
    with pytest.raises(DataError, match=r"b\.dat: cannot be read.*LMP-F001"):
        [batch for part in parts for batch in reader.read(part)]
