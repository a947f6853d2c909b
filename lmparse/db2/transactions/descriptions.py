"""Descriptions of the tables of a Db2 LUW log: of each change the one in force at its record, and all of them."""

from __future__ import annotations

import sys
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
    """The tables of the tables file whose types are known, or are described last in the log. `notice` gets the others.

    Raises ControlError LMP-C009.
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
    """Descriptions of the tables of one log: those in the log, with the names of the tables file."""

    def __init__(self, index: TransactionIndex, tables_file: str | None) -> None:
        self._index = index
        self._tables_file = tables_file
        self._histories: dict[Ids, TableHistory] = {}
        self._named: dict[tuple[Ids, int], Table] = {}
        """Descriptions with the names of the tables file, by table and identity of the description in the log."""
        self._variants: dict[tuple[Ids, int, bool], Table] = {}
        """Descriptions as they are altered, by table, identity of the description, and whether it was the last time."""
        self._doubts: set[tuple[Ids, str]] = set()

    def of(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of the table of a change: from the log if it has one, with the names of the tables file.

        That in the log is the one that was in force at the record of the change. Descriptions by other transactions
        count if committed. One that was rolled back applies to changes that were rolled back too. Before the first that
        counts, the table is as the next record says that it was before, unless the table was dropped or made in
        between: see `settled`.

        Raises ControlError LMP-C010 if the two contradict each other.
        """
        if reference.ids is None:
            return None
        ids, index = reference.ids, reference.extent.index
        named, history = self._index.named.get(ids), self._histories.get(ids)
        if history is None:
            history = self._histories[ids] = TableHistory(self._index.tables.get(ids, ()))
        # A record that drops a table is one of that table.
        place = index - 1 if reference.kind == record_kinds.DROP else index
        found = history.at(place, transaction.number, is_undone=reference.is_undone)
        if found is None:
            if named is not None and reference.op in "IUD" and history.is_made_behind(index):
                self._doubts.add((ids, _BY_FILE_ALONE))
            return named if named is None else self._altered(named, reference, transaction, sys.maxsize, None)
        table, record = found
        # Versions are distinguished by identity, so all changes of one get the same object; the index keeps the key.
        known = self._named.get((ids, id(table)))
        if known is None:
            known = self._named.setdefault((ids, id(table)), self._with_names(table, record, named))
        return self._altered(known, reference, transaction, record.index, named)

    def _altered(
        self, table: Table, reference: ChangeReference, transaction: Transaction, described: int, named: Table | None
    ) -> Table:
        """A description, which is as of record `described`, at a change: as altered between the two, if it is.

        Behind the last alteration the tables file, as of the end of the log, is right.
        """
        alters = self._index.alters.get(table.ids)
        if not alters:
            return table
        index = reference.extent.index
        low, high = sorted((described, index))
        if not any(low < number <= high and (done or of == transaction.number) for number, of, done in alters):
            return table
        is_last = described < index and not any(number > index and done for number, _, done in alters)
        key = table.ids, id(table), is_last
        if key not in self._variants:
            self._variants[key] = table.altered(named if is_last else None)
        return self._variants[key]

    def _with_names(self, table: Table, record: TableRecord, named: Table | None) -> Table:
        if named is None:
            return table
        fit = fit_of(table, record, named, is_altered=table.ids in self._index.alters)
        if fit.doubt:
            self._doubts.add((table.ids, fit.doubt))
        if fit.difference is not None:
            raise ControlError(
                "the tables file is not of this log", code="LMP-C010", file=self._tables_file, found=fit.difference,
                hint="print it again from the catalog of the database that wrote the log",
            )  # fmt: skip
        return fit.table

    def doubts(self) -> Iterator[str]:
        """What is not known of the tables of the changes so far, in words."""
        for (space, number), doubt in sorted(self._doubts):
            yield f"rows of table {space}.{number} {doubt}"

    def indexes(self, ids: Ids) -> list[int]:
        """Numbers of the records with which another description of a table is in force, ascending."""
        alters = {number for number, *_ in self._index.alters.get(ids, ())}
        return sorted({*turning_points(self._index.tables.get(ids, ())), *alters})

    def all(self, *, is_committed: bool) -> Iterator[Table]:
        """Every description with the names of the tables file; with `is_committed` without uncommitted ones."""
        for ids, records in self._index.tables.items():
            named, is_altered = self._index.named.get(ids), ids in self._index.alters
            for record in records:
                # What a table was before holds for rows in front of the record, whatever becomes of this.
                for table in (record.before, record.table if record.is_committed or not is_committed else None):
                    if table is not None:
                        found = table if named is None else fit_of(table, record, named, is_altered=is_altered).table
                        yield found
                        if is_altered and named is not None:
                            yield found.altered(named)
        yield from self._index.named.values()


_IN_FRONT = "in front of a record that drops it or columns of it, or makes another one with its ids,"
_BY_FILE_ALONE = f"{_IN_FRONT} are read with the tables file alone, which must be as of that time"
_UNNAMED = f"{_IN_FRONT} have no names of the tables file, which is as of later"
_NAMED = f"{_IN_FRONT} have names of the tables file, which must be as of that time"
_NOT_KEPT = "described by a record that was taken back, or has no commit in the log,"
_NAMED_UP_TO = f"{_NOT_KEPT} have names of the tables file only in front of the first column that it has otherwise"
_NOT_OF_FILE = f"{_NOT_KEPT} have no names of the tables file, which has other columns"


@dataclass(frozen=True, slots=True)
class Fit:
    """A description in the log with the names of the tables file, as far as the file is of the same time."""

    table: Table
    difference: str | None = None
    """Why the file cannot be of the log."""
    doubt: str = ""


def fit_of(table: Table, record: TableRecord, named: Table, *, is_altered: bool) -> Fit:
    """How a description that a record of the log has fits the one of the tables file, which is of one time.

    `is_altered`: a record of the log alters a column of the table.
    """
    difference, versions = table.differs_from(named, is_altered=is_altered), record.column_range
    assert versions is not None
    is_of_file, doubt = record.has_last_columns, ""
    if not record.is_last_table or (is_of_file and record.may_be_gone):
        # It may be the table of the file, made anew with the same columns.
        is_of_file, doubt = difference is None and versions.has_one_of(named), _NAMED
    if is_of_file and difference is None:
        return Fit(table.named_by(named), None, doubt)
    if is_of_file and (record.is_committed or table is record.before or versions.contradicts(named)):
        return Fit(table, difference)
    if is_of_file:
        # The file may be of what came instead: then the two have in common what they go on from.
        return Fit(table.named_by(named), None, _NAMED_UP_TO) if versions.is_made else Fit(table, None, _NOT_OF_FILE)
    if record.is_last_table and record.may_be_gone != "table":
        table = replace(table, schema=named.schema, name=named.name)
    return Fit(table, None, _UNNAMED)


# -- all of them ------------------------------------------------------------------------------


def describe(index: TransactionIndex) -> TableDescriptions:
    """The descriptions by committed transactions, in the order of the log, and those of the tables file."""
    found = [
        one for ids in index.tables
        for one in _logged(index.tables[ids], index.named.get(ids), is_altered=ids in index.alters)
    ]  # fmt: skip
    logged = {one.ids for one in found}
    found += [_description(Fit(table), None, None) for table in index.named.values() if table.hex_ids not in logged]
    return TableDescriptions(found, index.fault)


def _logged(records: Sequence[TableRecord], named: Table | None, *, is_altered: bool) -> Iterator[TableDescription]:
    """The versions of one table, each in force from the record that made it up to the one that made the next."""
    made = sorted((record for record in records if record.is_committed), key=lambda record: record.index)
    ends = [*(record.index for record in made), None]
    for record in records:
        if record.before is not None:
            yield _description(_fit(record.before, record, named, is_altered), None, ends[0])
            break
    for record, end in zip(made, ends[1:], strict=True):
        if record.table is not None:
            yield _description(_fit(record.table, record, named, is_altered), record.index, end)


def _fit(table: Table, record: TableRecord, named: Table | None, is_altered: bool) -> Fit:
    return Fit(table) if named is None else fit_of(table, record, named, is_altered=is_altered)


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
