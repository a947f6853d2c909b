"""Checkpoint: the state that reading a part of a log leaves for reading the next part.

A checkpoint states how far the log is read, and which stretches of earlier files have records of open transactions. The
next part is read together with these stretches, and yields the changes of all transactions committed behind the
position reached.
"""

from __future__ import annotations

import hashlib
import json
import os
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
"""The first bytes of a checkpoint's file."""
_VERSION = 3
_HASHED = 1 << 20
_CODE = "LMP-S030"


Position = tuple[int, int]
MOST_FILES = 1000
"""Most files that a checkpoint recognizes; the newest files are kept."""


@dataclass(frozen=True)
class NeededStretch:
    """A stretch of a file that the next reading needs again."""

    path: str
    start: int
    end: int
    first_record: int
    """Number in the file of the first record of the stretch."""
    records: int
    sha256: str
    """Of the bytes of the stretch."""

    @classmethod
    def of(cls, piece: JoinedPiece, limits: Limits = DEFAULT) -> NeededStretch:
        """The stretch for a piece of joined files, with an absolute path: the working directory may change."""
        path = piece.path if is_remote(piece.path) else os.path.abspath(local_path(piece.path))
        found = cls(path, piece.start, piece.end, piece.first_record, piece.records, "")
        return replace(found, sha256=found.digest(limits))

    @property
    def piece(self) -> JoinedPiece:
        """The stretch as a piece of joined files."""
        return JoinedPiece(self.path, self.start, self.end, self.first_record, self.records, is_known=True)

    def digest(self, limits: Limits = DEFAULT) -> str:
        """SHA-256 of the present bytes. Raises FramingError LMP-F001, ReadError LMP-F012."""
        buffer, digest = open_buffer(self.path, limits), hashlib.sha256()
        end = min(self.end, len(buffer))  # a file may have become shorter
        for start in range(self.start, end, _HASHED):
            digest.update(buffer[start : min(start + _HASHED, end)])
        return digest.hexdigest()

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise FramingError LMP-F001 if the file is gone, and ReadError LMP-F012 if its bytes have changed."""
        if self.end > len(open_buffer(self.path, limits)) or self.digest(limits) != self.sha256:
            text = f"{self.path}: bytes {self.start} to {self.end} are not those that were read before"
            raise ReadError(text, hint="transactions that were open need them; put the file back as it was")


@dataclass(frozen=True)
class KnownFile:
    """Facts by which a file that was read is recognized when it is given again."""

    first: Position
    """Position of the first record."""
    last: Position
    size: int
    """Bytes of the file."""
    digest: str
    """Digest of the last record; see `record_digest`."""


@dataclass(frozen=True)
class Checkpoint:
    """How far a log is read. A family leaves fields empty that it does not use."""

    spec: str
    seq: str
    """All changes up to this `seq` were given."""
    reached: Position
    """Position of the last record."""
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Ends of each log stream: address of its first record, and address behind its last record; 0 if records state no
    address. If records are missing between two files, the first record is the record behind the gap."""
    needed: tuple[NeededStretch, ...] = ()
    """Stretches to read again, in the order of the log."""
    described: tuple[str, ...] = ()
    """Records, in hexadecimal, that describe the rows of a table; their form depends on the spec."""
    files: tuple[KnownFile, ...] = ()
    """The newest files that were read, by their last records."""
    form: tuple[str, ...] = ()
    """How to read the files, in words of the spec's family; a short file may not prove it."""
    ranges: tuple[tuple[int, int], ...] = ()
    """Log Master: lowest and highest position of each range that was read, ascending."""
    open_units: tuple[str, ...] = ()
    """Log Master: units of recovery without an outcome so far, in hexadecimal."""
    tables: tuple[str, ...] = ()
    """Log Master: tables with changes in the extracts so far, in hexadecimal."""

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise an error if a needed stretch has changed; see `NeededStretch.check`."""
        for stretch in self.needed:
            stretch.check(limits)

    def to_json(self) -> str:
        """The text of the checkpoint's file."""
        held = json.loads(json.dumps(asdict(self)))
        return json.dumps({"checkpoint_version": _VERSION, "sha256": _digest(held), **held}, indent=2) + "\n"

    @classmethod
    def read(cls, path: str | Path, limits: Limits = DEFAULT) -> Checkpoint:
        """Read a checkpoint from its file. Raises OptionError LMP-S030 for any other file."""
        try:
            return cls.of_json(file_bytes(path, limits), str(path), limits)
        except (DocumentError, OSError) as error:
            raise OptionError(f"{path} is not a checkpoint: {error}", code=_CODE) from None

    @classmethod
    def of_json(cls, text: bytes, name: str, limits: Limits = DEFAULT) -> Checkpoint:
        """The checkpoint in a text; `name` is for messages. Raises OptionError LMP-S030 for any other text."""
        try:
            found = read_json(text, limits)
            version, digest = found.pop("checkpoint_version"), found.pop("sha256", None)
            if version != _VERSION:
                raise ValueError(f"it is of version {version}, and this lmparse reads {_VERSION}")
            if digest != _digest(found):
                raise ValueError("it was changed since it was written: its digest is another one")
            held = _tuples(found)
            held["needed"] = tuple(NeededStretch(**one) for one in held["needed"])
            held["files"] = tuple(KnownFile(**one) for one in held["files"])
            held["ends"] = {int(stream): pair for stream, pair in held["ends"].items()}
            return cls(**held)
        except (DocumentError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise OptionError(f"{name} is not a checkpoint: {why}", code=_CODE) from None


def _digest(held: Any) -> str:
    """SHA-256 of a JSON value. A checkpoint has the digest of its other members, which proves it unchanged."""
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def _tuples(value: Any) -> Any:
    """A JSON value with tuples in place of lists."""
    if isinstance(value, dict):
        return {member: _tuples(one) for member, one in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def record_digest(record: bytes) -> str:
    """The first half of the SHA-256 of a record with its prefix, in hexadecimal."""
    return hashlib.sha256(record).hexdigest()[:32]


def too_late(path: str, why: str) -> FramingError:
    """The error of a file with records that may be unread, although later records were read."""
    text = f"it comes too late: {why}"
    hint = "read all files from their beginning, or land them into another folder"
    return FramingError(text, code="LMP-F014", file=path, hint=hint)
