"""Checkpoint: what reading one part of a log leaves to the reading of the next part.

It is small: how far the log has been read, and which stretches of the files so far hold records of transactions that
may still be committed. The next part is read together with these stretches, and gives the changes of all transactions
that are committed behind the position that was reached.
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
"""The first bytes of the file of one."""
_VERSION = 3
_HASHED = 1 << 20
_CODE = "LMP-S030"


Position = tuple[int, int]
MOST_FILES = 1000
"""Most files that are known again, the newest ones."""


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
        return JoinedPiece(self.path, self.start, self.end, self.first_record, self.records, is_known=True)

    def digest(self, limits: Limits = DEFAULT) -> str:
        """SHA-256 of the bytes that are there now. Raises FramingError LMP-F001, ReadError LMP-F012."""
        buffer, digest = open_buffer(self.path, limits), hashlib.sha256()
        end = min(self.end, len(buffer))  # a file may have become shorter
        for start in range(self.start, end, _HASHED):
            digest.update(buffer[start : min(start + _HASHED, end)])
        return digest.hexdigest()

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise FramingError LMP-F001 if the file is gone, ReadError LMP-F012 if its bytes are others."""
        if self.end > len(open_buffer(self.path, limits)) or self.digest(limits) != self.sha256:
            text = f"{self.path}: bytes {self.start} to {self.end} are not those that were read before"
            raise ReadError(text, hint="transactions that were open need them; put the file back as it was")


@dataclass(frozen=True)
class KnownFile:
    """A file that was read: by this it is known when it is given again."""

    first: Position
    """Of its first record."""
    last: Position
    size: int
    """Number of its bytes."""
    digest: str
    """That of its last record, see `record_digest`."""


@dataclass(frozen=True)
class Checkpoint:
    """How far a log has been read. A family leaves the fields empty that it has no use for."""

    spec: str
    seq: str
    """All changes up to this `seq` have been given."""
    reached: Position
    """Position of the last record."""
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Both ends of each log stream: the addresses of its first record, and behind its last one; zero if records do not
    state theirs. Of a log with records that are lost between two files, the first record is the one behind them."""
    needed: tuple[NeededStretch, ...] = ()
    """In the order of the log."""
    described: tuple[str, ...] = ()
    """Records that say what later rows of a table are, as hexadecimal; their form is that of the spec."""
    files: tuple[KnownFile, ...] = ()
    """The files that were read, the newest ones, by their last records."""
    form: tuple[str, ...] = ()
    """How the files are read, in words of the spec's family, so that a short file need not show it."""
    ranges: tuple[tuple[int, int], ...] = ()
    """Log Master: lowest and highest positions of the ranges that were read, ascending."""
    open_units: tuple[str, ...] = ()
    """Log Master: the units of recovery that have no outcome so far, as hexadecimal."""
    tables: tuple[str, ...] = ()
    """Log Master: the tables of which extracts so far have changes, as hexadecimal."""

    def check(self, limits: Limits = DEFAULT) -> None:
        """Raise an error if a needed stretch is not as it was, see `NeededStretch.check`."""
        for stretch in self.needed:
            stretch.check(limits)

    def to_json(self) -> str:
        """The text of its file."""
        held = json.loads(json.dumps(asdict(self)))
        return json.dumps({"checkpoint_version": _VERSION, "sha256": _digest(held), **held}, indent=2) + "\n"

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
    """SHA-256 of a JSON value. A checkpoint with that of its other members is as it was written."""
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def _tuples(value: Any) -> Any:
    """A JSON value with tuples in place of lists."""
    if isinstance(value, dict):
        return {member: _tuples(one) for member, one in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def record_digest(record: bytes) -> str:
    """The first half of the SHA-256 of a record with its prefix, as hexadecimal."""
    return hashlib.sha256(record).hexdigest()[:32]


def too_late(path: str, why: str) -> FramingError:
    """The error of a file with records that may not have been read, in front of those that were."""
    text = f"it comes too late: {why}"
    hint = "read all files from their beginning, or land them into another folder"
    return FramingError(text, code="LMP-F014", file=path, hint=hint)
