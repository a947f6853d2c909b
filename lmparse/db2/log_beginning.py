"""Log beginning: in front of which records nothing has been read, so that a transaction may begin there.

A link to the start of a load leads on to the record in front of that, if it is there to be read.

A log that is read one file after another begins where the first reading began. A link to a record in front of what is
read again does not cut a transaction off: that record was left out by the filter of the API, cannot be read, or is the
start of a load. Those are cut off that earlier readings have found to be so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lmparse.changes.checkpoint import Checkpoint
from lmparse.db2.links import LoadStarts
from lmparse.errors import OptionError
from lmparse.storage.joined import Joined
from lmparse.values.byte_arrays import Flags, Int64s, UInt64s

MISSING, ADJOINING, APART = "missing", "adjoining", "apart"
"""Bytes of the log are missing between files; a file has records that adjoin; a file has others, or states no
addresses."""
_BACK = "addresses go back"
"""In a log stream, addresses have begun anew, are damaged, or count rows that are longer here than in the log: those of
records that were read may be behind the last one. Without the number of one, in all of them."""
Stretches = tuple[tuple[int, int], ...]
_MOST_STRETCHES = 1000
"""Most stretches of a log stream that are kept."""
_ID_BYTES = 6
"""Bytes of the identifier of a transaction."""


class FirstRecords(Protocol):
    """The first records of transactions, as `units.Units`."""

    @property
    def tid(self) -> UInt64s: ...
    @property
    def previous(self) -> UInt64s: ...
    @property
    def first_stream(self) -> Int64s: ...
    @property
    def is_broken(self) -> Flags: ...


@dataclass
class LogBeginning:
    """Where a log begins, and which transactions begin in front of it."""

    firsts: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream, if it states it."""
    cut: frozenset[int] = frozenset()
    """Identifiers of the transactions that had not ended in earlier readings, lack records there, and began in front of
    what is read again. An identifier is that of its first transaction at hand: later ones begin behind its end."""
    ends: dict[int, int] = field(default_factory=dict)
    """Addresses behind the records of earlier readings."""
    evidence: frozenset[str] = frozenset()
    """What files have shown of missing records, see `evidence_of`."""
    loads: LoadStarts = field(default_factory=LoadStarts)
    """The starts of loads."""
    missing: dict[int, Stretches] = field(default_factory=dict)
    """Stretches of addresses that are in no file, of each log stream of which that is known, ascending."""
    read_before: int = 0
    """Number of the first record that no earlier reading had; what was said of those in front is not said again."""

    @classmethod
    def of(cls, joined: Joined | None, before: Checkpoint | None) -> LogBeginning:
        """That of joined files, behind a checkpoint. Raises OptionError LMP-S030 for a bad one."""
        evidence = frozenset() if joined is None else evidence_of(joined)
        if before is None:
            return cls(evidence=evidence, missing=missing_in(joined, None))
        needed = 0 if joined is None else joined.records[min(len(before.needed), len(joined.pieces))]
        if joined is not None and all(piece.is_known for piece in joined.pieces):
            needed = (1 << 63) - 1  # nothing is new
        evidence = evidence.union(before.evidence)
        missing = missing_in(joined, before)
        return cls(
            dict(before.begins), _identifiers(before), before.ends, evidence, missing=missing, read_before=needed
        )

    @property
    def lacks_records(self) -> bool:
        """Whether records are missing inside the log: bytes are between files, and none inside a file, so nothing was
        filtered. Then no transaction that lacks one is whole.
        """
        return {MISSING, ADJOINING} <= self.evidence and APART not in self.evidence

    def place(self, stream: int, address: int) -> None:
        """Take note of the first record of a log stream; later ones are no news."""
        self.firsts.setdefault(stream, address)

    def is_behind(self, previous: int, stream: int | None, tid: int) -> bool:
        """Whether the record at address `previous`, before the first one of a transaction, may be in front of the log.

        `stream` is the log stream of the first one; None if that states no address: then it may be in front itself.
        """
        previous = self.loads.through(tid, previous)
        first = None if stream is None else self.firsts.get(stream)
        if not previous or stream is None or first is None:
            return previous != 0
        return previous < first or (tid in self.cut and previous < self.ends.get(stream, 0))

    def lacks(self, previous: int, stream: int | None, tid: int) -> bool:
        """The same, or whether that record is known to be missing in the log, or may be."""
        if self.is_behind(previous, stream, tid):
            return True
        previous = self.loads.through(tid, previous)
        if not self.lacks_records or not previous or stream is None:
            return False
        stretches = self.missing.get(stream)
        return stretches is None or any(begin <= previous < end for begin, end in stretches)

    def are_behind(self, found: FirstRecords) -> Flags:
        """The same as `is_behind` of many."""
        previous = self.loads.all_through(found.tid, found.previous)
        is_behind: Flags = previous != 0
        is_cut = np.isin(found.tid, np.fromiter(self.cut, np.uint64, len(self.cut)))
        for stream, first in self.firsts.items():
            end = np.where(is_cut, np.uint64(self.ends.get(stream, 0)), np.uint64(0))
            is_behind &= (found.first_stream != stream) | (previous < np.maximum(np.uint64(first), end))
        return is_behind

    def lack(self, found: FirstRecords) -> Flags:
        """Whether transactions lack records: those in front of their first ones, or any that are missing in the log."""
        is_behind = self.are_behind(found)
        if not self.lacks_records:
            return is_behind
        previous = self.loads.all_through(found.tid, found.previous)
        is_missing: Flags = previous != 0
        for stream, stretches in self.missing.items():
            bounds = np.array([bound for stretch in stretches for bound in stretch], np.uint64)
            # Between a begin and an end if an odd number of bounds is at or in front of it.
            inside = np.searchsorted(bounds, previous, side="right") % 2 == 1
            is_missing &= (found.first_stream != stream) | inside
        return is_behind | is_missing | found.is_broken


def evidence_of(joined: Joined) -> frozenset[str]:
    """What the pieces of a log show of records that are missing in it."""
    filled = [piece for piece in joined.pieces if piece.size]
    found = {
        MISSING: any(piece.missing for piece in filled),
        ADJOINING: any(piece.records > 1 and piece.is_gapless for piece in filled),
        APART: not all(piece.is_gapless for piece in filled),
    }
    return frozenset(word for word, is_found in found.items() if is_found)


def evidence_of_back(streams: Iterable[int]) -> frozenset[str]:
    """What a checkpoint keeps of the log streams whose addresses go back."""
    return frozenset(f"{_BACK} in log stream {stream}" for stream in streams)


def has_gone_back(evidence: Collection[str], stream: int) -> bool:
    """Whether the addresses of a log stream have gone back in what a checkpoint has read."""
    return _BACK in evidence or not evidence_of_back([stream]).isdisjoint(evidence)


def missing_in(joined: Joined | None, before: Checkpoint | None) -> dict[int, Stretches]:
    """The stretches of addresses that are in no file, up to the end of a log, of which `before` is in front.

    Of very many, some that are near each other are one, with what is between them.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    if before is not None:
        found = {stream: list(stretches) for stream, stretches in before.missing.items()}
        if MISSING in before.evidence and not found:  # a checkpoint that does not say where
            found = {stream: [(0, end)] for stream, end in before.ends.items()}
    for piece in () if joined is None else joined.pieces:
        for stream, begin, end in piece.lost if piece.size else ():
            found.setdefault(stream, []).append((begin, end))
    return {stream: _few(stretches) for stream, stretches in found.items()}


def certainly_missing(missing: Mapping[int, Stretches]) -> dict[int, Stretches]:
    """Those in which no record has been read: of very many, the first one has others in it."""
    return {stream: stretches[len(stretches) == _MOST_STRETCHES :] for stream, stretches in missing.items()}


def _few(stretches: Sequence[tuple[int, int]]) -> Stretches:
    """At most _MOST_STRETCHES, none of which touches another: the first ones become one."""
    kept: list[tuple[int, int]] = []
    for begin, end in sorted(stretches):
        if kept and begin <= kept[-1][1]:
            begin, end = kept[-1][0], max(kept.pop()[1], end)
        kept.append((begin, end))
    if len(kept) > _MOST_STRETCHES:
        kept = [(kept[0][0], kept[-_MOST_STRETCHES][1]), *kept[1 - _MOST_STRETCHES :]]
    return tuple(kept)


def _identifiers(before: Checkpoint) -> frozenset[int]:
    try:
        raw = [bytes.fromhex(text) for text in before.cut]
    except ValueError:
        raw = [b""]
    if any(len(one) != _ID_BYTES for one in raw):
        raise OptionError("the checkpoint names a transaction by what is not an identifier", code="LMP-S030")
    return frozenset(int.from_bytes(one) for one in raw)


def named(tids: set[int]) -> tuple[str, ...]:
    """Identifiers of transactions as a checkpoint keeps them."""
    return tuple(tid.to_bytes(_ID_BYTES).hex() for tid in sorted(tids))
