"""Change folders: the changes of a log as one file for each version of a table, with a manifest.

Changes are put aside on the disk first, by version and part of the log, and then written file
by file in the order of the log. So memory holds neither a table nor an open file for each.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import Version
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.export.filenames import Named, safe_names
from lmparse.export.writers import LINES, json_line, opened
from lmparse.framing.framings import Span
from lmparse.logs import arrow
from lmparse.records.reader import to_json
from lmparse.storage import addresses, buffers

OTHER = "other"
"""Name of the file of what is of no version of a table."""
_ROWS, _BYTES, _ALL_BYTES = 8192, 1 << 23, 1 << 26
"""Rows and bytes of one version, and bytes of all together, that wait in memory to be put aside."""
_LINE_FIELDS = pa.schema(
    [
        ("op", schemas.TEXT),
        ("schema_name", schemas.TEXT),
        ("table_name", schemas.TEXT),
        ("_metadata", schemas.METADATA),
        *LINES,
    ]
)
"""A JSON line with what it is sorted and counted by."""


@dataclass(frozen=True)
class Group:
    """Changes of one version of a table, or of none, that were put aside. Safe to pickle."""

    identity: str | None
    """What the version is known by; None for what is of no version."""
    sequence: int
    schema: pa.Schema
    path: str
    rows: int = 0

    @property
    def key(self) -> tuple[str | None, int, pa.Schema]:
        """What groups of several parts have in common when they go into one file."""
        return self.identity, self.sequence, self.schema


class SpillFiles:
    """Batches put aside, one file for each version; none stays open."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder, self._prefix = folder, prefix
        self._groups: dict[tuple[str | None, int, pa.Schema], Group] = {}
        self._held: dict[tuple[str | None, int, pa.Schema], list[pa.RecordBatch]] = {}
        self._bytes = 0

    def add(self, version: Version | None, batch: pa.RecordBatch) -> None:
        """Keep a batch of one version, or of none."""
        known = Group(
            None if version is None else version.identity,
            0 if version is None else version.sequence,
            batch.schema,
            str(self._folder / f"{self._prefix}-{len(self._groups)}"),
        )
        group = self._groups.setdefault(known.key, known)
        self._groups[group.key] = replace(group, rows=group.rows + batch.num_rows)
        held = self._held.setdefault(group.key, [])
        held.append(batch)
        self._bytes += batch.nbytes
        if sum(entry.num_rows for entry in held) >= _ROWS or sum(entry.nbytes for entry in held) >= _BYTES:
            self._put(group)
        elif self._bytes >= _ALL_BYTES:
            self.groups()

    def groups(self) -> list[Group]:
        """Everything that was kept, on the disk."""
        for group in self._groups.values():
            self._put(group)
        return list(self._groups.values())

    def _put(self, group: Group) -> None:
        held = self._held.pop(group.key, [])
        if not held:
            return
        self._bytes -= sum(batch.nbytes for batch in held)
        # A stream of its own, behind those that stand there.
        with open(group.path, "ab") as file, pa.ipc.new_stream(file, group.schema) as writer:
            for batch in pa.Table.from_batches(held).combine_chunks().to_batches():
                writer.write_batch(batch)


def stored(path: str) -> Iterator[pa.RecordBatch]:
    """The batches of a file of one or several streams, mapped and not in memory."""
    source = pa.memory_map(path)
    size = source.size()
    while source.tell() < size:
        yield from pa.ipc.open_stream(source)


def put_aside(log: ChangeLog, span: Span | None, aside: SpillFiles) -> Iterator[tuple[int, int]]:
    """Keep the changes of a log; gives how many there are and how far it was read, in bytes, now and then."""
    rows = reached = 0
    for version, batch in arrow.version_batches(log, span):
        aside.add(version, batch)
        rows += batch.num_rows
        where = batch.column("_metadata")[-1].as_py()
        reached = max(reached, where["record_offset"] + where["record_length"])
        yield rows, reached


def put_lines_aside(log: ChangeLog, span: Span | None, aside: SpillFiles) -> Iterator[tuple[int, int]]:
    """The same with the lines that `lmparse changes` prints."""
    held: dict[int, tuple[Version | None, list[dict[str, Any]]]] = {}
    rows = reached = 0
    for change in log.typed_changes(span):
        row = to_json(change.to_row(log.origin, header=log.options.header))
        where = row["_metadata"]
        kept = held.setdefault(id(change.table), (change.table, []))[1]
        kept.append({name: row.get(name) for name in _LINE_FIELDS.names} | {"line": json_line(row)})
        rows += 1
        reached = max(reached, where["record_offset"] + where["record_length"])
        if not rows % _ROWS:
            _give(held, aside)
            yield rows, reached
    _give(held, aside)
    yield rows, reached


def _give(held: dict[int, tuple[Version | None, list[dict[str, Any]]]], aside: SpillFiles) -> None:
    for version, rows in held.values():
        aside.add(version, pa.RecordBatch.from_pylist(rows, _LINE_FIELDS))
    held.clear()


# -- the files ----------------------------------------------------------------------------


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


def merged(parts: list[Group], is_sorted: bool) -> Iterator[pa.RecordBatch]:
    """The rows of several parts; sorted, in the order of their records in the log."""
    batches = [batch for part in parts for batch in stored(part.path)]
    if not is_sorted or not batches:
        return iter(batches)
    keys = [np.asarray(batch.column("_metadata").field("record_index")) for batch in batches]
    if all((key[1:] >= key[:-1]).all() for key in keys) and _ascend(keys):
        return iter(batches)
    return _taken(batches, np.argsort(np.concatenate(keys), kind="stable"))


def _ascend(keys: list[Any]) -> bool:
    return all(left[-1] <= right[0] for left, right in pairwise(keys))


def _taken(batches: list[pa.RecordBatch], order: Any) -> Iterator[pa.RecordBatch]:
    """Rows of batches in another order, few batches at a time."""
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    for begin in range(0, len(order), _ROWS):
        chosen = order[begin : begin + _ROWS]
        owners = np.searchsorted(starts, chosen, side="right") - 1
        pieces, places = [], []
        for owner in np.unique(owners):
            mine = np.flatnonzero(owners == owner)
            pieces.append(batches[owner].take(pa.array(chosen[mine] - starts[owner])))
            places.append(mine)
        yield pa.concat_batches(pieces).take(pa.array(np.argsort(np.concatenate(places))))


# -- the manifest -------------------------------------------------------------------------


def write_manifest(path: Path, said: dict[str, Any]) -> None:
    """Write a manifest."""
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="surrogateescape")


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


def sum_of(notices: Iterable[str]) -> list[str]:
    """What parts of a log have to say, once; those that begin with a number are counts of each part."""
    counts: dict[str, int] = {}
    for notice in notices:
        number, _, rest = notice.partition(" ")
        if number.isdigit():
            counts[rest] = counts.get(rest, 0) + int(number)
        else:
            counts.setdefault(notice, 0)
    return [f"{count} {text}" if count else text for text, count in counts.items()]
