"""Extracts of a log that are read one after another, each behind the checkpoint of those before."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samples import db2_scripts as luw
from writers.db2 import dms, utility
from writers.db2.columns import Column
from writers.db2.stream import Stream, StreamRecord
from writers.db2.tables import Table

import lmparse
from lmparse.errors import LmparseError
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.joining import checkpoint_behind, checkpoint_place
from lmparse.logs.open import open_changes, open_resumed
from lmparse.storage.outputs import inputs_of, write_text

FORM = ("v10", "little", "filter")


class Extracts:
    """A log, and extracts of it that are read one after the other."""

    def __init__(self, folder: Path, form: tuple[str, str, str] = FORM, stream: Stream | Thinned | None = None) -> None:
        stream = stream or luw.full_stream(*form)
        self.folder, self.data = folder, stream.bytes()
        generation, order, framing = form
        self.options: dict[str, Any] = {
            "spec": "db2_log", "generation": generation, "byte_order": order, "framing": framing, "order": "commit",
        }  # fmt: skip
        whole = folder / "whole.log"
        whole.write_bytes(self.data)
        self.rows = [shown(row) for row in lmparse.open_log(whole, **self.options).changes()]
        lead = open_changes(whole, read_options(self.options)).framing.lead
        self.places = [record.offset - lead for record in stream.records][1:]
        self.state = folder / "state.json"
        self.said: list[str] = []
        """Gaps and errors that `read` was told of, each with its place in the whole log."""
        self.notes: list[str] = []
        """The notes of the last `read`."""

    def file(self, start: int, end: int) -> Path:
        path = self.folder / f"{start}-{end}.log"
        path.write_bytes(self.data[start:end])
        return path

    def read(self, *paths: Path) -> list[dict[str, Any]]:
        """The same by the engine that the options name."""
        errors: list[LmparseError] = []
        named = read_options({**self.options, "checkpoint": str(self.state)})
        log = open_resumed(paths, named, on_error=errors.append)
        texts = list(lines.printed(log, with_changes=True))
        write_text(checkpoint_behind(log).to_json(), checkpoint_place(log.options, inputs_of(paths)))
        self.notes = list(log.tally.notices)
        self.said += filter(None, map(self.placed, [*log.tally.notices, *map(str, errors)]))
        return [shown(json.loads(line)) for text in texts for line in text.splitlines()]

    def placed(self, text: str) -> str | None:
        """The place of the record that a message names, if it is a gap or an error, and what it says behind that."""
        found = re.fullmatch(r"(.*)record \d+ at (0x[0-9a-f]+)(?: of (.*log))?: (.*)", text)
        if found is None:
            return None
        name = found[3] or found[1].partition(": ")[0]
        start = int(Path(name).name.partition("-")[0]) if name.endswith(".log") and "-" in Path(name).name else 0
        return f"{start + int(found[2], 16)} {found[4]}"

    def run(self, *paths: Path) -> list[dict[str, Any]]:
        """The changes that one reading gives."""
        log = lmparse.open_log(paths, checkpoint=self.state, **self.options)
        rows = [shown(row) for row in log.changes()]
        log.save_checkpoint()
        return rows


def shown(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "_metadata"}


def with_gaps(seed: int) -> Stream:
    """Transactions at the same time that open, close and take back stretches in which rows are missing."""
    stream, chosen = Stream("v10", "little", "filter"), random.Random(seed)
    tables = [Table(3, number, f"T{number}", [Column("NO", "INTEGER", nullable=False)]) for number in (4, 5)]
    first = stream.begin()
    for table in tables:
        first.initialize(table)
    first.commit()
    units: list[Any] = []
    for number in range(60):
        if len(units) < 3:
            units.append(stream.begin())
            units[-1].insert(tables[0], {"NO": 100 + number})
        unit, table = chosen.choice(units), chosen.choice(tables)
        what = chosen.choice(["insert", "insert", "insert", "off", "truncate", "load", "commit", "commit", "abort"])
        if what == "insert":
            unit.insert(table, {"NO": number})
        elif what == "off":
            unit.alter_attribute(table, dms.PROPAGATION, 0)
        elif what == "truncate":
            unit.truncate(table)
        elif what == "load":
            body = utility.load_start(stream.server, 1, table.tablespace_id, table.table_id)
            unit.record("load_start", "load_start", body)
        else:
            getattr(unit, what)()
            units.remove(unit)
    return stream


@dataclass
class Thinned:
    """A log without some of its records, and with others that cannot be read."""

    stream: Stream
    dropped: set[int]
    damaged: set[int]

    def __post_init__(self) -> None:
        self.records: list[StreamRecord] = []
        self.data, lead = b"", self.stream.records[0].offset
        for number, (piece, record) in enumerate(zip(self.stream.pieces(), self.stream.records, strict=True)):
            if number in self.dropped:
                continue
            self.records.append(replace(record, offset=len(self.data) + lead))
            # Behind the header of 40 bytes, component and function: lengths that are longer than the record.
            head = lead + 42
            self.data += piece[:head].ljust(len(piece), b"\xff") if number in self.damaged else piece

    def bytes(self) -> bytes:
        return self.data
