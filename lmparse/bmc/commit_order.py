"""Commit order: changes by the commits of their units of recovery, those of one unit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lmparse.bmc import order
from lmparse.bmc.segments import JoinedChange
from lmparse.framing.extents import RecordExtent
from lmparse.limits import Held, Limits

_KEY_BYTES, EXTENT_BYTES = 400, 300
"""Bytes of memory of the sort key of a change, and of the extent of one of its records; measured."""


def key(joined: JoinedChange) -> tuple[str, str, str]:
    """What changes are sorted by: position of the commit, unit of recovery and `seq`."""
    values = joined.values
    return order.commit_position(values), order.txn_id(values), order.seq(values, joined.ordinal)


def in_order(changes: Iterable[JoinedChange], limits: Limits, path: str) -> Iterator[tuple[int, list[RecordExtent]]]:
    """Ordinal and extents of each change, in commit order; changes with one `seq` as in the file.

    Keys and extents are held, not rows. Against the limit `held_bytes` count these. Raises FileLimitError LMP-L004.
    """
    keys = []
    held = Held(limits)
    for joined in changes:
        last = joined.extent
        size = _KEY_BYTES + EXTENT_BYTES * len(joined.extents)
        held.take(size, file=path, record_index=last.index, record_offset=last.offset)
        keys.append((*key(joined), joined.ordinal, joined.extents))
    for *_, ordinal, extents in sorted(keys, key=lambda entry: entry[:3]):
        yield ordinal, extents
