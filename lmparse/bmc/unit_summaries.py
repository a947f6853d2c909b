"""Unit summaries: the units of recovery of a Log Master log, one summary each, from the headers of all records.

The records of a unit may be anywhere in the file, in other extracts of the log too, and none of them is its end. So the
totals of all units are held until the last record is read, and count against the limit `held_bytes`. This module sums
up record by record; `unit_columns` does it for many records at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lmparse.bmc import order
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.segments import JoinedChange
from lmparse.bmc.table_names import table_name
from lmparse.bmc.table_search import TABLE_FIELDS
from lmparse.bmc.tables import TableVersion, identity, position_of
from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import NO_OPERATION, TableLabels, TransactionSummary
from lmparse.errors import ControlError, FileLimitError, FramingError
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held
from lmparse.records.reader import Values

NO_END = "its end is not in the log"
BROKEN = "INCOMPLETETRANS: a log record of it could not be completed"
CONTRADICTORY = "its records differ in UORDISP"
NOT_TESTABLE = "not testable: no record says how many changes it has"
_UNIT_BYTES = 1500
"""Bytes of memory of the totals of a unit with changes of one table."""
FACTS = ("auth_id", "plan", "correlation_id", "connect_id", "uor_timestamp", "uor_commit_timestamp")
"""Header fields that a summary takes from the first record of a unit."""


class NamedTable(NamedTuple):
    """A table in the header of a record."""

    name: str
    identity: str
    """System, and ids in hex."""


class Outcome(NamedTuple):
    """What the header of a record says of its unit, and of its change."""

    state: int
    """Number of the outcome of the unit; see `order.DISPOSITIONS`."""
    is_broken: bool
    effect: str

    @classmethod
    def of(cls, values: Values) -> Outcome:
        """The outcome in a header."""
        is_broken = values["incomplete_trans"] == "Y"
        return cls(order.DISPOSITIONS.index(order.disposition(values)), is_broken, order.effect(values))


def named_table(log: LogicalLog, values: Values) -> NamedTable:
    """The table of a record: its full name as far as that is proven."""
    version: TableVersion | None = None
    with suppress(ControlError):  # the name in the header is known all the same
        version = log.tables.find(values)
    name = table_name(values, log.spec.layout, version, log.code_page)
    system, *ids = identity(values)
    return NamedTable(name.full, ".".join([str(system), *("????" if one is None else f"{one:04X}" for one in ids)]))


def reasons(states: set[int], *, is_broken: bool) -> tuple[bool | None, str]:
    """Whether a unit is complete, as far as that can be known from the outcomes in its records; and why."""
    found = [
        text
        for text, applies in (
            (CONTRADICTORY, len(states) > 1),
            (NO_END, states == {order.DISPOSITIONS.index("open")}),
            (BROKEN, is_broken),
        )
        if applies
    ]
    return (False, "; ".join(found)) if found else (None, NOT_TESTABLE)


@dataclass(slots=True)
class _Unit:
    """The totals of one unit. Extents are those in the whole log."""

    first: RecordExtent
    first_values: Values
    last: RecordExtent
    last_position: bytes
    records: int = 0
    bytes: int = 0
    states: set[int] = field(default_factory=set)
    is_broken: bool = False
    counts: Counter[tuple[NamedTable, str, bool]] = field(default_factory=Counter)
    """By table, operation, and whether they were taken back."""

    def add(self, extents: Sequence[RecordExtent], values: Values) -> None:
        """Add a change."""
        first, last = _ends(extents)
        if first.index < self.first.index:
            self.first, self.first_values = first, values
        if last.index > self.last.index:
            self.last, self.last_position = last, position_of(values) or b""
        self.records += len(extents)
        self.bytes += sum(extent.length for extent in extents)


def by_record(log: ChangeLog, extracts: Iterable[LogicalLog]) -> Iterator[TransactionSummary]:
    """The units of a log in the order of their commits; those that are not committed follow, in that of the file.

    `extracts` are those that the log consists of, in their order. Without a control file the header is that of the
    manual, and long names of tables are as short as in the header.
    """
    totals = _Totals(log)
    damage: FramingError | None = None
    try:
        for one in extracts:
            if one.control is not None:
                one.check_changes()
            totals.begin(one)
            for joined in one.joined_changes():
                totals.add(joined)
    except FileLimitError:
        raise
    except FramingError as error:
        damage = error
    yield from totals.summaries()
    if damage is not None:
        raise damage


class _Totals:
    """The totals of the units of one log."""

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._extract: LogicalLog
        """The extract that is being read, or the only one."""
        self._units: dict[str, _Unit] = {}
        self._tables: dict[tuple[Any, ...], NamedTable] = {}
        self._labels, self._held = TableLabels(), Held(log.options.bounds)
        self._unlisted = 0

    def begin(self, extract: LogicalLog) -> None:
        """Go on with another extract, whose control file may describe other tables."""
        self._extract = extract
        self._tables.clear()

    def add(self, joined: JoinedChange) -> None:
        """Add a change."""
        values, place = joined.values, self._extract.extract
        extents = [place.placed(extent) for extent in joined.extents]
        own = {name: values[name] for name in (*_KEPT, *FACTS)}
        txn_id, outcome = order.txn_id(values), Outcome.of(values)
        unit = self._units.get(txn_id)
        if unit is None:
            here = {"record_index": joined.extent.index, "record_offset": joined.extent.offset}
            self._held.take(_UNIT_BYTES, file=self._extract.path, **here)
            first, last = _ends(extents)
            unit = self._units[txn_id] = _Unit(first, own, last, position_of(values) or b"")
        unit.add(extents, own)
        unit.states.add(outcome.state)
        unit.is_broken |= outcome.is_broken
        self._unlisted += outcome.effect == order.UNLISTED
        table = self._table_of(values)
        if outcome.effect != order.UNDO:
            op = order.OPERATIONS.get(values["change_type"]) or NO_OPERATION
            unit.counts[table, op, outcome.effect == order.TAKEN_BACK] += 1

    def _table_of(self, values: Values) -> NamedTable:
        """The table of a record; its name depends on the position only if it has several versions."""
        has_versions = len(self._extract.tables.of(identity(values)).versions) > 1
        key = (*(values[name] for name in TABLE_FIELDS), position_of(values) if has_versions else None)
        found = self._tables.get(key)
        if found is None:
            found = named_table(self._extract, values)
            if not has_versions:
                self._tables[key] = found
            self._labels.add(*found)
        return found

    def summaries(self) -> Iterator[TransactionSummary]:
        """The units in order."""
        note_unlisted(self._log, self._unlisted)
        for txn_id, unit in sorted(
            self._units.items(), key=lambda one: (order.commit_position(one[1].first_values), one[1].first.index)
        ):
            yield _summary(txn_id, unit, self._labels)


_KEPT = ("uor_disp", "uor_commit_lrsn", "uor_commit_point", "member_id", "log_lrsn", "log_rba")
"""Header fields that say what became of a unit, and where a record is in the log."""


def _ends(extents: Sequence[RecordExtent]) -> tuple[RecordExtent, RecordExtent]:
    """The first and the last one in the log."""
    ordered = sorted(extents, key=lambda extent: extent.index)
    return ordered[0], ordered[-1]


def note_unlisted(log: ChangeLog, count: int) -> None:
    """Tell of changes whose outcome is not known."""
    if count:
        log.notice(f"{count} x changes whose LOGRECDISP is not listed: they are counted as not taken back")


def _summary(txn_id: str, unit: _Unit, labels: TableLabels) -> TransactionSummary:
    values, outcome = unit.first_values, reasons(unit.states, is_broken=unit.is_broken)
    first = UnitPlace(unit.first.index, unit.first.offset, position_of(values) or b"")
    last = UnitPlace(unit.last.index, unit.last.offset, unit.last_position)
    found = bare_summary(txn_id, order.disposition(values), outcome, [values[name] for name in FACTS], first, last)
    found.records, found.bytes = unit.records, unit.bytes
    for (table, op, is_undone), number in unit.counts.items():
        found.count(labels.label(*table), op, number, is_undone=is_undone)
    return found


@dataclass(frozen=True, slots=True)
class UnitPlace:
    """Where the first or last record of a unit is: number and offset in the file, and position in the log."""

    index: int
    offset: int
    position: bytes


def bare_summary(
    txn_id: str, disposition: str, outcome: tuple[bool | None, str], texts: Sequence[str | None], first: UnitPlace,
    last: UnitPlace,
) -> TransactionSummary:  # fmt: skip
    """A summary without records and changes; `outcome` is that of `reasons`, `texts` are those of FACTS."""
    auth_id, plan, correlation_id, connect_id, begin_ts, commit_ts = texts
    return TransactionSummary(
        txn_id=txn_id, disposition=disposition, complete=outcome[0], why=outcome[1], begin_ts=begin_ts,
        commit_ts=commit_ts, auth_id=auth_id, plan=plan, correlation_id=correlation_id, connect_id=connect_id,
        first_position=first.position.hex().upper(), last_position=last.position.hex().upper(),
        first_record_index=first.index, first_record_offset=first.offset,
        last_record_index=last.index, last_record_offset=last.offset, records=0, bytes=0,
    )  # fmt: skip
