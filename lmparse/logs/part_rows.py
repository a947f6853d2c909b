"""Part rows: the rows of a part, and what becomes of damage in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, matching
from lmparse.columnar.rows import to_batch
from lmparse.errors import DataError
from lmparse.logs.arrow import part_batches
from lmparse.logs.partitions import Damage, FilePart, Part, UnreadFile, may_be_left
from lmparse.records.files import corrupt_field
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.buffers import open_buffer

SHOWN_BYTES = 4096
"""Most bytes of what is not read that its row has: it may be the rest of a large file."""


@dataclass
class PartAccount:
    """What is damaged in a part. It is complete behind the last row."""

    damage: DataError | None = None
    """The error at which reading ended before the end of the part."""
    extent: str = ""
    """How much of the file is read, in words."""


def part_rows(
    part: Part, schema: pa.Schema, filters: Sequence[Filter] = (), *, with_changes: bool, account: PartAccount
) -> Iterator[pa.RecordBatch]:
    """The rows of one part that match filters as batches of a schema, then perhaps one for its damage.

    Raises as `part_batches`, but not for damage that the part says is not to be raised, which is in the account.
    """
    try:
        if isinstance(part, UnreadFile):
            raise part.error
        yield from part_batches(part, schema, filters, with_changes=with_changes)
    except DataError as error:
        if not may_be_left(error, part.path, part.damage):
            raise
        account.damage = error.at(file=part.path)
        is_unread = isinstance(part, UnreadFile) and not part.start
        account.extent = "nothing of it is read" if is_unread else "it is read up to there"
        if part.damage is Damage.ROW:
            yield from matching([to_batch([_row(part, error)], schema)], filters)


def _row(part: Part, error: DataError) -> dict[str, Any]:
    """A row for what is not read because of an error, whose place and first bytes it has.

    A file is read up to its damage, so that all behind it is not read.
    """
    path = error.file or part.path
    start = error.record_offset or (part.span.start if isinstance(part, FilePart) else 0)
    first, size = _first_bytes(path, start, part)
    spec = catalog.load(part.options.spec)
    return {
        schemas.CORRUPT_RECORD: first,
        schemas.CORRUPT_FIELDS: [corrupt_field(error)],
        "_metadata": {
            "file": addresses.in_utf8(path),
            "record_index": error.record_index,
            "record_offset": start,
            "record_length": max(size - start, 0),
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
