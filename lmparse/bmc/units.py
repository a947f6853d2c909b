"""Units of recovery of a Log Master log, summed up: header columns of its changes grouped by unit.

Headers are read window by window. Segments, spanned records and records with a bad header are read one by one, and so
are all records with the engine `kaitai`. Arrow groups each window when it is added, and all windows at the end. Memory
grows with the number of units, and with the windows that have changes of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.bmc.columns.change_columns import are_spanned
from lmparse.bmc.columns.change_headers import ChangeHeaders, HeaderRows, as_hex
from lmparse.bmc.columns.header_columns import HeaderPlan, HeaderTexts
from lmparse.bmc.control.tables import full_ids, position_of
from lmparse.bmc.log import order
from lmparse.bmc.log import seq as log_seq
from lmparse.bmc.log.log import LogicalLog
from lmparse.bmc.record.headers import OUTCOME
from lmparse.bmc.record.segments import JoinedChange
from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import NO_OPERATION, TableLabels, TransactionSummary
from lmparse.errors import FileLimitError, FramingError
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.records.reader import Values
from lmparse.values.byte_arrays import Flags, Int64s
from lmparse.values.distinct import Distinct

_NUMBER, _TEXT = pa.int64(), pa.string()
FACTS = ("auth_id", "plan", "correlation_id", "connect_id", "begin_ts", "commit_ts")
"""Values that a unit has from its first record."""
UNITS = pa.schema([
    ("txn_id", _TEXT), ("first_index", _NUMBER), ("first_offset", _NUMBER), ("first_position", _TEXT),
    ("last_index", _NUMBER), ("last_offset", _NUMBER), ("last_position", _TEXT), ("records", _NUMBER),
    ("bytes", _NUMBER), ("commit", _TEXT), ("disposition", _NUMBER), ("least", _NUMBER), ("greatest", _NUMBER),
    ("is_broken", pa.bool_()), *((name, _TEXT) for name in FACTS),
])  # fmt: skip
"""What one or more records say of their unit. `commit`, `disposition` and FACTS are from its first record in the file;
`least` and `greatest` are the least and greatest number of a disposition in all of them."""
COUNTS = pa.schema([
    ("txn_id", _TEXT), ("table", _NUMBER), ("op", _TEXT), ("is_undone", pa.bool_()), ("number", _NUMBER)
])  # fmt: skip
"""Number of changes of one unit, table and operation, and whether they were taken back."""
_SUMS = [("records", "sum"), ("bytes", "sum"), ("least", "min"), ("greatest", "max"), ("is_broken", "max")]
_LAST = ("last_index", "last_offset", "last_position")


def grouped(rows: pa.Table, by: Sequence[str], sums: Sequence[tuple[str, str]]) -> pa.Table:
    """One row for each group, in the order of `by`; place_min and place_max are places of its first and last row."""
    rows = rows.append_column("place", pa.array(range(rows.num_rows), _NUMBER))
    wanted = [("place", "min"), ("place", "max"), *sums]
    return rows.group_by(list(by), use_threads=False).aggregate(wanted).sort_by([(name, "ascending") for name in by])


def grouped_units(rows: pa.Table) -> pa.Table:
    """Rows of UNITS, with one row for each unit."""
    rows = rows.sort_by("first_index")
    totals = grouped(rows, ["txn_id"], _SUMS)
    found = rows.take(totals["place_min"])
    for name, how in _SUMS:
        found = found.set_column(found.schema.get_field_index(name), name, totals[f"{name}_{how}"])
    by_last = rows.sort_by("last_index")
    last = by_last.take(grouped(by_last, ["txn_id"], ())["place_max"])
    for name in _LAST:
        found = found.set_column(found.schema.get_field_index(name), name, last[name])
    return found.cast(UNITS)


def grouped_counts(rows: pa.Table) -> pa.Table:
    """Rows of COUNTS, with one row for each unit, table, operation and outcome."""
    found = grouped(rows, COUNTS.names[:-1], [("number", "sum")])
    return found.select([*COUNTS.names[:-1], "number_sum"]).rename_columns(COUNTS.names).cast(COUNTS)


NO_END = "its end is not in the log"
BROKEN = "INCOMPLETETRANS: a log record of it could not be completed"
CONTRADICTORY = "its records differ in UORDISP"
NOT_TESTABLE = "not testable: no record says how many changes it has"
_FIELDS = ("auth_id", "plan", "correlation_id", "connect_id", "uor_timestamp", "uor_commit_timestamp")
"""Header fields with the FACTS of a unit."""
_STATE_FIELDS = (*OUTCOME, "incomplete_trans")
_TOGETHER = 1 << 12
"""Changes that are read one by one and added together."""


class _Outcome(NamedTuple):
    """What the header of a record says of its unit and of its change."""

    disposition: int
    """Place in `order.DISPOSITIONS`."""
    is_broken: bool
    effect: str

    @classmethod
    def of(cls, values: Values) -> _Outcome:
        """The outcome in a header."""
        is_broken = values["incomplete_trans"] == "Y"
        return cls(order.DISPOSITIONS.index(order.disposition(values)), is_broken, order.effect(values))


def unit_summaries(log: ChangeLog, extracts: Iterable[LogicalLog]) -> Iterator[TransactionSummary]:
    """The units of a log in the order of their commits; then units without a commit, in the order of the file.

    `extracts` are the extracts of the log, in their order. Without a control file, the header is that of the manual,
    and long names of tables are as short as in the header. Raises FramingError for a damaged log, behind the units in
    front of the damage, and FileLimitError LMP-L004.
    """
    units = _Units(log)
    damage: FramingError | None = None
    try:
        for one in extracts:
            units.read(one)
    except FileLimitError:
        raise
    except FramingError as error:
        damage = error
    yield from units.summaries()
    if damage is not None:
        raise damage


class _Units:
    """The units of one log, and the tables of their changes."""

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._held = Held(log.options.bounds)
        self._groups = [UNITS.empty_table()], [COUNTS.empty_table()]
        """Rows of UNITS and of COUNTS; the rows of each window are grouped."""
        self._tables: dict[tuple[str, str], int] = {}
        """Number of each table; a table is its full name, as far as the log proves it, and its system and ids in
        hex."""
        self._unlisted = 0
        self._units: list[dict[str, Any]] = []
        self._counts: list[dict[str, Any]] = []

    def read(self, extract: LogicalLog) -> None:
        """Add the changes of one extract. Raises FramingError for a damaged file, FileLimitError."""
        if extract.control is not None:
            extract.check_changes()
        try:
            plan = HeaderPlan(extract.header, extract.code_page)
            if plan.reason or self._log.options.engine == "kaitai":
                for joined in extract.joined_changes():
                    self.add_one(extract, joined)
            else:
                _WindowReader(self, extract).read()
        finally:
            self._add_rows()

    def add_one(self, log: LogicalLog, joined: JoinedChange) -> None:
        """Add a change that is read by itself."""
        values, outcome = joined.values, _Outcome.of(joined.values)
        placed = log.extract.placed
        extents = sorted(map(placed, joined.extents), key=lambda extent: extent.index)
        txn_id, position = log_seq.txn_id(values), (position_of(values) or b"").hex().upper()
        self._units.append({
            "txn_id": txn_id, "first_index": extents[0].index, "first_offset": extents[0].offset,
            "first_position": position, "last_index": extents[-1].index, "last_offset": extents[-1].offset,
            "last_position": position, "records": len(extents), "bytes": sum(extent.length for extent in extents),
            "commit": log_seq.commit_position(values), "disposition": outcome.disposition, "least": outcome.disposition,
            "greatest": outcome.disposition, "is_broken": outcome.is_broken,
            **dict(zip(FACTS, (values[name] for name in _FIELDS), strict=True)),
        })  # fmt: skip
        table, op = self.number(_named(log, values)), order.OPERATIONS.get(values["change_type"]) or NO_OPERATION
        self._unlisted += outcome.effect == order.UNLISTED
        if outcome.effect != order.UNDO:
            is_undone = outcome.effect == order.TAKEN_BACK
            row = {"txn_id": txn_id, "table": table, "op": op, "is_undone": is_undone, "number": 1}
            self._counts.append(row)
        if len(self._units) >= _TOGETHER:
            self._add_rows()

    def _add_rows(self) -> None:
        if self._units:
            units, counts = self._units, self._counts
            self._units, self._counts = [], []
            self._group(pa.Table.from_pylist(units, UNITS), pa.Table.from_pylist(counts, COUNTS))

    def _group(self, units: pa.Table, counts: pa.Table) -> None:
        """Group rows of UNITS and COUNTS, and add them. Raises FileLimitError LMP-L004."""
        for kept, rows in zip(self._groups, (grouped_units(units), grouped_counts(counts)), strict=True):
            self._held.take(rows.nbytes)
            kept.append(rows)

    def add(self, units: pa.Table, txn_ids: pa.Array, tables: Int64s, ops: pa.Array, effects: npt.NDArray[Any]) -> None:
        """Add rows of UNITS; and for each change the unit, the number of the table, the operation and the effect."""
        self._unlisted += int((effects == order.UNLISTED).sum())
        one = pa.repeat(pa.scalar(1, pa.int64()), len(txn_ids))
        counts = pa.table([txn_ids, pa.array(tables), ops, pa.array(effects == order.TAKEN_BACK), one], schema=COUNTS)
        self._group(units, counts.filter(pa.array(effects != order.UNDO)))

    def number(self, table: tuple[str, str]) -> int:
        """The number of a table."""
        return self._tables.setdefault(table, len(self._tables))

    def summaries(self) -> Iterator[TransactionSummary]:
        """The units with the counts of their changes: by commit, then by the first record in the file."""
        if self._unlisted:
            what = "changes whose LOGRECDISP is not listed: they are counted as not taken back"
            self._log.notice(f"{self._unlisted} x {what}")
        labels = TableLabels()
        for table in self._tables:
            labels.add(*table)
        names = [labels.label(*table) for table in self._tables]
        units, counts = (pa.concat_tables(tables) for tables in self._groups)
        units, counts = grouped_units(units), grouped_counts(counts)
        runs = pc.run_end_encode(counts["txn_id"].combine_chunks())
        units = units.append_column("place", pc.index_in(units["txn_id"], runs.values))
        ends = [0, *runs.run_ends.to_pylist()]
        for batch in units.sort_by([("commit", "ascending"), ("first_index", "ascending")]).to_batches(1 << 12):
            for unit in batch.to_pylist():
                found, place = _summary(unit), unit["place"]
                start, end = (0, 0) if place is None else ends[place : place + 2]
                for row in counts.slice(start, end - start).to_pylist():
                    found.count(names[row["table"]], row["op"], row["number"], is_undone=row["is_undone"])
                yield found


def _summary(unit: dict[str, Any]) -> TransactionSummary:
    """The summary of a row of UNITS, without counts of changes."""
    is_open = unit["least"] == unit["greatest"] == order.DISPOSITIONS.index("open")
    lacks = {CONTRADICTORY: unit["least"] != unit["greatest"], NO_END: is_open, BROKEN: unit["is_broken"]}
    reasons = [reason for reason, applies in lacks.items() if applies]
    names = (*FACTS, "txn_id", "records", "bytes", "first_position", "last_position")
    places = (f"{end}_{what}" for end in ("first", "last") for what in ("index", "offset"))
    return TransactionSummary(
        disposition=order.DISPOSITIONS[unit["disposition"]], complete=False if reasons else None,
        why="; ".join(reasons) or NOT_TESTABLE, **{name: unit[name] for name in names},
        **{place.replace("_", "_record_"): unit[place] for place in places},
    )  # fmt: skip


def _named(log: LogicalLog, values: Values) -> tuple[str, str]:
    """Name and identity of the table of a record."""
    return log.decoder.name(values, log.tables.maybe(values)).full, full_ids(values)


class _WindowReader:
    """Adds the changes of one extract to the units of its log, by one pass over the headers."""

    def __init__(self, units: _Units, log: LogicalLog) -> None:
        self._units, self._log = units, log
        self._headers = ChangeHeaders(log, None, (), has_columns=False)
        self._texts = HeaderTexts(log.header, log.code_page)
        self._joiner = log.joiner()
        self._numbers: dict[int, int] = {}
        """The number of the table by known table of the headers."""
        self._outcomes: list[_Outcome] = []
        self._distinct = Distinct(sum(log.spec.layout[name].width or 0 for name in _STATE_FIELDS))

    def read(self) -> None:
        """Add all changes of the extract. Raises FramingError for a damaged file, FileLimitError."""
        log = self._log
        for window in log.windows():
            self._read(window)

    def _read(self, window: Window) -> None:
        found, is_other = self._headers.decode(window, np.zeros(len(window), np.int64))
        is_spanned = are_spanned(window)[found.numbers]
        is_other[found.numbers[is_spanned]] = True
        found = found.part(~is_spanned)
        for number in np.flatnonzero(is_other).tolist():
            if (joined := self._log.next_change(self._joiner, window.extent(number), 0)) is not None:
                self._units.add_one(self._log, joined)
        if len(found.numbers):
            self._read_many(found)

    def _read_many(self, found: HeaderRows) -> None:
        dispositions, is_broken, effects = self._outcomes_of(found)
        txn_ids, ops = (self._headers.column(name, found) for name in ("txn_id", "op"))
        records = pa.table({
            "txn_id": txn_ids, "bytes": pa.array(found.window.lengths[found.numbers]),
            "disposition": pa.array(dispositions), "is_broken": pa.array(is_broken),
        })  # fmt: skip
        sums = [("place", "count"), ("bytes", "sum"), ("disposition", "min"), ("disposition", "max")]
        units = grouped(records, ["txn_id"], [*sums, ("is_broken", "max")]).sort_by("place_min")
        self._units.add(
            self._rows(found, units, dispositions), txn_ids, self._tables_of(found),
            pc.replace_with_mask(ops, pc.equal(ops, ""), pa.scalar(NO_OPERATION)), effects,
        )  # fmt: skip

    def _rows(self, found: HeaderRows, units: pa.Table, dispositions: Int64s) -> pa.Table:
        """The rows of UNITS of a window. A unit has the values of its first and of its last record."""
        first, last = (units[f"place_{end}"].to_numpy() for end in ("min", "max"))
        index, offsets = (part[found.numbers] for part in self._log.extract.placed_window(found.window))
        commit = as_hex(self._headers.commit_positions(found.part(first)))
        positions = (as_hex(self._headers.positions(found, places)) for places in (first, last))
        columns = {
            "txn_id": units["txn_id"], "first_index": index[first], "first_offset": offsets[first],
            "first_position": next(positions), "last_index": index[last], "last_offset": offsets[last],
            "last_position": next(positions), "records": units["place_count"], "bytes": units["bytes_sum"],
            "commit": commit, "disposition": dispositions[first], "least": units["disposition_min"],
            "greatest": units["disposition_max"], "is_broken": units["is_broken_max"],
            **dict(zip(FACTS, self._texts.columns(found.window, found.numbers[first], _FIELDS), strict=True)),
        }  # fmt: skip
        return pa.table(columns).cast(UNITS)

    def _outcomes_of(self, found: HeaderRows) -> tuple[Int64s, Flags, npt.NDArray[np.str_]]:
        """Of each record: disposition of the unit, whether it could not be completed, and effect of the change."""
        which = self._distinct.of(found.raw(*_STATE_FIELDS))
        for number in range(len(self._outcomes), len(self._distinct)):
            self._outcomes.append(_Outcome.of(self._headers.values(found, int((which == number).argmax()))))
        dispositions, is_broken, effects = (np.array(part)[which] for part in zip(*self._outcomes, strict=True))
        return dispositions, is_broken, effects

    def _tables_of(self, found: HeaderRows) -> Int64s:
        """Number of the table of each record."""
        known, first, which = np.unique(found.known, return_index=True, return_inverse=True)
        for table, place in zip(known.tolist(), first.tolist(), strict=True):
            if table not in self._numbers:
                self._numbers[table] = self._units.number(_named(self._log, self._headers.values(found, place)))
        return np.array([self._numbers[table] for table in known.tolist()], np.int64)[which]
