"""Change parts: the changes of a log, or of a part of it in another process, kept on the disk by table version.

The task of a part may be run by another process of this machine or by another machine that has the same folders.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.change import Version
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.comparison import compared
from lmparse.errors import LmparseError
from lmparse.export.conversion import PartResult, opened_again
from lmparse.export.late_times import Stretch, joined, late_stretches
from lmparse.export.spill_files import Group, GroupKey, SpillFiles, merged, spill, spill_lines
from lmparse.framing.extents import Span
from lmparse.logs.partitions import FilePart
from lmparse.records.files import RecordFile
from lmparse.records.origin import RecordOrigin
from lmparse.records.settings import FileSettings

Reached = Callable[[int, int, SpillFiles], None]
"""Is called now and then with the number of changes so far, the offset that reading has reached, and the files."""


@dataclass
class SpilledChanges:
    """Changes on the disk."""

    groups: list[Group] = field(default_factory=list)
    """The changes to be written."""
    firsts: list[Group] = field(default_factory=list)
    """For engine check, the changes from one engine; `seconds` must be the same."""
    seconds: list[Group] = field(default_factory=list)
    keys: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    """By identity of the version, the key of each description of it that rows were read by."""
    late: dict[str, list[Stretch]] = field(default_factory=dict)
    """By identity of the version, where changes have late times in their key, if that was asked for."""

    def extend(self, other: SpilledChanges) -> None:
        """Append the changes of a later part."""
        self.groups += other.groups
        self.firsts += other.firsts
        self.seconds += other.seconds
        for identity, keys in other.keys.items():
            self.keys[identity] = [*dict.fromkeys([*self.keys.get(identity, ()), *keys])]
        for identity, late in other.late.items():
            self.late[identity] = joined([*self.late.get(identity, ()), *late])


class _KeyedFiles(SpillFiles):
    """Spill files of which the key of each description is known that rows were read by.

    Extracts may describe a version in different ways, also those that have no row of it.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        super().__init__(folder, prefix)
        self.keys: dict[str, list[tuple[str, ...]]] = {}
        """By identity of the version."""

    def add(self, version: Version | None, batch: pa.RecordBatch) -> None:
        if version is not None and _has_rows(batch):
            known = self.keys.setdefault(version.identity, [])
            if version.key not in known:
                known.append(version.key)
        super().add(version, batch)


def _has_rows(batch: pa.RecordBatch) -> bool:
    """Whether some change has a row: a version may only say that the table was created."""
    names = [name for name in ("before", "after") if name in batch.schema.names]
    return any(batch.column(name).null_count < batch.num_rows for name in names)


@dataclass(frozen=True)
class ChangeTask:
    """A part of a log that is to be read. Safe to pickle."""

    part: FilePart
    folder: str
    form: str = "parquet"
    resumed: Checkpoint | None = None
    """The checkpoint that the log is read from."""
    finds_late: bool = False
    """Whether changes with late times in their key are looked for."""


@dataclass
class ChangesRead(PartResult):
    """What reading one part of the changes produced. Safe to pickle."""

    left_out: Counter[str] = field(default_factory=Counter)
    kept: SpilledChanges = field(default_factory=SpilledChanges)


def spill_log(
    log: ChangeLog,
    folder: Path,
    prefix: str,
    reached: Reached,
    *,
    span: Span | None = None,
    settings: FileSettings | None = None,
    form: str = "parquet",
    finds_late: bool = False,
) -> SpilledChanges:
    """Spill the changes of a log or part; for engine check, also those of the other engine.

    For the form `jsonl` they are spilled as lines. `finds_late` looks for changes with late times in their key.
    """

    def read(source: ChangeLog, files: SpillFiles, put: Any) -> list[Group]:
        for rows, place in put(source, span, files):
            if source is log:
                reached(rows, place, files)
        return files.groups()

    def again(engine: str) -> ChangeLog:
        other = opened_again(log, settings, engine)
        assert isinstance(other, ChangeLog)
        other.is_part = log.is_part
        other.resumed = log.resumed
        return other

    asked = spill_lines if form == "jsonl" else spill
    files = _KeyedFiles(folder, f"{prefix}-rows")
    kept = SpilledChanges(read(log, files, asked), keys=files.keys)
    if log.options.engine == "check":
        kept.seconds = read(again("kaitai"), SpillFiles(folder, f"{prefix}-kaitai"), spill)
        if form == "jsonl":
            # The values, and the lines too, since their text is made another way.
            kept.firsts = read(again("columnar"), SpillFiles(folder, f"{prefix}-columnar"), spill) + kept.groups
            kept.seconds += read(again("kaitai"), SpillFiles(folder, f"{prefix}-lines"), spill_lines)
        else:
            kept.firsts = kept.groups
    if finds_late:
        engine = "columnar" if log.options.engine == "check" else log.options.engine
        kept.late = late_stretches(kept.groups, kept.keys, lambda: again(engine), span)
    return kept


def spill_part(task: ChangeTask) -> ChangesRead:
    """Spill the changes of a part, in the process that this is called in."""
    done = ChangesRead()
    part = task.part
    log: RecordFile | None = None

    prefix = uuid.uuid4().hex  # a task that is run again writes files of its own

    def count_rows(rows: int, _: int, __: SpillFiles) -> None:
        done.rows = rows

    try:
        log = part.open(on_error=done.errors.append)
        assert isinstance(log, ChangeLog)
        log.resumed = task.resumed
        done.kept = spill_log(
            log, Path(task.folder), prefix, count_rows, span=part.span, settings=part.settings, form=task.form,
            finds_late=task.finds_late,
        )  # fmt: skip
        done.left_out = log.left_out
        part.check()
    except LmparseError as error:
        done.fault = error
    if log is not None:
        done.tally = log.tally
    return done


def check_same(kept: SpilledChanges, origin: RecordOrigin, *, is_sorted: bool = True) -> None:
    """Compare the changes from two engines; they are sorted as `merged` does. Raises EngineDifferenceError."""
    sides: dict[GroupKey, tuple[list[Group], list[Group]]] = {}
    for number, groups in enumerate((kept.firsts, kept.seconds)):
        for group in groups:
            sides.setdefault(group.key, ([], []))[number].append(group)
    for first, second in sides.values():
        for _ in compared(merged(first, is_sorted, origin), merged(second, is_sorted, origin)):
            pass


def operations_in(batch: pa.RecordBatch) -> Counter[str]:
    """Number of rows by operation; unlisted change types and bad records have no operation and count apart."""
    names = pc.fill_null(batch.column("op"), "unlisted")
    if schemas.CORRUPT_RECORD in batch.schema.names:
        names = pc.if_else(batch.column(schemas.CORRUPT_RECORD).is_valid(), "bad record", names)
    return Counter({entry["values"]: entry["counts"] for entry in pc.value_counts(names).to_pylist()})
