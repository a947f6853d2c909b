"""Extracts of Log Master that are made and landed night by night, each with a control file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from export.landed_extracts import delta
from random_logs.log_master_units import wide
from writers.bmc import framing, logs
from writers.bmc.control import Table
from writers.bmc.rows import Column

import lmparse

K, V = Column("ID", "INT", 4, key_seq=1), Column("V", "VCHR", 20)
PLAIN = Column("ID", "INT", 4)
T = Table(0x105, 2, 3, "PROD", "T", (K, V))
U = Table(0x106, 2, 4, "PROD", "U", (K, V))
WITHOUT_KEY, OTHER_KEY = replace(T, columns=(PLAIN, V)), replace(T, columns=(PLAIN, replace(V, key_seq=1)))
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

    def landed(self, *paths: Path) -> lmparse.Landed:
        """Land extracts."""
        how = {"control": f"{self._folder}/{{stem}}.ctl", "current": True, **self._how}
        return lmparse.land(paths, self.to, **how)

    def rows(self, name: str) -> list[tuple[int, str]]:
        return [(row["ID"], row["V"]) for row in delta(self.to / "current" / f"PROD.{name}")]
