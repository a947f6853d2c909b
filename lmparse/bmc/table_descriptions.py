"""Descriptions of the tables of a control file, with the names that the headers of the log have for them."""

from __future__ import annotations

from collections.abc import Iterator

from lmparse.bmc.log import LogicalLog
from lmparse.bmc.table_names import TableName
from lmparse.bmc.tables import TableVersion, identity
from lmparse.changes.descriptions import TableDescription, TableDescriptions
from lmparse.errors import DataError


def describe(log: LogicalLog) -> TableDescriptions:
    """The table versions of the control file.

    A control file has names behind the documented fields of DTBI only, so a table without a change in the log has none.
    """
    found = TableDescriptions()
    names: dict[str, TableName] = {}
    try:
        for version, name in _named(log):
            known = names.get(version.identity)
            if known is None or (known.is_short and not name.is_short):
                names[version.identity] = name
    except DataError as error:
        found.fault = error
    found.found = [_description(version, names.get(version.identity)) for version in log.all_versions()]
    return found


def _named(log: LogicalLog) -> Iterator[tuple[TableVersion, TableName]]:
    for values in log.table_headers():
        for version in log.tables.of(identity(values)).versions:
            yield version, log.decoder.name(values, version)


def _description(version: TableVersion, name: TableName | None) -> TableDescription:
    return TableDescription(
        version=version,
        schema_name=name.schema if name else "",
        table_name=name.name if name else "",
        is_short=name is not None and name.is_short,
        ids=version.hex_ids,
        since=version.create_rba.hex().upper() if version.create_rba.strip(b"\0") else None,
        until=version.drop_rba.hex().upper() if version.is_dropped else None,
        notes=version.found_key.faults,
    )
