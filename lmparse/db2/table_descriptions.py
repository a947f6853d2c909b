"""Descriptions of the tables of a Db2 LUW log: those that its records make, and those of the tables file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lmparse.changes.descriptions import TableDescription, TableDescriptions
from lmparse.db2.descriptions_in_force import Fit, fit_of
from lmparse.db2.log import Db2Log
from lmparse.db2.table_history import TableRecord
from lmparse.db2.tables import Table

_CONTRADICTION = "the tables file is not of this log"


def describe(log: Db2Log) -> TableDescriptions:
    """The descriptions by committed transactions, in the order of the log, and those of the tables file."""
    index = log.transactions
    found = [one for ids in index.tables for one in _logged(index.tables[ids], index.named.get(ids))]
    logged = {one.ids for one in found}
    found += [_description(Fit(table), None, None) for table in index.named.values() if table.hex_ids not in logged]
    return TableDescriptions(found, index.fault)


def _logged(records: Sequence[TableRecord], named: Table | None) -> Iterator[TableDescription]:
    """The versions of one table, each in force from the record that made it up to the one that made the next."""
    made = sorted((record for record in records if record.is_committed), key=lambda record: record.index)
    ends = [*(record.index for record in made), None]
    for record in records:
        if record.before is not None:
            yield _description(_fit(record.before, record, named), None, ends[0])
            break
    for record, end in zip(made, ends[1:], strict=True):
        if record.table is not None:
            yield _description(_fit(record.table, record, named), record.index, end)


def _fit(table: Table, record: TableRecord, named: Table | None) -> Fit:
    return Fit(table) if named is None else fit_of(table, record, named)


def _description(fit: Fit, since: int | None, until: int | None) -> TableDescription:
    table = fit.table
    return TableDescription(
        version=table,
        schema_name=table.schema,
        table_name=table.name,
        ids=table.hex_ids,
        since=None if since is None else f"record {since}",
        until=None if until is None else f"record {until}",
        notes=[f"{_CONTRADICTION}: {fit.difference}"] if fit.difference is not None else [],
    )
