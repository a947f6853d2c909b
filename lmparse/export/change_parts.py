"""Change parts: the changes of a log, or of its parts in other processes, stored on the disk by table version.

Memory therefore holds neither the changes of a table nor an open file for each table. Another process of this machine,
or another machine with the same folders, may run the task of a part.
"""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import Version
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.columnar.json_texts import LINES
from lmparse.errors import LmparseError
from lmparse.export.conversion import PartResult, Run
from lmparse.framing.extents import Span
from lmparse.logs import arrow, lines
from lmparse.logs.open import opened_again
from lmparse.logs.partitions import FilePart
from lmparse.records.files import RecordFile
from lmparse.records.origin import RecordOrigin
from lmparse.records.settings import FileSettings
from lmparse.storage import processes
from lmparse.values.byte_arrays import places_by_value

_ROWS, _BYTES, _ALL_BYTES = 8192, 1 << 23, 1 << 26
"""Limits of changes waiting in memory: rows and bytes of one version, bytes of all versions."""
_LINE_FIELDS = pa.schema(
    [
        ("op", schemas.TEXT), ("schema_name", schemas.TEXT), ("table_name", schemas.TEXT),
        ("_metadata", schemas.METADATA), *LINES,
    ]
)  # fmt: skip
"""Columns of a stored JSON line: the line, and the columns for sorting and counting."""
GroupKey = tuple[str | None, int, pa.Schema]
_WithKey = tuple[str | None, int, pa.Schema, tuple[str, ...]]


@dataclass(frozen=True)
class Group:
    """Stored changes of one table version, or of changes without a version. Safe to pickle."""

    identity: str | None
    """Identity of the version; None for changes without a version."""
    sequence: int
    schema: pa.Schema
    table_key: Sequence[str]
    """Columns of the key, by the description with which the rows were read."""
    path: str

    @property
    def key(self) -> GroupKey:
        """The key of all groups, of any part, that go to one file."""
        return self.identity, self.sequence, self.schema


class ChangeFiles:
    """Batches on the disk, one file of Arrow streams for each version; no file stays open."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder, self._prefix = folder, prefix
        self._groups: dict[_WithKey, Group] = {}
        self._held: dict[_WithKey, list[pa.RecordBatch]] = {}
        self._bytes = 0
        """Bytes of the batches in memory."""

    def add(self, version: Version | None, batch: pa.RecordBatch) -> None:
        """Store a batch of one version, or of changes without a version."""
        identity, sequence = (None, 0) if version is None else (version.identity, version.sequence)
        key = identity, sequence, batch.schema, () if version is None else tuple(version.key)
        if key not in self._groups:
            self._groups[key] = Group(*key, str(self._folder / f"{self._prefix}-{len(self._groups)}"))
        held = self._held.setdefault(key, [])
        held.append(batch)
        self._bytes += batch.nbytes
        if sum(entry.num_rows for entry in held) >= _ROWS or sum(entry.nbytes for entry in held) >= _BYTES:
            self._write(key)
        elif self._bytes >= _ALL_BYTES:
            self.groups()

    def groups(self) -> list[Group]:
        """Write the batches in memory; returns the groups of all stored batches."""
        for key in [*self._held]:
            self._write(key)
        return [*self._groups.values()]

    def _write(self, key: _WithKey) -> None:
        held, group = self._held.pop(key), self._groups[key]
        self._bytes -= sum(batch.nbytes for batch in held)
        # Each write appends a separate stream to the file.
        with open(group.path, "ab") as file, pa.ipc.new_stream(file, group.schema) as writer:
            writer.write_table(pa.Table.from_batches(held).combine_chunks())


def stored(path: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a file of Arrow streams; the file is mapped, not read into memory."""
    source = pa.memory_map(os.fsencode(path))
    while source.tell() < source.size():
        yield from pa.ipc.open_stream(source)


# -- reading a log ------------------------------------------------------------------------------


@dataclass
class ChangesRead(PartResult):
    """The result of reading one part of the changes. Safe to pickle."""

    left_out: Counter[str] = field(default_factory=Counter)
    groups: list[Group] = field(default_factory=list)
    others: list[Group] = field(default_factory=list)
    """For engine check, the changes by the other engine, which must be the same."""


def keep_changes(
    run: Run,
    log: ChangeLog,
    folder: Path,
    parts: Sequence[FilePart],
    others: processes.Run | None,
    *,
    form: str = "parquet",
    is_sorted: bool = True,
) -> list[Group]:
    """Store the changes of a log in a folder, by reading the log here, or its parts in other processes (`others`).

    For engine check, the changes of both engines are compared, in the order of the log if `is_sorted`. Raises
    EngineDifferenceError, and ReadError LMP-F012 if a file has changed.
    """
    kept, reference = list[Group](), list[Group]()
    if not parts or others is None:
        run.summary.rows, kept, reference = keep_log(log, folder, "0", form=form)
        run.count(log.tally)
        run.summary.left_out = log.left_out
    else:
        run.count(log.tally)
        for done in run.results(others, partial(keep_part, folder=folder, form=form, resumed=log.resumed), parts):
            run.summary.left_out += done.left_out
            kept += done.groups
            reference += done.others
    run.check_files()
    sides: dict[GroupKey, tuple[list[Group], list[Group]]] = {}
    for number, groups in enumerate((kept, reference) if log.options.engine == "check" else ()):
        for group in groups:
            sides.setdefault(group.key, ([], []))[number].append(group)
    for first, second in sides.values():
        for _ in compared(merged(first, is_sorted, log.origin), merged(second, is_sorted, log.origin)):
            pass  # raises EngineDifferenceError
    return kept


def keep_log(
    log: ChangeLog,
    folder: Path,
    prefix: str,
    *,
    span: Span | None = None,
    settings: FileSettings | None = None,
    form: str = "parquet",
) -> tuple[int, list[Group], list[Group]]:
    """Store the changes of a log or part; returns their number, their groups, and the other engine's groups for check.

    The form `jsonl` stores them as lines.
    """

    def read(source: ChangeLog, engine: str) -> tuple[int, list[Group]]:
        files = ChangeFiles(folder, f"{prefix}-{engine}")
        rows = 0
        if form == "jsonl":
            found = chain.from_iterable(lines.change_lines(source, span, _LINE_FIELDS))
            batches: Iterator[tuple[Version | None, pa.RecordBatch]] = ((one.version, one.batch) for one in found)
        else:
            batches = arrow.version_batches(source, span)
        for version, batch in batches:
            files.add(version, batch)
            rows += batch.num_rows
        return rows, files.groups()

    count, groups = read(log, "rows")
    others = read(opened_again(log, settings), "kaitai")[1] if log.options.engine == "check" else []
    return count, groups, others


def keep_part(part: FilePart, folder: Path, form: str, resumed: Checkpoint | None) -> ChangesRead:
    """Store the changes of a part, in the calling process; `resumed` is the checkpoint from which its log is read."""
    done = ChangesRead()
    log: RecordFile | None = None
    prefix = uuid.uuid4().hex  # a repeated task writes new files
    try:
        log = part.open(on_error=done.errors.append)
        assert isinstance(log, ChangeLog)
        log.resumed = resumed
        read = keep_log(log, folder, prefix, span=part.span, settings=part.settings, form=form)
        done.rows, done.groups, done.others = read
        done.left_out = log.left_out
        part.check()
    except LmparseError as error:
        done.fault = error
    if log is not None:
        done.tally = log.tally
    return done


# -- the rows of several parts ------------------------------------------------------------------


def merged(parts: Iterable[Group], is_sorted: bool, origin: RecordOrigin) -> Iterator[pa.RecordBatch]:
    """Yield the rows of several parts; with `is_sorted`, in the order of their records in the log."""
    batches = [batch for part in parts for batch in stored(part.path)]
    if not is_sorted or not batches:
        return iter(batches)
    numbers = np.concatenate([_numbers(batch.column("_metadata"), origin) for batch in batches])
    if not (numbers[1:] < numbers[:-1]).any():
        return iter(batches)
    return taken(batches, np.argsort(numbers, kind="stable"))


def _numbers(where: pa.StructArray, origin: RecordOrigin) -> Any:
    """Numbers in the log of the records in a column `_metadata`, which names their files."""
    index, offsets = (np.asarray(where.field(name)) for name in ("record_index", "record_offset"))
    if origin.joined is None:
        return index
    files = where.field("file").dictionary_encode()
    return origin.in_log(files.dictionary.to_pylist(), np.asarray(files.indices), index, offsets)


def taken(
    batches: Sequence[pa.RecordBatch], order: Any, fit: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of batches in another order, a limited number at a time; `fit` makes their columns equal."""
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    for begin in range(0, len(order), _ROWS):
        chosen = order[begin : begin + _ROWS]
        owners = np.searchsorted(starts, chosen, side="right") - 1
        found, places = [], []
        for owner, mine in places_by_value(owners):
            rows = batches[owner].take(pa.array(chosen[mine] - starts[owner]))
            found.append(rows if fit is None else fit(rows))
            places.append(mine)
        yield pa.concat_batches(found).take(pa.array(np.argsort(np.concatenate(places))))


def operations_in(batch: pa.RecordBatch) -> Counter[str]:
    """Number of rows by operation; unlisted change types and bad records, which have no operation, count separately."""
    names = pc.fill_null(batch.column("op"), "unlisted")
    if schemas.CORRUPT_RECORD in batch.schema.names:
        names = pc.if_else(batch.column(schemas.CORRUPT_RECORD).is_valid(), "bad record", names)
    return Counter({entry["values"]: entry["counts"] for entry in pc.value_counts(names).to_pylist()})
