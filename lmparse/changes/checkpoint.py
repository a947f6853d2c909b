"""Checkpoint: what reading one part of a log leaves to the reading of the next part.

It is small: how far the log has been read, and which stretches of the files so far hold records of transactions that
may still be committed. The next part is read together with these stretches, and gives the changes of all transactions
that are committed behind the position that was reached.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lmparse.errors import FramingError, OptionError, ReadError
from lmparse.limits import DEFAULT, Limits
from lmparse.spec.documents import DocumentError, file_bytes, read_json
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import JoinedPiece

BEGINNING = b'{\n  "checkpoint_version": '
"""The first bytes of the file of one."""
_VERSION = 2
_HASHED = 1 << 20
_CODE = "LMP-S030"
_SEQ = re.compile("[0-9A-F]{1,80}")


Position = tuple[int, int]
MOST_UNREAD = 1000
"""Most places without a record that are kept."""
MOST_KNOWN = 1000
"""Most records of which a digest is kept."""
MOST_RANGES = 1000
"""Most ranges of positions that are kept."""


@dataclass(frozen=True)
class NeededStretch:
    """A stretch of a file that must be read again."""

    path: str
    start: int
    end: int
    first_record: int
    """Number, in the file, of its first record."""
    records: int
    sha256: str
    """Of its bytes."""

    @classmethod
    def of(cls, piece: JoinedPiece, limits: Limits = DEFAULT) -> NeededStretch:
        """The stretch that is a piece of joined files. The next reading may have another working directory."""
        path = piece.path if is_remote(piece.path) else os.path.abspath(local_path(piece.path))
        found = cls(path, piece.start, piece.end, piece.first_record, piece.records, "")
        return replace(found, sha256=found.digest(limits))

    @property
    def piece(self) -> JoinedPiece:
        """The same as a piece of joined files."""
        return JoinedPiece(self.path, self.start, self.end, self.first_record, self.records)

    def digest(self, limits: Limits = DEFAULT) -> str:
        """SHA-256 of the bytes that are there now. Raises FramingError LMP-F001, ReadError LMP-F012."""
        buffer, digest = open_buffer(self.path, limits), hashlib.sha256()
        end = min(self.end, len(buffer))  # a file may have become shorter, and a checkpoint may lie
        for start in range(self.start, end, _HASHED):
            digest.update(buffer[start : min(start + _HASHED, end)])
        return digest.hexdigest()

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise FramingError LMP-F001 if the file is gone, ReadError LMP-F012 if its bytes are others."""
        if self.end > len(open_buffer(self.path, limits)) or self.digest(limits) != self.sha256:
            raise ReadError(
                f"{self.path}: bytes {self.start} to {self.end} are not those that were read before",
                hint="transactions that were open need them; put the file back as it was",
            )


@dataclass(frozen=True)
class Checkpoint:
    """How far a log has been read."""

    spec: str
    seq: str
    """All changes up to this `seq` have been given."""
    reached: Position
    """Position of the last record."""
    ends: dict[int, int] = field(default_factory=dict)
    """Address behind the last record of each log stream, if records state theirs."""
    needed: tuple[NeededStretch, ...] = ()
    """In the order of the log."""
    described: tuple[str, ...] = ()
    """Records that describe tables, as hexadecimal; their form is that of the spec."""
    gaps: dict[str, str] = field(default_factory=dict)
    """Why rows may be missing in front of what is read next, by the ids of tables, in words of the spec's family."""
    form: tuple[str, ...] = ()
    """How the files are framed, in words of the spec's family, so that a short file need not show it."""
    begins: dict[int, int] = field(default_factory=dict)
    """Address of the first record of each log stream in the first file of all, if records state theirs."""
    cut: tuple[str, ...] = ()
    """Identifiers, as hexadecimal, of transactions that have not ended, lack records, and begin in front of what is
    needed: they remain incomplete."""
    evidence: tuple[str, ...] = ()
    """What the files so far have shown of missing records, in words of the spec's family."""
    unread: tuple[tuple[Position, Position], ...] = ()
    """Where no record has been read in front of `reached`: behind one position and in front of another, ascending.

    What comes from there comes too late. Of very many such places the oldest ones are not kept."""
    ranges: tuple[tuple[int, int], ...] = ()
    """Log Master: lowest and highest positions of the ranges that were read, ascending."""
    open_units: tuple[str, ...] = ()
    """Log Master: the units of recovery that have no outcome so far, as hexadecimal."""
    tables: tuple[str, ...] | None = None
    """Log Master: the tables of which extracts so far have changes, as hexadecimal; None if that is not known."""
    missing: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Stretches of addresses of each log stream, ascending, that are known to be in no file so far."""
    known: tuple[tuple[Position, str], ...] = ()
    """Position and digest of the last record of each file so far, ascending, the newest ones; see `record_digest`.

    A file that has one of these positions again, and another record there, is of another log."""

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise an error if a needed stretch is not as it was, see `NeededStretch.check`."""
        for stretch in self.needed:
            stretch.check(limits)

    def has_read_as(self, other: Checkpoint) -> bool:
        """Whether the files up to here had the same stretches of the log as those up to another one, and perhaps more
        behind these."""
        mine = [place for place in self.unread if place[0] < other.reached]
        theirs = list(other.unread)
        if MOST_UNREAD in (len(self.unread), len(theirs)):
            count = min(len(mine), len(theirs))  # the oldest ones are not kept
            mine, theirs = mine[len(mine) - count :], theirs[len(theirs) - count :]
        end = other.reached[1]
        ranges = [(low, min(high, end)) for low, high in self.ranges if low <= end]
        return self.reached >= other.reached and mine == theirs and ranges == list(other.ranges)

    def to_json(self) -> str:
        """The text of its file."""
        shown = {"checkpoint_version": _VERSION, **asdict(self)}
        return json.dumps(shown, indent=2) + "\n"

    @classmethod
    def read(cls, path: str | Path, limits: Limits = DEFAULT) -> Checkpoint:
        """Read the file of one. Raises OptionError LMP-S030 if it is none."""
        try:
            return cls.of_json(file_bytes(path, limits), str(path), limits)
        except (DocumentError, OSError) as error:
            raise OptionError(f"{path} is not a checkpoint: {error}", code=_CODE) from None

    @classmethod
    def of_json(cls, text: bytes, name: str, limits: Limits = DEFAULT) -> Checkpoint:
        """The checkpoint that a text is; `name` is for messages. Raises OptionError LMP-S030 if it is none."""
        try:
            return cls._of(read_json(text, limits))
        except (DocumentError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise OptionError(f"{name} is not a checkpoint: {why}", code=_CODE) from None

    @classmethod
    def _of(cls, found: Any) -> Checkpoint:
        if found["checkpoint_version"] != _VERSION:
            raise ValueError(f"it is of version {found['checkpoint_version']}, and this lmparse reads {_VERSION}")
        spec, seq = found["spec"], found["seq"]
        if not isinstance(spec, str):
            raise ValueError("spec is not text")
        if not isinstance(seq, str) or not _SEQ.fullmatch(seq):
            raise ValueError("seq is not upper-case hexadecimal digits")
        lfs, lsn = _numbers(found["reached"], _POSITION_BITS)
        ends, begins = _addresses(found["ends"]), _addresses(found["begins"])
        described = tuple(bytes.fromhex(one).hex() for one in found["described"])
        if any(len(one) <= 4 for one in described):
            raise ValueError("a description of a table is too short")
        gaps = dict(found["gaps"])
        if not all(isinstance(text, str) for pair in gaps.items() for text in pair):
            raise ValueError("gaps are not text")
        form = tuple(map(str, found["form"]))
        cut, evidence = (tuple(map(str, found[name])) for name in ("cut", "evidence"))
        needed = tuple(map(_stretch, found["needed"]))
        unread = tuple(_place(*pair) for pair in found["unread"])
        ranges = tuple(_range(*pair) for pair in found["ranges"])
        open_units = tuple(bytes.fromhex(one).hex() for one in found["open_units"])
        tables = found["tables"]
        tables = None if tables is None else tuple(bytes.fromhex(one).hex() for one in tables)
        missing = {
            stream: tuple(_stretch_of_addresses(*pair) for pair in found["missing"][str(stream)])
            for stream in _numbers(map(int, found["missing"]))
        }
        known = tuple(_known(*pair) for pair in found["known"])
        return cls(
            spec, seq, (lfs, lsn), ends, needed, described, gaps, form, begins=begins, cut=cut, evidence=evidence,
            unread=unread, ranges=ranges, open_units=open_units, tables=tables, missing=missing, known=known,
        )  # fmt: skip


def record_digest(record: bytes) -> str:
    """The first half of the SHA-256 of a record with its prefix, as hexadecimal."""
    return hashlib.sha256(record).hexdigest()[:32]


def too_late(path: str, why: str) -> FramingError:
    """The error of a file with records that should have been read before those that were."""
    return FramingError(
        f"it comes too late: {why}", code="LMP-F014", file=path,
        hint="read all files from their beginning, or land them into another folder",
    )  # fmt: skip


def _stretch(found: Any) -> NeededStretch:
    start, end, first_record, records = _numbers(found[name] for name in ("start", "end", "first_record", "records"))
    path, sha256 = found["path"], found["sha256"]
    if not (isinstance(path, str) and isinstance(sha256, str)):
        raise ValueError("path and sha256 are not text")
    return NeededStretch(path, start, end, first_record, records, sha256)


def _place(begin: Any, end: Any) -> tuple[Position, Position]:
    (lfs, lsn), (end_lfs, end_lsn) = (_numbers(position, _POSITION_BITS) for position in (begin, end))
    return (lfs, lsn), (end_lfs, end_lsn)


def _known(position: Any, digest: Any) -> tuple[Position, str]:
    lfs, lsn = _numbers(position, _POSITION_BITS)
    return (lfs, lsn), bytes.fromhex(digest).hex()


def _range(low: Any, high: Any) -> tuple[int, int]:
    first, last = _numbers((low, high), _POSITION_BITS)
    return first, last


def _stretch_of_addresses(begin: Any, end: Any) -> tuple[int, int]:
    first, behind = _numbers((begin, end), 64)
    return first, behind


_POSITION_BITS = 80
"""Bits of a position at most: an LRSN or RBA of z/OS has ten bytes."""


def _addresses(found: Any) -> dict[int, int]:
    """Addresses by log stream."""
    return dict(zip(_numbers(map(int, found), 63), _numbers(found.values(), 64), strict=True))


def _numbers(values: Any, bits: int = 63) -> Iterator[int]:
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << bits:
            raise ValueError(f"{value!r} is not a number from zero of at most {bits} bits")
        yield value
