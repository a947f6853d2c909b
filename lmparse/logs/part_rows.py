"""Part rows: the rows of a part, and what becomes of damage in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, matching
from lmparse.columnar.rows import to_batch
from lmparse.errors import DataError
from lmparse.logs.arrow import part_batches
from lmparse.logs.partitions import FilePart, Part, UnreadFile, is_damage
from lmparse.records.files import corrupt_field
from lmparse.spec import catalog
from lmparse.storage import addresses
from lmparse.storage.buffers import open_buffer

SHOWN_BYTES = 4096
"""Most bytes of what is not read that its row has: it may be the rest of a large file."""


def part_rows(
    part: Part, schema: pa.Schema, filters: Sequence[Filter] = (), *, with_changes: bool, say: Callable[[str], None],
    allows_unread: bool = False,
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """The rows of one part that match filters as batches of a schema, then in mode permissive one for its damage.

    Raises as `part_batches`, but not for damage in a part that is tolerant, which `say` is called with.
    """
    try:
        if isinstance(part, UnreadFile):
            raise part.error
        yield from part_batches(part, schema, filters, with_changes=with_changes, say=say, allows_unread=allows_unread)
    except DataError as error:
        if (isinstance(part, FilePart) and not part.is_tolerant) or not is_damage(error, part.path):
            raise
        is_left = isinstance(part, UnreadFile) and not part.start
        say(f"{error.at(file=part.path)}; {'nothing of it is read' if is_left else 'it is read up to there'}")
        if part.options.mode == "permissive":
            yield from matching([to_batch([_row(part, error)], schema)], filters)


def _row(part: Part, error: DataError) -> dict[str, Any]:
    """A row for what is not read because of an error, whose place and first bytes it has.

    A file is read up to its damage, so that all behind it is not read.
    """
    path = error.file or part.path
    start = error.record_offset or (part.span.start if isinstance(part, FilePart) else 0)
    try:
        buffer = open_buffer(path, part.options.bounds)
        first, size = bytes(buffer[start : start + SHOWN_BYTES]), len(buffer)
    except DataError:
        first, size = b"", 0  # it is no file that can be read
    spec = catalog.load(part.options.spec, part.options.rows)
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
