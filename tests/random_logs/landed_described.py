"""Tables that are described in some nights only: the current table is right, or it is refused; and not for nothing.

With `land --current`, of both families: changes without a description, tables that are emptied, dropped and created
with or without one, and runs that are killed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from export.landed_extracts import Extracts, delta
from export.landed_nights import PLAIN, Nights, T, U, V
from writers.db2 import tables as luw
from writers.db2.columns import Column
from writers.db2.stream import Transaction

import lmparse
from random_logs.landed_runs import KilledError, killed_at

LOGS = 12
KEYS = (1, 2, 3)
_HEADERS = ((), (), (), ("TABLENAME",), ("TABLEOWNER", "TABLENAME"))


@dataclass(frozen=True)
class Step:
    """A change of a table, which is given by its number."""

    table: int
    kind: str
    row: int = 0


@dataclass
class Known:
    """A table: its rows, and whether a target can have all of them."""

    rows: dict[int, str] = field(default_factory=dict)
    is_there: bool = True
    """Whether it is not dropped."""
    is_known: bool = True
    """Whether the rows are those of its changes; an exchange puts others there."""
    may_be_refused: bool = False
    """Whether a change has no description, or it is not known what it does."""

    def take(self, step: Step, *, is_described: bool) -> None:
        """Take a change."""
        if step.kind == "truncate" and is_described:
            self.may_be_refused = False
        elif not is_described or step.kind in ("exchange", "drop", "create"):
            self.may_be_refused = True
        self._change(step.kind, step.row)

    def _change(self, kind: str, row: int) -> None:
        if kind in ("insert", "update"):
            self.rows[row] = "b" if kind == "update" else "a"
        elif kind == "delete":
            del self.rows[row]
        elif kind == "exchange":
            self.is_known = False
        else:
            self.rows.clear()
            self.is_there, self.is_known = kind != "drop", True

    def next_step(self, chance: random.Random, number: int, whole: Sequence[str]) -> Step:
        """A change that may come next; `whole` are those of whole tables."""
        if not self.is_there:
            return Step(number, "create")
        if not self.is_known or chance.random() < 0.3:
            return Step(number, chance.choice(whole))
        row = chance.choice(KEYS)
        return Step(number, chance.choice(("update", "delete")) if row in self.rows else "insert", row)


@dataclass(frozen=True)
class Night:
    """What happens in a night."""

    steps: Sequence[Step]
    described: frozenset[int]
    """Numbers of the tables that its description has."""
    without_key: frozenset[int] = frozenset()
    """Those of which it does not say the key."""


class Log(Protocol):
    """A log that is written night by night."""

    to: Path
    ids: Sequence[str]
    """Those of the tables."""
    whole: Sequence[str]
    """Kinds of changes of whole tables."""
    most: int
    """Nights that may be landed together."""

    def write(self, chance: random.Random, night: Night) -> None:
        """Write the next night."""

    def land(self, first: int, count: int) -> lmparse.Landed:
        """Land some nights."""


class LogMaster:
    """Extracts, each with a control file."""

    whole, most = ("truncate", "truncate", "exchange"), 3
    ids = ("DB2A.0105.0002.0003", "DB2A.0106.0002.0004")

    def __init__(self, folder: Path) -> None:
        self._log, self._folder, self._paths = Nights(folder), folder, list[Path]()
        self.to = self._log.to

    def write(self, chance: random.Random, night: Night) -> None:
        """The next extract."""
        codes = {"insert": "I", "update": "UB", "delete": "D", "exchange": "E"}
        steps = [((T, U)[s.table], codes.get(s.kind) or chance.choice(("DT", "DM")), s.row) for s in night.steps]
        forms = [
            replace((T, U)[number], columns=(PLAIN, V)) if number in night.without_key else (T, U)[number]
            for number in sorted(night.described)
        ]
        self._paths.append(self._log.extract(*steps, described=forms, without=chance.choice(_HEADERS)))

    def land(self, first: int, count: int) -> lmparse.Landed:
        """Land extracts."""
        control = f"{self._folder}/{{stem}}.ctl"
        return lmparse.land(self._paths[first : first + count], self.to, control=control, current=True)


class Db2:
    """Files of a log, each with a tables file."""

    whole, most = ("truncate", "drop", "drop"), 1
    ids = ("3.5", "3.6")

    def __init__(self, folder: Path) -> None:
        self._log, self.to = Extracts(folder), folder / "to"
        columns = (Column("ID", "INTEGER", nullable=False), Column("V", "CHAR(1)"))
        self._tables = [luw.Table(3, 5 + number, name, columns) for number, name in enumerate("TU")]
        self._nights: list[tuple[luw.Table, ...]] = []

    def write(self, chance: random.Random, night: Night) -> None:
        """The next file, with one transaction or several."""
        stream = self._log.stream
        start, count = len(stream.bytes()), chance.choice((1, len(night.steps)))
        steps = iter(night.steps)
        while some := [*islice(steps, max(1, len(night.steps) // max(1, count)))]:
            unit = stream.begin()
            for step in some:
                self._change(unit, step)
            unit.commit()
        (self._log.folder / f"{len(self._nights)}.log").write_bytes(stream.bytes()[start:])
        self._nights.append(tuple(self._tables[number] for number in sorted(night.described)))

    def _change(self, unit: Transaction, step: Step) -> None:
        table, row = self._tables[step.table], {"ID": step.row, "V": "a"}
        whole: dict[str, Any] = {
            "truncate": unit.truncate, "drop": unit.drop_table, "create": unit.create_table,
        }  # fmt: skip
        if step.kind in whole:
            whole[step.kind](table)
        elif step.kind == "insert":
            unit.insert(table, row)
        elif step.kind == "update":
            unit.update(table, row, {**row, "V": "b"})
        else:
            unit.delete(table, row)

    def land(self, first: int, count: int) -> lmparse.Landed:
        """Land the file of a night."""
        return self._log.land(files=(*range(first, first + count),), tables=self._nights[first])


def check(seed: int, folder: Path) -> Counter[str]:
    """Land a log night by night, and compare its tables after each run."""
    chance = random.Random(seed)
    log: Log = chance.choice((LogMaster, LogMaster, Db2))(folder)
    return _Landing(chance, log).run()


class _Landing:
    """A log that is landed in runs."""

    def __init__(self, chance: random.Random, log: Log) -> None:
        self._chance, self._log = chance, log
        self._without_key: set[int] = set()
        """Tables of which some night's description does not say the key."""
        self._tables = [Known() for _ in log.ids]
        self._counts: Counter[str] = Counter()
        self._often = chance.choice((0.2, 0.5, 0.8))
        """How often a table is described."""

    def run(self) -> Counter[str]:
        """Write and land all nights."""
        chance, done = self._chance, 0
        for _ in range(chance.randint(3, 7)):
            nights = [self._night() for _ in range(chance.randint(1, self._log.most))]
            landed = self._land(done, len(nights))
            done += len(nights)
            self._without_key |= {number for night in nights for number in night.without_key}
            self._check(landed)
        return self._counts

    def _night(self) -> Night:
        chance, steps = self._chance, list[Step]()
        described = frozenset(number for number in range(len(self._tables)) if chance.random() < self._often)
        has_key = not isinstance(self._log, LogMaster) or chance.random() < 0.9
        for _ in range(chance.randint(1, 4)):
            number = chance.randrange(len(self._tables))
            steps.append(self._tables[number].next_step(chance, number, self._log.whole))
            self._tables[number].take(steps[-1], is_described=number in described)
        night = Night(steps, described, frozenset() if has_key else described)
        self._log.write(chance, night)
        return night

    def _land(self, first: int, count: int) -> lmparse.Landed:
        """One run, which may be killed and tried again."""
        for _ in range(self._chance.choice((0, 0, 1, 2))):
            try:
                with killed_at(self._chance.randrange(40)):
                    self._log.land(first, count)
            except KilledError:
                self._counts["killed runs"] += 1
        self._counts["runs"] += 1
        return self._log.land(first, count)

    # -- what is landed ---------------------------------------------------------------------------

    def _check(self, landed: lmparse.Landed) -> None:
        state = json.loads((self._log.to / "_lmparse" / "land.json").read_text())
        folders = {one["ids"]: one["folder"] for one in state["tables"]}
        refused = {one.folder: one.refusal for one in landed.tables if one.is_refused}
        for number, ids in enumerate(self._log.ids):
            table = self._tables[number]
            path = self._log.to / "current" / folders.get(ids, "-")
            if path.name in refused:
                assert table.may_be_refused or number in self._without_key, refused[path.name]
                self._counts["refused"] += 1
            elif path.is_dir():
                assert table.is_known, f"{path.name} is not refused"
                if table.is_there:
                    rows = {row["ID"]: row["V"] for row in delta(path)}
                    assert rows == table.rows, f"{path.name} has {rows}, not {table.rows}"
                    self._counts["compared"] += 1
