"""Random scripts of Db2 LUW logs: transactions side by side with every kind of event, from a seed.

Nothing says what a reader must give for it: two readers are compared.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from writers.db2 import datalink, ddl, dms, dom, lf, lob, transaction, utility, xml
from writers.db2.columns import Column
from writers.db2.framing import FRAMINGS
from writers.db2.header import PROPAGATABLE, SINGULAR_TRANSACTION
from writers.db2.scripts import Done, Form, Script, Unit
from writers.db2.stream import LOB_SEGMENT, NO_TID
from writers.db2.tables import Table
from writers.db2.values import External, OutOfRow
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, Rid

from samples.db2_scripts import tables_file

FORMS = [Form(*form) for form in product(GENERATIONS, BYTE_ORDERS, FRAMINGS)]
_ID = Column("ID", "INTEGER", nullable=False)
ITEM = Table(3, 5, "ITEM", (_ID, Column("NAME", "VARCHAR(20)")))
MIXED = Table(
    2, 4, "MIXED",
    (_ID, Column("CODE", "CHAR(3)"), Column("NAME", "VARCHAR(40)", nullable=False), Column("SUM", "DECIMAL(9,2)"),
     Column("DAY", "DATE"), Column("AT", "TIMESTAMP(6)"), Column("RATE", "DOUBLE"), Column("N", "BIGINT")),
)  # fmt: skip
SQUEEZED = Table(3, 6, "SQUEEZED", (_ID, Column("NAME", "VARCHAR(20)"), Column("N", "BIGINT")), value_compression=True)
DOC = Table(2, 9, "DOC", (_ID, Column("BODY", "CLOB(1M)")))
PAIR = Table(2, 10, "PAIR", (_ID, Column("A", "CLOB(1M)"), Column("B", "BLOB(1M)")))
XDOC = Table(2, 11, "XDOC", (_ID, Column("X", "XML"), Column("B", "CLOB(1M)")))
WIDE = Table(2, 12, "WIDE", (_ID, Column("A", "VARCHAR(20000)"), Column("B", "VARCHAR(20000)")))
UNKNOWN = Table(9, 1, "UNKNOWN", ITEM.columns)
"""Nothing describes it."""
PLAIN = (ITEM, ITEM, MIXED, SQUEEZED, UNKNOWN, DOC)
DESCRIBED = (ITEM, MIXED, SQUEEZED, DOC, PAIR, XDOC, WIDE)
POINTER, MOVED_HERE = 0x02, 0x04

WEIGHTS: dict[str, float] = {
    "insert": 30, "update": 12, "delete": 12, "old kinds": 3, "empty page": 4, "many rows": 4, "savepoint": 9,
    "compensation at random": 2, "moved row": 3, "pointer": 3, "lob": 6, "pieces alone": 2, "pieces taken back": 1.5,
    "out of row": 2, "xml": 2, "other pieces": 1, "singular": 2, "no transaction": 1.5, "compressed still": 1.5,
    "class differs": 1, "unlisted": 1, "begins before": 2, "alone": 2, "ended already": 1.5, "initialize": 0.7,
    "add columns": 0.7, "attribute": 1.5, "truncate": 0.7, "load": 0.5, "not logged": 0.5, "objects": 1.5, "named": 1,
    "prepare": 0.5, "other stream": 0.5,
}  # fmt: skip
"""Of each event, how often it occurs beside the others."""
ENDS: dict[str, float] = {
    "commit": 60, "mpp coordinator": 3, "mpp subordinate": 3, "heuristic commit": 2, "local pending list": 2,
    "global pending list": 1, "bad authorization id": 0.5, "rollback": 10, "abort alone": 6, "heuristic abort": 3,
    "left open": 3, "used again while open": 4,
}  # fmt: skip


@dataclass
class Plan:
    """What a random script is to be.

    Attributes:
        transactions: how many begin.
        steps: events of each, on average.
        width: how many are open at once.
        damage: share of damaged records.
        torn: how it ends: `cut` inside a record, with `zeros`, or soundly.
        weights: of events and ends, beside those above.
    """

    transactions: int = 25
    steps: float = 4.0
    width: int = 6
    streams: int = 1
    damage: float = 0.0
    torn: str = ""
    weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, seed: int, transactions: int = 25) -> Plan:
        """A plan from a seed: every other one is without damage, and each has some kinds more often than others."""
        chance = random.Random(seed * 7919)
        moods = {name: chance.choice((0.3, 1, 1, 3)) for name in (*WEIGHTS, *ENDS)}
        for name in ("initialize", "add columns"):
            moods[name] *= min(1.0, 300 / transactions)  # each makes a table version, of which there are few in a log
        damage = (0.0, 0.01, 0.0, 0.08)[seed % 4]
        return cls(
            transactions, chance.choice((2.0, 4.0, 9.0)), chance.choice((1, 4, 6, 15)), chance.choice((1, 1, 3)),
            damage, ("cut", "zeros")[seed // 12 % 2] if seed % 12 == 3 else "", moods,
        )  # fmt: skip


class RandomScript:
    """Writes one random script."""

    def __init__(self, form: Form, seed: int, plan: Plan) -> None:
        self.chance, self.plan = random.Random(seed), plan
        self.log = Script(form, self.chance, streams=plan.streams, damage=plan.damage)
        self.server = self.log.server
        self.events = self.log.events
        self.open: list[Unit] = []
        self._ended: list[bytes] = []
        self._ends: dict[tuple[Table, Rid], int] = {}
        """Where the value of a row ends in the LOB object."""
        self._lob_end = 0
        self._form: lob.AddressForm = "u64" if seed % 2 else "double"
        self._steps, self._step_sums = self._choices(WEIGHTS)
        self._endings, self._end_sums = self._choices(ENDS)

    def _choices(self, weights: dict[str, float]) -> tuple[list[str], list[float]]:
        sums, total = [], 0.0
        for name, weight in weights.items():
            total += weight * self.plan.weights.get(name, 1)
            sums.append(total)
        return list(weights), sums

    def write(self) -> Script:
        """The whole script."""
        first = Unit(self.log.new_tid())
        for table in DESCRIBED:
            if self.chance.random() < 0.8 and not (self.server.is_v7 and table is WIDE):
                self._describe(first, table)
        self.log.put(first, "commit", self._commit_body())
        left = self.plan.transactions
        while left or self.open:
            if left and len(self.open) < self.plan.width and (not self.open or self.chance.random() < 0.3):
                self.open.append(self._begin())
                left -= 1
            place = self.chance.randrange(len(self.open))
            unit = self.open[place]
            if unit.left > 0:
                unit.left -= 1
                self._event(unit)
            else:
                self.open[place] = self.open[-1]
                self.open.pop()
                self._end(unit)
        if self.plan.torn:
            self.log.tear(self.plan.torn)
        return self.log

    # Beginnings and ends

    def _begin(self) -> Unit:
        chance = self.chance
        tid = self.log.new_tid()
        if self._ended and chance.random() < 0.15:
            tid = chance.choice(self._ended)
            self.events["identifier used again"] += 1
        steps = int(chance.expovariate(1 / self.plan.steps)) + (chance.random() < 0.9)
        return Unit(tid, chance.randrange(self.log.streams), left=steps)

    def _event(self, unit: Unit) -> None:
        (name,) = self.chance.choices(self._steps, cum_weights=self._step_sums)
        self.events[name] += 1
        _EVENTS[name](self, unit)

    def _end(self, unit: Unit) -> None:
        (name,) = self.chance.choices(self._endings, cum_weights=self._end_sums)
        self.events[name] += 1
        log, server = self.log, self.server
        if name == "left open":
            return
        if name == "used again while open":
            self.open.append(Unit(unit.tid, unit.stream, left=self.chance.randrange(1, 4)))
            return
        if name == "rollback":
            self._undo(unit, len(unit.done))
        if name in ("rollback", "abort alone", "heuristic abort"):
            kind = "heuristic_abort" if name == "heuristic abort" else "abort"
            log.put(unit, kind, transaction.abort(server, self._user()))
        elif name == "bad authorization id":
            body = transaction.commit(server, 1_773_500_000, "~~")
            log.put(unit, "commit", body.replace(b"~~", b"\xff\xfe"))
        elif name == "heuristic commit":
            self.log.put(unit, "heuristic_commit", self._commit_body())
        elif name == "mpp coordinator":
            body = transaction.mpp_coordinator_commit(server, self._seconds(), self._user(), nodes=(0, 3, 9))
            self.log.put(unit, "mpp_coordinator_commit", body)
        elif name == "mpp subordinate":
            body = transaction.mpp_subordinate_commit(server, self._seconds(), self._user())
            self.log.put(unit, "mpp_subordinate_commit", body)
        elif name == "local pending list":
            body = transaction.local_pending_list(server, self._seconds(), self._user(), b"1234")
            self.log.put(unit, "local_pending_list", body)
        elif name == "global pending list":
            body = transaction.global_pending_list(server, self._user(), b"12")
            self.log.put(unit, "global_pending_list", body)
        else:
            self.log.put(unit, "commit", self._commit_body())
        self._ended = [*self._ended[-20:], unit.tid]
        log.flush()

    def _commit_body(self) -> bytes:
        return transaction.commit(self.server, self._seconds(), self._user())

    def _seconds(self) -> int:
        """The time of a commit; in 8 bytes it may stand in the upper half, with a fraction below."""
        seconds = 1_773_483_072 + self.log.records
        if not self.server.is_v7 and self.chance.random() < 0.15:
            self.events["time with a fraction"] += 1
            return seconds << 32 | self.chance.choice((5, 400_000_000))
        return seconds

    def _user(self) -> str:
        return self.chance.choice(("ALICE", "BOB", "DB2INST1", ""))

    # Rows

    def _plain(self) -> Table:
        return self.chance.choice(PLAIN)

    def _insert(self, unit: Unit, table: Table | None = None, image: bytes | None = None, flags: int = 0) -> int:
        table = table or self._plain()
        place, raw = self.log.place(unit), image or self.log.image(table)
        undo = dms.undo_insert(self.server, table.id, place, len(raw))
        return self.log.step(unit, "normal", dms.insert(self.server, table.id, place, raw, flags=flags), undo)

    def _delete(self, unit: Unit, table: Table | None = None, flags: int = 0) -> int:
        table = table or self._plain()
        place, raw = self.log.place(unit), self.log.image(table)
        undo = dms.undo_delete(self.server, table.id, place, raw)
        return self.log.step(unit, "normal", dms.delete(self.server, table.id, place, raw, flags=flags), undo)

    def _update(self, unit: Unit, table: Table | None = None, new: bytes | None = None) -> int:
        table = table or self._plain()
        place, old = self.log.place(unit), self.log.image(table)
        undo = dms.undo_update(self.server, table.id, place, old)
        body = dms.update(self.server, table.id, place, old, new or self.log.image(table))
        return self.log.step(unit, "normal", body, undo)

    def _old_kinds(self, unit: Unit) -> None:
        """Function ids of version 7 behind a later header, and later ones behind that of version 7."""
        table, place, log = self._plain(), self.log.place(unit), self.log
        word, (old, new) = self.chance.choice((("insert", (118, 162)), ("delete", (106, 161)), ("update", (120, 163))))
        if word == "update":
            body = dms.update(self.server, table.id, place, log.image(table), log.image(table))
        else:
            body = dms.insert(self.server, table.id, place, log.image(table))
        body = bytes([body[0], new if self.server.is_v7 else old]) + body[2:]
        self.events[f"old kind {word}"] += 1
        log.step(unit, "normal", body, dms.undo_insert(self.server, table.id, place, 20))

    def _empty_page(self, unit: Unit) -> None:
        table, place, server = self._plain(), self.log.place(unit), self.server
        raw = self.log.image(table)
        if server.is_v7:
            self._insert(unit, table)
        elif self.chance.random() < 0.5:
            undo = dms.undo_insert_to_empty_page(server, table.id, place, len(raw))
            body = dms.insert_to_empty_page(server, table.id, place, raw)
            self.log.step(unit, "normal", body, undo)
        else:
            undo = dms.undo_delete_to_empty_page(server, table.id, place, raw)
            body = dms.delete_to_empty_page(server, table.id, place, raw)
            self.log.step(unit, "normal", body, undo)

    def _many(self, unit: Unit) -> None:
        if self.server.is_v7:
            self._insert(unit)
            return
        table = self._plain()
        places = [self.log.place(unit, same=False) for _ in range(self.chance.choice((0, 1, 1, 2, 3, 7)))]
        entries = [(place, self.log.image(table)) for place in places]
        undo = dms.undo_insert_multiple(self.server, table.id, entries)
        self.log.step(unit, "normal", dms.insert_multiple(self.server, table.id, entries), undo)

    def _moved(self, unit: Unit) -> None:
        """A delete and an insert that are one update, and what is near to it."""
        kind = self.chance.choice(
            ("both", "both", "both", "other table", "deletes", "inserts", "delete", "undone", "between")
        )
        table = self.chance.choice((ITEM, MIXED, SQUEEZED))
        self.events[f"moved row, {kind}"] += 1
        flag = dms.DECOMPOSED_UPDATE
        if kind != "inserts":
            self._delete(unit, table, flag)
        if kind == "deletes":
            self._delete(unit, table, flag)
        if kind == "between":
            self._insert(unit)
        if kind == "undone":
            self._undo(unit, 1)
        if kind != "delete":
            self._insert(unit, UNKNOWN if kind == "other table" else table, flags=flag)
        if kind == "inserts":
            self._insert(unit, table, flags=flag)

    def _pointer(self, unit: Unit) -> None:
        """An update that left a pointer, behind the insert of the row or without it."""
        kind = self.chance.choice(("insert", "insert", "insert", "nothing", "other table", "undone", "many"))
        self.events[f"pointer behind {kind}"] += 1
        table = self.chance.choice((ITEM, MIXED, DOC))
        outside: dict[str, object] = {"BODY": External()} if table is DOC else {}
        with_pieces = self.chance.choice(("insert", "update", "")) if outside else ""
        if with_pieces == "insert":
            self._value(unit, table, 1)
        if kind in ("insert", "undone"):
            self._insert(unit, table, bytes([MOVED_HERE]) + self.log.image(table, **outside)[1:])
        if kind == "undone":
            self._undo(unit, 1)
        if kind == "other table":
            self._insert(unit, UNKNOWN)
        if kind == "many":
            self._many(unit)
        if with_pieces == "update":
            self._value(unit, table, 1)
        unit.place = None
        rid = self.server.rid(Rid(0x340, 3))
        self._update(unit, table, bytes([POINTER, 0]) + self.server.u16(8 + len(rid)) + bytes(4) + rid)

    def _compressed_still(self, unit: Unit) -> None:
        """A record whose rows the API could not expand; only some prefixes say so."""
        table, place = self._plain(), self.log.place(unit)
        body = dms.insert(self.server, table.id, place, self.log.image(table))
        self.log.put(unit, "normal", body, sqlcode=self.chance.choice((-2042, 100)))

    def _class_differs(self, unit: Unit) -> None:
        table, place = self._plain(), self.log.place(unit)
        body = dms.insert(self.server, table.id, place, self.log.image(table))
        self.log.put(unit, self.chance.choice(("redo", "undo", "information")), body)

    # What is taken back

    def _undo(self, unit: Unit, count: int) -> None:
        style = self.chance.choices(
            ("named", "unnamed", "nowhere", "zero", "another", "twice"), (60, 22, 6, 4, 4, 4)
        )[0]  # fmt: skip
        for _ in range(min(count, len(unit.done))):
            done = unit.done.pop()
            self._compensate(unit, done, style)
            if style == "twice":
                self._compensate(unit, done, style)

    def _compensate(self, unit: Unit, done: Done, style: str) -> None:
        self.events[f"compensation {style}"] += 1
        flags = PROPAGATABLE
        prior, compensated = done.previous, done.position
        if style == "unnamed":
            flags = 0
        elif style == "nowhere":
            compensated = self.chance.choice((2, done.position + 1, 1 << 40))
        elif style == "zero":
            prior = compensated = 0
        elif style == "another":
            compensated = unit.done[0].position if unit.done else unit.last
        self.log.put(unit, "compensation", done.undo, flags=flags, prior=prior, compensated=compensated)

    def _savepoint(self, unit: Unit) -> None:
        """A few changes, some of the same row, then the last of them are taken back."""
        for _ in range(self.chance.choice((0, 1, 1, 2, 5))):
            self.chance.choice((self._insert, self._delete, self._update, self._many))(unit)
        self._undo(unit, self.chance.choice((1, 2, 3, 100)))

    def _at_random(self, unit: Unit) -> None:
        """What is taken back is not the last change."""
        if unit.done:
            done = unit.done.pop(self.chance.randrange(len(unit.done)))
            self._compensate(unit, done, self.chance.choice(("named", "unnamed")))
        else:
            self._insert(unit)

    # Values out of their row

    def _piece(self, unit: Unit, table: Table, column: int, length: int, address: int) -> None:
        server, about = self.server, lob.LobObject(table.id, table.id)
        data = self.chance.choice((b"text ", b"\xc3\xa9")) * 50
        data, is_amount = data[:length], self.chance.random() < 0.1
        if self.log.is_v10:
            if is_amount:
                body = lob.add_amount(server, about, length, address, column)
            else:
                body = lob.add_data(server, about, data, address, column)
        else:
            form = self._form if self.chance.random() < 0.97 else self.chance.choice(("u64", "double"))
            make: Callable[..., bytes] = lob.afim_amount if is_amount else lob.afim_data
            body = make(server, about, length if is_amount else data, address, address_form=form)
            if self.chance.random() < 0.03:
                body = body[:16] + b"\x41" * 8 + body[24:]
                self.events["address that is none"] += 1
        self.events["amount" if is_amount else "piece"] += 1
        self.log.put(unit, "normal", body)

    def _value(self, unit: Unit, table: Table, column: int, place: dms.Place | None = None) -> None:
        """The pieces of one value: a new one, or one that goes on where the last one of the row ended."""
        start = -(-self._lob_end // LOB_SEGMENT) * LOB_SEGMENT
        key = (table, place.rid) if place is not None else None
        if key is not None and key in self._ends and self.chance.random() < 0.7:
            start = self._ends[key]
            self.events["value appended to"] += 1
        for _ in range(self.chance.choice((1, 1, 2, 3))):
            length = self.chance.randrange(1, 41) * 2
            self._piece(unit, table, column, length, start)
            start += length
        self._lob_end = max(self._lob_end, start)
        if place is not None:
            self._ends[table, place.rid] = start

    def _lob(self, unit: Unit) -> None:
        table, chance = self.chance.choice((DOC, DOC, PAIR)), self.chance
        place = self.log.place(unit, same=True)
        if self.log.is_v10 and chance.random() < 0.4:
            body = dms.named(self.server, dms.OUT_OF_ROW_START, table.id, bytes(2))
            self.log.put(unit, "undo", body)
        for number, column in enumerate(table.columns[1:], 1):
            if column.name == "BODY" or chance.random() < 0.7:
                self._value(unit, table, number, place)
        outside = {column.name: External() for column in table.columns[1:]}
        what = chance.choice(("insert", "insert", "update", "update", "many", "delete", "late"))
        self.events[f"pieces before {what}"] += 1
        if what == "many" and not self.server.is_v7:
            entries = [(self.log.place(unit), self.log.image(table, variant=1, **outside)) for _ in range(2)]
            undo = dms.undo_insert_multiple(self.server, table.id, entries)
            self.log.step(unit, "normal", dms.insert_multiple(self.server, table.id, entries), undo)
            return
        unit.place = place
        if what == "late":
            self._insert(unit, ITEM)
        if what == "delete":
            self._delete(unit, table)
        elif what == "update":
            image = self.log.image(table, variant=chance.randrange(9), **outside)
            body = dms.update(self.server, table.id, place, image, image)
            undo = dms.undo_update(self.server, table.id, place, image)
            self.log.step(unit, "normal", body, undo)
        else:
            image = self.log.image(table, variant=chance.randrange(9), **outside)
            body = dms.insert(self.server, table.id, place, image)
            undo = dms.undo_insert(self.server, table.id, place, len(image))
            self.log.step(unit, "normal", body, undo)

    def _pieces_alone(self, unit: Unit) -> None:
        self._value(unit, self.chance.choice((DOC, PAIR)), 1)

    def _pieces_taken_back(self, unit: Unit) -> None:
        table = self.chance.choice((DOC, PAIR))
        if self.log.is_v10:
            start = self.log.put(unit, "undo", dms.named(self.server, dms.OUT_OF_ROW_START, table.id, bytes(2)))
            self._value(unit, table, 1)
            body = dms.named(self.server, dms.UNDO_OUT_OF_ROW_START, table.id, bytes(2))
            self._compensate(unit, Done(start, 0, body), self.chance.choice(("named", "unnamed")))
        if self.chance.random() < 0.5:
            self._insert(unit, table)

    def _out_of_row(self, unit: Unit) -> None:
        if not self.log.is_v10:
            self._lob(unit)
            return
        about = lob.LobObject(WIDE.id, WIDE.id)
        data = lob.consolidated(self.server, [b"", b"first value", b"second"])
        self._lob_end = -(-self._lob_end // LOB_SEGMENT) * LOB_SEGMENT
        self.log.put(unit, "normal", lob.add_data(self.server, about, data, self._lob_end, lob.CONSOLIDATED))
        self._lob_end += len(data)
        image = self.log.image(WIDE, variant=2, A=OutOfRow(), B=OutOfRow())
        self._insert(unit, WIDE, image)

    def _xml(self, unit: Unit) -> None:
        if not self.log.is_v10:
            self._lob(unit)
            return
        about = lob.LobObject(XDOC.id, XDOC.id)
        for part in (b"<a>text", b"</a>")[: self.chance.choice((1, 2, 2))]:
            self.log.put(unit, "information", xml.document(self.server, about, part, 1))
        if self.chance.random() < 0.4:
            self._value(unit, XDOC, 2)
        self._insert(unit, XDOC, self.log.image(XDOC, variant=3, X=External(), B=None))

    def _other_pieces(self, unit: Unit) -> None:
        """Records about values that carry none."""
        about = lob.LobObject(DOC.id, DOC.id)
        if self.log.is_v10:
            body = self.chance.choice((lob.delete, lob.non_update))(self.server, about, 9, 2048, 1)
        else:
            body = lf.record(self.server, about, b"long field", 4)
        self.log.put(unit, "information", body)

    # Ends and beginnings in the middle

    def _singular(self, unit: Unit) -> None:
        """A transaction of one record, with pieces before it or in the middle of another one."""
        one = unit if self.chance.random() < 0.3 else Unit(self.log.new_tid(), unit.stream)
        if self.chance.random() < 0.3:
            self._value(one, DOC, 1)
        table, place = self._plain(), self.log.place(one)
        body = dms.insert(self.server, table.id, place, self.log.image(table))
        self.log.put(one, "normal", body, flags=PROPAGATABLE | SINGULAR_TRANSACTION)

    def _no_transaction(self, unit: Unit) -> None:
        """Records whose transaction identifier is zero."""
        none = Unit(NO_TID, unit.stream)
        kind = self.chance.choice(("insert", "information", "undo", "commit"))
        if kind == "insert":
            self._insert(none)
        elif kind == "undo":
            self._insert(none)
            self._undo(none, 1)
        elif kind == "commit":
            self.log.put(none, "commit", self._commit_body())
        else:
            self.log.put(none, "lock_description", b"12345678")

    def _begins_before(self, unit: Unit) -> None:
        """The first record of a transaction points to one before it, in front of the log or left out of it."""
        one = Unit(self.log.new_tid(), unit.stream, left=self.chance.randrange(3))
        one.last = self.chance.choice((1, self.log.first - 1, self.log.first, unit.last or 5))
        makers = (self._insert, self._delete, self._update, self._pieces_alone, self._lob, self._lob, self._xml)
        first = self.chance.choice(makers)
        first(one)
        self.open.append(one)

    def _alone(self, unit: Unit) -> None:
        """An end without a beginning."""
        one = Unit(self.log.new_tid(), unit.stream, last=self.chance.choice((0, 3)))
        if self.chance.random() < 0.5:
            self.log.put(one, "commit", self._commit_body())
        else:
            self.log.put(one, "abort", transaction.abort(self.server, self._user()))

    def _ended_already(self, unit: Unit) -> None:
        """Records behind the end of their transaction."""
        if self._ended:
            one = Unit(self.chance.choice(self._ended), unit.stream, last=self.log.first + 5)
            self.chance.choice((self._insert, self._savepoint, self._pieces_alone))(one)
        else:
            self._insert(unit)

    def _prepare(self, unit: Unit) -> None:
        kind = self.chance.choice(("xa_prepare", "tm_prepare", "mpp_prepare"))
        self.log.put(unit, kind, transaction.prepare(self.server, self._seconds(), 100))

    def _other_stream(self, unit: Unit) -> None:
        """A record of the transaction in another stream."""
        if self.log.streams > 1:
            unit.stream = (unit.stream + 1) % self.log.streams
        self._insert(unit)

    # Tables as a whole

    def _describe(self, unit: Unit, table: Table, flags: int = 0) -> None:
        self.log.step(unit, "redo", dms.initialize_table(self.server, table.id, table.columns, flags=flags))

    def _initialize(self, unit: Unit) -> None:
        table, about = self._plain(), dom.DomObject(self._plain().id)
        if self.chance.random() < 0.5:
            about = dom.DomObject(table.id)
            undo = dom.undo_create_table(self.server, about)
            self.log.step(unit, "normal", dom.create_table(self.server, about), undo)
        self._describe(unit, table, self.chance.choice((0, 0, dms.NOT_LOGGED_INITIALLY)))
        if self.chance.random() < 0.5:
            self._insert(unit, table)
        if self.chance.random() < 0.3:
            self._undo(unit, 2)

    def _add_columns(self, unit: Unit) -> None:
        table = self.chance.choice((ITEM, MIXED, DOC))
        wider = (*table.columns, Column("MORE", "DATE"))
        undo = dms.add_columns(self.server, table.id, table.columns, wider, undo=True)
        body = dms.add_columns(self.server, table.id, table.columns, wider)
        self.log.step(unit, "normal", body, undo)
        if self.chance.random() < 0.5:
            self._insert(unit, Table(table.tablespace_id, table.table_id, table.name, wider))
        if self.chance.random() < 0.4:
            self._undo(unit, 2)

    def _attribute(self, unit: Unit) -> None:
        table, off = self._plain(), self.chance.random() < 0.6
        values = 0 if off else dms.PROPAGATION
        self.events[f"propagation {'off' if off else 'on'}"] += 1
        body = dms.alter_table_attribute(self.server, table.id, dms.PROPAGATION, values)
        undo = dms.alter_table_attribute(self.server, table.id, dms.PROPAGATION, dms.PROPAGATION - values)
        self.log.step(unit, "normal", body, undo)
        if self.chance.random() < 0.3:
            self._undo(unit, 1)

    def _truncate(self, unit: Unit) -> None:
        self.log.put(unit, "redo", dom.truncate(self.server, dom.DomObject(self._plain().id), b"internal"))

    def _load(self, unit: Unit) -> None:
        table = self._plain()
        one = self.chance.choice((unit, Unit(self.log.new_tid()), Unit(NO_TID)))
        body = utility.load_start(self.server, 7, table.tablespace_id, table.table_id, pools=bytes(12))
        self.log.put(one, "load_start", body)

    def _not_logged(self, unit: Unit) -> None:
        about = dom.DomObject(self._plain().id)
        self.log.put(unit, "normal", dom.activate_not_logged_initially(self.server, about, b"rest"))

    def _objects(self, unit: Unit) -> None:
        server, table = self.server, self._plain()
        about = dom.DomObject(table.id)
        text = b"alter table item"
        makers: dict[str, tuple[bytes, bytes | None]] = {
            "create table": (dom.create_table(server, about), dom.undo_create_table(server, about)),
            "drop table": (dom.drop_table(server, about), dom.undo_drop_table(server, about)),
            "create index": (dom.create_index(server, about, 3, 77), dom.drop_index(server, about, 3, 77)),
            "drop index": (dom.drop_index(server, about, 3, 77), dom.create_index(server, about, 3, 77)),
            "reorg": (dom.reorg_table(server, about, index_token=4), None),
            "statement": (ddl.statement(server, table.id, text), ddl.statement(server, table.id, text, undo=True)),
        }
        name = self.chance.choice(list(makers))
        self.events[name] += 1
        body, undo = makers[name]
        self.log.step(unit, "normal", body, undo)
        if self.chance.random() < 0.3:
            self._undo(unit, 1)

    def _named(self, unit: Unit) -> None:
        """Functions of which only the name is known."""
        pairs = (
            ("rename", "undo_rename"),
            ("alter_column", "undo_alter_column"),
            ("drop_columns", "undo_drop_columns"),
            ("alter_lob_column_info", "undo_alter_lob_column_info"),
            ("change_row_version", "undo_rename"),
        )
        name, undo = self.chance.choice(pairs)
        table = self._plain()
        bodies = [dms.named(self.server, dms.NAMES_ONLY[word], table.id, b"\1\2") for word in (name, undo)]
        self.log.step(unit, "normal", bodies[0], bodies[1])

    def _unlisted(self, unit: Unit) -> None:
        one = unit if self.chance.random() < 0.6 else Unit(NO_TID)
        kind = self.chance.choice(("type", "component", "function", "datalink", "empty"))
        self.events[f"unlisted {kind}"] += 1
        bodies = {
            "type": b"anything", "component": b"\xc8\x01anything", "function": bytes([dms.COMPONENT, 250]) + bytes(8),
            "datalink": datalink.named(datalink.DELETE_GROUP, b"x"), "empty": b"",
        }  # fmt: skip
        self.log.put(one, "normal", bodies[kind], type_number=0x7B77 if kind == "type" else None)


Event = Callable[[RandomScript, Unit], object]
_EVENTS: dict[str, Event] = {
    "insert": RandomScript._insert, "update": RandomScript._update, "delete": RandomScript._delete,
    "old kinds": RandomScript._old_kinds, "empty page": RandomScript._empty_page, "many rows": RandomScript._many,
    "savepoint": RandomScript._savepoint, "compensation at random": RandomScript._at_random,
    "moved row": RandomScript._moved, "pointer": RandomScript._pointer, "lob": RandomScript._lob,
    "pieces alone": RandomScript._pieces_alone, "pieces taken back": RandomScript._pieces_taken_back,
    "out of row": RandomScript._out_of_row, "xml": RandomScript._xml, "other pieces": RandomScript._other_pieces,
    "singular": RandomScript._singular, "no transaction": RandomScript._no_transaction,
    "compressed still": RandomScript._compressed_still, "class differs": RandomScript._class_differs,
    "unlisted": RandomScript._unlisted, "begins before": RandomScript._begins_before, "alone": RandomScript._alone,
    "ended already": RandomScript._ended_already, "initialize": RandomScript._initialize,
    "add columns": RandomScript._add_columns, "attribute": RandomScript._attribute,
    "truncate": RandomScript._truncate, "load": RandomScript._load, "not logged": RandomScript._not_logged,
    "objects": RandomScript._objects, "named": RandomScript._named, "prepare": RandomScript._prepare,
    "other stream": RandomScript._other_stream,
}  # fmt: skip


def random_script(seed: int, transactions: int = 25, form: Form | None = None, plan: Plan | None = None) -> Script:
    """The script of a seed, in the form that the seed chooses unless one is given."""
    return RandomScript(form or form_of(seed), seed, plan or Plan.of(seed, transactions)).write()


def form_of(seed: int) -> Form:
    """The form of a seed: as many seeds in a row as there are forms have every form."""
    return FORMS[seed * 7 % len(FORMS)]


def written(
    folder: Path, seed: int, transactions: int = 25, plan: Plan | None = None
) -> tuple[Path, dict[str, str], Counter[str]]:
    """The file of a script, the options to read it with, and how often each event occurred."""
    form = form_of(seed)
    script = random_script(seed, transactions, form, plan)
    path = folder / f"{seed}.log"
    path.write_bytes(script.data)
    options = {"spec": "db2_log", "framing": form.framing, "byte_order": form.byte_order, "generation": form.generation}
    if seed % 3:
        options["tables"] = tables_file(folder, *(DESCRIBED if seed % 3 == 1 else DESCRIBED[:3]), name=f"{seed}.yaml")
        script.events["tables file"] += 1
    return path, options, script.events
