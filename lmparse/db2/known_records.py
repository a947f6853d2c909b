"""Known records: by them a file that was read before is told from one of another log with the same positions.

A checkpoint has the digest of the last record of each file. A file that is read again has that record again; one of
another log has another record at its position, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from lmparse.changes.checkpoint import record_digest
from lmparse.db2.file_ranges import FileRange, file_heads, not_one_log
from lmparse.db2.order import Position
from lmparse.errors import FramingError
from lmparse.options import Options
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import JoinedPiece

Known = tuple[Position, str]


def last_record_of(one: FileRange, options: Options) -> dict[Position, str]:
    """The digest of the last record of a stretch, by its position."""
    if one.last_record is None:
        return {}
    start, behind = one.last_record
    return {one.last: record_digest(open_buffer(one.stretch.path, options.bounds)[start:behind])}


def has_known(one: FileRange, known: Sequence[Known], options: Options, settings: FileSettings) -> bool:
    """Whether a stretch has one of the records that are known.

    Raises FramingError LMP-F013 if it has other records, or none, at the position of one of them.
    """
    inside = [(position, digest) for position, digest in known if one.first <= position <= one.last]
    found: dict[Position, set[str]] = {position: set() for position, _ in inside}
    for position, digest in _records_at(one.stretch, list(found), options, settings):
        found[position].add(digest)
    for position, digest in inside:
        if digest not in found[position]:
            what = "its record is another one than" if found[position] else "it has no record, other than"
            raise not_one_log(f"at {position[1]:016X} {what} a file that was read before", one.stretch.path)
    return bool(inside)


def _records_at(
    stretch: JoinedPiece, positions: Sequence[Position], options: Options, settings: FileSettings
) -> Iterator[Known]:
    """The digests of the records of a stretch at some positions, which ascend."""
    buffer, place = open_buffer(stretch.path, options.bounds), 0
    if not positions:
        return
    with suppress(FramingError):  # no record behind damage is joined
        for heads in file_heads(stretch, options, settings):
            while len(heads.lsn) and positions[place] <= heads.position(-1):
                position = positions[place]
                for number in np.flatnonzero(heads.has_reached(position) & ~heads.is_behind(position)):
                    yield position, record_digest(buffer[int(heads.start[number]) : int(heads.behind[number])])
                if position == heads.position(-1):
                    break  # the next window may have another record there
                place += 1
                if place == len(positions):
                    return
