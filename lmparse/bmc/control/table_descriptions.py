"""Descriptions of the tables of control files, with the names that the headers of the log have for them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from lmparse.bmc.control.table_names import TableName
from lmparse.bmc.control.tables import TableVersion, identity
from lmparse.bmc.log.log import LogicalLog
from lmparse.changes.descriptions import TableDescription, TableDescriptions
from lmparse.errors import DataError

_NAMES = ("schema_name", "table_name", "table_name_short")
"""Fields that an extract without a change of a table does not know."""


def describe(extracts: Iterable[LogicalLog]) -> TableDescriptions:
    """The table versions of the control files of a log, in the order of its extracts; equal ones are given once.

    Of equal ones, the one with the best known name is given. The error that ends a search for names is the fault.
    """
    found = TableDescriptions()
    places: dict[str, int] = {}
    for log in extracts:
        described = _of_extract(log)
        found.fault = found.fault or described.fault
        for table in described.found:
            alike = {name: value for name, value in table.to_dict().items() if name not in _NAMES}
            place = places.setdefault(json.dumps(alike, sort_keys=True), len(found.found))
            if place == len(found.found):
                found.found.append(table)
            elif _known(table) > _known(found.found[place]):
                found.found[place] = table
    return found


def _known(table: TableDescription) -> int:
    """How well the name of a table is known: 0 not at all, 1 its short form, 2 in full."""
    return 0 if not table.table_name else 1 if table.is_short else 2


def _of_extract(log: LogicalLog) -> TableDescriptions:
    """The table versions of one control file.

    A control file has names only behind the documented fields of DTBI, so a table without a change in the log has none.
    """
    found = TableDescriptions()
    names: dict[str, TableName] = {}
    try:
        for values in log.table_headers():
            for version in log.tables.of(identity(values)).versions:
                known, name = names.get(version.identity), log.decoder.name(values, version)
                if known is None or (known.is_short and not name.is_short):
                    names[version.identity] = name
    except DataError as error:
        found.fault = error
    found.found = [_description(version, names.get(version.identity)) for version in log.all_versions()]
    return found


def _description(version: TableVersion, name: TableName | None) -> TableDescription:
    return TableDescription(
        version=version,
        schema_name=name.schema if name else "",
        table_name=name.name if name else "",
        is_short=name is not None and name.is_short,
        ids=version.hex_ids,
        since=version.create_rba.hex().upper() if version.create_rba.strip(b"\0") else None,
        until=version.drop_rba.hex().upper() if version.is_dropped else None,
        notes=[version.key_fault] if version.key_fault else [],
    )
