"""No option is taken and ignored: each changes the table that a function returns, or is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from writers.bmc import framing, logs

import lmparse
from lmparse.options import Options
from lmparse.samples import db2_log

BAD = Path(__file__).parents[1] / "cases_bad" / "db2_transaction" / "v10_little_authid_not_utf8.bin"
VALUES: dict[str, tuple[Any, ...]] = {
    "spec": ("zos_rdw",),
    "framing": ("fixed", "lsn8"),
    "record_length": (100,),
    "record_length_field": ("length",),
    "rdw_endian": ("little",),
    "rdw_includes_header": (False,),
    "rdw_adjustment": (1,),
    "bdw_endian": ("big",),
    "bdw_includes_header": (True,),
    "bdw_adjustment": (1,),
    "file_start_offset": (1,),
    "file_end_offset": (1,),
    "control": ("no such file",),
    "control_framing": ("bdw",),
    "tables": ("no such file",),
    "generation": ("v7",),
    "byte_order": ("big",),
    "code_page": ("latin-1",),
    "mode": ("failfast", "dropmalformed"),
    "limits": ("recordBytes=10",),
    "rows": ("no_such",),
    "columns": ("NO_SUCH",),
    "enums": ("numbers",),
    "row_images": ("exclusive",),
    "decisions": ("null_bytes=absent",),
    "floats": ("ieee",),
    "include": ("open",),
    "operations": ("S",),
    "table": ("NO.SUCH",),
    "table_version": (9,),
    "starting_seq": ("F" * 72,),
    "starting_after": ("F" * 72,),
    "checkpoint": ("no such file",),
    "ending_seq": ("0" * 72,),
    "starting_timestamp": ("2030-01-01T00:00:00",),
    "ending_timestamp": ("2001-01-01T00:00:00",),
    "header": (True,),
    "order": ("commit",),
    "envelope": ("debezium", "changefeed"),
    "source_time_zone": ("Europe/Paris",),
    "trim": (False,),
}
"""Values that no log below is read with otherwise, each of which must be seen."""
UNSEEN = {
    "engine": "engines give the same: tests/logs/test_log.py and test_face.py break one of them",
}
NOTHING_TO_DO = {
    "any records": ("code_page", "mode", "enums"),
    **dict.fromkeys(("records of bmc", "records of bmc, with control", "control records"), ("enums",)),
}
"""Options without an effect: records of which nothing is known have no text and are never bad, and those of Log Master
have no numbers with an enumeration."""
READINGS = (
    *("changes of bmc", "changes of db2", "records of bmc", "records of bmc, with control", "control records"),
    *("records of db2", "any records", "summary of bmc", "summary of db2"),
)


@dataclasses.dataclass(frozen=True)
class Reading:
    """A function that gives a table, and a file for it on which every option that it takes can be seen."""

    read: Callable[..., pa.Table]
    path: Path
    options: dict[str, Any]

    def table(self, **more: Any) -> pa.Table:
        return self.read(self.path, **self.options | more)


def summary(path: Path, **options: Any) -> pa.Table:
    """The numbers of a summary as a table of one row."""
    return pa.table({"numbers": [json.dumps(lmparse.summary(path, **options).to_dict())]})


@cache
def readings(folder: Path) -> dict[str, Reading]:
    """Functions and files by READINGS. The last record or some values of each file are bad."""
    example = logs.example()
    (folder / "a.dat").write_bytes(framing.rdw([*example.data_records, example.data_records[0][:100]]))
    (folder / "a.ctl").write_bytes(framing.rdw(example.control_records))
    (folder / "bad.ctl").write_bytes(framing.rdw([*example.control_records, example.control_records[0][:3]]))
    db2_log.make().write(folder)
    log = (folder / "sample.log").read_bytes()
    assert b"000001" in log
    assert b"Anna" in log
    (folder / "sample.log").write_bytes(log.replace(b"000001", b"0001  ").replace(b"Anna", b"Ann\xff"))
    control, tables = {"control": str(folder / "a.ctl")}, {"tables": str(folder / "sample.yaml")}
    names = {"framing": "filter", "byte_order": "little", "generation": "v10"}
    return {
        "changes of bmc": Reading(lmparse.read_changes, folder / "a.dat", control | {"include": "all"}),
        "changes of db2": Reading(lmparse.read_changes, folder / "sample.log", tables | {"include": "all"}),
        "records of bmc": Reading(lmparse.read_table, folder / "a.dat", {"spec": "bmc_lldf"}),
        "records of bmc, with control": Reading(lmparse.read_table, folder / "a.dat", {"spec": "bmc_lldf", **control}),
        "control records": Reading(lmparse.read_table, folder / "bad.ctl", {"spec": "bmc_control"}),
        "records of db2": Reading(lmparse.read_table, BAD, {"spec": "db2_log", **names}),
        "summary of bmc": Reading(summary, folder / "a.dat", control),
        "summary of db2": Reading(summary, folder / "sample.log", tables),
        "any records": Reading(lmparse.read_table, folder / "a.dat", {"spec": "common_raw", "framing": "rdw"}),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("options")


def is_seen(reading: Reading, base: pa.Table, option: str, value: Any) -> bool:
    """Whether an option is refused, or makes a difference to the schema or the rows."""
    try:
        found = reading.table(**{option: value})
    except lmparse.LmparseError:
        return True
    return not found.schema.equals(base.schema) or found.to_pylist() != base.to_pylist()


def test_every_option_has_a_value() -> None:
    assert {*VALUES, *UNSEEN} == {entry.name for entry in dataclasses.fields(Options)}
    assert not VALUES.keys() & UNSEEN.keys()


@pytest.mark.parametrize("name", READINGS)
def test_no_option_is_ignored(folder: Path, name: str) -> None:
    reading = readings(folder)[name]
    base = reading.table()
    assert base.num_rows
    unseen = {
        option for option, values in VALUES.items() for value in values if not is_seen(reading, base, option, value)
    }
    assert unseen == set(NOTHING_TO_DO.get(name, ()))


def test_options_of_other_commands_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = (entry for entry in dataclasses.fields(Options) if entry.name == "mode")
    monkeypatch.setattr(entry, "metadata", {**entry.metadata, "of": "explain"})
    for read in (lmparse.read_changes, lmparse.read_table, lmparse.open_log):
        with pytest.raises(lmparse.OptionError, match=f"^mode means nothing for {read.__name__}"):
            read(folder / "a.dat", mode="failfast")
