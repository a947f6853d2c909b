"""Spill files: changes kept on the disk by table version and part of the log until the whole log has been read.

So neither the changes of a table nor an open file for each table is held in memory.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.json_texts import LINES
from lmparse.framing.extents import Span
from lmparse.logs import arrow, lines
from lmparse.records.origin import RecordOrigin
from lmparse.values.byte_arrays import places_by_value

_ROWS, _BYTES, _ALL_BYTES = 8192, 1 << 23, 1 << 26
"""Limits of what waits in memory to be spilled: rows and bytes of one version, bytes of all versions."""
_MAPPED = 8
"""Batches that are mapped at a time; rows in another order than theirs come from several."""
_LINE_FIELDS = pa.schema(
    [
        ("op", schemas.TEXT),
        ("schema_name", schemas.TEXT),
        ("table_name", schemas.TEXT),
        ("_metadata", schemas.METADATA),
        *LINES,
    ]
)
"""Columns of a spilled JSON line: the line, and what it is sorted and counted by."""
GroupKey = tuple[str | None, int, pa.Schema]


@dataclass(frozen=True)
class Group:
    """Spilled changes of one table version, or of changes without one. Safe to pickle."""

    identity: str | None
    """Identity of the version; None for changes without a version."""
    sequence: int
    schema: pa.Schema
    path: str
    size: int = 0
    """Bytes of the file."""

    @property
    def key(self) -> GroupKey:
        """Key that groups of several parts share when they go into one file."""
        return self.identity, self.sequence, self.schema


class SpillFiles:
    """Batches on the disk, one file for each version; no file stays open."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder, self._prefix = folder, prefix
        self._groups: dict[GroupKey, Group] = {}
        self._held: dict[GroupKey, list[pa.RecordBatch]] = {}
        self._bytes = 0
        """Bytes of what is held."""
        self._made = 0
        """Number of files."""

    def add(self, version: Version | None, batch: pa.RecordBatch) -> None:
        """Keep a batch of one version, or of changes without one."""
        identity, sequence = (None, 0) if version is None else (version.identity, version.sequence)
        group = self._group(identity, sequence, batch.schema)
        held = self._held.setdefault(group.key, [])
        held.append(batch)
        self._bytes += batch.nbytes
        if sum(entry.num_rows for entry in held) >= _ROWS or sum(entry.nbytes for entry in held) >= _BYTES:
            self._spill(group)
        elif self._bytes >= _ALL_BYTES:
            self.groups()

    def _group(self, identity: str | None, sequence: int, schema: pa.Schema) -> Group:
        found = self._groups.get((identity, sequence, schema))
        if found is None:
            path = self._folder / f"{self._prefix}-{self._made}"
            found = Group(identity, sequence, schema, str(path))
            self._groups[found.key] = found
            self._made += 1
        return found

    def groups(self) -> list[Group]:
        """Spill what is in memory; returns the groups of all that was kept."""
        for group in list(self._groups.values()):
            self._spill(group)
        return list(self._groups.values())

    def next_groups(self) -> list[Group]:
        """The groups of what was kept since the last call; what comes is kept in other files."""
        found = self.groups()
        self._groups.clear()
        return found

    def _spill(self, group: Group) -> None:
        held = self._held.pop(group.key, [])
        if not held:
            return
        self._bytes -= sum(batch.nbytes for batch in held)
        # A stream of its own behind those in the file.
        with open(group.path, "ab") as file, pa.ipc.new_stream(file, group.schema) as writer:
            for batch in pa.Table.from_batches(held).combine_chunks().to_batches():
                writer.write_batch(batch)
        self._groups[group.key] = replace(group, size=os.path.getsize(group.path))


def stored(path: str, schema: pa.Schema, size: int) -> Iterator[pa.RecordBatch]:
    """The batches of a file of one or several streams; the file is mapped, not read into memory.

    Raises OSError if it has another size or other columns than the file that was written. Changed values are not seen.
    """
    return (batch for _, _, batch in _placed(path, schema, size))


def _placed(path: str, schema: pa.Schema, size: int) -> Iterator[tuple[int, int, pa.RecordBatch]]:
    """The same with the offset of the stream of each batch, and the number of the batch in it."""
    try:
        source = pa.memory_map(os.fsencode(path))
        if source.size() != size:
            raise _exchanged(path, f"expected {size} bytes, found {source.size()}")
        while (start := source.tell()) < size:
            reader = pa.ipc.open_stream(source)
            if reader.schema != schema:
                raise _exchanged(path, "it has other columns")
            for number, batch in enumerate(reader):
                yield start, number, batch
    except pa.ArrowException as error:
        raise _exchanged(path, str(error)) from None


class StoredBatches(Sequence[pa.RecordBatch]):
    """The batches of some groups by their numbers; few are mapped at a time, so memory does not grow."""

    def __init__(self, groups: Iterable[Group]) -> None:
        """Raises as `stored`."""
        self._places = [
            (group, start, number)
            for group in groups
            for start, number, _ in _placed(group.path, group.schema, group.size)
        ]
        self._mapped: OrderedDict[int, pa.RecordBatch] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> pa.RecordBatch: ...

    @overload
    def __getitem__(self, place: slice) -> list[pa.RecordBatch]: ...

    def __getitem__(self, place: int | slice) -> pa.RecordBatch | list[pa.RecordBatch]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        found = self._mapped.pop(place, None)
        if found is None:
            group, start, number = self._places[place]
            source = pa.memory_map(os.fsencode(group.path))
            source.seek(start)
            found = next(islice(pa.ipc.open_stream(source), number, None))
            if len(self._mapped) == _MAPPED:
                self._mapped.popitem(last=False)
        self._mapped[place] = found
        return found


def _exchanged(path: str, why: str) -> OSError:
    """Without its rows there is no output; whoever writes that adds its name and a code."""
    return OSError(f"the temporary file {path} is not as it was written: {why}")


def spill(log: ChangeLog, span: Span | None, files: SpillFiles) -> Iterator[tuple[int, int]]:
    """Keep the changes of a log; yields now and then how many there are and the offset that reading has reached."""
    rows = reached = 0
    for version, batch in arrow.version_batches(log, span):
        files.add(version, batch)
        rows += batch.num_rows
        reached = max(reached, _behind(batch, log.origin))
        yield rows, reached


def spill_lines(log: ChangeLog, span: Span | None, files: SpillFiles) -> Iterator[tuple[int, int]]:
    """The same for changes as the lines that `lmparse changes` prints."""
    rows = reached = 0
    for found in lines.change_lines(log, span, _LINE_FIELDS):
        for one in found:
            files.add(one.version, one.batch)
            rows += one.batch.num_rows
            reached = max(reached, _behind(one.batch, log.origin))
        yield rows, reached


def _behind(batch: pa.RecordBatch, origin: RecordOrigin) -> int:
    """The offset in the log behind the last record of a batch."""
    where = batch.column("_metadata").slice(batch.num_rows - 1)
    _, offsets = _places(where, origin)
    return int(offsets[0]) + int(where.field("record_length")[0].as_py() or 0)


def merged(parts: list[Group], is_sorted: bool, origin: RecordOrigin) -> Iterator[pa.RecordBatch]:
    """The rows of several parts; with `is_sorted` in the order of their records in the log."""
    batches = [batch for part in parts for batch in stored(part.path, part.schema, part.size)]
    if not is_sorted or _is_ascending(batches, origin):
        return iter(batches)
    numbers = [_numbers(batch, origin) for batch in batches]
    return taken(batches, np.argsort(np.concatenate(numbers), kind="stable"))


def _numbers(batch: pa.RecordBatch, origin: RecordOrigin) -> Any:
    """The number in the log of the record of each row."""
    return _places(batch.column("_metadata"), origin)[0]


def _places(where: pa.StructArray, origin: RecordOrigin) -> tuple[Any, Any]:
    """Number and offset in the log of the records in a column `_metadata`, which names the file of each."""
    index, offsets = (np.asarray(where.field(name)) for name in ("record_index", "record_offset"))
    if origin.joined is None:
        return index, offsets
    files = where.field("file").dictionary_encode()
    return origin.in_log(files.dictionary.to_pylist(), np.asarray(files.indices), index, offsets)


def _is_ascending(batches: list[pa.RecordBatch], origin: RecordOrigin) -> bool:
    """Whether rows are in the order of their records, without the numbers of all rows in memory."""
    last = -1
    for batch in batches:
        behind = last_behind(batch, last, origin)
        if behind is None:
            return False
        last = behind
    return True


def last_behind(batch: pa.RecordBatch, last: int, origin: RecordOrigin) -> int | None:
    """The number of the last record if rows are in the order of their records, behind record `last`; else None."""
    numbers = _numbers(batch, origin)
    if not len(numbers):
        return last
    return None if numbers[0] < last or (numbers[1:] < numbers[:-1]).any() else int(numbers[-1])


def taken(
    batches: Sequence[pa.RecordBatch], order: Any, fit: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of batches in another order, a limited number at a time; `fit` gives rows of all the same columns."""
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    for begin in range(0, len(order), _ROWS):
        chosen = order[begin : begin + _ROWS]
        owners = np.searchsorted(starts, chosen, side="right") - 1
        pieces, places = [], []
        for owner, mine in places_by_value(owners):
            piece = batches[owner].take(pa.array(chosen[mine] - starts[owner]))
            pieces.append(piece if fit is None else fit(piece))
            places.append(mine)
        yield pa.concat_batches(pieces).take(pa.array(np.argsort(np.concatenate(places))))
