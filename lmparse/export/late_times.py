"""Late times: keys with the time of day 24.00.00, which typed values do not tell from midnight of the next day.

Db2 compares the two as different. Only text has the difference: changes whose key may have such a time, which are those
at midnight, are read again as JSON lines. Of 9999-12-31, the end of time of many tables, no next day is given.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.changes.descriptions import Keys
from lmparse.changes.log import ChangeLog
from lmparse.columnar.json_texts import LINE
from lmparse.export.spill_files import Group, stored
from lmparse.framing.extents import Span
from lmparse.logs import lines

_ROLES = ("before", "after")
Stretch = tuple[str, str]
"""The `seq` of the first and the last change of one."""
_MOST = 1 << 14
"""Stretches that are kept. If there are more, neighbours become one, and changes between them count as late too.

Then the mark may be too early behind a truncate, and is never too late.
"""
_DAY_MICROS = 86_400_000_000
_LATE, _END_OF_TIME = "T24:00:00", "9999-12-31"


def late_stretches(
    groups: Iterable[Group], keys: Keys, again: Callable[[], ChangeLog], span: Span | None
) -> dict[str, list[Stretch]]:
    """By identity of the version, where changes have a key with the time of day 24.00.00.

    `groups` are the changes of a log or a part of it, which `again` opens once more; `keys` are those of the versions.
    """
    wanted: dict[str, set[str]] = {}
    for group in groups:
        names = _at_midnight(group, {name for key in keys.get(group.identity or "", ()) for name in key})
        if group.identity is not None and names:
            wanted.setdefault(group.identity, set()).update(names)
    return _found(again(), span, wanted) if wanted else {}


def _at_midnight(group: Group, key: Collection[str]) -> list[str]:
    """The timestamps of the key that some change has at midnight."""
    image = group.schema.field("after").type
    if not pa.types.is_struct(image):
        return []
    numbers = {
        entry.name: number
        for number, entry in enumerate(image)
        if entry.name in key and pa.types.is_timestamp(entry.type)
    }
    if not numbers:
        return []
    found: set[str] = set()
    for batch in stored(group.path, group.schema, group.size):
        for columns in (batch.column(role).flatten() for role in _ROLES):
            found.update(name for name, number in numbers.items() if _has_midnight(columns[number]))
    return sorted(found)


def _has_midnight(times: pa.Array) -> bool:
    return bool((np.asarray(times.drop_null().view(pa.int64())) % _DAY_MICROS == 0).any())


def joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Stretches in order that do not overlap: neighbours are joined where there are too many of them."""
    found: list[Stretch] = []
    for first, last in sorted(stretches):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    while len(found) > _MOST:
        found = [(found[place][0], found[min(place + 1, len(found) - 1)][1]) for place in range(0, len(found), 2)]
    return found


def is_in(stretches: Sequence[Stretch], seq: str) -> bool:
    """Whether a `seq` is in one of some stretches, which are in order and do not overlap."""
    place = bisect_right(stretches, seq, key=itemgetter(0))
    return place > 0 and seq <= stretches[place - 1][1]


def _found(log: ChangeLog, span: Span | None, wanted: Mapping[str, set[str]]) -> dict[str, list[Stretch]]:
    found: dict[str, list[Stretch]] = {}
    for together in lines.change_lines(log, span):
        for one in together:
            identity = None if one.version is None else one.version.identity
            if identity is None or identity not in wanted:
                continue
            for seq in _late_in(one.batch.column(LINE), wanted[identity]):
                late = found.setdefault(identity, [])
                late.append((seq, seq))
                if len(late) > 2 * _MOST:
                    found[identity] = joined(late)
    return {identity: joined(late) for identity, late in found.items()}


def _late_in(column: pa.Array, names: set[str]) -> Iterator[str]:
    """The `seq` of the changes in a column of JSON lines that have such a time in some columns."""
    for line in column.filter(pc.match_substring(column, _LATE)).to_pylist():
        change = json.loads(line)
        if any(_is_late((change[role] or {}).get(name)) for role in _ROLES for name in names):
            yield change["seq"]


def _is_late(value: Any) -> bool:
    return isinstance(value, str) and value[10:19] == _LATE and not value.startswith(_END_OF_TIME)
