"""Change files: spilled changes as one file for each version of a table, and what the manifest says of each."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.export.filenames import Named, safe_names
from lmparse.export.spill_files import Group, merged
from lmparse.export.writers import LINES, opened
from lmparse.storage import addresses, buffers

OTHER = "other"
"""Name of the file of what is of no version of a table."""


@dataclass(frozen=True)
class Form:
    """How files are written."""

    name: str
    compression: str
    metadata: dict[str, str]
    """What Parquet and Arrow files say of themselves."""
    is_sorted: bool
    """Whether rows stand in the order of the log, whatever part gave them; else in the order they came in."""


def write_files(folder: Path, groups: list[Group], form: Form) -> list[dict[str, Any]]:
    """Write what was put aside, one file for each version; returns what the manifest says of each."""
    sets: dict[tuple[Any, ...], list[Group]] = {}
    for group in groups:
        sets.setdefault(group.key, []).append(group)
    tables = [named(parts, is_sorted=form.is_sorted) for parts in sets.values()]
    names = iter(safe_names(table for table in tables if table is not None))
    found = []
    for parts, table in zip(sets.values(), tables, strict=True):
        name = f"{OTHER if table is None else next(names)}.{form.name}"
        found.append(_write_file(folder / name, parts, table, form))
    return sorted(found, key=lambda entry: (entry["table"] is None, entry["file"]))


def check_same(groups: list[Group], seconds: list[Group], *, is_sorted: bool) -> None:
    """Compare what two engines gave. Raises EngineDifferenceError."""
    for key in dict.fromkeys(group.key for group in (*groups, *seconds)):
        pair = [merged([group for group in side if group.key == key], is_sorted) for side in (groups, seconds)]
        for _ in compared(*pair):
            pass


def named(parts: list[Group], *, is_sorted: bool) -> Named | None:
    """A version under the name that its first change has; None for what is of no version."""
    if parts[0].identity is None:
        return None
    first = next(merged(parts, is_sorted))
    schema, name = (first.column(column)[0].as_py() or "" for column in ("schema_name", "table_name"))
    return Named(schema, name, parts[0].sequence, parts[0].identity)


def _write_file(path: Path, parts: list[Group], table: Named | None, form: Form) -> dict[str, Any]:
    operations: Counter[str] = Counter()
    is_lines = form.name == "jsonl"
    schema = LINES if is_lines else parts[0].schema
    with opened(path, form.name, schema.with_metadata(form.metadata), form.compression) as output:
        for batch in merged(parts, form.is_sorted):
            operations.update(_operations(batch))
            output.write(batch.select(["line"]) if is_lines else batch)
    return {
        "file": path.name,
        "table": None if table is None else ".".join(word for word in (table.schema, table.name) if word),
        "schema_name": table and table.schema,
        "table_name": table and table.name,
        "version": table and table.version,
        "ids": table and table.identity.partition(" ")[0],
        "rows": sum(operations.values()),
        "rows_by_operation": dict(sorted(operations.items())),
        "schema": None if is_lines else [_described(entry) for entry in schema],
        "size": path.stat().st_size,
        "sha256": sha256(path),
    }


def _operations(batch: pa.RecordBatch) -> Counter[str]:
    """Rows by operation; an unlisted change type has none, and neither has a bad record."""
    names = pc.fill_null(batch.column("op"), "unlisted")
    if schemas.CORRUPT_RECORD in batch.schema.names:
        names = pc.if_else(batch.column(schemas.CORRUPT_RECORD).is_valid(), "bad record", names)
    return Counter({entry["values"]: entry["counts"] for entry in pc.value_counts(names).to_pylist()})


def _described(entry: pa.Field) -> dict[str, Any]:
    comment = (entry.metadata or {}).get(b"comment", b"").decode()
    said: dict[str, Any] = {"name": entry.name, "type": "struct" if pa.types.is_struct(entry.type) else str(entry.type)}
    if comment:
        said["comment"] = comment
    if pa.types.is_struct(entry.type):
        said["fields"] = [_described(inner) for inner in entry.type]
    return said


def about(path: str) -> dict[str, Any]:
    """Base name, size and hash of a file that was read, as it lies; of a remote one, of its bytes unpacked."""
    said: dict[str, Any] = {"name": addresses.base_name(path)}
    if addresses.is_remote(path):
        buffer = buffers.open_buffer(path)
        return said | {"size": len(buffer), "sha256": hashlib.sha256(buffer).hexdigest()}
    place = Path(addresses.local_path(path))
    return said | {"size": place.stat().st_size, "sha256": sha256(place)}


def sha256(path: Path) -> str:
    """The hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
