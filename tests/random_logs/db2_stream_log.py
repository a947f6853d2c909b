"""Random Db2 LUW logs of one to three log streams, some of which rest or begin late, with rows of one table.

Each transaction is in one log stream. Records are kept as the writer made them, so that a field can be damaged, or a
record left out, doubled or moved, before they become bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from samples.db2_scripts import tables_file
from writers.db2.columns import Column
from writers.db2.framing import prefix
from writers.db2.header import record
from writers.db2.scripts import Form
from writers.db2.stream import FIRST_LSO, Parts, Stream, Transaction
from writers.db2.tables import Table
from writers.db2.wire import Raw, Server

TABLE = Table(3, 4, "T", (Column("ROW_NO", "INTEGER", nullable=False),))
_FAR = 1 << 40
"""Between the first addresses of log streams, if they are not the same."""
_ROWS = ("insert", "undo_insert")
_MOST_OPEN = 4


class StreamsOfLog(Stream):
    """A log of several log streams; rows may be shorter in the log than they are returned."""

    def __init__(self, chance: Random, form: Form, *, is_shortened: bool) -> None:
        super().__init__(form.generation, form.byte_order, form.framing)
        self._shortened = Random(chance.random()) if is_shortened else None
        far = chance.choice((0, _FAR))
        self._addresses = {stream: FIRST_LSO + stream * far for stream in range(3)}

    def switch(self, stream: int) -> None:
        """What is written next is in this log stream."""
        self._addresses[self.stream_id] = self._lso
        self.stream_id, self._lso = stream, self._addresses[stream]

    def go_back(self, count: int) -> None:
        """The buffer goes to disk, and log sequence numbers go on in front of those that were."""
        self.flush()
        self._lsn = max(1, self._lsn - count)

    def _advance(self, length: int) -> int:
        # Rows that are compressed in the log are returned as they are without compression: `realLogRecLen` is the
        # length of that, and the next record is nearer than it says.
        own = self._shortened
        if own is not None and self.records[-1].kind in _ROWS and own.random() < 0.5:
            length -= own.choice((4, 12, 20))
        return super()._advance(length)


@dataclass(frozen=True)
class StreamLog:
    """A log that was written."""

    form: Form
    parts: list[Parts]
    committed: list[int]
    """Numbers of the rows that were committed, in the order of commits."""
    is_shortened: bool
    turns: list[int]
    """Numbers of records in front of which other log streams begin to rest."""

    @property
    def states_addresses(self) -> bool:
        return self.form.framing == "filter" or self.form.generation != "v10"

    @property
    def records(self) -> list[Raw]:
        return [encoded(self.form, one) for one in self.parts]

    @property
    def streams(self) -> list[int]:
        """The log stream of each record."""
        return [one.framed.stream_id for one in self.parts]

    def late_file(self, cuts: Sequence[tuple[int, int]]) -> int | None:
        """The number of the first file with a log stream that the first one does not have: it is refused."""
        streams = [set(self.streams[begin:end]) for begin, end in cuts]
        return next((number for number, found in enumerate(streams) if found - streams[0]), None)

    def options(self, folder: Path) -> dict[str, Any]:
        """What it is read with; the table is described in a file in this folder."""
        return {
            "framing": self.form.framing, "byte_order": self.form.byte_order, "generation": self.form.generation,
            "tables": tables_file(folder, TABLE),
        }  # fmt: skip


def encoded(form: Form, parts: Parts) -> Raw:
    """The bytes of a record with its prefix."""
    server = Server(form.generation, form.byte_order)
    return prefix(form.framing, form.byte_order, parts.framed) + record(server, parts.header, parts.body)


def offsets(records: Sequence[Raw]) -> list[int]:
    """Where each record begins, and the end of the last one."""
    return [0, *accumulate(map(len, records))]


def stream_log(chance: Random, form: Form, *, is_shortened: bool = False, reused: float = 0) -> StreamLog:
    """A random log; of several log streams from 10.1 on. `reused` is the share of transactions that begin with an
    identifier that was used before, if there is one."""
    # Without the filter of the log reader, rows are returned as they are in the log.
    is_shortened = is_shortened and form.framing.startswith("filter")
    stream = StreamsOfLog(chance, form, is_shortened=is_shortened)
    turns = _write(chance, stream, chance.choice((1, 2, 2, 3)) if form.generation == "v10" else 1, reused)
    parts = stream.parts
    if chance.random() < 0.3:  # headers of 40 bytes do not have the log stream set
        parts = (
            [replace(one, header=replace(one.header, stream_id=0)) for one in parts]
            if form.framing == "filter"
            else parts
        )
    committed = [change["after"]["ROW_NO"] for change in stream.expected()]
    return StreamLog(form, parts, committed, is_shortened, turns)


def _write(chance: Random, stream: StreamsOfLog, count: int, reused: float) -> list[int]:
    """Write the log; returns the places where other log streams rest from there on."""
    open_: list[tuple[Transaction, int]] = []
    ended: list[tuple[Transaction, int]] = []
    live, turns = [0], []
    share, widths = chance.choice(((0.15, (1, 1, 2, 3)), (0.35, (1,))))
    """Log streams that do not rest."""
    for number in range(chance.choice((8, 14, 25, 40))):
        if chance.random() < share:
            live = chance.sample(range(count), min(chance.choice(widths), count))
            turns.append(len(stream.parts))
        if stream.server.generation == "v10" and chance.random() < 0.3:
            stream.go_back(chance.choice((0, 0, 3)))
        own = [one for one in open_ if one[1] in live]
        if len(open_) < _MOST_OPEN and (not own or chance.random() < 0.5):
            own = [(stream.begin(), chance.choice(live))]
            open_ += own
            free = [one for one in ended if one[1] == own[0][1]]
            if free and chance.random() < reused:
                before = chance.choice(free)
                own[0][0].tid = before[0].tid
                ended.remove(before)
        if own:
            one = chance.choice(own)
            _go_on(chance, stream, open_, one, number)
            ended += [one] * (one not in open_)
    for unit, where in open_:
        if chance.random() < 0.8:
            stream.switch(where)
            unit.commit()
    return [place for place in dict.fromkeys(turns) if 0 < place < len(stream.parts)]


def _go_on(
    chance: Random,
    stream: StreamsOfLog,
    open_: list[tuple[Transaction, int]],
    one: tuple[Transaction, int],
    number: int,
) -> None:
    """A row of a transaction, and perhaps its end."""
    unit, where = one
    stream.switch(where)
    unit.insert(TABLE, {"ROW_NO": number})
    if chance.random() < 0.4:
        unit.commit() if chance.random() < 0.85 else unit.abort()
        open_.remove(one)
