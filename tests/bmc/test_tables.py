"""Tables of a control file: names of columns, and the work that describing them takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engines import changes, changes_difference
from writers.bmc import control, framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

from lmparse.bmc.control import tables
from lmparse.bmc.control.control_file import ControlFile, ControlRecord
from lmparse.bmc.control.tables import read_tables
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.values import codepages

PAGE = codepages.lookup(37)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["A#3", "A", "A"], ["A#3", "A", "A#3#3"]),
        (["A", "A", "A#2"], ["A", "A#2#2", "A#2"]),
        (["C2", " ", "C3"], ["C2", "C2#2", "C3"]),
    ],
)
def test_each_column_has_its_own_value(names: list[str], expected: list[str], tmp_path: Path) -> None:
    """Whatever the names in the control file are; a blank one is C and the number."""
    writing = [f"COLUMN{number}" for number in range(1, 4)]
    table = Table(owner="PROD", name="T", columns=tuple(Column(name, "INT", 4) for name in writing))
    writer = logs.Writer((table,))
    writer.add(logs.Unit(1), table, "I", after=dict(zip(writing, (7, 8, 9), strict=True)))
    example = writer.example()
    named = iter(names)
    records = [
        record.replace(writing[0][:-1].encode("cp037") + record[record.index(b"\xc3\xd6\xd3\xe4\xd4\xd5") + 6 :][:1],
                       next(named).encode("cp037").ljust(7, b"\x40"))
        if record[:4] == "DLCI".encode("cp037") else record
        for record in example.control_records
    ]  # fmt: skip
    (tmp_path / "a.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(records))
    found = [changes(tmp_path / "a.dat", engine, control=str(tmp_path / "a.ctl")) for engine in ("kaitai", "columnar")]
    assert not changes_difference(*found)
    (rows,) = found[0].tables.values()
    assert rows["after"].to_pylist() == [dict(zip(expected, (7, 8, 9), strict=True))]
    assert not found[0].errors


class Counted(dict[str, Any]):
    """Values that count how often they are read."""

    reads: ClassVar[Counter[str]] = Counter()

    def __getitem__(self, name: str) -> Any:
        Counted.reads["values"] += 1
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        Counted.reads["values"] += 1
        return super().get(name, default)


def values_of(raw: bytes) -> Counted:
    return Counted(RecordReader(catalog.load("bmc_control"), code_page=PAGE).read(raw).values)


@pytest.mark.parametrize("same", [False, True], ids=["tables", "one table, described again and again"])
def test_tables_are_described_in_linear_time(same: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    table, alias = values_of(control.dtbi()), values_of(control.dtob())
    columns = [Counted(values_of(control.dlci()), ll_column_num=number) for number in range(1, 20)]
    key = {name: table[name] for name in ("sysid", "dbid", "tbobid", "sequence_number")}
    reads, one_column = [], tables.read_column
    for count in (200, 400, 800):
        ids = [key if same else key | {"tbobid": f"{number:04X}"} for number in range(count)]
        records = [Counted(table, **one) for one in ids]
        records += [Counted(alias, sysid=one["sysid"], dbid=one["dbid"], obid=f"{number:04X}")
                    for number, one in enumerate(ids)]  # fmt: skip
        records += [Counted(column, **one) for one in (ids[:1] if same else ids) for column in columns]
        made = [ControlRecord(at, 0, values["cntl_record_type"], values) for at, values in enumerate(records)]
        Counted.reads.clear()
        with monkeypatch.context() as patch:
            patch.setattr(
                tables, "read_column", lambda *given: (Counted.reads.update(["columns"]), one_column(*given))[1]
            )
            found = read_tables(ControlFile("a.ctl", "rdw", tuple(made)), PAGE)
        assert len(found.versions) == count
        assert len(found.versions[-1].columns) == 19
        reads.append(Counted.reads.total())
    assert reads[2] <= 2.1 * reads[1] <= 2.1 * 2.1 * reads[0]
