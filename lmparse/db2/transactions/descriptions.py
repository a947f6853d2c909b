"""Descriptions of the tables of a Db2 LUW log: the description in force at each change, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lmparse.changes.descriptions import TableDescription, TableDescriptions
from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.log_record import Ids
from lmparse.db2.tables.history import TableHistory, TableRecord, turning_points
from lmparse.db2.tables.table import Table, read_tables_file
from lmparse.db2.transactions.references import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import ControlError
from lmparse.limits import Limits


def tables_of_file(
    path: str, described: Mapping[Ids, Sequence[TableRecord]], limits: Limits, notice: Callable[[str], None]
) -> dict[Ids, Table]:
    """The tables of the tables file, by their ids, whose types are all known there, or are described last in the log.

    `notice` gets a message on each table with unknown types. Raises ControlError LMP-C009.
    """
    found = {}
    for ids, table in read_tables_file(path, limits).items():
        known: Table | None = table
        if unknown := table.of_unknown_type:
            records = described.get(ids, ())
            held = [record for record in records if not record.is_taken_back]
            logged = held[-1].table if held else next((one.before for one in records if one.before is not None), None)
            known = table.completed_by(logged)
            types = ", ".join(f"{column.name} is {column.sql_words}" for column in unknown)
            how = "the log describes the table" if known else "rows are read as if the file did not have the table"
            notice(f"{path}: a type that is not known in table {table.full_name} ({table.hex_ids}): {types}; {how}")
        if known is not None:
            found[ids] = known
    return found


class Descriptions:
    """The descriptions of the tables of one log, with the names of the tables file.

    The file describes the tables as they are at the end of the log. In front of the last record that makes or drops a
    table, or drops or alters its columns, the file names only descriptions in the log with the very same columns.
    """

    def __init__(self, index: TransactionIndex, tables_file: str | None) -> None:
        self._index = index
        self._tables_file = tables_file
        self._histories: dict[Ids, TableHistory] = {}
        self._named: dict[tuple[Ids, int], Table] = {}
        """Descriptions with the names of the tables file, by table and identity of the description in the log."""
        self._doubts: set[tuple[Ids, str]] = set()

    def of(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of the table of a change, from the log if it has one, with the names of the tables file.

        The description in the log is the one in force at the record of the change, see `TableHistory`. In front of the
        first description, the next record may state the former columns of the table. They hold unless the table was
        dropped or made in between, see `settled`.

        Raises ControlError LMP-C010 if log and tables file contradict each other.
        """
        if reference.ids is None:
            return None
        ids, index = reference.ids, reference.extent.index
        named, history = self._index.named.get(ids), self._histories.get(ids)
        if history is None:
            history = self._histories[ids] = TableHistory(self._index.tables.get(ids, ()))
        # A drop is of the table in front of its record; a creation is of the table that is described next.
        place = index - 1 if reference.kind == record_kinds.DROP else index
        place = history.next_index(index) if reference.kind == record_kinds.CREATE else place
        table, record = history.at(place, int.from_bytes(transaction.transaction_id))
        if table is None or record is None:
            is_of_file = history.is_last(place) and (record is None or not record.is_taken_back)
            if named is not None and not history.is_last(place) and reference.op in "IUD":
                self._doubts.add((ids, _AS_BYTES))
            return named if is_of_file else None
        # Versions are told apart by identity: all changes of a version get one object. The index keeps the key alive.
        known = self._named.get((ids, id(table)))
        if known is None:
            known = self._named.setdefault((ids, id(table)), self._with_names(table, record, named))
        return known

    def _with_names(self, table: Table, record: TableRecord, named: Table | None) -> Table:
        fit = fit_of(table, record, named)
        if fit.doubt:
            self._doubts.add((table.ids, fit.doubt))
        if fit.difference is not None:
            raise ControlError(
                "the tables file is not of this log", code="LMP-C010", file=self._tables_file, found=fit.difference,
                hint="print it again from the catalog of the database that wrote the log",
            )  # fmt: skip
        return fit.table

    def doubts(self) -> Iterator[str]:
        """Messages on what is not known of the tables of the changes so far."""
        for (space, number), doubt in sorted(self._doubts):
            yield f"rows of table {space}.{number} {doubt}"

    def indexes(self, ids: Ids) -> list[int]:
        """Numbers of the records at which another description of a table comes into force, ascending."""
        return turning_points(self._index.tables.get(ids, ()))

    def all(self, *, is_committed: bool) -> Iterator[Table]:
        """Every description with the names of the tables file; with `is_committed` without uncommitted ones."""
        for ids, records in self._index.tables.items():
            for record in records:
                # The former columns hold for rows in front of the record, whatever its outcome.
                for table in (record.before, record.table if record.is_committed or not is_committed else None):
                    if table is not None:
                        yield fit_of(table, record, self._index.named.get(ids)).table
        yield from self._index.named.values()


_IN_FRONT = "in front of a record that makes or drops it, or drops or alters columns of it,"
_NOT_KEPT = "described by a record that was taken back, or has no commit in the log,"
_UNNAMED = "have no names of the tables file, which is as of the end of the log and has other columns"
_NAMED = f"{_IN_FRONT} have names of the tables file, which is as of the end of the log and has the very same columns"
_AS_BYTES = f"{_IN_FRONT} are kept as bytes: the log does not describe them, and the tables file is as of its end"


@dataclass(frozen=True, slots=True)
class Fit:
    """A description in the log, with the names of the tables file if the file is of it."""

    table: Table
    difference: str | None = None
    """Why the file cannot be of the log; None if it can."""
    doubt: str = ""
    """The message on rows that are read with this description."""


def fit_of(table: Table, record: TableRecord, named: Table | None) -> Fit:
    """How the description in the tables file (`named`) fits the new or the former description of a record."""
    if named is None:
        return Fit(table)
    if table.has_columns_of(named):
        return Fit(table.named_by(named), doubt="" if record.is_last else _NAMED)
    holds = record.is_committed or table is record.before
    if record.is_last and holds:
        difference = table.differs_from(named)
        return Fit(table.named_by(named) if difference is None else table, difference)
    if record.is_last_table and holds:
        table = replace(table, schema=named.schema, name=named.name)
    return Fit(table, doubt=f"{_NOT_KEPT if record.is_last else _IN_FRONT} {_UNNAMED}")


# -- all of them ------------------------------------------------------------------------------


def describe(index: TransactionIndex) -> TableDescriptions:
    """The descriptions by committed transactions, in the order of the log, then other tables of the tables file."""
    found = [one for ids, records in index.tables.items() for one in _logged(records, index.named.get(ids))]
    logged = {one.ids for one in found}
    found += [_description(Fit(table), None, None) for table in index.named.values() if table.hex_ids not in logged]
    return TableDescriptions(found, index.fault)


def _logged(records: Sequence[TableRecord], named: Table | None) -> Iterator[TableDescription]:
    """The versions of one table, each in force from its record up to the record of the next one."""
    made = sorted((record for record in records if record.is_committed), key=lambda record: record.index)
    ends = [*(record.index for record in made), None]
    for record in records:
        if record.before is not None:
            yield _description(fit_of(record.before, record, named), None, ends[0])
            break
    for record, end in zip(made, ends[1:], strict=True):
        if record.table is not None:
            yield _description(fit_of(record.table, record, named), record.index, end)
        elif named is not None and record.is_last:
            yield _description(Fit(named), record.index, end)


def _description(fit: Fit, since: int | None, until: int | None) -> TableDescription:
    table = fit.table
    return TableDescription(
        version=table,
        schema_name=table.schema,
        table_name=table.name,
        ids=table.hex_ids,
        since=None if since is None else f"record {since}",
        until=None if until is None else f"record {until}",
        notes=[f"the tables file is not of this log: {fit.difference}"] if fit.difference is not None else [],
    )
