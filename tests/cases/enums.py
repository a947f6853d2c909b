"""Words of enumerations in the rows of cases, from the text of the specs alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FORMATS = Path(__file__).parents[2] / "formats"
ENUMS = {
    "type": "db2/db2_log log_record_type",
    "component": "db2/db2_server component",
    "record_class": "db2/db2_server record_class",
    "field_type": "db2/db2_dms column_type",
    "original_operation": "db2/db2_lob row_operation",
    "form": "db2/db2_row_header form",
    "segment_code": "zos/zos_sdw segment_code",
}
"""The spec and the enumeration of fields that have the same in all records."""
FUNCTIONS = {1: "db2_dms", 4: "db2_dom", 8: "db2_datalink", 11: "db2_ddl"}
"""The specs of records with a function, by their component."""
OPERATIONS = {5: "db2_lob", 15: "db2_xml"}
"""The same of operations, which lists of version 10 and later name."""


def worded(row: dict[str, Any], *, has_operations: bool = False) -> dict[str, Any]:
    """A row, and the rows inside it, with words in place of the numbers of enumerations."""
    component = row.get("component")
    named = dict(ENUMS)
    if component in FUNCTIONS:
        named["function_id"] = f"db2/{FUNCTIONS[component]} function_id"
    if component in OPERATIONS and has_operations:
        named["operation_id"] = f"db2/{OPERATIONS[component]} operation"
    return {name: _shown(value, named.get(name), has_operations) for name, value in row.items()}


def _shown(value: Any, enum: str | None, has_operations: bool) -> Any:
    if isinstance(value, list):
        return [_shown(item, enum, has_operations) for item in value]
    if isinstance(value, dict):
        return worded(value, has_operations=has_operations)
    return words(enum).get(value, str(value)) if enum is not None and isinstance(value, int) else value


@cache
def words(enum: str) -> dict[int, str]:
    """The words of an enumeration by their numbers."""
    place, name = enum.split()
    members = yaml.safe_load((FORMATS / f"{place}.ksy").read_text())["enums"][name]
    return {number: entry["id"] if isinstance(entry, dict) else entry for number, entry in members.items()}
