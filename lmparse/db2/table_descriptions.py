"""Descriptions of the tables of a Db2 LUW log: those that its records make, and those of the tables file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lmparse.changes.descriptions import TableDescription, TableDescriptions
from lmparse.db2.log import Db2Log
from lmparse.db2.table_history import TableRecord
from lmparse.db2.tables import Table

_CONTRADICTION = "the tables file is not of this log"


def describe(log: Db2Log) -> TableDescriptions:
    """The descriptions by committed transactions, in the order of the log, and those of the tables file."""
    index = log.transactions
    found = [one for ids in index.tables for one in _logged(index.tables[ids], index.named.get(ids))]
    logged = {one.ids for one in found}
    found += [_description(table, None, None) for table in index.named.values() if table.hex_ids not in logged]
    return TableDescriptions(found, index.fault)


def _logged(records: Sequence[TableRecord], named: Table | None) -> Iterator[TableDescription]:
    """The versions of one table, each in force from the record that made it up to the one that made the next."""
    made = sorted((record for record in records if record.is_committed), key=lambda record: record.index)
    ends = [*(record.index for record in made), None]
    before = next((record.before for record in records if record.before is not None), None)
    if before is not None:
        yield _description(before, None, ends[0], named)
    for record, end in zip(made, ends[1:], strict=True):
        if record.table is not None:
            yield _description(record.table, record.index, end, named)


def _description(table: Table, since: int | None, until: int | None, named: Table | None = None) -> TableDescription:
    difference = table.differs_from(named) if named is not None else None
    if named is not None and difference is None:
        table = table.named_by(named)
    return TableDescription(
        version=table,
        schema_name=table.schema,
        table_name=table.name,
        ids=table.hex_ids,
        since=None if since is None else f"record {since}",
        until=None if until is None else f"record {until}",
        notes=[f"{_CONTRADICTION}: {difference}"] if difference is not None else [],
    )
