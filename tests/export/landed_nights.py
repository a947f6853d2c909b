"""Extracts of Log Master that are made and landed night by night, each with a control file of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from export.landed_extracts import delta
from random_logs.log_master_units import wide
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse
from lmparse.bmc import decoder

K, V = Column("ID", "INT", 4, key_seq=1), Column("V", "VCHR", 20)
PLAIN = Column("ID", "INT", 4)
T = Table(0x105, 2, 3, "PROD", "T", (K, V))
U = Table(0x106, 2, 4, "PROD", "U", (K, V))
WITHOUT_KEY, OTHER_KEY = replace(T, columns=(PLAIN, V)), replace(T, columns=(PLAIN, replace(V, key_seq=1)))
UNVERSIONED = "changes are without a table version, and so in changes/other"
LEFT_OUT = (UNVERSIONED, "no key of it is known")
"""Reasons of marks that earlier versions did not make of tables without a current one."""
Step = tuple[Table, str, int]
"""A table, a change type, and the number of the row."""


class Nights:
    """A Log Master log of which one extract is made each night, with a control file of its own."""

    def __init__(self, folder: Path, **how: Any) -> None:
        self._folder, self.to, self._how, self._count = folder, folder / "to", how, 0

    def extract(
        self, *steps: Step, described: Sequence[Table], without: Sequence[str] = (), has_ids: bool = True
    ) -> Path:
        """The next extract, whose control file describes some tables, and whose header lacks some fields.

        Without DTBI records, not all ids of these tables are known.
        """
        self._count += 1
        options = logs.Options(lines=wide(*without) if without else None)
        writer = logs.Writer([T, U], options)
        for number, (form, kind, row) in enumerate(steps):
            begun, place, end = (f"{(self._count << 16) + behind:020X}" for behind in (0, number + 1, 1 << 15))
            places = {"log_rba": place, "log_lrsn": place, "uor_id": begun, "uor_id_lrsn": begun}
            places |= {"uor_commit_point": end, "uor_commit_lrsn": end}
            before, after = {"ID": row, "V": "a"}, {"ID": row, "V": "b" if kind == "UB" else "a"}
            rows = {"I": (None, after), "UB": (before, after), "D": (before, None)}.get(kind, (None, None))
            parts = ["PROD", "CLONE"] if kind == "E" else []
            writer.add(logs.Unit(self._count), form, kind, *rows, parts, **places)
        made = writer.example(header=options.header)
        path = self._folder / f"e{self._count}.dat"
        path.write_bytes(framing.rdw(made.data_records))
        controlled = logs.with_tables(made, *described, header=options.header)
        records = [one for one in controlled.control_records if has_ids or "DTBI".encode("cp037") not in one[:12]]
        path.with_suffix(".ctl").write_bytes(framing.rdw(records))
        return path

    def land(self, *paths: Path) -> dict[str | None, list[str]]:
        """Land extracts; returns the marks of each table that has some or has changes."""
        return marks_of(self.landed(*paths))

    def landed(self, *paths: Path) -> lmparse.Landed:
        """Land extracts."""
        how = {"control": f"{self._folder}/{{stem}}.ctl", "current": True, **self._how}
        return lmparse.land(paths, self.to, **how)

    def rows(self, name: str) -> list[tuple[int, str]]:
        return [(row["ID"], row["V"]) for row in delta(self.to / "current" / f"PROD.{name}")]


def marks_of(landed: lmparse.Landed) -> dict[str | None, list[str]]:
    return {one.table: [mark["reason"] for mark in one.marks] for one in landed.tables}


# -- what earlier versions left ---------------------------------------------------------------------


def made_earlier(to: Path) -> None:
    """Take out of the state what earlier versions did not write, and the marks that they did not make."""
    path = to / "_lmparse" / "land.json"
    state = json.loads(path.read_text())
    del state["left_out"]
    for one in state["tables"]:
        del one["emptied"]
        left_out = LEFT_OUT if one["key"] is None else LEFT_OUT[:1]
        one["marks"] = [mark for mark in one["marks"] if mark["reason"] not in left_out]
    path.write_text(json.dumps(state, indent=2))


@contextmanager
def ids_left_out() -> Iterator[None]:
    """Changes do not say the ids of their table, as in earlier versions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoder, "TABLE_IDS", "ids")
        yield
