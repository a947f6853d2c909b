"""Part rows: the rows of a part, what becomes of damage in it, and an account of what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lmparse.changes.log import ChangeLog
from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, matching
from lmparse.columnar.rows import to_batch
from lmparse.errors import DataError
from lmparse.logs.arrow import part_batches
from lmparse.logs.partitions import Damage, FilePart, Part, UnreadFile, is_gone, may_be_left
from lmparse.records.files import ErrorCodes, RecordFile, corrupt_field
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.buffers import open_buffer

SHOWN_BYTES = 4096
"""Most bytes of what is not read that its row has: it may be the rest of a large file."""


@dataclass
class PartAccount:
    """What was read of a part. It is complete behind the last row."""

    path: str
    rows: int = 0
    """Number of rows, with those of bad records."""
    bad_rows: int = 0
    """Number of rows with bad values or of bad records."""
    errors: ErrorCodes = field(default_factory=ErrorCodes)
    """Number of errors by their codes."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of changes that options exclude, by reason."""
    notices: list[str] = field(default_factory=list)
    size: int = 0
    """Bytes of the file for which the part accounts."""
    unread: int = 0
    """How many of these are behind damage."""
    damage: DataError | None = None
    """The error at which reading ended before the end of the part."""
    file: RecordFile | None = None

    def opened(self, file: RecordFile) -> None:
        """Take note of the file that is read."""
        self.file = file

    def count(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Count the rows of a batch; returns it."""
        self.rows += batch.num_rows
        if schemas.CORRUPT_FIELDS in batch.schema.names:
            self.bad_rows += batch.num_rows - batch.column(schemas.CORRUPT_FIELDS).null_count
        return batch

    def complete(self, part: Part) -> None:
        """Add what is known behind the last row."""
        self.size = part.size
        self.notices = list(part.notices) if isinstance(part, FilePart) else []
        if self.file is not None:
            self.notices += [text for text in self.file.tally.notices if text not in self.notices]
            if isinstance(self.file, ChangeLog):
                self.left_out = self.file.left_out


def part_rows(
    part: Part, schema: pa.Schema, filters: Sequence[Filter] = (), *, with_changes: bool, account: PartAccount
) -> Iterator[pa.RecordBatch]:
    """The rows of one part that match filters as batches of a schema, then perhaps one for its damage.

    Raises as `part_batches`, but not for damage that the part says is not to be raised, which is in the account.
    """
    try:
        if isinstance(part, UnreadFile):
            raise part.error
        batches = part_batches(
            part, schema, filters, with_changes=with_changes, on_error=account.errors, on_open=account.opened
        )  # fmt: skip
        yield from map(account.count, batches)
    except DataError as error:
        path = part.path
        is_missing = isinstance(part, FilePart) and part.may_be_gone and is_gone(error, path)
        keeps_bad = isinstance(part, UnreadFile) or part.keeps_bad
        if not is_missing:
            if not may_be_left(error, path, part.damage, keeps_bad=keeps_bad):
                raise
            account.damage = error.at(file=path)
            account.errors(error)
            row = _row(part, error, account)
            if part.damage is Damage.ROW:
                yield from map(account.count, matching([to_batch([row], schema)], filters))
    account.complete(part)


def _row(part: Part, error: DataError, account: PartAccount) -> dict[str, Any]:
    """A row for what is not read because of an error, whose place and first bytes it has.

    A file is read up to its damage, so that all behind it is not read.
    """
    path = error.file or part.path
    start = error.record_offset or (part.span.start if isinstance(part, FilePart) else 0)
    first, size = _first_bytes(path, start, part)
    account.unread = max(size - start, 0)
    spec = catalog.load(part.options.spec)
    return {
        schemas.CORRUPT_RECORD: first,
        schemas.CORRUPT_FIELDS: [corrupt_field(error)],
        "_metadata": {
            "file": addresses.in_utf8(path),
            "record_index": error.record_index,
            "record_offset": start,
            "record_length": account.unread,
            "spec": spec.id,
            "spec_hash": spec.layout.sha256,
        },
    }


def _first_bytes(path: str, start: int, part: Part) -> tuple[bytes, int]:
    """The first bytes of what is not read, and the size of the file; none if they cannot be read either."""
    try:
        buffer = open_buffer(path, part.options.bounds)
        return bytes(buffer[start : start + SHOWN_BYTES]), len(buffer)
    except DataError:
        return b"", part.size if isinstance(part, UnreadFile) else 0


def said(account: PartAccount, part: Part) -> str | None:
    """What is to be told of damage that did not end the reading; None if there was none."""
    if account.damage is None:
        return None
    how = "nothing of it is read" if isinstance(part, UnreadFile) and not part.start else "it is read up to there"
    return f"{account.damage}; {how}"
