"""Status of a ledger: the files of each stream in order, what is missing between them, and what a checkpoint needs.

Everything is in the ledger: no file is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.log_range import position_text
from lmparse.limits import DEFAULT, Limits
from lmparse.logs.ledger import absolute, entry_dict
from lmparse.logs.ledger_file import LedgerCopy, LedgerEntry, LedgerOverlap, reading_ledger
from lmparse.logs.ledger_overlaps import OrderedFile, StreamKey, in_order

_MARGIN = 4
"""Records that begin where the one before ends, for each gap, that prove that no filter left records out. A filter
leaves some out all over a log; see `check`, which decides in the same way."""
_NO_ADDRESS = "records do not state where in the log they are"
_FILTERED = "records were left out all over the log when it was read"
_EXPANDED = "the rows of the file in front are longer than in the log"


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file at its place in a stream."""

    file: OrderedFile
    missing: int | None
    """Bytes of the log between this file and those in front of it; None if that cannot be told."""
    untold: str
    """Why it cannot be told."""
    missing_inside: int
    """Number of places in the file where bytes of the log are missing."""
    overlap: LedgerOverlap | None
    """What it has in common with the file in front that reaches farthest."""

    @property
    def has_gap(self) -> bool:
        """Whether bytes of the log are missing in front of it or in it."""
        return bool(self.missing or self.missing_inside)

    @property
    def differs(self) -> bool:
        """Whether it has other records than the file in front where they overlap."""
        return self.overlap is not None and self.overlap.difference is not None

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object; the file itself is named by its path."""
        own, overlap, before = self.file.range, self.overlap, self.file.before
        found: dict[str, Any] = {
            "file": self.file.entry.path, "first": own.first, "last": own.last, "records": own.records,
            "missing_bytes": self.missing, "untold": self.untold or None, "missing_inside": self.missing_inside,
            "overlap": None,
        }  # fmt: skip
        if overlap is not None and before is not None:
            found["overlap"] = {
                "with": before.path, "records": overlap.records, "difference": overlap.difference,
                "untested": overlap.untested,
            }  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """The files of one stream in the order of their positions."""

    key: StreamKey
    files: tuple[FileStatus, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        spec, log, stream = self.key
        return {"spec": spec, "log": log, "stream": stream, "files": [file.to_dict() for file in self.files]}


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """What reading on from a checkpoint needs."""

    oldest: LedgerEntry | None
    """The file of the lowest position that is still needed."""
    needed: tuple[LedgerEntry, ...]
    """Files with records of transactions that may still be committed, and files that have not been read."""
    done: tuple[LedgerEntry, ...]
    """Files that no next reading needs."""
    unlisted: tuple[str, ...]
    """Files that the checkpoint needs and that are not in the ledger."""

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "oldest_needed": None if self.oldest is None else self.oldest.path,
            "needed": [entry.path for entry in self.needed],
            "done": [entry.path for entry in self.done],
            "unlisted": list(self.unlisted),
        }


@dataclass(frozen=True)
class LedgerStatus:
    """All of a ledger."""

    entries: tuple[LedgerEntry, ...]
    copies: tuple[LedgerCopy, ...]
    streams: tuple[StreamStatus, ...]
    empty: tuple[LedgerEntry, ...]
    """Files without a record that states its position."""
    checkpoint: NeededFiles | None

    @property
    def is_bad(self) -> bool:
        """Whether bytes of a log are missing, files that overlap differ, or a file that is needed is not listed."""
        files = (file for stream in self.streams for file in stream.files)
        lacks = self.checkpoint is not None and bool(self.checkpoint.unlisted)
        return lacks or any(file.has_gap or file.differs for file in files)

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        paths = {entry.id: entry.path for entry in self.entries}
        return {
            "files": [entry_dict(entry) for entry in self.entries],
            "streams": [stream.to_dict() for stream in self.streams],
            "without_records": [entry.path for entry in self.empty],
            "copies": [{"file": copy.path, "of": paths[copy.file], "added": copy.added} for copy in self.copies],
            "checkpoint": None if self.checkpoint is None else self.checkpoint.to_dict(),
        }


def status(ledger: str, checkpoint: str | None = None, limits: Limits = DEFAULT) -> LedgerStatus:
    """What a ledger says of its logs, and which files a checkpoint needs.

    Raises OptionError as `reading_ledger` does, and LMP-S030 for a file that is not a checkpoint.
    """
    with reading_ledger(ledger) as held:
        entries, copies, overlaps = held.entries(), held.copies(), held.overlaps()
    streams = [
        StreamStatus(key, tuple(_statuses(files, overlaps))) for key, files in in_order(entries.values()).items()
    ]
    empty = tuple(entry for entry in entries.values() if not entry.range.streams)
    needed = None
    if checkpoint is not None:
        needed = _needed(Checkpoint.read(checkpoint, limits), entries, copies)
    return LedgerStatus(tuple(entries.values()), tuple(copies), tuple(streams), empty, needed)


def _statuses(files: list[OrderedFile], overlaps: Mapping[tuple[int, int], LedgerOverlap]) -> Iterator[FileStatus]:
    steps = [_step(file, end) for file, end in _with_ends(files)]
    adjoining = sum(file.range.adjoining for file in files) + sum(step == 0 for step in steps)
    gaps = sum(file.range.gaps for file in files) + sum(step is not None and step > 0 for step in steps)
    is_whole = adjoining >= max(1, _MARGIN * gaps)
    for file, step in zip(files, steps, strict=True):
        untold, missing, overlap = "", step, None
        if file.before is None:
            missing = 0
        elif file.overlaps:
            missing, overlap = 0, overlaps.get((file.entry.id, file.before.id))
        elif step is None:
            untold = _NO_ADDRESS
        elif step < 0:
            missing, untold = None, _EXPANDED
        elif step > 0 and not is_whole:
            missing, untold = None, _FILTERED
        yield FileStatus(file, missing, untold, file.range.gaps if is_whole else 0, overlap)


def _with_ends(files: Iterable[OrderedFile]) -> Iterator[tuple[OrderedFile, int | None]]:
    """Each file with the highest address behind a record of those in front."""
    end: int | None = None
    for file in files:
        yield file, end
        own = file.range.end
        end = own if end is None else end if own is None else max(end, own)


def _step(file: OrderedFile, end: int | None) -> int | None:
    """Bytes of the log between a file and those in front; None for a file that overlaps them, and if none says it."""
    if file.before is None or file.overlaps or end is None or file.range.begin is None:
        return None
    return file.range.begin - end


def _needed(checkpoint: Checkpoint, entries: Mapping[int, LedgerEntry], copies: Iterable[LedgerCopy]) -> NeededFiles:
    by_path = {copy.path: copy.file for copy in copies} | {entry.path: entry.id for entry in entries.values()}
    named = {one.path: absolute(one.path) for one in checkpoint.needed}
    wanted = {by_path[path] for path in named.values() if path in by_path}
    unlisted = tuple(name for name, path in named.items() if path not in by_path)
    reached = position_text(checkpoint.reached)
    needed: list[LedgerEntry] = []
    done: list[LedgerEntry] = []
    of_log = [entry for entry in entries.values() if _is_of(entry, checkpoint) and entry.range.streams]
    for entry in sorted(of_log, key=lambda one: (min(stream.first for stream in one.range.streams), one.id)):
        is_unread = max(stream.last for stream in entry.range.streams) > reached
        (needed if is_unread or entry.id in wanted else done).append(entry)
    return NeededFiles(needed[0] if needed else None, tuple(needed), tuple(done), unlisted)


def _is_of(entry: LedgerEntry, checkpoint: Checkpoint) -> bool:
    """Whether a file is of the log of a checkpoint, as far as its form shows it."""
    form = " ".join(filter(None, checkpoint.form))
    return entry.spec == checkpoint.spec and (not form or all(stream.log == form for stream in entry.range.streams))
